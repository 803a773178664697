#include "layers/stock.h"

#include "base/memory.h"

#include <string.h>

struct stock {
    struct context *context;
    const struct features *X;
    const float *all; /* X, dense, on the device; NULL: it is not there */
    float *rows;      /* (room, cols) gathered on the device, or sent there */
    int64_t room;
    float *sent; /* (sent_room, cols) the same on the host, where `all` is not on the device */
    int64_t sent_room;
    struct features sparse; /* gathered on the host, with room for more */
    int64_t row_room, entry_room;
};

/* The device is out of memory; batches can do without all rows there. */
static void relieve(void *owner)
{
    struct stock *s = owner;
    context_unshare(s->context, s->all);
    s->all = NULL;
}

graco_status stock_create(struct stock **out, struct context *context, const struct features *X)
{
    graco_status status = GRACO_OK;
    struct stock *s = NULL;
    TRY(memory_zalloc(&s, 1, sizeof *s));
    s->context = context;
    s->X = X;
    status = input_dense(&s->all, context, X);
    if (status != GRACO_OK && (status != GRACO_ERROR_MEMORY || context->backend->host))
        goto done;
    if (!context->backend->host) {
        context->relieve = relieve;
        context->owner = s;
    }
    *out = s;
    return GRACO_OK;
done:
    stock_free(s);
    return status;
}

void stock_free(struct stock *s)
{
    if (!s)
        return;
    if (s->context->owner == s) {
        s->context->relieve = NULL;
        s->context->owner = NULL;
    }
    context_unshare(s->context, s->all);
    context_give(s->context, s->rows);
    memory_free(s->sent);
    features_clear(&s->sparse);
    memory_free(s);
}

/* ---- Dense rows ------------------------------------------------------------------------------ */

/* Makes room for rows on the device, and an eighth more: batches are of nearly equal size, and the
 * pool keeps what was too small. What was there is lost. */
static graco_status make_room(struct stock *s, int64_t count)
{
    int64_t room = count + count / 8;
    graco_status status = GRACO_OK;
    if (count <= s->room)
        return GRACO_OK;
    if (count <= s->X->rows && room > s->X->rows)
        room = s->X->rows; /* a batch has no node twice */
    context_give(s->context, s->rows);
    s->rows = NULL;
    s->room = 0;
    TRY(context_take(s->context, &s->rows, room * s->X->cols, sizeof(float)));
    s->room = room;
done:
    return status;
}

/* From s->all into s->rows. Taking memory may cost s->all: then there is nothing to gather from. */
static graco_status gather_there(struct stock *s, const int32_t *nodes, int64_t count)
{
    struct context *c = s->context;
    const int32_t *index = NULL;
    graco_status status = GRACO_OK;
    if (c->backend->host)
        TRY(features_check(s->X));
    TRY(make_room(s, count));
    TRY(context_share(c, &index, nodes, count, sizeof(int32_t)));
    if (s->all)
        TRY(c->kernels->gather(c, count, s->X->cols, s->rows, s->all, index));
done:
    context_unshare(c, index);
    return status;
}

/* From the host's memory or file into s->rows. */
static graco_status gather_here(struct stock *s, const int32_t *nodes, int64_t count)
{
    struct context *c = s->context;
    int64_t cols = s->X->cols;
    graco_status status = GRACO_OK;
    TRY(make_room(s, count));
    if (count > s->sent_room) {
        s->sent_room = 0;
        memory_free(s->sent);
        s->sent = NULL;
        TRY(memory_alloc(&s->sent, count * cols, sizeof(float)));
        s->sent_room = count;
    }
    TRY(features_check(s->X));
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < count; i++)
        memcpy(s->sent + i * cols, s->X->dense + nodes[i] * cols, (size_t)cols * sizeof(float));
    TRY(c->buffers->upload(c, s->rows, s->sent, (size_t)(count * cols) * sizeof(float)));
done:
    return status;
}

/* ---- Sparse rows ----------------------------------------------------------------------------- */

/* Makes room for rows and entries; what was there is lost. */
static graco_status make_sparse_room(struct stock *s, int64_t rows, int64_t entries)
{
    struct features *g = &s->sparse;
    graco_status status = GRACO_OK;
    if (rows > s->row_room) {
        s->row_room = 0;
        memory_free(g->start);
        g->start = NULL;
        TRY(memory_alloc(&g->start, rows + 1, sizeof(int64_t)));
        s->row_room = rows;
    }
    if (entries > s->entry_room) {
        s->entry_room = 0;
        memory_free(g->index);
        memory_free(g->value);
        g->index = NULL;
        g->value = NULL;
        TRY(memory_alloc(&g->index, entries, sizeof(int32_t)));
        TRY(memory_alloc(&g->value, entries, sizeof(float)));
        s->entry_room = entries;
    }
done:
    return status;
}

static graco_status gather_sparse(struct stock *s, const int32_t *nodes, int64_t count)
{
    const struct features *X = s->X;
    struct features *g = &s->sparse;
    graco_status status = GRACO_OK;
    int64_t entries = 0;
    for (int64_t i = 0; i < count; i++)
        entries += X->start[nodes[i] + 1] - X->start[nodes[i]];
    TRY(make_sparse_room(s, count, entries));
    g->rows = count;
    g->cols = X->cols;
    g->start[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = X->start[nodes[i]], to = g->start[i], some = X->start[nodes[i] + 1] - from;
        memcpy(g->index + to, X->index + from, (size_t)some * sizeof(int32_t));
        memcpy(g->value + to, X->value + from, (size_t)some * sizeof(float));
        g->start[i + 1] = to + some;
    }
done:
    return status;
}

graco_status stock_gather(struct input **out, struct stock *s, const int32_t *nodes, int64_t count)
{
    graco_status status = GRACO_OK;
    if (s->all)
        TRY(gather_there(s, nodes, count));
    if (!s->all && s->X->dense)
        TRY(gather_here(s, nodes, count));
    if (s->all || s->X->dense) {
        TRY(input_create_dense(out, s->context, s->rows, count, s->X->cols));
    } else {
        TRY(gather_sparse(s, nodes, count));
        TRY(input_create(out, s->context, &s->sparse));
    }
done:
    return status;
}
