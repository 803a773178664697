/* Ranks whose buffers are not host memory, on a back end that only pretends that: what lies between its
 * kernels is what lies between a GPU's. Messages reach comm from pinned memory alone, an upload's source
 * stays as it is until somebody waits, sums and rows are comm's own to the bit, every block is visited once
 * and in its order, and a training has the bits of ranks on the CPU. Ranks that each have a device of their
 * own connect them by NCCL, here one that copies in memory (tests/comm/pretended_nccl.c): the same bits. */
#include "base/memory.h"
#include "check.h"
#include "comm/comm_nccl.h"
#include "comm_threads.h"
#include "compute/exchange.h"
#include "data/dataset.h"
#include "fixture.h"
#include "train/schedule.h"
#include "train/trainer.h"

#include <math.h>

enum { BLOCKS = 4096, UPLOADS = 4096, STEPS = 6, ROWS = 40, COLS = 3 };

/* One rank's device. */
static _Thread_local struct {
    struct {
        char *data;
        size_t bytes;
    } block[BLOCKS];
    struct {
        const char *from;
        char *copy;
        size_t bytes;
    } upload[UPLOADS];
    int uploads;
    int64_t pinned; /* blocks that are there */
    graco_status (*start)(struct comm *comm, int count, const struct comm_message *list);
    int64_t messages; /* that were started through the check */
} device;

static bool on_device(const void *p)
{
    for (int i = 0; i < BLOCKS; i++)
        if (device.block[i].data && (const char *)p >= device.block[i].data &&
            (const char *)p < device.block[i].data + device.block[i].bytes)
            return true;
    return false;
}

static graco_status allocate(struct context *c, void *out, size_t bytes)
{
    int i = 0;
    PASS(host_buffers.allocate(c, out, bytes));
    while (i < BLOCKS - 1 && device.block[i].data)
        i++;
    memcpy(&device.block[i].data, out, sizeof(char *));
    device.block[i].bytes = bytes;
    return GRACO_OK;
}

static void release(struct context *c, void *block)
{
    for (int i = 0; i < BLOCKS; i++)
        if (block && device.block[i].data == block)
            device.block[i].data = NULL;
    host_buffers.release(c, block);
}

/* Sources of uploads must be there, and as they were. */
static graco_status wait_copies(struct context *c)
{
    (void)c;
    while (device.uploads > 0) {
        int i = --device.uploads;
        CHECK(memcmp(device.upload[i].from, device.upload[i].copy, device.upload[i].bytes) == 0);
        free(device.upload[i].copy);
    }
    return GRACO_OK;
}

static graco_status upload(struct context *c, void *to, const void *from, size_t bytes)
{
    int i = device.uploads++;
    (void)c;
    CHECK(i < UPLOADS && on_device(to) && !on_device(from));
    device.upload[i].from = from;
    device.upload[i].copy = malloc(bytes + 1);
    device.upload[i].bytes = bytes;
    memcpy(device.upload[i].copy, from, bytes);
    memcpy(to, from, bytes);
    return GRACO_OK;
}

static graco_status download(struct context *c, void *to, const void *from, size_t bytes)
{
    CHECK(on_device(from) && !on_device(to));
    memcpy(to, from, bytes);
    return wait_copies(c);
}

static graco_status pin(struct context *c, void *out, size_t bytes)
{
    device.pinned++;
    return host_buffers.allocate(c, out, bytes);
}

static void unpin(struct context *c, void *block)
{
    device.pinned--;
    host_buffers.release(c, block);
}

static graco_status connect_nccl(struct context *c, struct comm **out)
{
    return comm_nccl_create(out, c->comm, NULL);
}

/* Which device a context is said to have: its rank's own one, or one for all. */
static void name_device(struct context *c, const struct comm *comm, bool own)
{
    memset(c->device_id, own ? comm_rank(comm) + 1 : 1, sizeof c->device_id);
}

static struct backend pretend(void)
{
    static struct buffers buffers;
    struct backend backend = backend_cpu;
    buffers = host_buffers;
    buffers.allocate = allocate;
    buffers.release = release;
    buffers.upload = upload;
    buffers.download = download;
    buffers.pin = pin;
    buffers.unpin = unpin;
    buffers.wait = wait_copies;
    backend.name = "pretended";
    backend.host = false;
    backend.finish = wait_copies;
    backend.buffers = &buffers;
    backend.connect = connect_nccl;
    return backend;
}

