/* The only header with compiler extensions. */
#ifndef BASE_EXTENSIONS_H
#define BASE_EXTENSIONS_H

#include <stdint.h>
#if defined(__AVX512BF16__)
#include <immintrin.h> /* only where a file is compiled for it */
#endif

#if defined(__GNUC__)
#define EXT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define EXT_PRINTF(text, first)
#endif

/* Inlined wherever it is called, so that its constant arguments are constants in it. */
#if defined(__GNUC__)
#define EXT_INLINE inline __attribute__((always_inline))
#else
#define EXT_INLINE inline
#endif

/* Asks for the memory at p, which will be written, ahead of time. */
#if defined(__GNUC__)
#define EXT_PREFETCH(p) __builtin_prefetch(p, 1)
#else
#define EXT_PREFETCH(p) ((void)(p))
#endif

/* A function that a GPU can run too. */
#ifdef __CUDACC__
#define EXT_DEVICE __host__ __device__
#else
#define EXT_DEVICE
#endif

/* Whether this machine has an instruction set, or is of this maker; false where that cannot be asked. */
#if defined(__GNUC__) && defined(__x86_64__)
#define EXT_CPU_HAS(feature) __builtin_cpu_supports(feature)
#define EXT_CPU_IS(maker) __builtin_cpu_is(maker)
#else
#define EXT_CPU_HAS(feature) 0
#define EXT_CPU_IS(maker) 0
#endif

/* Tells the core that its thread only waits for another's. */
#if defined(__GNUC__) && defined(__x86_64__)
#define EXT_PAUSE() __builtin_ia32_pause()
#else
#define EXT_PAUSE() ((void)0)
#endif

/* Sixteen floats or 32-bit integers as one value; the compiler splits it into the registers that
 * the machine has. */
#if defined(__GNUC__)
typedef float ext_vector __attribute__((vector_size(64)));
typedef int32_t ext_integers __attribute__((vector_size(64)));
/* One register of floats or of doubles, half as many, of the instruction set that a file is compiled for. */
#if defined(__AVX512F__)
enum { EXT_LANES = 16 };
#elif defined(__AVX__)
enum { EXT_LANES = 8 };
#else
enum { EXT_LANES = 4 };
#endif
/* The sum of the lanes: lane i and i + 8 first, then i + 4, i + 2, i + 1. Without shuffles, which gcc has
 * since 12, it goes through memory and waits for the stores. */
#if defined(__clang__) || __GNUC__ >= 12
#define EXT_PART(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
static inline float ext_sum(ext_vector v)
{
    typedef float eight __attribute__((vector_size(32)));
    typedef float four __attribute__((vector_size(16)));
    eight e = EXT_PART(v, 0, 1, 2, 3, 4, 5, 6, 7) + EXT_PART(v, 8, 9, 10, 11, 12, 13, 14, 15);
    four f = EXT_PART(e, 0, 1, 2, 3) + EXT_PART(e, 4, 5, 6, 7);
    f += EXT_PART(f, 2, 3, 0, 1);
    return f[0] + f[1];
}
/* Whether any lane has a bit set. */
static inline int ext_any(ext_integers v)
{
    typedef int32_t eight __attribute__((vector_size(32)));
    typedef int64_t two __attribute__((vector_size(16)));
    eight e = EXT_PART(v, 0, 1, 2, 3, 4, 5, 6, 7) | EXT_PART(v, 8, 9, 10, 11, 12, 13, 14, 15);
    two t = (two)(EXT_PART(e, 0, 1, 2, 3) | EXT_PART(e, 4, 5, 6, 7));
    return (t[0] | t[1]) != 0;
}
#else
static inline float ext_sum(ext_vector v)
{
    for (int width = 8; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            v[i] += v[i + width];
    return v[0];
}
static inline int ext_any(ext_integers v)
{
    int32_t any = 0;
    for (int i = 0; i < 16; i++)
        any |= v[i];
    return any != 0;
}
#endif
typedef float ext_register __attribute__((vector_size(4 * EXT_LANES)));
typedef double ext_register_double __attribute__((vector_size(4 * EXT_LANES)));

/* bf16, the upper half of a float: a register of pairs of them, the first of a pair in the lower half of its
 * word; and 32 of them in a row. What only some instruction sets have is not defined for others. */
typedef uint32_t ext_pairs __attribute__((vector_size(4 * EXT_LANES)));
typedef uint16_t ext_halves __attribute__((vector_size(64)));
#if defined(__AVX512BF16__)
/* c + the products of both halves of each pair. */
#define EXT_ADD_PAIRS(c, a, b)                                                                     \
    ((ext_register)_mm512_dpbf16_ps((__m512)(c), (__m512bh)(a), (__m512bh)(b)))
/* 32 floats rounded to nearest, ties to even. */
#define EXT_ROUND(first, second)                                                                   \
    ((ext_halves)_mm512_cvtne2ps_pbh((__m512)(second), (__m512)(first)))
#endif
#if defined(__AMX_BF16__)
/* Tile registers, by constant numbers. */
#define EXT_TILE_CONFIGURE(shape) _tile_loadconfig(shape)
#define EXT_TILE_RELEASE() _tile_release()
#define EXT_TILE_ZERO(tile) _tile_zero(tile)
#define EXT_TILE_LOAD(tile, from, row_bytes) _tile_loadd(tile, from, row_bytes)
#define EXT_TILE_STORE(tile, to, row_bytes) _tile_stored(tile, to, row_bytes)
#define EXT_TILE_ADD_PAIRS(c, a, b) _tile_dpbf16ps(c, a, b)
#endif
/* Halves i .. i + 15 of two vectors in turn, which gcc has since 12. */
#if defined(__clang__) || __GNUC__ >= 12
#define EXT_TURNS(a, b, i)                                                                         \
    __builtin_shufflevector(a, b, i, i + 32, i + 1, i + 33, i + 2, i + 34, i + 3, i + 35, i + 4,   \
                            i + 36, i + 5, i + 37, i + 6, i + 38, i + 7, i + 39, i + 8, i + 40,    \
                            i + 9, i + 41, i + 10, i + 42, i + 11, i + 43, i + 12, i + 44, i + 13, \
                            i + 45, i + 14, i + 46, i + 15, i + 47)
#endif
#endif

#endif
