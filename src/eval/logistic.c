/* Newton's method with preconditioned conjugate gradients, for all outputs at once.
 *
 * Everything that has a number for each row is a kernel's business: `regress` and `regress_curve`
 * multiply X with all outputs under way at the speed of a matrix product, on the CPU or on a GPU.
 * What has a number for each column stays here, in double on the host. Three things keep the number
 * of products small:
 *
 *   1. The coordinates are the principal axes of X. There the Hessian I + C X' D X, D the diagonal
 *      of sigma (1 - sigma), is close to the diagonal 1 + C mean(D) lambda_j, which costs nothing
 *      to invert: the preconditioner.
 *   2. C ascends in even ratios, and w is a smooth function of log C: each C starts from the cubic
 *      through the solutions of the four values before it.
 *   3. Newton steps are inexact: conjugate gradients stop at a fiftieth of the gradient, or where
 *      the stopping rule of the header will be met.
 *
 * Products with the Hessian are in float32: they only choose the direction of a step. Objectives and
 * gradients, which the stopping rule judges, are in double. Outputs leave the batch as they
 * converge. */
#include "eval/logistic.h"

#include "base/memory.h"
#include "base/share.h"
#include "base/threads.h"
#include "eval/blas.h"

#include <math.h>
#include <string.h>

enum {
    HISTORY = 4,       /* solutions behind the extrapolation */
    HALVINGS_MAX = 40, /* of a step */
    PIECE = 4,         /* outputs whose vectors a thread takes at a time */
    ROTATED = 16,      /* outputs that one call of BLAS turns back */
};

static double dot(const double *a, const double *b, int64_t n)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(double *a, double factor, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] += factor * b[i];
}

/* ---- The solver ------------------------------------------------------------------------------ */

/* Row k of each array belongs to output k, weights in the rotated coordinates; those of a batch have
 * a row for each output of the list that a kernel is asked for, in its order. */
struct solver {
    const struct logistic_rows *data;
    struct context *context;
    struct regression regression; /* on the device */
    double *panels;               /* of the regression */
    float *panels_rounded;
    int64_t outputs, rank;
    double C;
    double *numbers;             /* all doubles below in one block */
    double *w, *past_w[HISTORY]; /* (outputs, rank) */
    double *g, *step, *r, *q;    /* (outputs, rank); r and q: of conjugate gradients */
    double *f, *gg;              /* (outputs) objective, |g|^2 */
    double *mean_curvature;      /* (outputs) */
    double *rz, *target;         /* (outputs) r'z; the |r|^2 at which conjugate gradients stop */
    double *length;              /* (outputs) of the step that is tried */
    double *tried, *found;      /* batch: (outputs, rank) weights, (outputs, rank + 2) of regress */
    float *singles;             /* both floats below */
    float *direction, *product; /* batch: (outputs, rank) of regress_curve */
    int32_t *lists;             /* all below */
    int32_t *active, *live,
        *trying;    /* (outputs) not converged; in conjugate gradients; in a search */
    uint8_t *stays; /* (outputs) batch: whether the output goes on */
};

struct packing {
    const struct logistic_rows *data;
    double *to;
    float *rounded;
};

static void pack_panels(void *job, struct threads_piece panels)
{
    const struct packing *p = job;
    int64_t rows = p->data->rows, cols = p->data->rank, side = REGRESSION_PANEL;
    for (int64_t panel = panels.first; panel < panels.last; panel++)
        for (int64_t i = panel * side; i < (panel + 1) * side; i++)
            for (int64_t j = 0; j < cols; j++) {
                int64_t place = (panel * cols + j) * side + i % side;
                p->to[place] = i < rows ? p->data->XQ[i * cols + j] : 0;
                p->rounded[place] = (float)p->to[place];
            }
}

/* What the kernels read, on the device. */
static graco_status share_rows(struct solver *s, const struct logistic_problem *problem)
{
    const struct logistic_rows *data = problem->rows;
    struct regression *r = &s->regression;
    int64_t size = data->rows * data->rank, signs = problem->outputs * data->rows;
    int64_t panels = (data->rows + REGRESSION_PANEL - 1) / REGRESSION_PANEL;
    struct packing packing = {.data = data};
    *r = (struct regression){.rows = data->rows, .cols = data->rank, .outputs = problem->outputs};
    PASS(context_share(s->context, &r->X, data->XQ, size, sizeof *r->X));
    PASS(context_share(s->context, &r->X_rounded, data->XQ_rounded, size, sizeof *r->X_rounded));
    PASS(context_share(s->context, &r->positive, problem->positive, signs, sizeof *r->positive));
    PASS(context_take(s->context, &r->curvature, signs, sizeof *r->curvature));
    if (!s->context->backend->host)
        return GRACO_OK;
    size = panels * REGRESSION_PANEL * data->rank;
    PASS(context_take(s->context, &s->panels, size, sizeof *s->panels));
    PASS(context_take(s->context, &s->panels_rounded, size, sizeof *s->panels_rounded));
    packing.to = s->panels;
    packing.rounded = s->panels_rounded;
    threads_run(s->context->threads, panels, 1, pack_panels, &packing);
    r->panels = s->panels;
    r->panels_rounded = s->panels_rounded;
    return GRACO_OK;
}

