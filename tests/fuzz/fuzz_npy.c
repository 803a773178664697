/* Fuzzes npy_decode, and what readers do with its result. */
#include "base/memory.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct array array, borrowed;
    float *f32 = NULL;
    int64_t *i64 = NULL;
    char **list = NULL;
    if (npy_decode(&array, bytes, (int64_t)length) == GRACO_OK) {
        array_to_f32(&f32, &array);
        array_to_i64(&i64, &array);
        if (array_to_strings(&list, &array) == GRACO_OK)
            memory_free(list[0]);
    }
    npy_decode_borrowed(&borrowed, bytes, (int64_t)length);
    memory_free(f32);
    memory_free(i64);
    memory_free(list);
    array_clear(&array);
    array_clear(&borrowed);
    return 0;
}
