/* Messages of buffers that are not host memory, and what is built from them: sums, rows of others, and blocks
 * that go round. All of it is C that any back end runs, so that a test needs no GPU. */
#include "compute/exchange.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- Staged peers ----------------------------------------------------------------------------- */

/* Pinned memory for one message at a time. */
struct pinned_block {
    void *host;
    int64_t bytes;
    void *device;  /* where its message goes when it has come; NULL: it is sent */
    int64_t count; /* bytes of the message; 0: the block is free */
};

struct staged {
    struct comm comm; /* of the device's memory */
    struct context *context;
    struct pinned_block *list;
    int64_t blocks, room;
};

/* A free block of `bytes` at least. Every step asks for the same sizes, so blocks are found again. */
static graco_status take_block(struct pinned_block **out, struct staged *s, int64_t bytes)
{
    const struct buffers *buffers = s->context->buffers;
    for (int64_t i = 0; i < s->blocks; i++) {
        struct pinned_block *b = &s->list[i];
        if (b->count == 0 && b->bytes >= bytes && b->bytes / 2 <= bytes) {
            *out = b;
            return GRACO_OK;
        }
    }
    PASS(memory_reserve(&s->list, &s->room, s->blocks, s->blocks + 1, sizeof *s->list));
    struct pinned_block *b = &s->list[s->blocks];
    *b = (struct pinned_block){.bytes = bytes};
    PASS(buffers->pin(s->context, &b->host, (size_t)bytes));
    s->blocks++;
    *out = b;
    return GRACO_OK;
}

static graco_status start_staged(struct comm *comm, int count, const struct comm_message *list)
{
    struct staged *s = comm->self;
    struct context *c = s->context;
    for (int i = 0; i < count; i++) {
        struct comm_message m = list[i];
        struct pinned_block *b = NULL;
        if (m.bytes == 0)
            continue;
        PASS(take_block(&b, s, m.bytes));
        if (m.sent)
            PASS(c->buffers->download(c, b->host, m.data, (size_t)m.bytes));
        b->device = m.sent ? NULL : m.data;
        b->count = m.bytes;
        m.data = b->host;
        PASS(c->comm->start(c->comm, 1, &m));
    }
    return GRACO_OK;
}

static void move_staged(struct comm *comm)
{
    comm_move(((struct staged *)comm->self)->context->comm);
}

static graco_status finish_staged(struct comm *comm, double seconds)
{
    struct staged *s = comm->self;
    struct context *c = s->context;
    PASS(c->comm->finish(c->comm, seconds));
    for (int64_t i = 0; i < s->blocks; i++) {
        const struct pinned_block *b = &s->list[i];
        if (b->count > 0 && b->device)
            PASS(c->buffers->upload(c, b->device, b->host, (size_t)b->count));
    }
    PASS(c->buffers->wait(c)); /* the next messages come into the same blocks */
    for (int64_t i = 0; i < s->blocks; i++)
        s->list[i].count = 0;
    return GRACO_OK;
}

static void free_staged(struct comm *comm)
{
    struct staged *s = comm->self;
    for (int64_t i = 0; i < s->blocks; i++)
        if (s->list[i].count == 0) /* after a failure a message may still come into the others */
            s->context->buffers->unpin(s->context, s->list[i].host);
    memory_free(s->list);
    memory_free(s);
}

static graco_status create_staged(struct comm **out, struct context *c)
{
    struct staged *s = NULL;
    PASS(memory_zalloc(&s, 1, sizeof *s));
    s->context = c;
    s->comm = (struct comm){.rank = c->comm->rank,
                            .ranks = c->comm->ranks,
                            .start = start_staged,
                            .move = move_staged,
                            .finish = finish_staged,
                            .free = free_staged,
                            .self = s};
    *out = &s->comm;
    return GRACO_OK;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

/* What ranks tell each other of their devices. */
struct place {
    char backend[16];
    unsigned char device[DEVICE_ID_BYTES];
};

static graco_status check_alike(const struct place *all, int ranks)
{
    for (int r = 1; r < ranks; r++)
        if (strcmp(all[r].backend, all[0].backend) != 0)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "rank %d computes on %s and rank 0 on %s; expected one kind of "
                               "device for all",
                               r, all[r].backend, all[0].backend);
    return GRACO_OK;
}

static bool each_its_own(const struct place *all, int ranks)
{
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < a; b++)
            if (memcmp(all[a].device, all[b].device, DEVICE_ID_BYTES) == 0)
                return false;
    return true;
}

/* NCCL's peers where every rank has a GPU of its own, and all have NCCL; else staged ones. */
static graco_status make_links(struct context *c, const struct place *all)
{
    struct comm *peers = NULL;
    graco_status status = GRACO_OK;
    if (c->backend->connect && each_its_own(all, c->comm->ranks))
        PASS(c->backend->connect(c, &peers));
    if (!peers)
        status = create_staged(&peers, c);
    c->peers = peers;
    return comm_agree(c->comm, status);
}

graco_status exchange_open(struct context *c, struct comm *comm)
{
    struct place *all = NULL;
    graco_status status = GRACO_OK;
    if (!comm)
        return GRACO_OK;
    c->comm = comm;
    c->recorder = NULL;
    TRY(comm_agree(comm, memory_zalloc(&all, comm->ranks, sizeof *all)));
    struct place *own = &all[comm->rank];
    snprintf(own->backend, sizeof own->backend, "%s", c->backend->name);
    memcpy(own->device, c->device_id, sizeof own->device);
    for (int r = 0; r < comm->ranks; r++)
        TRY(comm_broadcast_from(comm, r, &all[r], sizeof *all));
    TRY(check_alike(all, comm->ranks));
    if (!c->backend->host)
        TRY(make_links(c, all));
done:
    memory_free(all);
    return status;
}

