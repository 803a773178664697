/* Tiles of float32 on the ordinary units, and of TF32 on the tensor cores: one way for both.
 *
 * A thread block has a tile of TILE_ROWS by TILE_COLS similarities, a thread 8 by 8 of them, in
 * registers: the sum over slabs of DEPTH columns of both blocks of Z, which come through a ring in
 * shared memory, some slabs ahead of use. Forward, a thread block goes from tile to tile and keeps
 * the sums of its rows. Backward, it makes one tile of a panel (cuda_wide.cuh) and leaves its weights.
 *
 * The threads of a warp stand in 8 rows of 4, the warps in 2 rows of 4. In float32 a thread has two
 * groups of four rows 64 apart, and the same of columns, so that it reads four at once; in TF32 it
 * has what the matrix instructions give it. All else is the same. */
#include "compute/cuda/cuda_mma.cuh"
#include "compute/cuda/cuda_wide.cuh"

enum {
    DEPTH = 32, /* columns of a slab; docs/performance.md compares them with 16 */
    STAGES = 3, /* of the ring: more do not fit beside a second thread block */
    CHUNK = 16, /* bytes that are copied at once: four floats */
    OPERAND_BYTES = TILE_ROWS * DEPTH * 4, /* a slab of one side of a tile */
    STAGE_BYTES = 2 * OPERAND_BYTES,
    RING_BYTES = STAGES * STAGE_BYTES,
    WARPS_Y = 2, /* how the warps stand in a tile */
    WARPS_X = 4,
    SUM_BYTES = (WARPS_X + WARPS_Y) * TILE_ROWS * 4, /* what leave_tile_sums leaves */
    NOTE_BYTES = 128,                                /* for what slab_walk keeps in shared memory */
    OWN = 8, /* rows of a tile that a thread has a part of, and columns */
};

static_assert((int)TILE_ROWS == (int)TILE_COLS && BLOCK_WARPS == WARPS_Y * WARPS_X,
              "the tile of a block");
static_assert(RING_BYTES + SUM_BYTES + NOTE_BYTES <= FLOAT_TILES_SHARED, "shared memory");

/* ---- Who has what ---------------------------------------------------------------------------- */

/* The thread's number, asked anew: else the compiler computes all places of all slabs once and
 * keeps them in registers, of which there are too few. */
__device__ static inline int thread_number()
{
    int number = (int)threadIdx.x;
    asm volatile("" : "+r"(number));
    return number;
}

/* Where a thread stands. */
struct thread_place {
    int lane, y, x;     /* in its warp */
    int warp_y, warp_x; /* its warp in the block */

    __device__ thread_place()
    {
        int number = thread_number();
        lane = number % WARP;
        y = lane / 4;
        x = lane % 4;
        warp_y = number / WARP / WARPS_X;
        warp_x = number / WARP % WARPS_X;
    }

    /* Its row i of a tile, and its column j. */
    template <bool tf32> __device__ int row(int i) const
    {
        return tf32 ? warp_y * 64 + i / 2 * 16 + i % 2 * 8 + y
                    : i / 4 * 64 + warp_y * 32 + y * 4 + i % 4;
    }

    template <bool tf32> __device__ int col(int j) const
    {
        return tf32 ? warp_x * (TILE_COLS / 4) + j / 2 * 8 + x * 2 + j % 2
                    : j / 4 * 64 + warp_x * 16 + x * 4 + j % 4;
    }
};

/* ---- Slabs ----------------------------------------------------------------------------------- */

/* TF32: where 16 bytes of a row of DEPTH floats lie. Eight rows then fill all banks. */
__device__ static inline int operand_place(int row, int chunk)
{
    return row * DEPTH * 4 + (chunk ^ (row % 8)) * CHUNK;
}

/* DEPTH columns of a block of Z. */
template <bool tf32>
__device__ static inline void copy_columns(const struct tiles &t, char *to, int64_t block, int slab)
{
    int me = thread_number();
#pragma unroll
    for (int i = 0; i < OPERAND_BYTES / CHUNK / BLOCK; i++) {
        int at = i * BLOCK + me;
        if (tf32) {
            int row = at / (DEPTH / 4), chunk = at % (DEPTH / 4);
            copy_chunk(address_of(to + operand_place(row, chunk)),
                       t.floats + (block * TILE_ROWS + row) * t.width + slab * DEPTH + chunk * 4);
        } else {
            int depth = at / (TILE_ROWS / 4), chunk = at % (TILE_ROWS / 4);
            copy_chunk(address_of(to + at * CHUNK), t.turned +
                                                        (slab * DEPTH + depth) * tiles_rows(t) +
                                                        block * TILE_ROWS + chunk * 4);
        }
    }
}

