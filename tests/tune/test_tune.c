/* Searches on a small graph: how measurements compare, the same choice however it is reached, and
 * labels that must not count. */
#include "tune/trials.h"

#include "base/memory.h"
#include "data/splits.h"
#include "eval/smooth.h"
#include "eval/structure.h"
#include "io/files/file.h"

#include "fixture.h"

#include <unistd.h>

/* ---- Scores and the table --------------------------------------------------------------------- */

static struct measurement of(int64_t trial, double modularity, double columns, double validation)
{
    return (struct measurement){.trial = trial,
                                .epochs = 5,
                                .structure = {modularity, columns, NAN},
                                .validation = validation,
                                .used = true};
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* What failed comes last by either criterion, equal scores in their order, and so does a row without numbers. */
static void scores(void)
{
    struct measurement list[] = {of(0, 0.1, 0.2, 70), of(1, 0.4, 0.1, 60), of(2, 0.1, 0.2, 65),
                                 of(3, 9, 9, 99),     of(4, NAN, NAN, 71), of(5, -0.9, NAN, 50)};
    int64_t order[6];
    list[3].failed = true;
    CHECK(near(trials_score(&list[0], GRACO_CRITERION_STRUCTURE), 1.5 + 0.1));
    CHECK(near(trials_score(&list[1], GRACO_CRITERION_STRUCTURE), 1 + 0.4));
    CHECK(trials_score(&list[0], GRACO_CRITERION_VALIDATION) == 70);
    CHECK(isinf(trials_score(&list[3], GRACO_CRITERION_VALIDATION)));
    CHECK_OK(trials_order(order, list, 6, GRACO_CRITERION_STRUCTURE));
    CHECK(order[0] == 0 && order[1] == 2 && order[2] == 1 && order[3] == 5 && order[4] == 3);
    CHECK_OK(trials_order(order, list, 6, GRACO_CRITERION_VALIDATION));
    CHECK(order[0] == 4 && order[1] == 0 && order[2] == 2 && order[3] == 1 && order[4] == 5);
    CHECK(order[5] == 3);
    CHECK_OK(trials_order(order, list, 0, GRACO_CRITERION_STRUCTURE));
}

/* The table is in one order however it was filled, and reads back to the same bits. */
static void table(const char *path)
{
    struct trials trials = {0}, read = {0};
    struct space space = {.count = 0};
    struct point point[9] = {0};
    bool local[9] = {false, true};
    for (int i = 8; i >= 0; i--)
        CHECK_OK(trials_add(
            &trials,
            &(struct measurement){.trial = i * 4 % 9,
                                  .seed = i % 2,
                                  .epochs = 7,
                                  .structure = {-1.0 / (1 + i), i == 3 ? NAN : 0.1 * i, 0.3 * i},
                                  .validation = NAN,
                                  .failed = i == 5}));
    CHECK_OK(trials_add(&trials, &(struct measurement){.trial = 4, .seed = 1, .epochs = 7}));
    CHECK(trials.count == 9 && trials_find(&trials, 4, 1, 7)->structure.modularity == 0);
    CHECK(!trials_find(&trials, 4, 0, 7) && !trials_find(&trials, 4, 1, 8));
    for (int i = 1; i < 9; i++)
        CHECK(trials.list[i - 1].trial < trials.list[i].trial);
    const struct trials_table about = {&space, point, local, GRACO_CRITERION_STRUCTURE};
    CHECK_OK(trials_write(&trials, &about, path));
    CHECK_OK(trials_read(&read, path));
    CHECK(read.count == 9);
    for (int i = 0; i < 9; i++) {
        const struct measurement *a = &trials.list[i], *b = &read.list[i];
        CHECK(a->trial == b->trial && a->seed == b->seed && a->failed == b->failed);
        CHECK(a->structure.modularity == b->structure.modularity);
        CHECK(a->structure.edges == b->structure.edges);
        CHECK(a->structure.columns == b->structure.columns ||
              (isnan(a->structure.columns) && isnan(b->structure.columns)));
        CHECK(isnan(b->validation) || b->validation == a->validation);
    }
    trials_cut(&read, 5);
    CHECK(read.count == 5 && read.list[4].trial == 4);
    trials_clear(&read);
    trials_clear(&trials);
    static const char *const wrong[] = {
        "",
        "trial",
        "trial,seed,epochs\n",
        "0,0,0\n",
        "trial,seed,epochs,modularity,columns,edges,validation,seconds,outcome,origin,"
        "score\n-1,0,5,,,,,"
        "1,measured,\n",
        "trial,seed,epochs,modularity,columns,edges,validation,seconds,outcome,origin,"
        "score\n1,0,5,,\n",
        "trial,seed,epochs,modularity,columns,edges,validation,seconds,outcome,origin,"
        "score\n1,0,5,,,,,1"
        ",perhaps,\n",
        "trial,seed,epochs,modularity,columns,edges,validation,seconds,outcome,origin,"
        "score\n1,0,5,,,,,1"
        ",measured,",
        /* of a search by numbers of another meaning */
        "trial,seed,epochs,modularity,explained,predicted,validation,seconds,outcome,origin,"
        "score\n1,0,5,0.4,0.5,0.6,,1,measured,random,0.5\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_OK(file_write_atomic(path, wrong[i], (int64_t)strlen(wrong[i])));
        CHECK(trials_read(&read, path) == GRACO_ERROR_FORMAT && read.count == 0);
    }
    CHECK_OK(file_remove(path));
    CHECK_OK(trials_read(&read, path));
    CHECK(read.count == 0);
}

/* ---- Searches -------------------------------------------------------------------------------- */

static const char *const SEARCH[] = {"epochs=1,2", "hidden=4,8", "lr=0.001..0.01", NULL};

static graco_dataset *make_data(bool labels, bool features, bool edges)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL, *copy = NULL;
    static uint8_t split[80];
    options.nodes = 80;
    options.classes = 3;
    options.feature_count = features ? 30 : 0;
    CHECK_OK(graco_dataset_generate(&data, &options));
    graco_arrays arrays = graco_dataset_arrays(data);
    for (int i = 0; i < 80; i++)
        split[i] = (uint8_t)(i % 4 < 1   ? SPLITS_TRAIN
                             : i % 4 < 2 ? SPLITS_VALIDATION
                                         : SPLITS_TEST);
    arrays.split = GRACO_VECTOR(split, 80);
    arrays.inductive = false;
    arrays.nodes = 80;
    if (!labels)
        arrays.y = arrays.split = (graco_array){0};
    if (!edges)
        arrays.source = arrays.edge_indptr = arrays.edge_weight = (graco_array){0};
    CHECK_OK(graco_dataset_create(&copy, &arrays));
    graco_dataset_free(data);
    return copy;
}

