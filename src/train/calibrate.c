/* Calibration: each rate from one small job on the device. The same job runs on the tally, which says how
 * much work of every kind it is; what the other kinds do not explain is the rate of the job's own. So a rate
 * is defined by the count that will use it. */
#include "graco_command.h"
#include "base/memory.h"
#include "base/threads.h"
#include "compute/tally.h"
#include "config/config.h"
#include "methods/method.h"
#include "tape/tape.h"
#include "train/timing.h"

#include <math.h>

/* Jobs take turns, ROUNDS times, and each runs again until it has taken this long in a round: what slows a machine
 * down for a moment then meets some runs of every job, and not all runs of one. On the host a job's time is that of
 * its threads on cores, and the median run counts, because a training is no row of lucky runs. By the clock, a job of several
 * threads takes longer whenever another program has one of their cores, even for a moment, and jobs are too short
 * to have a run in which none does. Also, a job has fewer pieces than a training: threads that find none left
 * are no part of the rate. Devices look at the clock, and their fastest run counts. */
static const double JOB_SECONDS = 0.01;
enum { ROUNDS = 6, JOB_RUNS_LEAST = 2, JOB_RUNS_MOST = 400 };

/* Jobs that a device does between two looks at the clock: a step's kernels follow each other, and to wait for the
 * device takes as long as several of them. */
enum { DEVICE_BATCH = 16 };

/* A job's own kind of work has at least this share of its time: other rates may explain too much. */
static const double LEAST_SHARE = 0.05;
enum { TURNS = 20 };

/* A device needs larger operands than a CPU to be busy. */
enum { DEVICE_FACTOR = 8, SAMPLES = 256 };

/* Widths of jobs; of stripes it is theirs. */
enum { WIDE = 128, NARROW = 16, STRIPED = 64 };

/* Rows of so many numbers that take so many bytes. */
#define ROWS_IN(bytes, cols) ((bytes) / (4 * (cols)))

/* Random matrices, SPARSE_RUNS for each number of columns. A run of a job takes another one each time: a processor
 * learns entries and lengths of rows that come again. Every LONG rows are also one long row, as
 * those of transposed features are. */
enum {
    SPARSE_ROWS = 2048,
    SPARSE_RUNS = 32,
    ROW_MOST = 16,
    LONG = 8,
    LONG_ROWS = SPARSE_ROWS / LONG
};
static const int64_t MATRIX_COLS[] = {
    SPARSE_ROWS,
    ROWS_IN(WORK_MIDDLE, WIDE),
    ROWS_IN(WORK_FAR, WIDE), /* narrow ones in the middle have as many */
    ROWS_IN(WORK_FAR, NARROW),
    ROWS_IN(WORK_MIDDLE, STRIPED),
    ROWS_IN(WORK_FAR, STRIPED),
};
enum { MATRICES = SPARSE_RUNS * sizeof MATRIX_COLS / sizeof *MATRIX_COLS };

/* All of them. The starts of each begin with 0, as those of a graph do: kernels cut rows by them. */
struct matrices {
    int64_t
        *start; /* (MATRICES, SPARSE_ROWS + 1), then (MATRICES, LONG_ROWS + 1) of the long rows */
    int32_t *index; /* (MATRICES, SPARSE_ROWS * ROW_MOST) */
};
enum {
    STARTS = MATRICES * (SPARSE_ROWS + 1),
    LONG_STARTS = MATRICES * (LONG_ROWS + 1),
    MATRIX_ROOM = SPARSE_ROWS * ROW_MOST,
};

/* What jobs work on: two blocks of floats, and random matrices. */
struct desk {
    struct context *context;
    struct tape *tape;
    float *X; /* (WORK_FAR / 4) all 0 */
    float *Y; /* (WORK_FAR / 4) */
    struct matrices matrices;
    int32_t sample[SAMPLES];
    int64_t turn;   /* which part of its operands a job takes that takes others each time */
    int64_t around; /* the job's */
};

