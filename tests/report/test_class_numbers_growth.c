/* A class is no dearer for its number: labels 0, 1 and 1,000,000 cost what 0, 1 and 2 cost, in memory and in bytes on
 * the disk, in every method and in everything that is indexed by class, and come to the same numbers. Runs of older
 * builds, whose models have an output for every number, are scored, asked and resumed. */
#include "growth.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "fixture.h"

enum { NODES = 90, FAR = 1000000, SLACK = 1 << 20 /* which numbers occur: of a constant size */ };

/* Classes 0, 1 and `last`; every third label is not known. */
static graco_dataset *labelled(int32_t last)
{
    struct dataset_parts parts = {
        .name = "classes", .nodes = NODES, .edges = 3 * NODES, .undirected = true};
    graco_dataset *data = NULL;
    struct random_key key = {.seed = 5, .stream = RANDOM_GENERATE};
    CHECK_OK(memory_alloc(&parts.source, parts.edges, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, parts.edges, sizeof *parts.target));
    CHECK_OK(memory_alloc(&parts.label, NODES, sizeof *parts.label));
    CHECK_OK(memory_alloc(&parts.split, NODES, 1));
    parts.features = (struct features){.rows = NODES, .cols = 6};
    CHECK_OK(memory_alloc(&parts.features.dense, NODES * 6, sizeof(float)));
    for (int32_t i = 0; i < NODES; i++) {
        int32_t class = i % 5 % 3;
        parts.label[i] = i % 3 == 0 ? -1 : class == 2 ? last : class;
        parts.split[i] = (uint8_t)(i / 3 % 3);
        for (int32_t k = 0; k < 6; k++)
            parts.features.dense[i * 6 + k] =
                random_float(&key, (uint64_t)(i * 6 + k)) + (float)(k == class);
        for (int32_t k = 0; k < 3; k++) {
            parts.source[3 * i + k] = i;
            parts.target[3 * i + k] = (i + 5 * k + 1) % NODES;
        }
    }
    parts.classes = dataset_classes(parts.label, NODES);
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* ---- What every use of labels comes to ---------------------------------------------------------- */

/* The two data sets, and what came of each. */
struct both {
    graco_dataset *data[2];
    long long peak[2], bytes[2];
    uint64_t sum[2]; /* of the numbers that it came to */
};

static void add_sum(uint64_t *sum, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *sum = (*sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

typedef void use_fn(struct both *both, int side, const char *method);

static long long counted;

static int add_bytes(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)path;
    (void)place;
    counted += kind == FTW_F ? about->st_size : 0;
    return 0;
}

static void costs_the_same(struct both *both, use_fn *use, const char *what, const char *method)
{
    for (int side = 0; side < 2; side++) {
        growth_peak = growth_live;
        long long before = growth_peak;
        both->bytes[side] = 0;
        both->sum[side] = 14695981039346656037u;
        use(both, side, method);
        both->peak[side] = growth_peak - before;
    }
    bool fine = both->peak[1] <= both->peak[0] + SLACK && both->bytes[1] <= both->bytes[0] + 256 &&
                both->sum[0] == both->sum[1];
    CHECK(fine);
    if (!fine)
        fprintf(stderr, "  %s %s: %lld and %lld bytes of memory, %lld and %lld on disk, sums %s\n",
                what, method, both->peak[0], both->peak[1], both->bytes[0], both->bytes[1],
                both->sum[0] == both->sum[1] ? "same" : "differ");
}

static graco_config config_for(const char *name)
{
    static const char *const small[][2] = {
        {"hidden", "8"}, {"units", "4"},         {"epochs", "3"},    {"walks", "1"},
        {"length", "6"}, {"steps", "2"},         {"value", "4"},     {"query", "4"},
        {"gate", "4"},   {"first", "8"},         {"rows", "16"},     {"samples", "10"},
        {"heads", "2"},  {"protocol", "public"}, {"scaling", "none"}};
    graco_config config = fixture_config(name, "");
    char value[64];
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (graco_config_get(&config, small[i][0], value, sizeof value) == GRACO_OK &&
            strcmp(value, "0") != 0)
            CHECK_OK(graco_config_set(&config, small[i][0], small[i][1]));
    return config;
}

static const char *run_of(const char *method, int side)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%d", method, side);
    return fixture_path(name);
}

static void train(struct both *both, int side, const char *method)
{
    graco_config config = config_for(method);
    const char *run = run_of(method, side);
    CHECK_OK(
        graco_train(NULL, NULL, both->data[side], &config, &(graco_train_options){.run = run}));
    counted = 0;
    nftw(run, add_bytes, 16, FTW_PHYS);
    both->bytes[side] = counted;
    size_t length = 0;
    char path[300];
    snprintf(path, sizeof path, "%s/embeddings.npy", run);
    char *rows = fixture_read(path, &length);
    CHECK(rows);
    if (rows)
        add_sum(&both->sum[side], rows, length);
    free(rows);
}

static void add_result(struct both *both, int side, const graco_eval_result *result)
{
    uint64_t *sum = &both->sum[side];
    CHECK(result->classes == 3 && result->class_of[2] == (side ? FAR : 2));
    add_sum(sum, result->scores, (size_t)result->splits * sizeof *result->scores);
    add_sum(sum, result->confusion, (size_t)(result->classes * result->confusion_cols) * 8);
    add_sum(sum, &result->macro_f1, sizeof result->macro_f1);
}

static void score(struct both *both, int side, const char *method)
{
    graco_eval_options options = graco_eval_defaults();
    const graco_eval_result *results = NULL;
    graco_run *run = NULL;
    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_run_open(&run, run_of(method, side)));
    CHECK_OK(graco_run_scores(&results, run, both->data[side], &options));
    add_result(both, side, &results[0]);
    CHECK_OK(graco_run_keep_scores(run));
    graco_run_free(run);
    CHECK_OK(graco_run_open(&run, run_of(method, side))); /* the scores that were kept */
    CHECK_OK(graco_run_scores(&results, run, both->data[side], &options));
    add_result(both, side, &results[0]);
    graco_run_free(run);
}

