/* Collective operations from messages between two ranks.
 *
 * A sum is cut into one segment per rank. Each rank gets its segment from all others, adds them in the
 * order of the ranks and sends the result to all: 2 (P - 1) / P times the array each way, and the same
 * bits everywhere. A broadcast is a binomial tree, a barrier a round of ever longer steps. */
#include "comm/comm.h"

#include "graco_command.h"
#include "base/memory.h"
#include "base/share.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 }; /* of a message about a failure */

int comm_rank(const struct comm *comm)
{
    return comm ? comm->rank : 0;
}

int comm_ranks(const struct comm *comm)
{
    return comm ? comm->ranks : 1;
}

int graco_rank(void)
{
    return comm_rank(comm_world());
}

int graco_ranks(void)
{
    return comm_ranks(comm_world());
}

static graco_status need_scratch(struct comm *comm, int64_t bytes)
{
    return memory_reserve(&comm->scratch, &comm->scratch_bytes, 0, bytes, 1);
}

static graco_status start_one(struct comm *comm, int peer, bool sent, void *data, int64_t bytes)
{
    return comm->start(comm, 1, &(struct comm_message){peer, sent, data, bytes});
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* An array that is summed: floats, or doubles. */
struct summed {
    char *x;
    int64_t n;
    bool doubles;
    size_t size; /* of a number */
};

static int64_t segment(const struct summed *s, const struct comm *comm, int rank)
{
    return share_begin(s->n, rank, comm->ranks);
}

/* Sends each rank its segment of x, and receives this rank's from all: part r at r * length. */
static graco_status scatter(struct comm *comm, const struct summed *s, char *parts)
{
    int64_t own = segment(s, comm, comm->rank);
    int64_t bytes = (segment(s, comm, comm->rank + 1) - own) * (int64_t)s->size;
    for (int r = 0; r < comm->ranks; r++) {
        int64_t first = segment(s, comm, r), last = segment(s, comm, r + 1);
        if (r == comm->rank)
            continue;
        PASS(start_one(comm, r, false, parts + r * bytes, bytes));
        PASS(start_one(comm, r, true, s->x + first * (int64_t)s->size,
                       (last - first) * (int64_t)s->size));
    }
    return comm->finish(comm, 0);
}

static void add_parts(struct comm *comm, const struct summed *s, const char *parts)
{
    int64_t own = segment(s, comm, comm->rank), count = segment(s, comm, comm->rank + 1) - own;
    char *x = s->x + own * (int64_t)s->size;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int r = 0; r < comm->ranks; r++) {
            const char *part = r == comm->rank ? x : parts + r * count * (int64_t)s->size;
            sum += s->doubles ? ((const double *)part)[i] : (double)((const float *)part)[i];
        }
        if (s->doubles)
            ((double *)x)[i] = sum;
        else
            ((float *)x)[i] = (float)sum;
    }
}

/* Sends this rank's segment to all, and receives theirs. */
static graco_status gather(struct comm *comm, const struct summed *s)
{
    int64_t own = segment(s, comm, comm->rank), end = segment(s, comm, comm->rank + 1);
    for (int r = 0; r < comm->ranks; r++) {
        int64_t first = segment(s, comm, r), last = segment(s, comm, r + 1);
        if (r == comm->rank)
            continue;
        PASS(start_one(comm, r, false, s->x + first * (int64_t)s->size,
                       (last - first) * (int64_t)s->size));
        PASS(start_one(comm, r, true, s->x + own * (int64_t)s->size,
                       (end - own) * (int64_t)s->size));
    }
    return comm->finish(comm, 0);
}

static graco_status sum(struct comm *comm, const struct summed *s)
{
    int64_t longest = s->n / comm->ranks + 1;
    PASS(need_scratch(comm, comm->ranks * longest * (int64_t)s->size));
    PASS(scatter(comm, s, comm->scratch));
    add_parts(comm, s, comm->scratch);
    return gather(comm, s);
}

graco_status comm_sum_floats(struct comm *comm, float *x, int64_t n)
{
    return comm ? sum(comm, &(struct summed){(char *)x, n, false, sizeof *x}) : GRACO_OK;
}

graco_status comm_sum_doubles(struct comm *comm, double *x, int64_t n)
{
    return comm ? sum(comm, &(struct summed){(char *)x, n, true, sizeof *x}) : GRACO_OK;
}

/* ---- The ring -------------------------------------------------------------------------------- */

graco_status comm_shift_start(struct comm *comm, int distance, const void *out, int64_t out_bytes,
                              void *in, int64_t in_bytes)
{
    if (!comm)
        return GRACO_OK;
    int to = (comm->rank + distance) % comm->ranks;
    int from = (comm->rank - distance % comm->ranks + comm->ranks) % comm->ranks;
    PASS(start_one(comm, from, false, in, in_bytes));
    return start_one(comm, to, true, (void *)out, out_bytes);
}

