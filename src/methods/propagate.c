/* Features averaged over neighbours, and nothing learnt.                                    docs/math.md
 *
 *     propagate   Z = unit(alpha X + (1 - alpha) / K sum of S^k X over k = 1 .. K), or unit(S^K X), K = `hops`
 *     sgc         Z = S^K X                      S = D^-1/2 (A + I) D^-1/2,                         K = `layers`
 *
 * propagate reduces features of more than `columns` columns first: S works on rows, so S^k (X R) = (S^k X) R.
 * The classifier of simple graph convolution (Wu et al., 2019) is a logistic regression on Z, which is what
 * the evaluation fits to any embeddings. So neither method has epochs. */
#include "methods/propagate.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum reduction { REDUCE_COMPONENTS, REDUCE_SIGNS }; /* as the words of the setting `reduce` */

enum {
    ROWS = 64,              /* that a thread takes at a time */
    COLS_LEAST = 64,        /* of a block: four lines of a cache for each neighbour */
    BLOCK_FLOATS = 1 << 20, /* of a block that has more columns than these */
    BLOCK_BITS = 128,       /* of random numbers */
    BLOCKS_OF_COLUMN = 65536 / BLOCK_BITS, /* for as many columns as there can be */
};

/* ---- The filter ------------------------------------------------------------------------------ */

/* One call of filter_run. The blocks are (rows, width) on the device. */
struct filtering {
    const struct filter *filter;
    struct pass *pass;
    struct context *context;
    struct context *host;    /* where X R is made: the same one, or a CPU's beside it */
    int64_t rows, width;     /* of a block, the last of which may be narrower */
    float *now, *next, *sum; /* S^k Y, room for the next power, and what has been summed */
    float *here;             /* a block on the host; NULL where buffers are host memory */
    const float *share[2];   /* (rows) each alpha, each (1 - alpha) / K, on the device */
    float *shares;           /* (2, rows) the same on the host */
    float *Z;
    int64_t first, cols; /* the block under way */
};

/* now = Y. */
static graco_status begin_block(struct filtering *f)
{
    struct context *c = f->context;
    const struct components_block block = {0, f->rows, f->first, f->cols};
    PASS(components_apply(f->here ? f->here : f->now, f->host, f->filter->columns,
                          input_features(f->pass->input), block));
    return f->here ? c->buffers->upload(c, f->now, f->here,
                                        (size_t)(f->rows * f->cols) * sizeof *f->now)
                   : GRACO_OK;
}

/* now becomes S now, and a mean adds it up. */
static graco_status advance(struct filtering *f)
{
    struct context *c = f->context;
    float *before = f->now;
    PASS(context_look(c));
    PASS(c->kernels->spmm(c, &(struct spmm){.views = 1,
                                            .matrix = f->pass->views[0]->map.matrix,
                                            .cols = f->cols,
                                            .X = f->now,
                                            .Y = f->next}));
    f->now = f->next;
    f->next = before;
    return f->sum ? c->kernels->scale_rows(c, f->rows, f->cols, f->sum, f->share[1], f->now, true)
                  : GRACO_OK;
}

/* The block's place in Z. */
static void place_rows(void *job, struct threads_piece rows)
{
    const struct filtering *f = job;
    const float *found = f->here ? f->here : f->sum ? f->sum : f->now;
    for (int64_t i = rows.first; i < rows.last; i++)
        memcpy(f->Z + i * f->filter->columns->count + f->first, found + i * f->cols,
               (size_t)f->cols * sizeof *f->Z);
}

static graco_status end_block(struct filtering *f)
{
    struct context *c = f->context;
    if (f->here)
        PASS(c->buffers->download(c, f->here, f->sum ? f->sum : f->now,
                                  (size_t)(f->rows * f->cols) * sizeof *f->here));
    PASS(context_finish(c));
    threads_run(c->threads, f->rows, ROWS, place_rows, f);
    return GRACO_OK;
}

static graco_status run_block(struct filtering *f)
{
    struct context *c = f->context;
    PASS(begin_block(f));
    if (f->sum)
        PASS(c->kernels->scale_rows(c, f->rows, f->cols, f->sum, f->share[0], f->now, false));
    for (int64_t k = 0; k < f->filter->hops; k++)
        PASS(advance(f));
    return end_block(f);
}

