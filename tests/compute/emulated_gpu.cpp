/* emulated_gpu.hpp: memory, fibers, barriers, copies and matrix instructions. */
#include "emulated_gpu.hpp"

#include <deque>
#include <map>
#include <numeric>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

enum {
    THREADS_MOST = 1024,
    STACK_BYTES = 128 << 10,
    NAMED = 16,
    SPOILED = 0xff, /* bytes that are no number: in halves, bf16 and floats */
    SAID_MOST = 5,
    LATE_PASSES = 2, /* without late warps, on average, before some are */
};

/* `bytes` to a place in shared memory; with an mbarrier, or in a group. */
struct copy {
    uint32_t to;
    const void *from;
    int bytes;
    barrier b;
};

struct fiber {
    ucontext_t begin;
    jmp_buf place; /* once begun; swapcontext would ask the system each time */
    char *stack;
    bool begun, done;
    const std::function<bool()> *until; /* what it waits for */
    std::deque<std::vector<copy>> copies;
    std::deque<std::vector<emulated_product>> products;
    std::vector<copy> open_copies;
    std::vector<emulated_product> open_products;
    int shares;
};

/* Threads that have come, and how often all have. */
struct meeting {
    int arrived;
    uint64_t times;
};

struct mbarrier {
    int arrivals, pending;
    int64_t bytes;
    uint32_t phase;
};

struct emulated_place threadIdx, blockIdx, blockDim, gridDim;

long emulated_wrong;
int emulated_shared_most = SHARED_BYTES_MOST;

static struct fiber fibers[THREADS_MOST];
static struct meeting named[NAMED];
static struct {
    struct emulated_words room[2][WARP];
    struct meeting meeting;
} warps[THREADS_MOST / WARP];
static std::vector<struct copy> copies; /* with an mbarrier */
static struct mbarrier mbarriers[SHARED_BYTES_MOST / 8];
/* Shared memory; kernels know it by this name. An address is a place in it. */
alignas(1024) thread_local char plain[SHARED_BYTES_MOST];
static size_t plain_bytes; /* that the kernel asked for */
static jmp_buf scheduler;
static int current, count;
static const std::function<void()> *body;
static uint64_t drawn = 88172645463325252ull;

static uint64_t draw()
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    return drawn ^= drawn << 17;
}

static void say_wrong(const char *what)
{
    if (emulated_wrong++ < SAID_MOST)
        printf("does not hold: %s in thread %d\n", what, current);
}

/* ---- Memory ------------------------------------------------------------------------------------ */

/* What was mapped for a buffer: some pages, between two that cannot be touched. */
struct mapping {
    char *begin;
    size_t bytes;
};

static std::map<void *, mapping> mappings;

static void say_beyond(int)
{
    static const char MESSAGE[] = "does not hold: all that is touched lies in a buffer\n";
    _exit(write(STDOUT_FILENO, MESSAGE, sizeof MESSAGE - 1) > 0 ? 1 : 2);
}

void *emulated_take(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    struct mapping m = {NULL, room + 2 * page};
    signal(SIGSEGV, say_beyond);
    m.begin = (char *)mmap(NULL, m.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m.begin == MAP_FAILED || mprotect(m.begin + page, room, PROT_READ | PROT_WRITE) != 0) {
        printf("does not hold: there is memory for a buffer\n");
        exit(1);
    }
    char *block = m.begin + page + (draw() % 2 ? room - bytes : 0);
    mappings[block] = m;
    memset(block, SPOILED, bytes);
    return block;
}

