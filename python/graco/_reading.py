"""What other libraries' objects say about a graph, read by the names of their attributes.

None of those libraries is imported here: an object of theirs shows that the program has it already.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Iterable, Optional, Sequence

import numpy as np

from ._library import GracoArgumentError, GracoFormatError, shown


def comes_from(value: Any, library: str) -> bool:
    """Whether a class of the value is defined in a library, such as "pandas"."""
    return any(kind.__module__.split(".")[0] == library for kind in type(value).__mro__)


def is_sparse(value: Any) -> bool:
    return comes_from(value, "scipy") and hasattr(value, "tocsr")


def is_by_name(value: Any) -> bool:
    """Whether this is a dict by node; one kind of scipy's sparse matrices is a dict by row and column."""
    return isinstance(value, dict) and not is_sparse(value)


def is_frame(value: Any) -> bool:
    return comes_from(value, "pandas") and hasattr(value, "columns")


def is_series(value: Any) -> bool:
    return comes_from(value, "pandas") and hasattr(value, "index") and not is_frame(value)


def is_graph(value: Any) -> bool:
    """Whether this is a graph of networkx, PyG or DGL: no matrix, no table, no list of nodes."""
    if comes_from(value, "networkx") or comes_from(value, "dgl"):
        return hasattr(value, "edges")
    return comes_from(value, "torch_geometric") or (hasattr(value, "edge_index") and not comes_from(value, "pandas"))


def as_array(value: Any, what: str = "an array") -> np.ndarray:
    """Tensors, frames, series and lists as an array, without a copy where that is possible."""
    if comes_from(value, "torch"):
        return _tensor_array(value, what)
    if isinstance(value, (list, tuple)) and len(value) and comes_from(value[0], "torch"):
        value = [_tensor_array(item, what) if comes_from(item, "torch") else item for item in value]
    if comes_from(value, "pandas") and hasattr(value, "to_numpy"):
        return value.to_numpy()
    if is_sparse(value):
        raise GracoFormatError(f"{what}: a sparse matrix: expected a dense array, which its toarray() gives")
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        raise GracoFormatError(f"{what}: {np.ma.count_masked(value)} of {value.size} items are masked, and have no "
                               "meaning here: expected a value for each")
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise GracoFormatError(f"{what}: items of different lengths or kinds: expected an array") from None


def is_sparse_tensor(value: Any) -> bool:
    return comes_from(value, "torch") and "sparse" in str(getattr(value, "layout", ""))


def _tensor_array(tensor: Any, what: str) -> np.ndarray:
    if is_sparse_tensor(tensor):
        raise GracoFormatError(f"{what}: a sparse tensor: expected a dense one, which its to_dense() gives")
    try:
        tensor = tensor.detach().cpu().resolve_neg()
        if tensor.dtype.is_floating_point and tensor.element_size() < 4:
            tensor = tensor.float()  # numpy has no bfloat16
        return tensor.numpy()
    except (TypeError, RuntimeError) as error:
        raise GracoFormatError(f"{what}: a tensor of {tensor.dtype} that cannot be an array: "
                               f"{str(error).splitlines()[0]}") from None


def sparse_tensor(tensor: Any, what: str, compressed: bool) -> SimpleNamespace:
    """A sparse tensor with the attributes of a scipy matrix in the format csr, or, unless `compressed`, coo."""
    if tensor.ndim != 2 or str(tensor.layout) not in ("torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc"):
        raise GracoFormatError(f"{what}: a tensor of {tensor.ndim} dimensions and the layout {tensor.layout}: expected 2, "
                               "and sparse_coo, sparse_csr or sparse_csc")
    tensor = tensor.detach().cpu()
    if compressed or str(tensor.layout) != "torch.sparse_coo":
        tensor = tensor.to_sparse_csr()
        return SimpleNamespace(format="csr", shape=tuple(tensor.shape), indptr=as_array(tensor.crow_indices()),
                               indices=as_array(tensor.col_indices()), data=as_array(tensor.values()))
    tensor = tensor.coalesce()
    row, col = as_array(tensor.indices())
    return SimpleNamespace(format="coo", shape=tuple(tensor.shape), row=row, col=col, data=as_array(tensor.values()))


def as_objects(value: Any) -> np.ndarray:
    """A list whose items need not have anything in common, as an array of them."""
    items = list(value)
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


