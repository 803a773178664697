/* The file as a tree, and what the report needs of it in plain structs. Strings stay in the tree;
 * arrays are blocks of their own, in one list that is freed at the end. The samples' part is here,
 * that of items, claims and explanations in results_items.c. */
#include "results_read.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, FILE_BYTES = 1 << 28 };

static const double NUMBER_MAX = 1e30; /* squares of such numbers and their sums are finite */

struct results_block {
    struct results_block *next;
};

graco_status results_take(void *out, struct results *results, int64_t count, size_t size)
{
    char *block = NULL;
    struct results_block *head;
    if (size > 0 && count > INT64_MAX / (int64_t)size - MEMORY_ALIGNMENT)
        return status_fail(GRACO_ERROR_MEMORY, "%lld items are too many", (long long)count);
    PASS(memory_zalloc(&block, MEMORY_ALIGNMENT + count * (int64_t)size, 1));
    head = (struct results_block *)block;
    head->next = results->blocks;
    results->blocks = head;
    block += MEMORY_ALIGNMENT;
    memcpy(out, &block, sizeof block);
    return GRACO_OK;
}

graco_status results_list(const struct json **out, const struct json *object, const char *key,
                          int64_t most)
{
    PASS(json_get_array(out, object, key));
    if (json_size(*out) > most)
        return status_fail(GRACO_ERROR_FORMAT, "\"%s\" has %lld items, expected at most %lld", key,
                           (long long)json_size(*out), (long long)most);
    return GRACO_OK;
}

/* Words are written again and again, a column's once for each row. */
static graco_status check_word(const char *word, const char *key)
{
    enum { WORD_MOST = 1000 };
    size_t length = strlen(word);
    return length <= WORD_MOST
               ? GRACO_OK
               : status_fail(GRACO_ERROR_FORMAT, "\"%s\" has %lld bytes; expected at most %d", key,
                             (long long)length, WORD_MOST);
}

graco_status results_word(const char **out, const struct json *object, const char *key,
                          const char *otherwise)
{
    const struct json *value = json_find(object, key);
    *out = otherwise;
    if (otherwise && (!value || value->kind == JSON_KIND_NULL))
        return GRACO_OK;
    PASS(json_get_string(out, object, key));
    return check_word(*out, key);
}

graco_status results_words(struct results_words *out, struct results *results,
                           const struct json *object, const char *key, int64_t most)
{
    const struct json *list = NULL;
    PASS(results_list(&list, object, key, most));
    PASS(results_take(&out->at, results, json_size(list), sizeof *out->at));
    out->count = json_size(list);
    for (int64_t i = 0; i < out->count; i++) {
        if (!json_as_string(&out->at[i], json_at(list, i)))
            return status_fail(GRACO_ERROR_FORMAT, "\"%s\"[%lld] is no string", key, (long long)i);
        PASS(check_word(out->at[i], key));
    }
    return GRACO_OK;
}

/* A number, or NaN for null where that is allowed. */
static bool as_number(double *out, const struct json *value, bool may_miss)
{
    *out = NAN;
    if (!value || value->kind == JSON_KIND_NULL)
        return may_miss;
    return json_as_double(out, value) && fabs(*out) <= NUMBER_MAX;
}

graco_status results_number(double *out, const struct json *object, const char *key)
{
    if (as_number(out, json_find(object, key), true))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "\"%s\" is no number up to 1e30, and not null", key);
}

