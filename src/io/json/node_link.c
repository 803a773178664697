/* One pass over the text, without a tree: ids and ends of links are taken, every other value is
 * skipped bracket by bracket, with its grammar checked. */
#include "io/json/node_link.h"

#include "base/memory.h"
#include "io/cursor.h"

#include <string.h>

/* DEPTH: how deep skipped values may nest. */
enum { DEPTH = 64, ROOM_FIRST = 1024 };

struct word {
    const char *text; /* between the quotes, escapes left as they are */
    int64_t length;
};

void node_link_clear(struct node_link *graph)
{
    if (!graph)
        return;
    memory_free(graph->source);
    memory_free(graph->target);
    *graph = (struct node_link){0};
}

static graco_status fail_at(const struct cursor *cursor, const char *wanted)
{
    struct cursor_place place = cursor_place(cursor);
    return status_fail(GRACO_ERROR_FORMAT, "line %lld, column %lld: %s expected",
                       (long long)place.line, (long long)place.column, wanted);
}

static graco_status take_string(struct word *out, struct cursor *cursor)
{
    if (!cursor_take(cursor, '"'))
        return fail_at(cursor, "a string");
    out->text = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != '"') {
        if ((unsigned char)*cursor->at < 0x20)
            return fail_at(cursor, "no control character in a string");
        cursor->at += *cursor->at == '\\' && cursor->end - cursor->at > 1 ? 2 : 1;
    }
    if (cursor->at == cursor->end)
        return fail_at(cursor, "the end of a string");
    out->length = cursor->at++ - out->text;
    return GRACO_OK;
}

static bool same_word(struct word word, const char *text)
{
    return word.length == (int64_t)strlen(text) &&
           memcmp(word.text, text, (size_t)word.length) == 0;
}

static graco_status skip_number(struct cursor *cursor)
{
    cursor_take(cursor, '-');
    if (!cursor_at_digit(cursor))
        return fail_at(cursor, "a value");
    cursor_skip_digits(cursor);
    if (cursor->at < cursor->end && *cursor->at == '.') {
        cursor->at++;
        if (!cursor_at_digit(cursor))
            return fail_at(cursor, "a digit");
        cursor_skip_digits(cursor);
    }
    if (cursor->at < cursor->end && (*cursor->at == 'e' || *cursor->at == 'E')) {
        cursor->at++;
        cursor->at += cursor->at < cursor->end && (*cursor->at == '+' || *cursor->at == '-');
        if (!cursor_at_digit(cursor))
            return fail_at(cursor, "a digit");
        cursor_skip_digits(cursor);
    }
    return GRACO_OK;
}

/* A value without parts. */
static graco_status skip_scalar(struct cursor *cursor)
{
    struct word text;
    cursor_skip_blanks(cursor);
    if (cursor->at < cursor->end && *cursor->at == '"')
        return take_string(&text, cursor);
    if (cursor_take_word(cursor, "true") || cursor_take_word(cursor, "false") ||
        cursor_take_word(cursor, "null"))
        return GRACO_OK;
    return skip_number(cursor);
}

/* Skips any value, without recursion: `closing` holds the brackets that are open. */
static graco_status skip_value(struct cursor *cursor)
{
    char closing[DEPTH];
    int depth = 0;
    bool fresh = true; /* right after an opening bracket, where it may close at once */
    do {
        if (depth > 0 && cursor_take(cursor, closing[depth - 1])) {
            depth--;
            fresh = false;
            continue;
        }
        if (depth > 0 && !fresh && !cursor_take(cursor, ','))
            return fail_at(cursor, closing[depth - 1] == '}' ? "',' or '}'" : "',' or ']'");
        if (depth > 0 && closing[depth - 1] == '}') {
            struct word key;
            PASS(take_string(&key, cursor));
            if (!cursor_take(cursor, ':'))
                return fail_at(cursor, "':'");
        }
        fresh = cursor_take(cursor, '{');
        if (fresh || cursor_take(cursor, '[')) {
            if (depth == DEPTH)
                return fail_at(cursor, "fewer brackets within each other");
            closing[depth++] = fresh ? '}' : ']';
            fresh = true;
            continue;
        }
        PASS(skip_scalar(cursor));
    } while (depth > 0);
    return GRACO_OK;
}

/* An integer from 0 to 2^31 - 1: the number of a node. */
static graco_status take_node(int32_t *out, struct cursor *cursor)
{
    int64_t value = 0;
    cursor_skip_blanks(cursor);
    if (!cursor_at_digit(cursor))
        return fail_at(cursor, "the number of a node");
    for (; cursor_at_digit(cursor); cursor->at++) {
        value = 10 * value + (*cursor->at - '0');
        if (value > INT32_MAX)
            return fail_at(cursor, "the number of a node, below 2^31,");
    }
    *out = (int32_t)value;
    return GRACO_OK;
}

/* An object: takes the node numbers under `count` names, at most two, which must all be there, and
 * skips its other fields. */
