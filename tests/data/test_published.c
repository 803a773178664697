/* The published data sets, where they are at hand: sizes as PyTorch Geometric's readers give them.
 */
#include "check.h"
#include "data/dataset.h"

struct published {
    const char *name;
    int64_t nodes, edges, features, classes, isolated, entries;
    int64_t split[3];
    int64_t class_sizes[8]; /* 0: not checked */
};

static const struct published sets[] = {
    {"cora", 2708, 10556, 1433, 7, 0, 49216, {140, 500, 1000}, {351, 217, 418, 818, 426, 298, 180}},
    /* Class 0 has the 15 nodes that test.index leaves out. */
    {"citeseer", 3327, 9104, 3703, 6, 48, 105165, {120, 500, 1000}, {264, 590, 668, 701, 596, 508}},
    {"pubmed", 19717, 88648, 500, 3, 0, 988031, {60, 500, 1000}, {4103, 7739, 7875}},
    {"dblp", 17716, 105734, 1639, 4, 0, -1, {0, 0, 0}, {0}},
    {"ogbn-arxiv", 169343, 2315598, 0, 40, 0, 0, {90941, 29799, 48603}, {0}},
};

/* Whether the data set is not there, which is said and no failure. */
static bool is_missing(graco_status status, const char *name)
{
    if (status != GRACO_ERROR_IO || !strstr(graco_message(), "no data set"))
        return false;
    printf("left out: %s (it is not under $GRACO_DATA)\n", name);
    return true;
}

static bool check_set(const struct published *set)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, set->name, NULL);
    if (is_missing(status, set->name))
        return false;
    CHECK_OK(status);
    graco_dataset_info info = graco_dataset_describe(data);
    printf("%s: %lld nodes, %lld edges, %lld features (%lld entries), %lld classes\n", info.name,
           (long long)info.nodes, (long long)info.edges, (long long)info.feature_count,
           (long long)info.feature_entries, (long long)info.classes);
    CHECK(strcmp(info.name, set->name) == 0);
    CHECK(info.nodes == set->nodes && info.edges == set->edges && !info.directed);
    CHECK(info.feature_count == set->features && info.classes == set->classes);
    CHECK(info.isolated == set->isolated);
    CHECK(set->entries < 0 || info.feature_entries == set->entries);
    for (int s = 0; s < 3; s++)
        CHECK(info.split_nodes[s] == set->split[s]);
    for (int c = 0; c < 8 && set->class_sizes[0]; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < info.nodes; i++)
            count += data->label[i] == c;
        CHECK(count == set->class_sizes[c]);
    }
    graco_dataset_free(data);
    return true;
}

/* Many graphs, several labels per node, some of them unknown. */
static bool check_ppi(void)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, "ppi", NULL);
    if (is_missing(status, "ppi"))
        return false;
    CHECK_OK(status);
    graco_dataset_info info = graco_dataset_describe(data);
    CHECK(info.nodes == 56944 && info.edges == 1587264 && info.self_loops == 25084);
    CHECK(info.duplicates == 0 && !info.directed);
    CHECK(info.feature_count == 50 && !info.sparse_features && info.classes == 121 &&
          info.multi_label);
    CHECK(info.graphs == 24 && data->graph_id[0] == 0 && data->graph_id[56943] == 23);
    CHECK(info.split_nodes[0] == 44906 && info.split_nodes[1] == 6514);
    CHECK(info.split_nodes[2] == 5524);
    int64_t unknown = 0, misplaced = 0;
    for (int64_t i = 0; i < info.nodes; i++) {
        int graph = data->graph_id[i];
        unknown += !data->label_known[i];
        misplaced += data->split[i] != (graph < 20 ? 0 : graph < 22 ? 1 : 2);
    }
    CHECK(unknown == 714 && misplaced == 0);
    CHECK(graco_peak_memory() < (int64_t)600 << 20);
    graco_dataset_free(data);
    return true;
}

int main(void)
{
    int found = check_ppi(); /* first, because of the peak of memory */
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        found += check_set(&sets[i]);
    if (found == 0)
        check_skip("no published data set under GRACO_DATA");
    return check_result();
}
