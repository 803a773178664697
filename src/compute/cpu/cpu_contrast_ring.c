/* The exact contrast and InfoNCE over ranks: blocks of rows travel, every pair of ranks meets once.
 *
 * In step t = 1 .. P / 2 a rank meets the rows of the rank t before it. Their tiles serve both: what the
 * other rank gets, sums forward and gradients backward, goes home while the next step is computed, and
 * so do the rows that the next step needs. P = 4, who meets whom:
 *
 *     step 0: 0-0 1-1 2-2 3-3     step 1: 0-3 1-0 2-1 3-2     step 2: 0-2 1-3, half by either rank
 *
 * For an even P the last step has each pair twice: the rank with the lower number then takes the
 * other's rows with its first view, the other one takes them with its second. Everything is added in
 * the order of the steps, so the bits depend on the number of ranks and on nothing else. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"

#include <string.h>

struct ring {
    struct context *context;
    const struct contrast *spec;
    bool backward;
    int rank, ranks;
    struct side own;
    float *inverse; /* (2n) backward, of the own rows */
    /* Two buffers each: one is computed on while messages fill or read the other. */
    float *Z[2], *others[2]; /* (2 most, d), (2 most) rows of another rank, and their inverse */
    void *gives[2]; /* what the other rank gets: its part of between and within, or of dZ */
    void *gets;     /* the same for the own rows, from the rank that met them */
    int64_t used;   /* tiles that sweeps before have kept */
};

static int64_t nodes_of(const struct ring *r, int rank)
{
    return r->spec->bounds[rank + 1] - r->spec->bounds[rank];
}

static int peer_of(const struct ring *r, int step)
{
    return (r->rank - step + r->ranks) % r->ranks;
}

/* Numbers that a rank of n nodes gets of each it has met. */
static int64_t given_bytes(const struct ring *r, int64_t n)
{
    return r->backward ? 2 * n * r->spec->d * (int64_t)sizeof(float)
                       : 4 * n * (int64_t)sizeof(double);
}

static graco_status ring_open(struct ring *r, struct context *c, const struct contrast *s,
                              bool backward)
{
    int64_t most = 0;
    *r = (struct ring){.context = c,
                       .spec = s,
                       .backward = backward,
                       .rank = comm_rank(c->comm),
                       .ranks = comm_ranks(c->comm)};
    for (int rank = 0; rank < r->ranks; rank++)
        most = nodes_of(r, rank) > most ? nodes_of(r, rank) : most;
    PASS(side_init(c, &r->own, s, s->n, s->Z));
    PASS(side_pack_columns(c, &r->own, s->d));
    if (backward)
        PASS(side_pack_rows(c, &r->own, s->d));
    for (int k = 0; k < 2; k++) {
        PASS(context_take(c, &r->Z[k], 2 * most * s->d, sizeof(float)));
        PASS(context_take(c, &r->others[k], 2 * most, sizeof(float)));
        PASS(context_take(c, &r->gives[k], given_bytes(r, most), 1));
    }
    return context_take(c, &r->gets, given_bytes(r, s->n), 1);
}

static void ring_close(struct ring *r)
{
    void *blocks[] = {r->Z[0],     r->Z[1],     r->others[0], r->others[1],
                      r->gives[0], r->gives[1], r->gets,      r->inverse};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        context_give(r->context, blocks[i]);
    side_clear(r->context, &r->own);
}

/* Begins to send the own rows to who meets them in `step`, and to receive those that are met then. */
static graco_status start_rows(struct ring *r, int step)
{
    const struct contrast *s = r->spec;
    int64_t there = nodes_of(r, peer_of(r, step)), size = (int64_t)sizeof(float);
    PASS(comm_shift_start(r->context->comm, step, s->Z, 2 * s->n * s->d * size, r->Z[step % 2],
                          2 * there * s->d * size));
    if (!r->backward)
        return GRACO_OK;
    return comm_shift_start(r->context->comm, step, r->inverse, 2 * s->n * size,
                            r->others[step % 2], 2 * there * size);
}

/* Begins to send home what the peer of `step` gets, and to receive the like. */
static graco_status start_home(struct ring *r, int step)
{
    return comm_shift_start(r->context->comm, r->ranks - step, r->gives[step % 2],
                            given_bytes(r, nodes_of(r, peer_of(r, step))), r->gets,
                            given_bytes(r, r->spec->n));
}

