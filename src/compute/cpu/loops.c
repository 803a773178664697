/* The inner loops, in vectors of sixteen floats that the compiler lowers to the registers of each
 * instruction set. LOOPS_ISA is the name of the table that a compilation defines. Sums have a fixed
 * order: each lane first, then over the lanes. */
#include "compute/cpu/loops.h"

#include "compute/cpu/loops_regress.h"
#include "compute/cpu/loops_skipgram.h"
#include "compute/cpu/loops_soft.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAME(isa) #isa
#define TABLE(isa) PASTE(loops_, isa)
#define TEXT(isa) NAME(isa)

/* Columns that `gather` takes at once: the most as long as there are so many, then some, then one vector. */
enum { GATHER_VECTORS = 8, GATHER_MOST = GATHER_VECTORS * LANES, GATHER_SOME = GATHER_MOST / 2 };

/* ---- Sparse rows ----------------------------------------------------------------------------- */

static inline float weight(const struct gather *g, int64_t k)
{
    float w = g->value ? g->value[k] : 1.0f;
    return g->col_scale ? w * g->col_scale[g->index[k]] : w;
}

static inline void finish(float *out, ext_vector acc, const struct gather *g, int64_t count)
{
    acc *= fill(g->row_scale);
    if (g->accumulate)
        acc += load_part(out, count);
    store_part(out, acc, count);
}

/* `vectors` vectors of columns stay in registers while the row's entries go by; it is a constant
 * wherever this is inlined. */
static EXT_INLINE void gather_wide(float *out, int64_t first, const struct gather *g,
                                   const int vectors)
{
    const float *X = g->X + first;
    ext_vector acc[GATHER_VECTORS] = {{0}};
    if (g->self >= 0) {
        const float *x = X + g->self * g->cols;
        ext_vector w = fill(g->col_scale ? g->col_scale[g->self] : 1.0f);
        for (int v = 0; v < vectors; v++)
            acc[v] = w * load(x + v * LANES);
    }
    for (int64_t k = 0; k < g->count; k++) {
        const float *x = X + g->index[k] * g->cols;
        ext_vector w = fill(weight(g, k));
        for (int v = 0; v < vectors; v++)
            acc[v] += w * load(x + v * LANES);
    }
    for (int v = 0; v < vectors; v++)
        finish(out + first + v * LANES, acc[v], g, LANES);
}

static inline void gather_narrow(float *out, int64_t first, int64_t count, const struct gather *g)
{
    const float *X = g->X + first;
    ext_vector acc = {0};
    if (g->self >= 0)
        acc = fill(g->col_scale ? g->col_scale[g->self] : 1.0f) *
              load_part(X + g->self * g->cols, count);
    for (int64_t k = 0; k < g->count; k++)
        acc += fill(weight(g, k)) * load_part(X + g->index[k] * g->cols, count);
    finish(out + first, acc, g, count);
}

static void gather(float *out, const struct gather *g, int64_t first, int64_t last)
{
    for (; first + GATHER_MOST <= last; first += GATHER_MOST)
        gather_wide(out, first, g, GATHER_VECTORS);
    for (; first + GATHER_SOME <= last; first += GATHER_SOME)
        gather_wide(out, first, g, GATHER_SOME / LANES);
    for (; first < last; first += LANES)
        gather_narrow(out, first, last - first < LANES ? last - first : LANES, g);
}

enum { STRIPE_VECTORS = STRIPE / LANES };

/* What a row of the stripe holds: `part` columns of vector v. */
static inline int64_t part_of(const struct stripe *s, int v)
{
    int64_t part = s->cols - v * LANES;
    return part < 0 ? 0 : part > LANES ? LANES : part;
}

static EXT_INLINE void gather_stripe_row(const struct stripe *s, int64_t row, const bool scaled,
                                         const bool whole)
{
    float *y = s->Y + row * s->y_row, scale = s->row_scale ? s->row_scale[row] : 1.0f;
    ext_vector acc[STRIPE_VECTORS] = {{0}};
    for (int v = 0; v < STRIPE_VECTORS && s->accumulate; v++)
        acc[v] = load_part(y + v * LANES, whole ? LANES : part_of(s, v));
    for (int64_t k = s->begin[row]; k < s->end[row] && scale != 0; k++) {
        const float *x = s->X + (s->index[k] - s->first) * s->x_row;
        float w = scaled ? s->value[k] * s->col_scale[s->index[k]] : s->value[k];
        for (int v = 0; v < STRIPE_VECTORS; v++)
            acc[v] += fill(w * scale) * load_part(x + v * LANES, whole ? LANES : part_of(s, v));
    }
    for (int v = 0; v < STRIPE_VECTORS; v++)
        store_part(y + v * LANES, acc[v], whole ? LANES : part_of(s, v));
}

