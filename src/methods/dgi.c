/* Deep Graph Infomax: nodes of the graph agree with its summary, nodes of a corrupted graph do not.
 *                                                                                      docs/math.md, 13
 *     H = enc(X, A)    G = enc(X~, A~)    s = sigma(mean_i H_i)    l(h) = h' B s + beta
 *     L = mean over the rows of H and G of log(1 + exp(-l(H_i))), log(1 + exp(l(G_i)))
 *
 * One graph, or a mini-batch, is corrupted by permuting the rows of X: H and G are two views with the
 * same edges, stacked. Of many graphs with dense features another one, drawn at random and with dropout
 * on its features, stands for the corrupted one: the encoder runs over each. */
#include "base/memory.h"
#include "layers/encoder.h"
#include "methods/method.h"

#include <math.h>

struct dgi {
    struct agreement agreement;
    struct input *dropped; /* the other graph's features of the last step */
};

static void declare(struct graco_model *model)
{
    struct parameters *p = &model->parameters;
    encoder_declare(model);
    parameters_declare(p, "B", 0, model->width, model->width, START_BILINEAR);
    parameters_declare(p, "beta", 0, 1, 1, START_ZERO);
}

static graco_status prepare(void **state, const struct graco_model *model,
                            const struct subject *subject)
{
    (void)model;
    (void)subject;
    return memory_zalloc(state, 1, sizeof(struct dgi));
}

static void release(void *state)
{
    struct dgi *dgi = state;
    if (dgi)
        input_free(dgi->dropped);
    memory_free(dgi);
}

static graco_status draw(struct pass *pass)
{
    if (pass->other && !input_is_dense(pass->other->input))
        pass->other = NULL;
    if (!pass->other)
        return views_shuffle(pass->views[pass->hops - 1], pass->model->config.seed, pass->step);
    views_single(pass->views[0]);
    views_single(pass->other->views[0]);
    return GRACO_OK;
}

/* The other graph, entries of its features dropped. */
static struct tensor *run_other(struct pass *pass, struct dgi *dgi)
{
    const struct graco_config *config = &pass->model->config;
    const struct dropout dropout = {
        {.seed = config->seed, .stream = RANDOM_DROPOUT, .step = pass->step}, config->dropout};
    struct input *input = pass->other->input;
    int64_t rows = input_rows(input), cols = pass->model->sizes.cols;
    const float *X = NULL;
    struct sparse none;
    graco_status status = GRACO_OK;
    TRY(input_slice(&X, &none, input, 0, rows));
    struct tensor *kept = tape_dropout(pass->tape, &dropout,
                                       tape_parameter(pass->tape, rows, cols, (float *)X, NULL));
    input_free(dgi->dropped);
    dgi->dropped = NULL;
    TRY(tape_status(pass->tape));
    TRY(input_create_dense(&dgi->dropped, tape_context(pass->tape), kept->data, rows, cols));
    struct pass other = *pass->other;
    other.input = dgi->dropped;
    return encoder_run(&other);
done:
    return tape_fail(pass->tape, status);
}

static void loss(struct pass *pass, void *state)
{
    struct dgi *dgi = state;
    struct tensor *rows[2] = {encoder_run(pass), NULL};
    if (pass->other)
        rows[1] = run_other(pass, dgi);
    if (tape_status(pass->tape) == GRACO_OK)
        tape_agree(pass->tape, &dgi->agreement, rows, pass_parameter(pass, "B", 0),
                   pass_parameter(pass, "beta", 0));
}

static struct outcome outcome(const void *state)
{
    return (struct outcome){((const struct dgi *)state)->agreement.loss, (double)NAN, 0};
}

static const char *const KEYS[] = {"encoder", "activation",   "parts",    "hidden", "columns",
                                   "width",   "layers",       "dropout",  "lr",     "batch",
                                   "fanout",  "weight_decay", "patience", NULL};

/* Hyperparameters of the authors' program for Cora, Citeseer and Pubmed, of their paper for Reddit and
 * PPI; docs/methods.md says where graco differs. */
static const struct preset PRESETS[] = {
    {"cora", "scaling=rowsum"},
    {"citeseer", "scaling=rowsum"},
    {"pubmed", "scaling=rowsum hidden=256"},
    {"dblp", "scaling=binary_rowsum"},
    {"reddit", "encoder=sage layers=3 lr=0.00001 epochs=150 patience=0 batch=256 fanout=10,10,25 "
               "inductive=1"},
    {"ppi", "encoder=sage_skip layers=3 dropout=0.5 epochs=20 patience=0 inductive=1"},
    {NULL, NULL}};

const struct method method_dgi = {
    .name = "dgi",
    .help = "nodes against a summary of their graph (Deep Graph Infomax)",
    .scale = "linear in nodes and edges; a million at once, or mini-batches",
    .reference = "Velickovic et al., Deep Graph Infomax, ICLR 2019",
    .keys = KEYS,
    .general =
        "layers=1 activation=prelu hidden=512 lr=0.001 weight_decay=0 epochs=10000 patience=20",
    .presets = PRESETS,
    .needs = METHOD_NEEDS_FEATURES,
    .pairs = true,
    .views = 2,
    .declare = declare,
    .prepare = prepare,
    .release = release,
    .draw = draw,
    .loss = loss,
    .outcome = outcome,
    .embed = encoder_embed,
};
