/* Sparse products, and the drawing of views.
 *
 * A product gathers: a row of Y is the sum of the rows of X that its entries name. A warp takes a
 * row and a span of columns; its lanes read 32 entries at once and hand them to each other. A long
 * row, such as one of transposed features, takes a whole block: each warp sums a run of the
 * entries, and the parts are added in order. Where both views have the same entries and share X, as
 * with features, entries and X are read once for both. */
#include "compute/cuda/cuda_activation.cuh"

#include <assert.h>

enum {
    LONG_ROW = 64, /* entries from which on a row gets a block */
    LONG_WARPS = 16,
    FEW_ROWS = 2048, /* so few rows would leave the GPU idle if each had a warp only */
};

/* struct spmm by value, as a kernel gets it. */
struct spmm_args {
    struct sparse matrix[2];
    int views;
    int64_t cols;
    const float *X;
    int64_t x_step;
    float *Y;
    int64_t y_step;
    bool accumulate;
    const float *mask[2];
    struct activation after;
    const uint32_t *later;
    bool twin; /* both views have the same entries */
};

template <int V> struct pack {
    float v[V];
};

template <int V> __device__ static inline pack<V> load_pack(const float *p)
{
    pack<V> out;
    if constexpr (V == 4)
        *(float4 *)out.v = *(const float4 *)p;
    else
        out.v[0] = *p;
    return out;
}

template <int V> __device__ static inline void store_pack(float *p, const pack<V> &x)
{
    if constexpr (V == 4)
        *(float4 *)p = *(const float4 *)x.v;
    else
        *p = x.v[0];
}

template <int V> __device__ static inline void add_times(pack<V> &sum, float w, const pack<V> &x)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        sum.v[i] += w * x.v[i];
}

__device__ static inline int64_t row_count(const struct sparse &m, int64_t row)
{
    return m.count ? m.count[row] : m.entries.start[row + 1] - m.entries.start[row];
}

/* sum[k] += sum of w_e X[index_e] over entries first .. last - 1 of a row, for one view's weights.
 */
template <int V, int N>
__device__ static inline void gather_one(pack<V> (&sum)[N], const struct sparse &m, const float *X,
                                         int64_t cols, int64_t col, int64_t first, int64_t last)
{
    int lane = threadIdx.x % WARP;
    for (int64_t base = first; base < last; base += WARP) {
        int count = (int)(last - base < WARP ? last - base : WARP);
        int32_t at = 0;
        float weight = 0;
        if (lane < count) {
            at = m.entries.index[base + lane];
            weight = (m.entries.value ? m.entries.value[base + lane] : 1) *
                     (m.col_scale ? m.col_scale[at] : 1);
        }
#pragma unroll 4
        for (int e = 0; e < count; e++) {
            const float *x = X + (int64_t)__shfl_sync(~0u, at, e) * cols + col;
            float w = __shfl_sync(~0u, weight, e);
#pragma unroll
            for (int k = 0; k < N; k++)
                if (col + k * WARP * V < cols)
                    add_times(sum[k], w, load_pack<V>(x + k * WARP * V));
        }
    }
}

/* The same entries for two views. A shared X is read once; else each view reads its own. */
template <int V, int N>
__device__ static inline void gather_twin(pack<V> (&sum)[2][N], const struct spmm_args &p,
                                          int64_t col, int64_t first, int64_t last)
{
    const struct sparse &a = p.matrix[0], &b = p.matrix[1];
    int lane = threadIdx.x % WARP;
    for (int64_t base = first; base < last; base += WARP) {
        int count = (int)(last - base < WARP ? last - base : WARP);
        int32_t at = 0;
        float left = 0, right = 0;
        if (lane < count) {
            at = a.entries.index[base + lane];
            float value = a.entries.value ? a.entries.value[base + lane] : 1;
            left = value * (a.col_scale ? a.col_scale[at] : 1);
            right = value * (b.col_scale ? b.col_scale[at] : 1);
        }
#pragma unroll 2
        for (int e = 0; e < count; e++) {
            const float *x = p.X + (int64_t)__shfl_sync(~0u, at, e) * p.cols + col;
            float u = __shfl_sync(~0u, left, e), v = __shfl_sync(~0u, right, e);
#pragma unroll
            for (int k = 0; k < N; k++)
                if (col + k * WARP * V < p.cols) {
                    pack<V> first_x = load_pack<V>(x + k * WARP * V);
                    add_times(sum[0][k], u, first_x);
                    add_times(sum[1][k], v,
                              p.x_step ? load_pack<V>(x + p.x_step + k * WARP * V) : first_x);
                }
        }
    }
}

