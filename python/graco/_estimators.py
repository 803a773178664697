"""Estimators: a class for every method of the library, with a keyword for every setting that it reads.

Methods, settings, their words, values and explanations all come from the library when the package is
imported; there is no list of them here.
"""

from __future__ import annotations

import html
import inspect
import os
import sys
import tempfile
from ctypes import byref, c_char_p, c_int64, c_void_p, create_string_buffer
from typing import Any, Callable, Iterator, Optional

import numpy as np

from . import _evaluate, _library as c, _map, _progress
from ._arrow import Table, as_table
from ._frames import make_frame, write_parquet
from ._graph import Graph, _path, as_graph
from ._labels import read_labels
from ._reading import are_among, in_order, index_of, is_count, is_frame, name_key, same_names, with_ids

# How authors write the names of their methods, where that is not in capitals.
_SPELLINGS = {
    "deepwalk": "DeepWalk",
    "node2vec": "Node2Vec",
    "sage_gcn": "GraphSAGEGCN",
    "sage_mean": "GraphSAGE",
    "sage_pool": "GraphSAGEPool",
    "sage_lstm": "GraphSAGELSTM",
    "fastgcn": "FastGCN",
    "gaan": "GaAN",
    "gaan_mean": "GaANMean",
    "propagate": "Propagate",
}

# Nodes of an estimator whose map a notebook shows unasked: it takes a few seconds, once.
MAP_MOST = 3000

# Settings that are 0 or 1, for which False and True do.
_SWITCHES = ("inductive", "precompute")

# ---- Settings as text -------------------------------------------------------------------------------


