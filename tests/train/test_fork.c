/* A child after fork has none of its parent's threads: it trains with its own, to the same bits. */
#include "check.h"
#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 300, HIDDEN = 16 };

static void train(float *out, const graco_dataset *data)
{
    graco_train_result result;
    graco_model *model = NULL;
    graco_matrix Z = {0};
    graco_config config;
    preset_config(&config, NULL);
    config.hidden = HIDDEN;
    config.epochs = 5;
    config.device = DEVICE_CPU;
    config.threads = 3;
    CHECK_OK(graco_train(&model, &result, data, &config, &(graco_train_options){0}));
    CHECK_OK(
        graco_model_embed(&Z, model, data, &(graco_embed_options){.threads = 3, .device = "cpu"}));
    CHECK(Z.rows == NODES && Z.cols == HIDDEN);
    memcpy(out, Z.data, NODES * HIDDEN * sizeof *out);
    graco_matrix_clear(&Z);
    graco_model_free(model);
}

int main(void)
{
#if defined(__SANITIZE_THREAD__)
    check_skip("the thread sanitizer lets no child start threads");
#endif
    static float before[NODES * HIDDEN], after[NODES * HIDDEN];
    graco_dataset *data = fixture_data(.nodes = NODES, .feature_count = 60);
    train(before, data);
    pid_t child = fork();
    if (child == 0) {
        alarm(120); /* a child that waits for its parent's threads waits for ever */
        train(after, data);
        _exit(check_failed > 0 || memcmp(before, after, sizeof before) != 0);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    train(after, data); /* the parent's threads are still there */
    CHECK(memcmp(before, after, sizeof before) == 0);
    graco_dataset_free(data);
    return check_result();
}
