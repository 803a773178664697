/* The manifest, expanded: rows of tables into a cell for each set, curves and the grid into one
 * for each place on their axes. */
#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16, WORD = 64 };

const struct cells_set cells_sets[CELLS_SETS] = {
#define SET(...) {__VA_ARGS__},
#include "manifest.def"
};

const struct cells_item cells_items[] = {
#define ITEM(...) {__VA_ARGS__},
#include "manifest.def"
    {0},
};

const double cells_probabilities[9] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
const double cells_contaminations[5] = {0.5, 0.6, 0.7, 0.8, 0.9};

/* What the paper prints of a cell. */
struct printed {
    double mean, deviation;
    bool there;
};

#define P(mean, deviation)                                                                         \
    {                                                                                              \
        mean, deviation, true                                                                      \
    }
#define V(mean)                                                                                    \
    {                                                                                              \
        mean, NAN, true                                                                            \
    }
#define OURS                                                                                       \
    {                                                                                              \
        NAN, NAN, true                                                                             \
    }
#define NONE                                                                                       \
    {                                                                                              \
        NAN, NAN, false                                                                            \
    }
#define CITATION(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__, NONE, NONE                                                                    \
    }
#define INDUCTIVE(...)                                                                             \
    {                                                                                              \
        NONE, NONE, NONE, NONE, __VA_ARGS__                                                        \
    }

static const struct row {
    const char *item, *label, *method, *overrides;
    enum evaluation evaluation;
    const char *value;
    struct printed printed[CELLS_SETS];
} rows[] = {
#define ROW(item, label, method, overrides, evaluation, value, ...)                                \
    {item, label, method, overrides, EVALUATION_##evaluation, value, __VA_ARGS__},
#include "manifest.def"
};

static const struct line {
    const char *item, *label, *method, *setting;
} lines[] = {
#define LINE(...) {__VA_ARGS__},
#include "manifest.def"
};

static const struct grid {
    const char *item, *set, *method, *x, *y;
} grids[] = {
#define GRID(...) {__VA_ARGS__},
#include "manifest.def"
};

static const struct quick {
    const char *item, *set, *method, *overrides;
} quicks[] = {
#define QUICK(...) {__VA_ARGS__},
#include "manifest.def"
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* The citation sets, which lines have a panel for. */
enum { PANELS = 4 };

bool cells_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
            return true;
    return !list;
}

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
    const struct quick *q = quicks;
    while ((*q->item && strcmp(q->item, item) != 0) || (*q->set && strcmp(q->set, set) != 0) ||
           (*q->method && strcmp(q->method, method) != 0))
        q++; /* the last fits all */
    return q->overrides;
}

void cells_key(char key[CELLS_KEY], const struct cells_training *training, enum evaluation how)
{
    static const char *const words[EVALUATIONS] = {"", " +features", " four"};
    snprintf(key, CELLS_KEY, "%s %s%s%s%s", cells_sets[training->set].name, training->method,
             *training->overrides ? " " : "", training->overrides, words[how]);
}

/* Fills what follows from the rest of a cell and the settings that it overrides. */
static void finish_cell(struct cell *cell, const char *overrides)
{
    const char *item = cells_items[cell->item].name, *set = cells_sets[cell->set].name;
    const char *quick = find_quick(item, set, cell->method);
    bool inductive = cell->set >= PANELS;
    cell->quick = inductive ? "" : quick;
    if (inductive && strcmp(cell->method, "dataset") != 0)
        cell->left_out = "--quick leaves Reddit and PPI out";
    else if (overlap(overrides, quick))
        cell->left_out = "--quick leaves out what has no objective of linear time";
    else if (strcmp(cell->value, "scores") != 0 && strstr(quick, "objective=moment"))
        cell->left_out = "--quick trains with moment here, which gives no such number";
    join_overrides(cell->overrides[0], overrides, "");
    join_overrides(cell->overrides[1], overrides, cell->quick);
    for (int q = 0; q < 2; q++) {
        struct cells_training training = {.set = cell->set, .method = cell->method};
        training.overrides = cell->overrides[q];
        cells_key(cell->key[q], &training, cell->evaluation);
    }
}

static int add_rows(struct cell *out, int item)
{
    int count = 0, number = 0;
    for (int r = 0; r < COUNT(rows); r++) {
        const struct row *row = &rows[r];
        if (strcmp(row->item, cells_items[item].name) != 0)
            continue;
        for (int set = 0; set < CELLS_SETS; set++) {
            const struct printed *printed = &row->printed[set];
            if (!printed->there)
                continue;
            out[count] = (struct cell){.item = item,
                                       .set = set,
                                       .row = number,
                                       .column = set < PANELS ? set : set - PANELS,
                                       .label = row->label,
                                       .method = row->method,
                                       .evaluation = row->evaluation,
                                       .value = row->value,
                                       .paper = printed->mean,
                                       .deviation = printed->deviation};
            finish_cell(&out[count++], row->overrides);
        }
        number++;
    }
    return count;
}

