#!/usr/bin/env python3
"""Clusters and links of a data set by several methods, graco's numbers beside scikit-learn's on the same embeddings:

    scripts/score_tasks.py GRACO [--data cora] [--methods grace,dgi] [--work FOLDER] [--threads N]

Trains each method twice by its preset for the data set: on the whole graph for clusters, and on what
`graco split-links` leaves for links. Prints two tables in Markdown. scikit-learn's columns are its own k-means (10
starts), scores of pairs, logistic regression and metrics, under the protocol of docs/evaluation.md; graco gives it
embeddings, labels and the list of pairs alone. Runs are kept in the FOLDER, and used again if they are there.
Needs numpy, scikit-learn, and data sets under $GRACO_DATA.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (adjusted_rand_score, average_precision_score, normalized_mutual_info_score,
                             roc_auc_score)
from sklearn.preprocessing import StandardScaler

TRAIN, VALIDATION, TEST = 0, 1, 2


def unit_rows(Z):
    Z = Z.astype(np.float64)
    return Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-300)


def cluster(Z, y):
    found = KMeans(len(set(y)), n_init=10, random_state=0).fit_predict(unit_rows(Z))
    return {"nmi": normalized_mutual_info_score(y, found), "ari": adjusted_rand_score(y, found)}


def best_regression(products, part, linked):
    """Decision values of the regression whose C the validation part prefers, the smallest among equals. liblinear
    penalises the bias as graco does; lbfgs does not."""
    products = StandardScaler().fit(products[part == TRAIN]).transform(products)
    best, values = -1.0, None
    for exponent in range(-10, 11, 2):
        fitted = LogisticRegression(C=2.0 ** exponent, solver="liblinear", max_iter=10000, tol=1e-6)
        fitted.fit(products[part == TRAIN], linked[part == TRAIN])
        now = fitted.decision_function(products)
        auc = roc_auc_score(linked[part == VALIDATION], now[part == VALIDATION])
        if auc > best:
            best, values = auc, now
    return values


def link(Z, links):
    a, b, part, linked = links.T
    Z, unit = Z.astype(np.float64), unit_rows(Z)
    values = {"dot": (Z[a] * Z[b]).sum(1), "cosine": (unit[a] * unit[b]).sum(1),
              "hadamard": best_regression(Z[a] * Z[b], part, linked)}
    test = part == TEST
    return {name: {"auc": roc_auc_score(linked[test], v[test]),
                   "average_precision": average_precision_score(linked[test], v[test])} for name, v in values.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graco")
    parser.add_argument("--data", default="cora")
    parser.add_argument("--methods", default="grace,dgi")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--threads", default="0")
    line = parser.parse_args()

    def graco(*words):
        return subprocess.run([line.graco, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout

    with tempfile.TemporaryDirectory() as temporary:
        work = line.work or pathlib.Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        left, whole = work / f"{line.data}-links", work / f"{line.data}-whole"
        if not left.exists():
            graco("split-links", line.data, "-o", left)
        if not whole.exists():
            graco("convert", line.data, whole)
        links, y = np.load(left / "links.npy"), np.load(whole / "y.npy")
        clusters, pairs = [], []
        for method in line.methods.split(","):
            found = {}
            for task, data in (("cluster", line.data), ("link", left)):
                run = work / f"{method}-{task}"
                if not (run / "embeddings.npy").exists():
                    graco("train", data, "--method", method, "--preset", line.data, "-o", run, "-q", "--resume",
                          "--device", "cpu", "--threads", line.threads)
                graco("eval", run, data, "--task", task, "--threads", line.threads)
                ours = json.loads((run / f"eval-{task}.json").read_text())
                Z = np.load(run / "embeddings.npy")
                found[task] = (ours, cluster(Z, y) if task == "cluster" else link(Z, links))
            ours, theirs = found["cluster"]
            clusters.append(f"| {method} | {ours['nmi']:.4f} | {theirs['nmi']:.4f} | {ours['ari']:.4f} | {theirs['ari']:.4f} |")
            ours, theirs = found["link"]
            pairs += [f"| {method} | {name} | {ours[name]['auc']:.4f} | {theirs[name]['auc']:.4f} | "
                      f"{ours[name]['average_precision']:.4f} | {theirs[name]['average_precision']:.4f} |" for name in theirs]
    print("| | NMI | scikit-learn | ARI | scikit-learn |\n|---|---|---|---|---|", *clusters, sep="\n")
    print("\n| | score | AUC | scikit-learn | AP | scikit-learn |\n|---|---|---|---|---|---|", *pairs, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
