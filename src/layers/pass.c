/* The operations of layers, whole on the tape; chunks.c has the other way. Both give a layer the same
 * values up to rounding: only the order of some sums differs. */
#include "layers/chunks.h"

#include "graph/shard.h"

const struct views *pass_views(const struct pass *pass, int64_t k)
{
    return pass->views[pass->hops == 1 ? 0 : pass->hops - k];
}

struct tensor *pass_parameter_rows(const struct pass *pass, const char *name, int64_t number,
                                   int64_t first, int64_t rows)
{
    const struct parameter *t = parameters_find(&pass->model->parameters, name, number);
    int64_t offset = t->offset + first * t->cols;
    return tape_parameter(pass->tape, rows, t->cols, pass->value + offset,
                          pass->grad ? pass->grad + offset : NULL);
}

struct tensor *pass_parameter(const struct pass *pass, const char *name, int64_t number)
{
    const struct parameter *t = parameters_find(&pass->model->parameters, name, number);
    return pass_parameter_rows(pass, name, number, 0, t->rows);
}

struct ending pass_ending(const struct pass *pass, int64_t k)
{
    const struct graco_config *config = &pass->model->config;
    bool none = pass->model->linear_end && k == config->layers;
    struct ending end = {
        .spec = {
            .kind = none ? ACTIVATION_NONE : (enum activation_kind)config->activation,
            .key = {.seed = config->seed, .stream = RANDOM_RRELU + (uint32_t)k, .step = pass->step},
            .training = pass->training}};
    end.bias = pass_parameter(pass, "b", k);
    const struct graph *graph = pass_views(pass, k)->graph;
    const struct shard *shard = graph->shard;
    if (shard)
        end.spec.among = (struct rank_rows){graph->nodes, shard->bounds[comm_rank(shard->comm)],
                                            shard->all_nodes, NULL};
    if (graph->places)
        end.spec.among = (struct rank_rows){graph->nodes, 0, graph->all_targets, graph->places};
    if (end.spec.kind == ACTIVATION_PRELU)
        end.slope = pass_parameter(pass, "prelu", 0);
    return end;
}

struct tensor *pass_propagate(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                              const struct ending *end)
{
    if (pass->chunks)
        return chunks_propagate(pass, H, W, end);
    if (!H)
        return input_propagate(pass->tape, pass->input, pass_views(pass, k), W, end);
    struct tensor *HW = tape_matmul(pass->tape, H, W, NULL);
    struct tensor *sum = tape_propagate(pass->tape, &pass_views(pass, k)->map, HW, end);
    tape_drop(pass->tape, HW);
    return sum;
}

struct tensor *pass_send(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                         const struct ending *end)
{
    if (pass->chunks)
        return chunks_send(pass, H, W, end);
    if (H)
        return tape_matmul(pass->tape, H, W, end);
    struct tensor *XW = pass_features(pass, k, W);
    return end ? tape_activate(pass->tape, end, XW) : XW;
}

const struct segments *pass_segments(struct pass *pass, int64_t k)
{
    return pass->chunks ? chunks_segments(pass) : &pass_views(pass, k)->segments;
}

struct tensor *pass_product(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W)
{
    const struct views *views = pass_views(pass, k);
    int64_t rows = views->map.matrix[0].entries.rows;
    if (pass->chunks)
        return chunks_product(pass, H, W);
    return H ? tape_matmul_head(pass->tape, H, W, views->count, rows, NULL)
             : input_product(pass->tape, pass->input, views, W, rows);
}

struct tensor *pass_add_product(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                                struct tensor *Y)
{
    if (pass->chunks)
        return chunks_add_product(pass, H, W, Y);
    struct tensor *HW = pass_product(pass, k, H, W);
    struct tensor *sum = tape_add(pass->tape, HW, Y, pass_views(pass, k)->count);
    tape_drop(pass->tape, HW);
    return sum;
}

struct tensor *pass_features(struct pass *pass, int64_t k, struct tensor *W)
{
    if (pass->chunks)
        return chunks_product(pass, NULL, W);
    const struct sparse_map *map = &pass_views(pass, k)->map;
    const struct csr *M = &map->matrix[0].entries;
    return input_product(pass->tape, pass->input, pass_views(pass, 1), W,
                         map->rows ? M->rows : M->cols); /* a layer reads a rank's own rows */
}
