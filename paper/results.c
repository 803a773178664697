/* Tables say what a sample has, and both ways of the file go through them. Words stay in the tree that was
 * read. */
#include "results.h"

#include "base/memory.h"
#include "base/writer.h"
#include "io/files/file.h"
#include "io/files/lock.h"
#include "io/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, FILE_BYTES = 1 << 28, WORD_MOST = 1000, CLASS_MAX = 1 << 30 };

static const double NUMBER_MAX = 1e30; /* squares of such numbers and their sums are finite */

/* ---- What the file has ----------------------------------------------------------------------- */

#define SAMPLE(member, kind) FIELD(struct sample, member, kind)
#define LIST(name, member)                                                                         \
    {                                                                                              \
        name, offsetof(struct sample, member.at), FIELD_REALS_IF,                                  \
            offsetof(struct sample, member.count)                                                  \
    }

static const struct field fields[] = {SAMPLE(key, STRING),
                                      SAMPLE(seed, INT),
                                      SAMPLE(set, STRING_IF),
                                      SAMPLE(method, STRING_IF),
                                      SAMPLE(settings, STRING_IF),
                                      SAMPLE(source, STRING_IF),
                                      SAMPLE(scale, REAL_IF),
                                      SAMPLE(quick, BOOL_IF),
                                      SAMPLE(seedless, BOOL_IF),
                                      SAMPLE(device, STRING_IF),
                                      SAMPLE(epochs, INT_IF),
                                      SAMPLE(train_seconds, REAL_IF),
                                      SAMPLE(eval_seconds, REAL_IF),
                                      SAMPLE(metric, STRING_IF),
                                      SAMPLE(split_seed, INT_IF),
                                      LIST("scores", scores),
                                      {0}};
static const struct field values[] = {
    SAMPLE(loss, REAL_IF),      SAMPLE(mutual_information, REAL_IF),
    SAMPLE(log_n, REAL_IF),     SAMPLE(J_plus_log_n, REAL_IF),
    SAMPLE(i_nce, REAL_IF),     SAMPLE(gap, REAL_IF),
    SAMPLE(minus_l, REAL_IF),   SAMPLE(step_2, REAL_IF),
    SAMPLE(step_3, REAL_IF),    SAMPLE(expansion, REAL_IF),
    SAMPLE(remainder, REAL_IF), SAMPLE(remainder_bound, REAL_IF),
    SAMPLE(nodes, INT_IF),      SAMPLE(edges, INT_IF),
    SAMPLE(self_loops, INT_IF), SAMPLE(duplicates, INT_IF),
    SAMPLE(features, INT_IF),   SAMPLE(classes, INT_IF),
    SAMPLE(graphs, INT_IF),     {0}};
static const struct field curve[] = {
    LIST("epoch", epoch), LIST("loss", losses), LIST("mutual_information", informations), {0}};
static const struct field points[] = {LIST("x", x), LIST("y", y), LIST("class", class_of), {0}};

/* The objects of a sample, and where it is counted how long their lists are. */
static const struct group {
    const char *name; /* NULL: the sample itself */
    const struct field *fields;
    size_t count; /* 0: no list */
} groups[] = {{NULL, fields, 0},
              {"values", values, 0},
              {"curve", curve, offsetof(struct sample, epoch.count)},
              {"points", points, offsetof(struct sample, x.count)}};
enum { GROUPS = sizeof groups / sizeof *groups };

static const struct field made_fields[] = {
    FIELD(struct made, quick, BOOL_IF),     FIELD(struct made, device, STRING_IF),
    FIELD(struct made, machine, STRING_IF), FIELD(struct made, runs, INT_IF),
    FIELD(struct made, splits, INT_IF),     {0}};

struct sample results_sample(void)
{
    struct sample out = {.scale = NAN, .train_seconds = NAN, .eval_seconds = NAN};
    for (const struct field *f = values; f->name; f++)
        if (f->kind == FIELD_REAL_IF)
            *(double *)((char *)&out + f->offset) = NAN;
    return out;
}

double results_value(const struct sample *sample, const char *name)
{
    for (const struct field *f = values; f->name; f++)
        if (f->kind == FIELD_REAL_IF && strcmp(f->name, name) == 0)
            return *(const double *)((const char *)sample + f->offset);
    return NAN;
}