void comm_move(struct comm *comm)
{
    if (comm)
        comm->move(comm);
}

graco_status comm_finish(struct comm *comm)
{
    return comm ? comm->finish(comm, 0) : GRACO_OK;
}

/* ---- Broadcast, barrier, agreement ------------------------------------------------------------ */

/* The tree of `root`: who has the data sends them 1, 2, 4, ... places on. */
static graco_status broadcast(struct comm *comm, int root, void *data, int64_t bytes)
{
    int place = (comm->rank - root + comm->ranks) % comm->ranks, step = 1;
    while (step <= place)
        step *= 2; /* the first power of two above `place`: it came from half of it below */
    if (place > 0) {
        PASS(start_one(comm, (place - step / 2 + root) % comm->ranks, false, data, bytes));
        PASS(comm->finish(comm, 0));
    }
    for (; place + step < comm->ranks; step *= 2)
        PASS(start_one(comm, (place + step + root) % comm->ranks, true, data, bytes));
    return comm->finish(comm, 0);
}

graco_status comm_broadcast(struct comm *comm, void *data, int64_t bytes)
{
    return comm ? broadcast(comm, 0, data, bytes) : GRACO_OK;
}

graco_status comm_broadcast_from(struct comm *comm, int rank, void *data, int64_t bytes)
{
    return comm ? broadcast(comm, rank, data, bytes) : GRACO_OK;
}

graco_status comm_collect(struct comm *comm, int rank, void *data, int64_t bytes)
{
    if (!comm || rank == 0 || (comm->rank != 0 && comm->rank != rank))
        return GRACO_OK;
    PASS(start_one(comm, comm->rank == 0 ? rank : 0, comm->rank == rank, data, bytes));
    return comm->finish(comm, 0);
}

graco_status comm_stop(struct comm *comm, bool *stop)
{
    if (!comm)
        return GRACO_OK;
    if (*stop && comm->rank > 0 && comm->call)
        comm->call(comm);
    *stop = *stop || (comm->rank == 0 && comm->called && comm->called(comm));
    return broadcast(comm, 0, stop, sizeof *stop);
}

graco_status comm_barrier(struct comm *comm, double seconds)
{
    char in = 0, out = 0;
    for (int step = 1; comm && step < comm->ranks; step *= 2) {
        PASS(comm_shift_start(comm, step, &out, 1, &in, 1));
        PASS(comm->finish(comm, seconds));
    }
    return GRACO_OK;
}

graco_status comm_agree(struct comm *comm, graco_status status)
{
    char text[TEXT];
    double failed[2] = {status != GRACO_OK, 0}; /* how many, and the first of them */
    double *first = NULL;
    if (!comm)
        return status;
    snprintf(text, sizeof text, "%s", status == GRACO_OK ? "" : graco_message());
    PASS(comm_sum_doubles(comm, failed, 1));
    if (failed[0] == 0)
        return GRACO_OK;
    PASS(memory_zalloc(&first, comm->ranks, sizeof *first));
    first[comm->rank] = status != GRACO_OK;
    graco_status summed = comm_sum_doubles(comm, first, comm->ranks);
    int root = 0;
    while (root < comm->ranks - 1 && first[root] == 0)
        root++;
    memory_free(first);
    PASS(summed);
    PASS(broadcast(comm, root, &status, sizeof status));
    PASS(broadcast(comm, root, text, sizeof text));
    bool all = failed[0] == comm->ranks;
    return all ? status_fail(status, "%s", text) : status_fail(status, "rank %d: %s", root, text);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void comm_rows_clear(struct comm_rows *rows)
{
    memory_free(rows->sent_start);
    memory_free(rows->sent);
    memory_free(rows->received_start);
    *rows = (struct comm_rows){0};
}

/* How many rows each rank reads of this one: counts (ranks), where wanted[r] is what this one reads of r. */
static graco_status swap_counts(struct comm *comm, int64_t *counts, const int64_t *wanted)
{
    for (int r = 0; r < comm->ranks; r++) {
        if (r == comm->rank)
            continue;
        PASS(start_one(comm, r, false, &counts[r], sizeof *counts));
        PASS(start_one(comm, r, true, (void *)&wanted[r], sizeof *wanted));
    }
    return comm->finish(comm, 0);
}

/* Tells every rank which of its rows this one reads, and learns the same. */
static graco_status swap_lists(struct comm *comm, struct comm_rows *plan, int32_t *wanted)
{
    for (int r = 0; r < comm->ranks; r++) {
        int64_t in = plan->sent_start[r + 1] - plan->sent_start[r];
        int64_t out = plan->received_start[r + 1] - plan->received_start[r];
        PASS(start_one(comm, r, false, plan->sent + plan->sent_start[r], in * 4));
        PASS(start_one(comm, r, true, wanted + plan->received_start[r], out * 4));
    }
    return comm->finish(comm, 0);
}

graco_status comm_swap(void *in, int64_t *in_start, struct comm *comm, const void *out,
                       const int64_t *start, int64_t size)
{
    char *received = NULL, *sent = (char *)out;
    int64_t *counts = NULL, *wanted = NULL;
    int ranks = comm->ranks;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&counts, ranks, sizeof *counts));
    TRY(memory_zalloc(&wanted, ranks, sizeof *wanted));
    for (int r = 0; r < ranks; r++)
        wanted[r] = start[r + 1] - start[r];
    counts[comm->rank] = wanted[comm->rank];
    TRY(swap_counts(comm, counts, wanted));
    in_start[0] = 0;
    for (int r = 0; r < ranks; r++)
        in_start[r + 1] = in_start[r] + counts[r];
    TRY(memory_alloc(&received, in_start[ranks], (size_t)size));
    for (int r = 0; r < ranks; r++) {
        char *to = received + in_start[r] * size, *from = sent + start[r] * size;
        if (r == comm->rank && counts[r] > 0)
            memcpy(to, from, (size_t)(counts[r] * size));
        if (r == comm->rank)
            continue;
        TRY(start_one(comm, r, false, to, counts[r] * size));
        TRY(start_one(comm, r, true, from, wanted[r] * size));
    }
    TRY(comm->finish(comm, 0));
    memcpy(in, &received, sizeof received);
    received = NULL;
