/* One pass, without recursion: a stack of names says which elements are open. Text is copied only
 * where somebody asks for it, into one buffer that is used again. */
#include "io/xml/xml.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>

static const char BLANKS[] = " \t\r\n";

void xml_start(struct xml *xml, const void *bytes, int64_t length)
{
    *xml = (struct xml){.cursor = {bytes, bytes, (const char *)bytes + length, BLANKS}};
}

void xml_clear(struct xml *xml)
{
    memory_free(xml->plain);
    *xml = (struct xml){0};
}

graco_status xml_fail(const struct xml *xml, const char *problem)
{
    struct cursor_place place = cursor_place(&xml->cursor);
    return status_fail(GRACO_ERROR_FORMAT, "XML, line %lld, column %lld: %s", (long long)place.line,
                       (long long)place.column, problem);
}

static bool is_blank(char c)
{
    return c && strchr(BLANKS, c);
}

static bool same(struct xml_piece a, struct xml_piece b)
{
    return a.length == b.length && memcmp(a.at, b.at, (size_t)a.length) == 0;
}

static bool is_word(struct xml_piece piece, const char *word)
{
    return same(piece, (struct xml_piece){word, (int64_t)strlen(word)});
}

bool xml_is(const struct xml *xml, const char *name)
{
    return is_word(xml->name, name);
}

/* ---- Tags ------------------------------------------------------------------------------------ */

/* A name begins with a letter, an underscore, a colon or a byte above 127; digits, points and minus
 * may follow. */
static graco_status take_name(struct xml_piece *out, struct xml *xml)
{
    const char *at = xml->cursor.at, *end = xml->cursor.end;
    for (; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        bool later = (c >= '0' && c <= '9') || c == '.' || c == '-';
        if (!letter && c < 128 && c != '_' && c != ':' && !(later && at > xml->cursor.at))
            break;
    }
    if (at == xml->cursor.at)
        return xml_fail(xml, "expected a name");
    *out = (struct xml_piece){xml->cursor.at, at - xml->cursor.at};
    xml->cursor.at = at;
    return GRACO_OK;
}

static graco_status take_attribute(struct xml *xml)
{
    struct xml_piece name, value;
    struct cursor *cursor = &xml->cursor;
    PASS(take_name(&name, xml));
    for (int i = 0; i < xml->count; i++)
        if (same(name, xml->attributes[i].name))
            return xml_fail(xml, "an attribute stands twice");
    if (xml->count == XML_ATTRIBUTES)
        return xml_fail(xml, "an element has more than 32 attributes");
    if (!cursor_take(cursor, '='))
        return xml_fail(xml, "expected = after the name of an attribute");
    char quote = cursor_take(cursor, '"') ? '"' : '\'';
    if (quote == '\'' && !cursor_take(cursor, '\''))
        return xml_fail(xml, "expected the value of an attribute in quotes");
    const char *end = memchr(cursor->at, quote, (size_t)(cursor->end - cursor->at));
    if (!end)
        return xml_fail(xml, "the value of an attribute does not end");
    value = (struct xml_piece){cursor->at, end - cursor->at};
    if (memchr(value.at, '<', (size_t)value.length))
        return xml_fail(xml, "the value of an attribute has a <");
    cursor->at = end + 1;
    xml->attributes[xml->count].name = name;
    xml->attributes[xml->count++].value = value;
    return GRACO_OK;
}

/* Behind the <. */
static graco_status take_open(struct xml *xml)
{
    struct cursor *cursor = &xml->cursor;
    if (xml->ended)
        return xml_fail(xml, "a second root");
    if (xml->depth == XML_DEPTH)
        return xml_fail(xml, "elements nest more than 64 deep");
    PASS(take_name(&xml->name, xml));
    for (xml->count = 0;;) {
        bool blank = cursor->at < cursor->end && is_blank(*cursor->at);
        xml->closing = cursor_take_word(cursor, "/>");
        if (xml->closing || cursor_take(cursor, '>'))
            break;
        if (!blank)
            return xml_fail(xml, "expected an attribute, > or />");
        PASS(take_attribute(xml));
    }
    xml->open[xml->depth++] = xml->name;
    return GRACO_OK;
}

