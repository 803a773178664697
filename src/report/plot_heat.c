/* A grid of colours. The scale goes from a dark blue to a bright yellow and its lightness always
 * grows, so it reads the same for every eye and in grey print. Numbers stand in the cells as long
 * as they fit. */
#include "report/plot.h"

#include "base/number.h"
#include "report/plot_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 460, SIDE = 340, LEFT = 54, HEAD = 30, FOOT = 46, BAR = 14, STEPS = 40 };

bool plot_colour(char colour[8], double share)
{
    static const double stops[][3] = {{34, 40, 92},   {38, 78, 132},   {32, 120, 142},
                                      {58, 162, 130}, {148, 200, 102}, {246, 233, 150}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double place = (share < 0 ? 0 : share > 1 ? 1 : share) * LAST, light = 0;
    int stop = place >= LAST ? LAST - 1 : (int)place, rgb[3];
    static const double weight[3] = {0.299, 0.587, 0.114};
    for (int c = 0; c < 3; c++) {
        double value = stops[stop][c] + (place - stop) * (stops[stop + 1][c] - stops[stop][c]);
        rgb[c] = (int)(value + 0.5);
        light += weight[c] * value;
    }
    snprintf(colour, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
    return light > 128;
}

static void draw_scale(struct text *out, struct plot_range range, const char *label, double bottom)
{
    double left = LEFT + SIDE + 18, height = SIDE / (double)STEPS;
    struct plot_ticks ticks = plot_ticks(range, 6);
    char words[PLOT_NUMBER], colour[8];
    for (int i = 0; i < STEPS; i++) {
        plot_colour(colour, (i + 0.5) / STEPS);
        svg_box(out, "",
                &(struct svg_box){left, bottom - (i + 1) * height, BAR, height + (i > 0 ? 0.5 : 0),
                                  colour, NULL});
    }
    for (int64_t i = 0; i < ticks.count; i++) {
        double y = bottom - (ticks.at[i] - range.low) / (range.high - range.low) * SIDE;
        plot_number(words, ticks.at[i], ticks.decimals);
        svg_line(out, "axis", (double[]){left + BAR, y}, (double[]){left + BAR + 4, y});
        svg_words(out, "small", left + BAR + 6, y + 4, words);
    }
    svg_words(out, "end", left + BAR + 30, bottom - SIDE - 12, label);
}

/* One cell: its colour, its number, and its words under the mouse. */
static void draw_cell(struct text *out, const struct plot_heat *plot, int64_t index,
                      const struct svg_box *place, struct plot_range range)
{
    double value = plot->values[index];
    char colour[8], number[PLOT_NUMBER], x[NUMBER_TEXT], y[NUMBER_TEXT], hover[4 * PLOT_NAME];
    struct svg_box box = *place;
    number_shortest(x, plot->x[index % plot->columns]);
    number_shortest(y, plot->y[index / plot->columns]);
    if (plot->words)
        snprintf(hover, sizeof hover, "%.100s %s, %.100s %s: %.200s", plot->x_label, x,
                 plot->y_label, y, plot->words[index]);
    box.hover = plot->words ? hover : NULL;
    if (isnan(value)) {
        svg_box(out, "hollow", &box);
        return;
    }
    bool bright = plot_colour(colour, (value - range.low) / (range.high - range.low));
    box.fill = colour;
    svg_box(out, "", &box);
    plot_number(number, value, 1);
    if (box.width >= PLOT_CELL_NUMBER && strlen(number) <= 5)
        svg_words(out, bright ? "small middle on-light" : "small middle on-dark",
                  box.x + box.width / 2, box.y + box.height / 2 + 4, number);
}

/* Labels of one axis: every second or third where they would touch. */
static void draw_labels(struct text *out, const struct plot_heat *plot, double cell[2],
                        double bottom)
{
    int64_t every_x = (int64_t)ceil(24 / cell[0]), every_y = (int64_t)ceil(14 / cell[1]);
    char words[NUMBER_TEXT];
    for (int64_t c = 0; c < plot->columns; c += every_x) {
        number_shortest(words, plot->x[c]);
        svg_words(out, "middle", LEFT + ((double)c + 0.5) * cell[0], bottom + 16, words);
    }
    for (int64_t r = 0; r < plot->rows; r += every_y) {
        number_shortest(words, plot->y[r]);
        svg_words(out, "end", LEFT - 7, bottom - ((double)r + 0.5) * cell[1] + 4, words);
    }
    svg_words(out, "middle", LEFT + SIDE / 2., bottom + 36, plot->x_label);
    svg_words_up(out, "", 14, bottom - SIDE / 2., plot->y_label);
}

void plot_heat(struct text *out, const struct svg_head *head, const struct plot_heat *plot)
{
    struct plot_range range = plot_range_empty();
    double cell[2] = {SIDE / (double)(plot->columns > 0 ? plot->columns : 1),
                      SIDE / (double)(plot->rows > 0 ? plot->rows : 1)};
    double bottom = HEAD + SIDE;
    int64_t count = plot->rows * plot->columns, best = -1;
    for (int64_t i = 0; i < count; i++) {
        plot_range_add(&range, plot->values[i]);
        if (!isnan(plot->values[i]) && (best < 0 || plot->values[i] > plot->values[best]))
            best = i;
    }
    range = plot_range_pad(range, 0);
    svg_begin(out, head, WIDTH, bottom + FOOT);
    for (int64_t i = 0; i < count; i++) {
        int64_t r = i / plot->columns, c = i % plot->columns;
        struct svg_box place = {LEFT + (double)c * cell[0],
                                bottom - (double)(r + 1) * cell[1],
                                cell[0] - 1,
                                cell[1] - 1,
                                NULL,
                                NULL};
        draw_cell(out, plot, i, &place, range);
    }
    if (best >= 0)
        svg_box(out, "best", /* within the cell, which is bright on any page */
                &(struct svg_box){LEFT + (double)(best % plot->columns) * cell[0] + 1.2,
                                  bottom - (double)(best / plot->columns + 1) * cell[1] + 1.2,
                                  cell[0] - 3.4, cell[1] - 3.4, NULL, NULL});
    draw_labels(out, plot, cell, bottom);
    draw_scale(out, range, plot->value_label, bottom);
    svg_end(out);
}

void plot_heat_about(struct text *out, const struct plot_heat *plot)
{
    int64_t low = -1, high = -1;
    for (int64_t i = 0; i < plot->rows * plot->columns; i++) {
        if (isnan(plot->values[i]))
            continue;
        low = low < 0 || plot->values[i] < plot->values[low] ? i : low;
        high = high < 0 || plot->values[i] > plot->values[high] ? i : high;
    }
    if (high < 0)
        return;
    text_print(out, "From %.1f to %.1f; the highest at ", plot->values[low], plot->values[high]);
    text_add(out, plot->x_label);
    text_print(out, " = %g, ", plot->x[high % plot->columns]);
    text_add(out, plot->y_label);
    text_print(out, " = %g, in a frame.", plot->y[high / plot->columns]);
}
