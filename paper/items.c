/* Items. A cell shows the samples of the full training if there are any, else those of --quick; so
 * whichever calls filled a file, it says the same of its samples. */
#include "items.h"

#include "cli/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FACT = 512 };

static const struct {
    const char *set, *values[9];
} printed[] = {
#define PRINTED(set, ...) {set, {__VA_ARGS__}},
#include "manifest.def"
};

static const struct {
    const char *text, *item, *better, *worse;
} claims[] = {
#define CLAIM(...) {__VA_ARGS__},
#include "manifest.def"
};

static const struct {
    const char *key, *text;
} explanations[] = {
#define EXPLANATION(...) {__VA_ARGS__},
#include "manifest.def"
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

struct items_state items_state(const struct items *items, const struct cell *cell)
{
    struct items_state state = {.state = "missing", .key = cell->key[items->made.quick]};
    const char *set = cells_sets[cell->set].name;
    struct results_file_sample sample;
    for (int q = 0; q < 2; q++)
        if (!(q == 1 && cell->left_out) && /* its samples lack what the cell shows */
            results_file_find(&sample, items->results, cell->key[q], -1)) {
            bool alike = strcmp(sample.source, "look-alike") == 0;
            state.state = alike ? "look-alike" : sample.quick ? "quick" : "run";
            state.key = cell->key[q];
            if (!alike && sample.quick && strcmp(cell->method, "dataset") != 0)
                snprintf(state.note, sizeof state.note, "--quick: one seed, few splits%s%s",
                         *cell->quick ? ", " : "", cell->quick);
            else if (alike)
                snprintf(state.note, sizeof state.note,
                         "on a generated graph like %s; to download it: graco fetch %s", set, set);
            return state;
        }
    if (!items->there[cell->set])
        snprintf(state.note, sizeof state.note, "no data; to download it: graco fetch %s", set);
    else if (items->made.quick && cell->left_out)
        snprintf(state.note, sizeof state.note, "%s", cell->left_out);
    else
        snprintf(state.note, sizeof state.note, "not run; to run it: graco reproduce %s",
                 cells_items[cell->item].name);
    return state;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static void write_state(struct writer *json, const struct items *items, const struct cell *cell)
{
    struct items_state state = items_state(items, cell);
    writer_string(json, "key", state.key);
    writer_string(json, "value", cell->value);
    writer_real(json, "paper", cell->paper);
    writer_real(json, "paper_deviation", cell->deviation);
    writer_string(json, "state", state.state);
    writer_string(json, "note", state.note);
}

/* The cells of an item; keys[0] calls a cell's row, keys[1] its column. */
static void write_cells(struct writer *json, const struct items *items, int item,
                        const char *const keys[2])
{
    writer_open(json, "cells", '[');
    for (int i = 0; i < items->count; i++) {
        const struct cell *cell = &items->cells[i];
        if (cell->item != item)
            continue;
        writer_open(json, NULL, '{');
        writer_integer(json, keys[0], cell->row);
        writer_integer(json, keys[1], cell->column);
        write_state(json, items, cell);
        writer_close(json);
    }
    writer_close(json);
}

static void write_table(struct writer *json, const struct items *items, int item)
{
    bool used[CELLS_SETS] = {false};
    int rows = 0;
    writer_open(json, "rows", '[');
    for (int i = 0; i < items->count; i++) {
        const struct cell *cell = &items->cells[i];
        if (cell->item != item)
            continue;
        used[cell->set] = true;
        if (cell->row == rows) {
            writer_string(json, NULL, cell->label);
            rows++;
        }
    }
    writer_close(json);
    writer_open(json, "columns", '[');
    for (int set = 0; set < CELLS_SETS; set++)
        if (used[set])
            writer_string(json, NULL, cells_sets[set].title);
    writer_close(json);
    write_cells(json, items, item, (const char *[]){"row", "column"});
}

static void write_axis(struct writer *json, const char *key, const char *label, const double *ticks,
                       int count)
{
    writer_open(json, key, '{');
    writer_string(json, "label", label);
    writer_open(json, "ticks", '[');
    for (int i = 0; i < count; i++)
        writer_real(json, NULL, ticks[i]);
    writer_close(json);
    writer_close(json);
}

static void write_grid(struct writer *json, const struct items *items, int item)
{
    write_axis(json, "x", "p1", cells_probabilities, COUNT(cells_probabilities));
    write_axis(json, "y", "p2", cells_probabilities, COUNT(cells_probabilities));
    write_cells(json, items, item, (const char *[]){"y", "x"});
}

/* The line that begins with cell `first`; returns the cell behind it. */
static int write_line(struct writer *json, const struct items *items, int first)
{
    const struct cell *begin = &items->cells[first];
    int i = first;
    writer_open(json, NULL, '{');
    writer_string(json, "label", begin->label);
    writer_open(json, "cells", '[');
    for (; i < items->count && items->cells[i].item == begin->item &&
           items->cells[i].set == begin->set && items->cells[i].row == begin->row;
         i++) {
        writer_open(json, NULL, '{');
        writer_integer(json, "x", items->cells[i].column);
        write_state(json, items, &items->cells[i]);
        writer_close(json);
    }
    writer_close(json);
    writer_close(json);
    return i;
}

static void write_lines(struct writer *json, const struct items *items, int item)
{
    writer_open(json, "panels", '[');
    for (int i = 0; i < items->count;) {
        int set = items->cells[i].set;
        if (items->cells[i].item != item) {
            i++;
            continue;
        }
        writer_open(json, NULL, '{');
        writer_string(json, "title", cells_sets[set].title);
        write_axis(json, "x", "contamination", cells_contaminations, COUNT(cells_contaminations));
        writer_open(json, "lines", '[');
        while (i < items->count && items->cells[i].item == item && items->cells[i].set == set)
            i = write_line(json, items, i);
        writer_close(json);
        writer_close(json);
    }
    writer_close(json);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void write_words(struct writer *json, const char *key, const char *const *words, int count)
{
    writer_open(json, key, '[');
    for (int i = 0; i < count; i++)
        writer_string(json, NULL, words[i]);
    writer_close(json);
}

/* A count of a data set as text; a dash where it is not known. */
static const char *count_of(char text[SETTINGS_TEXT], const struct items *items, const char *key,
                            const char *name)
{
    double value = results_file_value(items->results, key, 0, name);
    snprintf(text, SETTINGS_TEXT, isfinite(value) ? "%.0f" : "-", value);
    return text;
}

static void write_datasets(struct writer *json, const struct items *items, int item)
{
    static const char *const columns[] = {
        "set",      "nodes",           "paper: nodes", "edges",          "paper: edges",
        "features", "paper: features", "classes",      "paper: classes", "note"};
    write_words(json, "columns", columns, COUNT(columns));
    writer_open(json, "rows", '[');
    for (int i = 0; i < items->count; i++) {
        const struct cell *cell = &items->cells[i];
        const struct cells_set *set = &cells_sets[cell->set];
        char nodes[SETTINGS_TEXT], edges[SETTINGS_TEXT], features[SETTINGS_TEXT];
        char classes[SETTINGS_TEXT], note[FACT];
        if (cell->item != item)
            continue;
        struct items_state state = items_state(items, cell);
        snprintf(note, sizeof note, "%s%s%s", set->edges_follow, *state.note ? "; " : "",
                 state.note);
        const char *const words[] = {
            set->name,     count_of(nodes, items, state.key, "nodes"),
            set->nodes,    count_of(edges, items, state.key, "edges"),
            set->edges,    count_of(features, items, state.key, "features"),
            set->features, count_of(classes, items, state.key, "classes"),
            set->classes,  note,
        };
        write_words(json, NULL, words, COUNT(words));
    }
    writer_close(json);
}

/* Two rows for each set: graco's preset, and the paper's table. */
static void write_hyperparameters(struct writer *json)
{
    static const char *const keys[] = {
        "drop_feature_1", "drop_feature_2", "drop_edge_1", "drop_edge_2", "lr",
        "weight_decay",   "epochs",         "hidden",      "activation",  "tau"};
    writer_open(json, "columns", '[');
    writer_string(json, NULL, "set");
    for (int k = 0; k < COUNT(keys); k++)
        writer_string(json, NULL, keys[k]);
    writer_close(json);
    writer_open(json, "rows", '[');
    for (int set = 0; set < COUNT(printed); set++) {
        graco_config *config = NULL;
        char label[SETTINGS_TEXT];
        graco_status status = graco_config_create(&config, "grace", printed[set].set);
        writer_open(json, NULL, '[');
        writer_string(json, NULL, printed[set].set);
        for (int k = 0; status == GRACO_OK && k < COUNT(keys); k++) {
            char value[SETTINGS_TEXT];
            writer_string(json, NULL, settings_get(value, config, keys[k]));
        }
        writer_close(json);
        snprintf(label, sizeof label, "%s, paper", printed[set].set);
        writer_open(json, NULL, '[');
        writer_string(json, NULL, label);
        for (int k = 0; k < COUNT(keys); k++) /* the paper has no column for tau */
            writer_string(json, NULL, k + 1 < COUNT(keys) ? printed[set].values[k] : "-");
        writer_close(json);
        graco_config_free(config);
    }
    writer_close(json);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void write_item(struct writer *json, const struct items *items, int item)
{
    static const char *const kinds[] = {"facts", "table", "grid", "lines"};
    const struct cells_item *about = &cells_items[item];
    writer_open(json, NULL, '{');
    writer_string(json, "name", about->name);
    writer_string(json, "title", about->title);
    writer_string(json, "kind", kinds[about->kind]);
    writer_string(json, "about", about->about);
    if (strcmp(about->name, "datasets") == 0)
        write_datasets(json, items, item);
    else if (about->kind == KIND_FACTS)
        write_hyperparameters(json);
    else if (about->kind == KIND_TABLE)
        write_table(json, items, item);
    else if (about->kind == KIND_GRID)
        write_grid(json, items, item);
    else
        write_lines(json, items, item);
    writer_close(json);
}

/* The keys of the cells of one row of a table for which the other row has a cell too. */
static void write_keys(struct writer *json, const char *name, const struct items *items,
                       const char *item, const char *const label[2])
{
    writer_open(json, name, '[');
    for (int i = 0; i < items->count; i++)
        for (int j = 0; j < items->count; j++) {
            const struct cell *own = &items->cells[i], *other = &items->cells[j];
            if (own->item == other->item && own->set == other->set &&
                strcmp(cells_items[own->item].name, item) == 0 &&
                strcmp(own->label, label[0]) == 0 && strcmp(other->label, label[1]) == 0)
                writer_string(json, NULL, items_state(items, own).key);
        }
    writer_close(json);
}

/* Of a curve's place x, the keys of one label in all panels. */
static void write_place(struct writer *json, const char *name, const struct items *items, int x,
                        const char *label)
{
    writer_open(json, name, '[');
    for (int i = 0; i < items->count; i++) {
        const struct cell *cell = &items->cells[i];
        if (cells_items[cell->item].kind == KIND_LINES && cell->column == x &&
            strcmp(cell->label, label) == 0)
            writer_string(json, NULL, items_state(items, cell).key);
    }
    writer_close(json);
}

/* The key of the grid's cell at p1 = p2 = probabilities[at]. */
static void write_corner(struct writer *json, const char *name, const struct items *items, int at)
{
    writer_open(json, name, '[');
    for (int i = 0; i < items->count; i++) {
        const struct cell *cell = &items->cells[i];
        if (cells_items[cell->item].kind == KIND_GRID && cell->column == at && cell->row == at)
            writer_string(json, NULL, items_state(items, cell).key);
    }
    writer_close(json);
}

static void write_claims(struct writer *json, const struct items *items)
{
    enum { LOW = 2, MIDDLE = 4, HIGH = 8 }; /* p of 0.3, 0.5 and 0.9 */
    writer_open(json, "claims", '[');
    for (int c = 0; c < COUNT(claims); c++) {
        const char *const forth[] = {claims[c].better, claims[c].worse};
        const char *const back[] = {claims[c].worse, claims[c].better};
        writer_open(json, NULL, '{');
        writer_string(json, "text", claims[c].text);
        write_keys(json, "better", items, claims[c].item, forth);
        write_keys(json, "worse", items, claims[c].item, back);
        writer_close(json);
    }
    for (int x = 0; x < COUNT(cells_contaminations); x++) {
        char text[FACT];
        snprintf(text, sizeof text, "GRACE scores above DGI with %.0f %% of the features zeroed",
                 100 * cells_contaminations[x]);
        writer_open(json, NULL, '{');
        writer_string(json, "text", text);
        write_place(json, "better", items, x, "GRACE");
        write_place(json, "worse", items, x, "DGI");
        writer_close(json);
    }
    for (int high = 0; high < 2; high++) {
        writer_open(json, NULL, '{');
        writer_string(json, "text",
                      high ? "Corrupting too much hurts: p1 = p2 = 0.3 scores above 0.9"
                           : "GRACE is stable over the probabilities: 0.3 and 0.5 score the same");
        if (!high)
            writer_bool(json, "equal", true); /* better and worse should not differ */
        write_corner(json, "better", items, LOW);
        write_corner(json, "worse", items, high ? HIGH : MIDDLE);
        writer_close(json);
    }
    writer_close(json);
}

static void write_made(struct writer *json, const struct items_made *made)
{
    writer_open(json, "made", '{');
    writer_bool(json, "quick", made->quick);
    writer_string(json, "device", made->device);
    writer_string(json, "machine", made->machine);
    writer_integer(json, "runs", made->runs);
    writer_integer(json, "splits", made->splits);
    writer_close(json);
}

void items_write(struct writer *json, const struct items *items)
{
    writer_open(json, NULL, '{');
    if (items->made.device)
        write_made(json, &items->made);
    writer_open(json, "items", '[');
    for (int i = 0; cells_items[i].name; i++)
        write_item(json, items, i);
    writer_close(json);
    write_claims(json, items);
    writer_open(json, "explanations", '[');
    for (int e = 0; e < COUNT(explanations); e++) {
        writer_open(json, NULL, '{');
        writer_string(json, "key", explanations[e].key);
        writer_string(json, "text", explanations[e].text);
        writer_close(json);
    }
    writer_close(json);
    writer_close(json);
}
