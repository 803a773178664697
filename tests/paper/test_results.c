/* results.json: what is read, and that a wrong, cut or hostile file is refused with one line. */
#include "check.h"

#include "paper/report.h"
#include "paper/small_results.h"

static graco_status parse(struct results **out, const char *text)
{
    return results_parse(out, text, (int64_t)strlen(text));
}

static void reading(void)
{
    struct results *r = NULL;
    int64_t first, count;
    CHECK_OK(parse(&r, SMALL_RESULTS));
    CHECK(r->sample_count == 3 && r->item_count == 4 && r->claim_count == 1);
    results_find(&first, &count, r, "cora grace");
    CHECK(first == 1 && count == 2 && r->scores[1].seed == 0 && r->scores[2].seed == 1);
    results_find(&first, &count, r, "cora");
    CHECK(count == 0);
    const struct results_sample *sample = &r->samples[2];
    CHECK(sample->epoch.count == 3 && isnan(sample->information.at[0]) && sample->loss.at[2] == 2);
    CHECK(sample->classes == 2 && strcmp(sample->class_names[0], "a") == 0);
    CHECK(sample->class_of[0] == 1 && sample->class_of[1] == 0 && sample->class_of[2] == 1);

    const struct results_cell *cells = r->items[0].cells.at;
    CHECK(cells[0].state == RESULTS_QUICK); /* "run" in the file, but a sample was quick */
    CHECK(cells[1].state == RESULTS_QUOTED);
    struct summary s = cells[0].ours;
    CHECK(s.seeds == 2 && fabs(s.mean - 82.125) < 1e-12 && fabs(s.error - 0.625) < 1e-12);
    struct comparison c = report_compare(&cells[0]);
    CHECK(c.mark == SHEET_WITHIN && fabs(c.difference + 1.175) < 1e-12 && !c.beyond);
    c = report_compare(&cells[1]); /* quoted: ours stays out, though there is a sample */
    CHECK(c.ours.seeds == 0 && isnan(c.difference) && c.mark == SHEET_NONE);
    s = r->items[2].panels[0].lines[0].cells.at[0].ours;
    CHECK(s.seeds == 1 && s.mean == 1.25 && isnan(s.error)); /* a value that one of two has */
    CHECK(strcmp(r->items[3].facts.at[1], "2.5") == 0 && strcmp(r->items[3].facts.at[2], "") == 0);
    CHECK(strcmp(results_explanation(r, "cora grace"), "e") == 0);
    CHECK(!results_explanation(r, "cora dgi"));
    results_free(r);
}

/* Marks: within two errors, within 0.5 points, above, below; and a look-alike has none. */
static void marks(void)
{
    static const struct {
        const char *scores, *more;
        double paper;
        enum sheet_mark mark;
        bool beyond;
    } cases[] = {
        {"[80]],[[81]", "", 81.4, SHEET_WITHIN, false}, /* error 0.5: 0.9 away */
        {"[80]],[[81]", "", 82, SHEET_BELOW, true},
        {"[80]],[[81]", "", 79, SHEET_ABOVE, true},
        {"[80]],[[80]", "", 80.5, SHEET_WITHIN, true}, /* error 0, but half a point */
        {"[80]],[[80]", "", 80.6, SHEET_BELOW, true},
        {"[80]", "", 80.4, SHEET_WITHIN, false},
        {"[80]", "", 80.6, SHEET_BELOW, false}, /* one seed: points alone decide */
        {"[80]", "\"source\":\"look-alike\",", 80, SHEET_NONE, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], first[16], second[64] = "";
        const char *gap = strstr(cases[i].scores, "],[");
        size_t length = gap ? (size_t)(gap - cases[i].scores) : strlen(cases[i].scores);
        snprintf(first, sizeof first, "%.*s", (int)length, cases[i].scores);
        if (gap)
            snprintf(second, sizeof second, ",{\"key\":\"k\",\"seed\":1,\"scores\":%s}", gap + 3);
        snprintf(text, sizeof text,
                 "{\"format\":1,\"samples\":[{%s\"key\":\"k\",\"seed\":0,\"scores\":%s}%s],"
                 "\"items\":[{\"name\":\"t\",\"kind\":\"table\",\"rows\":[\"r\"],\"columns\":"
                 "[\"c\"],\"cells\":[{\"row\":0,\"column\":0,\"key\":\"k\",\"paper\":%.1f}]}],"
                 "\"claims\":[],\"explanations\":[]}",
                 cases[i].more, first, second, cases[i].paper);
        struct results *r = NULL;
        CHECK_OK(parse(&r, text));
        struct comparison c = report_compare(&r->items[0].cells.at[0]);
        if (c.mark != cases[i].mark)
            fprintf(stderr, "case %zu has the mark %d\n", i, (int)c.mark);
        CHECK(c.mark == cases[i].mark && c.beyond == cases[i].beyond);
        results_free(r);
    }
}

