/* graco eval: scores embeddings, runs and baselines on the same splits, so that differences are paired
 * by split. A row of the table is one of them; a folder of several runs is one row. */
#include "base/utf8.h"
#include "commands.h"
#include "graco_command.h"
#include "loading.h"
#include "nodes.h"
#include "output.h"
#include "runs.h"
#include "scoring.h"
#include "settings.h"
#include "tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const baselines[] = {"raw", "propagate", "untrained", "none", NULL};

enum { NONE = 3, BASELINES = sizeof baselines / sizeof *baselines - 1 };
enum { ROWS_MAX = COMMAND_ARGUMENTS_MAX + BASELINES };

struct request {
    const char *task, *protocol, *splits_file;
    const char *list; /* of baselines, as given */
    int64_t seed, clusters;
    bool baseline[BASELINES]; /* which are wanted */
    bool confusion, json;
    graco_eval_options options;
    graco_load_options load;
};

/* The rows of the table: the embeddings in the order given, then the baselines. */
struct table {
    int embeddings, count;
    struct scoring row[ROWS_MAX];
    graco_eval_comparison against[ROWS_MAX]; /* the first row minus each */
};

/* Which baselines a list such as "raw,untrained" names. Returns false after a message. */
static bool read_baselines(bool wanted[BASELINES], const char *list)
{
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        int b = 0;
        while (b < BASELINES &&
               (strlen(baselines[b]) != length || strncmp(word, baselines[b], length) != 0))
            b++;
        if (b == BASELINES) {
            output_error("eval: --baseline %s: unknown baseline '%.*s'; expected some of raw, "
                         "propagate, untrained with commas between, or none",
                         list, (int)length, word);
            return false;
        }
        wanted[b] = true;
        word += length + (word[length] == ',');
    }
    if (wanted[NONE] && strcmp(list, baselines[NONE]) != 0)
        output_error("eval: --baseline %s: none goes alone", list);
    return !wanted[NONE] || strcmp(list, baselines[NONE]) == 0;
}

/* The splits file is read if it is there, else written by the first evaluation. */
static void use_splits_file(struct request *request)
{
    struct stat found;
    if (request->splits_file && stat(request->splits_file, &found) == 0)
        request->options.splits_read = request->splits_file;
    else
        request->options.splits_write = request->splits_file;
}

/* The baselines that are asked for; unless there is a word about them, those of the first run. */
static graco_status score_baselines(struct table *table, const struct request *request,
                                    const graco_dataset *data)
{
    const graco_run_baseline *list = NULL;
    graco_status status = GRACO_OK;
    int count = 0;
    if (!request->list && !request->options.with_features) {
        status = graco_run_baselines(&list, &count, table->row[0].run, data);
        table->count += scoring_beside(table->row + table->count, table->row, list, count);
    }
    for (int b = 0; status == GRACO_OK && b < NONE; b++) {
        if (!request->baseline[b])
            continue;
        status = scoring_baseline(&table->row[table->count], baselines[b], table->row[0].run, data,
                                  &request->options);
        table->count += status == GRACO_OK;
    }
    return status;
}

/* Scores the runs, which it takes, and the baselines, and compares the first row with each. */
static graco_status score_all(struct table *table, graco_run *runs[], int count,
                              struct request *request, const graco_dataset *data)
{
    graco_status status = GRACO_OK;
    use_splits_file(request);
    for (int i = 0; status == GRACO_OK && i < count; i++) {
        status = scoring_run(&table->row[table->count], runs[i], data, &request->options);
        runs[i] = NULL;
        table->count += status == GRACO_OK;
    }
    table->embeddings = table->count;
    if (status == GRACO_OK)
        status = score_baselines(table, request, data);
    for (int i = 1; status == GRACO_OK && i < table->count; i++)
        status = scoring_compare(&table->against[i], &table->row[0], &table->row[i]);
    return status;
}

/* One line if the first embeddings are not better than the best baseline; an untrained encoder is none that could
 * be used in their place. */
