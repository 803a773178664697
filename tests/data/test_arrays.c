/* Data sets from the caller's arrays: every form of edges and features, what is refused, what is
 * borrowed, the way back, and the same bytes of embeddings as from a file of the same content. */
#include "data/dataset.h"
#include "data/small_files.h"

/* Five nodes in a ring with a chord, edges both ways: (0,1) (1,2) (2,3) (3,4) (4,0) (0,2). */
enum { N = 5, E = 12, F = 3 };
static const int32_t source[E] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 2};
static const int32_t target[E] = {1, 2, 3, 4, 0, 2, 0, 1, 2, 3, 4, 0};
static const float x[N * F] = {1, 0, 2, 0, 3, 0, 0, 0, 4, 5, 6, 0, 0, 7, 8};
static const int64_t y[N] = {0, 1, -1, 1, 2};
static const uint8_t split[N] = {0, 1, 2, 3, 0};
static const float strengths[E] = {1, 2, .5f, 1, 3, 4, 1, 2, .5f, 1, 3, 4};
static const char *const names[N] = {"ann", "bob", "a, \"b\"\nc", "", "d\xc3\xb6rte"};
static const char *const classes[] = {"red", "green", "blue"};

static graco_arrays small(void)
{
    return (graco_arrays){.name = "small",
                          .nodes = N,
                          .source = GRACO_VECTOR(source, E),
                          .target = GRACO_VECTOR(target, E),
                          .x = GRACO_MATRIX(x, N, F),
                          .y = GRACO_VECTOR(y, N),
                          .split = GRACO_VECTOR(split, N),
                          .node_ids = GRACO_VECTOR(names, N),
                          .class_names = GRACO_VECTOR(classes, 3)};
}

static graco_dataset *made(graco_arrays arrays)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

/* Whether both are the same data set, by name too. Frees `a`. */
static bool equals(graco_dataset *a, const graco_dataset *b)
{
    char one[GRACO_FINGERPRINT], other[GRACO_FINGERPRINT];
    CHECK_OK(graco_dataset_fingerprint(one, a));
    CHECK_OK(graco_dataset_fingerprint(other, b));
    bool same = strcmp(one, other) == 0 && strcmp(a->name, b->name) == 0;
    graco_dataset_free(a);
    return same;
}

static void holds_what_was_given(void)
{
    graco_dataset *data = made(small());
    graco_dataset_info info = graco_dataset_describe(data);
    CHECK(strcmp(info.name, "small") == 0 && info.nodes == N && info.edges == E && !info.directed);
    CHECK(info.feature_count == F && info.classes == 3 && info.has_split && !info.inductive);
    CHECK(memcmp(data->features.dense, x, sizeof x) == 0 && data->features.dense != x);
    CHECK(data->label[2] == -1 && data->label[4] == 2 && data->split[3] == 3);
    for (int i = 0; i < N; i++)
        CHECK(strcmp(graco_dataset_node(data, i), names[i]) == 0);
    CHECK(strcmp(graco_dataset_class(data, 1), "green") == 0);
    graco_dataset_free(data);

    data = made((graco_arrays){.nodes = 2,
                               .source = GRACO_VECTOR(source, 0),
                               .target = GRACO_VECTOR(target, 0),
                               .edge_weight = GRACO_VECTOR(x, 0)});
    CHECK(graco_dataset_describe(data).edges == 0);
    graco_dataset_free(data);

    data = made((graco_arrays){.nodes = 2});
    info = graco_dataset_describe(data);
    CHECK(strcmp(info.name, "unnamed") == 0 && info.edges == 0 && info.feature_count == 0);
    graco_dataset_free(data);
}

/* The same edges as pairs of any type, with gaps, and as compressed rows of sources or of
 * targets. */
