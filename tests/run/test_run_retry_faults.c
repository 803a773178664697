/* Every allocation fails once where a run is read, and the same run is asked again: it answers then, and nothing that the
 * first attempt took is left. */
#include "data/small_files.h"
#include "faults.h"
#include "run/run.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

static graco_status ask_training(graco_run *run)
{
    graco_training about;
    PASS(graco_run_training(&about, run, 0));
    CHECK(about.source && strstr(about.source, "named.txt"));
    return GRACO_OK;
}

static graco_status ask_embeddings(graco_run *run)
{
    const graco_matrix *Z = NULL;
    char *const *names = NULL;
    PASS(graco_run_embeddings(&Z, &names, run, 0, NULL));
    CHECK(Z->rows == 3 && Z->data[5] == 5 && strcmp(names[1], "bob") == 0);
    return GRACO_OK;
}

/* Asks with allocation n and all later ones failing, and again without a fault. */
static graco_status ask_again(graco_status (*ask)(graco_run *), long n)
{
    graco_run *run = NULL;
    CHECK_OK(graco_run_open(&run, fixture_path("run")));
    faults_until = n;
    graco_status status = ask(run);
    faults_until = -1;
    CHECK_OK(ask(run));
    graco_run_free(run);
    return status;
}

/* Bytes that malloc has given and not got back. Other C libraries do not tell; there the sanitizers look for leaks. */
static size_t heap_bytes(void)
{
#ifdef __GLIBC__
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* What the C library keeps for itself is the same after some rounds; a leak grows with every one. */
static void ask_each(graco_status (*ask)(graco_run *))
{
    enum { MOST = 10000, ROUNDS = 20 };
    graco_status status = GRACO_ERROR_MEMORY;
    long n = 0;
    for (; n < MOST && status != GRACO_OK; n++) {
        size_t used = 0;
        for (int round = 0; round < 2 * ROUNDS; round++) {
            status = ask_again(ask, n);
            if (round == ROUNDS)
                used = heap_bytes();
        }
        CHECK(heap_bytes() <= used);
    }
    CHECK(n > 1 && n < MOST);
}

/* A run on named nodes, whose embeddings are float64 and so converted. */
static void make_run(void)
{
    const double rows[6] = {0, 1, 2, 3, 4, 5};
    graco_config config = fixture_config("grace", "hidden=4 epochs=0 threads=1");
    graco_dataset *data = NULL;
    struct array array;
    small_tables();
    CHECK_OK(graco_dataset_load(&data, fixture_path("named.txt"), NULL));
    CHECK_OK(
        graco_train(NULL, NULL, data, &config, &(graco_train_options){.run = fixture_path("run")}));
    CHECK_OK(array_borrow(&array, ARRAY_F64, rows, 2, (const int64_t[]){3, 2}));
    CHECK_OK(npy_write(fixture_path("run/embeddings.npy"), &array));
    graco_dataset_free(data);
}

int main(void)
{
    make_run();
    ask_each(ask_training);
    ask_each(ask_embeddings);
    return check_result();
}
