/* What the paper claims, held against paired differences: two methods on the same data set, seed
 * and split. Then the cells that differ from the paper, with what was tried to explain them. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLAIMS_MAX = 32, WORDS_MAX = 160 };

/* What a pair of cells says of a claim. */
enum judgement { UNKNOWN, UNDECIDED, HOLDS, FAILS, JUDGEMENTS };

/* A claim, judged on each set. */
struct judged {
    const struct claim *claim;
    int count, of[JUDGEMENTS]; /* sets, and those with each judgement */
    struct paired paired[SETS];
    const char *label[SETS]; /* "look-alike" or "quick", where the samples are; NULL: not judged */
};

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

/* The cell that a claim names on a set; NULL: it has none. */
static const struct score_cell *find_cell(const struct report *report, const struct claim *claim,
                                          bool better, int set)
{
    const char *label = better ? "GRACE" : claim->other;
    int at = better ? claim->at : claim->other_at;
    for (int i = 0; i < report->count; i++) {
        const struct cell *cell = &report->cells[i];
        bool named = cell->set == set && strcmp(cell->item->name, claim->item) == 0 &&
                     strcmp(cell->label, label) == 0;
        if (named &&
            (at == 0 || (cell->column == at - 1 && (!cell->item->sweep->y || cell->row == at - 1))))
            return &report->shown[i];
    }
    return NULL;
}

/* Judges a claim on a set, if both cells have samples with a seed in common: a row of the table of all pairs. */
static void judge(struct judged *out, struct sheet *numbers, const struct report *report, int set)
{
    static const char *const words[] = {"no standard error", "undecided", "holds", "does not hold"};
    const struct claim *claim = out->claim;
    const struct score_cell *better = find_cell(report, claim, true, set);
    const struct score_cell *worse = find_cell(report, claim, false, set);
    int64_t first[2], count[2];
    if (!better || !worse)
        return;
    count[0] = results_range(&first[0], report->results, better->key);
    count[1] = results_range(&first[1], report->results, worse->key);
    struct paired paired =
        statistics_paired(report->scores + first[0], count[0], report->scores + first[1], count[1]);
    if (paired.seeds == 0)
        return;
    enum judgement judgement = judge_difference(&paired, claim->equal);
    out->count++;
    out->of[judgement]++;
    out->paired[set] = paired;
    out->label[set] = better->label;
    sheet_words(numbers, claim->text);
    sheet_words(numbers, manifest_sets[set].name);
    sheet_words(numbers, better->key);
    sheet_words(numbers, worse->key);
    sheet_number(numbers, paired.difference, 3);
    sheet_number(numbers, paired.error, 3);
    sheet_number(numbers, (double)paired.seeds, 0);
    sheet_number(numbers, (double)paired.splits, 0);
    sheet_number(numbers, (double)paired.pairs, 0);
    sheet_number(numbers, (double)paired.higher, 0);
    sheet_words(numbers, words[judgement]);
    sheet_words(numbers, *better->label ? better->label : "run");
}

/* Whether the claim holds, in words. */
static void verdict_words(char words[WORDS_MAX], const struct judged *judged)
{
    int n = judged->count, holds = judged->of[HOLDS], fails = judged->of[FAILS];
    if (judged->of[UNKNOWN] == n)
        snprintf(words, WORDS_MAX, "one seed: not decided");
    else if (holds == n)
        snprintf(words, WORDS_MAX, "holds");
    else if (fails == n)
        snprintf(words, WORDS_MAX, "does not hold");
    else if (holds + fails == 0)
        snprintf(words, WORDS_MAX, "undecided");
    else if (fails == 0)
        snprintf(words, WORDS_MAX, "holds in %d of %d, else undecided", holds, n);
    else
        snprintf(words, WORDS_MAX, "holds in %d of %d, fails in %d", holds, n, fails);
}

/* The claims that something was found about, a row each; a column for each set that some claim is judged on. */
static void fill_claims(struct sheet *table, const struct judged *judged, int claims)
{
    bool used[SETS] = {false};
    sheet_column(table, "", "claim", false);
    sheet_column(table, "", "here", false);
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < claims; i++)
            used[set] = used[set] || judged[i].label[set];
        if (used[set])
            sheet_column(table, "", manifest_sets[set].name, true);
    }
    for (const struct judged *j = judged; j < judged + claims; j++) {
        char words[WORDS_MAX], difference[SCORE_WORDS] = "";
        if (j->count == 0)
            continue;
        verdict_words(words, j);
        sheet_words(table, j->claim->text);
        sheet_add(table, &(struct sheet_entry){.words = words, .strong = true});
        for (int set = 0; set < SETS; set++) {
            const struct paired *paired = &j->paired[set];
            struct sheet_entry entry = {.words = ""};
            if (j->label[set]) {
                score_difference(difference, paired->difference, paired->error);
                entry = (struct sheet_entry){.words = difference,
                                             .label = j->label[set],
                                             .mark = score_mark(paired->difference, paired->error)};
            }
            if (used[set])
                sheet_add(table, &entry);
        }
    }
}

