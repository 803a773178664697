/* From a name to a file, and from a file to a name. */
#include "graco_command.h"
#include "data/readers.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "io/files/file.h"

#include <stdlib.h>
#include <string.h>

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The folder that holds data sets by name. */
static graco_status data_root(char **root)
{
    const char *data = environment("GRACO_DATA"), *share = environment("XDG_DATA_HOME"),
               *home = environment("HOME");
    if (data)
        return memory_string(root, data);
    if (share)
        return memory_path(root, share, "graco");
    if (home)
        return memory_path(root, home, ".local/share/graco");
    return status_fail(GRACO_ERROR_IO, "none of GRACO_DATA, XDG_DATA_HOME and HOME is set");
}

graco_status graco_data_folder(char *path, size_t size)
{
    graco_status status = GRACO_OK;
    char *root = NULL;
    TRY(data_root(&root));
    if (strlen(root) >= size)
        FAIL(GRACO_ERROR_ARGUMENT, "the data folder's name needs %zu bytes, the buffer has %zu",
             strlen(root) + 1, size);
    memcpy(path, root, strlen(root) + 1);
done:
    memory_free(root);
    return status;
}

/* ROOT/NAME, ROOT/NAME.npz or ROOT/NAME.zip, whichever exists; *path stays NULL if none does. */
static graco_status find_under(char **path, const char *root, const char *name)
{
    static const char *const endings[] = {"", ".npz", ".zip"};
    graco_status status = GRACO_OK;
    char *tried = NULL;
    TRY(memory_path(&tried, root, name));
    int64_t length = (int64_t)strlen(tried);
    TRY(memory_grow(&tried, length, length + 5, 1));
    for (size_t i = 0; tried && i < sizeof endings / sizeof *endings; i++) {
        memcpy(tried + length, endings[i], strlen(endings[i]) + 1);
        if (file_exists(tried)) {
            *path = tried;
            tried = NULL;
        }
    }
done:
    memory_free(tried);
    return status;
}

graco_status dataset_find(char **path, const char *source)
{
    graco_status status = GRACO_OK;
    char *root = NULL, *found = NULL;
    if (!source || !*source)
        FAIL(GRACO_ERROR_ARGUMENT, "the name of the data set is empty");
    if (file_exists(source)) {
        TRY(memory_string(path, source));
        goto done;
    }
    if (strchr(source, '/'))
        FAIL(GRACO_ERROR_IO, "%s: no such file or folder", source);
    TRY(data_root(&root));
    TRY(find_under(&found, root, source));
    if (!found)
        FAIL(GRACO_ERROR_IO,
             "no data set '%s': looked for the file or folder %s, then for %s/%s, %s/%s.npz "
             "and %s/%s.zip",
             source, source, root, source, root, source, root, source);
    *path = found;
done:
    memory_free(root);
    return status;
}

graco_status dataset_name(char **name, const char *path)
{
    size_t end = strlen(path), begin, stop;
    while (end > 1 && path[end - 1] == '/')
        end--;
    begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (!file_is_folder(path) && end - begin > 3 && memcmp(path + end - 3, ".gz", 3) == 0)
        end -= 3;
    stop = end;
    if (!file_is_folder(path)) {
        while (stop > begin && (stop == end || path[stop] != '.'))
            stop--;
    }
    stop = stop > begin ? stop : end;
    PASS(memory_zalloc(name, (int64_t)(stop - begin) + 1, 1));
    memcpy(*name, path + begin, stop - begin);
    utf8_mend(*name);
    return GRACO_OK;
}
