/* Graphs as other programs write them, with attributes of nodes: networkx's node-link JSON, GraphML. The
 * same graph as an edge list with tables has the same fingerprint; what has two readings is refused. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"

static graco_load_options none;

#define TEXT_FAILS(text, part)                                                                     \
    do {                                                                                           \
        graco_dataset *data = NULL;                                                                \
        fixture_text("bad", text);                                                                 \
        CHECK_FAILS(graco_dataset_load(&data, fixture_path("bad"), &none), GRACO_ERROR_FORMAT,     \
                    part);                                                                         \
        CHECK(!data && strstr(graco_message(), fixture_folder()));                                 \
    } while (0)

static graco_dataset *load_text(const char *text, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    fixture_text("graph", text);
    CHECK_OK(graco_dataset_load(&data, fixture_path("graph"), options));
    return data;
}

/* The graph of small_json as tables. */
static void fingerprint_of_tables(char out[GRACO_FINGERPRINT])
{
    char features[256], labels[256];
    graco_dataset *data = NULL;
    fixture_text("t.txt", "ann bob 2\nbob cid .5\n");
    fixture_text("t.csv", "id,age,x0,x1\nbob,7,1,3\ncid,-2,4,5\nann,31,.5,2\n");
    fixture_text("t.labels", "cid,blue\nann,red\n");
    snprintf(features, sizeof features, "%s", fixture_path("t.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("t.labels"));
    graco_load_options options = {
        .features_path = features, .labels_path = labels, .undirected = true};
    CHECK_OK(graco_dataset_load(&data, fixture_path("t.txt"), &options));
    CHECK_OK(graco_dataset_fingerprint(out, data));
    graco_dataset_free(data);
}

static void check_same(const char *text)
{
    char found[2][GRACO_FINGERPRINT];
    graco_dataset *data = load_text(text, NULL);
    CHECK_OK(graco_dataset_fingerprint(found[0], data));
    fingerprint_of_tables(found[1]);
    CHECK(strcmp(found[0], found[1]) == 0);
    CHECK(strcmp(data->node_ids[1], "bob") == 0 && strcmp(data->class_names[0], "blue") == 0);
    graco_dataset_free(data);
}

/* ---- Node-link JSON -------------------------------------------------------------------------- */

#define NODES "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], "

static void node_link(void)
{
    check_same(small_json);
    graco_dataset *data = load_text(small_json, &(graco_load_options){.unweighted = true});
    CHECK(!data->graph->in.value && data->graph->edges == 4);
    const char *note = graco_dataset_note(data, 0);
    CHECK(strstr(note, "node-link JSON; 3 nodes, which have names; 2 links, undirected; features "
                       "`age`, `x[0]`, `x[1]`; labels `label`"));
    graco_dataset_free(data);

    /* Ids in order are numbers; "edges" are links; a multigraph sums, both ways. */
    data = load_text(NODES "\"multigraph\": true, \"edges\": ["
                           "{\"source\": 0, \"target\": 1, \"weight\": 1, \"key\": 0},"
                           "{\"source\": 1, \"target\": 0, \"weight\": 2, \"key\": 1}]}",
                     NULL);
    CHECK(!data->node_ids && data->graph->edges == 2 && data->duplicates == 2);
    CHECK(data->graph->in.value[0] == 3 && data->graph->in.value[1] == 3);
    graco_dataset_free(data);
    data =
        load_text(NODES "\"directed\": true, \"links\": [{\"source\": 1, \"target\": 0}]}", NULL);
    CHECK(data->graph->edges == 1 && data->features.cols == 0 && !data->label);
    graco_dataset_free(data);

    /* Attributes that some node has not, or not as a number, are left out; classes are integers. */
    data = load_text("{\"nodes\": [{\"id\": 7, \"y\": 2, \"a\": 1, \"b\": 1, \"c\": 5, \"d\": [1]},"
                     "{\"id\": 3, \"y\": 0, \"a\": \"x\", \"c\": 6, \"d\": [1, 2]}, {\"id\": 5, "
                     "\"a\": 1, \"b\": 2, \"c\": 1e3, \"d\": []}], \"links\": []}",
                     NULL);
    CHECK(data->features.cols == 1 && data->features.dense[2] == 1000);
    CHECK(data->classes == 2 && graco_dataset_label(data, 0) == 2 &&
          graco_dataset_label(data, 2) == -1 && !data->class_names);
    CHECK(strcmp(data->node_ids[0], "7") == 0);
    CHECK(strstr(graco_dataset_note(data, 0),
                 "features `c`; labels `y`; left out `a`, `b`, `d[0]`, `d[1]`"));
    graco_dataset_free(data);

    /* Truths are classes 1 and 0, null is unknown; what is no label is not dropped unsaid. */
    data = load_text("{\"nodes\": [{\"id\": 0, \"y\": true}, {\"id\": 1, \"y\": false}, "
                     "{\"id\": 2, \"y\": null}], \"links\": []}",
                     NULL);
    CHECK(data->classes == 2 && data->label[0] == 1 && data->label[1] == 0 && data->label[2] == -1);
    CHECK(strstr(graco_dataset_note(data, 0), "labels `y`"));
    graco_dataset_free(data);
    data = load_text("{\"nodes\": [{\"id\": 0, \"y\": [1, 0]}, {\"id\": 1, \"y\": 0.5}], "
                     "\"links\": []}",
                     NULL);
    CHECK(data->classes == 0 && strstr(graco_dataset_note(data, 0), "left out `y`"));
    graco_dataset_free(data);
}

/* Weights that are none, by what they are. */
static void node_link_weights(void)
{
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": null}]}",
               "the weight of link 0 is null: expected a number; --unweighted");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": \"2\"}]}",
               "the weight of link 0 is a string: expected a number");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": 2}, "
                     "{\"source\": 1, \"target\": 0}]}",
               "link 1 has no weight, and others have: expected all or none");
}

