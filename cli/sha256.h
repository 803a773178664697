/* SHA-256 (FIPS 180-4), for checking what was downloaded.
 *
 * Our own, because it is a page of code with published test vectors, and libcurl may come with any
 * TLS library: no second one has to be found and linked for the sake of one function. Nothing
 * secret is hashed, so timing does not matter. About 250 MB/s. */
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* Ends the hash: no more can be added. */
void sha256_text(char text[SHA256_TEXT], struct sha256 *hash);

/* Whether `text` is 64 lower-case hexadecimal digits and nothing else. */
bool sha256_is_text(const char *text);

#endif
