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
 * Over ranks (cpu_contrast_ring.c) a rank's rows also meet those of another: a sweep then has two sides
 * with blocks of their own, and every pair of these is a tile. In round r block a of the side that has
 * fewer meets block (r - a) mod R of the R on the other side.
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
    TILE_FLOATS = TILE * TILE,
    PANELS_PER_PIECE = 4,
    FLAT_PIECE = 16384,
    GRAIN = 16, /* columns of similarities: a whole register of any instruction set */
};

static const double LOG2E = 1.44269504088896340736;

struct tile {
    int64_t index;
    int64_t i, j;           /* blocks of either side */
    int64_t i_turn, j_turn; /* tiles that each has been in before */
    bool between;           /* its blocks are of different views */
    bool diagonal;          /* they are the same */
};

/* One sweep over all tiles. */
struct tile_sweep {
    const struct contrast *spec;
    const struct loops *loops;
    struct side *side[2]; /* one side twice: its blocks meet each other, i <= j */
    float *tiles;         /* (kept, TILE_FLOATS) from the forward sweep */
    int64_t kept;
    void (*run)(struct tile_sweep *, struct tile, int seat);
    struct context *context;
    graco_status status; /* what the caller's watch said */
    atomic_llong next;   /* tile that is taken next */
    float *work;         /* (threads, TILE_FLOATS + 2 TILE) */
    uint32_t *weights;   /* (threads, TILE_FLOATS) backward, bf16: weights by row, then by column */
};

static struct block block_at(const struct side *side, int64_t index)
{
    int64_t view = side->view + index / side->per_view;
    int64_t first = index % side->per_view * TILE;
    return (struct block){view * side->n + first, least(side->n - first, TILE)};
}

static int64_t view_of(const struct side *side, int64_t index)
{
    return side->view + index / side->per_view;
}

int64_t contrast_tiles(const struct side *a, const struct side *b)
{
    return a == b ? a->blocks * (a->blocks + 1) / 2 : a->blocks * b->blocks;
}

static int64_t tile_count(const struct tile_sweep *sweep)
{
    return contrast_tiles(sweep->side[0], sweep->side[1]);
}

/* With B blocks, an even number, an even round has B / 2 + 1 tiles, two of them on the diagonal,
 * and an odd one B / 2. In round r come first the pairs whose blocks add up to r, then those that
 * add up to r + B. */
static struct tile square_tile(const struct side *side, int64_t index)
{
    int64_t B = side->blocks, even = B / 2 + 1, rest = index % (B + 1);
    int64_t round = 2 * (index / (B + 1)) + (rest >= even), k = rest >= even ? rest - even : rest;
    int64_t low = round / 2 + 1;
    int64_t i = k < low ? k : round + 1 + k - low;
    int64_t j = k < low ? round - i : round + B - i;
    return (struct tile){.index = index,
                         .i = i,
                         .j = j,
                         .i_turn = round,
                         .j_turn = round,
                         .between = view_of(side, i) != view_of(side, j),
                         .diagonal = i == j};
}

/* How many of the first x rounds a block sits in that plays in the first `fewer` of every `more`. */
static int64_t rounds_played(int64_t x, int64_t fewer, int64_t more)
{
    return x / more * fewer + least(x % more, fewer);
}

static struct tile pair_tile(const struct side *a, const struct side *b, int64_t index)
{
    int64_t fewer = least(a->blocks, b->blocks), more = a->blocks + b->blocks - fewer;
    int64_t round = index / fewer, few = index % fewer, many = ((round - few) % more + more) % more;
    int64_t turn =
        rounds_played(round - many + more, fewer, more) - rounds_played(more - many, fewer, more);
    bool first = a->blocks == fewer; /* the side with fewer blocks */
    struct tile t = {.index = index, .i = first ? few : many, .j = first ? many : few};
    t.i_turn = first ? round : turn;
    t.j_turn = first ? turn : round;
    t.between = view_of(a, t.i) != view_of(b, t.j);
    return t;
}

static struct tile tile_at(const struct tile_sweep *sweep, int64_t index)
{
    return sweep->side[0] == sweep->side[1] ? square_tile(sweep->side[0], index)
                                            : pair_tile(sweep->side[0], sweep->side[1], index);
}

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

