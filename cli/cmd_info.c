/* graco info: describes a data set, or chosen nodes of it. Edges come from the public arrays, which have
 * those into each node together; those out of a node are looked for among all. */
#include "commands.h"
#include "loading.h"
#include "nodes.h"
#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* How many class names, and how many neighbours of a node, the table shows. */
enum { CLASSES_SHOWN = 8, NODES_SHOWN = 16 };

#define INFO(member, kind) FIELD(graco_dataset_info, member, kind)
static const struct field INFO_COUNTS[] = {
    INFO(name, STRING),
    INFO(nodes, INT),
    INFO(edges, INT),
    INFO(self_loops, INT),
    INFO(duplicates, INT),
    INFO(isolated, INT),
    FIELD_AS("features", graco_dataset_info, feature_count, INT),
    INFO(feature_entries, INT),
    INFO(classes, INT),
    {0}};
static const struct field INFO_KINDS[] = {INFO(graphs, INT),       INFO(sparse_features, BOOL),
                                          INFO(multi_label, BOOL), INFO(directed, BOOL),
                                          INFO(weighted, BOOL),    INFO(has_split, BOOL),
                                          INFO(inductive, BOOL),   {0}};

#define LIKE(member, kind) FIELD(graco_graph_facts, member, kind)
static const struct field FACTS[] = {LIKE(components, INT),
                                     FIELD_AS("largest_component", graco_graph_facts, largest, INT),
                                     LIKE(degree_mean, REAL),
                                     LIKE(degree_median, INT),
                                     LIKE(degree_most, INT),
                                     LIKE(edge_cosine, REAL),
                                     LIKE(pair_cosine, REAL),
                                     LIKE(alike, REAL),
                                     LIKE(same_class, REAL),
                                     LIKE(same_by_chance, REAL),
                                     {0}};

/* What a graph is like, in words. */
static void print_facts(const graco_graph_facts *like, const graco_dataset_info *info)
{
    output_row("degree", "mean %.1f, median %" PRId64 ", most %" PRId64 "%s", like->degree_mean,
               like->degree_median, like->degree_most,
               info->directed ? " (edges into a node)" : "");
    output_row("components", "%" PRId64 ", the largest with %.1f %% of the nodes", like->components,
               100 * (double)like->largest / (double)info->nodes);
    if (!isnan(like->alike))
        output_row("neighbours",
                   "cosine of features %.2f, of random pairs %.2f; the edge is the more alike in "
                   "%.0f %% (chance: 50)",
                   like->edge_cosine, like->pair_cosine, 100 * like->alike);
    if (!isnan(like->same_class))
        output_row("", "%.0f %% of edges within a class (chance: %.0f)", 100 * like->same_class,
                   100 * like->same_by_chance);
}

static int print_json(const graco_dataset *data, const graco_dataset_info *info,
                      const graco_graph_facts *like)
{
    struct writer json = {0};
    writer_open(&json, NULL, '{');
    writer_fields(&json, INFO_COUNTS, info);
    if (graco_dataset_class(data, 0)) {
        writer_open(&json, "class_names", '[');
        for (int64_t i = 0; graco_dataset_class(data, i); i++)
            writer_string(&json, NULL, graco_dataset_class(data, i));
        writer_close(&json);
    }
    writer_fields(&json, INFO_KINDS, info);
    if (info->has_split) {
        writer_open(&json, "split_nodes", '[');
        for (int i = 0; i < 3; i++)
            writer_integer(&json, NULL, info->split_nodes[i]);
        writer_close(&json);
    } else {
        writer_null(&json, "split_nodes");
    }
    writer_fields(&json, FACTS, like);
    writer_close(&json);
    return output_json(&json);
}

static void print_class_names(const graco_dataset *data)
{
    char text[(CLASSES_SHOWN + 1) * (NODES_PLAIN + 2)] = "", plain[NODES_PLAIN];
    size_t used = 0;
    for (int64_t i = 0; i <= CLASSES_SHOWN && graco_dataset_class(data, i); i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "",
            i < CLASSES_SHOWN ? nodes_plain(plain, graco_dataset_class(data, i)) : "...");
    if (*text)
        output_row("class names", "%s", text);
}

