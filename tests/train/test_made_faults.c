/* Every allocation of made features fails once: nothing leaks, nothing is left behind. */
#include "train/made.h"

#include "base/memory.h"
#include "check.h"
#include "pinned.h"
#include "data/node_features.h"
#include "faults.h"

/* With a walk the count is too large to fail each: every `stride`-th. */
static void fail_all(struct graco_dataset *data, int kind, long stride)
{
    const struct method *method = NULL;
    struct graco_config config;
    graco_status status = GRACO_ERROR_MEMORY;
    CHECK_OK(method_find(&method, "grace"));
    pinned_config(&config, method);
    config.node_features = kind;
    config.threads = 1;
    config.inductive = kind == NODE_FEATURES_DEGREE && data->split;
    for (long n = 0; status != GRACO_OK && n < 20000; n += stride) {
        struct made made = {0};
        faults_until = n;
        faults_hit = 0;
        status = made_create(&made, data, &config);
        if (status == GRACO_OK)
            status = made_narrow(&made, &config);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || status == GRACO_ERROR_MEMORY);
        CHECK(status != GRACO_OK || (made.data->features.cols > 0 && made.data != data));
        CHECK(status != GRACO_OK || made.narrowed == config.inductive);
        made_clear(&made);
    }
    CHECK(status == GRACO_OK);
}

int main(void)
{
    graco_generate_options options = graco_generate_defaults();
    struct graco_dataset *data = NULL;
    options.nodes = 30;
    options.feature_count = 0;
    CHECK_OK(graco_dataset_generate(&data, &options));
    fail_all(data, NODE_FEATURES_DEGREE, 1);
    fail_all(data, NODE_FEATURES_SPECTRAL, 1);
    fail_all(data, NODE_FEATURES_LEARNED, 1);
    fail_all(data, NODE_FEATURES_WALK, 7);
    memory_free(data->split);
    CHECK_OK(dataset_split_begin(&data->split, options.nodes));
    for (int64_t i = 0; i < options.nodes / 2; i++)
        data->split[i] = 0;
    fail_all(data, NODE_FEATURES_DEGREE, 1);
    graco_dataset_free(data);
    return check_result();
}