struct job {
    graco_status (*run)(struct desk *d, int64_t rows, int64_t cols);
    int64_t rows, cols;
    bool larger;    /* on a device, by DEVICE_FACTOR */
    int64_t around; /* bytes that its runs go through in turn; 0: all take the same operands */
};

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Back, with the sums that are the bias's gradient. */
static graco_status job_activate(struct desk *d, int64_t rows, int64_t cols)
{
    const struct activation a = {.kind = ACTIVATION_RELU, .rows = rows, .cols = cols};
    float *dbias = d->Y + rows * cols;
    return d->context->kernels->activate_backward(d->context, &a, d->Y, d->X, d->X, dbias, NULL);
}

static graco_status job_add(struct desk *d, int64_t rows, int64_t cols)
{
    int64_t numbers = d->around / (int64_t)(2 * sizeof(float)); /* of each block */
    int64_t parts = numbers > rows * cols ? numbers / (rows * cols) : 1;
    int64_t offset = d->turn++ % parts * rows * cols;
    return d->context->kernels->add(d->context, rows * cols, d->Y + offset, d->X + offset);
}

/* The three products of a layer: its rows, their gradient, and that of the weights. */
static graco_status job_product(struct desk *d, int64_t rows, int64_t cols)
{
    struct gemm forward = {.m = rows,
                           .n = cols,
                           .k = cols,
                           .A = d->X,
                           .lda = cols,
                           .B = d->X,
                           .ldb = cols,
                           .C = d->Y,
                           .ldc = cols};
    struct gemm back = forward, weights = forward;
    back.transpose_b = true;
    weights.transpose_a = true;
    weights.m = cols;
    weights.k = rows;
    PASS(d->context->kernels->gemm(d->context, &forward));
    PASS(d->context->kernels->gemm(d->context, &back));
    return d->context->kernels->gemm(d->context, &weights);
}

/* Another matrix each time with so many columns, which are the rows of the other factor. */
static struct csr next_matrix(struct desk *d, int64_t cols, bool of_long_rows)
{
    int64_t at = d->turn++ % SPARSE_RUNS;
    for (int i = 0; MATRIX_COLS[i] != cols; i++)
        at += SPARSE_RUNS;
    const int64_t rows = of_long_rows ? LONG_ROWS : SPARSE_ROWS;
    return (struct csr){.rows = rows,
                        .cols = cols,
                        .start = d->matrices.start + (of_long_rows ? STARTS : 0) + at * (rows + 1),
                        .index = d->matrices.index + at * MATRIX_ROOM};
}

/* Scaled and with self-loops, as a graph's are. */
static graco_status job_sparse(struct desk *d, int64_t rows, int64_t cols)
{
    const struct sparse matrix = {
        .entries = next_matrix(d, rows, false), .row_scale = d->X, .col_scale = d->X, .self = true};
    return d->context->kernels->spmm(
        d->context,
        &(struct spmm){.views = 1, .matrix = &matrix, .cols = cols, .X = d->X, .Y = d->Y});
}

/* The gradient of weights of sparse features, with X for their values. */
static graco_status job_stripe(struct desk *d, int64_t rows, int64_t cols)
{
    struct sparse matrix = {.entries = next_matrix(d, rows, true)};
    matrix.entries.value = d->X;
    return d->context->kernels->spmm(
        d->context,
        &(struct spmm){
            .views = 1, .matrix = &matrix, .back = true, .cols = cols, .X = d->X, .Y = d->Y});
}

static graco_status job_adam(struct desk *d, int64_t rows, int64_t cols)
{
    int64_t count = rows * cols;
    const struct adam step = {.count = count,
                              .value = d->Y,
                              .grad = d->X,
                              .m = d->Y + count,
                              .v = d->Y + 2 * count,
                              .lr = 0.001,
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .epsilon = 1e-8,
                              .step = 1};
    return d->context->kernels->adam(d->context, &step);
}

static graco_status job_draw(struct desk *d, int64_t rows, int64_t cols)
{
    const struct drawing bytes = {.p = 0.5, .n = rows * cols, .bytes = (uint8_t *)d->Y};
    return d->context->kernels->draw(d->context, 1, &bytes);
}

