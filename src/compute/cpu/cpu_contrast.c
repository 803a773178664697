/* The exact contrast and InfoNCE, tiled.
 *
 * The 2n rows are cut into blocks that stay within a view, and each pair of blocks I <= J meets in a match
 * (cpu_tournament.c), tile by tile. The matrix of similarities is symmetric: a tile serves its rows of I
 * and, transposed, those of J. Threads take matches in their order. Before a match adds to its two
 * blocks it waits until both have ended the match before. So the order of every sum is fixed, whatever
 * the number of threads. On large graphs blocks are several tiles long: what a match reads and adds
 * to stays in the near cache from tile to tile.
 *
 * Forward: e = exp((x - 1) / tau), which cannot overflow, and the sums of its rows and columns.
 * Backward: the weights e_ij (1/D_i + 1/D_j) times Z, for rows and columns. The first tiles in
 * order are kept from the forward for the backward sweep as far as the budget goes. The others are
 * computed again by the same instructions, and have the same bits. A tile is computed in strips of rows,
 * which stay in the nearest cache from the product to the weights.
 *
 * With PRECISION_BF16 products read operands in bf16 (cpu_rounded.c), but for positive pairs: the terms of the
 * loss and of the gradient that they are in nearly cancel, so their similarities and weights are float32's.
 *
 * Over ranks (cpu_contrast_ring.c) a rank's rows also meet those of another: a sweep then has two sides
 * with blocks of their own, and every pair of these is a match.
 *
 * A sweep may last minutes. After each of its matches the calling thread tells the watch how far it is and
 * asks whether to go on. If not, no further match is taken. Those that are under way end, because a match
 * waits only for matches before it. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum {
    TILE_FLOATS = TILE * TILE,
    FLAT_PIECE = 16384,
    GRAIN = 16, /* columns of similarities: a whole register of any instruction set */
    STRIP = 48, /* rows of a tile that fit the nearest cache, in whole blocks of the product */
};

static const double LOG2E = 1.44269504088896340736;

/* A tile of a match: the rows of I against those of J. */
struct tile {
    int64_t index; /* among the places for tiles of the sweep */
    struct block I, J;
    bool between;  /* as the match */
    bool diagonal; /* I and J are the same */
};

/* One sweep over all tiles. */
struct tile_sweep {
    const struct contrast *spec;
    const struct loops *loops;
    struct side *side[2]; /* one side twice: its blocks meet each other, i <= j */
    float *tiles;         /* (kept, TILE_FLOATS) from the forward sweep */
    int64_t kept;
    bool backward;
    int64_t strip; /* rows of a tile that are computed at once */
    struct context *context;
    graco_status status; /* what the caller's watch said */
    atomic_llong next;   /* match that is taken next */
    float *work;         /* (threads, TILE_FLOATS + 2 TILE) */
    uint32_t *weights;   /* (threads, TILE_FLOATS) backward, bf16: weights by row, then by column */
};

static void wait_turn(struct side *side, int64_t block, int64_t turn)
{
    while (atomic_load_explicit(&side->turns[block], memory_order_acquire) != turn)
        sched_yield();
}

static void end_turn(struct side *side, int64_t block, int64_t turn)
{
    atomic_store_explicit(&side->turns[block], turn + 1, memory_order_release);
}

/* A thread's memory: a tile, then the sums of its rows, of its columns. */
static float *work_of(const struct tile_sweep *sweep, int seat)
{
    return sweep->work + seat * (int64_t)(TILE_FLOATS + 2 * TILE);
}

/* The similarities of a tile, or of a strip of it, in `room`, rows TILE apart. */
static void similarities(const struct tile_sweep *sweep, struct block I, struct block J,
                         float *room)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    int64_t d = sweep->spec->d, view = J.first / b->n, first = J.first - view * b->n;
    if (a->half.loops) {
        rounded_similarities(&a->half, &b->half, I, J, room);
        return;
    }
    sweep->loops->product(&(struct panel_product){
        .rows = I.rows,
        .cols = pieces_of(J.rows, GRAIN) * GRAIN, /* there are zeros behind the last */
        .depth = d,
        .A = a->Z + I.first * d,
        .a_row = d,
        .a_col = 1,
        .B = b->columns + view * pack_size(d, b->n) + first * d,
        .b_row = PANEL,
        .b_panel = PANEL * d,
        .C = room,
        .c_row = TILE,
    });
}

