/* The moment objective, O(N (d^2 + m d)); docs/math.md derives it.
 *
 * The negatives' exp(x / tau) is replaced by q(x) = c0 + c1 x + c2 x^2. The sum of q over all rows
 * needs only s = sum z_j and M = Z' Z; what q leaves over is estimated, without bias, from m
 * sampled rows. Everything carries the factor exp(-1 / tau), which cancels in every ratio and keeps
 * exponentials at most one. Where rows are summed they are cut into pieces, and these into at most GROUPS
 * groups; each group has its own partial sums, which are added in the order of the groups, and threads share
 * the rows of its result. What has no sum over rows is cut by rows. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"
#include "compute/moment_solve.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PIECE = 256, /* rows: decides the groups, and so the bits */
    GROUPS = 16,
    PART = 48,             /* rows whose products are found at a time: whole blocks of registers */
    SLICE = 48,            /* rows of M, or of the sample's gradient, that a thread sums */
    CHUNK = 32 * PIECE,    /* rows whose residuals are there at a time, where none are kept */
    SUMS_PER_PIECE = 1024, /* elements of M and s */
    PULLED_PER_PIECE = 16, /* sampled rows */
    ROWS_PER_PIECE = 128,  /* where a row takes nanoseconds */
};

/* What the pieces read and fill. Each kernel takes the buffers that it needs. Over ranks the rows are
 * this rank's; sums over rows are then summed over the ranks too, as are the sampled rows, of which
 * each rank knows its own. */
struct work {
    const struct moment *spec;
    const struct loops *loops;
    int64_t rows, pieces, groups;
    int64_t all_rows;   /* of all ranks */
    float *sampled;     /* (m, d) the sampled rows */
    float *columns;     /* the same, transposed and packed */
    float *scratch;     /* (threads, stride) */
    int64_t stride;     /* floats of one thread */
    float *weighted;    /* (d + 1, d): backwards, 2 c2 M and c1 s of rows times their inverse */
    float *partial;     /* (groups, d, d + 1): each group's part of M and s */
    float *pulled;      /* (groups, m, d): each group's gradient of the sampled rows */
    float *inverse;     /* (rows): backwards, 1 / D where not floored, else 0 */
    double *fit;        /* (parts, FIT_SUMS): what the fit sums */
    float *residuals;   /* (CHUNK, m): backwards, where no cosines are kept */
    struct block chunk; /* backwards: the rows whose residuals are there */
    float *dZ;          /* (rows, d), the caller's */
    float *total;       /* (d, d + 1) M and s of all groups */
    double factor[2];   /* that M and s are multiplied with */
};

static int64_t all_nodes(const struct moment *s)
{
    return s->among.own ? s->among.all : s->n;
}

/* Where this rank has a row of all ranks'; -1: another has it. */
static int64_t own_row(const struct moment *s, int64_t row)
{
    if (!s->among.own)
        return row;
    int64_t view = row / s->among.all, at = row % s->among.all - s->among.first;
    return at >= 0 && at < s->n ? view * s->n + at : -1;
}

static void pack_samples(const struct work *w, int64_t panel)
{
    if (w->columns)
        pack_panel(w->columns, w->sampled, w->spec->d, true, w->spec->d, w->spec->samples, panel);
}

/* Copies and packs PANEL sampled rows. Over ranks those of others are zeros, and packing comes later. */
static void take_samples(const struct work *w, int64_t panel)
{
    int64_t d = w->spec->d, m = w->spec->samples;
    for (int64_t j = panel * PANEL; j < least(m, (panel + 1) * PANEL); j++) {
        int64_t row = own_row(w->spec, w->spec->sample[j]);
        if (row >= 0)
            memcpy(w->sampled + j * d, w->spec->Z + row * d, (size_t)d * sizeof(float));
        else
            memset(w->sampled + j * d, 0, (size_t)d * sizeof(float));
    }
    if (!w->spec->among.own)
        pack_samples(w, panel);
}

