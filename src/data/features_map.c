/* Features that stay in their file. */
#include "data/dataset.h"

#include "base/memory.h"
#include "io/npy.h"

#include <string.h>

struct features_file {
    struct npy_map map;
    char *path;
};

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
    *out = (struct features){
        .rows = file->map.array.shape[0], .cols = file->map.array.shape[1], .file = file};
    memcpy(&out->dense, &file->map.array.data, sizeof out->dense);
    file = NULL;
done:
    features_file_close(file);
    return status;
}

graco_status features_check(const struct features *features)
{
    if (!features->file)
        return GRACO_OK;
    return file_map_check(&features->file->map.map, features->file->path);
}

void features_file_close(struct features_file *file)
{
    if (!file)
        return;
    npy_map_close(&file->map);
    memory_free(file->path);
    memory_free(file);
}
