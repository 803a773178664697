/* The probe: logistic regressions on some rows of the embeddings, judged on others. */
#ifndef EVAL_PROBE_H
#define EVAL_PROBE_H

#include "eval/logistic.h"
#include "eval/metrics.h"

/* What a probe reads; borrowed. */
struct probe_input {
    const struct blas *blas;
    struct context *context; /* whose device fits; not const: one probe at a time */
    const float *Z;          /* (nodes, dim) finite */
    int64_t nodes, dim, classes;
    const int32_t *label; /* (nodes), or NULL if multi-label */
    const uint8_t *multi; /* (nodes, classes), or NULL */
    int threads;
};

/* Some of the nodes; borrowed. */
struct node_list {
    const int32_t *node;
    int64_t count;
};

/* Regressions for `count` values of C. Single-label rows are scaled to length one (zero rows stay
 * zero); multi-label columns are standardised by the rows of the fit (a constant column is only
 * shifted). A constant 1 is appended. Owns its arrays. */
struct probe {
    int64_t outputs;   /* classes that have a positive training row; the others are never chosen */
    int32_t *class_of; /* (outputs) ascending */
    double *shift, *scale; /* (dim) x = (z - shift) scale; NULL if single-label */
    int64_t count;
    double *W; /* (count, outputs, dim + 1) */
    struct logistic_report report;
};

/* The back end for `fits` fits on `rows` nodes each with all values of C: that of the name, or, by
 * "auto", a GPU where there is one and the work is worth its start. NULL: "auto". */
graco_status probe_backend(const struct backend **out, const char *device,
                           const struct probe_input *input, int64_t rows, int64_t fits);

/* Fits on at least one node, for each of the `count` values of C, which ascend. */
graco_status probe_fit(struct probe *out, const struct probe_input *input, struct node_list nodes,
                       const double *C, int64_t count);

/* Predicts the nodes with every C: counts[c] gets what came out for value c. A single label is the
 * class with the largest w'x (the first one among equals), a multi-label holds where w'x > 0, which
 * is a probability above one half. If `table` is not NULL, the predictions of all values of C are
 * added to it as metrics_single or metrics_multi reads it. */
graco_status probe_score(struct metrics_counts *counts, int64_t *table, const struct probe *probe,
                         const struct probe_input *input, struct node_list nodes);

/* P (nodes.count, classes): how probable each class is by the first C, sigma(w'x), of classes that were
 * never chosen 0. With one label per node a row is divided by its sum. */
graco_status probe_probabilities(float *P, const struct probe *probe,
                                 const struct probe_input *input, struct node_list nodes);

void probe_clear(struct probe *probe);

#endif
