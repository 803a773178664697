/* Unsupervised GraphSAGE: what its batches are drawn from, embedding in chunks against the whole graph,
 * the same bits for any number of threads and after a stop, and a training that learns. */
#include "methods/sage.h"

#include "base/memory.h"
#include "fixture.h"
#include "train/whole.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const METHODS[] = {"sage_gcn", "sage_mean", "sage_pool", "sage_lstm"};
enum { METHODS_COUNT = 4 };

static graco_config config_of(const char *name)
{
    graco_config config = fixture_config(name, "hidden=16 batch=32 steps=6 epochs=1 fanout=4,5");
    config.units = 6;
    return config;
}

/* ---- Batches --------------------------------------------------------------------------------- */

enum { NODES = 7, BATCHES = 400, PAIRS = 250, NEGATIVES = 50 };

/* A star of 0 with leaves 1, 2, 3; an edge between 4 and 5; 6 has none. */
static struct graph *make_star(void)
{
    const int32_t source[] = {0, 0, 0, 4}, target[] = {1, 2, 3, 5};
    struct graph *graph = NULL;
    CHECK_OK(graph_create(&graph, NULL, NODES, 4, source, target, true));
    return graph;
}

/* The probability that a walk of `steps` from a node is at another, by the powers of D^-1 A. */
static void walk_matrix(double P[NODES][NODES], const struct graph *graph, int steps)
{
    for (int a = 0; a < NODES; a++)
        for (int b = 0; b < NODES; b++)
            P[a][b] = a == b;
    for (int s = 0; s < steps; s++) {
        double next[NODES][NODES] = {{0}};
        for (int a = 0; a < NODES; a++)
            for (int b = 0; b < NODES; b++)
                for (int64_t e = graph->out.start[b]; e < graph->out.start[b + 1]; e++)
                    next[a][graph->out.index[e]] +=
                        P[a][b] / (double)(graph->out.start[b + 1] - graph->out.start[b]);
        memcpy(P, next, sizeof next);
    }
}

static void batches_follow_their_distribution(void)
{
    struct graph *graph = make_star();
    struct walk_pairs batch = {.pairs = PAIRS, .negatives = NEGATIVES, .length = 5, .seed = 3};
    double wanted[NODES][NODES] = {{0}}, found[NODES][NODES] = {{0}}, total = 0;
    double noise[NODES] = {0}, noise_wanted[NODES] = {0}, weights = 0;
    for (int steps = 1; steps < 5; steps++) {
        double P[NODES][NODES];
        walk_matrix(P, graph, steps);
        for (int a = 0; a < NODES; a++)
            for (int b = 0; b < NODES; b++)
                wanted[a][b] += a == b ? 0 : P[a][b];
    }
    for (int a = 0; a < NODES; a++) {
        for (int b = 0; b < NODES; b++)
            total += wanted[a][b];
        noise_wanted[a] = pow((double)(graph->out.start[a + 1] - graph->out.start[a]), 0.75);
        weights += noise_wanted[a];
    }
    for (uint32_t step = 0; step < BATCHES; step++) {
        CHECK_OK(walk_pairs_draw(&batch, graph, step));
        for (int p = 0; p < PAIRS; p++)
            found[batch.roots[batch.place[p]]][batch.roots[batch.place[PAIRS + p]]] +=
                1.0 / (BATCHES * PAIRS);
        for (int n = 0; n < NEGATIVES; n++)
            noise[batch.roots[batch.place[2 * PAIRS + n]]] += 1.0 / (BATCHES * NEGATIVES);
    }
    for (int a = 0; a < NODES; a++) { /* five deviations of 1e5 and 2e4 draws */
        for (int b = 0; b < NODES; b++)
            CHECK(fabs(found[a][b] - wanted[a][b] / total) < 5 * sqrt(0.2 / (BATCHES * PAIRS)));
        CHECK(fabs(noise[a] - noise_wanted[a] / weights) < 5 * sqrt(0.25 / (BATCHES * NEGATIVES)));
    }
    walk_pairs_clear(&batch);
    graph_free(graph);
}

