/* Data sets from arrays in memory, and back. The fields of graco_arrays are found by name, in
 * one table; what the reader of graco's own format asks for by name it gets from there. Edges
 * alone differ: a file has them as one array of pairs. */
#include "data/given.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "data/readers.h"
#include "data/preparation.h"
#include "io/tables/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GIVEN_NOTE = 1024 };

_Static_assert((int)GRACO_BOOL == (int)ARRAY_BOOL && (int)GRACO_INT64 == (int)ARRAY_I64 &&
                   (int)GRACO_UINT64 == (int)ARRAY_U64 && (int)GRACO_FLOAT64 == (int)ARRAY_F64,
               "graco_type begins as enum array_type does");

static const struct {
    const char *name;
    size_t offset;
} FIELDS[] = {{"source", offsetof(graco_arrays, source)},
              {"target", offsetof(graco_arrays, target)},
              {"edge_indptr", offsetof(graco_arrays, edge_indptr)},
              {"edge_weight", offsetof(graco_arrays, edge_weight)},
              {"x", offsetof(graco_arrays, x)},
              {"x_indptr", offsetof(graco_arrays, x_indptr)},
              {"x_indices", offsetof(graco_arrays, x_indices)},
              {"x_data", offsetof(graco_arrays, x_data)},
              {"y", offsetof(graco_arrays, y)},
              {"split", offsetof(graco_arrays, split)},
              {"label_mask", offsetof(graco_arrays, label_mask)},
              {"graph_id", offsetof(graco_arrays, graph_id)},
              {"node_ids", offsetof(graco_arrays, node_ids)},
              {"class_names", offsetof(graco_arrays, class_names)}};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

/* NULL if there is none of that name. */
static const graco_array *find(const graco_arrays *arrays, const char *name)
{
    size_t length = strcspn(name, ".");
    for (int i = 0; i < FIELD_COUNT; i++) {
        const graco_array *field = (const graco_array *)((const char *)arrays + FIELDS[i].offset);
        if (strlen(FIELDS[i].name) == length && memcmp(FIELDS[i].name, name, length) == 0)
            return field->data || field->rows != 0 ? field : NULL;
    }
    return NULL;
}

bool given_have(const graco_arrays *arrays, const char *name)
{
    return find(arrays, name);
}

/* Copies rows with gaps between them to an array of its own. */
static graco_status close_gaps(struct array *array, int64_t stride)
{
    struct array copy;
    char *to = NULL;
    const char *from = array->data;
    int64_t rows = array->shape[0], width = array->ndim == 2 ? array->shape[1] : 1;
    if (stride < width || stride > INT64_MAX / 16 / (rows + 1))
        return status_fail(GRACO_ERROR_FORMAT,
                           "%lld rows of %lld items begin %lld items apart: expected at least %lld",
                           (long long)rows, (long long)width, (long long)stride, (long long)width);
    PASS(array_create(&copy, &to, array->type, 0, array->ndim, array->shape));
    for (int64_t i = 0; i < rows && width > 0; i++)
        memcpy(to + i * width * copy.size, from + i * stride * copy.size,
               (size_t)(width * copy.size));
    *array = copy;
    return GRACO_OK;
}

static graco_status check_given(const graco_array *given)
{
    if (given->dims < 1 || given->dims > 2)
        return status_fail(GRACO_ERROR_FORMAT, "%d dimensions: expected 1 or 2", given->dims);
    if (given->rows < 0)
        return status_fail(GRACO_ERROR_FORMAT, "%lld rows", (long long)given->rows);
    if (!given->data && (given->dims == 1 || given->cols != 0))
        return status_fail(GRACO_ERROR_FORMAT, "%lld rows without data", (long long)given->rows);
    return GRACO_OK;
}

static graco_status borrow(struct array *out, const graco_array *given)
{
    const int64_t shape[2] = {given->rows, given->cols};
    PASS(check_given(given));
    if (given->type == GRACO_STRING)
        return status_fail(GRACO_ERROR_FORMAT, "an array holds str items where numbers are needed");
    if ((int)given->type < 0 || given->type > GRACO_STRING)
        return status_fail(GRACO_ERROR_FORMAT, "items of type %d: expected a graco_type",
                           (int)given->type);
    PASS(array_borrow(out, (enum array_type)given->type, given->data, given->dims, shape));
    int64_t width = given->dims == 2 ? given->cols : 1;
    bool gaps = given->stride != 0 && given->stride != width && out->count > 0;
    return gaps ? close_gaps(out, given->stride) : GRACO_OK;
}

