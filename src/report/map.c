/* graco_map_make: neighbours, their layout and clusters. The map has copies of all that pages and
 * pictures show, so the embeddings and the data set may go as soon as it is made. */
#include "report/map.h"

#include "base/finite.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "eval/kmeans.h"
#include "eval/layout.h"
#include "io/files/file.h"

#include <math.h>
#include <string.h>

enum {
    CLUSTERS = 10,       /* where no classes say how many */
    QUALITY_NODES = 300, /* whose neighbours are looked at, and how many */
    QUALITY_K = 15,
    K_MAX = 256,
    COLUMNS = 3, /* beside the caller's: classes, clusters, degrees */
};

graco_map_options graco_map_defaults(void)
{
    return (graco_map_options){.k = 15};
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The next column, with a name; it is counted at once, so that it is freed whatever follows. */
static graco_status add_column(struct map_column **out, graco_map *map, const char *name)
{
    *out = map->column + map->columns++;
    return memory_string(&(*out)->name, name);
}

/* Room for groups and for the words that name them. */
static graco_status add_groups(struct map_column **out, graco_map *map, const char *name,
                               int64_t words)
{
    PASS(add_column(out, map, name));
    PASS(memory_alloc(&(*out)->group, map->nodes, sizeof *(*out)->group));
    PASS(memory_zalloc(&(*out)->word, words, sizeof *(*out)->word));
    (*out)->words = words;
    return GRACO_OK;
}

static graco_status name_class(char **word, const struct graco_dataset *data, int64_t class)
{
    char number[CLASS_NUMBER], words[64];
    const char *name = class_called(number, data, class);
    if (data->class_names)
        return memory_string(word, name);
    number_print(words, sizeof words, "class %s", name);
    return memory_string(word, words);
}

static graco_status name_group(struct map_column *column, int64_t group, const char *kind)
{
    char words[64];
    number_print(words, sizeof words, "%s %lld", kind, (long long)group);
    return memory_string(&column->word[group], words);
}

/* Nodes whose label is not known are the last group. */
static graco_status add_classes(graco_map *map, const struct graco_dataset *data)
{
    struct map_column *column = NULL;
    bool unknown = false;
    for (int64_t i = 0; i < map->nodes; i++)
        unknown = unknown || data->label[i] < 0;
    PASS(add_groups(&column, map, "class", data->classes + unknown));
    for (int64_t i = 0; i < map->nodes; i++)
        column->group[i] = data->label[i] < 0 ? (int32_t)data->classes : data->label[i];
    for (int64_t c = 0; c < data->classes; c++)
        PASS(name_class(&column->word[c], data, c));
    return unknown ? memory_string(&column->word[data->classes], "unknown") : GRACO_OK;
}

static graco_status add_degrees(graco_map *map, const struct graph *graph)
{
    struct map_column *column = NULL;
    PASS(add_column(&column, map, "degree"));
    PASS(memory_alloc(&column->values, map->nodes, sizeof *column->values));
    for (int64_t i = 0; i < map->nodes; i++)
        column->values[i] = (float)(graph->in.start[i + 1] - graph->in.start[i]);
    return GRACO_OK;
}

/* The clusters of the caller, or those that are found; the largest first. */
static graco_status add_clusters(graco_map *map, const graco_matrix *Z, int64_t clusters,
                                 const graco_map_options *options)
{
    graco_status status = GRACO_OK;
    const int32_t *cluster = options->cluster;
    struct kmeans found = {0};
    struct map_column *column = NULL;
    graco_matrix unit = {0};
    int64_t *size = NULL;
    graco_cluster_options how = graco_cluster_defaults();
    how.clusters = clusters < Z->rows ? clusters : Z->rows;
    how.seed = options->seed;
    how.threads = options->threads;
    if (!cluster) {
        TRY(clusters_find(&found, &unit, Z, &how));
        cluster = found.cluster;
    }
    TRY(memory_zalloc(&size, how.clusters, sizeof *size));
    for (int64_t i = 0; i < map->nodes; i++)
        size[cluster[i]]++;
    TRY(add_groups(&column, map, "cluster", how.clusters));
    for (int64_t c = 0; c < how.clusters; c++) {
        int64_t rank = 0;
        for (int64_t o = 0; o < how.clusters; o++)
            rank += size[o] > size[c] || (size[o] == size[c] && o < c);
        for (int64_t i = 0; i < map->nodes; i++)
            if (cluster[i] == c)
                column->group[i] = (int32_t)rank;
        TRY(name_group(column, c, "cluster"));
    }
    map->info.clusters = how.clusters;
done:
    memory_free(size);
    kmeans_clear(&found);
    graco_matrix_clear(&unit);
    return status;
}

static graco_status add_values(graco_map *map, const graco_map_values *values)
{
    struct map_column *column = NULL;
    PASS(add_column(&column, map, values->name));
    PASS(memory_alloc(&column->values, map->nodes, sizeof *column->values));
    memcpy(column->values, values->values, (size_t)map->nodes * sizeof *column->values);
    return GRACO_OK;
}

static graco_status add_columns(graco_map *map, const graco_matrix *Z,
                                const graco_map_options *options)
{
    const struct graco_dataset *data = options->data;
    bool labels = data && data->label && data->classes > 0;
    bool few = labels && data->classes <= GRACO_CLASS_CLUSTERS;
    int64_t clusters = options->clusters ? options->clusters : few ? data->classes : CLUSTERS;
    PASS(memory_zalloc(&map->column, COLUMNS + options->value_count, sizeof *map->column));
    if (labels)
        PASS(add_classes(map, data));
    PASS(add_clusters(map, Z, clusters, options));
    if (data)
        PASS(add_degrees(map, data->graph));
    for (int64_t v = 0; v < options->value_count; v++)
        PASS(add_values(map, &options->values[v]));
    return GRACO_OK;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static graco_status add_places(graco_map *map, const graco_matrix *Z,
                               const graco_map_options *options)
{
    graco_status status = GRACO_OK;
    graco_neighbours_options how = graco_neighbours_defaults();
    graco_neighbours found = {0};
    struct layout_quality quality = {0};
    how.k = options->k < map->nodes - 1 ? options->k : map->nodes - 1;
    how.threads = options->threads;
    how.device = options->device;
    TRY(memory_alloc(&map->place, 2 * map->nodes, sizeof *map->place));
    if (how.k > 0)
        TRY(graco_neighbours_find(&found, Z, &how));
    TRY(layout_fit(
        map->place, &(struct layout_neighbours){map->nodes, found.k, found.index, found.score},
        &(struct layout_options){options->epochs, options->seed, threads_count(options->threads)}));
    map->near = found.k < MAP_NEAR ? found.k : MAP_NEAR;
    TRY(memory_alloc(&map->neighbour, map->nodes * map->near, sizeof *map->neighbour));
    for (int64_t i = 0; i < map->nodes; i++)
        for (int64_t n = 0; n < map->near; n++)
            map->neighbour[i * map->near + n] = (int32_t)found.index[i * found.k + n];
    TRY(layout_quality(&quality, Z, map->place, QUALITY_K, QUALITY_NODES,
                       threads_count(options->threads)));
    map->info.trustworthiness = quality.trustworthiness;
    map->info.continuity = quality.continuity;
    map->info.quality_k = quality.k;
    map->info.quality_nodes = quality.sample;
done:
    graco_neighbours_clear(&found);
    return status;
}

static graco_status add_names(graco_map *map, const char *const *names)
{
    if (!names)
        return GRACO_OK;
    PASS(memory_zalloc(&map->name, map->nodes, sizeof *map->name));
    for (int64_t i = 0; i < map->nodes; i++)
        PASS(memory_string(&map->name[i], names[i]));
    return GRACO_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static graco_status check(const graco_matrix *Z, const graco_map_options *options)
{
    int64_t bad = not_finite_first(Z->data, Z->rows * Z->cols);
    if (Z->rows < 1 || Z->cols < 1 || Z->rows > INT32_MAX)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "the embeddings are %lld x %lld; expected 1 to 2^31 - 1 rows, and columns",
            (long long)Z->rows, (long long)Z->cols);
    if (bad >= 0)
        return status_fail(GRACO_ERROR_NUMBER, "row %lld of the embeddings is not finite",
                           (long long)(bad / Z->cols));
    if (options->k < 1 || options->k > K_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "k is %lld; expected 1 to %d",
                           (long long)options->k, K_MAX);
    if (options->clusters < 0 || options->epochs < 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%lld clusters and %lld epochs; expected numbers from 0 on",
                           (long long)options->clusters, (long long)options->epochs);
    for (int64_t i = 0; options->cluster && i < Z->rows; i++)
        if (options->cluster[i] < 0 || options->cluster[i] >= options->clusters)
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "node %lld is in cluster %d; expected 0 to %lld", (long long)i,
                               options->cluster[i], (long long)options->clusters - 1);
    if (options->data && options->data->graph->nodes != Z->rows)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the embeddings have %lld rows, but the data set has %lld nodes",
                           (long long)Z->rows, (long long)options->data->graph->nodes);
    return GRACO_OK;
}

