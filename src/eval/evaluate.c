/* The public entry of the evaluation: checks its input, finds the splits, runs the protocol on each
 * of them and sums up. What a reader of the scores should know goes into notes. */
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "eval/protocol.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

graco_eval_options graco_eval_defaults(void)
{
    return (graco_eval_options){.protocol = GRACO_PROTOCOL_PAPER, .splits = 20};
}

const char *graco_protocol_name(int index)
{
    static const char *const names[] = {[GRACO_PROTOCOL_PAPER] = "paper",
                                        [GRACO_PROTOCOL_AUTHORS] = "authors",
                                        [GRACO_PROTOCOL_PUBLIC] = "public"};
    int count = sizeof names / sizeof *names;
    return index >= 0 && index < count ? names[index] : NULL;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

EXT_PRINTF(2, 3) static graco_status note(graco_eval_result *result, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    PASS(memory_grow(&result->notes, result->note_count, result->note_count + 1,
                     sizeof *result->notes));
    PASS(memory_string(&result->notes[result->note_count], text));
    result->note_count++;
    return GRACO_OK;
}

/* missing (splits, classes): a note for each class that some training part lacks. */
static graco_status note_missing(graco_eval_result *result, const uint8_t *missing)
{
    for (int64_t k = 0; k < result->classes; k++) {
        int64_t lacking = 0, first = -1;
        for (int64_t s = 0; s < result->splits; s++)
            if (missing[s * result->classes + k]) {
                lacking++;
                first = first < 0 ? s : first;
            }
        if (lacking > 0)
            PASS(note(result,
                      "class %lld has no training rows in %lld of %lld splits (first: split %lld); "
                      "it is never predicted there",
                      (long long)k, (long long)lacking, (long long)result->splits,
                      (long long)first));
    }
    return GRACO_OK;
}

static graco_status note_constant(graco_eval_result *result, const graco_matrix *Z)
{
    for (int64_t i = 1; i < Z->rows; i++)
        if (memcmp(Z->data, Z->data + i * Z->cols, (size_t)Z->cols * sizeof *Z->data) != 0)
            return GRACO_OK;
    return note(result,
                "every node has the same embedding; only the class frequencies can be learnt");
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static graco_status check_input(const graco_matrix *Z, const graco_dataset *data,
                                const graco_eval_options *options)
{
    if (data->classes < 1 || (!data->label && !data->multi))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set %s has no labels; an evaluation needs them", data->name);
    if (Z->rows != data->graph->nodes)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the embeddings have %lld rows; the data set %s has %lld nodes",
                           (long long)Z->rows, data->name, (long long)data->graph->nodes);
    if (Z->cols < 1)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the embeddings have no columns; expected at least one");
    for (int64_t i = 0; i < Z->rows * Z->cols; i++)
        if (!isfinite(Z->data[i]))
            return status_fail(GRACO_ERROR_NUMBER,
                               "the embedding of node %lld has the value %g in column %lld; "
                               "expected finite numbers",
                               (long long)(i / Z->cols), (double)Z->data[i],
                               (long long)(i % Z->cols));
    if (options->protocol < GRACO_PROTOCOL_PAPER || options->protocol > GRACO_PROTOCOL_PUBLIC)
        return status_fail(GRACO_ERROR_ARGUMENT, "protocol %d; expected paper, authors or public",
                           (int)options->protocol);
    return GRACO_OK;
}

/* Reads, takes or draws the splits, and writes them where that is asked for. */
static graco_status find_splits(struct splits *splits, graco_eval_result *result,
                                const uint8_t *usable, const graco_dataset *data,
                                const graco_eval_options *options)
{
    if (options->splits_read) {
        PASS(splits_read(splits, options->splits_read, usable, data->graph->nodes));
    } else {
        PASS(splits_find(splits, data, usable,
                         &(struct splits_wanted){.protocol = options->protocol,
                                                 .count = options->splits,
                                                 .seed = options->seed}));
        if (options->protocol == GRACO_PROTOCOL_PAPER && splits_own(data, options->protocol))
            PASS(data->inductive
                     ? note(result, "an inductive data set: its own split is used")
                     : note(result, "%lld graphs with a split of their own: that split is used",
                            (long long)data->graphs));
    }
    return options->splits_write ? splits_write(splits, options->splits_write) : GRACO_OK;
}

/* ---- The evaluation -------------------------------------------------------------------------- */

static int64_t table_size(const graco_eval_result *result)
{
    return result->classes * (result->multi_label ? 4 : result->classes);
}

/* Takes one split's outcome into the result. */
static void add_split(graco_eval_result *result, int64_t s, const struct protocol_result *one)
{
    struct metrics_scores scores = result->multi_label
                                       ? metrics_multi(one->table, result->classes)
                                       : metrics_single(one->table, result->classes);
    double share = 100 / (double)result->splits;
    result->scores[s] = 100 * (result->multi_label ? scores.micro_f1 : scores.accuracy);
    result->C[s] = one->C;
    result->accuracy += share * scores.accuracy;
    result->micro_f1 += share * scores.micro_f1;
    result->macro_f1 += share * scores.macro_f1;
    for (int64_t i = 0; i < table_size(result); i++)
        result->confusion[i] += one->table[i];
    result->solves += one->report.solves;
    result->unconverged += one->report.unconverged;
    if (!(one->report.worst_gap <= result->worst_gap))
        result->worst_gap = one->report.worst_gap;
}

static graco_status run_splits(graco_eval_result *result, const struct probe_input *input,
                               const struct splits *splits, const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    bool folds = options->protocol == GRACO_PROTOCOL_AUTHORS;
    uint8_t *missing = NULL;
    int64_t *table = NULL, size = table_size(result), fewest = INT64_MAX;
    TRY(memory_zalloc(&missing, splits->count * result->classes, sizeof *missing));
    TRY(memory_alloc(&table, size, sizeof *table));
    for (int64_t s = 0; s < splits->count; s++) {
        struct protocol_result one = {.table = table, .missing = missing + s * result->classes};
        memset(table, 0, (size_t)size * sizeof *table);
        TRY(protocol_run(&one, input, splits, s, folds, options->seed));
        add_split(result, s, &one);
        fewest = one.training_rows < fewest ? one.training_rows : fewest;
    }
    if (!result->multi_label && fewest < result->classes)
        TRY(note(result, "a training part has only %lld rows for %lld classes", (long long)fewest,
                 (long long)result->classes));
    TRY(note_missing(result, missing));
    if (result->unconverged > 0)
        TRY(note(result, "%lld of %lld regressions did not converge (worst gap %.1e, wanted %.1e)",
                 (long long)result->unconverged, (long long)result->solves, result->worst_gap,
                 LOGISTIC_GAP));
done:
    memory_free(table);
    memory_free(missing);
    return status;
}

graco_status graco_evaluate(graco_eval_result *result, const graco_matrix *Z,
                            const graco_dataset *data, const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    const graco_eval_options defaults = graco_eval_defaults();
    graco_eval_result made = {0};
    struct splits splits = {0};
    uint8_t *usable = NULL;
    double start = threads_seconds();
    if (!options)
        options = &defaults;
    TRY(check_input(Z, data, options));
    TRY(splits_usable(&usable, data));
    TRY(find_splits(&splits, &made, usable, data, options));
    made.classes = data->classes;
    made.multi_label = data->multi;
    made.metric = made.multi_label ? "micro_f1" : "accuracy";
    made.splits = splits.count;
    TRY(memory_alloc(&made.scores, splits.count, sizeof *made.scores));
    TRY(memory_alloc(&made.C, splits.count, sizeof *made.C));
    TRY(memory_zalloc(&made.confusion, table_size(&made), sizeof *made.confusion));
    struct probe_input input = {.Z = Z->data,
                                .nodes = Z->rows,
                                .dim = Z->cols,
                                .classes = data->classes,
                                .label = data->label,
                                .multi = data->multi,
                                .threads = threads_count(options->threads)};
    TRY(note_constant(&made, Z));
    TRY(run_splits(&made, &input, &splits, options));
    metrics_spread(&made.mean, &made.deviation, made.scores, made.splits);
    made.converged = made.unconverged == 0;
    made.seconds = threads_seconds() - start;
    *result = made;
done:
    if (status != GRACO_OK)
        graco_eval_result_clear(&made);
    splits_clear(&splits);
    memory_free(usable);
    return status;
}

void graco_eval_result_clear(graco_eval_result *result)
{
    if (!result)
        return;
    for (int64_t i = 0; i < result->note_count; i++)
        memory_free(result->notes[i]);
    memory_free(result->notes);
    memory_free(result->confusion);
    memory_free(result->C);
    memory_free(result->scores);
    *result = (graco_eval_result){0};
}

graco_status graco_eval_compare(graco_eval_comparison *out, const graco_eval_result *a,
                                const graco_eval_result *b)
{
    graco_status status = GRACO_OK;
    double *differences = NULL, deviation;
    if (a->splits != b->splits || strcmp(a->metric, b->metric) != 0)
        FAIL(GRACO_ERROR_ARGUMENT,
             "%lld splits of %s against %lld of %s; a comparison needs the same splits",
             (long long)a->splits, a->metric, (long long)b->splits, b->metric);
    TRY(memory_alloc(&differences, a->splits, sizeof *differences));
    for (int64_t s = 0; s < a->splits; s++)
        differences[s] = a->scores[s] - b->scores[s];
    metrics_spread(&out->difference, &deviation, differences, a->splits);
    out->error = a->splits > 1 ? deviation / sqrt((double)a->splits) : NAN;
done:
    memory_free(differences);
    return status;
}
