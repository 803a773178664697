/* Text tables: edge lists, feature tables and label files.
 *
 * Fields are separated by a comma, a semicolon, or blanks and tabs. Empty lines and lines that
 * start with '#' or '%' are left out. Lines end with \n or \r\n. A byte order mark is skipped. A
 * field may stand in double quotes (no escapes inside). Every message names file and line. `file`
 * is used in messages only. One pass over the bytes, no copies of lines. */
#ifndef IO_TABLES_TABLE_H
#define IO_TABLES_TABLE_H

#include "base/status.h"
#include "io/tables/names.h"

/* Edges. If every id in the file is a decimal number from 0 to 2^31 - 2 they are the node numbers,
 * and nodes is the largest plus one; but if that is more than TABLE_SPARSE times the number of ids
 * (and more than a million) they are labels rather than numbers, and are treated as names. If any
 * id is no number, all are names, numbered in order of first appearance.
 *
 * Every line has two fields, or every line has three, the third a finite number: a weight. Weights
 * are ignored, and `weighted` says that there were some. Anything else is refused. */
enum { TABLE_SPARSE = 64 };

struct table_edges {
    int64_t count, nodes;
    int32_t *source;     /* (count) */
    int32_t *target;     /* (count) */
    struct names *names; /* NULL: ids are the node numbers */
    bool weighted;
};

graco_status table_edges_read(struct table_edges *out, const char *file, const void *bytes,
                              int64_t length);
void table_edges_clear(struct table_edges *edges);

/* Numbers. Every row has the same number of fields, all finite numbers. The first line is a header
 * if a field of it (the id apart) is no number. */
enum table_ids {
    TABLE_IDS_AUTO, /* the first field of the first row is no number: an id column */
    TABLE_IDS_NONE, /* no id column */
    TABLE_IDS_FIRST /* the first field is the id, also where it is a number */
};

struct table_numbers {
    int64_t rows, cols;
    float *data;       /* (rows, cols) */
    struct names *ids; /* row r has id r; NULL: no id column. A repeated id is refused. */
    bool header;
};

graco_status table_numbers_read(struct table_numbers *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids);
void table_numbers_clear(struct table_numbers *numbers);

/* Labels: every line has a label, or an id and a label. If every label is an integer from -1 to
 * TABLE_CLASSES - 1 it is the class, -1 meaning unknown; otherwise labels are names, and classes
 * are numbered in the byte order of the names. The first line is a header if its label is the only
 * one that is no integer. */
enum { TABLE_CLASSES = 1 << 20 };

struct table_labels {
    int64_t count, classes;
    int32_t *label;       /* (count) */
    struct names *ids;    /* row r has id r; NULL: no id column. A repeated id is refused. */
    struct names *labels; /* class c has name c; NULL: labels are the class numbers */
};

graco_status table_labels_read(struct table_labels *out, const char *file, const void *bytes,
                               int64_t length);
void table_labels_clear(struct table_labels *labels);

#endif
