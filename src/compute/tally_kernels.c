/* The kernels of the tally, in the order of kernels.def: each counts what the real one does. Counts are
 * of what takes the time: products, entries, bytes, exponentials, draws; small sums are left out. What a
 * kernel reports to the host is 0. */
#include "compute/tally.h"

#include "base/threads.h"

#include <math.h>

/* Calls the real kernel where that is on the host, without its loops: for the memory that it takes. */
#define WITHOUT_LOOPS(name, ...)                                                                   \
    (tally_of(c)->inner->host                                                                      \
         ? (threads_skip(true), end_skip(tally_of(c)->inner->kernels->name(c, __VA_ARGS__)))       \
         : GRACO_OK)

static graco_status end_skip(graco_status status)
{
    threads_skip(false);
    return status;
}

static struct work_units *begin(struct context *c)
{
    struct work_units *work = &tally_of(c)->work;
    work->units[WORK_CALL]++;
    return work;
}

/* A kernel that reads and writes `bytes` in order, and no more. */
static void begin_stream(struct context *c, double bytes)
{
    begin(c);
    tally_stream(c, bytes);
}

/* Numbers that the CPU's loops take at once. */
enum { VECTOR = 16 };

/* Rows that a loop works off, each of whose numbers stands for so many bytes. */
static void pass_rows(struct context *c, int64_t rows, int64_t cols, double bytes)
{
    struct work_units *work = &tally_of(c)->work;
    work->units[WORK_ROW] += (double)rows;
    work->units[WORK_PART] += cols % VECTOR ? (double)rows : 0;
    tally_stream(c, bytes * (double)rows * (double)cols);
}

static void begin_rows(struct context *c, int64_t rows, int64_t cols, double bytes)
{
    begin(c);
    pass_rows(c, rows, cols, bytes);
}

/* exp and log1p of one number in double take about as long as this many draws. */
enum { COST_DRAWS = 10 };

