/* The moment objective, O(N (d^2 + m d)); docs/math.md derives it.
 *
 * The negatives' exp(x / tau) is replaced by q(x) = c0 + c1 x + c2 x^2. The sum of q over all rows
 * needs only s = sum z_j and M = Z' Z; what q leaves over is estimated, without bias, from m
 * sampled rows. Everything carries the factor exp(-1 / tau), which cancels in every ratio and keeps
 * exponentials at most one. Rows are worked off in pieces, pieces in at most GROUPS groups; each
 * group has its own partial sums, which are added in the order of the groups. What has no sum over rows is
 * cut finer, by rows, and what has one by rows of its result: threads then have about as much each. */
#include "compute/cpu/cpu.h"

#include "base/threads.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"
#include "compute/moment_solve.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 256, /* rows: decides the groups, and so the bits */
    GROUPS = 16,
    PART = 64,             /* rows whose products are found at a time; PIECE is a multiple */
    SLICE = 48,            /* rows of M that a thread sums */
    SUMS_PER_PIECE = 1024, /* elements of M and s */
    PULLED_PER_PIECE = 16, /* sampled rows */
    ROWS_PER_PIECE = 512,  /* where a row takes nanoseconds */
};

/* What the pieces read and fill. Each kernel takes the buffers that it needs. */
struct work {
    const struct moment *spec;
    const struct loops *loops;
    int64_t rows, pieces, groups;
    float *sampled;   /* (m, d) the sampled rows */
    float *columns;   /* the same, transposed and packed */
    float *scratch;   /* (threads, stride) */
    int64_t stride;   /* floats of one thread: PIECE x (2 m + d) */
    float *weighted;  /* (d + 1, d): backwards, 2 c2 M and c1 s of rows times their inverse */
    float *partial;   /* (groups, d, d + 1): each group's part of M and s */
    float *pulled;    /* (groups, m, d): each group's gradient of the sampled rows */
    float *inverse;   /* (rows): backwards, 1 / D where not floored, else 0 */
    double *fit;      /* (rows, FIT_SUMS): what the fit sums */
    float *dZ;        /* (rows, d), the caller's */
    float *total;     /* (d, d + 1) M and s of all groups */
    double factor[2]; /* that M and s are multiplied with */
};

/* Copies and packs sampled rows, PANEL at a time. */
static void take_samples(void *job, struct threads_piece panels)
{
    const struct work *w = job;
    int64_t d = w->spec->d, m = w->spec->samples;
    for (int64_t panel = panels.first; panel < panels.last; panel++) {
        for (int64_t j = panel * PANEL; j < least(m, (panel + 1) * PANEL); j++)
            memcpy(w->sampled + j * d, w->spec->Z + w->spec->sample[j] * d,
                   (size_t)d * sizeof(float));
        if (w->columns)
            pack_panel(w->columns, w->sampled, d, true, d, m, panel);
    }
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
    w->pieces = pieces_of(w->rows, PIECE);
    w->groups = least(GROUPS, w->pieces);
    w->stride = PIECE * (2 * m + d);
    w->factor[0] = w->factor[1] = 1;
    PASS(context_take(c, &w->sampled, m * d, sizeof(float)));
    PASS(context_take(c, &w->scratch, c->threads * w->stride, sizeof(float)));
    PASS(context_take(c, &w->partial, w->groups * d * (d + 1), sizeof(float)));
    if (cosines)
        PASS(context_take(c, &w->columns, pack_size(d, m), sizeof(float)));
    threads_run(c->threads, pieces_of(m, PANEL), 1, take_samples, w);
    return GRACO_OK;
}