def as_numbers(value: Any, what: str) -> np.ndarray:
    """An array of numbers; those among Python's objects are found."""
    array = as_array(value, what)
    if array.dtype != object:
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        for place, item in np.ndenumerate(array):
            as_number(item, f"item {', '.join(map(str, place))} of {what} is")
        raise GracoFormatError(f"{what} hold objects: expected numbers") from None


def as_number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise GracoFormatError(f"{what} {shown(value)}: expected a number") from None


def is_missing(value: Any) -> bool:
    """Whether this stands for nothing: None, NaN, pandas' NA and NaT, a masked item."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # NA and arrays are neither true nor false
        return type(value).__name__ == "NAType"


def node_rows(nodes: Any, count: int, what: str) -> np.ndarray:
    """The numbers of nodes, given as such or as a mask over all `count` of them."""
    array = np.atleast_1d(as_array(nodes, what))
    if array.ndim != 1:
        raise GracoArgumentError(f"{what} have {array.ndim} dimensions: expected 1")
    if array.dtype == bool:
        if len(array) != count:
            raise GracoArgumentError(f"{what} are a mask of {len(array)} items: expected {count}, one for each node")
        return np.flatnonzero(array)
    if array.dtype.kind not in "iu":
        wrong = [v for v in array.tolist() if type(v) is not int or not 0 <= v < count]
    else:
        wrong = array[(array < 0) | (array >= count)].tolist()
    if wrong:
        raise GracoArgumentError(f"{what} hold {wrong[0]!r}: expected numbers from 0 to {count - 1}, or a mask")
    return array.astype(np.int64)


class Given(dict):
    """What is known of a graph so far, by the names of Graph's arguments and of C's arrays."""

    def add(self, **known: Any) -> None:
        """Adds what is not None and not yet known."""
        for key, value in known.items():
            if value is not None and self.get(key) is None:
                self[key] = value


# ---- Edges ----------------------------------------------------------------------------------------


def read_edges(given: Given, edges: Any) -> None:
    """Fills `given` with the edges of whatever was handed over, and with what else it holds."""
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
    elif is_frame(edges):
        _read_frame(given, edges)
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
                                     "a graph of scipy, networkx, PyG, DGL or pandas") from None
        if any(len(pair) != 2 for pair in pairs):
            raise GracoFormatError("a list of edges holds an item that is no pair")
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


# How the columns of a frame of edges may be called, as in a file of edges (docs/formats.md).
_SOURCES = {"source", "src", "from", "source_id", "src_id", "from_id", "sender"}
_TARGETS = {"target", "dst", "dest", "destination", "to", "target_id", "dst_id", "to_id", "receiver"}
_WEIGHTS = {"weight", "weights", "edge_weight", "w"}


def _read_frame(given: Given, frame: Any) -> None:
    """Ends and weights by the names of columns; of two or three, ends without such a name are the first that are left."""
    if _is_adjacency(frame):
        _read_adjacency(given, frame)
        return
    if frame.shape[1] > 2 and _words(frame)[0] in _INDEX and is_count(frame.iloc[:, 0].tolist()):
        frame = frame.iloc[:, 1:]
    columns, words = list(frame.columns), _words(frame)
    source, target, weight = ([i for i, word in enumerate(words) if word in known]
                              for known in (_SOURCES, _TARGETS, _WEIGHTS))
    if len(columns) in (2, 3) and max(len(source), len(target)) < 2:
        left = [i for i, word in enumerate(words) if i not in source + target and (i not in weight or word == "w")]
        source, left = (source, left) if source else (left[:1], left[1:])
        target = target or left[:1]
        bare = columns == list(range(len(columns)))  # no names: as a file without a header
        weight = [2][: len(columns) - 2] if bare else [i for i in weight if i not in source + target]
    if len(source) != 1 or len(target) != 1 or len(weight) > 1:
        raise GracoFormatError(f"a frame of edges has the columns {columns}: expected source, target and perhaps "
                               "weight, each once, or two columns")
    ends = [frame.iloc[:, place].to_numpy() for place in source + target]
    whole = [_whole_numbers(end) for end in ends]
    given["named"] = given.get("nodes") is None and all(end is not None for end in whole) and _are_names(*whole)
    if given["named"]:
        ends = whole
    elif any(isinstance(node, str) for end in ends if end.dtype.kind not in "iuf" for node in end):
        ends = [as_objects(_keys(end.tolist())) for end in ends]  # in a file all ids are words then
    beside = given.get("weights")
    if is_series(beside) and not beside.index.equals(frame.index) and not is_count(list(beside.index)):
        given["weights"] = in_order(beside, list(frame.index), "weights", of="edge")
    given.add(source=ends[0], target=ends[1], weights=frame.iloc[:, weight[0]].to_numpy() if weight else None)


def _is_adjacency(frame: Any) -> bool:
    """Whether rows and columns have the same names, in any order; names that say so in part are refused."""
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


def _whole_numbers(end: np.ndarray) -> Optional[np.ndarray]:
    """Ends of edges as whole numbers; None where they are something else."""
    if end.dtype.kind == "f" and (np.abs(end) < 2**53).all() and (np.trunc(end) == end).all():
        return end.astype(np.int64)
    whole = end.dtype.kind in "iu" or (end.dtype == object and all(_is_whole(node) for node in end))
    return end if whole else None


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


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


# ---- Names ----------------------------------------------------------------------------------------


def index_of(value: Any) -> Optional[list]:
    """The names that a frame, a series or a dict gives its rows; None for anything else."""
    if is_frame(value) or is_series(value):
        return list(value.index)
    return list(value) if is_by_name(value) else None


def is_count(names: list) -> bool:
    """Whether these are 0, 1, 2, ...: what pandas calls rows to which nobody gave names."""
    return all(isinstance(name, (int, np.integer)) and name == i for i, name in enumerate(names))


def check_names(names: Any) -> list:
    """Names of nodes as a list: each stands for something and can be looked up."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__") or getattr(names, "ndim", 1) != 1:
        raise GracoArgumentError(f"names are {shown(names)}: expected a name for each node")
    names = list(map(as_text, names))
    for name in names:
        if is_missing(name):
            raise GracoFormatError("a node has no name: an end of an edge, or a row, is None, NaN or masked")
        try:
            hash(name)
        except TypeError:
            raise GracoFormatError(f"a node is called {shown(name)}: expected a name that can be looked up, such as a "
                                   "word, a number or a tuple") from None
    return names


