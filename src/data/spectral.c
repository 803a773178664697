/* Spectral features by filtered subspace iteration (Zhou, Saad, Tiago and Chelikowsky, 2006).
 *
 * A block of vectors is multiplied by a Chebyshev polynomial of S, small on [-1, low] and steep above it,
 * made orthonormal, and rotated to the eigenvectors of S within its span; `low` is then the smallest
 * eigenvalue found there. A few vectors more than are wanted keep the wanted ones apart from the rest.
 *
 * Every component of the graph has the eigenvalue 1, whose vector says only who belongs to it. A graph of
 * a large component and many small ones would get nothing else, so these are projected out of the block;
 * random sums of them stand beside what is found.
 *
 * A row of a product is one thread's; sums over rows are made part by part, of which the number is fixed,
 * and added in order. */
#include "data/spectral.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/small_matrix.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = SPECTRAL_VECTORS + 16, /* columns of the block */
    ROUNDS = 8,
    DEGREE = 10, /* of the polynomial: products with S in a round, beside one for the rotation */
    PARTS = 64,  /* of a sum over rows */
    ROWS_PER_PIECE = 128,
    COLS_PER_PIECE = 16,
};

struct spectral {
    const struct graph *graph;
    bool symmetric; /* A is: incoming rows are all of W */
    int threads;
    int64_t nodes, components;
    float *scale;               /* (nodes) D^-1/2, 0 without edges */
    double *root;               /* (nodes) D^1/2, of length one over each component */
    int32_t *component;         /* (nodes) */
    double *sum;                /* (components, BLOCK) */
    double *part;               /* (PARTS, BLOCK, BLOCK) */
    float *block, *next, *last; /* (nodes, BLOCK) */
};

/* ---- The matrix ------------------------------------------------------------------------------ */

/* Y = gain (S X - centre X) - keep Z, row by row; Z may be Y, and is not read if keep is 0. */
struct product {
    const struct spectral *s;
    float *Y;
    const float *X, *Z;
    float gain, centre, keep;
};

static void add_row(float *sum, const struct spectral *s, const struct csr *rows, int64_t row,
                    const float *X)
{
    for (int64_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        int64_t at = rows->index[k];
        float weight = (rows->value ? rows->value[k] : 1) * s->scale[at];
        const float *x = X + at * BLOCK;
        for (int c = 0; c < BLOCK; c++)
            sum[c] += weight * x[c];
    }
}

static void multiply_rows(void *job, struct threads_piece rows)
{
    const struct product *p = job;
    const struct spectral *s = p->s;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float sum[BLOCK] = {0}, scale = s->symmetric ? s->scale[i] : 0.5f * s->scale[i];
        const float *x = p->X + i * BLOCK;
        add_row(sum, s, &s->graph->in, i, p->X);
        if (!s->symmetric)
            add_row(sum, s, &s->graph->out, i, p->X);
        for (int c = 0; c < BLOCK; c++) {
            float kept = p->keep != 0 ? p->keep * p->Z[i * BLOCK + c] : 0;
            p->Y[i * BLOCK + c] = p->gain * (scale * sum[c] - p->centre * x[c]) - kept;
        }
    }
}

struct projection {
    const struct spectral *s;
    float *X;
};

/* Takes the components' own vectors out of a few columns. */
static void project_cols(void *job, struct threads_piece cols)
{
    const struct projection *p = job;
    const struct spectral *s = p->s;
    int64_t width = cols.last - cols.first;
    for (int64_t i = 0; i < s->components; i++)
        memset(s->sum + i * BLOCK + cols.first, 0, (size_t)width * sizeof *s->sum);
    for (int64_t i = 0; i < s->nodes; i++)
        for (int64_t c = cols.first; c < cols.last; c++)
            s->sum[s->component[i] * BLOCK + c] += s->root[i] * (double)p->X[i * BLOCK + c];
    for (int64_t i = 0; i < s->nodes; i++)
        for (int64_t c = cols.first; c < cols.last; c++) {
            double own = s->root[i] * s->sum[s->component[i] * BLOCK + c];
            p->X[i * BLOCK + c] = (float)((double)p->X[i * BLOCK + c] - own);
        }
}

static void project(const struct spectral *s, float *X)
{
    struct projection p = {s, X};
    threads_run(s->threads, BLOCK, COLS_PER_PIECE, project_cols, &p);
}

static void multiply(struct product p)
{
    threads_run(p.s->threads, p.s->nodes, ROWS_PER_PIECE, multiply_rows, &p);
    project(p.s, p.Y);
}

