/* Pictures of a map. The SVG is the plot of points by class that reports have. The PNG has the same
 * colours, read from the theme, on white; small discs, half transparent, whose edges are smooth. */
#include "report/map.h"

#include "base/memory.h"
#include "report/plot.h"
#include "report/theme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1600, MARGIN = 40, CHANNELS = 3 };

/* Discs cover about this share of the picture if none overlap, within these radii. */
static const double COVER = 0.25, RADIUS_MIN = 0.8, RADIUS_MAX = 6, OPACITY = 0.7;

void map_plot(struct text *out, const graco_map *map, const struct svg_head *head)
{
    const struct map_column *column = &map->column[0];
    struct plot_scatter plot = {.x_label = "",
                                .y_label = "",
                                .count = map->nodes,
                                .classes = column->words,
                                .class_of = column->group,
                                .class_names = (const char *const *)column->word};
    double *x = NULL, *y = NULL;
    if (memory_alloc(&x, map->nodes, sizeof *x) != GRACO_OK ||
        memory_alloc(&y, map->nodes, sizeof *y) != GRACO_OK) {
        out->status = GRACO_ERROR_MEMORY;
    } else {
        for (int64_t i = 0; i < map->nodes; i++) {
            x[i] = (double)map->place[2 * i];
            y[i] = (double)map->place[2 * i + 1];
        }
        plot.x = x;
        plot.y = y;
        plot_scatter(out, head, &plot);
    }
    memory_free(x);
    memory_free(y);
}

void map_svg(struct text *out, const graco_map *map)
{
    map_plot(out, map,
             &(struct svg_head){.title = map->title,
                                .about = "Nodes with similar embeddings lie side by side.",
                                .alone = true});
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* The light colour of a series, as the theme has it. */
static void series_colour(uint8_t rgb[CHANNELS], int64_t series)
{
    char name[] = "--c0:#";
    name[3] = (char)('0' + series % THEME_SERIES);
    const char *found = strstr(THEME_COLOURS, name);
    unsigned long number = found ? strtoul(found + strlen(name), NULL, 16) : 0;
    for (int c = 0; c < CHANNELS; c++)
        rgb[c] = (uint8_t)(number >> (8 * (CHANNELS - 1 - c)));
}

static void draw_disc(uint8_t *pixels, const double at[2], double radius,
                      const uint8_t rgb[CHANNELS])
{
    int64_t first[2], last[2];
    for (int c = 0; c < 2; c++) {
        first[c] = (int64_t)fmax(floor(at[c] - radius - 1), 0);
        last[c] = (int64_t)fmin(ceil(at[c] + radius + 1), SIDE - 1);
    }
    for (int64_t y = first[1]; y <= last[1]; y++)
        for (int64_t x = first[0]; x <= last[0]; x++) {
            double right = (double)x + 0.5 - at[0], down = (double)y + 0.5 - at[1];
            double far = sqrt(right * right + down * down); /* hypot would need glibc 2.35 */
            double share = OPACITY * fmin(fmax(radius + 0.5 - far, 0), 1);
            uint8_t *pixel = pixels + CHANNELS * (y * SIDE + x);
            for (int c = 0; c < CHANNELS; c++)
                pixel[c] = (uint8_t)lround((1 - share) * pixel[c] + share * rgb[c]);
        }
}

graco_status map_png(const graco_map *map, const char *path)
{
    graco_status status = GRACO_OK;
    uint8_t *pixels = NULL;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double radius = sqrt(COVER * SIDE * SIDE / (3.14 * (double)map->nodes));
    radius = fmin(fmax(radius, RADIUS_MIN), RADIUS_MAX);
    TRY(memory_alloc(&pixels, SIDE * SIDE, CHANNELS));
    memset(pixels, 0xFF, (size_t)SIDE * SIDE * CHANNELS);
    for (int64_t i = 0; i < 2 * map->nodes; i++) {
        low[i % 2] = fmin(low[i % 2], (double)map->place[i]);
        high[i % 2] = fmax(high[i % 2], (double)map->place[i]);
    }
    double size = fmax(high[0] - low[0], high[1] - low[1]);
    double scale = size > 0 ? (SIDE - 2 * MARGIN) / size : 0;
    for (int64_t i = 0; i < map->nodes; i++) {
        double x = (double)map->place[2 * i] - (low[0] + high[0]) / 2;
        double y = (double)map->place[2 * i + 1] - (low[1] + high[1]) / 2;
        uint8_t rgb[CHANNELS];
        series_colour(rgb, map->column[0].group[i]);
        draw_disc(pixels, (double[]){SIDE / 2.0 + scale * x, SIDE / 2.0 - scale * y}, radius, rgb);
    }
    TRY(png_save(pixels, SIDE, SIDE, path));
done:
    memory_free(pixels);
    return status;
}
