"""Graphs: the library's data sets, made from Python's arrays and shown as arrays again."""

from __future__ import annotations

import os
import warnings
from ctypes import byref, c_void_p
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._arrow import Words, as_table
from ._columns import columns_of, give_columns
from ._edges import read_edges
from ._frames import is_parquet, kind_of, read_parquet
from ._labels import is_mask, label_arrays, mask_index, read_labels, read_split, split_parts
from ._reading import (
    Given, as_array, as_numbers, check_names, in_order, index_of, is_by_name, is_count, is_frame, is_graph, is_sparse,
    is_sparse_tensor, key_number, look_up, name_key, places_of, rows_in_order, same_names, sparse_tensor, with_ids,
)

_NUMBERS = ("source", "target", "edge_indptr", "edge_weight", "x", "x_indptr", "x_indices", "x_data", "y",
            "split", "label_mask", "graph_id")
_STRINGS = ("node_ids", "class_names")


def create(known: dict) -> c.Handle:
    """A data set of the library from arrays and values under the names of `graco_arrays`.

    With `borrow` it may use the features in place: what was given for them, perhaps a copy in an order
    that C knows, stays with it.
    """
    keep: list = []
    lent = None
    arrays = c.Arrays()
    for key, value in known.items():
        if value is None:
            continue
        if key in _NUMBERS:
            try:
                value = c.give_array(value, keep)
            except c.GracoFormatError as error:
                raise c.GracoFormatError(f"{key}: {error}") from None
            lent = keep[-1] if key == "x" and known.get("borrow") else lent
        elif key in _STRINGS and not isinstance(value, c.Array):
            value = c.give_strings(value, keep)
        elif key == "columns":
            arrays.column_count, value = len(value), give_columns(value, keep)
        setattr(arrays, key, value)
    out = c_void_p()
    c.check(c.lib.graco_dataset_create(byref(out), byref(arrays)))
    return c.Handle(out.value, "graco_dataset_free", lent)


