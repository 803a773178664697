/* The manifest, expanded: rows of tables into a cell for each set, sweeps into one for each place on their
 * axes. */
#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16, WORD = 64 };

bool cells_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
            return true;
    return !list;
}

/* ---- Overrides and keys ---------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorts the words of two lists of "setting=value" into one. */
static void join_overrides(char out[CELLS_KEY], const char *own, const char *quick)
{
    char words[WORDS_MAX][WORD];
    const char *lists[] = {own, quick};
    int count = 0;
    size_t used = 0;
    for (int l = 0; l < 2; l++)
        for (const char *at = lists[l]; *at && count < WORDS_MAX; count++) {
            int length = (int)strcspn(at, " ");
            snprintf(words[count], WORD, "%.*s", length, at);
            at += length + (at[length] == ' ');
        }
    qsort(words, (size_t)count, sizeof *words, compare_words);
    out[0] = '\0';
    for (int i = 0; i < count && used < CELLS_KEY; i++)
        used += (size_t)snprintf(out + used, CELLS_KEY - used, "%s%s", i ? " " : "", words[i]);
}

/* Whether two lists of overrides set the same setting. */
static bool overlap(const char *own, const char *quick)
{
    for (const char *a = own; *a; a += strcspn(a, " "), a += *a == ' ')
        for (const char *b = quick; *b; b += strcspn(b, " "), b += *b == ' ') {
            size_t length = strcspn(a, "=");
            if (strcspn(b, "=") == length && strncmp(a, b, length) == 0)
                return true;
        }
    return false;
}

static const char *find_quick(const char *item, const char *set, const char *method)
{
    const struct quick *q = manifest_quick;
    while ((*q->item && strcmp(q->item, item) != 0) || (*q->set && strcmp(q->set, set) != 0) ||
           (*q->method && strcmp(q->method, method) != 0))
        q++; /* the last fits all */
    return q->overrides;
}

