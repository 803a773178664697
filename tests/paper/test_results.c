/* results.json: what is read, written again and merged, what a cell comes to, and that a wrong, cut or hostile file is
 * refused with one line. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/hostile.h"

#include "paper/report.h"
#include "paper/small_results.h"

static struct results *empty(void)
{
    struct results *results = NULL;
    CHECK_OK(results_open(&results, "/nowhere/results.json", false));
    CHECK(results->count == 0);
    return results;
}

static struct results *parse(const char *text)
{
    struct results *results = NULL;
    CHECK_OK(results_parse(&results, text, (int64_t)strlen(text)));
    return results;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void reading(void)
{
    struct results *r = parse(SMALL_RESULTS);
    int64_t first;
    CHECK(r->count == 4 && !r->made.quick && r->made.runs == 2);
    CHECK(strcmp(r->made.machine, "m") == 0);
    CHECK(results_range(&first, r, "cora grace") == 2 && first == 2);
    CHECK(r->samples[2].seed == 0 && r->samples[3].seed == 1);
    CHECK(results_range(&first, r, "cora") == 0);
    CHECK(!results_find(r, "cora grace", 2) && !results_find(r, "cora", 0));
    const struct sample *sample = results_find(r, "cora grace", 1);
    CHECK(sample->quick && sample->epoch.count == 3 && sample->losses.at[2] == 2);
    CHECK(isnan(sample->informations.at[0]) && sample->informations.at[1] == 1);
    CHECK(sample->x.count == 3 && sample->class_of.at[0] == 1 && sample->class_of.at[1] == 0);
    CHECK(results_value(sample, "loss") == 1.25 && isnan(results_value(sample, "gap")));
    CHECK(isnan(results_value(sample, "log_n")) && isnan(results_value(sample, "nodes")));
    sample = results_find(r, "cora dataset", 0);
    CHECK(sample->nodes == 2708 && sample->duplicates == 302 && sample->self_loops == 0);
    CHECK(strcmp(report_label(r, "cora grace"), "quick") == 0 && !*report_label(r, "cora dgi"));
    CHECK(strcmp(report_label(r, "cora gae"), "missing") == 0);
    CHECK(report_explanation("cora sgc") && !report_explanation("cora grace"));
    results_free(r);
}

static struct score_cell show(const struct results *results, const struct cell *cell)
{
    struct seed_scores scores[4] = {0};
    struct report report = {.results = results, .scores = scores};
    struct report_about about = {0};
    struct score_cell shown;
    for (int64_t i = 0; i < results->count; i++)
        scores[i] = (struct seed_scores){.seed = results->samples[i].seed,
                                         .splits = results->samples[i].scores.count,
                                         .scores = results->samples[i].scores.at};
    report_show(&shown, &report, cell, &about);
    return shown;
}

static void cells(void)
{
    struct results *r = parse(SMALL_RESULTS);
    struct cell cell = {.item = manifest_items, .method = "grace", .quick = "epochs=1"};
    cell.paper = (struct printed){83.3, 0.4, true};
    strcpy(cell.key[0], "cora grace");
    struct score_cell shown = show(r, &cell);
    CHECK(strcmp(shown.label, "quick") == 0 && strstr(shown.note, "few splits, epochs=1"));
    CHECK(shown.ours.seeds == 2 && fabs(shown.ours.mean - 82.125) < 1e-12);
    CHECK(fabs(shown.ours.error - 0.625) < 1e-12 && fabs(shown.difference + 1.175) < 1e-12);
    CHECK(shown.mark == SHEET_WITHIN && !report_beyond(&shown));
    cell.value = "loss"; /* that one of two has */
    shown = show(r, &cell);
    CHECK(shown.ours.seeds == 1 && shown.ours.mean == 1.25 && isnan(shown.ours.error));
    cell.value = NULL;
    strcpy(cell.key[0], "cora gae");
    strcpy(cell.key[1], "cora gae epochs=1");
    shown = show(r, &cell);
    CHECK(strcmp(shown.label, "missing") == 0 && strstr(shown.note, "graco fetch cora"));
    CHECK(shown.ours.seeds == 0 && isnan(shown.difference) && shown.mark == SHEET_NONE);
    strcpy(cell.key[1],
           "cora dgi"); /* what --quick trained, if the paper's training is not there */
    CHECK(!*show(r, &cell).label);
    cell.left_out = "x"; /* but not where that lacks what the cell shows */
    CHECK(strcmp(show(r, &cell).label, "missing") == 0);
    results_free(r);
}