void results_clear(struct sample *sample)
{
    for (int g = 0; g < GROUPS; g++)
        for (const struct field *f = groups[g].fields; f->name; f++)
            if ((f->kind & ~FIELD_IF) == FIELD_REALS)
                memory_free(*(double **)((char *)sample + f->offset));
    memory_free(sample->words);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* All numbers can be drawn; of some that may be missing, NaN is one. */
static graco_status check_fields(const void *from, const struct field *list)
{
    for (const struct field *f = list; f->name; f++) {
        const char *at = (const char *)from + f->offset;
        enum field_kind kind = f->kind & ~FIELD_IF;
        const char *word = kind == FIELD_STRING ? *(const char *const *)at : NULL;
        bool many = kind == FIELD_REALS, may_miss = !many || (list == curve && f > curve);
        const double *number = many ? *(double *const *)at : (const double *)at;
        int64_t count = many                 ? *(const int64_t *)((const char *)from + f->count)
                        : kind == FIELD_REAL ? 1
                                             : 0;
        if (word && strlen(word) > WORD_MOST)
            return status_fail(GRACO_ERROR_FORMAT, "\"%s\" has %lld bytes; expected at most %d",
                               f->name, (long long)strlen(word), WORD_MOST);
        for (int64_t i = 0; i < count; i++)
            if (isnan(number[i]) ? !may_miss : fabs(number[i]) > NUMBER_MAX)
                return status_fail(GRACO_ERROR_FORMAT, "\"%s\" is missing or above %g", f->name,
                                   NUMBER_MAX);
    }
    return GRACO_OK;
}

/* Classes are drawn as whole numbers, counted from the least. */
static graco_status check_classes(const struct list *classes)
{
    for (int64_t i = 0; i < classes->count; i++)
        if (fabs(classes->at[i]) > CLASS_MAX || floor(classes->at[i]) != classes->at[i])
            return status_fail(GRACO_ERROR_FORMAT,
                               "\"class\" has %g, expected whole numbers from -%d to %d",
                               classes->at[i], CLASS_MAX, CLASS_MAX);
    return GRACO_OK;
}

static graco_status check_sample(const struct sample *sample)
{
    for (int g = 0; g < GROUPS; g++)
        PASS(check_fields(sample, groups[g].fields));
    if (sample->losses.count != sample->epoch.count ||
        sample->informations.count != sample->epoch.count || sample->y.count != sample->x.count ||
        sample->class_of.count != sample->x.count)
        return status_fail(GRACO_ERROR_FORMAT, "lists of \"curve\" or \"points\" differ in length");
    PASS(check_classes(&sample->class_of));
    if (sample->seed < 0 || sample->seed == INT64_MAX)
        return status_fail(GRACO_ERROR_FORMAT, "\"seed\" is %lld, expected 0 to %lld",
                           (long long)sample->seed, (long long)INT64_MAX - 1);
    return sample->key ? GRACO_OK : status_fail(GRACO_ERROR_FORMAT, "\"key\" is null");
}

/* What was read stays in *out, also where it fails. */
static graco_status read_sample(struct sample *out, const struct json *object)
{
    *out = results_sample();
    for (int g = 0; g < GROUPS; g++) {
        const struct json *group = groups[g].name ? json_find(object, groups[g].name) : object;
        if (group)
            PASS(json_fields(out, groups[g].fields, group));
    }
    return check_sample(out);
}

static int compare(const struct sample *sample, const char *key, int64_t seed)
{
    int order = strcmp(sample->key, key);
    return order != 0 ? order : (sample->seed > seed) - (sample->seed < seed);
}

static int by_key(const void *a, const void *b)
{
    const struct sample *q = b;
    return compare(a, q->key, q->seed);
}

static graco_status read_tree(struct results *results)
{
    const struct json *list = NULL, *made = json_find(results->tree, "made");
    int64_t format = 0;
    PASS(json_get_int(&format, results->tree, "format"));
    if (format != FORMAT)
        return status_fail(GRACO_ERROR_FORMAT, "\"format\" is %lld, expected %d", (long long)format,
                           FORMAT);
    PASS(json_get_array(&list, results->tree, "samples"));
    if (made)
        PASS(json_fields(&results->made, made_fields, made));
    PASS(check_fields(&results->made, made_fields));
    PASS(memory_reserve(&results->samples, &results->room, 0, json_size(list),
                        sizeof *results->samples));
    for (int64_t i = 0; i < json_size(list); i++) {
        graco_status status = read_sample(&results->samples[results->count++], json_at(list, i));
        if (status != GRACO_OK)
            return status_context(status, "samples[%lld]", (long long)i);
    }
    qsort(results->samples, (size_t)results->count, sizeof *results->samples, by_key);
    for (int64_t i = 1; i < results->count; i++)
        if (by_key(&results->samples[i - 1], &results->samples[i]) == 0)
            return status_fail(GRACO_ERROR_FORMAT, "two samples of %s have the seed %lld",
                               results->samples[i].key, (long long)results->samples[i].seed);
    return GRACO_OK;
}

/* Reads what `results` holds; *out gets it, or it is freed. */
static graco_status finish_open(struct results **out, struct results *results, graco_status status)
{
    if (status == GRACO_OK && results->tree)
        status = read_tree(results);
    *out = status == GRACO_OK ? results : NULL;
    if (status != GRACO_OK)
        results_free(results);
    return status;
}

graco_status results_parse(struct results **out, const void *bytes, int64_t length)
{
    struct results *results = NULL;
    PASS(memory_zalloc(&results, 1, sizeof *results));
    return finish_open(out, results, json_parse(&results->tree, bytes, length));
}

static graco_status take_lock(struct results *results, const char *path)
{
    graco_status status = GRACO_OK;
    char *folder = NULL, *name = NULL;
    TRY(file_parent(&folder, path));
    TRY(memory_path(&name, folder, "lock"));
    TRY(lock_take(&results->lock, name, folder));
done:
    memory_free(folder);
    memory_free(name);
    return status;
}

graco_status results_open(struct results **out, const char *path, bool hold)
{
    struct results *results = NULL;
    PASS(memory_zalloc(&results, 1, sizeof *results));
    graco_status status = hold ? take_lock(results, path) : GRACO_OK;
    if (status == GRACO_OK && file_exists(path))
        status = json_parse_file(&results->tree, path, FILE_BYTES);
    bool parsed = status == GRACO_OK;
    status = finish_open(out, results, status);
    return parsed && status != GRACO_OK ? status_context(status, "%s is no file of samples", path)
                                        : status;
}

void results_free(struct results *results)
{
    if (!results)
        return;
    for (int64_t i = 0; i < results->count; i++)
        results_clear(&results->samples[i]);
    memory_free(results->samples);
    json_free(results->tree);
    results_free(results->merged);
    lock_free(results->lock);
    memory_free(results);
}

/* ---- Finding and adding ---------------------------------------------------------------------- */

/* The place of the first sample that is not before this key and seed. */
static int64_t place_of(const struct results *results, const char *key, int64_t seed)
{
    int64_t low = 0, high = results->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (compare(&results->samples[middle], key, seed) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct sample *find(const struct results *results, const char *key, int64_t seed)
{
    int64_t place = place_of(results, key, seed);
    struct sample *sample = results->samples + place;
    return place < results->count && compare(sample, key, seed) == 0 ? sample : NULL;
}

const struct sample *results_find(const struct results *results, const char *key, int64_t seed)
{
    return find(results, key, seed);
}

int64_t results_range(int64_t *first, const struct results *results, const char *key)
{
    *first = place_of(results, key, INT64_MIN);
    return place_of(results, key, INT64_MAX) - *first;
}

/* Takes samples over; of two with the same key and seed the newer one if `always`, else as results_merge does. */
static graco_status take(struct results *results, int64_t *taken, struct sample *samples,
                         int64_t count, bool always)
{
    int64_t added = 0;
    PASS(memory_reserve(&results->samples, &results->room, results->count, results->count + count,
                        sizeof *samples));
    for (struct sample *theirs = samples; theirs < samples + count; theirs++) {
        struct sample *own = find(results, theirs->key, theirs->seed);
        bool better = always || !own || (own->quick && !theirs->quick);
        if (own)
            results_clear(better ? own : theirs);
        if (better)
            *(own ? own : &results->samples[results->count + added]) = *theirs;
        added += !own;
        *taken += better;
    }
    results->count += added;
    if (added > 0)
        qsort(results->samples, (size_t)results->count, sizeof *samples, by_key);
    return GRACO_OK;
}

graco_status results_add(struct results *results, struct sample *sample)
{
    size_t key = strlen(sample->key) + 1, settings = strlen(sample->settings) + 1;
    int64_t taken = 0;
    graco_status status = memory_alloc(&sample->words, (int64_t)(key + settings), 1);
    if (status == GRACO_OK) {
        sample->key = memcpy(sample->words, sample->key, key);
        sample->settings = memcpy(sample->words + key, sample->settings, settings);
        status = take(results, &taken, sample, 1, true);
    }
    if (status != GRACO_OK)
        results_clear(sample);
    return status;
}

graco_status results_merge(struct results *results, int64_t *taken, struct results *other)
{
    *taken = 0;
    other->merged = results->merged; /* their words are in its tree */
    results->merged = other;
    if (!results->made.device)
        results->made = other->made;
    PASS(take(results, taken, other->samples, other->count, false));
    other->count = 0;
    return GRACO_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* A line for each field of the file, and for each sample. */
graco_status results_save(const struct results *results, const char *path)
{
    struct writer json = {.style = WRITER_LINE};
    struct text *text = &json.text;
    text_print(text, "{\"format\": %d,\n\"graco\": \"%s\",\n\"made\": ", FORMAT, graco_version());
    writer_object(&json, NULL, made_fields, &results->made);
    text_add(text, ",\n\"samples\": [");
    for (int64_t i = 0; i < results->count; i++) {
        const struct sample *sample = &results->samples[i];
        text_add(text, i > 0 ? ",\n" : "\n");
        json.later = false;
        writer_open(&json, NULL, '{');
        for (int g = 0; g < GROUPS; g++)
            if (!groups[g].name)
                writer_fields(&json, groups[g].fields, sample);
            else if (groups[g].count == 0 ||
                     *(const int64_t *)((const char *)sample + groups[g].count) > 0)
                writer_object(&json, groups[g].name, groups[g].fields, sample);
        writer_close(&json);
    }
    text_add(text, "\n]}\n");
    graco_status status = file_write_text(path, text);
    writer_clear(&json);
    return status;
}