static int print_table(const graco_dataset *data, const graco_dataset_info *info,
                       const graco_graph_facts *like)
{
    double cells = (double)info->nodes * (double)info->feature_count;
    output_row("name", "%s", info->name);
    output_row("nodes", "%" PRId64, info->nodes);
    output_row("edges", "%" PRId64 " (%s, without self-loops and duplicates)", info->edges,
               info->directed ? "directed" : "both directions");
    if (info->weighted)
        output_row("weights", "yes");
    output_row("self-loops", "%" PRId64 " removed", info->self_loops);
    output_row("duplicates", "%" PRId64 " removed", info->duplicates);
    output_row("isolated nodes", "%" PRId64, info->isolated);
    if (info->sparse_features && cells > 0)
        output_row("features", "%" PRId64 ", sparse: %" PRId64 " entries (%.2f %%)",
                   info->feature_count, info->feature_entries,
                   100 * (double)info->feature_entries / cells);
    else
        output_row("features", "%" PRId64 "%s", info->feature_count,
                   info->feature_count ? ", dense" : "");
    output_row("classes", "%" PRId64 "%s", info->classes,
               info->classes == 0  ? " (no labels)"
               : info->multi_label ? ", several per node"
                                   : "");
    print_class_names(data);
    output_row("graphs", "%" PRId64, info->graphs);
    if (info->has_split)
        output_row("split",
                   "%" PRId64 " training, %" PRId64 " validation, %" PRId64 " test nodes%s",
                   info->split_nodes[0], info->split_nodes[1], info->split_nodes[2],
                   info->inductive ? "; inductive" : "");
    else
        output_row("split", "none");
    print_facts(like, info);
    return output_finish();
}

/* ---- Single nodes ---------------------------------------------------------------------------- */

struct node {
    const graco_dataset *data;
    graco_arrays arrays;
    int64_t number;
};

/* What is done with each edge of a node: `other` is its other end. */
typedef void edge_fn(void *user, const struct node *node, int64_t other, double weight);

/* Goes through the edges into the node, or out of it, and returns how many there are. */
static int64_t each_edge(const struct node *node, bool out, edge_fn *take, void *user)
{
    const int64_t *start = node->arrays.edge_indptr.data, last = node->arrays.edge_indptr.rows - 1;
    const int32_t *source = node->arrays.source.data;
    const float *weights = node->arrays.edge_weight.data;
    int64_t count = 0, from = out ? 0 : node->number, to = out ? last : node->number + 1;
    for (int64_t target = from; target < to; target++)
        for (int64_t e = start[target]; e < start[target + 1]; e++) {
            if (out && source[e] != node->number)
                continue;
            count++;
            if (take)
                take(user, node, out ? target : source[e], weights ? (double)weights[e] : 1);
        }
    return count;
}

static const char *split_name(const struct node *node)
{
    static const char *const names[] = {"training", "validation", "test", "none"};
    const uint8_t *split = node->arrays.split.data;
    return split && split[node->number] < 4 ? names[split[node->number]] : "none";
}

/* Gives every class of the node to `take`. */
static void each_class(const struct node *node, void (*take)(void *user, const char *name),
                       void *user)
{
    const graco_array *y = &node->arrays.y;
    int64_t label = graco_dataset_label(node->data, node->number);
    const uint8_t *multi = y->dims == 2 ? (const uint8_t *)y->data + node->number * y->cols : NULL;
    char text[NODES_NUMBER];
    for (int64_t k = 0; multi && k < y->cols; k++)
        if (multi[k])
            take(user, nodes_class(text, node->data, k));
    if (!multi && label >= 0)
        take(user, nodes_class(text, node->data, label));
}

/* A line of names; what does not fit is cut, and said so. */
struct line {
    char text[(NODES_SHOWN + 1) * (NODES_PLAIN + 32)];
    int shown;
};

static void add_text(struct line *line, const char *text)
{
    size_t used = strlen(line->text);
    if (line->shown++ <= NODES_SHOWN)
        snprintf(line->text + used, sizeof line->text - used, "%s%s", used ? ", " : "",
                 line->shown > NODES_SHOWN ? "..." : text);
}

static void add_word(void *user, const char *word)
{
    char plain[NODES_PLAIN];
    add_text(user, nodes_plain(plain, word));
}

static void add_edge(void *user, const struct node *node, int64_t other, double weight)
{
    char number[NODES_NUMBER], plain[NODES_PLAIN], text[NODES_PLAIN + 32];
    bool weighted = node->arrays.edge_weight.data;
    nodes_plain(plain, nodes_name(number, node->data, other));
    snprintf(text, sizeof text, weighted ? "%s (%.6g)" : "%s", plain, weight);
    add_text(user, text);
}

/* The weights of the edges into a node whose edges have both directions, in the order of their other ends, and whether those
 * of the edges out of it are the same. */
struct both {
    const float *in;
    bool same;
};

static void compare_edge(void *user, const struct node *node, int64_t other, double weight)
{
    struct both *both = user;
    (void)node;
    (void)other;
    both->same &= (double)*both->in++ == weight;
}

