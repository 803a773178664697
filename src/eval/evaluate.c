/* The public entry of the evaluation: checks its input, finds the splits, runs the protocol on each
 * of them and sums up. What a reader of the scores should know goes into notes. */
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "data/dataset.h"
#include "eval/protocol.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

graco_eval_options graco_eval_defaults(void)
{
    return (graco_eval_options){.protocol = GRACO_PROTOCOL_PAPER, .splits = 20};
}

const char *graco_protocol_name(int index)
{
    return graco_config_word("protocol", index);
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

/* A class as users call it: by its name, which is cut between two characters where it is long, or by its
 * number. Notes are written into JSON, which has UTF-8 alone. */
enum { CLASS_NAME = 100, CLASS_WORDS = CLASS_NAME + 8 /* for quotes, an ellipsis, an end */ };

static const char *class_words(char words[CLASS_WORDS], const graco_dataset *data, int32_t class)
{
    const char *name = graco_dataset_class(data, class);
    if (!name) {
        snprintf(words, CLASS_WORDS, "%d", (int)class);
        return words;
    }
    size_t length = strlen(name), kept = length < CLASS_NAME ? length : CLASS_NAME;
    while (kept < length && kept > 0 && ((unsigned char)name[kept] & 0xC0) == 0x80)
        kept--;
    snprintf(words, CLASS_WORDS, "'%.*s%s'", (int)kept, name, kept < length ? "\xE2\x80\xA6" : "");
    utf8_mend(words);
    return words;
}

/* In how many splits class k has no training row, and the first of them. */
static int64_t count_missing(int64_t *first, const graco_eval_result *result,
                             const uint8_t *missing, int64_t k)
{
    int64_t lacking = 0;
    for (int64_t s = result->splits - 1; s >= 0; s--)
        if (missing[s * result->classes + k]) {
            lacking++;
            *first = s;
        }
    return lacking;
}

/* missing (splits, classes): a note for each class that some training part lacks, or one for all of
 * them where they are many. */
static graco_status note_missing(graco_eval_result *result, const graco_dataset *data,
                                 const uint8_t *missing)
{
    enum { NOTES = 32 };
    char words[CLASS_WORDS];
    int64_t lacking = 0, first = 0, splits;
    for (int64_t k = 0; k < result->classes; k++)
        lacking += count_missing(&first, result, missing, k) > 0;
    if (lacking > NOTES)
        return note(result,
                    "%lld of %lld classes have no training rows in some split; they are never "
                    "predicted there",
                    (long long)lacking, (long long)result->classes);
    for (int64_t k = 0; k < result->classes; k++)
        if ((splits = count_missing(&first, result, missing, k)) > 0)
            PASS(note(result,
                      "class %s has no training rows in %lld of %lld splits (first: split %lld); "
                      "it is never predicted there",
                      class_words(words, data, result->class_of[k]), (long long)splits,
                      (long long)result->splits, (long long)first));
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

static graco_status check_labels(const graco_dataset *data)
{
    if (!data->label && !data->multi)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set %s has no labels; an evaluation needs them", data->name);
    return classes_check(data);
}

static graco_status check_input(const graco_matrix *Z, const graco_dataset *data,
                                const graco_eval_options *options)
{
    PASS(check_labels(data));
    PASS(protocol_check_rows(Z, data));
    if (options->protocol < GRACO_PROTOCOL_PAPER || options->protocol > GRACO_PROTOCOL_PUBLIC)
        return status_fail(GRACO_ERROR_ARGUMENT, "protocol %d; expected paper, authors or public",
                           (int)options->protocol);
    if (options->validation && options->protocol == GRACO_PROTOCOL_AUTHORS)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the protocol authors has no validation part; expected paper or public");
    return GRACO_OK;
}

/* Numbers the classes anew, in their order, without those that no usable node has, and lists their numbers.
 * label (nodes): the new class, -1 for a node that is not usable. Multi-label classes stay, for each is a
 * column of the table. */
static graco_status find_classes(graco_eval_result *result, int32_t **label, const uint8_t *usable,
                                 const graco_dataset *data)
{
    graco_status status = GRACO_OK;
    int64_t nodes = data->graph->nodes, count = 0;
    int32_t *place = NULL; /* (classes) whether it occurs, then its new number */
    TRY(memory_alloc(&place, data->classes, sizeof *place));
    for (int64_t k = 0; k < data->classes; k++)
        place[k] = data->multi ? 1 : 0;
    for (int64_t i = 0; data->label && i < nodes; i++)
        if (usable[i])
            place[data->label[i]] = 1;
    for (int64_t k = 0; k < data->classes; k++)
        count += place[k];
    TRY(memory_alloc(&result->class_of, count, sizeof *result->class_of));
    for (int64_t k = 0; k < data->classes; k++)
        if (place[k]) {
            result->class_of[result->classes] = (int32_t)class_number(data, k);
            place[k] = (int32_t)result->classes++;
        }
    if (data->label)
        TRY(memory_alloc(label, nodes, sizeof **label));
    for (int64_t i = 0; data->label && i < nodes; i++)
        (*label)[i] = usable[i] ? place[data->label[i]] : -1;
    if (count < data->classes)
        TRY(note(result, "%lld of %lld classes have no labelled node; they count nowhere",
                 (long long)(data->classes - count), (long long)data->classes));
done:
    memory_free(place);
    return status;
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
    return result->classes * result->confusion_cols;
}

/* Of rows with one label each, true negatives are all rows that the other three counts leave. */
static void fill_negatives(int64_t *table, int64_t classes)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < classes; k++)
        rows += table[4 * k] + table[4 * k + 2];
    for (int64_t k = 0; k < classes; k++)
        table[4 * k + 3] = rows - table[4 * k] - table[4 * k + 1] - table[4 * k + 2];
}

