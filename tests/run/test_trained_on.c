/* The library knows what a run was trained on: other data are not resumed, checkpoints say what they are
 * of, and the record of how data were read is used again or refused, never believed blindly. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "fixture.h"
#include "run/checkpoint.h"

enum { EPOCHS = 3 };

static char *read_text(const char *name)
{
    uint8_t *bytes = NULL;
    int64_t length;
    CHECK_OK(file_read(&bytes, &length, fixture_path(name), 1 << 20));
    return (char *)bytes;
}

static graco_config little(int64_t epochs)
{
    graco_config config;
    preset_config(&config, "cora");
    config.hidden = 4;
    config.epochs = epochs;
    config.threads = 1;
    return config;
}

static graco_dataset *load(const char *name, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(name), options));
    return data;
}

/* What may differ, over graphs in memory: made, changed, and compared with what was trained on. */
static void refused(void)
{
    static const struct {
        uint64_t seed;
        int64_t nodes;
        const char *words;
    } others[] = {
        {0, 40, ""}, {1, 40, "graph, features"}, {0, 41, "number of nodes, graph, features"}};
    graco_config config = little(EPOCHS), more = little(EPOCHS + 1);
    graco_train_options first = {.run = fixture_path("memory")},
                        again = {.run = first.run, .resume = true};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        graco_dataset *data = fixture_data(.nodes = others[i].nodes, .seed = others[i].seed);
        char words[GRACO_DIFFERENCES];
        graco_model *model = NULL;
        if (i == 0)
            CHECK_OK(graco_train(NULL, NULL, data, &config, &first));
        CHECK_OK(graco_model_load(&model, first.run));
        CHECK_OK(method_compare(words, model, data));
        CHECK(strcmp(words, others[i].words) == 0);
        graco_model_free(model);
        if (i == 0)
            CHECK_OK(graco_train(NULL, NULL, data, &config, &again));
        else
            CHECK_FAILS(graco_train(NULL, NULL, data, &more, &again), GRACO_ERROR_ARGUMENT,
                        others[i].words);
        graco_dataset_free(data);
    }
}

/* Fewer epochs than the checkpoint has: no file changes, and the result says how many there are. */
static void fewer(void)
{
    static const char *const names[] = {"memory/config.json", "memory/metrics.jsonl"};
    char *before[2], *after;
    graco_config config = little(EPOCHS - 1);
    graco_train_options options = {.run = fixture_path("memory"), .resume = true};
    graco_dataset *data = fixture_data(.nodes = 40);
    graco_train_result result = {0};
    for (int i = 0; i < 2; i++)
        before[i] = read_text(names[i]);
    CHECK_OK(graco_train(NULL, &result, data, &config, &options));
    CHECK(result.epochs == EPOCHS);
    for (int i = 0; i < 2; i++) {
        after = read_text(names[i]);
        CHECK(strcmp(before[i], after) == 0);
        memory_free(before[i]);
        memory_free(after);
    }
    graco_dataset_free(data);
}

/* The split counts for inductive and supervised trainings alone, labels for the latter. */
static void inductive(void)
{
    struct method method = {.needs = 0};
    graco_model model = {.method = &method};
    graco_dataset *data = NULL;
    graco_generate_options make = graco_generate_defaults();
    char words[GRACO_DIFFERENCES];
    make.nodes = 40;
    CHECK_OK(graco_dataset_generate(&data, &make));
    CHECK_OK(graco_dataset_fingerprint(model.fingerprint, data));
    memset(data->split, 0, 40);
    CHECK_OK(method_compare(words, &model, data));
    CHECK(!*words);
    model.config.inductive = 1;
    CHECK_OK(method_compare(words, &model, data));
    CHECK(strcmp(words, "split") == 0);
    model.config.inductive = 0;
    data->label[3]++;
    CHECK_OK(method_compare(words, &model, data));
    CHECK(!*words);
    method.needs = METHOD_NEEDS_LABELS;
    CHECK_OK(method_compare(words, &model, data));
    CHECK(strcmp(words, "split, labels") == 0);
    graco_dataset_free(data);
}

/* A checkpoint without a fingerprint, or with a wrong one, is refused. */
static void checkpoints(void)
{
    graco_config config = little(1);
    graco_model *model = NULL, *back = NULL;
    CHECK_OK(model_create(&model, &config, (struct model_sizes){.cols = 2}));
    CHECK_OK(checkpoint_write(model, fixture_path("bare.safetensors")));
    CHECK_FAILS(checkpoint_read(&back, fixture_path("bare.safetensors")), GRACO_ERROR_FORMAT,
                "'fingerprint' is ''");
    snprintf(model->fingerprint, sizeof model->fingerprint, "4-nonsense");
    CHECK_OK(checkpoint_write(model, fixture_path("wrong.safetensors")));
    CHECK_FAILS(checkpoint_read(&back, fixture_path("wrong.safetensors")), GRACO_ERROR_FORMAT,
                "'fingerprint' is '4-nonsense'");
    graco_model_free(model);
}

