/* Huffman's tree over the nodes, as word2vec builds it: frequent nodes have short paths.
 *
 * Leaves are sorted by falling count, the smaller node first among equals, and taken from the end; the
 * inner nodes, in the order in which they are made, are a second queue. Each inner node joins the two of
 * least count; of a leaf and an inner node with the same count the inner node is taken. The second of
 * the two has code 1. Inner node i was made i-th, so the last is the root. */
#ifndef METHODS_HUFFMAN_H
#define METHODS_HUFFMAN_H

#include "base/status.h"

/* Owns its arrays. */
struct huffman {
    int64_t nodes;
    int64_t *start;  /* (nodes + 1) of each node's path */
    uint32_t *path;  /* inner node << 1 | code, from the root down */
    int32_t *order;  /* (nodes) leaves by falling count */
    int64_t *weight; /* (nodes - 1) the counts below each inner node, never falling */
    int32_t *parent; /* (nodes - 1) of each inner node but the root: one that was made later */
};

/* O(nodes log nodes). `nodes` is from 1 to 2^30. */
graco_status huffman_init(struct huffman *tree, const int64_t *count, int64_t nodes);
void huffman_clear(struct huffman *tree);

/* The nodes by falling count, the smaller first among equals: out (nodes). */
graco_status huffman_order(int32_t *out, const int64_t *count, int64_t nodes);

#endif
