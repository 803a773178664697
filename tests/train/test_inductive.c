/* Mini-batches, many graphs and embedding layer by layer, against whole-graph training and
 * inference; and nothing of the validation and test nodes reaches an inductive training. */
#include "train/schedule.h"
#include "train/trainer.h"

#include "base/memory.h"
#include "check.h"
#include "data/node_features.h"
#include "graph/weigh.h"
#include "data/preprocess.h"
#include "fixture.h"
#include "train/whole.h"

static struct graco_dataset *generated(int64_t nodes, bool dense)
{
    return fixture_data(.nodes = nodes, .feature_count = 40, .classes = 4, .dense = dense);
}

static graco_config config_of(int encoder)
{
    graco_config config;
    preset_config(&config, NULL);
    config.encoder = encoder;
    config.layers = encoder == ENCODER_GCN ? 2 : 3;
    config.hidden = 12;
    config.activation = ACTIVATION_ELU;
    config.scaling = SCALING_NONE;
    config.drop_edge_1 = config.drop_edge_2 = 0;
    config.drop_feature_1 = config.drop_feature_2 = 0;
    config.device = DEVICE_CPU;
    config.threads = 2;
    config.epochs = 2;
    return config;
}

/* ---- One batch of all nodes with all neighbours is the whole graph --------------------------- */

/* Loss and gradient of the schedule's first step. */
static double first_step(float **grad, int64_t *count, const struct graco_dataset *data,
                         const graco_config *config)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    struct stage *stage = NULL;
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK(schedule_steps(schedule) == 1);
    CHECK_OK(schedule_next(schedule, &stage));
    CHECK_OK(trainer_step(trainer, stage));
    *count = model->parameters.total;
    CHECK_OK(memory_alloc(grad, *count, sizeof(float)));
    memcpy(*grad, trainer->grad, (size_t)*count * sizeof(float));
    double loss = stage_outcome(stage).loss;
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return loss;
}

static void batch_equals_whole(int encoder, enum objective_kind objective, bool dense,
                               bool weighted)
{
    struct graco_dataset *data = generated(300, dense);
    if (weighted)
        weigh(data->graph);
    graco_config config = config_of(encoder);
    float *whole = NULL, *batch = NULL;
    int64_t count = 0;
    config.objective = objective;
    double a = first_step(&whole, &count, data, &config);
    config.batch = 300;
    memset(config.fanout, 0, sizeof config.fanout); /* every neighbour once */
    double b = first_step(&batch, &count, data, &config);
    CHECK(fabs(a - b) < 1e-4 * fabs(a));
    CHECK(check_relative(batch, whole, count) < 1e-4);
    memory_free(whole);
    memory_free(batch);
    graco_dataset_free(data);
}

/* ---- Embedding layer by layer ---------------------------------------------------------------- */

static void chunks_equal_whole(int encoder, int activation, bool dense, bool weighted)
{
    struct graco_dataset *data = generated(9000, dense); /* more than one chunk */
    if (weighted)
        weigh(data->graph);
    graco_config config = config_of(encoder);
    config.activation = activation;
    embeds_as_whole(data, &config);
    graco_dataset_free(data);
}

/* ---- Nothing leaks --------------------------------------------------------------------------- */

enum { NODES = 240, GRAPHS = 4, COLS = 8 };

/* Training nodes are the same for every `variant`; features and edges of the others change with it.
 * Graphs of 60 nodes; in each the last 20 are validation and test, or, if `whole`, all of the last
 * graph. */