/* A file of the folder as text, and of trials.csv all but the seconds; to be freed. */
static char *content(const char *folder, const char *name)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    char *path = NULL;
    CHECK_OK(memory_path(&path, folder, name));
    CHECK_OK(file_read(&bytes, &length, path, 1 << 24));
    memory_free(path);
    char *text = (char *)bytes, *to = text;
    int field = 0;
    for (char *from = text; *from && strcmp(name, "trials.csv") == 0; from++) {
        field = *from == '\n' ? 0 : field + (*from == ',');
        if (field != 7 || *from == ',')
            *to++ = *from;
        to[0] = from[1] ? to[0] : '\0';
    }
    return text;
}

static bool same_file(const char *a, const char *b, const char *name)
{
    char *x = content(a, name), *y = content(b, name);
    bool same = strcmp(x, y) == 0;
    memory_free(x);
    memory_free(y);
    return same;
}

static graco_tune_options make_options(const char *folder, int64_t trials)
{
    graco_tune_options options = graco_tune_defaults();
    options.folder = folder;
    options.trials = trials;
    options.search = SEARCH;
    options.threads = 2;
    options.device = "cpu";
    return options;
}

static graco_tune_result tune(const graco_dataset *data, const graco_tune_options *options)
{
    graco_tune_result result = {.trial = -1};
    graco_config *config = NULL, *loaded = NULL;
    char *path = NULL, a[64], b[64];
    const char *key;
    CHECK_OK(graco_tune(&config, &result, data, options));
    CHECK(result.trial >= 0 && result.trials == options->trials);
    CHECK_OK(memory_path(&path, options->folder, "best.json"));
    CHECK_OK(graco_config_load(&loaded, path));
    for (int i = 0; (key = graco_config_key(config, i, NULL)); i++) {
        CHECK_OK(graco_config_get(config, key, a, sizeof a));
        CHECK_OK(graco_config_get(loaded, key, b, sizeof b));
        CHECK(strcmp(a, b) == 0);
    }
    memory_free(path);
    graco_config_free(config);
    graco_config_free(loaded);
    return result;
}

