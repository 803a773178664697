/* Every kernel of the reference but the objectives, and its table. A kernel here is its formula,
 * one element after another, and shares no code with those that it checks. */
#include "reference/reference.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>

static double slope_at(const struct activation *a, int64_t element)
{
    if (a->kind == ACTIVATION_PRELU)
        return (double)a->slope[0];
    if (a->kind == ACTIVATION_NONE)
        return 1;
    if (a->kind == ACTIVATION_LEAKY)
        return 0.1;
    if (a->kind != ACTIVATION_RRELU)
        return 0;
    if (!a->training)
        return 11.0 / 48;
    if (a->slope)
        return (double)a->slope[element];
    element = rank_row(&a->among, element / a->cols) * a->cols + element % a->cols;
    return 1.0 / 8 + (1.0 / 3 - 1.0 / 8) * (double)random_float(&a->key, (uint64_t)element);
}

graco_status ref_activate(struct context *c, const struct activation *a, float *Y, const float *X)
{
    (void)c;
    for (int64_t i = 0; i < a->rows * a->cols; i++) {
        double x = (double)X[i] + (a->bias ? (double)a->bias[i % a->cols] : 0);
        if (a->kind == ACTIVATION_SIGMOID)
            Y[i] = (float)(1 / (1 + exp(-x)));
        else if (a->kind == ACTIVATION_ELU)
            Y[i] = (float)(x > 0 ? x : expm1(x));
        else
            Y[i] = (float)(x > 0 ? x : slope_at(a, i) * x);
    }
    return GRACO_OK;
}

graco_status ref_gemm(struct context *c, const struct gemm *g)
{
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            double total = 0;
            for (int64_t k = 0; k < g->k; k++) {
                float a = g->transpose_a ? g->A[k * g->lda + i] : g->A[i * g->lda + k];
                float b = g->transpose_b ? g->B[j * g->ldb + k] : g->B[k * g->ldb + j];
                total += (double)a * (double)b;
            }
            float *out = &g->C[i * g->ldc + j];
            *out = (float)(total + (g->accumulate ? (double)*out : 0));
        }
    return g->after ? ref_activate(c, g->after, g->C, g->C) : GRACO_OK;
}

/* Entry by entry: element (row, j) of M X. */
static double spmm_element(const struct sparse *m, const float *X, int64_t cols, int64_t row,
                           int64_t j)
{
    int64_t start = m->entries.start[row];
    int64_t count = m->count ? m->count[row] : m->entries.start[row + 1] - start;
    double total = 0;
    for (int64_t k = start; k < start + count; k++) {
        int64_t at = m->entries.index[k];
        double w = m->entries.value ? (double)m->entries.value[k] : 1;
        total += w * (m->col_scale ? (double)m->col_scale[at] : 1) * (double)X[at * cols + j];
    }
    int64_t own = m->first + row;
    if (m->self && own < m->entries.cols)
        total += (m->col_scale ? (double)m->col_scale[own] : 1) * (double)X[own * cols + j];
    return total * (m->row_scale ? (double)m->row_scale[row] : 1);
}

graco_status ref_spmm(struct context *c, const struct spmm *s)
{
    int64_t rows = s->rows ? s->row_count : s->matrix[0].entries.rows;
    assert(spmm_plain(s) || (!s->rows && !s->accumulate && (s->views == 1 || s->y_step != 0)));
    for (int view = 0; view < s->views; view++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < s->cols; j++) {
                int64_t row = s->rows ? s->rows[i] : i;
                float *out = s->Y + view * s->y_step + row * s->cols + j;
                bool add = s->accumulate || (view > 0 && s->y_step == 0);
                double total =
                    spmm_element(&s->matrix[view], s->X + view * s->x_step, s->cols, row, j);
                if (s->mask[view])
                    total *= (double)s->mask[view][j];
                *out = (float)(total + (add ? (double)*out : 0));
            }
    return s->after ? ref_activate(c, s->after, s->Y, s->Y) : GRACO_OK;
}

