/* What several published layouts have in common: a table of edges between numbered nodes, and JSON whose
 * keys are node numbers. */
#include "data/text_parts.h"

#include "io/json/json.h"

#include <string.h>

graco_status part_edges(struct dataset_parts *parts, const struct members *members,
                        const char *name, const struct table_options *how)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    struct table_edges edges = {0};
    TRY(member_bytes_open(&bytes, members, name));
    TRY(table_edges_read(&edges, name, bytes.data, bytes.length, how));
    if (edges.names || edges.weight || edges.left_out || edges.nodes > parts->nodes)
        FAIL(GRACO_ERROR_FORMAT, "%s: expected two node numbers below %lld on each line", name,
             (long long)parts->nodes);
    parts->edges = edges.count;
    parts->source = edges.source;
    parts->target = edges.target;
    edges.source = edges.target = NULL;
done:
    table_edges_clear(&edges);
    member_bytes_clear(&bytes);
    return status;
}

graco_status part_json(struct json **out, const struct members *members, const char *name)
{
    struct member_bytes bytes = {0};
    graco_status status = member_bytes_open(&bytes, members, name);
    if (status == GRACO_OK)
        status = json_parse(out, bytes.data, bytes.length);
    member_bytes_clear(&bytes);
    return status;
}

graco_status part_node(int64_t *node, const struct json *entry, int64_t nodes)
{
    struct scan_field key = {.text = entry->key, .length = (int64_t)strlen(entry->key)};
    if (scan_integer(node, key, 0, nodes - 1) && (*key.text != '0' || key.length == 1))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "an entry for \"%.40s\": expected 0 to %lld", entry->key,
                       (long long)nodes - 1);
}
