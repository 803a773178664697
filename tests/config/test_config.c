/* Settings by key: every one goes to text and back, wrong values are refused by name, methods read their
 * own keys alone. */
#include "config/config.h"

#include "check.h"
#include "fixture.h"

/* A value per key that no preset has, and values that must be refused. */
struct sample {
    const char *key, *value;
    const char *wrong[8];
};

static const struct sample SAMPLES[] = {
    {"encoder", "gcn", {"", "GCN", "gat", "gcn "}},
    {"node_features", "spectral", {"", "words", "auto,degree"}},
    {"scaling", "binary_rowsum", {"", "binary", "rowsum,none"}},
    {"activation", "rrelu", {"", "tanh", "relu6"}},
    {"objective", "infonce", {"", "grace", "Exact"}},
    {"parts", "own,smooth", {"", "raw", "own,own", "learned,", "auto,own", "own smooth"}},
    {"hidden", "7", {"0", "-1", "1.5", "65537", "x", "", " 7", "7 "}},
    {"columns", "all", {"-1", "65537", "some", "", "1.5"}},
    {"width", "65536", {"-1", "65537", "x"}},
    {"projection", "65536", {"-1", "65537", "1e9", "nan", "inf"}},
    {"layers", "8", {"0", "9", "2.000001"}},
    {"drop_edge_1", "0.123456789012345", {"-0.1", "1.0001", "nan", "", "0,5", "0.5x"}},
    {"drop_edge_2", "1", {"-1e-300", "2", "inf"}},
    {"drop_feature_1", "1e-10", {"-1", "1.5", "-nan"}},
    {"drop_feature_2", "0.3", {"-1", "1.5", "0.3 0.4"}},
    {"tau", "0.01", {"0", "0.0099", "101", "-0.5", "nan"}},
    {"lr", "0.0123", {"-1e-9", "10.1", "fast"}},
    {"weight_decay", "0.1", {"-1e-9", "11"}},
    {"patience", "100", {"-1", "4294967296", "1.5"}},
    {"epochs", "4294967295", {"4294967296", "-1", "0.5", "1e10", "0x2", "1e0"}},
    {"correction", "0", {"-1", "1048577"}},
    {"contaminate", "0.9", {"-0.1", "1.1"}},
    {"batch", "512", {"-1", "1048577", "all"}},
    {"graphs", "1000", {"0", "-1", "1.5", "x"}},
    {"fanout", "5,0,7", {"", "-1", "1,", ",1", "1;2", "70000", "1.5", "1,2,3,4,5,6,7,8,9"}},
    {"inductive", "1", {"2", "-1", "yes"}},
    {"checkpoint_every", "1", {"0", "-5", "4294967296"}},
    {"seed", "18446744073709551615", {"18446744073709551616", "-1", "1.0", "", "0x10", " 1"}},
    {"precision", "tf32", {"", "fp8", "FP32", "auto"}},
    {"device", "cpu", {"", "gpu", "cuda:0"}},
    {"threads", "1024", {"-1", "1025", "two"}},
    {"memory", "16777216", {"-1", "16MiBs", "16 M", "0x1G", "P", "", "9000000T"}},
};

enum { SAMPLE_COUNT = sizeof SAMPLES / sizeof *SAMPLES };

static const char *get(const graco_config *config, const char *key)
{
    static char text[CONFIG_TEXT];
    CHECK_OK(graco_config_get(config, key, text, sizeof text));
    return text;
}

/* Whether two configurations agree in every key but one. */
static bool same_but(const graco_config *a, const graco_config *b, const char *except)
{
    char x[CONFIG_TEXT], y[CONFIG_TEXT];
    const char *key;
    bool same = true;
    for (int i = 0; (key = graco_config_key(a, i, NULL)); i++) {
        CHECK_OK(graco_config_get(a, key, x, sizeof x));
        CHECK_OK(graco_config_get(b, key, y, sizeof y));
        same = same && (strcmp(x, y) == 0 || (except && strcmp(key, except) == 0));
    }
    return same;
}

static void keys(void)
{
    const char *help = NULL;
    graco_config config;
    preset_config(&config, NULL);
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        CHECK(strcmp(graco_config_key(&config, i, &help), SAMPLES[i].key) == 0);
        CHECK(help && *help);
    }
    CHECK(graco_config_key(&config, SAMPLE_COUNT, NULL) == NULL);
    CHECK(graco_config_key(&config, -1, NULL) == NULL);
}

