/* Small trainings whose numbers were known before: random numbers of every kind, the norms of mini-batches, costs of
 * validation, and which epoch is kept. Golden vectors begin from weights that a file has; these begin from a seed. */
#include "fixture.h"
#include "known.h"

enum { NODES = 120, DENSE = 10 };

enum kind { WORDS, ARROWS, GRAPHS, KINDS };

/* Settings as --set takes them, with spaces between; what three epochs gave. */
static const struct known {
    const char *method, *settings;
    enum kind kind;
    double loss, cost, best, sum;
} KNOWN[] = {
    {"grace", "hidden=8", WORDS, 5.45356, 0, 0, 4.66925},
    {"grace", "hidden=8 encoder=sage activation=prelu objective=infonce layers=1 scaling=rowsum",
     WORDS, 4.39618, 0, 0, 22.6969},
    {"grace",
     "hidden=8 encoder=sage_skip activation=elu objective=moment projection=6 correction=20", WORDS,
     5.64823, 0, 0, -7.97941},
    {"grace", "hidden=4 objective=moment correction=0 tau=0.05", ARROWS, 9.81776, 0, 0, 36.3985},
    {"grace", "hidden=8 encoder=gcn batch=40 fanout=4,3", WORDS, 4.36204, 0, 0, 7.98519},
    {"grace", "hidden=8 encoder=gcn batch=40 fanout=4,3 drop_edge_1=0 drop_edge_2=0", WORDS,
     4.35386, 0, 0, 9.81876},
    {"grace", "hidden=8 encoder=sage batch=40 fanout=3,0 drop_edge_1=0.5", WORDS, 4.24023, 0, 0,
     10.9866},
    {"grace", "hidden=8 encoder=sage_skip layers=3 batch=40 fanout=5,4,3 inductive=1", WORDS,
     2.63362, 0, 0, 62.9264},
    {"grace", "hidden=8 contaminate=0.4", WORDS, 5.43685, 0, 0, 4.89749},
    {"grace", "hidden=8 patience=2 node_features=spectral", WORDS, 6.53751, 0, 0, 12.6014},
    {"grace", "hidden=8 node_features=degree", ARROWS, 5.48902, 0, 0, 640.293},
    {"grace", "hidden=8 node_features=learned", ARROWS, 5.32689, 0, 0, 8.63966},
    {"grace", "hidden=8 node_features=walk", ARROWS, 5.24724, 0, 0, 13.6839},
    {"grace", "hidden=8 encoder=gcn", ARROWS, 6.31467, 0, 0, 210.408},
    {"grace", "hidden=8 encoder=sage batch=50 fanout=3,3", ARROWS, 4.56817, 0, 0, 359.364},
    {"grace", "hidden=8 encoder=sage_skip graphs=2", GRAPHS, 4.10185, 0, 0, 359.989},
    {"dgi", "hidden=8", WORDS, 0.694421, 0.693744, 1, 335.2},
    {"dgi", "hidden=8 batch=40 fanout=4,3 encoder=sage patience=2", WORDS, 0.69404, 0.692566, 2,
     216.955},
    {"dgi", "hidden=8 dropout=0.4", GRAPHS, 0.688102, 0.686251, 1, 133.146},
    {"gae", "hidden=8", WORDS, 0.711564, 0, 0, 57.2723},
    {"gae", "hidden=8 objective=sampled", ARROWS, 1.37978, 0, 0, -160.133},
    {"vgae", "hidden=8 layers=1", WORDS, 1.52158, 0, 0, -7.88363},
    {"fastgcn", "hidden=8 samples=9,12 precompute=0 rows=20 protocol=public", ARROWS, 1.35214,
     1.13099, 1, 180.127},
    {"vgae", "hidden=8", WORDS, 1.20397, 0, 0, 94.9088},
    {"deepwalk", "hidden=8 walks=2 length=8", WORDS, 4.93458, 0, 0, -23.5523},
    {"node2vec", "hidden=8 walks=2 length=8 p=0.5 q=2", ARROWS, 2.68645, 0, 0, 13.3707},
    {"sage_gcn", "hidden=8 steps=3", WORDS, 25.5164, 0, 0, -99.7821},
    {"sage_mean", "hidden=8 steps=3", ARROWS, 23.978, 0, 0, 113.811},
    {"sage_pool", "hidden=8 units=8 steps=3 batch=64", WORDS, 24.1044, 0, 0, 60.5831},
    {"sage_lstm", "hidden=8 units=8 steps=3 batch=64", WORDS, 22.2329, 0, 0, 116.411},
    {"gcn", "hidden=8 weight_decay=0.3", WORDS, 1.02681, 2.70343, 3, 179.718},
    {"gcn", "hidden=8 protocol=authors split=2 dropout=0", WORDS, 0.997247, 1.00596, 3, 179.97},
    {"gcn", "hidden=8 protocol=paper lr=0 weight_decay=0", ARROWS, 1.28526, 1.06784, 1, 180.231},
    {"sgc", "", ARROWS, 0, 0, 0, 546.822},
    {"propagate", "", ARROWS, 0, 0, 0, 273.521},
    {"propagate", "columns=5 reduce=signs", WORDS, 0, 0, 0, 79.9306},
    {"fastgcn", "hidden=8 protocol=paper", WORDS, 1.02424, 1.13411, 3, 179.598},
    {"gaan_mean", "protocol=paper hidden=8 inner=8", WORDS, 1.06057, 0.416667, 1, 180.202},
    {"gaan", "protocol=paper hidden=8 heads=2", WORDS, 0.836921, 0.583333, 1, 179.738},
};

