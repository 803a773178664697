#!/usr/bin/env python3
"""The mini-batch step of bench_inductive in plain PyTorch: blocks of the same sizes, the same encoder.

    bench_inductive DATASET | peer_torch_sage.py [--batches N] [--threads N]

Three mean-pooling layers of width 512 with ELU, the projector, both views' negatives within the batch, Adam. Blocks
have random edges of the given numbers; each view keeps its own share of them. Sampling and gathering are not done
here, so the time compares with graco's `compute` alone. Prints one JSON object.
"""
import argparse
import json
import resource
import statistics
import sys
import time

import torch
import torch.nn.functional as F

HIDDEN, TAU, DROP = 512, 0.5, (0.1, 0.2)


def pooling(hop):
    """D^-1 (A + I) as a sparse matrix (targets, sources) for each view."""
    targets, sources, edges = hop["targets"], hop["sources"], hop["edges"]
    row, col = torch.randint(targets, (edges,)), torch.randint(sources, (edges,))
    views = []
    for drop in DROP:
        keep = torch.rand(edges) >= drop
        r, c = torch.cat([row[keep], torch.arange(targets)]), torch.cat([col[keep], torch.arange(targets)])
        degree = torch.zeros(targets).index_add_(0, r, torch.ones(len(r)))
        views.append(torch.sparse_coo_tensor(torch.stack([r, c]), 1 / degree[r], (targets, sources)).coalesce())
    return views


def encode(x, pools, layers):
    for pool, (weight, bias) in zip(pools, layers):
        x = F.elu(torch.cat([torch.sparse.mm(pool, x), x[: pool.shape[0]]], 1) @ weight + bias)
    return x


def objective(u, v):
    u, v = F.normalize(u), F.normalize(v)
    similar = lambda a, b: torch.exp(a @ b.T / TAU)
    half = lambda a, b: -torch.log(similar(a, b).diag() / (similar(a, a).sum(1) + similar(a, b).sum(1) - similar(a, a).diag()))
    return (half(u, v) + half(v, u)).mean() / 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    given = json.load(sys.stdin)
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    hops = given["hops"][::-1]  # the first layer works on the outermost hop
    widths = [given["features"], HIDDEN, HIDDEN]
    glorot = lambda a, b: torch.nn.init.xavier_uniform_(torch.empty(a, b)).requires_grad_()
    layers = [(glorot(2 * w, HIDDEN), torch.zeros(HIDDEN, requires_grad=True)) for w in widths]
    P1, P2 = glorot(HIDDEN, HIDDEN), glorot(HIDDEN, HIDDEN)
    c1, c2 = (torch.zeros(HIDDEN, requires_grad=True) for _ in range(2))
    optimiser = torch.optim.Adam([p for pair in layers for p in pair] + [P1, P2, c1, c2], lr=1e-5, weight_decay=1e-5)
    X = torch.rand(hops[0]["sources"], given["features"])
    pools = [pooling(hop) for hop in hops]
    project = lambda h: F.elu(h @ P1 + c1) @ P2 + c2
    seconds = []
    for _ in range(options.batches + 1):
        begin = time.perf_counter()
        masks = [(torch.rand(given["features"]) >= p).float() for p in (0.3, 0.2)]
        U, V = (project(encode(X * mask, [pool[view] for pool in pools], layers)) for view, mask in enumerate(masks))
        loss = objective(U, V)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"batch_seconds_median": statistics.median(seconds[1:]), "threads": options.threads,
                      "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                      "graco_compute": given["compute"],
                      "ratio": statistics.median(seconds[1:]) / given["compute"]}))


if __name__ == "__main__":
    main()
