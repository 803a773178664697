/* Neighbours against all products in double, and what is refused. The kernel is held against its scalar
 * reference over shapes at the edges of panels, blocks and slabs. */
#include "check.h"

#include "base/random.h"
#include "compute/context.h"
#include "reference/reference.h"

#include <stdlib.h>

static graco_matrix draw(int64_t rows, int64_t cols, uint64_t seed)
{
    const struct random_key key = {.seed = seed, .stream = RANDOM_GENERATE};
    graco_matrix Z = {rows, cols, malloc((size_t)(rows * cols) * sizeof(float))};
    for (int64_t i = 0; i < rows * cols; i++)
        Z.data[i] = random_float(&key, (uint64_t)i) - 0.5f;
    return Z;
}

/* ---- The kernel -------------------------------------------------------------------------------- */

/* The lists of a search on a back end; the caller frees them. */
static uint64_t *search(const struct backend *backend, int threads, struct neighbour_search s)
{
    struct context *context = NULL;
    s.best = malloc((size_t)(s.asked * s.k) * sizeof *s.best);
    CHECK_OK(context_create(&context, backend, threads, 0));
    CHECK_OK(context->kernels->neighbours(context, &s));
    CHECK_OK(context_finish(context));
    context_free(context);
    return s.best;
}

/* Small whole numbers have exact products and many ties: every back end must give the same lists. */
static void round_numbers(graco_matrix *Z, float *scale)
{
    for (int64_t i = 0; i < Z->rows * Z->cols; i++)
        Z->data[i] = rintf(4 * Z->data[i]);
    for (int64_t i = 0; i < Z->rows; i++)
        scale[i] = 1;
}

static void test_kernel(const struct backend *tested, int64_t n, int64_t d, int64_t k,
                        int64_t memory)
{
    graco_matrix Z = draw(n, d, 1);
    float *scale = malloc((size_t)n * sizeof *scale);
    int32_t *list = malloc((size_t)n * sizeof *list);
    round_numbers(&Z, scale);
    for (int64_t i = 0; i < n; i++)
        list[i] = (int32_t)(n - 1 - i);
    struct neighbour_search s = {n, d, k, Z.data, scale, n, NULL, memory, NULL};
    for (int part = 0; part < 3; part++) { /* all; all by name, in another order; few */
        s.list = part > 0 ? list : NULL;
        s.asked = part < 2 ? n : 1 + n / 3;
        uint64_t *wanted = search(&backend_reference, 1, s);
        for (int threads = 1; threads <= 3; threads++) {
            uint64_t *found = search(tested, threads, s);
            bool same = true;
            for (int64_t i = 0; i < s.asked * k; i++)
                same = same && found[i] == wanted[i];
            CHECK(same);
            free(found);
        }
        free(wanted);
    }
    free(list);
    free(scale);
    free(Z.data);
}

static void test_kernels(const struct backend *tested)
{
    static const int64_t n[] = {2, 3, 63, 64, 65, 191, 192, 193, 700};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        test_kernel(tested, n[i], 5, 1, 1 << 30);
        test_kernel(tested, n[i], 17, n[i] > 10 ? 10 : n[i] - 1, 1 << 30);
        test_kernel(tested, n[i], 3, n[i] - 1, 1); /* slabs of one block, whole lists */
    }
    test_kernel(tested, 300, 600, 4, 1 << 30); /* deeper than the near cache */
    test_kernel(tested, 1000, 8, 7, 400 * 8 * 4);
}

/* ---- The call ---------------------------------------------------------------------------------- */

