/* The exact objective's kernels on an emulated GPU (emulated_gpu.hpp), against plain loops in double
 * over the same rounded rows: sums of exponentials, and the gradient but for its positive pairs.
 * With the name of one sort of kernels: its first case alone. */
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
    memset(block, 0xff, (size_t)items * size); /* no numbers */
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

static float rounded(float x, enum precision precision)
{
    return precision == PRECISION_FP32   ? x
           : precision == PRECISION_TF32 ? tile_tf32(x)
           : precision == PRECISION_FP16 ? (float)(_Float16)x
                                         : number_of(bf16_of_number(x));
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
    std::vector<double> sum((size_t)C.n), right((size_t)(k * C.n));
    for (int64_t i = 0; i < k * C.n; i++)
        right[(size_t)i] = operand_at(B, operands, i / C.n, i % C.n);
    for (int64_t i = 0; i < C.m; i++) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int64_t j = 0; j < k; j++) {
            double a = operand_at(A, operands, i, j);
            for (int64_t x = 0; x < C.n; x++)
                sum[(size_t)x] += a * right[(size_t)(j * C.n + x)];
        }
        for (int64_t x = 0; x < C.n; x++)
            C.data[i * C.ld + x] =
                (C.accumulate ? C.data[i * C.ld + x] : 0) + (float)sum[(size_t)x];
    }
    return GRACO_OK;
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
        most = gap <= most || isnan(most) ? most : gap; /* NaN stays */
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

/* By plain loops. */
static struct sums expected(const struct contrast &s, const std::vector<float> &inverse,
                            enum precision precision)
{
    int64_t rows = 2 * s.n;
    struct sums o = {std::vector<double>((size_t)rows), std::vector<double>((size_t)rows),
                     std::vector<double>((size_t)(rows * s.d))};
    std::vector<double> Z((size_t)(rows * s.d));
    for (size_t i = 0; i < Z.size(); i++)
        Z[i] = (double)rounded(s.Z[i], precision);
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

static void check_size(const char *kernels, int64_t n, int64_t d, bool within,
                       enum precision precision, int parts)
{
    static const char *const NAMES[] = {"fp32", "tf32", "fp16", "bf16"};
    static const double BOUNDS[] = {1e-5, 1e-3, 1e-3, 1e-2}; /* weights are rounded too */
    static const struct buffers buffers = {NULL, NULL, NULL, NULL, NULL, zero};
    struct cuda_state state;
    struct context c = {};
    struct cuda_scratch scratch = {};
    std::vector<float> Z = make_rows(n, d), inverse((size_t)(2 * n)), dZ((size_t)(2 * n * d), NAN);
    std::vector<double> between((size_t)(2 * n), NAN), inside((size_t)(2 * n), NAN);
    struct contrast s = {};
    bool wide = precision >= PRECISION_FP16 && d > WIDE_ABOVE;
    state.wgmma = strcmp(kernels, "mma") != 0;
    state.processors = parts;
    c.device = &state;
    c.buffers = &buffers;
    c.precision = precision;
    scratch.context = &c;
    s.n = n;
    s.d = d;
    s.tau = within ? 0.1 : 0.9;
    s.within = within;
    s.Z = Z.data();
    for (float &x : inverse)
        x = (float)(0.6 + drawn());
    struct sums right = expected(s, inverse, precision);
    (wide ? wide_forward : tiles_forward)(&scratch, &s, between.data(), inside.data());
    give_back(&scratch);
    (wide ? wide_backward : tiles_backward)(&scratch, &s, inverse.data(), dZ.data());
    give_back(&scratch);
    std::vector<double> found(dZ.begin(), dZ.end());
    double errors[3] = {apart(right.between, between.data()),
                        within ? apart(right.within, inside.data()) : 0,
                        apart(right.dZ, found.data())};
    printf("%s, %s, n %d, d %d, %s: off by %.2g, %.2g, %.2g\n", kernels, NAMES[precision], (int)n,
           (int)d, within ? "exact" : "infonce", errors[0], errors[1], errors[2]);
    check("sums between views", errors[0], 2e-5);
    check("sums within a view", errors[1], 2e-5);
    check("the gradient", errors[2], BOUNDS[precision]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kernels;
        enum precision precision[2]; /* of infonce and of exact */
        int64_t n, d;
        int parts;
    } CASES[] = {
        {"float", {PRECISION_FP32, PRECISION_TF32}, 2, 5, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 2, 5, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 129, 131, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 129, 131, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 260, 100, 7},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 260, 17, 7},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 260, 17, 7},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 5, 64, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 130, 65, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 129, 200, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 5, 64, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 130, 65, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 300, 128, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 129, 200, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 260, 256, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 140, 512, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 5, 257, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 300, 320, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 520, 257, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 270, 577, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 60, 1000, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 129, 1024, 3},
    };
    const char *chosen = argc > 1 ? argv[1] : NULL;
    for (const auto &one : CASES) {
        if (chosen && strcmp(one.kernels, chosen) != 0)
            continue;
        for (int within = 0; within < 2; within++)
            check_size(one.kernels, one.n, one.d, within, one.precision[within], one.parts);
        if (chosen)
            break;
    }
    return failed || emulated_wrong ? 1 : 0;
}
