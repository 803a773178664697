/* graco_report: reads run folders, measures what they hold, and writes one page about them.
 * Whatever a run lacks is named on the page, beside what there is. */
#include "report/run_report.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/files/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 48 }; /* characters of a run's name on the page */

graco_report_options graco_report_defaults(void)
{
    return (graco_report_options){.eval = graco_eval_defaults()};
}

/* ---- Notes ----------------------------------------------------------------------------------- */

graco_status run_note(struct run_report *report, const struct reported *run, const char *format,
                      ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    PASS(memory_grow(&report->notes, report->note_count, report->note_count + 1,
                     sizeof *report->notes));
    PASS(memory_string(&report->notes[report->note_count].words, text));
    report->notes[report->note_count++].run = run;
    return GRACO_OK;
}

graco_status run_bear(struct run_report *report, const struct reported *run, graco_status status,
                      const char *part)
{
    bool of_files = status == GRACO_ERROR_FORMAT || status == GRACO_ERROR_ARGUMENT ||
                    status == GRACO_ERROR_NUMBER;
    return of_files ? run_note(report, run, "%s: %.900s", part, graco_message()) : status;
}

/* ---- Sections -------------------------------------------------------------------------------- */

static double last_loss(const struct reported *run)
{
    const struct run_curve *metrics = run->trainings[0].curve;
    return metrics->count > 0 ? metrics->at[CURVE_LOSS][metrics->count - 1] : (double)NAN;
}

/* A large number on the page, if it is known. */
static void add_figure(struct page_figure *figures, int64_t *count, char number[PLOT_NUMBER],
                       double value, int decimals, const char *name)
{
    if (isnan(value))
        return;
    plot_number(number, value, decimals);
    figures[(*count)++] = (struct page_figure){number, name, SHEET_NONE};
}

static void write_figures(struct run_report *report)
{
    const struct reported *run = &report->runs[0];
    const struct run_shape *shape = &run->shape;
    struct page_figure figures[6];
    char numbers[6][PLOT_NUMBER], rank[64];
    int64_t count = 0;
    double mean, deviation;
    run_score(&mean, &deviation, run);
    snprintf(rank, sizeof rank, "effective rank of %lld", (long long)shape->cols);
    add_figure(figures, &count, numbers[0], mean, 2,
               run->result_count > 0 && run->results[0].multi_label ? "micro-F1, %"
                                                                    : "accuracy, %");
    add_figure(figures, &count, numbers[1],
               shape->clusters.clusters > 0 ? shape->clusters.nmi : NAN, 3,
               "NMI of clusters with classes");
    add_figure(figures, &count, numbers[2], shape->effective_rank, 1, rank);
    add_figure(figures, &count, numbers[3], last_loss(run), 3, "loss of the last epoch");
    add_figure(figures, &count, numbers[4], (double)run->trainings[0].curve->count, 0, "epochs");
    add_figure(figures, &count, numbers[5], 1000 * run->trainings[0].seconds_median, 1,
               "ms for an epoch");
    page_figures(&report->page, figures, count);
}

static void write_overview(struct run_report *report)
{
    static const char *const names[] = {"score, %", "deviation",       "NMI",   "effective rank",
                                        "loss",     "ms for an epoch", "epochs"};
    struct sheet table = {.title = "The runs in short"};
    sheet_column(&table, "", "run", false);
    for (int i = 0; i < 7; i++)
        sheet_column(&table, "", names[i], true);
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        const struct run_shape *shape = &run->shape;
        double mean, deviation;
        run_score(&mean, &deviation, run);
        sheet_words(&table, run->name);
        sheet_number(&table, mean, 2);
        sheet_number(&table, deviation, 2);
        sheet_number(&table, shape->clusters.clusters > 0 ? shape->clusters.nmi : (double)NAN, 3);
        sheet_number(&table, shape->effective_rank, 1);
        sheet_number(&table, last_loss(run), 4);
        sheet_number(&table, 1000 * run->trainings[0].seconds_median, 1);
        sheet_number(&table, (double)run->trainings[0].curve->count, 0);
    }
    page_table(&report->page, &table,
               "Losses of other methods, settings or data sets are on other scales.");
    sheet_clear(&table);
}

static void write_summary(struct run_report *report)
{
    page_section(&report->page, "summary", "In short");
    if (report->count > 1)
        write_overview(report);
    else
        write_figures(report);
    if (report->note_count == 0)
        return;
    page_heading(&report->page, "Worth knowing");
    page_list_begin(&report->page);
    for (int64_t i = 0; i < report->note_count; i++)
        page_list_item(&report->page, report->count > 1 ? report->notes[i].run->name : "",
                       report->notes[i].words);
    page_list_end(&report->page);
}

static void write_methods(struct run_report *report)
{
    struct web_page *page = &report->page;
    page_section(page, "methods", "How to read the numbers");
    page_list_begin(page);
    page_list_item(page, "Scores.",
                   "A logistic regression is trained on the embeddings of some nodes and tested on "
                   "others, over several splits; the training itself saw no label, unless its "
                   "method is supervised.");
    page_list_item(page, "Paired differences.",
                   "Two runs are compared on the same splits, one pair of scores at a time: what "
                   "makes a split hard for both cancels out. The standard error is that of the "
                   "mean of these differences.");
    page_list_item(page, "Effective rank.",
                   "The exponential of the entropy of the singular values, scaled to add up to 1: "
                   "as many equal directions would have the same entropy.");
    page_list_item(
        page, "Alignment and uniformity.",
        "Both look at rows of length one. Alignment: the mean of "
        "|u\xC2\xA0\xE2\x88\x92\xC2\xA0v|\xC2\xB2 over "
        "the edges of the graph, 2 for random directions. Uniformity: the logarithm of "
        "the mean of exp(\xE2\x88\x92"
        "2\xC2\xA0|u\xC2\xA0\xE2\x88\x92\xC2\xA0v|\xC2\xB2) over all pairs of up to 3,000 nodes.");
    page_list_item(page, "Clusters.",
                   "k-means with as many clusters as classes, or 10. NMI and ARI are 1 where "
                   "clusters are the classes, and about 0 by chance; modularity looks at the edges "
                   "within clusters, the silhouette at their distances.");
    page_list_end(page);
}