/* What follows a sum: the mask of its columns, then bias and activation. */
template <int V, bool ends>
__device__ static inline void end_pack(pack<V> &x, const struct spmm_args &p,
                                       const struct activation &after, int view, int64_t row,
                                       int64_t col)
{
    const float *mask = p.mask[view];
#pragma unroll
    for (int i = 0; i < V; i++) {
        if (mask)
            x.v[i] *= mask[col + i];
        if (ends)
            x.v[i] = activated(after, x.v[i] + (after.bias ? after.bias[col + i] : 0),
                               view * p.y_step + row * p.cols + col + i);
    }
}

/* Adds the identity's part, scales the row, and writes it to Y or adds it. Where Y is shared, the
 * sums of all C views go to one row. */
template <int V, int N, int C, bool ends>
__device__ static inline void finish_rows(pack<V> (&sum)[C][N], const struct spmm_args &p,
                                          int first_view, int64_t row, int64_t col)
{
    struct activation after = p.after;
    after.key = key_now(after.key, p.later);
#pragma unroll
    for (int k = 0; k < N; k++) {
        int64_t at = col + k * WARP * V;
        if (at >= p.cols)
            continue;
        pack<V> total = {};
#pragma unroll
        for (int i = 0; i < C; i++) {
            int view = first_view + i;
            const struct sparse &m = p.matrix[view];
            int64_t own = m.first + row;
            float scale = m.row_scale ? m.row_scale[row] : 1;
            pack<V> part = sum[i][k];
            if (m.self && own < m.entries.cols)
                add_times(part, m.col_scale ? m.col_scale[own] : 1,
                          load_pack<V>(p.X + view * p.x_step + own * p.cols + at));
            float *y = p.Y + view * p.y_step + row * p.cols + at;
            if (p.y_step != 0 || i == 0)
                total = p.accumulate ? load_pack<V>(y) : pack<V>{};
            add_times(total, scale, part);
            end_pack<V, ends>(total, p, after, view, row, at);
            if (p.y_step != 0 || i == C - 1)
                store_pack<V>(y, total);
        }
    }
}

/* Sums of one row over the part'th of `parts` runs of its entries, for C views. */
template <int V, int N, int C>
__device__ static inline void gather_row(pack<V> (&sum)[C][N], const struct spmm_args &p,
                                         int first_view, int64_t row, int64_t col, int part,
                                         int parts)
{
#pragma unroll
    for (int i = 0; i < C * N; i++)
        sum[i / N][i % N] = pack<V>{};
    if constexpr (C == 2)
        if (p.twin) {
            int64_t start = p.matrix[0].entries.start[row], count = row_count(p.matrix[0], row);
            gather_twin(sum, p, col, start + count * part / parts,
                        start + count * (part + 1) / parts);
            return;
        }
#pragma unroll
    for (int i = 0; i < C; i++) {
        int view = first_view + i;
        int64_t start = p.matrix[view].entries.start[row], count = row_count(p.matrix[view], row);
        gather_one(sum[i], p.matrix[view], p.X + view * p.x_step, p.cols, col,
                   start + count * part / parts, start + count * (part + 1) / parts);
    }
}

/* One row by all warps of the block, each a run of its entries; the first adds the parts in order
 * and finishes. */
template <int V, int N, int C, bool ends>
__device__ static inline void share_row(pack<V> (*parts)[N][WARP], const struct spmm_args &p,
                                        int first_view, int64_t row, int64_t col)
{
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    pack<V> sum[C][N];
    gather_row(sum, p, first_view, row, col, warp, warps);
#pragma unroll
    for (int i = 0; i < C; i++) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < N; k++)
            parts[warp][k][lane] = sum[i][k];
        __syncthreads();
        if (warp > 0)
            continue;
#pragma unroll
        for (int k = 0; k < N; k++)
            for (int other = 1; other < warps; other++)
                add_times(sum[i][k], 1, parts[other][k][lane]);
    }
    if (warp == 0)
        finish_rows<V, N, C, ends>(sum, p, first_view, row, col);
}

/* By the room for the row in the first view, so that all views of a row are treated alike. */
__device__ static inline bool is_long(const struct spmm_args &p, int64_t row)
{
    return p.matrix[0].entries.start[row + 1] - p.matrix[0].entries.start[row] >= LONG_ROW;
}

/* A warp per row; then the block takes its long rows one after the other. blockIdx.y counts spans
 * of columns, blockIdx.z views where each has its own. */
