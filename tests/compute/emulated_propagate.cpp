/* Sparse features that are summed over neighbours, on an emulated GPU (emulated_gpu.hpp), against plain loops. All numbers are small
 * fractions of powers of two, so sums are exact in any order. */
#include "emulated_views.hpp"

#include "emulated_gpu.hpp"

#include <stdio.h>
#include <vector>

graco_status cuda_propagate_sparse(struct context *c, const struct propagate_sparse *p);

enum { ROOM = SHARED_BYTES / (int)sizeof(float), BEHIND = 64, VIEWS = 2 };

/* The shared memory that the kernel asks for at its launch, and some behind it that it must not touch. */
alignas(16) thread_local float room[ROOM + BEHIND];

struct shape {
    int64_t nodes, features;
};

/* What a case has and has not. */
struct wish {
    bool counts, weights, scales, masks, self;
    int every; /* so many rows apart stand those with many neighbours */
};

static int drawn(int below)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)below);
}

/* What is in the GPU's memory until the case ends. */
struct memory {
    std::vector<void *> blocks;

    template <typename T> T *copy(const std::vector<T> &from)
    {
        size_t bytes = from.size() * sizeof(T);
        T *to = (T *)emulated_take((bytes / 16 + 1) * 16);
        memcpy(to, from.data(), bytes);
        blocks.push_back(to);
        return to;
    }
    ~memory()
    {
        for (void *block : blocks)
            emulated_give(block);
    }
};

/* A matrix in compressed rows, on the host. */
struct rows {
    std::vector<int64_t> start = {0};
    std::vector<int32_t> index;
    std::vector<float> value;

    void add(int32_t column, float number)
    {
        index.push_back(column);
        value.push_back(number);
    }
    void end_row()
    {
        start.push_back((int64_t)index.size());
    }
    struct csr on_device(struct memory *memory, int64_t cols, bool values) const
    {
        struct csr matrix = {(int64_t)start.size() - 1, cols, memory->copy(start),
                             memory->copy(index), values ? memory->copy(value) : NULL};
        return matrix;
    }
};

/* Features: rows of none to all columns, ascending. */
static rows make_features(struct shape s)
{
    rows X;
    for (int64_t i = 0; i < s.nodes; i++) {
        int one_in = 1 + drawn(4);
        for (int32_t j = 0; j < s.features; j++)
            if (i % 5 != 3 && drawn(one_in * (s.features > 200 ? 40 : 1)) == 0)
                X.add(j, (float)(drawn(17) - 8));
        X.end_row();
    }
    return X;
}

/* Neighbours: up to 8 of a node, and up to 108 of every so many. */
static rows make_graph(struct shape s, int every)
{
    rows M;
    for (int64_t i = 0; i < s.nodes; i++) {
        int count = i % every == 0 ? 29 + drawn(80) : drawn(9);
        for (int k = 0; k < count; k++)
            M.add(drawn((int)s.nodes), (float)(1 + drawn(4)));
        M.end_row();
    }
    return M;
}

/* One view's scales, counts and mask. */
struct view {
    std::vector<int32_t> count;
    std::vector<float> row_scale, col_scale, mask;

    view(const rows &M, struct shape s)
    {
        for (int64_t i = 0; i < s.nodes; i++) {
            count.push_back(drawn((int)(M.start[(size_t)i + 1] - M.start[(size_t)i]) + 1));
            row_scale.push_back(0.25f * (float)(1 + drawn(4)));
            col_scale.push_back(0.5f * (float)(1 + drawn(2)));
        }
        for (int64_t j = 0; j < s.features; j++)
            mask.push_back((float)drawn(2));
    }
};

/* Row i of the result, by plain loops. */
static std::vector<float> expected(const rows &M, const rows &X, const view &v, struct wish w,
                                   size_t i, size_t width)
{
    std::vector<float> sum(width, 0.0f);
    auto add = [&](size_t node, float weight) {
        float factor = weight * (w.scales ? v.col_scale[node] : 1);
        for (int64_t e = X.start[node]; e < X.start[node + 1]; e++)
            sum[(size_t)X.index[(size_t)e]] += factor * X.value[(size_t)e];
    };
    int64_t first = M.start[i], last = w.counts ? first + v.count[i] : M.start[i + 1];
    for (int64_t k = first; k < last; k++)
        add((size_t)M.index[(size_t)k], w.weights ? M.value[(size_t)k] : 1);
    if (w.self)
        add(i, 1);
    for (size_t j = 0; j < v.mask.size(); j++)
        sum[j] *= (w.scales ? v.row_scale[i] : 1) * (w.masks ? v.mask[j] : 1);
    return sum;
}

static int check(struct shape s, struct wish w)
{
    const rows features = make_features(s), graph = make_graph(s, w.every);
    const std::vector<view> views = {view(graph, s), view(graph, s)};
    const int64_t width = (s.features + 3) / 4 * 4;
    struct memory memory;
    struct cuda_state state;
    struct context c = {};
    struct sparse X = {}, M[VIEWS] = {};
    struct propagate_sparse p = {};
    int wrong = 0;
    c.device = &state;
    X.entries = features.on_device(&memory, s.features, true);
    for (int i = 0; i < VIEWS; i++) {
        M[i].entries = graph.on_device(&memory, s.nodes, w.weights);
        M[i].count = w.counts ? memory.copy(views[i].count) : NULL;
        M[i].row_scale = w.scales ? memory.copy(views[i].row_scale) : NULL;
        M[i].col_scale = w.scales ? memory.copy(views[i].col_scale) : NULL;
        M[i].self = w.self;
        p.mask[i] = w.masks ? memory.copy(views[i].mask) : NULL;
    }
    p.views = VIEWS;
    p.matrix = M;
    p.X = &X;
    p.y_row = width;
    p.y_step = s.nodes * width;
    p.Y = memory.copy(std::vector<float>((size_t)(VIEWS * p.y_step), NAN));
    for (float &number : room)
        number = NAN;
    cuda_propagate_sparse(&c, &p);
    for (int i = 0; i < VIEWS; i++)
        for (int64_t row = 0; row < s.nodes; row++) {
            auto right = expected(graph, features, views[i], w, (size_t)row, (size_t)width);
            const float *found = p.Y + i * p.y_step + row * width;
            for (int64_t j = 0; j < width; j++)
                wrong += found[j] != right[(size_t)j];
        }
    for (int k = ROOM; k < ROOM + BEHIND; k++)
        wrong += !isnan(room[k]);
    if (wrong)
        printf("does not hold: features of %d nodes, %d each, summed over neighbours: %d wrong\n",
               (int)s.nodes, (int)s.features, wrong);
    return wrong ? 1 : 0;
}

int emulated_propagate(void)
{
    /* Rows of which a block holds four, three, two or one. */
    static const struct shape SHAPES[] = {{1, 1},    {1, 5},    {2, 3},    {3, 31},   {4, 64},
                                          {5, 129},  {9, 1433}, {6, 3072}, {5, 3073}, {5, 4097},
                                          {3, 6145}, {3, 8192}, {37, 70}};
    int wrong = 0;
    for (struct shape s : SHAPES)
        for (int k = 0; k < 32; k++)
            wrong += check(
                s, {(k & 1) > 0, (k & 2) > 0, (k & 4) > 0, (k & 8) > 0, (k & 16) > 0, 1 + k % 3});
    printf("propagation: %s\n", wrong ? "wrong" : "as by plain loops");
    return wrong;
}
