/* What the two passes of the moment objective share. */
#ifndef COMPUTE_CUDA_CUDA_MOMENT_CUH
#define COMPUTE_CUDA_CUDA_MOMENT_CUH

#include "compute/cuda/cuda_device.cuh"

/* What the kernels of both passes read. */
struct work {
    struct moment spec; /* its sample is the device's copy */
    int64_t rows;
    int64_t chunk; /* pairs of rows in XT: first all of the one view, then their partners */
    int64_t wide;  /* m + d */
    float *XT;     /* (2 chunk, m + d) rows times both: cosines with the sample, and T = Z M */
    double *row;   /* (rows, 6): z.s, z'Mz, positive, and sums of e, x, x^2 over the sample */
};

/* Fills w but for `row`. */
graco_status moment_open(struct cuda_scratch *scratch, struct work *w, const struct moment *s);

/* XT of pairs first .. first + count - 1. */
graco_status moment_products(struct context *c, const struct work *w, int64_t first, int64_t count);

/* out (d): the sum of the rows of Z, or of those times their weights and c1 / 2n. */
graco_status moment_sum(struct cuda_scratch *scratch, const struct moment *s, bool weighted,
                        float *out);

static inline bool fours(const struct work *w)
{
    return w->spec.d % 4 == 0 && w->spec.samples % 4 == 0;
}

__device__ static inline int64_t partner_of(const struct moment &s, int64_t row)
{
    return row < s.n ? row + s.n : row - s.n;
}

/* How many sampled rows row i is compared with: not with itself, not with its partner. */
__device__ static inline double terms_of(const struct work &w, int64_t i)
{
    return (double)(w.spec.samples - (w.spec.place[i] >= 0) -
                    (w.spec.place[partner_of(w.spec, i)] >= 0));
}

/* A pair of rows as one warp works it off: what either row needs of the other is read once. */
template <int wide> struct couple {
    int64_t row[2];
    const group<wide> *z[2];
    group<wide> *x[2], *t[2]; /* the parts of its rows of XT */
    int place[2];             /* in the sample, or -1 */
};

template <int wide>
__device__ static inline couple<wide> couple_of(const struct work &w, int64_t first, int64_t count,
                                                int64_t i)
{
    struct couple<wide> p;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        p.row[k] = first + i + k * w.spec.n;
        p.z[k] = (const group<wide> *)(w.spec.Z + p.row[k] * w.spec.d);
        p.x[k] = (group<wide> *)(w.XT + (i + k * count) * w.wide);
        p.t[k] = p.x[k] + w.spec.samples / wide;
        p.place[k] = w.spec.samples ? w.spec.place[p.row[k]] : -1;
    }
    return p;
}

#endif
