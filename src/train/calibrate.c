/* Calibration: each rate from one small job on the device. The same job runs on the tally, which says how
 * much work of every kind it is; what the other kinds do not explain is the rate of the job's own. So a rate
 * is defined by the count that will use it. */
#include "base/memory.h"
#include "base/threads.h"
#include "compute/tally.h"
#include "config/config.h"
#include "methods/method.h"
#include "tape/tape.h"
#include "train/timing.h"

#include <math.h>

/* A job runs again until it has taken this long in all. On the host its time is that of its threads on cores, and
 * the median run counts, because a training is no row of lucky runs. By the clock, a job of several
 * threads takes longer whenever another program has one of their cores, even for a moment, and jobs are too short
 * to have a run in which none does. Also, a job has fewer pieces than a training: threads that find none left
 * are no part of the rate. Devices look at the clock, and their fastest run counts. */
static const double JOB_SECONDS = 0.04;
enum { JOB_RUNS_LEAST = 5, JOB_RUNS_MOST = 2000 };

/* Jobs that a device does between two looks at the clock: a step's kernels follow each other, and to wait for the
 * device takes as long as several of them. */
enum { DEVICE_BATCH = 16 };

/* A job's own kind of work has at least this share of its time: other rates may explain too much. */
static const double LEAST_SHARE = 0.05;
enum { TURNS = 20 };

/* A device needs larger operands than a CPU to be busy. */
enum { DEVICE_FACTOR = 8, SAMPLES = 256 };

/* Random matrices, by their columns. A run of a job takes SPARSE_ROWS rows of one, others each time: a
 * processor learns entries and lengths of rows that come again. */
enum { SPARSE_ROWS = 2048, SPARSE_RUNS = 32, ROW_MOST = 16, WIDE = 128, NARROW = 16 };
static const int64_t MATRICES[] = {SPARSE_ROWS, WORK_FAR / (4 * WIDE), WORK_FAR / (4 * NARROW)};
enum { MATRIX_ROWS = SPARSE_RUNS * SPARSE_ROWS };

/* What jobs work on: two blocks of floats, and random entries. */
struct desk {
    struct context *context;
    struct tape *tape;
    float *X;           /* (WORK_FAR / 4) all 0 */
    float *Y;           /* (WORK_FAR / 4) */
    struct csr entries; /* of all MATRICES, one below the other */
    int32_t sample[SAMPLES];
    int64_t turn; /* which part of its operands a job that wants cold memory takes */
};

struct job {
    graco_status (*run)(struct desk *d, int64_t rows, int64_t cols);
    int64_t rows, cols;
    bool larger; /* on a device, by DEVICE_FACTOR */
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
    return d->context->kernels->add(d->context, rows * cols, d->Y, d->X);
}

