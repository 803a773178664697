/* What each epoch of a training came to, as metrics.jsonl has it: read once, or followed while a
 * training elsewhere appends to it. */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "graco.h"

#include <stdio.h>

/* All zero is empty. What a line does not have is NaN. */
struct curves {
    int64_t count, room;
    double *epoch, *loss, *information, *seconds; /* (count); epochs ascend */
    FILE *file;                                   /* metrics.jsonl; NULL: not open */
    int64_t offset;                               /* of the first byte that was not read */
};

/* Adds an epoch; those from its number on, of a training that was begun again there, are dropped.
 * Returns false if memory ran out. */
bool curves_add(struct curves *curves, double epoch, double loss, double information,
                double seconds);

/* Reads the whole lines that `path` has beyond those read before. A file that was cut or replaced is
 * read from its beginning, and one that is not there has no epochs. */
graco_status curves_follow(struct curves *curves, const char *path);

void curves_clear(struct curves *curves);

/* The number behind "NAME": in a text of JSON that graco wrote; NaN if it is not there. */
double curves_number(const char *text, const char *name);

#endif