/* Whether a tile has the positive pairs of its rows on its diagonal, in need of more than bf16. */
static bool has_positives(const struct tile_sweep *sweep, struct tile t)
{
    const struct side *a = sweep->side[0];
    return a->half.loops && a == sweep->side[1] && t.J.first == t.I.first + a->n;
}

/* The similarities of a strip of a tile, from row `first` on, exponentiated. The sums of its rows and columns
 * are added to those in the thread's memory. */
static void exp_strip(const struct tile_sweep *sweep, struct tile t, int64_t first, float *room,
                      int seat)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    struct block I = {t.I.first + first, least(sweep->strip, t.I.rows - first)};
    float *row_sum = work_of(sweep, seat) + TILE_FLOATS, *col_sum = row_sum + TILE;
    float *diagonal = room + first;
    int64_t d = sweep->spec->d, ends = least(I.rows, t.J.rows - first);
    similarities(sweep, I, t.J, room);
    for (int64_t i = 0; i < ends && has_positives(sweep, t); i++)
        diagonal[i * TILE + i] = (float)sweep->loops->dot(a->Z + (I.first + i) * d,
                                                          b->Z + (t.J.first + first + i) * d, d);
    for (int64_t i = 0; i < ends && t.diagonal; i++)
        diagonal[i * TILE + i] = -1e30f; /* a row is no negative of itself: far below any cosine */
    sweep->loops->exp_tile(room, TILE, I.rows, t.J.rows, (float)(LOG2E / sweep->spec->tau),
                           row_sum + first, col_sum);
}

static void clear_columns(const struct tile_sweep *sweep, struct tile t, int seat)
{
    memset(work_of(sweep, seat) + TILE_FLOATS + TILE, 0, (size_t)t.J.rows * sizeof(float));
}

/* Forward: a tile's sums, in the thread's memory. Exponentials that are not kept are lost. */
static void sum_tile(const struct tile_sweep *sweep, struct tile t, int seat)
{
    bool kept = t.index < sweep->kept;
    float *room = kept ? sweep->tiles + t.index * TILE_FLOATS : work_of(sweep, seat);
    clear_columns(sweep, t, seat);
    for (int64_t first = 0; first < t.I.rows; first += sweep->strip)
        exp_strip(sweep, t, first, kept ? room + first * TILE : room, seat);
}

/* Weights from a strip's exponentials, in the thread's memory. */
static void weigh_strip(const struct tile_sweep *sweep, struct tile t, int64_t first, int64_t rows,
                        float *from, int seat)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    const float *row = a->inverse + t.I.first + first, *col = b->inverse + t.J.first;
    for (int64_t i = 0; i < least(rows, t.J.rows - first) && has_positives(sweep, t); i++)
        from[i * TILE + first + i] = 0; /* the positive pairs: see begin_sums */
    if (!a->half.loops) {
        sweep->loops->weigh_tile(work_of(sweep, seat) + first * TILE, from, TILE, rows, t.J.rows,
                                 row, col);
        return;
    }
    uint32_t *weights = sweep->weights + seat * (int64_t)TILE_FLOATS;
    a->half.loops->weigh_tile(
        &(struct bf16_weights){.by_row = weights + first * (TILE / 2),
                               .by_col = weights + TILE_FLOATS / 2 + first / 2 * TILE,
                               .tile = from,
                               .rows = rows,
                               .cols = t.J.rows,
                               .row = row,
                               .col = col});
}

/* Backward: a tile's weights, in the thread's memory. */
static void weigh_tile(const struct tile_sweep *sweep, struct tile t, int seat)
{
    bool kept = t.index < sweep->kept;
    clear_columns(sweep, t, seat);
    for (int64_t first = 0; first < t.I.rows; first += sweep->strip) {
        float *from = (kept ? sweep->tiles + t.index * TILE_FLOATS : work_of(sweep, seat));
        if (kept || !sweep->side[0]->half.loops)
            from += first * TILE;
        if (!kept)
            exp_strip(sweep, t, first, from, seat);
        weigh_strip(sweep, t, first, least(sweep->strip, t.I.rows - first), from, seat);
    }
}

/* dZ += W Z, where dZ has the rows of block `to`, Z those of block `from` on the other side, and W is the
 * tile's weights or, for the second side, their transpose. */
