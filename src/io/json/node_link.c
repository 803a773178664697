/* Nodes and links are handed over one by one, so that no tree of them is ever whole. */
#include "io/json/node_link.h"

#include "base/memory.h"
#include "io/json/json.h"

#include <inttypes.h>
#include <string.h>

enum { ROOM_FIRST = 1024 };

struct decoding {
    struct node_link *graph;
    bool nodes, links; /* where they stand is known */
    int64_t room;      /* of links */
};

void node_link_clear(struct node_link *graph)
{
    if (!graph)
        return;
    memory_free(graph->source);
    memory_free(graph->target);
    *graph = (struct node_link){0};
}

/* The number of a node under a key of an object. */
static graco_status take_number(int32_t *out, const struct json *object, const char *key)
{
    int64_t number = 0;
    PASS(json_get_int(&number, object, key));
    if (number < 0 || number > INT32_MAX)
        return status_fail(GRACO_ERROR_FORMAT,
                           "\"%s\" is %" PRId64 ": expected the number of a node, below 2^31", key,
                           number);
    *out = (int32_t)number;
    return GRACO_OK;
}

static graco_status take_node(struct node_link *graph, const struct json *node)
{
    int32_t id = 0;
    PASS(take_number(&id, node, "id"));
    if (id != graph->nodes)
        return status_fail(GRACO_ERROR_FORMAT, "the id is %ld: expected 0, 1, 2, ... in order",
                           (long)id);
    graph->nodes++;
    return GRACO_OK;
}

static graco_status take_link(struct decoding *d, const struct json *link)
{
    struct node_link *graph = d->graph;
    if (graph->edges == d->room) {
        int64_t room = d->room > 0 ? 2 * d->room : ROOM_FIRST;
        PASS(memory_grow(&graph->source, graph->edges, room, sizeof *graph->source));
        PASS(memory_grow(&graph->target, graph->edges, room, sizeof *graph->target));
        d->room = room;
    }
    PASS(take_number(&graph->source[graph->edges], link, "source"));
    PASS(take_number(&graph->target[graph->edges], link, "target"));
    graph->edges++;
    return GRACO_OK;
}

/* A json_item_fn. */
static graco_status take(void *user, const char *key, const struct json *item)
{
    struct decoding *d = user;
    bool node = strcmp(key, "nodes") == 0;
    bool link = strcmp(key, "links") == 0 || strcmp(key, "edges") == 0;
    if (!item && link && d->links)
        return status_fail(GRACO_ERROR_FORMAT,
                           "both \"links\" and \"edges\": expected one of them");
    d->nodes |= node && !item;
    d->links |= link && !item;
    graco_status status = GRACO_OK;
    if (item && node)
        status = take_node(d->graph, item);
    else if (item && link)
        status = take_link(d, item);
    else if (item && strcmp(key, "directed") == 0 && !json_as_bool(&d->graph->directed, item))
        status = status_fail(GRACO_ERROR_FORMAT, "\"directed\" is neither true nor false");
    if (status != GRACO_OK && (node || link))
        status_context(status, "%s %" PRId64, node ? "node" : "link",
                       node ? d->graph->nodes : d->graph->edges);
    return status;
}

static graco_status check_links(const struct node_link *graph)
{
    for (int64_t e = 0; e < graph->edges; e++) {
        if (graph->source[e] >= graph->nodes || graph->target[e] >= graph->nodes)
            return status_fail(GRACO_ERROR_FORMAT,
                               "link %lld joins nodes %ld and %ld: there are %lld nodes",
                               (long long)e, (long)graph->source[e], (long)graph->target[e],
                               (long long)graph->nodes);
    }
    return GRACO_OK;
}

graco_status node_link_decode(struct node_link *out, const void *bytes, int64_t length)
{
    graco_status status = GRACO_OK;
    struct decoding d = {.graph = out};
    *out = (struct node_link){0};
    TRY(json_parse_items(bytes, length, take, &d));
    if (!d.nodes || !d.links)
        FAIL(GRACO_ERROR_FORMAT, "a graph without %s: expected a list of them",
             d.nodes ? "links" : "nodes");
    TRY(check_links(out));
done:
    if (status != GRACO_OK)
        node_link_clear(out);
    return status;
}
