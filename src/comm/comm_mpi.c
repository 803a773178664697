/* Ranks over MPI: the one file that calls it. Linked into graco-mpi in the place of comm_alone.c.
 *
 * A rank that waits for a message tests for it, yields its core between tests, and after a while sleeps between
 * them: several ranks may share a core. A second thread of every rank sends a beat to the next rank each second
 * and listens to the one before. A rank that stands still, or whose machine is gone, sends none,
 * and its neighbour ends the program with a line that names it. Before MPI has begun,
 * and while it ends, nobody can beat: a thread then ends a program whose ranks do not all come so
 * far. A rank that dies is noticed by mpirun itself, one that ends well before its time by who waits
 * for its messages. This file prints that line and ends the
 * program, as nothing else of the library does: with a rank missing nobody is left to return to. */
#define _DEFAULT_SOURCE /* on_exit, usleep */
#include "comm/comm.h"

#include "base/memory.h"
#include "base/threads.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BEAT_MICROSECONDS = 250000,
    SILENCE_SECONDS = 20, /* after which a rank that sends no beat is given up */
    ASLEEP_SECONDS = 5,   /* between two looks: this rank was suspended, perhaps with all others */
    SLEEP_MICROSECONDS = 20, /* between two tests of who has waited for long */
    ALL_SECONDS = 20,        /* in which all ranks begin, or end, and 0.1 more for each of them */
    GONE_SECONDS = 5,        /* in which what a rank has sent before it ended is there */
    TURN_SECONDS = 2,        /* rank r says what it misses r times so much later than rank 0, ... */
    TURNS = 4,               /* ... at most so many times */
};

enum tag { TAG_MESSAGE, TAG_BEAT, TAG_CALL, TAG_END }; /* the last three among the beats */

static const double BEAT_SECONDS = 1;
static const double TESTING_SECONDS = 100e-6; /* before who waits sleeps between tests */

struct ranks {
    struct comm comm;
    MPI_Comm messages, beats; /* apart, so that neither is taken for the other */
    MPI_Request *request;     /* (room) */
    int *peer;                /* (room) of each */
    int count;
    int64_t room;
    int told_rank, told_ranks; /* by the launcher, before MPI begins; 0: they were not */
    pthread_t thread;
    bool watched, beating; /* the thread runs, and beats once MPI has begun */
    atomic_bool begun, ended, over;
};

static struct ranks world;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static graco_status fail_mpi(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    return status_fail(GRACO_ERROR_IO, "MPI has failed: %s", text);
}

static graco_status start_piece(struct ranks *w, const struct comm_message *m, int64_t first,
                                int bytes)
{
    int64_t room = w->room;
    PASS(memory_reserve(&w->request, &room, w->count, w->count + 1, sizeof *w->request));
    PASS(memory_reserve(&w->peer, &w->room, w->count, w->count + 1, sizeof *w->peer));
    char *data = (char *)m->data + first;
    MPI_Request *request = &w->request[w->count];
    int code = m->sent
                   ? MPI_Isend(data, bytes, MPI_BYTE, m->peer, TAG_MESSAGE, w->messages, request)
                   : MPI_Irecv(data, bytes, MPI_BYTE, m->peer, TAG_MESSAGE, w->messages, request);
    if (code != MPI_SUCCESS)
        return fail_mpi(code);
    w->peer[w->count++] = m->peer;
    w->comm.messages += m->sent;
    w->comm.bytes += m->sent ? bytes : 0;
    return GRACO_OK;
}

static graco_status start(struct comm *comm, int count, const struct comm_message *list)
{
    for (int i = 0; i < count; i++)
        for (int64_t first = 0; first < list[i].bytes; first += COMM_MESSAGE_MOST) {
            int64_t left = list[i].bytes - first;
            PASS(start_piece(comm->self, &list[i], first,
                             (int)(left < COMM_MESSAGE_MOST ? left : COMM_MESSAGE_MOST)));
        }
    return GRACO_OK;
}

static void move(struct comm *comm)
{
    struct ranks *w = comm->self;
    int done;
    if (w->count > 0)
        MPI_Testall(w->count, w->request, &done, MPI_STATUSES_IGNORE);
}

/* The peer of the first message that is still under way; `ended`: of the first whose peer has ended. This rank:
 * there is none. */
