/* Loading: a file is an archive or text, a folder holds parts or one archive; the first reader that
 * knows what it finds there reads it. Names play no role. */
#include "data/read_rows.h"
#include "data/readers.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <stdio.h>
#include <string.h>

#define READER_ADDRESS(name) &reader_##name,
static const struct reader *const readers[] = {READERS(READER_ADDRESS)};
enum { READER_COUNT = sizeof readers / sizeof *readers };

/* How many bytes of a file decide whether it is text. */
enum { HEAD = 512 };

/* Longer names of folders in archives are not followed. */
enum { FOLDER_MAX = 200 };

static const graco_load_options no_options = {0};

/* Columns and repeats are those of an edge list. */
static graco_status refuse_columns(bool edges, const graco_load_options *options,
                                   const char *format)
{
    const char *word = options->source          ? "source"
                       : options->target        ? "target"
                       : options->weight        ? "weight"
                       : options->count_repeats ? "count-repeats"
                                                : NULL;
    if (edges || !word)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "what is said of columns (%s) goes with an edge list only, and this is %s",
                       word, format);
}

/* Tables belong to graphs without features and labels of their own; elsewhere they would be ignored in
 * silence. */
static graco_status refuse_tables(const struct reader *reader, const graco_load_options *options,
                                  const char *format)
{
    const char *table = options->features_path ? options->features_path : options->labels_path;
    PASS(refuse_columns(reader == &reader_edges, options, format));
    if (reader && reader->tables)
        return GRACO_OK;
    if (!table && (options->header || options->id_column || options->delimiter))
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "what is said of tables (header, id column, delimiter) goes with an edge "
            "list only, and this is %s",
            format);
    if (!table)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "the table %s goes with an edge list only, and this is %s", table, format);
}

/* Files of tables that graco does not read itself, by their first bytes. */
static graco_status refuse_others(const uint8_t *head, int64_t length, const char *path)
{
    static const struct {
        const char *bytes, *format, *reads;
    } others[] = {{"PAR1", "a Parquet file", "read_parquet"},
                  {"ARROW1", "an Arrow file", "read_feather"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int64_t known = (int64_t)strlen(others[i].bytes);
        if (length >= known && memcmp(head, others[i].bytes, (size_t)known) == 0)
            return status_fail(GRACO_ERROR_FORMAT,
                               "%s is %s: expected text, .npz or a folder; Python reads it: "
                               "graco.Graph(pandas.%s(\"%s\")).save(\"graph.npz\")",
                               path, others[i].format, others[i].reads, path);
    }
    return GRACO_OK;
}

bool source_begins(const struct source *source, char first)
{
    const char *at = (const char *)source->text.data, *end = at + source->text.length;
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at < end && *at == first;
}

static const struct reader *find_reader(const struct source *source)
{
    for (size_t i = 0; i < READER_COUNT; i++) {
        const struct reader *reader = readers[i];
        if (reader->places & source->place && (!reader->knows || reader->knows(source)))
            return reader;
    }
    return NULL;
}

static graco_status read_by(const struct reader *reader, struct graco_dataset **out,
                            struct source *source)
{
    PASS(rows_can(&source->by_rows, source));
    return reader->read(out, source);
}

/* Says by which parts a data set would have been recognised. */
static graco_status fail_unknown(const char *problem, enum place place)
{
    char signs[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < READER_COUNT; i++) {
        if (readers[i]->places & place && used < sizeof signs)
            used += (size_t)snprintf(signs + used, sizeof signs - used, "%s%s (%s)",
                                     used > 0 ? ", " : "", readers[i]->sign, readers[i]->format);
    }
    return status_fail(GRACO_ERROR_FORMAT, "%s: expected one of %s%s", problem, signs,
                       place == PLACE_FOLDER ? ", or one .npz or .zip archive" : "");
}

/* The folder that all members of an archive lie in, with its slash, as publishers pack it: the caller
 * owns *within. NULL: there is none, or several. What macOS adds does not count. */
static graco_status only_folder(char **within, const struct members *members)
{
    graco_status status = GRACO_OK;
    struct file_list list = {0};
    const char *found = NULL;
    TRY(members_list(&list, members, ""));
    for (int64_t i = 0; i < list.count; i++) {
        if (strcmp(list.names[i], "__MACOSX") == 0)
            continue;
        if (found && strcmp(found, list.names[i]) != 0)
            goto done;
        found = list.names[i];
    }
    if (found && strlen(found) < FOLDER_MAX)
        TRY(memory_path(within, found, ""));
done:
    file_list_clear(&list);
    return status;
}

/* `source` has the bytes of the archive as its text. */
static graco_status load_archive(struct graco_dataset **out, struct source *source)
{
    graco_status status = GRACO_OK;
    struct npz *npz = NULL;
    const struct reader *reader;
    char *within = NULL;
    TRY(member_bytes_archive(&npz, &source->text));
    source->place = PLACE_ARCHIVE;
    source->members = (struct members){.npz = npz};
    reader = find_reader(source);
    if (!reader) {
        TRY(only_folder(&within, &source->members));
        source->members.within = within;
        reader = within ? find_reader(source) : NULL;
    }
    TRY(refuse_tables(reader, source->options, "an archive"));
    TRY(reader ? read_by(reader, out, source)
               : fail_unknown("no data set in this archive", PLACE_ARCHIVE));
done:
    npz_close(npz);
    memory_free(within);
    return status;
}

/* Whether a file is text, by its first bytes. Names may be in any script, so text may begin with a byte
 * that is not ASCII, but only where no control character is near: those of other formats would be. */
static graco_status check_text(const uint8_t *head, int64_t length)
{
    bool text = !memchr(head, 0, (size_t)length);
    for (int64_t i = 0; text && head[0] >= 0x80 && i < length; i++)
        text = head[i] >= 0x20 || (head[i] >= '\t' && head[i] <= '\r');
    if (text)
        return GRACO_OK;
    if (length >= 2 && (memcmp(head, "\xFF\xFE", 2) == 0 || memcmp(head, "\xFE\xFF", 2) == 0))
        return status_fail(GRACO_ERROR_FORMAT, "the text is UTF-16: expected UTF-8");
    return status_fail(GRACO_ERROR_FORMAT, "neither an .npz archive nor a text file: expected "
                                           "a data set or an edge list");
}

static graco_status load_text(struct graco_dataset **out, struct source *source)
{
    const uint8_t *head = source->text.data;
    int64_t length = source->text.length < HEAD ? source->text.length : HEAD;
    PASS(refuse_others(head, length, source->path));
    PASS(check_text(head, length));
    if (length >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark */
        source->text.data += 3;
        source->text.length -= 3;
    }
    source->place = PLACE_TEXT;
    const struct reader *reader = find_reader(source);
    PASS(refuse_columns(reader == &reader_edges, source->options, reader->format));
    return read_by(reader, out, source);
}

/* A file is a zip archive by its first bytes, or else text, which has no NUL there. */
static graco_status load_file(struct graco_dataset **out, struct source *source)
{
    graco_status status = GRACO_OK;
    TRY(member_bytes_file(&source->text, source->path));
    bool archive = source->text.length >= 4 && memcmp(source->text.data, "PK\3\4", 4) == 0;
    TRY((archive ? load_archive : load_text)(out, source));
done:
    member_bytes_clear(&source->text);
    return status;
}

/* The only .npz or .zip file in a folder; -1 if there is none, -2 if there are several. */
static int64_t only_archive(const struct file_list *list)
{
    int64_t index = -1;
    for (int64_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->names[i]);
        const char *ending = list->names[i] + (length > 4 ? length - 4 : 0);
        if (strcmp(ending, ".npz") == 0 || strcmp(ending, ".zip") == 0)
            index = index == -1 ? i : -2;
    }
    return index;
}

