/* The order of a report, and what each cell comes to. A cell shows the samples of the full training if there are
 * any, else those of --quick; so whichever calls filled a file, it says the same of its samples. */
#include "report.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const state_names[STATES] = {"run", "quick", "look-alike", "quoted", "missing"};

/* ---- Cells ----------------------------------------------------------------------------------- */

enum state report_state(const struct results *results, const char *key)
{
    int64_t first, count = results_range(&first, results, key);
    enum state state = count > 0 ? STATE_RUN : STATE_MISSING;
    for (int64_t i = first; i < first + count; i++) {
        const char *source = results->samples[i].source;
        if (source && strcmp(source, "look-alike") == 0)
            state = STATE_LOOKALIKE;
        else if (results->samples[i].quick && state == STATE_RUN)
            state = STATE_QUICK;
    }
    return state;
}

/* How a cell stands, by which key, and why it is no better. */
static void find_state(struct shown *out, const struct results *results,
                       const struct report_about *about)
{
    const struct cell *cell = out->cell;
    const char *set = manifest_sets[cell->set].name;
    out->state = STATE_MISSING;
    for (int q = 0; q < 2 && out->state == STATE_MISSING; q++) {
        out->key = cell->key[q];
        if (!(q == 1 && cell->left_out)) /* its samples lack what the cell shows */
            out->state = report_state(results, out->key);
    }
    if (out->state == STATE_QUICK && strcmp(cell->method, "dataset") != 0)
        snprintf(out->note, sizeof out->note, "--quick: one seed, few splits%s%s",
                 *cell->quick ? ", " : "", cell->quick);
    if (out->state == STATE_LOOKALIKE)
        snprintf(out->note, sizeof out->note,
                 "on a generated graph like %s; to download it: graco fetch %s", set, set);
    if (out->state != STATE_MISSING)
        return;
    out->key = cell->key[about->quick];
    if (!about->there[cell->set])
        snprintf(out->note, sizeof out->note, "no data; to download it: graco fetch %s", set);
    else if (about->quick && cell->left_out)
        snprintf(out->note, sizeof out->note, "%s", cell->left_out);
    else
        snprintf(out->note, sizeof out->note, "not run; to run it: graco reproduce %s",
                 cell->item->name);
}

/* What the samples of a key come to in a cell. */
static struct summary summarise(const struct report *report, const struct shown *shown)
{
    int64_t first, count = results_range(&first, report->results, shown->key);
    struct moments over_seeds = {0};
    if (shown->scores)
        return statistics_summary(report->scores + first, count);
    for (int64_t i = first; i < first + count; i++) {
        double value = results_value(&report->results->samples[i], shown->cell->value);
        if (!isnan(value))
            moments_add(&over_seeds, value);
    }
    bool any = over_seeds.count > 0;
    return (struct summary){.seeds = over_seeds.count,
                            .splits = any,
                            .mean = any ? over_seeds.mean : (double)NAN,
                            .error = moments_error(&over_seeds),
                            .spread = NAN};
}

void report_show(struct shown *out, const struct report *report, const struct report_about *about)
{
    find_state(out, report->results, about);
    out->scores = !out->cell->value;
    out->difference = NAN;
    out->ours = (struct summary){.mean = NAN, .error = NAN, .spread = NAN};
    if (out->state != STATE_MISSING)
        out->ours = summarise(report, out);
    if (out->ours.seeds == 0 || isnan(out->cell->paper.mean))
        return;
    out->difference = out->ours.mean - out->cell->paper.mean;
    if (out->state == STATE_LOOKALIKE) /* another graph: nothing can agree */
        return;
    enum verdict verdict = statistics_verdict(out->difference, out->ours.error);
    out->beyond = verdict == VERDICT_HIGHER || verdict == VERDICT_LOWER;
    if (verdict == VERDICT_SAME || (out->scores && fabs(out->difference) <= REPORT_POINTS))
        out->mark = SHEET_WITHIN;
    else if (out->scores || out->beyond)
        out->mark = out->difference > 0 ? SHEET_ABOVE : SHEET_BELOW;
}

int report_cells(const struct shown **first, const struct report *report, const struct item *item)
{
    int begin = 0, end;
    while (begin < report->shown_count && report->shown[begin].cell->item != item)
        begin++;
    for (end = begin; end < report->shown_count && report->shown[end].cell->item == item;)
        end++;
    *first = report->shown + begin;
    return end - begin;
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
    static const struct {
        const char *name;
        enum sheet_mark mark;
        enum state state; /* where there is no mark */
    } counted[] = {{"agree with the paper", SHEET_WITHIN, STATE_RUN},
                   {"above it", SHEET_ABOVE, STATE_RUN},
                   {"below it", SHEET_BELOW, STATE_RUN},
                   {"quoted only", SHEET_NONE, STATE_QUOTED},
                   {"missing", SHEET_NONE, STATE_MISSING}};
    enum { COUNTED = sizeof counted / sizeof *counted };
    char numbers[COUNTED][24];
    struct page_figure figures[COUNTED];
    struct text words = {0};
    for (int i = 0; i < COUNTED; i++) {
        int count = 0;
        for (int c = 0; c < report->shown_count; c++) {
            const struct shown *shown = &report->shown[c];
            count += shown->cell->item->kind == KIND_TABLE &&
                     (counted[i].mark ? shown->mark == counted[i].mark
                                      : shown->state == counted[i].state);
        }
        snprintf(numbers[i], sizeof numbers[i], "%d", count);
        figures[i] = (struct page_figure){numbers[i], counted[i].name, counted[i].mark};
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

static void write_methods(struct document *document)
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
         "holds on a data set if the difference is above two of them."},
        {"Labels.",
         "Without a label: run here as the paper describes. quick: fewer seeds or epochs, or a "
         "cheaper objective. look-alike: on a generated graph that stands in for one that "
         "cannot be had. quoted: the paper's number alone. missing: not run."}};
    document_section(document, "methods", "How to read the numbers");
    document_list_begin(document);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        document_item(document, words[i][0], words[i][1]);
    document_list_end(document);
}

static void write_item(struct report *report, const struct item *item)
{
    struct document *document = &report->document;
    text_print(&document->markdown, "\n<!-- begin %s -->\n", item->name);
    document_section(document, item->name, item->title);
    document_paragraph(document, item->about);
    if (item->kind == KIND_TABLE)
        report_table(report, item);
    else if (item->kind == KIND_GRID)
        report_grid(report, item);
    else if (item->kind == KIND_LINES)
        report_lines(report, item);
    else if (strcmp(item->name, "datasets") == 0)
        report_datasets(report, item);
    else
        report_hyperparameters(report, item);
    text_print(&document->markdown, "\n<!-- end %s -->\n", item->name);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void prepare(struct report *report, struct cell *cells, struct shown *shown,
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
    report->shown_count = cells_list(cells);
    report->scores = scores;
    report->shown = shown;
    for (int i = 0; i < report->shown_count; i++) {
        shown[i].cell = &cells[i];
        report_show(&shown[i], report, about);
    }
}

graco_status report_write(struct text *html, struct text *markdown, const struct results *results,
                          const char *folder, const struct report_about *about)
{
    struct report report = {.results = results, .document.folder = folder};
    struct cell *cells = NULL;
    struct shown *shown = NULL;
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
    write_methods(&report.document);
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
