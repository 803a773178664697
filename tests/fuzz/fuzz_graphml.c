/* Fuzzes GraphML; the reader of XML comes with it. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_load_text("graph", "<graphml>", bytes, length);
    return 0;
}
