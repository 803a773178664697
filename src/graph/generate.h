/* A random graph with classes: the degree-corrected stochastic block model.
 *
 * Node i gets a weight theta_i from a power law with exponent 3, a community, and the class that
 * the community belongs to. Each edge draws its first end in proportion to theta among all nodes,
 * then, with probability `cohesion`, its second end within the same community, up to probability
 * `homophily` anywhere in the same class, else in another one, again in proportion to theta.
 *
 * Only Philox numbers and correctly rounded operations (+ - * / sqrt, one per statement, so that
 * none are fused) decide the result: the same options give the same graph on every machine. */
#ifndef GRAPH_GENERATE_H
#define GRAPH_GENERATE_H

#include "base/random.h"
#include "base/status.h"

struct generate_options {
    int64_t nodes, classes;
    int64_t communities; /* of each class; 0: one, the class itself */
    double degree;       /* average number of neighbours */
    double homophily;    /* share of the edges that stay in a class */
    double cohesion;     /* share of the edges that stay in a community, part of homophily */
    bool heavy; /* theta from a power law with exponent 7/3: more nodes of few and of many edges */
    uint64_t seed;
    uint32_t step; /* number of the graph among several of one seed */
};

/* What was drawn; owns its arrays. Pairs are undirected and may repeat. */
struct generated {
    int64_t edges;
    int32_t *source;    /* (edges) */
    int32_t *target;    /* (edges) */
    int32_t *community; /* (nodes) none is empty; number b is of class b / communities */
};

/* Parts of RANDOM_GENERATE, the key's view. */
enum generate_part {
    GENERATE_CLASS,
    GENERATE_WEIGHT,
    GENERATE_EDGE,
    GENERATE_VOCABULARY,
    GENERATE_WORDS,
    GENERATE_MEAN,
    GENERATE_NOISE,
    GENERATE_SPLIT,
    GENERATE_CARRIED,
    GENERATE_LABELS,
    GENERATE_TOPICS,
    GENERATE_CENTRES,
    GENERATE_INTERESTS,
};

/* The key of a part of data set `step` of a seed. */
struct random_key generate_key(uint64_t seed, uint32_t step, enum generate_part part);

/* Draws the graph. After repeated pairs are removed it has nodes * degree / 2 undirected edges, or
 * a little less where the graph is too dense to find new pairs. GRACO_ERROR_ARGUMENT unless
 * 1 <= classes * communities <= nodes, 0 <= degree < nodes and 0 <= cohesion <= homophily <= 1.
 * O(nodes + edges). On failure *out is empty. */
graco_status generate_graph(struct generated *out, const struct generate_options *options);

/* A lower bound on the bytes that drawing takes. It takes 84 a node at degree 1 and 24 to 40 more
 * for each neighbour; the bound is below that, so that no graph is refused that would fit. */
double generate_bytes(int64_t nodes, double degree);

void generated_clear(struct generated *graph);

#endif