/* The same on another part of the blocks each time. */
static graco_status job_add_cold(struct desk *d, int64_t rows, int64_t cols)
{
    int64_t parts = WORK_FAR / (int64_t)sizeof(float) / (rows * cols);
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

/* Some rows of the matrix with so many columns, which are the rows of the other factor; scaled and with
 * self-loops, as a graph's are. */
static graco_status job_sparse(struct desk *d, int64_t rows, int64_t cols)
{
    struct sparse matrix = {
        .entries = d->entries, .row_scale = d->X, .col_scale = d->X, .self = true};
    matrix.entries.rows = SPARSE_ROWS;
    matrix.entries.cols = rows;
    for (int i = 0; MATRICES[i] != rows; i++)
        matrix.entries.start += MATRIX_ROWS;
    matrix.entries.start += d->turn++ % SPARSE_RUNS * SPARSE_ROWS;
    return d->context->kernels->spmm(
        d->context,
        &(struct spmm){.views = 1, .matrix = &matrix, .cols = cols, .X = d->X, .Y = d->Y});
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
    [WORK_CALL] = {job_add, 256, 128, false},
    [WORK_PRODUCT] = {job_product, 2048, 128, true},
    [WORK_SPARSE_NEAR] = {job_sparse, SPARSE_ROWS, WIDE, false},
    [WORK_SPARSE_FAR] = {job_sparse, WORK_FAR / (4 * WIDE), WIDE, false},
    [WORK_ENTRY_NEAR] = {job_sparse, SPARSE_ROWS, NARROW, false},
    [WORK_ENTRY_FAR] = {job_sparse, WORK_FAR / (4 * NARROW), NARROW, false},
    [WORK_PART] = {job_sparse, SPARSE_ROWS, NARROW - 5, false},
    [WORK_STREAM_NEAR] = {job_add, 1024, 128, true},
    [WORK_STREAM_FAR] = {job_add_cold, 8192, 128, false},
    [WORK_ROW] = {job_activate, 8192, NARROW, true},
    [WORK_DRAW] = {job_draw, 1024, 256, true},
    [WORK_ADAM] = {job_adam, 512, 128, true},
    [WORK_TILE] = {job_contrast, 384, 256, true},
    [WORK_EXP] = {job_contrast, 384, 32, true},
    [WORK_TILE_BACK] = {job_contrast_back, 384, 128, true},
    [WORK_LOGISTIC] = {job_reconstruct, 768, 16, true},
    [WORK_MOMENT] = {job_moment, 512, 128, true},
    [WORK_POWER] = {job_moment, 512, 16, true},
};

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Rows differ in length, as those of graphs do. */
static graco_status make_entries(struct csr *out)
{
    const struct random_key key = {.seed = 1, .stream = RANDOM_ORDER};
    const int64_t rows = sizeof MATRICES / sizeof *MATRICES * MATRIX_ROWS;
    int64_t next = 0;
    PASS(csr_alloc(out, rows, rows, rows * ROW_MOST, false));
    out->start[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t length = random_below(&key, (uint64_t)row, ROW_MOST + 1);
        int64_t cols = MATRICES[row / MATRIX_ROWS];
        out->start[row + 1] = out->start[row] + length;
        for (; next < out->start[row + 1]; next++)
            out->index[next] = (int32_t)random_below(&key, (uint64_t)(rows + next), cols);
    }
    return GRACO_OK;
}

static graco_status open_desk(struct desk *d, const struct backend *backend,
                              const struct graco_config *config, const struct csr *entries)
{
    const int64_t budget = 1 << 28; /* all tiles of the largest job */
    *d = (struct desk){.entries = *entries};
    PASS(context_create(&d->context, backend, config->threads, budget));
    d->context->precision = (enum precision)config->precision;
    PASS(tape_create(&d->tape, d->context));
    PASS(context_take(d->context, &d->X, WORK_FAR, 1));
    PASS(context_take(d->context, &d->Y, WORK_FAR, 1));
    PASS(d->context->buffers->zero(d->context, d->X, WORK_FAR));
    PASS(d->context->buffers->zero(d->context, d->Y, WORK_FAR));
    PASS(context_share(d->context, &d->entries.start, entries->start, entries->rows + 1,
                       sizeof *entries->start));
    PASS(context_share(d->context, &d->entries.index, entries->index, entries->start[entries->rows],
                       sizeof *entries->index));
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
    for (int i = 0; i < times; i++)
        PASS(job->run(d, more * job->rows, job->cols));
    return context_finish(d->context);
}

static double seconds_now(const struct desk *d)
{
    const struct context *c = d->context;
    return c->backend->host ? threads_shared_seconds(c->threads) : threads_seconds();
}

static graco_status time_job(double *out, struct desk *d, const struct job *job,
                             struct timing *timing)
{
    bool host = d->context->backend->host;
    const int times = host ? 1 : DEVICE_BATCH;
    PASS(run_job(d, job, times)); /* takes buffers, and memory for the first time */
    double begin = seconds_now(d), last = begin, fastest = HUGE_VAL;
    timing->kept = timing->count = 0;
    for (int i = 0; i < JOB_RUNS_MOST && (i < JOB_RUNS_LEAST || last - begin < JOB_SECONDS); i++) {
        PASS(run_job(d, job, times));
        double now = seconds_now(d);
        timing_add(timing, now - last);
        fastest = fmin(fastest, now - last);
        last = now;
    }
    *out = host ? timing_median(timing) : fastest / times;
    return GRACO_OK;
}

/* Rates from the jobs' times: each rate by turns from those of the others, until they have settled. */
static void solve(graco_rates *out, const double seconds[], const struct work_units work[])
{
    for (int turn = 0; turn < TURNS; turn++)
        for (int kind = 0; kind < WORK_COUNT; kind++) {
            double *rate = &out->seconds[kind];
            *rate = 0;
            double left = seconds[kind] - work_seconds(&work[kind], out);
            *rate = fmax(left, LEAST_SHARE * seconds[kind]) / work[kind].units[kind];
        }
}

static graco_status measure(graco_rates *out, struct desk *real, struct desk *counted,
                            struct tally *tally)
{
    double seconds[WORK_COUNT];
    struct work_units work[WORK_COUNT];
    struct timing timing = {0};
    graco_status status = GRACO_OK;
    TRY(timing_init(&timing, JOB_RUNS_MOST));
    for (int kind = 0; kind < WORK_COUNT; kind++) {
        tally->work = (struct work_units){0};
        TRY(run_job(counted, &JOBS[kind], 1));
        work[kind] = tally->work;
        TRY(time_job(&seconds[kind], real, &JOBS[kind], &timing));
    }
    solve(out, seconds, work);
done:
    timing_clear(&timing);
    return status;
}

graco_status graco_rates_measure(graco_rates *out, const graco_config *config)
{
    const struct backend *backend = NULL;
    const struct method *method = NULL;
    struct csr entries = {0};
    struct tally tally = {0};
    struct desk real = {0}, counted = {0};
    graco_rates found = {0};
    graco_status status = GRACO_OK;
    TRY(method_find(&method, config->method));
    TRY(method_backend(&backend, method, config_word(config, "device")));
    TRY(make_entries(&entries));
    TRY(tally_init(&tally, backend));
    tally.again = true;
    TRY(open_desk(&counted, &tally.backend, config, &entries));
    TRY(open_desk(&real, backend, config, &entries));
    TRY(measure(&found, &real, &counted, &tally));
    *out = found;
done:
    close_desk(&real);
    close_desk(&counted);
    tally_clear(&tally);
    csr_clear(&entries);
    return status;
}
