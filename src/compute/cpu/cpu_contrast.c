/* The exact contrast and InfoNCE, tiled.
 *
 * The 2n rows are cut into blocks that stay within a view. A tile is a pair of blocks I <= J; the
 * matrix of similarities being symmetric, it serves the rows of I and, transposed, those of J.
 * Tiles run in the order of a round-robin tournament: in round r block I meets block (r - I) mod B,
 * so every block plays once a round. Threads take tiles in that order; before a tile adds to its
 * two blocks it waits until both have finished the round before. The order of every sum is thus
 * fixed, for any number of threads, and hardly anybody ever waits.
 *
 * Forward: e = exp((x - 1) / tau), which cannot overflow; its row and column sums. Backward: the
 * weights e_ij (1/D_i + 1/D_j) times Z, for rows and columns. The first tiles in order are kept
 * between the two as far as the budget goes, the others recomputed by the same instructions: the
 * same bits. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <omp.h>

enum { TILE = CONTRAST_TILE, TILE_FLOATS = TILE * TILE };

static const double LOG2E = 1.44269504088896340736;

struct block {
    int64_t first, rows;
};

struct tile {
    int64_t index, round;
    int64_t i, j; /* blocks, i <= j */
    bool cross;   /* between the views */
};

/* One pass over all tiles. */
struct pass {
    const struct contrast *spec;
    const struct loops *loops;
    int64_t per_view, blocks; /* blocks of one view, of both */
    int64_t kept;             /* tiles kept from the forward pass */
    atomic_llong next;        /* tile that is taken next */
    atomic_llong *round;      /* (blocks) rounds that a block has finished */
    float *work;              /* (threads, TILE_FLOATS + 2 TILE) */
    float *columns;           /* each view's Z', packed: where similarities are computed */
    float *rows;              /* backward: Z, packed */
    double *inter, *intra;    /* (2n) forward: sums over the other and the own view */
    const float *weight;      /* (2n) backward: 1 / D */
    float *dZ;                /* (2n, d) backward */
};

static struct block block_at(const struct pass *pass, int64_t index)
{
    int64_t n = pass->spec->n, view = index / pass->per_view;
    int64_t first = index % pass->per_view * TILE;
    return (struct block){view * n + first, n - first < TILE ? n - first : TILE};
}

static int64_t tile_count(const struct pass *pass)
{
    return pass->blocks * (pass->blocks + 1) / 2;
}

/* With B blocks, an even number, an even round has B / 2 + 1 tiles, two of them on the diagonal,
 * and an odd one B / 2. In round r come first the pairs whose blocks add up to r, then those that
 * add up to r + B. */
static struct tile tile_at(const struct pass *pass, int64_t index)
{
    int64_t B = pass->blocks, even = B / 2 + 1, rest = index % (B + 1);
    int64_t round = 2 * (index / (B + 1)) + (rest >= even), k = rest >= even ? rest - even : rest;
    int64_t low = round / 2 + 1;
    int64_t i = k < low ? k : round + 1 + k - low;
    int64_t j = k < low ? round - i : round + B - i;
    return (struct tile){index, round, i, j, (i < pass->per_view) != (j < pass->per_view)};
}

static void wait_turn(struct pass *pass, int64_t block, int64_t round)
{
    while (atomic_load_explicit(&pass->round[block], memory_order_acquire) != round)
        sched_yield();
}

static void end_turn(struct pass *pass, int64_t block, int64_t round)
{
    atomic_store_explicit(&pass->round[block], round + 1, memory_order_release);
}

/* The similarities of a tile, exponentiated, with their sums; in `room`, rows TILE apart. */
static void exp_similarities(const struct pass *pass, struct block I, struct block J, float *room,
                             float *row_sum, float *col_sum)
{
    const struct contrast *s = pass->spec;
    int64_t view = J.first / s->n, first = J.first - view * s->n;
    pass->loops->product(&(struct product){
        .rows = I.rows,
        .cols = J.rows,
        .depth = s->d,
        .A = s->Z + I.first * s->d,
        .a_row = s->d,
        .a_col = 1,
        .B = pass->columns + view * pack_size(s->d, s->n) + first * s->d,
        .b_row = PANEL,
        .b_panel = PANEL * s->d,
        .C = room,
        .c_row = TILE,
    });
    if (I.first == J.first) /* a row is no negative of itself: far below any cosine */
        for (int64_t i = 0; i < I.rows; i++)
            room[i * TILE + i] = -1e30f;
    pass->loops->exp_tile(room, TILE, I.rows, J.rows, (float)(LOG2E / s->tau), row_sum, col_sum);
}