static bool has_same_weights(const struct node *node)
{
    const int64_t *start = node->arrays.edge_indptr.data;
    const float *weights = node->arrays.edge_weight.data;
    struct both both = {weights ? weights + start[node->number] : NULL, true};
    if (weights)
        each_edge(node, true, compare_edge, &both);
    return both.same;
}

static void print_node(const struct node *node, const graco_dataset_info *info)
{
    char text[NODES_NUMBER], plain[NODES_PLAIN];
    struct line classes = {0}, in = {0}, out = {0};
    output_row("node", "%s", nodes_plain(plain, nodes_name(text, node->data, node->number)));
    if (graco_dataset_node(node->data, node->number))
        output_row("number", "%" PRId64, node->number);
    each_class(node, add_word, &classes);
    if (info->classes > 0)
        output_row("class", "%s", classes.shown ? classes.text : "not known");
    if (info->has_split)
        output_row("split", "%s", split_name(node));
    if (info->graphs > 1)
        output_row("graph", "%ld",
                   (long)((const int32_t *)node->arrays.graph_id.data)[node->number]);
    bool apart = info->directed || !has_same_weights(node);
    int64_t count = each_edge(node, false, add_edge, &in);
    output_row(apart ? "edges in" : "neighbours", "%" PRId64 "%s%s", count, count ? ": " : "",
               in.text);
    if (!apart)
        return;
    count = each_edge(node, true, add_edge, &out);
    output_row("edges out", "%" PRId64 "%s%s", count, count ? ": " : "", out.text);
}

static void write_word(void *user, const char *word)
{
    writer_string(user, NULL, word);
}

static void write_edge(void *user, const struct node *node, int64_t other, double weight)
{
    char number[NODES_NUMBER];
    writer_open(user, NULL, '{');
    writer_string(user, "node", nodes_name(number, node->data, other));
    writer_real(user, "weight", weight);
    writer_close(user);
}

static void write_node(struct writer *json, const struct node *node, const graco_dataset_info *info)
{
    char text[NODES_NUMBER];
    writer_open(json, NULL, '{');
    writer_string(json, "node", nodes_name(text, node->data, node->number));
    writer_integer(json, "number", node->number);
    writer_open(json, "classes", '[');
    each_class(node, write_word, json);
    writer_close(json);
    if (info->has_split)
        writer_string(json, "split", split_name(node));
    if (info->graphs > 1)
        writer_integer(json, "graph", ((const int32_t *)node->arrays.graph_id.data)[node->number]);
    for (int out = 0; out < 2; out++) {
        writer_open(json, out ? "edges_out" : "edges_in", '[');
        each_edge(node, out, write_edge, json);
        writer_close(json);
    }
    writer_close(json);
}

static int describe_nodes(const graco_dataset *data, const struct option_list *of, bool json)
{
    graco_dataset_info info = graco_dataset_describe(data);
    int64_t numbers[OPTION_LIST_MAX];
    struct node node = {.data = data, .arrays = graco_dataset_arrays(data)};
    struct writer writer = {0};
    graco_status status = graco_dataset_find_nodes(numbers, data, of->values, of->count);
    if (status != GRACO_OK)
        return output_failure(status);
    if (json) {
        writer_open(&writer, NULL, '{');
        writer_open(&writer, "nodes", '[');
    }
    for (int i = 0; i < of->count; i++) {
        node.number = numbers[i];
        if (json)
            write_node(&writer, &node, &info);
        else
            print_node(&node, &info);
    }
    if (!json)
        return output_finish();
    writer_close(&writer);
    writer_close(&writer);
    return output_json(&writer);
}

int cmd_info(int argc, char **argv)
{
    graco_load_options load = {0};
    graco_dataset *data = NULL;
    struct option_list of = {0};
    bool json = false;
    const struct option options[] = {
        LOADING_OPTIONS(load),
        OPTION_ROW_LIST("of", "NAME|NUMBER", &of,
                        "describe this node: its class and edges; may be given again"),
        OPTION_ROW_FLAG("json", 0, &json, "print one JSON object"),
        {0},
    };
    struct command command = {
        .name = "info",
        .synopsis = "DATASET [options]",
        .summary =
            "Describes a data set: a name under $GRACO_DATA, a file or a folder; or with --of\n"
            "some of its nodes.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    graco_status status = loading_dataset(&data, command.arguments[0], &load, NULL, json);
    if (status != GRACO_OK)
        return output_failure(status);
    graco_dataset_info info = graco_dataset_describe(data);
    graco_graph_facts facts;
    if (of.count > 0)
        code = describe_nodes(data, &of, json);
    else if ((status = graco_dataset_facts(&facts, data, 0)) != GRACO_OK)
        code = output_failure(status);
    else
        code = json ? print_json(data, &info, &facts) : print_table(data, &info, &facts);
    graco_dataset_free(data);
    return code;
}
