/* What the layers of GaAN share with their tests. */
#ifndef METHODS_GAAN_H
#define METHODS_GAAN_H

#include "methods/supervised.h"

struct gaan_state {
    struct supervised labels;
    struct context *context;
    /* Each row as the only source of itself, for as many rows as the first layer gives; gated alone. */
    struct csr identity;
    struct segments itself[LAYERS_MAX + 1]; /* of each layer; on the device */
};

/* How wide a gated layer is inside. */
struct gaan_widths {
    int64_t heads, query, value, gate, out;
};

/* Declares the parameters of layer k (0: without numbers), which reads `in` columns. */
void gaan_declare_mean(struct parameters *p, int64_t k, int64_t in, int64_t inner, int64_t out);
void gaan_declare_gated(struct parameters *p, int64_t k, int64_t in,
                        const struct gaan_widths *widths);

/* What layer k gives for x (the rows that it reads, in): (the rows that it gives, out). Of the gated one,
 * *gate (rows, heads) may be NULL. */
struct tensor *gaan_layer_mean(struct pass *pass, int64_t k, struct tensor *x);
struct tensor *gaan_layer_gated(struct pass *pass, struct gaan_state *state, int64_t k,
                                struct tensor *x, struct tensor **gate);

/* Frees what gaan_layer_gated made for itself, and the rest. The struct is the caller's. */
void gaan_clear(struct gaan_state *state);

#endif
