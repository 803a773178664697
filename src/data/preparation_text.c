/* A preparation as JSON, as checkpoints keep it, and back. The text comes from a file: it is checked as any
 * other, and costs memory by its length. */
#include "data/preparation.h"

#include "base/memory.h"
#include "io/json/json.h"

#include <math.h>
#include <string.h>

static const char *const KINDS[] = {"numbers", "truths", "dates", "words", NULL};
static const char *const HOWS[] = {"",      "plain",    "standard", "quantile",
                                   "words", "constant", "ids",      NULL};

static void put_recipe(struct writer *json, const struct recipe *recipe)
{
    writer_open(json, NULL, '{');
    writer_string(json, "name", recipe->name);
    writer_string(json, "kind", KINDS[recipe->kind]);
    writer_string(json, "how", HOWS[recipe->how]);
    writer_bool(json, "gaps", recipe->gaps);
    writer_real(json, "median", recipe->median);
    writer_real(json, "mean", recipe->mean);
    writer_real(json, "scale", recipe->scale);
    if (recipe->knots) {
        writer_open(json, "knots", '[');
        for (int i = 0; i < PREPARATION_KNOTS; i++)
            writer_real(json, NULL, (double)recipe->knots[i]);
        writer_close(json);
    }
    if (recipe->words) {
        writer_bool(json, "hashed", recipe->hashed);
        writer_open(json, "words", '[');
        for (int64_t w = 0; w < names_count(recipe->words); w++)
            writer_string(json, NULL, names_text(recipe->words, w));
        writer_close(json);
    }
    writer_close(json);
}

graco_status preparation_text(char **out, const struct preparation *preparation)
{
    graco_status status = GRACO_OK;
    struct writer *json = NULL;
    TRY(memory_zalloc(&json, 1, sizeof *json));
    json->style = WRITER_DATA;
    writer_open(json, NULL, '{');
    writer_bool(json, "unnamed", preparation->unnamed);
    writer_open(json, "columns", '[');
    for (int64_t c = 0; c < preparation->count; c++)
        put_recipe(json, &preparation->recipes[c]);
    writer_close(json);
    writer_close(json);
    TRY(writer_finish(json));
    TRY(memory_string(out, text_words(&json->text)));
done:
    if (json)
        writer_clear(json);
    memory_free(json);
    return status;
}

static graco_status read_word(int *out, const struct json *object, const char *key,
                              const char *const *words)
{
    const char *text;
    PASS(json_get_string(&text, object, key));
    for (*out = 0; words[*out]; ++*out)
        if (strcmp(text, words[*out]) == 0 && *text)
            return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "'%s' is '%.40s', which is no word for it", key, text);
}

static graco_status read_real(double *out, const struct json *object, const char *key)
{
    if (json_as_double(out, json_find(object, key)) && isfinite(*out))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "'%s' is no finite number", key);
}

static graco_status read_knots(struct recipe *recipe, const struct json *object)
{
    const struct json *list;
    double value;
    PASS(json_get_array(&list, object, "knots"));
    if (json_size(list) != PREPARATION_KNOTS)
        return status_fail(GRACO_ERROR_FORMAT, "%lld knots: expected %d",
                           (long long)json_size(list), (int)PREPARATION_KNOTS);
    PASS(memory_alloc(&recipe->knots, PREPARATION_KNOTS, sizeof *recipe->knots));
    for (int i = 0; i < PREPARATION_KNOTS; i++) {
        bool number = json_as_double(&value, json_at(list, i)) && isfinite((float)value);
        recipe->knots[i] = number ? (float)value : 0;
        if (!number || (i > 0 && recipe->knots[i] < recipe->knots[i - 1]))
            return status_fail(GRACO_ERROR_FORMAT, "knot %d is no number that ascends", i);
    }
    return GRACO_OK;
}

static graco_status read_words(struct recipe *recipe, const struct json *object)
{
    const struct json *list;
    const char *text;
    int32_t number;
    PASS(json_get_bool(&recipe->hashed, object, "hashed"));
    PASS(json_get_array(&list, object, "words"));
    PASS(names_create(&recipe->words));
    for (int64_t w = 0; w < json_size(list); w++) {
        if (!json_as_string(&text, json_at(list, w)) || w >= PREPARATION_ONE_HOT)
            return status_fail(GRACO_ERROR_FORMAT, "%lld words: expected at most %d texts",
                               (long long)json_size(list), (int)PREPARATION_ONE_HOT);
        PASS(names_add(&number, recipe->words, text, (int64_t)strlen(text)));
        if (number != w)
            return status_fail(GRACO_ERROR_FORMAT, "the word '%.40s' stands twice", text);
    }
    return GRACO_OK;
}

static graco_status read_recipe(struct recipe *recipe, const struct json *object)
{
    const char *name;
    int kind = 0, how = 0;
    PASS(json_get_string(&name, object, "name"));
    PASS(memory_string(&recipe->name, name));
    PASS(read_word(&kind, object, "kind", KINDS));
    PASS(read_word(&how, object, "how", HOWS));
    recipe->kind = (enum column_kind)kind;
    recipe->how = (enum preparation_how)how;
    PASS(json_get_bool(&recipe->gaps, object, "gaps"));
    PASS(read_real(&recipe->median, object, "median"));
    PASS(read_real(&recipe->mean, object, "mean"));
    PASS(read_real(&recipe->scale, object, "scale"));
    bool words = recipe->kind == COLUMN_WORDS;
    if (recipe->scale < 0 || (how == PREPARATION_STANDARD && recipe->scale == 0) ||
        (how < PREPARATION_CONSTANT && words != (how == PREPARATION_WORDS)))
        return status_fail(GRACO_ERROR_FORMAT, "column '%.80s' is %s by %s, scale %g", name,
                           KINDS[kind], HOWS[how], recipe->scale);
    if (how == PREPARATION_QUANTILE)
        PASS(read_knots(recipe, object));
    return how == PREPARATION_WORDS ? read_words(recipe, object) : GRACO_OK;
}

graco_status preparation_read(struct preparation **out, const char *text, int64_t length)
{
    graco_status status = GRACO_OK;
    struct json *json = NULL;
    const struct json *list;
    struct preparation *made = NULL;
    TRY(json_parse(&json, text, length));
    TRY(json_get_array(&list, json, "columns"));
    TRY(memory_zalloc(&made, 1, sizeof *made));
    TRY(memory_zalloc(&made->recipes, json_size(list), sizeof *made->recipes));
    made->count = json_size(list);
    TRY(json_get_bool(&made->unnamed, json, "unnamed"));
    for (int64_t c = 0; c < made->count; c++)
        TRY(read_recipe(&made->recipes[c], json_at(list, c)));
    preparation_count(made);
    *out = made;
    made = NULL;
done:
    if (status != GRACO_OK)
        status_context(status, "preparation");
    preparation_free(made);
    json_free(json);
    return status;
}
