/* The exact objective's kernels for the H100 family on an emulated GPU (emulated_gpu.hpp), against
 * plain loops in double over the same rounded rows: sums of exponentials, and the gradient but for
 * its positive pairs. */
#include "emulated_gpu.hpp"

#include "compute/cuda/cuda_contrast.cuh"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

static int failed;

/* ---- What the kernels' files ask for ----------------------------------------------------------- */

graco_status scratch_take(struct cuda_scratch *s, void *out, int64_t items, size_t size)
{
    void *block = aligned_alloc(1024, ((size_t)items * size + 1023) / 1024 * 1024);
    memset(block, 0x7f, (size_t)items * size);
    s->blocks[s->count++] = block;
    *(void **)out = block;
    return GRACO_OK;
}

static void give_back(struct cuda_scratch *s)
{
    while (s->count > 0)
        free(s->blocks[--s->count]);
}

graco_status cuda_check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return GRACO_OK;
    printf("does not hold: %s\n", doing);
    exit(1);
}

static graco_status zero(struct context *, void *block, size_t bytes)
{
    memset(block, 0, bytes);
    return GRACO_OK;
}

static float rounded(float x, bool bf16)
{
    return bf16 ? number_of(bf16_of_number(x)) : (float)(_Float16)x;
}

graco_status panels_round(struct cuda_scratch *scratch, const struct contrast *s, const void **out)
{
    int64_t ld = half_width(s->d);
    uint16_t *Z = NULL;
    PASS(scratch_take(scratch, &Z, 2 * s->n * ld, HALF_BYTES));
    for (int64_t i = 0; i < 2 * s->n * ld; i++) {
        float x = i % ld < s->d ? s->Z[i / ld * s->d + i % ld] : 0;
        _Float16 half = (_Float16)x;
        __nv_bfloat16 other = bf16_of_number(x);
        memcpy(&Z[i], scratch->context->precision == PRECISION_BF16 ? (void *)&other : &half, 2);
    }
    *out = Z;
    return GRACO_OK;
}

static double operand_at(const struct operand &m, cudaDataType type, int64_t row, int64_t col)
{
    int64_t at = m.transposed ? col * m.ld + row : row * m.ld + col;
    if (type == CUDA_R_16BF)
        return (double)number_of(((const __nv_bfloat16 *)m.data)[at]);
    return (double)number_of(((const __half *)m.data)[at]);
}

graco_status panels_multiply(struct context *, cudaDataType operands, struct result C, int64_t k,
                             struct operand A, struct operand B)
{
    std::vector<double> sum((size_t)C.n);
    for (int64_t i = 0; i < C.m; i++) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int64_t j = 0; j < k; j++) {
            double a = operand_at(A, operands, i, j);
            for (int64_t x = 0; x < C.n; x++)
                sum[(size_t)x] += a * operand_at(B, operands, j, x);
        }
        for (int64_t x = 0; x < C.n; x++)
            C.data[i * C.ld + x] =
                (C.accumulate ? C.data[i * C.ld + x] : 0) + (float)sum[(size_t)x];
    }
    return GRACO_OK;
}

cudaError_t tiles_forward_mma(const struct tiles &, cudaStream_t)
{
    return -1;
}
cudaError_t tiles_backward_mma(const struct tiles &, cudaStream_t)
{
    return -1;
}

cudaError_t float_tiles_forward(const struct tiles &, bool, cudaStream_t)
{
    return -1;
}
cudaError_t float_tiles_backward(const struct tiles &, bool, cudaStream_t)
{
    return -1;
}

/* ---- The comparison ---------------------------------------------------------------------------- */

static double drawn()
{
    static uint64_t state = 42;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 40) / (1 << 24) - 0.5;
}

static std::vector<float> make_rows(int64_t n, int64_t d)
{
    std::vector<float> Z((size_t)(2 * n * d));
    for (int64_t i = 0; i < 2 * n; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < d; j++) {
            double x = (i % 2 ? 0.2 : -0.1) + drawn();
            Z[(size_t)(i * d + j)] = (float)x;
            length += x * x;
        }
        for (int64_t j = 0; j < d; j++)
            Z[(size_t)(i * d + j)] *= i % 11 == 5 ? 0 : (float)(1 / sqrt(length));
    }
    return Z;
}

/* The largest difference by the largest number. */
static double apart(const std::vector<double> &right, const double *found)
{
    double most = 0, size = 1e-300;
    for (size_t i = 0; i < right.size(); i++) {
        double gap = fabs(found[i] - right[i]);
        most = gap <= most ? most : gap; /* no number stays */
        size = fmax(size, fabs(right[i]));
    }
    return most / size;
}

