#!/usr/bin/env python3
"""Writes a results.json with samples for every kind of item, as `graco reproduce` keeps it: make_results.py FILE.

Scores are made up, the same at every call. Words hold what a careless writer would trip over: tags,
quotes, pipes, commas, letters beyond ASCII. Cells are run, quick, on a
look-alike or missing; some keys have one seed, some five, some one split.
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
        samples.append({"key": key, "set": words[0], "method": words[1], "seed": seed,
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


# ---- The main table: run, missing, above and below --------------------------------------------------

for method, (_, papers) in METHODS.items():
    for name, paper in zip(SETS, papers):
        if (method, name) in (("gae", "dblp"), ("node2vec", "pubmed"), ("node2vec", "dblp")):
            continue
        more = {}
        if method == "features":
            more["seedless"] = True
        if method == "grace":
            more["curve"] = curve(200, 2708)
        mean = paper + {"vgae": -2.1, "sgc": 1.9, "grace": 0.2, "gcn": 3.0}.get(method, -0.15)
        sample(f"{name} {method}", mean, 1 if method == "features" else 5, 20, **more)
for made in samples:
    if made["key"] == "cora grace":
        made["values"] = {"J_plus_log_n": 5.1234 + 0.01 * made["seed"], "i_nce": 5.3 + 0.02 * made["seed"], "gap": None}
        if made["seed"] == 0:
            made["points"] = points(range(7), 700)
    if made["key"] == "dblp grace" and made["seed"] == 0:
        made["points"] = points([0, 1, 2, 3], 400)

# ---- The inductive one: a look-alike, and words that must be escaped --------------------------------

sample("reddit grace", 94.0, 3, 1, source="look-alike", scale=1.0)
sample("reddit dgi", 93.1, 3, 1, source="look-alike", scale=1.0)
sample("ppi grace", 66.4, 3, 1)
sample("ppi dgi", 63.9, 3, 1)
for made in samples:
    if made["set"] in ("ppi", "reddit"):
        made["metric"] = "micro_f1" if made["set"] == "reddit" else AWKWARD

# ---- Figures ---------------------------------------------------------------------------------------

rates = [round(0.1 * i, 1) for i in range(1, 10)]
for p2 in rates:
    for p1 in rates:
        if (p1, p2) != (0.1, 0.9):  # missing
            sample(f"citeseer grace drop_edge_1={p1} drop_edge_2={p2} drop_feature_1={p1} drop_feature_2={p2}",
                   71.8 - 6 * (p1 - 0.4) ** 2 - 9 * (p2 - 0.4) ** 2, 3, 5, metric=AWKWARD)
for i, name in enumerate(SETS):
    for method, fall in (("grace", 9), ("dgi", 16)):
        for rate in rates[4:]:
            if (method, rate, i) != ("dgi", 0.7, 3):
                sample(f"{name} {method} contaminate={rate}", METHODS[method][1][i] - fall * (rate - 0.3) ** 2, 5, 5)

# ---- Facts -----------------------------------------------------------------------------------------

samples.append({"key": "cora dataset", "seed": 0, "set": "cora", "method": "dataset", "quick": quick, "seedless": True,
                "values": {"nodes": 2708, "edges": 10556, "self_loops": 0, "duplicates": 302, "features": 1433,
                           "classes": 7, "graphs": 1}})

samples.sort(key=lambda s: (s["key"], s["seed"]))
results = {"format": 1, "graco": "0.1.0",
           "made": {"quick": quick, "device": "cpu", "machine": "2 cores & " + AWKWARD, "runs": 5, "splits": 20},
           "samples": samples}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(results, file, ensure_ascii=False, allow_nan=False)
    file.write("\n")
