/* The supervised graph convolution beside its golden vectors: it trains on the split that the evaluation
 * scores, drops the entries that its key says, comes to the same bits however it is run, and says what
 * it lacks. */
#include "base/memory.h"
#include "data/splits.h"
#include "fixture.h"
#include "methods/gcn.h"
#include "train/trainer.h"

#include <time.h>
#include <unistd.h>

enum { NODES = 200, EPOCHS = 30 };

/* Every node also has the class after its own. */
static void make_multi(graco_dataset *data)
{
    CHECK_OK(memory_zalloc(&data->multi, NODES * data->classes, 1));
    for (int64_t i = 0; i < NODES; i++)
        for (int64_t k = 0; k < 2; k++)
            data->multi[i * data->classes + (data->label[i] + k) % data->classes] = 1;
    memory_free(data->label);
    data->label = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of the state are those of row `number` of what `graco eval --splits-file` writes; under
 * authors a fifth of its training rows validates. */
static void scored_split(const graco_dataset *data, graco_protocol protocol, int64_t number)
{
    char path[] = "/tmp/graco_gcn_XXXXXX";
    graco_matrix codes = {0}, Z = {0};
    graco_eval_options options = {
        .protocol = protocol, .splits = number + 1, .splits_write = path, .threads = 1};
    graco_eval_result scores = {0};
    struct context *context = NULL;
    struct supervised labels = {0};
    uint8_t *part = NULL;
    graco_config config = fixture_config("gcn", "epochs=30");
    int64_t rows[4] = {0};
    close(mkstemp(path));
    CHECK_OK(graco_dataset_features(&Z, data, NULL));
    CHECK_OK(graco_evaluate(&scores, &Z, data, &options));
    CHECK_OK(graco_matrix_load(&codes, path));
    unlink(path);
    config.protocol = protocol;
    config.split = protocol == GRACO_PROTOCOL_PUBLIC ? 0 : number;
    CHECK_OK(context_create(&context, &backend_cpu, 1, 0));
    CHECK_OK(supervised_split(&part, &config, data));
    struct subject subject = {.context = context,
                              .nodes = data->graph->nodes,
                              .graph = data->graph,
                              .data = data,
                              .part = part};
    const struct graco_model model = {.sizes = model_sizes_of(data)};
    CHECK_OK(supervised_init(&labels, &model, &subject));
    const float *code = codes.data + config.split * NODES;
    for (int p = 0; p < SUPERVISED_PARTS; p++)
        for (int64_t i = 0; i < labels.part[p].count; i++) {
            int32_t node = labels.row[p][i];
            CHECK(code[node] == (protocol == GRACO_PROTOCOL_AUTHORS ? SPLITS_TRAIN : (float)p));
            CHECK(labels.label[p][i] == data->label[node]);
        }
    for (int64_t i = 0; i < NODES; i++)
        rows[(int)code[i]]++;
    int64_t train_rows = labels.part[SUPERVISED_TRAIN].count;
    int64_t validation_rows = labels.part[SUPERVISED_VALIDATION].count;
    CHECK(train_rows + validation_rows == rows[SPLITS_TRAIN] + rows[SPLITS_VALIDATION]);
    CHECK(protocol != GRACO_PROTOCOL_AUTHORS || validation_rows == (rows[SPLITS_TRAIN] + 4) / 5);
    supervised_clear(&labels);
    memory_free(part);
    context_free(context);
    graco_eval_result_clear(&scores);
    graco_matrix_clear(&codes);
    graco_matrix_clear(&Z);
}

/* ---- Dropout --------------------------------------------------------------------------------- */

/* The loss of the first step with the features' entries dropped by hand: dense rows that hold what stays,
 * and the hidden layer's dropout as it is. Both have one stream per layer, so that the second draw does
 * not depend on the first. */
static void dropped_entries(graco_dataset *data)
{
    graco_config config = fixture_config("gcn", "epochs=30");
    struct csr *X = &data->features.sparse;
    graco_train_result all = {0}, by_hand = {0};
    config.layers = 1;
    config.epochs = 1;
    config.dropout = 0.25;
    graco_matrix P = fixture_train(&all, data, &config);
    graco_matrix_clear(&P);
    const struct random_key key = {.seed = config.seed, .stream = RANDOM_DROPOUT + 1};
    float *kept = NULL;
    int64_t entries = X->start[X->rows], dropped = 0;
    CHECK_OK(memory_alloc(&kept, entries, sizeof *kept));
    memcpy(kept, X->value, (size_t)entries * sizeof *kept);
    for (int64_t e = 0; e < entries; e++) {
        bool out = random_u32(&key, (uint64_t)e) < random_threshold(config.dropout);
        dropped += out;
        X->value[e] = out ? 0 : X->value[e] / 0.75f;
    }
    CHECK(dropped > entries / 5 && dropped < entries * 3 / 10);
    config.dropout = 0;
    P = fixture_train(&by_hand, data, &config);
    graco_matrix_clear(&P);
    CHECK(fabs(all.loss - by_hand.loss) < 1e-6);
    memcpy(X->value, kept, (size_t)entries * sizeof *kept);
    graco_train_result none = {0};
    P = fixture_train(&none, data, &config);
    graco_matrix_clear(&P);
    CHECK(fabs(none.loss - by_hand.loss) > 1e-6);
    memory_free(kept);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

static double accuracy(const graco_matrix *P, const graco_dataset *data)
{
    int64_t right = 0;
    for (int64_t i = 0; i < P->rows; i++) {
        int64_t best = 0;
        for (int64_t k = 1; k < P->cols; k++)
            best = P->data[i * P->cols + k] > P->data[i * P->cols + best] ? k : best;
        right += best == data->label[i];
    }
    return (double)right / (double)P->rows;
}

/* It learns; probabilities of a row add up to one; threads and dense features change nothing that
 * they should not. */
static void learns(const graco_dataset *data)
{
    graco_config config = fixture_config("gcn", "epochs=30");
    graco_train_result result;
    config.epochs = 100;
    graco_matrix P = fixture_train(&result, data, &config);
    CHECK(P.rows == NODES && P.cols == data->classes);
    CHECK(result.best_epoch > 1 && result.best_cost < log(4));
    CHECK(accuracy(&P, data) > 0.7);
    for (int64_t i = 0; i < P.rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < P.cols; k++)
            sum += P.data[i * P.cols + k];
        CHECK(fabs(sum - 1) < 1e-5);
    }
    config.threads = 1;
    graco_matrix alone = fixture_train(NULL, data, &config);
    CHECK(fixture_same(&P, &alone));
    config.split = 3;
    graco_matrix other = fixture_train(NULL, data, &config);
    CHECK(!fixture_same(&P, &other));
    graco_matrix_clear(&P);
    graco_matrix_clear(&alone);
    graco_matrix_clear(&other);
}

/* A training that was stopped and resumed, in a run folder, gives the bits of one that was not. */
static void resumes(const graco_dataset *data, const char *folder)
{
    graco_config config = fixture_config("gcn", "epochs=30");
    int64_t at = EPOCHS / 2;
    graco_train_options options = {.run = folder, .on_epoch = fixture_stop_at, .user = &at};
    graco_model *model = NULL, *loaded = NULL;
    graco_matrix P = fixture_train(NULL, data, &config), resumed = {0}, again = {0};
    config.checkpoint_every = 4;
    CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_STOPPED);
    options = (graco_train_options){.run = folder, .resume = true};
    CHECK_OK(graco_train(&model, NULL, data, &config, &options));
    CHECK_OK(graco_model_embed(&resumed, model, data, &(graco_embed_options){.device = "cpu"}));
    CHECK(fixture_same(&P, &resumed));
    CHECK_OK(graco_model_load(&loaded, folder));
    CHECK_OK(graco_model_embed(&again, loaded, data, &(graco_embed_options){.device = "cpu"}));
    CHECK(fixture_same(&P, &again));
    graco_model_free(model);
    graco_model_free(loaded);
    graco_matrix_clear(&P);
    graco_matrix_clear(&resumed);
    graco_matrix_clear(&again);
}

