/* Views of a graph whose edges have weights, drawn and normalised by each back end. */
#ifndef TESTS_COMPUTE_WEIGHTED_CASES_H
#define TESTS_COMPUTE_WEIGHTED_CASES_H

#include "check.h"
#include "operation.h"

#include "base/memory.h"

#include <math.h>

/* kind: the norm. */
static inline struct tensor *build_weighted(struct tape *tape, struct setting *s,
                                            struct tensor *in[])
{
    enum view_norm norm = (enum view_norm)s->op->kind;
    struct view_drop drop = {{0.3, 0.5}, {0, 0}};
    if (norm == VIEW_NORM_NEIGHBOURS)
        drop.edge[0] = drop.edge[1] = 0;
    CHECK_OK(views_create(&s->views, tape->context, s->graph, NULL, 0, norm, 2));
    CHECK_OK(views_draw(s->views, &drop, 5, 3, 0));
    return tape_propagate(tape, &s->views->map, in[0], NULL);
}

/* A directed graph whose first 50 nodes are hubs, with weights from 0.01 to 10. */
static inline void make_weighted(struct setting *s, const struct operation *op)
{
    int64_t nodes = op->shape[0][0] / 2, edges = 6 * nodes;
    int32_t *source = NULL, *target = NULL;
    float *weight = NULL;
    CHECK_OK(memory_alloc(&source, edges, sizeof *source));
    CHECK_OK(memory_alloc(&target, edges, sizeof *target));
    CHECK_OK(memory_alloc(&weight, edges, sizeof *weight));
    for (int64_t e = 0; e < edges; e++) {
        source[e] = (int32_t)((e * 7 + e / nodes) % nodes);
        target[e] = (int32_t)(e % 2 ? e * 3 % nodes : e % (nodes < 50 ? nodes : 50));
        weight[e] = powf(10, -0.5f + 1.5f * draw(106, e));
    }
    CHECK_OK(graph_build(&s->graph, NULL,
                         &(struct graph_pairs){nodes, edges, source, target, weight, false}));
    CHECK(s->graph->in.value);
    memory_free(source);
    memory_free(target);
    memory_free(weight);
}

static const struct operation WEIGHTED_OPERATIONS[] = {
    {"weighted, symmetric", build_weighted, {{24, 5}}, VIEW_NORM_SYMMETRIC, true},
    {"weighted, symmetric, hubs", build_weighted, {{5000, 9}}, VIEW_NORM_SYMMETRIC, false},
    {"weighted, mean", build_weighted, {{24, 5}}, VIEW_NORM_MEAN, true},
    {"weighted, mean, hubs", build_weighted, {{5000, 9}}, VIEW_NORM_MEAN, false},
    {"weighted, neighbours", build_weighted, {{24, 5}}, VIEW_NORM_NEIGHBOURS, true},
};

#endif
