/* The list is read whole, changed in memory and written anew; sha256sum reads and checks it too. */
#include "sums.h"
#include "graco_command.h"
#include "output.h"
#include "runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = SHA256_TEXT + SUMS_NAME + 8, PIECE = 1 << 16 };

static void sums_path(char path[RUNS_PATH_MAX + 64], const char *folder)
{
    snprintf(path, RUNS_PATH_MAX + 64, "%.*s/SHA256SUMS", RUNS_PATH_MAX, folder);
}

/* One line "HASH  NAME" or "HASH *NAME". */
static bool read_line(struct sums *sums, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (strlen(line) < SHA256_TEXT + 2 || line[64] != ' ' || !strchr(" *", line[65]))
        return false;
    line[64] = '\0';
    const char *name = line + 66;
    if (!sha256_is_text(line) || strlen(name) >= SUMS_NAME || sums->count == SUMS_MAX)
        return false;
    strcpy(sums->entry[sums->count].sha256, line);
    strcpy(sums->entry[sums->count++].name, name);
    return true;
}

bool sums_read(struct sums *sums, const char *folder)
{
    char path[RUNS_PATH_MAX + 64], line[LINE_MAX_BYTES];
    bool fine = true;
    *sums = (struct sums){0};
    sums_path(path, folder);
    const char *reason = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    int fd = sums_open(&reason, path);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        output_error("%s cannot be read: %s", path, reason ? reason : strerror(errno));
        return false;
    }
    for (int number = 1; fine && fgets(line, sizeof line, file); number++) {
        fine = line[0] == '\n' || read_line(sums, line);
        if (!fine)
            output_error("%s, line %d: expected a SHA-256 (64 hexadecimal digits), two spaces and "
                         "a file name, in at most %d lines",
                         path, number, SUMS_MAX);
    }
    if (fine && ferror(file)) {
        output_error("%s cannot be read: %s", path, strerror(errno));
        fine = false;
    }
    fclose(file);
    return fine;
}

const char *sums_find(const struct sums *sums, const char *name)
{
    for (int i = 0; i < sums->count; i++)
        if (strcmp(sums->entry[i].name, name) == 0)
            return sums->entry[i].sha256;
    return NULL;
}

bool sums_set(struct sums *sums, const char *name, const char *sha256)
{
    int i = 0;
    while (i < sums->count && strcmp(sums->entry[i].name, name) != 0)
        i++;
    if (i == SUMS_MAX || strlen(name) >= SUMS_NAME) {
        output_error("SHA256SUMS has no room for %s: at most %d files", name, SUMS_MAX);
        return false;
    }
    snprintf(sums->entry[i].name, SUMS_NAME, "%s", name);
    snprintf(sums->entry[i].sha256, SHA256_TEXT, "%s", sha256);
    if (i == sums->count)
        sums->count++;
    return true;
}

bool sums_sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    /* Some file systems cannot sync a folder and say EINVAL: they have nothing to sync. */
    bool fine = fsync(fd) == 0 || errno == EINVAL;
    int reason = errno;
    close(fd);
    errno = reason;
    return fine;
}

bool sums_write(const struct sums *sums, const char *folder)
{
    char path[RUNS_PATH_MAX + 64], text[SUMS_MAX * LINE_MAX_BYTES];
    int length = 0;
    sums_path(path, folder);
    for (int i = 0; i < sums->count; i++)
        length += snprintf(text + length, LINE_MAX_BYTES, "%s  %s\n", sums->entry[i].sha256,
                           sums->entry[i].name);
    if (graco_file_save(path, text, length) == GRACO_OK)
        return true;
    output_error("%s", graco_message());
    return false;
}

int sums_open(const char **reason, const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        return fd;
    *reason = fd < 0 ? strerror(errno) : "it is not a regular file";
    if (fd >= 0)
        close(fd);
    return -1;
}

bool sums_of_file(char text[SHA256_TEXT], const char **reason, const char *path)
{
    struct sha256 hash;
    uint8_t piece[PIECE];
    ssize_t got = 0;
    int fd = sums_open(reason, path);
    if (fd < 0)
        return false;
    sha256_init(&hash);
    do {
        got = read(fd, piece, sizeof piece);
        if (got > 0)
            sha256_add(&hash, piece, (size_t)got);
    } while (got > 0 || (got < 0 && errno == EINTR));
    *reason = strerror(errno);
    close(fd);
    bool hashed = sha256_text(text, &hash);
    if (got == 0 && !hashed)
        *reason = "libcrypto cannot hash it";
    return got == 0 && hashed;
}