static bool stop_after(void *user, const graco_tune_progress *progress)
{
    return progress->measured < *(const int64_t *)user;
}

/* One at a time, three at a time, stopped again and again, with fewer trials first: the same. */
static void same_choice(void)
{
    graco_dataset *data = make_data(true, true, true);
    graco_tune_options options = make_options("alone", 50), stopped = make_options("stopped", 50);
    graco_config *config = NULL;
    int64_t most = 5, calls = 0;
    options.at_once = 1;
    graco_tune_result first = tune(data, &options);
    CHECK(first.seeds == 3); /* the best were confirmed */
    CHECK(first.measured >= 50 + 20 + 5 + 12 - 2 && !first.out_of_time);
    options.folder = "beside";
    options.at_once = 3;
    CHECK(tune(data, &options).trial == first.trial);
    CHECK(same_file("alone", "beside", "best.json") && same_file("alone", "beside", "trials.csv"));
    stopped.at_once = 3; /* each may be measured though the search is stopped */
    stopped.on_progress = stop_after;
    stopped.user = &most;
    for (graco_status status = GRACO_STOPPED; status == GRACO_STOPPED && calls < 100; calls++) {
        graco_config_free(config);
        config = NULL;
        status = graco_tune(&config, NULL, data, &stopped);
        CHECK(status == GRACO_OK || status == GRACO_STOPPED);
        CHECK(most < 5 || config);
        most += 15;
    }
    graco_config_free(config);
    CHECK(calls > 3 && same_file("alone", "stopped", "best.json"));
    CHECK(same_file("alone", "stopped", "trials.csv"));
    /* 40 are whole generations, so that 50 after them are those of the others. */
    options.folder = "longer";
    options.trials = 40;
    tune(data, &options);
    options.trials = 50;
    CHECK(tune(data, &options).trial == first.trial && same_file("alone", "longer", "best.json"));
    options.trials = 49;
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT, "50 trials already");
    options.trials = 60;
    options.seed = 1;
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT, "another folder");
    graco_dataset_free(data);
}

static int occurrences(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        found++;
    return found;
}

/* The page of a search of three generations: each plot of a setting, of numbers or of names, says what its two colours
 * mean, which is the same in all of them. */
static void page(const char *folder)
{
    char *html = content(folder, "report.html");
    int plots = occurrences(html, "<svg class=") + occurrences(html, "<svg xmlns=");
    CHECK(plots > 5 && strstr(html, ">hidden</text>") &&
          strstr(html, ">lr, as a power of ten</text>"));
    CHECK(occurrences(html, ">random</text>") == plots - 1);
    CHECK(occurrences(html, ">near the best</text>") == plots - 1);
    CHECK(!strstr(html, "class=\"s2\""));
    memory_free(html);
}

/* What progress said. */
struct seen {
    int64_t count, measured[400];
    double left[400];
};