graco_status ref_propagate_sparse(struct context *c, const struct propagate_sparse *p)
{
    const struct sparse *X = p->X;
    float *dense = NULL;
    PASS(memory_zalloc(&dense, X->entries.rows * p->y_row, sizeof(float)));
    for (int64_t row = 0; row < X->entries.rows; row++)
        for (int64_t k = X->entries.start[row]; k < X->entries.start[row + 1]; k++)
            dense[row * p->y_row + X->entries.index[k]] = X->entries.value[k];
    graco_status status = ref_spmm(c, &(struct spmm){.views = p->views,
                                                     .matrix = p->matrix,
                                                     .cols = p->y_row,
                                                     .X = dense,
                                                     .Y = p->Y,
                                                     .y_step = p->y_step});
    for (int view = 0; view < p->views; view++)
        for (int64_t i = 0; i < p->matrix[view].entries.rows * X->entries.cols && p->mask[view];
             i++)
            p->Y[view * p->y_step + i / X->entries.cols * p->y_row + i % X->entries.cols] *=
                p->mask[view][i % X->entries.cols];
    memory_free(dense);
    return status;
}

graco_status ref_add(struct context *c, int64_t n, float *y, const float *x)
{
    (void)c;
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
    return GRACO_OK;
}

graco_status ref_scale_rows(struct context *c, int64_t rows, int64_t cols, float *Y,
                            const float *scale, const float *X, bool accumulate)
{
    (void)c;
    for (int64_t i = 0; i < rows * cols; i++)
        Y[i] = (accumulate ? Y[i] : 0) + scale[i / cols] * X[i];
    return GRACO_OK;
}

graco_status ref_activate_backward(struct context *c, const struct activation *a, float *dX,
                                   const float *dY, const float *Y, float *dbias, float *dslope)
{
    (void)c;
    for (int64_t i = 0; i < a->rows * a->cols; i++) {
        double seen = (double)Y[i], dy = (double)dY[i];
        if (a->kind == ACTIVATION_PRELU && a->bias)
            seen += (double)a->bias[i % a->cols];
        double slope = a->kind == ACTIVATION_ELU ? seen + 1 : slope_at(a, i);
        if (dslope && seen <= 0)
            *dslope += (float)(seen * dy);
        if (a->kind == ACTIVATION_SIGMOID)
            dX[i] = (float)(dy * seen * (1 - seen));
        else
            dX[i] = (float)(seen > 0 ? dy : slope * dy);
        if (dbias)
            dbias[i % a->cols] += dX[i];
    }
    return GRACO_OK;
}

graco_status ref_normalise(struct context *c, int64_t rows, int64_t cols, float *X,
                           const float *bias, float *norm)
{
    (void)c;
    for (int64_t i = 0; i < rows; i++) {
        float *x = X + i * cols;
        double square = 0;
        for (int64_t j = 0; j < cols; j++) {
            x[j] += bias ? bias[j] : 0;
            square += (double)x[j] * (double)x[j];
        }
        double length = fmax(sqrt(square), 1e-12);
        norm[i] = (float)length;
        for (int64_t j = 0; j < cols; j++)
            x[j] = (float)((double)x[j] / length);
    }
    return GRACO_OK;
}

graco_status ref_normalise_backward(struct context *c, int64_t rows, int64_t cols, float *dZ,
                                    const float *Z, const float *norm, float *dbias)
{
    (void)c;
    for (int64_t i = 0; i < rows; i++) {
        double along = 0;
        for (int64_t j = 0; j < cols; j++)
            along += (double)Z[i * cols + j] * (double)dZ[i * cols + j];
        for (int64_t j = 0; j < cols; j++) {
            float *dz = &dZ[i * cols + j];
            *dz = (float)(((double)*dz - (double)Z[i * cols + j] * along) / (double)norm[i]);
        }
    }
    for (int64_t j = 0; j < cols && dbias; j++) {
        double total = (double)dbias[j];
        for (int64_t i = 0; i < rows; i++)
            total += (double)dZ[i * cols + j];
        dbias[j] = (float)total;
    }
    return GRACO_OK;
}

