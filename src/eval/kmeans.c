/* A round gives each row to its nearest centre and then moves the centres. A row's scores of all
 * centres are one row of a product, x . c - |c|^2 / 2, whose largest is the nearest centre; with
 * centres of length one the second term says nothing. Centres are summed by columns, each over all
 * rows in their order, so threads share columns and the bits do not depend on them. */
#include "eval/kmeans.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/context.h"
#include "compute/cpu/loops.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 256,  /* that a thread takes at a time */
    COLUMNS = 16 /* the same of columns: a line of the cache */
};

/* A start that lowers the cost by less than this share in a round has ended. */
static const double ENOUGH = 1e-5;

struct fit {
    const graco_matrix *X;
    const struct kmeans_options *options;
    struct context *context;
    struct kmeans now;  /* the start under way */
    float *score;       /* (rows, clusters) */
    float *square;      /* (rows) |x|^2 */
    float *away;        /* (rows) |x - c|^2 of the nearest centre */
    double *sum;        /* (clusters, cols) */
    const float *drawn; /* the centre that was drawn last */
};

/* ---- Seeds ----------------------------------------------------------------------------------- */

/* Uniform over [0, 1), with 53 bits. */
static double uniform(const struct random_key *key, uint64_t element)
{
    uint32_t lanes[4];
    random_block(lanes, key, element);
    return (double)(((uint64_t)lanes[0] << 32 | lanes[1]) >> 11) * 0x1p-53;
}

/* Lowers `away` to the distance from the centre that was drawn last. */
static void come_nearer(void *job, struct threads_piece rows)
{
    const struct fit *f = job;
    const struct loops *loops = loops_choose();
    int64_t cols = f->X->cols;
    double length = loops->dot(f->drawn, f->drawn, cols);
    for (int64_t i = rows.first; i < rows.last; i++) {
        double product = loops->dot(f->X->data + i * cols, f->drawn, cols);
        double squared = fmax(0, (double)f->square[i] + length - 2 * product);
        if (squared < (double)f->away[i])
            f->away[i] = (float)squared;
    }
}

/* The row at which a share `part` of all distances is reached. */
static int64_t reach(const float *away, int64_t rows, double part)
{
    double total = 0, passed = 0;
    for (int64_t i = 0; i < rows; i++)
        total += (double)away[i];
    for (int64_t i = 0; i < rows; i++) {
        passed += (double)away[i];
        if (passed > part * total)
            return i;
    }
    return -1; /* every row lies at a centre */
}

/* k-means++: each centre is a row, drawn with probability proportional to its squared distance from the
 * nearest one before. */
static void draw_centres(struct fit *f, int64_t start)
{
    struct kmeans *now = &f->now;
    struct random_key key = {
        .seed = f->options->seed, .stream = RANDOM_CLUSTERS, .step = (uint32_t)start};
    for (int64_t i = 0; i < now->rows; i++)
        f->away[i] = INFINITY;
    for (int64_t k = 0; k < now->clusters; k++) {
        int64_t row = k > 0 ? reach(f->away, now->rows, uniform(&key, (uint64_t)k)) : -1;
        if (row < 0)
            row = random_below(&key, (uint64_t)k, now->rows);
        float *centre = now->centre + k * now->cols;
        memcpy(centre, f->X->data + row * now->cols, (size_t)now->cols * sizeof *centre);
        f->drawn = centre;
        if (!threads_go_on())
            return;
        threads_run(f->options->threads, now->rows, ROWS, come_nearer, f);
    }
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static void choose_nearest(void *job, struct threads_piece rows)
{
    const struct fit *f = job;
    int64_t clusters = f->now.clusters;
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *score = f->score + i * clusters;
        int64_t best = 0;
        for (int64_t k = 1; k < clusters; k++)
            if (score[k] > score[best])
                best = k;
        f->now.cluster[i] = (int32_t)best;
        f->away[i] = fmaxf(0, f->square[i] * (f->options->spherical ? 2 : 1) - 2 * score[best]);
    }
}

/* Half of the squared length of each centre is taken from its column of the scores. */
static void lessen(void *job, struct threads_piece rows)
{
    const struct fit *f = job;
    int64_t clusters = f->now.clusters;
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int64_t k = 0; k < clusters; k++)
            f->score[i * clusters + k] -= (float)(f->sum[k] / 2);
}

/* Gives a row to each cluster that has none: the farthest of those that do not lie at their centre. */
static void fill_empty(struct fit *f)
{
    struct kmeans *now = &f->now;
    memset(now->size, 0, (size_t)now->clusters * sizeof *now->size);
    for (int64_t i = 0; i < now->rows; i++)
        now->size[now->cluster[i]]++;
    for (int64_t k = 0; k < now->clusters; k++) {
        int64_t farthest = -1;
        for (int64_t i = 0; now->size[k] == 0 && i < now->rows; i++)
            if (f->away[i] > 1e-5f * (1 + f->square[i]) && now->size[now->cluster[i]] > 1 &&
                (farthest < 0 || f->away[i] > f->away[farthest]))
                farthest = i;
        if (farthest < 0)
            continue;
        now->size[now->cluster[farthest]]--;
        now->size[k] = 1;
        now->cluster[farthest] = (int32_t)k;
        f->away[farthest] = 0;
    }
}

