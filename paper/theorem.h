/* The steps of the paper's Theorem 2, from -l to a triplet loss, on the views of a trained
 * model. */
#ifndef PAPER_THEOREM_H
#define PAPER_THEOREM_H

#include "graco.h"

/* Means over anchors. With x_k = (u.z_k - u.v) / tau over the m = 2N - 2 negatives z_k of an
 * anchor u, S the sum of exp(x_k), docs/math.md, section 10: */
struct theorem {
    double minus_l;         /* log(1 + S) */
    double step_2;          /* S */
    double step_3;          /* m + sum x_k */
    double expansion;       /* log(1 + m) + sum x_k / (1 + m) */
    double remainder;       /* |minus_l - expansion| */
    double remainder_bound; /* max x_k^2 / 2 */
};

/* Z (2N, d): unit rows, those of the second view below; N at least 1. Takes evenly spaced nodes as
 * anchors, at most THEOREM_ANCHORS. O(anchors * N * d). */
enum { THEOREM_ANCHORS = 256 };
struct theorem theorem_steps(const graco_matrix *Z, double tau);

#endif
