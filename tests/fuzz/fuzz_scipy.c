/* Fuzzes matrices as scipy's save_npz writes them: members with any types, shapes and values, read as a
 * graph, and as the features of one. */
#include "fuzz/fuzz.h"

#include "data/readers.h"

static const char *const names[] = {"row", "col", "indices", "indptr", "shape", "data", "format"};
enum { NAMES = sizeof names / sizeof *names };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file, whole;
    struct fuzz_zip zip;
    struct fuzz_input input = {bytes, (int64_t)length};
    graco_dataset *data = NULL;
    char path[256], edges[256];
    bool features = fuzz_byte(&input) & 1;
    fuzz_zip_begin(&zip, &whole);
    while (input.left > 0) {
        int name = fuzz_byte(&input) % NAMES;
        fuzz_npy(&file, &input);
        fuzz_zip_add(&zip, names[name], &file);
    }
    fuzz_zip_end(&zip);
    fuzz_write("matrix.npz", whole.bytes, whole.length);
    fuzz_write("edges.txt", "0 1\n", 4);
    fuzz_path(path, "matrix.npz");
    fuzz_path(edges, "edges.txt");
    graco_load_options options = {.features_path = features ? path : NULL};
    graco_status status = graco_dataset_load(&data, features ? edges : path, &options);
    fuzz_check_dataset(data, status);
    return 0;
}
