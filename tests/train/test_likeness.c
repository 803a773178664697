/* A graph of a hundredth of Reddit's size has a hundredth of its batches: so few that the rate must
 * be as many times higher to come as far. */
#include "likeness.h"

int main(void)
{
    likeness_check(&(struct likeness){
        .scale = 0.006, .graph_seed = 21, .seed = 31, .lr = 1.5e-3, .epochs = 5});
    return check_result();
}