static void gather_stripe(const struct stripe *s)
{
    if (s->cols < STRIPE)
        for (int64_t row = 0; row < s->rows; row++)
            gather_stripe_row(s, row, s->col_scale, false);
    else if (s->col_scale)
        for (int64_t row = 0; row < s->rows; row++)
            gather_stripe_row(s, row, true, true);
    else
        for (int64_t row = 0; row < s->rows; row++)
            gather_stripe_row(s, row, false, true);
}

/* ---- Dense products -------------------------------------------------------------------------- */

#define NUMBER float
#define REGISTER ext_register
#define NUMBERS EXT_LANES
#define OPERAND float
#define OPERANDS ext_register
#define ADD_PRODUCT(c, a, b) ((c) += (a) * (b))
#define NAMED(x) x
#include "compute/cpu/loops_product.def"

#define NUMBER double
#define REGISTER ext_register_double
#define NUMBERS (EXT_LANES / 2)
#define OPERAND double
#define OPERANDS ext_register_double
#define ADD_PRODUCT(c, a, b) ((c) += (a) * (b))
#define NAMED(x) x##_double
#include "compute/cpu/loops_product.def"

/* ---- Tiles of the objective ------------------------------------------------------------------ */

static void exp_tile(float *tile, int64_t ld, int64_t rows, int64_t cols, float scale,
                     float *row_sum, float *col_sum)
{
    const ext_vector a = fill(scale), b = fill(-scale);
    for (int64_t i = 0; i < rows; i++) {
        float *row = tile + i * ld;
        ext_vector total = {0};
        int64_t j = 0;
        for (; j + LANES <= cols; j += LANES) {
            ext_vector e = exp2_vector(load(row + j) * a + b);
            store(row + j, e);
            store(col_sum + j, load(col_sum + j) + e);
            total += e;
        }
        float rest = 0;
        if (j < cols) {
            ext_vector e = exp2_vector(load_part(row + j, cols - j) * a + b);
            for (int64_t lane = 0; j + lane < cols; lane++) {
                row[j + lane] = e[lane];
                col_sum[j + lane] += e[lane];
                rest += e[lane];
            }
        }
        row_sum[i] = sum(total) + rest;
    }
}

static void weigh_tile(float *out, const float *tile, int64_t ld, int64_t rows, int64_t cols,
                       const float *row, const float *col)
{
    for (int64_t i = 0; i < rows; i++) {
        const float *from = tile + i * ld;
        float *to = out + i * ld, r = row[i];
#pragma omp simd
        for (int64_t j = 0; j < cols; j++)
            to[j] = from[j] * (r + col[j]);
    }
}

