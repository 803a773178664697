"""Scores of embeddings and predictions from them, by the library's probe."""

from __future__ import annotations

import weakref
from ctypes import byref, create_string_buffer
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _library as c
from ._arrow import as_table
from ._graph import Graph, create, graph_of
from ._labels import is_mask, label_arrays, read_labels, read_split, split_parts
from ._progress import Interrupts
from ._reading import (
    are_among, as_array, check_names, in_order, index_of, is_count, look_up, places_of, same_names, with_ids,
)


@dataclass(frozen=True)
class Baseline:
    """What embeddings should beat without training, on the same splits."""

    name: str  #: "raw": the graph's features; "propagate": these averaged over neighbours
    scores: Evaluation
    difference: float  #: of the embeddings' scores minus its own, in points, paired by split
    error: float  #: the standard error of the difference; NaN for a single split


@dataclass(frozen=True)
class Evaluation:
    """Scores in percent: means over the splits of a protocol."""

    metric: str  #: "accuracy", or "micro_f1" for several labels per node
    mean: float
    deviation: float  #: between splits; 0 for a single one
    scores: np.ndarray = field(repr=False)  #: (splits)
    C: np.ndarray = field(repr=False)  #: (splits) the value of the regression that was chosen
    accuracy: float
    micro_f1: float
    macro_f1: float
    confusion: np.ndarray = field(repr=False)  #: truth by prediction, summed over the splits
    converged: bool = field(repr=False)
    seconds: float = field(repr=False)
    notes: tuple = field(repr=False)  #: what deserves attention
    baselines: tuple[Baseline, ...] = field(default=(), repr=False)  #: where labels came with a graph's features
    advice: str = field(default="", repr=False)  #: what to try, where the embeddings are not better than these

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        lines = [f"{self.metric} {self.mean:.2f} +- {self.deviation:.2f} over {len(self.scores)} splits"]
        for row in self.baselines:
            lines.append(f"{row.name} {row.scores.mean:.2f}, difference {row.difference:+.2f}"
                         + (f", standard error {row.error:.2f}" if row.error == row.error else ""))
        return "\n".join(lines + [self.advice] * bool(self.advice))


def as_embeddings(Z: Any) -> np.ndarray:
    """Z as an array; a dict has a row for each name."""
    return as_array(list(Z.values()) if isinstance(Z, dict) else with_ids(Z, "embeddings"), "embeddings")


def join_rows(names: Optional[list], table: Any, what: str) -> Any:
    """A table in the order of rows that have these names: by name where both have names, else by row."""
    own = index_of(table)
    unjoined = list(table.values()) if isinstance(table, dict) else table
    if names is None or own is None or check_names(names) == check_names(own):
        return unjoined
    some = what == "labels" and len(own) < len(names) and (is_count(names) or not _is_bare(table))
    if not some and not same_names(names, own) and (is_count(names) or is_count(own)):
        return unjoined
    what = f"{what} beside embeddings"
    look_up(places_of(names, "embeddings"), own, what)
    return in_order(table, names, what)


def _is_bare(table: Any) -> bool:
    """Whether the names of the rows are numbers that pandas gave them."""
    return type(getattr(table, "index", None)).__name__ in ("RangeIndex", "range")


def _numbers(Z: Any, y: Any) -> Optional[list]:
    """The numbers of the rows of Z, where it has no names and labels have the numbers of some of its rows; else None."""
    own = index_of(with_ids(y, "labels"))
    if own is None or index_of(with_ids(Z, "embeddings")) is not None:
        return None
    rows = np.shape(as_embeddings(Z))[:1]
    some = rows and len(own) < rows[0] and all(isinstance(name, (int, np.integer)) for name in own)
    return list(range(rows[0])) if some else None


def join_labels(Z: Any, y: Any) -> tuple[np.ndarray, Any]:
    """Z as an array, and labels in the order of its rows; a row that they do not name is unknown."""
    Z, y = as_table(Z), as_table(y)
    rows = index_of(with_ids(Z, "embeddings"))
    return as_embeddings(Z), join_rows(_numbers(Z, y) if rows is None else rows, with_ids(y, "labels"), "labels")


def row_names(Z: Any, y: Any) -> Optional[list]:
    """The names of the rows of Z: its own, else those of labels that are in the same order."""
    rows, own = index_of(with_ids(Z, "embeddings")), index_of(with_ids(y, "labels"))
    if rows is None:
        return own if _numbers(Z, y) is None else None
    return own if own is not None and is_count(rows) and not are_among(own, rows) else rows


def _names_in(Z: Any, graph: Graph) -> Optional[list]:
    """The names of the rows of Z, None: they are in the graph's order, for they have no names, or numbers that nobody
    gave them (pandas' RangeIndex) or that are not those of the nodes."""
    Z = with_ids(Z, "embeddings")
    rows = index_of(Z)
    bare = rows is not None and is_count(rows) and (_is_bare(Z) or not same_names(rows, graph._ids()))
    return None if bare else rows


