/* A file of samples. Each sample is kept as its text on one line, beside the few fields that it is
 * found by, in the order of key and seed. So a file is a concatenation, and writing it after every
 * sample is cheap. */
#include "results_file.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/lock.h"
#include "io/json/json.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1 };

static const int64_t FILE_LIMIT = INT64_C(1) << 30;

struct entry {
    char *key, *settings, *text;
    int64_t seed;
    bool quick, look_alike;
};

struct results_file {
    struct entry *list; /* (count) by key, then seed; room for `room` */
    int64_t count, room;
    char *made; /* the field "made" as text, or NULL */
    struct lock *lock;
};

static void clear_entry(struct entry *entry)
{
    memory_free(entry->key);
    memory_free(entry->settings);
    memory_free(entry->text);
}

static int compare(const struct entry *entry, const char *key, int64_t seed)
{
    int order = strcmp(entry->key, key);
    return order != 0 ? order : (entry->seed > seed) - (entry->seed < seed);
}

/* The place of the first sample that is not before this key and seed. */
static int64_t find_place(const struct results_file *results, const char *key, int64_t seed)
{
    int64_t low = 0, high = results->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (compare(&results->list[middle], key, seed) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A value on one line; the caller owns the text. */
static graco_status text_of(char **out, const struct json *value)
{
    struct writer json = {.style = WRITER_DATA};
    json_write(&json, NULL, value);
    if (json.text.status == GRACO_OK)
        *out = json.text.bytes;
    else
        memory_free(json.text.bytes);
    return json.text.status;
}

/* Reads the fields that a sample is found by; what it leaves out is empty. */
static graco_status read_entry(struct entry *out, const struct json *sample)
{
    struct entry entry = {0};
    const char *key = NULL, *settings = "", *source = "";
    graco_status status = GRACO_OK;
    TRY(json_get_string(&key, sample, "key"));
    TRY(json_get_int(&entry.seed, sample, "seed"));
    json_as_string(&settings, json_find(sample, "settings"));
    json_as_string(&source, json_find(sample, "source"));
    json_as_bool(&entry.quick, json_find(sample, "quick"));
    entry.look_alike = strcmp(source, "look-alike") == 0;
    TRY(memory_string(&entry.key, key));
    TRY(memory_string(&entry.settings, settings));
    TRY(text_of(&entry.text, sample));
    *out = entry;
    return GRACO_OK;
done:
    clear_entry(&entry);
    return status;
}

/* Puts an entry in its place, which takes it over; on failure the caller keeps it. */
static graco_status put_entry(struct results_file *results, const struct entry *entry)
{
    int64_t place = find_place(results, entry->key, entry->seed);
    if (place < results->count && compare(&results->list[place], entry->key, entry->seed) == 0) {
        clear_entry(&results->list[place]);
        results->list[place] = *entry;
        return GRACO_OK;
    }
    PASS(memory_reserve(&results->list, &results->room, results->count, results->count + 1,
                        sizeof *results->list));
    memmove(&results->list[place + 1], &results->list[place],
            (size_t)(results->count - place) * sizeof *results->list);
    results->list[place] = *entry;
    results->count++;
    return GRACO_OK;
}

static graco_status add_sample(struct results_file *results, const struct json *sample)
{
    struct entry entry = {0};
    PASS(read_entry(&entry, sample));
    graco_status status = put_entry(results, &entry);
    if (status != GRACO_OK)
        clear_entry(&entry);
    return status;
}

static graco_status read_all(struct results_file *results, const struct json *root)
{
    const struct json *samples = NULL;
    int64_t format = 0;
    PASS(json_get_int(&format, root, "format"));
    if (format != FORMAT)
        return status_fail(GRACO_ERROR_FORMAT, "format is %lld; expected %d", (long long)format,
                           FORMAT);
    PASS(json_get_array(&samples, root, "samples"));
    if (json_find(root, "made"))
        PASS(text_of(&results->made, json_find(root, "made")));
    for (int64_t i = 0; i < json_size(samples); i++) {
        graco_status status = add_sample(results, json_at(samples, i));
        if (status != GRACO_OK)
            return status_context(status, "sample %lld", (long long)i);
    }
    return GRACO_OK;
}

static graco_status take_lock(struct results_file *results, const char *path)
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

graco_status results_file_open(struct results_file **out, const char *path, bool hold)
{
    struct results_file *results = NULL;
    struct json *root = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&results, 1, sizeof *results));
    if (hold)
        TRY(take_lock(results, path));
    if (file_exists(path)) {
        TRY(json_parse_file(&root, path, FILE_LIMIT));
        status = read_all(results, root);
        if (status != GRACO_OK) {
            status_context(status, "%s is no file of samples", path);
            goto done;
        }
    }
    *out = results;
    results = NULL;
done:
    json_free(root);
    results_file_free(results);
    return status;
}

