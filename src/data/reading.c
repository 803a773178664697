/* Readings. The options that are texts stand in one table, by which they are copied, written, read and
 * laid over others. */
#include "data/reading.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/files/file.h"
#include "io/json/json.h"

#include <stdio.h>
#include <string.h>

/* Under these names they are in config.json and, with dashes, options of the command. */
static const struct {
    const char *key;
    size_t offset;
} TEXTS[] = {{"features", offsetof(graco_load_options, features_path)},
             {"labels", offsetof(graco_load_options, labels_path)},
             {"source_column", offsetof(graco_load_options, source)},
             {"target_column", offsetof(graco_load_options, target)},
             {"weight_column", offsetof(graco_load_options, weight)},
             {"header", offsetof(graco_load_options, header)},
             {"id_column", offsetof(graco_load_options, id_column)},
             {"delimiter", offsetof(graco_load_options, delimiter)}};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

/* How edges go: both ways, one way, or as the format states it. */
static const char *const DIRECTIONS[] = {"undirected", "directed", "stated", NULL};

/* Where the files are, seen from the folder of a config.json. */
static const char *const FROM_FOLDER[READING_PATHS] = {"source_from_here", "features_from_here",
                                                       "labels_from_here"};

static const char **text_of(graco_load_options *options, int i)
{
    return (const char **)((char *)options + TEXTS[i].offset);
}

/* Path p of a reading; NULL: there is none. */
static const char *path_of(const struct reading *reading, int p)
{
    return (const char *[READING_PATHS]){reading->source, reading->options.features_path,
                                         reading->options.labels_path}[p];
}

void reading_clear(struct reading *reading)
{
    memory_free(reading->block);
    *reading = (struct reading){0};
}

/* Copies a text, which may be NULL, to *at and moves behind it. */
static const char *keep(char **at, const char *text)
{
    char *copy = *at;
    if (!text)
        return NULL;
    memcpy(copy, text, strlen(text) + 1);
    *at += strlen(text) + 1;
    utf8_mend(copy);
    return copy;
}

/* Bytes of a text with its NUL. */
static size_t room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* A copy with paths that are seen from its folder; each may be NULL. */
static graco_status copy_all(struct reading *out, const char *source,
                             const graco_load_options *options,
                             const char *const from_folder[READING_PATHS])
{
    struct reading reading = {.options = *options};
    size_t size = room_of(source);
    for (int i = 0; i < TEXT_COUNT; i++)
        size += room_of(*text_of(&reading.options, i));
    for (int p = 0; p < READING_PATHS; p++)
        size += room_of(from_folder[p]);
    PASS(memory_alloc(&reading.block, (int64_t)size, 1));
    char *at = reading.block;
    reading.source = keep(&at, source);
    for (int i = 0; i < TEXT_COUNT; i++)
        *text_of(&reading.options, i) = keep(&at, *text_of(&reading.options, i));
    for (int p = 0; p < READING_PATHS; p++)
        reading.from_folder[p] = keep(&at, from_folder[p]);
    *out = reading;
    return GRACO_OK;
}

graco_status reading_copy(struct reading *out, const char *source,
                          const graco_load_options *options)
{
    return copy_all(out, source, options, (const char *const[READING_PATHS]){0});
}

/* A data set that was found by its name is left out: it is found so again. */
static graco_status put_places(struct writer *json, const struct reading *reading,
                               const char *folder)
{
    graco_status status = GRACO_OK;
    char *seen = NULL;
    for (int p = 0; p < READING_PATHS; p++) {
        const char *path = path_of(reading, p);
        if (!path || !file_exists(path))
            continue;
        TRY(file_seen_from(&seen, path, folder));
        if (seen && !seen[utf8_prefix(seen)]) /* JSON holds nothing else */
            writer_string(json, FROM_FOLDER[p], seen);
        memory_free(seen);
        seen = NULL;
    }
done:
    memory_free(seen);
    return status;
}

static int direction_of(const graco_load_options *options)
{
    return options->undirected ? 0 : options->directed ? 1 : 2;
}

