/* For tests and benchmarks alone: what the library never asks for by itself. */
#ifndef COMPUTE_TESTING_H
#define COMPUTE_TESTING_H

struct context;

/* Makes a context on a GPU use only matrix instructions that every GPU since the A100 has. */
void testing_without_wgmma(struct context *cuda);

#endif
