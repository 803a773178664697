/* Logistic regressions on the same rows: losses and gradients in double, products with the Hessian in
 * float32. */
#ifndef TESTS_COMPUTE_REGRESS_CASES_H
#define TESTS_COMPUTE_REGRESS_CASES_H

#include "check.h"
#include "operation.h"

#include <math.h>
#include <string.h>

/* What a case hands to the kernels, on the host. */
struct regress_host {
    int64_t rows, cols, outputs;
    double *X, *panels;
    float *X_rounded, *panels_rounded;
    uint8_t *positive;
};

/* From in[0], the rows, which are multiplied by `factor`. */
static inline struct regress_host regress_host(struct context *c, const struct tensor *in,
                                               int64_t outputs, float factor)
{
    int64_t rows = in->rows, cols = in->cols, side = REGRESSION_PANEL;
    size_t size = (size_t)(rows * cols), all = (size_t)((rows + side - 1) / side * side * cols);
    struct regress_host h = {rows, cols, outputs, NULL, NULL, NULL, NULL, NULL};
    h.X = calloc(size, sizeof *h.X);
    h.X_rounded = calloc(size, sizeof *h.X_rounded);
    h.panels = calloc(all, sizeof *h.panels);
    h.panels_rounded = calloc(all, sizeof *h.panels_rounded);
    h.positive = calloc((size_t)(outputs * rows), 1);
    CHECK_OK(c->buffers->download(c, h.X_rounded, in->data, size * sizeof *h.X_rounded));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            int64_t place = (i / side * cols + j) * side + i % side;
            h.X_rounded[i * cols + j] *= factor;
            /* Digits that float32 does not have. */
            h.panels[place] = h.X[i * cols + j] =
                (double)h.X_rounded[i * cols + j] * (1 + 1e-9 * (double)(j % 3));
            h.panels_rounded[place] = h.X_rounded[i * cols + j];
        }
    for (int64_t i = 0; i < outputs * rows; i++)
        h.positive[i] = draw(113, i) > 0;
    return h;
}

static inline void regress_drop(struct regress_host *h)
{
    free(h->X);
    free(h->panels);
    free(h->X_rounded);
    free(h->panels_rounded);
    free(h->positive);
}

/* G as its definition says, for output k at w. */
static inline void naive_regress(double *G, const struct regress_host *h, int64_t k,
                                 const double *w)
{
    memset(G, 0, (size_t)(h->cols + 2) * sizeof *G);
    for (int64_t i = 0; i < h->rows; i++) {
        const double *x = h->X + i * h->cols;
        double s = 0, y = h->positive[k * h->rows + i];
        for (int64_t j = 0; j < h->cols; j++)
            s += w[j] * x[j];
        double sigma = 1 / (1 + exp(-s)), cost = y > 0 ? -s : s;
        for (int64_t j = 0; j < h->cols; j++)
            G[j] += (sigma - y) * x[j];
        G[h->cols] += fmax(cost, 0) + log1p(exp(-fabs(cost)));
        G[h->cols + 1] += sigma * (1 - sigma) / (double)h->rows;
    }
}

/* kind: how many times as large as drawn the rows are. in[1]: the weights of the outputs. Every output
 * is asked for, then all but the first, in another order, at other weights; then directions of
 * those. The result has their G, as float32, and H. Nothing goes back through it. */
static inline struct tensor *build_regress(struct tape *tape, struct setting *s,
                                           struct tensor *in[])
{
    enum { MOST = 64 };
    struct context *c = tape->context;
    int64_t outputs = in[1]->rows, cols = in[1]->cols, wide = cols + 2;
    struct regress_host h = regress_host(c, in[0], outputs, (float)s->op->kind);
    int64_t count = outputs > 1 ? outputs - 1 : 1, first = outputs > 1 ? 1 : 0;
    size_t size = (size_t)(outputs * wide);
    double *W = calloc(size, sizeof *W), *G = calloc(size, sizeof *G), *naive = calloc(size, 8);
    float *Q = calloc(size, sizeof *Q), *H = calloc(size, sizeof *H);
    float *out = calloc(2 * size, sizeof *out);
    int32_t list[MOST];
    struct regression r = {.rows = h.rows, .cols = cols, .outputs = outputs, .list = list};
    struct tensor *result = tape_tensor(tape, count, 2 * cols + 2);
    CHECK_OK(context_share(c, &r.X, h.X, h.rows * cols, sizeof *r.X));
    CHECK_OK(context_share(c, &r.X_rounded, h.X_rounded, h.rows * cols, sizeof *r.X_rounded));
    CHECK_OK(context_share(c, &r.positive, h.positive, outputs * h.rows, 1));
    CHECK_OK(context_take(c, &r.curvature, outputs * h.rows, sizeof *r.curvature));
    r.panels = h.panels;
    r.panels_rounded = h.panels_rounded;
    CHECK_OK(c->buffers->download(c, Q, in[1]->data, (size_t)(outputs * cols) * sizeof *Q));
    for (int round = 0; round < 2; round++) {
        r.count = round == 0 ? outputs : count;
        for (int64_t a = 0; a < r.count; a++)
            list[a] = (int32_t)(round == 0 ? a : first + (a + 1) % count);
        for (int64_t a = 0; a < r.count * cols; a++)
            W[a] = (double)Q[a] * (1 + round);
        CHECK_OK(c->kernels->regress(c, &r, W, G));
        for (int64_t a = 0; a < r.count; a++)
            naive_regress(naive + a * wide, &h, list[a], W + a * cols);
        double off = 0, all = 0;
        for (int64_t i = 0; i < r.count * wide; i++) {
            off += (G[i] - naive[i]) * (G[i] - naive[i]);
            all += naive[i] * naive[i];
        }
        CHECK(sqrt(off) <= 1e-13 * sqrt(all) * sqrt((double)h.rows));
    }
    CHECK_OK(c->kernels->regress_curve(c, &r, Q, H));
    for (int64_t a = 0; a < count; a++) {
        for (int64_t j = 0; j < wide; j++)
            out[a * (cols + wide) + j] = (float)(G[a * wide + j] / (double)h.rows);
        for (int64_t j = 0; j < cols; j++)
            out[a * (cols + wide) + wide + j] = H[a * cols + j] / (float)h.rows;
    }
    CHECK_OK(
        c->buffers->upload(c, result->data, out, (size_t)(count * (cols + wide)) * sizeof *out));
    CHECK_OK(context_finish(c));
    context_give(c, r.curvature);
    context_unshare(c, r.positive);
    context_unshare(c, r.X_rounded);
    context_unshare(c, r.X);
    regress_drop(&h);
    free(W);
    free(G);
    free(naive);
    free(Q);
    free(H);
    free(out);
    return result;
}

static const struct operation REGRESS_OPERATIONS[] = {
    {"regress", build_regress, {{12, 5}, {4, 5}}, 1, false},
    {"regress, one output", build_regress, {{70, 5}, {1, 5}}, 1, false},
    {"regress, one row", build_regress, {{1, 3}, {2, 3}}, 1, false},
    {"regress, large scores", build_regress, {{200, 9}, {3, 9}}, 1000, false},
    {"regress, whole panels", build_regress, {{256, 64}, {6, 64}}, 1, false},
    {"regress, odd", build_regress, {{1301, 67}, {13, 67}}, 1, false},
    {"regress, many outputs", build_regress, {{700, 33}, {50, 33}}, 1, false},
    {"regress, long", build_regress, {{9001, 21}, {7, 21}}, 1, false},
    {"regress, deep", build_regress, {{150, 530}, {9, 530}}, 1, false},
};

#endif
