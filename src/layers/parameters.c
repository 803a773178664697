/* The parameters of a model in flat blocks.
 *
 * Optimiser, checkpoint and device see one block of floats each; a layer asks for its tensor by name.
 * A tensor's first values are a function of the seed and of its place in the list, so methods declare
 * in a fixed order. */
#include "layers/parameters.h"

#include "base/memory.h"
#include "base/finite.h"
#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void full_name(char text[PARAMETER_NAME], const char *name, int64_t number)
{
    snprintf(text, PARAMETER_NAME, number ? "%s%d" : "%s", name, (int)number);
}

void parameters_declare(struct parameters *p, const char *name, int64_t number, int64_t rows,
                        int64_t cols, enum parameter_start start)
{
    assert(p->count < PARAMETERS_MAX && !p->value);
    struct parameter *parameter = &p->list[p->count++];
    full_name(parameter->name, name, number);
    parameter->rows = rows;
    parameter->cols = cols;
    parameter->offset = p->total;
    parameter->start = start;
    p->total += (rows * cols + 15) / 16 * 16;
}

static void fill(struct parameters *p, int index, uint64_t seed)
{
    const struct parameter *t = &p->list[index];
    struct random_key key = {.seed = seed, .stream = RANDOM_WEIGHTS, .view = (uint32_t)index};
    double cells = (double)(t->rows * t->cols), bound = 0;
    if (t->start == START_GLOROT)
        bound = sqrt(6.0 / (double)(t->rows + t->cols));
    else if (t->start == START_BILINEAR)
        bound = sqrt(6.0 / (cells + (double)t->cols));
    else if (t->start == START_TABLE)
        bound = 0.5 / (double)t->cols;
    float *value = p->value + t->offset;
    for (int64_t i = 0; i < t->rows * t->cols && bound > 0; i++)
        value[i] = (float)(bound * (2 * (double)random_float(&key, (uint64_t)i) - 1));
    for (int64_t i = 0; i < t->rows * t->cols && t->start == START_QUARTER; i++)
        value[i] = 0.25f;
    for (int64_t i = t->cols / 4; i < t->cols / 2 && t->start == START_GATES; i++)
        value[i] = 1;
}

graco_status parameters_allocate(struct parameters *p, uint64_t seed)
{
    float **blocks[] = {&p->value, &p->grad, &p->m, &p->v};
    graco_status status = GRACO_OK;
    for (int i = 0; i < (p->plain ? 1 : 4); i++)
        TRY(memory_zalloc(blocks[i], p->total, sizeof(float)));
    if (p->keeps)
        TRY(memory_zalloc(&p->best, p->total, sizeof(float)));
    for (int i = 0; i < p->count; i++)
        fill(p, i, seed);
done:
    return status;
}

void parameters_clear(struct parameters *p)
{
    memory_free(p->value);
    memory_free(p->grad);
    memory_free(p->m);
    memory_free(p->v);
    memory_free(p->best);
    memset(p, 0, sizeof *p);
}

static int index_of(const struct parameters *p, const char *name, int64_t number)
{
    char full[PARAMETER_NAME];
    full_name(full, name, number);
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, full) == 0)
            return i;
    assert(!"the parameter was declared");
    return 0;
}

const struct parameter *parameters_find(const struct parameters *p, const char *name,
                                        int64_t number)
{
    return &p->list[index_of(p, name, number)];
}

void parameters_exempt(struct parameters *p, const char *name, int64_t number)
{
    p->list[index_of(p, name, number)].undecayed = true;
}

const char *parameters_name_at(const struct parameters *p, int64_t at)
{
    int found = 0;
    for (int i = 1; i < p->count; i++)
        if (p->list[i].offset <= at)
            found = i;
    return p->list[found].name;
}

graco_status parameters_check(const struct parameters *p)
{
    const struct {
        const char *what;
        const float *block;
    } blocks[] = {{"a value of", p->value},
                  {"Adam's mean of", p->m},
                  {"Adam's square of", p->v},
                  {"the best value of", p->best}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        int64_t at = blocks[i].block ? not_finite_first(blocks[i].block, p->total) : -1;
        if (at >= 0)
            return status_fail(GRACO_ERROR_NUMBER, "%s %s is not finite", blocks[i].what,
                               parameters_name_at(p, at));
    }
    return GRACO_OK;
}
