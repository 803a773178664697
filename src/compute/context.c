/* The context and its buffer cache: a short list of device buffers whose sizes are rounded up to
 * classes, eight per doubling; a buffer serves requests of its own class alone. So a step that asks
 * for what an earlier step asked for allocates nothing, whatever happened in between, and
 * mini-batches of varying size settle within a few classes. */
#include "compute/context.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <string.h>

struct cached {
    void *data;
    size_t bytes;
    bool used;
};

struct buffer_cache {
    struct cached *list;
    int64_t count, room;
};

graco_status context_create(struct context **out, const struct backend *backend, int64_t threads,
                            int64_t tile_budget)
{
    graco_status status = GRACO_OK;
    struct context *context = NULL;
    TRY(memory_zalloc(&context, 1, sizeof *context));
    context->backend = backend;
    context->buffers = backend->buffers;
    context->kernels = backend->kernels;
    context->recorder = backend->recorder;
    context->threads = threads_count(threads);
    context->tile_budget = tile_budget;
    TRY(memory_zalloc(&context->cache, 1, sizeof *context->cache));
    if (backend->open)
        TRY(backend->open(context));
    *out = context;
    return GRACO_OK;
done:
    context_free(context);
    return status;
}

void context_free(struct context *context)
{
    if (!context)
        return;
    if (context->cache) {
        for (int64_t i = 0; i < context->cache->count; i++)
            context->buffers->release(context->cache->list[i].data);
        memory_free(context->cache->list);
    }
    memory_free(context->cache);
    if (context->backend->close)
        context->backend->close(context);
    memory_free(context);
}

graco_status context_finish(struct context *context)
{
    return context->backend->finish ? context->backend->finish(context) : GRACO_OK;
}

/* `bytes` rounded up to its class: at most an eighth is wasted. */
static size_t class_of(size_t bytes)
{
    size_t grain = MEMORY_ALIGNMENT;
    while (bytes / 16 >= grain)
        grain *= 2;
    return (bytes + grain - 1) / grain * grain;
}

static graco_status new_slot(struct buffer_cache *cache, struct cached **out)
{
    if (cache->count == cache->room) {
        int64_t room = cache->room ? 2 * cache->room : 32;
        PASS(memory_grow(&cache->list, cache->count, room, sizeof *cache->list));
        cache->room = room;
    }
    *out = &cache->list[cache->count++];
    memset(*out, 0, sizeof **out);
    return GRACO_OK;
}

/* Returns what nobody uses to the system; buffers of other classes may be all that is in the
 * way. */
static void trim(struct context *context)
{
    struct buffer_cache *cache = context->cache;
    int64_t kept = 0;
    for (int64_t i = 0; i < cache->count; i++) {
        if (cache->list[i].used)
            cache->list[kept++] = cache->list[i];
        else {
            context->bytes -= (int64_t)cache->list[i].bytes;
            context->buffers->release(cache->list[i].data);
        }
    }
    context->trims += kept < cache->count;
    cache->count = kept;
}

/* A device has little memory: trim and try again, then ask for what can be done without. */
static graco_status allocate(struct context *context, void **out, size_t bytes)
{
    graco_status status = context->buffers->allocate(out, bytes);
    if (status == GRACO_ERROR_MEMORY && !context->backend->host) {
        trim(context);
        status = context->buffers->allocate(out, bytes);
    }
    if (status == GRACO_ERROR_MEMORY && context->relieve) {
        context->relieve(context->owner);
        trim(context);
        status = context->buffers->allocate(out, bytes);
    }
    return status;
}

graco_status context_take(struct context *context, void *out, int64_t count, size_t size)
{
    struct buffer_cache *cache = context->cache;
    struct cached *found = NULL;
    void *data = NULL;
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX / 2) / size))
        return status_fail(GRACO_ERROR_MEMORY, "cannot allocate %lld items of %zu bytes: too large",
                           (long long)count, size);
    size_t bytes = class_of((size_t)count * size + (count == 0));
    for (int64_t i = 0; i < cache->count && !found; i++)
        if (!cache->list[i].used && cache->list[i].bytes == bytes)
            found = &cache->list[i];
    if (!found) {
        PASS(allocate(context, &data, bytes));
        graco_status status = new_slot(cache, &found);
        if (status != GRACO_OK) {
            context->buffers->release(data);
            return status;
        }
        found->data = data;
        found->bytes = bytes;
        context->bytes += (int64_t)bytes;
        if (context->bytes > context->most_bytes)
            context->most_bytes = context->bytes;
    }
    found->used = true;
    memcpy(out, &found->data, sizeof found->data);
    return GRACO_OK;
}

void context_give(struct context *context, void *data)
{
    if (!data)
        return;
    for (int64_t i = 0; i < context->cache->count; i++) {
        struct cached *found = &context->cache->list[i];
        if (found->data == data) {
            assert(found->used);
            found->used = false;
            return;
        }
    }
    assert(!"the buffer is not of this cache");
}

graco_status context_share(struct context *context, void *out, const void *host, int64_t count,
                           size_t size)
{
    if (context->backend->host || !host) {
        memcpy(out, &host, sizeof host);
        return GRACO_OK;
    }
    void *copy = NULL;
    graco_status status = GRACO_OK;
    TRY(context_take(context, &copy, count, size));
    TRY(context->buffers->upload(context, copy, host, (size_t)count * size));
    memcpy(out, &copy, sizeof copy);
    return GRACO_OK;
done:
    context_give(context, copy);
    return status;
}

void context_unshare(struct context *context, const void *shared)
{
    if (context->backend->host || !shared)
        return;
    void *block;
    memcpy(&block, &shared, sizeof shared);
    context_give(context, block);
}