/* A choice takes the words that are listed for it, and a key that is none lists no words. */
static void words(void)
{
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        graco_config config;
        int count = 0;
        preset_config(&config, NULL);
        for (const char *word; (word = graco_config_word(SAMPLES[i].key, count)); count++) {
            CHECK_OK(graco_config_set(&config, SAMPLES[i].key, word));
            CHECK(strcmp(get(&config, SAMPLES[i].key), word) == 0);
        }
        bool number_too = strcmp(SAMPLES[i].key, "epochs") == 0 ||
                          strcmp(SAMPLES[i].key, "width") == 0; /* a word stands for a rule */
        CHECK((count > 0) == (SAMPLES[i].value[0] > '9' || number_too));
        CHECK(!graco_config_word(SAMPLES[i].key, -1));
    }
    CHECK(!graco_config_word("no such key", 0));
}

/* A method refuses a key that it does not read by name, and does not list it. */
static void other_keys(void)
{
    static const char *const own[] = {"hidden", NULL};
    struct graco_config config;
    char text[CONFIG_TEXT];
    config_init(&config, "narrow", own);
    CHECK_OK(graco_config_set(&config, "hidden", "3"));
    CHECK_OK(graco_config_set(&config, "epochs", "3"));
    CHECK_FAILS(graco_config_set(&config, "tau", "0.5"), GRACO_ERROR_ARGUMENT,
                "the method narrow does not read the setting 'tau'");
    CHECK_FAILS(graco_config_get(&config, "tau", text, sizeof text), GRACO_ERROR_ARGUMENT, "tau");
    const char *key;
    bool hidden = false;
    for (int i = 0; (key = graco_config_key(&config, i, NULL)); i++) {
        CHECK(strcmp(key, "tau") != 0);
        hidden = hidden || strcmp(key, "hidden") == 0;
    }
    CHECK(hidden);
}

/* Through the public interface: made, copied, listed. */
static void public_interface(void)
{
    graco_config *config = NULL, *copy = NULL;
    graco_method_info info = {0};
    const char *method, *preset;
    for (int i = 0; (method = graco_method(i)); i++) {
        CHECK(graco_method_describe(&info, i) && strcmp(info.name, method) == 0 && *info.help);
        for (int k = 0; (preset = graco_preset(method, k)); k++) {
            CHECK_OK(graco_config_create(&config, method, preset));
            CHECK(strcmp(graco_config_method(config), method) == 0);
            CHECK_OK(graco_config_copy(&copy, config));
            CHECK_OK(graco_config_set(copy, "seed", "77"));
            CHECK(same_but(copy, config, "seed") && !same_but(copy, config, NULL));
            graco_config_free(copy);
            graco_config_free(config);
        }
    }
    CHECK(!graco_method(-1) && !graco_preset("grace", -1) && !graco_preset("race", 0));
    config = NULL;
    CHECK_FAILS(graco_config_create(&config, "race", NULL), GRACO_ERROR_ARGUMENT,
                "unknown method 'race' (did you mean grace?); expected one of grace");
    CHECK_FAILS(graco_config_create(&config, "grace", "coora"), GRACO_ERROR_ARGUMENT,
                "unknown preset of grace 'coora' (did you mean cora?); expected one of cora, ");
    CHECK_FAILS(graco_config_create(&config, "deepwalk", "karate"), GRACO_ERROR_ARGUMENT,
                "unknown preset of deepwalk 'karate'; expected one of ");
    CHECK(!config);
    graco_config_free(NULL);
}

/* The name of a data set chooses a preset, or none. */
static void presets_of_data_sets(void)
{
    graco_config *general = NULL, *config = NULL;
    CHECK(strcmp(graco_preset_for("grace", "cora"), "cora") == 0);
    CHECK(strcmp(graco_preset_for(NULL, "cora"), "cora") == 0);
    CHECK(strcmp(graco_preset_for("grace", "karate"), "general") == 0);
    CHECK(strcmp(graco_preset_for("grace", NULL), "general") == 0);
    CHECK(strcmp(graco_preset_for("race", "cora"), "general") == 0);
    CHECK_OK(graco_config_create(&general, "grace", NULL));
    CHECK_OK(graco_config_create(&config, "grace", graco_preset_for("grace", "karate")));
    CHECK(same_but(general, config, NULL));
    graco_config_free(config);
    CHECK_OK(graco_config_create(&config, "grace", graco_preset_for("grace", "cora")));
    CHECK(!same_but(general, config, NULL));
    graco_config_free(config);
    graco_config_free(general);
}