/* Marks: within two errors, within 0.5 points, above, below; and a look-alike has none. */
static void marks(void)
{
    static const struct {
        const char *first, *second, *more;
        double paper;
        enum sheet_mark mark;
        bool beyond;
    } cases[] = {
        {"80", "81", "", 81.4, SHEET_WITHIN, false}, /* error 0.5: 0.9 away */
        {"80", "81", "", 82, SHEET_BELOW, true},
        {"80", "81", "", 79, SHEET_ABOVE, true},
        {"80", "80", "", 80.5, SHEET_WITHIN, true}, /* error 0, but half a point */
        {"80", "80", "", 80.6, SHEET_BELOW, true},
        {"80", NULL, "", 80.4, SHEET_WITHIN, false},
        {"80", NULL, "", 80.6, SHEET_BELOW, false}, /* one seed: points alone decide */
        {"80", NULL, "\"source\":\"look-alike\",", 80, SHEET_NONE, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], second[64] = "";
        struct cell cell = {.item = manifest_items, .method = "grace", .quick = "", .key = {"k"}};
        cell.paper = (struct printed){cases[i].paper, NAN, true};
        if (cases[i].second)
            snprintf(second, sizeof second, ",{\"key\":\"k\",\"seed\":1,\"scores\":[%s]}",
                     cases[i].second);
        snprintf(text, sizeof text,
                 "{\"format\":1,\"samples\":[{%s\"key\":\"k\",\"seed\":0,\"scores\":[%s]}%s]}",
                 cases[i].more, cases[i].first, second);
        struct results *r = parse(text);
        struct score_cell shown = show(r, &cell);
        if (shown.mark != cases[i].mark)
            fprintf(stderr, "case %zu has the mark %d\n", i, (int)shown.mark);
        CHECK(shown.mark == cases[i].mark && report_beyond(&shown) == cases[i].beyond);
        results_free(r);
    }
}

/* ---- Refusing -------------------------------------------------------------------------------- */

/* A file that must be refused, with one line that holds `part`. */
static void refused(const char *text, const char *part)
{
    struct results *r = NULL;
    graco_status status = results_parse(&r, text, (int64_t)strlen(text));
    if (status != GRACO_ERROR_FORMAT || !strstr(graco_message(), part))
        fprintf(stderr, "%.120s...: '%s', expected '%s'\n", text, graco_message(), part);
    CHECK(status == GRACO_ERROR_FORMAT && !r && strstr(graco_message(), part));
    CHECK(!strchr(graco_message(), '\n'));
    results_free(r);
}

#define WITH(sample) SMALL_HEAD "\"samples\":[" sample "]}"
#define MAP(class)                                                                                 \
    "{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1],\"class\":[" class "]}}"