/* block = T(S) block, T the Chebyshev polynomial of [-1, low], which is above -1. */
static void filter(struct spectral *s, double low)
{
    double half = (low + 1) / 2, centre = (low - 1) / 2;
    float *before = s->block, *now = s->next, *free = s->last;
    multiply((struct product){s, now, before, NULL, (float)(1 / half), (float)centre, 0});
    for (int k = 1; k < DEGREE; k++) {
        multiply((struct product){s, free, now, before, (float)(2 / half), (float)centre, 1});
        float *oldest = before;
        before = now;
        now = free;
        free = oldest;
    }
    s->block = now;
    s->next = before;
    s->last = free;
}

/* ---- Small matrices -------------------------------------------------------------------------- */

struct gram {
    const struct spectral *s;
    const float *X, *Y;
    int64_t size; /* rows of a part */
};

static void add_products(void *job, struct threads_piece rows)
{
    const struct gram *g = job;
    double *part = g->s->part + rows.first / g->size * BLOCK * BLOCK;
    memset(part, 0, BLOCK * BLOCK * sizeof *part);
    for (int64_t i = rows.first; i < rows.last; i++)
        for (int r = 0; r < BLOCK; r++) {
            double x = (double)g->X[i * BLOCK + r];
            for (int c = 0; c < BLOCK; c++)
                part[r * BLOCK + c] += x * (double)g->Y[i * BLOCK + c];
        }
}

/* G (BLOCK, BLOCK) = X' Y. */
static void products(double *G, const struct spectral *s, const float *X, const float *Y)
{
    struct gram g = {s, X, Y, (s->nodes + PARTS - 1) / PARTS};
    int64_t parts = (s->nodes + g.size - 1) / g.size;
    threads_run(s->threads, s->nodes, g.size, add_products, &g);
    memset(G, 0, BLOCK * BLOCK * sizeof *G);
    for (int64_t p = 0; p < parts; p++)
        for (int k = 0; k < BLOCK * BLOCK; k++)
            G[k] += s->part[p * BLOCK * BLOCK + k];
}

/* What the rows of the block are multiplied by: an inverse triangle, or a rotation. */
struct change {
    const struct spectral *s;
    const double *M; /* (BLOCK, BLOCK) */
};

static void change_rows(void *job, struct threads_piece rows)
{
    const struct change *change = job;
    for (int64_t i = rows.first; i < rows.last; i++) {
        float *x = change->s->block + i * BLOCK;
        double y[BLOCK] = {0};
        for (int r = 0; r < BLOCK; r++)
            for (int c = 0; c < BLOCK; c++)
                y[c] += (double)x[r] * change->M[r * BLOCK + c];
        for (int c = 0; c < BLOCK; c++)
            x[c] = (float)y[c];
    }
}

static void change_block(const struct spectral *s, const double *M)
{
    struct change change = {s, M};
    threads_run(s->threads, s->nodes, ROWS_PER_PIECE, change_rows, &change);
}

/* Twice: the first pass leaves what rounding did. */
static void orthonormalise(const struct spectral *s, double *G, double *M)
{
    for (int pass = 0; pass < 2; pass++) {
        products(G, s, s->block, s->block);
        small_invert_cholesky(M, G, BLOCK);
        change_block(s, M);
    }
}

/* ---- The features ---------------------------------------------------------------------------- */

/* Puts the neighbours of a node that have no component yet into the node's own, and into the queue. */
static void visit_neighbours(struct spectral *s, int32_t *queue, int64_t *tail, int32_t node)
{
    const struct csr *sides[2] = {&s->graph->in, &s->graph->out};
    for (int side = 0; side < 2; side++)
        for (int64_t k = sides[side]->start[node]; k < sides[side]->start[node + 1]; k++) {
            int32_t other = sides[side]->index[k];
            if (s->component[other] >= 0)
                continue;
            s->component[other] = s->component[node];
            queue[(*tail)++] = other;
        }
}

/* Numbers the components, those of one node too, by their first nodes. */
static graco_status find_components(struct spectral *s)
{
    int32_t *queue = NULL;
    PASS(memory_alloc(&queue, s->nodes, sizeof *queue));
    memset(s->component, -1, (size_t)s->nodes * sizeof *s->component);
    for (int64_t first = 0; first < s->nodes; first++) {
        int64_t head = 0, tail = 0;
        if (s->component[first] >= 0)
            continue;
        s->component[first] = (int32_t)s->components;
        for (queue[tail++] = (int32_t)first; head < tail; head++)
            visit_neighbours(s, queue, &tail, queue[head]);
        s->components++;
    }
    memory_free(queue);
    return GRACO_OK;
}

/* Fills scale and root. */
static void weigh_nodes(struct spectral *s)
{
    const struct csr *out = &s->graph->out;
    memset(s->sum, 0, (size_t)(s->components * BLOCK) * sizeof *s->sum);
    for (int64_t i = 0; i < s->nodes; i++) {
        double degree = graph_degree(s->graph, i);
        if (!s->symmetric) {
            for (int64_t k = out->start[i]; k < out->start[i + 1]; k++)
                degree += out->value ? (double)out->value[k] : 1;
            degree /= 2;
        }
        s->scale[i] = degree > 0 ? (float)(1 / sqrt(degree)) : 0;
        s->root[i] = degree;
        s->sum[s->component[i] * BLOCK] += degree;
    }
    for (int64_t i = 0; i < s->nodes; i++)
        s->root[i] = s->root[i] > 0 ? sqrt(s->root[i] / s->sum[s->component[i] * BLOCK]) : 0;
}