/* `cosines` with the sample are computed, and not only used. */
static graco_status init_work(struct context *c, struct work *w, const struct moment *s,
                              bool cosines)
{
    int64_t d = s->d, m = s->samples;
    memset(w, 0, sizeof *w);
    w->spec = s;
    w->loops = loops_choose();
    w->rows = 2 * s->n;
    w->all_rows = 2 * all_nodes(s);
    w->pieces = pieces_of(w->rows, PIECE);
    w->groups = least(GROUPS, w->pieces);
    w->stride = PART * (m + d) > PIECE * SLICE ? PART * (m + d) : (int64_t)PIECE * SLICE;
    w->factor[0] = w->factor[1] = 1;
    PASS(context_take(c, &w->sampled, m * d, sizeof(float)));
    PASS(context_take(c, &w->scratch, c->threads * w->stride, sizeof(float)));
    PASS(context_take(c, &w->partial, w->groups * d * (d + 1), sizeof(float)));
    if (cosines)
        PASS(context_take(c, &w->columns, pack_size(d, m), sizeof(float)));
    return GRACO_OK;
}

static void clear_work(struct context *c, struct work *w)
{
    void *blocks[] = {w->sampled, w->columns, w->scratch, w->weighted, w->partial,
                      w->pulled,  w->inverse, w->fit,     w->residuals};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        context_give(c, blocks[i]);
}

/* The first row of a group, which is the end of the one before. */
static int64_t group_start(const struct work *w, int64_t group)
{
    return least(w->pieces * group / w->groups * PIECE, w->rows);
}

/* The left operand of a product: (rows, depth), or stored as its transpose. */
struct left {
    const float *data;
    int64_t rows, depth;
    bool transposed;
};

/* C (rows, d) (+)= A B, with B of (depth, d). */
static void multiply(const struct work *w, float *C, struct left A, const float *B, bool accumulate)
{
    int64_t d = w->spec->d;
    w->loops->product(&(struct panel_product){
        .rows = A.rows,
        .cols = d,
        .depth = A.depth,
        .A = A.data,
        .a_row = A.transposed ? 1 : A.depth,
        .a_col = A.transposed ? A.rows : 1,
        .B = B,
        .b_row = d,
        .b_panel = PANEL,
        .C = C,
        .c_row = d,
        .accumulate = accumulate,
    });
}

static int64_t partner(const struct moment *s, int64_t row)
{
    return row < s->n ? row + s->n : row - s->n;
}

