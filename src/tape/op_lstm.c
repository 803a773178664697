/* An LSTM over the sources of each target, step by step for all targets at once; struct lstm has the
 * equations. Gates and cells of every entry are kept. The way back goes from the last step to the
 * first: dpre of a step gives dWh += h_before' dpre and dh_before = dpre Wh', and takes the place of
 * the entry's gates, so that the inputs' gradients are one sparse product at the end. */
#include "tape/tape_node.h"

#include <assert.h>

struct lstm_node {
    struct tape_node node;
    struct lstm spec;
    struct tensor *gates, *cell;
};

/* dWh += h' dpre, dh += dpre Wh'. */
static graco_status step_products(struct context *context, const struct lstm *l, int64_t targets,
                                  struct tensor *Wh)
{
    int64_t h = l->width;
    if (!Wh->constant)
        PASS(context->kernels->gemm(context, &(struct gemm){.transpose_a = true,
                                                            .m = h,
                                                            .n = 4 * h,
                                                            .k = targets,
                                                            .A = l->h,
                                                            .lda = h,
                                                            .B = l->pre,
                                                            .ldb = 4 * h,
                                                            .C = Wh->grad,
                                                            .ldc = 4 * h,
                                                            .accumulate = true}));
    return context->kernels->gemm(context, &(struct gemm){.transpose_b = true,
                                                          .m = targets,
                                                          .n = h,
                                                          .k = 4 * h,
                                                          .A = l->pre,
                                                          .lda = 4 * h,
                                                          .B = Wh->data,
                                                          .ldb = 4 * h,
                                                          .C = l->dh,
                                                          .ldc = h,
                                                          .accumulate = true});
}

/* dXW_s (+)= the sum of dpre over the entries of s. */
static graco_status input_gradient(struct tape *tape, const struct lstm *l, struct tensor *XW)
{
    const struct segments *g = l->segments;
    const struct sparse entries = {.entries = {.rows = g->entries.cols,
                                               .cols = g->count,
                                               .start = g->transpose.start,
                                               .index = (int32_t *)g->from}};
    bool accumulate = false;
    if (XW->constant)
        return GRACO_OK;
    PASS(tape_gradient(tape, XW, &accumulate));
    return tape->context->kernels->spmm(tape->context, &(struct spmm){.views = 1,
                                                                      .matrix = &entries,
                                                                      .cols = XW->cols,
                                                                      .X = l->gates,
                                                                      .Y = XW->grad,
                                                                      .accumulate = accumulate});
}

static graco_status lstm_backward(struct tape *tape, struct tape_node *node)
{
    struct context *context = tape->context;
    struct lstm_node *op = (struct lstm_node *)node;
    struct lstm l = op->spec;
    struct tensor *XW = node->in[0], *Wh = node->in[1], *Y = node->out;
    int64_t targets = Y->rows, h = Y->cols;
    graco_status status = GRACO_OK;
    l.pre = l.h = l.dc = NULL;
    l.dh = Y->grad;
    TRY(context_take(context, &l.pre, targets * 4 * h, sizeof(float)));
    TRY(context_take(context, &l.h, targets * h, sizeof(float)));
    TRY(context_take(context, &l.dc, targets * h, sizeof(float)));
    TRY(context->buffers->zero(context, l.dc, (size_t)(targets * h) * sizeof(float)));
    if (!Wh->constant)
        TRY(tape_gradient_zeroed(tape, Wh));
    for (l.step = l.segments->longest - 1; l.step >= 0; l.step--) {
        TRY(context->kernels->lstm_step_backward(context, &l));
        if (l.step > 0)
            TRY(step_products(context, &l, targets, Wh));
    }
    TRY(input_gradient(tape, &l, XW));
    tape_drop(tape, op->gates);
    tape_drop(tape, op->cell);
done:
    context_give(context, l.pre);
    context_give(context, l.h);
    context_give(context, l.dc);
    return status;
}

struct tensor *tape_lstm(struct tape *tape, const struct segments *segments, struct tensor *XW,
                         struct tensor *Wh)
{
    if (!XW || !Wh)
        return NULL;
    struct context *context = tape->context;
    int64_t h = Wh->rows, targets = segments->entries.rows;
    assert(XW->data && Wh->data && Wh->cols == 4 * h && XW->cols == 4 * h &&
           XW->rows == segments->entries.cols);
    struct tensor *Y = tape_tensor(tape, targets, h);
    struct tensor *gates = tape_constant(tape, segments->count, 4 * h);
    struct tensor *cell = tape_constant(tape, segments->count, h);
    struct lstm_node *op =
        tape_record(tape, sizeof *op, lstm_backward, Y, (struct tensor *[3]){XW, Wh});
    if (!op)
        return NULL;
    struct lstm l = {.segments = segments,
                     .width = h,
                     .input = XW->data,
                     .gates = gates->data,
                     .cell = cell->data,
                     .h = Y->data};
    graco_status status = GRACO_OK;
    op->spec = l;
    op->gates = gates;
    op->cell = cell;
    TRY(context_take(context, &l.pre, targets * 4 * h, sizeof(float)));
    TRY(context->buffers->zero(context, Y->data, (size_t)(targets * h) * sizeof(float)));
    for (l.step = 0; l.step < segments->longest; l.step++) {
        if (l.step > 0)
            TRY(context->kernels->gemm(context, &(struct gemm){.m = targets,
                                                               .n = 4 * h,
                                                               .k = h,
                                                               .A = l.h,
                                                               .lda = h,
                                                               .B = Wh->data,
                                                               .ldb = 4 * h,
                                                               .C = l.pre,
                                                               .ldc = 4 * h}));
        TRY(context->kernels->lstm_step(context, &l));
    }
done:
    context_give(context, l.pre);
    return status == GRACO_OK ? Y : tape_fail(tape, status);
}
