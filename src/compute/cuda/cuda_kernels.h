/* The CUDA kernels, one family per file; see struct backend for what each does.
 *
 * Everything runs on one stream, so a buffer may go back to the pool while kernels still use it:
 * whoever takes it next comes later in the stream. No kernel adds with atomics: sums have a fixed
 * order, and the same seed gives the same bits on the same GPU. */
#ifndef COMPUTE_CUDA_CUDA_KERNELS_H
#define COMPUTE_CUDA_CUDA_KERNELS_H

#include "compute/compute.h"

/* The back end, if there is a GPU that this build can use; else GRACO_ERROR_DEVICE says why not. */
graco_status cuda_find(const struct backend **out);

graco_status cuda_record(struct context *c);
graco_status cuda_recorded(struct context *c, struct recording **out);
graco_status cuda_replay(struct context *c, struct recording *recording, uint32_t later);
void cuda_forget(struct recording *recording);

graco_status cuda_gemm(struct context *c, const struct gemm *g);
graco_status cuda_spmm(struct context *c, const struct spmm *s);
graco_status cuda_sparse_pool(struct context *c, const struct sparse_pool *p);
graco_status cuda_add(struct context *c, int64_t n, float *y, const float *x);
graco_status cuda_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                             const float *scale, const float *X, bool accumulate);
graco_status cuda_activate(struct context *c, const struct activation *a, float *Y, const float *X);
graco_status cuda_activate_backward(struct context *c, const struct activation *a, float *dX,
                                    const float *dY, const float *Y, float *dbias, float *dslope);
graco_status cuda_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                            const float *bias, float *norm);
graco_status cuda_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                     const float *Z, const float *norm, float *dbias);
graco_status cuda_contrast(struct context *c, struct contrast *s);
graco_status cuda_contrast_backward(struct context *c, const struct contrast *s, float *dZ);
graco_status cuda_moment(struct context *c, struct moment *s);
graco_status cuda_moment_backward(struct context *c, const struct moment *s, float *dZ);
graco_status cuda_draw_bytes(struct context *c, const struct random_key *key, double p, int64_t n,
                             uint8_t *keep);
graco_status cuda_draw_floats(struct context *c, const struct random_key *key, double p, int64_t n,
                              float *keep);
graco_status cuda_compact(struct context *c, int count, const struct compaction *list);
graco_status cuda_degree_scale(struct context *c, int64_t rows, const int64_t *start,
                               const int32_t *count, double share, double power, float *scale);
graco_status cuda_adam(struct context *c, const struct adam *a);
graco_status cuda_finite(struct context *c, int64_t n, const float *x, int64_t *spoiled);
graco_status cuda_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                         const int32_t *index);

#endif
