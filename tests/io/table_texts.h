/* Tables read from strings, for the tests of what is in them. */
#ifndef TABLE_TEXTS_H
#define TABLE_TEXTS_H

#include "io/tables/table.h"

#include "hostile.h"

static graco_status edges_of(struct table_edges *out, const char *text)
{
    return table_edges_read(out, "e.txt", text, (int64_t)strlen(text), NULL);
}

static graco_status numbers_of(struct table_numbers *out, const char *text, enum table_ids ids)
{
    return table_numbers_read(out, "f.csv", text, (int64_t)strlen(text), ids, NULL);
}

static graco_status labels_of(struct table_labels *out, const char *text)
{
    return table_labels_read(out, "l.txt", text, (int64_t)strlen(text), NULL);
}

static bool decode(const uint8_t *bytes, int64_t length)
{
    struct table_edges edges;
    struct table_numbers numbers;
    struct table_labels labels;
    table_edges_read(&edges, "x", bytes, length, NULL);
    table_edges_clear(&edges);
    for (int ids = TABLE_IDS_AUTO; ids <= TABLE_IDS_FIRST; ids++) {
        table_numbers_read(&numbers, "x", bytes, length, (enum table_ids)ids, NULL);
        table_numbers_clear(&numbers);
    }
    table_labels_read(&labels, "x", bytes, length, NULL);
    table_labels_clear(&labels);
    return true;
}

#endif
