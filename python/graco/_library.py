"""The C library, seen from Python: its structs, its functions, its errors.

Nothing here knows what the numbers mean. Every struct of graco.h that Python reads or fills is mirrored
once, in this file; a test compares sizes and offsets with what the C compiler says.
"""

from __future__ import annotations

import ctypes
import operator
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64
from ctypes import c_size_t, c_uint64, c_void_p
from typing import Any, Iterator, Optional

import numpy as np

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


OK, STOPPED = 0, 7
ERRORS = {
    1: GracoMemoryError,
    2: GracoIOError,
    3: GracoFormatError,
    4: GracoArgumentError,
    5: GracoNumberError,
    6: GracoDeviceError,
}

# ---- Structs --------------------------------------------------------------------------------------


class Struct(ctypes.Structure):
    """A struct of graco.h; `c_name` is its name there."""

    c_name = ""


class Matrix(Struct):
    c_name = "graco_matrix"
    _fields_ = [("rows", c_int64), ("cols", c_int64), ("data", POINTER(c_float))]


class LoadOptions(Struct):
    c_name = "graco_load_options"
    _fields_ = [
        ("features_path", c_char_p),
        ("labels_path", c_char_p),
        ("undirected", c_bool),
        ("made_features", c_int64),
        ("header", c_char_p),
        ("id_column", c_char_p),
        ("delimiter", c_char_p),
        ("directed", c_bool),
        ("unweighted", c_bool),
    ]


class Array(Struct):
    c_name = "graco_array"
    _fields_ = [
        ("data", c_void_p),
        ("type", c_int),
        ("dims", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("stride", c_int64),
    ]


class Arrays(Struct):
    c_name = "graco_arrays"
    _fields_ = [
        ("name", c_char_p),
        ("nodes", c_int64),
        ("source", Array),
        ("target", Array),
        ("edge_indptr", Array),
        ("edge_weight", Array),
        ("x", Array),
        ("x_indptr", Array),
        ("x_indices", Array),
        ("x_data", Array),
        ("x_cols", c_int64),
        ("y", Array),
        ("split", Array),
        ("label_mask", Array),
        ("graph_id", Array),
        ("node_ids", Array),
        ("class_names", Array),
        ("undirected", c_bool),
        ("inductive", c_bool),
        ("borrow", c_bool),
    ]


class DatasetInfo(Struct):
    c_name = "graco_dataset_info"
    _fields_ = [
        ("name", c_char_p),
        ("nodes", c_int64),
        ("edges", c_int64),
        ("self_loops", c_int64),
        ("duplicates", c_int64),
        ("isolated", c_int64),
        ("feature_count", c_int64),
        ("feature_entries", c_int64),
        ("classes", c_int64),
        ("graphs", c_int64),
        ("sparse_features", c_bool),
        ("multi_label", c_bool),
        ("directed", c_bool),
        ("has_split", c_bool),
        ("split_nodes", c_int64 * 3),
        ("inductive", c_bool),
        ("weighted", c_bool),
    ]


class MethodInfo(Struct):
    c_name = "graco_method_info"
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("supervised", c_bool),
        ("needs_features", c_bool),
        ("needs_labels", c_bool),
        ("scale", c_char_p),
        ("reference", c_char_p),
    ]


class Epoch(Struct):
    c_name = "graco_epoch"
    _fields_ = [
        ("epoch", c_int64),
        ("epochs", c_int64),
        ("loss", c_double),
        ("mutual_information", c_double),
        ("floored", c_int64),
        ("seconds", c_double),
        ("seconds_left", c_double),
        ("cost", c_double),
        ("best_epoch", c_int64),
        ("ended", c_char_p),
    ]


class Progress(Struct):
    c_name = "graco_progress"
    _fields_ = [
        ("epoch", c_int64),
        ("epochs", c_int64),
        ("step", c_int64),
        ("steps", c_int64),
        ("share", c_double),
        ("loss", c_double),
        ("seconds", c_double),
        ("seconds_left", c_double),
        ("faster", c_char_p),
        ("faster_seconds", c_double),
    ]


EPOCH_FN = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Epoch))
PROGRESS_FN = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))


class TrainOptions(Struct):
    c_name = "graco_train_options"
    _fields_ = [
        ("run", c_char_p),
        ("resume", c_bool),
        ("on_epoch", EPOCH_FN),
        ("user", c_void_p),
        ("on_progress", PROGRESS_FN),
    ]


class TrainResult(Struct):
    c_name = "graco_train_result"
    _fields_ = [
        ("epochs", c_int64),
        ("step", c_int64),
        ("steps", c_int64),
        ("loss", c_double),
        ("mutual_information", c_double),
        ("seconds", c_double),
        ("epoch_ms_median", c_double),
        ("device", c_char_p),
        ("buffer_bytes", c_int64),
        ("best_epoch", c_int64),
        ("best_cost", c_double),
        ("ended", c_char_p),
    ]


class EmbedOptions(Struct):
    c_name = "graco_embed_options"
    _fields_ = [("threads", c_int64), ("device", c_char_p), ("contaminated", c_bool)]