/* The place of `row` in the sample, or -1. */
static int64_t place(const struct moment *s, int64_t row)
{
    int64_t low = 0, high = s->samples;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->sample[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->samples && s->sample[low] == row ? low : -1;
}

/* The places in the sample of the row itself and of its partner, ascending; returns how many of the
 * two are there. */
static int excluded(const struct moment *s, int64_t row, int64_t places[2])
{
    int64_t a = place(s, rank_row(&s->among, row));
    int64_t b = place(s, rank_row(&s->among, partner(s, row)));
    int count = 0;
    if (a >= 0)
        places[count++] = a;
    if (b >= 0)
        places[count++] = b;
    if (count == 2 && places[0] > places[1]) {
        places[0] = b;
        places[1] = a;
    }
    return count;
}

/* ---- Moments: s and M, of rows as they are or times their inverse ---------------------------- */

/* Adds a piece of the rows to a slice of the rows of a group's M, and to that part of s. */
static void add_moments(const struct work *w, float *M, struct block piece, struct block slice,
                        float *scratch)
{
    int64_t d = w->spec->d, stride = d;
    const float *Z = w->spec->Z + piece.first * d, *weighted = Z + slice.first;
    float *s = M + d * d + slice.first;
    if (w->inverse) {
        for (int64_t i = 0; i < piece.rows; i++)
            for (int64_t j = 0; j < slice.rows; j++)
                scratch[i * slice.rows + j] = w->inverse[piece.first + i] * weighted[i * d + j];
        weighted = scratch;
        stride = slice.rows;
    }
    w->loops->product(&(struct panel_product){
        .rows = slice.rows,
        .cols = d,
        .depth = piece.rows,
        .A = weighted,
        .a_row = 1,
        .a_col = stride,
        .B = Z,
        .b_row = d,
        .b_panel = PANEL,
        .C = M + slice.first * d,
        .c_row = d,
        .accumulate = true,
    });
    for (int64_t i = 0; i < piece.rows; i++)
        w->loops->axpy(s, 1.0f, weighted + i * stride, slice.rows);
}

/* Rows of M and s of one group. */
static void sum_slice(const struct work *w, int64_t group, struct block slice, float *scratch)
{
    int64_t d = w->spec->d, end = group_start(w, group + 1);
    float *M = w->partial + group * d * (d + 1);
    memset(M + slice.first * d, 0, (size_t)(slice.rows * d) * sizeof(float));
    memset(M + d * d + slice.first, 0, (size_t)slice.rows * sizeof(float));
    for (int64_t row = group_start(w, group); row < end; row += PIECE)
        add_moments(w, M, (struct block){row, least(PIECE, end - row)}, slice, scratch);
}

/* Items are panels of the sample, then slices of M, group by group. */
static void take_and_sum(void *job, struct threads_piece items)
{
    const struct work *w = job;
    int64_t panels = pieces_of(w->spec->samples, PANEL), slices = pieces_of(w->spec->d, SLICE);
    for (int64_t item = items.first; item < items.last; item++) {
        if (item < panels) {
            take_samples(w, item);
            continue;
        }
        int64_t first = (item - panels) % slices * SLICE;
        sum_slice(w, (item - panels) / slices,
                  (struct block){first, least(SLICE, w->spec->d - first)},
                  w->scratch + items.seat * w->stride);
    }
}

static void add_groups(void *job, struct threads_piece piece)
{
    const struct work *w = job;
    int64_t d = w->spec->d, size = d * (d + 1);
    for (int64_t i = piece.first; i < piece.last; i++) {
        double total = 0;
        for (int64_t group = 0; group < w->groups; group++)
            total += (double)w->partial[group * size + i];
        w->total[i] = (float)total * (float)w->factor[i >= d * d];
    }
}

/* The sampled rows, and M and s into `out`. */
static graco_status find_moments(struct context *c, struct work *w, float *out)
{
    int64_t d = w->spec->d, m = w->spec->samples, panels = pieces_of(m, PANEL);
    threads_run(c->threads, panels + w->groups * pieces_of(d, SLICE), 1, take_and_sum, w);
    PASS(comm_sum_floats(c->comm, w->sampled, m * d));
    for (int64_t panel = 0; w->spec->among.own && panel < panels; panel++)
        pack_samples(w, panel);
    w->total = out;
    threads_run(c->threads, d * (d + 1), SUMS_PER_PIECE, add_groups, w);
    return comm_sum_floats(c->comm, out, d * (d + 1));
}

/* ---- The fit --------------------------------------------------------------------------------- */

/* The products of a part that both directions need: X, its cosines with the sampled rows (count,
 * m), and T, its rows times M (count, d). Kept for the way back, or found again in `scratch`. */
struct products {
    float *X, *T;
};

static struct products place_products(const struct work *w, int64_t first, float *scratch)
{
    const struct moment *s = w->spec;
    int64_t m = s->samples;
    if (s->kept)
        return (struct products){s->kept + first * m, s->kept + w->rows * m + first * s->d};
    float *X = w->residuals ? w->residuals + (first - w->chunk.first) * m : scratch + PART * s->d;
    return (struct products){X, scratch};
}

static void find_products(const struct work *w, int64_t first, int64_t count, struct products p)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples;
    const float *Z = s->Z + first * d;
    w->loops->product(&(struct panel_product){
        .rows = count,
        .cols = m,
        .depth = d,
        .A = Z,
        .a_row = d,
        .a_col = 1,
        .B = w->columns,
        .b_row = PANEL,
        .b_panel = PANEL * d,
        .C = p.X,
        .c_row = m,
    });
    multiply(w, p.T, (struct left){Z, count, d, false}, s->moments, false);
}

/* The sums of exp_powers over a row of the sample, the row itself and its partner left out; returns
 * how many terms there are. */
