#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"
#include "eval/measure_structure.h"

#include "check.h"
#include "faults.h"

/* Every allocation of an evaluation fails once: a message, nothing leaked, the result untouched. */
static void fail_each(const graco_dataset *data, const graco_matrix *Z, graco_protocol protocol)
{
    graco_eval_options options = graco_eval_defaults();
    options.protocol = protocol;
    options.splits = 2;
    options.threads = 2;
    for (long n = 0;; n++) {
        graco_eval_result result = {0};
        faults_until = n;
        graco_status status = graco_evaluate(&result, Z, data, &options);
        bool reached = faults_until == 0;
        faults_until = -1;
        if (status == GRACO_OK) {
            CHECK(result.splits > 0 && (!reached || n > 20));
            graco_eval_result_clear(&result);
            break;
        }
        CHECK(status == GRACO_ERROR_MEMORY && graco_message()[0] != '\0');
        CHECK(!result.scores && !result.notes);
    }
}

static const graco_dataset *structured;
static const graco_matrix *embeddings;

static graco_status measure(void)
{
    graco_structure found = {2, 3, 4};
    graco_status status = measure_structure(&found, embeddings, structured, 1);
    CHECK(status == GRACO_OK || (found.modularity == 2 && found.columns == 3 && found.edges == 4));
    return status;
}

int main(void)
{
    graco_generate_options generate = graco_generate_defaults();
    struct random_key key = {.seed = 1, .stream = RANDOM_GENERATE};
    graco_dataset *data = NULL, *wide = NULL;
    generate.nodes = 60;
    generate.classes = 3;
    generate.feature_count = 20;
    CHECK_OK(graco_dataset_generate(&data, &generate));
    graco_matrix Z = {.rows = 60, .cols = 4};
    CHECK_OK(memory_alloc(&Z.data, 240, sizeof *Z.data));
    for (int64_t i = 0; i < 240; i++)
        Z.data[i] = random_float(&key, (uint64_t)i);
    fail_each(data, &Z, GRACO_PROTOCOL_PAPER);
    fail_each(data, &Z, GRACO_PROTOCOL_AUTHORS);
    structured = data;
    embeddings = &Z;
    faults_each(measure, "structure");
    generate.feature_count = 150; /* more than projected ones */
    CHECK_OK(graco_dataset_generate(&wide, &generate));
    structured = wide;
    faults_each(measure, "structure of many features");
    graco_dataset_free(wide);
    for (int64_t i = 0; i < 240; i++)
        Z.data[i] = 1;
    fail_each(data, &Z, GRACO_PROTOCOL_PAPER);
    for (long n = 0; n < 1; n++) {
        graco_matrix X = {0};
        faults_until = n;
        CHECK(graco_dataset_features(&X, data, NULL) == GRACO_ERROR_MEMORY && !X.data);
        faults_until = -1;
        CHECK_OK(graco_dataset_features(&X, data, NULL));
        CHECK(X.rows == 60 && X.cols == 20);
        graco_matrix_clear(&X);
    }
    graco_matrix_clear(&Z);
    graco_dataset_free(data);
    return check_result();
}