static int missing(const struct ranks *w, bool ended)
{
    for (int i = 0; i < w->count; i++) {
        int done = 1, there = !ended;
        if (w->request[i] != MPI_REQUEST_NULL)
            MPI_Request_get_status(w->request[i], &done, MPI_STATUS_IGNORE);
        if (!done && ended)
            MPI_Iprobe(w->peer[i], TAG_END, w->beats, &there, MPI_STATUS_IGNORE);
        if (!done && there)
            return w->peer[i];
    }
    return w->comm.rank;
}

/* How many seconds after rank 0 a rank says what both may miss: one line is enough. */
static int turn_of(int rank)
{
    return TURN_SECONDS * (rank < TURNS ? rank : TURNS);
}

/* Called each second by a rank that waits, which counts *looks: a rank that has ended sends and takes no message
 * any more, and who waits for one ends the program. */
static void look_for_ended(const struct ranks *w, int *looks)
{
    int rank = missing(w, true);
    *looks = rank == w->comm.rank ? 0 : *looks + 1;
    if (*looks <= GONE_SECONDS + turn_of(w->comm.rank))
        return;
    fprintf(stderr,
            "graco: rank %d has ended, and rank %d still waits for it: expected the same command "
            "on every rank\n",
            rank, w->comm.rank);
    MPI_Abort(w->messages, 1);
}

static graco_status finish(struct comm *comm, double seconds)
{
    struct ranks *w = comm->self;
    double begun = threads_seconds(), now = begun, looked = begun;
    int done = 0, looks = 0;
    while (w->count > 0 && !done) {
        int code = MPI_Testall(w->count, w->request, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS)
            return fail_mpi(code);
        now = threads_seconds();
        if (!done && seconds > 0 && now - begun > seconds)
            return status_fail(GRACO_ERROR_IO, "rank %d has not answered for %g s",
                               missing(w, false), seconds);
        if (!done && now - looked > BEAT_SECONDS) {
            looked = now;
            look_for_ended(w, &looks);
        }
        if (!done && now - begun > TESTING_SECONDS)
            usleep(SLEEP_MICROSECONDS);
        else if (!done)
            sched_yield();
    }
    w->count = 0;
    comm->waited += now - begun;
    return GRACO_OK;
}

/* ---- Beats and calls ------------------------------------------------------------------------- */

/* Takes the bytes with that tag that have come from a rank; whether there were any. */
static bool listen(const struct ranks *w, int from, enum tag tag)
{
    bool heard = false;
    for (int there = 1; there;) {
        char byte;
        MPI_Iprobe(from, tag, w->beats, &there, MPI_STATUS_IGNORE);
        if (there)
            MPI_Recv(&byte, 1, MPI_BYTE, from, tag, w->beats, MPI_STATUS_IGNORE);
        heard = heard || there;
    }
    return heard;
}

/* A byte leaves at once, whether the other listens or not. */
static void say(const struct ranks *w, int to, enum tag tag)
{
    const char one = 1;
    MPI_Send(&one, 1, MPI_BYTE, to, tag, w->beats);
}

static void call(struct comm *comm)
{
    say(comm->self, 0, TAG_CALL);
}

static bool called(struct comm *comm)
{
    return listen(comm->self, MPI_ANY_SOURCE, TAG_CALL);
}

/* A number that the launcher has told before MPI begins; 0: it has not. To be asked before there is another thread: MPI
 * changes the environment when it begins and ends. */
static int told(const char *by_open_mpi, const char *by_others)
{
    const char *text = getenv(by_open_mpi);
    text = text ? text : getenv(by_others);
    return text ? atoi(text) : 0;
}

/* A rank that stands still before MPI has begun, or while it ends, keeps all others waiting, and none knows which
 * it is: who still waits for `done` after a while says `what` and ends the program. Looks are counted, not
 * seconds: all may have been suspended meanwhile. */
static void wait_for_all(const atomic_bool *done, const char *what)
{
    int rank = world.told_rank, seconds = ALL_SECONDS + world.told_ranks / 10 + turn_of(rank);
    int64_t looks = (int64_t)seconds * 1000000 / BEAT_MICROSECONDS;
    while (!atomic_load(done)) {
        if (looks-- == 0) {
            fprintf(stderr,
                    "graco: after %d s rank %d still waits for a rank that has not %s: one stands "
                    "still, or its machine is gone\n",
                    seconds, rank, what);
            _exit(1); /* MPI cannot end the others; who has started them does */
        }
        usleep(BEAT_MICROSECONDS);
    }
}

