"""Maps: a place in the plane for every node, as an array, a picture, a page, or a frame in a notebook."""

from __future__ import annotations

import html
import os
import tempfile
from ctypes import POINTER, byref, c_char_p, c_float, c_void_p, cast
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._arrow import Table, as_table
from ._evaluate import as_embeddings, join_graph, join_labels, join_rows, row_names
from ._graph import Graph, _path, graph_of, whole_graph
from ._progress import Interrupts
from ._reading import as_numbers, check_names, index_of, is_count, is_frame, with_ids


class Map:
    """A map of nodes, made by `graco.map`. A notebook shows it as a page to explore.

    Attributes
    ----------
    places : (rows of Z, 2) float32, in the order of these rows; NaN: not in the graph. So is a saved .npy.
    nodes, clusters : how many there are.
    trustworthiness, continuity : whether nodes that lie side by side are alike, and whether alike ones lie side
        by side; 1 at best, NaN for fewer than four nodes.
    seconds : that it took.
    """

    def __init__(self, handle: c.Handle, order: Optional[np.ndarray] = None, rows: int = 0) -> None:
        self._handle = handle
        info = c.lib.graco_map_describe(handle.address)
        for name in ("nodes", "clusters", "trustworthiness", "continuity", "seconds"):
            setattr(self, name, getattr(info, name))
        self.places = self._written("npy", np.load)
        self._joined = order is not None
        if order is not None:  # back to the rows of Z
            places, self.places = self.places, np.full((rows, 2), np.nan, np.float32)
            self.places[order] = places

    def _written(self, ending: str, read: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"map.{ending}")
            c.check(c.lib.graco_map_save(self._handle.address, _path(path)))
            return read(path)

    def save(self, path: Any) -> None:
        """Writes it by the ending: .html, a page that needs no network; .svg and .png; .npy, the places."""
        c.check(c.lib.graco_map_save(self._handle.address, _path(path)))
        if self._joined and os.fsdecode(path).lower().endswith(".npy"):  # C knows the graph's order alone
            with open(path, "wb") as file:
                np.save(file, self.places)

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


def _columns(values: Any) -> list[tuple[Any, Any]]:
    """The name and the numbers of each column."""
    if values is None:
        return []
    if isinstance(values, Table):
        columns = [values.column(i) for i in range(len(values.columns))]
        named = not isinstance(values.index, range)
        return [(name, dict(zip(values.index, numbers)) if named else numbers)
                for name, numbers in zip(values.columns, columns)]
    if is_frame(values):
        return [(name, values.iloc[:, i]) for i, name in enumerate(values.columns)]
    if not isinstance(values, dict):
        raise c.GracoArgumentError(f"values are {c.shown(values)}: expected a frame, or a dict of arrays by name")
    return list(values.items())


def _give_values(columns: list[tuple], rows: int, order: Optional[np.ndarray], keep: list) -> Any:
    """Columns of numbers, one for each of the `rows` of Z, as C takes them: those of the rows `order`."""
    given = (c.MapValues * max(len(columns), 1))()
    for i, (name, numbers) in enumerate(columns):
        what = f"the values {name!r}"
        array = as_numbers(numbers, what)
        if array.shape != (rows,) or array.dtype.kind not in "iufb":
            raise c.GracoFormatError(f"{what} have the shape {array.shape} and the type {array.dtype}: "
                                     f"expected {rows} numbers, NaN where one is not known")
        array = np.ascontiguousarray(array if order is None else array[order], dtype=np.float32)
        given[i] = c.MapValues(c.encode(name, "the name"), array.ctypes.data_as(POINTER(c_float)))
        keep.append(array)
    return given


def map(
    Z: Any,
    data: Any = None,
    *,
    names: Any = None,
    values: Any = None,
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
    data : a Graph or a graph of another library, for names, labels and degrees, or labels as Graph takes them; None:
        neither. Rows of Z that have names are joined with a graph's nodes; one that the graph does not have is not
        on the map.
    names : to show for the rows of Z; None: those of the frame or of the graph, else numbers.
    values : numbers to colour by: a frame, or a dict of arrays or series; a number for each row of Z, NaN: not
        known. Those that have an index are joined with Z's, or with the graph's nodes, by name.
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
    data = as_table(data)
    graph, order, Z = graph_of(data), None, with_ids(Z, "embeddings")
    graph = None if graph is None else whole_graph(graph)
    own, joined, array = index_of(Z), row_names(Z, data), as_embeddings(Z)
    shown = own if own is not None and not is_count(own) else None
    rows = len(array) if array.ndim else 0
    if graph is not None:
        Z, order = join_graph(Z, graph)
        joined = own if order is not None else graph._ids().tolist()
        if graph._named:
            shown = joined
    elif data is not None:
        Z, labels = join_labels(Z, data)
        graph = Graph(labels=labels)
    matrix, kept = c.give_matrix(as_embeddings(Z))
    keep: list = [kept]
    options = c.lib.graco_map_defaults()
    names = shown if names is None else check_names(names)
    if names is not None:
        if len(names) != rows:
            raise c.GracoArgumentError(f"names are {len(names)}: expected {rows}, one for each row")
        names = names if order is None else [names[row] for row in order]
        options.names = cast(c.give_strings(names, keep).data, POINTER(c_char_p))
    columns = [(name, join_rows(own if index_of(numbers) == own else joined, numbers, f"the values {name!r}"))
               for name, numbers in _columns(with_ids(values, "values"))]
    options.values, options.value_count = _give_values(columns, rows, order, keep), len(columns)
    options.data = None if graph is None else graph._handle.address
    options.title, options.device = c.encode(title, "the title"), c.word(device, "device")
    options.k, options.clusters = c.whole(k, "k"), c.whole(clusters, "clusters")
    options.epochs, options.threads = c.whole(epochs, "epochs"), c.whole(threads, "threads")
    options.seed = c.whole(seed, "seed", bits=64)
    out = c_void_p()
    with Interrupts() as interrupts:
        interrupts.watch(options)
        status = c.lib.graco_map_make(byref(out), byref(matrix), byref(options))
    del keep
    made = c.Handle(out.value, "graco_map_free")
    interrupts.check(status)
    return Map(made, order, rows)
