/* Figures: the grid as a heat map, lines with bands of two standard errors over seeds, curves of
 * trainings, maps of embeddings. Under each figure of cells stands every number of it, folded
 * away, for whoever cannot see or wants the digits. */
#include "report.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIGURES_MAX = 12 }; /* trainings or maps that are drawn; the file has the others */

static void keep_status(struct report *report, graco_status status)
{
    if (report->status == GRACO_OK)
        report->status = status;
}

/* The metric of a cell's samples; "" without one. */
static const char *metric_of(const struct results *results, const struct results_cells *cells)
{
    for (int64_t i = 0; i < cells->count; i++) {
        int64_t first, count;
        results_find(&first, &count, results, cells->at[i].key);
        if (strcmp(cells->at[i].value, "scores") != 0)
            return cells->at[i].value;
        if (count > 0)
            return report_metric(results->samples[first].metric);
    }
    return "";
}

/* The states of cells that are not RESULTS_RUN, counted, as a sentence of a caption. */
static void add_states(struct text *out, const int64_t states[5])
{
    bool any = false;
    for (int s = RESULTS_QUICK; s <= RESULTS_MISSING; s++)
        if (states[s] > 0) {
            text_print(out, "%s %lld %s", any ? "," : " Labels:", (long long)states[s],
                       results_state_name((enum results_state)s));
            any = true;
        }
    text_add(out, any ? "." : "");
}

/* ---- The grid -------------------------------------------------------------------------------- */

/* What a heat map is drawn from. */
struct heat {
    int64_t count;
    double *values;
    const char **hover;
    struct text words; /* of all cells, each with a NUL */
    int64_t *places;   /* of each cell's in `words` */
    struct report_counts counts;
    int64_t states[5];
};

static void heat_clear(struct heat *heat)
{
    memory_free(heat->values);
    memory_free(heat->hover);
    memory_free(heat->places);
    text_clear(&heat->words);
}

static void heat_cell(struct heat *heat, struct sheet *numbers, const struct results_item *item,
                      const struct results_cell *cell)
{
    struct comparison c = report_compare(cell);
    int64_t place = cell->row * item->x.ticks.count + cell->column;
    char x[NUMBER_TEXT], y[NUMBER_TEXT], mean[REPORT_WHOLE];
    number_shortest(x, item->x.ticks.at[cell->column]);
    number_shortest(y, item->y.ticks.at[cell->row]);
    report_whole(mean, &c.ours, c.scores);
    heat->values[place] = c.ours.mean;
    heat->places[place] = heat->words.length;
    text_add(&heat->words, item->x.label);
    text_print(&heat->words, " %s, ", x);
    text_add(&heat->words, item->y.label);
    text_print(&heat->words, " %s: %s", y, mean);
    if (cell->state != RESULTS_RUN)
        text_print(&heat->words, ", %s", results_state_name(cell->state));
    text_add_bytes(&heat->words, "", 1);
    report_count(&heat->counts, &c.ours);
    heat->states[cell->state]++;
    report_long_row(numbers, cell, (const char *[]){y, x}, 2);
}

static graco_status heat_fill(struct heat *heat, struct sheet *numbers,
                              const struct results_item *item)
{
    heat->count = item->x.ticks.count * item->y.ticks.count;
    PASS(memory_alloc(&heat->values, heat->count, sizeof *heat->values));
    PASS(memory_alloc(&heat->hover, heat->count, sizeof *heat->hover));
    PASS(memory_alloc(&heat->places, heat->count, sizeof *heat->places));
    text_add_bytes(&heat->words, "not run", 8);
    for (int64_t i = 0; i < heat->count; i++) {
        heat->values[i] = NAN;
        heat->places[i] = 0;
    }
    for (int64_t i = 0; i < item->cells.count; i++)
        heat_cell(heat, numbers, item, &item->cells.at[i]);
    for (int64_t i = 0; i < heat->count; i++)
        heat->hover[i] = text_words(&heat->words) + heat->places[i];
    return text_status(&heat->words);
}

