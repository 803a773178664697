/* What was trained: facts, settings beside those of the preset, and a curve for each number of
 * metrics.jsonl. */
#include "report/run_report.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/json/json.h"
#include "report/band.h"
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 300 }; /* of a curve: more cannot be seen */

/* ---- Facts ----------------------------------------------------------------------------------- */

typedef void fact_fn(char words[PLOT_NAME], const struct reported *run);

static void edges(char words[PLOT_NAME], const struct reported *run)
{
    run_field(words, &run->trainings[0], "edges");
    if (*words && run->data)
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), "%s%s",
                 graco_dataset_describe(run->data).directed ? ", directed" : ", both ways",
                 run->data->graph->in.value ? ", weighted" : "");
}

static void features(char words[PLOT_NAME], const struct reported *run)
{
    run_field(words, &run->trainings[0], "input");
    if (*words && run->data && run->data->features.cols > 0)
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), "%s",
                 run->data->features.dense ? ", dense" : ", sparse");
}

static void classes(char words[PLOT_NAME], const struct reported *run)
{
    if (run->data)
        snprintf(words, PLOT_NAME, "%lld%s", (long long)run->data->classes,
                 run->data->multi ? ", several for a node" : "");
}

/* The seeds of its trainings, as many as fit. */
static void seeds(char words[PLOT_NAME], const struct reported *run)
{
    char seed[PLOT_NAME];
    for (int64_t t = 0; t < run->count && strlen(words) < PLOT_NAME / 2; t += run->splits) {
        run_field(seed, &run->trainings[t], "seed");
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), "%s%.24s",
                 t > 0 && *seed ? ", " : "", seed);
    }
}

static void epochs(char words[PLOT_NAME], const struct reported *run)
{
    const struct training *first = &run->trainings[0];
    const struct run_curve *metrics = first->curve;
    int64_t wanted = run_integer(first, "epochs", -1);
    if (metrics->count == 0)
        return;
    number_print(words, PLOT_NAME, "%.0f", metrics->at[CURVE_EPOCH][metrics->count - 1]);
    if (wanted >= 0)
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), " of %lld", (long long)wanted);
    if (metrics->best_epoch > 0)
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), ", the best is %lld",
                 (long long)metrics->best_epoch);
    if (*metrics->ended)
        snprintf(words + strlen(words), PLOT_NAME - strlen(words), ", ended by %.40s",
                 metrics->ended);
}

static void pace(char words[PLOT_NAME], const struct reported *run)
{
    double seconds = run->trainings[0].seconds_median;
    if (!isnan(seconds))
        number_print(words, PLOT_NAME, seconds < 1 ? "%.1f ms" : "%.2f s",
                     seconds < 1 ? 1000 * seconds : seconds);
}

static void whole_time(char words[PLOT_NAME], const struct reported *run)
{
    const struct run_curve *metrics = run->trainings[0].curve;
    double sum = 0;
    for (int64_t i = 0; i < metrics->count; i++)
        if (!isnan(metrics->at[CURVE_SECONDS][i]))
            sum += metrics->at[CURVE_SECONDS][i];
    if (metrics->count > 0)
        number_print(words, PLOT_NAME, "%.1f s", sum);
}

static void memory(char words[PLOT_NAME], const struct reported *run)
{
    char text[32];
    int64_t peak = run->trainings[0].curve->peak;
    if (peak > 0)
        snprintf(words, PLOT_NAME, "%s", number_bytes(text, peak));
}

/* A field of config.json, or what a function prints. */
static const struct {
    const char *name, *field;
    fact_fn *print;
} FACTS[] = {{"data set", "dataset", NULL},
             {"nodes", "nodes", NULL},
             {"edges", NULL, edges},
             {"features", NULL, features},
             {"classes", NULL, classes},
             {"method", "method", NULL},
             {"seed", NULL, seeds},
             {"epochs", NULL, epochs},
             {"time of an epoch, median", NULL, pace},
             {"time of all epochs", NULL, whole_time},
             {"peak memory of the process", NULL, memory},
             {"trained by graco", "graco", NULL}};
enum { FACT_COUNT = sizeof FACTS / sizeof *FACTS };

static void print_fact(char words[PLOT_NAME], int fact, const struct reported *run)
{
    *words = '\0';
    if (FACTS[fact].field)
        run_field(words, &run->trainings[0], FACTS[fact].field);
    else
        FACTS[fact].print(words, run);
}

