#include "base/random.h"
#include "check.h"
#include "data/dataset.h"

/* FNV-1a over the bytes of an array. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t dataset_digest(const graco_dataset *data)
{
    const struct graph *graph = data->graph;
    const struct features *X = &data->features;
    uint64_t hash = 0xcbf29ce484222325u;
    hash = digest(hash, graph->in.start, (size_t)(graph->nodes + 1) * 8);
    hash = digest(hash, graph->in.index, (size_t)graph->edges * 4);
    hash = digest(hash, data->label, (size_t)graph->nodes * 4);
    hash = digest(hash, data->split, (size_t)graph->nodes);
    if (X->dense)
        return digest(hash, X->dense, (size_t)(X->rows * X->cols) * 4);
    hash = digest(hash, X->sparse.start, (size_t)(X->rows + 1) * 8);
    return digest(hash, X->sparse.index, (size_t)X->sparse.start[X->rows] * 4);
}

static graco_dataset *make(const graco_generate_options *options)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_generate(&data, options));
    return data;
}

/* The same bits on every machine, forever: these numbers must not change. */
static void known_bits(void)
{
    graco_generate_options options = graco_generate_defaults();
    for (int dense = 0; dense < 2; dense++) {
        static const uint64_t expected[2] = {0x446d73fa179803da, 0x6e663bb6e2d9b24e};
        options.dense = dense;
        options.feature_count = dense ? 33 : 500;
        graco_dataset *data = make(&options);
        CHECK(dataset_digest(data) == expected[dense]);
        if (dataset_digest(data) != expected[dense])
            fprintf(stderr, "digest %d is 0x%llx\n", dense,
                    (unsigned long long)dataset_digest(data));
        options.seed++;
        graco_dataset *other = make(&options);
        CHECK(dataset_digest(other) != expected[dense]);
        options.seed--;
        graco_dataset_free(data);
        graco_dataset_free(other);
    }
}

static void known_likenesses(void)
{
    static const char *const names[] = {"reddit", "arxiv"};
    static const uint64_t expected[] = {0x809dce4e20f5754e, 0x7f7dc183798f8ca5};
    for (int i = 0; i < 2; i++) {
        graco_generate_options options = graco_generate_defaults();
        options.like = names[i];
        options.scale = 0.005;
        graco_dataset *data = make(&options);
        CHECK(dataset_digest(data) == expected[i]);
        if (dataset_digest(data) != expected[i])
            fprintf(stderr, "digest of %s is 0x%llx\n", names[i],
                    (unsigned long long)dataset_digest(data));
        graco_dataset_free(data);
    }
}

static void shape_of_default(void)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = make(&options);
    graco_dataset_info info = graco_dataset_describe(data);
    const struct graph *graph = data->graph;
    int64_t within = 0, largest = 0;
    for (int64_t t = 0; t < graph->nodes; t++) {
        int64_t degree = graph->in.start[t + 1] - graph->in.start[t];
        largest = degree > largest ? degree : largest;
        for (int64_t e = graph->in.start[t]; e < graph->in.start[t + 1]; e++)
            within += data->label[graph->in.index[e]] == data->label[t];
    }
    CHECK(info.nodes == 2000 && info.classes == 6 && info.feature_count == 500 && !info.directed);
    CHECK(fabs((double)info.edges / 2000 - 8) < 0.05);
    CHECK(fabs((double)within / (double)info.edges - 0.8) < 0.02);
    CHECK(largest > 40); /* skewed: a Poisson graph of this degree would have about 20 */
    CHECK(info.duplicates == 0 && info.self_loops == 0 && info.isolated < 40);
    CHECK(info.split_nodes[0] == 120 && info.split_nodes[1] == 500 && info.split_nodes[2] == 1000);
    graco_dataset_free(data);
}

/* Nearest class mean by cosine: means of the nodes i % 10 == 0, accuracy on the others. */
static double centroid_accuracy(const float *X, const int32_t *label, int64_t N, int64_t F,
                                int64_t classes)
{
    double *mean = calloc((size_t)(classes * F), sizeof *mean), right = 0, all = 0;
    for (int64_t i = 0; i < N; i += 10) {
        for (int64_t f = 0; f < F; f++)
            mean[label[i] * F + f] += X[i * F + f];
    }
    for (int64_t i = 0; i < N; i++) {
        double best = -1;
        int64_t guess = 0;
        for (int64_t c = 0; c < classes && i % 10; c++) {
            double dot = 0, size = 1e-30;
            for (int64_t f = 0; f < F; f++) {
                dot += X[i * F + f] * mean[c * F + f];
                size += mean[c * F + f] * mean[c * F + f];
            }
            if (dot / sqrt(size) > best) {
                best = dot / sqrt(size);
                guess = c;
            }
        }
        all += i % 10 != 0;
        right += i % 10 != 0 && guess == label[i];
    }
    free(mean);
    return right / all;
}