/* Lowest and highest value, where they are, as a sentence. */
static void describe_heat(struct text *out, const struct heat *heat,
                          const struct results_item *item)
{
    int64_t low = -1, high = -1;
    for (int64_t i = 0; i < heat->count; i++) {
        if (isnan(heat->values[i]))
            continue;
        low = low < 0 || heat->values[i] < heat->values[low] ? i : low;
        high = high < 0 || heat->values[i] > heat->values[high] ? i : high;
    }
    if (high < 0)
        return;
    text_print(out, "From %.1f to %.1f; the highest at ", heat->values[low], heat->values[high]);
    text_add(out, item->x.label);
    text_print(out, " = %g, ", item->x.ticks.at[high % item->x.ticks.count]);
    text_add(out, item->y.label);
    text_print(out, " = %g, in a frame.", item->y.ticks.at[high / item->x.ticks.count]);
}

void report_grid_item(struct report *report, const struct results_item *item)
{
    struct heat heat = {0};
    struct sheet numbers = {0};
    struct text about = {0}, caption = {0};
    graco_status status = GRACO_OK;
    report_long_begin(&numbers, (const char *[]){item->y.label, item->x.label}, 2);
    TRY(heat_fill(&heat, &numbers, item));
    describe_heat(&about, &heat, item);
    report_counts_words(&caption, &heat.counts);
    if (heat.counts.seeds[1] == 0) {
        report_paragraph(report, text_words(&caption));
        report_numbers(report, item->name, &numbers);
        goto done;
    }
    text_print(&caption, " %s", text_words(&about));
    add_states(&caption, heat.states);
    struct plot_heat plot = {.x_label = item->x.label,
                             .y_label = item->y.label,
                             .value_label = metric_of(report->results, &item->cells),
                             .columns = item->x.ticks.count,
                             .rows = item->y.ticks.count,
                             .x = item->x.ticks.at,
                             .y = item->y.ticks.at,
                             .values = heat.values,
                             .hover = heat.hover};
    report_plots_begin(report, true);
    report_plot(report, &(struct report_plot){.name = item->name,
                                              .title = item->title,
                                              .about = text_words(&about),
                                              .heat = &plot});
    report_plots_end(report, text_words(&caption));
    report_numbers(report, item->name, &numbers);
    TRY(text_status(&about));
    TRY(text_status(&caption));
done:
    keep_status(report, status);
    heat_clear(&heat);
    sheet_clear(&numbers);
    text_clear(&about);
    text_clear(&caption);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* The numbers of a panel's lines. */
struct panel {
    double x[RESULTS_LINES][RESULTS_TICKS], y[RESULTS_LINES][RESULTS_TICKS],
        low[RESULTS_LINES][RESULTS_TICKS], high[RESULTS_LINES][RESULTS_TICKS];
    struct plot_series series[RESULTS_LINES];
};

/* Puts a line's cells in the order of the axis, for which the ticks' own order is taken. */
static void fill_line(struct panel *out, int64_t index, const struct results_panel *panel)
{
    const struct results_line *line = &panel->lines[index];
    for (int64_t k = 0; k < panel->x.ticks.count; k++) {
        out->x[index][k] = panel->x.ticks.at[k];
        out->y[index][k] = out->low[index][k] = out->high[index][k] = NAN;
    }
    for (int64_t i = 0; i < line->cells.count; i++) {
        const struct results_cell *cell = &line->cells.at[i];
        struct comparison c = report_compare(cell);
        out->y[index][cell->column] = c.ours.mean;
        out->low[index][cell->column] = c.ours.mean - 2 * c.ours.error;
        out->high[index][cell->column] = c.ours.mean + 2 * c.ours.error;
    }
    out->series[index] = (struct plot_series){.label = line->label,
                                              .count = panel->x.ticks.count,
                                              .x = out->x[index],
                                              .y = out->y[index],
                                              .low = out->low[index],
                                              .high = out->high[index]};
}

/* What each line does from its first number to its last, as a sentence each. */
static void describe_series(struct text *out, const struct plot_series *series, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const struct plot_series *s = &series[i];
        int64_t first = 0, last = s->count - 1;
        while (first < s->count && isnan(s->y[first]))
            first++;
        while (last >= 0 && isnan(s->y[last]))
            last--;
        text_add(out, i > 0 ? " " : "");
        text_add(out, s->label);
        if (first > last)
            text_add(out, " has no number.");
        else
            text_print(out, " goes from %.4g at %g to %.4g at %g.", s->y[first], s->x[first],
                       s->y[last], s->x[last]);
    }
}

