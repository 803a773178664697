/* Scores over seeds and splits as words and cells of a table: "82.96 ± 0.06 (1.3)". */
#ifndef REPORT_SCORES_H
#define REPORT_SCORES_H

#include "report/sheet.h"
#include "report/statistics.h"

enum { SCORE_WORDS = 96, SCORE_WHOLE = 2 * SCORE_WORDS };

/* A mean, "82.96"; its error and spread, " ± 0.06 (1.3)"; and both together. A dash without a seed.
 * `percent`: a score; else any number, with as many digits as it needs. */
void score_mean(char words[SCORE_WORDS], const struct summary *summary, bool percent);
void score_error(char words[SCORE_WORDS], const struct summary *summary, bool percent);
void score_whole(char words[SCORE_WHOLE], const struct summary *summary, bool percent);

/* A difference: "+0.25 ± 0.10", with a true minus; without an error that is NaN. "" for NaN. */
void score_difference(char words[SCORE_WORDS], double difference, double error);

/* The mark of a difference: within two standard errors, above or below; none where that is not known. */
enum sheet_mark score_mark(double difference, double error);

/* What a metric is called on a page. */
const char *score_metric(const char *metric);

/* "over 20 seeds and 20 splits": the fewest and the most of some summaries. Zero it to begin. */
struct score_counts {
    int64_t seeds[2], splits[2];
};

void score_count(struct score_counts *counts, const struct summary *summary);

/* Adds how the means of "ours" were made to a caption. */
void score_counts_words(struct text *out, const struct score_counts *counts);

#endif
