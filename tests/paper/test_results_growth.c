/* results.json that grows: reading it and writing its report take memory and time that are bounded
 * by its bytes, whatever they hold. A file is a beginning, a piece that is repeated, and an end; or two
 * pieces, where samples meet what refers to them. */
#include "growth.h"

#include "paper/report.h"

#include <limits.h>

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

/* All places of the largest table. */
#define WORDS_8 "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\""
#define WORDS_32 WORDS_8 "," WORDS_8 "," WORDS_8 "," WORDS_8
#define WORDS_128 WORDS_32 "," WORDS_32 "," WORDS_32 "," WORDS_32
#define TABLE                                                                                      \
    "],\"claims\":[],\"explanations\":[],\"items\":[{\"name\":\"t\",\"kind\":\"table\",\"rows\":"  \
    "[" WORDS_128 "," WORDS_128 "],\"columns\":[" WORDS_32 "],\"cells\":[{\"row\":0,\"column\":0}"

/* A claim with as many keys as it may have. */
#define KEYS_8 "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\""
#define KEYS_32 KEYS_8 "," KEYS_8 "," KEYS_8 "," KEYS_8
#define CLAIM "{\"text\":\"\",\"better\":[" KEYS_32 "],\"worse\":[" KEYS_32 "]}"

/* The first piece comes `most` times, or until half of the file is full; then the other fills it. The %d
 * of a cell are its row and its column. */
static const struct meeting {
    const char *what, *before, *piece;
    int most;
    const char *between, *again, *after;
} meetings[] = {
    {"samples of one key, times cells", HEAD "{\"key\":\"a\",\"seed\":-1}",
     ",{\"key\":\"a\",\"seed\":%d,\"values\":{\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1}}",
     RESULTS_RUNS - 1, TABLE, ",{\"row\":%d,\"column\":%d,\"key\":\"a\",\"value\":\"h\"}", "]}]}"},
    {"samples of one key, times claims",
     "{\"format\":1,\"items\":[],\"explanations\":[],\"claims\":[" CLAIM, "," CLAIM,
     RESULTS_CLAIMS - 1, "],\"samples\":[{\"key\":\"a\",\"seed\":-1}",
     ",{\"key\":\"a\",\"seed\":%d,\"scores\":[1,1,1,1,1,1,1,1]}", "]}"},
};

/* Puts a piece `most` times, or until there are so many bytes. */
static int64_t put(char *to, int64_t room, int64_t length, const char *piece, int most,
                   int64_t wanted)
{
    bool cell = strstr(piece, "\"column\"");
    for (int i = 0; i < most && length < wanted; i++)
        length += cell ? snprintf(to + length, (size_t)(room - length), piece,
                                  (i + 1) / RESULTS_COLUMNS, (i + 1) % RESULTS_COLUMNS)
                       : snprintf(to + length, (size_t)(room - length), piece, i);
    return length;
}

static struct bytes make(char *to, int64_t room, const struct row *row, int64_t wanted)
{
    int64_t length = snprintf(to, (size_t)room, "%s", row->before);
    length = put(to, room, length, row->piece, INT_MAX, wanted);
    length += snprintf(to + length, (size_t)(room - length), "%s", row->after);
    return (struct bytes){to, length};
}

static struct bytes make_meeting(char *to, int64_t room, const struct meeting *m, int64_t wanted)
{
    int64_t length = snprintf(to, (size_t)room, "%s", m->before);
    length = put(to, room, length, m->piece, m->most, wanted / 2);
    length += snprintf(to + length, (size_t)(room - length), "%s", m->between);
    length = put(to, room, length, m->again, INT_MAX, wanted);
    length += snprintf(to + length, (size_t)(room - length), "%s", m->after);
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
    enum { ROWS = sizeof rows / sizeof *rows, MEETINGS = sizeof meetings / sizeof *meetings };
    int64_t room = (int64_t)2 * GROWTH_TIMES * GROWTH_SMALL;
    char *to = malloc((size_t)room);
    struct growth_limit limit = {.memory = 64, .time = 1, .base = 1 << 20};
    for (int i = 0; i < ROWS + MEETINGS; i++) {
        const struct meeting *meeting = i < ROWS ? NULL : &meetings[i - ROWS];
        struct growth_cost cost[2];
        for (int large = 0; large < 2; large++) {
            int64_t wanted = (int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1);
            struct bytes in = meeting ? make_meeting(to, room, meeting, wanted)
                                      : make(to, room, &rows[i], wanted);
            cost[large] = growth_measure(run, &in, in.length);
        }
        growth_check(meeting ? meeting->what : rows[i].what, cost, limit);
        CHECK(!meeting || cost[1].status == GRACO_OK);
    }
    __real_free(to);
    return check_result();
}
