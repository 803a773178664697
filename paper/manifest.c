/* The paper as data: every table and figure, its cells, what it printed, what it claims, and what
 * --quick does instead. cells.h says what each field means.
 *
 * In a row P(mean, deviation) and V(mean) are as printed, OURS is a cell that the paper does not have, and no cell
 * is where nothing stands. */
#include "cells.h"

#include <math.h>

#define P(mean, deviation)                                                                         \
    {                                                                                              \
        mean, deviation, true                                                                      \
    }
#define V(mean) P(mean, NAN)
#define OURS V(NAN)

const struct set manifest_sets[SETS] = {
    {"cora",
     "Cora",
     20,
     {"2,708", "5,429", "1,433", "7"},
     "the paper counts the links that the files list, repeats included: 2 x 5,429 entries less 302 "
     "repeats are our 10,556",
     {"0.3", "0.4", "0.2", "0.4", "0.005 (text: 0.0005)", "1e-5", "200", "128", "relu"}},
    {"citeseer",
     "Citeseer",
     20,
     {"3,327", "4,732", "3,703", "6"},
     "the paper counts the links that the files list: 2 x 4,732 entries less 248 self-loops and "
     "112 repeats are our 9,104",
     {"0.3", "0.2", "0.2", "0.0", "0.001", "1e-5", "200", "256", "prelu"}},
    {"pubmed",
     "Pubmed",
     20,
     {"19,717", "44,338", "500", "3"},
     "the paper counts the links that the files list: 2 x 44,338 entries less 6 self-loops and 22 "
     "repeats are our 88,648",
     {"0.0", "0.2", "0.4", "0.1", "0.001", "1e-5", "1500", "256", "relu"}},
    {"dblp",
     "DBLP",
     20,
     {"17,716", "105,734", "1,639", "4"},
     "the paper counts both directions here, as we do",
     {"0.1", "0.0", "0.1", "0.4", "0.001", "1e-5", "1000", "256", "relu"}},
    {"reddit",
     "Reddit",
     1,
     {"231,443", "11,606,919", "602", "41"},
     "the archive that the paper links to has 232,965 nodes and 114,615,892 directed edges; where "
     "the paper's smaller counts come from is not known",
     {"0.3", "0.2", "0.1", "0.2", "0.00001", "1e-5", "40", "512", "elu"}},
    {"ppi",
     "PPI",
     5,
     {"56,944", "818,716", "50", "121"},
     "the paper counts each link once and 25,084 self-loops: 1,587,264 / 2 + 25,084",
     {"0.1", "0.0", "0.3", "0.4", "0.001", "1e-5", "500 (text: 200)", "512", "rrelu"}},
};

static const struct row transductive[] = {
    {"Raw features", "features", "", .paper = {V(64.8), V(64.6), V(84.8), V(71.6)}},
    {"node2vec", "node2vec", "", .paper = {V(74.8), V(52.3), V(80.3), V(78.8)}},
    {"DeepWalk", "deepwalk", "", .paper = {V(75.7), V(50.5), V(80.5), V(75.9)}},
    {"DeepWalk + features", "deepwalk", "", .paper = {V(73.1), V(47.6), V(83.7), V(78.1)},
     FEATURES},
    {"GAE", "gae", "", .paper = {V(76.9), V(60.6), V(82.9), V(81.2)}},
    {"VGAE", "vgae", "", .paper = {V(78.9), V(61.2), V(83.0), V(81.7)}},
    {"DGI", "dgi", "", .paper = {P(82.6, 0.4), P(68.8, 0.7), P(86.0, 0.1), P(83.2, 0.1)}},
    {"GRACE", "grace", "", .paper = {P(83.3, 0.4), P(72.1, 0.5), P(86.7, 0.1), P(84.2, 0.1)}},
    {"GRACE, rate 0.005", "grace", "lr=0.005", .paper = {P(83.3, 0.4)}},
    {"SGC (supervised)", "sgc", "", .paper = {V(80.6), V(69.1), V(84.8), V(81.7)}},
    {"GCN (supervised)", "gcn", "", .paper = {V(82.8), V(72.0), V(84.9), V(82.7)}},
    {0},
};