static bool advise(char words[GRACO_ADVICE], const struct table *table)
{
    graco_training training = {0};
    int best = 0;
    for (int i = table->embeddings; i < table->count; i++)
        if (strcmp(table->row[i].name, "untrained") != 0 &&
            (best == 0 || table->row[i].all.mean > table->row[best].all.mean))
            best = i;
    if (table->embeddings == 0 || best == 0 ||
        graco_run_training(&training, table->row[0].run, 0) != GRACO_OK)
        return false;
    return graco_baseline_advice(words, table->row[0].name, table->row[best].name,
                                 &table->against[best], training.config);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* The values of C that were chosen, as "2^3" or "2^-1 .. 2^4". */
static const char *chosen_C(char text[64], const struct scoring *row)
{
    int least = 0, most = 0;
    for (int64_t r = 0; r < row->runs; r++)
        for (int64_t s = 0; s < row->results[r].splits; s++) {
            int exponent = (int)lround(log2(row->results[r].C[s]));
            bool first = r == 0 && s == 0;
            least = first || exponent < least ? exponent : least;
            most = first || exponent > most ? exponent : most;
        }
    if (least == most)
        snprintf(text, 64, "2^%d", least);
    else
        snprintf(text, 64, "2^%d .. 2^%d", least, most);
    return text;
}

/* Puts a class's name, or its number, into `text` and returns how many characters it has. */
static int class_text(char text[NODES_PLAIN], const graco_dataset *data, int32_t class)
{
    char number[NODES_NUMBER];
    nodes_plain(text, nodes_class(number, data, class));
    return (int)utf8_count(text, strlen(text));
}

/* The class of a line: its name, to the left of `width` characters, or its number, to their right. */
static void print_class(const graco_dataset *data, int32_t class, int width)
{
    char text[NODES_PLAIN];
    int blanks = width - class_text(text, data, class);
    if (graco_dataset_class(data, class))
        printf("%s%*s |", text, blanks, "");
    else
        printf("%*s%s |", blanks, "", text);
}

/* The characters of the longest name of a class. */
static int class_width(const graco_dataset *data, const graco_eval_result *result)
{
    char text[NODES_PLAIN];
    int width = 6;
    for (int64_t k = 0; k < result->classes; k++) {
        int count = class_text(text, data, result->class_of[k]);
        width = count > width ? count : width;
    }
    return width;
}

static void print_confusion(const struct scoring *row, const graco_dataset *data)
{
    const graco_eval_result *first = &row->results[0];
    int64_t width = first->confusion_cols;
    int class_cols = class_width(data, first);
    printf("\n%s: test rows over all splits%s, %s\n", row->name, row->runs > 1 ? " and runs" : "",
           width == 4 && (first->multi_label || first->classes > 4)
               ? "a class a line: true +, false +, false -, true -"
               : "a true class a line, a predicted class a column, in the same order");
    for (int64_t k = 0; k < first->classes; k++) {
        print_class(data, first->class_of[k], class_cols);
        for (int64_t i = 0; i < width; i++) {
            int64_t sum = 0;
            for (int64_t r = 0; r < row->runs; r++)
                sum += row->results[r].confusion[k * width + i];
            printf(" %8" PRId64, sum);
        }
        printf("\n");
    }
}

/* Notes on stderr, each once though several rows may share it. */
static void print_notes(const struct table *table)
{
    for (int i = 0; i < table->count; i++)
        for (int64_t r = 0; r < table->row[i].runs; r++) {
            const graco_eval_result *result = &table->row[i].results[r];
            const graco_eval_result *before = r > 0   ? result - 1
                                              : i > 0 ? &table->row[i - 1].results[0]
                                                      : NULL;
            for (int64_t n = 0; n < result->note_count; n++) {
                bool known = false;
                for (int64_t b = 0; before && b < before->note_count; b++)
                    known = known || strcmp(before->notes[b], result->notes[n]) == 0;
                if (!known)
                    output_note("%s: %s", table->row[i].name, result->notes[n]);
            }
        }
}

/* The first row against each of the others, and what follows. */
static void print_comparison(const struct table *table)
{
    char words[GRACO_ADVICE];
    for (int i = 1; i < table->count; i++) {
        const graco_eval_comparison *against = &table->against[i];
        printf("%s - %s: %+.2f points", table->row[0].name, table->row[i].name,
               against->difference);
        if (isfinite(against->error))
            printf(", standard error %.2f", against->error);
        printf("\n");
    }
    if (advise(words, table))
        printf("%s\n", words);
}

static void print_text(const struct table *table, const struct request *request,
                       const graco_dataset *data)
{
    const graco_eval_result *first = &table->row[0].results[0];
    int width = 10;
    for (int i = 0; i < table->count; i++)
        width = (int)strlen(table->row[i].name) > width ? (int)strlen(table->row[i].name) : width;
    printf("%s over %" PRId64 " split%s, protocol %s\n", first->metric, first->splits,
           first->splits == 1 ? "" : "s", request->protocol);
    for (int i = 0; i < table->count; i++) {
        const struct scoring *row = &table->row[i];
        char text[64];
        printf("%-*s  %6.2f", width, row->name, row->all.mean);
        if (row->all.scores > 1)
            printf(" ± %.2f", row->all.deviation);
        printf("   macro-F1 %.2f", row->all.macro_f1);
        if (!isnan(row->results[0].C[0])) /* a regression chose it */
            printf("   C %s", chosen_C(text, row));
        if (row->runs > 1)
            printf("   %" PRId64 " runs", row->runs);
        printf("%s%s\n", row->with_features ? "   with features" : "",
               row->all.converged ? "" : "   NOT CONVERGED");
    }
    print_comparison(table);
    int shown = request->list ? table->count : table->embeddings;
    for (int i = 0; request->confusion && i < shown; i++)
        print_confusion(&table->row[i], data);
    print_notes(table);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_row(struct writer *json, const struct scoring *row)
{
    graco_eval_write(json, row->name, row->results, row->runs, &row->options);
}

/* The first row, with the others and how they compare. */
static void write_all(struct writer *json, const struct table *table)
{
    char words[GRACO_ADVICE];
    writer_open(json, NULL, '{');
    write_row(json, &table->row[0]);
    writer_open(json, "compared_with", '[');
    for (int i = 1; i < table->count; i++) {
        writer_open(json, NULL, '{');
        write_row(json, &table->row[i]);
        writer_real(json, "difference", table->against[i].difference);
        writer_real(json, "difference_error", table->against[i].error);
        writer_close(json);
    }
    writer_close(json);
    if (advise(words, table))
        writer_string(json, "advice", words);
    writer_close(json);
}

static graco_status keep_all(const struct table *table)
{
    graco_status status = GRACO_OK;
    for (int i = 0; status == GRACO_OK && i < table->count; i++)
        status = scoring_keep(&table->row[i]);
    return status;
}

static int run(const struct command *command, struct request *request)
{
    struct table table = {0};
    graco_dataset *data = NULL;
    int code = EXIT_FAILED;
    int count = command->count - 1;
    graco_run *runs[COMMAND_ARGUMENTS_MAX] = {NULL};
    graco_status status = runs_open(runs, command->arguments, count);
    if (status == GRACO_OK)
        status = loading_dataset(&data, command->arguments[count], &request->load,
                                 runs_first(runs, count), request->json);
    if (status == GRACO_OK)
        status = score_all(&table, runs, count, request, data);
    if (status == GRACO_OK) {
        struct writer json = {0};
        if (request->json)
            write_all(&json, &table);
        else
            print_text(&table, request, data);
        code = request->json ? output_json(&json) : output_finish();
        writer_clear(&json);
    }
    /* Neither a failure to print nor one to save costs the other; the first is reported. */
    if (status == GRACO_OK) {
        graco_status saved = keep_all(&table);
        status = code == 0 ? saved : GRACO_OK;
    }
    if (status != GRACO_OK)
        code = output_failure(status);
    for (int i = 0; i < table.count; i++)
        scoring_clear(&table.row[i]);
    for (int i = 0; i < count; i++)
        graco_run_free(runs[i]);
    graco_dataset_free(data);
    return code;
}

/* Checks what options ask for together, and runs the task. */
static int run_task(const struct command *command, struct request *request)
{
    bool classify = strcmp(request->task, task_word(0)) == 0;
    if (!read_baselines(request->baseline, request->list))
        return EXIT_USAGE;
    if (command->count == 1 && (!request->list || request->baseline[NONE])) {
        output_error("eval: only a data set was given; expected embeddings before it, or "
                     "--baseline raw,propagate");
        return EXIT_USAGE;
    }
    if (!classify && request->list) {
        output_error("eval: --baseline goes with --task classify only");
        return EXIT_USAGE;
    }
    if (!classify)
        return task_run(command, &(struct task_request){.task = request->task,
                                                        .json = request->json,
                                                        .seed = (uint64_t)request->seed,
                                                        .clusters = request->clusters,
                                                        .threads = request->options.threads,
                                                        .load = &request->load});
    request->options.seed = (uint64_t)request->seed;
    request->options.protocol =
        (graco_protocol)options_place(graco_protocol_name, request->protocol);
    return run(command, request);
}

int cmd_eval(int argc, char **argv)
{
    struct request request = {
        .task = task_word(0), .protocol = "paper", .options = graco_eval_defaults()};
    request.options.device = "auto";
    const char *protocols[OPTION_WORDS_MAX], *devices[OPTION_WORDS_MAX], *tasks[OPTION_WORDS_MAX];
    const struct option options[] = {
        OPTION_ROW_CHOICE("task", "NAME", &request.task, options_words(tasks, task_word),
                          "classify: by labels; cluster: by k-means; link: by links held out"),
        OPTION_ROW_INTEGER("clusters", "K", &request.clusters, 0, INT32_MAX,
                           "of --task cluster; 0: as many as classes"),
        OPTION_ROW_CHOICE("protocol", "NAME", &request.protocol,
                          options_words(protocols, graco_protocol_name),
                          "paper: 10/10/80; authors: 10/90, cross-validated; public: own split"),
        OPTION_ROW_INTEGER("splits", "K", &request.options.splits, 1, 1000000, "random splits"),
        OPTION_ROW_INTEGER("seed", "N", &request.seed, 0, INT64_MAX, "seed of the splits"),
        OPTION_ROW_TEXT("splits-file", 0, "FILE", &request.splits_file,
                        "use the splits in this .npy file; written if it is not there"),
        {OPTION_ROW("baseline", 0, "LIST", OPTION_TEXT, &request.list,
                    "raw (all features), propagate (averaged over neighbours), untrained (encoder),"
                    " none; without it raw and propagate, where there are features"),
         .choices = baselines},
        OPTION_ROW_FLAG("with-features", 0, &request.options.with_features,
                        "put the features beside the embeddings, both halves of equal length"),
        OPTION_ROW_FLAG("confusion", 0, &request.confusion, "print the confusion matrix"),
        OPTION_ROW_CHOICE("device", "NAME", &request.options.device,
                          settings_words(devices, "device"),
                          "auto: a GPU if there is one and the work is large; cpu; cuda"),
        OPTION_ROW_INTEGER("threads", "N", &request.options.threads, 0, 1024,
                           "threads; 0: one per core"),
        OPTION_ROW_FLAG("json", 0, &request.json, "print one JSON object"),
        LOADING_OPTIONS(request.load),
        {0},
    };
    struct command command = {
        .name = "eval",
        .synopsis = "[EMBEDDINGS ...] DATASET",
        .summary =
            "Scores embeddings by logistic regression on the labels of DATASET, in percent.\n"
            "EMBEDDINGS are .npy files or run folders, which get an eval.json (another task\n"
            "an eval-cluster.json or eval-link.json); all of them see the same splits, and\n"
            "the first is compared with each of the others, and with the features of DATASET,\n"
            "raw and averaged over neighbours (propagate). DATASET is read as the first\n"
            "run's data were; a run that was trained on other data is refused.",
        .options = options,
        .min_arguments = 1,
        .max_arguments = COMMAND_ARGUMENTS_MAX,
    };
    int code = options_begin(&command, argc, argv);
    return code >= 0 ? code : run_task(&command, &request);
}