/* The last column is the last class, whatever its number. */
static void predict(struct both *both, int side, const char *method)
{
    const graco_predict_options options = {.all = true, .threads = 1, .device = "cpu"};
    graco_model *model = NULL;
    graco_prediction found = {0};
    CHECK_OK(graco_model_load(&model, run_of(method, side)));
    CHECK_OK(graco_predict(&found, model, both->data[side], &options));
    CHECK(found.count == NODES && found.classes == 3);
    add_sum(&both->sum[side], found.probability,
            (size_t)(found.count * found.classes) * sizeof(float));
    if (found.class_of)
        CHECK(found.class_of[2] == (side ? FAR : 2));
    else if (side)
        CHECK(strcmp(graco_model_class(model, 2), "1000000") == 0);
    graco_prediction_clear(&found);
    graco_model_free(model);
}

static graco_matrix embeddings(void)
{
    struct random_key key = {.seed = 9, .stream = RANDOM_GENERATE};
    graco_matrix Z = {.rows = NODES, .cols = 5};
    CHECK_OK(memory_alloc(&Z.data, NODES * 5, sizeof(float)));
    for (int64_t i = 0; i < NODES * 5; i++)
        Z.data[i] = (float)random_normal(&key, (uint64_t)i);
    return Z;
}

static void evaluate(struct both *both, int side, const char *protocol)
{
    graco_matrix Z = embeddings();
    graco_eval_result result = {0};
    graco_eval_options options = graco_eval_defaults();
    options.splits = 2;
    while (strcmp(graco_protocol_name((int)options.protocol), protocol) != 0)
        options.protocol++;
    CHECK_OK(graco_evaluate(&result, &Z, both->data[side], &options));
    add_result(both, side, &result);
    graco_eval_result_clear(&result);
    graco_matrix_clear(&Z);
}

