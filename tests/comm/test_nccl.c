/* Ranks over NCCL, for ranks that are threads and with a library that copies in memory: ranks find each
 * other by the name that the first one makes, messages arrive in their order, a rank's to itself too, and a
 * failure has NCCL's words. compute.nccl is the same with a GPU and the library itself. */
#include "check.h"
#include "comm/comm_nccl.h"
#include "comm_threads.h"

enum { LONG = 1000 };

static int value_of(int from, int to, int i)
{
    return 10000 * from + 1000 * to + i;
}

/* Every rank sends two messages to every one, of different lengths, receiving first. */
static void send_all(struct comm *comm, void *job)
{
    struct comm *peers = NULL;
    int ranks = comm_ranks(comm), rank = comm_rank(comm);
    int64_t counted = comm ? comm->messages : 0, told = comm ? comm->bytes : 0;
    (void)job;
    CHECK_OK(comm_nccl_create(&peers, comm, NULL));
    CHECK(peers && peers->rank == rank && peers->ranks == ranks);
    if (comm) {
        counted = comm->messages;
        told = comm->bytes;
    }
    for (int round = 0; peers && round < 3; round++) {
        static _Thread_local int out[THREAD_RANKS_MOST][LONG], in[THREAD_RANKS_MOST][LONG + 1];
        for (int r = 0; r < ranks; r++) {
            for (int i = 0; i < LONG; i++)
                out[r][i] = value_of(rank, r, i + round);
            CHECK_OK(peers->start(peers, 2,
                                  (struct comm_message[]){
                                      {r, false, in[r], LONG * sizeof(int)},
                                      {r, false, &in[r][LONG], sizeof(int)},
                                  }));
            CHECK_OK(peers->start(peers, 3,
                                  (struct comm_message[]){
                                      {r, true, out[r], LONG * sizeof(int)},
                                      {r, true, out[r], sizeof(int)},
                                      {r, true, out[r], 0},
                                  }));
        }
        peers->move(peers);
        CHECK_OK(peers->finish(peers, 0));
        CHECK_OK(peers->finish(peers, 0)); /* nothing is left */
        for (int r = 0; r < ranks; r++) {
            CHECK(in[r][0] == value_of(r, rank, round) && in[r][LONG] == in[r][0]);
            CHECK(in[r][LONG - 1] == value_of(r, rank, LONG - 1 + round));
        }
    }
    if (comm) {
        CHECK(comm->messages - counted == 3 * 2 * ranks);
        CHECK(comm->bytes - told == 3 * ranks * (LONG + 1) * (int64_t)sizeof(int));
    }
    if (peers)
        peers->free(peers);
}

static void fail(void)
{
    struct comm *peers = NULL;
    char byte = 0, sent = 'x';
    CHECK_OK(comm_nccl_create(&peers, NULL, NULL));
    CHECK_OK(peers->start(peers, 1, &(struct comm_message){7, true, &byte, 1}));
    CHECK(peers->finish(peers, 0) == GRACO_ERROR_DEVICE);
    CHECK(strstr(graco_message(), "NCCL failed: invalid usage (sending and receiving)"));
    CHECK_OK(
        peers->start(peers, 2, (struct comm_message[]){{0, false, &byte, 1}, {0, true, &sent, 1}}));
    CHECK_OK(peers->finish(peers, 0)); /* the group that failed has ended */
    CHECK(byte == 'x');
    peers->free(peers);
}

int main(void)
{
    send_all(NULL, NULL);
    for (int ranks = 2; ranks <= 4; ranks++)
        run_ranks(ranks, send_all, NULL);
    fail();
    return check_result();
}