static graco_status solver_init(struct solver *s, const struct logistic_problem *problem)
{
    int64_t outputs = problem->outputs, rank = problem->rows->rank;
    *s = (struct solver){
        .data = problem->rows, .context = problem->context, .outputs = outputs, .rank = rank};
    double **weights[] = {&s->w, &s->past_w[0], &s->past_w[1], &s->past_w[2], &s->past_w[3],
                          &s->g, &s->step,      &s->r,         &s->q,         &s->tried};
    double **scalars[] = {&s->f, &s->gg, &s->mean_curvature, &s->rz, &s->target, &s->length};
    int64_t weight_count = sizeof weights / sizeof *weights;
    int64_t scalar_count = sizeof scalars / sizeof *scalars;
    PASS(memory_zalloc(&s->numbers, outputs * ((weight_count + 1) * rank + 2 + scalar_count),
                       sizeof *s->numbers));
    double *next = s->numbers;
    for (int64_t i = 0; i < weight_count; i++, next += outputs * rank)
        *weights[i] = next;
    for (int64_t i = 0; i < scalar_count; i++, next += outputs)
        *scalars[i] = next;
    s->found = next;
    PASS(memory_alloc(&s->singles, 2 * outputs * rank, sizeof *s->singles));
    s->direction = s->singles;
    s->product = s->singles + outputs * rank;
    PASS(memory_alloc(&s->lists, 3 * outputs, sizeof *s->lists));
    s->active = s->lists;
    s->live = s->lists + outputs;
    s->trying = s->lists + 2 * outputs;
    PASS(memory_alloc(&s->stays, outputs, sizeof *s->stays));
    return share_rows(s, problem);
}

static void solver_clear(struct solver *s)
{
    if (s->context) {
        context_unshare(s->context, s->regression.X);
        context_unshare(s->context, s->regression.X_rounded);
        context_unshare(s->context, s->regression.positive);
        context_give(s->context, s->regression.curvature);
        context_give(s->context, s->panels_rounded);
        context_give(s->context, s->panels);
    }
    memory_free(s->stays);
    memory_free(s->lists);
    memory_free(s->singles);
    memory_free(s->numbers);
}

/* Runs `body` on the places of a list, on several threads. */
static void for_each(struct solver *s, int64_t count, threads_body *body)
{
    threads_run(s->context->threads, count, PIECE, body, s);
}

/* Drops from the list the outputs that do not stay; returns how many are left. */
static int64_t keep_staying(const struct solver *s, int32_t *list, int64_t count)
{
    int64_t left = 0;
    for (int64_t a = 0; a < count; a++)
        if (s->stays[a])
            list[left++] = list[a];
    return left;
}

/* ---- Steps by conjugate gradients ------------------------------------------------------------ */

/* q = M^-1 r + ratio q for output k, where `ratio` makes directions conjugate; r'z becomes new. */
static void turn_direction(struct solver *s, int64_t k, bool first)
{
    const double *lambda = s->data->lambda, *r = s->r + k * s->rank;
    double *q = s->q + k * s->rank, rz = 0, scale = s->C * s->mean_curvature[k];
    for (int64_t j = 0; j < s->rank; j++)
        rz += r[j] * r[j] / (1 + scale * lambda[j]);
    double ratio = first ? 0 : rz / s->rz[k];
    for (int64_t j = 0; j < s->rank; j++)
        q[j] = r[j] / (1 + scale * lambda[j]) + (first ? 0 : ratio * q[j]);
    s->rz[k] = rz;
}

static void pack_direction(struct solver *s, int64_t a, int64_t k)
{
    for (int64_t j = 0; j < s->rank; j++)
        s->direction[a * s->rank + j] = (float)s->q[k * s->rank + j];
}

