/* FastGCN beside its golden vectors: sums over samples are right on average, it learns with an exact and with a
 * sampled bottom layer, and comes to the same bits for any number of threads and after a stop. */
#include "base/memory.h"
#include "fixture.h"
#include "methods/supervised.h"
#include "methods/fastgcn.h"
#include "train/trainer.h"

#include <unistd.h>

enum { NODES = 240, EPOCHS = 30, DRAWS = 4000 };

static graco_config configured(const char *settings)
{
    graco_config config = fixture_config("fastgcn", "hidden=16 rows=10 samples=60 epochs=30");
    CHECK_OK(config_apply(&config, settings));
    return config;
}

/* For one row v, the mean over draws of the sampled sum of x is (S x)(v), within five deviations. A pass over
 * the training rows meets each of them. */
static void unbiased(const graco_dataset *data)
{
    graco_config config = configured("rows=24 samples=20");
    uint8_t *part = NULL;
    struct graco_model *model = NULL;
    struct context *context = NULL;
    void *made = NULL;
    double sum[24] = {0}, squares[24] = {0};
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(context_create(&context, &backend_cpu, 1, 0));
    CHECK_OK(supervised_split(&part, &config, data));
    struct subject subject = {
        .context = context, .nodes = NODES, .graph = data->graph, .data = data, .part = part};
    CHECK_OK(model->method->prepare(&made, model, &subject));
    struct fastgcn_state *state = made;
    const struct fastgcn_layer *top = &state->layer[FASTGCN_TOP];
    int64_t rows = state->rows, count = state->gcn.labels.part[SUPERVISED_TRAIN].count;
    CHECK(rows == 24 && count == 24);
    bool met[NODES] = {false};
    for (uint32_t step = 0; step < DRAWS; step++) {
        fastgcn_draw(state, 7, step);
        for (int64_t i = 0; i < rows; i++) {
            int64_t node = state->batch[i];
            met[node] = true;
            double drawn = 0;
            for (int64_t k = top->matrix.start[i]; k < top->matrix.start[i + 1]; k++)
                drawn += (double)top->matrix.value[k] * (1 + top->sample[top->matrix.index[k]] % 3);
            int64_t place = 0;
            while (state->gcn.labels.row[SUPERVISED_TRAIN][place] != node)
                place++;
            sum[place] += drawn;
            squares[place] += drawn * drawn;
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t v = state->gcn.labels.row[SUPERVISED_TRAIN][i];
        const int64_t *start = data->graph->in.start;
        double degree = (double)(start[v + 1] - start[v] + 1), exact = (double)(1 + v % 3) / degree;
        for (int64_t k = start[v]; k < start[v + 1]; k++) {
            int64_t u = data->graph->in.index[k];
            exact += (double)(1 + u % 3) / sqrt(degree * (double)(start[u + 1] - start[u] + 1));
        }
        double mean = sum[i] / DRAWS, spread = sqrt((squares[i] / DRAWS - mean * mean) / DRAWS);
        CHECK(met[v] && fabs(mean - exact) < 5 * spread);
    }
    model->method->release(made);
    context_free(context);
    memory_free(part);
    graco_model_free(model);
}

static void learns(const graco_dataset *data, const char *settings)
{
    graco_config config = configured(settings);
    graco_train_result result;
    graco_model *model = NULL;
    int64_t right = 0;
    CHECK_OK(graco_train(&model, &result, data, &config, NULL));
    graco_matrix P = fixture_embed(model, data);
    graco_model_free(model);
    for (int64_t i = 0; i < P.rows; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < P.cols; k++)
            best = P.data[i * P.cols + k] > P.data[i * P.cols + best] ? k : best;
        right += best == data->label[i];
    }
    CHECK(result.best_epoch > 1 && result.steps == 3); /* 24 training rows in batches of 10 */
    CHECK(right > NODES * 6 / 10);
    config.threads = 1;
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    graco_matrix alone = fixture_embed(model, data);
    CHECK(fixture_same(&P, &alone));
    graco_model_free(model);
    graco_matrix_clear(&P);
    graco_matrix_clear(&alone);
}

static void resumes(const graco_dataset *data, const char *folder)
{
    graco_config config = configured("");
    graco_model *model = NULL;
    int64_t at = 7;
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    graco_matrix P = fixture_embed(model, data);
    graco_model_free(model);
    graco_train_options options = {.run = folder, .on_epoch = fixture_stop_at, .user = &at};
    CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
    options = (graco_train_options){.run = folder, .resume = true};
    CHECK_OK(graco_train(&model, NULL, data, &config, &options));
    graco_matrix resumed = fixture_embed(model, data);
    CHECK(fixture_same(&P, &resumed));
    graco_model_free(model);
    graco_matrix_clear(&P);
    graco_matrix_clear(&resumed);
}

/* Each half a graph of its own, one of them without a training row: it teaches nothing. */
static void no_rows(graco_dataset *data)
{
    graco_config config = configured("epochs=3 protocol=public");
    uint8_t *own = data->split, codes[NODES];
    int32_t graph[NODES], *of = data->graph_id;
    for (int i = 0; i < NODES; i++) {
        codes[i] = (uint8_t)(i < NODES / 2 ? i % 3 : 1 + i % 2);
        graph[i] = i >= NODES / 2;
    }
    data->split = codes;
    data->graph_id = graph;
    data->graphs = 2;
    CHECK_OK(graco_train(NULL, NULL, data, &config, NULL));
    data->graphs = 1;
    data->graph_id = of;
    data->split = own;
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .classes = 4, .feature_count = 60);
    graco_config config = configured("");
    unbiased(data);
    learns(data, "");
    learns(data, "precompute=0 samples=200,200");
    resumes(data, fixture_path("run"));
    no_rows(data);
    data->classes = 0;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "method fastgcn needs labels; data set 'generated' has none");
    graco_dataset_free(data);
    return check_result();
}
