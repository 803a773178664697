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

static bool check_set(const struct published *set)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, set->name, NULL);
    if (status == GRACO_ERROR_IO && strstr(graco_message(), "no data set"))
        return false;
    CHECK_OK(status);
    graco_dataset_info info = graco_dataset_describe(data);
    printf("%s: %lld nodes, %lld edges, %lld features (%lld entries), %lld classes\n", info.name,
           (long long)info.nodes, (long long)info.edges, (long long)info.features,
           (long long)info.feature_entries, (long long)info.classes);
    CHECK(strcmp(info.name, set->name) == 0);
    CHECK(info.nodes == set->nodes && info.edges == set->edges && !info.directed);
    CHECK(info.features == set->features && info.classes == set->classes);
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

int main(void)
{
    int found = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        found += check_set(&sets[i]);
    if (found == 0)
        check_skip("no published data set under GRACO_DATA");
    return check_result();
}
