/* The contrast of many graphs at once, each within itself.
 *
 * A small graph is one square of similarities, of both views' rows by both views' rows, in the scratch
 * memory of the thread that works on it; graphs are shared between threads. A graph that is larger is
 * copied out, and all threads run the tiles of cpu_contrast.c over it. A graph's numbers depend on its
 * own rows alone, and the loss adds graphs in their order. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <string.h>

enum {
    SQUARE = CONTRAST_TILE, /* rows, both views', of the largest small graph */
    GRAPHS_AT_ONCE = 16,    /* that a thread takes */
};

static const double LOG2E = 1.44269504088896340736;

struct graph_sweep {
    const struct contrast *spec;
    const struct loops *loops;
    int64_t scratch;         /* floats of one thread's memory */
    float *work;             /* (threads, scratch) */
    double *loss, *estimate; /* (graphs) forward: sums over the graph's rows */
    float *dZ;               /* (2n, d) backward */
    void (*run)(struct graph_sweep *sweep, int64_t graph, int seat);
};

/* One graph in a thread's memory. */
struct square {
    int64_t first, nodes, rows; /* its first node, and how many; both views' rows */
    float *S;                   /* (rows, SQUARE) similarities, exponentials or weights */
    float *Z, *dZ;              /* (rows, d) */
    float *packed;              /* Z' */
    float *sums;                /* (2, SQUARE) */
};

static int64_t nodes_of(const struct contrast *s, int64_t graph)
{
    return s->start[graph + 1] - s->start[graph];
}

static bool is_small(const struct contrast *s, int64_t graph)
{
    return 2 * nodes_of(s, graph) <= SQUARE;
}

/* Where row i of a graph of `nodes` nodes stands among all rows. */
static int64_t row_at(const struct contrast *s, int64_t first, int64_t nodes, int64_t i)
{
    return i < nodes ? first + i : s->n + first + i - nodes;
}

/* Copies a graph's rows of a matrix (2n, cols) out, or back with a factor. */
static void gather_rows(float *to, const struct contrast *s, const float *from, int64_t graph)
{
    int64_t first = s->start[graph], nodes = nodes_of(s, graph);
    size_t bytes = (size_t)(nodes * s->d) * sizeof(float);
    memcpy(to, from + first * s->d, bytes);
    memcpy(to + nodes * s->d, from + (s->n + first) * s->d, bytes);
}

static void scatter_rows(float *to, const struct contrast *s, const float *from, int64_t graph,
                         float factor)
{
    int64_t first = s->start[graph], nodes = nodes_of(s, graph);
    for (int64_t i = 0; i < 2 * nodes; i++)
        for (int64_t j = 0; j < s->d; j++)
            to[row_at(s, first, nodes, i) * s->d + j] = factor * from[i * s->d + j];
}

/* ---- Small graphs ---------------------------------------------------------------------------- */

static struct square square_of(const struct graph_sweep *sweep, int64_t graph, int seat)
{
    const struct contrast *s = sweep->spec;
    float *work = sweep->work + seat * sweep->scratch;
    struct square q = {.first = s->start[graph], .nodes = nodes_of(s, graph), .S = work};
    q.rows = 2 * q.nodes;
    q.Z = q.S + SQUARE * SQUARE;
    q.dZ = q.Z + SQUARE * s->d;
    q.packed = q.dZ + SQUARE * s->d;
    q.sums = q.packed + pack_size(s->d, SQUARE);
    return q;
}

/* The exponentials of a graph's similarities. */
static void fill_square(const struct graph_sweep *sweep, const struct square *q, int64_t graph)
{
    const struct contrast *s = sweep->spec;
    gather_rows(q->Z, s, s->Z, graph);
    for (int64_t panel = 0; panel < pieces_of(q->rows, PANEL); panel++)
        pack_panel(q->packed, q->Z, s->d, true, s->d, q->rows, panel);
    sweep->loops->product(&(struct panel_product){.rows = q->rows,
                                                  .cols = q->rows,
                                                  .depth = s->d,
                                                  .A = q->Z,
                                                  .a_row = s->d,
                                                  .a_col = 1,
                                                  .B = q->packed,
                                                  .b_row = PANEL,
                                                  .b_panel = PANEL * s->d,
                                                  .C = q->S,
                                                  .c_row = SQUARE});
    for (int64_t i = 0; i < q->rows; i++)
        q->S[i * SQUARE + i] = -1e30f; /* a row is no negative of itself: far below any cosine */
    memset(q->sums + SQUARE, 0, (size_t)q->rows * sizeof(float));
    sweep->loops->exp_tile(q->S, SQUARE, q->rows, q->rows, (float)(LOG2E / s->tau), q->sums,
                           q->sums + SQUARE);
}

