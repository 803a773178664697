/* Range-checked conversions and strings. */
#include "base/memory.h"
#include "io/array.h"

#include "hostile.h"

static struct array borrow(enum array_type type, const void *data, int64_t count)
{
    struct array array;
    CHECK_OK(array_borrow(&array, type, data, 1, &count));
    return array;
}

/* Every pair of types: value 1 converts, and the extremes of the source type where they fit. */
static void test_integers(void)
{
    int32_t *i32 = NULL;
    int64_t *i64 = NULL;
    uint8_t *u8 = NULL;
    const int8_t a[] = {-128, 127};
    const int16_t b[] = {INT16_MIN, INT16_MAX};
    const uint16_t c[] = {0, UINT16_MAX};
    const int32_t d[] = {INT32_MIN, INT32_MAX};
    const uint32_t e[] = {0, UINT32_MAX};
    const int64_t f[] = {INT64_MIN, INT64_MAX};
    const uint64_t g[] = {7, UINT64_MAX};
    const uint8_t h[] = {0, 255};
    struct array array = borrow(ARRAY_I8, a, 2);
    CHECK_OK(array_to_i32(&i32, &array));
    CHECK(i32[0] == -128 && i32[1] == 127);
    memory_free(i32);
    array = borrow(ARRAY_I16, b, 2);
    CHECK_OK(array_to_i64(&i64, &array));
    CHECK(i64[0] == INT16_MIN && i64[1] == INT16_MAX);
    memory_free(i64);
    CHECK_FAILS(array_to_u8(&u8, &array), GRACO_ERROR_FORMAT, "item 0 of an array is -32768");
    CHECK(u8 == NULL);
    array = borrow(ARRAY_U16, c, 2);
    CHECK_FAILS(array_to_u8(&u8, &array), GRACO_ERROR_FORMAT, "item 1 of an array is 65535");
    array = borrow(ARRAY_I32, d, 2);
    CHECK_OK(array_to_i32(&i32, &array));
    CHECK(i32[0] == INT32_MIN && i32[1] == INT32_MAX);
    memory_free(i32);
    array = borrow(ARRAY_U32, e, 2);
    CHECK_FAILS(array_to_i32(&i32, &array), GRACO_ERROR_FORMAT, "4294967295");
    CHECK_OK(array_to_i64(&i64, &array));
    CHECK(i64[1] == UINT32_MAX);
    memory_free(i64);
    array = borrow(ARRAY_I64, f, 2);
    CHECK_OK(array_to_i64(&i64, &array));
    CHECK(i64[0] == INT64_MIN && i64[1] == INT64_MAX);
    memory_free(i64);
    CHECK_FAILS(array_to_i32(&i32, &array), GRACO_ERROR_FORMAT, "-9223372036854775808");
    array = borrow(ARRAY_U64, g, 2);
    CHECK_FAILS(array_to_i64(&i64, &array), GRACO_ERROR_FORMAT, "18446744073709551615");
    array = borrow(ARRAY_U8, h, 2);
    CHECK_OK(array_to_u8(&u8, &array));
    CHECK(u8[0] == 0 && u8[1] == 255);
    memory_free(u8);
    array = borrow(ARRAY_BOOL, h, 2);
    CHECK_OK(array_to_i32(&i32, &array));
    CHECK(i32[0] == 0 && i32[1] == 1);
    memory_free(i32);
}

static void test_floats(void)
{
    int32_t *i32 = NULL;
    int64_t *i64 = NULL;
    float *f32 = NULL;
    const double whole[] = {-3.0, 2147483647.0};
    const double wrong[][1] = {{0.5}, {2147483648.0}, {NAN}, {INFINITY}, {-2147483649.0}};
    const double edge[] = {-9223372036854775808.0, 9223372036854774784.0};
    const double over[] = {9223372036854775808.0};
    const double large[] = {1e39}, special[] = {NAN, -INFINITY, 3.4e38, 1e-50, 0.1};
    const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x8000, 0x3555};
    struct array array = borrow(ARRAY_F64, whole, 2);
    CHECK_OK(array_to_i32(&i32, &array));
    CHECK(i32[0] == -3 && i32[1] == INT32_MAX);
    memory_free(i32);
    for (int i = 0; i < 5; i++) {
        array = borrow(ARRAY_F64, wrong[i], 1);
        CHECK_FAILS(array_to_i32(&i32, &array), GRACO_ERROR_FORMAT, "item 0");
    }
    array = borrow(ARRAY_F64, edge, 2);
    CHECK_OK(array_to_i64(&i64, &array));
    CHECK(i64[0] == INT64_MIN && i64[1] == 9223372036854774784);
    memory_free(i64);
    array = borrow(ARRAY_F64, over, 1);
    CHECK_FAILS(array_to_i64(&i64, &array), GRACO_ERROR_FORMAT, "64-bit");
    array = borrow(ARRAY_F64, large, 1);
    CHECK_FAILS(array_to_f32(&f32, &array), GRACO_ERROR_FORMAT, "32-bit float");
    array = borrow(ARRAY_F64, special, 5);
    CHECK_OK(array_to_f32(&f32, &array));
    CHECK(isnan(f32[0]) && isinf(f32[1]) && f32[2] == 3.4e38f && f32[3] == 0 && f32[4] == 0.1f);
    memory_free(f32);
    array = borrow(ARRAY_F16, half, 7);
    CHECK_OK(array_to_f32(&f32, &array));
    CHECK(f32[0] == 1 && f32[1] == -2 && f32[2] == 0x1p-24f && f32[3] == 65504 && isinf(f32[4]));
    CHECK(f32[5] == 0 && signbit(f32[5]) && f32[6] == 0.333251953125f);
    memory_free(f32);
}

