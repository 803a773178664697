/* The exact contrast's products in bf16. Z is rounded and packed once a sweep; weights are rounded tile by tile
 * by the loops. Similarities, exponentials and all sums are float32, as without. */
#include "compute/cpu/cpu_contrast.h"

#include "base/threads.h"

#include <string.h>

enum { COLUMNS_PER_PIECE = 256, PAIRS_PER_PIECE = TILE / 2 };

/* Words of one view's packed Z'. */
static int64_t view_words(const struct rounded_rows *r)
{
    return pieces_of(r->n, r->loops->panel) * r->loops->panel * r->depth;
}

static void round_rows(void *job, struct threads_piece rows)
{
    const struct rounded_rows *r = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        r->loops->round_row(r->Z + i * r->depth, r->exact + i * r->d, r->d);
}

/* The panels of both views, one view after the other: rows of Z become columns, by words. */
static void turn_panels(void *job, struct threads_piece panels)
{
    const struct rounded_rows *r = job;
    int64_t n = r->n, panel = r->loops->panel, per_view = pieces_of(n, panel);
    for (int64_t i = panels.first; i < panels.last; i++) {
        int64_t first = i % per_view * panel, count = least(panel, n - first);
        const uint32_t *from = r->Z + (i / per_view * n + first) * r->depth;
        uint32_t *to = r->columns + i / per_view * view_words(r) + first * r->depth;
        if (count < panel)
            memset(to, 0, (size_t)(panel * r->depth) * sizeof *to);
        for (int64_t k = 0; k < r->depth; k += BF16_GRAIN) /* a line of cache of each row */
            for (int64_t j = 0; j < count; j++)
                for (int64_t word = k; word < k + BF16_GRAIN; word++)
                    to[word * panel + j] = from[j * r->depth + word];
    }
}

graco_status rounded_columns(struct context *c, struct rounded_rows *r)
{
    int64_t n = r->n;
    r->depth = bf16_pairs(r->d);
    PASS(context_take(c, &r->Z, 2 * n * r->depth, sizeof *r->Z));
    PASS(context_take(c, &r->columns, 2 * view_words(r), sizeof *r->columns));
    threads_run(c->threads, 2 * n, ROWS_PER_PIECE, round_rows, r);
    threads_run(c->threads, 2 * pieces_of(n, r->loops->panel), COLUMNS_PER_PIECE / r->loops->panel,
                turn_panels, r);
    return GRACO_OK;
}

/* Pairs of rows, both views', into all panels. */
static void pack_pairs(void *job, struct threads_piece pairs)
{
    const struct rounded_rows *r = job;
    int64_t n = r->n, d = r->d, panel = r->loops->panel, panel_words = 2 * r->view_pairs * panel;
    for (int64_t pair = pairs.first; pair < pairs.last; pair++) {
        int64_t row = pair % r->view_pairs * 2;
        const float *a = r->exact + (pair / r->view_pairs * n + row) * d;
        for (int64_t first = 0; first < d; first += panel) {
            uint32_t *to = r->row_pairs + first / panel * panel_words + pair * panel;
            int64_t count = least(panel, d - first);
            if (count < panel || row >= n)
                memset(to, 0, (size_t)panel * sizeof *to);
            if (row < n)
                r->loops->pair_rows(to, a + first, row + 1 < n ? a + d + first : NULL, count);
        }
    }
}

graco_status rounded_row_pairs(struct context *c, struct rounded_rows *r)
{
    r->view_pairs = pieces_of(r->n, TILE) * (TILE / 2);
    int64_t words = pieces_of(r->d, r->loops->panel) * r->loops->panel * 2 * r->view_pairs;
    PASS(context_take(c, &r->row_pairs, words, sizeof *r->row_pairs));
    threads_run(c->threads, 2 * r->view_pairs, PAIRS_PER_PIECE, pack_pairs, r);
    return GRACO_OK;
}

void rounded_clear(struct context *c, struct rounded_rows *r)
{
    context_give(c, r->Z);
    context_give(c, r->columns);
    context_give(c, r->row_pairs);
}

void rounded_similarities(const struct rounded_rows *a, const struct rounded_rows *b,
                          struct block I, struct block J, float *room)
{
    int64_t view = J.first / b->n, first = J.first - view * b->n;
    a->loops->product(&(struct panel_product_bf16){
        .rows = I.rows,
        .cols = pieces_of(J.rows, BF16_GRAIN) * BF16_GRAIN, /* zeros behind the last */
        .depth = a->depth,
        .A = a->Z + I.first * a->depth,
        .a_row = a->depth,
        .a_col = 1,
        .B = b->columns + view * view_words(b) + first * b->depth,
        .b_row = b->loops->panel,
        .b_panel = b->loops->panel * b->depth,
        .C = room,
        .c_row = TILE,
    });
}

void rounded_gradient(const struct rounded_rows *r, float *dZ, struct block to, struct block from,
                      const uint32_t *W, int64_t row, int64_t col)
{
    int64_t n = r->n, d = r->d, view = from.first / n;
    int64_t pair = view * r->view_pairs + (from.first - view * n) / 2;
    r->loops->product(&(struct panel_product_bf16){
        .rows = to.rows,
        .cols = d,
        .depth = bf16_pairs(from.rows),
        .A = W,
        .a_row = row,
        .a_col = col,
        .B = r->row_pairs + pair * r->loops->panel,
        .b_row = r->loops->panel,
        .b_panel = r->loops->panel * 2 * r->view_pairs,
        .C = dZ + to.first * d,
        .c_row = d,
        .accumulate = true,
    });
}