/* 40 nodes of so many classes, of which a node may have several. */
static graco_dataset *make_classes(int64_t classes, bool several)
{
    graco_generate_options make = graco_generate_defaults();
    graco_dataset *one = NULL, *data = NULL;
    uint8_t y[40 * 8] = {1, 0, 1, 1};
    make.nodes = 40;
    make.classes = several ? 3 : classes;
    CHECK_OK(graco_dataset_generate(&one, &make));
    graco_arrays arrays = graco_dataset_arrays(one);
    if (several)
        arrays.y = GRACO_MATRIX(y, 40, classes);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    graco_dataset_free(one);
    return data;
}

/* Trains `gcn`, or goes on with it. */
static graco_status train_classes(const graco_dataset *data, int64_t epochs)
{
    const struct method *method = NULL;
    graco_config config;
    graco_train_options options = {.run = fixture_path("classes"), .resume = epochs > 1};
    CHECK_OK(method_find(&method, "gcn"));
    method_configure(&config, method, NULL);
    config.epochs = epochs;
    config.threads = 1;
    return graco_train(NULL, NULL, data, &config, &options);
}

/* Classes that a supervised model has no outputs for are refused, also where the checkpoint claims that it was trained
 * on them. */
static void classes(void)
{
    static const struct {
        int64_t classes;
        bool several;
        const char *words;
    } others[] = {{2, false, "has 2, one for each node"},
                  {5, false, "has 5, one for each node"},
                  {3, true, "has 3, several for a node"}};
    graco_dataset *data = make_classes(3, false);
    graco_model *model = NULL;
    CHECK_OK(train_classes(data, 1));
    CHECK_OK(graco_model_load(&model, fixture_path("classes")));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        graco_dataset *other = make_classes(others[i].classes, others[i].several);
        CHECK_FAILS(train_classes(other, 2), GRACO_ERROR_ARGUMENT, "labels");
        CHECK_OK(graco_dataset_fingerprint(model->fingerprint, other));
        CHECK_OK(checkpoint_write(model, fixture_path("classes/model.safetensors")));
        CHECK_FAILS(train_classes(other, 2), GRACO_ERROR_ARGUMENT, others[i].words);
        graco_dataset_free(other);
    }
    CHECK_OK(graco_dataset_fingerprint(model->fingerprint, data));
    CHECK_OK(checkpoint_write(model, fixture_path("classes/model.safetensors")));
    CHECK_OK(train_classes(data, 2));
    graco_dataset_free(data);
    graco_model_free(model);
}

/* The record is used where the caller says nothing, and only as far as it is about the same files. */
static void readings(void)
{
    graco_config config = little(1);
    char labels[256], run[256], source[256], other[256];
    graco_load_options read = {.features_path = fixture_path("features.csv"), .undirected = true};
    graco_dataset *data = NULL, *again = NULL;
    char word[GRACO_FINGERPRINT], back[GRACO_FINGERPRINT];
    snprintf(labels, sizeof labels, "%s", fixture_path("labels.csv"));
    snprintf(run, sizeof run, "%s", fixture_path("read"));
    snprintf(source, sizeof source, "%s", fixture_path("named.txt"));
    snprintf(other, sizeof other, "%s", fixture_path("other.txt"));
    data = load("named.txt", &read);
    CHECK_OK(graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = run}));
    CHECK_OK(graco_dataset_fingerprint(word, data));
    graco_dataset_free(data);

    CHECK_OK(fixture_load_as(&again, source, NULL, run));
    CHECK_OK(graco_dataset_fingerprint(back, again));
    CHECK(strcmp(word, back) == 0);
    CHECK(strstr(graco_dataset_note(again, 2), "features.csv"));
    CHECK(strcmp(graco_dataset_file(again, 0), source) == 0);
    CHECK(strstr(graco_dataset_file(again, 1), "features.csv"));
    CHECK(!graco_dataset_file(again, 2) && !graco_dataset_file(again, -1));
    graco_dataset_free(again);
    CHECK_OK(fixture_load_as(&again, source,
                             &(graco_load_options){.labels_path = labels, .directed = true}, run));
    CHECK(again->classes == 2 && again->features.cols == 2 && again->graph->edges == 2);
    graco_dataset_free(again);
    fixture_text("other.txt", "a b\n");
    CHECK_OK(fixture_load_as(&again, other, NULL, run));
    CHECK(again->features.cols == 0 && again->graph->edges == 2);
    graco_dataset_free(again);
    CHECK_OK(fixture_load_as(&again, other, NULL, fixture_folder())); /* no config.json */
    CHECK(again->graph->edges == 2 && !graco_dataset_note(again, 1));
    graco_dataset_free(again);
}

