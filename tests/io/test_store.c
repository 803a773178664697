/* Archives and folders written as streams, read back by the other code; nothing half done stays. */
#include "check.h"
#include "io/files/file.h"
#include "io/zip/npz.h"
#include "data/store.h"

#include <unistd.h>

static char root[] = "/tmp/graco-store-XXXXXX";

static const char *in_root(const char *name)
{
    static char path[4][256];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static int64_t entries(const char *folder)
{
    struct file_list list;
    int64_t count;
    CHECK_OK(file_list_folder(&list, folder));
    count = list.count;
    file_list_clear(&list);
    return count;
}

/* Two members, one of them an archive with an array, one written in pieces of odd lengths. */
static void fill(struct store *store)
{
    struct store *inner = NULL;
    struct array array;
    const int64_t shape[] = {2, 3};
    const float items[] = {1, 2, 3, 4, 5, 6};
    CHECK_OK(store_begin(store, "inner.npz"));
    CHECK_OK(store_create_within(&inner, store));
    CHECK_OK(array_borrow(&array, ARRAY_F32, items, 2, shape));
    CHECK_OK(store_array(inner, "x", &array));
    CHECK_OK(store_commit(inner));
    store_free(inner);
    CHECK_OK(store_end(store));
    CHECK_OK(store_begin(store, "text"));
    for (int n = 0; n < 40; n++)
        CHECK_OK(store_write(store, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", n));
    CHECK_OK(store_end(store));
    CHECK_OK(store_begin(store, "empty"));
    CHECK_OK(store_end(store));
}

static void check_inner(struct npz *inner)
{
    struct array x;
    CHECK_OK(npz_read(&x, inner, "x", 1000));
    CHECK(x.type == ARRAY_F32 && x.ndim == 2 && x.shape[1] == 3 && ((const float *)x.data)[5] == 6);
    array_clear(&x);
}

static void archive_read_back(void)
{
    struct store *store = NULL;
    struct npz *npz = NULL, *inner = NULL;
    uint8_t *bytes = NULL, *again = NULL;
    int64_t length = 0, length_again = 0;
    CHECK_OK(store_create(&store, in_root("a.zip")));
    fill(store);
    CHECK(!file_exists(in_root("a.zip")));
    CHECK_OK(store_commit(store));
    store_free(store);
    CHECK_OK(npz_open(&npz, in_root("a.zip")));
    CHECK(npz_count(npz) == 3);
    CHECK_OK(npz_open_member(&inner, npz, "inner.npz", 100000));
    check_inner(inner);
    npz_close(inner);
    CHECK_OK(npz_read_bytes(&bytes, &length, npz, "text", 100000)); /* the checksum holds */
    CHECK(length == 39 * 40 / 2 && bytes[1] == 'a' && bytes[2] == 'b');
    free(bytes);
    CHECK_OK(npz_read_bytes(&bytes, &length, npz, "empty", 10));
    CHECK(length == 0);
    free(bytes);
    CHECK_FAILS(npz_open_member(&inner, npz, "text", 100000), GRACO_ERROR_FORMAT, "member text");
    npz_close(npz);
    CHECK_OK(store_create(&store, in_root("b.zip")));
    fill(store);
    CHECK_OK(store_commit(store));
    store_free(store);
    CHECK_OK(file_read(&bytes, &length, in_root("a.zip"), 1 << 20));
    CHECK_OK(file_read(&again, &length_again, in_root("b.zip"), 1 << 20));
    CHECK(length == length_again && memcmp(bytes, again, (size_t)length) == 0);
    free(bytes);
    free(again);
    unlink(in_root("a.zip"));
    unlink(in_root("b.zip"));
}

static void folder_read_back(void)
{
    struct store *store = NULL;
    struct npz *inner = NULL;
    CHECK_OK(store_create(&store, in_root("folder/")));
    fill(store);
    CHECK(!file_exists(in_root("folder")));
    CHECK_OK(store_commit(store));
    store_free(store);
    CHECK(entries(in_root("folder")) == 3);
    CHECK_OK(npz_open(&inner, in_root("folder/inner.npz")));
    check_inner(inner);
    npz_close(inner);
    CHECK_OK(store_create(&store, in_root("folder")));
    fill(store);
    CHECK_FAILS(store_commit(store), GRACO_ERROR_IO, "must be empty");
    store_free(store);
    CHECK(entries(in_root("folder")) == 3 && entries(root) == 1);
    unlink(in_root("folder/inner.npz"));
    unlink(in_root("folder/text"));
    unlink(in_root("folder/empty"));
    rmdir(in_root("folder"));
}

static void given_up(void)
{
    struct store *store = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(store_create(&store, in_root(i ? "half" : "half.zip")));
        fill(store);
        CHECK_OK(store_begin(store, "more"));
        CHECK_OK(store_write(store, "abc", 3));
        CHECK(entries(root) == 1); /* the temporary one */
        store_free(store);
        CHECK(entries(root) == 0);
    }
}

static void wrong_order(void)
{
    struct store *store = NULL;
    CHECK_OK(store_create(&store, in_root("x.zip")));
    CHECK_FAILS(store_write(store, "a", 1), GRACO_ERROR_ARGUMENT, "outside of any member");
    CHECK_FAILS(store_end(store), GRACO_ERROR_ARGUMENT, "has not begun");
    CHECK_FAILS(store_begin(store, ""), GRACO_ERROR_ARGUMENT, "no good length");
    CHECK_OK(store_begin(store, "a"));
    CHECK_FAILS(store_begin(store, "b"), GRACO_ERROR_ARGUMENT, "has not ended");
    CHECK_FAILS(store_commit(store), GRACO_ERROR_ARGUMENT, "within a member");
    store_free(store);
    CHECK(entries(root) == 0);
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    archive_read_back();
    folder_read_back();
    given_up();
    wrong_order();
    rmdir(root);
    return check_result();
}
