/* The loops over bf16 in AMX's tiles, and the objective by them, on any machine. Where the machine has AMX, test_bf16.c runs the
 * real instructions. */
#include "emulated_amx.h"

#include "block_cases.h"
#include "pair_cases.h"

#include "compute/cpu/loops_bf16.c"

int main(void)
{
    const struct way way = {PRECISION_BF16, &loops_bf16_emulated, 8e-3};
    check_loops(&loops_bf16_emulated);
    amx_across_lines = 0;
    check_blocks(2, 9, true, way);
    check_blocks(200, 70, true, way);
    check_blocks(200, 33, false, way);
    CHECK(amx_across_lines == 0);
    CHECK(amx_faults == 0 && !amx.configured);
    return check_result();
}
