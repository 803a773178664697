/* The k largest products of every row with the others, in panels: cuBLAS multiplies in float32, and a warp
 * per row looks for numbers that reach the bar of its list. A panel stays in the GPU's cache between the
 * two. Lists are heaps in the GPU's memory; few numbers of a panel get as far. All panels have one shape, with
 * zeros behind the last row, so that cuBLAS adds up all products in one order: equal rows get equal scores.
 *
 * Products in half precision would need float32 only for candidates, but a proof that nothing was missed
 * needs a gap of about 2^-10 behind the k-th neighbour, which good embeddings do not have. */
#include "compute/cuda/cuda_device.cuh"

#include "compute/neighbour_heap.h"

enum {
    /* 32 MiB of products. The width is a multiple of the height also where there are fewer rows: either
     * is a power of two. */
    SEARCH_ROWS = 2048,
    SEARCH_COLS = 4096,
    SEARCH_LEAST = 128,
    AHEAD = 4, /* numbers that a lane reads before it looks at any */
};

__global__ static void begin_lists(int64_t lists, int64_t k, uint64_t *best)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < lists)
        heap_init(best + i * k, k);
}

__global__ static void sort_lists(int64_t lists, int64_t k, uint64_t *best)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < lists)
        heap_sort(best + i * k, k);
}

/* Row i of Y = row list[i] of X, or row i where list is NULL, times its scale. */
__global__ static void scale_rows_of(int64_t rows, int64_t d, float *Y, const float *X,
                                     const int32_t *list, const float *scale)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * d; i += step) {
        int64_t row = list ? list[i / d] : i / d;
        Y[i] = X[row * d + i % d] * scale[row];
    }
}

/* A panel: the rows asked for from `first` on by the columns from `from` on; both are counted without the
 * zeros behind the last. */
struct neighbour_panel {
    int64_t first, rows, from, cols;
    const float *S; /* (height, width) */
    int64_t width;
};

/* Offers one number of each lane to the list of the warp's row; returns its bar. Only lane 0 touches the
 * list. */
__device__ static float offer_lanes(uint64_t *heap, int64_t k, float x, int64_t col, float bar)
{
    unsigned reached = __ballot_sync(~0u, x >= bar);
    if (!reached)
        return bar;
    for (; reached; reached &= reached - 1) {
        int lane = __ffs((int)reached) - 1;
        float score = __shfl_sync(~0u, x, lane);
        if (threadIdx.x % WARP == 0)
            heap_offer(heap, k, score, col + lane);
    }
    return __shfl_sync(~0u, threadIdx.x % WARP == 0 ? heap_bar(heap, col + WARP) : 0.0f, 0);
}

__global__ static void __launch_bounds__(BLOCK)
    offer_panel(struct neighbour_panel p, int64_t k, const int32_t *list, uint64_t *best)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (i >= p.rows)
        return;
    uint64_t *heap = best + (p.first + i) * k;
    const float *row = p.S + i * p.width;
    int64_t self = (list ? list[p.first + i] : p.first + i) - p.from;
    float bar = __shfl_sync(~0u, lane == 0 ? heap_bar(heap, p.from) : 0.0f, 0);
    for (int64_t first = 0; first < p.cols; first += AHEAD * WARP) {
        float x[AHEAD];
        bool any = false;
        for (int a = 0; a < AHEAD; a++) {
            int64_t j = first + a * WARP + lane;
            x[a] = j < p.cols && j != self ? row[j] : NAN; /* NaN reaches no bar */
            any = any || x[a] >= bar;
        }
        if (!__any_sync(~0u, any))
            continue;
        for (int a = 0; a < AHEAD; a++)
            bar = offer_lanes(heap, k, x[a], p.from + first + a * WARP, bar);
    }
}

/* What a search has on the device. */
struct neighbour_device {
    float *all, *asked;    /* (n, d), (asked, d) scaled rows; one block where all are asked for */
    int32_t *list;         /* (asked) or NULL */
    int64_t height, width; /* of a panel */
    float *S;              /* (height, width) */
    uint64_t *best;        /* (asked, k) */
};