static graco_status make_shares(struct filtering *f)
{
    const struct filter *filter = f->filter;
    PASS(memory_alloc(&f->shares, 2 * f->rows, sizeof *f->shares));
    for (int64_t i = 0; i < f->rows; i++) {
        f->shares[i] = (float)filter->alpha;
        f->shares[f->rows + i] = (float)((1 - filter->alpha) / (double)filter->hops);
    }
    PASS(context_share(f->context, &f->share[0], f->shares, f->rows, sizeof(float)));
    return context_share(f->context, &f->share[1], f->shares + f->rows, f->rows, sizeof(float));
}

static graco_status make_room(struct filtering *f)
{
    struct context *c = f->context;
    int64_t most = BLOCK_FLOATS / (f->rows > 0 ? f->rows : 1) / 16 * 16;
    int64_t cols = f->filter->columns->count;
    most = most > COLS_LEAST ? most : COLS_LEAST;
    f->width = most < cols ? most : cols;
    PASS(context_take(c, &f->now, f->rows * f->width, sizeof(float)));
    PASS(context_take(c, &f->next, f->rows * f->width, sizeof(float)));
    if (f->filter->kind == FILTER_MEAN) {
        PASS(context_take(c, &f->sum, f->rows * f->width, sizeof(float)));
        PASS(make_shares(f));
    }
    f->host = c;
    if (c->backend->host)
        return GRACO_OK;
    PASS(memory_alloc(&f->here, f->rows * f->width, sizeof *f->here));
    return context_create(&f->host, &backend_cpu, c->threads, 0);
}

static void scale_rows(void *job, struct threads_piece rows)
{
    const struct filtering *f = job;
    int64_t cols = f->filter->columns->count;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *z = f->Z + i * cols;
        double square = 0;
        for (int64_t j = 0; j < cols; j++)
            square += (double)z[j] * (double)z[j];
        float scale = square > 0 ? (float)(1 / sqrt(square)) : 0;
        for (int64_t j = 0; j < cols; j++)
            z[j] *= scale;
    }
}

graco_status filter_run(float *Z, struct pass *pass, const struct filter *filter)
{
    struct context *c = tape_context(pass->tape);
    struct filtering f = {
        .filter = filter, .pass = pass, .context = c, .rows = pass->views[0]->graph->nodes, .Z = Z};
    graco_status status = GRACO_OK;
    TRY(make_room(&f));
    for (int64_t cols = filter->columns->count; f.first < cols; f.first += f.cols) {
        f.cols = cols - f.first < f.width ? cols - f.first : f.width;
        TRY(run_block(&f));
    }
    if (filter->unit)
        threads_run(c->threads, f.rows, ROWS, scale_rows, &f);
done:
    context_unshare(c, f.share[0]);
    context_unshare(c, f.share[1]);
    context_give(c, f.now);
    context_give(c, f.next);
    context_give(c, f.sum);
    memory_free(f.shares);
    memory_free(f.here);
    if (f.host != c)
        context_free(f.host);
    return status;
}

/* ---- The method ------------------------------------------------------------------------------ */

static graco_status check(const struct graco_config *config)
{
    if (config->epochs == 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "method %s has nothing to train: epochs is %lld, expected 0", config->method,
                       (long long)config->epochs);
}

static bool reduces(const struct graco_model *model)
{
    int64_t columns = model->config.columns; /* 0 is all too: there is no `hidden` */
    return columns > 0 && columns < model->sizes.cols;
}

static bool keeps_components(const struct graco_model *model)
{
    return reduces(model) && model->config.reduce == REDUCE_COMPONENTS;
}

static void declare(struct graco_model *model)
{
    model->width = reduces(model) ? model->config.columns : model->sizes.cols;
    model->parameters.plain = true;
    if (keeps_components(model))
        parameters_declare(&model->parameters, "components", 0, model->sizes.cols, model->width,
                           START_ZERO);
}

static graco_status fit(struct graco_model *model, struct context *context,
                        const struct features *X, const int32_t *nodes, int64_t count)
{
    struct components found = {0};
    if (!keeps_components(model))
        return GRACO_OK;
    PASS(components_fit(&found, context, X, nodes, count, model->width));
    const struct parameter *own = parameters_find(&model->parameters, "components", 0);
    memcpy(model->parameters.value + own->offset, found.P,
           (size_t)(own->rows * own->cols) * sizeof(float));
    components_clear(&found);
    return GRACO_OK;
}

