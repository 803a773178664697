/* SHA-256 through libcrypto; no other file knows that library. */
#include "sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* Forgets a hash that libcrypto cannot go on with. */
static void keep_if(struct sha256 *hash, bool fine)
{
    if (fine)
        return;
    EVP_MD_CTX_free(hash->context);
    hash->context = NULL;
}

void sha256_init(struct sha256 *hash)
{
    hash->context = EVP_MD_CTX_new();
    keep_if(hash, hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL));
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    keep_if(hash, hash->context && EVP_DigestUpdate(hash->context, bytes, length));
}

bool sha256_text(char text[SHA256_TEXT], struct sha256 *hash)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    bool fine = hash->context && EVP_DigestFinal_ex(hash->context, digest, NULL);
    for (int i = 0; fine && i < (SHA256_TEXT - 1) / 2; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    keep_if(hash, false);
    errno = fine ? errno : ENOMEM;
    return fine;
}

bool sha256_is_text(const char *text)
{
    return strspn(text, "0123456789abcdef") == SHA256_TEXT - 1 && text[SHA256_TEXT - 1] == '\0';
}