static const struct backend *pretended; /* made once, before ranks begin */

static graco_status start_checked(struct comm *comm, int count, const struct comm_message *list)
{
    for (int i = 0; i < count; i++)
        CHECK(!on_device(list[i].data));
    device.messages += count;
    return device.start(comm, count, list);
}

static void check_messages(struct comm *comm)
{
    memset(&device, 0, sizeof device);
    device.start = comm->start;
    comm->start = start_checked;
}

/* ---- Sums and rows ---------------------------------------------------------------------------- */

static float number_of(int rank, int64_t i)
{
    return (float)sin((double)(17 * rank + i)) / 3;
}

static void check_sums(struct context *c, struct comm *comm)
{
    float host[ROWS], *x = NULL, back[ROWS];
    double doubles[2], *y = NULL, back_doubles[2];
    CHECK_OK(context_take(c, &x, ROWS, sizeof *x));
    CHECK_OK(context_take(c, &y, 2, sizeof *y));
    for (int i = 0; i < ROWS; i++)
        host[i] = number_of(comm->rank, i);
    doubles[0] = doubles[1] = 1.0 / (3 + comm->rank);
    CHECK_OK(c->buffers->upload(c, x, host, sizeof host));
    CHECK_OK(c->buffers->upload(c, y, doubles, sizeof doubles));
    CHECK_OK(c->buffers->wait(c));
    CHECK_OK(exchange_sum_floats(c, x, ROWS));
    CHECK_OK(exchange_sum_doubles(c, y, 2));
    CHECK_OK(comm_sum_floats(comm, host, ROWS));
    CHECK_OK(comm_sum_doubles(comm, doubles, 2));
    CHECK_OK(c->buffers->download(c, back, x, sizeof back));
    CHECK_OK(c->buffers->download(c, back_doubles, y, sizeof back_doubles));
    CHECK(memcmp(host, back, sizeof host) == 0);
    CHECK(memcmp(doubles, back_doubles, sizeof doubles) == 0);
    context_give(c, x);
    context_give(c, y);
}

/* Every rank has ROWS rows and reads the first rank + 1 of each other one, two views at once. */
static void check_rows(struct context *c, struct comm *comm)
{
    int64_t bounds[THREAD_RANKS_MOST + 1], count = 0;
    int32_t wanted[THREAD_RANKS_MOST * ROWS], *sent = NULL;
    struct comm_rows rows = {0};
    for (int r = 0; r <= comm->ranks; r++)
        bounds[r] = (int64_t)r * ROWS;
    for (int r = 0; r < comm->ranks; r++)
        for (int i = 0; r != comm->rank && i <= comm->rank; i++)
            wanted[count++] = (int32_t)(bounds[r] + i);
    CHECK_OK(comm_rows_init(&rows, comm, bounds, wanted, count));
    int64_t floats = 2 * (ROWS + count) * COLS;
    float *host = NULL, *X = NULL, *back = NULL;
    CHECK_OK(memory_zalloc(&host, floats, sizeof *host));
    CHECK_OK(memory_zalloc(&back, floats, sizeof *back));
    CHECK_OK(context_take(c, &X, floats, sizeof *X));
    for (int view = 0; view < 2; view++)
        for (int64_t i = 0; i < ROWS * COLS; i++)
            host[view * (ROWS + count) * COLS + i] = number_of(comm->rank + 9 * view, i);
    CHECK_OK(c->buffers->upload(c, X, host, (size_t)floats * sizeof *X));
    CHECK_OK(c->buffers->wait(c));
    CHECK_OK(context_share(c, &sent, rows.sent, rows.sent_start[comm->ranks], sizeof(int32_t)));
    CHECK_OK(exchange_rows(c, &rows, sent, COLS, 2, X));
    for (int view = 0; view < 2; view++)
        CHECK_OK(comm_exchange(comm, &rows, COLS, host + view * (ROWS + count) * COLS));
    CHECK_OK(c->buffers->download(c, back, X, (size_t)floats * sizeof *X));
    CHECK(memcmp(host, back, (size_t)floats * sizeof *X) == 0);
    CHECK(host[ROWS * COLS] ==
          number_of(comm->rank == 0, 0)); /* the first row of the first other */
    context_unshare(c, sent);
    context_give(c, X);
    memory_free(host);
    memory_free(back);
    comm_rows_clear(&rows);
}

