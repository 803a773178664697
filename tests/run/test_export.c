/* Embeddings with names: saved beside each other, and written in every format. */
#include "base/memory.h"
#include "check.h"
#include "data/small_files.h"

enum { N = 4, D = 2 };
static float values[N * D] = {0.1f, -2, 3e-20f, 16777216, -0.0f, 0, 1.5f, 1e30f};

static graco_dataset *named(const char *const *names)
{
    graco_dataset *data = NULL;
    graco_arrays arrays = {.nodes = N};
    if (names)
        arrays.node_ids = GRACO_VECTOR(names, N);
    CHECK_OK(graco_dataset_create(&data, &arrays));
    return data;
}

/* Saves the values as Z.npy with these names. */
static void save(const char *const *names)
{
    graco_dataset *data = named(names);
    const graco_matrix Z = {N, D, values};
    CHECK_OK(graco_embeddings_save(&Z, data, fixture_path("Z.npy")));
    CHECK(file_exists(fixture_path("Z.node_ids.txt")) == (names != NULL));
    graco_dataset_free(data);
}

static graco_status export(const char *to, bool safe)
{
    graco_export_options options = {.spreadsheet_safe = safe};
    graco_export_result result = {0};
    graco_status status =
        graco_embeddings_export(&result, fixture_path("Z.npy"), fixture_path(to), &options);
    CHECK(status != GRACO_OK || (result.rows == N && result.cols == D));
    return status;
}

static bool holds(const char *file, const char *bytes, int64_t length)
{
    uint8_t *found = NULL;
    int64_t size = 0;
    CHECK_OK(file_read(&found, &size, fixture_path(file), 1 << 20));
    bool same = size == length && memcmp(found, bytes, (size_t)length) == 0;
    if (!same)
        fprintf(stderr, "%s holds: %s\n", file, (const char *)found);
    memory_free(found);
    return same;
}

#define HOLDS(file, text) CHECK(holds(file, text, sizeof text - 1))

static const char *const plain[N] = {"ann", "b-ob",
                                     ("c\xc3\xaf"
                                      "d"),
                                     "=1"};
static const char *const odd[N] = {"=SUM(A1,\"x\")", "a\tb", "-7", "line\r\nfeed"};

static void writes_tables(void)
{
    save(odd);
    CHECK_OK(export("t.csv", false));
    HOLDS("t.csv", "node,z0,z1\r\n\"=SUM(A1,\"\"x\"\")\",0.1,-2\r\n\"a\tb\",3e-20,16777216\r\n"
                   "-7,-0,0\r\n\"line\r\nfeed\",1.5,1e+30\r\n");
    CHECK_OK(export("t.csv", true));
    HOLDS("t.csv", "node,z0,z1\r\n\"'=SUM(A1,\"\"x\"\")\",0.1,-2\r\n\"a\tb\",3e-20,16777216\r\n"
                   "'-7,-0,0\r\n\"line\r\nfeed\",1.5,1e+30\r\n");
    CHECK_OK(export("t.tsv", false));
    HOLDS("t.tsv", "node\tz0\tz1\n\"=SUM(A1,\"\"x\"\")\"\t0.1\t-2\n\"a\tb\"\t3e-20\t16777216\n"
                   "-7\t-0\t0\n\"line\r\nfeed\"\t1.5\t1e+30\n");
    save(NULL);
    CHECK_OK(export("t.csv", true));
    HOLDS("t.csv", "node,z0,z1\r\n0,0.1,-2\r\n1,3e-20,16777216\r\n2,-0,0\r\n3,1.5,1e+30\r\n");
}

