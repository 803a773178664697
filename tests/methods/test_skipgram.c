/* Skip-gram beyond the golden vectors: the inner loop on rows of any width against double, the same bits
 * for any number of threads, and trainings that learn or have little to learn from. */
#include "methods/skipgram.h"
#include "methods/method.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "compute/cpu/loops.h"

/* ---- The inner loop -------------------------------------------------------------------------- */

/* The same pass in double. */
static void pass_slowly(double *U, double *V, const struct skipgram_pass *p, double *loss)
{
    double change[256], *u = NULL;
    for (int64_t at = 0; at <= p->count; at++) {
        bool input = at < p->count && p->word[at] & SKIPGRAM_INPUT;
        for (int64_t k = 0; u && k < p->d && (input || at == p->count); k++)
            u[k] += change[k];
        if (at == p->count)
            break;
        if (input) {
            u = U + (p->word[at] >> SKIPGRAM_SHIFT) * p->d;
            memset(change, 0, sizeof change);
            continue;
        }
        double *v = V + (p->word[at] >> SKIPGRAM_SHIFT) * p->d, x = 0, y = p->word[at] & 1;
        for (int64_t k = 0; k < p->d; k++)
            x += u[k] * v[k];
        *loss += log1p(exp((1 - 2 * y) * x));
        double step = (double)p->alpha * (y - 1 / (1 + exp(-x)));
        for (int64_t k = 0; k < p->d; k++) {
            change[k] += step * v[k];
            v[k] += step * u[k];
        }
    }
}

static void test_widths(void)
{
    enum { ROWS = 9, WORDS = 600, MOST = 160 };
    static const int64_t widths[] = {1, 15, 16, 17, 64, 100, 128, 130, MOST};
    static float U[ROWS * MOST], V[ROWS * MOST], change[MOST];
    static double exact_U[ROWS * MOST], exact_V[ROWS * MOST];
    const struct random_key key = {.seed = 5, .stream = RANDOM_WEIGHTS};
    uint32_t word[WORDS];
    for (int i = 0; i < WORDS; i++) { /* every fourth or so begins a group */
        uint32_t row = (uint32_t)random_below(&key, (uint64_t)i, ROWS),
                 draw = random_u32(&key, 9000 + (uint64_t)i);
        bool input = i == 0 || draw % 4 == 0;
        word[i] = row << SKIPGRAM_SHIFT | (input ? SKIPGRAM_INPUT : draw / 4 % 2);
    }
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int64_t d = widths[w];
        double loss = 0;
        for (int64_t i = 0; i < ROWS * d; i++) {
            exact_U[i] = (double)(U[i] = random_float(&key, (uint64_t)i) - 0.5f);
            exact_V[i] = (double)(V[i] = random_float(&key, (uint64_t)(5000 + i)) - 0.5f);
        }
        struct skipgram_pass pass = {U, V, d, 0.05f, word, WORDS, change};
        double ours = loops_choose()->skipgram(&pass, true);
        pass_slowly(exact_U, exact_V, &pass, &loss);
        CHECK(fabs(ours - loss) < 1e-5 * loss);
        CHECK(check_distance(U, exact_U, ROWS * d) < 1e-5);
        CHECK(check_distance(V, exact_V, ROWS * d) < 1e-5);
    }
}

/* Products so large that the sigmoid is 0 or 1 leave no number that is not finite. */
static void test_large_products(void)
{
    float U[128], V[256], change[128];
    const uint32_t word[] = {SKIPGRAM_INPUT, 1, 1u << SKIPGRAM_SHIFT};
    for (int k = 0; k < 128; k++) {
        U[k] = 100;
        V[k] = -100;
        V[128 + k] = 100;
    }
    struct skipgram_pass pass = {U, V, 128, 0.025f, word, 3, change};
    CHECK(isfinite(loops_choose()->skipgram(&pass, true)));
    CHECK(fabsf(V[0] - (-100 + 0.025f * 100)) < 1e-4f);
    CHECK(fabsf(V[128] - (100 - 0.025f * 100)) < 1e-4f);
    CHECK(fabsf(U[0] - (100 - 0.025f * 200)) < 1e-4f);
}

/* ---- Trainings ------------------------------------------------------------------------------- */

struct tables {
    float *U, *V;
    int64_t u_size, v_size;
    double first, last; /* mean losses of the first and the last epoch */
};

static void free_tables(struct tables *t)
{
    memory_free(t->U);
    memory_free(t->V);
}

static struct tables train(struct skipgram_options options, int threads)
{
    int64_t nodes = options.walks.graph->nodes;
    const struct random_key key = {.seed = 1, .stream = RANDOM_WEIGHTS};
    struct tables t = {.u_size = nodes * options.d,
                       .v_size = skipgram_outputs(nodes, options.negatives) * options.d};
    struct skipgram *s = NULL;
    int64_t steps = skipgram_steps(&options);
    double loss;
    options.threads = threads;
    CHECK_OK(memory_alloc(&t.U, t.u_size, sizeof *t.U));
    CHECK_OK(memory_zalloc(&t.V, t.v_size, sizeof *t.V));
    for (int64_t i = 0; i < t.u_size; i++)
        t.U[i] = (random_float(&key, (uint64_t)i) - 0.5f) / (float)options.d;
    CHECK_OK(skipgram_create(&s, &options));
    for (int64_t step = 0; step < options.epochs * steps; step++) {
        CHECK_OK(skipgram_step(s, t.U, t.V, step, &loss));
        t.first += step < steps ? loss / (double)steps : 0;
        t.last += step >= (options.epochs - 1) * steps ? loss / (double)steps : 0;
    }
    skipgram_free(s);
    return t;
}

