/* emulated_gpu.hpp: fibers, barriers, copies and matrix instructions. */
#include "emulated_gpu.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <vector>

enum {
    THREADS_MOST = 1024,
    STACK_BYTES = 64 << 10,
    NAMED = 16,
    IDLE_MOST = 2000, /* rounds over all threads in which nothing moved: they wait for ever */
};

struct fiber {
    ucontext_t context;
    char *stack;
    bool done;
    const std::function<bool()> *until; /* what it waits for */
    std::vector<std::vector<emulated_product>> committed;
    std::vector<emulated_product> open;
    int exchanges;
};

struct named {
    int arrived;
    uint64_t generation;
};

struct mbarrier {
    int arrivals, pending;
    int64_t bytes;
    uint32_t phase;
};

struct copy {
    uint32_t to;
    const void *from;
    int bytes;
    barrier b;
};

struct emulated_place threadIdx, blockIdx, gridDim;

static struct fiber fibers[THREADS_MOST];
static struct named named[NAMED];
static struct {
    uint64_t value[2][WARP];
    int arrived[2];
    uint64_t generation;
} warps[THREADS_MOST / WARP];
static std::vector<struct copy> copies;
static struct mbarrier mbarriers[SHARED_BYTES_MOST / 8];
alignas(1024) static char memory[SHARED_BYTES_MOST + 1024];
static ucontext_t scheduler;
static int current, count;
static const std::function<void()> *body;
static uint64_t drawn = 88172645463325252ull;

static uint64_t draw()
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    return drawn ^= drawn << 17;
}

static void enter()
{
    (*body)();
    fibers[current].done = true;
    swapcontext(&fibers[current].context, &scheduler);
}

void emulated_wait(const std::function<bool()> &until)
{
    while (!until()) {
        fibers[current].until = &until;
        swapcontext(&fibers[current].context, &scheduler);
    }
    fibers[current].until = NULL;
}

static void complete(struct mbarrier *m)
{
    if (m->pending > 0 || m->bytes > 0)
        return;
    m->phase ^= 1;
    m->pending = m->arrivals;
}

static void land(size_t which)
{
    struct copy c = copies[which];
    copies.erase(copies.begin() + (long)which);
    memcpy(memory + c.to, c.from, (size_t)c.bytes);
    mbarriers[c.b / 8].bytes -= c.bytes;
    complete(&mbarriers[c.b / 8]);
}

static void run_block()
{
    int left = count, idle = 0;
    for (int i = 0; i < count; i++) {
        struct fiber *f = &fibers[i];
        if (!f->stack)
            f->stack = (char *)malloc(STACK_BYTES);
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack;
        f->context.uc_stack.ss_size = STACK_BYTES;
        f->done = false;
        f->until = NULL;
        f->exchanges = 0;
        makecontext(&f->context, enter, 0);
    }
    memset(named, 0, sizeof named);
    memset(warps, 0, sizeof warps);
    memset(memory, 0x7f, sizeof memory); /* no number, in halves, bf16 and floats */
    while (left > 0) {
        bool moved = false;
        int start = (int)(draw() % (uint64_t)count), step = draw() & 1 ? 1 : count - 1;
        for (int k = 0; k < count; k++) {
            int i = (start + k * step) % count;
            struct fiber *f = &fibers[i];
            if (f->done || (f->until && !(*f->until)()))
                continue;
            current = i;
            threadIdx.x = (unsigned)i;
            swapcontext(&scheduler, &f->context);
            moved = true;
            left -= f->done;
        }
        if (!copies.empty() && (!moved || draw() % 4 == 0)) {
            land(draw() % copies.size());
            moved = true;
        }
        idle = moved ? 0 : idle + 1;
        if (idle > IDLE_MOST) {
            printf("does not hold: block %u goes on; %d of its threads wait\n", blockIdx.x, left);
            exit(1);
        }
    }
}

void emulated_run(dim3 grid, dim3 block, const std::function<void()> &thread)
{
    body = &thread;
    count = (int)block.x;
    gridDim = {grid.x, grid.y, grid.z};
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
            run_block();
}

void emulated_barrier(int id, int threads, bool wait)
{
    struct named *n = &named[id];
    uint64_t generation = n->generation;
    if (++n->arrived == (threads < 0 ? count : threads)) {
        n->arrived = 0;
        n->generation++;
    }
    if (wait)
        emulated_wait([=] { return n->generation != generation; });
}

uint64_t emulated_exchange(uint64_t mine, int bits)
{
    int lane = current % WARP, room = fibers[current].exchanges++ & 1;
    auto *w = &warps[current / WARP];
    uint64_t generation = w->generation;
    w->value[room][lane] = mine;
    if (++w->arrived[room] == WARP) {
        w->arrived[room] = 0;
        w->generation++;
    }
    emulated_wait([=] { return w->generation != generation; });
    return w->value[room][lane ^ bits];
}

