/* Classes that no labelled node has cost nothing and change nothing; more classes than a square
 * table of counts would be fit for have four counts each. */
#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"
#include "eval/metrics.h"

#include "check.h"

enum { DIM = 4 };

/* Nodes without edges; node i has the class i % classes, whose number is class * step + first. */
static graco_dataset *make_data(int64_t nodes, int32_t classes, int32_t step, int32_t first)
{
    struct dataset_parts parts = {.name = "classes", .nodes = nodes};
    graco_dataset *data = NULL;
    CHECK_OK(memory_alloc(&parts.source, 0, sizeof *parts.source));
    CHECK_OK(memory_alloc(&parts.target, 0, sizeof *parts.target));
    CHECK_OK(memory_alloc(&parts.label, nodes, sizeof *parts.label));
    for (int64_t i = 0; i < nodes; i++)
        parts.label[i] = (int32_t)(i % classes) * step + first;
    parts.classes = dataset_classes(parts.label, nodes);
    CHECK_OK(dataset_create(&data, &parts));
    return data;
}

/* A direction for each class, with noise. */
static graco_matrix make_embeddings(int64_t nodes, int64_t classes)
{
    struct random_key key = {.seed = 3, .stream = RANDOM_GENERATE};
    graco_matrix Z = {.rows = nodes, .cols = DIM};
    CHECK_OK(memory_alloc(&Z.data, nodes * DIM, sizeof *Z.data));
    for (int64_t i = 0; i < nodes * DIM; i++) {
        int64_t node = i / DIM;
        uint64_t of_class = (uint64_t)(1000000 + node % classes * DIM + i % DIM);
        Z.data[i] = (float)(random_normal(&key, of_class) +
                            0.3 * random_normal(&key, (uint64_t)(2000000 + i)));
    }
    return Z;
}

/* Labels 7, 300007, 600007 are scored as 0, 1, 2 are, to the bit. */
static void far_labels(void)
{
    enum { NODES = 200, CLASSES = 3 };
    graco_dataset *near = make_data(NODES, CLASSES, 1, 0);
    graco_dataset *far = make_data(NODES, CLASSES, 300000, 7);
    graco_matrix Z = make_embeddings(NODES, CLASSES);
    for (int protocol = GRACO_PROTOCOL_PAPER; protocol <= GRACO_PROTOCOL_AUTHORS; protocol++) {
        graco_eval_result a = {0}, b = {0};
        graco_eval_options options = {.protocol = (graco_protocol)protocol, .splits = 4};
        CHECK_OK(graco_evaluate(&a, &Z, near, &options));
        CHECK_OK(graco_evaluate(&b, &Z, far, &options));
        CHECK(a.classes == CLASSES && b.classes == CLASSES && b.confusion_cols == CLASSES);
        CHECK(memcmp(a.scores, b.scores, 4 * sizeof *a.scores) == 0);
        CHECK(memcmp(a.C, b.C, 4 * sizeof *a.C) == 0);
        CHECK(a.macro_f1 == b.macro_f1 && a.worst_gap == b.worst_gap && a.solves == b.solves);
        CHECK(memcmp(a.confusion, b.confusion, CLASSES * CLASSES * sizeof *a.confusion) == 0);
        for (int32_t k = 0; k < CLASSES; k++)
            CHECK(a.class_of[k] == k && b.class_of[k] == 300000 * k + 7);
        CHECK(a.note_count == 0 && b.note_count == 0); /* numbers that no node has are no classes */
        graco_eval_result_clear(&a);
        graco_eval_result_clear(&b);
    }
    graco_matrix_clear(&Z);
    graco_dataset_free(near);
    graco_dataset_free(far);
}

/* More classes than METRICS_SQUARE: the counts agree with the scores. */
static void many_classes(void)
{
    enum { NODES = 10500, CLASSES = METRICS_SQUARE + 1, SPLITS = 2, TESTED = NODES - 2 * 1050 };
    graco_dataset *data = make_data(NODES, CLASSES, 2, 0);
    graco_matrix Z = make_embeddings(NODES, CLASSES);
    graco_eval_result result = {0};
    CHECK_OK(graco_evaluate(&result, &Z, data, &(graco_eval_options){.splits = SPLITS}));
    CHECK(result.classes == CLASSES && result.confusion_cols == 4);
    int64_t sums[4] = {0};
    for (int64_t k = 0; k < CLASSES; k++) {
        int64_t rows = 0;
        for (int i = 0; i < 4; i++) {
            sums[i] += result.confusion[4 * k + i];
            rows += result.confusion[4 * k + i];
        }
        CHECK(rows == SPLITS * TESTED && result.class_of[k] == 2 * k);
    }
    CHECK(sums[0] + sums[1] == SPLITS * TESTED && sums[1] == sums[2] && sums[0] > 0);
    CHECK(fabs(result.accuracy - 100.0 * (double)sums[0] / (SPLITS * TESTED)) < 1e-9);
    CHECK(fabs(result.accuracy - result.micro_f1) < 1e-9 && result.macro_f1 > 0);
    CHECK(result.note_count == 1); /* one for the many classes that a training part lacks */
    CHECK(strstr(result.notes[0], "of 1025 classes have no training rows in some split"));
    graco_eval_result_clear(&result);
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
}

/* Four counts give what the square gives. */
static void counts(void)
{
    enum { CLASSES = METRICS_SQUARE + 1 };
    int64_t square[9] = {5, 1, 0, 2, 3, 1, 0, 0, 0};
    int64_t *four = calloc(4 * CLASSES, sizeof *four);
    for (int truth = 0; truth < 3; truth++)
        for (int chosen = 0; chosen < 3; chosen++) {
            int64_t rows = square[3 * truth + chosen];
            four[4 * chosen + (truth == chosen ? 0 : 1)] += rows;
            four[4 * truth + 2] += truth == chosen ? 0 : rows;
        }
    struct metrics_scores a = metrics_single(square, 3), b = metrics_single(four, CLASSES);
    CHECK(a.accuracy == b.accuracy && a.micro_f1 == b.micro_f1 && a.macro_f1 == b.macro_f1);
    CHECK(metrics_cols(3, false) == 3 && metrics_cols(3, true) == 4);
    CHECK(metrics_cols(METRICS_SQUARE, false) == METRICS_SQUARE);
    free(four);
}

int main(void)
{
    far_labels();
    many_classes();
    counts();
    return check_result();
}
