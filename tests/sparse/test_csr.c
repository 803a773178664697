/* Compressed rows: known answers, random matrices against dense ones, and hostile arrays. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "sparse/csr.h"

enum { LARGEST = 9 };

/*     0 1 2 3
 * 0   5 . 7 .
 * 1   . . . .
 * 2   . 3 2 1 */
static int64_t starts[] = {0, 2, 2, 5};
static int32_t columns[] = {0, 2, 1, 2, 3};
static float values[] = {5, 7, 3, 2, 1};
static const struct csr small = {3, 4, starts, columns, values};

#define SAME(found, ...)                                                                           \
    CHECK(memcmp(found, (__VA_ARGS__), sizeof(__VA_ARGS__)) == 0) /* a compound literal */

static void knows_answers(void)
{
    struct csr T, rows, pairs;
    uint32_t *from = NULL;
    float *dense = NULL;
    int32_t row[5];
    CHECK_OK(csr_check(&small, 0));
    CHECK(csr_longest_row(&small) == 3);
    CHECK_OK(csr_transpose(&T, &from, &small));
    CHECK(T.rows == 4 && T.cols == 3);
    SAME(T.start, (int64_t[]){0, 1, 2, 4, 5});
    SAME(T.index, (int32_t[]){0, 2, 0, 2, 2});
    SAME(T.value, (float[]){5, 3, 7, 2, 1});
    SAME(from, (uint32_t[]){0, 2, 1, 3, 4});
    CHECK_OK(csr_gather(&rows, NULL, &small, (int32_t[]){2, 1, 0, 2}, 4));
    CHECK(rows.rows == 4 && rows.cols == 4);
    SAME(rows.start, (int64_t[]){0, 3, 3, 5, 8});
    SAME(rows.index, (int32_t[]){1, 2, 3, 0, 2, 1, 2, 3});
    SAME(rows.value, (float[]){3, 2, 1, 5, 7, 3, 2, 1});
    CHECK_OK(csr_densify(&dense, &small));
    SAME(dense, (float[]){5, 0, 7, 0, 0, 0, 0, 0, 0, 3, 2, 1});
    CHECK(csr_inner_first(row, &small, 3) == 2);
    SAME(row, (int32_t[]){0, 1, 2});
    CHECK(csr_inner_first(row, &small, 2) == 1);
    SAME(row, (int32_t[]){1, 0, 2});
    CHECK(csr_inner_first(row, &small, 4) == 3 && csr_inner_first(row, &small, 0) == 1);
    csr_entry_rows(row, &small);
    SAME(row, (int32_t[]){0, 0, 2, 2, 2});
    CHECK_OK(
        csr_from_pairs(&pairs, 3, 4, 4, (int32_t[]){2, 0, 2, 2}, (int32_t[]){3, 1, 0, 3}, NULL));
    SAME(pairs.start, (int64_t[]){0, 1, 1, 4});
    SAME(pairs.index, (int32_t[]){1, 3, 0, 3}); /* in their order, repeated ones too */
    CHECK(pairs.value == NULL);
    memory_free(dense);
    memory_free(from);
    csr_clear(&T);
    csr_clear(&rows);
    csr_clear(&pairs);
    CHECK(T.start == NULL && T.rows == 0);
}

/* Without values every entry is a one; a matrix may have no rows, no columns and no entries. */
static void knows_little(void)
{
    struct csr ones = {3, 4, starts, columns, NULL}, T, none = {0};
    float *dense = NULL;
    CHECK_OK(csr_check(&ones, 0));
    CHECK_OK(csr_densify(&dense, &ones));
    SAME(dense, (float[]){1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1});
    memory_free(dense);
    CHECK_OK(csr_transpose(&T, NULL, &ones));
    CHECK(T.value == NULL && T.start[4] == 5);
    csr_clear(&T);
    CHECK_OK(csr_alloc(&none, 0, 0, 0, true));
    CHECK_OK(csr_check(&none, 0));
    CHECK_OK(csr_sort(&none));
    CHECK(csr_longest_row(&none) == 0);
    CHECK_OK(csr_transpose(&T, NULL, &none));
    CHECK(T.rows == 0 && T.start[0] == 0);
    csr_clear(&T);
    CHECK_OK(csr_densify(&dense, &none));
    memory_free(dense);
    csr_clear(&none);
    csr_clear(&none);
}

/* ---- Random matrices ------------------------------------------------------------------------- */