static void writes_vectors(void)
{
    char binary[128];
    size_t length = (size_t)sprintf(binary, "4 2\n");
    save(plain);
    CHECK_OK(export("v.txt", false));
    HOLDS("v.txt", "4 2\nann 0.1 -2\nb-ob 3e-20 16777216\nc\xc3\xaf"
                   "d -0 0\n=1 1.5 1e+30\n");
    CHECK_OK(export("v.bin", false));
    for (int i = 0; i < N; i++) {
        length += (size_t)sprintf(binary + length, "%s ", plain[i]);
        memcpy(binary + length, values + i * D, D * sizeof(float));
        length += D * sizeof(float);
        binary[length++] = '\n';
    }
    CHECK(holds("v.bin", binary, (int64_t)length));
    CHECK_FAILS(export("v.vec", true), GRACO_ERROR_ARGUMENT, "is no table for a spreadsheet");
    save(odd);
    CHECK_FAILS(export("v.vec", false), GRACO_ERROR_ARGUMENT,
                "line 2: word2vec's format cannot hold the name 'a\tb'");
    save((const char *const[]){"a", "", "b", "c"});
    CHECK_FAILS(export("v.bin", false), GRACO_ERROR_ARGUMENT, "which is empty or has a blank");
    CHECK(!file_exists(fixture_path("v.vec")) && holds("v.bin", binary, (int64_t)length));
}

static void writes_archives(void)
{
    for (int with = 0; with < 2; with++) {
        struct npz *npz = NULL;
        struct array array = {0};
        char **names = NULL;
        save(with ? odd : NULL);
        CHECK_OK(export("a.npz", false));
        CHECK_OK(npz_open(&npz, fixture_path("a.npz")));
        CHECK_OK(npz_read(&array, npz, "embeddings", NPZ_LIMIT));
        CHECK(array.type == ARRAY_F32 && array.shape[0] == N && array.shape[1] == D);
        CHECK(memcmp(array.data, values, sizeof values) == 0);
        array_clear(&array);
        CHECK(npz_has(npz, "node_ids") == with);
        if (with) {
            CHECK_OK(npz_read(&array, npz, "node_ids", NPZ_LIMIT));
            CHECK_OK(array_to_strings(&names, &array));
            for (int i = 0; i < N; i++)
                CHECK(strcmp(names[i], odd[i]) == 0);
            memory_free(names[0]);
            memory_free(names);
            array_clear(&array);
        }
        npz_close(npz);
    }
    save((const char *const[]){"a", "b\xff", "c", "d"});
    CHECK_FAILS(export("a.npz", false), GRACO_ERROR_ARGUMENT, "line 2 is not UTF-8");
}

/* One long name must not make a file without bound. */
static void bounds_archives(void)
{
    enum { ROWS = 20000, LONG = 20000 };
    char *text = malloc(ROWS + LONG);
    float *zeros = calloc(ROWS, sizeof *zeros);
    graco_matrix Z = {ROWS, 1, zeros};
    memset(text, 'a', LONG);
    memset(text + LONG, '\n', ROWS);
    CHECK_OK(graco_matrix_save(&Z, fixture_path("Z.npy")));
    fixture_write("Z.node_ids.txt", text, ROWS + LONG);
    CHECK_FAILS(graco_embeddings_export(NULL, fixture_path("Z.npy"), fixture_path("a.npz"), NULL),
                GRACO_ERROR_ARGUMENT, "a name of 20000 characters");
    CHECK_OK(graco_embeddings_export(NULL, fixture_path("Z.npy"), fixture_path("a.csv"), NULL));
    free(text);
    free(zeros);
}

