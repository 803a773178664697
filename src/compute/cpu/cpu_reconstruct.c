/* The reconstruction of a graph by all pairs, in memory linear in the nodes.
 *
 * The sum over all pairs does not look at the graph: log(1 + e^s) everywhere, in tiles of s = Z Z' that
 * never leave the cache. A second sum, over the entries of A + I alone, corrects it. A block of rows
 * goes through all columns, so nobody else adds to its rows of dZ, and the order of every sum is
 * fixed.
 *
 * With g = 1 / (1 + e^-s), which is symmetric, the first sum has the gradient 2 g Z. The correction of
 * an entry has the derivative c = -weight (1 - g) - g by s, and adds c z_j to row i and c z_i to row j:
 * row i finds the first in A's row i, and the second in A's column i. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <string.h>

enum { TILE = CONTRAST_TILE, PACKED_PER_PIECE = 16 };

struct reconstruct_sweep {
    const struct reconstruction *spec;
    const struct loops *loops;
    float *columns; /* Z', packed */
    float *work;    /* (threads, TILE, TILE) */
    double *losses; /* (blocks) */
};

/* What an entry of A + I costs beyond log(1 + e^s); *slope gets the derivative. */
static double correction(double s, double weight, double *slope)
{
    double e = exp(-fabs(s)), g = (s > 0 ? 1 : e) / (1 + e);
    double soft = log1p(e), positive = s > 0 ? s : 0;
    *slope = -weight * (1 - g) - g;
    return weight * (soft + positive - s) - (soft + positive);
}

/* Adds half of what entries in one row of A or A' add to dz_i; returns their cost. */
static double correct_row(const struct reconstruct_sweep *sweep, const struct sparse *m, int64_t i)
{
    const struct reconstruction *s = sweep->spec;
    int64_t first = m->entries.start[i], d = s->d;
    int64_t count = m->count ? m->count[i] : m->entries.start[i + 1] - first;
    double total = 0, slope;
    for (int64_t k = first; k < first + count; k++) {
        const float *z = s->Z + m->entries.index[k] * d;
        total += correction(sweep->loops->dot(s->Z + i * d, z, d), s->weight, &slope);
        sweep->loops->axpy(s->dZ + i * d, (float)(slope / 2), z, d);
    }
    return total;
}

/* The tiles of one block of rows: dZ = g Z, and the sum of log(1 + e^s). */
static double sweep_block(const struct reconstruct_sweep *sweep, int64_t first, int64_t rows,
                          float *tile)
{
    const struct reconstruction *s = sweep->spec;
    double total = 0;
    for (int64_t from = 0; from < s->n; from += TILE) {
        int64_t cols = least(s->n - from, TILE);
        struct panel_product product = {.rows = rows,
                                        .cols = cols,
                                        .depth = s->d,
                                        .A = s->Z + first * s->d,
                                        .a_row = s->d,
                                        .a_col = 1,
                                        .B = sweep->columns + from * s->d,
                                        .b_row = PANEL,
                                        .b_panel = PANEL * s->d,
                                        .C = tile,
                                        .c_row = TILE};
        struct panel_product back = {.rows = rows,
                                     .cols = s->d,
                                     .depth = cols,
                                     .A = tile,
                                     .a_row = TILE,
                                     .a_col = 1,
                                     .B = s->Z + from * s->d,
                                     .b_row = s->d,
                                     .b_panel = PANEL,
                                     .C = s->dZ + first * s->d,
                                     .c_row = s->d,
                                     .accumulate = from > 0};
        sweep->loops->product(&product);
        total += sweep->loops->logistic_tile(tile, TILE, rows, cols);
        sweep->loops->product(&back);
    }
    return total;
}

static void run_block(void *job, struct threads_piece piece)
{
    struct reconstruct_sweep *sweep = job;
    const struct reconstruction *s = sweep->spec;
    int64_t block = piece.first;
    float *tile = sweep->work + piece.seat * TILE * TILE;
    int64_t first = block * TILE, rows = least(s->n - first, TILE), d = s->d;
    double total = sweep_block(sweep, first, rows, tile), slope;
    for (int64_t i = first; i < first + rows; i++) {
        float *z = (float *)s->Z + i * d;
        total += correction(sweep->loops->dot(z, z, d), s->weight, &slope);
        sweep->loops->axpy(s->dZ + i * d, (float)slope, z, d);
        total += correct_row(sweep, s->edges, i);
        correct_row(sweep, s->transpose, i);
    }
    for (int64_t k = first * d; k < (first + rows) * d; k++)
        s->dZ[k] *= (float)(2 * s->scale);
    sweep->losses[block] = total;
}

static void pack_panels(void *job, struct threads_piece panels)
{
    const struct reconstruct_sweep *sweep = job;
    const struct reconstruction *s = sweep->spec;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        pack_panel(sweep->columns, s->Z, s->d, true, s->d, s->n, panel);
}

graco_status cpu_reconstruct(struct context *c, struct reconstruction *s)
{
    struct reconstruct_sweep sweep = {.spec = s, .loops = loops_choose()};
    int64_t blocks = pieces_of(s->n, TILE);
    graco_status status = GRACO_OK;
    TRY(context_take(c, &sweep.columns, pack_size(s->d, s->n), sizeof(float)));
    TRY(context_take(c, &sweep.work, c->threads * (int64_t)(TILE * TILE), sizeof(float)));
    TRY(context_take(c, &sweep.losses, blocks, sizeof(double)));
    threads_run(c->threads, pieces_of(s->n, PANEL), PACKED_PER_PIECE, pack_panels, &sweep);
    threads_run(c->threads, blocks, 1, run_block, &sweep);
    s->loss = 0;
    for (int64_t block = 0; block < blocks; block++)
        s->loss += s->scale * sweep.losses[block];
done:
    context_give(c, sweep.columns);
    context_give(c, sweep.work);
    context_give(c, sweep.losses);
    return status;
}