static void add_sums(double *total, const float *sum, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        total[i] += (double)sum[i];
}

static void forward_tile(struct pass *pass, struct tile t, float *work)
{
    struct block I = block_at(pass, t.i), J = block_at(pass, t.j);
    float *row_sum = work + TILE_FLOATS, *col_sum = row_sum + TILE;
    float *room = t.index < pass->kept ? pass->spec->tiles + t.index * TILE_FLOATS : work;
    double *total = t.cross ? pass->inter : pass->intra;
    bool used = t.cross || pass->spec->intra;
    if (used)
        exp_similarities(pass, I, J, room, row_sum, col_sum);
    wait_turn(pass, t.i, t.round);
    if (used)
        add_sums(total + I.first, row_sum, I.rows);
    end_turn(pass, t.i, t.round);
    if (t.i == t.j)
        return;
    wait_turn(pass, t.j, t.round);
    if (used)
        add_sums(total + J.first, col_sum, J.rows);
    end_turn(pass, t.j, t.round);
}

/* dZ += W Z over the rows of a block, Z's being those of another, or of the same; W's rows and
 * columns are as far apart as given. */
static void add_gradient(const struct pass *pass, struct block to, struct block from,
                         const float *W, int64_t row, int64_t col)
{
    const struct contrast *s = pass->spec;
    pass->loops->product(&(struct product){
        .rows = to.rows,
        .cols = s->d,
        .depth = from.rows,
        .A = W,
        .a_row = row,
        .a_col = col,
        .B = pass->rows + from.first * PANEL,
        .b_row = PANEL,
        .b_panel = PANEL * 2 * s->n,
        .C = pass->dZ + to.first * s->d,
        .c_row = s->d,
        .accumulate = true,
    });
}

static void backward_tile(struct pass *pass, struct tile t, float *work)
{
    const struct contrast *s = pass->spec;
    struct block I = block_at(pass, t.i), J = block_at(pass, t.j);
    const float *from = work;
    bool used = t.cross || s->intra;
    if (used) {
        if (t.index < pass->kept)
            from = s->tiles + t.index * TILE_FLOATS;
        else
            exp_similarities(pass, I, J, work, work + TILE_FLOATS, work + TILE_FLOATS + TILE);
        pass->loops->weigh_tile(work, from, TILE, I.rows, J.rows, pass->weight + I.first,
                                pass->weight + J.first);
    }
    wait_turn(pass, t.i, t.round);
    if (used)
        add_gradient(pass, I, J, work, TILE, 1);
    end_turn(pass, t.i, t.round);
    if (t.i == t.j)
        return;
    wait_turn(pass, t.j, t.round);
    if (used)
        add_gradient(pass, J, I, work, 1, TILE);
    end_turn(pass, t.j, t.round);
}

static void run_pass(struct context *c, struct pass *pass,
                     void (*run)(struct pass *, struct tile, float *))
{
    int64_t tiles = tile_count(pass);
#pragma omp parallel num_threads(c->threads)
    {
        float *work = pass->work + omp_get_thread_num() * (TILE_FLOATS + 2 * TILE);
        for (;;) {
            int64_t index = atomic_fetch_add_explicit(&pass->next, 1, memory_order_relaxed);
            if (index >= tiles)
                break;
            run(pass, tile_at(pass, index), work);
        }
    }
}

static graco_status pack_columns(struct context *c, struct pass *pass)
{
    const struct contrast *s = pass->spec;
    int64_t size = pack_size(s->d, s->n), panels = (s->n + PANEL - 1) / PANEL;
    graco_status status = context_take(c, &pass->columns, 2 * size, sizeof(float));
    if (status != GRACO_OK)
        return status;
#pragma omp parallel for collapse(2) schedule(static) num_threads(c->threads)
    for (int64_t view = 0; view < 2; view++)
        for (int64_t panel = 0; panel < panels; panel++)
            pack_panel(pass->columns + view * size, s->Z + view * s->n * s->d, s->d, true, s->d,
                       s->n, panel);
    return GRACO_OK;
}