static double sum_of(const float *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[i];
    return sum;
}

static void forward_graph(struct graph_sweep *sweep, int64_t graph, int seat)
{
    const struct contrast *s = sweep->spec;
    struct square q = square_of(sweep, graph, seat);
    fill_square(sweep, &q, graph);
    sweep->loss[graph] = sweep->estimate[graph] = 0;
    for (int64_t i = 0; i < q.rows; i++) {
        int64_t partner = i < q.nodes ? i + q.nodes : i - q.nodes;
        const float *e = q.S + i * SQUARE, *own = i < q.nodes ? e : e + q.nodes;
        double x = sweep->loops->dot(q.Z + i * s->d, q.Z + partner * s->d, s->d);
        double between = sum_of(i < q.nodes ? e + q.nodes : e, q.nodes), D = between;
        if (s->within)
            D += sum_of(own, q.nodes);
        x = (x - 1) / s->tau;
        s->D[row_at(s, q.first, q.nodes, i)] = D;
        sweep->loss[graph] += log(D) - x;
        sweep->estimate[graph] += x - log(between);
    }
}

static void backward_graph(struct graph_sweep *sweep, int64_t graph, int seat)
{
    const struct contrast *s = sweep->spec;
    struct square q = square_of(sweep, graph, seat);
    double rows = (double)q.rows, graphs = (double)s->graphs;
    fill_square(sweep, &q, graph);
    for (int64_t i = 0; i < q.rows; i++) {
        int64_t partner = i < q.nodes ? i + q.nodes : i - q.nodes;
        float *own = q.S + i * SQUARE + (i < q.nodes ? 0 : q.nodes);
        if (!s->within)
            memset(own, 0, (size_t)q.nodes * sizeof(float));
        q.sums[i] = (float)(1 / s->D[row_at(s, q.first, q.nodes, i)]);
        for (int64_t j = 0; j < s->d; j++)
            q.dZ[i * s->d + j] = -2 * q.Z[partner * s->d + j];
    }
    sweep->loops->weigh_tile(q.S, q.S, SQUARE, q.rows, q.rows, q.sums, q.sums);
    for (int64_t panel = 0; panel < pieces_of(s->d, PANEL); panel++)
        pack_panel(q.packed, q.Z, s->d, false, q.rows, s->d, panel);
    sweep->loops->product(&(struct panel_product){.rows = q.rows,
                                                  .cols = s->d,
                                                  .depth = q.rows,
                                                  .A = q.S,
                                                  .a_row = SQUARE,
                                                  .a_col = 1,
                                                  .B = q.packed,
                                                  .b_row = PANEL,
                                                  .b_panel = PANEL * q.rows,
                                                  .C = q.dZ,
                                                  .c_row = s->d,
                                                  .accumulate = true});
    scatter_rows(sweep->dZ, s, q.dZ, graph, (float)(1 / (rows * s->tau * graphs)));
}

static void take_graphs(void *job, struct threads_piece piece)
{
    struct graph_sweep *sweep = job;
    for (int64_t graph = piece.first; graph < piece.last; graph++)
        if (is_small(sweep->spec, graph))
            sweep->run(sweep, graph, piece.seat);
}

static graco_status run_small(struct context *c, struct graph_sweep *sweep,
                              void (*run)(struct graph_sweep *, int64_t, int))
{
    const struct contrast *s = sweep->spec;
    int64_t packed = pack_size(s->d, SQUARE), turned = pack_size(SQUARE, s->d);
    sweep->loops = loops_choose();
    sweep->run = run;
    sweep->scratch = SQUARE * (SQUARE + 2 * s->d + 2) + (packed > turned ? packed : turned);
    PASS(context_take(c, &sweep->work, c->threads * sweep->scratch, sizeof(float)));
    threads_run(c->threads, s->graphs, GRAPHS_AT_ONCE, take_graphs, sweep);
    context_give(c, sweep->work);
    return GRACO_OK;
}

