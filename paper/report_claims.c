/* What the paper claims, held against paired differences: two methods on the same data set, seed
 * and split. A claim names the keys of both sides; those of one data set are paired. */
#include "report.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETS_MAX = 12, WORDS_MAX = 160 };

/* The pairs of a claim on one data set: the one that speaks least for it, and how many there
 * are. */
struct on_set {
    const char *set;
    const char *label; /* "look-alike" or "quick", where the samples are */
    struct paired least;
    int64_t pairs;
};

/* What a pair of keys says of a claim. */
enum judgement { UNKNOWN, UNDECIDED, HOLDS, FAILS, JUDGEMENTS };

/* A claim, judged. */
struct judged {
    int64_t count, of[JUDGEMENTS]; /* pairs of keys, and those with each judgement */
    int64_t set_count;
    struct on_set sets[SETS_MAX];
};

/* The samples of a key. */
struct samples_of {
    int64_t first, count;
    const char *set, *label; /* "" without samples */
};

static struct samples_of find(const struct results *results, const char *key)
{
    struct samples_of out = {.set = "", .label = ""};
    const struct results_key *known = results_key(results, key);
    results_find(&out.first, &out.count, results, key);
    if (known)
        out.set = known->set;
    if (known && known->state != RESULTS_RUN)
        out.label = results_state_name(known->state);
    return out;
}

/* Two keys that were compared, by the first samples of each. */
struct comparisons {
    int64_t count;
    struct {
        int64_t better, worse;
        struct paired paired;
    } at[RESULTS_CLAIMS * RESULTS_CLAIM_KEYS];
};

/* Compares two keys, once: claims may name the same again and again. */
static struct paired compare(struct comparisons *known, const struct results *results,
                             const struct samples_of *better, const struct samples_of *worse)
{
    int64_t i = 0;
    while (i < known->count &&
           (known->at[i].better != better->first || known->at[i].worse != worse->first))
        i++;
    if (i == known->count) {
        known->at[known->count].better = better->first;
        known->at[known->count].worse = worse->first;
        known->at[known->count++].paired =
            statistics_paired(&results->scores[better->first], better->count,
                              &results->scores[worse->first], worse->count);
    }
    return known->at[i].paired;
}

/* A difference of at most half a point is none, for a claim that two score the same. */
static enum judgement judge_difference(const struct paired *paired, bool equal)
{
    switch (statistics_verdict(paired->difference, paired->error)) {
    case VERDICT_HIGHER:
        return !equal || paired->difference <= REPORT_POINTS ? HOLDS : FAILS;
    case VERDICT_LOWER:
        return equal && paired->difference >= -REPORT_POINTS ? HOLDS : FAILS;
    case VERDICT_SAME:
        return equal ? HOLDS : UNDECIDED;
    default:
        return UNKNOWN;
    }
}

/* Keeps what speaks least for the claim on each set. */
static void keep_least(struct judged *out, const struct samples_of *samples,
                       const struct paired *paired, bool equal)
{
    int64_t s = 0;
    while (s < out->set_count && strcmp(out->sets[s].set, samples->set) != 0)
        s++;
    if (s == SETS_MAX)
        return;
    if (s == out->set_count) {
        out->sets[s] =
            (struct on_set){.set = samples->set, .label = samples->label, .least = *paired};
        out->set_count++;
    }
    out->sets[s].pairs++;
    double least = out->sets[s].least.difference, here = paired->difference;
    if (equal ? fabs(here) > fabs(least) : here < least)
        out->sets[s].least = *paired;
}

/* A row of the table of every pair. */
static void add_row(struct sheet *numbers, const char *const words[6], const struct paired *paired)
{
    for (int i = 0; i < 4; i++)
        sheet_words(numbers, words[i]);
    sheet_number(numbers, paired->difference, 3);
    sheet_number(numbers, paired->error, 3);
    sheet_number(numbers, (double)paired->seeds, 0);
    sheet_number(numbers, (double)paired->splits, 0);
    sheet_number(numbers, (double)paired->pairs, 0);
    sheet_number(numbers, (double)paired->higher, 0);
    sheet_words(numbers, words[4]);
    sheet_words(numbers, words[5]);
}

/* Two keys of a claim: compared if both have samples of one set, with a seed in common. */
static void judge_keys(struct judged *out, struct sheet *numbers, struct comparisons *known,
                       const struct results *results, const struct results_claim *claim,
                       const int64_t at[2])
{
    static const char *const words[] = {"no standard error", "undecided", "holds", "does not hold"};
    const char *keys[2] = {claim->better.at[at[0]], claim->worse.at[at[1]]};
    struct samples_of better = find(results, keys[0]), worse = find(results, keys[1]);
    if (better.count == 0 || worse.count == 0 || strcmp(better.set, worse.set) != 0)
        return;
    struct paired paired = compare(known, results, &better, &worse);
    if (paired.seeds == 0)
        return;
    enum judgement judgement = judge_difference(&paired, claim->equal);
    out->count++;
    out->of[judgement]++;
    keep_least(out, &better, &paired, claim->equal);
    add_row(numbers,
            (const char *[]){claim->text, better.set, keys[0], keys[1], words[judgement],
                             *better.label ? better.label : "run"},
            &paired);
}