class Graph:
    """A graph with features and, if known, labels and a split. It never changes.

    Parameters
    ----------
    edges : the edges, as one of these:

        - an array (2, edges) of node numbers, sources and targets; (edges, 2); a list of pairs. An array (2, 2)
          is read as (2, edges): its first row has the sources
        - a scipy sparse adjacency matrix: an entry in row i and column j is an edge from i to j
        - a networkx graph, with the attribute `weight` of its edges
        - a PyG `Data` or a DGL graph, with features, labels, weights and masks
        - a frame of pandas, polars, pyarrow or DuckDB: the columns `source`, `target` and `weight`, or those that their names tell
          (source and target, src and dst, from and to, customer_id and product_id ...); two columns are the ends.
          A pandas frame with the same names for rows and columns is an adjacency matrix, but for 2 or 3 columns called 0, 1, 2
        - None: a set of nodes without edges

        Nodes may have names of any kind: those in a list of pairs or a frame, those of networkx, or the
        index of `features` or `labels`, or their column of ids (id, node, name ...), as in a file. Everything
        is then joined by these names. An array has none: its row i is node i, or the i-th of `names` or of a
        networkx graph; it is refused where others have names.
    source, target, weight : names of columns of a frame of edges.
    features : array, scipy sparse matrix, tensor or dict by node, taken as they are; or a frame, whose columns of numbers, words,
        dates and gaps graco prepares (docs/formats.md); a row for each node.
        float32 without gaps is used in place: it must not change as long as the graph is there.
    labels : a class for each node, numbers or words, -1, None, NaN or masked where it is unknown; or
        an array (nodes, classes), or a row for each node, of 0 and 1 for several labels per node. A dict, a series or
        a frame that names its rows may leave out nodes, whose labels are unknown.
    names : a name for each node. Those of a networkx graph, in another order, say the order of the nodes.
    weights : a number above 0 for each edge; False: the graph's own are left out.
    split : for each node 0 or "train", 1 or "val", 2 or "test", 3 or "none"; or a dict that has for "train",
        "val" and "test" a mask, or the nodes by name, or by number where they have no names.
    graph_ids : the number of its graph for each node, for many graphs; ascending.
    directed : False adds the reverse of every edge. None: networkx, PyG and DGL say it themselves,
        anything else is undirected.
    count_repeats : an edge weighs as much as it has rows; without it repeated rows are one edge.
    nodes : how many there are, where nothing else says it. Without it, and without names or an array that has a
        row for each node, at most 65,536 are believed, or 16 for each edge.
    inductive : the split says which nodes a training may see: the training part.
    copy : True copies features that could be used in place.

    Examples
    --------
    >>> import graco
    >>> g = graco.Graph([("a", "b"), ("b", "c")])
    >>> g
    Graph(3 nodes, 4 edges)
    >>> g.reading_
    '2 edges; nodes have names; undirected'
    >>> g.node_ids.tolist()
    ['a', 'b', 'c']
    >>> g.edges.tolist()
    [[1, 0, 2, 1], [0, 1, 1, 2]]

    `g[rows]` is the same graph, of which only these nodes are asked about: that is how scikit-learn's
    cross-validation divides the nodes of a graph, which it cannot cut.

    >>> len(g), len(g[[0, 2]])
    (3, 2)
    """

    def __init__(
        self,
        edges: Any = None,
        *,
        source: Any = None,
        target: Any = None,
        weight: Any = None,
        features: Any = None,
        labels: Any = None,
        names: Any = None,
        weights: Any = None,
        split: Any = None,
        graph_ids: Any = None,
        directed: Optional[bool] = None,
        count_repeats: bool = False,
        nodes: Optional[int] = None,
        inductive: bool = False,
        copy: bool = False,
        name: Optional[str] = None,
    ) -> None:
        given = Given()
        self._kind = kind_of(edges, features, labels)
        if isinstance(weights, str):
            raise c.GracoArgumentError(f"weights are {weights!r}: expected numbers; the name of a column is for the argument "
                                       "weight")
        weights, use_weights = as_table(weights), weights is not False
        tables = {"features": features, "labels": labels, "split": split, "graph_ids": graph_ids}
        given.add(**{key: with_ids(table, key) for key, table in tables.items()}, nodes=nodes, directed=directed,
                  weights=weights if use_weights and weights is not True else None)
        read_edges(given, edges, source=source, target=target, weight=weight)
        if count_repeats:
            _count_repeats(given)
        self._names = _settle_names(given, None if names is None else check_names(names))
        known = _edge_arrays(given, use_weights)
        features = _feature_arrays(given, self._names)
        self._columns = features.get("columns")
        if self._names is None and (np.ndim(features.get("x", ())) == 2 or "x_indptr" in features or self._columns):
            _refuse_short("features", _count_nodes(features), known, index_of(given["features"]) is not None)
        known.update(features)
        labels = given.get("labels")
        if labels is not None:
            codes, self._classes = read_labels(_join_labels(given, known, self._names, nodes is None))
            if index_of(labels) is None:
                _refuse_short("labels", len(codes), known)
            known.update(label_arrays(codes))
            known["class_names"] = None if self._classes is None else [str(v) for v in self._classes]
        else:
            self._classes = None
        if nodes is None:
            _check_claim(given, known, self._names)
        if given.get("split") is not None:
            split = given["split"]
            if split_parts(split) is None:
                split = in_order(split, self._names, "split")
            known["split"] = read_split(split, _count_nodes(known), self._names)
        if given.get("graph_ids") is not None:
            known["graph_id"] = as_array(in_order(given["graph_ids"], self._names, "graph_ids"), "graph_ids")
        if self._names is not None:
            known["node_ids"] = getattr(self._names, "array", None) or self._names
        known.update(undirected=not given.get("directed"), inductive=inductive, borrow=not copy,
                     name=None if name is None else c.encode(name, "the name"))
        self._open(create(known))
        if isinstance(self._names, Words):  # of a frame that need not stay: the data set has them now
            self._names = None if self._names.array else self._names.tolist()
        notes = [note.replace(f"{self.name}: ", "").replace("--set ", "")
                 for note in c.listed(c.lib.graco_dataset_note, self._handle.address)]
        self.reading_ = "; ".join(filter(None, [_say(given, known, self), *notes]))
        if given.get("left_out"):
            warnings.warn(f"{given['left_out']} column{'s' if given['left_out'] > 1 else ''} of a frame left out: "
                          f"{given['reading']}", stacklevel=2)
        for note in notes:
            if "left out" in note or "spreads" in note:
                warnings.warn(note, stacklevel=2)

    # ---- Making ---------------------------------------------------------------------------------

    def _open(self, handle: c.Handle) -> None:
        self._handle = handle
        self._rows: Optional[np.ndarray] = None
        self._info = c.lib.graco_dataset_describe(handle.address)
        self._arrays = c.lib.graco_dataset_arrays(handle.address)

    @classmethod
    def _of(cls, handle: c.Handle, names: Optional[list] = None, classes: Any = None) -> "Graph":
        graph = cls.__new__(cls)
        graph._open(handle)
        graph._names = names
        graph._classes = classes
        graph._kind = graph._columns = None
        graph.reading_ = "; ".join(c.listed(c.lib.graco_dataset_note, handle.address))
        return graph

    def _array(self, key: str) -> Optional[np.ndarray]:
        return c.take_array(getattr(self._arrays, key), self._handle)

    def _known(self) -> dict:
        """Everything that the data set holds, as `create` takes it."""
        known: dict = {key: self._array(key) for key in _NUMBERS}
        known.update({key: getattr(self._arrays, key) for key in _STRINGS})
        if self._columns:  # of which features are made again
            known.update(x=None, x_indptr=None, x_indices=None, x_data=None, x_cols=0, columns=self._columns)
        known.update(name=self._arrays.name, nodes=self.n_nodes, x_cols=self._arrays.x_cols,
                     inductive=self._arrays.inductive)
        return known

    def _with_labels(self, labels: Optional[np.ndarray]) -> "Graph":
        """The same graph with these numbers of classes; the features are shared."""
        known = self._known()
        known.update(y=None, class_names=None, label_mask=None, borrow=True)
        known.update({} if labels is None else label_arrays(labels))
        graph = Graph._of(create(known), self._names)
        graph.reading_, graph._kind, graph._columns = self.reading_, self._kind, self._columns
        return graph

    def _asked_labels(self) -> Optional[np.ndarray]:
        """The numbers of the classes; those of nodes that are not asked about are unknown."""
        labels = self.labels
        if labels is None or self._rows is None:
            return labels
        known = np.array(labels) if labels.ndim == 1 else labels.astype(np.int8)
        hidden = np.ones(self.n_nodes, bool)
        hidden[self.rows] = False
        known[hidden] = -1
        return known

    def _asked(self) -> "Graph":
        """The graph without the labels of nodes that are not asked about."""
        return self if self._rows is None else self._with_labels(self._asked_labels())

    def __reduce__(self) -> tuple:
        known = {**self._known(), **{key: self._array(key) for key in _STRINGS}}
        known = {key: np.array(value) if isinstance(value, np.ndarray) else value for key, value in known.items()}
        if self._columns:
            known["columns"] = [column._replace(words=column.words and list(column.words)) for column in self._columns]
        return _rebuild, (known, self._names, self._classes, self._rows, self.reading_, self._kind)

    def save(self, path: Any) -> None:
        """Writes graco's own format: one file if the path ends in .npz, else a folder."""
        c.check(c.lib.graco_dataset_save(self._handle.address, _path(path)))

    # ---- Reading --------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return c.name(self._info.name)

    @property
    def n_nodes(self) -> int:
        return self._info.nodes

    @property
    def n_edges(self) -> int:
        """Both directions counted, without self-loops and repetitions."""
        return self._info.edges

    @property
    def n_features(self) -> int:
        return self._info.feature_count

    @property
    def n_classes(self) -> int:
        return self._info.classes

    @property
    def n_graphs(self) -> int:
        return self._info.graphs

    @property
    def directed(self) -> bool:
        return self._info.directed

    @property
    def inductive(self) -> bool:
        return self._info.inductive

    @property
    def node_ids(self) -> np.ndarray:
        """The names of the nodes, or their numbers where they have none; of a part, those of its rows."""
        ids = self._ids()
        return ids if self._rows is None else ids[self._rows]

    @property
    def _named(self) -> bool:
        """Whether the nodes have names."""
        return self._names is not None or self._arrays.node_ids.rows > 0

    def _ids(self) -> np.ndarray:
        if self._names is not None:
            return _object_array(self._names)
        strings = self._array("node_ids")
        if strings is None:
            return np.arange(self.n_nodes)
        self._names = strings.tolist()
        return strings

    @property
    def edges(self) -> np.ndarray:
        """(2, edges) sources and targets, by target."""
        starts, source = self._array("edge_indptr"), self._array("source")
        if source is None:
            return np.empty((2, 0), np.int32)
        target = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(starts))
        return np.stack([source, target])

    @property
    def weights(self) -> Optional[np.ndarray]:
        """(edges) in the order of `edges`; None where all are 1."""
        return self._array("edge_weight")

    @property
    def features(self) -> Any:
        """(nodes, features): an array, or a scipy CSR matrix where they are sparse; None without any.

        It is the graph's own memory and read-only.
        """
        if self._info.sparse_features:
            from scipy.sparse import csr_matrix

            parts = tuple(self._array(key) for key in ("x_data", "x_indices", "x_indptr"))
            return csr_matrix(parts, shape=(self.n_nodes, self.n_features), copy=False)
        return self._array("x")

    @property
    def labels(self) -> Optional[np.ndarray]:
        """A number of a class for each node, -1: unknown; or (nodes, classes) of 0 and 1, unknown rows -1."""
        labels, mask = self._array("y"), self._array("label_mask")
        if labels is None or mask is None or mask.all():
            return labels
        known = mask.astype(bool) if labels.ndim == 1 else mask.astype(bool)[:, None]
        return np.where(known, labels.astype(np.int32), -1)

    @property
    def classes(self) -> np.ndarray:
        """The classes that occur, in the order of their numbers: their names, or these numbers."""
        labels = self.labels
        if labels is None or labels.ndim == 2:
            return self._classes_of(np.arange(self.n_classes))
        return self._classes_of(np.unique(labels[labels >= 0]))

    def _classes_of(self, numbers: np.ndarray) -> np.ndarray:
        """The classes of these numbers."""
        names = self._array("class_names") if self._classes is None else self._classes
        return numbers if names is None else names[numbers]

    @property
    def split(self) -> Optional[np.ndarray]:
        """For each node 0: training, 1: validation, 2: test, 3: none."""
        return self._array("split")

    @property
    def graph_ids(self) -> Optional[np.ndarray]:
        return self._array("graph_id")

    # ---- Parts, as scikit-learn takes them ------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(nodes asked about, features)."""
        return len(self), self.n_features

    @property
    def rows(self) -> np.ndarray:
        """The nodes that are asked about: all, unless this is a part."""
        return np.arange(self.n_nodes) if self._rows is None else self._rows

    def __len__(self) -> int:
        return self.n_nodes if self._rows is None else len(self._rows)

    def __getitem__(self, rows: Any) -> "Graph":
        if isinstance(rows, tuple):
            rows = rows[0]
        part = Graph._of(self._handle, self._names, self._classes)
        part.reading_, part._kind, part._columns = self.reading_, self._kind, self._columns
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = rows if rows.size else np.zeros(0, np.int64)  # numpy takes an empty list for floats
        part._rows = np.atleast_1d(self.rows[rows])
        if part._rows.ndim != 1:
            raise IndexError(f"rows of {part._rows.ndim} dimensions: expected 1")
        return part

    def take(self, indices: Any, axis: int = 0) -> "Graph":
        return self[indices]

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes} nodes", f"{self.n_edges} edges"]
        if self._rows is not None:
            parts[0] = f"{len(self)} of {parts[0]}"
        for count, word in ((self.n_features, "features"), (self.n_classes, "classes")):
            if count:
                parts.append(f"{count} {word}")
        if self.n_graphs > 1:
            parts.append(f"{self.n_graphs} graphs")
        return f"Graph({', '.join(parts)})"


