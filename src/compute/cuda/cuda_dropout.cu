/* Dropout: four numbers per thread, as one block of Philox gives. */
#include "compute/cuda/cuda_device.cuh"

__global__ static void dropout(struct dropout d, const uint32_t *later, uint64_t threshold,
                               int64_t n, float *Y, const float *X)
{
    int64_t block = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float scale = (float)(1 / (1 - d.p));
    uint32_t bits[4];
    if (4 * block >= n)
        return;
    device_random_block(bits, key_now(d.key, later), (uint64_t)block);
    for (int i = 0; i < 4; i++)
        if (4 * block + i < n)
            Y[4 * block + i] = bits[i] >= threshold ? (X ? X[4 * block + i] : 1) * scale : 0;
}

graco_status cuda_dropout(struct context *c, const struct dropout *d, int64_t n, float *Y,
                          const float *X)
{
    dropout<<<blocks_for(n, 4 * BLOCK), BLOCK, 0, state_of(c)->stream>>>(
        *d, state_of(c)->later, random_threshold(d->p), n, Y, X);
    PASS_LAUNCH("dropping numbers out");
    return GRACO_OK;
}
