/* Embedding: a trained model run over a whole graph, no edge removed. The method says how; here
 * are the device, the features and one view of the graph for it, and the check of what came out. Over
 * ranks each embeds its own rows, and rank 0 writes them all.
 * And the rows of two corrupted views, as a step of the training would contrast them. */
#include "graco_command.h"
#include "base/finite.h"
#include "base/memory.h"
#include "data/subset.h"
#include "graph/shard.h"
#include "graph/subgraph.h"
#include "io/npy.h"
#include "layers/encoder.h"
#include "methods/method.h"
#include "train/made.h"
#include "train/prepare.h"
#include "run/table_names.h"

#include <string.h>

enum { PIECE = 1 << 20 }; /* numbers that rank 0 gets from another at a time */

struct embedding {
    struct comm *comm; /* ranks that embed together; NULL: this one does alone */
    struct context *context;
    struct prepared features;
    struct shard *cut;    /* this rank's rows of a graph that it has whole, ... */
    struct features rows; /* ... and their features */
    struct pass pass;
};

/* This rank's rows, where it has all. */
static graco_status cut_rows(struct embedding *e, const struct graco_dataset *data)
{
    PASS(shard_create(&e->cut, e->comm, data->graph));
    return subset_features(&e->rows, e->features.X, e->cut->nodes, e->cut->graph.nodes);
}

/* For so many views of the graph, which keep everything. */
static graco_status open_embedding(struct embedding *e, const struct backend *backend,
                                   const struct graco_dataset *data,
                                   const graco_embed_options *options, int views)
{
    const struct graco_model *model = e->pass.model;
    const struct parameters *p = &model->parameters;
    double contaminate = options->contaminated ? model->config.contaminate : 0;
    graco_status status = GRACO_OK;
    TRY(context_create(&e->context, backend, options->threads, 0));
    e->context->comm = e->comm;
    TRY(tape_create(&e->pass.tape, e->context));
    if (model->method->views > 0) {
        TRY(prepare_features(&e->features, data, &model->config, contaminate));
        if (e->comm && !data->shard)
            TRY(cut_rows(e, data));
        const struct features *X = e->cut ? &e->rows : e->features.X;
        TRY(input_create(&e->pass.input, e->context, X));
        int64_t masked = views > 1 ? X->cols : 0; /* a single view is whole */
        TRY(views_create(&e->pass.views[0], e->context, e->cut ? &e->cut->graph : data->graph, NULL,
                         masked, model->kind->norm, views));
    }
    TRY(context_share(e->context, &e->pass.value, model_result(model), p->total, sizeof(float)));
done:
    return status;
}

static void close_embedding(struct embedding *e)
{
    if (e->context)
        context_unshare(e->context, e->pass.value);
    views_free(e->pass.views[0]);
    input_free(e->pass.input);
    features_clear(&e->features.copy);
    features_clear(&e->rows);
    shard_free(e->cut);
    tape_free(e->pass.tape);
    context_free(e->context);
}

graco_status made_embed_on(float *Z, const struct backend *backend, const struct graco_model *model,
                           const struct graco_dataset *data, const graco_embed_options *options)
{
    struct embedding e = {.pass = {.model = model, .hops = 1}};
    graco_status status = GRACO_OK;
    TRY(open_embedding(&e, backend, data, options, 1));
    TRY(model->method->embed(Z, &e.pass));
done:
    close_embedding(&e);
    return status;
}

/* Of nodes first, first + 1, ... */
static graco_status check_finite(const graco_matrix *Z, int64_t first,
                                 const struct graco_dataset *data)
{
    int64_t not_finite = not_finite_first(Z->data, Z->rows * Z->cols);
    if (not_finite < 0)
        return GRACO_OK;
    return status_fail(
        GRACO_ERROR_NUMBER,
        "the embedding of node %lld of data set '%s' is not finite; expected smaller "
        "features or weights",
        (long long)(first + not_finite / Z->cols), data->name);
}

/* The device that the options ask for. */
static graco_status find_backend(const struct backend **out, const struct graco_model *model,
                                 const graco_embed_options *options)
{
    return method_backend(out, model->method, options->device ? options->device : "auto");
}

graco_status made_embed_learned(graco_matrix *Z, const struct graco_model *model,
                                const struct graco_dataset *data,
                                const graco_embed_options *options)
{
    const struct backend *backend = NULL;
    graco_matrix out = {data->graph->nodes, model->width, NULL};
    graco_status status = GRACO_OK;
    TRY(model_check(model, data, "the model"));
    TRY(find_backend(&backend, model, options));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof(float)));
    TRY(made_embed_on(out.data, backend, model, data, options));
    TRY(check_finite(&out, 0, data));
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    return status;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* A graph with its features as the training reads them, and what the encoder gives on it. */
struct parts_data {
    struct prepared prepared;
    struct graco_dataset seen; /* of its pointers, where a training sees a part of the data */
    struct graph *graph;       /* of that part */
    graco_matrix learned;
    struct parts_source source;
};

