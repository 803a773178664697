/* Rows against a summary, and the order of a view's rows, in double: the formulas of docs/math.md one
 * element after another. */
#include "reference/reference.h"

#include "base/memory.h"
#include "compute/permutation.h"

#include <math.h>

graco_status ref_summarise(struct context *c, int64_t rows, int64_t cols, const float *X, float *s)
{
    (void)c;
    for (int64_t j = 0; j < cols; j++) {
        double total = 0;
        for (int64_t i = 0; i < rows; i++)
            total += (double)X[i * cols + j];
        s[j] = (float)(1 / (1 + exp(-total / (double)rows)));
    }
    return GRACO_OK;
}

/* The logit of row i, with its target. */
static double logit(const struct agreement *a, int64_t i, double *y)
{
    const float *h = i < a->positives ? a->H + i * a->d : a->G + (i - a->positives) * a->d;
    double x = (double)*a->beta;
    *y = i < a->positives;
    for (int64_t j = 0; j < a->d; j++)
        x += (double)h[j] * (double)a->v[j];
    return x;
}

graco_status ref_agree(struct context *c, struct agreement *a)
{
    (void)c;
    int64_t rows = a->positives + a->negatives;
    double *q = NULL, y;
    PASS(memory_zalloc(&q, a->d + 1, sizeof *q));
    a->loss = 0;
    for (int64_t i = 0; i < rows; i++) {
        const float *h = i < a->positives ? a->H + i * a->d : a->G + (i - a->positives) * a->d;
        double x = logit(a, i, &y), r = (1 / (1 + exp(-x)) - y) / (double)rows;
        a->loss += (fmax(y > 0 ? -x : x, 0) + log1p(exp(-fabs(x)))) / (double)rows;
        a->r[i] = (float)r;
        for (int64_t j = 0; j < a->d; j++)
            q[j] += r * (double)h[j];
        q[a->d] += r;
    }
    for (int64_t j = 0; j <= a->d; j++)
        a->q[j] = (float)q[j];
    memory_free(q);
    return GRACO_OK;
}

graco_status ref_agree_backward(struct context *c, const struct agreement *a, float *dH, float *dG)
{
    (void)c;
    for (int64_t i = 0; i < a->positives + a->negatives; i++)
        for (int64_t j = 0; j < a->d; j++) {
            double s = (double)a->s[j], dx = (double)a->r[i] * (double)a->v[j];
            if (i < a->positives)
                dH[i * a->d + j] =
                    (float)(dx + (double)a->ds[j] * s * (1 - s) / (double)a->positives);
            else
                dG[(i - a->positives) * a->d + j] = (float)dx;
        }
    return GRACO_OK;
}

graco_status ref_draw_order(struct context *c, const struct random_key *key, int64_t n,
                            int32_t *order, int32_t *place)
{
    uint32_t words[PERMUTATION_ROUNDS];
    (void)c;
    random_blocks(words, key, 0, PERMUTATION_ROUNDS / 4);
    for (int64_t i = 0; i < n; i++) {
        order[i] = (int32_t)permutation_at(words, permutation_bits(n), n, i);
        place[order[i]] = (int32_t)i;
    }
    return GRACO_OK;
}
