/* The contrast of many graphs at once, each within itself, in plain steps: a warp goes over the rows of
 * its row's graph, in float32 with sums in double, whatever the precision. Graphs are meant to be small;
 * a large one costs far more here than as a step of its own. */
#include "compute/cuda/cuda_contrast.cuh"

/* Row i's graph: its first node, the one behind its last, and what its loss is divided by. */
struct row_graph {
    int64_t first, last;
    double divisor;
};

/* The last graph that starts at or before the node; no graph is empty. */
__device__ static struct row_graph graph_of(const struct contrast &s, int64_t i)
{
    int64_t node = i < s.n ? i : i - s.n, low = 0, high = s.graphs;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (s.start[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    int64_t first = s.start[low], last = s.start[low + 1];
    return {first, last, (double)(2 * (last - first)) * (double)s.graphs};
}

/* exp((x_ij - 1) / tau), in all lanes. */
__device__ static double similarity(const struct contrast &s, int64_t i, int64_t j)
{
    double x = warp_dot(s.Z + i * s.d, s.Z + j * s.d, s.d);
    return exp((x - 1) / s.tau);
}

/* D, and each block's part of loss and estimate; a warp per row, rows strided over warps. */
__global__ static void graph_losses(struct contrast s, double *partial)
{
    int64_t warps = (int64_t)gridDim.x * BLOCK_WARPS;
    double loss = 0, estimate = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP; i < 2 * s.n;
         i += warps) {
        struct row_graph graph = graph_of(s, i);
        int64_t own = i < s.n ? 0 : s.n, other = s.n - own;
        double between = 0, within = 0;
        for (int64_t node = graph.first; node < graph.last; node++) {
            between += similarity(s, i, other + node);
            if (s.within && own + node != i)
                within += similarity(s, i, own + node);
        }
        double x = log(similarity(s, i, i - own + other));
        if (threadIdx.x % WARP > 0)
            continue;
        s.D[i] = between + within;
        loss += (log(between + within) - x) / graph.divisor;
        estimate += (log((double)(graph.last - graph.first)) + x - log(between)) / graph.divisor;
    }
    leave_sums(partial, loss, estimate);
}

__global__ static void report_graphs(const double *partial, int64_t blocks,
                                     struct cuda_results *results)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0) {
        results->loss = total.x;
        results->mutual_information = total.y;
    }
}

graco_status graphs_forward(struct cuda_scratch *scratch, struct contrast *s)
{
    struct cuda_state *state = state_of(scratch->context);
    double *partial = NULL;
    unsigned blocks = blocks_striding(state, 2 * s->n, BLOCK_WARPS);
    PASS(scratch_take(scratch, &partial, 2 * (int64_t)blocks, sizeof(double)));
    graph_losses<<<blocks, BLOCK, 0, state->stream>>>(*s, partial);
    report_graphs<<<1, BLOCK, 0, state->stream>>>(partial, blocks, state->results);
    PASS_LAUNCH("the loss of graphs");
    cuda_ask(state, {s});
    return GRACO_OK;
}

/* dZ_i += w z_j, by a warp. */
__device__ static void add_row(const struct contrast &s, float *dZ, int64_t i, int64_t j, double w)
{
    for (int64_t k = threadIdx.x % WARP; k < s.d; k += WARP)
        dZ[i * s.d + k] += (float)w * s.Z[j * s.d + k];
}

/* A warp per row. The positive pair's two terms nearly cancel: they are added first, as one. */
__global__ static void graph_gradient(struct contrast s, float *dZ)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (i >= 2 * s.n)
        return;
    struct row_graph graph = graph_of(s, i);
    int64_t own = i < s.n ? 0 : s.n, other = s.n - own, partner = i - own + other;
    double inverse = 1 / s.D[i], scale = 1 / (graph.divisor * s.tau);
    for (int64_t k = threadIdx.x % WARP; k < s.d; k += WARP)
        dZ[i * s.d + k] = 0;
    add_row(s, dZ, i, partner,
            scale * (similarity(s, i, partner) * (inverse + 1 / s.D[partner]) - 2));
    for (int64_t node = graph.first; node < graph.last; node++) {
        int64_t j = other + node;
        if (j != partner)
            add_row(s, dZ, i, j, scale * similarity(s, i, j) * (inverse + 1 / s.D[j]));
        j = own + node;
        if (s.within && j != i)
            add_row(s, dZ, i, j, scale * similarity(s, i, j) * (inverse + 1 / s.D[j]));
    }
}

graco_status graphs_backward(struct context *c, const struct contrast *s, float *dZ)
{
    graph_gradient<<<blocks_for(2 * s->n, BLOCK_WARPS), BLOCK, 0, state_of(c)->stream>>>(*s, dZ);
    PASS_LAUNCH("the gradient of graphs");
    return GRACO_OK;
}