static void check(const char *what, double error, double bound)
{
    if (!(error <= bound)) {
        printf("does not hold: %s off by %.3g, at most %.3g\n", what, error, bound);
        failed++;
    }
}

struct sums {
    std::vector<double> between, within, dZ;
};

/* By plain loops; weights are rounded as the kernels round them. */
static struct sums plain(const struct contrast &s, const std::vector<float> &inverse, bool bf16)
{
    int64_t rows = 2 * s.n;
    struct sums o = {std::vector<double>((size_t)rows), std::vector<double>((size_t)rows),
                     std::vector<double>((size_t)(rows * s.d))};
    std::vector<double> Z((size_t)(rows * s.d));
    for (size_t i = 0; i < Z.size(); i++)
        Z[i] = (double)rounded(s.Z[i], bf16);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++) {
            bool own = (i < s.n) == (j < s.n);
            double dot = 0;
            if (i == j || (own && !s.within))
                continue;
            for (int64_t k = 0; k < s.d; k++)
                dot += Z[(size_t)(i * s.d + k)] * Z[(size_t)(j * s.d + k)];
            double e = exp((dot - 1) / s.tau);
            (own ? o.within : o.between)[(size_t)i] += e;
            if (i % s.n == j % s.n)
                continue;
            double w = e * (double)(inverse[(size_t)i] + inverse[(size_t)j]);
            for (int64_t k = 0; k < s.d; k++)
                o.dZ[(size_t)(i * s.d + k)] += w * Z[(size_t)(j * s.d + k)];
        }
    return o;
}

static void check_size(int64_t n, int64_t d, double tau, bool within, bool bf16)
{
    static const struct buffers buffers = {NULL, NULL, NULL, NULL, NULL, zero};
    struct cuda_state state;
    struct context c = {};
    struct cuda_scratch scratch = {};
    std::vector<float> Z = make_rows(n, d), inverse((size_t)(2 * n)), dZ((size_t)(2 * n * d));
    std::vector<double> between((size_t)(2 * n)), inside((size_t)(2 * n));
    struct contrast s = {};
    bool wide = d > WIDE_ABOVE;
    c.device = &state;
    c.buffers = &buffers;
    c.precision = bf16 ? PRECISION_BF16 : PRECISION_FP16;
    scratch.context = &c;
    s.n = n;
    s.d = d;
    s.tau = tau;
    s.within = within;
    s.Z = Z.data();
    for (float &x : inverse)
        x = (float)(0.6 + drawn());
    struct sums right = plain(s, inverse, bf16);
    (wide ? wide_forward : tiles_forward)(&scratch, &s, between.data(), inside.data());
    give_back(&scratch);
    (wide ? wide_backward : tiles_backward)(&scratch, &s, inverse.data(), dZ.data());
    give_back(&scratch);
    std::vector<double> found(dZ.begin(), dZ.end());
    double errors[3] = {apart(right.between, between.data()),
                        within ? apart(right.within, inside.data()) : 0,
                        apart(right.dZ, found.data())};
    check("sums between views", errors[0], 2e-5);
    check("sums within a view", errors[1], 2e-5);
    check("the gradient", errors[2], bf16 ? 1e-2 : 1e-3);
    printf("n %d, d %d, tau %g, %s, %s: off by %.2g, %.2g, %.2g\n", (int)n, (int)d, tau,
           within ? "exact" : "infonce", bf16 ? "bf16" : "fp16", errors[0], errors[1], errors[2]);
    fflush(stdout);
}

int main()
{
    static const struct {
        int64_t n, d;
    } TILES[] = {{5, 64}, {130, 65}, {300, 128}, {129, 200}, {260, 256}},
      WIDE[] = {{5, 257}, {300, 320}, {520, 257}, {140, 512}, {270, 577}, {60, 1000}, {129, 1024}};
    for (auto size : TILES)
        for (int kind = 0; kind < 2; kind++)
            check_size(size.n, size.d, kind ? 0.4 : 0.9, kind, false);
    for (size_t i = 0; i < sizeof WIDE / sizeof *WIDE; i++)
        for (int kind = 0; kind < 2; kind++)
            check_size(WIDE[i].n, WIDE[i].d, kind ? 0.1 : 0.9, kind, (i + (size_t)kind) % 2 > 0);
    return failed ? 1 : 0;
}
