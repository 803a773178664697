/* Inner loops of the CPU kernels: the only code that is compiled once per instruction set, and
 * chosen at run time. They know nothing of threads. */
#ifndef COMPUTE_CPU_LOOPS_H
#define COMPUTE_CPU_LOOPS_H

#include "compute/operands.h"

/* out (+)= row_scale * (sum_k w_k X[index[k]] + w_self X[self]) over `cols` columns, where w_k is
 * value[k] * col_scale[index[k]], each 1 where its array is NULL. */
struct gather {
    int64_t count;
    const int32_t *index;
    const float *value;
    const float *col_scale;
    float row_scale;
    int64_t self; /* -1: none */
    const float *X;
    int64_t cols;
    bool accumulate;
};

enum { STRIPE = 64 };

/* A stripe of at most STRIPE columns of a sparse product: for every row i,
 *
 *     Y[i] (+)= sum of w_k X[index[k] - first] over k in begin[i] .. end[i] - 1
 *
 * where w_k is value[k] * col_scale[index[k]] * row_scale[i], scales 1 where their array is NULL. The sum begins with what
 * Y holds, if it is added to: a sum that is cut has the bits of the whole. Rows whose scale is 0 add nothing. */
struct stripe {
    int64_t rows;
    const int64_t *begin, *end; /* (rows) */
    const int32_t *index;
    const float *value, *col_scale, *row_scale;
    const float *X; /* rows x_row apart */
    int64_t x_row, first;
    float *Y; /* rows y_row apart */
    int64_t y_row, cols;
    bool accumulate;
};

/* C (rows, cols) (+)= A B over `depth` terms, where
 *
 *     A(i, k) = A[i a_row + k a_col]
 *     B(k, j) = B[j / PANEL b_panel + k b_row + j % PANEL]     panels of PANEL columns
 *
 * So B is a plain matrix of rows ldb apart (b_row = ldb, b_panel = PANEL), or packed by pack_panel.
 * Every element is one sum in the order of k, whatever the shape. */
#define PANEL_PRODUCT(name, operand, number)                                                       \
    struct name {                                                                                  \
        int64_t rows, cols, depth;                                                                 \
        const operand *A;                                                                          \
        int64_t a_row, a_col;                                                                      \
        const operand *B;                                                                          \
        int64_t b_row, b_panel;                                                                    \
        number *C;                                                                                 \
        int64_t c_row;                                                                             \
        bool accumulate;                                                                           \
    }
PANEL_PRODUCT(panel_product, float, float);
PANEL_PRODUCT(panel_product_double, double, double);
PANEL_PRODUCT(panel_product_bf16, uint32_t, float); /* of pairs: loops_bf16.h */
#undef PANEL_PRODUCT

enum { PANEL = 64 };

/* One row of activations. */
struct activation_row {
    enum activation_kind kind;
    int64_t count;
    const float *bias;   /* (count) or NULL */
    float slope;         /* below zero, for all elements */
    const float *slopes; /* (count) of each element, or NULL: `slope` */
};

/* A pass of skip-gram's SGD over groups of terms, one after the other (docs/math.md, skip-gram).
 *
 * A group is a word (i << 2 | SKIPGRAM_INPUT), then a word (o << 2 | y) for each of its terms: row i of
 * U, row o of V, and y, which is 1 where the two belong together. A term adds alpha (y - sigmoid(u.v)) u
 * to its row v at once; u gets the sum of the group's alpha (y - sigmoid(u.v)) v after the last of its
 * terms. */
struct skipgram_pass {
    float *U, *V; /* rows of d */
    int64_t d;
    float alpha;
    const uint32_t *word; /* (count) */
    int64_t count;
    float *change; /* (d) scratch */
};

enum { SKIPGRAM_INPUT = 2, SKIPGRAM_SHIFT = 2 };

struct loops {
    const char *name;

    void (*product)(const struct panel_product *p);
    void (*product_double)(const struct panel_product_double *p);

    /* Columns first .. last - 1 of a row. */
    void (*gather)(float *out, const struct gather *g, int64_t first, int64_t last);

    void (*gather_stripe)(const struct stripe *s);