/* Roots are distinct and all of them are used; a batch is a function of seed and step. */
static void batches_are_functions_of_the_step(void)
{
    struct graph *graph = make_star();
    struct walk_pairs a = {.pairs = 9, .negatives = 3, .length = 5, .seed = 3}, b = a, c = a;
    bool used[NODES] = {false};
    CHECK_OK(walk_pairs_draw(&a, graph, 17));
    CHECK_OK(walk_pairs_draw(&b, graph, 18));
    CHECK_OK(walk_pairs_draw(&c, graph, 17));
    CHECK(a.count == c.count && memcmp(a.place, c.place, 21 * sizeof *a.place) == 0);
    CHECK(a.count != b.count || memcmp(a.place, b.place, 21 * sizeof *a.place) != 0);
    for (int i = 0; i < 21; i++) {
        CHECK(a.place[i] >= 0 && a.place[i] < a.count);
        used[a.place[i]] = true;
    }
    for (int64_t i = 0; i < a.count; i++)
        CHECK(used[i] && (i == 0 || a.roots[i] > a.roots[i - 1]));
    walk_pairs_clear(&a);
    walk_pairs_clear(&b);
    walk_pairs_clear(&c);
    graph_free(graph);
}

/* ---- Embedding ------------------------------------------------------------------------------- */

/* Chunks give what all rows at once give, over the graph or over the LSTM's sample of it. */
static void chunks_equal_whole(const char *name, bool dense)
{
    graco_dataset *data = fixture_data(.nodes = 9000, .classes = 4, .feature_count = 40,
                                       .dense = dense); /* more than one chunk */
    graco_config config = config_of(name);
    if (strcmp(name, "sage_lstm") == 0) /* all neighbours: the sample is the graph */
        memset(config.fanout, 0, sizeof config.fanout);
    embeds_as_whole(data, &config);
    graco_dataset_free(data);
}

/* ---- Training -------------------------------------------------------------------------------- */

static void threads_change_no_bit(const char *name)
{
    graco_dataset *data =
        fixture_data(.nodes = 500, .classes = 4, .feature_count = 40, .dense = true);
    graco_config config = config_of(name);
    graco_train_result result;
    graco_matrix first = {0};
    for (int threads = 1; threads <= 3; threads++) {
        config.threads = threads;
        graco_matrix Z = fixture_train(&result, data, &config);
        CHECK(result.steps == 6 && isfinite(result.loss));
        if (threads == 1)
            first = Z;
        CHECK(fixture_same(&Z, &first));
        if (threads > 1)
            graco_matrix_clear(&Z);
    }
    config.seed = 1;
    graco_matrix other = fixture_train(&result, data, &config);
    CHECK(!fixture_same(&other, &first));
    graco_matrix_clear(&first);
    graco_matrix_clear(&other);
    graco_dataset_free(data);
}

/* Asks to stop after some calls. */
static bool stop_soon(void *user, const graco_progress *progress)
{
    int *left = user;
    return progress->step < 3 || --*left > 0;
}

/* A training that was stopped within its epoch comes to the same as one that was not. */
static void stops_and_resumes(const char *name)
{
    const char *run = fixture_path("run");
    graco_dataset *data =
        fixture_data(.nodes = 500, .classes = 4, .feature_count = 40, .dense = true);
    graco_config config = config_of(name);
    graco_train_result result;
    graco_model *model = NULL;
    graco_matrix Z = {0};
    int left = 1;
    config.steps = 300;
    config.batch = 128;
    graco_matrix whole = fixture_train(&result, data, &config);
    graco_status status =
        graco_train(NULL, &result, data, &config,
                    &(graco_train_options){.run = run, .on_progress = stop_soon, .user = &left});
    CHECK(status == GRACO_OK || (status == GRACO_STOPPED && result.step > 0));
    if (status == GRACO_STOPPED)
        CHECK_OK(graco_train(&model, &result, data, &config,
                             &(graco_train_options){.run = run, .resume = true}));
    if (model) {
        CHECK_OK(graco_model_embed(&Z, model, data, &(graco_embed_options){.device = "cpu"}));
        CHECK(fixture_same(&Z, &whole));
    }
    fixture_remove(run);
    graco_model_free(model);
    graco_matrix_clear(&Z);
    graco_matrix_clear(&whole);
    graco_dataset_free(data);
}

static double dot(const graco_matrix *Z, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < Z->cols; j++)
        sum += (double)Z->data[a * Z->cols + j] * (double)Z->data[b * Z->cols + j];
    return sum;
}

