/* Whole reads, maps, atomic writes, folders. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/folder.h"

#include "hostile.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

static void test_read_and_map(const char *folder)
{
    const char *path = hostile_path(folder, "a");
    uint8_t *bytes = NULL;
    int64_t length = 0;
    struct file_map map;
    CHECK_OK(file_write_atomic(path, "hello", 5));
    CHECK_OK(file_read(&bytes, &length, path, 5));
    CHECK(length == 5 && memcmp(bytes, "hello", 6) == 0);
    memory_free(bytes);
    CHECK_FAILS(file_read(&bytes, &length, path, 4), GRACO_ERROR_FORMAT, "at most 4");
    CHECK(bytes == NULL);
    CHECK_OK(file_map_open(&map, path));
    CHECK(map.length == 5 && memcmp(map.data, "hello", 5) == 0);
    file_map_close(&map);
    file_map_close(&map);

    CHECK_OK(file_write_atomic(path, "", 0));
    CHECK_OK(file_read(&bytes, &length, path, 0));
    CHECK(length == 0 && bytes[0] == 0);
    memory_free(bytes);
    CHECK_OK(file_map_open(&map, path));
    CHECK(map.data != NULL && map.length == 0);
    file_map_close(&map);
    unlink(path);
}

static void test_refusals(const char *folder)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    struct file_map map;
    const char *missing = hostile_path(folder, "missing");
    const char *inside = hostile_path(folder, "missing/file");
    CHECK_FAILS(file_read(&bytes, &length, missing, 10), GRACO_ERROR_IO, "missing");
    CHECK_FAILS(file_map_open(&map, missing), GRACO_ERROR_IO, "No such file");
    CHECK_FAILS(file_read(&bytes, &length, folder, 10), GRACO_ERROR_IO, "folder");
    CHECK_FAILS(file_write_atomic(inside, "x", 1), GRACO_ERROR_IO, "No such file");
    CHECK_FAILS(file_write_atomic(folder, "x", 1), GRACO_ERROR_IO, "folder");
    CHECK_FAILS(file_write_atomic("", "x", 1), GRACO_ERROR_IO, "folder");
    CHECK_FAILS(file_make_folder(inside), GRACO_ERROR_IO, "missing");
    CHECK(hostile_files(folder) == 0);
    CHECK(mkfifo(missing, 0600) == 0); /* must not wait for a writer */
    CHECK_FAILS(file_read(&bytes, &length, missing, 10), GRACO_ERROR_IO, "regular");
    unlink(missing);
}

/* The rename of an atomic write would replace a pipe or a device: it is refused, also behind a
 * link, and stays as it is. */
static void test_targets(const char *folder)
{
    const char *pipe = hostile_path(folder, "pipe"), *link = hostile_path(folder, "link");
    struct folder *made = NULL;
    struct stat about;
    CHECK(mkfifo(pipe, 0600) == 0 && symlink("pipe", link) == 0);
    CHECK_FAILS(file_write_atomic(pipe, "x", 1), GRACO_ERROR_IO, "it is a pipe (FIFO); expected");
    CHECK_FAILS(file_write_atomic(link, "x", 1), GRACO_ERROR_IO, "it is a pipe (FIFO); expected");
    CHECK_FAILS(folder_begin(&made, pipe), GRACO_ERROR_IO, "pipe (FIFO); expected a folder");
    CHECK(stat(pipe, &about) == 0 && S_ISFIFO(about.st_mode));
    CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    unlink(link);
    CHECK(symlink("/dev/null", link) == 0);
    CHECK_FAILS(file_write_atomic(link, "x", 1), GRACO_ERROR_IO, "it is a device; expected a file");
    unlink(link);
    unlink(pipe);
    CHECK_OK(file_write_atomic(pipe, "old", 3));
    CHECK_FAILS(folder_begin(&made, pipe), GRACO_ERROR_IO, "it is a file; expected a folder");
    unlink(pipe);
    CHECK(!made && hostile_files(folder) == 0);
}

