/* The reconstruction of a graph, an objective, and the draws that a variational encoder puts before it. */
#include "tape/tape_node.h"

#include <assert.h>

struct reconstruct_node {
    struct tape_node node;
    struct tensor *dZ; /* filled by the forward kernel: the gradient as it stands */
};

static graco_status reconstruct_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *dZ = ((struct reconstruct_node *)node)->dZ;
    return tape_pass_gradient(tape, node->in[0], &dZ->data);
}

void tape_reconstruct(struct tape *tape, struct reconstruction *spec, struct tensor *Z)
{
    if (!Z)
        return;
    assert(Z->data && Z->rows == spec->n && Z->cols == spec->d);
    struct tensor *dZ = tape_tensor(tape, Z->rows, Z->cols);
    struct reconstruct_node *op =
        tape_record(tape, sizeof *op, reconstruct_backward, NULL, (struct tensor *[3]){Z});
    if (!op)
        return;
    op->dZ = dZ;
    spec->Z = Z->data;
    spec->dZ = dZ->data;
    tape_fail(tape, tape->context->kernels->reconstruct(tape->context, spec));
}

struct gaussian_node {
    struct tape_node node;
    const struct gaussian *spec;
};

/* dZ's buffer becomes that of the mean's gradient. */
static graco_status gaussian_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *Z = node->out, *mean = node->in[0], *spread = node->in[1];
    const struct gaussian *spec = ((struct gaussian_node *)node)->spec;
    struct context *context = tape->context;
    float *dspread = NULL;
    PASS(context_take(context, &dspread, Z->rows * Z->cols, sizeof(float)));
    graco_status status =
        context->kernels->gaussian_backward(context, spec, Z->grad, Z->grad, dspread);
    if (status == GRACO_OK)
        status = tape_pass_gradient(tape, spread, &dspread);
    if (status == GRACO_OK)
        status = tape_pass_gradient(tape, mean, &Z->grad);
    context_give(context, dspread);
    return status;
}

struct tensor *tape_gaussian(struct tape *tape, struct gaussian *spec, struct tensor *mean,
                             struct tensor *spread)
{
    if (!mean || !spread)
        return NULL;
    assert(mean->rows == spread->rows && mean->cols == spread->cols);
    struct tensor *Z = tape_tensor(tape, mean->rows, mean->cols);
    struct tensor *noise = spec->given ? NULL : tape_tensor(tape, mean->rows, mean->cols);
    struct gaussian_node *op =
        tape_record(tape, sizeof *op, gaussian_backward, Z, (struct tensor *[3]){mean, spread});
    if (!op)
        return NULL;
    op->spec = spec;
    spec->rows = mean->rows;
    spec->cols = mean->cols;
    spec->mean = mean->data;
    spec->spread = spread->data;
    if (noise)
        spec->noise = noise->data;
    graco_status status = tape->context->kernels->gaussian(tape->context, spec, Z->data);
    return status == GRACO_OK ? Z : tape_fail(tape, status);
}
