/* Neighbours as files: a line for each pair, an object for each node, or arrays. Text is written a node at a
 * time, so that the neighbours of millions of nodes are never a tree in memory. */
#include "graco_more.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "io/files/file.h"
#include "io/zip/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct saving {
    const graco_neighbours *found;
    const char *const *names; /* (nodes) or NULL */
    struct file_writer *writer;
};

/* Writes a text and empties it. */
static graco_status put(struct saving *saving, struct text *text)
{
    PASS(text->status);
    PASS(file_writer_write(saving->writer, text_words(text), text->length));
    text->length = 0;
    return GRACO_OK;
}

/* ---- .csv ------------------------------------------------------------------------------------- */

static void add_node(struct text *text, const struct saving *saving, int64_t node)
{
    if (saving->names)
        text_field(text, saving->names[node], ',', false);
    else
        text_integer(text, node);
}

static graco_status write_lines(struct saving *saving)
{
    const graco_neighbours *found = saving->found;
    graco_status status = GRACO_OK;
    struct text line = {0};
    text_add(&line, "node,rank,neighbour,score\r\n");
    for (int64_t i = 0; i < found->count * found->k; i++) {
        char score[NUMBER_TEXT];
        add_node(&line, saving, found->node[i / found->k]);
        text_add(&line, ",");
        text_integer(&line, i % found->k + 1);
        text_add(&line, ",");
        add_node(&line, saving, found->index[i]);
        number_shortest_float(score, found->score[i]);
        text_add(&line, ",");
        text_add(&line, score);
        text_add(&line, "\r\n");
        TRY(put(saving, &line));
    }
    TRY(put(saving, &line)); /* the head, where there is no line */
done:
    text_clear(&line);
    return status;
}

/* ---- .json ------------------------------------------------------------------------------------ */

static graco_status check_names(const struct saving *saving)
{
    for (int64_t i = 0; saving->names && i < saving->found->nodes; i++)
        if (saving->names[i][utf8_prefix(saving->names[i])])
            return status_fail(GRACO_ERROR_ARGUMENT,
                               "the name of node %" PRId64
                               " is not UTF-8, which this format needs: expected an output such as "
                               "FILE.csv",
                               i);
    return GRACO_OK;
}

/* {"node": NAME, "row": R, ...}: the name where there are names, and the row in every case. */
static void open_node(struct writer *json, const struct saving *saving, int64_t node)
{
    writer_open(json, NULL, '{');
    if (saving->names)
        writer_string(json, "node", saving->names[node]);
    writer_integer(json, "row", node);
}

/* One node with its neighbours. */
static void describe(struct writer *json, const struct saving *saving, int64_t i)
{
    const graco_neighbours *found = saving->found;
    json->later = false;
    open_node(json, saving, found->node[i]);
    writer_open(json, "neighbours", '[');
    for (int64_t c = i * found->k; c < (i + 1) * found->k; c++) {
        char digits[NUMBER_TEXT];
        open_node(json, saving, found->index[c]);
        number_shortest_float(digits, found->score[c]); /* few digits, the same float */
        writer_real(json, "score", number_parse(digits, NULL));
        writer_close(json);
    }
    writer_close(json);
    writer_close(json);
}

/* One line for each node. */
static graco_status write_objects(struct saving *saving)
{
    graco_status status = GRACO_OK;
    struct writer json = {.style = WRITER_DATA};
    text_print(&json.text, "{\"metric\":\"%s\",\"k\":%" PRId64 ",\"nodes\":[\n",
               saving->found->metric, saving->found->k);
    TRY(check_names(saving));
    for (int64_t i = 0; i < saving->found->count; i++) {
        describe(&json, saving, i);
        text_add(&json.text, i + 1 < saving->found->count ? ",\n" : "\n");
        TRY(put(saving, &json.text));
    }
    text_add(&json.text, "]}\n");
    TRY(put(saving, &json.text));
done:
    writer_clear(&json);
    return status;
}

/* ---- .npz ------------------------------------------------------------------------------------- */

static graco_status archive_numbers(struct archive *archive, const char *name, enum array_type type,
                                    const void *items, int64_t count)
{
    struct array array;
    PASS(array_borrow(&array, type, items, 1, &count));
    return archive_array(archive, name, &array);
}

static graco_status write_archive(const struct saving *saving, const char *path)
{
    const graco_neighbours *found = saving->found;
    graco_status status = GRACO_OK;
    struct archive *archive = NULL;
    struct array names = {0};
    int64_t *start = NULL;
    TRY(check_names(saving));
    TRY(memory_alloc(&start, found->count + 1, sizeof *start));
    for (int64_t i = 0; i <= found->count; i++)
        start[i] = i * found->k;
    TRY(archive_create(&archive, path));
    TRY(archive_numbers(archive, "nodes", ARRAY_I64, found->node, found->count));
    TRY(archive_numbers(archive, "indptr", ARRAY_I64, start, found->count + 1));
    TRY(archive_numbers(archive, "indices", ARRAY_I64, found->index, found->count * found->k));
    TRY(archive_numbers(archive, "scores", ARRAY_F32, found->score, found->count * found->k));
    if (saving->names) {
        TRY(array_from_strings(&names, (char *const *)saving->names, found->nodes));
        TRY(archive_array(archive, "node_ids", &names));
    }
    TRY(archive_commit(archive));
done:
    archive_free(archive);
    array_clear(&names);
    memory_free(start);
    return status;
}

graco_status graco_neighbours_save(const graco_neighbours *neighbours, const char *const *names,
                                   const char *path)
{
    graco_status status = GRACO_OK;
    struct saving saving = {neighbours, names, NULL};
    const char *ending = strrchr(path, '.');
    bool csv = ending && strcmp(ending, ".csv") == 0, json = ending && strcmp(ending, ".json") == 0;
    if (ending && strcmp(ending, ".npz") == 0)
        return write_archive(&saving, path);
    if (!csv && !json)
        FAIL(GRACO_ERROR_ARGUMENT, "%s: its ending names no format: expected .json, .csv or .npz",
             path);
    TRY(file_writer_open(&saving.writer, path));
    TRY(csv ? write_lines(&saving) : write_objects(&saving));
    TRY(file_writer_commit(saving.writer));
done:
    file_writer_free(saving.writer);
    return status;
}