static void round_trips(void)
{
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        graco_config before, config;
        preset_config(&before, NULL);
        config = before;
        CHECK_OK(graco_config_set(&config, SAMPLES[i].key, SAMPLES[i].value));
        CHECK(strcmp(get(&config, SAMPLES[i].key), SAMPLES[i].value) == 0);
        CHECK(same_but(&config, &before, SAMPLES[i].key));
    }
}

/* Wrong values name the key, and leave the configuration as it was. */
static void wrong_values(void)
{
    for (int i = 0; i < SAMPLE_COUNT; i++)
        for (int k = 0; k < 8 && SAMPLES[i].wrong[k]; k++) {
            graco_config config, before;
            preset_config(&config, "cora");
            before = config;
            graco_status status = graco_config_set(&config, SAMPLES[i].key, SAMPLES[i].wrong[k]);
            if (status != GRACO_ERROR_ARGUMENT)
                fprintf(stderr, "%s = '%s' was taken\n", SAMPLES[i].key, SAMPLES[i].wrong[k]);
            CHECK(status == GRACO_ERROR_ARGUMENT);
            CHECK(strstr(graco_message(), SAMPLES[i].key) != NULL);
            CHECK(same_but(&config, &before, NULL));
        }
}

static void unknown_keys(void)
{
    static const char *const unknown[] = {"", "Tau", "drop_edge", "drop_edge_3", "tau ", "batches"};
    graco_config config;
    char text[CONFIG_TEXT];
    preset_config(&config, NULL);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CHECK_FAILS(graco_config_set(&config, unknown[i], "1"), GRACO_ERROR_ARGUMENT,
                    "unknown setting");
        CHECK(strstr(graco_message(), "checkpoint_every") != NULL);
        CHECK_FAILS(graco_config_get(&config, unknown[i], text, sizeof text), GRACO_ERROR_ARGUMENT,
                    "unknown setting");
    }
}

static void small_buffers(void)
{
    graco_config config;
    char text[5] = "full";
    preset_config(&config, "cora"); /* activation: relu */
    CHECK_FAILS(graco_config_get(&config, "activation", text, 4), GRACO_ERROR_ARGUMENT,
                "needs 5 bytes");
    CHECK(strcmp(text, "full") == 0);
    CHECK_OK(graco_config_get(&config, "activation", text, 5));
    CHECK(strcmp(text, "relu") == 0);
}

static void sizes(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"16M", (int64_t)16 << 20},
        {"4G", (int64_t)4 << 30},
        {"256m", (int64_t)256 << 20},
        {"16MB", (int64_t)16 << 20},
        {"4GiB", (int64_t)4 << 30},
        {"1.5K", 1536},
        {"2T", (int64_t)2 << 40},
        {"123456789", 123456789},
    };
    graco_config config;
    preset_config(&config, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(graco_config_set(&config, "memory", cases[i].text));
        CHECK(config.memory == cases[i].bytes);
    }
}

/* The table of docs/math.md. Every other key has one value for all. */
static const struct {
    const char *name, *scaling, *hidden, *activation, *drop[4], *tau, *lr, *decay, *epochs;
} PRESETS[] = {
    {"cora",
     "rowsum",
     "128",
     "relu",
     {"0.2", "0.4", "0.3", "0.4"},
     "0.4",
     "0.0005",
     "1e-05",
     "200"},
    {"citeseer",
     "rowsum",
     "256",
     "prelu",
     {"0.2", "0", "0.3", "0.2"},
     "0.9",
     "0.001",
     "1e-05",
     "200"},
    {"pubmed",
     "rowsum",
     "256",
     "relu",
     {"0.4", "0.1", "0", "0.2"},
     "0.7",
     "0.001",
     "1e-05",
     "1500"},
    {"dblp",
     "binary_rowsum",
     "256",
     "relu",
     {"0.1", "0.4", "0.1", "0"},
     "0.7",
     "0.001",
     "1e-05",
     "1000"},
    {NULL, "auto", "256", "rrelu", {"0.2", "0.4", "0.4", "0.2"}, "0.5", "0.002", "5e-05", "500"},
};

