/* Scores of runs: what a linear classifier reads off the embeddings, which classes it takes for
 * each other, and whether one run is better than another. */
#include "report/run_report.h"

#include "base/memory.h"
#include "base/number.h"
#include "report/plot.h"
#include "report/scores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* So many runs are all compared with each other; of more, the first is compared with the others. */
enum { ALL_PAIRS = 6 };

bool run_score(double *mean, double *deviation, const struct reported *run)
{
    struct moments scores = {0};
    for (int64_t i = 0; i < run->result_count; i++)
        for (int64_t s = 0; s < run->results[i].splits; s++)
            moments_add(&scores, run->results[i].scores[s]);
    *mean = scores.count > 0 ? scores.mean : (double)NAN;
    *deviation = moments_deviation(&scores);
    return scores.count > 0;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* A baseline's score, and how far the run is above it. */
static void add_baseline(struct sheet *table, const struct reported *run, int b)
{
    char score[PLOT_NUMBER], difference[PLOT_NUMBER], more[2 * PLOT_NUMBER];
    if (b >= run->baseline_count) {
        sheet_words(table, "");
        return;
    }
    const graco_run_baseline *row = &run->baselines[b];
    plot_number(score, row->result->mean, 2);
    plot_number(difference, row->against.difference, 2);
    snprintf(more, sizeof more, " (%s%s)", row->against.difference > 0 ? "+" : "", difference);
    sheet_add(table, &(struct sheet_entry){
                         .words = score,
                         .more = more,
                         .hover = "in brackets: the run minus this, on the same splits",
                         .mark = score_mark(row->against.difference, row->against.error)});
}

/* A line for each run that is not better than what needs no training. */
static void write_advice(struct run_report *report)
{
    char words[GRACO_ADVICE];
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        const graco_run_baseline *best = run->baselines;
        graco_training training = {0};
        for (int b = 1; b < run->baseline_count; b++)
            best = run->baselines[b].result->mean > best->result->mean ? &run->baselines[b] : best;
        if (run->baseline_count > 0 && graco_run_training(&training, run->run, 0) == GRACO_OK &&
            graco_baseline_advice(words, run->name, best->name, &best->against, training.config))
            page_paragraph(&report->page, words);
    }
}

static void write_table(struct run_report *report)
{
    bool baselines = false;
    static const char *const names[] = {"mean", "deviation", "macro-F1", "splits", "seeds"};
    struct sheet table = {.title = "Scores in percent"};
    sheet_column(&table, "", "run", false);
    sheet_column(&table, "", "score", false);
    for (int i = 0; i < 5; i++)
        sheet_column(&table, "", names[i], true);
    sheet_column(&table, "", "protocol", false);
    for (int64_t r = 0; r < report->count; r++)
        baselines = baselines || report->runs[r].baseline_count > 0;
    for (int b = 0; baselines && graco_baseline(b); b++)
        sheet_column(&table, "without training", graco_baseline(b), true);
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        struct moments macro_f1 = {0};
        double mean, deviation;
        if (!run_score(&mean, &deviation, run))
            continue;
        for (int64_t i = 0; i < run->result_count; i++)
            moments_add(&macro_f1, run->results[i].macro_f1);
        sheet_words(&table, run->name);
        sheet_words(&table, run->results[0].multi_label ? "micro-F1" : "accuracy");
        sheet_number(&table, mean, 2);
        sheet_number(&table, deviation, 2);
        sheet_number(&table, macro_f1.mean, 2);
        sheet_number(&table, (double)run->results[0].splits, 0);
        sheet_number(&table, (double)run->result_count, 0);
        sheet_words(&table, graco_protocol_name((int)run->protocol));
        for (int b = 0; baselines && graco_baseline(b); b++)
            add_baseline(&table, run, b);
    }
    page_table(
        &report->page, &table,
        "Scores of test nodes in percent, as graco eval gives them: a logistic regression "
        "on the embeddings, or the classes of a supervised method itself. The deviation is "
        "that over all seeds and splits. Without training: the features of the data set, raw "
        "and averaged over neighbours (propagate), on the same splits; in brackets how far "
        "the run is above them.");
    write_advice(report);
    sheet_clear(&table);
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* The counts of a run's confusion, summed over its seeds. */
static graco_status sum_counts(int64_t **out, const struct reported *run)
{
    const graco_eval_result *first = &run->results[0];
    int64_t size = first->classes * first->confusion_cols;
    PASS(memory_zalloc(out, size, sizeof **out));
    for (int64_t i = 0; i < run->result_count; i++)
        for (int64_t c = 0; c < size && run->results[i].confusion_cols == first->confusion_cols;
             c++)
            (*out)[c] += run->results[i].confusion[c];
    return GRACO_OK;
}

