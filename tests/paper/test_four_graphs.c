/* Four test graphs: the score lies between those of the two parts, weighted by what they hold. */
#include "paper/measures.h"

#include "fixture.h"

#include <unistd.h>

static graco_dataset *make(const char *like, double scale)
{
    return fixture_data(.like = like, .scale = scale);
}

/* 2 tp / (2 tp + fp + fn) of both together, in percent. */
static double pooled(const graco_eval_result *a, const graco_eval_result *b)
{
    double tp = 0, rest = 0;
    for (int64_t k = 0; k < 4 * a->classes; k++) {
        double count = (double)(a->confusion[k] + b->confusion[k]);
        tp += k % 4 == 0 ? count : 0;
        rest += k % 4 == 1 || k % 4 == 2 ? count : 0;
    }
    return 200 * tp / (2 * tp + rest);
}

int main(void)
{
    char folder[] = "/tmp/graco-test-XXXXXX", path[64];
    graco_eval_options options = graco_eval_defaults();
    graco_eval_result both = {0}, test = {0}, validation = {0};
    graco_dataset *ppi = make("ppi", 0.01), *reddit = make("reddit", 0.0003);
    graco_matrix X = {0};
    CHECK(mkdtemp(folder));
    CHECK_OK(graco_dataset_features(&X, ppi, NULL));
    CHECK_OK(four_graphs_score(&both, &X, ppi, &options, folder));
    CHECK_OK(graco_evaluate(&test, &X, ppi, &options));
    snprintf(path, sizeof path, "%s/swapped.npy", folder);
    options.splits_read = path;
    CHECK_OK(graco_evaluate(&validation, &X, ppi, &options));
    double low = fmin(test.scores[0], validation.scores[0]);
    CHECK(both.splits == 1 && strcmp(both.metric, "micro_f1") == 0);
    CHECK(test.scores[0] != validation.scores[0]);
    CHECK(both.scores[0] >= low && both.scores[0] <= fmax(test.scores[0], validation.scores[0]));
    CHECK(fabs(both.scores[0] - pooled(&test, &validation)) < 1e-9);
    options.splits_read = NULL;
    graco_matrix_clear(&X);
    CHECK_OK(graco_dataset_features(&X, reddit, NULL));
    graco_eval_result none = {0};
    CHECK(four_graphs_score(&none, &X, reddit, &options, folder) == GRACO_ERROR_ARGUMENT);
    unlink(path);
    snprintf(path, sizeof path, "%s/split.npy", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
    graco_eval_result_clear(&both);
    graco_eval_result_clear(&test);
    graco_eval_result_clear(&validation);
    graco_matrix_clear(&X);
    graco_dataset_free(ppi);
    graco_dataset_free(reddit);
    return check_result();
}
