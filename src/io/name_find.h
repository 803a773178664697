/* From what a user calls a node to its row: the one rule behind every `--of NAME|NUMBER`. Where rows
 * have names, only a name is meant, even one that looks like a number; else the row's number. */
#ifndef IO_NAME_FIND_H
#define IO_NAME_FIND_H

#include "base/status.h"

/* Gives the name of a row; called with 0, 1, 2, ... in this order. The text may change with the next
 * call. */
typedef graco_status name_at_fn(const char **name, void *user, int64_t row);

struct name_rows {
    int64_t count;
    name_at_fn *name_at; /* NULL: rows have numbers alone */
    void *user;
};

/* Fills found (count) with the row of each text. GRACO_ERROR_ARGUMENT if a row is called so nowhere,
 * or if several are, as nodes of different graphs may be. O(bytes of all names). */
graco_status name_find(int64_t *found, const char *const *texts, int64_t count,
                       const struct name_rows *rows);

#endif
