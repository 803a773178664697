/* The operations of layers in chunks, and the two sweeps of each layer over the rows. Products go
 * straight to where they belong, into the matrix that is sent or onto a sum. */
#include "layers/chunks.h"

#include "base/memory.h"
#include "layers/encoder.h"

/* C (rows of the chunk, W's columns) (+)= H W, where H is the features if it is NULL. */
static graco_status product(const struct run *run, const struct tensor *H, const struct tensor *W,
                            float *C, bool accumulate)
{
    struct context *c = run->chunks->context;
    const float *A = H ? H->data : NULL;
    struct sparse X;
    int64_t rows = run->chunks->rows;
    if (!H)
        PASS(input_slice(&A, &X, run->input, run->chunks->first, rows));
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

static void multiply(const struct run *run, const struct tensor *H, const struct tensor *W,
                     float *C, bool accumulate)
{
    if (W)
        tape_fail(run->tape, product(run, H, W, C, accumulate));
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

struct tensor *chunks_send(struct run *run, struct tensor *H, struct tensor *W,
                           const struct ending *end)
{
    struct chunks *c = run->chunks;
    if (!W)
        return NULL;
    if (!c->sending)
        return tape_parameter(run->tape, run_views(run, c->layer)->graph->sources, W->cols, c->sent,
                              NULL);
    c->sent_cols = W->cols;
    multiply(run, H, W, c->sent + c->first * W->cols, false);
    if (end)
        tape_fail(run->tape, finish(c, end, c->sent + c->first * W->cols, W->cols));
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

const struct segments *chunks_segments(struct run *run)
{
    struct chunks *c = run->chunks;
    graco_status status = cut_segments(c, run_views(run, c->layer));
    tape_fail(run->tape, status);
    return status == GRACO_OK ? &c->segments : NULL;
}

struct tensor *chunks_propagate(struct run *run, struct tensor *H, struct tensor *W,
                                const struct ending *end)
{
    struct chunks *c = run->chunks;
    struct tensor *sent = chunks_send(run, H, W, NULL);
    if (!sent)
        return NULL;
    struct sparse *M = &c->map.matrix[0];
    *M = run_views(run, c->layer)->map.matrix[0];
    M->entries.rows = c->rows;
    M->entries.start += c->first;
    M->row_scale += c->first;
    M->first = c->first;
    c->map.views = 1;
    return tape_propagate(run->tape, &c->map, sent, end);
}

struct tensor *chunks_add_product(struct run *run, struct tensor *H, struct tensor *W,
                                  struct tensor *Y)
{
    if (Y)
        multiply(run, H, W, Y->data, true);
    return Y;
}

struct tensor *chunks_product(struct run *run, struct tensor *H, struct tensor *W)
{
    struct tensor *HW = W ? tape_constant(run->tape, run->chunks->rows, W->cols) : NULL;
    if (HW)
        multiply(run, H, W, HW->data, false);
    return HW;
}

/* ---- The sweeps ------------------------------------------------------------------------------ */

/* What layer k gives for the chunk at hand; NULL while sending. */
static struct tensor *run_chunk(struct run *run, const struct layer_kind *kind, int64_t k)
{
    const struct chunks *c = run->chunks;
    int64_t in = layer_width_in(run->model, k);
    struct tensor *H = NULL;
    if (k > 1) {
        H = tape_parameter(run->tape, c->rows, in, c->H + c->first * in, NULL);
        run->before[0] = H;
        run->befores = 1;
        if (kind->input)
            H = kind->input(run, k);
    }
    return tape_status(run->tape) == GRACO_OK ? kind->forward(run, k, H) : NULL;
}

/* Puts Y where the next layer reads it: in place of what the last one gave, or added to it where the
 * kind reads all layers before. The last layer goes to the host. */
static graco_status keep(const struct run *run, const struct layer_kind *kind, int64_t k,
                         const struct tensor *Y, float *Z)
{
    const struct chunks *c = run->chunks;
    int64_t offset = c->first * Y->cols, count = Y->rows * Y->cols;
    if (k == run->model->config.layers)
        return c->context->buffers->download(c->context, Z + offset, Y->data,
                                             (size_t)count * sizeof(float));
    if (kind->input && k > 1)
        return c->context->kernels->add(c->context, count, c->H + offset, Y->data);
    return c->context->buffers->copy(c->context, c->H + offset, Y->data,
                                     (size_t)count * sizeof(float));
}

static graco_status sweep(float *Z, struct run *run, int64_t k)
{
    const struct layer_kind *kind = run->model->kind;
    struct chunks *c = run->chunks;
    graco_status status = GRACO_OK;
    c->layer = k;
    for (c->first = 0; c->first < c->nodes; c->first += CHUNK_ROWS) {
        int64_t left = c->nodes - c->first;
        c->rows = left < CHUNK_ROWS ? left : CHUNK_ROWS;
        struct tensor *Y = run_chunk(run, kind, k);
        TRY(tape_status(run->tape));
        if (!c->sending)
            TRY(keep(run, kind, k, Y, Z));
        tape_reset(run->tape);
    }
done:
    return status;
}

/* Layer k: the rows send, over ranks to other ranks too, and receive. */
static graco_status run_layer(float *Z, struct run *run, int64_t k)
{
    struct chunks *c = run->chunks;
    const struct sparse_map *map = &run_views(run, k)->map;
    c->sending = true;
    PASS(sweep(Z, run, k));
    if (map->rows)
        PASS(comm_exchange(map->comm, map->rows, c->sent_cols, c->sent));
    c->sending = false;
    return sweep(Z, run, k);
}

graco_status encoder_embed(float *Z, struct run *run)
{
    const struct graco_config *config = &run->model->config;
    const struct graph *graph = run_views(run, 1)->graph;
    struct chunks chunks = {.context = tape_context(run->tape), .nodes = graph->nodes};
    struct context *c = chunks.context;
    graco_status status = GRACO_OK;
    int64_t width = 0;
    for (int64_t k = 1; k <= config->layers; k++)
        if (layer_width(run->model, k) > width)
            width = layer_width(run->model, k);
    int64_t sends = run->model->kind->sends ? run->model->kind->sends(run->model) : width;
    run->chunks = &chunks;
    TRY(context_take(c, &chunks.H, chunks.nodes * width, sizeof(float)));
    TRY(context_take(c, &chunks.sent, graph->sources * sends, sizeof(float)));
    for (int64_t k = 1; k <= config->layers; k++)
        TRY(run_layer(Z, run, k));
done:
    tape_reset(run->tape);
    context_give(c, chunks.H);
    context_give(c, chunks.sent);
    context_unshare(c, chunks.segments.entries.start);
    memory_free(chunks.start);
    run->chunks = NULL;
    return status;
}
