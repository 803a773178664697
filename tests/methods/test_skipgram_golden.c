/* Golden vectors of skip-gram: Huffman's tree and the noise, loss and gradients, and the tables after a
 * sequential pass. Every table of inner loops that this machine runs is held against them. */
#include "compute/cpu/loops.h"
#include "methods/huffman.h"
#include "methods/noise.h"
#include "golden.h"

enum { TERMS_MAX = 256, COLS_MAX = 4096 };

static const double PASS_TOLERANCE = 1e-5;

/* The file's tables, pairs and, for each pair, its terms. */
struct given {
    int64_t pairs, d, inputs, outputs, width; /* width: columns of the terms */
    float *U, *V;
    const char *V_name;
    int32_t *pair;         /* (pairs, 2) */
    int32_t *negatives;    /* (pairs, width) */
    int32_t *point, *code; /* (nodes, width) */
};

static int64_t put_group(uint32_t word[TERMS_MAX], const struct given *in, int64_t p)
{
    int32_t i = in->pair[2 * p], o = in->pair[2 * p + 1];
    int64_t count = 0;
    word[count++] = (uint32_t)i << SKIPGRAM_SHIFT | SKIPGRAM_INPUT;
    if (in->negatives)
        word[count++] = (uint32_t)o << SKIPGRAM_SHIFT | 1;
    for (int64_t k = 0; k < in->width; k++) {
        if (in->negatives && in->negatives[p * in->width + k] != o)
            word[count++] = (uint32_t)in->negatives[p * in->width + k] << SKIPGRAM_SHIFT;
        if (in->point && in->point[o * in->width + k] >= 0)
            word[count++] = (uint32_t)in->point[o * in->width + k] << SKIPGRAM_SHIFT |
                            (uint32_t)(1 - in->code[o * in->width + k]);
    }
    return count;
}

