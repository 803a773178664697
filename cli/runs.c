/* Run folders. The library writes into them; the command decides whether it may, and which of several
 * there are. */
#include "runs.h"
#include "graco_command.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool runs_folder(char folder[RUNS_PATH_MAX], const char *run, int64_t index, struct runs_form form)
{
    graco_status status =
        graco_run_folder(folder, RUNS_PATH_MAX, run, form.runs > 1 ? index / form.splits + 1 : -1,
                         form.splits > 1 ? index % form.splits : -1);
    if (status != GRACO_OK)
        output_failure(status);
    return status == GRACO_OK;
}

/* Whether a folder holds any file of a training. */
static bool holds_any(const char *folder)
{
    graco_run_files files = graco_run_look(folder);
    return files.begun || *files.others;
}

/* What trainings a folder has; one of no name if that cannot be known. */
static graco_run_info describe(const char *folder)
{
    graco_run *run = NULL;
    graco_run_info info = {.seeds = 1, .splits = 1};
    if (graco_run_open(&run, folder) == GRACO_OK)
        info = graco_run_describe(run);
    graco_run_free(run);
    return info;
}

bool runs_made(const char *folder)
{
    graco_run_info info = describe(folder);
    return info.seed_folders || info.split_folders ||
           strstr(graco_run_look(folder).others, "metrics.jsonl");
}

graco_status runs_open(graco_run *runs[], const char *const *paths, int count)
{
    graco_status status = GRACO_OK;
    for (int i = 0; status == GRACO_OK && i < count; i++)
        status = graco_run_open(&runs[i], paths[i]);
    return status;
}

graco_run *runs_first(graco_run *const *runs, int count)
{
    struct stat found;
    for (int i = 0; i < count; i++)
        if (stat(graco_run_describe(runs[i]).path, &found) == 0 && S_ISDIR(found.st_mode))
            return runs[i];
    return NULL;
}

void runs_say_first(graco_run *run, const char *what)
{
    graco_run_info info = graco_run_describe(run);
    if (info.seed_folders || info.split_folders)
        output_note("%s holds several runs; %s the first, %s", info.path, what,
                    graco_run_path(run, 0));
}

/* Without a checkpoint there is no run to continue, only files that a training would replace. */
static void say_taken(const char *folder)
{
    graco_run_files files = graco_run_look(folder);
    if (files.begun)
        output_error("%s already holds a run; continue it with --resume, remove it, or choose "
                     "another folder with -o",
                     folder);
    else
        output_error(
            "%s holds %s but no checkpoint, so there is nothing to continue; start again in it "
            "with --resume, remove it, or choose another folder with -o",
            folder, files.others);
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
    const graco_run_info info = describe(run);
    const struct runs_form seeds = {.runs = info.seed_folders ? 2 : 1, .splits = 1};
    bool one = holds_any(run), several = info.seed_folders, divided = info.split_folders;
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
    else if (form.splits > 1 && !divided && runs_folder(first, run, 0, seeds) && holds_any(first))
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
        if (holds_any(folder)) {
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
           graco_run_look(folder).begun && !(run && runs_same(folder, run));
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
