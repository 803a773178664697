/* Parts are made one after the other. A neighbourhood is summed a few columns of P X at a time: these go
 * through the graph sixteen times, and what S^2 and M make of them stands in two blocks of all rows. */
#include "layers/parts.h"

#include "graco_more.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "compute/context.h"
#include "graph/graph.h"
#include "layers/model.h"

#include <math.h>
#include <string.h>

enum {
    POWERS = 16, /* of S in M */
    NEAR = 2,    /* the power that is a block of its own */
    CHUNK = 64,  /* columns that go through the graph at once */
    ROWS = 4096, /* that are joined at a time */
    ROWS_PER_PIECE = 64,
    SUMS = 64,           /* parts of a sum over rows */
    SAMPLE_MOST = 20000, /* rows that the map is found from */
};

static const double OWN_SHARE = 0.05; /* alpha */

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int64_t components_of_model(const graco_model *model)
{
    int64_t cols = model->sizes.cols;
    return cols < COMPONENTS_MOST ? cols : COMPONENTS_MOST;
}

int parts_list(struct parts_block blocks[PARTS_BLOCKS], const graco_model *model)
{
    const unsigned parts = model->config.parts;
    int64_t cols = components_of_model(model), first = 0;
    const struct {
        unsigned part;
        struct parts_block block;
    } all[PARTS_BLOCKS] = {{PARTS_LEARNED, {"learned", 0, model->width}},
                           {PARTS_OWN, {"own", 0, cols}},
                           {PARTS_SMOOTH, {"smooth_2", 0, cols}},
                           {PARTS_SMOOTH, {"smooth_16", 0, cols}}};
    int count = 0;
    for (int i = 0; i < PARTS_BLOCKS; i++) {
        if (!(parts & all[i].part))
            continue;
        blocks[count] = all[i].block;
        blocks[count].first = first;
        first += blocks[count++].cols;
    }
    return count;
}

int64_t parts_joined(const graco_model *model)
{
    struct parts_block blocks[PARTS_BLOCKS];
    int count = parts_list(blocks, model);
    return blocks[count - 1].first + blocks[count - 1].cols;
}

bool parts_none(const graco_model *model)
{
    return model->config.parts == PARTS_LEARNED && model->columns == model->width;
}

const char *graco_model_part(const graco_model *model, int index, int64_t *first, int64_t *count)
{
    struct parts_block blocks[PARTS_BLOCKS];
    int blocks_count = parts_list(blocks, model);
    bool whole = !parts_none(model) && model->columns == parts_joined(model);
    if (!whole || index < 0 || index >= blocks_count)
        return NULL;
    *first = blocks[index].first;
    *count = blocks[index].cols;
    return blocks[index].name;
}

/* ---- One part -------------------------------------------------------------------------------- */

/* What a pass over the blocks has at hand. */
struct making {
    const graco_model *model;
    const struct parts_source *source;
    int64_t nodes, cols; /* of a block of features */
    float *scale;        /* (nodes) D^-1/2 */
    float *near, *far;   /* (nodes, cols) blocks */
    float *now, *next; /* (nodes, CHUNK) a power of S and the one after it, times columns of P X */
    double *sums;      /* (SUMS, widest block) */
};

static void find_scales(void *job, struct threads_piece rows)
{
    const struct making *m = job;
    for (int64_t i = rows.first; i < rows.last; i++)
        m->scale[i] = (float)(1 / sqrt(graph_degree(m->source->graph, i) + 1));
}

/* Columns from .. of a block and those of a chunk. */
struct moving {
    const struct making *m;
    float *block;
    const float *chunk;
    int64_t from, count;
    float factor;
    bool add;
};

static void move_rows(void *job, struct threads_piece rows)
{
    const struct moving *v = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *to = v->block + i * v->m->cols + v->from;
        const float *x = v->chunk + i * v->count;
        for (int64_t j = 0; j < v->count; j++)
            to[j] = (v->add ? to[j] : 0) + v->factor * x[j];
    }
}

