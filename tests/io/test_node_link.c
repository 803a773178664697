/* Node-link JSON: what it holds, and what is refused with its place. */
#include "check.h"
#include "io/json/node_link.h"

static graco_status decode(struct node_link *graph, const char *text)
{
    return node_link_decode(graph, text, (int64_t)strlen(text));
}

static void known_graph(void)
{
    struct node_link graph;
    CHECK_OK(decode(&graph,
                    "{\"directed\": false, \"multigraph\": false, \"graph\": {\"a\": [1, "
                    "{\"b\": null}, [], {}, -1.5e+3, \"x\\\"y\", true]},\n"
                    " \"links\": [{\"source\": 0, \"weight\": 0.5, \"target\": 2},"
                    "{\"target\": 1, \"source\": 2}],\n"
                    "\t\"nodes\": [{\"id\": 0}, {\"test\": false, \"id\": 1},{\"id\":2}]} "));
    CHECK(!graph.directed && graph.nodes == 3 && graph.edges == 2);
    CHECK(graph.source[0] == 0 && graph.target[0] == 2);
    CHECK(graph.source[1] == 2 && graph.target[1] == 1);
    node_link_clear(&graph);
    CHECK_OK(decode(&graph, "{\"nodes\":[],\"edges\":[],\"directed\":true}"));
    CHECK(graph.directed && graph.nodes == 0 && graph.edges == 0);
    node_link_clear(&graph);
}

static void refusals(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: '{' expected"},
        {"[]", "'{' expected"},
        {"{", "a string expected"},
        {"{}", "a graph without nodes"},
        {"{\"nodes\": []}", "a graph without links"},
        {"{\"nodes\": [], \"links\": []", "',' or '}' expected"},
        {"{\"nodes\": [], \"links\": []} x", "the end of the file"},
        {"{\"nodes\": [], \"links\": [],}", "a key after ','"},
        {"{\"nodes\": [], \"nodes\": []}", "only once"},
        {"{\"nodes\": [], \"links\": [], \"edges\": []}", "only once"},
        {"{\"nodes\": [{\"id\": 1}], \"links\": []}", "node 0 has the id 1"},
        {"{\"nodes\": [{\"id\": \"0\"}], \"links\": []}", "the number of a node expected"},
        {"{\"nodes\": [{\"id\": 0, \"id\": 0}], \"links\": []}", "a key only once"},
        {"{\"nodes\": [{\"name\": 0}], \"links\": []}", "an object with an id"},
        {"{\"nodes\": [{\"id\": 0},], \"links\": []}", "'{' expected"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0}]}", "a source and a target"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": -1, \"target\": 0}]}",
         "the number of a node"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0.5, \"target\": 0}]}", "expected"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": "
         "99999999999999999999}]}",
         "below 2^31"},
        {"{\"nodes\": [{\"id\": 0}],\n \"links\": [{\"source\": 0, \"target\": 1}]}",
         "link 0 joins nodes 0 and 1: there are 1 nodes"},
        {"{\"directed\": 1, \"nodes\": [], \"links\": []}", "true or false expected"},
        {"{\"graph\": [1 2]}", "',' or ']' expected"},
        {"{\"graph\": {\"a\" 1}}", "':' expected"},
        {"{\"graph\": {1: 1}}", "a string expected"},
        {"{\"graph\": tru}", "a value expected"},
        {"{\"graph\": 1.}", "a digit expected"},
        {"{\"graph\": \"abc", "the end of a string"},
        {"{\"graph\": \"a\nb\"}", "no control character"},
        {"{\"gra\\", "the end of a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node_link graph;
        CHECK_FAILS(decode(&graph, cases[i].text), GRACO_ERROR_FORMAT, cases[i].message);
        CHECK(graph.source == NULL && graph.nodes == 0);
    }
}

/* Deep nesting is refused rather than followed; the depth is that of an honest file. */
static void hostile_depth(void)
{
    static char text[200000];
    struct node_link graph;
    int length = snprintf(text, sizeof text, "{\"graph\": ");
    memset(text + length, '[', sizeof text - (size_t)length);
    CHECK_FAILS(node_link_decode(&graph, text, sizeof text), GRACO_ERROR_FORMAT, "brackets");
}

/* Every prefix of a good file, from memory that ends where it ends. */
static void truncations(void)
{
    const char *whole = "{\"directed\": true, \"graph\": {\"k\": [1.5e3, \"\\u00e9\"]}, \"nodes\": "
                        "[{\"id\": 0}, {\"id\": 1}], \"links\": [{\"source\": 0, \"target\": 1}]}";
    size_t length = strlen(whole);
    for (size_t n = 0; n < length; n++) {
        struct node_link graph;
        char *copy = malloc(n > 0 ? n : 1);
        memcpy(copy, whole, n);
        CHECK(node_link_decode(&graph, copy, (int64_t)n) == GRACO_ERROR_FORMAT);
        free(copy);
    }
}

int main(void)
{
    known_graph();
    refusals();
    hostile_depth();
    truncations();
    return check_result();
}