static int64_t row_powers(const struct work *w, int64_t row, const float *x, double sums[7])
{
    int64_t places[2], from = 0;
    int skip = excluded(w->spec, row, places);
    memset(sums, 0, 7 * sizeof *sums);
    for (int part = 0; part <= skip; part++) {
        int64_t to = part < skip ? places[part] : w->spec->samples;
        double some[7];
        w->loops->exp_powers(x + from, to - from, (float)(1 / w->spec->tau), some);
        for (int i = 0; i < 7; i++)
            sums[i] += some[i];
        from = to + 1;
    }
    return w->spec->samples - skip;
}

/* One part of the rows. */
static void fit_rows(void *job, struct threads_piece part)
{
    const struct work *w = job;
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples;
    struct products p = place_products(w, part.first, w->scratch + part.seat * w->stride);
    double *fit = w->fit + part.first / PART * FIT_SUMS;
    find_products(w, part.first, part.last - part.first, p);
    memset(fit, 0, FIT_SUMS * sizeof *fit);
    for (int64_t row = part.first; row < part.last; row++) {
        int64_t i = row - part.first;
        const float *z = s->Z + row * d;
        double *out = s->row + row * 6, sums[7] = {0};
        fit[0] += m > 0 ? (double)row_powers(w, row, p.X + i * m, sums) : 0;
        out[0] = w->loops->dot(z, s->moments + d * d, d);
        out[1] = w->loops->dot(z, p.T + i * d, d);
        out[2] = w->loops->dot(z, s->Z + partner(s, row) * d, d);
        for (int k = 0; k < 3; k++)
            out[3 + k] = sums[k];
        for (int k = 0; k < 7; k++)
            fit[1 + k] += sums[k];
    }
}

/* Without a sample the fit looks at random pairs, none of them a row with itself or its partner. Adds what it
 * sums. */
static void random_pairs(const struct work *w, double fit[FIT_SUMS])
{
    const struct moment *s = w->spec;
    for (int64_t k = 0; k < s->pairs; k++) {
        int64_t i = random_below(&s->key, (uint64_t)(2 * k), w->rows);
        int64_t j = random_below(&s->key, (uint64_t)(2 * k + 1), w->rows);
        if (i == j || j == partner(s, i))
            continue;
        float x = (float)w->loops->dot(s->Z + i * s->d, s->Z + j * s->d, s->d);
        double sums[7];
        w->loops->exp_powers(&x, 1, (float)(1 / s->tau), sums);
        fit[0] += 1;
        for (int p = 0; p < 7; p++)
            fit[1 + p] += sums[p];
    }
}

static graco_status find_coefficients(struct context *c, struct moment *s, const struct work *w)
{
    double total[FIT_SUMS] = {0};
    assert(s->samples > 0 || !s->among.own); /* pairs of rows of any ranks */
    if (s->samples == 0)
        random_pairs(w, total);
    for (int64_t part = 0; part < pieces_of(w->rows, PART) && s->samples > 0; part++)
        for (int k = 0; k < FIT_SUMS; k++)
            total[k] += w->fit[part * FIT_SUMS + k];
    PASS(comm_sum_doubles(c->comm, total, FIT_SUMS));
    moment_solve(s->coefficient, total);
    return GRACO_OK;
}

graco_status cpu_moment_fit(struct context *c, struct moment *s)
{
    struct work w;
    graco_status status = GRACO_OK;
    TRY(init_work(c, &w, s, true));
    TRY(context_take(c, &w.fit, pieces_of(w.rows, PART) * FIT_SUMS, sizeof(double)));
    TRY(find_moments(c, &w, s->moments));
    threads_run(c->threads, w.rows, PART, fit_rows, &w);
    TRY(find_coefficients(c, s, &w));
done:
    clear_work(c, &w);
    return status;
}

/* ---- The loss -------------------------------------------------------------------------------- */

