#include "data/readers.h"

#include "base/memory.h"
#include "data/small_files.h"

static const char *const parts[] = {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"};

static void reads(void)
{
    graco_dataset *data = NULL;
    small_planetoid();
    CHECK_OK(graco_dataset_load(&data, fixture_path("tiny"), NULL));
    CHECK(strcmp(data->name, "tiny") == 0 && data->graph->nodes == 7 && data->graph->edges == 6);
    CHECK(data->self_loops == 1 && data->classes == 2);
    static const int32_t labels[] = {1, 0, 1, 0, 0, 0, 1};
    static const uint8_t split[] = {0, 1, 1, 1, 2, 3, 2};
    static const int64_t start[] = {0, 1, 3, 3, 4, 5, 5, 6};
    static const int32_t index[] = {2, 0, 1, 0, 2, 1};
    static const float value[] = {1, 3, 2, 4, 6, 5};
    CHECK(memcmp(data->label, labels, sizeof labels) == 0);
    CHECK(memcmp(data->split, split, sizeof split) == 0);
    CHECK(memcmp(data->features.sparse.start, start, sizeof start) == 0);
    CHECK(memcmp(data->features.sparse.index, index, sizeof index) == 0);
    CHECK(memcmp(data->features.sparse.value, value, sizeof value) == 0);
    graco_dataset_free(data);
}

static void load_fails(const char *text)
{
    graco_dataset *data = NULL;
    graco_status status = graco_dataset_load(&data, fixture_path("tiny"), NULL);
    CHECK(status == GRACO_ERROR_FORMAT || status == GRACO_ERROR_IO);
    CHECK(data == NULL && strstr(graco_message(), text) != NULL);
}

/* Each file missing, then cut at several places: the message names it. */
static void missing_and_truncated(void)
{
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char file[80], name[64];
        uint8_t *bytes = NULL;
        int64_t length = 0;
        snprintf(name, sizeof name, "ind.tiny.%s", parts[p]);
        snprintf(file, sizeof file, "tiny/%s", name);
        CHECK_OK(file_read(&bytes, &length, fixture_path(file), 1 << 20));
        for (int64_t end = 0; end < length && p < 7; end += 11) {
            fixture_write(file, bytes, (size_t)end);
            load_fails(name);
        }
        unlink(fixture_path(file));
        load_fails(name);
        fixture_write(file, bytes, (size_t)length);
        memory_free(bytes);
    }
    reads();
}

static void hostile(void)
{
    static const struct {
        const char *index, *text;
    } cases[] = {
        {"6\n", "test.index has 1 numbers: expected 2"},
        {"6\n6\n", "node 6 twice"},
        {"6\n3\n", "node 3: expected 4 to"},
        {"6\n1000000000\n", "node 1000000000: expected 4 to"},
        {"6\nfour\n", "number 2 in the file is no node number"},
        {"6\n-4\n", "number 2 in the file is no node number"},
        {"6\n99999999999999999999\n", "number 2 in the file is no node number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_text("tiny/ind.tiny.test.index", cases[i].index);
        load_fails(cases[i].text);
    }
    struct small_pickle pickle = {.bytes = "\x80\x02", .length = 2};
    small_planetoid();
    small_graph(&pickle, (const int32_t[][2]){{0, 1}, {1, 7}, {-1, -1}});
    small_finish(&pickle, "tiny/ind.tiny.graph");
    load_fails("joins nodes 1 and 7: expected 0 to 6");
    small_array(&pickle, "i4", 1, 2, (int32_t[]){0, 1});
    small_finish(&pickle, "tiny/ind.tiny.graph");
    load_fails("ind.tiny.graph holds a");
    small_planetoid();
    small_array(&pickle, "i4", 3, 2, (int32_t[]){0, 1, 1, 0, 0, 1});
    small_finish(&pickle, "tiny/ind.tiny.ally");
    load_fails("ally has 3 rows: expected 4");
    small_planetoid();
    small_csr(&pickle, 2, 2, (int32_t[]){0, 1, 2}, (int32_t[]){1, 1}, (float[]){5, 6});
    small_finish(&pickle, "tiny/ind.tiny.tx");
    load_fails("3, 2 and 3 columns");
    small_csr(&pickle, 2, 3, (int32_t[]){0, 2, 2}, (int32_t[]){1, 1}, (float[]){5, 6});
    small_finish(&pickle, "tiny/ind.tiny.tx");
    load_fails("features: row 6 has column index 1 after 1");
    small_csr(&pickle, 2, 3, (int32_t[]){0, 1, 2}, (int32_t[]){1, 2}, (float[]){5, NAN});
    small_finish(&pickle, "tiny/ind.tiny.tx");
    load_fails("features: row 4 has the value nan in column 2");
}

/* Matrices of two entries whose row pointers cannot be followed, or whose columns are not there. */
static void hostile_matrices(void)
{
    static const struct {
        int32_t start[3], index[2];
        const char *text;
    } cases[] = {
        {{0, 3, 2}, {1, 2}, "tx: row 1 ends at 2, before its start at 3"},
        {{0, -1, 2}, {1, 2}, "row 0 ends at -1, before its start at 0"},
        {{1, 1, 2}, {1, 2}, "row pointers run from 1 to 2: expected 0 to 2"},
        {{0, 1, 1}, {1, 2}, "row pointers run from 0 to 1: expected 0 to 2"},
        {{0, 1, 1000000000}, {1, 2}, "run from 0 to 1000000000: expected 0 to 2"},
        {{0, 1, 2}, {1, 3}, "features: row 4 has a column index 3: expected 0 to 2"},
        {{0, 1, 2}, {-1, 2}, "features: row 6 has a column index -1: expected 0 to 2"},
    };
    struct small_pickle pickle = {.bytes = "\x80\x02", .length = 2};
    small_planetoid();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_matrix(&pickle, 2, 3, 2, cases[i].start, cases[i].index, (float[]){5, 6});
        small_finish(&pickle, "tiny/ind.tiny.tx");
        load_fails(cases[i].text);
    }
}

int main(void)
{
    reads();
    missing_and_truncated();
    hostile();
    hostile_matrices();
    return check_result();
}
