/* Inner loops over bf16. Without instructions for it, pairs are taken apart and multiplied as floats: the
 * same products, which are exact in float32, at somewhat less than float32's speed. */
#include "compute/cpu/loops_bf16.h"

#include "compute/cpu/loops_vector.h"

#define PASTE(a, b) a##b
#define NAME(isa) #isa
#define TABLE(isa) PASTE(loops_bf16_, isa)
#define TEXT(isa) NAME(isa)

enum { HALVES = 2 * LANES };

/* ---- What some instruction sets have ----------------------------------------------------------- */

#ifdef EXT_ADD_PAIRS
static inline ext_halves round_to_halves(ext_vector first, ext_vector second)
{
    return EXT_ROUND(first, second);
}
#else
static inline ext_register add_pairs(ext_register c, ext_pairs a, ext_pairs b)
{
    const ext_pairs high = (ext_pairs){0} - 65536u;
    c += (ext_register)(a << 16) * (ext_register)(b << 16);
    return c + (ext_register)(a & high) * (ext_register)(b & high);
}
#define EXT_ADD_PAIRS(c, a, b) add_pairs(c, a, b)

static inline ext_halves round_to_halves(ext_vector first, ext_vector second)
{
    float x[HALVES];
    uint32_t bits[HALVES];
    uint16_t rounded[HALVES];
    ext_halves out;
    store(x, first);
    store(x + LANES, second);
    memcpy(bits, x, sizeof x);
    for (int i = 0; i < HALVES; i++) {
        uint32_t nearest = bits[i] + 0x7fff + (bits[i] >> 16 & 1), quiet = bits[i] | 1u << 22;
        rounded[i] = (uint16_t)((x[i] == x[i] ? nearest : quiet) >> 16);
    }
    memcpy(&out, rounded, sizeof out);
    return out;
}
#endif

#ifndef EXT_TURNS
static inline ext_halves take_turns(ext_halves a, ext_halves b, int first)
{
    ext_halves out;
    for (int i = 0; i < HALVES; i++)
        out[i] = i % 2 ? b[first + i / 2] : a[first + i / 2];
    return out;
}
#define EXT_TURNS(a, b, i) take_turns(a, b, i)
#endif

/* ---- Products ---------------------------------------------------------------------------------- */

#if defined(__AMX_BF16__) || defined(LOOPS_AMX_EMULATED)
#include "compute/cpu/loops_amx.def"
enum { PANEL_COLS = AMX_SIDE, STRIP = AMX_BLOCK, KEEP = false };
#else
enum { PANEL_COLS = PANEL, STRIP = 16 * BLOCK_ROWS, KEEP = true };
#define NUMBER float
#define REGISTER ext_register
#define NUMBERS EXT_LANES
#define OPERAND uint32_t
#define OPERANDS ext_pairs
#define ADD_PRODUCT(c, a, b) ((c) = EXT_ADD_PAIRS(c, a, b))
#define NAMED(x) x##_bf16
#include "compute/cpu/loops_product.def"
#endif

/* ---- Rounding ---------------------------------------------------------------------------------- */

/* Floats j .. j + 15 of a row of `count`, zeros behind its end. */
static inline ext_vector load_at(const float *x, int64_t j, int64_t count)
{
    int64_t part = count - j;
    return part <= 0 ? (ext_vector){0} : load_part(x + j, part < LANES ? part : LANES);
}

static void round_row(uint32_t *out, const float *x, int64_t count)
{
    for (int64_t j = 0; j < count; j += HALVES) {
        ext_halves h = round_to_halves(load_at(x, j, count), load_at(x, j + LANES, count));
        memcpy(out + j / 2, &h, sizeof h);
    }
}

static void pair_rows(uint32_t *out, const float *a, const float *b, int64_t count)
{
    for (int64_t j = 0; j < count; j += LANES) {
        int64_t part = count - j < LANES ? count - j : LANES;
        ext_vector x = load_part(a + j, part), y = b ? load_part(b + j, part) : (ext_vector){0};
        ext_halves turns = EXT_TURNS(round_to_halves(x, x), round_to_halves(y, y), 0);
        memcpy(out + j, &turns, (size_t)part * sizeof *out);
    }
}

/* 32 weights of a row from column j on, as halves. */
static inline ext_halves weights_at(const float *from, float row, const float *col, int64_t j,
                                    int64_t count)
{
    ext_vector r = fill(row);
    ext_vector a = load_at(from, j, count) * (r + load_at(col, j, count));
    ext_vector b = load_at(from, j + LANES, count) * (r + load_at(col, j + LANES, count));
    return round_to_halves(a, b);
}

/* Weights of a row, as halves. */
static inline void weigh_row(uint32_t *out, const float *from, float row, const float *col,
                             int64_t cols)
{
    int64_t j = 0;
    for (; j + HALVES <= cols; j += HALVES) {
        ext_vector a = load(from + j) * (fill(row) + load(col + j));
        ext_vector b = load(from + j + LANES) * (fill(row) + load(col + j + LANES));
        ext_halves h = round_to_halves(a, b);
        memcpy(out + j / 2, &h, sizeof h);
    }
    if (j < cols) {
        ext_halves h = weights_at(from, row, col, j, cols);
        memcpy(out + j / 2, &h, sizeof h);
    }
}

static void weigh_tile(const struct bf16_weights *w)
{
    int64_t padded = 2 * bf16_pairs(w->rows);
    for (int64_t i = 0; i < w->rows; i += 2) {
        uint32_t *even = w->by_row + i * (CONTRAST_TILE / 2), *odd = even + CONTRAST_TILE / 2;
        uint32_t *by_col = w->by_col + i / 2 * CONTRAST_TILE;
        weigh_row(even, w->tile + i * CONTRAST_TILE, w->row[i], w->col, w->cols);
        if (i + 1 < w->rows)
            weigh_row(odd, w->tile + (i + 1) * CONTRAST_TILE, w->row[i + 1], w->col, w->cols);
        else
            memset(odd, 0, CONTRAST_TILE / 2 * sizeof *odd);
        for (int64_t j = 0; j < w->cols; j += HALVES) {
            ext_halves a, b, turns;
            memcpy(&a, even + j / 2, sizeof a);
            memcpy(&b, odd + j / 2, sizeof b);
            turns = EXT_TURNS(a, b, 0);
            memcpy(by_col + j, &turns, sizeof turns);
            turns = EXT_TURNS(a, b, 16);
            memcpy(by_col + j + LANES, &turns, sizeof turns);
        }
    }
    for (int64_t i = (w->rows + 1) / 2; i < padded / 2; i++)
        memset(w->by_col + i * CONTRAST_TILE, 0, CONTRAST_TILE * sizeof *w->by_col);
}

const struct loops_bf16 TABLE(LOOPS_ISA) = {
    .name = TEXT(LOOPS_ISA),
    .panel = PANEL_COLS,
    .strip = STRIP,
    .keep = KEEP,
    .product = product_bf16,
    .round_row = round_row,
    .pair_rows = pair_rows,
    .weigh_tile = weigh_tile,
};