static void refuses(void)
{
    save(plain);
    CHECK_FAILS(export("t.xlsx", false), GRACO_ERROR_ARGUMENT, "its ending names no format");
    fixture_text("Z.node_ids.txt", "a\nb\nc\n");
    CHECK_FAILS(export("t.csv", false), GRACO_ERROR_FORMAT,
                "has 3 names: expected 4, one for each row");
    fixture_text("Z.node_ids.txt", "a\nb\nc\nd\ne");
    CHECK_FAILS(export("t.csv", false), GRACO_ERROR_FORMAT, "has 5 names: expected 4");
    fixture_text("Z.node_ids.txt", "a\nb\nc\\x\nd\n");
    CHECK_FAILS(export("new.csv", false), GRACO_ERROR_FORMAT,
                "Z.node_ids.txt: line 3 has a backslash");
    CHECK_FAILS(export("new.npz", false), GRACO_ERROR_FORMAT,
                "Z.node_ids.txt: line 3 has a backslash");
    CHECK(!file_exists(fixture_path("new.csv")) && !file_exists(fixture_path("new.npz")));
    fixture_text("Z.npy", "");
    CHECK_FAILS(export("t.csv", false), GRACO_ERROR_FORMAT,
                "Z.npy is empty: expected the embeddings");
    fixture_text("Z.npy", "nonsense");
    CHECK_FAILS(export("t.csv", false), GRACO_ERROR_FORMAT, "Z.npy");
    unlink(fixture_path("Z.npy"));
    CHECK_FAILS(export("t.csv", false), GRACO_ERROR_IO, "Z.npy: No such file");

    graco_dataset *data = named(plain);
    const graco_matrix Z = {N - 1, D, values};
    CHECK_FAILS(graco_embeddings_save(&Z, data, fixture_path("Z.npy")), GRACO_ERROR_ARGUMENT,
                "embeddings of 3 nodes: expected 4");
    graco_dataset_free(data);
}

static void train(const graco_dataset *data, bool resume)
{
    graco_config *config = NULL;
    graco_train_options options = {.run = fixture_path("run"), .resume = resume};
    CHECK_OK(graco_config_create(&config, "grace", NULL));
    CHECK_OK(graco_config_set(config, "hidden", "2"));
    CHECK_OK(graco_config_set(config, "epochs", resume ? "2" : "1"));
    CHECK_OK(graco_train(NULL, NULL, data, config, &options));
    graco_config_free(config);
}

/* Names come with data sets of many graphs, through graco's own format and a resumed training. */
static void travel(void)
{
    static const int32_t source[] = {0, 2}, target[] = {1, 3}, graph[] = {0, 0, 1, 1};
    static const char *const twice[N] = {"a", "b\\", "a", "b\n"};
    graco_dataset *data = NULL, *loaded = NULL;
    graco_arrays arrays = {.source = GRACO_VECTOR(source, 2),
                           .target = GRACO_VECTOR(target, 2),
                           .x = GRACO_MATRIX(((float[]){1, 0, 2, 1, 3, 1, 0, 1}), N, 2),
                           .graph_id = GRACO_VECTOR(graph, N),
                           .node_ids = GRACO_VECTOR(twice, N)};
    CHECK_OK(graco_dataset_create(&data, &arrays));
    CHECK_OK(graco_dataset_save(data, fixture_path("set.npz")));
    CHECK_OK(graco_dataset_load(&loaded, fixture_path("set.npz"), NULL));
    for (int i = 0; i < N; i++)
        CHECK(strcmp(graco_dataset_node(loaded, i), twice[i]) == 0);
    train(data, false);
    HOLDS("run/node_ids.txt", "a\nb\\\\\na\nb\\n\n");
    unlink(
        fixture_path("run/node_ids.txt")); /* it is lost: a training that goes on writes it again */
    train(loaded, true);
    HOLDS("run/node_ids.txt", "a\nb\\\\\na\nb\\n\n");
    CHECK_OK(graco_embeddings_export(NULL, fixture_path("run"), fixture_path("of_run.csv"), NULL));
    CHECK_OK(graco_embeddings_export(NULL, fixture_path("run/embeddings.npy"),
                                     fixture_path("same.csv"), NULL));
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path("of_run.csv"), 1 << 20));
    CHECK(holds("same.csv", (const char *)bytes, length));
    CHECK(strstr((const char *)bytes, "\r\nb\\,") && strstr((const char *)bytes, "\r\n\"b\n\","));
    memory_free(bytes);
    graco_dataset_free(data);
    graco_dataset_free(loaded);
}

int main(void)
{
    travel();
    writes_tables();
    writes_vectors();
    writes_archives();
    bounds_archives();
    refuses();
    return check_result();
}