/* ---- Barriers in shared memory, copies --------------------------------------------------------- */

uint32_t shared_memory(char **plain)
{
    *plain = memory + 1024;
    return 1024;
}

void barrier_init(barrier b, int arrivals)
{
    mbarriers[b / 8] = {arrivals, arrivals, 0, 0};
}

void barrier_arrive(barrier b)
{
    mbarriers[b / 8].pending--;
    complete(&mbarriers[b / 8]);
}

void barrier_expect(barrier b, int bytes)
{
    mbarriers[b / 8].bytes += bytes;
    barrier_arrive(b);
}

void barrier_wait(barrier b, uint32_t parity)
{
    emulated_wait([=] { return mbarriers[b / 8].phase != parity; });
}

void copy_in(uint32_t to, const void *from, int bytes, barrier b)
{
    copies.push_back({to, from, bytes, b});
}

/* ---- Matrix instructions ----------------------------------------------------------------------- */

static uint32_t field(uint64_t descriptor, int bit)
{
    return (uint32_t)(descriptor >> bit & 0x3fff) << 4;
}

/* By a table: what is no hardware instruction for halves is slow. */
static float read_operand(const void *from, bool bf16)
{
    static std::vector<float> halves;
    uint16_t bits;
    memcpy(&bits, from, 2);
    for (uint32_t i = 0; i < 65536 && halves.size() < 65536; i++) {
        __half half;
        uint16_t next = (uint16_t)i;
        memcpy(&half, &next, 2);
        halves.push_back(number_of(half));
    }
    return bf16 ? number_of(__nv_bfloat16{bits}) : halves[bits];
}

/* The 16-byte chunks of 128 bytes change places by exclusive or with the row of eight. */
static float read_shared(uint32_t address, bool bf16)
{
    return read_operand(memory + (address ^ (address >> 3 & 0x70)), bf16);
}

/* Element k of row `row` of an operand that lies along k, and of one that lies along its rows. */
static float along(uint64_t m, int row, int k, bool bf16)
{
    return read_shared(field(m, 0) + row / 8 * field(m, 32) + row % 8 * 128 + k * 2, bf16);
}

static float across(uint64_t m, int row, int k, bool bf16)
{
    return read_shared(field(m, 0) + row / 64 * field(m, 16) + k / 8 * field(m, 32) + k % 8 * 128 +
                           row % 64 * 2,
                       bf16);
}

/* A's rows y and y + 8, of which four lanes hold the columns two by two. */
static void gather(float (&a)[2][16], const uint32_t *registers, bool bf16)
{
    int lane = current % 4;
    for (int i = 0; i < 4; i++)
        for (int bits = 0; bits < 4; bits++) {
            uint32_t pair = (uint32_t)emulated_exchange(registers[i], bits);
            int k = i / 2 * 8 + (lane ^ bits) * 2;
            a[i % 2][k] = read_operand(&pair, bf16);
            a[i % 2][k + 1] = read_operand((char *)&pair + 2, bf16);
        }
}

/* This thread's part of the result: its places are those of tile_y and tile_x. */
static void run_product(const struct emulated_product &p)
{
    int lane = current % WARP, y = current % GROUP / WARP * 16 + lane / 4;
    float a[2][16];
    if (p.registers)
        gather(a, p.registers, p.bf16);
    for (int i = 0; i < 32 && !p.registers; i++)
        a[i / 16][i % 16] = along(p.a, y + i / 16 * 8, i % 16, p.bf16);
    for (int i = 0; i < p.n / 4; i++) { /* columns */
        int col = i / 2 * 8 + lane % 4 * 2 + i % 2;
        float *high = &p.d[i / 2 * 4 + i % 2], *low = high + 2, sum[2];
        sum[0] = p.add ? *high : 0;
        sum[1] = p.add ? *low : 0;
        for (int k = 0; k < 16; k++) {
            float b = p.registers ? across(p.b, col, k, p.bf16) : along(p.b, col, k, p.bf16);
            sum[0] += a[0][k] * b;
            sum[1] += a[1][k] * b;
        }
        *high = sum[0];
        *low = sum[1];
    }
}

void emulated_multiply(const struct emulated_product &product)
{
    fibers[current].open.push_back(product);
}

void matrix_commit()
{
    fibers[current].committed.push_back(fibers[current].open);
    fibers[current].open.clear();
}

void emulated_matrix_wait(int pending)
{
    auto &groups = fibers[current].committed;
    while ((int)groups.size() > pending) {
        for (const auto &product : groups.front())
            run_product(product);
        groups.erase(groups.begin());
    }
}
