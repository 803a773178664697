"""What graphs and tables of other libraries say about edges, read by the names of their attributes.

None of those libraries is imported here: an object of theirs shows that the program has it already.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._arrow import ArrowFrame, Table, Words, as_table, column
from ._library import GracoArgumentError, GracoFormatError, shown
from ._reading import (
    INDEX, Given, are_among, as_array, as_number, as_numbers, as_objects, check_names, column_words, comes_from, in_order, is_count, is_frame,
    is_series, is_sparse, is_sparse_tensor, is_whole, keys_of, look_up, places_of, sparse_tensor,
)

def read_edges(given: Given, edges: Any, **chosen: Any) -> None:
    """Fills `given` with the edges of whatever was handed over, and with what else it holds. `chosen` names columns of a
    frame."""
    chosen = {key: label for key, label in chosen.items() if label is not None}
    edges = as_table(edges)
    if is_frame(edges):
        _read_frame(given, edges, chosen)
        return
    if chosen:
        raise GracoArgumentError(f"{' and '.join(chosen)} name columns of a frame, and edges are {type(edges).__name__}: "
                                 "expected a frame of pandas, polars, pyarrow or DuckDB")
    if edges is None:
        return
    if comes_from(edges, "networkx"):
        _read_networkx(given, edges)
    elif comes_from(edges, "dgl"):
        _read_dgl(given, edges)
    elif comes_from(edges, "torch_geometric") or hasattr(edges, "edge_index"):
        _read_pyg(given, edges)
    elif is_sparse(edges):
        _read_sparse(given, edges)
    elif is_sparse_tensor(edges):
        _read_sparse(given, sparse_tensor(edges, "edges", compressed=False))
    elif isinstance(edges, (str, bytes)) or hasattr(edges, "__fspath__"):
        raise GracoArgumentError(f"edges are {edges!r}; a file or a data set's name is for graco.load")
    else:
        source, target = _pair(edges)
        given.add(source=source, target=target)


def _pair(edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets: a pair of arrays, an array of two rows or columns, or a list of pairs."""
    if isinstance(edges, tuple) and len(edges) == 2:
        if all(isinstance(pair, tuple) and len(pair) == 2 for pair in edges):
            raise GracoFormatError("edges are a tuple of two pairs, which may be two edges, or two sources and two targets: "
                                   "expected a list of pairs, or arrays")
        source, target = as_array(edges[0], "edges"), as_array(edges[1], "edges")
        if source.ndim != 1 or source.shape != target.shape:
            raise GracoFormatError(f"edges from an array of shape {source.shape} to one of shape {target.shape}: "
                                   "expected two of one dimension and the same length")
        return source, target
    if isinstance(edges, np.ndarray) or comes_from(edges, "torch"):
        array = as_array(edges, "edges")
        if array.ndim == 2 and array.shape[0] == 2:
            return array[0], array[1]
    else:
        try:
            items = None if isinstance(edges, dict) else edges  # whose values would be lost
            pairs = [() if isinstance(pair, (str, bytes)) else tuple(pair) for pair in items]
        except TypeError:
            raise GracoArgumentError(f"edges are {type(edges).__name__}: expected an array, a list of pairs, or "
                                     "a graph of scipy, networkx, PyG or DGL, or a frame of pandas, polars, pyarrow or "
                                     "DuckDB") from None
        wrong = next((i for i, pair in enumerate(pairs) if len(pair) != 2), None)
        if wrong is not None:
            raise GracoFormatError(f"a list of edges holds an item that is no pair: item {wrong} of a {type(edges).__name__}: "
                                   "expected pairs of a source and a target, or a frame of pandas, polars, pyarrow or DuckDB")
        ends = [end.item() if hasattr(end, "item") and comes_from(end, "torch") else end for pair in pairs for end in pair]
        numbers = all(isinstance(end, (int, float, np.number, np.bool_)) for end in ends)
        array = np.array(ends if numbers else [], dtype=None if ends else np.int64)
        # numpy makes floats of whole numbers that are too large, and perhaps one of two
        if not numbers or (array.dtype.kind == "f" and all(isinstance(end, (int, np.integer)) for end in ends)):
            array = as_objects(ends)
        array = array.reshape(len(pairs), 2)
    if array.ndim == 2 and array.shape[1] == 2:
        return array[:, 0], array[:, 1]
    raise GracoFormatError(
        f"edges of shape {array.shape}: expected (2, edges), sources and targets, or (edges, 2)"
    )