static void takes_edges(void)
{
    graco_dataset *data = made(small());
    int64_t wide[2 * E];
    double real[E];
    for (int e = 0; e < E; e++) {
        wide[2 * e] = source[e];
        wide[2 * e + 1] = target[e];
        real[e] = target[e];
    }
    graco_arrays arrays = small();
    arrays.source = arrays.target = GRACO_VECTOR(wide, E);
    arrays.target.data = wide + 1;
    arrays.source.stride = arrays.target.stride = 2;
    CHECK(equals(made(arrays), data));
    arrays.target = GRACO_VECTOR(real, E);
    CHECK(equals(made(arrays), data));

    static const int32_t indptr[N + 1] = {0, 3, 5, 8, 10, 12};
    static const int32_t to[E] = {1, 2, 4, 2, 0, 3, 1, 0, 4, 2, 0, 3};
    arrays = small();
    arrays.source = (graco_array){0};
    arrays.target = GRACO_VECTOR(to, E);
    arrays.edge_indptr = GRACO_VECTOR(indptr, N + 1);
    CHECK(equals(made(arrays), data));
    arrays.nodes = 0; /* the rows say it */
    CHECK(equals(made(arrays), data));
    arrays.source = arrays.target; /* the graph is symmetric */
    arrays.target = (graco_array){0};
    CHECK(equals(made(arrays), data));
    graco_dataset_free(data);

    /* One way, 0 -> 1 and 0 -> 2, by source and by target. */
    static const int64_t by_source[] = {0, 2, 2, 2}, by_target[] = {0, 0, 1, 2};
    static const uint8_t ends[] = {1, 2}, begins[] = {0, 0};
    data = made((graco_arrays){.source = GRACO_VECTOR(begins, 2), .target = GRACO_VECTOR(ends, 2)});
    CHECK(graco_dataset_describe(data).nodes == 3 && graco_dataset_describe(data).directed);
    CHECK(equals(made((graco_arrays){.edge_indptr = GRACO_VECTOR(by_source, 4),
                                     .target = GRACO_VECTOR(ends, 2)}),
                 data));
    CHECK(equals(made((graco_arrays){.edge_indptr = GRACO_VECTOR(by_target, 4),
                                     .source = GRACO_VECTOR(begins, 2)}),
                 data));
    graco_dataset_free(data);
    data = made((graco_arrays){
        .source = GRACO_VECTOR(begins, 2), .target = GRACO_VECTOR(ends, 2), .undirected = true});
    CHECK(graco_dataset_describe(data).edges == 4);
    graco_dataset_free(data);
}

static void takes_features(void)
{
    graco_dataset *data = made(small());
    double wide[N * 4] = {0};
    for (int i = 0; i < N * F; i++)
        wide[i / F * 4 + i % F] = (double)x[i];
    graco_arrays arrays = small();
    arrays.x = GRACO_MATRIX(wide, N, F);
    arrays.x.stride = 4;
    arrays.borrow = true; /* it cannot be */
    CHECK(equals(made(arrays), data));
    arrays.x = GRACO_MATRIX(x, N, F);
    graco_dataset *borrowed = made(arrays);
    CHECK(borrowed->features.dense == x);
    CHECK(equals(borrowed, data));
    graco_dataset_free(data);

    static const int32_t indptr[N + 1] = {0, 2, 3, 4, 6, 8}, indices[] = {0, 2, 1, 2, 0, 1, 1, 2};
    static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    arrays.x = (graco_array){0};
    arrays.x_indptr = GRACO_VECTOR(indptr, N + 1);
    arrays.x_indices = GRACO_VECTOR(indices, 8);
    arrays.x_data = GRACO_VECTOR(values, 8);
    arrays.x_cols = F;
    data = made(arrays);
    graco_matrix X = {0};
    CHECK(graco_dataset_describe(data).sparse_features);
    CHECK_OK(graco_dataset_features(&X, data, NULL));
    CHECK(memcmp(X.data, x, sizeof x) == 0);
    graco_matrix_clear(&X);
    graco_dataset_free(data);

    arrays = small();
    for (int way = 0; way < 4; way++) { /* borrowed or not, of a pointer or none */
        arrays.x = GRACO_MATRIX(x, N, 0);
        arrays.x.data = way / 2 ? NULL : x;
        arrays.borrow = way % 2;
        data = made(arrays);
        CHECK(graco_dataset_describe(data).feature_count == 0);
        CHECK(!data->features.borrowed || data->features.dense == x);
        graco_dataset_free(data); /* the address sanitizer sees what is lost */
    }
}