/* ---- Blocks ----------------------------------------------------------------------------------- */

/* Ranges of different lengths. */
static void make_bounds(int64_t *bounds, int ranks)
{
    bounds[0] = 0;
    for (int r = 0; r < ranks; r++)
        bounds[r + 1] = bounds[r] + 5 + 3 * (r % 3);
}

struct visits {
    struct context *context;
    int count;
};

/* The step's block, all of it, from the device's memory. */
static graco_status visit(void *job, int rank, int64_t nodes,
                          const float *const block[EXCHANGE_ARRAYS])
{
    struct visits *v = job;
    const struct comm *comm = v->context->comm;
    int64_t bounds[THREAD_RANKS_MOST + 1];
    make_bounds(bounds, comm->ranks);
    CHECK(rank == (comm->rank - v->count + comm->ranks) % comm->ranks);
    CHECK(nodes == bounds[rank + 1] - bounds[rank]);
    for (int k = 0; k < 2; k++) {
        CHECK(on_device(block[k]));
        for (int64_t i = 0; i < nodes * (k ? 2 : COLS); i++)
            CHECK(block[k][i] == number_of(rank + 20 * k, i));
    }
    v->count++;
    return GRACO_OK;
}

static void check_blocks(struct context *c, struct comm *comm)
{
    int64_t bounds[THREAD_RANKS_MOST + 1];
    struct visits visits = {c, 0};
    struct exchange_blocks blocks = {.bounds = bounds, .arrays = 2, .width = {COLS, 2}};
    float *own[2] = {NULL, NULL};
    make_bounds(bounds, comm->ranks);
    int64_t nodes = bounds[comm->rank + 1] - bounds[comm->rank];
    for (int k = 0; k < 2; k++) {
        float host[16 * COLS];
        for (int64_t i = 0; i < nodes * blocks.width[k]; i++)
            host[i] = number_of(comm->rank + 20 * k, i);
        CHECK_OK(context_take(c, &own[k], nodes * blocks.width[k], sizeof(float)));
        CHECK_OK(
            c->buffers->upload(c, own[k], host, (size_t)(nodes * blocks.width[k]) * sizeof(float)));
        CHECK_OK(c->buffers->wait(c));
        blocks.own[k] = own[k];
    }
    CHECK_OK(exchange_visit(c, &blocks, visit, &visits));
    CHECK(visits.count == comm->ranks);
    context_give(c, own[0]);
    context_give(c, own[1]);
}

static void tell_each_other(struct comm *comm, void *job)
{
    bool own = *(bool *)job;
    struct context *c = NULL;
    check_messages(comm);
    CHECK_OK(context_create(&c, pretended, 1, 0));
    name_device(c, comm, own);
    c->recorder = (const struct recorder *)&device; /* any: messages lie between kernels */
    CHECK_OK(exchange_open(c, comm));
    CHECK(c->peers && c->peers != comm && !c->recorder);
    for (int round = 0; round < 3; round++) {
        check_sums(c, comm);
        check_rows(c, comm);
        check_blocks(c, comm);
    }
    CHECK(device.messages > 0 && own == (device.pinned == 0));
    context_free(c);
    CHECK(device.pinned == 0);
}

/* Rank 1 computes on another device: all are told. */
static void differ(struct comm *comm, void *job)
{
    struct context *c = NULL;
    (void)job;
    check_messages(comm);
    CHECK_OK(context_create(&c, comm->rank == 1 ? &backend_cpu : pretended, 1, 0));
    CHECK(exchange_open(c, comm) == GRACO_ERROR_ARGUMENT);
    CHECK(strstr(graco_message(), "rank 1 computes on cpu and rank 0 on pretended"));
    context_free(c);
}

