/* One split under a protocol: choose C, fit, test. */
#ifndef EVAL_PROTOCOL_H
#define EVAL_PROTOCOL_H

#include "eval/probe.h"
#include "data/splits.h"

enum { PROTOCOL_FOLDS = 5, PROTOCOL_GRID_MAX = 21 };

struct protocol_result {
    double C;
    int64_t *table;   /* the caller's, zeroed: counts of the scored rows, as metrics.h reads them */
    uint8_t *missing; /* (classes) the caller's: 1 where a class has no training row, else 0 */
    int64_t training_rows;
    struct logistic_report report; /* summed over every fit */
};

/* Where C is chosen, and what is scored then. */
enum protocol_way {
    PROTOCOL_TESTED, /* C by the validation rows; the test rows are scored */
    PROTOCOL_VALIDATED, /* the same, but the validation rows are scored and the test part is not read */
    PROTOCOL_FOLDED, /* C by PROTOCOL_FOLDS folds of the training rows; the test rows are scored */
};

/* Runs split `number`. C is one of 2^-10 .. 2^10, the best by micro-F1 on the validation rows. By folds
 * it is one of 2^-10 .. 2^9, the best by mean micro-F1 over the folds, and the regressions are fitted
 * again on all training rows. Micro-F1 is the accuracy where a row has one label. Among equals the
 * smallest C is taken. Every part that is used must have a row, and the training part PROTOCOL_FOLDS of
 * them where there are folds. */
graco_status protocol_run(struct protocol_result *result, const struct probe_input *input,
                          const struct splits *splits, int64_t number, enum protocol_way way,
                          uint64_t seed);

/* Fits the regressions to `nodes`, at least PROTOCOL_FOLDS of them, with the C that `folds` chooses for
 * split `number`; *C gets it. */
graco_status protocol_fit(struct probe *out, double *C, struct logistic_report *report,
                          const struct probe_input *input, struct node_list nodes, uint64_t seed,
                          int64_t number);

/* Embeddings must have a row for every node of the data set, a column and finite numbers. */
graco_status protocol_check_rows(const graco_matrix *Z, const graco_dataset *data);

#endif