/* Slab `slab` of both sides of a tile. */
template <bool tf32>
__device__ static inline void copy_slab(const struct tiles &t, char *slot, int row, int col,
                                        int slab)
{
    copy_columns<tf32>(t, slot, row, slab);
    copy_columns<tf32>(t, slot + OPERAND_BYTES, col, slab);
    copies_end();
}

/* Slabs of columns that a tile sums over: at least as many as are fetched ahead. */
__device__ static inline int slabs_of(int64_t d)
{
    return d <= (STAGES - 1) * DEPTH ? STAGES - 1 : (int)((d + DEPTH - 1) / DEPTH);
}

/* What a part's way through its tiles (struct tile_walk) comes to. One thread goes that way, and
 * leaves this in shared memory: registers are scarce. */
struct tile_note {
    int next_row, next_col; /* blocks of the tile behind this one; none: -1 */
    bool ends;              /* the part is then done with the row */
};

/* A part's way from slab to slab. The ring is filled STAGES - 1 slabs ahead, which may be slabs of
 * the next tile, never of the one after it. */
template <bool tf32> struct slab_walk {
    typedef tile_walk<false> way;
    static_assert(sizeof(way) + 2 * sizeof(struct tile_note) <= NOTE_BYTES, "shared memory");

    char *ring;
    way *walk;              /* in shared memory, of thread 0 */
    struct tile_note *note; /* likewise: two, since some threads are a tile behind */
    int row, col;           /* blocks of this tile */
    int stage = 0, slabs;   /* the ring's next place; slabs of a tile */

    __device__ slab_walk(const struct tiles &t, char *memory, char *notes)
        : ring(memory), walk((way *)notes), note((struct tile_note *)(notes + sizeof(way))),
          slabs(slabs_of(t.d))
    {
        way begin(t);
        row = (int)begin.row;
        col = (int)begin.col(t);
        if (threadIdx.x == 0)
            *walk = begin;
        for (int i = 0; i < STAGES - 1; i++)
            copy_slab<tf32>(t, ring + i * STAGE_BYTES, row, col, i);
        look(t);
    }

    /* Notes what is to be known of this tile; a barrier must follow. */
    __device__ void look(const struct tiles &t)
    {
        if (threadIdx.x > 0)
            return;
        note->ends = walk->row_ends();
        walk->next(t);
        note->next_row = walk->more() ? (int)walk->row : -1;
        note->next_col = walk->more() ? (int)walk->col(t) : -1;
    }

    __device__ bool more() const
    {
        return row >= 0;
    }

    __device__ void next(const struct tiles &t)
    {
        row = note->next_row;
        col = note->next_col;
        struct tile_note *first = (struct tile_note *)(walk + 1);
        note = note == first ? first + 1 : first;
        if (more())
            look(t);
    }

    /* Waits for a slab, and fetches one in the place of the slab before it, which every thread is
     * done with. Returns where it is. */
    __device__ const char *arrive(const struct tiles &t, int slab)
    {
        const char *here = ring + stage * STAGE_BYTES;
        int ahead = slab + STAGES - 1;
        copies_wait<STAGES - 2>();
        __syncthreads();
        char *to = ring + (stage + STAGES - 1) % STAGES * STAGE_BYTES;
        if (ahead < slabs)
            copy_slab<tf32>(t, to, row, col, ahead);
        else if (note->next_row >= 0)
            copy_slab<tf32>(t, to, note->next_row, note->next_col, ahead - slabs);
        else
            copies_end();
        stage = (stage + 1) % STAGES;
        return here;
    }
};

/* ---- Products -------------------------------------------------------------------------------- */

/* What a thread multiplies in float32: OWN of a row's floats, four at a time and 64 apart. */
__device__ static inline void take(float (&x)[OWN], const float *from)
{
#pragma unroll
    for (int i = 0; i < OWN / 4; i++) {
        float4 four = *(const float4 *)(from + i * 64);
        x[4 * i] = four.x;
        x[4 * i + 1] = four.y;
        x[4 * i + 2] = four.z;
        x[4 * i + 3] = four.w;
    }
}

__device__ static inline void add_products(float (&sum)[OWN][OWN], const float (&a)[OWN],
                                           const float (&b)[OWN])
{
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < OWN; j++)
            sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
}

