/* Gram-Schmidt by the matrix of inner products, and Jacobi's method. Both go along rows: columns of M and V
 * stand as rows meanwhile. */
#include "data/small_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS = 30 /* of Jacobi's method, at most; it takes about eight */ };

/* Squares of entries below this share of the diagonal's count as 0. */
static const double JACOBI_SMALL = 1e-24, PIVOT_SMALL = 1e-12;

static void transpose(double *M, int64_t n)
{
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < r; c++) {
            double kept = M[r * n + c];
            M[r * n + c] = M[c * n + r];
            M[c * n + r] = kept;
        }
}

void small_invert_cholesky(double *M, const double *G, int64_t n)
{
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int64_t c = 0; c < n; c++) {
        const double *products = G + c * n;
        double whole = products[c], *column = M + c * n;
        /* Column c of M is e_c less what the columns before it explain, over its length. */
        for (int64_t r = 0; r < c; r++) {
            double share = 0; /* of the unit column r in column c */
            for (int64_t k = 0; k <= r; k++)
                share += M[r * n + k] * products[k];
            for (int64_t k = 0; k <= r; k++)
                column[k] -= share * M[r * n + k];
        }
        column[c] = 1;
        double length = 0;
        for (int64_t r = 0; r <= c; r++)
            for (int64_t k = 0; k <= c; k++)
                length += column[r] * G[r * n + k] * column[k];
        double factor = whole > 0 && length > PIVOT_SMALL * whole ? 1 / sqrt(length) : 0;
        for (int64_t k = 0; k <= c; k++)
            column[k] *= factor;
    }
    transpose(M, n);
}

/* Rows x and y (n) become cosine x - sine y and sine x + cosine y. */
static void rotate_rows(double *x, double *y, double cosine, double sine, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        double was = x[k], other = y[k];
        x[k] = cosine * was - sine * other;
        y[k] = sine * was + cosine * other;
    }
}

/* One rotation of rows and columns a and b of H, and of the rows of V: entry (a, b) becomes 0. */
static void rotate(double *H, double *V, int64_t n, int64_t a, int64_t b)
{
    double off = H[a * n + b];
    if (off == 0)
        return;
    double t = (H[b * n + b] - H[a * n + a]) / (2 * off);
    t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
    double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
    for (int64_t k = 0; k < n; k++) {
        double x = H[k * n + a], y = H[k * n + b];
        H[k * n + a] = cosine * x - sine * y;
        H[k * n + b] = sine * x + cosine * y;
    }
    rotate_rows(H + a * n, H + b * n, cosine, sine, n);
    rotate_rows(V + a * n, V + b * n, cosine, sine, n);
}

/* Brings the values into falling order, the rows of V with them. */
static void sort_rows(double *value, double *V, int64_t n)
{
    for (int64_t c = 0; c < n; c++) {
        int64_t most = c;
        for (int64_t k = c + 1; k < n; k++)
            most = value[k] > value[most] ? k : most;
        double kept = value[c];
        value[c] = value[most];
        value[most] = kept;
        for (int64_t k = 0; k < n; k++) {
            kept = V[c * n + k];
            V[c * n + k] = V[most * n + k];
            V[most * n + k] = kept;
        }
    }
}

void small_eigen(double *value, double *V, double *H, int64_t n)
{
    bool done = false;
    for (int64_t k = 0; k < n * n; k++)
        V[k] = k / n == k % n;
    for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
        double off = 0, all = 0;
        for (int64_t k = 0; k < n * n; k++) {
            all += H[k] * H[k];
            off += k / n == k % n ? 0 : H[k] * H[k];
        }
        done = off <= JACOBI_SMALL * all;
        for (int64_t a = 0; a < n && !done; a++)
            for (int64_t b = a + 1; b < n; b++)
                rotate(H, V, n, a, b);
    }
    for (int64_t c = 0; c < n; c++)
        value[c] = H[c * n + c];
    sort_rows(value, V, n);
    transpose(V, n);
}
