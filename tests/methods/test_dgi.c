/* DGI beyond its golden vectors: it learns on whole graphs, mini-batches and many graphs; sparse and
 * dense features, which take different ways through the products, agree; threads change no bit; orders
 * of rows are permutations and differ from step to step; what cannot be is refused. */
#include "check.h"
#include "fixture.h"

#include "base/memory.h"
#include "train/schedule.h"
#include "train/trainer.h"

enum { NODES = 240, COLS = 40 };

static graco_dataset *make_data(bool dense)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = COLS);
    if (dense) { /* the same numbers */
        graco_matrix X = {0};
        CHECK_OK(features_densify(&X, &data->features));
        features_clear(&data->features);
        data->features = (struct features){.rows = X.rows, .cols = X.cols, .dense = X.data};
    }
    return data;
}

static graco_config make_config(int encoder, int64_t batch)
{
    graco_config config;
    const struct method *method = NULL;
    CHECK_OK(method_find(&method, "dgi"));
    method_configure(&config, method, NULL);
    config.encoder = encoder;
    config.layers = encoder == ENCODER_GCN ? 1 : 3;
    config.hidden = 24;
    config.lr = 0.01;
    config.batch = batch;
    config.patience = 0;
    config.epochs = 3;
    config.device = DEVICE_CPU;
    config.threads = 2;
    return config;
}

/* Loss and gradient of the first step. */
static double first_step(float **grad, int64_t *count, const graco_dataset *data,
                         const graco_config *config)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK_OK(schedule_next(schedule, &stage));
    CHECK_OK(trainer_step(trainer, stage));
    double loss = stage_outcome(stage).loss;
    *count = model->parameters.total;
    CHECK_OK(memory_alloc(grad, *count, sizeof(float)));
    memcpy(*grad, trainer->grad, (size_t)*count * sizeof(float));
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return loss;
}

/* X W is shared and permuted, or the rows of X are gathered; M comes first or last. */
static void ways_agree(void)
{
    graco_dataset *sparse = make_data(false), *dense = make_data(true);
    for (int encoder = ENCODER_GCN; encoder <= ENCODER_SAGE_SKIP; encoder++)
        for (int64_t batch = 0; batch <= 50; batch += 50)
            for (int64_t hidden = 8; hidden <= 64; hidden += 56) {
                graco_config config = make_config(encoder, batch);
                float *a = NULL, *b = NULL;
                int64_t count = 0;
                config.hidden = hidden;
                config.layers = encoder == ENCODER_GCN && batch ? 2 : config.layers;
                double of_sparse = first_step(&a, &count, sparse, &config);
                double of_dense = first_step(&b, &count, dense, &config);
                CHECK(fabs(of_sparse - of_dense) < 1e-5 * fabs(of_dense));
                CHECK(check_relative(a, b, count) < 1e-4);
                memory_free(a);
                memory_free(b);
            }
    graco_dataset_free(sparse);
    graco_dataset_free(dense);
}

static double train(graco_matrix *Z, const graco_dataset *data, const graco_config *config)
{
    graco_model *model = NULL;
    graco_train_result result;
    CHECK_OK(graco_train(&model, &result, data, config, NULL));
    CHECK_OK(graco_model_embed(Z, model, data, &(graco_embed_options){.device = "cpu"}));
    graco_model_free(model);
    return result.loss;
}

/* A loss below log 2 tells the graph from its corruption; the same bits for one thread and three. */
static void learns(void)
{
    for (int dense = 0; dense < 2; dense++)
        for (int64_t batch = 0; batch <= 80; batch += 80) {
            graco_dataset *data = make_data(dense);
            graco_config config = make_config(ENCODER_SAGE, batch);
            graco_matrix Z = {0}, again = {0};
            config.layers = 2;
            config.epochs = batch ? 10 : 30;
            config.threads = 1;
            double loss = train(&Z, data, &config);
            CHECK(loss < 0.6);
            config.threads = 3;
            CHECK(train(&again, data, &config) == loss);
            CHECK(memcmp(Z.data, again.data, (size_t)(Z.rows * Z.cols) * sizeof(float)) == 0);
            graco_matrix_clear(&Z);
            graco_matrix_clear(&again);
            graco_dataset_free(data);
        }
}

/* ---- Many graphs ----------------------------------------------------------------------------- */

static graco_dataset *make_many(void)
{
    graco_dataset *data = make_data(true);
    CHECK_OK(memory_alloc(&data->graph_id, NODES, sizeof(int32_t)));
    for (int i = 0; i < NODES; i++)
        data->graph_id[i] = i / (NODES / 3);
    data->graphs = 3;
    return data;
}

/* Every step sees another graph than its own, with dropped features; over a few steps each pair. */
static void sees_others(void)
{
    graco_dataset *data = make_many();
    graco_config config = make_config(ENCODER_SAGE_SKIP, 0);
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    const struct stage *seen[64][2];
    int pairs = 0;
    config.dropout = 0.5;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK(schedule_steps(schedule) == 3);
    for (int step = 0; step < 30; step++) {
        struct stage *stage = NULL;
        bool found = false;
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK(stage->other && stage->other != stage);
        for (int i = 0; i < pairs; i++)
            found = found || (seen[i][0] == stage && seen[i][1] == stage->other);
        if (!found) {
            seen[pairs][0] = stage;
            seen[pairs++][1] = stage->other;
        }
        CHECK_OK(trainer_step(trainer, stage));
        CHECK(stage_outcome(stage).loss > 0);
    }
    CHECK(pairs == 6);
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* ---- Orders of rows -------------------------------------------------------------------------- */

/* Every node has a new place, none twice, and rarely its own: one fixed point on average. */
static void orders(void)
{
    enum { N = 1001, STEPS = 200 };
    static int32_t order[N], place[N], before[N];
    struct context *context = NULL;
    int64_t fixed = 0, repeated = 0, followers = 0;
    CHECK_OK(context_create(&context, &backend_cpu, 2, 0));
    for (uint32_t step = 0; step < STEPS; step++) {
        const struct random_key key = {.seed = 3, .stream = RANDOM_ROWS, .step = step};
        CHECK_OK(context->kernels->draw_order(context, &key, N, order, place));
        for (int i = 0; i < N; i++) {
            CHECK(order[i] >= 0 && order[i] < N && place[order[i]] == i);
            fixed += order[i] == i;
            repeated += order[i] == before[i];
            followers += i > 0 && order[i] == order[i - 1] + 1;
        }
        memcpy(before, order, sizeof order);
    }
    CHECK(fixed > STEPS / 2 && fixed < 2 * STEPS);
    CHECK(repeated > STEPS / 2 && repeated < 2 * STEPS);
    CHECK(followers > STEPS / 2 && followers < 2 * STEPS);
    context_free(context);
}

static void refused(void)
{
    graco_config *other = NULL;
    CHECK_OK(graco_config_create(&other, "dgi", NULL));
    CHECK_FAILS(graco_config_set(other, "tau", "0.5"), GRACO_ERROR_ARGUMENT, "dgi does not read");
    graco_config_free(other);
}

int main(void)
{
    ways_agree();
    learns();
    sees_others();
    orders();
    refused();
    return check_result();
}