/* s += the slab's columns of the block of rows times those of the block of columns. */
template <bool tf32>
__device__ static inline void add_similarities(float (&s)[OWN][OWN], const char *slab)
{
    const char *other = slab + OPERAND_BYTES;
    const thread_place at;
    if constexpr (tf32) {
#pragma unroll
        for (int k = 0; k < DEPTH / 8; k++) {
            uint32_t a[4][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load(a[i], address_of(slab + operand_place(at.warp_y * 64 + i * 16 + at.lane % 16,
                                                           2 * k + at.lane / 16)));
#pragma unroll
            for (int j = 0; j < 2; j++)
                load(b[j], address_of(other + operand_place(at.warp_x * 32 + j * 16 +
                                                                at.lane / 16 * 8 + at.lane % 8,
                                                            2 * k + at.lane / 8 % 2)));
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    multiply(&s[2 * i][2 * j], &s[2 * i + 1][2 * j], a[i], b[j / 2][j % 2 * 2],
                             b[j / 2][j % 2 * 2 + 1]);
        }
    } else {
        const float *A = (const float *)slab + at.row<false>(0);
        const float *B = (const float *)other + at.col<false>(0);
#pragma unroll 16 /* more do not fit into the cache of instructions */
        for (int k = 0; k < DEPTH; k++) {
            float a[OWN], b[OWN];
            take(a, A + k * TILE_ROWS);
            take(b, B + k * TILE_COLS);
            add_products(s, a, b);
        }
    }
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Exponentials in place of similarities; 0 for the row itself and for padding. */
template <bool tf32>
__device__ static inline void exponentiate(const struct tiles &t, float (&s)[OWN][OWN], int row,
                                           int col)
{
    const thread_place at;
    int64_t rows = t.n - row % (int)t.blocks * TILE_ROWS;
    int64_t cols = t.n - col % (int)t.blocks * TILE_COLS;
    bool whole = row != col && rows >= TILE_ROWS && cols >= TILE_COLS;
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < OWN; j++) {
            s[i][j] = tile_exp(s[i][j], t.scale);
            int y = at.row<tf32>(i), x = at.col<tf32>(j);
            if (!whole && (y >= rows || x >= cols || (row == col && x == y)))
                s[i][j] = 0;
        }
}

/* Adds v over the lanes that differ in `bit`; each keeps half of the totals, of v's second half if
 * it has the bit. */
template <int count> __device__ static inline void fold(float *v, int bit)
{
    bool second = threadIdx.x & bit;
#pragma unroll
    for (int i = 0; i < count / 2; i++) {
        float mine = second ? v[i + count / 2] : v[i], other = second ? v[i] : v[i + count / 2];
        v[i] = mine + __shfl_xor_sync(~0u, other, bit);
    }
}

/* Each warp's sums along rows (WARPS_X, TILE_ROWS) and along columns (WARPS_Y, TILE_COLS). */
template <bool tf32>
__device__ static inline void leave_tile_sums(float *rows, float *cols, const float (&e)[OWN][OWN])
{
    const thread_place at;
    float along[OWN], down[OWN];
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        along[i] = down[i] = 0;
#pragma unroll
        for (int j = 0; j < OWN; j++) {
            along[i] += e[i][j];
            down[i] += e[j][i];
        }
    }
    fold<8>(along, 2);
    fold<4>(along, 1);
    fold<8>(down, 16);
    fold<4>(down, 8);
    fold<2>(down, 4);
    rows[at.warp_x * TILE_ROWS + at.row<tf32>(2 * at.x)] = along[0];
    rows[at.warp_x * TILE_ROWS + at.row<tf32>(2 * at.x + 1)] = along[1];
    cols[at.warp_y * TILE_COLS + at.col<tf32>(at.y)] = down[0];
}

