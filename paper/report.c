/* The order of a report, and what each cell comes to. A cell shows the samples of the full training if there are
 * any, else those of --quick; so whichever calls filled a file, it says the same of its samples. */
#include "report.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char LABELS[] =
    "Without a label: run here as the paper describes. quick: fewer seeds or epochs, or a "
    "cheaper objective. look-alike: on a generated graph that stands in for one that "
    "cannot be had. missing: not run.";

/* ---- Cells ----------------------------------------------------------------------------------- */

const char *report_label(const struct results *results, const char *key)
{
    int64_t first, count = results_range(&first, results, key);
    const char *label = count > 0 ? "" : "missing";
    for (int64_t i = first; i < first + count; i++) {
        const char *source = results->samples[i].source;
        if (source && strcmp(source, "look-alike") == 0)
            return "look-alike";
        label = results->samples[i].quick ? "quick" : label;
    }
    return label;
}

/* How a cell stands, by which key, and why it is no better. */
static void find_state(struct score_cell *out, const struct results *results,
                       const struct cell *cell, const struct report_about *about)
{
    const char *set = manifest_sets[cell->set].name;
    bool missing = true;
    for (int q = 0; q < 2 && missing; q++) {
        out->key = cell->key[q];
        out->label = report_label(results, out->key);
        /* What --quick left out lacks what the cell shows. */
        missing = strcmp(out->label, "missing") == 0 || (q == 1 && cell->left_out);
    }
    if (missing) {
        out->key = cell->key[about->quick];
        out->label = "missing";
    }
    if (strcmp(out->label, "quick") == 0 && strcmp(cell->method, "dataset") != 0)
        snprintf(out->note, SCORE_NOTE, "--quick: one seed, few splits%s%s",
                 *cell->quick ? ", " : "", cell->quick);
    else if (strcmp(out->label, "look-alike") == 0)
        snprintf(out->note, SCORE_NOTE,
                 "on a generated graph like %s; to download it: graco fetch %s", set, set);
    else if (missing && !about->there[cell->set])
        snprintf(out->note, SCORE_NOTE, "no data; to download it: graco fetch %s", set);
    else if (missing && about->quick && cell->left_out)
        snprintf(out->note, SCORE_NOTE, "%s", cell->left_out);
    else if (missing)
        snprintf(out->note, SCORE_NOTE, "not run; to run it: graco reproduce %s", cell->item->name);
}

