/* The operations of layers, whole on the tape; chunks.c has the other way. Both give a layer the same
 * values up to rounding: only the order of some sums differs. */
#include "layers/chunks.h"

#include "graph/shard.h"

const struct views *run_views(const struct run *run, int64_t k)
{
    return run->views[run->hops == 1 ? 0 : run->hops - k];
}

struct tensor *run_parameter_rows(const struct run *run, const char *name, int64_t number,
                                  int64_t first, int64_t rows)
{
    const struct parameter *t = parameters_find(&run->model->parameters, name, number);
    int64_t offset = t->offset + first * t->cols;
    return tape_parameter(run->tape, rows, t->cols, run->value + offset,
                          run->grad ? run->grad + offset : NULL);
}

struct tensor *run_parameter(const struct run *run, const char *name, int64_t number)
{
    const struct parameter *t = parameters_find(&run->model->parameters, name, number);
    return run_parameter_rows(run, name, number, 0, t->rows);
}

struct ending run_ending(const struct run *run, int64_t k)
{
    const struct graco_config *config = &run->model->config;
    bool none = run->model->linear_end && k == config->layers;
    struct ending end = {
        .spec = {
            .kind = none ? ACTIVATION_NONE : (enum activation_kind)config->activation,
            .key = {.seed = config->seed, .stream = RANDOM_RRELU + (uint32_t)k, .step = run->step},
            .training = run->training}};
    end.bias = run_parameter(run, "b", k);
    const struct graph *graph = run_views(run, k)->graph;
    const struct shard *shard = graph->shard;
    if (shard)
        end.spec.among = (struct rank_rows){graph->nodes, shard->bounds[comm_rank(shard->comm)],
                                            shard->all_nodes, NULL};
    if (graph->places)
        end.spec.among = (struct rank_rows){graph->nodes, 0, graph->all_targets, graph->places};
    if (end.spec.kind == ACTIVATION_PRELU)
        end.slope = run_parameter(run, "prelu", 0);
    return end;
}

struct tensor *run_propagate(struct run *run, int64_t k, struct tensor *H, struct tensor *W,
                             const struct ending *end)
{
    if (run->chunks)
        return chunks_propagate(run, H, W, end);
    if (!H)
        return input_propagate(run->tape, run->input, run_views(run, k), W, end);
    struct tensor *HW = tape_matmul(run->tape, H, W, NULL);
    struct tensor *sum = tape_propagate(run->tape, &run_views(run, k)->map, HW, end);
    tape_drop(run->tape, HW);
    return sum;
}

struct tensor *run_send(struct run *run, int64_t k, struct tensor *H, struct tensor *W,
                        const struct ending *end)
{
    if (run->chunks)
        return chunks_send(run, H, W, end);
    if (H)
        return tape_matmul(run->tape, H, W, end);
    struct tensor *XW = run_features(run, k, W);
    return end ? tape_activate(run->tape, end, XW) : XW;
}

const struct segments *run_segments(struct run *run, int64_t k)
{
    return run->chunks ? chunks_segments(run) : &run_views(run, k)->segments;
}

struct tensor *run_product(struct run *run, int64_t k, struct tensor *H, struct tensor *W)
{
    const struct views *views = run_views(run, k);
    int64_t rows = views->map.matrix[0].entries.rows;
    if (run->chunks)
        return chunks_product(run, H, W);
    return H ? tape_matmul_head(run->tape, H, W, views->count, rows, NULL)
             : input_product(run->tape, run->input, views, W, rows);
}

struct tensor *run_add_product(struct run *run, int64_t k, struct tensor *H, struct tensor *W,
                               struct tensor *Y)
{
    if (run->chunks)
        return chunks_add_product(run, H, W, Y);
    struct tensor *HW = run_product(run, k, H, W);
    struct tensor *sum = tape_add(run->tape, HW, Y, run_views(run, k)->count);
    tape_drop(run->tape, HW);
    return sum;
}

struct tensor *run_features(struct run *run, int64_t k, struct tensor *W)
{
    if (run->chunks)
        return chunks_product(run, NULL, W);
    const struct sparse_map *map = &run_views(run, k)->map;
    const struct csr *M = &map->matrix[0].entries;
    return input_product(run->tape, run->input, run_views(run, 1), W,
                         map->rows ? M->rows : M->cols); /* a layer reads a rank's own rows */
}
