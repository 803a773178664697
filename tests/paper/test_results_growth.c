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
    __real_free(to);
    return check_result();
}
