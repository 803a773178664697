/* Fuzzes the text tables; the first byte chooses which, and what the user says of it. */
#include "io/tables/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char separators[] = {0, ',', '\t', ' '};
    static const char *const columns[] = {NULL, "1", "id", "none"};
    struct table_edges edges = {0};
    struct table_numbers numbers = {0};
    struct table_labels labels = {0};
    if (length == 0)
        return 0;
    const struct table_options options = {.header = (enum table_header)(bytes[0] / 5 % 3),
                                          .separator = separators[bytes[0] / 15 % 4],
                                          .id_column = columns[bytes[0] / 60 % 4]};
    const uint8_t *text = bytes + 1;
    int64_t size = (int64_t)length - 1;
    switch (bytes[0] % 5) {
    case 0:
        table_edges_read(&edges, "fuzz", text, size, &options);
        break;
    case 1:
        table_labels_read(&labels, "fuzz", text, size, &options);
        break;
    default:
        table_numbers_read(&numbers, "fuzz", text, size, (enum table_ids)(bytes[0] % 5 - 2),
                           &options);
    }
    table_edges_clear(&edges);
    table_numbers_clear(&numbers);
    table_labels_clear(&labels);
    return 0;
}
