/* Threads, time and memory of this process.
 *
 * threads_run shares a loop between the calling thread and workers, threads that wait for such loops
 * and that the whole process has in common. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How many threads to use when `wanted` are asked for; 0 or less: one per core of this process. */
int threads_count(int64_t wanted);

/* Items first .. last - 1 of a loop, and the seat of the thread that works on them: 0 for the
 * caller, below `threads` for workers. No two threads of a loop have the same seat at a time, so a
 * seat may have scratch memory of its own. */
struct threads_piece {
    int64_t first, last;
    int seat;
};

typedef void threads_body(void *job, struct threads_piece piece);

/* Calls body(job, ...) for the items 0 .. count - 1, cut into pieces of `size` items (the last may
 * have fewer), and returns when all are done. At most `threads` threads work on them: the caller
 * and whichever workers are idle, so it may be the caller alone. Which thread takes which piece,
 * and when, is left open: what a body computes may depend on its piece alone. A body may call
 * threads_run itself. Costs about a microsecond: choose `size` so that a piece takes longer. */
void threads_run(int threads, int64_t count, int64_t size, threads_body *body, void *job);

/* While `skip` is true the loops that this thread asks for are not run, as if they had no items: for
 * who wants to know what memory a kernel takes, and not what it computes. */
void threads_skip(bool skip);

/* Work that its caller may stop. While a thread watches, it asks between the pieces of its loops, at most ten times a
 * second, whether to go on; after a no the rest of this loop and all later ones are left out, and what they compute is
 * worth nothing. So whoever uses the results of a loop to find places in memory, or ends with them, looks first. */
struct threads_watch {
    graco_share_fn *go_on; /* asked on the thread that watches; its share is not known: NaN */
    void *user;
    double asked;
    atomic_bool stopped;
    struct threads_watch *before; /* what the thread watched until then */
};

/* Fills *watch and watches until threads_unwatch. A `go_on` of NULL changes nothing. */
void threads_watch(struct threads_watch *watch, graco_share_fn *go_on, void *user);
void threads_unwatch(const struct threads_watch *watch);

/* Asks, as said above, whoever watches; whether nobody said no. */
bool threads_ask(struct threads_watch *watch);

/* Whether nobody said no; for a long piece of a loop, on any thread, and for long work without loops. */
bool threads_go_on(void);

/* GRACO_STOPPED if the watch of this thread was answered no. */
graco_status threads_look(void);

/* Seconds on a clock that never goes backwards. */
double threads_seconds(void);

/* The same clock to a few milliseconds, for a fraction of the time. */
double threads_seconds_roughly(void);

/* Seconds that the calling thread has spent on a core. */
double threads_own_seconds(void);

#endif
