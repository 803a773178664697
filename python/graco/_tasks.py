"""What embeddings are good for besides classes: links that were held out, and clusters."""

from __future__ import annotations

import os
import tempfile
from ctypes import POINTER, byref, c_int32, c_void_p
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._arrow import as_table
from ._evaluate import as_embeddings, join_graph, join_labels
from ._graph import Graph, _path, whole_graph, create, graph_of
from ._progress import Interrupts
from ._reading import as_array, as_number

# ---- Links ----------------------------------------------------------------------------------------


def split_links(
    graph: Any,
    test: float = 0.1,
    validation: float = 0.05,
    *,
    seed: int = 0,
    path: Any = None,
) -> tuple[Graph, np.ndarray]:
    """Holds links out of a graph, so that `link_scores` can test whether embeddings know them.

    A link is a pair of nodes with an edge in either direction, and both go. The same seed gives the same
    links as the command `graco split-links`.

    Parameters
    ----------
    graph : Graph, or whatever Graph takes as edges.
    test, validation : shares of the links that are held out.
    path : where to write both as the command does, an .npz file or a folder; None: nowhere.

    Returns
    -------
    left : the graph without them: train on this one.
    links : (pairs, 4) int32: two nodes; the part they belong to, 0 training, 1 validation, 2 test; and 1 for
        a link, 0 for a pair without one. Each part has as many of both.

    Examples
    --------
    >>> import graco
    >>> ring = graco.Graph([(i, (i + 1) % 100) for i in range(100)])
    >>> left, links = graco.split_links(ring)
    >>> ring.n_edges, left.n_edges, links.shape
    (200, 170, (200, 4))
    """
    graph = whole_graph(graph)
    options = c.LinksOptions(seed=c.whole(seed, "seed", bits=64))
    for name, value in (("test", test), ("validation", validation)):
        share = as_number(value, f"{name} is")
        if share != share:
            raise c.GracoArgumentError(f"{name} is nan: expected a share from 0 to 1")
        setattr(options, name, share)
    with tempfile.TemporaryDirectory() as folder:
        target = _path(os.path.join(folder, "links.npz") if path is None else path)
        c.check(c.lib.graco_links_split(graph._handle.address, target, byref(options)))
        out, found = c_void_p(), c.Links()
        c.check(c.lib.graco_dataset_load(byref(out), target, None))
        left = Graph._of(c.Handle(out.value, "graco_dataset_free"), graph._names, graph._classes)
        c.check(c.lib.graco_links_load(byref(found), target))
    try:
        return left, np.ctypeslib.as_array(found.pair, shape=(found.count, 4)).copy()
    finally:
        c.lib.graco_links_clear(byref(found))


@dataclass(frozen=True)
class LinkScores:
    """How well embeddings tell links from other pairs of nodes, by each way to score a pair.

    "dot" is the inner product of two rows, "cosine" their cosine, "hadamard" a logistic regression on their
    products, number by number.
    """

    links: int  #: pairs of the test part with a link
    others: int  #: and without one
    auc: dict  #: by score: the area under the ROC curve, 0 to 1
    average_precision: dict  #: by score
    C: float = field(repr=False)  #: of the regression
    converged: bool = field(repr=False)
    seconds: float = field(repr=False)

    def __str__(self) -> str:
        scores = (f"{name} AUC {self.auc[name]:.4f} AP {self.average_precision[name]:.4f}" for name in self.auc)
        return f"{self.links} test links against {self.others} other pairs: {', '.join(scores)}"


def _give_links(links: Any, nodes: int) -> tuple[c.Links, np.ndarray]:
    """Links as C takes them, which trusts that nodes are numbers from 0 and parts are parts."""
    array = as_array(links, "links")
    if array.ndim != 2 or array.shape[1] != 4 or array.dtype.kind not in "iu":
        raise c.GracoFormatError(f"links of shape {array.shape} and type {array.dtype}: expected whole numbers, four in "
                                 "a row, (node, node, part, link), as split_links gives them")
    most = np.array([nodes - 1, nodes - 1, 2, 1])
    wrong = np.flatnonzero(((array < 0) | (array > most)).any(axis=1))
    if len(wrong):
        raise c.GracoFormatError(f"row {wrong[0]} of links is {array[wrong[0]].tolist()}: expected two nodes of {nodes}, "
                                 "a part 0 to 2, and 0 or 1")
    array = np.ascontiguousarray(array, dtype=np.int32)
    return c.Links(len(array), array.ctypes.data_as(POINTER(c_int32))), array