def as_text(name: Any) -> Any:
    """Bytes as the text that they are in a file, whose bytes that are no UTF-8 are kept; anything else as it is."""
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def name_key(name: Any) -> Any:
    """What a name is looked up by: a whole number and the word that writes it are one name, as in a file."""
    if isinstance(name, bytes):
        return as_text(name)
    if _is_whole(name):
        return str(name)
    return str(int(name)) if isinstance(name, (float, np.floating)) and name.is_integer() else name


def key_number(key: Any) -> Optional[int]:
    """The whole number, of 19 digits at most, that such a word writes; None: it is no such word."""
    digits = key[key[:1] == "-":] if isinstance(key, str) else ""
    return int(key) if digits.isdecimal() and len(digits) < 20 and str(int(key)) == key else None


def _keys(names: Sequence) -> list:
    kinds = set(map(type, names))
    if kinds == {str}:
        return names
    return list(map(str if kinds == {int} else name_key, names))


def same_names(names: list, others: list) -> bool:
    """Whether these are the same names, in any order."""
    return set(_keys(names)) == set(_keys(others))


def are_among(names: list, others: list) -> bool:
    """Whether the others have all of these names."""
    return set(_keys(names)).issubset(_keys(others))


def places_of(names: Iterable, what: str, of: str = "node") -> dict:
    """Where each name stands, by its key; no name may stand twice."""
    names = list(names)
    keys = _keys(names)
    places = dict(zip(keys, range(len(names))))
    if len(places) < len(names):
        i, other = next((i, places[key]) for i, key in enumerate(keys) if places[key] != i)
        if names[i] != names[other]:
            raise GracoFormatError(f"{what} call a node {names[i]!r} and another one {names[other]!r}: expected names that "
                                   "differ when they are written")
        raise GracoFormatError(f"{what} have two rows for the {of} {names[i]!r}: expected one")
    return places


