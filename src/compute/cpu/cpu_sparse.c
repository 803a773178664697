/* Sparse products, and the drawing of views. A product gathers: a row of Y is the sum of the rows
 * of X that its entries name. Where these are many for each row of X, as in gradients of the first weights, it goes by stripes of
 * columns, so that a core has what it reads near. */
#include "compute/cpu/cpu.h"

#include "base/share.h"
#include "base/threads.h"
#include "compute/cpu/loops.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROWS_PER_PIECE = 32,
    DRAWS_PER_PIECE = 2048,
    COMPACTED_PER_PIECE = 128, /* rows */
    SCALES_PER_PIECE = 1024,
    COLS_MOST = 512, /* of a block of columns */
    COLS_LEAST = 64,
    BLOCK_BYTES = 48 << 20, /* of a block of X that the far cache holds */
    STRIPED_ITEMS = 64,
    COPY_FROM = 4,      /* entries of a chunk for each row of X: a stripe of X is then copied */
    COPIED_ROWS = 2048, /* of X, of which the near cache holds a stripe */
};

/* The entries of one row of a matrix. */
static struct gather row_entries(const struct sparse *m, int64_t row, int64_t cols)
{
    int64_t start = m->entries.start[row], own = m->first + row;
    return (struct gather){
        .count = m->count ? m->count[row] : m->entries.start[row + 1] - start,
        .index = m->entries.index + start,
        .value = m->entries.value ? m->entries.value + start : NULL,
        .col_scale = m->col_scale,
        .row_scale = m->row_scale ? m->row_scale[row] : 1.0f,
        .self = m->self && own < m->entries.cols ? own : -1,
        .cols = cols,
    };
}

static void gather_row(const struct loops *loops, const struct spmm *s, int64_t row, int64_t first,
                       int64_t last)
{
    for (int view = 0; view < s->views; view++) {
        struct gather g = row_entries(&s->matrix[view], row, s->cols);
        g.X = s->X + view * s->x_step;
        g.accumulate = s->accumulate || (view > 0 && s->y_step == 0);
        float *y = s->Y + view * s->y_step + row * s->cols;
        loops->gather(y, &g, first, last);
        for (int64_t j = first; s->mask[view] && j < last; j++)
            y[j] *= s->mask[view][j];
    }
}

/* A gradient of weights of features, whose views add up: each row of X has many entries there, where a graph has few. */
static bool goes_by_stripes(const struct spmm *s)
{
    const struct sparse *m = &s->matrix[0];
    return s->back && s->y_step == 0 && m->entries.value && !m->count && !m->self && !s->rows &&
           spmm_plain(s);
}

/* A product by stripes. Items are chunks of rows, which have about as many entries each, stripe by stripe. An item
 * copies its stripe of X, a tile of rows at a time, to where its core has it near. */
struct striped {
    const struct spmm *product;
    int64_t chunks, tile;
    float *copies; /* (threads, tile, STRIPE) */
    int64_t *
        places; /* (threads, 2, rows) where a tile's entries begin and end; NULL: there is one tile */
};

