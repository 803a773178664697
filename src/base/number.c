/* The C locale is made and freed within each call: a locale that is kept would be a global that
 * changes, which the library does not have. */
#include "base/number.h"

#include <locale.h>
#include <stdbool.h>
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
