/* The space of a search: texts to axes, points to settings. */
#include "tune/space.h"

#include "methods/method.h"

#include "fixture.h"

/* -1: without features. */
static graco_dataset *small(int64_t features)
{
    return fixture_data(.nodes = 60, .feature_count = features);
}

static const struct axis *axis_of(const struct space *space, const char *key)
{
    for (int i = 0; i < space->count; i++)
        if (strcmp(space->axes[i].key, key) == 0)
            return &space->axes[i];
    return NULL;
}

static const char *value(const struct axis *axis, double at)
{
    static char text[CONFIG_TEXT];
    space_value(text, axis, at);
    return text;
}

static void texts(const graco_dataset *data)
{
    const char *search[] = {
        "tau=0.2..0.25", "hidden=16..48", "lr=1e-4..1e-2",      "activation=elu",
        "layers=1,2,3",  "batch=50",      "epochs=40,10,20,10", NULL};
    struct space space;
    CHECK_OK(space_init(&space, NULL, data, search));
    CHECK(strcmp(value(axis_of(&space, "tau"), 0), "0.2") == 0);
    CHECK(strcmp(value(axis_of(&space, "tau"), 1), "0.25") == 0);
    CHECK(strcmp(value(axis_of(&space, "hidden"), 0.5), "32") == 0);
    CHECK(strcmp(value(axis_of(&space, "hidden"), 1), "48") == 0);
    CHECK(strcmp(value(axis_of(&space, "lr"), 0.5), "0.001") == 0);
    CHECK(strcmp(value(axis_of(&space, "activation"), 0.99), "elu") == 0);
    CHECK(strcmp(value(axis_of(&space, "layers"), 0.34), "2") == 0);
    CHECK(strcmp(value(axis_of(&space, "layers"), 1), "3") == 0);
    CHECK(strcmp(value(axis_of(&space, "batch"), 0.7), "50") == 0);
    CHECK(space.rungs == 3 && space.epochs[0] == 10 && space.epochs[2] == 40);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"epochs=10..50", NULL}));
    CHECK(space.rungs == 4 && space.epochs[2] == 40 && space.epochs[3] == 50);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"epochs=7", NULL}));
    CHECK(space.rungs == 1 && space.epochs[0] == 7);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"epochs=0..3", NULL}));
    CHECK(space.rungs == 4 && space.epochs[0] == 0 && space.epochs[1] == 1 && space.epochs[3] == 3);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"epochs=10..1000", NULL}));
    CHECK(space.rungs == 6 && space.epochs[0] == 10 && space.epochs[5] == 1000);
    for (int i = 1; i < space.rungs; i++) /* no rung is out of step */
        CHECK(fabs((double)space.epochs[i] / (double)space.epochs[i - 1] - pow(100, 0.2)) < 0.1);
}

/* Encoders that see a node itself, embeddings of parts where there are features, and masks of most of them. */
static void encoders(const graco_dataset *data)
{
    graco_dataset *none = small(-1);
    struct space space;
    struct graco_config config;
    struct point point = {0};
    CHECK_OK(space_init(&space, NULL, data, NULL));
    CHECK(axis_of(&space, "encoder")->words == 3 && axis_of(&space, "parts")->words == 2);
    CHECK(strcmp(value(axis_of(&space, "encoder"), 1), "sage_skip") == 0);
    CHECK(strcmp(value(axis_of(&space, "parts"), 0), "learned") == 0);
    CHECK(strcmp(value(axis_of(&space, "parts"), 1), "learned,own,smooth") == 0);
    CHECK(axis_of(&space, "drop_feature_1")->high == 0.7);
    for (int i = 0; i < space.count; i++)
        point.at[i] = strcmp(space.axes[i].key, "parts") == 0;
    CHECK_OK(space_configure(&config, &space, &point));
    CHECK(config.parts == (PARTS_LEARNED | PARTS_OWN | PARTS_SMOOTH));
    CHECK_OK(space_init(&space, NULL, none, NULL));
    for (int i = 0; i < space.count; i++)
        CHECK(strcmp(space.axes[i].key, "parts") != 0);
    CHECK(space.base.parts == PARTS_LEARNED);
    CHECK_FAILS(space_init(&space, NULL, data, (const char *[]){"parts=learned+mine", NULL}),
                GRACO_ERROR_ARGUMENT, "parts=learned+mine");
    graco_dataset_free(none);
}

