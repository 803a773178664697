/* What archives may cost: within each other, with members that share bytes, with many members. */
#include "data/packed_files.h"

#include "io/zip/npz.h"

enum { ZEROS = 1 << 22 };

/* An archive of two arrays of zeros, x and y, each of so many bytes. */
static void write_zeros(const char *name, int64_t bytes)
{
    uint8_t *zeros = calloc(1, (size_t)bytes);
    struct small_arrays arrays = {0};
    small_add(&arrays, "x", ARRAY_U8, zeros, bytes, -1);
    small_add(&arrays, "y", ARRAY_U8, zeros, bytes, -1);
    small_npz(&arrays, name);
    free(zeros);
}

static graco_status read_one(struct npz *npz, const char *name)
{
    struct array array;
    graco_status status = npz_read(&array, npz, name, NPZ_LIMIT);
    array_clear(&array);
    return status;
}

/* One packing is read whole and again; two may together expand no further than one. */
static void within(void)
{
    static const char *const one[] = {"zeros.npz"}, *const both[] = {"zeros.npz", "few.npz"};
    const char more[] = "more than 1100 times the bytes of the file would be unpacked";
    struct npz *outer = NULL, *inner = NULL;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    write_zeros("zeros.npz", ZEROS);
    write_zeros("few.npz", 100000);
    CHECK_OK(npz_open(&outer, fixture_path("zeros.npz")));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(read_one(outer, "x"));
        CHECK_OK(read_one(outer, "y"));
    }
    npz_close(outer);
    packed_zip("twice.zip", one, 1);
    CHECK_OK(npz_open(&outer, fixture_path("twice.zip")));
    CHECK_OK(npz_open_member(&inner, outer, "zeros.npz", NPZ_LIMIT));
    CHECK_FAILS(read_one(inner, "x"), GRACO_ERROR_FORMAT, more);
    npz_close(inner);
    npz_close(outer);
    packed_zip("both.zip", both, 2);
    CHECK_OK(npz_open(&outer, fixture_path("both.zip")));
    CHECK_OK(npz_open_member(&inner, outer, "few.npz", NPZ_LIMIT));
    CHECK_OK(read_one(inner, "x"));
    CHECK_OK(read_one(inner, "y"));
    npz_close(inner);
    CHECK_OK(npz_open_member(&inner, outer, "zeros.npz", NPZ_LIMIT));
    CHECK_FAILS(read_one(inner, "x"), GRACO_ERROR_FORMAT, more);
    npz_close(inner);
    npz_close(outer);
    CHECK_OK(file_read(&bytes, &length, fixture_path("zeros.npz"), 1 << 20));
    CHECK_OK(npz_open_unpacked(&outer, bytes, length, 500)); /* as if gzip had made 500 of them */
    CHECK_FAILS(read_one(outer, "x"), GRACO_ERROR_FORMAT, more);
    npz_close(outer);
    CHECK_OK(npz_open_unpacked(&outer, bytes, length, length));
    CHECK_OK(read_one(outer, "x"));
    npz_close(outer);
    memory_free(bytes);
}

/* A stored archive within an archive expands as far as one that stands alone. */
static void stored(void)
{
    struct store *store = NULL;
    struct npz *outer = NULL, *inner = NULL;
    uint8_t *bytes = NULL;
    int64_t length = 0;
    CHECK_OK(file_read(&bytes, &length, fixture_path("zeros.npz"), 1 << 20));
    CHECK_OK(store_create(&store, fixture_path("stored.zip")));
    CHECK_OK(store_begin(store, "zeros.npz"));
    CHECK_OK(store_write(store, bytes, length));
    CHECK_OK(store_end(store));
    CHECK_OK(store_commit(store));
    store_free(store);
    memory_free(bytes);
    CHECK_OK(npz_open(&outer, fixture_path("stored.zip")));
    CHECK_OK(npz_open_member(&inner, outer, "zeros.npz", NPZ_LIMIT));
    CHECK_OK(read_one(inner, "x"));
    CHECK_OK(read_one(inner, "y"));
    npz_close(inner);
    npz_close(outer);
}

static int64_t find(const uint8_t *bytes, int64_t length, const char *sign)
{
    for (int64_t i = 0; i + 4 <= length; i++)
        if (memcmp(bytes + i, sign, 4) == 0)
            return i;
    CHECK(false);
    return 0;
}

