/* The dense product of every instruction set that this machine has, against a sum in double: shapes
 * with every kind of remainder, A as stored and transposed, B plain and packed. Blocks have exactly
 * the size that is asked for, so that a sanitizer sees a read past the end. */
#include "compute/cpu/cpu.h"
#include "compute/cpu/loops.h"
#include "compute/cpu/pack.h"

#include "base/extensions.h"
#include "base/random.h"
#include "check.h"

static const int64_t ROWS[] = {1, 2, 3, 4, 5, 6, 13},
                     COLS[] = {1, 3, 4, 15, 16, 31, 63, 64, 70, 129}, DEPTHS[] = {0, 1, 2, 17, 513};

static float *fill(int64_t count, uint32_t stream)
{
    struct random_key key = {.seed = 3, .stream = stream};
    float *block = malloc((size_t)(count ? count : 1) * sizeof *block);
    for (int64_t i = 0; block && i < count; i++)
        block[i] = 2 * random_float(&key, (uint64_t)i) - 1;
    return block;
}

/* The largest error over C, and whether what lies between its rows is as it was. */
static void compare(const struct panel_product *p, const float *before, const float *B)
{
    double worst = 0;
    bool beside = true;
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->c_row; j++) {
            double sum = p->accumulate ? (double)before[i * p->c_row + j] : 0;
            for (int64_t k = 0; k < p->depth && j < p->cols; k++)
                sum += (double)p->A[i * p->a_row + k * p->a_col] * (double)B[k * p->cols + j];
            double error = fabs((double)p->C[i * p->c_row + j] - sum);
            if (j < p->cols)
                worst = fmax(worst, error);
            else
                beside = beside && p->C[i * p->c_row + j] == before[i * p->c_row + j];
        }
    CHECK(worst < 1e-4);
    CHECK(beside);
}

static void check_shape(const struct loops *loops, int64_t rows, int64_t cols, int64_t depth)
{
    int64_t c_row = cols + 3;
    float *A = fill(rows * depth, 1), *B = fill(depth * cols, 2), *before = fill(rows * c_row, 4),
          *C = fill(rows * c_row, 4), *packed = fill(pack_size(depth, cols), 5);
    CHECK(A && B && before && C && packed);
    for (int64_t panel = 0; panel * PANEL < cols; panel++)
        pack_panel(packed, B, cols, false, depth, cols, panel);
    for (int variant = 0; variant < 8; variant++) {
        bool transposed = variant & 1, use_packed = variant & 2;
        struct panel_product p = {
            .rows = rows,
            .cols = cols,
            .depth = depth,
            .A = A,
            .a_row = transposed ? 1 : depth,
            .a_col = transposed ? rows : 1,
            .B = use_packed ? packed : B,
            .b_row = use_packed ? PANEL : cols,
            .b_panel = use_packed ? PANEL * depth : PANEL,
            .C = C,
            .c_row = c_row,
            .accumulate = variant & 4,
        };
        memcpy(C, before, (size_t)(rows * c_row) * sizeof *C);
        loops->product(&p);
        compare(&p, before, B);
    }
    free(A);
    free(B);
    free(before);
    free(C);
    free(packed);
}

static double *widen(const float *from, int64_t count)
{
    double *block = malloc((size_t)(count ? count : 1) * sizeof *block);
    for (int64_t i = 0; block && i < count; i++)
        block[i] = (double)from[i] * (1 + 1e-9 * (double)(i % 5));
    return block;
}

/* The same of doubles, B plain. */
static void check_double(const struct loops *loops, int64_t rows, int64_t cols, int64_t depth)
{
    float *a = fill(rows * depth, 1), *b = fill(depth * cols, 2), *c = fill(rows * cols, 4);
    double *A = widen(a, rows * depth), *B = widen(b, depth * cols), *C = widen(c, rows * cols);
    CHECK(A && B && C);
    const struct panel_product_double p = {rows, cols, depth, A, depth, 1,
                                           B,    cols, PANEL, C, cols,  true};
    double worst = 0, *before = widen(c, rows * cols);
    loops->product_double(&p);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double sum = before[i * cols + j];
            for (int64_t k = 0; k < depth; k++)
                sum += A[i * depth + k] * B[k * cols + j];
            worst = fmax(worst, fabs(C[i * cols + j] - sum));
        }
    CHECK(worst < 1e-12);
    free(before);
    free(A);
    free(B);
    free(C);
    free(a);
    free(b);
    free(c);
}

static void check_loops(const struct loops *loops)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (size_t j = 0; j < sizeof COLS / sizeof *COLS; j++)
            for (size_t k = 0; k < sizeof DEPTHS / sizeof *DEPTHS; k++) {
                check_shape(loops, ROWS[i], COLS[j], DEPTHS[k]);
                check_double(loops, ROWS[i], COLS[j], DEPTHS[k]);
            }
}

/* Parts of a sum that is cut cover it once, none is empty, and threads change no bits. */
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
                CHECK(cut.parts == one.parts && cut.length == one.length);
            }
        }
    CHECK(cpu_cut_sum(300, 1500, 1).parts == 1 && cpu_cut_sum(300, 40000, 1).parts > 1);
}

int main(void)
{
    cuts();
    check_loops(&loops_generic);
#ifdef __x86_64__
    if (EXT_CPU_HAS("avx2") && EXT_CPU_HAS("fma"))
        check_loops(&loops_avx2);
    if (loops_choose() == &loops_avx512)
        check_loops(&loops_avx512);
#endif
    return check_result();
}
