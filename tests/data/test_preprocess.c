#include "fixture.h"
#include "data/preprocess.h"

enum { ROWS = 3, COLS = 4 };

static float dense_values[ROWS * COLS] = {1, 0, 2, 1, 0, 0, 0, 0, 0.5f, 0, 0, 0.25f};
static int64_t starts[ROWS + 1] = {0, 3, 3, 5};
static int32_t columns[] = {0, 2, 3, 0, 3};
static float values[] = {1, 2, 1, 0.5f, 0.25f};

static const struct features dense = {.rows = ROWS, .cols = COLS, .dense = dense_values};
static const struct features sparse = {
    .rows = ROWS,
    .cols = COLS,
    .sparse = {.rows = ROWS, .cols = COLS, .start = starts, .index = columns, .value = values}};

static void check_values(const struct preprocess *options, const float expected[ROWS * COLS])
{
    const struct features *forms[] = {&dense, &sparse};
    for (int f = 0; f < 2; f++) {
        struct features out;
        CHECK_OK(preprocess_features(&out, forms[f], options));
        CHECK((out.dense != NULL) == (forms[f]->dense != NULL));
        for (int64_t i = 0; i < ROWS * COLS; i++)
            CHECK(fixture_feature(&out, i / COLS, i % COLS) == expected[i]);
        features_clear(&out);
    }
}

static void scalings(void)
{
    const float third = 1.0f / 3;
    check_values(&(struct preprocess){.scaling = SCALING_NONE}, dense_values);
    check_values(&(struct preprocess){.scaling = SCALING_ROWSUM},
                 (const float[]){0.25f, 0, 0.5f, 0.25f, 0, 0, 0, 0, 2 * third, 0, 0, third});
    check_values(&(struct preprocess){.scaling = SCALING_BINARY_ROWSUM},
                 (const float[]){third, 0, third, third, 0, 0, 0, 0, 0.5f, 0, 0, 0.5f});
    check_values(&(struct preprocess){.scaling = SCALING_ROWSUM, .contaminate = 1},
                 (const float[ROWS * COLS]){0});
}

/* A row is divided by its sum even where that is below 0; a sum of 0 divides nothing. */
static void sums_below_zero(void)
{
    float X[2][2] = {{-1, -3}, {2, -2}};
    const struct features given = {.rows = 2, .cols = 2, .dense = &X[0][0]};
    struct features out;
    CHECK_OK(preprocess_features(&out, &given, &(struct preprocess){.scaling = SCALING_ROWSUM}));
    CHECK(out.dense[0] == 0.25f && out.dense[1] == 0.75f);
    CHECK(out.dense[2] == 2 && out.dense[3] == -2);
    features_clear(&out);
}

/* The share is right, the same entries go in both forms, other seeds take others. */
static void contamination(void)
{
    enum { N = 200, F = 100 };
    graco_dataset *data = NULL;
    graco_generate_options generate = graco_generate_defaults();
    generate.nodes = N;
    generate.feature_count = F;
    CHECK_OK(graco_dataset_generate(&data, &generate));
    static float full[N * F];
    for (int64_t i = 0; i < N * F; i++)
        full[i] = fixture_feature(&data->features, i / F, i % F);
    const struct features same = {.rows = N, .cols = F, .dense = full};
    struct preprocess options = {.contaminate = 0.3, .seed = 5};
    struct features a, b, c;
    CHECK_OK(preprocess_features(&a, &data->features, &options));
    CHECK_OK(preprocess_features(&b, &same, &options));
    options.seed = 6;
    CHECK_OK(preprocess_features(&c, &data->features, &options));
    int64_t different = 0;
    bool equal = true, removed_only = true;
    for (int64_t i = 0; i < N * F; i++) {
        float x = fixture_feature(&a, i / F, i % F);
        equal = equal && x == b.dense[i];
        removed_only = removed_only && (x == full[i] || x == 0);
        different += x != fixture_feature(&c, i / F, i % F);
    }
    CHECK(equal && removed_only && different > 0);
    double share = (double)a.sparse.start[N] / (double)data->features.sparse.start[N];
    CHECK(fabs(share - 0.7) < 0.03);
    features_clear(&a);
    features_clear(&b);
    features_clear(&c);
    graco_dataset_free(data);
}

static void edges_of_use(void)
{
    struct features out, none = {.rows = 5};
    CHECK_OK(preprocess_features(&out, &none, &(struct preprocess){.scaling = SCALING_ROWSUM}));
    CHECK(out.rows == 5 && out.cols == 0 && !out.dense && !out.sparse.start);
    features_clear(&out);
    const double wrong[] = {-0.1, 1.5, NAN};
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(
            preprocess_features(&out, &dense, &(struct preprocess){.contaminate = wrong[i]}),
            GRACO_ERROR_ARGUMENT, "expected 0 to 1");
        CHECK(out.dense == NULL);
    }
}

int main(void)
{
    scalings();
    sums_below_zero();
    contamination();
    edges_of_use();
    return check_result();
}
