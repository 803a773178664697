/* Numbers are kept as a list of (node, attribute, value) until all nodes are known; then those attributes
 * are taken that every node has once. */
#include "data/attributes.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_FIRST = 64, LABEL_NONE = -1, NOTE_NAMES = 5, NOTE_NAME = 40, DEFAULT_SHARE = 16 };

static const char *const label_names[] = {"label", "class", "y", NULL};

struct item {
    int32_t node, column;
    float value;
};

struct attribute {
    int64_t count; /* nodes that have it as a number */
    int32_t last;  /* of these */
    bool other;    /* some node has no number there, or two */
    bool filled;   /* nodes without a number have this one: */
    float fill;
};

struct attributes {
    struct names *names;
    struct attribute *columns; /* (names_count), room for column_room */
    struct item *items;        /* (count) */
    int64_t count, room, column_room;
    const char *label_name; /* one of label_names; NULL: no node has a label */
    struct names *labels;
    int32_t *label; /* (label_room) LABEL_NONE where nothing was said */
    int64_t label_room;
};

graco_status attributes_create(struct attributes **out)
{
    graco_status status = GRACO_OK;
    struct attributes *made = NULL;
    TRY(memory_zalloc(&made, 1, sizeof *made));
    TRY(names_create(&made->names));
    TRY(names_create(&made->labels));
    *out = made;
    made = NULL;
done:
    attributes_free(made);
    return status;
}

void attributes_free(struct attributes *attributes)
{
    if (!attributes)
        return;
    names_free(attributes->names);
    names_free(attributes->labels);
    memory_free(attributes->columns);
    memory_free(attributes->items);
    memory_free(attributes->label);
    memory_free(attributes);
}

static graco_status find_column(int32_t *out, struct attributes *a, const char *name,
                                int64_t length)
{
    PASS(names_add(out, a->names, name, length));
    if (*out < a->column_room)
        return GRACO_OK;
    int64_t room = 2 * a->column_room + ROOM_FIRST;
    PASS(memory_grow(&a->columns, a->column_room, room, sizeof *a->columns));
    for (int64_t c = a->column_room; c < room; c++)
        a->columns[c] = (struct attribute){.last = -1};
    a->column_room = room;
    return GRACO_OK;
}

graco_status attributes_number(struct attributes *a, int64_t node, const char *name, int64_t length,
                               double value)
{
    int32_t column;
    PASS(find_column(&column, a, name, length));
    struct attribute *at = &a->columns[column];
    at->other |= at->last == node || !isfinite((float)value);
    at->last = (int32_t)node;
    at->count++;
    if (a->count == a->room) {
        int64_t room = 2 * a->room + ROOM_FIRST;
        PASS(memory_grow(&a->items, a->room, room, sizeof *a->items));
        a->room = room;
    }
    a->items[a->count++] = (struct item){(int32_t)node, column, (float)value};
    return GRACO_OK;
}

graco_status attributes_other(struct attributes *a, const char *name, int64_t length)
{
    int32_t column;
    PASS(find_column(&column, a, name, length));
    a->columns[column].other = true;
    return GRACO_OK;
}

graco_status attributes_declare(struct attributes *a, const char *name, int64_t length,
                                const double *usual)
{
    int32_t column;
    PASS(find_column(&column, a, name, length));
    struct attribute *at = &a->columns[column];
    at->filled = usual;
    at->fill = usual ? (float)*usual : 0;
    at->other |= !isfinite(at->fill);
    return GRACO_OK;
}

/* The name as it stands in label_names, NULL if it does not. */
static const char *label_name(const char *name, int64_t length)
{
    for (const char *const *known = label_names; *known; known++)
        if ((int64_t)strlen(*known) == length && memcmp(*known, name, (size_t)length) == 0)
            return *known;
    return NULL;
}

bool attributes_is_label(const char *name, int64_t length)
{
    return label_name(name, length);
}

graco_status attributes_label_number(int32_t *out, struct attributes *a, const char *name,
                                     const char *text)
{
    const char *known = label_name(name, (int64_t)strlen(name));
    if (a->label_name && a->label_name != known)
        return status_fail(
            GRACO_ERROR_FORMAT,
            "nodes have both `%s` and `%s`, and either may be their labels: --labels "
            "FILE decides",
            a->label_name, known);
    a->label_name = known;
    return names_add(out, a->labels, text, (int64_t)strlen(text));
}

