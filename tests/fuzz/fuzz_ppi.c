/* Fuzzes DGL's ppi.zip: three graphs in JSON and their arrays. A member is a byte that chooses its
 * name, then text up to a NUL byte for a graph, or an array as in fuzz.h. */
#include "fuzz/fuzz.h"

#include "data/readers.h"

static const char *const kinds[] = {"graph.json", "feats.npy", "labels.npy", "graph_id.npy",
                                    "label_mask.npy"};
static const char *const parts[] = {"train", "valid", "test"};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file, whole;
    struct fuzz_zip zip;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct npz *npz = NULL;
    graco_dataset *data = NULL;
    fuzz_zip_begin(&zip, &whole);
    while (input.left > 0) {
        int name = fuzz_byte(&input) % 15;
        char text[64];
        if (name % 5 == 0) {
            int64_t taken;
            const uint8_t *json = fuzz_until(&taken, &input, 0);
            file.length = 0;
            fuzz_add(&file, json, taken);
        } else {
            fuzz_npy(&file, &input);
        }
        snprintf(text, sizeof text, "%s_%s", parts[name / 5], kinds[name % 5]);
        fuzz_zip_add(&zip, text, &file);
    }
    fuzz_zip_end(&zip);
    if (npz_open_bytes(&npz, whole.bytes, whole.length) != GRACO_OK)
        return 0;
    graco_status status =
        reader_ppi.read(&data, &(struct source){.name = "fuzz", .members.npz = npz});
    npz_close(npz);
    fuzz_check_dataset(data, status);
    return 0;
}
