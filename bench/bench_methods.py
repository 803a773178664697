#!/usr/bin/env python3
"""Methods other than GRACE against PyTorch on the same machine: milliseconds of an epoch, interleaved.

    /usr/bin/python3 bench/bench_methods.py --graco build/graco [--rounds 3] [--threads 2] [METHOD:DATASET[:OBJECTIVE] ...]

Each row trains the same model with both: the method's preset for the data set, whole graph, Adam, and for gcn
the check on validation rows after each epoch. PyTorch's side is PyG's formulation, in three ways: dense
features, sparse ones of coordinates, and what an expert would write: compressed rows with products of our own
for the way back (no transpose is made, the graph is symmetric) and no product twice. The fastest of the three is the
peer. A method is a function from the data to an epoch in PEERS. Rounds alternate between the programs, and the
medians of all epochs are compared.
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
    parser.add_argument("rows", nargs="*", help="METHOD:DATASET[:OBJECTIVE]",
                        default=["dgi:cora", "dgi:pubmed", "gcn:cora", "gcn:pubmed", "gae:cora", "vgae:cora",
                                 "gae:pubmed:sampled", "vgae:pubmed:sampled"])
    return parser.parse_args()


ARGUMENTS = parse_arguments()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)  # before the libraries load

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn import functional  # noqa: E402

from dense_features import read_features  # noqa: E402

torch.set_num_threads(ARGUMENTS.threads)


WAYS = ("dense", "coordinates", "rows")


class Product(torch.autograd.Function):
    """A H for a constant sparse A, of which the way back takes the transpose that is there already."""

    @staticmethod
    def forward(ctx, A, transpose, H):
        ctx.transpose = transpose
        return A @ H

    @staticmethod
    def backward(ctx, gradient):
        return None, None, ctx.transpose @ gradient


class Subject:
    """A data set as one of the three ways has it: multiply(W) is X W, propagate(H) is S H with
    S = D^-1/2 (A + I) D^-1/2."""

    def __init__(self, path, settings, way):
        with np.load(path) as arrays:
            X = torch.from_numpy(read_features(arrays, settings["scaling"]))
            self.source, self.target = (torch.from_numpy(a.astype(np.int64)) for a in arrays["edge_index"])
            self.y = torch.from_numpy(np.array(arrays["y"], dtype=np.int64)) if "y" in arrays else None
        self.way, (self.nodes, self.features) = way, X.shape
        self.hidden, self.rate = int(settings["hidden"]), float(settings["lr"])
        loop = torch.arange(self.nodes)
        index = torch.stack([torch.cat([self.target, loop]), torch.cat([self.source, loop])])
        scale = torch.bincount(index[0], minlength=self.nodes) ** -0.5
        S = torch.sparse_coo_tensor(index, scale[index[0]] * scale[index[1]], (self.nodes,) * 2).coalesce()
        if way == "rows":
            S = S.to_sparse_csr()
            self.X, self.XT = X.to_sparse_csr(), X.t().contiguous().to_sparse_csr()
        else:
            self.X = X if way == "dense" else X.to_sparse()
        self.S = S

    def multiply(self, W, X=None):
        if self.way == "rows":
            return Product.apply(self.X, self.XT, W)
        X = self.X if X is None else X
        return X @ W if self.way == "dense" else torch.sparse.mm(X, W)

    def propagate(self, H):
        return Product.apply(self.S, self.S, H) if self.way == "rows" else torch.sparse.mm(self.S, H)

    def dropped(self, rate):
        """X after dropout, of its stored entries alone where it is sparse."""
        if self.way == "dense":
            return functional.dropout(self.X, rate)
        values = functional.dropout(self.X.values(), rate)
        if self.way == "rows":
            return values
        return torch.sparse_coo_tensor(self.X.indices(), values, self.X.shape)._coalesced_(True)


def glorot(rows, cols):
    return torch.nn.init.xavier_uniform_(torch.empty(rows, cols)).requires_grad_()


def zeros(cols):
    return torch.zeros(cols).requires_grad_()


def dgi(data):
    """PyG's DeepGraphInfomax with one GCN layer and PReLU."""
    h = data.hidden
    W, b = glorot(data.features, h), zeros(h)
    B, slope = torch.empty(h, h).uniform_(-h**-0.5, h**-0.5).requires_grad_(), torch.full((1,), 0.25).requires_grad_()
    optimiser = torch.optim.Adam([W, b, B, slope], lr=data.rate)

    def encode(XW):
        return functional.prelu(data.propagate(XW) + b, slope)

    def epoch():
        optimiser.zero_grad()
        order = torch.randperm(data.nodes)
        if data.way == "rows":  # a permutation of the rows of X is one of the rows of X W
            XW = data.multiply(W)
            H, G = encode(XW), encode(XW[order])
        else:
            H, G = encode(data.multiply(W)), encode(data.multiply(W, torch.index_select(data.X, 0, order)))
        v = B @ torch.sigmoid(H.mean(0))
        (functional.softplus(-(H @ v)).mean() + functional.softplus(G @ v).mean()).backward()
        optimiser.step()

    return epoch


