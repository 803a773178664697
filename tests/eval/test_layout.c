/* The layout: groups come apart, threads never count, and nodes that are alike, have no direction or no
 * company still get places. Its quality against an oracle that sorts. */
#include "eval/layout.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

enum { NODES = 300, COLS = 12, K = 15 };

static graco_matrix make_rows(int64_t rows, int64_t groups)
{
    graco_matrix Z = {rows, COLS, NULL};
    struct random_key key = {.seed = 4, .stream = RANDOM_GENERATE};
    CHECK_OK(memory_alloc(&Z.data, rows * COLS, sizeof *Z.data));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < COLS; c++)
            Z.data[i * COLS + c] = (float)random_normal(&key, (uint64_t)(i * COLS + c)) +
                                   (groups > 0 && i % groups == c ? 6.0f : 0);
    return Z;
}

/* Places (rows, 2) by the neighbours that graco finds. */
static float *lay_out(const graco_matrix *Z, int64_t k, int threads)
{
    graco_neighbours_options options = graco_neighbours_defaults();
    graco_neighbours found = {0};
    float *place = NULL;
    options.k = k;
    options.device = "cpu";
    CHECK_OK(memory_alloc(&place, 2 * Z->rows, sizeof *place));
    if (k > 0)
        CHECK_OK(graco_neighbours_find(&found, Z, &options));
    struct layout_neighbours near = {Z->rows, k, found.index, found.score};
    CHECK_OK(layout_fit(place, &near, &(struct layout_options){.threads = threads}));
    for (int64_t i = 0; i < 2 * Z->rows; i++)
        CHECK(isfinite(place[i]));
    graco_neighbours_clear(&found);
    return place;
}

static double apart(const float *place, int64_t i, int64_t j)
{
    return hypot((double)place[2 * i] - (double)place[2 * j],
                 (double)place[2 * i + 1] - (double)place[2 * j + 1]);
}

/* Two groups of which each node knows its own alone. */
static void cliques(void)
{
    enum { SIZE = 20, EACH = 10 };
    int64_t index[2 * SIZE][EACH];
    float score[2 * SIZE][EACH], place[4 * SIZE];
    double within = 0, between = INFINITY;
    for (int64_t i = 0; i < 2 * SIZE; i++)
        for (int64_t n = 0; n < EACH; n++) {
            index[i][n] = i / SIZE * SIZE + (i + n + 1) % SIZE;
            score[i][n] = 0.9f - 0.01f * (float)n;
        }
    struct layout_neighbours near = {2 * SIZE, EACH, &index[0][0], &score[0][0]};
    CHECK_OK(layout_fit(place, &near, &(struct layout_options){.threads = 1}));
    for (int64_t i = 0; i < 2 * SIZE; i++)
        for (int64_t j = 0; j < i; j++)
            if (i / SIZE == j / SIZE)
                within = fmax(within, apart(place, i, j));
            else
                between = fmin(between, apart(place, i, j));
    CHECK(within < between);
}

static void any_threads(void)
{
    graco_matrix Z = make_rows(1500, 5);
    float *one = lay_out(&Z, K, 1);
    struct layout_quality first = {0}, other = {0};
    CHECK_OK(layout_quality(&first, &Z, one, K, 100, 1));
    for (int threads = 2; threads <= 7; threads += 5) {
        float *many = lay_out(&Z, K, threads);
        CHECK(memcmp(one, many, (size_t)(2 * Z.rows) * sizeof *one) == 0);
        CHECK_OK(layout_quality(&other, &Z, many, K, 100, threads));
        CHECK(memcmp(&first, &other, sizeof first) == 0);
        memory_free(many);
    }
    memory_free(one);
    graco_matrix_clear(&Z);
}

/* So few nodes that there is little to lay out. */
static void few_nodes(void)
{
    for (int64_t nodes = 1; nodes <= 5; nodes++) {
        graco_matrix Z = make_rows(nodes, 0);
        float *place = lay_out(&Z, nodes - 1, 2);
        struct layout_quality quality = {0};
        for (int64_t i = 0; i < nodes; i++)
            for (int64_t j = 0; j < i; j++)
                CHECK(apart(place, i, j) > 0);
        CHECK_OK(layout_quality(&quality, &Z, place, K, 1000, 1));
        CHECK(nodes < 4 ? isnan(quality.continuity) : quality.continuity <= 1);
        memory_free(place);
        graco_matrix_clear(&Z);
    }
}