static void clear_work(struct context *c, struct work *w)
{
    void *blocks[] = {w->sampled, w->columns, w->scratch, w->weighted,
                      w->partial, w->pulled,  w->inverse, w->fit};
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
    int64_t a = place(s, row), b = place(s, partner(s, row));
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

/* Items are slices of M, group by group. */
static void sum_moments(void *job, struct threads_piece items)
{
    const struct work *w = job;
    int64_t d = w->spec->d, slices = pieces_of(d, SLICE);
    for (int64_t item = items.first; item < items.last; item++) {
        int64_t group = item / slices, first = item % slices * SLICE;
        struct block slice = {first, least(SLICE, d - first)};
        float *M = w->partial + group * d * (d + 1);
        int64_t end = group_start(w, group + 1);
        memset(M + first * d, 0, (size_t)(slice.rows * d) * sizeof(float));
        memset(M + d * d + first, 0, (size_t)slice.rows * sizeof(float));
        for (int64_t row = group_start(w, group); row < end; row += PIECE)
            add_moments(w, M, (struct block){row, least(PIECE, end - row)}, slice,
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

/* M and s into `out`. */
static void find_moments(struct context *c, struct work *w, float *out)
{
    int64_t d = w->spec->d;
    threads_run(c->threads, w->groups * pieces_of(d, SLICE), 1, sum_moments, w);
    w->total = out;
    threads_run(c->threads, d * (d + 1), SUMS_PER_PIECE, add_groups, w);
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
    float *at = s->kept ? s->kept + first * (s->samples + s->d) : scratch;
    return (struct products){at, at + least(PART, w->rows - first) * s->samples};
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
    find_products(w, part.first, part.last - part.first, p);
    for (int64_t row = part.first; row < part.last; row++) {
        int64_t i = row - part.first;
        const float *z = s->Z + row * d;
        double *out = s->row + row * 6, sums[7] = {0}, *fit = w->fit + row * FIT_SUMS;
        fit[0] = m > 0 ? (double)row_powers(w, row, p.X + i * m, sums) : 0;
        out[0] = w->loops->dot(z, s->moments + d * d, d);
        out[1] = w->loops->dot(z, p.T + i * d, d);
        out[2] = w->loops->dot(z, s->Z + partner(s, row) * d, d);
        for (int k = 0; k < 3; k++)
            out[3 + k] = sums[k];
        for (int k = 0; k < 7; k++)
            fit[1 + k] = sums[k];
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

static void find_coefficients(struct moment *s, const struct work *w)
{
    double total[FIT_SUMS] = {0};
    if (s->samples == 0)
        random_pairs(w, total);
    for (int64_t group = 0; group < w->groups && s->samples > 0; group++) {
        double sums[FIT_SUMS] = {0};
        for (int64_t row = group_start(w, group); row < group_start(w, group + 1); row++)
            for (int k = 0; k < FIT_SUMS; k++)
                sums[k] += w->fit[row * FIT_SUMS + k];
        for (int k = 0; k < FIT_SUMS; k++)
            total[k] += sums[k];
    }
    moment_solve(s->coefficient, total);
}

graco_status cpu_moment_fit(struct context *c, struct moment *s)
{
    struct work w;
    graco_status status = GRACO_OK;
    TRY(init_work(c, &w, s, true));
    TRY(context_take(c, &w.fit, w.rows * FIT_SUMS, sizeof(double)));
    find_moments(c, &w, s->moments);
    threads_run(c->threads, w.rows, PART, fit_rows, &w);
    find_coefficients(s, &w);
done:
    clear_work(c, &w);
    return status;
}

/* ---- The loss -------------------------------------------------------------------------------- */

/* Estimates of D, floored. A row's part of the loss takes the place of the first of its numbers. */
static void estimate_rows(void *job, struct threads_piece piece)
{
    const struct moment *s = job;
    const double *q = s->coefficient, rows = (double)(2 * s->n);
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
    double loss = 0;
    s->floored = 0;
    threads_run(c->threads, 2 * s->n, ROWS_PER_PIECE, estimate_rows, s);
    for (int64_t i = 0; i < 2 * s->n; i++) {
        s->floored += s->floor[i];
        loss += s->row[i * 6];
    }
    s->loss = loss / (double)(2 * s->n);
    return GRACO_OK;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Row i of R: inverse (2n - 2) / terms times r_ij, zero for the row itself and its partner. */
static void residual_row(const struct work *w, int64_t row, const float *x, float *R)
{
    const struct moment *s = w->spec;
    int64_t places[2];
    int skip = excluded(s, row, places);
    double kappa = (double)(w->rows - 2) / (double)(s->samples - skip);
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
    const float scale = (float)(1.0 / (double)w->rows);
    float a = w->inverse[row], both = a + w->inverse[other];
    float c1 = (float)s->coefficient[1], c2 = (float)(2 * s->coefficient[2]);
    float pull = (float)((1 / s->D[row] + 1 / s->D[other]) * e - 2 / s->tau -
                         (double)both * (s->coefficient[1] + 2 * s->coefficient[2] * pi));
    for (int64_t j = 0; j < d; j++)
        dz[j] = scale * (dz[j] + a * (c1 * sum[j] + c2 * t[j]) + weighted_sum[j] + pull * zp[j]);
}

/* At most PIECE rows of a group. */
static void backward_piece(const struct work *w, int64_t group, struct block piece, float *scratch)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples, end = piece.first + piece.rows;
    float *R = scratch + PIECE * (m + d), *dZ = w->dZ + piece.first * d;
    const float *Z = s->Z + piece.first * d;
    multiply(w, dZ, (struct left){Z, piece.rows, d, false}, w->weighted, false);
    for (int64_t first = piece.first; first < end; first += PART) {
        int64_t count = least(PART, end - first);
        float *room = scratch + (first - piece.first) * (m + d);
        struct products p = place_products(w, first, room);
        if (!s->kept)
            find_products(w, first, count, p);
        for (int64_t i = 0; i < count && m > 0; i++)
            residual_row(w, first + i, p.X + i * m, R + (first - piece.first + i) * m);
    }
    if (m > 0) {
        multiply(w, w->pulled + group * m * d, (struct left){R, m, piece.rows, true}, Z, true);
        multiply(w, dZ, (struct left){R, piece.rows, m, false}, w->sampled, true);
    }
    for (int64_t row = piece.first; row < end; row++) {
        int64_t first = row - (row - piece.first) % PART;
        struct products p = place_products(w, first, scratch + (first - piece.first) * (m + d));
        row_gradient(w, row, p.T + (row - first) * d, w->dZ + row * d);
    }
}

static void backward_groups(void *job, struct threads_piece groups)
{
    const struct work *w = job;
    int64_t size = w->spec->samples * w->spec->d;
    for (int64_t group = groups.first; group < groups.last; group++) {
        int64_t end = group_start(w, group + 1);
        memset(w->pulled + group * size, 0, (size_t)size * sizeof(float));
        for (int64_t row = group_start(w, group); row < end; row += PIECE)
            backward_piece(w, group, (struct block){row, least(PIECE, end - row)},
                           w->scratch + groups.seat * w->stride);
    }
}

/* Adds the gradient that the corrections of all rows give to sampled rows. */
static void add_pulled(void *job, struct threads_piece piece)
{
    const struct work *w = job;
    const struct moment *s = w->spec;
    int64_t d = s->d, size = s->samples * d;
    float scale = (float)(1.0 / (double)w->rows);
    for (int64_t k = piece.first; k < piece.last; k++)
        for (int64_t group = 0; group < w->groups; group++)
            w->loops->axpy(w->dZ + s->sample[k] * d, scale, w->pulled + group * size + k * d, d);
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
    TRY(context_take(c, &w.weighted, (s->d + 1) * s->d, sizeof(float)));
    threads_run(c->threads, w.rows, ROWS_PER_PIECE, invert, &w);
    w.factor[0] = 2 * s->coefficient[2];
    w.factor[1] = s->coefficient[1];
    find_moments(c, &w, w.weighted);
    w.dZ = dZ;
    threads_run(c->threads, w.groups, 1, backward_groups, &w);
    threads_run(c->threads, s->samples, PULLED_PER_PIECE, add_pulled, &w);
done:
    clear_work(c, &w);
    return status;
}
