/* The library does not know `graco fetch`: where files are missing, this adds it to the message. */
#include "loading.h"
#include "graco_command.h"
#include "catalogue.h"
#include "output.h"
#include "runs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef GRACO_FETCH
/* Whether a file that a fetch would bring is not in ROOT/NAME. */
static bool lacks_files(const struct catalogue_set *set)
{
    char root[RUNS_PATH_MAX], path[RUNS_PATH_MAX + 256];
    /* The load has asked for the folder too: if this fails, it has said so with the same words. */
    if (graco_data_folder(root, sizeof root) != GRACO_OK)
        return false;
    for (const struct catalogue_file *file = set->files; file->name; file++) {
        snprintf(path, sizeof path, "%s/%s/%s", root, set->name, file->name);
        if (access(path, F_OK) != 0)
            return true;
    }
    return false;
}
#endif

bool loading_find(char path[RUNS_PATH_MAX], const char *name)
{
    static const char *const endings[] = {"", ".npz", ".zip"};
    char root[RUNS_PATH_MAX / 2];

    if (graco_data_folder(root, sizeof root) != GRACO_OK)
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int length = snprintf(path, RUNS_PATH_MAX, "%s/%s%s", root, name, endings[i]);
        if (length < RUNS_PATH_MAX && access(path, F_OK) == 0)
            return true;
    }
    return false;
}

/* `graco eval cora cora` means a run and a data set: a name that is a folder of runs here means the
 * data set of that name in the data folder, if there is one, whose path goes to `path`. */
static const char *pass_over_runs(char path[RUNS_PATH_MAX], const char *source)
{
    bool found = !strchr(source, '/') && runs_made(source) && loading_find(path, source);
    return found ? path : source;
}

graco_status loading_dataset(graco_dataset **out, const char *source,
                             const graco_load_options *options, graco_run *run, bool quiet)
{
    char path[RUNS_PATH_MAX];
    const char *from = pass_over_runs(path, source);
    graco_status status = run ? graco_run_data(out, NULL, run, from, options)
                              : graco_dataset_load(out, from, options);
    for (int i = 0; status == GRACO_OK && !quiet && graco_dataset_note(*out, i); i++)
        output_note("%s", graco_dataset_note(*out, i));
#ifdef GRACO_FETCH
    const struct catalogue_set *set = catalogue_find(source);

    if (status != GRACO_OK && set && access(source, F_OK) != 0 && lacks_files(set))
        output_hint("to download it: graco fetch %s", source);
#endif
    return status;
}

/* The files that are read, as runs_target takes them. */
#define SOURCES(source, options)                                                                   \
    (const char *[])                                                                               \
    {                                                                                              \
        source, (options)->features_path ? (options)->features_path : "",                          \
            (options)->labels_path ? (options)->labels_path : "", NULL                             \
    }

bool loading_spares(const char *target, const char *source, const graco_load_options *options)
{
    return runs_spares(target, SOURCES(source, options));
}

bool loading_target(const char *target, bool force, const char *source,
                    const graco_load_options *options)
{
    return runs_target(target, force, SOURCES(source, options));
}

graco_status loading_keeps_files(const char *target, const graco_dataset *data)
{
    for (int i = 0; graco_dataset_file(data, i); i++)
        if (runs_same(target, graco_dataset_file(data, i)))
            return status_fail(GRACO_ERROR_IO, RUNS_READ, target);
    return GRACO_OK;
}

graco_status loading_embeddings(const graco_matrix **Z, char *const **names, graco_run *run,
                                int64_t index, const graco_dataset *data)
{
    char *const *found = NULL;
    graco_training training;
    struct stat about;
    const char *from = graco_run_path(run, index);
    graco_status status = graco_run_embeddings(Z, &found, run, index, data);
    if (status == GRACO_OK && data)
        status = graco_run_training(&training, run, index);
    if (status != GRACO_OK)
        return status;
    bool named = data && graco_dataset_node(data, 0);
    if (data && !training.fingerprint && stat(from, &about) == 0 && S_ISDIR(about.st_mode))
        output_note("%s has no checkpoint: that its embeddings are of this data set cannot be "
                    "checked",
                    from);
    if (data && !named != !found && (*Z)->rows == graco_dataset_describe(data).nodes)
        output_note("%s names %s nodes, data set '%s' names %s: row i is taken for node i, which "
                    "cannot be checked",
                    from, found ? "its" : "no", graco_dataset_describe(data).name,
                    named ? "its" : "none");
    if (names)
        *names = found;
    return GRACO_OK;
}
