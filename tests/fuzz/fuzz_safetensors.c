/* Fuzzes safetensors_decode. An odd first byte: the rest is the header up to a NUL byte and the
 * items, and the length of the header is put in front. */
#include "fuzz/fuzz.h"

#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block whole;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct safetensors *file = NULL;
    int64_t taken;
    whole.length = 0;
    if (fuzz_byte(&input) & 1) {
        const uint8_t *header = fuzz_until(&taken, &input, 0);
        uint64_t size = (uint64_t)taken;
        fuzz_add(&whole, &size, 8);
        fuzz_add(&whole, header, taken);
    }
    const uint8_t *rest = fuzz_take(&taken, &input, input.left);
    fuzz_add(&whole, rest, taken);
    /* A block of exactly its length, so that reading one byte too many is seen. */
    uint8_t *exact = malloc((size_t)whole.length + (whole.length == 0));
    memcpy(exact, whole.bytes, (size_t)whole.length);
    graco_status status = safetensors_decode(&file, exact, whole.length);
    free(exact);
    if (status != GRACO_OK)
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
