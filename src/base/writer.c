/* The styles differ in blanks, in lines and in the digits of reals. What stands before a value is written with it, so that a
 * container that is closed needs to know only whether its last one had a line of its own. */
#include "base/writer.h"

#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *comma, *colon;
    int indent; /* blanks for each level; 0: all on one line */
    int digits; /* of a real; 0: as many as it needs */
} STYLES[] = {
    [WRITER_LINE] = {", ", ": ", 0, 12},
    [WRITER_FILE] = {",", ": ", 1, 17},
    [WRITER_DATA] = {",", ":", 0, 0},
    [WRITER_PRETTY] = {",", ": ", 2, 0},
};

static void add_break(struct writer *writer)
{
    text_add(&writer->text, "\n");
    for (int i = 0; i < writer->depth * STYLES[writer->style].indent; i++)
        text_add(&writer->text, " ");
}

/* What stands before a value. */
static void begin(struct writer *writer, const char *key, bool container)
{
    bool broken = STYLES[writer->style].indent > 0 && writer->depth > 0 &&
                  (key || container || writer->style == WRITER_FILE);
    if (writer->later)
        text_add(&writer->text,
                 STYLES[writer->style].indent && !broken ? ", " : STYLES[writer->style].comma);
    if (broken)
        add_break(writer);
    if (key) {
        text_json(&writer->text, key, false);
        text_add(&writer->text, STYLES[writer->style].colon);
    }
    writer->later = true;
    writer->nested = broken;
}

void writer_open(struct writer *writer, const char *key, char bracket)
{
    begin(writer, key, true);
    text_add_bytes(&writer->text, &bracket, 1);
    writer->closing[writer->depth++] = bracket == '{' ? '}' : ']';
    writer->later = writer->nested = false;
}

void writer_close(struct writer *writer)
{
    writer->depth--;
    if (writer->nested)
        add_break(writer);
    text_add_bytes(&writer->text, &writer->closing[writer->depth], 1);
    writer->later = true;
    writer->nested = STYLES[writer->style].indent > 0;
}

void writer_string(struct writer *writer, const char *key, const char *value)
{
    begin(writer, key, false);
    text_json(&writer->text, value, false);
}

static void add_value(struct writer *writer, const char *key, const char *words)
{
    begin(writer, key, false);
    text_add(&writer->text, words);
}

void writer_integer(struct writer *writer, const char *key, int64_t value)
{
    begin(writer, key, false);
    text_integer(&writer->text, value);
}

/* A real always has a point or an exponent, so that 1.0 does not come back as an integer. One of a fixed
 * number of digits has neither a plus nor zeros in front of its exponent. */
void writer_real(struct writer *writer, const char *key, double value)
{
    char digits[NUMBER_TEXT + 2];
    int count = STYLES[writer->style].digits;
    if (!isfinite(value)) {
        writer_null(writer, key);
        return;
    }
    if (count > 0)
        number_print(digits, sizeof digits, "%.*g", count, value);
    else
        number_shortest(digits, value);
    char *exponent = strchr(digits, 'e');
    if (exponent && count > 0) {
        char *power = exponent + 1 + (exponent[1] == '-');
        memmove(power, power + strspn(power, "+0"), strlen(power + strspn(power, "+0")) + 1);
    } else if (!exponent && !strchr(digits, '.')) {
        strcat(digits, ".0");
    }
    add_value(writer, key, digits);
}

void writer_bool(struct writer *writer, const char *key, bool value)
{
    add_value(writer, key, value ? "true" : "false");
}

void writer_null(struct writer *writer, const char *key)
{
    add_value(writer, key, "null");
}

/* ---- Tables of fields ------------------------------------------------------------------------- */

static void write_list(struct writer *writer, const struct field *field, const void *from)
{
    int64_t count = *(const int64_t *)((const char *)from + field->count);
    const void *items = *(void *const *)((const char *)from + field->offset);
    if (count == 0 && field->kind & FIELD_IF)
        return;
    writer_open(writer, field->name, '[');
    for (int64_t i = 0; i < count; i++)
        if ((field->kind & ~FIELD_IF) == FIELD_REALS)
            writer_real(writer, NULL, ((const double *)items)[i]);
        else
            writer_string(writer, NULL, ((char *const *)items)[i]);
    writer_close(writer);
}

static void write_field(struct writer *writer, const struct field *field, const void *from)
{
    const void *at = (const char *)from + field->offset;
    const char *word = (field->kind & ~FIELD_IF) == FIELD_STRING ? *(const char *const *)at : at;
    bool always = !(field->kind & FIELD_IF);
    switch (field->kind & ~FIELD_IF) {
    case FIELD_INT:
        if (always || *(const int64_t *)at != 0)
            writer_integer(writer, field->name, *(const int64_t *)at);
        break;
    case FIELD_REAL:
        if (always || isfinite(*(const double *)at))
            writer_real(writer, field->name, *(const double *)at);
        break;
    case FIELD_BOOL:
        if (always || *(const bool *)at)
            writer_bool(writer, field->name, *(const bool *)at);
        break;
    case FIELD_STRING:
    case FIELD_WORD:
        if (word)
            writer_string(writer, field->name, word);
        else if (always)
            writer_null(writer, field->name);
        break;
    default:
        write_list(writer, field, from);
    }
}

void writer_fields(struct writer *writer, const struct field *fields, const void *from)
{
    for (; fields->name; fields++)
        write_field(writer, fields, from);
}

void writer_object(struct writer *writer, const char *key, const struct field *fields,
                   const void *from)
{
    writer_open(writer, key, '{');
    writer_fields(writer, fields, from);
    writer_close(writer);
}

graco_status writer_finish(struct writer *writer)
{
    text_add(&writer->text, "\n");
    return writer->text.status;
}

void writer_clear(struct writer *writer)
{
    text_clear(&writer->text);
    *writer = (struct writer){0};
}
