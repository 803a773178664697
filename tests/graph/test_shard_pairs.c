/* Shards of edges that ranks have between them, against those that are cut out of the whole graph: every array
 * is the same, for edges that repeat, lead from a node to itself and have weights, for reverses that are
 * added, and for parts of a graph under other numbers. Ranks are threads. And rows of features on their way
 * between the two. */
#include "check.h"

#include "base/memory.h"
#include "comm_threads.h"
#include "data/moved_rows.h"
#include "data/subset.h"
#include "graph/order.h"
#include "graph/shard_pairs.h"
#include "graph/subgraph.h"

enum { NODES = 60, EDGES = 400, COLS = 3 };

struct job {
    int32_t end[2][EDGES];
    float weight[EDGES];
    bool weighted, undirected;
    struct graph *whole;      /* what graph_build makes of them */
    struct graph_removed all; /* what it leaves out */
    int64_t self_loops[THREAD_RANKS_MOST], duplicates[THREAD_RANKS_MOST];
    bool fine[THREAD_RANKS_MOST]; /* checks count in one thread alone */
    int32_t nodes[NODES];         /* of a part, in an order, ... */
    int64_t count;
    struct graph *part; /* ... and its graph */
    struct features X[2];
};

static bool same(const void *a, const void *b, int64_t count, size_t size)
{
    return (!a && !b) || (a && b && memcmp(a, b, (size_t)count * size) == 0);
}

static bool same_rows(const struct csr *a, const struct csr *b)
{
    return a->rows == b->rows && a->cols == b->cols &&
           same(a->start, b->start, a->rows + 1, sizeof *a->start) &&
           same(a->index, b->index, a->start[a->rows], sizeof *a->index) &&
           same(a->value, b->value, a->start[a->rows], sizeof *a->value);
}

static bool same_shards(const struct shard *a, const struct shard *b)
{
    int ranks = comm_ranks(a->comm);
    return a->all_nodes == b->all_nodes && a->all_edges == b->all_edges &&
           a->edges_before == b->edges_before && a->drawn_count == b->drawn_count &&
           same(a->bounds, b->bounds, ranks + 1, sizeof *a->bounds) &&
           a->graph.nodes == b->graph.nodes && a->graph.sources == b->graph.sources &&
           same(a->nodes, b->nodes, a->graph.sources, sizeof *a->nodes) &&
           same_rows(&a->graph.in, &b->graph.in) && same_rows(&a->graph.out, &b->graph.out) &&
           same(a->drawn, b->drawn, a->drawn_count, sizeof *a->drawn) &&
           same(a->graph.out_edge, b->graph.out_edge, a->graph.out.start[a->graph.nodes],
                sizeof *a->graph.out_edge);
}

/* This rank's features, moved to its nodes of a part, against the same rows of all features. */
static graco_status move(bool *fine, const struct features *X, const struct shard *from,
                         const struct shard *to, const struct job *job)
{
    struct features own = {0}, moved = {0}, wanted = {0};
    int32_t ids[NODES];
    int64_t first = to->bounds[comm_rank(to->comm)];
    graco_status status = GRACO_OK;
    TRY(subset_features(&own, X, from->nodes, from->graph.nodes));
    TRY(features_move(&moved, &own, from, to, job->nodes));
    for (int64_t i = 0; i < to->graph.nodes; i++)
        ids[i] = job->nodes[first + i];
    TRY(subset_features(&wanted, X, ids, to->graph.nodes));
    *fine = *fine && moved.rows == wanted.rows && moved.cols == wanted.cols &&
            (X->dense ? same(moved.dense, wanted.dense, wanted.rows * COLS, sizeof *wanted.dense)
                      : same_rows(&moved.sparse, &wanted.sparse));
done:
    features_clear(&own);
    features_clear(&moved);
    features_clear(&wanted);
    return status;
}

/* The pairs that a rank begins with. */
static graco_status take_pairs(struct shard_pairs *pairs, const struct comm *comm,
                               const struct job *job)
{
    int64_t first = EDGES * comm->rank / comm->ranks;
    int64_t count = EDGES * (comm->rank + 1) / comm->ranks - first;
    for (int k = 0; k < 2; k++) {
        PASS(memory_alloc(&pairs->end[k], count, sizeof(int32_t)));
        memcpy(pairs->end[k], job->end[k] + first, (size_t)count * sizeof(int32_t));
    }
    if (job->weighted) {
        PASS(memory_alloc(&pairs->weight, count, sizeof(float)));
        memcpy(pairs->weight, job->weight + first, (size_t)count * sizeof(float));
    }
    pairs->count = count;
    return GRACO_OK;
}

