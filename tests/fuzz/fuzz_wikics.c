/* Fuzzes Wiki-CS's data.json. Inputs get its first key if they do not begin as JSON does, so that
 * mutations stay with this reader. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char begin[] = "{\"features\":";
    static struct fuzz_block file;
    char path[256];
    graco_dataset *data = NULL;
    file.length = 0;
    if (length == 0 || *bytes != '{')
        fuzz_add(&file, begin, sizeof begin - 1);
    fuzz_add(&file, bytes, (int64_t)length);
    fuzz_write("data.json", file.bytes, file.length);
    fuzz_path(path, "data.json");
    graco_status status = graco_dataset_load(&data, path, NULL);
    fuzz_check_dataset(data, status);
    return 0;
}
