/* .npz: round trip, object members, wrong sizes, checksums, bombs, the published files. */
#include "base/memory.h"
#include "io/files/file.h"
#include "io/zip/npz.h"

#include "hostile.h"

enum { LIMIT = 1 << 24 };

/* Opens, reads every member as an array and as bytes. */
static bool decode(const uint8_t *bytes, int64_t length)
{
    struct npz *npz = NULL;
    bool worked = npz_open_bytes(&npz, bytes, length) == GRACO_OK;
    for (int64_t i = 0; worked && i < npz_count(npz) && i < 100; i++) {
        struct array array;
        uint8_t *raw = NULL;
        int64_t size = 0;
        const char *name = npz_name(npz, i);
        worked &= npz_read(&array, npz, name, LIMIT) == GRACO_OK;
        array_clear(&array);
        worked &= npz_read_bytes(&raw, &size, npz, name, LIMIT) == GRACO_OK;
        memory_free(raw);
    }
    npz_close(npz);
    return worked;
}

static void write_sample(const char *path)
{
    const float x[] = {1, 2, 3, 4, 5, 6};
    const int64_t y[] = {7, 8}, shape[] = {2, 3}, two = 2;
    struct array first, second;
    CHECK_OK(array_borrow(&first, ARRAY_F32, x, 2, shape));
    CHECK_OK(array_borrow(&second, ARRAY_I64, y, 1, &two));
    const struct npz_entry entries[] = {{"x", &first}, {"edge_index", &second}};
    CHECK_OK(npz_write(path, entries, 2));
}

static void test_round_trip(const char *folder)
{
    const char *path = hostile_path(folder, "a.npz");
    struct npz *npz = NULL;
    struct array array;
    uint8_t *raw = NULL;
    int64_t length = 0;
    write_sample(path);
    CHECK(hostile_files(folder) == 1);
    CHECK_OK(npz_open(&npz, path));
    CHECK(npz_count(npz) == 2 && strcmp(npz_name(npz, 0), "x.npy") == 0 &&
          strcmp(npz_name(npz, 1), "edge_index.npy") == 0 && npz_name(npz, 2) == NULL &&
          npz_name(npz, -1) == NULL);
    CHECK(npz_has(npz, "x") && npz_has(npz, "x.npy") && !npz_has(npz, "y"));
    CHECK_OK(npz_read(&array, npz, "x", LIMIT));
    CHECK(array.type == ARRAY_F32 && array.ndim == 2 && array.shape[1] == 3 &&
          ((const float *)array.data)[5] == 6);
    array_clear(&array);
    CHECK_OK(npz_read(&array, npz, "edge_index.npy", LIMIT));
    CHECK(array.type == ARRAY_I64 && ((const int64_t *)array.data)[1] == 8);
    array_clear(&array);
    CHECK_OK(npz_read_bytes(&raw, &length, npz, "x", LIMIT));
    CHECK(length == 128 + 24 && memcmp(raw + 1, "NUMPY", 5) == 0 && raw[length] == 0);
    memory_free(raw);
    CHECK_FAILS(npz_read(&array, npz, "y", LIMIT), GRACO_ERROR_FORMAT, "no member y");
    CHECK_FAILS(npz_read(&array, npz, "x", 151), GRACO_ERROR_FORMAT, "at most 151");
    npz_close(npz);
    npz_close(NULL);
    CHECK_FAILS(npz_open(&npz, hostile_path(folder, "b.npz")), GRACO_ERROR_IO, "b.npz");
    CHECK_FAILS(npz_write(path, NULL, 0), GRACO_ERROR_ARGUMENT, "at least one");
    CHECK(hostile_files(folder) == 1);
}

static void test_hostile(const char *folder)
{
    const char *path = hostile_path(folder, "a.npz");
    uint8_t *bytes = NULL, *again = NULL;
    int64_t length = 0, longer = 0;
    write_sample(path);
    CHECK_OK(file_read(&bytes, &length, path, LIMIT));
    write_sample(path);
    CHECK_OK(file_read(&again, &longer, path, LIMIT));
    CHECK(length == longer && memcmp(bytes, again, (size_t)length) == 0); /* no date inside */
    memory_free(again);
    CHECK(decode(bytes, length));
    CHECK(hostile_truncate(decode, bytes, length) == 0);
    hostile_corrupt(decode, bytes, length);
    memory_free(bytes);
}

/* Finds the first directory entry. */
static uint8_t *directory(uint8_t *bytes, int64_t length)
{
    for (int64_t i = 0; i + 46 <= length; i++)
        if (memcmp(bytes + i, "PK\1\2", 4) == 0)
            return bytes + i;
    CHECK(false);
    return NULL;
}

/* What reading member x says once the directory claims this size; checksum and size of the local
 * header stay. */
