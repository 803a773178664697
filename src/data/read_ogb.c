/* A node data set of the Open Graph Benchmark, its archive or what that unpacks to: text tables that gzip
 * compressed, without headers:
 *
 *     raw/num-node-list.csv.gz   N                     raw/edge.csv.gz         source,target
 *     raw/node-feat.csv.gz       F numbers a line      raw/node-label.csv.gz   a class a line
 *     split/NAME/train.csv.gz, valid.csv.gz, test.csv.gz: a node a line
 *
 * Edges are taken as they are directed. Features may be missing. */
#include "data/readers.h"
#include "data/text_parts.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const char edge_name[] = "raw/edge.csv.gz", edge_count_name[] = "raw/num-edge-list.csv.gz",
                  node_name[] = "raw/num-node-list.csv.gz", feature_name[] = "raw/node-feat.csv.gz",
                  label_name[] = "raw/node-label.csv.gz";

static const struct table_options plain = {.header = TABLE_HEADER_NO, .separator = ','};

/* The integers of a table with a single column, from `low` to `high`; the caller owns *out. */
static graco_status read_integers(int64_t **out, int64_t *count, const struct members *members,
                                  const char *name, int64_t low, int64_t high)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    struct scan scan;
    struct scan_field field = {0};
    int fields = 0;
    TRY(member_bytes_open(&bytes, members, name));
    scan_start(&scan, name, bytes.data, bytes.length);
    scan.separator = ',';
    TRY(memory_alloc(out, scan_count_lines(bytes.data, bytes.length), sizeof **out));
    for (*count = 0; scan_line(&scan); ++*count) {
        TRY(scan_fields(&field, &fields, 1, &scan));
        if (fields != 1 || !scan_integer(&(*out)[*count], field, low, high))
            FAIL(GRACO_ERROR_FORMAT, "%s, line %lld: expected one integer from %lld to %lld", name,
                 (long long)scan.line, (long long)low, (long long)high);
    }
done:
    member_bytes_clear(&bytes);
    return status;
}

static graco_status read_count(int64_t *nodes, const struct members *members)
{
    graco_status status = GRACO_OK;
    int64_t *number = NULL, count = 0;
    TRY(read_integers(&number, &count, members, node_name, 1, INT32_MAX - 1));
    if (count != 1)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld lines: expected one, for one graph", node_name,
             (long long)count);
    *nodes = *number;
done:
    memory_free(number);
    return status;
}

/* As many as the publisher counted, where that is said: a list that was cut would go unnoticed. */
static graco_status read_edges(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    int64_t *number = NULL, count = 0;
    TRY(part_edges(parts, members, edge_name, &plain));
    if (!members_have(members, edge_count_name))
        goto done;
    TRY(read_integers(&number, &count, members, edge_count_name, 0, INT64_MAX));
    if (count != 1 || *number != parts->edges)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld edges: expected %lld, as %s says", edge_name,
             (long long)parts->edges, (long long)(count > 0 ? *number : 0), edge_count_name);
done:
    memory_free(number);
    return status;
}

static graco_status read_features(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct member_bytes bytes = {0};
    struct table_numbers numbers = {0};
    if (!members_have(members, feature_name))
        return GRACO_OK;
    TRY(member_bytes_open(&bytes, members, feature_name));
    TRY(table_numbers_read(&numbers, feature_name, bytes.data, bytes.length, TABLE_IDS_NONE,
                           &plain));
    if (numbers.rows != parts->nodes)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld rows: expected %lld", feature_name,
             (long long)numbers.rows, (long long)parts->nodes);
    parts->features =
        (struct features){.rows = numbers.rows, .cols = numbers.cols, .dense = numbers.data};
    numbers.data = NULL;
done:
    table_numbers_clear(&numbers);
    member_bytes_clear(&bytes);
    return status;
}

static graco_status read_labels(struct dataset_parts *parts, const struct members *members)
{
    graco_status status = GRACO_OK;
    int64_t *number = NULL, count = 0;
    TRY(read_integers(&number, &count, members, label_name, -1, DATASET_CLASSES - 1));
    if (count != parts->nodes)
        FAIL(GRACO_ERROR_FORMAT, "%s has %lld rows: expected %lld", label_name, (long long)count,
             (long long)parts->nodes);
    TRY(memory_alloc(&parts->label, count, sizeof *parts->label));
    for (int64_t i = 0; i < count; i++)
        parts->label[i] = (int32_t)number[i];
    parts->classes = dataset_classes(parts->label, count);
done:
    memory_free(number);
    return status;
}

/* The only folder in split/ that has a train.csv.gz names how the nodes were split: time,
 * sales_ranking, .... */
static graco_status find_split(char name[256], const struct members *members)
{
    graco_status status = GRACO_OK;
    struct file_list list = {0};
    char file[512];
    int found = 0;
    TRY(members_list(&list, members, "split"));
    for (int64_t i = 0; i < list.count; i++) {
        snprintf(file, sizeof file, "split/%.200s/train.csv.gz", list.names[i]);
        if (!members_have(members, file))
            continue;
        snprintf(name, 256, "split/%.200s", list.names[i]);
        found++;
    }
    if (found != 1)
        FAIL(GRACO_ERROR_FORMAT, "split/ has %d folders with train.csv.gz: expected one", found);
done:
    file_list_clear(&list);
    return status;
}

static graco_status read_split(struct dataset_parts *parts, const struct members *members)
{
    static const char *const names[] = {"train", "valid", "test"};
    graco_status status = GRACO_OK;
    char folder[256], name[512];
    int64_t *node = NULL, count = 0;
    TRY(find_split(folder, members));
    TRY(dataset_split_begin(&parts->split, parts->nodes));
    for (int part = 0; part < 3; part++) {
        snprintf(name, sizeof name, "%s/%s.csv.gz", folder, names[part]);
        TRY(read_integers(&node, &count, members, name, 0, parts->nodes - 1));
        for (int64_t i = 0; i < count; i++)
            TRY(member_named(dataset_split_put(parts->split, parts->nodes, node[i], part), name));
        memory_free(node);
        node = NULL;
    }
done:
    memory_free(node);
    return status;
}

static graco_status read_ogb(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    const struct members *members = &source->members;
    struct dataset_parts parts = {.name = source->name, .undirected = source->options->undirected};
    TRY(read_count(&parts.nodes, members));
    TRY(read_labels(&parts, members)); /* a line for each node: more backs no memory */
    TRY(read_edges(&parts, members));
    TRY(read_features(&parts, members));
    TRY(read_split(&parts, members));
    TRY(dataset_create(out, &parts));
done:
    dataset_parts_clear(&parts);
    return status;
}

static bool knows(const struct source *source)
{
    return members_have(&source->members, edge_name);
}

const struct reader reader_ogb = {
    .format = "the Open Graph Benchmark's",
    .places = PLACE_FOLDER | PLACE_ARCHIVE,
    .sign = edge_name,
    .knows = knows,
    .read = read_ogb,
};