/* What the samples of a key come to in a cell, and their metric. */
static void summarise(struct score_cell *out, const struct report *report)
{
    int64_t first, count = results_range(&first, report->results, out->key);
    const struct sample *samples = report->results->samples + first;
    struct moments over_seeds = {0};
    out->metric = score_metric(samples->metric ? samples->metric : "score");
    out->scores = report->scores + first;
    out->score_count = count;
    if (!out->value) {
        out->ours = statistics_summary(out->scores, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double value = results_value(&samples[i], out->value);
        if (!isnan(value))
            moments_add(&over_seeds, value);
    }
    if (over_seeds.count > 0)
        out->ours = (struct summary){.seeds = over_seeds.count,
                                     .splits = 1,
                                     .mean = over_seeds.mean,
                                     .error = moments_error(&over_seeds),
                                     .spread = NAN};
}

bool report_beyond(const struct score_cell *shown)
{
    enum verdict verdict = statistics_verdict(shown->difference, shown->ours.error);
    return strcmp(shown->label, "look-alike") != 0 && /* another graph: nothing can agree */
           (verdict == VERDICT_HIGHER || verdict == VERDICT_LOWER);
}

void report_show(struct score_cell *out, const struct report *report, const struct cell *cell,
                 const struct report_about *about)
{
    *out = (struct score_cell){.row = cell->row,
                               .column = cell->column,
                               .method = cell->label,
                               .set = manifest_sets[cell->set].title,
                               .value = cell->value,
                               .ours = {.mean = NAN, .error = NAN, .spread = NAN},
                               .paper = cell->paper.mean,
                               .deviation = cell->paper.deviation};
    find_state(out, report->results, cell, about);
    if (strcmp(out->label, "missing") != 0)
        summarise(out, report);
    out->difference = out->ours.mean - out->paper;
    if (isnan(out->difference) || strcmp(out->label, "look-alike") == 0)
        return;
    bool same = statistics_verdict(out->difference, out->ours.error) == VERDICT_SAME;
    if (same || (!out->value && fabs(out->difference) <= SCORE_CLOSE))
        out->mark = SHEET_WITHIN;
    else if (!out->value || report_beyond(out))
        out->mark = out->difference > 0 ? SHEET_ABOVE : SHEET_BELOW;
}

int report_cells(int *first, const struct report *report, const struct item *item)
{
    int count = 0;
    *first = 0;
    while (*first < report->count && report->cells[*first].item != item)
        (*first)++;
    while (*first + count < report->count && report->cells[*first + count].item == item)
        count++;
    return count;
}

const char *report_explanation(const char *key)
{
    const struct explanation *e = manifest_explanations;
    while (e->key && strcmp(e->key, key) != 0)
        e++;
    return e->text;
}

/* ---- The beginning and the end --------------------------------------------------------------- */

static void write_lead(struct text *out, const struct results *results)
{
    const struct made *made = &results->made;
    text_print(out, "Every table and figure of the paper, made again by graco %s", graco_version());
    if (made->machine)
        text_print(out, " on %s", made->machine);
    if (made->device)
        text_print(out, " (%s)", made->device);
    text_add(out, ", each number beside the printed one.");
    if (made->quick)
        text_add(out,
                 " This was a quick run, with fewer seeds and epochs than the paper's: it shows "
                 "what the report looks like, and decides nothing.");
}

/* How the tables' cells compare, counted. */
static void write_summary(struct report *report)
{
    static const struct page_figure counted[] = {{NULL, "agree with the paper", SHEET_WITHIN},
                                                 {NULL, "above it", SHEET_ABOVE},
                                                 {NULL, "below it", SHEET_BELOW},
                                                 {NULL, "missing", SHEET_NONE}};
    enum { COUNTED = sizeof counted / sizeof *counted };
    char numbers[COUNTED][24];
    struct page_figure figures[COUNTED];
    struct text words = {0};
    for (int i = 0; i < COUNTED; i++) {
        int count = 0;
        for (int c = 0; c < report->count; c++) {
            const struct score_cell *shown = &report->shown[c];
            count += report->cells[c].item->rows &&
                     (counted[i].mark ? shown->mark == counted[i].mark
                                      : strcmp(shown->label, counted[i].name) == 0);
        }
        snprintf(numbers[i], sizeof numbers[i], "%d", count);
        figures[i] = counted[i];
        figures[i].number = numbers[i];
        text_print(&words, "%s%d %s", i > 0 ? ", " : "", count, counted[i].name);
    }
    document_section(&report->document, "summary", "In short");
    page_figures(&report->document.page, figures, COUNTED);
    text_print(&report->document.markdown, "\nOf the tables' cells: %s.\n", text_words(&words));
    document_paragraph(
        &report->document,
        "A cell of a table agrees if its mean is within two standard errors over seeds of "
        "the paper\xE2\x80\x99s value, or within 0.5 points of it. Cells on a generated "
        "look-alike are not counted.");
    document_keep(&report->document, text_status(&words));
    text_clear(&words);
}

static void write_item(struct report *report, const struct item *item)
{
    struct document *document = &report->document;
    text_print(&document->markdown, "\n<!-- begin %s -->\n", item->name);
    document_section(document, item->name, item->title);
    document_paragraph(document, item->about);
    int first, count = report_cells(&first, report, item);
    if (item->rows)
        score_table(document, item->name, item->title, report->shown + first, count);
    else if (item->sweep)
        report_sweep(report, item);
    else if (strcmp(item->name, "datasets") == 0)
        report_datasets(report, item);
    else
        report_hyperparameters(report, item);
    text_print(&document->markdown, "\n<!-- end %s -->\n", item->name);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void prepare(struct report *report, struct cell *cells, struct score_cell *shown,
                    struct seed_scores *scores, const struct report_about *about)
{
    for (int64_t i = 0; i < report->results->count; i++) {
        const struct sample *sample = &report->results->samples[i];
        scores[i] = (struct seed_scores){.seed = sample->seed,
                                         .split_seed = sample->split_seed,
                                         .seedless = sample->seedless,
                                         .splits = sample->scores.count,
                                         .scores = sample->scores.at};
    }
    report->count = cells_list(cells);
    report->cells = cells;
    report->scores = scores;
    report->shown = shown;
    for (int i = 0; i < report->count; i++)
        report_show(&shown[i], report, &cells[i], about);
}

graco_status report_write(struct text *html, struct text *markdown, const struct results *results,
                          const char *folder, const struct report_about *about)
{
    struct report report = {.results = results, .document.folder = folder};
    struct cell *cells = NULL;
    struct score_cell *shown = NULL;
    struct seed_scores *scores = NULL;
    struct text lead = {0};
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&cells, CELLS_MAX, sizeof *cells));
    TRY(memory_zalloc(&shown, CELLS_MAX, sizeof *shown));
    TRY(memory_zalloc(&scores, results->count, sizeof *scores));
    prepare(&report, cells, shown, scores, about);
    write_lead(&lead, results);
    report.document.page.title = "GRACE, reproduced";
    report.document.page.lead = text_words(&lead);
    document_begin(&report.document);
    write_summary(&report);
    report_claims(&report);
    for (const struct item *item = manifest_items; item->name; item++)
        write_item(&report, item);
    report_training(&report);
    report_embeddings(&report);
    report_explanations(&report);
    score_methods(&report.document, LABELS);
    document_keep(&report.document, text_status(&lead));
    status = document_end(html, markdown, &report.document);
done:
    text_clear(&lead);
    memory_free(scores);
    memory_free(shown);
    memory_free(cells);
    return status;
}

graco_status report_make(const char *results_path, const char *folder,
                         const struct report_about *about)
{
    struct results *results = NULL;
    struct text html = {0}, markdown = {0};
    char *page = NULL, *tables = NULL;
    graco_status status = GRACO_OK;
    if (!file_exists(results_path))
        return status_fail(GRACO_ERROR_IO, "%s is not there; expected a results.json",
                           results_path);
    TRY(results_open(&results, results_path, false));
    TRY(file_make_folder(folder));
    TRY(memory_path(&page, folder, "report.html"));
    TRY(memory_path(&tables, folder, "tables.md"));
    TRY(report_write(&html, &markdown, results, folder, about));
    TRY(file_write_text(tables, &markdown));
    TRY(file_write_text(page, &html));
done:
    memory_free(tables);
    memory_free(page);
    text_clear(&markdown);
    text_clear(&html);
    results_free(results);
    return status;
}
