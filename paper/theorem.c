/* Sums over all negatives of some anchors, one row of products after the other. */
#include "theorem.h"

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

/* The steps for one anchor. */
static struct theorem steps_of(const graco_matrix *Z, int64_t anchor, double tau)
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
    struct theorem one = {.minus_l = log1p(S), .step_2 = S, .step_3 = m + sum};
    one.expansion = log1p(m) + sum / (1 + m);
    one.remainder = fabs(one.minus_l - one.expansion);
    one.remainder_bound = most * most / 2;
    return one;
}

struct theorem theorem_steps(const graco_matrix *Z, double tau)
{
    int64_t nodes = Z->rows / 2, anchors = nodes < THEOREM_ANCHORS ? nodes : THEOREM_ANCHORS;
    struct theorem mean = {0};
    for (int64_t i = 0; i < anchors; i++) {
        struct theorem one = steps_of(Z, i * nodes / anchors, tau);
        mean.minus_l += one.minus_l / (double)anchors;
        mean.step_2 += one.step_2 / (double)anchors;
        mean.step_3 += one.step_3 / (double)anchors;
        mean.expansion += one.expansion / (double)anchors;
        mean.remainder += one.remainder / (double)anchors;
        mean.remainder_bound += one.remainder_bound / (double)anchors;
    }
    return mean;
}