static struct skipgram_options small_options(const struct graph *graph, int64_t negatives)
{
    return (struct skipgram_options){.walks = {graph, 3, 20, 0.5, 2},
                                     .per_node = 4,
                                     .window = 4,
                                     .negatives = negatives,
                                     .epochs = 3,
                                     .d = 32,
                                     .alpha = 0.025};
}

/* Two rings with one edge between them, and a node apart. */
static struct graph *two_rings(int32_t ring)
{
    struct graph *graph = NULL;
    int32_t *source = NULL, *target = NULL;
    int64_t edges = 0;
    CHECK_OK(memory_alloc(&source, 4 * ring + 1, sizeof *source));
    CHECK_OK(memory_alloc(&target, 4 * ring + 1, sizeof *target));
    for (int32_t i = 0; i < 2 * ring; i++)
        for (int32_t far = 1; far <= 2; far++) {
            source[edges] = i;
            target[edges++] = i / ring * ring + (i % ring + far) % ring;
        }
    source[edges] = 0;
    target[edges++] = ring;
    CHECK_OK(graph_create(&graph, NULL, 2 * ring + 1, edges, source, target, true));
    memory_free(source);
    memory_free(target);
    return graph;
}

static void test_threads(void)
{
    struct graph *graph = two_rings(150);
    for (int64_t negatives = 0; negatives <= 5; negatives += 5) {
        struct skipgram_options options = small_options(graph, negatives);
        struct tables one = train(options, 1);
        for (int threads = 2; threads <= 9; threads = threads * 2 - 1) { /* 2, 3, 5, 9 */
            struct tables more = train(options, threads);
            CHECK(memcmp(one.U, more.U, (size_t)one.u_size * sizeof(float)) == 0);
            CHECK(memcmp(one.V, more.V, (size_t)one.v_size * sizeof(float)) == 0);
            CHECK(one.last == more.last);
            free_tables(&more);
        }
        CHECK(one.last < one.first);
        free_tables(&one);
    }
    graph_free(graph);
}

static double cosine(const float *a, const float *b, int64_t d)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t k = 0; k < d; k++) {
        ab += (double)a[k] * (double)b[k];
        aa += (double)a[k] * (double)a[k];
        bb += (double)b[k] * (double)b[k];
    }
    return ab / sqrt(aa * bb);
}

/* Neighbours on a ring are closer than nodes of different rings. */
static void test_learns(void)
{
    enum { RING = 40 };
    struct graph *graph = two_rings(RING);
    for (int64_t negatives = 0; negatives <= 5; negatives += 5) {
        struct skipgram_options options = small_options(graph, negatives);
        options.per_node = 20;
        options.epochs = 10;
        struct tables t = train(options, 2);
        double near = 0, far = 0;
        for (int64_t i = 0; i < RING; i++) {
            near += cosine(t.U + i * 32, t.U + (i + 1) % RING * 32, 32) / RING;
            far += cosine(t.U + i * 32, t.U + (RING + i) * 32, 32) / RING;
        }
        printf("%lld negatives: cosines %.2f and %.2f\n", (long long)negatives, near, far);
        CHECK(near > far + 0.3);
        free_tables(&t);
    }
    graph_free(graph);
}

/* One node, and nodes without edges: walks of one, no pairs, nothing changes. */
static void test_nothing_to_learn(void)
{
    for (int64_t nodes = 1; nodes <= 3; nodes++)
        for (int64_t negatives = 0; negatives <= 5; negatives += 5) {
            struct graph *graph = NULL;
            CHECK_OK(graph_create(&graph, NULL, nodes, 0, NULL, NULL, true));
            struct tables t = train(small_options(graph, negatives), 2);
            CHECK(t.first == 0 && t.last == 0 && t.V[0] == 0);
            free_tables(&t);
            graph_free(graph);
        }
}

/* A table of vectors lies in the host's memory: whatever devices there are, it is trained and read by the
 * CPU. */
static void test_device(void)
{
    static const char *const names[] = {"deepwalk", "node2vec"};
    for (int i = 0; i < 2; i++) {
        const struct method *method = NULL;
        const struct backend *backend = NULL;
        CHECK_OK(method_find(&method, names[i]));
        CHECK_OK(method_backend(&backend, method, "auto"));
        CHECK(backend == &backend_cpu);
        CHECK_FAILS(method_backend(&backend, method, "cuda"), GRACO_ERROR_ARGUMENT, names[i]);
    }
}

int main(void)
{
    test_device();
    test_widths();
    test_large_products();
    test_threads();
    test_learns();
    test_nothing_to_learn();
    return check_result();
}