/* Estimates of D, floored. A row's part of the loss takes the place of the first of its numbers. */
static void estimate_rows(void *job, struct threads_piece piece)
{
    const struct moment *s = job;
    const double *q = s->coefficient, rows = (double)(2 * all_nodes(s));
    double lowest = (rows - 2) * exp(-2 / s->tau);
    for (int64_t i = piece.first; i < piece.last; i++) {
        double *r = s->row + i * 6, pi = r[2], positive = exp((pi - 1) / s->tau);
        int64_t places[2], terms = s->samples ? s->samples - excluded(s, i, places) : 0;
        double D = rows * q[0] + q[1] * r[0] + q[2] * r[1] - moment_self(q, r[1]) -
                   (q[0] + pi * (q[1] + pi * q[2])) + positive;
        if (terms > 0)
            D += (rows - 2) / (double)terms *
                 (r[3] - (double)terms * q[0] - q[1] * r[4] - q[2] * r[5]);
        s->floor[i] = !(D > positive + lowest);
        s->D[i] = s->floor[i] ? positive + lowest : D;
        r[0] = log(s->D[i]) + (1 - pi) / s->tau;
    }
}

/* The loss, in the order of the rows. */
graco_status cpu_moment(struct context *c, struct moment *s)
{
    double sums[2] = {0, 0}; /* of the loss, and how many are floored */
    threads_run(c->threads, 2 * s->n, ROWS_PER_PIECE, estimate_rows, s);
    for (int64_t i = 0; i < 2 * s->n; i++) {
        sums[0] += s->row[i * 6];
        sums[1] += s->floor[i];
    }
    PASS(comm_sum_doubles(c->comm, sums, 2));
    s->loss = sums[0] / (double)(2 * all_nodes(s));
    s->floored = (int64_t)sums[1];
    return GRACO_OK;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Row i of R: inverse (2n - 2) / terms times r_ij, zero for the row itself and its partner. */
static void residual_row(const struct work *w, int64_t row, const float *x, float *R)
{
    const struct moment *s = w->spec;
    int64_t places[2];
    int skip = excluded(s, row, places);
    double kappa = (double)(w->all_rows - 2) / (double)(s->samples - skip);
    w->loops->residual(R, x, s->samples, (float)(1 / s->tau),
                       (float)((double)w->inverse[row] * kappa), (float)s->coefficient[1],
                       (float)s->coefficient[2]);
    for (int k = 0; k < skip; k++)
        R[places[k]] = 0;
}

/* Completes the gradient dz of one row, which so far is the row times the weighted M, and the
 * correction's part; t is the row times M. */
static void row_gradient(const struct work *w, int64_t row, const float *t, float *dz)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, other = partner(s, row);
    const float *z = s->Z + row * d, *zp = s->Z + other * d;
    const float *sum = s->moments + d * d, *weighted_sum = w->weighted + d * d;
    double pi = w->loops->dot(z, zp, d), e = exp((pi - 1) / s->tau) / s->tau;
    const float scale = (float)(1.0 / (double)w->all_rows);
    float a = w->inverse[row], both = a + w->inverse[other];
    float c1 = (float)s->coefficient[1], c2 = (float)(2 * s->coefficient[2]);
    float pull = (float)((1 / s->D[row] + 1 / s->D[other]) * e - 2 / s->tau -
                         (double)both * (s->coefficient[1] + 2 * s->coefficient[2] * pi));
    for (int64_t j = 0; j < d; j++)
        dz[j] = scale * (dz[j] + a * (c1 * sum[j] + c2 * t[j]) + weighted_sum[j] + pull * zp[j]);
}

/* One part of a chunk: the gradient of its rows. Its residuals take the place of its cosines. */
static void backward_rows(void *job, struct threads_piece part)
{
    const struct work *w = job;
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples, first = w->chunk.first + part.first;
    int64_t count = part.last - part.first;
    float *dZ = w->dZ + first * d;
    struct products p = place_products(w, first, w->scratch + part.seat * w->stride);
    if (!s->kept)
        find_products(w, first, count, p);
    multiply(w, dZ, (struct left){s->Z + first * d, count, d, false}, w->weighted, false);
    for (int64_t i = 0; i < count && m > 0; i++)
        residual_row(w, first + i, p.X + i * m, p.X + i * m);
    if (m > 0)
        multiply(w, dZ, (struct left){p.X, count, m, false}, w->sampled, true);
    for (int64_t i = 0; i < count; i++)
        row_gradient(w, first + i, p.T + i * d, dZ + i * d);
}

