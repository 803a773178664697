/* Figures: the grid as a heat map, lines with bands of two standard errors over seeds, curves of
 * trainings, maps of embeddings. Under each figure of cells stands every number of it, folded
 * away, for whoever cannot see or wants the digits. */
#include "report.h"

#include "base/memory.h"
#include "base/number.h"
#include "report/band.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIGURES_MAX = 12,
    CLASSES_MAX = 128
}; /* trainings or maps that are drawn; the file has the others */

/* ---- Figures of cells ------------------------------------------------------------------------ */

/* The metric of a figure's samples; "" without one. */
static const char *metric_of(const struct score_cell *shown, int count)
{
    int i = 0;
    while (i < count && !shown[i].metric)
        i++;
    return i < count ? shown[i].metric : "";
}

/* The labels of cells, counted, as a sentence of a caption. */
static void add_labels(struct text *out, const struct score_cell *shown, int count)
{
    static const char *const labels[] = {"quick", "look-alike", "missing"};
    const char *lead = " Labels:";
    for (size_t l = 0; l < sizeof labels / sizeof *labels; l++) {
        int found = 0;
        for (int i = 0; i < count; i++)
            found += strcmp(shown[i].label, labels[l]) == 0;
        if (found > 0)
            text_print(out, "%s %d %s", lead, found, labels[l]);
        lead = found > 0 ? "," : lead;
    }
    text_add(out, *lead == ',' ? "." : "");
}

/* All cells of a sweep, with one picture; `about` is where the highest is. */
static void draw_grid(struct document *document, const struct item *item,
                      const struct score_cell *shown, int count, struct text *about)
{
    enum { CELLS = SWEPT * SWEPT, WORDS = SCORE_WHOLE + 16 };
    const struct sweep *sweep = item->sweep;
    double ticks[SWEPT], values[CELLS];
    char words[CELLS][WORDS];
    const char *hover[CELLS];
    for (int i = 0; i < sweep->ticks; i++)
        ticks[i] = cells_tick(sweep, i);
    for (int i = 0; i < count; i++) {
        char whole[SCORE_WHOLE];
        score_whole(whole, &shown[i].ours, true);
        snprintf(words[i], WORDS, "%s%s%s", whole, *shown[i].label ? ", " : "", shown[i].label);
        hover[i] = words[i];
        values[i] = shown[i].ours.mean;
    }
    struct plot_heat plot = {.x_label = sweep->x_label,
                             .y_label = sweep->y_label,
                             .value_label = metric_of(shown, count),
                             .columns = sweep->ticks,
                             .rows = sweep->ticks,
                             .x = ticks,
                             .y = ticks,
                             .values = values, /* cells come row by row */
                             .words = hover};
    plot_heat_about(about, &plot);
    document_plot(document, &(struct document_plot){.name = item->name,
                                                    .title = item->title,
                                                    .about = text_words(about),
                                                    .heat = &plot});
}

/* The lines of a set, whose cells are shown[0 .. count). */
static void draw_panel(struct document *document, const struct item *item, int set,
                       const struct score_cell *shown, int count)
{
    struct {
        double x[SWEPT], y[SWEPT], low[SWEPT], high[SWEPT];
    } line[SWEPT_METHODS];
    const struct sweep *sweep = item->sweep;
    struct plot_series series[SWEPT_METHODS];
    struct plot_lines plot = {.x_label = sweep->x_label,
                              .y_label = metric_of(shown, count),
                              .series = series,
                              .marks = true,
                              .x_ticks = line[0].x,
                              .x_tick_count = sweep->ticks};
    struct text about = {0};
    for (int i = 0; i < count; i++) {
        const struct summary *ours = &shown[i].ours;
        int l = shown[i].row, x = shown[i].column;
        line[l].x[x] = cells_tick(sweep, x);
        line[l].y[x] = ours->mean;
        line[l].low[x] = ours->mean - 2 * ours->error;
        line[l].high[x] = ours->mean + 2 * ours->error;
        series[l] = (struct plot_series){shown[i].method, sweep->ticks, line[l].x,
                                         line[l].y,       line[l].low,  line[l].high};
        plot.series_count = l + 1;
    }
    plot_lines_about(&about, &plot);
    if (plot.y_label[0]) /* there are samples */
        document_plot(document, &(struct document_plot){.name = item->name,
                                                        .index = set + 1,
                                                        .title = manifest_sets[set].title,
                                                        .about = text_words(&about),
                                                        .lines = &plot});
    document_keep(document, text_status(&about));
    text_clear(&about);
}

