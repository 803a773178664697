/* The GPU itself: its errors, its memory, what a context keeps on it, and whether there is one that
 * this build can use. cuBLAS is loaded when a context is opened. */
#include "compute/cuda/cuda_device.cuh"

extern "C" {
#include "base/memory.h"
}

#include <assert.h>
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

#define TEXT(number) #number
#define LIBRARY(name, major) "lib" name ".so." TEXT(major)

graco_status cuda_check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return GRACO_OK;
    cudaGetLastError(); /* a failed allocation or launch must not be found again later */
    if (error == cudaErrorMemoryAllocation)
        return status_fail(GRACO_ERROR_MEMORY, "the GPU is out of memory (%s)", doing);
    return status_fail(GRACO_ERROR_DEVICE, "the GPU failed: %s (%s)", cudaGetErrorString(error),
                       doing);
}

graco_status cuda_check_blas(cublasStatus_t error, const char *doing)
{
    if (error == CUBLAS_STATUS_SUCCESS)
        return GRACO_OK;
    if (error == CUBLAS_STATUS_ALLOC_FAILED)
        return status_fail(GRACO_ERROR_MEMORY, "the GPU is out of memory (%s)", doing);
    return status_fail(GRACO_ERROR_DEVICE, "cuBLAS failed with status %d (%s)", (int)error, doing);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

graco_status cuda_memory(int64_t *left, int64_t *all)
{
    size_t free_bytes = 0, total = 0;
    PASS(cuda_check(cudaMemGetInfo(&free_bytes, &total), "asking for the GPU's memory"));
    *left = (int64_t)free_bytes;
    *all = (int64_t)total;
    return GRACO_OK;
}

graco_status cuda_allocate(struct context *c, void *out, size_t bytes)
{
    (void)c;
    size_t left = 0, all = 0;
    cudaError_t error = cudaMalloc((void **)out, bytes);
    if (error != cudaErrorMemoryAllocation)
        return cuda_check(error, "allocating memory");
    cudaGetLastError();
    cudaMemGetInfo(&left, &all);
    return status_fail(GRACO_ERROR_MEMORY,
                       "the GPU is out of memory: %.1f MiB wanted, %.1f of its %.1f MiB are free",
                       (double)bytes / 0x1p20, (double)left / 0x1p20, (double)all / 0x1p20);
}

void cuda_release(struct context *c, void *block)
{
    (void)c;
    cudaFree(block);
}

graco_status cuda_upload(struct context *c, void *to, const void *from, size_t bytes)
{
    return cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, state_of(c)->stream),
                      "uploading");
}

graco_status cuda_download(struct context *c, void *to, const void *from, size_t bytes)
{
    cudaStream_t stream = state_of(c)->stream;
    PASS(cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream),
                    "downloading"));
    return cuda_check(cudaStreamSynchronize(stream), "downloading");
}

graco_status cuda_copy(struct context *c, void *to, const void *from, size_t bytes)
{
    return cuda_check(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, state_of(c)->stream), "copying");
}

graco_status cuda_zero(struct context *c, void *block, size_t bytes)
{
    return cuda_check(cudaMemsetAsync(block, 0, bytes, state_of(c)->stream), "clearing memory");
}

graco_status cuda_pin(struct context *c, void *out, size_t bytes)
{
    (void)c;
    return cuda_check(cudaMallocHost((void **)out, bytes), "allocating pinned memory");
}

void cuda_unpin(struct context *c, void *block)
{
    (void)c;
    cudaFreeHost(block);
}

graco_status cuda_wait(struct context *c)
{
    return cuda_check(cudaStreamSynchronize(state_of(c)->stream), "copying");
}

/* ---- The context's state --------------------------------------------------------------------- */

pthread_rwlock_t cuda_recordings = PTHREAD_RWLOCK_INITIALIZER;

