/* Saving and exporting embeddings with the nth allocation refused: no leak, no file. */
#include "data/small_files.h"
#include "faults.h"

static graco_dataset *data;
static float values[] = {1, 2, 3, 4, 5, 6};
static const char *ending;

static graco_status save(void)
{
    const graco_matrix Z = {3, 2, values};
    return graco_embeddings_save(&Z, data, small_path("Z.npy"));
}

static graco_status export(void)
{
    unlink(small_path(ending));
    graco_status status =
        graco_embeddings_export(NULL, small_path("Z.npy"), small_path(ending), NULL);
    CHECK(file_exists(small_path(ending)) == (status == GRACO_OK));
    return status;
}

static void fail_each(graco_status (*call)(void))
{
    long n = 0;
    for (; n < 1000; n++) {
        faults_until = n;
        faults_hit = 0;
        graco_status status = call();
        faults_until = -1;
        if (status == GRACO_OK && faults_hit == 0)
            break;
        CHECK(status == GRACO_ERROR_MEMORY);
    }
    CHECK(n > 0 && n < 1000);
}

int main(void)
{
    static const char *const names[] = {"ann", "b\\ob", "cid"}, *const endings[] = {
                                                                    "v.csv", "v.vec", "v.bin",
                                                                    "v.npz"};
    graco_arrays arrays = {.node_ids = GRACO_VECTOR(names, 3), .nodes = 3};
    small_begin();
    CHECK_OK(graco_dataset_create(&data, &arrays));
    fail_each(save);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        ending = endings[i];
        fail_each(export);
    }
    graco_dataset_free(data);
    small_remove(small_root);
    return check_result();
}
