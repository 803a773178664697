/* Fuzzes node_link_decode: what decodes has its ends within its nodes. */
#include "io/json/node_link.h"

#include <stddef.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct node_link graph;
    if (node_link_decode(&graph, bytes, (int64_t)length) != GRACO_OK)
        return 0;
    for (int64_t e = 0; e < graph.edges; e++) {
        if (graph.source[e] < 0 || graph.source[e] >= graph.nodes || graph.target[e] < 0 ||
            graph.target[e] >= graph.nodes)
            abort();
    }
    node_link_clear(&graph);
    return 0;
}
