/* Features used in place from a folder, parts of a data set, and made-up features. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "data/subset.h"
#include "io/npy.h"

static graco_dataset *load(const char *name)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(name), NULL));
    return data;
}

static graco_dataset *save_dense(const char *name)
{
    graco_dataset *data = fixture_data(.dense = true, .nodes = 300, .feature_count = 37);
    CHECK_OK(graco_dataset_save(data, fixture_path(name)));
    return data;
}

static void mapped(void)
{
    graco_dataset *data = save_dense("folder"), *again = load("folder");
    size_t bytes = 300 * 37 * sizeof(float);
    CHECK(data->features.file == NULL && again->features.file != NULL);
    CHECK(memcmp(again->features.dense, data->features.dense, bytes) == 0);
    CHECK_OK(features_check(&data->features));
    CHECK_OK(features_check(&again->features));
    /* A data set that is mapped can be written over the folder's copy and read on. */
    CHECK_OK(graco_dataset_save(again, fixture_path("copy")));
    graco_dataset *copy = load("copy");
    CHECK(memcmp(copy->features.dense, data->features.dense, bytes) == 0);
    graco_dataset_free(copy);
    /* Replaced by rename: the map keeps the old rows. */
    struct array other;
    const float seven = 7;
    const int64_t shape[] = {1, 1};
    CHECK_OK(array_borrow(&other, ARRAY_F32, &seven, 2, shape));
    CHECK_OK(npy_write(fixture_path("copy/x.npy"), &other));
    CHECK_OK(graco_dataset_save(again, fixture_path("third")));
    CHECK_OK(npy_write(fixture_path("folder/x.npy"), &other));
    CHECK_OK(features_check(&again->features));
    CHECK(memcmp(again->features.dense, data->features.dense, bytes) == 0);
    graco_dataset_free(again);
    graco_dataset_free(data);
}

static void shrunk(void)
{
    graco_dataset *data = load("third"), *again = NULL;
    CHECK(truncate(fixture_path("third/x.npy"), 1000) == 0);
    CHECK_FAILS(features_check(&data->features), GRACO_ERROR_IO,
                "x.npy has shrunk from 44528 to 1000 bytes");
    graco_dataset_free(data);
    CHECK_FAILS(graco_dataset_load(&again, fixture_path("third"), NULL), GRACO_ERROR_FORMAT,
                "x.npy: a .npy array of 11100 float32 items needs 44400 bytes after the header, "
                "872 are there");
    CHECK(truncate(fixture_path("third/x.npy"), 20) == 0);
    CHECK_FAILS(graco_dataset_load(&again, fixture_path("third"), NULL), GRACO_ERROR_FORMAT,
                "x.npy: a .npy header");
    CHECK(truncate(fixture_path("third/x.npy"), 0) == 0);
    CHECK_FAILS(graco_dataset_load(&again, fixture_path("third"), NULL), GRACO_ERROR_FORMAT,
                "x.npy: this is no .npy file");
}

/* Values are looked at when they are mapped, other types are converted. */
static void converted(void)
{
    graco_dataset *data = save_dense("types"), *again = NULL;
    const int64_t shape[] = {300, 37};
    struct array array;
    double *wide = NULL;
    CHECK_OK(memory_alloc(&wide, 300 * 37, sizeof *wide));
    for (int i = 0; i < 300 * 37; i++)
        wide[i] = (double)data->features.dense[i];
    CHECK_OK(array_borrow(&array, ARRAY_F64, wide, 2, shape));
    CHECK_OK(npy_write(fixture_path("types/x.npy"), &array));
    again = load("types");
    CHECK(again->features.file == NULL);
    CHECK(memcmp(again->features.dense, data->features.dense, 300 * 37 * sizeof(float)) == 0);
    graco_dataset_free(again);
    data->features.dense[100] = NAN;
    CHECK_OK(array_borrow(&array, ARRAY_F32, data->features.dense, 2, shape));
    CHECK_OK(npy_write(fixture_path("types/x.npy"), &array));
    CHECK_FAILS(graco_dataset_load(&again, fixture_path("types"), NULL), GRACO_ERROR_FORMAT,
                "feature 26 of node 2 is");
    memory_free(wide);
    graco_dataset_free(data);
}

/* ---- Parts ---- */

static void check_subset(const graco_dataset *data, int split, int64_t graph)
{
    int32_t *nodes = NULL;
    int64_t count = 0, at = 0;
    bool good = true;
    CHECK_OK(subset_nodes(&nodes, &count, data, split, graph));
    for (int64_t i = 0; i < data->graph->nodes; i++) {
        bool wanted =
            (split < 0 || data->split[i] == split) && (graph < 0 || data->graph_id[i] == graph);
        if (wanted)
            good &= at < count && nodes[at++] == i;
    }
    CHECK(good && at == count);
    memory_free(nodes);
}

static void subsets(void)
{
    graco_generate_options options = graco_generate_defaults();
    graco_dataset *data = NULL, *plain = NULL;
    int32_t *nodes = NULL;
    int64_t count = -1;
    options.like = "ppi";
    options.scale = 0.01;
    CHECK_OK(graco_dataset_generate(&data, &options));
    for (int split = SUBSET_ALL; split < 4; split++) {
        for (int64_t graph = SUBSET_ALL; graph < data->graphs; graph++)
            check_subset(data, split, graph);
    }
    CHECK_FAILS(subset_nodes(&nodes, &count, data, 4, 0), GRACO_ERROR_ARGUMENT, "split 4");
    CHECK_FAILS(subset_nodes(&nodes, &count, data, 0, 24), GRACO_ERROR_ARGUMENT, "graph 24");
    CHECK(nodes == NULL && count == -1);
    graco_dataset_free(data);
    options.like = NULL;
    CHECK_OK(graco_dataset_generate(&plain, &options));
    memory_free(plain->split);
    plain->split = NULL;
    CHECK_OK(subset_nodes(&nodes, &count, plain, 0, 0));
    CHECK(count == 2000 && nodes[1999] == 1999);
    memory_free(nodes);
    CHECK_OK(subset_nodes(&nodes, &count, plain, 1, 0));
    CHECK(count == 0);
    memory_free(nodes);
    graco_dataset_free(plain);
}

static void gathered(bool dense)
{
    const int32_t rows[] = {3, 50, 51, 199};
    graco_dataset *data = fixture_data(.nodes = 200, .feature_count = 60, .dense = dense);
    struct features X = {0};
    bool good = true;
    CHECK_OK(subset_features(&X, &data->features, rows, 4));
    CHECK(X.rows == 4 && X.cols == 60);
    for (int64_t i = 0; i < 4; i++) {
        for (int32_t f = 0; f < 60; f++)
            good &= fixture_feature(&X, i, f) == fixture_feature(&data->features, rows[i], f);
    }
    CHECK(good);
    features_clear(&X);
    CHECK_FAILS(subset_features(&X, &data->features, (int32_t[]){200}, 1), GRACO_ERROR_ARGUMENT,
                "row 200");
    graco_dataset_free(data);
}

int main(void)
{
    mapped();
    shrunk();
    converted();
    subsets();
    gathered(false);
    gathered(true);
    return check_result();
}