void cells_key(char key[CELLS_KEY], const struct cells_training *training, enum evaluation how)
{
    static const char *const words[EVALUATIONS] = {"", " +features", " four"};
    snprintf(key, CELLS_KEY, "%s %s%s%s%s", manifest_sets[training->set].name, training->method,
             *training->overrides ? " " : "", training->overrides, words[how]);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Copies a cell, with what follows from it and the settings that it overrides. */
static void add_cell(struct cell *out, const struct cell *cell, const char *overrides)
{
    const char *quick = find_quick(cell->item->name, manifest_sets[cell->set].name, cell->method);
    bool inductive = cell->set >= CITATION_SETS;
    *out = *cell;
    out->quick = inductive ? "" : quick;
    if (inductive && strcmp(cell->method, "dataset") != 0)
        out->left_out = "--quick leaves Reddit and PPI out";
    else if (!out->left_out && overlap(overrides, quick))
        out->left_out = "--quick leaves out what has no objective of linear time";
    else if (cell->value && strstr(quick, "objective=moment"))
        out->left_out = "--quick trains with moment here, which gives no such number";
    for (int q = 0; q < 2; q++) {
        struct cells_training training = {
            .set = cell->set, .method = cell->method, .overrides = out->overrides[q]};
        join_overrides(out->overrides[q], overrides, q ? out->quick : "");
        cells_key(out->key[q], &training, cell->evaluation);
    }
}

static int add_row(struct cell *out, const struct item *item, const struct row *row)
{
    int count = 0;
    for (int set = 0; set < SETS; set++) {
        struct cell cell = {.item = item,
                            .set = set,
                            .row = (int)(row - item->rows),
                            .column = set % CITATION_SETS, /* a table has the ones or the others */
                            .label = row->label,
                            .method = row->method,
                            .evaluation = row->evaluation,
                            .value = row->value,
                            .paper = row->paper[set]};
        if (row->paper[set].there)
            add_cell(&out[count++], &cell, row->overrides);
    }
    return count;
}

double cells_tick(const struct sweep *sweep, int place)
{
    return (sweep->first + place) / 10.;
}

/* "a b" and 0.1 make "a=0.1 b=0.1 " behind the text. */
static void set_all(char text[CELLS_KEY], const char *settings, double value)
{
    for (const char *at = settings ? settings : ""; *at; at += *at == ' ') {
        size_t used = strlen(text);
        int length = (int)strcspn(at, " ");
        snprintf(text + used, CELLS_KEY - used, "%.*s=%.1f ", length, at, value);
        at += length;
    }
}

/* The cells of a line, or of all rows of a grid. */
static int add_line(struct cell *out, const struct item *item, int set, int line)
{
    const struct sweep *sweep = item->sweep;
    int count = 0;
    for (int y = 0; y < (sweep->y ? sweep->ticks : 1); y++)
        for (int x = 0; x < sweep->ticks; x++) {
            char overrides[CELLS_KEY] = "";
            struct cell cell = {.item = item,
                                .set = set,
                                .row = sweep->y ? y : line,
                                .column = x,
                                .label = sweep->lines[line].label,
                                .method = sweep->lines[line].method,
                                .paper = {NAN, NAN, true}};
            if (x % 2 || y % 2)
                cell.left_out = sweep->y ? "--quick takes every second probability"
                                         : "--quick takes every second share";
            set_all(overrides, sweep->x, cells_tick(sweep, x));
            set_all(overrides, sweep->y, cells_tick(sweep, y));
            add_cell(&out[count++], &cell, overrides);
        }
    return count;
}

/* The counts of each data set: a cell each, though no number of a table. */
static int add_datasets(struct cell *out, const struct item *item)
{
    for (int set = 0; set < SETS; set++)
        add_cell(&out[set],
                 &(struct cell){.item = item,
                                .set = set,
                                .row = set,
                                .label = manifest_sets[set].name,
                                .method = "dataset",
                                .value = "nodes",
                                .paper = {NAN, NAN, true}},
                 "");
    return SETS;
}

int cells_list(struct cell *out)
{
    int count = 0;
    for (const struct item *item = manifest_items; item->name; item++) {
        const struct sweep *sweep = item->sweep;
        if (strcmp(item->name, "datasets") == 0)
            count += add_datasets(out + count, item);
        for (const struct row *row = item->rows; row && row->label; row++)
            count += add_row(out + count, item, row);
        for (int set = 0; sweep && set < CITATION_SETS; set++)
            for (int line = 0; line < SWEPT_METHODS && sweep->lines[line].label; line++)
                if (sweep->set == set || sweep->set == CITATION_SETS)
                    count += add_line(out + count, item, set, line);
    }
    return count;
}

/* ---- Trainings ------------------------------------------------------------------------------- */

bool cells_want(const struct cells_wanted *wanted, const struct cell *cell)
{
    bool item = !*wanted->items;
    for (const char *const *name = wanted->items; *name; name++)
        item = item || strcmp(*name, cell->item->name) == 0;
    return item && !(wanted->quick && cell->left_out) &&
           cells_listed(wanted->sets, manifest_sets[cell->set].name) &&
           (cells_listed(wanted->methods, cell->method) || strcmp(cell->method, "dataset") == 0);
}

bool cells_fixed(const char *method)
{
    return cells_listed("dataset,features,sgc", method);
}

/* How many seeds a cell's training gets. */
static int64_t count_runs(const struct cell *cell, const struct cells_wanted *wanted)
{
    int64_t item = cell->item->runs, set = manifest_sets[cell->set].runs;
    if (cells_fixed(cell->method))
        return 1;
    if (wanted->runs > 0)
        return wanted->runs;
    return wanted->quick ? 1 : item < set ? item : set;
}

int cells_trainings(struct cells_training *out, const struct cell *cells, int count,
                    const struct cells_wanted *wanted)
{
    int trainings = 0;
    for (int set = 0; set < SETS; set++)
        for (int i = 0; i < count; i++) {
            const struct cell *cell = &cells[i];
            const char *overrides = cell->overrides[wanted->quick];
            if (cell->set != set || !cells_want(wanted, cell))
                continue;
            int t = 0;
            while (t < trainings &&
                   (out[t].set != set || strcmp(out[t].method, cell->method) != 0 ||
                    strcmp(out[t].overrides, overrides) != 0))
                t++;
            if (t == trainings)
                out[trainings++] = (struct cells_training){
                    .set = set, .method = cell->method, .overrides = overrides};
            int64_t runs = count_runs(cell, wanted);
            out[t].drawn |= strcmp(cell->method, "grace") == 0 && !*cell->overrides[0];
            out[t].evaluations |= 1u << cell->evaluation;
            out[t].runs = out[t].runs > runs ? out[t].runs : runs;
        }
    return trainings;
}
