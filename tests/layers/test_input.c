/* Features pooled before or after the product with the weights: the same, masks and removed edges
 * included, on every back end. */
#include "layers/input.h"

#include "base/memory.h"
#include "fixture.h"
#include "reference/reference.h"

struct order {
    float *Y, *dW;
    int64_t count;
};

static struct graco_dataset *generated(int64_t nodes, int64_t features, bool dense)
{
    return fixture_data(.nodes = nodes, .feature_count = features, .dense = dense);
}

/* As the encoder asks for it, or the product first. */
static struct order run(const struct backend *backend, const struct graco_dataset *data, int64_t h,
                        bool chosen)
{
    struct context *context = NULL;
    struct tape *tape = NULL;
    struct input *input = NULL;
    struct views *views = NULL;
    struct order out = {0};
    const struct view_drop drop = {{0.3, 0.1}, {0.2, 0.4}};
    const struct random_key key = {.seed = 3, .stream = RANDOM_WEIGHTS};
    int64_t F = data->features.cols;
    float *W = NULL;
    CHECK_OK(context_create(&context, backend, 2, 0));
    CHECK_OK(tape_create(&tape, context));
    CHECK_OK(input_create(&input, context, &data->features));
    CHECK_OK(views_create(&views, context, data->graph, NULL, F, VIEW_NORM_MEAN, 2));
    CHECK_OK(views_draw(views, &drop, 7, 1, 0));
    CHECK_OK(memory_alloc(&W, F * h, sizeof(float)));
    CHECK_OK(memory_zalloc(&out.dW, F * h, sizeof(float)));
    for (int64_t i = 0; i < F * h; i++)
        W[i] = random_float(&key, (uint64_t)i) - 0.5f;
    struct tensor *leaf = tape_parameter(tape, F, h, W, out.dW);
    struct tensor *Y =
        chosen ? input_propagate(tape, input, views, leaf, NULL)
               : tape_propagate(tape, &views->map,
                                input_product(tape, input, views, leaf, input_rows(input)), NULL);
    CHECK_OK(tape_status(tape));
    out.count = Y->rows * Y->cols;
    CHECK(Y->rows == 2 * data->graph->nodes && Y->cols == h);
    CHECK_OK(memory_alloc(&out.Y, out.count, sizeof(float)));
    memcpy(out.Y, Y->data, (size_t)out.count * sizeof(float));
    CHECK_OK(context_take(context, &Y->grad, out.count, sizeof(float)));
    for (int64_t i = 0; i < out.count; i++)
        Y->grad[i] = random_float(&key, (uint64_t)(F * h + i)) - 0.5f;
    CHECK_OK(tape_backward(tape));
    tape_free(tape);
    views_free(views);
    input_free(input);
    context_free(context);
    memory_free(W);
    return out;
}

static void compare(int64_t features, int64_t h, bool dense, bool pools)
{
    const struct backend *backends[] = {&backend_cpu, &backend_reference};
    struct graco_dataset *data = generated(400, features, dense);
    for (int b = 0; b < 2; b++) {
        struct order one = run(backends[b], data, h, true), two = run(backends[b], data, h, false);
        CHECK(check_relative(one.Y, two.Y, one.count) < 1e-5);
        CHECK(check_relative(one.dW, two.dW, features * h) < 1e-5);
        /* Another order rounds otherwise: so it shows which one was taken. */
        CHECK((memcmp(one.Y, two.Y, (size_t)one.count * sizeof(float)) != 0) == pools);
        memory_free(one.Y);
        memory_free(one.dW);
        memory_free(two.Y);
        memory_free(two.dW);
    }
    graco_dataset_free(data);
}

/* ---- Sparse features on what passes for a device --------------------------------------------- */

static int pooled;         /* how often */
static size_t refused = 0; /* requests of at least so many bytes fail; 0: none */

static graco_status count_propagated(struct context *c, const struct propagate_sparse *p)
{
    pooled++;
    return backend_reference.kernels->propagate_sparse(c, p);
}

static graco_status scarce(struct context *c, void *out, size_t bytes)
{
    return refused && bytes >= refused ? status_fail(GRACO_ERROR_MEMORY, "no memory")
                                       : host_buffers.allocate(c, out, bytes);
}

/* Few features are filled enough for a dense product, so they are pooled; not without the memory
 * for it, and not where hardly any is filled. */
static void compare_device(int64_t features, size_t refuse, int expected)
{
    struct kernels kernels = *backend_cpu.kernels;
    struct buffers buffers = host_buffers;
    struct backend device = backend_cpu;
    struct graco_dataset *data = generated(400, features, false);
    int64_t h = 8;
    device.host = false;
    device.kernels = &kernels;
    device.buffers = &buffers;
    kernels.propagate_sparse = count_propagated;
    buffers.allocate = scarce;
    pooled = 0;
    refused = refuse;
    struct order one = run(&device, data, h, true), two = run(&backend_cpu, data, h, false);
    CHECK(check_relative(one.Y, two.Y, one.count) < 1e-5);
    CHECK(check_relative(one.dW, two.dW, features * h) < 1e-5);
    CHECK(pooled == expected);
    memory_free(one.Y);
    memory_free(one.dW);
    memory_free(two.Y);
    memory_free(two.dW);
    graco_dataset_free(data);
}

int main(void)
{
    compare_device(100, 0, 1);
    compare_device(100, 200000, 0); /* the features alone are 160,000 bytes as dense ones */
    compare_device(2000, 0, 0);
    compare(20, 32, true, true);    /* few features */
    compare(50, 30, true, true);    /* fewer than there and back */
    compare(100, 8, true, false);   /* many */
    compare(100, 64, false, false); /* sparse */
    return check_result();
}