graco_status reading_put(struct writer *json, const struct reading *reading, const char *folder)
{
    graco_load_options options = reading->options;
    writer_string(json, "source", reading->source);
    PASS(put_places(json, reading, folder));
    for (int i = 0; i < TEXT_COUNT; i++)
        if (*text_of(&options, i))
            writer_string(json, TEXTS[i].key, *text_of(&options, i));
    writer_string(json, "direction", DIRECTIONS[direction_of(&options)]);
    if (options.unweighted)
        writer_bool(json, "unweighted", true);
    if (options.count_repeats)
        writer_bool(json, "count_repeats", true);
    return GRACO_OK;
}

/* Runs had `undirected` or nothing before they had `direction`. */
static graco_status get_direction(graco_load_options *options, const struct json *object)
{
    const char *word = NULL;
    if (json_find(object, "undirected"))
        PASS(json_get_bool(&options->undirected, object, "undirected"));
    if (!json_find(object, "direction"))
        return GRACO_OK;
    PASS(json_get_string(&word, object, "direction"));
    for (int i = 0; DIRECTIONS[i]; i++) {
        if (strcmp(word, DIRECTIONS[i]) != 0)
            continue;
        options->undirected = i == 0;
        options->directed = i == 1;
        return GRACO_OK;
    }
    return status_fail(GRACO_ERROR_FORMAT,
                       "direction '%s': expected undirected, directed or stated", word);
}

graco_status reading_get(struct reading *out, const struct json *object)
{
    graco_load_options options = {0};
    const char *source, *from_folder[READING_PATHS] = {0};
    PASS(json_get_string(&source, object, "source"));
    for (int p = 0; p < READING_PATHS; p++)
        if (json_find(object, FROM_FOLDER[p]))
            PASS(json_get_string(&from_folder[p], object, FROM_FOLDER[p]));
    for (int i = 0; i < TEXT_COUNT; i++)
        if (json_find(object, TEXTS[i].key))
            PASS(json_get_string(text_of(&options, i), object, TEXTS[i].key));
    PASS(get_direction(&options, object));
    if (json_find(object, "unweighted"))
        PASS(json_get_bool(&options.unweighted, object, "unweighted"));
    if (json_find(object, "count_repeats"))
        PASS(json_get_bool(&options.count_repeats, object, "count_repeats"));
    PASS(copy_all(out, source, &options, from_folder));
    out->undated = !json_find(object, "direction");
    return GRACO_OK;
}

graco_status reading_move(struct reading *out, const struct reading *reading, const char *folder)
{
    graco_load_options options = reading->options;
    char *path[READING_PATHS] = {0};
    graco_status status = GRACO_OK;
    for (int p = 0; reading->from_folder[0] && p < READING_PATHS; p++)
        if (reading->from_folder[p])
            TRY(memory_path(&path[p], folder, reading->from_folder[p]));
    options.features_path = path[1] ? path[1] : options.features_path;
    options.labels_path = path[2] ? path[2] : options.labels_path;
    if (path[0]) {
        TRY(reading_copy(out, path[0], &options));
        out->undated = reading->undated;
    }
done:
    for (int p = 0; p < READING_PATHS; p++)
        memory_free(path[p]);
    return status;
}

/* Adds ", WORD VALUE" to a note; what does not fit is cut. */
static void add_note(char *note, size_t size, const char *word, const char *value)
{
    size_t used = strlen(note);
    snprintf(note + used, size - used, "%s%s%s%s", used > 0 ? ", " : "", word, *value ? " " : "",
             value);
}

void reading_apply(graco_load_options *options, char *note, size_t size,
                   const struct reading *reading, const char *source)
{
    graco_load_options was = reading->options;
    bool same = reading->source && strcmp(reading->source, source) == 0;
    *note = '\0';
    for (int i = 0; same && i < TEXT_COUNT; i++) {
        if (*text_of(options, i) || !*text_of(&was, i))
            continue;
        *text_of(options, i) = *text_of(&was, i);
        add_note(note, size, TEXTS[i].key, *text_of(&was, i));
    }
    if (!options->undirected && !options->directed) {
        options->undirected = was.undirected;
        options->directed = was.directed || (reading->undated && !was.undirected);
        if (was.undirected && !same) /* elsewhere the table's own note says it */
            add_note(note, size, "undirected", "");
    }
    if (same && was.count_repeats && !options->count_repeats) {
        options->count_repeats = true;
        add_note(note, size, "count_repeats", "");
    }
    if (was.unweighted && !options->unweighted) {
        options->unweighted = true;
        add_note(note, size, "unweighted", "");
    }
}