static void move(struct moving v)
{
    threads_run(v.m->source->context->threads, v.m->nodes, ROWS_PER_PIECE, move_rows, &v);
}

/* next = S now, and each takes the other's place. */
static graco_status propagate(struct making *m, int64_t cols)
{
    struct context *c = m->source->context;
    const struct sparse S = {.entries = m->source->graph->in,
                             .row_scale = m->scale,
                             .col_scale = m->scale,
                             .self = true};
    PASS(c->kernels->spmm(
        c, &(struct spmm){.views = 1, .matrix = &S, .cols = cols, .X = m->now, .Y = m->next}));
    float *made = m->next;
    m->next = m->now;
    m->now = made;
    return GRACO_OK;
}

/* Fills near and far, S^2 P X and M P X. */
static graco_status make_smooth(struct making *m)
{
    const struct parts_source *source = m->source;
    const float share = (float)((1 - OWN_SHARE) / POWERS);
    for (int64_t from = 0; from < m->cols; from += CHUNK) {
        int64_t count = from + CHUNK < m->cols ? CHUNK : m->cols - from;
        PASS(components_apply(m->now, source->context, &m->model->parts.components, source->X,
                              (struct components_block){0, m->nodes, from, count}));
        move((struct moving){m, m->far, m->now, from, count, (float)OWN_SHARE, false});
        for (int power = 1; power <= POWERS; power++) {
            PASS(propagate(m, count));
            if (power == NEAR)
                move((struct moving){m, m->near, m->now, from, count, 1, false});
            move((struct moving){m, m->far, m->now, from, count, share, true});
        }
    }
    return GRACO_OK;
}

static graco_status make_own(struct making *m)
{
    const struct parts_source *source = m->source;
    return components_apply(m->near, source->context, &m->model->parts.components, source->X,
                            (struct components_block){0, m->nodes, 0, m->cols});
}

static graco_status open_making(struct making *m, const graco_model *model,
                                const struct parts_source *source)
{
    const unsigned parts = model->config.parts;
    int64_t chunk = components_of_model(model) < CHUNK ? components_of_model(model) : CHUNK;
    *m = (struct making){.model = model,
                         .source = source,
                         .nodes = source->graph->nodes,
                         .cols = components_of_model(model)};
    int64_t widest = m->cols > model->width ? m->cols : model->width;
    PASS(memory_alloc(&m->sums, SUMS * widest, sizeof *m->sums));
    if (parts & (PARTS_OWN | PARTS_SMOOTH))
        PASS(memory_alloc(&m->near, m->nodes * m->cols, sizeof *m->near));
    if (!(parts & PARTS_SMOOTH))
        return GRACO_OK;
    PASS(memory_alloc(&m->far, m->nodes * m->cols, sizeof *m->far));
    PASS(memory_alloc(&m->now, m->nodes * chunk, sizeof *m->now));
    PASS(memory_alloc(&m->next, m->nodes * chunk, sizeof *m->next));
    PASS(memory_alloc(&m->scale, m->nodes, sizeof *m->scale));
    threads_run(source->context->threads, m->nodes, ROWS_PER_PIECE, find_scales, m);
    return GRACO_OK;
}

static void close_making(struct making *m)
{
    void *blocks[] = {m->sums, m->near, m->far, m->now, m->next, m->scale};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
}

/* What is done with each block of rows in turn. */
typedef graco_status use_fn(void *user, struct making *m, const struct parts_block *block,
                            const float *rows);

/* Makes the parts one after the other and hands over their blocks: rows (nodes, block->cols). */
static graco_status each_block(struct making *m, use_fn *use, void *user)
{
    struct parts_block blocks[PARTS_BLOCKS];
    int count = parts_list(blocks, m->model), at = 0;
    const unsigned parts = m->model->config.parts;
    if (parts & PARTS_LEARNED)
        PASS(use(user, m, &blocks[at++], m->source->learned));
    if (parts & PARTS_OWN) {
        PASS(make_own(m));
        PASS(use(user, m, &blocks[at++], m->near));
    }
    if (at == count)
        return GRACO_OK;
    PASS(make_smooth(m));
    PASS(use(user, m, &blocks[at], m->near));
    return use(user, m, &blocks[at + 1], m->far);
}