static void test_shapes(void)
{
    struct array array;
    void *items = NULL;
    float *f32 = NULL;
    const int64_t huge[] = {INT64_C(1) << 60, INT64_C(1) << 60}, negative[] = {3, -1};
    const int64_t empty[] = {INT64_C(1) << 60, 0, INT64_C(1) << 60}, one = INT64_C(1) << 60;
    const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    CHECK_FAILS(array_describe(&array, ARRAY_U8, 0, 2, huge), GRACO_ERROR_FORMAT, "overflow");
    CHECK_FAILS(array_describe(&array, ARRAY_U8, 0, 2, negative), GRACO_ERROR_FORMAT, "-1");
    CHECK_FAILS(array_describe(&array, ARRAY_U8, 0, 9, nine), GRACO_ERROR_FORMAT, "9 dimensions");
    CHECK_FAILS(array_describe(&array, ARRAY_BYTES, 0, 1, nine), GRACO_ERROR_FORMAT, "length 0");
    CHECK_FAILS(array_describe(&array, ARRAY_F64, 0, 1, &one), GRACO_ERROR_FORMAT, "overflow");
    CHECK_OK(array_describe(&array, ARRAY_F64, 0, 3, empty));
    CHECK(array.count == 0);
    CHECK_OK(array_create(&array, &items, ARRAY_F64, 0, 3, empty));
    CHECK_OK(array_to_f32(&f32, &array));
    memory_free(f32);
    array_clear(&array);
    array_clear(&array);
    array_clear(NULL);
    CHECK_OK(array_describe(&array, ARRAY_OBJECT, 0, 1, nine));
    CHECK_FAILS(array_to_f32(&f32, &array), GRACO_ERROR_FORMAT, "object");
}

static void test_strings(void)
{
    char *const words[] = {(char[]){"plain"}, (char[]){""}, (char[]){"\xc3\xa9t\xc3\xa9"},
                           (char[]){"\xe2\x82\xac"}, (char[]){"\xf0\x9f\x98\x80"}};
    char *const bad[] = {(char[]){"\xc3"}};
    char *const overlong[] = {(char[]){"\xc0\x80"}};
    char *const surrogate[] = {(char[]){"\xed\xa0\x80"}};
    struct array array;
    char **list = NULL, *text = NULL;
    CHECK_OK(array_from_strings(&array, words, 5));
    CHECK(array.type == ARRAY_TEXT && array.size == 20 && array.count == 5);
    CHECK_OK(array_to_strings(&list, &array));
    for (int i = 0; i < 5; i++) {
        CHECK(strcmp(list[i], words[i]) == 0);
        CHECK_OK(array_string(&text, &array, i));
        CHECK(strcmp(text, words[i]) == 0);
        memory_free(text);
    }
    memory_free(list[0]);
    memory_free(list);
    CHECK_FAILS(array_string(&text, &array, 5), GRACO_ERROR_ARGUMENT, "5");
    array_clear(&array);
    CHECK_FAILS(array_from_strings(&array, bad, 1), GRACO_ERROR_FORMAT, "UTF-8");
    CHECK_FAILS(array_from_strings(&array, overlong, 1), GRACO_ERROR_FORMAT, "UTF-8");
    CHECK_FAILS(array_from_strings(&array, surrogate, 1), GRACO_ERROR_FORMAT, "UTF-8");
    CHECK_OK(array_from_strings(&array, words, 0));
    CHECK_OK(array_to_strings(&list, &array));
    memory_free(list[0]);
    memory_free(list);
    array_clear(&array);

    const int64_t two = 2;
    uint32_t *points = NULL;
    CHECK_OK(array_create(&array, &points, ARRAY_TEXT, 4, 1, &two));
    points[0] = 'x';
    points[1] = 0xd800;
    CHECK_FAILS(array_to_strings(&list, &array), GRACO_ERROR_FORMAT, "string 1");
    CHECK(list == NULL);
    array_clear(&array);
    char *bytes = NULL;
    CHECK_OK(array_create(&array, &bytes, ARRAY_BYTES, 3, 1, &two));
    memcpy(bytes, "abcx\0\0", 6);
    CHECK_OK(array_to_strings(&list, &array));
    CHECK(strcmp(list[0], "abc") == 0 && strcmp(list[1], "x") == 0);
    memory_free(list[0]);
    memory_free(list);
    memcpy(bytes + 3, "x\0y", 3);
    CHECK_FAILS(array_to_strings(&list, &array), GRACO_ERROR_FORMAT,
                "string 1 of an array goes on behind a NUL");
    CHECK_FAILS(array_string(&text, &array, 1), GRACO_ERROR_FORMAT, "behind a NUL");
    memcpy(bytes + 3, "\0\0y", 3);
    CHECK_FAILS(array_to_strings(&list, &array), GRACO_ERROR_FORMAT, "string 1");
    array_clear(&array);
    CHECK_OK(array_create(&array, &points, ARRAY_TEXT, 12, 1, &two));
    memcpy(points, (const uint32_t[]){'a', 0, 0, 'b', 0, 'c'}, 24);
    CHECK_FAILS(array_to_strings(&list, &array), GRACO_ERROR_FORMAT,
                "string 1 of an array goes on behind a NUL");
    points[5] = 0;
    CHECK_OK(array_to_strings(&list, &array));
    CHECK(strcmp(list[0], "a") == 0 && strcmp(list[1], "b") == 0);
    memory_free(list[0]);
    memory_free(list);
    array_clear(&array);
}

int main(void)
{
    test_integers();
    test_floats();
    test_shapes();
    test_strings();
    return check_result();
}
