#include "train/prefetch.h"

#include "check.h"
#include "faults.h"

enum { NODES = 60, STEPS = 5 };

/* Creates, takes STEPS samples, frees. */
static graco_status run(const struct prefetch_options *options)
{
    struct prefetch *prefetch = NULL;
    const struct sample *sample = NULL;
    graco_status status = prefetch_create(&prefetch, options);
    CHECK((status == GRACO_OK) == (prefetch != NULL));
    for (int i = 0; status == GRACO_OK && i < STEPS; i++) {
        status = prefetch_next(prefetch, &sample);
        if (status != GRACO_OK)
            CHECK(strstr(graco_message(), "sampling step") != NULL &&
                  strstr(graco_message(), "out of memory") != NULL);
    }
    prefetch_free(prefetch);
    return status;
}

int main(void)
{
    int32_t source[NODES], target[NODES], nodes[NODES];
    const int64_t fanout[] = {3, 3};
    struct graph *graph = NULL;
    for (int32_t i = 0; i < NODES; i++) {
        source[i] = (i * 7 + 3) % NODES;
        target[i] = nodes[i] = i;
    }
    CHECK_OK(graph_create(&graph, NULL, NODES, NODES, source, target, true));
    struct prefetch_options options = {
        .graph = graph,
        .hops = 2,
        .fanout = fanout,
        .seed = 1,
        .roots = nodes,
        .count = NODES,
        .batch = 8,
        .ahead = 2,
    };
    /* The thread may be ahead of the last step taken, so a failed allocation need not show; a failure
     * that shows must come from one. */
    for (int thread = 0; thread <= 1; thread++) {
        options.thread = thread;
        long n = 0;
        do {
            faults_hit = 0;
            faults_until = n++;
            graco_status status = run(&options);
            CHECK(status == GRACO_OK || (status == GRACO_ERROR_MEMORY && faults_hit > 0));
        } while (faults_hit > 0 && n < 1000);
        faults_until = -1;
        CHECK(n > 10 && n < 1000);
    }
    graph_free(graph);
    return check_result();
}
