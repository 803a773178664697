"""The C library, seen from Python: its functions, its errors, its memory. Nothing here knows what the numbers mean."""

from __future__ import annotations

import ctypes
import operator
import os
from ctypes import POINTER, byref, c_char_p, c_float, c_void_p
from typing import Any, Iterator, Optional

import numpy as np

from . import _structs
from ._structs import *  # noqa: F401,F403: whoever calls the library finds its structs here
from ._structs import Array, Matrix

# ---- Errors ---------------------------------------------------------------------------------------


class GracoError(Exception):
    """What went wrong, in graco's words: the thing, the value found and the value wanted."""


class GracoMemoryError(GracoError, MemoryError):
    """An allocation failed."""


class GracoIOError(GracoError, OSError):
    """The system refused to read or write."""


class GracoFormatError(GracoError, ValueError):
    """Arrays or a file do not hold what they should."""


class GracoArgumentError(GracoError, ValueError):
    """Something was asked for that makes no sense."""


class GracoNumberError(GracoError, ArithmeticError):
    """A computation gave a value that is not finite."""


class GracoDeviceError(GracoError, RuntimeError):
    """The compute device failed or is missing."""


ERRORS = {
    _structs.ERROR_MEMORY: GracoMemoryError,
    _structs.ERROR_IO: GracoIOError,
    _structs.ERROR_FORMAT: GracoFormatError,
    _structs.ERROR_ARGUMENT: GracoArgumentError,
    _structs.ERROR_NUMBER: GracoNumberError,
    _structs.ERROR_DEVICE: GracoDeviceError,
}

# The types of items, by number, as numpy has them; strings have the last.
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]

# ---- Functions ------------------------------------------------------------------------------------


def _open() -> ctypes.CDLL:
    """The library that $GRACO_LIBRARY names, else the one beside this file, else the system's."""
    path = os.environ.get("GRACO_LIBRARY")
    if not path:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libgraco.so")
        if not os.path.exists(path):
            path = "libgraco.so.0"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"graco's library cannot be loaded: {error}; $GRACO_LIBRARY may name another"
        ) from None
    for name, (result, arguments) in _structs.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}: it is an older graco") from None
        function.argtypes = arguments
        function.restype = result
    return library


lib = _open()


def message() -> str:
    return lib.graco_message().decode("utf-8", "replace")


def check(status: int) -> None:
    """Raises what a status says, with the library's message."""
    if status != _structs.OK:
        raise ERRORS.get(status, GracoError)(message())


def whole(value: Any, name: str, bits: int = 63) -> int:
    """A whole number from 0, as C takes it: ctypes would cut one that does not fit without a word."""
    try:
        number = -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << bits:
        raise GracoArgumentError(f"{name} is {shown(value)}: expected a whole number from 0 to 2^{bits} - 1")
    return number


