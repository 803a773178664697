/* propagate against its formula in double: sparse and dense features, weights, blocks of columns, both reductions;
 * and graphs that the model has not seen. */
#include "base/memory.h"
#include "base/random.h"
#include "data/components.h"
#include "fixture.h"

#include <math.h>

enum { NODES = 4500, WIDE = 240, FEW = 40 };

/* A graph with an arrow's weights, or without, whose features are dense or sparse. */
static graco_dataset *made(int64_t nodes, int64_t cols, bool dense, bool weighted)
{
    graco_dataset *data =
        fixture_data(.nodes = nodes, .feature_count = cols, .dense = dense, .seed = 3);
    struct graph *graph = data->graph;
    if (!weighted)
        return data;
    struct dataset_parts parts = {.name = "weighted", .nodes = nodes, .edges = graph->edges};
    CHECK_OK(memory_alloc(&parts.source, parts.edges, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, parts.edges, sizeof *parts.target));
    CHECK_OK(memory_alloc(&parts.weights, parts.edges, sizeof *parts.weights));
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++) {
            parts.source[e] = graph->in.index[e];
            parts.target[e] = (int32_t)i;
            parts.weights[e] = 0.25f + (float)((i + graph->in.index[e]) % 7);
        }
    parts.features = data->features;
    data->features = (struct features){0};
    graco_dataset_free(data);
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* Y (nodes, cols) in double: the features times R (columns, cols), or themselves. */
static double *start_of(const graco_dataset *data, const float *R, int64_t cols)
{
    graco_matrix X = {0};
    double *Y = NULL;
    CHECK_OK(features_densify(&X, &data->features));
    CHECK_OK(memory_zalloc(&Y, X.rows * cols, sizeof *Y));
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t k = 0; X.data[i * X.cols + j] != 0 && k < cols; k++)
                Y[i * cols + k] += (double)X.data[i * X.cols + j] *
                                   (R ? (double)R[j * cols + k] : (double)(j == k));
    graco_matrix_clear(&X);
    return Y;
}

/* to = S from, one entry after the other. */
static void step(double *to, const double *from, const struct graph *graph, int64_t cols)
{
    for (int64_t i = 0; i < graph->nodes; i++) {
        double own = graph_degree(graph, i) + 1;
        for (int64_t k = 0; k < cols; k++)
            to[i * cols + k] = from[i * cols + k] / own;
        for (int64_t e = graph->in.start[i]; e < graph->in.start[i + 1]; e++) {
            int32_t j = graph->in.index[e];
            double weight = graph->in.value ? (double)graph->in.value[e] : 1;
            weight /= sqrt(own * (graph_degree(graph, j) + 1));
            for (int64_t k = 0; k < cols; k++)
                to[i * cols + k] += weight * from[j * cols + k];
        }
    }
}

struct setting {
    bool power;
    int hops;
    double alpha;
};

/* The formula. Takes Y. */
static double *expected(double *Y, const struct graph *graph, int64_t cols, struct setting s)
{
    int64_t cells = graph->nodes * cols;
    double *next = NULL, *sum = NULL;
    CHECK_OK(memory_alloc(&next, cells, sizeof *next));
    CHECK_OK(memory_alloc(&sum, cells, sizeof *sum));
    for (int64_t i = 0; i < cells; i++)
        sum[i] = s.alpha * Y[i];
    for (int k = 0; k < s.hops; k++) {
        double *before = Y;
        step(next, Y, graph, cols);
        Y = next;
        next = before;
        for (int64_t i = 0; i < cells; i++)
            sum[i] = s.power ? Y[i] : sum[i] + (1 - s.alpha) / s.hops * Y[i];
    }
    memory_free(Y);
    memory_free(next);
    return sum;
}

/* Rows of Z against rows of `wanted` that are scaled to length one. */
static void compare(const graco_matrix *Z, double *wanted)
{
    double off = 0, length = 0;
    for (int64_t i = 0; i < Z->rows; i++) {
        double square = 0;
        for (int64_t k = 0; k < Z->cols; k++)
            square += wanted[i * Z->cols + k] * wanted[i * Z->cols + k];
        length += square > 0;
        for (int64_t k = 0; k < Z->cols; k++)
            off = fmax(off, fabs((double)Z->data[i * Z->cols + k] -
                                 wanted[i * Z->cols + k] / (square > 0 ? sqrt(square) : 1)));
    }
    CHECK(length > (double)Z->rows / 2);
    CHECK(off < 1e-5);
    memory_free(wanted);
}

static graco_matrix embedded(graco_model **model, const graco_dataset *data, const char *settings)
{
    graco_config config = fixture_config("propagate", settings);
    graco_matrix Z = {0};
    CHECK_OK(graco_train(model, NULL, data, &config, NULL));
    CHECK_OK(graco_model_embed(&Z, *model, data, NULL));
    return Z;
}