/* A file that must be refused, with one line that holds `part`. */
static void refused(const char *text, const char *part)
{
    struct results *r = NULL;
    graco_status status = parse(&r, text);
    if (status != GRACO_ERROR_FORMAT || !strstr(graco_message(), part))
        fprintf(stderr, "%.120s...: '%s', expected '%s'\n", text, graco_message(), part);
    CHECK(status == GRACO_ERROR_FORMAT && !r && strstr(graco_message(), part));
    CHECK(!strchr(graco_message(), '\n'));
    results_free(r);
}

#define WITH_SAMPLES(samples)                                                                      \
    SMALL_HEAD "\"samples\":[" samples "],\"items\":[],\"claims\":[],\"explanations\":[]}"
#define WITH_ITEMS(items)                                                                          \
    SMALL_HEAD "\"samples\":[" SMALL_SAMPLES "],\"items\":[" items "]," SMALL_CLAIMS "}"
#define TABLE(name, cells)                                                                         \
    "{\"name\":\"" name                                                                            \
    "\",\"kind\":\"table\",\"rows\":[\"r\"],\"columns\":[\"c\"],\"cells\":[" cells "]}"

static void wrong_files(void)
{
    refused("", "");
    refused("[]", "\"format\" is missing");
    refused("{\"format\":2}", "\"format\" is 2, expected 1");
    refused("{\"format\":1}", "\"samples\" is missing");
    refused("{\"format\":1,\"samples\":[NaN]}", "");
    refused(WITH_SAMPLES("7"), "samples[0]: ");
    refused(WITH_SAMPLES("{\"key\":\"a\"}"), "\"seed\" is missing");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"scores\":[1,null]}"), "\"scores\"[1] is no");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"scores\":[1e31]}"), "\"scores\"[0] is no");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"scores\":[1e999]}"), "");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0},{\"key\":\"a\",\"seed\":0}"),
            "have the seed 0");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"curve\":{\"epoch\":[1],\"loss\":[]}}"),
            "\"loss\" has 0 numbers, \"epoch\" 1");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1]}}"),
            "\"class\" has 0 items");
    refused(WITH_SAMPLES("{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1],\"class\":"
                         "[null]}}"),
            "neither a number nor a name");
    refused(WITH_ITEMS("{\"name\":\"../x\",\"kind\":\"facts\"}"), "lower-case letters");
    refused(WITH_ITEMS("{\"name\":\"\",\"kind\":\"facts\"}"), "lower-case letters");
    refused(WITH_ITEMS("{\"name\":\"claims\",\"kind\":\"facts\"}"), "uses itself");
    refused(WITH_ITEMS(SMALL_TABLE "," SMALL_TABLE), "items[1]: two items have the name main");
    refused(WITH_ITEMS("{\"name\":\"x\",\"kind\":\"pie\"}"), "\"kind\" is none of");
    refused(WITH_ITEMS(TABLE("t", "{\"row\":1,\"column\":0}")), "\"row\" is 1, expected 0 to 0");
    refused(WITH_ITEMS(TABLE("t", "{\"row\":0,\"column\":-1}")), "\"column\" is -1");
    refused(WITH_ITEMS(TABLE("t", "{\"row\":0,\"column\":0},{\"row\":0,\"column\":0}")),
            "\"cells\" has 2 items, expected at most 1");
    refused(WITH_ITEMS("{\"name\":\"t\",\"kind\":\"table\",\"rows\":[\"r\",\"s\"],\"columns\":"
                       "[\"c\"],\"cells\":[{\"row\":1,\"column\":0},{\"row\":1,\"column\":0}]}"),
            "cells[1] lies where another one does");
    refused(WITH_ITEMS(TABLE("t", "{\"row\":0,\"column\":0,\"state\":\"ran\"}")), "\"state\" is");
    refused(WITH_ITEMS(TABLE("t", "{\"row\":0,\"column\":0,\"paper\":\"x\"}")), "\"paper\" is no");
    refused(WITH_ITEMS("{\"name\":\"f\",\"kind\":\"facts\",\"columns\":[\"a\"],\"rows\":[[]]}"),
            "one per column");
    refused(WITH_ITEMS("{\"name\":\"f\",\"kind\":\"facts\",\"columns\":[\"a\"],\"rows\":[[{}]]}"),
            "neither a string nor a number");
    refused(SMALL_HEAD "\"samples\":[],\"items\":[],\"claims\":[{}],\"explanations\":[]}",
            "claims[0]: ");
    refused(SMALL_HEAD "\"samples\":[],\"items\":[],\"explanations\":[],\"claims\":[{\"text\":\"\","
                       "\"better\":[\"a\",\"b\"],\"worse\":[]}]}",
            "\"better\" has 2 keys, \"worse\" 0");
}

