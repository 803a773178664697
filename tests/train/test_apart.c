/* Steps in two queues give the bits of steps in one. The back end only pretends to be a device; what goes aside it does
 * as late as it may, when the queues join: whatever reads a result too early, or uses a buffer that is still to be
 * read, then computes something else. */
#include "compute/device_scratch.h"
#include "pretended.h"
#include "fixture.h"
#include "steps.h"

enum { STEPS = 3, JOBS = 64 };

/* Work that waits in the side queue. */
struct job {
    enum { JOB_GEMM, JOB_ZERO } kind;
    struct gemm gemm;
    void *block;
    size_t bytes;
};

static struct {
    struct job job[JOBS];
    int count;
    bool aside, open;
    int done; /* of all kinds, in a training */
} queue;

static struct job *late(int kind)
{
    CHECK(queue.open && queue.count < JOBS);
    queue.done++;
    struct job *job = &queue.job[queue.count++];
    job->kind = kind;
    return job;
}

static graco_status late_gemm(struct context *c, const struct gemm *g)
{
    if (!queue.aside)
        return backend_cpu.kernels->gemm(c, g);
    late(JOB_GEMM)->gemm = *g;
    return GRACO_OK;
}

static graco_status late_zero(struct context *c, void *block, size_t bytes)
{
    if (!queue.aside)
        return host_buffers.zero(c, block, bytes);
    struct job *job = late(JOB_ZERO);
    job->block = block;
    job->bytes = bytes;
    return GRACO_OK;
}

static void work_off(struct context *c)
{
    for (int i = 0; i < queue.count; i++) {
        const struct job *job = &queue.job[i];
        if (job->kind == JOB_GEMM)
            CHECK_OK(backend_cpu.kernels->gemm(c, &job->gemm));
        else
            CHECK_OK(host_buffers.zero(c, job->block, job->bytes));
    }
    queue.count = 0;
}

static graco_status turn_queue(struct context *c, enum turn turn)
{
    bool to_side = turn == TURN_FIRST || turn == TURN_ASIDE;
    CHECK(!(to_side && queue.aside));
    CHECK(turn == TURN_OPEN || queue.open);
    queue.open = true;
    queue.aside = to_side;
    if (turn == TURN_JOIN)
        work_off(c);
    return GRACO_OK;
}

static void check_joined(struct trainer *trainer, struct stage *stage)
{
    (void)stage;
    CHECK(queue.count == 0 && !queue.aside && !trainer->context->apart);
}

static float *train(const struct backend *backend, const graco_dataset *data,
                    const graco_config *config, int64_t *count)
{
    queue.open = false;
    queue.done = 0;
    return steps_train(count, backend, data, config, STEPS, check_joined);
}

/* `aside`: what goes aside in a step. */
static void compare(const graco_dataset *data, const char *name, int encoder, int64_t batch,
                    int aside)
{
    struct backend one = pretended_backend((size_t)1 << 30, 0), two = one;
    struct kernels kernels = *one.kernels;
    struct buffers buffers = *one.buffers;
    const struct method *method = NULL;
    graco_config config;
    int64_t count = 0;
    CHECK_OK(method_find(&method, name));
    pinned_config(&config, method);
    config.encoder = encoder;
    config.hidden = 24;
    config.batch = batch;
    config.threads = 1;
    kernels.gemm = late_gemm;
    buffers.zero = late_zero;
    two.kernels = &kernels;
    two.buffers = &buffers;
    two.turn = turn_queue;
    float *right = train(&one, data, &config, &count);
    CHECK(queue.done == 0);
    float *found = train(&two, data, &config, &count);
    CHECK(queue.done == STEPS * aside);
    CHECK(memcmp(right, found, (size_t)count * sizeof(float)) == 0);
    free(right);
    free(found);
}

/* Buffers that a large step gives back are held only until they would be many: then one queue is enough. */
static void held_bytes(void)
{
    struct backend backend = pretended_backend((size_t)4 << 30, 0);
    struct context *c = NULL;
    char *first = NULL, *second = NULL, *third = NULL;
    const int64_t bytes = APART_BYTES / 2 - (1 << 20);
    backend.turn = turn_queue;
    queue.open = false;
    CHECK_OK(context_create(&c, &backend, 1, 0));
    CHECK_OK(context_apart(c));
    CHECK(c->apart);
    CHECK_OK(context_take(c, &first, bytes, 1));
    context_give(c, first);
    CHECK_OK(context_take(c, &second, bytes, 1));
    CHECK(c->apart && second != first);
    CHECK_OK(context_take(c, &third, bytes, 1));
    CHECK(!c->apart && third == first);
    CHECK_OK(context_together(c));
    context_give(c, second);
    context_give(c, third);
    context_free(c);
}

/* Held buffers are no reason to be out of memory. */
static void held_in_the_way(void)
{
    const int64_t bytes = 1 << 20;
    struct backend backend = pretended_backend((size_t)(3 * bytes / 2), 0);
    struct context *c = NULL;
    char *first = NULL, *second = NULL;
    backend.turn = turn_queue;
    queue.open = false;
    CHECK_OK(context_create(&c, &backend, 1, 0));
    CHECK_OK(context_apart(c));
    CHECK_OK(context_take(c, &first, bytes, 1));
    context_give(c, first);
    CHECK_OK(context_take(c, &second, bytes / 4 * 5, 1));
    CHECK(!c->apart);
    context_give(c, second);
    context_free(c);
}

int main(void)
{
    graco_dataset *data = fixture_data(.nodes = 150, .feature_count = 30);
    compare(data, "grace", ENCODER_GCN, 0, 4); /* gradients cleared, W2, P1, P2 */
    compare(data, "grace", ENCODER_SAGE, 0, 5);
    compare(data, "grace", ENCODER_GCN, 40, 4);
    compare(data, "dgi", ENCODER_GCN, 0, 1);
    compare(data, "gae", ENCODER_GCN, 0, 2);
    graco_dataset_free(data);
    held_bytes();
    held_in_the_way();
    return check_result();
}
