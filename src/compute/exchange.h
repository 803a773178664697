/* What ranks tell each other of a context's buffers: sums, rows of others, and blocks that go round.
 *
 * Where buffers are host memory these are comm's own functions. A device has `peers` beside its comm:
 * a struct comm whose messages lie in the device's memory. There are two kinds. Staged peers copy a
 * message to pinned memory of the host, send it through comm, and copy what came back to the device.
 * NCCL's (comm/comm_nccl.h) send from GPU to GPU; ranks take them where each has a GPU of its own. Both
 * move bytes and add nothing, so a training gets the same bits over either.
 *
 * Every function is called by all ranks, in the same order; a NULL comm is one process, which has
 * nothing to tell. */
#ifndef COMPUTE_EXCHANGE_H
#define COMPUTE_EXCHANGE_H

#include "compute/context.h"

/* Lets a context compute together with the ranks of `comm`, which it borrows; NULL: alone. Steps are not
 * recorded then: messages lie between their kernels. GRACO_ERROR_ARGUMENT where one rank computes on
 * another kind of device than rank 0. context_free ends it. */
graco_status exchange_open(struct context *c, struct comm *comm);
void exchange_close(struct context *c);

/* x (n), a buffer, becomes the sum over the ranks, as comm_sum_floats adds it. On a device it goes
 * through the host: it is short beside the rows, and its order is what fixes the bits. */
graco_status exchange_sum_floats(struct context *c, float *x, int64_t n);
graco_status exchange_sum_doubles(struct context *c, double *x, int64_t n);

/* comm_exchange of a buffer X. `sent` is rows->sent as the device sees it (context_share). */
graco_status exchange_rows(struct context *c, const struct comm_rows *rows, const int32_t *sent,
                           int64_t cols, int views, float *X);

enum { EXCHANGE_ARRAYS = 2 };

/* Arrays of which every rank has a block: `width` numbers for each of its nodes. */
struct exchange_blocks {
    const int64_t *bounds;             /* (ranks + 1) where each rank's nodes begin; host */
    int arrays;                        /* at most EXCHANGE_ARRAYS */
    int64_t width[EXCHANGE_ARRAYS];    /* numbers of a node */
    const float *own[EXCHANGE_ARRAYS]; /* this rank's blocks */
};

/* Shows `visit` the blocks of all ranks: this rank's first, then that of the rank before it, of the one
 * before that, and so on, so the order is the same in every run. Through the host the next block travels
 * while the one before is worked on; NCCL sends it behind that one's kernels. Blocks are buffers, there
 * until the visit returns and its kernels are done. */
graco_status exchange_visit(struct context *c, const struct exchange_blocks *blocks,
                            graco_status (*visit)(void *job, int rank, int64_t nodes,
                                                  const float *const block[EXCHANGE_ARRAYS]),
                            void *job);

#endif