/* All columns, in two blocks where they are many. */
static void all_columns(bool dense, bool weighted, int64_t cols, const char *settings,
                        struct setting s)
{
    graco_dataset *data = made(NODES, cols, dense, weighted);
    graco_model *model = NULL;
    graco_matrix Z = embedded(&model, data, settings);
    CHECK(Z.cols == cols && !weighted == !data->graph->in.value);
    compare(&Z, expected(start_of(data, NULL, cols), data->graph, cols, s));
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* Bit k of column j: where the stream of signs has it. */
static bool bit(uint64_t seed, int64_t j, int64_t k)
{
    const struct random_key key = {.seed = seed, .stream = RANDOM_SIGNS};
    uint64_t block = (uint64_t)(j * 512 + k / 128);
    return random_u32(&key, 4 * block + (uint64_t)(k % 128 / 32)) >> k % 32 & 1;
}

static void signs(void)
{
    enum { COLS = 130 }; /* more than one block of numbers has */
    static float R[WIDE][COLS];
    graco_dataset *data = made(600, WIDE, false, false);
    graco_model *model = NULL;
    graco_matrix Z = embedded(&model, data, "columns=130 reduce=signs seed=7 hops=3 scaling=none");
    for (int64_t j = 0; j < WIDE; j++)
        for (int64_t k = 0; k < COLS; k++)
            R[j][k] = (bit(7, j, k) ? 1 : -1) / sqrtf(COLS);
    CHECK(Z.cols == COLS);
    compare(&Z, expected(start_of(data, R[0], COLS), data->graph, COLS,
                         (struct setting){.hops = 3, .alpha = 0.05}));
    graco_matrix_clear(&Z);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* The components of all rows, or of those that an inductive training sees; they stand in the model, so that
 * another graph is embedded by them and not by its own. */
static void components(bool inductive)
{
    enum { COLS = 12 };
    graco_dataset *data = made(600, FEW, true, false), *other = NULL;
    graco_model *model = NULL;
    struct components P = {0};
    struct context *context = NULL;
    int32_t seen[600];
    int64_t count = 0;
    graco_matrix Z = {0};
    for (int32_t i = 0; i < 600; i++) {
        data->split[i] = (uint8_t)(i % 4 == 1 ? 0 : 1 + i % 2);
        if (data->split[i] == 0)
            seen[count++] = i;
    }
    other = fixture_data(.nodes = 500, .feature_count = FEW, .dense = true, .seed = 8);
    CHECK_OK(context_create(&context, &backend_cpu, 1, 0));
    CHECK_OK(components_fit(&P, context, &data->features, inductive ? seen : NULL, count, COLS));
    Z = embedded(&model, data,
                 inductive ? "columns=12 scaling=none inductive=1 hops=2"
                           : "columns=12 scaling=none hops=2");
    const struct setting s = {.hops = 2, .alpha = 0.05};
    compare(&Z, expected(start_of(data, P.P, COLS), data->graph, COLS, s));
    graco_matrix_clear(&Z);
    CHECK_OK(graco_model_embed(&Z, model, other, NULL));
    compare(&Z, expected(start_of(other, P.P, COLS), other->graph, COLS, s));
    graco_matrix_clear(&Z);
    components_clear(&P);
    context_free(context);
    graco_model_free(model);
    graco_dataset_free(data);
    graco_dataset_free(other);
}

static void settings_are_checked(void)
{
    graco_dataset *data = made(100, FEW, false, false);
    graco_config config = fixture_config("propagate", "");
    graco_model *model = NULL;
    CHECK_OK(graco_config_set(&config, "epochs", "3"));
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "method propagate has nothing to train: epochs is 3, expected 0");
    CHECK_FAILS(graco_config_set(&config, "filter", "low"), GRACO_ERROR_ARGUMENT, "mean, power");
    CHECK_FAILS(graco_config_set(&config, "alpha", "1.5"), GRACO_ERROR_ARGUMENT, "alpha");
    CHECK_FAILS(graco_config_set(&config, "hops", "0"), GRACO_ERROR_ARGUMENT, "hops");
    const char *const all[] = {"columns=1000", "columns=all", "columns=0"};
    for (int i = 0; i < 3; i++) {
        graco_matrix Z = embedded(&model, data, all[i]);
        CHECK(Z.cols == FEW);
        graco_matrix_clear(&Z);
        graco_model_free(model);
    }
    graco_dataset_free(data);
}

int main(void)
{
    all_columns(false, false, WIDE, "columns=all scaling=none hops=3",
                (struct setting){.hops = 3, .alpha = 0.05});
    all_columns(true, true, FEW, "columns=all scaling=none hops=2 alpha=0.5",
                (struct setting){.hops = 2, .alpha = 0.5});
    all_columns(true, false, WIDE, "columns=all scaling=none filter=power hops=3",
                (struct setting){.power = true, .hops = 3});
    all_columns(false, true, FEW, "columns=all scaling=none alpha=0 hops=1",
                (struct setting){.hops = 1});
    signs();
    components(false);
    components(true);
    settings_are_checked();
    return check_result();
}
