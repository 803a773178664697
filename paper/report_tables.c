/* A table of the paper's: for each set our number, the paper's and their difference, with a mark
 * of agreement. Below it, folded away, every number of every cell, which is also the CSV file. And facts. */
#include "report.h"

#include "graco_more.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 32 };

#define DELTA "\xCE\x94"

/* ---- Every number ---------------------------------------------------------------------------- */

void report_long_begin(struct sheet *table, const char *const *headings, int count)
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

void report_long_row(struct sheet *table, const struct shown *shown, const char *const *words,
                     int count)
{
    static const char *const marks[] = {"", "within", "above", "below"};
    const struct summary *ours = &shown->ours;
    int printed = shown->scores ? 2 : 6, decimals = shown->scores ? 3 : 6;
    for (int i = 0; i < count; i++)
        sheet_words(table, words[i]);
    sheet_number(table, shown->cell->paper.mean, printed);
    sheet_number(table, shown->cell->paper.deviation, printed);
    sheet_number(table, ours->mean, decimals);
    sheet_number(table, ours->error, decimals);
    sheet_number(table, ours->spread, decimals);
    sheet_number(table, (double)ours->seeds, 0);
    sheet_number(table, (double)ours->splits, 0);
    sheet_number(table, shown->difference, decimals);
    sheet_words(table, marks[shown->mark]);
    sheet_words(table, state_names[shown->state]);
    sheet_words(table, shown->key);
    sheet_words(table, shown->note);
}

/* ---- The table to look at -------------------------------------------------------------------- */

/* A table's cells by their places; NULL: there is none. */
struct table {
    const struct shown *first, *at[ROWS_MAX][SETS];
    int count, rows, columns;
    const char *row[ROWS_MAX], *column[SETS];
    bool with_paper;
};

static void fill_table(struct table *out, const struct report *report, const struct item *item)
{
    *out = (struct table){0};
    out->count = report_cells(&out->first, report, item);
    for (int i = 0; i < out->count; i++) {
        const struct shown *shown = &out->first[i];
        const struct cell *cell = shown->cell;
        out->at[cell->row][cell->column] = shown;
        out->row[cell->row] = cell->label;
        out->column[cell->column] = manifest_sets[cell->set].title;
        out->rows = cell->row + 1;
        out->columns = cell->column >= out->columns ? cell->column + 1 : out->columns;
        out->with_paper = out->with_paper || !isnan(cell->paper.mean);
    }
}

/* The highest of our scores in a column; NaN where fewer than two stand there. */
static double find_best(const struct table *table, int column)
{
    double best = NAN;
    int found = 0;
    for (int r = 0; r < table->rows; r++) {
        const struct shown *shown = table->at[r][column];
        if (!shown || !shown->scores || shown->ours.seeds == 0)
            continue;
        found++;
        if (!(best >= shown->ours.mean))
            best = shown->ours.mean;
    }
    return found > 1 ? best : (double)NAN;
}

/* Ours, the paper's, the difference. A place without a cell stays empty. */
static void add_cell(struct sheet *sheet, const struct table *table, int row, int column)
{
    const struct shown *shown = table->at[row][column];
    char ours[SCORE_WORDS] = "", error[SCORE_WORDS] = "", paper[SCORE_WORDS] = "";
    char deviation[SCORE_WORDS] = "", difference[SCORE_WORDS] = "";
    if (!shown) {
        for (int i = 0; i < (table->with_paper ? 3 : 1); i++)
            sheet_words(sheet, "");
        return;
    }
    const struct printed *printed = &shown->cell->paper;
    score_mean(ours, &shown->ours, shown->scores);
    score_error(error, &shown->ours, shown->scores);
    score_difference(difference, shown->difference, NAN);
    if (!isnan(printed->mean))
        number_print(paper, sizeof paper, "%.1f", printed->mean);
    if (!isnan(printed->deviation))
        number_print(deviation, sizeof deviation, " \xC2\xB1 %g", printed->deviation);
    sheet_add(sheet, &(struct sheet_entry){
                         .words = ours,
                         .more = error,
                         .label = shown->state == STATE_RUN ? "" : state_names[shown->state],
                         .hover = shown->note,
                         .strong = shown->ours.mean == find_best(table, column)});
    if (!table->with_paper)
        return;
    sheet_add(sheet, &(struct sheet_entry){.words = paper, .more = deviation});
    sheet_add(sheet, &(struct sheet_entry){.words = difference, .mark = shown->mark});
}