void emulated_give(void *block)
{
    munmap(mappings[block].begin, mappings[block].bytes);
    mappings.erase(block);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static void enter()
{
    (*body)();
    fibers[current].done = true;
    _longjmp(scheduler, 1);
}

static void go_on(int thread)
{
    struct fiber *f = &fibers[thread];
    current = thread;
    threadIdx.x = (unsigned)thread;
    if (_setjmp(scheduler) > 0)
        return;
    if (f->begun)
        _longjmp(f->place, 1);
    f->begun = true;
    setcontext(&f->begin);
}

/* Lets others go on until that holds. */
static void wait_until(const std::function<bool()> &until)
{
    while (!until()) {
        fibers[current].until = &until;
        if (_setjmp(fibers[current].place) == 0)
            _longjmp(scheduler, 1);
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

/* Until it has arrived nobody may read what is there. */
static void begin_copy(const struct copy &c)
{
    if ((c.to | (uintptr_t)c.from | c.bytes) % 16 > 0 || c.to + (size_t)c.bytes > plain_bytes) {
        say_wrong("a place to copy to or from");
        exit(1);
    }
    memset(plain + c.to, SPOILED, (size_t)c.bytes);
}

static void land(const struct copy &c)
{
    memcpy(plain + c.to, c.from, (size_t)c.bytes);
}

static void land_one()
{
    size_t which = draw() % copies.size();
    struct copy c = copies[which];
    copies.erase(copies.begin() + (long)which);
    land(c);
    mbarriers[c.b / 8].bytes -= c.bytes;
    complete(&mbarriers[c.b / 8]);
}

static void run_block()
{
    int left = count;
    uint32_t late = 0; /* warps that stand still until no other can go on, a bit for each */
    for (int i = 0; i < count; i++) {
        struct fiber *f = &fibers[i];
        if (!f->stack)
            f->stack = (char *)malloc(STACK_BYTES);
        getcontext(&f->begin);
        f->begin.uc_stack.ss_sp = f->stack;
        f->begin.uc_stack.ss_size = STACK_BYTES;
        f->begun = f->done = false;
        f->until = NULL;
        f->copies.clear();
        f->open_copies.clear();
        f->shares = 0;
        makecontext(&f->begin, enter, 0);
    }
    memset(named, 0, sizeof named);
    memset(warps, 0, sizeof warps);
    memset(plain, SPOILED, sizeof plain);
    while (left > 0) {
        bool moved = false;
        int start = (int)(draw() % (uint64_t)count), step = 0;
        while (std::gcd(step, count) != 1)
            step = (int)(draw() % (uint64_t)count);
        if (!late && draw() % LATE_PASSES == 0)
            late = (uint32_t)(draw() & draw());
        for (int k = 0; k < count; k++) {
            int i = (start + k * step) % count;
            struct fiber *f = &fibers[i];
            if (f->done || late >> i / WARP & 1 || (f->until && !(*f->until)()))
                continue;
            go_on(i);
            moved = true;
            left -= f->done;
        }
        if (!copies.empty() && (!moved || draw() % 4 == 0)) {
            land_one();
            moved = true;
        }
        if (!moved && late) {
            late = 0;
            moved = true;
        }
        if (!moved) {
            printf("does not hold: block %u goes on; %d of its threads wait\n", blockIdx.x, left);
            exit(1);
        }
    }
    if (!copies.empty())
        say_wrong("a copy that outlives its block");
    copies.clear();
}

void emulated_run(dim3 grid, dim3 block, size_t bytes, const std::function<void()> &thread)
{
    body = &thread;
    plain_bytes = bytes;
    count = (int)block.x;
    gridDim = {grid.x, grid.y, grid.z};
    blockDim = {block.x, block.y, block.z};
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                run_block();
}

static std::deque<std::function<void()>> asked; /* of the second queue */

void emulated_ask(int queue, const std::function<void()> &job)
{
    if (queue == 0)
        job();
    else
        asked.push_back(job);
}

void emulated_join()
{
    for (; !asked.empty(); asked.pop_front())
        asked.front()();
}

static void meet(struct meeting *m, int all, bool wait)
{
    uint64_t times = m->times;
    if (++m->arrived == all) {
        m->arrived = 0;
        m->times++;
    }
    if (wait)
        wait_until([=] { return m->times != times; });
}

void emulated_barrier(int id, int threads, bool wait)
{
    meet(&named[id], threads < 0 ? count : threads, wait);
}

/* Until the second meeting nobody begins the next one. */
bool __syncthreads_or(bool holds)
{
    static bool any;
    __syncthreads();
    any = false;
    __syncthreads();
    any |= holds;
    __syncthreads();
    return any;
}

/* Two rooms in turn: who fills one again has met all that have read it. */
const struct emulated_words *emulated_share(const struct emulated_words &mine)
{
    auto *w = &warps[current / WARP];
    struct emulated_words *room = w->room[fibers[current].shares++ % 2];
    room[current % WARP] = mine;
    meet(&w->meeting, WARP, true);
    return room;
}

/* ---- Barriers in shared memory, copies --------------------------------------------------------- */

/* As far on as the GPU may have to go for a multiple of 1024. */
uint32_t shared_memory(char **start)
{
    *start = plain + 1024;
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
    wait_until([=] { return mbarriers[b / 8].phase != parity; });
}

void copy_in(uint32_t to, const void *from, int bytes, barrier b)
{
    copies.push_back({to, from, bytes, b});
    begin_copy(copies.back());
}

/* ---- Copies in groups -------------------------------------------------------------------------- */

uint32_t address_of(const void *place)
{
    return (uint32_t)((const char *)place - plain);
}

void copy_chunk(uint32_t to, const void *from)
{
    fibers[current].open_copies.push_back({to, from, 16, 0});
    begin_copy(fibers[current].open_copies.back());
}

void copies_end()
{
    fibers[current].copies.push_back(fibers[current].open_copies);
    fibers[current].open_copies.clear();
}

void emulated_copies_wait(int pending)
{
    auto &groups = fibers[current].copies;
    for (; (int)groups.size() > pending; groups.pop_front())
        for (const auto &c : groups.front())
            land(c);
}

/* ---- Matrix instructions of a warp ------------------------------------------------------------- */

/* The lanes' addresses of rows; the eight of a matrix must fill all banks. */
static const struct emulated_words *share_rows(uint32_t address)
{
    const struct emulated_words *all = emulated_share({{address}});
    unsigned banks = 0;
    for (int i = 0; i < 8; i++)
        banks |= 1u << all[current % WARP / 8 * 8 + i].word[0] / 16 % 8;
    if (banks != 255 || address % 16 > 0)
        say_wrong("a load of a matrix with conflicts");
    return all;
}

void load(uint32_t (&r)[4], uint32_t address)
{
    const struct emulated_words *all = share_rows(address);
    int lane = current % WARP;
    for (int m = 0; m < 4; m++)
        memcpy(&r[m], plain + all[8 * m + lane / 4].word[0] + lane % 4 * 4, 4);
}

void load_transposed(uint32_t (&r)[4], uint32_t address)
{
    const struct emulated_words *all = share_rows(address);
    int lane = current % WARP;
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 2; i++)
            memcpy((char *)&r[m] + 2 * i,
                   plain + all[8 * m + lane % 4 * 2 + i].word[0] + lane / 4 * 2, 2);
}

/* A table: what is no hardware instruction for halves is slow. */
static const std::vector<float> HALVES = [] {
    std::vector<float> all;
    for (uint32_t i = 0; i < 65536; i++)
        all.push_back(number_of(same_bits<__half>((uint16_t)i)));
    return all;
}();

static inline float read_operand(const void *from, bool bf16)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    return bf16 ? number_of(__nv_bfloat16{bits}) : HALVES[bits];
}

/* The product of two words: of floats, or of two pairs of halves. */
static float product_of(uint32_t a, uint32_t b, bool tf32)
{
    if (tf32)
        return __uint_as_float(a) * __uint_as_float(b);
    return read_operand(&a, false) * read_operand(&b, false) +
           read_operand((char *)&a + 2, false) * read_operand((char *)&b + 2, false);
}

/* Lane 4 y + i has word i of A's rows y and y + 8 and of B's column y, then word 4 + i. */
static void multiply_words(float *low, float *high, const struct emulated_words &mine, bool tf32)
{
    const struct emulated_words *all = emulated_share(mine);
    int lane = current % WARP;
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 8; k++) {
            const uint32_t *a = all[lane / 4 * 4 + k % 4].word + k / 4 * 2;
            uint32_t b = all[(lane % 4 * 2 + c) * 4 + k % 4].word[4 + k / 4];
            low[c] += product_of(a[0], b, tf32);
            high[c] += product_of(a[1], b, tf32);
        }
}

