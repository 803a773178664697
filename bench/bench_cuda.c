/* How fast the exact objective with its gradient runs on the GPU, by size and precision.
 *
 *   bench_cuda PRECISION N D [ROUNDS]       PRECISION: fp32, tf32, fp16, fp16-portable, or bf16
 *
 * Prints one JSON object: medians of the two passes. Operations are counted by the mathematics:
 * 16 N^2 d, of which 4 are the forward pass (each pair of rows once) and 12 the backward pass. Between
 * any two rounds cuBLAS multiplies halves, 8192^3, so that both have the same clocks: its median rate
 * stands beside them.
 *
 *   bench_cuda neighbours N D [ROUNDS]
 *
 * is the search for 10 neighbours of each of N rows in its place, from host memory to host memory: 2 N^2 d
 * operations. */
#include "base/memory.h"
#include "base/threads.h"
#include "compute/context.h"
#include "compute/device_scratch.h"
#include "reference/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 99, SIDE = 8192, PRODUCTS = 20 };

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static graco_status make_rows(float **out, int64_t rows, int64_t d)
{
    const struct random_key key = {.stream = RANDOM_GENERATE};
    PASS(memory_alloc(out, rows * d, sizeof **out));
    for (int64_t i = 0; i < rows; i++) {
        float *z = *out + i * d;
        double length = 0;
        for (int64_t j = 0; j < d; j++) {
            z[j] = random_float(&key, (uint64_t)(i * d + j)) - 0.4f;
            length += (double)z[j] * (double)z[j];
        }
        for (int64_t j = 0; j < d; j++)
            z[j] /= (float)sqrt(length);
    }
    return GRACO_OK;
}

/* cuBLAS's operands and result: halves between 1/8 and 1/4 in size, of either sign. */
struct peer {
    uint16_t *A; /* (2, SIDE, SIDE) */
    float *C;
};

static graco_status open_peer(struct peer *p, struct context *c)
{
    const struct random_key key = {.stream = RANDOM_GENERATE, .step = 1};
    const int64_t count = (int64_t)SIDE * SIDE;
    uint16_t *host = NULL;
    graco_status status = GRACO_OK;
    TRY(memory_alloc(&host, 2 * count, sizeof *host));
    for (int64_t i = 0; i < 2 * count; i++) {
        unsigned drawn = (unsigned)(random_float(&key, (uint64_t)i) * 2048);
        host[i] = (uint16_t)(0x3000 | (drawn & 1023) | (drawn & 1024) << 5);
    }
    TRY(context_take(c, &p->A, 2 * count, sizeof *p->A));
    TRY(context_take(c, &p->C, count, sizeof *p->C));
    TRY(c->buffers->upload(c, p->A, host, (size_t)(2 * count) * sizeof *p->A));
    TRY(context_finish(c)); /* the upload reads `host` until then */
done:
    memory_free(host);
    return status;
}

/* TFLOP/s of cuBLAS. */
static graco_status run_peer(struct context *c, const struct peer *p, double *rate)
{
    double begin = threads_seconds();
    for (int i = 0; i < PRODUCTS; i++)
        PASS(testing_half_product(c, SIDE, p->C, p->A, p->A + (int64_t)SIDE * SIDE));
    PASS(context_finish(c));
    *rate = PRODUCTS * 2e-12 * SIDE * SIDE * SIDE / (threads_seconds() - begin);
    return GRACO_OK;
}

/* What rounds took, in order of size. */
struct times {
    double forward[ROUNDS_MAX], backward[ROUNDS_MAX], peer[ROUNDS_MAX];
};

