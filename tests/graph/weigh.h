/* Weights that an edge's ends decide, so that a test can tell whose an edge's weight is. */
#ifndef TESTS_GRAPH_WEIGH_H
#define TESTS_GRAPH_WEIGH_H

#include "base/memory.h"
#include "check.h"
#include "graph/graph.h"

static inline float weight_between(int64_t source, int64_t target)
{
    return 0.25f + (float)((source * 31 + target * 17) % 97);
}

static inline void weigh(struct graph *graph)
{
    CHECK_OK(memory_alloc(&graph->in.value, graph->edges, sizeof(float)));
    for (int64_t i = 0; i < graph->nodes; i++)
        for (int64_t k = graph->in.start[i]; k < graph->in.start[i + 1]; k++)
            graph->in.value[k] = weight_between(graph->in.index[k], i);
    csr_clear(&graph->out);
    memory_free(graph->out_edge);
    CHECK_OK(graph_turn(graph));
}

#endif