static const struct row inductive[] = {
    {"Raw features", "features", "", .paper = {[REDDIT] = V(58.5), [PPI] = V(42.2)}},
    {"DeepWalk", "deepwalk", "", .paper = {[REDDIT] = V(32.4)}},
    {"DeepWalk + features", "deepwalk", "", .paper = {[REDDIT] = V(69.1)}, FEATURES},
    {"GraphSAGE-GCN", "sage_gcn", "", .paper = {[REDDIT] = V(90.8), [PPI] = V(46.5)}},
    {"GraphSAGE-mean", "sage_mean", "", .paper = {[REDDIT] = V(89.7), [PPI] = V(48.6)}},
    {"GraphSAGE-LSTM", "sage_lstm", "", .paper = {[REDDIT] = V(90.7), [PPI] = V(48.2)}},
    {"GraphSAGE-pool", "sage_pool", "", .paper = {[REDDIT] = V(89.2), [PPI] = V(50.2)}},
    {"DGI", "dgi", "", .paper = {[REDDIT] = P(94.0, 0.1), [PPI] = P(63.8, 0.2)}},
    {"GRACE", "grace", "", .paper = {[REDDIT] = P(94.2, 0.0), [PPI] = P(66.2, 0.1)}},
    {"GRACE, four test graphs", "grace", "", .paper = {[PPI] = P(66.2, 0.1)}, FOUR},
    {"GRACE, 500 epochs", "grace", "epochs=500", .paper = {[PPI] = P(66.2, 0.1)}},
    {"GRACE, 500 epochs, four test graphs", "grace", "epochs=500", .paper = {[PPI] = P(66.2, 0.1)},
     FOUR},
    {"FastGCN (supervised)", "fastgcn", "", .paper = {[REDDIT] = V(93.7)}},
    {"GaAN-mean (supervised)", "gaan_mean", "",
     .paper = {[REDDIT] = P(95.8, 0.1), [PPI] = P(96.9, 0.2)}},
    {0},
};

static const struct row ablation[] = {
    {"GRACE", "grace", "", .paper = {P(83.2, 0.5), P(72.1, 0.5), P(86.7, 0.1), P(84.2, 0.1)}},
    {"GRACE (-RE)", "grace", "drop_edge_1=0 drop_edge_2=0",
     .paper = {P(82.3, 0.4), P(72.0, 0.4), P(84.8, 0.2), P(83.6, 0.2)}},
    {"GRACE (-MF)", "grace", "drop_feature_1=0 drop_feature_2=0",
     .paper = {P(81.6, 0.4), P(69.9, 0.6), P(85.7, 0.1), P(83.5, 0.1)}},
    {0},
};

static const struct row infonce[] = {
    {"GRACE", "grace", "", .paper = {P(83.2, 0.5), P(72.1, 0.5), P(86.7, 0.1), P(84.2, 0.1)}},
    {"GRACE-NCE", "grace", "objective=infonce",
     .paper = {P(82.1, 0.4), P(70.9, 0.6), P(85.0, 0.1), P(82.1, 0.1)}},
    {"GRACE-NCE, tau = 1", "grace", "objective=infonce tau=1",
     .paper = {P(82.1, 0.4), P(70.9, 0.6), P(85.0, 0.1), P(82.1, 0.1)}},
    {0},
};

static const struct row theorems[] = {
    {"log N", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "log_n"},
    {"J + log N", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "J_plus_log_n"},
    {"I_NCE", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "i_nce"},
    {"gap of Theorem 1", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "gap"},
    {"-l", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "minus_l"},
    {"step 2: S", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "step_2"},
    {"step 3: 2N - 2 + sum x", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "step_3"},
    {"expansion at 2N - 1", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "expansion"},
    {"its remainder", "grace", "", .paper = {OURS, OURS, OURS, OURS}, .value = "remainder"},
    {"bound of the remainder", "grace", "", .paper = {OURS, OURS, OURS, OURS},
     .value = "remainder_bound"},
    {0},
};

static const struct sweep sensitivity = {.set = CITESEER,
                                         .lines = {{"GRACE", "grace"}},
                                         .x = "drop_edge_1 drop_feature_1",
                                         .y = "drop_edge_2 drop_feature_2",
                                         .x_label = "p1",
                                         .y_label = "p2",
                                         .ticks = 9,
                                         .first = 1};
static const struct sweep robustness = {.set = CITATION_SETS,
                                        .lines = {{"GRACE", "grace"}, {"DGI", "dgi"}},
                                        .x = "contaminate",
                                        .x_label = "contamination",
                                        .ticks = 5,
                                        .first = 5};

