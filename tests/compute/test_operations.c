/* One table of operations. Each case runs on the scalar reference, on the CPU back end and, where
 * there is one, on a GPU, which must agree in values and gradients; small cases are also held
 * against finite differences. */
#include "agree_cases.h"
#include "method_cases.h"
#include "objective_cases.h"
#include "reconstruct_cases.h"
#include "regress_cases.h"
#include "weighted_cases.h"

#include "base/memory.h"
#include "check.h"
#include "reference/reference.h"

/* ---- The operations -------------------------------------------------------------------------- */

static struct tensor *build_matmul(struct tape *tape, struct setting *s, struct tensor *in[])
{
    (void)s;
    return tape_matmul(tape, in[0], in[1], NULL);
}

static struct tensor *build_add(struct tape *tape, struct setting *s, struct tensor *in[])
{
    (void)s;
    struct tensor *AB = tape_matmul(tape, in[0], in[1], NULL);
    return tape_add(tape, in[2], AB, 1);
}

/* in[0] has two blocks of rows, of which the result takes the first ones. */
static struct tensor *build_heads(struct tape *tape, struct setting *s, struct tensor *in[])
{
    (void)s;
    struct tensor *AB = tape_matmul_head(tape, in[0], in[1], 2, in[0]->rows / 2 - 3, NULL);
    return tape_add(tape, in[2], AB, 2);
}

static struct tensor *build_propagate(struct tape *tape, struct setting *s, struct tensor *in[])
{
    return tape_propagate(tape, &s->map, in[0], NULL);
}

static struct tensor *build_features(struct tape *tape, struct setting *s, struct tensor *in[])
{
    return tape_features(tape, &s->dense, in[0]);
}

/* The same with rows summed over neighbours first: X has a row per source. */
static struct tensor *build_propagated(struct tape *tape, struct setting *s, struct tensor *in[])
{
    return tape_matmul(tape, tape_propagate_features(tape, &s->dense, &s->map), in[0], NULL);
}

/* Sparse features, one row per source: the pattern of the transpose serves. */
static struct tensor *build_propagated_sparse(struct tape *tape, struct setting *s,
                                              struct tensor *in[])
{
    const float *const mask[2] = {s->map.matrix[0].row_scale, NULL};
    struct sparse X = s->op->kind == 3 ? s->map.matrix[1] : s->map.transpose[1];
    X.row_scale = X.col_scale = NULL;
    X.self = false;
    return tape_matmul(tape, tape_propagate_sparse(tape, &X, mask, &s->map), in[0], NULL);
}

static struct ending ending_of(const struct setting *s, struct tensor *bias, struct tensor *slope)
{
    struct random_key key = {.seed = 5, .stream = RANDOM_RRELU};
    enum activation_kind kind = (enum activation_kind)s->op->kind;
    return (struct ending){{.kind = kind, .training = true, .key = key}, bias, slope};
}

static struct tensor *build_activate(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct ending end = ending_of(s, in[1], in[2]);
    return tape_activate(tape, &end, tape_propagate(tape, &s->map, in[0], NULL));
}

/* The same as the end of a sparse product. */
static struct tensor *build_ended(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct ending end = ending_of(s, in[1], in[2]);
    return tape_propagate(tape, &s->map, in[0], &end);
}

/* And of a dense one. */
static struct tensor *build_layer(struct tape *tape, struct setting *s, struct tensor *in[])
{
    struct ending end = ending_of(s, in[2], NULL);
    return tape_matmul(tape, in[0], in[1], &end);
}

static struct tensor *build_normalise(struct tape *tape, struct setting *s, struct tensor *in[])
{
    return tape_normalise(tape, tape_propagate(tape, &s->map, in[0], NULL), in[1]);
}

