/* The scratch memory of a device's kernels, in the order in which they take it: as in cuda_contrast.cu,
 * cuda_panels.cu, cuda_tiles.cu, cuda_wide.cu, cuda_moment.cu and cuda_reconstruct.cu. */
#include "compute/device_scratch.h"
#include "compute/tally.h"

/* Multiprocessors that share the tiles: those of an H200. A GPU with more of them takes more memory for
 * sums and shares, in proportion. */
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

/* The exact objective: Z as tiles read it, and the sums or shares of gradients of every part; or the sums or weights of a
 * panel of tiles; or a panel of similarities: as cuda_contrast.cu chooses on the H100 family. */
static graco_status take_contrast(struct context *c, const struct contrast *s, bool backward)
{
    struct taken t = {.context = c};
    const bool half = c->precision >= PRECISION_FP16;   /* operands of 16 bits */
    const bool floats = c->precision <= PRECISION_TF32; /* in tiles */
    const bool wide = wide_rows(s, c->precision, backward);
    const bool tiles =
        !wide && (floats || (c->precision == PRECISION_FP16 && s->d <= TILE_WIDTH_MAX));
    const size_t bytes = floats ? sizeof(float) : (size_t)HALF_BYTES; /* of a number of Z */
    int64_t rows = tile_rows(s->n);
    int64_t width = wide || floats ? wide_width(s->d) : tile_width(s->d);
    int64_t side = wide_side(s->n, backward), panel = panel_rows(s) * panel_cols(s);
    if (s->graphs > 0)
        return GRACO_OK;
    for (int i = 0; i < 2 && !backward && !tiles; i++)
        take(&t, 2 * s->n, sizeof(double)); /* sums of rows */
    if ((tiles || wide) && !s->image)
        take(&t, rows * width, bytes);
    if (backward && !s->image)
        take(&t, tiles || wide ? rows : 2 * s->n, sizeof(float)); /* 1 / D */
    if (!tiles && !wide)
        take(&t, panel, sizeof(float));
    if (half && !tiles && (backward || !wide))
        take(&t, 2 * s->n * half_width(s->d), HALF_BYTES);
    if (half && !tiles && !wide && backward)
        take(&t, panel, HALF_BYTES);
    for (int i = 0; i < 2 && wide && !backward; i++)
        take(&t, side * side * TILE_ROWS, sizeof(float)); /* sums of tiles */
    if (wide && backward)
        take(&t, side * side * TILE_ROWS * TILE_ROWS, bytes); /* weights */
    if (tiles)
        take(&t, (floats ? 4 : 2) * PROCESSORS * (backward ? TILE_ROWS * width : rows),
             sizeof(float));
    return give_back(&t);
}

static graco_status contrast(struct context *c, struct contrast *s)
{
    return take_contrast(c, s, false);
}

static graco_status contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    (void)dZ;
    return take_contrast(c, s, true);
}

static graco_status take_moment(struct context *c, const struct moment *s, bool backward)
{
    struct taken t = {.context = c};
    int64_t wide = s->samples + s->d;
    if (!s->kept)
        take(&t, 2 * smaller_of(s->n, CHUNK_PAIRS) * wide, sizeof(float));
    if (backward)
        take(&t, wide * s->d, sizeof(float));
    return give_back(&t);
}

static graco_status moment_fit(struct context *c, struct moment *s)
{
    return take_moment(c, s, false);
}

static graco_status moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    (void)dZ;
    return take_moment(c, s, true);
}

static graco_status reconstruct(struct context *c, struct reconstruction *s)
{
    struct taken t = {.context = c};
    take(&t,
         s->d <= RECONSTRUCT_NARROW ? RECONSTRUCT_PIECES * s->n * s->d
                                    : reconstruct_rows(s->n) * s->n,
         sizeof(float));
    return give_back(&t);
}

void tally_device_kernels(struct kernels *kernels)
{
    kernels->contrast = contrast;
    kernels->contrast_backward = contrast_backward;
    kernels->moment_fit = moment_fit;
    kernels->moment_backward = moment_backward;
    kernels->reconstruct = reconstruct;
}