static void body(struct comm *comm, void *data)
{
    struct job *job = data;
    struct shard *made = NULL, *cut = NULL, *moved = NULL, *cut_part = NULL;
    struct shard_pairs pairs = {0};
    struct graph_removed removed = {0, 0};
    bool fine = false;
    graco_status status = GRACO_OK;
    TRY(take_pairs(&pairs, comm, job));
    TRY(shard_from_pairs(&made, &removed, comm, NODES, &pairs, job->undirected));
    TRY(shard_create(&cut, comm, job->whole));
    job->self_loops[comm->rank] = removed.self_loops;
    job->duplicates[comm->rank] = removed.duplicates;
    TRY(shard_renumber(&moved, made, job->nodes, job->count));
    TRY(shard_create(&cut_part, comm, job->part));
    fine = same_shards(made, cut) && same_shards(moved, cut_part);
    for (int k = 0; k < 2; k++)
        TRY(move(&fine, &job->X[k], made, moved, job));
done:
    job->fine[comm->rank] = status == GRACO_OK && fine;
    shard_pairs_clear(&pairs);
    shard_free(made);
    shard_free(cut);
    shard_free(moved);
    shard_free(cut_part);
}

/* Every 1 of `kept` nodes, the last of them first; and their graph. */
static void choose_part(struct job *job, int kept)
{
    struct graph *ascending = NULL;
    int32_t nodes[NODES], order[NODES];
    job->count = 0;
    for (int32_t i = 0; i < NODES; i += kept)
        nodes[job->count++] = i;
    for (int64_t i = 0; i < job->count; i++) {
        order[i] = (int32_t)(job->count - 1 - i);
        job->nodes[i] = nodes[order[i]];
    }
    CHECK_OK(subgraph_create(&ascending, job->whole, nodes, job->count));
    CHECK_OK(order_apply(&job->part, ascending, order));
    graph_free(ascending);
}

static void make_features(struct features X[2])
{
    X[0] = (struct features){.rows = NODES, .cols = COLS};
    CHECK_OK(memory_alloc(&X[0].dense, NODES * COLS, sizeof(float)));
    for (int i = 0; i < NODES * COLS; i++)
        X[0].dense[i] = (float)i;
    struct csr sparse = {0}; /* node i has i % COLS entries */
    CHECK_OK(csr_alloc(&sparse, NODES, COLS, NODES * COLS, true));
    for (int i = 0; i < NODES; i++) {
        sparse.start[i + 1] = sparse.start[i] + i % COLS;
        for (int k = 0; k < i % COLS; k++) {
            sparse.index[sparse.start[i] + k] = k;
            sparse.value[sparse.start[i] + k] = (float)(i + 1);
        }
    }
    X[1] = features_of(sparse);
}

/* `ones`: weights that are 1 but for one edge, so that most ranks see none that matter. */
static void try_graph(bool weighted, bool ones, bool undirected)
{
    struct job job = {.weighted = weighted, .undirected = undirected};
    uint32_t state = 1;
    for (int e = 0; e < EDGES; e++) {
        for (int k = 0; k < 2; k++) { /* most edges lead to few nodes, and some are there twice */
            state = state * 1664525 + 1013904223;
            job.end[k][e] = (int32_t)((state >> 16) % (e % 3 ? NODES : 9));
        }
        job.weight[e] = ones ? 1 : (float)(state >> 24) / 16 + 1;
    }
    for (int e = 0; ones && e < EDGES; e++) { /* nor are edges repeated, which would add up */
        job.end[0][e] = e % NODES;
        job.end[1][e] = (e + 1 + e / NODES) % NODES;
    }
    job.weight[7] = 2;
    CHECK_OK(graph_build(&job.whole, &job.all,
                         &(struct graph_pairs){NODES, EDGES, job.end[0], job.end[1],
                                               weighted ? job.weight : NULL, undirected}));
    make_features(job.X);
    for (int kept = 1; kept < 3; kept++) {
        choose_part(&job, kept);
        for (int ranks = 1; ranks <= 5; ranks++) {
            struct graph_removed sum = {0, 0};
            run_ranks(ranks, body, &job);
            for (int r = 0; r < ranks; r++) {
                CHECK(job.fine[r]);
                sum.self_loops += job.self_loops[r];
                sum.duplicates += job.duplicates[r];
            }
            CHECK(sum.self_loops == job.all.self_loops && sum.duplicates == job.all.duplicates);
        }
        graph_free(job.part);
    }
    CHECK(ones || (job.all.self_loops > 0 && job.all.duplicates > 0));
    graph_free(job.whole);
    features_clear(&job.X[0]);
    features_clear(&job.X[1]);
}

int main(void)
{
    for (int undirected = 0; undirected < 2; undirected++) {
        try_graph(false, false, undirected);
        try_graph(true, false, undirected);
        try_graph(true, true, undirected);
    }
    return check_result();
}