static const struct operation OPERATIONS[] = {
    {"matmul", build_matmul, {{3, 4}, {4, 5}}, 0, true},
    {"matmul, odd panels", build_matmul, {{517, 33}, {33, 70}}, 0, false},
    {"matmul, long sum", build_matmul, {{5003, 20}, {20, 9}}, 0, false},
    {"matmul, long sum, slices", build_matmul, {{4100, 300}, {300, 40}}, 0, false},
    {"add", build_add, {{6, 4}, {4, 5}, {6, 5}}, 0, true},
    {"heads of two views", build_heads, {{20, 4}, {4, 5}, {18, 5}}, 0, true},
    {"propagate", build_propagate, {{24, 5}}, 0, true},
    {"propagate, wide", build_propagate, {{600, 150}}, 0, false},
    {"propagate, shared", build_propagate, {{13, 7}}, 1, true},
    {"propagate, hubs", build_propagate, {{5000, 9}}, 3, false},
    {"propagate, shared, hubs", build_propagate, {{2500, 9}}, 4, false},
    {"propagate, hubs, wide", build_propagate, {{5000, 260}}, 3, false},
    {"propagate, one hop", build_propagate, {{24, 5}}, 2, true},
    {"propagate, one hop, wide", build_propagate, {{600, 150}}, 2, false},
    {"features", build_features, {{9, 5}}, 0, true},
    {"features, large", build_features, {{130, 67}}, 1, false},
    {"features, propagated", build_propagated, {{10, 5}}, 0, true},
    {"features, propagated, one hop", build_propagated, {{24, 5}}, 2, true},
    {"features, propagated, large", build_propagated, {{131, 67}}, 2, false},
    {"sparse features, propagated", build_propagated_sparse, {{10, 5}}, 0, true},
    {"sparse features, propagated, one hop", build_propagated_sparse, {{77, 5}}, 2, false},
    {"sparse features, propagated, hubs", build_propagated_sparse, {{1501, 67}}, 3, false},
    {"relu", build_activate, {{24, 5}, {1, 5}}, ACTIVATION_RELU, true},
    {"prelu", build_activate, {{24, 5}, {1, 5}, {1, 1}}, ACTIVATION_PRELU, true},
    {"elu", build_activate, {{24, 5}, {1, 5}}, ACTIVATION_ELU, true},
    {"rrelu", build_activate, {{24, 5}, {1, 5}}, ACTIVATION_RRELU, true},
    {"bias alone", build_activate, {{24, 5}, {1, 5}}, ACTIVATION_NONE, true},
    {"bias alone, large", build_activate, {{1400, 37}, {1, 37}}, ACTIVATION_NONE, false},
    {"relu, large", build_activate, {{1400, 37}, {1, 37}}, ACTIVATION_RELU, false},
    {"prelu, large", build_activate, {{1400, 37}, {1, 37}, {1, 1}}, ACTIVATION_PRELU, false},
    {"elu, large", build_activate, {{1400, 37}, {1, 37}}, ACTIVATION_ELU, false},
    {"rrelu, large", build_activate, {{1400, 37}, {1, 37}}, ACTIVATION_RRELU, false},
    {"relu, without a bias", build_ended, {{24, 5}}, ACTIVATION_RELU, true},
    {"sparse, relu", build_ended, {{24, 5}, {1, 5}}, ACTIVATION_RELU, true},
    {"sparse, prelu", build_ended, {{24, 5}, {1, 5}, {1, 1}}, ACTIVATION_PRELU, true},
    {"sparse, relu, large", build_ended, {{1400, 132}, {1, 132}}, ACTIVATION_RELU, false},
    {"sparse, elu, large", build_ended, {{1400, 37}, {1, 37}}, ACTIVATION_ELU, false},
    {"sparse, rrelu, large", build_ended, {{1400, 512}, {1, 512}}, ACTIVATION_RRELU, false},
    {"dense, relu", build_layer, {{3, 4}, {4, 5}, {1, 5}}, ACTIVATION_RELU, true},
    {"dense, relu, large", build_layer, {{700, 36}, {36, 64}, {1, 64}}, ACTIVATION_RELU, false},
    {"dense, relu, tall", build_layer, {{4100, 33}, {33, 71}, {1, 71}}, ACTIVATION_RELU, false},
    {"dense, relu, tall, even",
     build_layer,
     {{4100, 36}, {36, 72}, {1, 72}},
     ACTIVATION_RELU,
     false},
    {"dense, relu, odd", build_layer, {{517, 33}, {33, 71}, {1, 71}}, ACTIVATION_RELU, false},
    {"dense, elu, large", build_layer, {{517, 33}, {33, 70}, {1, 70}}, ACTIVATION_ELU, false},
    {"dense, rrelu, large", build_layer, {{517, 33}, {33, 70}, {1, 70}}, ACTIVATION_RRELU, false},
    {"normalise", build_normalise, {{24, 5}}, 0, true},
    {"normalise, bias", build_normalise, {{24, 5}, {1, 5}}, 0, true},
    {"normalise, large", build_normalise, {{900, 130}}, 0, false},
    {"normalise, bias, very wide", build_normalise, {{40, 12300}, {1, 12300}}, 0, false},
    {"normalise, bias, large", build_normalise, {{3000, 132}, {1, 132}}, 0, false},
    {"contrast", build_contrast, {{24, 5}}, 1, true},
    {"contrast, one block", build_contrast, {{160, 33}}, 1, false},
    {"contrast, many blocks", build_contrast, {{1238, 12}}, 1, false},
    {"infonce", build_contrast, {{24, 5}}, 0, true},
    {"infonce, many blocks", build_contrast, {{1238, 12}}, 0, false},
    {"contrast of graphs", build_contrast_graphs, {{24, 5}}, 1, true},
    {"contrast of graphs, some large", build_contrast_graphs, {{700, 70}}, 1, false},
    {"infonce of graphs", build_contrast_graphs, {{24, 5}}, 0, true},
    {"infonce of graphs, some large", build_contrast_graphs, {{700, 70}}, 0, false},
    {"moment", build_moment, {{24, 5}}, -0, false},
    {"moment, given coefficients", build_moment, {{24, 5}}, -7, true},
    {"moment, corrected", build_moment, {{24, 5}}, 7, false},
    {"moment, corrected, in chunks", build_moment, {{16600, 12}}, 40, false},
    {"moment, corrected, large", build_moment, {{1238, 12}}, 40, false},
    {"moment, large", build_moment, {{1238, 12}}, 0, false},
    {"gather, odd", build_gather, {{24, 5}}, 40, false},
    {"gather, pairs", build_gather, {{300, 602}}, 700, false},
    {"gather, fours", build_gather, {{900, 132}}, 333, false},
};

