/* Views against a naive oracle: the kept edges are found again from the random numbers themselves,
 * and both orientations, the degrees and the bits are compared on both back ends. */
#include "graph/view.h"

#include "base/memory.h"
#include "check.h"
#include "reference/reference.h"

enum { NODES = 97, PAIRS = 900, FEATURES = 61, SEED = 5 };

/* Edges carry weights where `weighted`. */
static struct graph *make_weighted(int64_t nodes, int64_t pairs, bool weighted)
{
    struct random_key key = {.seed = 3, .stream = RANDOM_GENERATE};
    struct graph *graph = NULL;
    int32_t *source = NULL, *target = NULL;
    float *weight = NULL;
    CHECK_OK(memory_alloc(&weight, pairs, sizeof *weight));
    CHECK_OK(memory_alloc(&source, pairs, sizeof *source));
    CHECK_OK(memory_alloc(&target, pairs, sizeof *target));
    for (int64_t e = 0; e < pairs; e++) {
        /* The last five nodes stay without edges. */
        source[e] = (int32_t)random_below(&key, (uint64_t)(2 * e), nodes - 5);
        target[e] = (int32_t)random_below(&key, (uint64_t)(2 * e + 1), nodes - 5);
        weight[e] = 0.1f + 3 * random_float(&key, (uint64_t)(2 * pairs + e));
    }
    CHECK_OK(graph_build(
        &graph, NULL,
        &(struct graph_pairs){nodes, pairs, source, target, weighted ? weight : NULL, false}));
    memory_free(source);
    memory_free(target);
    memory_free(weight);
    return graph;
}

static struct graph *make_graph(int64_t nodes, int64_t pairs)
{
    return make_weighted(nodes, pairs, false);
}

static bool kept(int v, uint32_t stream, uint32_t step, int64_t element, double p)
{
    struct random_key key = {.seed = SEED, .stream = stream, .view = (uint32_t)v, .step = step};
    return !(p > 0) || random_u32(&key, (uint64_t)element) >= random_threshold(p);
}

/* (nodes, nodes) the weight of edge s -> t if it is listed, else 0, by [t][s]; checks that none is
 * listed twice. */
static void list_edges(float *listed, const struct sparse *m, bool transposed)
{
    memset(listed, 0, (size_t)(m->entries.rows * m->entries.cols) * sizeof *listed);
    bool sound = true;
    for (int64_t row = 0; row < m->entries.rows; row++) {
        int64_t room = m->entries.start[row + 1] - m->entries.start[row];
        int64_t count = m->count ? m->count[row] : room;
        sound = sound && count >= 0 && count <= room;
        for (int64_t k = m->entries.start[row]; sound && k < m->entries.start[row] + count; k++) {
            int64_t col = m->entries.index[k];
            float *cell =
                &listed[transposed ? col * m->entries.rows + row : row * m->entries.cols + col];
            sound = sound && *cell == 0 &&
                    (k == m->entries.start[row] || m->entries.index[k - 1] < col);
            *cell = m->entries.value ? m->entries.value[k] : 1;
        }
    }
    CHECK(sound);
}

/* What view v must be when edges went with probability p. */
static void check_view(const struct views *views, const struct graph *graph, int v, uint32_t step,
                       double p, enum view_norm norm)
{
    const struct sparse *in = &views->map.matrix[v], *out = &views->map.transpose[v];
    int64_t n = graph->nodes;
    size_t cells = (size_t)(n * n) * sizeof(float);
    float *expected = NULL, *listed = NULL;
    bool scales = true;
    CHECK_OK(memory_zalloc(&expected, n * n, sizeof *expected));
    CHECK_OK(memory_zalloc(&listed, n * n, sizeof *listed));
    for (int64_t t = 0; t < n; t++) {
        double degree = 1;
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++) {
            bool keep = kept(v, RANDOM_EDGES, step, e, p);
            float weight = graph->in.value ? graph->in.value[e] : 1;
            expected[t * n + graph->in.index[e]] = keep ? weight : 0;
            degree += keep ? (double)weight : 0;
        }
        double wanted = norm == VIEW_NORM_MEAN ? 1.0 / degree : 1 / sqrt(degree);
        scales = scales && fabs((double)in->row_scale[t] - wanted) <= 1e-7 * wanted;
    }
    CHECK(scales);
    list_edges(listed, in, false);
    CHECK(memcmp(listed, expected, cells) == 0);
    list_edges(listed, out, true);
    CHECK(memcmp(listed, expected, cells) == 0);
    /* M = diag(row) (A + I) diag(col): the transpose swaps the two. */
    CHECK(in->self && out->self && in->entries.rows == n && out->entries.rows == n);
    CHECK(in->row_scale == out->col_scale && in->col_scale == out->row_scale);
    CHECK(norm == VIEW_NORM_MEAN ? in->col_scale == NULL : in->col_scale == in->row_scale);
    memory_free(expected);
    memory_free(listed);
}