graco_status run_page_write(struct run_report *report)
{
    write_summary(report);
    PASS(run_page_comparison(report));
    PASS(run_page_scores(report));
    PASS(run_page_settings(report));
    PASS(run_page_curves(report));
    PASS(run_page_graphs(report));
    PASS(run_page_shape(report));
    PASS(run_page_maps(report));
    write_methods(report);
    return GRACO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* How much of the names all runs have in common: whole folders. */
static size_t common_folders(const struct run_report *report)
{
    size_t common = 0, end = 0;
    const char *first = graco_run_describe(report->runs[0].run).path;
    for (;; end++) {
        for (int64_t r = 0; r < report->count; r++) {
            const char *path = graco_run_describe(report->runs[r].run).path;
            if (!path[end] || path[end] != first[end])
                return common;
        }
        if (first[end] == '/')
            common = end + 1;
    }
}

/* A run is called by its folder, and by a number too where there are several: long names may look
 * the same. */
static graco_status name_run(struct run_report *report, int64_t index)
{
    struct reported *run = &report->runs[index];
    char trimmed[PLOT_NAME], name[PLOT_NAME + 32], *slash;
    const char *whole = graco_run_describe(run->run).path;
    if (report->count > 1) {
        plot_name(trimmed, whole + common_folders(report), NAME);
        snprintf(name, sizeof name, "%lld %s", (long long)index + 1, trimmed);
        return memory_string(&run->name, name);
    }
    for (const char *at = whole; *at; at++)
        whole = *at == '/' && at[1] && at[1] != '/' ? at + 1 : whole;
    plot_name(name, whole, NAME);
    while ((slash = strrchr(name, '/')) && !slash[1] && slash > name)
        *slash = '\0';
    return memory_string(&run->name, name);
}

static graco_status open_run(struct run_report *report, int64_t index)
{
    struct reported *run = &report->runs[index];
    const graco_run_info info = graco_run_describe(run->run);
    PASS(name_run(report, index));
    run->count = info.seeds * info.splits;
    run->splits = info.splits;
    PASS(memory_zalloc(&run->trainings, run->count, sizeof *run->trainings));
    PASS(run_read(report, run));
    return run_measure(report, run);
}

static void close_report(struct run_report *report)
{
    for (int64_t r = 0; report->runs && r < report->count; r++) {
        run_measure_clear(&report->runs[r]);
        run_read_clear(&report->runs[r]);
        memory_free(report->runs[r].name);
    }
    for (int64_t d = 0; d < report->data_count; d++)
        graco_dataset_free(report->data[d]);
    for (int64_t n = 0; n < report->note_count; n++)
        memory_free(report->notes[n].words);
    memory_free(report->notes);
    memory_free(report->data);
    memory_free(report->runs);
    page_clear(&report->page);
}

/* Title and lead of the page, before its sections. */
static void write_head(struct text *title, struct text *lead, const struct run_report *report)
{
    char words[PLOT_NAME], method[PLOT_NAME], data[PLOT_NAME];
    const struct training *first = &report->runs[0].trainings[0];
    plot_name(words, report->options->title ? report->options->title : report->runs[0].name, 80);
    if (report->options->title)
        text_add(title, words);
    else if (report->count == 1)
        text_print(title, "Run %s", words);
    else
        text_print(title, "%lld runs", (long long)report->count);
    run_field(method, first, "method");
    run_field(data, first, "dataset");
    text_add(lead, "What was trained, what came of it, and how the embeddings look");
    if (report->count == 1 && *method && *data)
        text_print(lead, ": the method %s on %s", method, data);
    text_print(lead, ". Written by graco %s.", graco_version());
}

graco_status graco_report(const char *path, int64_t *notes, graco_run *const *runs, int64_t count,
                          const graco_report_options *options)
{
    graco_status status = GRACO_OK;
    graco_report_options defaults = graco_report_defaults();
    struct run_report report = {.options = options ? options : &defaults, .count = count};
    struct text title = {0}, lead = {0}, html = {0};
    if (count < 1)
        FAIL(GRACO_ERROR_ARGUMENT, "a report of %lld runs; expected one at least",
             (long long)count);
    TRY(memory_zalloc(&report.runs, count, sizeof *report.runs));
    TRY(memory_zalloc(&report.data, count, sizeof *report.data));
    for (int64_t r = 0; r < count; r++)
        report.runs[r].run = runs[r];
    for (int64_t r = 0; r < count; r++)
        TRY(open_run(&report, r));
    write_head(&title, &lead, &report);
    TRY(text_status(&title));
    TRY(text_status(&lead));
    report.page.title = text_words(&title);
    report.page.lead = text_words(&lead);
    TRY(run_page_write(&report));
    page_write(&html, &report.page);
    TRY(file_write_text(path, &html));
    if (notes)
        *notes = report.note_count;
done:
    text_clear(&html);
    text_clear(&lead);
    text_clear(&title);
    close_report(&report);
    return status;
}