def as_graph(value: Any) -> Graph:
    return value if isinstance(value, Graph) else Graph(value)


def whole_graph(value: Any) -> Graph:
    """A Graph that is no part: its other nodes, and their labels, would be taken too."""
    graph = as_graph(value)
    if graph._rows is not None and not np.array_equal(graph._rows, np.arange(graph.n_nodes)):
        raise c.GracoArgumentError(f"a part of a graph, {len(graph)} of {graph.n_nodes} nodes: expected a whole graph; labels "
                                   "of which some are -1 hide the others")
    return graph


def graph_of(value: Any) -> Optional[Graph]:
    """A Graph, also of a graph of another library; None: of anything else, such as labels."""
    return as_graph(value) if isinstance(value, Graph) or is_graph(value) else None


def _rebuild(known: dict, names: Optional[list], classes: Any, rows: Any, reading: str = "", kind: Optional[str] = None) -> Graph:
    graph = Graph._of(create(known), names, classes)
    graph._rows, graph.reading_, graph._kind, graph._columns = rows, reading, kind, known.get("columns")
    return graph


def _object_array(items: list) -> np.ndarray:
    """An array of names: of numbers where all are and fit, else of objects."""
    if items and all(type(item) is int and -(2**63) <= item < 2**63 for item in items):
        return np.array(items, dtype=np.int64)
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def _count_nodes(known: dict) -> Optional[int]:
    """How many nodes C will find; None: nothing says it."""
    if known.get("nodes"):
        return known["nodes"]
    if known.get("columns"):
        return len(known["columns"][0].values)
    for key, more in (("x", 0), ("x_indptr", 1), ("y", 0), ("edge_indptr", 1)):
        if np.ndim(known.get(key)):
            return len(known[key]) - more
    ends = [known[key] for key in ("source", "target") if known.get(key) is not None and len(known[key])]
    largest = max((end.max() for end in ends), default=np.nan)
    return int(largest) + 1 if np.isfinite(largest) else None


