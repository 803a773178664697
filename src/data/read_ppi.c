/* DGL's ppi.zip (Hamilton, Ying, Leskovec, "Inductive Representation Learning on Large Graphs",
 * 2017): for each of train, valid and test
 *
 *     PART_graph.json      all graphs of the part as one, in node-link form
 *     PART_feats.npy       (n, F)
 *     PART_labels.npy      (n, K) of 0 and 1
 *     PART_graph_id.npy    (n) ascending; the parts count on from each other
 *     PART_label_mask.npy  (n) optional: whether the row's labels are known
 *
 * Nodes are numbered in the order train, valid, test, which is also the split; graphs from 0 in the
 * same order. Undirected. */
#include "data/readers.h"

#include "base/memory.h"
#include "io/json/node_link.h"

#include <stdio.h>
#include <string.h>

enum { PARTS = 3, NAME_SIZE = 32 };

static const char *const part_names[PARTS] = {"train", "valid", "test"};

/* What the files of one part hold. */
struct part {
    struct node_link graph;
    int64_t cols, classes;
    float *feats;      /* (nodes, cols) */
    uint8_t *labels;   /* (nodes, classes) */
    uint8_t *mask;     /* (nodes) or NULL */
    int32_t *graph_id; /* (nodes) as in the file */
};

static void part_clear(struct part *part)
{
    node_link_clear(&part->graph);
    memory_free(part->feats);
    memory_free(part->labels);
    memory_free(part->mask);
    memory_free(part->graph_id);
}

/* PART_ENDING, written to `name`. */
static const char *file_name(char name[NAME_SIZE], const char *part, const char *ending)
{
    snprintf(name, NAME_SIZE, "%s_%s", part, ending);
    return name;
}

static graco_status read_graph(struct part *part, const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    TRY(member_bytes_open(&bytes, members, name));
    TRY(member_named(node_link_decode(&part->graph, bytes.data, bytes.length), name));
done:
    member_bytes_clear(&bytes);
    return status;
}

/* Graph ids ascend within a part, and no link leaves its graph. */
static graco_status check_part(const struct part *part, const char *name)
{
    const struct node_link *graph = &part->graph;
    const int32_t *id = part->graph_id;
    for (int64_t i = 1; i < graph->nodes; i++) {
        if (id[i] < id[i - 1])
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s_graph_id: node %lld is in graph %ld after graph %ld: expected "
                               "ascending ids",
                               name, (long long)i, (long)id[i], (long)id[i - 1]);
    }
    for (int64_t e = 0; e < graph->edges; e++) {
        int32_t s = graph->source[e], t = graph->target[e];
        if (id[s] != id[t])
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s_graph.json: the link from node %ld to node %ld joins graphs %ld "
                               "and %ld of %s_graph_id: expected links within a graph only",
                               name, (long)s, (long)t, (long)id[s], (long)id[t], name);
    }
    return GRACO_OK;
}

static graco_status read_part(struct part *part, const struct members *members, const char *name)
{
    char file[NAME_SIZE];
    PASS(read_graph(part, members, file_name(file, name, "graph.json")));
    int64_t nodes = part->graph.nodes;
    if (nodes == 0)
        return status_fail(GRACO_ERROR_FORMAT, "%s has no nodes", file);
    part->cols = part->classes = -1;
    PASS(member_read(&part->feats, &nodes, &part->cols, ARRAY_F32, members,
                     file_name(file, name, "feats")));
    PASS(member_read(&part->labels, &nodes, &part->classes, ARRAY_U8, members,
                     file_name(file, name, "labels")));
    PASS(member_read(&part->graph_id, &nodes, NULL, ARRAY_I32, members,
                     file_name(file, name, "graph_id")));
    PASS(member_optional(&part->mask, nodes, ARRAY_U8, members,
                         file_name(file, name, "label_mask")));
    return check_part(part, name);
}

