/* Figures: what is swept, curves of trainings, maps of embeddings. */
#include "report.h"

#include "base/memory.h"
#include "report/band.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIGURES_MAX = 12,
    CLASSES_MAX = 128
}; /* trainings or maps that are drawn; the file has the others */

void report_sweep(struct report *report, const struct item *item)
{
    static const char *const labels[] = {"quick", "look-alike", "missing", NULL};
    const struct sweep *sweep = item->sweep;
    double ticks[SWEPT];
    int first, count = report_cells(&first, report, item);
    for (int i = 0; i < sweep->ticks; i++)
        ticks[i] = cells_tick(sweep, i);
    score_figure(&report->document,
                 &(struct score_sweep){item->name, item->title, sweep->x_label, sweep->y_label,
                                       sweep->ticks, ticks, labels},
                 report->shown + first, count);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

/* The loss and the mutual information of a key's samples, from `first` on. */
static graco_status draw_training(struct document *document, const struct sample *first,
                                  int64_t count, int64_t index)
{
    graco_status status = GRACO_OK;
    struct band_curve *curves = NULL;
    TRY(memory_alloc(&curves, count, sizeof *curves));
    for (int information = 0; information < 2; information++) {
        for (int64_t i = 0; i < count; i++) {
            const struct list *values = information ? &first[i].informations : &first[i].losses;
            curves[i] = (struct band_curve){values->count, first[i].epoch.at, values->at};
        }
        const char *what = information ? "mutual information" : "loss";
        TRY(band_draw(document,
                      &(struct document_plot){.name = "training",
                                              .index = 2 * index - 1 + information,
                                              .title = first->key,
                                              .about = what},
                      information ? "mutual information, nats" : what, curves, count));
    }
done:
    memory_free(curves);
    return status;
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
