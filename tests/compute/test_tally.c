/* Counts of work: what they say of the CPU's products is what the kernels do, and distances have their shares. */
#include "check.h"

#include "compute/cpu/cpu.h"
#include "compute/cpu/loops.h"
#include "compute/tally.h"

#include <math.h>

/* A unit is near, in the middle or far, or between two of them; nothing is lost. */
static void distances(void)
{
    const double bytes[] = {0,           WORK_NEAR,         sqrt((double)WORK_NEAR * WORK_MIDDLE),
                            WORK_MIDDLE, 2.0 * WORK_MIDDLE, WORK_FAR,
                            1e18};
    const double shares[][3] = {
        {1, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0}, {0, 1, 0}, {0, 2.0 / 3, 1.0 / 3},
        {0, 0, 1}, {0, 0, 1}};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct work_units work = {0};
        work_add(&work, WORK_SPARSE_NEAR, 6, bytes[i]);
        for (int k = 0; k < 3; k++)
            CHECK(fabs(work.units[WORK_SPARSE_NEAR + k] - 6 * shares[i][k]) < 1e-9);
        CHECK(work.units[WORK_ENTRY_NEAR] == 0);
    }
}

/* Passes over a row's entries, as the loops make them. */
static void passes(void)
{
    for (int64_t cols = 1; cols <= 700; cols++) {
        int64_t count = 0, first = 0;
        for (; first + GATHER_MOST <= cols; first += GATHER_MOST)
            count++;
        for (; first + GATHER_SOME <= cols; first += GATHER_SOME)
            count++;
        for (; first < cols; first += GATHER_LEAST)
            count++;
        CHECK(gather_passes(cols) == count);
    }
}

/* Parts of a sum cover it once, and none is empty. */
static void cuts(void)
{
    for (int64_t rows = 1; rows < 3000; rows += 97)
        for (int64_t depth = 1; depth < 100000; depth = depth * 3 / 2 + 1) {
            struct sum_cut one = cpu_cut_sum(rows, depth, 1);
            for (int threads = 1; threads < 40; threads *= 3) {
                struct sum_cut cut = cpu_cut_sum(rows, depth, threads);
                CHECK(cut.parts >= 1 && cut.slices >= 1 && cut.parts * cut.length >= depth);
                CHECK((cut.parts - 1) * cut.length < depth);
                CHECK(cut.slices * cut.rows >= rows && (cut.slices - 1) * cut.rows < rows);
                CHECK(cut.parts == one.parts && cut.length == one.length); /* the same bits */
            }
        }
    CHECK(cpu_cut_sum(300, 1500, 1).parts == 1 && cpu_cut_sum(300, 40000, 1).parts > 1);
}

enum { FEATURES = 40, NODES = 50 };

/* The transpose of features, `each` of NODES nodes with each of FEATURES. */
static struct csr make_features(int64_t *start, int32_t *index, float *value, int64_t each)
{
    for (int64_t i = 0; i <= FEATURES; i++)
        start[i] = i * each;
    for (int64_t k = 0; k < FEATURES * each; k++) {
        index[k] = (int32_t)(k % each);
        value[k] = 1;
    }
    return (struct csr){
        .rows = FEATURES, .cols = NODES, .start = start, .index = index, .value = value};
}

/* The gradient of weights goes by stripes, and copies rows of X where each has many entries in a chunk; a graph's
 * product does not. Masks leave rows out. */
static void stripes(void)
{
    int64_t start[FEATURES + 1];
    int32_t index[FEATURES * NODES];
    float value[FEATURES * NODES], mask[FEATURES], X[NODES * 2 * STRIPE] = {0},
                                                                 Y[FEATURES * 2 * STRIPE];
    struct tally tally;
    struct context *c = NULL;
    CHECK_OK(tally_init(&tally, &backend_cpu));
    CHECK_OK(context_create(&c, &tally.backend, 1, 0));
    struct sparse m = {.entries = make_features(start, index, value, NODES)};
    struct spmm product = {
        .views = 1, .matrix = &m, .back = true, .cols = STRIPE + 1, .X = X, .Y = Y};
    CHECK(cpu_goes_by_stripes(&product));
    CHECK(cpu_copied_rows(&product, 0) == 0); /* 64 chunks in all, of few entries each */
    CHECK_OK(c->kernels->spmm(c, &product));
    const double *units = tally.work.units;
    CHECK(units[WORK_STRIPE_NEAR] == 2 * FEATURES * NODES);
    CHECK(units[WORK_NARROW] == FEATURES * NODES && units[WORK_ENTRY_NEAR] == 0);

    tally.work = (struct work_units){0};
    tally_remember(&tally, mask, 0.25);
    m.row_scale = mask;
    product.cols = STRIPE;
    CHECK_OK(c->kernels->spmm(c, &product));
    CHECK(units[WORK_STRIPE_NEAR] == 0.25 * FEATURES * NODES && units[WORK_NARROW] == 0);

    tally.work = (struct work_units){0};
    m = (struct sparse){.entries = m.entries, .self = true};
    CHECK(!cpu_goes_by_stripes(&product));
    CHECK_OK(c->kernels->spmm(c, &product));
    CHECK(units[WORK_STRIPE_NEAR] == 0 && units[WORK_ENTRY_NEAR] == FEATURES * (NODES + 1));
    context_free(c);
    tally_clear(&tally);
}

/* Nodes that all have few features, which are common: a chunk has many entries of each node. */
static void copies(void)
{
    enum { COMMON = 64 * 8, FEW = 4 };
    static int64_t start[COMMON + 1];
    static int32_t index[COMMON * FEW];
    static float value[COMMON * FEW], X[FEW], Y[COMMON];
    for (int64_t i = 0; i <= COMMON; i++)
        start[i] = i * FEW;
    const struct sparse m = {.entries = {COMMON, FEW, start, index, value}};
    const struct spmm product = {.views = 1, .matrix = &m, .back = true, .cols = 1, .X = X, .Y = Y};
    CHECK(cpu_copied_rows(&product, 0) == 64 * FEW);
}

int main(void)
{
    distances();
    passes();
    cuts();
    stripes();
    copies();
    return check_result();
}
