/* Addresses come from one mapping that the system grants without memory: a page of it has some once it
 * is written. Serial parts of the CPU's kernels do write; what they wrote is thrown away whenever the
 * process is looked at, and reads as zeros from then on. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */

#include "compute/tally.h"

#include "base/memory.h"
#include "compute/device_scratch.h"

#include <string.h>
#include <sys/mman.h>

/* Sizes of the mapping: the largest that the system grants. */
enum { ROOM_MOST = 46, ROOM_LEAST = 36 };

/* Uploads up to this size are made: starts of rows are read to count entries. */
static const size_t COPIED_MOST = (size_t)1 << 28;

/* The process is looked at each time so many bytes have been taken. */
enum { LOOK_EVERY = 1 << 20 };

enum { PAGE = 4096 };

static graco_status take(struct tally *t, void *out, size_t bytes)
{
    size_t grain = bytes < PAGE ? MEMORY_ALIGNMENT : PAGE;
    size_t begin = (t->used + grain - 1) / grain * grain;
    if (begin > t->room || bytes > t->room - begin)
        return status_fail(GRACO_ERROR_MEMORY,
                           "cannot plan: the training takes more than %.0f GiB of addresses",
                           (double)t->room / 0x1p30);
    char *block = t->base + begin;
    t->used = begin + bytes;
    memcpy(out, &block, sizeof block);
    return GRACO_OK;
}

/* With so many bytes of buffers. */
static void look(struct tally *t, int64_t buffers)
{
    if (t->inner->host)
        madvise(t->base, t->used, MADV_DONTNEED);
    int64_t here = memory_resident() - (t->inner->host ? 0 : t->copied) + t->reserved;
    if (t->inner->host)
        here += buffers;
    else if (buffers > t->device_peak)
        t->device_peak = buffers;
    if (here > t->host_peak)
        t->host_peak = here;
    t->looked = 0;
}

void tally_look(struct tally *t, const struct context *c)
{
    look(t, c ? c->bytes : 0);
}

static graco_status tally_allocate(struct context *c, void *out, size_t bytes)
{
    struct tally *t = tally_of(c);
    PASS(take(t, out, bytes));
    t->looked += (int64_t)bytes;
    if (t->looked >= LOOK_EVERY)
        look(t, c->bytes + (int64_t)bytes);
    return GRACO_OK;
}

static void tally_release(struct context *c, void *block)
{
    (void)c, (void)block;
}

static graco_status tally_upload(struct context *c, void *to, const void *from, size_t bytes)
{
    struct tally *t = tally_of(c);
    if (bytes <= COPIED_MOST && !tally_owns(t, from)) {
        memcpy(to, from, bytes);
        t->copied += (int64_t)bytes;
    }
    return GRACO_OK;
}

static graco_status tally_download(struct context *c, void *to, const void *from, size_t bytes)
{
    (void)from;
    if (!tally_owns(tally_of(c), to))
        memset(to, 0, bytes);
    return GRACO_OK;
}

static graco_status tally_copy(struct context *c, void *to, const void *from, size_t bytes)
{
    (void)c, (void)to, (void)from, (void)bytes;
    return GRACO_OK;
}

static graco_status tally_zero(struct context *c, void *block, size_t bytes)
{
    (void)c, (void)block, (void)bytes;
    return GRACO_OK;
}

static const struct buffers buffers = {.allocate = tally_allocate,
                                       .release = tally_release,
                                       .upload = tally_upload,
                                       .download = tally_download,
                                       .copy = tally_copy,
                                       .zero = tally_zero};

/* As the CUDA back end does. */
static graco_status open_device(struct context *c)
{
    c->bytes = c->most_bytes = (int64_t)WORKSPACES * WORKSPACE_BYTES;
    return GRACO_OK;
}

/* Buffers that are held meanwhile are all that counts. */
static graco_status tally_turn(struct context *c, enum turn turn)
{
    (void)c, (void)turn;
    return GRACO_OK;
}

graco_status tally_init(struct tally *t, const struct backend *inner)
{
    *t = (struct tally){.inner = inner, .kernels = tally_kernels};
    if (!inner->kernels->propagate_sparse)
        t->kernels.propagate_sparse = NULL;
    if (!inner->host)
        tally_device_kernels(&t->kernels);
    t->backend = (struct backend){.name = inner->name,
                                  .dry = true,
                                  .host = inner->host,
                                  .keeps_tiles = inner->keeps_tiles,
                                  .open = inner->host ? NULL : open_device,
                                  .turn = inner->turn ? tally_turn : NULL,
                                  .buffers = &buffers,
                                  .kernels = &t->kernels};
    for (int bits = ROOM_MOST; bits >= ROOM_LEAST; bits -= 2) {
        void *base = mmap(NULL, (size_t)1 << bits, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        t->base = base;
        t->room = (size_t)1 << bits;
        return GRACO_OK;
    }
    return status_fail(GRACO_ERROR_MEMORY,
                       "cannot plan: the system does not give %d GiB of addresses without memory",
                       1 << (ROOM_LEAST - 30));
}

void tally_clear(struct tally *t)
{
    if (t->base)
        munmap(t->base, t->room);
    t->base = NULL;
}

graco_status tally_reserve(struct tally *t, void *out, int64_t count, size_t size)
{
    if (count < 0 || (size > 0 && (uint64_t)count > SIZE_MAX / 2 / size))
        return status_fail(GRACO_ERROR_MEMORY, "cannot plan %lld items of %zu bytes: too large",
                           (long long)count, size);
    PASS(take(t, out, (size_t)count * size));
    t->reserved += count * (int64_t)size;
    return GRACO_OK;
}
