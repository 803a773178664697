/* The only header with compiler extensions. */
#ifndef BASE_EXTENSIONS_H
#define BASE_EXTENSIONS_H

#include <stdint.h>

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

/* A function that a GPU can run too. */
#ifdef __CUDACC__
#define EXT_DEVICE __host__ __device__
#else
#define EXT_DEVICE
#endif

/* Whether this machine has an instruction set; false where that cannot be asked. */
#if defined(__GNUC__) && defined(__x86_64__)
#define EXT_CPU_HAS(feature) __builtin_cpu_supports(feature)
#else
#define EXT_CPU_HAS(feature) 0
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
#define EXT_VECTOR 1
/* One register of floats, of the instruction set that a file is compiled for. */
#if defined(__AVX512F__)
enum { EXT_LANES = 16 };
#elif defined(__AVX__)
enum { EXT_LANES = 8 };
#else
enum { EXT_LANES = 4 };
#endif
typedef float ext_register __attribute__((vector_size(4 * EXT_LANES)));
#endif

#endif
