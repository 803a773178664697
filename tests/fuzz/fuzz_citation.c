/* Fuzzes CitationFull archives: members with any types, shapes and values. */
#include "fuzz/fuzz.h"

#include "data/readers.h"

static const char *const names[] = {"adj_data",    "adj_indices", "adj_indptr",
                                    "adj_shape",   "attr_data",   "attr_indices",
                                    "attr_indptr", "attr_shape",  "labels"};
enum { NAMES = sizeof names / sizeof *names };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct fuzz_block file, whole;
    struct fuzz_zip zip;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct npz *npz = NULL;
    graco_dataset *data = NULL;
    fuzz_zip_begin(&zip, &whole);
    while (input.left > 0) {
        int name = fuzz_byte(&input) % NAMES;
        fuzz_npy(&file, &input);
        fuzz_zip_add(&zip, names[name], &file);
    }
    fuzz_zip_end(&zip);
    if (npz_open_bytes(&npz, whole.bytes, whole.length) != GRACO_OK)
        return 0;
    graco_status status =
        reader_citation.read(&data, &(struct source){.name = "fuzz", .members.npz = npz});
    npz_close(npz);
    fuzz_check_dataset(data, status);
    return 0;
}
