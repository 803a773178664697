#!/usr/bin/env python3
"""Embeds the nodes of a graph with another program, as that program's documents say: what run_peers.py starts.

    peer_embed.py PEER GRAPH.npz OUT.npy [--seed N] [--threads N] [--device cpu|cuda] [--limit SECONDS]

GRAPH is what `graco convert` writes, so that row i of OUT is the node that graco calls i. Each peer is a function of
PEERS, called with its own default settings. Prints one JSON object: the versions and the seconds that loading the
libraries took. Ends with status 77 where a library is missing, and 75 where the training would take longer than
--limit, with one line that says so.
"""
import argparse
import importlib
import importlib.metadata
import json
import os
import sys
import tempfile
import time

MISSING, TOO_LONG = 77, 75
ENOUGH_EPOCHS, ENOUGH_SECONDS = 8, 20  # before it is said how long a training would take


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("graph", help="data set in graco's own format, .npz")
    parser.add_argument("out", help="embeddings to write, .npy")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds that a training may take")
    parser.add_argument("--model", help="torch_grace: model.safetensors of a run of 0 epochs")
    parser.add_argument("--epochs", type=int, help="torch_grace: epochs of the preset")
    return parser.parse_args()


def stop(status, line):
    print(line, file=sys.stderr)
    sys.exit(status)


def train(step, epochs):
    """Calls step epochs times; stops where the epochs after the first show that it would take too long."""
    clocks = []
    for epoch in range(epochs):
        step(epoch)
        clocks.append((time.monotonic(), time.process_time()))
        if epoch < ENOUGH_EPOCHS and clocks[-1][0] - clocks[0][0] < ENOUGH_SECONDS or epoch == 0:
            continue
        whole, processor = ((last - first) / epoch * epochs for first, last in zip(clocks[0], clocks[-1]))
        if whole > ARGUMENTS.limit:
            stop(TOO_LONG, f"{epochs} epochs would take {whole / 60:.0f} minutes, "
                           f"{processor / 60:.1f} minutes of processor time")


# ---- Edges alone ------------------------------------------------------------------------------------


class Graph:
    def __init__(self, path):
        import numpy as np
        self.np, self.arrays = np, np.load(path)
        self.nodes = int(self.arrays["num_nodes"])

    def pairs(self):
        """Every edge once: the peers add the way back themselves."""
        source, target = self.arrays["edge_index"]
        once = self.np.unique(self.np.stack([self.np.minimum(source, target), self.np.maximum(source, target)]), axis=1)
        return once.T.tolist()

    def features(self):
        from dense_features import read_features
        return read_features(self.arrays, "none")

    def in_order(self, names, vectors):
        """The vectors in the order of the nodes; a node without edges, which the peer has not seen, has zeros."""
        Z = self.np.zeros((self.nodes, vectors.shape[1]), dtype=self.np.float32)
        Z[[int(name) for name in names]] = vectors
        return Z


def cleora_matrix(graph):
    from pycleora import SparseMatrix
    return SparseMatrix.from_iterator((f"{a} {b}" for a, b in graph.pairs()), "complex::reflexive::product")


def pycleora(graph):
    """embed() with its defaults: 256 columns, 40 iterations, whitening after each."""
    from pycleora import embed
    matrix = cleora_matrix(graph)
    return graph.in_order(matrix.entity_ids, embed(matrix, seed=ARGUMENTS.seed))


def pycleora_features(graph):
    """embed_with_node_features() with its defaults, which takes no seed: 40 iterations, whitening after each, as many
    columns as features. (Its documents say that fewer iterations often work best here, and name no number.)"""
    from pycleora import embed_with_node_features
    matrix = cleora_matrix(graph)
    features = {str(node): row for node, row in enumerate(graph.features())}
    return graph.in_order(matrix.entity_ids, embed_with_node_features(matrix, features))


