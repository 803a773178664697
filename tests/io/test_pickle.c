/* Pickles: five protocols, the Planetoid files, refusals, hostile programs. */
#include "base/memory.h"
#include "io/pickle/pickle.h"

#include "hostile.h"
#include "pickles.h"

#define BYTES(text) (const uint8_t *)(text), (int64_t)sizeof(text) - 1

/* Walks the whole tree, so that a bad pointer in it is met. Shared values are walked once for each
 * use, which hostile input could make slow: `left` bounds the walk. */
static void walk(const struct pickle_value *value, int64_t *left)
{
    int64_t items = value->kind == PICKLE_DICT    ? 2 * value->count
                    : value->kind == PICKLE_LIST  ? value->count
                    : value->kind == PICKLE_TUPLE ? value->count
                                                  : 0;
    float *f32 = NULL;
    if (--*left < 0)
        return;
    if (value->kind == PICKLE_STRING)
        CHECK(value->bytes[value->count] == 0);
    if (value->kind == PICKLE_ARRAY && array_to_f32(&f32, value->array) == GRACO_OK)
        memory_free(f32);
    if (value->kind == PICKLE_CSR && array_to_f32(&f32, value->csr->value) == GRACO_OK)
        memory_free(f32);
    for (int64_t i = 0; i < items; i++)
        walk(value->items[i], left);
}

static bool decode(const uint8_t *bytes, int64_t length)
{
    struct pickle pickle;
    int64_t left = 100000;
    if (pickle_decode(&pickle, bytes, length) != GRACO_OK) {
        CHECK(pickle.root == NULL);
        return false;
    }
    walk(pickle.root, &left);
    pickle_clear(&pickle);
    return true;
}

static void check_numbers(const struct pickle_value *root)
{
    static const int64_t expected[] = {
        0,        -1, 255, 256, 65535, 65536, -2147483648, INT64_C(1) << 40, -(INT64_C(1) << 40),
        INT64_MAX};
    const struct pickle_value *ints = pickle_get(root, "ints");
    CHECK(ints && ints->kind == PICKLE_LIST && ints->count == 10);
    for (int i = 0; i < 10; i++)
        CHECK(ints->items[i]->kind == PICKLE_INT && ints->items[i]->integer == expected[i]);
    const struct pickle_value *reals = pickle_get(root, "reals");
    CHECK(reals->kind == PICKLE_TUPLE && reals->items[0]->real == 1.5 &&
          reals->items[1]->real == -2e-300);
    CHECK(pickle_get(root, "none")->kind == PICKLE_NONE);
    const struct pickle_value *flags = pickle_get(root, "flags");
    CHECK(flags->items[0]->kind == PICKLE_BOOL && flags->items[0]->integer == 1 &&
          flags->items[1]->kind == PICKLE_BOOL && flags->items[1]->integer == 0);
    const struct pickle_value *number = pickle_get(root, "number");
    CHECK(number->kind == PICKLE_INT && number->integer == -7);
}

static void check_objects(const struct pickle_value *root)
{
    const struct pickle_value *text = pickle_get(root, "text"), *bytes = pickle_get(root, "bytes");
    CHECK(text->kind == PICKLE_STRING && strcmp(text->bytes, "plain") == 0);
    CHECK(bytes->kind == PICKLE_STRING && bytes->count == 4 &&
          memcmp(bytes->bytes, "ra\xffw", 5) == 0);
    const struct pickle_value *array = pickle_get(root, "array");
    const double expected[] = {1, 3, 2, 4};
    CHECK(array->kind == PICKLE_ARRAY && array->array->type == ARRAY_F64 &&
          array->array->ndim == 2 && memcmp(array->array->data, expected, sizeof expected) == 0);
    const struct pickle_value *csr = pickle_get(root, "csr");
    CHECK(csr->kind == PICKLE_CSR && csr->csr->rows == 2 && csr->csr->cols == 3 &&
          csr->csr->entries == 3 && ((const float *)csr->csr->value->data)[2] == -0.5f &&
          ((const int32_t *)csr->csr->index->data)[1] == 2);
    const struct pickle_value *graph = pickle_get(root, "graph");
    CHECK(graph->kind == PICKLE_DICT && graph->count == 3 && graph->items[4]->integer == 70000 &&
          graph->items[1]->count == 2 && graph->items[1]->items[1]->integer == 2);
    const struct pickle_value *shared = pickle_get(root, "shared");
    CHECK(shared->items[0] == shared->items[1] && shared->items[0]->items[0]->integer == 5);
    const struct pickle_value *empty = pickle_get(root, "empty");
    CHECK(empty->count == 3 && empty->items[0]->kind == PICKLE_TUPLE &&
          empty->items[1]->kind == PICKLE_LIST && empty->items[2]->kind == PICKLE_DICT);
    CHECK(pickle_get(root, "missing") == NULL && pickle_get(text, "x") == NULL);
}