static void close_element(struct xml *xml)
{
    xml->name = xml->open[--xml->depth];
    xml->ended = xml->depth == 0;
    xml->closing = false;
    xml->count = 0;
}

/* Behind the </. */
static graco_status take_close(struct xml *xml)
{
    struct xml_piece name;
    PASS(take_name(&name, xml));
    if (xml->depth == 0 || !same(name, xml->open[xml->depth - 1]))
        return xml_fail(xml, "this is not the end of the element that is open");
    if (!cursor_take(&xml->cursor, '>'))
        return xml_fail(xml, "expected > at the end of an element");
    close_element(xml);
    return GRACO_OK;
}

/* ---- What stands between elements ------------------------------------------------------------ */

/* Goes behind `mark`; *before is what stands before it. */
static graco_status take_until(struct xml_piece *before, struct xml *xml, const char *mark,
                               const char *problem)
{
    struct cursor *cursor = &xml->cursor;
    size_t length = strlen(mark);
    const char *at = cursor->at;
    while ((at = memchr(at, *mark, (size_t)(cursor->end - at)))) {
        if ((size_t)(cursor->end - at) < length)
            break;
        if (memcmp(at, mark, length) == 0) {
            *before = (struct xml_piece){cursor->at, at - cursor->at};
            cursor->at = at + length;
            return GRACO_OK;
        }
        at++;
    }
    return xml_fail(xml, problem);
}

/* <?xml ... encoding="..."?> may name UTF-8 and what is part of it. */
static graco_status check_encoding(const struct xml *xml, struct xml_piece instruction)
{
    static const char *const known[] = {"utf-8", "utf8", "us-ascii", "ascii"};
    char text[256];
    size_t length = instruction.length < 255 ? (size_t)instruction.length : 255;
    memcpy(text, instruction.at, length);
    text[length] = '\0';
    for (char *c = text; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    const char *at = strncmp(text, "xml", 3) == 0 ? strstr(text, "encoding") : NULL;
    at = at ? at + strcspn(at, "\"'") : NULL;
    if (!at || !*at)
        return GRACO_OK;
    size_t word = strcspn(++at, "\"'");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == word && memcmp(known[i], at, word) == 0)
            return GRACO_OK;
    return xml_fail(xml, "another encoding: expected UTF-8");
}

/* Behind a <. *text: it was text after all. */
static graco_status take_other(bool *text, struct xml *xml)
{
    struct xml_piece piece;
    struct cursor *cursor = &xml->cursor;
    *text = false;
    if (cursor->at < cursor->end && *cursor->at == '?') {
        cursor->at++;
        PASS(take_until(&piece, xml, "?>", "an instruction does not end"));
        return check_encoding(xml, piece);
    }
    if (cursor_take_word(cursor, "!--"))
        return take_until(&piece, xml, "-->", "a comment does not end");
    if (!cursor_take_word(cursor, "![CDATA["))
        return xml_fail(xml, "a document type or another declaration, which graco does not read");
    if (xml->depth == 0)
        return xml_fail(xml, "text outside of the root");
    *text = xml->verbatim = true;
    return take_until(&xml->text, xml, "]]>", "a CDATA section does not end");
}

/* Up to the next <; *text: there is some, not only the blanks around the root. */
static graco_status take_text(bool *text, struct xml *xml)
{
    struct cursor *cursor = &xml->cursor;
    const char *at = memchr(cursor->at, '<', (size_t)(cursor->end - cursor->at));
    at = at ? at : cursor->end;
    xml->text = (struct xml_piece){cursor->at, at - cursor->at};
    xml->verbatim = false;
    *text = xml->text.length > 0 && xml->depth > 0;
    if (xml->depth == 0) {
        cursor_skip_blanks(cursor);
        if (cursor->at < at)
            return xml_fail(xml, "text outside of the root");
    }
    cursor->at = at;
    return GRACO_OK;
}

