/* Fuzzes Wiki-CS's data.json. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    fuzz_load_text("data.json", "{\"features\":", bytes, length);
    return 0;
}