template <int V, int N, int C, bool ends>
__global__ static void __launch_bounds__(BLOCK) multiply_rows(struct spmm_args p)
{
    __shared__ pack<V> parts[BLOCK_WARPS][N][WARP];
    int64_t first = (int64_t)blockIdx.x * BLOCK_WARPS, row = first + threadIdx.x / WARP;
    int64_t col = (int64_t)blockIdx.y * (WARP * V * N) + threadIdx.x % WARP * V;
    bool inside = row < p.matrix[0].entries.rows, by_block = inside && is_long(p, row);
    bool some = __syncthreads_or(by_block); /* at the start, where nobody waits for it */
    if (inside && !by_block) {
        pack<V> sum[C][N];
        gather_row(sum, p, blockIdx.z, row, col, 0, 1);
        finish_rows<V, N, C, ends>(sum, p, blockIdx.z, row, col);
    }
    for (row = first; some && row < first + BLOCK_WARPS && row < p.matrix[0].entries.rows; row++)
        if (is_long(p, row))
            share_row<V, N, C, ends>(parts, p, blockIdx.z, row, col);
}

/* A block per row. */
template <int V, int N, int C, bool ends>
__global__ static void __launch_bounds__(LONG_WARPS *WARP) long_rows(struct spmm_args p)
{
    __shared__ pack<V> parts[LONG_WARPS][N][WARP];
    int64_t col = (int64_t)blockIdx.y * (WARP * V * N) + threadIdx.x % WARP * V;
    share_row<V, N, C, ends>(parts, p, blockIdx.z, blockIdx.x, col);
}

template <int V, int N, int C, bool ends>
static void launch(cudaStream_t stream, struct spmm_args *p)
{
    int64_t rows = p->matrix[0].entries.rows;
    unsigned spans = blocks_for(p->cols, WARP * V * N), z = p->views / C;
    if (rows <= FEW_ROWS && p->matrix[0].longest >= 2 * LONG_WARPS)
        long_rows<V, N, C, ends>
            <<<dim3((unsigned)rows, spans, z), LONG_WARPS * WARP, 0, stream>>>(*p);
    else
        multiply_rows<V, N, C, ends>
            <<<dim3(blocks_for(rows, BLOCK_WARPS), spans, z), BLOCK, 0, stream>>>(*p);
}

/* Both views in one go where they share entries or a result. */
template <int V, int N> static void choose(cudaStream_t stream, struct spmm_args *p, bool ends)
{
    if (p->views == 2 && (p->y_step == 0 || p->twin))
        ends ? launch<V, N, 2, true>(stream, p) : launch<V, N, 2, false>(stream, p);
    else
        ends ? launch<V, N, 1, true>(stream, p) : launch<V, N, 1, false>(stream, p);
}

static bool same_entries(const struct spmm *s)
{
    const struct sparse *a = &s->matrix[0], *b = &s->matrix[1];
    return s->views == 2 && a->entries.start == b->entries.start && a->count == b->count &&
           a->entries.index == b->entries.index && a->entries.value == b->entries.value;
}

graco_status cuda_spmm(struct context *c, const struct spmm *s)
{
    cudaStream_t stream = state_of(c)->stream;
    struct spmm_args p = {};
    assert(!s->rows);
    assert(spmm_plain(s) || (!s->accumulate && (s->views == 1 || s->y_step != 0)));
    if (s->matrix[0].entries.rows == 0 || s->cols == 0)
        return GRACO_OK;
    for (int view = 0; view < s->views; view++)
        p.matrix[view] = s->matrix[view];
    p.views = s->views;
    p.cols = s->cols;
    p.X = s->X;
    p.x_step = s->x_step;
    p.Y = s->Y;
    p.y_step = s->y_step;
    p.accumulate = s->accumulate;
    p.mask[0] = s->mask[0];
    p.mask[1] = s->mask[1];
    if (s->after)
        p.after = *s->after;
    p.later = state_of(c)->later;
    p.twin = same_entries(s);
    bool aligned = ((uintptr_t)s->X | (uintptr_t)s->Y) % 16 == 0 && s->cols % 4 == 0;
    if (!aligned)
        choose<1, 2>(stream, &p, s->after);
    else if (s->cols <= 128)
        choose<4, 1>(stream, &p, s->after);
    else
        choose<4, 2>(stream, &p, s->after);
    PASS_LAUNCH("a sparse product");
    return GRACO_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

struct drawings {
    struct drawing list[DRAWINGS_MAX];
    uint64_t threshold[DRAWINGS_MAX];
};

/* Four elements per thread, as one block of Philox gives; those that are listed have a block each. blockIdx.y
 * counts what is drawn. */
__global__ static void draw(const struct drawings all, const uint32_t *later)
{
    const struct drawing &what = all.list[blockIdx.y];
    uint64_t threshold = all.threshold[blockIdx.y];
    struct random_key key = key_now(what.key, later);
    int64_t first = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    uint32_t lanes[4];
    if (first >= what.n)
        return;
    if (!what.id)
        device_random_block(lanes, key, (uint64_t)first / 4);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (first + i >= what.n)
            return;
        uint32_t drawn = lanes[i];
        if (what.id) {
            uint32_t element = what.id[first + i], other[4];
            device_random_block(other, key, element / 4);
            drawn = other[element % 4];
        }
        if (what.bytes)
            what.bytes[first + i] = drawn >= threshold;
        else
            what.floats[first + i] = drawn >= threshold;
    }
}

