/* The end of a training: patience, the best parameters, and resuming both; weight decay that spares a
 * tensor; a method that steps by itself. */
#include "fixture.h"

#include "base/memory.h"
#include "eval/structure.h"
#include "io/files/file.h"
#include "train/trainer.h"

#include <unistd.h>

enum { PATIENCE = 8, EPOCHS = 200 };

static graco_config configured(int64_t patience, int64_t epochs)
{
    graco_config config = fixture_config("dgi", "hidden=16 lr=0.01 checkpoint_every=2");
    config.patience = patience;
    config.epochs = epochs;
    return config;
}

struct observed {
    int64_t stop_at, count;
    double loss[EPOCHS];
};

static bool on_epoch(void *user, const graco_epoch *epoch)
{
    struct observed *watch = user;
    watch->loss[watch->count++] = epoch->loss;
    CHECK(epoch->cost == epoch->loss);
    return epoch->epoch != watch->stop_at;
}

/* Embeds after a training in memory. */
static graco_matrix embed(const graco_dataset *data, const graco_config *config,
                          graco_train_result *result, struct observed *watch)
{
    graco_train_options options = {.on_epoch = watch ? on_epoch : NULL, .user = watch};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, result, data, config, &options));
    CHECK_OK(graco_model_embed(&Z, model, data, &(graco_embed_options){.device = "cpu"}));
    graco_model_free(model);
    return Z;
}

/* The training ends PATIENCE epochs after the lowest loss, and the model is what it was before the step
 * of that epoch: what a training of one epoch less gives. */
static void ends(const graco_dataset *data)
{
    graco_config config = configured(PATIENCE, EPOCHS);
    graco_train_result result;
    struct observed watch = {0};
    graco_matrix best = embed(data, &config, &result, &watch);
    int64_t lowest = 0;
    for (int64_t i = 0; i < watch.count; i++)
        lowest = watch.loss[i] < watch.loss[lowest] ? i : lowest;
    CHECK(strcmp(result.ended, "patience") == 0);
    CHECK(result.best_epoch == lowest + 1 && result.best_cost == watch.loss[lowest]);
    CHECK(result.epochs == watch.count && result.epochs == result.best_epoch + PATIENCE);
    CHECK(result.best_epoch > 3 && result.epochs < EPOCHS);
    config = configured(0, lowest);
    graco_matrix before = embed(data, &config, &result, NULL);
    CHECK(strcmp(result.ended, "epochs") == 0 && result.best_epoch == 0);
    CHECK(fixture_same(&best, &before));
    graco_matrix_clear(&best);
    graco_matrix_clear(&before);
}

/* ---- On disk --------------------------------------------------------------------------------- */

static graco_status train_run(const graco_dataset *data, const char *run, int64_t stop_at,
                              bool resume, graco_train_result *result)
{
    graco_config config = configured(PATIENCE, EPOCHS);
    struct observed watch = {.stop_at = stop_at};
    graco_train_options options = {
        .run = run, .resume = resume, .on_epoch = on_epoch, .user = &watch};
    return graco_train(NULL, result, data, &config, &options);
}

/* Stopped anywhere, before the best epoch or while waiting after it, and resumed: the same files. Once
 * ended, resuming trains no more. */
static void resumes(const graco_dataset *data)
{
    graco_train_result whole, again;
    const char *a = fixture_path("whole"), *b = fixture_path("parts");
    CHECK_OK(train_run(data, a, 0, false, &whole));
    const int64_t stops[] = {1, 2, whole.best_epoch, whole.best_epoch + 1, whole.epochs - 1};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        CHECK(train_run(data, b, stops[i], false, &again) == GRACO_STOPPED);
        CHECK(strcmp(again.ended, "stopped") == 0 && again.epochs == stops[i]);
        CHECK_OK(train_run(data, b, 0, true, &again));
        CHECK(again.epochs == whole.epochs && again.best_epoch == whole.best_epoch);
        CHECK(again.best_cost == whole.best_cost && strcmp(again.ended, "patience") == 0);
        CHECK(fixture_same_file(a, b, "embeddings.npy") &&
              fixture_same_file(a, b, "model.safetensors"));
    }
    CHECK_OK(train_run(data, b, 0, true, &again));
    CHECK(again.epochs == whole.epochs && isnan(again.loss));
    CHECK(fixture_same_file(a, b, "model.safetensors"));
    fixture_remove(a);
    fixture_remove(b);
}