/* Costs that a loop finds one by one. */
static void count_costs(struct context *c, double costs)
{
    tally_of(c)->work.units[WORK_DRAW] += COST_DRAWS * costs;
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Bytes of a number that is read, and of one that is written elsewhere, whose place a cache reads first. */
enum { READ = 4, WRITE = 8 };

/* In place, or from one matrix to another. */
static void activated(struct context *c, const struct activation *a, bool in_place)
{
    struct work_units *work = &tally_of(c)->work;
    double cells = (double)a->rows * (double)a->cols;
    pass_rows(c, a->rows, a->cols, in_place ? READ + 4 : READ + WRITE);
    if (a->kind == ACTIVATION_ELU || a->kind == ACTIVATION_SIGMOID)
        work->units[WORK_EXP] += cells;
    if (a->kind == ACTIVATION_RRELU && a->training)
        work->units[WORK_DRAW] += cells;
}

static graco_status count_gemm(struct context *c, const struct gemm *g)
{
    struct work_units *work = begin(c);
    int64_t whole =
        (g->n + VECTOR - 1) / VECTOR * VECTOR; /* columns, with those of the last vector */
    work->units[WORK_PRODUCT] += 2.0 * (double)g->m * (double)whole * (double)g->k;
    work->units[WORK_PART] += whole > g->n ? (double)g->m : 0;
    tally_stream(c, READ * (double)g->m * (double)g->k + WRITE * (double)g->m * (double)g->n);
    tally_host_gemm(c, g);
    if (g->after)
        activated(c, g->after, true);
    return WITHOUT_LOOPS(gemm, g);
}

/* Rows of `cols` numbers, one for each entry, which a loop goes through so often, out of `rows` rows of so many bytes in all. */
struct picked {
    double entries, passes;
    int64_t cols;
    double rows, bytes;
};

/* The first use of a row finds it where the step has left it. Passes after the first one find a row's beginning
 * near, and the processor fetches on. */
static void pick_rows(struct context *c, struct picked p)
{
    struct work_units *work = &tally_of(c)->work;
    double first = fmin(p.entries, p.rows), again = p.entries - first, cols = (double)p.cols;
    double around = tally_around(c, p.bytes);
    work_add(work, WORK_ENTRY_NEAR, first, around);
    work_add(work, WORK_ENTRY_NEAR, again, p.bytes);
    work->units[WORK_ENTRY_NEAR] += (p.passes - 1) * p.entries;
    work_add(work, WORK_SPARSE_NEAR, first * cols, around);
    work_add(work, WORK_SPARSE_NEAR, again * cols, p.bytes);
    if (p.cols % VECTOR)
        work->units[WORK_PART] += p.entries;
}

static graco_status count_spmm(struct context *c, const struct spmm *s)
{
    begin(c);
    const bool striped = tally_host_stripes(c, s);
    const struct tally_pass pass = tally_host_pass(c, s);
    for (int view = 0; view < s->views && !striped; view++) {
        const struct sparse *m = &s->matrix[view];
        double read = (double)m->entries.cols, rows = (double)m->entries.rows;
        double entries = tally_entries(tally_of(c), m);
        if (s->rows) { /* their share of all rows: the parts of a product then add up to it */
            entries *= (double)s->row_count / rows;
            rows = (double)s->row_count;
        }
        pick_rows(c, (struct picked){entries, pass.count, s->cols, read,
                                     read * pass.bytes * (s->x_step ? s->views : 1)});
        tally_stream(c, WRITE * rows * (double)s->cols);
    }
    if (s->after)
        activated(c, s->after, true);
    return WITHOUT_LOOPS(spmm, s);
}

static graco_status count_propagate_sparse(struct context *c, const struct propagate_sparse *p)
{
    struct work_units *work = begin(c);
    const struct csr *X = &p->X->entries;
    double mean = X->rows > 0 ? (double)X->start[X->rows] / (double)X->rows : 0;
    for (int view = 0; view < p->views; view++) {
        work->units[WORK_SPARSE_FAR] += tally_entries(tally_of(c), &p->matrix[view]) * mean;
        tally_stream(c, WRITE * (double)p->matrix[view].entries.rows * (double)p->y_row);
    }
    return WITHOUT_LOOPS(propagate_sparse, p);
}

static graco_status count_add(struct context *c, int64_t n, float *y, const float *x)
{
    (void)y, (void)x;
    begin_stream(c, 12.0 * (double)n);
    return GRACO_OK;
}

static graco_status count_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                                     const float *scale, const float *X, bool accumulate)
{
    (void)Y, (void)scale, (void)X, (void)accumulate;
    begin_rows(c, rows, cols, READ + WRITE);
    return GRACO_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static graco_status count_activate(struct context *c, const struct activation *a, float *Y,
                                   const float *X)
{
    begin(c);
    activated(c, a, Y == X);
    return WITHOUT_LOOPS(activate, a, Y, X);
}

static graco_status count_activate_backward(struct context *c, const struct activation *a,
                                            float *dX, const float *dY, const float *Y,
                                            float *dbias, float *dslope)
{
    begin_rows(c, a->rows, a->cols, 2 * READ + WRITE);
    if (a->kind == ACTIVATION_RRELU && a->training)
        tally_of(c)->work.units[WORK_DRAW] += (double)a->rows * (double)a->cols;
    return WITHOUT_LOOPS(activate_backward, a, dX, dY, Y, dbias, dslope);
}

static graco_status count_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                                    const float *bias, float *norm)
{
    begin_rows(c, rows, cols, 12);
    return WITHOUT_LOOPS(normalise, rows, cols, X, bias, norm);
}

static graco_status count_normalise_backward(struct context *c, int64_t rows, int64_t cols,
                                             float *dZ, const float *Z, const float *norm,
                                             float *dbias)
{
    begin_rows(c, rows, cols, 16);
    return WITHOUT_LOOPS(normalise_backward, rows, cols, dZ, Z, norm, dbias);
}

