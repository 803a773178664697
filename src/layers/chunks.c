/* The operations of layers in chunks, and the two sweeps of each layer over the rows. Products go
 * straight to where they belong, into the matrix that is sent or onto a sum. */
#include "layers/chunks.h"

#include "base/memory.h"
#include "layers/encoder.h"

/* C (rows of the chunk, W's columns) (+)= H W, where H is the features if it is NULL. */
static graco_status product(const struct pass *pass, const struct tensor *H, const struct tensor *W,
                            float *C, bool accumulate)
{
    struct context *c = pass->chunks->context;
    const float *A = H ? H->data : NULL;
    struct sparse X;
    int64_t rows = pass->chunks->rows;
    if (!H)
        PASS(input_slice(&A, &X, pass->input, pass->chunks->first, rows));
    if (A)
        return c->kernels->gemm(c, &(struct gemm){.m = rows,
                                                  .n = W->cols,
                                                  .k = W->rows,
                                                  .A = A,
                                                  .lda = W->rows,
                                                  .B = W->data,
                                                  .ldb = W->cols,
                                                  .C = C,
                                                  .ldc = W->cols,
                                                  .accumulate = accumulate});
    return c->kernels->spmm(c, &(struct spmm){.views = 1,
                                              .matrix = &X,
                                              .cols = W->cols,
                                              .X = W->data,
                                              .Y = C,
                                              .accumulate = accumulate});
}

static void multiply(const struct pass *pass, const struct tensor *H, const struct tensor *W,
                     float *C, bool accumulate)
{
    if (W)
        tape_fail(pass->tape, product(pass, H, W, C, accumulate));
}

/* act(Y + b) in place, for the chunk's rows. */
static graco_status finish(const struct chunks *c, const struct ending *end, float *Y, int64_t cols)
{
    struct activation spec = end->spec;
    spec.rows = c->rows;
    spec.cols = cols;
    spec.bias = end->bias ? end->bias->data : NULL;
    return c->context->kernels->activate(c->context, &spec, Y, Y);
}

struct tensor *chunks_send(struct pass *pass, struct tensor *H, struct tensor *W,
                           const struct ending *end)
{
    struct chunks *c = pass->chunks;
    if (!W)
        return NULL;
    if (!c->sending)
        return tape_parameter(pass->tape, pass_views(pass, c->layer)->graph->sources, W->cols,
                              c->sent, NULL);
    c->sent_cols = W->cols;
    multiply(pass, H, W, c->sent + c->first * W->cols, false);
    if (end)
        tape_fail(pass->tape, finish(c, end, c->sent + c->first * W->cols, W->cols));
    return NULL;
}

static graco_status cut_segments(struct chunks *c, const struct views *views)
{
    const struct csr *in = &views->graph->in;
    struct segments *part = &c->segments;
    int64_t begin = in->start[c->first];
    if (!c->start)
        PASS(memory_alloc(&c->start, CHUNK_ROWS + 1, sizeof *c->start));
    PASS(context_finish(c->context)); /* an upload of the last chunk's starts may still read them */
    for (int64_t i = 0; i <= c->rows; i++)
        c->start[i] = in->start[c->first + i] - begin;
    context_unshare(c->context, part->entries.start);
    *part = (struct segments){.count = c->start[c->rows], .longest = views->segments.longest};
    part->entries.rows = c->rows;
    part->entries.cols = views->graph->sources;
    part->entries.index = views->segments.entries.index + begin;
    return context_share(c->context, &part->entries.start, c->start, c->rows + 1, sizeof(int64_t));
}

const struct segments *chunks_segments(struct pass *pass)
{
    struct chunks *c = pass->chunks;
    graco_status status = cut_segments(c, pass_views(pass, c->layer));
    tape_fail(pass->tape, status);
    return status == GRACO_OK ? &c->segments : NULL;
}

struct tensor *chunks_propagate(struct pass *pass, struct tensor *H, struct tensor *W,
                                const struct ending *end)
{
    struct chunks *c = pass->chunks;
    struct tensor *sent = chunks_send(pass, H, W, NULL);
    if (!sent)
        return NULL;
    struct sparse *M = &c->map.matrix[0];
    *M = pass_views(pass, c->layer)->map.matrix[0];
    M->entries.rows = c->rows;
    M->entries.start += c->first;
    M->row_scale += c->first;
    M->first = c->first;
    c->map.views = 1;
    return tape_propagate(pass->tape, &c->map, sent, end);
}

