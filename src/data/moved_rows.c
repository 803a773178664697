/* Every rank knows both ranges of every rank and which node is which, so nobody asks: each sends the rows of
 * a piece of every other's range, in the order of that range, and takes up what comes in its own. */
#include "data/moved_rows.h"

#include "base/memory.h"

#include <string.h>

enum { PIECE = 16 << 20 }; /* bytes that a rank receives at a time, about */

struct moving {
    struct comm *comm;
    const int64_t *from, *to; /* (ranks + 1) bounds */
    const int32_t *nodes;     /* by number in `to`, their numbers in `from` */
};

/* Something that has items of `size` bytes in each row: `width` of them or, from start[row] on, as many as
 * there are up to start[row + 1]. */
struct rows {
    char *items;
    const int64_t *start; /* NULL: width counts */
    int64_t width, size;
};

static int64_t row_begin(const struct rows *rows, int64_t row)
{
    return rows->start ? rows->start[row] : row * rows->width;
}

static int64_t row_length(const struct rows *rows, int64_t row)
{
    return row_begin(rows, row + 1) - row_begin(rows, row);
}

/* Numbers *first .. *last - 1 of a rank in the piece of `step` rows that begins `at` rows into its range. */
static void piece_of(int64_t *first, int64_t *last, const struct moving *m, int rank, int64_t at,
                     int64_t step)
{
    int64_t end = m->to[rank + 1];
    *first = m->to[rank] + at < end ? m->to[rank] + at : end;
    *last = *first + step < end ? *first + step : end;
}

/* Copies own rows that belong to a piece of each rank's into `out`, or with NULL only counts their items in
 * start (ranks + 1). */
static void pack(char *out, int64_t *start, const struct moving *m, const struct rows *X,
                 int64_t at, int64_t step)
{
    int64_t own = m->from[m->comm->rank], end = m->from[m->comm->rank + 1], used = 0, first, last;
    start[0] = 0;
    for (int r = 0; r < m->comm->ranks; r++) {
        piece_of(&first, &last, m, r, at, step);
        for (int64_t i = first; i < last; i++) {
            int64_t row = m->nodes[i] - own;
            if (m->nodes[i] < own || m->nodes[i] >= end)
                continue;
            int64_t length = row_length(X, row);
            if (out && length > 0)
                memcpy(out + used * X->size, X->items + row_begin(X, row) * X->size,
                       (size_t)(length * X->size));
            used += length;
        }
        start[r + 1] = used;
    }
}

/* Puts what has come in where it belongs. Items of rank r begin at next[r]. */
static graco_status unpack(struct rows *out, int64_t *next, const struct moving *m, const char *in,
                           int64_t at, int64_t step)
{
    int64_t first, last, own = m->to[m->comm->rank];
    const int64_t all = next[m->comm->ranks];
    piece_of(&first, &last, m, m->comm->rank, at, step);
    for (int64_t i = first; i < last; i++) {
        int owner = shard_owner(m->from, m->comm->ranks, m->nodes[i]);
        int64_t length = row_length(out, i - own);
        if (next[owner] + length > all)
            return status_fail(GRACO_ERROR_IO, "rank %d has sent too few features", owner);
        if (length > 0)
            memcpy(out->items + row_begin(out, i - own) * out->size, in + next[owner] * out->size,
                   (size_t)(length * out->size));
        next[owner] += length;
    }
    return GRACO_OK;
}

/* Moves all rows, `step` of each rank's at a time. */
static graco_status move_rows(struct rows *out, const struct moving *m, const struct rows *X,
                              int64_t step)
{
    int ranks = m->comm->ranks;
    int64_t most = 0, *start = NULL, *come = NULL;
    char *sent = NULL, *in = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&start, ranks + 1, sizeof *start));
    TRY(memory_alloc(&come, ranks + 1, sizeof *come));
    for (int r = 0; r < ranks; r++)
        most = m->to[r + 1] - m->to[r] > most ? m->to[r + 1] - m->to[r] : most;
    for (int64_t at = 0; at < most; at += step) {
        pack(NULL, start, m, X, at, step);
        TRY(memory_alloc(&sent, start[ranks], (size_t)X->size));
        pack(sent, start, m, X, at, step);
        TRY(comm_swap(&in, come, m->comm, sent, start, X->size));
        TRY(unpack(out, come, m, in, at, step));
        memory_free(sent);
        memory_free(in);
        sent = in = NULL;
    }
done:
    memory_free(start);
    memory_free(come);
    memory_free(sent);
    memory_free(in);
    return status;
}

/* As many rows as a piece has of rows of so many items of 4 bytes, one at least. */
static int64_t step_of(double items)
{
    double rows = PIECE / (4 * items + 4);
    return rows < 1 ? 1 : (int64_t)rows;
}

static graco_status move_dense(struct features *out, const struct features *X,
                               const struct moving *m)
{
    struct rows from = {(char *)X->dense, NULL, X->cols, sizeof *X->dense};
    PASS(memory_alloc(&out->dense, out->rows * out->cols, sizeof *out->dense));
    struct rows to = {(char *)out->dense, NULL, X->cols, sizeof *X->dense};
    return move_rows(&to, m, &from, step_of((double)X->cols));
}

/* Lengths of rows, then columns, then values. */
static graco_status move_sparse(struct features *out, const struct features *X,
                                const struct moving *m)
{
    const struct csr *given = &X->sparse;
    struct csr *made = &out->sparse;
    double entries = (double)given->start[X->rows], nodes = (double)m->from[m->comm->ranks];
    int64_t *lengths = NULL, *start = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&lengths, X->rows, sizeof *lengths));
    TRY(memory_zalloc(&start, out->rows + 1, sizeof *start));
    for (int64_t i = 0; i < X->rows; i++)
        lengths[i] = given->start[i + 1] - given->start[i];
    struct rows from = {(char *)lengths, NULL, 1, sizeof *lengths};
    struct rows to = {(char *)(start + 1), NULL, 1, sizeof *start};
    TRY(move_rows(&to, m, &from, step_of(2)));
    for (int64_t i = 0; i < out->rows; i++)
        start[i + 1] += start[i];
    TRY(csr_alloc(made, out->rows, X->cols, start[out->rows], given->value));
    memcpy(made->start, start, (size_t)(out->rows + 1) * sizeof *start);
    TRY(comm_sum_doubles(m->comm, &entries, 1));
    from = (struct rows){(char *)given->index, given->start, 0, sizeof *given->index};
    to = (struct rows){(char *)made->index, made->start, 0, sizeof *made->index};
    TRY(move_rows(&to, m, &from, step_of(entries / nodes)));
    if (!given->value)
        goto done;
    from.items = (char *)given->value;
    to.items = (char *)made->value;
    TRY(move_rows(&to, m, &from, step_of(entries / nodes)));
done:
    memory_free(lengths);
    memory_free(start);
    return status;
}

graco_status features_move(struct features *out, const struct features *X, const struct shard *from,
                           const struct shard *to, const int32_t *nodes)
{
    const struct moving m = {from->comm, from->bounds, to->bounds, nodes};
    struct features rows = {.rows = to->graph.nodes, .cols = X->cols};
    graco_status status = GRACO_OK;
    TRY(features_check(X));
    TRY((X->dense ? move_dense : move_sparse)(&rows, X, &m));
    *out = rows;
    rows = (struct features){0};
done:
    features_clear(&rows);
    return status;
}
