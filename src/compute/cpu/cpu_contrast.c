/* The exact contrast and InfoNCE, tiled.
 *
 * The 2n rows are cut into blocks that stay within a view. A tile is a pair of blocks I <= J. The
 * matrix of similarities is symmetric: the tile serves the rows of I and, transposed, those of J.
 * Tiles run in the order of a round-robin tournament: in round r block I meets block (r - I) mod B,
 * so every block plays once a round. Threads take tiles in that order. Before a tile adds to its
 * two blocks it waits until both have finished the round before. So the order of every sum is
 * fixed, whatever the number of threads, and a thread hardly ever waits.
 *
 * Forward: e = exp((x - 1) / tau), which cannot overflow, and the sums of its rows and columns.
 * Backward: the weights e_ij (1/D_i + 1/D_j) times Z, for rows and columns. The first tiles in
 * order are kept from the forward for the backward sweep as far as the budget goes. The others are
 * computed again by the same instructions, and have the same bits.
 *
 * With PRECISION_BF16 products read operands in bf16 (cpu_rounded.c), but for positive pairs: the terms of the
 * loss and of the gradient that they are in nearly cancel, so their similarities and weights are float32's.
 *
 * A sweep may last minutes. After each of its tiles the calling thread tells the watch how far it is and
 * asks whether to go on. If not, no further tile is taken. Those that are under way end, because a tile
 * waits only for tiles before it. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    TILE = CONTRAST_TILE,
    TILE_FLOATS = TILE * TILE,
    PANELS_PER_PIECE = 4,
    ROWS_PER_PIECE = 256,
    FLAT_PIECE = 16384,
};

static const double LOG2E = 1.44269504088896340736;

struct tile {
    int64_t index, round;
    int64_t i, j; /* blocks, i <= j */
    bool between; /* its blocks are of different views */
};

/* One sweep over all tiles. */
struct tile_sweep {
    const struct contrast *spec;
    const struct loops *loops;
    int64_t per_view, blocks; /* blocks of one view, of both */
    int64_t kept;             /* tiles kept from the forward sweep */
    void (*run)(struct tile_sweep *, struct tile, int seat);
    struct context *context;
    graco_status status;      /* what the caller's watch said */
    atomic_llong next;        /* tile that is taken next */
    atomic_llong *round;      /* (blocks) rounds that a block has finished */
    float *work;              /* (threads, TILE_FLOATS + 2 TILE) */
    float *columns;           /* each view's Z', packed: where similarities are computed */
    float *rows;              /* backward: Z, packed */
    struct rounded_rows half; /* the two in bf16 */
    uint32_t *weights; /* (threads, TILE_FLOATS) backward, bf16: weights by row, then by column */
    double *between, *within; /* (2n) forward: sums over the other and the own view */
    const float *inverse;     /* (2n) backward: 1 / D */
    float *dZ;                /* (2n, d) backward */
};

static struct block block_at(const struct tile_sweep *sweep, int64_t index)
{
    int64_t n = sweep->spec->n, view = index / sweep->per_view;
    int64_t first = index % sweep->per_view * TILE;
    return (struct block){view * n + first, least(n - first, TILE)};
}

static int64_t tile_count(const struct tile_sweep *sweep)
{
    return sweep->blocks * (sweep->blocks + 1) / 2;
}

/* With B blocks, an even number, an even round has B / 2 + 1 tiles, two of them on the diagonal,
 * and an odd one B / 2. In round r come first the pairs whose blocks add up to r, then those that
 * add up to r + B. */
static struct tile tile_at(const struct tile_sweep *sweep, int64_t index)
{
    int64_t B = sweep->blocks, even = B / 2 + 1, rest = index % (B + 1);
    int64_t round = 2 * (index / (B + 1)) + (rest >= even), k = rest >= even ? rest - even : rest;
    int64_t low = round / 2 + 1;
    int64_t i = k < low ? k : round + 1 + k - low;
    int64_t j = k < low ? round - i : round + B - i;
    return (struct tile){index, round, i, j, (i < sweep->per_view) != (j < sweep->per_view)};
}

