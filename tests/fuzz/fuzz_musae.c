/* Fuzzes the layout of the MUSAE data sets, as an archive: each member is a text up to the byte 0xff. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = {"m_features.json", "m_edges.csv", "m_target.csv"};
    struct fuzz_input input = {bytes, (int64_t)length};
    fuzz_texts(names, sizeof names / sizeof *names, &input);
    return 0;
}