void multiply(float *d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    multiply_words(d, d + 2, {{a[0], a[1], a[2], a[3], b0, b1}}, false);
}

void multiply(float *low, float *high, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if ((a[0] | a[1] | a[2] | a[3] | b0 | b1) & 0x1fff)
        say_wrong("an operand that is not rounded");
    multiply_words(low, high, {{a[0], a[1], a[2], a[3], b0, b1}}, true);
}

/* ---- Matrix instructions of a warp group ------------------------------------------------------- */

static uint32_t field(uint64_t descriptor, int bit)
{
    return (uint32_t)(descriptor >> bit & 0x3fff) << 4;
}

/* The 16-byte chunks of 128 bytes change places by exclusive or with the row of eight. */
static float read_shared(uint32_t address, bool bf16)
{
    return read_operand(plain + (address ^ (address >> 3 & 0x70)), bf16);
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
static void gather(float (&a)[2][16], const uint32_t *own, bool bf16)
{
    const struct emulated_words *all = emulated_share({{own[0], own[1], own[2], own[3]}});
    for (int i = 0; i < 32; i++) {
        const uint32_t *pair = &all[current % WARP / 4 * 4 + i / 2 % 4].word[i / 8];
        a[i / 8 % 2][i / 16 * 8 + i % 8] = read_operand((const char *)pair + i % 2 * 2, bf16);
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
            float b = p.plain ? across(p.b, col, k, p.bf16) : along(p.b, col, k, p.bf16);
            sum[0] += a[0][k] * b;
            sum[1] += a[1][k] * b;
        }
        *high = sum[0];
        *low = sum[1];
    }
}

void emulated_multiply(const struct emulated_product &product)
{
    fibers[current].open_products.push_back(product);
}

void matrix_commit()
{
    fibers[current].products.push_back(fibers[current].open_products);
    fibers[current].open_products.clear();
}

void emulated_matrix_wait(int pending)
{
    auto &groups = fibers[current].products;
    for (; (int)groups.size() > pending; groups.pop_front())
        for (const auto &product : groups.front())
            run_product(product);
    emulated_share({}); /* a warp goes on as one: its first lane may say that all have read */
}
