/* What kernels sum over ranks, and several GPUs: which one a rank takes, and NCCL between them. */
#include "compute/cuda/cuda_device.cuh"

extern "C" {
#include "comm/comm_nccl.h"
#include "compute/exchange.h"
}

/* The sums of all blocks, where one block would have left them. */
__global__ static void add_blocks(double *partial, int64_t blocks)
{
    double2 total = totals_of(partial, blocks);
    if (threadIdx.x == 0) {
        partial[0] = total.x;
        partial[1] = total.y;
    }
}

graco_status cuda_add_ranks(struct context *c, double *partial, int64_t blocks)
{
    add_blocks<<<1, BLOCK, 0, state_of(c)->stream>>>(partial, blocks);
    PASS_LAUNCH("adding sums");
    return exchange_sum_doubles(c, partial, 2);
}

graco_status cuda_choose(int number)
{
    int count = 0;
    PASS(cuda_check(cudaGetDeviceCount(&count), "counting GPUs"));
    return cuda_check(cudaSetDevice(number % count), "choosing a GPU");
}

graco_status cuda_connect(struct context *c, struct comm **out)
{
    return comm_nccl_create(out, c->comm, state_of(c)->stream);
}
