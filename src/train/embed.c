/* Embedding: exact inference over all neighbours, layer by layer, on the whole, uncorrupted graph.
 *
 * A layer first multiplies every node's row by the weights (P = H W), then sums P over neighbours.
 * Both go through the rows in chunks, so beside the result there are two matrices of one row per
 * node and buffers of one chunk, however large the graph; features that are mapped from a file are
 * read in that order. */
#include "train/embed.h"

#include "base/memory.h"
#include "base/finite.h"
#include "data/preprocess.h"
#include "config/config.h"

#include <string.h>

enum { CHUNK = 8192 };

struct inference {
    struct context *context;
    const struct graco_model *model;
    const struct graph *graph;
    const struct features *X;
    struct features prepared; /* X's copy, empty where the data set's own serve */
    struct views *views;      /* one, whole */
    int64_t width;            /* of the widest layer */
    float *value;             /* parameters */
    float *H;                 /* (nodes, width) the layer's input, or the sum of all before it */
    float *P;                 /* (nodes, width) */
    float *T, *Y;             /* (CHUNK, width) */
    int64_t *start;           /* of sparse X, as the device sees it */
    int32_t *index;
    float *values;
    const float *dense;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The weights `name` k from row `first` on. */
static const float *weights(const struct inference *e, const char *name, int64_t k, int64_t first,
                            int64_t *cols)
{
    const struct parameters *p = &e->model->parameters;
    const struct parameter *t = &p->list[model_parameter(e->model, name, k)];
    if (cols)
        *cols = t->cols;
    return e->value + t->offset + first * t->cols;
}

/* C (rows, cols) = or += A B. */
static graco_status multiply(const struct inference *e, int64_t rows, int64_t cols, int64_t inner,
                             const float *A, const float *B, float *C, bool add)
{
    return e->context->kernels->gemm(e->context, &(struct gemm){.m = rows,
                                                                .n = cols,
                                                                .k = inner,
                                                                .A = A,
                                                                .lda = inner,
                                                                .B = B,
                                                                .ldb = cols,
                                                                .C = C,
                                                                .ldc = cols,
                                                                .accumulate = add});
}

/* Rows first .. of X times W. */
static graco_status multiply_features(const struct inference *e, int64_t first, int64_t rows,
                                      const float *W, int64_t cols, float *C, bool add)
{
    graco_status status = features_check(e->X); /* before each chunk: it may be a mapped file */
    if (status != GRACO_OK)
        return status;
    if (e->X->dense)
        return multiply(e, rows, cols, e->X->cols, e->dense + first * e->X->cols, W, C, add);
    const struct sparse some = {
        .entries = {rows, e->X->cols, e->start + first, e->index, e->values}};
    return e->context->kernels->spmm(
        e->context,
        &(struct spmm){
            .views = 1, .matrix = &some, .cols = cols, .X = W, .Y = C, .accumulate = add});
}

/* A chunk of layer k's input times W: of the features, of H, or of X S + H. */
static graco_status multiply_input(const struct inference *e, int64_t k, int64_t first,
                                   int64_t rows, const float *W, int64_t cols, float *C, bool add)
{
    const graco_config *config = &e->model->config;
    int64_t width = k > 1 ? model_width(config, k - 1) : e->X->cols;
    const float *H = e->H + first * width;
    graco_status status = GRACO_OK;
    if (k == 1)
        return multiply_features(e, first, rows, W, cols, C, add);
    if (config->encoder != GRACO_ENCODER_SAGE_SKIP)
        return multiply(e, rows, cols, width, H, W, C, add);
    TRY(multiply_features(e, first, rows, weights(e, "S", k - 1, 0, NULL), width, e->T, false));
    TRY(e->context->kernels->add(e->context, rows * width, e->T, H));
    TRY(multiply(e, rows, cols, width, e->T, W, C, add));
done:
    return status;
}

/* Rows first .. of layer k into e->Y. */
static graco_status run_chunk(const struct inference *e, int64_t k, int64_t first, int64_t rows)
{
    const graco_config *config = &e->model->config;
    const struct kernels *kernels = e->context->kernels;
    int64_t cols, width = k > 1 ? model_width(config, k - 1) : e->X->cols;
    const float *bias = weights(e, "b", k, 0, &cols);
    struct sparse some = e->views->map.matrix[0];
    struct activation act = model_activation(e->model, &(struct pass){0}, k);
    graco_status status = GRACO_OK;
    some.entries.rows = rows;
    some.entries.start += first;
    some.row_scale += first;
    some.first = first;
    TRY(kernels->spmm(
        e->context,
        &(struct spmm){.views = 1, .matrix = &some, .cols = cols, .X = e->P, .Y = e->Y}));
    if (config->encoder != GRACO_ENCODER_GCN)
        TRY(multiply_input(e, k, first, rows, weights(e, "W", k, width, NULL), cols, e->Y, true));
    act.rows = rows;
    act.cols = cols;
    act.bias = bias;
    if (act.kind == ACTIVATION_PRELU)
        act.slope = weights(e, "prelu", 0, 0, NULL);
    TRY(kernels->activate(e->context, &act, e->Y, e->Y));
done:
    return status;
}

/* Layer k for all nodes: from e->H to e->H, which keeps the sum of the layers for skips; the last
 * layer goes to Z. */
static graco_status run_layer(const struct inference *e, int64_t k, float *Z)
{
    const graco_config *config = &e->model->config;
    struct context *c = e->context;
    int64_t cols, nodes = e->graph->nodes;
    const float *W = weights(e, "W", k, 0, &cols);
    bool sum = config->encoder == GRACO_ENCODER_SAGE_SKIP && k > 1;
    graco_status status = GRACO_OK;
    for (int64_t first = 0; first < nodes; first += CHUNK)
        TRY(multiply_input(e, k, first, least(CHUNK, nodes - first), W, cols, e->P + first * cols,
                           false));
    for (int64_t first = 0; first < nodes; first += CHUNK) {
        int64_t rows = least(CHUNK, nodes - first);
        size_t bytes = (size_t)(rows * cols) * sizeof(float);
        TRY(run_chunk(e, k, first, rows));
        if (k == config->layers)
            TRY(c->buffers->download(c, Z + first * cols, e->Y, bytes));
        else if (sum)
            TRY(c->kernels->add(c, rows * cols, e->H + first * cols, e->Y));
        else
            TRY(c->buffers->copy(c, e->H + first * cols, e->Y, bytes));
    }
done:
    return status;
}

static graco_status open_features(struct inference *e, const struct graco_dataset *data,
                                  double contaminate)
{
    const struct preprocess prepare = {e->model->config.features, contaminate,
                                       e->model->config.seed};
    struct context *c = e->context;
    graco_status status = GRACO_OK;
    e->X = &data->features;
    if (preprocess_needed(&prepare)) {
        TRY(preprocess_features(&e->prepared, &data->features, &prepare));
        e->X = &e->prepared;
    }
    TRY(features_check(e->X));
    if (e->X->dense) {
        TRY(context_share(c, &e->dense, e->X->dense, e->X->rows * e->X->cols, sizeof(float)));
        goto done;
    }
    int64_t entries = e->X->start[e->X->rows];
    TRY(context_share(c, &e->start, e->X->start, e->X->rows + 1, sizeof(int64_t)));
    TRY(context_share(c, &e->index, e->X->index, entries, sizeof(int32_t)));
    TRY(context_share(c, &e->values, e->X->value, entries, sizeof(float)));
done:
    return status;
}

static graco_status open_inference(struct inference *e, const struct graco_dataset *data,
                                   const graco_embed_options *options, double contaminate)
{
    const struct parameters *p = &e->model->parameters;
    const struct backend *backend = NULL;
    int64_t nodes = data->graph->nodes;
    graco_status status = GRACO_OK;
    e->graph = data->graph;
    for (int64_t k = 1; k <= e->model->config.layers; k++)
        if (model_width(&e->model->config, k) > e->width)
            e->width = model_width(&e->model->config, k);
    TRY(backend_find(&backend, config_device(options->device)));
    TRY(context_create(&e->context, backend, options->threads, 0));
    TRY(open_features(e, data, contaminate));
    TRY(views_create(&e->views, e->context, e->graph, NULL, 0, model_norm(e->model), 1));
    TRY(context_share(e->context, &e->value, p->value, p->total, sizeof(float)));
    TRY(context_take(e->context, &e->H, nodes * e->width, sizeof(float)));
    TRY(context_take(e->context, &e->P, nodes * e->width, sizeof(float)));
    TRY(context_take(e->context, &e->T, CHUNK * e->width, sizeof(float)));
    TRY(context_take(e->context, &e->Y, CHUNK * e->width, sizeof(float)));
done:
    return status;
}

static void close_inference(struct inference *e)
{
    views_free(e->views);
    context_free(e->context);
    features_clear(&e->prepared);
}

graco_status embed_dataset(graco_matrix *Z, const struct graco_model *model,
                           const struct graco_dataset *data, const graco_embed_options *options,
                           double contaminate)
{
    struct inference e = {.model = model};
    graco_matrix out = {data->graph->nodes, model->config.hidden, NULL};
    graco_status status = GRACO_OK;
    if (data->features.cols != model->features)
        FAIL(GRACO_ERROR_ARGUMENT, "the model was trained on %lld features; data set '%s' has %lld",
             (long long)model->features, data->name, (long long)data->features.cols);
    TRY(open_inference(&e, data, options, contaminate));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof(float)));
    for (int64_t k = 1; k <= model->config.layers; k++)
        TRY(run_layer(&e, k, out.data));
    int64_t not_finite = not_finite_first(out.data, out.rows * out.cols);
    if (not_finite >= 0)
        FAIL(GRACO_ERROR_NUMBER,
             "the embedding of node %lld of data set '%s' is not finite; expected smaller features "
             "or weights",
             (long long)(not_finite / out.cols), data->name);
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    close_inference(&e);
    return status;
}

graco_status graco_model_embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options)
{
    const graco_embed_options none = {0};
    return embed_dataset(Z, model, data, options ? options : &none, 0);
}
