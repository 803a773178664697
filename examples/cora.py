"""Cora, from the graph to predictions: run it as it stands, or cell by cell.

    python examples/cora.py [--epochs N]

Needs the package graco and the data set, which `graco fetch cora` gets.
"""

import argparse

import numpy as np

import graco

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--epochs", type=int, default=200, help="epochs of training")
epochs = parser.parse_args().epochs

# %% The graph: 2,708 papers, the words that they use, their subjects.
cora = graco.load("cora")
print(cora)

# %% Embeddings, with the settings that the paper gives for Cora. No label is looked at.
model = graco.GRACE.preset("cora", epochs=epochs)
Z = model.fit_transform(cora)
print(f"{model}: {Z.shape[0]} rows of {Z.shape[1]} numbers, loss {model.loss_:.4f}")

# %% How much a linear classifier on them knows, over random splits.
print("embeddings:", graco.evaluate(Z, cora, splits=5))

# %% A tenth of the labels is known: what are the others?
rng = np.random.default_rng(0)
known = np.where(rng.random(cora.n_nodes) < 0.1, cora.labels, -1)
predicted = graco.predict(Z, known)
hidden = known == -1
print(f"predicted: {100 * (predicted[hidden] == cora.labels[hidden]).mean():.1f} % of {hidden.sum()} right")

# %% The nearest papers to the first one.
unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
near = np.argsort(-unit @ unit[0])[1:6]
print("near to paper 0:", near.tolist(), "of subjects", cora.labels[near].tolist())
