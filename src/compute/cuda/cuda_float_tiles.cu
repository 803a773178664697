/* Tiles of float32 on the ordinary units, and of TF32 on the tensor cores: one way for both.
 *
 * A thread block has a tile of TILE_ROWS by TILE_COLS similarities, a thread 8 by 8 of them, in
 * registers. The operands come in slabs through a ring in shared memory, some slabs ahead of use.
 * Forward, a tile is the sum over slabs of DEPTH columns of both blocks of Z. Backward, it becomes
 * weights, which go to shared memory; then come slabs of DEPTH rows of the block of columns, which
 * the weights are multiplied with, and the sums stay in registers until the row of tiles ends.
 *
 * The threads of a warp stand in 8 rows of 4, the warps in 2 rows of 4. In float32 a thread has two
 * groups of four rows 64 apart, and the same of columns, so that it reads four at once; in TF32 it
 * has what the matrix instructions give it. All else is the same. */
#include "compute/cuda/cuda_mma.cuh"

enum {
    DEPTH = 16,
    STAGES = 4, /* of the ring */
    CHUNK = 16, /* bytes that are copied at once: four floats */
    OPERAND_BYTES = TILE_ROWS * DEPTH * 4,
    STAGE_BYTES = 2 * OPERAND_BYTES,
    RING_BYTES = STAGES * STAGE_BYTES,
    WEIGHT_BYTES = TILE_ROWS * TILE_COLS * 4,
    ROW_BYTES = TILE_COLS * 4, /* of weights; in float32 the rows are the tile's columns */
    ROW_SLABS = TILE_COLS / DEPTH,
    WARPS_Y = 2,
    WARPS_X = 4,
    NOTE_BYTES = 128,
    SUM_BYTES = (WARPS_X + WARPS_Y) * TILE_ROWS * 4,
    OWN = 8, /* rows of a tile that a thread has a part of, and columns */
};

static_assert((int)TILE_ROWS == (int)TILE_COLS && BLOCK_WARPS == WARPS_Y * WARPS_X,
              "the tile of a block");
static_assert(RING_BYTES + WEIGHT_BYTES + NOTE_BYTES <= FLOAT_TILES_SHARED, "shared memory");

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
struct seat {
    int lane, y, x;     /* in its warp */
    int warp_y, warp_x; /* its warp in the block */

    __device__ seat()
    {
        int number = thread_number();
        lane = number % WARP;
        y = lane / 4;
        x = lane % 4;
        warp_y = number / WARP / WARPS_X;
        warp_x = number / WARP % WARPS_X;
    }

    /* Its row i of a tile, and its column j; `width`: of the tile, or of Z. */
    template <bool tf32> __device__ int row(int i) const
    {
        return tf32 ? warp_y * 64 + i / 2 * 16 + i % 2 * 8 + y
                    : i / 4 * 64 + warp_y * 32 + y * 4 + i % 4;
    }

    template <bool tf32, int width = TILE_COLS> __device__ int col(int j) const
    {
        return tf32 ? warp_x * (width / 4) + j / 2 * 8 + x * 2 + j % 2
                    : j / 4 * 64 + warp_x * 16 + x * 4 + j % 4;
    }
};

/* ---- Slabs ----------------------------------------------------------------------------------- */

