/* The report of `graco train`. Several trainings are also told as one: epochs of each, mean loss, seconds
 * of all, median of the medians. */
#include "trained.h"

#include "graco_command.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "settings.h"
#include "stop.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t count_of(const struct trained_all *all)
{
    return all->form.runs * all->form.splits;
}

#define TRAINED(member, kind) FIELD(graco_train_result, member, kind)
static const struct field TRAINED_COST[] = {
    TRAINED(best_epoch, INT), TRAINED(best_cost, REAL), {0}};
static const struct field TRAINED_END[] = {TRAINED(ended, STRING),
                                           TRAINED(loss, REAL),
                                           TRAINED(mutual_information, REAL),
                                           TRAINED(seconds, REAL),
                                           TRAINED(epoch_ms_median, REAL),
                                           {0}};
static const struct field TRAINED_RANKS[] = {
    TRAINED(ranks, INT),
    TRAINED(sent_bytes, INT),
    TRAINED(sent_messages, INT),
    FIELD_AS("waited_seconds", graco_train_result, waited, REAL),
    {0}};

/* The fields of one run, or of all of them as one. */
static void write_fields(struct writer *json, const struct trained_all *all,
                         const struct trained *outcome)
{
    const graco_train_result *result = &outcome->result;
    char objective[SETTINGS_TEXT], text[SETTINGS_TEXT];

    writer_string(json, "run", outcome->folder);
    writer_string(json, "dataset", all->dataset);
    writer_string(json, "preset", all->preset);
    writer_string(json, "method", graco_config_method(all->config));
    if (*settings_get(objective, all->config, "objective") != '?')
        writer_string(json, "objective", objective);
    writer_integer(json, "epochs", result->epochs);
    if (result->best_epoch)
        writer_fields(json, TRAINED_COST, result);
    writer_fields(json, TRAINED_END, result);
    writer_integer(json, "peak_rss_bytes", graco_peak_memory());
    writer_integer(json, "buffer_bytes", result->buffer_bytes);
    writer_string(json, "device", result->device ? result->device : "cpu");
    if (result->ranks > 1)
        writer_fields(json, TRAINED_RANKS, result);
    if (outcome->split >= 0)
        writer_integer(json, "split", outcome->split);
    snprintf(text, sizeof text, "%" PRIu64, outcome->seed);
    if (outcome->seed <= INT64_MAX)
        writer_integer(json, "seed", (int64_t)outcome->seed);
    else
        writer_string(json, "seed", text); /* as config.json has it */
}

/* Several runs as one: epochs of each, mean loss, seconds of all, median of the medians. Runs that had
 * nothing to do have no loss, and count for the seconds alone. */
static struct trained summarise(const struct trained_all *all, double *medians)
{
    struct trained sum = all->each[0];
    double loss = 0, mutual_information = 0;
    int64_t trained = 0;

    snprintf(sum.folder, sizeof sum.folder, "%s", all->run);
    sum.split = count_of(all) > 1 ? -1 : sum.split;
    sum.result.seconds = 0;
    for (int64_t i = 0; i < count_of(all); i++) {
        const graco_train_result *result = &all->each[i].result;
        sum.result.seconds += result->seconds;
        if (isnan(result->loss))
            continue;
        loss += result->loss;
        mutual_information += result->mutual_information;
        medians[trained++] = result->epoch_ms_median;
    }
    if (trained == 0)
        return sum;
    sum.result.epoch_ms_median = number_median(medians, trained);
    sum.result.loss = loss / (double)trained;
    sum.result.mutual_information = mutual_information / (double)trained;
    return sum;
}

static int report_json(const struct trained_all *all, const struct trained *sum)
{
    struct writer json = {0};
    int64_t count = count_of(all);

    writer_open(&json, NULL, '{');
    write_fields(&json, all, sum);
    if (count > 1) {
        writer_open(&json, "runs", '[');
        for (int64_t i = 0; i < count; i++) {
            writer_open(&json, NULL, '{');
            write_fields(&json, all, &all->each[i]);
            writer_close(&json);
        }
        writer_close(&json);
    }
    writer_close(&json);
    return output_json(&json);
}

