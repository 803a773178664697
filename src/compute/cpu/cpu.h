/* The CPU kernels, one family per file; kernels.def says what each does. Bits never depend on the
 * number of threads: work is cut by shape alone, and partial sums are added in a fixed order. */
#ifndef COMPUTE_CPU_CPU_H
#define COMPUTE_CPU_CPU_H

#include "base/share.h"
#include "compute/context.h"

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

/* The product of a transposed A sums over many rows: into how many parts of `length` terms its sum is cut, 1 where it
 * is not, and into how many slices of `rows` rows C of each. The number of threads decides the slices alone, which
 * change no bits. */
struct sum_cut {
    int64_t parts, length, slices, rows;
};
struct sum_cut cpu_cut_sum(int64_t rows, int64_t depth, int threads);

/* Into rows of about as much work: the first one of which those before have `share` / `shares` of all rows and entries.
 * The starts of some rows of a larger matrix begin with any number. */
int64_t cpu_row_at(const struct csr *m, int64_t share, int64_t shares);

#define KERNEL(name, parameters, names) graco_status cpu_##name parameters;
#include "compute/kernels.def"

#endif