graco_status xml_next(enum xml_event *event, struct xml *xml)
{
    struct cursor *cursor = &xml->cursor;
    *event = XML_CLOSE;
    if (xml->closing) {
        close_element(xml);
        return GRACO_OK;
    }
    for (;;) {
        bool text = false;
        PASS(take_text(&text, xml));
        *event = text ? XML_TEXT : XML_END;
        if (text)
            return GRACO_OK;
        if (cursor->at == cursor->end)
            return xml->ended ? GRACO_OK : xml_fail(xml, "the document ends before its root does");
        char next = ++cursor->at < cursor->end ? *cursor->at : '\0';
        if (next == '!' || next == '?') {
            PASS(take_other(&text, xml));
            *event = XML_TEXT;
            if (text)
                return GRACO_OK;
            continue;
        }
        *event = next == '/' ? XML_CLOSE : XML_OPEN;
        cursor->at += next == '/';
        return next == '/' ? take_close(xml) : take_open(xml);
    }
}

/* ---- Text without escapes -------------------------------------------------------------------- */

static bool is_character(long code)
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= ' ' && code < 0xD800) ||
           (code >= 0xE000 && code < 0xFFFE) || (code >= 0x10000 && code <= 0x10FFFF);
}

/* Puts what stands between & and ; to *to, and goes behind it. */
static graco_status put_entity(char **to, const char *name, size_t length, const struct xml *xml)
{
    static const struct {
        const char *name;
        char character;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    char digits[16], *end = digits;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word((struct xml_piece){name, (int64_t)length}, known[i].name)) {
            *(*to)++ = known[i].character;
            return GRACO_OK;
        }
    if (length < 2 || length >= sizeof digits || *name != '#')
        return xml_fail(xml, "an entity that XML itself does not have");
    bool hex = name[1] == 'x';
    memcpy(digits, name + 1 + hex, length - 1 - hex);
    digits[length - 1 - hex] = '\0';
    bool plain = digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] == '\0';
    long code = strtol(digits, &end, hex ? 16 : 10);
    if (!plain || end == digits || !is_character(code))
        return xml_fail(xml, "a character by a number that none has");
    *to += utf8_encode(*to, (uint32_t)code);
    return GRACO_OK;
}

/* Adds a piece to plain[*used ...], which gets room for it and a NUL. Nothing is longer than its
 * escaped form. */
static graco_status add_plain(int64_t *used, struct xml *xml, struct xml_piece piece, bool verbatim)
{
    PASS(memory_reserve(&xml->plain, &xml->room, *used, *used + piece.length + 1, 1));
    char *to = xml->plain + *used;
    for (const char *at = piece.at, *end = at + piece.length; at < end; at++) {
        if (!is_character((unsigned char)*at))
            return xml_fail(xml, "a control character");
        if (*at == '\r' && at + 1 < end && at[1] == '\n')
            continue;
        if (*at != '&' || verbatim) {
            *to++ = *at;
            continue;
        }
        const char *stop = memchr(at, ';', (size_t)(end - at < 16 ? end - at : 16));
        if (!stop)
            return xml_fail(xml, "an & without its ;");
        PASS(put_entity(&to, at + 1, (size_t)(stop - at - 1), xml));
        at = stop;
    }
    *to = '\0';
    *used = to - xml->plain;
    return GRACO_OK;
}

graco_status xml_value(const char **value, struct xml *xml, const char *name)
{
    int64_t used = 0;
    *value = NULL;
    for (int i = 0; i < xml->count; i++)
        if (is_word(xml->attributes[i].name, name)) {
            PASS(add_plain(&used, xml, xml->attributes[i].value, false));
            *value = xml->plain;
        }
    return GRACO_OK;
}

graco_status xml_content(const char **text, struct xml *xml)
{
    enum xml_event event = XML_OPEN;
    int depth = xml->depth;
    int64_t used = 0;
    PASS(add_plain(&used, xml, (struct xml_piece){"", 0}, true));
    while (xml->depth >= depth) {
        PASS(xml_next(&event, xml));
        if (event == XML_TEXT && xml->depth == depth)
            PASS(add_plain(&used, xml, xml->text, xml->verbatim));
    }
    char *begin = xml->plain, *end = begin + used;
    while (is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        *--end = '\0';
    *text = begin;
    return GRACO_OK;
}