# So many nodes are believed without proof, or so many for each edge, as in files (docs/formats.md).
_NODES_FREE, _NODES_PER_EDGE = 1 << 16, 16


def _check_claim(given: Given, known: dict, names: Optional[list]) -> None:
    """One edge can claim two billion nodes: what a graph costs is bounded by what was given."""
    by_parts = split_parts(given.get("split"))
    shown = (names is not None or given.get("graph_ids") is not None or "named" in given  # frames have their own bound
             or any(known.get(key) is not None for key in ("x", "x_indptr", "columns", "y", "edge_indptr"))
             or (given.get("split") is not None and (by_parts is None or any(map(is_mask, by_parts.values())))))
    if shown:
        return
    edges = len(known["source"]) if known.get("source") is not None else 0
    count, most = _count_nodes(known), max(_NODES_FREE, _NODES_PER_EDGE * edges)
    if count is not None and count > most:
        raise c.GracoFormatError(f"{count} nodes, with {edges} edges and no array that has a row per node: expected at "
                                 f"most {most}, such an array, or the argument `nodes`; ids that are words, such as "
                                 f"'{count - 1}', are names of nodes")


def _refuse_short(what: str, rows: int, known: dict, named: bool = False) -> None:
    """Refuses a table of too few rows by the number of a node without one, where C would refuse the edge. C itself
    compares rows that are not `named` with a number of nodes."""
    nodes = known.get("nodes")
    if nodes is None or named:
        ends = _count_nodes({key: known.get(key) for key in ("source", "target")})
        if rows < max(ends or 0, nodes or 0):
            raise c.GracoFormatError(f"{what} have no row for node {rows}")


