/* What a cell of a table holds. */
#ifndef IO_TABLES_COLUMN_CELLS_H
#define IO_TABLES_COLUMN_CELLS_H

#include "io/tables/scan.h"

enum cell {
    CELL_GAP,
    CELL_NUMBER,
    CELL_TRUTH,   /* true, false, yes, no */
    CELL_DATE,    /* 2024-03-01, 2024/03/01, with a time of day behind a blank or a T */
    CELL_COMMA,   /* 1,5: a number that needs a point, or thousands */
    CELL_UNCLEAR, /* 3/4/2024, 03.04.24: a date of which nobody knows the order */
    CELL_WORD,
    CELLS,
};

/* The kind of a cell; a number, a truth value or a date, as days since 1970, goes to *out. */
enum cell cell_read(double *out, struct scan_field field);

#endif
