/* graco fetch: downloads a published data set into the folder where `graco train NAME` finds it.
 *
 * Two at once would write the same part files, so the folder has a lock while one is at work. The
 * system drops it with the process, whichever way that ends. */
#include "graco_command.h"
#include "catalogue.h"
#include "commands.h"
#include "download.h"
#include "options.h"
#include "output.h"
#include "runs.h"
#include "stop.h"
#include "sums.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 16, LOCK_TRIES = 100 };

/* What became of a file. */
struct fetched {
    const struct catalogue_file *file;
    const char *state;   /* "present", "fetched" or "resumed" */
    const char *checked; /* "published", "recorded", "first use": what its hash was compared with */
    int64_t bytes, received;
    char sha256[SHA256_TEXT];
};

struct fetch {
    const struct catalogue_set *set;
    const char *from; /* folder URL; NULL: the publisher's */
    bool force, json, quiet;
    int64_t timeout, retries;
    char folder[RUNS_PATH_MAX], lock_path[RUNS_PATH_MAX + 64];
    int lock;
    struct sums sums;
    struct output_progress progress;
    int count;
    struct fetched files[FILES_MAX];
};

/* ---- The folder and its lock ----------------------------------------------------------------- */

static bool find_folder(struct fetch *fetch)
{
    char root[RUNS_PATH_MAX];
    if (graco_data_folder(root, sizeof root) != GRACO_OK) {
        output_error("%s", graco_message());
        return false;
    }
    int length = snprintf(fetch->folder, sizeof fetch->folder, "%s/%s", root, fetch->set->name);
    if (length >= RUNS_PATH_MAX - 64) {
        output_error("the data folder's name has %d bytes; expected at most %d", length,
                     RUNS_PATH_MAX - 64);
        return false;
    }
    snprintf(fetch->lock_path, sizeof fetch->lock_path, "%s/.fetch.lock", fetch->folder);
    return runs_make(fetch->folder, "data folder");
}

/* Whether the lock that we hold is on the file of that name: its last holder may have removed it
 * between our opening and our locking. */
