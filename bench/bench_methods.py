#!/usr/bin/env python3
"""Methods other than GRACE against PyTorch on the same machine: milliseconds of an epoch, interleaved.

    /usr/bin/python3 bench/bench_methods.py --graco build/graco [--rounds 3] [--threads 2] [dgi:cora ...]

Each row trains the same model with both: the method's preset for the data set, whole graph, Adam. PyTorch's
side is PyG's formulation, features dense or sparse, whichever is faster; a method is a function from the
data to an epoch in PEERS. Rounds alternate between the programs, and the medians of all epochs are compared.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graco", default="build/graco")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10, help="of a round")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("rows", nargs="*", default=["dgi:cora", "dgi:pubmed"], help="METHOD:DATASET")
    return parser.parse_args()


ARGUMENTS = parse_arguments()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)  # before the libraries load

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn import functional  # noqa: E402

from dense_features import read_features  # noqa: E402

torch.set_num_threads(ARGUMENTS.threads)


def symmetric(path, nodes):
    """D^-1/2 (A + I) D^-1/2 as a sparse matrix."""
    with np.load(path) as arrays:
        source, target = arrays["edge_index"].astype(np.int64)
    loop = np.arange(nodes)
    source, target = np.concatenate([source, loop]), np.concatenate([target, loop])
    scale = np.bincount(target, minlength=nodes) ** -0.5
    index = torch.from_numpy(np.stack([target, source]).astype(np.int64))
    weight = torch.from_numpy((scale[source] * scale[target]).astype(np.float32))
    return torch.sparse_coo_tensor(index, weight, (nodes, nodes)).coalesce()


def dgi(path, settings, sparse):
    """PyG's DeepGraphInfomax with one GCN layer and PReLU."""
    with np.load(path) as arrays:
        X = torch.from_numpy(read_features(arrays, settings["scaling"]))
    nodes, h = X.shape[0], int(settings["hidden"])
    S = symmetric(path, nodes)
    W, b = torch.empty(X.shape[1], h), torch.zeros(h)
    B, slope = torch.empty(h, h), torch.full((1,), 0.25)
    torch.nn.init.xavier_uniform_(W)
    torch.nn.init.uniform_(B, -h**-0.5, h**-0.5)
    parameters = [p.requires_grad_() for p in (W, b, B, slope)]
    optimiser = torch.optim.Adam(parameters, lr=float(settings["lr"]))
    stored = X.to_sparse() if sparse else X

    def encode(X):
        XW = torch.sparse.mm(X, W) if sparse else X @ W
        return functional.prelu(torch.sparse.mm(S, XW) + b, slope)

    def epoch():
        optimiser.zero_grad()
        order = torch.randperm(nodes)
        H, G = encode(stored), encode(torch.index_select(stored, 0, order))
        s = torch.sigmoid(H.mean(0))
        v = B @ s
        loss = functional.softplus(-(H @ v)).mean() + functional.softplus(G @ v).mean()
        loss.backward()
        optimiser.step()

    return epoch


PEERS = {"dgi": dgi}


def graco(*words):
    return subprocess.run([ARGUMENTS.graco, *words], check=True, capture_output=True, text=True).stdout


def graco_epochs(method, data, folder, number):
    out = os.path.join(folder, f"run{number}")
    said = graco("train", data, "--method", method, "-o", out, "--device", "cpu", "--threads", str(ARGUMENTS.threads),
                 "--epochs", str(ARGUMENTS.epochs), "--json", "-q")
    with open(os.path.join(out, "metrics.jsonl")) as lines:
        times = [json.loads(line)["seconds"] for line in lines]
    with open(os.path.join(out, "config.json")) as file:
        return times[1:], json.load(file), json.loads(said)


def peer_epochs(epoch):
    times = []
    for _ in range(ARGUMENTS.epochs):
        begin = time.perf_counter()
        epoch()
        times.append(time.perf_counter() - begin)
    return times[1:]


def compare(method, data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.npz")
        graco("convert", data, path)
        times, settings, _ = graco_epochs(method, data, folder, 0)
        ours, theirs = [], {False: [], True: []}
        epochs = {sparse: PEERS[method](path, settings, sparse) for sparse in theirs}
        for number in range(1, ARGUMENTS.rounds + 1):
            ours += graco_epochs(method, data, folder, number)[0]
            for sparse, epoch in epochs.items():
                theirs[sparse] += peer_epochs(epoch)
    ms = 1e3 * statistics.median(ours)
    peer = {sparse: 1e3 * statistics.median(times) for sparse, times in theirs.items()}
    print(f"{method} {data}: graco {ms:.1f} ms, PyTorch {peer[False]:.1f} ms with dense features, "
          f"{peer[True]:.1f} ms with sparse ones: {min(peer.values()) / ms:.1f} times", flush=True)


for row in ARGUMENTS.rows:
    compare(*row.split(":"))
