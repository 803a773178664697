/* JSON to text, into one block that grows. A double is printed as the shortest decimal that reads
 * back as the same double, whatever the locale is. */
#include "io/json/json.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/files/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printed {
    char *block;
    int64_t used, room;
    bool indented;
    int depth;
};

static graco_status append(struct printed *text, const char *bytes, int64_t length)
{
    if (text->used + length + 1 > text->room) {
        int64_t room = 2 * (text->used + length) + 256;
        PASS(memory_grow(&text->block, text->used, room, 1));
        text->room = room;
    }
    memcpy(text->block + text->used, bytes, (size_t)length);
    text->used += length;
    text->block[text->used] = 0;
    return GRACO_OK;
}

static graco_status append_text(struct printed *text, const char *bytes)
{
    return append(text, bytes, (int64_t)strlen(bytes));
}

static graco_status append_double(struct printed *text, double value)
{
    char digits[NUMBER_TEXT];
    if (!isfinite(value))
        return append_text(text, "null");
    number_shortest(digits, value);
    PASS(append_text(text, digits));
    /* 1.0 must not come back as an integer. */
    return strpbrk(digits, ".e") ? GRACO_OK : append_text(text, ".0");
}

static graco_status append_string(struct printed *text, const char *string)
{
    PASS(append_text(text, "\""));
    for (const char *at = string; *at;) {
        size_t plain = 0;
        while (at[plain] && at[plain] != '"' && at[plain] != '\\' && (unsigned char)at[plain] >= 32)
            plain++;
        PASS(append(text, at, (int64_t)plain));
        at += plain;
        if (*at) {
            char escape[8];
            const char *known = strchr("\"\"\\\\\nn\tt\rr", *at);
            if (known)
                snprintf(escape, sizeof escape, "\\%c", known[1]);
            else
                snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*at);
            PASS(append_text(text, escape));
            at++;
        }
    }
    return append_text(text, "\"");
}

static graco_status append_break(struct printed *text)
{
    if (!text->indented)
        return GRACO_OK;
    PASS(append_text(text, "\n"));
    for (int i = 0; i < text->depth; i++)
        PASS(append_text(text, "  "));
    return GRACO_OK;
}

static graco_status append_value(struct printed *text, const struct json *value);

static graco_status append_container(struct printed *text, const struct json *value)
{
    bool object = value->kind == JSON_KIND_OBJECT;
    /* Arrays of plain values stay on one line: fanouts and shapes read better so. */
    bool broken = object && value->count > 0;
    for (int64_t i = 0; i < value->count; i++)
        broken |= value->items[i].kind >= JSON_KIND_ARRAY;
    PASS(append_text(text, object ? "{" : "["));
    text->depth++;
    for (int64_t i = 0; i < value->count; i++) {
        if (i > 0)
            PASS(append_text(text, text->indented && !broken ? ", " : ","));
        if (broken)
            PASS(append_break(text));
        if (object) {
            PASS(append_string(text, value->items[i].key));
            PASS(append_text(text, text->indented ? ": " : ":"));
        }
        PASS(append_value(text, &value->items[i]));
    }
    text->depth--;
    if (broken)
        PASS(append_break(text));
    return append_text(text, object ? "}" : "]");
}

/* Recursion is as deep as the value; the parser refuses more than 2048 levels. */
static graco_status append_value(struct printed *text, const struct json *value)
{
    char digits[32];
    switch (value->kind) {
    case JSON_KIND_NULL:
        return append_text(text, "null");
    case JSON_KIND_BOOL:
        return append_text(text, value->truth ? "true" : "false");
    case JSON_KIND_INT:
        snprintf(digits, sizeof digits, "%" PRId64, value->integer);
        return append_text(text, digits);
    case JSON_KIND_DOUBLE:
        return append_double(text, value->real);
    case JSON_KIND_STRING:
        return append_string(text, value->string);
    default:
        return append_container(text, value);
    }
}

graco_status json_text(char **out, const struct json *value, bool indented)
{
    struct printed text = {.indented = indented};
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(append_value(&text, value));
    *out = text.block;
    text.block = NULL;
done:
    memory_free(text.block);
    return status;
}

graco_status json_write(const char *path, const struct json *value)
{
    char *text = NULL;
    graco_status status = GRACO_OK;
    TRY(json_text(&text, value, true));
    size_t length = strlen(text);
    text[length] = '\n'; /* over the NUL: the length is known */
    TRY(file_write_atomic(path, text, (int64_t)length + 1));
done:
    memory_free(text);
    return status;
}