static void test_protocols(void)
{
    const struct {
        const uint8_t *bytes;
        int64_t length;
    } all[] = {{pickles_0, sizeof pickles_0},
               {pickles_1, sizeof pickles_1},
               {pickles_2, sizeof pickles_2},
               {pickles_3, sizeof pickles_3},
               {pickles_4, sizeof pickles_4}};
    for (int protocol = 0; protocol < 5; protocol++) {
        struct pickle pickle;
        CHECK_OK(pickle_decode(&pickle, all[protocol].bytes, all[protocol].length));
        CHECK(pickle.root->kind == PICKLE_DICT && pickle.root->count == 12);
        check_numbers(pickle.root);
        check_objects(pickle.root);
        pickle_clear(&pickle);
        pickle_clear(&pickle);
        CHECK(hostile_truncate(decode, all[protocol].bytes, all[protocol].length) == 0);
        hostile_corrupt(decode, all[protocol].bytes, all[protocol].length);
    }
    pickle_clear(NULL);
}

static void test_refusals(void)
{
    struct pickle pickle;
    CHECK_FAILS(pickle_decode(&pickle, BYTES("cos\nsystem\n(S'echo hi'\ntR.")), GRACO_ERROR_FORMAT,
                "os.system");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93.")),
                GRACO_ERROR_FORMAT, "os.system");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("cbuiltins\neval\n.")), GRACO_ERROR_FORMAT,
                "builtins.eval");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("(ios\nsystem\n.")), GRACO_ERROR_FORMAT, "0x69");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("Pid\n.")), GRACO_ERROR_FORMAT, "0x50");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("\x80\x05N.")), GRACO_ERROR_FORMAT, "protocol");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("cnumpy\nndarray\n.")), GRACO_ERROR_FORMAT, "global");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("cnumpy\nndarray\n)R.")), GRACO_ERROR_FORMAT, "call");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("N)R.")), GRACO_ERROR_FORMAT, "no known global");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("]q\0h\0a.")), GRACO_ERROR_FORMAT, "itself");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("h\1.")), GRACO_ERROR_FORMAT, "never put");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("Nr\xff\xff\xff\xff.")), GRACO_ERROR_FORMAT, "memo");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("NN.")), GRACO_ERROR_FORMAT, "exactly one");
    CHECK_FAILS(pickle_decode(&pickle, BYTES(".")), GRACO_ERROR_FORMAT, "exactly one");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("N(.")), GRACO_ERROR_FORMAT, "exactly one");
    CHECK_OK(pickle_decode(&pickle, BYTES("](0."))); /* the mark is popped like a value */
    pickle_clear(&pickle);
    CHECK_FAILS(pickle_decode(&pickle, BYTES("N(Na.")), GRACO_ERROR_FORMAT, "too short");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("}(Nu.")), GRACO_ERROR_FORMAT, "without a value");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("}]Ns.")), GRACO_ERROR_FORMAT, "key");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("T\xff\xff\xff\xffx.")), GRACO_ERROR_FORMAT, "ends");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("\x8e\xff\xff\xff\xff\xff\xff\xff\xffx.")),
                GRACO_ERROR_FORMAT, "ends");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("\x8a\011123456789.")), GRACO_ERROR_FORMAT, "64 bits");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("I9223372036854775808\n.")), GRACO_ERROR_FORMAT,
                "64 bits");
    CHECK_FAILS(pickle_decode(&pickle, BYTES("")), GRACO_ERROR_FORMAT, "without a result");
}

/* An int32 array of this shape and raw data in protocol 0. */
static graco_status array_of(const char *shape, const char *raw)
{
    char text[512];
    struct pickle pickle;
    int length = snprintf(text, sizeof text,
                          "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
                          "(I1\n%scnumpy\ndtype\n(S'i4'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
                          "I00\nS'%s'\ntb.",
                          shape, raw);
    graco_status status = pickle_decode(&pickle, text, length);
    pickle_clear(&pickle);
    return status;
}

static void test_hostile_arrays(void)
{
    CHECK_OK(array_of("(I2\nt", "abcdefgh"));
    CHECK_OK(array_of("(I2\nI0\nt", ""));
    CHECK_FAILS(array_of("(I3\nt", "abcdefgh"), GRACO_ERROR_FORMAT, "12 expected");
    CHECK_FAILS(array_of("(I1152921504606846976\nt", "abcdefgh"), GRACO_ERROR_FORMAT, "overflow");
    CHECK_FAILS(array_of("(I4611686018427387904\nI4\nt", ""), GRACO_ERROR_FORMAT, "overflow");
    CHECK_FAILS(array_of("(I-2\nt", "abcdefgh"), GRACO_ERROR_FORMAT, "-2");
    CHECK_FAILS(array_of("I2\n", "abcdefgh"), GRACO_ERROR_FORMAT, "shape");
    CHECK_FAILS(array_of("(I1\nI1\nI1\nI1\nI1\nI1\nI1\nI1\nI2\nt", "abcdefgh"), GRACO_ERROR_FORMAT,
                "shape");
}