/* Takes one split's outcome into the result. */
static void add_split(graco_eval_result *result, int64_t s, const struct protocol_result *one)
{
    if (!result->multi_label && result->classes > METRICS_SQUARE)
        fill_negatives(one->table, result->classes);
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

/* Asks the caller, from its own thread, whether to go on; what it says holds for all threads. */
struct asking {
    const graco_eval_options *options;
    const struct watch *watch; /* of the caller's context: how far its split is */
    int64_t splits, done;
    double asked, share;
    atomic_bool stopped;
};

static bool not_stopped(void *owner)
{
    return !atomic_load_explicit(&((struct asking *)owner)->stopped, memory_order_relaxed);
}

static bool ask(void *owner)
{
    const double interval = 0.1; /* seconds between two questions */
    struct asking *a = owner;
    double now = threads_seconds_roughly();
    if (now - a->asked >= interval && not_stopped(a)) {
        a->asked = now;
        a->share = fmax(a->share, ((double)a->done + a->watch->share) / (double)a->splits);
        atomic_store(&a->stopped, !a->options->on_progress(a->options->user, a->share));
    }
    return not_stopped(a);
}

/* What reads and writes one split, by the seat of its thread. */
struct seat {
    struct probe_input input;
    struct protocol_result one;
    graco_status status;
    char message[512];
};

/* Splits first .. at a time, each with a place of its own. */
struct wave {
    struct seat *seats; /* (wide) by split, but for their contexts, which go by thread */
    struct context *const *contexts;
    const struct splits *splits;
    const graco_dataset *data; /* whose classes have names */
    const graco_eval_options *options;
    struct asking *asking;
    int64_t first;
};

static void run_one(void *job, struct threads_piece piece)
{
    const struct wave *wave = job;
    struct seat *seat = &wave->seats[piece.first];
    seat->input.context = wave->contexts[piece.seat];
    enum protocol_way way = wave->options->validation                           ? PROTOCOL_VALIDATED
                            : wave->options->protocol == GRACO_PROTOCOL_AUTHORS ? PROTOCOL_FOLDED
                                                                                : PROTOCOL_TESTED;
    seat->status = protocol_run(&seat->one, &seat->input, wave->splits, wave->first + piece.first,
                                way, wave->options->seed);
    if (seat->status != GRACO_OK) /* the message is this thread's */
        snprintf(seat->message, sizeof seat->message, "%s", graco_message());
}

/* Runs the splits, as many at a time as there are contexts, and takes their outcomes in order. */
static graco_status run_splits(graco_eval_result *result, const struct probe_input *input,
                               const struct splits *splits, const struct wave *job, int64_t wide)
{
    graco_status status = GRACO_OK;
    struct wave wave = *job;
    uint8_t *missing = NULL;
    int64_t *tables = NULL, size = table_size(result), fewest = INT64_MAX;
    TRY(memory_zalloc(&missing, splits->count * result->classes, sizeof *missing));
    TRY(memory_alloc(&tables, wide * size, sizeof *tables));
    TRY(memory_alloc(&wave.seats, wide, sizeof *wave.seats));
    for (; wave.first < splits->count; wave.first += wide) {
        int64_t count = splits->count - wave.first < wide ? splits->count - wave.first : wide;
        TRY(context_look(wave.contexts[0])); /* others may take all splits before the caller does */
        memset(tables, 0, (size_t)(count * size) * sizeof *tables);
        for (int64_t i = 0; i < count; i++)
            wave.seats[i] =
                (struct seat){.input = *input,
                              .one = {.table = tables + i * size,
                                      .missing = missing + (wave.first + i) * result->classes}};
        threads_run((int)wide, count, 1, run_one, &wave);
        for (int64_t i = 0; i < count; i++) {
            const struct seat *seat = &wave.seats[i];
            if (seat->status != GRACO_OK)
                FAIL(seat->status, "%s", seat->message);
            add_split(result, wave.first + i, &seat->one);
            fewest = seat->one.training_rows < fewest ? seat->one.training_rows : fewest;
            wave.asking->done++;
        }
    }
    if (!result->multi_label && fewest < result->classes)
        TRY(note(result, "a training part has only %lld rows for %lld classes", (long long)fewest,
                 (long long)result->classes));
    TRY(note_missing(result, wave.data, missing));
    if (result->unconverged > 0)
        TRY(note(result, "%lld of %lld regressions did not converge (worst gap %.1e, wanted %.1e)",
                 (long long)result->unconverged, (long long)result->solves, result->worst_gap,
                 LOGISTIC_GAP));
done:
    memory_free(wave.seats);
    memory_free(tables);
    memory_free(missing);
    return status;
}

/* Opens the device for as many splits at a time as its threads and the memory allow, and runs them. */
static graco_status open_and_run(graco_eval_result *result, const struct probe_input *input,
                                 const struct splits *splits, const graco_dataset *data,
                                 const graco_eval_options *options)
{
    enum {
        DEVICE_SPLITS = 4, /* that a GPU has in work: while one waits, others compute */
        SPLITS_BYTES =
            1 << 30,       /* that splits in work take together, about, unless one takes more */
        NUMBER_BYTES = 32, /* of each number of X, all copies together */
    };
    graco_status status = GRACO_OK;
    const struct backend *backend = NULL;
    struct context **contexts = NULL;
    int64_t rows = 0, wide = 0, most;
    for (int64_t i = 0; i < splits->nodes; i++)
        rows += splits->part[i] == SPLITS_TRAIN;
    int64_t bytes = 1 + rows * (NUMBER_BYTES * input->dim + 5 * input->classes);
    TRY(probe_backend(&backend, options->device, input, rows, splits->count));
    most = backend->host ? input->threads : DEVICE_SPLITS;
    most = most < splits->count ? most : splits->count;
    TRY(memory_zalloc(&contexts, most, sizeof *contexts));
    do {
        TRY(context_create(&contexts[wide], backend, input->threads, 0));
        wide++;
    } while (wide < most && wide < SPLITS_BYTES / bytes);
    struct asking asking = {
        .options = options, .watch = &contexts[0]->watch, .splits = splits->count};
    for (int64_t i = 0; options->on_progress && i < wide; i++) /* the caller has seat 0 */
        contexts[i]->watch = (struct watch){.go_on = i == 0 ? ask : not_stopped, .owner = &asking};
    const struct wave wave = {.contexts = contexts,
                              .splits = splits,
                              .data = data,
                              .options = options,
                              .asking = &asking};
    TRY(run_splits(result, input, splits, &wave, wide));
done:
    for (int64_t i = 0; i < wide; i++)
        context_free(contexts[i]);
    memory_free(contexts);
    return status;
}

/* What a result over so many splits has from the start, and label (nodes) as find_classes gives it;
 * what a result has at the end. */
static graco_status begin_result(graco_eval_result *result, int32_t **label, const uint8_t *usable,
                                 const graco_dataset *data, int64_t splits)
{
    PASS(find_classes(result, label, usable, data));
    result->multi_label = data->multi;
    result->confusion_cols = metrics_cols(result->classes, result->multi_label);
    result->metric = result->multi_label ? "micro_f1" : "accuracy";
    result->splits = splits;
    PASS(memory_alloc(&result->scores, splits, sizeof *result->scores));
    PASS(memory_alloc(&result->C, splits, sizeof *result->C));
    return memory_zalloc(&result->confusion, table_size(result), sizeof *result->confusion);
}

static void end_result(graco_eval_result *result, double start)
{
    metrics_spread(&result->mean, &result->deviation, result->scores, result->splits);
    result->converged = result->unconverged == 0;
    result->seconds = threads_seconds() - start;
}

/* Copies the rows of `from` into columns first, first + 1, ... of `to`, scaled to length one; rows of
 * zeros stay zero. */
static void place_rows(graco_matrix *to, int64_t first, const graco_matrix *from)
{
    for (int64_t i = 0; i < from->rows; i++) {
        const float *row = from->data + i * from->cols;
        double square = 0;
        for (int64_t k = 0; k < from->cols; k++)
            square += (double)row[k] * (double)row[k];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t k = 0; k < from->cols; k++)
            to->data[i * to->cols + first + k] = (float)(scale * (double)row[k]);
    }
}

