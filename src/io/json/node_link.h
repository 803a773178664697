/* Graphs in networkx's node-link JSON:
 *
 *     {"directed": true, "multigraph": false, "graph": {},
 *      "nodes": [{"id": 0}, {"id": 1}, ...],
 *      "links": [{"source": 0, "target": 1}, ...]}
 *
 * A tree of such a file takes ten times its size, so it is read item by item: memory is that of the
 * edges and twice the text, of which little is touched. Fields other than these are skipped, in any order; "edges", as newer versions write,
 * is the same as "links". */
#ifndef IO_JSON_NODE_LINK_H
#define IO_JSON_NODE_LINK_H

#include "base/status.h"

/* Owns its arrays. */
struct node_link {
    bool directed;
    int64_t nodes, edges;
    int32_t *source; /* (edges) in 0 .. nodes - 1 */
    int32_t *target; /* (edges) */
};

/* Node k of the list must have the id k. Bad text is GRACO_ERROR_FORMAT with line and column; so is
 * a graph without nodes or links, or a link that leaves the list of nodes. O(length). On failure
 * *out is empty. */
graco_status node_link_decode(struct node_link *out, const void *bytes, int64_t length);

void node_link_clear(struct node_link *graph);

#endif