void results_file_free(struct results_file *results)
{
    if (!results)
        return;
    for (int64_t i = 0; i < results->count; i++)
        clear_entry(&results->list[i]);
    memory_free(results->list);
    memory_free(results->made);
    lock_free(results->lock);
    memory_free(results);
}

int64_t results_file_count(const struct results_file *results)
{
    return results->count;
}

bool results_file_find(struct results_file_sample *sample, const struct results_file *results,
                       const char *key, int64_t seed)
{
    int64_t place = find_place(results, key, seed < 0 ? INT64_MIN : seed);
    const struct entry *found = &results->list[place];
    if (place == results->count || strcmp(found->key, key) != 0 ||
        (seed >= 0 && found->seed != seed))
        return false;
    if (sample)
        *sample = (struct results_file_sample){
            found->seed, found->settings, found->look_alike ? "look-alike" : "data", found->quick};
    return true;
}

double results_file_value(const struct results_file *results, const char *key, int64_t seed,
                          const char *name)
{
    int64_t place = find_place(results, key, seed);
    double value = NAN;
    struct json *root = NULL;
    if (place < results->count && compare(&results->list[place], key, seed) == 0 &&
        json_parse(&root, results->list[place].text, (int64_t)strlen(results->list[place].text)) ==
            GRACO_OK)
        json_as_double(&value, json_find(json_find(root, "values"), name));
    json_free(root);
    return value;
}

graco_status results_file_add(struct results_file *results, const char *sample)
{
    struct json *root = NULL;
    graco_status status = GRACO_OK;
    TRY(json_parse(&root, sample, (int64_t)strlen(sample)));
    TRY(add_sample(results, root));
done:
    json_free(root);
    return status == GRACO_OK ? status : status_context(status, "a sample");
}

graco_status results_file_merge(struct results_file *results, int64_t *taken,
                                const struct results_file *other)
{
    int64_t count = 0;
    for (int64_t i = 0; i < other->count; i++) {
        const struct entry *theirs = &other->list[i];
        struct results_file_sample ours;
        if (results_file_find(&ours, results, theirs->key, theirs->seed) &&
            (theirs->quick || !ours.quick))
            continue;
        PASS(results_file_add(results, theirs->text));
        count++;
    }
    if (taken)
        *taken = count;
    return results->made || !other->made ? GRACO_OK : memory_string(&results->made, other->made);
}

static graco_status write_text(struct file_writer *file, const char *text)
{
    return file_writer_write(file, text, (int64_t)strlen(text));
}

/* The fields of an object, each with a comma behind it. */
static graco_status write_fields(struct file_writer *file, const struct json *object)
{
    for (int64_t i = 0; i < json_size(object); i++) {
        const struct json *field = json_at(object, i);
        char *text = NULL;
        PASS(text_of(&text, field));
        graco_status status = write_text(file, "\"");
        if (status == GRACO_OK)
            status = write_text(file, field->key); /* ours: nothing in it needs an escape */
        if (status == GRACO_OK)
            status = write_text(file, "\": ");
        if (status == GRACO_OK)
            status = write_text(file, text);
        memory_free(text);
        PASS(status);
        PASS(write_text(file, ",\n"));
    }
    return GRACO_OK;
}

graco_status results_file_save(const struct results_file *results, const char *path,
                               const char *about)
{
    struct json *root = NULL;
    struct file_writer *file = NULL;
    graco_status status = GRACO_OK;
    TRY(json_parse(&root, about, (int64_t)strlen(about)));
    TRY(file_writer_open(&file, path));
    TRY(write_text(file, "{\"format\": 1,\n\"graco\": \"" GRACO_VERSION "\",\n"));
    TRY(write_fields(file, root));
    if (results->made && !json_find(root, "made")) {
        TRY(write_text(file, "\"made\": "));
        TRY(write_text(file, results->made));
        TRY(write_text(file, ",\n"));
    }
    TRY(write_text(file, "\"samples\": [\n"));
    for (int64_t i = 0; i < results->count; i++) {
        TRY(write_text(file, results->list[i].text));
        TRY(write_text(file, i + 1 < results->count ? ",\n" : "\n"));
    }
    TRY(write_text(file, "]}\n"));
    TRY(file_writer_commit(file));
done:
    json_free(root);
    file_writer_free(file);
    return status;
}
