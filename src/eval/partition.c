/* All three numbers come from the pairs of parts that share items, and how many those are. The matching is found by the
 * method of Kuhn and Munkres: rows are added one by one, each by the shortest path to a free column under
 * potentials that keep all reduced costs at or above 0. */
#include "eval/partition.h"

#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of parts that share items, in the order of their keys: there are at most as many as items. */
struct partition_table {
    int64_t rows, cols, items, pairs;
    int64_t *key;       /* (pairs) row * cols + col, ascending */
    int64_t *shared;    /* (pairs) items */
    int64_t *row, *col; /* sums */
};

static int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static graco_status count_shared(struct partition_table *t, int64_t count, const int32_t *a,
                                 const int32_t *b)
{
    PASS(memory_alloc(&t->key, count, sizeof *t->key));
    PASS(memory_zalloc(&t->shared, count, sizeof *t->shared));
    PASS(memory_zalloc(&t->row, t->rows, sizeof *t->row));
    PASS(memory_zalloc(&t->col, t->cols, sizeof *t->col));
    for (int64_t i = 0; i < count; i++) {
        if (a[i] < 0 || b[i] < 0)
            continue;
        t->key[t->items++] = a[i] * t->cols + b[i];
        t->row[a[i]]++;
        t->col[b[i]]++;
    }
    qsort(t->key, (size_t)t->items, sizeof *t->key, compare_keys);
    for (int64_t i = 0; i < t->items; i++) {
        if (t->pairs == 0 || t->key[i] != t->key[t->pairs - 1])
            t->key[t->pairs++] = t->key[i];
        t->shared[t->pairs - 1]++;
    }
    return GRACO_OK;
}

/* ---- Mutual information and pairs --------------------------------------------------------------- */

static double entropy(const int64_t *sizes, int64_t parts, int64_t items)
{
    double sum = 0;
    for (int64_t i = 0; i < parts; i++) {
        double p = (double)sizes[i] / (double)items;
        sum -= p > 0 ? p * log(p) : 0;
    }
    return sum;
}

static int64_t parts_in_use(const int64_t *sizes, int64_t parts)
{
    int64_t used = 0;
    for (int64_t i = 0; i < parts; i++)
        used += sizes[i] > 0;
    return used;
}

static double mutual_information(const struct partition_table *t)
{
    double n = (double)t->items, information = 0;
    if (parts_in_use(t->row, t->rows) == 1 && parts_in_use(t->col, t->cols) == 1)
        return 1;
    for (int64_t i = 0; i < t->pairs; i++) {
        double both = (double)t->shared[i];
        double apart = (double)t->row[t->key[i] / t->cols] * (double)t->col[t->key[i] % t->cols];
        information += both / n * log(n * both / apart);
    }
    double mean = (entropy(t->row, t->rows, t->items) + entropy(t->col, t->cols, t->items)) / 2;
    return mean > 0 ? fmax(0, information) / mean : 0;
}

static double square_sum(const int64_t *sizes, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (double)sizes[i] * (double)sizes[i];
    return sum;
}

/* From ordered pairs of items: together in both ways, in one of them, in neither. */
static double rand_index(const struct partition_table *t)
{
    double n = (double)t->items, both = square_sum(t->shared, t->pairs);
    double a = square_sum(t->row, t->rows), b = square_sum(t->col, t->cols);
    double together = both - n, only_a = a - both, only_b = b - both, apart = n * n - a - b + both;
    if (only_a == 0 && only_b == 0)
        return 1;
    return 2 * (together * apart - only_a * only_b) /
           ((together + only_a) * (only_a + apart) + (together + only_b) * (only_b + apart));
}

/* ---- The best matching -------------------------------------------------------------------------- */

/* One row and column more than there are: number 0 is none. */
struct matching {
    int64_t side;            /* the larger of rows and cols: what is missing shares nothing */
    int64_t *shared;         /* (side, side) items of each pair */
    double *of_row, *of_col; /* (side + 1) potentials */
    double *least;           /* (side + 1) lowest reduced cost of the way to a column */
    int64_t *row_of;         /* (side + 1) the row that a column is matched with */
    int64_t *before;         /* (side + 1) the column before, on that way */
    uint8_t *seen;           /* (side + 1) */
};

