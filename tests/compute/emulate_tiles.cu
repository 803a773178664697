/* The tiles of float32 and TF32, run by an emulated GPU: row sums and dZ against float64. test_float_tiles.sh
 * makes the three included files of src/compute/cuda/, whose kernels they have as they stand. */
#include "compute/cuda/cuda_tiles.cuh"

#include "float_tiles_text.cuh"
#include "tiles_text.cuh"

struct sums {
    std::vector<double> between, within;
};

/* Unit rows, as random as their number. */
static std::vector<float> make_rows(int64_t rows, int64_t d)
{
    std::vector<float> Z((size_t)(rows * d));
    uint32_t state = (uint32_t)(rows * 1000 + d);
    for (int64_t i = 0; i < rows; i++) {
        double length = 0;
        for (int64_t j = 0; j < d; j++) {
            state = state * 1664525u + 1013904223u;
            double x = (double)(state >> 8) / 0x1p24 - (i % 2 ? 0.3 : 0.7);
            Z[(size_t)(i * d + j)] = (float)x;
            length += x * x;
        }
        for (int64_t j = 0; j < d; j++)
            Z[(size_t)(i * d + j)] /= (float)sqrt(length);
    }
    return Z;
}

/* Row sums of exp((x - 1) / tau), and dZ where `inverse` is there, both in double. */
static void compute_exactly(const struct tiles &t, double tau, const std::vector<float> &Z,
                            struct sums *sums, const float *inverse, std::vector<double> *dZ)
{
    for (int64_t i = 0; i < 2 * t.n; i++)
        for (int64_t j = 0; j < 2 * t.n; j++) {
            const float *z = &Z[(size_t)(i * t.d)], *other = &Z[(size_t)(j * t.d)];
            bool within = (i < t.n) == (j < t.n);
            double x = 0;
            for (int64_t k = 0; k < t.d; k++)
                x += (double)z[k] * (double)other[k];
            double e = exp((x - 1) / tau);
            if (i != j && !inverse)
                (within ? sums->within : sums->between)[(size_t)i] += e;
            if (!inverse || i % t.n == j % t.n || (within && !t.within))
                continue;
            for (int64_t k = 0; k < t.d; k++)
                (*dZ)[(size_t)(i * t.d + k)] +=
                    e * ((double)inverse[i] + (double)inverse[j]) * (double)other[k];
        }
}

template <bool tf32> static void sweep_back(const struct tiles &t)
{
    launch(t.parts, 1, RING_BYTES + WEIGHT_BYTES + NOTE_BYTES, [&] {
        (t.width == 64    ? float_backward<tf32, 64>
         : t.width == 128 ? float_backward<tf32, 128>
                          : float_backward<tf32, 256>)(t);
    });
}

static double worst(const std::vector<double> &found, const std::vector<double> &expected)
{
    double most = 0;
    for (size_t i = 0; i < found.size(); i++) {
        double off = fabs(found[i] - expected[i]) / (fabs(expected[i]) + 1e-30);
        most = off <= most ? most : off; /* NaN is the worst */
    }
    return most;
}

template <bool tf32> static bool check(int64_t n, int64_t d, double tau, bool within, int parts)
{
    const size_t count = (size_t)(2 * n);
    const std::vector<float> Z = make_rows(2 * n, d);
    struct sums found = {std::vector<double>(count, NAN), std::vector<double>(count, NAN)};
    struct sums exact = {std::vector<double>(count), std::vector<double>(count)};
    std::vector<float> dZ(count * (size_t)d, NAN), inverse(count);
    std::vector<double> gradient(count * (size_t)d);
    struct tiles t = {};
    t.n = n;
    t.d = d;
    t.blocks = (n + TILE_ROWS - 1) / TILE_ROWS;
    t.width = tile_width(d);
    t.within = within;
    t.scale = (float)(1.44269504088896340736 / tau);
    const size_t rows = (size_t)tiles_rows(t), image = rows * (size_t)t.width;
    std::vector<float4> floats(image / 4), turned(image / 4); /* aligned */
    t.floats = (float *)floats.data();
    t.turned = (float *)turned.data();
    launch(2, 1, 0, [&] { make_floats<false>(t, Z.data(), tf32, (float *)floats.data()); });
    launch(2, 1, 0, [&] { make_floats<true>(t, Z.data(), tf32, (float *)turned.data()); });

    t.parts = (int)smaller_of(parts, tiles_total<false>(t));
    std::vector<float> part_sums(2 * (size_t)t.parts * rows);
    t.sums = part_sums.data();
    launch(t.parts, 1, RING_BYTES + SUM_BYTES + NOTE_BYTES, [&] { float_forward<tf32>(t); });
    for (size_t i = 0; i < count; i++) /* as add_sums does */
        for (int part = 0; part < t.parts; part++) {
            size_t at = (size_t)(2 * part) * rows + (i < count / 2 ? i : i - count / 2 + rows / 2);
            found.within[i] = (part ? found.within[i] : 0) + (double)part_sums[at];
            found.between[i] = (part ? found.between[i] : 0) + (double)part_sums[at + rows];
        }
    compute_exactly(t, tau, Z, &exact, NULL, NULL);
    double off = worst(found.between, exact.between);
    off = within ? fmax(off, worst(found.within, exact.within)) : off;

    for (size_t i = 0; i < count; i++)
        inverse[i] = (float)(1 / (exact.between[i] + (within ? exact.within[i] : 0)));
    compute_exactly(t, tau, Z, NULL, inverse.data(), &gradient);
    t.parts = (int)smaller_of(parts, tiles_total<true, TILE_COLS>(t));
    std::vector<float> shares(2 * (size_t)t.parts * TILE_ROWS * (size_t)t.width, NAN);
    std::vector<float> padded(rows, NAN);
    t.shares = shares.data();
    t.inverse = padded.data();
    t.dZ = dZ.data();
    launch((int64_t)(rows + BLOCK - 1) / BLOCK, 1, 0,
           [&] { pad_inverse(t, inverse.data(), padded.data()); });
    sweep_back<tf32>(t);
    launch(2 * t.blocks, 2, 0, [&] { add_shares<TILE_COLS>(t); });
    double square = 0, norm = 1e-60;
    for (size_t i = 0; i < gradient.size(); i++) {
        square += ((double)dZ[i] - gradient[i]) * ((double)dZ[i] - gradient[i]);
        norm += gradient[i] * gradient[i];
    }
    bool good = off < (tf32 ? 4e-3 : 4e-6) / tau && sqrt(square / norm) < (tf32 ? 2e-3 : 1e-5);
    printf("%s, n %lld, d %lld, tau %g, %s, %d parts: sums off by %.2g, dZ by %.2g%s\n",
           tf32 ? "tf32" : "fp32", (long long)n, (long long)d, tau, within ? "exact" : "infonce",
           t.parts, off, sqrt(square / norm), good ? "" : ": does not hold");
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        int n, d, parts;
        double tau;
    } CASES[] = {{2, 5, 3, 0.9}, {129, 131, 3, 0.5}, {260, 17, 7, 0.1}};
    bool good = true, first = argc > 1 && strcmp(argv[1], "first") == 0; /* the first case alone */
    for (const auto &one : CASES)
        for (int within = 0; within < 2 && (!first || &one == CASES); within++) {
            good &= check<false>(one.n, one.d, one.tau, within, one.parts);
            good &= check<true>(one.n, one.d, one.tau, within, one.parts);
        }
    printf("%ld accesses that are wrong\n", wrong);
    return good && wrong == 0 ? 0 : 1;
}
