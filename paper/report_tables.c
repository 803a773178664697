/* A table of the paper's: for each set our number, the paper's and their difference, with a mark
 * of agreement. Below it, folded away, every number of every cell, which is also the CSV file. */
#include "report.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUS_MINUS " \xC2\xB1 "
#define MINUS "\xE2\x88\x92"
#define DASH "\xE2\x80\x93"
#define DELTA "\xCE\x94"

struct comparison report_compare(const struct results_cell *cell)
{
    struct comparison out = {.difference = NAN, .scores = strcmp(cell->value, "scores") == 0};
    if (cell->state == RESULTS_QUOTED || cell->state == RESULTS_MISSING)
        out.ours = (struct summary){.mean = NAN, .error = NAN, .spread = NAN};
    else
        out.ours = cell->ours;
    if (out.ours.seeds == 0 || isnan(cell->paper))
        return out;
    out.difference = out.ours.mean - cell->paper;
    if (cell->state == RESULTS_LOOKALIKE) /* another graph: nothing can agree */
        return out;
    enum verdict verdict = statistics_verdict(out.difference, out.ours.error);
    out.beyond = verdict == VERDICT_HIGHER || verdict == VERDICT_LOWER;
    if (verdict == VERDICT_SAME || (out.scores && fabs(out.difference) <= REPORT_POINTS))
        out.mark = SHEET_WITHIN;
    else if (out.scores || out.beyond)
        out.mark = out.difference > 0 ? SHEET_ABOVE : SHEET_BELOW;
    return out;
}

/* ---- Numbers as words ------------------------------------------------------------------------ */

void report_error(char words[REPORT_NUMBER], const struct summary *ours, bool scores)
{
    char error[32] = "", spread[32] = "";
    if (!isnan(ours->error))
        number_print(error, sizeof error, scores ? PLUS_MINUS "%.2f" : PLUS_MINUS "%.2g",
                     ours->error);
    if (!isnan(ours->spread))
        number_print(spread, sizeof spread, scores ? " (%.1f)" : " (%.2g)", ours->spread);
    snprintf(words, REPORT_NUMBER, "%s%s", error, spread);
}

void report_mean(char words[REPORT_NUMBER], const struct summary *ours, bool scores)
{
    if (ours->seeds == 0)
        snprintf(words, REPORT_NUMBER, DASH);
    else
        number_print(words, REPORT_NUMBER, scores ? "%s%.2f" : "%s%.5g",
                     ours->mean < 0 ? MINUS : "", fabs(ours->mean));
}

void report_whole(char words[REPORT_WHOLE], const struct summary *ours, bool scores)
{
    char mean[REPORT_NUMBER], error[REPORT_NUMBER];
    report_mean(mean, ours, scores);
    report_error(error, ours, scores);
    snprintf(words, REPORT_WHOLE, "%s%s", mean, error);
}