def gcn(data):
    """PyG's example of GCN: dropout before both layers, decay of the first, a check on validation rows."""
    classes, order = int(data.y.max()) + 1, torch.randperm(data.nodes)
    train, check = order[: data.nodes // 10], order[data.nodes // 10 : data.nodes // 5]
    W1, b1, W2, b2 = glorot(data.features, data.hidden), zeros(data.hidden), glorot(data.hidden, classes), zeros(classes)
    optimiser = torch.optim.Adam([{"params": [W1, b1], "weight_decay": 5e-4}, {"params": [W2, b2]}], lr=data.rate)
    transpose = None
    if data.way == "rows":  # where each entry of X stands among those of its transpose
        numbers = torch.sparse_csr_tensor(data.X.crow_indices(), data.X.col_indices(),
                                          torch.arange(1, data.X.values().numel() + 1, dtype=torch.float64), data.X.shape)
        transpose = numbers.to_sparse_coo().t().coalesce().values().long() - 1

    def first(training):
        if not training:
            return data.multiply(W1)
        if data.way != "rows":
            return data.multiply(W1, data.dropped(0.5))
        values = data.dropped(0.5)
        X = torch.sparse_csr_tensor(data.X.crow_indices(), data.X.col_indices(), values, data.X.shape)
        XT = torch.sparse_csr_tensor(data.XT.crow_indices(), data.XT.col_indices(), values[transpose], data.XT.shape)
        return Product.apply(X, XT, W1)

    def forward(training):
        H = functional.dropout(functional.relu(data.propagate(first(training)) + b1), 0.5, training)
        return data.propagate(H @ W2) + b2

    def epoch():
        optimiser.zero_grad()
        functional.cross_entropy(forward(True)[train], data.y[train]).backward()
        optimiser.step()
        with torch.no_grad():
            functional.cross_entropy(forward(False)[check], data.y[check]).item()

    return epoch


def auto_encoder(data, variational, sampled):
    """GAE and VGAE: all pairs as a dense matrix, or PyG's edges and as many pairs at random (of which ours
    refuses edges and theirs here does not, which is faster)."""
    h, n = data.hidden, data.nodes
    W1, b1, W2, b2 = glorot(data.features, 2 * h), zeros(2 * h), glorot(2 * h, h), zeros(h)
    parameters = [W1, b1, W2, b2]
    if variational:
        W3, b3 = glorot(2 * h, h), zeros(h)
        parameters += [W3, b3]
    optimiser = torch.optim.Adam(parameters, lr=data.rate)
    if not sampled:
        A = torch.eye(n)
        A[data.source, data.target] = 1
        ones = A.sum()
        weight, norm = (n * n - ones) / ones, n * n / (2 * (n * n - ones))

    def epoch():
        optimiser.zero_grad()
        SH = data.propagate(functional.relu(data.propagate(data.multiply(W1)) + b1))
        Z = mean = SH @ W2 + b2
        if variational:
            logarithm = SH @ W3 + b3
            Z = mean + torch.randn_like(mean) * logarithm.exp()
        if sampled:
            source, target = torch.randint(n, (2, data.source.numel()))
            loss = functional.softplus(-(Z[data.source] * Z[data.target]).sum(1)).mean() \
                + functional.softplus((Z[source] * Z[target]).sum(1)).mean()
        else:
            loss = norm * functional.binary_cross_entropy_with_logits(Z @ Z.t(), A, pos_weight=weight)
        if variational:
            loss = loss - 0.5 / n * (1 + 2 * logarithm - mean**2 - (2 * logarithm).exp()).sum(1).mean()
        loss.backward()
        optimiser.step()

    return epoch


PEERS = {
    "dgi": lambda data, objective: dgi(data),
    "gcn": lambda data, objective: gcn(data),
    "gae": lambda data, objective: auto_encoder(data, False, objective == "sampled"),
    "vgae": lambda data, objective: auto_encoder(data, True, objective == "sampled"),
}


def graco(*words):
    return subprocess.run([ARGUMENTS.graco, *words], check=True, capture_output=True, text=True).stdout


def graco_epochs(method, data, objective, folder, number):
    out = os.path.join(folder, f"run{number}")
    words = ["--objective", objective] if objective else []
    graco("train", data, "--method", method, "-o", out, "--device", "cpu", "--threads", str(ARGUMENTS.threads),
          "--epochs", str(ARGUMENTS.epochs), "--json", "-q", *words)
    with open(os.path.join(out, "metrics.jsonl")) as lines:
        times = [json.loads(line)["seconds"] for line in lines]
    with open(os.path.join(out, "config.json")) as file:
        return times[1:], json.load(file)


def peer_epochs(epoch):
    times = []
    for _ in range(ARGUMENTS.epochs):
        begin = time.perf_counter()
        epoch()
        times.append(time.perf_counter() - begin)
    return times[1:]


def compare(method, data, objective=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.npz")
        graco("convert", data, path)
        ours, settings = graco_epochs(method, data, objective, folder, 0)
        theirs = {way: [] for way in WAYS}
        epochs = {way: PEERS[method](Subject(path, settings, way), objective) for way in WAYS}
        for number in range(1, ARGUMENTS.rounds + 1):
            ours += graco_epochs(method, data, objective, folder, number)[0]
            for way, epoch in epochs.items():
                theirs[way] += peer_epochs(epoch)
    ms = 1e3 * statistics.median(ours)
    peer = {way: 1e3 * statistics.median(times) for way, times in theirs.items()}
    best = min(peer, key=peer.get)
    print(f"{method} {data} {objective or ''}: graco {ms:.2f} ms; PyTorch "
          + ", ".join(f"{way} {time:.2f}" for way, time in peer.items())
          + f": {peer[best] / ms:.1f} times against {best}", flush=True)


print(f"PyTorch {torch.__version__}, {ARGUMENTS.threads} threads")
for row in ARGUMENTS.rows:
    compare(*row.split(":"))