graco_status results_numbers(struct results_numbers *out, struct results *results,
                             const struct json *list, const char *key, bool may_miss)
{
    if (!list || list->kind != JSON_KIND_ARRAY)
        return status_fail(GRACO_ERROR_FORMAT, "\"%s\" is no array of numbers", key);
    PASS(results_take(&out->at, results, json_size(list), sizeof *out->at));
    out->count = json_size(list);
    for (int64_t i = 0; i < out->count; i++)
        if (!as_number(&out->at[i], json_at(list, i), may_miss))
            return status_fail(GRACO_ERROR_FORMAT, "\"%s\"[%lld] is no number up to 1e30", key,
                               (long long)i);
    return GRACO_OK;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Fields of an object, each an array; all as long as the first. */
static graco_status read_columns(struct results_numbers *const *columns, const char *const *keys,
                                 int count, struct results *results, const struct json *object)
{
    for (int c = 0; c < count; c++) {
        const struct json *list = json_find(object, keys[c]);
        if (json_size(list) > RESULTS_POINTS)
            return status_fail(GRACO_ERROR_FORMAT, "\"%s\" has %lld numbers, expected at most %d",
                               keys[c], (long long)json_size(list), RESULTS_POINTS);
        PASS(results_numbers(columns[c], results, list, keys[c], c > 0));
        if (columns[c]->count != columns[0]->count)
            return status_fail(GRACO_ERROR_FORMAT, "\"%s\" has %lld numbers, \"%s\" %lld", keys[c],
                               (long long)columns[c]->count, keys[0], (long long)columns[0]->count);
    }
    return GRACO_OK;
}

/* The class of one point: its number, or its name, as a word. */
static graco_status class_word(const char **out, struct results *results, const struct json *value)
{
    int64_t number = 0;
    char *word = NULL;
    if (json_as_string(out, value))
        return GRACO_OK;
    if (!json_as_int(&number, value))
        return status_fail(GRACO_ERROR_FORMAT, "a class is neither a number nor a name");
    PASS(results_take(&word, results, 24, 1));
    snprintf(word, 24, "%lld", (long long)number);
    *out = word;
    return GRACO_OK;
}

/* Whether value is that class, without making a word of a number. */
static bool is_class(const struct json *a, const struct json *b)
{
    int64_t m = 0, n = 0;
    const char *p = NULL, *q = NULL;
    if (json_as_int(&m, a) && json_as_int(&n, b))
        return m == n;
    return json_as_string(&p, a) && json_as_string(&q, b) && strcmp(p, q) == 0;
}

static int by_class(const void *a, const void *b)
{
    const struct json *const *p = a, *const *q = b;
    int64_t m = 0, n = 0;
    const char *v = NULL, *w = NULL;
    if (json_as_int(&m, *p) && json_as_int(&n, *q))
        return (m > n) - (m < n);
    bool v_word = json_as_string(&v, *p), w_word = json_as_string(&w, *q);
    return v_word && w_word ? strcmp(v, w) : (int)v_word - (int)w_word;
}

/* Numbers the classes of the points in their order: sorted, each once. */
static graco_status read_classes(struct results_sample *out, struct results *results,
                                 const struct json *list)
{
    const struct json **sorted = NULL;
    int64_t count = json_size(list), classes = 0;
    if (count != out->x.count)
        return status_fail(GRACO_ERROR_FORMAT, "\"class\" has %lld items, \"x\" %lld",
                           (long long)count, (long long)out->x.count);
    PASS(results_take(&sorted, results, count, sizeof *sorted));
    PASS(results_take(&out->class_of, results, count, sizeof *out->class_of));
    PASS(results_take(&out->class_names, results, RESULTS_CLASSES, sizeof *out->class_names));
    for (int64_t i = 0; i < count; i++)
        sorted[i] = json_at(list, i);
    qsort(sorted, (size_t)count, sizeof *sorted, by_class);
    for (int64_t i = 0; i < count; i++) {
        if (classes > 0 && is_class(sorted[i], sorted[classes - 1]))
            continue;
        if (classes == RESULTS_CLASSES)
            return status_fail(GRACO_ERROR_FORMAT, "more than %d classes", RESULTS_CLASSES);
        PASS(class_word(&out->class_names[classes], results, sorted[i]));
        sorted[classes++] = sorted[i];
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < classes; c++)
            if (is_class(json_at(list, i), sorted[c]))
                out->class_of[i] = (int32_t)c;
    out->classes = classes;
    return GRACO_OK;
}

static graco_status read_sample(struct results_sample *out, struct seed_scores *scores,
                                struct results *results, const struct json *object)
{
    const struct json *list = NULL, *curve = json_find(object, "curve"),
                      *points = json_find(object, "points"), *values = json_find(object, "values");
    struct results_numbers numbers = {0};
    const char *source = NULL;
    PASS(results_word(&out->key, object, "key", NULL));
    PASS(results_word(&out->set, object, "set", ""));
    PASS(results_word(&out->method, object, "method", ""));
    PASS(results_word(&out->metric, object, "metric", "score"));
    PASS(results_word(&source, object, "source", "data"));
    out->look_alike = strcmp(source, "look-alike") == 0;
    json_as_bool(&out->quick, json_find(object, "quick"));
    json_as_bool(&scores->seedless, json_find(object, "seedless"));
    PASS(json_get_int(&scores->seed, object, "seed"));
    json_as_int(&scores->split_seed, json_find(object, "split_seed"));
    if (json_find(object, "scores")) {
        PASS(results_list(&list, object, "scores", RESULTS_SPLITS));
        PASS(results_numbers(&numbers, results, list, "scores", false));
    }
    scores->splits = numbers.count;
    scores->scores = numbers.at;
    if (json_size(values) > RESULTS_VALUES)
        return status_fail(GRACO_ERROR_FORMAT, "\"values\" has more than %d numbers",
                           RESULTS_VALUES);
    out->values = values && values->kind == JSON_KIND_OBJECT ? values : NULL;
    if (json_size(curve) > 0)
        PASS(read_columns((struct results_numbers *[]){&out->epoch, &out->loss, &out->information},
                          (const char *[]){"epoch", "loss", "mutual_information"}, 3, results,
                          curve));
    if (json_size(points) > 0) {
        PASS(read_columns((struct results_numbers *[]){&out->x, &out->y},
                          (const char *[]){"x", "y"}, 2, results, points));
        PASS(read_classes(out, results, json_find(points, "class")));
    }
    return GRACO_OK;
}

/* One of the values of a sample. */
struct named {
    const char *name;
    int64_t sample;
    double value;
};

static int by_name(const void *a, const void *b)
{
    const struct named *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order != 0 ? order : (p->sample > q->sample) - (p->sample < q->sample);
}

/* Summarises named numbers (count) that have one name. */
static struct summary summarise(const struct named *named, int64_t count)
{
    struct moments over_seeds = {0};
    for (int64_t i = 0; i < count; i++)
        moments_add(&over_seeds, named[i].value);
    return (struct summary){.seeds = count,
                            .splits = 1,
                            .mean = over_seeds.mean,
                            .error = moments_error(&over_seeds),
                            .spread = NAN};
}

/* Summarises the values of the samples from `first` to `end`, name by name, so that no cell has to. */
static graco_status read_values(struct results_key *out, struct results *results, int64_t first,
                                int64_t end)
{
    struct named *named = NULL;
    int64_t count = 0, names = 0;
    for (int64_t i = first; i < end; i++)
        count += json_size(results->samples[i].values);
    PASS(results_take(&named, results, count, sizeof *named));
    count = 0;
    for (int64_t i = first; i < end; i++) {
        const struct json *value, *values = results->samples[i].values;
        for (int64_t v = 0; (value = json_at(values, v)); v++) {
            struct named *one = &named[count];
            *one = (struct named){.name = value->key, .sample = i};
            count += as_number(&one->value, value, false);
        }
    }
    qsort(named, (size_t)count, sizeof *named, by_name);
    for (int64_t i = 0; i < count; i++)
        names += i == 0 || strcmp(named[i].name, named[i - 1].name) != 0;
    PASS(results_take(&out->values, results, names, sizeof *out->values));
    for (int64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(named[i].name, named[next].name) == 0;)
            next++;
        out->values[out->value_count++] =
            (struct results_value){named[i].name, summarise(&named[i], next - i)};
    }
    return GRACO_OK;
}