static void check_mask(const struct views *views, int v, uint32_t step, double p)
{
    bool same = (views->mask[v] != NULL) == (p > 0);
    CHECK(same);
    for (int64_t i = 0; same && p > 0 && i < FEATURES; i++)
        same = views->mask[v][i] == (kept(v, RANDOM_FEATURES, step, i, p) ? 1.0f : 0.0f);
    CHECK(same);
}

/* Every pair of probabilities, drawn one after another into the same views: what an earlier draw
 * left behind must not show. */
static void draws(const struct backend *backend, int threads, enum view_norm norm, bool weighted)
{
    static const double share[] = {0.3, 0, 1, 0.75, 0};
    enum { SHARES = sizeof share / sizeof *share };
    struct graph *graph = make_weighted(NODES, PAIRS, weighted);
    struct context *context = NULL;
    struct views *views = NULL;
    CHECK_OK(context_create(&context, backend, threads, 0));
    CHECK_OK(views_create(&views, context, graph, NULL, FEATURES, norm, 2));
    for (int v = 0; v < 2; v++) {
        check_view(views, graph, v, 0, 0, norm);
        check_mask(views, v, 0, 0);
    }
    for (uint32_t step = 0; step < SHARES * SHARES; step++) {
        struct view_drop drop = {{share[step % SHARES], share[step / SHARES]},
                                 {share[step / SHARES], share[(step + 1) % SHARES]}};
        CHECK_OK(views_draw(views, &drop, SEED, step, 0));
        for (int v = 0; v < 2; v++) {
            check_view(views, graph, v, step, drop.edge[v], norm);
            check_mask(views, v, step, drop.feature[v]);
        }
    }
    views_free(views);
    context_free(context);
    graph_free(graph);
}

/* The share that is kept is 1 - p, within four deviations; views, steps and seeds differ. */
static void shares(void)
{
    struct graph *graph = make_graph(2000, 40000);
    struct context *context = NULL;
    struct views *views = NULL;
    CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
    CHECK_OK(views_create(&views, context, graph, NULL, 1000, VIEW_NORM_SYMMETRIC, 2));
    for (uint32_t step = 0; step < 20; step++) {
        struct view_drop drop = {{0.1 + 0.04 * step, 0.5}, {0.5, 0.5}};
        CHECK_OK(views_draw(views, &drop, SEED, step, 0));
        int64_t count[2] = {0, 0}, same = 0, edges = graph->edges;
        for (int64_t t = 0; t < graph->nodes; t++)
            for (int v = 0; v < 2; v++)
                count[v] += views->map.matrix[v].count[t];
        for (int v = 0; v < 2; v++) {
            double mean = (1 - drop.edge[v]) * (double)edges;
            CHECK(fabs((double)count[v] - mean) < 4 * sqrt(mean * drop.edge[v]) + 1);
        }
        for (int64_t i = 0; i < 1000; i++)
            same += views->mask[0][i] == views->mask[1][i];
        CHECK(same > 400 && same < 600);
    }
    views_free(views);
    context_free(context);
    graph_free(graph);
}

/* Masks from outside, by edge id. */
static void given(void)
{
    struct graph *graph = make_graph(NODES, PAIRS);
    struct context *context = NULL;
    struct views *views = NULL;
    uint8_t *keep = NULL;
    float mask[FEATURES];
    CHECK_OK(memory_alloc(&keep, graph->edges, 1));
    for (int64_t e = 0; e < graph->edges; e++)
        keep[e] = e % 3 != 0;
    for (int i = 0; i < FEATURES; i++)
        mask[i] = (float)(i % 2);
    CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
    CHECK_OK(views_create(&views, context, graph, NULL, FEATURES, VIEW_NORM_SYMMETRIC, 2));
    CHECK_OK(views_set(views, 1, keep, mask));
    bool same = true;
    const struct sparse *m = &views->map.matrix[1];
    for (int64_t t = 0; t < NODES; t++) {
        int64_t at = m->entries.start[t];
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            if (keep[e])
                same = same && m->entries.index[at++] == graph->in.index[e];
        same = same && at - m->entries.start[t] == m->count[t];
    }
    CHECK(same);
    CHECK(memcmp(views->mask[1], mask, sizeof mask) == 0 && views->mask[0] == NULL);
    check_view(views, graph, 0, 0, 0, VIEW_NORM_SYMMETRIC);
    views_free(views);
    context_free(context);
    memory_free(keep);
    graph_free(graph);
}

/* The products that encoders make with a view, bit for bit alike for any number of threads, and
 * those with the transpose equal to those with the matrix: y . M x = x . M' y. */