def _join_labels(given: Given, known: dict, names: Optional[list], claim: bool) -> Any:
    """Labels with a row for each node, unknown where they do not name it. With `claim` the ends of edges alone may say
    how many nodes there are."""
    labels, count = given["labels"], _count_nodes(known)
    own = index_of(labels)
    if own is None or names is not None or not count or count >= 2**31:  # that there is no such graph, C says
        return in_order(labels, names, "labels")
    if claim and len(own) < count:
        _check_claim(given, known, names)
    return in_order(labels, range(count), "labels")


def _lacks_nodes(labels: list, given: Given, tables: dict, words: bool) -> bool:
    """Whether labels have no row for a node that something else knows: they do not say then which nodes there are."""
    if tables.get("features") is not None:
        return False  # which say it before labels do
    bare = given.get("by_row") or None in tables.values()
    if bare and (words or not all(isinstance(name, (int, np.integer)) for name in labels)):
        return False  # names beside rows without any are refused
    nodes, features = given.get("nodes"), given.get("features")
    if nodes is None and "features" in tables:
        shape = (len(features),) if isinstance(features, (list, tuple)) else getattr(features, "shape", ())
        nodes = shape[0] if shape else None
    if (nodes is not None and nodes != len(labels)) or (bare and not _is_shuffle(labels)):
        return True
    ends = [given[key] for key in ("source", "target") if given.get(key) is not None and len(given[key])]
    others = [index for key, index in tables.items() if key != "labels" and index is not None]
    if not words and not others and is_count(labels):
        return any(not end.max() < len(labels) for end in ends)
    others += [given["words"].tolist()] if words else [np.unique(end).tolist() for end in ends]
    keys = set(map(name_key, labels))
    return any(not keys.issuperset(map(name_key, names)) for names in others)