static void cluster(struct both *both, int side, const char *unused)
{
    graco_matrix Z = embeddings();
    graco_cluster_result result = {0};
    (void)unused;
    CHECK_OK(graco_evaluate_clusters(&result, &Z, both->data[side], NULL));
    CHECK(result.clusters == 3 && result.labelled == NODES / 3 * 2);
    add_sum(&both->sum[side], &result.nmi, sizeof result.nmi);
    add_sum(&both->sum[side], &result.ari, sizeof result.ari);
    add_sum(&both->sum[side], &result.accuracy, sizeof result.accuracy);
    graco_cluster_result_clear(&result);
    graco_matrix_clear(&Z);
}

static void draw_map(struct both *both, int side, const char *unused)
{
    graco_matrix Z = embeddings();
    graco_map *map = NULL;
    graco_map_options options = graco_map_defaults();
    const char *page = fixture_path(side ? "far.html" : "near.html");
    size_t length = 0;
    (void)unused;
    options.data = both->data[side];
    CHECK_OK(graco_map_make(&map, &Z, &options));
    CHECK(graco_map_describe(map).clusters == 3);
    CHECK_OK(graco_map_save(map, page));
    char *text = fixture_read(page, &length);
    CHECK(text && strstr(text, side ? "class 1000000" : "class 2") && !strstr(text, "class 3"));
    both->bytes[side] = (long long)length;
    free(text);
    graco_map_free(map);
    graco_matrix_clear(&Z);
}

static void save_and_load(struct both *both, int side, const char *unused)
{
    const char *path = fixture_path(side ? "far.npz" : "near.npz");
    graco_dataset *back = NULL;
    char a[GRACO_FINGERPRINT], b[GRACO_FINGERPRINT];
    (void)unused;
    CHECK_OK(graco_dataset_save(both->data[side], path));
    CHECK_OK(graco_dataset_load(&back, path, NULL));
    CHECK(graco_dataset_describe(back).classes == 3);
    CHECK(graco_dataset_label(back, 2) == (side ? FAR : 2) && graco_dataset_label(back, 3) == -1);
    CHECK_OK(graco_dataset_fingerprint(a, both->data[side]));
    CHECK_OK(graco_dataset_fingerprint(b, back));
    CHECK(strcmp(a, b) == 0);
    graco_dataset_free(back);
}

/* Of what save_and_load left. */
static void report(struct both *both, int side, const char *method)
{
    const char *page = fixture_path("report.html");
    graco_report_options options = graco_report_defaults();
    graco_run *run = NULL;
    size_t length = 0;
    options.data = fixture_path(side ? "far.npz" : "near.npz");
    options.eval.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_run_open(&run, run_of(method, side)));
    CHECK_OK(graco_report(page, NULL, &run, 1, &options));
    char *text = fixture_read(page, &length);
    CHECK(text && strstr(text, side ? "class 1000000" : "class 2") && !strstr(text, "class 3"));
    both->bytes[side] = (long long)length - (side ? 2000 : 0); /* a number of seven digits */
    free(text);
    graco_run_free(run);
}

/* ---- Models of older builds --------------------------------------------------------------------- */

/* Trains the first `epochs` epochs, or goes on to them. */
static char *trained(size_t *length, const graco_dataset *data, const char *run, int64_t epochs,
                     bool resume)
{
    char path[300];
    graco_config config = config_for("gcn");
    config.epochs = epochs;
    CHECK_OK(graco_train(NULL, NULL, data, &config,
                         &(graco_train_options){.run = run, .resume = resume}));
    snprintf(path, sizeof path, "%s/model.safetensors", run);
    return fixture_read(path, length);
}

static double mean_of(const char *run, const graco_dataset *data)
{
    graco_eval_options options = graco_eval_defaults();
    const graco_eval_result *results = NULL;
    graco_run *opened = NULL;
    options.protocol = GRACO_PROTOCOL_PUBLIC;
    CHECK_OK(graco_run_open(&opened, run));
    CHECK_OK(graco_run_scores(&results, opened, data, &options));
    CHECK(results[0].classes == 3 && results[0].class_of[2] == 7);
    double mean = results[0].mean;
    graco_run_free(opened);
    return mean;
}

