/* Every decoder on hostile bytes that grow: a beginning, a piece that is repeated, another one that
 * is repeated as often, and an end. */
#include "growth.h"

#include "base/memory.h"
#include "io/json/json.h"
#include "io/json/node_link.h"
#include "io/npy.h"
#include "io/pickle/pickle.h"
#include "io/safetensors.h"
#include "io/name_lines.h"
#include "io/tables/table.h"
#include "io/zip/npz.h"

struct bytes {
    const void *data;
    int64_t length;
};

#define BYTES(literal)                                                                             \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* ---- The decoders ---------------------------------------------------------------------------- */

static graco_status decode_json(const struct bytes *in)
{
    struct json *value = NULL;
    graco_status status = json_parse(&value, in->data, in->length);
    json_free(value);
    return status;
}

static graco_status decode_node_link(const struct bytes *in)
{
    struct node_link graph = {0};
    graco_status status = node_link_decode(&graph, in->data, in->length);
    node_link_clear(&graph);
    return status;
}

static graco_status decode_pickle(const struct bytes *in)
{
    struct pickle pickle = {0};
    graco_status status = pickle_decode(&pickle, in->data, in->length);
    pickle_clear(&pickle);
    return status;
}

static graco_status decode_npy(const struct bytes *in)
{
    struct array array = {0};
    graco_status status = npy_decode(&array, in->data, in->length);
    array_clear(&array);
    return status;
}

static graco_status decode_npz(const struct bytes *in)
{
    struct npz *npz = NULL;
    graco_status status = npz_open_bytes(&npz, in->data, in->length);
    npz_close(npz);
    return status;
}

static graco_status decode_safetensors(const struct bytes *in)
{
    struct safetensors *file = NULL;
    graco_status status = safetensors_decode(&file, in->data, in->length);
    safetensors_free(file);
    return status;
}

static graco_status decode_edges(const struct bytes *in)
{
    struct table_edges edges = {0};
    graco_status status = table_edges_read(&edges, "grown", in->data, in->length, NULL);
    table_edges_clear(&edges);
    return status;
}

static graco_status decode_numbers(const struct bytes *in)
{
    struct table_numbers numbers = {0};
    graco_status status =
        table_numbers_read(&numbers, "grown", in->data, in->length, TABLE_IDS_AUTO, NULL);
    table_numbers_clear(&numbers);
    return status;
}

static graco_status decode_labels(const struct bytes *in)
{
    struct table_labels labels = {0};
    graco_status status = table_labels_read(&labels, "grown", in->data, in->length, NULL);
    table_labels_clear(&labels);
    return status;
}

static graco_status decode_name_lines(const struct bytes *in)
{
    struct name_lines lines;
    const char *name = "";
    graco_status status = GRACO_OK;
    name_lines_init(&lines, in->data, in->length);
    while (status == GRACO_OK && name)
        status = name_lines_next(&name, &lines);
    name_lines_clear(&lines);
    return status;
}

/* ---- The bytes ------------------------------------------------------------------------------- */

enum decoder {
    JSON,
    NODE_LINK,
    PICKLE,
    NPY,
    NPZ,
    SAFETENSORS,
    EDGES,
    NUMBERS,
    LABELS,
    NAME_LINES,
    DECODERS
};

/* The limits are those of docs/reliability.md. */
static const struct {
    const char *name;
    graco_status (*decode)(const struct bytes *);
    struct growth_limit limit;
} decoders[DECODERS] = {
    [JSON] = {"json", decode_json, {64, 1, 1 << 20}},
    [NODE_LINK] = {"node_link", decode_node_link, {4, 1, 1 << 20}},
    [PICKLE] = {"pickle", decode_pickle, {128, 1, 1 << 20}},
    [NPY] = {"npy", decode_npy, {4, 1, 1 << 20}},
    [NPZ] = {"npz", decode_npz, {4, 1, 1 << 20}},
    [SAFETENSORS] = {"safetensors", decode_safetensors, {64, 1, 1 << 20}},
    [EDGES] = {"edges", decode_edges, {32, 1, 1 << 20}},
    [NUMBERS] = {"numbers", decode_numbers, {16, 1, 1 << 20}},
    [LABELS] = {"labels", decode_labels, {32, 1, 1 << 20}},
    [NAME_LINES] = {"name_lines", decode_name_lines, {4, 1, 1 << 20}},
};

