/* Embeddings of several parts against their formula in double, entry by entry, with the means, components and map
 * that the model keeps; then what a model with parts can do: other graphs, files, resuming, a part of the data. */
#include "layers/parts.h"

#include "base/memory.h"
#include "fixture.h"
#include "layers/model.h"
#include "train/made.h"

enum { NODES = 310, WIDTH = 24, WIDE = 300, POWERS = 16 };

#define SMALL "epochs=3 layers=1 encoder=gcn objective=exact scaling=none width=24 hidden=16 "

/* ---- The formula ------------------------------------------------------------------------------ */

/* Y = S X, both (nodes, cols), S with self-loops. */
static double *smoothed(const struct graph *graph, const double *X, int64_t cols)
{
    const struct csr *in = &graph->in;
    double *Y = NULL, *degree = NULL;
    CHECK_OK(memory_zalloc(&Y, graph->nodes * cols, sizeof *Y));
    CHECK_OK(memory_alloc(&degree, graph->nodes, sizeof *degree));
    for (int64_t i = 0; i < graph->nodes; i++) {
        degree[i] = 1;
        for (int64_t e = in->start[i]; e < in->start[i + 1]; e++)
            degree[i] += in->value ? (double)in->value[e] : 1;
    }
    for (int64_t i = 0; i < graph->nodes; i++)
        for (int64_t j = 0; j < cols; j++) {
            double sum = X[i * cols + j] / degree[i];
            for (int64_t e = in->start[i]; e < in->start[i + 1]; e++)
                sum += (in->value ? (double)in->value[e] : 1) * X[in->index[e] * cols + j] /
                       sqrt(degree[i] * degree[in->index[e]]);
            Y[i * cols + j] = sum;
        }
    memory_free(degree);
    return Y;
}

/* X P in double; P is the identity where the model keeps none. */
static double *along_components(const graco_model *model, const graco_dataset *data)
{
    const struct components *p = &model->parts.components;
    graco_matrix X = {0};
    double *Y = NULL;
    CHECK_OK(features_densify(&X, &data->features));
    CHECK_OK(memory_zalloc(&Y, X.rows * p->count, sizeof *Y));
    for (int64_t i = 0; i < X.rows; i++)
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t c = 0; c < p->count; c++)
                Y[i * p->count + c] += (double)X.data[i * X.cols + j] *
                                       (p->P ? (double)p->P[j * p->count + c] : j == c);
    graco_matrix_clear(&X);
    return Y;
}

/* The block of Z from column `first` on: rows less the model's means, of length one, over sqrt(blocks). `seen`: the
 * means are those of these rows. */
static void check_block(const graco_matrix *Z, const graco_model *model, int64_t first,
                        const double *rows, int64_t cols, bool seen)
{
    struct parts_block blocks[PARTS_BLOCKS];
    const float *mean = model->parts.mean + first;
    double factor = 1 / sqrt(parts_list(blocks, model));
    for (int64_t j = 0; j < cols && seen; j++) {
        double sum = 0;
        for (int64_t i = 0; i < Z->rows; i++)
            sum += rows[i * cols + j] / (double)Z->rows;
        CHECK(fabs(sum - (double)mean[j]) < 1e-5);
    }
    for (int64_t i = 0; i < Z->rows; i++) {
        double square = 0;
        for (int64_t j = 0; j < cols; j++)
            square += pow(rows[i * cols + j] - (double)mean[j], 2);
        for (int64_t j = 0; j < cols; j++) {
            double wanted = (rows[i * cols + j] - (double)mean[j]) * factor / sqrt(square);
            CHECK(fabs(wanted - (double)Z->data[i * Z->cols + first + j]) < 2e-4);
        }
    }
}