/* Where a table has two metrics, " Scores are accuracy or micro-F1, in percent." */
static void add_metrics(struct text *out, const struct report *report, const struct table *table)
{
    const char *metrics[2];
    int count = 0;
    for (int i = 0; i < table->count; i++) {
        const struct shown *shown = &table->first[i];
        int64_t first, samples = results_range(&first, report->results, shown->key);
        const char *metric = samples > 0 ? report->results->samples[first].metric : NULL;
        if (!shown->scores || samples == 0)
            continue;
        metric = score_metric(metric ? metric : "score");
        if (count == 0 || (count == 1 && strcmp(metrics[0], metric) != 0))
            metrics[count++] = metric;
    }
    for (int m = 0; m < count; m++) {
        text_add(out, m == 0 ? " Scores are " : " or ");
        text_add(out, metrics[m]);
    }
    text_add(out, count > 0 ? ", in percent." : "");
}

static void write_caption(struct text *out, const struct report *report, const struct table *table)
{
    struct score_counts counts = {0};
    for (int i = 0; i < table->count; i++)
        score_count(&counts, &table->first[i].ours);
    score_counts_words(out, &counts);
    add_metrics(out, report, table);
    if (table->with_paper && counts.seeds[1] > 0)
        text_add(out, " " DELTA " is ours minus the paper\xE2\x80\x99s: \xE2\x89\x88 within two "
                      "standard errors or 0.5 points, \xE2\x96\xB2 above, \xE2\x96\xBC below. The "
                      "highest of our scores in a column is bold.");
}

static int by_note(const void *a, const void *b)
{
    const struct shown *const *p = a, *const *q = b;
    const struct cell *own = (*p)->cell, *other = (*q)->cell;
    int order = strcmp((*p)->note, (*q)->note);
    if (order != 0)
        return order;
    return own->column != other->column ? own->column - other->column : own->row - other->row;
}

/* The places that noted[0 .. count) stand in: sets with their rows or, if they are many, with how
 * many rows they are. */
static void name_places(struct text *out, const struct shown *const *noted, int count)
{
    enum { NAMED = 4 };
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && noted[end]->cell->column == noted[i]->cell->column;)
            end++;
        text_add(out, i > 0 ? "; " : "");
        text_add(out, manifest_sets[noted[i]->cell->set].title);
        if (count > NAMED)
            text_print(out, ", %d row%s", end - i, end - i == 1 ? "" : "s");
        for (int k = i; k < end && count <= NAMED; k++) {
            text_add(out, ", ");
            text_add(out, noted[k]->cell->label);
        }
    }
    text_add(out, ":");
}

/* The notes of the cells, each once, with the places that it is about. */
static void write_notes(struct document *document, const struct table *table)
{
    const struct shown *noted[ROWS_MAX * SETS];
    int count = 0;
    for (int i = 0; i < table->count; i++)
        if (*table->first[i].note)
            noted[count++] = &table->first[i];
    qsort(noted, (size_t)count, sizeof *noted, by_note);
    if (count == 0)
        return;
    document_list_begin(document);
    for (int i = 0, end; i < count; i = end) {
        struct text places = {0};
        for (end = i + 1; end < count && strcmp(noted[end]->note, noted[i]->note) == 0;)
            end++;
        name_places(&places, noted + i, end - i);
        document_item(document, text_words(&places), noted[i]->note);
        document_keep(document, places.status);
        text_clear(&places);
    }
    document_list_end(document);
}

/* A column for each set, or with the paper's numbers a group of three. */
static void begin_columns(struct sheet *sheet, const struct table *table)
{
    bool with_paper = table->with_paper;
    sheet_column(sheet, "", "", false);
    for (int c = 0; c < table->columns; c++) {
        const char *name = table->column[c];
        sheet_column(sheet, with_paper ? name : "", with_paper ? "ours" : name, true);
        if (with_paper) {
            sheet_column(sheet, name, "paper", true);
            sheet_column(sheet, name, DELTA, true);
        }
    }
}

