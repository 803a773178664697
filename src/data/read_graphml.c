/* GraphML, as networkx, igraph, Gephi and yEd write it:
 *
 *     <graphml>
 *       <key id="d0" for="node" attr.name="age" attr.type="long"/>
 *       <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
 *       <graph edgedefault="undirected">
 *         <node id="ann"><data key="d0">31</data></node>
 *         <edge source="ann" target="bob"><data key="d1">2</data></edge>
 *       </graph>
 *     </graphml>
 *
 * An edge may stand before its nodes, so the document is read twice: for the nodes, then for the edges.
 * Attributes of nodes become features and labels as data/attributes.h says. Graphs within nodes,
 * hyperedges and a second graph are refused. */
#include "data/attributes.h"

#include "base/memory.h"
#include "io/xml/xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longer names are no features; longer numbers are none. */
enum { NAME_MAX_LENGTH = 200, NUMBER_TEXT = 64 };

enum of { OF_NODE = 1, OF_EDGE = 2 };
enum type { TYPE_STRING, TYPE_NUMBER, TYPE_TRUTH };

/* What a <key> declares. Texts are owned. */
struct key {
    int of; /* enum of, one or both */
    enum type type;
    char *name;
    int64_t length; /* of name */
    bool label;     /* nodes' values of this key are their labels */
    char *usual;    /* <default>; NULL: none */
};

struct weight {
    double value;
    bool known;
};

struct graphml {
    const struct source *source;
    struct tables *tables;
    struct attributes *attributes;
    struct xml xml;
    struct names *key_ids;
    struct key *keys; /* (names_count(key_ids)) */
    int64_t key_room;
    bool edges_wanted; /* this pass is for the edges */
    bool graph_seen, directed;
    int64_t edges, weighted; /* how many there are, and how many have a weight */
    int64_t edge;            /* of the second pass */
    struct weight usual;     /* of edges that have none of their own */
    int64_t usual_key;   /* the key whose <default> is the label of nodes without one; -1: none */
    int32_t usual_label; /* the number of that label, once a node has it; -1: none */
};

static bool equal(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

/* Goes to the end of the element that has just begun. */
static graco_status skip(struct graphml *g)
{
    const char *text;
    return xml_content(&text, &g->xml);
}

/* Takes a child of an element, which has just begun, up to its end. */
typedef graco_status child_fn(struct graphml *g, void *of);

/* Goes to the end of the element that has just begun, child by child. */
static graco_status each_child(struct graphml *g, child_fn *take, void *of)
{
    enum xml_event event = XML_TEXT;
    while (event != XML_CLOSE) {
        PASS(xml_next(&event, &g->xml));
        if (event == XML_OPEN)
            PASS(take(g, of));
    }
    return GRACO_OK;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static enum type type_of(const char *word)
{
    static const char *const numbers[] = {"int", "long", "float", "double"};
    for (size_t i = 0; word && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(word, numbers[i]) == 0)
            return TYPE_NUMBER;
    return equal(word, "boolean") ? TYPE_TRUTH : TYPE_STRING;
}

/* The number that a text of this key is; false if it is none. */
static bool number_of(double *out, const struct key *key, const char *text)
{
    const struct scan_field field = {.text = text, .length = (int64_t)strlen(text)};
    *out = equal(text, "true") || equal(text, "1");
    if (key->type == TYPE_TRUTH)
        return *out == 1 || equal(text, "false") || equal(text, "0");
    return key->type == TYPE_NUMBER && field.length < NUMBER_TEXT && scan_number(out, field);
}

static graco_status fail_number(const struct key *key, const char *what, const char *text)
{
    if (key->type == TYPE_STRING)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s has the %.100s '%.40s', which its key does not declare as a number: "
                           "expected attr.type=\"double\", \"float\", \"int\" or \"long\"; "
                           "--unweighted leaves weights out",
                           what, key->name, text);
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has the %.100s '%.40s': expected a number, as its "
                       "key declares",
                       what, key->name, text);
}

static bool is_weight(const struct key *key)
{
    return key->of & OF_EDGE && strcmp(key->name, "weight") == 0;
}

/* Whether a node's values of this key are features. */
static bool is_feature(const struct key *key)
{
    return key->of & OF_NODE && key->length <= NAME_MAX_LENGTH && !key->label;
}

