/* Simple graph convolution: features averaged over neighbours, and nothing learnt.       docs/math.md
 *
 *     Z = M^K X        (N, F), M = D^-1/2 (A + I) D^-1/2, K = `layers`
 *
 * Its classifier is a logistic regression on Z (Wu et al., 2019), which is what the evaluation fits to any
 * embeddings. So the method gives Z, and has neither parameters nor epochs. */
#include "base/memory.h"
#include "layers/encoder.h"
#include "methods/method.h"

static graco_status check(const struct graco_config *config)
{
    if (config->epochs == 0)
        return GRACO_OK;
    return status_fail(GRACO_ERROR_ARGUMENT,
                       "method sgc has nothing to train: epochs is %lld, expected 0",
                       (long long)config->epochs);
}

static void declare(struct graco_model *model)
{
    model->width = model->sizes.cols;
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

/* Two blocks in turn: each propagation reads one and fills the other. */
static graco_status embed(float *Z, struct pass *pass)
{
    struct context *c = tape_context(pass->tape);
    const struct sparse_map *map = &pass->views[0]->map;
    graco_matrix X = {0};
    float *block[2] = {NULL, NULL};
    graco_status status = GRACO_OK;
    TRY(features_densify(&X, input_features(pass->input)));
    size_t bytes = (size_t)(X.rows * X.cols) * sizeof *X.data;
    for (int i = 0; i < 2; i++)
        TRY(context_take(c, &block[i], X.rows * X.cols, sizeof(float)));
    TRY(c->buffers->upload(c, block[0], X.data, bytes));
    for (int64_t k = 0; k < pass->model->config.layers; k++)
        TRY(c->kernels->spmm(c, &(struct spmm){.views = 1,
                                               .matrix = map->matrix,
                                               .cols = X.cols,
                                               .X = block[k % 2],
                                               .Y = block[(k + 1) % 2]}));
    TRY(c->buffers->download(c, Z, block[pass->model->config.layers % 2], bytes));
    TRY(context_finish(c));
done:
    context_give(c, block[0]);
    context_give(c, block[1]);
    graco_matrix_clear(&X);
    return status;
}

static const char *const KEYS[] = {"layers", NULL};

static const struct preset PRESETS[] = {{"cora", "scaling=rowsum"},
                                        {"citeseer", "scaling=rowsum"},
                                        {"pubmed", "scaling=rowsum"},
                                        {"dblp", "scaling=binary_rowsum"},
                                        {NULL, NULL}};

const struct method method_sgc = {
    .name = "sgc",
    .help = "features averaged over neighbours, nothing learnt (simple graph convolution)",
    .scale = "three times the features as a dense matrix must fit into memory",
    .reference = "Wu et al., Simplifying Graph Convolutional Networks, ICML 2019",
    .keys = KEYS,
    .general = "layers=2 epochs=0",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES,
    .views = 1,
    .check = check,
    .declare = declare,
    .prepare = prepare,
    .release = release,
    .embed = embed,
};
