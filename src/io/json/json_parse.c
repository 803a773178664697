/* JSON from text, by recursive descent (RFC 8259). jansson keeps the values but does not parse: its
 * parser does not look whether its buffer could grow, and aborts or writes past the end where
 * memory is out. */
#include "io/json/json.h"

#include "base/memory.h"
#include "io/array.h"
#include "io/tables/scan.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 2048 };

struct parser {
    const char *start, *at, *end;
    char *room; /* as long as the document: where strings are unescaped */
    int depth;
};

static graco_status parse_value(json_t **out, struct parser *p);

static graco_status fail_memory(void)
{
    return status_fail(GRACO_ERROR_MEMORY, "out of memory for a JSON value");
}

/* Fails with the place of p->at. */
static graco_status fail_here(const struct parser *p, const char *reason)
{
    int line = 1, column = 1;
    for (const char *c = p->start; c < p->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return status_fail(GRACO_ERROR_FORMAT, "bad JSON at line %d, column %d: %s", line, column,
                       reason);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Takes `c`, after blanks, if it comes next. */
static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* Four hexadecimal digits; false if there are not as many. */
static bool take_hex(uint32_t *out, struct parser *p)
{
    if (p->end - p->at < 4)
        return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = *p->at++;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        *out = *out << 4 | digit;
    }
    return true;
}

/* \u and four hexadecimal digits, or two of them that make one character: at most four bytes for
 * six of the text. */
static graco_status take_unicode(char **to, struct parser *p)
{
    uint32_t point, low;
    if (!take_hex(&point, p))
        return fail_here(p, "four hexadecimal digits are expected after \\u");
    if (point >= 0xd800 && point < 0xdc00) {
        if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
            return fail_here(p, "half a surrogate pair");
        p->at += 2;
        if (!take_hex(&low, p) || low < 0xdc00 || low > 0xdfff)
            return fail_here(p, "half a surrogate pair");
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    } else if (point == 0 || (point >= 0xdc00 && point < 0xe000)) {
        return fail_here(p, point ? "half a surrogate pair" : "\\u0000 is not accepted");
    }
    char *at = *to;
    if (point < 0x80) {
        *at++ = (char)point;
    } else if (point < 0x800) {
        *at++ = (char)(0xc0 | point >> 6);
        *at++ = (char)(0x80 | (point & 63));
    } else {
        if (point < 0x10000) {
            *at++ = (char)(0xe0 | point >> 12);
        } else {
            *at++ = (char)(0xf0 | point >> 18);
            *at++ = (char)(0x80 | (point >> 12 & 63));
        }
        *at++ = (char)(0x80 | (point >> 6 & 63));
        *at++ = (char)(0x80 | (point & 63));
    }
    *to = at;
    return GRACO_OK;
}

static graco_status take_escape(char **to, struct parser *p)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->end ? *p->at++ : 0;
    const char *found = c ? strchr(names, c) : NULL;
    if (c == 'u')
        return take_unicode(to, p);
    if (!found)
        return fail_here(p, "an unknown escape in a string");
    *(*to)++ = values[found - names];
    return GRACO_OK;
}

