/* The operations that methods other than GRACE are made of. Lists of rows are filled anew by each
 * call, the same for every back end. */
#ifndef TESTS_COMPUTE_METHOD_CASES_H
#define TESTS_COMPUTE_METHOD_CASES_H

#include "check.h"
#include "operation.h"

#include "base/memory.h"

#include <string.h>

enum { ENTRIES_MAX = 20000, LISTS_MAX = 4 };

/* ---- Dropout --------------------------------------------------------------------------------- */

/* kind: percent. Of a product, in place; and of a leaf, which stays. */
static inline struct tensor *build_dropout(struct tape *tape, struct setting *s,
                                           struct tensor *in[])
{
    struct dropout first = {{.seed = 5, .stream = RANDOM_DROPOUT, .step = 3}, s->op->kind / 100.0};
    struct dropout second = {{.seed = 5, .stream = RANDOM_DROPOUT + 1, .step = 3}, first.p};
    struct tensor *AB = tape_matmul(tape, tape_dropout(tape, &first, in[0]), in[1], NULL);
    return tape_dropout(tape, &second, AB);
}

/* A host array where the device sees it, until the context ends. */
static inline const void *shared(struct tape *tape, const void *host, int64_t count, size_t size)
{
    const void *out = NULL;
    CHECK_OK(context_share(tape->context, &out, host, count, size));
    CHECK_OK(context_finish(tape->context)); /* the upload reads the array until then */
    return out;
}

/* The map's matrix as sparse features with dropped entries, times in[0]. Values there: kind 0. */
static inline struct tensor *build_dropout_features(struct tape *tape, struct setting *s,
                                                    struct tensor *in[])
{
    struct dropout spec = {{.seed = 5, .stream = RANDOM_DROPOUT, .step = 3}, 0.5};
    int64_t rows = s->map.matrix[0].entries.rows, cols = s->map.matrix[0].entries.cols;
    const struct csr matrix = {rows, cols, s->start[0], s->index[0], NULL};
    static uint32_t kept[ENTRIES_MAX];
    struct csr transpose = {0};
    uint32_t *from = NULL;
    CHECK_OK(csr_transpose(&transpose, &from, &matrix));
    memcpy(kept, from, (size_t)matrix.start[rows] * sizeof *from);
    memory_free(from);
    csr_clear(&transpose);
    for (int view = 0; view < 2 && s->op->kind == 1; view++)
        s->map.matrix[view].entries.value = NULL;
    const uint32_t *there = shared(tape, kept, matrix.start[rows], sizeof *kept);
    return tape_propagate(
        tape, tape_dropout_features(tape, &spec, &s->map, there, matrix.start[rows]), in[0], NULL);
}

/* ---- Logits against classes ------------------------------------------------------------------ */

enum { SIGMOID = 1, WEIGHTED = 2, FIRST_ROWS = 4, NO_ROWS = 8, LARGE_LOGITS = 16 };

/* kind: the flags above. Every second row is listed, from the last to the first. */
static inline struct tensor *build_classify(struct tape *tape, struct setting *s,
                                            struct tensor *in[])
{
    static int32_t row[ENTRIES_MAX], label[ENTRIES_MAX];
    static uint8_t target[ENTRIES_MAX];
    static float weight[ENTRIES_MAX];
    struct tensor *X = tape_matmul(tape, in[0], in[1], NULL);
    int64_t count = (X->rows + 1) / 2, cols = X->cols, costs = count * cols;
    int kind = s->op->kind;
    for (int64_t i = 0; i < count; i++) {
        row[i] = (int32_t)(X->rows - 1 - 2 * i);
        label[i] = (int32_t)(i * 5 % cols);
    }
    for (int64_t i = 0; i < costs; i++) {
        target[i] = i * 7 % 3 == 0;
        weight[i] = i % 4 ? 0.5f + (float)(i % 4) : 0;
    }
    s->classification = (struct classification){
        .kind = kind & SIGMOID ? CLASSIFY_SIGMOID : CLASSIFY_SOFTMAX,
        .cols = cols,
        .count = kind & NO_ROWS ? 0 : count,
        .row = kind & FIRST_ROWS ? NULL : shared(tape, row, count, sizeof *row),
        .label = shared(tape, label, count, sizeof *label),
        .target = shared(tape, target, costs, sizeof *target),
        .weight = kind & WEIGHTED ? shared(tape, weight, costs, sizeof *weight) : NULL,
        .total = kind & WEIGHTED ? 17 : 0};
    if (kind & LARGE_LOGITS) {
        struct dropout larger = {{.seed = 5, .stream = RANDOM_DROPOUT}, 0.99};
        X = tape_dropout(tape, &larger, X); /* what stays is a hundred times as large */
    }
    tape_classify(tape, &s->classification, X);
    s->objective = true;
    s->loss = &s->classification.loss;
    return NULL;
}

