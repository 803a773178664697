"""The nodes whose embeddings are nearest, by the library's exact search."""

from __future__ import annotations

from ctypes import POINTER, byref, c_int64
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._evaluate import as_embeddings
from ._progress import Interrupts
from ._reading import as_array, check_names, index_of, look_up, node_rows, places_of, with_ids


def neighbours(
    Z: Any,
    k: int = 10,
    *,
    metric: str = "cosine",
    nodes: Any = None,
    threads: int = 0,
    device: str = "auto",
) -> tuple[np.ndarray, np.ndarray]:
    """The k nodes nearest to each node, exactly: all pairs are looked at.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node.
    k : neighbours of each node, fewer than there are nodes. A node is not its own neighbour.
    metric : "cosine" or "inner", the inner product.
    nodes : rows of Z whose neighbours are wanted, as numbers or as a mask, or words that name rows of a frame or dict; None: of all.
    threads : 0: one per core. Never changes the result.
    device : "cpu", "cuda", or "auto": a GPU where the work is worth its start.

    Returns
    -------
    index : (nodes, k) rows of Z, the nearest first; of equal scores the lower row first.
    score : (nodes, k) float32.

    Examples
    --------
    >>> import numpy as np, graco
    >>> index, score = graco.neighbours(np.array([[1, 0], [0, 1], [2, 0], [1, 1]]), k=2)
    >>> index.tolist()
    [[2, 3], [3, 0], [0, 3], [0, 1]]
    """
    Z = with_ids(Z, "embeddings")
    matrix, keep = c.give_matrix(as_embeddings(Z))
    options = c.lib.graco_neighbours_defaults()
    options.k, options.threads = c.whole(k, "k"), c.whole(threads, "threads")
    options.metric, options.device = c.word(metric, "metric"), c.word(device, "device")
    if nodes is not None:
        rows = _rows(nodes, index_of(Z), len(keep))
        options.nodes, options.count = rows.ctypes.data_as(POINTER(c_int64)), rows.size
    found = c.Neighbours()
    with Interrupts() as interrupts:
        interrupts.watch(options)
        status = c.lib.graco_neighbours_find(byref(found), byref(matrix), byref(options))
    del keep
    try:
        interrupts.check(status)
        shape = (found.count, found.k)
        if found.count == 0:
            return np.empty(shape, np.int64), np.empty(shape, np.float32)
        index = np.ctypeslib.as_array(found.index, shape=shape).copy()
        return index, np.ctypeslib.as_array(found.score, shape=shape).copy()
    finally:
        c.lib.graco_neighbours_clear(byref(found))


def _rows(nodes: Any, names: Optional[list], count: int) -> np.ndarray:
    """Rows by their numbers, or by words where they have names."""
    asked = np.atleast_1d(as_array(nodes, "nodes"))
    if names is None or asked.dtype.kind not in "OUS":
        return node_rows(nodes, count, "nodes")
    return look_up(places_of(names, "embeddings"), check_names(asked.tolist()), "nodes")
