/* The operations that methods other than GRACE are made of. Lists of rows are filled anew by each
 * call, the same for every back end. */
#ifndef TESTS_COMPUTE_METHOD_CASES_H
#define TESTS_COMPUTE_METHOD_CASES_H

#include "check.h"
#include "operation.h"

#include "base/memory.h"

#include <string.h>

enum { ENTRIES_MAX = 20000 };

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
};

#endif