static graco_status write_panel(struct report *report, const struct results_item *item,
                                int64_t index)
{
    const struct results_panel *panel = &item->panels[index];
    struct panel *drawn = NULL;
    struct text about = {0};
    graco_status status = GRACO_OK;
    const char *metric = "";
    TRY(memory_alloc(&drawn, 1, sizeof *drawn));
    for (int64_t i = 0; i < panel->line_count; i++) {
        fill_line(drawn, i, panel);
        metric = *metric ? metric : metric_of(report->results, &panel->lines[i].cells);
    }
    describe_series(&about, drawn->series, panel->line_count);
    struct plot_lines plot = {.x_label = panel->x.label,
                              .y_label = metric,
                              .series_count = panel->line_count,
                              .series = drawn->series,
                              .marks = true,
                              .x_ticks = panel->x.ticks.count <= 8 ? panel->x.ticks.at : NULL,
                              .x_tick_count = panel->x.ticks.count <= 8 ? panel->x.ticks.count : 0};
    report_plot(report, &(struct report_plot){.name = item->name,
                                              .index = index + 1,
                                              .title = panel->title,
                                              .about = text_words(&about),
                                              .lines = &plot});
    status = text_status(&about);
done:
    text_clear(&about);
    memory_free(drawn);
    return status;
}

/* The cells of a panel: their numbers to the table, their seeds and states counted. */
static void count_panel(const struct results_panel *panel, struct sheet *numbers,
                        struct report_counts *counts, int64_t states[5])
{
    for (int64_t l = 0; l < panel->line_count; l++)
        for (int64_t i = 0; i < panel->lines[l].cells.count; i++) {
            const struct results_cell *cell = &panel->lines[l].cells.at[i];
            struct comparison c = report_compare(cell);
            char x[NUMBER_TEXT];
            number_shortest(x, panel->x.ticks.at[cell->column]);
            report_count(counts, &c.ours);
            states[cell->state]++;
            report_long_row(numbers, cell, (const char *[]){panel->title, panel->lines[l].label, x},
                            3);
        }
}

/* Whether a panel has anything to draw. */
static bool has_number(const struct results_panel *panel)
{
    for (int64_t l = 0; l < panel->line_count; l++)
        for (int64_t i = 0; i < panel->lines[l].cells.count; i++)
            if (report_compare(&panel->lines[l].cells.at[i]).ours.seeds > 0)
                return true;
    return false;
}

void report_lines_item(struct report *report, const struct results_item *item)
{
    struct sheet numbers = {0};
    struct report_counts counts = {0};
    struct text caption = {0};
    int64_t states[5] = {0};
    const char *x = item->panel_count > 0 ? item->panels[0].x.label : "x";
    report_long_begin(&numbers, (const char *[]){"panel", "line", x}, 3);
    for (int64_t i = 0; i < item->panel_count; i++)
        count_panel(&item->panels[i], &numbers, &counts, states);
    report_counts_words(&caption, &counts);
    if (counts.seeds[1] == 0) {
        report_paragraph(report, text_words(&caption));
    } else {
        report_plots_begin(report, false);
        for (int64_t i = 0; i < item->panel_count; i++)
            if (has_number(&item->panels[i]))
                keep_status(report, write_panel(report, item, i));
        text_add(&caption, counts.seeds[1] > 1
                               ? " Bands: two standard errors over seeds, to both sides."
                               : " There are no bands: they need several seeds.");
        add_states(&caption, states);
        report_plots_end(report, text_words(&caption));
    }
    report_numbers(report, item->name, &numbers);
    keep_status(report, text_status(&caption));
    text_clear(&caption);
    sheet_clear(&numbers);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

/* Whether two curves have the same epochs, so that a mean can be taken at each. */
static bool same_epochs(const struct results_sample *a, const struct results_sample *b)
{
    return a->epoch.count == b->epoch.count &&
           memcmp(a->epoch.at, b->epoch.at, (size_t)a->epoch.count * sizeof *a->epoch.at) == 0;
}

/* Over the seeds of one of a curve's numbers, (points) of each. */
struct band {
    double *mean, *low, *high, *found;
};

static void add_to_band(struct band *out, int64_t k, double number)
{
    if (isnan(number))
        return;
    out->low[k] = out->found[k] == 0 || number < out->low[k] ? number : out->low[k];
    out->high[k] = out->found[k] == 0 || number > out->high[k] ? number : out->high[k];
    out->mean[k] += number;
    out->found[k]++;
}

/* Fills a band of zeros. */
static void fill_band(struct band *out, const struct results *results, const int64_t range[2],
                      bool information)
{
    const struct results_sample *samples = &results->samples[range[0]];
    int64_t count = samples[0].epoch.count;
    for (int64_t i = 0; i < range[1]; i++) {
        const double *from = information ? samples[i].information.at : samples[i].loss.at;
        for (int64_t k = 0, same = same_epochs(&samples[0], &samples[i]); same && k < count; k++)
            add_to_band(out, k, from[k]);
    }
    for (int64_t k = 0; k < count; k++) {
        out->mean[k] = out->found[k] > 0 ? out->mean[k] / out->found[k] : NAN;
        if (out->found[k] < 2)
            out->low[k] = out->high[k] = NAN;
    }
}

static graco_status write_curve(struct report *report, const int64_t range[2], bool information,
                                int64_t index)
{
    const struct results_sample *sample = &report->results->samples[range[0]];
    int64_t count = sample->epoch.count;
    struct text title = {0}, about = {0};
    double *numbers = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_zalloc(&numbers, 4 * count, sizeof *numbers));
    struct band band = {numbers, numbers + count, numbers + 2 * count, numbers + 3 * count};
    fill_band(&band, report->results, range, information);
    struct plot_series series = {.label = sample->key,
                                 .count = count,
                                 .x = sample->epoch.at,
                                 .y = band.mean,
                                 .low = band.low,
                                 .high = band.high};
    struct plot_lines plot = {.x_label = "epoch",
                              .y_label = information ? "mutual information, nats" : "loss",
                              .series_count = 1,
                              .series = &series};
    text_add(&title, sample->key);
    text_add(&title, information ? ": mutual information" : ": loss");
    describe_series(&about, &series, 1);
    TRY(text_status(&title));
    TRY(text_status(&about));
    report_plot(report, &(struct report_plot){.name = "training",
                                              .index = index,
                                              .title = text_words(&title),
                                              .about = text_words(&about),
                                              .lines = &plot});
done:
    memory_free(numbers);
    text_clear(&title);
    text_clear(&about);
    return status;
}

