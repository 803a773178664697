/* The context and its buffer cache: device buffers whose sizes are rounded up to classes, eight per
 * doubling; a buffer serves requests of its own class alone. So a step that asks for what an earlier
 * step asked for allocates nothing, whatever happened in between, and mini-batches of varying size
 * settle within a few classes. Each of many graphs keeps buffers of its own, so there may be
 * millions: free ones are chained by class, and a table finds a buffer by its address. */
#include "compute/context.h"

#include "base/memory.h"
#include "base/threads.h"
#include "compute/device_scratch.h"
#include "compute/exchange.h"

#include <assert.h>
#include <string.h>

enum { CLASSES = 64 * 16 }; /* see bucket_of */

struct cached {
    void *data;
    size_t bytes;
    bool used;
    bool held;    /* given back, and not to be used before context_together */
    int64_t next; /* the next free buffer of the class, as `free` counts */
};

struct buffer_cache {
    struct cached *list;
    int64_t count, room;
    int64_t free[CLASSES]; /* 1 + the place in the list of a class's first free buffer; 0: none */
    int64_t *table;        /* (2 room) the same by address, open addressing; 0: empty */
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
    exchange_close(context);
    if (context->cache) {
        for (int64_t i = 0; i < context->cache->count; i++)
            context->buffers->release(context, context->cache->list[i].data);
        memory_free(context->cache->list);
        memory_free(context->cache->table);
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

graco_status context_look(const struct context *context)
{
    const struct watch *watch = &context->watch;
    if (!watch->go_on || watch->go_on(watch->owner))
        return GRACO_OK;
    return status_fail(GRACO_STOPPED, "stopped");
}

/* `bytes` rounded up to its class: at most an eighth is wasted. */
static size_t class_of(size_t bytes)
{
    size_t grain = MEMORY_ALIGNMENT;
    while (bytes / 16 >= grain)
        grain *= 2;
    return (bytes + grain - 1) / grain * grain;
}

/* The bucket of a rounded size: 16 for each doubling of the grain, of which all but the
 * first use the upper half. */
static int64_t bucket_of(size_t rounded)
{
    int64_t doublings = 0;
    while (rounded / 16 >= (size_t)MEMORY_ALIGNMENT << doublings)
        doublings++;
    return 16 * doublings + (int64_t)(rounded / ((size_t)MEMORY_ALIGNMENT << doublings));
}

/* The place in the table of a buffer, or the empty one where it belongs. */
static int64_t *table_place(const struct buffer_cache *cache, const void *data)
{
    uint64_t size = (uint64_t)(2 * cache->room); /* a power of two */
    uint64_t at = ((uint64_t)(uintptr_t)data * 0x9e3779b97f4a7c15u) >> 20;
    while (cache->table[at & (size - 1)] &&
           cache->list[cache->table[at & (size - 1)] - 1].data != data)
        at++;
    return &cache->table[at & (size - 1)];
}

static void fill_table(struct buffer_cache *cache)
{
    memset(cache->table, 0, (size_t)(2 * cache->room) * sizeof *cache->table);
    for (int64_t i = 0; i < cache->count; i++)
        *table_place(cache, cache->list[i].data) = i + 1;
}

static graco_status make_room(struct buffer_cache *cache)
{
    int64_t room = cache->room ? 2 * cache->room : 32, *table = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&table, 2 * room, sizeof *table));
    TRY(memory_grow(&cache->list, cache->count, room, sizeof *cache->list));
    memory_free(cache->table);
    cache->table = table;
    cache->room = room;
    fill_table(cache);
    return GRACO_OK;
done:
    memory_free(table);
    return status;
}

static graco_status add_buffer(struct buffer_cache *cache, struct cached **out, void *data,
                               size_t bytes)
{
    if (cache->count == cache->room)
        PASS(make_room(cache));
    cache->list[cache->count] = (struct cached){.data = data, .bytes = bytes};
    *table_place(cache, data) = cache->count + 1;
    *out = &cache->list[cache->count++];
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
            context->buffers->release(context, cache->list[i].data);
        }
    }
    context->trims += kept < cache->count;
    cache->count = kept;
    memset(cache->free, 0, sizeof cache->free);
    if (cache->table)
        fill_table(cache);
}

/* A device has little memory: trim and try again, then ask for what can be done without. */
static graco_status allocate(struct context *context, void **out, size_t bytes)
{
    graco_status status = context->buffers->allocate(context, out, bytes);
    if (status == GRACO_ERROR_MEMORY && !context->backend->host) {
        PASS(context_together(context)); /* held buffers are in the way, too */
        trim(context);
        status = context->buffers->allocate(context, out, bytes);
    }
    if (status == GRACO_ERROR_MEMORY && context->relieve) {
        context->relieve(context->owner);
        trim(context);
        status = context->buffers->allocate(context, out, bytes);
    }
    return status;
}

graco_status context_take(struct context *context, void *out, int64_t count, size_t size)
{
    struct buffer_cache *cache = context->cache;
    struct cached *found;
    void *data = NULL;
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX / 2) / size))
        return status_fail(GRACO_ERROR_MEMORY, "cannot allocate %lld items of %zu bytes: too large",
                           (long long)count, size);
    size_t bytes = class_of((size_t)count * size + (count == 0));
    int64_t *first = &cache->free[bucket_of(bytes)];
    if (!*first && context->apart && context->bytes + (int64_t)bytes > APART_BYTES)
        PASS(context_together(context)); /* no small graph: what was held may serve again */
    if (*first) {
        found = &cache->list[*first - 1];
        *first = found->next;
    } else {
        PASS(allocate(context, &data, bytes));
        graco_status status = add_buffer(cache, &found, data, bytes);
        if (status != GRACO_OK) {
            context->buffers->release(context, data);
            return status;
        }
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
    struct buffer_cache *cache = context->cache;
    if (!data)
        return;
    int64_t number = cache->table ? *table_place(cache, data) : 0;
    assert(number && cache->list[number - 1].used);
    struct cached *found = &cache->list[number - 1];
    int64_t *first = &cache->free[bucket_of(found->bytes)];
    assert(!found->held);
    found->held = context->apart;
    if (found->held)
        return;
    found->used = false;
    found->next = *first;
    *first = number;
}

graco_status context_apart(struct context *context)
{
    context->apart = context->backend->turn && !context->comm && context->bytes <= APART_BYTES;
    return context_turn(context, TURN_OPEN);
}

graco_status context_together(struct context *context)
{
    struct buffer_cache *cache = context->cache;
    graco_status status = context_turn(context, TURN_JOIN);
    if (!context->apart)
        return status;
    context->apart = false;
    for (int64_t i = 0; i < cache->count; i++)
        if (cache->list[i].held) {
            cache->list[i].held = false;
            context_give(context, cache->list[i].data);
        }
    return status;
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
