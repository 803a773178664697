/* The steps of Theorem 2 on rows that are known: what docs/math.md says of each. */
#include "paper/measures.h"

#include "check.h"

enum { NODES = 5, COLS = 20 };

int main(void)
{
    float rows[2 * NODES * COLS] = {0};
    graco_matrix Z = {2 * NODES, COLS, rows};
    /* Both views of a node are one axis: every negative is at a right angle, x = -1 / tau. */
    for (int i = 0; i < NODES; i++)
        rows[i * COLS + i] = rows[(NODES + i) * COLS + i] = 1;
    for (int t = 0; t < 2; t++) {
        double tau = t ? 100 : 0.1, m = 2 * NODES - 2, x = -1 / tau;
        struct sample steps = results_sample();
        theorem_steps(&steps, &Z, tau);
        CHECK(fabs(steps.minus_l - log1p(m * exp(x))) < 1e-12);
        CHECK(fabs(steps.step_2 - m * exp(x)) < 1e-12);
        CHECK(fabs(steps.step_3 - (m + m * x)) < 1e-9);
        CHECK(fabs(steps.expansion - (log1p(m) + m * x / (1 + m))) < 1e-12);
        CHECK(steps.remainder <= steps.remainder_bound);
        CHECK(fabs(steps.remainder_bound - x * x / 2) < 1e-9);
        /* Small tau: step 2 is good and step 3 is not. Large tau: neither, but the expansion is. */
        CHECK((fabs(steps.step_2 - steps.minus_l) < 1e-3) == (t == 0));
        CHECK(fabs(steps.step_3 - steps.minus_l) > 1);
        CHECK((steps.remainder < 1e-3) == (t == 1));
    }
    return check_result();
}
