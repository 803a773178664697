/* An epoch of GRACE on the CPU, kernel by kernel, with several numbers of threads and precisions.
 *
 *     bench_kernels DATASET [--threads 1,16] [--precision fp32] [--epochs 5] [--rounds 3] [--cpu]
 *                   [--simulate 16 [--meeting US]] [--set KEY=VALUE]...
 *
 * Every combination trains once a round, one after the other; an epoch's time is the median of its epochs but
 * the first, which takes memory, and a table's figure the median over rounds. A kernel's row has its
 * milliseconds in an epoch and how many times as fast as in the first combination it is. "alone" is what the
 * calling thread does outside of shared loops, and "loops" how many of these there are: threads meet at the
 * end of each. --cpu takes the calling thread's processor time, for one thread on a busy machine.
 *
 * --simulate trains with one thread, times every piece of every loop and says what so many threads would take
 * (simulation.h): the least time of each piece over all rounds and epochs. Meetings are taken to cost what two threads
 * need to meet on this machine, or --meeting, for each further thread once: an upper bound. */
#include "base/threads.h"
#include "config/config.h"
#include "simulation.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernels of an epoch, with their arguments and how these are handed on. */
#define TIMED_KERNELS(T)                                                                           \
    T(spmm, (struct context * c, const struct spmm *s), (c, s))                                    \
    T(add, (struct context * c, int64_t n, float *y, const float *x), (c, n, y, x))                \
    T(activate, (struct context * c, const struct activation *a, float *Y, const float *X),        \
      (c, a, Y, X))                                                                                \
    T(activate_backward,                                                                           \
      (struct context * c, const struct activation *a, float *dX, const float *dY, const float *Y, \
       float *dbias, float *dslope),                                                               \
      (c, a, dX, dY, Y, dbias, dslope))                                                            \
    T(normalise,                                                                                   \
      (struct context * c, int64_t rows, int64_t cols, float *X, const float *bias, float *norm),  \
      (c, rows, cols, X, bias, norm))                                                              \
    T(normalise_backward,                                                                          \
      (struct context * c, int64_t rows, int64_t cols, float *dZ, const float *Z,                  \
       const float *norm, float *dbias),                                                           \
      (c, rows, cols, dZ, Z, norm, dbias))                                                         \
    T(contrast, (struct context * c, struct contrast * s), (c, s))                                 \
    T(contrast_backward, (struct context * c, const struct contrast *s, float *dZ), (c, s, dZ))    \
    T(moment_fit, (struct context * c, struct moment * s), (c, s))                                 \
    T(moment, (struct context * c, struct moment * s), (c, s))                                     \
    T(moment_backward, (struct context * c, const struct moment *s, float *dZ), (c, s, dZ))        \
    T(draw, (struct context * c, int count, const struct drawing *list), (c, count, list))         \
    T(compact, (struct context * c, int count, const struct compaction *list), (c, count, list))   \
    T(degree_scale, (struct context * c, const struct degrees *d, float *scale), (c, d, scale))    \
    T(adam, (struct context * c, const struct adam *a), (c, a))                                    \
    T(not_finite, (struct context * c, int64_t n, const float *x, int64_t *first), (c, n, x, first))

enum row {
    ROW_BETWEEN, /* kernels that are not listed, and what is around them */
    ROW_GEMM,
    ROW_GEMM_LONG, /* gradients of weights: sums over the nodes */
#define T(name, ...) ROW_##name,
    TIMED_KERNELS(T)
#undef T
        ROWS
};

static const char *const ROW_NAMES[ROWS] = {"between kernels", "gemm", "gemm, weights' gradients",
#define T(name, ...) #name,
                                            TIMED_KERNELS(T)
#undef T
};

enum {
    COMBINATIONS_MAX = 16,
    EPOCHS_MAX = 99,
    ROUNDS_MAX = 99,
    SETTINGS_MAX = 16,
    SIMULATED_MAX = 256
};

struct figures {
    double seconds[ROWS], alone[ROWS];
    int64_t loops[ROWS];
};

