/* Numbers as text, always with a decimal point.
 *
 * strtod and printf follow the decimal point of the host program's locale: after its
 * setlocale(LC_ALL, "de_DE") they would read 0.5 as 0 and print it as 0,5. Everything in the
 * library that turns text into a real number or back goes through here: the calling thread, and no
 * other, is in the C locale while the call lasts. Costs about 0.1 us. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/extensions.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* strtod. */
double number_parse(const char *text, char **end);

/* snprintf and vsnprintf. */
int number_print(char *text, size_t size, const char *format, ...) EXT_PRINTF(3, 4);
int number_print_list(char *text, size_t size, const char *format, va_list arguments)
    EXT_PRINTF(3, 0);

/* The shortest form of a finite number that reads back as the same; at most 24 bytes and a NUL. */
enum { NUMBER_TEXT = 32 };
void number_shortest(char text[NUMBER_TEXT], double number);

/* The same for a float, and the length of the text: what is read back, as a float or as a double
 * that is rounded to one, has the same bits; at most 16 bytes and a NUL. Numbers that are not
 * finite are nan, inf and -inf. From 1e-5 to 1e9, without an exponent, it takes 0.05 us, beyond
 * 1 us. */
int number_shortest_float(char text[NUMBER_TEXT], float number);

/* Bytes as "1.5 GiB"; returns `text`. */
const char *number_bytes(char text[NUMBER_TEXT], int64_t bytes);

/* The median of some numbers, which it sorts; NaN: there are none. */
double number_median(double *numbers, int64_t count);

/* For calls of other libraries that read or print numbers: `begin` puts this thread into the C
 * locale and returns what `end` needs to go back. Every system has the C locale; should there be no
 * memory for it, the thread keeps its own. */
struct number_scope {
    void *c, *before;
};

struct number_scope number_scope_begin(void);
void number_scope_end(struct number_scope scope);

#endif
