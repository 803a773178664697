/* Fuzzes the Open Graph Benchmark's layout, as an archive: each member is a text up to the byte 0xff.
 * gzip has a target of its own, so the texts are not compressed. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = {"a/raw/num-node-list.csv.gz", "a/raw/edge.csv.gz",
                                        "a/raw/node-label.csv.gz",    "a/split/t/train.csv.gz",
                                        "a/split/t/valid.csv.gz",     "a/split/t/test.csv.gz",
                                        "a/raw/node-feat.csv.gz",     "a/raw/num-edge-list.csv.gz"};
    struct fuzz_input input = {bytes, (int64_t)length};
    fuzz_texts(names, sizeof names / sizeof *names, &input);
    return 0;
}
