/* How fast the objectives run beside sgemm, on this machine.
 *
 * Every round measures, one after the other, sgemm in several shapes (each thread its own product,
 * as graco uses BLAS), the exact objective with its gradient, the moment objective with its gradient,
 * and the search for 10 neighbours of every row. An objective's share is its rate over the best sgemm rate OF THE SAME ROUND, so that a
 * machine that slows down for a while slows both. Prints one JSON object.
 *
 * Operations are counted by the mathematics, not by the code: 4 N^2 d for the upper triangle of the
 * similarities of 2N rows, 8 N^2 d for the gradient, 4 N^2 d more where tiles are recomputed; N^2 d for
 * the neighbours of N rows, where each pair is multiplied once. */
#include "base/memory.h"
#include "base/threads.h"
#include "eval/blas.h"
#include "tape/tape_node.h"
#include "methods/objective.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MAX = 99,
    TRIAD_FLOATS = 1 << 24,
    TRIAD_PIECE = 1 << 16,
    CLASSES = 7,
    ROWS_PER_PIECE = 256,
};

static const double SGEMM_SECONDS = 0.05; /* of one measurement */

struct shape {
    bool transpose_a, transpose_b;
    int64_t m, n, k;
};

/* The tile products of the exact objective (similarities; gradient by rows and by columns) for d =
 * 128 and 256, and larger ones, in which BLAS is at its best. */
static const struct shape SHAPES[] = {
    {false, true, 256, 256, 128},  {false, false, 256, 128, 256},  {true, false, 256, 128, 256},
    {false, true, 256, 256, 256},  {false, false, 256, 256, 256},  {false, true, 512, 512, 256},
    {false, false, 512, 512, 512}, {false, true, 1024, 1024, 256}, {false, false, 1024, 1024, 1024},
};

struct objective_case {
    const char *name;
    enum objective_kind kind;
    int64_t n, d;
    int64_t tile_budget;
    double operations; /* 0: not counted */
    bool neighbours;   /* no objective: the neighbours of n rows */
};

static const double GIGA = 1e9;
static const int64_t KEEP = (int64_t)1 << 30;

enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES, CASES_MAX = 16 };

/* Everything measured: seconds or rates by round. */
struct results {
    int rounds;
    double rate[SHAPE_COUNT][ROUNDS_MAX]; /* operations per second */
    double best[ROUNDS_MAX];              /* over the shapes */
    double bandwidth[ROUNDS_MAX];         /* bytes per second */
    double seconds[CASES_MAX][ROUNDS_MAX];
    double loss[CASES_MAX];
};

struct options {
    int rounds, threads;
    bool quick;
};

/* ---- sgemm and memory ------------------------------------------------------------------------ */

static graco_status fill_random(float **out, int64_t count)
{
    const struct random_key key = {.stream = RANDOM_GENERATE};
    PASS(memory_alloc(out, count, sizeof **out));
    for (int64_t i = 0; i < count; i++)
        (*out)[i] = random_float(&key, (uint64_t)i) - 0.5f;
    return GRACO_OK;
}

static struct blas blas;

/* One product by the calling thread alone; by itself OpenBLAS would use all threads. */
static void sgemm(const struct shape *s, const float *A, const float *B, float *C)
{
    int limit = blas_begin(&blas);
    cblas_sgemm(CblasRowMajor, s->transpose_a ? CblasTrans : CblasNoTrans,
                s->transpose_b ? CblasTrans : CblasNoTrans, (int)s->m, (int)s->n, (int)s->k, 1, A,
                (int)(s->transpose_a ? s->m : s->k), B, (int)(s->transpose_b ? s->k : s->n), 0, C,
                (int)s->n);
    blas_end(&blas, limit);
}

struct products {
    const struct shape *shape;
    float *work;
    int64_t stride, times;
};