done:
    memory_free(counts);
    memory_free(wanted);
    memory_free(received);
    return status;
}

graco_status comm_rows_init(struct comm_rows *out, struct comm *comm, const int64_t *bounds,
                            const int32_t *rows, int64_t count)
{
    struct comm_rows plan = {.own = bounds[comm->rank + 1] - bounds[comm->rank], .others = count};
    int64_t *counts = NULL, *wanted_counts = NULL;
    int32_t *wanted = NULL; /* numbered as their owners do */
    int ranks = comm->ranks;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&counts, ranks, sizeof *counts));
    TRY(memory_zalloc(&wanted_counts, ranks, sizeof *wanted_counts));
    TRY(memory_alloc(&wanted, count, sizeof *wanted));
    TRY(memory_zalloc(&plan.sent_start, ranks + 1, sizeof(int64_t)));
    TRY(memory_zalloc(&plan.received_start, ranks + 1, sizeof(int64_t)));
    for (int64_t i = 0, r = 0; i < count; i++) {
        while (rows[i] >= bounds[r + 1])
            r++;
        wanted[i] = (int32_t)(rows[i] - bounds[r]);
        wanted_counts[r]++;
    }
    TRY(swap_counts(comm, counts, wanted_counts));
    for (int r = 0; r < ranks; r++) {
        plan.sent_start[r + 1] = plan.sent_start[r] + counts[r];
        plan.received_start[r + 1] = plan.received_start[r] + wanted_counts[r];
    }
    TRY(memory_alloc(&plan.sent, plan.sent_start[ranks], sizeof *plan.sent));
    TRY(swap_lists(comm, &plan, wanted));
    *out = plan;
    plan = (struct comm_rows){0};
done:
    memory_free(counts);
    memory_free(wanted_counts);
    memory_free(wanted);
    comm_rows_clear(&plan);
    return status;
}

graco_status comm_exchange_start(struct comm *comm, const struct comm_rows *rows, int64_t cols,
                                 const float *own, float *others)
{
    if (!comm)
        return GRACO_OK;
    int64_t total = rows->sent_start[comm->ranks];
    const int64_t width = cols * (int64_t)sizeof *own;
    PASS(need_scratch(comm, total * width));
    float *packed = comm->scratch;
    for (int r = 0; r < comm->ranks; r++) {
        int64_t in = rows->received_start[r], out = rows->sent_start[r],
                end = rows->sent_start[r + 1];
        for (int64_t i = out; i < end; i++)
            memcpy(packed + i * cols, own + rows->sent[i] * cols, (size_t)width);
        PASS(start_one(comm, r, false, others + in * cols,
                       (rows->received_start[r + 1] - in) * width));
        PASS(start_one(comm, r, true, packed + out * cols, (end - out) * width));
    }
    return GRACO_OK;
}

graco_status comm_exchange(struct comm *comm, const struct comm_rows *rows, int64_t cols, float *X)
{
    PASS(comm_exchange_start(comm, rows, cols, X, X + rows->own * cols));
    return comm_finish(comm);
}
