/* Skip-gram on random walks: DeepWalk and node2vec as word2vec's SGD.
 *
 *     walks ──► pairs (input u_i, output o) ──► terms (i, o, y) ──► buckets ──► SGD, bucket by bucket
 *
 * A pair's terms are its output, with y = 1, and `negatives` noise nodes, with y = 0; or, with 0
 * negatives, the inner nodes on the output's path in Huffman's tree, with y = 1 - code. Every term costs
 * softplus((1 - 2y) u_i.v_o).
 *
 * A step works off a chunk of walks, slice by slice: a sixteenth of the places of each walk. Rows of U
 * and of V are dealt into PARTS parts each of about equal work; a term belongs to the bucket of its two
 * parts. Buckets of a slice that share no part run at the same time, in PARTS rounds:
 *
 *     V part     0 1 2 3
 *     U part 0   1 2 3 4      round r runs the buckets marked r, each from its first term to its last
 *            1   4 1 2 3
 *            2   3 4 1 2
 *            3   2 3 4 1
 *
 * So the order of all updates of a row is a function of the data, and the same bits come out for any
 * number of threads. Every term is drawn as in word2vec; only the order within a chunk differs, and u_i
 * gets its change once per bucket of a pair, not once per pair.                        docs/math.md */
#ifndef METHODS_SKIPGRAM_H
#define METHODS_SKIPGRAM_H

#include "graph/walks.h"

struct skipgram_options {
    struct walks walks;
    int64_t per_node; /* walks from each node */
    int64_t window;   /* the most places between input and output */
    int64_t negatives;
    int64_t epochs; /* over all walks; they are the same in each */
    int64_t d;
    double alpha; /* learning rate at the start */
    int threads;
};

enum { SKIPGRAM_NODES_MAX = 1 << 30 };

struct skipgram;

/* Draws all walks once to count the nodes, for the noise or the tree; none is stored. Borrows the graph.
 * Takes O(nodes) memory, with a tree O(nodes log nodes), beside the terms of a chunk. */
graco_status skipgram_create(struct skipgram **out, const struct skipgram_options *options);
void skipgram_free(struct skipgram *skipgram);

/* Rows of V. */
int64_t skipgram_outputs(int64_t nodes, int64_t negatives);

/* Steps of an epoch. */
int64_t skipgram_steps(const struct skipgram_options *options);

/* Step `step`, counted over all epochs, on U (nodes, d) and V (outputs, d). The learning rate falls
 * linearly with the nodes of the walks done, to 1e-4 of its start at least. `loss` gets the mean over
 * pairs of the sum of its terms, each taken before its update; one place in sixteen is measured. */
graco_status skipgram_step(struct skipgram *skipgram, float *U, float *V, int64_t step,
                           double *loss);

#endif
