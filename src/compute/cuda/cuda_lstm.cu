/* Steps of an LSTM: a thread per target and column. */
#include "compute/cuda/cuda_soft.cuh"

/* A step as the device sees it, and the thread's target, column and entry. */
struct lstm_place {
    int64_t target, col, entry;
    bool inside, there; /* there is such a target; it has a source at this step */
};

__device__ static inline struct lstm_place place_of(const struct segments &g, const struct lstm &l)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    struct lstm_place p = {i / l.width, i % l.width, 0, i < g.entries.rows * l.width, false};
    if (p.inside) {
        p.entry = g.entries.start[p.target] + l.step;
        p.there = p.entry < g.entries.start[p.target + 1];
    }
    return p;
}

__global__ static void __launch_bounds__(BLOCK) lstm_step(struct segments g, struct lstm l)
{
    struct lstm_place p = place_of(g, l);
    int64_t h = l.width;
    if (!p.there)
        return;
    float *gates = l.gates + 4 * p.entry * h + p.col;
    const float *x = l.input + 4 * g.entries.index[p.entry] * h + p.col;
    const float *pre = l.pre + 4 * p.target * h + p.col;
    float gate[4];
    for (int k = 0; k < 4; k++) {
        float in = x[k * h] + (l.step > 0 ? pre[k * h] : 0);
        gates[k * h] = gate[k] = k == 2 ? tanhf(in) : device_logistic(in);
    }
    float before = l.step > 0 ? l.cell[(p.entry - 1) * h + p.col] : 0;
    float cell = gate[1] * before + gate[0] * gate[2];
    l.cell[p.entry * h + p.col] = cell;
    l.h[p.target * h + p.col] = gate[3] * tanhf(cell);
}

graco_status cuda_lstm_step(struct context *c, const struct lstm *l)
{
    unsigned blocks = blocks_for(l->segments->entries.rows * l->width, BLOCK);
    lstm_step<<<blocks, BLOCK, 0, state_of(c)->stream>>>(*l->segments, *l);
    PASS_LAUNCH("a step of an LSTM");
    return GRACO_OK;
}

__global__ static void __launch_bounds__(BLOCK) lstm_step_back(struct segments g, struct lstm l)
{
    struct lstm_place p = place_of(g, l);
    int64_t h = l.width, at = p.target * h + p.col;
    float d[4] = {0}, before = 0;
    if (!p.inside)
        return;
    float *gates = l.gates + 4 * p.entry * h + p.col;
    l.h[at] = 0;
    if (p.there) {
        float i = gates[0], f = gates[h], z = gates[2 * h], o = gates[3 * h], dh = l.dh[at];
        float out = tanhf(l.cell[p.entry * h + p.col]);
        float dcell = l.dc[at] + dh * o * (1 - out * out);
        if (l.step > 0)
            before = l.cell[(p.entry - 1) * h + p.col];
        d[0] = dcell * z * i * (1 - i);
        d[1] = dcell * before * f * (1 - f);
        d[2] = dcell * i * (1 - z * z);
        d[3] = dh * out * o * (1 - o);
        l.dh[at] = 0;
        l.dc[at] = dcell * f;
        if (l.step > 0)
            l.h[at] = gates[-h] * tanhf(before);
    }
    for (int k = 0; k < 4; k++) {
        l.pre[(4 * p.target + k) * h + p.col] = d[k];
        if (p.there)
            gates[k * h] = d[k];
    }
}

graco_status cuda_lstm_step_backward(struct context *c, const struct lstm *l)
{
    unsigned blocks = blocks_for(l->segments->entries.rows * l->width, BLOCK);
    lstm_step_back<<<blocks, BLOCK, 0, state_of(c)->stream>>>(*l->segments, *l);
    PASS_LAUNCH("the way back of an LSTM");
    return GRACO_OK;
}