/* ---- Centred rows of length one --------------------------------------------------------------- */

/* y = unit(x - mean) * factor; zeros stay zeros. */
static void centre_row(float *y, const float *x, const float *mean, int64_t cols, double factor)
{
    double square = 0;
    for (int64_t j = 0; j < cols; j++) {
        y[j] = x[j] - mean[j];
        square += (double)y[j] * (double)y[j];
    }
    float scale = square > 0 ? (float)(factor / sqrt(square)) : 0;
    for (int64_t j = 0; j < cols; j++)
        y[j] *= scale;
}

static double factor_of(const graco_model *model)
{
    struct parts_block blocks[PARTS_BLOCKS];
    return 1 / sqrt(parts_list(blocks, model));
}

struct adding {
    const struct making *m;
    const float *rows;
    int64_t cols, size; /* rows of a part of the sum */
};

static void add_rows(void *job, struct threads_piece rows)
{
    const struct adding *a = job;
    double *sum = a->m->sums + rows.first / a->size * a->cols;
    memset(sum, 0, (size_t)a->cols * sizeof *sum);
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int64_t j = 0; j < a->cols; j++)
            sum[j] += (double)a->rows[i * a->cols + j];
}

static void average(float *mean, const struct making *m, const float *rows, int64_t cols)
{
    struct adding adding = {m, rows, cols, (m->nodes + SUMS - 1) / SUMS};
    threads_run(m->source->context->threads, m->nodes, adding.size, add_rows, &adding);
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0;
        for (int64_t part = 0; part * adding.size < m->nodes; part++)
            sum += m->sums[part * cols + j];
        mean[j] = (float)(sum / (double)m->nodes);
    }
}

/* ---- Finding --------------------------------------------------------------------------------- */

struct finding {
    struct parts *parts;
    float *joined; /* (rows, joined) of the sample; NULL: no map is wanted */
    int64_t rows, cols;
};

/* The place of sampled row k among the nodes: one of each of as many equal stretches. */
static int64_t sampled(int64_t k, int64_t rows, int64_t nodes)
{
    const struct random_key key = {.stream = RANDOM_COMPONENTS, .view = 2};
    int64_t low = k * nodes / rows, high = (k + 1) * nodes / rows;
    return low + random_below(&key, (uint64_t)k, high - low);
}

static graco_status find_block(void *user, struct making *m, const struct parts_block *block,
                               const float *rows)
{
    const struct finding *f = user;
    float *mean = f->parts->mean + block->first;
    double factor = factor_of(m->model);
    average(mean, m, rows, block->cols);
    for (int64_t k = 0; k < f->rows && f->joined; k++)
        centre_row(f->joined + k * f->cols + block->first,
                   rows + sampled(k, f->rows, m->nodes) * block->cols, mean, block->cols, factor);
    return GRACO_OK;
}

/* The map: leading components of the sampled rows. */
static graco_status find_map(struct finding *f, struct context *context, int64_t columns)
{
    const struct features rows = {.rows = f->rows, .cols = f->cols, .dense = f->joined};
    struct components found = {0};
    graco_status status = GRACO_OK;
    TRY(components_fit(&found, context, &rows, NULL, 0, columns));
    f->parts->map = found.P;
    found.P = NULL;
done:
    components_clear(&found);
    return status;
}

