/* Kept scores are believed only where all that decides them is the same. */
#include "data/dataset.h"
#include "fixture.h"
#include "run/run.h"

enum { NODES = 60 };

static graco_config little(const char *method)
{
    graco_config config = fixture_config(method, "epochs=1 threads=1");
    if (strcmp(method, "grace") == 0)
        CHECK_OK(config_apply(&config, "hidden=4"));
    return config;
}

static void train(const char *name, const graco_dataset *data, const graco_config *config)
{
    CHECK_OK(
        graco_train(NULL, NULL, data, config, &(graco_train_options){.run = fixture_path(name)}));
}

/* Scores a run as graco eval does; how many splits there were, and *kept: no score was computed. */
static int64_t score(bool *kept, const char *name, const graco_dataset *data)
{
    graco_eval_options options = graco_eval_defaults();
    const graco_eval_result *results = NULL;
    graco_run *run = NULL;
    options.splits = 2;
    options.threads = 1;
    options.device = "cpu";
    CHECK_OK(graco_run_open(&run, fixture_path(name)));
    CHECK_OK(graco_run_scores(&results, run, data, &options));
    CHECK_OK(graco_run_keep_scores(run));
    int64_t splits = results ? results[0].splits : 0;
    *kept = run->scores.kept;
    graco_run_free(run);
    return splits;
}

/* Of an inductive data set its own split is scored, though no array is another one. */
static void inductive(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES);
    graco_config config = little("grace");
    bool kept = true;
    train("inductive", data, &config);
    CHECK(score(&kept, "inductive", data) == 2 && !kept);
    CHECK(score(&kept, "inductive", data) == 2 && kept);
    data->inductive = true;
    CHECK(score(&kept, "inductive", data) == 1 && !kept);
    CHECK(score(&kept, "inductive", data) == 1 && kept);
    graco_dataset_free(data);
}

/* A supervised training is scored on its split: equal embeddings of another split have other scores. */
static void trained_split(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES);
    graco_config config = fixture_config("gcn", "epochs=0 threads=1 split=0");
    char kept_file[256];
    bool kept = true;
    train("first", data, &config);
    CHECK_OK(config_apply(&config, "split=1"));
    train("second", data, &config);
    CHECK(score(&kept, "first", data) == 1 && !kept);
    snprintf(kept_file, sizeof kept_file, "%s", fixture_path("first/eval.json"));
    CHECK(rename(kept_file, fixture_path("second/eval.json")) == 0);
    CHECK(score(&kept, "second", data) == 1 && !kept);
    graco_dataset_free(data);
}

/* A data set that has changed where it is, as one at the address of another that was freed, is another one. */
static void same_address(void)
{
    graco_dataset *data = fixture_data(.nodes = NODES);
    graco_config config = little("grace");
    graco_eval_options options = graco_eval_defaults();
    const graco_eval_result *results = NULL;
    graco_run *run = NULL;
    options.splits = 2;
    options.threads = 1;
    options.device = "cpu";
    train("address", data, &config);
    CHECK_OK(graco_run_open(&run, fixture_path("address")));
    for (int changed = 0; changed < 2; changed++) {
        CHECK_OK(graco_run_scores(&results, run, data, &options));
        CHECK_OK(graco_run_keep_scores(run));
        CHECK(!run->scores.kept);
        data->label[0] = (data->label[0] + 1) % (int32_t)data->classes;
    }
    graco_run_free(run);
    graco_dataset_free(data);
}

int main(void)
{
    inductive();
    same_address();
    trained_split();
    return check_result();
}
