/* The preset as it is, nothing overridden, on graphs of a fiftieth of Reddit's size. */
#include "likeness.h"

int main(void)
{
    for (uint64_t i = 0; i < 3; i++)
        likeness_check(&(struct likeness){.scale = 0.02, .graph_seed = 11 + i, .seed = 21 + i});
    return check_result();
}
