/* .npy: known bytes, round trips, both orders, hostile headers. */
#include "base/memory.h"
#include "io/npy.h"

#include "hostile.h"

#include <unistd.h>

/* Builds a version `major` file from a header text and raw items; returns its length. */
static int64_t build(uint8_t *out, int major, const char *header, const void *raw, int64_t bytes)
{
    int64_t length = (int64_t)strlen(header), start = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)major;
    out[7] = 0;
    for (int64_t i = 8; i < start; i++)
        out[i] = (uint8_t)(length >> (8 * (i - 8)));
    memcpy(out + start, header, (size_t)length);
    if (bytes > 0)
        memcpy(out + start + length, raw, (size_t)bytes);
    return start + length + bytes;
}

static bool decode(const uint8_t *bytes, int64_t length)
{
    struct array array;
    char **list = NULL;
    float *f32 = NULL;
    bool worked = npy_decode(&array, bytes, length) == GRACO_OK;
    if (worked && array_to_f32(&f32, &array) == GRACO_OK)
        memory_free(f32);
    if (worked && array_to_strings(&list, &array) == GRACO_OK) {
        memory_free(list[0]);
        memory_free(list);
    }
    array_clear(&array);
    struct array borrowed;
    CHECK((npy_decode_borrowed(&borrowed, bytes, length) == GRACO_OK) == worked);
    array_clear(&borrowed);
    return worked;
}

static void test_versions(void)
{
    uint8_t bytes[512];
    const int32_t items[] = {1, 2, 3, 4, 5, 6};
    struct array array;
    for (int major = 1; major <= 3; major++) {
        int64_t length =
            build(bytes, major, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
                  items, sizeof items);
        CHECK_OK(npy_decode(&array, bytes, length));
        CHECK(array.type == ARRAY_I32 && array.ndim == 2 && array.shape[0] == 2 &&
              array.shape[1] == 3 && memcmp(array.data, items, sizeof items) == 0);
        array_clear(&array);
        CHECK(hostile_truncate(decode, bytes, length) == 0);
        hostile_corrupt(decode, bytes, length);
    }
    int64_t length = build(bytes, 4, "{}", NULL, 0);
    CHECK_FAILS(npy_decode(&array, bytes, length), GRACO_ERROR_FORMAT, "version 4.0");
    length = build(bytes, 1, "{\"shape\":(),'fortran_order':True,'descr':'<f8'}", items, 8);
    CHECK_OK(npy_decode(&array, bytes, length));
    CHECK(array.ndim == 0 && array.count == 1);
    array_clear(&array);
    length = build(bytes, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (6L,), }\n", items,
                   sizeof items);
    CHECK_OK(npy_decode(&array, bytes, length));
    array_clear(&array);
}

static void test_orders(void)
{
    uint8_t bytes[512];
    const uint8_t big[] = {0, 0, 0, 1, 0, 0, 1, 0}, wide[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
    const uint8_t text[] = {0, 0, 0, 'a', 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 0};
    int16_t cube[24], *items;
    struct array array;
    char *string = NULL;
    int64_t length = build(bytes, 1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
                           big, sizeof big);
    CHECK_OK(npy_decode(&array, bytes, length));
    CHECK(((const int32_t *)array.data)[0] == 1 && ((const int32_t *)array.data)[1] == 256);
    array_clear(&array);
    length = build(bytes, 1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }", wide, 8);
    CHECK_OK(npy_decode(&array, bytes, length));
    CHECK(((const double *)array.data)[0] == 1);
    array_clear(&array);
    length = build(bytes, 3, "{'descr': '>U2', 'fortran_order': False, 'shape': (2,), }", text, 16);
    CHECK_OK(npy_decode(&array, bytes, length));
    CHECK_OK(array_string(&string, &array, 0));
    CHECK(strcmp(string, "ab") == 0);
    memory_free(string);
    array_clear(&array);
    hostile_corrupt(decode, bytes, length);
    /* Item (i, j, k) of a (2, 3, 4) array in Fortran order lies at i + 2 j + 6 k. */
    for (int i = 0; i < 24; i++)
        cube[i] = (int16_t)i;
    length = build(bytes, 1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }", cube,
                   sizeof cube);
    CHECK_OK(npy_decode(&array, bytes, length));
    memcpy(&items, &array.data, sizeof items);
    bool same = true;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                same &= items[(i * 3 + j) * 4 + k] == i + 2 * j + 6 * k;
    CHECK(same);
    array_clear(&array);
    hostile_corrupt(decode, bytes, length);
}

static void test_refusals(void)
{
    static const struct {
        const char *header, *part;
    } cases[] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1152921504606846976,), }",
         "overflows"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (576460752303423487,), }", "needs"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
         "overflows"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }", "shape"},
        {"{'descr': '|S0', 'fortran_order': False, 'shape': (100000000000000,), }", "length 0"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (-1,), }", "shape"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (8), }", "shape"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,8), }", "shape"},
        {"{'descr': '|u1', 'fortran_order': False}", "nothing else"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (8,), 'shape': (8,)}", "each once"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (8,), 'extra': 1}", "each once"},
        {"{'descr': '|u1', 'fortran_order': 0, 'shape': (8,)}", "True or False"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (8,)} x", "nothing else"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,)}", "structured"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "<c8"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "<f16"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (1,)}", "<i3"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "type"},
        {"{'descr': '<i99999999999999999999', 'fortran_order': False, 'shape': (1,)}", "type"},
        {"__import__('os')", "'{'"},
    };
    uint8_t bytes[512];
    struct array array;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t length = build(bytes, 1, cases[i].header, "12345678", 8);
        CHECK_FAILS(npy_decode(&array, bytes, length), GRACO_ERROR_FORMAT, cases[i].part);
        CHECK(array.data == NULL);
    }
    int64_t length =
        build(bytes, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9,)}", "12345678", 8);
    CHECK_FAILS(npy_decode(&array, bytes, length), GRACO_ERROR_FORMAT, "needs 9 bytes");
    length =
        build(bytes, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}", "12345678", 8);
    CHECK_FAILS(npy_decode(&array, bytes, length), GRACO_ERROR_FORMAT, "needs 7 bytes");
    length =
        build(bytes, 1, "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "\x80\x02", 2);
    CHECK_OK(npy_decode(&array, bytes, length));
    CHECK(array.type == ARRAY_OBJECT && array.data == NULL && array.count == 3);
    memcpy(bytes + 8, "\xff\xff", 2);
    CHECK_FAILS(npy_decode(&array, bytes, length), GRACO_ERROR_FORMAT, "65535");
}

