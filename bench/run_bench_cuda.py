#!/usr/bin/env python3
"""Measures graco on this machine's GPU: against the same training in PyTorch, against cuBLAS, and on
graphs that PyTorch's N x N matrices do not fit. `make bench-cuda` builds what this needs and runs it.

PyTorch trains GRACE as its authors' program does: dense features, four N x N matrices of similarities,
neighbours summed by PyTorch Geometric's GCNConv where that is installed, else by torch.sparse.mm. It
runs in float32, with TF32 and in half precision (autocast, with PyTorch's own scaling of the loss), the
last two also with the loss under torch.compile. graco's exact objective runs in the same three
precisions, so that like is compared with like. Round by round every program runs once; a ratio is taken
within a round, and the median over the rounds is reported. Prints Markdown tables and writes everything
measured to a JSON file.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as missing:
    sys.exit(f"run_bench_cuda: this python3 has no {missing.name}; expected one with PyTorch for CUDA")

from dense_features import read_features

try:
    from torch_geometric.nn import GCNConv
except ImportError:
    GCNConv = None

# PyTorch's modes, each with the graco training of the same precision.
MODES = {"float32": "graco exact, fp32", "TF32": "graco exact, tf32", "TF32, compile": "graco exact, tf32",
         "fp16": "graco exact, fp16", "fp16, compile": "graco exact, fp16"}
PROGRAMS = {"graco exact, fp16": ["--precision", "fp16"], "graco exact, tf32": ["--precision", "tf32"],
            "graco exact, fp32": ["--precision", "fp32"],
            "graco moment, tf32": ["--set", "objective=moment", "--precision", "tf32"],
            "graco moment, fp32": ["--set", "objective=moment", "--precision", "fp32"]}
OBJECTIVES = (("fp16", 19717, 256), ("fp16-portable", 19717, 256), ("tf32", 19717, 256), ("fp32", 19717, 256),
              ("fp16", 100000, 128), ("fp16", 100000, 256))
GRAPHS = ((200000, 256), (1000000, 128))  # nodes, width


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build", help="folder with graco and bench_cuda")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=60, help="of one measurement")
    parser.add_argument("--data", nargs="*", default=["cora", "citeseer", "pubmed", "dblp"])
    parser.add_argument("--no-large", action="store_true", help="leave the generated graphs out")
    parser.add_argument("--output", default="bench/results/cuda.json")
    return parser.parse_args()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"run_bench_cuda: failed with {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


# ---- GRACE in PyTorch ---------------------------------------------------------------------------------


class Sparse(nn.Module):
    """A GCN layer by torch.sparse.mm, where there is no PyTorch Geometric."""

    def __init__(self, inside, outside):
        super().__init__()
        self.linear = nn.Linear(inside, outside)

    def forward(self, x, edges):
        n = x.shape[0]
        loop = torch.arange(n, device=x.device)
        source, target = torch.cat([edges[0], loop]), torch.cat([edges[1], loop])
        scale = torch.bincount(target, minlength=n).float().rsqrt()
        matrix = torch.sparse_coo_tensor(torch.stack([target, source]), scale[source] * scale[target], (n, n))
        product = functional.linear(x, self.linear.weight)
        with torch.autocast(x.device.type, enabled=False):  # PyTorch's sparse products know float32 alone
            return torch.sparse.mm(matrix, product.float()) + self.linear.bias


class Grace(nn.Module):
    def __init__(self, features, hidden, tau, prelu):
        super().__init__()
        layer = GCNConv or Sparse
        self.first, self.second = layer(features, 2 * hidden), layer(2 * hidden, hidden)
        self.activation = nn.PReLU() if prelu else nn.ReLU()
        self.up, self.down = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.tau = tau

    def embed(self, x, edges):
        x = self.activation(self.first(x, edges))
        return self.activation(self.second(x, edges))

    def half(self, a, b):
        a, b = functional.normalize(a), functional.normalize(b)
        own, other = torch.exp(a @ a.t() / self.tau), torch.exp(a @ b.t() / self.tau)
        return -torch.log(other.diag() / (own.sum(1) + other.sum(1) - own.diag()))

    def contrast(self, h1, h2):
        z1, z2 = (self.down(functional.elu(self.up(h))) for h in (h1, h2))
        return (self.half(z1, z2) + self.half(z2, z1)).mean() / 2


def corrupt(x, edges, drop_edge, drop_feature):
    kept = edges[:, torch.rand(edges.shape[1], device=x.device) >= drop_edge]
    mask = (torch.rand(x.shape[1], device=x.device) >= drop_feature).float()
    return x * mask, kept


class Peer:
    """One mode of PyTorch on one data set."""

    def __init__(self, mode, x, edges, config):
        torch.manual_seed(0)
        self.mode, self.x, self.edges, self.config = mode, x, edges, config
        self.model = Grace(x.shape[1], int(config["hidden"]), float(config["tau"]),
                           config["activation"] == "prelu").to(x.device)
        self.half = mode.startswith("fp16")
        self.contrast = torch.compile(self.model.contrast) if "compile" in mode else self.model.contrast
        self.scaler = torch.amp.GradScaler(x.device.type, init_scale=256, enabled=self.half)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=float(config["lr"]),
                                          weight_decay=float(config["weight_decay"]))

    def step(self):
        c = self.config
        self.optimiser.zero_grad()
        views = [corrupt(self.x, self.edges, float(c[f"drop_edge_{v}"]), float(c[f"drop_feature_{v}"]))
                 for v in (1, 2)]
        with torch.autocast(self.x.device.type, dtype=torch.float16, enabled=self.half):
            loss = self.contrast(*(self.model.embed(*view) for view in views))
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return loss

    def measure(self, epochs):
        """Median milliseconds of an epoch, the loss read back as it would be for a log."""
        precision = "highest" if self.mode == "float32" else "high"
        torch.set_float32_matmul_precision(precision)
        times = []
        for _ in range(5):
            self.step()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        for _ in range(epochs):
            begin = time.perf_counter()
            self.step().item()
            torch.cuda.synchronize()
            times.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(times), torch.cuda.max_memory_allocated()


# ---- Files --------------------------------------------------------------------------------------------


def read_data(path, scaling):
    arrays = np.load(path)
    X = read_features(arrays, scaling)
    device = torch.device("cuda")
    return torch.from_numpy(X).to(device), torch.from_numpy(arrays["edge_index"].astype(np.int64)).to(device)


def graco_epochs(arguments, data, epochs, folder, *options):
    out = os.path.join(folder, f"run-{time.monotonic_ns()}")
    line = run([os.path.join(arguments.build, "graco"), "train", data, "-o", out, "--device", "cuda", "--epochs",
                str(epochs), "--json", "--quiet", *options])
    return json.loads(line.strip().split("\n")[-1])


# ---- The measurements ---------------------------------------------------------------------------------


def compare_training(arguments, data, folder):
    graco = os.path.join(arguments.build, "graco")
    path = os.path.join(folder, f"{data}.npz")
    run([graco, "convert", data, path])
    config = json.loads(run([graco, "train", data, "-o", os.path.join(folder, f"{data}-0"), "--epochs", "0",
                             "--device", "cpu", "--json", "--quiet"]).strip().split("\n")[-1])
    with open(os.path.join(folder, f"{data}-0", "config.json")) as file:
        config = {**config, **json.load(file)}
    x, edges = read_data(path, config["scaling"] if "features" in config else "none")
    rounds = []
    peers = {mode: Peer(mode, x, edges, config) for mode in MODES}
    for i in range(arguments.rounds):
        entry = {}
        for name, options in PROGRAMS.items():
            result = graco_epochs(arguments, data, arguments.epochs, folder, *options)
            entry[name] = [result["epoch_ms_median"], result["buffer_bytes"]]
        for mode, peer in peers.items():
            entry[f"PyTorch {mode}"] = list(peer.measure(arguments.epochs))
        rounds.append(entry)
        say(f"{data}, round {i + 1}: " + ", ".join(f"{k} {v[0]:.3f} ms" for k, v in entry.items()))
    del peers
    torch.cuda.empty_cache()
    return rounds


def half_peak():
    """TFLOP/s of a large product of halves by cuBLAS."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.half) for _ in range(2))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(3):
        a @ b
    start.record()
    for _ in range(20):
        a @ b
    end.record()
    torch.cuda.synchronize()
    return 20 * 2 * 8192**3 / start.elapsed_time(end) / 1e9