/* The samples of one key from `first` on: their range is *range .. *range + range[1] - 1. */
static void range_of_key(int64_t range[2], const struct results *results, int64_t first)
{
    results_find(&range[0], &range[1], results, results->samples[first].key);
}

void report_training(struct report *report)
{
    const struct results *results = report->results;
    int64_t range[2], drawn = 0;
    for (int64_t i = 0; i < results->sample_count; i = range[0] + range[1]) {
        range_of_key(range, results, i);
        if (results->samples[i].epoch.count == 0 || drawn >= 2 * FIGURES_MAX)
            continue;
        if (drawn == 0) {
            report_section(report, "training", "Trainings");
            report_plots_begin(report, false);
        }
        keep_status(report, write_curve(report, range, false, ++drawn));
        keep_status(report, write_curve(report, range, true, ++drawn));
    }
    if (drawn > 0)
        report_plots_end(report, "Mean over the seeds of a training; the band goes from the lowest "
                                 "to the highest of them. Mutual information is the InfoNCE "
                                 "estimate between the two views.");
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static void write_map(struct report *report, const struct results_sample *sample, int64_t index)
{
    char about[160];
    snprintf(about, sizeof about,
             "%lld nodes in %lld classes, each named at the middle of its nodes.",
             (long long)sample->x.count, (long long)sample->classes);
    struct plot_scatter plot = {.x_label = "first component",
                                .y_label = "second component",
                                .count = sample->x.count,
                                .classes = sample->classes,
                                .x = sample->x.at,
                                .y = sample->y.at,
                                .class_of = sample->class_of,
                                .class_names = sample->class_names};
    report_plot(report, &(struct report_plot){.name = "embeddings",
                                              .index = index,
                                              .title = sample->key,
                                              .about = about,
                                              .scatter = &plot});
}

void report_embeddings(struct report *report)
{
    const struct results *results = report->results;
    int64_t range[2], drawn = 0;
    for (int64_t i = 0; i < results->sample_count; i = range[0] + range[1]) {
        range_of_key(range, results, i);
        const struct results_sample *sample = &results->samples[i];
        if (sample->x.count == 0 || drawn >= FIGURES_MAX)
            continue;
        if (drawn == 0) {
            report_section(report, "embeddings", "Embeddings");
            report_plots_begin(report, false);
        }
        write_map(report, sample, ++drawn);
    }
    if (drawn > 0)
        report_plots_end(report, "The two leading principal components of the embeddings, coloured "
                                 "by class. The training saw no class.");
}
