/* Writes the seeds of the fuzz targets: make_seeds FOLDER fills FOLDER/TARGET/NUMBER. They are
 * small sound inputs, made by the library's own writers where it has some, so that fuzzing starts
 * behind the first check. */
#include "fuzz/fuzz.h"
#include "fixture.h"

#include "data/small_files.h"
#include "io/pickles.h"
#include "io/safetensors.h"
#include "data/store.h"
#include "paper/small_results.h"
#include "run/checkpoint.h"

static const char *seeds;

/* One seed of a target. */
static void seed(const char *target, const void *bytes, size_t length)
{
    static int number;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", seeds, target);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%03d", seeds, target, number++);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, length, file) == length);
    if (file)
        fclose(file);
}

static void seed_text(const char *target, const char *text)
{
    seed(target, text, strlen(text));
}

#define SEED(target, literal) seed(target, literal, sizeof(literal) - 1)

/* A file of the test's folder, behind some bytes. */
static void seed_file(const char *target, const char *name, const char *before, size_t length)
{
    static struct fuzz_block block;
    block.length = 0;
    fuzz_add(&block, before, (int64_t)length);
    FILE *file = fopen(fixture_path(name), "rb");
    CHECK(file != NULL);
    if (!file)
        return;
    block.length += (int64_t)fread(block.bytes + block.length, 1, FUZZ_BLOCK - length, file);
    fclose(file);
    seed(target, block.bytes, (size_t)block.length);
}

/* ---- Containers ------------------------------------------------------------------------------ */

static void arrays(void)
{
    static const char *const types[] = {"|b1", "<i8", ">i4", "<f4", ">f8", "<f2", "|S3", "<U2"};
    static const int sizes[] = {1, 8, 4, 4, 8, 2, 3, 8};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        uint8_t file[512] = "\x93NUMPY\1";
        int header = snprintf((char *)file + 10, 200,
                              "{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }", types[t],
                              t % 2 ? "True" : "False");
        file[7] = 0;
        memset(file + 10 + header, ' ', 117 - (size_t)header);
        file[127] = '\n';
        file[8] = 118;
        for (int i = 0; i < 6 * sizes[t]; i++)
            file[128 + i] = (uint8_t)(i % 2);
        seed("npy", file, (size_t)(128 + 6 * sizes[t]));
        uint8_t matrix[513] = {2};
        memcpy(matrix + 1, file, sizeof file);
        seed("matrix", matrix, (size_t)(129 + 6 * sizes[t]));
    }
    SEED("npy",
         "\x93NUMPY\2\0\x36\0\0\0{'descr': '|O', 'fortran_order': False, 'shape': (), }  \n");
    SEED("matrix", "\5\x25\2\5\0\1\2\2\1\3\3\3\3\3");
    SEED("matrix", "\5\x2a\1\5\0\0\x80?\0\0\0@");
}

static void archives(void)
{
    static const uint8_t zeros[8192];
    struct small_arrays native = small_native();
    struct store *store = NULL, *inner = NULL;
    small_npz(&native, "deflated.npz");
    seed_file("npz", "deflated.npz", "", 0);
    native.count = 0; /* larger than what is looked at before it is unpacked */
    small_add(&native, "y", ARRAY_U8, zeros, sizeof zeros, -1);
    small_npz(&native, "large.npz");
    seed_file("npz", "large.npz", "", 0);
    native = small_native();
    CHECK_OK(store_create(&store, fixture_path("stored.zip")));
    CHECK_OK(store_array(store, "edge_index", &native.arrays[0]));
    CHECK_OK(store_begin(store, "inner.npz"));
    CHECK_OK(store_create_within(&inner, store));
    CHECK_OK(store_array(inner, "x", &native.arrays[1]));
    CHECK_OK(store_commit(inner));
    CHECK_OK(store_end(store));
    CHECK_OK(store_commit(store));
    store_free(inner);
    store_free(store);
    seed_file("npz", "stored.zip", "", 0);
    for (int level = 0; level < 10; level += 9) {
        small_gzip("a.gz", "0 1\n1 2\n0 1\n1 2\n", 16, level);
        seed_file("gzip", "a.gz", "", 0);
    }
}

