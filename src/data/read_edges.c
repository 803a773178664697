/* Text tables: an edge list, and features and labels beside it.
 *
 * Ids are node numbers, or names if any of them is no number; then the tables need a column of ids.
 * A table may name nodes without edges. Every node needs features if there is a table of them; a
 * node without a label is unknown. */
#include "data/readers.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/tables/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tables {
    struct table_edges edges;
    struct table_numbers features;
    struct table_labels labels;
    int64_t nodes;
    int32_t *feature_node; /* (features.rows) node of each row */
    int32_t *label_node;   /* (labels.count) */
    struct table_options how;
    char *notes[DATASET_NOTES];
};

static void tables_clear(struct tables *tables)
{
    table_edges_clear(&tables->edges);
    table_numbers_clear(&tables->features);
    table_labels_clear(&tables->labels);
    memory_free(tables->feature_node);
    memory_free(tables->label_node);
    for (int i = 0; i < DATASET_NOTES; i++)
        memory_free(tables->notes[i]);
}

/* A node number of plain digits below `limit`, -1 if the text is none. */
static int32_t node_number(const char *text, int64_t limit)
{
    int64_t number = 0;
    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || number > INT32_MAX)
            return -1;
        number = number * 10 + (*text - '0');
    }
    return number < limit ? (int32_t)number : -1;
}

/* The node of each row of a table. Ids may name nodes that no edge has, but a number must not leave
 * a gap larger than the table: it would be a mistake, and cost memory without bound. */
static graco_status resolve(int32_t **out, struct tables *tables, const char *file,
                            const struct names *ids, int64_t rows)
{
    int64_t limit = tables->edges.nodes + rows;
    PASS(memory_alloc(out, rows, sizeof **out));
    if (!ids && tables->edges.names)
        return status_fail(
            GRACO_ERROR_FORMAT,
            "%s has no column of ids: expected one, because the nodes of the edge list have names",
            file);
    for (int64_t r = 0; r < rows; r++) {
        if (!ids) {
            (*out)[r] = (int32_t)r;
        } else if (tables->edges.names) {
            const char *text = names_text(ids, r);
            PASS(names_add(&(*out)[r], tables->edges.names, text, (int64_t)strlen(text)));
        } else {
            (*out)[r] = node_number(names_text(ids, r), limit);
            if ((*out)[r] < 0)
                return status_fail(GRACO_ERROR_FORMAT,
                                   "%s has a row for '%s': expected a node number below %lld", file,
                                   names_text(ids, r), (long long)limit);
        }
        if ((*out)[r] >= tables->nodes)
            tables->nodes = (int64_t)(*out)[r] + 1;
    }
    return GRACO_OK;
}

static graco_status take_options(struct table_options *out, const graco_load_options *options)
{
    static const struct {
        const char *word;
        char separator;
    } delimiters[] = {{"tab", '\t'}, {"comma", ','}, {"space", ' '}};
    const char *header = options->header, *delimiter = options->delimiter;
    *out =
        (struct table_options){.id_column = options->id_column, .unweighted = options->unweighted};
    if (header && strcmp(header, "yes") != 0 && strcmp(header, "no") != 0)
        return status_fail(GRACO_ERROR_ARGUMENT, "header '%s': expected yes or no", header);
    if (header)
        out->header = header[0] == 'y' ? TABLE_HEADER_YES : TABLE_HEADER_NO;
    for (size_t i = 0; delimiter && i < sizeof delimiters / sizeof *delimiters; i++)
        if (strcmp(delimiter, delimiters[i].word) == 0)
            out->separator = delimiters[i].separator;
    if (!delimiter || out->separator)
        return GRACO_OK;
    if (strlen(delimiter) != 1 || strchr("\"\r\n", *delimiter))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "delimiter '%s': expected one character, tab, comma or space",
                           delimiter);
    out->separator = *delimiter;
    return GRACO_OK;
}

/* ---- What was understood, a line for each table ------------------------------------------------ */