    /* tile = 2^((tile - 1) * scale) over (rows, cols), rows ld apart, with the sums of its rows; those of
     * its columns are added. */
    void (*exp_tile)(float *tile, int64_t ld, int64_t rows, int64_t cols, float scale,
                     float *row_sum, float *col_sum);
    /* out = tile * (row[i] + col[j]), rows ld apart; out may be tile. */
    void (*weigh_tile)(float *out, const float *tile, int64_t ld, int64_t rows, int64_t cols,
                       const float *row, const float *col);

    /* The places, ascending, where x >= bar or x >= bars[place]; returns how many. */
    int64_t (*reach)(int32_t *place, const float *x, int64_t count, float bar, const float *bars);

    /* tile = 1 / (1 + e^-tile) over (rows, cols), rows ld apart; returns the sum of
     * log(1 + e^tile). */
    double (*logistic_tile)(float *tile, int64_t ld, int64_t rows, int64_t cols);

    /* One row of moment's correction: with e = exp((x - 1) / tau), the sums of e, x, x^2 and, for
     * the fit, of x^3, x^4, e x, e x^2. */
    void (*exp_powers)(const float *x, int64_t count, float inverse_tau, double sums[7]);
    /* out[j] = a (exp((x[j] - 1) / tau) / tau - c1 - 2 c2 x[j]); out may be x. */
    void (*residual)(float *out, const float *x, int64_t count, float inverse_tau, float a,
                     float c1, float c2);

    double (*dot)(const float *a, const float *b, int64_t count);
    /* y += a x. */
    void (*axpy)(float *y, float a, const float *x, int64_t count);
    /* y = act(x + bias). */
    void (*activate)(float *y, const float *x, const struct activation_row *row);
    /* dx from dy and y (PRELU: x). Adds to dbias, if not NULL; returns the slope's part. */
    double (*activate_backward)(float *dx, const float *dy, const float *seen,
                                const struct activation_row *row, double *dbias);
    /* Slopes of RReLU for elements first .. first + count - 1 of the key. */
    void (*rrelu_slopes)(float *out, const struct random_key *key, int64_t first, int64_t count);

    /* The sum of weight log(1 + exp(x)), and slope = weight / (1 + exp(-x)); NULL weights are ones,
     * a NULL slope is not wanted, and it may be x. */
    double (*softplus)(float *slope, const float *x, const float *weight, int64_t count);
    /* P = exp(x) / sum exp(x), P may be x; returns the logarithm of the sum. */
    double (*softmax)(float *P, const float *x, int64_t count);

    /* A step of an LSTM for one target. gates (4 h) hold what goes into i, f, g, o, and then these;
     * `before` is the cell of the step before, or NULL: zeros. Fills cell and out, both (h). */
    void (*lstm_cell)(float *gates, const float *before, float *cell, float *out, int64_t h);
    /* Its way back: gates become gradients of what went into them, dh 0, dc that of `before`. */
    void (*lstm_cell_backward)(float *gates, const float *before, const float *cell, float *dh,
                               float *dc, int64_t h);
    /* out = o tanh(cell). */
    void (*lstm_output)(float *out, const float *o, const float *cell, int64_t h);

    /* Scores s of at most 64 rows of a logistic regression become sigma(s) - y, y = 1 where positive;
     * curvature = sigma (1 - sigma). Adds to sums: the loss, log(1 + exp(-t s)) with t = 2 y - 1, and
     * the curvature. */
    void (*residuals)(double *score, const uint8_t *positive, float *curvature, int64_t count,
                      double sums[2]);
    /* x *= factor. */
    void (*multiply)(float *x, const float *factor, int64_t count);

    void (*adam)(const struct adam *a, int64_t first, int64_t last);

    /* Returns the sum of the terms' losses, softplus((1 - 2 y) u.v) before each update, if it is asked
     * for, else 0. */
    double (*skipgram)(const struct skipgram_pass *pass, bool loss);
};

extern const struct loops loops_generic, loops_avx2, loops_avx512;

/* The best loops that this machine runs. */
const struct loops *loops_choose(void);

#endif