/* The parts must agree in their columns, and each must count its graphs on from the one before. */
static graco_status check_agreement(const struct part parts[PARTS])
{
    for (int p = 1; p < PARTS; p++) {
        const struct part *a = &parts[p - 1], *b = &parts[p];
        if (a->cols != b->cols || a->classes != b->classes)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s has %lld features and %lld labels: expected %lld and %lld, as "
                               "in %s",
                               part_names[p], (long long)b->cols, (long long)b->classes,
                               (long long)a->cols, (long long)a->classes, part_names[p - 1]);
        if (b->graph_id[0] <= a->graph_id[a->graph.nodes - 1])
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s_graph_id starts with graph %ld: expected more than %ld, the "
                               "last one of %s_graph_id",
                               part_names[p], (long)b->graph_id[0],
                               (long)a->graph_id[a->graph.nodes - 1], part_names[p - 1]);
    }
    return GRACO_OK;
}

static graco_status joined_alloc(struct dataset_parts *joined, const struct part parts[PARTS])
{
    bool masked = false;
    for (int p = 0; p < PARTS; p++) {
        joined->nodes += parts[p].graph.nodes;
        joined->edges += parts[p].graph.edges;
        masked = masked || parts[p].mask;
    }
    joined->classes = parts[0].classes;
    joined->features.rows = joined->nodes;
    joined->features.cols = parts[0].cols;
    PASS(memory_alloc(&joined->features.dense, joined->nodes * parts[0].cols, sizeof(float)));
    PASS(memory_alloc(&joined->multi, joined->nodes * parts[0].classes, 1));
    PASS(memory_alloc(&joined->split, joined->nodes, 1));
    PASS(memory_alloc(&joined->graph_id, joined->nodes, sizeof(int32_t)));
    PASS(memory_alloc(&joined->source, joined->edges, sizeof(int32_t)));
    PASS(memory_alloc(&joined->target, joined->edges, sizeof(int32_t)));
    if (masked)
        PASS(memory_alloc(&joined->label_known, joined->nodes, 1));
    return GRACO_OK;
}

static void copy(void *to, const void *from, int64_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * size);
}

/* Appends a part behind `at` nodes and `edge` edges; *graph is the last number of a graph, -1 at
 * first. */
static void append_part(struct dataset_parts *joined, const struct part *part, int split,
                        int64_t at, int64_t edge, int32_t *graph)
{
    int64_t n = part->graph.nodes;
    copy(joined->features.dense + at * part->cols, part->feats, n * part->cols, sizeof(float));
    copy(joined->multi + at * part->classes, part->labels, n * part->classes, 1);
    memset(joined->split + at, split, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        *graph += i == 0 || part->graph_id[i] != part->graph_id[i - 1];
        joined->graph_id[at + i] = *graph;
        if (joined->label_known)
            joined->label_known[at + i] = part->mask ? part->mask[i] : 1;
    }
    for (int64_t e = 0; e < part->graph.edges; e++) {
        joined->source[edge + e] = (int32_t)(part->graph.source[e] + at);
        joined->target[edge + e] = (int32_t)(part->graph.target[e] + at);
    }
}

static graco_status read_ppi(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct part parts[PARTS] = {0};
    struct dataset_parts joined = {.name = source->name, .undirected = true, .inductive = true};
    int64_t at = 0, edge = 0;
    int32_t graph = -1;
    for (int p = 0; p < PARTS; p++)
        TRY(read_part(&parts[p], &source->members, part_names[p]));
    TRY(check_agreement(parts));
    TRY(joined_alloc(&joined, parts));
    if (joined.nodes > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "%lld nodes: expected at most %lld", (long long)joined.nodes,
             (long long)INT32_MAX);
    for (int p = 0; p < PARTS; p++) {
        append_part(&joined, &parts[p], p, at, edge, &graph);
        at += parts[p].graph.nodes;
        edge += parts[p].graph.edges;
        part_clear(&parts[p]);
        parts[p] = (struct part){0};
    }
    TRY(dataset_create(out, &joined));
done:
    for (int p = 0; p < PARTS; p++)
        part_clear(&parts[p]);
    dataset_parts_clear(&joined);
    return status;
}

static bool knows(const struct source *source)
{
    static const char *const files[] = {"graph.json", "feats.npy", "labels.npy", "graph_id.npy"};
    char name[NAME_SIZE];
    for (int p = 0; p < PARTS; p++) {
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            if (members_have(&source->members, file_name(name, part_names[p], files[f])))
                return true;
        }
    }
    return false;
}

const struct reader reader_ppi = {
    .format = "DGL's PPI",
    .places = PLACE_ARCHIVE | PLACE_FOLDER,
    .sign = "train_graph.json",
    .knows = knows,
    .read = read_ppi,
};