/* How long a note may be; the file is named in full by what fails, here by its last bytes. */
enum { NOTE_MAX = 512, NOTE_NAME = 40, NOTE_FILE = 200 };

static const char *last_bytes(const char *file)
{
    size_t length = strlen(file);
    return length > NOTE_FILE ? file + length - NOTE_FILE : file;
}

static const char *say_header(bool header)
{
    return header ? "header" : "no header";
}

/* "column 3 `since` is no weight and left out; ". */
static const char *say_weights(char text[NOTE_MAX], const struct table_edges *edges)
{
    int length = (int)(edges->other.length < NOTE_NAME ? edges->other.length : NOTE_NAME);
    if (length == 0)
        return edges->left_out ? "weights, which are left out; " : edges->weight ? "weights; " : "";
    snprintf(text, NOTE_MAX, "column 3 `%.*s` is no weight and left out; ", length,
             edges->other.text);
    return text;
}

static graco_status note_edges(struct tables *tables, const char *file)
{
    char note[2 * NOTE_MAX], weights[NOTE_MAX];
    const struct table_edges *edges = &tables->edges;
    snprintf(note, sizeof note, "%s: %" PRId64 " edges; nodes have %s; %s%s", last_bytes(file),
             edges->count, edges->names ? "names" : "numbers", say_weights(weights, edges),
             edges->matrix_market ? "MatrixMarket" : say_header(edges->header));
    return memory_string(&tables->notes[0], note);
}

/* "column 1 `node_id` names nodes". */
static const char *say_ids(char text[NOTE_MAX], int64_t column, struct scan_field name)
{
    int length = (int)(name.length < NOTE_NAME ? name.length : NOTE_NAME);
    if (column == 0)
        return "rows are in the order of the nodes";
    snprintf(text, NOTE_MAX, "column %" PRId64 "%s%.*s%s names nodes", column,
             length > 0 ? " `" : "", length, length > 0 ? name.text : "", length > 0 ? "`" : "");
    return text;
}

static graco_status note_features(struct tables *tables, const char *file)
{
    char note[2 * NOTE_MAX], ids[NOTE_MAX];
    const struct table_numbers *table = &tables->features;
    snprintf(note, sizeof note, "%s: %s; %" PRId64 " features; %s", last_bytes(file),
             say_ids(ids, table->id_column, table->id_name), table->cols,
             say_header(table->header));
    return memory_string(&tables->notes[1], note);
}

static graco_status note_labels(struct tables *tables, const char *file)
{
    char note[2 * NOTE_MAX], ids[NOTE_MAX];
    const struct table_labels *table = &tables->labels;
    snprintf(note, sizeof note, "%s: %s; %" PRId64 " classes, which have %s; %s", last_bytes(file),
             say_ids(ids, table->id_column, (struct scan_field){0}), table->classes,
             table->labels ? "names" : "numbers", say_header(table->header));
    return memory_string(&tables->notes[tables->notes[1] ? 2 : 1], note);
}

static graco_status read_feature_table(struct tables *tables, const char *file)
{
    graco_status status = GRACO_OK;
    struct file_map map = {0};
    enum table_ids ids = tables->edges.names ? TABLE_IDS_FIRST : TABLE_IDS_AUTO;
    TRY(file_map_open(&map, file));
    TRY(table_numbers_read(&tables->features, file, map.data, map.length, ids, &tables->how));
    TRY(note_features(tables, file));
    TRY(resolve(&tables->feature_node, tables, file, tables->features.ids, tables->features.rows));
done:
    file_map_close(&map);
    return status;
}

static graco_status read_label_table(struct tables *tables, const char *file)
{
    graco_status status = GRACO_OK;
    struct file_map map = {0};
    TRY(file_map_open(&map, file));
    TRY(table_labels_read(&tables->labels, file, map.data, map.length, &tables->how));
    TRY(note_labels(tables, file));
    TRY(resolve(&tables->label_node, tables, file, tables->labels.ids, tables->labels.count));
done:
    file_map_close(&map);
    return status;
}

