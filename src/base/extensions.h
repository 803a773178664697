/* The only header with compiler extensions. */
#ifndef BASE_EXTENSIONS_H
#define BASE_EXTENSIONS_H

#if defined(__GNUC__)
#define EXT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define EXT_PRINTF(text, first)
#endif

/* Whether this machine has an instruction set; false where that cannot be asked. */
#if defined(__GNUC__) && defined(__x86_64__)
#define EXT_CPU_HAS(feature) __builtin_cpu_supports(feature)
#else
#define EXT_CPU_HAS(feature) 0
#endif

#endif
