/* Ranks that are threads of one process, for tests without MPI: a struct comm per thread over mailboxes
 * that they share. Messages are copied when both sides have started them, in their order. */
#ifndef TESTS_COMM_THREADS_H
#define TESTS_COMM_THREADS_H

#include "comm/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREAD_RANKS_MOST = 8, THREAD_MESSAGES_MOST = 256 };

/* A message that was sent and not yet received. */
struct mail {
    void *data;
    int64_t bytes;
    struct mail *next;
};

struct thread_ranks {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct mail *box[THREAD_RANKS_MOST][THREAD_RANKS_MOST]; /* from, to: the oldest first */
};

struct thread_rank {
    struct comm comm;
    struct thread_ranks *all;
    struct comm_message wanted[THREAD_MESSAGES_MOST]; /* not yet received */
    int count;
    void (*body)(struct comm *comm, void *job);
    void *job;
};

static inline graco_status thread_start(struct comm *comm, int count,
                                        const struct comm_message *list)
{
    struct thread_rank *r = comm->self;
    for (int i = 0; i < count; i++) {
        if (list[i].bytes == 0)
            continue;
        if (!list[i].sent) {
            r->wanted[r->count++] = list[i];
            continue;
        }
        struct mail *mail = calloc(1, sizeof *mail);
        *mail = (struct mail){malloc((size_t)list[i].bytes), list[i].bytes, NULL};
        memcpy(mail->data, list[i].data, (size_t)list[i].bytes);
        pthread_mutex_lock(&r->all->lock);
        struct mail **end = &r->all->box[comm->rank][list[i].peer];
        while (*end)
            end = &(*end)->next;
        *end = mail;
        pthread_cond_broadcast(&r->all->changed);
        pthread_mutex_unlock(&r->all->lock);
        comm->messages++;
        comm->bytes += list[i].bytes;
    }
    return GRACO_OK;
}

static inline void thread_move(struct comm *comm)
{
    (void)comm;
}

static inline graco_status thread_finish(struct comm *comm, double seconds)
{
    struct thread_rank *r = comm->self;
    (void)seconds;
    pthread_mutex_lock(&r->all->lock);
    for (int i = 0; i < r->count; i++) {
        struct mail **box = &r->all->box[r->wanted[i].peer][comm->rank];
        while (!*box)
            pthread_cond_wait(&r->all->changed, &r->all->lock);
        struct mail *mail = *box;
        *box = mail->next;
        if (mail->bytes != r->wanted[i].bytes)
            abort(); /* the two sides disagree */
        memcpy(r->wanted[i].data, mail->data, (size_t)mail->bytes);
        free(mail->data);
        free(mail);
    }
    r->count = 0;
    pthread_mutex_unlock(&r->all->lock);
    return GRACO_OK;
}

static inline void *thread_main(void *argument)
{
    struct thread_rank *r = argument;
    r->body(&r->comm, r->job);
    return NULL;
}

/* Runs body(comm, job) as so many ranks at once. */
static inline void run_ranks(int ranks, void (*body)(struct comm *comm, void *job), void *job)
{
    static struct thread_rank list[THREAD_RANKS_MOST];
    struct thread_ranks all = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .changed = PTHREAD_COND_INITIALIZER};
    pthread_t thread[THREAD_RANKS_MOST];
    for (int i = 0; i < ranks; i++) {
        list[i] = (struct thread_rank){.all = &all, .body = body, .job = job};
        list[i].comm = (struct comm){.rank = i,
                                     .ranks = ranks,
                                     .start = thread_start,
                                     .move = thread_move,
                                     .finish = thread_finish,
                                     .self = &list[i]};
        if (pthread_create(&thread[i], NULL, thread_main, &list[i]) != 0)
            abort();
    }
    for (int i = 0; i < ranks; i++) {
        pthread_join(thread[i], NULL);
        free(list[i].comm.scratch);
    }
}

#endif
