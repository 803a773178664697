/* Cells over settings as pictures: a grid as a heat map, lines with bands of two standard errors over seeds. Under each
 * figure stands every number of it, folded away, for whoever cannot see or wants the digits. */
#include "report/score_table.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* The metric of a figure's samples; "" without one. */
static const char *metric_of(const struct score_cell *cells, int count)
{
    int i = 0;
    while (i < count && !cells[i].metric)
        i++;
    return i < count ? cells[i].metric : "";
}

/* The labels of cells, counted, as a sentence of a caption. */
static void add_labels(struct text *out, const struct score_sweep *sweep,
                       const struct score_cell *cells, int count)
{
    const char *lead = " Labels:";
    for (const char *const *label = sweep->labels; *label; label++) {
        int found = 0;
        for (int i = 0; i < count; i++)
            found += strcmp(cells[i].label, *label) == 0;
        if (found > 0)
            text_print(out, "%s %d %s", lead, found, *label);
        lead = found > 0 ? "," : lead;
    }
    text_add(out, *lead == ',' ? "." : "");
}

/* All cells of a sweep, with one picture; `about` is where the highest is. */
static void draw_grid(struct document *document, const struct score_sweep *sweep,
                      const struct score_cell *cells, int count, struct text *about)
{
    enum { CELLS = SCORE_TICKS * SCORE_TICKS, WORDS = SCORE_WHOLE + 16 };
    double values[CELLS];
    char words[CELLS][WORDS];
    const char *hover[CELLS];
    for (int i = 0; i < count; i++) {
        char whole[SCORE_WHOLE];
        score_whole(whole, &cells[i].ours, true);
        snprintf(words[i], WORDS, "%s%s%s", whole, *cells[i].label ? ", " : "", cells[i].label);
        hover[i] = words[i];
        values[i] = cells[i].ours.mean;
    }
    struct plot_heat plot = {.x_label = sweep->x_label,
                             .y_label = sweep->y_label,
                             .value_label = metric_of(cells, count),
                             .columns = sweep->tick_count,
                             .rows = sweep->tick_count,
                             .x = sweep->ticks,
                             .y = sweep->ticks,
                             .values = values, /* cells come row by row */
                             .words = hover};
    plot_heat_about(about, &plot);
    document_plot(document, &(struct document_plot){.name = sweep->name,
                                                    .title = sweep->title,
                                                    .about = text_words(about),
                                                    .heat = &plot});
}

/* The lines of a set, in panel `index`. */
static void draw_panel(struct document *document, const struct score_sweep *sweep, int64_t index,
                       const struct score_cell *cells, int count)
{
    struct {
        double y[SCORE_TICKS], low[SCORE_TICKS], high[SCORE_TICKS];
    } line[SCORE_LINES];
    struct plot_series series[SCORE_LINES];
    struct plot_lines plot = {.x_label = sweep->x_label,
                              .y_label = metric_of(cells, count),
                              .series = series,
                              .marks = true,
                              .x_ticks = sweep->ticks,
                              .x_tick_count = sweep->tick_count};
    struct text about = {0};
    for (const struct score_cell *cell = cells; cell < cells + count; cell++) {
        const struct summary *ours = &cell->ours;
        int l = cell->row, x = cell->column;
        line[l].y[x] = ours->mean;
        line[l].low[x] = ours->mean - 2 * ours->error;
        line[l].high[x] = ours->mean + 2 * ours->error;
        series[l] = (struct plot_series){cell->method, sweep->tick_count, sweep->ticks,
                                         line[l].y,    line[l].low,       line[l].high};
        plot.series_count = l + 1;
    }
    plot_lines_about(&about, &plot);
    if (plot.y_label[0]) /* there are samples */
        document_plot(document, &(struct document_plot){.name = sweep->name,
                                                        .index = index,
                                                        .title = cells->set,
                                                        .about = text_words(&about),
                                                        .lines = &plot});
    document_keep(document, text_status(&about));
    text_clear(&about);
}

/* The pictures, with their caption. */
static void draw(struct document *document, const struct score_sweep *sweep,
                 const struct score_cell *cells, int count, struct text *caption, bool several)
{
    struct text about = {0};
    int64_t panel = 0;
    document_plots_begin(document, sweep->y_label);
    if (sweep->y_label)
        draw_grid(document, sweep, cells, count, &about);
    for (int i = 0, end; i < count && !sweep->y_label; i = end) {
        for (end = i + 1; end < count && strcmp(cells[end].set, cells[i].set) == 0;)
            end++;
        draw_panel(document, sweep, ++panel, cells + i, end - i);
    }
    text_add(caption, sweep->y_label ? " "
                      : several      ? " Bands: two standard errors over seeds, to both sides."
                                     : " There are no bands: they need several seeds.");
    text_append(caption, &about);
    add_labels(caption, sweep, cells, count);
    document_plots_end(document, text_words(caption));
    text_clear(&about);
}

void score_figure(struct document *document, const struct score_sweep *sweep,
                  const struct score_cell *cells, int count)
{
    struct sheet numbers = {0};
    struct text caption = {0};
    struct score_counts counts = {0};
    const bool grid = sweep->y_label;
    const char *headings[] = {grid ? sweep->y_label : "panel", grid ? sweep->x_label : "line",
                              sweep->x_label};
    int places = grid ? 2 : 3;
    score_long_begin(&numbers, headings, places);
    for (const struct score_cell *cell = cells; cell < cells + count; cell++) {
        char x[NUMBER_TEXT], y[NUMBER_TEXT];
        number_shortest(x, sweep->ticks[cell->column]);
        number_shortest(y, sweep->ticks[cell->row]);
        score_long_row(&numbers, cell,
                       grid ? (const char *[]){y, x} : (const char *[]){cell->set, cell->method, x},
                       places);
        score_count(&counts, &cell->ours);
    }
    score_counts_words(&caption, &counts);
    if (counts.seeds[1] > 0)
        draw(document, sweep, cells, count, &caption, counts.seeds[1] > 1);
    else
        document_paragraph(document, text_words(&caption));
    document_numbers(document, sweep->name, &numbers);
    document_keep(document, text_status(&caption));
    text_clear(&caption);
    sheet_clear(&numbers);
}
