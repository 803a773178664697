/* The objectives, and the rows that are hard for them: rows of zeros, which normalisation cannot
 * scale, rows that are alike, and graphs of one and two nodes. Their loss is also computed here, by
 * plain loops in double. */
#ifndef TESTS_COMPUTE_OBJECTIVE_CASES_H
#define TESTS_COMPUTE_OBJECTIVE_CASES_H

#include "given_fit.h"
#include "operation.h"

#include <string.h>

/* Normalisation divides shorter rows by this. So the gradient of a row of zeros is dL/dz times
 * 1e12. */
static const double SHORTEST = 1e-12;

static const double TAU = 0.4, GIVEN[3] = {1.1, 2.4, 3.3};

static inline struct tensor *unit_rows(struct tape *tape, struct setting *s, struct tensor *X)
{
    return tape_normalise(tape, tape_propagate(tape, &s->map, X, NULL), NULL);
}

/* kind: 1 with both views' negatives, 0 InfoNCE. */
static inline struct tensor *build_contrast(struct tape *tape, struct setting *s,
                                            struct tensor *in[])
{
    struct tensor *Z = unit_rows(tape, s, in[0]);
    s->contrast = (struct contrast){
        .n = in[0]->rows / 2, .d = in[0]->cols, .tau = TAU, .within = s->op->kind == 1};
    tape_contrast(tape, &s->contrast, Z);
    s->objective = true;
    s->loss = &s->contrast.loss;
    return NULL;
}

/* The same for several graphs: of one node, of three, of a third and of two thirds of all nodes. */
static inline struct tensor *build_contrast_graphs(struct tape *tape, struct setting *s,
                                                   struct tensor *in[])
{
    struct tensor *Z = unit_rows(tape, s, in[0]);
    int64_t n = in[0]->rows / 2, start[GRAPHS + 1] = {0, 1, 4, 4 + (n - 4) / 3, n};
    memcpy(s->graph_start, start, sizeof start);
    s->contrast = (struct contrast){
        .n = n, .d = in[0]->cols, .tau = TAU, .within = s->op->kind == 1, .graphs = GRAPHS};
    tape_fail(tape, context_share(tape->context, &s->contrast.start, s->graph_start, GRAPHS + 1,
                                  sizeof *start));
    tape_contrast(tape, &s->contrast, Z);
    s->objective = true;
    s->loss = &s->contrast.loss;
    return NULL;
}

/* How many rows the sample of a moment objective has: all, if there are fewer. */
static inline int64_t samples_of(const struct operation *op)
{
    int64_t asked = op->kind < 0 ? -op->kind : op->kind;
    return asked < op->shape[0][0] ? asked : op->shape[0][0];
}

static inline int32_t sample_of(const struct operation *op, int64_t k)
{
    return (int32_t)(k * op->shape[0][0] / samples_of(op));
}

/* kind: rows in the sample; negative: that many, with given coefficients. */
static inline struct tensor *build_moment(struct tape *tape, struct setting *s, struct tensor *in[])
{
    if (s->op->kind < 0) /* before any kernel: the last context's table stands there */
        given_fit_use(tape->context, GIVEN);
    struct tensor *Z = unit_rows(tape, s, in[0]);
    int64_t samples = samples_of(s->op);
    for (int64_t k = 0; k < samples; k++)
        s->sample[k] = sample_of(s->op, k);
    s->moment = (struct moment){.n = in[0]->rows / 2,
                                .d = in[0]->cols,
                                .tau = TAU,
                                .samples = samples,
                                .sample = s->sample,
                                .pairs = 2000,
                                .key = {.seed = 9, .stream = RANDOM_PAIRS}};
    tape_moment(tape, &s->moment, Z);
    s->objective = true;
    s->loss = &s->moment.loss;
    return NULL;
}

/* ---- Hard rows ------------------------------------------------------------------------------- */

/* Whether row i of an objective's input is zero. */
static inline bool zero_row(const struct setting *s, int64_t i)
{
    int64_t n = s->op->shape[0][0] / 2, node = n ? i % n : i;
    switch (s->rows) {
    case ROWS_ZERO:
        return i == n / 2;
    case ROWS_ZERO_NODE:
        return node == n / 2;
    case ROWS_ZEROS:
        return i < n ? node % 3 == 0 : node % 2 == 0;
    case ROWS_ALL_ZERO:
        return true;
    default:
        return false;
    }
}

/* The row that row i repeats; i: none. */
static inline int64_t twin_of(const struct setting *s, int64_t i)
{
    int64_t n = s->op->shape[0][0] / 2;
    if (s->rows == ROWS_ALIKE)
        return 0;
    return s->rows == ROWS_TWINS && (i == n - 1 || i == n) ? 0 : i;
}

