"""Labels and splits, in whichever form they are given, as the numbers that the library takes."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._library import GracoArgumentError, GracoFormatError, shown
from ._reading import (
    as_array, as_objects, as_text, check_names, in_order, index_of, is_count, is_missing, look_up, node_rows, places_of,
)

SPLIT_WORDS = {
    "train": 0, "training": 0, "val": 1, "valid": 1, "validation": 1, "test": 2, "none": 3, "": 3,
}


def read_labels(labels: Any, compact: bool = False) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """Labels as numbers of classes, -1 where none is known, and the classes in the order of the numbers.

    Whole numbers stand for themselves, and there are no classes, unless `compact` is asked for. None, NaN, a masked item,
    the number -1, "" and words such as "NA" are unknown. Two dimensions are several labels per node, 0 and 1; the whole
    row of an unknown one is -1.
    """
    array = _stack_rows(_unmasked(labels))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2:
        return _read_several(_plain(array)), np.arange(array.shape[1]) if compact else None
    if array.ndim != 1:
        raise GracoFormatError(f"labels of {array.ndim} dimensions: expected 1, or 2 for several per node")
    if array.dtype.kind not in "iubf":
        array = as_objects(map(as_text, array.tolist())) if array.dtype.kind in "SO" else array
        known = np.array([not (is_missing(v) or _says_unknown(v)) for v in array], dtype=bool)
        if array.dtype == object and all(_is_number(v) for v in array[known]):  # numbers, some unknown
            array = np.array([float("nan") if not k else v for k, v in zip(known, array)], dtype=float)
    if array.dtype.kind in "iuf":
        array, known = _read_numbers(array)
    elif array.dtype.kind == "b":
        known = np.ones(len(array), bool)
    if array.dtype.kind in "iub" and not compact:
        return array, None
    codes = np.full(len(array), -1, dtype=np.int32)
    values = array[known]
    if values.dtype == object and any(isinstance(v, str) for v in values):
        values = np.array([str(v) for v in values])
    try:
        classes, codes[known] = np.unique(values, return_inverse=True)
    except (TypeError, ValueError):
        kinds = sorted({type(v).__name__ for v in values})
        raise GracoFormatError(f"labels of the kinds {', '.join(kinds)} have no order: expected numbers or "
                               "words") from None
    return codes, classes


def _stack_rows(array: np.ndarray) -> np.ndarray:
    """Labels whose items are rows, several labels per node, as one array; the row of an unknown one is NaN."""
    if array.ndim != 1 or array.dtype != object:
        return array
    rows = [item for item in array if isinstance(item, (list, tuple, np.ndarray)) and item is not np.ma.masked]
    if not rows:
        return array
    try:
        blank = np.full(len(rows[0]), np.nan)
        stacked = np.array([blank if is_missing(item) else _blanked(item) for item in array], dtype=float)
    except (TypeError, ValueError, OverflowError):
        stacked = None
    if stacked is None or stacked.ndim != 2:
        raise GracoFormatError("labels hold rows of different lengths or kinds: expected a class for each node, or rows "
                               "of 0 and 1, all of one length, for several labels per node")
    return stacked


def _blanked(row: Any) -> Any:
    """A row with NaN for what is missing."""
    if not (isinstance(row, (list, tuple)) or getattr(row, "dtype", None) == object):
        return row
    return [np.nan if is_missing(item) else item for item in row]


def _plain(array: np.ndarray) -> np.ndarray:
    """Rows of Python's objects as numbers, NaN for what is missing; as they are where some are no numbers."""
    if array.dtype != object:
        return array
    items = _blanked(array.ravel())
    numbers = all(_is_number(item) or isinstance(item, (bool, np.bool_)) for item in items)
    return np.array(items, dtype=float).reshape(array.shape) if numbers else array


def _read_several(array: np.ndarray) -> np.ndarray:
    """Several labels per node; the whole row of an unknown one, of -1 or with a NaN, is -1."""
    if array.dtype.kind not in "if":
        return array
    unknown = np.isnan(array).any(axis=1) | (array == -1).all(axis=1)
    if not unknown.any():
        return array
    broken = array[~unknown][~np.isin(array[~unknown], (0, 1))]
    if len(broken):
        raise GracoFormatError(f"labels hold {broken[0]}: expected 0 and 1 where nodes have several labels, or a whole "
                               "row of -1 where they are unknown")
    return np.where(unknown[:, None], -1, array).astype(np.int8)


# What a label that nobody knows may be called, as in a file (docs/formats.md).
_UNKNOWN = {"", "na", "n/a", "<na>", "nan", "null"}


