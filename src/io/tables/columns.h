/* Columns of a table as people have them: numbers, truth values, dates and words, with gaps. */
#ifndef IO_TABLES_COLUMNS_H
#define IO_TABLES_COLUMNS_H

#include "base/status.h"
#include "io/tables/table.h"

enum column_kind { COLUMN_NUMBERS, COLUMN_TRUTHS, COLUMN_DATES, COLUMN_WORDS };

/* A column has `number` or `code`. Row r's number is number[r * stride], NaN for a gap. */
struct column {
    char *name;
    enum column_kind kind;
    const float
        *number; /* in `owned`, or in the matrix of all columns; dates are days since 1970 */
    int64_t stride;
    float *owned;
    int32_t *code; /* (rows) number of the word, -1 for a gap */
    struct names *words;
};

struct columns {
    int64_t rows, count;
    struct column *list; /* (count) */
    float *matrix; /* (rows, count) where all are numbers that one matrix has; may be borrowed */
    bool borrowed;
    bool unnamed; /* names are only the numbers of columns */
};

/* `count` columns without names and values, which the caller fills. */
graco_status columns_create(struct columns **out, int64_t rows, int64_t count);
void columns_free(struct columns *columns);

/* The columns of a dense matrix (rows, count) without gaps, called by `names`, or by their numbers from 1 where
 * that is NULL. Takes the matrix over unless it is borrowed; on failure it stays the caller's. */
graco_status columns_of_matrix(struct columns **out, float *matrix, bool borrowed, int64_t rows,
                               int64_t count, const char *const *names);

/* Puts rows in another order: row r becomes row to[r], of `rows`. */
graco_status columns_order(struct columns *columns, const int32_t *to);

/* Whether a text stands for nothing: empty, NA, N/A, #N/A, <NA>, NaN, null, none, nil, -, --, ?, . or missing, in any
 * case of the letters. */
bool column_is_gap(struct scan_field field);

/* Reads a table with a column of words, truth values or dates, or with gaps. Ids and the header are found as for a table of numbers,
 * as far as words allow it. Every message names file and column. */
struct table_columns {
    struct columns *columns;
    struct names *ids; /* row r has id r; NULL: no id column */
    bool header, numbered;
    int64_t id_column; /* from 1; 0: none */
    struct scan_field id_name;
};

/* Whether such a table is worth a try: below the first line, a column has something that is no number. The first column does
 * not count where it has the names of nodes. */
bool table_is_mixed(const char *file, const void *bytes, int64_t length, enum table_ids ids,
                    const struct table_options *options);

graco_status table_columns_read(struct table_columns *out, const char *file, const void *bytes,
                                int64_t length, enum table_ids ids,
                                const struct table_options *options);
void table_columns_clear(struct table_columns *table);

/* Fails where two columns have one name, and where words are no UTF-8 or numbers with units. */
graco_status columns_check(const struct columns *columns, const char *file);

/* Fills a column that has a name from texts (rows), NULL a gap, as table_columns_read does from cells. */
graco_status column_of_texts(struct column *out, const char *const *texts, int64_t rows);

/* The names of a table's columns without those of ids and row numbers: (count) pointers into one block behind
 * names[0], as names_list gives them; by their numbers where the table has no header. */
graco_status table_column_names(char ***out, const char *file, const void *bytes, int64_t length,
                                const struct table_numbers *table,
                                const struct table_options *options);

#endif
