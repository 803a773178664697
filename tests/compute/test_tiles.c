/* The exact objective on a GPU: tiles of the tensor cores, as the H100 family computes them and as
 * every other GPU does, tiles of float32 and TF32, panels of tiles for wide rows and bf16, and the panels of
 * GPUs that can do none of these; against float64 and, where that takes long, float32 on the CPU, at sizes
 * around the edges of tiles. */
#include "base/memory.h"
#include "check.h"
#include "compute/context.h"
#include "compute/device_scratch.h"
#include "reference/reference.h"
#include "reference/testing.h"

#include <math.h>

struct outcome {
    double loss, information;
    double *D;
    float *dZ;
};

/* The oracle, the CPU; the GPU in every precision, and in every precision as GPUs compute it that have no wgmma and
 * little shared memory. */
enum { PRECISIONS = 4 };
enum { ORACLE, HOST, ON_GPU, PORTABLE = ON_GPU + PRECISIONS, WAYS = PORTABLE + PRECISIONS };

static const struct {
    const char *name;
    enum precision precision;
    double loose; /* what it may be off by, as a part of what halves may */
} OF_GPU[PRECISIONS] = {
    {"fp16", PRECISION_FP16, 1},
    {"bf16", PRECISION_BF16, 8},
    {"fp32", PRECISION_FP32, 0.02},
    /* It has as many bits as halves, but cuBLAS may cut operands where tiles round them. */
    {"tf32", PRECISION_TF32, 4}};

static struct context *way[WAYS];

static void open_way(int i, const struct backend *backend, enum precision precision)
{
    CHECK_OK(context_create(&way[i], backend, 2, 0));
    way[i]->precision = precision;
    if (i >= PORTABLE)
        testing_portable(way[i]);
}

/* Unit rows in two clusters, partners close to each other: cosines from near -1 to near 1. With
 * `zeros`, one row in seven is zero. */
static float *make_rows(int64_t n, int64_t d, bool zeros)
{
    const struct random_key key = {.seed = (uint64_t)(n * 1000 + d), .stream = RANDOM_GENERATE};
    float *Z = NULL;
    CHECK_OK(memory_alloc(&Z, 2 * n * d, sizeof(float)));
    for (int64_t i = 0; i < 2 * n; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < d; j++) {
            double centre = (i % n % 2 ? 1 : -1) * (j % 3 ? 0.4 : -0.2);
            double own = (double)random_float(&key, (uint64_t)(i % n * d + j)) - 0.5;
            double noise = (double)random_float(&key, (uint64_t)((2 * n + i) * d + j)) - 0.5;
            double x = centre + own + 0.3 * noise;
            Z[i * d + j] = (float)x;
            length += x * x;
        }
        for (int64_t j = 0; j < d; j++)
            Z[i * d + j] = zeros && i % 7 == 3 ? 0 : Z[i * d + j] / (float)sqrt(length);
    }
    return Z;
}

/* `keep`: the forward kernel leaves to the backward one what it can. */
static void run(struct outcome *o, struct context *c, struct contrast spec, const float *rows,
                bool keep)
{
    const float *Z;
    float *dZ;
    double *D;
    int64_t count = 2 * spec.n * spec.d, kept = contrast_image_bytes(&spec, c->precision);
    CHECK_OK(context_share(c, &Z, rows, count, sizeof(float)));
    CHECK_OK(context_take(c, &D, 2 * spec.n, sizeof(double)));
    CHECK_OK(context_take(c, &dZ, count, sizeof(float)));
    spec.Z = Z;
    spec.D = D;
    if (keep && kept > 0)
        CHECK_OK(context_take(c, &spec.image, kept, 1));
    CHECK_OK(c->kernels->contrast(c, &spec));
    CHECK_OK(c->kernels->contrast_backward(c, &spec, dZ));
    CHECK_OK(context_finish(c));
    CHECK_OK(memory_alloc(&o->D, 2 * spec.n, sizeof(double)));
    CHECK_OK(memory_alloc(&o->dZ, count, sizeof(float)));
    CHECK_OK(c->buffers->download(c, o->D, D, (size_t)(2 * spec.n) * sizeof(double)));
    CHECK_OK(c->buffers->download(c, o->dZ, dZ, (size_t)count * sizeof(float)));
    o->loss = spec.loss;
    o->information = spec.mutual_information;
    context_unshare(c, Z);
    context_give(c, D);
    context_give(c, spec.image);
    context_give(c, dZ);
}

static void clear(struct outcome *o)
{
    memory_free(o->D);
    memory_free(o->dZ);
}

static double worst(const double *a, const double *b, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]) / fabs(b[i]));
    return most;
}