static void write_facts(struct run_report *report)
{
    struct sheet table = {.title = "Facts"};
    sheet_column(&table, "", "", false);
    for (int64_t r = 0; r < report->count; r++)
        sheet_column(&table, "", report->runs[r].name, false);
    for (int f = 0; f < FACT_COUNT; f++) {
        char words[PLOT_NAME] = "";
        for (int64_t r = 0; r < report->count && !*words; r++)
            print_fact(words, f, &report->runs[r]);
        if (!*words) /* nobody knows */
            continue;
        sheet_words(&table, FACTS[f].name);
        for (int64_t r = 0; r < report->count; r++) {
            print_fact(words, f, &report->runs[r]);
            sheet_words(&table, *words ? words : "\xE2\x80\x93");
        }
    }
    page_table(&report->page, &table,
               "What was trained, and on what. Numbers of epochs, time and memory are those of the "
               "first training of a run.");
    sheet_clear(&table);
}

/* ---- Settings -------------------------------------------------------------------------------- */

/* Whether a run differs from its preset, or two runs from each other. */
static bool deserves_attention(const struct run_report *report, const char *key)
{
    struct run_setting first = {0}, other;
    bool differs = false;
    for (int64_t r = 0; r < report->count; r++) {
        bool known = run_setting(r == 0 ? &first : &other, &report->runs[r].trainings[0], key);
        const struct run_setting *here = r == 0 ? &first : &other;
        differs = differs || here->differs || (known && strcmp(here->value, first.value) != 0);
    }
    return differs;
}

static void add_setting(struct sheet *table, const struct run_report *report, const char *key,
                        const char *help)
{
    char more[PLOT_NAME + 16];
    sheet_words(table, key);
    for (int64_t r = 0; r < report->count; r++) {
        struct run_setting setting;
        bool known = run_setting(&setting, &report->runs[r].trainings[0], key);
        snprintf(more, sizeof more, "%s%s%s", setting.differs ? " (preset: " : "",
                 setting.differs ? setting.preset : "", setting.differs ? ")" : "");
        sheet_add(table, &(struct sheet_entry){.words = known ? setting.value : "\xE2\x80\x93",
                                               .more = more,
                                               .strong = setting.differs});
    }
    sheet_words(table, help);
}

/* The settings of all runs, each once: those that deserve attention, or the others. Returns how
 * many. */
static int64_t add_settings(struct sheet *table, const struct run_report *report, bool attention)
{
    int64_t count = 0;
    const char *key, *help;
    struct run_setting seen;
    sheet_column(table, "", "setting", false);
    for (int64_t r = 0; r < report->count; r++)
        sheet_column(table, "", report->runs[r].name, false);
    sheet_column(table, "", "meaning", false);
    for (int64_t r = 0; r < report->count; r++) {
        const graco_config *settings = report->runs[r].trainings[0].settings;
        for (int i = 0; settings && (key = graco_config_key(settings, i, &help)); i++) {
            int64_t first = 0; /* run that has it */
            while (!run_setting(&seen, &report->runs[first].trainings[0], key))
                first++;
            if (first < r || deserves_attention(report, key) != attention)
                continue;
            add_setting(table, report, key, help);
            count++;
        }
    }
    return count;
}

/* Which settings those of a run are held against. */
static void describe_presets(struct text *out, const struct run_report *report)
{
    char name[PLOT_NAME], data[PLOT_NAME];
    const struct training *training = &report->runs[0].trainings[0];
    bool same = true;
    for (int64_t r = 1; r < report->count; r++)
        same = same && report->runs[r].trainings[0].has_preset == training->has_preset;
    if (!same)
        text_add(out, "Held against the preset of the data set where the method has one, else "
                      "against the method\xE2\x80\x99s general settings.");
    else if (training->has_preset)
        text_print(out, "Held against the preset %s of %s%s.", run_field(data, training, "dataset"),
                   run_field(name, training, "method"),
                   report->count > 1 ? ", or that of the run\xE2\x80\x99s own data set and method"
                                     : "");
    else
        text_add(out, "Held against the method\xE2\x80\x99s general settings: it has no preset for "
                      "this data set.");
}