def _to_text(value: Any) -> str:
    """A setting as `--set` takes it."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_to_text(item) for item in value)
    return str(value)


def _has_truth(value: Any) -> bool:
    """Whether it is True or False, or holds one of these."""
    if isinstance(value, (list, tuple)):
        return any(_has_truth(item) for item in value)
    return isinstance(value, bool) or getattr(value, "dtype", None) == bool


def _from_text(key: str, text: str) -> Any:
    """A setting as Python has it: a word, a number, a tuple of these."""
    if text in c.listed(c.lib.graco_config_word, key.encode()):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if "," in text:
        return tuple(_from_text(key, part) for part in text.split(","))
    return text


def _open_config(method: str, preset: Optional[str]) -> c.Handle:
    out = c_void_p()
    name = None if preset is None else c.word(preset, "the preset")
    c.check(c.lib.graco_config_create(byref(out), method.encode(), name))
    return c.Handle(out.value, "graco_config_free")


def _settings(config: c.Handle) -> Iterator[tuple[str, str, str]]:
    """(key, value, help) of every setting that the method reads."""
    help_text = c_char_p()
    buffer = create_string_buffer(4096)
    index = 0
    while (key := c.lib.graco_config_key(config.address, index, byref(help_text))) is not None:
        c.check(c.lib.graco_config_get(config.address, key, buffer, len(buffer)))
        yield c.text(key), c.text(buffer.value), c.text(help_text.value)
        index += 1


# ---- The callbacks of a training ----------------------------------------------------------------------


class _Watch:
    """The callbacks of one training: keeps the history, shows progress, carries exceptions out of C."""

    def __init__(self, shown: _progress.Silent, interrupts: _progress.Interrupts) -> None:
        self.shown, self.interrupts = shown, interrupts
        self.error: Optional[BaseException] = None
        self.history: list[tuple] = []
        self.on_epoch = c.EPOCH_FN(lambda user, epoch: self._run(self._keep, epoch.contents))
        self.on_progress = c.PROGRESS_FN(lambda user, now: self._run(self._show, now.contents))

    def _keep(self, e: c.Epoch) -> None:
        self.history.append((e.epoch, e.loss, e.mutual_information, e.cost, e.seconds))

    def _last(self) -> tuple[int, float]:
        return self.history[-1][:2] if self.history else (0, float("nan"))

    def _show(self, now: c.Progress) -> None:
        epoch, loss = self._last()
        self.shown.show(now, loss if epoch else now.loss)

    def _run(self, function: Callable, argument: Any) -> bool:
        try:
            function(argument)
        except BaseException as error:  # raised again when C has returned
            self.error = error
        return self.error is None and self.interrupts.error is None

    def table(self) -> dict[str, np.ndarray]:
        keys = ("epoch", "loss", "mutual_information", "cost", "seconds")
        columns = zip(*self.history) if self.history else [()] * len(keys)
        return {key: np.array(column) for key, column in zip(keys, columns)}


# ---- Estimators ---------------------------------------------------------------------------------------


class Estimator:
    """What all methods share, in scikit-learn's manners. Use one of the classes of `graco.methods()`.

    Attributes after fit
    --------------------
    embedding_ : (nodes, columns) float32, rows in the graph's order.
    part_columns_ : the columns of each part, "learned", "own", ..., as slices, if columns is "all"; else empty.
    node_ids_ : the names of the rows.
    n_features_in_ : features of the graph trained on.
    loss_ : of the last epoch.
    history_ : dict of arrays, an item per epoch: epoch, loss, mutual_information, cost, seconds.
    n_epochs_, ended_ : epochs done, and why no more: "epochs", "patience" or "stopped".
    """

    method: str = ""
    supervised: bool = False
    _estimator_type: Optional[str] = None
    _defaults: dict[str, Any] = {}
    _labels: Optional[np.ndarray] = None

    def __init__(self, **settings: Any) -> None:
        for key in settings:
            if key not in self._defaults:
                raise TypeError(
                    f"{type(self).__name__}() got an unexpected keyword argument {key!r}; "
                    f"{self.method} reads {', '.join(self._defaults)}"
                )
        for key, value in self._defaults.items():
            setattr(self, key, settings.get(key, value))

    # ---- Parameters ---------------------------------------------------------------------------------

    @classmethod
    def preset(cls, name: str, **settings: Any) -> Any:
        """An estimator with the settings published for a data set, and these over them.

        >>> import graco
        >>> graco.GRACE.preset("cora", epochs=10).epochs
        10
        """
        values = {key: _from_text(key, text) for key, text, _ in _settings(_open_config(cls.method, name))}
        values.update(settings)
        return cls(**values)

    @classmethod
    def presets(cls) -> list[str]:
        """The data sets whose published settings are known."""
        return list(c.listed(c.lib.graco_preset, cls.method.encode()))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every setting by name."""
        return {key: getattr(self, key) for key in self._defaults}

    def set_params(self, **params: Any) -> Any:
        """Changes settings; they are checked when the training begins."""
        for key, value in params.items():
            if key not in self._defaults:
                raise ValueError(
                    f"Invalid parameter {key!r} for estimator {type(self).__name__}: "
                    f"{self.method} reads {', '.join(self._defaults)}"
                )
            setattr(self, key, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{key}={value!r}" for key, value in self.get_params().items()
            if not _same(value, self._defaults[key])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: settings; of a fitted estimator also the loss, and a map of a graph that is small."""
        name = html.escape(repr(self))
        if not self.__sklearn_is_fitted__():
            return f"<pre>{name}</pre>"
        nodes, width = self.embedding_.shape
        facts = {"embedding_": f"{nodes} nodes, {width} numbers each", "n_epochs_": self.n_epochs_,
                 "ended_": self.ended_, "loss_": f"{self.loss_:.6g}"}
        rows = "".join(f"<tr><th>{key}</th><td>{html.escape(str(value))}</td></tr>" for key, value in facts.items())
        shown = f"<pre>{name}</pre><table>{rows}</table>{_draw_curve(self.history_)}"
        if nodes > MAP_MOST:
            return shown + "<p>graco.map(model.embedding_, names=model.node_ids_) makes a map of the nodes.</p>"
        if getattr(self, "_page", None) is None:
            self._page = self._map()._repr_html_()
        return shown + self._page

    def _map(self) -> _map.Map:
        """Its embeddings in the plane, by the labels that were known."""
        labels = self._labels
        if labels is not None and labels.ndim == 1 and (labels >= 0).any():
            words = [str(word) for word in self.classes_]
            labels = [words[label] if label >= 0 else None for label in labels]
        else:
            labels = None
        return _map.map(self.embedding_, labels, names=self.node_ids_, title=type(self).__name__)

    def __sklearn_tags__(self) -> Any:
        # scikit-learn alone calls this, so it is there.
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="classifier" if self.supervised else None,
            target_tags=TargetTags(required=self.supervised),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            classifier_tags=ClassifierTags(),  # all methods predict
            input_tags=InputTags(two_d_array=False, sparse=True),
            non_deterministic=False,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def _config(self) -> c.Handle:
        config = _open_config(self.method, None)
        for key, value in self.get_params().items():
            if key == "verbose":
                continue
            if key not in _SWITCHES and _has_truth(value):
                raise c.GracoArgumentError(f"{key} is {c.shown(value)}: expected no truth value")
            c.check(c.lib.graco_config_set(config.address, key.encode(), _to_text(value).encode(errors="replace")))
        return config

    # ---- Training -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, run: Any = None, resume: bool = False) -> Any:
        """Trains on a graph.

        Ctrl-C ends the training within about a second; the estimator then has all its attributes, of
        the epochs done, and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : Graph, or whatever Graph takes as edges.
        y : a label for each row of X, -1, None or NaN: unknown; or a dict by node, or a frame with a column of
            ids, or fewer rows than X whose index names their nodes. Nodes that these leave out are unknown. Methods
            that learn without labels only remember them, for `score`. None: the graph's own.
        run : folder for checkpoints and metrics, which holds no other run; None: nothing on disk.
        resume : goes on from the checkpoint in `run`.
        """
        graph = as_graph(X)
        labels, classes = self._take_labels(graph, y)
        config = self._config()
        if run is not None and not resume and c.lib.graco_run_look(_path(run)).begun:
            raise c.GracoArgumentError(f"{os.fsdecode(run)} already holds a run; continue it with resume=True, remove it, "
                                       "or choose another folder")
        data = graph
        if self.supervised and (y is not None or graph._rows is not None):
            data = graph._with_labels(labels)
        shown = _progress.start(type(self).__name__, self.verbose)
        with _progress.Interrupts() as interrupts:
            watch = _Watch(shown, interrupts)
            model, result, status = self._train(data, config, watch, run, resume)
            if status not in (c.OK, c.STOPPED):
                if watch.error:
                    raise watch.error
                raise c.ERRORS.get(status, c.GracoError)(c.message())
            self._model = c.Handle(model.value, "graco_model_free")
            self._labels, self._page = labels, None
            self.__dict__.pop("classes_", None)  # of an earlier training
            if classes is not None:
                self.classes_ = classes
            self.node_ids_, self._kind = graph._ids(), graph._kind
            self.n_features_in_ = graph.n_features
            self.loss_ = result.loss
            self.history_ = watch.table()
            self.n_epochs_ = result.epochs
            self.ended_ = c.text(result.ended)
            self.part_columns_ = self._part_columns()
            self.embedding_ = self._embed(graph, contaminated=True)
        if watch.error or interrupts.error:
            raise watch.error or interrupts.error
        return self

    def _part_columns(self) -> dict[str, slice]:
        """The columns of each part of the embeddings, where these are kept whole (columns="all"); else empty."""
        found, first, count = {}, c_int64(), c_int64()
        while (name := c.lib.graco_model_part(self._model.address, len(found), byref(first), byref(count))) is not None:
            found[c.text(name)] = slice(first.value, first.value + count.value)
        return found

    def _train(self, data: Graph, config: c.Handle, watch: _Watch, run: Any, resume: bool) -> tuple:
        """The call into C, which runs without Python's lock."""
        options = c.TrainOptions(
            run=None if run is None else _path(run),
            resume=resume,
            on_epoch=watch.on_epoch,
            on_progress=watch.on_progress,
        )
        model, result = c_void_p(), c.TrainResult()
        try:
            status = c.lib.graco_train(
                byref(model), byref(result), data._handle.address, config.address, byref(options)
            )
        finally:
            watch.shown.close(*watch._last())
        return model, result, status

    def _take_labels(self, graph: Graph, y: Any) -> tuple[Optional[np.ndarray], Optional[np.ndarray]]:
        """(labels of all nodes, classes): those of `y` in their rows, else the graph's own.

        The classes are those that occur among the labels, by which these are numbered.
        """
        if y is None:
            labels = graph._asked_labels()
            if labels is None or labels.ndim == 2:
                return labels, None if labels is None else graph.classes
            codes = np.full(len(labels), -1, dtype=np.int32)
            numbers, codes[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)
            return codes, graph._classes_of(numbers)
        codes, classes = _read_rows(graph, y)
        if graph._rows is None:
            return codes, classes
        known = np.full((graph.n_nodes, *codes.shape[1:]), -1, dtype=np.int32)
        known[graph.rows] = codes
        return known, classes

    # ---- Using --------------------------------------------------------------------------------------

    def _need_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            kinds: tuple = (c.GracoArgumentError,)
            if "sklearn.exceptions" in sys.modules:  # whose users look for its own error
                kinds += (sys.modules["sklearn.exceptions"].NotFittedError,)
            kind = type("GracoNotFittedError", kinds, {"__module__": "graco"})
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _embed(self, graph: Graph, contaminated: bool = False) -> np.ndarray:
        self._need_fit()
        options = c.EmbedOptions(
            threads=c.whole(self.threads, "threads"), device=str(self.device).encode(), contaminated=contaminated
        )
        Z = c.Matrix()
        c.check(
            c.lib.graco_model_embed(
                byref(Z), self._model.address, graph._handle.address, byref(options)
            )
        )
        return c.take_matrix(Z)

    def transform(self, X: Any) -> np.ndarray:
        """(nodes, width) embeddings of a graph, which may be another than the one trained on."""
        graph = as_graph(X)
        Z = self._embed(graph)
        return Z if graph._rows is None else Z[graph.rows]

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> np.ndarray:
        """Trains and gives the embeddings of the same graph."""
        graph = as_graph(X)
        self.fit(graph, y, **options)
        return self.embedding_ if graph._rows is None else self.embedding_[graph.rows]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of an embedding: grace0, grace1, ..."""
        width = self.embedding_.shape[1]
        return np.array([f"{type(self).__name__.lower()}{i}" for i in range(width)], dtype=object)

    def predict_proba(self, X: Any) -> np.ndarray:
        """(nodes, classes) probabilities: a supervised method's own, else those of a logistic regression
        on the embeddings, fitted to the labels known at `fit`."""
        graph = as_graph(X)
        Z = self._embed(graph)
        if not self.supervised:
            if self._labels is None:
                raise c.GracoArgumentError("labels are needed: give y to fit, or labels to the graph")
            labels, rows = self._labels, len(Z)
            if not np.array_equal(Z, self.embedding_):  # another graph: below the one with the labels
                Z = np.concatenate([self.embedding_, Z])
                labels = np.concatenate([labels, np.full((rows, *labels.shape[1:]), -1, np.int32)])
            data, _ = _evaluate._labelled(labels, compact=False)
            Z = _evaluate._probabilities(Z, data, self.threads)[-rows:]
        return Z[graph.rows] if graph._rows is not None else Z

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each node; for several labels per node, 0 and 1."""
        P = self.predict_proba(X)
        if self._labels is not None and self._labels.ndim == 2:
            return (P > 0.5).astype(np.uint8)
        return self.classes_[P.argmax(axis=1)]

    def score(self, X: Any, y: Any = None) -> float:
        """The share of nodes with a known label that `predict` gets right; of several labels per node, the
        share of labels.

        In GridSearchCV this is the accuracy of the probe on the rows held out: it is fitted to the
        labels that `fit` got, and asked about the rows of X.
        """
        graph = as_graph(X)
        if y is not None:
            codes, classes = _read_rows(graph, y)
        elif graph.labels is not None:
            codes, classes = graph.labels[graph.rows], None
        else:
            raise c.GracoArgumentError("labels are needed: give y, or labels to the graph")
        known = codes >= 0 if codes.ndim == 1 else (codes != -1).any(axis=1)
        if not known.any():
            raise c.GracoArgumentError(f"none of {len(codes)} labels is known: expected at least one to score by")
        found = self.predict(graph)
        if found.shape != codes.shape:
            raise c.GracoArgumentError(f"labels have the shape {codes.shape}, and what the model predicts {found.shape}: "
                                       "expected the same")
        truth = codes if codes.ndim == 2 else graph._classes_of(codes) if classes is None else classes[codes]
        return float((found[known].astype(object) == truth[known].astype(object)).mean())

    def to_frame(self, X: Any = None, *, kind: Optional[str] = None, vectors: bool = False) -> Any:
        """Embeddings as a frame, which goes back into graco as Z or as features.

        Parameters
        ----------
        X : a graph to embed; None: the one trained on.
        kind : "pandas", "polars", "pyarrow" or "duckdb". None: the library whose frame the graph was made of, else pandas
            or what is installed.
        vectors : one column `vector` of arrays, as vector stores take it, in place of a column for each number.

        The nodes are the column `node`, or the index of a pandas frame.
        """
        Z, names, graph = self._rows_out(X)
        kind = kind or getattr(graph, "_kind", None) or self.__dict__.get("_kind")
        return make_frame(kind, names, Z, self.get_feature_names_out(), vectors)

    def to_parquet(self, path: Any, X: Any = None, *, vectors: bool = False) -> None:
        """Writes such a frame to a parquet file, by polars or pyarrow."""
        Z, names, _ = self._rows_out(X)
        write_parquet(path, names, Z, self.get_feature_names_out(), vectors)

    def _rows_out(self, X: Any) -> tuple:
        if X is None:
            self._need_fit()
            return self.embedding_, self.node_ids_, None
        graph = as_graph(X)
        return self.transform(graph), graph.node_ids, graph

    # ---- Keeping ------------------------------------------------------------------------------------

    def __getstate__(self) -> dict:
        state = dict(self.__dict__)
        model = state.pop("_model", None)
        state.pop("_page", None)
        if model is not None:
            with tempfile.TemporaryDirectory() as folder:
                c.check(c.lib.graco_model_save(model.address, _path(folder)))
                with open(os.path.join(folder, "model.safetensors"), "rb") as file:
                    state["_model_bytes"] = file.read()
        return state

    def __setstate__(self, state: dict) -> None:
        state = dict(state)
        content = state.pop("_model_bytes", None)
        self.__dict__.update(self._defaults)  # of settings that an older graco had not
        self.__dict__.update(state)
        if content is not None:
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "model.safetensors"), "wb") as file:
                    file.write(content)
                out = c_void_p()
                c.check(c.lib.graco_model_load(byref(out), _path(folder)))
                self._model = c.Handle(out.value, "graco_model_free")