static void pickles(void)
{
    static const char *const parts[] = {"x",  "tx",   "allx",  "y",
                                        "ty", "ally", "graph", "test.index"};
    seed("pickle", pickles_0, sizeof pickles_0);
    seed("pickle", pickles_2, sizeof pickles_2);
    seed("pickle", pickles_3, sizeof pickles_3);
    seed("pickle", pickles_4, sizeof pickles_4);
    SEED("pickle",
         "\x80\2](K\1\x8a\2\1\2G?\xf0\0\0\0\0\0\0N\x88\x89U\1aX\1\0\0\0b\x85\x86q\0h\0e.");
    SEED("pickle", "(dp0\nS'a'\np1\nI1\nsVb\nL5L\nsF1.5\ng1\n(lp2\nI01\nas.");
    small_planetoid();
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char name[64], before[3] = {(char)p};
        struct stat about;
        snprintf(name, sizeof name, "tiny/ind.tiny.%s", parts[p]);
        CHECK(stat(fixture_path(name), &about) == 0);
        before[1] = (char)(about.st_size & 255);
        before[2] = (char)(about.st_size >> 8);
        seed_file("planetoid", name, before, 3);
        if (p < 7)
            seed_file("pickle", name, "", 0);
    }
    SEED("planetoid", "\7\6\0006\n5\n4\n");
    SEED("planetoid", "\6\x16\0\x80\2]q\0(K\1K\6e0}(K\0h\0K\1h\0u.");
    SEED("planetoid", "\7\2\0005\n\6\x1a\0\x80\2}(K\0](K\1K\6eK\1]K\5aK\6](K\0K\1eu.");
}

static void tensors(void)
{
    const float values[6] = {1, 2, 3};
    const int64_t numbers[2] = {4, 5}, shape[2] = {2, 3};
    struct array f32, i64;
    CHECK_OK(array_borrow(&f32, ARRAY_F32, values, 2, shape));
    CHECK_OK(array_borrow(&i64, ARRAY_I64, numbers, 1, shape));
    CHECK_OK(safetensors_write(fixture_path("two"),
                               (struct safetensors_entry[]){{"W", &f32}, {"n", &i64}}, 2,
                               (struct safetensors_pair[]){{"format", "graco"}}, 1));
    seed_file("safetensors", "two", "\0", 1);
    SEED("safetensors", "\1{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}\0ab");
    SEED("safetensors", "\1{\"__metadata__\":{\"k\":\"v\"},\"b\":{\"dtype\":\"F64\",\"shape\":[],"
                        "\"data_offsets\":[0,8]}}\0abcdefgh");
}

