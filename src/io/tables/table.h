/* Text tables: edge lists, feature tables and label files.
 *
 * Fields are separated by a tab, a comma, a semicolon, or blanks and tabs. Empty lines and lines that
 * start with '#' or '%' are left out. Lines end with \n or \r\n. A byte order mark is skipped. A
 * field may stand in double quotes, and a quote in it is then written twice. Every message names file and line. `file`
 * is used in messages only. A few passes over the bytes at most, no copies of lines: to look at the
 * table, to look for ids, to read it (edges once more where ids are names).
 *
 * Readers look whether a table has a header and which column names nodes. What can be read in two
 * ways is refused with both readings and the option that decides; docs/formats.md has the rules. */
#ifndef IO_TABLES_TABLE_H
#define IO_TABLES_TABLE_H

#include "base/status.h"
#include "io/tables/names.h"
#include "io/tables/scan.h"

/* What the user says of a table; zeros, or NULL instead of the struct: look. */
enum table_header { TABLE_HEADER_LOOK, TABLE_HEADER_YES, TABLE_HEADER_NO };

struct table_options {
    enum table_header header;
    bool unweighted;       /* leave weights out: any finite number may stand in their place */
    char separator;        /* ' ' for blanks and tabs; 0: the first line decides */
    const char *id_column; /* a column's name, its number from 1, or "none"; NULL: look */
    const char *source, *target, *weight; /* the same of an edge list's columns; NULL: look */
};

/* Edges. If every id in the file is a decimal number from 0 to 2^31 - 2 they are the node numbers,
 * and nodes is the largest plus one; but if that is more than TABLE_SPARSE times the number of ids
 * (and more than a million) they are labels rather than numbers, and are treated as names. If any
 * id is no number, all are names, numbered in order of first appearance.
 *
 * Every line has as many fields as the first. Under a header, graco_table_ends says which columns are the ends
 * and the weights; without one, two columns are the ends, and a third has weights if it begins with a number.
 * The options may name columns. Anything else is refused. A weight must be above 0. */
enum { TABLE_SPARSE = 64 };

/* A text that begins with %%MatrixMarket is read as io/tables/matrix_market.h says instead. */
struct table_edges {
    int64_t count, nodes;
    int32_t *source;     /* (count) */
    int32_t *target;     /* (count) */
    float *weight;       /* (count) or NULL: none */
    struct names *names; /* NULL: ids are the node numbers */
    bool header;
    bool guessed;               /* it looks like one: nobody said so */
    struct scan_field above[2]; /* what it has above the ends, borrowed from the bytes */
    int columns;                /* of the first line, header or not, and so of every line */
    int order
        [3]; /* the columns, from 0, of the source, the target and the weights; -1: there is none */
    bool left_out; /* there is a column that is left out, weights that nobody wants among them */
    bool numbered; /* the first column has the numbers of the rows, and is left out */
    char reading[640];  /* which columns are which; "" where two or three have no names */
    bool matrix_market; /* it was a matrix in that format */
};

graco_status table_edges_read(struct table_edges *out, const char *file, const void *bytes,
                              int64_t length, const struct table_options *options);
void table_edges_clear(struct table_edges *edges);

/* Numbers. Every row has the same number of fields, all finite numbers. The first line is a header
 * if a field of it (the id apart) is no number. A header's id, node, node_id or name is the column
 * of ids; the numbers of the rows, in a first column without a name, are left out beside it. */
enum table_ids {
    TABLE_IDS_AUTO, /* the first column, if it has words; the one that has each of 0 .. rows - 1 once */
    TABLE_IDS_NONE, /* no id column */
    TABLE_IDS_FIRST /* the first column, also where it has other numbers */
};

struct table_numbers {
    int64_t rows, cols;
    float *data;       /* (rows, cols) */
    struct names *ids; /* row r has id r; NULL: no id column. A repeated id is refused. */
    bool header;
    int64_t id_column;         /* from 1; 0: none */
    bool numbered;             /* the first column has the numbers of the rows, and is left out */
    struct scan_field id_name; /* what the header calls it; borrowed from the bytes */
};

graco_status table_numbers_read(struct table_numbers *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids,
                                const struct table_options *options);
void table_numbers_clear(struct table_numbers *numbers);

/* Labels: every line has a label, or an id and a label, which a header names if there are further
 * columns. If every label is an integer from -1 to
 * TABLE_CLASSES - 1 it is the class, -1 meaning unknown; otherwise labels are names, and classes
 * are numbered in the byte order of the names. An empty label beside an id is unknown, NA and the like anywhere. The first
 * line is a header if its label is the only one that is no integer, or if it has words of headers. */
enum { TABLE_CLASSES = 1 << 20 };

struct table_labels {
    int64_t count, classes;
    int32_t *label;       /* (count) */
    struct names *ids;    /* row r has id r; NULL: no id column. A repeated id is refused. */
    struct names *labels; /* class c has name c; NULL: labels are the class numbers */
    bool header;
    bool
        guessed; /* by its label alone; it is refused if that is a number or stands for none, or its id is one */
    struct scan_field
        first[2];      /* the id and the label of the first line, borrowed from the bytes */
    int64_t id_column; /* from 1; 0: none */
};

graco_status table_labels_read(struct table_labels *out, const char *file, const void *bytes,
                               int64_t length, const struct table_options *options);

/* Fails because the first line, with this label, may be a header or a node's. */
graco_status table_fail_header(struct scan_field label, const char *file);

/* Numbers classes that have names: by the integers that the names are, if all are classes or -1, else in
 * the order of the names. */
graco_status table_labels_number(struct table_labels *labels);

void table_labels_clear(struct table_labels *labels);

/* Whether a header's word names a column of ids. */
bool table_names_ids(struct scan_field field);

/* Whether the first field of line r, from 0, is r on all lines that follow: as data frames number their rows,
 * in a column without a name. */
graco_status table_row_numbers(bool *out, struct scan scan);

/* The first two columns, from 1, whose integers are 0 .. rows - 1 in any order; 0 where there are no such
 * columns. `scan` stands before the first row. */
graco_status table_permutations(int64_t found[2], int64_t fields, struct scan scan);

/* Makes one quote of each two in a field. *block has the new text, which the caller frees; NULL if the
 * field keeps its own. */
graco_status table_undouble(struct scan_field *field, char **block);

/* The number of a field in `names`, new or known; quotes that stand twice in it are one. */
graco_status table_add_name(int32_t *out, struct names *names, struct scan_field field);

/* The weight that `number`, read from `field`, is; `scan` has the file and the line. */
graco_status table_weight(float *out, double number, struct scan_field field,
                          const struct scan *scan);

#endif