int64_t cpu_row_at(const struct csr *m, int64_t share, int64_t shares)
{
    const int64_t *start = m->start, begin = start[0];
    int64_t low = 0, high = m->rows;
    int64_t wanted = share_begin(m->rows + start[m->rows] - begin, share, shares);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (middle + start[middle] - begin < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t chunks_of(const struct spmm *s)
{
    return pieces_of(STRIPED_ITEMS, pieces_of(s->cols, STRIPE));
}

/* The rows of a chunk, in all views. */
static struct block chunk_at(const struct spmm *s, int64_t chunk)
{
    const struct csr *m = &s->matrix[0].entries;
    int64_t chunks = chunks_of(s), first = cpu_row_at(m, chunk, chunks);
    return (struct block){first, cpu_row_at(m, chunk + 1, chunks) - first};
}

static bool copies_stripe(const struct csr *m, struct block rows)
{
    return m->start[rows.first + rows.rows] - m->start[rows.first] > COPY_FROM * m->cols;
}

/* `cols` columns of some rows that are ld apart. */
static void copy_tile(float *to, const float *from, int64_t ld, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        if (cols == STRIPE) /* a constant: no call */
            memcpy(to + i * STRIPE, from + i * ld, STRIPE * sizeof(float));
        else
            memcpy(to + i * STRIPE, from + i * ld, (size_t)cols * sizeof(float));
}

/* Where the entries of each row that are left of column `col` end. They begin where `begin` says. */
static void find_ends(int64_t *end, const int64_t *begin, const struct csr *m, struct block rows,
                      int64_t col)
{
    for (int64_t i = 0; i < rows.rows; i++) {
        int64_t low = begin[i], high = m->start[rows.first + i + 1];
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (m->index[middle] < col)
                low = middle + 1;
            else
                high = middle;
        }
        end[i] = low;
    }
}

/* One view's part of an item, a tile of X after the other. */
static void gather_chunk(const struct striped *run, int view, struct block rows, int64_t first_col,
                         int seat)
{
    const struct spmm *s = run->product;
    const struct sparse *m = &s->matrix[view];
    const struct csr *e = &m->entries;
    float *copy = run->copies + seat * run->tile * STRIPE;
    bool copies = copies_stripe(e, rows);
    int64_t tile = copies ? run->tile : e->cols;
    struct stripe stripe = {
        .rows = rows.rows,
        .begin = e->start + rows.first,
        .end = e->start + rows.first + 1,
        .index = e->index,
        .value = e->value,
        .col_scale = m->col_scale,
        .row_scale = m->row_scale ? m->row_scale + rows.first : NULL,
        .x_row = copies ? (int64_t)STRIPE : s->cols,
        .Y = s->Y + rows.first * s->cols + first_col,
        .y_row = s->cols,
        .cols = least(STRIPE, s->cols - first_col),
        .accumulate = s->accumulate || view > 0,
    };
    for (; stripe.first < e->cols; stripe.first += tile) {
        int64_t end = least(stripe.first + tile, e->cols);
        const float *X = s->X + view * s->x_step + stripe.first * s->cols + first_col;
        if (tile < e->cols) {
            int64_t *ends = run->places + (2 * seat + stripe.first / tile % 2) * e->rows;
            find_ends(ends, stripe.begin, e, rows, end);
            stripe.end = ends;
        }
        if (copies)
            copy_tile(copy, X, s->cols, end - stripe.first, stripe.cols);
        stripe.X = copies ? copy : X;
        loops_choose()->gather_stripe(&stripe);
        stripe.begin = stripe.end;
        stripe.accumulate = true;
    }
}

static void gather_stripes(void *job, struct threads_piece items)
{
    const struct striped *run = job;
    for (int64_t item = items.first; item < items.last; item++) {
        struct block rows = chunk_at(run->product, item % run->chunks);
        for (int view = 0; view < run->product->views; view++)
            gather_chunk(run, view, rows, item / run->chunks * STRIPE, items.seat);
    }
}

static graco_status multiply_stripes(struct context *c, const struct spmm *s)
{
    const struct csr *m = &s->matrix[0].entries;
    int64_t stripes = pieces_of(s->cols, STRIPE);
    struct striped run = {s, chunks_of(s), least(COPIED_ROWS, m->cols), NULL, NULL};
    graco_status status = GRACO_OK;
    TRY(context_take(c, &run.copies, c->threads * run.tile * STRIPE, sizeof(float)));
    if (run.tile < m->cols)
        TRY(context_take(c, &run.places, c->threads * 2 * m->rows, sizeof(int64_t)));
    threads_run(c->threads, stripes * run.chunks, 1, gather_stripes, &run);
done:
    context_give(c, run.copies);
    context_give(c, run.places);
    return status;
}

/* Rows of X are read in any order, so X should be in a cache: a block of its columns, if one of a
 * useful width fits. Else whole rows, each of which is at least read in one go. */
static int64_t block_cols(const struct spmm *s)
{
    for (int64_t cols = COLS_MOST; cols >= COLS_LEAST; cols /= 2)
        if (s->matrix[0].entries.cols * cols * (int64_t)sizeof(float) <= BLOCK_BYTES)
            return cols;
    return s->cols;
}

/* The columns first .. last - 1 of a product. */
struct gather_block {
    const struct spmm *product;
    int64_t first, last;
    struct comm *comm;              /* whose messages may be on their way meanwhile */
    const struct activation *after; /* NULL: none follows, or not while rows are incomplete */
    float *room;                    /* (threads, cols) */
};

/* What follows the product of a row, in all views. */
static void end_row(const struct gather_block *block, int64_t row, int seat)
{
    const struct spmm *s = block->product;
    for (int view = 0; block->after && view < s->views; view++) {
        int64_t at = view * s->y_step / s->cols + row;
        cpu_activate_rows(block->after, s->Y, at, at + 1, block->room + seat * s->cols);
    }
}

/* Items are rows that are listed, or else pieces of all rows, which have about as many rows and entries each. */
static void gather_rows(void *job, struct threads_piece items)
{
    const struct gather_block *block = job;
    const int32_t *rows = block->product->rows;
    const struct loops *loops = loops_choose();
    struct threads_piece piece = items;
    if (!rows) {
        const struct csr *m = &block->product->matrix[0].entries;
        int64_t pieces = pieces_of(m->rows, ROWS_PER_PIECE);
        piece.first = cpu_row_at(m, items.first / ROWS_PER_PIECE, pieces);
        piece.last = cpu_row_at(m, pieces_of(items.last, ROWS_PER_PIECE), pieces);
    }
    for (int64_t i = piece.first; i < piece.last; i++) {
        gather_row(loops, block->product, rows ? rows[i] : i, block->first, block->last);
        end_row(block, rows ? rows[i] : i, piece.seat);
    }
    if (piece.seat == 0)
        comm_move(block->comm);
}

graco_status cpu_spmm(struct context *c, const struct spmm *s)
{
    int64_t rows = s->rows ? s->row_count : s->matrix[0].entries.rows;
    assert(spmm_plain(s) || (!s->rows && !s->accumulate && (s->views == 1 || s->y_step != 0)));
    if (goes_by_stripes(s))
        return multiply_stripes(c, s);
    int64_t width = block_cols(s);
    bool whole = width >= s->cols;
    struct gather_block block = {.product = s, .comm = c->comm, .after = whole ? s->after : NULL};
    if (block.after)
        PASS(context_take(c, &block.room, c->threads * s->cols, sizeof(float)));
    for (; block.first < s->cols; block.first += width) {
        block.last = least(block.first + width, s->cols);
        threads_run(c->threads, rows, ROWS_PER_PIECE, gather_rows, &block);
    }
    context_give(c, block.room);
    return s->after && !whole ? cpu_activate(c, s->after, s->Y, s->Y) : GRACO_OK;
}

/* Several lists that are worked off in one loop: threads meet once. `first` has the first piece of each list, and
 * behind the last their number. */
enum { LISTS_MAX = 8 };
struct lists {
    const void *list;
    int64_t first[LISTS_MAX + 1];
};

/* Which list a piece belongs to; *place becomes its place there. */
static int list_of(const struct lists *lists, int64_t *place)
{
    int i = 0;
    while (*place >= lists->first[i + 1])
        i++;
    *place -= lists->first[i];
    return i;
}

static void draw_some(const struct drawing *what, uint64_t threshold, int64_t begin, int64_t end)
{
    for (int64_t first = begin; first < end; first += 4) {
        uint32_t lanes[4];
        random_block(lanes, &what->key, (uint64_t)first / 4);
        for (int64_t i = first; i < end && i < first + 4; i++) {
            bool keep = lanes[i - first] >= threshold;
            if (what->bytes)
                what->bytes[i] = keep;
            else
                what->floats[i] = keep;
        }
    }
}

/* Elements that are listed; neighbours in the list are often of one block. */
static void draw_listed(const struct drawing *what, uint64_t threshold, int64_t begin, int64_t end)
{
    uint64_t block = UINT64_MAX;
    uint32_t lanes[4];
    for (int64_t i = begin; i < end; i++) {
        uint32_t element = what->id[i];
        if (element / 4 != block) {
            block = element / 4;
            random_block(lanes, &what->key, block);
        }
        what->bytes[i] = lanes[element % 4] >= threshold;
    }
}

static void draw_pieces(void *job, struct threads_piece pieces)
{
    const struct lists *lists = job;
    for (int64_t piece = pieces.first; piece < pieces.last; piece++) {
        int64_t place = piece;
        const struct drawing *what = (const struct drawing *)lists->list + list_of(lists, &place);
        int64_t begin = place * DRAWS_PER_PIECE, end = least(begin + DRAWS_PER_PIECE, what->n);
        (what->id ? draw_listed : draw_some)(what, random_threshold(what->p), begin, end);
    }
}

graco_status cpu_draw(struct context *c, int count, const struct drawing *list)
{
    for (int done = 0; done < count; done += LISTS_MAX) {
        int some = (int)least(LISTS_MAX, count - done);
        struct lists lists = {.list = list + done};
        for (int i = 0; i < some; i++)
            lists.first[i + 1] = lists.first[i] + pieces_of(list[done + i].n, DRAWS_PER_PIECE);
        threads_run(c->threads, lists.first[some], 1, draw_pieces, &lists);
    }
    return GRACO_OK;
}

/* The weights of the kept entries of a row. */
static void compact_weights(const struct compaction *list, int64_t row)
{
    int64_t to = list->start[row];
    for (int64_t e = list->start[row]; e < list->start[row + 1]; e++) {
        list->kept_weight[to] = list->weight[e];
        to += list->keep[list->id ? list->id[e] : (uint64_t)e];
    }
}

/* total^power. */
static float scale_of(double total, double power)
{
    return (float)(power == -1 ? 1 / total : 1 / sqrt(total));
}

static void compact_row(const struct compaction *list, int64_t row)
{
    int64_t to = list->start[row];
    /* Written always, advanced if kept: no branch to mispredict. */
    for (int64_t e = list->start[row]; e < list->start[row + 1]; e++) {
        list->kept[to] = list->index[e];
        to += list->keep[list->id ? list->id[e] : (uint64_t)e];
    }
    list->count[row] = (int32_t)(to - list->start[row]);
    if (list->weight)
        compact_weights(list, row);
    if (list->scale)
        list->scale[row] = scale_of(1.0 + (double)list->count[row], list->power);
}

static void compact_pieces(void *job, struct threads_piece pieces)
{
    const struct lists *lists = job;
    for (int64_t piece = pieces.first; piece < pieces.last; piece++) {
        int64_t place = piece;
        const struct compaction *list =
            (const struct compaction *)lists->list + list_of(lists, &place);
        int64_t first = place * COMPACTED_PER_PIECE;
        for (int64_t row = first; row < least(first + COMPACTED_PER_PIECE, list->rows); row++)
            compact_row(list, row);
    }
}

graco_status cpu_compact(struct context *c, int count, const struct compaction *list)
{
    for (int done = 0; done < count; done += LISTS_MAX) {
        int some = (int)least(LISTS_MAX, count - done);
        struct lists lists = {.list = list + done};
        for (int i = 0; i < some; i++)
            lists.first[i + 1] =
                lists.first[i] + pieces_of(list[done + i].rows, COMPACTED_PER_PIECE);
        threads_run(c->threads, lists.first[some], 1, compact_pieces, &lists);
    }
    return GRACO_OK;
}

static double degree_of(const struct degrees *d, int64_t row)
{
    if (d->known)
        return (double)d->known[row];
    int64_t count = d->count ? d->count[row] : d->start[row + 1] - d->start[row];
    if (!d->weight)
        return (double)count;
    double sum = 0;
    for (int64_t k = d->start[row]; k < d->start[row] + count; k++)
        sum += (double)d->weight[k];
    return sum;
}

struct scaling {
    const struct degrees *degrees;
    float *scale;
};

static void scale_degrees(void *job, struct threads_piece rows)
{
    const struct scaling *s = job;
    for (int64_t row = rows.first; row < rows.last; row++)
        s->scale[row] =
            scale_of(1.0 + s->degrees->share * degree_of(s->degrees, row), s->degrees->power);
}

graco_status cpu_degree_scale(struct context *c, const struct degrees *d, float *scale)
{
    struct scaling scaling = {d, scale};
    threads_run(c->threads, d->rows, SCALES_PER_PIECE, scale_degrees, &scaling);
    return GRACO_OK;
}