static float *copied(const float *from, int64_t count)
{
    float *copy = NULL;
    CHECK_OK(memory_alloc(&copy, count, sizeof *copy));
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

/* The sequential pass, a group a pair. */
static void check_pass(const struct golden *g, const struct given *in, const struct loops *loops,
                       float alpha)
{
    struct golden strict = *g;
    float *U = copied(in->U, in->inputs * in->d), *V = copied(in->V, in->outputs * in->d);
    float change[COLS_MAX];
    uint32_t word[TERMS_MAX];
    strict.tolerance = PASS_TOLERANCE;
    for (int64_t p = 0; p < in->pairs; p++) {
        struct skipgram_pass pass = {U, V, in->d, alpha, word, put_group(word, in, p), change};
        CHECK(loops->skipgram(&pass, false) == 0);
    }
    golden_compare(&strict, "sgd.", "U", U);
    golden_compare(&strict, "sgd.", in->V_name, V);
    memory_free(U);
    memory_free(V);
}

static void add_difference(float *sum, const float *before, const float *after, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        sum[i] += before[i] - after[i];
}

/* A term alone changes two rows by its gradient if alpha is 1. */
static void check_gradient(const struct golden *g, const struct given *in,
                           const struct loops *loops)
{
    int64_t u_size = in->inputs * in->d, v_size = in->outputs * in->d;
    float *dU = NULL, *dV = NULL, change[COLS_MAX];
    double loss = 0, theirs = golden_scalar(g, "loss");
    uint32_t word[TERMS_MAX];
    CHECK_OK(memory_zalloc(&dU, u_size, sizeof *dU));
    CHECK_OK(memory_zalloc(&dV, v_size, sizeof *dV));
    for (int64_t p = 0; p < in->pairs; p++) {
        int64_t count = put_group(word, in, p);
        for (int64_t k = 1; k < count; k++) {
            const uint32_t alone[2] = {word[0], word[k]};
            float *U = copied(in->U, u_size), *V = copied(in->V, v_size);
            struct skipgram_pass pass = {U, V, in->d, 1, alone, 2, change};
            loss += loops->skipgram(&pass, true);
            add_difference(dU, in->U, U, u_size);
            add_difference(dV, in->V, V, v_size);
            memory_free(U);
            memory_free(V);
        }
    }
    CHECK(fabs(loss - theirs) <= g->tolerance * fabs(theirs));
    golden_compare(g, "grad.", "U", dU);
    golden_compare(g, "grad.", in->V_name, dV);
    memory_free(dU);
    memory_free(dV);
}

static void check_loops(const struct golden *g, const struct given *in)
{
    const struct loops *best = loops_choose(), *tables[3] = {&loops_generic, NULL, NULL};
    int count = 1;
    CHECK(in->width + 2 <= TERMS_MAX && in->d <= COLS_MAX);
#ifdef __x86_64__
    if (best != &loops_generic)
        tables[count++] = &loops_avx2;
#endif
    if (best != tables[count - 1])
        tables[count++] = best;
    for (int i = 0; i < count; i++) {
        printf("%s: loops for %s\n", g->name, tables[i]->name);
        check_pass(g, in, tables[i], (float)golden_scalar(g, "alpha"));
        check_gradient(g, in, tables[i]);
    }
}

static void read_given(struct given *in, const struct golden *g, const char *V_name)
{
    char name[GOLDEN_NAME];
    int64_t u_size, v_size;
    snprintf(name, sizeof name, "param.%s", V_name);
    *in = (struct given){.V_name = V_name, .d = golden_cols(g, "param.U")};
    in->U = golden_floats(g, "param.U", &u_size);
    in->V = golden_floats(g, name, &v_size);
    in->pair = golden_ints(g, "pairs", &in->pairs);
    in->pairs /= 2;
    in->inputs = u_size / in->d;
    in->outputs = v_size / in->d;
}

static void free_given(struct given *in)
{
    memory_free(in->U);
    memory_free(in->V);
    memory_free(in->pair);
    memory_free(in->negatives);
    memory_free(in->point);
    memory_free(in->code);
}

static int64_t *read_counts(const struct golden *g, int64_t *nodes)
{
    int64_t *count = NULL;
    int32_t *given = golden_ints(g, "count", nodes);
    CHECK_OK(memory_alloc(&count, *nodes, sizeof *count));
    for (int64_t i = 0; i < *nodes; i++)
        count[i] = given[i];
    memory_free(given);
    return count;
}

/* Every number of 2^16 evenly spaced ones, and the share of each node in them. */
static void check_noise(const struct golden *g)
{
    struct array probability = golden_member(g, "noise");
    int64_t nodes, *count = read_counts(g, &nodes), *drawn = NULL;
    struct noise noise;
    CHECK_OK(noise_init(&noise, count, nodes));
    CHECK_OK(memory_zalloc(&drawn, nodes, sizeof *drawn));
    for (uint32_t number = 0; number < 1u << 16; number++)
        drawn[noise_node(&noise, number << 16)]++;
    for (int64_t i = 0; i < nodes; i++)
        CHECK(fabs((double)drawn[i] * 0x1p-16 - ((const double *)probability.data)[i]) <= 0x1p-15);
    memory_free(drawn);
    memory_free(count);
    noise_clear(&noise);
    array_clear(&probability);
}

static void check_tree(const struct golden *g, const struct given *in)
{
    int64_t nodes, *count = read_counts(g, &nodes);
    struct huffman tree;
    CHECK_OK(huffman_init(&tree, count, nodes));
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t k = 0; k < in->width; k++) {
            int64_t at = tree.start[i] + k;
            bool there = at < tree.start[i + 1];
            CHECK((there ? (int32_t)(tree.path[at] >> 1) : -1) == in->point[i * in->width + k]);
            CHECK((there ? (int32_t)(tree.path[at] & 1) : -1) == in->code[i * in->width + k]);
        }
    memory_free(count);
    huffman_clear(&tree);
}

static void check_negative(const struct golden *g)
{
    struct given in;
    if (g->backend != &backend_cpu) /* it has no other */
        return;
    read_given(&in, g, "V");
    in.negatives = golden_ints(g, "negatives", NULL);
    in.width = golden_cols(g, "negatives");
    check_noise(g);
    check_loops(g, &in);
    free_given(&in);
}

static void check_hierarchical(const struct golden *g)
{
    struct given in;
    if (g->backend != &backend_cpu)
        return;
    read_given(&in, g, "T");
    in.point = golden_ints(g, "point", NULL);
    in.code = golden_ints(g, "code", NULL);
    in.width = golden_cols(g, "point");
    check_tree(g, &in);
    check_loops(g, &in);
    free_given(&in);
}

int main(void)
{
    golden_each("skipgram_negative", check_negative);
    golden_each("skipgram_hierarchical", check_hierarchical);
    return check_result();
}
