/* Items, claims and explanations of results.json. A cell must lie within its table, grid or axis,
 * and no two may lie in one place; a name must do as the name of a file. */
#include "results_read.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

static const char *const STATES[] = {"run", "quick", "look-alike", "quoted", "missing"};
enum { STATE_COUNT = sizeof STATES / sizeof *STATES };

const char *results_state_name(enum results_state state)
{
    return STATES[state];
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The state that the file gives, unless the samples say less: what ran quickly or on a look-alike
 * must not pass for more. Without a word in the file the samples decide. */
static graco_status read_state(struct results_cell *cell, const struct results_key *key,
                               const struct json *object)
{
    const char *word = NULL;
    int64_t state = 0;
    PASS(results_word(&word, object, "state", "run"));
    while (state < STATE_COUNT && strcmp(word, STATES[state]) != 0)
        state++;
    if (state == STATE_COUNT)
        return status_fail(GRACO_ERROR_FORMAT,
                           "\"state\" is none of run, quick, look-alike, quoted, missing");
    cell->state = (enum results_state)state;
    if (cell->state >= RESULTS_QUOTED)
        return GRACO_OK;
    if (!key)
        cell->state = RESULTS_MISSING;
    else if (key->state > cell->state)
        cell->state = key->state;
    return GRACO_OK;
}

static graco_status read_place(int64_t *out, const struct json *object, const char *key,
                               int64_t below)
{
    *out = 0;
    if (!key)
        return GRACO_OK;
    PASS(json_get_int(out, object, key));
    if (*out < 0 || *out >= below)
        return status_fail(GRACO_ERROR_FORMAT, "\"%s\" is %lld, expected 0 to %lld", key,
                           (long long)*out, (long long)below - 1);
    return GRACO_OK;
}

/* The names of a cell's two places, and how many of each there are. */
struct places {
    const char *row, *column; /* row NULL: there is one */
    int64_t rows, columns;
};

static graco_status read_cell(struct results_cell *out, const struct results *results,
                              const struct json *object, const struct places *places)
{
    PASS(read_place(&out->row, object, places->row, places->rows));
    PASS(read_place(&out->column, object, places->column, places->columns));
    PASS(results_word(&out->key, object, "key", ""));
    PASS(results_word(&out->value, object, "value", "scores"));
    PASS(results_word(&out->note, object, "note", ""));
    PASS(results_number(&out->paper, object, "paper"));
    PASS(results_number(&out->paper_deviation, object, "paper_deviation"));
    const struct results_key *key = results_key(results, out->key);
    PASS(read_state(out, key, object));
    out->ours = results_summary(key, out->value);
    return GRACO_OK;
}

static graco_status read_cells(struct results_cells *out, struct results *results,
                               const struct json *object, const struct places *places)
{
    const struct json *list = NULL;
    bool *taken = NULL;
    PASS(results_list(&list, object, "cells", places->rows * places->columns));
    PASS(results_take(&out->at, results, json_size(list), sizeof *out->at));
    PASS(results_take(&taken, results, places->rows * places->columns, sizeof *taken));
    out->count = json_size(list);
    for (int64_t i = 0; i < out->count; i++) {
        struct results_cell *cell = &out->at[i];
        graco_status status = read_cell(cell, results, json_at(list, i), places);
        if (status != GRACO_OK)
            return status_context(status, "cells[%lld]", (long long)i);
        bool *here = &taken[cell->row * places->columns + cell->column];
        if (*here)
            return status_fail(GRACO_ERROR_FORMAT, "cells[%lld] lies where another one does",
                               (long long)i);
        *here = true;
    }
    return GRACO_OK;
}

/* ---- Items ----------------------------------------------------------------------------------- */

static graco_status read_axis(struct results_axis *out, struct results *results,
                              const struct json *object, const char *key)
{
    const struct json *axis = NULL, *list = NULL;
    PASS(json_get_object(&axis, object, key));
    PASS(results_word(&out->label, axis, "label", key));
    PASS(results_list(&list, axis, "ticks", RESULTS_TICKS));
    return results_numbers(&out->ticks, results, list, "ticks", false);
}

static graco_status read_table(struct results_item *out, struct results *results,
                               const struct json *object)
{
    PASS(results_words(&out->rows, results, object, "rows", RESULTS_ROWS));
    PASS(results_words(&out->columns, results, object, "columns", RESULTS_COLUMNS));
    struct places places = {"row", "column", out->rows.count, out->columns.count};
    return read_cells(&out->cells, results, object, &places);
}

static graco_status read_grid(struct results_item *out, struct results *results,
                              const struct json *object)
{
    PASS(read_axis(&out->x, results, object, "x"));
    PASS(read_axis(&out->y, results, object, "y"));
    struct places places = {"y", "x", out->y.ticks.count, out->x.ticks.count};
    return read_cells(&out->cells, results, object, &places);
}

static graco_status read_panel(struct results_panel *out, struct results *results,
                               const struct json *object)
{
    const struct json *list = NULL;
    PASS(results_word(&out->title, object, "title", ""));
    PASS(read_axis(&out->x, results, object, "x"));
    PASS(results_list(&list, object, "lines", RESULTS_LINES));
    out->line_count = json_size(list);
    PASS(results_take(&out->lines, results, out->line_count, sizeof *out->lines));
    struct places places = {NULL, "x", 1, out->x.ticks.count};
    for (int64_t i = 0; i < out->line_count; i++) {
        PASS(results_word(&out->lines[i].label, json_at(list, i), "label", NULL));
        PASS(read_cells(&out->lines[i].cells, results, json_at(list, i), &places));
    }
    return GRACO_OK;
}

static graco_status read_panels(struct results_item *out, struct results *results,
                                const struct json *object)
{
    const struct json *list = NULL;
    PASS(results_list(&list, object, "panels", RESULTS_PANELS));
    out->panel_count = json_size(list);
    PASS(results_take(&out->panels, results, out->panel_count, sizeof *out->panels));
    for (int64_t i = 0; i < out->panel_count; i++) {
        graco_status status = read_panel(&out->panels[i], results, json_at(list, i));
        if (status != GRACO_OK)
            return status_context(status, "panels[%lld]", (long long)i);
    }
    return GRACO_OK;
}

/* A fact as words: a string, a number, or nothing. */
static graco_status read_fact(const char **out, struct results *results, const struct json *value)
{
    char *text = NULL;
    double number = 0;
    *out = "";
    if (value && value->kind == JSON_KIND_NULL)
        return GRACO_OK;
    if (json_as_string(out, value))
        return GRACO_OK;
    if (!json_as_double(&number, value))
        return status_fail(GRACO_ERROR_FORMAT, "a fact is neither a string nor a number");
    PASS(results_take(&text, results, NUMBER_TEXT, 1));
    number_shortest(text, number);
    *out = text;
    return GRACO_OK;
}

static graco_status read_facts(struct results_item *out, struct results *results,
                               const struct json *object)
{
    const struct json *list = NULL;
    PASS(results_words(&out->columns, results, object, "columns", RESULTS_COLUMNS));
    PASS(results_list(&list, object, "rows", RESULTS_ROWS));
    int64_t rows = json_size(list), columns = out->columns.count;
    out->facts.count = rows * columns;
    PASS(results_take(&out->facts.at, results, out->facts.count, sizeof *out->facts.at));
    for (int64_t i = 0; i < rows; i++) {
        const struct json *row = json_at(list, i);
        if (row->kind != JSON_KIND_ARRAY || json_size(row) != columns)
            return status_fail(GRACO_ERROR_FORMAT, "rows[%lld] has not %lld items, one per column",
                               (long long)i, (long long)columns);
        for (int64_t c = 0; c < columns; c++)
            PASS(read_fact(&out->facts.at[i * columns + c], results, json_at(row, c)));
    }
    return GRACO_OK;
}

/* Files and places in the page are named after an item: no path, no name that the report itself
 * uses, none twice. */
static graco_status check_name(const struct results *results, const char *name)
{
    static const char *const own[] = {"summary",    "claims",       "training",
                                      "embeddings", "explanations", "methods"};
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (length == 0 || length > 40 || name[length])
        return status_fail(GRACO_ERROR_FORMAT,
                           "\"name\" is not made of 1 to 40 lower-case letters, digits and dashes");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return status_fail(GRACO_ERROR_FORMAT, "\"name\" is %s, which the report uses itself",
                               name);
    for (int64_t i = 0; i < results->item_count; i++)
        if (strcmp(name, results->items[i].name) == 0)
            return status_fail(GRACO_ERROR_FORMAT, "two items have the name %s", name);
    return GRACO_OK;
}

static graco_status read_item(struct results_item *out, struct results *results,
                              const struct json *object)
{
    static const struct {
        const char *name;
        enum results_kind kind;
        graco_status (*read)(struct results_item *, struct results *, const struct json *);
    } kinds[] = {{"table", RESULTS_TABLE, read_table},
                 {"grid", RESULTS_GRID, read_grid},
                 {"lines", RESULTS_LINES_KIND, read_panels},
                 {"facts", RESULTS_FACTS, read_facts}};
    const char *kind = NULL;
    PASS(results_word(&out->name, object, "name", NULL));
    PASS(check_name(results, out->name));
    PASS(results_word(&out->title, object, "title", out->name));
    PASS(results_word(&out->about, object, "about", ""));
    PASS(results_word(&kind, object, "kind", NULL));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i].name) == 0) {
            out->kind = kinds[i].kind;
            return kinds[i].read(out, results, object);
        }
    return status_fail(GRACO_ERROR_FORMAT, "\"kind\" is none of table, grid, lines, facts");
}