/* What config.json does not say, the checkpoint does: other data are refused. */
static void silent_records(void)
{
    static const char *const texts[] = {"{\"method\": \"grace\"}",
                                        "{\"method\": \"grace\", \"fingerprint\": \"4-nonsense\"}",
                                        "{\"method\": \"of-tomorrow\"}", "{}"};
    graco_config config = little(1);
    graco_dataset *data = fixture_data(.nodes = 40), *other = fixture_data(.nodes = 40, .seed = 1);
    const graco_matrix *Z = NULL;
    graco_training about;
    CHECK_OK(graco_train(NULL, NULL, data, &config,
                         &(graco_train_options){.run = fixture_path("mute")}));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        graco_run *run = NULL;
        fixture_text("mute/config.json", texts[i]);
        CHECK_OK(graco_run_open(&run, fixture_path("mute")));
        CHECK_OK(graco_run_training(&about, run, 0));
        CHECK(about.config && strcmp(graco_config_method(about.config), "grace") == 0);
        CHECK_OK(graco_run_embeddings(&Z, NULL, run, 0, data));
        CHECK_FAILS(graco_run_embeddings(&Z, NULL, run, 0, other), GRACO_ERROR_ARGUMENT,
                    "trained on other data");
        graco_run_free(run);
    }
    graco_dataset_free(data);
    graco_dataset_free(other);
}

/* Records that lie. */
static void records(void)
{
    static const struct {
        const char *text, *part; /* NULL: it is fine, and says nothing */
        int64_t edges;           /* then: those of a list of one edge */
    } cases[] = {
        {"{}", NULL, 2},
        {"{\"reading\": {\"source\": \"x\"}}", NULL, 1}, /* from before direction was recorded */
        {"{\"reading\": {\"source\": \"x\", \"undirected\": true}}", NULL, 2},
        {"{\"reading\": {\"source\": \"x\", \"direction\": \"directed\"}}", NULL, 1},
        {"{\"reading\": {\"source\": \"x\", \"direction\": \"undirected\"}}", NULL, 2},
        {"{\"reading\": {\"source\": \"x\", \"direction\": \"stated\"}}", NULL, 2},
        {"{\"reading\": {\"source\": \"x\", \"direction\": \"up\"}}", "direction 'up'", 0},
        {"{\"reading\": 3}", "source", 0},
        {"{\"reading\": {}}", "source", 0},
        {"{\"reading\": {\"source\": 1}}", "source", 0},
        {"{\"reading\": {\"source\": \"x\", \"header\": true}}", "header", 0},
        {"{\"reading\": {\"source\": \"x\", \"undirected\": \"yes\"}}", "undirected", 0},
        {"{", "config.json", 0},
    };
    char run[256], source[256];
    graco_dataset *data = NULL;
    snprintf(run, sizeof run, "%s", fixture_path("record"));
    snprintf(source, sizeof source, "%s", fixture_path("other.txt"));
    mkdir(run, 0777);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_text("record/config.json", cases[i].text);
        if (cases[i].part) {
            CHECK_FAILS(fixture_load_as(&data, source, NULL, run), GRACO_ERROR_FORMAT,
                        cases[i].part);
            continue;
        }
        CHECK_OK(fixture_load_as(&data, source, NULL, run));
        CHECK(data->graph->edges == cases[i].edges);
        graco_dataset_free(data);
    }
}

/* A name that is not UTF-8 is recorded as far as JSON can hold it, and is no reason to fail. */
static void odd_names(void)
{
    graco_config config = little(0);
    graco_load_options read = {.features_path = fixture_path("x\xff.csv")};
    fixture_text("x\xff.csv", "1\n2\n3\n");
    fixture_text("ids.txt", "0 1\n1 2\n");
    graco_dataset *data = load("ids.txt", &read);
    CHECK_OK(
        graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = fixture_path("odd")}));
    char *text = read_text("odd/config.json");
    CHECK(strstr(text, "x?.csv"));
    memory_free(text);
    graco_dataset_free(data);
}

int main(void)
{
    small_tables();
    refused();
    fewer();
    inductive();
    checkpoints();
    classes();
    readings();
    silent_records();
    records();
    odd_names();
    return check_result();
}
