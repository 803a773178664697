"""graco: node embeddings of graphs, with or without labels.

    import graco
    g = graco.Graph(edges, features=X)            # arrays, scipy, networkx, PyG, DGL, frames
    model = graco.GRACE(hidden=256, epochs=500)
    Z = model.fit_transform(g)                    # a row for each node; model.node_ids_ has their names
    graco.evaluate(Z, y); graco.predict(Z, y)
    index, score = graco.neighbours(Z, k=10)
    graco.map(Z, g); graco.cluster(Z, g)          # places in the plane; k-means and its scores
    left, links = graco.split_links(g)            # train on `left`, then graco.link_scores(Z, left, links)

`graco.methods()` lists the methods, each of which is a class here; `help(graco.GRACE)` explains one.
"""

from __future__ import annotations

from ._estimators import Estimator, make_classes
from ._evaluate import Baseline, Evaluation, evaluate, predict, predict_proba
from ._graph import Graph, load
from ._map import Map, map
from ._neighbours import neighbours
from ._tasks import Clusters, LinkScores, cluster, link_scores, split_links
from ._library import (
    GracoArgumentError,
    GracoDeviceError,
    GracoError,
    GracoFormatError,
    GracoIOError,
    GracoMemoryError,
    GracoNumberError,
    lib as _lib,
)

__version__ = _lib.graco_version().decode()
_CLASSES = make_classes()
globals().update(_CLASSES)

# `map` is left out: after `from graco import *` Python's own must still be there.
__all__ = [
    "Baseline", "Clusters", "Estimator", "Evaluation", "Graph", "GracoArgumentError", "GracoDeviceError", "GracoError",
    "GracoFormatError", "GracoIOError", "GracoMemoryError", "GracoNumberError", "LinkScores", "Map", "cluster",
    "evaluate", "link_scores", "load", "methods", "neighbours", "predict", "predict_proba", "split_links", *_CLASSES,
]


def methods() -> dict[str, type[Estimator]]:
    """The estimators by the names that the command has for their methods.

    >>> import graco
    >>> graco.methods()["grace"] is graco.GRACE
    True
    """
    return {made.method: made for made in _CLASSES.values()}


def __getattr__(name: str) -> type[Estimator]:
    # For type checkers, which do not see the classes that the library's list makes.
    raise AttributeError(f"module 'graco' has no attribute {name!r}")
