/* GraphSAGE with means (Hamilton et al., 2017): H' = act([M H ; H] W + b), M = D^-1 (A + I).
 *
 *     H (rows read, in)    W = [W' ; W''] (2 in, out)    b (1, out)    H' (rows given, out)
 *
 * As [M H ; H] W = M (H W') + H W'', nothing is concatenated. */
#include "layers/layer.h"

static void declare(struct graco_model *model)
{
    layer_declare(model, 2);
}

struct tensor *layer_sage_forward(struct pass *pass, int64_t k, struct tensor *H)
{
    int64_t in = layer_width_in(pass->model, k);
    struct tensor *near = pass_parameter_rows(pass, "W", k, 0, in);
    struct tensor *own = pass_parameter_rows(pass, "W", k, in, in);
    struct tensor *sum = pass_propagate(pass, k, H, near, NULL);
    sum = pass_add_product(pass, k, H, own, sum);
    struct ending end = pass_ending(pass, k);
    return tape_activate(pass->tape, &end, sum);
}

const struct layer_kind layer_sage = {
    .norm = VIEW_NORM_MEAN, .declare = declare, .forward = layer_sage_forward};
