/* Calibration: each rate from one small job on the device. The same job runs on the tally, which says how
 * much work of every kind it is; what the kinds that are known already do not explain is the rate of the
 * one that is measured. So a rate is defined by the count that will use it. */
#include "base/memory.h"
#include "base/threads.h"
#include "compute/tally.h"
#include "config/config.h"
#include "methods/method.h"
#include "tape/tape.h"

#include <math.h>

/* A job runs again until it has taken this long in all; the fastest counts. Jobs take a millisecond or
 * two, so that some run is not interrupted where other programs want the same cores; one thread looks at
 * its own time on a core. */
static const double JOB_SECONDS = 0.06;
enum { JOB_RUNS_LEAST = 5, JOB_RUNS_MOST = 2000 };

/* A device needs larger operands than a CPU to be busy. */
enum { DEVICE_FACTOR = 8, ENTRIES_PER_ROW = 8, SPARSE_ROWS = 2048, SAMPLES = 256 };

/* What jobs work on: two blocks of floats, all 0, and random entries. */
struct desk {
    struct context *context;
    struct tape *tape;
    float *X, *Y; /* (WORK_FAR / 4) */
    struct csr entries;
    int32_t sample[SAMPLES];
    int64_t turn; /* which part of the blocks a job that wants cold memory takes */
    bool backward;
};

struct job {
    enum work_kind kind;
    graco_status (*run)(struct desk *d, int64_t rows, int64_t cols);
    int64_t rows, cols;
    bool backward;
};

/* ---- Jobs ------------------------------------------------------------------------------------ */

static graco_status job_activate(struct desk *d, int64_t rows, int64_t cols)
{
    const struct activation a = {.kind = ACTIVATION_RELU, .rows = rows, .cols = cols};
    return d->context->kernels->activate(d->context, &a, d->Y, d->X);
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

static graco_status job_product(struct desk *d, int64_t rows, int64_t cols)
{
    return d->context->kernels->gemm(d->context, &(struct gemm){.m = rows,
                                                                .n = cols,
                                                                .k = cols,
                                                                .A = d->X,
                                                                .lda = cols,
                                                                .B = d->X,
                                                                .ldb = cols,
                                                                .C = d->Y,
                                                                .ldc = cols});
}

/* Some rows of a matrix with so many columns: of a large one others each time, or a cache would know
 * their entries. */
static graco_status job_sparse(struct desk *d, int64_t rows, int64_t cols)
{
    struct sparse matrix = {.entries = d->entries};
    matrix.entries.rows = SPARSE_ROWS;
    matrix.entries.cols = rows;
    if (rows > SPARSE_ROWS) /* behind the first rows, entries are in all columns */
        matrix.entries.start += SPARSE_ROWS * (1 + d->turn++ % (rows / SPARSE_ROWS - 1));
    return d->context->kernels->spmm(
        d->context,
        &(struct spmm){.views = 1, .matrix = &matrix, .cols = cols, .X = d->X, .Y = d->Y});
}

static graco_status job_draw(struct desk *d, int64_t rows, int64_t cols)
{
    const struct random_key key = {0};
    return d->context->kernels->draw_bytes(d->context, &key, 0.5, rows * cols, NULL,
                                           (uint8_t *)d->Y);
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

/* The end of a tape, and the way back if it is wanted. */
static graco_status end_tape(struct desk *d)
{
    graco_status status = d->backward ? tape_backward(d->tape) : tape_status(d->tape);
    tape_reset(d->tape);
    return status;
}

static graco_status job_contrast(struct desk *d, int64_t rows, int64_t cols)
{
    struct contrast spec = {.n = rows, .d = cols, .tau = 0.5, .within = true};
    tape_contrast(d->tape, &spec, make_rows(d, 2 * rows, cols));
    return end_tape(d);
}

static graco_status job_moment(struct desk *d, int64_t rows, int64_t cols)
{
    struct moment spec = {
        .n = rows, .d = cols, .tau = 0.5, .samples = SAMPLES, .sample = d->sample};
    tape_moment(d->tape, &spec, make_rows(d, 2 * rows, cols));
    return end_tape(d);
}

/* In an order in which every job adds one unknown rate; TILE and EXP, which no job has apart, take a
 * second turn. */
static const struct job JOBS[] = {
    {WORK_CALL, job_activate, 256, 8, false},
    {WORK_STREAM_NEAR, job_add, 512, 128, false},
    {WORK_STREAM_FAR, job_add_cold, 8192, 128, false},
    {WORK_PRODUCT, job_product, 1024, 256, false},
    {WORK_SPARSE_NEAR, job_sparse, 2048, 128, false},
    {WORK_SPARSE_FAR, job_sparse, 65536, 128, false},
    {WORK_DRAW, job_draw, 1024, 256, false},
    {WORK_TILE, job_contrast, 384, 256, false},
    {WORK_EXP, job_contrast, 384, 32, false},
    {WORK_TILE, job_contrast, 384, 256, false},
    {WORK_TILE_BACK, job_contrast, 384, 256, true},
    {WORK_MOMENT, job_moment, 512, 128, true},
};

/* ---- Measuring ------------------------------------------------------------------------------- */

static graco_status make_entries(struct csr *out)
{
    const int64_t rows = WORK_FAR / (128 * (int64_t)sizeof(float));
    const struct random_key key = {.seed = 1, .stream = RANDOM_ORDER};
    PASS(csr_alloc(out, rows, rows, rows * ENTRIES_PER_ROW, false));
    for (int64_t i = 0; i <= rows; i++)
        out->start[i] = i * ENTRIES_PER_ROW;
    /* The first rows have columns that a small matrix has too. */
    for (int64_t i = 0; i < rows * ENTRIES_PER_ROW; i++) {
        int64_t below = i / ENTRIES_PER_ROW < SPARSE_ROWS ? SPARSE_ROWS : rows;
        out->index[i] = (int32_t)random_below(&key, (uint64_t)i, below);
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

static graco_status run_job(struct desk *d, const struct job *job)
{
    bool wide = !d->context->backend->host && job->kind >= WORK_TILE;
    int64_t more = wide ? DEVICE_FACTOR : 1;
    d->backward = job->backward;
    PASS(job->run(d, more * job->rows, job->cols));
    return context_finish(d->context);
}

/* Seconds of the fastest run. */
static graco_status time_job(double *out, struct desk *d, const struct job *job)
{
    bool alone = d->context->backend->host && d->context->threads == 1;
    double (*clock)(void) = alone ? threads_own_seconds : threads_seconds;
    double begin = clock(), last = begin;
    *out = HUGE_VAL;
    for (int i = 0; i < JOB_RUNS_MOST && (i < JOB_RUNS_LEAST || last - begin < JOB_SECONDS); i++) {
        PASS(run_job(d, job));
        double now = clock();
        *out = fmin(*out, now - last);
        last = now;
    }
    return GRACO_OK;
}

static graco_status measure(graco_rates *out, struct desk *real, struct desk *counted,
                            struct tally *tally)
{
    for (size_t i = 0; i < sizeof JOBS / sizeof *JOBS; i++) {
        double seconds, *rate = &out->seconds[JOBS[i].kind];
        tally->work = (struct work_units){0};
        PASS(run_job(counted, &JOBS[i]));
        PASS(time_job(&seconds, real, &JOBS[i]));
        *rate = 0;
        double left = seconds - work_seconds(&tally->work, out);
        *rate = fmax(left, 0.1 * seconds) / tally->work.units[JOBS[i].kind];
    }
    return GRACO_OK;
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
