/* Loading: recognises a format from the content and calls its reader. */
#include "data/readers.h"

#include "base/memory.h"
#include "io/file.h"

#include <stdio.h>
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
    TRY(refuse_tables(options, "an .npz archive"));
    TRY(npz_open(&npz, path));
    if (npz_has(npz, "edge_index"))
        TRY(read_native_npz(out, npz, name, options->undirected));
    else if (npz_has(npz, "adj_indptr"))
        TRY(read_citation(out, npz, name));
    else
        FAIL(GRACO_ERROR_FORMAT,
             "an archive without edge_index (graco's own format) and without adj_indptr "
             "(CitationFull)");
done:
    npz_close(npz);
    return status;
}

/* Reads the first bytes of a file: a zip archive, or else text, which has no NUL. */
static graco_status load_file(struct graco_dataset **out, const char *path, const char *name,
                              const graco_load_options *options)
{
    unsigned char head[512];
    FILE *file = fopen(path, "rb");
    if (!file)
        return status_fail(GRACO_ERROR_IO, "the file cannot be opened");
    size_t length = fread(head, 1, sizeof head, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return status_fail(GRACO_ERROR_IO, "the file cannot be read");
    if (length >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return load_archive(out, path, name, options);
    if (memchr(head, 0, length) || (length > 0 && head[0] >= 0x80 && head[0] != 0xEF))
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

/* The only .npz file in a folder; *index is -1 if there is none, -2 if there are several. */
static void only_archive(int64_t *index, const struct file_list *list)
{
    *index = -1;
    for (int64_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->names[i]);
        if (length > 4 && strcmp(list->names[i] + length - 4, ".npz") == 0)
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
    only_archive(&index, &list);
    if (index < 0)
        FAIL(GRACO_ERROR_FORMAT,
             "%s: expected edge_index.npy, Planetoid files (ind.NAME.graph and seven more) or one "
             ".npz archive",
             index == -1 ? "no data set in this folder" : "several .npz archives in this folder");
    TRY(memory_path(&archive, path, list.names[index]));
    TRY(load_archive(out, archive, name, options));
done:
    file_list_clear(&list);
    memory_free(planetoid);
    memory_free(archive);
    return status;
}

graco_status graco_dataset_load(graco_dataset **out, const char *source,
                                const graco_load_options *options)
{
    graco_status status;
    char *path = NULL, *name = NULL;
    if (!options)
        options = &no_options;
    TRY(dataset_find(&path, source));
    TRY(dataset_name(&name, path));
    if (file_is_folder(path))
        status = load_folder(out, path, name, options);
    else
        status = load_file(out, path, name, options);
    if (status != GRACO_OK && !strstr(graco_message(), path))
        status = status_context(status, "%s", path);
done:
    memory_free(path);
    memory_free(name);
    return status;
}