void report_paper(char words[REPORT_NUMBER], double paper)
{
    char digits[NUMBER_TEXT];
    number_shortest(digits, paper);
    snprintf(words, REPORT_NUMBER, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

void report_difference(char words[REPORT_NUMBER], double difference, double error)
{
    char behind[32] = "";
    words[0] = 0;
    if (isnan(difference))
        return;
    if (!isnan(error))
        number_print(behind, sizeof behind, PLUS_MINUS "%.2f", error);
    const char *sign = difference <= -0.005 ? MINUS : difference >= 0.005 ? "+" : "";
    number_print(words, REPORT_NUMBER, "%s%.2f%s", sign, fabs(difference), behind);
}

void report_count(struct report_counts *counts, const struct summary *ours)
{
    const int64_t found[2] = {ours->seeds, ours->splits};
    int64_t *ranges[2] = {counts->seeds, counts->splits};
    for (int i = 0; i < 2 && ours->seeds > 0; i++) {
        ranges[i][0] = ranges[i][0] == 0 || found[i] < ranges[i][0] ? found[i] : ranges[i][0];
        ranges[i][1] = found[i] > ranges[i][1] ? found[i] : ranges[i][1];
    }
}

/* "20 seeds", "1 to 20 seeds". */
static void add_range(struct text *out, const int64_t range[2], const char *what)
{
    if (range[0] != range[1])
        text_print(out, "%lld to ", (long long)range[0]);
    text_print(out, "%lld %s%s", (long long)range[1], what, range[1] == 1 ? "" : "s");
}

void report_counts_words(struct text *out, const struct report_counts *counts)
{
    if (counts->seeds[1] == 0) {
        text_add(out, "Nothing was run here.");
    } else if (counts->seeds[1] == 1) {
        text_add(out, "Ours: one seed, so there is no standard error");
    } else {
        text_add(out, "Ours: mean \xC2\xB1 standard error over ");
        add_range(out, counts->seeds, "seed");
    }
    if (counts->splits[1] > 1) {
        text_add(out, "; in parentheses the spread (deviation) over ");
        add_range(out, counts->splits, "split");
    }
    text_add(out, counts->seeds[1] == 0 ? "" : ".");
}

/* ---- Every number ---------------------------------------------------------------------------- */

void report_long_begin(struct sheet *table, const char *const *headings, int count)
{
    static const char *const names[] = {
        "paper", "paper deviation", "ours",      "standard error over seeds", "spread over splits",
        "seeds", "splits",          "difference"};
    table->title = "Every number";
    for (int i = 0; i < count; i++)
        sheet_column(table, "", headings[i], false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sheet_column(table, "", names[i], true);
    sheet_column(table, "", "agreement", false);
    sheet_column(table, "", "label", false);
    sheet_column(table, "", "key", false);
    sheet_column(table, "", "note", false);
}

void report_long_row(struct sheet *table, const struct results_cell *cell, const char *const *words,
                     int count)
{
    static const char *const marks[] = {"", "within", "above", "below"};
    struct comparison c = report_compare(cell);
    int decimals = c.scores ? 3 : 6;
    for (int i = 0; i < count; i++)
        sheet_words(table, words[i]);
    sheet_number(table, cell->paper, c.scores ? 2 : 6);
    sheet_number(table, cell->paper_deviation, c.scores ? 2 : 6);
    sheet_number(table, c.ours.mean, decimals);
    sheet_number(table, c.ours.error, decimals);
    sheet_number(table, c.ours.spread, decimals);
    sheet_number(table, (double)c.ours.seeds, 0);
    sheet_number(table, (double)c.ours.splits, 0);
    sheet_number(table, c.difference, decimals);
    sheet_words(table, marks[c.mark]);
    sheet_words(table, results_state_name(cell->state));
    sheet_words(table, cell->key);
    sheet_words(table, cell->note);
}

/* ---- The table to look at -------------------------------------------------------------------- */

/* The highest of our scores in each column; NaN where fewer than two stand there. */
static void find_best(double *best, const struct results_item *item)
{
    int64_t found[RESULTS_COLUMNS] = {0};
    for (int64_t c = 0; c < item->columns.count; c++)
        best[c] = NAN;
    for (int64_t i = 0; i < item->cells.count; i++) {
        const struct results_cell *cell = &item->cells.at[i];
        struct comparison found_here = report_compare(cell);
        if (!found_here.scores || found_here.ours.seeds == 0)
            continue;
        found[cell->column]++;
        if (!(best[cell->column] >= found_here.ours.mean))
            best[cell->column] = found_here.ours.mean;
    }
    for (int64_t c = 0; c < item->columns.count; c++)
        best[c] = found[c] > 1 ? best[c] : NAN;
}

/* Ours, the paper's, the difference. A place without a cell stays empty. */
static void add_cell(struct sheet *table, const struct results_cell *cell, double best,
                     bool with_paper)
{
    char ours[REPORT_NUMBER] = "", error[REPORT_NUMBER] = "", paper[REPORT_NUMBER] = "";
    char deviation[REPORT_NUMBER] = "", difference[REPORT_NUMBER] = "";
    struct comparison c = {.ours = {.mean = NAN}, .difference = NAN};
    if (cell) {
        c = report_compare(cell);
        report_mean(ours, &c.ours, c.scores);
        report_error(error, &c.ours, c.scores);
        report_difference(difference, c.difference, NAN);
    }
    if (cell && !isnan(cell->paper))
        report_paper(paper, cell->paper);
    if (cell && !isnan(cell->paper_deviation))
        number_print(deviation, sizeof deviation, PLUS_MINUS "%g", cell->paper_deviation);
    const char *label = cell && cell->state != RESULTS_RUN ? results_state_name(cell->state) : "";
    sheet_add(table, &(struct sheet_entry){.words = ours,
                                           .more = error,
                                           .label = label,
                                           .hover = cell ? cell->note : "",
                                           .strong = c.ours.mean == best});
    if (with_paper) {
        sheet_add(table, &(struct sheet_entry){.words = paper, .more = deviation});
        sheet_add(table, &(struct sheet_entry){.words = difference, .mark = c.mark});
    }
}

static bool has_paper(const struct results_item *item)
{
    for (int64_t i = 0; i < item->cells.count; i++)
        if (!isnan(item->cells.at[i].paper))
            return true;
    return false;
}

const char *report_metric(const char *metric)
{
    return strcmp(metric, "micro_f1") == 0   ? "micro-F1"
           : strcmp(metric, "macro_f1") == 0 ? "macro-F1"
                                             : metric;
}

/* The metrics of a table's samples, each once, as "accuracy or micro-F1". */
static void add_metrics(struct text *out, const struct results *results,
                        const struct results_item *item)
{
    const char *metrics[4];
    int count = 0;
    for (int64_t i = 0; i < item->cells.count; i++) {
        int64_t first, samples;
        results_find(&first, &samples, results, item->cells.at[i].key);
        if (samples == 0 || strcmp(item->cells.at[i].value, "scores") != 0)
            continue;
        int known = 0;
        while (known < count && strcmp(metrics[known], results->samples[first].metric) != 0)
            known++;
        if (known == count && count < 4)
            metrics[count++] = results->samples[first].metric;
    }
    for (int m = 0; m < count; m++) {
        text_add(out, m == 0 ? " Scores are " : " or ");
        text_add(out, report_metric(metrics[m]));
    }
    text_add(out, count > 0 ? ", in percent." : "");
}

static int by_note(const void *a, const void *b)
{
    const struct results_cell *const *p = a, *const *q = b;
    int order = strcmp((*p)->note, (*q)->note);
    if (order != 0)
        return order;
    return (*p)->column != (*q)->column
               ? ((*p)->column > (*q)->column) - ((*p)->column < (*q)->column)
               : ((*p)->row > (*q)->row) - ((*p)->row < (*q)->row);
}

/* The places that noted[0 .. count) stand in: sets with their rows or, if they are many, with how
 * many rows they are. */
static void name_places(struct text *out, const struct results_item *item,
                        const struct results_cell *const *noted, int64_t count)
{
    enum { NAMED = 4 };
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && noted[end]->column == noted[i]->column;)
            end++;
        text_add(out, i > 0 ? "; " : "");
        text_add(out, item->columns.at[noted[i]->column]);
        if (count > NAMED)
            text_print(out, ", %lld row%s", (long long)(end - i), end - i == 1 ? "" : "s");
        for (int64_t k = i; k < end && count <= NAMED; k++) {
            text_add(out, ", ");
            text_add(out, item->rows.at[noted[k]->row]);
        }
    }
    text_add(out, ":");
}

/* The notes of the cells, each once, with the places that it is about. */
static void write_notes(struct report *report, const struct results_item *item)
{
    const struct results_cell **noted = NULL;
    struct text places = {0};
    int64_t count = 0;
    if (report->status == GRACO_OK)
        report->status = memory_alloc(&noted, item->cells.count, sizeof *noted);
    if (report->status != GRACO_OK)
        return;
    for (int64_t i = 0; i < item->cells.count; i++)
        if (*item->cells.at[i].note)
            noted[count++] = &item->cells.at[i];
    qsort(noted, (size_t)count, sizeof *noted, by_note);
    if (count > 0)
        report_list_begin(report);
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(noted[end]->note, noted[i]->note) == 0;)
            end++;
        name_places(&places, item, noted + i, end - i);
        report_item(report, text_words(&places), noted[i]->note);
        if (report->status == GRACO_OK)
            report->status = places.status;
        text_clear(&places);
    }
    if (count > 0)
        report_list_end(report);
    memory_free(noted);
}

