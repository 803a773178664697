/* Neighbours as files: a line for each pair, an object for each node, or arrays. Text is written a node at a
 * time, so that the neighbours of millions of nodes are never a tree in memory. */
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "io/field.h"
#include "io/json/json.h"
#include "io/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct saving {
    const graco_neighbours *found;
    const char *const *names; /* (nodes) or NULL */
    struct file_writer *writer;
};

static graco_status put(struct saving *saving, const char *text)
{
    return file_writer_write(saving->writer, text, (int64_t)strlen(text));
}

/* ---- .csv ------------------------------------------------------------------------------------- */

static graco_status put_node(struct saving *saving, int64_t node)
{
    char text[32];
    if (saving->names)
        return field_write(saving->writer, saving->names[node], ',', false);
    snprintf(text, sizeof text, "%" PRId64, node);
    return put(saving, text);
}

static graco_status write_lines(struct saving *saving)
{
    const graco_neighbours *found = saving->found;
    char rank[32], score[NUMBER_TEXT];
    PASS(put(saving, "node,rank,neighbour,score\r\n"));
    for (int64_t i = 0; i < found->count * found->k; i++) {
        snprintf(rank, sizeof rank, ",%" PRId64 ",", i % found->k + 1);
        number_shortest_float(score, found->score[i]);
        PASS(put_node(saving, found->node[i / found->k]));
        PASS(put(saving, rank));
        PASS(put_node(saving, found->index[i]));
        PASS(put(saving, ","));
        PASS(put(saving, score));
        PASS(put(saving, "\r\n"));
    }
    return GRACO_OK;
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
static graco_status put_object(struct json *object, const struct saving *saving, int64_t node)
{
    if (saving->names)
        PASS(json_put_string(object, "node", saving->names[node]));
    return json_put_int(object, "row", node);
}

/* One node with its neighbours, as text that the caller owns. */
static graco_status describe(char **text, const struct saving *saving, int64_t i)
{
    const graco_neighbours *found = saving->found;
    graco_status status = GRACO_OK;
    struct json *object = NULL, *list = NULL, *item = NULL;
    TRY(json_create_object(&object));
    TRY(put_object(object, saving, found->node[i]));
    TRY(json_put_array(&list, object, "neighbours"));
    for (int64_t c = i * found->k; c < (i + 1) * found->k; c++) {
        char digits[NUMBER_TEXT];
        TRY(json_put_object(&item, list, NULL));
        TRY(put_object(item, saving, found->index[c]));
        number_shortest_float(digits, found->score[c]); /* few digits, the same float */
        TRY(json_put_double(item, "score", number_parse(digits, NULL)));
    }
    TRY(json_text(text, object, false));
done:
    json_free(object);
    return status;
}

/* One line for each node. */
static graco_status write_objects(struct saving *saving)
{
    graco_status status = GRACO_OK;
    char *text = NULL, head[128];
    snprintf(head, sizeof head, "{\"metric\":\"%s\",\"k\":%" PRId64 ",\"nodes\":[\n",
             saving->found->metric, saving->found->k);
    TRY(check_names(saving));
    TRY(put(saving, head));
    for (int64_t i = 0; i < saving->found->count; i++) {
        TRY(describe(&text, saving, i));
        TRY(put(saving, text));
        TRY(put(saving, i + 1 < saving->found->count ? ",\n" : "\n"));
        memory_free(text);
        text = NULL;
    }
    TRY(put(saving, "]}\n"));
done:
    memory_free(text);
    return status;
}

/* ---- .npz ------------------------------------------------------------------------------------- */

static graco_status store_numbers(struct store *store, const char *name, enum array_type type,
                                  const void *items, int64_t count)
{
    struct array array;
    PASS(array_borrow(&array, type, items, 1, &count));
    return store_array(store, name, &array);
}

static graco_status write_archive(const struct saving *saving, const char *path)
{
    const graco_neighbours *found = saving->found;
    graco_status status = GRACO_OK;
    struct store *store = NULL;
    struct array names = {0};
    int64_t *start = NULL;
    TRY(check_names(saving));
    TRY(memory_alloc(&start, found->count + 1, sizeof *start));
    for (int64_t i = 0; i <= found->count; i++)
        start[i] = i * found->k;
    TRY(store_create(&store, path));
    TRY(store_numbers(store, "nodes", ARRAY_I64, found->node, found->count));
    TRY(store_numbers(store, "indptr", ARRAY_I64, start, found->count + 1));
    TRY(store_numbers(store, "indices", ARRAY_I64, found->index, found->count * found->k));
    TRY(store_numbers(store, "scores", ARRAY_F32, found->score, found->count * found->k));
    if (saving->names) {
        TRY(array_from_strings(&names, (char *const *)saving->names, found->nodes));
        TRY(store_array(store, "node_ids", &names));
    }
    TRY(store_commit(store));
done:
    store_free(store);
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
