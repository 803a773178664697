/* Logistic regressions on the same rows, output by output and row by row. */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

graco_status ref_regress(struct context *c, const struct regression *r, const double *W, double *G)
{
    (void)c;
    for (int64_t a = 0; a < r->count; a++) {
        double *gradient = G + a * (r->cols + 2), *loss = gradient + r->cols;
        memset(gradient, 0, (size_t)(r->cols + 2) * sizeof *gradient);
        for (int64_t i = 0; i < r->rows; i++) {
            const double *x = r->X + i * r->cols;
            bool positive = r->positive[r->list[a] * r->rows + i];
            double score = 0;
            for (int64_t j = 0; j < r->cols; j++)
                score += x[j] * W[a * r->cols + j];
            double margin = positive ? score : -score, sigma = 1 / (1 + exp(-score));
            *loss += fmax(-margin, 0) + log1p(exp(-fabs(margin)));
            loss[1] += sigma * (1 - sigma) / (double)r->rows;
            r->curvature[r->list[a] * r->rows + i] = (float)(sigma * (1 - sigma));
            for (int64_t j = 0; j < r->cols; j++)
                gradient[j] += (sigma - positive) * x[j];
        }
    }
    return GRACO_OK;
}

graco_status ref_regress_curve(struct context *c, const struct regression *r, const float *Q,
                               float *H)
{
    graco_status status = GRACO_OK;
    double *sum = NULL;
    TRY(context_take(c, &sum, r->cols, sizeof *sum));
    for (int64_t a = 0; a < r->count; a++) {
        memset(sum, 0, (size_t)r->cols * sizeof *sum);
        for (int64_t i = 0; i < r->rows; i++) {
            const float *x = r->X_rounded + i * r->cols;
            double score = 0, weight = (double)r->curvature[r->list[a] * r->rows + i];
            for (int64_t j = 0; j < r->cols; j++)
                score += (double)x[j] * (double)Q[a * r->cols + j];
            for (int64_t j = 0; j < r->cols; j++)
                sum[j] += weight * score * (double)x[j];
        }
        for (int64_t j = 0; j < r->cols; j++)
            H[a * r->cols + j] = (float)sum[j];
    }
done:
    context_give(c, sum);
    return status;
}
