/* What training and evaluation cost as their data grow along one axis: the time for n, 2n and 4n of
 * something must grow about as fast. An exponent of 1 is linear, 2 is quadratic. */
#include "base/memory.h"
#include "check.h"
#include "data/dataset.h"
#include "fixture.h"

#include <math.h>
#include <time.h>

enum { ROUNDS_LEAST = 2, ROUNDS_MOST = 12 };

static const double most_exponent = 1.5;

/* Processor time, not wall time: other programs may run. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `graphs` graphs of `nodes` nodes each: rings, or stars around their first node. Every node has
 * one of `cols` features. With a split every second node of a graph is for training. */
struct shape {
    int64_t graphs, nodes, cols, epochs;
    bool stars, split;
    int64_t together; /* graphs of a step; 0: one, with the objective that is linear in the nodes */
    const char *method; /* NULL: grace */
    int64_t classes;    /* 0: two */
};

static struct graco_dataset *make(const struct shape *shape)
{
    int64_t nodes = shape->graphs * shape->nodes;
    struct dataset_parts parts = {
        .name = "made", .nodes = nodes, .edges = nodes, .undirected = true};
    struct graco_dataset *data = NULL;
    CHECK_OK(memory_alloc(&parts.source, nodes, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.target, nodes, sizeof(int32_t)));
    CHECK_OK(memory_alloc(&parts.graph_id, nodes, sizeof(int32_t)));
    if (shape->split)
        CHECK_OK(memory_alloc(&parts.split, nodes, sizeof(uint8_t)));
    CHECK_OK(memory_alloc(&parts.label, nodes, sizeof *parts.label));
    parts.classes = shape->classes ? shape->classes : 2;
    struct csr X = {0};
    CHECK_OK(csr_alloc(&X, nodes, shape->cols, nodes, true));
    for (int64_t i = 0; i < nodes; i++) {
        int64_t first = i / shape->nodes * shape->nodes;
        parts.source[i] = (int32_t)i;
        parts.target[i] = (int32_t)(shape->stars ? first : first + (i - first + 1) % shape->nodes);
        parts.graph_id[i] = (int32_t)(i / shape->nodes);
        parts.label[i] = (int32_t)(i / 3 % parts.classes);
        if (shape->split)
            parts.split[i] = i % 2 == 0 ? 0 : 2;
        X.start[i + 1] = i + 1;
        X.index[i] = (int32_t)(i * 7919 % shape->cols);
        X.value[i] = 1;
    }
    parts.features = features_of(X);
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* One training; seconds. */
static double time_training(const struct shape *shape, const struct graco_dataset *data)
{
    graco_config config;
    const struct method *method = NULL;
    CHECK_OK(method_find(&method, shape->method ? shape->method : "grace"));
    pinned_config(&config, method);
    config.objective = shape->together ? OBJECTIVE_EXACT : OBJECTIVE_MOMENT;
    config.graphs = shape->together ? shape->together : 1;
    config.hidden = 4;
    config.device = DEVICE_CPU;
    config.threads = 1;
    config.epochs = shape->epochs;
    config.inductive = shape->split;
    double begin = seconds();
    CHECK_OK(graco_train(NULL, NULL, data, &config, NULL));
    return seconds() - begin;
}

/* The same of an evaluation, where there is nothing to train, by embeddings that hold the binary digits of the class. */
static double time_evaluation(const struct shape *shape, const struct graco_dataset *data)
{
    enum { WIDTH = 16 };
    graco_matrix Z = {.rows = shape->graphs * shape->nodes, .cols = WIDTH};
    graco_eval_result result = {0};
    CHECK_OK(memory_alloc(&Z.data, Z.rows * Z.cols, sizeof *Z.data));
    for (int64_t i = 0; i < Z.rows * WIDTH; i++)
        Z.data[i] = (float)(i / WIDTH / 3 % shape->classes >> i % WIDTH & 1);
    double begin = seconds();
    CHECK_OK(graco_evaluate(&result, &Z, data, &(graco_eval_options){.splits = 1}));
    double taken = seconds() - begin;
    graco_eval_result_clear(&result);
    graco_matrix_clear(&Z);
    return taken;
}

/* The least of several times, for what else the machine does only adds; of all sizes in turn, for it may be slower
 * for a while; and as often as that says something new. */
static void test_axis(const char *name, const struct shape shapes[3])
{
    struct graco_dataset *data[3];
    double time[3] = {INFINITY, INFINITY, INFINITY}, exponent = INFINITY;
    for (int i = 0; i < 3; i++)
        data[i] = make(&shapes[i]);
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (round >= ROUNDS_LEAST && exponent < most_exponent)
            break;
        for (int i = 0; i < 3; i++)
            time[i] = fmin(time[i], shapes[i].epochs > 0 ? time_training(&shapes[i], data[i])
                                                         : time_evaluation(&shapes[i], data[i]));
        exponent = log2(time[2] / time[0]) / 2;
    }
    printf("%s: %.3f, %.3f, %.3f s: exponent %.2f\n", name, time[0], time[1], time[2], exponent);
    CHECK(exponent < most_exponent);
    for (int i = 0; i < 3; i++)
        graco_dataset_free(data[i]);
}

