/* Golden vectors of the auto-encoders: all pairs, given pairs, given noise. */
#include "golden.h"
#include "methods/gae.h"
#include "methods/objective.h"

static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    (void)g;
    gae_loss(pass, stage->state);
}

/* The file's pairs in the place of drawn ones. */
static void give_pairs(const struct golden *g, struct gae_state *state)
{
    int64_t count;
    int32_t *pairs = golden_ints(g, "negatives", &count);
    struct csr grouped = {0};
    CHECK(count == 2 * state->others.count);
    memcpy(state->ends[1], pairs, (size_t)count * sizeof *pairs);
    CHECK_OK(csr_group(&grouped, state->graph->nodes, count, pairs));
    memcpy(state->grouped[1].start, grouped.start, (size_t)(grouped.rows + 1) * sizeof(int64_t));
    memcpy(state->grouped[1].index, grouped.index, (size_t)count * sizeof(int32_t));
    csr_clear(&grouped);
    memory_free(pairs);
}

static void check_named(const struct golden *g, const char *method, bool sampled)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    graco_config config = golden_config(g, method);
    float *noise = NULL;
    config.inner = golden_cols(g, "param.W1");
    config.hidden = golden_cols(g, "param.W2");
    config.objective = sampled ? OBJECTIVE_SAMPLED : OBJECTIVE_EXACT;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    struct gae_state *state = stage->state;
    if (sampled)
        give_pairs(g, state);
    if (state->variational) {
        int64_t count;
        noise = golden_floats(g, "noise", &count);
        state->gaussian.given = true;
        CHECK_OK(
            context_share(trainer->context, &state->gaussian.noise, noise, count, sizeof(float)));
    }
    golden_steps(g, trainer, stage, loss);
    if (noise)
        context_unshare(trainer->context, state->gaussian.noise);
    memory_free(noise);
    stage_free(stage);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void check_gae(const struct golden *g)
{
    check_named(g, "gae", false);
}

static void check_sampled(const struct golden *g)
{
    check_named(g, "gae", true);
}

static void check_vgae(const struct golden *g)
{
    check_named(g, "vgae", false);
}

int main(void)
{
    golden_each("gae", check_gae);
    golden_each("gae_sampled", check_sampled);
    golden_each("vgae", check_vgae);
    return check_result();
}
