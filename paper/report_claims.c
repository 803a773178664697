/* What the paper claims, held against paired differences; and the cells that differ from the paper, with what was tried to
 * explain them. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLAIMS_MAX = 32 };

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

void report_claims(struct report *report)
{
    struct score_claim claims[CLAIMS_MAX] = {0};
    const char *sets[SCORE_COLUMNS];
    int count = 0;
    for (int set = 0; set < SETS; set++)
        sets[set] = manifest_sets[set].name;
    for (const struct claim *claim = manifest_claims; claim->text; claim++, count++) {
        claims[count] =
            (struct score_claim){.text = claim->text, .equal = claim->equal, .sets = sets};
        for (int set = 0; set < SETS; set++) {
            claims[count].better[set] = find_cell(report, claim, true, set);
            claims[count].worse[set] = find_cell(report, claim, false, set);
        }
    }
    document_section(&report->document, "claims", "What the paper claims");
    score_claims(&report->document, "claims", "The paper\xE2\x80\x99s claims", claims, count);
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