/* Starts conjugate gradients for H step = -g. */
static void begin_steps(void *job, struct threads_piece places)
{
    /* Of |g|, and of the stopping rule's |g|^2. An objective costs as much as two products with the
     * Hessian: tighter steps, of which fewer are needed, pay. */
    const double forcing = 0.02, enough = 0.5;
    struct solver *s = job;
    for (int64_t a = places.first; a < places.last; a++) {
        int64_t k = s->live[a];
        for (int64_t j = 0; j < s->rank; j++)
            s->r[k * s->rank + j] = -s->g[k * s->rank + j];
        memset(s->step + k * s->rank, 0, (size_t)s->rank * sizeof *s->step);
        s->target[k] = fmax(forcing * forcing * s->gg[k], enough * 2 * LOGISTIC_GAP * s->f[k]);
        turn_direction(s, k, true);
        pack_direction(s, a, k);
    }
}

/* A step along q for each live output, whose product with the Hessian is there. */
static void advance_steps(void *job, struct threads_piece places)
{
    struct solver *s = job;
    int64_t rank = s->rank;
    for (int64_t a = places.first; a < places.last; a++) {
        int64_t k = s->live[a];
        const float *product = s->product + a * rank;
        double *q = s->q + k * rank, *r = s->r + k * rank, curved = 0;
        for (int64_t j = 0; j < rank; j++)
            curved += q[j] * (q[j] + s->C * (double)product[j]);
        double length = s->rz[k] / curved;
        add_scaled(s->step + k * rank, length, q, rank);
        for (int64_t j = 0; j < rank; j++)
            r[j] -= length * (q[j] + s->C * (double)product[j]);
        s->stays[a] = dot(r, r, rank) > s->target[k];
        if (s->stays[a])
            turn_direction(s, k, false);
    }
}

static void pack_directions(void *job, struct threads_piece places)
{
    struct solver *s = job;
    for (int64_t a = places.first; a < places.last; a++)
        pack_direction(s, a, s->live[a]);
}

/* Approximate Newton steps of the first `count` active outputs. */
static graco_status find_steps(struct solver *s, int64_t count)
{
    memcpy(s->live, s->active, (size_t)count * sizeof *s->live);
    for_each(s, count, begin_steps);
    for (int64_t round = 0; round < 4 * s->rank + 20 && count > 0; round++) {
        PASS(context_look(s->context));
        s->regression.list = s->live;
        s->regression.count = count;
        PASS(s->context->kernels->regress_curve(s->context, &s->regression, s->direction,
                                                s->product));
        for_each(s, count, advance_steps);
        count = keep_staying(s, s->live, count);
        for_each(s, count, pack_directions);
    }
    return GRACO_OK;
}

/* ---- Where to step --------------------------------------------------------------------------- */

/* The weights that are tried: w + length step. */
static void pack_weights(void *job, struct threads_piece places)
{
    struct solver *s = job;
    for (int64_t a = places.first; a < places.last; a++) {
        int64_t k = s->trying[a];
        double *tried = s->tried + a * s->rank;
        memcpy(tried, s->w + k * s->rank, (size_t)s->rank * sizeof *tried);
        add_scaled(tried, s->length[k], s->step + k * s->rank, s->rank);
    }
}

/* Takes the weights that were tried if f falls enough, else halves the step. A length of 0 always
 * is enough. */
static void judge_weights(void *job, struct threads_piece places)
{
    const double enough = 1e-4;
    struct solver *s = job;
    int64_t rank = s->rank;
    for (int64_t a = places.first; a < places.last; a++) {
        int64_t k = s->trying[a];
        const double *tried = s->tried + a * rank, *found = s->found + a * (rank + 2);
        double *g = s->g + k * rank, f = 0.5 * dot(tried, tried, rank) + s->C * found[rank];
        double slope = dot(g, s->step + k * rank, rank);
        /* Close to the minimum rounding alone may seem to raise f, by as much as this. */
        double slack = 1e-14 * s->f[k];
        s->stays[a] = s->length[k] > 0 && !(f <= s->f[k] + enough * s->length[k] * slope + slack);
        if (s->stays[a]) {
            s->length[k] = s->length[k] > ldexp(1, -HALVINGS_MAX) ? s->length[k] / 2 : 0;
            continue;
        }
        s->f[k] = f;
        s->mean_curvature[k] = found[rank + 1];
        memcpy(s->w + k * rank, tried, (size_t)rank * sizeof *tried);
        for (int64_t j = 0; j < rank; j++)
            g[j] = tried[j] + s->C * found[j];
        s->gg[k] = dot(g, g, rank);
    }
}

/* Moves the listed outputs along their steps, `length` of them at first, each halved until f falls
 * enough; leaves those where no length does. Fills f, g and what depends on them. */