static void close_queue(const struct cuda_blas *call, struct cuda_queue *q)
{
    if (q->blas)
        call->destroy(q->blas);
    if (q->stream)
        cudaStreamDestroy(q->stream);
    cudaFree(q->workspace);
}

void cuda_close(struct context *c)
{
    struct cuda_state *s = state_of(c);
    if (!s)
        return;
    pthread_rwlock_wrlock(&cuda_recordings);
    close_queue(&s->call, s);
    close_queue(&s->call, &s->other);
    if (s->met)
        cudaEventDestroy(s->met);
    if (s->blas_lt)
        s->call.lt_destroy(s->blas_lt);
    cudaFree(s->results);
    cudaFree(s->clock);
    cudaFreeHost(s->report);
    cudaFreeHost(s->sample);
    if (s->call.lt_library)
        dlclose(s->call.lt_library);
    if (s->call.library)
        dlclose(s->call.library);
    pthread_rwlock_unlock(&cuda_recordings);
    memory_free(s);
    c->device = NULL;
}

static graco_status find_function(void *out, void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        return status_fail(GRACO_ERROR_DEVICE, "cuBLAS has no %s", name);
    *(void **)out = found;
    return GRACO_OK;
}

static graco_status open_library(void **out, const char *name)
{
    *out = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return *out ? GRACO_OK
                : status_fail(GRACO_ERROR_DEVICE, "cuBLAS cannot be loaded: %s", dlerror());
}

