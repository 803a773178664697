#!/usr/bin/env python3
"""GRACE in PyTorch as an expert would write it for a CPU: the same losses as graco and peer_torch.py.

What it does better than peer_torch.py: features stay sparse, and masking them is masking rows of the first
weights, so one sparse product serves both views; both views go through every dense layer in one product;
similarities are computed once for each pair of blocks of rows, in tiles that stay near the cache, and kept
for the gradient; the gradient is written by hand (docs/math.md derives it), without autograd's copies;
every large tensor is allocated once and worked on in place; Adam's step is a few passes over one flat
vector of all parameters. torch_common.py has the command line.
"""
import warnings

import numpy as np
from torch_common import (ARGUMENTS, check_config, compiled, draw_masks, read_checkpoint, read_edges,
                          run)  # first: it sets threads
import torch

from dense_features import read_features, scale_entries

BLOCK = 384  # rows of a tile: the fastest of 192 to 2,708 on Cora
warnings.filterwarnings("ignore", message="Sparse")  # CSR is in beta state; nothing is checked


def csr(pointers, columns, values, shape):
    """A sparse matrix; not checked, which would take longer than to use it once."""
    make = getattr(torch, "_sparse_csr_tensor_unsafe", torch.sparse_csr_tensor)  # the name until PyTorch 1.13
    return make(pointers, columns, values, shape)


class Workspace:
    """Tensors by name, allocated when they are first asked for."""

    def __init__(self):
        self.tensors = {}

    def __call__(self, name, *shape):
        if name not in self.tensors or self.tensors[name].shape != shape:
            # Not empty: sparse products multiply what was there by beta = 0, and 0 x NaN is NaN.
            self.tensors[name] = torch.zeros(shape)
        return self.tensors[name]


# ---- Features ---------------------------------------------------------------------------------------


class SparseFeatures:
    """X in compressed rows, and its transpose."""

    def __init__(self, arrays, scaling):
        self.nodes, self.count = (int(n) for n in arrays["x_shape"])
        values = scale_entries(arrays, scaling)
        rows = np.repeat(np.arange(self.nodes), np.diff(arrays["x_indptr"]))
        columns = arrays["x_indices"].astype(np.int64)
        self.X = csr(torch.from_numpy(arrays["x_indptr"].astype(np.int64)), torch.from_numpy(columns),
                     torch.from_numpy(values), (self.nodes, self.count))
        order = np.argsort(columns, kind="stable")
        pointers = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=self.count))])
        self.transposed = csr(torch.from_numpy(pointers), torch.from_numpy(rows[order]),
                              torch.from_numpy(values[order]), (self.count, self.nodes))

    def times(self, W, out):
        return torch.addmm(out, self.X, W, beta=0, out=out)

    def transposed_times(self, G, out):
        return torch.addmm(out, self.transposed, G, beta=0, out=out)


class DenseFeatures:
    def __init__(self, arrays, scaling):
        self.X = torch.from_numpy(read_features(arrays, scaling))
        self.nodes, self.count = self.X.shape

    def times(self, W, out):
        return torch.mm(self.X, W, out=out)

    def transposed_times(self, G, out):
        return torch.mm(self.X.t(), G, out=out)


# ---- Propagation ------------------------------------------------------------------------------------


class Graph:
    """Edges and a loop at each node, sorted by target and by source: the kept ones of a view are listed
    without sorting."""

    def __init__(self, source, target, nodes):
        self.nodes, self.edges = nodes, len(source)
        loop = torch.arange(nodes)
        source, target = torch.cat([source, loop]), torch.cat([target, loop])
        self.sides = []
        for row, column in ((target, source), (source, target)):
            order = torch.argsort(row * nodes + column)
            self.sides.append((row[order], column[order], order))

    def matrices(self, kept):
        """D^-1/2 (A + I) D^-1/2 of the kept edges, and its transpose."""
        kept = torch.cat([kept, torch.ones(self.nodes, dtype=torch.bool)])
        scale, found = None, []
        for row, column, order in self.sides:
            here = kept[order]
            row, column = row[here], column[here]
            counts = torch.bincount(row, minlength=self.nodes)
            if scale is None:
                scale = counts.float().rsqrt_()
            pointers = torch.zeros(self.nodes + 1, dtype=torch.long)
            torch.cumsum(counts, 0, out=pointers[1:])
            found.append(csr(pointers, column, scale[row] * scale[column], (self.nodes, self.nodes)))
        return found


# ---- Activations, in place --------------------------------------------------------------------------


class Activation:
    """y = act(x) in place, and dx in place from y, or from x for PReLU, whose slope is learned."""

    def __init__(self, kind, slope=None, slope_gradient=None):
        self.kind, self.slope, self.slope_gradient = kind, slope, slope_gradient

    def forward(self, x, kept):
        if self.kind == "relu":
            return x.relu_()
        if self.kind == "elu":
            return torch.nn.functional.elu_(x)
        kept.copy_(x)
        return x.copy_(torch.nn.functional.prelu(x, self.slope.reshape(1)))

    def backward(self, dy, y, kept):
        if self.kind == "relu":
            return dy.mul_(y > 0)
        if self.kind == "elu":
            return dy.mul_(torch.clamp(y, max=0).add_(1))
        below = kept.clamp(max=0)
        self.slope_gradient.add_(torch.dot(below.reshape(-1), dy.reshape(-1)))
        return torch.where(kept > 0, dy, dy * self.slope, out=dy)