static void add_gradient(const struct tile_sweep *sweep, struct block to, struct block from,
                         bool turned, int seat)
{
    const struct side *given = sweep->side[turned], *read = sweep->side[!turned];
    int64_t d = sweep->spec->d;
    if (read->half.loops) {
        const uint32_t *W = sweep->weights + seat * (int64_t)TILE_FLOATS;
        rounded_gradient(&read->half, given->dZ, to, from, turned ? W + TILE_FLOATS / 2 : W,
                         turned ? 1 : TILE / 2, turned ? TILE : 1);
        return;
    }
    sweep->loops->product(&(struct panel_product){
        .rows = to.rows,
        .cols = d,
        .depth = from.rows,
        .A = work_of(sweep, seat),
        .a_row = turned ? 1 : TILE,
        .a_col = turned ? TILE : 1,
        .B = read->rows + from.first * PANEL,
        .b_row = PANEL,
        .b_panel = PANEL * 2 * read->n,
        .C = given->dZ + to.first * d,
        .c_row = d,
        .accumulate = true,
    });
}

static void add_sums(const struct side *side, struct tile t, struct block to, const float *sum)
{
    double *total = (t.between ? side->between : side->within) + to.first;
    for (int64_t i = 0; i < to.rows; i++)
        total[i] += (double)sum[i];
}

/* Adds what a tile has for the rows of its block of one side. */
static void give(const struct tile_sweep *sweep, struct tile t, int side, int seat)
{
    struct block to = side ? t.J : t.I, from = side ? t.I : t.J;
    if (sweep->backward)
        add_gradient(sweep, to, from, side, seat);
    else
        add_sums(sweep->side[side], t, to, work_of(sweep, seat) + TILE_FLOATS + side * TILE);
}

static int64_t tiles_along(struct block block)
{
    return pieces_of(block.rows, TILE);
}

static struct block stretch(struct block block, int64_t tile)
{
    int64_t first = tile * TILE;
    return (struct block){block.first + first, least(block.rows - first, TILE)};
}

/* The tile of row p and column q of a match. */
static struct tile tile_at(const struct tile_sweep *sweep, struct match m, int64_t p, int64_t q)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    return (struct tile){.index = (m.index * a->span + p) * b->span + q,
                         .I = stretch(block_at(a, m.i), p),
                         .J = stretch(block_at(b, m.j), q),
                         .between = m.between,
                         .diagonal = m.diagonal && p == q};
}

/* A tile of a match, the first or the last of it or neither: a block's turn is waited for and ended as late
 * and as soon as may be. The last tile of a block with itself is on the diagonal, and has nothing for
 * a second side. */
static void play_tile(struct tile_sweep *sweep, struct match m, struct tile t, bool first,
                      bool last, int seat)
{
    struct side *a = sweep->side[0], *b = sweep->side[1];
    if (sweep->backward)
        weigh_tile(sweep, t, seat);
    else
        sum_tile(sweep, t, seat);
    if (first)
        wait_turn(a, m.i, m.i_turn);
    give(sweep, t, 0, seat);
    if (last)
        end_turn(a, m.i, m.i_turn);
    if (t.diagonal)
        return;
    if (first && !m.diagonal)
        wait_turn(b, m.j, m.j_turn);
    give(sweep, t, 1, seat);
    if (last && !m.diagonal)
        end_turn(b, m.j, m.j_turn);
}

/* All tiles of a match; InfoNCE has none within a view. */
static void play(struct tile_sweep *sweep, struct match m, int seat)
{
    struct side *a = sweep->side[0], *b = sweep->side[1];
    int64_t rows = tiles_along(block_at(a, m.i)), cols = tiles_along(block_at(b, m.j));
    if (!m.between && !sweep->spec->within) {
        wait_turn(a, m.i, m.i_turn);
        end_turn(a, m.i, m.i_turn);
        if (!m.diagonal) {
            wait_turn(b, m.j, m.j_turn);
            end_turn(b, m.j, m.j_turn);
        }
        return;
    }
    for (int64_t p = 0; p < rows; p++)
        for (int64_t q = m.diagonal ? p : 0; q < cols; q++) {
            play_tile(sweep, m, tile_at(sweep, m, p, q), p + q == 0, p == rows - 1 && q == cols - 1,
                      seat);
            if (seat == 0)
                comm_move(sweep->context->comm);
        }
}

/* How much of both sweeps is done after so many tiles of this one: forward, a tile costs a product; backward
 * two, and a third where it was not kept. */
