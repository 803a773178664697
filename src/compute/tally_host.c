/* How the CPU's products read their operands, which decides their time as much as their operations do: counted by the
 * functions with which the kernels themselves decide. */
#include "compute/cpu/cpu.h"
#include "compute/cpu/loops.h"
#include "compute/tally.h"

#include <math.h>

static const double FLOAT = sizeof(float);

/* Each slice of the rows reads its part of B again, of which the slice before has left what a cache holds. What is
 * near costs nothing beside the product. */
void tally_host_gemm(struct context *c, const struct gemm *g)
{
    struct work_units read = {0}, *work = &tally_of(c)->work;
    if (!tally_of(c)->inner->host || !g->transpose_a)
        return;
    const struct sum_cut cut = cpu_cut_sum(g->m, g->k, c->threads);
    if (cut.parts < 2)
        return;
    double again = (double)(cut.slices - 1) * (double)g->k * (double)g->n;
    double row = (double)g->n + (double)g->m / (double)cut.slices;
    work_add(&read, WORK_SPARSE_NEAR, again, FLOAT * (double)cut.length * row);
    read.units[WORK_SPARSE_NEAR] = 0;
    work_add_all(work, &read, 1);
}

/* A stripe of X is read as other sparse products read X, but of one view after the other. Rows whose scale is 0 are
 * passed over. Chunks that copy their stripe of X to where it is near read that. */
bool tally_host_stripes(struct context *c, const struct spmm *s)
{
    struct work_units *work = &tally_of(c)->work;
    if (!tally_of(c)->inner->host || !cpu_goes_by_stripes(s))
        return false;
    const double stripes = (double)((s->cols + STRIPE - 1) / STRIPE),
                 whole = (double)(s->cols / STRIPE);
    const double width = (double)(s->cols < STRIPE ? s->cols : STRIPE);
    for (int view = 0; view < s->views; view++) {
        const struct sparse *m = &s->matrix[view];
        double entries = tally_entries(tally_of(c), m) * tally_share(tally_of(c), m->row_scale);
        double bytes = FLOAT * (double)m->entries.cols * width;
        double copied = (double)cpu_copied_rows(s, view);
        double first = copied > 0 ? 0 : fmin(entries, (double)m->entries.cols);
        work_add(work, WORK_STRIPE_NEAR, stripes * first, tally_around(c, bytes));
        work_add(work, WORK_STRIPE_NEAR, stripes * (entries - first), copied > 0 ? 0 : bytes);
        work_add(work, WORK_STREAM_NEAR, 2 * FLOAT * copied * (double)s->cols, bytes);
        work->units[WORK_NARROW] += (stripes - whole) * entries;
        tally_stream(c, 2 * FLOAT * (double)m->entries.rows * (double)s->cols);
    }
    return true;
}

struct tally_pass tally_host_pass(const struct context *c, const struct spmm *s)
{
    const bool host = tally_of(c)->inner->host;
    int64_t cols = host ? least(cpu_block_cols(s), s->cols) : s->cols;
    return (struct tally_pass){host ? (double)gather_passes(s->cols) : 1, FLOAT * (double)cols};
}
