/* Workers: threads that the whole process has in common.
 *
 * A worker is claimed for one loop at a time and never waited for before it has begun. The caller
 * writes the loop into idle workers, as many as it may use, and begins at once; threads take pieces
 * from counters until none is left. Then the caller takes back the workers that have not begun, and
 * waits for the others to end their last piece. So a busy machine, where a worker may stand still for
 * milliseconds, costs at most one piece of waiting.
 *
 *     IDLE -> CLAIMED -> READY -> RUNNING -> IDLE, the next turn
 *      ^                   |
 *      +---- taken back ---+
 *
 * Who waits looks often for a short time, then sleeps. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include "base/extensions.h"
#include "base/memory.h"
#include "graco_command.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS_MAX = 1024,
    WORKERS_MOST = 255, /* of the process */
    SHARES_MOST = 64,   /* of a loop; seats beyond begin with another seat's share */
    LINE = 64,          /* bytes that cores pass to each other at a time */
    LOOKS = 64,         /* between two readings of the clock */
};

/* How long a thread looks before it sleeps: longer than most gaps between two loops of a training,
 * shorter than the system's switching between threads of a full machine. */
static const double LOOKING_SECONDS = 50e-6;

/* ---- Loops ----------------------------------------------------------------------------------- */

/* The pieces next .. end - 1, which a thread takes from before it helps with another's: most rows
 * then meet the same core in one loop after another. */
struct share {
    _Alignas(LINE) atomic_llong next;
    int64_t end;
};

struct loop {
    struct threads_watch *watch; /* of the caller; NULL: none */
    threads_body *body;
    void *job;
    int64_t count, size;
    int shares;
    struct share share[SHARES_MOST];
};

/* ---- Watches --------------------------------------------------------------------------------- */

static const double WATCH_INTERVAL = 0.1; /* seconds between two questions */

static _Thread_local struct threads_watch
    *watched;                      /* of this thread, or of the loop that it works on */
static _Thread_local bool helping; /* in another's loop: only the caller asks */

void threads_watch(struct threads_watch *watch, graco_share_fn *go_on, void *user)
{
    *watch = (struct threads_watch){.go_on = go_on, .user = user, .before = watched};
    if (go_on)
        watched = watch;
}

void threads_unwatch(const struct threads_watch *watch)
{
    watched = watch->before;
}

static bool not_stopped(struct threads_watch *watch)
{
    return !atomic_load_explicit(&watch->stopped, memory_order_relaxed);
}

bool threads_ask(struct threads_watch *watch)
{
    double now = threads_seconds_roughly();
    if (now - watch->asked >= WATCH_INTERVAL && not_stopped(watch)) {
        watch->asked = now;
        atomic_store(&watch->stopped, !watch->go_on(watch->user, (double)NAN));
    }
    return not_stopped(watch);
}

bool threads_go_on(void)
{
    return !watched || (helping ? not_stopped : threads_ask)(watched);
}

graco_status threads_look(void)
{
    return threads_go_on() ? GRACO_OK : status_fail(GRACO_STOPPED, "stopped");
}

static void work_on(struct loop *loop, int seat)
{
    for (int i = 0; i < loop->shares; i++) {
        struct share *share = &loop->share[(seat + i) % loop->shares];
        for (;;) {
            int64_t first = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
            if (first >= share->end || !threads_go_on())
                break;
            first *= loop->size;
            int64_t left = loop->count - first;
            int64_t last = first + (left < loop->size ? left : loop->size);
            loop->body(loop->job, (struct threads_piece){first, last, seat});
        }
    }
}

/* ---- Workers --------------------------------------------------------------------------------- */

enum { IDLE, CLAIMED, READY, RUNNING, PHASES };

struct worker {
    _Alignas(LINE) atomic_uint state; /* PHASES x its turn, plus a phase */
    atomic_uint sleepers;             /* threads that sleep until `state` changes */
    struct loop *loop;                /* written by who has claimed the worker */
    int seat;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* Like cores, workers belong to the process. CONTRIBUTING.md lists the other mutable globals. */
static struct worker workers[WORKERS_MOST];
static atomic_int worker_count; /* workers that exist */
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int cores;

static int count_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* Looks at the worker's state until `awaited` agrees, which gets `turn`; looks often, then sleeps. */
static void await(struct worker *w, bool (*awaited)(unsigned state, unsigned turn), unsigned turn)
{
    double begin = threads_seconds();
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (awaited(atomic_load_explicit(&w->state, memory_order_acquire), turn))
                return;
            EXT_PAUSE();
        }
    } while (threads_seconds() - begin < LOOKING_SECONDS);
    pthread_mutex_lock(&w->mutex);
    atomic_fetch_add(&w->sleepers, 1);
    while (!awaited(atomic_load(&w->state), turn))
        pthread_cond_wait(&w->changed, &w->mutex);
    atomic_fetch_sub(&w->sleepers, 1);
    pthread_mutex_unlock(&w->mutex);
}

