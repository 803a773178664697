/* GraphSAGE with skips, the paper's encoder for PPI: layer k > 1 reads X S_(k-1) + H_1 + ... + H_(k-1),
 * the features by a map of their own and all layers before it; S (cols, inner width). */
#include "layers/layer_sage.h"

static void declare(struct graco_model *model)
{
    layer_declare(model, 2);
    for (int64_t k = 1; k < model->config.layers; k++)
        parameters_declare(&model->parameters, "S", k, model->sizes.cols, model->inner,
                           START_GLOROT);
}

static struct tensor *input(struct run *run, int64_t k)
{
    struct tensor *sum = run_features(run, k, run_parameter(run, "S", k - 1));
    for (int j = 0; j < run->befores; j++)
        sum = tape_add(run->tape, run->before[j], sum, run_views(run, 1)->count);
    return sum;
}

const struct layer_kind layer_sage_skip = {
    .norm = VIEW_NORM_MEAN, .declare = declare, .input = input, .forward = layer_sage_forward};
