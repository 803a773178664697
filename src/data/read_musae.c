/* The layout of the MUSAE data sets (Facebook's pages, GitHub's developers, ...; Rozemberczki et al.
 * 2021): a folder or an archive with three files for a NAME
 *
 *     NAME_edges.csv       a header, then two node numbers a line; each edge stands there once
 *     NAME_target.csv      a header, then a line for each node; the label is the column page_type,
 *                          ml_target, target or mature, the node the column new_id or id
 *     NAME_features.json   {"0": [3, 7], ...}: the columns in which a node has a 1
 *
 * The graph is undirected, and there is no split. */
#include "data/readers.h"
#include "data/text_parts.h"

#include "base/memory.h"
#include "io/json/json.h"

#include <stdio.h>
#include <string.h>

enum { STEM = 192, NAME = 256, COLUMNS = 32 };

static const char edges_end[] = "_edges.csv", target_end[] = "_target.csv",
                  features_end[] = "_features.json";

static const char *name_of(char name[NAME], const char *stem, const char *end)
{
    snprintf(name, NAME, "%s%s", stem, end);
    return name;
}

/* The name of part i, "" if it lies in a folder; NULL past the end. */
static const char *part_at(const struct source *source, int64_t i)
{
    const struct members *members = &source->members;
    if (source->place == PLACE_FOLDER)
        return i < source->files.count ? source->files.names[i] : NULL;
    const char *name = npz_name(members->npz, i), *within = members->within ? members->within : "";
    if (!name || strncmp(name, within, strlen(within)) != 0)
        return name ? "" : NULL;
    name += strlen(within);
    return strchr(name, '/') ? "" : name;
}

/* The first NAME of which edges and features are there; false if there is none. */
static bool find_stem(char stem[STEM], const struct source *source)
{
    const char *part;
    char name[NAME];
    size_t end = sizeof edges_end - 1;
    for (int64_t i = 0; (part = part_at(source, i)); i++) {
        size_t length = strlen(part);
        if (length < end || length - end >= STEM || strcmp(part + length - end, edges_end) != 0)
            continue;
        snprintf(stem, STEM, "%.*s", (int)(length - end), part);
        if (members_have(&source->members, name_of(name, stem, features_end)))
            return true;
    }
    return false;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* How many columns each node names: the starts of the rows. */
static graco_status count_columns(struct csr *X, const struct json *root)
{
    int64_t node;
    PASS(memory_zalloc(&X->start, X->rows + 1, sizeof *X->start));
    for (int64_t i = 0; i < X->rows; i++) {
        const struct json *entry = json_at(root, i);
        PASS(part_node(&node, entry, X->rows));
        if (entry->kind != JSON_KIND_ARRAY)
            return status_fail(GRACO_ERROR_FORMAT, "node %lld: expected a list of columns",
                               (long long)node);
        X->start[node + 1] = json_size(entry);
    }
    for (int64_t i = 0; i < X->rows; i++)
        X->start[i + 1] += X->start[i];
    return GRACO_OK;
}

static graco_status fill_columns(struct csr *X, const struct json *root)
{
    int64_t node, column;
    PASS(memory_alloc(&X->index, X->start[X->rows], sizeof *X->index));
    PASS(memory_alloc(&X->value, X->start[X->rows], sizeof *X->value));
    for (int64_t i = 0; i < X->rows; i++) {
        const struct json *entry = json_at(root, i);
        PASS(part_node(&node, entry, X->rows));
        for (int64_t k = 0; k < json_size(entry); k++) {
            if (!json_as_int(&column, json_at(entry, k)) || column < 0 || column >= INT32_MAX)
                return status_fail(GRACO_ERROR_FORMAT,
                                   "item %lld of node %lld: expected a column from 0 on",
                                   (long long)k, (long long)node);
            X->index[X->start[node] + k] = (int32_t)column;
            X->value[X->start[node] + k] = 1;
            X->cols = column + 1 > X->cols ? column + 1 : X->cols;
        }
    }
    return csr_sort(X);
}

/* A column that a node names twice is still a 1. */
static void drop_repeated(struct csr *X)
{
    int64_t kept = 0, begin = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        int64_t end = X->start[i + 1], first = kept;
        for (int64_t e = begin; e < end; e++)
            if (kept == first || X->index[e] != X->index[kept - 1])
                X->index[kept++] = X->index[e];
        begin = end;
        X->start[i + 1] = kept;
    }
}

