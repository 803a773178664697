/* Every block comes from one call of aligned_alloc, a large one with a wish for huge pages. What the
 * system can still give is read from the files in which it says so, before work that may need more. */
#define _DEFAULT_SOURCE /* madvise */

#include "base/memory.h"

#include "graco.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Blocks from this size on ask for huge pages: a large graph touches too many small ones. */
enum { HUGE_BLOCK = 8 << 20, PAGE = 4096 };

static graco_status block_bytes(size_t *out, int64_t count, size_t size)
{
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX - MEMORY_ALIGNMENT) / size))
        return status_fail(GRACO_ERROR_MEMORY, "cannot allocate %lld items of %zu bytes: too large",
                           (long long)count, size);
    size_t bytes = (size_t)count * size;
    bytes += (bytes == 0);
    *out = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    return GRACO_OK;
}

static void ask_for_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
    if (bytes >= HUGE_BLOCK)
        (void)madvise((void *)first, (bytes - PAGE) / PAGE * PAGE, MADV_HUGEPAGE); /* a wish */
#else
    (void)block, (void)bytes;
#endif
}

graco_status memory_alloc(void *out, int64_t count, size_t size)
{
    void *block = NULL;
    size_t bytes = 0;
    memcpy(out, &block, sizeof block);
    PASS(block_bytes(&bytes, count, size));
    block = aligned_alloc(MEMORY_ALIGNMENT, bytes);
    if (!block)
        return status_fail(GRACO_ERROR_MEMORY, "out of memory: %zu bytes were refused", bytes);
    ask_for_huge_pages(block, bytes);
    memcpy(out, &block, sizeof block);
    return GRACO_OK;
}

graco_status memory_zalloc(void *out, int64_t count, size_t size)
{
    PASS(memory_alloc(out, count, size));
    void *block;
    memcpy(&block, out, sizeof block);
    memset(block, 0, (size_t)count * size);
    return GRACO_OK;
}

graco_status memory_grow(void *block, int64_t old_count, int64_t new_count, size_t size)
{
    void *old, *new;
    memcpy(&old, block, sizeof old);
    PASS(memory_alloc(&new, new_count, size));
    if (old)
        memcpy(new, old, (size_t)(old_count < new_count ? old_count : new_count) * size);
    memory_free(old);
    memcpy(block, &new, sizeof new);
    return GRACO_OK;
}

graco_status memory_reserve(void *block, int64_t *room, int64_t kept, int64_t count, size_t size)
{
    void *old;
    memcpy(&old, block, sizeof old);
    if (old && count <= *room)
        return GRACO_OK;
    PASS(memory_grow(block, kept, count + count / 8, size));
    *room = count + count / 8;
    return GRACO_OK;
}

graco_status memory_string(char **out, const char *text)
{
    size_t length = strlen(text) + 1;
    PASS(memory_alloc(out, (int64_t)length, 1));
    memcpy(*out, text, length);
    return GRACO_OK;
}

graco_status memory_path(char **out, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    while (a > 1 && folder[a - 1] == '/')
        a--;
    PASS(memory_alloc(out, (int64_t)(a + b + 2), 1));
    memcpy(*out, folder, a);
    (*out)[a] = '/';
    memcpy(*out + a + 1, name, b + 1);
    return GRACO_OK;
}

enum { SYSTEM_TEXT = 4096 };

/* Reads a small file of the system; whether it is there. */
static bool system_text(char text[SYSTEM_TEXT], const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    text[fread(text, 1, SYSTEM_TEXT - 1, file)] = 0;
    fclose(file);
    return true;
}

/* The number after `key` in such a file, in the file's unit; -1 if there is none. */
static int64_t system_number(const char *path, const char *key)
{
    char text[SYSTEM_TEXT];
    if (!system_text(text, path))
        return -1;
    const char *at = strstr(text, key);
    if (!at)
        return -1;
    at += strlen(key);
    at += strspn(at, " ");
    /* A limit of "max" is none. */
    return *at >= '0' && *at <= '9' ? (int64_t)strtoll(at, NULL, 10) : -1;
}

/* The least limit of the process's control group and of those that it lies in, which `file` of their folders under
 * `root` has; the line of /proc/self/cgroup with `mark` ends with the group's path. A container may see its own group as the
 * root alone. INT64_MAX: there is none. */
static int64_t group_limit(const char *mark, const char *root, const char *file)
{
    char groups[SYSTEM_TEXT] = "", path[SYSTEM_TEXT + 64];
    int64_t least = INT64_MAX;
    system_text(groups, "/proc/self/cgroup");
    char *group = strstr(groups, mark);
    group = group ? group + strlen(mark) : groups + strlen(groups);
    group[strcspn(group, "\n")] = 0;
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        int64_t limit = system_number(path, "");
        if (limit >= 0 && limit < least)
            least = limit;
        char *last = strrchr(group, '/');
        if (!last)
            return least;
        *last = 0;
    }
}

int64_t memory_available(void)
{
    int64_t available = INT64_MAX, swap = system_number("/proc/meminfo", "SwapFree:");
    int64_t free_now = system_number("/proc/meminfo", "MemAvailable:");
    int64_t group = group_limit("0::", "/sys/fs/cgroup", "memory.max");
    struct rlimit own;
    if (free_now >= 0)
        available = 1024 * (free_now + (swap > 0 ? swap : 0));
    if (group == INT64_MAX) /* the older hierarchy */
        group = group_limit(":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes");
    if (group < available)
        available = group;
    if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY &&
        own.rlim_cur < (uint64_t)available)
        available = (int64_t)own.rlim_cur;
    return available;
}

int64_t memory_resident(void)
{
    int64_t kilobytes = system_number("/proc/self/status", "VmRSS:\t");
    return kilobytes > 0 ? 1024 * kilobytes : 0;
}

graco_status memory_expect(double bytes, const char *what)
{
    int64_t available = memory_available();
    const double gib = 0x1p30;
    if (!(bytes > (double)available))
        return GRACO_OK;
    return status_fail(GRACO_ERROR_MEMORY,
                       "%s takes at least %.1f GiB of memory; the system can give %.1f GiB", what,
                       bytes / gib, (double)available / gib);
}

void memory_free(void *block)
{
    free(block);
}