/* About a third of the cells, row by row, and the same as a dense matrix. */
static struct csr draw(float *dense, uint32_t trial)
{
    struct random_key key = {.seed = 17, .stream = RANDOM_GENERATE, .step = trial};
    int64_t rows = random_below(&key, 1000, LARGEST + 1), at = 0;
    int64_t cols = 1 + random_below(&key, 1001, LARGEST);
    struct csr M;
    CHECK_OK(csr_alloc(&M, rows, cols, rows * cols, trial % 4 != 0));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++) {
            bool there = random_below(&key, (uint64_t)(i * cols + j), 3) == 0;
            dense[i * cols + j] = there ? M.value ? (float)(1 + at) : 1 : 0;
            if (!there)
                continue;
            if (M.value)
                M.value[at] = (float)(1 + at);
            M.index[at++] = (int32_t)j;
        }
        M.start[i + 1] = at;
    }
    return M;
}

static void check_dense(const struct csr *M, const float *expected)
{
    float *dense = NULL;
    CHECK_OK(csr_check(M, 0));
    CHECK_OK(csr_densify(&dense, M));
    CHECK(memcmp(dense, expected, (size_t)(M->rows * M->cols) * sizeof *dense) == 0);
    memory_free(dense);
}

static void check_transpose(const struct csr *M, const float *dense)
{
    struct csr T;
    uint32_t *from = NULL;
    float turned[LARGEST * LARGEST];
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++)
            turned[j * M->rows + i] = dense[i * M->cols + j];
    }
    CHECK_OK(csr_transpose(&T, &from, M));
    CHECK(T.rows == M->cols && T.cols == M->rows);
    check_dense(&T, turned);
    for (int64_t j = 0; j < T.rows; j++) {
        for (int64_t k = T.start[j]; k < T.start[j + 1]; k++) {
            int64_t i = T.index[k];
            CHECK(from[k] >= M->start[i] && from[k] < M->start[i + 1] && M->index[from[k]] == j);
        }
    }
    memory_free(from);
    csr_clear(&T);
}

/* Rows in any order, some of them twice, into memory that other trials have used. */
static void check_gather(struct csr *out, struct csr_room *room, const struct csr *M,
                         const float *dense)
{
    int32_t rows[LARGEST];
    float expected[LARGEST * LARGEST];
    int64_t count = M->rows == 0 ? 0 : LARGEST;
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (int32_t)(i * 5 % M->rows);
        memcpy(expected + i * M->cols, dense + rows[i] * M->cols, (size_t)M->cols * sizeof *dense);
    }
    CHECK_OK(csr_gather(out, room, M, rows, count));
    CHECK(out->rows == count && out->cols == M->cols);
    check_dense(out, expected);
}

/* Shuffles the entries of the rows, and sorts them again; pairs make the same rows. */
static void check_sort(const struct csr *M, const float *dense, uint32_t trial)
{
    struct random_key key = {.seed = 18, .stream = RANDOM_ORDER, .step = trial};
    struct csr made;
    int32_t row[LARGEST * LARGEST], col[LARGEST * LARGEST], order[LARGEST * LARGEST];
    int64_t entries = M->start[M->rows];
    csr_entry_rows(row, M);
    random_order(order, entries, &key);
    memcpy(col, row, (size_t)entries * sizeof *row);
    for (int64_t k = 0; k < entries; k++)
        row[k] = col[order[k]];
    for (int64_t k = 0; k < entries; k++)
        col[k] = M->index[order[k]];
    CHECK_OK(csr_from_pairs(&made, M->rows, M->cols, entries, row, col, NULL));
    CHECK(csr_longest_row(&made) == csr_longest_row(M));
    if (M->value) { /* the value of each cell is its own */
        CHECK_OK(memory_alloc(&made.value, entries, sizeof *made.value));
        for (int64_t i = 0; i < made.rows; i++) {
            for (int64_t k = made.start[i]; k < made.start[i + 1]; k++)
                made.value[k] = dense[i * M->cols + made.index[k]];
        }
    }
    CHECK_OK(csr_sort(&made));
    check_dense(&made, dense);
    csr_clear(&made);
}

static void agrees_with_dense(void)
{
    struct csr rows = {0}, ones = {0};
    struct csr_room room = {0}, ones_room = {0};
    for (uint32_t trial = 0; trial < 200; trial++) {
        float dense[LARGEST * LARGEST];
        struct csr M = draw(dense, trial);
        check_dense(&M, dense);
        check_transpose(&M, dense);
        check_gather(M.value ? &rows : &ones, M.value ? &room : &ones_room, &M, dense);
        check_sort(&M, dense, trial);
        csr_clear(&M);
    }
    CHECK(room.starts > 0 && room.entries > 0 && ones.value == NULL);
    csr_clear(&rows);
    csr_clear(&ones);
}

/* ---- Hostile arrays -------------------------------------------------------------------------- */