static void wait_turn(struct tile_sweep *sweep, int64_t block, int64_t round)
{
    while (atomic_load_explicit(&sweep->round[block], memory_order_acquire) != round)
        sched_yield();
}

static void end_turn(struct tile_sweep *sweep, int64_t block, int64_t round)
{
    atomic_store_explicit(&sweep->round[block], round + 1, memory_order_release);
}

/* A thread's memory: a tile, then the sums of its rows, of its columns. */
static float *work_of(const struct tile_sweep *sweep, int seat)
{
    return sweep->work + seat * (int64_t)(TILE_FLOATS + 2 * TILE);
}

/* The similarities of a tile in `room`, rows TILE apart. */
static void similarities(const struct tile_sweep *sweep, struct block I, struct block J,
                         float *room)
{
    const struct contrast *s = sweep->spec;
    int64_t view = J.first / s->n, first = J.first - view * s->n;
    if (sweep->half.loops) {
        rounded_similarities(&sweep->half, I, J, room);
        return;
    }
    sweep->loops->product(&(struct panel_product){
        .rows = I.rows,
        .cols = J.rows,
        .depth = s->d,
        .A = s->Z + I.first * s->d,
        .a_row = s->d,
        .a_col = 1,
        .B = sweep->columns + view * pack_size(s->d, s->n) + first * s->d,
        .b_row = PANEL,
        .b_panel = PANEL * s->d,
        .C = room,
        .c_row = TILE,
    });
}

/* Whether a tile has the positive pairs of its rows on its diagonal, in need of more than bf16. */
static bool has_positives(const struct tile_sweep *sweep, struct block I, struct block J)
{
    return sweep->half.loops && J.first == I.first + sweep->spec->n;
}

/* The similarities, exponentiated, with their sums in the thread's memory. */
static void exp_similarities(const struct tile_sweep *sweep, struct block I, struct block J,
                             float *room, int seat)
{
    float *row_sum = work_of(sweep, seat) + TILE_FLOATS, *col_sum = row_sum + TILE;
    const struct contrast *s = sweep->spec;
    similarities(sweep, I, J, room);
    for (int64_t i = 0; i < I.rows && has_positives(sweep, I, J); i++)
        room[i * TILE + i] = (float)sweep->loops->dot(s->Z + (I.first + i) * s->d,
                                                      s->Z + (J.first + i) * s->d, s->d);
    if (I.first == J.first) /* a row is no negative of itself: far below any cosine */
        for (int64_t i = 0; i < I.rows; i++)
            room[i * TILE + i] = -1e30f;
    sweep->loops->exp_tile(room, TILE, I.rows, J.rows, (float)(LOG2E / s->tau), row_sum, col_sum);
}

static void add_sums(double *total, const float *sum, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        total[i] += (double)sum[i];
}

static void forward_tile(struct tile_sweep *sweep, struct tile t, int seat)
{
    struct block I = block_at(sweep, t.i), J = block_at(sweep, t.j);
    float *work = work_of(sweep, seat), *row_sum = work + TILE_FLOATS, *col_sum = row_sum + TILE;
    float *room = t.index < sweep->kept ? sweep->spec->tiles + t.index * TILE_FLOATS : work;
    double *total = t.between ? sweep->between : sweep->within;
    bool used = t.between || sweep->spec->within;
    if (used)
        exp_similarities(sweep, I, J, room, seat);
    wait_turn(sweep, t.i, t.round);
    if (used)
        add_sums(total + I.first, row_sum, I.rows);
    end_turn(sweep, t.i, t.round);
    if (t.i == t.j)
        return;
    wait_turn(sweep, t.j, t.round);
    if (used)
        add_sums(total + J.first, col_sum, J.rows);
    end_turn(sweep, t.j, t.round);
}