def _settle_names(given: Given, names: Optional[list]) -> Optional[list]:
    """The names of the nodes in the order of their rows, None: numbers; the ends of the edges become rows.

    Whoever has names is joined by them. Rows without names are in the order of `names`, or of a networkx
    graph, or row i is node i; where somebody else has names they could be anybody's. Other `names` than those of a
    networkx graph are given to its nodes in their order.
    """
    words = _read_ends(given)
    tables = {key: index_of(given[key]) for key in ("features", "labels", "split", "graph_ids")
              if given.get(key) is not None and not (key == "split" and split_parts(given[key]) is not None)}
    if any(is_mask(part) and mask_index(part) is None for part in (split_parts(given.get("split")) or {}).values()):
        tables["split"] = None
    if tables.get("labels") is not None and _lacks_nodes(tables["labels"], given, tables, words):
        del tables["labels"]
    named = [key for key, index in tables.items() if index is not None]
    bare = ["edges"] * bool(given.get("by_row")) + [key for key, index in tables.items() if index is None]
    first = tables[named[0]] if named else None
    own = given.get("names")  # in the order of the rows that the ends of edges are
    chosen = names if names is not None else own
    if names is not None and own is not None and same_names(names, own):  # the same nodes, in the order wanted
        rows = look_up(places_of(names, "names"), own, "edges")
        given.update({key: rows[given[key]] for key in ("source", "target")})
    if chosen is None:
        if words and first is None:
            first = given["words"]
        if bare and first is not None and (words or not _is_shuffle(first)):
            who = f"{named[0]} name theirs" if named else "edges name their nodes"
            raise c.GracoFormatError(f"{bare[0]} have rows without names, but {who}, as {first[0]!r}: expected an "
                                     "index, or `names` in the order of the rows")
        if first is not None and (words or not (bare or is_count(first))):
            chosen = first
    if first is not None:
        given.add(nodes=len(chosen if chosen is not None else first))
    if chosen is None:
        return None
    if chosen is given.get("words"):  # whose places the ends are
        if chosen.array is None:
            places_of(chosen, "names")
        given.add(nodes=len(chosen))
        return chosen
    table = named[0] if chosen is first and named else None
    chosen = check_names(chosen)
    if names is not None and own is None and not words and not given.get("by_row"):
        _refuse_two_readings(given, names)
    given.add(nodes=len(chosen))
    if words:
        rows = look_up(places_of(chosen, table or "names"), given["words"].tolist(), "edges", table)
        given.update({key: rows[given[key]] for key in ("source", "target")})
    elif names is None and own is None:
        places = places_of(chosen, table or "names")
        for key in ("source", "target"):
            if given.get(key) is not None:
                given[key] = look_up(places, check_names(given[key].tolist()), "edges", table)
    return chosen