/* What the samples from `first` to `end` have in common, whose key is the same. */
static graco_status read_key(struct results *results, int64_t first, int64_t end)
{
    struct results_key *key = &results->keys[first];
    key->scores = statistics_summary(&results->scores[first], end - first);
    for (int64_t i = first; i < end; i++) {
        const struct results_sample *sample = &results->samples[i];
        key->set = sample->set;
        if (sample->look_alike)
            key->state = RESULTS_LOOKALIKE;
        else if (sample->quick && key->state == RESULTS_RUN)
            key->state = RESULTS_QUICK;
    }
    return read_values(key, results, first, end);
}

/* A sample and its scores, while they are put in order. */
struct pair {
    struct results_sample sample;
    struct seed_scores scores;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    int order = strcmp(p->sample.key, q->sample.key);
    return order != 0 ? order
                      : (p->scores.seed > q->scores.seed) - (p->scores.seed < q->scores.seed);
}

static graco_status read_samples(struct results *results, const struct json *root)
{
    const struct json *list = NULL;
    struct pair *pairs = NULL;
    PASS(json_get_array(&list, root, "samples"));
    int64_t count = json_size(list), same = 0;
    PASS(results_take(&pairs, results, count, sizeof *pairs));
    PASS(results_take(&results->samples, results, count, sizeof *results->samples));
    PASS(results_take(&results->scores, results, count, sizeof *results->scores));
    PASS(results_take(&results->keys, results, count, sizeof *results->keys));
    for (int64_t i = 0; i < count; i++) {
        graco_status status =
            read_sample(&pairs[i].sample, &pairs[i].scores, results, json_at(list, i));
        if (status != GRACO_OK)
            return status_context(status, "samples[%lld]", (long long)i);
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_key);
    for (int64_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(pairs[i].sample.key, pairs[i - 1].sample.key) == 0;
        same = again ? same + 1 : 0;
        if (again && pairs[i].scores.seed == pairs[i - 1].scores.seed)
            return status_fail(GRACO_ERROR_FORMAT, "two samples of one key have the seed %lld",
                               (long long)pairs[i].scores.seed);
        if (same >= RESULTS_RUNS)
            return status_fail(GRACO_ERROR_FORMAT, "more than %d samples of one key", RESULTS_RUNS);
        results->samples[i] = pairs[i].sample;
        results->scores[i] = pairs[i].scores;
    }
    results->sample_count = count;
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(pairs[i].sample.key, pairs[end].sample.key) == 0;)
            end++;
        PASS(read_key(results, i, end));
    }
    return GRACO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static graco_status read_made(struct results *results, const struct json *root)
{
    const struct json *made = json_find(root, "made");
    int64_t format = 0;
    PASS(json_get_int(&format, root, "format"));
    if (format != FORMAT)
        return status_fail(GRACO_ERROR_FORMAT, "\"format\" is %lld, expected %d", (long long)format,
                           FORMAT);
    PASS(results_word(&results->version, root, "graco", ""));
    PASS(results_word(&results->device, made, "device", ""));
    PASS(results_word(&results->machine, made, "machine", ""));
    json_as_bool(&results->quick, json_find(made, "quick"));
    json_as_int(&results->runs, json_find(made, "runs"));
    json_as_int(&results->splits, json_find(made, "splits"));
    return GRACO_OK;
}

