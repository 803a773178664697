/* Embeddings with names: saved beside each other, and written for other programs. Rows are read
 * from the mapped file and names from theirs, one at a time, so that embeddings may be larger
 * than memory. A format is a row of a table: how the file begins and how a node is written;
 * .npz, which keeps names and numbers apart, goes its own way. */
#include "run/embeddings.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "data/dataset.h"
#include "io/files/file.h"
#include "io/zip/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What an .npz may take for names, which are all as wide as the longest, without proof that most
 * are long: so many bytes, or so many for each byte of them. */
static const int64_t WIDE_FREE = (int64_t)1 << 30;
enum { WIDE_PER_BYTE = 64 };

struct format;

struct export
{
    const struct format *format;
    bool safe; /* for spreadsheets */
    struct embeddings from;
    int64_t rows, cols;
    const char *const *of; /* (rows) the nodes that were asked for; NULL: all */
    int64_t *of_row;       /* (rows) where they stand in the matrix */
};

struct format {
    const char *ending;
    char separator;       /* between the fields of a table; 0: it is none */
    const char *line_end; /* of a table */
    void (*begin)(struct text *line, const struct export *export);
    graco_status (*row)(struct text *line, const struct export *export, const char *name,
                        const float *values);
};

static void add_number(struct text *line, char before, float value)
{
    char text[1 + NUMBER_TEXT];
    text[0] = before;
    text_add_bytes(line, text, 1 + number_shortest_float(text + 1, value));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void begin_table(struct text *line, const struct export *export)
{
    text_add(line, "node");
    for (int64_t k = 0; k < export->cols; k++) {
        text_add_bytes(line, &export->format->separator, 1);
        text_add(line, "z");
        text_integer(line, k);
    }
    text_add(line, export->format->line_end);
}

static graco_status table_row(struct text *line, const struct export *export, const char *name,
                              const float *values)
{
    text_field(line, name, export->format->separator, export->safe);
    for (int64_t k = 0; k < export->cols; k++)
        add_number(line, export->format->separator, values[k]);
    text_add(line, export->format->line_end);
    return line->status;
}

/* ---- word2vec -------------------------------------------------------------------------------- */

static void begin_vectors(struct text *line, const struct export *export)
{
    text_print(line, "%" PRId64 " %" PRId64 "\n", export->rows, export->cols);
}

/* A name ends at the first blank, and nothing can be escaped. */
static graco_status add_word(struct text *line, const struct export *export, const char *name)
{
    const char *at = name;
    while ((unsigned char)*at > ' ')
        at++;
    if (*at || at == name)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%s: line %lld: word2vec's format cannot hold the name '%.80s', which is "
            "empty or has a blank: expected an output such as FILE.csv or FILE.npz",
            export->from.names_path, (long long)export->from.lines.line, name);
    text_add(line, name);
    return line->status;
}

static graco_status text_row(struct text *line, const struct export *export, const char *name,
                             const float *values)
{
    PASS(add_word(line, export, name));
    for (int64_t k = 0; k < export->cols; k++)
        add_number(line, ' ', values[k]);
    text_add(line, "\n");
    return line->status;
}

static graco_status binary_row(struct text *line, const struct export *export, const char *name,
                               const float *values)
{
    PASS(add_word(line, export, name));
    text_add(line, " ");
    text_add_bytes(line, (const char *)values, export->cols * (int64_t)sizeof *values);
    text_add(line, "\n");
    return line->status;
}

static const struct format FORMATS[] = {
    {".csv", ',', "\r\n", begin_table, table_row}, {".tsv", '\t', "\n", begin_table, table_row},
    {".txt", 0, "", begin_vectors, text_row},      {".vec", 0, "", begin_vectors, text_row},
    {".bin", 0, "", begin_vectors, binary_row},    {".npz", 0, "", NULL, NULL}};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Where row i of the output stands in the matrix. */
static int64_t place(const struct export *export, int64_t i)
{
    return export->of ? export->of_row[i] : i;
}

static const float *values_of(const struct export *export, int64_t i)
{
    return (const float *)export->from.matrix.array.data + place(export, i) * export->cols;
}