/* An array of the one or two numbers that a file has in an array and a caller has not. */
static graco_status open_numbers(struct array *out, int64_t count, int64_t first, int64_t second)
{
    int64_t *items = NULL;
    PASS(array_create(out, &items, ARRAY_I64, 0, 1, &count));
    items[0] = first;
    if (count == 2)
        items[1] = second;
    return GRACO_OK;
}

graco_status given_open(struct member *member, const graco_arrays *arrays, const char *name)
{
    const graco_array *given = find(arrays, name), *rows = find(arrays, "edge_indptr");
    struct array *out = &member->read;
    if (given)
        PASS(member_named(borrow(out, given), name));
    else if (strcmp(name, "num_nodes") == 0 && (arrays->nodes != 0 || rows))
        PASS(open_numbers(out, 1, arrays->nodes != 0 ? arrays->nodes : rows->rows - 1, 0));
    else if (strcmp(name, "inductive") == 0)
        PASS(open_numbers(out, 1, arrays->inductive, 0));
    else if (strcmp(name, "x_shape") == 0)
        PASS(open_numbers(out, 2, arrays->x_indptr.rows - 1, arrays->x_cols));
    else
        return GRACO_OK;
    member->array = out;
    return GRACO_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static graco_status check_strings(const graco_array *given, int64_t count)
{
    const char *const *text = given->data;
    PASS(check_given(given));
    if (given->type != GRACO_STRING)
        return status_fail(GRACO_ERROR_FORMAT,
                           "an array holds items of type %d where strings are needed",
                           (int)given->type);
    if (given->dims != 1 || (given->stride != 0 && given->stride != 1))
        return status_fail(GRACO_ERROR_FORMAT,
                           "strings in %d dimensions, %lld apart: expected one "
                           "dimension without gaps",
                           given->dims, (long long)given->stride);
    if (count >= 0 && given->rows != count)
        return status_fail(GRACO_ERROR_FORMAT, "%lld rows: expected %lld", (long long)given->rows,
                           (long long)count);
    for (int64_t i = 0; i < given->rows; i++)
        if (!text[i])
            return status_fail(GRACO_ERROR_FORMAT, "string %lld is NULL", (long long)i);
    return GRACO_OK;
}

graco_status given_strings(char ***out, int64_t *count, const graco_arrays *arrays,
                           const char *name)
{
    graco_status status = GRACO_OK;
    const graco_array *given = find(arrays, name);
    char **list = NULL, *block = NULL;
    int64_t bytes = 0;
    if (!given)
        return GRACO_OK;
    TRY(member_named(check_strings(given, *count), name));
    const char *const *text = given->data;
    for (int64_t i = 0; i < given->rows; i++)
        bytes += (int64_t)strlen(text[i]) + 1;
    TRY(memory_alloc(&list, given->rows + 1, sizeof *list));
    TRY(memory_alloc(&block, bytes, 1));
    list[0] = block;
    for (int64_t i = 0; i < given->rows; i++) {
        size_t length = strlen(text[i]) + 1;
        list[i] = memcpy(block, text[i], length);
        block += length;
    }
    *count = given->rows;
    *out = list;
    list = NULL;
done:
    memory_free(list);
    return status;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* Fills the end of every edge that the caller gives as compressed rows. */
static graco_status expand_rows(int32_t **out, const struct dataset_parts *parts,
                                const struct members *members)
{
    graco_status status = GRACO_OK;
    struct csr rows = {0};
    int64_t nodes = members->arrays->nodes,
            starts = nodes > 0 && nodes < INT32_MAX ? nodes + 1 : -1;
    TRY(member_read(&rows.start, &starts, NULL, ARRAY_I64, members, "edge_indptr"));
    rows.rows = starts - 1;
    if (starts < 2 || rows.rows > INT32_MAX)
        FAIL(GRACO_ERROR_FORMAT, "edge_indptr has %lld rows: expected 2 to %lld", (long long)starts,
             (long long)INT32_MAX + 1);
    TRY(member_named(csr_check_starts(&rows, parts->edges), "edge_indptr"));
    TRY(memory_alloc(out, parts->edges, sizeof **out));
    csr_entry_rows(*out, &rows);
done:
    csr_clear(&rows);
    return status;
}

/* One end of every edge. An array of the library's own type is read in place, where the caller has it. */
static graco_status read_end(int32_t **out, bool *lent, int64_t *edges,
                             const struct members *members, const char *name)
{
    graco_status status = GRACO_OK;
    struct member end = {0};
    TRY(member_need(&end, members, name));
    TRY(array_expect(end.array, name, 1, *edges, 0));
    *edges = end.array->shape[0];
    *lent = end.array->type == ARRAY_I32 && !end.array->owned;
    if (*lent)
        memcpy(out, &end.array->data, sizeof *out);
    else
        TRY(member_take(out, ARRAY_I32, &end, name));
done:
    member_clear(&end);
    return status;
}

graco_status given_edges(struct dataset_parts *parts, const struct members *members)
{
    const graco_arrays *arrays = members->arrays;
    bool source = find(arrays, "source"), target = find(arrays, "target");
    bool rows = find(arrays, "edge_indptr");
    if (!source && !target && !rows)
        return GRACO_OK;
    if (source + target + rows != 2)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%d of the arrays source, target and edge_indptr: expected two",
                           source + target + rows);
    parts->edges = -1;
    if (source)
        PASS(read_end(&parts->source, &parts->lent_source, &parts->edges, members, "source"));
    if (target)
        PASS(read_end(&parts->target, &parts->lent_target, &parts->edges, members, "target"));
    return rows ? expand_rows(source ? &parts->target : &parts->source, parts, members) : GRACO_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Seconds as days: float32 has too few digits for seconds of now. */
static graco_status take_days(float **out, const struct array *array)
{
    int64_t *whole = NULL;
    const double *real = array->type == ARRAY_F64 ? array->data : NULL;
    if (!real)
        PASS(array_to_i64(&whole, array));
    graco_status status = memory_alloc(out, array->count, sizeof **out);
    for (int64_t r = 0; status == GRACO_OK && r < array->count; r++)
        (*out)[r] = (float)((real ? real[r] : (double)whole[r]) / 86400);
    memory_free(whole);
    return status;
}

/* Numbers, of which only NaN is not finite. */
static graco_status take_numbers(struct column *out, const graco_feature *given)
{
    graco_status status = GRACO_OK;
    struct array array = {0};
    float *number = NULL;
    TRY(borrow(&array, &given->values));
    TRY((given->times ? take_days : array_to_f32)(&number, &array));
    for (int64_t r = 0; r < given->values.rows; r++)
        if (isinf(number[r]))
            FAIL(GRACO_ERROR_FORMAT, "row %lld is %g: expected a finite number, or NaN for a gap",
                 (long long)r, (double)number[r]);
    out->kind = given->times                       ? COLUMN_DATES
                : given->values.type == GRACO_BOOL ? COLUMN_TRUTHS
                                                   : COLUMN_NUMBERS;
    out->number = out->owned = number;
    out->stride = 1;
    number = NULL;
done:
    memory_free(number);
    array_clear(&array);
    return status;
}

/* Numbers of words, as a column of words that stand in its rows. */
static graco_status take_coded(struct column *out, const graco_feature *given)
{
    graco_status status = GRACO_OK;
    struct array array = {0};
    int32_t *code = NULL;
    const char *const *words = given->words.data;
    int64_t rows = given->values.rows, count = given->words.rows;
    TRY(check_strings(&given->words, -1));
    TRY(borrow(&array, &given->values));
    TRY(array_take_i32(&code, &array));
    out->kind = COLUMN_WORDS;
    TRY(names_create(&out->words));
    for (int64_t r = 0; r < rows; r++) {
        if (code[r] < -1 || code[r] >= count)
            FAIL(GRACO_ERROR_FORMAT, "row %lld has the word %ld: expected -1 to %lld", (long long)r,
                 (long)code[r], (long long)count - 1);
        if (code[r] >= 0)
            TRY(names_add(&code[r], out->words, words[code[r]], (int64_t)strlen(words[code[r]])));
    }
    out->code = code;
    code = NULL;
done:
    memory_free(code);
    array_clear(&array);
    return status;
}

static graco_status take_column(struct column *out, const graco_feature *given)
{
    const graco_array *values = &given->values;
    PASS(memory_string(&out->name, given->name));
    utf8_mend(out->name);
    PASS(check_given(values));
    if (values->dims != 1)
        return status_fail(GRACO_ERROR_FORMAT, "%d dimensions: expected 1", values->dims);
    if (given->words.data)
        return take_coded(out, given);
    if (values->type != GRACO_STRING)
        return take_numbers(out, given);
    if (values->stride != 0 && values->stride != 1)
        return status_fail(GRACO_ERROR_FORMAT, "strings %lld apart: expected no gaps",
                           (long long)values->stride);
    return column_of_texts(out, values->data, values->rows);
}

graco_status given_columns(struct columns **out, const graco_arrays *arrays)
{
    graco_status status = GRACO_OK;
    struct columns *made = NULL;
    if (!arrays || arrays->column_count == 0)
        return GRACO_OK;
    if (arrays->x.data || arrays->x_indptr.data)
        FAIL(GRACO_ERROR_FORMAT, "both x and columns: expected one of them");
    TRY(columns_create(&made, arrays->columns[0].values.rows, arrays->column_count));
    for (int64_t c = 0; c < made->count; c++) {
        const graco_feature *given = &arrays->columns[c];
        if (!given->name || given->values.rows != made->rows)
            FAIL(GRACO_ERROR_FORMAT,
                 "column %lld has %s and %lld rows: expected a name and %lld rows", (long long)c,
                 given->name ? "a name" : "no name", (long long)given->values.rows,
                 (long long)made->rows);
        status = take_column(&made->list[c], given);
        if (status != GRACO_OK) {
            status_context(status, "column `%.80s`", given->name);
            goto done;
        }
    }
    TRY(columns_check(made, "features"));
    *out = made;
    made = NULL;
done:
    columns_free(made);
    return status;
}

/* ---- There and back -------------------------------------------------------------------------- */

/* A line on what the columns became: "12 features: `age` standardised with gaps, ...". */
static graco_status note_columns(graco_dataset *data)
{
    char note[GIVEN_NOTE], said[GIVEN_NOTE - 32];
    int slot = 0;
    while (slot < DATASET_NOTES - 1 && data->notes[slot])
        slot++;
    if (!data->preparation || data->preparation->plain || data->notes[slot])
        return GRACO_OK;
    preparation_say(said, sizeof said, data->preparation);
    snprintf(note, sizeof note, "%lld features: %s", (long long)data->features.cols, said);
    return memory_string(&data->notes[slot], note);
}

graco_status graco_dataset_create(graco_dataset **out, const graco_arrays *arrays)
{
    graco_dataset *data = NULL;
    const graco_load_options options = {.undirected = arrays->undirected};
    const struct source source = {
        .name = arrays->name, .options = &options, .members = {.arrays = arrays}};
    PASS(reader_native.read(&data, &source));
    graco_status status = note_columns(data);
    if (status != GRACO_OK) {
        graco_dataset_free(data);
        return status;
    }
    *out = data;
    return GRACO_OK;
}

/* NULL data: no such array. cols -1: a vector. */
static graco_array lend(const void *data, graco_type type, int64_t rows, int64_t cols)
{
    if (!data)
        return (graco_array){0};
    return (graco_array){.data = data,
                         .type = type,
                         .dims = cols < 0 ? 1 : 2,
                         .rows = rows,
                         .cols = cols < 0 ? 0 : cols};
}

graco_arrays graco_dataset_arrays(const graco_dataset *data)
{
    const struct csr *in = &data->graph->in, *sparse = &data->features.sparse;
    int64_t nodes = data->graph->nodes, entries = sparse->start ? sparse->start[nodes] : 0;
    const void *labels = data->label ? (const void *)class_numbers(data) : data->multi;
    return (graco_arrays){
        .name = data->name,
        .nodes = nodes,
        .source = lend(in->index, GRACO_INT32, data->graph->edges, -1),
        .edge_indptr = lend(in->start, GRACO_INT64, nodes + 1, -1),
        .edge_weight = lend(in->value, GRACO_FLOAT32, data->graph->edges, -1),
        .x = lend(data->features.dense, GRACO_FLOAT32, nodes, data->features.cols),
        .x_indptr = lend(sparse->start, GRACO_INT64, nodes + 1, -1),
        .x_indices = lend(sparse->index, GRACO_INT32, entries, -1),
        .x_data = lend(sparse->value, GRACO_FLOAT32, entries, -1),
        .x_cols = sparse->start ? sparse->cols : 0,
        .y = lend(labels, data->label ? GRACO_INT32 : GRACO_UINT8, nodes,
                  data->label ? -1 : data->classes),
        .split = lend(data->split, GRACO_UINT8, nodes, -1),
        .label_mask = lend(data->label_known, GRACO_UINT8, nodes, -1),
        .graph_id = lend(data->graph_id, GRACO_INT32, nodes, -1),
        .node_ids = lend(data->node_ids, GRACO_STRING, nodes, -1),
        .class_names = lend(data->class_names, GRACO_STRING, data->numbers, -1),
        .inductive = data->inductive,
    };
}
