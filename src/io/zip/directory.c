/* End records are looked for where libzip does, and each counts, whichever libzip takes in the end.
 *
 *     end of zip64's directory   "PK\6\6"  at 24: members on this disk, in all (8 bytes each); 40: bytes (8)
 *     its locator                "PK\6\7"  at 8: where that record is (8)        20 bytes, right before the
 *     end of the directory       "PK\5\6"  at 8: members on this disk, in all (2 each); 12: bytes (4)
 *
 * A field of the last that is all ones leaves its number to zip64's record. The bytes are bounded besides
 * the members because Info-ZIP counts members modulo 65,536, and libzip reads as many as there are. */
#include "io/zip/directory.h"

#include <inttypes.h>
#include <string.h>

enum { END = 22, LOCATOR = 20, END64 = 56, COMMENT = 1 << 16 };

/* What the end records of an archive claim, all together. */
struct claims {
    uint64_t members, bytes;
};

static uint64_t number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether zip64's record is there. */
static bool is_zip64(const uint8_t *bytes, int64_t length, uint64_t at)
{
    return length >= END64 && at <= (uint64_t)(length - END64) &&
           memcmp(bytes + at, "PK\6\6", 4) == 0;
}

static void add_zip64(struct claims *claims, const uint8_t *at)
{
    claims->members = larger(claims->members, larger(number(at + 24, 8), number(at + 32, 8)));
    claims->bytes = larger(claims->bytes, number(at + 40, 8));
}

/* Of zip64's record, where the locator says and right before the locator: they differ where the archive is
 * stored in another. A locator that leads nowhere has no directory. */
static struct claims read_claims(const uint8_t *bytes, int64_t length, int64_t end)
{
    const uint8_t *at = bytes + end;
    struct claims claims = {larger(number(at + 8, 2), number(at + 10, 2)), number(at + 12, 4)};
    if (end < LOCATOR || memcmp(at - LOCATOR, "PK\6\7", 4) != 0)
        return claims;
    if (claims.members == UINT16_MAX)
        claims.members = 0;
    if (claims.bytes == UINT32_MAX)
        claims.bytes = 0;
    uint64_t told = number(at - LOCATOR + 8, 8);
    if (is_zip64(bytes, length, told))
        add_zip64(&claims, bytes + told);
    if (end >= LOCATOR + END64 && is_zip64(bytes, length, (uint64_t)end - LOCATOR - END64))
        add_zip64(&claims, at - LOCATOR - END64);
    return claims;
}

graco_status directory_check(const uint8_t *bytes, int64_t length)
{
    struct claims all = {0};
    int64_t first = length - END - LOCATOR - COMMENT;
    for (int64_t end = first > 0 ? first : 0; end + END <= length; end++) {
        if (memcmp(bytes + end, "PK\5\6", 4) != 0)
            continue;
        struct claims claims = read_claims(bytes, length, end);
        /* Each sum is within its limit here: it wraps only if what is added is far above. */
        all.members = larger(all.members + claims.members, claims.members);
        all.bytes = larger(all.bytes + claims.bytes, claims.bytes);
        if (all.members > DIRECTORY_MEMBERS)
            return status_fail(GRACO_ERROR_FORMAT,
                               "an archive of %" PRIu64 " members: expected at most %d",
                               all.members, DIRECTORY_MEMBERS);
        if (all.bytes > DIRECTORY_BYTES)
            return status_fail(GRACO_ERROR_FORMAT,
                               "an archive with a directory of %" PRIu64
                               " bytes: expected at most %d",
                               all.bytes, DIRECTORY_BYTES);
    }
    return GRACO_OK;
}
