/* For tests and benchmarks alone: what the library never asks for by itself. */
#ifndef REFERENCE_TESTING_H
#define REFERENCE_TESTING_H

#include "base/status.h"

#include <stdint.h>

struct context;

/* Makes a context on a GPU compute the exact objective as every GPU since the A100 can: without wgmma, and with the
 * shared memory of those that have least. */
void testing_portable(struct context *cuda);

/* C = A B' of halves by cuBLAS, all three (side, side) in buffers of a context on a GPU: what rates are held against. */
graco_status testing_half_product(struct context *cuda, int64_t side, float *C, const uint16_t *A,
                                  const uint16_t *B);

#endif
