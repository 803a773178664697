/* A folder of .npy files, read by several ranks.
 *
 * Edges stand in the file in any order, so each rank reads as many of them as the others, counts their
 * targets, and sends each to the ranks that have its ends:
 *
 *     edge_index  | rank 0 | rank 1 | rank 2 |    counts of all: ranges of nodes
 *                      each pair to the owners of its source and its target
 *
 * What comes in keeps the order of the file. Features follow when the ranges are known: a range of rows is
 * a range of bytes, and only that is mapped. Every rank has some numbers for each node of the whole graph
 * meanwhile, and nothing for each edge or feature of others. */
#include "data/read_rows.h"

#include "base/memory.h"
#include "comm/comm.h"
#include "data/fingerprint.h"
#include "data/preprocess.h"
#include "graph/shard.h"

#include <string.h>

/* An edge on its way: source, target. */
struct pair {
    int32_t end[2];
};

struct reading_rows {
    struct comm *comm;
    const struct members *members;
    int64_t nodes, edges;
    struct pair
        *pairs; /* (count) of this rank's part of the file; then those that touch its nodes */
    int64_t count;
    int64_t *bounds; /* (ranks + 1) */
};

/* ---- Which files ------------------------------------------------------------------------------- */

/* What a file of the folder holds, if parts of it can be mapped. */
static bool is_plain(struct array *out, const struct members *members, const char *name)
{
    char *path = NULL;
    bool plain = false;
    graco_status status = GRACO_OK;
    TRY(memory_path(&path, members->folder, name));
    TRY(npy_describe(out, &plain, path));
done:
    memory_free(path);
    return status == GRACO_OK && plain;
}

/* Whether the features are there in a form that can be read by rows. */
static bool features_can(const struct members *members)
{
    struct array x;
    if (members_have(members, "x.npy"))
        return !members_have(members, "x_data.npy") && is_plain(&x, members, "x.npy") &&
               x.type == ARRAY_F32 && x.ndim == 2 && x.count > 0;
    return members_have(members, "x_shape.npy") && is_plain(&x, members, "x_data.npy") &&
           is_plain(&x, members, "x_indices.npy") && is_plain(&x, members, "x_indptr.npy") &&
           x.ndim == 1;
}

/* Reverses that are added, weights, many graphs and an order concern more than a rank's own rows. */
static bool files_can(const struct source *source)
{
    const struct members *members = &source->members;
    const graco_load_options *options = source->options;
    struct array edges;
    if (!members->folder || options->undirected || options->made_features > 0)
        return false;
    if (members_have(members, "graph_id.npy") || members_have(members, "rank_order.npy") ||
        (members_have(members, "edge_weight.npy") && !options->unweighted))
        return false;
    return is_plain(&edges, members, "edge_index.npy") && edges.ndim == 2 && edges.shape[0] == 2 &&
           features_can(members);
}

graco_status rows_can(bool *out, const struct source *source)
{
    struct comm *comm = source->options->by_rows ? comm_world() : NULL;
    double can = comm && files_can(source);
    PASS(comm_sum_doubles(comm, &can, 1));
    *out = comm && can == comm->ranks;
    return GRACO_OK;
}

/* ---- Edges ------------------------------------------------------------------------------------- */

/* Items first .. first + count - 1 of a file as an array, which lasts as long as *map. */
static graco_status map_part(struct npy_map *map, const struct members *members, const char *name,
                             int64_t first, int64_t count)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_path(&path, members->folder, name));
    TRY(npy_map_part(map, path, first, count));
done:
    memory_free(path);
    return status;
}

