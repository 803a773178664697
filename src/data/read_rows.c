/* A folder of .npy files, read by several ranks.
 *
 * Edges stand in the file in any order, so each rank reads as many of them as the others, and they send each
 * to the ranks that have its ends (graph/shard_pairs.h):
 *
 *     edge_index, edge_weight  | rank 0 | rank 1 | rank 2 |
 *
 * Features follow when the ranges are known: a range of rows is a range of bytes, and only that is mapped.
 * Every rank has some numbers for each node of the whole graph meanwhile, and nothing for each edge or
 * feature of others. */
#include "data/read_rows.h"

#include "base/memory.h"
#include "base/share.h"
#include "comm/comm.h"
#include "data/fingerprint.h"
#include "data/preprocess.h"
#include "data/same_files.h"
#include "graph/shard_pairs.h"

#include <stdio.h>
#include <string.h>

/* Nodes that no array has a row for, for each edge: more are doubted, by reading the folder whole. */
enum { NODES_PER_EDGE = 16 };

/* ---- Which files ------------------------------------------------------------------------------- */

/* What a file of the folder holds; *plain if parts of it can be mapped. */
static graco_status describe(struct array *out, bool *plain, const struct members *members,
                             const char *name)
{
    char *path = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_path(&path, members->folder, name));
    TRY(npy_describe(out, plain, path));
done:
    memory_free(path);
    return status;
}

static bool is_plain(struct array *out, const struct members *members, const char *name)
{
    bool plain = false;
    return describe(out, &plain, members, name) == GRACO_OK && plain;
}

/* The same of a file that was plain, and had so many dimensions, when all ranks looked. */
static graco_status still_plain(struct array *out, const struct members *members, const char *name,
                                int ndim)
{
    bool plain = false;
    PASS(describe(out, &plain, members, name));
    if (plain && out->ndim == ndim)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_IO, "%s was changed while it was read", name);
}

static bool is_sparse(const struct members *members)
{
    char name[PART_NAME];
    return members_csr_part(name, members, "x");
}

static bool is_dense(const struct members *members)
{
    return members_have(members, "x.npy");
}

static bool is_weighted(const struct source *source)
{
    return members_have(&source->members, "edge_weight.npy") && !source->options->unweighted;
}

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

/* Whether the row pointers go from 0 to the last entry: a rank that sees a part of them cannot tell. */
static bool spans(const struct members *members, int64_t rows, int64_t entries)
{
    const int64_t at[2] = {0, rows}, expected[2] = {0, entries};
    bool whole = true;
    for (int end = 0; end < 2; end++) {
        struct npy_map map = {0};
        int64_t *pointer = NULL;
        whole = whole && map_part(&map, members, "x_indptr.npy", at[end], 1) == GRACO_OK &&
                array_to_i64(&pointer, &map.array) == GRACO_OK && *pointer == expected[end];
        memory_free(pointer);
        npy_map_close(&map);
    }
    return whole;
}

/* Whether x_shape is that of a matrix with rows: reading the folder whole says what is wrong with another. */
static bool shape_can(const struct members *members)
{
    int64_t *shape = NULL, two = 2;
    bool can = member_read(&shape, &two, NULL, ARRAY_I64, members, "x_shape") == GRACO_OK &&
               shape[0] > 0 && shape[0] <= INT32_MAX && shape[1] >= 0 && shape[1] <= INT32_MAX;
    memory_free(shape);
    return can;
}

/* Whether the features are there in a form that can be read by rows, or there are none. */
static bool features_can(const struct members *members, int64_t edges)
{
    struct array x, values;
    bool found = false;
    int64_t nodes = 0;
    if (is_dense(members))
        return !is_sparse(members) && is_plain(&x, members, "x.npy") && x.ndim == 2 && x.count > 0;
    if (is_sparse(members))
        return shape_can(members) && is_plain(&values, members, "x_data.npy") &&
               is_plain(&x, members, "x_indices.npy") && x.count == values.count &&
               is_plain(&x, members, "x_indptr.npy") && x.ndim == 1 && x.count > 0 &&
               spans(members, x.count - 1, values.count);
    return member_number(&found, &nodes, members, "num_nodes") == GRACO_OK && found && nodes > 0 &&
           nodes / NODES_PER_EDGE <= edges;
}

