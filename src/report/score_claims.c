/* Statements about two methods, held against paired differences on each set: of the same seeds and splits. Whether one
 * holds is said of all sets together, by the judgements on each. */
#include "report/score_table.h"

#include <stdio.h>

enum { WORDS_MAX = 160 };

/* What the difference of two cells says of a claim. */
enum judgement { UNKNOWN, UNDECIDED, HOLDS, FAILS, JUDGEMENTS };

/* A difference of at most half a point is none, for a claim that two score the same. */
static enum judgement judge(const struct paired *paired, bool equal)
{
    switch (statistics_verdict(paired->difference, paired->error)) {
    case VERDICT_HIGHER:
        return !equal || paired->difference <= SCORE_CLOSE ? HOLDS : FAILS;
    case VERDICT_LOWER:
        return equal && paired->difference >= -SCORE_CLOSE ? HOLDS : FAILS;
    case VERDICT_SAME:
        return equal ? HOLDS : UNDECIDED;
    default:
        return UNKNOWN;
    }
}

/* Whether both cells of a claim on a set have scores with a seed in common; *out is then their difference. */
static bool pair(struct paired *out, const struct score_claim *claim, int set)
{
    const struct score_cell *better = claim->better[set], *worse = claim->worse[set];
    if (!better || !worse)
        return false;
    *out =
        statistics_paired(better->scores, better->score_count, worse->scores, worse->score_count);
    return out->seeds > 0;
}

/* A row of the table of all pairs. */
static void add_pair(struct sheet *numbers, const struct score_claim *claim, int set,
                     const struct paired *paired)
{
    static const char *const words[] = {"no standard error", "undecided", "holds", "does not hold"};
    const struct score_cell *better = claim->better[set];
    sheet_words(numbers, claim->text);
    sheet_words(numbers, claim->sets[set]);
    sheet_words(numbers, better->key);
    sheet_words(numbers, claim->worse[set]->key);
    sheet_number(numbers, paired->difference, 3);
    sheet_number(numbers, paired->error, 3);
    sheet_number(numbers, (double)paired->seeds, 0);
    sheet_number(numbers, (double)paired->splits, 0);
    sheet_number(numbers, (double)paired->pairs, 0);
    sheet_number(numbers, (double)paired->higher, 0);
    sheet_words(numbers, words[judge(paired, claim->equal)]);
    sheet_words(numbers, *better->label ? better->label : "run");
}

/* Whether a claim holds, in words, of its judgements on all sets. */
static void verdict_words(char words[WORDS_MAX], const int of[JUDGEMENTS])
{
    int holds = of[HOLDS], fails = of[FAILS];
    int n = of[UNKNOWN] + of[UNDECIDED] + holds + fails;
    if (of[UNKNOWN] == n)
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

/* A row: the claim, its verdict, and its differences on the sets that some claim is judged on. Returns on how many it is
 * judged itself. */
static int add_claim(struct sheet *table, struct sheet *numbers, const struct score_claim *claim,
                     const bool used[SCORE_COLUMNS])
{
    struct paired paired[SCORE_COLUMNS];
    bool there[SCORE_COLUMNS] = {false};
    char words[WORDS_MAX];
    int of[JUDGEMENTS] = {0}, count = 0;
    for (int set = 0; set < SCORE_COLUMNS; set++) {
        there[set] = pair(&paired[set], claim, set);
        if (!there[set])
            continue;
        of[judge(&paired[set], claim->equal)]++;
        add_pair(numbers, claim, set, &paired[set]);
        count++;
    }
    if (count == 0)
        return 0;
    verdict_words(words, of);
    sheet_words(table, claim->text);
    sheet_add(table, &(struct sheet_entry){.words = words, .strong = true});
    for (int set = 0; set < SCORE_COLUMNS; set++) {
        char difference[SCORE_WORDS] = "";
        struct sheet_entry entry = {.words = difference};
        if (there[set]) {
            score_difference(difference, paired[set].difference, paired[set].error);
            entry.label = claim->better[set]->label;
            entry.mark = score_mark(paired[set].difference, paired[set].error);
        }
        if (used[set])
            sheet_add(table, &entry);
    }
    return count;
}

static void begin_columns(struct sheet *table, struct sheet *numbers, bool used[SCORE_COLUMNS],
                          const struct score_claim *claims, int count)
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
    sheet_column(table, "", "claim", false);
    sheet_column(table, "", "here", false);
    for (int set = 0; set < SCORE_COLUMNS; set++) {
        struct paired paired;
        for (int i = 0; i < count; i++)
            used[set] = used[set] || pair(&paired, &claims[i], set);
        if (used[set])
            sheet_column(table, "", claims->sets[set], true);
    }
}

void score_claims(struct document *document, const char *name, const char *title,
                  const struct score_claim *claims, int count)
{
    struct sheet table = {.title = title}, numbers = {0};
    struct text untested = {0};
    bool used[SCORE_COLUMNS] = {false};
    begin_columns(&table, &numbers, used, claims, count);
    for (int i = 0; i < count; i++)
        if (add_claim(&table, &numbers, &claims[i], used) == 0)
            text_print(&untested, "%s%s",
                       untested.length > 0 ? "; " : "Not tested here: ", claims[i].text);
    text_add(&untested, untested.length > 0 ? "." : "");
    if (table.cell_count > 0)
        document_table(
            document, &table,
            "Differences in points, paired by seed and split: mean \xC2\xB1 its standard "
            "error over seeds. \xE2\x96\xB2 above and \xE2\x96\xBC below zero by more than "
            "two standard errors, \xE2\x89\x88 between. One seed has no standard error, and "
            "decides nothing.");
    document_paragraph(document, text_words(&untested));
    document_numbers(document, name, &numbers);
    document_keep(document, text_status(&untested));
    text_clear(&untested);
    sheet_clear(&table);
    sheet_clear(&numbers);
}
