/* Sampling ahead of the computation, on a thread of its own.
 *
 * Training takes one sample per step. An epoch goes once through the training nodes in an order
 * that is shuffled by (seed, RANDOM_ORDER, epoch); step s is batch s % n of epoch s / n, where n =
 * ceil(count / batch) is the number of steps in an epoch, whose last batch may be smaller. What would be
 * a last batch of fewer than `least` roots belongs to the one before it, and n is one less. A
 * sample is a function of the seed and the step, so neither the thread nor the step at
 * which a run is resumed changes a bit. */
#ifndef TRAIN_PREFETCH_H
#define TRAIN_PREFETCH_H

#include "graph/sampler.h"

enum { PREFETCH_AHEAD = 1024 };

struct prefetch_options {
    const struct graph *graph; /* borrowed: only its incoming rows are read */
    int hops;
    const int64_t *fanout; /* (hops) copied; see sampler.h */
    uint64_t seed;
    const int32_t *roots; /* (count) borrowed: distinct nodes, each a root once an epoch */
    int64_t count;        /* at least 1 */
    int64_t batch;        /* roots of a step, at least 1 */
    int64_t least;        /* roots that a step must have; 0 or 1: any number will do */
    /* Who says the roots of a step, in a new array, in place of batches of `roots`; from any thread. */
    graco_status (*draw)(int32_t **roots, int64_t *count, const void *owner, uint32_t step);
    const void *owner;
    int64_t first_step; /* where a resumed run goes on */
    bool thread;        /* without it prefetch_next samples in the caller's */
    int ahead;          /* samples that may be ready before they are asked for, at least 1 */
};

struct prefetch;

/* Starts the thread, which samples forever: there is no last step. What the options borrow must
 * live until prefetch_free. It holds 8 bytes per node of the graph and 4 per training
 * node; ahead + 1 samples are kept. GRACO_ERROR_ARGUMENT names an option that makes no sense,
 * GRACO_ERROR_MEMORY also says that the system refused a thread. */
graco_status prefetch_create(struct prefetch **out, const struct prefetch_options *options);

/* Waits for the next step's sample. *out stays valid until the next call. If drawing it failed, its
 * status and message are returned, now and by every later call. One thread only. */
graco_status prefetch_next(struct prefetch *prefetch, const struct sample **out);

/* Waits until the thread has ended what it draws. Accepts NULL. */
void prefetch_free(struct prefetch *prefetch);

/* Steps in an epoch. */
int64_t prefetch_steps(int64_t count, int64_t batch, int64_t least);

#endif
