/* JSON to text. jansson prints 0.1 as 0.10000000000000001; this prints the shortest decimal that
 * reads back as the same double, and does not depend on the locale. */
#include "io/json/json.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/files/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *block;
    int64_t used, room;
    bool indented;
    int depth;
};

static graco_status append(struct text *text, const char *bytes, int64_t length)
{
    if (text->used + length + 1 > text->room) {
        int64_t room = 2 * (text->used + length) + 256;
        graco_status status = memory_grow(&text->block, text->used, room, 1);
        if (status != GRACO_OK)
            return status;
        text->room = room;
    }
    memcpy(text->block + text->used, bytes, (size_t)length);
    text->used += length;
    text->block[text->used] = 0;
    return GRACO_OK;
}

static graco_status append_text(struct text *text, const char *bytes)
{
    return append(text, bytes, (int64_t)strlen(bytes));
}

static graco_status append_double(struct text *text, double value)
{
    char digits[NUMBER_TEXT];
    if (!isfinite(value))
        return append_text(text, "null");
    number_shortest(digits, value);
    bool whole = !strpbrk(digits, ".e");
    graco_status status = append_text(text, digits);
    /* 1.0 must not come back as an integer. */
    return status == GRACO_OK && whole ? append_text(text, ".0") : status;
}

static graco_status append_string(struct text *text, const char *string)
{
    graco_status status = GRACO_OK;
    TRY(append_text(text, "\""));
    for (const char *at = string; *at;) {
        size_t plain = 0;
        while (at[plain] && at[plain] != '"' && at[plain] != '\\' && (unsigned char)at[plain] >= 32)
            plain++;
        TRY(append(text, at, (int64_t)plain));
        at += plain;
        if (*at) {
            char escape[8];
            const char *known = strchr("\"\"\\\\\nn\tt\rr", *at);
            if (known)
                snprintf(escape, sizeof escape, "\\%c", known[1]);
            else
                snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*at);
            TRY(append_text(text, escape));
            at++;
        }
    }
    TRY(append_text(text, "\""));
done:
    return status;
}

static graco_status append_break(struct text *text)
{
    graco_status status = GRACO_OK;
    if (!text->indented)
        return GRACO_OK;
    TRY(append_text(text, "\n"));
    for (int i = 0; i < text->depth; i++)
        TRY(append_text(text, "  "));
done:
    return status;
}

static graco_status append_value(struct text *text, const struct json *value);

static graco_status append_array(struct text *text, const struct json *value)
{
    int64_t count = json_size(value);
    graco_status status = GRACO_OK;
    /* Arrays of plain values stay on one line: fanouts and shapes read better so. */
    bool broken = false;
    for (int64_t i = 0; i < count; i++)
        broken |= json_kind_of(json_at(value, i)) >= JSON_KIND_ARRAY;
    TRY(append_text(text, "["));
    text->depth++;
    for (int64_t i = 0; i < count; i++) {
        if (i > 0)
            TRY(append_text(text, text->indented && !broken ? ", " : ","));
        if (broken)
            TRY(append_break(text));
        TRY(append_value(text, json_at(value, i)));
    }
    text->depth--;
    if (broken)
        TRY(append_break(text));
    TRY(append_text(text, "]"));
done:
    return status;
}

struct fields {
    struct text *text;
    bool later;
};

static graco_status append_field(void *user, const char *key, const struct json *value)
{
    struct fields *fields = user;
    struct text *text = fields->text;
    graco_status status = GRACO_OK;
    if (fields->later)
        TRY(append_text(text, ","));
    fields->later = true;
    TRY(append_break(text));
    TRY(append_string(text, key));
    TRY(append_text(text, text->indented ? ": " : ":"));
    TRY(append_value(text, value));
done:
    return status;
}

static graco_status append_object(struct text *text, const struct json *value)
{
    struct fields fields = {.text = text};
    graco_status status = GRACO_OK;
    TRY(append_text(text, "{"));
    text->depth++;
    TRY(json_each(value, append_field, &fields));
    text->depth--;
    if (fields.later)
        TRY(append_break(text));
    TRY(append_text(text, "}"));
done:
    return status;
}

/* Recursion is as deep as the value; the parser refuses more than 2048 levels. */
static graco_status append_value(struct text *text, const struct json *value)
{
    char digits[32];
    int64_t integer = 0;
    double real = 0;
    const char *string = NULL;
    bool truth = false;
    switch (json_kind_of(value)) {
    case JSON_KIND_NULL:
        return append_text(text, "null");
    case JSON_KIND_BOOL:
        json_as_bool(&truth, value);
        return append_text(text, truth ? "true" : "false");
    case JSON_KIND_INT:
        json_as_int(&integer, value);
        snprintf(digits, sizeof digits, "%" PRId64, integer);
        return append_text(text, digits);
    case JSON_KIND_DOUBLE:
        json_as_double(&real, value);
        return append_double(text, real);
    case JSON_KIND_STRING:
        json_as_string(&string, value);
        return append_string(text, string);
    case JSON_KIND_ARRAY:
        return append_array(text, value);
    default:
        return append_object(text, value);
    }
}

graco_status json_text(char **out, const struct json *value, bool indented)
{
    struct text text = {.indented = indented};
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
