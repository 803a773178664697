/* NCCL through dlopen: a table of its functions, declared here as its documentation gives them. Only
 * messages between two ranks are in use. Its sums have an order of its own, which depends on the machine;
 * graco adds in the order of the ranks (compute/exchange.h).
 *
 * NCCL runs a rank's messages one after the other unless they stand in one group, and two ranks that each
 * receive first would wait for ever. So `start` lists messages, and `finish` hands over the list as one
 * group. */
#include "comm/comm_nccl.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <string.h>

enum { NCCL_BYTES = 0 /* ncclInt8 */, NCCL_SUCCESS = 0 };

struct nccl_id { /* ncclUniqueId */
    char bytes[128];
};

struct nccl_functions {
    int (*get_id)(struct nccl_id *out);
    int (*init_rank)(void **out, int ranks, struct nccl_id id, int rank);
    int (*destroy)(void *ranks);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *data, size_t count, int type, int peer, void *ranks, void *stream);
    int (*receive)(void *data, size_t count, int type, int peer, void *ranks, void *stream);
    const char *(*error)(int code);
};

struct nccl {
    struct comm comm;
    struct comm *over; /* the same ranks on the host, or NULL */
    void *library, *ranks, *stream;
    struct nccl_functions call;
    struct comm_message *list; /* started, and not yet handed over */
    int64_t count, room;
};

static graco_status check(const struct nccl *n, int code, const char *doing)
{
    if (code == NCCL_SUCCESS)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_DEVICE, "NCCL failed: %s (%s)", n->call.error(code), doing);
}

static graco_status start(struct comm *comm, int count, const struct comm_message *list)
{
    struct nccl *n = comm->self;
    for (int i = 0; i < count; i++) {
        if (list[i].bytes == 0)
            continue;
        PASS(memory_reserve(&n->list, &n->room, n->count, n->count + 1, sizeof *n->list));
        n->list[n->count++] = list[i];
        if (n->over && list[i].sent) {
            n->over->messages++;
            n->over->bytes += list[i].bytes;
        }
    }
    return GRACO_OK;
}

static void move(struct comm *comm)
{
    (void)comm; /* the GPU moves them */
}

static int hand_over(const struct nccl *n, const struct comm_message *m)
{
    size_t bytes = (size_t)m->bytes;
    return m->sent ? n->call.send(m->data, bytes, NCCL_BYTES, m->peer, n->ranks, n->stream)
                   : n->call.receive(m->data, bytes, NCCL_BYTES, m->peer, n->ranks, n->stream);
}

static graco_status finish(struct comm *comm, double seconds)
{
    struct nccl *n = comm->self;
    int code = NCCL_SUCCESS;
    (void)seconds; /* nobody here waits */
    if (n->count == 0)
        return GRACO_OK;
    PASS(check(n, n->call.group_start(), "beginning messages"));
    for (int64_t i = 0; i < n->count && code == NCCL_SUCCESS; i++)
        code = hand_over(n, &n->list[i]);
    n->count = 0;
    int ended = n->call.group_end(); /* whatever failed: a group that was begun must end */
    PASS(check(n, code, "sending and receiving"));
    return check(n, ended, "sending and receiving");
}

static void end(struct comm *comm)
{
    struct nccl *n = comm->self;
    if (n->ranks)
        n->call.destroy(n->ranks);
    memory_free(n->list); /* the library stays: its threads may still be ending */
    memory_free(n);
}

/* Whether this rank has the library, with all that is in use of it. */
static bool load(struct nccl *n)
{
    struct nccl_functions *f = &n->call;
    const struct {
        void *function;
        const char *name;
    } wanted[] = {
        {&f->get_id, "ncclGetUniqueId"},  {&f->init_rank, "ncclCommInitRank"},
        {&f->destroy, "ncclCommDestroy"}, {&f->group_start, "ncclGroupStart"},
        {&f->group_end, "ncclGroupEnd"},  {&f->send, "ncclSend"},
        {&f->receive, "ncclRecv"},        {&f->error, "ncclGetErrorString"},
    };
    n->library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; n->library && i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(n->library, wanted[i].name);
        if (!found)
            return false;
        memcpy(wanted[i].function, &found, sizeof found);
    }
    return n->library ? true : false;
}

/* Rank 0 makes the name by which ranks find each other. A rank that cannot connect does not wait for the
 * others, which may be waiting for it within NCCL: it ends, and that ends them. */
static graco_status join(struct nccl *n)
{
    struct nccl_id id = {{0}};
    graco_status status = GRACO_OK;
    if (n->comm.rank == 0)
        status = check(n, n->call.get_id(&id), "beginning");
    PASS(comm_agree(n->over, status));
    PASS(comm_broadcast(n->over, &id, sizeof id));
    return check(n, n->call.init_rank(&n->ranks, n->comm.ranks, id, n->comm.rank),
                 "connecting ranks");
}

graco_status comm_nccl_create(struct comm **out, struct comm *over, void *stream)
{
    struct nccl *n = NULL;
    double missing = 0;
    graco_status status = GRACO_OK;
    *out = NULL;
    status = memory_zalloc(&n, 1, sizeof *n);
    if (n) {
        *n = (struct nccl){.over = over, .stream = stream};
        n->comm = (struct comm){.rank = comm_rank(over),
                                .ranks = comm_ranks(over),
                                .start = start,
                                .move = move,
                                .finish = finish,
                                .free = end,
                                .self = n};
    }
    TRY(comm_agree(over, status));
    missing = !load(n);
    TRY(comm_sum_doubles(over, &missing, 1));
    if (missing > 0)
        goto done;
    TRY(join(n));
    *out = &n->comm;
    return GRACO_OK;
done:
    if (n)
        end(&n->comm);
    return status;
}
