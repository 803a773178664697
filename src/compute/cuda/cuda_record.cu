/* A step recorded as a CUDA graph: one launch instead of a hundred. Random keys and Adam's bias
 * corrections change from step to step: recorded kernels add a counter on the device to their step,
 * and each replay ends by adding one to it. What a replay came to is left with the host before Adam steps, so that
 * the host asks for the next one meanwhile. The sample of the moment objective, which the host
 * draws, lies in pinned memory that the recording reads. */
#include "compute/cuda/cuda_device.cuh"

extern "C" {
#include "base/memory.h"
}

#include <string.h>

struct recording {
    cudaGraphExec_t graph;
    struct cuda_asked asked; /* who gets the results of a replay */
};

__global__ static void set_counter(uint32_t *counter, uint32_t to)
{
    *counter = to;
}

/* `host` is memory of the host, which a kernel reaches sooner than a copy after it would. */
__global__ static void report(struct cuda_report *host, const struct cuda_results *results,
                              uint32_t *reports)
{
    *reports += 1;
    host->results = *results;
    __threadfence_system();
    *(volatile uint32_t *)&host->count = *reports;
}

__global__ static void end_step(uint32_t *counter)
{
    *counter += 1;
}

graco_status cuda_report_here(struct context *c)
{
    struct cuda_state *s = state_of(c);
    if (!s->later || s->reports_recorded)
        return GRACO_OK;
    s->reports_recorded = true;
    PASS(cuda_turn(c, TURN_ASIDE));
    report<<<1, 1, 0, s->stream>>>(s->report, s->results, s->reports);
    PASS_LAUNCH("reporting results");
    return cuda_turn(c, TURN_BACK);
}

graco_status cuda_record(struct context *c)
{
    struct cuda_state *s = state_of(c);
    pthread_rwlock_rdlock(&cuda_recordings);
    cudaError_t error = cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeRelaxed);
    if (error != cudaSuccess)
        pthread_rwlock_unlock(&cuda_recordings);
    PASS(cuda_check(error, "recording"));
    s->later = s->later_counter;
    s->reports_recorded = false;
    return GRACO_OK;
}

/* What a recorded step ends with. */
static graco_status record_end(struct context *c)
{
    struct cuda_state *s = state_of(c);
    PASS(cuda_report_here(c));
    PASS(cuda_turn(c, TURN_JOIN));
    end_step<<<1, 1, 0, s->stream>>>(s->later_counter);
    PASS_LAUNCH("recording");
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
    graco_status status = out ? record_end(c) : GRACO_OK;
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
        set_counter<<<1, 1, 0, s->stream>>>(s->later_counter, later);
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
