/* What the forward and the backward kernels of the moment objective share. */
#ifndef COMPUTE_CUDA_CUDA_MOMENT_CUH
#define COMPUTE_CUDA_CUDA_MOMENT_CUH

#include "compute/cuda/cuda_device.cuh"

/* What the kernels of both directions read. */
struct moment_work {
    struct moment spec; /* its sample is the device's copy */
    int64_t rows;
    int64_t chunk; /* pairs of rows in XT: first all of the one view, then their partners */
    int64_t wide;  /* m + d */
    float *XT;     /* (2 chunk, m + d) rows times both: cosines with the sample, and T = Z M */
};

graco_status moment_open(struct cuda_scratch *scratch, struct moment_work *w,
                         const struct moment *s);

/* XT of pairs first .. first + count - 1. */
graco_status moment_products(struct context *c, const struct moment_work *w, int64_t first,
                             int64_t count);

/* out (d): the sum of the rows of Z, or of the rows times their inverse and c1 / 2n. */
graco_status moment_sum(struct cuda_scratch *scratch, const struct moment *s, bool weighted,
                        float *out);

/* Whether rows of Z and XT can be read four numbers at a time. */
static inline bool by_fours(const struct moment_work *w)
{
    return w->spec.d % 4 == 0 && w->spec.samples % 4 == 0;
}

/* Rows of all ranks. */
static inline __host__ __device__ int64_t all_rows(const struct moment &s)
{
    return 2 * (s.among.own ? s.among.all : s.n);
}

__device__ static inline int64_t partner_of(const struct moment &s, int64_t row)
{
    return row < s.n ? row + s.n : row - s.n;
}

/* How many sampled rows row i is compared with: not with itself, not with its partner. */
__device__ static inline double terms_of(const struct moment &s, int64_t i)
{
    return (double)(s.samples - (s.place[i] >= 0) - (s.place[partner_of(s, i)] >= 0));
}

/* A row and its partner. One warp works off both, so that what one needs of the other is read once.
 */
template <int wide> struct row_pair {
    int64_t row[2];
    const group<wide> *z[2];
    group<wide> *x[2], *t[2]; /* the parts of its rows of XT */
    int place[2];             /* in the sample, or -1 */
};

template <int wide>
__device__ static inline row_pair<wide> pair_of(const struct moment_work &w, int64_t first,
                                                int64_t count, int64_t i)
{
    struct row_pair<wide> p;
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
