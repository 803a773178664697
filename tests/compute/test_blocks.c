/* The exact objective and InfoNCE with blocks of one tile to four, which only large graphs have, against the
 * reference: sizes around the edges of blocks, any number of threads, any room for kept tiles. */
#include "base/random.h"
#include "check.h"
#include "compute/cpu/cpu_contrast.h"

#include <stdlib.h>

enum { D = 9, ROOM = 5 * TILE * TILE };

static void *block_of(int64_t count, size_t size)
{
    void *block = malloc((size_t)count * size);
    CHECK(block);
    return block;
}

static float *make_rows(int64_t rows)
{
    const struct random_key key = {.seed = 3, .stream = RANDOM_GENERATE};
    float *Z = block_of(rows * D, sizeof *Z);
    for (int64_t i = 0; i < rows; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < D; j++) {
            Z[i * D + j] = random_float(&key, (uint64_t)(i * D + j)) - 0.4f;
            length += (double)Z[i * D + j] * (double)Z[i * D + j];
        }
        for (int64_t j = 0; j < D; j++)
            Z[i * D + j] /= (float)sqrt(length);
    }
    return Z;
}

/* As cpu_contrast and cpu_contrast_backward, with blocks of `span` tiles. */
static double run(int64_t span, int threads, enum precision precision, struct contrast spec,
                  float *dZ)
{
    struct side side;
    struct context *c = NULL;
    CHECK_OK(context_create(&c, &backend_cpu, threads, 0));
    c->precision = precision;
    double *sums = calloc((size_t)(4 * spec.n), sizeof *sums);
    float *inverse = block_of(2 * spec.n, sizeof *inverse);
    CHECK_OK(side_init(c, &side, &spec, spec.n, spec.Z));
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

static double oracle(struct contrast spec, float *dZ)
{
    struct context *c = NULL;
    CHECK_OK(context_create(&c, &backend_reference, 1, 0));
    CHECK_OK(c->kernels->contrast(c, &spec));
    CHECK_OK(c->kernels->contrast_backward(c, &spec, dZ));
    context_free(c);
    return spec.loss;
}

static void check(int64_t n, bool within)
{
    float *Z = make_rows(2 * n), *right = block_of(2 * n * D, sizeof *right);
    float *dZ = block_of(2 * n * D, sizeof *dZ), *again = block_of(2 * n * D, sizeof *dZ);
    float *tiles = block_of(ROOM, sizeof *tiles);
    double *sums = block_of(2 * n, sizeof *sums);
    struct contrast spec = {.n = n, .d = D, .tau = 0.5, .within = within, .Z = Z, .D = sums};
    double loss = oracle(spec, right);
    for (int64_t span = 1; span <= 4; span++)
        for (int half = 0; half < 2; half++) {
            enum precision precision = half ? PRECISION_BF16 : PRECISION_FP32;
            const double tolerance = half ? 8e-3 : 2e-5;
            struct contrast keeping = spec;
            keeping.tiles = tiles;
            keeping.tile_floats = ROOM;
            double found = run(span, 1, precision, spec, dZ);
            CHECK(fabs(found - loss) < tolerance * loss);
            CHECK(check_relative(dZ, right, 2 * n * D) < tolerance);
            CHECK(run(span, 3, precision, keeping, again) == found);
            CHECK(memcmp(again, dZ, (size_t)(2 * n * D) * sizeof *dZ) == 0);
        }
    free(Z);
    free(right);
    free(dZ);
    free(again);
    free(tiles);
    free(sums);
}

/* Every pair of blocks meets once, and each block's turns count up from 0. */
static void check_tournament(void)
{
    for (int64_t blocks = 2; blocks <= 14; blocks += 2) {
        struct side side = {.n = blocks * TILE / 2};
        int64_t turns[14] = {0};
        bool met[14][14] = {{false}};
        side_cut(&side, 1);
        CHECK(side.blocks == blocks);
        for (int64_t index = 0; index < match_count(&side, &side); index++) {
            struct match m = match_at(&side, &side, index);
            CHECK(m.i <= m.j && m.diagonal == (m.i == m.j) && !met[m.i][m.j]);
            CHECK(m.between == (m.i < blocks / 2 && m.j >= blocks / 2));
            met[m.i][m.j] = true;
            CHECK(turns[m.i]++ == m.i_turn);
            CHECK(m.diagonal || turns[m.j]++ == m.j_turn);
        }
        for (int64_t i = 0; i < blocks; i++)
            for (int64_t j = i; j < blocks; j++)
                CHECK(met[i][j]);
    }
}

int main(void)
{
    CHECK(block_span(1) == 1 && block_span(63 * TILE) == 1);
    CHECK(block_span(64 * TILE) == 2 && block_span((int64_t)1 << 40) == 4);
    check_tournament();
    check(2, true);
    check(385, true);
    check(770, true);
    check(770, false);
    return check_result();
}