static bool keep_left(void *user, const graco_tune_progress *progress)
{
    struct seen *seen = user;
    if (seen->count < 400) {
        seen->measured[seen->count] = progress->measured;
        seen->left[seen->count++] = progress->seconds_left;
    }
    return progress->trials == 20;
}

/* Until the last training is measured there is some time left, though every trial has been measured after few epochs. */
static void time_left(void)
{
    graco_dataset *data = make_data(false, true, true);
    graco_tune_options options = make_options("left", 20);
    static struct seen seen;
    options.on_progress = keep_left;
    options.user = &seen;
    graco_tune_result result = tune(data, &options);
    CHECK(result.measured > 30 && seen.count > 0);
    for (int64_t i = 0; i < seen.count; i++)
        CHECK(seen.measured[i] == result.measured || !(seen.left[i] <= 0));
    graco_dataset_free(data);
}

/* The choice's score is of its numbers; that of the raw features is measured of what embeddings see of them. A method with
 * a vector for each node has seen every edge. */
static void scores_of_results(void)
{
    graco_dataset *data = make_data(false, true, true), *bare = make_data(false, false, true);
    graco_tune_options options = make_options("score", 3);
    struct hidden hidden = {0};
    graco_structure raw = {0};
    graco_matrix X = {0};
    graco_tune_result result = tune(data, &options);
    CHECK_OK(hidden_make(&hidden, data, 1));
    CHECK_OK(smooth_features(&X, &hidden.seen, 0, 1));
    CHECK_OK(structure_measure(&raw, &X, &hidden, 1));
    CHECK(result.raw == structure_score(&raw) && !isnan(raw.columns));
    CHECK(result.score == structure_score(&result.structure) && !isnan(result.structure.edges));
    graco_matrix_clear(&X);
    hidden_clear(&hidden);
    options.folder = "walks";
    options.method = "deepwalk";
    options.search = (const char *const[]){"epochs=1", "hidden=4,8", NULL};
    result = tune(bare, &options);
    CHECK(isnan(result.structure.edges) && isnan(result.raw));
    CHECK(result.score == result.structure.modularity);
    graco_dataset_free(bare);
    graco_dataset_free(data);
}

/* Settings that can be counted are tried once each, by number or by time; a pair of them is told apart by one training
 * each, and all that did not fail are confirmed where enough are there. */
static void few_settings(void)
{
    static const char *const few[] = {"encoder=gcn",      "parts=learned",      "layers=1",
                                      "activation=relu",  "drop_edge_1=0.2",    "drop_edge_2=0.2",
                                      "drop_feature_1=0", "drop_feature_2=0.1", "tau=0.5",
                                      "lr=0.001,10",      "weight_decay=0",     "hidden=2..9",
                                      "epochs=3",         "scaling=none",       NULL};
    graco_dataset *data = make_data(false, true, true);
    graco_tune_options options = make_options("few", 40), timed = make_options("few_timed", 0);
    graco_tune_result result = {0};
    options.search = timed.search = few;
    timed.seconds = 1e6;
    CHECK_OK(graco_tune(NULL, &result, data, &options));
    CHECK(result.trials == 16 && result.measured == 16 + 2 * 2 && result.seeds == 3);
    CHECK_OK(graco_tune(NULL, &result, data, &timed));
    CHECK(result.trials == 16 && !result.out_of_time);
    CHECK(same_file("few", "few_timed", "best.json") &&
          same_file("few", "few_timed", "trials.csv"));
    graco_dataset_free(data);
}