/* ---- GraphML --------------------------------------------------------------------------------- */

#define GRAPH(keys, way, inner)                                                                    \
    "<graphml>" keys "<graph edgedefault='" way "'>" inner "</graph></graphml>"
#define PAIR "<node id='0'/><node id='1'/>"
#define WEIGHT "<key id='w' for='edge' attr.name='weight' attr.type='double'/>"
#define KEY(name, type, usual)                                                                     \
    "<key id='" name "' for='node' attr.name='" name "' attr.type='" type "'>" usual "</key>"

static void graphml(void)
{
    check_same(small_graphml);
    graco_dataset *data = load_text(small_graphml, &(graco_load_options){.unweighted = true});
    CHECK(!data->graph->in.value && data->graph->edges == 4);
    CHECK(strstr(graco_dataset_note(data, 0),
                 "GraphML; 3 nodes, which have names; 2 edges, undirected; features `age`, `x[0]`, "
                 "`x[1]`; labels `label`; left out `d5`"));
    graco_dataset_free(data);

    /* Ids in order are numbers; an edge may have a way of its own; a default is a weight, also of a key for all. */
    data = load_text(GRAPH("<key id='w' for='all' attr.name='weight' attr.type='int'>"
                           "<default>3</default></key>",
                           "directed",
                           PAIR "<edge source='0' target='1'/><node id='2'/><edge source='1' "
                                "target='2' directed='false'><data key='w'>2</data></edge>"),
                     NULL);
    CHECK(!data->node_ids && data->graph->edges == 3 && data->graph->nodes == 3);
    CHECK(data->graph->in.value[0] == 3 && data->graph->in.value[2] == 2);
    graco_dataset_free(data);
    data = load_text("\xef\xbb\xbf" GRAPH("", "undirected",
                                          PAIR "<edge id='e' source='0' target='1'><port "
                                               "name='p'/></edge><edge source='1' target='0'/>"),
                     NULL);
    CHECK(data->graph->edges == 2 && data->duplicates == 2 && !data->graph->in.value);
    graco_dataset_free(data);

    /* A default that hardly any node replaces makes no feature; classes may have one. */
    data = load_text(GRAPH(KEY("a", "double", "<default>4</default>")
                               KEY("b", "boolean", "<default>0</default>")
                                   KEY("y", "int", "<default>1</default>"),
                           "undirected",
                           "<node id='0'><data key='b'>true</data></node><node id='1'>"
                           "<data key='y'>0</data></node>"),
                     NULL);
    CHECK(data->features.cols == 1 && data->features.dense[0] == 1 && data->features.dense[1] == 0);
    CHECK(data->classes == 2 && data->label[0] == 1 && data->label[1] == 0);
    graco_dataset_free(data);
}

