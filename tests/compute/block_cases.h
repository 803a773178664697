/* The exact objective and InfoNCE on the CPU against the reference, with blocks of one tile to four, any number of threads and
 * any room for kept tiles. */
#ifndef TESTS_COMPUTE_BLOCK_CASES_H
#define TESTS_COMPUTE_BLOCK_CASES_H

#include "base/random.h"
#include "check.h"
#include "compute/cpu/cpu_contrast.h"
#include "reference/reference.h"

#include <stdlib.h>

static inline void *block_of(int64_t count, size_t size)
{
    void *block = malloc((size_t)count * size);
    CHECK(block);
    return block;
}

static inline float *make_rows(int64_t rows, int64_t d)
{
    const struct random_key key = {.seed = 3, .stream = RANDOM_GENERATE};
    float *Z = block_of(rows * d, sizeof *Z);
    for (int64_t i = 0; i < rows; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < d; j++) {
            Z[i * d + j] = random_float(&key, (uint64_t)(i * d + j)) - 0.4f;
            length += (double)Z[i * d + j] * (double)Z[i * d + j];
        }
        for (int64_t j = 0; j < d; j++)
            Z[i * d + j] /= (float)sqrt(length);
    }
    return Z;
}

/* A way to multiply: that of a precision, or by a table of loops over bf16. */
struct way {
    enum precision precision;
    const struct loops_bf16 *loops; /* NULL: those of the precision */
    double tolerance;
};

/* As cpu_contrast and cpu_contrast_backward, with blocks of `span` tiles. */
static inline double run(int64_t span, int threads, struct way way, struct contrast spec, float *dZ)
{
    struct side side;
    struct context *c = NULL;
    CHECK_OK(context_create(&c, &backend_cpu, threads, 0));
    c->precision = way.precision;
    double *sums = calloc((size_t)(4 * spec.n), sizeof *sums);
    float *inverse = block_of(2 * spec.n, sizeof *inverse);
    CHECK_OK(side_init(c, &side, &spec, spec.n, spec.Z));
    if (way.loops)
        side.half.loops = way.loops;
    side_cut(&side, span);
    struct kept_tiles kept = contrast_kept(&spec, 0, contrast_tiles(&side, &side));
    CHECK_OK(side_pack_columns(c, &side, spec.d));
    CHECK_OK(side_pack_rows(c, &side, spec.d));
    side.between = sums;
    side.within = sums + 2 * spec.n;
    CHECK_OK(contrast_sweep(c, &spec, (struct side *[2]){&side, &side}, kept, false));
    CHECK_OK(contrast_sum_up(c, &spec, &side));
    for (int64_t i = 0; i < 2 * spec.n; i++)
        inverse[i] = (float)(1 / spec.D[i]);
    side.inverse = inverse;
    side.dZ = dZ;
    contrast_begin_gradient(c, &spec, dZ);
    CHECK_OK(contrast_sweep(c, &spec, (struct side *[2]){&side, &side}, kept, true));
    contrast_end_gradient(c, &spec, dZ);
    side_clear(c, &side);
    free(sums);
    free(inverse);
    context_free(c);
    return spec.loss;
}

static inline double oracle(struct contrast spec, float *dZ)
{
    struct context *c = NULL;
    CHECK_OK(context_create(&c, &backend_reference, 1, 0));
    CHECK_OK(c->kernels->contrast(c, &spec));
    CHECK_OK(c->kernels->contrast_backward(c, &spec, dZ));
    context_free(c);
    return spec.loss;
}

static inline void check_blocks(int64_t n, int64_t d, bool within, struct way way)
{
    enum { ROOM = 5 * TILE * TILE };
    float *Z = make_rows(2 * n, d), *right = block_of(2 * n * d, sizeof *right);
    float *dZ = block_of(2 * n * d, sizeof *dZ), *again = block_of(2 * n * d, sizeof *dZ);
    float *tiles = block_of(ROOM, sizeof *tiles);
    double *sums = block_of(2 * n, sizeof *sums);
    struct contrast spec = {.n = n, .d = d, .tau = 0.5, .within = within, .Z = Z, .D = sums};
    double loss = oracle(spec, right);
    for (int64_t span = 1; span <= 4; span++) {
        struct contrast keeping = spec;
        keeping.tiles = tiles;
        keeping.tile_floats = ROOM;
        double found = run(span, 1, way, spec, dZ);
        CHECK(fabs(found - loss) < way.tolerance * loss);
        CHECK(check_relative(dZ, right, 2 * n * d) < way.tolerance);
        CHECK(run(span, 3, way, keeping, again) == found);
        CHECK(memcmp(again, dZ, (size_t)(2 * n * d) * sizeof *dZ) == 0);
    }
    free(Z);
    free(right);
    free(dZ);
    free(again);
    free(tiles);
    free(sums);
}

#endif
