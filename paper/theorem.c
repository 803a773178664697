/* Sums over all negatives of some anchors, one row of products after the other. */
#include "measures.h"

#include <math.h>

enum { LANES = 16 };

/* The product of two rows; LANES sums side by side, so that a compiler can use vectors. */
static double product(const float *a, const float *b, int64_t d)
{
    float lane[LANES] = {0};
    double sum = 0;
    int64_t k = 0;
    for (; k + LANES <= d; k += LANES)
        for (int i = 0; i < LANES; i++)
            lane[i] += a[k + i] * b[k + i];
    for (; k < d; k++)
        sum += (double)a[k] * (double)b[k];
    for (int i = 0; i < LANES; i++)
        sum += (double)lane[i];
    return sum;
}

/* Adds the steps for one anchor, of `anchors`. */
static void add_steps(struct sample *mean, const graco_matrix *Z, int64_t anchor, double tau,
                      double anchors)
{
    int64_t nodes = Z->rows / 2, d = Z->cols;
    const float *u = Z->data + anchor * d;
    double aligned = product(u, u + nodes * d, d), S = 0, sum = 0, most = 0;
    double m = (double)(2 * nodes - 2);
    for (int64_t k = 0; k < 2 * nodes; k++) {
        if (k % nodes == anchor)
            continue; /* itself, or its positive pair */
        double x = (product(u, Z->data + k * d, d) - aligned) / tau;
        S += exp(x);
        sum += x;
        most = fmax(most, fabs(x));
    }
    double minus_l = log1p(S), expansion = log1p(m) + sum / (1 + m);
    mean->minus_l += minus_l / anchors;
    mean->step_2 += S / anchors;
    mean->step_3 += (m + sum) / anchors;
    mean->expansion += expansion / anchors;
    mean->remainder += fabs(minus_l - expansion) / anchors;
    mean->remainder_bound += most * most / 2 / anchors;
}

void theorem_steps(struct sample *out, const graco_matrix *Z, double tau)
{
    int64_t nodes = Z->rows / 2, anchors = nodes < THEOREM_ANCHORS ? nodes : THEOREM_ANCHORS;
    out->minus_l = out->step_2 = out->step_3 = 0;
    out->expansion = out->remainder = out->remainder_bound = 0;
    for (int64_t i = 0; i < anchors; i++)
        add_steps(out, Z, i * nodes / anchors, tau, (double)anchors);
}
