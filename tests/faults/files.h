/* Small trees of files: copied, removed, compared, for the tests that damage them. */
#ifndef TESTS_FAULTS_FILES_H
#define TESTS_FAULTS_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_PATH = 512 };

struct bytes {
    char *data;
    size_t length;
};

static inline void files_stop(const char *what, const char *path)
{
    fprintf(stderr, "the test itself failed: %s %s: ", what, path);
    perror(NULL);
    exit(1);
}

static inline void files_join(char out[FILES_PATH], const char *folder, const char *name)
{
    if (snprintf(out, FILES_PATH, "%s/%s", folder, name) >= FILES_PATH)
        files_stop("too long a path", folder);
}

/* Calls `visit` for every file below `root`, with its path from there. */
static inline void files_each(const char *root, const char *below,
                              void (*visit)(void *user, const char *path), void *user)
{
    char folder[FILES_PATH], path[FILES_PATH], full[FILES_PATH];
    struct stat about;
    files_join(folder, root, below);
    DIR *list = opendir(folder);
    if (!list)
        files_stop("list", folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*below)
            files_join(path, below, entry->d_name);
        else
            snprintf(path, sizeof path, "%s", entry->d_name);
        files_join(full, root, path);
        if (stat(full, &about) == 0 && S_ISDIR(about.st_mode))
            files_each(root, path, visit, user);
        else
            visit(user, path);
    }
    closedir(list);
}

/* Removes a tree; one that is not there is fine. */
static inline void files_remove(const char *path)
{
    char below[FILES_PATH];
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        files_join(below, path, entry->d_name);
        if (unlink(below) != 0)
            files_remove(below);
    }
    if (list)
        closedir(list);
    rmdir(path);
}

/* The content, with room for a NUL; data is NULL where there is no such file. */
static inline struct bytes files_read(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return bytes;
    fseek(file, 0, SEEK_END);
    bytes.length = (size_t)ftell(file);
    rewind(file);
    bytes.data = calloc(bytes.length + 1, 1);
    if (!bytes.data || fread(bytes.data, 1, bytes.length, file) != bytes.length)
        files_stop("read", path);
    fclose(file);
    return bytes;
}

static inline void files_copy(const char *from, const char *to)
{
    char a[FILES_PATH], b[FILES_PATH];
    struct stat about;
    if (mkdir(to, 0777) != 0)
        files_stop("make", to);
    DIR *list = opendir(from);
    if (!list)
        files_stop("list", from);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        files_join(a, from, entry->d_name);
        files_join(b, to, entry->d_name);
        if (stat(a, &about) == 0 && S_ISDIR(about.st_mode)) {
            files_copy(a, b);
            continue;
        }
        struct bytes bytes = files_read(a);
        FILE *file = fopen(b, "wb");
        if (!file || fwrite(bytes.data, 1, bytes.length, file) != bytes.length || fclose(file) != 0)
            files_stop("write", b);
        free(bytes.data);
    }
    closedir(list);
}

/* Replaces the numbers behind "seconds" and its like, which no two runs share, by 0. */
static inline void files_steady(struct bytes *bytes)
{
    static const char *const keys[] = {
        "\"seconds\": ",   "\"epoch_ms_median\": ", "\"peak_rss_bytes\": ",  "\"seconds\":",
        "_seconds\":",     "_seconds\": ",          "\"available_bytes\": ", "\"loading_bytes\": ",
        "\"own_bytes\": ", "\"data_bytes\": ",      "\"host_bytes\": ",      "\"peak_rss_bytes\":"};
    for (size_t k = 0; bytes->data && k < sizeof keys / sizeof *keys; k++)
        for (char *at = bytes->data; (at = strstr(at, keys[k]));) {
            char *number = at + strlen(keys[k]);
            size_t digits = strspn(number, "0123456789.eE+-");
            size_t tail = bytes->length - (size_t)(number - bytes->data) - digits;
            memmove(number, number + digits, tail + 1);
            bytes->length -= digits;
            at = number;
        }
}

/* Whether two files hold the same, but for such numbers; a missing file equals none. */
static inline bool files_same(const char *a, const char *b)
{
    struct bytes x = files_read(a), y = files_read(b);
    files_steady(&x);
    files_steady(&y);
    bool same = x.data && y.data && x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
    free(x.data);
    free(y.data);
    return same;
}

#endif
