"""Maps: a place in the plane for every node, as an array, a picture, a page, or a frame in a notebook."""

from __future__ import annotations

import html
import os
import tempfile
from ctypes import POINTER, byref, c_float, c_void_p
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._evaluate import as_embeddings, join_graph, join_labels
from ._graph import Graph, _path, graph_of
from ._reading import as_numbers, check_names, index_of, is_count


class Map:
    """A map of nodes, made by `graco.map`. A notebook shows it as a page to explore.

    Attributes
    ----------
    places : (nodes, 2) float32.
    nodes, clusters : how many there are.
    trustworthiness, continuity : whether nodes that lie side by side are alike, and whether alike ones lie side
        by side; 1 at best, NaN for fewer than four nodes.
    seconds : that it took.
    """

    def __init__(self, handle: c.Handle) -> None:
        self._handle = handle
        info = c.lib.graco_map_describe(handle.address)
        for name in ("nodes", "clusters", "trustworthiness", "continuity", "seconds"):
            setattr(self, name, getattr(info, name))
        self.places = self._written("npy", np.load)

    def _written(self, ending: str, read: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"map.{ending}")
            self.save(path)
            return read(path)

    def save(self, path: Any) -> None:
        """Writes it by the ending: .html, a page that needs no network; .svg and .png; .npy, the places."""
        c.check(c.lib.graco_map_save(self._handle.address, _path(path)))

    def __repr__(self) -> str:
        return (f"Map({self.nodes} nodes, {self.clusters} clusters, trustworthiness {self.trustworthiness:.3f}, "
                f"continuity {self.continuity:.3f})")

    def _repr_html_(self) -> str:
        return frame(self._written("html", _read_text), repr(self))


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def frame(page: str, title: str) -> str:
    """A page within a page. It has scripts and an origin of its own: it cannot reach what is around it."""
    return (f'<iframe title="{html.escape(title)}" sandbox="allow-scripts allow-downloads" width="100%" height="600" '
            f'style="border:0" srcdoc="{html.escape(page)}"></iframe>')


def _give_values(values: Optional[dict], nodes: int, keep: list) -> Any:
    """Columns of numbers, each with its name, as C takes them."""
    columns = (c.MapValues * max(len(values or {}), 1))()
    for i, (name, given) in enumerate((values or {}).items()):
        array = as_numbers(given, f"the values {name!r}")
        if array.shape != (nodes,) or array.dtype.kind not in "iufb":
            raise c.GracoFormatError(f"the values {name!r} have the shape {array.shape} and the type {array.dtype}: "
                                     f"expected {nodes} numbers, NaN where one is not known")
        array = np.ascontiguousarray(array, dtype=np.float32)
        columns[i] = c.MapValues(c.encode(name, "the name"), array.ctypes.data_as(POINTER(c_float)))
        keep.append(array)
    return columns


def map(
    Z: Any,
    data: Any = None,
    *,
    names: Any = None,
    values: Optional[dict] = None,
    title: str = "Map",
    k: int = 15,
    clusters: int = 0,
    epochs: int = 0,
    seed: int = 0,
    threads: int = 0,
    device: str = "auto",
) -> Map:
    """Lays out nodes in the plane: nodes with similar embeddings lie side by side.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node.
    data : a Graph, for names, labels and degrees, or labels as Graph takes them; None: neither.
    names : of the rows of Z; None: those of the graph or of the frame, else numbers.
    values : numbers to colour by: a dict of arrays, a number for each node, NaN: not known.
    title : of the page.
    k : neighbours of a node that the layout follows, at most 256.
    clusters : of k-means; 0: as many as there are classes, else 10.
    epochs : of the layout; 0: 500 up to 10,000 nodes, else 200.
    threads : 0: one per core. Never changes the result.
    device : for the neighbours, as in `neighbours`.

    Examples
    --------
    >>> import numpy as np, graco
    >>> found = graco.map(np.random.default_rng(0).normal(size=(50, 8)), epochs=10)
    >>> found.places.shape
    (50, 2)
    """
    index = index_of(Z)
    if names is None and index is not None and not is_count(index):
        names = index
    data = data if graph_of(data) is None else graph_of(data)
    if data is not None and not isinstance(data, Graph):
        Z, labels = join_labels(Z, data)
        data = Graph(labels=labels)
    elif data is not None:
        Z, order = join_graph(Z, data)
        if order is not None or (names is None and (data._names is not None or data._array("node_ids") is not None)):
            names = data._ids()
    matrix, kept = c.give_matrix(as_embeddings(Z))
    keep: list = [kept]
    options = c.lib.graco_map_defaults()
    if names is not None:
        names = check_names(names)
        if len(names) != matrix.rows:
            raise c.GracoArgumentError(f"names are {len(names)}: expected {matrix.rows}, one for each row")
        options.names = c.give_strings(names, keep).data
    columns = _give_values(values, matrix.rows, keep)
    options.values, options.value_count = columns, len(values or {})
    options.data = None if data is None else data._handle.address
    options.title, options.device = c.encode(title, "the title"), c.word(device, "device")
    options.k, options.clusters = c.whole(k, "k"), c.whole(clusters, "clusters")
    options.epochs, options.threads = c.whole(epochs, "epochs"), c.whole(threads, "threads")
    options.seed = c.whole(seed, "seed", bits=64)
    out = c_void_p()
    c.check(c.lib.graco_map_make(byref(out), byref(matrix), byref(options)))
    del keep
    return Map(c.Handle(out.value, "graco_map_free"))
