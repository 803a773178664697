/* The model: a method's configuration and parameters. It knows neither a graph nor a device. */
#ifndef LAYERS_MODEL_H
#define LAYERS_MODEL_H

#include "graco_more.h"
#include "config/config.h"
#include "layers/parameters.h"
#include "layers/parts.h"

#include <stdbool.h>

struct features;
struct method;
struct layer_kind;

/* What the steps of an epoch came to so far. */
struct epoch_sums {
    int64_t steps;  /* 0: the model stands between two epochs, and the rest is 0 too */
    int64_t weight; /* of these steps; schedule_weight at the epoch's end */
    double loss, mutual_information; /* shares in the epoch's means */
    int64_t floored;
    double seconds;
};

/* What a model is made for. */
struct model_sizes {
    int64_t cols;     /* features of a node; 0: the method reads none */
    int64_t nodes;    /* of its one graph; 0: any graph will do */
    int64_t classes;  /* of labels; 0: the method reads none */
    bool multi_label; /* a node may have several classes */
};

struct graco_model {
    const struct method *method;
    const struct layer_kind *kind; /* of the encoder's layers */
    struct graco_config config;
    struct model_sizes sizes;
    int64_t inner;          /* columns that every layer but the last gives */
    int64_t width;          /* columns that the last one gives */
    int64_t columns;        /* of the embeddings: of the joined parts, or the same */
    bool linear_end;        /* the last layer ends with its bias, without an activation */
    int64_t epoch;          /* epochs trained so far */
    int64_t step;           /* steps of the optimiser so far: the random counter */
    struct epoch_sums sums; /* of the epoch under way */
    double lr;              /* now: halved where `halve` says so */
    int64_t halved;         /* the epoch of the last halving, 0: none */
    /* The epoch of the lowest cost, 0: none yet; parameters.best has what it found. */
    struct {
        int64_t epoch;
        double cost;
    } best;
    char fingerprint[GRACO_FINGERPRINT]; /* of the data that it was trained on; "": not known */
    char *names; /* (names_bytes) of a table's rows, see run/table_names.h; NULL: not known */
    int64_t names_bytes;
    /* (classes) of a supervised method, in one block behind the first; NULL: numbers. */
    char **class_names;
    int64_t class_bytes; /* of that block */
    char *
        preparation; /* how features came from columns, data/preparation.h as JSON; NULL: they are no table's */
    struct features *made; /* those that its training made of the graph; NULL: none were kept */
    struct parameters parameters;
    struct parts parts; /* found when a training ends */
};

/* The parameters that a training came to, on the host: the best ones where it kept them. */
static inline const float *model_result(const struct graco_model *model)
{
    return model->best.epoch > 0 ? model->parameters.best : model->parameters.value;
}

#endif
