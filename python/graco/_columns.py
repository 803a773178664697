"""Columns of a frame as the library takes features: numbers, truth values, times and words, with gaps."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _library as c
from ._arrow import Table, Words, take_columns
from ._library import GracoFormatError
from ._reading import as_text, is_missing


class Column(NamedTuple):
    name: str
    values: np.ndarray  #: (rows) numbers; or the numbers of words, -1 for a gap
    words: Optional[list] = None
    cells: bool = False  #: words are read as the cells of a text table: numbers, dates or words
    times: bool = False  #: numbers are seconds since 1970

    def take(self, rows: Optional[np.ndarray]) -> "Column":
        return self if rows is None else self._replace(values=self.values[rows])


def columns_of(frame: Any, rows: Optional[np.ndarray]) -> list[Column]:
    """The columns of a frame, with its rows in this order; None: as they are."""
    read = _of_arrow if isinstance(frame, Table) else _of_pandas
    return [read(str(name), take_columns(frame, [i])).take(rows) for i, name in enumerate(frame.columns)]


def _of_arrow(name: str, frame: Table) -> Column:
    told = frame.describe(0)
    if told.kind == c.COLUMN_OTHER:
        raise GracoFormatError(f"the column {name!r} of features has values of Arrow's format {c.text(told.format)!r}: expected "
                               "numbers, words, dates or truth values; a column for each item of a list is what to_frame() makes")
    if told.kind == c.COLUMN_WORDS:
        (codes,), words = frame.words([0])
        return Column(name, codes, words, cells=not told.coded)
    values = frame.column(0)
    if told.kind == c.COLUMN_TRUTHS and not told.nulls:
        values = values.astype(bool)
    return Column(name, values, times=told.kind == c.COLUMN_TIMES)


def _of_pandas(name: str, frame: Any) -> Column:
    series = frame.iloc[:, 0]
    kind = series.dtype.kind
    if isinstance(series.dtype, np.dtype) and kind in "biuf":
        return Column(name, series.to_numpy())
    if kind == "M":
        zoned = getattr(series.dtype, "tz", None) is not None
        stamps = (series.dt.tz_convert("UTC").dt.tz_localize(None) if zoned else series).to_numpy()
        return Column(name, _seconds(stamps, "datetime64[us]"), times=True)
    if kind == "m":
        return Column(name, _seconds(series.to_numpy(), "timedelta64[us]"))
    if hasattr(series, "cat"):
        words = [str(as_text(word)) for word in series.cat.categories.tolist()]
        return Column(name, series.cat.codes.to_numpy(), words)
    if kind in "biuf":  # numbers with pandas' own gaps
        values = series.to_numpy(dtype=float, na_value=np.nan)
        return Column(name, values if kind != "b" or np.isnan(values).any() else values.astype(bool))
    return _of_objects(name, series)


def _seconds(stamps: np.ndarray, unit: str) -> np.ndarray:
    return np.where(np.isnat(stamps), np.nan, stamps.astype(unit).astype(np.int64) / 1e6)


def _of_objects(name: str, series: Any) -> Column:
    """Texts, or whatever stands in a column of objects: numbers where all are, else what writes them."""
    try:
        codes, words = sys.modules["pandas"].factorize(series.to_numpy(dtype=object))
    except TypeError:
        raise GracoFormatError(f"the column {name!r} of features holds lists or the like: expected numbers, words, dates or truth "
                               "values") from None
    words = words.tolist()
    if words and all(isinstance(word, (int, float, np.number, np.bool_)) for word in words):
        values = np.array([*map(float, words), np.nan])[codes]
        truths = all(isinstance(word, (bool, np.bool_)) for word in words) and (codes >= 0).all()
        return Column(name, values.astype(bool) if truths else values)
    return Column(name, codes, [None if is_missing(word) else str(as_text(word)) for word in words], cells=True)


def give_columns(columns: list[Column], keep: list) -> Any:
    """Columns as C takes them; `keep` gets what must stay until the call has ended."""
    given = (c.Feature * len(columns))()
    for feature, column in zip(given, columns):
        feature.name, feature.times = c.encode(column.name, "the name of a column"), column.times
        if column.words is None:
            feature.values = c.give_array(column.values, keep)
            continue
        words = column.words.array if isinstance(column.words, Words) else c.give_strings(column.words, keep)
        if column.cells:
            texts = np.append(c.pointers(words), np.uintp(0))[column.values]  # -1: NULL, a gap
            keep.append(texts)
            feature.values = c.Array(texts.ctypes.data, c.STRING, 1, len(texts), 0, 0)
        else:
            feature.values, feature.words = c.give_array(column.values, keep), words
    keep.append(given)
    return given
