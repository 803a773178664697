/* The tally: a back end for dry runs, which takes memory in name alone and computes nothing.
 *
 * A training that runs on it goes through all of its own code, so what it asks for is what the real
 * training will ask for: no formula is written twice. Buffers are addresses without memory behind them.
 * Where the real back end is on the host its kernels are called with their loops left out, so that they
 * take and give back their own scratch memory too. */
#ifndef COMPUTE_TALLY_H
#define COMPUTE_TALLY_H

#include "compute/context.h"

struct tally {
    struct backend backend; /* for contexts; it stands first, so that kernels find the tally */
    const struct backend *inner;
    struct kernels kernels;
    char *base; /* addresses */
    size_t room, used;
    int64_t reserved;               /* host memory that is taken in name alone */
    int64_t copied;                 /* bytes that uploads have put behind addresses */
    int64_t looked;                 /* bytes taken since the process was last looked at */
    int64_t host_peak, device_peak; /* bytes at most so far; those of the process on the host */
};

/* Stands in for `inner`. GRACO_ERROR_MEMORY if the system does not give so many addresses. */
graco_status tally_init(struct tally *tally, const struct backend *inner);
void tally_clear(struct tally *tally);

/* An address in place of a block of host memory, which counts as if all of it were used. */
graco_status tally_reserve(struct tally *tally, void *out, int64_t count, size_t size);

/* Looks at what the process has: at the end of a part of the work, in which host memory may have come
 * and gone. `context` may be NULL. */
void tally_look(struct tally *tally, const struct context *context);

/* The kernels of tally_kernels.c, and in their place those that take scratch memory on a device: sizes
 * are those of the real ones, without sums over thread blocks, which are small. */
extern const struct kernels tally_kernels;
void tally_device_kernels(struct kernels *kernels);

static inline struct tally *tally_of(const struct context *c)
{
    return (struct tally *)c->backend;
}

/* Whether an address is the tally's. */
static inline bool tally_owns(const struct tally *t, const void *p)
{
    return (const char *)p >= t->base && (const char *)p < t->base + t->room;
}

#endif
