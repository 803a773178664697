/* A step that cannot be recorded is done without a recording, to the same bits, and what was begun is ended. Nobody is
 * asked whether to go on while it is recorded. The back end only pretends to be a device that can record. */
#include "pretended.h"
#include "fixture.h"
#include "steps.h"

enum { STEPS = 6, ATTEMPTS = 3 }; /* the latter: how often a stage is tried to be recorded */

static struct {
    graco_status failure;
    bool at_once; /* to begin fails; else a kernel does */
    bool recording;
    int begun, ended;
    int asked; /* how often whether to go on */
} tried;

static graco_status begin(struct context *c)
{
    (void)c;
    tried.begun++;
    if (tried.at_once)
        return status_fail(tried.failure, "cannot begin to record");
    CHECK(!tried.recording);
    tried.recording = true;
    return GRACO_OK;
}

/* Nothing is recorded whole. */
static graco_status end(struct context *c, struct recording **out)
{
    CHECK(!out && tried.recording && !c->apart);
    tried.recording = false;
    tried.ended++;
    return GRACO_OK;
}

/* The first product of the way back. */
static graco_status fail_recorded(struct context *c, const struct gemm *g)
{
    if (tried.recording && g->transpose_a)
        return status_fail(tried.failure, "cannot record this");
    return backend_cpu.kernels->gemm(c, g);
}

static graco_status stay(struct context *c, enum turn turn)
{
    (void)c, (void)turn;
    return GRACO_OK;
}

/* Whoever is asked may use the device, which would spoil a recording. */
static bool go_on(void *owner)
{
    (void)owner;
    CHECK(!tried.recording);
    tried.asked++;
    return true;
}

static void watch(struct trainer *trainer, struct stage *stage)
{
    (void)stage;
    trainer->context->watch.go_on = go_on;
}

static void compare(const graco_dataset *data, graco_status failure, bool at_once)
{
    static const struct recorder recorder = {.record = begin, .recorded = end};
    struct backend plain = pretended_backend((size_t)1 << 30, 0), able = plain;
    struct kernels kernels = *plain.kernels;
    graco_config config;
    int64_t count = 0;
    preset_config(&config, NULL);
    config.hidden = 8;
    config.threads = 1;
    kernels.gemm = fail_recorded;
    able.kernels = &kernels;
    able.recorder = &recorder;
    able.turn = stay;
    memset(&tried, 0, sizeof tried);
    tried.failure = failure;
    tried.at_once = at_once;
    float *right = steps_train(&count, &plain, data, &config, STEPS, watch);
    CHECK(tried.begun == 0 && tried.asked > 0);
    const int asked = tried.asked;
    tried.asked = 0;
    float *found = steps_train(&count, &able, data, &config, STEPS, watch);
    CHECK(tried.asked == asked);
    CHECK(tried.begun == ATTEMPTS && tried.ended == (at_once ? 0 : ATTEMPTS));
    CHECK(memcmp(right, found, (size_t)count * sizeof(float)) == 0);
    free(right);
    free(found);
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = 100);
    for (int at_once = 0; at_once < 2; at_once++) {
        compare(data, GRACO_ERROR_MEMORY, at_once);
        compare(data, GRACO_ERROR_DEVICE, at_once); /* another context spoiled the recording */
    }
    graco_dataset_free(data);
    return check_result();
}