/* TF32: where 16 bytes of a row of DEPTH floats lie. Eight rows then fill all banks. */
__device__ static inline int operand_place(int row, int chunk)
{
    return row * DEPTH * 4 + (chunk ^ (row / 2 % 4)) * CHUNK;
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

/* DEPTH rows of a block of Z. In TF32 the floats of row j change places by exclusive or with
 * 8 (j % 4): four rows then fill all banks. */
template <bool tf32, int width>
__device__ static inline void copy_rows(const struct tiles &t, char *to, int64_t block, int slab)
{
    int me = thread_number();
#pragma unroll
    for (int i = 0; i < DEPTH * width / 4 / BLOCK; i++) {
        int at = i * BLOCK + me, row = at / (width / 4), chunk = at % (width / 4);
        copy_chunk(
            address_of(to + (row * (width / 4) + (tf32 ? chunk ^ (row % 4 * 2) : chunk)) * CHUNK),
            t.floats + (block * TILE_ROWS + slab * DEPTH + row) * width + chunk * 4);
    }
}

/* Slabs of columns that a tile sums over: at least as many as are fetched ahead. */
__device__ static inline int depths_of(int64_t d)
{
    return d <= (STAGES - 1) * DEPTH ? STAGES - 1 : (int)((d + DEPTH - 1) / DEPTH);
}

/* What a part's way through its tiles (struct tile_walk) comes to. One thread goes that way, and
 * leaves this in shared memory: registers are scarce. */
struct tile_note {
    int next_row, next_col; /* blocks of the tile behind this one; none: -1 */
    bool ends, whole;       /* the part is then done with the row, and has all of it */
    float *share;           /* where its sums go if not */
};

/* A part's way from slab to slab. The ring is filled STAGES - 1 slabs ahead, which may be slabs of
 * the next tile, never of the one after it. */
template <bool backward, bool tf32, int width> struct slab_walk {
    typedef tile_walk<backward, TILE_COLS> way;
    static_assert(sizeof(way) + 2 * sizeof(struct tile_note) <= NOTE_BYTES, "shared memory");

    char *ring;
    way *walk;              /* in shared memory, of thread 0 */
    struct tile_note *note; /* likewise: two, since some threads are a tile behind */
    int row, col;           /* blocks of this tile */
    int stage = 0, depths;

    __device__ slab_walk(const struct tiles &t, char *memory, char *notes)
        : ring(memory), walk((way *)notes), note((struct tile_note *)(notes + sizeof(way))),
          depths(depths_of(t.d))
    {
        way begin(t);
        row = (int)begin.row;
        col = (int)begin.col(t);
        if (threadIdx.x == 0)
            *walk = begin;
        for (int i = 0; i < STAGES - 1; i++) {
            fetch(t, i, row, col, i);
            copies_end();
        }
        look(t);
    }

    __device__ void fetch(const struct tiles &t, int slab, int rows, int cols, int to) const
    {
        char *slot = ring + to * STAGE_BYTES;
        if (backward && slab >= depths) {
            copy_rows<tf32, width>(t, slot, cols, slab - depths);
            return;
        }
        copy_columns<tf32>(t, slot, rows, slab);
        copy_columns<tf32>(t, slot + OPERAND_BYTES, cols, slab);
    }

    /* Notes what is to be known of this tile; a barrier must follow. */
    __device__ void look(const struct tiles &t)
    {
        if (threadIdx.x > 0)
            return;
        note->ends = walk->row_ends();
        note->whole = walk->whole();
        note->share = backward ? walk->share(t) : NULL;
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
        int ahead = slab + STAGES - 1, slabs = depths + (backward ? ROW_SLABS : 0);
        copies_wait<STAGES - 2>();
        __syncthreads();
        int to = (stage + STAGES - 1) % STAGES;
        if (ahead < slabs)
            fetch(t, ahead, row, col, to);
        else if (note->next_row >= 0)
            fetch(t, ahead - slabs, note->next_row, note->next_col, to);
        copies_end();
        stage = (stage + 1) % STAGES;
        return here;
    }
};

/* ---- Products -------------------------------------------------------------------------------- */

/* What a thread multiplies in float32: `count` of a row's floats, four at a time and 64 apart. */
template <int count> __device__ static inline void take(float (&x)[count], const float *from)
{
#pragma unroll
    for (int i = 0; i < count / 4; i++) {
        float4 four = *(const float4 *)(from + i * 64);
        x[4 * i] = four.x;
        x[4 * i + 1] = four.y;
        x[4 * i + 2] = four.z;
        x[4 * i + 3] = four.w;
    }
}

template <int count>
__device__ static inline void add_products(float (&sum)[OWN][count], const float (&a)[OWN],
                                           const float (&b)[count])
{
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < count; j++)
            sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
}

