/* The exact objective's kernels on an emulated GPU (emulated_gpu.hpp), against plain loops in double
 * over the same rounded rows: D, the loss, the estimate, and the gradient. With the name of one sort of
 * kernels: its cases alone, until one fails. */
#include "emulated_host.hpp"
#include "emulated_views.hpp"

/* Of a block, on the GPUs that have least of it: compute capability 8.6, 8.9 and 12.0. */
enum { SHARED_BYTES_LEAST = 99 << 10 };

static int failed;

/* ---- The comparison ---------------------------------------------------------------------------- */

static double drawn()
{
    static uint64_t state = 42;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 40) / (1 << 24) - 0.5;
}

/* Unit rows, some of them zero. */
static void make_rows(float *Z, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < 2 * n; i++) {
        double length = 1e-30;
        for (int64_t j = 0; j < d; j++) {
            double x = (i % 2 ? 0.2 : -0.1) + drawn();
            Z[i * d + j] = (float)x;
            length += x * x;
        }
        for (int64_t j = 0; j < d; j++)
            Z[i * d + j] *= i % 11 == 5 ? 0 : (float)(1 / sqrt(length));
    }
}

/* The largest difference by the largest number, or by `size` if that is larger. */
template <typename T>
static double apart(const std::vector<double> &right, const T *found, double size = 1e-300)
{
    double most = 0;
    for (size_t i = 0; i < right.size(); i++) {
        double gap = fabs((double)found[i] - right[i]);
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

struct outcome {
    std::vector<double> D;
    double loss, information;
    std::vector<double> dZ; /* without the positive pairs, and scaled back */
};

/* z_i . z_i' of a row and its partner, as the kernels have it: not rounded. */
static double positive_of(const struct contrast &s, int64_t i)
{
    double dot = 0;
    for (int64_t k = 0; k < s.d; k++)
        dot += (double)s.Z[i * s.d + k] * (double)s.Z[(i + s.n) % (2 * s.n) * s.d + k];
    return (dot - 1) / s.tau;
}

/* Takes out of a gradient what a row's positive pair adds, and the factor of the loss. */
static void take_out_positive(float *dZ, const struct contrast &s, const double *D, int64_t all)
{
    for (int64_t i = 0; i < 2 * s.n; i++) {
        int64_t other = (i + s.n) % (2 * s.n);
        double both = exp(positive_of(s, i)) * (1 / D[i] + 1 / D[other]);
        for (int64_t k = 0; k < s.d; k++)
            dZ[i * s.d + k] = (float)(dZ[i * s.d + k] * 2 * (double)all * s.tau -
                                      (both - 2) * (double)s.Z[other * s.d + k]);
    }
}

/* Similarities, exponentials and their weights, by plain loops; `visit` gets each pair and its exponential. */
template <typename F>
static void each_pair(const struct contrast &s, const std::vector<double> &Z, F visit)
{
    for (int64_t i = 0; i < 2 * s.n; i++)
        for (int64_t j = 0; j < 2 * s.n; j++) {
            bool own = (i < s.n) == (j < s.n);
            double dot = 0;
            if (i == j || (own && !s.within))
                continue;
            for (int64_t k = 0; k < s.d; k++)
                dot += Z[(size_t)(i * s.d + k)] * Z[(size_t)(j * s.d + k)];
            visit(i, j, own, exp((dot - 1) / s.tau));
        }
}

/* Z times `root` is rounded. */
static struct outcome expected(const struct contrast &s, enum precision precision, float root = 1)
{
    const size_t rows = (size_t)(2 * s.n), d = (size_t)s.d;
    struct outcome o = {std::vector<double>(rows), 0, 0, std::vector<double>(rows * d)};
    std::vector<double> Z(rows * d), between(rows);
    for (size_t i = 0; i < Z.size(); i++)
        Z[i] = (double)rounded(s.Z[i] * root, precision) / (double)root;
    each_pair(s, Z, [&](int64_t i, int64_t, bool own, double e) {
        o.D[(size_t)i] += e;
        between[(size_t)i] += own ? 0 : e;
    });
    each_pair(s, Z, [&](int64_t i, int64_t j, bool, double e) {
        double w = e * (1 / o.D[(size_t)i] + 1 / o.D[(size_t)j]);
        for (size_t k = 0; k < d && i % s.n != j % s.n; k++)
            o.dZ[(size_t)i * d + k] += w * Z[(size_t)j * d + k];
    });
    o.information = log((double)s.n);
    for (size_t i = 0; i < rows; i++) {
        o.loss += (log(o.D[i]) - positive_of(s, (int64_t)i)) / (double)rows;
        o.information += (positive_of(s, (int64_t)i) - log(between[i])) / (double)rows;
    }
    return o;
}

static const char *const NAMES[] = {"fp32", "tf32", "fp16", "bf16"};

/* One sort of kernels on a GPU with so many multiprocessors, and an objective for them. */
struct trial {
    const char *kernels;
    enum precision precision;
    struct cuda_state state;
    struct backend backend = {};
    struct context c = {};
    struct cuda_scratch scratch = {};
    struct contrast s = {};
    device_buffer<float> Z, dZ;
    device_buffer<double> D;
    device_buffer<struct cuda_results> results;
    device_buffer<char> image;

    /* `keep`: tiles may leave their image to the way back. */
    trial(const char *sort, enum precision kind, int64_t n, int64_t d, bool exact, int processors,
          bool keep)
        : kernels(sort), precision(kind), s(spec(n, d, exact)), Z(2 * n * d), dZ(2 * n * d),
          D(2 * n), results(1), image(keep && tiles() ? contrast_image_bytes(&s, kind) : 0)
    {
        static const struct buffers buffers = {NULL, NULL, NULL, NULL, NULL, zero};
        state.wgmma = strcmp(kernels, "mma") != 0;
        state.ahead = is("ahead");
        state.processors = processors;
        state.results = results.data;
        backend.turn = turn_queue;
        c.backend = &backend;
        c.apart = true;
        c.device = &state;
        c.buffers = &buffers;
        c.precision = precision;
        scratch.context = &c;
        s.Z = Z.data;
        s.D = D.data;
        s.image = image.items > 0 ? image.data : NULL;
        make_rows(Z.data, n, d);
        emulated_shared_most = is("mma")     ? (int)SHARED_BYTES_LEAST
                               : is("float") ? (int)FLOAT_TILES_SHARED
                                             : (int)SHARED_BYTES_MOST;
    }

    static struct contrast spec(int64_t n, int64_t d, bool exact)
    {
        struct contrast s = {};
        s.n = n;
        s.d = d;
        s.tau = exact ? 0.1 : 0.9;
        s.within = exact;
        return s;
    }

    bool is(const char *name) const
    {
        return strcmp(kernels, name) == 0;
    }

    /* Of halves, both ways. */
    bool tiles() const
    {
        return is("mma") || is("wgmma") || is("ahead");
    }

    void forward()
    {
        struct row_sums sums = {};
        (is("panels") ? panels_forward
         : is("wide") ? wide_forward
                      : tiles_forward)(&scratch, &s, &sums);
        contrast_losses(&scratch, &s, &sums);
        meet_and_give_back(&c, &scratch);
    }

    /* Weights in halves are near 1. */
    float factor() const
    {
        const int64_t all = s.bounds ? s.bounds[RANKS] : s.n;
        return precision == PRECISION_FP16 ? (float)all / 2 : 1;
    }

    void backward()
    {
        struct tiles left = {};
        (is("panels")                ? panels_backward
         : is("wide") || is("float") ? wide_backward
                                     : tiles_backward)(&scratch, &s, factor(), dZ.data, &left);
        contrast_gradient(&c, &s, left, factor(), dZ.data);
        meet_and_give_back(&c, &scratch);
    }
};

/* Gives all rows a part in common, so that exponentials stay numbers of floats where tau is small. */
static void pull_together(float *Z, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < 2 * n; i++) {
        double square = 0;
        Z[i * d] += 2;
        for (int64_t k = 0; k < d; k++)
            square += (double)Z[i * d + k] * (double)Z[i * d + k];
        for (int64_t k = 0; k < d; k++)
            Z[i * d + k] = (float)((double)Z[i * d + k] / sqrt(square));
    }
}

static void check_size(const char *kernels, int64_t n, int64_t d, bool exact,
                       enum precision precision, int processors, double tau = 0)
{
    static const double BOUNDS[] = {1e-5, 1e-3, 1e-3, 1e-2}; /* weights are rounded too */
    const bool keep = exact == (n % 2 > 0);
    struct trial t(kernels, precision, n, d, exact, processors, keep);
    if (tau > 0) {
        t.s.tau = tau;
        pull_together(t.Z.data, n, d);
    }
    float root = sqrtf(contrast_scale(&t.s));
    struct outcome right = expected(t.s, precision, t.is("ahead") && tau == 0 ? root : 1);
    t.forward();
    t.backward();
    take_out_positive(t.dZ.data, t.s, right.D.data(), n);
    double errors[3] = {apart(right.D, t.D.data),
                        fmax(fabs(t.results.data->loss - right.loss),
                             fabs(t.results.data->mutual_information - right.information)),
                        apart(right.dZ, t.dZ.data, 0.1)};
    printf("%s, %s, n %d, d %d, %s%s: off by %.2g, %.2g, %.2g\n", kernels, NAMES[precision], (int)n,
           (int)d, exact ? "exact" : "infonce", t.s.image ? ", kept" : "", errors[0], errors[1],
           errors[2]);
    check("D", errors[0], 2e-5);
    check("loss and estimate", errors[1], 2e-5);
    check("the gradient", errors[2], BOUNDS[precision]);
    fflush(stdout);
}

/* What a forward kernel keeps is, to the bit, what the backward one makes where nothing was kept. */
static void check_kept(const char *kernels)
{
    const int64_t n = 200, d = 20;
    struct trial kept(kernels, PRECISION_FP16, n, d, true, 3, true);
    struct trial made(kernels, PRECISION_FP16, n, d, true, 3, false);
    const size_t bytes = 2 * n * d * sizeof(float);
    memcpy(made.Z.data, kept.Z.data, bytes);
    for (struct trial *t : {&kept, &made}) {
        t->forward();
        t->backward();
    }
    check("bits of the gradient", memcmp(kept.dZ.data, made.dZ.data, bytes) ? 1 : 0, 0);
}

/* What of `all`, `width` numbers for each row of both views, is a rank's. */
template <typename T> static std::vector<double> rows_of(const T *all, int rank, int64_t width)
{
    std::vector<double> own;
    for (int view = 0; view < 2; view++)
        for (int64_t i = world.bounds[rank] * width; i < world.bounds[rank + 1] * width; i++)
            own.push_back((double)all[view * world.bounds[RANKS] * width + i]);
    return own;
}

/* Over ranks each has the terms of its own rows with the columns of all. */
static void check_ranks(enum precision precision, bool exact)
{
    static const int64_t BOUNDS[RANKS + 1] = {0, 130, 131, 200};
    const int64_t n = BOUNDS[RANKS], d = 11;
    struct trial all("panels", precision, n, d, exact, 3, false);
    device_buffer<float> inverse(2 * n);
    struct outcome right = expected(all.s, precision);
    for (int64_t i = 0; i < 2 * n; i++)
        inverse.data[i] = (float)((double)all.factor() / right.D[(size_t)i]);
    world = {0, BOUNDS, all.Z.data, inverse.data};
    for (world.rank = 0; world.rank < RANKS; world.rank++) {
        const int rank = world.rank;
        struct trial t("panels", precision, BOUNDS[rank + 1] - BOUNDS[rank], d, exact, 3, false);
        const std::vector<double> D = rows_of(right.D.data(), rank, 1);
        copy_block(t.Z.data, all.Z.data, rank, d);
        t.s.bounds = BOUNDS;
        t.forward();
        t.backward();
        take_out_positive(t.dZ.data, t.s, D.data(), n);
        check("D of a rank", apart(D, t.D.data), 2e-5);
        check("the gradient of a rank", apart(rows_of(right.dZ.data(), rank, d), t.dZ.data), 1e-2);
    }
    world = {};
}

/* A number that is none in one row of Z is none in the row's D either, nor in the loss, nor in any gradient: exponentials that are
 * polynomials may not hide it. */
static void check_not_a_number(const char *kernels, enum precision precision)
{
    static const int64_t NODES = 20, ROWS[] = {0, 9, 20, 39}; /* rows of either half of a warp's */
    for (int64_t row : ROWS) {
        struct trial t(kernels, precision, NODES, 3, true, 3, row % 2 == 0);
        int64_t gradients = 0;
        t.Z.data[row * 3 + 1] = NAN;
        t.forward();
        t.backward();
        for (int64_t i = 0; i < 2 * NODES; i++)
            gradients += isnan(t.dZ.data[i * 3 + 1]);
        if (!isnan(t.D.data[row]) || !isnan(t.results.data->loss) || gradients != 2 * NODES) {
            printf("does not hold: %s, %s: NaN in row %d stays\n", kernels, NAMES[precision],
                   (int)row);
            failed++;
        }
    }
}

/* A row far from all others, even its partner: its D is so small that the weights of padding, which is nearer, exceed
 * halves. Times zeros they still are nothing. */
static void check_far_row(const char *kernels)
{
    static const int64_t NODES = 130, FAR = 3;
    struct trial t(kernels, PRECISION_FP16, NODES, 5, true, 3, true);
    t.s.tau = 0.05;
    for (int64_t i = 0; i < 2 * NODES * 5; i++)
        t.Z.data[i] = i % 5 > 0 ? 0 : i / 5 == FAR ? -1 : 1;
    struct outcome right = expected(t.s, PRECISION_FP16);
    t.forward();
    t.backward();
    take_out_positive(t.dZ.data, t.s, right.D.data(), NODES);
    check("the gradient with a far row", apart(right.dZ, t.dZ.data), 1e-3);
}

/* Where the run of each part begins and ends, for so many nodes that no kernel could be emulated. */
template <bool backward> static void check_parts(int64_t n, bool within, int parts)
{
    struct tiles t = {};
    t.n = n;
    t.blocks = (n + TILE_ROWS - 1) / TILE_ROWS;
    t.within = within;
    int64_t total = tiles_total<backward>(t), before = 0;
    t.parts = (int)least(parts, total);
    for (blockIdx.x = 0; (int)blockIdx.x < t.parts; blockIdx.x++) {
        tile_walk<backward> walk(t);
        bool holds = walk.begin == before && walk.more() && walk.k >= 0 && walk.k <= walk.last &&
                     tiles_first<backward>(t, walk.row) + walk.k == walk.tile &&
                     walk.row < 2 * t.blocks &&
                     tiles_owner(total, t.parts, walk.begin) == blockIdx.x &&
                     tiles_owner(total, t.parts, walk.end - 1) == blockIdx.x;
        before = walk.end;
        if (!holds) {
            printf("does not hold: the run of part %u of %d, n %lld\n", blockIdx.x, t.parts,
                   (long long)n);
            failed++;
        }
    }
    if (before != total) {
        printf("does not hold: %d parts have all tiles, n %lld\n", t.parts, (long long)n);
        failed++;
    }
}

static void check_all_parts()
{
    for (int64_t n : {1, 128, 129, 1000, 1000000, 100000000})
        for (int parts : {1, 7, 132, 376})
            for (bool within : {false, true}) {
                check_parts<false>(n, within, parts);
                check_parts<true>(n, within, parts);
            }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kernels;
        enum precision precision[2]; /* of infonce and of exact */
        int64_t n, d;
        int processors;
    } CASES[] = {
        {"panels", {PRECISION_FP32, PRECISION_BF16}, 5, 64, 3},
        {"panels", {PRECISION_FP16, PRECISION_FP32}, 130, 65, 3},
        {"panels", {PRECISION_BF16, PRECISION_FP16}, 129, 257, 3},
        {"panels", {PRECISION_BF16, PRECISION_FP16}, 1, 1, 3},
        {"panels", {PRECISION_FP32, PRECISION_FP32}, 127, 3, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 2, 5, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 2, 5, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 129, 131, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 129, 131, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 260, 100, 7},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 260, 17, 7},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 260, 17, 7},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 140, 300, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 140, 300, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 1, 1, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 127, 3, 3},
        {"float", {PRECISION_TF32, PRECISION_FP32}, 128, 65, 3},
        {"float", {PRECISION_FP32, PRECISION_TF32}, 3, 1023, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 130, 65, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 5, 64, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 129, 200, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 1, 1, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 127, 3, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 128, 255, 3},
        {"mma", {PRECISION_FP16, PRECISION_FP16}, 260, 20, 40},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 5, 64, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 130, 65, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 300, 128, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 129, 200, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 260, 256, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 1, 1, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 127, 3, 3},
        {"wgmma", {PRECISION_FP16, PRECISION_FP16}, 128, 129, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 5, 64, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 130, 65, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 300, 128, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 520, 100, 2},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 700, 20, 5},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 129, 200, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 260, 256, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 1, 1, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 127, 3, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 128, 129, 3},
        {"ahead", {PRECISION_FP16, PRECISION_FP16}, 300, 64, 1},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 140, 512, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 5, 257, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 300, 320, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 520, 257, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 270, 577, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 140, 17, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 270, 200, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 60, 1000, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 129, 1024, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 1, 1, 3},
        {"wide", {PRECISION_FP16, PRECISION_BF16}, 127, 3, 3},
        {"wide", {PRECISION_BF16, PRECISION_FP16}, 128, 1023, 3},
    };
    const char *chosen = argc > 1 ? argv[1] : NULL;
    if (chosen && strcmp(chosen, "few") == 0) { /* views, and a small case of each kernel */
        failed += emulated_views();
        for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
            if (i == 0 || strcmp(CASES[i].kernels, CASES[i - 1].kernels) != 0)
                for (int within = 0; within < 2; within++)
                    check_size(CASES[i].kernels, CASES[i].n < 130 ? CASES[i].n : 5,
                               CASES[i].d < 65 ? CASES[i].d : 17, within,
                               CASES[i].precision[within], CASES[i].processors);
        check_all_parts();
        return failed || emulated_wrong ? 1 : 0;
    }
    if (!chosen || strcmp(chosen, "views") == 0)
        failed += emulated_views();
    if (!chosen || strcmp(chosen, "propagate") == 0)
        failed += emulated_propagate();
    for (const auto &one : CASES) {
        if (chosen && strcmp(one.kernels, chosen) != 0)
            continue;
        for (int within = 0; within < 2; within++)
            check_size(one.kernels, one.n, one.d, within, one.precision[within], one.processors);
        if (chosen && (failed || emulated_wrong)) /* once is enough */
            break;
    }
    if (!chosen) {
        check_not_a_number("panels", PRECISION_FP32);
        check_not_a_number("float", PRECISION_FP32);
        check_not_a_number("float", PRECISION_TF32);
        check_not_a_number("mma", PRECISION_FP16);
        check_not_a_number("wgmma", PRECISION_FP16);
        check_not_a_number("ahead", PRECISION_FP16);
        check_not_a_number("wide", PRECISION_FP16);
        check_not_a_number("wide", PRECISION_BF16);
        for (const char *kernels : {"panels", "mma", "wgmma", "ahead"})
            check_far_row(kernels);
        const int64_t widths[] = {20, 65, 128, 129, 256}; /* of a tau that no image is scaled for */
        for (int64_t d : widths)
            for (int within = 0; within < 2; within++)
                for (const char *kernels : {"mma", "wgmma", "ahead"})
                    check_size(kernels, 141 + d % 2, d, within, PRECISION_FP16, 3, 0.01);
        for (const char *kernels : {"mma", "wgmma", "ahead"})
            check_kept(kernels);
        for (bool exact : {false, true})
            for (enum precision precision : {PRECISION_FP32, PRECISION_FP16, PRECISION_BF16})
                check_ranks(precision, exact);
        check_all_parts();
    }
    return failed || emulated_wrong ? 1 : 0;
}
