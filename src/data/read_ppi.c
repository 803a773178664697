/* DGL's ppi.zip (Hamilton, Ying, Leskovec, "Inductive Representation Learning on Large Graphs",
 * 2017): for each of train, valid and test
 *
 *     PART_graph.json      all graphs of the part as one, in node-link form
 *     PART_feats.npy       (n, F)
 *     PART_labels.npy      (n, K) of 0 and 1
 *     PART_graph_id.npy    (n) ascending; the parts count on from each other
 *     PART_label_mask.npy  (n) optional: whether the row's labels are known */
#include "data/members.h"
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

bool read_ppi_knows(const struct members *members)
{
    static const char *const files[] = {"graph.json", "feats.npy", "labels.npy", "graph_id.npy"};
    char name[NAME_SIZE];
    for (int p = 0; p < PARTS; p++) {
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            snprintf(name, sizeof name, "%s_%s", part_names[p], files[f]);
            if (members_have(members, name))
                return true;
        }
    }
    return false;
}

static graco_status read_graph(struct part *part, const struct members *members, const char *name)
{
    graco_status status;
    struct member_bytes bytes = {0};
    TRY(member_bytes_open(&bytes, members, name));
    status = node_link_decode(&part->graph, bytes.data, bytes.length);
    if (status != GRACO_OK)
        status = status_context(status, "%s", name);
done:
    member_bytes_clear(&bytes);
    return status;
}

enum field { FIELD_FEATS, FIELD_LABELS, FIELD_GRAPH_ID, FIELD_MASK };

/* Reads one array of a part and checks its rows against the nodes of the graph. */
static graco_status read_field(struct part *part, const struct members *members,
                               const char *part_name, enum field field)
{
    static const char *const names[] = {"feats", "labels", "graph_id", "label_mask"};
    graco_status status;
    struct member member = {0};
    char name[NAME_SIZE];
    int64_t nodes = part->graph.nodes;
    snprintf(name, sizeof name, "%s_%s", part_name, names[field]);
    TRY((field == FIELD_MASK ? member_open : member_need)(&member, members, name));
    if (!member.array)
        goto done;
    TRY(array_expect(member.array, name, field <= FIELD_LABELS ? 2 : 1, nodes, -1));
    if (field == FIELD_FEATS) {
        part->cols = member.array->shape[1];
        status = array_to_f32(&part->feats, member.array);
    } else if (field == FIELD_LABELS) {
        part->classes = member.array->shape[1];
        status = array_to_u8(&part->labels, member.array);
    } else if (field == FIELD_GRAPH_ID) {
        status = array_to_i32(&part->graph_id, member.array);
    } else {
        status = array_to_u8(&part->mask, member.array);
    }
    if (status != GRACO_OK)
        status = status_context(status, "%s", name);
done:
    member_clear(&member);
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
    graco_status status;
    char file[NAME_SIZE];
    snprintf(file, sizeof file, "%s_graph.json", name);
    TRY(read_graph(part, members, file));
    if (part->graph.nodes == 0)
        FAIL(GRACO_ERROR_FORMAT, "%s has no nodes", file);
    for (int f = FIELD_FEATS; f <= FIELD_MASK; f++)
        TRY(read_field(part, members, name, (enum field)f));
    TRY(check_part(part, name));
done:
    return status;
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
    graco_status status;
    bool masked = false;
    for (int p = 0; p < PARTS; p++) {
        joined->nodes += parts[p].graph.nodes;
        joined->edges += parts[p].graph.edges;
        masked |= parts[p].mask != NULL;
    }
    joined->classes = parts[0].classes;
    joined->features.rows = joined->nodes;
    joined->features.cols = parts[0].cols;
    TRY(memory_alloc(&joined->features.dense, joined->nodes * parts[0].cols, sizeof(float)));
    TRY(memory_alloc(&joined->multi, joined->nodes * parts[0].classes, 1));
    TRY(memory_alloc(&joined->split, joined->nodes, 1));
    TRY(memory_alloc(&joined->graph_id, joined->nodes, sizeof(int32_t)));
    TRY(memory_alloc(&joined->source, joined->edges, sizeof(int32_t)));
    TRY(memory_alloc(&joined->target, joined->edges, sizeof(int32_t)));
    if (masked)
        TRY(memory_alloc(&joined->label_known, joined->nodes, 1));
done:
    return status;
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

graco_status read_ppi(struct graco_dataset **out, const struct members *members, const char *name)
{
    graco_status status;
    struct part parts[PARTS] = {0};
    struct dataset_parts joined = {.name = name, .undirected = true, .inductive = true};
    int64_t at = 0, edge = 0;
    int32_t graph = -1;
    for (int p = 0; p < PARTS; p++)
        TRY(read_part(&parts[p], members, part_names[p]));
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
