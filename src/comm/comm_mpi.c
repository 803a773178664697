/* Ranks over MPI: the one file that calls it. Linked into graco-mpi in the place of comm_alone.c.
 *
 * Whoever waits tests, gives way to other programs, and after a while sleeps between tests: several
 * ranks may share a core. A second thread of every rank sends a beat to the next rank each second
 * and listens to the one before. A rank that stands still, or whose machine is gone, sends none,
 * and its neighbour ends the program with a line that names it. A rank that dies is noticed by
 * mpirun itself. This file prints that line and ends the program, as nothing else of the library
 * does: with a rank missing nobody is left to return to. */
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
#include <unistd.h>

enum {
    BEAT_MICROSECONDS = 250000,
    SILENCE_SECONDS = 20, /* after which a rank that sends no beat is given up */
    ASLEEP_SECONDS = 5,   /* between two looks: this rank was suspended, perhaps with all others */
    SLEEP_MICROSECONDS = 20, /* between two tests of who has waited for long */
};

static const double BEAT_SECONDS = 1;
static const double TESTING_SECONDS = 100e-6; /* before who waits sleeps between tests */

struct ranks {
    struct comm comm;
    MPI_Comm messages, beats; /* apart, so that neither is taken for the other */
    MPI_Request *request;     /* (room) */
    int *peer;                /* (room) of each */
    int count;
    int64_t room;
    pthread_t thread;
    bool beating;
    atomic_bool ended;
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
    int code = m->sent ? MPI_Isend(data, bytes, MPI_BYTE, m->peer, 0, w->messages, request)
                       : MPI_Irecv(data, bytes, MPI_BYTE, m->peer, 0, w->messages, request);
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

/* The peer of the first message that is still under way. */
static int missing(struct ranks *w)
{
    for (int i = 0; i < w->count; i++) {
        int done = 1;
        if (w->request[i] != MPI_REQUEST_NULL)
            MPI_Test(&w->request[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            return w->peer[i];
    }
    return w->comm.rank;
}

static graco_status finish(struct comm *comm, double seconds)
{
    struct ranks *w = comm->self;
    double begun = threads_seconds(), now = begun;
    int done = 0;
    while (w->count > 0 && !done) {
        int code = MPI_Testall(w->count, w->request, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS)
            return fail_mpi(code);
        now = threads_seconds();
        if (!done && seconds > 0 && now - begun > seconds)
            return status_fail(GRACO_ERROR_IO, "rank %d has not answered for %g s", missing(w),
                               seconds);
        if (!done && now - begun > TESTING_SECONDS)
            usleep(SLEEP_MICROSECONDS);
        else if (!done)
            sched_yield();
    }
    w->count = 0;
    comm->waited += now - begun;
    return GRACO_OK;
}

/* ---- Beats ----------------------------------------------------------------------------------- */

/* Takes the beats that have come from the rank before; whether there were any. */
static bool listen(const struct ranks *w, int before)
{
    bool heard = false;
    for (int there = 1; there;) {
        char beat;
        MPI_Iprobe(before, 0, w->beats, &there, MPI_STATUS_IGNORE);
        if (there)
            MPI_Recv(&beat, 1, MPI_BYTE, before, 0, w->beats, MPI_STATUS_IGNORE);
        heard = heard || there;
    }
    return heard;
}

static void *beat(void *argument)
{
    struct ranks *w = argument;
    int before = (w->comm.rank + w->comm.ranks - 1) % w->comm.ranks;
    int after = (w->comm.rank + 1) % w->comm.ranks;
    double sent = 0, heard = threads_seconds(), looked = heard;
    char one = 1;
    while (!atomic_load(&w->ended)) {
        double now = threads_seconds();
        if (listen(w, before) || now - looked > ASLEEP_SECONDS) /* all may have slept */
            heard = now;
        looked = now;
        if (now - heard > SILENCE_SECONDS) {
            fprintf(stderr, "graco: rank %d has stood still for %d s, or its machine is gone\n",
                    before, SILENCE_SECONDS);
            MPI_Abort(w->messages, 1);
        }
        if (now - sent >
            BEAT_SECONDS) { /* a byte leaves at once, whether the other listens or not */
            MPI_Send(&one, 1, MPI_BYTE, after, 0, w->beats);
            sent = now;
        }
        usleep(BEAT_MICROSECONDS);
    }
    return NULL;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

/* All ranks end together, or, after a failure of one, at once. */
static void end(int code, void *argument)
{
    struct ranks *w = argument;
    fflush(NULL);
    if (code != 0)
        MPI_Abort(w->messages, code);
    comm_barrier(&w->comm, 0);
    atomic_store(&w->ended, true);
    if (w->beating)
        pthread_join(w->thread, NULL);
    memory_free(w->request);
    memory_free(w->peer);
    memory_free(w->comm.scratch);
    MPI_Finalize();
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

static void begin(void)
{
    int level = 0;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.messages);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.beats);
    MPI_Comm_set_errhandler(world.messages, MPI_ERRORS_RETURN);
    world.comm = (struct comm){.start = start, .move = move, .finish = finish, .self = &world};
    MPI_Comm_rank(world.messages, &world.comm.rank);
    MPI_Comm_size(world.messages, &world.comm.ranks);
    world.comm.here = rank_here();
    world.beating = level == MPI_THREAD_MULTIPLE && world.comm.ranks > 1 &&
                    pthread_create(&world.thread, NULL, beat, &world) == 0;
    on_exit(end, &world);
}

struct comm *comm_world(void)
{
    pthread_once(&once, begin);
    return world.comm.ranks > 1 ? &world.comm : NULL;
}
