/* How much of what ranks exchange moves while they compute, over a link that is slow by arithmetic.
 *
 *     bench_link DATASET RANKS GBIT MICROSECONDS EPOCHS [KEY=VALUE...]
 *
 * Trains by ranks that are threads of this program. What is received would take MICROSECONDS and its bytes
 * over GBIT Gbit/s; the time on a core that a rank has computed from a start to its finish is taken
 * off, and the rest is waited for. So other programs on the machine do not count, nor that ranks wait
 * for each other, nor what a real link needs to keep moving. Prints, as a mean of the ranks, the seconds
 * of computing, of all that was received, and of waiting. */
#include "base/threads.h"
#include "comm_threads.h"
#include "config/config.h"
#include "methods/method.h"

#include <stdio.h>

/* A rank's comm over such a link. */
struct link {
    struct comm comm, *real;
    double began; /* on the clock of its own work: when the first message under way was started */
    double received; /* seconds of the messages under way; 0: there are none */
    double moved, waited;
};

struct job {
    const graco_dataset *data;
    graco_config config;
    double bytes_a_second, latency;
    double computed, moved, waited;
    pthread_mutex_t lock;
};

static _Thread_local struct link *here;
static struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Stands in comm_alone.c's place: each thread has ranks of its own. */
struct comm *comm_world(void)
{
    return here ? &here->comm : NULL;
}

static void must(graco_status status)
{
    if (status == GRACO_OK)
        return;
    fprintf(stderr, "bench_link: %s\n", graco_message());
    exit(1);
}

static graco_status link_start(struct comm *comm, int count, const struct comm_message *list)
{
    struct link *link = comm->self;
    for (int i = 0; i < count; i++) {
        if (list[i].sent || list[i].bytes == 0)
            continue;
        if (link->received == 0) {
            link->received = job.latency;
            link->began = threads_own_seconds();
        }
        link->received += (double)list[i].bytes / job.bytes_a_second;
    }
    return link->real->start(link->real, count, list);
}

static void link_move(struct comm *comm)
{
    (void)comm;
}

static graco_status link_finish(struct comm *comm, double seconds)
{
    struct link *link = comm->self;
    double left = link->received - (threads_own_seconds() - link->began);
    link->moved += link->received;
    link->waited += link->received > 0 && left > 0 ? left : 0;
    link->received = 0;
    return link->real->finish(link->real, seconds);
}

static void train(struct comm *real, void *argument)
{
    struct link link = {.comm = *real, .real = real};
    graco_train_result result;
    (void)argument;
    link.comm.start = link_start;
    link.comm.move = link_move;
    link.comm.finish = link_finish;
    link.comm.self = &link;
    here = &link;
    double began = threads_own_seconds();
    must(graco_train(NULL, &result, job.data, &job.config, NULL));
    pthread_mutex_lock(&job.lock);
    job.computed += (threads_own_seconds() - began) / real->ranks;
    job.moved += link.moved / real->ranks;
    job.waited += link.waited / real->ranks;
    pthread_mutex_unlock(&job.lock);
    free(link.comm.scratch);
}

int main(int argc, char **argv)
{
    const struct method *method = NULL;
    graco_dataset *data = NULL;
    if (argc < 6) {
        fprintf(stderr,
                "usage: bench_link DATASET RANKS GBIT MICROSECONDS EPOCHS [KEY=VALUE...]\n");
        return 2;
    }
    int ranks = atoi(argv[2]);
    must(graco_dataset_load(&data, argv[1], NULL));
    must(method_find(&method, "grace"));
    method_configure(&job.config, method, NULL);
    for (int i = 6; i < argc; i++)
        must(config_apply(&job.config, argv[i]));
    job.config.threads = 1;
    job.config.epochs = atoi(argv[5]);
    job.data = data;
    job.bytes_a_second = atof(argv[3]) * 1e9 / 8;
    job.latency = atof(argv[4]) * 1e-6;
    run_ranks(ranks < THREAD_RANKS_MOST ? ranks : THREAD_RANKS_MOST, train, NULL);
    printf("computed %.3f s, received in %.3f s, waited %.3f s: %.1f %% of the time, %.1f %% if "
           "nothing "
           "overlapped\n",
           job.computed, job.moved, job.waited, 100 * job.waited / (job.computed + job.waited),
           100 * job.moved / (job.computed + job.moved));
    graco_dataset_free(data);
    return 0;
}
