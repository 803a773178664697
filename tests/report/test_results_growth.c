/* results.json that grows: reading it and writing its report take memory and time that are bounded
 * by its bytes, whatever they hold. A file is a beginning, a piece that is repeated, and an end.
 * */
#include "growth.h"

#include "report/report.h"

struct bytes {
    const char *data;
    int64_t length;
};

#define HEAD "{\"format\":1,\"samples\":["
#define NO_ITEMS "],\"items\":[],\"claims\":[],\"explanations\":[]}"

/* Of a piece, %d is its number. */
static const struct row {
    const char *what, *before, *piece, *after;
} rows[] = {
    {"samples of many keys", HEAD "{\"key\":\"a\",\"seed\":0}", ",{\"key\":\"%d\",\"seed\":0}",
     NO_ITEMS},
    {"seeds of one key", HEAD "{\"key\":\"a\",\"seed\":-1}",
     ",{\"key\":\"a\",\"seed\":%d,\"scores\":[80.25,81.25,82.25,83.25,84.25,85.25,86.25]}",
     NO_ITEMS},
    {"scores of one sample", HEAD "{\"key\":\"a\",\"seed\":0,\"scores\":[%d", ",1", "]}" NO_ITEMS},
    {"maps", HEAD "{\"key\":\"a\",\"seed\":0}",
     ",{\"key\":\"%d\",\"seed\":0,\"points\":{\"x\":[1],\"y\":[1],\"class\":[1]}}", NO_ITEMS},
    {"curves", HEAD "{\"key\":\"a\",\"seed\":0}",
     ",{\"key\":\"%d\",\"seed\":0,\"curve\":{\"epoch\":[1],\"loss\":[1],\"mutual_information\":[1]}"
     "}",
     NO_ITEMS},
    {"classes of one map",
     HEAD "{\"key\":\"a\",\"seed\":0,\"points\":{\"x\":[],\"y\":[],\"class\":["
          "1",
     ",%d", "]}}" NO_ITEMS},
    {"fields that nobody reads", "{\"format\":1,\"x\":[1", ",%d", "],\"samples\":[" NO_ITEMS},
    {"long words", HEAD "],\"items\":[{\"name\":\"t\",\"kind\":\"facts\",\"columns\":[\"", "<&'%d",
     "\"],\"rows\":[]}],\"claims\":[],\"explanations\":[]}"},
    {"claims",
     HEAD "{\"key\":\"a\",\"seed\":0,\"scores\":[1,2]}],\"items\":[],\"explanations\":[],"
          "\"claims\":[{\"text\":\"\",\"better\":[],\"worse\":[]}",
     ",{\"text\":\"%d\",\"better\":[\"a\",\"a\"],\"worse\":[\"a\",\"a\"]}", "]}"},
    {"empty tables",
     HEAD "],\"claims\":[],\"explanations\":[],\"items\":[{\"name\":\"t\",\"kind\":"
          "\"table\",\"rows\":[\"\"],\"columns\":[],\"cells\":[]}",
     ",{\"name\":\"t%d\",\"kind\":\"table\",\"rows\":[\"\"],\"columns\":[\"\"],\"cells\":[]}",
     "]}"},
};

static struct bytes make(char *to, int64_t room, const struct row *row, int64_t wanted)
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
    struct text html = {0}, markdown = {0};
    graco_status status = results_parse(&results, in->data, in->length);
    if (status == GRACO_OK)
        status = report_write(&html, &markdown, results, NULL);
    text_clear(&html);
    text_clear(&markdown);
    results_free(results);
    return status;
}

int main(void)
{
    int64_t room = (int64_t)2 * GROWTH_TIMES * GROWTH_SMALL;
    char *to = malloc((size_t)room);
    struct growth_limit limit = {.memory = 64, .time = 2, .base = 1 << 20};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct growth_cost cost[2];
        for (int large = 0; large < 2; large++) {
            struct bytes in =
                make(to, room, &rows[i], (int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1));
            cost[large] = growth_measure(run, &in, in.length);
        }
        growth_check(rows[i].what, cost, limit);
    }
    __real_free(to);
    return check_result();
}
