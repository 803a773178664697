/* A part of the training data, which a schedule visits as a whole or in mini-batches. */
#ifndef TRAIN_PART_H
#define TRAIN_PART_H

#include "data/dataset.h"
#include "train/stage.h"

/* A graph of the training data, or several. */
struct data_part {
    const struct graph *graph;
    int64_t graphs;            /* that are stacked in it */
    int64_t *start;            /* (graphs + 1) their first nodes */
    struct graph *owned;       /* what `graph` points to, unless it is the data set's own */
    int32_t *nodes;            /* its nodes in the data set's numbering; NULL: all of them */
    const struct shard *shard; /* this rank's rows of `graph`; NULL: it has all */
    struct shard *cut;         /* what `shard` points to, unless it is the data set's own */
    struct features rows;      /* their features; empty where the data set's own serve */
    struct stage *stage;       /* NULL: made when its turn comes */
};

/* This rank's rows of a part and of its features X; with those of other ranks' nodes where the first layer propagates
 * them. All ranks call it. */
graco_status part_share(struct data_part *part, struct comm *comm, const struct graco_model *model,
                        const struct graco_dataset *data, const struct features *X);

#endif
