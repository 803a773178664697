/* The block model with communities inside classes: where edges go, and what is refused. */
#include "graph/generate.h"

#include "check.h"

/* Shares of the edges within a community and within a class. */
static void shares(double *community, double *class, const struct generate_options *options)
{
    struct generated graph = {0};
    CHECK_OK(generate_graph(&graph, options));
    int64_t near = 0, kin = 0, per = options->communities;
    for (int64_t e = 0; e < graph.edges; e++) {
        int32_t a = graph.community[graph.source[e]], b = graph.community[graph.target[e]];
        near += a == b;
        kin += a / per == b / per;
    }
    *community = (double)near / (double)graph.edges;
    *class = (double)kin / (double)graph.edges;
    for (int64_t b = 0; b < options->classes * per; b++) {
        int64_t members = 0;
        for (int64_t i = 0; i < options->nodes; i++)
            members += graph.community[i] == b;
        CHECK(members > 0);
    }
    generated_clear(&graph);
}

/* An edge of the class but not of the community by chance may still be of the community: by the
 * share of the class's weight that the community has, a fifth on average. */
static void edges_follow(void)
{
    struct generate_options options = {
        .nodes = 20000, .classes = 8, .communities = 5, .degree = 10, .homophily = 0.7};
    double community, class;
    options.cohesion = 0.4;
    shares(&community, &class, &options);
    CHECK(fabs(class - 0.7) < 0.01 && fabs(community - (0.4 + 0.3 / 5)) < 0.02);
    options.cohesion = 0.7;
    shares(&community, &class, &options);
    CHECK(fabs(class - 0.7) < 0.01 && fabs(community - 0.7) < 0.01);
    options.cohesion = options.homophily = 0;
    shares(&community, &class, &options);
    CHECK(class == 0 && community == 0);
    options.classes = 1; /* there is no other class to go to */
    shares(&community, &class, &options);
    CHECK(class == 1 && fabs(community - 0.2) < 0.02);
}

static void refuses(void)
{
    struct generated graph = {0};
    struct generate_options options = {
        .nodes = 20, .classes = 4, .communities = 6, .degree = 2, .homophily = 0.5};
    CHECK_FAILS(generate_graph(&graph, &options), GRACO_ERROR_ARGUMENT,
                "6 communities in each of 4 classes: expected at most 20");
    options.communities = -1;
    CHECK_FAILS(generate_graph(&graph, &options), GRACO_ERROR_ARGUMENT, "-1 communities");
    options.communities = INT64_MAX;
    CHECK_FAILS(generate_graph(&graph, &options), GRACO_ERROR_ARGUMENT, "communities in each");
    options.communities = 5;
    options.cohesion = 0.6;
    CHECK_FAILS(generate_graph(&graph, &options), GRACO_ERROR_ARGUMENT,
                "a cohesion of 0.6: expected 0 to the homophily, 0.5");
    options.cohesion = NAN;
    CHECK_FAILS(generate_graph(&graph, &options), GRACO_ERROR_ARGUMENT, "a cohesion of");
    CHECK(graph.edges == 0 && graph.source == NULL);
}

int main(void)
{
    edges_follow();
    refuses();
    return check_result();
}