static double share_done(const struct tile_sweep *sweep, int64_t tiles)
{
    int64_t count = contrast_tiles(sweep->side[0], sweep->side[1]);
    double all = (double)count, kept = (double)least(count, sweep->kept), whole = 4 * all - kept;
    return (sweep->side[0]->dZ ? all + (double)tiles * (3 * all - kept) / all : (double)tiles) /
           whole;
}

/* Tells the watch how far the sweeps are after so many tiles. */
static void look_back(const struct tile_sweep *sweep, int64_t tiles)
{
    struct watch *watch = &sweep->context->watch;
    watch->share = share_done(sweep, tiles);
    if (watch->warm == 0 && tiles > sweep->kept) {
        watch->warm = threads_seconds();
        watch->warm_share = watch->share;
    }
}

/* One thread's part: matches as they come. The caller's own looks after each whether to go on. */
static void take_matches(void *job, struct threads_piece piece)
{
    struct tile_sweep *sweep = job;
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    int64_t matches = match_count(a, b);
    for (;;) {
        int64_t index = atomic_fetch_add_explicit(&sweep->next, 1, memory_order_relaxed);
        if (index >= matches)
            break;
        play(sweep, match_at(a, b, index), piece.seat);
        if (piece.seat != 0)
            continue;
        look_back(sweep, (index + 1) * a->span * b->span);
        sweep->status = context_look(sweep->context);
        if (sweep->status != GRACO_OK)
            atomic_store_explicit(&sweep->next, matches, memory_order_relaxed);
    }
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

graco_status contrast_sweep(struct context *c, const struct contrast *s, struct side *const side[2],
                            struct kept_tiles kept, bool backward)
{
    struct tile_sweep sweep = {.spec = s,
                               .loops = loops_choose(),
                               .side = {side[0], side[1]},
                               .tiles = kept.tiles,
                               .kept = kept.count,
                               .backward = backward,
                               .strip = side[0]->half.loops ? side[0]->half.loops->strip : STRIP,
                               .context = c};
    atomic_init(&sweep.next, 0);
    for (int k = 0; k < 2; k++)
        for (int64_t block = 0; block < side[k]->blocks; block++)
            atomic_init(&side[k]->turns[block], 0);
    graco_status status = GRACO_OK;
    TRY(context_take(c, &sweep.work, c->threads * (int64_t)(TILE_FLOATS + 2 * TILE),
                     sizeof(float)));
    if (backward && side[0]->half.loops)
        TRY(context_take(c, &sweep.weights, c->threads * (int64_t)TILE_FLOATS,
                         sizeof *sweep.weights));
    threads_run(c->threads, c->threads, 1, take_matches, &sweep);
    status = sweep.status;
done:
    context_give(c, sweep.work);
    context_give(c, sweep.weights);
    return status;
}

/* The rows of a contrast with what a loop over them fills. */
struct row_loop {
    const struct contrast *spec;
    float *dZ;
    double tau_rows; /* tau times all rows */
    bool rounded;    /* products are bf16's */
};

/* The positive pair's (x - 1) / tau of every row, for now in the place of its D. */
static void find_positives(void *job, struct threads_piece rows)
{
    const struct contrast *s = ((const struct row_loop *)job)->spec;
    const struct loops *loops = loops_choose();
    for (int64_t i = rows.first; i < rows.last; i++) {
        const float *z = s->Z + i * s->d, *positive = s->Z + (i + s->n) % (2 * s->n) * s->d;
        s->D[i] = (loops->dot(z, positive, s->d) - 1) / s->tau;
    }
}

graco_status contrast_sum_up(struct context *c, struct contrast *s, const struct side *side)
{
    int64_t all = s->bounds ? s->bounds[comm_ranks(c->comm)] : s->n;
    double sums[2] = {0, 0}; /* of the loss and the estimate, in the order of the rows */
    threads_run(c->threads, 2 * s->n, ROWS_PER_PIECE, find_positives,
                &(struct row_loop){.spec = s});
    for (int64_t i = 0; i < 2 * s->n; i++) {
        double x = s->D[i];
        s->D[i] = side->between[i] + (s->within ? side->within[i] : 0);
        sums[0] += log(s->D[i]) - x;
        sums[1] += x - log(side->between[i]);
    }
    PASS(comm_sum_doubles(c->comm, sums, 2));
    s->loss = sums[0] / (double)(2 * all);
    s->mutual_information = log((double)all) + sums[1] / (double)(2 * all);
    return GRACO_OK;
}

/* Sums begin with the positive pair, which the negatives nearly cancel: they shrink as they go. Its own
 * weight among them is there already where the others are rounded. */
static void begin_sums(void *job, struct threads_piece rows)
{
    const struct row_loop *loop = job;
    const struct contrast *s = loop->spec;
    int64_t n = s->n, d = s->d;
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t partner = (i + n) % (2 * n);
        const float *z = s->Z + partner * d;
        float pull = -2;
        if (loop->rounded) {
            double x = loops_choose()->dot(s->Z + i * d, z, d);
            pull += (float)(exp((x - 1) / s->tau) * (1 / s->D[i] + 1 / s->D[partner]));
        }
        for (int64_t j = 0; j < d; j++)
            loop->dZ[i * d + j] = pull * z[j];
    }
}

