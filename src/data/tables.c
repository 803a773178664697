/* Ids are node numbers, or names if any of them is no number; then the tables need a column of ids. A
 * table may name nodes without edges. Every node needs features if there is a table of them; a node
 * without a label is unknown. */
#include "data/tables.h"
#include "data/preparation.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How much of a file's name a note shows, its last bytes, and how many nodes a message names. */
enum { NOTE_FILE = 200, NAMED = 5 };

void tables_clear(struct tables *tables)
{
    table_edges_clear(&tables->edges);
    table_numbers_clear(&tables->features);
    csr_clear(&tables->sparse);
    columns_free(tables->columns);
    dataset_names_free(tables->column_names);
    table_labels_clear(&tables->labels);
    memory_free(tables->feature_node);
    memory_free(tables->label_node);
    for (int i = 0; i < DATASET_NOTES; i++)
        memory_free(tables->notes[i]);
}

graco_status tables_note(struct tables *tables, const char *file, const char *text)
{
    char note[TABLES_NOTE + NOTE_FILE + 3];
    size_t length = strlen(file);
    int slot = 0;
    while (slot < DATASET_NOTES - 1 && tables->notes[slot])
        slot++;
    memory_free(tables->notes[slot]);
    tables->notes[slot] = NULL;
    snprintf(note, sizeof note, "%s: %s", length > NOTE_FILE ? file + length - NOTE_FILE : file,
             text);
    return memory_string(&tables->notes[slot], note);
}

void tables_direct(struct tables *tables, const graco_load_options *options, bool listed)
{
    tables->listed = listed;
    tables->undirected = options->undirected || (listed && !options->directed);
}

const char *tables_say_direction(const struct tables *tables)
{
    if (!tables->listed)
        return "";
    return tables->undirected ? "; undirected" : "; directed";
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

graco_status tables_options(struct table_options *out, const graco_load_options *options)
{
    static const struct {
        const char *word;
        char separator;
    } delimiters[] = {{"tab", '\t'}, {"comma", ','}, {"space", ' '}};
    const char *header = options->header, *delimiter = options->delimiter;
    *out = (struct table_options){.id_column = options->id_column,
                                  .unweighted = options->unweighted,
                                  .source = options->source,
                                  .target = options->target,
                                  .weight = options->weight};
    if (options->unweighted && options->weight)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "unweighted and weight '%s' are both set: expected one of them",
                           options->weight);
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

/* How many nodes have no row; the first of them, as a message names them, go to `text`. */
static int64_t list_missing(char text[TABLES_NOTE], const struct tables *tables,
                            const uint8_t *seen)
{
    int64_t missing = 0;
    int used = 0;
    for (int64_t i = 0; i < tables->nodes; i++) {
        if (seen[i] || missing++ >= NAMED)
            continue;
        used += tables->edges.names
                    ? snprintf(text + used, (size_t)(TABLES_NOTE - used), "%s'%.100s'",
                               used ? ", " : "", names_text(tables->edges.names, i))
                    : snprintf(text + used, (size_t)(TABLES_NOTE - used), "%s%" PRId64,
                               used ? ", " : "", i);
    }
    return missing;
}

static graco_status check_complete(const struct tables *tables, const uint8_t *seen,
                                   const char *file)
{
    char names[TABLES_NOTE];
    int64_t missing = list_missing(names, tables, seen);
    if (missing == 0)
        return GRACO_OK;
    if (missing == 1)
        return status_fail(GRACO_ERROR_FORMAT, "%s has no row for node %s", file, names);
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s has no row for %" PRId64 " of %" PRId64 " nodes: %s%s", file, missing,
                       tables->nodes, names, missing > NAMED ? ", ..." : "");
}

/* Every node must have one row of features. `file` has them. */
static graco_status check_features(const struct tables *tables, const char *file)
{
    graco_status status = GRACO_OK;
    uint8_t *seen = NULL;
    int64_t rows = tables->sparse.start ? tables->sparse.rows : tables->features.rows;
    TRY(memory_zalloc(&seen, tables->nodes, sizeof *seen));
    for (int64_t r = 0; r < rows; r++) {
        int64_t node = tables->feature_node ? tables->feature_node[r] : r;
        if (seen[node]++) /* "7" and "07" are two ids of one node */
            FAIL(GRACO_ERROR_FORMAT, "%s has two rows for node %ld", file, (long)node);
    }
    TRY(check_complete(tables, seen, file));
done:
    memory_free(seen);
    return status;
}