/* A checkpoint of the smallest models; the header behind an odd byte, too. */
static void checkpoints(void)
{
    static struct fuzz_block file, split;
    for (int encoder = 0; encoder < 3; encoder++) {
        graco_config config;
        struct graco_model *model = NULL;
        preset_config(&config, "cora");
        config.hidden = 1;
        config.encoder = (int)encoder;
        config.layers = 1 + encoder / 2;
        config.activation = encoder ? ACTIVATION_RRELU : ACTIVATION_PRELU;
        CHECK_OK(model_create(&model, &config, (struct model_sizes){.cols = 1}));
        snprintf(model->fingerprint, sizeof model->fingerprint, "1-%016d-%016d-%016d-%016d-%016d",
                 1, 2, 3, 4, 5);
        CHECK_OK(checkpoint_write(model, fixture_path("model")));
        graco_model_free(model);
        seed_file("checkpoint", "model", "\0", 1);
        FILE *in = fopen(fixture_path("model"), "rb");
        file.length = (int64_t)fread(file.bytes, 1, FUZZ_BLOCK, in);
        fclose(in);
        uint64_t header;
        memcpy(&header, file.bytes, 8);
        split.length = 0;
        fuzz_add(&split, "\1", 1);
        fuzz_add(&split, file.bytes + 8, (int64_t)header);
        fuzz_add(&split, "", 1);
        fuzz_add(&split, file.bytes + 8 + header, file.length - 8 - (int64_t)header);
        seed("checkpoint", split.bytes, (size_t)split.length);
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void texts(void)
{
    graco_config config;
    char line[128], value[64];
    const char *key;
    static const char *const values[] = {
        "{\"a\": [1, -2.5e3, true, null, \"\\u00e9\\n\"], \"b\": {}}", "[[[[1]]]]", "\"x\"",
        "{\"epoch\":1,\"loss\":0.25}"};
    static const char *const tables[] = {"\0000 1\n1 2\n",
                                         "\000# c\na,b,1\nb,c,2.5\n",
                                         "\001ann red\nbob blue\n",
                                         "\0010\n1\n-1\n",
                                         "\002id,a\nx,1\ny,2\n",
                                         "\0031 2\n3 4e-3\n",
                                         "\0047;1\n8;2\n",
                                         "\000\"a \"\"b\"\"\",\"\"\"\"\n",
                                         "\001p,node,class\n1,a,x\n2,b,y\n",
                                         "\002.5 0\n.5 2\n.5 1\n.5 3\n.5 4\n.5 5\n.5 7\n.5 6\n"};
    static const char *const matrices[] = {
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 2\n2 1 .5\n3 3 1\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n"};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        for (int target = 0; target < 2; target++) { /* behind bytes of options */
            int head = 1 + target;
            memset(line, 0, 2);
            snprintf(line + head, sizeof line - (size_t)head, "%s", matrices[i]);
            seed(target ? "edges" : "table", line, (size_t)head + strlen(matrices[i]));
        }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        seed_text("json", values[i]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        seed("table", tables[i], 1 + strlen(tables[i] + 1));
    seed_text("name_lines", "ann\nb\\\\o\\nb\n\ncid\r\nend");
    seed_text("node_link",
              "{\"directed\": false, \"nodes\": [{\"id\": 0}, {\"id\": 1, \"x\": []}], "
              "\"links\": [{\"source\": 0, \"target\": 1}]}");
    seed_text("node_link", "{\"edges\":[{\"target\":0,\"source\":0}],\"nodes\":[{\"id\":0}]}");
    SEED("edges", "\3\0ann bob\nbob cid\n\xffid,a\nbob,1\nann,3\ncid,5\n\xff"
                  "cid,red\nann,blue\n");
    SEED("edges", "\7\0"
                  "0 1\n1 2\n\xff"
                  "1 2\n3 4\n5 6\n\xff"
                  "0\n1\n-1\n");
    SEED("edges", "\4\0"
                  "0,1,0.5\n1,9,2\n");
    SEED("edges", "\0\0"
                  "time,from_account,to_account,amount\n1,A1,B1,2\n2,A1,B1,3\n");
    SEED("edges",
         "\1\0"
         "0 1\n1 2\n2 3\n\xff"
         "id,kind,age,day,vip\n0,a,1,2024-02-29,yes\n1,b,,2024-03-01 12:00,no\n2,NA,3,,yes\n"
         "3,a,400,2023-01-01T00:00:00+02:00,\n");
    SEED("edges", "\1\0"
                  "ann bob\nbob cem\n\xff"
                  "name,kind\ncem,\"x \"\"y\"\"\"\nann,?\nbob,z\n");
    SEED("edges", "\0\x89"
                  "a,likes,b\nb,\"x,\"\"y\",c\n");
    SEED("edges", "\0\xf3"
                  "t,u,v,a\n1,x,y,2\n,x,y,3\n");
    seed_text("graph_file", small_json);
    seed_text("graphml", small_graphml);
    seed_text("graphml", "<graph edgedefault='directed'><node id='0'/></graph></graphml>");
    seed_text("wikics", small_wikics);
    SEED("ogb", "3\n\xff"
                "0,1\n2,1\n\xff"
                "4\n0\n2\n\xff"
                "2\n\xff"
                "0\n\xff"
                "1\n\xff"
                "0.5,-1\n2,3\n1e-1,4\n\xff"
                "2\n");
    SEED("musae", "{\"0\":[2,0,2],\"2\":[],\"1\":[1]}\xff"
                  "id_1,id_2\n0,1\n1,2\n\xff"
                  "id,page_name,page_type\n1,\"a, \"\"b\"\"\",x\n0,c,y\n");
    seed_text("config", "~hidden=64\n~tau=0.5\n~no=1\n");
    preset_config(&config, "cora");
    for (int i = 0; (key = graco_config_key(&config, i, NULL)); i++) {
        CHECK_OK(graco_config_get(&config, key, value, sizeof value));
        snprintf(line, sizeof line, "%c%s\n", i, value);
        seed("config", line, strlen(value) + 2);
    }
    SEED("options", "--set\0hidden=64\0--set=tau=0.5\0--epochs\0"
                    "10\0-q\0--memory\0"
                    "4G\0data\0");
    SEED("options", "-pcora\0--objective=moment\0--device\0cpu\0--threads\0"
                    "2\0--scale\0"
                    "0.5\0--\0x\0");
    SEED("options", "--help\0--precision=tf32\0--features\0x.csv\0--undirected\0--header=yes\0");
    SEED("metrics", "\2{\"epoch\":1}\n{\"epoch\":2}\n{\"epoch\":3}\n{\"ep");
}

/* ---- Data sets: the form that fuzz.h describes ----------------------------------------------- */

/* Kinds of small arrays: bytes in one or two dimensions, floats in two, a number. */
#define U8(rows) "\x15" rows "\0"
#define U8_2(rows, cols) "\x25" rows cols
#define F32_2(rows, cols) "\x2a" rows cols
#define F32(rows) "\x1a" rows "\0"
#define ONE "\0\0\x80?"

static void sets(void)
{
    static const char plain[] = "\0"
                                "\0" U8_2("\2", "\3") "\0\1\1\1\2\2"
                                                      "\1" F32_2("\3", "\1") ONE ONE ONE
        "\6" U8("\3") "\0\1\2"
                      "\7" U8("\3") "\0\1\2"
                                    "\x08" U8("\3") "\1\1\0"
                                                    "\x0b\5\0\0\3";
    static const char sparse[] = "\1"
                                 "\0" U8_2("\2", "\2") "\0\1\1\0"
                                                       "\2" F32("\2") ONE ONE
        "\3" U8("\2") "\0\1"
                      "\4" U8("\3") "\0\1\2"
                                    "\5" U8(
                                        "\2") "\2\2"
                                              "\6" U8_2(
                                                  "\2",
                                                  "\2") "\0\1\1\1"
                                                        "\x09" U8(
                                                            "\2") "\0\0"
                                                                  "\x0a\x1c\2\0abcdefghijklmnop";
    seed("native", plain, sizeof plain - 1);
    seed("native", sparse, sizeof sparse - 1);
    seed("native_folder", plain, sizeof plain - 1);
    seed("native_folder", sparse, sizeof sparse - 1);
    SEED("native", "\0\0" U8_2("\2", "\1") "\0\1\x0b\x34\x1f\0");
    SEED("citation", "\0" F32("\3") ONE ONE ONE
         "\1" U8("\3") "\1\2\1"
                       "\2" U8("\4") "\0\1\3\3"
                                     "\3" U8("\2") "\3\3"
                                                   "\4" F32("\3") ONE ONE ONE
         "\5" U8("\3") "\1\0\1"
                       "\6" U8("\4") "\0\2\3\3"
                                     "\7" U8("\2") "\3\2"
                                                   "\x08" U8("\3") "\0\2\1");
#define GRAPH "{\"nodes\":[{\"id\":0},{\"id\":1}],\"links\":[{\"source\":0,\"target\":1}]}\0"
    SEED("ppi", "\0" GRAPH "\1" F32_2("\2", "\1") ONE ONE
         "\2" U8_2("\2", "\2") "\0\1\1\1"
                               "\3" U8("\2") "\1\1"
                                             "\4" U8("\2") "\1\0"
                                                           "\5" GRAPH "\6" F32_2("\2", "\1") ONE ONE
         "\7" U8_2("\2", "\2") "\0\1\1\1"
                               "\x08" U8("\2") "\2\2"
                                               "\x0a" GRAPH "\x0b" F32_2("\2", "\1") ONE ONE
         "\x0c" U8_2("\2", "\2") "\0\1\1\1"
                                 "\x0d" U8("\2") "\3\4");
    SEED("reddit", "\0" F32_2("\3", "\1") ONE ONE ONE
         "\1" U8("\3") "\0\1\0"
                       "\2" U8("\3") "\1\2\3"
                                     "\3" U8("\2") "\0\1"
                                                   "\4" U8("\2") "\1\2"
                                                                 "\7" U8("\2") "\3\3");
    SEED("reddit", "\0" F32_2("\2", "\1") ONE ONE
         "\1" U8_2("\2", "\1") "\0\1"
                               "\2" U8("\2") "\1\3"
                                             "\5" U8("\2") "\1\0"
                                                           "\6" U8("\3") "\0\1\2"
                                                                         "\7" U8("\2") "\2\2");
    SEED("graphsaint", "{\"0\": 1, \"1\": 0}\xff{\"tr\": [1], \"va\": [0], \"te\": []}\xff"
                       "\0" F32_2("\2", "\1") ONE ONE
         "\3" U8("\2") "\1\0"
                       "\4" U8("\3") "\0\1\2"
                                     "\5" U8("\2") "\2\2"
                                                   "\6\x0c\0\0csr\0\0\0\0");
    static const char matrix[] =
        "\2" U8("\2") "\1\0"
                      "\3" U8("\3") "\0\1\2"
                                    "\4" U8("\2") "\2\2"
                                                  "\5" F32("\2") ONE ONE "\6\x0c\0\0csr\0\0\0\0";
    for (char features = 0; features < 2; features++) {
        struct fuzz_block block = {.length = 0};
        fuzz_add(&block, &features, 1);
        fuzz_add(&block, matrix, sizeof matrix);
        seed("scipy", block.bytes, (size_t)block.length);
    }
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    seeds = words[1];
    arrays();
    archives();
    pickles();
    tensors();
    checkpoints();
    texts();
    sets();
    SEED("results", SMALL_RESULTS);
    return check_result();
}