def link_scores(Z: Any, graph: Any, links: Any, *, threads: int = 0) -> LinkScores:
    """Scores embeddings by how well they tell the test part's links from its other pairs.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node, of a training on `graph`.
    graph : what `split_links` left. One that still has an edge where a link was held out is refused.
    links : the links that it gave.
    threads : 0: one per core. Never changes the result.
    """
    graph = whole_graph(graph)
    Z, _ = join_graph(Z, graph)
    matrix, keep = c.give_matrix(Z)
    given, kept = _give_links(links, graph.n_nodes)
    result = c.LinkResult()
    c.check(c.lib.graco_evaluate_links(byref(result), byref(matrix), graph._handle.address, byref(given),
                                       c.whole(threads, "threads")))
    del keep, kept
    return LinkScores(
        links=result.links,
        others=result.others,
        auc={c.text(score.name): score.auc for score in result.score},
        average_precision={c.text(score.name): score.average_precision for score in result.score},
        C=result.C,
        converged=result.converged,
        seconds=result.seconds,
    )


# ---- Clusters -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clusters:
    """Clusters of embeddings and how good they are; a number is NaN where nothing was there to measure it by."""

    clusters: int
    cluster: np.ndarray = field(repr=False)  #: (nodes) int32, the cluster of each row of Z; -1: not in the graph
    labelled: int  #: nodes with a known label
    nmi: float  #: normalised mutual information with the labels
    ari: float  #: adjusted Rand index
    accuracy: float  #: share of nodes whose cluster is matched with their class
    modularity: float  #: of the clusters on the graph's edges
    silhouette: float
    seconds: float = field(repr=False)


def cluster(
    Z: Any, data: Any = None, clusters: int = 0, *, starts: int = 10, seed: int = 0, threads: int = 0
) -> Clusters:
    """Clusters embeddings, rows scaled to length one, by k-means.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node. Rows that have names are joined with the nodes of a graph; one
        that the graph does not have is in no cluster.
    data : what the clusters are compared with: a Graph or a graph of another library, or labels as Graph takes
        them; None: nothing.
    clusters : 0: as many as the labelled nodes have classes.
    starts : of k-means, of which the best is kept.
    threads : 0: one per core. Never changes the result.

    Examples
    --------
    >>> import numpy as np, graco
    >>> found = graco.cluster(np.eye(2)[[0, 1, 1, 0]], [0, 1, 1, 0])
    >>> found.clusters, found.nmi
    (2, 1.0)
    """
    order: Optional[np.ndarray] = None
    Z, graph = as_table(Z), graph_of(data)
    if graph is not None:
        handle = graph._asked()._handle
        given, (Z, order) = Z, join_graph(Z, graph)
    elif data is not None:
        Z, labels = join_labels(Z, data)
        handle = Graph(labels=labels)._handle
    else:
        Z = as_embeddings(Z)
        handle = create({"nodes": len(Z) if Z.ndim else 0})
    matrix, keep = c.give_matrix(Z)
    options = c.ClusterOptions(
        clusters=c.whole(clusters, "clusters"), starts=c.whole(starts, "starts"),
        seed=c.whole(seed, "seed", bits=64), threads=c.whole(threads, "threads"))
    result = c.ClusterResult()
    with Interrupts() as interrupts:
        interrupts.watch(options)
        status = c.lib.graco_evaluate_clusters(byref(result), byref(matrix), handle.address, byref(options))
    del keep
    try:
        interrupts.check(status)
        found = np.ctypeslib.as_array(result.cluster, shape=(result.nodes,)).copy()
        if order is not None:  # back to the rows of Z
            rows, found = found, np.full(len(given), -1, found.dtype)  # -1: not in the graph
            found[order] = rows
        names = ("clusters", "labelled", "nmi", "ari", "accuracy", "modularity", "silhouette", "seconds")
        return Clusters(cluster=found, **{name: getattr(result, name) for name in names})
    finally:
        c.lib.graco_cluster_result_clear(byref(result))