static void judge(struct judged *out, struct sheet *numbers, struct comparisons *known,
                  const struct results *results, const struct results_claim *claim)
{
    int64_t better = claim->better.count, worse = claim->worse.count;
    int64_t count = better == 0 || worse == 0 ? 0 : better > worse ? better : worse;
    *out = (struct judged){0};
    for (int64_t i = 0; i < count; i++)
        judge_keys(out, numbers, known, results, claim,
                   (int64_t[]){better == 1 ? 0 : i, worse == 1 ? 0 : i});
}

/* Whether the claim holds, in words. */
static void verdict_words(char words[WORDS_MAX], const struct judged *judged)
{
    long long n = judged->count, holds = judged->of[HOLDS], fails = judged->of[FAILS];
    if (judged->of[UNKNOWN] == n)
        snprintf(words, WORDS_MAX, "one seed: not decided");
    else if (holds == n)
        snprintf(words, WORDS_MAX, "holds");
    else if (fails == n)
        snprintf(words, WORDS_MAX, "does not hold");
    else if (holds + fails == 0)
        snprintf(words, WORDS_MAX, "undecided");
    else if (fails == 0)
        snprintf(words, WORDS_MAX, "holds in %lld of %lld, else undecided", holds, n);
    else
        snprintf(words, WORDS_MAX, "holds in %lld of %lld, fails in %lld", holds, n, fails);
}

/* The union of the claims' sets, in the order in which they come. */
static int64_t list_sets(const char *sets[SETS_MAX], const struct judged *judged, int64_t count)
{
    int64_t found = 0;
    for (int64_t c = 0; c < count; c++)
        for (int64_t s = 0; s < judged[c].set_count; s++) {
            int64_t known = 0;
            while (known < found && strcmp(sets[known], judged[c].sets[s].set) != 0)
                known++;
            if (known == found && found < SETS_MAX)
                sets[found++] = judged[c].sets[s].set;
        }
    return found;
}

static void add_difference(struct sheet *table, const struct judged *judged, const char *set)
{
    static const enum sheet_mark marks[] = {SHEET_NONE, SHEET_WITHIN, SHEET_ABOVE, SHEET_BELOW};
    for (int64_t s = 0; s < judged->set_count; s++)
        if (strcmp(judged->sets[s].set, set) == 0) {
            const struct on_set *on = &judged->sets[s];
            char words[REPORT_NUMBER], label[64];
            report_difference(words, on->least.difference, on->least.error);
            if (on->pairs > 1)
                snprintf(label, sizeof label, "%s%sleast of %lld", on->label,
                         *on->label ? ", " : "", (long long)on->pairs);
            else
                snprintf(label, sizeof label, "%s", on->label);
            enum verdict verdict = statistics_verdict(on->least.difference, on->least.error);
            sheet_add(table, &(struct sheet_entry){
                                 .words = words, .label = label, .mark = marks[verdict]});
            return;
        }
    sheet_words(table, "");
}

static void begin_numbers(struct sheet *numbers)
{
    static const char *const words[] = {"claim", "set", "better", "worse"};
    static const char *const columns[] = {
        "difference", "standard error over seeds", "seeds", "splits", "pairs", "higher in"};
    numbers->title = "Every paired difference";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sheet_column(numbers, "", words[i], false);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(numbers, "", columns[i], true);
    sheet_column(numbers, "", "verdict", false);
    sheet_column(numbers, "", "label", false);
}

/* The claims that something was found about, a row each. */
static void fill_claims(struct sheet *table, const struct results *results,
                        const struct judged *judged)
{
    const char *sets[SETS_MAX];
    int64_t set_count = list_sets(sets, judged, results->claim_count);
    sheet_column(table, "", "claim", false);
    sheet_column(table, "", "here", false);
    for (int64_t s = 0; s < set_count; s++)
        sheet_column(table, "", sets[s], true);
    for (int64_t i = 0; i < results->claim_count; i++) {
        char words[WORDS_MAX];
        if (judged[i].count == 0)
            continue;
        verdict_words(words, &judged[i]);
        sheet_words(table, results->claims[i].text);
        sheet_add(table, &(struct sheet_entry){.words = words, .strong = true});
        for (int64_t s = 0; s < set_count; s++)
            add_difference(table, &judged[i], sets[s]);
    }
}

