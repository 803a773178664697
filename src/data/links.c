/* Links are held out before anything is trained: an embedding that has seen a link knows it.
 *
 * The links in the order of their nodes are shuffled by the seed. The first are the test part, the next the
 * validation part, and some of the rest the training part of a classifier; the rest stay in the graph.
 * Pairs without a link are drawn until there are as many: two random nodes of one graph, again if they are
 * linked or were drawn before. */
#include "data/links.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/readers.h"
#include "io/files/file.h"
#include "io/npy.h"
#include "io/zip/npz.h"

#include <math.h>
#include <string.h>

enum {
    TRAIN_MOST = 20000, /* links that a classifier learns from */
    DRAWS = 100,        /* for each pair without a link, before the graph counts as too dense */
};

enum { VIEW_LINKS, VIEW_OTHERS };

struct link_split {
    const graco_dataset *data;
    const struct graph *graph;
    uint64_t seed;
    int64_t count;             /* links of the graph */
    int32_t *low, *high;       /* (count) their nodes */
    int64_t part[LINKS_PARTS]; /* how many links each part has */
    int64_t held;              /* of test and validation together */
    int32_t *order;            /* (count) links, shuffled */
    graco_links made;
};

graco_links_options graco_links_defaults(void)
{
    return (graco_links_options){.test = 0.1, .validation = 0.05};
}

static bool linked(const struct graph *graph, int32_t a, int32_t b)
{
    return graph_links(graph, a, b) || graph_links(graph, b, a);
}

/* ---- Links ------------------------------------------------------------------------------------ */

/* Every pair of linked nodes once, though it may have an edge in either direction. */
static graco_status list_links(struct link_split *s)
{
    const struct csr *in = &s->graph->in;
    PASS(memory_alloc(&s->low, s->graph->edges, sizeof *s->low));
    PASS(memory_alloc(&s->high, s->graph->edges, sizeof *s->high));
    for (int32_t to = 0; to < s->graph->nodes; to++)
        for (int64_t e = in->start[to]; e < in->start[to + 1]; e++) {
            int32_t from = in->index[e];
            if (from > to && graph_links(s->graph, to, from))
                continue;
            s->low[s->count] = from < to ? from : to;
            s->high[s->count++] = from < to ? to : from;
        }
    return GRACO_OK;
}

static graco_status size_parts(struct link_split *s, const graco_links_options *options)
{
    double test = options->test, validation = options->validation;
    if (!(test > 0 && validation >= 0 && test + validation < 1))
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "shares of %g for the test and %g for validation: expected a share above "
            "0 for the test, and less than 1 together",
            test, validation);
    s->part[LINKS_TEST] = llround(test * (double)s->count);
    s->part[LINKS_VALIDATION] = llround(validation * (double)s->count);
    s->held = s->part[LINKS_TEST] + s->part[LINKS_VALIDATION];
    s->part[LINKS_TRAIN] = s->count - s->held < TRAIN_MOST ? s->count - s->held : TRAIN_MOST;
    if (s->part[LINKS_TEST] < 1 || s->part[LINKS_TRAIN] < 1 ||
        (validation > 0 && s->part[LINKS_VALIDATION] < 1))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld links are too few to hold out %g of them for the test and %g for "
                           "validation: expected at least one for each part",
                           (long long)s->count, test, validation);
    return GRACO_OK;
}

static void put_pair(struct link_split *s, int32_t a, int32_t b, enum links_part part,
                     bool is_linked)
{
    int32_t *row = s->made.pair + LINKS_FIELDS * s->made.count++;
    row[LINKS_SOURCE] = a;
    row[LINKS_TARGET] = b;
    row[LINKS_PART] = (int32_t)part;
    row[LINKS_LINKED] = is_linked;
}

/* The part of the i-th pair, with a link or without. */
static enum links_part part_of(const struct link_split *s, int64_t i)
{
    return i < s->part[LINKS_TEST] ? LINKS_TEST : i < s->held ? LINKS_VALIDATION : LINKS_TRAIN;
}

static graco_status draw_links(struct link_split *s)
{
    const struct random_key key = {.seed = s->seed, .stream = RANDOM_LINKS, .view = VIEW_LINKS};
    int64_t wanted = s->held + s->part[LINKS_TRAIN];
    PASS(memory_alloc(&s->made.pair, 2 * wanted * LINKS_FIELDS, sizeof *s->made.pair));
    PASS(memory_alloc(&s->order, s->count, sizeof *s->order));
    random_order(s->order, s->count, &key);
    for (int64_t i = 0; i < wanted; i++)
        put_pair(s, s->low[s->order[i]], s->high[s->order[i]], part_of(s, i), true);
    return GRACO_OK;
}

/* ---- Pairs without a link ---------------------------------------------------------------------- */

