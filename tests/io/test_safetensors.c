/* safetensors: known bytes, round trip, hostile offsets. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/safetensors.h"

#include "hostile.h"

static int64_t build(uint8_t *out, const char *header, int64_t data)
{
    int64_t length = (int64_t)strlen(header);
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(length >> (8 * i));
    memcpy(out + 8, header, (size_t)length);
    for (int64_t i = 0; i < data; i++)
        out[8 + length + i] = (uint8_t)i;
    return 8 + length + data;
}

static bool decode(const uint8_t *bytes, int64_t length)
{
    struct safetensors *file = NULL;
    bool worked = safetensors_decode(&file, bytes, length) == GRACO_OK;
    float *f32 = NULL;
    for (int64_t i = 0; worked && i < safetensors_count(file); i++) {
        if (array_to_f32(&f32, safetensors_at(file, i)) == GRACO_OK)
            memory_free(f32);
        CHECK(safetensors_find(file, safetensors_name(file, i)) == safetensors_at(file, i));
    }
    safetensors_free(file);
    return worked;
}

static void test_known_bytes(void)
{
    uint8_t bytes[1024];
    struct safetensors *file = NULL;
    int64_t length = build(bytes,
                           "{\"b\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[4,12]},"
                           "\"__metadata__\":{\"k\":\"v\"},"
                           "\"a\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
                           "\"e\":{\"dtype\":\"F64\",\"shape\":[0,3],\"data_offsets\":[12,12]},"
                           "\"s\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[12,20]}}  ",
                           20);
    CHECK_OK(safetensors_decode(&file, bytes, length));
    CHECK(safetensors_count(file) == 4 && strcmp(safetensors_name(file, 0), "a") == 0 &&
          strcmp(safetensors_name(file, 1), "b") == 0 && safetensors_name(file, 4) == NULL);
    const struct array *b = safetensors_find(file, "b");
    CHECK(b->type == ARRAY_I32 && b->count == 2 && ((const int32_t *)b->data)[0] == 0x07060504);
    CHECK(safetensors_find(file, "s")->ndim == 0 && safetensors_find(file, "z") == NULL);
    CHECK(strcmp(safetensors_metadata(file, "k"), "v") == 0 && !safetensors_metadata(file, "x"));
    safetensors_free(file);
    CHECK(hostile_truncate(decode, bytes, length) == 0);
    hostile_corrupt(decode, bytes, length);
    length = build(bytes, "{}", 0);
    CHECK_OK(safetensors_decode(&file, bytes, length));
    CHECK(safetensors_count(file) == 0 && safetensors_metadata(file, "k") == NULL);
    safetensors_free(file);
}

static void test_refusals(void)
{
    static const struct {
        const char *header, *part;
    } cases[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", "do not hold"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}", "end at byte 12"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", "begins at byte 4"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", "do not hold"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,4]}}", "do not hold"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
         "begins at byte 0, 4 expected"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "8 bytes of data"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1152921504606846976],\"data_offsets\":[0,8]}}",
         "overflows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}",
         "overflows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", "-2"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,8]}}", "no integer"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}",
         "9 dimensions"},
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}}", "BF16"},
        {"{\"a\":{\"shape\":[4],\"data_offsets\":[0,8]}}", "dtype"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0]}}", "two integers"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,9223372036854775807]}}",
         "do not hold"},
        {"{\"a\":1}", "missing"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
         "\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}",
         "duplicate"},
        {"{\"__metadata__\":{\"k\":1}}", "no string"},
        {"{\"__metadata__\":[]}", "no object"},
        {"[]", "no JSON object"},
        {"{", "line 1"},
    };
    uint8_t bytes[1024];
    struct safetensors *file = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t length = build(bytes, cases[i].header, 8);
        CHECK_FAILS(safetensors_decode(&file, bytes, length), GRACO_ERROR_FORMAT, cases[i].part);
        CHECK(file == NULL);
    }
    int64_t length = build(bytes, "{}", 0);
    memset(bytes, 0xff, 8);
    CHECK_FAILS(safetensors_decode(&file, bytes, length), GRACO_ERROR_FORMAT,
                "18446744073709551615");
}

static void test_round_trip(const char *folder)
{
    const char *path = hostile_path(folder, "m.safetensors");
    const float w[] = {1, 2, 3, 4, 5, 6};
    const int64_t step[] = {42}, shape[] = {2, 3}, one = 1;
    const uint8_t odd[] = {1, 2, 3};
    const int64_t three = 3;
    struct array a, b, c, d;
    struct safetensors *file = NULL;
    CHECK_OK(array_borrow(&a, ARRAY_F32, w, 2, shape));
    CHECK_OK(array_borrow(&b, ARRAY_I64, step, 1, &one));
    CHECK_OK(array_borrow(&c, ARRAY_U8, odd, 1, &three));
    CHECK_OK(array_borrow(&d, ARRAY_U16, odd, 1, &one));
    const struct safetensors_entry entries[] = {{"odd", &c}, {"w/\"1\"", &a}, {"step", &b}};
    const struct safetensors_pair pairs[] = {{"format", "graco"}, {"tau", "0.4"}};
    CHECK_OK(safetensors_write(path, entries, 3, pairs, 2));
    CHECK_OK(safetensors_read(&file, path));
    CHECK(safetensors_count(file) == 3 && strcmp(safetensors_name(file, 1), "w/\"1\"") == 0);
    CHECK(memcmp(safetensors_find(file, "w/\"1\"")->data, w, sizeof w) == 0);
    CHECK(((const int64_t *)safetensors_find(file, "step")->data)[0] == 42);
    CHECK(strcmp(safetensors_metadata(file, "tau"), "0.4") == 0);
    safetensors_free(file);
    safetensors_free(NULL);
    CHECK_OK(safetensors_write(path, entries, 0, NULL, 0));
    CHECK_OK(safetensors_read(&file, path));
    safetensors_free(file);
    const struct safetensors_entry twice[] = {{"w", &a}, {"w", &b}},
                                   reserved = {"__metadata__", &a};
    const struct safetensors_entry unknown = {"x", &d};
    CHECK_FAILS(safetensors_write(path, twice, 2, NULL, 0), GRACO_ERROR_ARGUMENT, "twice");
    CHECK_FAILS(safetensors_write(path, &reserved, 1, NULL, 0), GRACO_ERROR_ARGUMENT, "reserved");
    CHECK_FAILS(safetensors_write(path, &unknown, 1, NULL, 0), GRACO_ERROR_ARGUMENT, "uint16");
    CHECK_OK(file_write_atomic(path, "short", 5));
    CHECK_FAILS(safetensors_read(&file, path), GRACO_ERROR_FORMAT, "m.safetensors");
    CHECK(hostile_files(folder) == 1);
}

int main(void)
{
    const char *folder = fixture_folder();
    test_known_bytes();
    test_refusals();
    test_round_trip(folder);
    return check_result();
}