static graco_status open_blas(struct cuda_blas *b)
{
    PASS(open_library(&b->library, LIBRARY("cublas", CUBLAS_VER_MAJOR)));
    PASS(open_library(&b->lt_library, LIBRARY("cublasLt", CUBLAS_VER_MAJOR)));
    const struct {
        void *function, *library;
        const char *name;
    } wanted[] = {
        {&b->create, b->library, "cublasCreate_v2"},
        {&b->destroy, b->library, "cublasDestroy_v2"},
        {&b->set_stream, b->library, "cublasSetStream_v2"},
        {&b->set_workspace, b->library, "cublasSetWorkspace_v2"},
        {&b->gemm, b->library, "cublasGemmEx_64"},
        {&b->lt_create, b->lt_library, "cublasLtCreate"},
        {&b->lt_destroy, b->lt_library, "cublasLtDestroy"},
        {&b->lt_product_create, b->lt_library, "cublasLtMatmulDescCreate"},
        {&b->lt_product_destroy, b->lt_library, "cublasLtMatmulDescDestroy"},
        {&b->lt_product_set, b->lt_library, "cublasLtMatmulDescSetAttribute"},
        {&b->lt_layout_create, b->lt_library, "cublasLtMatrixLayoutCreate"},
        {&b->lt_layout_destroy, b->lt_library, "cublasLtMatrixLayoutDestroy"},
        {&b->lt_preference_create, b->lt_library, "cublasLtMatmulPreferenceCreate"},
        {&b->lt_preference_destroy, b->lt_library, "cublasLtMatmulPreferenceDestroy"},
        {&b->lt_preference_set, b->lt_library, "cublasLtMatmulPreferenceSetAttribute"},
        {&b->lt_choose, b->lt_library, "cublasLtMatmulAlgoGetHeuristic"},
        {&b->lt_multiply, b->lt_library, "cublasLtMatmul"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        PASS(find_function(wanted[i].function, wanted[i].library, wanted[i].name));
    return GRACO_OK;
}

static graco_status clear_not_finite(struct cuda_state *s)
{
    return cuda_check(
        cudaMemsetAsync(&s->results->not_finite, 0xff, sizeof s->results->not_finite, s->stream),
        "clearing memory");
}

/* cuBLAS is loaded by now. */
static graco_status open_queue(struct context *c, struct cuda_queue *q)
{
    const struct cuda_blas *call = &state_of(c)->call;
    PASS(cuda_check(cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking),
                    "creating a stream"));
    PASS(cuda_allocate(c, &q->workspace, WORKSPACE_BYTES));
    PASS(cuda_check_blas(call->create(&q->blas), "starting cuBLAS"));
    PASS(cuda_check_blas(call->set_stream(q->blas, q->stream), "starting cuBLAS"));
    return cuda_check_blas(call->set_workspace(q->blas, q->workspace, WORKSPACE_BYTES),
                           "starting cuBLAS");
}

static graco_status open_state(struct context *c, struct cuda_state *s)
{
    struct cudaDeviceProp properties;
    int device = 0;
    PASS(cuda_check(cudaGetDevice(&device), "looking at the GPU"));
    PASS(cuda_check(cudaGetDeviceProperties(&properties, device), "looking at the GPU"));
    static_assert(sizeof c->device_id == sizeof properties.uuid, "a device is known by its UUID");
    memcpy(c->device_id, &properties.uuid, sizeof c->device_id);
    PASS(open_blas(&s->call));
    PASS(open_queue(c, s));
    PASS(open_queue(c, &s->other));
    PASS(
        cuda_check(cudaEventCreateWithFlags(&s->met, cudaEventDisableTiming), "creating an event"));
    s->processors = properties.multiProcessorCount;
    s->shared_bytes = (int)properties.sharedMemPerBlockOptin;
    s->wgmma = properties.major == 9;
    s->ahead = s->wgmma;
    c->bytes = c->most_bytes = (int64_t)WORKSPACES * WORKSPACE_BYTES;
    PASS(cuda_allocate(c, &s->results, sizeof *s->results));
    PASS(cuda_allocate(c, &s->clock, sizeof *s->clock));
    PASS(cuda_zero(c, s->results, sizeof *s->results));
    PASS(cuda_zero(c, s->clock, sizeof *s->clock));
    PASS(clear_not_finite(s));
    PASS(cuda_check(cudaMallocHost((void **)&s->report, sizeof *s->report),
                    "allocating pinned memory"));
    s->report->count = 0;
    return cuda_check_blas(s->call.lt_create(&s->blas_lt), "starting cuBLAS");
}

graco_status cuda_open(struct context *c)
{
    struct cuda_state *s = NULL;
    PASS(memory_zalloc(&s, 1, sizeof *s));
    c->device = s; /* cuda_close ends what there is, whatever fails */
    pthread_rwlock_wrlock(&cuda_recordings);
    graco_status status = open_state(c, s);
    pthread_rwlock_unlock(&cuda_recordings);
    return status;
}

/* ---- Two queues ------------------------------------------------------------------------------ */

static void change_queue(struct cuda_state *s)
{
    struct cuda_queue now = *s;
    *(struct cuda_queue *)s = s->other;
    s->other = now;
    s->aside = !s->aside;
}

/* What `who` is asked for from now on begins when `whom` has done what it was asked for until now. */
static graco_status wait_for(struct cuda_state *s, cudaStream_t who, cudaStream_t whom)
{
    PASS(cuda_check(cudaEventRecord(s->met, whom), "joining queues"));
    return cuda_check(cudaStreamWaitEvent(who, s->met, 0), "joining queues");
}

graco_status cuda_turn(struct context *c, enum turn turn)
{
    struct cuda_state *s = state_of(c);
    bool to_side = turn == TURN_FIRST || turn == TURN_ASIDE;
    assert(!(to_side && s->aside));
    if (s->aside)
        change_queue(s);
    if (turn == TURN_OPEN || turn == TURN_ASIDE)
        PASS(wait_for(s, s->other.stream, s->stream));
    if (turn == TURN_JOIN && s->side_busy)
        PASS(wait_for(s, s->stream, s->other.stream));
    if (turn != TURN_BACK)
        s->side_busy = turn != TURN_JOIN;
    if (to_side)
        change_queue(s);
    return GRACO_OK;
}

/* Looks at a report between two questions to the driver. */
enum { LOOKS = 1024 };

/* Of a block, where it has least: on GPUs of compute capability 8.6, 8.9 and 12.0. */
enum { PORTABLE_SHARED = 99 << 10 };

void cuda_portable(struct context *c)
{
    struct cuda_state *s = state_of(c);
    s->wgmma = false;
    s->ahead = false;
    s->shared_bytes = (int)least(s->shared_bytes, PORTABLE_SHARED);
}

/* Until the last replayed step has reported; what it does afterwards goes on. */
static graco_status wait_for_report(const struct cuda_state *s)
{
    cudaError_t error = cudaErrorNotReady;
    for (unsigned looks = 1; __atomic_load_n(&s->report->count, __ATOMIC_ACQUIRE) != s->replays;
         looks++) {
        if (looks % LOOKS > 0)
            continue;
        if (error != cudaErrorNotReady) /* it has ended, and still there is no report */
            return cuda_check(error == cudaSuccess ? cudaErrorUnknown : error, "computing");
        error = cudaStreamQuery(s->stream);
        sched_yield();
    }
    return GRACO_OK;
}

static graco_status wait_for_results(const struct cuda_state *s)
{
    if (s->replayed)
        return wait_for_report(s);
    PASS(cuda_check(cudaMemcpyAsync(&s->report->results, s->results, sizeof *s->results,
                                    cudaMemcpyDeviceToHost, s->stream),
                    "reporting results"));
    return cuda_check(cudaStreamSynchronize(s->stream), "computing");
}

graco_status cuda_finish(struct context *c)
{
    struct cuda_state *s = state_of(c);
    const struct cuda_asked asked = s->asked;
    s->asked = {};
    PASS(cuda_turn(c, TURN_JOIN));
    PASS(wait_for_results(s));
    s->replayed = false;
    const struct cuda_results *r = &s->report->results;
    if (asked.not_finite)
        *asked.not_finite = r->not_finite == ALL_FINITE ? -1 : (int64_t)r->not_finite;
    if (r->not_finite != ALL_FINITE) /* so every search begins with nothing found */
        PASS(clear_not_finite(s));
    if (asked.loss)
        *asked.loss = r->loss;
    if (asked.gaussian)
        asked.gaussian->divergence = r->divergence;
    if (asked.contrast) {
        asked.contrast->loss = r->loss;
        asked.contrast->mutual_information = r->mutual_information;
    }
    if (asked.moment) {
        asked.moment->loss = r->loss;
        asked.moment->floored = (int64_t)r->floored;
        for (int k = 0; k < 3; k++)
            asked.moment->coefficient[k] = r->coefficient[k];
    }
    return GRACO_OK;
}

/* ---- Whether there is one -------------------------------------------------------------------- */

/* Asking for its attributes fails on a GPU that this build has no code for. */
__global__ static void nothing()
{
}

graco_status cuda_find(void)
{
    int count = 0, driver = 0, major = 0, minor = 0;
    struct cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDeviceCount(&count);
    cudaDriverGetVersion(&driver);
    cudaGetLastError();
    if (error == cudaErrorInsufficientDriver && driver > 0)
        return status_fail(
            GRACO_ERROR_DEVICE, "the GPU driver is for CUDA %d.%d; this build needs %d.%d or later",
            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
        (error == cudaSuccess && count == 0))
        return status_fail(GRACO_ERROR_DEVICE,
                           "device is 'cuda', but there is no GPU; expected 'cpu' or 'auto'");
    PASS(cuda_check(error, "looking for a GPU"));
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    if (cudaFuncGetAttributes(&attributes, nothing) != cudaSuccess) {
        cudaGetLastError();
        return status_fail(GRACO_ERROR_DEVICE,
                           "the GPU has compute capability %d.%d, for which graco was not built",
                           major, minor);
    }
    return GRACO_OK;
}