static graco_status take_steps(struct solver *s, const int32_t *list, int64_t count, double length)
{
    memcpy(s->trying, list, (size_t)count * sizeof *list);
    for (int64_t a = 0; a < count; a++)
        s->length[list[a]] = length;
    while (count > 0) {
        PASS(context_look(s->context));
        s->regression.list = s->trying;
        s->regression.count = count;
        for_each(s, count, pack_weights);
        PASS(s->context->kernels->regress(s->context, &s->regression, s->tried, s->found));
        for_each(s, count, judge_weights);
        count = keep_staying(s, s->trying, count);
    }
    return GRACO_OK;
}

/* ---- All values of C ------------------------------------------------------------------------- */

/* Keeps the present solution and moves w to where the polynomial through the last `known` solutions,
 * at most HISTORY, leads. */
static void extrapolate(struct solver *s, int64_t known)
{
    static const double factors[HISTORY + 1][HISTORY] = {
        {0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
    int64_t used = least(known, HISTORY), size = s->outputs * s->rank;
    double *oldest = s->past_w[HISTORY - 1];
    if (used == 0)
        return;
    for (int64_t h = HISTORY - 1; h > 0; h--)
        s->past_w[h] = s->past_w[h - 1];
    s->past_w[0] = oldest;
    memcpy(oldest, s->w, (size_t)size * sizeof *s->w);
    for (int64_t i = 0; i < size; i++) {
        s->w[i] = 0;
        for (int64_t h = 0; h < used; h++)
            s->w[i] += factors[used][h] * s->past_w[h][i];
    }
}

/* All outputs for the C that is set, from where they stand. */
static graco_status solve_one(struct solver *s, struct logistic_report *report)
{
    int64_t count = s->outputs;
    for (int64_t k = 0; k < count; k++)
        s->active[k] = (int32_t)k;
    PASS(take_steps(s, s->active, count, 0));
    for (int64_t newton = 0; count > 0; newton++) {
        for (int64_t a = 0; a < count; a++) {
            int64_t k = s->active[a];
            double gap = s->gg[k] / (2 * s->f[k]);
            bool converged = gap <= LOGISTIC_GAP;
            s->stays[a] = !converged && newton < LOGISTIC_NEWTON_MAX;
            if (s->stays[a])
                continue;
            report->solves++;
            report->unconverged += !converged;
            report->worst_gap = gap <= report->worst_gap ? report->worst_gap : gap;
        }
        count = keep_staying(s, s->active, count);
        PASS(find_steps(s, count));
        PASS(take_steps(s, s->active, count, 1));
    }
    return GRACO_OK;
}

void logistic_report_add(struct logistic_report *sum, const struct logistic_report *one)
{
    sum->solves += one->solves;
    sum->unconverged += one->unconverged;
    if (!(one->worst_gap <= sum->worst_gap))
        sum->worst_gap = one->worst_gap;
}

/* Solutions on their way to W, in the coordinates of X. */
struct turning {
    double *W;
    const struct solver *solver;
};

static void turn_back(void *job, struct threads_piece outputs)
{
    const struct turning *t = job;
    const struct logistic_rows *data = t->solver->data;
    blas_dgemm(data->blas,
               (struct blas_result){t->W + outputs.first * data->cols, outputs.last - outputs.first,
                                    data->cols, data->cols, false},
               data->rank, blas_plain(t->solver->w + outputs.first * data->rank, data->rank),
               blas_transposed(data->Q, data->rank));
}

graco_status logistic_solve(double *W, struct logistic_report *report,
                            const struct logistic_problem *problem)
{
    graco_status status = GRACO_OK;
    const double *C = problem->C;
    int64_t outputs = problem->outputs;
    struct solver solver = {0};
    *report = (struct logistic_report){0};
    if (outputs == 0)
        return GRACO_OK;
    TRY(solver_init(&solver, problem));
    /* Extrapolation needs even ratios; elsewhere the last solution is the start. */
    for (int64_t c = 0; c < problem->count; c++) {
        bool even = c < 2 || fabs(C[c] * C[c - 2] - C[c - 1] * C[c - 1]) < 1e-9 * C[c] * C[c - 2];
        struct turning turning = {W + c * outputs * problem->rows->cols, &solver};
        solver.C = C[c];
        problem->context->watch.share = (double)c / (double)problem->count;
        extrapolate(&solver, even ? c : 1);
        TRY(solve_one(&solver, report));
        threads_run(problem->context->threads, outputs, ROTATED, turn_back, &turning);
    }
done:
    solver_clear(&solver);
    return status;
}
