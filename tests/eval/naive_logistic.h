/* The logistic regression's objective from its definition: what the solver is judged by. */
#ifndef TESTS_NAIVE_LOGISTIC_H
#define TESTS_NAIVE_LOGISTIC_H

#include <math.h>
#include <stdint.h>

/* One output: f(w) = 1/2 w'w + C sum over rows i of log(1 + exp(-t_i w'x_i)). */
struct naive_logistic {
    const double *X; /* (rows, cols) */
    int64_t rows, cols;
    const uint8_t *positive; /* (rows) nonzero where t_i = +1 */
    double C;
};

/* f(w); g (cols) gets the gradient, *gradient_square its |g|^2. */
static inline double naive_logistic(double *g, double *gradient_square,
                                    const struct naive_logistic *p, const double *w)
{
    double loss = 0, square = 0;
    for (int64_t j = 0; j < p->cols; j++) {
        g[j] = w[j];
        square += w[j] * w[j];
    }
    for (int64_t i = 0; i < p->rows; i++) {
        const double *x = p->X + i * p->cols;
        double t = p->positive[i] ? 1 : -1, margin = 0;
        for (int64_t j = 0; j < p->cols; j++)
            margin += t * w[j] * x[j];
        loss += margin >= 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
        for (int64_t j = 0; j < p->cols; j++)
            g[j] -= p->C * t / (1 + exp(margin)) * x[j];
    }
    *gradient_square = 0;
    for (int64_t j = 0; j < p->cols; j++)
        *gradient_square += g[j] * g[j];
    return 0.5 * square + p->C * loss;
}

#endif
