/* One file over HTTP, whole or not at all.
 *
 * The bytes go to PATH.part, and PATH.part.from says where they come from: the URL and the server's
 * mark of that version (a strong ETag, else the date). A broken download is continued from the end
 * of PATH.part with Range and If-Range, so that a file that has changed meanwhile is sent anew from
 * its beginning. Nothing is at PATH before all of it is there, is synced and has the right hash.
 *
 * The limits are the caller's and this file's: a size, a hash, a time without progress, five
 * redirects, http and https only, and from https to https only. */
#ifndef CLI_DOWNLOAD_H
#define CLI_DOWNLOAD_H

#include "output.h"
#include "sha256.h"

#include <signal.h>

enum { DOWNLOAD_ERROR = 1024, DOWNLOAD_URL = 2048 };

struct download {
    const char *url;
    const char *path;
    int64_t size;                      /* expected; -1: not known */
    int64_t limit;                     /* more bytes than this are refused */
    const char *sha256;                /* expected; NULL: not known */
    const char *magic;                 /* the bytes that it begins with; NULL: any */
    int64_t timeout;                   /* seconds that nothing, or next to nothing, may arrive */
    int64_t retries;                   /* how often a broken connection is tried again */
    const volatile sig_atomic_t *stop; /* not 0: stop and keep what is there */
    struct output_progress *progress;
    const char *label; /* of the progress line */
    /* Filled. */
    bool resumed;            /* some of it was there before */
    int64_t bytes;           /* of the file */
    int64_t received;        /* over the network */
    char found[SHA256_TEXT]; /* the file's hash */
    char error[DOWNLOAD_ERROR];
};

/* Gets the whole file to PATH.part, syncs it and compares the hash. Returns false with a reason in
 * `error`; PATH.part is kept then if the next call can continue it. */
bool download_get(struct download *download);

/* Moves PATH.part to PATH and makes that last; `folder` is the one that holds it. Returns false
 * with a reason. */
bool download_commit(struct download *download, const char *folder);

/* Once before the first and after the last download. */
bool download_start(void);
void download_end(void);

#endif
