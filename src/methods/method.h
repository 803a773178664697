/* A method is to training what a back end is to computing: a table.
 *
 * The training loop, checkpoints, resuming, devices, many graphs and mini-batches belong to train/ and
 * know no method by name. Each step of a training runs on a stage, a whole graph or a mini-batch; a
 * method says what state it needs there, what it draws, and what loss it puts on the tape. */
#ifndef METHODS_METHOD_H
#define METHODS_METHOD_H

#include "layers/run.h"

/* Hyperparameters for a data set, as text over the method's general ones: "hidden=128 tau=0.4". */
struct preset {
    const char *name, *settings;
};

/* What a step came to. */
struct outcome {
    double loss;
    double mutual_information; /* InfoNCE's estimate; NaN where the method does not give it */
    int64_t floored;           /* estimates that a floor held up */
};

/* How large a graph is, in what the operations of a step grow with. */
struct graph_size {
    int64_t nodes, edges, entries; /* entries of the features that are stored */
};

enum {
    METHOD_NEEDS_FEATURES = 1,
    METHOD_NEEDS_TWO_NODES = 2, /* one has nothing to be told apart from */
};

struct method {
    const char *name, *help;
    const char *const *keys; /* settings that it reads beside those of all methods; NULL ends */
    const char *general;     /* its settings for any graph */
    const struct preset *presets; /* a row without a name ends them */
    unsigned needs;               /* of a data set: METHOD_NEEDS_ ... */
    int views;                    /* versions of the graph that its encoder runs over at once */

    /* Declares the parameters. */
    void (*declare)(struct graco_model *model);

    /* Makes what a stage of so many nodes needs beside its views, and frees it. */
    graco_status (*prepare)(void **state, const struct graco_model *model, int64_t nodes);
    void (*release)(void *state);

    /* A step: what the host draws, which a recorded step asks for again each time; what the device
     * draws; the forward pass, ended by a loss on the tape. */
    void (*draw_host)(void *state, const struct graco_model *model, uint32_t step);
    graco_status (*draw)(struct run *run);
    void (*loss)(struct run *run, void *state);

    /* What the last step came to, after context_finish. */
    struct outcome (*outcome)(const void *state);

    /* Z (nodes, hidden) on the host: the whole graph embedded by a trained model. */
    graco_status (*embed)(float *Z, struct run *run);

    /* A setting with which a step on a whole graph takes less time, "objective=moment", or NULL; and the
     * share of the operations that it then has. NULL: no such setting. */
    const char *(*faster)(double *share, const struct graco_model *model,
                          const struct graph_size *size);
};

/* The method of that name; NULL: the first. GRACO_ERROR_ARGUMENT lists those there are. */
graco_status method_find(const struct method **out, const char *name);

/* Fills *config with a method's general settings and those of the preset, if it has it. */
void method_configure(struct graco_config *config, const struct method *method, const char *preset);

/* A new model of config's method with first weights drawn from its seed. */
graco_status model_create(struct graco_model **out, const struct graco_config *config,
                          int64_t cols);

#endif
