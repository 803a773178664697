/* Whose search a folder holds: tune.json says what decides the trials, and a search that would decide otherwise is told
 * in what. */
#include "base/memory.h"
#include "data/fingerprint.h"
#include "io/files/file.h"
#include "io/files/temporary.h"
#include "io/json/json.h"
#include "methods/preset_file.h"
#include "tune/search.h"

#include <string.h>

/* What decides the trials, as tune.json has it. */
static graco_status describe(struct json **out, const struct search *search)
{
    graco_status status = GRACO_OK;
    struct json *about = NULL, *list = NULL;
    char word[GRACO_FINGERPRINT];
    TRY(json_create_object(&about));
    TRY(graco_dataset_fingerprint(word, search->data));
    TRY(json_put_string(about, "dataset", search->data->name));
    TRY(json_put_string(about, "fingerprint", word));
    TRY(json_put_string(about, "criterion", graco_criterion_name((int)search->options->criterion)));
    TRY(json_put_int(about, "seed", (int64_t)search->options->seed));
    TRY(preset_put_all(about, &search->space.base));
    TRY(json_put_array(&list, about, "epochs"));
    for (int i = 0; i < search->space.rungs; i++)
        TRY(json_put_int(list, NULL, search->space.epochs[i]));
    TRY(json_put_object(&list, about, "search"));
    for (int i = 0; i < search->space.count; i++)
        TRY(json_put_string(list, search->space.axes[i].key, search->space.axes[i].text));
    *out = about;
    about = NULL;
done:
    json_free(about);
    return status;
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
    graco_status status = GRACO_OK;
    char *there = NULL, *asked = NULL;
    if (strcmp(key, "fingerprint") == 0 && wanted && known && known->kind == JSON_KIND_STRING &&
        fingerprint_valid(known->string))
        return differ_in_data(search, known->string, wanted->string);
    if (known)
        TRY(json_text(&there, known, false));
    if (wanted)
        TRY(json_text(&asked, wanted, false));
    FAIL(GRACO_ERROR_ARGUMENT,
         "%s holds another search: its %s has %s = %.100s, this one has %.100s; expected another "
         "folder",
         search->options->folder, search->about, key, there ? there : "nothing",
         asked ? asked : "nothing");
done:
    memory_free(asked);
    memory_free(there);
    return status;
}

static graco_status same_text(bool *same, const struct json *a, const struct json *b)
{
    graco_status status = GRACO_OK;
    char *one = NULL, *other = NULL;
    TRY(json_text(&one, a, false));
    TRY(json_text(&other, b, false));
    *same = strcmp(one, other) == 0;
done:
    memory_free(other);
    memory_free(one);
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
    struct json *about = NULL, *known = NULL;
    const char *const written[] = {search->table, search->best, search->page};
    bool same = false;
    TRY(describe(&about, search));
    if (file_exists(search->about)) {
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
        TRY(json_write(search->about, about));
    }
    /* A search with nothing left to measure does not write its table again. */
    for (int i = 0; i < 3; i++)
        TRY(temporary_sweep(written[i]));
done:
    json_free(known);
    json_free(about);
    return status;
}