/* The name of the next row, i. `text` has room for its number. */
static graco_status next_name(const char **name, struct export *export, char text[32], int64_t i)
{
    *name = text;
    if (export->from.names.data && !export->of)
        return embeddings_next_name(name, &export->from);
    snprintf(text, 32, "%" PRId64, place(export, i));
    if (export->from.names.data) {
        *name = export->of[i];
        export->from.lines.line = place(export, i) + 1; /* for messages */
    }
    return GRACO_OK;
}

static graco_status write_rows(struct export *export, const char *path)
{
    graco_status status = GRACO_OK;
    struct file_writer *writer = NULL;
    struct text line = {0};
    const char *name;
    char text[32];
    TRY(file_writer_open(&writer, path));
    export->format->begin(&line, export);
    TRY(line.status);
    for (int64_t i = 0; i < export->rows; i++) {
        TRY(next_name(&name, export, text, i));
        TRY(export->format->row(&line, export, name, values_of(export, i)));
        TRY(file_writer_write(writer, line.bytes, line.length));
        line.length = 0;
    }
    TRY(file_writer_write(writer, text_words(&line),
                          line.length)); /* the head, where there is no row */
    TRY(file_writer_commit(writer));
done:
    file_writer_free(writer);
    text_clear(&line);
    return status;
}

/* ---- .npz ------------------------------------------------------------------------------------ */

/* Decodes a name to `points`, if that is not NULL, and counts its characters. */
static graco_status decode_name(uint32_t *points, int64_t *count, const struct export *export,
                                const char *name)
{
    uint32_t point = 0;
    for (*count = 0; *name; ++*count) {
        if (!utf8_decode(&point, &name))
            return status_fail(
                GRACO_ERROR_ARGUMENT,
                "%s: line %lld is not UTF-8, which an .npz needs: expected an output "
                "such as FILE.csv",
                export->from.names_path, (long long)export->from.lines.line);
        if (points)
            points[*count] = point;
    }
    return GRACO_OK;
}

/* The number of characters of the longest name. Reads all names, and begins again. */
static graco_status widest_name(int64_t *width, struct export *export)
{
    const char *name;
    char text[32];
    int64_t count = 0;
    *width = 1;
    for (int64_t i = 0; i < export->rows; i++) {
        PASS(next_name(&name, export, text, i));
        PASS(decode_name(NULL, &count, export, name));
        *width = count > *width ? count : *width;
    }
    embeddings_rewind(&export->from);
    int64_t most = WIDE_PER_BYTE * export->from.names.length;
    most = most > WIDE_FREE ? most : WIDE_FREE;
    if (*width > most / 4 / (export->rows + 1))
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s: a name of %lld characters would make all %lld names of an .npz as "
                           "wide: expected an output such as FILE.csv",
                           export->from.names_path, (long long)*width, (long long)export->rows);
    return GRACO_OK;
}

static graco_status archive_names(struct archive *archive, struct export *export)
{
    graco_status status = GRACO_OK;
    struct array described;
    uint32_t *item = NULL;
    const char *name;
    char text[32];
    int64_t width = 1, count = 0;
    TRY(widest_name(&width, export));
    TRY(array_describe(&described, ARRAY_TEXT, 4 * width, 1, &export->rows));
    TRY(memory_alloc(&item, width, sizeof *item));
    TRY(archive_array_begin(archive, "node_ids", &described));
    for (int64_t i = 0; i < export->rows; i++) {
        TRY(next_name(&name, export, text, i));
        TRY(decode_name(item, &count, export, name));
        memset(item + count, 0, (size_t)(width - count) * sizeof *item);
        TRY(archive_write(archive, item, width * (int64_t)sizeof *item));
    }
    TRY(archive_end(archive));
done:
    memory_free(item);
    return status;
}

static graco_status archive_rows(struct archive *archive, const struct export *export)
{
    const int64_t shape[] = {export->rows, export->cols};
    struct array described;
    PASS(array_describe(&described, ARRAY_F32, sizeof(float), 2, shape));
    PASS(archive_array_begin(archive, "embeddings", &described));
    for (int64_t i = 0; i < export->rows; i++)
        PASS(archive_write(archive, values_of(export, i), export->cols * (int64_t)sizeof(float)));
    return archive_end(archive);
}

