#include "methods/skipgram.h"

#include "base/memory.h"
#include "check.h"
#include "faults.h"

enum { NODES = 40, COLS = 8 };

/* A ring, trained for one step once for every allocation that fails. */
static void try_all(const struct graph *graph, int64_t negatives)
{
    const struct skipgram_options options = {.walks = {graph, 1, 10, 0.5, 2},
                                             .per_node = 1,
                                             .window = 2,
                                             .negatives = negatives,
                                             .epochs = 1,
                                             .d = COLS,
                                             .alpha = 0.025,
                                             .threads = 2};
    float U[NODES * COLS] = {0}, V[NODES * COLS] = {0};
    graco_status status = GRACO_ERROR_MEMORY;
    long n = 0;
    for (; status != GRACO_OK && n < 1000; n++) {
        struct skipgram *s = NULL;
        double loss;
        faults_hit = 0;
        faults_until = n;
        status = skipgram_create(&s, &options);
        if (status == GRACO_OK)
            status = skipgram_step(s, U, V, 0, &loss);
        faults_until = -1;
        CHECK((status == GRACO_OK) == (faults_hit == 0));
        CHECK(status == GRACO_OK || status == GRACO_ERROR_MEMORY);
        skipgram_free(s);
    }
    CHECK(status == GRACO_OK && n > 40);
}

int main(void)
{
    int32_t source[NODES], target[NODES];
    struct graph *graph = NULL;
    for (int32_t i = 0; i < NODES; i++) {
        source[i] = i;
        target[i] = (i + 1) % NODES;
    }
    CHECK_OK(graph_create(&graph, NULL, NODES, NODES, source, target, true));
    try_all(graph, 0);
    try_all(graph, 3);
    graph_free(graph);
    return check_result();
}
