/* Fuzzes the archive reader; members are limited to 1 MiB. */
#include "base/memory.h"
#include "io/zip/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct npz *npz = NULL;
    if (npz_open_bytes(&npz, bytes, (int64_t)length) != GRACO_OK)
        return 0;
    for (int64_t i = 0; i < npz_count(npz) && i < 16; i++) {
        struct array array;
        npz_read(&array, npz, npz_name(npz, i), 1 << 20);
        array_clear(&array);
    }
    npz_close(npz);
    return 0;
}