/* This rank's part of one end of all edges. */
static graco_status read_ends(struct reading_rows *r, int end)
{
    int64_t first = r->edges / r->comm->ranks * r->comm->rank +
                    r->edges % r->comm->ranks * r->comm->rank / r->comm->ranks;
    struct npy_map map = {0};
    int32_t *ends = NULL;
    graco_status status = GRACO_OK;
    TRY(map_part(&map, r->members, "edge_index.npy", end * r->edges + first, r->count));
    TRY(member_named(array_to_i32(&ends, &map.array), "edge_index"));
    for (int64_t e = 0; e < r->count; e++) {
        if (ends[e] < 0 || ends[e] >= r->nodes)
            FAIL(GRACO_ERROR_FORMAT, "edge %lld %s node %ld: expected 0 to %lld",
                 (long long)(first + e), end ? "leads to" : "begins in", (long)ends[e],
                 (long long)r->nodes - 1);
        r->pairs[e].end[end] = ends[e];
    }
done:
    npy_map_close(&map);
    memory_free(ends);
    return status;
}

/* Ranks must see the same files: at least the sizes of these are compared. */
static graco_status count_edges(struct reading_rows *r)
{
    struct array edges;
    if (!is_plain(&edges, r->members, "edge_index.npy"))
        return status_fail(GRACO_ERROR_IO, "edge_index.npy was changed while it was read");
    r->edges = edges.shape[1];
    int64_t first[2] = {r->nodes, r->edges};
    PASS(comm_broadcast(r->comm, first, sizeof first));
    if (first[0] == r->nodes && first[1] == r->edges)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "%lld nodes and %lld edges, but rank 0 has read %lld and %lld: expected the "
                       "same files",
                       (long long)r->nodes, (long long)r->edges, (long long)first[0],
                       (long long)first[1]);
}

static graco_status read_pairs(struct reading_rows *r)
{
    int ranks = r->comm->ranks, rank = r->comm->rank;
    r->count = r->edges / ranks * (rank + 1) + r->edges % ranks * (rank + 1) / ranks -
               r->edges / ranks * rank - r->edges % ranks * rank / ranks;
    PASS(memory_alloc(&r->pairs, r->count, sizeof *r->pairs));
    PASS(read_ends(r, 0));
    return read_ends(r, 1);
}

/* Ranges of nodes by the edges into them. */
static graco_status find_ranges(struct reading_rows *r)
{
    double *into = NULL;
    int64_t *start = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&into, r->nodes, sizeof *into));
    for (int64_t e = 0; e < r->count; e++)
        into[r->pairs[e].end[1]]++;
    TRY(comm_sum_doubles(r->comm, into, r->nodes));
    TRY(memory_zalloc(&start, r->nodes + 1, sizeof *start));
    for (int64_t i = 0; i < r->nodes; i++)
        start[i + 1] = start[i] + (int64_t)into[i];
    TRY(memory_alloc(&r->bounds, r->comm->ranks + 1, sizeof *r->bounds));
    TRY(shard_bounds(r->bounds, r->comm->ranks, start, r->nodes));
done:
    memory_free(into);
    memory_free(start);
    return status;
}

/* Sends every pair to the owners of its ends, and keeps what comes. */
static graco_status send_pairs(struct reading_rows *r)
{
    int ranks = r->comm->ranks;
    struct pair *list = NULL, *come = NULL;
    int64_t *start = NULL, *next = NULL, *come_start = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&start, ranks + 1, sizeof *start));
    TRY(memory_alloc(&next, ranks + 1, sizeof *next));
    TRY(memory_alloc(&come_start, ranks + 1, sizeof *come_start));
    for (int fill = 0; fill < 2; fill++) {
        for (int64_t e = 0; e < r->count; e++) {
            int from = shard_owner(r->bounds, ranks, r->pairs[e].end[0]);
            int to = shard_owner(r->bounds, ranks, r->pairs[e].end[1]);
            for (int once = 0; once < (from == to ? 1 : 2); once++) {
                int owner = once ? from : to;
                if (fill)
                    list[next[owner]++] = r->pairs[e];
                else
                    start[owner + 1]++;
            }
        }
        for (int i = 0; !fill && i < ranks; i++)
            start[i + 1] += start[i];
        if (!fill)
            TRY(memory_alloc(&list, start[ranks], sizeof *list));
        memcpy(next, start, (size_t)ranks * sizeof *start);
    }
    memory_free(r->pairs);
    r->pairs = NULL;
    TRY(comm_swap(&come, come_start, r->comm, list, start, sizeof *list));
    r->pairs = come;
    r->count = come_start[ranks];