/* The others, in a sentence. */
static void name_untested(struct report *report, const struct judged *judged)
{
    const struct results *results = report->results;
    struct text words = {0};
    for (int64_t i = 0; i < results->claim_count; i++)
        if (judged[i].count == 0) {
            text_add(&words, words.length > 0 ? "; " : "Not tested here: ");
            text_add(&words, results->claims[i].text);
        }
    text_add(&words, words.length > 0 ? "." : "");
    report_paragraph(report, text_words(&words));
    if (report->status == GRACO_OK)
        report->status = text_status(&words);
    text_clear(&words);
}

void report_claims(struct report *report)
{
    const struct results *results = report->results;
    struct sheet table = {.title = "The paper\xE2\x80\x99s claims"}, numbers = {0};
    struct judged judged[RESULTS_CLAIMS];
    struct comparisons *known = NULL;
    if (results->claim_count == 0 || report->status != GRACO_OK)
        return;
    report->status = memory_zalloc(&known, 1, sizeof *known);
    if (report->status != GRACO_OK)
        return;
    begin_numbers(&numbers);
    for (int64_t i = 0; i < results->claim_count; i++)
        judge(&judged[i], &numbers, known, results, &results->claims[i]);
    memory_free(known);
    fill_claims(&table, results, judged);
    report_section(report, "claims", "What the paper claims");
    if (table.cell_count > 0)
        report_table(
            report, &table,
            "Differences in points, paired by seed and split: mean \xC2\xB1 its standard "
            "error over seeds. \xE2\x96\xB2 above and \xE2\x96\xBC below zero by more than "
            "two standard errors, \xE2\x89\x88 between. One seed has no standard error, and "
            "decides nothing.");
    name_untested(report, judged);
    report_numbers(report, "claims", &numbers);
    sheet_clear(&table);
    sheet_clear(&numbers);
}

/* ---- Explanations ---------------------------------------------------------------------------- */

/* One cell that differs: where it stands, both numbers, and what was tried. */
static void explain(struct sheet *table, const struct results *results,
                    const struct results_item *item, const struct results_cell *cell)
{
    const char *tried = results_explanation(results, cell->key);
    struct comparison c = report_compare(cell);
    char ours[REPORT_NUMBER], error[REPORT_NUMBER], paper[REPORT_NUMBER], difference[REPORT_NUMBER];
    report_paper(paper, cell->paper);
    report_mean(ours, &c.ours, c.scores);
    report_error(error, &c.ours, c.scores);
    report_difference(difference, c.difference, NAN);
    sheet_words(table, item->columns.at[cell->column]);
    sheet_words(table, item->rows.at[cell->row]);
    sheet_add(table, &(struct sheet_entry){.words = ours, .more = error});
    sheet_words(table, paper);
    sheet_add(table, &(struct sheet_entry){.words = difference, .mark = c.mark});
    sheet_add(table, &(struct sheet_entry){.words = tried ? tried : "",
                                           .more = tried ? "" : "nothing yet"});
}

/* The cells that differ go to the table. Returns how many more are beyond two standard errors, but
 * so close that nobody needs to ask why. */
static int64_t find_differing(struct sheet *table, const struct results *results)
{
    int64_t close = 0;
    for (int64_t i = 0; i < results->item_count; i++) {
        const struct results_item *item = &results->items[i];
        for (int64_t k = 0; item->kind == RESULTS_TABLE && k < item->cells.count; k++) {
            const struct results_cell *cell = &item->cells.at[k];
            struct comparison c = report_compare(cell);
            bool differs = c.mark == SHEET_ABOVE || c.mark == SHEET_BELOW;
            if (c.beyond && (differs || results_explanation(results, cell->key)))
                explain(table, results, item, cell);
            else
                close += c.beyond;
        }
    }
    return close;
}

void report_explanations(struct report *report)
{
    struct sheet table = {.title = "Where we differ"};
    char caption[256] = "";
    sheet_column(&table, "", "set", false);
    sheet_column(&table, "", "method", false);
    sheet_column(&table, "", "ours", true);
    sheet_column(&table, "", "paper", true);
    sheet_column(&table, "", "\xCE\x94", true);
    sheet_column(&table, "", "what was tried to explain it", false);
    long long close = (long long)find_differing(&table, report->results);
    if (table.cell_count > 0) {
        if (close > 0)
            snprintf(
                caption, sizeof caption,
                "%lld more cell%s by more than two standard errors, but by at most 0.5 points.",
                close, close == 1 ? " differs" : "s differ");
        report_section(report, "explanations", "Where we differ from the paper");
        report_paragraph(report, "Cells that are more than two standard errors over seeds and 0.5 "
                                 "points away from the paper\xE2\x80\x99s value.");
        report_table(report, &table, caption);
    }
    if (report->status == GRACO_OK)
        report->status = text_status(&table.words);
    sheet_clear(&table);
}