/* The data set as it was: an output for every number. */
static void older_models(void)
{
    graco_dataset *data = labelled(7);
    struct graco_dataset older = *data;
    const char *run = fixture_path("older"), *whole = fixture_path("whole");
    size_t length[2] = {0};
    older.label = older.given;
    older.class_of = older.given = NULL;
    older.classes = older.numbers;
    free(trained(&length[0], &older, run, 2, false));
    char *resumed = trained(&length[0], data, run, 6, true);
    char *at_once = trained(&length[1], &older, whole, 6, false);
    CHECK(length[0] == length[1] && memcmp(resumed, at_once, length[0]) == 0);
    free(resumed);
    free(at_once);
    double mean = mean_of(run, data);
    CHECK(mean == mean_of(whole, &older) && mean > 0 && mean < 100);
    graco_model *model = NULL;
    graco_prediction found = {0};
    CHECK_OK(graco_model_load(&model, run));
    CHECK_OK(graco_predict(&found, model, data, &(graco_predict_options){.all = true}));
    CHECK(found.classes == 8 && !graco_model_class(model, 7));
    graco_prediction_clear(&found);
    graco_model_free(model);
    graco_dataset_free(data);
}

/* ---- Too many ------------------------------------------------------------------------------------ */

/* Labels that are numbers of nodes are no classes: a number for each node and class would be too much. */
static void too_many(void)
{
    enum { MANY = CLASSES_FREE + 76 };
    struct dataset_parts parts = {.name = "ids", .nodes = MANY};
    graco_dataset *data = NULL;
    graco_config config = config_for("gcn");
    graco_matrix Z = {.rows = MANY, .cols = 2};
    graco_eval_result result = {0};
    graco_cluster_result clusters = {0};
    graco_cluster_options options = graco_cluster_defaults();
    graco_prediction found = {0};
    CHECK_OK(memory_alloc(&parts.source, 0, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, 0, sizeof *parts.target));
    CHECK_OK(memory_alloc(&parts.label, MANY, sizeof *parts.label));
    CHECK_OK(memory_zalloc(&Z.data, 2 * MANY, sizeof *Z.data));
    for (int32_t i = 0; i < MANY; i++) {
        parts.label[i] = 5 * i;
        Z.data[2 * i] = (float)i;
    }
    parts.classes = dataset_classes(parts.label, MANY);
    CHECK_OK(dataset_create(&data, &parts));
    CHECK_FAILS(graco_evaluate(&result, &Z, data, NULL), GRACO_ERROR_ARGUMENT,
                "1100 classes of 1100 labelled nodes: expected at most 1024");
    CHECK_FAILS(graco_predict_embeddings(&found, &Z, data, NULL), GRACO_ERROR_ARGUMENT, "classes");
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT, "1100 classes");
    CHECK_FAILS(graco_evaluate_clusters(&clusters, &Z, data, &options), GRACO_ERROR_ARGUMENT,
                "1100 classes, more than the 1024");
    options.clusters = 2;
    options.starts = 1;
    CHECK_OK(graco_evaluate_clusters(&clusters, &Z, data, &options));
    CHECK(isnan(clusters.accuracy) && clusters.nmi > 0 && clusters.ari >= 0);
    graco_cluster_result_clear(&clusters);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

int main(void)
{
    struct both both = {.data = {labelled(2), labelled(FAR)}};
    for (int m = 0; graco_method(m); m++) {
        costs_the_same(&both, train, "train", graco_method(m));
        costs_the_same(&both, score, "score", graco_method(m));
        costs_the_same(&both, predict, "predict", graco_method(m));
    }
    for (int p = 0; graco_protocol_name(p); p++)
        costs_the_same(&both, evaluate, "evaluate", graco_protocol_name(p));
    costs_the_same(&both, cluster, "cluster", "");
    costs_the_same(&both, draw_map, "map", "");
    costs_the_same(&both, save_and_load, "save", "");
    costs_the_same(&both, report, "report", "gcn");
    costs_the_same(&both, report, "report", "grace");
    older_models();
    too_many();
    graco_dataset_free(both.data[0]);
    graco_dataset_free(both.data[1]);
    return check_result();
}
