/* SHA-256 (FIPS 180-4), for checking what was downloaded. libcrypto computes it; only this file's
 * source knows it. */
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

struct sha256 {
    void *context; /* NULL: memory is out */
};

/* Every hash that was begun must be ended by sha256_text. */
void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* Ends the hash. Returns false, with errno set, if memory was out. */
bool sha256_text(char text[SHA256_TEXT], struct sha256 *hash);

/* Whether `text` is 64 lower-case hexadecimal digits and nothing else. */
bool sha256_is_text(const char *text);

#endif
