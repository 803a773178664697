/* Golden vectors: what a method computes, in float64 from its equations, with everything random given.
 *
 * golden_each reads every .npz file in $GRACO_GOLDEN whose member `method` is the one asked for, says
 * which it reads, and runs a check on each back end. Without that member a file with an `objective` is
 * GRACE's, and one with a `probability` has steps of `walks`. Files may have any sizes and values: nothing
 * but the names of their members is known here. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/memory.h"
#include "check.h"
#include "pinned.h"
#include "io/zip/npz.h"
#include "reference/reference.h"
#include "train/trainer.h"

#include <dirent.h>

/* Of float32 against double, relative to the largest entry. A GPU adds up in another order. */
static const double GOLDEN_TOLERANCE = 1e-4, GOLDEN_TOLERANCE_GPU = 4e-4;

enum { GOLDEN_NAME = 64, GOLDEN_STEPS = 3 };

/* One file, open, and the back end to hold against it. */
struct golden {
    const char *name;
    struct npz *npz;
    const struct backend *backend;
    double tolerance;
};

typedef void golden_fn(const struct golden *g);

/* ---- Members --------------------------------------------------------------------------------- */

static inline struct array golden_member(const struct golden *g, const char *name)
{
    struct array array = {0};
    CHECK_OK(npz_read(&array, g->npz, name, NPZ_LIMIT));
    return array;
}

static inline double golden_scalar(const struct golden *g, const char *name)
{
    struct array array = golden_member(g, name);
    CHECK(array.type == ARRAY_F64 && array.count == 1);
    double value;
    memcpy(&value, array.data, sizeof value);
    array_clear(&array);
    return value;
}

static inline bool golden_word_is(const struct golden *g, const char *name, const char *word)
{
    char *text = NULL;
    struct array array = golden_member(g, name);
    CHECK_OK(array_string(&text, &array, 0));
    bool same = strcmp(text, word) == 0;
    memory_free(text);
    array_clear(&array);
    return same;
}

/* A setting whose value the file spells as graco does. */
static inline void golden_set_word(const struct golden *g, graco_config *config, const char *key,
                                   const char *name)
{
    char *text = NULL;
    struct array array = golden_member(g, name);
    CHECK_OK(array_string(&text, &array, 0));
    CHECK_OK(graco_config_set(config, key, text));
    memory_free(text);
    array_clear(&array);
}

/* Members as arrays of the caller's; *count may be NULL. */
static inline float *golden_floats(const struct golden *g, const char *name, int64_t *count)
{
    float *out = NULL;
    struct array array = golden_member(g, name);
    CHECK_OK(array_to_f32(&out, &array));
    if (count)
        *count = array.count;
    array_clear(&array);
    return out;
}

static inline int32_t *golden_ints(const struct golden *g, const char *name, int64_t *count)
{
    int32_t *out = NULL;
    struct array array = golden_member(g, name);
    CHECK_OK(array_to_i32(&out, &array));
    if (count)
        *count = array.count;
    array_clear(&array);
    return out;
}