/* ---- The surroundings ------------------------------------------------------------------------ */

/* In a row: few, but for every 50th where there are hubs. */
static int64_t entries_of(bool hubs, int64_t row)
{
    return hubs && row % 50 == 0 ? 100 : 3;
}

/* A random sparse matrix (rows, cols) and its transpose, with values and scales. */
static void make_map(struct setting *s, const struct operation *op)
{
    bool shared = op->build == build_propagate && (op->kind == 1 || op->kind == 4);
    bool hop = op->kind == 2 && (op->build == build_propagate ||
                                 op->build == build_propagated); /* fewer targets than sources */
    bool square = op->build == build_reconstruct || op->build == build_variational;
    bool sparse = op->build == build_propagated_sparse || square;
    bool wider = sparse && op->kind == 2;
    int64_t cols = shared   ? op->shape[0][0]
                   : wider  ? op->shape[0][0] + 4
                   : sparse ? op->shape[0][0]
                            : op->shape[0][0] / 2;
    int64_t rows = shared ? cols + 4 : hop || wider ? cols - 4 : cols;
    bool hubs = op->kind >= 3 && (op->build == build_propagate || sparse);
    int64_t scales = rows > cols ? rows : cols, entries = 0;
    for (int64_t row = 0; row < rows; row++)
        entries += entries_of(hubs, row);
    for (int side = 0; side < 2; side++) {
        CHECK_OK(memory_zalloc(&s->start[side], (side ? cols : rows) + 1, sizeof(int64_t)));
        CHECK_OK(memory_zalloc(&s->index[side], entries, sizeof(int32_t)));
        CHECK_OK(memory_zalloc(&s->value[side], entries, sizeof(float)));
    }
    CHECK_OK(memory_zalloc(&s->scale, 4 * scales, sizeof(float)));
    float vary = s->rows == ROWS_MIXED ? 1 : 0; /* other rows are propagated by the identity */
    for (int64_t i = 0; i < 4 * scales; i++)
        s->scale[i] = vary > 0 ? 0.75f + 0.25f * draw(101, i) : 1;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = s->start[0][row],
                end = s->start[0][row + 1] = start + entries_of(hubs, row);
        for (int64_t k = start; k < end; k++) {
            s->index[0][k] = (int32_t)((row * 7 + (k - start) * (cols / 3 + 1)) % cols);
            s->value[0][k] = vary * draw(102, k);
            s->start[1][s->index[0][k] + 1]++;
        }
    }
    for (int64_t col = 0; col < cols; col++)
        s->start[1][col + 1] += s->start[1][col];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = s->start[0][row]; k < s->start[0][row + 1]; k++) {
            int64_t at = s->start[1][s->index[0][k]]++;
            s->index[1][at] = (int32_t)row;
            s->value[1][at] = s->value[0][k];
        }
    for (int64_t col = cols; col > 0; col--)
        s->start[1][col] = s->start[1][col - 1];
    s->start[1][0] = 0;
    s->map.views = 2;
    s->map.shared = shared;
    for (int view = 0; view < 2; view++) {
        float *left = s->scale + 2 * view * scales, *right = left + scales;
        s->map.matrix[view] =
            (struct sparse){.entries = {rows, cols, s->start[0], s->index[0], s->value[0]},
                            .row_scale = left,
                            .col_scale = right,
                            .longest = hubs && shared ? 100 : 0,
                            .self = !shared};
        s->map.transpose[view] =
            (struct sparse){.entries = {cols, rows, s->start[1], s->index[1], s->value[1]},
                            .row_scale = right,
                            .col_scale = left,
                            .self = !shared};
    }
}

