/* The CPU kernels, one family per file; see struct backend for what each does. Bits never depend on
 * the number of threads: work is cut by shape alone, and partial sums are added in a fixed order.
 */
#ifndef COMPUTE_CPU_CPU_H
#define COMPUTE_CPU_CPU_H

#include "compute/compute.h"

graco_status cpu_gemm(struct context *c, const struct gemm *g);
graco_status cpu_spmm(struct context *c, const struct spmm *s);
graco_status cpu_add(struct context *c, int64_t n, float *y, const float *x);
graco_status cpu_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                            const float *scale, const float *X, bool accumulate);
graco_status cpu_activate(struct context *c, const struct activation *a, float *Y, const float *X);
graco_status cpu_activate_backward(struct context *c, const struct activation *a, float *dX,
                                   const float *dY, const float *Y, float *dbias, float *dslope);
graco_status cpu_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                           const float *bias, float *norm);
graco_status cpu_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                    const float *Z, const float *norm, float *dbias);
graco_status cpu_contrast(struct context *c, struct contrast *s);
graco_status cpu_contrast_backward(struct context *c, const struct contrast *s, float *dZ);
graco_status cpu_moment(struct context *c, struct moment *s);
graco_status cpu_moment_backward(struct context *c, const struct moment *s, float *dZ);
graco_status cpu_draw_bytes(struct context *c, const struct random_key *key, double p, int64_t n,
                            uint8_t *keep);
graco_status cpu_draw_floats(struct context *c, const struct random_key *key, double p, int64_t n,
                             float *keep);
graco_status cpu_compact(struct context *c, int count, const struct compaction *list);
graco_status cpu_degree_scale(struct context *c, int64_t rows, const int64_t *start,
                              const int32_t *count, double share, double power, float *scale);
graco_status cpu_adam(struct context *c, const struct adam *a);
graco_status cpu_finite(struct context *c, int64_t n, const float *x, int64_t *spoiled);
graco_status cpu_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                        const int32_t *index);

/* Memory of the host; shared with the reference back end. */
graco_status host_allocate(void *out, size_t bytes);
graco_status host_copy(struct context *c, void *to, const void *from, size_t bytes);
graco_status host_zero(struct context *c, void *block, size_t bytes);

#endif