void report_table(struct report *report, const struct item *item)
{
    struct sheet sheet = {.title = item->title}, numbers = {0};
    struct text caption = {0};
    struct table table;
    fill_table(&table, report, item);
    begin_columns(&sheet, &table);
    report_long_begin(&numbers, (const char *[]){"row", "column", "value"}, 3);
    for (int r = 0; r < table.rows; r++) {
        sheet_words(&sheet, table.row[r]);
        for (int c = 0; c < table.columns; c++) {
            const struct shown *shown = table.at[r][c];
            const char *value = shown && shown->cell->value ? shown->cell->value : "scores";
            add_cell(&sheet, &table, r, c);
            if (shown)
                report_long_row(&numbers, shown,
                                (const char *[]){table.row[r], table.column[c], value}, 3);
        }
    }
    write_caption(&caption, report, &table);
    document_table(&report->document, &sheet, text_words(&caption));
    write_notes(&report->document, &table);
    document_numbers(&report->document, item->name, &numbers);
    document_keep(&report->document, text_status(&caption));
    sheet_clear(&sheet);
    sheet_clear(&numbers);
    text_clear(&caption);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void write_facts(struct document *document, const struct item *item, struct sheet *sheet)
{
    sheet->title = item->title;
    document_table(document, sheet, "");
    document_csv(document, item->name, sheet);
    sheet_clear(sheet);
}

void report_datasets(struct report *report, const struct item *item)
{
    static const char *const counts[SET_COUNTS] = {"nodes", "edges", "features", "classes"};
    struct sheet sheet = {0};
    const struct shown *first;
    int count = report_cells(&first, report, item);
    sheet_column(&sheet, "", "set", false);
    for (int k = 0; k < SET_COUNTS; k++) {
        char paper[32];
        snprintf(paper, sizeof paper, "paper: %s", counts[k]);
        sheet_column(&sheet, "", counts[k], true);
        sheet_column(&sheet, "", paper, true);
    }
    sheet_column(&sheet, "", "note", false);
    for (int i = 0; i < count; i++) {
        const struct set *set = &manifest_sets[first[i].cell->set];
        const struct sample *sample = results_find(report->results, first[i].key, 0);
        sheet_words(&sheet, set->name);
        for (int k = 0; k < SET_COUNTS; k++) {
            const int64_t ours[] = {sample ? sample->nodes : 0, sample ? sample->edges : 0,
                                    sample ? sample->features : 0, sample ? sample->classes : 0};
            if (sample)
                sheet_print(&sheet, "%lld", (long long)ours[k]);
            else
                sheet_words(&sheet, "-");
            sheet_words(&sheet, set->counts[k]);
        }
        sheet_print(&sheet, "%s%s%s", set->edges_follow, *first[i].note ? "; " : "", first[i].note);
    }
    write_facts(&report->document, item, &sheet);
}

/* Two rows for each set: graco's preset, and the paper's table, which has no column for tau. */
void report_hyperparameters(struct report *report, const struct item *item)
{
    static const char *const keys[SET_SETTINGS + 1] = {
        "drop_feature_1", "drop_feature_2", "drop_edge_1", "drop_edge_2", "lr",
        "weight_decay",   "epochs",         "hidden",      "activation",  "tau"};
    struct sheet sheet = {0};
    sheet_column(&sheet, "", "set", false);
    for (int k = 0; k <= SET_SETTINGS; k++)
        sheet_column(&sheet, "", keys[k], !cells_listed("lr,epochs,activation", keys[k]));
    for (const struct set *set = manifest_sets; set < manifest_sets + SETS; set++) {
        graco_config *config = NULL;
        char value[64];
        sheet_words(&sheet, set->name);
        document_keep(&report->document, graco_config_create(&config, "grace", set->name));
        for (int k = 0; k <= SET_SETTINGS; k++) {
            if (!config || graco_config_get(config, keys[k], value, sizeof value) != GRACO_OK)
                snprintf(value, sizeof value, "?");
            sheet_words(&sheet, value);
        }
        graco_config_free(config);
        sheet_print(&sheet, "%s, paper", set->name);
        for (int k = 0; k <= SET_SETTINGS; k++)
            sheet_words(&sheet, k < SET_SETTINGS ? set->settings[k] : "-");
    }
    write_facts(&report->document, item, &sheet);
}