def shown(value: Any) -> str:
    """A value as a message shows it: one line, not too long."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 100 else line[:97] + "..."


def encode(value: Any, what: str) -> bytes:
    """Text as C takes it: UTF-8 without a NUL; a byte that Python could not decode is that byte again."""
    word = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    try:
        encoded = word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise GracoFormatError(f"{what} {shown(word)} holds half a character at {error.start}: expected text") from None
    if b"\0" in encoded:
        raise GracoFormatError(f"{what} {shown(word)} holds a NUL: expected text without one")
    return encoded


def word(value: Any, name: str) -> bytes:
    """A word that chooses something, as C takes it, which knows the words."""
    if not isinstance(value, str):
        raise GracoArgumentError(f"{name} is {shown(value)}: expected a word")
    return encode(value, name)


def text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def name(value: Optional[bytes]) -> str:
    """A name, which `encode` makes the same bytes of: those that are no UTF-8 must not all look the same."""
    return value.decode("utf-8", "surrogateescape") if value else ""


def listed(function: Any, *arguments: Any) -> Iterator[str]:
    """The items of a list that the library gives one by one, with NULL past the end."""
    index = 0
    while (item := function(*arguments, index)) is not None:
        yield text(item)
        index += 1


# ---- Memory ---------------------------------------------------------------------------------------


class Handle:
    """An object of the library, freed with the last reference to this one, which keeps what it was lent."""

    def __init__(self, address: int, free: str, lent: Any = None) -> None:
        self.address = address
        self._lent = lent
        self._free = getattr(lib, free)

    def __del__(self) -> None:
        address, self.address = getattr(self, "address", 0), 0
        if address:
            self._free(address)


class _Lent:
    """Memory of the library as numpy can take it over: the array keeps this object, this one the owner."""

    def __init__(self, address: int, dtype: str, shape: tuple, owner: Any, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, not writable),
            "typestr": np.dtype(dtype).str,
            "shape": shape,
            "version": 3,
        }


def lend(address: int, dtype: str, shape: tuple, owner: Any, writable: bool = False) -> np.ndarray:
    """An array over memory of the library, without a copy; it keeps the owner."""
    if not address or 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_Lent(address, dtype, shape, owner, writable))


class _OwnedMatrix:
    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    def __del__(self) -> None:
        lib.graco_matrix_clear(byref(self.matrix))


def take_matrix(matrix: Matrix) -> np.ndarray:
    """A matrix of the library as an array that owns it, without a copy."""
    owner = _OwnedMatrix(matrix)
    address = ctypes.cast(matrix.data, c_void_p).value or 0
    return lend(address, "f4", (matrix.rows, matrix.cols), owner, writable=True)


def give_matrix(array: np.ndarray) -> tuple[Matrix, np.ndarray]:
    """A matrix over an array; the array must stay as long as the matrix is used."""
    if array.ndim != 2:
        raise GracoArgumentError(f"an array of {array.ndim} dimensions: expected 2, a row per node")
    if array.dtype.kind == "c":  # numpy would drop the imaginary parts
        raise GracoFormatError(f"an array of {array.dtype}: expected real numbers")
    try:
        array = np.ascontiguousarray(array, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise GracoFormatError(f"an array of {array.dtype}: expected numbers ({error})") from None
    matrix = Matrix(array.shape[0], array.shape[1], array.ctypes.data_as(POINTER(c_float)))
    return matrix, array


def give_array(array: Optional[np.ndarray], keep: list) -> Array:
    """What C gets for an array of numbers; `keep` gets what must stay until the call has ended.

    The array goes as it is if its type is one of C's and its rows have no gaps that C does not know:
    nothing is copied then.
    """
    if array is None:
        return Array()
    array = np.asarray(array)
    if array.ndim not in (1, 2):
        raise GracoFormatError(f"an array of {array.ndim} dimensions: expected 1 or 2")
    kind = array.dtype.newbyteorder("=").str[1:].replace("b1", "?")
    if kind not in TYPES:
        raise GracoFormatError(f"an array of {array.dtype}: expected numbers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    size = array.dtype.itemsize
    steps = array.strides
    fits = array.flags.aligned and array.size > 0 and (
        (array.ndim == 1 and steps[0] > 0 and steps[0] % size == 0)
        or (array.ndim == 2 and steps[1] == size and steps[0] % size == 0
            and steps[0] >= size * array.shape[1])
    )
    if not fits:
        array = np.ascontiguousarray(array)
        steps = array.strides
    keep.append(array)
    cols = array.shape[1] if array.ndim == 2 else 0
    stride = steps[0] // size if array.size > 0 else 0
    return Array(
        array.ctypes.data, TYPES.index(kind), array.ndim, array.shape[0], cols, stride
    )


def _as_block(strings: Any) -> Optional[tuple]:
    """Strings one after another, and where each begins; None: some must be looked at one by one."""
    try:
        text = np.frombuffer(("\0".join(strings) + "\0").encode("utf-8", "surrogateescape"), np.uint8)
    except (TypeError, UnicodeEncodeError):  # other things than strings; half a character
        return None
    ends = np.flatnonzero(text == 0)
    if len(ends) != len(strings) or not len(ends):
        return None
    return text, text.ctypes.data + np.concatenate([[0], ends[:-1] + 1])


def give_strings(strings: Optional[Any], keep: list) -> Array:
    if strings is None:
        return Array()
    block = _as_block(strings)
    if block is not None:
        keep.extend(block)
        return Array(block[1].ctypes.data, _structs.STRING, 1, len(block[1]), 0, 0)
    encoded = [encode(s if isinstance(s, str) else str(s), "the name") for s in strings]
    pointers = (c_char_p * max(len(encoded), 1))(*encoded)
    keep.extend([encoded, pointers])
    return Array(ctypes.addressof(pointers), _structs.STRING, 1, len(encoded), 0, 0)


def pointers(strings: Array) -> np.ndarray:
    """Where each of C's strings begins."""
    if not strings.rows:
        return np.empty(0, np.uintp)
    return np.ctypeslib.as_array((ctypes.c_size_t * strings.rows).from_address(strings.data)).astype(np.uintp)


def take_array(array: Array, owner: Any) -> Optional[np.ndarray]:
    """An array of the library's as numpy has it; None where there is none."""
    if not array.data and array.rows == 0:
        return None
    if array.type == _structs.STRING:
        pointers = ctypes.cast(array.data, POINTER(c_char_p))
        return np.array([name(pointers[i]) for i in range(array.rows)], dtype=object)
    shape = (array.rows,) if array.dims == 1 else (array.rows, array.cols)
    return lend(array.data or 0, TYPES[array.type], shape, owner)