def pecanpy(graph):
    """the command pecanpy with its defaults: mode SparseOTF, p = q = 1, 10 walks of 80 steps, 128 columns. (It advises
    another mode for p = q = 1, which draws the walks faster; most of the time is spent in gensim, which trains.)"""
    from pecanpy import cli
    with tempfile.TemporaryDirectory() as folder:
        edges, out = os.path.join(folder, "graph.edg"), os.path.join(folder, "out.npz")
        with open(edges, "w") as file:
            file.writelines(f"{a}\t{b}\n" for a, b in graph.pairs())
        sys.argv = ["pecanpy", "--input", edges, "--output", out, "--random_state", str(ARGUMENTS.seed),
                    "--workers", str(ARGUMENTS.threads)]
        with open(os.devnull, "w") as silence:
            sys.stdout, kept = silence, sys.stdout
            cli.main()
            sys.stdout = kept
        found = graph.np.load(out)
        return graph.in_order(found["IDs"], found["data"])


# ---- Edges and features -----------------------------------------------------------------------------


def pyg_dgi(graph):
    """DeepGraphInfomax with the settings of its example on Cora: one GCNConv of width 512 and PReLU, rows of the
    features shuffled, Adam with a rate of 0.001, 300 epochs, on every data set."""
    import torch
    from torch_geometric.nn import DeepGraphInfomax, GCNConv

    class Encoder(torch.nn.Module):
        def __init__(self, features, hidden):
            super().__init__()
            self.layer, self.activation = GCNConv(features, hidden, cached=True), torch.nn.PReLU(hidden)

        def forward(self, x, edges):
            return self.activation(self.layer(x, edges))

    torch.manual_seed(ARGUMENTS.seed)
    x = torch.from_numpy(graph.features()).to(ARGUMENTS.device)
    edges = torch.from_numpy(graph.arrays["edge_index"].astype("int64")).to(ARGUMENTS.device)
    model = DeepGraphInfomax(hidden_channels=512, encoder=Encoder(x.shape[1], 512),
                             summary=lambda z, *_, **__: torch.sigmoid(z.mean(dim=0)),
                             corruption=lambda x, edges: (x[torch.randperm(len(x))], edges)).to(ARGUMENTS.device)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.001)

    def step(_):
        optimiser.zero_grad()
        loss = model.loss(*model(x, edges))
        loss.backward()
        optimiser.step()
        loss.item()

    train(step, 300)
    with torch.no_grad():
        return model.eval()(x, edges)[0].cpu().numpy()


def torch_grace(graph):
    """`bench/peer_torch.py`, written from the paper, with the paper's settings and graco's first weights."""
    sys.argv = ["peer_torch.py", ARGUMENTS.graph, ARGUMENTS.model, "--threads", str(ARGUMENTS.threads),
                "--masks", "torch", "--device", ARGUMENTS.device]
    import torch
    import peer_torch
    torch.manual_seed(ARGUMENTS.seed)
    training = peer_torch.Training()
    train(lambda epoch: training.step(training.draw(epoch)), ARGUMENTS.epochs)
    with torch.no_grad():
        return training.embed().cpu().numpy()


# What embeds, the modules that it loads first, and the packages whose versions count.
PEERS = {
    "pycleora": (pycleora, ["pycleora"], ["pycleora"]),
    "pycleora_features": (pycleora_features, ["pycleora"], ["pycleora"]),
    "pecanpy": (pecanpy, ["pecanpy.cli"], ["pecanpy", "gensim", "numba"]),
    "pyg_dgi": (pyg_dgi, ["torch", "torch_geometric.nn"], ["torch", "torch_geometric"]),
    "torch_grace": (torch_grace, ["torch"], ["torch"]),
}


def main():
    embed, modules, packages = PEERS[ARGUMENTS.peer]
    begin = time.monotonic()
    try:
        for name in ("numpy", *modules):
            importlib.import_module(name)
    except ImportError as missing:
        stop(MISSING, f"not installed: {missing.name}")
    loading = time.monotonic() - begin
    graph = Graph(ARGUMENTS.graph)
    graph.np.save(ARGUMENTS.out, embed(graph))
    versions = {"Python": sys.version.split()[0], **{name: version(name) for name in ("numpy", *packages)}}
    print(json.dumps({"loading_seconds": loading, "versions": versions}))


def version(package):
    """torch tells more of its version itself: where it comes from."""
    return getattr(sys.modules.get(package), "__version__", None) or importlib.metadata.version(package)


if __name__ == "__main__":
    ARGUMENTS = parse_arguments()
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON"):
        os.environ[f"{library}_NUM_THREADS"] = str(ARGUMENTS.threads)  # before the libraries load
    main()
