/* Fuzzes safetensors_decode. */
#include "base/memory.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct safetensors *file = NULL;
    if (safetensors_decode(&file, bytes, (int64_t)length) != GRACO_OK)
        return 0;
    for (int64_t i = 0; i < safetensors_count(file); i++) {
        float *f32 = NULL;
        array_to_f32(&f32, safetensors_find(file, safetensors_name(file, i)));
        memory_free(f32);
    }
    safetensors_metadata(file, "format");
    safetensors_free(file);
    return 0;
}
