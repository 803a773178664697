/* The tables of the CUDA back end. In C, whose initialisers name what they set. */
#include "compute/cuda/cuda.h"
#include "compute/device_scratch.h"

static const struct buffers buffers = {
    .allocate = cuda_allocate,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .zero = cuda_zero,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .wait = cuda_wait,
};

static const struct recorder recorder = {
    .record = cuda_record,
    .recorded = cuda_recorded,
    .replay = cuda_replay,
    .forget = cuda_forget,
};

static const struct kernels kernels = {
#define KERNEL(name, ...) .name = cuda_##name,
#include "compute/kernels.def"
};

const struct backend backend_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .finish = cuda_finish,
    .memory = cuda_memory,
    .choose = cuda_choose,
    .connect = cuda_connect,
    .turn = cuda_turn,
    .buffers = &buffers,
    .kernels = &kernels,
    .recorder = &recorder,
};