/* Graphs of few nodes with very many features: memory for graphs times features would be
 * `times` x 470 MB. */
static void test_memory(int64_t times)
{
    int64_t before = graco_peak_memory();
    const struct shape shape = {.graphs = 450 * times, .nodes = 4, .cols = 65536, .epochs = 1};
    struct graco_dataset *data = make(&shape);
    graco_config config;
    preset_config(&config, NULL);
    config.hidden = 1;
    config.device = DEVICE_CPU;
    config.threads = 1;
    config.epochs = shape.epochs;
    CHECK_OK(graco_train(NULL, NULL, data, &config, NULL));
    int64_t grown = graco_peak_memory() - before;
    printf("%lld graphs of 4 nodes, 65536 features: %lld MB\n", (long long)shape.graphs,
           (long long)grown >> 20);
    CHECK(grown < (times * 200) << 20);
    graco_dataset_free(data);
}

/* `test_scaling TIMES`: data that are so many times as large, as test_scaling_long.sh has them. */
int main(int argc, char **argv)
{
    const int64_t t = argc > 1 ? atoi(argv[1]) : 1;
    test_memory(t);
    /* graphs, nodes, features, epochs */
    test_axis("graphs, 64 a step", (struct shape[]){{5000 * t, 4, 8, 1, .together = 64},
                                                    {10000 * t, 4, 8, 1, .together = 64},
                                                    {20000 * t, 4, 8, 1, .together = 64}});
    test_axis("graphs", (struct shape[]){{500 * t, 4, 8, 1, .method = "grace"},
                                         {1000 * t, 4, 8, 1, .method = "grace"},
                                         {2000 * t, 4, 8, 1, .method = "grace"}});
    test_axis("graphs with a split", (struct shape[]){{500 * t, 8, 8, 1, .split = true},
                                                      {1000 * t, 8, 8, 1, .split = true},
                                                      {2000 * t, 8, 8, 1, .split = true}});
    test_axis("graphs with labels", (struct shape[]){{1000 * t, 4, 8, 1, .method = "gcn"},
                                                     {2000 * t, 4, 8, 1, .method = "gcn"},
                                                     {4000 * t, 4, 8, 1, .method = "gcn"}});
    test_axis("features", (struct shape[]){{1, 4000, 1000 * t, 2, .method = "grace"},
                                           {1, 4000, 2000 * t, 2, .method = "grace"},
                                           {1, 4000, 4000 * t, 2, .method = "grace"}});
    test_axis("epochs", (struct shape[]){{1, 500, 8, 10 * t, .method = "grace"},
                                         {1, 500, 8, 20 * t, .method = "grace"},
                                         {1, 500, 8, 40 * t, .method = "grace"}});
    test_axis("hubs", (struct shape[]){{1, 2500 * t, 8, 4, .stars = true},
                                       {1, 5000 * t, 8, 4, .stars = true},
                                       {1, 10000 * t, 8, 4, .stars = true}});
    test_axis("classes", (struct shape[]){{1, 8000 * t, 8, 4, .method = "gcn", .classes = 100},
                                          {1, 8000 * t, 8, 4, .method = "gcn", .classes = 200},
                                          {1, 8000 * t, 8, 4, .method = "gcn", .classes = 400}});
    test_axis("classes of an evaluation", (struct shape[]){{1, 4000 * t, 8, 0, .classes = 100},
                                                           {1, 4000 * t, 8, 0, .classes = 200},
                                                           {1, 4000 * t, 8, 0, .classes = 400}});
    return check_result();
}