static int add_lines(struct cell *out, int item)
{
    int count = 0;
    for (int set = 0; set < PANELS; set++)
        for (int l = 0; l < COUNT(lines); l++)
            for (int x = 0; x < COUNT(cells_contaminations); x++) {
                char overrides[WORD];
                snprintf(overrides, sizeof overrides, "%s=%.1f", lines[l].setting,
                         cells_contaminations[x]);
                out[count] = (struct cell){.item = item,
                                           .set = set,
                                           .row = l,
                                           .column = x,
                                           .label = lines[l].label,
                                           .method = lines[l].method,
                                           .value = "scores",
                                           .paper = NAN,
                                           .deviation = NAN};
                finish_cell(&out[count], overrides);
                if (x % 2)
                    out[count].left_out = "--quick takes every second share";
                count++;
            }
    return count;
}

/* "a b" and 0.1 make "a=0.1 b=0.1 ". */
static size_t set_all(char *text, size_t size, const char *settings, double value)
{
    size_t used = 0;
    for (const char *at = settings; *at; at += *at == ' ') {
        int length = (int)strcspn(at, " ");
        used += (size_t)snprintf(text + used, size - used, "%.*s=%.1f ", length, at, value);
        at += length;
    }
    return used;
}

static int add_grid(struct cell *out, int item, const struct grid *grid)
{
    int count = 0, set = 0;
    while (strcmp(cells_sets[set].name, grid->set) != 0)
        set++;
    for (int y = 0; y < COUNT(cells_probabilities); y++)
        for (int x = 0; x < COUNT(cells_probabilities); x++) {
            char overrides[CELLS_KEY];
            size_t used = set_all(overrides, sizeof overrides, grid->x, cells_probabilities[x]);
            set_all(overrides + used, sizeof overrides - used, grid->y, cells_probabilities[y]);
            out[count] = (struct cell){.item = item,
                                       .set = set,
                                       .row = y,
                                       .column = x,
                                       .label = "GRACE",
                                       .method = grid->method,
                                       .value = "scores",
                                       .paper = NAN,
                                       .deviation = NAN};
            finish_cell(&out[count], overrides);
            if (x % 2 || y % 2)
                out[count].left_out = "--quick takes every second probability";
            count++;
        }
    return count;
}

/* The counts of each data set: a cell each, though no number of a table. */
static int add_datasets(struct cell *out, int item)
{
    for (int set = 0; set < CELLS_SETS; set++) {
        out[set] = (struct cell){.item = item,
                                 .set = set,
                                 .row = set,
                                 .label = cells_sets[set].name,
                                 .method = "dataset",
                                 .value = "nodes",
                                 .paper = NAN,
                                 .deviation = NAN};
        finish_cell(&out[set], "");
    }
    return CELLS_SETS;
}

struct cell *cells_list(int *count)
{
    struct cell *cells = calloc(CELLS_MAX, sizeof *cells);
    *count = 0;
    for (int i = 0; cells && cells_items[i].name; i++) {
        if (strcmp(cells_items[i].name, "datasets") == 0)
            *count += add_datasets(cells + *count, i);
        *count += add_rows(cells + *count, i);
        if (cells_items[i].kind == KIND_LINES)
            *count += add_lines(cells + *count, i);
        for (int g = 0; g < COUNT(grids); g++)
            if (strcmp(grids[g].item, cells_items[i].name) == 0)
                *count += add_grid(cells + *count, i, &grids[g]);
    }
    return cells;
}

bool cells_want(const struct cells_wanted *wanted, const struct cell *cell)
{
    bool item = !*wanted->items;
    for (const char *const *name = wanted->items; *name; name++)
        item = item || strcmp(*name, cells_items[cell->item].name) == 0;
    return item && !(wanted->quick && cell->left_out) &&
           cells_listed(wanted->sets, cells_sets[cell->set].name) &&
           (cells_listed(wanted->methods, cell->method) || strcmp(cell->method, "dataset") == 0);
}

bool cells_fixed(const char *method)
{
    return cells_listed("dataset,features,sgc", method);
}

/* How many seeds a cell's training gets. */
static int64_t count_runs(const struct cell *cell, const struct cells_wanted *wanted)
{
    int64_t item = cells_items[cell->item].runs, set = cells_sets[cell->set].runs;
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
    for (int set = 0; set < CELLS_SETS; set++)
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