static void report_text(const struct trained_all *all, const struct trained *sum)
{
    const graco_train_result *result = &sum->result;
    char time[32], memory[32], splits[48] = "";
    bool one = count_of(all) == 1;

    if (all->form.splits > 1)
        snprintf(splits, sizeof splits, " of %" PRId64 " splits", all->form.splits);
    output_row("trained", "%" PRId64 " epochs on %s, %" PRId64 " run%s%s", result->epochs,
               all->dataset, all->form.runs, all->form.runs == 1 ? "" : "s", splits);
    if (one && result->best_epoch)
        output_row("kept", "epoch %" PRId64 ", of cost %.5f; ended by %s", result->best_epoch,
                   result->best_cost, result->ended);
    if (!isnan(result->loss)) {
        output_row("loss", "%.5f%s", result->loss, one ? "" : " (mean)");
        output_row("time", "%s, %.*f ms per epoch (median) on %s",
                   output_time(time, result->seconds), result->epoch_ms_median < 10 ? 2 : 1,
                   result->epoch_ms_median, result->device);
    }
    if (result->ranks > 1)
        output_row("ranks", "%" PRId64 "; rank 0 sent %s in all and waited for %s", result->ranks,
                   number_bytes(memory, result->sent_bytes), output_time(time, result->waited));
    output_row("peak memory", "%s", number_bytes(memory, graco_peak_memory()));
    output_row("embeddings", "%s%s%s/embeddings.npy", all->run, all->form.runs > 1 ? "/run-*" : "",
               all->form.splits > 1 ? "/split-*" : "");
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* So many splits, and so many numbers of all rows times classes: a second or two of two cores. */
enum { FEW_SPLITS = 3, NUMBERS_MOST = 1 << 27 };

static bool go_on(void *user, double share)
{
    (void)user;
    (void)share;
    return !stop_wanted;
}

static bool is_supervised(const char *method)
{
    graco_method_info info;
    for (int i = 0; graco_method_describe(&info, i); i++)
        if (strcmp(info.name, method) == 0)
            return info.supervised;
    return false;
}

/* One row, and where the training is not better than the baselines another one, of what to try. */
static void print_scores(const graco_eval_result *own, const graco_run_baseline *list, int count,
                         const struct trained_all *all)
{
    const graco_run_baseline *best = list;
    char words[GRACO_ADVICE], beside[128] = "";
    size_t used = 0;
    for (int b = 0; b < count; b++) {
        used += (size_t)snprintf(beside + used, sizeof beside - used, ", %s %.1f", list[b].name,
                                 list[b].result->mean);
        best = list[b].result->mean > best->result->mean ? &list[b] : best;
    }
    bool worse =
        count > 0 && graco_baseline_advice(words, "", best->name, &best->against, all->config);
    output_row(own->multi_label ? "micro-F1" : "accuracy", "%.1f%s (%" PRId64 " split%s)%s",
               own->mean, beside, own->splits, own->splits == 1 ? "" : "s",
               worse ? ": not better" : "");
    const char *advice = worse ? strstr(words, "Try ") : NULL;
    if (!advice)
        return;
    printf("%-18s ", "try");
    options_wrap(advice + strlen("Try "), 19);
}

/* Numbers of a row of Z, of the raw features as they are scored, and of the smoothed ones. */
static int64_t count_numbers(const graco_matrix *Z, const graco_dataset_info *info)
{
    const int64_t few = 256, whole = (int64_t)1 << 24; /* see graco_evaluate_baseline */
    int64_t raw = info->feature_count, smooth = raw < few ? raw : few;
    return Z->cols + (raw * info->nodes > whole ? smooth : raw) + smooth;
}

/* The truth about an embedding, next to what needs no training; of several trainings, the first's. */
static graco_status report_scores(const struct trained_all *all)
{
    const graco_dataset_info info = graco_dataset_describe(all->data);
    char text[SETTINGS_TEXT];
    graco_eval_options options = graco_eval_defaults();
    const graco_run_baseline *list = NULL;
    const graco_eval_result *own = NULL;
    const graco_matrix *Z = NULL;
    graco_run *run = NULL;
    graco_status status = GRACO_OK;
    int count = 0;
    options.splits = FEW_SPLITS;
    options.threads = strtoll(settings_get(text, all->config, "threads"), NULL, 10);
    options.on_progress = go_on;
    options.device = strcmp(settings_get(text, all->config, "device"), "cpu") == 0 ? "cpu" : "auto";
    TRY(graco_run_open(&run, all->each[0].folder));
    TRY(graco_run_embeddings(&Z, NULL, run, 0, all->data));
    if (info.nodes * count_numbers(Z, &info) > NUMBERS_MOST / info.classes) {
        output_row("accuracy", "takes longer: graco eval %s %s", all->run,
                   all->source ? all->source : "DATASET");
        goto done;
    }
    TRY(graco_run_scores(&own, run, all->data, &options));
    TRY(graco_run_baselines(&list, &count, run, all->data));
    print_scores(own, list, count, all);
done:
    graco_run_free(run);
    return status;
}

/* Scores are beside the point of a training: without them it ends as well, and says why they are missing. */
static void add_scores(const struct trained_all *all)
{
    if (graco_dataset_describe(all->data).classes < 2 || graco_ranks() > 1 ||
        is_supervised(graco_config_method(all->config)))
        return;
    fflush(stdout);
    if (report_scores(all) != GRACO_OK)
        output_row("accuracy", "none: %s", graco_message());
}

int trained_report(const struct trained_all *all, bool json)
{
    double *medians = calloc((size_t)count_of(all), sizeof *medians);

    if (!medians)
        return output_failure(output_no_memory("the report"));
    struct trained sum = summarise(all, medians);
    free(medians);
    if (json)
        return report_json(all, &sum);
    report_text(all, &sum);
    add_scores(all);
    return output_finish();
}

/* ---- Stopped --------------------------------------------------------------------------------- */

/* Prints a word so that a shell reads it back as it is. */
static size_t quote(char *text, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=:,+@%";
    size_t used = 0;

    if (*word && word[strspn(word, plain)] == '\0')
        return (size_t)snprintf(text, size, " %s", word);
    used += (size_t)snprintf(text, size, " '");
    for (; *word && used + 8 < size; word++)
        used += (size_t)snprintf(text + used, size - used, *word == '\'' ? "'\\''" : "%c", *word);
    return used + (size_t)snprintf(text + used, size - used, "'");
}

int trained_stopped(int argc, char **argv, const graco_config *config, bool resume,
                    const graco_train_result *result)
{
    char text[3072] = "", wanted[SETTINGS_TEXT], step[80] = "";
    size_t used = 0;

    if (result->step > 0)
        snprintf(step, sizeof step, ", and step %" PRId64 " of %" PRId64 " of the next",
                 result->step, result->steps);

    for (int i = 1; i < argc && used + 2 * strlen(argv[i]) + 16 < sizeof text; i++)
        used += quote(text + used, sizeof text - used, argv[i]);
    output_error("stopped after epoch %" PRId64 " of %s%s; to continue: %s train%s%s",
                 result->epochs, settings_get(wanted, config, "epochs"), step,
                 graco_ranks() > 1 ? "graco-mpi" : "graco", text, resume ? "" : " --resume");
    return EXIT_FAILED;
}
