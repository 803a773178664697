/* What a run folder says of its training. Each file may be missing, cut or damaged: what can be
 * read is kept, and a note says what could not. */
#include "report/run_report.h"

#include "base/memory.h"
#include "base/number.h"
#include "config/config.h"
#include "io/files/file.h"
#include "io/json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t CONFIG_LIMIT = (int64_t)1 << 20, METRICS_LIMIT = (int64_t)1 << 32;

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

/* Presets and config.json may write a number in two ways: both go through a configuration. */
bool run_setting(struct run_setting *out, const struct training *training, const char *key)
{
    *out = (struct run_setting){0};
    run_field(out->value, training, key);
    if (!*out->value)
        return false;
    if (!training->preset ||
        graco_config_get(training->preset, key, out->preset, sizeof out->preset) != GRACO_OK)
        return true;
    struct graco_config copy = *training->preset;
    if (graco_config_set(&copy, key, out->value) == GRACO_OK)
        graco_config_get(&copy, key, out->value, sizeof out->value);
    /* `auto` became what the data have before config.json was written: nobody has changed it. */
    bool chosen = strcmp(out->preset, "auto") == 0 &&
                  (strcmp(key, "node_features") == 0 || strcmp(key, "scaling") == 0);
    out->differs = !chosen && strcmp(out->value, out->preset) != 0;
    return true;
}

/* The settings that the method has for a data set of that name. */
static graco_status find_preset(struct training *training)
{
    const char *method = NULL, *name = NULL;
    json_as_string(&method, json_find(training->config, "method"));
    json_as_string(&name, json_find(training->config, "dataset"));
    const char *preset = graco_preset_for(method, name);
    training->has_preset = strcmp(preset, "general") != 0;
    graco_status status =
        method ? graco_config_create(&training->preset, method, preset) : GRACO_ERROR_ARGUMENT;
    return status == GRACO_ERROR_ARGUMENT ? GRACO_OK : status; /* of another version of graco */
}

