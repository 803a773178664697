/* Class scores of supervised models: each split's own, counted on its test part alone. */
#include "base/memory.h"
#include "fixture.h"
#include "data/splits.h"

enum { NODES = 120, CLASSES = 3, SPLITS = 4 };

static graco_dataset *make_data(void)
{
    return fixture_data(.nodes = NODES, .classes = CLASSES);
}

/* Scores that are right on the test part of a split but for every `wrong`-th of its nodes, and wrong
 * everywhere else. *right gets the share in percent. */
static graco_matrix make_scores(const graco_dataset *data, graco_protocol protocol, int64_t split,
                                int64_t wrong, double *right)
{
    graco_matrix P = {NODES, CLASSES, NULL};
    struct splits splits = {0};
    uint8_t *usable = NULL;
    int64_t tested = 0, missed = 0;
    CHECK_OK(memory_zalloc(&P.data, NODES * CLASSES, sizeof *P.data));
    CHECK_OK(splits_usable(&usable, data));
    CHECK_OK(
        splits_find(&splits, data, usable,
                    &(struct splits_wanted){.protocol = protocol, .first = split, .count = 1}));
    for (int64_t i = 0; i < NODES; i++) {
        bool test = splits.part[i] == SPLITS_TEST;
        bool miss = !test || ++tested % wrong == 0;
        missed += test && miss;
        P.data[i * CLASSES + (data->label[i] + miss) % CLASSES] = 0.75f;
    }
    *right = 100.0 * (double)(tested - missed) / (double)tested;
    splits_clear(&splits);
    memory_free(usable);
    return P;
}

static void single(const graco_dataset *data, graco_protocol protocol)
{
    graco_class_scores scores[SPLITS] = {0};
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result result = {0};
    double right[SPLITS], mean = 0;
    options.protocol = protocol;
    for (int64_t s = 0; s < SPLITS; s++) {
        scores[s].split = 2 * s; /* not those that a list from 0 would have */
        scores[s].P = make_scores(data, protocol, 2 * s, 3 + s, &right[s]);
        mean += right[s] / SPLITS;
    }
    CHECK_OK(graco_evaluate_classes(&result, scores, SPLITS, data, &options));
    CHECK(result.splits == SPLITS && strcmp(result.metric, "accuracy") == 0);
    CHECK(fabs(result.mean - mean) < 1e-9 && result.converged && result.solves == 0);
    int64_t counted = 0;
    for (int64_t i = 0; i < CLASSES * CLASSES; i++)
        counted += result.confusion[i];
    CHECK(counted == SPLITS * (NODES - NODES / 10 * (protocol == GRACO_PROTOCOL_PAPER ? 2 : 1)));
    for (int64_t s = 0; s < SPLITS; s++) {
        CHECK(fabs(result.scores[s] - right[s]) < 1e-9 && isnan(result.C[s]));
        graco_matrix_clear(&scores[s].P);
    }
    graco_eval_result_clear(&result);
}

/* A label is predicted where its score is above one half. */
static void multi(graco_dataset *data)
{
    graco_class_scores scores = {.P = {NODES, CLASSES, NULL}};
    graco_eval_result result = {0};
    CHECK_OK(memory_zalloc(&scores.P.data, NODES * CLASSES, sizeof *scores.P.data));
    CHECK_OK(memory_zalloc(&data->multi, NODES * CLASSES, 1));
    for (int64_t i = 0; i < NODES; i++) {
        data->multi[i * CLASSES + data->label[i]] = 1;
        scores.P.data[i * CLASSES + data->label[i]] = 0.51f;
        scores.P.data[i * CLASSES + (data->label[i] + 1) % CLASSES] = i % 2 ? 0.5f : 0.9f;
    }
    int32_t *label = data->label;
    data->label = NULL;
    CHECK_OK(graco_evaluate_classes(&result, &scores, 1, data, NULL));
    CHECK(strcmp(result.metric, "micro_f1") == 0 && result.multi_label);
    int64_t counts[4] = {0};
    for (int64_t i = 0; i < 4 * CLASSES; i++)
        counts[i % 4] += result.confusion[i];
    CHECK(counts[0] == NODES - 2 * (NODES / 10) && counts[2] == 0 && counts[1] > 0);
    CHECK(fabs(result.mean - 200.0 * (double)counts[0] / (double)(2 * counts[0] + counts[1])) <
          1e-9);
    graco_eval_result_clear(&result);
    graco_matrix_clear(&scores.P);
    data->label = label;
    memory_free(data->multi);
    data->multi = NULL;
}

static void refusals(graco_dataset *data)
{
    float numbers[NODES * (CLASSES + 1)] = {0};
    graco_class_scores scores = {.P = {NODES, CLASSES + 1, numbers}};
    graco_eval_result result = {0};
    CHECK_FAILS(graco_evaluate_classes(&result, &scores, 0, data, NULL), GRACO_ERROR_ARGUMENT,
                "0 splits have scores");
    CHECK_FAILS(graco_evaluate_classes(&result, &scores, 1, data, NULL), GRACO_ERROR_ARGUMENT,
                "4 class scores for each node");
    scores.P = (graco_matrix){NODES - 1, CLASSES, numbers};
    CHECK_FAILS(graco_evaluate_classes(&result, &scores, 1, data, NULL), GRACO_ERROR_ARGUMENT,
                "119 rows");
    scores.P.rows = NODES;
    numbers[7] = NAN;
    CHECK_FAILS(graco_evaluate_classes(&result, &scores, 1, data, NULL), GRACO_ERROR_NUMBER,
                "expected finite");
    numbers[7] = 0;
    int32_t *label = data->label;
    data->label = NULL;
    CHECK_FAILS(graco_evaluate_classes(&result, &scores, 1, data, NULL), GRACO_ERROR_ARGUMENT,
                "has no labels");
    data->label = label;
    CHECK(!result.scores);
}

int main(void)
{
    graco_dataset *data = make_data();
    memory_free(data->split); /* so that splits are drawn */
    data->split = NULL;
    single(data, GRACO_PROTOCOL_PAPER);
    single(data, GRACO_PROTOCOL_AUTHORS);
    multi(data);
    refusals(data);
    graco_dataset_free(data);
    return check_result();
}