graco_status attributes_label_node(struct attributes *a, int64_t node, int32_t number)
{
    if (node >= a->label_room) {
        int64_t room = node + 1 > 2 * a->label_room ? node + ROOM_FIRST : 2 * a->label_room;
        PASS(memory_grow(&a->label, a->label_room, room, sizeof *a->label));
        for (int64_t i = a->label_room; i < room; i++)
            a->label[i] = LABEL_NONE;
        a->label_room = room;
    }
    a->label[node] = number;
    return GRACO_OK;
}

graco_status attributes_label(struct attributes *a, int64_t node, const char *name,
                              const char *text)
{
    int32_t number;
    PASS(attributes_label_number(&number, a, name, text));
    return attributes_label_node(a, node, number);
}

/* ---- Edges and names ------------------------------------------------------------------------- */

void attributes_edge(struct table_edges *edges, const int32_t ends[2], float weight, bool both)
{
    for (int way = 0; way < (both && ends[0] != ends[1] ? 2 : 1); way++) {
        if (edges->weight)
            edges->weight[edges->count] = weight;
        edges->source[edges->count] = ends[way];
        edges->target[edges->count++] = ends[!way];
    }
}

void attributes_drop_numbers(struct table_edges *edges)
{
    char number[24];
    for (int64_t i = 0; i < edges->nodes; i++) {
        snprintf(number, sizeof number, "%" PRId64, i);
        if (strcmp(names_text(edges->names, i), number) != 0)
            return;
    }
    names_free(edges->names);
    edges->names = NULL;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static bool is_taken(const struct attribute *column, int64_t nodes)
{
    bool enough = column->count == nodes ||
                  (column->filled && column->count > 0 && column->count >= nodes / DEFAULT_SHARE);
    return !column->other && enough;
}

/* Adds to a note; what does not fit is cut. */
static void say(char note[TABLES_NOTE], const char *before, const char *name)
{
    size_t used = strlen(note);
    snprintf(note + used, TABLES_NOTE - used, "%s`%.*s`", before, NOTE_NAME, name);
}

/* Names the attributes that were taken, or those that were not. */
static void say_names(char note[TABLES_NOTE], const struct attributes *a, int64_t nodes, bool taken)
{
    int64_t found = 0, all = names_count(a->names);
    size_t used;
    for (int64_t c = 0; c < all; c++) {
        if (is_taken(&a->columns[c], nodes) != taken || found++ >= NOTE_NAMES)
            continue;
        say(note,
            found > 1 ? ", "
            : taken   ? "; features "
                      : "; left out ",
            names_text(a->names, c));
    }
    used = strlen(note);
    if (found > NOTE_NAMES)
        snprintf(note + used, TABLES_NOTE - used, ", ... (%" PRId64 ")", found);
}

static graco_status take_numbers(struct table_numbers *out, const struct attributes *a,
                                 int64_t nodes)
{
    graco_status status = GRACO_OK;
    int64_t *place = NULL, all = names_count(a->names), taken = 0;
    TRY(memory_alloc(&place, all + 1, sizeof *place));
    for (int64_t c = 0; c < all; c++)
        place[c] = is_taken(&a->columns[c], nodes) ? taken++ : -1;
    if (taken == 0)
        goto done;
    TRY(memory_alloc(&out->data, nodes, (size_t)taken * sizeof *out->data));
    out->rows = nodes;
    out->cols = taken;
    for (int64_t c = 0; c < all; c++)
        for (int64_t i = 0; place[c] >= 0 && a->columns[c].count < nodes && i < nodes; i++)
            out->data[i * taken + place[c]] = a->columns[c].fill;
    for (int64_t i = 0; i < a->count; i++)
        if (place[a->items[i].column] >= 0)
            out->data[a->items[i].node * taken + place[a->items[i].column]] = a->items[i].value;
done:
    memory_free(place);
    return status;
}

static graco_status take_labels(struct table_labels *out, struct attributes *a, int64_t nodes)
{
    PASS(memory_alloc(&out->label, nodes, sizeof *out->label));
    for (int64_t i = 0; i < nodes; i++)
        out->label[i] = i < a->label_room ? a->label[i] : LABEL_NONE;
    out->count = nodes;
    out->classes = names_count(a->labels);
    out->labels = a->labels;
    a->labels = NULL;
    return table_labels_number(out);
}

graco_status attributes_take(struct tables *tables, char note[TABLES_NOTE], struct attributes *a,
                             int64_t nodes)
{
    PASS(take_numbers(&tables->features, a, nodes));
    say_names(note, a, nodes, true);
    if (a->label_name) {
        PASS(take_labels(&tables->labels, a, nodes));
        say(note, "; labels ", a->label_name);
    }
    say_names(note, a, nodes, false);
    return GRACO_OK;
}
