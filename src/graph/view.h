/* Views: randomly corrupted versions of a graph, on a device, redrawn each epoch.
 *
 * A view keeps each directed edge with probability 1 - p_r and each feature column with probability
 * 1 - p_m. Its kept edges are listed at the places where the graph's rows begin, in both
 * orientations, so nothing is sorted or rebuilt; normalisation is a factor per node. The weights of
 * the edges, where the graph has any, decide nothing about what is removed: they are listed beside the
 * kept edges, and a degree is what those of the kept edges add up to. */
#ifndef GRAPH_VIEW_H
#define GRAPH_VIEW_H

#include "tape/tape.h"
#include "graph/graph.h"

enum view_norm {
    VIEW_NORM_SYMMETRIC,  /* D^-1/2 (A + I) D^-1/2; A has the weights, ones where there are none */
    VIEW_NORM_MEAN,       /* D^-1 (A + I) */
    VIEW_NORM_NEIGHBOURS, /* D^-1 A, D without the node itself, where it removes nothing */
};

/* What to remove from the two views. */
struct view_drop {
    double edge[2], feature[2]; /* probabilities */
};

/* One or two views of a graph, or of one hop of a sample. Encoders read `map` and `mask`. */
struct views {
    int count;
    int64_t edges;           /* before any is removed; of a rank's rows alone */
    struct sparse_map map;   /* the propagation matrices, normalised on the view's own edges */
    const float *mask[2];    /* (columns) 0 or 1; NULL: nothing is masked */
    struct sparse_map order; /* the permutations by which each view reads the rows of the features,
                                once views_shuffle was called; order.views is 0 before */
    const struct graph *graph;
    struct segments segments; /* all its edges: the sources of each target */
    struct views_store *store;
};

/* Prepares `count` views that keep everything, with masks for so many columns. Borrows the graph.
 *
 * In a graph, D counts the view's own edges, or adds up their weights. A hop of a sample holds the
 * edges into its targets but not those into its sources, whose degrees the symmetric norm needs too:
 * `source_degree` (sources) says how large each source's would be if no edge were removed, and D_j is
 * the share of it that a view keeps on average. NULL for a graph, and for the mean. */
graco_status views_create(struct views **out, struct context *context, const struct graph *graph,
                          const float *source_degree, int64_t columns, enum view_norm norm,
                          int count);
void views_free(struct views *views);

/* Draws all views afresh, as (seed, step, hop) say: the same on every device. A graph is hop 0. */
graco_status views_draw(struct views *views, const struct view_drop *drop, uint64_t seed,
                        uint32_t step, uint32_t hop);

/* From now on the second view reads the rows of the features in an order that (seed, step) draw, the
 * first one as they are. */
graco_status views_shuffle(struct views *views, uint64_t seed, uint32_t step);

/* Leaves the first view alone, for a run that has no use for a second. */
void views_single(struct views *views);

/* Sets one view from given masks: keep (edges) by edge id, mask (columns). */
graco_status views_set(struct views *views, int view, const uint8_t *keep, const float *mask);

#endif
