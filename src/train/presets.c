/* The presets: hyperparameters of the paper and its authors' program, where the two differ the
 * program's; docs/math.md lists where. */
#include "graco.h"

#include <string.h>

struct preset {
    const char *name;
    graco_encoder encoder;
    graco_features features;
    graco_activation activation;
    int64_t hidden, epochs;
    double drop_edge[2], drop_feature[2], tau, lr;
    int64_t batch;
    bool inductive;
};

static const struct preset PRESETS[] = {
    {.name = "cora",
     .features = GRACO_FEATURES_ROWSUM,
     .activation = GRACO_ACTIVATION_RELU,
     .hidden = 128,
     .epochs = 200,
     .drop_edge = {0.2, 0.4},
     .drop_feature = {0.3, 0.4},
     .tau = 0.4,
     .lr = 0.0005},
    {.name = "citeseer",
     .features = GRACO_FEATURES_ROWSUM,
     .activation = GRACO_ACTIVATION_PRELU,
     .hidden = 256,
     .epochs = 200,
     .drop_edge = {0.2, 0.0},
     .drop_feature = {0.3, 0.2},
     .tau = 0.9,
     .lr = 0.001},
    {.name = "pubmed",
     .features = GRACO_FEATURES_ROWSUM,
     .activation = GRACO_ACTIVATION_RELU,
     .hidden = 256,
     .epochs = 1500,
     .drop_edge = {0.4, 0.1},
     .drop_feature = {0.0, 0.2},
     .tau = 0.7,
     .lr = 0.001},
    {.name = "dblp",
     .features = GRACO_FEATURES_BINARY_ROWSUM,
     .activation = GRACO_ACTIVATION_RELU,
     .hidden = 256,
     .epochs = 1000,
     .drop_edge = {0.1, 0.4},
     .drop_feature = {0.1, 0.0},
     .tau = 0.7,
     .lr = 0.001},
    {.name = "reddit",
     .encoder = GRACO_ENCODER_SAGE,
     .activation = GRACO_ACTIVATION_ELU,
     .hidden = 512,
     .epochs = 40,
     .drop_edge = {0.1, 0.2},
     .drop_feature = {0.3, 0.2},
     .tau = 0.5,
     .lr = 0.00001,
     .batch = 256,
     .inductive = true},
    {.name = "ppi",
     .encoder = GRACO_ENCODER_SAGE_SKIP,
     .activation = GRACO_ACTIVATION_RRELU,
     .hidden = 512,
     .epochs = 200,
     .drop_edge = {0.3, 0.4},
     .drop_feature = {0.1, 0.0},
     .tau = 0.5,
     .lr = 0.001,
     .inductive = true},
};

static const struct preset GENERAL = {.activation = GRACO_ACTIVATION_RELU,
                                      .hidden = 256,
                                      .epochs = 500,
                                      .drop_edge = {0.2, 0.4},
                                      .drop_feature = {0.1, 0.2},
                                      .tau = 0.5,
                                      .lr = 0.001};

bool graco_config_preset(graco_config *config, const char *name)
{
    const struct preset *preset = &GENERAL;
    for (size_t i = 0; name && i < sizeof PRESETS / sizeof *PRESETS; i++)
        if (strcmp(PRESETS[i].name, name) == 0)
            preset = &PRESETS[i];
    *config = (graco_config){
        .encoder = preset->encoder,
        .features = preset->features,
        .activation = preset->activation,
        .objective = GRACO_OBJECTIVE_EXACT,
        .hidden = preset->hidden,
        .layers = preset->encoder == GRACO_ENCODER_GCN ? 2 : 3,
        .drop_edge_1 = preset->drop_edge[0],
        .drop_edge_2 = preset->drop_edge[1],
        .drop_feature_1 = preset->drop_feature[0],
        .drop_feature_2 = preset->drop_feature[1],
        .tau = preset->tau,
        .lr = preset->lr,
        .weight_decay = 1e-5,
        .epochs = preset->epochs,
        .correction = 256,
        .batch = preset->batch,
        .inductive = preset->inductive,
        .checkpoint_every = 20,
        .precision = GRACO_PRECISION_FP16,
        .memory = (int64_t)1 << 30,
    };
    for (int hop = 0; hop < GRACO_LAYERS_MAX; hop++)
        config->fanout[hop] = hop == 0 ? 30 : hop == 1 ? 25 : 20;
    return preset != &GENERAL;
}
