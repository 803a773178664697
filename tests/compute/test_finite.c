/* The kernel that looks for numbers that are not finite, on every back end there is. */
#include "check.h"

#include "base/memory.h"
#include "base/finite.h"
#include "compute/context.h"
#include "reference/reference.h"

#include <float.h>

/* What the kernel finds among `n` floats. */
static int64_t find(struct context *c, const float *x, int64_t n)
{
    float *block = NULL;
    int64_t found = -2;
    CHECK_OK(context_take(c, &block, n, sizeof(float)));
    CHECK_OK(c->buffers->upload(c, block, x, (size_t)n * sizeof(float)));
    CHECK_OK(c->kernels->not_finite(c, n, block, &found));
    CHECK_OK(context_finish(c));
    context_give(c, block);
    return found;
}

static void test_backend(const struct backend *backend, int threads)
{
    static const int64_t sizes[] = {1, 15, 16, 1000, 4096, 4097, 70001};
    static const float good[] = {0.0f, -0.0f, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, -1e-45f, 1.0f};
    const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    struct context *c = NULL;
    CHECK_OK(context_create(&c, backend, threads, 0));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s];
        float *x = NULL;
        CHECK_OK(memory_alloc(&x, n, sizeof(float)));
        for (int64_t i = 0; i < n; i++)
            x[i] = good[i % 8];
        CHECK(find(c, x, n) == -1);
        for (int b = 0; b < 4; b++) {
            const int64_t places[] = {n - 1, n / 2, n / 3, 0}; /* ever earlier: the first counts */
            for (int p = 0; p < 4; p++) {
                x[places[p]] = bad[(b + p) % 4];
                CHECK(find(c, x, n) == places[p]);
                CHECK(not_finite_first(x, n) == places[p]);
            }
            for (int p = 0; p < 4; p++)
                x[places[p]] = 1;
        }
        memory_free(x);
    }
    context_free(c);
}

int main(void)
{
    const struct backend *cuda = NULL;
    CHECK(not_finite_first(NULL, 0) == -1);
    test_backend(&backend_reference, 1);
    test_backend(&backend_cpu, 1);
    test_backend(&backend_cpu, 3);
    if (backend_find(&cuda, "cuda") == GRACO_OK)
        test_backend(cuda, 1);
    return check_result();
}
