/* The commands that meet every fault, each on a small tree of files: see command_faults.c. */
#ifndef GRACO_TEST_SCENARIOS_H
#define GRACO_TEST_SCENARIOS_H

#include <stddef.h>

struct scenario {
    const char *name;
    const char *prepare[6]; /* commands that make the tree, run in it */
    const char *command;
    const char *again; /* leads to the reference after a failure; NULL: the command itself */
    const char *only;  /* the kind of call that fails; NULL: every kind */
};

#define ON_CPU "--device cpu --threads 1"
#define LITTLE "--set hidden=4 --set projection=4 --set checkpoint_every=1 --device cpu -q"
#define SMALL LITTLE " --threads 1"
#define GRAPH "generate g.npz --nodes 40 --features 12 --classes 2 --degree 4"
/* Mini-batches, which other threads sample. */
#define BATCHES                                                                                    \
    LITTLE " --threads 2 --objective moment --set encoder=sage --set layers=2 --set batch=16 "     \
           "--set fanout=3,2 --set correction=8"
#define TRAINED "train g.npz -o run --epochs 1 " SMALL
#define SPLIT "--method gcn --splits 2 --epochs 1 --set hidden=4 --json -q --device cpu --threads 2"
#define SUPERVISED "train g.npz -o run --method gcn " SETTINGS_gcn

/* What makes a training of each method short: a method without such a line does not compile. */
#define SHORT ON_CPU " -q --epochs 1 --set hidden=4"
#define WALKS " --set walks=2 --set length=3"
#define SAGE SHORT WALKS " --set negatives=2 --set batch=16 --set fanout=3,2 --set steps=2"
#define GAAN SHORT " --set first=4 --set batch=2 --set fanout=3,2"
#define SETTINGS_grace SHORT " --objective infonce --set encoder=sage_skip"
#define SETTINGS_dgi SHORT
#define SETTINGS_gae SHORT " --set inner=4"
#define SETTINGS_vgae SHORT " --set inner=4 --set objective=sampled"
#define SETTINGS_deepwalk SHORT WALKS " --set window=2"
#define SETTINGS_node2vec SHORT WALKS " --set window=2 --set negatives=2 --set q=2"
#define SETTINGS_sage_gcn SAGE
#define SETTINGS_sage_mean SAGE
#define SETTINGS_sage_pool SAGE " --set units=4"
#define SETTINGS_sage_lstm SAGE " --set units=4"
#define SETTINGS_gcn SHORT
#define SETTINGS_sgc ON_CPU " -q"
#define SETTINGS_propagate ON_CPU " -q --set columns=2"
#define SETTINGS_fastgcn SHORT " --set rows=2 --set samples=8"
#define SETTINGS_gaan_mean GAAN " --set inner=4"
#define SETTINGS_gaan GAAN " --set heads=2 --set query=2 --set value=2 --set gate=2"

/* Nodes with names. */
#define TABLES "edges.csv --features features.csv --undirected"
#define NAMED "train " TABLES " -o run --epochs 1 " SMALL
#define EMBEDDED "embed run " TABLES " -o Z.npy --threads 1 --device cpu"