void exchange_close(struct context *c)
{
    if (c->peers)
        c->peers->free(c->peers);
    c->peers = NULL;
}

/* ---- Sums and rows ---------------------------------------------------------------------------- */

/* Through host memory; `sum` adds n numbers of `size` bytes there. */
static graco_status sum_on_host(struct context *c, void *x, int64_t n, size_t size)
{
    void *host = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&host, n, size));
    TRY(c->buffers->download(c, host, x, (size_t)n * size));
    TRY(size == sizeof(float) ? comm_sum_floats(c->comm, host, n)
                              : comm_sum_doubles(c->comm, host, n));
    TRY(c->buffers->upload(c, x, host, (size_t)n * size));
    TRY(c->buffers->wait(c)); /* who goes on may free `host` */
done:
    memory_free(host);
    return status;
}

graco_status exchange_sum_floats(struct context *c, float *x, int64_t n)
{
    return c->peers ? sum_on_host(c, x, n, sizeof *x) : comm_sum_floats(c->comm, x, n);
}

graco_status exchange_sum_doubles(struct context *c, double *x, int64_t n)
{
    return c->peers ? sum_on_host(c, x, n, sizeof *x) : comm_sum_doubles(c->comm, x, n);
}

static graco_status start_one(struct comm *peers, int peer, bool sent, const float *data,
                              int64_t floats)
{
    return peers->start(
        peers, 1, &(struct comm_message){peer, sent, (void *)data, floats * (int64_t)sizeof *data});
}

/* The rows of one view: `packed` gets those that others read. */
static graco_status start_rows(struct context *c, const struct comm_rows *rows, const int32_t *sent,
                               int64_t cols, float *X, float *packed)
{
    float *others = X + rows->own * cols;
    int64_t total = rows->sent_start[c->peers->ranks];
    if (total > 0)
        PASS(c->kernels->gather(c, total, cols, packed, X, sent));
    for (int r = 0; r < c->peers->ranks; r++) {
        int64_t in = rows->received_start[r], out = rows->sent_start[r];
        PASS(start_one(c->peers, r, false, others + in * cols,
                       (rows->received_start[r + 1] - in) * cols));
        PASS(start_one(c->peers, r, true, packed + out * cols,
                       (rows->sent_start[r + 1] - out) * cols));
    }
    return GRACO_OK;
}

graco_status exchange_rows(struct context *c, const struct comm_rows *rows, const int32_t *sent,
                           int64_t cols, int views, float *X)
{
    int64_t all = rows->own + rows->others;
    for (int view = 0; view < views && !c->peers; view++)
        PASS(comm_exchange(c->comm, rows, cols, X + view * all * cols));
    if (!c->peers)
        return GRACO_OK;
    int64_t total = rows->sent_start[c->peers->ranks];
    float *packed = NULL;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &packed, views * total * cols, sizeof *packed));
    for (int view = 0; view < views; view++)
        TRY(start_rows(c, rows, sent, cols, X + view * all * cols, packed + view * total * cols));
    TRY(c->peers->finish(c->peers, 0));
done:
    context_give(c, packed);
    return status;
}

/* ---- Blocks that go round --------------------------------------------------------------------- */

struct round_trip {
    struct context *context;
    struct comm *peers;
    const struct exchange_blocks *blocks;
    float *in[2][EXCHANGE_ARRAYS]; /* one is worked on while the other is filled */
};

static int64_t nodes_of(const struct exchange_blocks *b, int rank)
{
    return b->bounds[rank + 1] - b->bounds[rank];
}

/* The rank whose block comes in a step. */
static int block_of(const struct comm *comm, int step)
{
    return (comm->rank - step + comm->ranks) % comm->ranks;
}

static graco_status start_step(const struct round_trip *t, int step)
{
    const struct exchange_blocks *b = t->blocks;
    struct comm *peers = t->peers;
    int from = block_of(peers, step), to = (peers->rank + step) % peers->ranks;
    for (int k = 0; k < b->arrays; k++) {
        PASS(start_one(peers, from, false, t->in[step % 2][k], nodes_of(b, from) * b->width[k]));
        PASS(start_one(peers, to, true, b->own[k], nodes_of(b, peers->rank) * b->width[k]));
    }
    return GRACO_OK;
}

static graco_status open_trip(struct round_trip *t)
{
    const struct exchange_blocks *b = t->blocks;
    int64_t most = 0;
    for (int r = 0; r < t->peers->ranks; r++)
        most = nodes_of(b, r) > most ? nodes_of(b, r) : most;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < b->arrays; k++)
            PASS(context_take(t->context, &t->in[i][k], most * b->width[k], sizeof(float)));
    return GRACO_OK;
}

graco_status exchange_visit(struct context *c, const struct exchange_blocks *blocks,
                            graco_status (*visit)(void *job, int rank, int64_t nodes,
                                                  const float *const block[EXCHANGE_ARRAYS]),
                            void *job)
{
    struct comm *peers = c->peers ? c->peers : c->comm;
    struct round_trip t = {.context = c, .peers = peers, .blocks = blocks};
    graco_status status = GRACO_OK;
    TRY(open_trip(&t));
    TRY(start_step(&t, 1));
    TRY(visit(job, peers->rank, nodes_of(blocks, peers->rank), blocks->own));
    for (int step = 1; step < peers->ranks; step++) {
        int rank = block_of(peers, step);
        TRY(peers->finish(peers, 0));
        if (step + 1 < peers->ranks)
            TRY(start_step(&t, step + 1));
        TRY(visit(job, rank, nodes_of(blocks, rank), (const float *const *)t.in[step % 2]));
    }
done:
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < blocks->arrays; k++)
            context_give(c, t.in[i][k]);
    return status;
}