class EvalOptions(Struct):
    c_name = "graco_eval_options"
    _fields_ = [
        ("protocol", c_int),
        ("splits", c_int64),
        ("seed", c_uint64),
        ("threads", c_int64),
        ("splits_read", c_char_p),
        ("splits_write", c_char_p),
        ("with_features", c_bool),
        ("device", c_char_p),
        ("validation", c_bool),
    ]


class EvalResult(Struct):
    c_name = "graco_eval_result"
    _fields_ = [
        ("metric", c_char_p),
        ("mean", c_double),
        ("deviation", c_double),
        ("splits", c_int64),
        ("scores", POINTER(c_double)),
        ("C", POINTER(c_double)),
        ("accuracy", c_double),
        ("micro_f1", c_double),
        ("macro_f1", c_double),
        ("classes", c_int64),
        ("class_of", POINTER(c_int32)),
        ("multi_label", c_bool),
        ("confusion", POINTER(c_int64)),
        ("confusion_cols", c_int64),
        ("converged", c_bool),
        ("worst_gap", c_double),
        ("solves", c_int64),
        ("unconverged", c_int64),
        ("seconds", c_double),
        ("note_count", c_int64),
        ("notes", POINTER(c_char_p)),
    ]


class PredictOptions(Struct):
    c_name = "graco_predict_options"
    _fields_ = [("all", c_bool), ("threads", c_int64), ("device", c_char_p)]


class Prediction(Struct):
    c_name = "graco_prediction"
    _fields_ = [
        ("count", c_int64),
        ("classes", c_int64),
        ("multi_label", c_bool),
        ("node", POINTER(c_int64)),
        ("probability", POINTER(c_float)),
        ("C", c_double),
    ]


class NeighboursOptions(Struct):
    c_name = "graco_neighbours_options"
    _fields_ = [
        ("k", c_int64),
        ("metric", c_char_p),
        ("nodes", POINTER(c_int64)),
        ("count", c_int64),
        ("memory", c_int64),
        ("threads", c_int64),
        ("device", c_char_p),
    ]


class Neighbours(Struct):
    c_name = "graco_neighbours"
    _fields_ = [
        ("metric", c_char_p),
        ("nodes", c_int64),
        ("count", c_int64),
        ("k", c_int64),
        ("node", POINTER(c_int64)),
        ("index", POINTER(c_int64)),
        ("score", POINTER(c_float)),
        ("zero_rows", c_int64),
    ]


class ClusterOptions(Struct):
    c_name = "graco_cluster_options"
    _fields_ = [("clusters", c_int64), ("starts", c_int64), ("seed", c_uint64), ("threads", c_int64)]


class ClusterResult(Struct):
    c_name = "graco_cluster_result"
    _fields_ = [
        ("nodes", c_int64),
        ("clusters", c_int64),
        ("cluster", POINTER(c_int32)),
        ("labelled", c_int64),
        ("nmi", c_double),
        ("ari", c_double),
        ("accuracy", c_double),
        ("modularity", c_double),
        ("silhouette", c_double),
        ("seconds", c_double),
    ]


class LinksOptions(Struct):
    c_name = "graco_links_options"
    _fields_ = [("test", c_double), ("validation", c_double), ("seed", c_uint64)]


class Links(Struct):
    c_name = "graco_links"
    _fields_ = [("count", c_int64), ("pair", POINTER(c_int32))]


class LinkScore(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("auc", c_double), ("average_precision", c_double)]


class LinkResult(Struct):
    c_name = "graco_link_result"
    _fields_ = [
        ("links", c_int64),
        ("others", c_int64),
        ("score", LinkScore * 3),
        ("C", c_double),
        ("converged", c_bool),
        ("seconds", c_double),
    ]


class MapValues(Struct):
    c_name = "graco_map_values"
    _fields_ = [("name", c_char_p), ("values", POINTER(c_float))]


class MapOptions(Struct):
    c_name = "graco_map_options"
    _fields_ = [
        ("title", c_char_p),
        ("names", c_void_p),
        ("data", c_void_p),
        ("values", POINTER(MapValues)),
        ("value_count", c_int64),
        ("k", c_int64),
        ("clusters", c_int64),
        ("epochs", c_int64),
        ("seed", c_uint64),
        ("threads", c_int64),
        ("device", c_char_p),
    ]


class MapInfo(Struct):
    c_name = "graco_map_info"
    _fields_ = [
        ("nodes", c_int64),
        ("clusters", c_int64),
        ("seconds", c_double),
        ("trustworthiness", c_double),
        ("continuity", c_double),
        ("quality_k", c_int64),
        ("quality_nodes", c_int64),
    ]


# The types of items, by number, as numpy has them; strings have the last.
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
STRING = len(TYPES)

# ---- Functions ------------------------------------------------------------------------------------

