#!/usr/bin/env python3
"""Compares graco's maps with umap-learn's: bench_map.py GRACO [--work FOLDER] [--points N] [EMBEDDINGS.npy ...]

For each file: trustworthiness and continuity of both layouts at k = 15, by cosine, over all nodes; and the time
that each took, neighbours included, by the clock and by the processor, of which the second also means something on
a busy machine. Then the time for N points (100,000) of 256 columns, by graco alone. Without files: Cora and
Citeseer, trained by GRACE's presets from $GRACO_DATA, and a generated graph of 20,000 nodes; they are kept in the
FOLDER. Needs numpy and umap-learn. Exit code 1 if graco is more than 0.02 below in either.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

K, ALLOWED, ROWS = 15, 0.02, 512
WARM_UP = 500           # points of a first layout, which makes umap-learn compile its loops
COLUMNS, CENTRES = 256, 100


def distances(A, rows):
    """Squared distances of some rows to all, themselves infinitely far."""
    D = -2.0 * (A[rows] @ A.T) + (A * A).sum(1) + (A[rows] * A[rows]).sum(1)[:, None]
    D[np.arange(len(rows)), rows] = np.inf
    return D


def trust(A, B):
    """Trustworthiness of B as a picture of A: neighbours in B cost what they are too far down the list in A."""
    nodes, cost = len(A), 0
    for first in range(0, nodes, ROWS):
        rows = np.arange(first, min(first + ROWS, nodes))
        near, D = np.argpartition(distances(B, rows), K, axis=1)[:, :K], distances(A, rows)
        for column in range(K):
            reach = np.take_along_axis(D, near[:, column:column + 1], 1)
            cost += np.maximum((D < reach).sum(1) + 1 - K, 0).sum()
    return 1.0 - cost * 2.0 / (nodes * K * (2.0 * nodes - 3.0 * K - 1.0))


def quality(Z, Y):
    """Neighbours by cosine are those by distance between rows of length one. Continuity is the way back."""
    unit = Z.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-30)
    Y = (Y - Y.mean(0)).astype(np.float64)
    return trust(unit, Y), trust(Y, unit)


def timed(command):
    """Seconds by the clock and by the processor; what the command printed."""
    used, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    words = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    taken, now = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, words


def lay_out(path, target):
    """A layout by umap-learn, in a process of its own; prints its seconds without those of compiling."""
    import umap
    Z = np.load(path).astype(np.float32)
    settings = {"metric": "cosine", "n_neighbors": K, "random_state": 1}
    umap.UMAP(**settings).fit(Z[:WARM_UP])
    begun, used = time.perf_counter(), time.process_time()
    np.save(target, umap.UMAP(**settings).fit_transform(Z))
    print(time.perf_counter() - begun, time.process_time() - used)


def make_embeddings(graco, folder):
    """The three files of the comparison, made once."""
    def train(name, *words):
        if not (folder / name / "embeddings.npy").exists():
            subprocess.run([graco, "train", *words, "-o", folder / name, "--device", "cpu", "-q", "--resume"], check=True)
        return folder / name / "embeddings.npy"
    if not (folder / "graph.npz").exists():
        subprocess.run([graco, "generate", folder / "graph.npz", "--nodes", "20000", "--classes", "20"], check=True)
    return [train("cora", "cora"), train("citeseer", "citeseer"),
            train("generated", folder / "graph.npz", "--objective", "moment", "--epochs", "30", "--set", "hidden=128")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graco")
    parser.add_argument("embeddings", nargs="*", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--points", type=int, default=100000)
    line = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = line.work or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / "map.npy"
        print("| embeddings | | trustworthiness | continuity | seconds | of the processor |\n|---|---|---|---|---|---|")
        for path in line.embeddings or make_embeddings(line.graco, folder):
            Z = np.load(path).astype(np.float32)
            name = f"{path.parent.name if path.stem == 'embeddings' else path.stem}, {Z.shape[0]:,} x {Z.shape[1]}"
            found = {}
            for who in ("graco", "umap-learn"):
                target.unlink(missing_ok=True)
                if who == "graco":
                    taken, used, _ = timed([line.graco, "map", path, "--npy", target])
                else:
                    *_, words = timed([sys.executable, __file__, "--lay-out", path, target])
                    taken, used = map(float, words.split())
                found[who] = quality(Z, np.load(target))
                print(f"| {name} | {who} | {found[who][0]:.4f} | {found[who][1]:.4f} | {taken:.1f} | {used:.1f} |", flush=True)
            worst = max(worst, *(b - a for a, b in zip(found["graco"], found["umap-learn"])))
        if line.points:
            draw = np.random.default_rng(1)
            centres = draw.normal(size=(CENTRES, COLUMNS)).astype(np.float32)
            Z = centres[draw.integers(CENTRES, size=line.points)] + draw.normal(size=(line.points, COLUMNS)).astype(np.float32)
            np.save(folder / "points.npy", Z)
            target.unlink(missing_ok=True)
            taken, used, _ = timed([line.graco, "map", folder / "points.npy", "--npy", target])
            print(f"| groups, {line.points:,} x {COLUMNS} | graco | | | {taken:.1f} | {used:.1f} |")
    print(f"\ngraco is at most {worst:.4f} below; allowed are {ALLOWED} ({os.cpu_count()} cores, load {os.getloadavg()[0]:.1f})")
    return int(worst > ALLOWED)


if __name__ == "__main__":
    sys.exit(lay_out(*sys.argv[2:]) if sys.argv[1:2] == ["--lay-out"] else main())
