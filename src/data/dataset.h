/* The data set: a graph, features, and, if known, labels and a split.
 *
 * Readers fill a `struct dataset_parts` with what their file says; dataset_create checks
 * everything, removes self-loops and duplicate edges, symmetrises if asked, and builds the graph.
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "base/status.h"
#include "graph/graph.h"

/* (rows, cols) floats, dense or compressed by rows. Owns its arrays. */
struct features {
    int64_t rows, cols;
    float *dense;   /* (rows, cols), NULL if sparse */
    int64_t *start; /* (rows + 1), NULL if dense */
    int32_t *index; /* (start[rows]), ascending within a row */
    float *value;   /* (start[rows]) */
};

void features_clear(struct features *features);

struct graco_dataset {
    char *name;
    struct graph *graph;
    struct features features;
    int64_t classes;      /* 0: no labels */
    int32_t *label;       /* (nodes) class, -1 if unknown; NULL if multi-label or unlabelled */
    uint8_t *multi;       /* (nodes, classes) 0 or 1; NULL if single-label */
    uint8_t *label_known; /* (nodes) whether the row counts in scores; NULL: all do */
    uint8_t *split;       /* (nodes) 0 training, 1 validation, 2 test, 3 none; NULL: no split */
    int32_t *graph_id;    /* (nodes) ascending from 0; NULL: one graph */
    int64_t graphs;
    char **node_ids;                /* (nodes) names, one block behind node_ids[0]; NULL: numbers */
    int64_t self_loops, duplicates; /* removed */
};

/* What a reader found; dataset_create takes ownership of every array, also when it fails. */
struct dataset_parts {
    const char *name; /* copied */
    int64_t nodes;
    int64_t edges;
    int32_t *source; /* (edges) */
    int32_t *target; /* (edges) */
    bool undirected; /* add the reverse of every edge */
    struct features features;
    int64_t classes;
    int32_t *label;
    uint8_t *multi;
    uint8_t *label_known;
    uint8_t *split;
    int32_t *graph_id;
    char **node_ids;
};

/* Checks what the reader found, and builds. At least one node; ids in range; features (nodes, cols)
 * finite, their indices in range and ascending within a row; labels -1 .. classes - 1 or a table of
 * 0 and 1, not both; split 0 .. 3; graph ids ascending from 0 without gaps, crossed by no edge. The
 * lengths of the arrays are the reader's to check. A data set without features gets none here:
 * features.cols is 0 and its arrays are NULL. GRACO_ERROR_FORMAT names the first thing that is
 * wrong. Empties `parts` in every case. O(nodes + edges + entries of the features). */
graco_status dataset_create(struct graco_dataset **out, struct dataset_parts *parts);

/* Frees the arrays of `parts` and empties it; for a reader that fails half-way. */
void dataset_parts_clear(struct dataset_parts *parts);

/* Frees names in one block, as in node_ids; accepts NULL. */
void dataset_names_free(char **names);

#endif