static graco_status take_fields(int32_t *values, const char *const *names, int count,
                                struct cursor *cursor)
{
    bool found[2] = {false, false}, comma = true;
    if (!cursor_take(cursor, '{'))
        return fail_at(cursor, "'{'");
    while (!cursor_take(cursor, '}')) {
        struct word key;
        int field = 0;
        if (!comma)
            return fail_at(cursor, "',' or '}'");
        PASS(take_string(&key, cursor));
        if (!cursor_take(cursor, ':'))
            return fail_at(cursor, "':'");
        while (field < count && !same_word(key, names[field]))
            field++;
        if (field == count) {
            PASS(skip_value(cursor));
        } else {
            if (found[field])
                return fail_at(cursor, "a key only once");
            PASS(take_node(&values[field], cursor));
            found[field] = true;
        }
        comma = cursor_take(cursor, ',');
        if (comma && cursor_take(cursor, '}'))
            return fail_at(cursor, "a key after ','");
    }
    for (int field = 0; field < count; field++) {
        if (!found[field])
            return fail_at(cursor, count == 1 ? "an object with an id"
                                              : "an object with a source and a target");
    }
    return GRACO_OK;
}

static graco_status take_nodes(struct node_link *graph, struct cursor *cursor)
{
    static const char *const names[] = {"id"};
    int64_t count = 0;
    if (!cursor_take(cursor, '['))
        return fail_at(cursor, "'['");
    while (count > 0 || !cursor_take(cursor, ']')) {
        int32_t id = 0;
        PASS(take_fields(&id, names, 1, cursor));
        if (id != count)
            return status_fail(GRACO_ERROR_FORMAT,
                               "node %lld has the id %ld: expected 0, 1, 2, ... in order",
                               (long long)count, (long)id);
        count++;
        if (cursor_take(cursor, ']'))
            break;
        if (!cursor_take(cursor, ','))
            return fail_at(cursor, "',' or ']'");
    }
    graph->nodes = count;
    return GRACO_OK;
}

static graco_status take_links(struct node_link *graph, struct cursor *cursor)
{
    static const char *const names[] = {"source", "target"};
    int64_t room = ROOM_FIRST;
    if (!cursor_take(cursor, '['))
        return fail_at(cursor, "'['");
    PASS(memory_alloc(&graph->source, room, sizeof *graph->source));
    PASS(memory_alloc(&graph->target, room, sizeof *graph->target));
    while (graph->edges > 0 || !cursor_take(cursor, ']')) {
        int32_t ends[2];
        PASS(take_fields(ends, names, 2, cursor));
        if (graph->edges == room) {
            PASS(memory_grow(&graph->source, room, 2 * room, sizeof *graph->source));
            PASS(memory_grow(&graph->target, room, 2 * room, sizeof *graph->target));
            room *= 2;
        }
        graph->source[graph->edges] = ends[0];
        graph->target[graph->edges++] = ends[1];
        if (cursor_take(cursor, ']'))
            break;
        if (!cursor_take(cursor, ','))
            return fail_at(cursor, "',' or ']'");
    }
    return GRACO_OK;
}

static graco_status take_directed(struct node_link *graph, struct cursor *cursor)
{
    graph->directed = cursor_take_word(cursor, "true");
    if (!graph->directed && !cursor_take_word(cursor, "false"))
        return fail_at(cursor, "true or false");
    return GRACO_OK;
}

/* The fields of the outermost object. */
static graco_status take_graph(struct node_link *graph, struct cursor *cursor)
{
    bool nodes = false, links = false, comma = true;
    if (!cursor_take(cursor, '{'))
        return fail_at(cursor, "'{'");
    while (!cursor_take(cursor, '}')) {
        struct word key;
        if (!comma)
            return fail_at(cursor, "',' or '}'");
        PASS(take_string(&key, cursor));
        if (!cursor_take(cursor, ':'))
            return fail_at(cursor, "':'");
        bool is_nodes = same_word(key, "nodes");
        bool is_links = same_word(key, "links") || same_word(key, "edges");
        if ((is_nodes && nodes) || (is_links && links))
            return fail_at(cursor, "nodes and links only once");
        nodes |= is_nodes;
        links |= is_links;
        PASS(is_nodes                     ? take_nodes(graph, cursor)
             : is_links                   ? take_links(graph, cursor)
             : same_word(key, "directed") ? take_directed(graph, cursor)
                                          : skip_value(cursor));
        comma = cursor_take(cursor, ',');
        if (comma && cursor_take(cursor, '}'))
            return fail_at(cursor, "a key after ','");
    }
    if (!nodes || !links)
        return status_fail(GRACO_ERROR_FORMAT, "a graph without %s: expected a list of them",
                           nodes ? "links" : "nodes");
    cursor_skip_blanks(cursor);
    if (cursor->at != cursor->end)
        return fail_at(cursor, "the end of the file");
    return GRACO_OK;
}

static graco_status check_links(const struct node_link *graph)
{
    for (int64_t e = 0; e < graph->edges; e++) {
        if (graph->source[e] >= graph->nodes || graph->target[e] >= graph->nodes)
            return status_fail(GRACO_ERROR_FORMAT,
                               "link %lld joins nodes %ld and %ld: there are %lld nodes",
                               (long long)e, (long)graph->source[e], (long)graph->target[e],
                               (long long)graph->nodes);
    }
    return GRACO_OK;
}

graco_status node_link_decode(struct node_link *out, const void *bytes, int64_t length)
{
    graco_status status = GRACO_OK;
    struct cursor cursor = {bytes, bytes, (const char *)bytes + length, " \n\r\t"};
    *out = (struct node_link){0};
    TRY(take_graph(out, &cursor));
    TRY(check_links(out));
done:
    if (status != GRACO_OK)
        node_link_clear(out);
    return status;
}
