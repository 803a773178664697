/* Scores have two decimals, their errors too; other numbers as many digits as they need. A true minus, and a dash
 * where there is no number, since a hyphen reads as neither. */
#include "report/scores.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLUS_MINUS " \xC2\xB1 "
#define MINUS "\xE2\x88\x92"
#define DASH "\xE2\x80\x93"

void score_error(char words[SCORE_WORDS], const struct summary *summary, bool percent)
{
    char error[32] = "", spread[32] = "";
    if (!isnan(summary->error))
        number_print(error, sizeof error, percent ? PLUS_MINUS "%.2f" : PLUS_MINUS "%.2g",
                     summary->error);
    if (!isnan(summary->spread))
        number_print(spread, sizeof spread, percent ? " (%.1f)" : " (%.2g)", summary->spread);
    snprintf(words, SCORE_WORDS, "%s%s", error, spread);
}

void score_mean(char words[SCORE_WORDS], const struct summary *summary, bool percent)
{
    if (summary->seeds == 0)
        snprintf(words, SCORE_WORDS, DASH);
    else
        number_print(words, SCORE_WORDS, percent ? "%s%.2f" : "%s%.5g",
                     summary->mean < 0 ? MINUS : "", fabs(summary->mean));
}

void score_whole(char words[SCORE_WHOLE], const struct summary *summary, bool percent)
{
    char mean[SCORE_WORDS], error[SCORE_WORDS];
    score_mean(mean, summary, percent);
    score_error(error, summary, percent);
    snprintf(words, SCORE_WHOLE, "%s%s", mean, error);
}

void score_difference(char words[SCORE_WORDS], double difference, double error)
{
    char behind[32] = "";
    words[0] = 0;
    if (isnan(difference))
        return;
    if (!isnan(error))
        number_print(behind, sizeof behind, PLUS_MINUS "%.2f", error);
    const char *sign = difference <= -0.005 ? MINUS : difference >= 0.005 ? "+" : "";
    number_print(words, SCORE_WORDS, "%s%.2f%s", sign, fabs(difference), behind);
}

enum sheet_mark score_mark(double difference, double error)
{
    static const enum sheet_mark marks[] = {SHEET_NONE, SHEET_WITHIN, SHEET_ABOVE, SHEET_BELOW};
    return marks[statistics_verdict(difference, error)];
}

const char *score_metric(const char *metric)
{
    return strcmp(metric, "micro_f1") == 0   ? "micro-F1"
           : strcmp(metric, "macro_f1") == 0 ? "macro-F1"
                                             : metric;
}

void score_count(struct score_counts *counts, const struct summary *summary)
{
    const int64_t found[2] = {summary->seeds, summary->splits};
    int64_t *ranges[2] = {counts->seeds, counts->splits};
    for (int i = 0; i < 2 && summary->seeds > 0; i++) {
        ranges[i][0] = ranges[i][0] == 0 || found[i] < ranges[i][0] ? found[i] : ranges[i][0];
        ranges[i][1] = found[i] > ranges[i][1] ? found[i] : ranges[i][1];
    }
}

/* "20 seeds", "1 to 20 seeds". */
static void add_range(struct text *out, const int64_t range[2], const char *what)
{
    if (range[0] != range[1])
        text_print(out, "%lld to ", (long long)range[0]);
    text_print(out, "%lld %s%s", (long long)range[1], what, range[1] == 1 ? "" : "s");
}

void score_counts_words(struct text *out, const struct score_counts *counts)
{
    if (counts->seeds[1] == 0) {
        text_add(out, "Nothing was run here.");
    } else if (counts->seeds[1] == 1) {
        text_add(out, "Ours: one seed, so there is no standard error");
    } else {
        text_add(out, "Ours: mean \xC2\xB1 standard error over ");
        add_range(out, counts->seeds, "seed");
    }
    if (counts->splits[1] > 1) {
        text_add(out, "; in parentheses the spread (deviation) over ");
        add_range(out, counts->splits, "split");
    }
    text_add(out, counts->seeds[1] == 0 ? "" : ".");
}