static void refuses(void)
{
    static struct {
        int64_t start[4];
        int32_t index[5];
        float value[5];
        const char *text;
    } table[] = {
        {{1, 2, 2, 5}, {0, 2, 1, 2, 3}, {1, 1, 1, 1, 1}, "run from 1 to 5: expected 0 to 5"},
        {{0, 3, 2, 5}, {0, 2, 1, 2, 3}, {1, 1, 1, 1, 1}, "row 1 ends at 2, before its start at 3"},
        {{0, 2, INT64_MIN, 5}, {0, 2, 1, 2, 3}, {1, 1, 1, 1, 1}, "row 1 ends at -9223372036854"},
        {{0, INT64_MAX, 2, 5}, {0, 2, 1, 2, 3}, {1, 1, 1, 1, 1}, "row 1 ends at 2, before its"},
        {{0, 2, 2, 5},
         {0, 4, 1, 2, 3},
         {1, 1, 1, 1, 1},
         "row 0 has a column index 4: expected 0 to 3"},
        {{0, 2, 2, 5}, {0, 2, -1, 2, 3}, {1, 1, 1, 1, 1}, "row 2 has a column index -1"},
        {{0, 2, 2, 5}, {0, 2, INT32_MIN, 2, 3}, {1, 1, 1, 1, 1}, "row 2 has a column index -2147"},
        {{0, 2, 2, 5}, {2, 0, 1, 2, 3}, {1, 1, 1, 1, 1}, "row 0 has column index 0 after 2"},
        {{0, 2, 2, 5}, {0, 2, 1, 2, 2}, {1, 1, 1, 1, 1}, "row 2 has column index 2 after 2"},
        {{0, 2, 2, 5}, {0, 2, 1, 2, 3}, {1, 1, 1, NAN, 1}, "row 2 has the value nan in column 2"},
        {{0, 2, 2, 5},
         {0, 2, 1, 2, 3},
         {1, -INFINITY, 1, 1, 1},
         "row 0 has the value -inf in column 2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct csr M = {3, 4, table[i].start, table[i].index, table[i].value};
        CHECK_FAILS(csr_check(&M, 0), GRACO_ERROR_FORMAT, table[i].text);
    }
    CHECK_OK(csr_check_starts(&small, 5));
    CHECK_FAILS(csr_check_starts(&small, 4), GRACO_ERROR_FORMAT, "from 0 to 5: expected 0 to 4");
    CHECK_FAILS(csr_check_starts(&small, 6), GRACO_ERROR_FORMAT, "from 0 to 5: expected 0 to 6");
}

/* Every number's places in a list, ascending; numbers that do not occur have none. */
static void groups(void)
{
    const int32_t row[] = {3, 1, 3, 0, 3}, expected[] = {3, 1, 0, 2, 4};
    const int64_t begin[] = {0, 1, 2, 2, 5, 5};
    struct csr M = {0};
    CHECK_OK(csr_group(&M, 5, 5, row));
    CHECK(M.rows == 5 && M.cols == 5 && !M.value);
    CHECK(memcmp(M.start, begin, sizeof begin) == 0);
    CHECK(memcmp(M.index, expected, sizeof expected) == 0);
    csr_clear(&M);
    CHECK_OK(csr_group(&M, 2, 0, NULL));
    CHECK(M.start[0] == 0 && M.start[2] == 0);
    csr_clear(&M);
}

/* Sizes that no memory can hold; columns that are only a claim cost nothing. */
static void bounds_memory(void)
{
    struct csr M = {.rows = 7};
    int32_t wide[] = {2000000000, 7, -5};
    struct csr claimed = {1, INT32_MAX, (int64_t[]){0, 3}, wide, NULL};
    CHECK_FAILS(csr_alloc(&M, INT64_MAX - 1, 1, 0, false), GRACO_ERROR_MEMORY, "too large");
    CHECK(M.rows == 0 && M.start == NULL);
    CHECK_FAILS(csr_alloc(&M, 1, 1, INT64_MAX / 2, true), GRACO_ERROR_MEMORY, "too large");
    CHECK_FAILS(csr_alloc(&M, 1, 1, -1, false), GRACO_ERROR_MEMORY, "too large");
    CHECK_OK(csr_sort(&claimed));
    CHECK(wide[0] == -5 && wide[1] == 7 && wide[2] == 2000000000);
}

static void identities(void)
{
    const float ones[4] = {1, 0, 0, 1};
    struct csr one;
    for (int valued = 0; valued < 2; valued++) {
        CHECK_OK(csr_identity(&one, 2, valued));
        CHECK((one.value != NULL) == valued && one.rows == 2 && one.cols == 2);
        check_dense(&one, ones);
        csr_clear(&one);
    }
}

int main(void)
{
    knows_answers();
    knows_little();
    agrees_with_dense();
    groups();
    identities();
    refuses();
    bounds_memory();
    return check_result();
}
