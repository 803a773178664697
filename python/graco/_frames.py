"""Embeddings as frames, of the library that a graph came in by, and frames of parquet files.

A library is imported when a frame of it is asked for, and not before.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Iterable, Optional

import numpy as np

from ._library import GracoArgumentError, GracoIOError

KINDS = ("pandas", "polars", "pyarrow", "duckdb")


def kind_of(*values: Any) -> Optional[str]:
    """The library of the first value that is a frame of one."""
    for value in values:
        library = type(value).__module__.split(".")[0].lstrip("_")
        if library in KINDS and (hasattr(value, "columns") or hasattr(value, "__arrow_c_stream__")):
            return library
    return None


def _import(kinds: Iterable[str], what: str) -> Any:
    """The first of these libraries that is installed."""
    for kind in kinds:
        try:
            return importlib.import_module("pyarrow.parquet" if kind == "pyarrow" else kind)
        except ImportError:
            pass
    kinds = list(kinds)
    raise ImportError(f"{what} needs {' or '.join(kinds)}, which this Python does not have: pip install {kinds[0]}")


def make_frame(kind: Optional[str], names: np.ndarray, Z: np.ndarray, columns: np.ndarray, vectors: bool) -> Any:
    """A row for each node: its name, and its embedding as columns or as one column of vectors."""
    if kind is not None and kind not in KINDS:
        raise GracoArgumentError(f"kind {kind!r}: expected one of {', '.join(KINDS)}")
    if kind is None:
        library = _import(("pandas", "polars", "pyarrow"), "to_frame")
        kind = library.__name__.split(".")[0]
    elif kind == "duckdb":
        return _make_relation(names, Z, columns, vectors)
    else:
        library = _import((kind,), f"to_frame(kind={kind!r})")
    if kind == "pandas":
        index = library.Index(names, name="node")
        return (library.DataFrame({"vector": list(Z)}, index=index) if vectors
                else library.DataFrame(Z, index=index, columns=columns))
    words = _one_type(names)
    if kind == "polars":
        width = Z.shape[1]
        right = ([library.Series("vector", Z, dtype=library.Array(library.Float32, width))] if vectors
                 else [library.Series(name, Z[:, i]) for i, name in enumerate(columns)])
        return library.DataFrame([library.Series("node", words), *right])
    arrow = importlib.import_module("pyarrow")
    node = arrow.array(words)
    if vectors:
        flat = arrow.array(np.ascontiguousarray(Z).ravel())
        return arrow.table({"node": node, "vector": arrow.FixedSizeListArray.from_arrays(flat, Z.shape[1])})
    return arrow.table({"node": node, **{name: arrow.array(Z[:, i]) for i, name in enumerate(columns)}})


def _one_type(names: np.ndarray) -> list:
    """Names of nodes as a column takes them, which has one type: words where some are words."""
    flat = names.tolist()
    return flat if names.dtype != object or all(isinstance(name, str) for name in flat) else [str(name) for name in flat]


def _make_relation(names: np.ndarray, Z: np.ndarray, columns: np.ndarray, vectors: bool) -> Any:
    database = _import(("duckdb",), "to_frame(kind='duckdb')")
    library = _import(("pyarrow", "polars", "pandas"), "to_frame(kind='duckdb')")
    frame = make_frame(library.__name__.split(".")[0], names, Z, columns, vectors)
    if library.__name__ == "pandas":
        frame = frame.reset_index()
    return database.sql("select * from frame")  # which keeps it


def is_parquet(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith((".parquet", ".pq"))


def read_parquet(path: Any) -> Any:
    library = _import(("polars", "pyarrow", "duckdb"), f"{os.fspath(path)}: reading parquet")
    if not os.path.exists(path):
        raise GracoIOError(f"{os.fspath(path)}: No such file or directory")
    if library.__name__ == "polars":
        return library.read_parquet(path)
    if library.__name__ == "duckdb":
        return library.read_parquet(os.fspath(path))
    return library.read_table(path)


def write_parquet(path: Any, names: np.ndarray, Z: np.ndarray, columns: np.ndarray, vectors: bool) -> None:
    library = _import(("polars", "pyarrow"), f"{os.fspath(path)}: writing parquet")
    kind = library.__name__.split(".")[0]
    frame = make_frame(kind, names, Z, columns, vectors)
    if kind == "polars":
        frame.write_parquet(path)
    else:
        library.write_table(frame, path)
