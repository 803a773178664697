/* The tally: a back end that takes memory and computes nothing, in place of a real one.
 *
 * A training that runs on it goes through all of its own code, so what it asks for is what the real
 * training will ask for: no formula is written twice. Buffers are addresses without memory behind them.
 * Kernels add their work to a sum; where the real back end is on the host they are then called with
 * their loops left out, so that they take and give back their own scratch memory too. */
#ifndef COMPUTE_TALLY_H
#define COMPUTE_TALLY_H

#include "compute/context.h"
#include "compute/work.h"

enum { TALLY_SHARES = 64 };

/* Views that keep a share of their edges: known by the drawn bytes, then by the counts of kept ones. */
struct tally_share {
    const void *what;
    double share;
};

struct tally {
    struct backend backend; /* for contexts; it stands first, so that kernels find the tally */
    const struct backend *inner;
    struct kernels kernels;
    struct work_units work;
    bool again; /* the same kernel runs again and again, so its operands are where it left them */
    double
        around; /* bytes that such a kernel's runs go through in turn; 0: each takes what the last one took */
    char *base; /* addresses */
    size_t room, used;
    int64_t reserved;               /* host memory that is taken in name alone */
    int64_t copied;                 /* bytes that uploads have put behind addresses */
    int64_t looked;                 /* bytes taken since the process was last looked at */
    int64_t host_peak, device_peak; /* bytes at most so far; those of the process on the host */
    struct tally_share shares[TALLY_SHARES];
    int next_share;
};

/* Stands in for `inner`. GRACO_ERROR_MEMORY if the system does not give so many addresses. */
graco_status tally_init(struct tally *tally, const struct backend *inner);
void tally_clear(struct tally *tally);

/* An address in place of a block of host memory, which counts as if all of it were used. */
graco_status tally_reserve(struct tally *tally, void *out, int64_t count, size_t size);

/* Looks at what the process has: at the end of a part of the work, in which host memory may have come
 * and gone. `context` may be NULL. */
void tally_look(struct tally *tally, const struct context *context);

/* How many bytes a step touches between two uses of an operand of so many. */
double tally_around(const struct context *context, double bytes);

/* Counts bytes that are read or written in order and that each step uses once, such as gradients. */
void tally_stream(struct context *context, double bytes);

/* Remembers the share of ones among drawn numbers, or of entries that count, by their address; and says it: 1 where
 * none is known. */
void tally_remember(struct tally *tally, const void *what, double share);
double tally_share(const struct tally *tally, const void *what);

/* Entries of a matrix that count. */
double tally_entries(const struct tally *tally, const struct sparse *matrix);

/* What the CPU does otherwise than devices; nothing is counted where the device is not the host. tally_host_gemm adds
 * what a sum that is cut reads again. tally_host_stripes counts a product that goes by stripes, if this one
 * does. tally_host_pass says how one that does not goes through its entries: how often, and how many bytes of a
 * row of X it reads before it comes back to another entry's. */
struct tally_pass {
    double count, bytes;
};
void tally_host_gemm(struct context *context, const struct gemm *g);
bool tally_host_stripes(struct context *context, const struct spmm *s);
struct tally_pass tally_host_pass(const struct context *context, const struct spmm *s);

/* Take the scratch memory of a device's kernels and give it back; where the device is the host, the
 * kernels themselves do. Sums over thread blocks, which are small, are left out. */
graco_status tally_device_contrast(struct context *context, const struct contrast *s,
                                   bool backward);
graco_status tally_device_moment(struct context *context, const struct moment *s, bool backward);
graco_status tally_device_reconstruct(struct context *context, const struct reconstruction *s);

/* The kernels of tally_kernels.c. */
extern const struct kernels tally_kernels;

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
