/* Two evaluations with the same training part: one tests the test part, the other, with the two parts
 * exchanged, the validation part. Their counts are added. */
#include "four_graphs.h"

#include "cli/output.h"
#include "cli/runs.h"

#include <stdio.h>

/* Exchanges the parts of validation and test in a file of splits. */
static graco_status swap_parts(const char *from, const char *to)
{
    graco_matrix splits = {0};
    graco_status status = graco_matrix_load(&splits, from);
    for (int64_t i = 0; status == GRACO_OK && i < splits.rows * splits.cols; i++) {
        float part = splits.data[i];
        splits.data[i] = part == 1 ? 2 : part == 2 ? 1 : part;
    }
    if (status == GRACO_OK)
        status = graco_matrix_save(&splits, to);
    graco_matrix_clear(&splits);
    return status;
}

/* The micro-F1 over the test parts of two results together, in percent. */
static double join_scores(const graco_eval_result *a, const graco_eval_result *b)
{
    double right = 0, wrong = 0;
    const graco_eval_result *both[] = {a, b};
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < both[i]->classes; k++) {
            const int64_t *counts = both[i]->confusion + 4 * k;
            right += 2 * (double)counts[0];
            wrong += (double)(counts[1] + counts[2]);
        }
    return right + wrong > 0 ? 100 * right / (right + wrong) : 0;
}

graco_status four_graphs_score(graco_eval_result *result, const graco_matrix *Z,
                               const graco_dataset *data, const graco_eval_options *options,
                               const char *folder)
{
    char own[RUNS_PATH_MAX], swapped[RUNS_PATH_MAX];
    graco_eval_result other = {0};
    graco_eval_options first = *options, second = *options;
    graco_dataset_info info = graco_dataset_describe(data);
    if (!info.multi_label)
        return output_fail(GRACO_ERROR_ARGUMENT,
                           "%s has one label for each node; four test graphs are PPI's", info.name);
    if (snprintf(own, sizeof own, "%s/split.npy", folder) >= RUNS_PATH_MAX ||
        snprintf(swapped, sizeof swapped, "%s/swapped.npy", folder) >= RUNS_PATH_MAX)
        return output_fail(GRACO_ERROR_ARGUMENT, "the name %.80s is too long", folder);
    first.splits_write = own;
    second.splits_read = swapped;
    graco_status status = graco_evaluate(result, Z, data, &first);
    if (status != GRACO_OK)
        return status;
    status = swap_parts(own, swapped);
    if (status == GRACO_OK)
        status = graco_evaluate(&other, Z, data, &second);
    if (status == GRACO_OK) {
        result->scores[0] = join_scores(result, &other);
        result->seconds += other.seconds;
    } else {
        graco_eval_result_clear(result);
    }
    graco_eval_result_clear(&other);
    return status;
}