static graco_status read_features(struct dataset_parts *parts, const struct members *members,
                                  const char *name)
{
    graco_status status = GRACO_OK;
    struct json *root = NULL;
    struct csr X = {0};
    TRY(part_json(&root, members, name));
    X.rows = parts->nodes = json_size(root);
    if (root->kind != JSON_KIND_OBJECT || X.rows == 0)
        FAIL(GRACO_ERROR_FORMAT, "expected an object with an entry for each node");
    TRY(count_columns(&X, root));
    TRY(fill_columns(&X, root));
    drop_repeated(&X);
    parts->features = features_of(X);
    X = (struct csr){0};
done:
    csr_clear(&X);
    json_free(root);
    return member_named(status, name);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

struct label_columns {
    int id, label, count; /* from 0; -1: there is none */
};

static graco_status find_columns(struct label_columns *out, struct scan *scan)
{
    static const char *const labels[] = {"page_type", "ml_target", "target", "mature", NULL};
    static const char *const ids[] = {"id", NULL}, *const new_ids[] = {"new_id", NULL};
    struct scan_field fields[COLUMNS];
    *out = (struct label_columns){-1, -1, 0};
    if (scan_line(scan))
        PASS(scan_fields(fields, &out->count, COLUMNS, scan));
    for (int c = 0; c < out->count && c < COLUMNS; c++) {
        if (scan_listed(fields[c], labels))
            out->label = c;
        if (scan_listed(fields[c], new_ids) || (out->id < 0 && scan_listed(fields[c], ids)))
            out->id = c;
    }
    if (out->id >= 0 && out->label >= 0 && out->count <= COLUMNS)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "%s: expected a header with id and one of page_type, "
                       "ml_target, target, mature",
                       scan->file);
}

static graco_status take_label(struct table_labels *labels, const struct label_columns *columns,
                               struct scan *scan)
{
    struct scan_field fields[COLUMNS];
    int count = 0;
    int64_t node;
    PASS(scan_fields(fields, &count, COLUMNS, scan));
    if (count != columns->count)
        return status_fail(GRACO_ERROR_FORMAT, "%s, line %lld: %d fields: expected %d", scan->file,
                           (long long)scan->line, count, columns->count);
    if (!scan_integer(&node, fields[columns->id], 0, labels->count - 1) || labels->label[node] >= 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "%s, line %lld: expected a node from 0 to %lld that no line before has",
                           scan->file, (long long)scan->line, (long long)labels->count - 1);
    if (fields[columns->label].length == 0)
        return GRACO_OK;
    return table_add_name(&labels->label[node], labels->labels, fields[columns->label]);
}

static graco_status read_labels(struct dataset_parts *parts, const struct members *members,
                                const char *name)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    struct table_labels labels = {.count = parts->nodes};
    struct label_columns columns;
    struct scan scan;
    TRY(member_bytes_open(&bytes, members, name));
    scan_start(&scan, name, bytes.data, bytes.length);
    scan.separator = ',';
    scan.empties = true;
    TRY(find_columns(&columns, &scan));
    TRY(names_create(&labels.labels));
    TRY(memory_alloc(&labels.label, labels.count, sizeof *labels.label));
    for (int64_t i = 0; i < labels.count; i++)
        labels.label[i] = -1;
    while (scan_line(&scan))
        TRY(take_label(&labels, &columns, &scan));
    labels.classes = names_count(labels.labels);
    TRY(table_labels_number(&labels));
    if (labels.labels)
        TRY(names_list(&parts->class_names, labels.labels));
    parts->classes = labels.classes;
    parts->label = labels.label;
    labels.label = NULL;
done:
    table_labels_clear(&labels);
    member_bytes_clear(&bytes);
    return status;
}

static graco_status read_musae(struct graco_dataset **out, const struct source *source)
{
    static const struct table_options how = {.header = TABLE_HEADER_YES, .separator = ','};
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = true};
    char stem[STEM] = "", name[NAME];
    if (!find_stem(stem, source)) /* they were there a moment ago */
        FAIL(GRACO_ERROR_IO, "the files are gone");
    TRY(read_features(&parts, members, name_of(name, stem, features_end)));
    TRY(part_edges(&parts, members, name_of(name, stem, edges_end), &how));
    TRY(read_labels(&parts, members, name_of(name, stem, target_end)));
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    char stem[STEM];
    return find_stem(stem, source);
}

const struct reader reader_musae = {
    .format = "MUSAE's",
    .places = PLACE_FOLDER | PLACE_ARCHIVE,
    .sign = "NAME_edges.csv",
    .knows = knows,
    .read = read_musae,
};
