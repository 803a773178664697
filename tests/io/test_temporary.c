/* Leftovers of killed processes, and locks that die with their holders. */
#include "check.h"
#include "hostile.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/folder.h"
#include "io/files/lock.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("half", file) >= 0 && fclose(file) == 0);
}

static void test_sweep(const char *folder)
{
    static const char *const stale[] = {"Z.npy.tmp-1-2-3", "Z.npy.tmp-99999999-000000001-0"};
    static const char *const others[] = {"Z.npy.tmp-",        "Z.npy.tmp-1-2",    "Z.npy.tmp-1-2-x",
                                         "Z.npy.tmp-1-2-3-4", "aZ.npy.tmp-1-2-3", "Z.npy.tmp"};
    for (int i = 0; i < 2; i++)
        touch(hostile_path(folder, stale[i]));
    for (int i = 0; i < 6; i++)
        touch(hostile_path(folder, others[i]));
    CHECK_OK(file_write_atomic(hostile_path(folder, "Z.npy"), "new", 3));
    for (int i = 0; i < 2; i++)
        CHECK(!file_exists(hostile_path(folder, stale[i])));
    for (int i = 0; i < 6; i++)
        CHECK(unlink(hostile_path(folder, others[i])) == 0); /* nobody's but the user's */
    CHECK(hostile_files(folder) == 1);
    unlink(hostile_path(folder, "Z.npy"));
}

static void test_sweep_folder(const char *folder)
{
    char inside[700];
    struct folder *made = NULL;
    CHECK(mkdir(hostile_path(folder, "set.tmp-7-8-9"), 0777) == 0);
    touch(hostile_path(folder, "set.tmp-7-8-9/x.npy"));
    CHECK_OK(folder_begin(&made, hostile_path(folder, "set//")));
    CHECK(!file_exists(hostile_path(folder, "set.tmp-7-8-9")));
    snprintf(inside, sizeof inside, "%s/y", folder_path(made));
    touch(inside);
    folder_free(made); /* not committed */
    CHECK(hostile_files(folder) == 0);
    CHECK_OK(folder_begin(&made, hostile_path(folder, "set")));
    CHECK_OK(folder_commit(made));
    folder_free(made);
    folder_free(NULL);
    CHECK(file_is_folder(hostile_path(folder, "set")));
    rmdir(hostile_path(folder, "set"));
}

/* Two that write the same target do not take each other's work for a leftover. */
static void test_both(const char *folder)
{
    const char *path = hostile_path(folder, "both");
    struct file_writer *one = NULL, *other = NULL;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_writer_open(&one, path));
    CHECK_OK(file_writer_open(&other, path));
    CHECK(hostile_files(folder) == 2);
    CHECK_OK(file_writer_write(one, "one", 3));
    CHECK_OK(file_writer_write(other, "other", 5));
    CHECK_OK(file_writer_commit(one));
    CHECK_OK(file_writer_commit(other));
    file_writer_free(one);
    file_writer_free(other);
    CHECK_OK(file_read(&bytes, &length, path, 100));
    CHECK(length == 5 && memcmp(bytes, "other", 5) == 0);
    memory_free(bytes);
    CHECK(hostile_files(folder) == 1);
    unlink(path);
}

static void test_lock(const char *folder)
{
    const char *path = hostile_path(folder, "lock");
    struct lock *lock = NULL, *second = NULL;
    char process[64];
    int ends[2];
    CHECK_OK(lock_take(&lock, path, "runs/cora"));
    snprintf(process, sizeof process, "runs/cora is in use by process %ld", (long)getpid());
    CHECK_FAILS(lock_take(&second, path, "runs/cora"), GRACO_ERROR_IO, process);
    CHECK(second == NULL && file_exists(path));
    lock_free(lock);
    lock_free(NULL);
    CHECK(!file_exists(path));
    CHECK_FAILS(lock_take(&lock, hostile_path(folder, "none/lock"), "none"), GRACO_ERROR_IO,
                "none/lock");

    /* Killed with the lock held: the file stays, the lock does not. */
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        bool taken = lock_take(&lock, path, "x") == GRACO_OK;
        if (write(ends[1], taken ? "y" : "n", 1) == 1)
            pause();
        _exit(0);
    }
    char answer = 0;
    CHECK(read(ends[0], &answer, 1) == 1 && answer == 'y');
    CHECK_FAILS(lock_take(&second, path, "x"), GRACO_ERROR_IO, "in use by process");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(file_exists(path));
    CHECK_OK(lock_take(&second, path, "x"));
    lock_free(second);
    CHECK(hostile_files(folder) == 0);
    close(ends[0]);
    close(ends[1]);
}

