/* A square of colours, the scale of heat maps, from no node of a class to all of them. Names stand
 * at the rows alone, before numbers that the columns have too: names over columns would have to be
 * turned. */
#include "report/plot.h"

#include "base/number.h"
#include "report/plot_axes.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 440, SIDE = 308, LEFT = 128, HEAD = 46, FOOT = 30, LETTERS = 14 };
enum { DECIMAL = 36 }; /* a cell of this width holds "71.2" in letters of full size */

static const double ROW_NAME = 14, COLUMN_NUMBER = 22; /* cells of this size have room for them */

/* What a class is called in a sentence. */
static void name_class(char out[PLOT_NAME], const struct plot_confusion *plot, int64_t class,
                       int64_t letters)
{
    if (plot->names)
        plot_name(out, plot->names[class], letters);
    else
        snprintf(out, PLOT_NAME, "class %d", (int)plot->numbers[class]);
}

static int64_t row_sum(const struct plot_confusion *plot, int64_t row)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < plot->classes; c++)
        sum += plot->counts[row * plot->classes + c];
    return sum;
}

static void draw_cell(struct text *out, const struct plot_confusion *plot, int64_t row,
                      int64_t column, double side)
{
    int64_t count = plot->counts[row * plot->classes + column], all = row_sum(plot, row);
    double share = all > 0 ? (double)count / (double)all : 0;
    char colour[8], number[PLOT_NUMBER], truth[PLOT_NAME], taken[PLOT_NAME];
    char hover[2 * PLOT_NAME + 4 * PLOT_NUMBER];
    name_class(truth, plot, row, 40);
    name_class(taken, plot, column, 40);
    number_print(hover, sizeof hover, "%s taken for %s: %lld of %lld, %.1f %%", truth, taken,
                 (long long)count, (long long)all, 100 * share);
    bool bright = plot_colour(colour, share);
    struct svg_box box = {.x = LEFT + (double)column * side,
                          .y = HEAD + (double)row * side,
                          .width = side - 1,
                          .height = side - 1,
                          .fill = colour,
                          .hover = hover};
    svg_box(out, "", &box);
    plot_number(number, 100 * share, side >= DECIMAL ? 1 : 0);
    if (side >= PLOT_CELL_NUMBER)
        svg_words(out, bright ? "middle on-light" : "middle on-dark", box.x + box.width / 2,
                  box.y + box.height / 2 + 4, number);
}

static void draw_names(struct text *out, const struct plot_confusion *plot, double side)
{
    int64_t every_row = (int64_t)ceil(ROW_NAME / side);
    int64_t every_column = (int64_t)ceil(COLUMN_NUMBER / side);
    for (int64_t k = 0; k < plot->classes; k++) {
        char name[PLOT_NAME], words[PLOT_NAME + 40], number[32];
        double middle = ((double)k + 0.5) * side;
        name_class(name, plot, k, LETTERS);
        snprintf(number, sizeof number, "%d", (int)plot->numbers[k]);
        snprintf(words, sizeof words, "%s%s%s", name, plot->names ? ", " : "",
                 plot->names ? number : "");
        if (k % every_row == 0)
            svg_words(out, "end", LEFT - 6, HEAD + middle + 4, words);
        if (k % every_column == 0)
            svg_words(out, "middle", LEFT + middle, HEAD - 6, number);
    }
    svg_words(out, "middle", LEFT + SIDE / 2.0, HEAD + SIDE + 18, "was taken for, in % of the row");
}

void plot_confusion(struct text *out, const struct svg_head *head,
                    const struct plot_confusion *plot)
{
    double side = SIDE / (double)(plot->classes > 0 ? plot->classes : 1);
    char title[PLOT_NAME];
    svg_begin(out, head, WIDTH, HEAD + SIDE + FOOT);
    plot_name(title, head->title, 48);
    svg_words(out, "name", 8, 15, title);
    for (int64_t row = 0; row < plot->classes; row++)
        for (int64_t column = 0; column < plot->classes; column++)
            draw_cell(out, plot, row, column, side);
    draw_names(out, plot, side);
    svg_end(out);
}
