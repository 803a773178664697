/* The length of the content is known at its end only, so the block grows as it is unpacked, and never by
 * what the file claims. */
#include "io/zip/gzip.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum {
    GZIP_WINDOW = 15 + 16, /* the largest window, with gzip's header */
    FIRST = 1 << 16,       /* unpacked before the content is looked at */
    HEAD = 512,            /* of it */
    STEP = 1 << 30,        /* zlib counts in 32 bits */
};

bool gzip_knows(const void *bytes, int64_t length)
{
    return length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static void *zlib_alloc(void *unused, unsigned count, unsigned size)
{
    uint8_t *block = NULL;
    (void)unused;
    return memory_zalloc(&block, count, size) == GRACO_OK ? block : NULL;
}

static void zlib_free(void *unused, void *block)
{
    (void)unused;
    memory_free(block);
}

struct unpacking {
    z_stream zlib;
    const uint8_t *from;
    int64_t left; /* bytes of `from` */
    uint8_t *block;
    int64_t used, room, limit;
};

static graco_status check_limit(const struct unpacking *un)
{
    if (un->used <= un->limit)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "a gzip file unpacks to more than the %" PRId64 " bytes that are accepted",
                       un->limit);
}

/* Makes room for more; there is always a byte for the NUL. */
static graco_status grow(struct unpacking *un)
{
    int64_t room = un->room > 0 ? 2 * un->room : FIRST + 1;
    if (un->used < un->room - 1)
        return GRACO_OK;
    PASS(check_limit(un));
    room = room > un->limit + 2 ? un->limit + 2 : room;
    PASS(memory_grow(&un->block, un->room, room, 1));
    un->room = room;
    return GRACO_OK;
}

static graco_status check_head(const struct unpacking *un)
{
    size_t length = un->used < HEAD ? (size_t)un->used : HEAD;
    if ((length >= 4 && memcmp(un->block, "PK\3\4", 4) == 0) ||
        (length >= 6 && memcmp(un->block, "\x93NUMPY", 6) == 0) || !memchr(un->block, 0, length))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_FORMAT,
                       "a gzip file whose content is neither text nor a .npy file nor an archive");
}

/* Unpacks what there is room for. *done: all members are. */
static graco_status step(bool *done, struct unpacking *un)
{
    int64_t room = un->room - 1 - un->used;
    z_stream *z = &un->zlib;
    memcpy(&z->next_in, &un->from, sizeof un->from); /* zlib wants the pointer without const */
    z->avail_in = (uInt)(un->left < STEP ? un->left : STEP);
    z->next_out = un->block + un->used;
    z->avail_out = (uInt)(room < STEP ? room : STEP);
    uInt given = z->avail_in, asked = z->avail_out;
    int code = inflate(z, Z_NO_FLUSH);
    un->from += given - z->avail_in;
    un->left -= given - z->avail_in;
    un->used += asked - z->avail_out;
    if (code == Z_MEM_ERROR)
        return status_fail(GRACO_ERROR_MEMORY, "out of memory while a gzip file is unpacked");
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return status_fail(GRACO_ERROR_FORMAT, "a gzip file cannot be unpacked: %s",
                           z->msg ? z->msg : "unknown reason");
    if (code == Z_STREAM_END && gzip_knows(un->from, un->left))
        return inflateReset(z) == Z_OK ? GRACO_OK
                                       : status_fail(GRACO_ERROR_FORMAT, "a gzip file is broken");
    *done = code == Z_STREAM_END;
    if (!*done && un->left == 0 && z->avail_out > 0)
        return status_fail(GRACO_ERROR_FORMAT,
                           "a gzip file ends early, after %" PRId64 " bytes of its content",
                           un->used);
    return GRACO_OK;
}

/* zlib has begun. */
static graco_status unpack(struct unpacking *un)
{
    bool done = false, looked = false;
    while (!done) {
        PASS(grow(un));
        PASS(step(&done, un));
        if (!looked && (done || un->used >= FIRST))
            PASS(check_head(un));
        looked |= un->used >= FIRST;
    }
    PASS(check_limit(un));
    for (int64_t i = 0; i < un->left; i++)
        if (un->from[i])
            return status_fail(GRACO_ERROR_FORMAT, "a gzip file goes on after its end");
    return GRACO_OK;
}

graco_status gzip_unpack(uint8_t **out, int64_t *length, const void *bytes, int64_t packed,
                         int64_t limit)
{
    graco_status status = GRACO_OK;
    struct unpacking un = {.zlib = {.zalloc = zlib_alloc, .zfree = zlib_free},
                           .from = bytes,
                           .left = packed,
                           .limit = limit};
    *out = NULL;
    if (inflateInit2(&un.zlib, GZIP_WINDOW) != Z_OK)
        return status_fail(GRACO_ERROR_MEMORY, "out of memory while a gzip file is unpacked");
    TRY(unpack(&un));
    un.block[un.used] = 0;
    *out = un.block;
    *length = un.used;
    un.block = NULL;
done:
    inflateEnd(&un.zlib);
    memory_free(un.block);
    return status;
}