static void multiply_often(void *job, struct threads_piece piece)
{
    const struct products *p = job;
    const struct shape *s = p->shape;
    float *A = p->work + piece.first * p->stride, *B = A + s->m * s->k, *C = B + s->k * s->n;
    for (int64_t i = 0; i < p->times; i++)
        sgemm(s, A, B, C);
}

/* Runs `times` products in each thread, A, B and C one after the other in a thread's `stride`
 * floats; returns the seconds. */
static double run_products(const struct shape *s, float *work, int64_t stride, int threads,
                           int64_t times)
{
    struct products products = {s, work, stride, times};
    double begin = threads_seconds();
    threads_run(threads, threads, 1, multiply_often, &products);
    return threads_seconds() - begin;
}

/* Operations per second over all threads. */
static graco_status measure_sgemm(double *rate, const struct shape *s, int threads)
{
    graco_status status = GRACO_OK;
    float *work = NULL;
    int64_t stride = (s->m * s->k + s->k * s->n + s->m * s->n + 15) / 16 * 16;
    double operations = 2.0 * (double)s->m * (double)s->n * (double)s->k * threads;
    TRY(blas_open(&blas, threads));
    TRY(fill_random(&work, stride * threads));
    run_products(s, work, stride, threads, 1);
    double once = run_products(s, work, stride, threads, 1);
    int64_t times = 1 + (int64_t)(SGEMM_SECONDS / once);
    *rate = operations * (double)times / run_products(s, work, stride, threads, times);
done:
    memory_free(work);
    return status;
}

struct triad {
    float *a, *b, *c;
};

static void triad_piece(void *job, struct threads_piece piece)
{
    const struct triad *t = job;
    for (int64_t k = piece.first; k < piece.last; k++)
        t->a[k] = t->b[k] + 3.0f * t->c[k];
}

/* a = b + s c: bytes per second, three arrays counted, far larger than the caches. */
static graco_status measure_bandwidth(double *rate, int threads)
{
    graco_status status = GRACO_OK;
    struct triad t = {NULL, NULL, NULL};
    double best = 0;
    TRY(memory_zalloc(&t.a, TRIAD_FLOATS, sizeof *t.a));
    TRY(memory_zalloc(&t.b, TRIAD_FLOATS, sizeof *t.b));
    TRY(memory_zalloc(&t.c, TRIAD_FLOATS, sizeof *t.c));
    for (int i = 0; i < 4; i++) {
        double begin = threads_seconds();
        threads_run(threads, TRIAD_FLOATS, TRIAD_PIECE, triad_piece, &t);
        double found = 3.0 * TRIAD_FLOATS * sizeof *t.a / (threads_seconds() - begin);
        best = found > best ? found : best;
    }
    *rate = best;
done:
    memory_free(t.a);
    memory_free(t.b);
    memory_free(t.c);
    return status;
}

/* ---- The objectives -------------------------------------------------------------------------- */

struct rows {
    float *Z; /* (2n, d) */
    int64_t n, d;
};

/* Unit rows of two views that resemble each other: a centre per class, an offset per node, noise
 * per row. */
static void fill_views(void *job, struct threads_piece piece)
{
    const struct random_key key = {.stream = RANDOM_GENERATE, .view = 1};
    const struct rows *all = job;
    float *Z = all->Z;
    int64_t n = all->n, d = all->d;
    const uint64_t blocks = (uint64_t)(d + 3) / 4;
    for (int64_t i = piece.first; i < piece.last; i++) {
        const uint64_t part[3] = {(uint64_t)(i % n % CLASSES), (uint64_t)(CLASSES + i % n),
                                  (uint64_t)(CLASSES + n + i)};
        uint32_t lanes[3][4] = {{0}};
        double square = 0;
        for (int64_t j = 0; j < d; j++) {
            for (int k = 0; k < 3 && j % 4 == 0; k++)
                random_block(lanes[k], &key, part[k] * blocks + (uint64_t)j / 4);
            double sum = lanes[0][j % 4] + (double)lanes[1][j % 4] + 0.5 * lanes[2][j % 4];
            Z[i * d + j] = (float)(sum * 0x1p-32 - 1.25);
            square += (double)Z[i * d + j] * (double)Z[i * d + j];
        }
        for (int64_t j = 0; j < d; j++)
            Z[i * d + j] = (float)(Z[i * d + j] / sqrt(square));
    }
}