/* Adds a pair to a table of so many places, a power of two; false if it has it. */
static bool remember(uint64_t *table, int64_t places, int32_t low, int32_t high)
{
    uint64_t word = ((uint64_t)(uint32_t)low << 32 | (uint32_t)high) + 1; /* 0 is an empty place */
    uint64_t place = word * 0x9E3779B97F4A7C15u;
    for (place ^= place >> 32;; place++) {
        uint64_t *found = &table[place & (uint64_t)(places - 1)];
        if (*found == word)
            return false;
        if (*found == 0) {
            *found = word;
            return true;
        }
    }
}

/* start (graphs + 1): the first node of each graph. */
static graco_status find_graphs(int64_t **start, const graco_dataset *data)
{
    int64_t nodes = data->graph->nodes;
    PASS(memory_zalloc(start, data->graphs + 1, sizeof **start));
    for (int64_t i = 0; i < nodes; i++)
        (*start)[(data->graph_id ? data->graph_id[i] : 0) + 1] = i + 1;
    return GRACO_OK;
}

/* Draws one pair: node `draw` picks the first node, then one of the same graph. */
static void draw_pair(int32_t pair[2], const struct link_split *s, const int64_t *start,
                      uint64_t draw)
{
    const struct random_key key = {.seed = s->seed, .stream = RANDOM_LINKS, .view = VIEW_OTHERS};
    int64_t a = random_below(&key, 2 * draw, s->graph->nodes);
    int64_t graph = s->data->graph_id ? s->data->graph_id[a] : 0, first = start[graph];
    int64_t b = first + random_below(&key, 2 * draw + 1, start[graph + 1] - first);
    pair[0] = (int32_t)(a < b ? a : b);
    pair[1] = (int32_t)(a < b ? b : a);
}

static graco_status draw_others(struct link_split *s)
{
    graco_status status = GRACO_OK;
    int64_t wanted = s->held + s->part[LINKS_TRAIN], places = 16, *start = NULL;
    uint64_t *table = NULL, draw = 0, most = (uint64_t)(DRAWS * (wanted + DRAWS));
    while (places < 2 * wanted)
        places *= 2;
    TRY(find_graphs(&start, s->data));
    TRY(memory_zalloc(&table, places, sizeof *table));
    for (int64_t i = 0; i < wanted; draw++) {
        int32_t pair[2];
        if (draw >= most)
            FAIL(GRACO_ERROR_ARGUMENT,
                 "the graph %s has too few pairs of nodes without an edge: %lld were found, "
                 "expected "
                 "%lld",
                 s->data->name, (long long)i, (long long)wanted);
        draw_pair(pair, s, start, draw);
        if (pair[0] == pair[1] || linked(s->graph, pair[0], pair[1]) ||
            !remember(table, places, pair[0], pair[1]))
            continue;
        put_pair(s, pair[0], pair[1], part_of(s, i++), false);
    }
done:
    memory_free(table);
    memory_free(start);
    return status;
}

/* ---- The graph that is left -------------------------------------------------------------------- */

/* The edges that stay, with their weights: source, target and weight (edges), and how many. */
struct edges_left {
    int64_t count;
    int32_t *source, *target;
    float *weight;
};

static graco_status leave_edges(struct edges_left *left, const struct link_split *s)
{
    graco_status status = GRACO_OK;
    const struct graph *graph = s->graph;
    uint8_t *held = NULL;
    TRY(memory_zalloc(&held, graph->edges, sizeof *held));
    TRY(memory_alloc(&left->source, graph->edges, sizeof *left->source));
    TRY(memory_alloc(&left->target, graph->edges, sizeof *left->target));
    TRY(memory_alloc(&left->weight, graph->edges, sizeof *left->weight));
    for (int64_t i = 0; i < s->held; i++) {
        int32_t a = s->low[s->order[i]], b = s->high[s->order[i]];
        int64_t there = csr_find(&graph->in, b, a), back = csr_find(&graph->in, a, b);
        if (there >= 0)
            held[there] = 1;
        if (back >= 0)
            held[back] = 1;
    }
    for (int32_t to = 0; to < graph->nodes; to++)
        for (int64_t e = graph->in.start[to]; e < graph->in.start[to + 1]; e++) {
            if (held[e])
                continue;
            left->source[left->count] = graph->in.index[e];
            left->target[left->count] = to;
            left->weight[left->count++] = graph->in.value ? graph->in.value[e] : 1;
        }
done:
    memory_free(held);
    return status;
}

/* The data set with these edges, written with the links beside it. */
static graco_status write_rest(const struct link_split *s, const struct edges_left *left,
                               const char *path)
{
    graco_status status = GRACO_OK;
    graco_arrays arrays = graco_dataset_arrays(s->data);
    graco_dataset *rest = NULL;
    struct array pairs;
    const int64_t shape[2] = {s->made.count, LINKS_FIELDS};
    arrays.nodes = s->graph->nodes;
    arrays.edge_indptr = (graco_array){0};
    arrays.source = GRACO_VECTOR(left->source, left->count);
    arrays.target = GRACO_VECTOR(left->target, left->count);
    arrays.edge_weight =
        s->graph->in.value ? GRACO_VECTOR(left->weight, left->count) : (graco_array){0};
    arrays.borrow = true; /* `data` outlives it */
    TRY(graco_dataset_create(&rest, &arrays));
    TRY(array_borrow(&pairs, ARRAY_I32, s->made.pair, 2, shape));
    TRY(dataset_save_with(rest, path, "links", &pairs));
done:
    graco_dataset_free(rest);
    return status;
}

