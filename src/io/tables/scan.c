/* Lines and fields are found in place, nothing is copied. Most numbers have few digits and need one
 * multiplication, which rounds once; the others go to strtod. */
#include "io/tables/scan.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scan_start(struct scan *scan, const char *file, const void *bytes, int64_t length)
{
    const char *text = bytes;
    int64_t skip = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *scan = (struct scan){.next = text + skip, .end = text + length, .file = file};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Blanks that stand around fields; a tab is none where it separates them. */
static bool is_around(char c, char separator)
{
    return is_blank(c) && (c != '\t' || separator != '\t');
}

/* The separator that a line uses outside of quotes: a tab before a comma before a semicolon. Two
 * tabs in a row are there for the eye, so blanks of any number separate. */
static char separator_of(const char *at, const char *end)
{
    bool quoted = false;
    char found = ' ';
    for (; at < end; at++) {
        quoted ^= *at == '"';
        if (quoted)
            continue;
        if (*at == '\t')
            return at + 1 < end && at[1] == '\t' ? ' ' : '\t';
        if (*at == ',' || (*at == ';' && found == ' '))
            found = *at;
    }
    return found;
}

bool scan_line(struct scan *scan)
{
    scan->skipped = false;
    while (scan->next < scan->end) {
        const char *from = scan->next;
        const char *to = memchr(from, '\n', (size_t)(scan->end - from));
        scan->next = to ? to + 1 : scan->end;
        if (!to)
            to = scan->end;
        scan->line++;
        const char *text = from;
        while (text < to && is_blank(*text))
            text++;
        scan->skipped |= text == to;
        if (text == to || *text == '#' || *text == '%')
            continue;
        if (!scan->separator)
            scan->separator = separator_of(from, to);
        while (is_around(*from, scan->separator))
            from++;
        while (is_around(to[-1], scan->separator))
            to--;
        scan->at = from;
        scan->line_end = to;
        scan->pending = true;
        return true;
    }
    return false;
}

static graco_status fail_line(const struct scan *scan, const char *what)
{
    return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": %s", scan->file, scan->line,
                       what);
}

static graco_status take_quoted(struct scan_field *field, struct scan *scan)
{
    const char *from = scan->at + 1, *to = from;
    bool doubled = false;
    while ((to = memchr(to, '"', (size_t)(scan->line_end - to))) && to + 1 < scan->line_end &&
           to[1] == '"') {
        doubled = true;
        to += 2;
    }
    if (!to)
        return fail_line(scan, "a quote is not closed");
    *field = (struct scan_field){from, to - from, doubled};
    scan->at = to + 1;
    return GRACO_OK;
}

static void take_plain(struct scan_field *field, struct scan *scan)
{
    const char *from = scan->at, *at = from, *to;
    if (scan->separator == ' ') {
        while (at < scan->line_end && !is_blank(*at))
            at++;
        to = at;
    } else {
        while (at < scan->line_end && *at != scan->separator)
            at++;
        for (to = at; to > from && is_around(to[-1], scan->separator);)
            to--;
    }
    scan->at = at;
    *field = (struct scan_field){from, to - from, false};
}

/* After a field: the blanks, and one separator if that is not a blank. */
static graco_status take_separator(struct scan *scan)
{
    const char *from = scan->at;
    while (scan->at < scan->line_end && is_around(*scan->at, scan->separator))
        scan->at++;
    scan->pending = false;
    if (scan->at == scan->line_end)
        return GRACO_OK;
    if (scan->separator == ' ') {
        scan->pending = true;
        return scan->at > from ? GRACO_OK : fail_line(scan, "text follows a closing quote");
    }
    if (*scan->at != scan->separator)
        return fail_line(scan, "text follows a closing quote");
    scan->at++;
    scan->pending = true;
    while (scan->at < scan->line_end && is_around(*scan->at, scan->separator))
        scan->at++;
    return GRACO_OK;
}

graco_status scan_next(struct scan_field *field, bool *found, struct scan *scan)
{
    *found = scan->pending;
    if (!scan->pending)
        return GRACO_OK;
    if (scan->at < scan->line_end && *scan->at == '"')
        PASS(take_quoted(field, scan));
    else
        take_plain(field, scan);
    if (field->length == 0 && !scan->empties)
        return fail_line(scan, "a field is empty");
    if (memchr(field->text, 0, (size_t)field->length))
        return fail_line(scan, "a field holds a NUL byte: this is no text file");
    return take_separator(scan);
}

