/* Wiki-CS as its authors publish it: data.json, by itself or in a folder, an object with
 *
 *     features     N lists of F numbers        links        N lists: the nodes that node i links to
 *     labels       N classes                   test_mask    N times true or false
 *     train_masks, val_masks, stopping_masks   20 such lists each, for 20 splits
 *
 * The graph is undirected, as others read it. The split is the first of the twenty; nodes for early
 * stopping are in none of its parts. */
#include "data/readers.h"
#include "data/text_parts.h"

#include "base/memory.h"
#include "io/cursor.h"
#include "io/json/json.h"

#include <math.h>
#include <string.h>

static const char file_name[] = "data.json";

/* A field that is a list with an item for each node; with parts->nodes -1, any number, which becomes
 * it. */
static graco_status get_list(const struct json **out, struct dataset_parts *parts,
                             const struct json *root, const char *key)
{
    PASS(json_get_array(out, root, key));
    if (parts->nodes < 0)
        parts->nodes = json_size(*out);
    if (json_size(*out) == parts->nodes)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "%s has %lld items: expected %lld, one for each node",
                       key, (long long)json_size(*out), (long long)parts->nodes);
}

static graco_status take_features(struct dataset_parts *parts, const struct json *root)
{
    const struct json *list;
    struct features *X = &parts->features;
    double value;
    PASS(get_list(&list, parts, root, "features"));
    X->rows = parts->nodes;
    X->cols = json_size(json_at(list, 0));
    if (X->cols == 0)
        return status_fail(GRACO_ERROR_FORMAT, "features of node 0: expected a list of numbers");
    for (int64_t i = 0; i < X->rows; i++) /* before memory is taken for them */
        if (json_size(json_at(list, i)) != X->cols)
            return status_fail(
                GRACO_ERROR_FORMAT, "node %lld has %lld features: expected %lld, as node 0 has",
                (long long)i, (long long)json_size(json_at(list, i)), (long long)X->cols);
    PASS(memory_alloc(&X->dense, X->rows, (size_t)X->cols * sizeof *X->dense));
    for (int64_t i = 0; i < X->rows; i++)
        for (int64_t k = 0; k < X->cols; k++) {
            if (!json_as_double(&value, json_at(json_at(list, i), k)))
                return status_fail(GRACO_ERROR_FORMAT, "feature %lld of node %lld is no number",
                                   (long long)k, (long long)i);
            X->dense[i * X->cols + k] = (float)value;
        }
    return GRACO_OK;
}

static graco_status take_labels(struct dataset_parts *parts, const struct json *root)
{
    const struct json *list;
    int64_t class;
    PASS(get_list(&list, parts, root, "labels"));
    PASS(memory_alloc(&parts->label, parts->nodes, sizeof *parts->label));
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (!json_as_int(&class, json_at(list, i)) || class < -1 || class >= DATASET_CLASSES)
            return status_fail(GRACO_ERROR_FORMAT, "node %lld has no class: expected an integer",
                               (long long)i);
        parts->label[i] = (int32_t) class;
    }
    parts->classes = dataset_classes(parts->label, parts->nodes);
    return GRACO_OK;
}

static graco_status take_links(struct dataset_parts *parts, const struct json *root)
{
    const struct json *list;
    int64_t other, count = 0;
    PASS(get_list(&list, parts, root, "links"));
    for (int64_t i = 0; i < parts->nodes; i++)
        count += json_size(json_at(list, i));
    PASS(memory_alloc(&parts->source, count, sizeof *parts->source));
    PASS(memory_alloc(&parts->target, count, sizeof *parts->target));
    for (int64_t i = 0; i < parts->nodes; i++) {
        const struct json *links = json_at(list, i);
        if (links->kind != JSON_KIND_ARRAY)
            return status_fail(GRACO_ERROR_FORMAT, "the links of node %lld are no list",
                               (long long)i);
        for (int64_t e = 0; e < json_size(links); e++) {
            if (!json_as_int(&other, json_at(links, e)) || other < 0 || other >= parts->nodes)
                return status_fail(GRACO_ERROR_FORMAT,
                                   "link %lld of node %lld: expected a node from 0 to %lld",
                                   (long long)e, (long long)i, (long long)parts->nodes - 1);
            parts->source[parts->edges] = (int32_t)i;
            parts->target[parts->edges++] = (int32_t)other;
        }
    }
    return GRACO_OK;
}

/* The first of several masks, or the only one. */
static graco_status take_mask(struct dataset_parts *parts, const struct json *root, const char *key,
                              int part)
{
    const struct json *mask;
    bool in;
    PASS(json_get_array(&mask, root, key));
    if (json_size(json_at(mask, 0)) > 0)
        mask = json_at(mask, 0);
    if (json_size(mask) != parts->nodes)
        return status_fail(GRACO_ERROR_FORMAT, "%s has %lld items: expected %lld", key,
                           (long long)json_size(mask), (long long)parts->nodes);
    for (int64_t i = 0; i < parts->nodes; i++) {
        if (!json_as_bool(&in, json_at(mask, i)))
            return status_fail(GRACO_ERROR_FORMAT, "%s of node %lld: expected true or false", key,
                               (long long)i);
        if (in)
            PASS(member_named(dataset_split_put(parts->split, parts->nodes, i, part), key));
    }
    return GRACO_OK;
}

static graco_status take_split(struct dataset_parts *parts, const struct json *root)
{
    static const char *const keys[] = {"train_masks", "val_masks", "test_mask"};
    PASS(dataset_split_begin(&parts->split, parts->nodes));
    for (int part = 0; part < 3; part++)
        PASS(take_mask(parts, root, keys[part], part));
    return GRACO_OK;
}

static graco_status read_wikics(struct graco_dataset **out, const struct source *source)
{
    graco_status status = GRACO_OK;
    struct dataset_parts parts = {.name = source->name, .nodes = -1, .undirected = true};
    struct json *root = NULL;
    TRY(source->place == PLACE_TEXT
            ? json_parse(&root, source->text.data, source->text.length)
            : member_named(part_json(&root, &source->members, file_name), file_name));
    TRY(take_features(&parts, root));
    TRY(take_labels(&parts, root));
    TRY(take_links(&parts, root));
    TRY(take_split(&parts, root));
    TRY(dataset_create(out, &parts));
done:
    json_free(root);
    dataset_parts_clear(&parts);
    return status;
}

/* A text is known by its first key; "links" may also begin a node-link graph. */
static bool knows(const struct source *source)
{
    static const char *const keys[] = {"\"features\"",       "\"labels\"",    "\"train_masks\"",
                                       "\"stopping_masks\"", "\"val_masks\"", "\"test_mask\""};
    if (source->place != PLACE_TEXT)
        return members_have(&source->members, file_name);
    struct cursor text = {.at = (const char *)source->text.data, .blanks = " \t\r\n"};
    text.end = text.at + source->text.length;
    if (!cursor_take(&text, '{'))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (cursor_take_word(&text, keys[i]))
            return true;
    return false;
}

const struct reader reader_wikics = {
    .format = "Wiki-CS's",
    .places = PLACE_TEXT | PLACE_FOLDER | PLACE_ARCHIVE,
    .sign = file_name,
    .knows = knows,
    .read = read_wikics,
};