void report_sweep(struct report *report, const struct item *item)
{
    const struct sweep *sweep = item->sweep;
    struct document *document = &report->document;
    struct sheet numbers = {0};
    struct text caption = {0}, about = {0};
    struct score_counts counts = {0};
    int first, count = report_cells(&first, report, item), places = sweep->y ? 2 : 3;
    const struct score_cell *shown = report->shown + first;
    const struct cell *cells = report->cells + first;
    score_long_begin(&numbers,
                     sweep->y ? (const char *[]){sweep->y_label, sweep->x_label}
                              : (const char *[]){"panel", "line", sweep->x_label},
                     places);
    for (int i = 0; i < count; i++) {
        char x[NUMBER_TEXT], y[NUMBER_TEXT];
        number_shortest(x, cells_tick(sweep, shown[i].column));
        number_shortest(y, cells_tick(sweep, shown[i].row));
        score_long_row(&numbers, &shown[i],
                       sweep->y ? (const char *[]){y, x}
                                : (const char *[]){shown[i].set, shown[i].method, x},
                       places);
        score_count(&counts, &shown[i].ours);
    }
    score_counts_words(&caption, &counts);
    if (counts.seeds[1] > 0) {
        document_plots_begin(document, sweep->y);
        if (sweep->y)
            draw_grid(document, item, shown, count, &about);
        for (int i = 0, end; i < count && !sweep->y; i = end) {
            for (end = i + 1; end < count && cells[end].set == cells[i].set;)
                end++;
            draw_panel(document, item, cells[i].set, shown + i, end - i);
        }
        text_add(&caption, sweep->y ? " "
                           : counts.seeds[1] > 1
                               ? " Bands: two standard errors over seeds, to both sides."
                               : " There are no bands: they need several seeds.");
        text_append(&caption, &about);
        add_labels(&caption, shown, count);
        document_plots_end(document, text_words(&caption));
    } else {
        document_paragraph(document, text_words(&caption));
    }
    document_numbers(document, item->name, &numbers);
    document_keep(document, text_status(&caption));
    text_clear(&about);
    text_clear(&caption);
    sheet_clear(&numbers);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

/* Whether two curves have the same epochs, so that a mean can be taken at each. */
static bool same_epochs(const struct list *a, const struct list *b)
{
    return a->count == b->count && memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at) == 0;
}

/* The curve of the samples from `first` on, count of them, which have one key. */
static graco_status draw_curve(struct document *document, const struct sample *first, int64_t count,
                               bool information, int64_t index)
{
    const struct list *epoch = &first->epoch;
    struct text title = {0}, about = {0};
    struct band band = {0};
    graco_status status = GRACO_OK;
    TRY(band_create(&band, epoch->count));
    for (int64_t i = 0; i < count; i++) {
        const double *from = information ? first[i].informations.at : first[i].losses.at;
        for (int64_t k = 0, same = same_epochs(epoch, &first[i].epoch); same && k < epoch->count;
             k++)
            band_add(&band, k, epoch->at[k], from[k]);
        band_next(&band);
    }
    band_finish(&band);
    struct plot_series series = {first->key, epoch->count, epoch->at,
                                 band.mean,  band.low,     band.high};
    struct plot_lines plot = {.x_label = "epoch",
                              .y_label = information ? "mutual information, nats" : "loss",
                              .series_count = 1,
                              .series = &series};
    text_add(&title, first->key);
    text_add(&title, information ? ": mutual information" : ": loss");
    plot_lines_about(&about, &plot);
    document_plot(document, &(struct document_plot){.name = "training",
                                                    .index = index,
                                                    .title = text_words(&title),
                                                    .about = text_words(&about),
                                                    .lines = &plot});
    TRY(text_status(&title));
    status = text_status(&about);
done:
    band_clear(&band);
    text_clear(&title);
    text_clear(&about);
    return status;
}

