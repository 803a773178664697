"""Frames of polars, pyarrow, DuckDB and whatever else has __arrow_c_stream__, through Arrow's C data interface.

None of those libraries is imported here. Frames of pandas, whose rows have names, are read by pandas' means.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_void_p
from typing import Any, Iterator, Optional, Sequence

import numpy as np

from . import _library as c

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Words:
    """Different names of nodes in an order: a sequence that makes Python's strings only when they are wanted."""

    def __init__(self, names: Optional[list], array: Optional[c.Array] = None, owner: Any = None) -> None:
        self._names, self.array, self._owner = names, array, owner
        self._count = array.rows if names is None else len(names)

    def tolist(self) -> list:
        if self._names is None:
            self._names = c.take_array(self.array, self._owner).tolist()
        return self._names

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def __getitem__(self, place: Any) -> Any:
        return self.tolist()[place]


class Table:
    """Columns of an Arrow frame, with as much of pandas' manners as graco uses. Rows have no names but those that one of
    its columns gave them."""

    def __init__(self, frame: "ArrowFrame", places: Sequence, index: Sequence) -> None:
        self._frame, self._places, self.index = frame, list(places), index
        self.columns = [frame.names[place] for place in self._places]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.index), len(self.columns)

    def __len__(self) -> int:
        return len(self.index)

    def describe(self, place: int) -> c.Column:
        return self._frame.columns[self._places[place]]

    def column(self, place: int) -> np.ndarray:
        return self._frame.array(self._places[place])

    def words(self, places: Sequence) -> tuple[list, Words]:
        return self._frame.words(*(self._places[place] for place in places))

    def take(self, places: Sequence, index: Any = None) -> "Table":
        """These columns, with names for the rows unless that is None."""
        return Table(self._frame, [self._places[i] for i in places], self.index if index is None else index)

    def to_numpy(self) -> np.ndarray:
        arrays = [self.column(i) for i in range(len(self.columns))]
        if len({array.dtype.kind == "O" for array in arrays}) > 1:
            arrays = [array.astype(object) for array in arrays]
        return np.stack(arrays, axis=1) if arrays else np.empty((len(self), 0))


class ArrowFrame:
    """A frame as the library has read it. Numbers without nulls stay where the other library has them."""

    def __init__(self, stream: Any) -> None:
        out, capsule = c_void_p(), stream.__arrow_c_stream__()  # which ends what is in it
        c.check(c.lib.graco_frame_read(byref(out), _get_pointer(capsule, b"arrow_array_stream")))
        self.handle = c.Handle(out.value, "graco_frame_free")
        self.columns: list[c.Column] = []
        column = c.Column()
        while c.lib.graco_frame_column(byref(column), out, len(self.columns)):
            self.columns.append(column)
            column = c.Column()
        self.names = [c.name(column.name) for column in self.columns]
        self.rows = self.columns[0].rows if self.columns else 0

    def numbers(self, place: int) -> np.ndarray:
        array = c.Array()
        c.check(c.lib.graco_frame_numbers(byref(array), self.handle.address, place))
        found = c.take_array(array, self.handle)
        return np.empty(0) if found is None else found

    def words(self, *places: int) -> tuple[list, Words]:
        """The numbers of the words in these columns, -1 where there is none, and the words."""
        codes = [np.empty(self.rows, np.int32) for _ in places]
        given = (POINTER(c_int32) * len(places))(*(code.ctypes.data_as(POINTER(c_int32)) for code in codes))
        array = c.Array()
        c.check(c.lib.graco_frame_words(byref(array), given, self.handle.address, (c_int64 * len(places))(*places),
                                        len(places)))
        return codes, Words(None, array, self.handle)

    def array(self, place: int) -> np.ndarray:
        """A column as numpy has it: numbers, or an array of strings and None."""
        if self.columns[place].kind != c.COLUMN_WORDS:
            return self.numbers(place)
        (codes,), words = self.words(place)
        return np.array([*words, None], dtype=object)[codes]


def has_arrow(value: Any) -> bool:
    return hasattr(value, "__arrow_c_stream__") and not type(value).__module__.startswith("pandas")


def as_table(value: Any) -> Any:
    """A frame that is not pandas' as a Table, a column as an array; anything else as it is. A stream is so read once."""
    if not has_arrow(value):
        return value
    frame = ArrowFrame(value)
    if len(frame.columns) == 1 and not hasattr(value, "columns") and not frame.names[0]:
        return frame.array(0)
    return Table(frame, range(len(frame.columns)), range(frame.rows))


def column(frame: Any, place: int) -> np.ndarray:
    return frame.column(place) if isinstance(frame, Table) else frame.iloc[:, place].to_numpy()


def take_columns(frame: Any, places: Sequence, index: Any = None) -> Any:
    """A frame of these columns, with names for the rows unless that is None."""
    if isinstance(frame, Table):
        return frame.take(places, index)
    frame = frame.iloc[:, list(places)]
    if index is not None:
        frame.index = index
    return frame