/* What some of a group's rows pull at sampled rows. */
static void pull_slice(const struct work *w, int64_t group, struct block piece, struct block slice)
{
    int64_t d = w->spec->d, m = w->spec->samples;
    w->loops->product(&(struct panel_product){
        .rows = slice.rows,
        .cols = d,
        .depth = piece.rows,
        .A = place_products(w, piece.first, NULL).X + slice.first,
        .a_row = 1,
        .a_col = m,
        .B = w->spec->Z + piece.first * d,
        .b_row = d,
        .b_panel = PANEL,
        .C = w->pulled + (group * m + slice.first) * d,
        .c_row = d,
        .accumulate = piece.first > group_start(w, group),
    });
}

/* Items are slices of the sample, group by group, for the rows of the chunk. */
static void pull_samples(void *job, struct threads_piece items)
{
    const struct work *w = job;
    int64_t m = w->spec->samples, slices = pieces_of(m, SLICE),
            last = w->chunk.first + w->chunk.rows;
    for (int64_t item = items.first; item < items.last; item++) {
        int64_t group = item / slices, first = item % slices * SLICE;
        int64_t row = group_start(w, group), end = least(group_start(w, group + 1), last);
        for (row = row > w->chunk.first ? row : w->chunk.first; row < end; row += PIECE)
            pull_slice(w, group, (struct block){row, least(PIECE, end - row)},
                       (struct block){first, least(SLICE, m - first)});
    }
}

/* Adds the gradient that the corrections of all rows give to sampled rows. */
static void add_pulled(void *job, struct threads_piece piece)
{
    const struct work *w = job;
    const struct moment *s = w->spec;
    int64_t d = s->d, size = s->samples * d;
    float scale = (float)(1.0 / (double)w->all_rows);
    for (int64_t k = piece.first; k < piece.last; k++) {
        int64_t row = own_row(s, s->sample[k]);
        for (int64_t group = 0; group < w->groups && row >= 0; group++)
            w->loops->axpy(w->dZ + row * d, scale, w->pulled + group * size + k * d, d);
    }
}

/* Over ranks: what all groups of all ranks pull, as the first and only group's. */
static graco_status sum_pulled(struct context *c, struct work *w)
{
    int64_t size = w->spec->samples * w->spec->d;
    for (int64_t group = 1; group < w->groups; group++)
        w->loops->axpy(w->pulled, 1, w->pulled + group * size, size);
    w->groups = 1;
    return comm_sum_floats(c->comm, w->pulled, size);
}

static void invert(void *job, struct threads_piece rows)
{
    const struct work *w = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        w->inverse[i] = w->spec->floor[i] ? 0.0f : (float)(1 / w->spec->D[i]);
}

graco_status cpu_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    struct work w;
    graco_status status = GRACO_OK;
    TRY(init_work(c, &w, s, !s->kept));
    TRY(context_take(c, &w.pulled, w.groups * s->samples * s->d, sizeof(float)));
    TRY(context_take(c, &w.inverse, w.rows, sizeof(float)));
    if (!s->kept)
        TRY(context_take(c, &w.residuals, least(CHUNK, w.rows) * s->samples, sizeof(float)));
    TRY(context_take(c, &w.weighted, (s->d + 1) * s->d, sizeof(float)));
    threads_run(c->threads, w.rows, ROWS_PER_PIECE, invert, &w);
    w.factor[0] = 2 * s->coefficient[2];
    w.factor[1] = s->coefficient[1];
    TRY(find_moments(c, &w, w.weighted));
    w.dZ = dZ;
    for (; w.chunk.first < w.rows; w.chunk.first += w.chunk.rows) {
        w.chunk.rows = least(s->kept ? w.rows : (int64_t)CHUNK, w.rows - w.chunk.first);
        threads_run(c->threads, w.chunk.rows, PART, backward_rows, &w);
        threads_run(c->threads, w.groups * pieces_of(s->samples, SLICE), 1, pull_samples, &w);
    }
    if (s->among.own)
        TRY(sum_pulled(c, &w));
    threads_run(c->threads, s->samples, PULLED_PER_PIECE, add_pulled, &w);
done:
    clear_work(c, &w);
    return status;
}
