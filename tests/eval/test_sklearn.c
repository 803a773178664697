/* Metrics of rankings and of clusters against scikit-learn's numbers (sklearn_golden.h), to 1e-6. */
#include "check.h"
#include "sklearn_golden.h"

#include "eval/partition.h"
#include "eval/ranking.h"

/* As make_sklearn_golden.py has them. The caller frees them. */
static int32_t *numbers(uint64_t seed, int64_t count, int64_t below)
{
    int32_t *out = malloc((size_t)count * sizeof *out);
    uint64_t x = seed;
    for (int64_t i = 0; i < count; i++) {
        x = (1103515245 * x + 12345) % ((uint64_t)1 << 31);
        out[i] = (int32_t)((int64_t)(x >> 8) % below);
    }
    return out;
}

static bool near(double found, double wanted)
{
    return fabs(found - wanted) <= 1e-6;
}

static void test_ranking(int c)
{
    int64_t n = rankings[c].items, distinct = rankings[c].distinct;
    int32_t *drawn = numbers((uint64_t)(3 * c + 1), n, distinct);
    int32_t *other = numbers((uint64_t)(3 * c + 2), n, 3);
    double *score = malloc((size_t)n * sizeof *score);
    uint8_t *positive = malloc((size_t)n);
    struct ranking found;
    for (int64_t i = 0; i < n; i++) {
        score[i] = drawn[i];
        positive[i] = other[i] + (drawn[i] > distinct / 2) >= 2;
    }
    CHECK_OK(ranking_measure(&found, score, positive, n));
    CHECK(near(found.auc, rankings[c].auc));
    CHECK(near(found.average_precision, rankings[c].average_precision));
    memset(positive, 1, (size_t)n); /* no other item to tell them from */
    CHECK_OK(ranking_measure(&found, score, positive, n));
    CHECK(isnan(found.auc) && isnan(found.average_precision));
    free(drawn);
    free(other);
    free(score);
    free(positive);
}

static void test_partition(int c)
{
    int64_t n = partitions[c].items, a_parts = partitions[c].a, b_parts = partitions[c].b;
    int32_t *a = numbers((uint64_t)(5 * c + 1), n, a_parts);
    int32_t *keep = numbers((uint64_t)(5 * c + 2), n, 3);
    int32_t *b = numbers((uint64_t)(5 * c + 3), n, b_parts);
    struct partition_scores found, same;
    for (int64_t i = 0; i < n; i++)
        b[i] = keep[i] > 0 ? a[i] % (int32_t)b_parts : b[i];
    CHECK_OK(partition_compare(&found, n, a, a_parts, b, b_parts));
    CHECK(near(found.nmi, partitions[c].nmi));
    CHECK(near(found.ari, partitions[c].ari));
    CHECK(near(found.accuracy, partitions[c].accuracy));
    CHECK_OK(partition_compare(&same, n, b, b_parts, a, a_parts)); /* neither is the first */
    CHECK(near(same.nmi, found.nmi) && near(same.ari, found.ari));
    CHECK(near(same.accuracy, found.accuracy));
    for (int64_t i = 0; i < n; i++)
        b[i] = (int32_t)a_parts - 1 - a[i]; /* the same parts under other numbers */
    CHECK_OK(partition_compare(&same, n, a, a_parts, b, a_parts));
    CHECK(near(same.nmi, 1) && near(same.ari, 1) && near(same.accuracy, 1));
    free(a);
    free(b);
    free(keep);
}

static void test_silhouette(int c)
{
    int64_t rows = silhouettes[c].rows, clusters = silhouettes[c].clusters,
            cols = silhouettes[c].cols;
    int32_t *cluster = numbers((uint64_t)(7 * c + 1), rows, clusters);
    int32_t *drawn = numbers((uint64_t)(7 * c + 2), rows * cols, 64);
    graco_matrix X = {rows, cols, malloc((size_t)(rows * cols) * sizeof(float))};
    double one, three;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            X.data[i * cols + j] = (float)(drawn[i * cols + j] + 16 * cluster[i]);
    memcpy(X.data + 5 * cols, X.data + 6 * cols, (size_t)cols * sizeof(float));
    CHECK_OK(silhouette_measure(&one, &X, cluster, clusters, 0, 1));
    CHECK_OK(silhouette_measure(&three, &X, cluster, clusters, 0, 3));
    CHECK(near(one, silhouettes[c].silhouette));
    CHECK(one == three);
    memset(cluster, 0, (size_t)rows * sizeof *cluster);
    CHECK_OK(silhouette_measure(&one, &X, cluster, clusters, 0, 1));
    CHECK(isnan(one));
    free(cluster);
    free(drawn);
    free(X.data);
}

int main(void)
{
    for (size_t c = 0; c < sizeof rankings / sizeof *rankings; c++)
        test_ranking((int)c);
    for (size_t c = 0; c < sizeof partitions / sizeof *partitions; c++)
        test_partition((int)c);
    for (size_t c = 0; c < sizeof silhouettes / sizeof *silhouettes; c++)
        test_silhouette((int)c);
    return check_result();
}
