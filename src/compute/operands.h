/* What kernels work on: sparse matrices, and one struct for each kernel that gets more than a few
 * arguments. Nothing here owns memory. Pointers are to buffers of the device unless a comment says
 * host; matrices are row-major.
 *
 * Both views of a graph are stacked: rows 0 .. N - 1 are the first view's, rows N .. 2N - 1 the
 * second's, and a sparse product applies each view's own matrix to its rows. */
#ifndef COMPUTE_OPERANDS_H
#define COMPUTE_OPERANDS_H

#include "base/extensions.h"
#include "base/random.h"
#include "sparse/csr.h"

#include <stdbool.h>

/* M = diag(row_scale) (S + self I) diag(col_scale). Borrows every array. */
struct sparse {
    struct csr entries;     /* S, as the device sees it */
    const int32_t *count;   /* (rows) how many of a row's first entries count; NULL: all */
    const float *row_scale; /* (rows) or NULL: ones */
    const float *col_scale; /* (cols) or NULL: ones */
    int64_t longest;        /* entries of the longest row; 0: not known */
    bool self;              /* add the identity: row i has column first + i, if there is one */
    int64_t first;          /* 0 unless these are rows from the middle of a matrix */
};

enum activation_kind {
    ACTIVATION_RELU,
    ACTIVATION_PRELU,
    ACTIVATION_ELU,
    ACTIVATION_RRELU,
    ACTIVATION_NONE,    /* the bias alone; not a word of the setting `activation` */
    ACTIVATION_LEAKY,   /* a slope of 0.1 below zero */
    ACTIVATION_SIGMOID, /* 1 / (1 + exp(-x)) */
};

/* Where a rank's rows stand among those of all ranks: of each view it has `own` rows, which are rows
 * first .. first + own - 1 of `all`, or, of a mini-batch, rows place[0], place[1], ... own = 0: every row is
 * here. */
struct rank_rows {
    int64_t own, first, all;
    const int32_t *place; /* (own) or NULL */
};

/* The number of a row in the stacked views of all ranks. */
static inline EXT_DEVICE int64_t rank_row(const struct rank_rows *r, int64_t row)
{
    if (r->own == 0)
        return row;
    int64_t view = row / r->own, at = row % r->own;
    return view * r->all + (r->place ? r->place[at] : r->first + at);
}

/* Y = act(X + b) over (rows, cols); Y may be X. */
struct activation {
    enum activation_kind kind;
    int64_t rows, cols;
    const float *bias;      /* (cols) or NULL */
    const float *slope;     /* PRELU: (1). RRELU: (rows, cols) given slopes, or NULL to draw them */
    struct random_key key;  /* RRELU */
    bool training;          /* RRELU: slopes are 11/48 otherwise */
    struct rank_rows among; /* RRELU: by which slopes are drawn; `place` is host memory */
};

/* Each number is multiplied by 0 with probability p < 1, and else by 1 / (1 - p), so that
 * sums keep their mean. Number i is element i of the key: the same key drops the same ones again. */
struct dropout {
    struct random_key key;
    double p;
};

/* Y (rows, cols) (+)= X, parts of matrices whose rows are ldy and ldx apart. */
struct block_copy {
    int64_t rows, cols;
    float *Y;
    int64_t ldy;
    const float *X;
    int64_t ldx;
    bool accumulate;
};

/* The sources of each target, in their order; a source may come again. An entry is one source of one
 * target. */
struct segments {
    struct csr entries;   /* (targets, sources) */
    struct csr transpose; /* (sources, targets); for the way back */
    const uint32_t *from; /* (entries) that each entry of the transpose was; less than 2^31 */
    int64_t count;        /* entries */
    int64_t longest;      /* those of the target that has most; for an LSTM */
};

/* Rows of heads * width numbers: head k has columns k width .. (k + 1) width - 1. */
struct segment_heads {
    const struct segments *segments;
    int64_t heads, width;
    double scale;
};

/* An LSTM whose step k reads the k-th source of every target. Columns of gates are i, f, g, o:
 *
 *     i, f, o = sigma(pre)   g = tanh(pre)   c = f c_before + i g   h = o tanh(c)   pre = x + h_before Wh
 *
 * A target that has no such source keeps its h. Back, the gates of an entry are replaced by dpre. */
struct lstm {
    const struct segments *segments;
    int64_t width, step;
    const float *input; /* (sources, 4 width) x of every source */
    float *gates;       /* (entries, 4 width) */
    float *cell;        /* (entries, width) c */
    float *pre;         /* (targets, 4 width) h_before Wh, not read at step 0; back: dpre, or 0 */
    float *h;           /* (targets, width) h_before, becomes h; back: becomes h_before, or 0 */
    float *dh, *dc; /* (targets, width) back: of this step; dh becomes 0 where it was used up, dc
                         * that of the step before */
};