# ---- The objective ----------------------------------------------------------------------------------


def exponentiate(tile):
    """Exponentials in the place of a tile; the sums of its rows and of its columns."""
    tile.exp_()
    return tile.sum(1), tile.sum(0)


def exponentiate_diagonal(tile):
    """The same where a block meets itself: a row is no negative of its own, and sums of columns are those of rows."""
    tile.exp_().fill_diagonal_(0)
    return tile.sum(1)


def weigh(tile, rows, columns, room):
    """Weights in the place of exponentials; compiled it is one pass, which needs no room."""
    if ARGUMENTS.compile:
        tile.mul_(rows[:, None] + columns[None])
    else:
        tile.mul_(torch.add(rows[:, None], columns[None], out=room))


class Objective:
    """Loss and dZ of docs/math.md, section 5: Z has both views' unit rows, E = exp(Z Z' / tau) is kept as
    tiles of the upper triangle."""

    def __init__(self, nodes, width, tau, block):
        self.nodes, self.tau = nodes, tau
        # Blocks of equal size that do not cross the views.
        per_view = max(1, round(nodes / block))
        cuts = [nodes * i // per_view for i in range(per_view + 1)]
        cuts += [nodes + cut for cut in cuts[1:]]
        self.blocks = [slice(a, b) for a, b in zip(cuts, cuts[1:])]
        size = lambda s: s.stop - s.start
        self.tiles = {(i, j): torch.empty(size(self.blocks[i]), size(self.blocks[j]))
                      for i in range(len(self.blocks)) for j in range(i, len(self.blocks))}
        self.weights = torch.empty(max(map(size, self.blocks)) ** 2)
        self.scaled, self.dZ = torch.empty(2 * nodes, width), torch.empty(2 * nodes, width)
        self.sums = torch.empty(2 * nodes)
        self.exponentiate, self.exponentiate_diagonal, self.weigh = map(
            compiled, (exponentiate, exponentiate_diagonal, weigh))

    def forward(self, Z):
        torch.mul(Z, self.tau ** -0.5, out=self.scaled)
        self.sums.zero_()
        for (i, j), tile in self.tiles.items():
            I, J = self.blocks[i], self.blocks[j]
            torch.mm(self.scaled[I], self.scaled[J].t(), out=tile)
            if i == j:
                self.sums[I] += self.exponentiate_diagonal(tile)
                continue
            along, across = self.exponentiate(tile)
            self.sums[I] += along
            self.sums[J] += across
        n = self.nodes
        positive = torch.dot(self.scaled[:n].reshape(-1), self.scaled[n:].reshape(-1))
        return (self.sums.log().sum(dtype=torch.float64) - 2 * positive.double()).item() / (2 * n)

    def backward(self, Z):
        n, w, dZ = self.nodes, self.sums.reciprocal(), self.dZ
        torch.mul(Z[n:], -2, out=dZ[:n])
        torch.mul(Z[:n], -2, out=dZ[n:])
        for (i, j), tile in self.tiles.items():
            I, J = self.blocks[i], self.blocks[j]
            self.weigh(tile, w[I], w[J], self.weights[:tile.numel()].view_as(tile))
            dZ[I].addmm_(tile, Z[J])
            if i != j:
                dZ[J].addmm_(tile.t(), Z[I])
        return dZ.div_(2 * n * self.tau)


# ---- Training ---------------------------------------------------------------------------------------


class Parameters:
    """Everything that is learned as views of one flat vector, so are the gradients; Adam on the whole."""

    def __init__(self, tensors, config):
        self.lr, self.decay = float(config["lr"]), float(config["weight_decay"])
        count = sum(tensor.numel() for tensor in tensors.values())
        self.flat, self.gradient = torch.empty(count), torch.zeros(count)
        self.first, self.second, self.work = torch.zeros(count), torch.zeros(count), torch.empty(count)
        self.values, self.gradients, at = {}, {}, 0
        for name, tensor in tensors.items():
            end = at + tensor.numel()
            self.values[name] = self.flat[at:end].view(tensor.shape)
            self.gradients[name] = self.gradient[at:end].view(tensor.shape)
            self.values[name].copy_(tensor)
            at = end
        self.steps = 0

    def step(self):
        self.steps += 1
        g = self.gradient.add_(self.flat, alpha=self.decay)
        self.first.lerp_(g, 0.1)
        self.second.mul_(0.999).addcmul_(g, g, value=0.001)
        torch.sqrt(self.second, out=self.work).div_((1 - 0.999 ** self.steps) ** 0.5).add_(1e-8)
        self.flat.addcdiv_(self.first, self.work, value=-self.lr / (1 - 0.9 ** self.steps))


class Training:
    def __init__(self):
        torch.set_grad_enabled(False)
        self.config, tensors = read_checkpoint(ARGUMENTS.model)
        check_config(self.config)
        self.p = Parameters(tensors, self.config)
        arrays = np.load(ARGUMENTS.data)
        self.features = (DenseFeatures if "x" in arrays else SparseFeatures)(arrays, self.config["scaling"])
        self.graph = Graph(*read_edges(arrays), self.features.nodes)
        self.layers = int(self.config["layers"])
        self.activation = Activation(self.config["activation"], self.p.values.get("prelu"),
                                     self.p.gradients.get("prelu"))
        self.elu = Activation("elu")
        self.work = Workspace()
        self.objective = Objective(self.features.nodes, int(self.config["hidden"]), float(self.config["tau"]),
                                   ARGUMENTS.block or BLOCK)

    def draw(self, epoch):
        return draw_masks(self.config, epoch, self.graph.edges, self.features.count)

    def propagate(self, matrices, H, out):
        """Each view's matrix times its half of the rows."""
        n = self.features.nodes
        for view, matrix in enumerate(matrices):
            half = out[view * n:(view + 1) * n]
            torch.addmm(half, matrix, H[view * n:(view + 1) * n], beta=0, out=half)
        return out

    def first_product(self, masks):
        """X diag(m) W1 of both views, stacked: one product with both masked W1 side by side."""
        W, n = self.p.values["W1"], self.features.nodes
        width = W.shape[1]
        both, sides = self.work("W1 W1", W.shape[0], 2 * width), self.work("XW XW", n, 2 * width)
        for view, (_, kept) in enumerate(masks):
            torch.mul(W, kept[:, None], out=both[:, view * width:(view + 1) * width])
        self.features.times(both, sides)
        stacked = self.work("XW", 2 * n, width)
        stacked[:n], stacked[n:] = sides[:, :width], sides[:, width:]
        return stacked

    def first_gradient(self, masks, dXW):
        W, n = self.p.values["W1"], self.features.nodes
        width = W.shape[1]
        both, sides = self.work("W1 W1", W.shape[0], 2 * width), self.work("XW XW", n, 2 * width)
        sides[:, :width], sides[:, width:] = dXW[:n], dXW[n:]
        self.features.transposed_times(sides, both)
        gradient = self.p.gradients["W1"]
        torch.mul(both[:, :width], masks[0][1][:, None], out=gradient)
        gradient.add_(both[:, width:] * masks[1][1][:, None])

    def step(self, masks):
        p, g, work = self.p.values, self.p.gradients, self.work
        rows = 2 * self.features.nodes
        pairs = [self.graph.matrices(edges) for edges, _ in masks]
        forward, backward = zip(*pairs)
        if "prelu" in g:
            g["prelu"].zero_()

        # Encoder and projector, both views stacked.
        H, inputs = None, []
        for k in range(1, self.layers + 1):
            W = p[f"W{k}"]
            product = self.first_product(masks) if k == 1 else torch.mm(H, W, out=work(f"HW{k}", rows, W.shape[1]))
            inputs.append(H)
            H = self.propagate(forward, product, work(f"H{k}", rows, W.shape[1])).add_(p[f"b{k}"])
            kept = work(f"x{k}", *H.shape) if self.config["activation"] == "prelu" else None
            self.activation.forward(H, kept)
        Q = torch.addmm(p["c1"], H, p["P1"], out=work("Q", rows, p["P1"].shape[1]))
        self.elu.forward(Q, None)
        G = torch.addmm(p["c2"], Q, p["P2"], out=work("G", rows, p["P2"].shape[1]))
        norms = torch.linalg.vector_norm(G, dim=1, keepdim=True).clamp_(min=1e-12)
        Z = torch.div(G, norms, out=work("Z", *G.shape))
        loss = self.objective.forward(Z)

        # The way back.
        dG = self.objective.backward(Z)
        dG.addcmul_(Z, (Z * dG).sum(1, keepdim=True), value=-1).div_(norms)
        torch.mm(Q.t(), dG, out=g["P2"])
        torch.sum(dG, 0, keepdim=True, out=g["c2"])
        dQ = torch.mm(dG, p["P2"].t(), out=work("dQ", *Q.shape))
        self.elu.backward(dQ, Q, None)
        torch.mm(H.t(), dQ, out=g["P1"])
        torch.sum(dQ, 0, keepdim=True, out=g["c1"])
        dH = torch.mm(dQ, p["P1"].t(), out=work(f"dH{self.layers}", *H.shape))
        for k in range(self.layers, 0, -1):
            self.activation.backward(dH, work(f"H{k}", *dH.shape), work.tensors.get(f"x{k}"))
            torch.sum(dH, 0, keepdim=True, out=g[f"b{k}"])
            back = self.propagate(backward, dH, work(f"dHW{k}", *dH.shape))
            if k == 1:
                self.first_gradient(masks, back)
            else:
                torch.mm(inputs[k - 1].t(), back, out=g[f"W{k}"])
                dH = torch.mm(back, p[f"W{k}"].t(), out=work(f"dH{k - 1}", *inputs[k - 1].shape))
        self.p.step()
        return loss


if __name__ == "__main__":
    run(Training)
