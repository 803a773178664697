/* Fuzzes DGL's reddit.zip: two archives within one. */
#include "fuzz/fuzz.h"

#include "data/readers.h"

enum { DATA_NAMES = 3, NAMES = 9 };

/* The first DATA_NAMES are members of reddit_data.npz, the others of reddit_graph.npz. */
static const char *const names[NAMES] = {"feature", "label",  "node_types", "row", "col",
                                         "indices", "indptr", "shape",      "data"};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file, inner[2], whole;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct fuzz_zip zips[2], outer;
    struct npz *npz = NULL;
    graco_dataset *data = NULL;
    for (int i = 0; i < 2; i++)
        fuzz_zip_begin(&zips[i], &inner[i]);
    while (input.left > 0) {
        int name = fuzz_byte(&input) % NAMES;
        fuzz_npy(&file, &input);
        fuzz_zip_add(&zips[name >= DATA_NAMES], names[name], &file);
    }
    fuzz_zip_begin(&outer, &whole);
    for (int i = 0; i < 2; i++) {
        fuzz_zip_end(&zips[i]);
        fuzz_zip_add(&outer, i == 0 ? "reddit_data.npz" : "reddit_graph.npz", &inner[i]);
    }
    fuzz_zip_end(&outer);
    if (npz_open_bytes(&npz, whole.bytes, whole.length) != GRACO_OK)
        return 0;
    graco_status status =
        reader_reddit.read(&data, &(struct source){.name = "fuzz", .members.npz = npz});
    npz_close(npz);
    fuzz_check_dataset(data, status);
    return 0;
}
