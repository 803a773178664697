/* The moment objective, O(N (d^2 + m d)); docs/math.md derives it.
 *
 * The negatives' exp(x / tau) is replaced by q(x) = c0 + c1 x + c2 x^2, so that the sum over all
 * rows needs only s = sum z_j and M = Z' Z, plus an unbiased estimate, from m sampled rows, of what
 * q leaves over. Everything carries the factor exp(-1 / tau), which cancels in every ratio and
 * keeps exponentials at most one. Rows are worked off in pieces, pieces in at most GROUPS groups;
 * each group has its own partial sums, which are added in the order of the groups. */
#include "compute/cpu/cpu.h"

#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include <math.h>
#include <string.h>

#include <omp.h>

enum { PIECE = 256, GROUPS = 16, FIT_SUMS = 8 };

/* What the pieces read and fill; taken from the pool as one or the other pass needs it. */
struct work {
    const struct moment *spec;
    const struct loops *loops;
    int64_t rows, pieces, groups;
    float *sampled;  /* (m, d) the sampled rows */
    float *columns;  /* the same, transposed and packed */
    float *scratch;  /* (threads, stride) */
    int64_t stride;  /* floats of one thread: PIECE x (2 m + d) */
    float *weighted; /* (d + 1, d): backwards, 2 c2 M and c1 s of the weighted rows */
    float *partial;  /* (groups, d, d + 1): each group's part of M and s */
    float *pulled;   /* (groups, m, d): each group's gradient of the sampled rows */
    float *weight;   /* (rows): 1 / D where not floored, else 0 */
    double *row;     /* (rows, 6): z.s, z'Mz, positive, and sums of e, x, x^2 over the sample */
    double *fit;     /* (groups, FIT_SUMS): terms, and exp_powers' sums */
    float *dZ;       /* (rows, d), the caller's */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static graco_status init_work(struct context *c, struct work *w, const struct moment *s)
{
    int64_t d = s->d, m = s->samples;
    graco_status status = GRACO_OK;
    memset(w, 0, sizeof *w);
    w->spec = s;
    w->loops = loops_choose();
    w->rows = 2 * s->n;
    w->pieces = (w->rows + PIECE - 1) / PIECE;
    w->groups = least(GROUPS, w->pieces);
    w->stride = PIECE * (2 * m + d);
    TRY(context_take(c, &w->sampled, m * d, sizeof(float)));
    TRY(context_take(c, &w->scratch, c->threads * w->stride, sizeof(float)));
    TRY(context_take(c, &w->partial, w->groups * d * (d + 1), sizeof(float)));
    TRY(context_take(c, &w->columns, pack_size(d, m), sizeof(float)));
    for (int64_t j = 0; j < m; j++)
        memcpy(w->sampled + j * d, s->Z + s->sample[j] * d, (size_t)d * sizeof(float));
    for (int64_t panel = 0; panel * PANEL < m; panel++)
        pack_panel(w->columns, w->sampled, d, true, d, m, panel);
done:
    return status;
}

static void clear_work(struct context *c, struct work *w)
{
    void *blocks[] = {w->sampled, w->columns, w->scratch, w->weighted, w->partial,
                      w->pulled,  w->weight,  w->row,     w->fit};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        context_give(c, blocks[i]);
}

/* C (count, d) (+)= A B, with A of (count, depth). */
static void multiply(const struct work *w, float *C, const float *A, const float *B, int64_t count,
                     int64_t depth, bool accumulate)
{
    int64_t d = w->spec->d;
    w->loops->product(&(struct product){
        .rows = count,
        .cols = d,
        .depth = depth,
        .A = A,
        .a_row = depth,
        .a_col = 1,
        .B = B,
        .b_row = d,
        .b_panel = PANEL,
        .C = C,
        .c_row = d,
        .accumulate = accumulate,
    });
}

/* C (rows, d) += A' Z over `count` rows, with A of (count, rows). */
static void add_transposed(const struct work *w, float *C, const float *A, const float *Z,
                           int64_t rows, int64_t count)
{
    int64_t d = w->spec->d;
    w->loops->product(&(struct product){
        .rows = rows,
        .cols = d,
        .depth = count,
        .A = A,
        .a_row = 1,
        .a_col = rows,
        .B = Z,
        .b_row = d,
        .b_panel = PANEL,
        .C = C,
        .c_row = d,
        .accumulate = true,
    });
}

/* Runs `piece_fn` over the rows [first, first + count) of every piece, group by group. */
static void run_pieces(struct context *c, struct work *w,
                       void (*piece_fn)(struct work *, int64_t group, int64_t first, int64_t count,
                                        float *scratch))
{
#pragma omp parallel for schedule(dynamic) num_threads(c->threads)
    for (int64_t group = 0; group < w->groups; group++) {
        float *scratch = w->scratch + omp_get_thread_num() * w->stride;
        int64_t end = w->pieces * (group + 1) / w->groups;
        for (int64_t piece = w->pieces * group / w->groups; piece < end; piece++) {
            int64_t first = piece * PIECE;
            piece_fn(w, group, first, least(PIECE, w->rows - first), scratch);
        }
    }
}

static int64_t partner(const struct work *w, int64_t row)
{
    return row < w->spec->n ? row + w->spec->n : row - w->spec->n;
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

/* Places of the row itself and of its partner in the sample, ascending, those absent left out. */
static int excluded(const struct work *w, int64_t row, int64_t places[2])
{
    int64_t a = place(w->spec, row), b = place(w->spec, partner(w, row));
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

/* ---- Moments: s and M, weighted or not ------------------------------------------------------- */

static void moments_piece(struct work *w, int64_t group, int64_t first, int64_t count,
                          float *scratch)
{
    int64_t d = w->spec->d;
    float *M = w->partial + group * d * (d + 1), *s = M + d * d;
    const float *Z = w->spec->Z + first * d, *weighted = Z;
    if (w->weight) {
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < d; j++)
                scratch[i * d + j] = w->weight[first + i] * Z[i * d + j];
        weighted = scratch;
    }
    add_transposed(w, M, weighted, Z, d, count);
    for (int64_t i = 0; i < count; i++)
        w->loops->axpy(s, 1.0f, weighted + i * d, d);
}

/* M and s into `out`, of rows weighted where there are weights. */
static void find_moments(struct context *c, struct work *w, float *out)
{
    int64_t d = w->spec->d;
    memset(w->partial, 0, (size_t)(w->groups * d * (d + 1)) * sizeof(float));
    run_pieces(c, w, moments_piece);
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t i = 0; i < d * (d + 1); i++) {
        double total = 0;
        for (int64_t group = 0; group < w->groups; group++)
            total += (double)w->partial[group * d * (d + 1) + i];
        out[i] = (float)total;
    }
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* The products of a piece that both passes need: X, its cosines with the sampled rows (count, m),
 * and T, its rows times M (count, d). Kept from the forward pass, or found again in `scratch`. */
struct products {
    float *X, *T;
};

static struct products place_products(const struct work *w, int64_t first, float *scratch)
{
    const struct moment *s = w->spec;
    float *at = s->kept ? s->kept + first * (s->samples + s->d) : scratch;
    return (struct products){at,
                             at + (s->kept ? least(PIECE, w->rows - first) : PIECE) * s->samples};
}

static void find_products(const struct work *w, int64_t first, int64_t count, struct products p)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples;
    const float *Z = s->Z + first * d;
    w->loops->product(&(struct product){
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
    multiply(w, p.T, Z, s->moments, count, d, false);
}

/* The sums of exp_powers over a row of the sample, the row itself and its partner left out; returns
 * how many terms there are. */
static int64_t row_powers(const struct work *w, int64_t row, const float *x, double sums[7])
{
    int64_t places[2], from = 0;
    int skip = excluded(w, row, places);
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

static void forward_piece(struct work *w, int64_t group, int64_t first, int64_t count,
                          float *scratch)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples;
    struct products p = place_products(w, first, scratch);
    find_products(w, first, count, p);
    for (int64_t i = 0; i < count; i++) {
        int64_t row = first + i;
        const float *z = s->Z + row * d;
        double *out = w->row + row * 6, sums[7] = {0}, *fit = w->fit + group * FIT_SUMS;
        if (m > 0)
            fit[0] += (double)row_powers(w, row, p.X + i * m, sums);
        out[0] = w->loops->dot(z, s->moments + d * d, d);
        out[1] = w->loops->dot(z, p.T + i * d, d);
        out[2] = w->loops->dot(z, s->Z + partner(w, row) * d, d);
        for (int k = 0; k < 3; k++)
            out[3 + k] = sums[k];
        for (int k = 0; k < 7; k++)
            fit[1 + k] += sums[k];
    }
}

/* Without a sample the fit looks at random pairs, none of them a row with itself or its partner. */
static void random_pairs(struct work *w)
{
    const struct moment *s = w->spec;
    for (int64_t k = 0; k < s->pairs; k++) {
        int64_t i = random_below(&s->key, (uint64_t)(2 * k), w->rows);
        int64_t j = random_below(&s->key, (uint64_t)(2 * k + 1), w->rows);
        if (i == j || j == partner(w, i))
            continue;
        float x = (float)w->loops->dot(s->Z + i * s->d, s->Z + j * s->d, s->d);
        double sums[7];
        w->loops->exp_powers(&x, 1, (float)(1 / s->tau), sums);
        w->fit[0] += 1;
        for (int p = 0; p < 7; p++)
            w->fit[1 + p] += sums[p];
    }
}

/* Least squares: the normal equations of 1, x, x^2 by elimination. Where the cosines do not vary
 * enough to tell a power from the lower ones, its coefficient is 0. */
static void solve_fit(double c[3], const double f[FIT_SUMS])
{
    double A[3][4] = {{f[0], f[2], f[3], f[1]}, {f[2], f[3], f[4], f[6]}, {f[3], f[4], f[5], f[7]}};
    bool usable[3];
    for (int k = 0; k < 3; k++) {
        double scale = k == 0 ? 1 : k == 1 ? f[3] : f[5];
        usable[k] = A[k][k] > 1e-9 * scale && A[k][k] > 0;
        for (int r = k + 1; r < 3 && usable[k]; r++) {
            double factor = A[r][k] / A[k][k];
            for (int q = k; q < 4; q++)
                A[r][q] -= factor * A[k][q];
        }
    }
    for (int k = 2; k >= 0; k--) {
        double value = A[k][3];
        for (int q = k + 1; q < 3; q++)
            value -= A[k][q] * c[q];
        c[k] = usable[k] ? value / A[k][k] : 0;
    }
}

static void find_coefficients(struct moment *s, struct work *w)
{
    double total[FIT_SUMS] = {0}, shift = exp(-1 / s->tau);
    if (s->fixed) {
        for (int k = 0; k < 3; k++)
            s->coefficient[k] = s->fixed[k] * shift;
        return;
    }
    if (s->samples == 0)
        random_pairs(w);
    for (int64_t group = 0; group < w->groups; group++)
        for (int k = 0; k < FIT_SUMS; k++)
            total[k] += w->fit[group * FIT_SUMS + k];
    solve_fit(s->coefficient, total);
}

/* Estimates of D, floored, and the loss, in the order of the rows. */
static void sum_up(struct moment *s, const struct work *w)
{
    const double *c = s->coefficient, rows = (double)w->rows;
    double lowest = (rows - 2) * exp(-2 / s->tau), loss = 0;
    s->floored = 0;
    for (int64_t i = 0; i < w->rows; i++) {
        const double *r = w->row + i * 6;
        double pi = r[2], positive = exp((pi - 1) / s->tau);
        int64_t places[2], terms = s->samples ? s->samples - excluded(w, i, places) : 0;
        double D = rows * c[0] + c[1] * r[0] + c[2] * r[1] - (c[0] + c[1] + c[2]) -
                   (c[0] + pi * (c[1] + pi * c[2])) + positive;
        if (terms > 0)
            D += (rows - 2) / (double)terms *
                 (r[3] - (double)terms * c[0] - c[1] * r[4] - c[2] * r[5]);
        s->floor[i] = !(D > positive + lowest);
        s->floored += s->floor[i];
        s->D[i] = s->floor[i] ? positive + lowest : D;
        loss += log(s->D[i]) + (1 - pi) / s->tau;
    }
    s->loss = loss / rows;
}

graco_status cpu_moment(struct context *c, struct moment *s)
{
    struct work w;
    graco_status status = GRACO_OK;
    TRY(init_work(c, &w, s));
    TRY(context_take(c, &w.row, w.rows * 6, sizeof(double)));
    TRY(context_take(c, &w.fit, w.groups * FIT_SUMS, sizeof(double)));
    memset(w.fit, 0, (size_t)(w.groups * FIT_SUMS) * sizeof(double));
    find_moments(c, &w, s->moments);
    run_pieces(c, &w, forward_piece);
    find_coefficients(s, &w);
    sum_up(s, &w);
done:
    clear_work(c, &w);
    return status;
}

/* ---- Backward -------------------------------------------------------------------------------- */

/* Row i of R: weight (2n - 2) / terms times r_ij, zero for the row itself and its partner. */
static void residual_row(const struct work *w, int64_t row, const float *x, float *R)
{
    const struct moment *s = w->spec;
    int64_t places[2];
    int skip = excluded(w, row, places);
    double kappa = (double)(w->rows - 2) / (double)(s->samples - skip);
    w->loops->residual(R, x, s->samples, (float)(1 / s->tau),
                       (float)((double)w->weight[row] * kappa), (float)s->coefficient[1],
                       (float)s->coefficient[2]);
    for (int k = 0; k < skip; k++)
        R[places[k]] = 0;
}

/* dz, which holds the row times the weighted M and the correction's part, made the gradient of one
 * row; t is the row times M. */
static void row_gradient(const struct work *w, int64_t row, const float *t, float *dz)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, other = partner(w, row);
    const float *z = s->Z + row * d, *zp = s->Z + other * d;
    const float *sum = s->moments + d * d, *weighted_sum = w->weighted + d * d;
    double pi = w->loops->dot(z, zp, d), e = exp((pi - 1) / s->tau) / s->tau;
    const float scale = (float)(1.0 / (double)w->rows);
    float a = w->weight[row], both = a + w->weight[other];
    float c1 = (float)s->coefficient[1], c2 = (float)(2 * s->coefficient[2]);
    float pull = (float)((1 / s->D[row] + 1 / s->D[other]) * e - 2 / s->tau -
                         (double)both * (s->coefficient[1] + 2 * s->coefficient[2] * pi));
    for (int64_t j = 0; j < d; j++)
        dz[j] = scale * (dz[j] + a * (c1 * sum[j] + c2 * t[j]) + weighted_sum[j] + pull * zp[j]);
}

static void backward_piece(struct work *w, int64_t group, int64_t first, int64_t count,
                           float *scratch)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, m = s->samples;
    struct products p = place_products(w, first, scratch);
    float *R = scratch + PIECE * (m + d), *dZ = w->dZ + first * d;
    const float *Z = s->Z + first * d;
    if (!s->kept)
        find_products(w, first, count, p);
    multiply(w, dZ, Z, w->weighted, count, d, false);
    if (m > 0) {
        for (int64_t i = 0; i < count; i++)
            residual_row(w, first + i, p.X + i * m, R + i * m);
        add_transposed(w, w->pulled + group * m * d, R, Z, m, count);
        multiply(w, dZ, R, w->sampled, count, m, true);
    }
    for (int64_t i = 0; i < count; i++)
        row_gradient(w, first + i, p.T + i * d, dZ + i * d);
}

/* What the other rows' corrections pull at the sampled rows. */
static void add_pulled(struct context *c, const struct work *w)
{
    const struct moment *s = w->spec;
    int64_t d = s->d, size = s->samples * d;
    float scale = (float)(1.0 / (double)w->rows);
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int64_t k = 0; k < s->samples; k++)
        for (int64_t group = 0; group < w->groups; group++)
            w->loops->axpy(w->dZ + s->sample[k] * d, scale, w->pulled + group * size + k * d, d);
}

graco_status cpu_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    struct work w;
    graco_status status = GRACO_OK;
    TRY(init_work(c, &w, s));
    TRY(context_take(c, &w.pulled, w.groups * s->samples * s->d, sizeof(float)));
    memset(w.pulled, 0, (size_t)(w.groups * s->samples * s->d) * sizeof(float));
    TRY(context_take(c, &w.weight, w.rows, sizeof(float)));
    TRY(context_take(c, &w.weighted, (s->d + 1) * s->d, sizeof(float)));
    for (int64_t i = 0; i < w.rows; i++)
        w.weight[i] = s->floor[i] ? 0.0f : (float)(1 / s->D[i]);
    find_moments(c, &w, w.weighted);
    for (int64_t i = 0; i < (s->d + 1) * s->d; i++)
        w.weighted[i] *= (float)(i < s->d * s->d ? 2 * s->coefficient[2] : s->coefficient[1]);
    w.dZ = dZ;
    run_pieces(c, &w, backward_piece);
    add_pulled(c, &w);
done:
    clear_work(c, &w);
    return status;
}