/* A user's own file where the lock would be stays, whatever it is. */
static void test_lock_of_others(const char *folder)
{
    static const char *const texts[] = {
        "my notes", "12 monkeys", "12\n\n", "\n", "-5\n", "123456789012345678901234567890\n"};
    const char *path = hostile_path(folder, "lock"), *other = hostile_path(folder, "other");
    struct lock *lock = NULL;
    struct stat about;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_OK(file_write_atomic(path, texts[i], (int64_t)strlen(texts[i])));
        CHECK_FAILS(lock_take(&lock, path, "run"), GRACO_ERROR_IO, "lock is not a lock that");
        CHECK_OK(file_read(&bytes, &length, path, 100));
        CHECK(length == (int64_t)strlen(texts[i]) && strcmp((char *)bytes, texts[i]) == 0);
        memory_free(bytes);
    }
    unlink(path);
    touch(other);
    CHECK(symlink("other", path) == 0);
    CHECK_FAILS(lock_take(&lock, path, "run"), GRACO_ERROR_IO, "it is a symbolic link");
    CHECK(lstat(path, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(stat(other, &about) == 0 && about.st_size == 4);
    unlink(path);
    unlink(other);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK_FAILS(lock_take(&lock, path, "run"), GRACO_ERROR_IO, "lock is not a lock that");
    CHECK(file_exists(path) && !lock);
    unlink(path);

    /* What killed trainings leave is taken over: cut after the open, before and after the newline. */
    static const char *const left[] = {"", "12", "99999999\n"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        CHECK_OK(file_write_atomic(path, left[i], (int64_t)strlen(left[i])));
        CHECK_OK(lock_take(&lock, path, "run"));
        char mine[32];
        snprintf(mine, sizeof mine, "%ld\n", (long)getpid());
        CHECK_OK(file_read(&bytes, &length, path, 100));
        CHECK(strcmp((char *)bytes, mine) == 0 && length == (int64_t)strlen(mine));
        memory_free(bytes);
        lock_free(lock);
        CHECK(!file_exists(path));
    }
}

/* The new file is for whom the old one was, from its first byte on. */
static void test_permissions(const char *folder)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0444};
    const char *path = hostile_path(folder, "private");
    struct stat about;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct file_writer *writer = NULL;
        char kept[700];
        touch(path);
        CHECK(chmod(path, modes[i]) == 0);
        bool root = geteuid() == 0;
        CHECK(!root || chown(path, 65534, 65533) == 0);
        CHECK_OK(file_writer_open(&writer, path));
        struct file_list list;
        CHECK_OK(file_list_folder(&list, folder));
        CHECK(list.count == 2);
        snprintf(kept, sizeof kept, "%s/%s", folder, list.names[1]);
        CHECK(stat(kept, &about) == 0 && (about.st_mode & 0777) == modes[i]);
        file_list_clear(&list);
        CHECK_OK(file_writer_commit(writer));
        file_writer_free(writer);
        CHECK(stat(path, &about) == 0 && (about.st_mode & 07777) == modes[i]);
        CHECK(!root || (about.st_uid == 65534 && about.st_gid == 65533));
        unlink(path);
    }
    mode_t mask = umask(022);
    CHECK_OK(file_write_atomic(path, "new", 3));
    umask(mask);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0644);
    unlink(path);
}

int main(void)
{
    const char *folder = fixture_folder();
    test_sweep(folder);
    test_sweep_folder(folder);
    test_both(folder);
    test_lock(folder);
    test_lock_of_others(folder);
    test_permissions(folder);
    return check_result();
}
