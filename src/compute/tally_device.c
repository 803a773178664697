/* The scratch memory of a device's kernels, in the order in which they take it: as in cuda_contrast.cu,
 * cuda_panels.cu, cuda_tiles.cu, cuda_moment.cu and cuda_reconstruct.cu. */
#include "compute/device_scratch.h"
#include "compute/tally.h"

/* Multiprocessors that share the tiles: those of the largest GPU that has them. */
enum { PROCESSORS = 132 };

/* Blocks that go back together. */
struct taken {
    struct context *context;
    void *blocks[6];
    int count;
    graco_status status;
};

static void take(struct taken *t, int64_t count, size_t size)
{
    if (t->status == GRACO_OK)
        t->status = context_take(t->context, &t->blocks[t->count++], count, size);
}

static graco_status give_back(struct taken *t)
{
    for (int i = 0; i < t->count; i++)
        context_give(t->context, t->blocks[i]);
    return t->status;
}

/* Tiles of Z, in halves or in floats, or else a panel of similarities. */
graco_status tally_device_contrast(struct context *c, const struct contrast *s, bool backward)
{
    struct taken t = {.context = c};
    const bool half = c->precision >= PRECISION_FP16;                    /* operands of 16 bits */
    const bool floats = GRACO_UNTRIED && c->precision <= PRECISION_TF32; /* in tiles */
    const bool tiles = (c->precision == PRECISION_FP16 || floats) && s->d <= TILE_WIDTH_MAX;
    int64_t rows = 2 * ((s->n + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS), width = tile_width(s->d);
    int64_t panel = panel_rows(s) * panel_cols(s);
    if (c->backend->host || s->graphs > 0)
        return GRACO_OK;
    for (int i = 0; i < 2 && !backward; i++)
        take(&t, 2 * s->n, sizeof(double)); /* sums of rows */
    if (backward)
        take(&t, 2 * s->n, sizeof(float)); /* 1 / D */
    if (tiles && backward)
        take(&t, rows, sizeof(float));
    if (tiles) {
        take(&t, rows * width, floats ? sizeof(float) : (size_t)HALF_BYTES);
        if (c->precision == PRECISION_FP32 && backward) /* and transposed */
            take(&t, rows * width, sizeof(float));
        take(&t, 2 * PROCESSORS * (backward ? TILE_ROWS * width : rows), sizeof(float));
    } else {
        take(&t, panel, sizeof(float));
    }
    if (half && !tiles)
        take(&t, 2 * s->n * half_width(s->d), HALF_BYTES);
    if (half && !tiles && backward)
        take(&t, panel, HALF_BYTES);
    return give_back(&t);
}

graco_status tally_device_moment(struct context *c, const struct moment *s, bool backward)
{
    struct taken t = {.context = c};
    int64_t wide = s->samples + s->d;
    if (c->backend->host)
        return GRACO_OK;
    if (!s->kept)
        take(&t, 2 * smaller_of(s->n, CHUNK_PAIRS) * wide, sizeof(float));
    if (backward)
        take(&t, wide * s->d, sizeof(float));
    return give_back(&t);
}

graco_status tally_device_reconstruct(struct context *c, const struct reconstruction *s)
{
    struct taken t = {.context = c};
    if (c->backend->host)
        return GRACO_OK;
    take(&t,
         s->d <= RECONSTRUCT_NARROW ? RECONSTRUCT_PIECES * s->n * s->d
                                    : reconstruct_rows(s->n) * s->n,
         sizeof(float));
    return give_back(&t);
}