template <bool tf32>
__global__ static void __launch_bounds__(BLOCK, FLOAT_TILES_SHARE)
    float_forward(const __grid_constant__ struct tiles t)
{
    extern __shared__ __align__(128) char plain[];
    float *rows = (float *)(plain + RING_BYTES), *cols = rows + WARPS_X * TILE_ROWS;
    double own[2] = {0, 0}; /* of row threadIdx.x: within the view, between views */
    int me = (int)threadIdx.x;
    slab_walk<tf32> at(t, plain, plain + RING_BYTES + SUM_BYTES);
    for (; at.more(); at.next(t)) {
        float s[OWN][OWN] = {};
#pragma unroll 1
        for (int slab = 0; slab < at.slabs; slab++)
            add_similarities<tf32>(s, at.arrive(t, slab));
        exponentiate<tf32>(t, s, at.row, at.col);
        leave_tile_sums<tf32>(rows, cols, s);
        __syncthreads();
        int between = (at.row < t.blocks) != (at.col < t.blocks);
        float *sums = t.sums + (int64_t)2 * blockIdx.x * tiles_rows(t);
        if (me < TILE_ROWS) {
            float sum = rows[me];
            for (int i = 1; i < WARPS_X; i++)
                sum += rows[i * TILE_ROWS + me];
            own[0] += between ? 0 : (double)sum;
            own[1] += between ? (double)sum : 0;
        } else if (at.row != at.col) {
            int x = me - TILE_ROWS;
            sums[between * tiles_rows(t) + (int64_t)at.col * TILE_COLS + x] +=
                cols[x] + cols[TILE_COLS + x];
        }
        if (at.note->ends && me < TILE_ROWS)
            for (int i = 0; i < 2; i++) {
                sums[i * tiles_rows(t) + (int64_t)at.row * TILE_ROWS + me] += (float)own[i];
                own[i] = 0;
            }
    }
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Leaves the weights e (1/D_i + 1/D_j) of a tile. Where the row meets itself or its partner the weight is 0: on the
 * diagonal of a `special` tile. */
template <bool tf32>
__device__ static inline void leave_weights(const struct wide &p, const float (&s)[OWN][OWN],
                                            int row, int col)
{
    constexpr int RUN = tf32 ? 2 : 4; /* columns of a thread that lie together */
    const thread_place at;
    const float *row_inverse = p.t.inverse + (int64_t)(p.row + row) * TILE_ROWS;
    const float *col_inverse = p.t.inverse + (int64_t)(p.col + col) * TILE_COLS;
    const int apart = p.row + row - p.col - col;
    const bool special = apart == 0 || apart == p.t.blocks || apart == -p.t.blocks;
    const int64_t ld = (int64_t)p.cols * TILE_COLS;
    float *to = (float *)p.weights + (int64_t)row * TILE_ROWS * ld + (int64_t)col * TILE_COLS;
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        const int y = at.row<tf32>(i);
        const float own = row_inverse[y];
#pragma unroll
        for (int j = 0; j < OWN; j += RUN) {
            const int x = at.col<tf32>(j);
            float w[RUN];
#pragma unroll
            for (int k = 0; k < RUN; k++) {
                w[k] = tile_exp(s[i][j + k], p.t.scale) * (own + col_inverse[x + k]);
                if (special && y == x + k)
                    w[k] = 0;
            }
            if constexpr (tf32)
                *(float2 *)(to + y * ld + x) = make_float2(tile_tf32(w[0]), tile_tf32(w[1]));
            else
                *(float4 *)(to + y * ld + x) = make_float4(w[0], w[1], w[2], w[3]);
        }
    }
}

template <bool tf32>
__global__ static void __launch_bounds__(BLOCK, FLOAT_TILES_SHARE)
    make_weights(const __grid_constant__ struct wide p)
{
    extern __shared__ __align__(128) char plain[];
    const int row = (int)blockIdx.y, col = (int)blockIdx.x, slabs = slabs_of(p.t.d);
    float s[OWN][OWN] = {};
    for (int i = 0; i < STAGES - 1; i++)
        copy_slab<tf32>(p.t, plain + i * STAGE_BYTES, p.row + row, p.col + col, i);
#pragma unroll 1
    for (int slab = 0; slab < slabs; slab++) {
        int ahead = slab + STAGES - 1;
        copies_wait<STAGES - 2>();
        __syncthreads();
        if (ahead < slabs)
            copy_slab<tf32>(p.t, plain + ahead % STAGES * STAGE_BYTES, p.row + row, p.col + col,
                            ahead);
        else
            copies_end();
        add_similarities<tf32>(s, plain + slab % STAGES * STAGE_BYTES);
    }
    leave_weights<tf32>(p, s, row, col);
}

/* ---- Launching ------------------------------------------------------------------------------- */

template <typename job>
static cudaError_t launch(void (*kernel)(job), const job &given, dim3 blocks, int bytes,
                          cudaStream_t stream)
{
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<blocks, BLOCK, (size_t)bytes, stream>>>(given);
    return cudaGetLastError();
}

cudaError_t float_tiles_forward(const struct tiles &t, bool tf32, cudaStream_t stream)
{
    return launch(tf32 ? float_forward<true> : float_forward<false>, t, dim3((unsigned)t.parts),
                  RING_BYTES + SUM_BYTES + NOTE_BYTES, stream);
}

cudaError_t float_weights(const struct wide &p, bool tf32, cudaStream_t stream)
{
    return launch(tf32 ? make_weights<true> : make_weights<false>, p,
                  dim3((unsigned)p.cols, (unsigned)p.rows), RING_BYTES, stream);
}