/* Makes drawn rows (2n, d) those of the case. */
static inline void make_rows(const struct setting *s, float *X)
{
    int64_t d = s->op->shape[0][1];
    for (int64_t i = 0; i < s->op->shape[0][0]; i++) {
        if (twin_of(s, i) != i)
            memcpy(X + i * d, X + twin_of(s, i) * d, (size_t)d * sizeof *X);
        if (zero_row(s, i))
            memset(X + i * d, 0, (size_t)d * sizeof *X);
    }
}

/* The unit in which numbers of row i are moved for finite differences. Gradients times this unit
 * are of one size, so that those of rows of zeros do not hide the others in a comparison. */
static inline double unit_of(const struct setting *s, int64_t i)
{
    return zero_row(s, i) ? SHORTEST : 1;
}

/* Every objective meets all hard rows. A GPU reads rows in fours, but for the sample of 7. */
static const struct operation OBJECTIVES[] = {
    {"exact", build_contrast, {{0, 8}}, 1, true},
    {"infonce", build_contrast, {{0, 8}}, 0, true},
    {"moment", build_moment, {{0, 8}}, 0, false},
    {"moment, corrected", build_moment, {{0, 8}}, 8, false},
    {"moment, given coefficients", build_moment, {{0, 8}}, -7, true},
    {"moment, all rows in the sample", build_moment, {{0, 8}}, -12, true},
};

static const struct {
    const char *name;
    enum rows_kind rows;
    int64_t nodes;
    bool few; /* negatives have three cosines at most: a parabola meets them all */
} HARD_ROWS[] = {
    {"plain rows", ROWS_PLAIN, 6, false},
    {"a row of zeros", ROWS_ZERO, 6, false},
    {"a node of zeros", ROWS_ZERO_NODE, 6, false},
    {"rows of zeros", ROWS_ZEROS, 6, false},
    {"rows of zeros, many", ROWS_ZEROS, 200, false},
    {"all rows zero", ROWS_ALL_ZERO, 6, true},
    {"twins", ROWS_TWINS, 6, false},
    {"all rows alike", ROWS_ALIKE, 6, true},
    {"two nodes", ROWS_PLAIN, 2, false},
    {"two nodes, a row of zeros", ROWS_ZERO, 2, true},
    {"two nodes, one of zeros", ROWS_ZERO_NODE, 2, true},
    {"one node", ROWS_PLAIN, 1, false},
    {"one node, a row of zeros", ROWS_ZERO, 1, false},
    {"one node of zeros", ROWS_ZERO_NODE, 1, false},
};

/* ---- The loss in double ---------------------------------------------------------------------- */

/* The cosine of rows i and j of X, of which either may be zero. */
static inline double naive_cosine(const struct operation *op, const float *X, int64_t i, int64_t j)
{
    int64_t d = op->shape[0][1];
    double dot = 0, a = 0, b = 0;
    for (int64_t k = 0; k < d; k++) {
        double x = (double)X[i * d + k], y = (double)X[j * d + k];
        dot += x * y;
        a += x * x;
        b += y * y;
    }
    return a > 0 && b > 0 ? dot / sqrt(a * b) : 0;
}

/* What a moment objective with given coefficients puts in the place of the exponentials of all
 * negatives of row i: the parabola, and the sample's share of what it leaves over. */
static inline double naive_moment(const struct operation *op, const float *X, int64_t i)
{
    int64_t rows = op->shape[0][0], partner = (i + rows / 2) % rows, terms = 0;
    double parabolas = 0, left = 0;
    for (int64_t j = 0; j < rows; j++) {
        double x = naive_cosine(op, X, i, j);
        double q = (GIVEN[0] + GIVEN[1] * x + GIVEN[2] * x * x) * exp(-1 / TAU);
        bool counts = j != i && j != partner;
        parabolas += counts ? q : 0;
        for (int64_t k = 0; k < samples_of(op) && counts; k++)
            if (sample_of(op, k) == j) {
                left += exp((x - 1) / TAU) - q;
                terms++;
            }
    }
    return parabolas + (terms ? (double)(rows - 2) / (double)terms * left : 0);
}

/* The loss of an objective whose coefficients, if it has any, are given. */
static inline double naive_loss(const struct operation *op, const float *X)
{
    int64_t rows = op->shape[0][0], n = rows / 2;
    double loss = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t partner = (i + n) % rows;
        double positive = exp((naive_cosine(op, X, i, partner) - 1) / TAU), negatives = 0;
        for (int64_t j = 0; j < rows && op->build == build_contrast; j++)
            if (j != i && j != partner && (op->kind == 1 || (i < n) != (j < n)))
                negatives += exp((naive_cosine(op, X, i, j) - 1) / TAU);
        if (op->build == build_moment)
            negatives = fmax(naive_moment(op, X, i), (double)(rows - 2) * exp(-2 / TAU));
        loss += log(positive + negatives) - log(positive);
    }
    return loss / (double)rows;
}

#endif