/* Adds what came home. */
static graco_status take_home(struct ring *r)
{
    int64_t n = r->spec->n;
    const double *sums = r->gets;
    if (r->backward)
        return r->context->kernels->add(r->context, 2 * n * r->spec->d, r->own.dZ, r->gets);
    for (int64_t i = 0; i < 2 * n; i++) {
        r->own.between[i] += sums[i];
        r->own.within[i] += sums[2 * n + i];
    }
    return GRACO_OK;
}

/* The tiles of two sides, the first of them the own rows. */
static graco_status sweep(struct ring *r, struct side *other)
{
    int64_t count = contrast_tiles(&r->own, other);
    struct kept_tiles kept = contrast_kept(r->spec, r->used, count);
    r->used += kept.count;
    return contrast_sweep(r->context, r->spec, (struct side *[2]){&r->own, other}, kept,
                          r->backward);
}

/* The tiles of the own rows with those of the peer. */
static graco_status meet(struct ring *r, int step)
{
    struct context *c = r->context;
    int peer = peer_of(r, step);
    int64_t n = nodes_of(r, peer), d = r->spec->d;
    bool half = 2 * step == r->ranks;
    struct side other = {0};
    graco_status status = GRACO_OK;
    TRY(side_init(c, &other, r->spec, n, r->Z[step % 2]));
    other.half.loops = r->own.half.loops; /* the system may answer otherwise now (loops_choose.c) */
    TRY(side_pack_columns(c, &other, d));
    if (r->backward)
        TRY(side_pack_rows(c, &other, d));
    TRY(c->buffers->zero(c, r->gives[step % 2], (size_t)given_bytes(r, n)));
    other.inverse = r->others[step % 2];
    other.dZ = r->backward ? r->gives[step % 2] : NULL;
    other.between = r->backward ? NULL : r->gives[step % 2];
    other.within = r->backward ? NULL : other.between + 2 * n;
    if (half && r->rank < peer)
        side_choose(&r->own, 0, 1);
    else if (half)
        side_choose(&other, 1, 1);
    TRY(sweep(r, &other));
done:
    side_choose(&r->own, 0, 2);
    side_clear(c, &other);
    return status;
}

/* All steps. What a step gives goes home during the next one. */
static graco_status run_ring(struct ring *r)
{
    struct comm *comm = r->context->comm;
    int steps = r->ranks / 2;
    PASS(start_rows(r, 1));
    PASS(sweep(r, &r->own));
    for (int step = 1; step <= steps; step++) {
        PASS(comm_finish(comm));
        if (step > 2)
            PASS(take_home(r));
        if (step > 1)
            PASS(start_home(r, step - 1));
        if (step < steps)
            PASS(start_rows(r, step + 1));
        PASS(meet(r, step));
    }
    PASS(comm_finish(comm));
    if (steps > 1)
        PASS(take_home(r));
    PASS(start_home(r, steps));
    PASS(comm_finish(comm));
    return take_home(r);
}

graco_status cpu_contrast_ring(struct context *c, struct contrast *s)
{
    struct ring r = {0};
    size_t bytes = (size_t)(2 * s->n) * sizeof(double);
    double *between = NULL, *within = NULL;
    graco_status status = GRACO_OK;
    TRY(ring_open(&r, c, s, false));
    TRY(context_take(c, &between, 2 * s->n, sizeof(double)));
    TRY(context_take(c, &within, 2 * s->n, sizeof(double)));
    memset(between, 0, bytes);
    memset(within, 0, bytes);
    r.own.between = between;
    r.own.within = within;
    TRY(run_ring(&r));
    TRY(contrast_sum_up(c, s, &r.own));
done:
    context_give(c, between);
    context_give(c, within);
    ring_close(&r);
    return status;
}

graco_status cpu_contrast_ring_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct ring r = {0};
    graco_status status = GRACO_OK;
    TRY(ring_open(&r, c, s, true));
    TRY(context_take(c, &r.inverse, 2 * s->n, sizeof(float)));
    for (int64_t i = 0; i < 2 * s->n; i++)
        r.inverse[i] = (float)(1 / s->D[i]);
    r.own.inverse = r.inverse;
    r.own.dZ = dZ;
    contrast_begin_gradient(c, s, dZ);
    TRY(run_ring(&r));
    contrast_end_gradient(c, s, dZ);
done:
    ring_close(&r);
    return status;
}