graco_status graco_map_make(graco_map **out, const graco_matrix *Z,
                            const graco_map_options *options)
{
    graco_status status = GRACO_OK;
    graco_map *map = NULL;
    graco_map_options defaults = graco_map_defaults();
    double begun = threads_seconds();
    struct threads_watch watch;
    options = options ? options : &defaults;
    threads_watch(&watch, options->on_progress, options->user);
    *out = NULL;
    TRY(check(Z, options));
    TRY(memory_zalloc(&map, 1, sizeof *map));
    map->nodes = map->info.nodes = Z->rows;
    TRY(memory_string(&map->title, options->title ? options->title : "Map"));
    TRY(memory_string(&map->scores, options->scores ? options->scores : ""));
    TRY(add_names(map, options->names));
    TRY(add_places(map, Z, options));
    TRY(add_columns(map, Z, options));
    map->info.seconds = threads_seconds() - begun;
    *out = map;
    map = NULL;
done:
    threads_unwatch(&watch);
    graco_map_free(map);
    return status;
}

graco_map_info graco_map_describe(const graco_map *map)
{
    return map->info;
}

static graco_status save_text(void (*write)(struct text *, const graco_map *), const graco_map *map,
                              const char *path)
{
    struct text text = {0};
    write(&text, map);
    graco_status status = file_write_text(path, &text);
    text_clear(&text);
    return status;
}

