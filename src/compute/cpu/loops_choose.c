/* The only place that asks which instruction sets the machine has. */
#include "compute/cpu/loops.h"

#include "base/extensions.h"

const struct loops *loops_choose(void)
{
#ifdef GRACO_X86_LOOPS
    if (EXT_CPU_HAS("avx512f") && EXT_CPU_HAS("avx512bw") && EXT_CPU_HAS("avx512vl") &&
        EXT_CPU_HAS("avx512dq"))
        return &loops_avx512;
    if (EXT_CPU_HAS("avx2") && EXT_CPU_HAS("fma"))
        return &loops_avx2;
#endif
    return &loops_generic;
}