def measure_objective(arguments):
    results = []
    program = os.path.join(arguments.build, "bench_cuda")
    for precision, n, d in OBJECTIVES:
        peak = half_peak()
        torch.cuda.empty_cache()
        result = json.loads(run([program, precision, str(n), str(d), "5"]))
        results.append({**result, "cublas_half_tflops": peak})
        say(f"objective {precision}, N = {n}, d = {d}: {result['tflops']} TFLOP/s, cuBLAS {peak:.0f}")
    return results


def measure_large(arguments, folder):
    results = []
    for nodes, width in GRAPHS:
        path = os.path.join(folder, f"graph-{nodes}")
        run([os.path.join(arguments.build, "graco"), "generate", path, "--nodes", str(nodes), "--features",
             str(width)])
        result = graco_epochs(arguments, path, 3, folder, "--set", f"hidden={width}")
        results.append({"nodes": nodes, "hidden": width, "epoch_ms": result["epoch_ms_median"],
                        "bytes": result["buffer_bytes"]})
        say(f"{nodes} nodes, h = {width}: {result['epoch_ms_median']:.0f} ms an epoch")
    return results


def main():
    arguments = parse_arguments()
    if not torch.cuda.is_available():
        print("run_bench_cuda: skipped: no GPU that PyTorch can use")
        return
    report = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "layers": "GCNConv" if GCNConv else "torch.sparse.mm", "epochs": arguments.epochs, "training": {}}
    with tempfile.TemporaryDirectory() as folder:
        for data in arguments.data:
            report["training"][data] = compare_training(arguments, data, folder)
        report["objective"] = measure_objective(arguments)
        if not arguments.no_large:
            report["large"] = measure_large(arguments, folder)
    os.makedirs(os.path.dirname(arguments.output) or ".", exist_ok=True)
    with open(arguments.output, "w") as file:
        json.dump(report, file, indent=1)
    print(f"\n{report['gpu']}, PyTorch {report['torch']} with {report['layers']}; medians of {arguments.rounds} "
          "rounds. A ratio is PyTorch's time by graco's exact one of the same precision, in the same round: "
          "above 1, graco is faster.\n")
    print("| data set | program, precision | ms an epoch | ratio at this precision | to graco's default, fp16 | "
          "MiB on the device |\n|---|---|---:|---:|---:|---:|")
    for data, rounds in report["training"].items():
        for name in rounds[0]:
            median = lambda values: statistics.median(list(values))
            same, default = MODES.get(name.removeprefix("PyTorch ")), "graco exact, fp16"
            ratios = [f"{median(r[name][0] / r[other][0] for r in rounds):.2f}x" if same else ""
                      for other in (same or default, default)]
            print(f"| {data} | {name} | {median(r[name][0] for r in rounds):.3f} | {ratios[0]} | {ratios[1]} | "
                  f"{rounds[0][name][1] / 2**20:.0f} |")
    print("\n| objective | N | d | forward ms | backward ms | TFLOP/s | of cuBLAS in halves |\n|---|---|---|---|---|---|---|")
    for r in report["objective"]:
        print(f"| {r['precision']} | {r['n']} | {r['d']} | {r['forward_ms']:.2f} | {r['backward_ms']:.2f} | "
              f"{r['tflops']:.0f} | {100 * r['tflops'] / r['cublas_half_tflops']:.0f} % |")
    print("\n| nodes | h | ms an epoch | GB on the device |\n|---|---|---|---|")
    for r in report.get("large", []):
        print(f"| {r['nodes']} | {r['hidden']} | {r['epoch_ms']:.0f} | {r['bytes'] / 1e9:.2f} |")


if __name__ == "__main__":
    main()
