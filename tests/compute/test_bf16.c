/* bf16 on the CPU: rounding, products and weights of every instruction set that this machine has, against
 * scalar code in double; then the exact objective with PRECISION_BF16 against float64, at sizes around the
 * edges of tiles, with any number of threads and any room for kept tiles. Blocks have exactly the size that
 * is asked for, so that a sanitizer sees a read past the end. */
#include "pair_cases.h"

#include "compute/context.h"
#include "reference/reference.h"

enum { TILE = CONTRAST_TILE };

/* ---- The objective --------------------------------------------------------------------------- */

/* Unit rows in two clusters, partners as far apart as the noise says: cosines from near -1 to near 1. */
static float *make_rows(int64_t n, int64_t d, double noise)
{
    const struct random_key key = {.seed = (uint64_t)(n * 1000 + d), .stream = RANDOM_GENERATE};
    float *Z = words_of(2 * n * d);
    for (int64_t i = 0; i < 2 * n; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < d; j++) {
            double centre = (i % n % 2 ? 1 : -1) * (j % 3 ? 0.4 : -0.2);
            double own = (double)random_float(&key, (uint64_t)(i % n * d + j)) - 0.5;
            double more = (double)random_float(&key, (uint64_t)((2 * n + i) * d + j)) - 0.5;
            Z[i * d + j] = (float)(centre + own + noise * more);
            length += (double)Z[i * d + j] * (double)Z[i * d + j];
        }
        for (int64_t j = 0; j < d; j++)
            Z[i * d + j] /= (float)sqrt(length);
    }
    return Z;
}

/* Loss and gradient of one way to compute them; D and dZ are filled. */
static double run_objective(const struct backend *backend, int threads, struct contrast spec,
                            float *dZ)
{
    struct context *c = NULL;
    CHECK_OK(context_create(&c, backend, threads, 0));
    c->precision = PRECISION_BF16;
    CHECK_OK(c->kernels->contrast(c, &spec));
    CHECK_OK(c->kernels->contrast_backward(c, &spec, dZ));
    context_free(c);
    return spec.loss;
}

static void check_objective(int64_t n, int64_t d, double tau, bool within, double noise)
{
    size_t bytes = (size_t)(2 * n * d) * sizeof(float);
    float *Z = make_rows(n, d, noise), *exact = words_of(2 * n * d), *half = words_of(2 * n * d),
          *again = words_of(2 * n * d);
    double *D = malloc((size_t)(2 * n) * sizeof *D), *D_half = malloc((size_t)(2 * n) * sizeof *D);
    int64_t room = 3 * TILE * TILE;
    float *tiles = words_of(room);
    struct contrast spec = {.n = n, .d = d, .tau = tau, .within = within, .Z = Z, .D = D};
    double loss = run_objective(&backend_reference, 1, spec, exact), worst = 0;
    spec.D = D_half;
    double found = run_objective(&backend_cpu, 1, spec, half);
    for (int threads = 1; threads <= 3; threads++) {
        spec.tiles = tiles;
        spec.tile_floats = threads == 2 ? 0 : room;
        CHECK(run_objective(&backend_cpu, threads, spec, again) == found);
        CHECK(memcmp(half, again, bytes) == 0);
    }
    for (int64_t i = 0; i < 2 * n; i++)
        worst = fmax(worst, fabs(D_half[i] - D[i]) / D[i]);
    double error = check_relative(half, exact, 2 * n * d);
    printf("n %lld, d %lld, tau %g, %s: loss off by %.1e, D by %.1e, dZ by %.1e\n", (long long)n,
           (long long)d, tau, within ? "exact" : "infonce", fabs(found - loss) / fabs(loss), worst,
           error);
    CHECK(fabs(found - loss) < 1e-3 * (1 + fabs(loss)));
    CHECK(worst < 8e-3 / tau); /* two operands, each off by up to 2^-9 of itself */
    CHECK(error < 8e-3);
    CHECK(error > 1e-6); /* it is bf16 indeed */
    free(Z);
    free(exact);
    free(half);
    free(again);
    free(D);
    free(D_half);
    free(tiles);
}

int main(void)
{
    static const int64_t SIZES[][2] = {{2, 5},    {31, 64},  {60, 128},
                                       {192, 33}, {193, 20}, {385, 17}};
    const struct loops_bf16 *loops;
    for (int rank = 0; (loops = loops_bf16_choose(rank)); rank++) {
        printf("loops %s\n", loops->name);
        check_loops(loops);
    }
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        check_objective(SIZES[i][0], SIZES[i][1], i % 2 ? 0.4 : 0.9, i % 3 != 1, 0.3);
    /* Partners so close that they are nearly all of each other's negatives: what is left of the gradient
     * is small beside the weights that are rounded. */
    check_objective(60, 64, 0.05, true, 0.1);
    return check_result();
}