/* Says no as soon as an epoch's steps are done and the epoch is not: within the validation. It sleeps for longer than
 * trainings wait between two questions, so that it is asked at every operation. */
struct validating {
    int64_t done, asked;
};

static bool count_epoch(void *user, const graco_epoch *epoch)
{
    ((struct validating *)user)->done = epoch->epoch;
    return true;
}

static bool until_validation(void *user, const graco_progress *progress)
{
    struct validating *at = user;
    nanosleep(&(struct timespec){.tv_nsec = 101000000}, NULL);
    at->asked++;
    return progress->epoch <= at->done + 1;
}

/* A training that was stopped while it judged an epoch has a checkpoint, and goes on by judging it. */
static void stops_in_validation(const graco_dataset *data, const char *folder)
{
    graco_config config = fixture_config("gcn", "epochs=4");
    struct validating at = {0};
    graco_train_options options = {
        .run = folder, .on_epoch = count_epoch, .on_progress = until_validation, .user = &at};
    graco_train_result result = {0}, whole = {0};
    graco_model *model = NULL;
    graco_matrix P = fixture_train(&whole, data, &config), resumed = {0};
    CHECK(graco_train(NULL, &result, data, &config, &options) == GRACO_STOPPED);
    CHECK(at.asked > 1 && at.done == 0 && result.epochs == 0 && result.step == 1);
    CHECK(graco_run_look(folder).begun);
    options = (graco_train_options){.run = folder, .resume = true};
    CHECK_OK(graco_train(&model, &result, data, &config, &options));
    CHECK_OK(graco_model_embed(&resumed, model, data, &(graco_embed_options){.device = "cpu"}));
    CHECK(fixture_same(&P, &resumed) && result.best_epoch == whole.best_epoch);
    graco_model_free(model);
    graco_matrix_clear(&P);
    graco_matrix_clear(&resumed);
}

