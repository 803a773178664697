/* results.json that grows: reading it and writing its report take memory and time that are bounded
 * by its bytes, whatever they hold. A file is a beginning, a piece that is repeated, and an end. */
#include "growth.h"

#include "paper/report.h"

struct bytes {
    const char *data;
    int64_t length;
};

#define HEAD "{\"format\":1,\"samples\":["
#define FIRST HEAD "{\"key\":\"a\",\"seed\":0}"
#define MAP HEAD "{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[],\"y\":[],\"class\":[1"
#define GRACE HEAD "{\"key\":\"cora grace\",\"seed\":999999}"

/* Of a piece, %d is its number. */
static const struct growing {
    const char *what, *before, *piece, *after;
} rows[] = {
    {"samples of many keys", FIRST, ",{\"key\":\"%d\",\"seed\":0}", "]}"},
    {"seeds of one key", GRACE,
     ",{\"key\":\"cora grace\",\"seed\":%d,\"scores\":[80.25,81.25,82.25,83.25,84.25,85.25]}",
     "]}"},
    {"values of one key", GRACE,
     ",{\"key\":\"cora grace\",\"seed\":%d,\"values\":{\"loss\":1,\"gap\":1}}", "]}"},
    {"scores of one sample", HEAD "{\"key\":\"a\",\"seed\":0,\"scores\":[1", ",1", "]}]}"},
    {"maps", FIRST, ",{\"key\":\"%d\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1],\"class\":[1]}}",
     "]}"},
    {"curves", FIRST,
     ",{\"key\":\"%d\",\"seed\":0,\"curve\":{\"epoch\":[1],\"loss\":[1],\"mutual_information\":[1]}"
     "}",
     "]}"},
    {"classes of one map", MAP, ",%d", "]}}]}"},
    {"fields that nobody reads", "{\"format\":1,\"x\":[1", ",%d", "],\"samples\":[]}"},
};

static struct bytes make(char *to, int64_t room, const struct growing *row, int64_t wanted)
{
    int64_t length = snprintf(to, (size_t)room, "%s", row->before);
    for (int i = 0; length < wanted; i++)
        length += snprintf(to + length, (size_t)(room - length), row->piece, i);
    length += snprintf(to + length, (size_t)(room - length), "%s", row->after);
    return (struct bytes){to, length};
}

static graco_status run(const void *how)
{
    const struct bytes *in = how;
    struct results *results = NULL;
    struct report_about about = {0};
    struct text html = {0}, markdown = {0};
    graco_status status = results_parse(&results, in->data, in->length);
    if (status == GRACO_OK)
        status = report_write(&html, &markdown, results, NULL, &about);
    text_clear(&html);
    text_clear(&markdown);
    results_free(results);
    return status;
}

/* A file, merged with itself; the seeds that are there come after all that are taken. */
static graco_status run_merge(const void *how)
{
    const struct bytes *in = how;
    struct results *results = NULL, *other = NULL;
    int64_t taken = 0;
    graco_status status = results_parse(&results, in->data, in->length);
    for (int64_t i = 0; status == GRACO_OK && i < results->count; i++)
        results->samples[i].seed += 1 << 24;
    if (status == GRACO_OK)
        status = results_parse(&other, in->data, in->length);
    int64_t wanted = status == GRACO_OK ? other->count : 0;
    if (status == GRACO_OK)
        status = results_merge(results, &taken, other);
    CHECK(status != GRACO_OK || (taken == wanted && results->count == 2 * wanted));
    results_free(results);
    return status;
}

static void merging(char *to, int64_t room, struct growth_limit limit)
{
    static const struct growing row = {"two files that are merged", GRACE,
                                       ",{\"key\":\"cora grace\",\"seed\":%d}", "]}"};
    struct growth_cost cost[2];
    for (int large = 0; large < 2; large++) {
        int64_t wanted = (int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1);
        struct bytes in = make(to, room, &row, wanted);
        cost[large] = growth_measure(run_merge, &in, 2 * in.length);
    }
    growth_check(row.what, cost, limit);
    CHECK(cost[1].status == GRACO_OK);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    int64_t room = (int64_t)2 * GROWTH_TIMES * GROWTH_SMALL;
    char *to = malloc((size_t)room);
    /* The manifest's own cells are the same for all. */
    struct growth_limit limit = {.memory = 64, .time = 1, .base = 4 << 20};
    for (int i = 0; i < ROWS; i++) {
        struct growth_cost cost[2];
        for (int large = 0; large < 2; large++) {
            int64_t wanted = (int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1);
            struct bytes in = make(to, room, &rows[i], wanted);
            cost[large] = growth_measure(run, &in, in.length);
        }
        growth_check(rows[i].what, cost, limit);
        CHECK(cost[1].status == (strstr(rows[i].what, "classes") ? GRACO_ERROR_FORMAT : GRACO_OK));
    }
    merging(to, room, limit);
    __real_free(to);
    return check_result();
}
