/* paper_report: reads results.json and writes tables.md, report.html, a CSV file for each table
 * and an SVG file for each picture. Every part is written once, to the page and to Markdown at the
 * same time. */
#include "report.h"

#include "graco.h"
#include "base/memory.h"
#include "io/files/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TITLE "GRACE, reproduced"

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Saves a text as FOLDER/NAME.SUFFIX, or NAME_INDEX.SUFFIX where index is not 0. */
static void save(struct report *report, const struct text *text, const char *name, int64_t index,
                 const char *suffix)
{
    char file[96], *path = NULL;
    if (!report->folder || report->status != GRACO_OK)
        return;
    if (index > 0)
        snprintf(file, sizeof file, "%s_%lld.%s", name, (long long)index, suffix);
    else
        snprintf(file, sizeof file, "%s.%s", name, suffix);
    report->status = memory_path(&path, report->folder, file);
    if (report->status == GRACO_OK)
        report->status = file_write_text(path, text);
    memory_free(path);
}

void report_section(struct report *report, const char *name, const char *title)
{
    page_section(&report->page, name, title);
    text_add(&report->markdown, "\n## ");
    text_markdown(&report->markdown, title);
    text_add(&report->markdown, "\n");
}

void report_paragraph(struct report *report, const char *words)
{
    if (!*words)
        return;
    page_paragraph(&report->page, words);
    text_add(&report->markdown, "\n");
    text_markdown(&report->markdown, words);
    text_add(&report->markdown, "\n");
}

void report_list_begin(struct report *report)
{
    page_list_begin(&report->page);
    text_add(&report->markdown, "\n");
}

void report_item(struct report *report, const char *lead, const char *words)
{
    page_list_item(&report->page, lead, words);
    text_add(&report->markdown, *lead ? "- **" : "- ");
    text_markdown(&report->markdown, lead);
    text_add(&report->markdown, *lead ? "** " : "");
    text_markdown(&report->markdown, words);
    text_add(&report->markdown, "\n");
}

void report_list_end(struct report *report)
{
    page_list_end(&report->page);
}

void report_table(struct report *report, const struct sheet *table, const char *caption)
{
    page_table(&report->page, table, caption);
    text_add(&report->markdown, "\n");
    sheet_markdown(&report->markdown, table);
    text_add(&report->markdown, *caption ? "\n" : "");
    text_markdown(&report->markdown, caption);
    text_add(&report->markdown, *caption ? "\n" : "");
}

void report_csv(struct report *report, const char *name, const struct sheet *table)
{
    struct text csv = {0};
    sheet_csv(&csv, table);
    save(report, &csv, name, 0, "csv");
    text_print(&report->markdown, "\nEvery number: [%s.csv](%s.csv)\n", name, name);
    text_clear(&csv);
}

void report_numbers(struct report *report, const char *name, const struct sheet *table)
{
    page_folded_table(&report->page, table, "");
    report_csv(report, name, table);
}

static void draw(struct text *out, const struct svg_head *head, const struct report_plot *plot)
{
    if (plot->lines)
        plot_lines(out, head, plot->lines);
    else if (plot->heat)
        plot_heat(out, head, plot->heat);
    else
        plot_scatter(out, head, plot->scatter);
}

void report_plots_begin(struct report *report, bool narrow)
{
    page_plots_begin(&report->page, narrow);
    text_add(&report->markdown, "\n");
}

void report_plot(struct report *report, const struct report_plot *plot)
{
    struct text alone = {0};
    struct svg_head head = {.title = plot->title, .about = plot->about};
    head.number = page_number(&report->page);
    draw(&report->page.body, &head, plot);
    head.alone = true;
    draw(&alone, &head, plot);
    save(report, &alone, plot->name, plot->index, "svg");
    text_add(&report->markdown, "![");
    text_markdown(&report->markdown, plot->title);
    text_print(&report->markdown, "](%s", plot->name);
    if (plot->index > 0)
        text_print(&report->markdown, "_%lld", (long long)plot->index);
    text_add(&report->markdown, ".svg)\n");
    text_clear(&alone);
}

void report_plots_end(struct report *report, const char *caption)
{
    page_plots_end(&report->page, caption);
    text_add(&report->markdown, "\n");
    text_markdown(&report->markdown, caption);
    text_add(&report->markdown, "\n");
}

/* ---- The beginning and the end --------------------------------------------------------------- */

static void write_lead(struct text *out, const struct results *results)
{
    text_print(out, "Every table and figure of the paper, made again by graco%s%s",
               *results->version ? " " : "", results->version);
    if (*results->machine)
        text_print(out, " on %s", results->machine);
    if (*results->device)
        text_print(out, " (%s)", results->device);
    text_add(out, ", each number beside the printed one.");
    if (results->quick)
        text_add(out,
                 " This was a quick run, with fewer seeds and epochs than the paper's: it shows "
                 "what the report looks like, and decides nothing.");
}

