/* JSON into a block that grows. A real number always has a point or an exponent, the exponent
 * neither a plus nor zeros in front. */
#include "writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct writer *writer, const char *bytes, size_t length)
{
    if (!writer->failed && writer->length + length > writer->room) {
        size_t room = 2 * (writer->length + length) + 256;
        char *grown = realloc(writer->text, room);
        writer->failed = !grown;
        writer->text = grown ? grown : writer->text;
        writer->room = room;
    }
    if (writer->failed)
        return;
    memcpy(writer->text + writer->length, bytes, length);
    writer->length += length;
}

static void put_text(struct writer *writer, const char *text)
{
    put(writer, text, strlen(text));
}

static void put_break(struct writer *writer)
{
    put_text(writer, "\n");
    for (int i = 0; i < writer->depth; i++)
        put_text(writer, " ");
}

/* How many bytes the character at `text` has; 0 if it is not UTF-8. Overlong forms, surrogates and
 * what is past U+10FFFF show in the first two bytes. */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if (c[i] >> 6 != 2)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90) || c[0] > 0xf4)
        return 0;
    return length;
}

static void put_string(struct writer *writer, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
    put_text(writer, "\"");
    for (size_t length = 0; *text; text += length) {
        char escape[8];
        const char *known = strchr(plain, *text);
        length = character(text);
        writer->not_text |= length == 0;
        writer->failed |= length == 0;
        if (writer->failed)
            return;
        if (known)
            snprintf(escape, sizeof escape, "\\%c", escaped[known - plain]);
        else
            snprintf(escape, sizeof escape, "\\u%04X", (unsigned)*text);
        if (known || (unsigned char)*text < 0x20)
            put_text(writer, escape);
        else
            put(writer, text, length);
    }
    put_text(writer, "\"");
}

/* What stands before a value. */
static void begin(struct writer *writer, const char *key)
{
    if (writer->later)
        put_text(writer, writer->file ? "," : ", ");
    if (writer->file && writer->depth > 0)
        put_break(writer);
    if (key) {
        put_string(writer, key);
        put_text(writer, ": ");
    }
    writer->later = true;
}

void writer_open(struct writer *writer, const char *key, char bracket)
{
    begin(writer, key);
    put(writer, &bracket, 1);
    writer->closing[writer->depth++] = bracket == '{' ? '}' : ']';
    writer->later = false;
}

void writer_close(struct writer *writer)
{
    writer->depth--;
    if (writer->file && writer->later)
        put_break(writer);
    put(writer, &writer->closing[writer->depth], 1);
    writer->later = true;
}

void writer_string(struct writer *writer, const char *key, const char *value)
{
    begin(writer, key);
    put_string(writer, value);
}

static void put_value(struct writer *writer, const char *key, const char *text)
{
    begin(writer, key);
    put_text(writer, text);
}

void writer_integer(struct writer *writer, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_value(writer, key, text);
}

void writer_real(struct writer *writer, const char *key, double value)
{
    char text[48];
    if (!isfinite(value)) {
        writer_null(writer, key);
        return;
    }
    snprintf(text, sizeof text, "%.*g", writer->file ? WRITER_FILE_DIGITS : WRITER_DIGITS, value);
    char *exponent = strchr(text, 'e');
    if (exponent) {
        char *digits = exponent + 1 + (exponent[1] == '-');
        memmove(digits, digits + strspn(digits, "+0"), strlen(digits + strspn(digits, "+0")) + 1);
    } else if (!strchr(text, '.')) {
        strcat(text, ".0");
    }
    put_value(writer, key, text);
}

void writer_bool(struct writer *writer, const char *key, bool value)
{
    put_value(writer, key, value ? "true" : "false");
}

void writer_null(struct writer *writer, const char *key)
{
    put_value(writer, key, "null");
}

bool writer_finish(struct writer *writer)
{
    put_text(writer, "\n");
    return !writer->failed;
}

const char *writer_text(struct writer *writer)
{
    put(writer, "", 1);
    writer->length -= !writer->failed; /* the NUL is no part of what is written next */
    return writer->failed ? NULL : writer->text;
}

void writer_clear(struct writer *writer)
{
    free(writer->text);
    *writer = (struct writer){0};
}