/* Labels of the test part change nothing by validation; no label does by structure. */
static void labels(void)
{
    for (int inductive = 0; inductive < 2; inductive++) {
        graco_dataset *data = make_data(true, true, true), *other = make_data(true, true, true);
        graco_tune_options options = make_options(inductive ? "own_1" : "drawn_1", 5);
        int64_t changed = 0;
        data->inductive = other->inductive = inductive; /* then the split is the data set's own */
        for (int64_t i = 0; i < 80; i++)
            if (data->split[i] == SPLITS_TEST || !inductive) {
                other->label[i] = (data->label[i] + 1 + (int32_t)i % 2) % 3;
                changed++;
            }
        CHECK(changed >= 40);
        options.criterion = GRACO_CRITERION_VALIDATION;
        if (!inductive)
            options.criterion = GRACO_CRITERION_STRUCTURE;
        graco_tune_result one = tune(data, &options);
        options.folder = inductive ? "own_2" : "drawn_2";
        graco_tune_result two = tune(other, &options);
        CHECK(one.trial == two.trial && isnan(one.validation) == !inductive);
        CHECK(same_file(inductive ? "own_1" : "drawn_1", options.folder, "trials.csv"));
        CHECK(same_file(inductive ? "own_1" : "drawn_1", options.folder, "best.json"));
        graco_dataset_free(data);
        graco_dataset_free(other);
    }
}

/* No features, no edges, no labels, nothing at all; trainings that all go wrong; no time. */
static void little(void)
{
    graco_tune_options options = make_options("plain", 3);
    graco_dataset *data = make_data(false, false, true);
    graco_tune_result result = tune(data, &options);
    CHECK(isnan(result.structure.columns) && !isnan(result.structure.modularity));
    options.criterion = GRACO_CRITERION_VALIDATION;
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT, "no labels");
    options.criterion = GRACO_CRITERION_STRUCTURE;
    options.trials = 0;
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT, "trials or a time");
    graco_dataset_free(data);

    data = make_data(false, true, false);
    options = make_options("edgeless", 3);
    result = tune(data, &options);
    CHECK(!isnan(result.structure.columns) && isnan(result.structure.modularity));
    graco_dataset_free(data);

    data = make_data(false, false, false);
    options.folder = "nothing";
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT, "neither edges");
    graco_dataset_free(data);

    static const float alike[60][2] = {{0}};
    CHECK_OK(graco_dataset_create(&data, &(graco_arrays){.x = GRACO_MATRIX(alike[0], 60, 2)}));
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_ARGUMENT,
                "no edges, and its nodes have the same features");
    CHECK(!file_is_folder("nothing")); /* it is told before anything is written */
    graco_dataset_free(data);

    data = make_data(false, true, true);
    options.folder = "wild";
    options.search = (const char *const[]){"epochs=30", "hidden=4", "lr=10", "tau=0.01", NULL};
    for (int64_t i = 0; data->features.sparse.value && i < data->features.sparse.start[80]; i++)
        data->features.sparse.value[i] = 1e38f;
    options.search = (const char *const[]){"epochs=30", "hidden=4", "lr=10", "scaling=none", NULL};
    CHECK_FAILS(graco_tune(NULL, NULL, data, &options), GRACO_ERROR_NUMBER, "every trial");
    graco_dataset_free(data);

    data = make_data(false, true, true);
    options = make_options("short", 0);
    graco_status status =
        GRACO_STOPPED; /* where the machine is so slow that no trial was measured */
    for (double s = 0.3; status == GRACO_STOPPED && s < 300; s *= 4) {
        options.seconds = s;
        status = graco_tune(NULL, &result, data, &options);
    }
    CHECK_OK(status);
    CHECK(result.out_of_time && result.trials > 0);
    options = make_options("shorter", 0);
    options.seconds = 1e-6;
    CHECK_FAILS(graco_tune(NULL, &result, data, &options), GRACO_STOPPED, "no trial was measured");
    graco_dataset_free(data);
}

int main(void)
{
    CHECK(chdir(fixture_folder()) == 0);
    scores();
    table("table.csv");
    same_choice();
    page("alone");
    time_left();
    scores_of_results();
    few_settings();
    labels();
    little();
    CHECK(chdir("/") == 0);
    return check_result();
}
