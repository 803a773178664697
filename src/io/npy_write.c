/* Writing .npy: version 1.0, C order, the byte order of this machine. */
#include "io/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void type_text(char text[32], const struct array *array)
{
    static const char kinds[] = {
        [ARRAY_BOOL] = 'b',  [ARRAY_I8] = 'i',   [ARRAY_I16] = 'i', [ARRAY_I32] = 'i',
        [ARRAY_I64] = 'i',   [ARRAY_U8] = 'u',   [ARRAY_U16] = 'u', [ARRAY_U32] = 'u',
        [ARRAY_U64] = 'u',   [ARRAY_F16] = 'f',  [ARRAY_F32] = 'f', [ARRAY_F64] = 'f',
        [ARRAY_BYTES] = 'S', [ARRAY_TEXT] = 'U',
    };
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    char order = array->size == 1 || array->type == ARRAY_BYTES ? '|' : first ? '<' : '>';
    snprintf(text, 32, "%c%c%" PRId64, order, kinds[array->type],
             array->type == ARRAY_TEXT ? array->size / 4 : array->size);
}

graco_status npy_header(char header[NPY_HEADER_MAX], int64_t *length, const struct array *array)
{
    char type[32];
    if (array->type >= ARRAY_OBJECT || array->ndim < 0 || array->ndim > ARRAY_DIMENSIONS)
        return status_fail(GRACO_ERROR_ARGUMENT, "an array of %s items cannot be written as .npy",
                           array_type_name(array->type));
    type_text(type, array);
    int used =
        snprintf(header, NPY_HEADER_MAX,
                 "\x93NUMPY%c%c??{'descr': '%s', 'fortran_order': False, 'shape': (", 1, 0, type);
    /* The version's second byte is a NUL, which snprintf writes as any other character. */
    for (int d = 0; d < array->ndim; d++)
        used += snprintf(header + used, (size_t)(NPY_HEADER_MAX - used), "%s%" PRId64 "%s",
                         d > 0 ? " " : "", array->shape[d],
                         d + 1 < array->ndim || array->ndim == 1 ? "," : "");
    used += snprintf(header + used, (size_t)(NPY_HEADER_MAX - used), "), }");
    int total = (used + 1 + 63) / 64 * 64; /* at most 8 x 21 + 80: always within the buffer */
    memset(header + used, ' ', (size_t)(total - used));
    header[total - 1] = '\n';
    header[8] = (char)((total - 10) & 255);
    header[9] = (char)((total - 10) >> 8);
    *length = total;
    return GRACO_OK;
}

graco_status npy_writer_open(struct file_writer **out, const char *path,
                             const struct array *described)
{
    char header[NPY_HEADER_MAX];
    struct file_writer *writer = NULL;
    int64_t length = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(npy_header(header, &length, described));
    TRY(file_writer_open(&writer, path));
    TRY(file_writer_write(writer, header, length));
    *out = writer;
    writer = NULL;
done:
    file_writer_free(writer);
    return status;
}

graco_status npy_write(const char *path, const struct array *array)
{
    struct file_writer *writer = NULL;
    graco_status status = GRACO_OK;
    TRY(npy_writer_open(&writer, path, array));
    TRY(file_writer_write(writer, array->data, array->count * array->size));
    TRY(file_writer_commit(writer));
done:
    file_writer_free(writer);
    return status;
}
