/* Several long jobs at a time, trainings for one: workers take the next number until none is left or one has failed. A job
 * that found too little memory beside others does not end the rest; it is run again alone. */
#include "base/memory.h"
#include "base/threads.h"
#include "graco_command.h"

#include <pthread.h>
#include <stdio.h>

struct jobs {
    graco_job_fn *run;
    void *user;
    int64_t next, count;
    bool alone;
    bool *again;         /* (count) it wants more room */
    graco_status status; /* of the first that failed, with its number and message */
    int64_t failed;
    char message[STATUS_MESSAGE];
    pthread_mutex_t lock; /* of all but run, user, count and alone */
};

/* The number of the next job; -1: there is none, or there shall be none. */
static int64_t take(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    int64_t job = jobs->status == GRACO_OK && jobs->next < jobs->count ? jobs->next++ : -1;
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

static void run(struct jobs *jobs, int64_t job)
{
    graco_status status = jobs->run(jobs->user, job, jobs->alone);
    bool wants_room = status == GRACO_ERROR_MEMORY || status == GRACO_ERROR_DEVICE;
    pthread_mutex_lock(&jobs->lock);
    if (wants_room && !jobs->alone) {
        jobs->again[job] = true;
    } else if (status != GRACO_OK && (jobs->status == GRACO_OK || jobs->status == GRACO_STOPPED)) {
        /* What was stopped may have been so for the one that failed. */
        jobs->status = status;
        jobs->failed = job;
        snprintf(jobs->message, sizeof jobs->message, "%s", graco_message()); /* this thread's */
    }
    pthread_mutex_unlock(&jobs->lock);
}

static void work(void *argument, struct threads_piece piece)
{
    (void)piece;
    for (int64_t job; (job = take(argument)) >= 0;)
        run(argument, job);
}

graco_status graco_run_jobs(int64_t *failed, int64_t count, int at_once, graco_job_fn *function,
                            void *user)
{
    struct jobs jobs = {.run = function,
                        .user = user,
                        .count = count,
                        .alone = at_once <= 1 || count == 1,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    PASS(memory_zalloc(&jobs.again, count, sizeof *jobs.again));
    threads_run(at_once, at_once, 1, work, &jobs);
    jobs.alone = true;
    for (int64_t i = 0; i < count && jobs.status == GRACO_OK; i++)
        if (jobs.again[i])
            run(&jobs, i);
    memory_free(jobs.again);
    if (jobs.status == GRACO_OK)
        return GRACO_OK;
    if (failed)
        *failed = jobs.failed;
    return graco_fail(jobs.status, jobs.message);
}