static struct graco_dataset *with_splits(int variant, bool many, bool whole)
{
    struct dataset_parts parts = {.name = "splits", .nodes = NODES, .edges = 6 * NODES};
    struct graco_dataset *data = NULL;
    parts.undirected = true;
    parts.features.rows = NODES;
    parts.features.cols = COLS;
    CHECK_OK(memory_alloc(&parts.features.dense, NODES * COLS, sizeof(float)));
    CHECK_OK(memory_alloc(&parts.split, NODES, 1));
    CHECK_OK(memory_alloc(&parts.graph_id, NODES, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.source, parts.edges, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, parts.edges, sizeof(int32_t)));
    const int32_t per = NODES / GRAPHS;
    for (int32_t i = 0; i < NODES; i++) {
        parts.graph_id[i] = i / per;
        parts.split[i] = whole ? (i / per == GRAPHS - 1) : (i % per >= 50) + (i % per >= 40);
    }
    for (int32_t i = 0; i < NODES; i++) {
        struct random_key key = {.seed = parts.split[i] ? (uint64_t)variant : 0,
                                 .stream = RANDOM_GENERATE};
        for (int32_t j = 0; j < COLS; j++)
            parts.features.dense[i * COLS + j] = random_float(&key, (uint64_t)(i * COLS + j));
        for (int32_t k = 0; k < 6; k++) {
            /* Edges among training nodes do not depend on the variant; any other does. */
            int32_t place = (int32_t)random_below(&key, (uint64_t)(1000 + 6 * i + k), per);
            int32_t other = i / per * per + place;
            if (parts.split[i] || parts.split[other])
                other = i / per * per + (place + variant) % per;
            if (!parts.split[i] && !parts.split[other] && other != i / per * per + place)
                other = i; /* a self-loop, which is left out */
            parts.source[6 * i + k] = other;
            parts.target[6 * i + k] = i;
        }
    }
    if (!many) {
        memory_free(parts.graph_id);
        parts.graph_id = NULL;
    }
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

static void nothing_leaks(int encoder, bool many, bool whole, int64_t batch, int made)
{
    graco_model *model[2] = {NULL};
    graco_config config = config_of(encoder);
    config.inductive = 1;
    config.batch = batch;
    config.node_features = made;
    config.activation = ACTIVATION_RRELU;
    config.drop_edge_1 = 0.3;
    config.drop_feature_2 = 0.2;
    config.epochs = 3;
    for (int variant = 0; variant < 2; variant++) {
        struct graco_dataset *data = with_splits(17 * variant, many, whole);
        CHECK_OK(graco_train(&model[variant], NULL, data, &config, NULL));
        graco_dataset_free(data);
    }
    const struct parameters *a = &model[0]->parameters, *b = &model[1]->parameters;
    CHECK(memcmp(a->value, b->value, (size_t)a->total * sizeof(float)) == 0);
    CHECK(memcmp(a->v, b->v, (size_t)a->total * sizeof(float)) == 0);
    graco_model_free(model[0]);
    graco_model_free(model[1]);
}

/* The changed parts do matter to a training that is not inductive: the test above could fail. */
static void variants_differ(void)
{
    graco_model *model[2] = {NULL};
    graco_config config = config_of(ENCODER_SAGE);
    for (int variant = 0; variant < 2; variant++) {
        struct graco_dataset *data = with_splits(17 * variant, true, false);
        CHECK_OK(graco_train(&model[variant], NULL, data, &config, NULL));
        graco_dataset_free(data);
    }
    const struct parameters *a = &model[0]->parameters, *b = &model[1]->parameters;
    CHECK(memcmp(a->value, b->value, (size_t)a->total * sizeof(float)) != 0);
    graco_model_free(model[0]);
    graco_model_free(model[1]);
}

static void same_bits_for_threads(void)
{
    graco_matrix Z[3] = {{0}};
    struct graco_dataset *data = generated(700, true);
    for (int run = 0; run < 3; run++) {
        graco_model *model = NULL;
        graco_config config = config_of(ENCODER_SAGE_SKIP);
        config.activation = ACTIVATION_RRELU;
        config.drop_edge_1 = config.drop_feature_2 = 0.3;
        config.batch = 100;
        config.threads = run + 1;
        CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
        CHECK_OK(graco_model_embed(&Z[run], model, data,
                                   &(graco_embed_options){.threads = run + 1, .device = "cpu"}));
        graco_model_free(model);
    }
    size_t bytes = (size_t)(Z[0].rows * Z[0].cols) * sizeof(float);
    CHECK(memcmp(Z[0].data, Z[1].data, bytes) == 0);
    CHECK(memcmp(Z[0].data, Z[2].data, bytes) == 0);
    for (int run = 0; run < 3; run++)
        graco_matrix_clear(&Z[run]);
    graco_dataset_free(data);
}

static void wrong_use(void)
{
    struct graco_dataset *data = NULL;
    graco_config config = config_of(ENCODER_SAGE);
    struct dataset_parts parts = {.name = "bare", .nodes = 3};
    parts.features.rows = 3;
    parts.features.cols = 2;
    CHECK_OK(memory_zalloc(&parts.features.dense, 6, sizeof(float)));
    CHECK_OK(dataset_create(&data, &parts));
    config.inductive = 1;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "split");
    graco_dataset_free(data);
}

/* ---- What an epoch of mini-batches reports ----------------------------------------------------- */

/* The mean over nodes, not over batches; 101 nodes in batches of 100 are one batch. */
static void batches_count_by_roots(int64_t nodes, int64_t steps)
{
    struct graco_dataset *data = generated(nodes, true);
    graco_config config = config_of(ENCODER_SAGE);
    graco_train_result result = {0};
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    double mean = 0;
    int64_t roots = 0;
    config.batch = 100;
    config.epochs = 1;
    CHECK_OK(graco_train(NULL, &result, data, &config, NULL));
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK(schedule_steps(schedule) == steps);
    for (int64_t i = 0; i < steps; i++) {
        struct stage *stage = NULL;
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
        CHECK(stage->nodes >= 2);
        mean += stage_outcome(stage).loss * (double)stage->nodes / (double)nodes;
        roots += stage->nodes;
    }
    CHECK(roots == nodes && fabs(result.loss - mean) < 1e-12 && mean > 3);
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    graco_dataset_free(data);
}

static void batch_of_one(void)
{
    struct graco_dataset *data = generated(50, true);
    graco_config config = config_of(ENCODER_SAGE);
    config.batch = 1;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "batch = 1");
    graco_dataset_free(data);
}

/* ---- Several graphs in a step ------------------------------------------------------------------ */

