#include "base/memory.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static bool aligned(const void *block)
{
    return (uintptr_t)block % MEMORY_ALIGNMENT == 0;
}

static void blocks(void)
{
    for (int64_t count = 0; count < 300; count += 7) {
        unsigned char *plain = NULL, *zeros = NULL;
        CHECK_OK(memory_alloc(&plain, count, 3));
        CHECK_OK(memory_zalloc(&zeros, count, 3));
        CHECK(plain && zeros && aligned(plain) && aligned(zeros));
        memset(plain, 1, (size_t)count * 3);
        int64_t sum = 0;
        for (int64_t i = 0; i < 3 * count; i++)
            sum += zeros[i];
        CHECK(sum == 0);
        memory_free(plain);
        memory_free(zeros);
    }
    memory_free(NULL);
}

/* Nothing, of items that have a size or have none, is a block that can be freed. */
static void zero_sizes(void)
{
    double *none = NULL;
    CHECK_OK(memory_alloc(&none, 0, sizeof *none));
    CHECK(none && aligned(none));
    memory_free(none);
    CHECK_OK(memory_zalloc(&none, 1000, 0));
    CHECK(none);
    memory_free(none);
    none = NULL;
    CHECK_OK(memory_grow(&none, 0, 0, sizeof *none));
    CHECK(none);
    memory_free(none);
}

static void overflow(void)
{
    const struct {
        int64_t count;
        size_t size;
    } cases[] = {
        {-1, 1},
        {INT64_MIN, 1},
        {INT64_MAX, 3},
        {(int64_t)1 << 62, 4},
        {1, SIZE_MAX},
        {1, SIZE_MAX - 63},
        {(int64_t)1 << 32, (size_t)1 << 32},
        {2, SIZE_MAX / 2},
        {INT64_MAX, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char here = 0, *block = &here;
        CHECK_FAILS(memory_alloc(&block, cases[i].count, cases[i].size), GRACO_ERROR_MEMORY,
                    "too large");
        CHECK(!block);
        block = &here;
        CHECK_FAILS(memory_zalloc(&block, cases[i].count, cases[i].size), GRACO_ERROR_MEMORY,
                    "too large");
        CHECK(!block);
    }
}

static void growth(void)
{
    int32_t *items = NULL, *kept;
    int64_t room = 0;
    bool same = true;
    for (int32_t i = 0; i < 1000; i++) {
        if (i == room) {
            CHECK_OK(memory_grow(&items, room, 2 * room + 1, sizeof *items));
            room = 2 * room + 1;
        }
        items[i] = i;
    }
    for (int32_t i = 0; i < 1000; i++)
        same = same && items[i] == i;
    CHECK(same && aligned(items));
    CHECK_OK(memory_grow(&items, room, 10, sizeof *items)); /* down as well */
    CHECK(items[0] == 0 && items[9] == 9);
    kept = items;
    CHECK_FAILS(memory_grow(&items, 10, INT64_MAX, sizeof *items), GRACO_ERROR_MEMORY, "too large");
    CHECK(items == kept && items[9] == 9);
    memory_free(items);
}

/* Memory that is used again: it grows to the largest use, with an eighth to spare, and stays. */
static void reserved(void)
{
    int32_t *items = NULL, *kept;
    int64_t room = 0;
    CHECK_OK(memory_reserve(&items, &room, 0, 0, sizeof *items));
    CHECK(items && room == 0);
    CHECK_OK(memory_reserve(&items, &room, 0, 80, sizeof *items));
    CHECK(room == 90 && aligned(items));
    kept = items;
    for (int32_t i = 0; i < 90; i++)
        items[i] = i;
    CHECK_OK(memory_reserve(&items, &room, 0, 90, sizeof *items));
    CHECK(items == kept && room == 90);
    CHECK_OK(memory_reserve(&items, &room, 90, 91, sizeof *items));
    CHECK(room == 102 && items[0] == 0 && items[89] == 89);
    kept = items;
    CHECK_FAILS(memory_reserve(&items, &room, 0, (int64_t)1 << 62, sizeof *items),
                GRACO_ERROR_MEMORY, "too large");
    CHECK(items == kept && room == 102);
    memory_free(items);
}

static void strings(void)
{
    static const char *const cases[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a//", "b", "a/b"}, {"a/b", "c.npy", "a/b/c.npy"},
        {".", "b", "./b"}, {"/", "b", NULL},   {"///", "b", NULL},  {"/x", "b", "/x/b"},
        {"a", "", "a/"},
    };
    char *text = NULL;
    CHECK_OK(memory_string(&text, ""));
    CHECK(strcmp(text, "") == 0);
    memory_free(text);
    CHECK_OK(memory_string(&text, "graph"));
    CHECK(strcmp(text, "graph") == 0);
    memory_free(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(memory_path(&text, cases[i][0], cases[i][1]));
        if (cases[i][2])
            CHECK(strcmp(text, cases[i][2]) == 0);
        else /* the root keeps its slash; two of them mean the same */
            CHECK(strcmp(text + strspn(text, "/"), "b") == 0 && text[0] == '/');
        memory_free(text);
    }
}

/* The addresses that this process has; with sanitizers they are more than all memory. */
static int64_t addresses(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1);
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void available(void)
{
    int64_t bytes = memory_available(), limit = addresses() + (16 << 20);
    CHECK(bytes > 1 << 20); /* this runs, so there is some */
    CHECK_OK(memory_expect(1024, "a page"));
    CHECK_OK(memory_expect(-1, "nothing"));
    CHECK_FAILS(memory_expect(0x1p80, "a dream"), GRACO_ERROR_MEMORY, "a dream takes at least");
    struct rlimit own, less;
    CHECK(getrlimit(RLIMIT_AS, &own) == 0);
    less = own;
    less.rlim_cur = (rlim_t)limit;
    CHECK(setrlimit(RLIMIT_AS, &less) == 0);
    CHECK(memory_available() <= limit);
    CHECK(setrlimit(RLIMIT_AS, &own) == 0);
}

static bool put(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    bool right = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && right;
}

/* A group of the system's under this process's own, in its newer hierarchy or the older one; false: it may not be made. */
static bool make_group(char folder[512], const char *mark, const char *root)
{
    char line[512], group[256] = "";
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, mark);
        if (at)
            snprintf(group, sizeof group, "%.*s", (int)strcspn(at + strlen(mark), "\n"),
                     at + strlen(mark));
    }
    if (file)
        fclose(file);
    snprintf(folder, 512, "%s%s/graco-%d", root, group, (int)getpid());
    return mkdir(folder, 0777) == 0;
}