/* Each row to its nearest centre. */
static graco_status assign(struct fit *f)
{
    struct kmeans *now = &f->now;
    const struct gemm product = {.transpose_b = true,
                                 .m = now->rows,
                                 .n = now->clusters,
                                 .k = now->cols,
                                 .A = f->X->data,
                                 .lda = now->cols,
                                 .B = now->centre,
                                 .ldb = now->cols,
                                 .C = f->score,
                                 .ldc = now->clusters};
    PASS(f->context->kernels->gemm(f->context, &product));
    if (!f->options->spherical) {
        for (int64_t k = 0; k < now->clusters; k++)
            f->sum[k] = loops_choose()->dot(now->centre + k * now->cols,
                                            now->centre + k * now->cols, now->cols);
        threads_run(f->options->threads, now->rows, ROWS, lessen, f);
    }
    threads_run(f->options->threads, now->rows, ROWS, choose_nearest, f);
    PASS(threads_look());
    fill_empty(f);
    now->cost = 0;
    for (int64_t i = 0; i < now->rows; i++)
        now->cost += (double)f->away[i];
    return GRACO_OK;
}

static void sum_columns(void *job, struct threads_piece columns)
{
    const struct fit *f = job;
    const struct kmeans *now = &f->now;
    for (int64_t k = 0; k < now->clusters; k++)
        for (int64_t j = columns.first; j < columns.last; j++)
            f->sum[k * now->cols + j] = 0;
    for (int64_t i = 0; i < now->rows; i++) {
        double *sum = f->sum + now->cluster[i] * now->cols;
        const float *x = f->X->data + i * now->cols;
        for (int64_t j = columns.first; j < columns.last; j++)
            sum[j] += (double)x[j];
    }
}

/* Each centre to the mean of its rows, or to that direction. One without rows, or whose rows cancel,
 * stays. */
static void move_centres(struct fit *f)
{
    struct kmeans *now = &f->now;
    threads_run(f->options->threads, now->cols, COLUMNS, sum_columns, f);
    for (int64_t k = 0; k < now->clusters; k++) {
        const double *sum = f->sum + k * now->cols;
        double square = 0, length = (double)now->size[k];
        for (int64_t j = 0; j < now->cols; j++)
            square += sum[j] * sum[j];
        if (f->options->spherical) /* what rounding leaves of rows that cancel is no direction */
            length = sqrt(square) > 1e-9 * length ? sqrt(square) : 0;
        for (int64_t j = 0; length > 0 && j < now->cols; j++)
            now->centre[k * now->cols + j] = (float)(sum[j] / length);
    }
}

static graco_status run_start(struct fit *f, int64_t start)
{
    double before = INFINITY;
    draw_centres(f, start);
    PASS(threads_look());
    PASS(assign(f));
    for (int round = 0; round < KMEANS_ROUNDS && before - f->now.cost > ENOUGH * f->now.cost;
         round++) {
        before = f->now.cost;
        move_centres(f);
        PASS(assign(f));
    }
    return GRACO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static graco_status make(struct kmeans *out, int64_t clusters, const graco_matrix *X)
{
    *out = (struct kmeans){.clusters = clusters, .rows = X->rows, .cols = X->cols};
    PASS(memory_alloc(&out->cluster, X->rows, sizeof *out->cluster));
    PASS(memory_alloc(&out->size, clusters, sizeof *out->size));
    return memory_alloc(&out->centre, clusters * X->cols, sizeof *out->centre);
}

static void measure_rows(void *job, struct threads_piece rows)
{
    const struct fit *f = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *x = f->X->data + i * f->X->cols;
        f->square[i] = (float)loops_choose()->dot(x, x, f->X->cols);
    }
}

graco_status kmeans_fit(struct kmeans *out, const graco_matrix *X,
                        const struct kmeans_options *options)
{
    graco_status status = GRACO_OK;
    struct fit f = {.X = X, .options = options};
    struct kmeans best = {0};
    int64_t clusters = options->clusters < X->rows ? options->clusters : X->rows;
    TRY(context_create(&f.context, &backend_cpu, options->threads, 0));
    TRY(make(&f.now, clusters, X));
    TRY(make(&best, clusters, X));
    TRY(memory_alloc(&f.score, X->rows * clusters, sizeof *f.score));
    TRY(memory_alloc(&f.square, X->rows, sizeof *f.square));
    TRY(memory_alloc(&f.away, X->rows, sizeof *f.away));
    TRY(memory_alloc(&f.sum, clusters * (X->cols > 1 ? X->cols : 1), sizeof *f.sum));
    threads_run(options->threads, X->rows, ROWS, measure_rows, &f);
    for (int64_t start = 0; start < options->starts; start++) {
        TRY(run_start(&f, start));
        if (start == 0 || f.now.cost < best.cost) {
            struct kmeans better = f.now;
            f.now = best;
            best = better;
        }
    }
    *out = best;
    best = (struct kmeans){0};
done:
    kmeans_clear(&best);
    kmeans_clear(&f.now);
    memory_free(f.sum);
    memory_free(f.away);
    memory_free(f.square);
    memory_free(f.score);
    context_free(f.context);
    return status;
}

void kmeans_clear(struct kmeans *kmeans)
{
    if (!kmeans)
        return;
    memory_free(kmeans->cluster);
    memory_free(kmeans->size);
    memory_free(kmeans->centre);
    *kmeans = (struct kmeans){0};
}
