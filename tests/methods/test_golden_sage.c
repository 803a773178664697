/* Golden vectors of unsupervised GraphSAGE: a given sample, given pairs and negatives. */
#include "golden.h"
#include "layers/encoder.h"
#include "layers/stock.h"
#include "methods/sage.h"

enum { HOPS = 2 };

/* The file's sample, in arrays of its own. */
static struct sample make_sample(const struct golden *g)
{
    struct sample sample = {.hops = HOPS};
    int64_t counts, rows, edges;
    int32_t *count = golden_ints(g, "count", &counts);
    CHECK(counts == HOPS + 1);
    sample.nodes = golden_ints(g, "nodes", NULL);
    for (int h = 0; h <= HOPS; h++)
        sample.count[h] = count[h];
    for (int h = 0; h < HOPS; h++) {
        struct graph *hop = &sample.hop[h];
        char name[GOLDEN_NAME];
        snprintf(name, sizeof name, "hop%d_ptr", h);
        int32_t *start = golden_ints(g, name, &rows);
        snprintf(name, sizeof name, "hop%d_src", h);
        hop->in.index = golden_ints(g, name, &edges);
        CHECK(rows == count[h] + 1 && start[rows - 1] == edges);
        hop->nodes = hop->in.rows = count[h];
        hop->sources = hop->in.cols = count[h + 1];
        hop->edges = edges;
        CHECK_OK(memory_alloc(&hop->in.start, rows, sizeof(int64_t)));
        for (int64_t i = 0; i < rows; i++)
            hop->in.start[i] = start[i];
        CHECK_OK(csr_transpose(&hop->out, &hop->out_edge, &hop->in));
        memory_free(start);
    }
    memory_free(count);
    return sample;
}

/* Pairs (P, 2) and negatives of the file in the place of drawn ones. */
static void give_pairs(const struct golden *g, struct walk_pairs *batch, int64_t roots)
{
    int64_t numbers;
    int32_t *pairs = golden_ints(g, "pairs", &numbers);
    int32_t *negatives = golden_ints(g, "neg", &batch->negatives);
    batch->pairs = numbers / 2;
    batch->count = roots;
    CHECK_OK(memory_alloc(&batch->place, numbers + batch->negatives, sizeof(int32_t)));
    for (int64_t p = 0; p < batch->pairs; p++) {
        batch->place[p] = pairs[2 * p];
        batch->place[batch->pairs + p] = pairs[2 * p + 1];
    }
    memcpy(batch->place + numbers, negatives, (size_t)batch->negatives * sizeof *negatives);
    memory_free(pairs);
    memory_free(negatives);
}

static void loss(const struct golden *g, struct pass *pass, struct stage *stage)
{
    (void)g;
    sage_loss(pass, stage->state);
}

/* The rows after the last layer. */
static void check_rows(const struct golden *g, struct trainer *trainer, struct stage *stage)
{
    struct pass pass = trainer_pass(trainer, stage);
    tape_reset(trainer->tape);
    struct tensor *Z = encoder_run(&pass);
    CHECK_OK(tape_status(trainer->tape));
    golden_compare_device(g, "", "Z", trainer->context, Z->data, Z->rows * Z->cols);
}

static void check_named(const struct golden *g, const char *method, const char *last,
                        const char *inner)
{
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct stock *stock = NULL;
    struct stage *stage = NULL;
    struct graco_dataset *data = golden_dataset(g, "X", "edges");
    struct sample sample = make_sample(g);
    graco_config config = golden_config(g, method);
    config.hidden = golden_cols(g, "Z");
    CHECK(golden_cols(g, last) == (inner ? config.hidden / 2 : config.hidden));
    if (inner)
        config.units = golden_cols(g, inner) / (strcmp(inner, "param.Wx1") == 0 ? 4 : 1);
    CHECK_OK(model_create(&model, &config, model_sizes_of(data)));
    golden_set_parameters(g, &model->parameters);
    CHECK_OK(trainer_create(&trainer, g->backend, model));
    CHECK_OK(stock_create(&stock, trainer->context, &data->features));
    struct subject subject = {
        .context = trainer->context, .graph = data->graph, .data = data, .ids = sample.nodes};
    CHECK_OK(stage_create_sample(&stage, model, subject, &sample, stock));
    give_pairs(g, &((struct sage_state *)stage->state)->batch, sample.count[0]);
    check_rows(g, trainer, stage);
    golden_steps(g, trainer, stage, loss);
    stage_free(stage);
    stock_free(stock);
    trainer_free(trainer);
    graco_model_free(model);
    sample_clear(&sample);
    graco_dataset_free(data);
}

static void check_gcn(const struct golden *g)
{
    check_named(g, "sage_gcn", "param.W2", NULL);
}

static void check_mean(const struct golden *g)
{
    check_named(g, "sage_mean", "param.Wn2", "param.Wn1");
}

static void check_pool(const struct golden *g)
{
    check_named(g, "sage_pool", "param.Wn2", "param.Wp1");
}

static void check_lstm(const struct golden *g)
{
    check_named(g, "sage_lstm", "param.Wn2", "param.Wx1");
}

int main(void)
{
    golden_each("sage_gcn", check_gcn);
    golden_each("sage_mean", check_mean);
    golden_each("sage_pool", check_pool);
    golden_each("sage_lstm", check_lstm);
    return check_result();
}