static void beat(const struct ranks *w)
{
    int before = (w->comm.rank + w->comm.ranks - 1) % w->comm.ranks;
    int after = (w->comm.rank + 1) % w->comm.ranks;
    double sent = 0, heard = threads_seconds(), looked = heard;
    while (!atomic_load(&w->ended)) {
        double now = threads_seconds();
        if (listen(w, before, TAG_BEAT) || now - looked > ASLEEP_SECONDS) /* all may have slept */
            heard = now;
        looked = now;
        if (now - heard > SILENCE_SECONDS) {
            fprintf(stderr, "graco: rank %d has stood still for %d s, or its machine is gone\n",
                    before, SILENCE_SECONDS);
            MPI_Abort(w->messages, 1);
        }
        if (now - sent > BEAT_SECONDS) {
            say(w, after, TAG_BEAT);
            sent = now;
        }
        usleep(BEAT_MICROSECONDS);
    }
}

static void *watch(void *argument)
{
    struct ranks *w = argument;
    wait_for_all(&w->begun, "begun");
    if (w->beating)
        beat(w);
    return NULL;
}

static void *watch_end(void *argument)
{
    struct ranks *w = argument;
    wait_for_all(&w->over, "ended");
    return NULL;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

/* Tells all others that this rank has ended, and waits until each has. */
static void end_together(const struct ranks *w)
{
    for (int r = 0; r < w->comm.ranks; r++)
        if (r != w->comm.rank)
            say(w, r, TAG_END);
    for (int r = 0; r < w->comm.ranks; r++)
        while (r != w->comm.rank && !listen(w, r, TAG_END))
            usleep(SLEEP_MICROSECONDS);
}

/* All ranks end together, or, after a failure of one, at once. */
static void end(int code, void *argument)
{
    struct ranks *w = argument;
    fflush(NULL);
    if (code != 0)
        MPI_Abort(w->messages, code);
    end_together(w);
    atomic_store(&w->ended, true);
    if (w->watched)
        pthread_join(w->thread, NULL);
    memory_free(w->request);
    memory_free(w->peer);
    memory_free(w->comm.scratch);
    if (w->beating && pthread_create(&w->thread, NULL, watch_end, w) == 0)
        pthread_detach(w->thread); /* it ends with the program */
    MPI_Finalize();
    atomic_store(&w->over, true);
}

/* This rank's number among those that share its machine's memory. */
static int rank_here(void)
{
    MPI_Comm machine;
    int rank = 0;
    MPI_Comm_split_type(world.messages, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_free(&machine);
    return rank;
}

/* All ranks beat, or none does: one that is silent would be taken for one that stands still. */
static void begin_beats(int level, int refused)
{
    int least = level;
    MPI_Allreduce(&level, &least, 1, MPI_INT, MPI_MIN, world.messages);
    world.beating = least == MPI_THREAD_MULTIPLE && world.comm.ranks > 1;
    if (refused && world.beating) {
        fprintf(stderr, "graco: rank %d: the thread that watches the others was refused: %s\n",
                world.comm.rank, strerror(refused));
        MPI_Abort(world.messages, 1);
    }
    atomic_store(&world.begun, true);
}

static void begin(void)
{
    int level = 0, refused;
    world.told_rank = told("OMPI_COMM_WORLD_RANK", "PMI_RANK");
    world.told_ranks = told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    refused = pthread_create(&world.thread, NULL, watch, &world);
    world.watched = refused == 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.messages);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.beats);
    MPI_Comm_set_errhandler(world.messages, MPI_ERRORS_RETURN);
    world.comm = (struct comm){.start = start,
                               .move = move,
                               .finish = finish,
                               .call = call,
                               .called = called,
                               .self = &world};
    MPI_Comm_rank(world.messages, &world.comm.rank);
    MPI_Comm_size(world.messages, &world.comm.ranks);
    world.comm.here = rank_here();
    begin_beats(level, refused);
    on_exit(end, &world);
}

struct comm *comm_world(void)
{
    pthread_once(&once, begin);
    return world.comm.ranks > 1 ? &world.comm : NULL;
}