/* [Z ; X], both halves with rows of length one. */
static graco_status join_features(graco_matrix *out, const graco_matrix *Z,
                                  const graco_dataset *data)
{
    graco_matrix X = {0}, joined = {Z->rows, Z->cols + data->features.cols, NULL};
    graco_status status = GRACO_OK;
    if (data->features.cols == 0)
        FAIL(GRACO_ERROR_ARGUMENT, "data set '%s' has no features to put beside the embeddings",
             data->name);
    TRY(features_densify(&X, &data->features));
    TRY(memory_alloc(&joined.data, joined.rows * joined.cols, sizeof(float)));
    place_rows(&joined, 0, Z);
    place_rows(&joined, Z->cols, &X);
    *out = joined;
done:
    graco_matrix_clear(&X);
    return status;
}

graco_status graco_evaluate(graco_eval_result *result, const graco_matrix *Z,
                            const graco_dataset *data, const graco_eval_options *options)
{
    graco_status status = GRACO_OK;
    const graco_eval_options defaults = graco_eval_defaults();
    graco_eval_result made = {0};
    graco_matrix joined = {0};
    struct splits splits = {0};
    struct blas blas = {0};
    uint8_t *usable = NULL;
    int32_t *label = NULL;
    double start = threads_seconds();
    if (!options)
        options = &defaults;
    TRY(check_input(Z, data, options));
    if (options->with_features) {
        TRY(join_features(&joined, Z, data));
        Z = &joined;
    }
    TRY(splits_usable(&usable, data));
    TRY(find_splits(&splits, &made, usable, data, options));
    TRY(begin_result(&made, &label, usable, data, splits.count));
    struct probe_input input = {.blas = &blas,
                                .Z = Z->data,
                                .nodes = Z->rows,
                                .dim = Z->cols,
                                .classes = made.classes,
                                .label = label,
                                .multi = data->multi,
                                .threads = threads_count(options->threads)};
    TRY(note_constant(&made, Z));
    TRY(blas_open(&blas, input.threads));
    TRY(open_and_run(&made, &input, &splits, data, options));
    end_result(&made, start);
    *result = made;
done:
    if (status != GRACO_OK)
        graco_eval_result_clear(&made);
    blas_close(&blas);
    splits_clear(&splits);
    memory_free(label);
    memory_free(usable);
    graco_matrix_clear(&joined);
    return status;
}