/* C (m, n) (+)= op(A) op(B), where op(A) is (m, k) and op(B) is (k, n); rows are ld* apart. */
struct gemm {
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    const float *A;
    int64_t lda;
    const float *B;
    int64_t ldb;
    float *C;
    int64_t ldc;
    bool accumulate; /* add to what C holds */
    bool A_padded;   /* what rows of A have behind their k numbers, up to lda, is 0 */
    bool B_stays;    /* a step does not write B before its last kernel: a parameter */
    /* Applied to all of C, in place; needs ldc = n. NULL: none. RELU may turn NaN into 0. */
    const struct activation *after;
};

/* Y_v (+)= M_v X_v for every view v. A step of 0 shares the operand: a shared X is read by all
 * views, a shared Y sums over them. */
struct spmm {
    int views;
    const struct sparse *matrix; /* (views) */
    bool back; /* M is a transpose, with long rows: a kernel may go through X by stripes */
    int64_t cols;
    const float *X; /* (views, matrix's columns, cols) */
    int64_t x_step; /* floats from one view's X to the next's */
    float *Y;       /* (views, matrix's rows, cols) */
    int64_t y_step;
    bool accumulate;
    const int32_t
        *rows; /* (row_count) the rows of Y to compute, where buffers are host memory; NULL: all */
    int64_t row_count;
    /* What follows. Only where every view has a Y of its own, all of which is overwritten. */
    const float *mask[2];           /* (cols) per view: Y's columns times these; NULL: none */
    const struct activation *after; /* of all of Y, one view after the other; NULL: none */
};

/* Whether nothing follows the product. */
static inline bool spmm_plain(const struct spmm *s)
{
    return !s->after && !s->mask[0] && !s->mask[1];
}

/* Y_v = M_v X diag(mask_v), dense, of a sparse X that all views share: X has values, and neither
 * counts nor scales. A row of Y has y_row numbers, a multiple of 4; those behind X's columns become
 * 0. */
struct propagate_sparse {
    int views;
    const struct sparse *matrix; /* (views) */
    const struct sparse *X;
    const float *mask[2]; /* (X's columns) or NULL */
    float *Y;             /* (views, matrix's rows, y_row) */
    int64_t y_row, y_step;
};

enum { PROPAGATE_SPARSE_COLS = 8192 }; /* that X has at most */

/* Rows and columns of a tile of the matrix of similarities on the CPU. */
enum { CONTRAST_TILE = 192 };

/* Contrast of 2n unit rows Z = [U; V], as docs/math.md derives it. */
struct contrast {
    int64_t n, d;
    double tau;
    bool within;    /* negatives from the same view too: the paper's objective; else InfoNCE */
    const float *Z; /* (2n, d) */
    /* Several graphs: rows start[g] .. start[g + 1] - 1 of either view are graph g's, which is
     * contrasted within itself, and the loss is the mean over graphs. 0: one graph, no starts. */
    int64_t graphs;
    const int64_t *start; /* (graphs + 1) */
    /* Over ranks n counts this rank's nodes, and the context's other ranks join in each call. */
    const int64_t *bounds; /* (ranks + 1) where each rank's nodes begin; host. NULL: all are here */
    /* Filled by the forward kernel. */
    double *D;                 /* (2n) sums of exp((x - 1) / tau) over the chosen negatives */
    double loss;               /* host, after context_finish */
    double mutual_information; /* the same */
    /* Kept tiles, filled by the forward and read by the backward kernel. */
    float *tiles;
    int64_t tile_floats; /* room in `tiles`; any number, 0 included, gives the same bits */
    /* The same where buffers are not host memory: Z and 1 / D as the tiles read them, contrast_image_bytes
     * (device_scratch.h). NULL: they are made again. */
    void *image;
};

/* The linear-time objective: the negatives' exp(x / tau) is replaced by c0 + c1 x + c2 x^2, and
 * what that leaves over is estimated from sampled rows. docs/math.md derives it. */
