/* Pairs of rows, and copies of blocks, in double. */
#include "reference/reference.h"

#include <math.h>

graco_status ref_pairs(struct context *c, struct pairs *s)
{
    (void)c;
    double total = 0;
    for (int64_t p = 0; p < s->count; p++) {
        double x = 0, weight = s->weight ? (double)s->weight[p] : 1, sign = s->together ? -1 : 1;
        for (int64_t j = 0; j < s->d; j++)
            x += sign * (double)s->Z[s->end[p] * s->d + j] *
                 (double)s->Z[s->end[s->count + p] * s->d + j];
        total += weight * (fmax(x, 0) + log1p(exp(-fabs(x))));
        if (s->slope)
            s->slope[p] = (float)(s->scale * weight * sign / (1 + exp(-x)));
    }
    *s->loss = (s->add ? *s->loss : 0) + total * s->scale;
    return GRACO_OK;
}

graco_status ref_pairs_backward(struct context *c, const struct pairs *s, float *dZ)
{
    (void)c;
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t j = 0; j < s->d; j++) {
            double total = (double)dZ[row * s->d + j];
            for (int64_t k = s->ends.start[row]; k < s->ends.start[row + 1]; k++)
                total += (double)s->slope[s->ends.index[k] % s->count] *
                         (double)s->Z[pairs_other(s, s->ends.index[k]) * s->d + j];
            dZ[row * s->d + j] = (float)total;
        }
    return GRACO_OK;
}

graco_status ref_copy_block(struct context *c, const struct block_copy *b)
{
    (void)c;
    for (int64_t i = 0; i < b->rows * b->cols; i++) {
        float *y = b->Y + i / b->cols * b->ldy + i % b->cols;
        *y = (b->accumulate ? *y : 0) + b->X[i / b->cols * b->ldx + i % b->cols];
    }
    return GRACO_OK;
}
