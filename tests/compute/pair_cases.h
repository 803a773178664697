/* One table of loops over bf16 against scalar code in double: rounding, products and weights. Blocks have exactly the size that
 * is asked for, so that a sanitizer sees a read past the end. */
#ifndef TESTS_COMPUTE_PAIR_CASES_H
#define TESTS_COMPUTE_PAIR_CASES_H

#include "compute/cpu/loops_bf16.h"

#include "base/random.h"
#include "check.h"

#include <float.h>

/* The reference of rounding, in double: the nearest number of eight significant bits, of two equally near
 * the one whose last bit is 0. */
static inline float nearest(float x)
{
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    double fraction = frexp((double)x, &exponent); /* in [1/2, 1) */
    double scaled = ldexp(fraction, 8), below = floor(scaled), rest = scaled - below;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0);
    return (float)ldexp(below + up, exponent - 8); /* past the largest float: infinite */
}

static inline void *words_of(int64_t count)
{
    void *block = malloc((size_t)(count ? count : 1) * 4);
    CHECK(block);
    return block;
}

static inline float *random_floats(int64_t count, uint32_t stream)
{
    struct random_key key = {.seed = 5, .stream = stream};
    float *block = words_of(count);
    for (int64_t i = 0; i < count; i++)
        block[i] = 2 * random_float(&key, (uint64_t)i) - 1;
    return block;
}

