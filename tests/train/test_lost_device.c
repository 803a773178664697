/* A GPU that fails in the middle of a training, and one that has no memory left: one clear message,
 * and the last checkpoint goes on to the same bits as if nothing had happened. A failed GPU stays
 * failed for the process that saw it, so every training has a process of its own. */
#include "fixture.h"
#include "compute/context.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EPOCHS = 12, LAST = 7, HOGS = 4096 };

static graco_config configured(void)
{
    return fixture_config("grace", "epochs=12 hidden=64 checkpoint_every=2 device=cuda");
}

static struct context *open_gpu(void)
{
    const struct backend *cuda = NULL;
    struct context *c = NULL;
    CHECK_OK(backend_find(&cuda, "cuda"));
    CHECK_OK(context_create(&c, cuda, 1, 0));
    return c;
}

/* Adds to memory that is nobody's: the GPU faults, as it does when it falls off the bus. */
static bool lose_gpu(void *user, const graco_epoch *epoch)
{
    (void)user;
    if (epoch->epoch == LAST) {
        struct context *c = open_gpu();
        float *nowhere = (float *)(uintptr_t)4096;
        if (c->kernels->add(c, 1 << 20, nowhere, nowhere) == GRACO_OK)
            CHECK(context_finish(c) == GRACO_ERROR_DEVICE);
    }
    return true;
}

static void train_whole(const char *run)
{
    graco_config config = configured();
    graco_train_options options = {.run = run};
    CHECK_OK(graco_train(NULL, NULL, fixture_data(.nodes = 500), &config, &options));
}

static void train_and_lose(const char *run)
{
    graco_config config = configured();
    graco_train_options options = {.run = run, .on_epoch = lose_gpu};
    CHECK(graco_train(NULL, NULL, fixture_data(.nodes = 500), &config, &options) ==
          GRACO_ERROR_DEVICE);
    CHECK(strstr(graco_message(), "the GPU failed"));
    CHECK(!strchr(graco_message(), '\n'));
}

static void train_rest(const char *run)
{
    graco_config config = configured();
    graco_train_options options = {.run = run, .resume = true};
    graco_train_result result;
    CHECK_OK(graco_train(NULL, &result, fixture_data(.nodes = 500), &config, &options));
    CHECK(result.epochs == EPOCHS);
}

/* Leaves less memory than a step needs, then frees it. */
static void train_without_memory(const char *run)
{
    graco_config config = configured();
    graco_train_options options = {.run = run};
    struct context *c = open_gpu();
    void *hog[HOGS];
    int hogs = 0;
    config.hidden = 256;
    for (size_t bytes = (size_t)64 << 30; bytes >= (size_t)64 << 20; bytes /= 2)
        while (hogs < HOGS && c->buffers->allocate(c, &hog[hogs], bytes) == GRACO_OK)
            hogs++;
    graco_dataset *data = fixture_data(.nodes = 60000);
    CHECK(graco_train(NULL, NULL, data, &config, &options) == GRACO_ERROR_MEMORY);
    CHECK(strstr(graco_message(), "the GPU is out of memory"));
    while (hogs > 0)
        c->buffers->release(c, hog[--hogs]);
    config.epochs = 2;
    CHECK_OK(graco_train(NULL, NULL, data, &config, &options));
    context_free(c);
}

static void find_gpu(const char *run)
{
    const struct backend *cuda = NULL;
    (void)run;
    if (backend_find(&cuda, "cuda") != GRACO_OK)
        exit(77);
}

/* In a process of its own; its exit status. */
static int apart(void (*work)(const char *), const char *run)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work(run);
        _exit(check_failed > 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    const char *whole = fixture_path("whole"), *lost = fixture_path("lost");
    const char *poor = fixture_path("poor");
    if (apart(find_gpu, NULL) == 77)
        check_skip("no GPU");
    CHECK(apart(train_whole, whole) == 0);
    CHECK(apart(train_and_lose, lost) == 0);
    CHECK(apart(train_rest, lost) == 0);
    CHECK(fixture_same_file(whole, lost, "embeddings.npy"));
    CHECK(apart(train_without_memory, poor) == 0);
    return check_result();
}