static graco_status measure(struct context *c, int64_t n, int64_t d, int rounds,
                            struct times *times)
{
    struct contrast s = {.n = n, .d = d, .tau = 0.5, .within = true};
    struct peer peer = {0};
    float *rows = NULL, *dZ = NULL;
    graco_status status = GRACO_OK;
    TRY(make_rows(&rows, 2 * n, d));
    TRY(context_share(c, &s.Z, rows, 2 * n * d, sizeof *rows));
    TRY(context_take(c, &s.D, 2 * n, sizeof *s.D));
    TRY(context_take(c, &dZ, 2 * n * d, sizeof *dZ));
    if (contrast_image_bytes(&s, c->precision) > 0)
        TRY(context_take(c, &s.image, contrast_image_bytes(&s, c->precision), 1));
    TRY(open_peer(&peer, c));
    for (int round = -1; round < rounds; round++) { /* the first warms up */
        int i = round < 0 ? 0 : round;
        double begin = threads_seconds();
        TRY(c->kernels->contrast(c, &s));
        TRY(context_finish(c));
        double middle = threads_seconds();
        TRY(c->kernels->contrast_backward(c, &s, dZ));
        TRY(context_finish(c));
        times->forward[i] = middle - begin;
        times->backward[i] = threads_seconds() - middle;
        TRY(run_peer(c, &peer, &times->peer[i]));
    }
    qsort(times->forward, (size_t)rounds, sizeof *times->forward, compare);
    qsort(times->backward, (size_t)rounds, sizeof *times->backward, compare);
    qsort(times->peer, (size_t)rounds, sizeof *times->peer, compare);
done:
    context_give(c, peer.A);
    context_give(c, peer.C);
    memory_free(rows);
    return status;
}

static graco_status measure_neighbours(int64_t n, int64_t d, int rounds, double *seconds)
{
    graco_neighbours_options options = graco_neighbours_defaults();
    graco_matrix Z = {n, d, NULL};
    graco_status status = GRACO_OK;
    options.device = "cuda";
    TRY(make_rows(&Z.data, n, d));
    for (int round = 0; round < rounds; round++) {
        graco_neighbours found = {0};
        double begin = threads_seconds();
        TRY(graco_neighbours_find(&found, &Z, &options));
        seconds[round] = threads_seconds() - begin;
        graco_neighbours_clear(&found);
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare);
done:
    memory_free(Z.data);
    return status;
}

int main(int argc, char **argv)
{
    struct times times;
    const struct backend *cuda = NULL;
    struct context *c = NULL;
    graco_status status = GRACO_OK;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_cuda fp32|tf32|fp16|fp16-portable|bf16|neighbours N D "
                        "[ROUNDS]\n");
        return 2;
    }
    int64_t n = atoll(argv[2]), d = atoll(argv[3]);
    int rounds = argc > 4 ? atoi(argv[4]) : 11;
    if (rounds < 1 || rounds > ROUNDS_MAX)
        rounds = ROUNDS_MAX;
    double unit = (double)n * (double)n * (double)d / 1e12;
    TRY(backend_find(&cuda, "cuda"));
    if (strcmp(argv[1], "neighbours") == 0) {
        TRY(measure_neighbours(n, d, rounds, times.forward));
        double seconds = times.forward[rounds / 2];
        printf(
            "{\"neighbours\": 10, \"n\": %lld, \"d\": %lld, \"seconds\": %.4f, \"tflops\": %.1f}\n",
            (long long)n, (long long)d, seconds, 2 * unit / seconds);
        goto done;
    }
    TRY(context_create(&c, cuda, 1, 0));
    c->precision = strcmp(argv[1], "fp32") == 0   ? PRECISION_FP32
                   : strcmp(argv[1], "tf32") == 0 ? PRECISION_TF32
                   : strcmp(argv[1], "bf16") == 0 ? PRECISION_BF16
                                                  : PRECISION_FP16;
    if (strcmp(argv[1], "fp16-portable") == 0)
        testing_portable(c);
    TRY(measure(c, n, d, rounds, &times));
    double a = times.forward[rounds / 2], b = times.backward[rounds / 2];
    double cublas = times.peer[rounds / 2];
    printf("{\"precision\": \"%s\", \"n\": %lld, \"d\": %lld, \"forward_ms\": "
           "%.4f, "
           "\"backward_ms\": %.4f, \"forward_tflops\": %.1f, \"backward_tflops\": %.1f, "
           "\"tflops\": %.1f, \"cublas_tflops\": %.1f, \"percent\": %.1f}\n",
           argv[1], (long long)n, (long long)d, 1e3 * a, 1e3 * b, 4 * unit / a, 12 * unit / b,
           16 * unit / (a + b), cublas, 100 * 16 * unit / (a + b) / cublas);
done:
    if (status != GRACO_OK)
        fprintf(stderr, "bench_cuda: %s\n", graco_message());
    context_free(c);
    return status == GRACO_OK ? 0 : 1;
}
