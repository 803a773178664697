/* A download is a loop of requests, each for what is missing behind the end of the part file, until
 * the file is whole or nothing more is to be had. The head of an answer is checked before the first
 * byte of its body is written. */
#include "download.h"
#include "graco_command.h"
#include "runs.h"
#include "sums.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REDIRECTS_MAX = 5, CONNECT_SECONDS = 30, SLOW_BYTES = 16, MARK = 256 };

/* What became of one request. */
enum outcome { OUTCOME_DONE, OUTCOME_BROKEN, OUTCOME_AGAIN, OUTCOME_FAILED };

struct transfer {
    struct download *download;
    CURL *curl;
    int fd; /* of the part file */
    char part[RUNS_PATH_MAX + 96], from[RUNS_PATH_MAX + 112];
    char mark[MARK]; /* the version that the part file is of; "": not known */
    int64_t at;      /* bytes in the part file */
    int64_t before;  /* of those, before this request */
    int64_t total;   /* of the whole file as the server says; -1: it does not */
    bool accepted;   /* the answer's head was looked at and is good */
    bool failed;     /* download->error says why */
    bool mismatch;   /* the hash is not the expected one */
    int64_t wire;    /* bytes that came for this request, with all that is around the file's */
    double started;
};

/* Keeps the first reason. */
static bool fail(struct transfer *t, const char *format, ...) EXT_PRINTF(2, 3);
static bool fail(struct transfer *t, const char *format, ...)
{
    va_list arguments;
    if (!t->failed) {
        va_start(arguments, format);
        vsnprintf(t->download->error, DOWNLOAD_ERROR, format, arguments);
        va_end(arguments);
    }
    t->failed = true;
    return false;
}

/* ---- The part file --------------------------------------------------------------------------- */

static bool part_restart(struct transfer *t)
{
    t->mark[0] = '\0';
    t->at = t->before = 0;
    if (ftruncate(t->fd, 0) == 0 && lseek(t->fd, 0, SEEK_SET) == 0)
        return true;
    return fail(t, "cannot cut %s: %s", t->part, strerror(errno));
}

/* Nothing in it is of use to a later fetch. */
static void part_remove(struct transfer *t)
{
    unlink(t->from);
    unlink(t->part);
}

/* The mark of the part file's version, if its bytes came from the same URL. */
static void mark_read(struct transfer *t)
{
    char url[DOWNLOAD_URL] = "", mark[MARK] = "";
    const char *reason = NULL;
    int fd = sums_open(&reason, t->from);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file)
        return; /* nothing to go on from: all of it is fetched */
    if (fgets(url, sizeof url, file) && fgets(mark, sizeof mark, file)) {
        url[strcspn(url, "\n")] = '\0';
        size_t length = strcspn(mark, "\n");
        bool whole = mark[length] == '\n';
        mark[length] = '\0';
        if (whole && strcmp(url, t->download->url) == 0)
            snprintf(t->mark, sizeof t->mark, "%s", mark);
    }
    fclose(file);
}

static bool mark_write(struct transfer *t)
{
    char text[DOWNLOAD_URL + MARK + 2];
    int length = snprintf(text, sizeof text, "%s\n%s\n", t->download->url, t->mark);
    return graco_file_save(t->from, text, length) == GRACO_OK || fail(t, "%s", graco_message());
}