static void close_parts(struct parts_data *p)
{
    context_free(p->source.context);
    graco_matrix_clear(&p->learned);
    features_clear(&p->prepared.copy);
    if (p->graph)
        features_clear(&p->seen.features);
    graph_free(p->graph);
}

/* The nodes that an inductive training sees, as a data set of their own. */
static graco_status cut_seen(struct parts_data *p, const struct graco_dataset *data)
{
    int32_t *nodes = NULL;
    int64_t count = 0;
    graco_status status = GRACO_OK;
    p->seen = *data;
    TRY(subset_nodes(&nodes, &count, data, 0, SUBSET_ALL));
    if (count == data->graph->nodes)
        goto done;
    TRY(subgraph_create(&p->graph, data->graph, nodes, count));
    p->seen.graph = p->graph;
    p->seen.features = (struct features){0};
    TRY(subset_features(&p->seen.features, &data->features, nodes, count));
done:
    memory_free(nodes);
    return status;
}

static graco_status open_parts(struct parts_data *p, const struct graco_model *model,
                               const struct graco_dataset *data, const graco_embed_options *options)
{
    double contaminate = options->contaminated ? model->config.contaminate : 0;
    graco_status status = GRACO_OK;
    TRY(made_embed_learned(&p->learned, model, data, options));
    TRY(prepare_features(&p->prepared, data, &model->config, contaminate));
    TRY(context_create(&p->source.context, &backend_cpu, options->threads, 0));
    p->source.graph = data->graph;
    p->source.X = p->prepared.X;
    p->source.learned = p->learned.data;
done:
    return status;
}

graco_status made_find_parts(struct graco_model *model, const struct graco_dataset *data,
                             const graco_embed_options *options)
{
    struct parts_data p = {.seen = *data};
    graco_status status = GRACO_OK;
    if (parts_none(model))
        return GRACO_OK;
    if (model->config.inductive)
        TRY(cut_seen(&p, data));
    TRY(open_parts(&p, model, &p.seen, options));
    TRY(parts_find(model, &p.source));
done:
    close_parts(&p);
    return status;
}

static graco_status join_parts(graco_matrix *Z, const struct graco_model *model,
                               const struct graco_dataset *data, const graco_embed_options *options)
{
    struct parts_data p = {0};
    graco_matrix out = {data->graph->nodes, model->columns, NULL};
    graco_status status = GRACO_OK;
    TRY(open_parts(&p, model, data, options));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof *out.data));
    TRY(parts_join(out.data, model, &p.source));
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    close_parts(&p);
    return status;
}

/* The parts of a training that has not ended are those of now, in its own data. */
static graco_status find_now(struct graco_model *now, const struct graco_model *model,
                             const struct graco_dataset *data, const graco_embed_options *options)
{
    char words[GRACO_DIFFERENCES] = "";
    if (model->parts.mean)
        return GRACO_OK;
    if (*model->fingerprint)
        PASS(method_compare(words, model, data));
    if (*words)
        return status_fail(
            GRACO_ERROR_ARGUMENT,
            "the model's training has not ended, and its parts are found at the end: "
            "expected the data that it is trained on, or graco train --resume "
            "first");
    return made_find_parts(now, data, options);
}

graco_status made_embed(graco_matrix *Z, const struct graco_model *model,
                        const struct graco_dataset *data, const graco_embed_options *options)
{
    const graco_embed_options none = {0};
    struct graco_model now = *model; /* of its pointers, but for parts that are found here */
    graco_status status = GRACO_OK;
    options = options ? options : &none;
    if (parts_none(model))
        return made_embed_learned(Z, model, data, options);
    TRY(model_check(model, data, "the model"));
    TRY(find_now(&now, model, data, options));
    TRY(join_parts(Z, &now, data, options));
done:
    if (!model->parts.mean)
        parts_clear(&now.parts);
    return status;
}

/* ---- Over ranks ------------------------------------------------------------------------------ */

/* Writes the rows Z of all ranks in their order: rank 0 has a piece of another's at a time. */
static graco_status write_rows(const char *path, const struct shard *shard, graco_matrix *Z)
{
    struct comm *comm = shard->comm;
    struct file_writer *file = NULL;
    struct array all;
    float *piece = NULL;
    int64_t most = Z->cols < PIECE ? PIECE / Z->cols : 1; /* rows of a piece */
    graco_status status = GRACO_OK;
    TRY(array_describe(&all, ARRAY_F32, 0, 2, (int64_t[]){shard->all_nodes, Z->cols}));
    if (comm->rank == 0) {
        TRY(npy_writer_open(&file, path, &all));
        TRY(memory_alloc(&piece, most * Z->cols, sizeof *piece));
        TRY(file_writer_write(file, Z->data, Z->rows * Z->cols * (int64_t)sizeof *Z->data));
    }
    for (int r = 1; r < comm->ranks; r++) {
        int64_t rows = shard->bounds[r + 1] - shard->bounds[r];
        for (int64_t first = 0; first < rows; first += most) {
            int64_t count = first + most < rows ? most : rows - first;
            int64_t bytes = count * Z->cols * (int64_t)sizeof *piece;
            TRY(comm_collect(comm, r, file ? piece : Z->data + first * Z->cols, bytes));
            if (file)
                TRY(file_writer_write(file, piece, bytes));
        }
    }
    if (file)
        TRY(file_writer_commit(file));
done:
    file_writer_free(file);
    memory_free(piece);
    return status;
}