/* The loss falls below that of all-zero products, and neighbours are closer than any two nodes. */
static void learns(const char *name)
{
    graco_dataset *data =
        fixture_data(.nodes = 600, .classes = 4, .feature_count = 40, .dense = true);
    graco_config config = config_of(name);
    graco_train_result result;
    const struct csr *in = &data->graph->in;
    double near = 0, any = 0, length = 0, before;
    config.steps = 10;
    graco_matrix Z = fixture_train(&result, data, &config);
    before = result.loss;
    graco_matrix_clear(&Z);
    config.epochs = 30;
    config.lr = 0.01;
    Z = fixture_train(&result, data, &config);
    CHECK(result.loss < before - 0.1);
    for (int64_t node = 0; node < Z.rows; node++) {
        length = fmax(length, fabs(dot(&Z, node, node) - 1));
        any += dot(&Z, node, (node * 7 + 1) % Z.rows) / (double)Z.rows;
        for (int64_t e = in->start[node]; e < in->start[node + 1]; e++)
            near += dot(&Z, node, in->index[e]) / (double)in->start[Z.rows];
    }
    CHECK(length < 1e-5 && near > any + 0.1);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

/* Many graphs, of which the training split is trained on; all of them are embedded. */
static void trains_on_the_split(const char *name, const char *like)
{
    graco_dataset *data = fixture_data(.like = like, .scale = 0.01);
    graco_config config = config_of(name);
    graco_train_result result;
    config.inductive = 1;
    graco_matrix Z = fixture_train(&result, data, &config);
    CHECK(Z.rows == data->graph->nodes && isfinite(result.loss));
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

/* A GPU gives the loss of the CPU. */
static void devices_agree(const char *name)
{
    const struct backend *cuda = NULL;
    graco_dataset *data =
        fixture_data(.nodes = 500, .classes = 4, .feature_count = 40, .dense = true);
    graco_config config = config_of(name);
    graco_train_result here, there;
    graco_matrix Z = {0};
    if (backend_find(&cuda, "cuda") == GRACO_OK) {
        config.precision = PRECISION_FP32;
        Z = fixture_train(&here, data, &config);
        graco_matrix_clear(&Z);
        config.device = DEVICE_CUDA;
        Z = fixture_train(&there, data, &config);
        graco_matrix_clear(&Z);
        CHECK(fabs(here.loss - there.loss) < 1e-4 * here.loss);
    }
    graco_dataset_free(data);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refuses(void)
{
    graco_dataset *data =
        fixture_data(.nodes = 50, .classes = 4, .feature_count = 40, .dense = true);
    const struct {
        const char *key, *value, *words;
    } wrong[] = {{"batch", "0", "trains on mini-batches"},
                 {"negatives", "0", "at least 1 of negatives"},
                 {"length", "1", "2 of length"},
                 {"hidden", "7", "needs an even number"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        graco_config config = config_of("sage_mean");
        CHECK_OK(graco_config_set(&config, wrong[i].key, wrong[i].value));
        CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                    wrong[i].words);
    }
    graco_dataset_free(data);
    struct dataset_parts parts = {.name = "bare", .nodes = 3};
    parts.features = (struct features){.rows = 3, .cols = 2};
    CHECK_OK(memory_zalloc(&parts.features.dense, 6, sizeof(float)));
    CHECK_OK(dataset_create(&data, &parts));
    graco_config config = config_of("sage_gcn");
    CHECK_FAILS(graco_train(NULL, NULL, data, &config, NULL), GRACO_ERROR_ARGUMENT,
                "method sage_gcn needs edges");
    graco_dataset_free(data);
}

int main(void)
{
    batches_follow_their_distribution();
    batches_are_functions_of_the_step();
    refuses();
    for (int i = 0; i < METHODS_COUNT; i++) {
        chunks_equal_whole(METHODS[i], true);
        chunks_equal_whole(METHODS[i], false);
        threads_change_no_bit(METHODS[i]);
        learns(METHODS[i]);
        trains_on_the_split(METHODS[i], "ppi");
        trains_on_the_split(METHODS[i], "reddit");
        devices_agree(METHODS[i]);
    }
    stops_and_resumes("sage_pool");
    return check_result();
}
