/* Features in memory, dense or sparse, and dense ones that stay in their file: these are mapped, so
 * that the system reads and drops rows as they are used, and whoever reads them first asks whether
 * the file still has its length. */
#include "data/dataset.h"

#include "base/memory.h"
#include "io/npy.h"

#include <string.h>

struct features_file {
    struct npy_map map;
    char *path;
};

static void file_close(struct features_file *file)
{
    if (!file)
        return;
    npy_map_close(&file->map);
    memory_free(file->path);
    memory_free(file);
}

void features_clear(struct features *features)
{
    if (features->file)
        file_close(features->file); /* the dense rows are in it */
    else if (!features->borrowed)
        memory_free(features->dense);
    csr_clear(&features->sparse);
    *features = (struct features){0};
}

struct features features_of(struct csr matrix)
{
    return (struct features){.rows = matrix.rows, .cols = matrix.cols, .sparse = matrix};
}

void features_borrow(struct features *out, const struct array *array)
{
    if (array->type != ARRAY_F32 || array->ndim != 2 || array->owned || !array->data)
        return; /* no columns have no items, and what is made in their place is owned */
    *out = (struct features){.rows = array->shape[0], .cols = array->shape[1], .borrowed = true};
    memcpy(&out->dense, &array->data, sizeof out->dense);
}

graco_status features_map(struct features *out, struct npy_map *map, const char *path)
{
    graco_status status = GRACO_OK;
    struct features_file *file = NULL;
    const struct array *array = &map->array;
    if (array->type != ARRAY_F32 || array->ndim != 2 || array->owned || array->count == 0)
        goto done;
    TRY(memory_zalloc(&file, 1, sizeof *file));
    TRY(memory_string(&file->path, path));
    file->map = *map;
    *map = (struct npy_map){0};
    features_borrow(out, &file->map.array);
    out->file = file;
    file = NULL;
done:
    file_close(file);
    return status;
}

graco_status features_check(const struct features *features)
{
    if (!features->file)
        return GRACO_OK;
    return file_map_check(&features->file->map.map, features->file->path);
}

graco_status features_check_cols(const struct features *features)
{
    const struct csr *sparse = &features->sparse;
    int64_t entries = sparse->start ? sparse->start[sparse->rows] : 0;
    int64_t most = FEATURES_COLS_PER_ENTRY * entries;
    most = most > FEATURES_COLS ? most : FEATURES_COLS;
    if (!sparse->start || sparse->cols <= most)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "%lld columns of features with %lld entries in all: expected at most %lld "
                       "columns; leave out those that are empty, and number the others anew",
                       (long long)sparse->cols, (long long)entries, (long long)most);
}

graco_status features_densify(graco_matrix *X, const struct features *features)
{
    graco_matrix made = {.rows = features->rows, .cols = features->cols};
    int64_t count = made.rows * made.cols;
    PASS(features_check(features));
    PASS(features_check_cols(features));
    if (features->sparse.start)
        PASS(csr_densify(&made.data, &features->sparse));
    else
        PASS(memory_alloc(&made.data, count, sizeof *made.data));
    if (features->dense)
        memcpy(made.data, features->dense, (size_t)count * sizeof *made.data);
    *X = made;
    return GRACO_OK;
}
