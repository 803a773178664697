/* The safetensors format: named tensors and string metadata in one file.
 *
 *     0  length n of the header, 8 bytes, little endian
 *     8  header: {"__metadata__": {"k": "v"}, "name": {"dtype": "F32", "shape": [2, 3],
 *        "data_offsets": [begin, end]}, ...} as JSON, filled with spaces
 *     8 + n  items, little endian; offsets count from here
 *
 * Types F64, F32, I64, I32 and U8. Offsets must be in range, must not overlap, must leave no hole,
 * and must equal shape x size of the type. */
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include "base/status.h"
#include "io/array.h"

struct safetensors;

/* Decodes a whole file in memory. The tensors are copies; nothing refers to `bytes` afterwards. */
graco_status safetensors_decode(struct safetensors **out, const void *bytes, int64_t length);
graco_status safetensors_read(struct safetensors **out, const char *path);
void safetensors_free(struct safetensors *file);

/* The tensors, in the order of their data. Name and array are borrowed; NULL past the end. */
int64_t safetensors_count(const struct safetensors *file);
const char *safetensors_name(const struct safetensors *file, int64_t index);
const struct array *safetensors_at(const struct safetensors *file, int64_t index);

/* The tensor of that name, or NULL. */
const struct array *safetensors_find(const struct safetensors *file, const char *name);

/* The metadata string under `key`, or NULL. Borrowed. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);

struct safetensors_entry {
    const char *name;
    const struct array *array;
};

struct safetensors_pair {
    const char *key, *value;
};

/* Writes tensors in the given order and metadata, atomically. Names must differ; "__metadata__" is
 * not allowed as one. */
graco_status safetensors_write(const char *path, const struct safetensors_entry *entries,
                               int64_t count, const struct safetensors_pair *metadata,
                               int64_t pairs);

#endif
