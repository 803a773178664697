/* A host program with a decimal comma: what the library reads, writes and says must not change.
 *
 * Without such a locale on the system one is made with localedef in a temporary folder; without
 * that either, the test is skipped. */
#include "base/number.h"
#include "fixture.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_comma(void)
{
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Makes a locale with a decimal comma current. */
static bool choose_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",
                                        "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8"};
    char command[256];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && is_comma())
            return true;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             fixture_folder());
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", fixture_folder(), 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && is_comma();
}

static void test_numbers(void)
{
    char text[64], *end;
    double numbers[] = {0.5, -1.25e-7, 1e300, 0.1, 123456.789, 5e-324};

    CHECK(number_parse("0.5,7", &end) == 0.5 && strcmp(end, ",7") == 0);
    CHECK(number_parse("0,5", &end) == 0 && strcmp(end, ",5") == 0);
    number_print(text, sizeof text, "%.2f|%g|%d|%s", 1.5, 0.25, 7, "ä");
    CHECK(strcmp(text, "1.50|0.25|7|ä") == 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        number_shortest(text, numbers[i]);
        CHECK(!strchr(text, ','));
        CHECK(number_parse(text, &end) == numbers[i] && *end == 0);
    }
    number_shortest(text, 0.1);
    CHECK(strcmp(text, "0.1") == 0);
}

static void test_config(void)
{
    graco_config config;
    char text[64];

    preset_config(&config, "cora");
    CHECK_OK(graco_config_set(&config, "tau", "0.75"));
    CHECK(config.tau == 0.75);
    CHECK_OK(graco_config_set(&config, "lr", "2.5e-4"));
    CHECK(config.lr == 2.5e-4);
    CHECK_OK(graco_config_get(&config, "lr", text, sizeof text));
    CHECK(strcmp(text, "0.00025") == 0);
    CHECK_OK(graco_config_set(&config, "fanout", "30,25,20"));
    CHECK(config.fanout[1] == 25);
    CHECK_FAILS(graco_config_set(&config, "tau", "0,75"), GRACO_ERROR_ARGUMENT, "'0,75'");
    CHECK_FAILS(graco_config_set(&config, "drop_edge_1", "1.5"), GRACO_ERROR_ARGUMENT, "'1.5'");
    CHECK(!strstr(graco_message(), "0,"));
}

/* Numbers that one rounding decides, and those that go through strtod. */
static void test_table(void)
{
    const char *edges = fixture_path("edges.tsv"), *features = fixture_path("features.tsv");
    graco_load_options options = {.features_path = features, .undirected = true};
    graco_dataset *data = NULL;
    graco_matrix X = {0};

    fixture_text("edges.tsv", "0\t1\n1\t2\n");
    fixture_text("features.tsv", "0.5\t1e-30\n0.12345678901234567890123\t2.5e300\n-1.75\t3\n");
    graco_status status = graco_dataset_load(&data, edges, &options);
    CHECK_FAILS(status, GRACO_ERROR_FORMAT, "");
    fixture_text("features.tsv", "0.5e-30\t1e-30\n0.12345678901234567890123e-30\t2.5e-30\n"
                                 "-1.75e-30\t3e-30\n");
    CHECK_OK(graco_dataset_load(&data, edges, &options));
    CHECK_OK(graco_dataset_features(&X, data, NULL));
    CHECK(X.data[0] == 0.5e-30f && X.data[1] == 1e-30f && X.data[2] == 0.12345678901234568e-30f);
    CHECK(X.data[3] == 2.5e-30f && X.data[4] == -1.75e-30f);
    graco_matrix_clear(&X);
    graco_dataset_free(data);
}

static void read_all(char *text, size_t size, const char *run, const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", run, name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
}

/* Trains `epochs`, then resumes to six; the settings have fractions. */
static void train(const char *run, const graco_dataset *data, int64_t epochs, bool resume)
{
    graco_train_options options = {.run = run, .resume = resume};
    graco_config config;

    preset_config(&config, NULL);
    config.hidden = 8;
    config.tau = 0.45;
    config.lr = 0.0015;
    config.epochs = epochs;
    config.device = DEVICE_CPU;
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
}

/* A run of one locale is the run of the other: same settings, metrics and embeddings, and either
 * can continue the other's. */
static void test_run(const char *comma)
{
    const char *c_run = fixture_path("c-run"), *comma_run = fixture_path("comma-run");
    char a[1 << 14], b[1 << 14];
    graco_dataset *data = fixture_data(.nodes = 60);
    graco_model *model = NULL;

    train(comma_run, data, 3, false);
    CHECK(setlocale(LC_ALL, "C") != NULL);
    train(c_run, data, 3, false);
    train(comma_run, data, 6, true);
    CHECK(setlocale(LC_ALL, comma) != NULL && is_comma());
    train(c_run, data, 6, true);
    read_all(a, sizeof a, c_run, "config.json");
    read_all(b, sizeof b, comma_run, "config.json");
    CHECK(strstr(a, "\"tau\": 0.45") != NULL);
    CHECK(strcmp(a, b) == 0);
    read_all(b, sizeof b, comma_run, "metrics.jsonl");
    CHECK(strstr(b, "\"loss\"") != NULL);
    for (char *at = b; (at = strchr(at, ',')); at++) /* between members only */
        CHECK(at[1] == ' ' || at[1] == '"');
    CHECK_OK(graco_model_load(&model, c_run));
    CHECK(model->config.tau == 0.45 && model->config.lr == 0.0015);
    graco_model_free(model);
    graco_dataset_free(data);
    CHECK(fixture_same_file(c_run, comma_run, "embeddings.npy"));
}

/* A locale of the thread alone, which uselocale of ours must put back. */
static void test_thread(void)
{
    locale_t own = duplocale(LC_GLOBAL_LOCALE);

    CHECK(own != (locale_t)0);
    CHECK(setlocale(LC_ALL, "C") != NULL);
    uselocale(own);
    CHECK(is_comma());
    test_numbers();
    test_config();
    CHECK(is_comma() && uselocale((locale_t)0) == own);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(own);
}

int main(void)
{
    char name[256];

    bool found = choose_comma();
    if (found) {
        snprintf(name, sizeof name, "%s", setlocale(LC_ALL, NULL));
        test_numbers();
        test_config();
        test_table();
        test_run(name);
        CHECK(is_comma()); /* still the host's */
        test_thread();
    }
    if (!found)
        check_skip("no locale with a decimal comma, and localedef cannot make one");
    return check_result();
}