static bool has_features(const struct tables *tables)
{
    return tables->sparse.start || tables->features.data || tables->columns;
}

/* Columns of a mixed table, or of one of numbers, whose matrix the features keep. */
static graco_status take_columns(struct dataset_parts *parts, struct tables *tables)
{
    if (!tables->columns) {
        PASS(columns_of_matrix(&parts->columns, parts->features.dense, true, parts->features.rows,
                               parts->features.cols, (const char *const *)tables->column_names));
        parts->columns->unnamed = !tables->features.header;
        return GRACO_OK;
    }
    if (tables->feature_node)
        PASS(columns_order(tables->columns, tables->feature_node));
    parts->columns = tables->columns;
    tables->columns = NULL;
    return GRACO_OK;
}

static graco_status take_features(struct dataset_parts *parts, struct tables *tables)
{
    struct table_numbers *table = &tables->features;
    size_t bytes = (size_t)table->cols * sizeof *table->data;
    if (tables->sparse.start) {
        parts->features = features_of(tables->sparse);
        tables->sparse = (struct csr){0};
        return GRACO_OK;
    }
    parts->features.rows = table->rows;
    parts->features.cols = table->cols;
    if (!tables->feature_node) {
        parts->features.dense = table->data;
        table->data = NULL;
        return GRACO_OK;
    }
    PASS(memory_alloc(&parts->features.dense, table->rows, bytes));
    for (int64_t r = 0; r < table->rows; r++)
        memcpy(parts->features.dense + tables->feature_node[r] * table->cols,
               table->data + r * table->cols, bytes);
    return GRACO_OK;
}

/* No node may have two labels, such as by the ids "7" and "07", and one at least must be known without
 * them: `before` nodes were. Ids that are all unknown belong to other nodes. `file` has the labels. */
static graco_status check_labels(const struct tables *tables, const char *file, int64_t before)
{
    graco_status status = GRACO_OK;
    const struct names *edges = tables->edges.names, *ids = tables->labels.ids;
    int64_t rows = tables->labels.count, known = 0;
    uint8_t *seen = NULL;
    TRY(memory_zalloc(&seen, tables->nodes, sizeof *seen));
    for (int64_t r = 0; r < rows; r++) {
        int32_t node = tables->label_node[r];
        known += node < before;
        if (seen[node]++)
            FAIL(GRACO_ERROR_FORMAT, "%s has two rows for node %ld", file, (long)node);
    }
    if (ids && known == 0)
        FAIL(GRACO_ERROR_FORMAT,
             "%s names no node of the graph: its first id is '%.100s', and '%.100s' is a node",
             file, names_text(ids, 0), edges ? names_text(edges, 0) : "0");
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
        parts->label[tables->label_node ? tables->label_node[r] : r] = tables->labels.label[r];
    return GRACO_OK;
}

/* Adds a text to the end of a note. */
static graco_status extend_note(char **note, const char *text)
{
    char longer[3 * TABLES_NOTE], *last = *note;
    snprintf(longer, sizeof longer, "%s%s", last, text);
    *note = NULL;
    graco_status status = memory_string(note, longer);
    memory_free(last);
    return status;
}

/* Adds to the last note, which is on labels, how many nodes have none, and how many the labels added to
 * the `before` that were known. */
static graco_status note_unlabelled(struct tables *tables, int64_t before)
{
    char text[TABLES_NOTE] = "", added[64] = "";
    int64_t known = 0, more = tables->nodes - before;
    int slot = DATASET_NOTES - 1;
    while (slot > 0 && !tables->notes[slot])
        slot--;
    for (int64_t r = 0; r < tables->labels.count; r++)
        known += tables->labels.label[r] >= 0;
    if (known >= tables->nodes && more == 0)
        return GRACO_OK;
    if (more > 0)
        snprintf(added, sizeof added, "; %" PRId64 " of its nodes ha%s no edge", more,
                 more == 1 ? "s" : "ve");
    int used = 0;
    if (known < tables->nodes)
        used = snprintf(text, sizeof text, "; %" PRId64 " of %" PRId64 " nodes have no label",
                        tables->nodes - known, tables->nodes);
    snprintf(text + used, sizeof text - (size_t)used, "%s", added);
    return extend_note(&tables->notes[slot], text);
}

