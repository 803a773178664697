/* All three are block models with dense features.
 *
 * Reddit's classes have communities, which edges follow and topics tell apart. Columns are mixtures
 * of topics, as averages of word vectors are; two of them are counts in the original and nothing
 * but loud noise here. PPI's blocks are roles that exist in every graph. A label says whether the
 * node has a function: with probability 0.8 if its role carries that function, else with 0.08. A
 * role mostly carries or lacks a family of four functions as a whole; functions come in pairs that
 * draw the same number, so their exceptions are the same. */
#include "data/generate_like.h"

#include "base/memory.h"
#include "data/features_make.h"
#include "graph/generate.h"

#include <stdio.h>
#include <string.h>

enum { GRAPHS_MAX = 24, FAMILY = 4, NODES_MIN = 8, COMMUNITY_MIN = 4 };

static const double scale_max = 1000;
static const double carried_share = 0.3, together_share = 0.75;
static const double carried_chance = 0.8, other_chance = 0.08;

/* What a published data set looks like. */
struct like {
    const char *name;
    int64_t nodes[3];  /* of training, validation, test */
    int64_t graphs[3]; /* of the same; zeros: one graph, split by nodes */
    int64_t edges;     /* both directions */
    int64_t labels;    /* of which a node has any number; 0: the class is the label */
    bool inductive;
    struct generate_options graph; /* what does not depend on the size */
    struct features_make features;
};

static const struct like likes[] = {
    {.name = "reddit",
     .nodes = {153431, 23831, 55703},
     .edges = 114615892,
     .inductive = true,
     .graph = {.classes = 41, .communities = 6, .homophily = 0.6, .cohesion = 0.3},
     .features = {.cols = 602,
                  .distance = 3,
                  .loud_every = 301,
                  .loudness = 10,
                  .topics = 64,
                  .spread = 3,
                  .interest = 2}},
    {.name = "ppi",
     .nodes = {44906, 6514, 5524},
     .graphs = {20, 2, 2},
     .edges = 1587264,
     .labels = 121,
     .inductive = true,
     .graph = {.classes = 12, .communities = 1, .homophily = 0.6},
     .features = {.cols = 50, .distance = 2.5, .loud_every = 25, .loudness = 30}},
    {.name = "arxiv",
     .nodes = {90941, 29799, 48603},
     .edges = 2315598,
     .graph = {.classes = 40, .communities = 1, .homophily = 0.5},
     .features = {.cols = 128, .distance = 1.5, .loud_every = 32, .loudness = 20}},
};

const char *graco_likeness(int index)
{
    int count = sizeof likes / sizeof *likes;
    return index >= 0 && index < count ? likes[index].name : NULL;
}

static graco_status find_like(const struct like **out, const graco_generate_options *options)
{
    for (size_t i = 0; i < sizeof likes / sizeof *likes; i++) {
        if (strcmp(likes[i].name, options->like) == 0)
            *out = &likes[i];
    }
    if (!*out)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph like '%s': expected reddit, ppi or arxiv",
                           options->like);
    if (!(options->scale > 0 && options->scale <= scale_max))
        return status_fail(GRACO_ERROR_ARGUMENT, "a scale of %g: expected more than 0, at most %g",
                           options->scale, scale_max);
    return GRACO_OK;
}

static int64_t scaled(int64_t count, double scale)
{
    double wanted = (double)count * scale;
    return (int64_t)(wanted + 0.5);
}

/* The sizes of the graphs to make, and which part each belongs to. */
struct plan {
    int64_t graphs;
    int64_t nodes[GRAPHS_MAX];
    uint8_t split[GRAPHS_MAX];
    int64_t total;
};

/* Graphs of one part differ in size: from half to one and a half times the mean. */
static graco_status make_plan(struct plan *plan, const struct like *like, double scale)
{
    int64_t least = like->labels > 0 ? NODES_MIN : like->graph.classes * 4;
    if (like->labels == 0) {
        plan->graphs = 1;
        plan->nodes[0] = scaled(like->nodes[0] + like->nodes[1] + like->nodes[2], scale);
    }
    for (int s = 0; s < 3; s++) {
        for (int64_t g = 0; g < like->graphs[s]; g++) {
            int64_t mean = like->nodes[s] / like->graphs[s];
            int64_t size = mean / 2 + mean * (2 * g + 1) / (2 * like->graphs[s]);
            plan->split[plan->graphs] = (uint8_t)s;
            plan->nodes[plan->graphs++] = scaled(size, scale);
        }
    }
    for (int64_t g = 0; g < plan->graphs; g++) {
        if (plan->nodes[g] < least)
            plan->nodes[g] = least;
        plan->total += plan->nodes[g];
    }
    if (plan->total > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "a graph of %lld nodes: expected at most %lld",
                           (long long)plan->total, (long long)INT32_MAX);
    return GRACO_OK;
}

