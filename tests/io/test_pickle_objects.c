/* The objects of a pickle, one table: numpy's arrays, types and numbers, csr matrices, dicts and
 * the text opcodes, each described in a way that is right, or wrong in one thing. */
#include "base/memory.h"
#include "io/pickle/pickle.h"

#include "hostile.h"

#define GLOBAL(module, name) "c" module "\n" name "\n"
#define TYPE_OF(text) GLOBAL("numpy", "dtype") "(S'" text "'\nI0\nI1\ntR"
#define TYPE(text) TYPE_OF(text) "(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
#define RECONSTRUCT                                                                                \
    GLOBAL("numpy.core.multiarray", "_reconstruct")                                                \
    "(" GLOBAL("numpy", "ndarray") "(I0\ntS'b'\ntR"
#define ARRAY(shape, type, raw) RECONSTRUCT "(I1\n" shape type "I00\nS'" raw "'\ntb"
#define BYTES_4(a, b, c, d) "\\x0" #a "\\x0" #b "\\x0" #c "\\x0" #d
#define VECTOR(n, raw) ARRAY("(I" #n "\nt", TYPE("u1"), raw)
#define SCALAR(type, raw) GLOBAL("numpy.core.multiarray", "scalar") "(" TYPE(type) "S'" raw "'\ntR."
#define CSR GLOBAL("scipy.sparse.csr", "csr_matrix") ")\x81"
#define CSR_STATE(shape, indptr, indices, data)                                                    \
    CSR "}(S'_shape'\n" shape "S'indptr'\n" indptr "S'indices'\n" indices "S'data'\n" data "ub."
#define SHAPE_2_3 "(I2\nI3\nt"
#define STARTS VECTOR(3, "\\x00\\x01\\x02")
#define COLUMNS VECTOR(2, "\\x00\\x02")
#define ENCODE(arguments) GLOBAL("_codecs", "encode") "(" arguments "tR."

struct row {
    const char *bytes;
    const char *part; /* of the message; NULL: it is read */
    enum pickle_kind kind;
    double number; /* of an integer or a float; bytes of a string; items of the others */
};