static void check_size(int64_t n, int64_t d, double tau, bool within, bool zeros)
{
    const bool oracle =
        n * d < 20000; /* its gradient takes (2 n d)^2 products: then under a second */
    struct contrast spec = {.n = n, .d = d, .tau = tau, .within = within};
    float *Z = make_rows(n, d, zeros);
    struct outcome exact, half, again;
    double error[WAYS - ON_GPU];
    run(&exact, way[oracle ? ORACLE : HOST], spec, Z, false);
    for (int i = ON_GPU; i < WAYS; i++) {
        double loose = OF_GPU[(i - ON_GPU) % PRECISIONS].loose;
        run(&half, way[i], spec, Z, false);
        run(&again, way[i], spec, Z, true);
        CHECK(memcmp(half.dZ, again.dZ, (size_t)(2 * n * d) * sizeof(float)) == 0);
        CHECK(memcmp(half.D, again.D, (size_t)(2 * n) * sizeof(double)) == 0);
        double most = loose * 1e-3 * fmax(1, 0.1 / tau) * (1 + fabs(exact.loss));
        CHECK(fabs(half.loss - exact.loss) < most);
        CHECK(fabs(half.information - exact.information) < most);
        CHECK(worst(half.D, exact.D, 2 * n) < loose * 4e-3 / tau);
        error[i - ON_GPU] = check_relative(half.dZ, exact.dZ, 2 * n * d);
        CHECK(error[i - ON_GPU] < loose * 2e-3 ||
              tau < 0.1); /* then all that is left is rounding */
        clear(&half);
        clear(&again);
    }
    printf("n %lld, d %lld, tau %g, %s%s: dZ off by", (long long)n, (long long)d, tau,
           within ? "exact" : "infonce", zeros ? ", zeros" : "");
    for (int i = ON_GPU; i < WAYS; i++)
        printf("%s %s %.2g", i == PORTABLE ? "; portable" : "",
               OF_GPU[(i - ON_GPU) % PRECISIONS].name, error[i - ON_GPU]);
    printf("\n");
    clear(&exact);
    memory_free(Z);
}

int main(int argc, char **argv)
{
    bool tiny = argc > 1 && strcmp(argv[1], "tiny") == 0; /* for compute-sanitizer: seconds */
    bool small = tiny || (argc > 1 && strcmp(argv[1], "small") == 0);
    static const int64_t SIZES[][2] = {{2, 5},     {63, 64},   {64, 65},   {127, 1},  {128, 128},
                                       {129, 256}, {300, 200}, {640, 100}, {700, 256}};
    static const int64_t WIDTHS[] = {16, 17, 31, 33, 47, 49, 77, 131, 255};
    static const int64_t WIDE[][2] = {{129, 320}, {3, 257},    {65, 1000}, {127, 512},
                                      {64, 1024}, {201, 1023}, {385, 513}};
    const struct backend *cuda = NULL;
    if (backend_find(&cuda, "cuda") != GRACO_OK) {
        printf("skipped: no GPU\n");
        return 77;
    }
    open_way(ORACLE, &backend_reference, PRECISION_FP32);
    open_way(HOST, &backend_cpu, PRECISION_FP32);
    for (int i = ON_GPU; i < WAYS; i++)
        open_way(i, cuda, OF_GPU[(i - ON_GPU) % PRECISIONS].precision);
    for (size_t i = 0; !tiny && i < sizeof SIZES / sizeof *SIZES; i++)
        for (int kind = 0; kind < 4; kind++)
            check_size(SIZES[i][0], SIZES[i][1], i % 2 ? 0.4 : 0.9, kind % 2, kind / 2);
    for (int64_t d = 64; !tiny && d <= 256; d *= 2) /* a tau that no image is scaled for */
        check_size(300, d, 0.01, d % 128, false);
    for (size_t i = 0; i < sizeof WIDTHS / sizeof *WIDTHS; i += tiny ? 4 : 1) /* around slabs */
        check_size(3 + 13 * (int64_t)i, WIDTHS[i], 0.5, i / 4 % 2 == i % 2, false);
    for (size_t i = 0; i < (tiny ? 1 : sizeof WIDE / sizeof *WIDE); i++)
        for (int kind = tiny ? 3 : 0; kind < 4; kind++)
            check_size(WIDE[i][0], WIDE[i][1], i % 2 ? 0.4 : 0.9, kind % 2, kind / 2);
    if (!small) {
        check_size(385, 131, 0.2, true, false);
        check_size(1000, 256, 0.5, true, false);
        check_size(5000, 128, 0.5, true, false);
        check_size(9000, 256, 0.7, true, false);
        check_size(9000, 256, 0.7, false, false);
        check_size(3000, 512, 0.1, true, false);
        check_size(3001, 512, 0.1, false, false);
        check_size(2001, 1024, 0.5, true, false);
        check_size(8301, 320, 0.5, true, false);   /* several panels of weights */
        check_size(16501, 257, 0.5, false, false); /* and of sums */
    }
    for (int i = 0; i < WAYS; i++)
        context_free(way[i]);
    return check_result();
}
