/* The objectives over ranks, which are threads here: loss, sums and gradients against one process, for any
 * cut of the rows, and the same bits again. */
#include "compute/context.h"

#include "base/memory.h"
#include "check.h"
#include "comm_threads.h"

enum { NODES = 700, D = 24, SAMPLES = 60 };

/* One objective over ranks. What ranks give is put together at the places of one process. */
struct job {
    const float *Z; /* (2 NODES, D) */
    const int64_t *bounds;
    const int32_t *sample;
    bool moment, within;
    int64_t tiles; /* that a rank may keep */
    double loss, estimate;
    int64_t floored;
    float *dZ;
    bool failed;
};

static void put(float *whole, const float *part, int64_t first, int64_t n, bool out)
{
    for (int view = 0; view < 2; view++)
        for (int64_t i = 0; i < n * D; i++) {
            float *to = whole + (view * NODES + first) * D + i;
            if (out)
                ((float *)part)[view * n * D + i] = *to;
            else
                *to = part[view * n * D + i];
        }
}

static graco_status run_contrast(struct context *c, struct job *job, const float *Z, int64_t n,
                                 float *dZ)
{
    struct contrast s = {.n = n, .d = D, .tau = 0.4, .within = job->within, .Z = Z};
    s.bounds = c->comm ? job->bounds : NULL;
    s.tile_floats = job->tiles * CONTRAST_TILE * CONTRAST_TILE;
    graco_status status = GRACO_OK;
    TRY(context_take(c, &s.D, 2 * n, sizeof(double)));
    TRY(context_take(c, &s.tiles, s.tile_floats, sizeof(float)));
    TRY(c->kernels->contrast(c, &s));
    TRY(c->kernels->contrast_backward(c, &s, dZ));
    job->loss = s.loss;
    job->estimate = s.mutual_information;
done:
    context_give(c, s.D);
    context_give(c, s.tiles);
    return status;
}

static graco_status run_moment(struct context *c, struct job *job, const float *Z, int64_t n,
                               float *dZ)
{
    struct moment s = {
        .n = n, .d = D, .tau = 0.4, .Z = Z, .samples = SAMPLES, .sample = job->sample};
    int rank = comm_rank(c->comm);
    graco_status status = GRACO_OK;
    if (c->comm)
        s.among = (struct rank_rows){n, job->bounds[rank], NODES, NULL};
    TRY(context_take(c, &s.row, 12 * n, sizeof(double)));
    TRY(context_take(c, &s.D, 2 * n, sizeof(double)));
    TRY(context_take(c, &s.floor, 2 * n, 1));
    TRY(context_take(c, &s.moments, (D + 1) * D, sizeof(float)));
    TRY(c->kernels->moment_fit(c, &s));
    TRY(c->kernels->moment(c, &s));
    TRY(c->kernels->moment_backward(c, &s, dZ));
    job->loss = s.loss;
    job->floored = s.floored;
done:
    context_give(c, s.row);
    context_give(c, s.D);
    context_give(c, s.floor);
    context_give(c, s.moments);
    return status;
}

/* One rank, or with a NULL comm one process. */
static void run(struct comm *comm, void *argument)
{
    struct job *job = argument, own = *job;
    struct context *c = NULL;
    int rank = comm_rank(comm);
    int64_t first = comm ? job->bounds[rank] : 0;
    int64_t n = comm ? job->bounds[rank + 1] - first : NODES;
    float *Z = NULL, *dZ = NULL;
    graco_status status = GRACO_OK;
    TRY(context_create(&c, &backend_cpu, 1 + rank % 2, 0));
    c->comm = comm;
    TRY(memory_alloc(&Z, 2 * n * D, sizeof *Z));
    TRY(memory_alloc(&dZ, 2 * n * D, sizeof *dZ));
    put((float *)job->Z, Z, first, n, true);
    TRY(job->moment ? run_moment(c, &own, Z, n, dZ) : run_contrast(c, &own, Z, n, dZ));
    put(job->dZ, dZ, first, n, false);
    if (rank == 0) {
        job->loss = own.loss;
        job->estimate = own.estimate;
        job->floored = own.floored;
    }
done:
    if (status != GRACO_OK)
        job->failed = true;
    memory_free(Z);
    memory_free(dZ);
    context_free(c);
}

static float *make_rows(void)
{
    struct random_key key = {.seed = 9, .stream = RANDOM_GENERATE};
    float *Z = NULL;
    CHECK_OK(memory_alloc(&Z, 2 * NODES * D, sizeof *Z));
    for (int64_t row = 0; row < 2 * NODES; row++) {
        double square = 0;
        for (int64_t j = 0; j < D; j++) {
            /* Views of a node are alike. */
            double x = random_normal(&key, (uint64_t)(row % NODES * D + j)) +
                       0.5 * random_normal(&key, (uint64_t)((NODES + row) * D + j));
            Z[row * D + j] = (float)x;
            square += x * x;
        }
        for (int64_t j = 0; j < D; j++)
            Z[row * D + j] /= (float)sqrt(square);
    }
    return Z;
}

/* Rows cut evenly, and into ranges of very different lengths. */
static void cut(int64_t *bounds, int ranks, bool even)
{
    for (int r = 0; r <= ranks; r++)
        bounds[r] = even ? NODES * r / ranks : r == ranks ? NODES : 1 + (r ? 90 * r * r : -1);
}

static void check_objective(bool moment, bool within)
{
    float *Z = make_rows(), *whole = NULL, *parts = NULL, *again = NULL;
    int32_t sample[SAMPLES];
    int64_t bounds[THREAD_RANKS_MOST + 1];
    struct job job = {
        .Z = Z, .moment = moment, .within = within, .sample = sample, .bounds = bounds};
    CHECK_OK(memory_alloc(&whole, 2 * NODES * D, sizeof *whole));
    CHECK_OK(memory_alloc(&parts, 2 * NODES * D, sizeof *parts));
    CHECK_OK(memory_alloc(&again, 2 * NODES * D, sizeof *again));
    for (int i = 0; i < SAMPLES; i++)
        sample[i] = i * 23 + i % 2; /* both views of some nodes */
    job.dZ = whole;
    run(NULL, &job);
    CHECK(!job.failed);
    double loss = job.loss, estimate = job.estimate;
    int64_t floored = job.floored;
    for (int ranks = 2; ranks <= 5; ranks++)
        for (int even = 0; even < (ranks < 4 ? 2 : 1); even++) {
            cut(bounds, ranks, even || ranks > 3);
            job.dZ = parts;
            job.tiles = 3 * even;
            run_ranks(ranks, run, &job);
            CHECK(!job.failed);
            CHECK(fabs(job.loss - loss) < 1e-7 * fabs(loss));
            CHECK(moment ? job.floored == floored : fabs(job.estimate - estimate) < 1e-6);
            CHECK(check_relative(parts, whole, 2 * NODES * D) < 2e-6);
            job.dZ = again;
            job.tiles = 100;
            run_ranks(ranks, run, &job);
            CHECK(memcmp(parts, again, 2 * NODES * D * sizeof *parts) == 0);
        }
    memory_free(Z);
    memory_free(whole);
    memory_free(parts);
    memory_free(again);
}

int main(void)
{
    check_objective(false, true);
    check_objective(false, false);
    check_objective(true, false);
    return check_result();
}
