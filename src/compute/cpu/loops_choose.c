/* The only place that asks which instruction sets the machine has. */
#define _DEFAULT_SOURCE /* syscall */
#include "compute/cpu/loops_bf16.h"

#include "base/extensions.h"

#if defined(GRACO_BF16_LOOPS) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static bool have_avx2(void)
{
    return EXT_CPU_HAS("avx2") && EXT_CPU_HAS("fma");
}

static bool have_avx512(void)
{
    return EXT_CPU_HAS("avx512f") && EXT_CPU_HAS("avx512bw") && EXT_CPU_HAS("avx512vl") &&
           EXT_CPU_HAS("avx512dq");
}

const struct loops *loops_choose(void)
{
#ifdef GRACO_X86_LOOPS
    if (have_avx512())
        return &loops_avx512;
    if (have_avx2())
        return &loops_avx2;
#endif
    return &loops_generic;
}

/* The processor's answer is not enough: tiles are 8 KiB of registers, for which a process asks the system
 * once. It says no, for instance, to one that has a stack for signals without room for them. */
static bool have_amx(void)
{
#if defined(GRACO_BF16_LOOPS) && defined(__linux__)
    enum { LEAF = 7, AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 };
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* asm/prctl.h of Linux 5.16 */
    unsigned a, b, c, d = 0;
    return __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && d & AMX_BF16 && d & AMX_TILE &&
           syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

#ifdef GRACO_BF16_LOOPS
static bool have_pairs(void)
{
    return have_avx512() && EXT_CPU_HAS("avx512bf16");
}

/* Intel's processors take two clocks for a vdpbf16ps, 32 products, in which FMAs do 64: to take pairs apart
 * first is faster there. They have AMX, but a system may refuse it. */
static bool slow_pairs(void)
{
    return EXT_CPU_IS("intel");
}
#endif

const struct loops_bf16 *loops_bf16_choose(int rank)
{
    const struct {
        const struct loops_bf16 *loops;
        bool here;
    } best_first[] = {
#ifdef GRACO_BF16_LOOPS
        {&loops_bf16_amx, have_pairs() && have_amx()},
        {&loops_bf16_avx512bf16, have_pairs() && !slow_pairs()},
#endif
#ifdef GRACO_X86_LOOPS
        {&loops_bf16_avx512, have_avx512()},
#endif
#ifdef GRACO_BF16_LOOPS
        {&loops_bf16_avx512bf16, have_pairs() && slow_pairs()},
#endif
#ifdef GRACO_X86_LOOPS
        {&loops_bf16_avx2, have_avx2()},
#endif
        {&loops_bf16_generic, true},
    };
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if (best_first[i].here && rank-- == 0)
            return best_first[i].loops;
    return NULL;
}