static bool part_open(struct transfer *t)
{
    struct download *d = t->download;
    struct stat about;
    snprintf(t->part, sizeof t->part, "%.*s.part", RUNS_PATH_MAX + 64, d->path);
    snprintf(t->from, sizeof t->from, "%s.from", t->part);
    if (lstat(t->from, &about) == 0 && !S_ISREG(about.st_mode))
        return fail(t, "cannot write %s: it is not a regular file", t->from);
    t->fd = open(t->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (t->fd < 0)
        return fail(t, "cannot write %s: %s", t->part, strerror(errno));
    if (fstat(t->fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(t->fd);
        t->fd = -1; /* so that nobody removes it */
        return fail(t, "cannot write %s: it is not a regular file", t->part);
    }
    t->at = about.st_size;
    mark_read(t);
    /* Without a hash to compare in the end, only the server's mark says that both halves are of one
     * file. */
    bool usable = t->at <= d->limit && (d->sha256 || t->mark[0]);
    if (!usable && !part_restart(t))
        return false;
    d->resumed = t->at > 0;
    return lseek(t->fd, 0, SEEK_END) >= 0 ||
           fail(t, "cannot write %s: %s", t->part, strerror(errno));
}

/* ---- The answer ------------------------------------------------------------------------------ */

static const char *header(const struct transfer *t, const char *name)
{
    struct curl_header *found = NULL;
    return curl_easy_header(t->curl, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value
                                                                                     : NULL;
}

/* A strong ETag, else the date; If-Range takes no weak ETag. */
static void take_mark(struct transfer *t)
{
    const char *tag = header(t, "ETag"), *date = header(t, "Last-Modified");
    const char *mark = tag && tag[0] == '"' ? tag : date;
    t->mark[0] = '\0';
    if (mark && strlen(mark) < MARK)
        snprintf(t->mark, sizeof t->mark, "%s", mark);
}

/* A count of bytes; false if there is none, or one that 63 bits do not hold. */
static bool read_count(int64_t *out, const char **text)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* "bytes FIRST-LAST/TOTAL"; the total is -1 where it is "*". */
static bool read_range(int64_t *first, int64_t *total, const char *text)
{
    int64_t last = -1;
    *total = -1;
    if (strncmp(text, "bytes ", 6) != 0)
        return false;
    text += 6;
    if (!read_count(first, &text) || *text++ != '-' || !read_count(&last, &text) ||
        *text++ != '/' || last < *first)
        return false;
    return strcmp(text, "*") == 0 || (read_count(total, &text) && *text == 0 && last < *total);
}

/* 206 must continue where the part file ends; 200 is the file from its beginning. */
static bool take_position(struct transfer *t, long code)
{
    const char *url = t->download->url, *range = header(t, "Content-Range");
    int64_t first = -1, total = -1;
    if (code == 200) {
        if (!part_restart(t))
            return false;
        t->download->resumed = false;
        take_mark(t);
        return mark_write(t);
    }
    if (code != 206)
        return fail(t, "%s: the server answered %ld; expected 200", url, code);
    if (!range || !read_range(&first, &total, range) || first != t->at)
        return fail(t, "%s: the server sent the range '%s'; expected one from byte %" PRId64, url,
                    range ? range : "", t->at);
    t->total = total;
    t->download->resumed = true;
    return true;
}

/* Whether the end of the body can be told from a broken connection. */
static bool has_end(const struct transfer *t)
{
    long version = 0;
    const char *coding = header(t, "Transfer-Encoding");
    curl_easy_getinfo(t->curl, CURLINFO_HTTP_VERSION, &version);
    return (coding && strcasecmp(coding, "chunked") == 0) || version >= CURL_HTTP_VERSION_2_0;
}

/* Proxies and libcurl may each believe another one of two lengths. */
static bool check_lengths(struct transfer *t)
{
    struct curl_header *found = NULL;
    char first[32] = "";
    for (size_t i = 0, count = 1; i < count; i++) {
        if (curl_easy_header(t->curl, "Content-Length", i, CURLH_HEADER, -1, &found) != CURLHE_OK)
            return true;
        count = found->amount;
        if (i == 0)
            snprintf(first, sizeof first, "%s", found->value);
        if (strcmp(found->value, first) != 0)
            return fail(t, "%s: the server says two lengths, %s and %.31s; expected one",
                        t->download->url, first, found->value);
    }
    return true;
}

/* Looks at the head of the answer before the first byte of the body is written. */
static bool accept_answer(struct transfer *t)
{
    const struct download *d = t->download;
    const char *coding = header(t, "Content-Encoding");
    curl_off_t length = -1;
    long code = 0;
    t->accepted = true;
    t->total = -1;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
    curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (!check_lengths(t) || !take_position(t, code))
        return false;
    if (t->total < 0 && length >= 0)
        t->total = length <= INT64_MAX - t->at ? t->at + length : INT64_MAX; /* refused below */
    if (t->total > d->limit || (d->size >= 0 && t->total >= 0 && t->total != d->size)) {
        part_remove(t);
        return fail(t, "%s has %" PRId64 " bytes; expected %s%" PRId64, d->url, t->total,
                    d->size >= 0 ? "" : "at most ", d->size >= 0 ? d->size : d->limit);
    }
    if (coding && strcasecmp(coding, "identity") != 0)
        return fail(t, "%s came in the encoding '%s'; expected the file as it is", d->url, coding);
    if (t->total < 0 && !d->sha256 && !has_end(t))
        return fail(t,
                    "%s: the server does not say how long the file is, so a broken connection "
                    "could not be told from its end",
                    d->url);
    return true;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *t = user;
    size_t length = size * count, done = 0;
    if (!t->accepted && !accept_answer(t))
        return 0;
    if ((int64_t)length > t->download->limit - t->at) {
        part_remove(t);
        fail(t, "%s is larger than the %" PRId64 " bytes that are accepted", t->download->url,
             t->download->limit);
        return 0;
    }
    while (done < length) {
        ssize_t put = write(t->fd, bytes + done, length - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            fail(t, "cannot write %s after %" PRId64 " bytes: %s", t->part, t->at, strerror(errno));
            return 0;
        }
        done += (size_t)put;
        t->at += put;
    }
    t->download->received += (int64_t)length;
    return length;
}

/* Chunks may carry more than the file's bytes: a sixteenth of what comes must be these. */
enum { WIRE_TIMES = 16, WIRE_FREE = 1 << 20 };

/* libcurl tells all bytes that come before it takes them apart. */
static int on_wire(CURL *curl, curl_infotype kind, char *bytes, size_t count, void *user)
{
    struct transfer *t = user;
    (void)curl, (void)bytes;
    if (kind != CURLINFO_DATA_IN && kind != CURLINFO_HEADER_IN)
        return 0;
    t->wire += (int64_t)count;
    if (!t->failed && (t->wire - WIRE_FREE) / WIRE_TIMES > t->at - t->before) {
        part_remove(t);
        fail(t,
             "%s: the server sent %" PRId64 " bytes around %" PRId64 " of the file; expected less",
             t->download->url, t->wire, t->at - t->before);
    }
    return 0;
}

static int on_progress(void *user, curl_off_t total, curl_off_t got, curl_off_t unused,
                       curl_off_t unused_too)
{
    struct transfer *t = user;
    double seconds = output_now() - t->started;
    (void)total, (void)got, (void)unused, (void)unused_too;
    if (*t->download->stop || t->failed)
        return 1;
    output_progress_bytes(t->download->progress, t->download->label, t->at, t->total,
                          seconds > 0 ? (double)(t->at - t->before) / seconds : 0);
    return 0;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void set_options(struct transfer *t, char message[CURL_ERROR_SIZE])
{
    const struct download *d = t->download;
    bool secure = strncasecmp(d->url, "https:", 6) == 0;
    curl_easy_reset(t->curl);
    curl_easy_setopt(t->curl, CURLOPT_URL, d->url);
    curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, message);
    curl_easy_setopt(t->curl, CURLOPT_USERAGENT, "graco/" GRACO_VERSION);
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->curl, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
    curl_easy_setopt(t->curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(t->curl, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(t->curl, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(t->curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT,
                     (long)(d->timeout < CONNECT_SECONDS ? d->timeout : CONNECT_SECONDS));
    curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    curl_easy_setopt(t->curl, CURLOPT_LOW_SPEED_TIME, (long)d->timeout);
    curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(t->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(t->curl, CURLOPT_XFERINFODATA, t);
    curl_easy_setopt(t->curl, CURLOPT_DEBUGFUNCTION, on_wire);
    curl_easy_setopt(t->curl, CURLOPT_DEBUGDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_VERBOSE, 1L);
}

static bool is_break(CURLcode result, long code)
{
    switch (result) {
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    case CURLE_HTTP_RETURNED_ERROR:
        return code >= 500 || code == 429 || code == 408;
    default:
        return false;
    }
}

/* One line for what libcurl says. */
static void explain(struct transfer *t, CURLcode result, long code, const char *message)
{
    const struct download *d = t->download;
    char kept[96] = "", bytes[32];
    if (t->at > 0 && is_break(result, code))
        snprintf(kept, sizeof kept, "; %s are kept, the next fetch goes on from there",
                 number_bytes(bytes, t->at));
    if (result == CURLE_ABORTED_BY_CALLBACK)
        fail(t, "stopped: %s of %s are kept, the next fetch goes on from there",
             number_bytes(bytes, t->at), d->url);
    else if (result == CURLE_HTTP_RETURNED_ERROR)
        fail(t, "%s: the server answered %ld%s", d->url, code, kept);
    else if (result == CURLE_OPERATION_TIMEDOUT)
        fail(t, "%s: nothing arrived for %" PRId64 " s%s", d->url, d->timeout, kept);
    else if (result == CURLE_TOO_MANY_REDIRECTS)
        fail(t, "%s: more than %d redirects", d->url, REDIRECTS_MAX);
    else if (result == CURLE_UNSUPPORTED_PROTOCOL)
        fail(t, "%s: redirected to a protocol that is not allowed (%s); expected %s", d->url,
             message, strncasecmp(d->url, "https:", 6) == 0 ? "https" : "http or https");
    else
        fail(t, "%s: %s%s", d->url, message[0] ? message : curl_easy_strerror(result), kept);
}

/* Sends one request for what is missing. */
static enum outcome request(struct transfer *t)
{
    struct download *d = t->download;
    char message[CURL_ERROR_SIZE] = "", range[32], condition[MARK + 16];
    struct curl_slist *headers = NULL;
    long code = 0;
    t->accepted = t->failed = false;
    t->before = t->at;
    t->wire = 0;
    t->total = d->size;
    t->started = output_now();
    set_options(t, message);
    if (t->at > 0) {
        snprintf(range, sizeof range, "%" PRId64 "-", t->at);
        curl_easy_setopt(t->curl, CURLOPT_RANGE, range);
    }
    if (t->at > 0 && t->mark[0]) {
        snprintf(condition, sizeof condition, "If-Range: %s", t->mark);
        headers = curl_slist_append(NULL, condition);
        curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
    }
    CURLcode result = curl_easy_perform(t->curl);
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
    enum outcome outcome = OUTCOME_FAILED;
    if (result == CURLE_OK && !t->accepted)
        accept_answer(t); /* an empty body */
    if (t->failed) {
        outcome = OUTCOME_FAILED;
    } else if (result == CURLE_HTTP_RETURNED_ERROR && code == 416 && t->at > 0) {
        /* The part file is no beginning of what the server has. */
        outcome = part_restart(t) ? OUTCOME_AGAIN : OUTCOME_FAILED;
    } else if (result == CURLE_OK && (t->total < 0 || t->at == t->total)) {
        outcome = OUTCOME_DONE;
    } else {
        explain(t, result == CURLE_OK ? CURLE_PARTIAL_FILE : result, code, message);
        outcome = is_break(result, code) || result == CURLE_OK ? OUTCOME_BROKEN : OUTCOME_FAILED;
    }
    curl_slist_free_all(headers);
    return outcome;
}

/* Requests until the file is whole: a broken one is continued after a pause that doubles. */
static bool receive(struct transfer *t)
{
    struct download *d = t->download;
    bool again = false;
    for (int64_t tries = 0;;) {
        if (d->size >= 0 && t->at == d->size)
            return true;
        enum outcome outcome = request(t);
        if (outcome == OUTCOME_DONE)
            return true;
        if (outcome == OUTCOME_FAILED || (outcome == OUTCOME_BROKEN && tries == d->retries))
            return false;
        if (outcome == OUTCOME_AGAIN && again)
            return fail(t, "%s: the server refuses the range that it offered", d->url);
        again = again || outcome == OUTCOME_AGAIN;
        if (outcome == OUTCOME_BROKEN && !*d->stop) {
            struct timespec pause = {.tv_sec = 1 << (tries < 5 ? tries : 5)};
            tries++;
            nanosleep(&pause, NULL); /* a signal ends it */
        }
    }
}

/* Where no hash is known, at least a proxy's page of apology must not pass for the file. */
static bool check_magic(struct transfer *t)
{
    const char *magic = t->download->magic;
    char begin[16] = "";
    size_t length = strlen(magic);
    ssize_t got = pread(t->fd, begin, length < sizeof begin ? length : sizeof begin, 0);
    if (got == (ssize_t)length && memcmp(begin, magic, length) == 0)
        return true;
    part_remove(t);
    return fail(t, "%s is no file of its kind: its first bytes are wrong, of %" PRId64 " in all",
                t->download->url, t->at);
}

/* Syncs the part file and compares its hash. */
static bool verify(struct transfer *t)
{
    struct download *d = t->download;
    const char *reason = NULL;
    if (fsync(t->fd) != 0)
        return fail(t, "cannot sync %s: %s", t->part, strerror(errno));
    if (!sums_of_file(d->found, &reason, t->part))
        return fail(t, "cannot read %s back: %s", t->part, reason);
    d->bytes = t->at;
    if (d->magic && !d->sha256 && !check_magic(t))
        return false;
    if (!d->sha256 || strcmp(d->found, d->sha256) == 0)
        return true;
    t->mismatch = true;
    return fail(t, "%s has the SHA-256 %s; expected %s: the file was not put in place", d->url,
                d->found, d->sha256);
}

bool download_get(struct download *d)
{
    struct transfer t = {.download = d, .fd = -1, .total = d->size};
    bool fine = false;
    d->error[0] = '\0';
    d->received = 0;
    t.curl = curl_easy_init();
    if (!t.curl) {
        fail(&t, "out of memory for a download");
    } else {
        fine = part_open(&t) && receive(&t) && verify(&t);
        /* What was there before may have been of another version: once more, from the beginning. */
        if (t.mismatch && d->resumed) {
            t.failed = t.mismatch = d->resumed = false;
            fine = part_restart(&t) && receive(&t) && verify(&t);
        }
        if (t.mismatch || (!fine && t.fd >= 0 && t.at == 0))
            part_remove(&t);
    }
    if (t.fd >= 0)
        close(t.fd);
    curl_easy_cleanup(t.curl);
    return fine;
}

bool download_commit(struct download *d, const char *folder)
{
    struct transfer t = {.download = d};
    struct stat old;
    snprintf(t.part, sizeof t.part, "%.*s.part", RUNS_PATH_MAX + 64, d->path);
    snprintf(t.from, sizeof t.from, "%s.from", t.part);
    if (stat(d->path, &old) == 0 && chmod(t.part, old.st_mode & 0777) != 0)
        return fail(&t, "cannot give %s the permissions of %s: %s", t.part, d->path,
                    strerror(errno));
    if (rename(t.part, d->path) != 0)
        return fail(&t, "cannot move %s to %s: %s", t.part, d->path, strerror(errno));
    unlink(t.from);
    return sums_sync_folder(folder) || fail(&t, "cannot sync %s: %s", folder, strerror(errno));
}

bool download_start(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

void download_end(void)
{
    curl_global_cleanup();
}