/* A tile's weights from its exponentials: over the thread's tile, or in bf16. */
static void weigh(const struct tile_sweep *sweep, struct block I, struct block J, const float *from,
                  int seat)
{
    const float *row = sweep->inverse + I.first, *col = sweep->inverse + J.first;
    if (!sweep->half.loops) {
        sweep->loops->weigh_tile(work_of(sweep, seat), from, TILE, I.rows, J.rows, row, col);
        return;
    }
    uint32_t *weights = sweep->weights + seat * (int64_t)TILE_FLOATS;
    sweep->half.loops->weigh_tile(&(struct bf16_weights){.by_row = weights,
                                                         .by_col = weights + TILE_FLOATS / 2,
                                                         .tile = from,
                                                         .rows = I.rows,
                                                         .cols = J.rows,
                                                         .row = row,
                                                         .col = col});
}

/* dZ += W Z, where dZ has the rows of block `to`, Z those of block `from`, and W is the tile's weights or,
 * where `turned`, their transpose. */
static void add_gradient(const struct tile_sweep *sweep, struct block to, struct block from,
                         bool turned, int seat)
{
    const struct contrast *s = sweep->spec;
    if (sweep->half.loops) {
        const uint32_t *W = sweep->weights + seat * (int64_t)TILE_FLOATS;
        rounded_gradient(&sweep->half, sweep->dZ, to, from, turned ? W + TILE_FLOATS / 2 : W,
                         turned ? 1 : TILE / 2, turned ? TILE : 1);
        return;
    }
    sweep->loops->product(&(struct panel_product){
        .rows = to.rows,
        .cols = s->d,
        .depth = from.rows,
        .A = work_of(sweep, seat),
        .a_row = turned ? 1 : TILE,
        .a_col = turned ? TILE : 1,
        .B = sweep->rows + from.first * PANEL,
        .b_row = PANEL,
        .b_panel = PANEL * 2 * s->n,
        .C = sweep->dZ + to.first * s->d,
        .c_row = s->d,
        .accumulate = true,
    });
}

static void backward_tile(struct tile_sweep *sweep, struct tile t, int seat)
{
    struct block I = block_at(sweep, t.i), J = block_at(sweep, t.j);
    float *from = work_of(sweep, seat);
    bool used = t.between || sweep->spec->within;
    if (used) {
        if (t.index < sweep->kept)
            from = sweep->spec->tiles + t.index * TILE_FLOATS;
        else
            exp_similarities(sweep, I, J, from, seat);
        for (int64_t i = 0; i < I.rows && has_positives(sweep, I, J); i++)
            from[i * TILE + i] = 0; /* the positive pairs: see begin_sums */
        weigh(sweep, I, J, from, seat);
    }
    wait_turn(sweep, t.i, t.round);
    if (used)
        add_gradient(sweep, I, J, false, seat);
    end_turn(sweep, t.i, t.round);
    if (t.i == t.j)
        return;
    wait_turn(sweep, t.j, t.round);
    if (used)
        add_gradient(sweep, J, I, true, seat);
    end_turn(sweep, t.j, t.round);
}

/* How much of both sweeps is done after so many tiles of this one: forward, a tile costs a product; backward
 * two, and a third where it was not kept. */
static double share_done(const struct tile_sweep *sweep, int64_t tiles)
{
    double all = (double)tile_count(sweep), kept = least((int64_t)all, sweep->kept);
    double whole = 4 * all - kept;
    return (sweep->dZ ? all + (double)tiles * (3 * all - kept) / all : (double)tiles) / whole;
}

/* Tells the watch how far the sweeps are after a tile. */
static void look_back(const struct tile_sweep *sweep, int64_t index)
{
    struct watch *watch = &sweep->context->watch;
    watch->share = share_done(sweep, index + 1);
    if (watch->warm == 0 && index >= sweep->kept) {
        watch->warm = threads_seconds();
        watch->warm_share = watch->share;
    }
}

/* One thread's part: tiles as they come. The caller's own looks after each whether to go on. */
static void take_tiles(void *job, struct threads_piece piece)
{
    struct tile_sweep *sweep = job;
    int64_t tiles = tile_count(sweep);
    for (;;) {
        int64_t index = atomic_fetch_add_explicit(&sweep->next, 1, memory_order_relaxed);
        if (index >= tiles)
            break;
        sweep->run(sweep, tile_at(sweep, index), piece.seat);
        if (piece.seat != 0)
            continue;
        look_back(sweep, index);
        sweep->status = context_look(sweep->context);
        if (sweep->status != GRACO_OK)
            atomic_store_explicit(&sweep->next, tiles, memory_order_relaxed);
    }
}

