/* Propagation over ranks, which are threads here: the bits of one process, forward and backward, and that rows
 * are computed while those of others are on their way: all that need none of them, and of the first view
 * all others too, while the second's move. */
#include "graph/shard.h"
#include "graph/view.h"
#include "tape/tape_node.h"

#include "base/memory.h"
#include "check.h"
#include "reference/reference.h"
#include "comm_threads.h"

enum { NODES = 600, DEGREE = 5, COLS = 19, SEED = 4 };

/* What a rank did in one direction. */
struct seen {
    int64_t moving[2]; /* rows of each view that were computed while something was on its way */
    int64_t after[2];  /* when nothing was */
    int64_t moves;     /* looks at what is on its way */
};

/* A rank's comm, watched. */
struct spy {
    struct comm comm, *real;
    const struct kernels *kernels; /* the back end's own */
    const struct sparse_map *map;  /* that is propagated by */
    bool moving;
    struct seen seen;
};

static graco_status spy_start(struct comm *comm, int count, const struct comm_message *list)
{
    struct spy *spy = comm->self;
    spy->moving = true;
    return spy->real->start(spy->real, count, list);
}

static void spy_move(struct comm *comm)
{
    struct spy *spy = comm->self;
    spy->seen.moves += spy->moving;
    spy->real->move(spy->real);
}

static graco_status spy_finish(struct comm *comm, double seconds)
{
    struct spy *spy = comm->self;
    spy->moving = false;
    return spy->real->finish(spy->real, seconds);
}

static graco_status spy_spmm(struct context *c, const struct spmm *s)
{
    struct spy *spy = c->comm->self;
    int64_t *rows = spy->moving ? spy->seen.moving : spy->seen.after;
    int view = s->matrix == &spy->map->matrix[1] || s->matrix == &spy->map->transpose[1];
    rows[view] += s->rows ? s->row_count : s->matrix->entries.rows;
    return spy->kernels->spmm(c, s);
}

struct job {
    const struct backend *backend;
    const struct graph *graph;
    const float *X, *dY; /* (2, NODES, COLS) */
    float *Y, *dX;       /* the same; each rank puts its rows there */
    int64_t inner[THREAD_RANKS_MOST][2], own[THREAD_RANKS_MOST];
    struct seen seen[THREAD_RANKS_MOST][2];
    graco_status status[THREAD_RANKS_MOST];
};

/* Takes a rank's rows of both views out of a whole matrix, or puts them there. */
static void carry(float *part, float *whole, int64_t first, int64_t n, bool out)
{
    size_t bytes = (size_t)(n * COLS) * sizeof(float);
    for (int view = 0; view < 2; view++) {
        float *here = part + view * n * COLS, *there = whole + (view * NODES + first) * COLS;
        memcpy(out ? here : there, out ? there : here, bytes);
    }
}

/* relu(M X + b) of two views, and the gradient of X, on one rank's rows or on all. */
static graco_status propagate(struct job *job, struct context *c, const struct graph *graph,
                              struct spy *spy)
{
    const struct shard *shard = graph->shard;
    int64_t n = graph->nodes, first = shard ? shard->bounds[spy->comm.rank] : 0;
    struct view_drop drop = {.edge = {0.3, 0.5}};
    struct views *views = NULL;
    struct tape *tape = NULL;
    float *X = NULL, *dX = NULL, bias[COLS];
    graco_status status = GRACO_OK;
    for (int j = 0; j < COLS; j++)
        bias[j] = 0.01f * (float)j;
    TRY(memory_alloc(&X, 2 * n * COLS, sizeof *X));
    TRY(memory_alloc(&dX, 2 * n * COLS, sizeof *dX));
    carry(X, (float *)job->X, first, n, true);
    carry(dX, (float *)job->X, first, n, true); /* what the gradient is added to */
    TRY(views_create(&views, c, graph, NULL, 0, VIEW_NORM_SYMMETRIC, 2));
    TRY(views_draw(views, &drop, SEED, 1, 0));
    TRY(tape_create(&tape, c));
    struct tensor *in = tape_parameter(tape, 2 * n, COLS, X, dX);
    struct tensor *b = tape_parameter(tape, 1, COLS, bias, NULL);
    const struct ending end = {{.kind = ACTIVATION_RELU}, b, NULL};
    if (spy)
        spy->map = &views->map;
    struct tensor *out = tape_propagate(tape, &views->map, in, &end);
    TRY(tape_status(tape));
    carry(out->data, job->Y, first, n, false);
    if (spy) {
        job->seen[spy->comm.rank][0] = spy->seen;
        spy->seen = (struct seen){0};
    }
    TRY(context_take(c, &out->grad, 2 * n * COLS, sizeof(float)));
    carry(out->grad, (float *)job->dY, first, n, true);
    TRY(tape_backward(tape));
    carry(dX, job->dX, first, n, false);
    if (spy)
        job->seen[spy->comm.rank][1] = spy->seen;
done:
    tape_free(tape);
    views_free(views);
    memory_free(X);
    memory_free(dX);
    return status;
}