def join_graph(Z: Any, graph: Graph) -> tuple[np.ndarray, Optional[np.ndarray]]:
    """Z as an array, a row for each node of a graph, and which rows of Z these are, None: they are as they were.

    Rows that have names are those of the nodes of these names, other ones are in the graph's order.
    """
    Z = as_table(Z)
    rows, Z = _names_in(Z, graph), as_embeddings(Z)
    if rows is None:
        return Z, None
    if Z.ndim != 2:
        raise c.GracoArgumentError(f"embeddings of {Z.ndim} dimensions: expected 2, a row per node")
    order = look_up(places_of(check_names(rows), "embeddings"), graph._ids(), "the nodes of the graph beside embeddings")
    return Z[order], order


def _labelled(y: Any, compact: bool, split: Any = None, names: Optional[list] = None) -> tuple[c.Handle, np.ndarray]:
    """A data set that has labels and perhaps a split, its rows of these names, and its classes."""
    codes, classes = read_labels(y, compact)
    known = {**label_arrays(codes), "nodes": len(codes)}
    if split is not None:
        parts = split_parts(split)
        if parts is None:
            split = join_rows(names, with_ids(split, "a split"), "a split")
        else:
            split = {word: as_array(join_rows(names, part, "a split")) if is_mask(part) else part
                     for word, part in parts.items()}
        known["split"] = read_split(split, len(codes), names)
    return create(known), classes if classes is not None else np.arange(0)


def evaluate(
    Z: Any,
    y: Any,
    protocol: str = "paper",
    *,
    split: Any = None,
    splits: int = 20,
    seed: int = 0,
    threads: int = 0,
    with_features: bool = False,
    device: str = "auto",
    baselines: bool = True,
) -> Evaluation:
    """Scores embeddings by a linear classifier on them.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node.
    y : labels as Graph takes them, or a Graph that has labels; a graph of another library is made one. Of a part
        `g[rows]` the labels of other nodes are unknown, and so are those of rows that y does not name.
    protocol : "paper": random 10/10/80, the regression's C chosen on validation; "authors": random
        10/90, C by cross-validation; "public": the data set's own split.
    split : for "public", as Graph takes it, joined by name where it and Z or y have names; a Graph brings
        its own.
    splits, seed : how many random splits, and of which seed.
    threads : 0: one per core. Never changes the result.
    with_features : scores [Z ; X]; y must be a Graph.
    device : "cpu", "cuda", or "auto": a GPU where the work is worth its start.
    baselines : where y is a Graph with features, also scores these, raw and averaged over neighbours ("propagate"), on
        the same splits; once for a graph. False: not, which takes less time.

    Examples
    --------
    >>> import numpy as np, graco
    >>> y = np.arange(300) % 3
    >>> result = graco.evaluate(np.eye(3)[y], y, splits=5)
    >>> print(result)
    accuracy 100.00 +- 0.00 over 5 splits
    """
    names = list(c.listed(c.lib.graco_protocol_name))
    if protocol not in names:
        raise c.GracoArgumentError(f"protocol {protocol!r}: expected one of {', '.join(names)}")
    if split is not None and protocol != "public":
        raise c.GracoArgumentError(f"a split beside the protocol {protocol!r}, which draws its own: expected "
                                   "protocol='public', or no split")
    graph = graph_of(y)
    if graph is not None:
        if split is not None:
            raise c.GracoArgumentError("a split beside a Graph: expected the Graph's own, or labels in its place")
        data = graph._asked()._handle
        Z, _ = join_graph(Z, graph)
    else:
        Z, y = as_table(Z), as_table(y)
        rows = row_names(Z, y)
        Z, y = join_labels(Z, y)
        data, _ = _labelled(y, False, split, rows)
        if with_features:
            raise c.GracoArgumentError("with_features needs a Graph in place of labels")
    matrix, keep = c.give_matrix(Z)
    options = c.lib.graco_eval_defaults()
    options.protocol, options.splits = names.index(protocol), c.whole(splits, "splits")
    options.seed, options.threads = c.whole(seed, "seed", bits=64), c.whole(threads, "threads")
    options.device, options.with_features = c.word(device, "device"), with_features
    found = _Result(c.lib.graco_evaluate, byref(matrix), data.address, options=options)
    del keep
    if graph is None or not baselines or with_features or graph._info.feature_count == 0:
        return _evaluation(found)
    key = protocol, splits, seed, device, None if graph._rows is None else tuple(graph._rows)
    return _evaluation(found, *_beside(found, data, options, _kept.setdefault(graph, {}).setdefault(key, {})))


# The baselines of a graph, by how they were scored and by their names.
_kept: "weakref.WeakKeyDictionary[Graph, dict]" = weakref.WeakKeyDictionary()


class _Result:
    """A result of the library: what function(result, ..., options) fills."""

    def __init__(self, function: Any, *arguments: Any, options: Any) -> None:
        self.value = c.EvalResult()
        with Interrupts() as interrupts:
            interrupts.watch(options)
            status = function(byref(self.value), *arguments, byref(options))
        weakref.finalize(self, c.lib.graco_eval_result_clear, byref(self.value))
        interrupts.check(status)


