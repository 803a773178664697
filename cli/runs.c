/* Run folders. The library writes into them; the command decides whether it may, and which of several
 * there are. */
#include "runs.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool runs_folder(char folder[RUNS_PATH_MAX], const char *run, int64_t index, int64_t count)
{
    int length = count == 1 ? snprintf(folder, RUNS_PATH_MAX, "%s", run)
                            : snprintf(folder, RUNS_PATH_MAX, "%s/run-%" PRId64, run, index + 1);
    if (length < RUNS_PATH_MAX - 64)
        return true;
    output_error("the run folder's name has %d bytes; expected at most %d", length,
                 RUNS_PATH_MAX - 64);
    return false;
}

static bool holds(const char *folder, const char *name)
{
    char path[RUNS_PATH_MAX + 64];
    struct stat found;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &found) == 0;
}

bool runs_holds_model(const char *folder)
{
    return holds(folder, "model.safetensors");
}

/* What a training writes beside the checkpoint. */
static const char *const files[] = {"config.json", "metrics.jsonl", "embeddings.npy"};
enum { FILES = sizeof files / sizeof *files };

bool runs_holds_any(const char *folder)
{
    for (int i = 0; i < FILES; i++)
        if (holds(folder, files[i]))
            return true;
    return runs_holds_model(folder);
}

int64_t runs_count(const char *run)
{
    DIR *list = opendir(run);
    const struct dirent *entry;
    int64_t count = 0;
    while (list && (entry = readdir(list))) {
        const char *digits = entry->d_name + 4;
        count += strncmp(entry->d_name, "run-", 4) == 0 && *digits &&
                 digits[strspn(digits, "0123456789")] == '\0';
    }
    if (list)
        closedir(list);
    return count;
}

bool runs_first(char folder[RUNS_PATH_MAX], const char *run)
{
    struct stat found;
    return run && stat(run, &found) == 0 && S_ISDIR(found.st_mode) &&
           runs_folder(folder, run, 0, runs_count(run) > 0 ? 2 : 1);
}

bool runs_made(const char *folder)
{
    return holds(folder, "metrics.jsonl") || holds(folder, "run-1");
}

/* Without a checkpoint there is no run to continue, only files that a training would replace. */
static void say_taken(const char *folder)
{
    char there[128] = "";
    if (runs_holds_model(folder)) {
        output_error("%s already holds a run; continue it with --resume, remove it, or choose "
                     "another folder with -o",
                     folder);
        return;
    }
    for (int i = 0; i < FILES; i++)
        if (holds(folder, files[i]))
            snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s",
                     *there ? ", " : "", files[i]);
    output_error(
        "%s holds %s but no checkpoint, so there is nothing to continue; start again in it "
        "with --resume, remove it, or choose another folder with -o",
        folder, there);
}

/* Whether a target is the standard output, which can be no folder and no archive; says so. */
static bool is_output(const char *target, const char *expected)
{
    bool found = strcmp(target, "-") == 0;
    if (found)
        output_error("- is the standard output; expected %s, such as ./-", expected);
    return found;
}

bool runs_check(const char *run, int64_t count, bool resume)
{
    char folder[RUNS_PATH_MAX];
    if (is_output(run, "a folder for the run") || !runs_folder(folder, run, 0, 2))
        return false;
    bool one = runs_holds_any(run), several = runs_holds_any(folder);
    if (count > 1 && one) {
        output_error("%s holds a single run; expected a folder for %" PRId64
                     " runs: choose another with -o",
                     run, count);
        return false;
    }
    if (count == 1 && several && !one) {
        output_error("%s holds several runs; give --runs K --resume to continue them, or choose "
                     "another folder with -o",
                     run);
        return false;
    }
    for (int64_t i = 0; i < count && !resume; i++) {
        if (!runs_folder(folder, run, i, count))
            return false;
        if (runs_holds_any(folder)) {
            say_taken(folder);
            return false;
        }
    }
    return true;
}

bool runs_make(const char *folder, const char *kind)
{
    char path[RUNS_PATH_MAX];
    struct stat found;
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        /* A parent that exists may refuse with other codes than EEXIST; the last call decides. */
        mkdir(path, 0777);
        *slash = '/';
    }
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode)))
        return true;
    output_error("cannot make the %s %s: %s", kind, folder,
                 errno == EEXIST ? "a file has that name" : strerror(errno));
    return false;
}

static bool is_empty(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;
    while (list && count < 3 && readdir(list))
        count++; /* "." and ".." are always there */
    if (list)
        closedir(list);
    return count < 3;
}

bool runs_target(const char *target, bool force, const char *const *sources)
{
    struct stat there, source;
    if (is_output(target, "a file or a folder"))
        return false;
    if (stat(target, &there) != 0)
        return true;
    for (; *sources; sources++)
        if (stat(*sources, &source) == 0 && source.st_ino == there.st_ino &&
            source.st_dev == there.st_dev) {
            output_error("%s would be read and replaced at once; expected another target", target);
            return false;
        }
    if (S_ISREG(there.st_mode) && !force) {
        output_error("%s exists; expected a new name, or --force to replace it", target);
        return false;
    }
    if (S_ISDIR(there.st_mode) && !is_empty(target)) {
        output_error("%s is a folder with files in it; expected a new name or an empty folder",
                     target);
        return false;
    }
    return true;
}