static double cosine(const graco_matrix *Z, int64_t a, int64_t b)
{
    double ab = 0, aa = 0, bb = 0;
    for (int64_t j = 0; j < Z->cols; j++) {
        double x = (double)Z->data[a * Z->cols + j], y = (double)Z->data[b * Z->cols + j];
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Scores are right, fall, and no node that was left out has a higher one. */
static void check_lists(const graco_neighbours *found, const graco_matrix *Z)
{
    bool right = true, falling = true, complete = true;
    for (int64_t i = 0; i < found->count; i++) {
        const int64_t *index = found->index + i * found->k;
        const float *score = found->score + i * found->k;
        uint8_t *listed = calloc((size_t)Z->rows, 1);
        listed[found->node[i]] = 1;
        for (int64_t c = 0; c < found->k; c++) {
            right = right && !listed[index[c]] &&
                    fabs(cosine(Z, found->node[i], index[c]) - (double)score[c]) < 1e-6;
            falling = falling && (c == 0 || score[c] < score[c - 1] ||
                                  (score[c] == score[c - 1] && index[c] > index[c - 1]));
            listed[index[c]] = 1;
        }
        for (int64_t j = 0; j < Z->rows; j++)
            complete = complete && (listed[j] || cosine(Z, found->node[i], j) <=
                                                     (double)score[found->k - 1] + 1e-6);
        free(listed);
    }
    CHECK(right);
    CHECK(falling);
    CHECK(complete);
}

static void test_cosines(void)
{
    graco_matrix Z = draw(400, 33, 2);
    graco_neighbours found = {0}, again = {0};
    graco_neighbours_options options = graco_neighbours_defaults();
    const int64_t nodes[] = {399, 0, 7, 7};
    for (int64_t j = 0; j < Z.cols; j++) {
        Z.data[3 * Z.cols + j] = 0;                              /* a row of zeros */
        Z.data[5 * Z.cols + j] = 2 * Z.data[9 * Z.cols + j];     /* one direction */
        Z.data[6 * Z.cols + j] = 1e30f * Z.data[9 * Z.cols + j]; /* lengths that differ much */
        Z.data[8 * Z.cols + j] = 1e-30f * Z.data[9 * Z.cols + j];
    }
    CHECK_OK(graco_neighbours_find(&found, &Z, NULL));
    CHECK(found.count == 400 && found.k == 10 && found.nodes == 400 && found.zero_rows == 1);
    check_lists(&found, &Z);
    CHECK(found.index[9 * 10] == 5 && found.index[9 * 10 + 1] == 6 && found.index[9 * 10 + 2] == 8);
    CHECK(found.score[9 * 10] == 1);
    /* Everything ties with a row of zeros: the lowest rows, but for itself. */
    for (int64_t c = 0; c < 10; c++)
        CHECK(found.index[3 * 10 + c] == c + (c >= 3) && found.score[3 * 10 + c] == 0);
    options.nodes = nodes;
    options.count = 4;
    options.memory = 1;
    options.threads = 1;
    CHECK_OK(graco_neighbours_find(&again, &Z, &options));
    for (int64_t i = 0; i < 4; i++) {
        CHECK(again.node[i] == nodes[i]);
        CHECK(memcmp(again.index + i * 10, found.index + nodes[i] * 10, 10 * sizeof(int64_t)) == 0);
        CHECK(memcmp(again.score + i * 10, found.score + nodes[i] * 10, 10 * sizeof(float)) == 0);
    }
    graco_neighbours_clear(&again);
    graco_neighbours_clear(&found);
    free(Z.data);
}

/* Inner products: the longest rows are everybody's neighbours, and numbers near the ends of float32 neither
 * overflow nor vanish. */
static void test_inner(float factor)
{
    graco_matrix Z = draw(100, 4, 3);
    graco_neighbours found = {0};
    graco_neighbours_options options = graco_neighbours_defaults();
    options.metric = "inner";
    options.k = 99;
    for (int64_t i = 0; i < 400; i++)
        Z.data[i] = factor * (Z.data[i] + 0.6f);
    CHECK_OK(graco_neighbours_find(&found, &Z, &options));
    for (int64_t i = 0; i < 100; i++)
        for (int64_t c = 1; c < 99; c++) {
            double before = 0, now = 0;
            for (int64_t j = 0; j < 4; j++) {
                before +=
                    (double)Z.data[4 * i + j] * (double)Z.data[4 * found.index[99 * i + c - 1] + j];
                now += (double)Z.data[4 * i + j] * (double)Z.data[4 * found.index[99 * i + c] + j];
            }
            CHECK(now <= before * (1 + 1e-6));
        }
    graco_neighbours_clear(&found);
    free(Z.data);
}

static void test_refused(void)
{
    graco_matrix Z = draw(20, 3, 4), one = {1, 3, Z.data}, flat = {20, 0, Z.data};
    graco_neighbours found = {0};
    graco_neighbours_options options = graco_neighbours_defaults();
    const int64_t nodes[] = {3, 20}, below[] = {-1};
#define REFUSED(matrix, code, part)                                                                \
    CHECK_FAILS(graco_neighbours_find(&found, matrix, &options), code, part);                      \
    options = graco_neighbours_defaults()
    options.k = 20;
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "expected 1 to 19");
    options.k = 0;
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "expected 1 to 19");
    REFUSED(&one, GRACO_ERROR_ARGUMENT, "expected 2 nodes or more");
    REFUSED(&flat, GRACO_ERROR_ARGUMENT, "and a column");
    options.metric = "euclid";
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "expected cosine or inner");
    options.nodes = nodes;
    options.count = 2;
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "there is no node 20");
    options.nodes = below;
    options.count = 1;
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "there is no node -1");
    options.memory = 0;
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "expected at least 1");
    options.device = "abacus";
    REFUSED(&Z, GRACO_ERROR_ARGUMENT, "abacus");
    Z.data[3 * 3 + 1] = NAN;
    REFUSED(&Z, GRACO_ERROR_NUMBER, "node 3 has the value nan in column 1");
    Z.data[3 * 3 + 1] = INFINITY;
    REFUSED(&Z, GRACO_ERROR_NUMBER, "node 3 has the value inf");
#undef REFUSED
    CHECK(!found.node && !found.index && !found.score);
    free(Z.data);
}

int main(void)
{
    const struct backend *gpu = NULL;
    test_kernels(&backend_cpu);
    if (backend_find(&gpu, "cuda") == GRACO_OK)
        test_kernels(gpu);
    else
        printf("left out: the GPU's lists of neighbours: %s\n", graco_message());
    test_cosines();
    test_inner(1);
    test_inner(1e18f);
    test_inner(1e-18f);
    test_inner(1e25f); /* products that no float holds are compared none the less */
    test_inner(1e-25f);
    test_refused();
    return check_result();
}
