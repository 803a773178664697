/* The kernels that draw views on an emulated GPU (emulated_gpu.hpp): kept edges, their counts and scales, against plain
 * loops. */
#include "emulated_views.hpp"

#include "emulated_gpu.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <vector>

graco_status cuda_compact(struct context *c, int count, const struct compaction *list);
graco_status cuda_degree_scale(struct context *c, const struct degrees *d, float *scale);

extern "C" uint64_t random_threshold(double)
{
    abort(); /* nothing is drawn here */
}

/* A copy in the GPU's memory. */
template <typename T> static T *on_device(const std::vector<T> &from)
{
    T *to = (T *)emulated_take(from.size() * sizeof(T));
    memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
}

/* Rows of 0 to 70 entries, of which two in three are kept. */
struct lists {
    std::vector<int64_t> start = {0};
    std::vector<int32_t> index;
    std::vector<uint32_t> id;
    std::vector<uint8_t> keep;
    std::vector<float> weight;

    explicit lists(int64_t rows)
    {
        for (int64_t row = 0; row < rows; row++)
            start.push_back(start.back() + row * row % 71);
        for (uint32_t e = 0; e < start.back(); e++) {
            index.push_back((int32_t)(7 * e + 1));
            id.push_back((uint32_t)start.back() - 1 - e);
            keep.push_back(e * e % 3 > 0);
            weight.push_back(0.5f + (float)(e % 9));
        }
    }
};

static int same(bool holds, const char *what)
{
    if (!holds)
        printf("does not hold: %s\n", what);
    return holds ? 0 : 1;
}

/* Row by row: what compact, and degree_scale after it, have left. */
static int compare(const struct lists &l, const struct compaction &job, const float *scale)
{
    int wrong = 0;
    for (int64_t row = 0; row < job.rows; row++) {
        int32_t count = 0;
        double degree = 0;
        for (int64_t e = l.start[row]; e < l.start[row + 1]; e++) {
            if (!l.keep[job.id ? l.id[e] : (size_t)e])
                continue;
            wrong += job.kept[l.start[row] + count] != l.index[e];
            wrong += job.weight && job.kept_weight[l.start[row] + count] != l.weight[e];
            degree += job.weight ? (double)l.weight[e] : 1;
            count++;
        }
        wrong += job.count[row] != count;
        wrong += scale[row] != (float)(job.power == -1 ? 1 / (1 + degree) : 1 / sqrt(1 + degree));
        wrong += job.scale && job.scale[row] != scale[row];
    }
    return same(wrong == 0, "kept edges, their counts and scales");
}

static int check(int64_t rows, bool by_id, bool weighted, double power)
{
    const struct lists l(rows);
    const size_t entries = l.index.size();
    struct cuda_state state;
    struct context c = {};
    struct compaction job = {};
    struct degrees d = {};
    float *scale = on_device(std::vector<float>((size_t)rows));
    c.device = &state;
    job.rows = d.rows = rows;
    job.start = d.start = on_device(l.start);
    job.index = on_device(l.index);
    job.id = by_id ? on_device(l.id) : NULL;
    job.keep = on_device(l.keep);
    job.kept = on_device(std::vector<int32_t>(entries));
    job.count = on_device(std::vector<int32_t>((size_t)rows));
    d.count = job.count;
    job.weight = weighted ? on_device(l.weight) : NULL;
    d.weight = job.kept_weight = weighted ? on_device(l.weight) : NULL;
    job.scale = weighted ? NULL : on_device(std::vector<float>((size_t)rows));
    job.power = d.power = power;
    d.share = 1;
    cuda_compact(&c, 1, &job);
    cuda_degree_scale(&c, &d, scale);
    int wrong = compare(l, job, scale);
    const void *blocks[] = {job.start, job.index,  job.id,          job.keep,  job.kept,
                            job.count, job.weight, job.kept_weight, job.scale, scale};
    for (const void *block : blocks)
        if (block)
            emulated_give((void *)block);
    return wrong;
}

int emulated_views(void)
{
    int wrong = 0;
    for (int64_t rows : {1, 8, 9, 75})
        for (bool by_id : {false, true})
            wrong += check(rows, by_id, false, -0.5) + check(rows, by_id, false, -1) +
                     check(rows, by_id, true, -0.5);
    printf("views: %s\n", wrong ? "wrong" : "as by plain loops");
    return wrong;
}
