/* A pass of an encoder over a graph, and the operations that layers are written in.
 *
 * It has two ways. Whole: a layer's output is computed for all its rows at once, on the tape, for one
 * or two views; a mini-batch's hops are whole too, each with fewer rows than the one before. In chunks,
 * for inference (see chunks.h): rows come CHUNK_ROWS at a time, over all neighbours, nothing is kept for
 * a way back, and memory grows with the nodes by two matrices alone. */
#ifndef LAYERS_PASS_H
#define LAYERS_PASS_H

#include "graph/view.h"
#include "layers/input.h"
#include "layers/model.h"
#include "tape/tape.h"

struct chunks;

struct pass {
    const struct graco_model *model;
    struct tape *tape;
    struct input *input;             /* the features */
    int hops;                        /* 1: a whole graph, whose views serve every layer */
    struct views *views[LAYERS_MAX]; /* (hops) from the roots outward */
    int64_t graphs;                  /* that are stacked in the graph; 0: it is one */
    const int64_t *start;            /* (graphs + 1) on the device: their first nodes */
    float *value;                    /* the model's parameters on the device */
    float *grad;                     /* their gradients, or NULL outside training */
    bool training;
    double dropout; /* share of the numbers that each layer reads which a training drops out */
    uint32_t step;  /* keys what a pass draws itself */
    struct tensor *before[LAYERS_MAX]; /* (befores) what earlier layers gave, or their sum */
    int befores;
    struct chunks *chunks; /* NULL: whole */
    struct pass *other; /* over another graph, for a method that wants one; NULL: there is none */
};

/* The views of layer k, 1 .. layers; those of the first have the masks of the features. */
const struct views *pass_views(const struct pass *pass, int64_t k);

/* Parameter `name` with that number (0: none), and `rows` of its rows from `first` on. */
struct tensor *pass_parameter(const struct pass *pass, const char *name, int64_t number);
struct tensor *pass_parameter_rows(const struct pass *pass, const char *name, int64_t number,
                                   int64_t first, int64_t rows);

/* The bias and activation that layer k ends with. */
struct ending pass_ending(const struct pass *pass, int64_t k);

/* M_k (H W), ended by `end` unless NULL; H is NULL for the features. */
struct tensor *pass_propagate(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                              const struct ending *end);

/* Y + H W for the rows that layer k gives, in place of Y; H is NULL for the features. */
struct tensor *pass_add_product(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                                struct tensor *Y);

/* H W for the rows that layer k gives; H is NULL for the features. */
struct tensor *pass_product(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W);

/* H W for the rows that layer k reads, ended by `end` unless NULL: what goes to its targets, other than
 * by pass_propagate. And the sources of each of these, NULL after a failure. In chunks there is one of
 * both for a layer, and what is sent is NULL at first. */
struct tensor *pass_send(struct pass *pass, int64_t k, struct tensor *H, struct tensor *W,
                         const struct ending *end);
const struct segments *pass_segments(struct pass *pass, int64_t k);

/* X W for the rows that layer k reads. */
struct tensor *pass_features(struct pass *pass, int64_t k, struct tensor *W);

#endif
