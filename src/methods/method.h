/* A method is to training what a back end is to computing: a table.
 *
 * The training loop, checkpoints, resuming, devices, many graphs and mini-batches belong to train/ and
 * know no method by name. Each step of a training runs on a stage, a whole graph or a mini-batch; a
 * method says what state it needs there, what it draws, and what loss it puts on the tape. One that
 * has no use for a tape makes the step itself. */
#ifndef METHODS_METHOD_H
#define METHODS_METHOD_H

#include "data/dataset.h"
#include "layers/pass.h"

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
    int64_t cols, graphs;          /* columns of the features; graphs that these are the sizes of */
    bool ranks;                    /* several train together */
};

enum {
    METHOD_NEEDS_FEATURES = 1,
    METHOD_NEEDS_TWO_NODES = 2, /* one has nothing to be told apart from */
    METHOD_NEEDS_LABELS = 4,    /* it is supervised */
    METHOD_NO_WEIGHTS = 16,     /* it cannot read weights of edges, and says so if there are some */
    METHOD_PER_NODE = 8,        /* parameters have a row per node: its model serves one graph */
};

enum { RESOLVED_WHY = 160 };

struct shard;

/* What a stage is about. Everything is borrowed, and outlives the stage. */
struct subject {
    struct context *context;
    int64_t nodes;             /* that the loss is about: all, or a mini-batch's roots */
    const struct graph *graph; /* they are its nodes; a mini-batch is drawn from it */
    const struct shard
        *shard; /* of the nodes of all ranks that the loss is about; NULL: no ranks */
    const struct graco_dataset *data; /* where labels are */
    const int32_t *ids; /* (nodes) the data set's numbers of the nodes; NULL: 0, 1, ... */
    const uint8_t
        *part; /* (nodes of the data set) their parts of the split, where labels are needed */
};

struct method {
    const char *name, *help;
    const char *scale;       /* how far it goes, in words */
    const char *reference;   /* who published it, where */
    const char *const *keys; /* settings that it reads beside those of all methods; NULL ends */
    const char *general;     /* its settings for any graph */
    const struct preset *presets; /* a row without a name ends them */
    unsigned needs;               /* of a data set: METHOD_NEEDS_ ... */
    /* Layers of its encoder; NULL: the setting `encoder` says which. */
    const struct layer_kind *kind;
    bool ranks; /* its steps run over several ranks: sums over nodes are all that its loss needs */
    bool
        falls; /* its rate falls over all epochs, so that a resumed training cannot have another number */
    bool pairs; /* a step on one of many graphs also sees another one, drawn at random */
    int views; /* versions of the graph that its encoder runs over at once; 0: it has no encoder, and
                  its stages have neither features nor views */

    /* Whether the settings fit together; GRACO_ERROR_ARGUMENT says what is wrong. NULL: always. */
    graco_status (*check)(const struct graco_config *config);

    /* Declares the parameters. Before it calls encoder_declare it may change what the model gives:
     * model->inner, width and linear_end. */
    void (*declare)(struct graco_model *model);

    /* Fills the parameters that are found and not learnt, before the first epoch, from rows nodes[0 .. count) of the
     * prepared features, or from all where nodes is NULL. The context is the CPU's. NULL: there are none. */
    graco_status (*fit)(struct graco_model *model, struct context *context,
                        const struct features *X, const int32_t *nodes, int64_t count);

    /* Makes what a stage needs beside its views, and frees it. */
    graco_status (*prepare)(void **state, const struct graco_model *model,
                            const struct subject *subject);
    void (*release)(void *state);

    /* Steps of an epoch on a whole graph; NULL: one. With `roots`, mini-batches of an epoch. */
    int64_t (*steps)(const struct graco_model *model, const struct graph *graph);

    /* The same where the labels of the first graph decide, from its state. NULL: `steps` says. */
    int64_t (*steps_on)(const void *state);

    /* The distinct nodes that the mini-batch of a step is about, a new array; called from any thread.
     * NULL: all nodes have their turn once an epoch. */
    graco_status (*roots)(int32_t **roots, int64_t *count, const struct graco_model *model,
                          const struct graph *graph, uint32_t step);

