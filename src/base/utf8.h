/* UTF-8 (RFC 3629): overlong forms, surrogates and what is past U+10FFFF are no characters. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a character to `out`, which has room for 4 bytes, and returns how many it took; 0 if there
 * is no such character. With `out` NULL it only measures. */
int utf8_encode(char *out, uint32_t point);

/* Reads the character at *text and moves past it; false, with *text in place, if there is none. */
bool utf8_decode(uint32_t *point, const char **text);

/* How many bytes of a string are UTF-8 before one that is not, or before its NUL. */
size_t utf8_prefix(const char *text);

/* How many characters `length` bytes have: those that do not continue one. */
int64_t utf8_count(const char *text, size_t length);

/* Replaces every byte that is not UTF-8 by '?': files may have any name, but JSON holds UTF-8 only. */
void utf8_mend(char *text);

#endif
