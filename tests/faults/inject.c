/* A library to be loaded before all others (LD_PRELOAD) that makes the nth call of a kind fail.
 *
 * $GRACO_FAULT is KIND:N:WHAT[:on]. KIND names a family of calls below; N counts from 1 in the
 * order of the calls since main began; WHAT is an error number; or "short": a read or write of one
 * byte; or "kill": the process is killed there; or "hang": the call never returns, whatever signals
 * come, after a line to $GRACO_FAULT_FD. With ":on" all later calls fail too, as on a disk that stays full. At the end one line goes
 * to descriptor $GRACO_FAULT_FD: how many calls there were of the kind, how many failed, and how
 * many blocks that graco and the libraries below it allocated were never freed; of KIND "each", with which no call
 * fails, also "KIND=N" for each kind of which there were N calls.
 *
 * $GRACO_FAULT_KEEP is a folder that gets a link to every file that is renamed: all the versions of
 * all the files that a command writes.
 *
 * Left out are what happens before main, the dynamic linker, and libraries that are loaded later:
 * OpenBLAS with libgfortran and libgomp, which end the process by themselves when they have no
 * memory, also while they are loaded; what sanitizers ask of a new thread; and calls within the C library, such as stdio's own writes, which cannot be replaced from outside:
 * tests/faults/test_outputs.sh looks after those. */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 1 << 18, RANGES = 64, EARLY = 1 << 16, KINDS = 32 };

enum owner { OWNER_OTHER, OWNER_LEFT_OUT, OWNER_GRACO, OWNER_ZIP };

/* One segment of a loaded object. */
struct range {
    uintptr_t first, last;
    enum owner owner;
};

static struct range ranges[RANGES];
static int range_count;
static bool running;
/* A library is being loaded, or a sanitizer looks at its thread. The C library allocates for them, as strdup does for
 * libgfortran's constructors, so the caller of an allocation does not tell whose it is. */
static _Thread_local bool spared;

static char fault_kind[16];
static long fault_at = -1, fault_calls, fault_hits;
static int fault_error;
static bool fault_short, fault_kill, fault_hang, fault_on;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
/* Live blocks of graco and of libzip, by hash, with open addressing. */
static struct {
    const void *block;
    enum owner owner;
} blocks[BLOCKS];
static char removed; /* marks a slot whose block is gone */
static long live[2]; /* how many are not: graco's, libzip's */

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The function of the next library, looked up at the first call. */
#define REAL(type, name, ...)                                                                      \
    static type (*next)(__VA_ARGS__);                                                              \
    if (!next) {                                                                                   \
        void *found = real(name);                                                                  \
        memcpy(&next, &found, sizeof next);                                                        \
    }

/* ---- Whose call it is ------------------------------------------------------------------------ */

static enum owner owner_of(const char *path)
{
    if (!*path)
        return OWNER_GRACO; /* the program itself has no name */
    if (strstr(path, "libzip") || strstr(path, "libz."))
        return OWNER_ZIP;
    if (strstr(path, "libgomp") || strstr(path, "ld-linux") || strstr(path, "libasan") ||
        strstr(path, "libubsan"))
        return OWNER_LEFT_OUT;
    return OWNER_OTHER;
}

static int add_ranges(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size, (void)user;
    for (int i = 0; i < object->dlpi_phnum && range_count < RANGES; i++) {
        uintptr_t first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & PF_X))
            ranges[range_count++] = (struct range){first, first + object->dlpi_phdr[i].p_memsz,
                                                   owner_of(object->dlpi_name)};
    }
    return 0;
}

static enum owner caller(const void *address)
{
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)address >= ranges[i].first && (uintptr_t)address < ranges[i].last)
            return ranges[i].owner;
    return OWNER_LEFT_OUT; /* loaded since the start: OpenBLAS and what it brings along */
}

/* What is no failure of the call: the process ends here, or hangs until a signal ends it. */
static void stay(void)
{
    const char *fd = getenv("GRACO_FAULT_FD");
    if (fault_kill)
        raise(SIGKILL);
    if (fault_hang && fd && write(atoi(fd), "hangs\n", 6) != 6)
        return;
    while (fault_hang)
        pause();
}

/* The calls of each kind, where KIND is "each". */
static struct {
    const char *kind;
    long calls;
} counted[KINDS];

static void count(const char *kind)
{
    int i = 0;
    pthread_mutex_lock(&guard);
    while (i < KINDS - 1 && counted[i].kind && strcmp(counted[i].kind, kind) != 0)
        i++;
    counted[i].kind = kind;
    counted[i].calls++;
    pthread_mutex_unlock(&guard);
}