static void make_dense(struct setting *s, const struct operation *op)
{
    int64_t rows = op->kind ? 3000 : 11, cols = op->shape[0][0];
    if (op->build == build_propagated)
        rows = s->map.matrix[0].entries.cols;
    CHECK_OK(memory_alloc(&s->X, rows * cols, sizeof(float)));
    CHECK_OK(memory_alloc(&s->mask, cols, sizeof(float)));
    for (int64_t i = 0; i < rows * cols; i++)
        s->X[i] = draw(103, i);
    for (int64_t i = 0; i < cols; i++)
        s->mask[i] = i % 3 > 0;
    s->dense = (struct dense_map){2, rows, cols, {s->X, s->X}, {s->mask, NULL}};
}

static void clear_setting(struct setting *s)
{
    for (int side = 0; side < 2; side++) {
        memory_free(s->start[side]);
        memory_free(s->index[side]);
        memory_free(s->value[side]);
    }
    memory_free(s->scale);
    memory_free(s->mask);
    memory_free(s->X);
    graph_free(s->graph);
}

/* ---- Running one case ------------------------------------------------------------------------ */

struct outcome {
    double value; /* the loss, or the sum of the result times fixed random weights */
    float *out;
    int64_t out_count;
    float *grad[INPUTS];
};

static int64_t input_size(const struct operation *op, int i)
{
    return op->shape[i][0] * op->shape[i][1];
}

/* The maps with their arrays where the device sees them. */
static void share_setting(struct setting *to, const struct setting *s, struct context *c)
{
    *to = *s;
    for (int view = 0; view < s->map.views; view++)
        for (int side = 0; side < 2; side++) {
            const struct sparse *from = side ? &s->map.transpose[view] : &s->map.matrix[view];
            struct sparse *m = side ? &to->map.transpose[view] : &to->map.matrix[view];
            const struct sparse *first = side ? &to->map.transpose[0] : &to->map.matrix[0];
            int64_t entries = from->entries.start[from->entries.rows];
            if (view > 0 &&
                s->map.shared) { /* both views have the same entries, as features have */
                m->entries.start = first->entries.start;
                m->entries.index = first->entries.index;
                m->entries.value = first->entries.value;
            } else {
                CHECK_OK(context_share(c, &m->entries.start, from->entries.start,
                                       from->entries.rows + 1, sizeof(int64_t)));
                CHECK_OK(context_share(c, &m->entries.index, from->entries.index, entries,
                                       sizeof(int32_t)));
                CHECK_OK(context_share(c, &m->entries.value, from->entries.value, entries,
                                       sizeof(float)));
            }
            CHECK_OK(context_share(c, &m->row_scale, from->row_scale, from->entries.rows,
                                   sizeof(float)));
            CHECK_OK(context_share(c, &m->col_scale, from->col_scale, from->entries.cols,
                                   sizeof(float)));
        }
    const struct dense_map *dense = &s->dense;
    CHECK_OK(
        context_share(c, &to->dense.X[0], dense->X[0], dense->rows * dense->cols, sizeof(float)));
    to->dense.X[1] = to->dense.X[0];
    for (int view = 0; view < dense->views; view++)
        CHECK_OK(
            context_share(c, &to->dense.mask[view], dense->mask[view], dense->cols, sizeof(float)));
}

