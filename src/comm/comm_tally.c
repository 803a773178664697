/* Counts the messages that comm_mpi.c would send, in pieces of its size, and sends none. */
#include "comm/comm_tally.h"

#include "base/memory.h"

static graco_status start(struct comm *comm, int count, const struct comm_message *list)
{
    for (int i = 0; i < count; i++) {
        if (!list[i].sent)
            continue;
        comm->messages += (list[i].bytes + COMM_MESSAGE_MOST - 1) / COMM_MESSAGE_MOST;
        comm->bytes += list[i].bytes;
    }
    return GRACO_OK;
}

static void move(struct comm *comm)
{
    (void)comm;
}

static graco_status finish(struct comm *comm, double seconds)
{
    (void)comm, (void)seconds;
    return GRACO_OK;
}

void comm_tally_init(struct comm *out, int rank, int ranks)
{
    *out =
        (struct comm){.rank = rank, .ranks = ranks, .start = start, .move = move, .finish = finish};
}

void comm_tally_clear(struct comm *comm)
{
    memory_free(comm->scratch);
    *comm = (struct comm){0};
}

bool comm_is_tally(const struct comm *comm)
{
    return comm && comm->start == start;
}
