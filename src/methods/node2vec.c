/* node2vec: walks that prefer to return (small p) or to leave (small q), and skip-gram with negative
 * samples on them. Settings are those of docs/methods.md.                               docs/math.md */
#include "methods/walk_table.h"

static const char *const KEYS[] = {"hidden",    "lr", "walks", "length", "window",
                                   "negatives", "p",  "q",     NULL};

static const struct preset PRESETS[] = {
    {"cora", ""}, {"citeseer", ""}, {"pubmed", ""}, {"dblp", ""}, {NULL, NULL}};

const struct method method_node2vec = {
    .name = "node2vec",
    .help = "a table of vectors that predict nodes of the same biased walk (node2vec)",
    .scale = "millions of nodes on the CPU; every node must be seen in training",
    .reference = "Grover and Leskovec, node2vec, KDD 2016",
    .keys = KEYS,
    .general = "hidden=128 walks=10 length=80 window=10 epochs=1 negatives=5 p=1 q=1 lr=0.025 "
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