/* One loss and gradient as in training, after one that fills the context's cache of buffers. */
static graco_status measure_objective(double *seconds, double *loss, const struct objective_case *k,
                                      int threads)
{
    graco_status status = GRACO_OK;
    struct context *context = NULL;
    struct tape *tape = NULL;
    struct objective objective = {0};
    const struct method *method = NULL;
    struct graco_config config;
    TRY(method_find(&method, "grace"));
    method_configure(&config, method, NULL);
    config.objective = k->kind;
    TRY(context_create(&context, &backend_cpu, threads, k->tile_budget));
    TRY(tape_create(&tape, context));
    TRY(objective_init(&objective, &config, k->n, k->d, NULL));
    for (int i = 0; i < 2; i++) {
        tape_reset(tape);
        struct tensor *Z = tape_tensor(tape, 2 * k->n, k->d);
        TRY(tape_status(tape));
        struct rows rows = {Z->data, k->n, k->d};
        threads_run(threads, 2 * k->n, ROWS_PER_PIECE, fill_views, &rows);
        double begin = threads_seconds();
        objective_apply(&objective, tape, Z, 0, 0);
        TRY(tape_backward(tape));
        *seconds = threads_seconds() - begin;
    }
    *loss = objective_outcome(&objective).loss;
done:
    objective_clear(&objective);
    tape_free(tape);
    context_free(context);
    return status;
}

static graco_status measure_neighbours(double *seconds, const struct objective_case *k, int threads)
{
    graco_status status = GRACO_OK;
    graco_neighbours_options options = graco_neighbours_defaults();
    graco_matrix Z = {k->n, k->d, NULL};
    graco_neighbours found = {0};
    options.threads = threads;
    options.device = "cpu";
    TRY(memory_alloc(&Z.data, k->n * k->d, sizeof(float)));
    struct rows rows = {Z.data, k->n, k->d};
    threads_run(threads, k->n, ROWS_PER_PIECE, fill_views, &rows);
    double begin = threads_seconds();
    TRY(graco_neighbours_find(&found, &Z, &options));
    *seconds = threads_seconds() - begin;
done:
    graco_neighbours_clear(&found);
    memory_free(Z.data);
    return status;
}