/* Either the store or the count of sleepers comes first, for all threads: no sleeper is missed. */
static void enter(struct worker *w, unsigned state)
{
    atomic_store(&w->state, state);
    if (atomic_load(&w->sleepers) == 0)
        return;
    pthread_mutex_lock(&w->mutex);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

static bool is_ready(unsigned state, unsigned turn)
{
    (void)turn;
    return state % PHASES == READY;
}

static bool has_ended(unsigned state, unsigned turn)
{
    return state / PHASES != turn;
}

static void *run_worker(void *argument)
{
    struct worker *w = argument;
    for (;;) {
        await(w, is_ready, 0);
        unsigned state = atomic_load(&w->state);
        if (state % PHASES != READY ||
            !atomic_compare_exchange_strong(&w->state, &state, state - READY + RUNNING))
            continue; /* taken back */
        watched = w->loop->watch;
        helping = true;
        work_on(w->loop, w->seat);
        enter(w, (state / PHASES + 1) * PHASES + IDLE);
    }
    return NULL;
}

/* A child has none of its parent's workers, and locks in any state. */
static void forget_workers(void)
{
    atomic_store(&worker_count, 0);
    growing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void prepare(void)
{
    cores = count_cores();
    pthread_atfork(NULL, NULL, forget_workers);
}

/* Adds a worker, CLAIMED; NULL: there are `most` already, or the system refuses. */
static struct worker *add_worker(int most)
{
    struct worker *w = NULL;
    pthread_t thread;
    pthread_mutex_lock(&growing);
    int size = atomic_load(&worker_count);
    if (size < most) {
        w = &workers[size];
        atomic_store(&w->state, CLAIMED);
        atomic_store(&w->sleepers, 0);
        w->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        w->changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        if (pthread_create(&thread, NULL, run_worker, w) == 0) {
            pthread_detach(thread);
            atomic_store(&worker_count, size + 1);
        } else {
            w = NULL;
        }
    }
    pthread_mutex_unlock(&growing);
    return w;
}

/* ---- The caller ------------------------------------------------------------------------------ */

/* A worker that a loop has claimed, and for which turn of its. */
struct claim {
    struct worker *worker;
    unsigned turn;
};

/* Claims idle workers, `wanted` of them or as many as there are. New ones are made while callers
 * find too few, as long as the process has no more of them than cores or than one caller wants. */
static int claim_workers(struct claim *claim, int wanted)
{
    int count = 0, most = wanted;
    pthread_once(&once, prepare);
    if (most < cores - 1)
        most = cores - 1 < WORKERS_MOST ? cores - 1 : WORKERS_MOST;
    for (int i = 0; i < atomic_load(&worker_count) && count < wanted; i++) {
        unsigned state = atomic_load_explicit(&workers[i].state, memory_order_relaxed);
        if (state % PHASES == IDLE &&
            atomic_compare_exchange_strong(&workers[i].state, &state, state - IDLE + CLAIMED))
            claim[count++] = (struct claim){&workers[i], state / PHASES};
    }
    while (count < wanted && atomic_load(&worker_count) < most) {
        struct worker *w = add_worker(most);
        if (!w)
            break;
        claim[count++] = (struct claim){w, 0};
    }
    return count;
}

static void give_out(struct loop *loop, int64_t pieces, const struct claim *claim, int claimed)
{
    loop->shares = claimed < SHARES_MOST ? claimed + 1 : SHARES_MOST;
    for (int i = 0; i < loop->shares; i++) {
        atomic_init(&loop->share[i].next, pieces * i / loop->shares);
        loop->share[i].end = pieces * (i + 1) / loop->shares;
    }
    for (int i = 0; i < claimed; i++) {
        claim[i].worker->loop = loop;
        claim[i].worker->seat = i + 1;
        enter(claim[i].worker, claim[i].turn * PHASES + READY);
    }
}

static _Thread_local bool skipping; /* threads_skip */

void threads_skip(bool skip)
{
    skipping = skip;
}

void threads_run(int threads, int64_t count, int64_t size, threads_body *body, void *job)
{
    struct claim claim[WORKERS_MOST];
    struct loop loop;
    int64_t pieces = count / size + (count % size > 0), most = threads < pieces ? threads : pieces;
    if (skipping)
        return;
    if (most > WORKERS_MOST + 1)
        most = WORKERS_MOST + 1;
    int claimed = most > 1 ? claim_workers(claim, (int)most - 1) : 0;
    loop.watch = watched;
    loop.body = body;
    loop.job = job;
    loop.count = count;
    loop.size = size;
    give_out(&loop, pieces, claim, claimed);
    work_on(&loop, 0);
    for (int i = 0; i < claimed; i++) {
        unsigned ready = claim[i].turn * PHASES + READY;
        if (!atomic_compare_exchange_strong(&claim[i].worker->state, &ready, ready - READY + IDLE))
            await(claim[i].worker, has_ended, claim[i].turn);
    }
}

/* ---- Counts and clocks ----------------------------------------------------------------------- */

int threads_count(int64_t wanted)
{
    if (wanted <= 0)
        return count_cores();
    return wanted < THREADS_MAX ? (int)wanted : THREADS_MAX;
}

double threads_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double threads_seconds_roughly(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    return threads_seconds();
#endif
}

double threads_own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t graco_available_memory(void)
{
    return memory_available();
}

int64_t graco_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}
