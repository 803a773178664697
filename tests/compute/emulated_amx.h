/* AMX's instructions for a machine that need not have them, as Intel's manual writes them down. The inner loops over bf16 are
 * compiled for them by a test that includes loops_bf16.c after this. */
#ifndef TESTS_COMPUTE_EMULATED_AMX_H
#define TESTS_COMPUTE_EMULATED_AMX_H

#include "base/extensions.h"
#include "check.h"

#include <stdatomic.h>

#define LOOPS_AMX_EMULATED
#define LOOPS_ISA emulated

enum { REGISTERS = 8, SIDE = 16 };

static _Thread_local struct {
    bool configured;
    uint32_t word[REGISTERS][SIDE][SIDE];
} amx;

/* What no instruction may meet: registers that are not configured, are configured twice or otherwise than whole. */
static atomic_int amx_faults;
/* Operands' tiles whose rows were not lines of the cache: right, and half as fast. */
static atomic_int amx_across_lines;

/* Subnormal numbers count as 0. */
static inline float flushed(float x)
{
    return isnormal(x) || isinf(x) || isnan(x) ? x : 0;
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return flushed(x);
}

static inline void tile_configure(const void *shape)
{
    const uint8_t *byte = shape;
    bool whole = byte[0] == 1;
    for (int i = 0; i < REGISTERS; i++)
        whole = whole && byte[16 + 2 * i] == 4 * SIDE && byte[48 + i] == SIDE;
    amx_faults += amx.configured || !whole;
    amx.configured = true;
}

static inline void tile_release(void)
{
    amx_faults += !amx.configured;
    amx.configured = false;
}

static inline void tile_zero(int t)
{
    amx_faults += !amx.configured;
    memset(amx.word[t], 0, sizeof amx.word[t]);
}

static inline void tile_load(int t, const void *from, int64_t row_bytes)
{
    amx_faults += !amx.configured;
    if (t >= 4 && ((uintptr_t)from | (uintptr_t)row_bytes) % sizeof amx.word[t][0] != 0)
        amx_across_lines++;
    for (int i = 0; i < SIDE; i++)
        memcpy(amx.word[t][i], (const char *)from + i * row_bytes, sizeof amx.word[t][i]);
}

static inline void tile_store(int t, void *to, int64_t row_bytes)
{
    amx_faults += !amx.configured;
    for (int i = 0; i < SIDE; i++)
        memcpy((char *)to + i * row_bytes, amx.word[t][i], sizeof amx.word[t][i]);
}

/* Terms with even numbers and with odd ones are added up apart, then together, then to what was there. */
static inline void tile_add_pairs(int c, int a, int b)
{
    amx_faults += !amx.configured;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float even = 0, odd = 0, sum;
            for (int k = 0; k < SIDE; k++) {
                uint32_t x = amx.word[a][i][k], y = amx.word[b][k][j];
                even += float_of(x << 16) * float_of(y << 16);
                odd += float_of(x & 0xffff0000u) * float_of(y & 0xffff0000u);
            }
            sum = flushed(float_of(amx.word[c][i][j]) + (even + odd));
            memcpy(&amx.word[c][i][j], &sum, sizeof sum);
        }
}

#undef EXT_TILE_CONFIGURE
#undef EXT_TILE_RELEASE
#undef EXT_TILE_ZERO
#undef EXT_TILE_LOAD
#undef EXT_TILE_STORE
#undef EXT_TILE_ADD_PAIRS
#define EXT_TILE_CONFIGURE tile_configure
#define EXT_TILE_RELEASE tile_release
#define EXT_TILE_ZERO tile_zero
#define EXT_TILE_LOAD tile_load
#define EXT_TILE_STORE tile_store
#define EXT_TILE_ADD_PAIRS tile_add_pairs

#endif