/* Words alone are neither useless nor enough, and neighbours help. */
static void difficulty(void)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = make(&options);
    int64_t N = options.nodes, F = options.feature_count;
    float *X = calloc((size_t)(N * F), sizeof *X), *P = calloc((size_t)(N * F), sizeof *P);
    const struct features *words = &data->features;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t k = words->sparse.start[i]; k < words->sparse.start[i + 1]; k++)
            X[i * F + words->sparse.index[k]] = 1;
    }
    for (int64_t i = 0; i < N; i++) {
        for (int64_t f = 0; f < F; f++)
            P[i * F + f] = X[i * F + f];
        for (int64_t e = data->graph->in.start[i]; e < data->graph->in.start[i + 1]; e++) {
            for (int64_t f = 0; f < F; f++)
                P[i * F + f] += X[(int64_t)data->graph->in.index[e] * F + f];
        }
    }
    double alone = centroid_accuracy(X, data->label, N, F, options.classes);
    double together = centroid_accuracy(P, data->label, N, F, options.classes);
    printf("nearest mean: words %.3f, with neighbours %.3f\n", alone, together);
    CHECK(alone > 0.45 && alone < 0.75 && together > alone + 0.1);
    free(X);
    free(P);
    graco_dataset_free(data);
}

static void dense_moments(void)
{
    graco_generate_options options = graco_generate_defaults();
    options.dense = true;
    options.feature_count = 16;
    graco_dataset *data = make(&options);
    double sum = 0, square = 0, count = (double)(options.nodes * options.feature_count);
    for (int64_t i = 0; i < options.nodes * options.feature_count; i++) {
        sum += data->features.dense[i];
        square += (double)data->features.dense[i] * data->features.dense[i];
    }
    /* Noise of variance 1 around means of 2.2 / sqrt(16) either way. */
    CHECK(fabs(square / count - (1 + 2.2 * 2.2 / 16)) < 0.03 && fabs(sum / count) < 0.4);
    graco_dataset_free(data);
}

static void odd_sizes(void)
{
    const graco_generate_options cases[] = {
        {.nodes = 1, .classes = 1, .feature_count = 1},
        {.nodes = 2, .classes = 2, .feature_count = 3, .degree = 1, .homophily = 0},
        {.nodes = 5, .classes = 5, .feature_count = 2, .degree = 4.5, .homophily = 1},
        {.nodes = 10, .classes = 1, .feature_count = 0, .degree = 3, .homophily = 0},
        {.nodes = 30,
         .classes = 3,
         .feature_count = 7,
         .degree = 25,
         .homophily = 0.5,
         .dense = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        graco_dataset *data = make(&cases[i]);
        graco_dataset_info info = graco_dataset_describe(data);
        CHECK(info.nodes == cases[i].nodes && info.classes == cases[i].classes);
        CHECK(info.feature_count == cases[i].feature_count);
        CHECK((double)info.edges <= (double)info.nodes * cases[i].degree);
        graco_dataset_free(data);
    }
}

static void refuses(void)
{
    graco_dataset *data = NULL;
    graco_generate_options options;
#define REFUSED(field, value, text)                                                                \
    options = graco_generate_defaults();                                                           \
    options.field = (value);                                                                       \
    CHECK_FAILS(graco_dataset_generate(&data, &options), GRACO_ERROR_ARGUMENT, text)
    REFUSED(nodes, 0, "0 nodes");
    REFUSED(nodes, -5, "-5 nodes");
    REFUSED(classes, 0, "0 classes");
    REFUSED(classes, 2001, "2001 classes: expected 1 to 2000");
    REFUSED(feature_count, -1, "-1 features");
    REFUSED(degree, -1, "degree of -1");
    REFUSED(degree, NAN, "degree of");
    REFUSED(degree, 2000, "degree of 2000");
    REFUSED(homophily, 1.5, "homophily of 1.5");
    REFUSED(nodes, (int64_t)INT32_MAX + 1, "2147483648 nodes: expected 1 to 2147483647");
    /* 16 exabytes of features: said before anything is drawn. */
    options = graco_generate_defaults();
    options.nodes = options.feature_count = INT32_MAX;
    options.dense = true;
    CHECK_FAILS(graco_dataset_generate(&data, &options), GRACO_ERROR_MEMORY,
                "takes at least 17179869");
    options = graco_generate_defaults();
    options.like = "reddit";
    options.scale = 1000;
    CHECK_FAILS(graco_dataset_generate(&data, &options), GRACO_ERROR_MEMORY, "like reddit");
    CHECK(data == NULL);
}

int main(void)
{
    known_bits();
    known_likenesses();
    shape_of_default();
    difficulty();
    dense_moments();
    odd_sizes();
    refuses();
    return check_result();
}