static graco_status draw_training(struct document *document, const struct sample *first,
                                  int64_t count, int64_t index)
{
    PASS(draw_curve(document, first, count, false, 2 * index - 1));
    return draw_curve(document, first, count, true, 2 * index);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* A map of a sample's points; none, if its classes are too many. */
static graco_status draw_map(struct document *document, const struct sample *sample, int64_t index)
{
    char about[160], name[CLASSES_MAX][24];
    const char *names[CLASSES_MAX];
    double low = INFINITY, high = -INFINITY;
    int32_t *class_of = NULL;
    int64_t classes = 0;
    bool used[CLASSES_MAX] = {false};
    for (int64_t i = 0; i < sample->class_of.count; i++) {
        low = fmin(low, sample->class_of.at[i]);
        high = fmax(high, sample->class_of.at[i]);
    }
    if (high - low >= CLASSES_MAX)
        return GRACO_OK;
    PASS(memory_alloc(&class_of, sample->x.count, sizeof *class_of));
    for (int64_t i = 0; i < sample->x.count; i++) {
        class_of[i] = (int32_t)(sample->class_of.at[i] - low);
        classes += !used[class_of[i]];
        used[class_of[i]] = true;
    }
    for (int c = 0; c <= high - low; c++) {
        snprintf(name[c], sizeof name[c], "%d", (int)low + c);
        names[c] = name[c];
    }
    snprintf(about, sizeof about,
             "%lld nodes in %lld classes, each named at the middle of its nodes.",
             (long long)sample->x.count, (long long)classes);
    struct plot_scatter plot = {.x_label = "first component",
                                .y_label = "second component",
                                .count = sample->x.count,
                                .classes = (int64_t)(high - low) + 1,
                                .x = sample->x.at,
                                .y = sample->y.at,
                                .class_of = class_of,
                                .class_names = names};
    document_plot(document, &(struct document_plot){.name = "embeddings",
                                                    .index = index,
                                                    .title = sample->key,
                                                    .about = about,
                                                    .scatter = &plot});
    memory_free(class_of);
    return GRACO_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* A section with the curves, or the map, of the samples of each key: the first FIGURES_MAX that have some. */
static void draw_keys(struct report *report, bool maps, const char *name, const char *title,
                      const char *caption)
{
    const struct results *results = report->results;
    struct document *document = &report->document;
    int64_t drawn = 0;
    for (int64_t i = 0, first, count; i < results->count; i = first + count) {
        const struct sample *sample = &results->samples[i];
        count = results_range(&first, results, sample->key);
        if ((maps ? sample->x.count : sample->epoch.count) == 0 || drawn >= FIGURES_MAX)
            continue;
        if (drawn == 0) {
            document_section(document, name, title);
            document_plots_begin(document, false);
        }
        drawn++;
        document_keep(document, maps ? draw_map(document, sample, drawn)
                                     : draw_training(document, sample, count, drawn));
    }
    if (drawn > 0)
        document_plots_end(document, caption);
}

void report_training(struct report *report)
{
    draw_keys(report, false, "training", "Trainings",
              "Mean over the seeds of a training; the band goes from the lowest to "
              "the highest of them. Mutual information is the InfoNCE estimate "
              "between the two views.");
}

void report_embeddings(struct report *report)
{
    draw_keys(report, true, "embeddings", "Embeddings",
              "The two leading principal components of the embeddings, coloured by "
              "class. The training saw no class.");
}
