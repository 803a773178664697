/* Plans for ranks: what they say is sent in an epoch is what the ranks of a training count, to the byte
 * and the message, for every rank of 1 to 8; what ranks read that read their rows alone. The ranks are threads of this
 * program. */
#include "check.h"
#include "fixture.h"

#include "base/memory.h"
#include "comm_threads.h"
#include "config/config.h"
#include "data/dataset.h"
#include "methods/method.h"

enum { EPOCHS = 2, RANKS_MOST = 8 };

static const struct setting {
    const char *keys;
    bool dense;
} settings[] = {
    {"hidden=16 objective=exact", false},
    {"hidden=16 objective=exact layers=1 activation=rrelu", true},
    {"hidden=12 objective=infonce encoder=sage activation=prelu", false},
    {"hidden=12 objective=infonce layers=1 memory=0", false},
    {"hidden=16 objective=moment correction=32", false},
    {"hidden=40 objective=moment layers=1 correction=32", true},
    {"hidden=16 objective=moment layers=3 encoder=sage_skip correction=7", true},
    {"hidden=8 objective=exact inductive=1", false},
};

/* Each rank is a thread with its own ranks of the program: this stands in comm_alone.c's place. */
static _Thread_local struct comm *here;

struct comm *comm_world(void)
{
    return here;
}

struct job {
    const graco_dataset *data;
    const graco_config *config;
    graco_train_result result[RANKS_MOST];
    graco_status status[RANKS_MOST];
};

static void train(struct comm *comm, void *argument)
{
    struct job *job = argument;
    here = comm->ranks > 1 ? comm : NULL;
    job->status[comm->rank] =
        graco_train(NULL, &job->result[comm->rank], job->data, job->config, NULL);
}

static graco_dataset *make_data(bool dense)
{
    return fixture_data(.nodes = 150, .feature_count = 30, .dense = dense);
}

static graco_config make_config(const char *keys)
{
    const struct method *method = NULL;
    graco_config config;
    CHECK_OK(method_find(&method, "grace"));
    pinned_config(&config, method);
    config.threads = 1;
    config.epochs = EPOCHS;
    CHECK_OK(config_apply(&config, keys));
    return config;
}

static void test_counts(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int ranks = 1; ranks <= RANKS_MOST; ranks++) {
            graco_dataset *data = make_data(settings[i].dense);
            graco_config config = make_config(settings[i].keys);
            struct job job = {.data = data, .config = &config};
            graco_rank_plan plan[RANKS_MOST];
            int64_t nodes = 0, sent = 0, read = 0;
            CHECK_OK(graco_plan_ranks(plan, ranks, data, &config));
            run_ranks(ranks, train, &job);
            here = NULL;
            for (int rank = 0; rank < ranks; rank++) {
                CHECK(job.status[rank] == GRACO_OK);
                CHECK(job.result[rank].sent_bytes == EPOCHS * plan[rank].sent_bytes);
                CHECK(job.result[rank].sent_messages == EPOCHS * plan[rank].sent_messages);
                CHECK(plan[rank].host_bytes > 0);
                CHECK(plan[rank].sent_bytes > 0 || ranks == 1);
                nodes += plan[rank].nodes;
                sent += plan[rank].sent_rows;
                read += plan[rank].read_rows;
            }
            CHECK(sent == read);
            CHECK(nodes == 150 || (config.inductive && nodes < 150));
            graco_dataset_free(data);
        }
}

/* Graphs without edges, of two nodes, and of as many nodes as ranks. */
static void test_corners(void)
{
    graco_config config = make_config("hidden=4");
    graco_rank_plan plan[RANKS_MOST];
    graco_dataset *data = NULL;
    graco_generate_options options = graco_generate_defaults();
    options.nodes = RANKS_MOST;
    options.classes = 2;
    options.degree = 0;
    options.feature_count = 3;
    CHECK_OK(graco_dataset_generate(&data, &options));
    CHECK_OK(graco_plan_ranks(plan, RANKS_MOST, data, &config));
    CHECK(plan[3].nodes == 1);
    CHECK(plan[3].read_rows == 0);
    CHECK_FAILS(graco_plan_ranks(plan, 0, data, &config), GRACO_ERROR_ARGUMENT,
                "0 ranks: expected 1 to 65536");
    CHECK_FAILS(graco_plan_ranks(plan, RANKS_MOST + 1, data, &config), GRACO_ERROR_ARGUMENT,
                "8 nodes for 9 ranks: expected at least one for each");
    config.batch = 4;
    CHECK_FAILS(graco_plan_ranks(plan, 2, data, &config), GRACO_ERROR_ARGUMENT,
                "plans over ranks do not count mini-batches: expected batch 0");
    config.batch = 0;
    config.epochs = 0;
    CHECK_OK(graco_plan_ranks(plan, 2, data, &config));
    CHECK(plan[0].sent_bytes == 0);
    graco_dataset_free(data);
    graco_dataset *features = make_data(true);
    graco_method_info info;
    for (int i = 0; graco_method_describe(&info, i);
         i++) { /* one rank trains what several do not */
        char text[96];
        bool grace = strcmp(info.name, "grace") == 0;
        config = fixture_config(info.name, "");
        config.epochs = config.epochs > 0;
        CHECK_OK(graco_plan_ranks(plan, 1, features, &config));
        snprintf(text, sizeof text, "method %s does not train over ranks; expected grace",
                 info.name);
        if (!grace)
            CHECK_FAILS(graco_plan_ranks(plan, 2, features, &config), GRACO_ERROR_ARGUMENT, text);
    }
    graco_dataset_free(features);
}

