/* The parabola q(x) = c0 + c1 x + c2 x^2 of the moment objective: its least squares, which fit it to
 * exp((x - 1) / tau) over pairs of rows with cosine x, and its value for a row with itself. The CPU
 * and the GPU compile the same text. */
#ifndef COMPUTE_MOMENT_SOLVE_H
#define COMPUTE_MOMENT_SOLVE_H

#include "base/extensions.h"

#include <stdbool.h>

/* How many pairs, and their sums of e = exp((x - 1) / tau), x, x^2, x^3, x^4, e x, e x^2. */
enum { FIT_SUMS = 8 };

/* Solves the normal equations by elimination. Where the cosines do not vary enough to tell a power
 * from the lower ones, its coefficient is 0. */
EXT_DEVICE static inline void moment_solve(double c[3], const double f[FIT_SUMS])
{
    double A[3][4] = {{f[0], f[2], f[3], f[1]}, {f[2], f[3], f[4], f[6]}, {f[3], f[4], f[5], f[7]}};
    bool usable[3];
    for (int k = 0; k < 3; k++) {
        double scale = k == 0 ? 1 : k == 1 ? f[3] : f[5];
        usable[k] = A[k][k] > 1e-9 * scale && A[k][k] > 0;
        for (int r = k + 1; r < 3 && usable[k]; r++) {
            double factor = A[r][k] / A[k][k];
            for (int q = k; q < 4; q++)
                A[r][q] -= factor * A[k][q];
        }
    }
    for (int k = 2; k >= 0; k--) {
        double value = A[k][3];
        for (int q = k + 1; q < 3; q++)
            value -= A[k][q] * c[q];
        c[k] = usable[k] ? value / A[k][k] : 0;
    }
}

/* q(z.z) of a row, given z'Mz. A unit row has z.z = 1 and z'Mz >= (z.z)^2 = 1. A row of zeros, which
 * normalisation could not scale, has z.z = z'Mz = 0. */
EXT_DEVICE static inline double moment_self(const double c[3], double zMz)
{
    return zMz < 0.5 ? c[0] : c[0] + c[1] + c[2];
}

#endif
