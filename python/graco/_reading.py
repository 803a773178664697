"""What other libraries' objects say about a graph, read by the names of their attributes.

None of those libraries is imported here: an object of theirs shows that the program has it already.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Iterable, Optional, Sequence

import numpy as np

from ._arrow import Table, as_table, column, has_arrow, take_columns
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
    return isinstance(value, Table) or (comes_from(value, "pandas") and hasattr(value, "columns"))


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
    if (comes_from(value, "pandas") and hasattr(value, "to_numpy")) or isinstance(value, Table):
        return value.to_numpy()
    if has_arrow(value):
        return as_array(as_table(value), what)
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


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


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
    names = list(names)
    if set(map(type, names)) == {str}:
        return names
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
    if is_whole(name):
        return str(name)
    return str(int(name)) if isinstance(name, (float, np.floating)) and name.is_integer() else name


def key_number(key: Any) -> Optional[int]:
    """The whole number, of 19 digits at most, that such a word writes; None: it is no such word."""
    digits = key[key[:1] == "-":] if isinstance(key, str) else ""
    return int(key) if digits.isdecimal() and len(digits) < 20 and str(int(key)) == key else None


def keys_of(names: Sequence) -> list:
    kinds = set(map(type, names))
    if kinds == {str}:
        return names
    return list(map(str if kinds == {int} else name_key, names))


def same_names(names: list, others: list) -> bool:
    """Whether these are the same names, in any order."""
    return set(keys_of(names)) == set(keys_of(others))


def are_among(names: list, others: list) -> bool:
    """Whether the others have all of these names."""
    return set(keys_of(names)).issubset(keys_of(others))


def places_of(names: Iterable, what: str, of: str = "node") -> dict:
    """Where each name stands, by its key; no name may stand twice."""
    names = list(names)
    keys = keys_of(names)
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
    found = np.fromiter((places.get(key, -1) for key in keys_of(wanted)), dtype=np.int64, count=len(wanted))
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
    rows = _rows_of(range(len(own)) if names is None else names, places_of(own, what, of))
    if is_by_name(value):
        items = list(value.values())
        array = as_objects(items) if what.startswith("labels") else as_array(items, what)
    else:
        array = value.to_numpy()
    if what.startswith("labels"):
        _refuse_others(own, rows, what)
        if (rows < 0).any():
            return _fill_unknown(array, rows)
    else:
        _refuse_gaps(rows, names, what, of)
    return array if np.array_equal(rows, np.arange(len(own))) else array[rows]


def rows_in_order(frame: Any, names: Optional[Sequence], what: str) -> Optional[np.ndarray]:
    """The rows of a frame in the order of the names, None: 0, 1, 2, ...; None if they are so."""
    own = index_of(frame)
    if names is None and is_count(own):
        return None
    rows = _rows_of(range(len(own)) if names is None else names, places_of(own, what))
    _refuse_gaps(rows, names, what, "node")
    return None if np.array_equal(rows, np.arange(len(own))) else rows


def _refuse_gaps(rows: np.ndarray, names: Optional[Sequence], what: str, of: str) -> None:
    if (rows < 0).any():
        missing = int(rows.argmin())
        raise GracoFormatError(f"{what} have no row for {of} {missing if names is None else names[missing]!r}")


def _rows_of(names: Sequence, places: dict) -> np.ndarray:
    """The row of each name, by the rows of keys; -1: it has none."""
    if not isinstance(names, range):
        return np.fromiter((places.get(key, -1) for key in keys_of(names)), dtype=np.int64, count=len(names))
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
INDEX = {"", "unnamed: 0", "index", "level_0"}


def column_words(frame: Any) -> list[str]:
    return [str(name).strip().lower() for name in frame.columns]


def with_ids(table: Any, what: str) -> Any:
    """A frame that has the names of its rows in a column, as a file has them, with these as its index; else as it is."""
    table = as_table(table)
    if not is_frame(table) or table.shape[1] < 2:
        return table
    words, own = column_words(table), list(table.index)
    named = [i for i, word in enumerate(words) if word in _IDS]
    if words[0] in INDEX and not (named and is_count(column(table, 0).tolist())):
        named.insert(0, 0)
    if not named:
        return table
    ids = column(table, named[0]).tolist()
    if len(named) > 1 or not (is_count(own) or list(map(str, own)) == list(map(str, ids))):
        rest = [table.columns[i] for i in named[1:]]
        raise GracoFormatError(f"{what}: the rows are named by the column {table.columns[named[0]]!r} and by "
                               f"{f'the column {rest[0]!r}' if rest else 'the index'}: expected one of them; set_index "
                               "and drop decide")
    left = [i for i, word in enumerate(words) if i != named[0] and not (i == 0 and word in INDEX)]
    labels = [i for i in left if words[i] in _LABELS]
    if what == "labels" and len(labels) == 1:
        left = labels
    return take_columns(table, left, ids)
