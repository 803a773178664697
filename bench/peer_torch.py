#!/usr/bin/env python3
"""GRACE in plain PyTorch, written from the paper: what most users would run, and what graco is measured against.

Features are dense and the similarities are dense N x N matrices, as in the authors' program;
expert_torch.py is the same training as fast as PyTorch allows. torch_common.py has the command line.
"""
import numpy as np
from torch_common import (ARGUMENTS, check_config, compiled, draw_masks, read_checkpoint, read_edges,
                          run)  # first: it sets threads
import torch
from torch.nn import functional

from dense_features import read_features


# ---- The model --------------------------------------------------------------------------------------


class Propagation:
    """D^-1/2 (A + I) D^-1/2 of the kept edges; D counts edges into a node, and the loop."""

    def __init__(self, source, target, nodes, sparse):
        loop = torch.arange(nodes, device=source.device)
        self.source, self.target = torch.cat([source, loop]), torch.cat([target, loop])
        scale = torch.bincount(self.target, minlength=nodes).float().rsqrt()
        self.weight = scale[self.source] * scale[self.target]
        self.matrix = None
        if sparse:
            self.matrix = torch.sparse_coo_tensor(torch.stack([self.target, self.source]), self.weight,
                                                  (nodes, nodes))

    def __call__(self, H):
        if self.matrix is not None:
            return torch.sparse.mm(self.matrix, H)
        return torch.zeros_like(H).index_add(0, self.target, self.weight[:, None] * H[self.source])


def encode(p, config, X, propagate):
    H = X
    for k in range(1, int(config["layers"]) + 1):
        H = propagate(H @ p[f"W{k}"]) + p[f"b{k}"]
        if config["activation"] == "prelu":
            H = functional.prelu(H, p["prelu"].reshape(1))
        else:
            H = {"relu": torch.relu, "elu": functional.elu}[config["activation"]](H)
    return H


def project(p, H):
    return functional.elu(H @ p["P1"] + p["c1"]) @ p["P2"] + p["c2"]


def half_loss(Z1, Z2, tau):
    """-log of each node's positive over its positive and all its negatives, anchors in the first view."""
    refl_sim = torch.exp(Z1 @ Z1.t() / tau)
    between_sim = torch.exp(Z1 @ Z2.t() / tau)
    return -torch.log(between_sim.diag() /
                      (refl_sim.sum(1) + between_sim.sum(1) - refl_sim.diag()))


def grace_loss(G1, G2, tau):
    Z1, Z2 = functional.normalize(G1), functional.normalize(G2)
    return ((half_loss(Z1, Z2, tau) + half_loss(Z2, Z1, tau)) / 2).mean()


# ---- Training ---------------------------------------------------------------------------------------


class Training:
    def __init__(self):
        self.config, parameters = read_checkpoint(ARGUMENTS.model)
        check_config(self.config)
        self.parameters = {name: tensor.to(ARGUMENTS.device).requires_grad_() for name, tensor in parameters.items()}
        arrays = np.load(ARGUMENTS.data)
        self.X = torch.from_numpy(read_features(arrays, self.config["scaling"])).to(ARGUMENTS.device)
        self.source, self.target = (end.to(ARGUMENTS.device) for end in read_edges(arrays))
        self.loss = compiled(grace_loss)
        self.optimiser = torch.optim.Adam(list(self.parameters.values()), lr=float(self.config["lr"]),
                                          weight_decay=float(self.config["weight_decay"]))

    def draw(self, epoch):
        return draw_masks(self.config, epoch, len(self.source), self.X.shape[1])

    def project_view(self, edges, features):
        X = self.X.clone()
        X[:, ~features] = 0
        propagate = Propagation(self.source[edges], self.target[edges], X.shape[0],
                                ARGUMENTS.propagation == "sparse")
        return project(self.parameters, encode(self.parameters, self.config, X, propagate))

    def embed(self):
        """The encoder's output for the whole graph: the embeddings."""
        propagate = Propagation(self.source, self.target, self.X.shape[0], ARGUMENTS.propagation == "sparse")
        return encode(self.parameters, self.config, self.X, propagate)

    def step(self, masks):
        self.optimiser.zero_grad()
        loss = self.loss(*(self.project_view(*kept) for kept in masks), float(self.config["tau"]))
        loss.backward()
        self.optimiser.step()
        return loss.item()


if __name__ == "__main__":
    run(Training)
