/* Fuzzes GraphSAINT's layout, as an archive: class_map.json and role.json are texts up to the byte 0xff,
 * then come the arrays of adj_full.npz and feats.npy, each behind a byte that chooses it. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = {"feats",  "row",   "col",   "indices",
                                        "indptr", "shape", "format"};
    enum { NAMES = sizeof names / sizeof *names };
    static struct fuzz_block file, inner, whole;
    struct fuzz_input input = {bytes, (int64_t)length};
    struct fuzz_zip matrix, outer;
    fuzz_zip_begin(&outer, &whole);
    fuzz_zip_begin(&matrix, &inner);
    fuzz_text_member(&outer, "class_map.json", &input);
    fuzz_text_member(&outer, "role.json", &input);
    while (input.left > 0) {
        int name = fuzz_byte(&input) % NAMES;
        fuzz_npy(&file, &input);
        fuzz_zip_add(name == 0 ? &outer : &matrix, name == 0 ? "feats.npy" : names[name], &file);
    }
    fuzz_zip_end(&matrix);
    fuzz_zip_add(&outer, "adj_full.npz", &inner);
    fuzz_load_zip(&outer);
    return 0;
}