static inline float number_of(uint32_t pair, int half)
{
    uint32_t bits = half ? pair & 0xffff0000u : pair << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* ---- Rounding ---------------------------------------------------------------------------------- */

static inline void check_rounding(const struct loops_bf16 *loops)
{
    static const float SPECIAL[] = {
        0.0f,     -0.0f,      1.0f,          1.00390625f, 1.01171875f,   -1.00390625f, 1.003906369f,
        FLT_MAX,  -FLT_MAX,   FLT_MIN,       INFINITY,    -INFINITY,     NAN,          0.1f,
        1.0f / 3, 1.9999999f, 3.3895314e38f, 1e-30f,      -0.999999999f, 255.5f};
    enum { SPECIALS = sizeof SPECIAL / sizeof *SPECIAL, MOST = 200 };
    for (int64_t count = 0; count <= MOST; count += count < 70 ? 1 : 13) {
        float *x = random_floats(count, 1), *y = random_floats(count, 2);
        int64_t pairs = bf16_pairs(count);
        uint32_t *row = words_of(pairs), *both = words_of(count), *one = words_of(count);
        for (int64_t i = 0; i < count && i < SPECIALS; i++)
            x[i] = SPECIAL[(i + count) % SPECIALS];
        loops->round_row(row, x, count);
        loops->pair_rows(both, x, y, count);
        loops->pair_rows(one, x, NULL, count);
        bool right = true;
        for (int64_t i = 0; i < 2 * pairs; i++)
            right = right && same(number_of(row[i / 2], i % 2), i < count ? nearest(x[i]) : 0);
        for (int64_t i = 0; i < count; i++)
            right = right && same(number_of(both[i], 0), nearest(x[i])) &&
                    same(number_of(both[i], 1), nearest(y[i])) &&
                    same(number_of(one[i], 0), nearest(x[i])) && one[i] >> 16 == 0;
        CHECK(right);
        free(x);
        free(y);
        free(row);
        free(both);
        free(one);
    }
}

/* ---- Weights ----------------------------------------------------------------------------------- */

static inline void check_weights(const struct loops_bf16 *loops, int64_t rows, int64_t cols)
{
    float *tile = random_floats(rows * CONTRAST_TILE, 1), *row = random_floats(rows, 2),
          *col = random_floats(cols, 3);
    uint32_t *by_row = words_of(CONTRAST_TILE * CONTRAST_TILE / 2),
             *by_col = words_of(CONTRAST_TILE * CONTRAST_TILE / 2);
    int64_t row_pairs = bf16_pairs(rows), col_pairs = bf16_pairs(cols);
    memset(by_row, 0x77, CONTRAST_TILE * CONTRAST_TILE * 2);
    memset(by_col, 0x77, CONTRAST_TILE * CONTRAST_TILE * 2);
    loops->weigh_tile(&(struct bf16_weights){by_row, by_col, tile, rows, cols, row, col});
    bool right = true;
    for (int64_t i = 0; i < 2 * row_pairs; i++)
        for (int64_t j = 0; j < 2 * col_pairs; j++) {
            float w = 0;
            if (i < rows && j < cols)
                w = nearest(tile[i * CONTRAST_TILE + j] * (row[i] + col[j]));
            if (i < rows)
                right = right && number_of(by_row[i * CONTRAST_TILE / 2 + j / 2], j % 2) == w;
            if (j < cols)
                right = right && number_of(by_col[i / 2 * CONTRAST_TILE + j], i % 2) == w;
        }
    CHECK(right);
    free(tile);
    free(row);
    free(col);
    free(by_row);
    free(by_col);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* A product's operands: A (rows, terms) and B (terms, cols), rounded but still floats, and the same as
 * pairs. */
struct operands {
    int64_t rows, cols, terms, pairs;
    float *A, *B;
    uint32_t *by_row, *by_col; /* A along the sum, and across */
    uint32_t *packed;
};

static inline void make_operands(struct operands *o, const struct loops_bf16 *loops)
{
    const int64_t panel = loops->panel, panels = (o->cols + panel - 1) / panel;
    o->pairs = bf16_pairs(o->terms);
    o->A = random_floats(o->rows * o->terms, 1);
    o->B = random_floats(o->terms * o->cols, 2);
    for (int64_t i = 0; i < o->rows * o->terms; i++)
        o->A[i] = nearest(o->A[i]);
    for (int64_t i = 0; i < o->terms * o->cols; i++)
        o->B[i] = nearest(o->B[i]);
    o->by_row = words_of(o->rows * o->pairs);
    o->by_col = words_of(o->rows * o->pairs);
    o->packed = words_of(panels * panel * o->pairs);
    memset(o->packed, 0, (size_t)(panels * panel * o->pairs) * 4);
    for (int64_t i = 0; i < o->rows; i++) {
        loops->round_row(o->by_row + i * o->pairs, o->A + i * o->terms, o->terms);
        for (int64_t k = 0; k < o->pairs; k++)
            o->by_col[k * o->rows + i] = o->by_row[i * o->pairs + k];
    }
    for (int64_t k = 0; 2 * k < o->terms; k++)
        for (int64_t j = 0; j < o->cols; j += panel) {
            const float *b = o->B + 2 * k * o->cols + j;
            int64_t count = o->cols - j < panel ? o->cols - j : panel;
            loops->pair_rows(o->packed + j * o->pairs + k * panel, b,
                             2 * k + 1 < o->terms ? b + o->cols : NULL, count);
        }
}

static inline void free_operands(struct operands *o)
{
    free(o->A);
    free(o->B);
    free(o->by_row);
    free(o->by_col);
    free(o->packed);
}

/* Against sums in double of the rounded operands; what lies between the rows of C stays. */
static inline void check_product(const struct loops_bf16 *loops, struct operands *o)
{
    int64_t c_row = o->cols + 3;
    float *before = random_floats(o->rows * c_row, 4), *C = random_floats(o->rows * c_row, 4);
    for (int variant = 0; variant < 4; variant++) {
        bool turned = variant & 1, accumulate = variant & 2, beside = true;
        double worst = 0;
        memcpy(C, before, (size_t)(o->rows * c_row) * sizeof *C);
        loops->product(&(struct panel_product_bf16){
            .rows = o->rows,
            .cols = o->cols,
            .depth = o->pairs,
            .A = turned ? o->by_col : o->by_row,
            .a_row = turned ? 1 : o->pairs,
            .a_col = turned ? o->rows : 1,
            .B = o->packed,
            .b_row = loops->panel,
            .b_panel = loops->panel * o->pairs,
            .C = C,
            .c_row = c_row,
            .accumulate = accumulate,
        });
        for (int64_t i = 0; i < o->rows; i++)
            for (int64_t j = 0; j < c_row; j++) {
                double sum = accumulate ? (double)before[i * c_row + j] : 0;
                for (int64_t k = 0; k < o->terms && j < o->cols; k++)
                    sum += (double)o->A[i * o->terms + k] * (double)o->B[k * o->cols + j];
                double error = fabs((double)C[i * c_row + j] - sum);
                if (j < o->cols)
                    worst = fmax(worst, error);
                else
                    beside = beside && C[i * c_row + j] == before[i * c_row + j];
            }
        CHECK(worst < 1e-6 * (double)(10 + o->terms / 10));
        CHECK(beside);
    }
    free(before);
    free(C);
}

/* All of a table. */
static inline void check_loops(const struct loops_bf16 *loops)
{
    static const int64_t EDGES[] = {1, 2, 31, 32, 33, 190, 191, 192};
    static const int64_t SHAPES[][3] = {{1, 1, 1},    {2, 3, 2},    {5, 17, 33},   {6, 64, 32},
                                        {31, 65, 64}, {32, 32, 64}, {33, 95, 40},  {48, 130, 192},
                                        {64, 70, 7},  {37, 16, 0},  {32, 33, 1100}};
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        struct operands o = {.rows = SHAPES[i][0], .cols = SHAPES[i][1], .terms = SHAPES[i][2]};
        make_operands(&o, loops);
        check_product(loops, &o);
        free_operands(&o);
    }
    check_rounding(loops);
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++)
        check_weights(loops, EDGES[i], EDGES[3 * i % (sizeof EDGES / sizeof *EDGES)]);
}

#endif
