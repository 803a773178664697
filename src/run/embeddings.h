/* Embeddings on disk: a .npy file, used in place, and the names of the rows in the text file beside it. */
#ifndef RUN_EMBEDDINGS_H
#define RUN_EMBEDDINGS_H

#include "io/name_lines.h"
#include "io/npy.h"

/* Starts zeroed. */
struct embeddings {
    char *matrix_path, *names_path;
    struct npy_map matrix;
    struct file_map names;   /* data is NULL where there are none */
    struct name_lines lines; /* over `names`; embeddings_rewind begins again */
    int64_t rows, cols;
};

/* Opens those of a run folder, or a .npy file; GRACO_ERROR_IO for a run folder that has none of its last
 * checkpoint. Reads neither rows nor names. A failure leaves what embeddings_close frees. */
graco_status embeddings_open(struct embeddings *out, const char *from);
/* Says that a training has no embeddings of its last checkpoint: GRACO_ERROR_IO. */
graco_status embeddings_fail_none(const char *folder);
void embeddings_close(struct embeddings *embeddings);

/* The names of all rows, in one block behind the first; *out stays NULL where there are none. It ends with
 * embeddings_free_names. */
graco_status embeddings_read_names(char ***out, struct embeddings *embeddings);
void embeddings_free_names(char **names);

/* The next name, valid until the next one. A name_at_fn without the row. */
graco_status embeddings_next_name(const char **name, struct embeddings *embeddings);
void embeddings_rewind(struct embeddings *embeddings);

/* The rows (count) of nodes by name where there are names, else by number. */
graco_status embeddings_find(int64_t *rows, struct embeddings *embeddings, const char *const *of,
                             int64_t count);

/* NAME.node_ids.txt for NAME.npy. The caller owns *out. */
graco_status embeddings_names_beside(char **out, const char *path);

bool embeddings_ends_with(const char *text, const char *ending);

#endif