static bool is_square(const graco_eval_result *result)
{
    return !result->multi_label && result->confusion_cols == result->classes;
}

static const char *class_name(char words[PLOT_NAME], const struct reported *run, int64_t index)
{
    const char *name = graco_dataset_class(run->data, run->results[0].class_of[index]);
    if (name)
        plot_name(words, name, PLOT_NAME / 2);
    else
        snprintf(words, PLOT_NAME, "class %d", (int)run->results[0].class_of[index]);
    return words;
}

static void draw_confusion(struct run_report *report, const struct reported *run,
                           const int64_t *counts)
{
    const graco_eval_result *result = &run->results[0];
    const char *names[PLOT_CLASSES];
    for (int64_t k = 0; k < result->classes; k++)
        names[k] = graco_dataset_class(run->data, result->class_of[k]);
    plot_confusion(&report->page.body,
                   &(struct svg_head){.title = run->name,
                                      .about = "Which classes are taken for which, in percent of "
                                               "the nodes of each class.",
                                      .number = page_number(&report->page)},
                   &(struct plot_confusion){.classes = result->classes,
                                            .counts = counts,
                                            .numbers = result->class_of,
                                            .names = run->data->class_names ? names : NULL});
}

/* Precision, recall and F1 of every class. */
static void add_classes(struct sheet *table, const struct reported *run, const int64_t *counts)
{
    const graco_eval_result *result = &run->results[0];
    for (int64_t k = 0; k < result->classes; k++) {
        char name[PLOT_NAME];
        const int64_t *row = counts + k * result->confusion_cols;
        double right = (double)row[is_square(result) ? k : 0], taken = 0, there = 0;
        if (is_square(result))
            for (int64_t c = 0; c < result->classes; c++) {
                there += (double)row[c];
                taken += (double)counts[c * result->classes + k];
            }
        else {
            taken = (double)(row[0] + row[1]);
            there = (double)(row[0] + row[2]);
        }
        sheet_words(table, run->name);
        sheet_words(table, class_name(name, run, k));
        sheet_number(table, there, 0);
        sheet_number(table, taken > 0 ? 100 * right / taken : (double)NAN, 1);
        sheet_number(table, there > 0 ? 100 * right / there : (double)NAN, 1);
        sheet_number(table, taken + there > 0 ? 200 * right / (taken + there) : (double)NAN, 1);
    }
}

static graco_status write_classes(struct run_report *report)
{
    static const char *const names[] = {"test nodes", "precision, %", "recall, %", "F1, %"};
    graco_status status = GRACO_OK;
    struct sheet table = {.title = "Every class"};
    int64_t *counts = NULL, drawn = 0;
    sheet_column(&table, "", "run", false);
    sheet_column(&table, "", "class", false);
    for (int i = 0; i < 4; i++)
        sheet_column(&table, "", names[i], true);
    for (int64_t r = 0; r < report->count; r++) {
        const struct reported *run = &report->runs[r];
        if (run->result_count == 0)
            continue;
        TRY(sum_counts(&counts, run));
        if (is_square(&run->results[0]) && run->results[0].classes <= PLOT_CLASSES) {
            if (drawn++ == 0) {
                page_heading(&report->page, "Which classes are taken for which");
                page_plots_begin(&report->page, false);
            }
            draw_confusion(report, run, counts);
        }
        add_classes(&table, run, counts);
        memory_free(counts);
        counts = NULL;
    }
    if (drawn > 0)
        page_plots_end(&report->page,
                       "A row is a class; its cells are the shares of its test nodes that were "
                       "taken for the class of each column, over all splits and seeds. What is "
                       "right lies on the diagonal.");
    page_folded_table(&report->page, &table, "Over all splits and seeds.");
done:
    memory_free(counts);
    sheet_clear(&table);
    return status;
}