static double cost(const struct matching *m, int64_t row, int64_t col)
{
    return -(double)m->shared[(row - 1) * m->side + col - 1];
}

/* The next column on the shortest way from column `at`; moves the potentials there. */
static int64_t step(struct matching *m, int64_t at)
{
    double delta = (double)INFINITY;
    int64_t next = 0, row = m->row_of[at];
    m->seen[at] = 1;
    for (int64_t col = 1; col <= m->side; col++) {
        if (m->seen[col])
            continue;
        double reduced = cost(m, row, col) - m->of_row[row] - m->of_col[col];
        if (reduced < m->least[col]) {
            m->least[col] = reduced;
            m->before[col] = at;
        }
        if (m->least[col] < delta) {
            delta = m->least[col];
            next = col;
        }
    }
    for (int64_t col = 0; col <= m->side; col++) {
        if (m->seen[col]) {
            m->of_row[m->row_of[col]] += delta;
            m->of_col[col] -= delta;
        } else {
            m->least[col] -= delta;
        }
    }
    return next;
}

static void match_row(struct matching *m, int64_t row)
{
    int64_t at = 0;
    m->row_of[0] = row;
    memset(m->seen, 0, (size_t)(m->side + 1));
    for (int64_t col = 0; col <= m->side; col++)
        m->least[col] = (double)INFINITY;
    do
        at = step(m, at);
    while (m->row_of[at] != 0);
    for (; at != 0; at = m->before[at])
        m->row_of[at] = m->row_of[m->before[at]];
}

static graco_status match(double *share, const struct partition_table *t)
{
    graco_status status = GRACO_OK;
    struct matching m = {.side = t->rows > t->cols ? t->rows : t->cols};
    double matched = 0;
    *share = (double)NAN;
    if (m.side > PARTITION_MATCHED)
        return GRACO_OK;
    TRY(memory_zalloc(&m.shared, m.side * m.side, sizeof *m.shared));
    for (int64_t i = 0; i < t->pairs; i++)
        m.shared[t->key[i] / t->cols * m.side + t->key[i] % t->cols] = t->shared[i];
    TRY(memory_zalloc(&m.of_row, m.side + 1, sizeof *m.of_row));
    TRY(memory_zalloc(&m.of_col, m.side + 1, sizeof *m.of_col));
    TRY(memory_zalloc(&m.least, m.side + 1, sizeof *m.least));
    TRY(memory_zalloc(&m.row_of, m.side + 1, sizeof *m.row_of));
    TRY(memory_zalloc(&m.before, m.side + 1, sizeof *m.before));
    TRY(memory_zalloc(&m.seen, m.side + 1, sizeof *m.seen));
    for (int64_t row = 1; row <= m.side; row++) {
        TRY(threads_look());
        match_row(&m, row);
    }
    for (int64_t col = 1; col <= m.side; col++)
        matched -= cost(&m, m.row_of[col], col);
    *share = matched / (double)t->items;
done:
    memory_free(m.seen);
    memory_free(m.before);
    memory_free(m.row_of);
    memory_free(m.least);
    memory_free(m.of_col);
    memory_free(m.of_row);
    memory_free(m.shared);
    return status;
}

graco_status partition_compare(struct partition_scores *out, int64_t count, const int32_t *a,
                               int64_t a_parts, const int32_t *b, int64_t b_parts)
{
    graco_status status = GRACO_OK;
    struct partition_table t = {.rows = a_parts, .cols = b_parts};
    TRY(count_shared(&t, count, a, b));
    out->nmi = mutual_information(&t);
    out->ari = rand_index(&t);
    TRY(match(&out->accuracy, &t));
done:
    memory_free(t.key);
    memory_free(t.shared);
    memory_free(t.row);
    memory_free(t.col);
    return status;
}