static graco_status read_tables(struct tables *tables, const char *path,
                                const graco_load_options *options)
{
    graco_status status = GRACO_OK;
    struct file_map map = {0};
    TRY(take_options(&tables->how, options));
    TRY(file_map_open(&map, path));
    TRY(table_edges_read(&tables->edges, path, map.data, map.length, &tables->how));
    TRY(note_edges(tables, path));
    tables->nodes = tables->edges.nodes;
    if (options->features_path)
        TRY(read_feature_table(tables, options->features_path));
    if (options->labels_path)
        TRY(read_label_table(tables, options->labels_path));
done:
    file_map_close(&map);
    return status;
}

/* Fails at the first node without features. */
static graco_status check_complete(const struct tables *tables, const uint8_t *seen,
                                   const char *file)
{
    for (int64_t i = 0; i < tables->nodes; i++) {
        if (seen[i])
            continue;
        if (tables->edges.names)
            return status_fail(GRACO_ERROR_FORMAT, "%s has no row for node '%s'", file,
                               names_text(tables->edges.names, i));
        return status_fail(GRACO_ERROR_FORMAT, "%s has no row for node %lld", file, (long long)i);
    }
    return GRACO_OK;
}

static graco_status take_features(struct dataset_parts *parts, const struct tables *tables,
                                  const char *file)
{
    graco_status status = GRACO_OK;
    const struct table_numbers *table = &tables->features;
    size_t bytes = (size_t)table->cols * sizeof *table->data;
    uint8_t *seen = NULL;
    TRY(memory_zalloc(&seen, tables->nodes, sizeof *seen));
    for (int64_t r = 0; r < table->rows; r++) {
        int32_t node = tables->feature_node[r];
        if (seen[node]++) /* "7" and "07" are two ids of one node */
            FAIL(GRACO_ERROR_FORMAT, "%s has two rows for node %ld", file, (long)node);
    }
    TRY(check_complete(tables, seen, file));
    parts->features.rows = table->rows;
    parts->features.cols = table->cols;
    TRY(memory_alloc(&parts->features.dense, table->rows, bytes));
    for (int64_t r = 0; r < table->rows; r++)
        memcpy(parts->features.dense + tables->feature_node[r] * table->cols,
               table->data + r * table->cols, bytes);
done:
    memory_free(seen);
    return status;
}

static graco_status take_labels(struct dataset_parts *parts, const struct tables *tables)
{
    parts->classes = tables->labels.classes;
    PASS(memory_alloc(&parts->label, tables->nodes, sizeof *parts->label));
    for (int64_t i = 0; i < tables->nodes; i++)
        parts->label[i] = -1;
    for (int64_t r = 0; r < tables->labels.count; r++)
        parts->label[tables->label_node[r]] = tables->labels.label[r];
    return GRACO_OK;
}

static graco_status read_edges(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    const graco_load_options *options = source->options;
    struct tables tables = {0};
    struct dataset_parts parts = {.name = source->name, .undirected = options->undirected};
    TRY(read_tables(&tables, source->path, options));
    parts.nodes = tables.nodes;
    parts.edges = tables.edges.count;
    parts.source = tables.edges.source;
    parts.target = tables.edges.target;
    parts.weights = tables.edges.weight;
    tables.edges.source = tables.edges.target = NULL;
    tables.edges.weight = NULL;
    if (options->features_path)
        TRY(take_features(&parts, &tables, options->features_path));
    if (options->labels_path)
        TRY(take_labels(&parts, &tables));
    if (tables.labels.labels)
        TRY(names_list(&parts.class_names, tables.labels.labels));
    memcpy(parts.notes, tables.notes, sizeof parts.notes);
    memset(tables.notes, 0, sizeof tables.notes);
    if (tables.edges.names)
        TRY(names_list(&parts.node_ids, tables.edges.names));
    TRY(dataset_create(out, &parts));
done:
    tables_clear(&tables);
    dataset_parts_clear(&parts);
    return status;
}

const struct reader reader_edges = {
    .format = "an edge list",
    .places = PLACE_TEXT,
    .read = read_edges,
};