static const struct scenario scenarios[] = {
    {"train",
     {GRAPH},
     "train g.npz -o run --epochs 2 " SMALL,
     "train g.npz -o run --epochs 2 --resume " SMALL,
     NULL},
/* Methods differ in their memory alone: the files are the training's. */
#define METHOD(name)                                                                               \
    {#name,                                                                                        \
     {GRAPH},                                                                                      \
     "train g.npz -o run --method " #name " " SETTINGS_##name,                                     \
     "train g.npz -o run --method " #name " --resume " SETTINGS_##name,                            \
     "alloc"},
#include "methods/methods.def"
#undef METHOD
    {"splits", {GRAPH}, "train g.npz -o run " SPLIT, "train g.npz -o run --resume " SPLIT, NULL},
    {"predict", {GRAPH, SUPERVISED}, "predict run g.npz -o y.csv --all " ON_CPU, NULL, NULL},
    {"predict-probe", {GRAPH, TRAINED}, "predict run g.npz -o - --all " ON_CPU, NULL, NULL},
    {"train-names", {"@edges"}, NAMED, NAMED " --resume", NULL},
    {"resume", {GRAPH, TRAINED}, "train g.npz -o run --epochs 2 --resume " SMALL, NULL, NULL},
    {"batches",
     {GRAPH},
     "train g.npz -o run --epochs 2 " BATCHES,
     "train g.npz -o run --epochs 2 --resume " BATCHES,
     NULL},
    {"runs",
     {GRAPH},
     "train g.npz -o run --runs 2 --epochs 1 --json " SMALL,
     "train g.npz -o run --runs 2 --epochs 1 --json --resume " SMALL,
     NULL},
    {"watch", {GRAPH, TRAINED}, "watch run", NULL, NULL},
    {"embed",
     {GRAPH, TRAINED, "embed run g.npz -o Z.npy --threads 1 --device cpu",
      "generate g.npz --force --nodes 30 --features 12 --classes 2 --degree 4"},
     "embed run g.npz -o Z.npy --threads 1 --device cpu",
     NULL,
     NULL},
    {"embed-names", {"@edges", NAMED, EMBEDDED}, EMBEDDED, NULL, NULL},
    {"export",
     {"@edges", NAMED, "export run -o z.csv --spreadsheet-safe"},
     "export run -o z.csv",
     NULL,
     NULL},
    {"export-npz", {"@edges", NAMED}, "export run -o z.npz", NULL, NULL},
    {"neighbours", {"@edges", NAMED}, "neighbours run -k 2 -o near.csv " ON_CPU, NULL, NULL},
    {"neighbours-json", {"@edges", NAMED}, "neighbours run -k 2 -o near.json " ON_CPU, NULL, NULL},
    {"neighbours-npz", {"@edges", NAMED}, "neighbours run -k 2 -o near.npz " ON_CPU, NULL, NULL},
    {"map",
     {"@edges", NAMED},
     "map run " TABLES " -o map.html --svg map.svg --npy map.npy --epochs 5 " ON_CPU,
     NULL,
     NULL},
    {"report",
     {GRAPH, TRAINED},
     "report run -o report.html --splits 1 --threads 1 --device cpu",
     NULL,
     NULL},
    {"report-supervised",
     {GRAPH, "train g.npz -o run " SPLIT, "train g.npz -o other --epochs 1 " SMALL},
     "report run other -o report.html --splits 1 --no-map --threads 1 --device cpu",
     NULL,
     "alloc"},
    {"eval",
     {GRAPH, TRAINED, "eval run g.npz --splits 1 --threads 1 --json"},
     "eval run g.npz --splits 2 --threads 1 --json --baseline raw,untrained --splits-file s.npy",
     NULL,
     NULL},
    {"eval-cluster",
     {GRAPH, TRAINED},
     "eval run g.npz --task cluster --threads 1 --json",
     NULL,
     NULL},
    {"split-links", {GRAPH}, "split-links g.npz -o left", NULL, NULL},
    /* One rank: METIS is not called, whose allocations are its own. */
    {"partition", {GRAPH}, "partition g.npz -n 1 -o parts", NULL, NULL},
    {"eval-link",
     {GRAPH, "split-links g.npz -o left", "train left -o run --epochs 1 " SMALL},
     "eval run left --task link --threads 1 --json",
     NULL,
     NULL},
    {"convert-npz",
     {GRAPH, "generate out.npz --nodes 20 --features 4"},
     "convert g.npz out.npz --force --undirected",
     NULL,
     NULL},
    {"convert-folder", {GRAPH}, "convert g.npz folder", NULL, NULL},
    {"convert-tables",
     {"@edges"},
     "convert edges.csv out.npz --force --features features.csv --labels labels.csv --undirected",
     NULL,
     NULL},
    {"generate", {GRAPH}, "generate g.npz --force --nodes 25 --features 6 --classes 3", NULL, NULL},
    {"generate-ppi", {NULL}, "generate ppi --like ppi --scale 0.002", NULL, NULL},
    {"info", {GRAPH}, "info g.npz --json", NULL, NULL},
    {"plan", {GRAPH}, "plan g.npz --epochs 1 --set hidden=4 --json " ON_CPU, NULL, NULL},
    {"plan-ranks", {GRAPH}, "plan g.npz --ranks 2 --set hidden=4 --json " ON_CPU, NULL, NULL},
    {"reproduce",
     {NULL},
     "reproduce inductive --sets reddit --methods features --scale 0.0002 -o report -q",
     NULL,
     NULL},
#ifdef GRACO_FETCH
    {"fetch-list", {NULL}, "fetch --list --json", NULL, NULL},
#endif
};

#endif