static void begin_numbers(struct sheet *numbers)
{
    static const struct {
        const char *name;
        bool number;
    } columns[] = {{"claim", false},    {"set", false},       {"better", false},
                   {"worse", false},    {"difference", true}, {"standard error over seeds", true},
                   {"seeds", true},     {"splits", true},     {"pairs", true},
                   {"higher in", true}, {"verdict", false},   {"label", false}};
    numbers->title = "Every paired difference";
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(numbers, "", columns[i].name, columns[i].number);
}

void report_claims(struct report *report)
{
    struct document *document = &report->document;
    struct sheet table = {.title = "The paper\xE2\x80\x99s claims"}, numbers = {0};
    struct judged judged[CLAIMS_MAX] = {0};
    struct text untested = {0};
    int claims = 0;
    begin_numbers(&numbers);
    for (const struct claim *claim = manifest_claims; claim->text; claim++) {
        judged[claims].claim = claim;
        for (int set = 0; set < SETS; set++)
            judge(&judged[claims], &numbers, report, set);
        if (judged[claims++].count == 0)
            text_print(&untested, "%s%s",
                       untested.length > 0 ? "; " : "Not tested here: ", claim->text);
    }
    text_add(&untested, untested.length > 0 ? "." : "");
    fill_claims(&table, judged, claims);
    document_section(document, "claims", "What the paper claims");
    if (table.cell_count > 0)
        document_table(
            document, &table,
            "Differences in points, paired by seed and split: mean \xC2\xB1 its standard "
            "error over seeds. \xE2\x96\xB2 above and \xE2\x96\xBC below zero by more than "
            "two standard errors, \xE2\x89\x88 between. One seed has no standard error, and "
            "decides nothing.");
    document_paragraph(document, text_words(&untested));
    document_numbers(document, "claims", &numbers);
    document_keep(document, text_status(&untested));
    text_clear(&untested);
    sheet_clear(&table);
    sheet_clear(&numbers);
}

/* ---- Explanations ---------------------------------------------------------------------------- */

/* One cell that differs: where it stands, both numbers, and what was tried. */
static void explain(struct sheet *table, const struct score_cell *shown, const char *tried)
{
    char ours[SCORE_WORDS], error[SCORE_WORDS], difference[SCORE_WORDS];
    score_mean(ours, &shown->ours, !shown->value);
    score_error(error, &shown->ours, !shown->value);
    score_difference(difference, shown->difference, NAN);
    sheet_words(table, shown->set);
    sheet_words(table, shown->method);
    sheet_add(table, &(struct sheet_entry){.words = ours, .more = error});
    sheet_print(table, "%.1f", shown->paper);
    sheet_add(table, &(struct sheet_entry){.words = difference, .mark = shown->mark});
    sheet_add(table, &(struct sheet_entry){.words = tried ? tried : "",
                                           .more = tried ? "" : "nothing yet"});
}

void report_explanations(struct report *report)
{
    static const char *const columns[] = {"set",   "method",   "ours",
                                          "paper", "\xCE\x94", "what was tried to explain it"};
    struct sheet table = {.title = "Where we differ"};
    char caption[256] = "";
    int close = 0; /* cells beyond two standard errors, but so close that nobody needs to ask why */
    for (int i = 0; i < 6; i++)
        sheet_column(&table, "", columns[i], i >= 2 && i <= 4);
    for (int i = 0; i < report->count; i++) {
        const struct score_cell *shown = &report->shown[i];
        const char *tried = report_explanation(shown->key);
        if (!report_beyond(shown))
            continue;
        if (tried || shown->mark == SHEET_ABOVE || shown->mark == SHEET_BELOW)
            explain(&table, shown, tried);
        else
            close++;
    }
    if (close > 0)
        snprintf(caption, sizeof caption,
                 "%d more cell%s by more than two standard errors, but by at most 0.5 points.",
                 close, close == 1 ? " differs" : "s differ");
    if (table.cell_count > 0) {
        document_section(&report->document, "explanations", "Where we differ from the paper");
        document_paragraph(&report->document,
                           "Cells that are more than two standard errors over seeds and 0.5 "
                           "points away from the paper\xE2\x80\x99s value.");
        document_table(&report->document, &table, caption);
    }
    document_keep(&report->document, text_status(&table.words));
    sheet_clear(&table);
}
