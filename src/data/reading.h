/* Readings: where a data set came from and the options that decided what was read, kept by the data
 * set and by a run's config.json, so that it can be read in the same way again. */
#ifndef DATA_READING_H
#define DATA_READING_H

#include "base/status.h"

#include <stdbool.h>

struct json;
struct writer;

/* The source, the table of features, the table of labels. */
enum { READING_PATHS = 3 };

/* Owns its texts, which lie in one block. Starts zeroed. */
struct reading {
    const char *source; /* as it was given; NULL: no file was read */
    graco_load_options
        options; /* as they were given; of a list `undirected` or `directed` is set */
    char *block;
    bool
        undated; /* read from JSON that says nothing on direction: lists were read as directed then */
    /* Of one that was read from JSON: the paths seen from its folder; NULL: it does not say. */
    const char *from_folder[READING_PATHS];
};

/* Fills *out with a copy. In texts, what is not UTF-8 becomes '?', for JSON cannot hold it. */
graco_status reading_copy(struct reading *out, const char *source,
                          const graco_load_options *options);
void reading_clear(struct reading *reading);

/* Writes the reading as fields: `source`, and the options that say anything. Paths of files that are there are also
 * written as they are seen from `folder`, as "source_from_here". */
graco_status reading_put(struct writer *json, const struct reading *reading, const char *folder);

/* Fills *out from such an object; GRACO_ERROR_FORMAT names a field of another type. */
graco_status reading_get(struct reading *out, const struct json *object);

/* Fills *out with the same reading by the paths that are seen from `folder`; without a source if it does not say
 * them. */
graco_status reading_move(struct reading *out, const struct reading *reading, const char *folder);

/* Adds to `options` what they do not say and `reading` does: everything if `source` is the reading's,
 * else only that edges go both ways or have no weights, as a trained encoder expects. Borrows the texts. Fills `note`, of
 * `size` bytes, with what was added; "": nothing. */
void reading_apply(graco_load_options *options, char *note, size_t size,
                   const struct reading *reading, const char *source);

#endif
