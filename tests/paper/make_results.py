#!/usr/bin/env python3
"""Writes a results.json with every kind of item, as `graco reproduce` keeps it: make_results.py FILE.

Scores are made up, the same at every call. Names hold what a careless writer would trip over: tags,
quotes, pipes, commas, formulas, line breaks, letters beyond ASCII. Cells are run, quick, on a
look-alike, quoted, missing, or not there at all; some keys have one seed, some five, some one split.
With a second argument, "quick", there is one seed of everything.
"""
import json
import math
import random
import sys

SETS = {"cora": "Cora", "citeseer": "Citeseer", "pubmed": "Pubmed", "dblp": "DBLP"}
METHODS = {  # what a method is called, and the paper's scores
    "features": ("Raw features", [64.8, 64.6, 84.8, 71.6]),
    "node2vec": ("node2vec", [74.8, 52.3, 80.3, 78.8]),
    "deepwalk": ("DeepWalk", [75.7, 50.5, 80.5, 75.9]),
    "gae": ("GAE", [76.9, 60.6, 82.9, 81.2]),
    "vgae": ("VGAE", [78.9, 61.2, 83.0, 81.7]),
    "dgi": ("DGI", [82.6, 68.8, 86.0, 83.2]),
    "grace": ("GRACE", [83.3, 72.1, 86.7, 84.2]),
    "sgc": ("SGC", [80.6, 69.1, 84.8, 81.7]),
    "gcn": ("GCN", [82.8, 72.0, 84.9, 82.7]),
}
AWKWARD = '<script>alert("1")</script> | a, b & \'c\' \u00b5-F\u2081 \\*\u202fй'

quick = len(sys.argv) > 2 and sys.argv[2] == "quick"
draw = random.Random(7)
samples = []


def sample(key, mean, seeds, splits, **more):
    """One sample for each seed: a shift per seed, a shift per split that all seeds share, noise."""
    words = key.split()
    per_split = random.Random(words[0])
    shifts = [per_split.gauss(0, 1.1) for _ in range(splits)]
    for seed in range(1 if quick else seeds):
        of_seed = draw.gauss(0, 0.25)
        scores = [round(mean + of_seed + shift + draw.gauss(0, 0.3), 4) for shift in shifts]
        samples.append({"key": key, "set": words[0], "method": words[1], "overrides": {}, "seed": seed,
                        "source": "data", "quick": quick, "device": "cpu", "epochs": 200,
                        "train_seconds": 1.5, "eval_seconds": 0.25, "metric": "accuracy",
                        "split_seed": 0, "scores": scores, **more})