/* The gradient of the result is fixed random weights; the value is what they weigh. */
static void weigh(struct outcome *o, struct context *context, struct tensor *out)
{
    int64_t count = o->out_count = out->rows * out->cols;
    size_t bytes = (size_t)count * sizeof(float);
    float *weights = malloc(bytes);
    o->out = realloc(o->out, bytes);
    CHECK_OK(context->buffers->download(context, o->out, out->data, bytes));
    o->value = 0;
    for (int64_t i = 0; i < count; i++) {
        weights[i] = draw(104, i);
        o->value += (double)weights[i] * (double)o->out[i];
    }
    CHECK_OK(context_take(context, &out->grad, count, sizeof(float)));
    CHECK_OK(context->buffers->upload(context, out->grad, weights, bytes));
    CHECK_OK(context_finish(context));
    free(weights);
}

/* Runs forward and, with `back`, backward. */
static void run(struct outcome *o, struct context *context, struct setting *s,
                float *const data[INPUTS], bool back)
{
    const struct operation *op = s->op;
    struct setting *here = malloc(sizeof *here);
    struct tape *tape = NULL;
    struct tensor *in[INPUTS] = {NULL};
    float *value[INPUTS] = {NULL}, *grad[INPUTS] = {NULL};
    share_setting(here, s, context);
    CHECK_OK(tape_create(&tape, context));
    for (int i = 0; i < INPUTS && op->shape[i][0]; i++) {
        memset(o->grad[i], 0, (size_t)input_size(op, i) * sizeof(float));
        CHECK_OK(context_share(context, &value[i], data[i], input_size(op, i), sizeof(float)));
        CHECK_OK(context_share(context, &grad[i], o->grad[i], input_size(op, i), sizeof(float)));
        in[i] = tape_parameter(tape, op->shape[i][0], op->shape[i][1], value[i], grad[i]);
    }
    here->objective = false;
    struct tensor *out = op->build(tape, here, in);
    CHECK_OK(tape_status(tape));
    if (!here->objective)
        weigh(o, context, out);
    if (back)
        CHECK_OK(tape_backward(tape));
    CHECK_OK(context_finish(context));
    if (here->objective)
        o->value = *here->loss + here->gaussian.divergence;
    for (int i = 0; i < INPUTS && op->shape[i][0]; i++)
        if (!context->backend->host)
            CHECK_OK(context->buffers->download(context, o->grad[i], grad[i],
                                                (size_t)input_size(op, i) * sizeof(float)));
    for (int64_t k = 0; k < input_size(op, 0) && here->objective; k++)
        o->grad[0][k] *= (float)unit_of(s, k / op->shape[0][1]);
    views_free(here->views);
    tape_free(tape); /* the context keeps what was shared until it is freed */
    free(here);
}

/* Where the two one-sided slopes differ this much the function has a kink between the points. */
static bool kink(double low, double middle, double high)
{
    double left = middle - low, right = high - middle;
    return fabs(left - right) > 0.01 * (fabs(left) + fabs(right)) + 5e-6;
}

static void check_differences(struct context *reference, struct setting *s, float *data[INPUTS],
                              const struct outcome *analytic)
{
    struct outcome probe = {0};
    for (int i = 0; i < INPUTS && s->op->shape[i][0]; i++)
        CHECK_OK(memory_alloc(&probe.grad[i], input_size(s->op, i), sizeof(float)));
    for (int i = 0; i < INPUTS && s->op->shape[i][0]; i++) {
        double error = 0, size = 1e-12;
        int64_t kinks = 0;
        for (int64_t k = 0; k < input_size(s->op, i); k++) {
            float kept = data[i][k];
            double unit = unit_of(s, k / s->op->shape[i][1]), step = 1e-3 * unit;
            data[i][k] = (float)((double)kept + step);
            double high = (double)data[i][k];
            run(&probe, reference, s, data, false);
            double up = probe.value;
            data[i][k] = (float)((double)kept - step);
            double width = high - (double)data[i][k];
            run(&probe, reference, s, data, false);
            data[i][k] = kept;
            if (kink(probe.value, analytic->value, up)) {
                kinks++;
                continue;
            }
            double slope = (up - probe.value) / width * unit, ours = (double)analytic->grad[i][k];
            error += (slope - ours) * (slope - ours);
            size += slope * slope;
        }
        if (sqrt(error / size) >= 2e-3)
            fprintf(stderr, "%s: input %d: finite differences are off by %g\n", s->op->name, i,
                    sqrt(error / size));
        CHECK(sqrt(error / size) < 2e-3);
        CHECK(kinks <= input_size(s->op, i) / 4);
    }
    for (int i = 0; i < INPUTS; i++)
        memory_free(probe.grad[i]);
    free(probe.out);
}

