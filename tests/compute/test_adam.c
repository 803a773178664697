/* Adam against its formula in double on every back end, with gradients clipped and not. */
#include "check.h"

#include "compute/context.h"
#include "reference/reference.h"

#include <math.h>

enum { COUNT = 37, STEPS = 3 };

static void check_backend(const struct backend *backend, double clip)
{
    struct context *context = NULL;
    float block[4][COUNT], *shared[4] = {NULL}, here[COUNT];
    double value[COUNT], m[COUNT] = {0}, v[COUNT] = {0};
    CHECK_OK(context_create(&context, backend, 2, 0));
    for (int i = 0; i < COUNT; i++) {
        value[i] = block[0][i] = 0.1f * (float)(i - 11);
        block[1][i] = (float)(i - 18);
        block[2][i] = block[3][i] = 0;
    }
    for (int b = 0; b < 4; b++)
        CHECK_OK(context_share(context, &shared[b], block[b], COUNT, sizeof(float)));
    for (int step = 1; step <= STEPS; step++) {
        const struct adam adam = {.count = COUNT,
                                  .value = shared[0],
                                  .grad = shared[1],
                                  .m = shared[2],
                                  .v = shared[3],
                                  .lr = 0.1,
                                  .beta1 = 0.9,
                                  .beta2 = 0.999,
                                  .epsilon = 1e-8,
                                  .weight_decay = 0.5,
                                  .clip = clip,
                                  .step = step};
        CHECK_OK(context->kernels->adam(context, &adam));
        for (int i = 0; i < COUNT; i++) {
            double g = (double)(i - 18);
            g = clip > 0 ? fmax(-clip, fmin(clip, g)) : g;
            g += 0.5 * value[i];
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            value[i] -=
                0.1 * (m[i] / (1 - pow(0.9, step))) / (sqrt(v[i] / (1 - pow(0.999, step))) + 1e-8);
        }
    }
    CHECK_OK(context_finish(context));
    const double *wanted[4] = {value, NULL, m, v};
    for (int b = 0; b < 4; b++) {
        CHECK_OK(context->buffers->download(context, here, shared[b], sizeof here));
        CHECK_OK(context_finish(context));
        if (wanted[b])
            CHECK(check_distance(here, wanted[b], COUNT) < 1e-4); /* 1 - beta2 is rounded */
        context_unshare(context, shared[b]);
    }
    context_free(context);
}

int main(void)
{
    const struct backend *cuda = NULL;
    const struct backend *backends[3] = {&backend_reference, &backend_cpu, NULL};
    if (backend_find(&cuda, "cuda") == GRACO_OK)
        backends[2] = cuda;
    for (int i = 0; i < 3 && backends[i]; i++) {
        check_backend(backends[i], 0);
        check_backend(backends[i], 5);
        check_backend(backends[i], 100);
    }
    return check_result();
}
