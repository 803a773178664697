/* Columns are hidden by the first places of a permutation, edges by a number for each pair of nodes: so neither depends
 * on the order of the work, and both directions of an edge are hidden together. */
#include "eval/hidden.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/permutation.h"
#include "eval/dot.h"
#include "eval/ranking.h"
#include "eval/ridge.h"
#include "eval/smooth.h"

#include <math.h>
#include <string.h>

enum { VIEW_COLUMNS, VIEW_EDGES, VIEW_PAIRS, DRAWS = 8, PAIRS_PER_PIECE = 256 };

/* ---- Columns --------------------------------------------------------------------------------- */

/* Marks the columns at the first places of a permutation. The caller frees *hidden. */
static graco_status choose_columns(uint8_t **hidden, int64_t cols)
{
    const struct random_key key = {.stream = RANDOM_HIDDEN, .view = VIEW_COLUMNS};
    uint32_t words[PERMUTATION_ROUNDS];
    int64_t count = cols < HIDDEN_SHARE ? 1 : cols / HIDDEN_SHARE;
    PASS(memory_zalloc(hidden, cols, sizeof **hidden));
    for (int i = 0; i < PERMUTATION_ROUNDS; i++)
        words[i] = random_u32(&key, (uint64_t)i);
    for (int64_t i = 0; i < count; i++)
        (*hidden)[permutation_at(words, permutation_bits(cols), cols, i)] = 1;
    return GRACO_OK;
}

/* X without the hidden columns, which are 0. */
static graco_status leave_out(struct features *out, const struct features *X, const uint8_t *hidden)
{
    const struct csr *from = &X->sparse;
    int64_t kept = 0;
    *out = (struct features){.rows = X->rows, .cols = X->cols};
    if (X->dense) {
        PASS(memory_alloc(&out->dense, X->rows * X->cols, sizeof *out->dense));
        for (int64_t i = 0; i < X->rows * X->cols; i++)
            out->dense[i] = hidden[i % X->cols] ? 0 : X->dense[i];
        return GRACO_OK;
    }
    for (int64_t k = 0; k < from->start[X->rows]; k++)
        kept += !hidden[from->index[k]];
    PASS(csr_alloc(&out->sparse, X->rows, X->cols, kept, from->value));
    kept = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        for (int64_t k = from->start[i]; k < from->start[i + 1]; k++) {
            if (hidden[from->index[k]])
                continue;
            out->sparse.index[kept] = from->index[k];
            if (from->value)
                out->sparse.value[kept] = from->value[k];
            kept++;
        }
        out->sparse.start[i + 1] = kept;
    }
    return GRACO_OK;
}

static graco_status hide_columns(struct hidden *made, const struct features *X, int threads)
{
    graco_status status = GRACO_OK;
    uint8_t *hidden = NULL;
    if (X->cols < 2)
        return GRACO_OK;
    TRY(choose_columns(&hidden, X->cols));
    TRY(smooth_project(&made->columns, X, hidden, threads));
    made->own_features = true;
    TRY(leave_out(&made->seen.features, X, hidden));
done:
    memory_free(hidden);
    return status;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* Both directions of a pair are hidden together. */
static bool is_hidden(const struct graph *graph, int64_t source, int64_t target)
{
    const struct random_key key = {.stream = RANDOM_HIDDEN, .view = VIEW_EDGES};
    int64_t low = source < target ? source : target, high = source < target ? target : source;
    return random_u32(&key, (uint64_t)(low * graph->nodes + high)) < UINT32_MAX / HIDDEN_SHARE;
}

/* One direction counts where both are there. */
static bool counts(const struct graph *graph, int32_t source, int32_t target)
{
    return source < target || !graph_links(graph, target, source);
}

/* Fills the incoming rows of `out` with the edges that are not hidden; *hidden: pairs that are. */
static graco_status keep_edges(struct graph *out, int64_t *hidden, const struct graph *graph)
{
    const struct csr *in = &graph->in;
    int64_t kept = 0;
    PASS(csr_alloc(&out->in, graph->nodes, graph->sources, graph->edges, in->value));
    for (int64_t t = 0; t < graph->nodes; t++) {
        for (int64_t e = in->start[t]; e < in->start[t + 1]; e++) {
            if (is_hidden(graph, in->index[e], t)) {
                *hidden += counts(graph, in->index[e], (int32_t)t);
                continue;
            }
            out->in.index[kept] = in->index[e];
            if (in->value)
                out->in.value[kept] = in->value[e];
            kept++;
        }
        out->in.start[t + 1] = kept;
    }
    out->nodes = graph->nodes;
    out->sources = graph->sources;
    out->edges = kept;
    return graph_turn(out);
}

/* Lists `most` of `all` hidden edges, from the first target to the last. */
static void list_hidden(struct hidden *made, const struct graph *graph, int64_t most, int64_t all)
{
    const struct csr *in = &graph->in;
    int64_t seen = 0;
    for (int64_t t = 0; t < graph->nodes; t++)
        for (int64_t e = in->start[t]; e < in->start[t + 1]; e++) {
            int32_t source = in->index[e];
            if (!is_hidden(graph, source, t) || !counts(graph, source, (int32_t)t))
                continue;
            if (seen++ * most / all < made->linked)
                continue;
            made->pair[2 * made->linked] = source;
            made->pair[2 * made->linked++ + 1] = (int32_t)t;
        }
}

/* Adds a pair without an edge for each hidden edge; some fewer where nearly all pairs have one. */
static void draw_others(struct hidden *made, const struct graph *graph)
{
    const struct random_key key = {.stream = RANDOM_HIDDEN, .view = VIEW_PAIRS};
    made->pairs = made->linked;
    for (int64_t i = 0; i < made->linked; i++)
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t element = (uint64_t)(i * DRAWS + draw) * 2;
            int32_t a = (int32_t)random_below(&key, element, graph->nodes);
            int32_t b = (int32_t)random_below(&key, element + 1, graph->nodes);
            if (a == b || graph_links(graph, a, b) || graph_links(graph, b, a))
                continue;
            made->pair[2 * made->pairs] = a;
            made->pair[2 * made->pairs++ + 1] = b;
            break;
        }
}