static void run_rank(struct comm *real, void *argument)
{
    struct job *job = argument;
    struct spy spy = {.comm = *real, .real = real, .kernels = job->backend->kernels};
    struct kernels kernels = *job->backend->kernels;
    struct context *c = NULL;
    struct shard *shard = NULL;
    graco_status status = GRACO_OK;
    spy.comm.start = spy_start;
    spy.comm.move = spy_move;
    spy.comm.finish = spy_finish;
    spy.comm.self = &spy;
    kernels.spmm = spy_spmm;
    TRY(context_create(&c, job->backend, 1, 0));
    c->comm = &spy.comm;
    c->kernels = &kernels;
    TRY(shard_create(&shard, &spy.comm, job->graph));
    job->own[real->rank] = shard->graph.nodes;
    memcpy(job->inner[real->rank], shard->inner, sizeof shard->inner);
    TRY(propagate(job, c, &shard->graph, &spy));
done:
    job->status[real->rank] = status;
    shard_free(shard);
    context_free(c);
    free(spy.comm.scratch);
}

/* Edges to nodes at most `reach` further, some of them backwards; `loose` nodes have none. */
static struct graph *make_graph(int64_t reach, int64_t loose)
{
    struct random_key key = {.seed = 9, .stream = RANDOM_GENERATE};
    enum { EDGES = NODES * DEGREE };
    static int32_t source[EDGES], target[EDGES];
    static float weight[EDGES];
    struct graph *graph = NULL;
    int64_t last = NODES - loose;
    for (int64_t e = 0; e < EDGES; e++) {
        int64_t from = e / DEGREE % last, way = random_below(&key, (uint64_t)(2 * e), 3) ? 1 : -1;
        int64_t to = from + way * (1 + random_below(&key, (uint64_t)(2 * e + 1), reach));
        source[e] = (int32_t)from;
        target[e] = (int32_t)(to < 0 || to >= last ? from : to);
        weight[e] = 0.2f + random_float(&key, (uint64_t)e);
    }
    CHECK_OK(graph_build(&graph, NULL,
                         &(struct graph_pairs){NODES, EDGES, source, target, weight, false}));
    return graph;
}

/* Of both directions of every rank: each row once; and of the rows that could be computed while
 * something moved, all were. */
static void check_overlap(const struct job *job, int ranks)
{
    for (int r = 0; r < ranks; r++)
        for (int way = 0; way < 2; way++) {
            const struct seen *seen = &job->seen[r][way];
            int64_t own = job->own[r], inner = job->inner[r][way];
            CHECK(seen->moving[0] == own && seen->after[0] == 0);
            CHECK(seen->moving[1] == inner && seen->after[1] == own - inner);
            CHECK(seen->moves > own / 64 || job->backend != &backend_cpu);
        }
}

static void test_ranks(const struct backend *backend, int64_t reach, int64_t loose,
                       int64_t least_inner)
{
    static float X[2 * NODES * COLS], dY[2 * NODES * COLS], Y[2][2 * NODES * COLS],
        dX[2][2 * NODES * COLS];
    struct random_key key = {.seed = 2, .stream = RANDOM_GENERATE};
    struct graph *graph = make_graph(reach, loose);
    struct context *c = NULL;
    for (int64_t i = 0; i < 2 * NODES * COLS; i++) {
        X[i] = random_float(&key, (uint64_t)(2 * i)) - 0.5f;
        dY[i] = random_float(&key, (uint64_t)(2 * i + 1)) - 0.5f;
    }
    CHECK_OK(context_create(&c, backend, 1, 0));
    CHECK_OK(propagate(&(struct job){.X = X, .dY = dY, .Y = Y[0], .dX = dX[0]}, c, graph, NULL));
    context_free(c);
    for (int ranks = 2; ranks <= 5; ranks++) {
        struct job job = {
            .backend = backend, .graph = graph, .X = X, .dY = dY, .Y = Y[1], .dX = dX[1]};
        int64_t inner = 0;
        memset(Y[1], 0, sizeof Y[1]);
        memset(dX[1], 0, sizeof dX[1]);
        run_ranks(ranks, run_rank, &job);
        for (int r = 0; r < ranks; r++) {
            CHECK(job.status[r] == GRACO_OK);
            inner += job.inner[r][0];
        }
        CHECK(inner >= least_inner);
        CHECK(memcmp(Y[0], Y[1], sizeof Y[0]) == 0);
        CHECK(memcmp(dX[0], dX[1], sizeof dX[0]) == 0);
        check_overlap(&job, ranks);
    }
    graph_free(graph);
}

int main(void)
{
    const struct backend *backends[] = {&backend_cpu, &backend_reference};
    for (int i = 0; i < 2; i++) {
        test_ranks(backends[i], 8, 0,
                   NODES / 2);                /* neighbours are near: most rows are inner ones */
        test_ranks(backends[i], NODES, 0, 0); /* anywhere */
        test_ranks(backends[i], NODES, NODES / 2, NODES / 4); /* half of the nodes have none */
    }
    return check_result();
}