static void test_writer(const char *folder)
{
    const char *path = hostile_path(folder, "big");
    struct file_writer *writer = NULL;
    enum { PIECES = 3000 };
    char piece[777];
    CHECK_OK(file_write_atomic(path, "old", 3));
    CHECK_OK(file_writer_open(&writer, path));
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        CHECK(file_writer_write(writer, piece, i % 778) == GRACO_OK);
    }
    file_writer_free(writer); /* never committed: the old file stays, alone */
    CHECK(hostile_files(folder) == 1);
    uint8_t *bytes = NULL;
    int64_t length = 0, expected = 0;
    CHECK_OK(file_read(&bytes, &length, path, 100));
    CHECK(length == 3 && memcmp(bytes, "old", 3) == 0);
    memory_free(bytes);

    CHECK_OK(file_writer_open(&writer, path));
    for (int i = 0; i < PIECES; i++) {
        memset(piece, 'a' + i % 26, sizeof piece);
        CHECK(file_writer_write(writer, piece, i % 778) == GRACO_OK);
    }
    char *large = calloc(1, 1 << 20); /* past the buffer */
    CHECK_OK(file_writer_write(writer, large, 1 << 20));
    free(large);
    CHECK_OK(file_writer_commit(writer));
    CHECK_FAILS(file_writer_write(writer, "x", 1), GRACO_ERROR_ARGUMENT, "complete");
    file_writer_free(writer);
    CHECK_OK(file_read(&bytes, &length, path, 1 << 24));
    bool same = true;
    for (int i = 0; i < PIECES; i++)
        for (int k = 0; k < i % 778; k++, expected++)
            same &= bytes[expected] == 'a' + i % 26;
    CHECK(same && length == expected + (1 << 20) && bytes[length - 1] == 0);
    memory_free(bytes);
    CHECK(hostile_files(folder) == 1);
    unlink(path);
}

/* A full disk, played by a limit on the size of files. */
static void test_full_disk(const char *folder)
{
    const char *path = hostile_path(folder, "full");
    struct rlimit kept, small;
    char *bytes = calloc(1, 1 << 20);
    CHECK_OK(file_write_atomic(path, "old", 3));
    getrlimit(RLIMIT_FSIZE, &kept);
    small = kept;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_FAILS(file_write_atomic(path, bytes, 1 << 20), GRACO_ERROR_IO, "cannot write");
    CHECK_FAILS(file_write_atomic(path, bytes, 2000), GRACO_ERROR_IO, "cannot write");
    setrlimit(RLIMIT_FSIZE, &kept);
    CHECK(hostile_files(folder) == 1);
    uint8_t *content = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&content, &length, path, 100));
    CHECK(length == 3);
    memory_free(content);
    free(bytes);
    unlink(path);
}

static void test_folders(const char *folder)
{
    static const char *const names[] = {"b", "a", "Z", "aa", "10", "9"};
    static const char *const sorted[] = {"10", "9", "Z", "a", "aa", "b"};
    struct file_list list;
    CHECK_OK(file_list_folder(&list, folder));
    CHECK(list.count == 0);
    file_list_clear(&list);
    for (int i = 0; i < 6; i++)
        CHECK_OK(file_write_atomic(hostile_path(folder, names[i]), "", 0));
    CHECK_OK(file_list_folder(&list, folder));
    CHECK(list.count == 6);
    for (int i = 0; i < 6 && list.count == 6; i++)
        CHECK(strcmp(list.names[i], sorted[i]) == 0);
    file_list_clear(&list);
    file_list_clear(NULL);
    CHECK_FAILS(file_list_folder(&list, hostile_path(folder, "none")), GRACO_ERROR_IO, "none");
    CHECK(file_exists(folder) && file_is_folder(folder));
    CHECK(file_exists(hostile_path(folder, "a")) && !file_is_folder(hostile_path(folder, "a")));
    CHECK(!file_exists(hostile_path(folder, "none")));
    CHECK_OK(file_make_folder(hostile_path(folder, "new")));
    CHECK_OK(file_make_folder(hostile_path(folder, "new")));
    CHECK_FAILS(file_make_folder(hostile_path(folder, "a")), GRACO_ERROR_IO, "exists");
    rmdir(hostile_path(folder, "new"));
}

/* It is synced after a name in it was made: the folder itself in its place would not do. */
static void test_parents(void)
{
    static const char *const rows[][2] = {
        {"run", "."},       {"run/", "."},       {"run//", "."},    {"a/run", "a"},
        {"a/b/run", "a/b"}, {"a/b/run/", "a/b"}, {"a/run//", "a"},  {"/run", "/"},
        {"/run/", "/"},     {"/a/run/", "/a"},   {"./run/", "."},   {"../", "."},
        {"/", "/"},         {"//", "/"},         {"a//run/", "a/"}, {"", "."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *parent = NULL;
        CHECK_OK(file_parent(&parent, rows[i][0]));
        CHECK(parent && strcmp(parent, rows[i][1]) == 0);
        memory_free(parent);
    }
}

int main(void)
{
    const char *folder = fixture_folder();
    test_read_and_map(folder);
    test_refusals(folder);
    test_targets(folder);
    test_writer(folder);
    test_full_disk(folder);
    test_folders(folder);
    test_parents();
    return check_result();
}