static graco_status hide_edges(struct hidden *made, const struct graph *graph)
{
    struct graph *kept = NULL;
    int64_t all = 0, most;
    PASS(memory_zalloc(&kept, 1, sizeof *kept));
    made->seen.graph = kept;
    made->own_graph = true;
    PASS(keep_edges(kept, &all, graph));
    most = all < HIDDEN_EDGES ? all : HIDDEN_EDGES;
    PASS(memory_alloc(&made->pair, 4 * most, sizeof *made->pair));
    list_hidden(made, graph, most, all);
    draw_others(made, graph);
    return GRACO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

graco_status hidden_make(struct hidden *out, const graco_dataset *data, int threads)
{
    struct hidden made = {.data = data, .seen = *data};
    graco_status status = GRACO_OK;
    TRY(hide_columns(&made, &data->features, threads));
    TRY(hide_edges(&made, data->graph));
    *out = made;
    made = (struct hidden){0};
done:
    hidden_clear(&made);
    return status;
}

void hidden_clear(struct hidden *hidden)
{
    if (hidden->own_features)
        features_clear(&hidden->seen.features);
    if (hidden->own_graph)
        graph_free(hidden->seen.graph);
    graco_matrix_clear(&hidden->columns);
    memory_free(hidden->pair);
    *hidden = (struct hidden){0};
}

struct graco_dataset hidden_seen(const struct hidden *hidden, const graco_dataset *data)
{
    struct graco_dataset seen = hidden->seen;
    if (data != hidden->data)
        seen.features = data->features;
    return seen;
}

bool hidden_differ(const struct hidden *hidden)
{
    const graco_matrix *Y = &hidden->columns;
    for (int64_t i = 1; Y->data && i < Y->rows; i++)
        if (memcmp(Y->data, Y->data + i * Y->cols, (size_t)Y->cols * sizeof *Y->data) != 0)
            return true;
    return false;
}

graco_status hidden_columns(double *share, const struct hidden *hidden, const graco_matrix *rows,
                            int threads)
{
    *share = (double)NAN;
    return hidden_differ(hidden) ? ridge_predicted(share, &hidden->columns, rows, threads)
                                 : GRACO_OK;
}

struct likeness {
    const struct hidden *hidden;
    const graco_matrix *rows;
    double *cosine; /* (pairs) */
};

static void compare_pairs(void *job, struct threads_piece pairs)
{
    const struct likeness *l = job;
    int64_t cols = l->rows->cols;
    for (int64_t i = pairs.first; i < pairs.last; i++) {
        const float *a = l->rows->data + l->hidden->pair[2 * i] * cols;
        const float *b = l->rows->data + l->hidden->pair[2 * i + 1] * cols;
        double ab = dot_rows(a, b, cols), lengths = dot_rows(a, a, cols) * dot_rows(b, b, cols);
        l->cosine[i] = lengths > 0 ? ab / sqrt(lengths) : 0;
    }
}

graco_status hidden_edges(double *auc, const struct hidden *hidden, const graco_matrix *rows,
                          int threads)
{
    struct likeness l = {.hidden = hidden, .rows = rows};
    struct ranking ranking = {0};
    uint8_t *linked = NULL;
    graco_status status = GRACO_OK;
    *auc = (double)NAN;
    if (hidden->linked == 0 || hidden->pairs == hidden->linked)
        return GRACO_OK;
    TRY(memory_alloc(&l.cosine, hidden->pairs, sizeof *l.cosine));
    TRY(memory_zalloc(&linked, hidden->pairs, sizeof *linked));
    for (int64_t i = 0; i < hidden->linked; i++)
        linked[i] = 1;
    threads_run(threads, hidden->pairs, PAIRS_PER_PIECE, compare_pairs, &l);
    TRY(ranking_measure(&ranking, l.cosine, linked, hidden->pairs));
    *auc = ranking.auc;
done:
    memory_free(linked);
    memory_free(l.cosine);
    return status;
}