static void takes_many_graphs(void)
{
    static const uint8_t several[] = {1, 0, 0, 1, 1, 1, 0, 0}, mask[] = {1, 1, 0, 1};
    static const int64_t graph[] = {0, 0, 1, 1};
    static const char *const twice[] = {"a", "b", "a", "b"};
    graco_arrays arrays = {.nodes = 4,
                           .y = GRACO_MATRIX(several, 4, 2),
                           .split = GRACO_VECTOR(several, 4),
                           .label_mask = GRACO_VECTOR(mask, 4),
                           .graph_id = GRACO_VECTOR(graph, 4),
                           .node_ids = GRACO_VECTOR(twice, 4),
                           .inductive = true};
    graco_dataset *data = made(arrays);
    graco_dataset_info info = graco_dataset_describe(data);
    CHECK(info.multi_label && info.classes == 2 && info.graphs == 2 && info.inductive);
    CHECK(equals(made(graco_dataset_arrays(data)), data));
    graco_dataset_free(data);
}

/* What a data set holds makes the same data set. */
static void gives_back(void)
{
    graco_dataset *data = made(small());
    graco_arrays arrays = graco_dataset_arrays(data);
    CHECK(arrays.source.rows == E && arrays.edge_indptr.rows == N + 1 && !arrays.target.data);
    CHECK(arrays.x.data == data->features.dense && arrays.x.cols == F && !arrays.x_data.data);
    CHECK(arrays.y.type == GRACO_INT32 && arrays.y.dims == 1 && arrays.class_names.rows == 3);
    CHECK(!arrays.graph_id.data && !arrays.label_mask.data && !arrays.edge_weight.data);
    graco_dataset *again = made(arrays);
    CHECK(strcmp(graco_dataset_class(again, 2), "blue") == 0);
    CHECK(equals(again, data));
    graco_dataset_free(data);

    graco_generate_options options = graco_generate_defaults();
    CHECK_OK(graco_dataset_generate(&data, &options));
    arrays = graco_dataset_arrays(data);
    CHECK(arrays.x_cols == options.feature_count && !arrays.x.data);
    CHECK(equals(made(arrays), data));
    graco_dataset_free(data);
}

/* Changes one thing about the small arrays: graco_dataset_create must refuse it. */
#define REFUSED(change, text)                                                                      \
    do {                                                                                           \
        graco_arrays arrays = small();                                                             \
        graco_dataset *none = NULL;                                                                \
        change;                                                                                    \
        CHECK_FAILS(graco_dataset_create(&none, &arrays), GRACO_ERROR_FORMAT, text);               \
        CHECK(!none);                                                                              \
    } while (0)

