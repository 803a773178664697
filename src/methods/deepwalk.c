/* DeepWalk: uniform walks are sentences, and skip-gram with a hierarchical softmax learns a vector for
 * each node that predicts the nodes around it. Settings are those of docs/methods.md.   docs/math.md */
#include "methods/walk_table.h"

static const char *const KEYS[] = {"hidden", "lr", "walks", "length", "window", "negatives", NULL};

static const struct preset PRESETS[] = {
    {"cora", ""}, {"citeseer", ""}, {"pubmed", ""}, {"dblp", ""}, {NULL, NULL}};

const struct method method_deepwalk = {
    .name = "deepwalk",
    .help = "a table of vectors that predict nodes of the same uniform walk (DeepWalk)",
    .scale = "millions of nodes on the CPU; every node must be seen in training",
    .reference = "Perozzi, Al-Rfou and Skiena, DeepWalk, KDD 2014",
    .keys = KEYS,
    .general = "hidden=128 walks=10 length=40 window=5 epochs=5 negatives=0 lr=0.025 "
               "checkpoint_every=1",
    .presets = PRESETS,
    .needs = METHOD_PER_NODE,
    .falls = true,
    .declare = walk_table_declare,
    .prepare = walk_table_prepare,
    .release = walk_table_release,
    .steps = walk_table_steps,
    .step = walk_table_step,
    .outcome = walk_table_outcome,
    .embed = walk_table_embed,
};
