/* Loading: recognises a format from the content and calls its reader. */
#include "data/features_make.h"
#include "data/readers.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <string.h>

static const graco_load_options no_options = {0};

/* Tables belong to edge lists; elsewhere they would be ignored in silence. */
static graco_status refuse_tables(const graco_load_options *options, const char *format)
{
    const char *table = options->features ? options->features : options->labels;
    if (!table)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "the table %s goes with an edge list only, and this is %s", table, format);
}

static graco_status load_archive(struct graco_dataset **out, const char *path, const char *name,
                                 const graco_load_options *options)
{
    graco_status status;
    struct npz *npz = NULL;
    struct members members = {0};
    TRY(refuse_tables(options, "an archive"));
    TRY(npz_open(&npz, path));
    members.npz = npz;
    if (npz_has(npz, "edge_index"))
        TRY(read_native_npz(out, npz, name, options->undirected));
    else if (npz_has(npz, "adj_indptr"))
        TRY(read_citation(out, npz, name));
    else if (read_ppi_knows(&members))
        TRY(read_ppi(out, &members, name));
    else if (read_reddit_knows(&members))
        TRY(read_reddit(out, &members, name));
    else
        FAIL(GRACO_ERROR_FORMAT,
             "an archive without edge_index (graco's own format), adj_indptr (CitationFull), "
             "train_graph.json (DGL's PPI) and reddit_graph.npz (DGL's Reddit)");
done:
    npz_close(npz);
    return status;
}

/* Reads the first bytes of a file: a zip archive, or else text, which has no NUL. */
static graco_status load_file(struct graco_dataset **out, const char *path, const char *name,
                              const graco_load_options *options)
{
    uint8_t head[512];
    int64_t length = 0;
    graco_status status = file_head(head, &length, path, sizeof head);
    if (status != GRACO_OK)
        return status;
    if (length >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return load_archive(out, path, name, options);
    if (memchr(head, 0, (size_t)length) || (length > 0 && head[0] >= 0x80 && head[0] != 0xEF))
        return status_fail(GRACO_ERROR_FORMAT, "neither an .npz archive nor a text file: expected "
                                               "a data set or an edge list");
    return read_edges(out, path, name, options);
}

/* The NAME of the first file ind.NAME.PART in a folder, or NULL. */
static graco_status planetoid_name(char **name, const struct file_list *list)
{
    static const char *const parts[] = {"graph", "allx", "ally", "x",
                                        "y",     "tx",   "ty",   "test.index"};
    *name = NULL;
    for (int64_t i = 0; i < list->count; i++) {
        const char *file = list->names[i];
        size_t length = strlen(file);
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            size_t tail = strlen(parts[p]) + 1;
            if (strncmp(file, "ind.", 4) != 0 || length <= 4 + tail || file[length - tail] != '.' ||
                strcmp(file + length - tail + 1, parts[p]) != 0)
                continue;
            graco_status status = memory_zalloc(name, (int64_t)(length - tail) - 3, 1);
            if (status == GRACO_OK)
                memcpy(*name, file + 4, length - tail - 4);
            return status;
        }
    }
    return GRACO_OK;
}

/* The only .npz or .zip file in a folder; *index is -1 if there is none, -2 if there are several.
 */
static void only_archive(int64_t *index, const struct file_list *list)
{
    *index = -1;
    for (int64_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->names[i]);
        const char *ending = list->names[i] + (length > 4 ? length - 4 : 0);
        if (strcmp(ending, ".npz") == 0 || strcmp(ending, ".zip") == 0)
            *index = *index == -1 ? i : -2;
    }
}

static bool has_file(const struct file_list *list, const char *name)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (strcmp(list->names[i], name) == 0)
            return true;
    }
    return false;
}

static graco_status load_folder(struct graco_dataset **out, const char *path, const char *name,
                                const graco_load_options *options)
{
    graco_status status;
    struct file_list list = {0};
    char *planetoid = NULL, *archive = NULL;
    struct members members = {.folder = path};
    int64_t index;
    TRY(refuse_tables(options, "a folder"));
    TRY(file_list_folder(&list, path));
    if (has_file(&list, "edge_index.npy")) {
        TRY(read_native_folder(out, path, name, options->undirected));
        goto done;
    }
    TRY(planetoid_name(&planetoid, &list));
    if (planetoid) {
        TRY(read_planetoid(out, path, planetoid));
        goto done;
    }
    if (read_ppi_knows(&members) || read_reddit_knows(&members)) {
        TRY((read_ppi_knows(&members) ? read_ppi : read_reddit)(out, &members, name));
        goto done;
    }
    only_archive(&index, &list);
    if (index < 0)
        FAIL(GRACO_ERROR_FORMAT,
             "%s: expected edge_index.npy, Planetoid files (ind.NAME.graph and seven more), the "
             "files of DGL's PPI or Reddit, or one .npz or .zip archive",
             index == -1 ? "no data set in this folder" : "several archives in this folder");
    TRY(memory_path(&archive, path, list.names[index]));
    TRY(load_archive(out, archive, name, options));
done:
    file_list_clear(&list);
    memory_free(planetoid);
    memory_free(archive);
    return status;
}

/* How far from the origin the mean of a class lies in made-up features. */
static const double made_distance = 1.5;

static graco_status make_features(struct graco_dataset *data, int64_t cols)
{
    struct features_make make = {.rows = data->graph->nodes,
                                 .cols = cols,
                                 .classes = data->classes,
                                 .label = data->label,
                                 .distance = made_distance};
    if (data->features.cols > 0)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "the data set has %lld features: others are made only where there are "
                           "none",
                           (long long)data->features.cols);
    if (!data->label)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "features are made from classes, and this data set has %s",
                           data->multi ? "several per node" : "none");
    if (cols < 0 || cols > INT32_MAX)
        return status_fail(GRACO_ERROR_ARGUMENT, "%lld features: expected 0 to %lld",
                           (long long)cols, (long long)INT32_MAX);
    return features_make(&data->features, &make);
}

graco_status graco_dataset_load(graco_dataset **out, const char *source,
                                const graco_load_options *options)
{
    graco_status status;
    struct graco_dataset *data = NULL;
    char *path = NULL, *name = NULL;
    if (!options)
        options = &no_options;
    TRY(dataset_find(&path, source));
    TRY(dataset_name(&name, path));
    if (file_is_folder(path))
        status = load_folder(&data, path, name, options);
    else
        status = load_file(&data, path, name, options);
    if (status == GRACO_OK && options->made_features != 0)
        status = make_features(data, options->made_features);
    if (status != GRACO_OK && !strstr(graco_message(), path))
        status = status_context(status, "%s", path);
    if (status != GRACO_OK)
        goto done;
    *out = data;
    data = NULL;
done:
    graco_dataset_free(data);
    memory_free(path);
    memory_free(name);
    return status;
}
