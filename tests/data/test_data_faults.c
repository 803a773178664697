/* Every reader, the writers, the generator and the preparation with the nth allocation refused. */
#include "data/preprocess.h"
#include "data/small_files.h"
#include "faults.h"

#include <dirent.h>

static graco_dataset *source; /* what save and prepare work on */

static graco_status load(const char *name, const graco_load_options *options)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, fixture_path(name), options);
    CHECK((status == GRACO_OK) == (data != NULL));
    graco_dataset_free(data);
    return status;
}

static graco_status load_planetoid(void)
{
    return load("tiny", NULL);
}

static graco_status load_citation(void)
{
    return load("paper.npz", NULL);
}

static graco_status load_native(void)
{
    return load("saved.npz", NULL);
}

static graco_status load_folder(void)
{
    return load("saved", &(graco_load_options){.undirected = true});
}

static graco_status load_tables(void)
{
    char features[256], labels[256];
    snprintf(features, sizeof features, "%s", fixture_path("features.csv"));
    snprintf(labels, sizeof labels, "%s", fixture_path("labels.csv"));
    return load("named.txt",
                &(graco_load_options){.features_path = features, .labels_path = labels});
}

/* Words, gaps, and numbers of which some go by rank. */
static graco_status load_columns(void)
{
    char features[256];
    snprintf(features, sizeof features, "%s", fixture_path("columns.csv"));
    return load("path.txt",
                &(graco_load_options){.features_path = features, .count_repeats = true});
}

static graco_status load_scipy(void)
{
    char features[256], labels[256];
    snprintf(features, sizeof features, "%s", fixture_path("x.npz"));
    snprintf(labels, sizeof labels, "%s", fixture_path("labels.txt"));
    return load("graph.npz",
                &(graco_load_options){.features_path = features, .labels_path = labels});
}

static graco_status load_market(void)
{
    char features[256];
    snprintf(features, sizeof features, "%s", fixture_path("x.mtx"));
    return load("graph.npz", &(graco_load_options){.features_path = features});
}

static graco_status load_node_link(void)
{
    return load("graph.json", NULL);
}

static graco_status load_graphml(void)
{
    return load("graph.xml", NULL);
}

static graco_status load_gzip(void)
{
    return load("edges.gz", NULL);
}

/* Every kind of copy: rows with gaps, compressed rows, numbers of other types, names. */
static graco_status create(void)
{
    static const int64_t pairs[] = {0, 1, 1, 2}, labels[] = {0, 1, -1}, rows[] = {0, 1, 1, 2};
    static const char *const names[] = {"a", "b", "c"};
    static const float x[] = {1, 2, 3, 4, 5, 6};
    graco_dataset *data = NULL;
    graco_arrays arrays = {.nodes = 3,
                           .source = GRACO_VECTOR(pairs, 2),
                           .edge_indptr = GRACO_VECTOR(rows, 4),
                           .x = GRACO_MATRIX(x, 3, 1),
                           .y = GRACO_VECTOR(labels, 3),
                           .graph_id = GRACO_VECTOR(((uint8_t[]){0, 0, 0}), 3),
                           .node_ids = GRACO_VECTOR(names, 3),
                           .class_names = GRACO_VECTOR(names, 2)};
    arrays.source.stride = arrays.x.stride = 2;
    graco_status status = graco_dataset_create(&data, &arrays);
    CHECK((status == GRACO_OK) == (data != NULL));
    graco_dataset_free(data);
    return status;
}

/* How many entries the test's folder has; a failed save must leave none behind. */
static int entries(void)
{
    int count = 0;
    DIR *folder = opendir(fixture_folder());
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static graco_status save(const char *name)
{
    int before = entries();
    graco_status status = graco_dataset_save(source, fixture_path(name));
    CHECK(status == GRACO_OK || entries() == before);
    return status;
}

static graco_status save_archive(void)
{
    return save("again.npz");
}

static graco_status save_folder(void)
{
    return save("again");
}

static graco_status generate(bool dense)
{
    graco_dataset *data = NULL;
    graco_generate_options options = {.nodes = 20,
                                      .classes = 2,
                                      .feature_count = 5,
                                      .degree = 3,
                                      .homophily = 0.5,
                                      .dense = dense};
    graco_status status = graco_dataset_generate(&data, &options);
    graco_dataset_free(data);
    return status;
}

static graco_status generate_sparse(void)
{
    return generate(false);
}

static graco_status generate_dense(void)
{
    return generate(true);
}

static graco_status prepare(void)
{
    struct features X;
    graco_status status = preprocess_features(
        &X, &source->features, &(struct preprocess){.scaling = SCALING_ROWSUM, .contaminate = 0.5});
    features_clear(&X);
    return status;
}

int main(void)
{
    small_planetoid();
    small_tables();
    struct small_arrays matrix = small_scipy("csc", 4);
    small_npz(&matrix, "graph.npz");
    matrix = small_scipy("coo", 3);
    small_npz(&matrix, "x.npz");
    fixture_text("graph.json", small_json);
    fixture_text("graph.xml", small_graphml);
    small_gzip("edges.gz", "a b\nb c\n", 8, 6);
    fixture_text("labels.txt", "0\n1\n1\n0\n");
    fixture_text("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 2 2\n1 2\n2 1\n");
    small_citation("paper.npz", (int32_t[]){1, 2, 1}, 3);
    CHECK_OK(graco_dataset_load(&source, fixture_path("paper.npz"), NULL));
    CHECK_OK(graco_dataset_save(source, fixture_path("saved.npz")));
    CHECK_OK(graco_dataset_save(source, fixture_path("saved")));
    faults_each(load_planetoid, "planetoid");
    faults_each(load_citation, "citation");
    faults_each(load_native, "native archive");
    faults_each(load_folder, "native folder");
    faults_each(load_tables, "tables");
    fixture_text("path.txt", "source,target\n0,1\n1,2\n2,3\n3,4\n4,5\n4,5\n");
    fixture_text("columns.csv",
                 "id,kind,amount,day\n5,a,1,2024-01-01\n4,b,2,2024-01-03\n3,,3,\n2,a,1,"
                 "2024-02-01\n1,\"b\"\"\",2,2024-01-09\n0,a,9e6,2024-05-01\n");
    faults_each(load_columns, "columns");
    faults_each(load_scipy, "scipy");
    faults_each(load_market, "MatrixMarket features");
    faults_each(load_node_link, "node-link");
    faults_each(load_graphml, "GraphML");
    faults_each(load_gzip, "gzip");
    faults_each(create, "arrays");
    faults_each(save_archive, "save archive");
    faults_each(save_folder, "save folder");
    faults_each(generate_sparse, "generate words");
    faults_each(generate_dense, "generate dense");
    faults_each(prepare, "prepare");
    graco_dataset_free(source);
    return check_result();
}