    /* A step: what the host draws, which a recorded step asks for again each time (NULL: nothing);
     * what the device draws (NULL: nothing); the forward pass, ended by a loss on the tape. */
    void (*draw_host)(void *state, const struct graco_model *model, uint32_t step);
    graco_status (*draw)(struct pass *pass);
    /* `draw` changes nothing but views: the next step's may be drawn while a step ends. */
    bool draws_views;
    void (*loss)(struct pass *pass, void *state);

    /* In place of these three and of Adam: the whole step pass->step on the host, which changes
     * pass->value, the model's parameters, itself. NULL: there is a tape. */
    graco_status (*step)(struct pass *pass, void *state);

    /* The cost after an epoch, by which the best one is chosen: a forward pass that does not train,
     * over a stage of all the data; *cost is there after context_finish. NULL: the mean loss of the
     * epoch's steps, which belongs to the parameters before the last of them. */
    graco_status (*validate)(double *cost, struct pass *pass, void *state);

    /* With patience, the cost is that of the embeddings' structure (train/stopping.h), every so many epochs,
     * and belongs to the parameters of then. */
    bool structured;

    /* The rows of both views that the loss contrasts, of length one; NULL: it contrasts no views. */
    struct tensor *(*contrasted)(struct pass *pass);

    /* What the last step came to, after context_finish. */
    struct outcome (*outcome)(const void *state);

    /* Z (nodes, model->width) on the host: the whole graph embedded by a trained model. */
    graco_status (*embed)(float *Z, struct pass *pass);

    /* Decides what `auto` means for objective, width and epochs, and writes why; whichever have other values
     * stay. NULL: the start values and the general number of epochs. */
    void (*resolve)(char why[RESOLVED_WHY], struct graco_config *config,
                    const struct graph_size *size);

    /* A setting with which a step on a whole graph takes less time, "objective=moment", or NULL; and the
     * share of the operations that it then has. NULL: no such setting. */
    const char *(*faster)(double *share, const struct graco_model *model,
                          const struct graph_size *size);
};

/* The method of that name; NULL: the first. GRACO_ERROR_ARGUMENT lists those there are. */
graco_status method_find(const struct method **out, const char *name);

/* Where a method computes if `device` is asked for: one that has no tape knows the CPU alone, and
 * GRACO_ERROR_ARGUMENT says so to who wants another device by name. */
graco_status method_backend(const struct backend **out, const struct method *method,
                            const char *device);

/* GRACO_ERROR_ARGUMENT if the data set lacks what the method needs, or has what it cannot read. */
graco_status method_check_data(const struct method *method, const struct graco_dataset *data);

/* Fills *config with a method's general settings and those of the preset, if it has it. */
void method_configure(struct graco_config *config, const struct method *method, const char *preset);

/* Sets what the configuration implies and declares the parameters, before there is memory for them.
 * `sizes` may hold more than the method reads: the rest becomes 0. */
graco_status model_declare(struct graco_model *model, const struct graco_config *config,
                           struct model_sizes sizes);

/* A new model of config's method with first weights drawn from its seed. */
graco_status model_create(struct graco_model **out, const struct graco_config *config,
                          struct model_sizes sizes);

/* What a model for this data set is made for. */
struct model_sizes model_sizes_of(const struct graco_dataset *data);

/* GRACO_ERROR_ARGUMENT if the data set has other sizes than the one that the model, which messages
 * call `who`, was made for. */
graco_status model_check(const struct graco_model *model, const struct graco_dataset *data,
                         const char *who);

/* Fills `words` with what differs between the data sets of two fingerprints, as far as it counts for a training by
 * a method, which may be NULL: the split does for inductive and supervised ones, labels for the latter alone. "":
 * nothing, or `was` is NULL. */
void method_differences(char words[GRACO_DIFFERENCES], const struct method *method, bool inductive,
                        const char *was, const char *found);

/* The same between a data set and the one that a model was trained on. Costs a fingerprint. */
graco_status method_compare(char words[GRACO_DIFFERENCES], const struct graco_model *model,
                            const struct graco_dataset *data);

#endif