static graco_status count_gather(struct context *c, int64_t rows, int64_t cols, float *Y,
                                 const float *X, const int32_t *index)
{
    (void)Y, (void)X, (void)index;
    begin(c);
    pick_rows(c, (struct picked){(double)rows, 1, VECTOR * ((cols + VECTOR - 1) / VECTOR),
                                 (double)rows, 4.0 * (double)rows * (double)cols});
    tally_stream(c, WRITE * (double)rows * (double)cols);
    return GRACO_OK;
}

static graco_status count_copy_block(struct context *c, const struct block_copy *b)
{
    begin_rows(c, b->rows, b->cols, READ + WRITE);
    return GRACO_OK;
}

static graco_status count_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                                  const float *X)
{
    (void)d, (void)Y, (void)X;
    begin_stream(c, (READ + WRITE) * (double)n);
    tally_of(c)->work.units[WORK_DRAW] += 0.5 * (double)n;
    return GRACO_OK;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static graco_status count_segment_max(struct context *c, const struct segments *g, int64_t cols,
                                      float *Y, const float *X, int32_t *winner)
{
    begin_stream(c, (double)cols * (4.0 * (double)g->count + 8.0 * (double)g->entries.rows));
    return WITHOUT_LOOPS(segment_max, g, cols, Y, X, winner);
}

static graco_status count_segment_max_backward(struct context *c, const struct segments *g,
                                               int64_t cols, float *dX, const float *dY,
                                               const int32_t *winner, bool accumulate)
{
    begin_stream(c, (double)cols * (12.0 * (double)g->count + 4.0 * (double)g->entries.rows));
    return WITHOUT_LOOPS(segment_max_backward, g, cols, dX, dY, winner, accumulate);
}

static graco_status count_segment_softmax(struct context *c, const struct segments *g,
                                          int64_t heads, float *S)
{
    double cells = (double)g->count * (double)heads;
    begin_stream(c, 8 * cells);
    tally_of(c)->work.units[WORK_EXP] += cells;
    return WITHOUT_LOOPS(segment_softmax, g, heads, S);
}

static graco_status count_segment_softmax_backward(struct context *c, const struct segments *g,
                                                   int64_t heads, float *dW, const float *W)
{
    begin_stream(c, 12.0 * (double)g->count * (double)heads);
    return WITHOUT_LOOPS(segment_softmax_backward, g, heads, dW, W);
}

static void count_heads(struct context *c, const struct segment_heads *h)
{
    int64_t cols = h->heads * h->width;
    double sources = (double)h->segments->entries.cols;
    begin(c);
    pick_rows(c, (struct picked){(double)h->segments->count, 1, cols, sources,
                                 4.0 * sources * (double)cols});
}

static graco_status count_segment_dot(struct context *c, const struct segment_heads *h, float *S,
                                      const float *A, const float *B, bool accumulate)
{
    count_heads(c, h);
    return WITHOUT_LOOPS(segment_dot, h, S, A, B, accumulate);
}

static graco_status count_segment_sum(struct context *c, const struct segment_heads *h, float *Y,
                                      const float *W, const float *X, bool turned, bool accumulate)
{
    count_heads(c, h);
    return WITHOUT_LOOPS(segment_sum, h, Y, W, X, turned, accumulate);
}

static void count_lstm(struct context *c, const struct lstm *l)
{
    const struct segments *g = l->segments;
    double mean = g->longest > 0 ? (double)g->count / (double)g->longest : 0;
    begin_stream(c, 60.0 * mean * (double)l->width);
    tally_of(c)->work.units[WORK_EXP] += 5 * mean * (double)l->width;
}

static graco_status count_lstm_step(struct context *c, const struct lstm *l)
{
    count_lstm(c, l);
    return WITHOUT_LOOPS(lstm_step, l);
}

static graco_status count_lstm_step_backward(struct context *c, const struct lstm *l)
{
    count_lstm(c, l);
    return WITHOUT_LOOPS(lstm_step_backward, l);
}

/* ---- Objectives ------------------------------------------------------------------------------ */

/* Pairs of rows whose similarity is computed: of both views in all, each pair once but those within a
 * tile on the diagonal, or of one view with the other. */
static double pairs_of_graph(int64_t nodes, bool within)
{
    double n = (double)nodes, last = (double)(nodes % CONTRAST_TILE), tile = CONTRAST_TILE;
    return within ? 2 * n * n + (n - last) * tile + last * last : n * n;
}

/* What a step of the ring adds for a rank, of pairs and of tiles: its rows with those of another, or with
 * half of them where that one meets it too. */
static double with_others(const struct context *c, const struct contrast *s, double tile,
                          double each)
{
    int ranks = comm_ranks(c->comm), rank = comm_rank(c->comm);
    double sum = 0, own = ceil((double)s->n / tile);
    for (int step = 1; s->bounds && step <= ranks / 2; step++) {
        const int64_t *at = s->bounds + (rank - step + ranks) % ranks;
        sum += each * own * ceil((double)(at[1] - at[0]) / tile) * (2 * step == ranks ? 0.5 : 1);
    }
    return sum;
}

static double pairs_of(const struct context *c, const struct contrast *s)
{
    double pairs = with_others(c, s, 1, s->within ? 4 : 2);
    for (int64_t graph = 0; graph < s->graphs; graph++)
        pairs += pairs_of_graph(s->start[graph + 1] - s->start[graph], s->within);
    return s->graphs > 0 ? pairs : pairs + pairs_of_graph(s->n, s->within);
}

/* Rows that are added to rows' gradients, one for each pair in either order. A tile on the diagonal has both
 * orders already: it serves one side, where others serve two. */
static double given_rows(const struct context *c, const struct contrast *s)
{
    double rows = 2 * with_others(c, s, 1, s->within ? 4 : 2), sides = s->within ? 4 : 2;
    for (int64_t graph = 0; graph < s->graphs; graph++)
        rows += sides * pow((double)(s->start[graph + 1] - s->start[graph]), 2);
    return s->graphs > 0 ? rows : rows + sides * pow((double)s->n, 2);
}

/* The share of similarities that the forward kernel keeps, of all tiles. */
static double kept_share(const struct context *c, const struct contrast *s)
{
    double blocks = 2 * ceil((double)s->n / CONTRAST_TILE);
    double all = blocks * (blocks + 1) / 2 + with_others(c, s, CONTRAST_TILE, 4);
    return s->tiles ? (double)s->tile_floats / (all * CONTRAST_TILE * CONTRAST_TILE) : 0;
}

static void find_similarities(struct context *c, const struct contrast *s, double share)
{
    struct work_units *work = &tally_of(c)->work;
    work->units[WORK_TILE] += share * 2 * pairs_of(c, s) * (double)s->d;
    work->units[WORK_EXP] += share * pairs_of(c, s);
}

static graco_status count_contrast(struct context *c, struct contrast *s)
{
    begin(c);
    find_similarities(c, s, 1);
    tally_stream(c, WRITE * kept_share(c, s) * pairs_of(c, s));
    graco_status status = WITHOUT_LOOPS(contrast, s);
    s->loss = s->mutual_information = 0;
    return status == GRACO_OK ? tally_device_contrast(c, s, false) : status;
}

static graco_status count_contrast_backward(struct context *c, const struct contrast *s, float *dZ)
{
    struct work_units *work = begin(c);
    work->units[WORK_TILE_BACK] += 2 * given_rows(c, s) * (double)s->d;
    find_similarities(c, s, 1 - kept_share(c, s));
    tally_stream(c, READ * kept_share(c, s) * pairs_of(c, s));
    PASS(tally_device_contrast(c, s, true));
    return WITHOUT_LOOPS(contrast_backward, s, dZ);
}

/* Operations of products of 2n rows with matrices of d and of m columns, so many of each, and a look at
 * all cosines with the sample. */
static void count_moment_products(struct context *c, const struct moment *s, int squares,
                                  int samples)
{
    struct work_units *work = begin(c);
    double rows = 2 * (double)s->n, d = (double)s->d, m = (double)s->samples;
    work->units[WORK_MOMENT] += 2 * rows * d * (squares * d + samples * m);
    work->units[WORK_POWER] += rows * m;
}

static graco_status count_moment_fit(struct context *c, struct moment *s)
{
    count_moment_products(c, s, 2, 1);
    PASS(tally_device_moment(c, s, false));
    return WITHOUT_LOOPS(moment_fit, s);
}

static graco_status count_moment(struct context *c, struct moment *s)
{
    graco_status status = WITHOUT_LOOPS(moment, s);
    begin_stream(c, 64.0 * (double)s->n);
    count_costs(c, 2 * (double)s->n);
    s->loss = 0;
    s->floored = 0;
    return status;
}

static graco_status count_moment_backward(struct context *c, const struct moment *s, float *dZ)
{
    count_moment_products(c, s, s->kept ? 2 : 3, s->kept ? 2 : 3);
    PASS(tally_device_moment(c, s, true));
    return WITHOUT_LOOPS(moment_backward, s, dZ);
}

static graco_status count_reconstruct(struct context *c, struct reconstruction *s)
{
    struct work_units *work = begin(c);
    double pairs = (double)s->n * (double)s->n;
    work->units[WORK_TILE] += 4 * pairs * (double)s->d;
    work->units[WORK_LOGISTIC] += pairs;
    count_costs(c,
                2 * tally_entries(tally_of(c), s->edges) + (double)s->n); /* they are corrected */
    graco_status status = WITHOUT_LOOPS(reconstruct, s);
    s->loss = 0;
    return status == GRACO_OK ? tally_device_reconstruct(c, s) : status;
}

static graco_status count_gaussian(struct context *c, struct gaussian *s, float *Z)
{
    double cells = (double)s->rows * (double)s->cols;
    begin_stream(c, 16 * cells);
    tally_of(c)->work.units[WORK_DRAW] += 4 * cells;
    graco_status status = WITHOUT_LOOPS(gaussian, s, Z);
    s->divergence = 0;
    return status;
}

static graco_status count_gaussian_backward(struct context *c, const struct gaussian *s,
                                            const float *dZ, float *dmean, float *dspread)
{
    begin_stream(c, 24.0 * (double)s->rows * (double)s->cols);
    return WITHOUT_LOOPS(gaussian_backward, s, dZ, dmean, dspread);
}

static graco_status count_classify(struct context *c, struct classification *s)
{
    double cells = (double)s->count * (double)s->cols;
    begin_stream(c, 4 * cells);
    count_costs(c, 0.5 * cells); /* exponentials alone */
    graco_status status = WITHOUT_LOOPS(classify, s);
    s->loss = 0;
    return status;
}

static graco_status count_classify_backward(struct context *c, const struct classification *s,
                                            float *dX)
{
    double cells = (double)s->count * (double)s->cols;
    (void)dX;
    begin_stream(c, 12 * cells);
    count_costs(c, 0.5 * cells);
    return GRACO_OK;
}

static graco_status count_pairs(struct context *c, struct pairs *s)
{
    begin_stream(c, READ * (double)s->count * (double)s->d);
    pick_rows(c, (struct picked){(double)s->count, 1, s->d, (double)s->rows,
                                 READ * (double)s->rows * (double)s->d});
    graco_status status = WITHOUT_LOOPS(pairs, s);
    *s->loss = 0;
    return status;
}

static graco_status count_pairs_backward(struct context *c, const struct pairs *s, float *dZ)
{
    begin_stream(c, 8.0 * (double)(s->count + s->rows) * (double)s->d);
    return WITHOUT_LOOPS(pairs_backward, s, dZ);
}

static graco_status count_summarise(struct context *c, int64_t rows, int64_t cols, const float *X,
                                    float *s)
{
    begin_stream(c, 4.0 * (double)rows * (double)cols);
    return WITHOUT_LOOPS(summarise, rows, cols, X, s);
}

static graco_status count_agree(struct context *c, struct agreement *a)
{
    begin_stream(c, 8.0 * (double)(a->positives + a->negatives) * (double)a->d);
    count_costs(c, (double)(a->positives + a->negatives));
    graco_status status = WITHOUT_LOOPS(agree, a);
    a->loss = 0;
    return status;
}

static graco_status count_agree_backward(struct context *c, const struct agreement *a, float *dH,
                                         float *dG)
{
    begin_stream(c, 4.0 * (double)(a->positives + a->negatives) * (double)a->d);
    return WITHOUT_LOOPS(agree_backward, a, dH, dG);
}

/* No training asks for these three. */
static graco_status count_regress(struct context *c, const struct regression *r, const double *W,
                                  double *G)
{
    (void)c, (void)r, (void)W, (void)G;
    return GRACO_OK;
}

static graco_status count_regress_curve(struct context *c, const struct regression *r,
                                        const float *Q, float *H)
{
    (void)c, (void)r, (void)Q, (void)H;
    return GRACO_OK;
}

static graco_status count_neighbours(struct context *c, const struct neighbour_search *s)
{
    (void)c, (void)s;
    return GRACO_OK;
}

/* ---- Views ----------------------------------------------------------------------------------- */

static graco_status count_draw(struct context *c, int count, const struct drawing *list)
{
    for (const struct drawing *what = list; what < list + count; what++) {
        begin(c)->units[WORK_DRAW] += (double)what->n;
        tally_remember(tally_of(c), what->bytes ? (void *)what->bytes : what->floats, 1 - what->p);
    }
    return GRACO_OK;
}

static graco_status count_draw_order(struct context *c, const struct random_key *key, int64_t n,
                                     int32_t *order, int32_t *place)
{
    (void)key, (void)order, (void)place;
    begin(c)->units[WORK_DRAW] += 16 * (double)n;
    return GRACO_OK;
}

static graco_status count_compact(struct context *c, int count, const struct compaction *list)
{
    struct tally *t = tally_of(c);
    struct work_units *work = begin(c);
    for (int i = 0; i < count; i++) {
        const struct compaction *one = &list[i];
        work->units[WORK_DRAW] += one->rows > 0 ? 0.5 * (double)one->start[one->rows] : 0;
        work->units[WORK_DRAW] += one->scale ? (double)one->rows : 0;
        tally_remember(t, one->count, tally_share(t, one->keep));
    }
    return GRACO_OK;
}

static graco_status count_degree_scale(struct context *c, const struct degrees *d, float *scale)
{
    (void)scale;
    begin(c)->units[WORK_DRAW] += (double)d->rows;
    return GRACO_OK;
}

/* ---- The optimiser --------------------------------------------------------------------------- */

static graco_status count_adam(struct context *c, const struct adam *a)
{
    begin(c)->units[WORK_ADAM] += (double)a->count;
    tally_stream(c, 28.0 * (double)a->count);
    return GRACO_OK;
}

static graco_status count_clip_norm(struct context *c, int64_t n, float *g, double most)
{
    begin(c);
    tally_stream(c, 12.0 * (double)n);
    return WITHOUT_LOOPS(clip_norm, n, g, most);
}

static graco_status count_not_finite(struct context *c, int64_t n, const float *x, int64_t *first)
{
    (void)x;
    begin(c);
    tally_stream(c, 4.0 * (double)n);
    *first = -1;
    return GRACO_OK;
}

const struct kernels tally_kernels = {
#define KERNEL(name, ...) .name = count_##name,
#include "compute/kernels.def"
};
