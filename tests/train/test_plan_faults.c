/* Every allocation of a plan fails once: nothing leaks, and the plan is left as it was. */
#include "faults.h"
#include "fixture.h"

static graco_dataset *data;
static graco_config config;

static graco_status plan(void)
{
    graco_plan out = {.steps = -5};
    graco_status status = graco_plan_train(&out, data, &config);
    CHECK((status == GRACO_OK) == (out.steps != -5));
    return status;
}

/* What is filled of `out` when a later rank fails is of no use. */
static graco_status plan_ranks(void)
{
    enum { RANKS = 3 };
    graco_rank_plan out[RANKS];
    return graco_plan_ranks(out, RANKS, data, &config);
}

static void fail_plans(const char *method, const char *keys)
{
    const struct method *found = NULL;
    CHECK_OK(method_find(&found, method));
    pinned_config(&config, found);
    config.threads = 1;
    config.device = DEVICE_CPU;
    CHECK_OK(config_apply(&config, keys));
    faults_each(plan, method);
    if (found->ranks && config.batch == 0)
        faults_each(plan_ranks, keys);
}

int main(void)
{
    graco_generate_options options = graco_generate_defaults();
    options.nodes = 40;
    options.feature_count = 12;
    CHECK_OK(graco_dataset_generate(&data, &options));
    fail_plans("grace", "hidden=4 projection=4");
    fail_plans("grace", "hidden=4 projection=4 objective=moment correction=8 batch=16 fanout=3,2");
    fail_plans("grace", "hidden=4 projection=4 objective=moment correction=8");
    fail_plans("gae", "hidden=4 inner=4");
    fail_plans("deepwalk", "hidden=4 walks=2 length=3 window=2");
    fail_plans("gcn", "hidden=4");
    int32_t order[40];
    for (int32_t i = 0; i < 40; i++)
        order[i] = i * 7 % 40;
    data->order = order; /* ranks divide the nodes in it */
    fail_plans("grace", "hidden=4 projection=4");
    data->order = NULL;
    graco_dataset_free(data);
    return check_result();
}