static graco_status read_claiming(uint8_t *bytes, int64_t length, uint32_t size, int64_t limit)
{
    struct npz *npz = NULL;
    struct array array;
    uint8_t *entry = directory(bytes, length);
    for (int i = 0; i < 4; i++)
        entry[24 + i] = (uint8_t)(size >> (8 * i));
    graco_status status = npz_open_bytes(&npz, bytes, length);
    if (status == GRACO_OK)
        status = npz_read(&array, npz, "x", limit);
    if (status == GRACO_OK)
        array_clear(&array);
    npz_close(npz);
    return status;
}

static void test_bombs(const char *folder)
{
    const char *path = hostile_path(folder, "bomb.npz");
    const int64_t count = 4 << 20;
    struct array array;
    uint8_t *zeros = NULL, *bytes = NULL;
    int64_t length = 0;
    struct npz *npz = NULL;
    CHECK_OK(array_create(&array, &zeros, ARRAY_U8, 0, 1, &count));
    memset(zeros, 0, (size_t)count);
    const struct npz_entry entry = {"x", &array};
    CHECK_OK(npz_write(path, &entry, 1));
    array_clear(&array);
    CHECK_OK(npz_open(&npz, path)); /* as good as deflate gets, and still honest */
    CHECK_OK(npz_read(&array, npz, "x", LIMIT));
    array_clear(&array);
    CHECK_FAILS(npz_read(&array, npz, "x", 1 << 20), GRACO_ERROR_FORMAT, "at most 1048576");
    npz_close(npz);

    CHECK_OK(file_read(&bytes, &length, path, LIMIT));
    CHECK_OK(read_claiming(bytes, length, (uint32_t)count + 128, LIMIT));
    CHECK_FAILS(read_claiming(bytes, length, 0xfffffff0u, NPZ_LIMIT), GRACO_ERROR_FORMAT,
                "claims to expand");
    CHECK(read_claiming(bytes, length, (uint32_t)count + 129, LIMIT) == GRACO_ERROR_FORMAT);
    CHECK(read_claiming(bytes, length, (uint32_t)count + 127, LIMIT) == GRACO_ERROR_FORMAT);
    CHECK(read_claiming(bytes, length, 100, LIMIT) == GRACO_ERROR_FORMAT);
    uint8_t *directory_entry = directory(bytes, length);
    memcpy(directory_entry + 20, "\xff\xff\xff\x7f", 4); /* stored size */
    CHECK(read_claiming(bytes, length, (uint32_t)count + 128, LIMIT) == GRACO_ERROR_FORMAT);
    memory_free(bytes);
}

static void test_checksum(const char *folder)
{
    const char *path = hostile_path(folder, "a.npz");
    uint8_t *bytes = NULL;
    int64_t length = 0;
    write_sample(path);
    CHECK_OK(file_read(&bytes, &length, path, LIMIT));
    directory(bytes, length)[16] ^= 1;
    CHECK_FAILS(read_claiming(bytes, length, 152, LIMIT), GRACO_ERROR_FORMAT, "CRC");
    memory_free(bytes);
}

static void test_published(void)
{
    struct npz *npz = NULL;
    struct array array;
    int objects = 0;
    const char *path = hostile_data("dblp/dblp.npz");
    if (path) {
        CHECK_OK(npz_open(&npz, path));
        for (int64_t i = 0; i < npz_count(npz); i++) {
            CHECK_OK(npz_read(&array, npz, npz_name(npz, i), NPZ_LIMIT));
            objects += array.type == ARRAY_OBJECT;
            array_clear(&array);
        }
        CHECK(objects > 0);
        CHECK_OK(npz_read(&array, npz, "labels", NPZ_LIMIT));
        CHECK(array.count == 17716);
        array_clear(&array);
        npz_close(npz);
    }
    path = hostile_data("ogbn-arxiv/ogbn-arxiv-structure.npz");
    if (path) {
        CHECK_OK(npz_open(&npz, path));
        CHECK_OK(npz_read(&array, npz, "edge_index", NPZ_LIMIT));
        CHECK(array.ndim == 2 && array.shape[0] == 2);
        array_clear(&array);
        npz_close(npz);
    }
    path = hostile_data("ppi/ppi.zip");
    if (path) {
        uint8_t *bytes = NULL;
        int64_t length = 0;
        CHECK_OK(npz_open(&npz, path));
        CHECK_OK(npz_read(&array, npz, "train_feats", NPZ_LIMIT));
        CHECK(array.ndim == 2 && array.shape[0] == 44906 && array.shape[1] == 50);
        array_clear(&array);
        CHECK_OK(npz_read_bytes(&bytes, &length, npz, "valid_graph.json", NPZ_LIMIT));
        CHECK(bytes[0] == '{');
        memory_free(bytes);
        npz_close(npz);
    }
}

int main(void)
{
    const char *folder = fixture_folder();
    test_round_trip(folder);
    test_hostile(folder);
    test_bombs(folder);
    test_checksum(folder);
    test_published();
    return check_result();
}