/* Adds the test rows of a split to the table, by the classes that P gives the most. Classes are numbered
 * as in the result, and `column` has their columns of P; those that no labelled node has are not chosen. */
static graco_status count_given(int64_t *table, const graco_eval_result *result,
                                const graco_matrix *P, const int64_t *column, const int32_t *label,
                                const uint8_t *multi, const struct splits *split)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < P->rows; i++) {
        const float *p = P->data + i * P->cols;
        int64_t best = 0;
        if (split->part[i] != SPLITS_TEST)
            continue;
        rows++;
        for (int64_t k = 0; k < result->classes; k++) {
            best = p[column[k]] > p[column[best]] ? k : best;
            if (multi) {
                bool truth = multi[i * P->cols + k], chosen = p[k] > 0.5f;
                table[4 * k + (truth ? (chosen ? 0 : 2) : (chosen ? 1 : 3))]++;
            }
        }
        if (label)
            metrics_count(table, result->classes, label[i], best);
    }
    return rows > 0 ? GRACO_OK
                    : status_fail(GRACO_ERROR_ARGUMENT,
                                  "the split has no labelled node in its test part");
}

/* One split's class scores, into place s of the result. */
static graco_status add_given(graco_eval_result *result, int64_t s, const uint8_t *usable,
                              const int32_t *label, const graco_class_scores *scores,
                              const graco_dataset *data, const graco_eval_options *options)
{
    const struct splits_wanted wanted = {
        .protocol = options->protocol, .first = scores->split, .count = 1, .seed = options->seed};
    struct protocol_result one = {.C = (double)NAN};
    struct splits split = {0};
    int64_t *column = NULL;
    graco_status status = GRACO_OK;
    TRY(check_input(&scores->P, data, options));
    if (!class_columns(data, scores->P.cols))
        FAIL(GRACO_ERROR_ARGUMENT,
             "%lld class scores for each node; the data set %s has %lld classes",
             (long long)scores->P.cols, data->name, (long long)data->classes);
    TRY(memory_alloc(&column, result->classes, sizeof *column));
    for (int64_t k = 0; k < result->classes; k++)
        column[k] = class_column(data, class_place(data, result->class_of[k]), scores->P.cols);
    TRY(splits_find(&split, data, usable, &wanted));
    TRY(memory_zalloc(&one.table, table_size(result), sizeof *one.table));
    TRY(count_given(one.table, result, &scores->P, column, label, data->multi, &split));
    add_split(result, s, &one);
done:
    memory_free(column);
    splits_clear(&split);
    memory_free(one.table);
    return status;
}

graco_status graco_evaluate_classes(graco_eval_result *result, const graco_class_scores *scores,
                                    int64_t count, const graco_dataset *data,
                                    const graco_eval_options *options)
{
    const graco_eval_options defaults = graco_eval_defaults();
    graco_status status = GRACO_OK;
    graco_eval_result made = {0};
    uint8_t *usable = NULL;
    int32_t *label = NULL;
    double start = threads_seconds();
    if (!options)
        options = &defaults;
    if (count < 1)
        FAIL(GRACO_ERROR_ARGUMENT, "%lld splits have scores; expected at least 1",
             (long long)count);
    TRY(check_labels(data));
    TRY(splits_usable(&usable, data));
    TRY(begin_result(&made, &label, usable, data, count));
    for (int64_t s = 0; s < count; s++)
        TRY(add_given(&made, s, usable, label, &scores[s], data, options));
    end_result(&made, start);
    *result = made;
done:
    if (status != GRACO_OK)
        graco_eval_result_clear(&made);
    memory_free(label);
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
    memory_free(result->class_of);
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
