/* Fuzzes an edge list with its tables of features and labels, as graco_dataset_load reads them: two bytes of
 * options, then three texts with a byte 255 between. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = {"edges.txt", "features.csv", "labels.csv"};
    static const char *const headers[] = {NULL, "yes", "no", NULL};
    static const char *const columns[] = {NULL, "1", "none", "id"};
    static const char *const ends[] = {NULL, "1", "3", "a"};
    struct fuzz_input input = {bytes, (int64_t)length};
    int flags = fuzz_byte(&input), more = fuzz_byte(&input);
    char path[3][256];
    graco_dataset *data = NULL;
    for (int i = 0; i < 3; i++) {
        int64_t taken;
        const uint8_t *text = fuzz_until(&taken, &input, 255);
        fuzz_path(path[i], names[i]);
        fuzz_write(names[i], text, taken);
    }
    graco_load_options options = {.features_path = flags & 1 ? path[1] : NULL,
                                  .labels_path = flags & 2 ? path[2] : NULL,
                                  .undirected = flags & 4,
                                  .header = headers[flags >> 3 & 3],
                                  .id_column = columns[flags >> 5 & 3],
                                  .delimiter = flags & 128 ? "tab" : NULL,
                                  .source = ends[more & 3],
                                  .target = ends[more >> 2 & 3],
                                  .weight = ends[more >> 4 & 3],
                                  .directed = more & 64 && !(flags & 4),
                                  .count_repeats = more & 128};
    graco_status status = graco_dataset_load(&data, path[0], &options);
    fuzz_check_dataset(data, status);
    return 0;
}