static graco_status run_tiles(struct context *c, struct tile_sweep *sweep,
                              void (*run)(struct tile_sweep *, struct tile, int))
{
    sweep->run = run;
    sweep->context = c;
    threads_run(c->threads, c->threads, 1, take_tiles, sweep);
    return sweep->status;
}

/* The panels of both views, one view after the other. */
static void pack_columns_piece(void *job, struct threads_piece piece)
{
    const struct tile_sweep *sweep = job;
    const struct contrast *s = sweep->spec;
    int64_t panels = pieces_of(s->n, PANEL);
    for (int64_t i = piece.first; i < piece.last; i++) {
        int64_t view = i / panels;
        pack_panel(sweep->columns + view * pack_size(s->d, s->n), s->Z + view * s->n * s->d, s->d,
                   true, s->d, s->n, i % panels);
    }
}

static graco_status pack_columns(struct context *c, struct tile_sweep *sweep)
{
    const struct contrast *s = sweep->spec;
    if (sweep->half.loops)
        return rounded_columns(c, &sweep->half);
    PASS(context_take(c, &sweep->columns, 2 * pack_size(s->d, s->n), sizeof(float)));
    threads_run(c->threads, 2 * pieces_of(s->n, PANEL), PANELS_PER_PIECE, pack_columns_piece,
                sweep);
    return GRACO_OK;
}

static void pack_rows_piece(void *job, struct threads_piece panels)
{
    const struct tile_sweep *sweep = job;
    const struct contrast *s = sweep->spec;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        pack_panel(sweep->rows, s->Z, s->d, false, 2 * s->n, s->d, panel);
}

static graco_status pack_rows(struct context *c, struct tile_sweep *sweep)
{
    const struct contrast *s = sweep->spec;
    if (sweep->half.loops) {
        PASS(context_take(c, &sweep->weights, c->threads * (int64_t)TILE_FLOATS,
                          sizeof *sweep->weights));
        return rounded_row_pairs(c, &sweep->half);
    }
    PASS(context_take(c, &sweep->rows, pack_size(2 * s->n, s->d), sizeof(float)));
    threads_run(c->threads, pieces_of(s->d, PANEL), 1, pack_rows_piece, sweep);
    return GRACO_OK;
}

/* Fills in what both sweeps share. The buffers that it takes go back with clear_sweep. */
static graco_status init_sweep(struct context *c, struct tile_sweep *sweep,
                               const struct contrast *s)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->spec = s;
    sweep->loops = loops_choose();
    sweep->half.spec = s;
    if (c->precision == PRECISION_BF16)
        sweep->half.loops = loops_bf16_choose(0);
    sweep->per_view = pieces_of(s->n, TILE);
    sweep->blocks = 2 * sweep->per_view;
    sweep->kept = s->tile_floats / TILE_FLOATS;
    atomic_init(&sweep->next, 0);
    PASS(context_take(c, &sweep->work, c->threads * (int64_t)(TILE_FLOATS + 2 * TILE),
                      sizeof(float)));
    PASS(context_take(c, &sweep->round, sweep->blocks, sizeof *sweep->round));
    for (int64_t block = 0; block < sweep->blocks; block++)
        atomic_init(&sweep->round[block], 0);
    return GRACO_OK;
}

static void clear_sweep(struct context *c, struct tile_sweep *sweep)
{
    context_give(c, sweep->work);
    context_give(c, sweep->columns);
    context_give(c, sweep->rows);
    rounded_clear(c, &sweep->half);
    context_give(c, sweep->weights);
    context_give(c, sweep->round);
}

/* The positive pair's (x - 1) / tau of every row, for now in the place of its D. */
static void find_positives(void *job, struct threads_piece rows)
{
    const struct tile_sweep *sweep = job;
    const struct contrast *s = sweep->spec;
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *z = s->Z + i * s->d, *positive = s->Z + (i + s->n) % (2 * s->n) * s->d;
        s->D[i] = (sweep->loops->dot(z, positive, s->d) - 1) / s->tau;
    }
}