static void write_caption(struct text *out, const struct report *report,
                          const struct results_item *item, bool with_paper)
{
    struct report_counts counts = {0};
    for (int64_t i = 0; i < item->cells.count; i++) {
        struct comparison c = report_compare(&item->cells.at[i]);
        report_count(&counts, &c.ours);
    }
    report_counts_words(out, &counts);
    add_metrics(out, report->results, item);
    if (with_paper && counts.seeds[1] > 0)
        text_add(out, " " DELTA " is ours minus the paper\xE2\x80\x99s: \xE2\x89\x88 within two "
                      "standard errors or 0.5 points, \xE2\x96\xB2 above, \xE2\x96\xBC below. The "
                      "highest of our scores in a column is bold.");
}

/* A column for each set, or with the paper's numbers a group of three. */
static void begin_columns(struct sheet *table, const struct results_item *item, bool with_paper)
{
    sheet_column(table, "", "", false);
    for (int64_t c = 0; c < item->columns.count; c++) {
        const char *name = item->columns.at[c];
        sheet_column(table, with_paper ? name : "", with_paper ? "ours" : name, true);
        if (with_paper) {
            sheet_column(table, name, "paper", true);
            sheet_column(table, name, DELTA, true);
        }
    }
}

void report_table_item(struct report *report, const struct results_item *item)
{
    const struct results_cell *places[RESULTS_ROWS][RESULTS_COLUMNS];
    struct sheet table = {.title = item->title}, numbers = {0};
    struct text caption = {0};
    double best[RESULTS_COLUMNS];
    bool with_paper = has_paper(item);
    memset(places, 0, sizeof places);
    for (int64_t i = 0; i < item->cells.count; i++)
        places[item->cells.at[i].row][item->cells.at[i].column] = &item->cells.at[i];
    find_best(best, item);
    begin_columns(&table, item, with_paper);
    report_long_begin(&numbers, (const char *[]){"row", "column", "value"}, 3);
    for (int64_t r = 0; r < item->rows.count; r++) {
        sheet_words(&table, item->rows.at[r]);
        for (int64_t c = 0; c < item->columns.count; c++) {
            const struct results_cell *cell = places[r][c];
            add_cell(&table, cell, best[c], with_paper);
            if (cell)
                report_long_row(
                    &numbers, cell,
                    (const char *[]){item->rows.at[r], item->columns.at[c], cell->value}, 3);
        }
    }
    write_caption(&caption, report, item, with_paper);
    report_table(report, &table, text_words(&caption));
    write_notes(report, item);
    report_numbers(report, item->name, &numbers);
    if (report->status == GRACO_OK)
        report->status = text_status(&caption);
    sheet_clear(&table);
    sheet_clear(&numbers);
    text_clear(&caption);
}

/* Whether a column of facts holds numbers alone: digits, signs, points, commas. */
static bool is_numeric(const struct results_item *item, int64_t column)
{
    bool any = false;
    for (int64_t i = column; i < item->facts.count; i += item->columns.count) {
        const char *words = item->facts.at[i];
        if (words[strspn(words, "0123456789+-.,e% ")])
            return false;
        any |= *words != 0;
    }
    return any;
}

void report_facts_item(struct report *report, const struct results_item *item)
{
    struct sheet table = {.title = item->title};
    for (int64_t c = 0; c < item->columns.count; c++)
        sheet_column(&table, "", item->columns.at[c], c > 0 && is_numeric(item, c));
    for (int64_t i = 0; i < item->facts.count; i++)
        sheet_words(&table, item->facts.at[i]);
    report_table(report, &table, "");
    report_csv(report, item->name, &table);
    sheet_clear(&table);
}