/* A rest of two nodes is a mini-batch, which three ranks cannot share; a rest of one joins the one before. */
static void test_rests(void)
{
    graco_dataset *data = make_data(true);
    for (int64_t batch = 148; batch < 150; batch++) {
        graco_config config = make_config("hidden=4 activation=elu");
        struct job job = {.data = data, .config = &config};
        config.batch = batch;
        run_ranks(3, train, &job);
        here = NULL;
        CHECK(job.status[0] == (batch == 148 ? GRACO_ERROR_ARGUMENT : GRACO_OK));
    }
    graco_dataset_free(data);
}

static graco_dataset *make_weighted(void)
{
    enum { NODES = 90, COLS = 5 };
    static int32_t source[NODES], target[NODES], label[NODES];
    static float weight[NODES], x[NODES][COLS];
    static uint8_t split[NODES];
    graco_dataset *data = NULL;
    for (int32_t i = 0; i < NODES; i++) {
        source[i] = i;
        target[i] = (7 * i + 1) % NODES;
        weight[i] = (float)(1 + i % 3);
        x[i][i % COLS] = 1;
        label[i] = i % 2;
        split[i] = i % 3;
    }
    graco_arrays arrays = {.nodes = NODES,
                           .source = GRACO_VECTOR(source, NODES),
                           .target = GRACO_VECTOR(target, NODES),
                           .edge_weight = GRACO_VECTOR(weight, NODES),
                           .x = GRACO_MATRIX(&x[0][0], NODES, COLS),
                           .y = GRACO_VECTOR(label, NODES),
                           .split = GRACO_VECTOR(split, NODES)};
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

struct fingerprints {
    char whole[GRACO_FINGERPRINT], own[RANKS_MOST][GRACO_FINGERPRINT];
};

static void read_rows(struct comm *comm, void *argument)
{
    const graco_load_options options = {.by_rows = true};
    struct fingerprints *read = argument;
    graco_dataset *data = NULL;
    here = comm;
    if (graco_dataset_load(&data, fixture_path("rows"), &options) == GRACO_OK)
        graco_dataset_fingerprint(read->own[comm->rank], data);
    graco_dataset_free(data);
    here = NULL;
}

/* What ranks read, each its own rows, is the data set to the bit. */
static void reads_rows(const graco_dataset *data)
{
    for (int ranks = 2; ranks <= 5; ranks++) {
        struct fingerprints read = {.whole = ""};
        CHECK_OK(graco_dataset_fingerprint(read.whole, data));
        run_ranks(ranks, read_rows, &read);
        for (int rank = 0; rank < ranks; rank++)
            CHECK(strcmp(read.own[rank], read.whole) == 0);
    }
}

/* A rank that reads its rows alone has, next to a step's memory, labels and the split of all nodes, and where it
 * divides rows anew, as inductive trainings do, its share of edges and features as they were read. */
static void test_rows(graco_dataset *made, int64_t bytes_of_edge, int64_t bytes_of_features)
{
    enum { RANKS = 3, PROGRAM = 32 << 20 };
    graco_dataset *data = NULL;
    graco_rank_plan plan[RANKS];
    CHECK_OK(graco_dataset_save(made, fixture_path("rows")));
    graco_dataset_free(made);
    CHECK_OK(graco_dataset_load(&data, fixture_path("rows"), NULL));
    reads_rows(data);
    int64_t all = 5 * data->graph->nodes;
    int64_t read = (bytes_of_edge * data->graph->edges + bytes_of_features) / RANKS;
    for (int inductive = 0; inductive < 2; inductive++) {
        graco_config config = make_config("hidden=64");
        config.inductive = inductive;
        CHECK_OK(graco_plan_ranks(plan, RANKS, data, &config));
        for (int rank = 0; rank < RANKS; rank++) {
            CHECK(plan[rank].by_rows);
            CHECK(plan[rank].host_bytes - plan[rank].own_bytes ==
                  PROGRAM + all + (inductive ? read : 0));
        }
    }
    fixture_remove(fixture_path("rows"));
    graco_dataset_free(data);
}

/* The same where ranks divide the nodes in an order of their own. */
static void test_order(graco_dataset *made)
{
    graco_dataset *data = NULL;
    int64_t nodes = made->graph->nodes;
    CHECK_OK(memory_alloc(&made->order, nodes, sizeof *made->order));
    for (int64_t i = 0; i < nodes; i++)
        made->order[i] = (int32_t)((7 * i + 3) % nodes);
    CHECK_OK(graco_dataset_save(made, fixture_path("rows")));
    graco_dataset_free(made);
    CHECK_OK(graco_dataset_load(&data, fixture_path("rows"), NULL));
    reads_rows(data);
    fixture_remove(fixture_path("rows"));
    graco_dataset_free(data);
}

int main(void)
{
    graco_dataset *words = make_data(false);
    test_counts();
    test_corners();
    test_rests();
    test_rows(words, 12, 8 * words->features.sparse.start[words->features.rows]);
    test_rows(make_weighted(), 20, 4 * 90 * 5);
    test_order(make_weighted());
    test_order(make_data(false));
    return check_result();
}