/* Rows of zeros for an objective. */
static struct tensor *make_rows(struct desk *d, int64_t rows, int64_t cols)
{
    struct tensor *Z = tape_constant(d->tape, rows, cols);
    if (Z)
        tape_fail(d->tape, d->context->buffers->zero(d->context, Z->data,
                                                     (size_t)(rows * cols) * sizeof(float)));
    return Z;
}

/* The end of a tape. */
static graco_status end_tape(struct desk *d, graco_status status)
{
    tape_reset(d->tape);
    return status;
}

static void contrast(struct desk *d, struct contrast *spec, int64_t rows, int64_t cols)
{
    *spec = (struct contrast){.n = rows, .d = cols, .tau = 0.5, .within = true};
    tape_contrast(d->tape, spec, make_rows(d, 2 * rows, cols));
}

static graco_status job_contrast(struct desk *d, int64_t rows, int64_t cols)
{
    struct contrast spec;
    contrast(d, &spec, rows, cols);
    return end_tape(d, tape_status(d->tape));
}

static graco_status job_contrast_back(struct desk *d, int64_t rows, int64_t cols)
{
    struct contrast spec;
    contrast(d, &spec, rows, cols);
    return end_tape(d, tape_backward(d->tape));
}

static graco_status job_moment(struct desk *d, int64_t rows, int64_t cols)
{
    struct moment spec = {
        .n = rows, .d = cols, .tau = 0.5, .samples = SAMPLES, .sample = d->sample};
    tape_moment(d->tape, &spec, make_rows(d, 2 * rows, cols));
    return end_tape(d, tape_backward(d->tape));
}

/* Of a graph without edges: X as the starts of its rows, all 0. */
static graco_status job_reconstruct(struct desk *d, int64_t rows, int64_t cols)
{
    struct sparse edges = {.entries = {.rows = rows, .cols = rows, .start = (int64_t *)d->X}};
    struct reconstruction spec = {.n = rows,
                                  .d = cols,
                                  .edges = &edges,
                                  .transpose = &edges,
                                  .weight = 1,
                                  .scale = 1,
                                  .Z = d->X,
                                  .dZ = d->Y};
    return d->context->kernels->reconstruct(d->context, &spec);
}

/* The job of each kind of work. Two kinds that only come together have jobs of the same sort with another
 * share of them. */
static const struct job JOBS[WORK_COUNT] = {
    [WORK_CALL] = {job_add, 256, 128, false, WORK_NEAR / 2},
    [WORK_PRODUCT] = {job_product, 2048, 128, true, 0},
    [WORK_SPARSE_NEAR] = {job_sparse, SPARSE_ROWS, WIDE, false, 0},
    [WORK_SPARSE_MIDDLE] = {job_sparse, ROWS_IN(WORK_MIDDLE, WIDE), WIDE, false, 0},
    [WORK_SPARSE_FAR] = {job_sparse, ROWS_IN(WORK_FAR, WIDE), WIDE, false, 0},
    [WORK_ENTRY_NEAR] = {job_sparse, SPARSE_ROWS, NARROW, false, 0},
    [WORK_ENTRY_MIDDLE] = {job_sparse, ROWS_IN(WORK_MIDDLE, NARROW), NARROW, false, 0},
    [WORK_ENTRY_FAR] = {job_sparse, ROWS_IN(WORK_FAR, NARROW), NARROW, false, 0},
    [WORK_STRIPE_NEAR] = {job_stripe, SPARSE_ROWS, STRIPED, false, 0},
    [WORK_STRIPE_MIDDLE] = {job_stripe, ROWS_IN(WORK_MIDDLE, STRIPED), STRIPED, false, 0},
    [WORK_STRIPE_FAR] = {job_stripe, ROWS_IN(WORK_FAR, STRIPED), STRIPED, false, 0},
    [WORK_NARROW] = {job_stripe, SPARSE_ROWS, NARROW, false, 0},
    [WORK_PART] = {job_sparse, SPARSE_ROWS, NARROW - 5, false, 0},
    [WORK_STREAM_NEAR] = {job_add, 512, 128, true, WORK_NEAR / 2},
    [WORK_STREAM_MIDDLE] = {job_add, 512, 128, false, WORK_MIDDLE},
    [WORK_STREAM_FAR] = {job_add, 8192, 128, false, 2 * WORK_FAR},
    [WORK_ROW] = {job_activate, 8192, NARROW, true, 0},
    [WORK_DRAW] = {job_draw, 1024, 256, true, 0},
    [WORK_ADAM] = {job_adam, 512, 128, true, 0},
    [WORK_TILE] = {job_contrast, 384, 256, true, 0},
    [WORK_EXP] = {job_contrast, 384, 32, true, 0},
    [WORK_TILE_BACK] = {job_contrast_back, 384, 128, true, 0},
    [WORK_LOGISTIC] = {job_reconstruct, 768, 16, true, 0},
    [WORK_MOMENT] = {job_moment, 512, 128, true, 0},
    [WORK_POWER] = {job_moment, 512, 16, true, 0},
};