/* Several classes per node, from an inductive split: the training graph has no validation row, and the
 * cost is taken over the whole graph. A loaded model knows that it gives a probability per class. */
static void several(const char *folder)
{
    graco_dataset *data = fixture_data(.nodes = NODES, .classes = 4, .feature_count = 60);
    graco_config config = fixture_config("gcn", "epochs=30");
    graco_train_result result;
    graco_model *loaded = NULL;
    graco_matrix P = {0};
    int64_t high = 0;
    make_multi(data);
    memory_free(data->split);
    CHECK_OK(memory_alloc(&data->split, NODES, 1));
    for (int64_t i = 0; i < NODES; i++)
        data->split[i] = (uint8_t)(i % 3);
    data->inductive = true;
    config.inductive = 1;
    config.epochs = 150;
    CHECK_OK(graco_train(NULL, &result, data, &config, &(graco_train_options){.run = folder}));
    CHECK(result.best_epoch > 1 && result.best_cost < log(2));
    CHECK_OK(graco_model_load(&loaded, folder));
    CHECK_OK(graco_model_embed(&P, loaded, data, &(graco_embed_options){.device = "cpu"}));
    for (int64_t i = 0; i < P.rows * P.cols; i++) {
        CHECK(P.data[i] >= 0 && P.data[i] <= 1);
        high += (P.data[i] > 0.5f) == data->multi[i];
    }
    CHECK(high > P.rows * P.cols * 7 / 10);
    graco_model_free(loaded);
    graco_matrix_clear(&P);
    config.split = 1;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "one of its own");
    graco_dataset_free(data);
}

static void refusals(graco_dataset *data)
{
    graco_config config = fixture_config("gcn", "epochs=30");
    int64_t classes = data->classes;
    data->classes = 0;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "method gcn needs labels; data set 'generated' has none");
    data->classes = classes;
    config.protocol = GRACO_PROTOCOL_PUBLIC;
    uint8_t *own = data->split, codes[NODES] = {0};
    data->split = codes;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "split 0 of data set 'generated' has no labelled node in its validation part");
    memset(codes, SPLITS_VALIDATION, sizeof codes);
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "in its training part");
    data->split = own;
}

/* Scores that no exponential can hold become probabilities, whichever class has them. */
static void far_scores(void)
{
    const struct graco_model model = {.sizes = {.classes = 3}};
    float X[3][3] = {{2000, 0, -2000}, {0, 2000, -2000}, {-2000, 0, 2000}};
    supervised_probabilities(&X[0][0], 3, &model);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            CHECK(X[i][k] == (i == k));
}

int main(void)
{
    far_scores();
    graco_dataset *data = fixture_data(.nodes = NODES, .classes = 4, .feature_count = 60);
    for (int64_t number = 0; number < 3; number += 2) {
        scored_split(data, GRACO_PROTOCOL_PAPER, number);
        scored_split(data, GRACO_PROTOCOL_AUTHORS, number);
    }
    scored_split(data, GRACO_PROTOCOL_PUBLIC, 0);
    dropped_entries(data);
    learns(data);
    resumes(data, fixture_path("run"));
    stops_in_validation(data, fixture_path("judged"));
    several(fixture_path("several"));
    refusals(data);
    graco_dataset_free(data);
    return check_result();
}