/* Relative, but for a gradient that is zero but for rounding. */
static double gradient_distance(const float *a, const float *b, int64_t count)
{
    double size = 0;
    for (int64_t i = 0; i < count; i++)
        size += (double)b[i] * (double)b[i];
    return check_relative(a, b, count) * (size < 1e-12 ? sqrt(size + 1e-30) : 1);
}

static void compare(const struct operation *op, const struct outcome *a, const struct outcome *b,
                    double tolerance)
{
    double off = a->out ? check_relative(a->out, b->out, a->out_count)
                        : fabs(a->value - b->value) / (fabs(b->value) + 1);
    CHECK(a->out_count == b->out_count);
    if (!(off <= tolerance))
        fprintf(stderr, "%s: the value is off by %g\n", op->name, off);
    CHECK(off <= tolerance);
    for (int i = 0; i < INPUTS && op->shape[i][0]; i++) {
        double distance = gradient_distance(a->grad[i], b->grad[i], input_size(op, i));
        if (!(distance <= tolerance))
            fprintf(stderr, "%s: gradient %d is off by %g\n", op->name, i, distance);
        CHECK(distance <= tolerance);
    }
}

/* A way to run a case. */
struct device {
    const struct backend *backend;
    int threads;
    int64_t budget;
    enum precision precision;
    double tolerance;
};

enum { DEVICES = 7 };

/* A parabola that is fitted to three cosines at most meets them all, and the loss is the exact one.
 * The reference fits no such parabola. */
static void check_few(struct operation op, enum rows_kind rows, const struct device *devices,
                      int count)
{
    struct setting setting = {.op = &op, .rows = rows};
    const struct operation exact = {"", build_contrast, {{op.shape[0][0], op.shape[0][1]}}, 1, 0};
    float X[12 * 8], grad[12 * 8];
    make_map(&setting, &op);
    for (int64_t k = 0; k < input_size(&op, 0); k++)
        X[k] = draw(105, k);
    make_rows(&setting, X);
    for (int v = 1; v < count; v++) {
        struct context *context = NULL;
        struct outcome outcome = {.grad = {grad}};
        CHECK_OK(context_create(&context, devices[v].backend, 1, devices[v].budget));
        context->precision = devices[v].precision;
        run(&outcome, context, &setting, (float *[INPUTS]){X}, true);
        CHECK(fabs(outcome.value - naive_loss(&exact, X)) < devices[v].tolerance);
        for (int64_t k = 0; k < input_size(&op, 0); k++)
            CHECK(isfinite(grad[k]));
        context_free(context);
    }
    clear_setting(&setting);
}

static void check_operation(const struct operation *op, enum rows_kind rows,
                            const struct device *devices, int count)
{
    struct setting setting = {.op = op, .rows = rows};
    struct context *context[DEVICES];
    struct outcome outcome[DEVICES] = {{0}};
    float *data[INPUTS] = {NULL};
    if (op->build != build_features)
        make_map(&setting, op);
    if (op->build == build_weighted)
        make_weighted(&setting, op);
    if (op->build == build_features || op->build == build_propagated)
        make_dense(&setting, op);
    for (int i = 0; i < INPUTS && op->shape[i][0]; i++) {
        CHECK_OK(memory_alloc(&data[i], input_size(op, i), sizeof(float)));
        for (int64_t k = 0; k < input_size(op, i); k++)
            data[i][k] = draw(105 + (uint32_t)i, k);
    }
    make_rows(&setting, data[0]);
    int oracle =
        op->build == build_moment && op->shape[0][0] > 5000; /* the reference is too slow */
    for (int v = 0; v < count; v++) {
        const struct device *device = &devices[v];
        CHECK_OK(context_create(&context[v], device->backend, device->threads, device->budget));
        context[v]->precision = device->precision;
        for (int i = 0; i < INPUTS && op->shape[i][0]; i++)
            CHECK_OK(memory_alloc(&outcome[v].grad[i], input_size(op, i), sizeof(float)));
        if (v < oracle ||
            (op->build == build_propagated_sparse && !device->backend->kernels->propagate_sparse))
            continue;
        run(&outcome[v], context[v], &setting, data, true);
        compare(op, &outcome[v], &outcome[oracle], device->tolerance);
        if (v > 1 && device->backend == devices[1].backend)
            compare(op, &outcome[v], &outcome[1], 0); /* neither threads nor tiles change a bit */
    }
    if (rows != ROWS_MIXED && (op->build == build_contrast || op->kind < 0))
        CHECK(fabs(outcome[0].value - naive_loss(op, data[0])) < 1e-6);
    if (op->differences)
        check_differences(context[0], &setting, data, &outcome[0]);
    for (int v = 0; v < count; v++) {
        for (int i = 0; i < INPUTS; i++)
            memory_free(outcome[v].grad[i]);
        free(outcome[v].out);
        context_free(context[v]);
    }
    for (int i = 0; i < INPUTS; i++)
        memory_free(data[i]);
    clear_setting(&setting);
}

