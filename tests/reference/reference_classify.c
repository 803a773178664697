/* Logits against classes, in double. */
#include "reference/reference.h"

#include <math.h>

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static const float *logits_of(const struct classification *s, int64_t place)
{
    return s->X + (s->row ? s->row[place] : place) * s->cols;
}

/* log(sum_j exp(x_j)). */
static double log_sum(const float *x, int64_t cols)
{
    double most = -INFINITY, total = 0;
    for (int64_t j = 0; j < cols; j++)
        most = fmax(most, (double)x[j]);
    for (int64_t j = 0; j < cols; j++)
        total += exp((double)x[j] - most);
    return most + log(total);
}

graco_status ref_classify(struct context *c, struct classification *s)
{
    (void)c;
    double total = 0;
    for (int64_t i = 0; i < s->count; i++) {
        const float *x = logits_of(s, i);
        if (s->kind == CLASSIFY_SOFTMAX)
            total += (s->weight ? (double)s->weight[i] : 1) *
                     (log_sum(x, s->cols) - (double)x[s->label[i]]);
        for (int64_t j = 0; j < s->cols && s->kind == CLASSIFY_SIGMOID; j++) {
            double sign = s->target[i * s->cols + j] ? -1 : 1;
            total += (s->weight ? (double)s->weight[i * s->cols + j] : 1) *
                     softplus(sign * (double)x[j]);
        }
    }
    s->loss = total * classification_scale(s);
    return GRACO_OK;
}

graco_status ref_classify_backward(struct context *c, const struct classification *s, float *dX)
{
    (void)c;
    double scale = classification_scale(s);
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t j = 0; j < s->cols; j++) {
            const float *x = logits_of(s, i);
            bool softmax = s->kind == CLASSIFY_SOFTMAX;
            int64_t place = softmax ? i : i * s->cols + j;
            double weight = s->weight ? (double)s->weight[place] : 1;
            double target = softmax ? s->label[i] == j : s->target[place];
            double P =
                softmax ? exp((double)x[j] - log_sum(x, s->cols)) : 1 / (1 + exp(-(double)x[j]));
            dX[(s->row ? s->row[i] : i) * s->cols + j] += (float)(weight * scale * (P - target));
        }
    return GRACO_OK;
}