/* The setting says whether numbers between two whole ones are searched, not how the ends are written; and
 * a narrow range has more than its ends. */
static void ranges(const graco_dataset *data)
{
    const char *search[] = {"drop_edge_1=0..1",         "tau=1..4",  "hidden=4.0..8.0",
                            "drop_edge_2=0.501..0.509", "lr=0..0.1", NULL};
    struct space space;
    CHECK_OK(space_init(&space, NULL, data, search));
    CHECK(strcmp(value(axis_of(&space, "drop_edge_1"), 0.3), "0.3") == 0);
    CHECK(strcmp(value(axis_of(&space, "tau"), 0.5), "2.5") == 0);
    CHECK(strcmp(value(axis_of(&space, "hidden"), 0.3), "5") == 0);
    CHECK(space_widest(&space) == 8);
    CHECK(strcmp(value(axis_of(&space, "drop_edge_2"), 0.5), "0.505") == 0);
    CHECK(strcmp(value(axis_of(&space, "drop_edge_2"), 1), "0.509") == 0);
    CHECK(strcmp(value(axis_of(&space, "lr"), 0.123), "0.0123") == 0);
}

/* What a search says itself of each training is no setting to search; what best.json leaves out has one value. */
static void own(const graco_dataset *data)
{
    static const char *const wrong[] = {"seed=1,2",           "seed=5",
                                        "device=cpu",         "threads=1,2",
                                        "checkpoint_every=1", "precision=fp32,bf16",
                                        "memory=1..100"};
    struct space space;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(space_init(&space, NULL, data, (const char *[]){wrong[i], NULL}),
                    GRACO_ERROR_ARGUMENT, wrong[i]);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"precision=bf16", "memory=1M", NULL}));
    CHECK(space_widest(&space) == 512);
    CHECK_OK(space_init(&space, NULL, data, (const char *[]){"hidden=64,4096,8", NULL}));
    CHECK(space_widest(&space) == 4096);
}

static void refused(const graco_dataset *data)
{
    static const char *const wrong[] = {"tau",          "=1",          "tau=",
                                        "tau=0.5..0.2", "tau=0.5..x",  "activation=relu..elu",
                                        "tau=1000",     "activation=", "hidden=1,,2",
                                        "nothing=3",    "walks=3",     "hidden=8..8"};
    char text[SPACE_TEXT] = "tau=";
    struct space space;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(space_init(&space, NULL, data, (const char *[]){wrong[i], NULL}),
                    GRACO_ERROR_ARGUMENT, wrong[i]); /* the message says what was given */
    CHECK_FAILS(space_init(&space, "gcn", data, NULL), GRACO_ERROR_ARGUMENT, "learns from labels");
    CHECK(space_init(&space, "nothing", data, NULL) == GRACO_ERROR_ARGUMENT);
    memset(text + 4, '0', CONFIG_TEXT); /* an end of which a part would be another number */
    snprintf(text + 4 + CONFIG_TEXT, sizeof text - 4 - CONFIG_TEXT, ".5..0.9");
    CHECK_FAILS(space_init(&space, NULL, data, (const char *[]){text, NULL}), GRACO_ERROR_ARGUMENT,
                "expected numbers of less than");
}

/* Every method that learns without labels has a space; whatever is drawn from it or moved in it are
 * settings that the method takes, and moves change something. */
