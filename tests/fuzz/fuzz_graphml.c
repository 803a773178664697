/* Fuzzes GraphML; the reader of XML comes with it. Inputs get a root if they have none, so that
 * mutations stay behind the first check. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char root[] = "<graphml>";
    static struct fuzz_block file;
    char path[256];
    graco_dataset *data = NULL;
    file.length = 0;
    if (length == 0 || *bytes != '<')
        fuzz_add(&file, root, sizeof root - 1);
    fuzz_add(&file, bytes, (int64_t)length);
    fuzz_write("graph", file.bytes, file.length);
    fuzz_path(path, "graph");
    graco_status status = graco_dataset_load(&data, path, NULL);
    fuzz_check_dataset(data, status);
    return 0;
}