def _read_networkx(given: Given, graph: Any) -> None:
    names = list(graph.nodes)
    place = {name: i for i, name in enumerate(names)}
    triples = list(graph.edges(data="weight"))
    ends = np.array([(place[a], place[b]) for a, b, _ in triples], dtype=np.int64).reshape(-1, 2)
    weights = None
    if any(w is not None for _, _, w in triples):
        weights = np.array([1.0 if w is None else as_number(w, f"the edge from {a!r} to {b!r} has the weight")
                            for a, b, w in triples])
    given.add(source=ends[:, 0], target=ends[:, 1], weights=weights, nodes=len(names),
              directed=bool(graph.is_directed()))
    given.add(names=names)


def _refuse_kinds(what: str, nodes: Any, edges: Any, remedy: str) -> None:
    """graco knows one kind of nodes and one of edges."""
    if len(nodes) > 1 or len(edges) > 1:
        raise GracoArgumentError(f"{what} has {len(nodes)} kinds of nodes and {len(edges)} of edges: "
                                 f"expected one of each; {remedy} makes them one")


def _read_dgl(given: Given, graph: Any) -> None:
    _refuse_kinds("a DGL graph", getattr(graph, "ntypes", ()), getattr(graph, "canonical_etypes", ()),
                  "dgl.to_homogeneous")
    source, target = graph.edges()
    given["by_row"] = True
    given.add(source=as_array(source), target=as_array(target), nodes=int(graph.num_nodes()), directed=True)
    data = graph.ndata
    given.add(features=data.get("feat"), labels=data.get("label"))
    _read_masks(given, *(data.get(f"{part}_mask") for part in ("train", "val", "test")))
    sizes = as_array(graph.batch_num_nodes()) if hasattr(graph, "batch_num_nodes") else np.array([0])
    if len(sizes) > 1:
        given.add(graph_ids=np.repeat(np.arange(len(sizes)), sizes))


def _read_pyg(given: Given, data: Any) -> None:
    if hasattr(data, "edge_types"):
        _refuse_kinds("a PyG HeteroData", data.node_types, data.edge_types, "its to_homogeneous()")
        data = data.to_homogeneous()
    given["by_row"] = True
    if is_sparse_tensor(getattr(data, "edge_index", None)):
        _read_sparse(given, sparse_tensor(data.edge_index, "edge_index", compressed=False))
    elif getattr(data, "edge_index", None) is not None:
        source, target = _pair(data.edge_index)
        given.add(source=source, target=target)
    elif getattr(data, "adj_t", None) is not None:
        raise GracoArgumentError("a PyG Data has its edges in adj_t: expected edge_index")
    given.add(weights=getattr(data, "edge_weight", None), nodes=getattr(data, "num_nodes", None), directed=True)
    given.add(features=getattr(data, "x", None), labels=getattr(data, "y", None),
              graph_ids=getattr(data, "batch", None))
    _read_masks(given, *(getattr(data, f"{part}_mask", None) for part in ("train", "val", "test")))