/* Lists that are too long. */
static void long_lists(void)
{
    enum { MANY = 10001 };
    static char list[4 * MANY + 1], text[8 * MANY];
    for (int i = 0; i < MANY; i++)
        snprintf(list + 3 * i, 4, "\"\"%s", i + 1 < MANY ? "," : "");
    snprintf(text, sizeof text,
             SMALL_HEAD "\"samples\":[],\"items\":[{\"name\":\"t\",\"kind\":"
                        "\"table\",\"rows\":[%s]}]}",
             list);
    refused(text, "\"rows\" has 10001 items, expected at most 256");
    for (int i = 0; i < MANY; i++)
        snprintf(list + 2 * i, 3, "1%s", i + 1 < MANY ? "," : "");
    snprintf(text, sizeof text,
             SMALL_HEAD "\"samples\":[{\"key\":\"a\",\"seed\":0,\"scores\":"
                        "[%s]}]}",
             list);
    refused(text, "\"scores\" has 10001 items");
}

/* Words that are too long: they are written again and again. */
static void long_words(void)
{
    char word[1002], text[8192];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    snprintf(text, sizeof text, WITH_SAMPLES("{\"key\":\"a\",\"set\":\"%s\",\"seed\":0}"), word);
    refused(text, "\"set\" has 1001 bytes; expected at most 1000");
    snprintf(text, sizeof text,
             WITH_ITEMS("{\"name\":\"f\",\"kind\":\"facts\",\"columns\":[\"a\",\"%s\"],"
                        "\"rows\":[]}"),
             word);
    refused(text, "\"columns\" has 1001 bytes");
}

/* Cut at every byte, and with every byte changed: refused, or read and written, never a crash. */
static void broken_files(void)
{
    static const char whole[] = SMALL_RESULTS;
    static const char changes[] = "\"0]}:\\,-9";
    char text[sizeof whole];
    int64_t length = (int64_t)sizeof whole - 1, read = 0;
    struct results *r = NULL;
    for (int64_t cut = 0; cut < length; cut++)
        CHECK(results_parse(&r, whole, cut) == GRACO_ERROR_FORMAT && !r);
    for (int64_t at = 0; at < length; at++)
        for (size_t c = 0; c < sizeof changes - 1; c++) {
            memcpy(text, whole, sizeof whole);
            text[at] = changes[c];
            if (parse(&r, text) != GRACO_OK) {
                CHECK(graco_message()[0] && !strchr(graco_message(), '\n'));
                continue;
            }
            struct text html = {0}, markdown = {0};
            CHECK(report_write(&html, &markdown, r, NULL) == GRACO_OK);
            text_clear(&html);
            text_clear(&markdown);
            results_free(r);
            read++;
        }
    printf("%lld changed files could still be read\n", (long long)read);
    CHECK(read > 0);
}

int main(void)
{
    reading();
    marks();
    wrong_files();
    long_lists();
    long_words();
    broken_files();
    return check_result();
}