static double logistic_tile(float *tile, int64_t ld, int64_t rows, int64_t cols)
{
    double total = 0;
    for (int64_t i = 0; i < rows; i++) {
        float *row = tile + i * ld;
        ext_vector soft, softs = {0};
        for (int64_t j = 0; j < cols; j += LANES) {
            int64_t part = cols - j < LANES ? cols - j : LANES;
            store_part(row + j, logistic_vector(load_part(row + j, part), &soft), part);
            softs += part < LANES ? load_part((const float *)&soft, part) : soft;
        }
        total += (double)sum(softs);
    }
    return total;
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

static inline ext_integers reaching(const float *x, ext_vector low, const float *bars)
{
    return (load(x) >= low) | (load(x) >= load(bars));
}

/* Hardly any number reaches a bar: vectors are looked at by groups, those of a group only if one does, and
 * numbers one by one only within such a vector. */
static int64_t reach(int32_t *place, const float *x, int64_t count, float bar, const float *bars)
{
    enum { SPAN = 4 * LANES };
    const ext_vector low = fill(bar);
    int64_t found = 0, j = 0;
    while (j < count) {
        int64_t end = j + LANES < count ? j + LANES : count;
        if (j % SPAN == 0 && j + SPAN <= count &&
            !ext_any(
                (reaching(x + j, low, bars + j) | reaching(x + j + LANES, low, bars + j + LANES)) |
                (reaching(x + j + 2 * LANES, low, bars + j + 2 * LANES) |
                 reaching(x + j + 3 * LANES, low, bars + j + 3 * LANES)))) {
            j += SPAN;
            continue;
        }
        if (end - j == LANES && !ext_any(reaching(x + j, low, bars + j)))
            j = end;
        for (; j < end; j++) {
            place[found] = (int32_t)j;
            found += (x[j] >= bar) | (x[j] >= bars[j]);
        }
    }
    return found;
}

/* ---- Rows of the moment objective ------------------------------------------------------------ */

static void exp_powers(const float *x, int64_t count, float inverse_tau, double sums[7])
{
    const ext_vector scale = fill(inverse_tau * LOG2E), one = fill(1.0f);
    ext_vector s[7] = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_part(x + j, part);
        ext_vector e = exp2_vector((v - one) * scale);
        if (part < LANES)
            e = load_part((const float *)&e, part);
        ext_vector v2 = v * v;
        s[0] += e;
        s[1] += v;
        s[2] += v2;
        s[3] += v2 * v;
        s[4] += v2 * v2;
        s[5] += e * v;
        s[6] += e * v2;
    }
    for (int i = 0; i < 7; i++)
        sums[i] = sum(s[i]);
}

static void residual(float *out, const float *x, int64_t count, float inverse_tau, float a,
                     float c1, float c2)
{
    const ext_vector scale = fill(inverse_tau * LOG2E), inverse = fill(inverse_tau * a),
                     linear = fill(a * c1), square = fill(2 * a * c2), one = fill(1.0f);
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_part(x + j, part);
        store_part(out + j, exp2_vector((v - one) * scale) * inverse - linear - square * v, part);
    }
}

/* ---- Dense rows ------------------------------------------------------------------------------ */

static double dot(const float *a, const float *b, int64_t count)
{
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; i++)
        total += (double)a[i] * (double)b[i];
    return total;
}

static void axpy(float *restrict y, float a, const float *restrict x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        y[i] += a * x[i];
}

/* a where the mask is set, else b. */
static ext_vector choose(ext_integers mask, ext_vector a, ext_vector b)
{
    ext_integers ai, bi;
    memcpy(&ai, &a, sizeof a);
    memcpy(&bi, &b, sizeof b);
    ai = (mask & ai) | (~mask & bi);
    memcpy(&a, &ai, sizeof a);
    return a;
}

static void elu_row(float *y, const float *x, const float *bias, int64_t count)
{
    const ext_vector zero = {0}, one = fill(1.0f), scale = fill(LOG2E);
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector v = load_part(x + j, part);
        if (bias)
            v += load_part(bias + j, part);
        ext_integers positive = v > zero;
        /* Where v is positive the exponential is not used; 2^0 keeps it in range. */
        ext_vector e = exp2_vector(choose(positive, zero, v) * scale) - one;
        store_part(y + j, choose(positive, v, e), part);
    }
}

static void activate(float *y, const float *x, const struct activation_row *row)
{
    const float *bias = row->bias, *slopes = row->slopes;
    const float slope = row->kind == ACTIVATION_RELU ? 0 : row->slope;
    const int64_t count = row->count;
    if (row->kind == ACTIVATION_ELU) {
        elu_row(y, x, bias, count);
        return;
    }
    if (row->kind == ACTIVATION_SIGMOID) {
        logistic_row(y, x, bias, count);
        return;
    }
    for (int64_t j = 0; j < count; j++) {
        float v = bias ? x[j] + bias[j] : x[j];
        float a = slopes ? slopes[j] : slope;
        y[j] = v > 0 ? v : a * v;
    }
}

/* Returns the gradient of the slope. Its sum is taken in lanes: one after another its additions would
 * take longer than all the rest. */