graco_status scan_fields(struct scan_field *fields, int *count, int room, struct scan *scan)
{
    struct scan_field field = {0};
    bool found = true;
    for (*count = 0; found && *count <= room; *count += found) {
        PASS(scan_next(&field, &found, scan));
        if (found && *count < room)
            fields[*count] = field;
    }
    return GRACO_OK;
}

graco_status scan_columns(int *columns, int count, int least, int most, const char *wanted,
                          const struct scan *scan)
{
    if (*columns == 0)
        *columns = count;
    if (count >= least && count <= most && count == *columns)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT, "%s, line %" PRId64 ": %s%d fields found, %s",
                       scan->file, scan->line, count > most ? "more than " : "",
                       count > most ? most : count, wanted);
}

int64_t scan_count_lines(const void *bytes, int64_t length)
{
    const char *at = bytes, *end = at + length;
    int64_t lines = 1;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool scan_listed(struct scan_field field, const char *const *words)
{
    for (; *words; words++) {
        int64_t same = 0;
        while (same < field.length && (*words)[same]) {
            if (lower(field.text[same]) != lower((*words)[same]))
                break;
            same++;
        }
        if (same == field.length && !(*words)[same])
            return true;
    }
    return false;
}

bool scan_integer(int64_t *out, struct scan_field field, int64_t low, int64_t high)
{
    const char *at = field.text, *end = at + field.length;
    bool negative = at < end && *at == '-';
    int64_t value = 0;
    at += negative;
    if (at == end || end - at > 18) /* 18 digits cannot overflow */
        return false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (digit > 9)
            return false;
        value = 10 * value + digit;
    }
    *out = negative ? -value : value;
    return *out >= low && *out <= high;
}

/* nan, inf, infinity in any case, after an optional sign. */
static bool special_number(double *out, const char *at, const char *end)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    for (int w = 0; w < 3; w++) {
        size_t length = strlen(words[w]);
        if ((size_t)(end - at) != length)
            continue;
        size_t same = 0;
        while (same < length && (at[same] | 32) == words[w][same])
            same++;
        if (same == length) {
            *out = w == 0 ? (double)NAN : (double)INFINITY;
            return true;
        }
    }
    return false;
}

/* The rare numbers that need more than one rounding go through strtod. */
static bool slow_number(double *out, struct scan_field field)
{
    char text[128], *end;
    if (field.length >= (int64_t)sizeof text)
        return false;
    memcpy(text, field.text, (size_t)field.length);
    text[field.length] = 0;
    *out = number_parse(text, &end);
    return end == text + field.length;
}

/* Digits with at most one point: the value without the point, the number of digits after it, and
 * whether all digits fitted into 19. */
struct decimal {
    uint64_t digits;
    int64_t count, after;
    bool exact;
};

static const char *take_digits(struct decimal *out, const char *at, const char *end)
{
    struct decimal decimal = {.exact = true};
    bool point = false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (digit > 9) {
            if (*at != '.' || point)
                break;
            point = true;
            continue;
        }
        decimal.count++;
        decimal.after += point;
        if (decimal.digits < UINT64_C(1000000000000000000))
            decimal.digits = 10 * decimal.digits + digit;
        else
            decimal.exact = false;
    }
    *out = decimal;
    return at;
}

bool scan_number(double *out, struct scan_field field)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = field.text, *end = at + field.length;
    struct decimal decimal;
    int64_t exponent = 0;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (special_number(out, at, end))
        return true;
    at = take_digits(&decimal, at, end);
    if (decimal.count == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && *at == '+' && at + 1 < end && at[1] != '-';
        if (!scan_integer(&exponent, (struct scan_field){.text = at, .length = end - at}, -9999,
                          9999))
            return false;
        at = end;
    }
    if (at != end)
        return false;
    exponent -= decimal.after;
    /* Both factors are exact in double, so one operation rounds once. */
    if (!decimal.exact || decimal.digits >> 53 != 0 || exponent < -22 || exponent > 22)
        return slow_number(out, field);
    double value = (double)decimal.digits;
    value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    *out = negative ? -value : value;
    return true;
}

bool scan_is_number(struct scan_field field)
{
    double value;
    return scan_number(&value, field);
}

int scan_shown(struct scan_field field)
{
    return (int)(field.length < 40 ? field.length : 40);
}