graco_status parts_find(graco_model *model, const struct parts_source *source)
{
    int64_t nodes = source->graph->nodes;
    struct finding f = {.parts = &model->parts,
                        .rows = nodes < SAMPLE_MOST ? nodes : SAMPLE_MOST,
                        .cols = parts_joined(model)};
    struct making making = {0};
    graco_status status = GRACO_OK;
    parts_clear(f.parts);
    TRY(memory_alloc(&f.parts->mean, f.cols, sizeof *f.parts->mean));
    if (model->columns < f.cols)
        TRY(memory_alloc(&f.joined, f.rows * f.cols, sizeof *f.joined));
    if (model->config.parts & (PARTS_OWN | PARTS_SMOOTH))
        TRY(components_fit(&f.parts->components, source->context, source->X, NULL, 0,
                           COMPONENTS_MOST));
    TRY(open_making(&making, model, source));
    TRY(each_block(&making, find_block, &f));
    close_making(&making);
    making = (struct making){0};
    if (f.joined)
        TRY(find_map(&f, source->context, model->columns));
done:
    close_making(&making);
    memory_free(f.joined);
    if (status != GRACO_OK)
        parts_clear(f.parts);
    return status;
}

void parts_clear(struct parts *parts)
{
    components_clear(&parts->components);
    memory_free(parts->mean);
    memory_free(parts->map);
    *parts = (struct parts){0};
}

/* ---- Joining --------------------------------------------------------------------------------- */

struct joining {
    const struct making *m;
    const struct parts_block *block;
    const float *rows;
    float *unit; /* (ROWS, widest block) */
    float *Z;
    int64_t first; /* of the rows at hand */
    double factor;
};

/* Of a piece of the rows at hand: into `unit`, or where blocks are kept whole, into their columns of Z. */
static void centre_rows(void *job, struct threads_piece rows)
{
    const struct joining *j = job;
    const graco_model *model = j->m->model;
    int64_t cols = j->block->cols, columns = model->columns;
    for (int64_t i = rows.first; i < rows.last; i++) {
        int64_t row = j->first + i;
        float *y = j->unit ? j->unit + i * cols : j->Z + row * columns + j->block->first;
        centre_row(y, j->rows + row * cols, model->parts.mean + j->block->first, cols, j->factor);
    }
}

static graco_status join_block(void *user, struct making *m, const struct parts_block *block,
                               const float *rows)
{
    struct joining *j = user;
    struct context *c = m->source->context;
    int64_t columns = m->model->columns;
    j->m = m;
    j->block = block;
    j->rows = rows;
    for (j->first = 0; j->first < m->nodes; j->first += ROWS) {
        int64_t count = j->first + ROWS < m->nodes ? ROWS : m->nodes - j->first;
        threads_run(c->threads, count, ROWS_PER_PIECE, centre_rows, j);
        if (!j->unit)
            continue;
        PASS(c->kernels->gemm(c, &(struct gemm){.m = count,
                                                .n = columns,
                                                .k = block->cols,
                                                .A = j->unit,
                                                .lda = block->cols,
                                                .B = m->model->parts.map + block->first * columns,
                                                .ldb = columns,
                                                .C = j->Z + j->first * columns,
                                                .ldc = columns,
                                                .accumulate = block->first > 0}));
    }
    return GRACO_OK;
}

graco_status parts_join(float *Z, const graco_model *model, const struct parts_source *source)
{
    struct making making = {0};
    struct joining joining = {.Z = Z, .factor = factor_of(model)};
    int64_t cols = components_of_model(model), widest = cols > model->width ? cols : model->width;
    graco_status status = GRACO_OK;
    TRY(open_making(&making, model, source));
    if (model->parts.map)
        TRY(memory_alloc(&joining.unit, ROWS * widest, sizeof *joining.unit));
    TRY(each_block(&making, join_block, &joining));
done:
    close_making(&making);
    memory_free(joining.unit);
    return status;
}

int64_t parts_bytes(const graco_model *model, int64_t nodes)
{
    const unsigned parts = model->config.parts;
    int64_t cols = components_of_model(model), chunk = cols < CHUNK ? cols : CHUNK;
    int64_t blocks = parts & PARTS_SMOOTH ? 2 * cols + 2 * chunk + 1 : parts & PARTS_OWN ? cols : 0;
    int64_t rows = nodes < SAMPLE_MOST ? nodes : SAMPLE_MOST;
    int64_t joined = parts_joined(model), sample = model->columns < joined ? rows * joined : 0;
    return (nodes * blocks + sample) * (int64_t)sizeof(float);
}