done:
    memory_free(list);
    memory_free(start);
    memory_free(next);
    memory_free(come_start);
    return status;
}

/* The graph of what came in, whose pairs are dropped as it grows; and what was left out of own rows. */
static graco_status build(struct graph **out, struct graph_removed *removed, struct reading_rows *r)
{
    int64_t first = r->bounds[r->comm->rank], last = r->bounds[r->comm->rank + 1], into = 0;
    int32_t *end[2] = {NULL, NULL};
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&end[0], r->count, sizeof **end));
    TRY(memory_alloc(&end[1], r->count, sizeof **end));
    for (int64_t e = 0; e < r->count; e++) {
        int32_t source = end[0][e] = r->pairs[e].end[0];
        int32_t target = end[1][e] = r->pairs[e].end[1];
        bool own = target >= first && target < last;
        into += own && source != target;
        removed->self_loops += own && source == target;
    }
    memory_free(r->pairs);
    r->pairs = NULL;
    TRY(graph_create(out, NULL, r->nodes, r->count, end[0], end[1], false));
    removed->duplicates = into - ((*out)->in.start[last] - (*out)->in.start[first]);
done:
    memory_free(end[0]);
    memory_free(end[1]);
    return status;
}

/* ---- Features ---------------------------------------------------------------------------------- */

static graco_status read_dense(struct features *X, const struct members *members, int64_t first,
                               int64_t rows)
{
    struct npy_map map = {0};
    struct array all;
    char *path = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_path(&path, members->folder, "x.npy"));
    if (!is_plain(&all, members, "x.npy") || first + rows > all.shape[0])
        FAIL(GRACO_ERROR_IO, "x.npy was changed while it was read");
    TRY(npy_map_part(&map, path, first * all.shape[1], rows * all.shape[1]));
    map.array.ndim = 2;
    map.array.shape[0] = rows;
    map.array.shape[1] = all.shape[1];
    TRY(features_map(X, &map, path));
done:
    npy_map_close(&map);
    memory_free(path);
    return status;
}

/* Row pointers as they count from the first: none may be below it. */
static graco_status count_from_first(int64_t *start, int64_t rows)
{
    int64_t base = start[0];
    for (int64_t i = 0; i <= rows; i++) {
        if (base < 0 || start[i] < base)
            return status_fail(GRACO_ERROR_FORMAT,
                               "x_indptr has %lld behind %lld: expected row pointers that ascend "
                               "from 0",
                               (long long)start[i], (long long)base);
        start[i] -= base;
    }
    return GRACO_OK;
}

/* Own rows of compressed ones; *before entries are those of the rows before. */
static graco_status read_sparse(struct features *X, int64_t *before, const struct members *members,
                                int64_t first, int64_t rows)
{
    struct npy_map starts = {0}, index = {0}, value = {0};
    int64_t *start = NULL, *shape = NULL, two = 2, count = rows + 1;
    struct array own;
    struct csr matrix;
    graco_status status = GRACO_OK;
    TRY(member_read(&shape, &two, NULL, ARRAY_I64, members, "x_shape"));
    TRY(map_part(&starts, members, "x_indptr.npy", first, count));
    TRY(member_named(array_to_i64(&start, &starts.array), "x_indptr"));
    *before = start[0];
    TRY(count_from_first(start, rows));
    TRY(map_part(&index, members, "x_indices.npy", *before, start[rows]));
    TRY(map_part(&value, members, "x_data.npy", *before, start[rows]));
    TRY(array_borrow(&own, ARRAY_I64, start, 1, &count));
    TRY(member_named(csr_from_arrays(&matrix, rows, shape[1], &own, &index.array, &value.array),
                     "x_data, x_indices, x_indptr"));
    *X = features_of(matrix);
done:
    npy_map_close(&starts);
    npy_map_close(&index);
    npy_map_close(&value);
    memory_free(start);
    memory_free(shape);
    return status;
}