graco_status ref_draw(struct context *c, int count, const struct drawing *list)
{
    (void)c;
    for (const struct drawing *what = list; what < list + count; what++)
        for (int64_t i = 0; i < what->n; i++) {
            uint32_t drawn = random_u32(&what->key, what->id ? what->id[i] : (uint64_t)i);
            bool keep = drawn >= random_threshold(what->p);
            if (what->bytes)
                what->bytes[i] = keep;
            else
                what->floats[i] = keep;
        }
    return GRACO_OK;
}

static void compact_row(const struct compaction *job, int64_t row)
{
    job->count[row] = 0;
    for (int64_t e = job->start[row]; e < job->start[row + 1]; e++) {
        if (!job->keep[job->id ? (int64_t)job->id[e] : e])
            continue;
        int64_t to = job->start[row] + job->count[row]++;
        job->kept[to] = job->index[e];
        if (job->weight)
            job->kept_weight[to] = job->weight[e];
    }
    if (job->scale)
        job->scale[row] = (float)pow((double)job->count[row] + 1, job->power);
}

graco_status ref_compact(struct context *c, int count, const struct compaction *list)
{
    (void)c;
    for (const struct compaction *job = list; job < list + count; job++)
        for (int64_t row = 0; row < job->rows; row++)
            compact_row(job, row);
    return GRACO_OK;
}

graco_status ref_degree_scale(struct context *c, const struct degrees *d, float *scale)
{
    (void)c;
    for (int64_t row = 0; row < d->rows; row++) {
        double degree = d->known ? (double)d->known[row] : 0;
        int64_t last = d->known ? 0 : !d->count ? d->start[row + 1] : d->start[row] + d->count[row];
        for (int64_t k = d->known ? 0 : d->start[row]; k < last; k++)
            degree += d->weight ? (double)d->weight[k] : 1;
        scale[row] = (float)pow(d->share * degree + 1, d->power);
    }
    return GRACO_OK;
}

graco_status ref_adam(struct context *c, const struct adam *a)
{
    (void)c;
    for (int64_t i = 0; i < a->count; i++) {
        double g = (double)a->grad[i];
        if (a->clip > 0)
            g = fmin(fmax(g, -a->clip), a->clip);
        g += a->weight_decay * (double)a->value[i];
        double m = a->beta1 * (double)a->m[i] + (1 - a->beta1) * g;
        double v = a->beta2 * (double)a->v[i] + (1 - a->beta2) * g * g;
        double mean = m / (1 - pow(a->beta1, (double)a->step));
        double square = v / (1 - pow(a->beta2, (double)a->step));
        a->m[i] = (float)m;
        a->v[i] = (float)v;
        a->value[i] = (float)((double)a->value[i] - a->lr * mean / (sqrt(square) + a->epsilon));
    }
    return GRACO_OK;
}

graco_status ref_clip_norm(struct context *c, int64_t n, float *g, double most)
{
    double square = 0;
    (void)c;
    for (int64_t i = 0; i < n; i++)
        square += (double)g[i] * (double)g[i];
    for (int64_t i = 0; i < n && square > most * most; i++)
        g[i] = (float)((double)g[i] * most / sqrt(square));
    return GRACO_OK;
}

graco_status ref_not_finite(struct context *c, int64_t n, const float *x, int64_t *first)
{
    (void)c;
    *first = -1;
    for (int64_t i = n - 1; i >= 0; i--)
        if (!isfinite(x[i]))
            *first = i;
    return GRACO_OK;
}

graco_status ref_gather(struct context *c, int64_t rows, int64_t cols, float *Y, const float *X,
                        const int32_t *index)
{
    (void)c;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            Y[i * cols + j] = X[index[i] * cols + j];
    return GRACO_OK;
}

graco_status ref_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                         const float *X)
{
    (void)c;
    for (int64_t i = 0; i < n; i++) {
        bool keep = random_u32(&d->key, (uint64_t)i) >= random_threshold(d->p);
        Y[i] = (float)((X ? (double)X[i] : 1) * (keep ? 1 / (1 - d->p) : 0));
    }
    return GRACO_OK;
}

static const struct kernels kernels = {
#define KERNEL(name, ...) .name = ref_##name,
#include "compute/kernels.def"
};

const struct backend backend_reference = {
    .name = "reference", .host = true, .buffers = &host_buffers, .kernels = &kernels};
