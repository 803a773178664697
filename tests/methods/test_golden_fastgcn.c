/* Golden vectors of FastGCN: given rows and samples, with an exact and with a sampled bottom layer; the
 * chances of nodes; three steps with decay on the first layer alone. */
#include "golden.h"
#include "data/splits.h"
#include "methods/supervised.h"
#include "methods/fastgcn.h"

/* The file's rows and samples in the place of drawn ones. */
static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct fastgcn_state *state = stage->state;
    int64_t count;
    for (int l = state->precomputed ? FASTGCN_TOP : FASTGCN_BOTTOM; l < FASTGCN_LAYERS; l++) {
        int32_t *sample = golden_ints(g, l == FASTGCN_TOP ? "s1" : "s0", &count);
        memcpy(state->layer[l].sample, sample, (size_t)count * sizeof *sample);
        memory_free(sample);
    }
    for (int64_t i = 0; i < state->rows; i++)
        state->batch[i] = (int32_t)i; /* the training rows are the batch */
    fastgcn_fill(state);
    fastgcn_loss(pass, state);
}

/* The file's graph with its labels; a split of its own names the batch as the rows that train. */
static struct graco_dataset *labelled(const struct golden *g)
{
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    int64_t nodes = data->graph->nodes, count;
    int32_t *batch = golden_ints(g, "batch", &count);
    data->label = golden_ints(g, "y", NULL);
    data->classes = golden_cols(g, "param.W2");
    CHECK_OK(memory_alloc(&data->split, nodes, sizeof *data->split));
    memset(data->split, SPLITS_VALIDATION, (size_t)nodes);
    for (int64_t i = 0; i < count; i++)
        data->split[batch[i]] = SPLITS_TRAIN;
    memory_free(batch);
    return data;
}

static void check_chances(const struct golden *g, const struct fastgcn_state *state)
{
    struct array q = golden_member(g, "q");
    CHECK(q.count == state->graph->nodes);
    for (int64_t u = 0; u < q.count; u++)
        CHECK(fabs(state->chance[u] - ((const double *)q.data)[u]) < 1e-12);
    CHECK(fabs(state->below[q.count - 1] - 1) < 1e-12);
    array_clear(&q);
}

static void check_named(const struct golden *g, bool precomputed)
{
    uint8_t *part = NULL;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = labelled(g);
    graco_config config = golden_config(g, "fastgcn");
    for (int i = 0; i < 2; i++)
        memory_free(golden_ints(g, i && !precomputed ? "s0" : "s1", &config.samples[i]));
    config.hidden = golden_cols(g, "param.W1");
    config.precompute = precomputed;
    config.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    CHECK_OK(supervised_split(&part, &config, data));
    struct subject subject = {
        .context = trainer->context, .graph = data->graph, .data = data, .part = part};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    check_chances(g, stage->state);
    golden_steps(g, trainer, stage, loss);
    stage_free(stage);
    trainer_free(trainer);
    memory_free(part);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void check_precomputed(const struct golden *g)
{
    check_named(g, true);
}

static void check_sampled(const struct golden *g)
{
    check_named(g, false);
}

int main(void)
{
    golden_each("fastgcn_precomputed", check_precomputed);
    golden_each("fastgcn_sampled", check_sampled);
    return check_result();
}