static double prelu_backward(float *dx, const float *dy, const float *seen,
                             const struct activation_row *row)
{
    const ext_vector zero = {0}, slope = fill(row->slope);
    double sum[LANES] = {0}, dslope = 0;
    for (int64_t j = 0; j < row->count; j += LANES) {
        int64_t part = row->count - j < LANES ? row->count - j : LANES;
        ext_vector v = load_part(seen + j, part), d = load_part(dy + j, part);
        float product[LANES];
        if (row->bias)
            v += load_part(row->bias + j, part);
        ext_integers positive = v > zero;
        ext_vector low = choose(positive, zero, v) * d;
        store_part(dx + j, choose(positive, d, slope * d), part);
        memcpy(product, &low, sizeof low);
        for (int k = 0; k < LANES; k++)
            sum[k] += (double)product[k];
    }
    for (int k = 0; k < LANES; k++)
        dslope += sum[k];
    return dslope;
}

static double activate_backward(float *dx, const float *dy, const float *seen,
                                const struct activation_row *row, double *dbias)
{
    const float *slopes = row->slopes;
    const float slope = row->kind == ACTIVATION_RELU ? 0 : row->slope;
    const int64_t count = row->count;
    double dslope = 0;
    if (row->kind == ACTIVATION_ELU) {
        for (int64_t j = 0; j < count; j++)
            dx[j] = seen[j] > 0 ? dy[j] : dy[j] * (seen[j] + 1);
    } else if (row->kind == ACTIVATION_SIGMOID) {
        for (int64_t j = 0; j < count; j++)
            dx[j] = dy[j] * seen[j] * (1 - seen[j]);
    } else if (row->kind == ACTIVATION_PRELU) {
        dslope = prelu_backward(dx, dy, seen, row);
    } else {
        for (int64_t j = 0; j < count; j++)
            dx[j] = dy[j] * (seen[j] > 0 ? 1 : slopes ? slopes[j] : slope);
    }
    if (dbias)
        for (int64_t j = 0; j < count; j++)
            dbias[j] += (double)dx[j];
    return dslope;
}

static void rrelu_slopes(float *out, const struct random_key *key, int64_t first, int64_t count)
{
    const float low = 1.0f / 8, width = 1.0f / 3 - 1.0f / 8;
    uint32_t lanes[4];
    for (int64_t j = 0; j < count; j++) {
        uint64_t element = (uint64_t)(first + j);
        if (j == 0 || element % 4 == 0)
            random_block(lanes, key, element / 4);
        out[j] = low + width * ((float)(lanes[element % 4] >> 8) * 0x1p-24f);
    }
}

/* ---- The optimiser --------------------------------------------------------------------------- */

static void adam(const struct adam *a, int64_t first, int64_t last)
{
    const float b1 = (float)a->beta1, b2 = (float)a->beta2, decay = (float)a->weight_decay;
    const float rate = (float)(a->lr / (1 - pow(a->beta1, (double)a->step)));
    const float root = (float)(1 / sqrt(1 - pow(a->beta2, (double)a->step)));
    const float epsilon = (float)a->epsilon;
    const float clip = a->clip > 0 ? (float)a->clip : INFINITY;
    float *restrict value = a->value, *restrict m = a->m, *restrict v = a->v;
    const float *restrict grad = a->grad;
    for (int64_t i = first; i < last; i++) {
        float kept = grad[i] > clip ? clip : grad[i] < -clip ? -clip : grad[i];
        float g = kept + decay * value[i];
        m[i] = b1 * m[i] + (1 - b1) * g;
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        value[i] -= rate * m[i] / (sqrtf(v[i]) * root + epsilon);
    }
}

const struct loops TABLE(LOOPS_ISA) = {
    .name = TEXT(LOOPS_ISA),
    .product = product,
    .product_double = product_double,
    .gather = gather,
    .gather_stripe = gather_stripe,
    .exp_tile = exp_tile,
    .weigh_tile = weigh_tile,
    .logistic_tile = logistic_tile,
    .reach = reach,
    .exp_powers = exp_powers,
    .residual = residual,
    .dot = dot,
    .axpy = axpy,
    .activate = activate,
    .activate_backward = activate_backward,
    .rrelu_slopes = rrelu_slopes,
    .softplus = softplus,
    .softmax = softmax,
    .lstm_cell = lstm_cell,
    .lstm_cell_backward = lstm_cell_backward,
    .lstm_output = lstm_output,
    .residuals = residuals,
    .multiply = multiply,
    .adam = adam,
    .skipgram = skipgram,
};