static inline int64_t golden_cols(const struct golden *g, const char *name)
{
    struct array array = golden_member(g, name);
    int64_t cols = array.ndim == 2 ? array.shape[1] : 1;
    array_clear(&array);
    return cols;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Ours against theirs: the largest difference relative to the largest entry. */
static inline void golden_compare(const struct golden *g, const char *prefix, const char *name,
                                  const float *ours)
{
    char full[GOLDEN_NAME];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    struct array theirs = golden_member(g, full);
    CHECK(theirs.type == ARRAY_F64);
    const double *values = theirs.data;
    double most = 1e-30, off = 0;
    for (int64_t i = 0; i < theirs.count; i++) {
        most = fmax(most, fabs(values[i]));
        off = fmax(off, isfinite(ours[i]) ? fabs((double)ours[i] - values[i]) : (double)INFINITY);
    }
    if (!(off <= g->tolerance * most))
        fprintf(stderr, "%s on %s: %s is off by %g of its largest entry\n", g->name,
                g->backend->name, full, off / most);
    CHECK(off <= g->tolerance * most);
    array_clear(&theirs);
}

/* The same for `count` numbers on the device. */
static inline void golden_compare_device(const struct golden *g, const char *prefix,
                                         const char *name, struct context *context,
                                         const float *ours, int64_t count)
{
    float *here = NULL;
    CHECK_OK(memory_alloc(&here, count, sizeof(float)));
    CHECK_OK(context->buffers->download(context, here, ours, (size_t)count * sizeof(float)));
    golden_compare(g, prefix, name, here);
    memory_free(here);
}

/* ---- Building what a file describes ---------------------------------------------------------- */

/* The graph of members `edges` (2, E) and `X` (N, F), or of others of these shapes; `weights` (E), if
 * the file has them, are those of the edges. */
static inline struct graco_dataset *golden_dataset(const struct golden *g, const char *X_name,
                                                   const char *edges_name)
{
    struct array X = golden_member(g, X_name), edges = golden_member(g, edges_name);
    struct dataset_parts parts = {.name = g->name};
    int32_t *pairs = NULL;
    struct graco_dataset *data = NULL;
    parts.nodes = parts.features.rows = X.shape[0];
    parts.features.cols = X.shape[1];
    parts.edges = edges.shape[1];
    CHECK_OK(array_to_f32(&parts.features.dense, &X));
    CHECK_OK(array_to_i32(&pairs, &edges));
    if (npz_has(g->npz, "weights"))
        parts.weights = golden_floats(g, "weights", NULL);
    CHECK_OK(memory_alloc(&parts.source, parts.edges, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, parts.edges, sizeof(int32_t)));
    memcpy(parts.source, pairs, (size_t)parts.edges * sizeof(int32_t));
    memcpy(parts.target, pairs + parts.edges, (size_t)parts.edges * sizeof(int32_t));
    CHECK_OK(dataset_create(&data, &parts));
    memory_free(pairs);
    array_clear(&X);
    array_clear(&edges);
    return data;
}

/* The general settings of a method with the file's lr and weight_decay, in float32 throughout. */
static inline graco_config golden_config(const struct golden *g, const char *name)
{
    graco_config config;
    const struct method *method = NULL;
    CHECK_OK(method_find(&method, name));
    pinned_config(&config, method);
    config.lr = golden_scalar(g, "lr");
    config.weight_decay = golden_scalar(g, "weight_decay");
    config.threads = 2;
    config.precision = PRECISION_FP32;
    return config;
}

/* Every parameter gets the file's value, which must be there and of its size. */
static inline void golden_set_parameters(const struct golden *g, struct parameters *p)
{
    for (int i = 0; i < p->count; i++) {
        char name[GOLDEN_NAME];
        int64_t count;
        snprintf(name, sizeof name, "param.%s", p->list[i].name);
        float *value = golden_floats(g, name, &count);
        CHECK(count == p->list[i].rows * p->list[i].cols);
        memcpy(p->value + p->list[i].offset, value, (size_t)count * sizeof(float));
        memory_free(value);
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Puts the loss of a pass on its tape, from the file's draws. */
typedef void golden_loss_fn(const struct golden *g, struct pass *pass, struct stage *stage);

static inline void golden_gradient(const struct golden *g, struct trainer *trainer,
                                   struct stage *stage, golden_loss_fn *loss)
{
    struct pass pass = trainer_pass(trainer, stage);
    tape_reset(trainer->tape);
    CHECK_OK(trainer->context->buffers->zero(
        trainer->context, trainer->grad, (size_t)trainer->model->parameters.total * sizeof(float)));
    loss(g, &pass, stage);
    CHECK_OK(tape_backward(trainer->tape));
    CHECK_OK(context_finish(trainer->context));
}

/* Three steps of Adam: the losses before them, the first gradients, the parameters after them. */
static inline void golden_steps(const struct golden *g, struct trainer *trainer,
                                struct stage *stage, golden_loss_fn *loss)
{
    const struct parameters *p = &trainer->model->parameters;
    struct array losses = golden_member(g, "losses");
    for (int step = 0; step < GOLDEN_STEPS; step++) {
        golden_gradient(g, trainer, stage, loss);
        double theirs = ((const double *)losses.data)[step];
        CHECK(fabs(stage_outcome(stage).loss - theirs) <= GOLDEN_TOLERANCE * fabs(theirs));
        for (int i = 0; i < p->count && step == 0; i++)
            golden_compare_device(g, "grad.", p->list[i].name, trainer->context,
                                  trainer->grad + p->list[i].offset,
                                  p->list[i].rows * p->list[i].cols);
        CHECK_OK(trainer_update(trainer));
    }
    for (int i = 0; i < p->count; i++)
        golden_compare_device(g, "step3.", p->list[i].name, trainer->context,
                              trainer->value + p->list[i].offset,
                              p->list[i].rows * p->list[i].cols);
    array_clear(&losses);
}

/* ---- The files ------------------------------------------------------------------------------- */

static inline bool golden_is(const struct golden *g, const char *method)
{
    if (npz_has(g->npz, "method"))
        return golden_word_is(g, "method", method);
    return strcmp(method, npz_has(g->npz, "objective")     ? "grace"
                          : npz_has(g->npz, "probability") ? "walks"
                                                           : "") == 0;
}

static inline void golden_check_file(const char *folder, const char *name, const char *method,
                                     golden_fn *check, int *read)
{
    const struct backend *cuda = NULL;
    const struct backend *backends[3] = {&backend_reference, &backend_cpu, NULL};
    struct golden g = {.name = name};
    char *path = NULL;
    if (backend_find(&cuda, "cuda") == GRACO_OK)
        backends[2] = cuda;
    CHECK_OK(memory_path(&path, folder, name));
    CHECK_OK(npz_open(&g.npz, path));
    memory_free(path);
    if (golden_is(&g, method)) {
        printf("read %s\n", name);
        *read += 1;
        for (int i = 0; i < 3 && backends[i]; i++) {
            g.backend = backends[i];
            g.tolerance = backends[i]->host ? GOLDEN_TOLERANCE : GOLDEN_TOLERANCE_GPU;
            check(&g);
        }
    }
    npz_close(g.npz);
}

/* Checks every file of the method; there must be one. Without $GRACO_GOLDEN the folder is that of the
 * source; the program is skipped where that is not known either. */
static inline void golden_each(const char *method, golden_fn *check)
{
    const char *folder = getenv("GRACO_GOLDEN"), *source = getenv("GRACO_SOURCE");
    char own[4096];
    const struct backend *cuda = NULL;
    struct dirent **files = NULL;
    int read = 0;
    if (!folder && !source)
        check_skip("neither GRACO_GOLDEN nor GRACO_SOURCE says where golden vectors are");
    snprintf(own, sizeof own, "%s/tests/golden", source ? source : "");
    folder = folder ? folder : own;
    if (backend_find(&cuda, "cuda") != GRACO_OK)
        printf("left out: the GPU (%s)\n", graco_message());
    int count = scandir(folder, &files, NULL, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        const char *name = files[i]->d_name, *end = strrchr(name, '.');
        if (end && strcmp(end, ".npz") == 0)
            golden_check_file(folder, name, method, check, &read);
        free(files[i]);
    }
    free(files);
    if (read == 0)
        fprintf(stderr, "%s has no golden vectors of the method %s\n", folder, method);
    CHECK(read > 0);
}

#endif