def _beside(found: _Result, data: c.Handle, options: Any, kept: dict) -> tuple:
    """The baselines, those of them scored that are not kept, and what to try."""
    rows, best = [], None
    for name in c.listed(c.lib.graco_baseline):
        if name not in kept:
            kept[name] = _Result(c.lib.graco_evaluate_baseline, name.encode(), data.address, None, False, options=options)
        against = c.EvalComparison()
        c.check(c.lib.graco_eval_compare(byref(against), byref(found.value), byref(kept[name].value)))
        rows.append(Baseline(name, _evaluation(kept[name]), against.difference, against.error))
        if best is None or rows[-1].scores.mean > best[0]:
            best = rows[-1].scores.mean, name, against
    words = create_string_buffer(c.ADVICE)
    worse = c.lib.graco_baseline_advice(words, b"the embedding", best[1].encode(), byref(best[2]), None)
    return tuple(rows), c.text(words.value) if worse else ""


def _evaluation(found: _Result, baselines: tuple = (), advice: str = "") -> Evaluation:
    result = found.value
    shape = (result.classes, result.confusion_cols)
    return Evaluation(
        metric=c.text(result.metric),
        mean=result.mean,
        deviation=result.deviation,
        scores=np.array(result.scores[: result.splits]),
        C=np.array(result.C[: result.splits]),
        accuracy=result.accuracy,
        micro_f1=result.micro_f1,
        macro_f1=result.macro_f1,
        confusion=np.array(result.confusion[: shape[0] * shape[1]]).reshape(shape),
        converged=result.converged,
        seconds=result.seconds,
        notes=tuple(c.text(result.notes[i]) for i in range(result.note_count)),
        baselines=baselines,
        advice=advice,
    )


def _probabilities(Z: Any, data: c.Handle, threads: int) -> np.ndarray:
    matrix, keep = c.give_matrix(as_embeddings(Z))
    out = c.Prediction()
    options = c.PredictOptions(all=True, threads=c.whole(threads, "threads"))
    with Interrupts() as interrupts:
        interrupts.watch(options)
        status = c.lib.graco_predict_embeddings(byref(out), byref(matrix), data.address, byref(options))
    del keep
    try:
        interrupts.check(status)
        flat = np.ctypeslib.as_array(out.probability, shape=(out.count, out.classes))
        return flat.copy()
    finally:
        c.lib.graco_prediction_clear(byref(out))


def _labels_of(Z: Any, y: Any) -> tuple[np.ndarray, Any]:
    """Z as an array, and the labels of its rows."""
    Z, graph = as_table(Z), graph_of(y)
    if graph is None:
        return join_labels(Z, y)
    if graph.labels is None:
        raise c.GracoArgumentError("the graph has no labels; a prediction from embeddings needs some")
    labels, rows = graph._asked_labels(), _names_in(Z, graph)
    if rows is None:
        return as_embeddings(Z), labels
    places = places_of(graph._ids(), "the graph's nodes")
    return as_embeddings(Z), labels[look_up(places, rows, "embeddings")]


def predict_proba(Z: Any, y: Any, *, threads: int = 0) -> np.ndarray:
    """(nodes, classes) probabilities of the classes of every node, learned from the known labels of `y`.

    The classes are those that occur in `y`, sorted. See `predict`.
    """
    Z, y = _labels_of(Z, y)
    data, _ = _labelled(y, compact=True)
    return _probabilities(Z, data, threads)


def predict(Z: Any, y: Any, *, threads: int = 0) -> np.ndarray:
    """Fills in the labels that are not known: a class for every node.

    A logistic regression is fitted to the embeddings of the nodes with a known label, its C chosen by
    cross-validation. Known labels stay as they are.

    Parameters
    ----------
    Z : (nodes, any) array, frame or dict by node.
    y : labels, of which some are unknown: -1, None or NaN, or left out of a dict, a series or a frame that names its
        rows, or numbers them; or a Graph. Of a part `g[rows]` the labels of other nodes are unknown.

    Examples
    --------
    >>> import numpy as np, graco
    >>> y = np.array(["a", "b", None] * 10)
    >>> Z = np.array([[1, 0], [0, 1], [0.1, 0.9]] * 10)
    >>> graco.predict(Z, y)[:3].tolist()
    ['a', 'b', 'b']
    """
    graph = graph_of(y)
    Z, y = _labels_of(Z, y if graph is None else graph)
    data, classes = _labelled(y, compact=True)
    codes, _ = read_labels(y, compact=True)
    if graph is not None and codes.ndim == 1:
        classes = graph._classes_of(classes)
    P = _probabilities(Z, data, threads)
    if codes.ndim == 2:
        unknown = (codes == -1).any(axis=1)[:, None] if codes.dtype.kind == "i" else False
        return np.where(unknown, P > 0.5, codes).astype(np.uint8)
    return classes[np.where(codes >= 0, codes, P.argmax(axis=1))]
