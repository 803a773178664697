/* Graph convolution (Kipf and Welling, 2017): H' = act(M H W + b), M = D^-1/2 (A + I) D^-1/2.
 *
 *     H (rows read, in)    W (in, out)    b (1, out)    H' (rows given, out)
 *
 * Where H is the features, M (H W) and (M H) W are both possible; pass_propagate takes the cheaper. */
#include "layers/layer.h"

static void declare(struct graco_model *model)
{
    layer_declare(model, 1);
}

static struct tensor *forward(struct pass *pass, int64_t k, struct tensor *H)
{
    struct ending end = pass_ending(pass, k);
    return pass_propagate(pass, k, H, pass_parameter(pass, "W", k), &end);
}

const struct layer_kind layer_gcn = {
    .norm = VIEW_NORM_SYMMETRIC, .wide = true, .declare = declare, .forward = forward};
