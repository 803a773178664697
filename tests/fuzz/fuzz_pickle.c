/* Fuzzes pickle_decode and walks what it gives; `left` bounds the walk over shared values. */
#include "base/memory.h"
#include "io/pickle/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void walk(const struct pickle_value *value, int64_t *left)
{
    float *f32 = NULL;
    if (--*left < 0)
        return;
    if (value->kind == PICKLE_ARRAY)
        array_to_f32(&f32, value->array);
    else if (value->kind == PICKLE_CSR)
        array_to_f32(&f32, value->csr->value);
    memory_free(f32);
    int64_t items = value->kind == PICKLE_DICT                                  ? 2 * value->count
                    : value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE ? value->count
                                                                                : 0;
    for (int64_t i = 0; i<items && * left> 0; i++)
        walk(value->items[i], left);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pickle pickle;
    int64_t left = 10000;
    if (pickle_decode(&pickle, bytes, (int64_t)length) == GRACO_OK) {
        walk(pickle.root, &left);
        pickle_get(pickle.root, "data");
    }
    pickle_clear(&pickle);
    return 0;
}
