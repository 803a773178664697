#include "io/json/node_link.h"

#include "base/memory.h"

#include <string.h>

/* DEPTH: how deep skipped values may nest. */
enum { DEPTH = 64, ROOM_FIRST = 1024 };

struct scanner {
    const char *begin, *at, *end;
};

struct word {
    const char *text; /* between the quotes, escapes left as they are */
    int64_t length;
};

static graco_status fail_at(const struct scanner *scanner, const char *wanted)
{
    int64_t line = 1, column = 1;
    for (const char *p = scanner->begin; p < scanner->at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return status_fail(GRACO_ERROR_FORMAT, "line %lld, column %lld: %s expected", (long long)line,
                       (long long)column, wanted);
}

static void skip_spaces(struct scanner *scanner)
{
    while (scanner->at < scanner->end && (*scanner->at == ' ' || *scanner->at == '\n' ||
                                          *scanner->at == '\r' || *scanner->at == '\t'))
        scanner->at++;
}

/* Takes one character after spaces, if it comes next. */
static bool take(struct scanner *scanner, char wanted)
{
    skip_spaces(scanner);
    if (scanner->at == scanner->end || *scanner->at != wanted)
        return false;
    scanner->at++;
    return true;
}

static bool take_word(struct scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(scanner);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0)
        return false;
    scanner->at += length;
    return true;
}

static bool is_digit(const struct scanner *scanner)
{
    return scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9';
}

static graco_status take_string(struct word *out, struct scanner *scanner)
{
    if (!take(scanner, '"'))
        return fail_at(scanner, "a string");
    out->text = scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '"') {
        if ((unsigned char)*scanner->at < 0x20)
            return fail_at(scanner, "no control character in a string");
        scanner->at += *scanner->at == '\\' && scanner->end - scanner->at > 1 ? 2 : 1;
    }
    if (scanner->at == scanner->end)
        return fail_at(scanner, "the end of a string");
    out->length = scanner->at++ - out->text;
    return GRACO_OK;
}

static bool same_word(struct word word, const char *text)
{
    return word.length == (int64_t)strlen(text) &&
           memcmp(word.text, text, (size_t)word.length) == 0;
}

static void skip_digits(struct scanner *scanner)
{
    while (is_digit(scanner))
        scanner->at++;
}

static graco_status skip_number(struct scanner *scanner)
{
    take(scanner, '-');
    if (!is_digit(scanner))
        return fail_at(scanner, "a value");
    skip_digits(scanner);
    if (scanner->at < scanner->end && *scanner->at == '.') {
        scanner->at++;
        if (!is_digit(scanner))
            return fail_at(scanner, "a digit");
        skip_digits(scanner);
    }
    if (scanner->at < scanner->end && (*scanner->at == 'e' || *scanner->at == 'E')) {
        scanner->at++;
        scanner->at += scanner->at < scanner->end && (*scanner->at == '+' || *scanner->at == '-');
        if (!is_digit(scanner))
            return fail_at(scanner, "a digit");
        skip_digits(scanner);
    }
    return GRACO_OK;
}

/* A value without parts. */
static graco_status skip_scalar(struct scanner *scanner)
{
    struct word text;
    skip_spaces(scanner);
    if (scanner->at < scanner->end && *scanner->at == '"')
        return take_string(&text, scanner);
    if (take_word(scanner, "true") || take_word(scanner, "false") || take_word(scanner, "null"))
        return GRACO_OK;
    return skip_number(scanner);
}

/* Skips any value, without recursion: `closing` holds the brackets that are open. */
static graco_status skip_value(struct scanner *scanner)
{
    graco_status status = GRACO_OK;
    char closing[DEPTH];
    int depth = 0;
    bool fresh = true; /* right after an opening bracket, where it may close at once */
    do {
        if (depth > 0 && take(scanner, closing[depth - 1])) {
            depth--;
            fresh = false;
            continue;
        }
        if (depth > 0 && !fresh && !take(scanner, ','))
            return fail_at(scanner, closing[depth - 1] == '}' ? "',' or '}'" : "',' or ']'");
        if (depth > 0 && closing[depth - 1] == '}') {
            struct word key;
            TRY(take_string(&key, scanner));
            if (!take(scanner, ':'))
                return fail_at(scanner, "':'");
        }
        fresh = take(scanner, '{');
        if (fresh || take(scanner, '[')) {
            if (depth == DEPTH)
                return fail_at(scanner, "fewer brackets within each other");
            closing[depth++] = fresh ? '}' : ']';
            fresh = true;
            continue;
        }
        TRY(skip_scalar(scanner));
    } while (depth > 0);
done:
    return status;
}

/* An integer from 0 to 2^31 - 1: the number of a node. */
static graco_status take_node(int32_t *out, struct scanner *scanner)
{
    int64_t value = 0;
    skip_spaces(scanner);
    if (!is_digit(scanner))
        return fail_at(scanner, "the number of a node");
    for (; is_digit(scanner); scanner->at++) {
        value = 10 * value + (*scanner->at - '0');
        if (value > INT32_MAX)
            return fail_at(scanner, "the number of a node, below 2^31,");
    }
    *out = (int32_t)value;
    return GRACO_OK;
}