/* Communities of each class: fewer in a small graph, so that none is too small to be one. */
static int64_t communities_of(const struct like *like, int64_t nodes)
{
    int64_t most = nodes / (like->graph.classes * COMMUNITY_MIN);
    return most < 1 ? 1 : most < like->graph.communities ? most : like->graph.communities;
}

/* Appends graph g; `group` becomes the community of each node. */
static graco_status append_graph(struct dataset_parts *parts, int32_t *group, int64_t *first,
                                 int64_t g, const struct generate_options *structure)
{
    graco_status status = GRACO_OK;
    struct generated graph = {0};
    int64_t n = structure->nodes, edges;
    TRY(generate_graph(&graph, structure));
    memcpy(group + *first, graph.community, (size_t)n * sizeof *group);
    if (!parts->source) { /* the first one is taken as it is, for it may be huge */
        parts->source = graph.source;
        parts->target = graph.target;
        parts->edges = graph.edges;
        graph.source = graph.target = NULL;
    } else {
        edges = parts->edges + graph.edges;
        TRY(memory_grow(&parts->source, parts->edges, edges, sizeof *parts->source));
        TRY(memory_grow(&parts->target, parts->edges, edges, sizeof *parts->target));
        for (int64_t e = 0; e < graph.edges; e++) {
            parts->source[parts->edges + e] = (int32_t)(graph.source[e] + *first);
            parts->target[parts->edges + e] = (int32_t)(graph.target[e] + *first);
        }
        parts->edges = edges;
    }
    for (int64_t i = *first; parts->graph_id && i < *first + n; i++)
        parts->graph_id[i] = (int32_t)g;
    *first += n;
done:
    generated_clear(&graph);
    return status;
}

/* The original's average degree, but a node is joined to a twentieth of the others at most, or to
 * all of its community. */
static double like_degree(const struct like *like, int64_t nodes)
{
    double degree =
        (double)like->edges / (double)(like->nodes[0] + like->nodes[1] + like->nodes[2]);
    int64_t share =
        like->graph.communities > 1 ? like->graph.classes * like->graph.communities : 20;
    double most = (double)nodes / (double)share;
    return degree < most ? degree : most;
}

static graco_status make_structure(struct dataset_parts *parts, int32_t *group,
                                   const struct plan *plan, const struct like *like,
                                   const graco_generate_options *options)
{
    int64_t first = 0;
    if (like->labels > 0)
        PASS(memory_alloc(&parts->graph_id, plan->total, sizeof *parts->graph_id));
    for (int64_t g = 0; g < plan->graphs; g++) {
        int64_t n = plan->nodes[g];
        struct generate_options graph = like->graph;
        graph.nodes = n;
        graph.classes = graph.classes < n ? graph.classes : n;
        graph.degree = like_degree(like, n);
        graph.communities = communities_of(like, n);
        graph.heavy = true;
        graph.seed = options->seed;
        graph.step = (uint32_t)g;
        PASS(append_graph(parts, group, &first, g, &graph));
    }
    return GRACO_OK;
}

static graco_status expect_memory(const struct plan *plan, const struct like *like)
{
    double N = (double)plan->total,
           bytes = N * (4 * (double)like->features.cols + (double)like->labels);
    char what[128];
    for (int64_t g = 0; g < plan->graphs; g++)
        bytes += generate_bytes(plan->nodes[g], like_degree(like, plan->nodes[g]));
    snprintf(what, sizeof what, "a graph like %s of %lld nodes", like->name,
             (long long)plan->total);
    return memory_expect(bytes, what);
}