/* ---- Measuring ------------------------------------------------------------------------------- */

static void clear_matrices(struct matrices *matrices)
{
    memory_free(matrices->start);
    memory_free(matrices->index);
}

/* Rows differ in length, as those of graphs do. */
static graco_status make_matrices(struct matrices *out)
{
    const struct random_key key = {.seed = 1, .stream = RANDOM_ORDER};
    PASS(memory_alloc(&out->start, STARTS + LONG_STARTS, sizeof *out->start));
    PASS(memory_alloc(&out->index, MATRICES * (int64_t)MATRIX_ROOM, sizeof *out->index));
    for (int64_t at = 0; at < MATRICES; at++) {
        int64_t *start = out->start + at * (SPARSE_ROWS + 1), next = 0,
                cols = MATRIX_COLS[at / SPARSE_RUNS];
        int64_t *long_start = out->start + STARTS + at * (LONG_ROWS + 1);
        for (int64_t row = 0; row < SPARSE_ROWS; row++) {
            start[row] = next;
            next += random_below(&key, (uint64_t)(at * SPARSE_ROWS + row), ROW_MOST + 1);
        }
        start[SPARSE_ROWS] = next;
        for (int64_t row = 0; row <= LONG_ROWS; row++)
            long_start[row] = start[row * LONG];
        for (int64_t i = at * MATRIX_ROOM; i < at * MATRIX_ROOM + next; i++)
            out->index[i] = (int32_t)random_below(&key, (uint64_t)(STARTS + i), cols);
    }
    return GRACO_OK;
}

static graco_status open_desk(struct desk *d, const struct backend *backend,
                              const struct graco_config *config, const struct matrices *matrices)
{
    const int64_t budget = 1 << 28; /* all tiles of the largest job */
    *d = (struct desk){.matrices = *matrices};
    PASS(context_create(&d->context, backend, config->threads, budget));
    d->context->precision = (enum precision)config->precision;
    PASS(tape_create(&d->tape, d->context));
    PASS(context_take(d->context, &d->X, WORK_FAR, 1));
    PASS(context_take(d->context, &d->Y, WORK_FAR, 1));
    PASS(d->context->buffers->zero(d->context, d->X, WORK_FAR));
    PASS(d->context->buffers->zero(d->context, d->Y, WORK_FAR));
    PASS(context_share(d->context, &d->matrices.start, matrices->start, STARTS + LONG_STARTS,
                       sizeof *matrices->start));
    PASS(context_share(d->context, &d->matrices.index, matrices->index,
                       MATRICES * (int64_t)MATRIX_ROOM, sizeof *matrices->index));
    for (int i = 0; i < SAMPLES; i++)
        d->sample[i] = 2 * i;
    return GRACO_OK;
}

static void close_desk(struct desk *d)
{
    tape_free(d->tape);
    context_free(d->context); /* its buffers go with it */
}

static graco_status run_job(struct desk *d, const struct job *job, int times)
{
    int64_t more = job->larger && !d->context->backend->host ? DEVICE_FACTOR : 1;
    d->around = job->around;
    for (int i = 0; i < times; i++)
        PASS(job->run(d, more * job->rows, job->cols));
    return context_finish(d->context);
}

