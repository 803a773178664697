/* GraphSAGE with means (Hamilton et al., 2017): H' = act([M H ; H] W + b), M = D^-1 (A + I).
 *
 *     H (rows read, in)    W = [W' ; W''] (2 in, out)    b (1, out)    H' (rows given, out)
 *
 * As [M H ; H] W = M (H W') + H W'', nothing is concatenated. */
#include "layers/layer_sage.h"

static void declare(struct graco_model *model)
{
    layer_declare(model, 2);
}

struct tensor *layer_sage_forward(struct run *run, int64_t k, struct tensor *H)
{
    int64_t in = layer_width_in(run->model, k);
    struct tensor *near = run_parameter_rows(run, "W", k, 0, in);
    struct tensor *own = run_parameter_rows(run, "W", k, in, in);
    struct tensor *sum = run_propagate(run, k, H, near, NULL);
    sum = run_add_product(run, k, H, own, sum);
    struct ending end = run_ending(run, k);
    return tape_activate(run->tape, &end, sum);
}

const struct layer_kind layer_sage = {
    .norm = VIEW_NORM_MEAN, .declare = declare, .forward = layer_sage_forward};