/* The similarities of a tile in `room`, rows TILE apart. */
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
static bool has_positives(const struct tile_sweep *sweep, struct block I, struct block J)
{
    const struct side *a = sweep->side[0];
    return a->half.loops && a == sweep->side[1] && J.first == I.first + a->n;
}

/* The similarities, exponentiated, with their sums in the thread's memory. */
static void exp_similarities(const struct tile_sweep *sweep, struct tile t, float *room, int seat)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    struct block I = block_at(a, t.i), J = block_at(b, t.j);
    float *row_sum = work_of(sweep, seat) + TILE_FLOATS, *col_sum = row_sum + TILE;
    int64_t d = sweep->spec->d;
    similarities(sweep, I, J, room);
    for (int64_t i = 0; i < I.rows && has_positives(sweep, I, J); i++)
        room[i * TILE + i] =
            (float)sweep->loops->dot(a->Z + (I.first + i) * d, b->Z + (J.first + i) * d, d);
    if (t.diagonal) /* a row is no negative of itself: far below any cosine */
        for (int64_t i = 0; i < I.rows; i++)
            room[i * TILE + i] = -1e30f;
    sweep->loops->exp_tile(room, TILE, I.rows, J.rows, (float)(LOG2E / sweep->spec->tau), row_sum,
                           col_sum);
}

static void add_sums(double *total, const float *sum, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        total[i] += (double)sum[i];
}

static double *sums_of(const struct side *side, struct tile t)
{
    return t.between ? side->between : side->within;
}

static void forward_tile(struct tile_sweep *sweep, struct tile t, int seat)
{
    struct side *a = sweep->side[0], *b = sweep->side[1];
    struct block I = block_at(a, t.i), J = block_at(b, t.j);
    float *work = work_of(sweep, seat), *row_sum = work + TILE_FLOATS, *col_sum = row_sum + TILE;
    float *room = t.index < sweep->kept ? sweep->tiles + t.index * TILE_FLOATS : work;
    bool used = t.between || sweep->spec->within;
    if (used)
        exp_similarities(sweep, t, room, seat);
    wait_turn(a, t.i, t.i_turn);
    if (used)
        add_sums(sums_of(a, t) + I.first, row_sum, I.rows);
    end_turn(a, t.i, t.i_turn);
    if (t.diagonal)
        return;
    wait_turn(b, t.j, t.j_turn);
    if (used)
        add_sums(sums_of(b, t) + J.first, col_sum, J.rows);
    end_turn(b, t.j, t.j_turn);
}