static void refuses_edges(void)
{
    static const int64_t minus[E] = {0, 0, -1}, far[E] = {0, (int64_t)1 << 40}, five[E] = {5};
    static const double half[E] = {0, 0.5};
    static const int64_t indptr[N + 1] = {0, 3, 2, 8, 10, 12};
    REFUSED(arrays.source.rows = E - 1, "target has 12 rows: expected 11");
    REFUSED(arrays.source = (graco_array){0}, "1 of the arrays source, target and edge_indptr");
    REFUSED(arrays.edge_indptr = arrays.source, "3 of the arrays source");
    REFUSED(arrays.source = GRACO_VECTOR(minus, E), "edge 2 joins nodes -1 and 3: expected 0 to 4");
    REFUSED(arrays.target = GRACO_VECTOR(five, E), "edge 0 joins nodes 0 and 5");
    REFUSED(arrays.source = GRACO_VECTOR(far, E),
            "source: item 1 of an array is 1099511627776, which is no 32-bit integer");
    REFUSED(arrays.source = GRACO_VECTOR(half, E), "source: item 1 of an array is 0.5");
    REFUSED(arrays.source = arrays.node_ids, "source: an array holds str items");
    REFUSED(arrays.source.type = (graco_type)99, "source: items of type 99");
    REFUSED(arrays.source.type = (graco_type)-1, "source: items of type -1");
    REFUSED(arrays.source.dims = 3, "source: 3 dimensions: expected 1 or 2");
    REFUSED(arrays.source = GRACO_MATRIX(source, 6, 2), "source has 2 dimensions: expected 1");
    REFUSED(arrays.source.rows = -1, "source: -1 rows");
    REFUSED(arrays.source.rows = INT64_MAX, "source: the shape of an array overflows");
    REFUSED(arrays.source.data = NULL, "source: 12 rows without data");
    REFUSED(arrays.source.stride = -1, "source: 12 rows of 1 items begin -1 items apart");
    REFUSED(arrays.source.stride = INT64_MAX, "items apart");
    REFUSED((arrays.source = (graco_array){0}, arrays.edge_indptr = GRACO_VECTOR(indptr, N)),
            "edge_indptr has 5 rows: expected 6");
    REFUSED((arrays.source = (graco_array){0}, arrays.edge_indptr = GRACO_VECTOR(indptr, N + 1)),
            "edge_indptr: row 1 ends at 2, before its start at 3");
    REFUSED((arrays.target = (graco_array){0}, arrays.edge_indptr = GRACO_VECTOR(indptr + 1, N),
             arrays.nodes = 0),
            "edge_indptr: row pointers run from 3 to 12: expected 0 to 12");
    REFUSED((arrays.target = (graco_array){0}, arrays.edge_indptr = GRACO_VECTOR(indptr, 1),
             arrays.nodes = 0),
            "edge_indptr has 1 rows: expected 2 to");
    REFUSED(arrays.nodes = -1, "a graph of -1 nodes: expected 1");
    REFUSED(arrays.nodes = INT64_MAX, "9223372036854775807");
    REFUSED(arrays = (graco_arrays){0}, "a graph of 0 nodes: expected 1");
}

static void refuses_weights(void)
{
    float weights[E] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const float wrong[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weights[3] = wrong[i];
        REFUSED(arrays.edge_weight = GRACO_VECTOR(weights, E), "edge 3");
    }
    REFUSED(arrays.edge_weight = GRACO_VECTOR(weights, E - 1),
            "edge_weight has 11 rows: expected 12");
    REFUSED(arrays.edge_weight = arrays.node_ids, "edge_weight: an array holds str items");
    REFUSED((arrays.source = arrays.target = (graco_array){0},
             arrays.edge_weight = GRACO_VECTOR(weights, E)),
            "edge_weight has 12 rows: expected 0");
}

/* Weights belong to edges as they are given, in pairs or rows, and come back in the order of the
 * graph. */
