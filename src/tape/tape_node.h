/* What the operations of the tape share; private to src/compute/. */
#ifndef TAPE_TAPE_NODE_H
#define TAPE_TAPE_NODE_H

#include "tape/tape.h"

struct tape {
    struct context *context;
    graco_status status;
    struct tape_node *last;
    struct slab *slabs; /* small objects: tensors, nodes */
    struct slab *current;
    struct buffer *buffers; /* device buffers in use, by tensor or node */
};

/* One recorded operation. Every operation's own struct begins with it. */
struct tape_node {
    struct tape_node *previous;
    graco_status (*backward)(struct tape *tape, struct tape_node *node);
    struct tensor *out;
    struct tensor *in[3];
};

/* A zeroed object that lives until the reset; NULL on failure, which the tape remembers. */
void *tape_object(struct tape *tape, size_t size);

/* A node of `size` bytes, linked in. */
void *tape_record(struct tape *tape, size_t size,
                  graco_status (*backward)(struct tape *, struct tape_node *));

/* A tensor with a buffer from the pool, or without one. */
struct tensor *tape_tensor(struct tape *tape, int64_t rows, int64_t cols);
struct tensor *tape_tensor_empty(struct tape *tape, int64_t rows, int64_t cols);

/* Remembers a failure and returns NULL. */
struct tensor *tape_fail(struct tape *tape, graco_status status);

/* The tensor's gradient for adding to: *started says whether it holds anything yet (if not, the
 * caller must overwrite). */
graco_status tape_gradient(struct tape *tape, struct tensor *X, bool *started);

/* Whether a product into Y can do its ending itself, and then the whole of it. */
bool tape_fuses(const struct ending *end, const struct tensor *Y, struct activation *after);

/* The ending of X, which the product has done already or not; X itself where there is none. */
struct tensor *tape_end(struct tape *tape, const struct ending *end, struct tensor *X, bool done);

/* Moves a gradient buffer that is no longer needed to X, or adds it to what X has. Takes *buffer
 * over. */
graco_status tape_pass_gradient(struct tape *tape, struct tensor *X, float **buffer);

#endif