/* Loss and estimate from the sums, in the order of the rows. */
static void sum_up(struct contrast *s, const struct tile_sweep *sweep)
{
    int64_t n = s->n;
    double loss = 0, estimate = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        double x = s->D[i];
        s->D[i] = sweep->between[i] + (s->within ? sweep->within[i] : 0);
        loss += log(s->D[i]) - x;
        estimate += x - log(sweep->between[i]);
    }
    s->loss = loss / (double)(2 * n);
    s->mutual_information = log((double)n) + estimate / (double)(2 * n);
}

graco_status cpu_contrast(struct context *c, struct contrast *s)
{
    struct tile_sweep sweep;
    size_t bytes = (size_t)(2 * s->n) * sizeof(double);
    graco_status status = GRACO_OK;
    if (s->graphs > 0)
        return cpu_contrast_graphs(c, s);
    TRY(init_sweep(c, &sweep, s));
    TRY(pack_columns(c, &sweep));
    TRY(context_take(c, &sweep.between, 2 * s->n, sizeof(double)));
    TRY(context_take(c, &sweep.within, 2 * s->n, sizeof(double)));
    memset(sweep.between, 0, bytes);
    memset(sweep.within, 0, bytes);
    c->watch.since = threads_seconds();
    c->watch.warm = 0;
    TRY(run_tiles(c, &sweep, forward_tile));
    threads_run(c->threads, 2 * s->n, ROWS_PER_PIECE, find_positives, &sweep);
    sum_up(s, &sweep);
done:
    context_give(c, sweep.between);
    context_give(c, sweep.within);
    clear_sweep(c, &sweep);
    return status;
}

/* Sums begin with the positive pair, which the negatives nearly cancel: they shrink as they go. Its own
 * weight among them is there already where the others are rounded. */
static void begin_sums(void *job, struct threads_piece rows)
{
    const struct tile_sweep *sweep = job;
    const struct contrast *s = sweep->spec;
    int64_t n = s->n, d = s->d;
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t partner = (i + n) % (2 * n);
        const float *z = s->Z + partner * d;
        float pull = -2;
        if (sweep->half.loops) {
            double x = sweep->loops->dot(s->Z + i * d, z, d);
            pull += (float)(exp((x - 1) / s->tau) * (1 / s->D[i] + 1 / s->D[partner]));
        }
        for (int64_t j = 0; j < d; j++)
            sweep->dZ[i * d + j] = pull * z[j];
    }
}

static void scale_sums(void *job, struct threads_piece piece)
{
    const struct tile_sweep *sweep = job;
    float scale = (float)(1 / ((double)(2 * sweep->spec->n) * sweep->spec->tau));
    for (int64_t i = piece.first; i < piece.last; i++)
        sweep->dZ[i] *= scale;
}

graco_status cpu_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct tile_sweep sweep;
    int64_t n = s->n;
    float *inverse = NULL;
    graco_status status = GRACO_OK;
    if (s->graphs > 0)
        return cpu_contrast_graphs_backward(c, s, dZ);
    TRY(init_sweep(c, &sweep, s));
    TRY(pack_rows(c, &sweep));
    if (sweep.kept < tile_count(&sweep))
        TRY(pack_columns(c, &sweep));
    TRY(context_take(c, &inverse, 2 * n, sizeof(float)));
    for (int64_t i = 0; i < 2 * n; i++)
        inverse[i] = (float)(1 / s->D[i]);
    sweep.inverse = inverse;
    sweep.dZ = dZ;
    threads_run(c->threads, 2 * n, ROWS_PER_PIECE, begin_sums, &sweep);
    TRY(run_tiles(c, &sweep, backward_tile));
    threads_run(c->threads, 2 * n * s->d, FLAT_PIECE, scale_sums, &sweep);
done:
    context_give(c, inverse);
    clear_sweep(c, &sweep);
    return status;
}
