/* Rows against a summary of their graph, and the order of rows. */
#ifndef TESTS_COMPUTE_AGREE_CASES_H
#define TESTS_COMPUTE_AGREE_CASES_H

#include "check.h"
#include "operation.h"

#include <string.h>

enum { ZERO_ROWS = 1, LARGE_ROWS = 2, TWO_GRAPHS = 4 };

/* kind: the flags above. in[0] has the rows of the graph and, in its second half, of the corrupted one;
 * with TWO_GRAPHS it has the graph's alone, and the corrupted one has one row more. */
static inline struct tensor *build_agree(struct tape *tape, struct setting *s, struct tensor *in[])
{
    int64_t d = in[1]->rows, rows = in[0]->rows + 1;
    float factor = s->op->kind & LARGE_ROWS ? 300 : s->op->kind & ZERO_ROWS ? 0 : 1;
    float *diagonal = calloc((size_t)(d * d), sizeof *diagonal);
    float *fixed = calloc((size_t)(rows * d), sizeof *fixed);
    for (int64_t j = 0; j < d; j++)
        diagonal[j * d + j] = factor;
    for (int64_t i = 0; i < rows * d; i++)
        fixed[i] = draw(111, i);
    struct tensor *D = tape_constant(tape, d, d), *G = tape_constant(tape, rows, d);
    CHECK_OK(tape->context->buffers->upload(tape->context, D->data, diagonal,
                                            (size_t)(d * d) * sizeof(float)));
    CHECK_OK(tape->context->buffers->upload(tape->context, G->data, fixed,
                                            (size_t)(rows * d) * sizeof(float)));
    CHECK_OK(context_finish(tape->context));
    free(diagonal);
    free(fixed);
    struct tensor *both[2] = {tape_matmul(tape, in[0], D, NULL), NULL};
    if (s->op->kind & TWO_GRAPHS)
        both[1] = tape_matmul(tape, G, in[1], NULL);
    s->objective = true;
    s->loss = &s->agreement.loss;
    tape_agree(tape, &s->agreement, both, in[1], in[2]);
    return NULL;
}

/* in[0] in a drawn order, which its inverse undoes. Nothing goes back through it. */
static inline struct tensor *build_order(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct context *c = tape->context;
    const struct random_key key = {.seed = 7, .stream = RANDOM_ROWS, .step = 5};
    int64_t n = in[0]->rows, cols = in[0]->cols;
    size_t bytes = (size_t)(n * cols) * sizeof(float);
    int32_t *order = NULL, *place = NULL;
    struct tensor *ordered = tape_tensor(tape, n, cols), *back = tape_tensor(tape, n, cols);
    float *here = malloc(bytes), *given = malloc(bytes);
    (void)s;
    CHECK_OK(context_take(c, &order, n, sizeof *order));
    CHECK_OK(context_take(c, &place, n, sizeof *place));
    CHECK_OK(c->kernels->draw_order(c, &key, n, order, place));
    CHECK_OK(c->kernels->gather(c, n, cols, ordered->data, in[0]->data, order));
    CHECK_OK(c->kernels->gather(c, n, cols, back->data, ordered->data, place));
    CHECK_OK(c->buffers->download(c, here, back->data, bytes));
    CHECK_OK(c->buffers->download(c, given, in[0]->data, bytes));
    CHECK_OK(context_finish(c));
    CHECK(memcmp(here, given, bytes) == 0);
    context_give(c, order);
    context_give(c, place);
    free(here);
    free(given);
    return ordered;
}

static const struct operation AGREE_OPERATIONS[] = {
    {"agree", build_agree, {{12, 5}, {5, 5}, {1, 1}}, 0, true},
    {"agree, one node", build_agree, {{2, 3}, {3, 3}, {1, 1}}, 0, true},
    {"agree, rows of zeros", build_agree, {{12, 5}, {5, 5}, {1, 1}}, ZERO_ROWS, true},
    {"agree, one column", build_agree, {{8, 1}, {1, 1}, {1, 1}}, 0, true},
    {"agree, large logits", build_agree, {{300, 37}, {37, 37}, {1, 1}}, LARGE_ROWS, false},
    {"agree, two graphs", build_agree, {{7, 5}, {5, 5}, {1, 1}}, TWO_GRAPHS, true},
    {"agree, odd", build_agree, {{2606, 37}, {37, 37}, {1, 1}}, 0, false},
    {"agree, fours", build_agree, {{1998, 132}, {132, 132}, {1, 1}}, 0, false},
    {"agree, two graphs, large", build_agree, {{1001, 64}, {64, 64}, {1, 1}}, TWO_GRAPHS, false},
    {"order", build_order, {{5, 3}}, 0, false},
    {"order, one row", build_order, {{1, 3}}, 0, false},
    {"order, large", build_order, {{4099, 5}}, 0, false},
};

#endif
