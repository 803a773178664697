/* The k largest products of every row with the others, in tiles.
 *
 * Rows are scaled and packed once. A tile is a panel of one block of rows against another block: the
 * product of both, then one pass that looks for numbers which reach a row's or a column's bar, the worst
 * neighbour that its list has so far. Where all rows are asked for, a tile serves the rows of both blocks,
 * so each pair of rows is multiplied once. Rows that do not fit the memory are packed a slab at a time, and
 * every slab meets every other.
 *
 * What a list holds in the end does not depend on the order in which candidates come (neighbour_heap.h), so
 * threads need locks on the lists of a block, and no turns. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"
#include "compute/neighbour_heap.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    BLOCK_PANELS = 3,
    BLOCK = BLOCK_PANELS * PANEL,
    WORK = PANEL * BLOCK, /* floats of a tile */
    LISTS_PER_PIECE = 64,
};

/* Rows of Z, scaled and packed: those asked for, or those that they are compared with. */
struct slab {
    int64_t first, rows; /* places in `list` */
    const int32_t *list; /* NULL: a row's place is its number */
    float *packed;
};

struct neighbour_sweep {
    const struct neighbour_search *search;
    const struct loops *loops;
    struct slab asked, all;
    bool both; /* a tile serves the rows of both blocks */
    bool same; /* one slab against itself */
    atomic_llong next;
    atomic_flag *busy; /* (blocks) of lists, by their place */
    float *work;       /* (threads, WORK) tiles */
    float *room;       /* (threads, PANEL, d) rows on their way to a panel */
};

static int64_t row_at(const struct slab *slab, int64_t place)
{
    return slab->list ? slab->list[slab->first + place] : slab->first + place;
}

/* ---- Lists ------------------------------------------------------------------------------------ */

static void begin_lists(void *job, struct threads_piece lists)
{
    const struct neighbour_search *s = job;
    for (int64_t i = lists.first; i < lists.last; i++)
        heap_init(s->best + i * s->k, s->k);
}

static void sort_lists(void *job, struct threads_piece lists)
{
    const struct neighbour_search *s = job;
    for (int64_t i = lists.first; i < lists.last; i++)
        heap_sort(s->best + i * s->k, s->k);
}

/* ---- Tiles ------------------------------------------------------------------------------------ */

static void lock(struct neighbour_sweep *sweep, int64_t block)
{
    while (atomic_flag_test_and_set_explicit(&sweep->busy[block], memory_order_acquire))
        sched_yield();
}

static void unlock(struct neighbour_sweep *sweep, int64_t block)
{
    atomic_flag_clear_explicit(&sweep->busy[block], memory_order_release);
}

/* A panel of rows against a block of columns, both as places in their slabs. */
struct neighbour_tile {
    int64_t row, rows, col, cols;
    bool both;
};

static void multiply(const struct neighbour_sweep *sweep, const struct neighbour_tile *t,
                     float *tile)
{
    int64_t d = sweep->search->d;
    sweep->loops->product(&(struct panel_product){
        .rows = t->rows,
        .cols = t->cols,
        .depth = d,
        .A = sweep->asked.packed + t->row * d,
        .a_row = 1,
        .a_col = PANEL,
        .B = sweep->all.packed + t->col * d,
        .b_row = PANEL,
        .b_panel = PANEL * d,
        .C = tile,
        .c_row = BLOCK,
    });
    for (int64_t i = 0; i < t->rows;
         i++) { /* a row is no neighbour of itself: NaN reaches no bar */
        int64_t self = row_at(&sweep->asked, t->row + i) - row_at(&sweep->all, t->col);
        if (self >= 0 && self < t->cols)
            tile[i * BLOCK + self] = NAN;
    }
}

/* The bars of the columns of a tile, for its rows and those below them. */
static void read_bars(float bars[BLOCK], const struct neighbour_sweep *sweep,
                      const struct neighbour_tile *t)
{
    const struct neighbour_search *s = sweep->search;
    const uint64_t *lists = t->both ? s->best + (sweep->all.first + t->col) * s->k : NULL;
    int64_t first_row = row_at(&sweep->asked, t->row);
    for (int64_t j = 0; j < t->cols; j++)
        bars[j] = t->both ? heap_bar(lists + j * s->k, first_row) : INFINITY;
}