/* Of nodes that have only numbers, the numbers are names where they are not 0, 1, 2, .... */
static graco_status write_archive(struct export *export, const char *path)
{
    graco_status status = GRACO_OK;
    struct archive *archive = NULL;
    TRY(archive_create(&archive, path));
    if (export->from.names.data || export->of)
        TRY(archive_names(archive, export));
    TRY(export->of ? archive_rows(archive, export)
                   : archive_array(archive, "embeddings", &export->from.matrix.array));
    TRY(archive_commit(archive));
done:
    archive_free(archive);
    return status;
}

/* ---- What is exported ------------------------------------------------------------------------ */

static graco_status find_format(struct export *export, const char *path)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        export->format =
            embeddings_ends_with(path, FORMATS[i].ending) ? &FORMATS[i] : export->format;
    if (!export->format)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "%s: its ending names no format: expected .csv, .tsv, .txt or .vec "
            "(word2vec), .bin (word2vec) or .npz; of a .csv polars, pandas or DuckDB "
            "makes parquet or Arrow",
            path);
    if (export->safe && !export->format->separator)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s is no table for a spreadsheet: expected .csv or .tsv", path);
    return GRACO_OK;
}

static graco_status open_export(struct export *export, const char *from)
{
    const struct array *array = &export->from.matrix.array;
    PASS(embeddings_open(&export->from, from));
    export->rows = export->from.rows;
    export->cols = export->from.cols;
    if (array->type == ARRAY_F32)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "%s has %s items: expected float32",
                       export->from.matrix_path, array_type_name(array->type));
}

/* From here on the rows are those of these nodes. */
static graco_status choose_rows(struct export *export, const char *const *of, int64_t count)
{
    PASS(memory_alloc(&export->of_row, count, sizeof *export->of_row));
    PASS(embeddings_find(export->of_row, &export->from, of, count));
    export->of = of;
    export->rows = count;
    return GRACO_OK;
}

graco_status graco_embeddings_export(graco_export_result *result, const char *from,
                                     const char *path, const graco_export_options *options)
{
    graco_status status = GRACO_OK;
    struct export export = {.safe = options && options->spreadsheet_safe};
    TRY(find_format(&export, path));
    TRY(open_export(&export, from));
    if (options && options->of_count > 0)
        TRY(choose_rows(&export, options->of, options->of_count));
    TRY(export.format->row ? write_rows(&export, path) : write_archive(&export, path));
    if (result)
        *result = (graco_export_result){export.rows, export.cols, export.from.names.data};
done:
    embeddings_close(&export.from);
    memory_free(export.of_row);
    return status;
}

/* Both files are whole on the disk before any old one is touched. Then the old embeddings are emptied
 * first and the new ones come last: whatever happens in between, no name is that of another row, and no
 * row has lost its name. */
static graco_status place_files(struct file_writer *rows, struct file_writer *names,
                                const char *path, const char *names_path)
{
    PASS(file_writer_sync(rows));
    if (names)
        PASS(file_writer_sync(names));
    if ((names || file_exists(names_path)) && file_exists(path))
        PASS(file_write_atomic(path, "", 0));
    PASS(names ? file_writer_commit(names) : file_remove(names_path));
    return file_writer_commit(rows);
}

graco_status graco_embeddings_save(const graco_matrix *Z, const graco_dataset *data,
                                   const char *path)
{
    graco_status status = GRACO_OK;
    struct file_writer *rows = NULL, *names = NULL;
    char *names_path = NULL;
    struct array array;
    if (Z->rows != data->graph->nodes)
        FAIL(GRACO_ERROR_ARGUMENT, "embeddings of %lld nodes: expected %lld", (long long)Z->rows,
             (long long)data->graph->nodes);
    TRY(array_borrow(&array, ARRAY_F32, Z->data, 2, (int64_t[]){Z->rows, Z->cols}));
    TRY(embeddings_names_beside(&names_path, path));
    TRY(npy_writer_open(&rows, path, &array));
    TRY(file_writer_write(rows, Z->data, array.count * array.size));
    if (data->node_ids)
        TRY(name_lines_begin(&names, names_path, data->node_ids, Z->rows));
    TRY(place_files(rows, names, path, names_path));
done:
    file_writer_free(rows);
    file_writer_free(names);
    memory_free(names_path);
    return status;
}