/* ---- Large graphs ---------------------------------------------------------------------------- */

/* A graph copied out, as a contrast of its own. */
struct single {
    struct contrast spec;
    float *Z, *dZ; /* (2 nodes, d) */
};

static graco_status single_init(struct context *c, struct single *single, const struct contrast *s,
                                int64_t graph)
{
    int64_t nodes = nodes_of(s, graph), first = s->start[graph];
    graco_status status = GRACO_OK;
    *single = (struct single){.spec = {.n = nodes, .d = s->d, .tau = s->tau, .within = s->within}};
    TRY(context_take(c, &single->Z, 2 * nodes * s->d, sizeof(float)));
    TRY(context_take(c, &single->dZ, 2 * nodes * s->d, sizeof(float)));
    TRY(context_take(c, &single->spec.D, 2 * nodes, sizeof(double)));
    gather_rows(single->Z, s, s->Z, graph);
    single->spec.Z = single->Z;
    for (int64_t i = 0; i < 2 * nodes; i++)
        single->spec.D[i] = s->D[row_at(s, first, nodes, i)];
done:
    return status;
}

static void single_clear(struct context *c, struct single *single)
{
    context_give(c, single->Z);
    context_give(c, single->dZ);
    context_give(c, single->spec.D);
}

static graco_status forward_large(struct context *c, struct graph_sweep *sweep, int64_t graph)
{
    const struct contrast *s = sweep->spec;
    int64_t nodes = nodes_of(s, graph), first = s->start[graph];
    struct single single;
    graco_status status = GRACO_OK;
    TRY(single_init(c, &single, s, graph));
    TRY(cpu_contrast(c, &single.spec));
    for (int64_t i = 0; i < 2 * nodes; i++)
        s->D[row_at(s, first, nodes, i)] = single.spec.D[i];
    sweep->loss[graph] = single.spec.loss * (double)(2 * nodes);
    sweep->estimate[graph] =
        (single.spec.mutual_information - log((double)nodes)) * (double)(2 * nodes);
done:
    single_clear(c, &single);
    return status;
}

static graco_status backward_large(struct context *c, struct graph_sweep *sweep, int64_t graph)
{
    const struct contrast *s = sweep->spec;
    struct single single;
    graco_status status = GRACO_OK;
    TRY(single_init(c, &single, s, graph));
    TRY(cpu_contrast_backward(c, &single.spec, single.dZ));
    scatter_rows(sweep->dZ, s, single.dZ, graph, (float)(1 / (double)s->graphs));
done:
    single_clear(c, &single);
    return status;
}

static graco_status run_large(struct context *c, struct graph_sweep *sweep,
                              graco_status (*run)(struct context *, struct graph_sweep *, int64_t))
{
    for (int64_t graph = 0; graph < sweep->spec->graphs; graph++)
        if (!is_small(sweep->spec, graph))
            PASS(run(c, sweep, graph));
    return GRACO_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

graco_status cpu_contrast_graphs(struct context *c, struct contrast *s)
{
    struct graph_sweep sweep = {.spec = s};
    graco_status status = GRACO_OK;
    TRY(context_take(c, &sweep.loss, s->graphs, sizeof(double)));
    TRY(context_take(c, &sweep.estimate, s->graphs, sizeof(double)));
    TRY(run_small(c, &sweep, forward_graph));
    TRY(run_large(c, &sweep, forward_large));
    s->loss = s->mutual_information = 0;
    for (int64_t graph = 0; graph < s->graphs; graph++) {
        double nodes = (double)nodes_of(s, graph), graphs = (double)s->graphs;
        s->loss += sweep.loss[graph] / (2 * nodes) / graphs;
        s->mutual_information += (log(nodes) + sweep.estimate[graph] / (2 * nodes)) / graphs;
    }
done:
    context_give(c, sweep.loss);
    context_give(c, sweep.estimate);
    return status;
}

graco_status cpu_contrast_graphs_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct graph_sweep sweep = {.spec = s, .dZ = dZ};
    PASS(run_small(c, &sweep, backward_graph));
    return run_large(c, &sweep, backward_large);
}
