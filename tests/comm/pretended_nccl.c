/* A libnccl.so.2 for ranks that are threads of one process: comm.nccl links it. Messages are copied at the
 * end of a group. As with NCCL, a message outside of a group runs alone: a rank that receives first then
 * waits for one that it will never get from a rank that does the same, and here the process ends. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 8, GROUP_MOST = 64, INVALID_USAGE = 5 };

typedef struct {
    char internal[128];
} unique_id;

struct rank {
    int rank, ranks;
};

struct letter {
    void *data;
    size_t bytes;
    struct letter *next;
};

struct entry {
    const struct rank *rank;
    bool sent;
    void *data;
    size_t bytes;
    int peer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct letter *box[RANKS_MOST][RANKS_MOST]; /* from, to: the oldest first */
static int ids;
static _Thread_local struct entry group[GROUP_MOST];
static _Thread_local int depth, count;

int ncclGetUniqueId(unique_id *out);
int ncclCommInitRank(void **out, int ranks, unique_id id, int rank);
int ncclCommDestroy(void *ranks);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *data, size_t bytes, int type, int peer, void *ranks, void *stream);
int ncclRecv(void *data, size_t bytes, int type, int peer, void *ranks, void *stream);
const char *ncclGetErrorString(int code);

int ncclGetUniqueId(unique_id *out)
{
    memset(out, 0x5a, sizeof *out);
    out->internal[0] = (char)++ids;
    return 0;
}

/* Ranks must come with the id of the last ncclGetUniqueId. */
int ncclCommInitRank(void **out, int ranks, unique_id id, int rank)
{
    struct rank *r = malloc(sizeof *r);
    if (id.internal[0] != (char)ids || id.internal[127] != 0x5a || ranks > RANKS_MOST)
        return INVALID_USAGE;
    *r = (struct rank){rank, ranks};
    *out = r;
    return 0;
}

int ncclCommDestroy(void *ranks)
{
    free(ranks);
    return 0;
}

int ncclGroupStart(void)
{
    depth++;
    return 0;
}

static int add(const struct entry *e)
{
    if (depth == 0)
        abort();
    if (count == GROUP_MOST || e->peer >= e->rank->ranks)
        return INVALID_USAGE;
    group[count++] = *e;
    return 0;
}

int ncclSend(const void *data, size_t bytes, int type, int peer, void *ranks, void *stream)
{
    (void)stream;
    return type == 0 ? add(&(struct entry){ranks, true, (void *)data, bytes, peer}) : INVALID_USAGE;
}

int ncclRecv(void *data, size_t bytes, int type, int peer, void *ranks, void *stream)
{
    (void)stream;
    return type == 0 ? add(&(struct entry){ranks, false, data, bytes, peer}) : INVALID_USAGE;
}

static void put(const struct entry *e)
{
    struct letter *l = malloc(sizeof *l), **end = &box[e->rank->rank][e->peer];
    *l = (struct letter){malloc(e->bytes), e->bytes, NULL};
    memcpy(l->data, e->data, e->bytes);
    while (*end)
        end = &(*end)->next;
    *end = l;
    pthread_cond_broadcast(&changed);
}

static void take(const struct entry *e)
{
    struct letter **first = &box[e->peer][e->rank->rank];
    while (!*first)
        pthread_cond_wait(&changed, &lock);
    struct letter *l = *first;
    *first = l->next;
    if (l->bytes != e->bytes)
        abort(); /* the two sides disagree */
    memcpy(e->data, l->data, l->bytes);
    free(l->data);
    free(l);
}

int ncclGroupEnd(void)
{
    if (--depth > 0)
        return 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++)
        if (group[i].sent)
            put(&group[i]);
    for (int i = 0; i < count; i++)
        if (!group[i].sent)
            take(&group[i]);
    pthread_mutex_unlock(&lock);
    count = 0;
    return 0;
}

const char *ncclGetErrorString(int code)
{
    return code == INVALID_USAGE ? "invalid usage" : "another failure";
}