static graco_status prepare(void **state, const struct graco_model *model,
                            const struct subject *subject)
{
    (void)state;
    (void)model;
    (void)subject;
    return GRACO_OK;
}

static void release(void *state)
{
    (void)state;
}

/* R (columns of X, width): a random sign for each entry, over the root of the width, so that rows keep about their
 * lengths (Achlioptas, 2003). Column k of X has blocks of its own, so that wider ones begin like narrow ones. */
static graco_status draw_signs(float **R, const struct graco_model *model)
{
    const struct random_key key = {.seed = model->config.seed, .stream = RANDOM_SIGNS};
    int64_t width = model->width;
    float entry = (float)(1 / sqrt((double)width));
    PASS(memory_alloc(R, model->sizes.cols * width, sizeof **R));
    for (int64_t j = 0; j < model->sizes.cols; j++)
        for (int64_t k = 0; k < width; k += BLOCK_BITS) {
            uint32_t bits[BLOCK_BITS / 32];
            random_block(bits, &key, (uint64_t)(j * BLOCKS_OF_COLUMN + k / BLOCK_BITS));
            for (int64_t b = 0; b < BLOCK_BITS && k + b < width; b++)
                (*R)[j * width + k + b] = bits[b / 32] >> b % 32 & 1 ? entry : -entry;
        }
    return GRACO_OK;
}

static graco_status embed(float *Z, struct pass *pass)
{
    const struct graco_model *model = pass->model;
    const struct graco_config *config = &model->config;
    struct components columns = {.cols = model->sizes.cols, .count = model->width};
    float *signs = NULL;
    struct filter filter = {.kind = (enum filter_kind)config->filter,
                            .hops = config->hops,
                            .alpha = config->alpha,
                            .unit = true,
                            .columns = &columns};
    graco_status status = GRACO_OK;
    if (keeps_components(model))
        columns.P =
            model->parameters.value + parameters_find(&model->parameters, "components", 0)->offset;
    else if (reduces(model)) {
        TRY(draw_signs(&signs, model));
        columns.P = signs;
    }
    TRY(filter_run(Z, pass, &filter));
done:
    memory_free(signs);
    return status;
}

static const char *const KEYS[] = {"filter", "hops", "alpha", "columns", "reduce", NULL};

static const struct preset PRESETS[] = {{"cora", "scaling=rowsum"},
                                        {"citeseer", "scaling=rowsum"},
                                        {"pubmed", "scaling=rowsum"},
                                        {"dblp", "scaling=binary_rowsum"},
                                        {NULL, NULL}};

const struct method method_propagate = {
    .name = "propagate",
    .help = "features averaged over growing neighbourhoods, nothing learnt",
    .scale = "linear: a row of `columns` numbers for each node, and three blocks of 64 columns",
    .reference = "Zhu and Koniusz, Simple Spectral Graph Convolution, ICLR 2021",
    .keys = KEYS,
    .general = "scaling=auto filter=mean hops=16 alpha=0.05 columns=256 reduce=components epochs=0",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES,
    .views = 1,
    .check = check,
    .declare = declare,
    .fit = fit,
    .prepare = prepare,
    .release = release,
    .embed = embed,
};

static void sgc_declare(struct graco_model *model)
{
    model->width = model->sizes.cols;
}

static graco_status sgc_embed(float *Z, struct pass *pass)
{
    const struct components all = {.cols = pass->model->width, .count = pass->model->width};
    return filter_run(Z, pass,
                      &(struct filter){.kind = FILTER_POWER,
                                       .hops = pass->model->config.layers,
                                       .columns = &all});
}

static const char *const SGC_KEYS[] = {"layers", NULL};

const struct method method_sgc = {
    .name = "sgc",
    .help = "features averaged over neighbours, nothing learnt (simple graph convolution)",
    .scale = "linear: twice the features as a dense matrix must fit into memory",
    .reference = "Wu et al., Simplifying Graph Convolutional Networks, ICML 2019",
    .keys = SGC_KEYS,
    .general = "layers=2 epochs=0",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES,
    .views = 1,
    .check = check,
    .declare = sgc_declare,
    .prepare = prepare,
    .release = release,
    .embed = sgc_embed,
};
