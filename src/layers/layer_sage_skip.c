/* GraphSAGE with skips, the paper's encoder for PPI: layer k > 1 reads X S_(k-1) + H_1 + ... + H_(k-1),
 * the features by a map of their own and all layers before it; S (cols, inner width). */
#include "layers/layer.h"

static void declare(struct graco_model *model)
{
    layer_declare(model, 2);
    for (int64_t k = 1; k < model->config.layers; k++)
        parameters_declare(&model->parameters, "S", k, model->sizes.cols, model->inner,
                           START_GLOROT);
}

static struct tensor *input(struct pass *pass, int64_t k)
{
    struct tensor *sum = pass_features(pass, k, pass_parameter(pass, "S", k - 1));
    for (int j = 0; j < pass->befores; j++)
        sum = tape_add(pass->tape, pass->before[j], sum, pass_views(pass, 1)->count);
    return sum;
}

const struct layer_kind layer_sage_skip = {
    .norm = VIEW_NORM_MEAN, .declare = declare, .input = input, .forward = layer_sage_forward};