/* Counts a call; true if it must fail, with errno set. */
static bool fails(const char *kind)
{
    if (!running || spared || fault_at < 0)
        return false;
    if (strcmp(fault_kind, "each") == 0)
        count(kind);
    if (strcmp(kind, fault_kind) != 0)
        return false;
    pthread_mutex_lock(&guard);
    long call = ++fault_calls;
    bool hit = call == fault_at || (fault_on && call > fault_at);
    fault_hits += hit;
    pthread_mutex_unlock(&guard);
    if (hit)
        stay();
    errno = hit ? fault_error : errno;
    return hit;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t slot_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 32) % BLOCKS;
}

static void *note(void *block, enum owner owner)
{
    if (!block || !running || (owner != OWNER_GRACO && owner != OWNER_ZIP))
        return block;
    pthread_mutex_lock(&guard);
    size_t slot = slot_of(block);
    while (blocks[slot].block && blocks[slot].block != &removed)
        slot = (slot + 1) % BLOCKS;
    blocks[slot].block = block;
    blocks[slot].owner = owner;
    live[owner == OWNER_ZIP]++;
    pthread_mutex_unlock(&guard);
    return block;
}

static void forget(const void *block)
{
    if (!block || !running)
        return;
    pthread_mutex_lock(&guard);
    for (size_t slot = slot_of(block); blocks[slot].block; slot = (slot + 1) % BLOCKS)
        if (blocks[slot].block == block) {
            blocks[slot].block = &removed;
            live[blocks[slot].owner == OWNER_ZIP]--;
            break;
        }
    pthread_mutex_unlock(&guard);
}

/* "alloc" is of all that is not left out, "own" of graco's program alone: MPI allocates a hundred times as often. */
static bool refuses(enum owner owner)
{
    return running && owner != OWNER_LEFT_OUT &&
           (fails("alloc") || (owner == OWNER_GRACO && fails("own")));
}

/* dlsym may allocate while it looks for the real functions. */
static char early[EARLY];
static size_t early_used;
static bool looking;

static bool is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + EARLY;
}

static void *early_alloc(size_t size)
{
    size_t at = (early_used + 63) / 64 * 64;
    early_used = at + size;
    return early_used <= EARLY ? early + at : NULL;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} memory;

static bool memory_ready(void)
{
    static const char *const names[] = {"malloc",        "calloc",         "realloc",
                                        "aligned_alloc", "posix_memalign", "free"};
    if (memory.free)
        return true;
    if (looking)
        return false;
    looking = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = real(names[i]);
        memcpy((char *)&memory + i * sizeof found, &found, sizeof found);
    }
    looking = false;
    return true;
}

void *malloc(size_t size)
{
    enum owner owner = caller(__builtin_return_address(0));
    if (!memory_ready())
        return early_alloc(size);
    return refuses(owner) ? NULL : note(memory.malloc(size), owner);
}

void *calloc(size_t count, size_t size)
{
    enum owner owner = caller(__builtin_return_address(0));
    if (!memory_ready())
        return early_alloc(count * size);
    return refuses(owner) ? NULL : note(memory.calloc(count, size), owner);
}

void *realloc(void *block, size_t size)
{
    enum owner owner = caller(__builtin_return_address(0));
    if (!memory_ready() || is_early(block)) {
        void *copy = early_alloc(size);
        if (copy && block)
            memcpy(copy, block, size < EARLY ? size : EARLY);
        return copy;
    }
    if (refuses(owner))
        return NULL;
    forget(block);
    return note(memory.realloc(block, size), owner);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    enum owner owner = caller(__builtin_return_address(0));
    memory_ready();
    return refuses(owner) ? NULL : note(memory.aligned_alloc(alignment, size), owner);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    enum owner owner = caller(__builtin_return_address(0));
    memory_ready();
    if (refuses(owner))
        return ENOMEM;
    int code = memory.posix_memalign(out, alignment, size);
    if (code == 0)
        note(*out, owner);
    return code;
}