const struct item manifest_items[] = {
    {"datasets", 1, "Data sets", .about = "What the readers find, beside the paper's table."},
    {"hyperparameters", 1, "Hyperparameters of GRACE",
     .about = "graco's presets beside the paper's table. The paper does not print tau."},
    {"transductive", 20, "Node classification, transductive",
     "Accuracy in percent on random splits of 10/10/80, the same ones for all methods. Supervised "
     "methods train a model for each split.",
     .rows = transductive},
    {"inductive", 20, "Node classification, inductive",
     "Micro-F1 in percent on the data set's own split. PPI is tested on its two test graphs, and "
     "on four, its two validation graphs among them: a pair of graphs is then tested with the C "
     "that the other pair chose. DeepWalk walks on the whole graph of Reddit.",
     .rows = inductive},
    {"ablation", 5, "Ablation: one way to corrupt the graph left out",
     "As the transductive table; RE removes edges, MF masks features.", .rows = ablation},
    {"infonce", 5, "GRACE with the InfoNCE objective",
     "As the transductive table. The paper writes InfoNCE without a temperature: both readings.",
     .rows = infonce},
    {"sensitivity", 5, "Sensitivity to the probabilities of corruption, Citeseer",
     "Accuracy in percent; p1 is the share of edges removed and of features masked in the first "
     "view, p2 in the second.",
     .sweep = &sensitivity},
    {"robustness", 5, "Robustness to sparse features",
     "Accuracy in percent with a share of the entries of X zeroed before the training.",
     .sweep = &robustness},
    {"theorems", 5, "Theorems 1 and 2 on trained models",
     "Theorem 1, in nats, of the last epoch's two views: J + log N is at most the InfoNCE "
     "estimate; the gap is what negatives within a view add. Theorem 2, means over anchors of two "
     "views after the training, with the trained projector and unit rows: -l = log(1 + S), S the "
     "sum of exp(x) over the 2N - 2 negatives. The paper replaces it by S (step 2) and that by 2N "
     "- 2 + sum x (step 3), which is a triplet loss; both steps hold where the numbers are near "
     "-l. The expansion at 2N - 1 has the same triplet loss in it and a remainder that is bounded.",
     .rows = theorems},
    {0},
};

const struct quick manifest_quick[] = {
    {"sensitivity", "", "grace", "epochs=30 objective=moment"},
    {"robustness", "", "grace", "epochs=30 objective=moment"},
    {"robustness", "", "dgi", "epochs=50"},
    {"", "cora", "grace", "epochs=100"},
    {"", "citeseer", "grace", "epochs=60"},
    {"", "", "grace", "epochs=60 objective=moment"},
    {"", "", "dgi", "epochs=100"},
    {"", "pubmed", "gae", "objective=sampled"},
    {"", "dblp", "gae", "objective=sampled"},
    {"", "pubmed", "vgae", "objective=sampled"},
    {"", "dblp", "vgae", "objective=sampled"},
    {"", "pubmed", "deepwalk", "epochs=1 walks=4"},
    {"", "dblp", "deepwalk", "epochs=1 walks=4"},
    {"", "", "deepwalk", "epochs=1"},
    {"", "pubmed", "node2vec", "walks=2"},
    {"", "dblp", "node2vec", "walks=2"},
    {"", "", "", ""},
};

const struct claim manifest_claims[] = {
    {"GRACE scores above DGI", "transductive", .other = "DGI"},
    {"GRACE scores above DGI on graphs never seen", "inductive", .other = "DGI"},
    {"GRACE scores above every other method without labels: VGAE", "transductive", .other = "VGAE"},
    {"GRACE scores above every other method without labels: GAE", "transductive", .other = "GAE"},
    {"GRACE scores above DeepWalk with features", "transductive", .other = "DeepWalk + features"},
    {"GRACE scores above supervised GCN", "transductive", .other = "GCN (supervised)"},
    {"GRACE scores above SGC", "transductive", .other = "SGC (supervised)"},
    {"Removing edges helps", "ablation", .other = "GRACE (-RE)"},
    {"Masking features helps", "ablation", .other = "GRACE (-MF)"},
    {"GRACE scores above itself with InfoNCE", "infonce", .other = "GRACE-NCE"},
    {"GRACE scores above itself with InfoNCE, tau = 1", "infonce", .other = "GRACE-NCE, tau = 1"},
    {"GRACE scores above DGI with 50 % of the features zeroed", "robustness", .other = "DGI",
     .at = 1, .other_at = 1},
    {"GRACE scores above DGI with 60 % of the features zeroed", "robustness", .other = "DGI",
     .at = 2, .other_at = 2},
    {"GRACE scores above DGI with 70 % of the features zeroed", "robustness", .other = "DGI",
     .at = 3, .other_at = 3},
    {"GRACE scores above DGI with 80 % of the features zeroed", "robustness", .other = "DGI",
     .at = 4, .other_at = 4},
    {"GRACE scores above DGI with 90 % of the features zeroed", "robustness", .other = "DGI",
     .at = 5, .other_at = 5},
    {"GRACE is stable over the probabilities: 0.3 and 0.5 score the same", "sensitivity",
     .other = "GRACE", .at = 3, .other_at = 5, .equal = true},
    {"Corrupting too much hurts: p1 = p2 = 0.3 scores above 0.9", "sensitivity", .other = "GRACE",
     .at = 3, .other_at = 9},
    {0},
};