/* ---- Pairs of rows --------------------------------------------------------------------------- */

/* Groups a list on the host and gives the groups to the device. */
static inline struct csr grouped(struct tape *tape, int64_t rows, int64_t count, const int32_t *row)
{
    struct csr host = {0}, out = {.rows = rows, .cols = count};
    static int32_t index[LISTS_MAX][ENTRIES_MAX];
    static int64_t starts[LISTS_MAX][ENTRIES_MAX];
    static int next;
    next = (next + 1) % LISTS_MAX;
    CHECK_OK(csr_group(&host, rows, count, row));
    memcpy(starts[next], host.start, (size_t)(rows + 1) * sizeof *host.start);
    memcpy(index[next], host.index, (size_t)count * sizeof *host.index);
    csr_clear(&host);
    out.start = (int64_t *)shared(tape, starts[next], rows + 1, sizeof(int64_t));
    out.index = (int32_t *)shared(tape, index[next], count, sizeof(int32_t));
    return out;
}

/* kind: how many pairs that belong together, hundreds of others behind them. Row 0 is in every
 * fifth pair, some rows in none; pairs repeat, and some have one row at both ends. */
static inline struct tensor *build_pairs(struct tape *tape, struct setting *s, struct tensor *in[])
{
    static int32_t end[2][ENTRIES_MAX];
    static float weight[ENTRIES_MAX];
    struct tensor *Z = tape_matmul(tape, in[0], in[1], NULL);
    for (int list = 0; list < 2; list++) {
        int64_t count = list == 0 ? s->op->kind % 1000 : s->op->kind / 1000;
        for (int64_t p = 0; p < count; p++) {
            weight[p] = (float)(p % 3);
            end[list][p] = (int32_t)(p % 5 ? p * p * 7 % Z->rows : 0);
            end[list][count + p] = (int32_t)(p % 7 ? p * 3 % (Z->rows / 2 + 1) : end[list][p]);
        }
        s->pairs[list] =
            (struct pairs){.count = count,
                           .rows = Z->rows,
                           .d = Z->cols,
                           .end = shared(tape, end[list], 2 * count, sizeof **end),
                           .ends = grouped(tape, Z->rows, 2 * count, end[list]),
                           .weight = list == 0 ? shared(tape, weight, count, sizeof *weight) : NULL,
                           .scale = 1 / (double)(count + 1),
                           .together = list == 0,
                           .add = list > 0,
                           .loss = &s->pairs_loss};
        tape_pairs(tape, &s->pairs[list], Z);
    }
    s->objective = true;
    s->loss = &s->pairs_loss;
    return NULL;
}

/* ---- Rows and columns ------------------------------------------------------------------------ */

/* kind: rows in the list; in[0] also gets a gradient by another way, before and after. */
static inline struct tensor *build_gather_rows(struct tape *tape, struct setting *s,
                                               struct tensor *in[])
{
    static int32_t row[ENTRIES_MAX];
    int64_t count = s->op->kind;
    struct tensor *X = tape_matmul(tape, in[0], in[1], NULL);
    for (int64_t i = 0; i < count; i++)
        row[i] = (int32_t)(i % 3 ? i * i * 7 % X->rows : 1);
    s->list = (struct row_list){count, shared(tape, row, count, sizeof *row),
                                grouped(tape, X->rows, count, row)};
    struct tensor *first = tape_gather(tape, &s->list, X);
    return tape_join(tape, first, tape_gather(tape, &s->list, X));
}

static inline struct tensor *build_join(struct tape *tape, struct setting *s, struct tensor *in[])
{
    (void)s;
    struct tensor *AB = tape_matmul(tape, in[0], in[1], NULL);
    return tape_join(tape, tape_join(tape, AB, in[2]), AB);
}