graco_status run_page_settings(struct run_report *report)
{
    struct sheet changed = {.title = "Settings that differ from the preset, or between runs"};
    struct sheet others = {.title = "All other settings"};
    struct text caption = {0};
    page_section(&report->page, "training", "What was trained");
    write_facts(report);
    describe_presets(&caption, report);
    int64_t count = add_settings(&changed, report, true);
    page_heading(&report->page, "Settings");
    if (count > 0)
        page_table(&report->page, &changed, text_words(&caption));
    else
        page_paragraph(&report->page, "No setting differs from the preset.");
    if (add_settings(&others, report, false) > 0)
        page_folded_table(&report->page, &others,
                          count > 0 ? "As in the preset." : text_words(&caption));
    graco_status status = text_status(&caption);
    text_clear(&caption);
    sheet_clear(&others);
    sheet_clear(&changed);
    return status;
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* Fills a run's curve: a point is the mean of the epochs that fall on it. */
static graco_status fill_band(struct band *out, const struct reported *run, enum curve_column which,
                              double last)
{
    double points = floor(fmin(last, POINTS));
    PASS(band_create(out, POINTS));
    for (int64_t t = 0; t < run->count; t++) {
        const struct run_curve *metrics = run->trainings[t].curve;
        for (int64_t i = 0; i < metrics->count; i++) {
            double epoch = metrics->at[CURVE_EPOCH][i], y = metrics->at[which][i];
            double point = (epoch - 1) * points / last;
            if (point > -1 && point < points)
                band_add(out, (int64_t)point, epoch, which == CURVE_SECONDS ? 1000 * y : y);
        }
        band_next(out);
    }
    band_finish(out);
    return GRACO_OK;
}

static double last_epoch(const struct run_report *report)
{
    double last = 0;
    for (int64_t r = 0; r < report->count; r++)
        for (int64_t t = 0; t < report->runs[r].count; t++) {
            const struct run_curve *metrics = report->runs[r].trainings[t].curve;
            if (metrics->count > 0)
                last = fmax(last, metrics->at[CURVE_EPOCH][metrics->count - 1]);
        }
    return last;
}

/* One plot with a line for each run that has such numbers; none, if no run has. */
static graco_status write_curve(struct run_report *report, enum curve_column which,
                                const char *title, const char *label, double last)
{
    graco_status status = GRACO_OK;
    struct band *bands = NULL;
    struct plot_series *series = NULL;
    int64_t found = 0;
    TRY(memory_zalloc(&bands, report->count, sizeof *bands));
    TRY(memory_alloc(&series, report->count, sizeof *series));
    for (int64_t r = 0; r < report->count; r++) {
        struct band *band = &bands[r];
        TRY(fill_band(band, &report->runs[r], which, last));
        found += band->found;
        series[r] = (struct plot_series){.label = report->runs[r].name,
                                         .count = POINTS,
                                         .x = band->x,
                                         .y = band->mean,
                                         .low = band->low,
                                         .high = band->high};
    }
    if (found > 0)
        plot_lines(&report->page.body,
                   &(struct svg_head){.title = title,
                                      .about = "A line for each run, by epoch.",
                                      .number = page_number(&report->page)},
                   &(struct plot_lines){.x_label = "epoch",
                                        .y_label = label,
                                        .series_count = report->count,
                                        .series = series});
done:
    for (int64_t r = 0; bands && r < report->count; r++)
        band_clear(&bands[r]);
    memory_free(series);
    memory_free(bands);
    return status;
}

graco_status run_page_curves(struct run_report *report)
{
    double last = last_epoch(report);
    bool several = false;
    struct text caption = {0};
    graco_status status = GRACO_OK;
    if (last < 1)
        return GRACO_OK;
    for (int64_t r = 0; r < report->count; r++)
        several = several || report->runs[r].count > 1;
    page_section(&report->page, "curves", "The training, epoch by epoch");
    page_plots_begin(&report->page, false);
    TRY(write_curve(report, CURVE_LOSS, "Loss", "loss", last));
    TRY(write_curve(report, CURVE_INFORMATION, "Mutual information", "nats", last));
    TRY(write_curve(report, CURVE_SECONDS, "Time of an epoch", "ms", last));
    text_add(&caption, "The loss is what the training minimises; losses of other methods or "
                       "objectives are on other scales. Mutual information is the InfoNCE estimate "
                       "between the two views, where the objective gives it.");
    if (last > POINTS)
        text_print(&caption, " A point is the mean of %.0f epochs.", ceil(last / POINTS));
    if (several)
        text_add(&caption, " Where a run has several trainings, the line is their mean, and the "
                           "band goes from the lowest to the highest.");
    page_plots_end(&report->page, text_words(&caption));
    status = text_status(&caption);
done:
    text_clear(&caption);
    return status;
}
