/* Rows are read from the mapped file and names from theirs, when they are asked for, so that embeddings may be
 * larger than memory. */
#include "run/embeddings.h"

#include "base/memory.h"
#include "graco_more.h"
#include "io/name_find.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool embeddings_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

graco_status embeddings_names_beside(char **out, const char *path)
{
    static const char ending[] = ".node_ids.txt";
    size_t length = strlen(path) - (embeddings_ends_with(path, ".npy") ? 4 : 0);
    PASS(memory_alloc(out, (int64_t)(length + sizeof ending), 1));
    memcpy(*out, path, length);
    memcpy(*out + length, ending, sizeof ending);
    return GRACO_OK;
}

graco_status embeddings_fail_none(const char *folder)
{
    return status_fail(GRACO_ERROR_IO,
                       "%s has no embeddings of its last checkpoint; finish it with graco train "
                       "--resume, or write them: graco embed %s DATASET -o %s/embeddings.npy",
                       folder, folder, folder);
}

/* The two files. Those of a run stand in its folder, which goes to *folder. */
static graco_status find_files(struct embeddings *out, char **folder, const char *from)
{
    bool of_run = file_is_folder(from) || strcmp(from, "embeddings.npy") == 0 ||
                  embeddings_ends_with(from, "/embeddings.npy");
    if (!of_run) {
        PASS(memory_string(&out->matrix_path, from));
        return embeddings_names_beside(&out->names_path, from);
    }
    PASS(file_is_folder(from) ? memory_string(folder, from) : file_parent(folder, from));
    PASS(memory_path(&out->matrix_path, *folder, "embeddings.npy"));
    return memory_path(&out->names_path, *folder, "node_ids.txt");
}

/* A training that has not ended has no embeddings, or empty ones. */
static graco_status open_matrix(struct embeddings *out, const char *folder)
{
    const char *path = out->matrix_path;
    const struct array *array = &out->matrix.array;
    bool begun = folder && graco_run_look(folder).begun;
    uint8_t first;
    int64_t length = 0;
    if (!begun || file_exists(path))
        PASS(file_head(&first, &length, path, 1));
    if (length == 0 && begun)
        return embeddings_fail_none(folder);
    if (length == 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s is empty: expected the embeddings of a training that has ended",
                           path);
    PASS(npy_map_open(&out->matrix, path));
    if (array->ndim != 2)
        return status_fail(GRACO_ERROR_FORMAT, "%s: has %d dimensions; expected a matrix", path,
                           array->ndim);
    out->rows = array->shape[0];
    out->cols = array->shape[1];
    return GRACO_OK;
}

static graco_status open_names(struct embeddings *out)
{
    if (!file_exists(out->names_path))
        return GRACO_OK;
    PASS(file_map_open(&out->names, out->names_path));
    int64_t count = name_lines_count(out->names.data, out->names.length);
    name_lines_init(&out->lines, out->names.data, out->names.length);
    if (count != out->rows)
        return status_fail(
            GRACO_ERROR_FORMAT, "%s has %lld names: expected %lld, one for each row of %s",
            out->names_path, (long long)count, (long long)out->rows, out->matrix_path);
    return GRACO_OK;
}

graco_status embeddings_open(struct embeddings *out, const char *from)
{
    char *folder = NULL;
    graco_status status = GRACO_OK;
    TRY(find_files(out, &folder, from));
    TRY(open_matrix(out, folder));
    TRY(open_names(out));
done:
    memory_free(folder);
    return status;
}

void embeddings_close(struct embeddings *embeddings)
{
    name_lines_clear(&embeddings->lines);
    file_map_close(&embeddings->names);
    npy_map_close(&embeddings->matrix);
    memory_free(embeddings->matrix_path);
    memory_free(embeddings->names_path);
}

/* ---- Names ----------------------------------------------------------------------------------- */

graco_status embeddings_next_name(const char **name, struct embeddings *embeddings)
{
    graco_status status = name_lines_next(name, &embeddings->lines);
    return status == GRACO_OK ? status : status_context(status, "%s", embeddings->names_path);
}

void embeddings_rewind(struct embeddings *embeddings)
{
    embeddings->lines.at = (const char *)embeddings->names.data;
    embeddings->lines.line = 0;
}

graco_status embeddings_read_names(char ***out, struct embeddings *embeddings)
{
    graco_status status = GRACO_OK;
    char **names = NULL, *block = NULL;
    const char *name;
    int64_t used = 0;
    if (!embeddings->names.data || embeddings->rows == 0)
        return GRACO_OK;
    TRY(memory_alloc(&names, embeddings->rows, sizeof *names));
    /* A name takes no more bytes than its line, whose end makes room for the NUL. */
    TRY(memory_alloc(&block, embeddings->names.length + 1, 1));
    embeddings_rewind(embeddings);
    for (int64_t i = 0; i < embeddings->rows; i++) {
        TRY(embeddings_next_name(&name, embeddings));
        names[i] = block + used;
        used += (int64_t)strlen(name) + 1;
        memcpy(names[i], name, strlen(name) + 1);
    }
    *out = names;
    names = NULL;
    block = NULL;
done:
    memory_free(block);
    memory_free(names);
    return status;
}

void embeddings_free_names(char **names)
{
    if (names)
        memory_free(names[0]);
    memory_free(names);
}

/* A name_at_fn. */
static graco_status name_at(const char **name, void *user, int64_t row)
{
    (void)row;
    return embeddings_next_name(name, user);
}

graco_status embeddings_find(int64_t *rows, struct embeddings *embeddings, const char *const *of,
                             int64_t count)
{
    const struct name_rows all = {embeddings->rows, embeddings->names.data ? name_at : NULL,
                                  embeddings};
    if (embeddings->names.data)
        embeddings_rewind(embeddings);
    graco_status status = name_find(rows, of, count, &all);
    if (embeddings->names.data)
        embeddings_rewind(embeddings);
    return status;
}
