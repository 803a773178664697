/* Cells by their texts alone. Days since 1970 of a date by the proleptic Gregorian calendar; the formula is Howard
 * Hinnant's days_from_civil (chrono-Compatible Low-Level Date Algorithms). */
#include "io/tables/column_cells.h"

#include "io/tables/columns.h"

#include <math.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes `least` to `most` digits of a text; false if there are fewer. */
static bool take_digits(int *out, const char **at, const char *end, int least, int most)
{
    int count = 0;
    *out = 0;
    for (; *at < end && count < most && is_digit(**at); count++)
        *out = 10 * *out + (*(*at)++ - '0');
    return count >= least;
}

static bool take_sign(const char **at, const char *end, const char *signs)
{
    for (; *at < end && *signs; signs++)
        if (**at == *signs) {
            ++*at;
            return true;
        }
    return false;
}

static double days_from_civil(int year, int month, int day)
{
    year -= month <= 2;
    int era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
    int in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int days = in_era * 365 + in_era / 4 - in_era / 100 + in_year;
    return (double)era * 146097 + days - 719468;
}

/* "+02:00", "-0530", "Z": minutes east of Greenwich. */
static bool take_zone(int *minutes, const char **at, const char *end)
{
    int hour = 0, minute = 0;
    *minutes = 0;
    if (take_sign(at, end, "Zz"))
        return true;
    bool west = *at < end && **at == '-';
    if (!take_sign(at, end, "+-") || !take_digits(&hour, at, end, 2, 2))
        return false;
    take_sign(at, end, ":");
    if (*at < end && !take_digits(&minute, at, end, 2, 2))
        return false;
    *minutes = (west ? -1 : 1) * (60 * hour + minute);
    return hour < 24 && minute < 60;
}

/* "12:30", "12:30:15.25+02:00": the share of a day. */
static bool take_time(double *share, const char *at, const char *end)
{
    int hour, minute, second = 0, part = 0, zone = 0;
    double fraction = 0, unit = 0.1;
    if (!take_digits(&hour, &at, end, 2, 2) || !take_sign(&at, end, ":") ||
        !take_digits(&minute, &at, end, 2, 2))
        return false;
    if (take_sign(&at, end, ":") && !take_digits(&second, &at, end, 2, 2))
        return false;
    if (take_sign(&at, end, "."))
        for (; take_digits(&part, &at, end, 1, 1); unit /= 10)
            fraction += part * unit;
    take_sign(&at, end, " ");
    if (at < end && !take_zone(&zone, &at, end))
        return false;
    *share = (hour * 3600 + (minute - zone) * 60 + second + fraction) / 86400;
    return at == end && hour < 24 && minute < 60 && second <= 60;
}

static bool read_date(double *out, struct scan_field field)
{
    const char *at = field.text, *end = at + field.length;
    int year, month, day;
    double share = 0;
    char sign;
    if (field.length < 8 || !take_digits(&year, &at, end, 4, 4) || at == end)
        return false;
    sign = *at;
    if (!take_sign(&at, end, "-/") || !take_digits(&month, &at, end, 1, 2) || at == end ||
        *at++ != sign || !take_digits(&day, &at, end, 1, 2))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    if (at < end && (!take_sign(&at, end, " T") || !take_time(&share, at, end)))
        return false;
    *out = days_from_civil(year, month, day) + share;
    return true;
}

/* Whether it is one or two digits, a sign, one or two digits, the sign, and two or four digits. */
static bool is_unclear_date(struct scan_field field)
{
    const char *at = field.text, *end = at + field.length;
    int part;
    if (!take_digits(&part, &at, end, 1, 2) || at == end)
        return false;
    char sign = *at;
    return take_sign(&at, end, "/.-") && take_digits(&part, &at, end, 1, 2) && at < end &&
           *at++ == sign && take_digits(&part, &at, end, 2, 4) && at == end;
}

/* A number but for one or more commas among its digits. */
static bool has_commas(struct scan_field field)
{
    int commas = 0, digits = 0, others = 0;
    for (int64_t i = 0; i < field.length; i++) {
        char c = field.text[i];
        commas += c == ',';
        digits += is_digit(c);
        others += c != ',' && !is_digit(c) && !(i == 0 && (c == '-' || c == '+')) && c != '.';
    }
    return commas > 0 && digits > 0 && others == 0;
}

enum cell cell_read(double *out, struct scan_field field)
{
    static const char *const truths[] = {"true", "yes", NULL}, *const lies[] = {"false", "no",
                                                                                NULL};
    char first = field.length > 0 ? field.text[0] : 0;
    if (is_digit(first) && scan_number(out, field)) /* most cells */
        return CELL_NUMBER;
    *out = (double)NAN;
    if (column_is_gap(field))
        return CELL_GAP;
    if (scan_number(out, field))
        return CELL_NUMBER;
    if (is_digit(first) || first == '-' || first == '+')
        return read_date(out, field)    ? CELL_DATE
               : is_unclear_date(field) ? CELL_UNCLEAR
               : has_commas(field)      ? CELL_COMMA
                                        : CELL_WORD;
    if (scan_listed(field, truths) || scan_listed(field, lies)) {
        *out = scan_listed(field, truths);
        return CELL_TRUTH;
    }
    return CELL_WORD;
}