/* Declares a feature, and keeps what the <default> of a key is for. */
static graco_status use_key(struct graphml *g, int64_t place)
{
    struct key *key = &g->keys[place];
    double number = 0;
    key->length = (int64_t)strlen(key->name);
    key->label = key->of & OF_NODE && attributes_is_label(key->name, key->length);
    bool weight = key->usual && is_weight(key) && !g->source->options->unweighted;
    bool feature = is_feature(key) && key->type != TYPE_STRING;
    if (key->usual && (weight || feature) && !number_of(&number, key, key->usual))
        return fail_number(key, "a <default>", key->usual);
    if (key->usual && key->label)
        g->usual_key = place;
    if (weight)
        g->usual = (struct weight){number, true};
    return feature ? attributes_declare(g->attributes, key->name, key->length,
                                        key->usual ? &number : NULL)
                   : GRACO_OK;
}

/* A child_fn of a <key>. */
static graco_status take_default(struct graphml *g, void *of)
{
    struct key *key = of;
    const char *text;
    bool usual = xml_is(&g->xml, "default") && !key->usual;
    PASS(xml_content(&text, &g->xml));
    return usual ? memory_string(&key->usual, text) : GRACO_OK;
}

static graco_status read_key(struct graphml *g)
{
    struct xml *xml = &g->xml;
    const char *text, *id;
    int32_t place;
    struct key key = {.of = OF_NODE | OF_EDGE};
    PASS(xml_value(&id, xml, "id"));
    if (!id)
        return xml_fail(xml, "a <key> without an id");
    int64_t before = names_count(g->key_ids);
    PASS(names_add(&place, g->key_ids, id, (int64_t)strlen(id)));
    if (place < before)
        return xml_fail(xml, "two keys have the same id");
    if (place >= g->key_room) {
        int64_t room = 2 * g->key_room + 16;
        PASS(memory_grow(&g->keys, g->key_room, room, sizeof *g->keys));
        memset(g->keys + g->key_room, 0, (size_t)(room - g->key_room) * sizeof *g->keys);
        g->key_room = room;
    }
    PASS(xml_value(&text, xml, "for"));
    if (text && !equal(text, "all"))
        key.of = equal(text, "node") ? OF_NODE : equal(text, "edge") ? OF_EDGE : 0;
    PASS(xml_value(&text, xml, "attr.type"));
    key.type = type_of(text);
    PASS(xml_value(&text, xml, "attr.name"));
    g->keys[place] = key;
    PASS(memory_string(&g->keys[place].name, text ? text : names_text(g->key_ids, place)));
    PASS(each_child(g, take_default, &g->keys[place]));
    return use_key(g, place);
}