/* Many graphs concern more than a rank's own rows. */
bool rows_possible(const struct source *source)
{
    const struct members *members = &source->members;
    struct array edges, weights;
    if (!members->folder || members_have(members, "graph_id.npy") ||
        !is_plain(&edges, members, "edge_index.npy"))
        return false;
    if (is_weighted(source) && (!is_plain(&weights, members, "edge_weight.npy") ||
                                weights.ndim != 1 || edges.count != 2 * weights.count))
        return false;
    return edges.ndim == 2 && edges.shape[0] == 2 && features_can(members, edges.shape[1]);
}

graco_status rows_can(bool *out, const struct source *source)
{
    struct comm *comm = source->options->by_rows ? comm_world() : NULL;
    double can = comm && rows_possible(source);
    PASS(comm_sum_doubles(comm, &can, 1));
    *out = comm && can == comm->ranks;
    return GRACO_OK;
}

/* ---- Edges ------------------------------------------------------------------------------------- */

/* This rank's part of all edges. */
static graco_status read_pairs(struct shard_pairs *pairs, const struct source *source,
                               struct comm *comm, int64_t nodes, int64_t edges)
{
    int64_t first = share_begin(edges, comm->rank, comm->ranks);
    int64_t count = share_begin(edges, comm->rank + 1, comm->ranks) - first;
    static const char *const names[2] = {"edge_index[0]", "edge_index[1]"};
    struct npy_map map = {0};
    graco_status status = GRACO_OK;
    for (int end = 0; end < 2; end++) {
        TRY(map_part(&map, &source->members, "edge_index.npy", end * edges + first, count));
        map.array.first = first;
        TRY(member_named(array_to_i32(&pairs->end[end], &map.array), names[end]));
        npy_map_close(&map);
    }
    if (is_weighted(source)) {
        TRY(map_part(&map, &source->members, "edge_weight.npy", first, count));
        TRY(member_named(array_to_f32(&pairs->weight, &map.array), "edge_weight"));
    }
    pairs->count = count;
    TRY(graph_check_pairs(&(struct graph_pairs){.nodes = nodes,
                                                .edges = count,
                                                .source = pairs->end[0],
                                                .target = pairs->end[1],
                                                .weight = pairs->weight},
                          first));
done:
    npy_map_close(&map);
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
    TRY(still_plain(&all, members, "x.npy", 2));
    if (first + rows > all.shape[0])
        FAIL(GRACO_ERROR_IO, "x.npy was changed while it was read");
    TRY(npy_map_part(&map, path, first * all.shape[1], rows * all.shape[1]));
    map.array.ndim = 2;
    map.array.shape[0] = rows;
    map.array.shape[1] = all.shape[1];
    TRY(features_map(X, &map, path));
    if (X->dense)
        goto done;
    X->rows = rows;
    X->cols = all.shape[1];
    TRY(member_named(array_to_f32(&X->dense, &map.array), "x")); /* of another type */
done:
    npy_map_close(&map);
    memory_free(path);
    return status;
}

/* Row pointers of rows first .. first + rows - 1 become those of a matrix of its own. */
static graco_status count_from_first(int64_t *start, int64_t first, int64_t rows)
{
    int64_t base = start[0];
    if (base < 0)
        return status_fail(GRACO_ERROR_FORMAT, "row %lld ends at %lld: expected at least 0",
                           (long long)first - 1, (long long)base);
    PASS(csr_check_order(start, first, rows));
    for (int64_t i = 0; i <= rows; i++)
        start[i] -= base;
    return GRACO_OK;
}

/* Own rows of compressed ones; *before entries are those of the rows before. */
static graco_status read_sparse(struct features *X, int64_t *before, const struct members *members,
                                int64_t first, int64_t rows)
{
    static const char *const names = "x_data, x_indices, x_indptr"; /* as member_csr has it */
    struct npy_map starts = {0}, index = {0}, value = {0};
    int64_t *start = NULL, *shape = NULL, two = 2, count = rows + 1;
    struct array own;
    struct csr matrix;
    graco_status status = GRACO_OK;
    TRY(member_read(&shape, &two, NULL, ARRAY_I64, members, "x_shape"));
    TRY(map_part(&starts, members, "x_indptr.npy", first, count));
    TRY(member_named(array_to_i64(&start, &starts.array), names));
    *before = start[0];
    TRY(member_named(count_from_first(start, first, rows), names));
    TRY(map_part(&index, members, "x_indices.npy", *before, start[rows]));
    TRY(map_part(&value, members, "x_data.npy", *before, start[rows]));
    TRY(array_borrow(&own, ARRAY_I64, start, 1, &count));
    TRY(member_named(csr_from_arrays(&matrix, rows, shape[1], &own, &index.array, &value.array),
                     names));
    *X = features_of(matrix);
done:
    npy_map_close(&starts);
    npy_map_close(&index);
    npy_map_close(&value);
    memory_free(start);
    memory_free(shape);
    return status;
}