/* How the tables' cells compare, counted. */
static void write_summary(struct report *report)
{
    const struct results *results = report->results;
    int64_t marks[4] = {0}, states[5] = {0};
    for (int64_t i = 0; i < results->item_count; i++)
        for (int64_t c = 0; c < results->items[i].cells.count; c++) {
            const struct results_cell *cell = &results->items[i].cells.at[c];
            if (results->items[i].kind != RESULTS_TABLE)
                continue;
            marks[report_compare(cell).mark]++;
            states[cell->state]++;
        }
    char numbers[5][24];
    const int64_t counts[5] = {marks[SHEET_WITHIN], marks[SHEET_ABOVE], marks[SHEET_BELOW],
                               states[RESULTS_QUOTED], states[RESULTS_MISSING]};
    static const char *const names[5] = {"agree with the paper", "above it", "below it",
                                         "quoted only", "missing"};
    static const enum sheet_mark colours[5] = {SHEET_WITHIN, SHEET_ABOVE, SHEET_BELOW, SHEET_NONE,
                                               SHEET_NONE};
    struct page_figure figures[5];
    struct text words = {0};
    for (int i = 0; i < 5; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)counts[i]);
        figures[i] = (struct page_figure){numbers[i], names[i], colours[i]};
        text_print(&words, "%s%s %s", i > 0 ? ", " : "", numbers[i], names[i]);
    }
    report_section(report, "summary", "In short");
    page_figures(&report->page, figures, 5);
    text_add(&words, ".");
    text_add(&report->markdown, "\nOf the tables' cells: ");
    text_append(&report->markdown, &words);
    text_add(&report->markdown, "\n");
    report_paragraph(
        report, "A cell of a table agrees if its mean is within two standard errors over seeds of "
                "the paper\xE2\x80\x99s value, or within 0.5 points of it. Cells on a generated "
                "look-alike are not counted.");
    text_clear(&words);
}

static void write_methods(struct report *report)
{
    report_section(report, "methods", "How to read the numbers");
    report_list_begin(report);
    report_item(report, "Mean.",
                "Each seed trains one model; its score is the mean over the splits. "
                "The number is the mean over the seeds.");
    report_item(
        report, "Standard error over seeds (\xC2\xB1).",
        "The deviation of the seeds' means divided by the square root of their number: how "
        "far other seeds might move the mean on the same splits. One seed has none, and none "
        "is shown.");
    report_item(
        report, "Spread over splits, in parentheses.",
        "The deviation over splits of the mean over seeds: how much a score depends on which "
        "nodes are tested. It does not shrink with more seeds.");
    report_item(report, "Paired differences.",
                "Two methods are compared on the same seed and the same split, one pair at a time; "
                "the mean of these differences has a standard error over seeds of its own. A claim "
                "holds on a data set if the difference is above two of them.");
    report_item(
        report, "Labels.",
        "Without a label: run here as the paper describes. quick: fewer seeds or epochs, or a "
        "cheaper objective. look-alike: on a generated graph that stands in for one that "
        "cannot be had. quoted: the paper's number alone. missing: not run.");
    report_list_end(report);
}

static void write_items(struct report *report)
{
    static void (*const write[])(struct report *, const struct results_item *) = {
        [RESULTS_TABLE] = report_table_item,
        [RESULTS_GRID] = report_grid_item,
        [RESULTS_LINES_KIND] = report_lines_item,
        [RESULTS_FACTS] = report_facts_item,
    };
    for (int64_t i = 0; i < report->results->item_count; i++) {
        const struct results_item *item = &report->results->items[i];
        text_print(&report->markdown, "\n<!-- begin %s -->\n", item->name);
        report_section(report, item->name, item->title);
        report_paragraph(report, item->about);
        write[item->kind](report, item);
        text_print(&report->markdown, "\n<!-- end %s -->\n", item->name);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

graco_status report_write(struct text *html, struct text *markdown, const struct results *results,
                          const char *folder)
{
    struct report report = {.results = results, .folder = folder};
    struct text lead = {0};
    write_lead(&lead, results);
    report.page.title = TITLE;
    report.page.lead = text_words(&lead);
    text_add(&report.markdown, "# " TITLE "\n\n");
    text_markdown(&report.markdown, text_words(&lead));
    text_add(&report.markdown, "\n");
    write_summary(&report);
    report_claims(&report);
    write_items(&report);
    report_training(&report);
    report_embeddings(&report);
    report_explanations(&report);
    write_methods(&report);
    page_write(html, &report.page);
    text_append(markdown, &report.markdown);
    graco_status status = report.status;
    if (status == GRACO_OK)
        status = text_status(&lead) != GRACO_OK ? text_status(&lead) : text_status(html);
    if (status == GRACO_OK)
        status = text_status(markdown);
    page_clear(&report.page);
    text_clear(&report.markdown);
    text_clear(&lead);
    return status;
}

graco_status paper_report(const char *results_path, const char *folder)
{
    struct results *results = NULL;
    struct text html = {0}, markdown = {0};
    char *page = NULL, *tables = NULL;
    graco_status status = GRACO_OK;
    TRY(results_read(&results, results_path));
    TRY(file_make_folder(folder));
    TRY(memory_path(&page, folder, "report.html"));
    TRY(memory_path(&tables, folder, "tables.md"));
    TRY(report_write(&html, &markdown, results, folder));
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
