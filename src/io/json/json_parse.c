/* JSON from text, by recursive descent (RFC 8259). Each value is parsed into its place in the tree,
 * which is whole at any moment, so that a failure has only the root to free. Strings are unescaped
 * into one block as long as the text: none is longer than what stood for it, quotes included. */
#include "io/json/json.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/cursor.h"
#include "io/tables/names.h"
#include "io/tables/scan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OBJECT_DIGITS: hexadecimal, for any number of objects. */
enum { DEPTH_MAX = 2048, OBJECT_DIGITS = 16, KEYS_FEW = 16 };

struct parser {
    struct cursor text;
    char *string; /* where the next string goes */
    /* The keys of objects with more than a few are in one table, each behind the number of its object: so a
     * repeated one is found at once, however many there are. */
    struct names *keys;
    char *name; /* room for a number and a key */
    uint64_t objects;
    int depth;
};

static graco_status parse_value(struct json *out, struct parser *p);

static graco_status fail_here(const struct parser *p, const char *reason)
{
    struct cursor_place place = cursor_place(&p->text);
    return status_fail(GRACO_ERROR_FORMAT, "bad JSON at line %lld, column %lld: %s",
                       (long long)place.line, (long long)place.column, reason);
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* Four hexadecimal digits; false if there are not as many. */
static bool take_hex(uint32_t *out, struct cursor *text)
{
    if (text->end - text->at < 4)
        return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = *text->at++;
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
    struct cursor *text = &p->text;
    uint32_t point = 0, low = 0;
    if (!take_hex(&point, text))
        return fail_here(p, "four hexadecimal digits are expected after \\u");
    if (point >= 0xd800 && point < 0xdc00) {
        if (text->end - text->at < 2 || text->at[0] != '\\' || text->at[1] != 'u')
            return fail_here(p, "half a surrogate pair");
        text->at += 2;
        if (!take_hex(&low, text) || low < 0xdc00 || low > 0xdfff)
            return fail_here(p, "half a surrogate pair");
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    int length = utf8_encode(*to, point);
    if (length == 0 || point == 0)
        return fail_here(p, point ? "half a surrogate pair" : "\\u0000 is not accepted");
    *to += length;
    return GRACO_OK;
}

static graco_status take_escape(char **to, struct parser *p)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = p->text.at < p->text.end ? *p->text.at++ : 0;
    const char *found = c ? strchr(names, c) : NULL;
    if (c == 'u')
        return take_unicode(to, p);
    if (!found)
        return fail_here(p, "an unknown escape in a string");
    *(*to)++ = values[found - names];
    return GRACO_OK;
}

/* The string after its first quote. */
static graco_status take_string(char **out, struct parser *p)
{
    char reason[64], *to = p->string;
    unsigned char bits = 0; /* of all bytes: those of ASCII need no second look */
    for (;;) {
        if (p->text.at == p->text.end)
            return fail_here(p, "the text ends within a string");
        unsigned char c = (unsigned char)*p->text.at;
        if (c < 0x20)
            return fail_here(p, "a control character in a string");
        p->text.at++;
        if (c == '"')
            break;
        bits |= c;
        if (c == '\\')
            PASS(take_escape(&to, p));
        else
            *to++ = (char)c;
    }
    *to = 0;
    unsigned char wrong = bits < 0x80 ? 0 : (unsigned char)p->string[utf8_prefix(p->string)];
    if (wrong) {
        snprintf(reason, sizeof reason, "byte 0x%02x in a string is not UTF-8", wrong);
        return fail_here(p, reason);
    }
    *out = p->string;
    p->string = to + 1;
    return GRACO_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

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

/* Skips digits; false if there are none. */
static bool take_digits(struct cursor *text)
{
    const char *from = text->at;
    cursor_skip_digits(text);
    return text->at > from;
}

static graco_status parse_number(struct json *out, struct parser *p)
{
    struct cursor *text = &p->text;
    struct scan_field field = {.text = text->at};
    bool whole = true;
    text->at += text->at < text->end && *text->at == '-';
    const char *digits = text->at;
    bool good = take_digits(text) && (*digits != '0' || text->at == digits + 1);
    if (text->at < text->end && *text->at == '.') {
        text->at++;
        good &= take_digits(text);
        whole = false;
    }
    if (text->at < text->end && (*text->at == 'e' || *text->at == 'E')) {
        text->at++;
        text->at += text->at < text->end && (*text->at == '+' || *text->at == '-');
        good &= take_digits(text);
        whole = false;
    }
    field.length = text->at - field.text;
    if (!good)
        return fail_here(p, "a value is expected");
    if (whole ? !read_integer(&out->integer, field)
              : !scan_number(&out->real, field) || !isfinite(out->real))
        return fail_here(p, "too big a number");
    out->kind = whole ? JSON_KIND_INT : JSON_KIND_DOUBLE;
    return GRACO_OK;
}

/* Puts a key of object number `number` into the table; *fresh: it was not there. */
static graco_status note_key(bool *fresh, struct parser *p, uint64_t number, const char *key)
{
    int64_t before = names_count(p->keys), length = (int64_t)strlen(key);
    int32_t place = 0;
    for (int i = 0; i < OBJECT_DIGITS; i++)
        p->name[i] = "0123456789abcdef"[number >> (4 * i) & 15];
    memcpy(p->name + OBJECT_DIGITS, key, (size_t)length);
    PASS(names_add(&place, p->keys, p->name, OBJECT_DIGITS + length));
    *fresh = place == before;
    return GRACO_OK;
}

/* The next key of an object, which is number `number`. */
static graco_status parse_key(char **out, const struct json *object, uint64_t number,
                              struct parser *p)
{
    bool fresh = true;
    if (!cursor_take(&p->text, '"'))
        return fail_here(p, "a key in quotes is expected");
    PASS(take_string(out, p));
    for (int64_t i = 0; i < object->count && object->count < KEYS_FEW; i++)
        fresh &= strcmp(object->items[i].key, *out) != 0;
    for (int64_t i = 0; i < object->count && object->count == KEYS_FEW; i++)
        PASS(note_key(&fresh, p, number, object->items[i].key));
    if (object->count >= KEYS_FEW)
        PASS(note_key(&fresh, p, number, *out));
    if (!fresh)
        return fail_here(p, "a duplicate key");
    return cursor_take(&p->text, ':') ? GRACO_OK : fail_here(p, "':' is expected");
}

/* Adds an item, all zeros but for its key, to a container. */
static graco_status append(struct json **out, struct json *parent, char *key)
{
    int64_t count = parent->count;
    if (count != 1 && (count & (count - 1)) == 0) /* the block is full */
        PASS(memory_grow(&parent->items, count, count ? 2 * count : 2, sizeof *parent->items));
    *out = &parent->items[parent->count++];
    **out = (struct json){.key = key};
    return GRACO_OK;
}

/* The fields or items after the first bracket. */
static graco_status parse_container(struct json *out, struct parser *p, enum json_kind kind)
{
    bool object = kind == JSON_KIND_OBJECT;
    char close = object ? '}' : ']';
    uint64_t number = p->objects++;
    out->kind = kind;
    for (bool more = !cursor_take(&p->text, close); more;) {
        struct json *item = NULL;
        char *key = NULL;
        if (object)
            PASS(parse_key(&key, out, number, p));
        PASS(append(&item, out, key));
        PASS(parse_value(item, p));
        more = cursor_take(&p->text, ',');
        if (!more && !cursor_take(&p->text, close))
            return fail_here(p, object ? "',' or '}' is expected" : "',' or ']' is expected");
    }
    return GRACO_OK;
}

/* `out` is null, all zeros but for its key, and becomes the value. */
static graco_status parse_value(struct json *out, struct parser *p)
{
    graco_status status = GRACO_OK;
    cursor_skip_blanks(&p->text);
    if (p->depth == DEPTH_MAX)
        return fail_here(p, "more than 2048 values within each other: too great a depth");
    p->depth++;
    if (cursor_take(&p->text, '{')) {
        status = parse_container(out, p, JSON_KIND_OBJECT);
    } else if (cursor_take(&p->text, '[')) {
        status = parse_container(out, p, JSON_KIND_ARRAY);
    } else if (cursor_take(&p->text, '"')) {
        out->kind = JSON_KIND_STRING;
        status = take_string(&out->string, p);
    } else if (cursor_at_digit(&p->text)) {
        status = parse_number(out, p);
    } else if (cursor_take_word(&p->text, "true")) {
        out->kind = JSON_KIND_BOOL;
        out->truth = true;
    } else if (cursor_take_word(&p->text, "false")) {
        out->kind = JSON_KIND_BOOL;
    } else if (!cursor_take_word(&p->text, "null")) {
        status = parse_number(out, p);
    }
    p->depth--;
    return status;
}

/* What a parser needs for a text; `block` has room for all of its strings. */
static graco_status parser_init(struct parser *p, char **block, const void *bytes, int64_t length)
{
    const char *text = bytes;
    *p = (struct parser){.text = {text, text, text + length, " \t\n\r"}};
    PASS(memory_alloc(block, length + 1, 1));
    p->string = *block;
    PASS(memory_alloc(&p->name, OBJECT_DIGITS + length, 1));
    return names_create(&p->keys);
}

static void parser_clear(struct parser *p)
{
    names_free(p->keys);
    memory_free(p->name);
}

static graco_status parse_end(struct parser *p)
{
    cursor_skip_blanks(&p->text);
    return p->text.at < p->text.end ? fail_here(p, "the end is expected") : GRACO_OK;
}

graco_status json_parse(struct json **out, const void *bytes, int64_t length)
{
    struct parser p = {0};
    struct json *root = NULL;
    graco_status status = GRACO_OK;
    *out = NULL;
    TRY(memory_zalloc(&root, 1, sizeof *root));
    TRY(parser_init(&p, &root->key, bytes, length));
    TRY(parse_value(root, &p));
    TRY(parse_end(&p));
    *out = root;
    root = NULL;
done:
    json_free(root);
    parser_clear(&p);
    return status;
}

/* ---- Item by item ---------------------------------------------------------------------------- */

/* Parses a value, hands it over and drops it; its strings go where the last one's were. */
static graco_status hand_over(struct parser *p, const char *key, json_item_fn *take, void *user)
{
    struct json value = {0};
    char *strings = p->string;
    graco_status status = parse_value(&value, p);
    if (status == GRACO_OK)
        status = take(user, key, &value);
    json_clear(&value);
    p->string = strings;
    return status;
}

static graco_status hand_over_items(struct parser *p, const char *key, json_item_fn *take,
                                    void *user)
{
    PASS(take(user, key, NULL));
    for (bool more = !cursor_take(&p->text, ']'); more;) {
        PASS(hand_over(p, key, take, user));
        more = cursor_take(&p->text, ',');
        if (!more && !cursor_take(&p->text, ']'))
            return fail_here(p, "',' or ']' is expected");
    }
    return GRACO_OK;
}

graco_status json_parse_items(const void *bytes, int64_t length, json_item_fn *take, void *user)
{
    struct parser p = {0};
    struct json root = {.kind = JSON_KIND_OBJECT}; /* its keys alone */
    char *block = NULL;
    graco_status status = GRACO_OK;
    TRY(parser_init(&p, &block, bytes, length));
    if (!cursor_take(&p.text, '{'))
        TRY(fail_here(&p, "'{' is expected"));
    p.objects = 1;
    for (bool more = !cursor_take(&p.text, '}'); more;) {
        struct json *field = NULL;
        char *key = NULL;
        TRY(parse_key(&key, &root, 0, &p)); /* the first object is number 0 */
        TRY(append(&field, &root, key));
        TRY(cursor_take(&p.text, '[') ? hand_over_items(&p, key, take, user)
                                      : hand_over(&p, key, take, user));
        more = cursor_take(&p.text, ',');
        if (!more && !cursor_take(&p.text, '}'))
            TRY(fail_here(&p, "',' or '}' is expected"));
    }
    TRY(parse_end(&p));
done:
    json_clear(&root);
    memory_free(block);
    parser_clear(&p);
    return status;
}
