/* Two evaluations with the same training part: one tests the test part, the other, with the two parts
 * exchanged, the validation part. Their counts are added. */
#include "measures.h"

#include "base/memory.h"

#include <stdio.h>

/* Exchanges the parts of validation and test in a file of splits. */
static graco_status swap_parts(const char *from, const char *to)
{
    graco_matrix splits = {0};
    PASS(graco_matrix_load(&splits, from));
    for (int64_t i = 0; i < splits.rows * splits.cols; i++) {
        float part = splits.data[i];
        splits.data[i] = part == 1 ? 2 : part == 2 ? 1 : part;
    }
    graco_status status = graco_matrix_save(&splits, to);
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
    char *own = NULL, *swapped = NULL;
    graco_eval_result first = {0}, second = {0};
    graco_eval_options how = *options;
    graco_dataset_info info = graco_dataset_describe(data);
    graco_status status = GRACO_OK;
    if (!info.multi_label)
        return status_fail(GRACO_ERROR_ARGUMENT,
                           "%s has one label for each node; four test graphs are PPI's", info.name);
    TRY(memory_path(&own, folder, "split.npy"));
    TRY(memory_path(&swapped, folder, "swapped.npy"));
    how.splits_write = own;
    TRY(graco_evaluate(&first, Z, data, &how));
    TRY(swap_parts(own, swapped));
    how.splits_write = NULL;
    how.splits_read = swapped;
    TRY(graco_evaluate(&second, Z, data, &how));
    first.scores[0] = join_scores(&first, &second);
    first.seconds += second.seconds;
    *result = first;
    first = (graco_eval_result){0};
done:
    graco_eval_result_clear(&first);
    graco_eval_result_clear(&second);
    memory_free(own);
    memory_free(swapped);
    return status;
}