/* The string after its first quote, in p->room. */
static graco_status take_string(struct parser *p)
{
    char reason[64], *to = p->room;
    graco_status status = GRACO_OK;
    for (;;) {
        if (p->at == p->end)
            return fail_here(p, "the text ends within a string");
        unsigned char c = (unsigned char)*p->at;
        if (c < 0x20)
            return fail_here(p, "a control character in a string");
        p->at++;
        if (c == '"')
            break;
        if (c == '\\')
            TRY(take_escape(&to, p));
        else
            *to++ = (char)c;
    }
    *to = 0;
    size_t good = array_utf8_prefix(p->room);
    if (p->room[good]) {
        snprintf(reason, sizeof reason, "byte 0x%02x in a string is not UTF-8",
                 (unsigned char)p->room[good]);
        return fail_here(p, reason);
    }
done:
    return status;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void skip_digits(struct parser *p)
{
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
}

/* False if it has more than 64 bits. */
static bool read_integer(int64_t *out, struct scan_field field)
{
    char digits[24]; /* no number of 64 bits has more, and none begins with zeros */
    if (field.length >= (int64_t)sizeof digits)
        return false;
    memcpy(digits, field.text, (size_t)field.length);
    digits[field.length] = 0;
    errno = 0;
    *out = strtoll(digits, NULL, 10);
    return errno == 0;
}

static graco_status parse_number(json_t **out, struct parser *p)
{
    struct scan_field field = {p->at, 0};
    const char *digits;
    bool whole = true, good;
    p->at += p->at < p->end && *p->at == '-';
    digits = p->at;
    skip_digits(p);
    good = p->at > digits && (*digits != '0' || p->at == digits + 1);
    if (p->at < p->end && *p->at == '.') {
        digits = ++p->at;
        skip_digits(p);
        good = good && p->at > digits;
        whole = false;
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        p->at += p->at < p->end && (*p->at == '+' || *p->at == '-');
        digits = p->at;
        skip_digits(p);
        good = good && p->at > digits;
        whole = false;
    }
    field.length = p->at - field.text;
    int64_t integer = 0;
    double real = 0;
    if (!good)
        return fail_here(p, "a value is expected");
    if (whole ? !read_integer(&integer, field) : !scan_number(&real, field) || !isfinite(real))
        return fail_here(p, "too big a number");
    *out = whole ? json_integer(integer) : json_real(real);
    return *out ? GRACO_OK : fail_memory();
}

static bool take_word(struct parser *p, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

static graco_status parse_array(json_t **out, struct parser *p)
{
    json_t *array = json_array(), *item = NULL;
    graco_status status = array ? GRACO_OK : fail_memory();
    for (bool more = !take(p, ']'); status == GRACO_OK && more;) {
        TRY(parse_value(&item, p));
        if (json_array_append_new(array, item) != 0) {
            status = fail_memory();
            goto done;
        }
        more = take(p, ',');
        if (!more && !take(p, ']')) {
            status = fail_here(p, "',' or ']' is expected");
            goto done;
        }
    }
done:
    if (status == GRACO_OK)
        *out = array;
    else
        json_decref(array);
    return status;
}

static graco_status parse_member(json_t *object, struct parser *p)
{
    char *key = NULL;
    json_t *value = NULL;
    graco_status status = GRACO_OK;
    if (!take(p, '"'))
        return fail_here(p, "a key in quotes is expected");
    TRY(take_string(p));
    TRY(memory_string(&key, p->room));
    if (json_object_get(object, key)) {
        status = fail_here(p, "a duplicate key");
        goto done;
    }
    if (!take(p, ':')) {
        status = fail_here(p, "':' is expected");
        goto done;
    }
    TRY(parse_value(&value, p));
    if (json_object_set_new_nocheck(object, key, value) != 0)
        status = fail_memory();
done:
    memory_free(key);
    return status;
}

static graco_status parse_object(json_t **out, struct parser *p)
{
    json_t *object = json_object();
    graco_status status = object ? GRACO_OK : fail_memory();
    for (bool more = !take(p, '}'); status == GRACO_OK && more;) {
        TRY(parse_member(object, p));
        more = take(p, ',');
        if (!more && !take(p, '}')) {
            status = fail_here(p, "',' or '}' is expected");
            goto done;
        }
    }
done:
    if (status == GRACO_OK)
        *out = object;
    else
        json_decref(object);
    return status;
}

static graco_status parse_value(json_t **out, struct parser *p)
{
    graco_status status = GRACO_OK;
    skip_blanks(p);
    *out = NULL;
    if (p->depth == DEPTH_MAX)
        return fail_here(p, "more than 2048 values within each other: too great a depth");
    p->depth++;
    if (take(p, '{')) {
        TRY(parse_object(out, p));
    } else if (take(p, '[')) {
        TRY(parse_array(out, p));
    } else if (take(p, '"')) {
        TRY(take_string(p));
        *out = json_string_nocheck(p->room);
        status = *out ? GRACO_OK : fail_memory();
    } else if (take_word(p, "true")) {
        *out = json_true();
    } else if (take_word(p, "false")) {
        *out = json_false();
    } else if (take_word(p, "null")) {
        *out = json_null();
    } else {
        TRY(parse_number(out, p));
    }
done:
    p->depth--;
    return status;
}

graco_status json_parse(struct json **out, const void *bytes, int64_t length)
{
    struct parser p = {bytes, bytes, NULL, NULL, 0};
    json_t *value = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    p.end = p.start + length;
    TRY(memory_alloc(&p.room, length + 1, 1));
    TRY(parse_value(&value, &p));
    skip_blanks(&p);
    if (p.at < p.end) {
        status = fail_here(&p, "the end is expected");
        goto done;
    }
    *out = (struct json *)value;
    value = NULL;
done:
    json_decref(value);
    memory_free(p.room);
    return status;
}