/* The same nodes with dense features, some below 0, and weighted edges one way, or within three graphs alone. */
static graco_dataset *arranged(enum kind kind)
{
    static int32_t source[3 * NODES], target[3 * NODES], graph[NODES], label[NODES];
    static float x[NODES][DENSE], weight[3 * NODES];
    static uint8_t split[NODES];
    graco_arrays arrays = {.nodes = NODES};
    graco_dataset *data = NULL;
    int64_t count = 0;
    for (int32_t i = 0; i < NODES; i++) {
        graph[i] = i / (NODES / 3);
        label[i] = i % 3;
        split[i] = (uint8_t)(i % 5 < 3 ? 0 : i % 5 - 2);
        for (int32_t j = 0; j < DENSE; j++)
            x[i][j] = (float)((i * 31 + j * 17) % 23) / 23 - (j % 3 == 0 ? 0.8f : 0) + (j == i % 3);
        for (int32_t k = 1; k <= 3; k++) {
            int32_t to = kind == GRAPHS ? graph[i] * (NODES / 3) + (i * k + 7 * k) % (NODES / 3)
                                        : (i * k + 7 * k) % NODES;
            if (to == i)
                continue;
            source[count] = i;
            target[count] = to;
            weight[count++] = (float)k;
        }
    }
    arrays.source = GRACO_VECTOR(source, count);
    arrays.target = GRACO_VECTOR(target, count);
    arrays.x = GRACO_MATRIX(&x[0][0], NODES, DENSE);
    arrays.y = GRACO_VECTOR(label, NODES);
    arrays.split = GRACO_VECTOR(split, NODES);
    if (kind == GRAPHS)
        arrays.graph_id = GRACO_VECTOR(graph, NODES);
    else
        arrays.edge_weight = GRACO_VECTOR(weight, count);
    arrays.undirected = kind == GRAPHS;
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

static void check(const struct known *known, const graco_dataset *data)
{
    graco_config config = fixture_config(known->method, known->settings);
    graco_train_result result = {0};
    char what[320];
    if (config.epochs > 0)
        config.epochs = 3;
    graco_matrix Z = fixture_train(&result, data, &config);
    snprintf(what, sizeof what, "%s, %s on %d:", known->method, known->settings, (int)known->kind);
    check_known(what, isnan(result.loss) ? 0 : result.loss, known->loss, 2e-4);
    check_known(what, result.best_epoch > 0 ? result.best_cost : 0, known->cost, 2e-4);
    check_known(what, (double)result.best_epoch, known->best, 0);
    check_known(what, check_sum(Z.data, Z.rows * Z.cols), known->sum, 1e-3);
    graco_matrix_clear(&Z);
}

int main(void)
{
    graco_dataset *data[KINDS] = {fixture_data(.nodes = NODES, .classes = 3, .feature_count = 40),
                                  arranged(ARROWS), arranged(GRAPHS)};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        check(&KNOWN[i], data[KNOWN[i].kind]);
    for (int k = 0; k < KINDS; k++)
        graco_dataset_free(data[k]);
    return check_result();
}