/* Rows that are all the same, and rows of zeros: the latter lie below all others, each in its place. */
static void odd_rows(void)
{
    enum { SAME = 40, ZEROS = 20 };
    graco_matrix Z = make_rows(NODES, 3);
    for (int64_t i = 1; i < SAME; i++)
        memcpy(Z.data + i * COLS, Z.data, COLS * sizeof *Z.data);
    memset(Z.data + SAME * COLS, 0, ZEROS * COLS * sizeof *Z.data);
    float *place = lay_out(&Z, K, 2);
    double highest = -INFINITY, lowest = INFINITY, closest = INFINITY;
    for (int64_t i = 0; i < NODES; i++) {
        bool zero = i >= SAME && i < SAME + ZEROS;
        if (zero)
            highest = fmax(highest, (double)place[2 * i + 1]);
        else
            lowest = fmin(lowest, (double)place[2 * i + 1]);
        for (int64_t j = SAME; zero && j < i; j++)
            closest = fmin(closest, apart(place, i, j));
    }
    CHECK(highest < lowest && closest > 0);
    memory_free(place);
    memset(Z.data, 0, NODES * COLS * sizeof *Z.data);
    place = lay_out(&Z, K, 2);
    CHECK(apart(place, 0, 1) > 0);
    memory_free(place);
    graco_matrix_clear(&Z);
}

/* ---- Quality --------------------------------------------------------------------------------- */

struct ranked {
    double distance;
    int64_t node;
};

static int by_distance(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Ranks (rows) of all nodes seen from node i, from 1; 0 for i. */
static void rank_nodes(int64_t *rank, const graco_matrix *Z, const float *place, int64_t i)
{
    struct ranked list[NODES];
    for (int64_t j = 0; j < Z->rows; j++) {
        double dot = 0, a = 0, b = 0;
        for (int64_t c = 0; c < COLS; c++) {
            double x = (double)Z->data[i * COLS + c], y = (double)Z->data[j * COLS + c];
            dot += x * y;
            a += x * x;
            b += y * y;
        }
        list[j] = (struct ranked){place ? apart(place, i, j) : -dot / sqrt(a * b), j};
        if (i == j)
            list[j].distance = -INFINITY;
    }
    qsort(list, (size_t)Z->rows, sizeof *list, by_distance);
    for (int64_t r = 0; r < Z->rows; r++)
        rank[list[r].node] = r;
}

static void quality_oracle(void)
{
    graco_matrix Z = make_rows(NODES, 4);
    float *place = lay_out(&Z, K, 2);
    struct layout_quality quality = {0};
    int64_t rank[NODES], seen[NODES];
    double trust = 0, continuity = 0, all = 2.0 / (NODES * K * (2.0 * NODES - 3 * K - 1));
    for (int64_t i = 0; i < NODES; i++) {
        rank_nodes(rank, &Z, NULL, i);
        rank_nodes(seen, &Z, place, i);
        for (int64_t j = 0; j < NODES; j++) {
            if (j != i && seen[j] <= K && rank[j] > K)
                trust += (double)(rank[j] - K);
            if (j != i && rank[j] <= K && seen[j] > K)
                continuity += (double)(seen[j] - K);
        }
    }
    CHECK_OK(layout_quality(&quality, &Z, place, K, NODES, 2));
    CHECK(fabs(quality.trustworthiness - (1 - all * trust)) < 1e-4);
    CHECK(fabs(quality.continuity - (1 - all * continuity)) < 1e-4);
    CHECK(quality.k == K && quality.sample == NODES);
    CHECK(quality.trustworthiness > 0.85 && quality.continuity > 0.85);
    memory_free(place);
    graco_matrix_clear(&Z);
}

int main(void)
{
    cliques();
    any_threads();
    few_nodes();
    odd_rows();
    quality_oracle();
    return check_result();
}
