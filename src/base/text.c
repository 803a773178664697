/* Escaping goes character by character: what a format gives a meaning to is replaced, all else is
 * copied. The block doubles as it fills, so a text of n bytes costs O(n). */
#include "base/text.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

#define UNKNOWN "\xEF\xBF\xBD" /* U+FFFD */

/* Makes room for `more` bytes and a NUL; false if the text has failed. */
static bool reserve(struct text *text, int64_t more)
{
    int64_t needed = text->length + more + 1, room = text->room ? text->room : FIRST_ROOM;
    if (text->status != GRACO_OK)
        return false;
    if (needed <= text->room)
        return true;
    while (room < needed)
        room *= 2;
    text->status = memory_grow(&text->bytes, text->length, room, 1);
    if (text->status == GRACO_OK)
        text->room = room;
    return text->status == GRACO_OK;
}

void text_add_bytes(struct text *text, const char *bytes, int64_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, (size_t)length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void text_add(struct text *text, const char *words)
{
    text_add_bytes(text, words, (int64_t)strlen(words));
}

void text_append(struct text *text, const struct text *other)
{
    if (text->status == GRACO_OK)
        text->status = other->status;
    text_add_bytes(text, text_words(other), other->length);
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    if (!reserve(text, FIRST_ROOM))
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    int64_t left = text->room - text->length;
    int length = number_print_list(text->bytes + text->length, (size_t)left, format, arguments);
    if (length >= left && reserve(text, length))
        number_print_list(text->bytes + text->length, (size_t)length + 1, format, again);
    if (text->status == GRACO_OK && length > 0)
        text->length += length;
    va_end(again);
    va_end(arguments);
}

void text_integer(struct text *text, int64_t number)
{
    char digits[NUMBER_TEXT];
    text_add_bytes(text, digits, snprintf(digits, sizeof digits, "%" PRId64, number));
}

/* Adds one character, or the sign for an unknown one where XML has no such character, and moves
 * past it. */
static void add_character(struct text *text, const char **words)
{
    const char *start = *words;
    uint32_t point = 0;
    bool known = utf8_decode(&point, words);
    if (!known)
        (*words)++;
    if (!known || point == 0xFFFE || point == 0xFFFF || point == 0x7F ||
        (point < 0x20 && point != '\t' && point != '\n' && point != '\r'))
        text_add(text, UNKNOWN);
    else
        text_add_bytes(text, start, *words - start);
}

/* The entity for a character that HTML gives a meaning to; NULL: none. */
static const char *entity(char letter)
{
    switch (letter) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void text_html(struct text *text, const char *words)
{
    while (*words) {
        const char *instead = entity(*words);
        if (instead) {
            text_add(text, instead);
            words++;
        } else {
            add_character(text, &words);
        }
    }
}

void text_markdown(struct text *text, const char *words)
{
    while (*words) {
        const char *instead = *words == '"' || *words == '\'' ? NULL : entity(*words);
        if (*words == '\n' || *words == '\r')
            instead = " ";
        if (instead) {
            text_add(text, instead);
            words++;
            continue;
        }
        if (strchr("\\`*_{}[]#|~$!", *words))
            text_add(text, "\\");
        add_character(text, &words);
    }
}

void text_field(struct text *text, const char *words, char separator, bool safe)
{
    const char special[] = {'"', '\t', '\r', '\n', separator, '\0'};
    size_t length = strlen(words), plain;
    bool formula = safe && *words && strchr("=+-@\t\r\n", *words);
    bool quoted = length > 0 && (words[strcspn(words, special)] || strchr("#% ", *words) ||
                                 words[length - 1] == ' ');
    text_add(text, quoted ? "\"" : "");
    text_add(text, formula ? "'" : "");
    while (words[plain = strcspn(words, "\"")]) {
        text_add_bytes(text, words, (int64_t)plain + 1);
        text_add(text, "\"");
        words += plain + 1;
    }
    text_add(text, words);
    text_add(text, quoted ? "\"" : "");
}

/* Whether a byte of a JSON string may be copied together with those around it. */
static bool is_plain(char letter, bool script)
{
    return (unsigned char)letter >= 0x20 && letter != '"' && letter != '\\' &&
           !(script && ((unsigned char)letter >= 0x7F || strchr("<>&", letter)));
}

/* Adds the character that is none of these, and moves past it. */
static void add_escaped(struct text *text, const char **words)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
    const char *at = *words, *known = strchr(plain, *at);
    if (known) {
        text_add_bytes(text, (char[]){'\\', escaped[known - plain]}, 2);
        *words += 1;
    } else if ((unsigned char)*at < 0x20 || strchr("<>&", *at)) {
        text_print(text, "\\u%04X", (unsigned)*at);
        *words += 1;
    } else if (strncmp(at, "\xE2\x80\xA8", 3) == 0 || strncmp(at, "\xE2\x80\xA9", 3) == 0) {
        text_add(text, at[2] == '\xA8' ? "\\u2028" : "\\u2029");
        *words += 3;
    } else {
        add_character(text, words);
    }
}

void text_json(struct text *text, const char *words, bool script)
{
    if (!script && words[utf8_prefix(words)] && text->status == GRACO_OK)
        text->status =
            status_fail(GRACO_ERROR_ARGUMENT, "text for JSON is not valid UTF-8: \"%.40s\"", words);
    text_add(text, "\"");
    while (*words) {
        const char *start = words;
        while (*words && is_plain(*words, script))
            words++;
        text_add_bytes(text, start, words - start);
        if (*words)
            add_escaped(text, &words);
    }
    text_add(text, "\"");
}

const char *text_words(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

graco_status text_status(const struct text *text)
{
    return text->status;
}

void text_clear(struct text *text)
{
    memory_free(text->bytes);
    *text = (struct text){0};
}
