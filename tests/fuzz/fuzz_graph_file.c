/* Fuzzes graphs as other programs write them, with attributes of nodes: the reader is found by the first
 * character. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_load("graph", bytes, (int64_t)length);
    return 0;
}