static int64_t panel_side(int64_t rows, int64_t most)
{
    int64_t side = SEARCH_LEAST;
    while (side < rows && side < most)
        side *= 2;
    return side;
}

/* Room for so many scaled rows, whole panels of them, zeros where nothing will be. */
static graco_status take_rows(struct cuda_scratch *scratch, float **out, int64_t rows,
                              int64_t panel, int64_t d)
{
    struct context *c = scratch->context;
    int64_t room = (rows + panel - 1) / panel * panel;
    PASS(scratch_take(scratch, out, room * d, sizeof **out));
    return cuda_zero(c, *out + rows * d, (size_t)((room - rows) * d) * sizeof **out);
}

static graco_status upload_rows(struct cuda_scratch *scratch, struct neighbour_device *device,
                                const struct neighbour_search *s)
{
    struct context *c = scratch->context;
    struct cuda_state *state = state_of(c);
    float *scale = NULL;
    PASS(scratch_take(scratch, &scale, s->n, sizeof *scale));
    PASS(cuda_upload(c, scale, s->scale, (size_t)s->n * sizeof *scale));
    PASS(
        take_rows(scratch, &device->all, s->n, device->width, s->d)); /* a panel's rows divide it */
    PASS(cuda_upload(c, device->all, s->Z, (size_t)(s->n * s->d) * sizeof(float)));
    device->asked = device->all;
    if (s->list) {
        PASS(scratch_take(scratch, &device->list, s->asked, sizeof *device->list));
        PASS(cuda_upload(c, device->list, s->list, (size_t)s->asked * sizeof *device->list));
        PASS(take_rows(scratch, &device->asked, s->asked, device->height, s->d));
        scale_rows_of<<<blocks_striding(state, s->asked * s->d, BLOCK), BLOCK, 0, state->stream>>>(
            s->asked, s->d, device->asked, device->all, device->list, scale);
        PASS_LAUNCH("scaling rows");
    }
    scale_rows_of<<<blocks_striding(state, s->n * s->d, BLOCK), BLOCK, 0, state->stream>>>(
        s->n, s->d, device->all, device->all, NULL, scale);
    PASS_LAUNCH("scaling rows");
    return GRACO_OK;
}

static graco_status visit_panel(struct context *c, const struct neighbour_device *device,
                                const struct neighbour_search *s, int64_t first, int64_t from)
{
    const struct neighbour_panel p = {first,     least(device->height, s->asked - first),
                                      from,      least(device->width, s->n - from),
                                      device->S, device->width};
    PASS(cuda_multiply(c, {device->S, device->width, device->height, device->width, false}, s->d,
                       operand_of(device->asked + first * s->d, s->d),
                       transpose_of(device->all + from * s->d, s->d)));
    offer_panel<<<blocks_for(p.rows, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(
        p, s->k, device->list, device->best);
    PASS_LAUNCH("finding neighbours");
    return GRACO_OK;
}

graco_status cuda_neighbours(struct context *c, const struct neighbour_search *s)
{
    struct cuda_scratch scratch(c);
    struct neighbour_device device = {};
    cudaStream_t stream = state_of(c)->stream;
    unsigned blocks = blocks_for(s->asked, BLOCK);
    device.height = panel_side(s->asked, SEARCH_ROWS);
    device.width = panel_side(s->n, SEARCH_COLS);
    PASS(upload_rows(&scratch, &device, s));
    PASS(scratch_take(&scratch, &device.S, device.height * device.width, sizeof(float)));
    PASS(scratch_take(&scratch, &device.best, s->asked * s->k, sizeof *device.best));
    begin_lists<<<blocks, BLOCK, 0, stream>>>(s->asked, s->k, device.best);
    PASS_LAUNCH("beginning lists of neighbours");
    for (int64_t i = 0; i < s->asked; i += device.height)
        for (int64_t j = 0; j < s->n; j += device.width)
            PASS(visit_panel(c, &device, s, i, j));
    sort_lists<<<blocks, BLOCK, 0, stream>>>(s->asked, s->k, device.best);
    PASS_LAUNCH("sorting lists of neighbours");
    return cuda_download(c, s->best, device.best, (size_t)(s->asked * s->k) * sizeof *device.best);
}
