/* Rows are gathered on the device while all of them are there, else on the host, from where they
 * are sent; sparse rows stay on the host, where the input shares them. Buffers are kept from batch
 * to batch, with some to spare, because batches are of nearly equal size. */
#include "layers/stock.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum { ROWS_PER_PIECE = 256 };

struct stock {
    struct context *context;
    const struct features *X;
    const float *all; /* X, dense, on the device; NULL: it is not there */
    float *rows;      /* (room, cols) gathered on the device, or sent there */
    int64_t room;
    float *sent; /* (sent_room, cols) the same on the host, where `all` is not on the device */
    int64_t sent_room;
    const int32_t *nodes;   /* whose rows are being gathered into it */
    struct features sparse; /* gathered on the host, with room for more */
    struct csr_room sparse_room;
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
 * context's cache keeps what was too small. What was there is lost. */
static graco_status make_room(struct stock *s, int64_t count)
{
    int64_t room = count + count / 8;
    if (count <= s->room)
        return GRACO_OK;
    if (count <= s->X->rows && room > s->X->rows)
        room = s->X->rows; /* a batch has no node twice */
    context_give(s->context, s->rows);
    s->rows = NULL;
    s->room = 0;
    PASS(context_take(s->context, &s->rows, room * s->X->cols, sizeof(float)));
    s->room = room;
    return GRACO_OK;
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

static void copy_rows(void *job, struct threads_piece rows)
{
    const struct stock *s = job;
    int64_t cols = s->X->cols;
    for (int64_t i = rows.first; i < rows.last; i++)
        memcpy(s->sent + i * cols, s->X->dense + s->nodes[i] * cols, (size_t)cols * sizeof(float));
}

/* From the host's memory or file into s->rows. */
static graco_status gather_here(struct stock *s, const int32_t *nodes, int64_t count)
{
    struct context *c = s->context;
    int64_t cols = s->X->cols;
    PASS(make_room(s, count));
    if (count > s->sent_room) {
        s->sent_room = 0;
        memory_free(s->sent);
        s->sent = NULL;
        PASS(memory_alloc(&s->sent, count * cols, sizeof(float)));
        s->sent_room = count;
    }
    PASS(features_check(s->X));
    s->nodes = nodes;
    threads_run(c->threads, count, ROWS_PER_PIECE, copy_rows, s);
    return c->buffers->upload(c, s->rows, s->sent, (size_t)(count * cols) * sizeof(float));
}

static graco_status gather_sparse(struct stock *s, const int32_t *nodes, int64_t count)
{
    PASS(csr_gather(&s->sparse.sparse, &s->sparse_room, &s->X->sparse, nodes, count));
    s->sparse = features_of(s->sparse.sparse);
    return GRACO_OK;
}

graco_status stock_gather(struct input **out, struct stock *s, const int32_t *nodes, int64_t count)
{
    if (s->all)
        PASS(gather_there(s, nodes, count));
    if (!s->all && s->X->dense)
        PASS(gather_here(s, nodes, count));
    if (s->all || s->X->dense) {
        PASS(input_create_dense(out, s->context, s->rows, count, s->X->cols));
    } else {
        PASS(gather_sparse(s, nodes, count));
        PASS(input_create(out, s->context, &s->sparse));
    }
    return GRACO_OK;
}