def curve(epochs, nodes):
    epoch = list(range(1, epochs + 1, max(1, epochs // 100)))
    loss = [round(math.log(2 * nodes) * (0.72 + 0.28 * math.exp(-e / 25)) + draw.gauss(0, 0.01), 4) for e in epoch]
    return {"epoch": epoch, "loss": loss,
            "mutual_information": [None if e == 1 else round(math.log(nodes) * (1 - math.exp(-e / 30)) * 0.8, 4)
                                   for e in epoch]}


def points(classes, count):
    out = {"x": [], "y": [], "class": []}
    for i in range(count):
        c = i % len(classes)
        angle = 2 * math.pi * c / len(classes)
        out["x"].append(round(2.2 * math.cos(angle) + draw.gauss(0, 0.7), 3))
        out["y"].append(round(1.6 * math.sin(angle) + draw.gauss(0, 0.6), 3))
        out["class"].append(classes[c])
    return out


def cell(key, row, column, paper, **more):
    return {"row": row, "column": column, "key": key, "value": "scores", "paper": paper,
            "paper_deviation": None, "state": "run", "note": "", **more}


# ---- The main table: run, quoted, missing, and one that is not there -------------------------------

cells = []
for row, (method, (_, papers)) in enumerate(METHODS.items()):
    for column, (name, paper) in enumerate(zip(SETS, papers)):
        key = f"{name} {method}"
        if method == "gae" and name == "dblp":
            cells.append(cell("", row, column, paper, state="quoted"))
        elif method == "node2vec" and name == "pubmed":
            cells.append(cell("", row, column, paper, state="missing",
                              note="no data here: `graco fetch pubmed` brings them"))
        elif method == "node2vec" and name == "dblp":
            cells.append(cell("", row, column, paper, state="missing",
                              note="no data here: `graco fetch pubmed` brings them"))
        elif method != "sgc" or name != "pubmed":
            more = {}
            if method == "features":
                more["seedless"] = True
            if method == "grace":
                more["curve"] = curve(200, 2708)
            mean = paper + {"vgae": -2.1, "sgc": 1.9, "grace": 0.2}.get(method, -0.15)
            sample(key, mean, 1 if method == "features" else 5, 20, **more)
            cells.append(cell(key, row, column, paper, paper_deviation=0.4 if method == "grace" else None))
for made in samples:
    if made["key"] == "cora grace" and made["seed"] == 0:
        made["points"] = points(["Case <Based>", "Neural & Nets", "\"Theory\"", "Genetic", "RL", "Rules", "Bayes"], 700)
    if made["key"] == "dblp grace" and made["seed"] == 0:
        made["points"] = points([0, 1, 2, 3], 400)

transductive = {"name": "transductive", "title": "Node classification, transductive", "kind": "table",
                "about": "Logistic regression on frozen embeddings; random splits of 10/10/80 %.",
                "rows": [label for label, _ in METHODS.values()], "columns": list(SETS.values()), "cells": cells}

# ---- The inductive one: a look-alike, and names that must be escaped -------------------------------

sample("reddit grace", 94.0, 3, 1, source="look-alike")
sample("reddit dgi", 93.1, 3, 1, source="look-alike")
sample("ppi grace", 66.4, 3, 1)
sample("ppi dgi", 63.9, 3, 1)
for made in samples:
    if made["set"] in ("ppi", "reddit"):
        made["metric"] = "micro-F1"
inductive = {"name": "inductive", "title": "Node classification, inductive " + AWKWARD, "kind": "table",
             "about": AWKWARD, "rows": ["GRACE", "DGI", AWKWARD, "=SUM(A1:A9)"], "columns": ["Reddit", "PPI"],
             "cells": [cell("reddit grace", 0, 0, 94.2, state="look-alike", note=AWKWARD),
                       cell("ppi grace", 0, 1, 66.2, paper_deviation=0.1),
                       cell("ppi dgi", 1, 1, 63.8, paper_deviation=0.2),
                       cell("", 2, 0, None, state="missing", note="-1+1: two\nlines"),
                       cell("ppi grace", 3, 1, None)]}

# ---- Values that are no scores ---------------------------------------------------------------------

for seed in range(1 if quick else 3):
    samples.append({"key": "cora grace theorems", "set": "cora", "method": "grace", "seed": seed,
                    "values": {"J_plus_log_n": 5.1234 + 0.01 * seed, "i_nce": 5.3 + 0.02 * seed, "gap": None}})
theorems = {"name": "theorems", "title": "Theorem 1: the objective and mutual information", "kind": "table",
            "about": "J + log N is never above the InfoNCE estimate.", "rows": ["Cora"],
            "columns": ["J + log N", "I_NCE", "gap"],
            "cells": [dict(cell("cora grace theorems", 0, 0, None), value="J_plus_log_n"),
                      dict(cell("cora grace theorems", 0, 1, None), value="i_nce"),
                      dict(cell("cora grace theorems", 0, 2, None), value="gap")]}

# ---- Figures ---------------------------------------------------------------------------------------

rates = [round(0.1 * i, 1) for i in range(1, 10)]
grid = []
for y, p2 in enumerate(rates):
    for x, p1 in enumerate(rates):
        if (x, y) == (8, 8):
            continue  # not there
        key = f"citeseer grace p1={p1} p2={p2}"
        state = "missing" if (x, y) == (0, 8) else "run"
        if state == "run":
            sample(key, 71.8 - 6 * (p1 - 0.4) ** 2 - 9 * (p2 - 0.4) ** 2, 3, 5)
        grid.append({"x": x, "y": y, "key": key, "state": state})
sensitivity = {"name": "sensitivity", "title": "Sensitivity to the probabilities", "kind": "grid",
               "about": "Citeseer: p1 drops edges and features of the first view, p2 of the second.",
               "x": {"label": "p1", "ticks": rates}, "y": {"label": "p2", "ticks": rates}, "cells": grid}

panels = []
for i, (name, title) in enumerate(SETS.items()):
    lines = []
    for method, fall in (("grace", 9), ("dgi", 16)):
        at = []
        for x, rate in enumerate([0.5, 0.6, 0.7, 0.8, 0.9]):
            key = f"{name} {method} contaminate={rate}"
            sample(key, METHODS[method][1][i] - fall * (rate - 0.3) ** 2, 5, 5)
            if (method, x, i) != ("dgi", 2, 3):
                at.append({"x": x, "key": key})
        lines.append({"label": method.upper() + (" <b>" if i == 0 and method == "dgi" else ""), "cells": at})
    panels.append({"title": title, "x": {"label": "share of features set to zero",
                                         "ticks": [0.5, 0.6, 0.7, 0.8, 0.9]}, "lines": lines})
robustness = {"name": "robustness", "title": "Robustness to sparse features", "kind": "lines",
              "about": "A share of the feature entries is set to zero before training.", "panels": panels}

# ---- Facts, claims, explanations -------------------------------------------------------------------

facts = {"name": "datasets", "title": "Data sets", "kind": "facts", "about": "",
         "columns": ["set", "nodes", "paper: nodes", "edges", "features", "how one follows from the other"],
         "rows": [["Cora", "2708", "2708", 5278, "1433", "the paper counts each edge once"],
                  ["Citeseer", "3327", "3327", 4552, "3703", AWKWARD],
                  ["Reddit", None, "231443", None, "602", "=1+1"]]}


def versus(better, worse, sets=("cora", "citeseer", "pubmed", "dblp")):
    return {"better": [f"{s} {better}" for s in sets], "worse": [f"{s} {worse}" for s in sets]}


claims = [{"text": "GRACE scores above DGI", **versus("grace", "dgi", (*SETS, "reddit"))},
          {"text": "GRACE scores above a supervised GCN", **versus("grace", "gcn")},
          {"text": "Embeddings score above the raw features " + AWKWARD, **versus("grace", "features")},
          {"text": "SGC scores below VGAE", **versus("vgae", "sgc", ("cora", "citeseer"))},
          {"text": "DeepWalk equals itself", **versus("deepwalk", "deepwalk")},
          {"text": "A claim that nobody tested", "better": ["cora other"], "worse": ["cora grace"]},
          {"text": "0.4 and 0.5 score the same", "equal": True, "better": ["citeseer grace p1=0.4 p2=0.4"],
           "worse": ["citeseer grace p1=0.5 p2=0.4"]},
          {"text": "0.1 and 0.9 score the same", "equal": True, "better": ["citeseer grace p1=0.4 p2=0.4"],
           "worse": ["citeseer grace p1=0.9 p2=0.4"]},
          {"text": "GRACE with any p1 scores above node2vec", "better": [f"citeseer grace p1={p} p2=0.4" for p in (0.2, 0.3, 0.4)],
           "worse": ["citeseer node2vec"]}]
explanations = [{"key": "cora vgae", "text": "Twice the epochs and the paper's learning rate gave the same, "
                                             "<em>within</em> 0.1 points."}]

samples.sort(key=lambda s: (s["key"], s["seed"]))
results = {"format": 1, "graco": "0.1.0",
           "made": {"quick": quick, "device": "cpu", "machine": "2 cores & <no> \"GPU\"", "runs": 5, "splits": 20},
           "samples": samples,
           "items": [facts, transductive, inductive, sensitivity, robustness, theorems],
           "claims": claims, "explanations": explanations}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(results, file, ensure_ascii=False, allow_nan=False)
    file.write("\n")
