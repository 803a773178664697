/* Fuzzes graco's own folder, whose files are mapped: the form of fuzz_native.c. */
#include "fuzz/fuzz.h"

static const char *const files[] = {"edge_index.npy", "x.npy",        "x_data.npy",
                                    "x_indices.npy",  "x_indptr.npy", "x_shape.npy",
                                    "y.npy",          "split.npy",    "label_mask.npy",
                                    "graph_id.npy",   "node_ids.npy", "num_nodes.npy"};
enum { FILES = sizeof files / sizeof *files };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file;
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_dataset *data = NULL;
    graco_load_options options = {.undirected = fuzz_byte(&input) & 1};
    unsigned seen = 0;
    while (input.left > 0) {
        int name = fuzz_byte(&input) % FILES;
        fuzz_npy(&file, &input);
        fuzz_write(files[name], file.bytes, file.length);
        seen |= 1u << name;
    }
    graco_status status = graco_dataset_load(&data, fuzz_folder(), &options);
    fuzz_check_dataset(data, status);
    for (int i = 0; i < FILES; i++)
        if (seen >> i & 1)
            fuzz_unlink(files[i]);
    return 0;
}
