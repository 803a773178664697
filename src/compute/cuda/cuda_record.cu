/* A step recorded as a CUDA graph: one launch instead of a hundred. Random keys and Adam's bias
 * corrections change from step to step: recorded kernels add a counter on the device to their step,
 * and each replay adds one to it. That is done, and the step's results are reported to the host, as
 * soon as it is known whether all gradients are finite, in the side queue beside Adam: so the host asks for the next
 * step meanwhile. The sample of the moment objective, which the host draws, lies in pinned memory that the recording
 * reads. */
#include "compute/cuda/cuda_device.cuh"

extern "C" {
#include "base/memory.h"
}

#include <string.h>

struct recording {
    cudaGraphExec_t graph;
    struct cuda_asked asked; /* who gets the results of a replay */
};

__global__ static void set_later(struct cuda_clock *clock, uint32_t to)
{
    clock->later = to;
}

/* Leaves with the host what the step came to, and sets the clock to the next step. `host` is memory of the host, which a
 * kernel reaches sooner than a copy after it would. */
__global__ static void report(struct cuda_report *host, struct cuda_clock *clock,
                              const struct cuda_results *results)
{
    clock->later++;
    host->results = *results;
    __threadfence_system();
    *(volatile uint32_t *)&host->count = ++clock->reports;
}

/* A minimum does not depend on the order, so an atomic one gives the same bits always; it is hardly
 * ever reached. Adam learns here which step it is, because the clock may go on before it looks. */
__global__ static void find_not_finite(struct cuda_results *results, const uint32_t *later,
                                       int64_t n, const float *x)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first == 0)
        results->later = later ? *later : 0;
    for (int64_t i = first; i < n; i += step)
        if (!isfinite(x[i])) {
            atomicMin(&results->not_finite, (unsigned long long)i);
            break;
        }
}

graco_status cuda_not_finite(struct context *c, int64_t n, const float *x, int64_t *first)
{
    struct cuda_state *s = state_of(c);
    s->asked.not_finite = first;
    s->replayed = false;
    find_not_finite<<<blocks_striding(s, n, BLOCK), BLOCK, 0, s->stream>>>(s->results, s->later, n,
                                                                           x);
    PASS_LAUNCH("looking for numbers that are not finite");
    if (!s->later)
        return GRACO_OK;
    PASS(cuda_turn(c, TURN_ASIDE)); /* the objective's results are there already */
    report<<<1, 1, 0, s->stream>>>(s->report, s->clock, s->results);
    graco_status status = cuda_check(cudaGetLastError(), "reporting results");
    graco_status back = cuda_turn(c, TURN_BACK);
    return status != GRACO_OK ? status : back;
}

graco_status cuda_record(struct context *c)
{
    struct cuda_state *s = state_of(c);
    pthread_rwlock_rdlock(&cuda_recordings);
    cudaError_t error = cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeRelaxed);
    if (error != cudaSuccess)
        pthread_rwlock_unlock(&cuda_recordings);
    PASS(cuda_check(error, "recording"));
    s->later = &s->clock->later;
    return GRACO_OK;
}

/* Ends the capture, whatever became of it. */
static cudaError_t end_capture(struct cuda_state *s, cudaGraph_t *graph)
{
    cudaError_t ended = cudaStreamEndCapture(s->stream, graph);
    pthread_rwlock_unlock(&cuda_recordings);
    s->later = NULL;
    return ended;
}

/* Makes a graph ready to run. */
static graco_status prepare(struct recording **out, const struct cuda_state *s, cudaGraph_t graph)
{
    struct recording *r = NULL;
    PASS(memory_zalloc(&r, 1, sizeof *r));
    graco_status status = cuda_check(cudaGraphInstantiate(&r->graph, graph, 0), "recording");
    if (status != GRACO_OK) {
        memory_free(r);
        return status;
    }
    r->asked = s->asked;
    *out = r;
    return GRACO_OK;
}

graco_status cuda_recorded(struct context *c, struct recording **out)
{
    struct cuda_state *s = state_of(c);
    cudaGraph_t graph = NULL;
    graco_status status = out ? cuda_turn(c, TURN_JOIN) : GRACO_OK;
    cudaError_t ended = end_capture(s, &graph);
    if (out && status == GRACO_OK)
        status = cuda_check(ended, "recording");
    if (out && status == GRACO_OK)
        status = prepare(out, s, graph);
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError(); /* nobody asks for the errors of a dropped recording */
    return status;
}

graco_status cuda_replay(struct context *c, struct recording *r, uint32_t later)
{
    struct cuda_state *s = state_of(c);
    const struct moment *moment = r->asked.moment;
    if (moment && moment->samples > 0)
        memcpy(s->sample, moment->sample, (size_t)moment->samples * sizeof(int32_t));
    if (s->later_next != later)
        set_later<<<1, 1, 0, s->stream>>>(s->clock, later);
    PASS_LAUNCH("setting the clock");
    PASS(cuda_check(cudaGraphLaunch(r->graph, s->stream), "replaying a step"));
    s->later_next = later + 1;
    s->replays++;
    s->asked = r->asked;
    s->replayed = true;
    return GRACO_OK;
}

void cuda_forget(struct recording *r)
{
    if (!r)
        return;
    cudaGraphExecDestroy(r->graph);
    memory_free(r);
}
