/* A stage: what one step of training runs on. It is a whole graph, used again every epoch, or the
 * sampled neighbourhood of a mini-batch, used once. */
#ifndef TRAIN_STAGE_H
#define TRAIN_STAGE_H

#include "data/dataset.h"
#include "graph/sampler.h"
#include "layers/stock.h"
#include "methods/method.h"

struct stage {
    struct context *context;
    const struct method *method;
    int64_t nodes;        /* that the loss is about: all, or the batch's roots */
    int64_t weight;       /* of its loss in the epoch's mean: graphs, or a batch's roots, or 1 */
    int64_t graphs;       /* that are stacked in it; 0: it is one */
    const int64_t *start; /* (graphs + 1) on the device: their first nodes */
    struct input *input;  /* NULL, and no hops, where the method has no views */
    int hops;             /* 1 for a whole graph */
    struct views *views[LAYERS_MAX]; /* (hops), from the roots outward */
    struct stage *other;             /* of another graph, which this step sees too, or NULL */
    bool only;                       /* every step of the training is on it */
    void *state;                     /* the method's own */
    float *degrees[LAYERS_MAX];      /* (sources) of each hop, for the symmetric norm */
    int64_t steps;                   /* that ran on it */
    struct recording *recording;     /* of a step, or NULL */
    int64_t recorded, trims;         /* at which step, and after how many of the cache's trims */
    double lr;                       /* that the recording steps with */
    int recordings;                  /* tried so far with it */
    int64_t drawn;                   /* the step that its views were drawn for last */
    bool ahead;                      /* the recording draws the next step's views, not its own */
};

/* A stage on the whole of subject->graph, whose rows of X are `features`; borrowed. */
graco_status stage_create_graph(struct stage **out, const struct graco_model *model,
                                struct subject subject, const struct features *features);

/* Says that the stage's graph is several: graph g has nodes start[g] .. start[g + 1] - 1. Borrows. */
graco_status stage_divide(struct stage *stage, int64_t graphs, const int64_t *start);

/* A stage on a sample of subject->graph, whose node i has row subject->ids[i] of the stock's features.
 * Borrows all of them. */
graco_status stage_create_sample(struct stage **out, const struct graco_model *model,
                                 struct subject subject, const struct sample *sample,
                                 struct stock *stock);

void stage_free(struct stage *stage);

/* What the last step on it came to. */
struct outcome stage_outcome(const struct stage *stage);

#endif
