/* Parameters: values, gradients and Adam's two moments as flat blocks with named views. */
#ifndef LAYERS_PARAMETERS_H
#define LAYERS_PARAMETERS_H

#include "base/status.h"

#include <stdbool.h>

enum { PARAMETERS_MAX = 128, PARAMETER_NAME = 24 };

/* How a tensor begins. */
enum parameter_start {
    START_ZERO,
    START_GLOROT,   /* uniform in +-sqrt(6 / (rows + cols)) (Glorot and Bengio, 2010) */
    START_BILINEAR, /* the same with rows * cols in place of rows, as PyTorch's Bilinear begins */
    START_QUARTER,  /* 1/4, the slope of PReLU */
    START_TABLE,    /* uniform in +-1 / (2 cols), word2vec's vectors */
    START_GATES, /* an LSTM's bias, columns i, f, g, o: 1 for f, which keeps its cells at first */
};

struct parameter {
    char name[PARAMETER_NAME];
    int64_t rows, cols, offset;
    enum parameter_start start;
    bool undecayed; /* weight decay leaves it alone */
};

struct parameters {
    int count;
    struct parameter list[PARAMETERS_MAX];
    int64_t total; /* floats of one block, padding included */
    bool plain;    /* values alone: the method has an optimiser of its own */
    bool keeps;    /* there is a block for the best values that a training met */
    float *value, *grad, *m, *v;
    float *best; /* NULL unless keeps */
};

/* Declares a tensor, named `name` and, unless it is 0, `number`, before the blocks exist; each starts
 * at a multiple of 16 floats. */
void parameters_declare(struct parameters *p, const char *name, int64_t number, int64_t rows,
                        int64_t cols, enum parameter_start start);

/* Exempts a declared tensor from weight decay, as PyTorch's parameter groups do. */
void parameters_exempt(struct parameters *p, const char *name, int64_t number);

/* Allocates the blocks, which the struct owns: values as declared, drawn under the seed; the rest
 * zeros. */
graco_status parameters_allocate(struct parameters *p, uint64_t seed);
void parameters_clear(struct parameters *p);

/* The tensor of that name and number (0: none), which was declared. */
const struct parameter *parameters_find(const struct parameters *p, const char *name,
                                        int64_t number);

/* The name of the tensor that holds float `at` of a block; padding counts to the one before. */
const char *parameters_name_at(const struct parameters *p, int64_t at);

/* GRACO_ERROR_NUMBER, with the tensor's name, if a value, a best one or one of Adam's moments is not
 * finite. */
graco_status parameters_check(const struct parameters *p);

#endif
