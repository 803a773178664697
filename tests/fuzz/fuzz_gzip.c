/* Fuzzes the reader of gzip files; the content is limited to 1 MiB. */
#include "base/memory.h"
#include "io/zip/gzip.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint8_t *content = NULL;
    int64_t unpacked = 0;
    if (gzip_unpack(&content, &unpacked, bytes, (int64_t)length, 1 << 20) == GRACO_OK &&
        (unpacked > 1 << 20 || content[unpacked] != 0))
        abort();
    memory_free(content);
    return 0;
}