static void wrong_files(void)
{
    refused("", "");
    refused("[]", "\"format\" is missing");
    refused("{\"format\":2}", "\"format\" is 2, expected 1");
    refused("{\"format\":1}", "\"samples\" is missing");
    refused("{\"format\":1,\"samples\":[NaN]}", "");
    refused(WITH("7"), "samples[0]: ");
    refused(WITH("{\"key\":\"a\"}"), "\"seed\" is missing");
    refused(WITH("{\"seed\":1}"), "\"key\" is missing");
    refused(WITH("{\"key\":null,\"seed\":1}"), "\"key\" is null");
    refused(WITH("{\"key\":1,\"seed\":1}"), "\"key\"");
    refused(WITH("{\"key\":\"a\",\"seed\":0.5}"), "\"seed\"");
    refused(WITH("{\"key\":\"a\",\"seed\":-1}"), "\"seed\" is -1, expected 0 to");
    refused(WITH("{\"key\":\"a\",\"seed\":9223372036854775807}"), "9223372036854775806");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"scores\":[1,null]}"), "\"scores\" is missing");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"scores\":[1e31]}"), "above 1e+30");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"scores\":[1e999]}"), "");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"scores\":[\"a\"]}"), "\"scores\"");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"values\":{\"loss\":1e31}}"), "\"loss\"");
    refused(WITH("{\"key\":\"a\",\"seed\":0},{\"key\":\"a\",\"seed\":0}"), "have the seed 0");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"curve\":{\"epoch\":[1],\"loss\":[]}}"), "differ");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1]}}"), "differ");
    refused(WITH("{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1],\"class\":[null]}}"),
            "\"class\"");
    refused(WITH(MAP("2147483647")), "\"class\" has 2.14748e+09, expected whole numbers");
    refused(WITH(MAP("-1073741825")), "from -1073741824 to 1073741824");
    refused(WITH(MAP("0.5")), "\"class\" has 0.5");
    results_free(parse(WITH(MAP("-1073741824")))); /* the least */
    results_free(parse(WITH(MAP("1073741824"))));
    refused("{\"format\":1,\"made\":{\"machine\":3},\"samples\":[]}", "\"machine\"");
}

/* Words that are too long: they are written again and again. */
static void long_words(void)
{
    char word[1002], text[4096];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    snprintf(text, sizeof text, WITH("{\"key\":\"a\",\"set\":\"%s\",\"seed\":0}"), word);
    refused(text, "\"set\" has 1001 bytes; expected at most 1000");
    snprintf(text, sizeof text, "{\"format\":1,\"made\":{\"machine\":\"%s\"},\"samples\":[]}",
             word);
    refused(text, "\"machine\" has 1001 bytes");
}

/* Cut at every byte, and with every byte changed: refused, or read and written, never a crash. */
static void broken_files(void)
{
    static const char whole[] = SMALL_RESULTS, changes[] = "\"0]}:\\,-9";
    char text[sizeof whole];
    int64_t length = (int64_t)sizeof whole - 1, read = 0;
    struct report_about about = {0};
    for (int64_t at = 0; at < length; at++)
        for (size_t c = 0; c < sizeof changes; c++) { /* the last is a NUL: it ends there */
            struct results *r = NULL;
            struct text html = {0}, markdown = {0};
            memcpy(text, whole, sizeof whole);
            text[at] = changes[c];
            graco_status status = results_parse(&r, text, changes[c] ? length : at);
            CHECK(changes[c] || status == GRACO_ERROR_FORMAT);
            if (status == GRACO_OK && read++ % 8 == 0)
                CHECK_OK(report_write(&html, &markdown, r, NULL, &about));
            CHECK(status == GRACO_OK || (graco_message()[0] && !strchr(graco_message(), '\n')));
            text_clear(&html);
            text_clear(&markdown);
            results_free(r);
        }
    printf("%lld changed files could still be read\n", (long long)read);
    CHECK(read > 0);
}

/* ---- Adding, saving, merging ----------------------------------------------------------------- */

static void add(struct results *results, const char *key, int64_t seed, const char *settings,
                bool quick)
{
    struct sample sample = results_sample();
    sample.key = key;
    sample.settings = settings;
    sample.seed = seed;
    sample.quick = quick;
    sample.loss = 1. / 3;
    CHECK_OK(memory_alloc(&sample.scores.at, 2, sizeof *sample.scores.at));
    sample.scores.count = 2;
    sample.scores.at[0] = 2. / 3;
    sample.scores.at[1] = 80;
    CHECK_OK(results_add(results, &sample));
}

