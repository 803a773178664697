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

bool runs_at(char folder[RUNS_PATH_MAX], const char *run, int64_t number, int64_t split)
{
    char of_run[32] = "", of_split[32] = "";
    if (number >= 0)
        snprintf(of_run, sizeof of_run, "/run-%" PRId64, number);
    if (split >= 0)
        snprintf(of_split, sizeof of_split, "/split-%" PRId64, split);
    int length = snprintf(folder, RUNS_PATH_MAX, "%s%s%s", run, of_run, of_split);
    if (length < RUNS_PATH_MAX - 64)
        return true;
    output_error("the run folder's name has %d bytes; expected at most %d", length,
                 RUNS_PATH_MAX - 64);
    return false;
}

bool runs_folder(char folder[RUNS_PATH_MAX], const char *run, int64_t index, struct runs_form form)
{
    return runs_at(folder, run, form.runs > 1 ? index / form.splits + 1 : -1,
                   form.splits > 1 ? index % form.splits : -1);
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
static const char *const files[] = {"config.json", "node_ids.txt", "metrics.jsonl",
                                    "embeddings.npy"};
enum { FILES = sizeof files / sizeof *files };

bool runs_holds_any(const char *folder)
{
    for (int i = 0; i < FILES; i++)
        if (holds(folder, files[i]))
            return true;
    return runs_holds_model(folder);
}

/* How many folders of this prefix and a number there are. */
static int64_t count_folders(const char *folder, const char *prefix)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    int64_t count = 0;
    size_t length = strlen(prefix);
    while (list && (entry = readdir(list))) {
        if (strncmp(entry->d_name, prefix, length) != 0)
            continue;
        const char *digits = entry->d_name + length;
        count += *digits && digits[strspn(digits, "0123456789")] == '\0';
    }
    if (list)
        closedir(list);
    return count;
}

struct runs_form runs_found(const char *run)
{
    char first[RUNS_PATH_MAX];
    struct runs_form found = {.runs = count_folders(run, "run-")};
    if (runs_at(first, run, found.runs > 0 ? 1 : -1, -1))
        found.splits = count_folders(first, "split-");
    return found;
}

bool runs_first(char folder[RUNS_PATH_MAX], const char *run)
{
    struct stat found;
    if (!run || stat(run, &found) != 0 || !S_ISDIR(found.st_mode))
        return false;
    struct runs_form form = runs_found(run);
    return runs_at(folder, run, form.runs > 0 ? 1 : -1, form.splits > 0 ? 0 : -1);
}

bool runs_made(const char *folder)
{
    return holds(folder, "metrics.jsonl") || holds(folder, "run-1") || holds(folder, "split-0");
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

/* Whether what is there has the wanted form; says what it has. */
static bool check_form(const char *run, struct runs_form form)
{
    char first[RUNS_PATH_MAX];
    struct runs_form counted = runs_found(run);
    bool one = runs_holds_any(run), several = counted.runs > 0, divided = counted.splits > 0;
    if (form.runs > 1 && (one || (divided && !several)))
        output_error("%s holds a single run; expected a folder for %" PRId64
                     " runs: choose another with -o",
                     run, form.runs);
    else if (form.runs == 1 && several && !one)
        output_error("%s holds several runs; give --runs K --resume to continue them, or choose "
                     "another folder with -o",
                     run);
    else if (form.splits == 1 && divided)
        output_error("%s holds a model for each of several splits; give --splits K --resume to "
                     "continue them, or choose another folder with -o",
                     run);
    else if (form.splits > 1 && !divided && runs_at(first, run, several ? 1 : -1, -1) &&
             runs_holds_any(first))
        output_error("%s holds a model for one split; expected a folder for %" PRId64
                     " splits: choose another with -o",
                     first, form.splits);
    else
        return true;
    return false;
}

bool runs_check(const char *run, struct runs_form form, bool resume)
{
    char folder[RUNS_PATH_MAX];
    if (is_output(run, "a folder for the run") || !runs_folder(folder, run, 0, form) ||
        !check_form(run, form))
        return false;
    for (int64_t i = 0; i < form.runs * form.splits && !resume; i++) {
        if (!runs_folder(folder, run, i, form))
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
    int refused = 0; /* why the first folder that is not there could not be made */
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        /* A parent that exists may refuse with other codes than EEXIST; the last call decides. */
        if (mkdir(path, 0777) != 0 && !refused) {
            refused = errno;
            refused = stat(path, &found) == 0 ? 0 : refused;
        }
        *slash = '/';
    }
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &found) == 0 && S_ISDIR(found.st_mode)))
        return true;
    refused = errno == ENOENT && refused ? refused : errno;
    if (kind)
        output_own_error("cannot make the %s %s: %s", kind, folder,
                         refused == EEXIST ? "a file has that name" : strerror(refused));
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

bool runs_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

bool runs_spares(const char *target, const char *const *sources)
{
    for (; *sources; sources++)
        if (runs_same(target, *sources)) {
            output_error(RUNS_READ, target);
            return false;
        }
    return true;
}

bool runs_owns(const char *run, const char *target)
{
    char folder[RUNS_PATH_MAX];
    const char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    int length = slash ? snprintf(folder, sizeof folder, "%.*s/", (int)(slash - target), target)
                       : snprintf(folder, sizeof folder, "./");
    return strcmp(name, "embeddings.npy") == 0 && length < RUNS_PATH_MAX &&
           runs_holds_model(folder) && !(run && runs_same(folder, run));
}

bool runs_target(const char *target, bool force, const char *const *sources)
{
    struct stat there;
    if (is_output(target, "a file or a folder"))
        return false;
    if (stat(target, &there) != 0)
        return true;
    if (!runs_spares(target, sources))
        return false;
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
