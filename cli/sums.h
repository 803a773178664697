/* SHA256SUMS: the hashes of the files of a folder, in the form of the program sha256sum, so that
 * `sha256sum -c SHA256SUMS` checks them too. */
#ifndef CLI_SUMS_H
#define CLI_SUMS_H

#include "sha256.h"

enum { SUMS_MAX = 64, SUMS_NAME = 128 };

struct sums {
    int count;
    struct {
        char name[SUMS_NAME];
        char sha256[SHA256_TEXT];
    } entry[SUMS_MAX];
};

/* Reads FOLDER/SHA256SUMS; there may be none. Returns false after a message. */
bool sums_read(struct sums *sums, const char *folder);

/* The hash of a name, or NULL. */
const char *sums_find(const struct sums *sums, const char *name);

/* Sets the hash of a name. Returns false, after a message, if the list is full. */
bool sums_set(struct sums *sums, const char *name, const char *sha256);

/* Replaces FOLDER/SHA256SUMS, whole or not at all. Returns false after a message. */
bool sums_write(const struct sums *sums, const char *folder);

/* Opens a regular file for reading, at once: opening a pipe would wait for its writer. Returns -1,
 * with the reason, if it cannot. */
int sums_open(const char **reason, const char *path);

/* The hash of a file. Returns false, with the reason, if it cannot be read. */
bool sums_of_file(char text[SHA256_TEXT], const char **reason, const char *path);

/* Makes a rename in this folder last. Returns false with errno set. */
bool sums_sync_folder(const char *folder);

#endif
