#ifndef SPARSE_CSR_H
#define SPARSE_CSR_H

#include <stdint.h>

/* A matrix in compressed rows. Whoever says so owns the arrays. */
struct csr {
    int64_t rows, cols;
    int64_t *start; /* (rows + 1) where a row's entries begin */
    int32_t *index; /* (start[rows]) column of each entry, ascending within a row */
    float *value;   /* (start[rows]), or NULL: ones */
};

#endif
