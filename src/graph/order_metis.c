/* Parts by METIS (Karypis and Kumar, 1998), the one file that calls it: multilevel k-way division with few
 * edges between parts. It wants every edge from both ends, once, and counts in idx_t, which has 32 bits in
 * most builds of it. */
#include "graph/order.h"

#include "base/memory.h"

#include <metis.h>

/* Parts may be this much heavier than the mean, in thousandths: ranges of ranks are to end where they do. */
enum { UNEVEN = 5 };

struct adjacency {
    idx_t *start; /* (nodes + 1) */
    idx_t *index; /* neighbours of either direction, ascending */
};

/* Merges the two lists of a node's neighbours; returns how many there are, and writes them unless `to` is
 * NULL. */
static int64_t merge(idx_t *to, const struct graph *graph, int64_t node)
{
    const struct csr *in = &graph->in, *out = &graph->out;
    int64_t i = in->start[node], o = out->start[node], count = 0;
    while (i < in->start[node + 1] || o < out->start[node + 1]) {
        bool more_in = i < in->start[node + 1], more_out = o < out->start[node + 1];
        bool from_in = more_in && (!more_out || in->index[i] <= out->index[o]);
        int32_t next = from_in ? in->index[i] : out->index[o];
        i += more_in && in->index[i] == next;
        o += more_out && out->index[o] == next;
        if (to)
            to[count] = (idx_t)next;
        count++;
    }
    return count;
}

static graco_status fill_adjacency(struct adjacency *a, const struct graph *graph)
{
    const int64_t most = IDXTYPEWIDTH == 32 ? INT32_MAX : INT64_MAX;
    int64_t entries = 0;
    PASS(memory_alloc(&a->start, graph->nodes + 1, sizeof *a->start));
    for (int64_t i = 0; i < graph->nodes; i++) {
        a->start[i] = (idx_t)entries;
        entries += merge(NULL, graph, i);
        if (entries > most)
            return status_fail(
                GRACO_ERROR_ARGUMENT,
                "%lld edges or more: this METIS counts in 32 bits; expected one with "
                "IDXTYPEWIDTH 64",
                (long long)entries);
    }
    a->start[graph->nodes] = (idx_t)entries;
    PASS(memory_alloc(&a->index, entries, sizeof *a->index));
    for (int64_t i = 0; i < graph->nodes; i++)
        merge(a->index + a->start[i], graph, i);
    return GRACO_OK;
}

graco_status order_divide(int32_t *part, const struct graph *graph, const int32_t *weight,
                          int parts)
{
    struct adjacency a = {NULL, NULL};
    idx_t nodes = (idx_t)graph->nodes, count = (idx_t)parts, constraints = 1, cut = 0;
    idx_t options[METIS_NOPTIONS], *heavy = NULL, *found = NULL;
    graco_status status = GRACO_OK;
    TRY(fill_adjacency(&a, graph));
    TRY(memory_alloc(&heavy, graph->nodes, sizeof *heavy));
    TRY(memory_alloc(&found, graph->nodes, sizeof *found));
    for (int64_t i = 0; i < graph->nodes; i++)
        heavy[i] = (idx_t)weight[i];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_UFACTOR] = UNEVEN;
    int code = METIS_PartGraphKway(&nodes, &constraints, a.start, a.index, heavy, NULL, NULL,
                                   &count, NULL, NULL, options, &cut, found);
    if (code == METIS_ERROR_MEMORY)
        FAIL(GRACO_ERROR_MEMORY, "METIS is out of memory for %lld nodes and %lld edges",
             (long long)graph->nodes, (long long)graph->edges);
    if (code != METIS_OK)
        FAIL(GRACO_ERROR_DEVICE, "METIS has failed with code %d for %d parts of %lld nodes", code,
             parts, (long long)graph->nodes);
    for (int64_t i = 0; i < graph->nodes; i++)
        part[i] = (int32_t)found[i];
done:
    memory_free(a.start);
    memory_free(a.index);
    memory_free(heavy);
    memory_free(found);
    return status;
}
