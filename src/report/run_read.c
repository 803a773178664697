/* What a run folder says of its training. Each file may be missing, cut or damaged: what can be
 * read is kept, and a note says what could not. */
#include "report/run_report.h"

#include "base/memory.h"
#include "base/number.h"
#include "config/config.h"
#include "graco_more.h"
#include "io/json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings -------------------------------------------------------------------------------- */

/* A value as --set would write it, cut to fit. */
static void text_of(char text[PLOT_NAME], const struct json *value)
{
    const char *word;
    int64_t whole;
    double number;
    *text = '\0';
    if (json_as_string(&word, value))
        plot_name(text, word, PLOT_NAME / 2);
    else if (json_as_int(&whole, value))
        snprintf(text, PLOT_NAME, "%lld", (long long)whole);
    else if (json_as_double(&number, value))
        number_shortest(text, number);
}

const char *run_field(char text[PLOT_NAME], const struct training *training, const char *key)
{
    text_of(text, json_find(training->config, key));
    return text;
}

int64_t run_integer(const struct training *training, const char *key, int64_t otherwise)
{
    int64_t found = otherwise;
    return json_as_int(&found, json_find(training->config, key)) ? found : otherwise;
}

bool run_setting(struct run_setting *out, const struct training *training, const char *key)
{
    *out = (struct run_setting){0};
    if (!training->settings ||
        graco_config_get(training->settings, key, out->value, sizeof out->value) != GRACO_OK ||
        graco_config_get(training->preset, key, out->preset, sizeof out->preset) != GRACO_OK)
        return false;
    /* `auto` became what the data have before config.json was written: nobody has changed it. */
    bool chosen = strcmp(out->preset, "auto") == 0 && graco_config_kind(key) != GRACO_KEY_HOST;
    out->differs = !chosen && strcmp(out->value, out->preset) != 0;
    return true;
}

/* Its settings, and those that the method has for a data set of that name. A method of another version of graco has
 * none. */
static graco_status find_settings(struct training *training, const graco_training *about)
{
    const char *method = about->config ? about->config->method : NULL;
    const char *preset = graco_preset_for(method, about->dataset);
    training->has_preset = strcmp(preset, "general") != 0;
    training->settings = about->config;
    return method ? graco_config_create(&training->preset, method, preset) : GRACO_OK;
}

/* Without config.json nothing is said of the settings; the checkpoint, which has them too, is not read for them. */
static graco_status read_config(struct run_report *report, const struct reported *run,
                                struct training *training, int64_t index)
{
    graco_training about = {0};
    if (!strstr(graco_run_look(training->folder).others, "config.json"))
        return run_note(report, run, "%s/config.json is not there: the settings are not known",
                        training->folder);
    PASS(run_bear(report, run, graco_run_training(&about, run->run, index),
                  "the settings are not known"));
    training->config = run_json(run->run, index);
    return training->config ? find_settings(training, &about) : GRACO_OK;
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static graco_status find_median(struct training *training)
{
    const struct run_curve *curve = training->curve;
    double *sorted = NULL;
    int64_t count = 0;
    PASS(memory_alloc(&sorted, curve->count, sizeof *sorted));
    for (int64_t i = 0; i < curve->count; i++)
        if (!isnan(curve->at[CURVE_SECONDS][i]))
            sorted[count++] = curve->at[CURVE_SECONDS][i];
    training->seconds_median = number_median(sorted, count);
    memory_free(sorted);
    return GRACO_OK;
}

static graco_status read_metrics(struct run_report *report, const struct reported *run,
                                 struct training *training, int64_t index)
{
    graco_curve curve = {.there = true};
    training->curve = &run->run->trainings[index].curve;
    graco_status status = graco_run_curve(&curve, run->run, index);
    curve_close(&run->run->trainings[index].curve); /* a run may have very many */
    PASS(run_bear(report, run, status, "there are no curves"));
    PASS(find_median(training));
    if (!curve.there)
        return run_note(report, run, "%s/metrics.jsonl is not there: there are no curves",
                        training->folder);
    if (curve.rest > 0)
        return run_note(report, run,
                        "%s/metrics.jsonl is damaged after line %lld: the curves end there",
                        training->folder, (long long)curve.count);
    return GRACO_OK;
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* A training that was stopped has fewer epochs than were asked for, and no word about why it
 * ended. */
static graco_status note_state(struct run_report *report, const struct reported *run,
                               const struct training *training)
{
    const struct run_curve *metrics = training->curve;
    int64_t wanted = run_integer(training, "epochs", -1);
    double last = metrics->count > 0 ? metrics->at[CURVE_EPOCH][metrics->count - 1] : 0;
    if (wanted > (int64_t)last && !*metrics->ended && metrics->count > 0)
        PASS(run_note(report, run, "%s: the training has done %.0f of %lld epochs",
                      training->folder, last, (long long)wanted));
    if (!training->embedded)
        PASS(run_note(report, run,
                      "%s has no embeddings of its last checkpoint: there are no scores, no "
                      "spectrum and no map of it",
                      training->folder));
    return GRACO_OK;
}

static graco_status read_training(struct run_report *report, struct reported *run, int64_t index)
{
    struct training *training = &run->trainings[index];
    training->folder = graco_run_path(run->run, index);
    const graco_run_files files = graco_run_look(training->folder);
    training->embedded = files.embedded;
    if (!files.begun && !strstr(files.others, ".json") && !strstr(files.others, "embeddings.npy"))
        return status_fail(GRACO_ERROR_IO,
                           "%s holds no run; expected a folder that graco train has written, with "
                           "config.json, metrics.jsonl or embeddings.npy",
                           training->folder);
    PASS(read_config(report, run, training, index));
    PASS(read_metrics(report, run, training, index));
    return note_state(report, run, training);
}

graco_status run_read(struct run_report *report, struct reported *run)
{
    for (int64_t t = 0; t < run->count; t++)
        PASS(read_training(report, run, t));
    return GRACO_OK;
}

void run_read_clear(struct reported *run)
{
    for (int64_t t = 0; run->trainings && t < run->count; t++)
        graco_config_free(run->trainings[t].preset);
    memory_free(run->trainings);
}
