/* For each set our number, the paper's and their difference, with a mark of agreement. Below the table, folded away, every
 * number of every cell, which is also the CSV file. */
#include "report/score_table.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELTA "\xCE\x94"

/* ---- Every number ---------------------------------------------------------------------------- */

void score_long_begin(struct sheet *table, const char *const *headings, int count)
{
    static const char *const names[] = {
        "paper", "paper deviation", "ours",      "standard error over seeds", "spread over splits",
        "seeds", "splits",          "difference"};
    static const char *const words[] = {"agreement", "label", "key", "note"};
    table->title = "Every number";
    for (int i = 0; i < count; i++)
        sheet_column(table, "", headings[i], false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sheet_column(table, "", names[i], true);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sheet_column(table, "", words[i], false);
}

void score_long_row(struct sheet *table, const struct score_cell *cell, const char *const *words,
                    int count)
{
    static const char *const marks[] = {"", "within", "above", "below"};
    const struct summary *ours = &cell->ours;
    int printed = cell->value ? 6 : 2, decimals = cell->value ? 6 : 3;
    for (int i = 0; i < count; i++)
        sheet_words(table, words[i]);
    sheet_number(table, cell->paper, printed);
    sheet_number(table, cell->deviation, printed);
    sheet_number(table, ours->mean, decimals);
    sheet_number(table, ours->error, decimals);
    sheet_number(table, ours->spread, decimals);
    sheet_number(table, (double)ours->seeds, 0);
    sheet_number(table, (double)ours->splits, 0);
    sheet_number(table, cell->difference, decimals);
    sheet_words(table, marks[cell->mark]);
    sheet_words(table, *cell->label ? cell->label : "run");
    sheet_words(table, cell->key);
    sheet_words(table, cell->note);
}

/* ---- The table to look at -------------------------------------------------------------------- */

/* Cells by their places; NULL: there is none. */
struct places {
    const struct score_cell *cells, *at[SCORE_ROWS][SCORE_COLUMNS];
    int count, rows, columns;
    const char *row[SCORE_ROWS], *column[SCORE_COLUMNS];
    bool with_paper;
};

static void fill_places(struct places *out, const struct score_cell *cells, int count)
{
    *out = (struct places){.cells = cells, .count = count};
    for (const struct score_cell *cell = cells; cell < cells + count; cell++) {
        out->at[cell->row][cell->column] = cell;
        out->row[cell->row] = cell->method;
        out->column[cell->column] = cell->set;
        out->rows = cell->row + 1;
        out->columns = cell->column >= out->columns ? cell->column + 1 : out->columns;
        out->with_paper = out->with_paper || !isnan(cell->paper);
    }
}

/* The highest of our scores in a column; NaN where fewer than two stand there. */
static double find_best(const struct places *places, int column)
{
    double best = NAN;
    int found = 0;
    for (int r = 0; r < places->rows; r++) {
        const struct score_cell *cell = places->at[r][column];
        if (!cell || cell->value || cell->ours.seeds == 0)
            continue;
        found++;
        if (!(best >= cell->ours.mean))
            best = cell->ours.mean;
    }
    return found > 1 ? best : (double)NAN;
}

/* Ours, the paper's, the difference. A place without a cell stays empty. */
static void add_cell(struct sheet *sheet, const struct places *places, int row, int column)
{
    const struct score_cell *cell = places->at[row][column];
    char ours[SCORE_WORDS] = "", error[SCORE_WORDS] = "", paper[SCORE_WORDS] = "";
    char deviation[SCORE_WORDS] = "", difference[SCORE_WORDS] = "";
    if (!cell) {
        for (int i = 0; i < (places->with_paper ? 3 : 1); i++)
            sheet_words(sheet, "");
        return;
    }
    score_mean(ours, &cell->ours, !cell->value);
    score_error(error, &cell->ours, !cell->value);
    score_difference(difference, cell->difference, NAN);
    if (!isnan(cell->paper))
        number_print(paper, sizeof paper, "%.1f", cell->paper);
    if (!isnan(cell->deviation))
        number_print(deviation, sizeof deviation, " \xC2\xB1 %g", cell->deviation);
    sheet_add(sheet, &(struct sheet_entry){.words = ours,
                                           .more = error,
                                           .label = cell->label,
                                           .hover = cell->note,
                                           .strong = cell->ours.mean == find_best(places, column)});
    if (!places->with_paper)
        return;
    sheet_add(sheet, &(struct sheet_entry){.words = paper, .more = deviation});
    sheet_add(sheet, &(struct sheet_entry){.words = difference, .mark = cell->mark});
}

/* The metrics of scores, each once: " Scores are accuracy or micro-F1, in percent." */
static void add_metrics(struct text *out, const struct places *places)
{
    const char *metrics[2];
    int count = 0;
    for (int i = 0; i < places->count; i++) {
        const char *metric = places->cells[i].value ? NULL : places->cells[i].metric;
        if (metric && (count == 0 || (count == 1 && strcmp(metrics[0], metric) != 0)))
            metrics[count++] = metric;
    }
    for (int m = 0; m < count; m++)
        text_print(out, "%s%s", m == 0 ? " Scores are " : " or ", metrics[m]);
    text_add(out, count > 0 ? ", in percent." : "");
}

static void write_caption(struct text *out, const struct places *places)
{
    struct score_counts counts = {0};
    for (int i = 0; i < places->count; i++)
        score_count(&counts, &places->cells[i].ours);
    score_counts_words(out, &counts);
    add_metrics(out, places);
    if (places->with_paper && counts.seeds[1] > 0)
        text_add(out, " " DELTA " is ours minus the paper\xE2\x80\x99s: \xE2\x89\x88 within two "
                      "standard errors or 0.5 points, \xE2\x96\xB2 above, \xE2\x96\xBC below. The "
                      "highest of our scores in a column is bold.");
}

static int by_note(const void *a, const void *b)
{
    const struct score_cell *own = *(const struct score_cell *const *)a;
    const struct score_cell *other = *(const struct score_cell *const *)b;
    int order = strcmp(own->note, other->note);
    if (order != 0)
        return order;
    return own->column != other->column ? own->column - other->column : own->row - other->row;
}

/* The places that noted[0 .. count) stand in: sets with their rows or, if they are many, with how
 * many rows they are. */
static void name_places(struct text *out, const struct score_cell *const *noted, int count)
{
    enum { NAMED = 4 };
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && noted[end]->column == noted[i]->column;)
            end++;
        text_add(out, i > 0 ? "; " : "");
        text_add(out, noted[i]->set);
        if (count > NAMED)
            text_print(out, ", %d row%s", end - i, end - i == 1 ? "" : "s");
        for (int k = i; k < end && count <= NAMED; k++) {
            text_add(out, ", ");
            text_add(out, noted[k]->method);
        }
    }
    text_add(out, ":");
}