/* ---- Report ---------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void print_shape(const struct shape *s, const struct results *r, int index, bool last)
{
    printf("    {\"shape\": \"%c%c\", \"m\": %d, \"n\": %d, \"k\": %d, \"gflops\": %.2f}%s\n",
           s->transpose_a ? 'T' : 'N', s->transpose_b ? 'T' : 'N', (int)s->m, (int)s->n, (int)s->k,
           median(r->rate[index], r->rounds) / GIGA, last ? "" : ",");
}

static void print_case(const struct objective_case *k, const struct results *r, int index,
                       bool last)
{
    double share[ROUNDS_MAX], seconds = median(r->seconds[index], r->rounds);
    printf("    {\"name\": \"%s\", \"n\": %lld, \"d\": %lld, \"seconds\": %.6f, \"loss\": %.9g",
           k->name, (long long)k->n, (long long)k->d, seconds, r->loss[index]);
    if (k->operations > 0) {
        for (int i = 0; i < r->rounds; i++)
            share[i] = k->operations / r->seconds[index][i] / r->best[i];
        printf(", \"operations\": %.6g, \"gflops\": %.2f, \"share\": %.4f", k->operations,
               k->operations / seconds / GIGA, median(share, r->rounds));
    }
    printf("}%s\n", last ? "" : ",");
}

static void print_report(const struct results *r, const struct objective_case *cases, int count,
                         int threads)
{
    printf("{\n  \"threads\": %d,\n  \"rounds\": %d,\n", threads, r->rounds);
    printf("  \"sgemm_best_gflops\": %.2f,\n", median(r->best, r->rounds) / GIGA);
    printf("  \"bandwidth_gbytes\": %.2f,\n  \"sgemm\": [\n",
           median(r->bandwidth, r->rounds) / GIGA);
    for (int i = 0; i < SHAPE_COUNT; i++)
        print_shape(&SHAPES[i], r, i, i + 1 == SHAPE_COUNT);
    printf("  ],\n  \"objectives\": [\n");
    for (int i = 0; i < count; i++)
        print_case(&cases[i], r, i, i + 1 == count);
    printf("  ]\n}\n");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int list_cases(struct objective_case *cases, bool quick)
{
    const int64_t sizes[] = {2500, 10000, 40000, 160000};
    int64_t large = quick ? 3000 : 10000;
    int count = 0;
    cases[count++] = (struct objective_case){"exact, keep", OBJECTIVE_EXACT,          2708, 128,
                                             KEEP,          12.0 * 2708 * 2708 * 128, false};
    cases[count++] = (struct objective_case){"exact, recompute",
                                             OBJECTIVE_EXACT,
                                             large,
                                             256,
                                             0,
                                             16.0 * (double)large * (double)large * 256,
                                             false};
    cases[count++] = (struct objective_case){
        "neighbours", OBJECTIVE_EXACT, 2 * large, 256, 0, 4.0 * (double)large * (double)large * 256,
        true};
    cases[count++] = (struct objective_case){"moment", OBJECTIVE_MOMENT, 2708, 128, KEEP, 0, false};
    for (int i = 0; i < (quick ? 2 : 4); i++)
        cases[count++] =
            (struct objective_case){"moment", OBJECTIVE_MOMENT, sizes[i], 128, KEEP, 0, false};
    return count;
}

static graco_status run_round(struct results *r, int round, const struct objective_case *cases,
                              int count, int threads)
{
    for (int i = 0; i < SHAPE_COUNT; i++) {
        PASS(measure_sgemm(&r->rate[i][round], &SHAPES[i], threads));
        if (r->rate[i][round] > r->best[round])
            r->best[round] = r->rate[i][round];
    }
    PASS(measure_bandwidth(&r->bandwidth[round], threads));
    for (int i = 0; i < count; i++)
        PASS(cases[i].neighbours
                 ? measure_neighbours(&r->seconds[i][round], &cases[i], threads)
                 : measure_objective(&r->seconds[i][round], &r->loss[i], &cases[i], threads));
    return GRACO_OK;
}

static bool parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.rounds = 5, .threads = threads_count(0)};
    for (int i = 1; i < argc; i++) {
        bool value = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (strcmp(argv[i], "--rounds") == 0 && value)
            o->rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && value)
            o->threads = threads_count(atoi(argv[++i]));
        else
            return false;
    }
    return o->rounds >= 1 && o->rounds <= ROUNDS_MAX;
}

int main(int argc, char **argv)
{
    struct options options;
    struct objective_case cases[CASES_MAX];
    static struct results results;
    if (!parse(&options, argc, argv)) {
        fprintf(stderr, "usage: bench_objective [--rounds 1..%d] [--threads N] [--quick]\n",
                ROUNDS_MAX);
        return 2;
    }
    int count = list_cases(cases, options.quick);
    results.rounds = options.rounds;
    for (int round = 0; round < options.rounds; round++)
        if (run_round(&results, round, cases, count, options.threads) != GRACO_OK) {
            fprintf(stderr, "bench_objective: %s\n", graco_message());
            return 1;
        }
    print_report(&results, cases, count, options.threads);
    return 0;
}