def _read_sparse(given: Given, matrix: Any) -> None:
    """An adjacency matrix: an entry in row i and column j is an edge from i to j."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GracoFormatError(f"an adjacency matrix of shape {matrix.shape}: expected a square one")
    given["by_row"] = True
    if matrix.format in ("csr", "csc"):
        end = "target" if matrix.format == "csr" else "source"
        given.add(edge_indptr=matrix.indptr, weights=matrix.data, nodes=matrix.shape[0])
        given[end] = matrix.indices
    else:
        matrix = matrix if matrix.format == "coo" else matrix.tocoo()
        given.add(source=matrix.row, target=matrix.col, weights=matrix.data, nodes=matrix.shape[0])


def _is_adjacency(frame: Any) -> bool:
    """Whether rows and columns have the same names, in any order; names that say so in part are refused."""
    if type(frame.index).__name__ == "RangeIndex" and frame.shape[0] != frame.shape[1]:
        return False  # nobody gave the rows names
    rows, columns = list(frame.index), list(frame.columns)
    # 0, 1, 2, ... are also what pandas calls rows and columns; two or three such columns are edges.
    if columns == rows:
        return len(columns) > 3 or not is_count(rows)
    if not columns or not are_among(columns, rows) or (is_count(rows) and len(rows) != len(columns)):
        return False
    if len(rows) != len(columns) or is_count(rows) and len(rows) < 4:
        raise GracoFormatError(f"a frame of {len(rows)} rows has the columns {shown(columns)}, which name rows too: expected the "
                               "same names for all rows and columns of an adjacency matrix, or other names for columns of ends")
    return True


def _read_adjacency(given: Given, frame: Any) -> None:
    """A frame whose rows and columns have the same names: an adjacency matrix, 0 where there is no edge."""
    places = places_of(frame.index, "the rows of an adjacency matrix")
    matrix = as_numbers(frame, "an adjacency matrix")
    what = "the columns of an adjacency matrix"
    source, place = np.nonzero(matrix)
    target = look_up(places_of(frame.columns, what) and places, frame.columns, what)[place]
    given.add(source=source, target=target, weights=matrix[source, place], names=list(frame.index))


def _are_names(*ends: np.ndarray) -> bool:
    """Whether numbers are names, as in a file: one cannot be a node's number, or a graph with a node for each number up to
    the largest would be nearly empty."""
    if not len(ends[0]):
        return False
    nodes = max(int(end.max()) for end in ends) + 1
    return (min(int(end.min()) for end in ends) < 0 or nodes >= 2**31
            or (nodes > 1_000_000 and nodes // 64 > 2 * len(ends[0])))


def _read_masks(given: Given, *masks: Any) -> None:
    """Masks as a split; none where a split is known, where none is there or where they are no vectors."""
    parts = {word: as_array(mask) for word, mask in zip(("train", "val", "test"), masks) if mask is not None}
    if parts and all(mask.ndim == 1 for mask in parts.values()):
        given.add(split={word: mask.astype(bool) for word, mask in parts.items()})


# ---- Frames ---------------------------------------------------------------------------------------


def _read_frame(given: Given, frame: Any, chosen: dict) -> None:
    """The columns of ends and weights are those of the arguments source, target and weight, else their names decide."""
    if is_frame(frame) and not isinstance(frame, Table) and not chosen and _is_adjacency(frame):
        _read_adjacency(given, frame)
        return
    columns = list(frame.columns)
    first = 0
    if len(columns) > 2 and column_words(frame)[0] in INDEX and not chosen and is_count(column(frame, 0).tolist()):
        first = 1  # pandas' numbers of the rows
    bare = columns == list(range(len(columns)))  # no names: as a file without a header
    if bare and len(columns) == 3 and not chosen:
        chosen = {"source": 0, "target": 1, "weight": 2}
    ends = _find_ends(columns[first:], chosen)
    given["reading"] = c.text(ends.reading)
    given["left_out"] = ends.left_out
    places = [int(ends.source) + first, int(ends.target) + first]
    if isinstance(frame, Table):
        _take_arrow(given, frame, places)
    else:
        _take_pandas(given, frame, places)
    if ends.weight < 0:
        beside = given.get("weights")
        if is_series(beside) and not beside.index.equals(frame.index) and not is_count(list(beside.index)):
            given["weights"] = in_order(beside, list(frame.index), "weights", of="edge")
    elif given.get("weights") is None:
        given["weights"] = column(frame, int(ends.weight) + first)
    elif chosen.get("weight") is not None:
        raise GracoArgumentError("edges have weights by the arguments weight and weights: expected one of them")


def _find_ends(columns: list, chosen: dict) -> c.Ends:
    """Which columns are the ends of edges and their weights, by the rule of the command."""
    names = [c.encode(label, "a column") for label in columns]
    given = {}
    for key, label in chosen.items():
        if not isinstance(label, str) and (isinstance(label, (list, dict)) or label not in columns):
            raise GracoArgumentError(f"{key} is {shown(label)}: expected the name of a column")
        given[key] = c.encode(label, key)
    options = c.EndsOptions(table=b"a frame of edges", python=True, **given)
    ends = c.Ends()
    c.check(c.lib.graco_table_ends(byref(ends), (c_char_p * max(len(names), 1))(*names), len(names), byref(options)))
    return ends


_OTHER = {c.COLUMN_TRUTHS: "truth values", c.COLUMN_TIMES: "dates or times", c.COLUMN_OTHER: "lists or the like"}


def _take_arrow(given: Given, frame: Table, places: list) -> None:
    kinds = []
    for place in places:
        told, name = frame.describe(place), frame.columns[place]
        kinds.append(told.kind)
        if told.kind not in (c.COLUMN_NUMBERS, c.COLUMN_WORDS):
            raise GracoFormatError(f"a frame of edges has {_OTHER[told.kind]} in the column {name!r}: expected names or numbers "
                                   "of nodes")
        if told.nulls:
            raise GracoFormatError(f"a node has no name: {told.nulls} of {told.rows} rows of the column {name!r} of a frame of "
                                   "edges are null")
    if c.COLUMN_WORDS in kinds:
        codes, words = frame.words(places)
        given.add(source=codes[0], target=codes[1], words=words)
    else:
        _take_numbers(given, [frame.column(place) for place in places])


def _take_pandas(given: Given, frame: Any, places: list) -> None:
    if all(frame.dtypes.iloc[place].kind in "iuf" for place in places):
        _take_numbers(given, [column(frame, place) for place in places])
    elif not _take_texts(given, frame.iloc[:, places]):
        _take_objects(given, frame, places)


def _take_texts(given: Given, frame: Any) -> bool:
    """Columns of texts alone, through Arrow; False: there is something else, or no pyarrow, by which pandas gives them."""
    try:
        found = ArrowFrame(frame.set_axis(["source", "target"], axis=1).reset_index(drop=True))
    except Exception:  # whatever pyarrow does not take, objects are
        return False
    if any(told.kind != c.COLUMN_WORDS or told.nulls for told in found.columns):
        return False
    codes, words = found.words(0, 1)
    given.add(source=codes[0], target=codes[1], words=words)
    return True


def _take_objects(given: Given, frame: Any, places: list) -> None:
    ends = np.stack([column(frame, place).astype(object) for place in places], axis=1).ravel()
    try:
        codes, names = _factorize(ends)
    except TypeError:  # what cannot be looked up
        check_names(ends.tolist())
        raise
    codes, names = codes.reshape(-1, 2), names.tolist()
    if (codes < 0).any():
        row, end = np.argwhere(codes < 0)[0]
        raise GracoFormatError(f"a node has no name: row {row} of the column {frame.columns[places[end]]!r} is None, NaN or masked")
    if all(map(is_whole, names)):
        values = as_numbers_or_objects(names)
        _take_numbers(given, [values[codes[:, 0]], values[codes[:, 1]]])
        return
    names = check_names(names)
    if any(isinstance(name, str) for name in names) and keys_of(names) is not names:  # in a file all ids are words then
        known: dict = {}
        to = np.array([known.setdefault(key, len(known)) for key in keys_of(names)], dtype=np.int64)
        codes, names = to[codes], list(known)
    given.add(source=codes[:, 0], target=codes[:, 1], words=Words(names))


# Of so many objects graco looks whether the same ones return, and compares these by their place in memory first.
_SAMPLE = 1 << 16


def _factorize(objects: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of objects in the order in which different ones first appear, -1 for what is missing; and these."""
    factorize = sys.modules["pandas"].factorize
    address = np.ctypeslib.as_array((ctypes.c_ssize_t * len(objects)).from_address(objects.ctypes.data))
    few = objects[:: max(len(objects) // _SAMPLE, 1)]
    places = np.unique(address[:: max(len(objects) // _SAMPLE, 1)])
    if len(objects) < 2 * _SAMPLE or len(places) > 1.1 * len(factorize(few)[1]):
        return factorize(objects)
    codes, places = factorize(address)
    first = np.empty(len(places), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    of_places, names = factorize(objects[first])
    return of_places[codes], names


def as_numbers_or_objects(values: list) -> np.ndarray:
    """Whole numbers as an array, of objects where some have more than 64 bits."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return as_objects(values)


def _take_numbers(given: Given, ends: list) -> None:
    whole = [_whole_numbers(end) for end in ends]
    given["named"] = given.get("nodes") is None and all(end is not None for end in whole) and _are_names(*whole)
    if not given["named"]:
        given.add(source=ends[0], target=ends[1])
        return
    values, first, codes = np.unique(np.stack(whole, axis=1).ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(values), np.int64)
    place[order] = np.arange(len(values))
    codes = place[codes].reshape(-1, 2)
    given.add(source=codes[:, 0], target=codes[:, 1], words=Words(values[order].tolist()))


def _whole_numbers(end: np.ndarray) -> Optional[np.ndarray]:
    """Ends of edges as whole numbers; None where they are something else."""
    if end.dtype.kind == "f" and (np.abs(end) < 2**53).all() and (np.trunc(end) == end).all():
        return end.astype(np.int64)
    whole = end.dtype.kind in "iu" or (end.dtype == object and all(is_whole(node) for node in end))
    return end if whole else None