static void products(void)
{
    struct graph *graph = make_graph(NODES, PAIRS);
    const struct {
        const struct backend *backend;
        int threads;
    } devices[] = {{&backend_cpu, 1}, {&backend_cpu, 3}, {&backend_reference, 1}};
    float X[2 * NODES * 3], Y[3][2 * NODES * 3], T[2 * NODES * 3];
    struct random_key key = {.seed = 8, .stream = RANDOM_GENERATE};
    for (int i = 0; i < 2 * NODES * 3; i++)
        X[i] = random_float(&key, (uint64_t)i) - 0.5f;
    for (int device = 0; device < 3; device++) {
        struct context *context = NULL;
        struct views *views = NULL;
        struct view_drop drop = {{0.4, 0.2}, {0.1, 0}};
        CHECK_OK(context_create(&context, devices[device].backend, devices[device].threads, 0));
        CHECK_OK(views_create(&views, context, graph, NULL, FEATURES, VIEW_NORM_SYMMETRIC, 2));
        CHECK_OK(views_draw(views, &drop, SEED, 1, 0));
        struct spmm s = {.views = 2,
                         .matrix = views->map.matrix,
                         .cols = 3,
                         .X = X,
                         .x_step = NODES * 3,
                         .Y = Y[device],
                         .y_step = NODES * 3};
        CHECK_OK(context->kernels->spmm(context, &s));
        s.matrix = views->map.transpose;
        s.X = Y[device];
        s.Y = T;
        CHECK_OK(context->kernels->spmm(context, &s));
        double square = 0, product = 0;
        for (int i = 0; i < 2 * NODES * 3; i++) {
            square += (double)Y[device][i] * (double)Y[device][i];
            product += (double)X[i] * (double)T[i];
        }
        CHECK(fabs(square - product) < 1e-5 * square && square > 0);
        views_free(views);
        context_free(context);
    }
    CHECK(memcmp(Y[0], Y[1], sizeof Y[0]) == 0);
    double off = 0;
    for (int i = 0; i < 2 * NODES * 3; i++)
        off = fmax(off, fabs((double)Y[0][i] - (double)Y[2][i]));
    CHECK(off < 1e-6);
    graph_free(graph);
}

static void no_edges(void)
{
    struct graph *graph = NULL;
    struct context *context = NULL;
    struct views *views = NULL;
    struct view_drop drop = {{0.5, 1}, {1, 0.5}};
    CHECK_OK(graph_create(&graph, NULL, 4, 0, NULL, NULL, true));
    CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
    CHECK_OK(views_create(&views, context, graph, NULL, 3, VIEW_NORM_SYMMETRIC, 2));
    CHECK_OK(views_draw(views, &drop, SEED, 0, 0));
    for (int v = 0; v < 2; v++)
        check_view(views, graph, v, 0, drop.edge[v], VIEW_NORM_SYMMETRIC);
    CHECK(views->mask[0][0] == 0 && views->mask[0][1] == 0 && views->mask[0][2] == 0);
    views_free(views);
    context_free(context);
    graph_free(graph);
    views_free(NULL);
}

/* Means over neighbours alone: no diagonal, shares that add up to one, zero where there are none. */
static void neighbours(bool weighted)
{
    struct graph *graph = make_weighted(NODES, PAIRS, weighted);
    struct context *context = NULL;
    struct views *views = NULL;
    CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
    CHECK_OK(views_create(&views, context, graph, NULL, 0, VIEW_NORM_NEIGHBOURS, 1));
    const struct sparse *in = &views->map.matrix[0], *out = &views->map.transpose[0];
    const struct segments *segments = &views->segments;
    CHECK(!in->self && !out->self && !in->col_scale && in->row_scale == out->col_scale);
    CHECK(segments->count == graph->edges && segments->longest == csr_longest_row(&graph->in));
    for (int64_t t = 0; t < graph->nodes; t++) {
        double degree = 0;
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            degree += weighted ? (double)graph->in.value[e] : 1;
        CHECK(in->row_scale[t] == (degree > 0 ? (float)(1.0 / degree) : 0));
    }
    for (int64_t e = 0; e < graph->edges; e++) /* entry e of the transpose was entry from[e] */
        CHECK(segments->from[e] < graph->edges);
    views_free(views);
    context_free(context);
    graph_free(graph);
}

int main(void)
{
    for (int norm = 0; norm < 4; norm++) {
        bool weighted = norm > 1;
        draws(&backend_cpu, 1, (enum view_norm)(norm % 2), weighted);
        draws(&backend_cpu, 3, (enum view_norm)(norm % 2), weighted);
        draws(&backend_reference, 1, (enum view_norm)(norm % 2), weighted);
    }
    shares();
    given();
    products();
    no_edges();
    neighbours(false);
    neighbours(true);
    return check_result();
}