static void adding(const char *folder)
{
    const char *path = hostile_path(folder, "results.json");
    struct results *r = empty(), *again = NULL, *third = NULL;
    uint8_t *first = NULL, *second = NULL;
    int64_t lengths[2] = {0}, place;
    add(r, "b", 1, "w1", true);
    add(r, "a", 10, "w0", false);
    add(r, "a b", 0, "w2", false);
    add(r, "b", 0, "w3", false);
    add(r, "b", 1, "new", false);
    CHECK(r->count == 4 && strcmp(results_find(r, "b", 1)->settings, "new") == 0);
    CHECK(results_range(&place, r, "b") == 2 && place == 2 && !results_find(r, "b", 1)->quick);
    r->made = (struct made){.device = "cpu", .machine = "m", .runs = 3};
    CHECK_OK(results_save(r, path));
    CHECK_OK(results_open(&again, path, true));
    CHECK(again->count == 4 && strcmp(again->made.machine, "m") == 0 && again->made.runs == 3);
    CHECK(again->samples[0].scores.at[0] == 0.666666666667 && again->samples[0].scores.at[1] == 80);
    CHECK_FAILS(results_open(&third, path, true), GRACO_ERROR_IO, "in use");
    CHECK_OK(file_read(&first, &lengths[0], path, 1 << 20));
    CHECK(strstr((char *)first, "\"key\": \"a\"") < strstr((char *)first, "\"key\": \"a b\""));
    CHECK_OK(results_save(again, path)); /* what is read back is written as it was */
    CHECK_OK(file_read(&second, &lengths[1], path, 1 << 20));
    CHECK(lengths[0] == lengths[1] && memcmp(first, second, (size_t)lengths[0]) == 0);
    results_free(again);
    results_free(r);
    memory_free(first);
    memory_free(second);
}

static void merging(const char *folder)
{
    const char *path = hostile_path(folder, "results.json"); /* that `adding` left */
    struct results *ours = empty(), *theirs = NULL;
    int64_t taken;
    add(ours, "a", 10, "ours", true);
    add(ours, "b", 0, "ours", false);
    add(ours, "z", 0, "ours", false);
    for (int again = 0; again < 2; again++) {
        CHECK_OK(results_open(&theirs, path, false));
        CHECK(theirs->count == 4);
        CHECK_OK(results_merge(ours, &taken, theirs));
        CHECK(taken == (again ? 0 : 3) && ours->count == 5);
    }
    CHECK(!results_find(ours, "a", 10)->quick); /* theirs is not */
    CHECK(strcmp(results_find(ours, "b", 0)->settings, "ours") == 0);
    CHECK(strcmp(ours->made.device, "cpu") == 0);
    results_free(ours);
}

/* Whatever is no whole file of samples is refused by name. */
static void foreign(const char *folder)
{
    static const char *const texts[] = {"",
                                        "{}",
                                        "[]",
                                        "not JSON",
                                        "{\"format\": 1}",
                                        "{\"format\": 1, \"samples\": {}}",
                                        "{\"format\": 1, \"samples\": [{\"key\": \"a\"}]}"};
    const char *path = hostile_path(folder, "foreign.json");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct results *read = NULL;
        CHECK_OK(file_write_atomic(path, texts[i], (int64_t)strlen(texts[i])));
        CHECK_FAILS(results_open(&read, path, true), GRACO_ERROR_FORMAT, "foreign.json");
        CHECK(!read && hostile_files(folder) == 2); /* no lock is left */
    }
}

int main(void)
{
    const char *folder = fixture_folder();
    reading();
    cells();
    marks();
    wrong_files();
    long_words();
    broken_files();
    adding(folder);
    merging(folder);
    foreign(folder);
    return check_result();
}