void free(void *block)
{
    if (is_early(block) || !memory_ready())
        return;
    forget(block);
    memory.free(block);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Keeps a version of a file that has just got its name. */
static void keep(const char *path)
{
    static int versions;
    const char *folder = getenv("GRACO_FAULT_KEEP"), *slash = strrchr(path, '/');
    char name[4096];
    if (!folder)
        return;
    snprintf(name, sizeof name, "%s/%d-%s", folder, versions++, slash ? slash + 1 : path);
    if (link(path, name) != 0)
        return; /* a folder */
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t)
    if (fd > 2 && fails("write")) {
        if (!fault_short || size == 0)
            return -1;
        size = 1;
    }
    return next(fd, bytes, size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    REAL(ssize_t, "read", int, void *, size_t)
    if (fails("read")) {
        if (!fault_short || size == 0)
            return -1;
        size = 1;
    }
    return next(fd, bytes, size);
}

int fsync(int fd)
{
    REAL(int, "fsync", int)
    return fails("sync") ? -1 : next(fd);
}

int fdatasync(int fd)
{
    REAL(int, "fdatasync", int)
    return fails("sync") ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *)
    if (fails("rename"))
        return -1;
    int code = next(from, to);
    if (code == 0)
        keep(to);
    return code;
}

/* The descriptor is gone also where close fails, as on Linux. */
int close(int fd)
{
    REAL(int, "close", int)
    bool fail = fails("close");
    int error = errno, code = next(fd);
    if (!fail)
        return code;
    errno = error;
    return -1;
}

int open(const char *path, int flags, ...)
{
    REAL(int, "open", const char *, int, ...)
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails("open") ? -1 : next(path, flags, mode);
}

DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", const char *)
    return fails("open") ? NULL : next(path);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t)
    return fails("mkdir") ? -1 : next(path, mode);
}

int ftruncate(int fd, off_t length)
{
    REAL(int, "ftruncate", int, off_t)
    return fails("truncate") ? -1 : next(fd, length);
}

int fchmod(int fd, mode_t mode)
{
    REAL(int, "fchmod", int, mode_t)
    return fails("chmod") ? -1 : next(fd, mode);
}

int getentropy(void *bytes, size_t length)
{
    REAL(int, "getentropy", void *, size_t)
    return fails("random") ? -1 : next(bytes, length);
}

int flock(int fd, int operation)
{
    REAL(int, "flock", int, int)
    return fails("lock") ? -1 : next(fd, operation);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t)
    if (fd >= 0 && fails("mmap"))
        return MAP_FAILED;
    return next(at, length, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    bool ours = caller(__builtin_return_address(0)) != OWNER_LEFT_OUT;
    return ours && fails("thread") ? fault_error : next(thread, attributes, run, user);
}

void *dlopen(const char *path, int mode)
{
    REAL(void *, "dlopen", const char *, int)
    spared = true;
    void *library = next(path, mode);
    spared = false;
    return library;
}

/* Asked by a sanitizer in every new thread, whose process ends if it fails. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    REAL(int, "pthread_getattr_np", pthread_t, pthread_attr_t *)
    bool before = spared;
    spared = true;
    int code = next(thread, attributes);
    spared = before;
    return code;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void read_fault(const char *text)
{
    char what[32] = "", on[8] = "";
    if (!text || sscanf(text, "%15[^:]:%ld:%31[^:]:%7s", fault_kind, &fault_at, what, on) < 3)
        return;
    fault_short = strcmp(what, "short") == 0;
    fault_kill = strcmp(what, "kill") == 0;
    fault_hang = strcmp(what, "hang") == 0;
    fault_error = fault_short ? 0 : atoi(what);
    fault_on = strcmp(on, "on") == 0;
}

static int (*program)(int, char **, char **);

static int begin(int argc, char **argv, char **environment)
{
    dl_iterate_phdr(add_ranges, NULL);
    read_fault(getenv("GRACO_FAULT"));
    unsetenv("LD_PRELOAD");
    running = true;
    return program(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack)
{
    REAL(int, "__libc_start_main", int (*)(int, char **, char **), int, char **, void (*)(void),
         void (*)(void), void (*)(void), void *)
    program = main;
    return next(begin, argc, argv, init, fini, rtld_fini, stack);
}

__attribute__((destructor)) static void end(void)
{
    const char *fd = getenv("GRACO_FAULT_FD");
    char text[1024];
    running = false;
    int length =
        snprintf(text, sizeof text, "%ld %ld %ld %ld", fault_calls, fault_hits, live[0], live[1]);
    for (int i = 0; i < KINDS && counted[i].kind; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %s=%ld", counted[i].kind,
                           counted[i].calls);
    text[length++] = '\n';
    if (fd && write(atoi(fd), text, (size_t)length) != length)
        return; /* the reader misses the line, and says so */
}