static graco_status count_rows(int64_t *nodes, const struct members *members)
{
    bool dense = members_have(members, "x.npy");
    int64_t *shape = NULL, two = 2;
    struct array x;
    graco_status status = GRACO_OK;
    if (!is_plain(&x, members, dense ? "x.npy" : "x_indptr.npy"))
        FAIL(GRACO_ERROR_IO, "the features were changed while they were read");
    *nodes = x.shape[0] - !dense;
    if (!dense)
        TRY(member_read(&shape, &two, NULL, ARRAY_I64, members, "x_shape"));
    if (shape && shape[0] != *nodes)
        FAIL(GRACO_ERROR_FORMAT, "x_indptr has %lld items: expected %lld", (long long)x.shape[0],
             (long long)shape[0] + 1);
done:
    memory_free(shape);
    return status;
}

graco_status rows_read(struct dataset_parts *parts, const struct members *members)
{
    struct reading_rows r = {.comm = comm_world(), .members = members};
    struct dataset_shard *shard = NULL;
    struct graph *touching = NULL;
    graco_status status = GRACO_OK;
    TRY(count_rows(&r.nodes, members));
    if (r.nodes > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a graph of %lld nodes: expected 1 to %lld", (long long)r.nodes,
             (long long)INT32_MAX);
    TRY(count_edges(&r));
    TRY(memory_zalloc(&shard, 1, sizeof *shard));
    parts->shard = shard;
    parts->nodes = r.nodes;
    TRY(read_pairs(&r));
    parts->edges = r.edges;
    TRY(find_ranges(&r));
    TRY(send_pairs(&r));
    TRY(build(&touching, &shard->removed, &r));
    TRY(shard_create_part(&shard->shard, r.comm, r.bounds, touching));
    int64_t first = r.bounds[r.comm->rank], rows = r.bounds[r.comm->rank + 1] - first;
    if (members_have(members, "x.npy"))
        TRY(read_dense(&parts->features, members, first, rows));
    else
        TRY(read_sparse(&parts->features, &shard->entries_before, members, first, rows));
done:
    graph_free(touching);
    memory_free(r.pairs);
    memory_free(r.bounds);
    return status;
}

/* ---- The whole --------------------------------------------------------------------------------- */

/* Counts of this rank become those of all. */
static graco_status sum_counts(struct comm *comm, int64_t *const counts[], int count)
{
    double sums[8]; /* as many as anybody has */
    for (int i = 0; i < count; i++)
        sums[i] = (double)*counts[i];
    PASS(comm_sum_doubles(comm, sums, count));
    for (int i = 0; i < count; i++)
        *counts[i] = (int64_t)sums[i];
    return GRACO_OK;
}

/* Whether the features are counts: each rank looks at those of its rows that are among the first. */
static graco_status look_at_counts(struct graco_dataset *data)
{
    struct preprocess_seen seen = {0};
    const struct features *X = &data->features;
    int64_t nodes = dataset_nodes(data), first = dataset_first(data);
    int64_t rows = nodes < PREPROCESS_LOOKED ? nodes : PREPROCESS_LOOKED;
    if (first < rows)
        preprocess_look(&seen, X, rows - first < X->rows ? rows - first : X->rows);
    PASS(sum_counts(data->shard->shard->comm, (int64_t *const[]){&seen.below, &seen.others}, 2));
    data->shard->counts = preprocess_judge(&seen, rows, X->cols);
    return GRACO_OK;
}

graco_status rows_describe(struct graco_dataset *data)
{
    struct dataset_shard *shard = data->shard;
    graco_dataset_info info = graco_dataset_describe(data); /* so far, of own rows */
    int64_t directed = info.directed;
    PASS(sum_counts(shard->shard->comm,
                    (int64_t *const[]){&info.self_loops, &info.duplicates, &info.isolated,
                                       &info.feature_entries, &info.edges, &directed},
                    6));
    info.nodes = shard->shard->all_nodes;
    info.directed = directed > 0;
    shard->info = info;
    PASS(look_at_counts(data));
    return fingerprint_shard(shard->fingerprint, data);
}
