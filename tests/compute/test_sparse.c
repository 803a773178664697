/* Gradients of weights of sparse features, whose views add up: against plain loops in double, for shapes that have one
 * tile of rows and several, few and many entries, whole stripes of columns and parts; the same bits for any number of
 * threads. And how rows are cut for them. */
#include "check.h"

#include "compute/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 2 };

struct shape {
    int64_t features, nodes, cols;
    double filled; /* share of entries that are not zero */
    bool accumulate;
};

static const struct shape SHAPES[] = {
    {7, 90, 5, 0.3, false},       {7, 90, 5, 0.3, true},
    {1400, 300, 256, 0.01, true}, {40, 5000, 64, 0.02, true}, /* tiles */
    {40, 5000, 197, 0.9, false},  {30, 500, 1031, 1, true},   /* copied */
    {40, 2100, 1031, 1, false},   {40, 4097, 1024, 0.7, true},
};

static const struct random_key KEY = {.seed = 5};

/* The product's matrix (features, nodes) of all views, their operands and masks. */
struct problem {
    struct shape shape;
    int64_t *start;
    int32_t *index;
    float *value, *X, *mask[VIEWS];
};

static void make_problem(struct problem *p, const struct shape *shape)
{
    int64_t cells = shape->features * shape->nodes, entries = 0,
            operand = VIEWS * shape->nodes * shape->cols;
    p->shape = *shape;
    p->start = calloc((size_t)shape->features + 1, sizeof *p->start);
    p->index = malloc((size_t)cells * sizeof *p->index);
    p->value = malloc((size_t)cells * sizeof *p->value);
    p->X = malloc((size_t)operand * sizeof *p->X);
    for (int64_t cell = 0; cell < cells; cell++) {
        if ((double)random_float(&KEY, (uint64_t)cell) < shape->filled) {
            p->index[entries] = (int32_t)(cell % shape->nodes);
            p->value[entries++] = 0.5f + random_float(&KEY, (uint64_t)(cells + cell));
        }
        p->start[cell / shape->nodes + 1] = entries;
    }
    for (int64_t i = 0; i < operand; i++)
        p->X[i] = random_float(&KEY, (uint64_t)(2 * cells + i)) - 0.5f;
    for (int view = 0; view < VIEWS; view++) {
        p->mask[view] = malloc((size_t)shape->features * sizeof(float));
        for (int64_t f = 0; f < shape->features; f++)
            p->mask[view][f] = (f + view) % 3 > 0;
    }
}

static void clear_problem(struct problem *p)
{
    free(p->start);
    free(p->index);
    free(p->value);
    free(p->X);
    for (int view = 0; view < VIEWS; view++)
        free(p->mask[view]);
}

static float before(int64_t i)
{
    return (float)(i % 11) - 5;
}

static void compute(float *Y, const struct problem *p, int threads)
{
    const struct shape *s = &p->shape;
    struct context *context = NULL;
    struct sparse matrix[VIEWS];
    for (int view = 0; view < VIEWS; view++)
        matrix[view] =
            (struct sparse){.entries = {s->features, s->nodes, p->start, p->index, p->value},
                            .row_scale = p->mask[view]};
    for (int64_t i = 0; i < s->features * s->cols; i++)
        Y[i] = before(i);
    CHECK_OK(context_create(&context, &backend_cpu, threads, 0));
    CHECK_OK(context->kernels->spmm(context, &(struct spmm){.views = VIEWS,
                                                            .matrix = matrix,
                                                            .back = true,
                                                            .cols = s->cols,
                                                            .X = p->X,
                                                            .x_step = s->nodes * s->cols,
                                                            .Y = Y,
                                                            .accumulate = s->accumulate}));
    context_free(context);
}

static void expect(double *Y, const struct problem *p)
{
    const struct shape *s = &p->shape;
    for (int64_t i = 0; i < s->features * s->cols; i++)
        Y[i] = s->accumulate ? (double)before(i) : 0;
    for (int view = 0; view < VIEWS; view++)
        for (int64_t f = 0; f < s->features; f++)
            for (int64_t k = p->start[f]; k < p->start[f + 1]; k++)
                for (int64_t j = 0; j < s->cols; j++)
                    Y[f * s->cols + j] +=
                        (double)(p->mask[view][f] * p->value[k]) *
                        (double)p->X[(view * s->nodes + p->index[k]) * s->cols + j];
}

static void check_shape(const struct shape *shape)
{
    struct problem p;
    int64_t count = shape->features * shape->cols;
    make_problem(&p, shape);
    float *one = malloc((size_t)count * sizeof *one),
          *several = malloc((size_t)count * sizeof *several);
    double *wanted = malloc((size_t)count * sizeof *wanted);
    expect(wanted, &p);
    compute(one, &p, 1);
    CHECK(check_distance(one, wanted, count) < 1e-5);
    for (int threads = 2; threads <= 5; threads += 3) {
        compute(several, &p, threads);
        CHECK(memcmp(one, several, (size_t)count * sizeof *one) == 0);
    }
    free(one);
    free(several);
    free(wanted);
    clear_problem(&p);
}

/* Rows in the middle of a larger matrix, whose starts do not begin with 0, are cut as a matrix of their own is. */
static void check_cuts(void)
{
    enum { BEFORE = 900, ROWS = 100, SHARES = 8 };
    int64_t all[BEFORE + ROWS + 1] = {0}, own[ROWS + 1];
    for (int64_t row = 0; row < BEFORE + ROWS; row++)
        all[row + 1] = all[row] + row % 7;
    for (int64_t row = 0; row <= ROWS; row++)
        own[row] = all[BEFORE + row] - all[BEFORE];
    const struct csr part = {.rows = ROWS, .start = all + BEFORE};
    const struct csr alone = {.rows = ROWS, .start = own};
    for (int64_t share = 0; share <= SHARES; share++) {
        int64_t row = cpu_row_at(&part, share, SHARES);
        CHECK(row == cpu_row_at(&alone, share, SHARES));
        CHECK(llabs(row - share * ROWS / SHARES) <= 3); /* lengths differ little */
    }
    CHECK(cpu_row_at(&part, 0, SHARES) == 0 && cpu_row_at(&part, SHARES, SHARES) == ROWS);
}

int main(void)
{
    check_cuts();
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        check_shape(&SHAPES[i]);
    return check_result();
}