/* Takes the tree over, also where it fails. */
static graco_status read_tree(struct results **out, struct json *tree)
{
    struct results *results = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&results, 1, sizeof *results));
    results->tree = tree;
    tree = NULL;
    TRY(read_made(results, results->tree));
    TRY(read_samples(results, results->tree));
    TRY(results_read_items(results, results->tree));
    *out = results;
    results = NULL;
done:
    json_free(tree);
    results_free(results);
    return status;
}

graco_status results_parse(struct results **out, const void *bytes, int64_t length)
{
    struct json *tree = NULL;
    *out = NULL;
    PASS(json_parse(&tree, bytes, length));
    return read_tree(out, tree);
}

graco_status results_read(struct results **out, const char *path)
{
    struct json *tree = NULL;
    *out = NULL;
    PASS(json_parse_file(&tree, path, FILE_BYTES));
    graco_status status = read_tree(out, tree);
    return status == GRACO_OK ? status : status_context(status, "%s", path);
}

void results_free(struct results *results)
{
    if (!results)
        return;
    while (results->blocks) {
        struct results_block *next = results->blocks->next;
        memory_free(results->blocks);
        results->blocks = next;
    }
    json_free(results->tree);
    memory_free(results);
}

/* ---- Looking up ------------------------------------------------------------------------------ */

/* The first sample whose key is not below, or with `past` is above, this one. */
static int64_t bound(const struct results *results, const char *key, bool past)
{
    int64_t low = 0, high = results->sample_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = strcmp(results->samples[middle].key, key);
        if (order < 0 || (past && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void results_find(int64_t *first, int64_t *count, const struct results *results, const char *key)
{
    *first = bound(results, key, false);
    *count = bound(results, key, true) - *first;
}

const struct results_key *results_key(const struct results *results, const char *key)
{
    int64_t first, count;
    results_find(&first, &count, results, key);
    return count > 0 ? &results->keys[first] : NULL;
}

struct summary results_summary(const struct results_key *key, const char *value)
{
    int64_t low = 0, high = key ? key->value_count : 0;
    if (key && strcmp(value, "scores") == 0)
        return key->scores;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int order = strcmp(key->values[middle].name, value);
        if (order == 0)
            return key->values[middle].summary;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (struct summary){.mean = NAN, .error = NAN, .spread = NAN};
}

const char *results_explanation(const struct results *results, const char *key)
{
    for (int64_t i = 0; i < results->explanation_count; i++)
        if (strcmp(results->explanations[i].key, key) == 0)
            return results->explanations[i].text;
    return NULL;
}