/* ---- Trainings -------------------------------------------------------------------------------- */

struct training {
    const struct graco_dataset *data;
    graco_config config;
    const struct backend *backend;
    bool own; /* each rank has a device of its own */
    double loss[STEPS];
    float *values; /* of rank 0 */
    int64_t count;
};

static void train(struct comm *comm, void *argument)
{
    struct training *t = argument;
    struct graco_model *model = NULL;
    struct trainer *trainer = NULL;
    struct schedule *schedule = NULL;
    memset(&device, 0, sizeof device);
    CHECK_OK(model_create(&model, &t->config, model_sizes_of(t->data)));
    CHECK_OK(trainer_create(&trainer, t->backend, model));
    name_device(trainer->context, comm, t->own);
    CHECK_OK(exchange_open(trainer->context, comm));
    CHECK_OK(schedule_create(&schedule, trainer->context, model, t->data));
    for (int step = 0; step < STEPS; step++) {
        struct stage *stage = NULL;
        CHECK_OK(schedule_next(schedule, &stage));
        CHECK_OK(trainer_step(trainer, stage));
        if (comm_rank(comm) == 0)
            t->loss[step] = stage_outcome(stage).loss;
    }
    CHECK_OK(trainer_download(trainer));
    if (comm_rank(comm) == 0) {
        t->count = model->parameters.total;
        t->values = malloc((size_t)t->count * sizeof(float));
        memcpy(t->values, model->parameters.value, (size_t)t->count * sizeof(float));
    }
    schedule_free(schedule);
    trainer_free(trainer);
    graco_model_free(model);
}

static struct training begin(const struct graco_dataset *data, const char *const keys[3][2],
                             const struct backend *backend)
{
    struct training t = {.data = data, .backend = backend};
    preset_config(&t.config, NULL);
    t.config.hidden = 12;
    t.config.threads = 1;
    for (int i = 0; i < 3 && keys[i][0]; i++)
        CHECK_OK(graco_config_set(&t.config, keys[i][0], keys[i][1]));
    return t;
}

/* Ranks on the pretended device against one process, and against ranks on the CPU, to the bit. */
static void check_training(bool dense, const char *const keys[3][2])
{
    graco_dataset *data = fixture_data(.nodes = 150, .feature_count = 30, .dense = dense);
    struct training alone = begin(data, keys, pretended);
    train(NULL, &alone);
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct training host = begin(data, keys, &backend_cpu),
                        there = begin(data, keys, pretended);
        run_ranks(ranks, train, &host);
        struct training linked = there;
        linked.own = true;
        run_ranks(ranks, train, &there);
        run_ranks(ranks, train, &linked);
        CHECK(host.count > 0 && host.count == there.count);
        if (dense) { /* a device multiplies sparse features as dense ones, which rounds otherwise */
            CHECK(memcmp(host.values, there.values, (size_t)host.count * sizeof(float)) == 0);
            CHECK(memcmp(host.loss, there.loss, sizeof host.loss) == 0);
        }
        CHECK(memcmp(there.values, linked.values, (size_t)there.count * sizeof(float)) == 0);
        for (int step = 0; step < STEPS; step++)
            CHECK(fabs(there.loss[step] - alone.loss[step]) < 1e-5 * alone.loss[step]);
        free(host.values);
        free(there.values);
        free(linked.values);
    }
    free(alone.values);
    graco_dataset_free(data);
}

int main(void)
{
    static const char *const settings[][3][2] = {
        {{"objective", "exact"}},
        {{"objective", "moment"}, {"encoder", "sage"}, {"activation", "rrelu"}},
        {{"objective", "infonce"}, {"encoder", "sage_skip"}, {"layers", "3"}},
        {{"hidden", "64"}}, /* the features are propagated before they are multiplied */
    };
    struct backend backend = pretend();
    pretended = &backend;
    for (int ranks = 2; ranks <= 5; ranks++)
        for (int own = 0; own < 2; own++)
            run_ranks(ranks, tell_each_other, &(bool){own});
    run_ranks(3, differ, NULL);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int dense = 0; dense < 2; dense++)
            check_training(dense, settings[i]);
    return check_result();
}