/* The numbers of all nodes, and which rows are whose. */
static graco_status number_nodes(struct tables *tables, const struct source *source)
{
    const char *features = source->options->features_path, *labels = source->options->labels_path;
    tables->nodes = tables->edges.nodes;
    if (features) {
        table_numbers_clear(&tables->features);
        PASS(tables_read_features(tables, features));
    }
    if (tables->sparse.start && tables->sparse.rows > tables->nodes)
        tables->nodes = tables->sparse.rows;
    if (features && (tables->features.data || tables->columns))
        PASS(resolve(&tables->feature_node, tables, features, tables->features.ids,
                     tables->features.rows));
    if (labels) {
        table_labels_clear(&tables->labels);
        PASS(tables_read_labels(tables, labels));
        int64_t before = tables->nodes;
        PASS(
            resolve(&tables->label_node, tables, labels, tables->labels.ids, tables->labels.count));
        PASS(check_labels(tables, labels, before));
        PASS(note_unlabelled(tables, before));
    }
    return has_features(tables) ? check_features(tables, features ? features : source->path)
                                : GRACO_OK;
}

/* Each row of a list without weights weighs 1, so that a repeated edge weighs as much as it has rows. */
static graco_status count_rows(struct tables *tables)
{
    struct table_edges *edges = &tables->edges;
    if (edges->weight)
        return GRACO_OK;
    PASS(memory_alloc(&edges->weight, edges->count, sizeof *edges->weight));
    for (int64_t e = 0; e < edges->count; e++)
        edges->weight[e] = 1;
    return GRACO_OK;
}

/* Adds to the note on features what columns became. */
static graco_status note_preparation(struct graco_dataset *data, int slot)
{
    char text[TABLES_NOTE], said[TABLES_NOTE - 32];
    preparation_say(said, sizeof said, data->preparation);
    snprintf(text, sizeof text, "; %" PRId64 " features: %s", data->features.cols, said);
    return extend_note(&data->notes[slot], text);
}

/* Adds to the first note, which is on edges, how many were merged. */
static graco_status note_repeats(struct graco_dataset *data, bool weighted, bool counted)
{
    char text[128];
    int64_t count = data->duplicates;
    if (count == 0)
        return GRACO_OK;
    snprintf(text, sizeof text, "; %" PRId64 " row%s an edge and %s merged%s", count,
             count == 1 ? " repeats" : "s repeat", count == 1 ? "is" : "are",
             weighted  ? ", weights added"
             : counted ? ", and counted as weights"
                       : "");
    return extend_note(&data->notes[0], text);
}

graco_status tables_create(struct graco_dataset **out, struct tables *tables,
                           const struct source *source)
{
    graco_status status = GRACO_OK;
    struct dataset_parts parts = {
        .name = source->name, .undirected = tables->undirected, .listed = tables->listed};
    struct graco_dataset *data = NULL;
    bool weighted = tables->edges.weight;
    TRY(number_nodes(tables, source));
    if (source->options->count_repeats)
        TRY(count_rows(tables));
    parts.nodes = tables->nodes;
    parts.edges = tables->edges.count;
    parts.source = tables->edges.source;
    parts.target = tables->edges.target;
    parts.weights = tables->edges.weight;
    tables->edges.source = tables->edges.target = NULL;
    tables->edges.weight = NULL;
    if (tables->sparse.start || tables->features.data)
        TRY(take_features(&parts, tables));
    if (tables->columns || tables->column_names)
        TRY(take_columns(&parts, tables));
    if (tables->labels.label)
        TRY(take_labels(&parts, tables));
    if (tables->labels.labels)
        TRY(names_list(&parts.class_names, tables->labels.labels));
    memcpy(parts.notes, tables->notes, sizeof parts.notes);
    memset(tables->notes, 0, sizeof tables->notes);
    if (tables->edges.names)
        TRY(names_list(&parts.node_ids, tables->edges.names));
    TRY(dataset_create(&data, &parts));
    if (data->preparation && !data->preparation->plain)
        TRY(note_preparation(data, tables->feature_note));
    if (tables->listed)
        TRY(note_repeats(data, weighted, source->options->count_repeats));
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    dataset_parts_clear(&parts);
    return status;
}