def _read_rows(graph: Graph, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels as numbers of classes, one for each node that is asked about, and the classes.

    They go by row, as everywhere in scikit-learn, unless a dict or a column of ids says whose they are, or they are
    fewer and their index does.
    """
    y = as_table(y)
    own = None if isinstance(y, dict) else index_of(y)
    bare = y.reset_index(drop=True) if is_frame(y) and not isinstance(y, Table) else y
    table = with_ids(bare, "labels")
    by_name = isinstance(y, dict) or (is_frame(y) and table.shape[1] < y.shape[1])
    if not by_name and own is not None and len(own) < len(graph) and not is_count(own):
        table, by_name = y, are_among(own, graph._ids().tolist())
    if by_name:
        y = in_order(table, graph._ids().tolist(), "labels")[graph.rows]
    elif own is not None and graph._named and not is_count(own):
        names = [name_key(name) for name in graph.node_ids]
        if names != [name_key(name) for name in own] and same_names(names, own):
            raise c.GracoArgumentError(f"y begins with {own[0]!r} and the nodes with {graph.node_ids[0]!r}, of the same names: "
                                       "expected the order of the nodes, which y.loc[graph.node_ids] gives")
    codes, classes = read_labels(y, compact=True)
    if len(codes) != len(graph):
        raise c.GracoArgumentError(f"{len(codes)} labels for {len(graph)} nodes")
    return codes, classes


def _draw_curve(history: dict[str, np.ndarray]) -> str:
    """The loss of the epochs as a line, or nothing where there are fewer than two."""
    width, height = 480, 120
    epoch, loss = history["epoch"], history["loss"]
    known = np.isfinite(loss) if len(loss) else np.zeros(0, bool)
    if known.sum() < 2:
        return ""
    x, y = epoch[known], loss[known]
    least, most = y.min(), y.max()
    across = (x - x[0]) / max(x[-1] - x[0], 1) * width
    down = (most - y) / max(most - least, 1e-300) * height
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down))
    words = f"loss from {y[0]:.4g} in epoch {x[0]} to {y[-1]:.4g} in epoch {x[-1]}, between {least:.4g} and {most:.4g}"
    return (f'<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width + 8} {height + 8}" '
            f'width="{width}" height="{height}" role="img" aria-label="{words}"><polyline points="{line}" '
            f'fill="none" stroke="currentColor"/></svg><figcaption>{words}</figcaption></figure>')


def _same(a: Any, b: Any) -> bool:
    return a is b or _to_text(a) == _to_text(b)


# ---- Classes from the library's list --------------------------------------------------------------------


_EXAMPLE = """
Examples
--------
>>> import graco
>>> ring = graco.Graph([(i, (i + 1) % 20) for i in range(20)], labels=["even", "odd"] * 10)
>>> model = graco.{name}(epochs={epochs}).fit(ring)
>>> len(model.embedding_), len(model.predict(ring))
(20, 20)"""


def _describe(
    name: str, info: c.MethodInfo, settings: list[tuple[str, str, str]], presets: list[str]
) -> str:
    lines = [f"{c.text(info.help)[:1].upper()}{c.text(info.help)[1:]}.", ""]
    if c.text(info.reference):
        lines += [f"{c.text(info.reference)}.", ""]
    needs = [word for word, wanted in (("features", info.needs_features), ("labels", info.needs_labels))
             if wanted]
    lines.append(f"Needs {' and '.join(needs)}." if needs else "Needs neither features nor labels.")
    if c.text(info.scale):
        lines.append(f"Size of graphs: {c.text(info.scale)}.")
    if presets:
        lines.append(f"Settings published for data sets, by `preset`: {', '.join(presets)}.")
    lines += ["", "Parameters", "----------"]
    for key, value, help_text in settings:
        words = list(c.listed(c.lib.graco_config_word, key.encode()))
        choice = f"; one of {', '.join(words)}" if words else ""
        lines.append(f"{key} : default {_from_text(key, value)!r}{choice}")
        lines.append(f"    {help_text}")
    lines += ["verbose : default None", "    progress on stderr: None on a terminal alone, True, False", ""]
    lines += inspect.getdoc(Estimator).splitlines()[2:]  # the attributes
    epochs = 0 if ("epochs", "0") in [setting[:2] for setting in settings] else 2
    lines += _EXAMPLE.format(name=name, epochs=epochs).splitlines()
    return "\n".join(lines)


def _make_class(info: c.MethodInfo) -> type[Estimator]:
    method = c.text(info.name)
    name = _SPELLINGS.get(method, method.upper())
    settings = list(_settings(_open_config(method, None)))
    defaults = {key: _from_text(key, value) for key, value, _ in settings}
    defaults["verbose"] = None
    presets = list(c.listed(c.lib.graco_preset, method.encode()))
    parameters = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value)
        for key, value in defaults.items()
    ]
    return type(name, (Estimator,), {
        "__module__": "graco",
        "__qualname__": name,
        "__doc__": _describe(name, info, settings, presets),
        "__signature__": inspect.Signature(parameters),
        "method": method,
        "supervised": bool(info.supervised),
        "_estimator_type": "classifier" if info.supervised else None,  # asked by a scikit-learn older than 1.6
        "_defaults": defaults,
    })


def make_classes() -> dict[str, type[Estimator]]:
    """The classes by name, in the library's order of methods."""
    classes, info, index = {}, c.MethodInfo(), 0
    while c.lib.graco_method_describe(byref(info), index):
        made = _make_class(info)
        classes[made.__name__] = made
        index += 1
    return classes
