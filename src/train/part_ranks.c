/* A part over ranks. Where every rank has the whole data set, each cuts its own rows out; where each has read its rows
 * alone, they are divided anew, and edges and features go to the ranks that train on them. */
#include "train/part.h"

#include "base/memory.h"
#include "data/moved_rows.h"
#include "data/subset.h"
#include "graph/order.h"
#include "graph/shard_pairs.h"
#include "layers/encoder.h"

#include <string.h>

/* The nodes of a part by their places in it, *order (count), in the order in which ranks are to divide them. */
static graco_status list_order(int32_t **order, const struct data_part *part, int64_t count,
                               const struct graco_dataset *data)
{
    int64_t nodes = dataset_nodes(data), found = 0;
    int32_t *place = NULL; /* of the part's nodes, -1: another's */
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&place, nodes, sizeof *place));
    TRY(memory_alloc(order, count, sizeof **order));
    memset(place, -1, (size_t)nodes * sizeof *place);
    for (int64_t i = 0; i < count; i++)
        place[part->nodes ? part->nodes[i] : i] = (int32_t)i;
    for (int64_t i = 0; i < nodes; i++)
        if (place[data->order[i]] >= 0)
            (*order)[found++] = place[data->order[i]];
done:
    memory_free(place);
    return status;
}

/* What was listed so becomes the part's nodes, by their numbers in the data set. */
static void take_order(struct data_part *part, int32_t *order, int64_t count)
{
    for (int64_t i = 0; part->nodes && i < count; i++)
        order[i] = part->nodes[order[i]];
    memory_free(part->nodes);
    part->nodes = order;
}

/* Puts the nodes of a part in the order in which ranks are to divide them. */
static graco_status follow_order(struct data_part *part, const struct graco_dataset *data)
{
    int32_t *order = NULL;
    struct graph *ordered = NULL;
    graco_status status = GRACO_OK;
    TRY(list_order(&order, part, part->graph->nodes, data));
    TRY(order_apply(&ordered, part->graph, order));
    graph_free(part->owned);
    part->graph = part->owned = ordered;
    take_order(part, order, ordered->nodes);
    order = NULL;
done:
    memory_free(order);
    return status;
}

/* What parts are cut from, and for which model. */
struct whole {
    struct comm *comm;
    const struct graco_model *model;
    const struct graco_dataset *data;
    const struct features *X;
};

static bool reads_others(const struct whole *s, const struct shard *shard)
{
    return input_reads_others(s->X, shard, s->model->method->views, layer_width(s->model, 1));
}

/* This rank's rows of a part and of its features; with those of other ranks' nodes where the first layer
 * propagates them. */
static graco_status cut_shard(const struct whole *s, struct data_part *part)
{
    int32_t *ids = NULL;
    graco_status status = GRACO_OK;
    if (s->data->order)
        TRY(follow_order(part, s->data));
    TRY(shard_create(&part->cut, s->comm, part->graph));
    part->shard = part->cut;
    const struct graph *own = &part->shard->graph;
    int64_t count = reads_others(s, part->shard) ? own->sources : own->nodes;
    TRY(memory_alloc(&ids, count, sizeof *ids));
    for (int64_t i = 0; i < count; i++) {
        int32_t node = part->shard->nodes[i];
        ids[i] = part->nodes ? part->nodes[node] : node;
    }
    TRY(subset_features(&part->rows, s->X, ids, count));
done:
    memory_free(ids);
    return status;
}

/* Divides a part anew where it is not the data set as this rank has read it: in another order, or fewer
 * nodes. Edges and features go to the ranks that train on them. */
static graco_status move_shard(const struct whole *s, struct data_part *part)
{
    const struct shard *read = s->data->shard->shard;
    int64_t count = part->nodes ? part->start[part->graphs] : read->all_nodes;
    int32_t *order = NULL;
    graco_status status = GRACO_OK;
    part->shard = read;
    if (s->data->order) {
        TRY(list_order(&order, part, count, s->data));
        take_order(part, order, count);
        order = NULL;
    }
    if (!part->nodes)
        goto done;
    TRY(shard_renumber(&part->cut, read, part->nodes, count));
    part->shard = part->cut;
    TRY(features_move(&part->rows, s->X, read, part->cut, part->nodes));
done:
    memory_free(order);
    return status;
}

/* The rows of a part where the data set is this rank's rows already: other ranks send theirs. */
static graco_status take_shard(const struct whole *s, struct data_part *part)
{
    PASS(move_shard(s, part));
    if (!reads_others(s, part->shard))
        return GRACO_OK;
    const struct features *own = part->cut ? &part->rows : s->X;
    struct features X = {.rows = part->shard->graph.sources, .cols = own->cols};
    PASS(memory_alloc(&X.dense, X.rows * X.cols, sizeof *X.dense));
    memcpy(X.dense, own->dense, (size_t)(own->rows * X.cols) * sizeof *X.dense);
    features_clear(&part->rows);
    part->rows = X;
    return comm_exchange(s->comm, &part->shard->rows, X.cols, X.dense);
}

graco_status part_share(struct data_part *part, struct comm *comm, const struct graco_model *model,
                        const struct graco_dataset *data, const struct features *X)
{
    const struct whole whole = {comm, model, data, X};
    return (data->shard ? take_shard : cut_shard)(&whole, part);
}