/* s += the slab's columns of the block of rows times those of the block of columns. */
template <bool tf32>
__device__ static inline void add_similarities(float (&s)[OWN][OWN], const char *slab)
{
    const char *other = slab + OPERAND_BYTES;
    const seat at;
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
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float a[OWN], b[OWN];
            take(a, A + k * TILE_ROWS);
            take(b, B + k * TILE_COLS);
            add_products(s, a, b);
        }
    }
}

/* Where 16 bytes of a row of weights lie. TF32: row i of the tile, whose columns are multiplied in
 * turn; reading 8 rows at once and writing 4 rows of 32 bytes fill all banks. Float32: column j of
 * the tile; writing 2 chunks of columns 4 apart fills them. */
template <bool tf32> __device__ static inline int weight_place(int row, int chunk)
{
    int turn = tf32 ? (row % 4 * 2 | row / 4 % 2) : row / 4 % 4 * 2;
    return row * ROW_BYTES + (chunk ^ turn) * CHUNK;
}

/* sum += the weights of a slab's columns times the slab, which has these columns' rows of Z. */
template <bool tf32, int width>
__device__ static inline void add_rows(float (&sum)[OWN][width / 16], const char *weights,
                                       const char *slab, int number)
{
    const seat at;
    const float *Z = (const float *)slab;
    if constexpr (tf32) {
#pragma unroll
        for (int k = 0; k < DEPTH / 8; k++) {
            uint32_t a[4][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                load(a[i], address_of(weights + weight_place<true>(
                                                    at.warp_y * 64 + i * 16 + at.lane % 16,
                                                    (number * DEPTH / 8 + k) * 2 + at.lane / 16)));
#pragma unroll
            for (int j = 0; j < width / 32; j++) {
                int col = at.warp_x * (width / 4) + j * 8 + at.y;
                const float *b = Z + (k * 8 + at.x) * width + (col ^ (at.x * 8));
                uint32_t b0 = __float_as_uint(b[0]), b1 = __float_as_uint(b[4 * width]);
#pragma unroll
                for (int i = 0; i < 4; i++)
                    multiply(&sum[2 * i][2 * j], &sum[2 * i + 1][2 * j], a[i], b0, b1);
            }
        }
    } else {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float a[OWN], b[width / 16];
            take(a, (const float *)(weights + number * DEPTH * ROW_BYTES +
                                    weight_place<false>(k, at.row<false>(0) / 4)));
            take(b, Z + k * width + at.col<false, width>(0));
            add_products(sum, a, b);
        }
    }
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* Exponentials in place of similarities; 0 for the row itself and for padding. */
template <bool tf32>
__device__ static inline void exponentiate(const struct tiles &t, float (&s)[OWN][OWN], int row,
                                           int col)
{
    const seat at;
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
    const seat at;
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
__global__ static void __launch_bounds__(BLOCK, 1)
    float_forward(const __grid_constant__ struct tiles t)
{
    extern __shared__ __align__(128) char plain[];
    float *rows = (float *)(plain + RING_BYTES), *cols = rows + WARPS_X * TILE_ROWS;
    double own[2] = {0, 0}; /* of row threadIdx.x: within the view, between views */
    int me = (int)threadIdx.x;
    slab_walk<false, tf32, TILE_SLAB> at(t, plain, plain + RING_BYTES + SUM_BYTES);
    for (; at.more(); at.next(t)) {
        float s[OWN][OWN] = {};
#pragma unroll 1
        for (int slab = 0; slab < at.depths; slab++)
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

/* Weights e (1/D_i + 1/D_j) to shared memory. Where the row meets itself or its partner, on the
 * diagonal of a `special` tile, the weight is 0. */
template <bool tf32>
__device__ static inline void weigh(char *weights, float (&s)[OWN][OWN], float scale,
                                    const float *row_inverse, const float *col_inverse,
                                    bool special)
{
    const seat at;
    float own[OWN];
#pragma unroll
    for (int i = 0; i < OWN; i++)
        own[i] = row_inverse[at.row<tf32>(i)];
#pragma unroll
    for (int j = 0; j < OWN; j++) {
        float other = col_inverse[at.col<tf32>(j)];
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            float w = tile_exp(s[i][j], scale) * (own[i] + other);
            if (special && at.row<tf32>(i) == at.col<tf32>(j))
                w = 0;
            s[i][j] = tf32 ? tile_tf32(w) : w;
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; tf32 && j < OWN; j += 2) {
            int col = at.col<tf32>(j);
            char *to = weights + weight_place<tf32>(at.row<tf32>(i), col / 4) + col % 4 * 4;
            *(float2 *)to = make_float2(s[i][j], s[i][j + 1]);
        }
#pragma unroll
    for (int j = 0; j < OWN; j++)
#pragma unroll
        for (int i = 0; !tf32 && i < OWN; i += 4)
            *(float4 *)(weights + weight_place<tf32>(at.col<tf32>(j), at.row<tf32>(i) / 4)) =
                make_float4(s[i][j], s[i + 1][j], s[i + 2][j], s[i + 3][j]);
}

/* At the end of a row of tiles: the sums go to dZ or to the part's shares, and are cleared. */
template <bool tf32, int width>
__device__ static inline void leave_rows(const struct tiles &t, int row,
                                         const struct tile_note &note,
                                         float (&sum)[OWN][width / 16])
{
    const seat at;
    int64_t view = row >= t.blocks, first = (row - view * t.blocks) * TILE_ROWS;
    float *to = note.whole ? t.dZ + (view * t.n + first) * t.d : note.share;
    int64_t ld = note.whole ? t.d : width, rows = note.whole ? t.n - first : TILE_ROWS;
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < width / 16; j++) {
            int y = at.row<tf32>(i), x = at.col<tf32, width>(j);
            if (y < rows && x < ld)
                to[y * ld + x] = sum[i][j];
            sum[i][j] = 0;
        }
}

template <bool tf32, int width>
__global__ static void __launch_bounds__(BLOCK, 1)
    float_backward(const __grid_constant__ struct tiles t)
{
    extern __shared__ __align__(128) char plain[];
    char *weights = plain + RING_BYTES;
    float sum[OWN][width / 16] = {};
    slab_walk<true, tf32, width> at(t, plain, plain + RING_BYTES + WEIGHT_BYTES);
    for (; at.more(); at.next(t)) {
        float s[OWN][OWN] = {};
#pragma unroll 1
        for (int slab = 0; slab < at.depths; slab++)
            add_similarities<tf32>(s, at.arrive(t, slab));
        int apart = at.row - at.col;
        weigh<tf32>(weights, s, t.scale, t.inverse + (int64_t)at.row * TILE_ROWS,
                    t.inverse + (int64_t)at.col * TILE_COLS,
                    apart == 0 || apart == t.blocks || apart == -t.blocks);
        /* The next slab's barrier shows the weights to all. */
#pragma unroll 1
        for (int slab = 0; slab < ROW_SLABS; slab++)
            add_rows<tf32, width>(sum, weights, at.arrive(t, at.depths + slab), slab);
        if (at.note->ends)
            leave_rows<tf32, width>(t, at.row, *at.note, sum);
    }
}

/* ---- Launching ------------------------------------------------------------------------------- */

static cudaError_t launch(void (*kernel)(struct tiles), const struct tiles &t, int bytes,
                          cudaStream_t stream)
{
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<(unsigned)t.parts, BLOCK, (size_t)bytes, stream>>>(t);
    return cudaGetLastError();
}

cudaError_t float_tiles_forward(const struct tiles &t, bool tf32, cudaStream_t stream)
{
    return launch(tf32 ? float_forward<true> : float_forward<false>, t,
                  RING_BYTES + SUM_BYTES + NOTE_BYTES, stream);
}

template <bool tf32> static cudaError_t backward(const struct tiles &t, cudaStream_t stream)
{
    return launch(t.width == 64    ? float_backward<tf32, 64>
                  : t.width == 128 ? float_backward<tf32, 128>
                                   : float_backward<tf32, 256>,
                  t, RING_BYTES + WEIGHT_BYTES + NOTE_BYTES, stream);
}

cudaError_t float_tiles_backward(const struct tiles &t, bool tf32, cudaStream_t stream)
{
    return tf32 ? backward<true>(t, stream) : backward<false>(t, stream);
}
