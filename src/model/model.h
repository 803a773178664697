/* The model: an encoder, whose output is the embedding, and a projector, used in training only.
 *
 *     gcn        H_k = act(D^-1/2 (A + I) D^-1/2 H_(k-1) W_k + b_k), H_0 = X; widths F, 2h, ...,
 * 2h, h projector  g(u) = elu(u P1 + c1) P2 + c2
 *
 * A model is its configuration and its parameters; it knows neither a graph nor a device. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "compute/tape.h"
#include "graph/view.h"
#include "model/input.h"
#include "model/parameters.h"

struct graco_model {
    graco_config config;
    int64_t features; /* columns of X */
    int64_t epoch;    /* epochs trained so far */
    struct parameters parameters;
};

/* A new model with initial weights drawn from the configuration's seed. */
graco_status model_create(struct graco_model **out, const graco_config *config, int64_t features);

/* Declares the parameters that a model's configuration and features ask for, without memory. */
void model_declare(struct graco_model *model);

/* What a forward pass needs besides the model. */
struct pass {
    struct tape *tape;
    struct input *input;
    const struct views *views;
    float *value; /* the model's parameters on the device */
    float *grad;  /* their gradients, or NULL outside training */
    bool training;
    uint32_t step;          /* keys what a pass draws itself */
    const float *slopes[3]; /* given slopes of RReLU by layer, or NULL to draw them */
};

/* The normalisation of views that the encoder asks for. */
enum view_norm model_norm(const struct graco_model *model);

/* H, (views * nodes, hidden). */
struct tensor *model_encode(const struct graco_model *model, const struct pass *pass);

/* g(H), (views * nodes, hidden), unit rows. Leaves H's value for others to read. */
struct tensor *model_project(const struct graco_model *model, const struct pass *pass,
                             struct tensor *H);

#endif