def look_up(places: dict, wanted: Any, what: str, table: Optional[str] = None) -> np.ndarray:
    """The places of `wanted` among the names, which are all those of a table if it is called."""
    wanted = wanted.tolist() if isinstance(wanted, np.ndarray) else list(wanted)
    found = np.fromiter((places.get(key, -1) for key in _keys(wanted)), dtype=np.int64, count=len(wanted))
    if (found < 0).any():
        missing = wanted[int(found.argmin())]
        raise GracoFormatError(f"{table} have no row for node {missing!r}" if table else
                               f"{what} name the node {missing!r}, which is not among the names")
    return found


def in_order(value: Any, names: Optional[Sequence], what: str, of: str = "node") -> Any:
    """A frame, series or dict with its rows in the order of the names, None: 0, 1, 2, ...; else as it is.

    Each name has a row. Labels may lack some, whose nodes are unknown; but they have no row for any other name.
    """
    own = index_of(value)
    if own is None:
        return value
    places = places_of(own, what, of)
    rows = _rows_of(range(len(own)) if names is None else names, places)
    if is_by_name(value):
        items = list(value.values())
        array = as_objects(items) if what.startswith("labels") else as_array(items, what)
    else:
        array = value.to_numpy()
    if what.startswith("labels"):
        _refuse_others(own, rows, what)
        if (rows < 0).any():
            return _fill_unknown(array, rows)
    elif (rows < 0).any():
        missing = int(rows.argmin())
        raise GracoFormatError(f"{what} have no row for {of} {missing if names is None else names[missing]!r}")
    return array if np.array_equal(rows, np.arange(len(own))) else array[rows]


def _rows_of(names: Sequence, places: dict) -> np.ndarray:
    """The row of each name, by the rows of keys; -1: it has none."""
    if not isinstance(names, range):
        return np.fromiter((places.get(key, -1) for key in _keys(names)), dtype=np.int64, count=len(names))
    rows = np.full(len(names), -1, dtype=np.int64)  # of numbers, of which there may be far more than keys
    for key, row in places.items():
        number = key_number(key)
        if number is not None and 0 <= number < len(names):
            rows[number] = row
    return rows


def _refuse_others(own: list, rows: np.ndarray, what: str) -> None:
    """Refuses names that no node has; the nodes have these rows."""
    found = np.zeros(len(own), bool)
    found[rows[rows >= 0]] = True
    if not found.all():
        raise GracoFormatError(f"{what} name the node {own[int(found.argmin())]!r}, which is not in the graph")


def _fill_unknown(array: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """These rows of labels; the row -1 is an unknown label."""
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "if":
        array = as_objects(array) if array.ndim == 1 else array.astype(object)
    unknown = {"i": -1, "f": np.nan}.get(array.dtype.kind)
    out = np.full((len(rows), *array.shape[1:]), unknown, dtype=array.dtype)
    out[rows >= 0] = array[rows[rows >= 0]]
    return out


# How a column of ids, and one of labels, may be called, as in a file; and what pandas calls an index without a name
# when it becomes a column.
_IDS = {"id", "node", "nodeid", "node_id", "node id", "name"}
_LABELS = {"label", "labels", "class", "class_id", "y", "target", "category", "subject", "group", "type"}
_INDEX = {"", "unnamed: 0", "index", "level_0"}


def _words(frame: Any) -> list[str]:
    return [str(name).strip().lower() for name in frame.columns]


def with_ids(table: Any, what: str) -> Any:
    """A frame that has the names of its rows in a column, as a file has them, with these as its index; else as it is."""
    if not is_frame(table) or table.shape[1] < 2:
        return table
    words, own = _words(table), list(table.index)
    named = [i for i, word in enumerate(words) if word in _IDS]
    if words[0] in _INDEX and not (named and is_count(table.iloc[:, 0].tolist())):
        named.insert(0, 0)
    if not named:
        return table
    ids = table.iloc[:, named[0]].tolist()
    if len(named) > 1 or not (is_count(own) or list(map(str, own)) == list(map(str, ids))):
        rest = [table.columns[i] for i in named[1:]]
        raise GracoFormatError(f"{what}: the rows are named by the column {table.columns[named[0]]!r} and by "
                               f"{f'the column {rest[0]!r}' if rest else 'the index'}: expected one of them; set_index "
                               "and drop decide")
    left = [i for i, word in enumerate(words) if i != named[0] and not (i == 0 and word in _INDEX)]
    labels = [i for i in left if words[i] in _LABELS]
    if what == "labels" and len(labels) == 1:
        left = labels
    table = table.iloc[:, left]
    table.index = ids
    return table