static bool lock_is_current(const struct fetch *fetch)
{
    struct stat ours, named;
    return fstat(fetch->lock, &ours) == 0 && lstat(fetch->lock_path, &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* A lock of ours is a regular file without content; what else has that name is the user's. */
static bool lock_is_ours(const struct fetch *fetch)
{
    struct stat about;
    return fstat(fetch->lock, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
}

static bool take_lock(struct fetch *fetch)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, holder = whole;
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        fetch->lock =
            open(fetch->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fetch->lock < 0 && errno != ELOOP)
            break;
        if (fetch->lock < 0 || !lock_is_ours(fetch)) {
            output_error("%s is not a lock that a fetch made; expected that name to be free: move "
                         "it away",
                         fetch->lock_path);
            return false;
        }
        if (fcntl(fetch->lock, F_SETLK, &whole) != 0) {
            if (errno != EACCES && errno != EAGAIN)
                break;
            char who[48] = "";
            if (fcntl(fetch->lock, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK)
                snprintf(who, sizeof who, ", process %ld", (long)holder.l_pid);
            output_error("another graco fetch is at work in %s%s; wait for it to end",
                         fetch->folder, who);
            return false;
        }
        if (lock_is_current(fetch))
            return true;
        close(fetch->lock);
    }
    output_error("cannot lock %s: %s", fetch->lock_path, strerror(errno));
    return false;
}

static void drop_lock(struct fetch *fetch)
{
    if (lock_is_current(fetch))
        unlink(fetch->lock_path);
    rmdir(fetch->folder); /* only where nothing came into it */
    close(fetch->lock);
}

/* ---- One file -------------------------------------------------------------------------------- */

/* What its hash must be; NULL: this is the first use. */
static const char *expected(const struct fetch *fetch, struct fetched *out)
{
    const char *recorded = sums_find(&fetch->sums, out->file->name);
    out->checked = out->file->sha256 ? "published" : recorded ? "recorded" : "first use";
    return out->file->sha256 ? out->file->sha256 : recorded;
}

static bool record(struct fetch *fetch, const struct fetched *file)
{
    const char *old = sums_find(&fetch->sums, file->file->name);
    if (old && strcmp(old, file->sha256) == 0)
        return true;
    return sums_set(&fetch->sums, file->file->name, file->sha256) &&
           sums_write(&fetch->sums, fetch->folder);
}

/* A file that is there already: kept if its hash is right, an error if not. */
static bool check_present(struct fetch *fetch, struct fetched *out, const char *path, int64_t size,
                          const char *wanted)
{
    const char *reason = NULL;
    if (!sums_of_file(out->sha256, &reason, path)) {
        output_error("%s cannot be read: %s", path, reason);
        return false;
    }
    if (wanted && strcmp(wanted, out->sha256) != 0) {
        output_error(
            "%s is there with the SHA-256 %s; expected %s, %s: remove the file, or replace "
            "it with --force",
            path, out->sha256, wanted,
            out->file->sha256 ? "that of the published file" : "recorded in SHA256SUMS");
        return false;
    }
    out->state = "present";
    out->bytes = size;
    return record(fetch, out);
}

static bool fetch_file(struct fetch *fetch, struct fetched *out)
{
    const struct catalogue_file *file = out->file;
    char path[RUNS_PATH_MAX + 64], url[DOWNLOAD_URL];
    const char *wanted = expected(fetch, out);
    struct stat about;
    snprintf(path, sizeof path, "%.*s/%.63s", RUNS_PATH_MAX - 1, fetch->folder, file->name);
    snprintf(url, sizeof url, "%s/%s", fetch->from ? fetch->from : fetch->set->source, file->name);
    bool present = stat(path, &about) == 0;
    if (present && !S_ISREG(about.st_mode)) {
        output_error("%s is in the way: it is not a regular file; expected one, or nothing of that "
                     "name",
                     path);
        return false;
    }
    if (present && !fetch->force)
        return check_present(fetch, out, path, about.st_size, wanted);
    struct download download = {.url = url,
                                .path = path,
                                .size = file->size,
                                .limit = file->limit,
                                .sha256 = wanted,
                                .magic = file->magic,
                                .timeout = fetch->timeout,
                                .retries = fetch->retries,
                                .stop = &stop_wanted,
                                .progress = &fetch->progress,
                                .label = file->name};
    bool got = download_get(&download);
    output_progress_end(&fetch->progress);
    if (got) {
        out->state = download.resumed ? "resumed" : "fetched";
        out->bytes = download.bytes;
        out->received = download.received;
        memcpy(out->sha256, download.found, sizeof out->sha256);
        /* Recorded first: no file is ever in place without its hash. */
        if (!record(fetch, out))
            return false;
        got = download_commit(&download, fetch->folder);
    }
    if (!got)
        output_error("%s", download.error);
    return got;
}

/* ---- What is said ---------------------------------------------------------------------------- */

#define FETCHED(member, kind) FIELD(struct fetched, member, kind)
static const struct field FETCHED_FIELDS[] = {FETCHED(state, STRING),   FETCHED(bytes, INT),
                                              FETCHED(received, INT),   FETCHED(sha256, WORD),
                                              FETCHED(checked, STRING), {0}};

static int report_json(const struct fetch *fetch)
{
    struct writer json = {0};
    int64_t received = 0;
    for (int i = 0; i < fetch->count; i++)
        received += fetch->files[i].received;
    writer_open(&json, NULL, '{');
    writer_string(&json, "name", fetch->set->name);
    writer_string(&json, "folder", fetch->folder);
    writer_string(&json, "source", fetch->from ? fetch->from : fetch->set->source);
    writer_integer(&json, "received", received);
    writer_open(&json, "files", '[');
    for (int i = 0; i < fetch->count; i++) {
        const struct fetched *file = &fetch->files[i];
        writer_open(&json, NULL, '{');
        writer_string(&json, "name", file->file->name);
        writer_fields(&json, FETCHED_FIELDS, file);
        writer_close(&json);
    }
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

static int report(const struct fetch *fetch)
{
    char bytes[32];
    if (fetch->json)
        return report_json(fetch);
    if (fetch->quiet)
        return EXIT_FINE;
    for (int i = 0; i < fetch->count; i++) {
        const struct fetched *file = &fetch->files[i];
        bool first = strcmp(file->checked, "first use") == 0;
        output_row(file->file->name, "%-8s %9s  SHA-256 %s", file->state,
                   number_bytes(bytes, file->bytes),
                   first ? "not published: recorded for later fetches" : "as expected");
    }
    output_row("folder", "%s", fetch->folder);
    return output_finish();
}

/* ---- The command ----------------------------------------------------------------------------- */

static int fetch_set(struct fetch *fetch)
{
    bool fine = true;
    if (!find_folder(fetch) || !take_lock(fetch))
        return EXIT_FAILED;
    stop_on_signals(0, NULL); /* libcurl's waiting ends, and the part file is kept */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the call */
    fetch->progress = output_progress_start(fetch->quiet, "");
    fine = sums_read(&fetch->sums, fetch->folder);
    if (fine && !download_start()) {
        output_error("libcurl cannot be started");
        fine = false;
    }
    for (const struct catalogue_file *file = fetch->set->files; fine && file->name; file++) {
        fetch->files[fetch->count] = (struct fetched){.file = file};
        fine = fetch_file(fetch, &fetch->files[fetch->count]);
        fetch->count += fine;
    }
    download_end();
    drop_lock(fetch);
    return fine ? report(fetch) : EXIT_FAILED;
}

/* The size of a set; *exact: it is known, else it is the most that is accepted. */
static int64_t set_size(const struct catalogue_set *set, bool *exact)
{
    int64_t sum = 0;
    *exact = true;
    for (const struct catalogue_file *file = set->files; file->name; file++) {
        *exact = *exact && file->size >= 0;
        sum += file->size >= 0 ? file->size : file->limit;
    }
    return sum;
}

static void write_set(struct writer *json, const struct catalogue_set *set)
{
    bool exact = true;
    int64_t size = set_size(set, &exact);
    writer_open(json, NULL, '{');
    writer_string(json, "name", set->name);
    writer_string(json, "about", set->about);
    if (exact)
        writer_integer(json, "bytes", size);
    else
        writer_null(json, "bytes");
    writer_integer(json, "bytes_max", size);
    writer_string(json, "licence", set->licence);
    writer_string(json, "source", set->source);
    writer_bool(json, "sha256_published", set->files[0].sha256);
    writer_open(json, "files", '[');
    for (const struct catalogue_file *file = set->files; file->name; file++)
        writer_string(json, NULL, file->name);
    writer_close(json);
    writer_close(json);
}

static int list_json(void)
{
    const struct catalogue_set *set = NULL;
    struct writer json = {0};
    writer_open(&json, NULL, '{');
    writer_open(&json, "datasets", '[');
    for (int i = 0; (set = catalogue_at(i)); i++)
        write_set(&json, set);
    writer_close(&json);
    writer_close(&json);
    return output_json(&json);
}

static int list(void)
{
    const struct catalogue_set *set = NULL;
    for (int i = 0; (set = catalogue_at(i)); i++) {
        char bytes[32];
        bool exact = true;
        int64_t size = set_size(set, &exact);
        output_row(set->name, "%s", set->about);
        output_row("", "size: %s%s", exact ? "" : "not known beforehand, accepted up to ",
                   number_bytes(bytes, size));
        output_row("", "licence: %s", set->licence);
        output_row("", "source: %s", set->source);
    }
    return output_finish();
}

/* A mirror's folder: printable, with a protocol that is allowed and nothing behind the path. */
static bool check_from(char url[DOWNLOAD_URL], const char *from)
{
    bool fine = strncasecmp(from, "https://", 8) == 0 || strncasecmp(from, "http://", 7) == 0;
    size_t length = strlen(from);
    for (const char *c = from; *c; c++)
        fine = fine && isgraph((unsigned char)*c) && !strchr("?#", *c);
    while (length > 0 && from[length - 1] == '/')
        length--;
    if (!fine || length > DOWNLOAD_URL - 128) {
        output_error(
            "fetch: --from is '%s'; expected the https:// (or http://) address of a folder", from);
        return false;
    }
    snprintf(url, DOWNLOAD_URL, "%.*s", (int)length, from);
    return true;
}

static const struct catalogue_set *find_set(const char *name)
{
    const struct catalogue_set *found = catalogue_find(name), *set = NULL;
    const char *names[CATALOGUE_SETS + 1] = {NULL};
    for (int i = 0; !found && (set = catalogue_at(i)); i++)
        names[i] = set->name;
    if (!found)
        options_unknown("fetch", "unknown data set", name, names);
    return found;
}

int cmd_fetch(int argc, char **argv)
{
    struct fetch fetch = {.timeout = 60, .retries = 3};
    const char *from = NULL;
    char url[DOWNLOAD_URL];
    bool list_wanted = false;
    const struct option options[] = {
        OPTION_ROW_TEXT("from", 0, "URL", &from, "a mirror: the folder that holds the files"),
        OPTION_ROW_FLAG("list", 0, &list_wanted, "say what there is, how large, from where"),
        OPTION_ROW_FLAG("force", 0, &fetch.force, "fetch again what is there already"),
        OPTION_ROW_INTEGER("timeout", "S", &fetch.timeout, 1, 86400,
                           "seconds without progress before a connection counts as broken"),
        OPTION_ROW_INTEGER("retries", "N", &fetch.retries, 0, 1000,
                           "how often a broken connection is tried again"),
        OPTION_ROW_FLAG("json", 0, &fetch.json, "print one JSON object at the end"),
        OPTION_ROW_FLAG("quiet", 'q', &fetch.quiet, "no progress and no summary"),
        {0},
    };
    struct command command = {
        .name = "fetch",
        .synopsis = "NAME [options], or --list",
        .summary =
            "Downloads a published data set to the folder NAME under $GRACO_DATA (else\n"
            "~/.local/share/graco), where the other commands find it by name. SHA-256 are\n"
            "checked: against the published files' where they are known, else against those\n"
            "of the first fetch, kept in SHA256SUMS. A broken download is continued. Proxies\n"
            "are taken from the environment (https_proxy, http_proxy, all_proxy, no_proxy).",
        .options = options,
        .min_arguments = 0,
        .max_arguments = 1,
    };
    int code = options_begin(&command, argc, argv);
    if (code >= 0)
        return code;
    if (list_wanted)
        return fetch.json ? list_json() : list();
    if (command.count == 0) {
        output_error("fetch: no data set given; expected a name: see graco fetch --list");
        return EXIT_USAGE;
    }
    fetch.set = find_set(command.arguments[0]);
    if (!fetch.set || (from && !check_from(url, from)))
        return EXIT_USAGE;
    fetch.from = from ? url : NULL;
    return fetch_set(&fetch);
}
