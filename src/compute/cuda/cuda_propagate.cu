/* Sparse features propagated: summed over neighbours. A warp has a row of the result in shared
 * memory and adds one neighbour's entries after the other. Their columns differ, so no two lanes
 * add to the same number. A row of many neighbours takes the whole block: each warp sums a run of
 * them, and the sums are added in order. */
#include "compute/cuda/cuda_device.cuh"

enum {
    AHEAD = 2,  /* neighbours whose entries are read before any is added */
    CHUNKS = 2, /* of a neighbour's entries that are read ahead, 32 each */
    MANY = 32,  /* neighbours from which on a row takes the block */
    WARPS = 4,  /* of a block, at most: small blocks fill a multiprocessor's shared memory better */
    BLOCKS = 9, /* that run on a multiprocessor at once, if its shared memory has room for them */
};

struct propagation {
    struct sparse matrix[2], X;
    const float *mask[2];
    float *Y;
    int64_t y_row, y_step;
};

/* A row of a view's matrix. */
struct matrix_row {
    int64_t start;
    int kept, count; /* entries without and with the identity's, which is the last */
    int64_t own;     /* the identity's column */
    float scale;     /* of the sum */
};

__device__ static inline struct matrix_row matrix_row_of(const struct sparse &m, int64_t row)
{
    struct matrix_row l = {m.entries.start[row], 0, 0, m.first + row,
                           m.row_scale ? m.row_scale[row] : 1};
    l.kept = m.count ? m.count[row] : (int)(m.entries.start[row + 1] - l.start);
    l.count = l.kept + (m.self && l.own < m.entries.cols);
    return l;
}

/* Where a neighbour's entries are, and what they are multiplied by. */
struct neighbour {
    int64_t first;
    int count;
    float weight;
};

__device__ static inline struct neighbour
neighbour_of(const struct sparse &m, const struct sparse &X, const struct matrix_row &l, int entry)
{
    int64_t at = entry < l.kept ? m.entries.index[l.start + entry] : l.own;
    float value = entry < l.kept && m.entries.value ? m.entries.value[l.start + entry] : 1;
    int64_t first = X.entries.start[at];
    return {first, (int)(X.entries.start[at + 1] - first),
            value * (m.col_scale ? m.col_scale[at] : 1)};
}

/* Adds `count` neighbours, of which each lane knows one. */
__device__ static inline void add_neighbours(float *sum, const struct sparse &X,
                                             const struct neighbour &mine, int count)
{
    int lane = threadIdx.x % WARP;
    for (int base = 0; base < count; base += AHEAD) {
        struct neighbour n[AHEAD];
        int32_t at[AHEAD][CHUNKS];
        float value[AHEAD][CHUNKS];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            int from = base + i < count ? base + i : count - 1;
            n[i].first = __shfl_sync(~0u, mine.first, from);
            n[i].count = __shfl_sync(~0u, mine.count, from);
            n[i].weight = __shfl_sync(~0u, mine.weight, from);
            n[i].count = base + i < count ? n[i].count : 0;
#pragma unroll
            for (int k = 0; k < CHUNKS; k++) {
                int j = k * WARP + lane;
                at[i][k] = j < n[i].count ? X.entries.index[n[i].first + j] : 0;
                value[i][k] = j < n[i].count ? X.entries.value[n[i].first + j] : 0;
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
#pragma unroll
            for (int k = 0; k < CHUNKS; k++)
                if (k * WARP + lane < n[i].count)
                    sum[at[i][k]] += n[i].weight * value[i][k];
            for (int j = CHUNKS * WARP + lane; j < n[i].count; j += WARP)
                sum[X.entries.index[n[i].first + j]] +=
                    n[i].weight * X.entries.value[n[i].first + j];
            __syncwarp();
        }
    }
}

__device__ static inline void clear_sum(float *sum, int64_t cols)
{
    __syncwarp(); /* an earlier sum may still be read */
    for (int64_t j = 4 * (threadIdx.x % WARP); j < cols; j += 4 * WARP)
        *(group<4> *)(sum + j) = {};
    __syncwarp();
}