static graco_status load_folder(struct graco_dataset **out, struct source *source)
{
    graco_status status = GRACO_OK;
    const struct reader *reader;
    const char *folder = source->path;
    char *archive = NULL;
    int64_t index;
    TRY(file_list_folder(&source->files, folder));
    source->place = PLACE_FOLDER;
    source->members.folder = folder;
    reader = find_reader(source);
    if (reader) {
        TRY(refuse_tables(reader, source->options, "a folder"));
        TRY(read_by(reader, out, source));
        goto done;
    }
    index = only_archive(&source->files);
    if (index < 0)
        TRY(fail_unknown(index == -1 ? "no data set in this folder"
                                     : "several archives in this folder",
                         PLACE_FOLDER));
    TRY(memory_path(&archive, folder, source->files.names[index]));
    source->path = archive;
    TRY(load_file(out, source));
done:
    file_list_clear(&source->files);
    memory_free(archive);
    return status;
}

/* A list was read as undirected unless the options say otherwise: that is kept as if they had said so. */
static graco_status keep_reading(struct graco_dataset *data, const char *source,
                                 const graco_load_options *options)
{
    graco_load_options kept = *options;
    kept.undirected = options->undirected || (data->listed && !options->directed);
    return reading_copy(&data->reading, source, &kept);
}

graco_status graco_dataset_load(graco_dataset **out, const char *source,
                                const graco_load_options *options)
{
    graco_status status = GRACO_OK;
    struct graco_dataset *data = NULL;
    struct source from = {.options = options ? options : &no_options};
    char *path = NULL, *name = NULL;
    if (from.options->undirected && from.options->directed)
        FAIL(GRACO_ERROR_ARGUMENT, "undirected and directed are both set: expected one of them");
    TRY(dataset_find(&path, source));
    TRY(dataset_name(&name, path));
    from.path = path;
    from.name = name;
    status = (file_is_folder(path) ? load_folder : load_file)(&data, &from);
    if (status == GRACO_OK)
        status = keep_reading(data, source, from.options);
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