def _refuse_two_readings(given: Given, names: list) -> None:
    """Numbers of edges are places among `names`; where they may as well be names, nothing says which they are."""
    ends = [given[key] for key in ("source", "target") if given.get(key) is not None and len(given[key])]
    if not ends or is_count(names):
        return
    known = {number: i for i, name in enumerate(names) if (number := key_number(name_key(name))) is not None}
    wanted = np.unique(np.concatenate(ends)).tolist()
    if any(known.get(end, end) != end for end in wanted) and all(end in known for end in wanted):
        end = next(end for end in wanted if known[end] != end)
        raise c.GracoFormatError(f"edges hold the number {end:g}, which is the name of the node in the place {known[end]} of "
                                 "`names`: expected ends that are words, such as edges.astype(str), which are names, or "
                                 "np.array(names).astype(str)[edges], which are those in the places")


def _is_shuffle(names: list) -> bool:
    """Whether these are the numbers 0, 1, 2, ... in any order."""
    return all(isinstance(name, (int, np.integer)) for name in names) and set(names) == set(range(len(names)))


def _read_ends(given: Given) -> bool:
    """Whether the ends of edges are names; they are then places in `words`, and numbers of nodes else."""
    ends = {key: given[key] for key in ("source", "target") if given.get(key) is not None}
    if given.get("words") is not None:
        return True
    for key, end in ends.items():
        if end.dtype == bool or (end.dtype == object and any(isinstance(node, (bool, np.bool_)) for node in end)):
            raise c.GracoFormatError("edges hold True and False: expected numbers or names of nodes; a matrix of "
                                     "adjacency is one of scipy's")
        if end.dtype == object and all(isinstance(node, (int, np.integer)) for node in end):
            if any(not -(2**63) <= node < 2**63 for node in end):
                raise c.GracoFormatError("edges hold a number of more than 64 bits: expected numbers or names of nodes")
            ends[key] = given[key] = end.astype(np.int64)
    if all(end.dtype.kind in "iubf" for end in ends.values()):
        return False
    flat = check_names(np.stack([np.asarray(end, dtype=object) for end in ends.values()], axis=1).ravel().tolist())
    words = list(dict.fromkeys(flat))
    places = dict(zip(words, range(len(words))))
    codes = np.fromiter(map(places.__getitem__, flat), dtype=np.int64, count=len(flat)).reshape(-1, len(ends))
    given.update(zip(ends, codes.T), words=Words(words))
    return True


def _count_repeats(given: Given) -> None:
    """Each row of edges weighs 1, so that those that repeat an edge are added up."""
    if given.get("weights") is not None:
        raise c.GracoArgumentError("count_repeats, of edges that have weights: those of repeated edges are added up; expected "
                                   "one of both")
    ends = given.get("source") if given.get("source") is not None else given.get("target")
    given.update(weights=np.ones(0 if ends is None else len(ends), np.float32), counted=True)


def _say(given: Given, known: dict, graph: Graph) -> str:
    """How edges were understood, in a line."""
    ends = known.get("source") if known.get("source") is not None else known.get("target")
    if ends is None:
        return ""
    repeats, loops = graph._info.duplicates, graph._info.self_loops
    parts = [f"{len(ends)} edge{'s' * (len(ends) != 1)}", f"nodes have {'names' if graph._named else 'numbers'}",
             given.get("reading"), "directed" if given.get("directed") else "undirected"]
    if repeats:
        merged = "counted as weights" if given.get("counted") else "weights added" if "edge_weight" in known else ""
        parts.append(f"{repeats} row{'s repeat' if repeats > 1 else ' repeats'} an edge and {'are' if repeats > 1 else 'is'} merged"
                     f"{', ' * bool(merged)}{merged}")
    if loops:
        parts.append(f"{loops} from a node to itself, left out")
    return "; ".join(part for part in parts if part)


def _edge_arrays(given: Given, use_weights: bool) -> dict:
    known: dict = {key: given.get(key) for key in ("source", "target", "edge_indptr")}
    weights = given.get("weights")
    if use_weights and weights is not None:
        known["edge_weight"] = as_numbers(weights, "weights")
    if given.get("nodes") is not None:
        known["nodes"] = c.whole(given["nodes"], "nodes")
    return known