# Objects of the library are plain addresses here. A function whose first entry is True gives a status.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "graco_message": (c_char_p, []),
    "graco_version": (c_char_p, []),
    "graco_matrix_clear": (None, [POINTER(Matrix)]),
    "graco_dataset_load": (True, [POINTER(c_void_p), c_char_p, POINTER(LoadOptions)]),
    "graco_dataset_create": (True, [POINTER(c_void_p), POINTER(Arrays)]),
    "graco_dataset_arrays": (Arrays, [c_void_p]),
    "graco_dataset_save": (True, [c_void_p, c_char_p]),
    "graco_dataset_describe": (DatasetInfo, [c_void_p]),
    "graco_dataset_free": (None, [c_void_p]),
    "graco_method_describe": (c_bool, [POINTER(MethodInfo), c_int]),
    "graco_preset": (c_char_p, [c_char_p, c_int]),
    "graco_config_create": (True, [POINTER(c_void_p), c_char_p, c_char_p]),
    "graco_config_free": (None, [c_void_p]),
    "graco_config_set": (True, [c_void_p, c_char_p, c_char_p]),
    "graco_config_get": (True, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "graco_config_key": (c_char_p, [c_void_p, c_int, POINTER(c_char_p)]),
    "graco_config_word": (c_char_p, [c_char_p, c_int]),
    "graco_train": (
        True,
        [POINTER(c_void_p), POINTER(TrainResult), c_void_p, c_void_p, POINTER(TrainOptions)],
    ),
    "graco_model_load": (True, [POINTER(c_void_p), c_char_p]),
    "graco_model_save": (True, [c_void_p, c_char_p]),
    "graco_model_embed": (True, [POINTER(Matrix), c_void_p, c_void_p, POINTER(EmbedOptions)]),
    "graco_model_free": (None, [c_void_p]),
    "graco_protocol_name": (c_char_p, [c_int]),
    "graco_eval_defaults": (EvalOptions, []),
    "graco_evaluate": (
        True,
        [POINTER(EvalResult), POINTER(Matrix), c_void_p, POINTER(EvalOptions)],
    ),
    "graco_eval_result_clear": (None, [POINTER(EvalResult)]),
    "graco_predict_embeddings": (
        True,
        [POINTER(Prediction), POINTER(Matrix), c_void_p, POINTER(PredictOptions)],
    ),
    "graco_prediction_clear": (None, [POINTER(Prediction)]),
    "graco_neighbours_defaults": (NeighboursOptions, []),
    "graco_neighbours_find": (
        True,
        [POINTER(Neighbours), POINTER(Matrix), POINTER(NeighboursOptions)],
    ),
    "graco_neighbours_clear": (None, [POINTER(Neighbours)]),
    "graco_cluster_defaults": (ClusterOptions, []),
    "graco_evaluate_clusters": (
        True,
        [POINTER(ClusterResult), POINTER(Matrix), c_void_p, POINTER(ClusterOptions)],
    ),
    "graco_cluster_result_clear": (None, [POINTER(ClusterResult)]),
    "graco_links_split": (True, [c_void_p, c_char_p, POINTER(LinksOptions)]),
    "graco_links_load": (True, [POINTER(Links), c_char_p]),
    "graco_links_clear": (None, [POINTER(Links)]),
    "graco_evaluate_links": (
        True,
        [POINTER(LinkResult), POINTER(Matrix), c_void_p, POINTER(Links), c_int64],
    ),
    "graco_map_defaults": (MapOptions, []),
    "graco_map_make": (True, [POINTER(c_void_p), POINTER(Matrix), POINTER(MapOptions)]),
    "graco_map_describe": (MapInfo, [c_void_p]),
    "graco_map_save": (True, [c_void_p, c_char_p]),
    "graco_map_free": (None, [c_void_p]),
}


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
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}: it is an older graco") from None
        function.argtypes = arguments
        function.restype = c_int if result is True else result
    return library


lib = _open()


def message() -> str:
    return lib.graco_message().decode("utf-8", "replace")


def check(status: int) -> None:
    """Raises what a status says, with the library's message."""
    if status != OK:
        raise ERRORS.get(status, GracoError)(message())


def whole(value: Any, name: str, bits: int = 63) -> int:
    """A whole number from 0, as C takes it: ctypes would cut one that does not fit without a word."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
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


def give_strings(strings: Optional[Any], keep: list) -> Array:
    if strings is None:
        return Array()
    encoded = [encode(s if isinstance(s, str) else str(s), "the name") for s in strings]
    pointers = (c_char_p * max(len(encoded), 1))(*encoded)
    keep.extend([encoded, pointers])
    return Array(ctypes.addressof(pointers), STRING, 1, len(encoded), 0, 0)


def take_array(array: Array, owner: Any) -> Optional[np.ndarray]:
    """An array of the library's as numpy has it; None where there is none."""
    if not array.data and array.rows == 0:
        return None
    if array.type == STRING:
        pointers = ctypes.cast(array.data, POINTER(c_char_p))
        return np.array([text(pointers[i]) for i in range(array.rows)], dtype=object)
    shape = (array.rows,) if array.dims == 1 else (array.rows, array.cols)
    return lend(array.data or 0, TYPES[array.type], shape, owner)
