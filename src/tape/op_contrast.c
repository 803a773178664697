/* The objectives. Their kernels give the loss and, from what the forward pass left, dL/dZ. */
#include "tape/tape_node.h"

#include <assert.h>

struct contrast_node {
    struct tape_node node;
    struct contrast *spec;
};

struct moment_node {
    struct tape_node node;
    struct moment *spec;
    struct tensor *scratch[7];
};

/* A buffer of `bytes` that the tape gives back, as a tensor of one column. */
static void *scratch(struct tape *tape, int64_t bytes, struct tensor **out)
{
    *out = tape_tensor(tape, (bytes + 3) / 4, 1);
    return *out ? (*out)->data : NULL;
}

static graco_status contrast_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *Z = node->in[0];
    bool started;
    graco_status status = tape_gradient(tape, Z, &started);
    assert(!started);
    if (status != GRACO_OK)
        return status;
    status = tape->context->kernels->contrast_backward(
        tape->context, ((struct contrast_node *)node)->spec, Z->grad);
    tape_drop(tape, node->in[1]);
    tape_drop(tape, node->in[2]);
    return status;
}

void tape_contrast(struct tape *tape, struct contrast *spec, struct tensor *Z)
{
    if (!Z)
        return;
    assert(Z->data && Z->rows == 2 * spec->n && Z->cols == spec->d);
    struct contrast_node *op = tape_record(tape, sizeof *op, contrast_backward);
    if (!op)
        return;
    op->spec = spec;
    op->node.in[0] = Z;
    spec->Z = Z->data;
    spec->D = scratch(tape, 2 * spec->n * (int64_t)sizeof(double), &op->node.in[1]);
    if (!spec->D)
        return;
    int64_t blocks = 2 * ((spec->n + CONTRAST_TILE - 1) / CONTRAST_TILE);
    int64_t all = blocks * (blocks + 1) / 2 * CONTRAST_TILE * CONTRAST_TILE;
    int64_t room =
        tape->context->backend->tiles ? tape->context->tile_budget / (int64_t)sizeof(float) : 0;
    spec->tile_floats = room < all ? room : all;
    spec->tiles = scratch(tape, spec->tile_floats * (int64_t)sizeof(float), &op->node.in[2]);
    if (!spec->tiles)
        return;
    graco_status status = tape->context->kernels->contrast(tape->context, spec);
    if (status != GRACO_OK)
        tape_fail(tape, status);
}

static graco_status moment_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *Z = node->in[0];
    bool started;
    graco_status status = tape_gradient(tape, Z, &started);
    assert(!started);
    if (status != GRACO_OK)
        return status;
    return tape->context->kernels->moment_backward(tape->context,
                                                   ((struct moment_node *)node)->spec, Z->grad);
}

void tape_moment(struct tape *tape, struct moment *spec, struct tensor *Z)
{
    if (!Z)
        return;
    assert(Z->data && Z->rows == 2 * spec->n && Z->cols == spec->d);
    struct moment_node *op = tape_record(tape, sizeof *op, moment_backward);
    if (!op)
        return;
    op->spec = spec;
    op->node.in[0] = Z;
    spec->Z = Z->data;
    int64_t rows = 2 * spec->n, kept = rows * (spec->samples + spec->d) * (int64_t)sizeof(float);
    spec->D = scratch(tape, rows * (int64_t)sizeof(double), &op->scratch[0]);
    spec->floor = scratch(tape, rows, &op->scratch[1]);
    bool host = tape->context->backend->host;
    int64_t head = host ? 0 : spec->samples;
    spec->sampled =
        scratch(tape, (head + spec->d + 1) * spec->d * (int64_t)sizeof(float), &op->scratch[2]);
    spec->kept = kept <= tape->context->tile_budget ? scratch(tape, kept, &op->scratch[3]) : NULL;
    spec->fitted = scratch(tape, 3 * (int64_t)sizeof(double), &op->scratch[4]);
    spec->place =
        scratch(tape, (host ? 0 : rows + head) * (int64_t)sizeof(int32_t), &op->scratch[5]);
    spec->weight = scratch(tape, (host ? 0 : rows) * (int64_t)sizeof(float), &op->scratch[6]);
    if (tape->status != GRACO_OK)
        return;
    spec->moments = spec->sampled + head * spec->d;
    graco_status status = tape->context->kernels->moment(tape->context, spec);
    if (status != GRACO_OK)
        tape_fail(tape, status);
}