static void check_table(const struct operation *table, size_t rows, const struct device *devices,
                        int count)
{
    for (size_t i = 0; i < rows; i++) {
        int before = check_failed;
        check_operation(&table[i], ROWS_MIXED, devices, count);
        if (check_failed > before)
            fprintf(stderr, "%s failed\n", table[i].name);
    }
}

static void check_hard_rows(const struct operation *objective, const struct device *devices,
                            int count)
{
    for (size_t i = 0; i < sizeof HARD_ROWS / sizeof *HARD_ROWS; i++) {
        int before = check_failed;
        struct operation op = *objective;
        op.shape[0][0] = 2 * HARD_ROWS[i].nodes;
        op.differences &= HARD_ROWS[i].nodes <= 6 && HARD_ROWS[i].rows != ROWS_ALIKE;
        if (HARD_ROWS[i].few && op.build == build_moment && op.kind >= 0)
            check_few(op, HARD_ROWS[i].rows, devices, count);
        else
            check_operation(&op, HARD_ROWS[i].rows, devices, count);
        if (check_failed > before)
            fprintf(stderr, "%s: %s failed\n", op.name, HARD_ROWS[i].name);
    }
}

int main(void)
{
    /* The oracle; the CPU with two threads and all tiles kept; with one thread and none kept; with
     * three and some; a GPU with all kept, with nothing kept, and with rounded operands. */
    struct device devices[DEVICES] = {{&backend_reference, 1, 0, PRECISION_FP32, 0},
                                      {&backend_cpu, 2, 1 << 30, PRECISION_FP32, 2e-5},
                                      {&backend_cpu, 1, 0, PRECISION_FP32, 2e-5},
                                      {&backend_cpu, 3, 1 << 20, PRECISION_FP32, 2e-5},
                                      {NULL, 1, 1 << 30, PRECISION_FP32, 2e-5},
                                      {NULL, 1, 0, PRECISION_FP32, 2e-5},
                                      {NULL, 1, 1 << 30, PRECISION_FP16, 2e-2}};
    const struct backend *cuda = NULL;
    int count = 4;
    if (backend_find(&cuda, "cuda") == GRACO_OK)
        for (count = 4; count < DEVICES; count++)
            devices[count].backend = cuda;
    else
        printf("left out: the GPU (%s)\n", graco_message());
    check_table(OPERATIONS, sizeof OPERATIONS / sizeof *OPERATIONS, devices, count);
    check_table(WEIGHTED_OPERATIONS, sizeof WEIGHTED_OPERATIONS / sizeof *WEIGHTED_OPERATIONS,
                devices, count);
    check_table(METHOD_OPERATIONS, sizeof METHOD_OPERATIONS / sizeof *METHOD_OPERATIONS, devices,
                count);
    check_table(AGREE_OPERATIONS, sizeof AGREE_OPERATIONS / sizeof *AGREE_OPERATIONS, devices,
                count);
    check_table(REGRESS_OPERATIONS, sizeof REGRESS_OPERATIONS / sizeof *REGRESS_OPERATIONS, devices,
                count);
    check_table(ENCODINGS, sizeof ENCODINGS / sizeof *ENCODINGS, devices, count);
    for (size_t i = 0; i < sizeof OBJECTIVES / sizeof *OBJECTIVES; i++)
        check_hard_rows(&OBJECTIVES[i], devices, count);
    return check_result();
}
