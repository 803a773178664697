/* Fuzzes graphs as other programs write them, with attributes of nodes: the reader is found by the first
 * character. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char path[256];
    graco_dataset *data = NULL;
    fuzz_write("graph", bytes, (int64_t)length);
    fuzz_path(path, "graph");
    graco_status status = graco_dataset_load(&data, path, NULL);
    fuzz_check_dataset(data, status);
    return 0;
}