/* All blocks of a model with columns=all. */
static void check_formula(const graco_matrix *Z, const graco_model *model,
                          const graco_dataset *data, bool seen)
{
    graco_matrix learned = {0};
    double *rows = NULL, *power = along_components(model, data), *far = NULL;
    int64_t cols = model->parts.components.count, entries = Z->rows * cols;
    CHECK_OK(made_embed_learned(&learned, model, data, &(graco_embed_options){.device = "cpu"}));
    CHECK(learned.cols == WIDTH && Z->cols == WIDTH + 3 * cols);
    CHECK_OK(memory_alloc(&rows, learned.rows * WIDTH, sizeof *rows));
    for (int64_t k = 0; k < learned.rows * WIDTH; k++)
        rows[k] = (double)learned.data[k];
    check_block(Z, model, 0, rows, WIDTH, seen);
    check_block(Z, model, WIDTH, power, cols, seen);
    CHECK_OK(memory_alloc(&far, entries, sizeof *far));
    for (int64_t k = 0; k < entries; k++)
        far[k] = 0.05 * power[k];
    for (int p = 1; p <= POWERS; p++) {
        double *next = smoothed(data->graph, power, cols);
        memory_free(power);
        power = next;
        if (p == 2)
            check_block(Z, model, WIDTH + cols, power, cols, seen);
        for (int64_t k = 0; k < entries; k++)
            far[k] += 0.95 / POWERS * power[k];
    }
    check_block(Z, model, WIDTH + 2 * cols, far, cols, seen);
    memory_free(rows);
    memory_free(power);
    memory_free(far);
    graco_matrix_clear(&learned);
}

static graco_model *train(const graco_dataset *data, const char *settings)
{
    graco_config config = fixture_config("grace", SMALL);
    graco_model *model = NULL;
    CHECK_OK(config_apply(&config, settings));
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    return model;
}

/* Parts that are kept whole say where they are. */
static void check_names(const graco_model *whole, const graco_model *joined)
{
    static const char *const names[] = {"learned", "own", "smooth_2", "smooth_16"};
    int64_t first = 0, count = 0, cols = whole->parts.components.count;
    for (int i = 0; i < 4; i++) {
        const char *name = graco_model_part(whole, i, &first, &count);
        CHECK(name && strcmp(name, names[i]) == 0);
        CHECK(first == (i ? WIDTH + (i - 1) * cols : 0) && count == (i ? cols : WIDTH));
    }
    CHECK(!graco_model_part(whole, 4, &first, &count) &&
          !graco_model_part(whole, -1, &first, &count));
    CHECK(!graco_model_part(joined, 0, &first, &count));
}

/* Whole parts as the formula has them; joined ones as these times the map. */
static void formula(int64_t features)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = features, .dense = true);
    graco_dataset *other =
        fixture_data(.nodes = 90, .feature_count = features, .dense = true, .seed = 5);
    graco_model *whole = train(data, "parts=learned,own,smooth columns=all");
    graco_model *joined = train(data, "parts=learned,own,smooth");
    graco_matrix Z = fixture_embed(whole, data), small = fixture_embed(joined, data);
    const float *map = joined->parts.map;
    check_formula(&Z, whole, data, true);
    check_names(whole, joined);
    CHECK(small.cols == 16 && map && !whole->parts.map);
    CHECK((features > COMPONENTS_MOST) == (joined->parts.components.P != NULL));
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t c = 0; c < 16; c++) {
            double sum = 0;
            for (int64_t j = 0; j < Z.cols; j++)
                sum += (double)Z.data[i * Z.cols + j] * (double)map[j * 16 + c];
            CHECK(fabs(sum - (double)small.data[i * 16 + c]) < 1e-5);
        }
    for (int c = 0; c < 16; c++) { /* unit columns */
        double square = 0;
        for (int64_t j = 0; j < Z.cols; j++)
            square += pow((double)map[j * 16 + c], 2);
        CHECK(fabs(square - 1) < 1e-4);
    }
    graco_matrix_clear(&Z);
    Z = fixture_embed(whole, other); /* by the means of the first graph */
    check_formula(&Z, whole, other, false);
    graco_matrix_clear(&Z);
    graco_matrix_clear(&small);
    graco_model_free(whole);
    graco_model_free(joined);
    graco_dataset_free(data);
    graco_dataset_free(other);
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* Threads change no bit; a file keeps all that embedding another graph needs; other settings have other columns. */
static void files(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = WIDE);
    graco_dataset *other = fixture_data(.nodes = 90, .feature_count = WIDE, .seed = 5);
    graco_model *one = train(data, "parts=learned,own,smooth threads=1"), *loaded = NULL;
    graco_model *three = train(data, "parts=learned,own,smooth threads=3");
    graco_matrix Z = fixture_embed(one, data), again = fixture_embed(three, data);
    CHECK(fixture_same(&Z, &again));
    graco_matrix_clear(&Z);
    graco_matrix_clear(&again);
    CHECK_OK(graco_model_save(one, fixture_path("saved")));
    CHECK_OK(graco_model_load(&loaded, fixture_path("saved")));
    Z = fixture_embed(one, other);
    again = fixture_embed(loaded, other);
    CHECK(Z.rows == 90 && fixture_same(&Z, &again));
    graco_matrix_clear(&Z);
    graco_matrix_clear(&again);
    graco_model_free(one);
    graco_model_free(three);
    graco_model_free(loaded);
    static const struct {
        const char *settings;
        int64_t columns;
    } rows[] = {{"parts=learned,own,smooth hidden=5", 5},
                {"parts=own,learned columns=30", 30},
                {"parts=learned,smooth columns=all", WIDTH + 2 * COMPONENTS_MOST},
                {"parts=learned,own columns=all", WIDTH + COMPONENTS_MOST},
                {"parts=learned", 16}, /* the wider encoder's, projected */
                {"parts=learned columns=all", WIDTH},
                {"parts=learned,own,smooth width=0 columns=7", 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        one = train(data, rows[i].settings);
        Z = fixture_embed(one, data);
        CHECK(Z.cols == rows[i].columns);
        graco_matrix_clear(&Z);
        graco_model_free(one);
    }
    graco_dataset_free(data);
    graco_dataset_free(other);
}