static const struct row rows[] = {
    /* Types. */
    {TYPE("f4") "0N.", NULL, PICKLE_NONE, 0},
    {GLOBAL("numpy", "dtype") "(tR0N.", "describes a numpy type", 0, 0},
    {GLOBAL("numpy", "dtype") "(I4\ntR0N.", "describes a numpy type", 0, 0},
    {TYPE("q9") "0N.", "q9", 0, 0},
    {TYPE_OF("f4") "I1\nb0N.", "describes a numpy type", 0, 0},
    {TYPE_OF("f4") "(I3\nS'<'\nNNtb0N.", "describes a numpy type", 0, 0},
    {TYPE_OF("f4") "(I3\nI1\nNNNtb0N.", "describes a numpy type", 0, 0},
    {TYPE_OF("f4") "(I3\nS'<'\nNI1\nNtb0N.", "a structured numpy type", 0, 0},
    {TYPE_OF("f4") "(I3\nS'!'\nNNNtb0N.", "describes a numpy byte order", 0, 0},
    {TYPE_OF("f4") "(I3\nS'<<'\nNNNtb0N.", "describes a numpy byte order", 0, 0},
    /* Arrays. */
    {VECTOR(2, "ab") ".", NULL, PICKLE_ARRAY, 2},
    {RECONSTRUCT "((I2\nt" TYPE("u1") "I00\nS'ab'\ntb.", NULL, PICKLE_ARRAY, 2},
    {RECONSTRUCT "(I1\n(I2\nt" TYPE("u1") "I1\nS'ab'\ntb.", NULL, PICKLE_ARRAY, 2},
    {GLOBAL("numpy.core.multiarray", "_reconstruct") "(tR.", "describes a numpy array", 0, 0},
    {GLOBAL("numpy.core.multiarray", "_reconstruct") "(I1\ntR.", "describes a numpy array", 0, 0},
    {RECONSTRUCT ".", "unfinished object", 0, 0},
    {RECONSTRUCT "I1\nb.", "describes a numpy array", 0, 0},
    {RECONSTRUCT "(I1\nI2\nI3\ntb.", "describes a numpy array", 0, 0},
    {RECONSTRUCT "(I1\n(I2\ntI4\nI00\nS'ab'\ntb.", "describes a numpy array", 0, 0},
    {RECONSTRUCT "(I1\n(I2\nt" TYPE("u1") "NS'ab'\ntb.", "describes a numpy array", 0, 0},
    {RECONSTRUCT "(I1\n(I2\nt" TYPE("u1") "I00\n(lp0\ntb.", "array of objects", 0, 0},
    {ARRAY("(I2\nt", TYPE_OF("O8"), "ab") ".", "array of objects", 0, 0},
    {ARRAY("I2\n", TYPE("u1"), "ab") ".", "describes the shape of an array", 0, 0},
    {ARRAY("(S'2'\nt", TYPE("u1"), "ab") ".", "describes the shape of an array", 0, 0},
    {ARRAY("(I1\nI1\nI1\nI1\nI1\nI1\nI1\nI1\nI2\nt", TYPE("u1"), "ab") ".",
     "describes the shape of an array", 0, 0},
    {ARRAY("(I-2\nt", TYPE("u1"), "ab") ".", "-2", 0, 0},
    {ARRAY("(I1152921504606846976\nI64\nt", TYPE("u1"), "ab") ".", "overflows", 0, 0},
    {ARRAY("(I3\nt", TYPE("u1"), "ab") ".", "has 2 bytes, 3 expected", 0, 0},
    /* Numbers. */
    {SCALAR("i4", BYTES_4(7, 0, 0, 0)), NULL, PICKLE_INT, 7},
    {SCALAR("b1", "\\x01"), NULL, PICKLE_BOOL, 1},
    {SCALAR("f4", "\\x00\\x00\\xc0?"), NULL, PICKLE_FLOAT, 1.5},
    {SCALAR("f2", "\\x00<"), NULL, PICKLE_FLOAT, 1},
    {SCALAR("f8", "\\x00\\x00\\x00\\x00\\x00\\x00\\x04@"), NULL, PICKLE_FLOAT, 2.5},
    {SCALAR("u8", "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff"), "18446744073709551615", 0, 0},
    {SCALAR("i4", "ab"), "has 2 bytes, 4 expected", 0, 0},
    {SCALAR("S2", "ab"), "describes a numpy number", 0, 0},
    {GLOBAL("numpy.core.multiarray", "scalar") "(tR.", "describes a numpy number", 0, 0},
    {GLOBAL("numpy.core.multiarray", "scalar") "(I1\nS'a'\ntR.", "describes a numpy number", 0, 0},
    {GLOBAL("numpy.core.multiarray", "scalar") "(" TYPE("i4") "I1\ntR.", "a numpy number", 0, 0},
    /* Matrices. */
    {CSR_STATE(SHAPE_2_3, STARTS, COLUMNS, COLUMNS), NULL, PICKLE_CSR, 2},
    {CSR "}(S'shape'\n" SHAPE_2_3 "S'indptr'\n" STARTS "S'indices'\n" COLUMNS "S'data'\n" COLUMNS
         "ub.",
     NULL, PICKLE_CSR, 2},
    {CSR ".", "unfinished object", 0, 0},
    {CSR "I1\nb.", "describes a csr matrix", 0, 0},
    {CSR "}b.", "describes a csr matrix", 0, 0},
    {CSR_STATE("(I2\nt", STARTS, COLUMNS, COLUMNS), "describes a csr matrix", 0, 0},
    {CSR_STATE("I2\n", STARTS, COLUMNS, COLUMNS), "describes the shape", 0, 0},
    {CSR_STATE(SHAPE_2_3, "I1\n", COLUMNS, COLUMNS), "has no vector indptr", 0, 0},
    {CSR_STATE(SHAPE_2_3, STARTS, "N", COLUMNS), "has no vector indices", 0, 0},
    {CSR_STATE(SHAPE_2_3, STARTS, COLUMNS, ARRAY("(I1\nI2\nt", TYPE("u1"), "ab")),
     "has no vector data", 0, 0},
    {CSR "}(S'_shape'\n" SHAPE_2_3 "ub.", "has no vector indptr", 0, 0},
    {CSR_STATE("(I-2\nI3\nt", STARTS, COLUMNS, COLUMNS), "a csr matrix of -2 x 3", 0, 0},
    {CSR_STATE("(I2\nI-3\nt", STARTS, COLUMNS, COLUMNS), "a csr matrix of 2 x -3", 0, 0},
    {CSR_STATE("(I3\nI3\nt", STARTS, COLUMNS, COLUMNS), "has 3 row pointers of type", 0, 0},
    {CSR_STATE(SHAPE_2_3, STARTS, COLUMNS, STARTS), "2 columns of type uint8 and 3 values", 0, 0},
    {CSR_STATE(SHAPE_2_3, STARTS, COLUMNS, ARRAY("(I2\nt", TYPE_OF("S1"), "ab")), "of type", 0, 0},
    {CSR_STATE(SHAPE_2_3, STARTS, ARRAY("(I2\nt", TYPE_OF("S1"), "ab"), COLUMNS), "of type", 0, 0},
    {CSR_STATE(SHAPE_2_3, ARRAY("(I3\nt", TYPE_OF("S1"), "abc"), COLUMNS, COLUMNS), "of type", 0,
     0},
    {GLOBAL("scipy.sparse.csr", "csr_matrix") "(I1\nt\x81.", "describes a csr matrix", 0, 0},
    {GLOBAL("copy_reg", "_reconstructor") "(tR.", "describes an object", 0, 0},
    {GLOBAL("copy_reg", "_reconstructor") "(" GLOBAL("numpy", "dtype") "NNtR.", "an object", 0, 0},
    /* Bytes. */
    {ENCODE("Vab\nS'latin1'\n"), NULL, PICKLE_STRING, 2},
    {ENCODE("Va\\u00ff\nS'latin-1'\n"), NULL, PICKLE_STRING, 2},
    {ENCODE("Va\\u0100\nS'latin1'\n"), "holds other characters", 0, 0},
    {ENCODE("S'a\\xc3'\nS'latin1'\n"), "holds other characters", 0, 0},
    {ENCODE("S'\\xc3a'\nS'latin1'\n"), "holds other characters", 0, 0},
    {ENCODE("Vab\nS'utf8'\n"), "describes bytes", 0, 0},
    {ENCODE("Vab\n"), "describes bytes", 0, 0},
    {ENCODE("I1\nS'latin1'\n"), "describes bytes", 0, 0},
    {ENCODE("Vab\nI1\n"), "describes bytes", 0, 0},
    /* Dicts, calls and states. */
    {GLOBAL("collections", "defaultdict") "(tR.", NULL, PICKLE_DICT, 0},
    {GLOBAL("collections", "defaultdict") "(" GLOBAL("builtins", "int") "tR.", NULL, PICKLE_DICT,
     0},
    {GLOBAL("collections", "defaultdict") "(" GLOBAL("builtins", "list") "NtR.", "a defaultdict", 0,
     0},
    {GLOBAL("collections", "defaultdict") "(NtR.", "describes a defaultdict", 0, 0},
    {GLOBAL("collections", "OrderedDict") "(tR.", NULL, PICKLE_DICT, 0},
    {GLOBAL("collections", "OrderedDict") "(NtR.", "describes an OrderedDict", 0, 0},
    {GLOBAL("builtins", "list") "(tR.", "describes a call", 0, 0},
    {GLOBAL("builtins", "eval") "(S'1'\ntR.", "builtins.eval", 0, 0},
    {"(lp0\nNb.", "describes the state of an object", 0, 0},
    {GLOBAL("numpy", "ndarray") ".", "", 0, 0},
    /* Text. */
    {"I00\n.", NULL, PICKLE_BOOL, 0},
    {"I01\n.", NULL, PICKLE_BOOL, 1},
    {"I02\n.", NULL, PICKLE_INT, 2},
    {"I10\n.", NULL, PICKLE_INT, 10},
    {"I-12\n.", NULL, PICKLE_INT, -12},
    {"L00\n.", NULL, PICKLE_INT, 0},
    {"L12L\n.", NULL, PICKLE_INT, 12},
    {"L12\n.", NULL, PICKLE_INT, 12},
    {"L\n.", "has no digits", 0, 0},
    {"LL\n.", "has no digits", 0, 0},
    {"I\n.", "has no digits", 0, 0},
    {"I-\n.", "has no digits", 0, 0},
    {"I1x\n.", "no integer of 64 bits", 0, 0},
    {"I9223372036854775808\n.", "no integer of 64 bits", 0, 0},
    {"I9223372036854775807\n.", NULL, PICKLE_INT, 9223372036854775807.0},
    {"I5", "", 0, 0},
    {"F1.5\n.", NULL, PICKLE_FLOAT, 1.5},
    {"F1.5x\n.", "a text is no number", 0, 0},
    {"F1.5", "", 0, 0},
    {"S'a\\n\\\\\\'\\x41'\n.", NULL, PICKLE_STRING, 5},
    {"S\"ab\"\n.", NULL, PICKLE_STRING, 2},
    {"S''\n.", NULL, PICKLE_STRING, 0},
    {"S'a\"\n.", "has no quotes", 0, 0},
    {"Sa\n.", "has no quotes", 0, 0},
    {"S'\n.", "has no quotes", 0, 0},
    {"S'\\q'\n.", "unknown escape", 0, 0},
    {"S'\\x4'\n.", "unknown escape", 0, 0},
    {"S'\\x4g'\n.", "unknown escape", 0, 0},
    {"S'\\xg4'\n.", "unknown escape", 0, 0},
    {"S'\\xAf'\n.", NULL, PICKLE_STRING, 1},
    {"S'a\\'\n.", NULL, PICKLE_STRING, 2},
    {"S'ab'", "", 0, 0},
    {"Vab\\u00e9\n.", NULL, PICKLE_STRING, 4},
    {"Va\\u07ff\n.", NULL, PICKLE_STRING, 3},
    {"Va\\u0800\n.", "character that is not handled", 0, 0},
    {"Va\\u00g0\n.", "character that is not handled", 0, 0},
    {"Va\\u00\n.", NULL, PICKLE_STRING, 5},
    {"Va\\x\n.", NULL, PICKLE_STRING, 3},
    {"Vab", "", 0, 0},
};

static double number_of(const struct pickle_value *value)
{
    switch (value->kind) {
    case PICKLE_BOOL:
    case PICKLE_INT:
        return (double)value->integer;
    case PICKLE_FLOAT:
        return value->real;
    case PICKLE_ARRAY:
        return (double)value->array->count;
    case PICKLE_CSR:
        return (double)value->csr->entries;
    default:
        return (double)value->count;
    }
}

int main(void)
{
    int refused = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct pickle pickle;
        graco_status status =
            pickle_decode(&pickle, (const uint8_t *)row->bytes, (int64_t)strlen(row->bytes));
        bool fine = row->part ? status == GRACO_ERROR_FORMAT && strstr(graco_message(), row->part)
                              : status == GRACO_OK && pickle.root->kind == row->kind &&
                                    number_of(pickle.root) == row->number;
        if (!fine)
            fprintf(stderr, "pickle %zu: expected '%s', found %d '%s'\n", i,
                    row->part ? row->part : "a value", (int)status, graco_message());
        CHECK(fine);
        refused += status != GRACO_OK;
        pickle_clear(&pickle);
    }
    printf("%d inputs refused\n", refused);
    return check_result();
}