/* Offers what reaches a bar to the lists. Bars that rise meanwhile let too much pass, which
 * heap_offer finds out. */
static void offer_tile(const struct neighbour_sweep *sweep, const struct neighbour_tile *t,
                       const float *tile, const float bars[BLOCK])
{
    const struct neighbour_search *s = sweep->search;
    int64_t first_row = row_at(&sweep->asked, t->row), first_col = row_at(&sweep->all, t->col);
    uint64_t *row_lists = s->best + (sweep->asked.first + t->row) * s->k;
    uint64_t *col_lists = t->both ? s->best + (sweep->all.first + t->col) * s->k : NULL;
    int32_t reached[BLOCK];
    for (int64_t i = 0; i < t->rows; i++) {
        const float *score = tile + i * BLOCK;
        uint64_t *list = row_lists + i * s->k;
        int64_t count =
            sweep->loops->reach(reached, score, t->cols, heap_bar(list, first_col), bars);
        for (int64_t c = 0; c < count; c++) {
            int64_t j = reached[c];
            heap_offer(list, s->k, score[j], first_col + j);
            if (t->both)
                heap_offer(col_lists + j * s->k, s->k, score[j], first_row + i);
        }
    }
}

static int64_t blocks_of(const struct slab *slab)
{
    return pieces_of(slab->rows, BLOCK);
}

/* Within one slab block a meets the blocks from itself on, around the circle, until each pair has met. */
static int64_t tile_count(const struct neighbour_sweep *sweep)
{
    int64_t blocks = blocks_of(&sweep->asked);
    return sweep->same ? blocks * (blocks + 1) / 2 : blocks * blocks_of(&sweep->all);
}

static void run_tile(struct neighbour_sweep *sweep, int64_t index, float *work)
{
    int64_t height = blocks_of(&sweep->asked), a = index % height;
    int64_t b = (a + index / height) % blocks_of(&sweep->all);
    bool both = sweep->both && !(sweep->same && a == b); /* on the diagonal rows are columns too */
    int64_t lock_a = sweep->asked.first / BLOCK + a, lock_b = sweep->all.first / BLOCK + b;
    int64_t end = least(sweep->asked.rows, (a + 1) * BLOCK);
    float bars[BLOCK];
    for (int64_t row = a * BLOCK; row < end; row += PANEL) {
        struct neighbour_tile t = {row, least(PANEL, end - row), b * BLOCK,
                                   least(BLOCK, sweep->all.rows - b * BLOCK), both};
        multiply(sweep, &t, work);
        lock(sweep,
             both ? least(lock_a, lock_b) : lock_a); /* the lower first: nobody waits in a ring */
        if (both)
            lock(sweep, lock_a < lock_b ? lock_b : lock_a);
        if (row == a * BLOCK) /* the lists of the columns are far apart: looked at once a block */
            read_bars(bars, sweep, &t);
        offer_tile(sweep, &t, work, bars);
        unlock(sweep, lock_a);
        if (both)
            unlock(sweep, lock_b);
    }
}

static void take_tiles(void *job, struct threads_piece piece)
{
    struct neighbour_sweep *sweep = job;
    int64_t tiles = tile_count(sweep);
    for (;;) {
        int64_t index = atomic_fetch_add_explicit(&sweep->next, 1, memory_order_relaxed);
        if (index >= tiles || !threads_go_on())
            break;
        run_tile(sweep, index, sweep->work + piece.seat * (int64_t)WORK);
    }
}

/* ---- Slabs ------------------------------------------------------------------------------------ */

struct packing {
    const struct neighbour_sweep *sweep;
    const struct slab *slab;
};