static void presets(void)
{
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++) {
        graco_config config;
        preset_config(&config, PRESETS[i].name);
        CHECK(strcmp(get(&config, "encoder"), "gcn") == 0);
        CHECK(strcmp(get(&config, "scaling"), PRESETS[i].scaling) == 0);
        CHECK(strcmp(get(&config, "hidden"), PRESETS[i].hidden) == 0);
        CHECK(strcmp(get(&config, "projection"), "0") == 0); /* as hidden */
        CHECK(strcmp(get(&config, "activation"), PRESETS[i].activation) == 0);
        CHECK(strcmp(get(&config, "drop_edge_1"), PRESETS[i].drop[0]) == 0);
        CHECK(strcmp(get(&config, "drop_edge_2"), PRESETS[i].drop[1]) == 0);
        CHECK(strcmp(get(&config, "drop_feature_1"), PRESETS[i].drop[2]) == 0);
        CHECK(strcmp(get(&config, "drop_feature_2"), PRESETS[i].drop[3]) == 0);
        CHECK(strcmp(get(&config, "tau"), PRESETS[i].tau) == 0);
        CHECK(strcmp(get(&config, "lr"), PRESETS[i].lr) == 0);
        CHECK(strcmp(get(&config, "epochs"), PRESETS[i].epochs) == 0);
        CHECK(strcmp(get(&config, "objective"), "exact") == 0);
        CHECK(strcmp(get(&config, "layers"), "2") == 0);
        CHECK(strcmp(get(&config, "weight_decay"), PRESETS[i].decay) == 0);
        CHECK(strcmp(get(&config, "correction"), "256") == 0);
        CHECK(strcmp(get(&config, "contaminate"), "0") == 0);
        CHECK(strcmp(get(&config, "seed"), "0") == 0);
        CHECK(strcmp(get(&config, "threads"), "0") == 0);
        CHECK(strcmp(get(&config, "memory"), "1073741824") == 0);
    }
    graco_config config, general;
    preset_config(&general, NULL);
    preset_config(&config, "Cora");
    CHECK(same_but(&config, &general, NULL));
}

/* Which settings decide a result, and where two configurations differ in one that does. */
static void kinds(void)
{
    static const struct {
        const char *key;
        graco_key_kind kind;
    } named[] = {{"device", GRACO_KEY_HOST},   {"threads", GRACO_KEY_HOST},
                 {"memory", GRACO_KEY_HOST},   {"checkpoint_every", GRACO_KEY_FREE},
                 {"seed", GRACO_KEY_EACH},     {"split", GRACO_KEY_EACH},
                 {"epochs", GRACO_KEY_LENGTH}, {"precision", GRACO_KEY_MACHINE},
                 {"tau", GRACO_KEY_FIXED},     {"lr", GRACO_KEY_FIXED},
                 {"none", GRACO_KEY_FIXED}};
    graco_config one, other;
    char a[CONFIG_TEXT], b[CONFIG_TEXT];
    const char *key;
    int free_ones = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        CHECK(graco_config_kind(named[i].key) == named[i].kind);
    preset_config(&one, "cora");
    for (int i = 0; (key = graco_config_key(&one, i, NULL)); i++)
        free_ones += graco_config_kind(key) != GRACO_KEY_FIXED;
    CHECK(free_ones == 7); /* split is not grace's */
    other = one;
    other.threads = 3;
    other.epochs++;
    CHECK(!config_differs(a, b, &one, &other, GRACO_KEY_HOST | GRACO_KEY_LENGTH));
    CHECK(strcmp(config_differs(a, b, &one, &other, GRACO_KEY_HOST), "epochs") == 0);
    other.tau = 0.125;
    CHECK(strcmp(config_differs(a, b, &one, &other, GRACO_KEY_LENGTH), "tau") == 0 &&
          strcmp(b, "0.125") == 0);
    other = one;
    other.split = 4; /* which the method does not read */
    CHECK(!config_differs(a, b, &one, &other, 0));
}

int main(void)
{
    keys();
    kinds();
    words();
    other_keys();
    public_interface();
    presets_of_data_sets();
    round_trips();
    wrong_values();
    unknown_keys();
    small_buffers();
    sizes();
    presets();
    return check_result();
}