/* Adds entries first .. last - 1 of the row. */
__device__ static inline void add_entries(float *sum, const struct propagation &p,
                                          const struct sparse &m, const struct matrix_row &l,
                                          int first, int last)
{
    int lane = threadIdx.x % WARP;
    for (int base = first; base < last; base += WARP) {
        struct neighbour mine = {};
        if (base + lane < last)
            mine = neighbour_of(m, p.X, l, base + lane);
        add_neighbours(sum, p.X, mine, last - base < WARP ? last - base : WARP);
    }
}

/* Writes four columns of a row: the sum of `parts` sums, scaled and masked. */
__device__ static inline void write_four(const struct propagation &p, float scale, int64_t row,
                                         int64_t col, const float *sums, int parts)
{
    const float *mask = p.mask[blockIdx.y];
    group<4> g = *(const group<4> *)(sums + col);
    for (int part = 1; part < parts; part++) {
        group<4> more = *(const group<4> *)(sums + part * p.y_row + col);
        for (int k = 0; k < 4; k++)
            g.x[k] += more.x[k];
    }
    group<4> kept = {{1, 1, 1, 1}};
    if (mask && col + 4 <= p.X.entries.cols)
        kept = *(const group<4> *)(mask + col);
    else
        for (int k = 0; mask && col + k < p.X.entries.cols; k++)
            kept.x[k] = mask[col + k];
#pragma unroll
    for (int k = 0; k < 4; k++)
        g.x[k] *= scale * kept.x[k];
    *(group<4> *)(p.Y + blockIdx.y * p.y_step + row * p.y_row + col) = g;
}

__global__ static void __launch_bounds__(WARPS *WARP, BLOCKS) propagate_rows(struct propagation p)
{
    extern __shared__ __align__(16) float room[];
    int warps = blockDim.x / WARP, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const struct sparse &m = p.matrix[blockIdx.y];
    int64_t first = (int64_t)blockIdx.x * warps, row = first + warp;
    float *sum = room + warp * p.y_row;
    struct matrix_row l = {};
    if (row < m.entries.rows)
        l = matrix_row_of(m, row);
    clear_sum(sum, p.y_row);
    bool many = __syncthreads_or(l.count >= MANY); /* at the start, where nobody waits for it */
    if (row < m.entries.rows && l.count < MANY) {
        add_entries(sum, p, m, l, 0, l.count);
        __syncwarp();
        for (int64_t j = 4 * lane; j < p.y_row; j += 4 * WARP)
            write_four(p, l.scale, row, j, sum, 1);
    }
    for (row = first; many && row < first + warps && row < m.entries.rows; row++) {
        l = matrix_row_of(m, row);
        if (l.count < MANY)
            continue;
        clear_sum(sum, p.y_row);
        add_entries(sum, p, m, l, l.count * warp / warps, l.count * (warp + 1) / warps);
        __syncthreads();
        for (int64_t j = 4 * threadIdx.x; j < p.y_row; j += 4 * blockDim.x)
            write_four(p, l.scale, row, j, room, warps);
        __syncthreads();
    }
}

graco_status cuda_propagate_sparse(struct context *c, const struct propagate_sparse *p)
{
    struct propagation all = {{}, *p->X, {p->mask[0], p->mask[1]}, p->Y, p->y_row, p->y_step};
    size_t row = (size_t)p->y_row * sizeof(float);
    int64_t warps = least(SHARED_BYTES / (int64_t)row, WARPS), rows = p->matrix[0].entries.rows;
    for (int view = 0; view < p->views; view++)
        all.matrix[view] = p->matrix[view];
    if (rows == 0)
        return GRACO_OK;
    propagate_rows<<<dim3(blocks_for(rows, warps), p->views), (unsigned)warps * WARP,
                     (size_t)warps * row, state_of(c)->stream>>>(all);
    PASS_LAUNCH("summing features over neighbours");
    return GRACO_OK;
}
