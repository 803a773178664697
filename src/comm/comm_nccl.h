/* Ranks whose messages lie in the memory of GPUs and go from one to the other: NVIDIA's NCCL, found when it
 * is asked for. Nothing of it is needed to build. */
#ifndef COMM_COMM_NCCL_H
#define COMM_COMM_NCCL_H

#include "comm/comm.h"

/* The ranks of `over`, which is borrowed, by messages in the memory of this thread's GPU. A NULL `over` is one
 * rank, which may send to itself. Every rank needs a GPU of its own and calls this. *out is NULL where a rank
 * has no libnccl.so.2; (*out)->free ends it. Messages move on `stream`, a cudaStream_t, from `finish` on, in
 * the order of what else is asked for there; `finish` itself does not wait.
 * GRACO_ERROR_DEVICE, on all ranks, if NCCL fails. */
graco_status comm_nccl_create(struct comm **out, struct comm *over, void *stream);

#endif