graco_status graco_map_save(const graco_map *map, const char *path)
{
    const char *end = strrchr(path, '.');
    end = end ? end : "";
    if (strcmp(end, ".html") == 0)
        return save_text(map_page, map, path);
    if (strcmp(end, ".svg") == 0)
        return save_text(map_svg, map, path);
    if (strcmp(end, ".png") == 0)
        return map_png(map, path);
    if (strcmp(end, ".npy") == 0)
        return graco_matrix_save(&(graco_matrix){map->nodes, 2, map->place}, path);
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "%s: its ending is none of a map's; expected .html, .svg, .png or .npy",
                       path);
}

static void free_strings(char **strings, int64_t count)
{
    for (int64_t i = 0; strings && i < count; i++)
        memory_free(strings[i]);
    memory_free(strings);
}

void graco_map_free(graco_map *map)
{
    if (!map)
        return;
    for (int64_t c = 0; c < map->columns; c++) {
        struct map_column *column = &map->column[c];
        free_strings(column->word, column->words);
        memory_free(column->name);
        memory_free(column->group);
        memory_free(column->values);
    }
    free_strings(map->name, map->nodes);
    memory_free(map->column);
    memory_free(map->title);
    memory_free(map->scores);
    memory_free(map->place);
    memory_free(map->neighbour);
    memory_free(map);
}