/* The notes of the cells, each once, with the places that it is about. */
static void write_notes(struct document *document, const struct places *places)
{
    const struct score_cell *noted[SCORE_ROWS * SCORE_COLUMNS];
    int count = 0;
    for (int i = 0; i < places->count; i++)
        if (*places->cells[i].note)
            noted[count++] = &places->cells[i];
    qsort(noted, (size_t)count, sizeof *noted, by_note);
    if (count == 0)
        return;
    document_list_begin(document);
    for (int i = 0, end; i < count; i = end) {
        struct text words = {0};
        for (end = i + 1; end < count && strcmp(noted[end]->note, noted[i]->note) == 0;)
            end++;
        name_places(&words, noted + i, end - i);
        document_item(document, text_words(&words), noted[i]->note);
        document_keep(document, words.status);
        text_clear(&words);
    }
    document_list_end(document);
}

/* A column for each set, or with the paper's numbers a group of three. */
static void begin_columns(struct sheet *sheet, const struct places *places)
{
    bool with_paper = places->with_paper;
    sheet_column(sheet, "", "", false);
    for (int c = 0; c < places->columns; c++) {
        const char *name = places->column[c];
        sheet_column(sheet, with_paper ? name : "", with_paper ? "ours" : name, true);
        if (with_paper) {
            sheet_column(sheet, name, "paper", true);
            sheet_column(sheet, name, DELTA, true);
        }
    }
}

void score_table(struct document *document, const char *name, const char *title,
                 const struct score_cell *cells, int count)
{
    struct sheet sheet = {.title = title}, numbers = {0};
    struct text caption = {0};
    struct places places;
    fill_places(&places, cells, count);
    begin_columns(&sheet, &places);
    score_long_begin(&numbers, (const char *[]){"row", "column", "value"}, 3);
    for (int r = 0; r < places.rows; r++) {
        sheet_words(&sheet, places.row[r]);
        for (int c = 0; c < places.columns; c++)
            add_cell(&sheet, &places, r, c);
    }
    for (int i = 0; i < count; i++)
        score_long_row(&numbers, &cells[i],
                       (const char *[]){cells[i].method, cells[i].set,
                                        cells[i].value ? cells[i].value : "scores"},
                       3);
    write_caption(&caption, &places);
    document_table(document, &sheet, text_words(&caption));
    write_notes(document, &places);
    document_numbers(document, name, &numbers);
    document_keep(document, text_status(&caption));
    sheet_clear(&sheet);
    sheet_clear(&numbers);
    text_clear(&caption);
}

void score_methods(struct document *document, const char *labels)
{
    static const char *const words[][2] = {
        {"Mean.", "Each seed trains one model; its score is the mean over the splits. "
                  "The number is the mean over the seeds."},
        {"Standard error over seeds (\xC2\xB1).",
         "The deviation of the seeds' means divided by the square root of their number: how "
         "far other seeds might move the mean on the same splits. One seed has none, and none "
         "is shown."},
        {"Spread over splits, in parentheses.",
         "The deviation over splits of the mean over seeds: how much a score depends on which "
         "nodes are tested. It does not shrink with more seeds."},
        {"Paired differences.",
         "Two methods are compared on the same seed and the same split, one pair at a time; "
         "the mean of these differences has a standard error over seeds of its own. A claim "
         "holds on a data set if the difference is above two of them."}};
    document_section(document, "methods", "How to read the numbers");
    document_list_begin(document);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        document_item(document, words[i][0], words[i][1]);
    document_item(document, "Labels.", labels);
    document_list_end(document);
}
