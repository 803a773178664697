/* The objectives. Their kernels give the loss of Z (2n, d) and, from what the forward kernels left,
 * dL/dZ: an objective's backward function is the first to run, and the first to fill a gradient. */
#include "compute/device_scratch.h"
#include "tape/tape_node.h"

#include <assert.h>

struct objective_node {
    struct tape_node node;
    void *spec; /* struct contrast or struct moment, the caller's */
};

/* A buffer of `count` items of `size` bytes that the tape gives back, as a tensor of one column. */
static struct tensor *scratch(struct tape *tape, int64_t count, size_t size)
{
    return tape_tensor(tape, (count * (int64_t)size + 3) / 4, 1);
}

static void *data_of(struct tensor *tensor)
{
    return tensor ? tensor->data : NULL;
}

static graco_status first_gradient(struct tape *tape, struct tensor *Z)
{
    bool accumulate = false;
    graco_status status = tape_gradient(tape, Z, &accumulate);
    assert(!accumulate);
    return status;
}

static graco_status contrast_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    struct tensor *Z = node->in[0];
    PASS(first_gradient(tape, Z));
    PASS(context->kernels->contrast_backward(context, ((struct objective_node *)node)->spec,
                                             Z->grad));
    tape_drop(tape, node->in[1]);
    tape_drop(tape, node->in[2]);
    return GRACO_OK;
}

static int64_t blocks_of(int64_t n)
{
    return 2 * ((n + CONTRAST_TILE - 1) / CONTRAST_TILE);
}

/* How many tiles a step has, or a rank's share of them: with the rows of every other rank that it
 * meets, and half of those that also meet it. */
static int64_t tiles_of(const struct contrast *s, const struct comm *comm)
{
    int ranks = comm_ranks(comm), rank = comm_rank(comm);
    int64_t own = blocks_of(s->n), tiles = own * (own + 1) / 2;
    for (int step = 1; s->bounds && step <= ranks / 2; step++) {
        const int64_t *at = s->bounds + (rank - step + ranks) % ranks;
        tiles += own * blocks_of(at[1] - at[0]) / (2 * step == ranks ? 2 : 1);
    }
    return tiles;
}

void tape_contrast(struct tape *tape, struct contrast *spec, struct tensor *Z)
{
    struct context *context = tape->context;
    if (!Z)
        return;
    assert(Z->data && Z->rows == 2 * spec->n && Z->cols == spec->d);
    int64_t all = tiles_of(spec, context->comm) * CONTRAST_TILE * CONTRAST_TILE;
    bool (*keeps)(const struct context *) = context->backend->keeps_tiles;
    int64_t room = spec->graphs == 0 && keeps && keeps(context)
                       ? context->tile_budget / (int64_t)sizeof(float)
                       : 0;
    spec->tile_floats = room < all ? room : all;
    int64_t image = context->backend->host || spec->tile_floats > 0
                        ? 0
                        : contrast_image_bytes(spec, context->precision);
    struct tensor *D = scratch(tape, 2 * spec->n, sizeof(double));
    struct tensor *kept =
        image > 0 ? scratch(tape, image, 1) : scratch(tape, spec->tile_floats, sizeof(float));
    struct objective_node *op =
        tape_record(tape, sizeof *op, contrast_backward, NULL, (struct tensor *[3]){Z, D, kept});
    if (!op)
        return;
    op->spec = spec;
    spec->Z = Z->data;
    spec->D = data_of(D);
    spec->tiles = image > 0 ? NULL : data_of(kept);
    spec->image = image > 0 ? data_of(kept) : NULL;
    tape_fail(tape, context->kernels->contrast(context, spec));
}

static graco_status moment_backward(struct tape *tape, struct tape_node *node)
{
    PASS(first_gradient(tape, node->in[0]));
    return tape->context->kernels->moment_backward(
        tape->context, ((struct objective_node *)node)->spec, node->in[0]->grad);
}

void tape_moment(struct tape *tape, struct moment *spec, struct tensor *Z)
{
    struct context *context = tape->context;
    if (!Z)
        return;
    assert(Z->data && Z->rows == 2 * spec->n && Z->cols == spec->d);
    bool host = context->backend->host;
    int64_t rows = 2 * spec->n, d = spec->d, m = spec->samples, on_device = host ? 0 : rows;
    int64_t head = host ? 0 : m, kept = rows * (m + d);
    struct tensor *row = scratch(tape, 6 * rows, sizeof(double));
    spec->Z = Z->data;
    spec->row = data_of(row);
    spec->D = data_of(scratch(tape, rows, sizeof(double)));
    spec->floor = data_of(scratch(tape, rows, sizeof(uint8_t)));
    spec->sampled = data_of(scratch(tape, (head + d + 1) * d, sizeof(float)));
    spec->kept = kept * (int64_t)sizeof(float) <= context->tile_budget
                     ? data_of(scratch(tape, kept, sizeof(float)))
                     : NULL;
    spec->fitted = data_of(scratch(tape, 3, sizeof(double)));
    spec->place = data_of(scratch(tape, on_device + head, sizeof(int32_t)));
    spec->inverse = data_of(scratch(tape, on_device, sizeof(float)));
    struct objective_node *op =
        tape_record(tape, sizeof *op, moment_backward, NULL, (struct tensor *[3]){Z});
    if (!op)
        return;
    op->spec = spec;
    spec->moments = spec->sampled + head * d;
    graco_status status = GRACO_OK;
    TRY(context->kernels->moment_fit(context, spec));
    TRY(context->kernels->moment(context, spec));
    tape_drop(tape, row);
done:
    tape_fail(tape, status);
}
