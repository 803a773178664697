/* The GPU as C sees it. The kernels come one family per file; kernels.def says what each does.
 *
 * Kernels follow each other in one stream, so a buffer may go back to the cache while kernels still use it:
 * whoever takes it next comes later in the stream. Where a step has a second one, buffers are held until both
 * have met (context_apart). No kernel adds with atomics: sums have a fixed
 * order, and the same seed gives the same bits on the same GPU. */
#ifndef COMPUTE_CUDA_CUDA_H
#define COMPUTE_CUDA_CUDA_H

#include "compute/backend.h"

extern const struct backend backend_cuda;

/* Whether there is a GPU that this build can use; else GRACO_ERROR_DEVICE says why not. */
graco_status cuda_find(void);

/* For tests/reference/testing.h. */
void cuda_portable(struct context *c);
graco_status cuda_half_product(struct context *c, int64_t side, float *C, const uint16_t *A,
                               const uint16_t *B);

graco_status cuda_open(struct context *c);
void cuda_close(struct context *c);
graco_status cuda_finish(struct context *c);

graco_status cuda_memory(int64_t *left, int64_t *all);
graco_status cuda_allocate(struct context *c, void *out, size_t bytes);
void cuda_release(struct context *c, void *block);
graco_status cuda_upload(struct context *c, void *to, const void *from, size_t bytes);
graco_status cuda_download(struct context *c, void *to, const void *from, size_t bytes);
graco_status cuda_copy(struct context *c, void *to, const void *from, size_t bytes);
graco_status cuda_zero(struct context *c, void *block, size_t bytes);
graco_status cuda_pin(struct context *c, void *out, size_t bytes);
void cuda_unpin(struct context *c, void *block);
graco_status cuda_wait(struct context *c);

graco_status cuda_choose(int number);
graco_status cuda_connect(struct context *c, struct comm **out);

graco_status cuda_turn(struct context *c, enum turn turn);

graco_status cuda_record(struct context *c);
graco_status cuda_recorded(struct context *c, struct recording **out);
graco_status cuda_replay(struct context *c, struct recording *recording, uint32_t later);
void cuda_forget(struct recording *recording);

#define KERNEL(name, parameters, names) graco_status cuda_##name parameters;
#include "compute/kernels.def"

#endif
