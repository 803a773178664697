/* The tape itself: where tensors and nodes live, and the way back. Nodes form a list from the last
 * operation to the first; tape_backward walks it once, and gives every buffer back to the context's
 * cache as soon as it is used up. */
#include "tape/tape_node.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* Tensors and nodes are small objects in slabs, which are kept from step to step. */
enum { SLAB_BYTES = 16384 };

struct slab {
    struct slab *next;
    size_t used;
    _Alignas(16) unsigned char bytes[SLAB_BYTES];
};

/* Every tensor is in one list, so that a reset finds those that still hold a buffer. */
struct owned {
    struct owned *next;
    struct tensor tensor;
};

graco_status tape_create(struct tape **out, struct context *context)
{
    struct tape *tape = NULL;
    PASS(memory_zalloc(&tape, 1, sizeof *tape));
    tape->context = context;
    *out = tape;
    return GRACO_OK;
}

void tape_reset(struct tape *tape)
{
    for (struct owned *owned = tape->tensors; owned; owned = owned->next) {
        if (owned->tensor.leaf)
            continue;
        context_give(tape->context, owned->tensor.data);
        context_give(tape->context, owned->tensor.grad);
    }
    for (struct slab *slab = tape->slabs; slab; slab = slab->next)
        slab->used = 0;
    tape->current = tape->slabs;
    tape->tensors = NULL;
    tape->last = NULL;
    tape->reading = 0;
    tape->status = GRACO_OK;
}

void tape_free(struct tape *tape)
{
    if (!tape)
        return;
    tape_reset(tape);
    while (tape->slabs) {
        struct slab *next = tape->slabs->next;
        memory_free(tape->slabs);
        tape->slabs = next;
    }
    memory_free(tape);
}

graco_status tape_status(const struct tape *tape)
{
    return tape->status;
}

struct tensor *tape_fail(struct tape *tape, graco_status status)
{
    if (tape->status == GRACO_OK)
        tape->status = status;
    return NULL;
}

void *tape_object(struct tape *tape, size_t size)
{
    size = (size + 15) / 16 * 16;
    assert(size <= SLAB_BYTES);
    if (tape->current && tape->current->used + size > SLAB_BYTES && tape->current->next)
        tape->current = tape->current->next;
    if (!tape->current || tape->current->used + size > SLAB_BYTES) {
        struct slab *slab = NULL;
        graco_status status = memory_alloc(&slab, 1, sizeof *slab);
        if (status != GRACO_OK)
            return tape_fail(tape, status);
        slab->next = NULL;
        slab->used = 0;
        if (tape->current)
            tape->current->next = slab;
        else
            tape->slabs = slab;
        tape->current = slab;
    }
    void *object = tape->current->bytes + tape->current->used;
    tape->current->used += size;
    return memset(object, 0, size);
}

void *tape_record(struct tape *tape, size_t size,
                  graco_status (*backward)(struct tape *, struct tape_node *), struct tensor *out,
                  struct tensor *const in[3])
{
    tape_fail(tape, context_look(tape->context));
    struct tape_node *node = tape->status == GRACO_OK ? tape_object(tape, size) : NULL;
    if (!node)
        return NULL;
    *node = (struct tape_node){
        .previous = tape->last, .backward = backward, .out = out, .in = {in[0], in[1], in[2]}};
    tape->last = node;
    tape->reading++;
    return node;
}

void tape_settled(struct tape *tape, struct tape_node *node)
{
    node->settled = true;
    tape->reading--;
}

struct tensor *tape_tensor_empty(struct tape *tape, int64_t rows, int64_t cols)
{
    struct owned *owned = tape_object(tape, sizeof *owned);
    if (!owned)
        return NULL;
    owned->next = tape->tensors;
    tape->tensors = owned;
    owned->tensor.rows = rows;
    owned->tensor.cols = cols;
    return &owned->tensor;
}

struct tensor *tape_tensor(struct tape *tape, int64_t rows, int64_t cols)
{
    struct tensor *tensor = tape_tensor_empty(tape, rows, cols);
    if (!tensor)
        return NULL;
    graco_status status = context_take(tape->context, &tensor->data, rows * cols, sizeof(float));
    return status == GRACO_OK ? tensor : tape_fail(tape, status);
}

struct tensor *tape_constant(struct tape *tape, int64_t rows, int64_t cols)
{
    struct tensor *tensor = tape_tensor(tape, rows, cols);
    if (tensor)
        tensor->constant = true;
    return tensor;
}

struct context *tape_context(const struct tape *tape)
{
    return tape->context;
}

struct tensor *tape_parameter(struct tape *tape, int64_t rows, int64_t cols, float *data,
                              float *grad)
{
    struct tensor *tensor = tape_tensor_empty(tape, rows, cols);
    if (!tensor)
        return NULL;
    tensor->leaf = true;
    tensor->data = data;
    tensor->grad = grad;
    tensor->constant = !grad;
    return tensor;
}

void tape_drop(struct tape *tape, struct tensor *X)
{
    if (!X || X->leaf)
        return;
    context_give(tape->context, X->data);
    X->data = NULL;
}

graco_status tape_gradient(struct tape *tape, struct tensor *X, bool *accumulate)
{
    *accumulate = X->grad;
    if (*accumulate) /* of a parameter, what is under way aside comes first */
        return X->leaf ? context_turn(tape->context, TURN_JOIN) : GRACO_OK;
    return context_take(tape->context, &X->grad, X->rows * X->cols, sizeof(float));
}

graco_status tape_gradient_zeroed(struct tape *tape, struct tensor *X)
{
    struct context *context = tape->context;
    size_t bytes = (size_t)(X->rows * X->cols) * sizeof(float);
    bool accumulate = false;
    PASS(tape_gradient(tape, X, &accumulate));
    return accumulate ? GRACO_OK : context->buffers->zero(context, X->grad, bytes);
}

graco_status tape_pass_gradient(struct tape *tape, struct tensor *X, float **buffer)
{
    graco_status status = GRACO_OK;
    if (!X->grad) {
        X->grad = *buffer;
    } else {
        if (X->leaf)
            status = context_turn(tape->context, TURN_JOIN);
        if (status == GRACO_OK)
            status =
                tape->context->kernels->add(tape->context, X->rows * X->cols, X->grad, *buffer);
        context_give(tape->context, *buffer);
    }
    *buffer = NULL;
    return status;
}

/* Takes the last operation off the list, and back. */
static void go_back(struct tape *tape)
{
    struct tape_node *node = tape->last;
    struct tensor *out = node->out;
    tape->last = node->previous;
    tape->reading -= !node->settled;
    /* Without a gradient the result never reached the objective: nothing flows further back. */
    if (!out || out->grad)
        tape->status = node->backward(tape, node);
    tape_fail(tape, context_look(tape->context));
    if (out) {
        context_give(tape->context, out->data);
        context_give(tape->context, out->grad);
        out->data = out->grad = NULL;
    }
}

graco_status tape_backward_drawn(struct tape *tape)
{
    while (tape->reading > 0 && tape->status == GRACO_OK)
        go_back(tape);
    return tape->status;
}

graco_status tape_backward(struct tape *tape)
{
    while (tape->last && tape->status == GRACO_OK)
        go_back(tape);
    return tape->status;
}
