/* Scores of noise that were known before: which C is chosen, on which nodes, and what random numbers are drawn. */
#include "data/dataset.h"
#include "data/links.h"
#include "eval/kmeans.h"
#include "eval/layout.h"
#include "eval/partition.h"
#include "eval/smooth.h"

#include "base/memory.h"
#include "base/random.h"
#include "fixture.h"
#include "known.h"

enum { NODES = 300, DIM = 8, PARTS = 4 };

static graco_matrix make_rows(int64_t rows, int64_t cols, uint64_t seed)
{
    graco_matrix X = {rows, cols, NULL};
    struct random_key key = {.seed = seed, .stream = RANDOM_GENERATE};
    CHECK_OK(memory_alloc(&X.data, rows * cols, sizeof *X.data));
    for (int64_t i = 0; i < rows * cols; i++)
        X.data[i] = (float)random_normal(&key, (uint64_t)i);
    return X;
}

/* Multiplies column j by 2^((j - DIM / 2) * 4), which rounds nothing. */
static void stretch(graco_matrix *Z)
{
    for (int64_t i = 0; i < Z->rows * Z->cols; i++)
        Z->data[i] = ldexpf(Z->data[i], (int)(i % Z->cols - DIM / 2) * 4);
}

/* The same nodes, each with two of four labels. */
static graco_dataset *with_several(const graco_dataset *data)
{
    static uint8_t several[NODES][4];
    graco_arrays arrays = graco_dataset_arrays(data);
    graco_dataset *made = NULL;
    for (int i = 0; i < NODES; i++)
        several[i][data->label[i]] = several[i][i % 4] = 1;
    arrays.y = GRACO_MATRIX(&several[0][0], NODES, 4);
    CHECK_OK(graco_dataset_create(&made, &arrays));
    return made;
}

/* Noise that says a little of the classes. */
static graco_matrix hints(const graco_dataset *data, uint64_t seed)
{
    graco_matrix Z = make_rows(NODES, DIM, seed);
    for (int64_t i = 0; i < NODES; i++)
        Z.data[i * DIM + data->label[i]] += 1.5f;
    return Z;
}

static void scores_of(const char *what, const graco_dataset *data, graco_matrix *Z,
                      graco_protocol protocol, double mean, const double log_C[PARTS])
{
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result result = {0};
    options.protocol = protocol;
    options.splits = PARTS;
    options.seed = 3;
    options.threads = 1;
    CHECK_OK(graco_evaluate(&result, Z, data, &options));
    check_known(what, result.mean, mean, 1e-9);
    for (int s = 0; s < PARTS; s++)
        check_known("log C", log2(result.C[s]), log_C[s], 0);
    graco_eval_result_clear(&result);
}

static void classes(const graco_dataset *data)
{
    graco_dataset *several = with_several(data);
    graco_matrix Z = hints(data, 5);
    scores_of("paper", data, &Z, GRACO_PROTOCOL_PAPER, 63.4375, (double[]){1, 5, 2, -10});
    scores_of("authors", data, &Z, GRACO_PROTOCOL_AUTHORS, 67.1296296296, (double[]){3, -1, 0, 8});
    scores_of("several", several, &Z, GRACO_PROTOCOL_PAPER, 58.6720102727,
              (double[]){-10, -5, -3, -9});
    /* Columns are standardised: their scales say nothing. */
    stretch(&Z);
    scores_of("stretched", several, &Z, GRACO_PROTOCOL_PAPER, 58.6720102727,
              (double[]){-10, -5, -3, -9});
    graco_dataset_free(several);
    graco_matrix_clear(&Z);
}

