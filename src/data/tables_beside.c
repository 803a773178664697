/* The files beside a graph: features and labels as text tables, features also as a MatrixMarket file, a
 * scipy matrix or a .npy array, labels as a .npy array. Each is known by its first bytes. */
#include "data/scipy_matrix.h"
#include "data/tables.h"

#include "base/memory.h"
#include "io/tables/matrix_market.h"
#include "io/tables/table_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How much of a column's name a note shows. */
enum { NOTE_NAME = 40 };

static bool begins(const struct member_bytes *bytes, const char *text)
{
    int64_t length = (int64_t)strlen(text);
    return bytes->length >= length && memcmp(bytes->data, text, (size_t)length) == 0;
}

/* "column 1 `node_id` names nodes". */
static const char *say_ids(char text[TABLES_NOTE], int64_t column, struct scan_field name)
{
    int length = (int)(name.length < NOTE_NAME ? name.length : NOTE_NAME);
    if (column == 0)
        return "rows are in the order of the nodes";
    snprintf(text, TABLES_NOTE, "column %" PRId64 "%s%.*s%s names nodes", column,
             length > 0 ? " `" : "", length, length > 0 ? name.text : "", length > 0 ? "`" : "");
    return text;
}

/* ---- Features -------------------------------------------------------------------------------- */

static graco_status note_matrix(struct tables *tables, const char *file, int64_t cols,
                                const char *format)
{
    char note[TABLES_NOTE];
    snprintf(note, sizeof note, "rows are in the order of the nodes; %" PRId64 " features; %s",
             cols, format);
    return tables_note(tables, file, note);
}

/* Row r of a matrix is node r, and only numbers say which node that is. */
static graco_status need_numbers(const struct tables *tables, const char *file)
{
    if (!tables->edges.names)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has no column of ids: expected one, because the nodes of the graph have "
                       "names",
                       file);
}

static graco_status take_entries(struct tables *tables, const char *file, struct entries *entries,
                                 const char *format)
{
    PASS(need_numbers(tables, file));
    PASS(member_named(entries_check(entries, tables->nodes), file));
    PASS(entries_gather(&tables->sparse, entries));
    return note_matrix(tables, file, entries->cols, format);
}

static graco_status read_scipy(struct tables *tables, const char *file,
                               const struct member_bytes *bytes)
{
    graco_status status = GRACO_OK;
    struct members members = {0};
    struct entries entries = {0};
    TRY(member_named(member_bytes_archive(&members.npz, bytes), file));
    TRY(member_named(scipy_matrix_read(&entries, &members, true), file));
    TRY(take_entries(tables, file, &entries, "a scipy matrix"));
done:
    entries_clear(&entries);
    npz_close(members.npz);
    return status;
}

static graco_status read_market(struct tables *tables, const char *file,
                                const struct member_bytes *bytes)
{
    graco_status status = GRACO_OK;
    struct table_edges read = {0};
    struct entries entries = {0};
    TRY(matrix_market_matrix(&read, &entries.cols, file, bytes->data, bytes->length));
    entries.rows = read.nodes;
    entries.count = read.count;
    entries.row = read.source;
    entries.col = read.target;
    entries.value = read.weight;
    TRY(take_entries(tables, file, &entries, "MatrixMarket"));
done:
    table_edges_clear(&read);
    return status;
}

static graco_status read_array(struct tables *tables, const char *file,
                               const struct member_bytes *bytes)
{
    graco_status status = GRACO_OK;
    struct array array = {0};
    TRY(need_numbers(tables, file));
    TRY(member_named(npy_decode_borrowed(&array, bytes->data, bytes->length), file));
    TRY(array_expect(&array, file, 2, -1, -1));
    tables->features.rows = array.shape[0];
    tables->features.cols = array.shape[1];
    TRY(member_named(array_take_f32(&tables->features.data, &array), file));
    TRY(note_matrix(tables, file, tables->features.cols, "an array"));
done:
    array_clear(&array);
    return status;
}

/* Reads columns of words, dates and gaps; the rest is as in a table of numbers. */
static graco_status read_columns(struct tables *tables, const char *file,
                                 const struct member_bytes *bytes, enum table_ids ids)
{
    struct table_columns read;
    PASS(table_columns_read(&read, file, bytes->data, bytes->length, ids, &tables->how));
    tables->columns = read.columns;
    tables->features = (struct table_numbers){.rows = read.columns->rows,
                                              .cols = read.columns->count,
                                              .ids = read.ids,
                                              .header = read.header,
                                              .id_column = read.id_column,
                                              .numbered = read.numbered,
                                              .id_name = read.id_name};
    return GRACO_OK;
}

