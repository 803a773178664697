/* For each point the numbers of the training under way are summed until it is over. Only then are they compared
 * with those of the trainings before it. */
#include "report/band.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* At one point: of the training under way, and of how many there were numbers before. */
struct band_sum {
    double x, y;
    int64_t count, trainings;
};

graco_status band_create(struct band *band, int64_t points)
{
    PASS(memory_zalloc(&band->x, 4 * points, sizeof *band->x));
    band->points = points;
    band->mean = band->x + points;
    band->low = band->mean + points;
    band->high = band->low + points;
    return memory_zalloc(&band->sum, points, sizeof *band->sum);
}

void band_add(struct band *band, int64_t point, double x, double y)
{
    struct band_sum *sum = &band->sum[point];
    if (isnan(y))
        return;
    sum->x += x;
    sum->y += y;
    sum->count++;
}

void band_next(struct band *band)
{
    for (int64_t p = 0; p < band->points; p++) {
        struct band_sum *sum = &band->sum[p];
        double y = sum->y / (double)sum->count;
        if (sum->count == 0)
            continue;
        band->x[p] = sum->x / (double)sum->count;
        band->mean[p] += y;
        band->low[p] = sum->trainings == 0 ? y : fmin(y, band->low[p]);
        band->high[p] = sum->trainings == 0 ? y : fmax(y, band->high[p]);
        *sum = (struct band_sum){.trainings = sum->trainings + 1};
    }
}

void band_finish(struct band *band)
{
    for (int64_t p = 0; p < band->points; p++) {
        int64_t trainings = band->sum[p].trainings;
        band->found += trainings > 0;
        if (trainings == 0)
            band->x[p] = (double)NAN;
        band->mean[p] = trainings > 0 ? band->mean[p] / (double)trainings : (double)NAN;
        if (trainings < 2)
            band->low[p] = band->high[p] = (double)NAN;
    }
}

void band_clear(struct band *band)
{
    memory_free(band->x);
    memory_free(band->sum);
    *band = (struct band){0};
}

graco_status band_draw(struct document *document, const struct document_plot *plot,
                       const char *y_label, const struct band_curve *curves, int64_t count)
{
    const int64_t points = curves->count;
    struct document_plot shown = *plot;
    struct text title = {0}, about = {0};
    struct band band = {0};
    graco_status status = GRACO_OK;
    TRY(band_create(&band, points));
    for (const struct band_curve *curve = curves; curve < curves + count; curve++) {
        bool same = curve->count == points &&
                    memcmp(curve->epoch, curves->epoch, (size_t)points * sizeof *curve->epoch) == 0;
        for (int64_t k = 0; same && k < points; k++)
            band_add(&band, k, curve->epoch[k], curve->value[k]);
        band_next(&band);
    }
    band_finish(&band);
    struct plot_series series = {plot->title, points,   curves->epoch,
                                 band.mean,   band.low, band.high};
    struct plot_lines lines = {
        .x_label = "epoch", .y_label = y_label, .series_count = 1, .series = &series};
    text_add(&title, plot->title);
    text_print(&title, ": %s", plot->about);
    plot_lines_about(&about, &lines);
    shown.title = text_words(&title);
    shown.about = text_words(&about);
    shown.lines = &lines;
    document_plot(document, &shown);
    TRY(text_status(&title));
    status = text_status(&about);
done:
    band_clear(&band);
    text_clear(&title);
    text_clear(&about);
    return status;
}
