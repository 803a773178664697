/* Golden vectors of the supervised graph convolution: given masks of dropout, three steps with decay on
 * the first layer alone, and the logits without dropout. */
#include "golden.h"
#include "layers/encoder.h"
#include "methods/gcn.h"
#include "data/splits.h"

/* Dropout with the file's masks: features are dropped when the data set is made, the hidden layer here,
 * by a sum over one source per target whose weights are the mask. */
struct masked {
    struct segments identity;
    float *keep; /* (nodes, hidden) 0 or 1 / (1 - p), on the device */
};

static struct masked masked;

static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    struct gcn_state *state = stage->state;
    struct ending first = pass_ending(pass, 1), last = pass_ending(pass, 2);
    struct tensor *H = pass_propagate(pass, 1, NULL, pass_parameter(pass, "W", 1), &first);
    struct tensor *keep = tape_parameter(pass->tape, H->rows, H->cols, masked.keep, NULL);
    struct tensor *kept = tape_segment_sum(pass->tape, &masked.identity, keep, H);
    struct tensor *O = pass_propagate(pass, 2, kept, pass_parameter(pass, "W", 2), &last);
    (void)g;
    tape_classify(pass->tape, &state->labels.part[SUPERVISED_TRAIN], O);
}

/* X (count) times the mask over the share that is kept. */
static void drop(const struct golden *g, float *X, const char *mask, const char *share)
{
    int64_t count;
    int32_t *keep = golden_ints(g, mask, &count);
    double kept = 1 - golden_scalar(g, share);
    for (int64_t i = 0; i < count; i++)
        X[i] = keep[i] ? (float)(X[i] / kept) : 0;
    memory_free(keep);
}

/* The file's graph with its labels; a split of its own names the rows that train. */
static struct graco_dataset *labelled(const struct golden *g)
{
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    int64_t nodes = data->graph->nodes, count;
    int32_t *train = golden_ints(g, "train", &count);
    data->label = golden_ints(g, "y", NULL);
    data->classes = golden_cols(g, "param.W2");
    CHECK_OK(memory_alloc(&data->split, nodes, sizeof *data->split));
    memset(data->split, SPLITS_VALIDATION, (size_t)nodes);
    for (int64_t i = 0; i < count; i++)
        data->split[train[i]] = SPLITS_TRAIN;
    memory_free(train);
    return data;
}

/* Segments of one source each: every node is its own. */
static void share(struct context *c, struct csr *rows, uint32_t **from, int64_t nodes)
{
    int32_t *node = NULL;
    CHECK_OK(memory_alloc(&node, nodes, sizeof *node));
    for (int64_t i = 0; i < nodes; i++)
        node[i] = (int32_t)i;
    CHECK_OK(csr_group(rows, nodes, nodes, node));
    CHECK_OK(memory_alloc(from, nodes, sizeof **from));
    memcpy(*from, node, (size_t)nodes * sizeof *node);
    memory_free(node);
    struct csr there = {.rows = nodes, .cols = nodes};
    CHECK_OK(context_share(c, &there.start, rows->start, nodes + 1, sizeof(int64_t)));
    CHECK_OK(context_share(c, &there.index, rows->index, nodes, sizeof(int32_t)));
    masked.identity = (struct segments){there, there, NULL, nodes, 1};
    CHECK_OK(context_share(c, &masked.identity.from, *from, nodes, sizeof **from));
}

/* The logits of the plain features, and the probabilities that a trained model gives. */
static void check_logits(const struct golden *g, struct trainer *trainer, struct stage *stage)
{
    struct pass pass = trainer_pass(trainer, stage);
    pass.grad = NULL;
    pass.training = false;
    pass.dropout = 0.5; /* counts in training alone */
    tape_reset(trainer->tape);
    struct tensor *O = encoder_run(&pass);
    CHECK_OK(tape_status(trainer->tape));
    CHECK_OK(context_finish(trainer->context));
    golden_compare_device(g, "", "logits_eval", trainer->context, O->data, O->rows * O->cols);
}

static void check_gcn(const struct golden *g)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stage *plain = NULL, *stage = NULL;
    struct graco_dataset *data = labelled(g), *dropped = labelled(g);
    graco_config config = golden_config(g, "gcn");
    struct csr rows = {0};
    uint32_t *from = NULL;
    uint8_t *part = NULL;
    float *keep = NULL;
    int64_t nodes = data->graph->nodes, hidden = golden_cols(g, "param.W1");
    config.hidden = hidden;
    config.protocol = GRACO_PROTOCOL_PUBLIC;
    drop(g, dropped->features.dense, "keepX", "drop_input");
    CHECK_OK(memory_alloc(&keep, nodes * hidden, sizeof *keep));
    for (int64_t i = 0; i < nodes * hidden; i++)
        keep[i] = 1;
    drop(g, keep, "keepH", "drop_hidden");
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    CHECK_OK(supervised_split(&part, &config, data));
    struct subject subject = {
        .context = trainer->context, .graph = data->graph, .data = data, .part = part};
    CHECK_OK(stage_create_graph(&plain, model, subject, &data->features));
    CHECK_OK(stage_create_graph(&stage, model, subject, &dropped->features));
    share(trainer->context, &rows, &from, nodes);
    CHECK_OK(context_share(trainer->context, &masked.keep, keep, nodes * hidden, sizeof *keep));
    check_logits(g, trainer, plain);
    golden_steps(g, trainer, stage, loss);
    context_unshare(trainer->context, masked.keep);
    context_unshare(trainer->context, masked.identity.entries.start);
    context_unshare(trainer->context, masked.identity.entries.index);
    context_unshare(trainer->context, masked.identity.from);
    stage_free(stage);
    stage_free(plain);
    trainer_free(trainer);
    graco_model_free(model);
    csr_clear(&rows);
    memory_free(from);
    memory_free(part);
    memory_free(keep);
    graco_dataset_free(dropped);
    graco_dataset_free(data);
}

int main(void)
{
    golden_each("gcn", check_gcn);
    return check_result();
}
