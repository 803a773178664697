/* Fuzzes what `graco eval` reads besides the data set: embeddings, and a file of splits. The first
 * byte is the number of nodes; the rest is a file, or one as in fuzz.h if that byte is odd. */
#include "fuzz/fuzz.h"

#include "data/splits.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file;
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_matrix Z = {0};
    struct splits splits = {0};
    uint8_t usable[256];
    char path[256];
    int64_t taken, nodes = fuzz_byte(&input);
    memset(usable, 1, sizeof usable);
    usable[0] = 0;
    if (nodes & 1) {
        fuzz_npy(&file, &input);
    } else {
        const uint8_t *rest = fuzz_take(&taken, &input, input.left);
        file.length = 0;
        fuzz_add(&file, rest, taken);
    }
    fuzz_write("Z.npy", file.bytes, file.length);
    fuzz_path(path, "Z.npy");
    if (graco_matrix_load(&Z, path) == GRACO_OK)
        FUZZ_PROMISE(Z.rows >= 0 && Z.cols >= 0 && Z.data);
    if (nodes > 0 && splits_read(&splits, path, usable, nodes) == GRACO_OK)
        for (int64_t i = 0; i < splits.count * nodes; i++)
            FUZZ_PROMISE(splits.part[i] <= SPLITS_NONE);
    graco_matrix_clear(&Z);
    splits_clear(&splits);
    return 0;
}
