/* Operations over the sources of each target, and steps of an LSTM, in double. Gradients of sources
 * are added entry by entry, without the transpose that the other back ends go by. */
#include "reference/reference.h"

#include <math.h>

graco_status ref_segment_max(struct context *c, const struct segments *g, int64_t cols, float *Y,
                             const float *X, int32_t *winner)
{
    (void)c;
    for (int64_t i = 0; i < g->entries.rows * cols; i++) {
        int64_t start = g->entries.start[i / cols], end = g->entries.start[i / cols + 1];
        Y[i] = 0;
        winner[i] = -1;
        for (int64_t e = start; e < end; e++) {
            float x = X[g->entries.index[e] * cols + i % cols];
            if (e > start && x <= Y[i])
                continue;
            Y[i] = x;
            winner[i] = (int32_t)(e - start);
        }
    }
    return GRACO_OK;
}

graco_status ref_segment_max_backward(struct context *c, const struct segments *g, int64_t cols,
                                      float *dX, const float *dY, const int32_t *winner,
                                      bool accumulate)
{
    (void)c;
    for (int64_t i = 0; i < g->entries.cols * cols && !accumulate; i++)
        dX[i] = 0;
    for (int64_t i = 0; i < g->entries.rows * cols; i++)
        if (winner[i] >= 0) {
            int64_t e = g->entries.start[i / cols] + winner[i];
            dX[g->entries.index[e] * cols + i % cols] += dY[i];
        }
    return GRACO_OK;
}

graco_status ref_segment_softmax(struct context *c, const struct segments *g, int64_t heads,
                                 float *S)
{
    (void)c;
    for (int64_t t = 0; t < g->entries.rows; t++)
        for (int64_t k = 0; k < heads; k++) {
            double most = -INFINITY, total = 0;
            for (int64_t e = g->entries.start[t]; e < g->entries.start[t + 1]; e++)
                most = fmax(most, (double)S[e * heads + k]);
            for (int64_t e = g->entries.start[t]; e < g->entries.start[t + 1]; e++)
                total += exp((double)S[e * heads + k] - most);
            for (int64_t e = g->entries.start[t]; e < g->entries.start[t + 1]; e++)
                S[e * heads + k] = (float)(exp((double)S[e * heads + k] - most) / total);
        }
    return GRACO_OK;
}

graco_status ref_segment_softmax_backward(struct context *c, const struct segments *g,
                                          int64_t heads, float *dW, const float *W)
{
    (void)c;
    for (int64_t t = 0; t < g->entries.rows; t++)
        for (int64_t k = 0; k < heads; k++) {
            double along = 0;
            for (int64_t e = g->entries.start[t]; e < g->entries.start[t + 1]; e++)
                along += (double)W[e * heads + k] * (double)dW[e * heads + k];
            for (int64_t e = g->entries.start[t]; e < g->entries.start[t + 1]; e++)
                dW[e * heads + k] =
                    (float)((double)W[e * heads + k] * ((double)dW[e * heads + k] - along));
        }
    return GRACO_OK;
}

graco_status ref_segment_dot(struct context *c, const struct segment_heads *h, float *S,
                             const float *A, const float *B, bool accumulate)
{
    (void)c;
    const struct csr *entries = &h->segments->entries;
    int64_t cols = h->heads * h->width;
    for (int64_t t = 0; t < entries->rows; t++)
        for (int64_t i = entries->start[t] * h->heads; i < entries->start[t + 1] * h->heads; i++) {
            int64_t s = entries->index[i / h->heads], first = i % h->heads * h->width;
            double total = 0;
            for (int64_t j = first; j < first + h->width; j++)
                total += (double)A[t * cols + j] * (double)B[s * cols + j];
            S[i] = (float)((accumulate ? (double)S[i] : 0) + h->scale * total);
        }
    return GRACO_OK;
}

graco_status ref_segment_sum(struct context *c, const struct segment_heads *h, float *Y,
                             const float *W, const float *X, bool turned, bool accumulate)
{
    (void)c;
    const struct csr *entries = &h->segments->entries;
    int64_t cols = h->heads * h->width, rows = turned ? entries->cols : entries->rows;
    for (int64_t i = 0; i < rows * cols && !accumulate; i++)
        Y[i] = 0;
    for (int64_t t = 0; t < entries->rows; t++)
        for (int64_t e = entries->start[t]; e < entries->start[t + 1]; e++)
            for (int64_t j = 0; j < cols; j++) {
                int64_t s = entries->index[e], to = turned ? s : t, from = turned ? t : s;
                double w = h->scale * (double)W[e * h->heads + j / h->width];
                Y[to * cols + j] += (float)(w * (double)X[from * cols + j]);
            }
    return GRACO_OK;
}

static double sigma(double x)
{
    return 1 / (1 + exp(-x));
}

graco_status ref_lstm_step(struct context *c, const struct lstm *l)
{
    (void)c;
    const struct csr *entries = &l->segments->entries;
    int64_t h = l->width;
    for (int64_t i = 0; i < entries->rows * h; i++) {
        int64_t t = i / h, j = i % h, e = entries->start[t] + l->step;
        if (e >= entries->start[t + 1])
            continue;
        double gate[4];
        for (int k = 0; k < 4; k++) {
            double pre = (double)l->input[(entries->index[e] * 4 + k) * h + j];
            if (l->step > 0)
                pre += (double)l->pre[(t * 4 + k) * h + j];
            gate[k] = k == 2 ? tanh(pre) : sigma(pre);
            l->gates[(e * 4 + k) * h + j] = (float)gate[k];
        }
        double before = l->step > 0 ? (double)l->cell[(e - 1) * h + j] : 0;
        double cell = gate[1] * before + gate[0] * gate[2];
        l->cell[e * h + j] = (float)cell;
        l->h[i] = (float)(gate[3] * tanh(cell));
    }
    return GRACO_OK;
}

graco_status ref_lstm_step_backward(struct context *c, const struct lstm *l)
{
    (void)c;
    const struct csr *entries = &l->segments->entries;
    int64_t h = l->width;
    for (int64_t index = 0; index < entries->rows * h; index++) {
        int64_t t = index / h, at = index % h, e = entries->start[t] + l->step;
        float *gates = l->gates + 4 * e * h + at;
        bool there = e < entries->start[t + 1];
        double d[4] = {0};
        l->h[index] = 0;
        if (there) {
            double i = (double)gates[0], f = (double)gates[h], g = (double)gates[2 * h];
            double o = (double)gates[3 * h], out = tanh((double)l->cell[e * h + at]);
            double before = l->step > 0 ? (double)l->cell[(e - 1) * h + at] : 0;
            double dh = (double)l->dh[index];
            double dcell = (double)l->dc[index] + dh * o * (1 - out * out);
            d[0] = dcell * g * i * (1 - i);
            d[1] = dcell * before * f * (1 - f);
            d[2] = dcell * i * (1 - g * g);
            d[3] = dh * out * o * (1 - o);
            l->dh[index] = 0;
            l->dc[index] = (float)(dcell * f);
            if (l->step > 0)
                l->h[index] = (float)((double)gates[-h] * tanh(before));
        }
        for (int k = 0; k < 4; k++) {
            l->pre[(t * 4 + k) * h + at] = (float)d[k];
            if (there)
                gates[k * h] = (float)d[k];
        }
    }
    return GRACO_OK;
}