/* A limit counts that a group has in which the process's own lies. */
static void grouped(void)
{
    static const struct {
        const char *mark, *root, *limit;
    } kinds[] = {{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                 {"0::", "/sys/fs/cgroup", "memory.max"}};
    char folder[512], inner[520];
    bool tried = false;
    for (int k = 0; k < 2 && !tried; k++) {
        if (!make_group(folder, kinds[k].mark, kinds[k].root))
            continue;
        snprintf(inner, sizeof inner, "%s/inner", folder);
        tried = put(folder, kinds[k].limit, "314572800") && mkdir(inner, 0777) == 0;
        pid_t child = tried ? fork() : -1;
        if (child == 0)
            _exit(!put(inner, "cgroup.procs", "0") ? 2 : memory_available() <= 314572800 ? 0 : 1);
        int status = 0;
        if (child > 0) {
            CHECK(waitpid(child, &status, 0) == child);
            tried = WIFEXITED(status) && WEXITSTATUS(status) != 2;
            CHECK(!tried || WEXITSTATUS(status) == 0);
        }
        rmdir(inner);
        rmdir(folder);
    }
    if (!tried)
        printf("left out: control groups, of which this process may make none\n");
}

int main(void)
{
    available();
    grouped();
    blocks();
    zero_sizes();
    overflow();
    growth();
    reserved();
    strings();
    return check_result();
}