/* ---- Claims and explanations ----------------------------------------------------------------- */

static graco_status read_claim(struct results_claim *out, struct results *results,
                               const struct json *object)
{
    PASS(results_word(&out->text, object, "text", NULL));
    json_as_bool(&out->equal, json_find(object, "equal"));
    PASS(results_words(&out->better, results, object, "better", RESULTS_CLAIM_KEYS));
    PASS(results_words(&out->worse, results, object, "worse", RESULTS_CLAIM_KEYS));
    if (out->better.count != out->worse.count && out->better.count != 1 && out->worse.count != 1)
        return status_fail(GRACO_ERROR_FORMAT,
                           "\"better\" has %lld keys, \"worse\" %lld; expected as many, or one",
                           (long long)out->better.count, (long long)out->worse.count);
    return GRACO_OK;
}

static graco_status read_claims(struct results *results, const struct json *root)
{
    const struct json *claims = NULL, *explanations = NULL;
    PASS(results_list(&claims, root, "claims", RESULTS_CLAIMS));
    PASS(results_list(&explanations, root, "explanations", RESULTS_EXPLANATIONS));
    results->claim_count = json_size(claims);
    results->explanation_count = json_size(explanations);
    PASS(results_take(&results->claims, results, json_size(claims), sizeof *results->claims));
    PASS(results_take(&results->explanations, results, json_size(explanations),
                      sizeof *results->explanations));
    for (int64_t i = 0; i < results->claim_count; i++) {
        graco_status status = read_claim(&results->claims[i], results, json_at(claims, i));
        if (status != GRACO_OK)
            return status_context(status, "claims[%lld]", (long long)i);
    }
    for (int64_t i = 0; i < results->explanation_count; i++) {
        struct results_explanation *out = &results->explanations[i];
        PASS(results_word(&out->key, json_at(explanations, i), "key", NULL));
        PASS(results_word(&out->text, json_at(explanations, i), "text", NULL));
    }
    return GRACO_OK;
}

graco_status results_read_items(struct results *results, const struct json *root)
{
    const struct json *list = NULL;
    PASS(results_list(&list, root, "items", RESULTS_ITEMS));
    PASS(results_take(&results->items, results, json_size(list), sizeof *results->items));
    while (results->item_count < json_size(list)) {
        int64_t i = results->item_count;
        graco_status status = read_item(&results->items[i], results, json_at(list, i));
        if (status != GRACO_OK)
            return status_context(status, "items[%lld]", (long long)i);
        results->item_count++;
    }
    return read_claims(results, root);
}
