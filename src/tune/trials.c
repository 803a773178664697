/* The list is kept in order, so that finding, saving and ranking see the same order in every call. The
 * first fields of a row of trials.csv are all that a search needs to go on; the settings behind them, which it
 * draws again, are for people. */
#include "tune/trials.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "eval/structure.h"
#include "io/files/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

/* ---- The list -------------------------------------------------------------------------------- */

static int compare(const struct measurement *a, int64_t trial, int64_t seed, int64_t epochs)
{
    if (a->trial != trial)
        return a->trial < trial ? -1 : 1;
    if (a->seed != seed)
        return a->seed < seed ? -1 : 1;
    return a->epochs < epochs ? -1 : a->epochs > epochs;
}

/* The place of the first measurement that does not come before. */
static int64_t place_of(const struct trials *trials, int64_t trial, int64_t seed, int64_t epochs)
{
    int64_t low = 0, high = trials->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (compare(&trials->list[middle], trial, seed, epochs) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

graco_status trials_add(struct trials *trials, const struct measurement *one)
{
    int64_t at = place_of(trials, one->trial, one->seed, one->epochs);
    if (at == trials->count || compare(&trials->list[at], one->trial, one->seed, one->epochs) > 0) {
        PASS(memory_reserve(&trials->list, &trials->room, trials->count, trials->count + 1,
                            sizeof *trials->list));
        memmove(trials->list + at + 1, trials->list + at,
                (size_t)(trials->count - at) * sizeof *trials->list);
        trials->count++;
    }
    trials->list[at] = *one;
    return GRACO_OK;
}

struct measurement *trials_find(const struct trials *trials, int64_t trial, int64_t seed,
                                int64_t epochs)
{
    int64_t at = place_of(trials, trial, seed, epochs);
    bool there = at < trials->count && compare(&trials->list[at], trial, seed, epochs) == 0;
    return there ? &trials->list[at] : NULL;
}

void trials_cut(struct trials *trials, int64_t first)
{
    trials->count = place_of(trials, first, 0, 0);
}

void trials_clear(struct trials *trials)
{
    memory_free(trials->list);
    *trials = (struct trials){0};
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* A number and whose it is. */
struct ranked {
    double value;
    int64_t index;
};

static int compare_values(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

double trials_score(const struct measurement *one, graco_criterion criterion)
{
    double score = criterion == GRACO_CRITERION_VALIDATION ? one->validation
                                                           : structure_score(&one->structure);
    return one->failed || isnan(score) ? -(double)INFINITY : score;
}

graco_status trials_order(int64_t *order, const struct measurement *list, int64_t count,
                          graco_criterion criterion)
{
    struct ranked *sorted = NULL;
    PASS(memory_alloc(&sorted, count, sizeof *sorted));
    for (int64_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){-trials_score(&list[i], criterion), i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_values);
    for (int64_t i = 0; i < count; i++)
        order[i] = sorted[i].index;
    memory_free(sorted);
    return GRACO_OK;
}

/* ---- trials.csv ------------------------------------------------------------------------------ */

static const char HEADER[] =
    "trial,seed,epochs,modularity,columns,edges,validation,seconds,outcome,origin,score";

/* An empty field where there is no number. */
static void write_number(struct text *out, double number)
{
    char words[NUMBER_TEXT] = "";
    if (isfinite(number))
        number_shortest(words, number);
    text_print(out, ",%s", words);
}

static void write_row(struct text *out, const struct measurement *one,
                      const struct trials_table *table)
{
    char value[CONFIG_TEXT];
    text_print(out, "%lld,%lld,%lld", (long long)one->trial, (long long)one->seed,
               (long long)one->epochs);
    write_number(out, one->structure.modularity);
    write_number(out, one->structure.columns);
    write_number(out, one->structure.edges);
    write_number(out, one->validation);
    text_print(out, ",%.3f,%s,%s", one->seconds, one->failed ? "failed" : "measured",
               table->local[one->trial] ? "local" : "random");
    write_number(out, trials_score(one, table->criterion));
    for (int i = 0; i < table->space->count; i++) {
        space_value(value, &table->space->axes[i], table->point[one->trial].at[i]);
        text_add(out, ",");
        text_field(out, value, ',', true);
    }
    text_add(out, "\n");
}

graco_status trials_write(const struct trials *trials, const struct trials_table *table,
                          const char *path)
{
    graco_status status = GRACO_OK;
    struct text out = {0};
    text_add(&out, HEADER);
    for (int i = 0; i < table->space->count; i++) {
        text_add(&out, ",");
        text_field(&out, table->space->axes[i].key, ',', true);
    }
    text_add(&out, "\n");
    for (int64_t i = 0; i < trials->count; i++)
        write_row(&out, &trials->list[i], table);
    TRY(file_write_text(path, &out));
done:
    text_clear(&out);
    return status;
}

/* The next number of a row, NaN where its field is empty; *at moves behind the comma, or becomes NULL. */
static double read_number(const char **at)
{
    char *end = NULL;
    if (!*at)
        return (double)NAN;
    double number = **at == ',' ? (double)NAN : number_parse(*at, &end);
    if (!end)
        end = (char *)*at;
    *at = *end == ',' ? end + 1 : NULL;
    return number;
}

enum { FIELDS = 8, WHOLE_FIELDS = 3 }; /* numbers of a row, and those that count something */
static const char NUMBERS[] = "0123456789.,+-e";

static bool read_row(struct measurement *one, const char *line)
{
    double field[FIELDS];
    const char *begin = line;
    for (int i = 0; i < FIELDS; i++)
        field[i] = read_number(&line);
    if (!line || strspn(begin, NUMBERS) < (size_t)(line - begin))
        return false;
    for (int i = 0; i < FIELDS; i++)
        if (i < WHOLE_FIELDS ? !(field[i] >= 0 && field[i] < 0x1p32 && field[i] == floor(field[i]))
                             : isinf(field[i]))
            return false;
    if (field[0] >= 0x1p31)
        return false;
    *one = (struct measurement){.trial = (int64_t)field[0],
                                .seed = (int64_t)field[1],
                                .epochs = (int64_t)field[2],
                                .structure = {field[3], field[4], field[5]},
                                .validation = field[6],
                                .seconds = field[7],
                                .failed = strncmp(line, "failed,", 7) == 0};
    return one->failed || strncmp(line, "measured,", 9) == 0;
}

graco_status trials_read(struct trials *out, const char *path)
{
    graco_status status = GRACO_OK;
    struct trials read = {0};
    struct measurement one;
    uint8_t *bytes = NULL;
    int64_t length = 0, row = 1;
    if (!file_exists(path))
        goto done;
    TRY(file_read(&bytes, &length, path, FILE_LIMIT));
    char *line = (char *)bytes, *next = strchr(line, '\n');
    if (strncmp(line, HEADER, sizeof HEADER - 1) != 0 || !next)
        FAIL(GRACO_ERROR_FORMAT, "%s: expected the header '%s...'", path, HEADER);
    while ((line = next + 1) < (char *)bytes + length) { /* a zero is no end, but a wrong row */
        row++;
        next = strchr(line, '\n');
        if (!next || !read_row(&one, line))
            FAIL(GRACO_ERROR_FORMAT, "%s: row %lld is not one that a search writes", path,
                 (long long)row);
        TRY(trials_add(&read, &one));
    }
    *out = read;
    read = (struct trials){0};
done:
    memory_free(bytes);
    trials_clear(&read);
    return status;
}