graco_status graco_links_split(const graco_dataset *data, const char *path,
                               const graco_links_options *options)
{
    const graco_links_options defaults = graco_links_defaults();
    graco_status status = GRACO_OK;
    struct link_split s = {.data = data, .graph = data->graph};
    struct edges_left left = {0};
    if (!options)
        options = &defaults;
    s.seed = options->seed;
    TRY(list_links(&s));
    TRY(size_parts(&s, options));
    TRY(draw_links(&s));
    TRY(draw_others(&s));
    TRY(leave_edges(&left, &s));
    TRY(write_rest(&s, &left, path));
done:
    memory_free(left.source);
    memory_free(left.target);
    memory_free(left.weight);
    memory_free(s.order);
    memory_free(s.low);
    memory_free(s.high);
    graco_links_clear(&s.made);
    return status;
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static graco_status read_array(struct array *out, const char *path)
{
    graco_status status = GRACO_OK;
    struct npz *npz = NULL;
    char *file = NULL;
    bool there = false;
    if (file_is_folder(path)) {
        TRY(memory_path(&file, path, "links.npy"));
        there = file_exists(file);
        if (there)
            TRY(npy_read(out, file));
    } else {
        there = npz_open(&npz, path) == GRACO_OK && npz_has(npz, "links");
        if (there)
            TRY(npz_read(out, npz, "links", NPZ_LIMIT));
    }
    if (!there)
        FAIL(GRACO_ERROR_ARGUMENT,
             "%s has no held-out links: expected a data set that graco split-links wrote", path);
done:
    npz_close(npz);
    memory_free(file);
    return status;
}

static graco_status check_rows(const graco_links *links)
{
    for (int64_t i = 0; i < links->count; i++) {
        const int32_t *row = links->pair + LINKS_FIELDS * i;
        bool nodes = row[LINKS_SOURCE] >= 0 && row[LINKS_TARGET] >= 0;
        if (!nodes || row[LINKS_PART] < 0 || row[LINKS_PART] >= LINKS_PARTS ||
            row[LINKS_LINKED] < 0 || row[LINKS_LINKED] > 1)
            return status_fail(
                GRACO_ERROR_FORMAT,
                "row %lld of links is %d, %d, %d, %d: expected two nodes, a part 0 to "
                "2, and 0 or 1",
                (long long)i, row[LINKS_SOURCE], row[LINKS_TARGET], row[LINKS_PART],
                row[LINKS_LINKED]);
    }
    return GRACO_OK;
}

graco_status graco_links_load(graco_links *out, const char *source)
{
    graco_status status = GRACO_OK;
    graco_links made = {0};
    struct array array = {0};
    char *path = NULL;
    TRY(dataset_find(&path, source));
    TRY(read_array(&array, path));
    if (array.ndim != 2 || array.shape[1] != LINKS_FIELDS)
        FAIL(GRACO_ERROR_FORMAT, "links has %d dimensions and %lld items: expected rows of %d",
             array.ndim, (long long)array.count, LINKS_FIELDS);
    made.count = array.shape[0];
    TRY(array_take_i32(&made.pair, &array));
    TRY(check_rows(&made));
    *out = made;
done:
    if (status != GRACO_OK)
        graco_links_clear(&made);
    if (status != GRACO_OK && path && !strstr(graco_message(), path))
        status = status_context(status, "%s", path);
    array_clear(&array);
    memory_free(path);
    return status;
}

graco_status links_check(const graco_links *links, const graco_dataset *data)
{
    int64_t nodes = data->graph->nodes;
    for (int64_t i = 0; i < links->count; i++) {
        const int32_t *row = links->pair + LINKS_FIELDS * i;
        int32_t a = row[LINKS_SOURCE], b = row[LINKS_TARGET];
        if (a >= nodes || b >= nodes)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "links name node %d: the data set %s has %lld nodes", a > b ? a : b,
                               data->name, (long long)nodes);
        bool wanted = row[LINKS_LINKED] && row[LINKS_PART] == LINKS_TRAIN;
        if (linked(data->graph, a, b) == wanted)
            continue;
        return status_fail(GRACO_ERROR_ARGUMENT,
                           row[LINKS_LINKED] && !wanted
                               ? "the graph of %s still has the link of nodes %d and %d, which was "
                                 "held out: embeddings that have seen it cannot be tested on it"
                               : "the graph of %s is not the one of these links: they differ in "
                                 "nodes %d and %d",
                           data->name, a, b);
    }
    return GRACO_OK;
}

void graco_links_clear(graco_links *links)
{
    if (!links)
        return;
    memory_free(links->pair);
    *links = (graco_links){0};
}
