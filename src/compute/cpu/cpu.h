/* The CPU kernels, one family per file; kernels.def says what each does. Bits never depend on the
 * number of threads: work is cut by shape alone, and partial sums are added in a fixed order. */
#ifndef COMPUTE_CPU_CPU_H
#define COMPUTE_CPU_CPU_H

#include "compute/context.h"

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Into how many pieces n items are cut. */
static inline int64_t pieces_of(int64_t n, int64_t piece)
{
    return (n + piece - 1) / piece;
}

/* Some rows of a matrix. */
struct block {
    int64_t first, rows;
};

bool cpu_keeps_tiles(const struct context *c);

/* Rows first .. last - 1 of `activate` in place, as the end of another kernel. `room` has a->cols numbers for the
 * calling thread alone. */
void cpu_activate_rows(const struct activation *a, float *Y, int64_t first, int64_t last,
                       float *room);

#define KERNEL(name, ...) graco_status cpu_##name(struct context *c, __VA_ARGS__);
#include "compute/kernels.def"

#endif