static void points(const graco_dataset *data)
{
    const struct method *method = NULL;
    struct graco_config config;
    struct space space;
    struct point point, moved, again;
    const char *name;
    for (int m = 0; (name = graco_method(m)); m++) {
        CHECK_OK(method_find(&method, name));
        if (method->needs & METHOD_NEEDS_LABELS)
            continue;
        if (strcmp(name, "sgc") == 0 || strcmp(name, "propagate") == 0) { /* which have none */
            CHECK_FAILS(space_init(&space, name, data, NULL), GRACO_ERROR_ARGUMENT, "one value");
            continue;
        }
        CHECK_OK(space_init(&space, name, data, NULL));
        CHECK(space.count > 1 && space.rungs > 0);
        for (int64_t trial = 0; trial < 50; trial++) {
            space_draw(&point, &space, 1, trial, 0);
            CHECK_OK(space_configure(&config, &space, &point));
            CHECK(!method->check || method->check(&config) == GRACO_OK);
            space_move(&moved, &space, &point, 1, trial, 0);
            space_move(&again, &space, &point, 1, trial, 0);
            CHECK(memcmp(&moved, &again, sizeof moved) == 0);
            CHECK(memcmp(&moved, &point, sizeof moved) != 0);
            CHECK_OK(space_configure(&config, &space, &moved));
            for (int i = 0; i < space.count; i++)
                CHECK(moved.at[i] >= 0 && moved.at[i] <= 1);
        }
        space_draw(&again, &space, 1, 0, 0);
        CHECK(!space_same(&space, &again, &point) && space_same(&space, &point, &point));
    }
}

/* Settings that can be counted come once each, wherever one begins; a word that is given twice is one. */
static void counted(const graco_dataset *data)
{
    enum { SIZE = 3 * 2 * 38 };
    static const char *const few[] = {"encoder=gcn",
                                      "parts=learned",
                                      "layers=1",
                                      "activation=relu,elu,prelu,elu",
                                      "drop_edge_1=0.2",
                                      "drop_edge_2=0.2,0.4",
                                      "drop_feature_1=0",
                                      "drop_feature_2=0.1",
                                      "tau=0.5",
                                      "lr=0.001",
                                      "weight_decay=0",
                                      "hidden=3..40",
                                      NULL};
    struct space space;
    struct point point[SIZE + 1];
    CHECK_OK(space_init(&space, NULL, data, NULL));
    CHECK(space_size(&space, 1000) == 1000);
    CHECK_OK(space_init(&space, NULL, data, few));
    CHECK(axis_of(&space, "hidden")->logarithmic && space_size(&space, 1000) == SIZE);
    CHECK(space_size(&space, SIZE - 1) == SIZE - 1);
    space_draw(&point[0], &space, 7, 0, 0);
    for (int i = 0; i < SIZE; i++) {
        point[i + 1] = point[i];
        space_next(&point[i + 1], &space);
        for (int k = 0; k <= i; k++)
            CHECK(space_same(&space, &point[k], &point[i + 1]) == (i + 1 == SIZE && k == 0));
    }
}

/* Counts are scaled, noise is not; many nodes are not contrasted with each other. */
static void kinds(void)
{
    struct space space;
    float noise[8] = {0.3f, -0.1f, 0.5f, 1, 2, 3, 4, 5};
    graco_dataset *words = small(100), *none = small(-1), *dense = NULL, *large = NULL;
    graco_generate_options options = graco_generate_defaults();
    options.nodes = 9000;
    options.feature_count = 10;
    CHECK_OK(graco_dataset_generate(&large, &options));
    CHECK_OK(graco_dataset_create(&dense, &(graco_arrays){.x = GRACO_MATRIX(noise, 4, 2)}));
    CHECK_OK(space_init(&space, NULL, words, NULL));
    CHECK(strcmp(config_word(&space.base, "scaling"), "rowsum") == 0);
    CHECK(strcmp(config_word(&space.base, "objective"), "exact") == 0);
    CHECK_OK(space_init(&space, NULL, none, NULL));
    CHECK(strcmp(config_word(&space.base, "scaling"), "none") == 0);
    CHECK_OK(space_init(&space, NULL, dense, NULL));
    CHECK(strcmp(config_word(&space.base, "scaling"), "none") == 0);
    CHECK_OK(space_init(&space, NULL, large, NULL));
    CHECK(strcmp(config_word(&space.base, "objective"), "moment") == 0);
    graco_dataset_free(large);
    graco_dataset_free(dense);
    graco_dataset_free(none);
    graco_dataset_free(words);
}

int main(void)
{
    graco_dataset *data = small(30);
    texts(data);
    encoders(data);
    ranges(data);
    own(data);
    refused(data);
    points(data);
    counted(data);
    kinds();
    graco_dataset_free(data);
    return check_result();
}