static void test_round_trip(const char *folder)
{
    uint64_t raw[24];
    const char *path = hostile_path(folder, "a.npy");
    for (int i = 0; i < 24; i++)
        raw[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
    for (int type = ARRAY_BOOL; type <= ARRAY_F64; type++) {
        static const int64_t shapes[] = {1, 1, 2, 3, 4, 1, 1, 1};
        for (int ndim = 0; ndim <= 8; ndim++) {
            struct array array, again;
            struct npy_map map;
            int64_t shape[8] = {0};
            for (int d = 0; d < ndim; d++)
                shape[d] = ndim == 1 ? 24 : shapes[(d + 1) % 8];
            CHECK(array_borrow(&array, (enum array_type)type, raw, ndim, shape) == GRACO_OK);
            CHECK(npy_write(path, &array) == GRACO_OK);
            CHECK(npy_read(&again, path) == GRACO_OK);
            CHECK(again.type == array.type && again.ndim == ndim && again.count == array.count &&
                  memcmp(again.data, raw, (size_t)(array.count * array.size)) == 0);
            array_clear(&again);
            CHECK(npy_map_open(&map, path) == GRACO_OK);
            CHECK(map.array.owned == NULL && (const uint8_t *)map.array.data >= map.map.data);
            CHECK(((uintptr_t)map.array.data - (uintptr_t)map.map.data) % 64 == 0);
            CHECK(memcmp(map.array.data, raw, (size_t)(array.count * array.size)) == 0);
            npy_map_close(&map);
        }
    }
    struct npy_map map;
    CHECK_OK(file_write_atomic(path, "rubbish", 7));
    CHECK_FAILS(npy_map_open(&map, path), GRACO_ERROR_FORMAT, "a.npy");
    npy_map_close(&map);
}

/* Parts of a file of some pages, at every place of a page. */
static void test_parts(const char *folder)
{
    enum { ROWS = 4000, COLS = 3 };
    static int32_t items[ROWS * COLS];
    const char *path = hostile_path(folder, "parts.npy");
    struct array array;
    struct npy_map map;
    bool plain = false;
    for (int i = 0; i < ROWS * COLS; i++)
        items[i] = i;
    CHECK_OK(array_borrow(&array, ARRAY_I32, items, 2, (int64_t[]){ROWS, COLS}));
    CHECK_OK(npy_write(path, &array));
    CHECK_OK(npy_describe(&array, &plain, path));
    CHECK(plain && array.type == ARRAY_I32 && array.ndim == 2 && array.shape[0] == ROWS);
    for (int64_t first = 0; first < ROWS * COLS; first += 509) {
        int64_t count = first + 1500 < ROWS * COLS ? 1500 : ROWS * COLS - first;
        CHECK_OK(npy_map_part(&map, path, first, count));
        CHECK(map.array.ndim == 1 && map.array.count == count && map.map.length == 4 * count);
        CHECK(memcmp(map.array.data, items + first, (size_t)count * sizeof *items) == 0);
        CHECK_OK(file_map_check(&map.map, path));
        npy_map_close(&map);
    }
    CHECK_OK(npy_map_part(&map, path, ROWS * COLS, 0));
    CHECK(map.array.count == 0);
    npy_map_close(&map);
    CHECK_FAILS(npy_map_part(&map, path, 0, ROWS * COLS + 1), GRACO_ERROR_FORMAT, "12000 items");
    CHECK_OK(npy_map_part(&map, path, 0, 10));
    CHECK(truncate(path, 1000) ==
          0); /* the part is still there, and yet the file is not what it was */
    CHECK_FAILS(file_map_check(&map.map, path), GRACO_ERROR_IO, "has shrunk from 48128 to 1000");
    npy_map_close(&map);
    CHECK_FAILS(npy_describe(&array, &plain, path), GRACO_ERROR_FORMAT, "parts.npy");
}

static void test_exact_bytes(void)
{
    char header[NPY_HEADER_MAX];
    int64_t length = 0;
    struct array array;
    const int64_t shape[] = {3, 4};
    CHECK_OK(array_borrow(&array, ARRAY_F32, NULL, 2, shape));
    CHECK_OK(npy_header(header, &length, &array));
    CHECK(length == 128 && memcmp(header, "\x93NUMPY\x01\0\x76\0", 10) == 0);
    CHECK(memcmp(header + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  ",
                 61) == 0);
    CHECK(header[127] == '\n' && header[126] == ' ');
    CHECK_OK(array_borrow(&array, ARRAY_U8, NULL, 1, shape));
    CHECK_OK(npy_header(header, &length, &array));
    CHECK(memcmp(header + 10, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 57) ==
          0);
}

int main(void)
{
    const char *folder = fixture_folder();
    test_versions();
    test_orders();
    test_refusals();
    test_round_trip(folder);
    test_parts(folder);
    test_exact_bytes();
    return check_result();
}