static void bad_graphml(void)
{
    TEXT_FAILS("<html></html>", "the root is another element: expected <graphml>");
    TEXT_FAILS("<graphml/>", "no <graph>");
    TEXT_FAILS("<!DOCTYPE a [<!ENTITY b 'c'>]><graphml/>", "a document type");
    TEXT_FAILS("<graphml><graph edgedefault='x'/></graphml>", "edgedefault is neither");
    TEXT_FAILS("<graphml><graph/></graphml>", "edgedefault is neither");
    TEXT_FAILS(GRAPH("<key id='w' for='edge' attr.name='weight' attr.type='string'/>", "directed",
                     PAIR "<edge source='0' target='1'><data key='w'>3</data></edge>"),
               "edge 0 has the weight '3', which its key does not declare as a number: expected "
               "attr.type=\"double\"");
    TEXT_FAILS(GRAPH("", "directed", ""), "0 nodes");
    TEXT_FAILS(GRAPH("", "directed", "<node/>"), "a <node> without an id");
    TEXT_FAILS(GRAPH("", "directed", "<node id='a'/><node id='a'/>"),
               "the nodes 0 and 1 have the id 'a'");
    TEXT_FAILS(GRAPH("", "directed", "<node id='a'><graph/></node>"), "a graph within a node");
    TEXT_FAILS(GRAPH("", "directed", "<hyperedge/>"), "a hyperedge");
    TEXT_FAILS("<graphml><graph edgedefault='directed'/><graph edgedefault='directed'/></graphml>",
               "a second graph");
    TEXT_FAILS(GRAPH("", "directed", PAIR "<edge source='0'/>"), "edge 0 has no target");
    TEXT_FAILS(GRAPH("", "directed", PAIR "<edge source='0' target='-1'/>"),
               "edge 0 has the target '-1': no node has this id");
    TEXT_FAILS(GRAPH("", "directed", "<node id='a'><data key='z'/></node>"),
               "a <data> whose key is not declared");
    TEXT_FAILS(GRAPH(WEIGHT WEIGHT, "directed", PAIR), "two keys have the same id");
    TEXT_FAILS(GRAPH("<key/>", "directed", PAIR), "a <key> without an id");
    TEXT_FAILS(GRAPH(KEY("a", "int", ""), "directed", "<node id='n'><data key='a'>x</data></node>"),
               "node 'n' has the a 'x': expected a number");
    TEXT_FAILS(GRAPH(KEY("a", "int", "<default>x</default>"), "directed", PAIR),
               "a <default> has the a 'x': expected a number");
    TEXT_FAILS(GRAPH(KEY("y", "int", ""), "directed", "<node id='n'><data key='y'>x</data></node>"),
               "a node has the y 'x': expected a number");
    TEXT_FAILS(
        GRAPH(WEIGHT, "directed", PAIR "<edge source='0' target='1'><data key='w'>x</data></edge>"),
        "edge 0 has the weight 'x': expected a number");
    TEXT_FAILS(GRAPH(WEIGHT, "directed",
                     PAIR "<edge source='0' target='1'><data key='w'>2</data></edge>"
                          "<edge source='1' target='0'/>"),
               "edge 1 has no weight, and others have");
    TEXT_FAILS(
        GRAPH(WEIGHT, "directed", PAIR "<edge source='0' target='1'><data key='w'>0</data></edge>"),
        "has the weight 0");
    TEXT_FAILS(GRAPH(WEIGHT, "directed",
                     PAIR "<edge source='0' target='1'><data key='w'>NaN</data></edge>"),
               "has the weight nan");
    TEXT_FAILS(GRAPH("", "directed", "<node id='a'>") "<", "line 1");
}

/* Tables beside it replace what the file says. */
static void replaced(void)
{
    char features[256], labels[256];
    fixture_text("t.csv", "id,f\nbob,1\ncid,2\nann,3\n");
    fixture_text("t.labels", "cid,b\nann,a\n");
    snprintf(features, sizeof features, "%s", fixture_path("t.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("t.labels"));
    graco_dataset *data = load_text(
        small_json, &(graco_load_options){.features_path = features, .labels_path = labels});
    CHECK(data->features.cols == 1 && data->features.dense[0] == 3 && data->features.dense[1] == 1);
    CHECK(strcmp(data->class_names[1], "b") == 0 && data->label[2] == 1);
    graco_dataset_free(data);
}

static void bad_node_link(void)
{
    TEXT_FAILS("{}", "nodes");
    TEXT_FAILS("{\"nodes\": {}, \"links\": []}", "nodes");
    TEXT_FAILS("{\"nodes\": []}", "links");
    TEXT_FAILS("{\"nodes\": [], \"links\": []}", "0 nodes");
    TEXT_FAILS(NODES "\"links\": [], \"edges\": []}", "both \"links\" and \"edges\"");
    TEXT_FAILS(NODES "\"links\": [], \"directed\": 1}", "directed");
    TEXT_FAILS(NODES "\"links\": [", "line 1");
    TEXT_FAILS(NODES "\"links\": [3]}", "link 0 has no source");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": null}]}", "link 0 has no target");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 2}]}",
               "link 0 has the target '2': no node has this id");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": 1}, "
                     "{\"source\": 1, \"target\": 1}]}",
               "link 1 has no weight, and others have");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": -1}]}",
               "has the weight -1");
    TEXT_FAILS(NODES "\"links\": [{\"source\": 0, \"target\": 1, \"weight\": 1e99}]}",
               "has the weight inf");
    TEXT_FAILS("{\"nodes\": [{\"id\": [1, 2]}], \"links\": []}", "node 0 has no id");
    TEXT_FAILS("{\"nodes\": [{\"id\": 1e300}], \"links\": []}", "node 0 has no id");
    TEXT_FAILS("{\"nodes\": [5], \"links\": []}", "node 0 has no id");
    TEXT_FAILS("{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"links\": []}",
               "the nodes 0 and 1 have the id '1'");
    TEXT_FAILS("{\"nodes\": [{\"id\": 1, \"label\": 1, \"class\": 2}], \"links\": []}",
               "both `label` and `class`, and either may be their labels: --labels FILE decides");
    TEXT_FAILS("{\"nodes\": [{\"id\": 1, \"label\": 1048576}, {\"id\": 2, \"id\": 3}]}", "line 1");
}

int main(void)
{
    node_link();
    node_link_weights();
    replaced();
    bad_node_link();
    graphml();
    bad_graphml();
    return check_result();
}
