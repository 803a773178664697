/* The tape: reverse-mode differentiation over whole matrices.
 *
 * Operations compute at once and record how to go back. They return the result, or NULL once
 * anything has failed: NULL goes through every later operation, and tape_backward reports the
 * failure. So a model reads like its equation. Tensors belong to the tape and live until
 * tape_reset, which keeps all memory for the next step.
 *
 * An operation that works in place takes over its input's buffer; the input's value is gone then. A
 * value that no later operation and no backward function needs can go back early with tape_drop. */
#ifndef TAPE_TAPE_H
#define TAPE_TAPE_H

#include "comm/comm.h"
#include "compute/context.h"

struct tensor {
    int64_t rows, cols;
    float *data;   /* (rows, cols); NULL once dropped or taken over */
    float *grad;   /* (rows, cols) or NULL while nothing has flowed back */
    bool leaf;     /* data and grad belong to somebody else */
    bool constant; /* no gradient is wanted */
};

struct tape;

graco_status tape_create(struct tape **out, struct context *context);
void tape_free(struct tape *tape);

/* Gives all buffers back to the context's cache and forgets every tensor and failure. */
void tape_reset(struct tape *tape);

/* GRACO_OK, or the first failure of an operation since the last reset. */
graco_status tape_status(const struct tape *tape);

/* Remembers the status if it is the first failure; returns NULL. */
struct tensor *tape_fail(struct tape *tape, graco_status status);

/* A leaf: a parameter, whose gradient is added to `grad`; a constant where that is NULL. Borrowed.
 */
struct tensor *tape_parameter(struct tape *tape, int64_t rows, int64_t cols, float *data,
                              float *grad);

/* A constant (rows, cols) that the caller fills. */
struct tensor *tape_constant(struct tape *tape, int64_t rows, int64_t cols);

/* The context that the tape computes in. */
struct context *tape_context(const struct tape *tape);

/* What a layer ends with: act(X + b). `spec` gives kind, key and training; the rest of it is filled
 * in. `bias` (1, cols) may be NULL; `slope` (1, 1) is PRELU's. */
struct ending {
    struct activation spec;
    struct tensor *bias, *slope;
};

/* A (r, k) B (k, c): (r, c). Where a constant A has more columns than B has rows, its first ones
 * count. Products take an ending, which costs less there than as an operation of its own; NULL:
 * none. */
struct tensor *tape_matmul(struct tape *tape, struct tensor *A, struct tensor *B,
                           const struct ending *end);

/* The same for the first `rows` rows of each of A's `views` blocks: (views * rows, c). */
struct tensor *tape_matmul_head(struct tape *tape, struct tensor *A, struct tensor *B, int views,
                                int64_t rows, const struct ending *end);

/* A + B, in place of B (views * rows, c). Where A's blocks, one per view, have more rows than B's,
 * their first ones count. */
struct tensor *tape_add(struct tape *tape, struct tensor *A, struct tensor *B, int views);

/* One sparse matrix per view and its transpose. A shared input is one block that every view reads,
 * such as weights; else the input has one block of rows per view, as the output always has. */
struct sparse_map {
    int views;
    bool shared;
    struct sparse matrix[2], transpose[2];
    /* Where ranks have rows of the matrices: X and Y have this rank's, and both directions read those
     * of others, which are the columns behind its own. NULL: all rows are here. */
    struct comm *comm;
    const struct comm_rows *rows;
    const int32_t *sent; /* rows->sent as the device sees it */
    /* Then the rows of a matrix, and of a transpose, first those that read this rank's columns alone,
     * `inner` of them: they are computed while rows of others are on their way. */
    const int32_t *order[2];
    int64_t inner[2];
};

/* [M_1 X_1; M_2 X_2]: (views * M's rows, X's columns). The map must outlive tape_backward. */
struct tensor *tape_propagate(struct tape *tape, const struct sparse_map *map, struct tensor *X,
                              const struct ending *end);

/* Dense features for one or two views, each with its mask of columns; a NULL mask keeps all. */
struct dense_map {
    int views;
    int64_t rows, cols;
    const float *X[2];    /* (rows, cols) of each view; they may be the same */
    const float *mask[2]; /* (cols) */
};

/* [X diag(mask_1) W; X diag(mask_2) W]: (views * rows, W's columns). */
struct tensor *tape_features(struct tape *tape, const struct dense_map *map, struct tensor *W);

/* [M_1 X diag(mask_1); M_2 X diag(mask_2)], a constant; M are the matrices of `views`. */
struct tensor *tape_propagate_features(struct tape *tape, const struct dense_map *map,
                                       const struct sparse_map *views);

/* The same of a sparse X and masks of its columns, for back ends that have propagate_sparse. Zeros
 * pad the rows to tape_propagate_row(X's columns), a length that products read fast. */
struct tensor *tape_propagate_sparse(struct tape *tape, const struct sparse *X,
                                     const float *const mask[2], const struct sparse_map *views);
int64_t tape_propagate_row(int64_t cols);

/* act(X + b), in place except for PRELU. */
struct tensor *tape_activate(struct tape *tape, const struct ending *end, struct tensor *X);