def _feature_arrays(given: Given, names: Optional[list]) -> dict:
    features = given.get("features")
    if features is None:
        return {}
    if is_sparse(features) or is_sparse_tensor(features):
        tensor = is_sparse_tensor(features)
        matrix = sparse_tensor(features, "features", compressed=True) if tensor else features.tocsr()
        if not tensor and not matrix.has_canonical_format:
            matrix = matrix.copy() if matrix is features else matrix
            matrix.sum_duplicates()
        return {"x_indptr": matrix.indptr, "x_indices": matrix.indices, "x_data": matrix.data,
                "x_cols": matrix.shape[1]}
    if is_frame(features) and features.shape[1]:
        return {"columns": columns_of(features, rows_in_order(features, names, "features"))}
    if is_frame(features) or is_by_name(features):
        features = in_order(features, names, "features")
    return {"x": as_numbers(features, "features")}


def _path(path: Any) -> bytes:
    return c.encode(os.fspath(path), "the path")


def load(
    source: Any,
    *,
    features: Any = None,
    labels: Any = None,
    source_column: Any = None,
    target_column: Any = None,
    weight_column: Any = None,
    directed: bool = False,
    undirected: bool = False,
    count_repeats: bool = False,
    header: Optional[str] = None,
    id_column: Optional[str] = None,
    delimiter: Optional[str] = None,
    weights: bool = True,
) -> Graph:
    """Loads a graph from a file, a folder, or by the name of a data set.

    Names are looked up under $GRACO_DATA, else $XDG_DATA_HOME/graco, else ~/.local/share/graco, where
    the command `graco fetch` puts them. The format is found from the content: Planetoid's files, .npz of
    CitationFull, DGL's ppi and reddit, the layouts of GraphSAINT, the Open Graph Benchmark, Wiki-CS and MUSAE,
    graco's own, a scipy matrix, node-link JSON, GraphML, MatrixMarket, or an edge list, with tables of
    `features` and `labels` beside it. Parquet files, of edges and of such tables, are frames: polars, pyarrow or DuckDB
    reads them.

    Parameters
    ----------
    source : path or name, such as "cora".
    features, labels : paths of tables beside an edge list.
    source_column, target_column, weight_column : of an edge list: a name in its header, or a number from 1.
        None: the names of the columns decide.
    directed : True keeps the edges of a list or a scipy matrix as they are directed; else they go both ways.
    undirected : adds the reverse of every edge in a format that states its direction.
    count_repeats : where a list has no weights, an edge's weight is how often it stands there.
    header : "yes" or "no": whether the first lines of tables are headers. None: look.
    id_column : that names nodes: its name, its number from 1, or "none". None: look.
    delimiter : one character, or "tab", "comma", "space". None: look.
    weights : False leaves out the weights of the edges.

    Examples
    --------
    >>> import graco
    >>> graco.load("/nowhere/at/all")
    Traceback (most recent call last):
      ...
    graco._library.GracoIOError: /nowhere/at/all: No such file or directory
    """
    if is_parquet(source):
        return _load_parquet(source, features, labels, directed=directed, count_repeats=count_repeats, source=source_column,
                             target=target_column, weight=weight_column, weights=None if weights else False)
    options = c.LoadOptions(
        features_path=None if features is None else _path(features),
        labels_path=None if labels is None else _path(labels),
        source=None if source_column is None else c.encode(source_column, "source_column"),
        target=None if target_column is None else c.encode(target_column, "target_column"),
        weight=None if weight_column is None else c.encode(weight_column, "weight_column"),
        directed=directed,
        undirected=undirected,
        count_repeats=count_repeats,
        header=None if header is None else c.word(header, "header"),
        id_column=None if id_column is None else c.encode(id_column, "id_column"),
        delimiter=None if delimiter is None else c.word(delimiter, "delimiter"),
        unweighted=not weights,
    )
    out = c_void_p()
    c.check(c.lib.graco_dataset_load(byref(out), _path(source), byref(options)))
    return Graph._of(c.Handle(out.value, "graco_dataset_free"))


def _load_parquet(path: Any, features: Any, labels: Any, **options: Any) -> Graph:
    tables = {"features": features, "labels": labels}
    for key, table in tables.items():
        if table is not None and not is_parquet(table):
            raise c.GracoArgumentError(f"{key} are {os.fspath(table)!r} beside edges in parquet: expected parquet too")
    tables = {key: None if table is None else read_parquet(table) for key, table in tables.items()}
    return Graph(read_parquet(path), **tables, **options)