/* Rings of 1 to 120 nodes. */
static struct graco_dataset *rings(bool dense)
{
    static const int64_t sizes[] = {5, 1, 120, 2, 30, 7, 97};
    struct graco_dataset *data = NULL;
    struct dataset_parts parts = {.name = "rings", .undirected = true};
    int64_t nodes = 0, room = 262;
    struct csr X = {0};
    CHECK_OK(memory_alloc(&parts.source, room, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, room, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.graph_id, room, sizeof(int32_t)));
    CHECK_OK(csr_alloc(&X, room, 11, room, true));
    for (int64_t g = 0; g < 7; g++)
        for (int64_t first = nodes; nodes < first + sizes[g]; nodes++) {
            parts.source[nodes] = (int32_t)nodes;
            parts.target[nodes] = (int32_t)(first + (nodes - first + 1) % sizes[g]);
            parts.graph_id[nodes] = (int32_t)g;
            X.start[nodes + 1] = nodes + 1;
            X.index[nodes] = (int32_t)(nodes * 7 % 11);
            X.value[nodes] = 1;
        }
    CHECK(nodes == room);
    parts.nodes = parts.edges = nodes;
    parts.features = features_of(X);
    if (dense) {
        float *rows = NULL;
        CHECK_OK(csr_densify(&rows, &parts.features.sparse));
        features_clear(&parts.features);
        parts.features = (struct features){.rows = nodes, .cols = 11, .dense = rows};
    }
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* Loss and gradient of an epoch's steps, averaged over graphs. Nothing is learnt. */
static double epoch_of(float *grad, const struct graco_dataset *data, const graco_config *config,
                       int64_t steps)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    double loss = 0;
    CHECK_OK(model_create(&model, config, model_sizes_of(data)));
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, data));
    CHECK(schedule_steps(schedule) == steps && schedule_weight(schedule) == 6);
    for (int64_t i = 0; i < steps; i++) {
        struct stage *stage = NULL;
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
        double share = (double)stage->weight / (double)schedule_weight(schedule);
        loss += share * stage_outcome(stage).loss;
        for (int64_t k = 0; k < model->parameters.total; k++)
            grad[k] += (float)share * trainer->grad[k];
    }
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
    return loss;
}

/* Graphs that are taken together have the mean of their losses and gradients: no node is a negative of
 * another graph's. */
static void graphs_together(enum objective_kind objective, bool dense)
{
    static const int64_t graphs[] = {1, 2, 3, 100}, steps[] = {6, 4, 3, 1};
    struct graco_dataset *data = rings(dense);
    graco_config config = config_of(ENCODER_GCN);
    float *grad[4] = {NULL};
    double loss[4];
    config.objective = objective;
    config.lr = config.weight_decay = 0;
    for (int i = 0; i < 4; i++) {
        config.graphs = graphs[i];
        config.threads = 1 + i % 3;
        CHECK_OK(memory_zalloc(&grad[i], 65536, sizeof(float)));
        loss[i] = epoch_of(grad[i], data, &config, steps[i]);
        CHECK(fabs(loss[i] - loss[0]) < 1e-5 * fabs(loss[0]));
        CHECK(check_relative(grad[i], grad[0], 4096) < 1e-4);
    }
    config.objective = OBJECTIVE_MOMENT;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "graphs = 100");
    for (int i = 0; i < 4; i++)
        memory_free(grad[i]);
    graco_dataset_free(data);
}

int main(void)
{
    const int encoders[] = {ENCODER_GCN, ENCODER_SAGE, ENCODER_SAGE_SKIP};
    for (int i = 0; i < 3; i++) {
        for (int dense = 0; dense < 2; dense++) {
            batch_equals_whole(encoders[i], OBJECTIVE_EXACT, dense, false);
            batch_equals_whole(encoders[i], OBJECTIVE_EXACT, dense, true);
            chunks_equal_whole(encoders[i], ACTIVATION_PRELU, dense, dense);
            chunks_equal_whole(encoders[i], ACTIVATION_RRELU, dense, false);
        }
        batch_equals_whole(encoders[i], OBJECTIVE_INFONCE, true, true);
        nothing_leaks(encoders[i], true, false, 0, NODE_FEATURES_GIVEN);
        nothing_leaks(encoders[i], true, true, 0, NODE_FEATURES_GIVEN);
        nothing_leaks(encoders[i], false, false, 0, NODE_FEATURES_GIVEN);
        nothing_leaks(encoders[i], false, false, 32, NODE_FEATURES_GIVEN);
        nothing_leaks(encoders[i], false, false, 0, NODE_FEATURES_DEGREE);
        nothing_leaks(encoders[i], false, false, 32, NODE_FEATURES_DEGREE);
        nothing_leaks(encoders[i], true, true, 0, NODE_FEATURES_DEGREE);
    }
    variants_differ();
    same_bits_for_threads();
    wrong_use();
    batches_count_by_roots(101, 1);
    batches_count_by_roots(130, 2);
    batches_count_by_roots(200, 2);
    batch_of_one();
    for (int dense = 0; dense < 2; dense++) {
        graphs_together(OBJECTIVE_EXACT, dense);
        graphs_together(OBJECTIVE_INFONCE, dense);
    }
    return check_result();
}
