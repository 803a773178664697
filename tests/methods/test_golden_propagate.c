/* Golden vectors of propagated features: both filters, with rows as they are and of length one, and features that
 * are multiplied by given signs first. */
#include "golden.h"
#include "methods/propagate.h"

struct propagation {
    const struct golden *golden;
    struct pass *pass;
    int64_t nodes;
};

static void check_filter(const struct propagation *p, const char *name, struct filter filter)
{
    float *Z = NULL;
    CHECK_OK(memory_alloc(&Z, p->nodes * filter.columns->count, sizeof *Z));
    CHECK_OK(filter_run(Z, p->pass, &filter));
    golden_compare(p->golden, "", name, Z);
    memory_free(Z);
}

static void check_filters(const struct propagation *p, int64_t cols)
{
    int32_t *hops = golden_ints(p->golden, "layers", NULL);
    struct components all = {.cols = cols, .count = cols}, projected = all;
    struct filter mean = {FILTER_MEAN, *hops, golden_scalar(p->golden, "alpha"), .columns = &all};
    struct filter power = {FILTER_POWER, *hops, .columns = &all};
    check_filter(p, "mean", mean);
    check_filter(p, "power", power);
    mean.unit = power.unit = true;
    check_filter(p, "unit.mean", mean);
    check_filter(p, "unit.power", power);
    int64_t count, width = golden_cols(p->golden, "signs");
    float *R = golden_floats(p->golden, "signs", &count);
    for (int64_t i = 0; i < count; i++)
        R[i] /= sqrtf((float)width);
    projected.count = width;
    projected.P = R;
    mean.columns = &projected;
    check_filter(p, "unit.projected", mean);
    memory_free(R);
    memory_free(hops);
}

static void check_propagate(const struct golden *g)
{
    const struct method *method = NULL;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    struct graco_config config;
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    CHECK_OK(method_find(&method, "propagate"));
    method_configure(&config, method, NULL);
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    trainer->context->precision = PRECISION_FP32;
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    struct pass pass = trainer_pass(trainer, stage);
    struct propagation p = {g, &pass, data->graph->nodes};
    check_filters(&p, data->features.cols);
    stage_free(stage);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

int main(void)
{
    golden_each("propagate", check_propagate);
    return check_result();
}