/* The key of a <data> that has just begun. */
static graco_status find_key(const struct key **out, struct graphml *g)
{
    const char *id;
    PASS(xml_value(&id, &g->xml, "key"));
    int32_t place = id ? names_find(g->key_ids, id, (int64_t)strlen(id)) : -1;
    if (place < 0)
        return xml_fail(&g->xml, "a <data> whose key is not declared");
    *out = &g->keys[place];
    return GRACO_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* The number of a label; -1 where labels come from elsewhere or the text is empty. */
static graco_status number_label(int32_t *out, struct graphml *g, const struct key *key,
                                 const char *text)
{
    char whole[32];
    double number;
    *out = -1;
    if (g->source->options->labels_path || !*text)
        return GRACO_OK;
    if (key->type != TYPE_STRING && !number_of(&number, key, text))
        return fail_number(key, "a node", text);
    if (key->type != TYPE_STRING && fabs(number) < INT32_MAX && number == floor(number)) {
        snprintf(whole, sizeof whole, "%ld", (long)number);
        text = whole;
    }
    return attributes_label_number(out, g->attributes, key->name, text);
}

static graco_status take_label(struct graphml *g, int64_t node, const struct key *key,
                               const char *text)
{
    int32_t label;
    PASS(number_label(&label, g, key, text));
    return label >= 0 ? attributes_label_node(g->attributes, node, label) : GRACO_OK;
}

/* The <default> is read for the first node and no more: it may be as long as the nodes together. */
static graco_status take_usual_label(struct graphml *g, int64_t node)
{
    const struct key *key = g->usual_key >= 0 ? &g->keys[g->usual_key] : NULL;
    if (key && node == 0)
        PASS(number_label(&g->usual_label, g, key, key->usual));
    return g->usual_label >= 0 ? attributes_label_node(g->attributes, node, g->usual_label)
                               : GRACO_OK;
}

static graco_status take_data(struct graphml *g, int64_t node)
{
    const struct key *key = NULL;
    const char *text;
    double number;
    char what[160];
    PASS(find_key(&key, g));
    PASS(xml_content(&text, &g->xml));
    if (key->label)
        return take_label(g, node, key, text);
    if (!is_feature(key))
        return GRACO_OK;
    if (key->type == TYPE_STRING)
        return attributes_other(g->attributes, key->name, key->length);
    if (number_of(&number, key, text))
        return attributes_number(g->attributes, node, key->name, key->length, number);
    snprintf(what, sizeof what, "node '%.100s'", names_text(g->tables->edges.names, node));
    return fail_number(key, what, text);
}

/* A child_fn of a <node>. */
static graco_status take_of_node(struct graphml *g, void *of)
{
    const int64_t *node = of;
    if (xml_is(&g->xml, "graph"))
        return xml_fail(&g->xml, "a graph within a node, which graco does not read");
    return xml_is(&g->xml, "data") ? take_data(g, *node) : skip(g);
}

static graco_status take_node(struct graphml *g)
{
    struct table_edges *edges = &g->tables->edges;
    struct xml *xml = &g->xml;
    const char *id;
    int64_t node = edges->nodes;
    int32_t place;
    PASS(xml_value(&id, xml, "id"));
    if (!id)
        return xml_fail(xml, "a <node> without an id");
    PASS(names_add(&place, edges->names, id, (int64_t)strlen(id)));
    if (place != node)
        return status_fail(GRACO_ERROR_FORMAT, "the nodes %ld and %" PRId64 " have the id '%.100s'",
                           (long)place, node, id);
    edges->nodes++;
    PASS(take_usual_label(g, node)); /* the node's own replaces it */
    return each_child(g, take_of_node, &node);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static graco_status find_end(int32_t *out, struct graphml *g, const char *name)
{
    const char *id;
    PASS(xml_value(&id, &g->xml, name));
    if (!id)
        return status_fail(GRACO_ERROR_FORMAT,
                           "edge %" PRId64 " has no %s: expected the id of a "
                           "node",
                           g->edge, name);
    *out = names_find(g->tables->edges.names, id, (int64_t)strlen(id));
    if (*out >= 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "edge %" PRId64 " has the %s '%.100s': no node has this id", g->edge, name,
                       id);
}

/* A child_fn of an <edge>. */
static graco_status take_of_edge(struct graphml *g, void *of)
{
    struct weight *weight = of;
    const struct key *key = NULL;
    const char *text;
    char what[32];
    if (!xml_is(&g->xml, "data"))
        return skip(g);
    PASS(find_key(&key, g));
    PASS(xml_content(&text, &g->xml));
    if (!is_weight(key) || g->source->options->unweighted)
        return GRACO_OK;
    snprintf(what, sizeof what, "edge %" PRId64, g->edges_wanted ? g->edge : g->edges);
    weight->known = true;
    return number_of(&weight->value, key, text) ? GRACO_OK : fail_number(key, what, text);
}

/* The weight of an edge, if it has one and weights are wanted; goes to its end. */
static graco_status edge_weight(struct weight *out, struct graphml *g)
{
    *out = g->usual;
    return each_child(g, take_of_edge, out);
}

static graco_status count_edge(struct graphml *g)
{
    struct weight weight;
    PASS(edge_weight(&weight, g));
    g->edges++;
    g->weighted += weight.known;
    return GRACO_OK;
}

static graco_status take_edge(struct graphml *g)
{
    int32_t ends[2] = {0};
    const char *way;
    struct weight weight;
    PASS(find_end(&ends[0], g, "source"));
    PASS(find_end(&ends[1], g, "target"));
    PASS(xml_value(&way, &g->xml, "directed"));
    bool both = way ? equal(way, "false") : !g->directed;
    PASS(edge_weight(&weight, g));
    if (g->weighted > 0 && !weight.known)
        return status_fail(GRACO_ERROR_FORMAT,
                           "edge %" PRId64 " has no weight, and others have: expected all or none; "
                           "--unweighted leaves weights out",
                           g->edge);
    attributes_edge(&g->tables->edges, ends, (float)weight.value, both);
    g->edge++;
    return GRACO_OK;
}

/* ---- The document ---------------------------------------------------------------------------- */

/* A child_fn of the <graph>. */
static graco_status take_of_graph(struct graphml *g, void *of)
{
    (void)of;
    if (xml_is(&g->xml, "hyperedge"))
        return xml_fail(&g->xml, "a hyperedge, which graco does not read");
    if (xml_is(&g->xml, "node") && !g->edges_wanted)
        return take_node(g);
    if (xml_is(&g->xml, "edge"))
        return g->edges_wanted ? take_edge(g) : count_edge(g);
    return skip(g);
}

static graco_status read_graph(struct graphml *g)
{
    struct xml *xml = &g->xml;
    const char *text;
    if (g->graph_seen)
        return xml_fail(xml, "a second graph: expected one in a file");
    g->graph_seen = true;
    PASS(xml_value(&text, xml, "edgedefault"));
    g->directed = equal(text, "directed");
    if (!g->directed && !equal(text, "undirected"))
        return xml_fail(xml, "a <graph> whose edgedefault is neither directed nor undirected");
    return each_child(g, take_of_graph, NULL);
}

/* A child_fn of the root. */
static graco_status take_of_root(struct graphml *g, void *of)
{
    (void)of;
    if (xml_is(&g->xml, "key") && !g->edges_wanted)
        return read_key(g);
    return xml_is(&g->xml, "graph") ? read_graph(g) : skip(g);
}

static graco_status read_document(struct graphml *g)
{
    struct xml *xml = &g->xml;
    enum xml_event event = XML_END;
    xml_clear(xml);
    xml_start(xml, g->source->text.data, g->source->text.length);
    PASS(xml_next(&event, xml));
    if (event != XML_OPEN || !xml_is(xml, "graphml"))
        return xml_fail(xml, "the root is another element: expected <graphml>");
    g->graph_seen = false;
    PASS(each_child(g, take_of_root, NULL));
    PASS(xml_next(&event, xml)); /* nothing but blanks and comments may follow */
    return g->graph_seen ? GRACO_OK
                         : status_fail(GRACO_ERROR_FORMAT, "no <graph>: expected one in <graphml>");
}

static graco_status take_graph(struct graphml *g)
{
    struct table_edges *edges = &g->tables->edges;
    char note[TABLES_NOTE];
    PASS(names_create(&g->key_ids));
    PASS(names_create(&edges->names));
    PASS(read_document(g));
    PASS(memory_alloc(&edges->source, 2 * g->edges, sizeof *edges->source));
    PASS(memory_alloc(&edges->target, 2 * g->edges, sizeof *edges->target));
    if (g->weighted > 0)
        PASS(memory_alloc(&edges->weight, 2 * g->edges, sizeof *edges->weight));
    g->edges_wanted = true;
    PASS(read_document(g));
    attributes_drop_numbers(edges);
    snprintf(note, sizeof note,
             "GraphML; %" PRId64 " nodes, which have %s; %" PRId64 " edges, %s%s", edges->nodes,
             edges->names ? "names" : "numbers", g->edges, g->directed ? "directed" : "undirected",
             g->weighted > 0 ? ", with weights" : "");
    PASS(attributes_take(g->tables, note, g->attributes, edges->nodes));
    return tables_note(g->tables, g->source->path, note);
}

static void clear(struct graphml *g)
{
    for (int64_t k = 0; k < g->key_room; k++) {
        memory_free(g->keys[k].name);
        memory_free(g->keys[k].usual);
    }
    memory_free(g->keys);
    names_free(g->key_ids);
    attributes_free(g->attributes);
    xml_clear(&g->xml);
    tables_clear(g->tables);
}

static graco_status read_graphml(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct tables tables = {.undirected = source->options->undirected};
    struct graphml g = {.source = source, .tables = &tables, .usual_key = -1, .usual_label = -1};
    TRY(tables_options(&tables.how, source->options));
    TRY(attributes_create(&g.attributes));
    TRY(take_graph(&g));
    TRY(tables_create(out, &tables, source));
done:
    clear(&g);
    return status;
}

static bool knows(const struct source *source)
{
    return source_begins(source, '<');
}

const struct reader reader_graphml = {
    .format = "GraphML",
    .places = PLACE_TEXT,
    .tables = true,
    .knows = knows,
    .read = read_graphml,
};