static graco_status pack_rows(struct context *c, struct pass *pass)
{
    const struct contrast *s = pass->spec;
    graco_status status = context_take(c, &pass->rows, pack_size(2 * s->n, s->d), sizeof(float));
    if (status != GRACO_OK)
        return status;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t panel = 0; panel < (s->d + PANEL - 1) / PANEL; panel++)
        pack_panel(pass->rows, s->Z, s->d, false, 2 * s->n, s->d, panel);
    return GRACO_OK;
}

/* Fills in what both passes share. What it takes from the pool ends with clear_pass. */
static graco_status init_pass(struct context *c, struct pass *pass, const struct contrast *s)
{
    graco_status status = GRACO_OK;
    memset(pass, 0, sizeof *pass);
    pass->spec = s;
    pass->loops = loops_choose();
    pass->per_view = (s->n + TILE - 1) / TILE;
    pass->blocks = 2 * pass->per_view;
    pass->kept = s->tile_floats / TILE_FLOATS;
    atomic_init(&pass->next, 0);
    TRY(context_take(c, &pass->work, c->threads * (int64_t)(TILE_FLOATS + 2 * TILE),
                     sizeof(float)));
    TRY(context_take(c, &pass->round, pass->blocks, sizeof *pass->round));
    for (int64_t block = 0; block < pass->blocks; block++)
        atomic_init(&pass->round[block], 0);
done:
    return status;
}

static void clear_pass(struct context *c, struct pass *pass)
{
    context_give(c, pass->work);
    context_give(c, pass->columns);
    context_give(c, pass->rows);
    context_give(c, pass->round);
}

/* Loss and estimate from the sums, in the order of the rows. */
static void sum_up(struct contrast *s, const struct pass *pass)
{
    int64_t n = s->n;
    double loss = 0, estimate = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        const float *z = s->Z + i * s->d, *positive = s->Z + (i + n) % (2 * n) * s->d;
        double x = (pass->loops->dot(z, positive, s->d) - 1) / s->tau;
        s->D[i] = pass->inter[i] + (s->intra ? pass->intra[i] : 0);
        loss += log(s->D[i]) - x;
        estimate += x - log(pass->inter[i]);
    }
    s->loss = loss / (double)(2 * n);
    s->mutual_information = log((double)n) + estimate / (double)(2 * n);
}

graco_status cpu_contrast(struct context *c, struct contrast *s)
{
    struct pass pass;
    size_t bytes = (size_t)(2 * s->n) * sizeof(double);
    graco_status status = GRACO_OK;
    TRY(init_pass(c, &pass, s));
    TRY(pack_columns(c, &pass));
    TRY(context_take(c, &pass.inter, 2 * s->n, sizeof(double)));
    TRY(context_take(c, &pass.intra, 2 * s->n, sizeof(double)));
    memset(pass.inter, 0, bytes);
    memset(pass.intra, 0, bytes);
    run_pass(c, &pass, forward_tile);
    sum_up(s, &pass);
done:
    context_give(c, pass.inter);
    context_give(c, pass.intra);
    clear_pass(c, &pass);
    return status;
}

graco_status cpu_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct pass pass;
    int64_t n = s->n, d = s->d;
    float *weight = NULL;
    float scale = (float)(1 / ((double)(2 * n) * s->tau));
    graco_status status = GRACO_OK;
    TRY(init_pass(c, &pass, s));
    TRY(pack_rows(c, &pass));
    if (pass.kept < tile_count(&pass))
        TRY(pack_columns(c, &pass));
    TRY(context_take(c, &weight, 2 * n, sizeof(float)));
    for (int64_t i = 0; i < 2 * n; i++)
        weight[i] = (float)(1 / s->D[i]);
    pass.weight = weight;
    pass.dZ = dZ;
    /* From the positive, which the negatives about cancel: partial sums shrink as they go. */
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < 2 * n; i++)
        for (int64_t j = 0; j < d; j++)
            dZ[i * d + j] = -2 * s->Z[(i + n) % (2 * n) * d + j];
    run_pass(c, &pass, backward_tile);
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < 2 * n * d; i++)
        dZ[i] *= scale;
done:
    context_give(c, weight);
    clear_pass(c, &pass);
    return status;
}