/* A training that was stopped embeds its own data, and no other; resumed, it comes to the bytes of one that was not. */
static void stopping(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = 20);
    graco_dataset *other = fixture_data(.nodes = 90, .feature_count = 20, .seed = 5);
    graco_config config = fixture_config("grace", SMALL "parts=learned,own,smooth");
    graco_train_options options = {.run = fixture_path("whole")};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    int64_t last = 2;
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    options = (graco_train_options){
        .run = fixture_path("halves"), .on_epoch = fixture_stop_at, .user = &last};
    CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
    CHECK_OK(graco_model_load(&model, options.run));
    Z = fixture_embed(model, data);
    CHECK(Z.cols == 16 && !model->parts.mean);
    graco_matrix_clear(&Z);
    CHECK_FAILS(graco_model_embed(&Z, model, other, NULL), GRACO_ERROR_ARGUMENT, "--resume");
    graco_model_free(model);
    options.on_epoch = NULL;
    options.resume = true;
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    CHECK(fixture_same_file(fixture_path("whole"), options.run, "embeddings.npy"));
    CHECK(fixture_same_file(fixture_path("whole"), options.run, "model.safetensors"));
    graco_dataset_free(data);
    graco_dataset_free(other);
}

/* Every method that embeds features by an encoder joins parts. */
static void methods(void)
{
    static const char *const names[] = {"dgi",       "gae",       "vgae",     "sage_gcn",
                                        "sage_mean", "sage_pool", "sage_lstm"};
    graco_dataset *data = fixture_data(.nodes = 80, .feature_count = 20);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        graco_config config =
            fixture_config(names[i], "epochs=1 hidden=9 width=8 parts=learned,own,smooth");
        graco_matrix Z = fixture_train(NULL, data, &config);
        CHECK(Z.cols == 9 && Z.rows == 80);
        graco_matrix_clear(&Z);
    }
    graco_dataset_free(data);
}

static void refused(void)
{
    graco_dataset *data = fixture_data(.nodes = 80, .feature_count = 6);
    graco_config config = fixture_config("grace", SMALL "parts=own,smooth");
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "learned");
    CHECK_OK(config_apply(&config, "parts=learned,own columns=31")); /* 24 + 6 */
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "30");
    CHECK_OK(config_apply(&config, "columns=30"));
    CHECK_OK(graco_train(NULL, NULL, data, &config, NULL));
    CHECK_FAILS(graco_config_set(&config, "parts", "learned,learned"), GRACO_ERROR_ARGUMENT,
                "parts");
    CHECK_FAILS(graco_config_set(&config, "parts", ""), GRACO_ERROR_ARGUMENT, "parts");
    CHECK_FAILS(graco_config_set(&config, "parts", "own,raw"), GRACO_ERROR_ARGUMENT, "parts");
    graco_dataset_free(data);
}

int main(void)
{
    formula(20);
    formula(WIDE);
    files();
    stopping();
    methods();
    refused();
    return check_result();
}