/* What the wrappers of kernels and loops write to, from the calling thread alone. */
static struct figures now;
static enum row current;
static double since;  /* when `current` began */
static double shared; /* seconds of it in shared loops */
static bool own_time, simulating, within_epoch;

static double clock_now(void)
{
    return own_time ? threads_own_seconds() : threads_seconds();
}

static enum row enter(enum row row)
{
    enum row before = current;
    double time = clock_now();
    now.seconds[before] += time - since;
    now.alone[before] += time - since - shared;
    since = time;
    shared = 0;
    current = row;
    return before;
}

/* The linker puts this in the place of threads_run. */
void __real_threads_run(int threads, int64_t count, int64_t size, threads_body *body, void *job);
void __wrap_threads_run(int threads, int64_t count, int64_t size, threads_body *body, void *job);

void __wrap_threads_run(int threads, int64_t count, int64_t size, threads_body *body, void *job)
{
    double begin = clock_now();
    if (simulating && within_epoch)
        simulation_run((int)current, count, size, body, job);
    else
        __real_threads_run(threads, count, size, body, job);
    shared += clock_now() - begin;
    now.loops[current]++;
}

static graco_status timed_gemm(struct context *c, const struct gemm *g)
{
    enum row before = enter(g->transpose_a ? ROW_GEMM_LONG : ROW_GEMM);
    graco_status status = backend_cpu.kernels->gemm(c, g);
    enter(before);
    return status;
}