static void takes_weights(void)
{
    /* 0 -> 2 (5), 1 -> 2 (7), 2 -> 0 (9), by source. */
    static const int32_t from[] = {2, 0, 1}, to[] = {0, 2, 2}, by_source[] = {2, 2, 0};
    static const int64_t rows[] = {0, 1, 2, 3};
    static const double weights[] = {9, 5, 7};
    static const float in_rows[] = {5, 7, 9}, ones[] = {1, 1, 1};
    graco_arrays arrays = {.nodes = 3,
                           .source = GRACO_VECTOR(from, 3),
                           .target = GRACO_VECTOR(to, 3),
                           .edge_weight = GRACO_VECTOR(weights, 3)};
    graco_dataset *data = made(arrays);
    CHECK(graco_dataset_describe(data).weighted);
    CHECK(equals(made((graco_arrays){.edge_indptr = GRACO_VECTOR(rows, 4),
                                     .target = GRACO_VECTOR(by_source, 3),
                                     .edge_weight = GRACO_VECTOR(in_rows, 3)}),
                 data));
    graco_arrays back = graco_dataset_arrays(data);
    const float *value = back.edge_weight.data; /* by target, then source */
    CHECK(back.edge_weight.rows == 3 && value[0] == 9 && value[1] == 5 && value[2] == 7);
    CHECK(equals(made(back), data));
    graco_dataset_free(data);
    arrays.edge_weight = GRACO_VECTOR(ones, 3);
    data = made(arrays);
    CHECK(!graco_dataset_describe(data).weighted);
    arrays.edge_weight = (graco_array){0};
    CHECK(equals(made(arrays), data));
    graco_dataset_free(data);
}

static void refuses_features(void)
{
    static const float bad[N * F] = {0, 0, 0, 0, NAN};
    static const double large[N * F] = {0, 1e300};
    static const int64_t indptr[N + 1] = {0, 1, 1, 1, 1, 2};
    static const int32_t indices[2] = {0, -1};
    REFUSED(arrays.x = GRACO_MATRIX(bad, N, F), "feature 1 of node 1 is nan");
    REFUSED(arrays.x = GRACO_MATRIX(large, N, F),
            "x: item 1 of an array is 1.0000000000000001e+300");
    REFUSED(arrays.x.rows = N - 1, "features for 4 nodes: expected 5");
    REFUSED((arrays.x.rows = N - 1, arrays.borrow = true), "features for 4 nodes: expected 5");
    REFUSED(arrays.x = GRACO_VECTOR(x, N), "x has 1 dimensions: expected 2");
    REFUSED(arrays.x.cols = INT64_MAX, "x: the shape of an array overflows");
    REFUSED(arrays.x.cols = -1, "x: dimension 1 of an array is -1");
    REFUSED(arrays.x.stride = 2, "x: 5 rows of 3 items begin 2 items apart: expected at least 3");
    REFUSED(arrays.x_data = GRACO_VECTOR(x, 2), "both x and x_data");
    REFUSED((arrays.x = (graco_array){0}, arrays.x_indptr = GRACO_VECTOR(indptr, N + 1)),
            "the data set has no x_data");
    REFUSED((arrays.x = (graco_array){0}, arrays.x_indptr = GRACO_VECTOR(indptr, N + 1),
             arrays.x_data = GRACO_VECTOR(x, 2), arrays.x_indices = GRACO_VECTOR(indices, 2),
             arrays.x_cols = F),
            "features: row 4 has a column index -1: expected 0 to 2");
    REFUSED((arrays.x = (graco_array){0}, arrays.x_indptr = GRACO_VECTOR(indptr, N + 1),
             arrays.x_data = GRACO_VECTOR(x, 2), arrays.x_indices = GRACO_VECTOR(indices, 1),
             arrays.x_cols = F),
            "the column indices has 1 rows: expected 2");
}

