/* What is hidden of a data set, to be predicted from embeddings that did not see it.
 *
 * An encoder that was trained on a data set also embeds one in which some columns of the features are 0 and some
 * edges are missing: nothing is trained again. What such embeddings say of the hidden columns and edges, their own
 * rows and their neighbours' must have told them, so no embedding gains by copying, and both kinds of graphs are
 * served: those whose nodes are like their neighbours, and those whose nodes are not. No label is read. */
#ifndef EVAL_HIDDEN_H
#define EVAL_HIDDEN_H

#include "data/dataset.h"

/* One of so many columns and of so many edges is hidden; the most hidden edges that are asked about. */
enum { HIDDEN_SHARE = 5, HIDDEN_EDGES = 16384 };

/* Borrows from its data set; owns the rest. */
struct hidden {
    const graco_dataset *data;    /* that it was made of */
    struct graco_dataset seen;    /* the same without what is hidden: to be embedded */
    bool own_features, own_graph; /* of `seen`; false: nothing is hidden, they are the data set's */
    graco_matrix
        columns; /* (nodes, at most 128) the hidden columns, by smooth_project; no rows: none */
    int64_t linked, pairs; /* of `pair`: hidden edges, which come first, and all */
    int32_t *pair;         /* (pairs, 2) as many random pairs of nodes without an edge follow */
};

/* Hides a fifth of the columns, where there are two at least, and about a fifth of the edges, in both directions
 * where both are there. Always the same ones of a data set, for any number of threads. The data set must outlive
 * *out. O(entries * 128 + edges), in memory for another copy of the features and of the graph. */
graco_status hidden_make(struct hidden *out, const graco_dataset *data, int threads);
void hidden_clear(struct hidden *hidden);

/* What is seen of `data`, which is hidden->data, or a copy that has made features in the place of its own: these
 * stay, and are of the whole graph. Borrows all. */
struct graco_dataset hidden_seen(const struct hidden *hidden, const graco_dataset *data);

/* Whether hidden columns differ between nodes: every embedding predicts those that do not. */
bool hidden_differ(const struct hidden *hidden);

/* What rows (nodes, any) of `seen` predict: the share of the hidden columns' variance (eval/ridge.h), NaN if there are
 * none; and P(cosine of a hidden edge's two nodes > that of a random pair), ties half, NaN if no edge is hidden. */
graco_status hidden_columns(double *share, const struct hidden *hidden, const graco_matrix *rows,
                            int threads);
graco_status hidden_edges(double *auc, const struct hidden *hidden, const graco_matrix *rows,
                          int threads);

#endif
