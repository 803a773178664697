#!/usr/bin/env python3
"""How well the criterion without labels orders settings: Spearman's rank correlation of its parts and of
their score with the validation score, for each folder of `graco tune --criterion validation`.

    scripts/criterion.py DIR...

By default only random trials count, for those near the best are alike by design; --all takes every row.
The last two columns are the validation scores of the settings that each criterion would choose. Files of searches
by an older criterion, which have other columns, are left out."""
import csv
import os
import sys

PARTS = ("modularity", "columns", "edges")


def ranks(values):
    """Ranks from 1, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j < len(order) and values[order[j]] == values[order[i]]:
            j += 1
        for k in range(i, j):
            found[order[k]] = (i + 1 + j) / 2
        i = j
    return found


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mean = (len(x) + 1) / 2
    top = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    bottom = (sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y)) ** 0.5
    return top / bottom if bottom > 0 else float("nan")


def structure(row):
    """The score of docs/evaluation.md; a part that is not there is left out."""
    modularity, columns, edges = (float(row[name]) if row[name] else None for name in PARTS)
    kept = [part for part in (modularity, None if edges is None else 2 * edges - 1) if part is not None]
    score = 0 if columns is None else 3 * columns / (columns + 0.2)
    return score + (sum(kept) / len(kept) if kept else 0)


def read(folder, every):
    with open(os.path.join(folder, "trials.csv"), newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"] == "measured"]
    if rows and any(name not in rows[0] for name in PARTS):
        print("%-24s        of an older criterion" % folder)
        return []
    return [row for row in rows if row["validation"] and row["seed"] == "0" and (every or row["origin"] == "random")]


def main(arguments):
    every = "--all" in arguments
    print("%-24s %5s  %10s %9s %10s %8s  %10s %5s" % (("folder", "rows") + PARTS + ("together", "by score", "best")))
    for folder in [word for word in arguments if word != "--all"]:
        rows = read(folder, every)
        if len(rows) < 3:
            print("%-24s %5d  too few measurements with a validation score" % (folder, len(rows)))
            continue
        score = [float(row["validation"]) for row in rows]
        both = [structure(row) for row in rows]
        cells = {name: "%.2f" % spearman([float(row[name]) for row in rows], score) if rows[0][name] else "-"
                 for name in PARTS}
        chosen = score[max(range(len(both)), key=lambda i: both[i])]
        print("%-24s %5d  %10s %9s %10s %8.2f  %10.2f %5.2f" % (
            (folder, len(rows)) + tuple(cells[name] for name in PARTS) + (spearman(both, score), chosen, max(score))))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
