/* What the CUDA files share: the state of a context, errors, memory. */
#ifndef COMPUTE_CUDA_CUDA_DEVICE_CUH
#define COMPUTE_CUDA_CUDA_DEVICE_CUH

extern "C" {
#include "compute/context.h"
#include "compute/cuda/cuda.h"
#include "compute/device_scratch.h"
}

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <pthread.h>

enum {
    WARP = 32,
    BLOCK = 256,
    BLOCK_WARPS = BLOCK / WARP,
    SAMPLES = 1 << 20,       /* rows that moment's correction has at most */
    SHARED_BYTES = 48 << 10, /* that a block has without asking */
};

/* What kernels report to the host. cuda_finish waits for it and fills in the structs of those
 * who asked. */
struct cuda_results {
    double loss, mutual_information, floored, coefficient[3], divergence;
    unsigned long long not_finite; /* index of the first such number, or ALL_FINITE */
    uint32_t later;                /* see struct recorder: of the step that these are of */
};

/* The same as the host gets it from replayed steps; `count`, of these steps, is written last. */
struct cuda_report {
    struct cuda_results results;
    uint32_t count;
};

/* What a recording counts, on the device. */
struct cuda_clock {
    uint32_t later;   /* see struct recorder; it grows by one with each replay */
    uint32_t reports; /* replays that have reported */
};

static const unsigned long long ALL_FINITE = ~0ull; /* every bit set, as memset leaves it */

/* The functions of cuBLAS and cuBLASLt that are in use, found when a GPU is opened: linked, the
 * libraries would cost 200 MB of memory and a sixth of a second wherever graco starts. */
struct cuda_blas {
    void *library, *lt_library;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSetWorkspace_v2) set_workspace;
    decltype(&cublasGemmEx_64) gemm;
    decltype(&cublasLtCreate) lt_create;
    decltype(&cublasLtDestroy) lt_destroy;
    decltype(&cublasLtMatmulDescCreate) lt_product_create;
    decltype(&cublasLtMatmulDescDestroy) lt_product_destroy;
    decltype(&cublasLtMatmulDescSetAttribute) lt_product_set;
    decltype(&cublasLtMatrixLayoutCreate) lt_layout_create;
    decltype(&cublasLtMatrixLayoutDestroy) lt_layout_destroy;
    decltype(&cublasLtMatmulPreferenceCreate) lt_preference_create;
    decltype(&cublasLtMatmulPreferenceDestroy) lt_preference_destroy;
    decltype(&cublasLtMatmulPreferenceSetAttribute) lt_preference_set;
    decltype(&cublasLtMatmulAlgoGetHeuristic) lt_choose;
    decltype(&cublasLtMatmul) lt_multiply;
};

/* Who asked for results that are under way; NULL: nobody. At most one objective. */
struct cuda_asked {
    struct contrast *contrast = NULL;
    struct moment *moment = NULL;
    double *loss = NULL; /* of an objective that reports nothing else */
    struct gaussian *gaussian = NULL;
    int64_t *not_finite = NULL;
};

/* A queue of kernels, with what cuBLAS needs to work in it. */
struct cuda_queue {
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace; /* cuBLAS's own */
};

/* context->device. Kernels go to the queue that it is derived from: the main one, or the side one while `aside`. */
struct cuda_state : cuda_queue {
    struct cuda_queue other;
    cudaEvent_t met; /* marks how far one queue is, for the other to wait for */
    bool aside;
    bool side_busy; /* the side queue has work that the main one has not waited for */
    struct cuda_blas call;
    cublasLtHandle_t blas_lt;
    struct cuda_results *results; /* on the device */
    struct cuda_report *report;   /* pinned on the host */
    int processors, shared_bytes; /* the latter: that a block may ask for */
    bool wgmma;                   /* use the matrix instructions that the H100 family alone has */
    bool ahead;                   /* with these, products of tiles are asked for ahead */
    int32_t *sample;          /* (SAMPLES) pinned: what a recording of the moment objective reads */
    struct cuda_clock *clock; /* (1) on the device */
    uint32_t replays;         /* that were asked for */
    uint32_t later_next;      /* what clock->later will be when all that was asked for is done */
    const uint32_t *later;    /* clock->later, while recording; NULL: kernels know their step */
    struct cuda_asked asked;
    bool replayed; /* the last step leaves its results with the host itself */
};