/* A tile's weights from its exponentials: over the thread's tile, or in bf16. */
static void weigh(const struct tile_sweep *sweep, struct block I, struct block J, const float *from,
                  int seat)
{
    const struct side *a = sweep->side[0], *b = sweep->side[1];
    const float *row = a->inverse + I.first, *col = b->inverse + J.first;
    if (!a->half.loops) {
        sweep->loops->weigh_tile(work_of(sweep, seat), from, TILE, I.rows, J.rows, row, col);
        return;
    }
    uint32_t *weights = sweep->weights + seat * (int64_t)TILE_FLOATS;
    a->half.loops->weigh_tile(&(struct bf16_weights){.by_row = weights,
                                                     .by_col = weights + TILE_FLOATS / 2,
                                                     .tile = from,
                                                     .rows = I.rows,
                                                     .cols = J.rows,
                                                     .row = row,
                                                     .col = col});
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

static void backward_tile(struct tile_sweep *sweep, struct tile t, int seat)
{
    struct side *a = sweep->side[0], *b = sweep->side[1];
    struct block I = block_at(a, t.i), J = block_at(b, t.j);
    float *from = work_of(sweep, seat);
    bool used = t.between || sweep->spec->within;
    if (used) {
        if (t.index < sweep->kept)
            from = sweep->tiles + t.index * TILE_FLOATS;
        else
            exp_similarities(sweep, t, from, seat);
        for (int64_t i = 0; i < I.rows && has_positives(sweep, I, J); i++)
            from[i * TILE + i] = 0; /* the positive pairs: see begin_sums */
        weigh(sweep, I, J, from, seat);
    }
    wait_turn(a, t.i, t.i_turn);
    if (used)
        add_gradient(sweep, I, J, false, seat);
    end_turn(a, t.i, t.i_turn);
    if (t.diagonal)
        return;
    wait_turn(b, t.j, t.j_turn);
    if (used)
        add_gradient(sweep, J, I, true, seat);
    end_turn(b, t.j, t.j_turn);
}

/* How much of both sweeps is done after so many tiles of this one: forward, a tile costs a product; backward
 * two, and a third where it was not kept. */
static double share_done(const struct tile_sweep *sweep, int64_t tiles)
{
    double all = (double)tile_count(sweep), kept = least((int64_t)all, sweep->kept);
    double whole = 4 * all - kept;
    return (sweep->side[0]->dZ ? all + (double)tiles * (3 * all - kept) / all : (double)tiles) /
           whole;
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
        comm_move(sweep->context->comm);
        look_back(sweep, index);
        sweep->status = context_look(sweep->context);
        if (sweep->status != GRACO_OK)
            atomic_store_explicit(&sweep->next, tiles, memory_order_relaxed);
    }
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* A side that is packed. */
struct packing {
    struct side *side;
    int64_t d;
};

/* The panels of both views, one view after the other. */
static void pack_columns_piece(void *job, struct threads_piece piece)
{
    const struct packing *p = job;
    const struct side *side = p->side;
    int64_t panels = pieces_of(side->n, PANEL);
    for (int64_t i = piece.first; i < piece.last; i++) {
        int64_t view = i / panels;
        pack_panel(side->columns + view * pack_size(p->d, side->n), side->Z + view * side->n * p->d,
                   p->d, true, p->d, side->n, i % panels);
    }
}

graco_status side_pack_columns(struct context *c, struct side *side, int64_t d)
{
    if (side->half.loops)
        return rounded_columns(c, &side->half);
    if (!side->columns)
        PASS(context_take(c, &side->columns, 2 * pack_size(d, side->n), sizeof(float)));
    threads_run(c->threads, 2 * pieces_of(side->n, PANEL), PANELS_PER_PIECE, pack_columns_piece,
                &(struct packing){side, d});
    return GRACO_OK;
}

static void pack_rows_piece(void *job, struct threads_piece panels)
{
    const struct packing *p = job;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        pack_panel(p->side->rows, p->side->Z, p->d, false, 2 * p->side->n, p->d, panel);
}

graco_status side_pack_rows(struct context *c, struct side *side, int64_t d)
{
    if (side->half.loops)
        return rounded_row_pairs(c, &side->half);
    if (!side->rows)
        PASS(context_take(c, &side->rows, pack_size(2 * side->n, d), sizeof(float)));
    threads_run(c->threads, pieces_of(d, PANEL), 1, pack_rows_piece, &(struct packing){side, d});
    return GRACO_OK;
}

/* The loops in bf16, where the context wants them; else NULL. */
static const struct loops_bf16 *loops_half(const struct context *c)
{
    return c->precision == PRECISION_BF16 ? loops_bf16_choose(0) : NULL;
}

graco_status side_init(struct context *c, struct side *side, const struct contrast *s, int64_t n,
                       const float *Z)
{
    *side = (struct side){.n = n, .Z = Z, .per_view = pieces_of(n, TILE)};
    side->half = (struct rounded_rows){.loops = loops_half(c), .n = n, .d = s->d, .exact = Z};
    PASS(context_take(c, &side->turns, 2 * side->per_view, sizeof *side->turns));
    side_choose(side, 0, 2);
    return GRACO_OK;
}

void side_choose(struct side *side, int64_t view, int64_t views)
{
    side->view = view;
    side->blocks = views * side->per_view;
}

void side_clear(struct context *c, struct side *side)
{
    context_give(c, side->columns);
    context_give(c, side->rows);
    context_give(c, side->turns);
    rounded_clear(c, &side->half);
    *side = (struct side){0};
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
                               .run = backward ? backward_tile : forward_tile,
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
    threads_run(c->threads, c->threads, 1, take_tiles, &sweep);
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
    struct row_loop loop = {.spec = s, .dZ = dZ, .rounded = loops_half(c)};
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