static graco_status make_room(struct spectral *s)
{
    int64_t entries = s->nodes * BLOCK;
    PASS(memory_alloc(&s->scale, s->nodes, sizeof *s->scale));
    PASS(memory_alloc(&s->root, s->nodes, sizeof *s->root));
    PASS(memory_alloc(&s->component, s->nodes, sizeof *s->component));
    PASS(find_components(s));
    PASS(memory_alloc(&s->sum, s->components * BLOCK, sizeof *s->sum));
    PASS(memory_alloc(&s->part, PARTS * BLOCK * BLOCK, sizeof *s->part));
    PASS(memory_alloc(&s->block, entries, sizeof *s->block));
    PASS(memory_alloc(&s->next, entries, sizeof *s->next));
    return memory_alloc(&s->last, entries, sizeof *s->last);
}

static void release(struct spectral *s)
{
    void *blocks[] = {s->scale, s->root, s->component, s->sum, s->part, s->block, s->next, s->last};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
}

static void start(const struct spectral *s)
{
    const struct random_key key = {.seed = 0, .stream = RANDOM_SPECTRAL};
    for (int64_t i = 0; i < s->nodes; i++)
        for (int c = 0; c < BLOCK; c++)
            s->block[i * BLOCK + c] =
                s->scale[i] > 0 ? random_float(&key, (uint64_t)(i * BLOCK + c)) - 0.5f : 0;
    project(s, s->block);
}

/* The block becomes eigenvectors, value (BLOCK) their eigenvalues. */
static void iterate(struct spectral *s, double *value, double *G, double *M)
{
    for (int round = 0; round <= ROUNDS; round++) {
        if (round > 0)
            filter(s, fmin(fmax(value[BLOCK - 1], -0.5), 0.999));
        orthonormalise(s, G, M);
        multiply((struct product){s, s->next, s->block, NULL, 1, 0, 0});
        products(G, s, s->block, s->next);
        for (int r = 0; r < BLOCK; r++) /* symmetric but for rounding */
            for (int c = 0; c < r; c++)
                G[r * BLOCK + c] = G[c * BLOCK + r] = (G[r * BLOCK + c] + G[c * BLOCK + r]) / 2;
        small_eigen(value, M, G, BLOCK);
        change_block(s, M);
    }
}

/* 1 or -1, so that the first of the largest entries of a column becomes positive. */
static double sign_of(const struct spectral *s, int c)
{
    float most = 0;
    for (int64_t i = 0; i < s->nodes; i++)
        most = fabsf(s->block[i * BLOCK + c]) > fabsf(most) ? s->block[i * BLOCK + c] : most;
    return most < 0 ? -1 : 1;
}

static void write_rows(float *X, const struct spectral *s, double *value)
{
    const struct random_key key = {.seed = 0, .stream = RANDOM_SPECTRAL, .view = 1};
    for (int c = 0; c < SPECTRAL_VECTORS; c++)
        value[c] *= sign_of(s, c);
    for (int64_t i = 0; i < s->nodes; i++) {
        float *x = X + i * SPECTRAL_COLS;
        for (int c = 0; c < SPECTRAL_COMPONENTS; c++) {
            uint64_t element = (uint64_t)s->component[i] * SPECTRAL_COMPONENTS + (uint64_t)c;
            x[c] = s->root[i] > 0 ? (float)(s->root[i] * random_normal(&key, element)) : 0;
        }
        for (int c = 0; c < SPECTRAL_VECTORS; c++)
            x[SPECTRAL_COMPONENTS + c] = (float)((double)s->block[i * BLOCK + c] * value[c]);
    }
}

graco_status spectral_features(float *X, const struct graph *graph, int threads)
{
    struct spectral s = {.graph = graph,
                         .symmetric = !graph->in.value && graph_is_symmetric(graph),
                         .threads = threads_count(threads),
                         .nodes = graph->nodes};
    double *small = NULL; /* two matrices and the eigenvalues */
    graco_status status = GRACO_OK;
    TRY(make_room(&s));
    TRY(memory_alloc(&small, 2 * BLOCK * BLOCK + BLOCK, sizeof *small));
    double *value = small + 2 * BLOCK * BLOCK;
    weigh_nodes(&s);
    start(&s);
    iterate(&s, value, small, small + BLOCK * BLOCK);
    write_rows(X, &s, value);
done:
    release(&s);
    memory_free(small);
    return status;
}