const struct explanation manifest_explanations[] = {
    {"citeseer features", "Nothing is trained here: splits and the classifier differ. Its C is "
                          "chosen on the validation part."},
    {"dblp features", "See Citeseer."},
    {"ppi features", "See Citeseer of the transductive table."},
    {"cora node2vec", "The paper prints no settings of the walks; ours are in docs/methods.md."},
    {"citeseer node2vec", "See Cora."},
    {"dblp node2vec", "See Cora."},
    {"cora deepwalk", "The paper prints no settings of the walks; ours are in docs/methods.md. An "
                      "independent program with the same ones gave 74.5."},
    {"pubmed deepwalk",
     "The paper prints no settings of the walks; ours are in docs/methods.md. Tried on Pubmed, one "
     "seed each: window 10 79.8, walks of 80 nodes 79.1, one epoch 77.7."},
    {"dblp deepwalk", "The paper prints no settings of the walks; ours are in docs/methods.md; "
                      "nothing else was tried here."},
    {"cora deepwalk +features",
     "Both halves are scaled to length one, so that neither drowns the other; the paper's figures "
     "lie below its own DeepWalk, as if its halves were scaled badly. An independent program gave "
     "78.6, and 74.4 with features scaled to sum 1."},
    {"citeseer deepwalk +features", "See Cora: 63.5, and 51.1 with features scaled to sum 1."},
    {"pubmed deepwalk +features", "See Cora."},
    {"dblp deepwalk +features", "See Cora, and DeepWalk's own row."},
    {"citeseer gae", "The authors' settings. Tried on Cora alone, one seed each: rows scaled to "
                     "sum 1 78.9, sampled negatives 77.1, 256 and 128 columns 77.2."},
    {"pubmed gae", "The authors' settings, as on Citeseer; nothing else was tried here."},
    {"dblp gae", "The authors' settings, as on Citeseer; nothing else was tried here."},
    {"pubmed vgae", "Tried on Pubmed, two seeds each: 400 epochs 81.9, 32 columns 82.2, sampled "
                    "pairs 80.5, rows scaled to sum 1 76.8, a rate of 0.003 75.1."},
    {"cora dgi", "Under this probe DGI with its authors' settings (512 columns) scores above the "
                 "figure that the paper prints for it; an independent program gave 83.9."},
    {"citeseer dgi", "An independent program gave 73.1 with the same probe and splits."},
    {"ppi dgi",
     "The paper quotes DGI's authors. Tried, one seed each, by the score of validation: other "
     "rates, epochs, dropout, depth and activations; none gained more than 0.1 (docs/methods.md)."},
    {"citeseer grace", "The best rerun of the authors' program that is known to us has 71.6."},
    {"pubmed grace", "The best rerun of the authors' program that is known to us has 86.1."},
    {"cora grace drop_edge_1=0 drop_edge_2=0", "The paper's loss is found, and is larger here."},
    {"citeseer grace drop_edge_1=0 drop_edge_2=0",
     "The paper finds no loss on Citeseer without removing edges; here there is a small one."},
    {"cora grace drop_feature_1=0 drop_feature_2=0",
     "The paper's loss is found, and is larger here."},
    {"pubmed grace drop_feature_1=0 drop_feature_2=0",
     "On Pubmed masking features hurts here, over every seed; nothing else was tried."},
    {"cora sgc", "The regression is the probe's: C chosen on validation, rows of length one. Adam "
                 "with the authors' settings gave 82.0."},
    {"citeseer sgc", "See Cora."},
    {"pubmed sgc", "See Cora."},
    {"dblp sgc", "See Cora."},
    {"cora gcn", "The authors' settings, a model for each split, stopped on its validation part. "
                 "On the public split it scores 81.1, where its authors have 81.5."},
    {"pubmed gcn",
     "See Cora; random splits train on 33 times as many nodes here as the public one."},
    {"ppi sage_gcn",
     "Embeddings are computed over all neighbours. Over a sample, as the authors embed, sage_mean "
     "scores 51.1; an encoder with its first weights scores as much as a trained one."},
    {"ppi sage_mean", "See GraphSAGE-GCN."},
    {"ppi sage_pool", "See GraphSAGE-GCN."},
    {"ppi grace", "On four test graphs, whose nodes are as many as the paper's table counts, the "
                  "score is the paper's: see below."},
    {"ppi grace epochs=500", "See GRACE, and on four test graphs below."},
    {"cora grace objective=infonce",
     "The temperature is kept in InfoNCE, as in the paper's proof of Theorem 1; the literal form "
     "is the row below. Neither loses against GRACE here."},
    {"cora grace objective=infonce tau=1",
     "See the row above: the paper's loss by InfoNCE is not found."},
    {"citeseer grace objective=infonce", "See Cora."},
    {"citeseer grace objective=infonce tau=1", "See Cora."},
    {"pubmed grace objective=infonce", "See Cora."},
    {"pubmed grace objective=infonce tau=1", "See Cora."},
    {"dblp grace objective=infonce", "See Cora."},
    {"dblp grace objective=infonce tau=1", "See Cora."},
    {0},
};