void contrast_begin_gradient(struct context *c, const struct contrast *s, float *dZ)
{
    struct row_loop loop = {.spec = s, .dZ = dZ, .rounded = contrast_half(c)};
    threads_run(c->threads, 2 * s->n, ROWS_PER_PIECE, begin_sums, &loop);
}

static void scale_sums(void *job, struct threads_piece piece)
{
    const struct row_loop *loop = job;
    float scale = (float)(1 / loop->tau_rows);
    for (int64_t i = piece.first; i < piece.last; i++)
        loop->dZ[i] *= scale;
}

void contrast_end_gradient(struct context *c, const struct contrast *s, float *dZ)
{
    int64_t all = s->bounds ? s->bounds[comm_ranks(c->comm)] : s->n;
    struct row_loop loop = {.dZ = dZ, .tau_rows = (double)(2 * all) * s->tau};
    threads_run(c->threads, 2 * s->n * s->d, FLAT_PIECE, scale_sums, &loop);
}

struct kept_tiles contrast_kept(const struct contrast *s, int64_t used, int64_t count)
{
    int64_t room = s->tile_floats / TILE_FLOATS - used;
    return (struct kept_tiles){s->tiles + used * TILE_FLOATS, least(room, count)};
}

/* ---- One process ----------------------------------------------------------------------------- */

graco_status cpu_contrast(struct context *c, struct contrast *s)
{
    struct side side = {0};
    size_t bytes = (size_t)(2 * s->n) * sizeof(double);
    graco_status status = GRACO_OK;
    if (s->graphs > 0)
        return cpu_contrast_graphs(c, s);
    if (s->bounds)
        return cpu_contrast_ring(c, s);
    TRY(side_init(c, &side, s, s->n, s->Z));
    TRY(side_pack_columns(c, &side, s->d));
    TRY(context_take(c, &side.between, 2 * s->n, sizeof(double)));
    TRY(context_take(c, &side.within, 2 * s->n, sizeof(double)));
    memset(side.between, 0, bytes);
    memset(side.within, 0, bytes);
    c->watch.since = threads_seconds();
    c->watch.warm = 0;
    TRY(contrast_sweep(c, s, (struct side *[2]){&side, &side},
                       contrast_kept(s, 0, contrast_tiles(&side, &side)), false));
    TRY(contrast_sum_up(c, s, &side));
done:
    context_give(c, side.between);
    context_give(c, side.within);
    side_clear(c, &side);
    return status;
}

graco_status cpu_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct side side = {0};
    int64_t n = s->n;
    float *inverse = NULL;
    graco_status status = GRACO_OK;
    if (s->graphs > 0)
        return cpu_contrast_graphs_backward(c, s, dZ);
    if (s->bounds)
        return cpu_contrast_ring_backward(c, s, dZ);
    TRY(side_init(c, &side, s, n, s->Z));
    TRY(side_pack_rows(c, &side, s->d));
    struct kept_tiles kept = contrast_kept(s, 0, contrast_tiles(&side, &side));
    if (kept.count < contrast_tiles(&side, &side))
        TRY(side_pack_columns(c, &side, s->d));
    TRY(context_take(c, &inverse, 2 * n, sizeof(float)));
    for (int64_t i = 0; i < 2 * n; i++)
        inverse[i] = (float)(1 / s->D[i]);
    side.inverse = inverse;
    side.dZ = dZ;
    contrast_begin_gradient(c, s, dZ);
    TRY(contrast_sweep(c, s, (struct side *[2]){&side, &side}, kept, true));
    contrast_end_gradient(c, s, dZ);
done:
    context_give(c, inverse);
    side_clear(c, &side);
    return status;
}