struct tensor *chunks_add_product(struct pass *pass, struct tensor *H, struct tensor *W,
                                  struct tensor *Y)
{
    if (Y)
        multiply(pass, H, W, Y->data, true);
    return Y;
}

struct tensor *chunks_product(struct pass *pass, struct tensor *H, struct tensor *W)
{
    struct tensor *HW = W ? tape_constant(pass->tape, pass->chunks->rows, W->cols) : NULL;
    if (HW)
        multiply(pass, H, W, HW->data, false);
    return HW;
}

/* ---- The sweeps ------------------------------------------------------------------------------ */

/* What layer k gives for the chunk at hand; NULL while sending. */
static struct tensor *run_chunk(struct pass *pass, const struct layer_kind *kind, int64_t k)
{
    const struct chunks *c = pass->chunks;
    int64_t in = layer_width_in(pass->model, k);
    struct tensor *H = NULL;
    if (k > 1) {
        H = tape_parameter(pass->tape, c->rows, in, c->H + c->first * in, NULL);
        pass->before[0] = H;
        pass->befores = 1;
        if (kind->input)
            H = kind->input(pass, k);
    }
    return tape_status(pass->tape) == GRACO_OK ? kind->forward(pass, k, H) : NULL;
}

/* Puts Y where the next layer reads it: in place of what the last one gave, or added to it where the
 * kind reads all layers before. The last layer goes to the host. */
static graco_status keep(const struct pass *pass, const struct layer_kind *kind, int64_t k,
                         const struct tensor *Y, float *Z)
{
    const struct chunks *c = pass->chunks;
    int64_t offset = c->first * Y->cols, count = Y->rows * Y->cols;
    if (k == pass->model->config.layers)
        return c->context->buffers->download(c->context, Z + offset, Y->data,
                                             (size_t)count * sizeof(float));
    if (kind->input && k > 1)
        return c->context->kernels->add(c->context, count, c->H + offset, Y->data);
    return c->context->buffers->copy(c->context, c->H + offset, Y->data,
                                     (size_t)count * sizeof(float));
}

static graco_status sweep(float *Z, struct pass *pass, int64_t k)
{
    const struct layer_kind *kind = pass->model->kind;
    struct chunks *c = pass->chunks;
    graco_status status = GRACO_OK;
    c->layer = k;
    for (c->first = 0; c->first < c->nodes; c->first += CHUNK_ROWS) {
        int64_t left = c->nodes - c->first;
        c->rows = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        struct tensor *Y = run_chunk(pass, kind, k);
        TRY(tape_status(pass->tape));
        if (!c->sending)
            TRY(keep(pass, kind, k, Y, Z));
        tape_reset(pass->tape);
    }
done:
    return status;
}

/* Layer k: the rows send, over ranks to other ranks too, and receive. */
static graco_status run_layer(float *Z, struct pass *pass, int64_t k)
{
    struct chunks *c = pass->chunks;
    const struct sparse_map *map = &pass_views(pass, k)->map;
    c->sending = true;
    PASS(sweep(Z, pass, k));
    if (map->rows)
        PASS(comm_exchange(map->comm, map->rows, c->sent_cols, c->sent));
    c->sending = false;
    return sweep(Z, pass, k);
}

graco_status encoder_embed(float *Z, struct pass *pass)
{
    const struct graco_config *config = &pass->model->config;
    const struct graph *graph = pass_views(pass, 1)->graph;
    struct chunks chunks = {.context = tape_context(pass->tape), .nodes = graph->nodes};
    struct context *c = chunks.context;
    graco_status status = GRACO_OK;
    int64_t width = 0;
    for (int64_t k = 1; k <= config->layers; k++)
        if (layer_width(pass->model, k) > width)
            width = layer_width(pass->model, k);
    int64_t sends = pass->model->kind->sends ? pass->model->kind->sends(pass->model) : width;
    pass->chunks = &chunks;
    TRY(context_take(c, &chunks.H, chunks.nodes * width, sizeof(float)));
    TRY(context_take(c, &chunks.sent, graph->sources * sends, sizeof(float)));
    for (int64_t k = 1; k <= config->layers; k++)
        TRY(run_layer(Z, pass, k));
done:
    tape_reset(pass->tape);
    context_give(c, chunks.H);
    context_give(c, chunks.sent);
    context_unshare(c, chunks.segments.entries.start);
    memory_free(chunks.start);
    pass->chunks = NULL;
    return status;
}