/* Rows of X + b scaled to length one, in place. `bias` (1, cols) may be NULL. */
struct tensor *tape_normalise(struct tape *tape, struct tensor *X, struct tensor *bias);

/* X with numbers dropped out as `spec` says. The mask is drawn again on the way back. X keeps its value,
 * which the activation that it came from may need. */
struct tensor *tape_dropout(struct tape *tape, const struct dropout *spec, struct tensor *X);

/* Sparse features with stored entries dropped out: the map, but with other values in its matrices.
 * View v draws under the key's view + v. from (entries) names the entry of the matrix that each entry
 * of the transpose was, as csr_transpose gives it; there are less than 2^31. What comes back belongs
 * to the tape and lives until its reset. */
const struct sparse_map *tape_dropout_features(struct tape *tape, const struct dropout *spec,
                                               const struct sparse_map *map, const uint32_t *from,
                                               int64_t entries);

/* Rows of a matrix, some perhaps repeatedly, and where in the list each row stands: csr_group. */
struct row_list {
    int64_t count;
    const int32_t *row; /* (count) */
    struct csr places;  /* (rows, count) */
};

/* Rows of X as the list names them: (count, X's columns). The list must outlive tape_backward. */
struct tensor *tape_gather(struct tape *tape, const struct row_list *list, struct tensor *X);

/* [A ; B], the columns of B behind those of A. */
struct tensor *tape_join(struct tape *tape, struct tensor *A, struct tensor *B);

/* Over the sources of each target; `segments` must outlive tape_backward. A target without sources
 * gets zeros. A mean over sources is tape_propagate with a row_scale.
 *
 * The largest of X (sources, d), column by column: (targets, d). */
struct tensor *tape_segment_max(struct tape *tape, const struct segments *segments,
                                struct tensor *X);

/* Attention: scores scale * A_t . B_s, head by head, of A (targets, heads width) and B (sources, heads
 * width): (entries, heads). Then their softmax over each target's entries, in place. Then the sum of
 * w V_s over these, of V (sources, heads width): (targets, heads width). */
struct tensor *tape_segment_dot(struct tape *tape, const struct segment_heads *heads,
                                struct tensor *A, struct tensor *B);
struct tensor *tape_segment_softmax(struct tape *tape, const struct segments *segments,
                                    struct tensor *S);
struct tensor *tape_segment_sum(struct tape *tape, const struct segments *segments,
                                struct tensor *W, struct tensor *V);

/* The last h of an LSTM over the sources of each target in their order: (targets, h). XW (sources, 4h)
 * is x Wx + b, columns i, f, g, o; Wh (h, 4h). */
struct tensor *tape_lstm(struct tape *tape, const struct segments *segments, struct tensor *XW,
                         struct tensor *Wh);

/* The objectives end a tape: their gradient, for Z (2n, d), is that of the loss itself. `spec` is
 * the caller's: sizes, tau and choices in, loss and estimates out. It must outlive
 * tape_backward. */
void tape_contrast(struct tape *tape, struct contrast *spec, struct tensor *Z);
void tape_moment(struct tape *tape, struct moment *spec, struct tensor *Z);

/* The same for Z (n, d): how well its products tell the graph's edges. */
void tape_reconstruct(struct tape *tape, struct reconstruction *spec, struct tensor *Z);

/* mean + noise * exp(spread), all (rows, cols): a draw for every row. What flows back has the
 * gradient of the divergence in it, which `spec`, the caller's, reports. It must outlive
 * tape_backward. */
struct tensor *tape_gaussian(struct tape *tape, struct gaussian *spec, struct tensor *mean,
                             struct tensor *spread);

/* The same for logits X (rows, cols) against classes; `spec` lists the rows that count. Without
 * tape_backward it is the cost alone, as for validation. */
void tape_classify(struct tape *tape, struct classification *spec, struct tensor *X);

/* The same for pairs of rows of Z. Several of them may end one tape: all but the first add to the
 * loss. */
void tape_pairs(struct tape *tape, struct pairs *spec, struct tensor *Z);

/* Groups `end` (2, count), which the caller keeps, into *grouped, and puts both where the device sees
 * them, into pairs->end and pairs->ends. Ends with pairs_unshare, also after a failure. */
graco_status pairs_share(struct pairs *pairs, struct csr *grouped, struct context *context,
                         const int32_t *end);
void pairs_unshare(struct pairs *pairs, struct csr *grouped, struct context *context);

/* Deep Graph Infomax: rows[0] are the graph's, rows[1] a corrupted one's; where that is NULL, the first
 * has both, one half each. B (d, d) and beta (1, 1) are parameters. */
void tape_agree(struct tape *tape, struct agreement *spec, struct tensor *const rows[2],
                struct tensor *B, struct tensor *beta);

/* Gives the value of X back to the context's cache: no later operation and no backward function
 * needs it. */
void tape_drop(struct tape *tape, struct tensor *X);

/* Runs the recorded operations backwards; gradients of parameters are added to their blocks.
 * Buffers go back to the cache as soon as they are used up. */
graco_status tape_backward(struct tape *tape);

/* As far as operations may read what the step has drawn, such as the map of a view: past all that are not settled.
 * tape_backward goes on from there. */
graco_status tape_backward_drawn(struct tape *tape);

#endif
