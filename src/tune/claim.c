/* Whose search a folder holds: tune.json says what decides the trials, and a search that would decide otherwise is told
 * in what. */
#include "data/fingerprint.h"
#include "io/files/file.h"
#include "io/files/temporary.h"
#include "io/json/json.h"
#include "methods/preset_file.h"
#include "tune/search.h"

#include <string.h>

/* What decides the trials, as tune.json has it. */
static graco_status describe(struct writer *json, const struct search *search)
{
    char word[GRACO_FINGERPRINT];
    PASS(graco_dataset_fingerprint(word, search->data));
    writer_open(json, NULL, '{');
    writer_string(json, "dataset", search->data->name);
    writer_string(json, "fingerprint", word);
    writer_string(json, "criterion", graco_criterion_name((int)search->options->criterion));
    writer_integer(json, "seed", (int64_t)search->options->seed);
    PASS(preset_put_all(json, &search->space.base));
    writer_open(json, "epochs", '[');
    for (int i = 0; i < search->space.rungs; i++)
        writer_integer(json, NULL, search->space.epochs[i]);
    writer_close(json);
    writer_open(json, "search", '{');
    for (int i = 0; i < search->space.count; i++)
        writer_string(json, search->space.axes[i].key, search->space.axes[i].text);
    writer_close(json);
    writer_close(json);
    return writer_finish(json);
}

/* What is wrong with the folder: other data, of which both fingerprints are known. */
static graco_status differ_in_data(const struct search *search, const char *known,
                                   const char *wanted)
{
    char words[GRACO_DIFFERENCES];
    fingerprint_compare(words, known, wanted, FINGERPRINT_SPLIT | FINGERPRINT_LABELS);
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "%s holds another search, of other data than '%s', which differs in: %s; "
                       "expected another folder",
                       search->options->folder, search->data->name, words);
}

/* What is wrong with the folder: a field that is not as tune.json has it; NULL: not there. */
static graco_status differ(const struct search *search, const char *key, const struct json *known,
                           const struct json *wanted)
{
    if (strcmp(key, "fingerprint") == 0 && wanted && known && known->kind == JSON_KIND_STRING &&
        fingerprint_valid(known->string))
        return differ_in_data(search, known->string, wanted->string);
    struct writer there = {.style = WRITER_DATA}, asked = {.style = WRITER_DATA};
    graco_status status = GRACO_OK;
    if (known)
        json_write(&there, NULL, known);
    if (wanted)
        json_write(&asked, NULL, wanted);
    TRY(text_status(&there.text));
    TRY(text_status(&asked.text));
    FAIL(GRACO_ERROR_ARGUMENT,
         "%s holds another search: its %s has %s = %.100s, this one has %.100s; expected another "
         "folder",
         search->options->folder, search->about, key, known ? there.text.bytes : "nothing",
         wanted ? asked.text.bytes : "nothing");
done:
    writer_clear(&asked);
    writer_clear(&there);
    return status;
}

static graco_status same_text(bool *same, const struct json *a, const struct json *b)
{
    struct writer one = {.style = WRITER_DATA}, other = {.style = WRITER_DATA};
    json_write(&one, NULL, a);
    json_write(&other, NULL, b);
    graco_status status = text_status(&one.text);
    if (status == GRACO_OK)
        status = text_status(&other.text);
    *same = strcmp(text_words(&one.text), text_words(&other.text)) == 0;
    writer_clear(&other);
    writer_clear(&one);
    return status;
}

/* GRACO_ERROR_ARGUMENT names the first field in which two objects differ. */
static graco_status compare(const struct search *search, const struct json *known,
                            const struct json *wanted)
{
    const struct json *field, *there;
    for (int64_t i = 0; (field = json_at(wanted, i)); i++) {
        bool same = false;
        there = json_find(known, field->key);
        if (there)
            PASS(same_text(&same, there, field));
        if (there && !same && json_size(field) > 0 && field->kind == JSON_KIND_OBJECT)
            PASS(compare(search, there, field));
        else if (!same)
            return differ(search, field->key, there, field);
    }
    for (int64_t i = 0; (there = json_at(known, i)); i++)
        if (!there->key || !json_find(wanted, there->key))
            return differ(search, there->key ? there->key : "an item", there, NULL);
    return GRACO_OK;
}

graco_status search_claim(const struct search *search)
{
    graco_status status = GRACO_OK;
    struct writer asked = {.style = WRITER_PRETTY};
    struct json *about = NULL, *known = NULL;
    const char *const written[] = {search->table, search->best, search->page};
    bool same = false;
    TRY(describe(&asked, search));
    if (file_exists(search->about)) {
        TRY(json_parse(&about, asked.text.bytes, asked.text.length));
        TRY(json_parse_file(&known, search->about, 1 << 20));
        TRY(same_text(&same, known, about));
        if (!same)
            TRY(compare(search, known, about));
        if (!same)
            FAIL(
                GRACO_ERROR_ARGUMENT,
                "%s has the same settings as this search, in another order; expected the same one, "
                "by which trials are drawn",
                search->about);
    } else if (file_exists(search->table)) {
        FAIL(GRACO_ERROR_ARGUMENT,
             "%s is there without %s, which says what was searched; expected another folder",
             search->table, search->about);
    } else {
        TRY(file_write_text(search->about, &asked.text));
    }
    /* A search with nothing left to measure does not write its table again. */
    for (int i = 0; i < 3; i++)
        TRY(temporary_sweep(written[i]));
done:
    json_free(known);
    json_free(about);
    writer_clear(&asked);
    return status;
}