/* A list nested `depth` deep. */
static graco_status nested(int64_t depth)
{
    uint8_t *bytes = malloc((size_t)(2 * depth + 1));
    struct pickle pickle;
    memset(bytes, ']', (size_t)depth);
    memset(bytes + depth, 'a', (size_t)depth - 1);
    bytes[2 * depth - 1] = '.';
    graco_status status = pickle_decode(&pickle, bytes, 2 * depth);
    pickle_clear(&pickle);
    free(bytes);
    return status;
}

/* Doubling: each list holds the one before it twice. Its tree has 2^levels leaves. */
static graco_status doubled(int levels)
{
    uint8_t bytes[4096];
    int64_t length = 0;
    struct pickle pickle;
    memcpy(bytes, "]q\0", 3);
    length = 3;
    for (int i = 1; i <= levels; i++) {
        const uint8_t step[] = {'0', ']', 'h',       (uint8_t)(i - 1), 'a', 'h', (uint8_t)(i - 1),
                                'a', 'q', (uint8_t)i};
        memcpy(bytes + length, step, sizeof step);
        length += (int64_t)sizeof step;
    }
    bytes[length++] = '.';
    graco_status status = pickle_decode(&pickle, bytes, length);
    pickle_clear(&pickle);
    return status;
}

/* One long string, and many arrays that all name it: the expansion must be refused. */
static void test_amplification(void)
{
    static const char head[] = "cnumpy.core.multiarray\n_reconstruct\np1\n0cnumpy\nndarray\np2\n0"
                               "cnumpy\ndtype\n(S'u1'\nI0\nI1\ntRp3\n0";
    static const char each[] = "g1\n(g2\n(I0\ntS'b'\ntR(I1\n(I100000\ntg3\nI00\ng0\ntb";
    enum { LONG = 100000, TIMES = 1000 };
    char *bytes = malloc(LONG + 64 + sizeof head + TIMES * sizeof each);
    int64_t length = sprintf(bytes, "(T%c%c%c%c", LONG & 255, LONG >> 8 & 255, LONG >> 16, 0);
    struct pickle pickle;
    memset(bytes + length, 'x', LONG);
    length += LONG;
    length += sprintf(bytes + length, "p0\n0%s", head);
    for (int i = 0; i < TIMES; i++)
        length += sprintf(bytes + length, "%s", each);
    length += sprintf(bytes + length, "t.");
    CHECK_FAILS(pickle_decode(&pickle, bytes, length), GRACO_ERROR_FORMAT, "asks for more");
    free(bytes);
}

static void test_bounds(void)
{
    CHECK_OK(nested(90));
    CHECK_FAILS(nested(200), GRACO_ERROR_FORMAT, "deep");
    CHECK_FAILS(nested(1000000), GRACO_ERROR_FORMAT, "deep");
    CHECK_OK(doubled(80));
    CHECK_FAILS(doubled(150), GRACO_ERROR_FORMAT, "deep");
    test_amplification();
}

static void test_planetoid(void)
{
    static const struct {
        const char *name;
        int64_t nodes, features, classes, training, all;
    } sets[] = {{"cora", 2708, 1433, 7, 140, 1708},
                {"citeseer", 3327, 3703, 6, 120, 2312},
                {"pubmed", 19717, 500, 3, 60, 18717}};
    for (int i = 0; i < 3; i++) {
        static const char *const parts[] = {"x", "tx", "allx", "y", "ty", "ally", "graph"};
        for (int p = 0; p < 7; p++) {
            char name[100];
            struct pickle pickle;
            snprintf(name, sizeof name, "%s/ind.%s.%s", sets[i].name, sets[i].name, parts[p]);
            const char *path = hostile_data(name);
            if (!path)
                return;
            CHECK_OK(pickle_read(&pickle, path));
            const struct pickle_value *root = pickle.root;
            int64_t rows = p == 0 || p == 3   ? sets[i].training
                           : p == 2 || p == 5 ? sets[i].all
                                              : -1;
            if (p < 3) {
                CHECK(root->kind == PICKLE_CSR && root->csr->cols == sets[i].features);
                CHECK(rows < 0 || root->csr->rows == rows);
            } else if (p < 6) {
                CHECK(root->kind == PICKLE_ARRAY && root->array->ndim == 2 &&
                      root->array->shape[1] == sets[i].classes);
                CHECK(rows < 0 || root->array->shape[0] == rows);
            } else {
                CHECK(root->kind == PICKLE_DICT && root->count == sets[i].nodes);
                bool fine = true;
                for (int64_t k = 0; k < root->count; k++)
                    fine &= root->items[2 * k]->kind == PICKLE_INT &&
                            root->items[2 * k + 1]->kind == PICKLE_LIST;
                CHECK(fine);
            }
            pickle_clear(&pickle);
        }
    }
}

int main(void)
{
    test_protocols();
    test_refusals();
    test_hostile_arrays();
    test_bounds();
    test_planetoid();
    return check_result();
}
