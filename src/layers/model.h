/* The model: an encoder, whose output is the embedding, and a projector, used in training only.
 *
 *     gcn        H_k = act(D^-1/2 (A + I) D^-1/2 H_(k-1) W_k + b_k), H_0 = X; widths F, 2h, ...,
 * 2h, h sage       H_k = MP_k(H_(k-1)), H_0 = X; MP(X) = act([D^-1 (A + I) X ; X] W + b); width h
 *     sage_skip  H_1 = MP_1(X), H_k = MP_k(X S_(k-1) + H_1 + ... + H_(k-1)); width h
 *     projector  g(u) = elu(u P1 + c1) P2 + c2
 *
 * A model is its configuration and its parameters; it knows neither a graph nor a device. */
#ifndef LAYERS_MODEL_H
#define LAYERS_MODEL_H

#include "tape/tape.h"
#include "graph/view.h"
#include "layers/input.h"
#include "layers/parameters.h"

struct graco_model {
    graco_config config;
    int64_t features; /* columns of X */
    int64_t epoch;    /* epochs trained so far */
    int64_t step;     /* steps of the optimiser so far: the random counter */
    struct parameters parameters;
};

/* A new model with initial weights drawn from the configuration's seed. */
graco_status model_create(struct graco_model **out, const graco_config *config, int64_t features);

/* Declares the parameters that model->config and model->features ask for. */
void model_declare(struct graco_model *model);

/* What a forward pass needs besides the model. */
struct pass {
    struct tape *tape;
    struct input *input;
    const struct views *views[GRACO_LAYERS_MAX]; /* of each layer; the first one's masks count */
    float *value;                                /* the model's parameters on the device */
    float *grad;                                 /* their gradients, or NULL outside training */
    bool training;
    uint32_t step;                         /* keys what a pass draws itself */
    const float *slopes[GRACO_LAYERS_MAX]; /* given slopes of RReLU, or NULL to draw them */
};

/* Width of the output of layer k, 1 .. layers. */
int64_t model_width(const graco_config *config, int64_t k);

/* The number of the parameter `name` followed by `number` (0: none). */
int model_parameter(const struct graco_model *model, const char *name, int64_t number);

/* What dense products multiply. */
enum precision model_precision(const struct graco_model *model);

/* The normalisation of views that the encoder asks for. */
enum view_norm model_norm(const struct graco_model *model);

/* What activates layer k, 1 .. layers. */
struct activation model_activation(const struct graco_model *model, const struct pass *pass,
                                   int64_t k);

/* H, (views * nodes, hidden). */
struct tensor *model_encode(const struct graco_model *model, const struct pass *pass);

/* g(H), (views * nodes, hidden), unit rows. */
struct tensor *model_project(const struct graco_model *model, const struct pass *pass,
                             struct tensor *H);

#endif
