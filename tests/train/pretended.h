/* A back end that only pretends to be a device: its buffers are host memory, but the library does
 * not know that. It counts what is uploaded and has as much memory as it is told; an upload reads
 * its source until `finish`, so the source must be there and unchanged by then. */
#ifndef TESTS_TRAIN_PRETENDED_H
#define TESTS_TRAIN_PRETENDED_H

#include "check.h"
#include "compute/context.h"
#include "reference/reference.h"

enum { PRETENDED_BLOCKS = 4096, PRETENDED_UPLOADS = 4096 };

struct pretended_upload {
    const void *from, *to;
    size_t bytes;
    void *copy;
};

static struct pretended {
    size_t budget; /* bytes of memory */
    size_t refuse; /* requests of at least so many fail; 0: none do for that */
    bool pageable; /* an upload has read its source when it returns */
    /* What happened. */
    size_t live, most;
    int64_t uploaded; /* bytes */
    int64_t gathers;
    struct {
        char *data;
        size_t bytes;
    } block[PRETENDED_BLOCKS];
    struct pretended_upload pending[PRETENDED_UPLOADS];
    int count;
} pretended;

/* Whether `bytes` from `p` on lie in one of the device's buffers. */
static inline bool pretended_owns(const void *p, int64_t bytes)
{
    for (int i = 0; i < PRETENDED_BLOCKS; i++) {
        const char *data = pretended.block[i].data;
        if (data && (const char *)p >= data &&
            (const char *)p + bytes <= data + pretended.block[i].bytes)
            return true;
    }
    return false;
}

static inline graco_status pretended_allocate(struct context *c, void *out, size_t bytes)
{
    int i = 0;
    if (pretended.live + bytes > pretended.budget ||
        (pretended.refuse && bytes >= pretended.refuse))
        return status_fail(GRACO_ERROR_MEMORY, "the device is out of memory");
    graco_status status = host_buffers.allocate(c, out, bytes);
    if (status != GRACO_OK)
        return status;
    while (i < PRETENDED_BLOCKS - 1 && pretended.block[i].data)
        i++;
    memcpy(&pretended.block[i].data, out, sizeof(char *));
    pretended.block[i].bytes = bytes;
    pretended.live += bytes;
    if (pretended.live > pretended.most)
        pretended.most = pretended.live;
    return GRACO_OK;
}

static inline void pretended_release(struct context *c, void *block)
{
    for (int i = 0; i < PRETENDED_BLOCKS; i++)
        if (block && pretended.block[i].data == block) {
            pretended.live -= pretended.block[i].bytes;
            pretended.block[i].data = NULL;
        }
    host_buffers.release(c, block);
}

static inline graco_status pretended_upload(struct context *c, void *to, const void *from,
                                            size_t bytes)
{
    (void)c;
    CHECK(pretended_owns(to, (int64_t)bytes));
    CHECK(pretended.count < PRETENDED_UPLOADS);
    struct pretended_upload *p = &pretended.pending[pretended.count++];
    *p = (struct pretended_upload){from, to, bytes, malloc(bytes + 1)};
    memcpy(p->copy, from, bytes);
    memcpy(to, from, bytes);
    pretended.uploaded += (int64_t)bytes;
    return GRACO_OK;
}

/* Forgets uploads that nobody waited for. */
static inline void pretended_drop(void)
{
    while (pretended.count > 0)
        free(pretended.pending[--pretended.count].copy);
}

static inline graco_status pretended_finish(struct context *c)
{
    (void)c;
    for (int i = 0; i < pretended.count; i++) {
        const struct pretended_upload *p = &pretended.pending[i];
        CHECK(pretended.pageable || memcmp(p->from, p->copy, p->bytes) == 0);
    }
    pretended_drop();
    return GRACO_OK;
}

static inline void pretended_close(struct context *c)
{
    (void)c;
    pretended_drop();
}

static inline graco_status pretended_gather(struct context *c, int64_t rows, int64_t cols, float *Y,
                                            const float *X, const int32_t *index)
{
    pretended.gathers++;
    CHECK(pretended_owns(Y, rows * cols * (int64_t)sizeof(float)));
    CHECK(pretended_owns(index, rows * (int64_t)sizeof(int32_t)));
    for (int64_t i = 0; i < rows; i++)
        CHECK(pretended_owns(X + index[i] * cols, cols * (int64_t)sizeof(float)));
    return backend_cpu.kernels->gather(c, rows, cols, Y, X, index);
}

/* The back end, with nothing counted yet. */
static inline struct backend pretended_backend(size_t budget, size_t refuse)
{
    static struct kernels kernels;
    static struct buffers buffers;
    struct backend backend = backend_cpu;
    CHECK(pretended.live == 0 && pretended.count == 0);
    memset(&pretended, 0, sizeof pretended);
    pretended.budget = budget;
    pretended.refuse = refuse;
    backend.name = "pretended";
    backend.host = false;
    backend.keeps_tiles = NULL;
    backend.finish = pretended_finish;
    backend.close = pretended_close;
    backend.kernels = &kernels;
    backend.buffers = &buffers;
    kernels = *backend_cpu.kernels;
    kernels.propagate_sparse = backend_reference.kernels->propagate_sparse;
    kernels.gather = pretended_gather;
    buffers = host_buffers;
    buffers.allocate = pretended_allocate;
    buffers.release = pretended_release;
    buffers.upload = pretended_upload;
    return backend;
}

#endif