/* The number of nodes: the rows of the features, or what num_nodes says. */
static graco_status count_rows(int64_t *nodes, const struct members *members)
{
    bool dense = is_dense(members), found;
    int64_t *shape = NULL, two = 2;
    struct array x;
    graco_status status = GRACO_OK;
    if (!dense && !is_sparse(members))
        return member_number(&found, nodes, members, "num_nodes");
    TRY(still_plain(&x, members, dense ? "x.npy" : "x_indptr.npy", dense ? 2 : 1));
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

/* Ranks must see the same files: those that no rank reads whole, and that say how many nodes there are. */
static graco_status compare_files(struct comm *comm, const struct source *source)
{
    const struct same_file files[] = {
        {"edge_index.npy", true}, {"x.npy", true},
        {"x_shape.npy", true},    {"x_indptr.npy", true},
        {"x_indices.npy", true},  {"x_data.npy", true},
        {"num_nodes.npy", true},  {"edge_weight.npy", is_weighted(source)}};
    return same_files(comm, &source->members, files, sizeof files / sizeof *files);
}

/* Ranks that add reverses tell each other more than others do. The run folder that a training continues may
 * have said so, and each has its own. */
static graco_status compare_directions(struct comm *comm, bool undirected)
{
    static const char *const words[] = {"as they are", "in both directions"};
    bool first = undirected;
    graco_status status = GRACO_OK;
    PASS(comm_broadcast(comm, &first, sizeof first));
    if (first != undirected)
        status = status_fail(GRACO_ERROR_ARGUMENT,
                             "it takes edges %s, and rank 0 %s: expected the same options and the "
                             "same run folder on every rank",
                             words[undirected], words[first]);
    return comm_agree(comm, status);
}

graco_status rows_read(struct dataset_parts *parts, const struct source *source)
{
    const struct members *members = &source->members;
    struct comm *comm = comm_world();
    struct shard_pairs pairs = {0};
    struct array edges;
    int64_t nodes = 0;
    graco_status status = GRACO_OK;
    TRY(compare_files(comm, source));
    TRY(compare_directions(comm, source->options->undirected));
    TRY(count_rows(&nodes, members));
    if (nodes > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "a graph of %lld nodes: expected 1 to %lld", (long long)nodes,
             (long long)INT32_MAX);
    TRY(still_plain(&edges, members, "edge_index.npy", 2));
    TRY(memory_zalloc(&parts->shard, 1, sizeof *parts->shard));
    struct dataset_shard *shard = parts->shard;
    parts->nodes = nodes;
    parts->edges = edges.shape[1];
    TRY(read_pairs(&pairs, source, comm, nodes, parts->edges));
    TRY(shard_from_pairs(&shard->shard, &shard->removed, comm, nodes, &pairs,
                         source->options->undirected));
    int64_t first = shard->shard->bounds[comm->rank], rows = shard->shard->graph.nodes;
    if (is_dense(members))
        TRY(read_dense(&parts->features, members, first, rows));
    else if (is_sparse(members))
        TRY(read_sparse(&parts->features, &shard->entries_before, members, first, rows));
done:
    shard_pairs_clear(&pairs);
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
static graco_status look_at_counts(bool *counts, const struct graco_dataset *data,
                                   const uint8_t *split)
{
    struct preprocess_seen seen = {0};
    preprocess_look(&seen, &data->features, dataset_first(data), split);
    PASS(sum_counts(data->shard->shard->comm,
                    (int64_t *const[]){&seen.rows, &seen.below, &seen.others}, 3));
    *counts = preprocess_judge(&seen, data->features.cols);
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
    PASS(look_at_counts(&shard->counts, data, NULL));
    PASS(look_at_counts(&shard->seen_counts, data, data->split));
    return fingerprint_shard(shard->fingerprint, data);
}