/* A table of numbers, or else one of columns: this one is read where the other has something that is no number. */
static graco_status read_table(struct tables *tables, const char *file,
                               const struct member_bytes *bytes)
{
    char note[2 * TABLES_NOTE], said[TABLES_NOTE];
    struct table_numbers *table = &tables->features;
    enum table_ids ids = tables->edges.names ? TABLE_IDS_FIRST : TABLE_IDS_AUTO;
    graco_status status =
        table_numbers_read(table, file, bytes->data, bytes->length, ids, &tables->how);
    if (status == GRACO_ERROR_FORMAT &&
        table_is_mixed(file, bytes->data, bytes->length, ids, &tables->how))
        PASS(read_columns(tables, file, bytes, ids));
    else if (status == GRACO_ERROR_FORMAT) /* once more, for its message */
        return table_numbers_read(table, file, bytes->data, bytes->length, ids, &tables->how);
    else
        PASS(status);
    if (!tables->columns && table->cols < TABLE_COLUMNS) /* wider ones have no names */
        PASS(table_column_names(&tables->column_names, file, bytes->data, bytes->length, table,
                                &tables->how));
    snprintf(note, sizeof note, "%s; %" PRId64 " %s; %s%s",
             say_ids(said, table->id_column, table->id_name), table->cols,
             tables->columns ? "columns" : "features",
             table->numbered ? "row numbers, left out; " : "",
             table->header ? "header" : "no header");
    while (tables->feature_note < DATASET_NOTES - 1 && tables->notes[tables->feature_note])
        tables->feature_note++;
    return tables_note(tables, file, note);
}

graco_status tables_read_features(struct tables *tables, const char *file)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    TRY(member_bytes_file(&bytes, file));
    TRY((begins(&bytes, "PK\3\4")           ? read_scipy
         : begins(&bytes, "%%MatrixMarket") ? read_market
         : begins(&bytes, "\x93NUMPY")      ? read_array
                                            : read_table)(tables, file, &bytes));
done:
    member_bytes_clear(&bytes);
    return status;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static graco_status read_label_array(struct tables *tables, const char *file,
                                     const struct member_bytes *bytes)
{
    graco_status status = GRACO_OK;
    struct array array = {0};
    char note[TABLES_NOTE];
    int64_t classes = 0;
    TRY(need_numbers(tables, file));
    TRY(member_named(npy_decode_borrowed(&array, bytes->data, bytes->length), file));
    TRY(array_expect(&array, file, array.ndim == 2 ? 2 : 1, -1, 1));
    tables->labels.count = array.shape[0];
    TRY(member_named(array_take_i32(&tables->labels.label, &array), file));
    tables->labels.classes = dataset_classes(tables->labels.label, tables->labels.count);
    TRY(classes_count(&classes, tables->labels.label, tables->labels.count));
    snprintf(note, sizeof note, "rows are in the order of the nodes; %" PRId64 " classes; an array",
             classes);
    TRY(tables_note(tables, file, note));
done:
    array_clear(&array);
    return status;
}

/* Fails if the first line, a header by its label alone, may be a node's: its id is the name of one, or there is a line
 * for each node only together with it. */
static graco_status check_header(const struct tables *tables, const char *file)
{
    const struct table_labels *table = &tables->labels;
    const struct names *names = tables->edges.names;
    struct scan_field id = table->first[0];
    bool node = table->ids ? names && names_find(names, id.text, id.length) >= 0
                           : table->count + 1 == tables->nodes;
    return table->guessed && node ? table_fail_header(table->first[1], file) : GRACO_OK;
}

static graco_status read_label_table(struct tables *tables, const char *file,
                                     const struct member_bytes *bytes)
{
    char note[2 * TABLES_NOTE], ids[TABLES_NOTE];
    const struct table_labels *table = &tables->labels;
    int64_t classes = 0;
    PASS(table_labels_read(&tables->labels, file, bytes->data, bytes->length, &tables->how));
    PASS(check_header(tables, file));
    PASS(classes_count(&classes, table->label, table->count));
    snprintf(note, sizeof note, "%s; %" PRId64 " classes, which have %s; %s",
             say_ids(ids, table->id_column, (struct scan_field){0}), classes,
             table->labels ? "names" : "numbers", table->header ? "header" : "no header");
    return tables_note(tables, file, note);
}

graco_status tables_read_labels(struct tables *tables, const char *file)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    TRY(member_bytes_file(&bytes, file));
    TRY((begins(&bytes, "\x93NUMPY") ? read_label_array : read_label_table)(tables, file, &bytes));
done:
    member_bytes_clear(&bytes);
    return status;
}