graco_status run_page_scores(struct run_report *report)
{
    int64_t scored = 0;
    for (int64_t r = 0; r < report->count; r++)
        scored += report->runs[r].result_count > 0;
    if (scored == 0)
        return GRACO_OK;
    page_section(&report->page, "scores", "Scores");
    write_table(report);
    return write_classes(report);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

/* Two runs can be compared where they saw the same splits of the same data. */
static bool comparable(const struct reported *a, const struct reported *b)
{
    return a->result_count > 0 && b->result_count > 0 && a->data == b->data &&
           a->protocol == b->protocol && a->split_seed == b->split_seed &&
           a->first_split == b->first_split && a->results[0].splits == b->results[0].splits;
}

/* The scores of a run by ascending seed; `out` has room for them. */
static void order_scores(struct seed_scores *out, const struct reported *run)
{
    for (int64_t i = 0; i < run->result_count; i++) {
        int64_t at = i;
        for (; at > 0 && out[at - 1].seed > run->seeds[i]; at--)
            out[at] = out[at - 1];
        out[at] = (struct seed_scores){.seed = run->seeds[i],
                                       .splits = run->results[i].splits,
                                       .scores = run->results[i].scores};
    }
}

/* Paired by seed and split where two seeds at least are in common; else by split, the seeds of each
 * run averaged first. */
static graco_status compare(struct paired *out, const struct reported *a, const struct reported *b)
{
    struct seed_scores *scores = NULL;
    PASS(memory_alloc(&scores, a->result_count + b->result_count, sizeof *scores));
    order_scores(scores, a);
    order_scores(scores + a->result_count, b);
    *out = statistics_paired(scores, a->result_count, scores + a->result_count, b->result_count);
    memory_free(scores);
    if (out->seeds >= 2)
        return GRACO_OK;
    struct moments differences = {0};
    *out = (struct paired){.splits = a->results[0].splits};
    for (int64_t s = 0; s < out->splits; s++) {
        double mean[2] = {0, 0};
        for (int64_t i = 0; i < a->result_count; i++)
            mean[0] += a->results[i].scores[s] / (double)a->result_count;
        for (int64_t i = 0; i < b->result_count; i++)
            mean[1] += b->results[i].scores[s] / (double)b->result_count;
        moments_add(&differences, mean[0] - mean[1]);
        out->higher += mean[0] > mean[1];
    }
    out->pairs = out->splits;
    out->difference = differences.mean;
    out->error = moments_error(&differences);
    return GRACO_OK;
}

static void add_pair(struct sheet *table, const struct reported *a, const struct reported *b,
                     const struct paired *paired)
{
    enum verdict verdict = statistics_verdict(paired->difference, paired->error);
    char difference[PLOT_NUMBER], signed_words[PLOT_NUMBER + 8], words[PLOT_NAME + 32];
    plot_number(difference, paired->difference, 2);
    snprintf(signed_words, sizeof signed_words, "%s%s", paired->difference > 0 ? "+" : "",
             difference);
    if (verdict == VERDICT_HIGHER || verdict == VERDICT_LOWER)
        snprintf(words, sizeof words, "%s", verdict == VERDICT_HIGHER ? a->name : b->name);
    else
        snprintf(words, sizeof words, "%s",
                 verdict == VERDICT_SAME ? "neither: within two standard errors"
                                         : "not known: there is no standard error");
    sheet_words(table, a->name);
    sheet_words(table, b->name);
    sheet_add(table, &(struct sheet_entry){.words = signed_words,
                                           .mark = score_mark(paired->difference, paired->error)});
    sheet_number(table, paired->error, 2);
    sheet_print(table, "%lld of %lld", (long long)paired->higher, (long long)paired->pairs);
    sheet_words(table, paired->seeds >= 2 ? "seeds" : "splits");
    sheet_add(table,
              &(struct sheet_entry){
                  .words = words, .strong = verdict == VERDICT_HIGHER || verdict == VERDICT_LOWER});
}

/* Adds every pair that can be compared; *found counts them. */
static graco_status add_pairs(struct sheet *table, int64_t *found, struct run_report *report)
{
    for (int64_t a = 0; a < (report->count <= ALL_PAIRS ? report->count : 1); a++)
        for (int64_t b = a + 1; b < report->count; b++) {
            struct paired paired;
            if (!comparable(&report->runs[a], &report->runs[b]))
                continue;
            PASS(compare(&paired, &report->runs[a], &report->runs[b]));
            add_pair(table, &report->runs[a], &report->runs[b], &paired);
            (*found)++;
        }
    return GRACO_OK;
}

graco_status run_page_comparison(struct run_report *report)
{
    static const char *const names[] = {
        "run",        "against", "difference, points", "standard error", "higher in",
        "error over", "better"};
    graco_status status = GRACO_OK;
    struct sheet table = {.title = "Paired differences"};
    int64_t found = 0;
    if (report->count < 2)
        return GRACO_OK;
    for (int i = 0; i < 7; i++)
        sheet_column(&table, "", names[i], i > 1 && i < 5);
    TRY(add_pairs(&table, &found, report));
    page_section(&report->page, "comparison", "Which run is better");
    if (found > 0)
        page_table(
            &report->page, &table,
            "Scores of two runs on the same splits, the second subtracted from the first. One "
            "is better where the mean difference is beyond two standard errors: over the "
            "seeds, where both have two seeds in common; else over the splits, which says "
            "nothing of other seeds.");
    else
        page_paragraph(&report->page,
                       "No two runs have scores on the same splits of the same data set.");
done:
    sheet_clear(&table);
    return status;
}
