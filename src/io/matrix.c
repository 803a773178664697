/* graco_matrix: embeddings as .npy files. */
#include "graco_command.h"
#include "base/memory.h"
#include "io/files/system.h"
#include "io/npy.h"

#include <errno.h>
#include <string.h>

graco_status graco_matrix_load(graco_matrix *out, const char *path)
{
    struct array array = {0};
    graco_matrix matrix = {0};
    graco_status status = GRACO_OK;
    TRY(npy_read(&array, path));
    if (array.ndim != 2)
        FAIL(GRACO_ERROR_FORMAT, "%s: has %d dimensions; expected a matrix", path, array.ndim);
    status = array_to_f32(&matrix.data, &array);
    if (status != GRACO_OK) {
        status_context(status, "%s", path);
        goto done;
    }
    matrix.rows = array.shape[0];
    matrix.cols = array.shape[1];
    *out = matrix;
done:
    array_clear(&array);
    return status;
}

graco_status graco_matrix_save(const graco_matrix *matrix, const char *path)
{
    struct array array;
    PASS(array_borrow(&array, ARRAY_F32, matrix->data, 2, (int64_t[]){matrix->rows, matrix->cols}));
    return npy_write(path, &array);
}

graco_status graco_matrix_write(const graco_matrix *matrix, int fd)
{
    char header[NPY_HEADER_MAX];
    int64_t length = 0;
    struct array array;
    PASS(array_borrow(&array, ARRAY_F32, matrix->data, 2, (int64_t[]){matrix->rows, matrix->cols}));
    PASS(npy_header(header, &length, &array));
    size_t bytes = (size_t)(matrix->rows * matrix->cols) * sizeof *matrix->data;
    if (!system_write(fd, header, (size_t)length) || !system_write(fd, matrix->data, bytes))
        return status_fail(GRACO_ERROR_IO, "the matrix could not be written: %s", strerror(errno));
    return GRACO_OK;
}

void graco_matrix_clear(graco_matrix *matrix)
{
    if (!matrix)
        return;
    memory_free(matrix->data);
    memset(matrix, 0, sizeof *matrix);
}