/* %d in a piece becomes the number of the repetition, so that names differ; before the first piece, that
 * of all repetitions. */
struct row {
    enum decoder decoder;
    const char *what;
    struct bytes before, piece, between, again, after;
};

/* A vector of int32 in a pickle: its length and its bytes, with the opcode before them. */
#define VECTOR(length, bytes)                                                                      \
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0tU\1btR(K\1(" length              \
    "tcnumpy\ndtype\n(U\2i4K\0K\1tR(K\3U\1<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89" bytes   \
    "tb"
#define NO_ITEMS VECTOR("K\0", "U\0")
#define ONE_ITEM VECTOR("K\1", "U\4\0\0\0\0")

static const struct row rows[] = {
    {JSON, "brackets", NOTHING, BYTES("["), NOTHING, NOTHING, NOTHING},
    {JSON, "zeros", BYTES("["), BYTES("0,"), BYTES("0]"), NOTHING, NOTHING},
    {JSON, "empty arrays", BYTES("["), BYTES("[],"), BYTES("0]"), NOTHING, NOTHING},
    {JSON, "arrays of one", BYTES("["), BYTES("[0],"), BYTES("0]"), NOTHING, NOTHING},
    {JSON, "keys", BYTES("{"), BYTES("\"%d\":0,"), BYTES("\"\":0}"), NOTHING, NOTHING},
    {JSON, "one key again", BYTES("{"), BYTES("\"a\":0,"), BYTES("\"b\":0}"), NOTHING, NOTHING},
    {JSON, "escapes", BYTES("\""), BYTES("\\u0001"), BYTES("\""), NOTHING, NOTHING},
    {JSON, "digits", NOTHING, BYTES("1"), NOTHING, NOTHING, NOTHING},
    {JSON, "blanks", NOTHING, BYTES(" "), BYTES("1"), NOTHING, NOTHING},
    {NODE_LINK, "links", BYTES("{\"nodes\":[{\"id\":0}],\"links\":["),
     BYTES("{\"source\":0,\"target\":0},"), BYTES("{\"source\":0,\"target\":0}]}"), NOTHING,
     NOTHING},
    {NODE_LINK, "nodes", BYTES("{\"links\":[{\"source\":0,\"target\":0}],\"nodes\":["),
     BYTES("{\"id\":%d},"), BYTES("]}"), NOTHING, NOTHING},
    {NODE_LINK, "brackets", BYTES("{\"nodes\":"), BYTES("["), NOTHING, NOTHING, NOTHING},
    {NODE_LINK, "skipped", BYTES("{\"graph\":["), BYTES("[{}],"), BYTES("0]}"), NOTHING, NOTHING},
    {PICKLE, "Nones", BYTES("\x80\2("), BYTES("N"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "lists", BYTES("\x80\2("), BYTES("]"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "dicts", BYTES("\x80\2("), BYTES("}"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "lists of one", BYTES("\x80\2("), BYTES("]Na"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "tuples", BYTES("\x80\2N"), BYTES("\x85"), BYTES("."), NOTHING, NOTHING},
    {PICKLE, "marks", BYTES("\x80\2"), BYTES("("), BYTES("."), NOTHING, NOTHING},
    {PICKLE, "copies of the top", BYTES("\x80\2(N"), BYTES("2"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "memos", BYTES("\x80\4N"), BYTES("\x94"), BYTES("."), NOTHING, NOTHING},
    {PICKLE, "far memos", BYTES("\x80\2N"), BYTES("r\xff\xff\xff\x7f"), BYTES("."), NOTHING,
     NOTHING},
    {PICKLE, "a list, appended", BYTES("\x80\2]"), BYTES("Na"), BYTES("."), NOTHING, NOTHING},
    {PICKLE, "a list that others share", BYTES("\x80\2]q\0("), BYTES("K\0"), BYTES("e0("),
     BYTES("h\0"), BYTES("l.")},
    {PICKLE, "short texts", BYTES("\x80\2("), BYTES("U\0"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "names", BYTES("\x80\2("), BYTES("cnumpy\ndtype\n"), BYTES("l."), NOTHING, NOTHING},
    {PICKLE, "frames", BYTES("\x80\4("), BYTES("\x95\0\0\0\0\0\0\0\0"), BYTES("l."), NOTHING,
     NOTHING},
    /* csr_matrix is memo 0, the state memo 1; what it needs stands first, where it is found last. */
    {PICKLE, "a state that matrices share",
     BYTES("\x80\2cscipy.sparse.csr\ncsr_matrix\nq\0000}q\1(U\6_shapeK\0K\5\x86U\6indptr" ONE_ITEM
           "U\7indices" NO_ITEMS "U\4data" NO_ITEMS "K\1q\2N"),
     BYTES("h\2N"), BYTES("u0"), BYTES("h\0)\x81h\1b0"), BYTES("N.")},
    {PICKLE, "a type's text that types share", BYTES("\x80\2cnumpy\ndtype\nq\0000(Vi"), BYTES("0"),
     BYTES("4\ntq\0010"), BYTES("h\0h\1R0"), BYTES("N.")},
    {PICKLE, "integers as text", BYTES("("), BYTES("I1\n"), BYTES("l."), NOTHING, NOTHING},
    {NPY, "dimensions", BYTES("{'descr': '<f4', 'fortran_order': False, 'shape': ("), BYTES("0, "),
     BYTES("), }\n"), NOTHING, NOTHING},
    {NPY, "blanks", BYTES("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }"), BYTES(" "),
     BYTES("\n"), NOTHING, NOTHING},
    {NPY, "items, fewer than claimed",
     BYTES("{'descr': '|u1', 'fortran_order': True, 'shape': (1048576, 8), }\n"), BYTES("a"),
     NOTHING, NOTHING, NOTHING},
    {NPY, "items in the other byte order",
     BYTES("{'descr': '>f8', 'fortran_order': True, 'shape': (%d, 1), }\n"), BYTES("12345678"),
     NOTHING, NOTHING, NOTHING},
    {NPY, "empty texts", BYTES("{'descr': '|S0', 'fortran_order': False, 'shape': (%d,), }"),
     BYTES(" "), BYTES("\n"), NOTHING, NOTHING},
    {NPZ, "members", NOTHING, BYTES("%d"), NOTHING, NOTHING, NOTHING},
    {NPZ, "signatures", NOTHING, BYTES("PK\5\6"), NOTHING, NOTHING, NOTHING},
    {SAFETENSORS, "tensors", BYTES("{"),
     BYTES("\"%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"),
     BYTES("\"\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}"), NOTHING, NOTHING},
    {SAFETENSORS, "metadata", BYTES("{\"__metadata__\":{"), BYTES("\"%d\":\"\","),
     BYTES("\"\":\"\"}}"), NOTHING, NOTHING},
    {SAFETENSORS, "dimensions",
     BYTES("{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,0],\"shape\":["), BYTES("0,"),
     BYTES("0]}}"), NOTHING, NOTHING},
    {EDGES, "numbers", NOTHING, BYTES("0 1\n"), NOTHING, NOTHING, NOTHING},
    {EDGES, "far numbers", NOTHING, BYTES("0 %d999999\n"), NOTHING, NOTHING, NOTHING},
    {EDGES, "names", NOTHING, BYTES("a%d b\n"), NOTHING, NOTHING, NOTHING},
    {EDGES, "doubled quotes", NOTHING, BYTES("\"\"\"%d\" \"\"\"\"\n"), NOTHING, NOTHING, NOTHING},
    {EDGES, "numbers, then a name", NOTHING, BYTES("0 1\n"), BYTES("a b\n"), NOTHING, NOTHING},
    {EDGES, "empty lines", NOTHING, BYTES("\n"), BYTES("0 1\n"), NOTHING, NOTHING},
    {EDGES, "comments", NOTHING, BYTES("#\n"), BYTES("0 1\n"), NOTHING, NOTHING},
    {EDGES, "fields", NOTHING, BYTES("0 "), BYTES("\n"), NOTHING, NOTHING},
    {EDGES, "MatrixMarket", BYTES("%%MatrixMarket matrix coordinate pattern symmetric\n9 9 8\n"),
     BYTES("1 2\n"), NOTHING, NOTHING, NOTHING},
    {EDGES, "MatrixMarket, comments", BYTES("%%MatrixMarket matrix coordinate pattern general\n"),
     BYTES("%\n"), BYTES("2147483646 2147483646 2147483646\n1 2\n"), NOTHING, NOTHING},
    {NUMBERS, "a column", NOTHING, BYTES("1\n"), NOTHING, NOTHING, NOTHING},
    {NUMBERS, "a row", NOTHING, BYTES("1,"), BYTES("1\n"), NOTHING, NOTHING},
    {NUMBERS, "a row, then short ones", NOTHING, BYTES("1,"), BYTES("1\n"), BYTES("1\n"), NOTHING},
    {NUMBERS, "ids", NOTHING, BYTES("a%d,1\n"), NOTHING, NOTHING, NOTHING},
    {NUMBERS, "ids in the second column", NOTHING, BYTES(".5,%d\n"), NOTHING, NOTHING, NOTHING},
    {NUMBERS, "a header", BYTES("id"), BYTES(",a"), BYTES("\n1,2\n"), NOTHING, NOTHING},
    {NUMBERS, "digits", NOTHING, BYTES("1"), BYTES("\n"), NOTHING, NOTHING},
    {LABELS, "classes", NOTHING, BYTES("%d\n"), NOTHING, NOTHING, NOTHING},
    {LABELS, "one far class", BYTES("1048575\n"), BYTES("0\n"), NOTHING, NOTHING, NOTHING},
    {LABELS, "names", NOTHING, BYTES("a%d\n"), NOTHING, NOTHING, NOTHING},
    {LABELS, "ids", NOTHING, BYTES("a%d,b\n"), NOTHING, NOTHING, NOTHING},
    {LABELS, "further columns", BYTES("node,class"), BYTES(",p"), BYTES("\n"), NOTHING, NOTHING},
    {LABELS, "names in falling order", NOTHING, BYTES("-%d b\n"), NOTHING, NOTHING, NOTHING},
    {NAME_LINES, "empty names", NOTHING, BYTES("\n"), NOTHING, NOTHING, NOTHING},
    {NAME_LINES, "a long name", NOTHING, BYTES("\\\\"), BYTES("\n"), NOTHING, NOTHING},
    {NAME_LINES, "a long name, then empty ones", NOTHING, BYTES("a"), BYTES("\n"), BYTES("\n"),
     NOTHING},
};

static void put(struct bytes *out, uint8_t *to, struct bytes piece)
{
    if (piece.length > 0)
        memcpy(to + out->length, piece.data, (size_t)piece.length);
    out->length += piece.length;
}

static void put_numbered(struct bytes *out, uint8_t *to, struct bytes piece, int64_t i)
{
    const char *number = piece.length > 0 ? strstr(piece.data, "%d") : NULL;
    char digits[24];
    if (!number) {
        put(out, to, piece);
        return;
    }
    int64_t head = number - (const char *)piece.data;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)i);
    put(out, to, (struct bytes){piece.data, head});
    put(out, to, (struct bytes){digits, length});
    put(out, to, (struct bytes){number + 2, piece.length - head - 2});
}

static void repeat(struct bytes *out, uint8_t *to, struct bytes piece, int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        put_numbered(out, to, piece, i);
}

/* An archive of empty members; zip_t is the system's, so it is written by hand. Names are so long that the
 * larger of the two has no more members than are read. */
enum { MEMBER_NAME = 64 };

static void put_member(struct bytes *out, uint8_t *to, int64_t number, int64_t at, bool central)
{
    uint8_t head[46] = {'P', 'K', central ? 1 : 3, central ? 2 : 4};
    char name[MEMBER_NAME + 1];
    snprintf(name, sizeof name, "%0*lld", MEMBER_NAME, (long long)number);
    head[central ? 28 : 26] = MEMBER_NAME;
    for (int i = 0; central && i < 4; i++)
        head[42 + i] = (uint8_t)(at >> 8 * i);
    put(out, to, (struct bytes){head, central ? 46 : 30});
    put(out, to, (struct bytes){name, MEMBER_NAME});
}

static void put_archive(struct bytes *out, uint8_t *to, int64_t times)
{
    enum { LOCAL = 30 + MEMBER_NAME, CENTRAL = 46 + MEMBER_NAME };
    int64_t members = times / (LOCAL + CENTRAL), at = 0;
    for (int64_t i = 0; i < members; i++)
        put_member(out, to, i, 0, false);
    int64_t start = out->length;
    for (int64_t i = 0; i < members; i++) {
        put_member(out, to, i, at, true);
        at += LOCAL;
    }
    int64_t size = out->length - start;
    uint8_t end[22] = {'P', 'K', 5, 6};
    for (int i = 0; i < 2; i++)
        end[8 + i] = end[10 + i] = (uint8_t)(members >> 8 * i);
    for (int i = 0; i < 4; i++) {
        end[12 + i] = (uint8_t)(size >> 8 * i);
        end[16 + i] = (uint8_t)(start >> 8 * i);
    }
    put(out, to, (struct bytes){end, sizeof end});
}

/* Fills `to` with a row's bytes, about `size` of them. */
static struct bytes make(uint8_t *to, const struct row *row, int64_t size)
{
    struct bytes out = {to, 0};
    int64_t times = size / (row->piece.length + row->again.length);
    int64_t head = row->decoder == NPY ? 12 : row->decoder == SAFETENSORS ? 8 : 0;
    if (row->decoder == NPZ && row->piece.length == 2) {
        put_archive(&out, to, size);
        return out;
    }
    out.length = head;
    put_numbered(&out, to, row->before, times);
    repeat(&out, to, row->piece, times);
    put(&out, to, row->between);
    repeat(&out, to, row->again, times);
    put(&out, to, row->after);
    if (row->decoder == NPY)
        memcpy(to, "\x93NUMPY\2", 8);
    /* Where the header ends: at its newline, or with the bytes. */
    const uint8_t *end = row->decoder == NPY ? memchr(to + head, '\n', (size_t)out.length) : NULL;
    int64_t length = (end ? end + 1 - to : out.length) - head;
    for (int i = 0; i < (head == 12 ? 4 : head); i++)
        to[(head == 12 ? 8 : 0) + i] = (uint8_t)(length >> 8 * i);
    return out;
}

static graco_status (*decode)(const struct bytes *);

static graco_status run(const void *in)
{
    return decode(in);
}

int main(void)
{
    bool tested[DECODERS] = {0};
    int64_t room = (int64_t)8 * GROWTH_TIMES * GROWTH_SMALL;
    uint8_t *to = malloc((size_t)room);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct growth_cost cost[2];
        char what[128];
        decode = decoders[row->decoder].decode;
        for (int large = 0; large < 2; large++) {
            struct bytes in = make(to, row, (int64_t)GROWTH_SMALL * (large ? GROWTH_TIMES : 1));
            cost[large] = growth_measure(run, &in, in.length);
        }
        snprintf(what, sizeof what, "%s: %s", decoders[row->decoder].name, row->what);
        growth_check(what, cost, decoders[row->decoder].limit);
        tested[row->decoder] = true;
    }
    for (int d = 0; d < DECODERS; d++)
        CHECK(tested[d]);
    __real_free(to);
    return check_result();
}