/* An object of which `count` fields, at most two, hold node numbers and are wanted. */
static graco_status take_fields(int32_t *values, const char *const *names, int count,
                                struct scanner *scanner)
{
    graco_status status = GRACO_OK;
    bool found[2] = {false, false}, comma = true;
    if (!take(scanner, '{'))
        return fail_at(scanner, "'{'");
    while (!take(scanner, '}')) {
        struct word key;
        int field = 0;
        if (!comma)
            return fail_at(scanner, "',' or '}'");
        TRY(take_string(&key, scanner));
        if (!take(scanner, ':'))
            return fail_at(scanner, "':'");
        while (field < count && !same_word(key, names[field]))
            field++;
        if (field == count) {
            TRY(skip_value(scanner));
        } else {
            if (found[field])
                return fail_at(scanner, "a key only once");
            TRY(take_node(&values[field], scanner));
            found[field] = true;
        }
        comma = take(scanner, ',');
        if (comma && take(scanner, '}'))
            return fail_at(scanner, "a key after ','");
    }
    for (int field = 0; field < count; field++) {
        if (!found[field])
            return fail_at(scanner, count == 1 ? "an object with an id"
                                               : "an object with a source and a target");
    }
done:
    return status;
}

static graco_status take_nodes(struct node_link *graph, struct scanner *scanner)
{
    static const char *const names[] = {"id"};
    graco_status status = GRACO_OK;
    int64_t count = 0;
    if (!take(scanner, '['))
        return fail_at(scanner, "'['");
    while (count > 0 || !take(scanner, ']')) {
        int32_t id = 0;
        TRY(take_fields(&id, names, 1, scanner));
        if (id != count)
            FAIL(GRACO_ERROR_FORMAT, "node %lld has the id %ld: expected 0, 1, 2, ... in order",
                 (long long)count, (long)id);
        count++;
        if (take(scanner, ']'))
            break;
        if (!take(scanner, ','))
            return fail_at(scanner, "',' or ']'");
    }
    graph->nodes = count;
done:
    return status;
}

static graco_status take_links(struct node_link *graph, struct scanner *scanner)
{
    static const char *const names[] = {"source", "target"};
    graco_status status = GRACO_OK;
    int64_t room = ROOM_FIRST;
    if (!take(scanner, '['))
        return fail_at(scanner, "'['");
    TRY(memory_alloc(&graph->source, room, sizeof *graph->source));
    TRY(memory_alloc(&graph->target, room, sizeof *graph->target));
    while (graph->edges > 0 || !take(scanner, ']')) {
        int32_t ends[2];
        TRY(take_fields(ends, names, 2, scanner));
        if (graph->edges == room) {
            TRY(memory_grow(&graph->source, room, 2 * room, sizeof *graph->source));
            TRY(memory_grow(&graph->target, room, 2 * room, sizeof *graph->target));
            room *= 2;
        }
        graph->source[graph->edges] = ends[0];
        graph->target[graph->edges++] = ends[1];
        if (take(scanner, ']'))
            break;
        if (!take(scanner, ','))
            return fail_at(scanner, "',' or ']'");
    }
done:
    return status;
}

static graco_status take_directed(struct node_link *graph, struct scanner *scanner)
{
    graph->directed = take_word(scanner, "true");
    if (!graph->directed && !take_word(scanner, "false"))
        return fail_at(scanner, "true or false");
    return GRACO_OK;
}

/* The fields of the outermost object. */
static graco_status take_graph(struct node_link *graph, struct scanner *scanner)
{
    graco_status status = GRACO_OK;
    bool nodes = false, links = false, comma = true;
    if (!take(scanner, '{'))
        return fail_at(scanner, "'{'");
    while (!take(scanner, '}')) {
        struct word key;
        if (!comma)
            return fail_at(scanner, "',' or '}'");
        TRY(take_string(&key, scanner));
        if (!take(scanner, ':'))
            return fail_at(scanner, "':'");
        bool is_nodes = same_word(key, "nodes");
        bool is_links = same_word(key, "links") || same_word(key, "edges");
        if ((is_nodes && nodes) || (is_links && links))
            return fail_at(scanner, "nodes and links only once");
        nodes |= is_nodes;
        links |= is_links;
        TRY(is_nodes                     ? take_nodes(graph, scanner)
            : is_links                   ? take_links(graph, scanner)
            : same_word(key, "directed") ? take_directed(graph, scanner)
                                         : skip_value(scanner));
        comma = take(scanner, ',');
        if (comma && take(scanner, '}'))
            return fail_at(scanner, "a key after ','");
    }
    if (!nodes || !links)
        FAIL(GRACO_ERROR_FORMAT, "a graph without %s: expected a list of them",
             nodes ? "links" : "nodes");
    skip_spaces(scanner);
    if (scanner->at != scanner->end)
        return fail_at(scanner, "the end of the file");
done:
    return status;
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
    struct node_link graph = {0};
    struct scanner scanner = {bytes, bytes, (const char *)bytes + length};
    *out = (struct node_link){0};
    TRY(take_graph(&graph, &scanner));
    TRY(check_links(&graph));
    *out = graph;
    graph = (struct node_link){0};
done:
    node_link_clear(&graph);
    return status;
}

void node_link_clear(struct node_link *graph)
{
    if (!graph)
        return;
    memory_free(graph->source);
    memory_free(graph->target);
    *graph = (struct node_link){0};
}