struct moment {
    int64_t n, d;
    double tau;
    const float *Z;         /* (2n, d) unit rows */
    struct rank_rows among; /* over ranks, as for the contrast: n counts this rank's nodes */
    int64_t samples;        /* m; 0: no correction, which ranks must have */
    const int32_t *sample;  /* (m) rows of Z, of all ranks', ascending; host */
    int64_t pairs;          /* without correction: how many random pairs the fit looks at */
    struct random_key key;  /* of those pairs */
    /* Filled by moment_fit. */
    double coefficient[3]; /* c times exp(-1 / tau), as D is; host, on a device after `moment` and
                            * context_finish */
    double *row;           /* (2n, 6) z.s, z'Mz, positive, sums of e, x, x^2 over the sample; for
                            * `moment` alone */
    float *moments;        /* (d + 1, d): M = Z' Z and, last, s, the sum of the rows */
    float *kept; /* (2n, m + d) cosines with the sample, and Z M, which moment_backward uses
                            * up; NULL: they are found again */
    /* The same where buffers are not host memory. */
    double *fitted; /* (3) the coefficients */
    float *sampled; /* (m, d) the sampled rows, right before `moments` */
    int32_t *place; /* (2n) in the sample, or -1; then (m) the sample */
    float *inverse; /* (2n) 1 / D, or 0 where floored; filled by `moment` */
    /* Filled by `moment`. */
    double *D;       /* (2n) estimates */
    uint8_t *floor;  /* (2n) whether the floor held the estimate up */
    int64_t floored; /* how many; host, after context_finish */
    double loss;     /* the same */
};

/* How well the products of Z's rows tell a graph's edges from all other pairs. With s = z_i . z_j, an
 * ordered pair (i, j) costs weight log(1 + e^-s) if A + I has it, else log(1 + e^s); the loss is the
 * sum over all n^2 pairs times `scale`. Its kernel gives the loss and, in the same sweep, dZ. */
struct reconstruction {
    int64_t n, d;
    const struct sparse *edges,
        *transpose; /* A (n, n) and A'; values and scales are not looked at */
    double weight, scale;
    const float *Z; /* (n, d) */
    float *dZ;      /* (n, d) filled by the kernel */
    double loss;    /* host, after context_finish */
};

/* Z = mean + noise * exp(spread), where noise is normal: draws from a Gaussian for every row. A spread
 * above 10 counts as 10. The divergence from the unit Gaussian, times `scale`, is
 *
 *     -scale / 2 * sum (1 + 2 spread - mean^2 - exp(2 spread)) */
struct gaussian {
    int64_t rows, cols;
    const float *mean, *spread; /* (rows, cols) */
    struct random_key key;      /* of the noise; element: position in (rows, cols) */
    bool given;                 /* the noise is there already */
    float *noise;               /* (rows, cols) filled by the forward kernel unless given */
    double scale;
    double divergence; /* host, after context_finish */
};

static const float SPREAD_MOST = 10;

enum classification_kind {
    CLASSIFY_SOFTMAX, /* one class per row: log(sum_j exp(x_j)) - x_label */
    CLASSIFY_SIGMOID, /* any number: log(1 + exp(-x)) where the target is 1, else log(1 + exp(x)) */
};

/* The mean cost of logits over a list of rows, or over its rows and columns (SIGMOID). */
struct classification {
    enum classification_kind kind;
    int64_t cols;
    const float *X; /* (rows, cols) logits */
    int64_t count;
    const int32_t *row;    /* (count) distinct rows of X; NULL: the first ones */
    const int32_t *label;  /* SOFTMAX: (count) the class of each listed row */
    const uint8_t *target; /* SIGMOID: (count, cols) 0 or 1 */
    const float *weight;   /* of each cost, (count) or SIGMOID (count, cols); NULL: ones */
    double total;          /* what the sum is divided by; 0: by the number of costs */
    double loss;           /* host, after context_finish */
};

/* The factor of each cost in the loss. */
static inline double classification_scale(const struct classification *s)
{
    int64_t costs = s->kind == CLASSIFY_SIGMOID ? s->count * s->cols : s->count;
    return s->total > 0 ? 1 / s->total : costs > 0 ? 1 / (double)costs : 0;
}

/* Pairs of rows of Z, told apart by their products s = z_a . z_b: a pair that belongs together costs
 * log(1 + exp(-s)), another one log(1 + exp(s)). The loss is `scale` times the sum of
 * weight * cost. */
struct pairs {
    int64_t count, rows, d;
    const float *Z; /* (rows, d) */
    const int32_t
        *end;        /* (2, count) rows of Z: a of every pair, then b of every pair; a may be b */
    struct csr ends; /* (rows, 2 count) the places in `end` that name each row: csr_group */
    const float *weight; /* (count), or NULL: ones */
    double scale;
    bool together; /* which cost */
    bool add;      /* to *loss, as an objective before it on the same tape left it */
    double *loss;  /* host, after context_finish */
    float *slope;  /* (count) dL/ds, filled by the forward kernel; NULL: not wanted */
};

