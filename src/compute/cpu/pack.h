/* Copies of matrices in the order in which `loops->product` reads them. */
#ifndef COMPUTE_CPU_PACK_H
#define COMPUTE_CPU_PACK_H

#include "compute/operands.h"

/* Floats of a packed matrix of (depth, cols). */
int64_t pack_size(int64_t depth, int64_t cols);

/* Columns PANEL * panel .. of a matrix B of (depth, cols), stored as it is or as its transpose with
 * rows ld apart, into that panel of `out`, zeros behind the last column. */
void pack_panel(float *out, const float *B, int64_t ld, bool transposed, int64_t depth,
                int64_t cols, int64_t panel);

#endif
