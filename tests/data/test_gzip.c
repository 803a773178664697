/* Files that gzip compressed: what goes in comes out, nothing else does; every file that a graph may be or
 * that may lie beside one is read compressed as it is plain. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/small_files.h"
#include "io/zip/gzip.h"

enum { LARGE = 300000 };

static uint8_t packed[1 << 16];
static int64_t packed_length;

/* Packs into `packed`, behind what is there. */
static void pack(const void *bytes, size_t length)
{
    uint8_t *block = NULL;
    int64_t size = 0;
    small_gzip("packed", bytes, length, 9);
    CHECK_OK(file_read(&block, &size, fixture_path("packed"), sizeof packed));
    memcpy(packed + packed_length, block, (size_t)size);
    packed_length += size;
    memory_free(block);
}

static graco_status unpack(int64_t *length, int64_t end, int64_t limit)
{
    uint8_t *content = NULL;
    graco_status status = gzip_unpack(&content, length, packed, end, limit);
    CHECK((status == GRACO_OK) == (content != NULL));
    CHECK(!content || content[*length] == 0);
    memory_free(content);
    return status;
}

static void members(void)
{
    int64_t length = 0;
    uint8_t *content = NULL;
    packed_length = 0;
    pack("ann bob\n", 8);
    pack("", 0);
    pack("bob cid\n", 8);
    CHECK_OK(gzip_unpack(&content, &length, packed, packed_length, 16));
    CHECK(length == 16 && memcmp(content, "ann bob\nbob cid\n", 17) == 0);
    memory_free(content);
    CHECK_FAILS(unpack(&length, packed_length, 15), GRACO_ERROR_FORMAT,
                "more than the 15 bytes that are accepted");
    CHECK_OK(unpack(&length, packed_length + 7, 16)); /* zeros, as tapes have them */
    packed[packed_length] = 'x';
    CHECK_FAILS(unpack(&length, packed_length + 1, 16), GRACO_ERROR_FORMAT,
                "goes on after its end");
}

static void damage(void)
{
    static const char text[] = "0 1\n1 2\n2 3\n3 4\n0 1\n1 2\n2 3\n3 4\n";
    int64_t length = 0, size = sizeof text - 1;
    int refused = 0;
    packed_length = 0;
    pack(text, sizeof text - 1);
    for (int64_t end = 0; end < packed_length; end++)
        CHECK(unpack(&length, end, 1 << 20) == GRACO_ERROR_FORMAT);
    for (int64_t at = 0; at < packed_length; at++)
        for (int bit = 0; bit < 8; bit++) {
            packed[at] ^= (uint8_t)(1 << bit);
            graco_status status = unpack(&length, packed_length, 1 << 20);
            CHECK(status == GRACO_ERROR_FORMAT || length == size); /* the date may differ */
            refused += status != GRACO_OK;
            packed[at] ^= (uint8_t)(1 << bit);
        }
    CHECK(refused > 8 * (packed_length - 10));
}

/* A small file that unpacks to much: zeros are refused at once, text at the limit. */
static void bombs(void)
{
    uint8_t *bytes = calloc(1, LARGE);
    int64_t length = 0;
    packed_length = 0;
    pack(bytes, LARGE);
    CHECK(packed_length < 2000);
    CHECK_FAILS(unpack(&length, packed_length, INT64_C(1) << 36), GRACO_ERROR_FORMAT,
                "neither text nor a .npy file nor an archive");
    memset(bytes, '\n', LARGE);
    packed_length = 0;
    pack(bytes, LARGE);
    CHECK_OK(unpack(&length, packed_length, LARGE));
    CHECK(length == LARGE);
    CHECK_FAILS(unpack(&length, packed_length, LARGE - 1), GRACO_ERROR_FORMAT, "299999 bytes");
    CHECK_FAILS(unpack(&length, packed_length, 65536), GRACO_ERROR_FORMAT, "65536 bytes");
    free(bytes);
}

/* Packs a file of the test as FILE.gz. */
static void pack_file(const char *name)
{
    uint8_t *bytes = NULL;
    int64_t length = 0;
    char target[64];
    CHECK_OK(file_read(&bytes, &length, fixture_path(name), 1 << 20));
    snprintf(target, sizeof target, "%s.gz", name);
    small_gzip(target, bytes, (size_t)length, 6);
    memory_free(bytes);
}

static void sets(void)
{
    static const char *const rows[][3] = {{"named.txt", "features.csv", "labels.csv"},
                                          {"graph.mtx", "x.mtx", "y.txt"},
                                          {"graph.npz", "x.npz", "y.txt"},
                                          {"native.npz", NULL, NULL}};
    struct small_arrays arrays = small_native();
    small_npz(&arrays, "native.npz");
    arrays = small_scipy("csr", 4);
    small_npz(&arrays, "graph.npz");
    small_npz(&arrays, "x.npz");
    small_tables();
    fixture_text("graph.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n2 1\n");
    fixture_text("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 2 1\n2 1\n");
    fixture_text("y.txt", "0\n1\n-1\n1\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char found[2][GRACO_FINGERPRINT], path[3][256] = {{0}};
        for (int zipped = 0; zipped < 2; zipped++) {
            graco_dataset *data = NULL;
            for (int i = 0; i < 3 && rows[r][i]; i++) {
                if (zipped)
                    pack_file(rows[r][i]);
                snprintf(path[i], sizeof path[i], "%s%s", fixture_path(rows[r][i]),
                         zipped ? ".gz" : "");
            }
            graco_load_options options = {.features_path = rows[r][1] ? path[1] : NULL,
                                          .labels_path = rows[r][2] ? path[2] : NULL};
            CHECK_OK(graco_dataset_load(&data, path[0], &options));
            CHECK_OK(graco_dataset_fingerprint(found[zipped], data));
            CHECK(strlen(data->name) == strlen(rows[r][0]) - 4);
            graco_dataset_free(data);
        }
        CHECK(strcmp(found[0], found[1]) == 0);
    }
    graco_dataset *data = NULL;
    fixture_write("cut.txt.gz", packed, 20);
    CHECK_FAILS(graco_dataset_load(&data, fixture_path("cut.txt.gz"), NULL), GRACO_ERROR_FORMAT,
                "cut.txt.gz: a gzip file ends early");
}

int main(void)
{
    members();
    damage();
    bombs();
    sets();
    return check_result();
}