/* To open or close a context synchronises the whole GPU (cuBLAS does), which spoils the steps that other contexts
 * are recording: recordings share this lock, opening and closing have it alone. */
extern pthread_rwlock_t cuda_recordings;

static inline struct cuda_state *state_of(struct context *c)
{
    return (struct cuda_state *)c->device;
}

/* An objective asks for its results, in the place of any before it. */
static inline void cuda_ask(struct cuda_state *s, struct cuda_asked asked)
{
    asked.gaussian = s->asked.gaussian;
    asked.not_finite = s->asked.not_finite;
    s->asked = asked;
    s->replayed = false;
}

/* GRACO_OK, or the failure with what was being done. */
graco_status cuda_check(cudaError_t error, const char *doing);
graco_status cuda_check_blas(cublasStatus_t error, const char *doing);

/* An operand of a product, floats or halves, and its result; rows are ld apart. */
struct operand {
    const void *data;
    int64_t ld;
    bool transposed;
};

struct result {
    float *data; /* (m, n) */
    int64_t ld, m, n;
    bool accumulate;
};

static inline struct operand operand_of(const void *data, int64_t ld)
{
    return {data, ld, false};
}

static inline struct operand transpose_of(const void *data, int64_t ld)
{
    return {data, ld, true};
}

/* C (m, n) (+)= op(A) op(B) of floats, where op(A) is (m, k) and op(B) is (k, n). */
graco_status cuda_multiply(struct context *c, struct result C, int64_t k, struct operand A,
                           struct operand B);

/* A product with g->after, a ReLU with bias. Not *done if cuBLASLt has no kernel for this shape. */
graco_status cuda_gemm_relu(struct context *c, const struct gemm *g, bool *done);

/* Adds what leave_sums left in partial (2, blocks) over blocks and ranks; then it is as if one block had
 * left it. */
graco_status cuda_add_ranks(struct context *c, double *partial, int64_t blocks);

/* After a launch. */
#define PASS_LAUNCH(doing) PASS(cuda_check(cudaGetLastError(), doing))

static inline unsigned blocks_for(int64_t items, int64_t per_block)
{
    int64_t blocks = (items + per_block - 1) / per_block;
    return (unsigned)(blocks < 1 ? 1 : blocks);
}

/* Blocks of a kernel that strides over its items. */
static inline unsigned blocks_striding(const struct cuda_state *s, int64_t items, int64_t per_block)
{
    int64_t blocks = (items + per_block - 1) / per_block, most = 16 * (int64_t)s->processors;
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Buffers that one call takes from the cache; they go back together when it ends. */
struct cuda_scratch {
    struct context *context;
    int count = 0;
    void *blocks[16];

    explicit cuda_scratch(struct context *c) : context(c)
    {
    }
    ~cuda_scratch()
    {
        while (count > 0)
            context_give(context, blocks[--count]);
    }
};

static inline graco_status scratch_take(struct cuda_scratch *s, void *out, int64_t count,
                                        size_t size)
{
    void **slot = &s->blocks[s->count];
    PASS(context_take(s->context, slot, count, size));
    s->count++;
    *(void **)out = *slot;
    return GRACO_OK;
}

/* ---- On the device --------------------------------------------------------------------------- */

/* 2^x; 0 where that is no normal number. */
__device__ static inline float exp2_quick(float x)
{
    float e;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x));
    return e;
}

/* Rounded to the 10 bits of TF32, halves away from zero. */
__device__ static inline float tile_tf32(float x)
{
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return __uint_as_float(rounded);
}

#include "compute/cuda/cuda_threads.cuh"

#endif