def _says_unknown(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in _UNKNOWN


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _unmasked(labels: Any) -> np.ndarray:
    """Labels as an array; a masked one has None, or NaN, in place of what is masked."""
    if isinstance(labels, (list, tuple)):
        try:
            return np.asarray(labels) if not any(is_missing(v) for v in labels) else as_objects(labels)
        except (TypeError, ValueError, OverflowError):
            return as_objects(labels)
    if not isinstance(labels, np.ma.MaskedArray):
        return as_array(labels, "labels")
    array = labels.data.astype(object if labels.ndim == 1 else float)
    array[np.ma.getmaskarray(labels)] = None
    return array


def _read_numbers(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of classes, whole ones, and which are known."""
    if array.dtype.kind == "f":
        values = np.where(np.isnan(array), -1, array)
        broken = values[(np.abs(values) > 2**53) | (np.trunc(values) != values)]
        if len(broken):
            raise GracoFormatError(f"labels hold {broken[0]}, which is continuous: expected classes, whole "
                                   "numbers or words")
        array = values.astype(np.int64)
    if array.dtype.kind == "i" and (array < -1).any():
        raise GracoFormatError(f"labels hold {array.min()}: expected classes from 0, or -1, None or NaN where the "
                               "label is unknown")
    return array, array != -1 if array.dtype.kind == "i" else np.ones(len(array), bool)


def label_arrays(codes: np.ndarray) -> dict:
    """Numbers of classes as C takes them: unknown rows of several labels are a mask of their own."""
    if codes.ndim == 2 and codes.dtype.kind == "i" and (codes == -1).any():
        known = (codes != -1).any(axis=1)
        return {"y": np.where(known[:, None], codes, 0), "label_mask": known}
    return {"y": codes}


def split_parts(split: Any) -> Optional[dict]:
    """A split by its parts, train, val and test, each as nodes or a mask; None where it has a row for each node."""
    if isinstance(split, tuple) and len(split) in (2, 3):
        split = dict(zip(("train", "val", "test") if len(split) == 3 else ("train", "test"), split))
    if not isinstance(split, dict):
        return None
    for word in split:
        if word not in SPLIT_WORDS:
            raise GracoFormatError(f"a split has the part {shown(word)}: expected train, val or test")
    return {word: list(part) if isinstance(part, (set, frozenset)) else part for word, part in split.items()}


def is_mask(part: Any) -> bool:
    return as_array(part, "a part of a split").dtype == bool


def mask_index(mask: Any) -> Optional[list]:
    """The names that a mask has for its nodes; None where it has a row for each in their order."""
    own = index_of(mask)
    return None if own is None or is_count(own) else own


def _read_parts(parts: dict, nodes: Optional[int], names: Optional[list]) -> np.ndarray:
    masks = [np.atleast_1d(as_array(part)) for part in parts.values() if is_mask(part)]
    if nodes is None and not masks:
        raise GracoArgumentError("a graph of 0 nodes has a split: expected edges, features, labels or `nodes` beside it")
    out = np.full(len(masks[0]) if nodes is None else nodes, 3, dtype=np.uint8)
    places = None if names is None else places_of(names, "names")
    for word, part in parts.items():
        what = f"the nodes of the part {word!r} of a split"
        if is_mask(part) and mask_index(part) is not None:
            part = in_order(part, names, what)
        if places is None or is_mask(part):
            rows = node_rows(part, len(out), what)
        else:
            alone = isinstance(part, (str, bytes)) or np.ndim(part) == 0
            rows = look_up(places, check_names([part] if alone else as_objects(part)), what)
        twice = rows[(out[rows] != 3) & (out[rows] != SPLIT_WORDS[word])]
        if len(twice):
            raise GracoFormatError(f"node {twice[0]} is in two parts of a split, {word!r} and another: expected one")
        out[rows] = SPLIT_WORDS[word]
    return out


def read_split(split: Any, nodes: Optional[int], names: Optional[list] = None) -> np.ndarray:
    """Numbers 0 to 3, words, three masks, or a dict of masks, node numbers or names, as numbers."""
    parts = split_parts(split)
    if parts is not None:
        return _read_parts(parts, nodes, names)
    array = as_array(split, "split")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "OU" or array.ndim != 1:
        return array
    for word in array.tolist():
        if not isinstance(word, str) or word not in SPLIT_WORDS:
            raise GracoFormatError(f"a split has the word {shown(word)}: expected train, val, test or none")
    return np.array([SPLIT_WORDS[word] for word in array], dtype=np.uint8)
