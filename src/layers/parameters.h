/* Parameters: values, gradients and Adam's two moments as four flat blocks with named views. */
#ifndef LAYERS_PARAMETERS_H
#define LAYERS_PARAMETERS_H

#include "base/status.h"

enum { PARAMETERS_MAX = 64, PARAMETER_NAME = 24 };

struct parameter {
    char name[PARAMETER_NAME];
    int64_t rows, cols, offset;
};

struct parameters {
    int count;
    struct parameter list[PARAMETERS_MAX];
    int64_t total; /* floats of one block, padding included */
    float *value, *grad, *m, *v;
};

/* Declares a tensor before the blocks exist; each starts at a multiple of 16 floats. Returns its
 * number. */
int parameters_declare(struct parameters *p, const char *name, int64_t rows, int64_t cols);

/* Allocates the four blocks, all zeros. The struct owns them. */
graco_status parameters_allocate(struct parameters *p);
void parameters_clear(struct parameters *p);

/* The number of the tensor of that name, or -1. */
int parameters_find(const struct parameters *p, const char *name);

/* The name of the tensor that holds float `at` of a block; padding counts to the one before. */
const char *parameters_name_at(const struct parameters *p, int64_t at);

/* GRACO_ERROR_NUMBER, with the tensor's name, if a value or one of Adam's moments is not finite. */
graco_status parameters_check(const struct parameters *p);

/* Fills tensor `index` uniformly in +-sqrt(6 / (rows + cols)) (Glorot and Bengio, 2010). */
void parameters_glorot(struct parameters *p, int index, uint64_t seed);

#endif