static void refuses_the_rest(void)
{
    static const int64_t low[N] = {0, 0, -2}, gap[N] = {0, 0, 2, 2, 2};
    static const char *const twice[N] = {"a", "b", "c", "d", "b"};
    static const char *const missing[N] = {"a", "b", NULL, "d", "e"};
    static const uint8_t four[N] = {0, 4};
    REFUSED(arrays.y = GRACO_VECTOR(low, N), "node 2 has label -2");
    REFUSED(arrays.y.rows = 3, "y has 3 rows: expected 5");
    REFUSED(arrays.y.rows = 0, "y has 0 rows: expected 5");
    REFUSED(arrays.node_ids.rows = 0, "node_ids: 0 rows: expected 5");
    REFUSED((arrays.y = GRACO_MATRIX(source, N, 2), arrays.class_names = (graco_array){0}),
            "label 0 of node 1 is 2");
    REFUSED(arrays.split = GRACO_VECTOR(four, N), "node 1 is in split 4");
    REFUSED(arrays.split.rows = 4, "split has 4 rows: expected 5");
    REFUSED((arrays.split = (graco_array){0}, arrays.inductive = true), "there is no array split");
    REFUSED(arrays.graph_id = GRACO_VECTOR(gap, N), "node 2 is in graph 2 after graph 0");
    REFUSED(arrays.label_mask = GRACO_VECTOR(four, N), "mask of node 1 is 4");
    REFUSED(arrays.node_ids.rows = 4, "node_ids: 4 rows: expected 5");
    REFUSED(arrays.node_ids = arrays.y, "node_ids: an array holds items of type 4");
    REFUSED(arrays.node_ids = GRACO_VECTOR(missing, N), "node_ids: string 2 is NULL");
    REFUSED(arrays.node_ids = GRACO_VECTOR(twice, N), "nodes 1 and 4 are both called 'b'");
    REFUSED(arrays.node_ids.stride = 2, "node_ids: strings in 1 dimensions, 2 apart");
    REFUSED(arrays.class_names.rows = 2, "class_names has 2 items: expected one for each of 3");
    REFUSED(arrays.class_names = GRACO_VECTOR(twice, N), "classes 1 and 4 are both called 'b'");
}

static graco_matrix embedded(const graco_dataset *data)
{
    graco_config *config = NULL;
    graco_model *model = NULL;
    graco_matrix Z = {0};
    CHECK_OK(graco_config_create(&config, "grace", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "8"));
    CHECK_OK(graco_config_set(config, "epochs", "3"));
    CHECK_OK(graco_train(&model, NULL, data, config, NULL));
    CHECK_OK(graco_model_embed(&Z, model, data, NULL));
    graco_model_free(model);
    graco_config_free(config);
    return Z;
}

/* Files and arrays of the same content give the same bytes, features in place or copied. */
static void embeds_as_files_do(const char *file, bool weighted)
{
    graco_dataset *data = NULL;
    CHECK_OK(graco_dataset_load(&data, fixture_path(file), NULL));
    graco_matrix of_file = embedded(data);
    graco_dataset_free(data);
    for (int borrow = 0; borrow < 2; borrow++) {
        graco_arrays arrays = small();
        arrays.borrow = borrow;
        if (weighted)
            arrays.edge_weight = GRACO_VECTOR(strengths, E);
        data = made(arrays);
        graco_matrix of_arrays = embedded(data);
        CHECK(of_arrays.rows == N && of_arrays.cols == of_file.cols);
        CHECK(memcmp(of_arrays.data, of_file.data, sizeof(float) * N * 8) == 0);
        graco_matrix_clear(&of_arrays);
        graco_dataset_free(data);
    }
    graco_matrix_clear(&of_file);
}

/* The file is written by numpy's rules from the same numbers, not by way of a data set. */
static void write_file(void)
{
    struct small_arrays file = {0};
    int32_t pairs[2 * E];
    memcpy(pairs, source, sizeof source);
    memcpy(pairs + E, target, sizeof target);
    small_add(&file, "edge_index", ARRAY_I32, pairs, 2, E);
    small_add(&file, "x", ARRAY_F32, x, N, F);
    small_npz(&file, "arrays.npz");
    small_add(&file, "edge_weight", ARRAY_F32, strengths, E, -1);
    small_npz(&file, "weighted.npz");
}

int main(void)
{
    write_file();
    holds_what_was_given();
    takes_edges();
    takes_features();
    takes_many_graphs();
    gives_back();
    takes_weights();
    refuses_edges();
    refuses_weights();
    refuses_features();
    refuses_the_rest();
    embeds_as_files_do("arrays.npz", false);
    embeds_as_files_do("weighted.npz", true);
    return check_result();
}