/* Two members of other names that share the bytes of x. */
static void shared(void)
{
    enum { ENTRY = 46 + 5, END = 22, COPIES = 2 };
    uint8_t *zeros = calloc(1, ZEROS), *bytes = NULL, *made, *at;
    int64_t length = 0;
    struct small_arrays arrays = {0};
    struct npz *npz = NULL;
    small_add(&arrays, "x", ARRAY_U8, zeros, ZEROS, -1);
    small_npz(&arrays, "x.npz");
    free(zeros);
    CHECK_OK(file_read(&bytes, &length, fixture_path("x.npz"), 1 << 20));
    int64_t entry = find(bytes, length, "PK\1\2"), end = find(bytes, length, "PK\5\6");
    CHECK(end - entry == ENTRY && length - end == END);
    made = malloc((size_t)length + COPIES * ENTRY);
    memcpy(made, bytes, (size_t)end);
    for (at = made + end; at < made + end + COPIES * ENTRY; at += ENTRY) {
        memcpy(at, bytes + entry, ENTRY);
        at[46] = (uint8_t)('y' + (at - made - end) / ENTRY);
    }
    memcpy(at, bytes + end, END);
    at[8] = at[10] = 1 + COPIES;
    packed_number(at + 12, (1 + COPIES) * ENTRY, 4);
    CHECK_OK(npz_open_bytes(&npz, made, length + COPIES * ENTRY));
    CHECK(npz_count(npz) == 1 + COPIES && npz_has(npz, "z"));
    CHECK_OK(read_one(npz, "y"));
    CHECK_FAILS(read_one(npz, "x"), GRACO_ERROR_FORMAT, "more than 1100 times");
    CHECK_OK(read_one(npz, "y"));
    npz_close(npz);
    free(made);
    memory_free(bytes);
}

/* Methods that libzip knows and the format does not: bzip2, xz, Zstandard. */
static void methods(void)
{
    static const uint8_t others[] = {12, 95, 93, 1};
    uint8_t *bytes = NULL;
    int64_t length = 0;
    struct npz *npz = NULL;
    char part[64];
    CHECK_OK(file_read(&bytes, &length, fixture_path("few.npz"), 1 << 20));
    int64_t entry = find(bytes, length, "PK\1\2");
    for (size_t i = 0; i < sizeof others; i++) {
        bytes[8] = bytes[entry + 10] = others[i];
        CHECK_OK(npz_open_bytes(&npz, bytes, length));
        snprintf(part, sizeof part, "member x is packed by method %d: expected", others[i]);
        CHECK_FAILS(read_one(npz, "x"), GRACO_ERROR_FORMAT, part);
        CHECK_OK(read_one(npz, "y"));
        npz_close(npz);
    }
    memory_free(bytes);
}

static void crowds(void)
{
    static const struct {
        struct packed_crowd crowd;
        const char *part;
    } table[] = {
        {{4096, 34, 4096, false, 1}, NULL},
        {{4096, 34, 4096, true, 1}, NULL},
        {{4097, 34, 4097, false, 1}, "4097 members: expected at most 4096"},
        {{4097, 34, 4097, true, 1}, "4097 members: expected at most 4096"},
        {{1, 34, INT32_MAX, true, 1}, "2147483647 members: expected at most 4096"},
        {{4096, 210, 4096, false, 1}, NULL},
        {{4096, 211, 4096, false, 1}, "a directory of 1052672 bytes: expected at most 1048576"},
        /* Info-ZIP counts modulo 65,536, and libzip reads what it wrote. */
        {{65536, 34, 0, false, 1}, "a directory of 5242880 bytes"},
        /* libzip reads what each record stands for. */
        {{1000, 34, 1000, false, 5}, "5000 members: expected at most 4096"},
        {{1000, 34, 1000, true, 5}, "5000 members: expected at most 4096"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int64_t length = 0;
        struct npz *npz = NULL;
        uint8_t *bytes = packed_crowd(&length, &table[i].crowd);
        graco_status status = npz_open_bytes(&npz, bytes, length);
        const char *message = status == GRACO_OK ? "no failure" : graco_message();
        bool fine = table[i].part ? status == GRACO_ERROR_FORMAT && strstr(message, table[i].part)
                                  : status == GRACO_OK && npz_count(npz) == table[i].crowd.entries;
        if (!fine)
            fprintf(stderr, "row %d: expected '%s', found '%s'\n", (int)i,
                    table[i].part ? table[i].part : "success", message);
        CHECK(fine);
        npz_close(npz);
        free(bytes);
    }
}

int main(void)
{
    within();
    stored();
    shared();
    methods();
    crowds();
    return check_result();
}