/* ---- Structure ------------------------------------------------------------------------------- */

struct looks {
    int64_t stop_at, count, epoch[EPOCHS];
    double cost[EPOCHS];
};

static bool on_look(void *user, const graco_epoch *epoch)
{
    struct looks *looks = user;
    CHECK(isnan(epoch->cost) == (epoch->epoch % 50 != 0));
    if (!isnan(epoch->cost)) {
        looks->epoch[looks->count] = epoch->epoch;
        looks->cost[looks->count++] = epoch->cost;
    }
    return epoch->epoch != looks->stop_at;
}

static graco_config structure_config(int64_t patience, int64_t epochs)
{
    graco_config config = fixture_config("grace", "hidden=8 lr=0.02"); /* it overshoots */
    config.patience = patience;
    config.epochs = epochs;
    return config;
}

/* The score of embeddings after so many epochs, which do not see what is hidden. */
static double score(const graco_dataset *data, int64_t epochs)
{
    graco_config config = structure_config(0, epochs);
    graco_structure found = {0};
    struct hidden hidden = {0};
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_train(&model, NULL, data, &config, NULL));
    CHECK_OK(hidden_make(&hidden, data, 1));
    CHECK_OK(graco_model_embed(&Z, model, &hidden.seen, NULL));
    CHECK_OK(structure_measure(&found, &Z, &hidden, 1));
    CHECK(!isnan(found.modularity) && !isnan(found.columns) && !isnan(found.edges));
    graco_matrix_clear(&Z);
    hidden_clear(&hidden);
    graco_model_free(model);
    return structure_score(&found);
}

/* It ends, keeps the embeddings of the best look, and comes to the same after a stop. */
static void by_structure(const graco_dataset *data)
{
    graco_config config = structure_config(60, 1000);
    graco_train_result result, again;
    struct looks looks = {0}, later = {.stop_at = 75};
    graco_train_options options = {.on_epoch = on_look, .user = &looks};
    const char *a = fixture_path("whole"), *b = fixture_path("parts");
    options.run = a;
    CHECK_OK(graco_train(NULL, &result, data, &config, &options));
    CHECK(strcmp(result.ended, "patience") == 0 && result.epochs < 1000);
    CHECK(result.epochs == result.best_epoch + 100); /* the first look after 60 epochs */
    int64_t best = 0;
    for (int64_t i = 0; i < looks.count; i++)
        CHECK(looks.cost[i] == -score(data, looks.epoch[i]));
    for (int64_t i = 0; i < looks.count; i++)
        best = looks.cost[i] < looks.cost[best] ? i : best;
    CHECK(result.best_epoch == looks.epoch[best] && result.best_cost == looks.cost[best]);
    graco_matrix kept = {0}, Z = {0};
    CHECK_OK(graco_matrix_load(&kept, fixture_path("whole/embeddings.npy")));
    config.patience = 0;
    config.epochs = result.best_epoch;
    Z = embed(data, &config, &again, NULL);
    config = structure_config(60, 1000);
    CHECK(fixture_same(&kept, &Z));
    graco_matrix_clear(&kept);
    graco_matrix_clear(&Z);

    options.run = b;
    options.user = &later;
    CHECK(graco_train(NULL, &again, data, &config, &options) == GRACO_STOPPED);
    later.stop_at = 0;
    options.resume = true;
    CHECK_OK(graco_train(NULL, &again, data, &config, &options));
    CHECK(again.best_cost == result.best_cost && fixture_same_file(a, b, "model.safetensors"));
    CHECK(fixture_same_file(a, b, "embeddings.npy"));
    fixture_remove(a);
    fixture_remove(b);
    config.inductive = 1;
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "inductive");
}

/* Nodes without edges whose features are all 0 have nothing that a look could measure. */
static void nothing_to_look_at(void)
{
    float zeros[6][2] = {{0}};
    graco_config config = structure_config(50, 200);
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(&zeros[0][0], 6, 2)}));
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "differ between nodes");
    graco_dataset_free(data);
}