/* The row at the other end of the pair that place `at` of `end` belongs to. */
static inline EXT_DEVICE int64_t pairs_other(const struct pairs *s, int64_t at)
{
    return s->end[at < s->count ? at + s->count : at - s->count];
}

/* Rows against a summary s of those of H: the mean of log(1 + exp(-l)) over H and log(1 + exp(l)) over G,
 * where the logit of a row h is l = h . v + beta, v = B s. */
struct agreement {
    int64_t positives, negatives, d;
    const float *H, *G; /* (positives, d), (negatives, d) */
    const float *s, *v; /* (d) */
    const float *beta;  /* (1) */
    /* Filled by the forward kernel. */
    float *r;    /* (positives + negatives) (sigma(l) - y) / (positives + negatives), y = 1 on H */
    float *q;    /* (d + 1) sum_i r_i h_i over all rows, and sum_i r_i */
    double loss; /* host, after context_finish */
    /* Read by the backward kernel. */
    const float *ds; /* (d) B' q */
};

enum { REGRESSION_PANEL = 64 };

/* Logistic regressions of many outputs on the same rows, as Newton's method asks for them. Output k
 * has t = +1 or -1 for each row; with s = Xw its loss is the sum of log(1 + exp(-t s)) over the rows,
 * and its curvature sigma(s) (1 - sigma(s)). A call is for the listed outputs. */
struct regression {
    int64_t rows, cols, outputs;
    const double *X;        /* (rows, cols) */
    const float *X_rounded; /* the same in float32, for products with the Hessian */
    /* Where buffers are host memory, both again: the rows in panels of REGRESSION_PANEL, each panel
     * (cols, REGRESSION_PANEL), zeros behind the last row. */
    const double *panels;
    const float *panels_rounded;
    const uint8_t *positive; /* (outputs, rows) nonzero where t = +1 */
    float *curvature;        /* (outputs, rows) filled by `regress` */
    int64_t count;
    const int32_t *list; /* (count) distinct outputs; host */
};

/* The k rows of Z that have the largest products with each row asked for, itself left out; of equal
 * products, the lower row. Rows are first multiplied by `scale`. Everything is host memory. */
struct neighbour_search {
    int64_t n, d, k;     /* k < n */
    const float *Z;      /* (n, d) finite */
    const float *scale;  /* (n) so that no product of scaled rows overflows */
    int64_t asked;       /* how many rows are asked for */
    const int32_t *list; /* (asked) those rows; NULL: all n */
    int64_t memory;      /* bytes that scaled rows may fill */
    uint64_t *best;      /* (asked, k) filled with ranks (neighbour_heap.h), the best first */
};

/* Element e becomes 1 with probability 1 - p, by element e of the key or, unless id is NULL, id[e]; else 0. Either
 * bytes or floats are wanted; the other is NULL. */
struct drawing {
    struct random_key key;
    double p;
    int64_t n;
    const uint32_t *id; /* (n) or NULL; with bytes alone */
    uint8_t *bytes;     /* (n) */
    float *floats;      /* (n) */
};

enum { DRAWINGS_MAX = 4 };

/* Lists a row's kept entries at its own start, and counts them: entry e is kept if keep[id[e]], or
 * keep[e] where id is NULL. */
struct compaction {
    int64_t rows;
    const int64_t *start; /* (rows + 1) */
    const int32_t *index; /* (start[rows]) */
    const uint32_t *id;   /* (start[rows]) or NULL */
    const uint8_t *keep;  /* (start[rows]) */
    int32_t *kept;        /* (start[rows]) */
    int32_t *count;       /* (rows) */
    const float *weight;  /* (start[rows]) of the entries, or NULL */
    float *kept_weight;   /* (start[rows]) of the kept ones, beside `kept` */
    float *scale;         /* (rows) (count + 1)^power, as degree_scale has it; NULL: not wanted */
    double power;
};

/* Degrees: how many entries count in each row, or what their weights add up to, in double. */
struct degrees {
    int64_t rows;
    const int64_t *start; /* (rows + 1) */
    const int32_t *count; /* (rows) how many of a row's first entries count; NULL: all */
    const float *weight;  /* (start[rows]) of the entries; NULL: ones */
    const float *known;   /* (rows) the degrees themselves, and the rest is not read; or NULL */
    double share, power;  /* of degree_scale */
};

enum { COMPACTIONS_MAX = 4 };

struct adam {
    int64_t count;
    float *value, *grad, *m, *v; /* (count) */
    double lr, beta1, beta2, epsilon, weight_decay;
    double
        clip; /* gradients beyond +- this count as that, before weight decay; 0: all as they are */
    int64_t step; /* 1 for the first */
};

#endif