graco_status cuda_draw(struct context *c, int count, const struct drawing *list)
{
    struct cuda_state *s = state_of(c);
    struct drawings all = {};
    int64_t most = 0;
    for (int i = 0; i < count; i++) {
        all.list[i] = list[i];
        all.threshold[i] = random_threshold(list[i].p);
        most = list[i].n > most ? list[i].n : most;
    }
    draw<<<dim3(blocks_for(most, 4 * BLOCK), count), BLOCK, 0, s->stream>>>(all, s->later);
    PASS_LAUNCH("drawing views");
    return GRACO_OK;
}

struct compactions {
    struct compaction list[COMPACTIONS_MAX];
};

/* total^power. */
__device__ static inline float scale_of(double total, double power)
{
    return (float)(power == -1 ? 1 / total : 1 / sqrt(total));
}

/* A warp per row: the kept ones among 32 entries know their place from a ballot. */
__global__ static void __launch_bounds__(BLOCK) compact(const struct compactions all)
{
    const struct compaction &job = all.list[blockIdx.y];
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= job.rows)
        return;
    int64_t first = job.start[row], last = job.start[row + 1], to = first;
    for (int64_t base = first; base < last; base += WARP) {
        int64_t e = base + lane;
        bool mine = e < last && job.keep[job.id ? (int64_t)job.id[e] : e];
        unsigned all_kept = __ballot_sync(~0u, mine);
        if (mine) {
            int64_t place = to + __popc(all_kept & ((1u << lane) - 1));
            job.kept[place] = job.index[e];
            if (job.weight)
                job.kept_weight[place] = job.weight[e];
        }
        to += __popc(all_kept);
    }
    if (lane > 0)
        return;
    job.count[row] = (int32_t)(to - first);
    if (job.scale)
        job.scale[row] = scale_of(1.0 + (double)(to - first), job.power);
}

graco_status cuda_compact(struct context *c, int count, const struct compaction *list)
{
    struct compactions all = {};
    int64_t rows = 0;
    for (int i = 0; i < count; i++) {
        all.list[i] = list[i];
        rows = list[i].rows > rows ? list[i].rows : rows;
    }
    compact<<<dim3(blocks_for(rows, BLOCK_WARPS), count), BLOCK, 0, state_of(c)->stream>>>(all);
    PASS_LAUNCH("listing kept edges");
    return GRACO_OK;
}

__global__ static void degree_scale(const struct degrees d, float *scale)
{
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= d.rows)
        return;
    double degree = d.known   ? (double)d.known[row]
                    : d.count ? (double)d.count[row]
                              : (double)(d.start[row + 1] - d.start[row]);
    scale[row] = scale_of(1.0 + d.share * degree, d.power);
}

/* A warp per row: each lane adds every 32nd weight, and the lanes' sums are added in a fixed order. */
__global__ static void __launch_bounds__(BLOCK) weighted_scale(const struct degrees d, float *scale)
{
    int64_t row = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= d.rows)
        return;
    int64_t first = d.start[row], last = d.count ? first + d.count[row] : d.start[row + 1];
    double sum = 0;
    for (int64_t k = first + lane; k < last; k += WARP)
        sum += (double)d.weight[k];
    for (int half = WARP / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (lane == 0)
        scale[row] = scale_of(1.0 + d.share * sum, d.power);
}

graco_status cuda_degree_scale(struct context *c, const struct degrees *d, float *scale)
{
    cudaStream_t stream = state_of(c)->stream;
    if (d->weight)
        weighted_scale<<<blocks_for(d->rows, BLOCK_WARPS), BLOCK, 0, stream>>>(*d, scale);
    else
        degree_scale<<<blocks_for(d->rows, BLOCK), BLOCK, 0, stream>>>(*d, scale);
    PASS_LAUNCH("normalising views");
    return GRACO_OK;
}
