#!/usr/bin/env python3
"""Compares graco's maps with umap-learn's: bench_map.py GRACO EMBEDDINGS.npy ...

For each file: trustworthiness and continuity at k = 15, by scikit-learn, of both layouts, and the seconds that
each took, neighbours included. Needs numpy, scikit-learn and umap-learn. Exit code 1 if graco is more than
0.02 below in either.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import umap
from sklearn.manifold import trustworthiness

K, ALLOWED = 15, 0.02


def quality(Z, Y):
    """Neighbours by cosine are those by distance between rows of length one."""
    unit = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-30)
    return trustworthiness(unit, Y, n_neighbors=K), trustworthiness(Y, unit, n_neighbors=K)


def main():
    graco, worst = sys.argv[1], 0.0
    print(f"{'embeddings':30} {'':6} {'trust':>7} {'contin':>7} {'seconds':>8}")
    for path in sys.argv[2:]:
        Z = np.load(path).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            target = str(pathlib.Path(folder) / "map.npy")
            begun = time.perf_counter()
            subprocess.run([graco, "map", path, "--npy", target], check=True, stderr=subprocess.DEVNULL)
            ours_s = time.perf_counter() - begun
            ours = quality(Z, np.load(target))
        begun = time.perf_counter()
        other = umap.UMAP(metric="cosine", n_neighbors=K, random_state=1).fit_transform(Z)
        other_s = time.perf_counter() - begun
        other = quality(Z, other)
        name = pathlib.Path(path).name
        print(f"{name:30} graco  {ours[0]:7.4f} {ours[1]:7.4f} {ours_s:8.1f}")
        print(f"{name:30} umap   {other[0]:7.4f} {other[1]:7.4f} {other_s:8.1f}", flush=True)
        worst = max(worst, other[0] - ours[0], other[1] - ours[1])
    print(f"graco is at most {worst:.4f} below; allowed are {ALLOWED}")
    return worst > ALLOWED


if __name__ == "__main__":
    sys.exit(main())