/* ---- Weight decay ---------------------------------------------------------------------------- */

/* The parameters after one step; `exempt`: B is spared. */
static struct graco_model *stepped(const graco_dataset *data, double decay, bool exempt)
{
    graco_config config = configured(0, 1);
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    config.weight_decay = decay;
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    if (exempt)
        parameters_exempt(&model->parameters, "B", 0);
    CHECK_OK(trainer_create(&trainer, &backend_cpu, model));
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, model, subject, &data->features));
    CHECK_OK(trainer_step(trainer, stage));
    stage_free(stage);
    trainer_free(trainer);
    return model;
}

static void spares(const graco_dataset *data)
{
    struct graco_model *all = stepped(data, 1, false), *none = stepped(data, 0, false);
    struct graco_model *some = stepped(data, 1, true);
    const struct parameters *p = &some->parameters;
    for (int i = 0; i < p->count; i++) {
        const struct parameter *t = &p->list[i];
        const struct graco_model *like = strcmp(t->name, "B") == 0 ? none : all;
        size_t bytes = (size_t)(t->rows * t->cols) * sizeof(float);
        CHECK(memcmp(p->value + t->offset, like->parameters.value + t->offset, bytes) == 0);
        if (t->start == START_GLOROT)
            CHECK(memcmp(all->parameters.value + t->offset, none->parameters.value + t->offset,
                         bytes) != 0);
    }
    graco_model_free(all);
    graco_model_free(none);
    graco_model_free(some);
}

/* ---- A method without a tape ----------------------------------------------------------------- */

static graco_status prepare(void **state, const struct graco_model *model,
                            const struct subject *subject)
{
    (void)model;
    CHECK(subject->graph && subject->nodes == subject->graph->nodes && subject->data);
    return memory_zalloc(state, 1, sizeof(struct outcome));
}

static graco_status step(struct pass *pass, void *state)
{
    CHECK(!pass->input && pass->hops == 0 && !pass->grad);
    pass->value[0] += 1;
    ((struct outcome *)state)->loss = 10 - (double)pass->step;
    return GRACO_OK;
}

static struct outcome outcome(const void *state)
{
    return *(const struct outcome *)state;
}

static graco_status validate(double *cost, struct pass *pass, void *state)
{
    (void)state;
    CHECK(!pass->training && !pass->grad);
    *cost = fabs((double)pass->value[0] - 2);
    return GRACO_OK;
}

static void steps_by_itself(const graco_dataset *data)
{
    const struct method plain = {.prepare = prepare,
                                 .release = memory_free,
                                 .step = step,
                                 .validate = validate,
                                 .outcome = outcome};
    struct graco_model model = {.method = &plain, .best.epoch = 0};
    struct trainer *trainer = NULL;
    struct stage *stage = NULL;
    double cost;
    model.parameters.plain = model.parameters.keeps = true;
    parameters_declare(&model.parameters, "U", 0, data->graph->nodes, 4, START_ZERO);
    CHECK_OK(parameters_allocate(&model.parameters, 1));
    CHECK(!model.parameters.grad && !model.parameters.m && !model.parameters.v);
    CHECK_OK(trainer_create(&trainer, &backend_cpu, &model));
    struct subject subject = {.context = trainer->context, .graph = data->graph, .data = data};
    CHECK_OK(stage_create_graph(&stage, &model, subject, NULL));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(trainer_step(trainer, stage));
        CHECK(stage_outcome(stage).loss == 10 - i);
        CHECK_OK(trainer_validate(&cost, trainer, stage));
        CHECK(cost == fabs(i - 1.0));
        if (i == 1)
            CHECK_OK(trainer_keep_best(trainer));
    }
    CHECK(model.step == 3 && model.parameters.value[0] == 3 && model.parameters.best[0] == 2);
    CHECK(model_result(&model) == model.parameters.value);
    model.best.epoch = 2;
    CHECK(model_result(&model) == model.parameters.best);
    stage_free(stage);
    trainer_free(trainer);
    parameters_clear(&model.parameters);
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = 120, .feature_count = 30);
    ends(data);
    resumes(data);
    by_structure(data);
    nothing_to_look_at();
    spares(data);
    steps_by_itself(data);
    graco_dataset_free(data);
    return check_result();
}
