/* The objectives pair by pair, in O(N^2 d): every sum of docs/math.md is a loop. The fit is solved
 * by Cramer's rule, where the other back ends eliminate. */
#include "reference/reference.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static double cosine(const float *Z, int64_t d, int64_t i, int64_t j)
{
    double total = 0;
    for (int64_t k = 0; k < d; k++)
        total += (double)Z[i * d + k] * (double)Z[j * d + k];
    return total;
}

static int64_t partner(int64_t n, int64_t i)
{
    return (i + n) % (2 * n);
}

/* The graph of row i, and its first node and the one behind its last. */
struct range {
    int64_t first, last;
};

static struct range graph_of(const struct contrast *s, int64_t i)
{
    int64_t node = i % s->n, graph = 0;
    if (s->graphs == 0)
        return (struct range){0, s->n};
    while (s->start[graph + 1] <= node)
        graph++;
    return (struct range){s->start[graph], s->start[graph + 1]};
}

/* Whether j counts in D_i. */
static bool counts(const struct contrast *s, int64_t i, int64_t j)
{
    bool between = (i < s->n) != (j < s->n);
    struct range graph = graph_of(s, i);
    bool own = j % s->n >= graph.first && j % s->n < graph.last;
    return own && i != j && (between || s->within);
}

/* Rows of both views of row i's graph, times the number of graphs: what its loss is divided by. */
static double divisor(const struct contrast *s, int64_t i)
{
    struct range graph = graph_of(s, i);
    return (double)(2 * (graph.last - graph.first)) * (double)(s->graphs > 0 ? s->graphs : 1);
}

graco_status ref_contrast(struct context *c, struct contrast *s)
{
    (void)c;
    s->loss = s->mutual_information = 0;
    for (int64_t i = 0; i < 2 * s->n; i++) {
        struct range graph = graph_of(s, i);
        double D = 0, other = 0, x = (cosine(s->Z, s->d, i, partner(s->n, i)) - 1) / s->tau;
        for (int64_t j = 0; j < 2 * s->n; j++) {
            double e = exp((cosine(s->Z, s->d, i, j) - 1) / s->tau);
            bool between = (i < s->n) != (j < s->n);
            D += counts(s, i, j) ? e : 0;
            other += between && counts(s, i, j) ? e : 0;
        }
        s->D[i] = D;
        s->loss += (log(D) - x) / divisor(s, i);
        s->mutual_information +=
            (log((double)(graph.last - graph.first)) + x - log(other)) / divisor(s, i);
    }
    return GRACO_OK;
}

graco_status ref_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    (void)c;
    for (int64_t i = 0; i < 2 * s->n; i++)
        for (int64_t k = 0; k < s->d; k++) {
            double g = -2 * (double)s->Z[partner(s->n, i) * s->d + k];
            for (int64_t j = 0; j < 2 * s->n; j++)
                if (counts(s, i, j))
                    g += exp((cosine(s->Z, s->d, i, j) - 1) / s->tau) *
                         (1 / s->D[i] + 1 / s->D[j]) * (double)s->Z[j * s->d + k];
            dZ[i * s->d + k] = (float)(g / (divisor(s, i) * s->tau));
        }
    return GRACO_OK;
}

/* Whether j is a negative of i. */
static bool negative(const struct moment *s, int64_t i, int64_t j)
{
    return i != j && j != partner(s->n, i);
}

static bool sampled(const struct moment *s, int64_t j)
{
    for (int64_t k = 0; k < s->samples; k++)
        if (s->sample[k] == j)
            return true;
    return false;
}

static int64_t terms(const struct moment *s, int64_t i)
{
    return s->samples - sampled(s, i) - sampled(s, partner(s->n, i));
}