static void pack_piece(void *job, struct threads_piece panels)
{
    const struct packing *packing = job;
    const struct neighbour_search *s = packing->sweep->search;
    const struct slab *slab = packing->slab;
    int64_t d = s->d;
    float *room = packing->sweep->room + panels.seat * PANEL * d;
    for (int64_t panel = panels.first; panel < panels.last; panel++) {
        int64_t first = panel * PANEL, count = least(PANEL, slab->rows - first);
        for (int64_t i = 0; i < count; i++) {
            int64_t row = row_at(slab, first + i);
            for (int64_t j = 0; j < d; j++)
                room[i * d + j] = s->Z[row * d + j] * s->scale[row];
        }
        pack_panel(slab->packed + first * d, room, d, true, d, count, 0);
    }
}

static void pack(struct context *c, const struct neighbour_sweep *sweep, const struct slab *slab)
{
    struct packing packing = {sweep, slab};
    threads_run(c->threads, pieces_of(slab->rows, PANEL), 1, pack_piece, &packing);
}

static void sweep_tiles(struct context *c, struct neighbour_sweep *sweep)
{
    atomic_store(&sweep->next, 0);
    threads_run(c->threads, c->threads, 1, take_tiles, sweep);
}

/* All slabs of `high` rows that are asked for against all slabs of `wide` rows. */
static void meet(struct context *c, struct neighbour_sweep *sweep, float *const packed[2],
                 int64_t high, int64_t wide)
{
    const struct neighbour_search *s = sweep->search;
    for (int64_t i = 0; i < s->asked; i += high) {
        sweep->asked = (struct slab){i, least(high, s->asked - i), s->list, packed[0]};
        pack(c, sweep, &sweep->asked);
        for (int64_t j = sweep->both ? i : 0; j < s->n; j += wide) {
            sweep->same = sweep->both && i == j;
            sweep->all = (struct slab){j, least(wide, s->n - j), NULL, packed[!sweep->same]};
            if (!sweep->same)
                pack(c, sweep, &sweep->all);
            sweep_tiles(c, sweep);
        }
    }
}

/* Rows of a slab, so that two of them, or one where all rows fit into it, take at most the memory. */
static int64_t slab_rows(const struct neighbour_search *s, int64_t rows, int64_t slabs)
{
    int64_t most = s->memory / (slabs * s->d * (int64_t)sizeof(float)) / BLOCK * BLOCK;
    most = most < BLOCK ? BLOCK : most;
    return least(rows, most);
}

graco_status cpu_neighbours(struct context *c, const struct neighbour_search *s)
{
    graco_status status = GRACO_OK;
    struct neighbour_sweep sweep = {.search = s, .loops = loops_choose(), .both = !s->list};
    bool whole = sweep.both && slab_rows(s, s->n, 1) == s->n;
    int64_t wide = slab_rows(s, s->n, whole ? 1 : 2);
    int64_t high = sweep.both ? wide : slab_rows(s, s->asked, 2);
    int64_t blocks = pieces_of(s->asked, BLOCK);
    float *packed[2] = {NULL, NULL};
    TRY(context_take(c, &sweep.busy, blocks, sizeof *sweep.busy));
    for (int64_t i = 0; i < blocks; i++)
        atomic_flag_clear(&sweep.busy[i]);
    TRY(context_take(c, &sweep.work, c->threads * (int64_t)WORK, sizeof(float)));
    TRY(context_take(c, &sweep.room, c->threads * PANEL * s->d, sizeof(float)));
    TRY(context_take(c, &packed[0], pack_size(s->d, high), sizeof(float)));
    if (!whole)
        TRY(context_take(c, &packed[1], pack_size(s->d, wide), sizeof(float)));
    threads_run(c->threads, s->asked, LISTS_PER_PIECE, begin_lists, (void *)s);
    meet(c, &sweep, packed, high, wide);
    threads_run(c->threads, s->asked, LISTS_PER_PIECE, sort_lists, (void *)s);
done:
    context_give(c, packed[1]);
    context_give(c, packed[0]);
    context_give(c, sweep.room);
    context_give(c, sweep.work);
    context_give(c, sweep.busy);
    return status;
}
