/* The context: one device with its threads, and the cache of its buffers. Every kernel is called
 * through it: context->kernels->gemm(context, ...). Not for use by two threads at once. */
#ifndef COMPUTE_CONTEXT_H
#define COMPUTE_CONTEXT_H

#include "comm/comm.h"
#include "compute/backend.h"

struct buffer_cache;

/* What dense products multiply; they add up in float32 always. The CPU knows float32 and, in the exact
 * objective, bf16. */
enum precision {
    PRECISION_FP32, /* float32 throughout */
    PRECISION_TF32, /* operands rounded to 10 bits */
    PRECISION_FP16, /* the same; the exact objective's operands in half precision */
    PRECISION_BF16, /* the same; the exact objective's operands with the range of float32 and 7 bits */
};

/* Whoever waits for long work: told how far it is, and asked whether it shall go on. Between operations
 * and between tiles, from the thread that asked for the work. */
struct watch {
    bool (*go_on)(void *owner); /* called often: must be quick; NULL: go on */
    void *owner;
    double share; /* of the tiles of the step under way that is done; 0 where it has none */
    double since; /* when those tiles began */
    /* When the first of them was done that takes no memory for the first time, which is slow, and the
     * share then; 0: none is. */
    double warm, warm_share;
};

struct context {
    const struct backend *backend;
    /* The back end's tables. */
    const struct buffers *buffers;
    const struct kernels *kernels;
    const struct recorder *recorder; /* NULL: it cannot record */
    int threads;
    int64_t tile_budget; /* bytes that kept tiles may fill */
    enum precision precision;
    struct buffer_cache *cache;
    int64_t bytes, most_bytes; /* of all buffers, in use or not: now, and at most so far */
    int64_t trims;             /* how often the cache gave buffers back to the system */
    bool apart;                /* see context_apart */
    void *device;              /* the back end's own state */
    /* Called when the device has no memory left: its owner gives back what it can do without. NULL:
     * nobody has such a thing. Not where buffers are host memory. */
    void (*relieve)(void *owner);
    void *owner;
    struct watch watch;
    struct comm *comm; /* the ranks that compute together; NULL: this one is alone */
    /* The same ranks by messages in the device's memory: see exchange.h. NULL where that is the host's. */
    struct comm *peers;
    unsigned char device_id[DEVICE_ID_BYTES]; /* zeros where buffers are host memory */
};

graco_status context_create(struct context **out, const struct backend *backend, int64_t threads,
                            int64_t tile_budget);
void context_free(struct context *context);

/* Waits until the device reads no memory of the host any more, and all reports of kernels, such as a loss, are
 * there. All that was asked of it is done by then, except the end of a replayed step; what is asked for next runs
 * after that. Returns failures that the device noticed late. */
graco_status context_finish(struct context *context);

/* GRACO_STOPPED if whoever watches does not want the work to go on. */
graco_status context_look(const struct context *context);

/* Takes a buffer of count * size bytes from the cache, and gives it back: once every size has been
 * seen, a step allocates nothing. `out` is a pointer of any type; give accepts NULL. */
graco_status context_take(struct context *context, void *out, int64_t count, size_t size);
void context_give(struct context *context, void *block);

/* A step in which a device may work in two queues: on a small graph kernels are so short that what they wait for takes
 * longer than they do. Between the two calls context_turn sends to the side queue what the rest of the step does not
 * wait for. Until context_together no buffer is used twice: those that are given back are held. Where there is one
 * queue, or once a step has taken so much memory that its kernels are long, none of this has an effect. */
graco_status context_apart(struct context *context);
graco_status context_together(struct context *context);

static inline graco_status context_turn(struct context *context, enum turn turn)
{
    return context->apart ? context->backend->turn(context, turn) : GRACO_OK;
}

/* A device's view of a host array: the array itself where buffers are host memory, else a copy in a
 * buffer of the cache. Ends with context_unshare. */
graco_status context_share(struct context *context, void *out, const void *host, int64_t count,
                           size_t size);
void context_unshare(struct context *context, const void *shared);

#endif
