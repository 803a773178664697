/* Ranks: processes that train one model together, each on rows of its own.
 *
 * Every function here but comm_world is called by all ranks, in the same order. What they do is built
 * from messages between two ranks: a struct comm is a table that moves messages, and knows nothing
 * else. One process alone has no table: its comm is NULL, every function accepts that, and costs a
 * test of a pointer. Ranks are those of MPI (comm_mpi.c); comm_tally.c counts
 * without sending, and a GPU's memory has comms of its own (compute/exchange.h).
 *
 * Sums are added in the order of the ranks, in double. So every rank gets the same bits, and gets them
 * again in another run with as many ranks. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { COMM_MESSAGE_MOST = 1 << 30 }; /* bytes that MPI moves at once: it counts in int */

struct comm_message {
    int peer;
    bool sent; /* by this rank; else received */
    void *data;
    int64_t bytes; /* 0: there is no message, on either side */
};

struct comm {
    int rank, ranks;
    int here; /* this rank's number among those of its machine */
    /* Begins to move messages, whose memory the caller leaves alone until `finish`. Those between two
     * ranks arrive in the order in which they were started. */
    graco_status (*start)(struct comm *comm, int count, const struct comm_message *list);
    /* Lets what was started move on for a moment, while the caller computes. */
    void (*move)(struct comm *comm);
    /* Waits for all that was started, at most `seconds` unless they are 0: GRACO_ERROR_IO names a
     * rank that has not answered by then. */
    graco_status (*finish)(struct comm *comm, double seconds);
    /* A rank calls rank 0, which need not expect it, and rank 0 asks whether any has called since it asked
     * last. NULL: nobody calls. */
    void (*call)(struct comm *comm);
    bool (*called)(struct comm *comm);
    void (*free)(struct comm *comm); /* NULL: nobody ends it */
    void *self;
    double waited;           /* seconds in `finish` so far */
    int64_t messages, bytes; /* sent by this rank so far */
    void *scratch;           /* of sums and rows */
    int64_t scratch_bytes;
};

/* The ranks of this program; NULL: it is alone. Which file defines it decides how programs
 * communicate: comm_alone.c in the library, comm_mpi.c in graco-mpi. */
struct comm *comm_world(void);

/* This process's number, from 0, and how many there are. */
int comm_rank(const struct comm *comm);
int comm_ranks(const struct comm *comm);

/* x (n) becomes the sum over the ranks. */
graco_status comm_sum_floats(struct comm *comm, float *x, int64_t n);
graco_status comm_sum_doubles(struct comm *comm, double *x, int64_t n);

/* A turn of the ring: sends `out` to the rank `distance` after this one, and receives `in` from the one
 * as far before it. Both are in use until comm_finish, which waits for every turn that was started;
 * comm_move between pieces of work keeps them moving. */
graco_status comm_shift_start(struct comm *comm, int distance, const void *out, int64_t out_bytes,
                              void *in, int64_t in_bytes);
void comm_move(struct comm *comm);
graco_status comm_finish(struct comm *comm);

/* `bytes` of rank 0 to all others. */
graco_status comm_broadcast(struct comm *comm, void *data, int64_t bytes);

/* The same from any rank. */
graco_status comm_broadcast_from(struct comm *comm, int rank, void *data, int64_t bytes);

/* `bytes` of one rank into `data` of rank 0; for the other ranks, and from rank 0, nothing happens. */
graco_status comm_collect(struct comm *comm, int rank, void *data, int64_t bytes);

/* Sends items start[r] .. start[r + 1] - 1 of `out`, of `size` bytes each, to rank r, its own to itself.
 * *in, a pointer that the caller owns, gets those that were sent here, in the order of the ranks: rank
 * r's begin at in_start[r] (ranks + 1). */
graco_status comm_swap(void *in, int64_t *in_start, struct comm *comm, const void *out,
                       const int64_t *start, int64_t size);

/* Whether to stop: *stop, what this rank wants, becomes what all do. They stop if one wants to. Rank 0 is
 * heard at once, another when its call has come: so asking costs no more than a broadcast. */
graco_status comm_stop(struct comm *comm, bool *stop);

/* Returns when all ranks have called it. GRACO_ERROR_IO after so many seconds, which names a rank that
 * has not; 0: waits for ever. */
graco_status comm_barrier(struct comm *comm, double seconds);

/* Fails on all ranks where it has failed on one, with the message of the first that has. */
graco_status comm_agree(struct comm *comm, graco_status status);

/* Which rows each rank reads of the others: the plan of an exchange. Rows of the whole matrix are
 * divided into ranges, one for each rank. */
struct comm_rows {
    int64_t own, others; /* rows of this rank, and rows of others that it reads */
    int64_t *sent_start; /* (ranks + 1) */
    int32_t *sent; /* rows of this rank, from 0: those that rank r reads begin at sent_start[r] */
    int64_t *received_start; /* (ranks + 1) the rows that rank r owns, among the others */
};

/* Makes the plan: rank r owns the rows bounds[r] .. bounds[r + 1] - 1 of the whole, and this one reads
 * rows[0 .. count), ascending, none of them its own. The caller frees it with comm_rows_clear. */
graco_status comm_rows_init(struct comm_rows *out, struct comm *comm, const int64_t *bounds,
                            const int32_t *rows, int64_t count);
void comm_rows_clear(struct comm_rows *rows);

/* Begins to fill the others' rows, `others` (rows->others, cols), and to send this rank's, `own`
 * (rows->own, cols), which may change again at once: what is sent was copied. comm_finish ends it, and
 * comm_move between pieces of work keeps it moving. One exchange at a time, and no sum meanwhile: both
 * use the same scratch memory. */
graco_status comm_exchange_start(struct comm *comm, const struct comm_rows *rows, int64_t cols,
                                 const float *own, float *others);

/* The same, waited for, in a matrix X (own + others, cols) that has the others' rows behind its own. */
graco_status comm_exchange(struct comm *comm, const struct comm_rows *rows, int64_t cols, float *X);

#endif