static graco_status read_config(struct run_report *report, const struct reported *run,
                                struct training *training, const char *path)
{
    if (!file_exists(path))
        return run_note(report, run, "%s is not there: the settings are not known", path);
    PASS(run_bear(report, run, json_parse_file(&training->config, path, CONFIG_LIMIT),
                  "the settings are not known"));
    return find_preset(training);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static double number_of(const struct json *line, const char *key)
{
    double number = (double)NAN;
    return json_as_double(&number, json_find(line, key)) ? number : (double)NAN;
}

static graco_status add_line(struct run_metrics *metrics, const struct json *line)
{
    static const char *const keys[METRICS] = {"epoch", "loss", "mutual_information", "seconds"};
    int64_t peak = 0;
    const char *ended = NULL;
    if (metrics->count == metrics->room) {
        int64_t more = metrics->room ? 2 * metrics->room : 256;
        for (int m = 0; m < METRICS; m++)
            PASS(memory_grow(&metrics->at[m], metrics->count, more, sizeof **metrics->at));
        metrics->room = more;
    }
    for (int m = 0; m < METRICS; m++)
        metrics->at[m][metrics->count] = number_of(line, keys[m]);
    metrics->count++;
    if (json_as_int(&peak, json_find(line, "peak_rss_bytes")) && peak > metrics->peak)
        metrics->peak = peak;
    json_as_int(&metrics->best_epoch, json_find(line, "best_epoch"));
    json_as_string(&ended, json_find(line, "ended"));
    snprintf(metrics->ended, sizeof metrics->ended, "%.40s", ended ? ended : "");
    return GRACO_OK;
}

/* The lines up to the first that is not whole, or whose epoch does not follow; *read says how many
 * bytes. */
static graco_status read_lines(struct run_metrics *metrics, int64_t *read, const uint8_t *bytes,
                               int64_t length)
{
    const uint8_t *end;
    double last = 0;
    for (*read = 0; (end = memchr(bytes + *read, '\n', (size_t)(length - *read)));) {
        struct json *line = NULL;
        graco_status status = json_parse(&line, bytes + *read, end - bytes - *read);
        double epoch = status == GRACO_OK ? number_of(line, "epoch") : 0;
        bool good = epoch > last && epoch < 1e15; /* more is no count */
        if (good) {
            last = epoch;
            status = add_line(metrics, line);
            *read = end - bytes + 1;
        }
        json_free(line);
        if (status != GRACO_OK && status != GRACO_ERROR_FORMAT)
            return status; /* the system's failure says nothing of the file */
        if (!good)
            break;
    }
    return GRACO_OK;
}

static graco_status find_median(struct run_metrics *metrics)
{
    double *sorted = NULL;
    int64_t count = 0;
    PASS(memory_alloc(&sorted, metrics->count, sizeof *sorted));
    for (int64_t i = 0; i < metrics->count; i++)
        if (!isnan(metrics->at[METRIC_SECONDS][i]))
            sorted[count++] = metrics->at[METRIC_SECONDS][i];
    metrics->seconds_median = number_median(sorted, count);
    memory_free(sorted);
    return GRACO_OK;
}

static graco_status read_metrics(struct run_report *report, const struct reported *run,
                                 struct training *training, const char *path)
{
    graco_status status = GRACO_OK;
    struct run_metrics *metrics = &training->metrics;
    uint8_t *bytes = NULL;
    int64_t length = 0, read = 0;
    metrics->seconds_median = (double)NAN;
    if (!file_exists(path))
        return run_note(report, run, "%s is not there: there are no curves", path);
    TRY(file_read(&bytes, &length, path, METRICS_LIMIT));
    TRY(read_lines(metrics, &read, bytes, length));
    TRY(find_median(metrics));
    if (read < length)
        TRY(run_note(report, run, "%s is damaged after line %lld: the curves end there", path,
                     (long long)metrics->count));
done:
    memory_free(bytes);
    return run_bear(report, run, status, "there are no curves");
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* A training that was stopped has fewer epochs than were asked for, and no word about why it
 * ended. */
static graco_status note_state(struct run_report *report, const struct reported *run,
                               const struct training *training)
{
    const struct run_metrics *metrics = &training->metrics;
    int64_t wanted = run_integer(training, "epochs", -1);
    double last = metrics->count > 0 ? metrics->at[METRIC_EPOCH][metrics->count - 1] : 0;
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

/* Whether there is anything to read. A training empties embeddings.npy when it writes a newer
 * checkpoint. */
static graco_status look(bool *found, struct training *training, char *const paths[4])
{
    uint8_t first;
    int64_t length = 0;
    *found = false;
    for (int i = 0; i < 4; i++)
        *found = *found || file_exists(paths[i]);
    if (file_exists(paths[2]))
        PASS(file_head(&first, &length, paths[2], 1));
    training->embedded = length > 0;
    return GRACO_OK;
}

static graco_status read_training(struct run_report *report, const struct reported *run,
                                  struct training *training)
{
    static const char *const names[4] = {"config.json", "metrics.jsonl", "embeddings.npy",
                                         "model.safetensors"};
    graco_status status = GRACO_OK;
    char *paths[4] = {0};
    bool found = false;
    for (int i = 0; i < 4; i++)
        TRY(memory_path(&paths[i], training->folder, names[i]));
    TRY(look(&found, training, paths));
    if (!found)
        FAIL(GRACO_ERROR_IO,
             "%s holds no run; expected a folder that graco train has written, with config.json, "
             "metrics.jsonl or embeddings.npy",
             training->folder);
    TRY(read_config(report, run, training, paths[0]));
    TRY(read_metrics(report, run, training, paths[1]));
    TRY(note_state(report, run, training));
done:
    for (int i = 0; i < 4; i++)
        memory_free(paths[i]);
    return status;
}

graco_status run_read(struct run_report *report, struct reported *run)
{
    for (int64_t t = 0; t < run->count; t++)
        PASS(read_training(report, run, &run->trainings[t]));
    return GRACO_OK;
}

void run_read_clear(struct reported *run)
{
    for (int64_t t = 0; run->trainings && t < run->count; t++) {
        struct training *training = &run->trainings[t];
        json_free(training->config);
        graco_config_free(training->preset);
        for (int m = 0; m < METRICS; m++)
            memory_free(training->metrics.at[m]);
    }
    memory_free(run->trainings);
}
