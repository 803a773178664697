/* The opcodes of protocol 0 that carry their value as a line of text. */
#include "io/pickle/pickle_machine.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/tables/scan.h"

#include <string.h>

/* I and L of protocol 0: decimal text; "00" and "01" are the booleans. */
graco_status pickle_op_decimal(struct pickle_machine *m, int op)
{
    const char *text = NULL;
    int64_t length = 0, at = 0;
    uint64_t value = 0, most = INT64_MAX;
    PASS(pickle_take_line(&text, &length, m));
    if (op == 'I' && length == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
        return pickle_push_kind(m, PICKLE_BOOL, text[1] == '1');
    if (op == 'L' && length > 0 && text[length - 1] == 'L')
        length--;
    bool negative = length > 0 && text[0] == '-';
    at += negative;
    if (at == length)
        return pickle_fail_at(m, "an integer has no digits");
    for (; at < length; at++) {
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (digit > 9 || value > (most - digit) / 10)
            return pickle_fail_at(m, "a text is no integer of 64 bits");
        value = 10 * value + digit;
    }
    return pickle_push_kind(m, PICKLE_INT, negative ? -(int64_t)value : (int64_t)value);
}

graco_status pickle_op_float_text(struct pickle_machine *m, int op)
{
    struct scan_field field = {0};
    double real = 0;
    (void)op;
    PASS(pickle_take_line(&field.text, &field.length, m));
    if (!scan_number(&real, field))
        return pickle_fail_at(m, "a text is no number");
    return pickle_push_float(m, real);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* S of protocol 0: a quoted Python 2 literal with \n, \xhh and the like. */
graco_status pickle_op_literal(struct pickle_machine *m, int op)
{
    const char *text = NULL;
    char *copy = NULL;
    int64_t length = 0, used = 0;
    graco_status status = GRACO_OK;
    (void)op;
    TRY(pickle_take_line(&text, &length, m));
    if (length < 2 || (text[0] != '\'' && text[0] != '"') || text[length - 1] != text[0])
        TRY(pickle_fail_at(m, "a string has no quotes"));
    TRY(memory_alloc(&copy, length, 1));
    for (int64_t i = 1; i + 1 < length; i++) {
        char c = text[i];
        if (c == '\\' && i + 2 < length) {
            static const char known[] = "nrt\\'\"", meant[] = "\n\r\t\\'\"";
            const char *found = memchr(known, text[i + 1], sizeof known - 1);
            int high = i + 3 < length - 1 ? hex_digit(text[i + 2]) : -1;
            int low = i + 3 < length - 1 ? hex_digit(text[i + 3]) : -1;
            if (found) {
                c = meant[found - known];
                i++;
            } else if (text[i + 1] == 'x' && high >= 0 && low >= 0) {
                c = (char)(16 * high + low);
                i += 3;
            } else
                TRY(pickle_fail_at(m, "a string has an unknown escape"));
        }
        copy[used++] = c;
    }
    TRY(pickle_push_string(m, copy, used));
done:
    memory_free(copy);
    return status;
}

/* V of protocol 0: a line of latin-1, with \u and four digits for newlines and what is beyond. It
 * becomes UTF-8. Python 3 writes bytes this way, so characters past U+07FF are refused. */
graco_status pickle_op_unicode(struct pickle_machine *m, int op)
{
    const char *text = NULL;
    char *copy = NULL;
    int64_t length = 0, used = 0;
    graco_status status = GRACO_OK;
    (void)op;
    TRY(pickle_take_line(&text, &length, m));
    TRY(memory_alloc(&copy, 2 * length, 1));
    for (int64_t i = 0; i < length; i++) {
        unsigned point = (unsigned char)text[i];
        if (point == '\\' && i + 5 < length && text[i + 1] == 'u') {
            point = 0;
            for (int k = 2; k < 6; k++) {
                int digit = hex_digit(text[i + k]);
                point = digit < 0 ? 0xffff : point << 4 | (unsigned)digit;
            }
            i += 5;
        }
        if (point >= 0x800)
            TRY(pickle_fail_at(m, "a unicode string holds a character that is not handled"));
        used += utf8_encode(copy + used, point);
    }
    TRY(pickle_push_string(m, copy, used));
done:
    memory_free(copy);
    return status;
}