#define T(name, arguments, handed)                                                                 \
    static graco_status timed_##name arguments                                                     \
    {                                                                                              \
        enum row before = enter(ROW_##name);                                                       \
        graco_status status = backend_cpu.kernels->name handed;                                    \
        enter(before);                                                                             \
        return status;                                                                             \
    }
TIMED_KERNELS(T)
#undef T

struct combination {
    int64_t threads;
    char precision[8];
};

struct bench {
    const char *source, *setting[SETTINGS_MAX];
    int settings, combinations, epochs, rounds, simulated;
    double meeting; /* seconds; 0: measured */
    struct combination combination[COMBINATIONS_MAX];
    struct graco_dataset *data;
    struct kernels kernels;
    struct backend backend;
    struct figures figures[COMBINATIONS_MAX][ROUNDS_MAX];
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median; of a simulation the least. */
static double typical(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[simulating ? 0 : count / 2];
}

static graco_status make_config(graco_config **out, const struct bench *b,
                                const struct combination *k)
{
    char threads[24];
    PASS(graco_config_create(out, "grace",
                             graco_preset_for("grace", graco_dataset_describe(b->data).name)));
    snprintf(threads, sizeof threads, "%lld", (long long)k->threads);
    PASS(graco_config_set(*out, "threads", threads));
    PASS(graco_config_set(*out, "precision", k->precision));
    for (int i = 0; i < b->settings; i++) {
        char key[64];
        const char *equals = strchr(b->setting[i], '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - b->setting[i]), b->setting[i]);
        PASS(graco_config_set(*out, key, equals + 1));
    }
    return GRACO_OK;
}

/* The median epoch of one training, by row. */
static graco_status measure(struct figures *out, struct bench *b, const struct combination *k)
{
    static struct figures epoch[EPOCHS_MAX];
    graco_status status = GRACO_OK;
    graco_config *config = NULL;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    TRY(make_config(&config, b, k));
    TRY(model_create(&model, config, model_sizes_of(b->data)));
    TRY(trainer_create(&trainer, &b->backend, model));
    TRY(schedule_create(&schedule, trainer->context, model, b->data));
    for (int i = 0; i <= b->epochs; i++) {
        simulation_restart();
        within_epoch = true;
        enter(ROW_BETWEEN);
        now = (struct figures){{0}, {0}, {0}};
        for (int64_t step = schedule_steps(schedule); step > 0; step--) {
            struct stage *stage = NULL;
            TRY(schedule_next(schedule, &stage));
            TRY(trainer_step(trainer, stage));
        }
        enter(ROW_BETWEEN);
        within_epoch = false;
        if (i > 0)
            epoch[i - 1] = now;
    }
    *out = epoch[0];
    for (int row = 0; row < ROWS; row++) {
        double seconds[EPOCHS_MAX], alone[EPOCHS_MAX];
        for (int i = 0; i < b->epochs; i++) {
            seconds[i] = epoch[i].seconds[row];
            alone[i] = epoch[i].alone[row];
        }
        out->seconds[row] = typical(seconds, b->epochs);
        out->alone[row] = typical(alone, b->epochs);
    }
done:
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_config_free(config);
    return status;
}

/* Medians over rounds of one row, or of the sum of all rows. */
static void figures_of(double out[2], const struct bench *b, int combination, int row)
{
    double seconds[ROUNDS_MAX] = {0}, alone[ROUNDS_MAX] = {0};
    for (int round = 0; round < b->rounds; round++)
        for (int i = 0; i < ROWS; i++)
            if (row == i || row == ROWS) {
                seconds[round] += b->figures[combination][round].seconds[i];
                alone[round] += b->figures[combination][round].alone[i];
            }
    out[0] = typical(seconds, b->rounds);
    out[1] = typical(alone, b->rounds);
}

static void print_row(const struct bench *b, int row)
{
    double first[2], found[2];
    int64_t loops = 0;
    figures_of(first, b, 0, row);
    for (int i = 0; i < ROWS; i++)
        loops += row == i || row == ROWS ? b->figures[0][0].loops[i] : 0;
    if (loops == 0 && first[0] == 0)
        return;
    printf("| %s | %lld | %.3f | %.3f |", row == ROWS ? "**epoch**" : ROW_NAMES[row],
           (long long)loops, first[1] * 1e3, first[0] * 1e3);
    for (int k = 1; k < b->combinations; k++) {
        figures_of(found, b, k, row);
        printf(" %.3f | %.2f |", found[0] * 1e3, first[0] / found[0]);
    }
    printf("\n");
}

static void print(const struct bench *b)
{
    printf("%s, ms of an epoch, %d rounds of %d epochs\n\n| kernel | loops | alone |", b->source,
           b->rounds, b->epochs);
    for (int k = 0; k < b->combinations; k++) {
        printf(" %lld, %s |", (long long)b->combination[k].threads, b->combination[k].precision);
        if (k > 0)
            printf(" times as fast |");
    }
    printf("\n|---|---:|---:|---:|");
    for (int k = 1; k < b->combinations; k++)
        printf("---:|---:|");
    printf("\n");
    for (int row = 0; row <= ROWS; row++)
        print_row(b, row);
}

static void print_simulated_row(const char *name, const double seconds[3], int64_t loops)
{
    printf("| %s | %lld | %.3f | %.3f | %.3f | %.2f |\n", name, (long long)loops, seconds[0] * 1e3,
           seconds[1] * 1e3, seconds[2] * 1e3, seconds[1] / seconds[2]);
}

/* Seconds are what the calling thread does alone, and with it what one thread takes and what many would. */
static void print_simulated(const struct bench *b)
{
    double total[3] = {0};
    int64_t all_loops = 0;
    printf("%s, ms of an epoch, %d simulated threads, %.2f us for two of them to meet\n\n"
           "| kernel | loops | alone | 1 | %d | times as fast |\n|---|---:|---:|---:|---:|---:|\n",
           b->source, b->simulated, b->meeting * 1e6, b->simulated);
    for (int row = 0; row < ROWS; row++) {
        double found[2], seconds[3];
        int64_t meetings, loops = b->figures[0][0].loops[row];
        figures_of(found, b, 0, row);
        if (loops == 0 && found[0] == 0)
            continue;
        seconds[0] = found[1];
        seconds[1] = found[1] + simulation_seconds(row, 1, &meetings);
        seconds[2] = found[1] + simulation_seconds(row, b->simulated, &meetings) +
                     b->meeting * (double)(meetings * (b->simulated - 1));
        print_simulated_row(ROW_NAMES[row], seconds, loops);
        for (int i = 0; i < 3; i++)
            total[i] += seconds[i];
        all_loops += loops;
    }
    print_simulated_row("**epoch**", total, all_loops);
    simulation_print_loops(ROW_NAMES, b->simulated);
}

/* All threads with all precisions. */
static bool combine(struct bench *b, char *threads, char *precisions)
{
    char *kept = NULL, *kept_inner = NULL;
    for (char *p = strtok_r(precisions, ",", &kept); p; p = strtok_r(NULL, ",", &kept)) {
        char list[256];
        snprintf(list, sizeof list, "%s", threads);
        for (char *t = strtok_r(list, ",", &kept_inner); t; t = strtok_r(NULL, ",", &kept_inner)) {
            if (b->combinations == COMBINATIONS_MAX || atoi(t) < 1)
                return false;
            struct combination *k = &b->combination[b->combinations++];
            k->threads = atoi(t);
            snprintf(k->precision, sizeof k->precision, "%s", p);
        }
    }
    return b->combinations > 0;
}

static bool parse(struct bench *b, int argc, char **argv)
{
    static char threads[256] = "1,16", precisions[256] = "fp32";
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--cpu") == 0)
            own_time = true;
        else if (strncmp(argv[i], "--", 2) != 0 && !b->source)
            b->source = argv[i];
        else if (strcmp(argv[i++], "--threads") == 0)
            snprintf(threads, sizeof threads, "%s", value);
        else if (strcmp(argv[i - 1], "--precision") == 0)
            snprintf(precisions, sizeof precisions, "%s", value);
        else if (strcmp(argv[i - 1], "--epochs") == 0)
            b->epochs = atoi(value);
        else if (strcmp(argv[i - 1], "--rounds") == 0)
            b->rounds = atoi(value);
        else if (strcmp(argv[i - 1], "--simulate") == 0)
            b->simulated = atoi(value);
        else if (strcmp(argv[i - 1], "--meeting") == 0)
            b->meeting = 1e-6 * strtod(value, NULL);
        else if (strcmp(argv[i - 1], "--set") == 0 && strchr(value, '=') &&
                 b->settings < SETTINGS_MAX)
            b->setting[b->settings++] = value;
        else
            return false;
    }
    if (b->simulated > 0)
        snprintf(threads, sizeof threads, "1");
    return b->source && b->simulated >= 0 && b->simulated <= SIMULATED_MAX && b->epochs > 0 &&
           b->epochs <= EPOCHS_MAX && b->rounds > 0 && b->rounds <= ROUNDS_MAX &&
           combine(b, threads, precisions);
}

int main(int argc, char **argv)
{
    static struct bench b = {.epochs = 5, .rounds = 3};
    graco_status status = GRACO_OK;
    if (!parse(&b, argc, argv)) {
        fprintf(stderr, "usage: bench_kernels DATASET [--threads 1,16] [--precision fp32,bf16] "
                        "[--epochs N] [--rounds N] [--cpu] [--simulate N [--meeting US]] [--set "
                        "KEY=VALUE]...\n");
        return 2;
    }
    if (b.simulated > 0 && b.meeting <= 0)
        b.meeting = simulation_meeting();
    simulating = b.simulated > 0;
    b.kernels = *backend_cpu.kernels;
    b.kernels.gemm = timed_gemm;
#define T(name, ...) b.kernels.name = timed_##name;
    TIMED_KERNELS(T)
#undef T
    b.backend = backend_cpu;
    b.backend.kernels = &b.kernels;
    TRY(graco_dataset_load(&b.data, b.source, NULL));
    for (int round = 0; round < b.rounds; round++)
        for (int k = 0; k < b.combinations; k++)
            TRY(measure(&b.figures[k][round], &b, &b.combination[k]));
    if (simulating)
        print_simulated(&b);
    else
        print(&b);
done:
    if (status != GRACO_OK)
        fprintf(stderr, "bench_kernels: %s\n", graco_message());
    graco_dataset_free(b.data);
    return status != GRACO_OK;
}