/* carried[c * labels + l]: whether class c carries function l. */
static graco_status draw_carried(uint8_t **carried, const struct like *like,
                                 const graco_generate_options *options)
{
    struct random_key key = generate_key(options->seed, 0, GENERATE_CARRIED);
    uint64_t share = random_threshold(carried_share), together = random_threshold(together_share);
    PASS(memory_alloc(carried, like->graph.classes * like->labels, 1));
    for (int64_t k = 0; k < like->graph.classes * like->labels; k++) {
        int64_t class = k / like->labels, label = k % like->labels;
        int64_t family = class * like->labels + label / FAMILY * FAMILY;
        bool follows = random_u32(&key, 2 * (uint64_t)k) < together;
        (*carried)[k] = random_u32(&key, 2 * (uint64_t)(follows ? family : k) + 1) < share;
    }
    return GRACO_OK;
}

static graco_status draw_labels(struct dataset_parts *parts, const int32_t *class,
                                const struct like *like, const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    struct random_key key = generate_key(options->seed, 0, GENERATE_LABELS);
    uint64_t chance[2] = {random_threshold(other_chance), random_threshold(carried_chance)};
    int64_t K = like->labels;
    uint8_t *carried = NULL;
    TRY(draw_carried(&carried, like, options));
    TRY(memory_alloc(&parts->multi, parts->nodes * K, 1));
    for (int64_t i = 0; i < parts->nodes; i++) {
        for (int64_t l = 0; l < K; l++) {
            uint32_t exception = random_u32(&key, (uint64_t)(i * K + l / 2 * 2));
            parts->multi[i * K + l] = exception < chance[carried[class[i] * K + l]];
        }
    }
    parts->classes = K;
done:
    memory_free(carried);
    return status;
}

/* Whole graphs, or nodes at random in the shares of the original. */
static graco_status draw_split(struct dataset_parts *parts, const struct plan *plan,
                               const struct like *like, const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    struct random_key key = generate_key(options->seed, 0, GENERATE_SPLIT);
    int64_t N = parts->nodes, all = like->nodes[0] + like->nodes[1] + like->nodes[2];
    int64_t ends[2] = {0, 0};
    int32_t *order = NULL;
    TRY(memory_alloc(&parts->split, N, 1));
    for (int64_t i = 0; parts->graph_id && i < N; i++)
        parts->split[i] = plan->split[parts->graph_id[i]];
    if (parts->graph_id)
        goto done;
    ends[0] = scaled(N, (double)like->nodes[0] / (double)all);
    ends[1] = scaled(N, (double)(like->nodes[0] + like->nodes[1]) / (double)all);
    TRY(memory_alloc(&order, N, sizeof *order));
    random_order(order, N, &key);
    for (int64_t i = 0; i < N; i++)
        parts->split[order[i]] = (uint8_t)((i >= ends[0]) + (i >= ends[1]));
done:
    memory_free(order);
    return status;
}

graco_status generate_like(struct graco_dataset **out, const graco_generate_options *options)
{
    graco_status status = GRACO_OK;
    const struct like *like = NULL;
    struct plan plan = {0};
    struct dataset_parts parts = {.undirected = true};
    struct features_make make;
    int64_t communities;
    int32_t *class = NULL; /* communities, until the features are made */
    TRY(find_like(&like, options));
    TRY(make_plan(&plan, like, options->scale));
    TRY(expect_memory(&plan, like));
    parts.name = like->name;
    parts.nodes = plan.total;
    parts.inductive = like->inductive;
    TRY(memory_alloc(&class, plan.total, sizeof *class));
    TRY(make_structure(&parts, class, &plan, like, options));
    communities = communities_of(like, plan.total);
    make = like->features;
    make.rows = plan.total;
    make.classes = like->graph.classes;
    make.communities = communities;
    make.label = class;
    make.seed = options->seed;
    TRY(features_make(&parts.features, &make));
    for (int64_t i = 0; i < plan.total; i++)
        class[i] = (int32_t)(class[i] / communities);
    TRY(draw_split(&parts, &plan, like, options));
    if (like->labels > 0) {
        TRY(draw_labels(&parts, class, like, options));
    } else {
        parts.classes = like->graph.classes;
        parts.label = class;
        class = NULL;
    }
    TRY(dataset_create(out, &parts));
    (*out)->duplicates = (*out)->self_loops = 0; /* as in generate_dataset.c */
done:
    memory_free(class);
    dataset_parts_clear(&parts);
    return status;
}
