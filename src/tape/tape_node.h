/* What the operations of the tape share; private to src/tape/. */
#ifndef TAPE_TAPE_NODE_H
#define TAPE_TAPE_NODE_H

#include "tape/tape.h"

struct tape {
    struct context *context;
    graco_status status;
    struct tape_node *last;
    int reading; /* nodes of the list that may read what the step has drawn */
    struct slab *slabs, *current;
    struct owned *tensors;
};

/* One recorded operation. Every operation's own struct begins with it. */
struct tape_node {
    struct tape_node *previous;
    graco_status (*backward)(struct tape *tape, struct tape_node *node);
    struct tensor *out; /* NULL after an objective */
    struct tensor *in[3];
    bool settled; /* its way back reads nothing that the step has drawn: see tape_backward_drawn */
};

/* A zeroed object that lives until the reset; NULL on failure, which the tape remembers. */
void *tape_object(struct tape *tape, size_t size);

/* A node of `size` bytes with its result and operands, linked in; NULL if the tape has failed. */
void *tape_record(struct tape *tape, size_t size,
                  graco_status (*backward)(struct tape *, struct tape_node *), struct tensor *out,
                  struct tensor *const in[3]);

/* Says of a node just recorded that its way back reads operands and parameters alone. */
void tape_settled(struct tape *tape, struct tape_node *node);

/* A tensor with a buffer from the context's cache, or without one. */
struct tensor *tape_tensor(struct tape *tape, int64_t rows, int64_t cols);
struct tensor *tape_tensor_empty(struct tape *tape, int64_t rows, int64_t cols);

/* Makes sure that X has a gradient. *accumulate says whether the caller must add to it; if not, it
 * holds nothing yet, and the caller must overwrite all of it. */
graco_status tape_gradient(struct tape *tape, struct tensor *X, bool *accumulate);

/* The same, with zeros where it held nothing: the caller may add to any part. */
graco_status tape_gradient_zeroed(struct tape *tape, struct tensor *X);

/* Whether a product into Y can apply the ending itself; then *after is what it must do. */
bool tape_fuses(const struct ending *end, const struct tensor *Y, struct activation *after);

/* X with the ending applied, which the product may have `done` already; X itself where there is
 * none. */
struct tensor *tape_end(struct tape *tape, const struct ending *end, struct tensor *X, bool done);

/* Hands a gradient on to X: X takes the buffer over, or adds it to the gradient that it has.
 * *buffer becomes NULL. */
graco_status tape_pass_gradient(struct tape *tape, struct tensor *X, float **buffer);

#endif