/* Of pairs of nodes of a class more are linked; C is the validation part's choice. */
static void links(const graco_dataset *data)
{
    static const double log_C[PARTS] = {4, -10, -2, -6};
    static const double auc[PARTS] = {0.570694444, 0.613263889, 0.58171875, 0.610746528};
    const char *file = fixture_path("links.npz");
    graco_dataset *rest = NULL;
    graco_links held = {0};
    CHECK_OK(graco_links_split(data, file, &(graco_links_options){0.2, 0.1, 5}));
    CHECK_OK(graco_dataset_load(&rest, file, NULL));
    CHECK_OK(graco_links_load(&held, file));
    for (uint64_t s = 0; s < PARTS; s++) {
        graco_matrix Z = hints(data, s);
        graco_link_result result = {0}, stretched = {0};
        CHECK_OK(graco_evaluate_links(&result, &Z, rest, &held, 1));
        check_known("log C of links", log2(result.C), log_C[s], 0);
        check_known("AUC of links", result.score[GRACO_LINK_SCORES - 1].auc, auc[s], 1e-6);
        stretch(&Z);
        CHECK_OK(graco_evaluate_links(&stretched, &Z, rest, &held, 1));
        CHECK(stretched.C == result.C);
        check_known("AUC of stretched columns", stretched.score[GRACO_LINK_SCORES - 1].auc, auc[s],
                    1e-6);
        graco_matrix_clear(&Z);
    }
    graco_links_clear(&held);
    graco_dataset_free(rest);
}

static void clusters(void)
{
    graco_matrix X = make_rows(SILHOUETTE_ROWS + 200, 2, 1);
    struct kmeans found = {0};
    double silhouette;
    CHECK_OK(kmeans_fit(&found, &X, &(struct kmeans_options){12, 1, false, 7, 1}));
    check_known("cost", found.cost, 862.060686, 1e-6);
    CHECK_OK(silhouette_measure(&silhouette, &X, found.cluster, 12, 7, 1));
    check_known("silhouette of some rows", silhouette, 0.306462135, 1e-6);
    kmeans_clear(&found);
    graco_matrix_clear(&X);
}

static void smoothed(const graco_dataset *data)
{
    graco_matrix S = {0};
    CHECK_OK(smooth_features(&S, data, 2, 1));
    CHECK(S.cols == SMOOTH_COLUMNS);
    check_known("smooth features", check_sum(S.data, S.rows * S.cols), 355.302, 1e-4);
    graco_matrix_clear(&S);
}

/* Nodes that each know three others, at places without symmetry, beside three nodes that know nobody. */
static void places(void)
{
    enum { RING = 20, LONELY = 3, K = 3, ALL = RING + LONELY };
    int64_t index[ALL][K];
    float score[ALL][K], place[2 * ALL];
    for (int64_t i = 0; i < ALL; i++)
        for (int64_t n = 0; n < K; n++) {
            index[i][n] = i < RING ? (i + (n + 1) * (i % 3 + 1)) % RING : 0;
            score[i][n] = i < RING ? 0.9f - 0.1f * (float)(n + i % 4) : 0;
        }
    const struct layout_neighbours near = {ALL, K, &index[0][0], &score[0][0]};
    CHECK_OK(
        layout_fit(place, &near, &(struct layout_options){.epochs = 3, .seed = 2, .threads = 1}));
    check_known("places of the ring", check_sum(place, 2 * RING), 3.83975, 1e-3);
    check_known("places of the lonely", check_sum(place + 2 * RING, 2 * LONELY), -27.76428, 1e-3);
    double middle = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < RING; i++) {
        low = fmin(low, (double)place[2 * i + 1]);
        high = fmax(high, (double)place[2 * i + 1]);
    }
    middle = (low + high) / 2;
    check_known("middle of those with neighbours", middle, 0, 1e-5);
}

int main(void)
{
    /* More features than smoothing keeps. */
    graco_dataset *data = fixture_data(.nodes = NODES, .classes = 3, .feature_count = 200);
    classes(data);
    links(data);
    clusters();
    smoothed(data);
    places();
    graco_dataset_free(data);
    return check_result();
}
