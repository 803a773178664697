/* The presets: hyperparameters of the paper and its authors' program, where the two differ the
 * program's; docs/math.md lists where. */
#include "graco.h"

#include <string.h>

struct preset {
    const char *name;
    graco_features features;
    graco_activation activation;
    int64_t hidden, epochs;
    double drop_edge[2], drop_feature[2], tau, lr;
};

static const struct preset PRESETS[] = {
    {"cora",
     GRACO_FEATURES_ROWSUM,
     GRACO_ACTIVATION_RELU,
     128,
     200,
     {0.2, 0.4},
     {0.3, 0.4},
     0.4,
     0.0005},
    {"citeseer",
     GRACO_FEATURES_ROWSUM,
     GRACO_ACTIVATION_PRELU,
     256,
     200,
     {0.2, 0.0},
     {0.3, 0.2},
     0.9,
     0.001},
    {"pubmed",
     GRACO_FEATURES_ROWSUM,
     GRACO_ACTIVATION_RELU,
     256,
     1500,
     {0.4, 0.1},
     {0.0, 0.2},
     0.7,
     0.001},
    {"dblp",
     GRACO_FEATURES_BINARY_ROWSUM,
     GRACO_ACTIVATION_RELU,
     256,
     1000,
     {0.1, 0.4},
     {0.1, 0.0},
     0.7,
     0.001},
};

static const struct preset GENERAL = {
    NULL, GRACO_FEATURES_NONE, GRACO_ACTIVATION_RELU, 256, 500, {0.2, 0.4}, {0.1, 0.2}, 0.5, 0.001};

bool graco_config_preset(graco_config *config, const char *name)
{
    const struct preset *preset = &GENERAL;
    for (size_t i = 0; name && i < sizeof PRESETS / sizeof *PRESETS; i++)
        if (strcmp(PRESETS[i].name, name) == 0)
            preset = &PRESETS[i];
    *config = (graco_config){
        .encoder = GRACO_ENCODER_GCN,
        .features = preset->features,
        .activation = preset->activation,
        .objective = GRACO_OBJECTIVE_EXACT,
        .hidden = preset->hidden,
        .layers = 2,
        .drop_edge_1 = preset->drop_edge[0],
        .drop_edge_2 = preset->drop_edge[1],
        .drop_feature_1 = preset->drop_feature[0],
        .drop_feature_2 = preset->drop_feature[1],
        .tau = preset->tau,
        .lr = preset->lr,
        .weight_decay = 1e-5,
        .epochs = preset->epochs,
        .correction = 256,
        .checkpoint_every = 20,
        .memory = (int64_t)1 << 30,
    };
    return preset != &GENERAL;
}
