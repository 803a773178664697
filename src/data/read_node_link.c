/* Graphs as networkx's node_link_data gives them to JSON:
 *
 *     {"directed": false, "multigraph": false, "graph": {...},
 *      "nodes": [{"id": "ann", "age": 31, "x": [0, 1], "label": "red"}, ...],
 *      "links": [{"source": "ann", "target": "bob", "weight": 2}, ...]}
 *
 * "edges" is the same as "links". An edge of an undirected graph goes both ways, each time that it stands
 * there. Attributes of nodes become features and labels as data/attributes.h says. */
#include "data/attributes.h"

#include "base/memory.h"
#include "io/json/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longer names are no features; of a number as text. */
enum { NAME_MAX_LENGTH = 200, NUMBER_TEXT = 24 };

/* An id or a label as text, which is borrowed from the tree or written to `number`; NULL: it is neither a
 * string nor an integer. */
static const char *text_of(const struct json *value, char number[NUMBER_TEXT])
{
    const char *text = NULL;
    int64_t integer;
    double real;
    if (json_as_string(&text, value))
        return text;
    if (json_as_int(&integer, value)) {
        snprintf(number, NUMBER_TEXT, "%" PRId64, integer);
        return number;
    }
    if (json_as_double(&real, value) && fabs(real) < INT32_MAX && real == floor(real)) {
        snprintf(number, NUMBER_TEXT, "%ld", (long)(int32_t)real);
        return number;
    }
    return NULL;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static graco_status take_list(struct attributes *attributes, int64_t node, const struct json *list)
{
    char name[NAME_MAX_LENGTH + NUMBER_TEXT];
    double value;
    for (int64_t i = 0; i < json_size(list); i++) {
        int length = snprintf(name, sizeof name, "%s[%" PRId64 "]", list->key, i);
        if (!json_as_double(&value, json_at(list, i)))
            PASS(attributes_other(attributes, name, length));
        else
            PASS(attributes_number(attributes, node, name, length, value));
    }
    return GRACO_OK;
}

/* The label of a node; true is 1 and false 0, as in GraphML. What is none is said to be left out; null
 * is unknown. */
static graco_status take_label(struct attributes *attributes, int64_t node,
                               const struct json *field)
{
    char number[NUMBER_TEXT];
    bool truth = false;
    const char *text = json_as_bool(&truth, field) ? (truth ? "1" : "0") : text_of(field, number);
    if (text)
        return attributes_label(attributes, node, field->key, text);
    return field->kind == JSON_KIND_NULL
               ? GRACO_OK
               : attributes_other(attributes, field->key, (int64_t)strlen(field->key));
}

/* `labels`: they are wanted. */
static graco_status take_attribute(struct attributes *attributes, int64_t node,
                                   const struct json *field, bool labels)
{
    int64_t length = (int64_t)strlen(field->key);
    double value;
    if (attributes_is_label(field->key, length))
        return labels ? take_label(attributes, node, field) : GRACO_OK;
    if (length > NAME_MAX_LENGTH)
        return GRACO_OK;
    if (field->kind == JSON_KIND_ARRAY)
        return take_list(attributes, node, field);
    return json_as_double(&value, field)
               ? attributes_number(attributes, node, field->key, length, value)
               : attributes_other(attributes, field->key, length);
}

static graco_status take_node(struct table_edges *edges, struct attributes *attributes,
                              const struct json *node, bool labels)
{
    char number[NUMBER_TEXT];
    const char *id = text_of(json_find(node, "id"), number);
    int32_t place;
    if (!id)
        return status_fail(GRACO_ERROR_FORMAT,
                           "node %" PRId64 " has no id: expected a string or an integer",
                           edges->nodes);
    PASS(names_add(&place, edges->names, id, (int64_t)strlen(id)));
    if (place != edges->nodes)
        return status_fail(GRACO_ERROR_FORMAT, "the nodes %ld and %" PRId64 " have the id '%.100s'",
                           (long)place, edges->nodes, id);
    for (int64_t f = 0; f < json_size(node); f++)
        if (strcmp(json_at(node, f)->key, "id") != 0)
            PASS(take_attribute(attributes, edges->nodes, json_at(node, f), labels));
    edges->nodes++;
    return GRACO_OK;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static graco_status find_end(int32_t *out, const struct names *names, const struct json *link,
                             const char *key, int64_t number)
{
    char digits[NUMBER_TEXT];
    const char *id = text_of(json_find(link, key), digits);
    if (!id)
        return status_fail(GRACO_ERROR_FORMAT,
                           "link %" PRId64 " has no %s: expected the id of a node", number, key);
    *out = names_find(names, id, (int64_t)strlen(id));
    if (*out >= 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "link %" PRId64 " has the %s '%.100s': no node has this id", number, key,
                       id);
}

/* Weights are those of all links or of none. */
static graco_status take_weight(float *out, const struct json *link, int64_t number)
{
    static const char *const kinds[] = {[JSON_KIND_NULL] = "null",
                                        [JSON_KIND_BOOL] = "true or false",
                                        [JSON_KIND_STRING] = "a string",
                                        [JSON_KIND_ARRAY] = "a list",
                                        [JSON_KIND_OBJECT] = "an object"};
    const struct json *weight = json_find(link, "weight");
    double value;
    if (!weight)
        return status_fail(GRACO_ERROR_FORMAT,
                           "link %" PRId64 " has no weight, and others have: expected all or none; "
                           "--unweighted leaves weights out",
                           number);
    if (!json_as_double(&value, weight))
        return status_fail(GRACO_ERROR_FORMAT,
                           "the weight of link %" PRId64
                           " is %s: expected a number; --unweighted leaves weights out",
                           number, kinds[weight->kind]);
    *out = (float)value;
    return GRACO_OK;
}

static bool any_weight(const struct json *links)
{
    for (int64_t e = 0; e < json_size(links); e++)
        if (json_find(json_at(links, e), "weight"))
            return true;
    return false;
}

static graco_status take_links(struct table_edges *edges, const struct json *links, bool directed,
                               bool weights)
{
    int64_t room = 2 * json_size(links);
    PASS(memory_alloc(&edges->source, room, sizeof *edges->source));
    PASS(memory_alloc(&edges->target, room, sizeof *edges->target));
    if (weights)
        PASS(memory_alloc(&edges->weight, room, sizeof *edges->weight));
    for (int64_t e = 0; e < json_size(links); e++) {
        const struct json *link = json_at(links, e);
        int32_t ends[2] = {0};
        float weight = 1;
        PASS(find_end(&ends[0], edges->names, link, "source", e));
        PASS(find_end(&ends[1], edges->names, link, "target", e));
        if (weights)
            PASS(take_weight(&weight, link, e));
        attributes_edge(edges, ends, weight, !directed);
    }
    return GRACO_OK;
}

/* ---- The file -------------------------------------------------------------------------------- */

static graco_status take_graph(struct tables *tables, struct attributes *attributes,
                               const struct json *root, const struct source *source)
{
    struct table_edges *edges = &tables->edges;
    const struct json *nodes, *links = json_find(root, "links"), *other = json_find(root, "edges");
    char note[TABLES_NOTE];
    bool directed = false;
    if (links && other)
        return status_fail(GRACO_ERROR_FORMAT,
                           "both \"links\" and \"edges\": expected one of them");
    PASS(json_get_array(&nodes, root, "nodes"));
    PASS(json_get_array(&links, root, other ? "edges" : "links"));
    if (json_find(root, "directed"))
        PASS(json_get_bool(&directed, root, "directed"));
    PASS(names_create(&edges->names));
    for (int64_t i = 0; i < json_size(nodes); i++)
        PASS(take_node(edges, attributes, json_at(nodes, i), !source->options->labels_path));
    bool weights = !source->options->unweighted && any_weight(links);
    PASS(take_links(edges, links, directed, weights));
    attributes_drop_numbers(edges);
    snprintf(note, sizeof note,
             "node-link JSON; %" PRId64 " nodes, which have %s; %" PRId64 " links, %s%s",
             edges->nodes, edges->names ? "names" : "numbers", json_size(links),
             directed ? "directed" : "undirected", weights ? ", with weights" : "");
    PASS(attributes_take(tables, note, attributes, edges->nodes));
    return tables_note(tables, source->path, note);
}

static graco_status read_node_link(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct tables tables = {.undirected = source->options->undirected};
    struct attributes *attributes = NULL;
    struct json *root = NULL;
    TRY(tables_options(&tables.how, source->options));
    TRY(json_parse(&root, source->text.data, source->text.length));
    TRY(attributes_create(&attributes));
    TRY(take_graph(&tables, attributes, root, source));
    TRY(tables_create(out, &tables, source));
done:
    attributes_free(attributes);
    json_free(root);
    tables_clear(&tables);
    return status;
}

static bool knows(const struct source *source)
{
    return source_begins(source, '{');
}

const struct reader reader_node_link = {
    .format = "node-link JSON",
    .places = PLACE_TEXT,
    .tables = true,
    .knows = knows,
    .read = read_node_link,
};