/* The embedding of this rank's own nodes. */
static graco_status embed_own(graco_matrix *Z, struct embedding *e,
                              const struct graco_dataset *data, const graco_embed_options *options)
{
    const struct graco_model *model = e->pass.model;
    graco_status status = GRACO_OK;
    TRY(open_embedding(e, &backend_cpu, data, options, 1));
    *Z = (graco_matrix){e->pass.views[0]->graph->nodes, model->width, NULL};
    TRY(memory_alloc(&Z->data, Z->rows * Z->cols, sizeof(float)));
    TRY(model->method->embed(Z->data, &e->pass));
done:
    return status;
}

graco_status made_embed_ranks(const char *path, struct comm *comm, const struct graco_model *model,
                              const struct graco_dataset *data, const graco_embed_options *options)
{
    struct embedding e = {.comm = comm, .pass = {.model = model, .hops = 1}};
    graco_matrix Z = {0};
    graco_status status = GRACO_OK;
    TRY(model_check(model, data, "the model"));
    TRY(embed_own(&Z, &e, data, options));
    const struct shard *shard = e.pass.views[0]->graph->shard;
    TRY(comm_agree(comm, check_finite(&Z, shard->bounds[comm->rank], data)));
    TRY(write_rows(path, shard, &Z));
done:
    close_embedding(&e);
    graco_matrix_clear(&Z);
    return status;
}

graco_status graco_model_views(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options)
{
    const graco_embed_options none = {0};
    const struct method *method = model->method;
    const struct backend *backend = NULL;
    struct embedding e = {
        .pass = {.model = model, .hops = 1, .training = true, .step = (uint32_t)model->step}};
    struct made made = {0};
    graco_matrix out = {0};
    graco_status status = GRACO_OK;
    if (!method->contrasted)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "method %s does not contrast two views; expected grace", method->name);
    options = options ? options : &none;
    TRY(made_open(&made, data, model, options ? options->threads : 0));
    TRY(model_check(model, made.data, "the model"));
    TRY(find_backend(&backend, model, options));
    TRY(open_embedding(&e, backend, made.data, options, method->views));
    TRY(method->draw(&e.pass));
    const struct tensor *rows = method->contrasted(&e.pass);
    TRY(tape_status(e.pass.tape));
    out = (graco_matrix){rows->rows, rows->cols, NULL};
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof(float)));
    TRY(e.context->buffers->download(e.context, out.data, rows->data,
                                     (size_t)(out.rows * out.cols) * sizeof(float)));
    *Z = out;
    out.data = NULL;
done:
    memory_free(out.data);
    close_embedding(&e);
    made_clear(&made);
    return status;
}

/* The vectors of a table, row rows[i] for node i. */
static graco_status embed_named(graco_matrix *Z, const struct graco_model *model,
                                const struct graco_dataset *data, const int64_t *rows,
                                const graco_embed_options *options)
{
    const graco_embed_options none = {0};
    const struct backend *backend = NULL;
    graco_matrix table = {model->sizes.nodes, model->width, NULL};
    graco_matrix out = {data->graph->nodes, model->width, NULL};
    graco_status status = GRACO_OK;
    options = options ? options : &none;
    TRY(find_backend(&backend, model, options));
    TRY(memory_alloc(&table.data, table.rows * table.cols, sizeof *table.data));
    TRY(memory_alloc(&out.data, out.rows * out.cols, sizeof *out.data));
    TRY(made_embed_on(table.data, backend, model, data, options));
    for (int64_t i = 0; i < out.rows; i++)
        memcpy(out.data + i * out.cols, table.data + rows[i] * out.cols,
               (size_t)out.cols * sizeof *out.data);
    *Z = out;
    out.data = NULL;
done:
    memory_free(table.data);
    memory_free(out.data);
    return status;
}

graco_status graco_model_embed(graco_matrix *Z, const graco_model *model, const graco_dataset *data,
                               const graco_embed_options *options)
{
    struct made made = {0};
    int64_t *rows = NULL;
    graco_status status = GRACO_OK;
    TRY(table_names_find(&rows, model, data));
    if (rows) {
        TRY(embed_named(Z, model, data, rows, options));
        goto done;
    }
    if (model->sizes.nodes)
        TRY(model_check(model, data, "the model"));
    TRY(made_open(&made, data, model, options ? options->threads : 0));
    TRY(made_embed(Z, model, made.data, options));
done:
    memory_free(rows);
    made_clear(&made);
    return status;
}
