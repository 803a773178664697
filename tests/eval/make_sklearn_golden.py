#!/usr/bin/env python3
"""Writes tests/eval/sklearn_golden.h: metrics as scikit-learn computes them, for tests/eval/test_sklearn.c.

The inputs are made of a small generator that the test has too, so only results are written down. Needs
scikit-learn and scipy; run it again after a change of the cases.
"""

import pathlib

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

RANKINGS = [(10, 3), (200, 5), (200, 1000), (1001, 40), (50, 1)]  # items, distinct scores
PARTITIONS = [(60, 3, 3), (500, 7, 7), (500, 4, 9), (500, 9, 4), (40, 1, 1), (40, 1, 5), (64, 64, 2)]
SILHOUETTES = [(40, 3, 3), (120, 5, 17)]  # rows, clusters, columns


def numbers(seed, count, below):
    """x <- 1103515245 x + 12345 mod 2^31; its upper bits."""
    out, x = [], seed
    for _ in range(count):
        x = (1103515245 * x + 12345) % 2**31
        out.append((x >> 8) % below)
    return np.array(out)


def accuracy(a, b):
    table = metrics.cluster.contingency_matrix(a, b)
    rows, cols = linear_sum_assignment(-table)
    return table[rows, cols].sum() / len(a)


def main():
    lines = [
        "/* Made by make_sklearn_golden.py: what scikit-learn gives. */",
        "#ifndef TESTS_EVAL_SKLEARN_GOLDEN_H",
        "#define TESTS_EVAL_SKLEARN_GOLDEN_H",
        "",
        "#include <stdint.h>",
        "",
        "static const struct {",
        "    int64_t items, distinct;",
        "    double auc, average_precision;",
        "} rankings[] = {",
    ]
    for seed, (items, distinct) in enumerate(RANKINGS):
        score = numbers(3 * seed + 1, items, distinct)
        positive = numbers(3 * seed + 2, items, 3) + (score > distinct // 2) >= 2
        lines.append(
            f"    {{{items}, {distinct}, {metrics.roc_auc_score(positive, score):.17g}, "
            f"{metrics.average_precision_score(positive, score):.17g}}},"
        )
    lines += ["};", "", "static const struct {", "    int64_t items, a, b;",
              "    double nmi, ari, accuracy;", "} partitions[] = {"]
    for seed, (items, a_parts, b_parts) in enumerate(PARTITIONS):
        a = numbers(5 * seed + 1, items, a_parts)
        b = np.where(numbers(5 * seed + 2, items, 3) > 0, a % b_parts, numbers(5 * seed + 3, items, b_parts))
        lines.append(
            f"    {{{items}, {a_parts}, {b_parts}, {metrics.normalized_mutual_info_score(a, b):.17g}, "
            f"{metrics.adjusted_rand_score(a, b):.17g}, {accuracy(a, b):.17g}}},"
        )
    lines += ["};", "", "static const struct {", "    int64_t rows, clusters, cols;",
              "    double silhouette;", "} silhouettes[] = {"]
    for seed, (rows, clusters, cols) in enumerate(SILHOUETTES):
        cluster = numbers(7 * seed + 1, rows, clusters)
        X = numbers(7 * seed + 2, rows * cols, 64).reshape(rows, cols) + 16.0 * cluster[:, None]
        X[5] = X[6]
        lines.append(
            f"    {{{rows}, {clusters}, {cols}, {metrics.silhouette_score(X, cluster):.17g}}},"
        )
    lines += ["};", "", "#endif", ""]
    pathlib.Path(__file__).with_name("sklearn_golden.h").write_text("\n".join(lines))


main()
