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
        {"", "line 1, column 1: '{' is expected"},
        {"[]", "'{' is expected"},
        {"{", "a key in quotes is expected"},
        {"{}", "a graph without nodes"},
        {"{\"nodes\": []}", "a graph without links"},
        {"{\"nodes\": 3, \"links\": []}", "node 0: the JSON key \"id\" is missing"},
        {"{\"nodes\": [], \"links\": []", "',' or '}' is expected"},
        {"{\"nodes\": [], \"links\": []} x", "the end is expected"},
        {"{\"nodes\": [], \"links\": [],}", "a key in quotes is expected"},
        {"{\"nodes\": [], \"nodes\": []}", "a duplicate key"},
        {"{\"nodes\": [], \"links\": [], \"edges\": []}", "both \"links\" and \"edges\""},
        {"{\"nodes\": [{\"id\": 1}], \"links\": []}", "node 0: the id is 1"},
        {"{\"nodes\": [{\"id\": \"0\"}], \"links\": []}",
         "\"id\" is a string, an integer expected"},
        {"{\"nodes\": [{\"id\": 0, \"id\": 0}], \"links\": []}", "column 26: a duplicate key"},
        {"{\"nodes\": [{\"name\": 0}], \"links\": []}", "node 0: the JSON key \"id\" is missing"},
        {"{\"nodes\": [{\"id\": 0},], \"links\": []}", "a value is expected"},
        {"{\"nodes\": [{\"id\": 0} {\"id\": 1}], \"links\": []}", "',' or ']' is expected"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0}]}",
         "link 0: the JSON key \"target\" is missing"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": -1, \"target\": 0}]}",
         "link 0: \"source\" is -1: expected the number of a node"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0.5, \"target\": 0}]}",
         "\"source\" is a number, an integer expected"},
        {"{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 2147483648}]}",
         "\"target\" is 2147483648: expected the number of a node, below 2^31"},
        {"{\"nodes\": [{\"id\": 0}],\n \"links\": [{\"source\": 0, \"target\": 1}]}",
         "link 0 joins nodes 0 and 1: there are 1 nodes"},
        {"{\"directed\": 1, \"nodes\": [], \"links\": []}", "neither true nor false"},
        {"{\"graph\": [1 2]}", "',' or ']' is expected"},
        {"{\"graph\": {\"a\" 1}}", "':' is expected"},
        {"{\"graph\": tru}", "a value is expected"},
        {"{\"graph\": \"abc", "the text ends within a string"},
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
    CHECK_FAILS(node_link_decode(&graph, text, sizeof text), GRACO_ERROR_FORMAT, "depth");
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
