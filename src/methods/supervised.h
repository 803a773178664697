/* The known classes of a stage's nodes, for methods that learn from labels: which rows train and which
 * choose the epoch. The parts are those of the split that `graco eval` scores under the same protocol
 * and number. */
#ifndef METHODS_SUPERVISED_H
#define METHODS_SUPERVISED_H

#include "methods/method.h"

enum { SUPERVISED_TRAIN, SUPERVISED_VALIDATION, SUPERVISED_PARTS };

struct supervised {
    struct context *context;
    /* Logits of the stage against the classes of each part; its arrays are on the device. */
    struct classification part[SUPERVISED_PARTS];
    /* The same arrays on the host. */
    int32_t *row[SUPERVISED_PARTS], *label[SUPERVISED_PARTS];
    uint8_t *target[SUPERVISED_PARTS];
};

/* The part (nodes) of the configuration's split that each node of a data set is in; the caller frees it.
 * The protocol `authors` has no validation part: the first of the five folds of the training part takes
 * its place. Of an inductive training these are among the nodes of the data set's own training part, and of
 * its training and validation parts. GRACO_ERROR_ARGUMENT if one of the two parts has no node. */
graco_status supervised_split(uint8_t **part, const struct graco_config *config,
                              const struct graco_dataset *data);

/* Lists the rows of a stage that are in each part. */
graco_status supervised_init(struct supervised *out, const struct graco_model *model,
                             const struct subject *subject);
void supervised_clear(struct supervised *supervised);

/* 1 - micro-F1 of logits X (rows of the stage, classes), on the device, over one part; where a node has
 * one class that is the share of wrong ones. */
graco_status supervised_miss(double *miss, const struct supervised *supervised, int part,
                             const float *X);

/* Turns logits (rows, classes) into probabilities, in place: a row's softmax, or each number's logistic
 * function where a node may have several classes. */
void supervised_probabilities(float *X, int64_t rows, const struct graco_model *model);

#endif
