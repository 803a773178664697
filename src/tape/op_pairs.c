/* Pairs (a, b) of rows with s = z_a . z_b: L = scale * sum of weight * log(1 + exp(-s)), or exp(s).
 * The forward kernel leaves dL/ds of every pair; dz_i then sums dL/ds times the other end over the
 * pairs that row i belongs to, in the order of the list: no two threads add to one row. */
#include "tape/tape_node.h"

#include <assert.h>

struct pairs_node {
    struct tape_node node;
    const struct pairs *spec; /* the caller's */
};

static graco_status pairs_backward(struct tape *tape, struct tape_node *node)
{
    struct tensor *Z = node->in[0];
    assert(Z->data);
    PASS(tape_gradient_zeroed(tape, Z));
    PASS(tape->context->kernels->pairs_backward(tape->context, ((struct pairs_node *)node)->spec,
                                                Z->grad));
    tape_drop(tape, node->in[1]);
    return GRACO_OK;
}

void tape_pairs(struct tape *tape, struct pairs *spec, struct tensor *Z)
{
    if (!Z)
        return;
    assert(Z->data && Z->rows == spec->rows && Z->cols == spec->d);
    struct tensor *slope = tape_tensor(tape, spec->count, 1);
    struct pairs_node *op =
        tape_record(tape, sizeof *op, pairs_backward, NULL, (struct tensor *[3]){Z, slope});
    if (!op)
        return;
    op->spec = spec;
    spec->Z = Z->data;
    spec->slope = slope->data;
    tape_fail(tape, tape->context->kernels->pairs(tape->context, spec));
}

graco_status pairs_share(struct pairs *pairs, struct csr *grouped, struct context *context,
                         const int32_t *end)
{
    int64_t rows = pairs->rows, places = 2 * pairs->count;
    struct csr *ends = &pairs->ends;
    PASS(csr_group(grouped, rows, places, end));
    *ends = (struct csr){.rows = rows, .cols = places};
    PASS(context_share(context, &pairs->end, end, places, sizeof(int32_t)));
    PASS(context_share(context, &ends->start, grouped->start, rows + 1, sizeof(int64_t)));
    return context_share(context, &ends->index, grouped->index, places, sizeof(int32_t));
}

void pairs_unshare(struct pairs *pairs, struct csr *grouped, struct context *context)
{
    context_unshare(context, pairs->end);
    context_unshare(context, pairs->ends.start);
    context_unshare(context, pairs->ends.index);
    csr_clear(grouped);
}
