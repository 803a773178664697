/* The reconstruction of a graph over the full matrix of pairs, and draws from a Gaussian. */
#include "reference/reference.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* log(1 + e^x), never the logarithm of a logistic function. */
static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double logistic(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* Y = A + I, as a full matrix of how often each pair is there. */
static graco_status pairs_of(uint8_t **out, const struct reconstruction *s)
{
    const struct csr *A = &s->edges->entries;
    PASS(memory_zalloc(out, s->n * s->n, sizeof(uint8_t)));
    for (int64_t i = 0; i < s->n; i++) {
        int64_t count = s->edges->count ? s->edges->count[i] : A->start[i + 1] - A->start[i];
        (*out)[i * s->n + i] = 1;
        for (int64_t k = A->start[i]; k < A->start[i] + count; k++)
            (*out)[i * s->n + A->index[k]]++;
    }
    return GRACO_OK;
}

graco_status ref_reconstruct(struct context *c, struct reconstruction *s)
{
    (void)c;
    uint8_t *Y = NULL;
    double loss = 0, *dZ = NULL;
    int64_t n = s->n, d = s->d;
    graco_status status = GRACO_OK;
    TRY(pairs_of(&Y, s));
    TRY(memory_zalloc(&dZ, n * d, sizeof(double)));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double x = 0, y = (double)Y[i * n + j];
            for (int64_t k = 0; k < d; k++)
                x += (double)s->Z[i * d + k] * (double)s->Z[j * d + k];
            loss += y * s->weight * softplus(-x) + (1 - y) * softplus(x);
            double g = (1 - y) * logistic(x) - y * s->weight * logistic(-x);
            for (int64_t k = 0; k < d; k++) {
                dZ[i * d + k] += s->scale * g * (double)s->Z[j * d + k];
                dZ[j * d + k] += s->scale * g * (double)s->Z[i * d + k];
            }
        }
    for (int64_t k = 0; k < n * d; k++)
        s->dZ[k] = (float)dZ[k];
    s->loss = s->scale * loss;
done:
    memory_free(Y);
    memory_free(dZ);
    return status;
}

graco_status ref_gaussian(struct context *c, struct gaussian *s, float *Z)
{
    (void)c;
    double total = 0;
    for (int64_t k = 0; k < s->rows * s->cols; k++) {
        double mean = (double)s->mean[k], spread = fmin((double)s->spread[k], 10);
        if (!s->given)
            s->noise[k] = (float)random_normal(&s->key, (uint64_t)k);
        Z[k] = (float)(mean + (double)s->noise[k] * exp(spread));
        total += 1 + 2 * spread - mean * mean - exp(2 * spread);
    }
    s->divergence = -s->scale / 2 * total;
    return GRACO_OK;
}

graco_status ref_gaussian_backward(struct context *c, const struct gaussian *s, const float *dZ,
                                   float *dmean, float *dspread)
{
    (void)c;
    for (int64_t k = 0; k < s->rows * s->cols; k++) {
        double spread = (double)s->spread[k], d = (double)dZ[k];
        dmean[k] = (float)(d + s->scale * (double)s->mean[k]);
        dspread[k] =
            spread > 10
                ? 0
                : (float)(d * (double)s->noise[k] * exp(spread) + s->scale * (exp(2 * spread) - 1));
    }
    return GRACO_OK;
}
