/* Saving and exporting embeddings with the nth allocation refused: no leak, no file. */
#include "data/small_files.h"
#include "faults.h"

static graco_dataset *data;
static float values[] = {1, 2, 3, 4, 5, 6};
static const char *ending;

static graco_status save(void)
{
    const graco_matrix Z = {3, 2, values};
    return graco_embeddings_save(&Z, data, fixture_path("Z.npy"));
}

static graco_status export(void)
{
    unlink(fixture_path(ending));
    graco_status status =
        graco_embeddings_export(NULL, fixture_path("Z.npy"), fixture_path(ending), NULL);
    CHECK(file_exists(fixture_path(ending)) == (status == GRACO_OK));
    return status;
}

int main(void)
{
    static const char *const names[] = {"ann", "b\\ob", "cid"}, *const endings[] = {
                                                                    "v.csv", "v.vec", "v.bin",
                                                                    "v.npz"};
    graco_arrays arrays = {.node_ids = GRACO_VECTOR(names, 3), .nodes = 3};
    CHECK_OK(graco_dataset_create(&data, &arrays));
    faults_each(save, "save");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        ending = endings[i];
        faults_each(export, ending);
    }
    graco_dataset_free(data);
    return check_result();
}
