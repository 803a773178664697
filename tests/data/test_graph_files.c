/* Graphs as other programs write them, with attributes of nodes: networkx's node-link JSON. The same graph
 * as an edge list with tables has the same fingerprint; what has two readings is refused. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"

static graco_load_options none;

#define TEXT_FAILS(text, part)                                                                     \
    do {                                                                                           \
        graco_dataset *data = NULL;                                                                \
        small_text("bad", text);                                                                   \
        CHECK_FAILS(graco_dataset_load(&data, small_path("bad"), &none), GRACO_ERROR_FORMAT,       \
                    part);                                                                         \
        CHECK(!data && strstr(graco_message(), small_root));                                       \
    } while (0)

static graco_dataset *load_text(const char *text, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    small_text("graph", text);
    CHECK_OK(graco_dataset_load(&data, small_path("graph"), options));
    return data;
}

/* The graph of small_json as tables. */
static void fingerprint_of_tables(char out[GRACO_FINGERPRINT])
{
    char features[256], labels[256];
    graco_dataset *data = NULL;
    small_text("t.txt", "ann bob 2\nbob cid .5\n");
    small_text("t.csv", "id,age,x0,x1\nbob,7,1,3\ncid,-2,4,5\nann,31,.5,2\n");
    small_text("t.labels", "cid,blue\nann,red\n");
    snprintf(features, sizeof features, "%s", small_path("t.csv"));
    snprintf(labels, sizeof labels, "%s", small_path("t.labels"));
    graco_load_options options = {
        .features_path = features, .labels_path = labels, .undirected = true};
    CHECK_OK(graco_dataset_load(&data, small_path("t.txt"), &options));
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
    CHECK(data->classes == 3 && data->label[0] == 2 && data->label[2] == -1 && !data->class_names);
    CHECK(strcmp(data->node_ids[0], "7") == 0);
    CHECK(strstr(graco_dataset_note(data, 0),
                 "features `c`; labels `y`; left out `a`, `b`, `d[0]`, `d[1]`"));
    graco_dataset_free(data);
}

/* Tables beside it replace what the file says. */
static void replaced(void)
{
    char features[256], labels[256];
    small_text("t.csv", "id,f\nbob,1\ncid,2\nann,3\n");
    small_text("t.labels", "cid,b\nann,a\n");
    snprintf(features, sizeof features, "%s", small_path("t.csv"));
    snprintf(labels, sizeof labels, "%s", small_path("t.labels"));
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
               "link 1 has no weight, a number, and others have");
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
    small_begin();
    node_link();
    replaced();
    bad_node_link();
    small_remove(small_root);
    return check_result();
}