/* kind: the activation, at the end of a product. */
static inline struct tensor *build_ending(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct ending end = {{.kind = (enum activation_kind)s->op->kind}, in[2], NULL};
    return tape_matmul(tape, in[0], in[1], &end);
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* kind: targets. A segment has 0 to 4 entries, every 40th 90; sources repeat. */
static inline const struct segments *make_segments(struct tape *tape, struct setting *s,
                                                   int64_t sources)
{
    static int64_t start[ENTRIES_MAX], turned_start[ENTRIES_MAX];
    static int32_t index[ENTRIES_MAX], turned_index[ENTRIES_MAX];
    static uint32_t from[ENTRIES_MAX];
    int64_t targets = s->op->kind;
    struct csr host = {targets, sources, start, index, NULL};
    struct csr turned = {sources, targets, turned_start, turned_index, NULL};
    for (int64_t t = 0; t < targets; t++) {
        start[t + 1] = start[t] + (t % 40 == 39 ? 90 : (t * 3 + 1) % 5);
        for (int64_t e = start[t]; e < start[t + 1]; e++)
            index[e] = (int32_t)((t * 7 + (e - start[t]) / 2 * 5) % sources);
    }
    csr_transpose_into(&turned, from, &host);
    int64_t count = start[targets];
    s->segments = (struct segments){.entries = host, .transpose = turned, .count = count};
    s->segments.longest = csr_longest_row(&host);
    struct csr *sides[2] = {&s->segments.entries, &s->segments.transpose};
    for (int i = 0; i < 2; i++) {
        sides[i]->start =
            (int64_t *)shared(tape, sides[i]->start, sides[i]->rows + 1, sizeof(int64_t));
        sides[i]->index = (int32_t *)shared(tape, sides[i]->index, count, sizeof(int32_t));
    }
    s->segments.from = shared(tape, from, count, sizeof *from);
    return &s->segments;
}

/* Of a product, or of in[0] itself where there is no in[1]: rounded operands of a product would make
 * other sources the largest, and a gradient that goes to another source is no rounding error. */
static inline struct tensor *build_segment_max(struct tape *tape, struct setting *s,
                                               struct tensor *in[])
{
    const struct segments *segments = make_segments(tape, s, in[0]->rows);
    struct tensor *X = in[1] ? tape_matmul(tape, in[0], in[1], NULL) : in[0];
    return tape_join(tape, tape_segment_max(tape, segments, X),
                     tape_segment_max(tape, segments, X));
}

/* Queries in[2] (targets, heads width), keys in[0], values in[0] in[1]; width 3, or 8 where there are
 * many targets. */
static inline struct tensor *build_attention(struct tape *tape, struct setting *s,
                                             struct tensor *in[])
{
    const struct segments *segments = make_segments(tape, s, in[0]->rows);
    int64_t width = s->op->kind > 100 ? 8 : 3;
    const struct segment_heads heads = {segments, in[0]->cols / width, width, 1.5};
    struct tensor *V = tape_matmul(tape, in[0], in[1], NULL);
    struct tensor *W =
        tape_segment_softmax(tape, segments, tape_segment_dot(tape, &heads, in[2], in[0]));
    return tape_join(tape, tape_segment_sum(tape, segments, W, V),
                     tape_segment_sum(tape, segments, W, V));
}

/* x Wx of in[0] and in[1], Wh in[2]. Where in[2] is narrower than that, Wh has the unit rows of in[2]
 * in[1]: over 90 steps, recurrent weights of size one let every rounding error grow, and a comparison
 * would measure that alone. */
static inline struct tensor *build_lstm(struct tape *tape, struct setting *s, struct tensor *in[])
{
    const struct segments *segments = make_segments(tape, s, in[0]->rows);
    struct tensor *Wh = in[2];
    if (Wh->cols < in[1]->cols)
        Wh = tape_normalise(tape, tape_matmul(tape, in[2], in[1], NULL), NULL);
    return tape_lstm(tape, segments, tape_matmul(tape, in[0], in[1], NULL), Wh);
}

/* kind: rows to gather, some of them more than once. Nothing goes back through it: features are
 * constant. */
static inline struct tensor *build_gather(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct context *c = tape->context;
    int64_t rows = s->op->kind;
    const int32_t *index = NULL;
    int32_t *host = malloc((size_t)rows * sizeof *host);
    struct tensor *Y = tape_tensor(tape, rows, in[0]->cols);
    for (int64_t i = 0; i < rows; i++)
        host[i] = (int32_t)(i == 0 ? in[0]->rows - 1 : i * i * 7 % in[0]->rows);
    CHECK_OK(context_share(c, &index, host, rows, sizeof *host));
    CHECK_OK(c->kernels->gather(c, rows, in[0]->cols, Y->data, in[0]->data, index));
    CHECK_OK(context_finish(c));
    context_unshare(c, index);
    free(host);
    return Y;
}

static const struct operation METHOD_OPERATIONS[] = {
    {"dropout", build_dropout, {{7, 5}, {5, 3}}, 40, true},
    {"dropout, nothing dropped", build_dropout, {{4, 5}, {5, 3}}, 0, true},
    {"dropout, nearly all dropped", build_dropout, {{9, 5}, {5, 3}}, 99, true},
    {"dropout, large", build_dropout, {{1031, 33}, {33, 7}}, 50, false},
    {"dropout of sparse features", build_dropout_features, {{24, 5}}, 0, true},
    {"dropout of sparse features, ones", build_dropout_features, {{24, 5}}, 1, true},
    {"dropout of sparse features, large", build_dropout_features, {{5000, 37}}, 0, false},
    {"softmax", build_classify, {{9, 4}, {4, 7}}, 0, true},
    {"softmax, weighted", build_classify, {{9, 4}, {4, 7}}, WEIGHTED, true},
    {"softmax, first rows", build_classify, {{8, 4}, {4, 2}}, FIRST_ROWS, true},
    {"softmax, one class", build_classify, {{8, 4}, {4, 1}}, 0, false},
    {"softmax, no rows", build_classify, {{8, 4}, {4, 3}}, NO_ROWS, false},
    {"softmax, large logits", build_classify, {{500, 9}, {9, 17}}, LARGE_LOGITS, false},
    {"softmax, large", build_classify, {{900, 9}, {9, 41}}, 0, false},
    {"sigmoid", build_classify, {{9, 4}, {4, 7}}, SIGMOID, true},
    {"sigmoid, weighted", build_classify, {{9, 4}, {4, 7}}, SIGMOID | WEIGHTED, true},
    {"sigmoid, first rows", build_classify, {{8, 4}, {4, 1}}, SIGMOID | FIRST_ROWS, true},
    {"sigmoid, no rows", build_classify, {{8, 4}, {4, 3}}, SIGMOID | NO_ROWS, false},
    {"sigmoid, large logits", build_classify, {{500, 9}, {9, 17}}, SIGMOID | LARGE_LOGITS, false},
    {"sigmoid, large", build_classify, {{300, 9}, {9, 121}}, SIGMOID, false},
    {"pairs", build_pairs, {{9, 4}, {4, 5}}, 7006, true},
    {"pairs, few rows", build_pairs, {{2, 4}, {4, 5}}, 9011, true},
    {"pairs, one", build_pairs, {{5, 4}, {4, 1}}, 1, true},
    {"pairs, none", build_pairs, {{5, 4}, {4, 3}}, 0, false},
    {"pairs, large", build_pairs, {{1500, 9}, {9, 37}}, 7000999, false},
    {"pairs, fours", build_pairs, {{700, 9}, {9, 16}}, 5000700, false},
    {"gather rows", build_gather_rows, {{9, 4}, {4, 5}}, 13, true},
    {"gather rows, one", build_gather_rows, {{9, 4}, {4, 5}}, 1, true},
    {"gather rows, large", build_gather_rows, {{900, 9}, {9, 37}}, 5000, false},
    {"join", build_join, {{6, 3}, {3, 5}, {6, 2}}, 0, true},
    {"join, large", build_join, {{701, 9}, {9, 37}, {701, 64}}, 0, false},
    {"leaky", build_ending, {{9, 4}, {4, 5}, {1, 5}}, ACTIVATION_LEAKY, true},
    {"leaky, large", build_ending, {{517, 8}, {8, 70}, {1, 70}}, ACTIVATION_LEAKY, false},
    {"sigmoid of numbers", build_ending, {{9, 4}, {4, 5}, {1, 5}}, ACTIVATION_SIGMOID, true},
    {"sigmoid of numbers, no bias", build_ending, {{9, 4}, {4, 5}}, ACTIVATION_SIGMOID, true},
    {"sigmoid of numbers, large",
     build_ending,
     {{517, 33}, {33, 70}, {1, 70}},
     ACTIVATION_SIGMOID,
     false},
    {"segment max", build_segment_max, {{7, 4}, {4, 5}}, 9, true},
    {"segment max, one target", build_segment_max, {{3, 4}, {4, 5}}, 1, true},
    {"segment max, large", build_segment_max, {{301, 37}}, 700, false},
    {"attention", build_attention, {{7, 6}, {6, 4}, {9, 6}}, 9, true},
    {"attention, one head", build_attention, {{7, 3}, {3, 4}, {9, 3}}, 9, true},
    {"attention, one target", build_attention, {{2, 6}, {6, 4}, {1, 6}}, 1, true},
    {"attention, large", build_attention, {{301, 32}, {32, 36}, {700, 32}}, 700, false},
    {"lstm", build_lstm, {{7, 4}, {4, 12}, {3, 12}}, 9, true},
    {"lstm, one target", build_lstm, {{7, 4}, {4, 12}, {3, 12}}, 1, true},
    {"lstm, large", build_lstm, {{301, 9}, {9, 148}, {37, 9}}, 400, false},
};

#endif
