/* The C locale is made and freed within each call: a locale that is kept would be a global that
 * changes, which the library does not have. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number_scope number_scope_begin(void)
{
    struct number_scope scope = {0};
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c != (locale_t)0) {
        scope.c = c;
        scope.before = uselocale(c);
    }
    return scope;
}

void number_scope_end(struct number_scope scope)
{
    if (!scope.c)
        return;
    uselocale(scope.before);
    freelocale(scope.c);
}

double number_parse(const char *text, char **end)
{
    struct number_scope scope = number_scope_begin();
    double number = strtod(text, end);
    number_scope_end(scope);
    return number;
}

int number_print_list(char *text, size_t size, const char *format, va_list arguments)
{
    struct number_scope scope = number_scope_begin();
    int length = vsnprintf(text, size, format, arguments);
    number_scope_end(scope);
    return length;
}

int number_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = number_print_list(text, size, format, arguments);
    va_end(arguments);
    return length;
}

void number_shortest(char text[NUMBER_TEXT], double number)
{
    struct number_scope scope = number_scope_begin();
    char digits[NUMBER_TEXT];
    bool same = false;
    for (int count = 1; count <= 17 && !same; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, number);
        same = strtod(digits, NULL) == number;
    }
    number_scope_end(scope);
    memcpy(text, digits, sizeof digits);
}

const char *number_bytes(char text[NUMBER_TEXT], int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    number_print(text, NUMBER_TEXT, unit > 0 && value < 10 ? "%.1f %s" : "%.0f %s", value,
                 units[unit]);
    return text;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double number_median(double *numbers, int64_t count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare_doubles);
    return count > 0 ? (numbers[(count - 1) / 2] + numbers[count / 2]) / 2 : (double)NAN;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* A float needs at most this many digits; what needs less than FLOAT_FEWEST has zeros behind
 * them. */
enum { FLOAT_DIGITS = 9, FLOAT_FEWEST = 6 };

/* Powers of ten that a double holds exactly; and where another digit before the point begins. */
static const double POWERS[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};
static const double STEPS[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2,
                               1e3,  1e4,  1e5,  1e6,  1e7, 1e8, 1e9};

/* Whether units / 10^decimals reads back as `number`. The quotient of two exact doubles is the
 * double that is nearest to the text. Halfway between two floats that is not enough: the text
 * may lie on either side. */
static bool reads_back(int64_t units, int decimals, float number)
{
    double value =
        decimals >= 0 ? (double)units / POWERS[decimals] : (double)units * POWERS[-decimals];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (float)value == number && (bits & 0x1FFFFFFF) != 0x10000000;
}

/* Writes units / 10^decimals without an exponent and without zeros at its end. */
static int write_decimal(char *text, int64_t units, int decimals)
{
    char digits[24];
    while (decimals > 0 && units % 10 == 0) {
        units /= 10;
        decimals--;
    }
    for (; decimals < 0; decimals++)
        units *= 10;
    int count = 0, length = 0;
    for (; units > 0 || count <= decimals; units /= 10)
        digits[count++] = (char)('0' + units % 10);
    while (count > 0) {
        text[length++] = digits[--count];
        if (count == decimals && count > 0)
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

/* Whether both ways of reading give the number. */
static bool is_same(const char *text, float number)
{
    return strtof(text, NULL) == number && (float)strtod(text, NULL) == number;
}

/* The rare ones: very small, very large, not finite. */
static int shortest_slowly(char text[NUMBER_TEXT], float number)
{
    struct number_scope scope = number_scope_begin();
    int length = snprintf(text, NUMBER_TEXT, "nan");
    for (int count = 1; count <= FLOAT_DIGITS && !isnan(number); count++) {
        length = snprintf(text, NUMBER_TEXT, "%.*g", count, (double)number);
        if (is_same(text, number))
            break;
    }
    number_scope_end(scope);
    return length;
}

int number_shortest_float(char text[NUMBER_TEXT], float number)
{
    double size = fabs((double)number);
    int step = 0, sign = signbit(number) != 0;
    if (size == 0)
        return snprintf(text, NUMBER_TEXT, sign ? "-0" : "0");
    if (!(size >= 1e-5 && size < 1e9))
        return shortest_slowly(text, number);
    while (size >= STEPS[step])
        step++;
    text[0] = '-';
    for (int count = FLOAT_FEWEST; count <= FLOAT_DIGITS; count++) {
        int decimals = count + 4 - step; /* 1e-5 has step 0 */
        double units = decimals >= 0 ? size * POWERS[decimals] : size / POWERS[-decimals];
        if (reads_back((int64_t)(units + 0.5), decimals, (float)size))
            return sign + write_decimal(text + sign, (int64_t)(units + 0.5), decimals);
    }
    return shortest_slowly(text, number); /* none is so: nine digits are enough */
}