static void add_pair(double A[3][4], const struct moment *s, int64_t i, int64_t j)
{
    if (!negative(s, i, j))
        return;
    double x = cosine(s->Z, s->d, i, j), e = exp((x - 1) / s->tau), power[3] = {1, x, x * x};
    for (int r = 0; r < 3; r++) {
        for (int q = 0; q < 3; q++)
            A[r][q] += power[r] * power[q];
        A[r][3] += power[r] * e;
    }
}

/* Least squares over the sampled, or the random, pairs; Cramer's rule. */
graco_status ref_moment_fit(struct context *c, struct moment *s)
{
    (void)c;
    double A[3][4] = {{0}};
    if (s->samples == 0) {
        for (int64_t k = 0; k < s->pairs; k++)
            add_pair(A, s, random_below(&s->key, (uint64_t)(2 * k), 2 * s->n),
                     random_below(&s->key, (uint64_t)(2 * k + 1), 2 * s->n));
    } else {
        for (int64_t i = 0; i < 2 * s->n; i++)
            for (int64_t k = 0; k < s->samples; k++)
                add_pair(A, s, i, s->sample[k]);
    }
    double det[4];
    for (int which = 0; which < 4; which++) {
        double M[3][3];
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
                M[r][q] = A[r][q == which ? 3 : q];
        det[which] = M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) -
                     M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
                     M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
    }
    for (int k = 0; k < 3; k++)
        s->coefficient[k] = det[k] / det[3];
    return GRACO_OK;
}

graco_status ref_moment(struct context *c, struct moment *s)
{
    (void)c;
    double loss = 0, rows = (double)(2 * s->n);
    const double *q = s->coefficient;
    s->floored = 0;
    for (int64_t i = 0; i < 2 * s->n; i++) {
        double pi = cosine(s->Z, s->d, i, partner(s->n, i)), e = exp((pi - 1) / s->tau), D = e;
        for (int64_t j = 0; j < 2 * s->n; j++) {
            if (!negative(s, i, j))
                continue;
            double x = cosine(s->Z, s->d, i, j), surrogate = q[0] + q[1] * x + q[2] * x * x;
            D += surrogate;
            if (sampled(s, j))
                D += (rows - 2) / (double)terms(s, i) * (exp((x - 1) / s->tau) - surrogate);
        }
        double lowest = e + (rows - 2) * exp(-2 / s->tau);
        s->floor[i] = !(D > lowest);
        s->floored += s->floor[i];
        s->D[i] = s->floor[i] ? lowest : D;
        loss += log(s->D[i]) - (pi - 1) / s->tau;
    }
    s->loss = loss / rows;
    return GRACO_OK;
}

/* The derivative of D_i with respect to x_ij, j a negative. */
static double slope(const struct moment *s, int64_t i, int64_t j)
{
    const double *q = s->coefficient;
    double x = cosine(s->Z, s->d, i, j), g = q[1] + 2 * q[2] * x;
    if (s->floor[i] || !negative(s, i, j))
        return 0;
    if (sampled(s, j))
        g += (double)(2 * s->n - 2) / (double)terms(s, i) *
             (exp((x - 1) / s->tau) / s->tau - q[1] - 2 * q[2] * x);
    return g;
}

graco_status ref_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    (void)c;
    int64_t d = s->d;
    for (int64_t i = 0; i < 2 * s->n; i++) {
        int64_t p = partner(s->n, i);
        double pi = cosine(s->Z, d, i, p), e = exp((pi - 1) / s->tau) / s->tau;
        for (int64_t k = 0; k < d; k++) {
            double g = ((1 / s->D[i] + 1 / s->D[p]) * e - 2 / s->tau) * (double)s->Z[p * d + k];
            for (int64_t j = 0; j < 2 * s->n; j++)
                g +=
                    (slope(s, i, j) / s->D[i] + slope(s, j, i) / s->D[j]) * (double)s->Z[j * d + k];
            dZ[i * d + k] = (float)(g / (double)(2 * s->n));
        }
    }
    return GRACO_OK;
}
