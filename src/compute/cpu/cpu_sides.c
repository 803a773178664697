/* The sides of a contrast: rows cut into blocks, and copied into the orders in which products of tiles read
 * them. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"
#include "compute/cpu/pack.h"

enum { PANELS_PER_PIECE = 4 };

/* A side that is packed. */
struct packing {
    struct side *side;
    int64_t d;
};

/* The panels of both views, one view after the other. */
static void pack_columns_piece(void *job, struct threads_piece piece)
{
    const struct packing *p = job;
    const struct side *side = p->side;
    int64_t panels = pieces_of(side->n, PANEL);
    for (int64_t i = piece.first; i < piece.last; i++) {
        int64_t view = i / panels;
        pack_panel(side->columns + view * pack_size(p->d, side->n), side->Z + view * side->n * p->d,
                   p->d, true, p->d, side->n, i % panels);
    }
}

graco_status side_pack_columns(struct context *c, struct side *side, int64_t d)
{
    if (side->half.loops)
        return rounded_columns(c, &side->half);
    if (!side->columns)
        PASS(context_take(c, &side->columns, 2 * pack_size(d, side->n), sizeof(float)));
    threads_run(c->threads, 2 * pieces_of(side->n, PANEL), PANELS_PER_PIECE, pack_columns_piece,
                &(struct packing){side, d});
    return GRACO_OK;
}

static void pack_rows_piece(void *job, struct threads_piece panels)
{
    const struct packing *p = job;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        pack_panel(p->side->rows, p->side->Z, p->d, false, 2 * p->side->n, p->d, panel);
}

graco_status side_pack_rows(struct context *c, struct side *side, int64_t d)
{
    if (side->half.loops)
        return rounded_row_pairs(c, &side->half);
    if (!side->rows)
        PASS(context_take(c, &side->rows, pack_size(2 * side->n, d), sizeof(float)));
    threads_run(c->threads, pieces_of(d, PANEL), 1, pack_rows_piece, &(struct packing){side, d});
    return GRACO_OK;
}

const struct loops_bf16 *contrast_half(const struct context *c)
{
    return c->precision == PRECISION_BF16 ? loops_bf16_choose(0) : NULL;
}

bool cpu_keeps_tiles(const struct context *c)
{
    const struct loops_bf16 *half = contrast_half(c);
    return !half || half->keep;
}

graco_status side_init(struct context *c, struct side *side, const struct contrast *s, int64_t n,
                       const float *Z)
{
    *side = (struct side){.n = n, .Z = Z};
    side_cut(side, block_span(n));
    side->half = (struct rounded_rows){.loops = contrast_half(c), .n = n, .d = s->d, .exact = Z};
    PASS(context_take(c, &side->turns, 2 * side->per_view, sizeof *side->turns));
    return GRACO_OK;
}

void side_cut(struct side *side, int64_t span)
{
    side->span = span;
    side->per_view = pieces_of(side->n, span * TILE);
    side_choose(side, 0, 2);
}

void side_choose(struct side *side, int64_t view, int64_t views)
{
    side->view = view;
    side->blocks = views * side->per_view;
}

void side_clear(struct context *c, struct side *side)
{
    context_give(c, side->columns);
    context_give(c, side->rows);
    context_give(c, side->turns);
    rounded_clear(c, &side->half);
    *side = (struct side){0};
}