static double seconds_now(const struct desk *d)
{
    const struct context *c = d->context;
    return c->backend->host ? threads_shared_seconds(c->threads) : threads_seconds();
}

/* Times of a job's runs. */
struct job_times {
    struct timing timing;
    double fastest;
};

/* A job's runs of a round, but the first, which takes buffers and finds the caches full of other jobs' operands. */
static graco_status time_job(struct job_times *out, struct desk *d, const struct job *job)
{
    const int times = d->context->backend->host ? 1 : DEVICE_BATCH;
    PASS(run_job(d, job, times));
    double begin = seconds_now(d), last = begin;
    for (int i = 0; i < JOB_RUNS_MOST && (i < JOB_RUNS_LEAST || last - begin < JOB_SECONDS); i++) {
        PASS(run_job(d, job, times));
        double now = seconds_now(d);
        timing_add(&out->timing, now - last);
        out->fastest = fmin(out->fastest, now - last);
        last = now;
    }
    return GRACO_OK;
}

static double job_seconds(struct job_times *times, const struct desk *d)
{
    return d->context->backend->host ? timing_median(&times->timing)
                                     : times->fastest / DEVICE_BATCH;
}

/* Rates from the jobs' times: each rate by turns from those of the others, until they have settled. That of a kind that
 * only the host does, such as stripes, is 0 on a device. */
static void solve(graco_rates *out, const double seconds[], const struct work_units work[])
{
    for (int turn = 0; turn < TURNS; turn++)
        for (int kind = 0; kind < WORK_COUNT; kind++) {
            double *rate = &out->seconds[kind];
            *rate = 0;
            double left = seconds[kind] - work_seconds(&work[kind], out);
            if (work[kind].units[kind] > 0)
                *rate = fmax(left, LEAST_SHARE * seconds[kind]) / work[kind].units[kind];
        }
}

static graco_status measure(graco_rates *out, struct desk *real, struct desk *counted,
                            struct tally *tally)
{
    double seconds[WORK_COUNT];
    struct work_units work[WORK_COUNT];
    struct job_times times[WORK_COUNT] = {0};
    graco_status status = GRACO_OK;
    for (int kind = 0; kind < WORK_COUNT; kind++) {
        tally->work = (struct work_units){0};
        tally->around = (double)JOBS[kind].around;
        TRY(run_job(counted, &JOBS[kind], 1));
        work[kind] = tally->work;
        TRY(timing_init(&times[kind].timing, ROUNDS * (int64_t)JOB_RUNS_MOST));
        times[kind].fastest = HUGE_VAL;
    }
    for (int i = 0; i < ROUNDS * WORK_COUNT; i++)
        TRY(time_job(&times[i % WORK_COUNT], real, &JOBS[i % WORK_COUNT]));
    for (int kind = 0; kind < WORK_COUNT; kind++)
        seconds[kind] = job_seconds(&times[kind], real);
    solve(out, seconds, work);
done:
    for (int kind = 0; kind < WORK_COUNT; kind++)
        timing_clear(&times[kind].timing);
    return status;
}

graco_status graco_rates_measure(graco_rates *out, const graco_config *config)
{
    const struct backend *backend = NULL;
    const struct method *method = NULL;
    struct matrices matrices = {0};
    struct tally tally = {0};
    struct desk real = {0}, counted = {0};
    graco_rates found = {0};
    graco_status status = GRACO_OK;
    TRY(method_find(&method, config->method));
    TRY(method_backend(&backend, method, config_word(config, "device")));
    TRY(make_matrices(&matrices));
    TRY(tally_init(&tally, backend));
    tally.again = true;
    TRY(open_desk(&counted, &tally.backend, config, &matrices));
    TRY(open_desk(&real, backend, config, &matrices));
    TRY(measure(&found, &real, &counted, &tally));
    *out = found;
done:
    close_desk(&real);
    close_desk(&counted);
    tally_clear(&tally);
    clear_matrices(&matrices);
    return status;
}
