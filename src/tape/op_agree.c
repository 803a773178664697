/* Rows against a summary (Deep Graph Infomax): s = sigma(mean_i H_i), v = B s, and the logit of a row h
 * is h . v + beta. Rows of H should have a high one, rows of G a low one. With r from the forward
 * kernel and q = sum_i r_i h_i over both kinds:
 *
 *     dB = q s'    dbeta = sum_i r_i    ds = B' q    dG_i = r_i v    dH_i = r_i v + ds s (1 - s) / |H| */
#include "tape/tape_node.h"

#include <assert.h>

struct agree_node {
    struct tape_node node;
    struct agreement *spec; /* the caller's */
    struct tensor *beta;
};

/* y (d) = op(B) x (d), B (d, d). */
static graco_status multiply(struct context *c, int64_t d, float *y, const float *B, bool transpose,
                             const float *x)
{
    return c->kernels->gemm(c, &(struct gemm){.transpose_a = transpose,
                                              .m = d,
                                              .n = 1,
                                              .k = d,
                                              .A = B,
                                              .lda = d,
                                              .B = x,
                                              .ldb = 1,
                                              .C = y,
                                              .ldc = 1});
}

static graco_status agree_backward(struct tape *tape, struct tape_node *node)
{
    struct context *c = tape->context;
    struct agree_node *op = (struct agree_node *)node;
    struct agreement *a = op->spec;
    struct tensor *H = node->in[0], *G = node->in[1], *B = node->in[2];
    float *ds = NULL;
    bool accumulate = false;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &ds, a->d, sizeof(float)));
    TRY(multiply(c, a->d, ds, B->data, true, a->q));
    a->ds = ds;
    TRY(tape_gradient(tape, H, &accumulate));
    assert(!accumulate);
    if (G)
        TRY(tape_gradient(tape, G, &accumulate));
    assert(!accumulate);
    TRY(c->kernels->agree_backward(c, a, H->grad, G ? G->grad : H->grad + a->positives * a->d));
    TRY(tape_gradient(tape, B, &accumulate));
    TRY(c->kernels->gemm(c, &(struct gemm){.m = a->d,
                                           .n = a->d,
                                           .k = 1,
                                           .A = a->q,
                                           .lda = 1,
                                           .B = a->s,
                                           .ldb = a->d,
                                           .C = B->grad,
                                           .ldc = a->d,
                                           .accumulate = accumulate}));
    TRY(c->kernels->add(c, 1, op->beta->grad, a->q + a->d));
done:
    context_give(c, ds);
    return status;
}

void tape_agree(struct tape *tape, struct agreement *spec, struct tensor *const rows[2],
                struct tensor *B, struct tensor *beta)
{
    struct context *c = tape->context;
    struct tensor *H = rows[0], *G = rows[1];
    if (!H || !B || !beta)
        return;
    int64_t d = spec->d = H->cols;
    spec->positives = G ? H->rows : H->rows / 2;
    spec->negatives = G ? G->rows : H->rows / 2;
    assert(H->data && B->rows == d && B->cols == d && B->leaf && beta->leaf);
    struct tensor *s = tape_tensor(tape, 1, d), *v = tape_tensor(tape, 1, d);
    struct tensor *r = tape_tensor(tape, spec->positives + spec->negatives, 1);
    struct tensor *q = tape_tensor(tape, 1, d + 1);
    struct agree_node *op =
        tape_record(tape, sizeof *op, agree_backward, NULL, (struct tensor *[3]){H, G, B});
    if (!op)
        return;
    op->spec = spec;
    op->beta = beta;
    spec->H = H->data;
    spec->G = G ? G->data : H->data + spec->positives * d;
    spec->s = s->data;
    spec->v = v->data;
    spec->beta = beta->data;
    spec->r = r->data;
    spec->q = q->data;
    graco_status status = GRACO_OK;
    TRY(c->kernels->summarise(c, spec->positives, d, spec->H, s->data));
    TRY(multiply(c, d, v->data, B->data, false, s->data));
    TRY(c->kernels->agree(c, spec));
done:
    tape_fail(tape, status);
}
