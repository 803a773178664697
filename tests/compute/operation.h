/* A case of the table of operations, and what it needs besides its inputs. */
#ifndef TESTS_COMPUTE_OPERATION_H
#define TESTS_COMPUTE_OPERATION_H

#include "graph/view.h"
#include "tape/tape_node.h"

enum { INPUTS = 3, SIDE_MAX = 64, GRAPHS = 4 };

struct setting;

/* Builds the operation from its inputs; returns the result, or NULL after an objective. */
typedef struct tensor *build_fn(struct tape *tape, struct setting *s, struct tensor *in[INPUTS]);

/* The rows that an objective meets. */
enum rows_kind {
    ROWS_MIXED,     /* drawn and propagated: all differ, none is zero */
    ROWS_PLAIN,     /* drawn, the input's own */
    ROWS_ZERO,      /* the same, but one is zero, in one view alone */
    ROWS_ZERO_NODE, /* one node's are, in both views */
    ROWS_ZEROS,     /* a third of the first view's, a half of the second's */
    ROWS_ALL_ZERO,
    ROWS_TWINS, /* two nodes are alike, and so are one node's two rows */
    ROWS_ALIKE, /* all are the same */
};

struct operation {
    const char *name;
    build_fn *build;
    int64_t shape[INPUTS][2]; /* of the inputs; 0: none */
    int kind;                 /* an activation, or a variant */
    bool differences;         /* small and smooth enough for finite differences */
};

/* What an operation needs besides its inputs, the same for both back ends. */
struct setting {
    const struct operation *op;
    enum rows_kind rows; /* of an objective */
    struct sparse_map map;
    struct dense_map dense;
    struct contrast contrast;
    struct moment moment;
    struct reconstruction reconstruction;
    struct gaussian gaussian;
    struct classification classification;
    struct pairs pairs[2];
    struct agreement agreement;
    double pairs_loss;
    struct row_list list;
    struct segments segments;
    bool objective;
    const double *loss; /* of an objective */
    int64_t *start[2];
    int32_t *index[2];
    float *value[2], *scale, *mask;
    float *X;
    struct graph *graph; /* with weights */
    struct views *views; /* of it, on the device */
    int32_t sample[SIDE_MAX];
    int64_t graph_start[GRAPHS + 1];
};

static inline float draw(uint32_t stream, int64_t element)
{
    struct random_key key = {.seed = 11, .stream = stream};
    return 2 * random_float(&key, (uint64_t)element) - 1;
}

#endif
