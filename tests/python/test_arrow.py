"""Frames through Arrow's C data interface: those of polars, pyarrow and DuckDB where they are, and one made by hand here, so that
every machine tests the way through ctypes."""

import ctypes
import sys
import tempfile
import unittest
import warnings

import numpy as np

import graco
from support import main, module


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


SCHEMA_RELEASE, ARRAY_RELEASE, STREAM_RELEASE = (ctypes.CFUNCTYPE(None, ctypes.POINTER(kind)) for kind in (Schema, Array, Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", SCHEMA_RELEASE), ("private_data", ctypes.c_void_p)]
Array._fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)), ("release", ARRAY_RELEASE), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR), ("release", STREAM_RELEASE),
                   ("private_data", ctypes.c_void_p)]
FORMATS = {"i8": b"l", "i4": b"i", "f8": b"g", "f4": b"f", "u1": b"C"}


class Frame:
    """Columns of numpy arrays of numbers, or lists of strings and None, as an Arrow stream of chunks of some rows."""

    def __init__(self, columns, rows=3, failure=None):
        self.data, self.rows, self.failure = columns, rows, failure
        self.count, self.open, self.keep = len(next(iter(columns.values()))), 0, []
        self.columns = list(columns)

    def buffers(self, values):
        """(format, nulls, buffers) of a part of a column."""
        if isinstance(values, np.ndarray):
            values = np.ascontiguousarray(values)
            return FORMATS[values.dtype.str[1:]], 0, [None, values]
        texts = [b"" if value is None else value.encode() for value in values]
        valid = np.packbits([value is not None for value in values], bitorder="little")
        offsets = np.cumsum([0] + [len(text) for text in texts]).astype(np.int32)
        return b"u", sum(value is None for value in values), [valid, offsets, np.frombuffer(b"".join(texts) + b"\0", np.uint8)]

    def __arrow_c_stream__(self, requested_schema=None):
        at = [0]

        def release(thing):
            thing.contents.release = type(thing.contents.release)()
            self.open -= 1

        def get_schema(_, out):
            fields = [Schema(format=self.buffers(values[:1])[0], name=name.encode(), release=ends[0])
                      for name, values in self.data.items()]
            pointers = (ctypes.POINTER(Schema) * len(fields))(*map(ctypes.pointer, fields))
            self.keep += [fields, pointers]
            ctypes.memmove(out, ctypes.byref(Schema(format=b"+s", n_children=len(fields), children=pointers, release=ends[0])),
                           ctypes.sizeof(Schema))
            self.open += 1
            return 0

        def get_next(_, out):
            start, at[0] = at[0], min(at[0] + self.rows, self.count)
            if start == at[0]:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return 22 if self.failure else 0
            arrays = []
            for values in self.data.values():
                _, nulls, buffers = self.buffers(values[start:at[0]])
                pointers = (ctypes.c_void_p * len(buffers))(*(None if b is None else b.ctypes.data for b in buffers))
                self.keep += [buffers, pointers]
                arrays.append(Array(length=at[0] - start, null_count=nulls, n_buffers=len(buffers), buffers=pointers,
                                    release=ends[1]))
            pointers = (ctypes.POINTER(Array) * len(arrays))(*map(ctypes.pointer, arrays))
            none = (ctypes.c_void_p * 1)(None)
            self.keep += [arrays, pointers, none]
            ctypes.memmove(out, ctypes.byref(Array(length=at[0] - start, n_buffers=1, buffers=none, n_children=len(arrays),
                                                   children=pointers, release=ends[1])), ctypes.sizeof(Array))
            self.open += 1
            return 0

        ends = (SCHEMA_RELEASE(release), ARRAY_RELEASE(release), STREAM_RELEASE(release))
        said = ctypes.create_string_buffer(self.failure or b"")
        stream = Stream(GET_SCHEMA(get_schema), GET_NEXT(get_next), GET_ERROR(lambda _: ctypes.addressof(said)), ends[2])
        self.keep += [ends, stream, said]
        self.open += 1
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(stream), b"arrow_array_stream", None)


def made(columns):
    return Frame({key: values if isinstance(values, list) and isinstance(values[0], (str, type(None))) else np.asarray(values)
                  for key, values in columns.items()})


def polars_frame(columns):
    return module("polars").DataFrame(columns)


def arrow_table(columns):
    pa = module("pyarrow")
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 2), table.slice(2)])


def duckdb_relation(columns):
    db, pandas = module("duckdb"), module("pandas")
    frame = pandas.DataFrame(columns)  # noqa: F841: the query names it
    return db.sql("select * from frame")


MAKERS = (made, polars_frame, arrow_table, duckdb_relation)


def edges_of(g):
    names = g.node_ids.tolist()
    weights = np.ones(g.n_edges) if g.weights is None else g.weights
    return {(names[a], names[b]): float(w) for (a, b), w in zip(g.edges.T, weights)}


class Frames(unittest.TestCase):
    ORDERS = {"customer_id": ["ann", "bob", "ann", "a name that is not short", "ann"], "product_id": ["tea", "milk", "milk", "tea", "tea"],
              "amount": [1.5, 2.0, 3.0, 4.0, 8.0]}

    def each(self):
        """Every way to make a frame that this python3 has."""
        found = []
        for make in MAKERS:
            try:
                make({"a": [1]})
                found.append(make)
            except unittest.SkipTest:
                pass
        return found

    def test_edges(self):
        wanted = {("ann", "tea"): 9.5, ("bob", "milk"): 2, ("ann", "milk"): 3, ("a name that is not short", "tea"): 4}
        for make in self.each():
            g = graco.Graph(make(self.ORDERS), weight="amount", directed=True)
            self.assertEqual(edges_of(g), wanted)
            self.assertEqual(g.node_ids.tolist(), ["ann", "tea", "bob", "milk", "a name that is not short"])
            self.assertEqual(g.reading_, "5 edges; nodes have names; edges from `customer_id` to `product_id`; weights `amount`; directed; "
                             "1 row repeats an edge and is merged, weights added")
            self.assertEqual(edges_of(graco.Graph(make(self.ORDERS), source="product_id", target="customer_id", weight="amount",
                                                  directed=True)), {(b, a): w for (a, b), w in wanted.items()})

    def test_as_pandas(self):
        """The same graph as a frame of pandas gives, for ids of all kinds."""
        pd = module("pandas")
        for columns in ({"a": [0, 3, 1], "b": [3, 1, 2]}, {"a": [-5, 7, 2**40], "b": [7, 2**40, 1]}, {"a": ["x", "y", "x"], "b": [1, 2, 3]},
                        {"a": [1.0, 2.0, 4.0], "b": [2, 3, 1]}, {"a": ["1", "2", "3"], "b": ["2", "3", "1"]}):
            wanted = graco.Graph(pd.DataFrame(columns), directed=True)
            for make in self.each():
                found = graco.Graph(make(columns), directed=True)
                self.assertEqual((found.node_ids.tolist(), found.edges.tolist(), found.reading_),
                                 (wanted.node_ids.tolist(), wanted.edges.tolist(), wanted.reading_))

    def test_tables(self):
        """Features, labels, a split and weights by the names in a column."""
        names = ["d", "b", "a", "c"]
        for make in self.each():
            features = make({"id": names, "x": [4.0, 2.0, 1.0, 3.0], "z": [40, 20, 10, 30]})
            labels = make({"node": names[:3], "label": ["p", None, "q"]})
            split = make({"id": names, "part": ["train", "val", "test", "none"]})
            g = graco.Graph([("a", "b"), ("b", "c"), ("c", "d")], features=features, labels=labels, split=split)
            self.assertEqual(g.node_ids.tolist(), names)
            self.assertEqual(g.features.tolist(), [[4, 40], [2, 20], [1, 10], [3, 30]])
            self.assertEqual((g.labels.tolist(), g.classes.tolist(), g.split.tolist()), ([0, -1, 1, -1], ["p", "q"], [0, 1, 2, 3]))
            rows = make({"x": [1.0, 2.0, 3.0], "z": [5.0, 6.0, 7.0]})  # without ids: row i is node i
            self.assertEqual(graco.Graph([(0, 1), (1, 2)], features=rows).features.tolist(), [[1, 5], [2, 6], [3, 7]])
            Z = make({"id": ["c", "a", "b", "d"], "e0": [0.0, 1.0, 0.0, 1.0], "e1": [1.0, 0.0, 1.0, 0.0]})
            found = graco.cluster(Z, g, 2).cluster.tolist()
            self.assertEqual((found[0], found[1]), (found[2], found[3]))
            self.assertNotEqual(found[0], found[1])
            self.assertEqual(graco.neighbours(make({"id": ["c", "a", "b"], "e": [1.0, 5.0, 1.0]}), k=1)[0].shape, (3, 1))

    def test_fit(self):
        rng = np.random.default_rng(0)
        y = np.arange(60) % 2
        source = rng.integers(60, size=300)
        columns = {"source": source, "target": (source + 2 * rng.integers(1, 9, size=300)) % 60}
        wanted = graco.DGI(hidden=4, epochs=2, threads=1).fit(graco.Graph((columns["source"], columns["target"]), nodes=60), y)
        for make in self.each():
            model = graco.DGI(hidden=4, epochs=2, threads=1).fit(make(columns), make({"label": y}))
            self.assertTrue((model.embedding_ == wanted.embedding_).all())
            self.assertEqual(graco.evaluate(model.embedding_, make({"label": y}), splits=1).mean,
                             graco.evaluate(model.embedding_, y, splits=1).mean)

    def test_refused(self):
        def refused(words, *arguments, **named):
            with self.assertRaises(graco.GracoError) as caught:
                graco.Graph(*arguments, **named)
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

        for make in self.each():
            refused("a node has no name: 1 of 3 rows of the column 'b'", make({"a": ["x", "y", "z"], "b": ["y", None, "x"]}))
            refused("name the two, such as Graph(..., source='customer', target='product')",
                    make({"day": [1, 2], "customer": ["a", "b"], "product": ["x", "y"]}))
            refused("features have no row for node 'c'", [("a", "b"), ("b", "c")], features=make({"id": ["a", "b"], "x": [1.0, 2.0]}))
        broken = Frame({"a": ["x"], "b": ["y"]}, failure=b"the disk is on fire")
        refused("an Arrow stream ends after 1 rows: the disk is on fire", broken)
        self.assertEqual(broken.open, 0)

    def test_released(self):
        """A graph keeps nothing of the frame but features in place; all is released."""
        frame = Frame({"source": ["a", "b"], "target": ["b", "c"]}, rows=1)
        g = graco.Graph(frame)
        self.assertEqual((frame.open, g.node_ids.tolist()), (0, ["a", "b", "c"]))
        table = Frame({"x": np.arange(4.0, dtype="f4")}, rows=9)
        g = graco.Graph([(0, 1), (2, 3)], features=table)
        self.assertEqual(g.features[:, 0].tolist(), [0, 1, 2, 3])
        del g
        self.assertEqual(table.open, 0)

    def test_once(self):
        """A stream that can be read once is read once."""
        pa = module("pyarrow")
        for values in ({"id": ["a", "b", "c"], "e": [1.0, 5.0, 1.0]},):
            reader = pa.table(values).to_reader()
            self.assertEqual(graco.neighbours(reader, k=1)[0].shape, (3, 1))
        reader = pa.table({"source": ["a", "b"], "target": ["b", "c"]}).to_reader()
        self.assertEqual(graco.Graph(reader).n_nodes, 3)

    def test_types(self):
        pl, pa = module("polars"), module("pyarrow")
        ids = pl.Series(["b", "a", "b", "c"])
        for kind in (pl.Categorical, pl.Enum(["a", "b", "c"])):
            g = graco.Graph(pl.DataFrame({"source": ids, "target": ["c", "b", "a", "d"]}).with_columns(pl.col("source").cast(kind)))
            self.assertEqual(g.node_ids.tolist(), ["b", "c", "a", "d"])
        big = pa.table({"source": pa.array(["x", "y"], pa.large_string()), "target": pa.array([b"y", b"z"])})
        self.assertEqual(graco.Graph(big).node_ids.tolist(), ["x", "y", "z"])
        times = pa.table({"source": pa.array([1, 2], pa.timestamp("s")), "target": [1, 2]})
        with self.assertRaises(graco.GracoError) as caught:
            graco.Graph(times)
        self.assertIn("dates or times in the column 'source'", str(caught.exception))
        y = pl.Series("label", ["p", "q", None, "p"])
        g = graco.Graph([(0, 1), (1, 2), (2, 3)], labels=y, features=pl.DataFrame({"f": [1, 2, 3, 4], "t": [True, False, True, False]}))
        self.assertEqual((g.labels.tolist(), g.features.tolist()), ([0, 1, -1, 0], [[1, 1], [2, 0], [3, 1], [4, 0]]))
        weights = pl.Series([1.0, 2, 3])
        self.assertEqual(graco.Graph([(0, 1), (1, 2), (2, 3)], weights=weights, directed=True).weights.tolist(), [1, 2, 3])


class Out(unittest.TestCase):
    """Embeddings go out in the kind of frame that came in, and back in."""

    COLUMNS = {"source": ["a", "b", "c", "d", "e"], "target": ["b", "c", "d", "e", "a"]}

    def model(self, edges):
        return graco.DGI(hidden=4, epochs=1, threads=1).fit(edges)

    def rows(self, frame):
        """{name: row} of a frame of any kind."""
        if hasattr(frame, "to_arrow_table"):
            frame = frame.to_arrow_table()
        columns = {"node": frame.index.tolist()} if hasattr(frame, "index") else {}
        columns.update({name: list(frame[name].to_pylist() if hasattr(frame[name], "to_pylist") else frame[name])
                        for name in getattr(frame, "column_names", frame.columns)})
        return {node: [columns[name][i] for name in columns if name != "node"] for i, node in enumerate(columns["node"])}

    def test_kinds(self):
        pandas = module("pandas").DataFrame
        for make, library in ((pandas, "pandas"), (polars_frame, "polars"), (arrow_table, "pyarrow"), (duckdb_relation, "duckdb")):
            try:
                edges = make(self.COLUMNS)
            except unittest.SkipTest:
                continue
            model = self.model(edges)
            wanted = dict(zip(model.node_ids_.tolist(), model.embedding_.tolist()))
            frame = model.to_frame()
            self.assertEqual(type(frame).__module__.split(".")[0].lstrip("_"), library)
            self.assertEqual(self.rows(frame), wanted)
            self.assertEqual({node: list(row[0]) for node, row in self.rows(model.to_frame(vectors=True)).items()}, wanted)
            again = graco.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")], features=frame)
            self.assertEqual(dict(zip(again.node_ids.tolist(), again.features.tolist())), wanted)
            index, score = graco.neighbours(frame, k=1)
            self.assertEqual(index.tolist(), graco.neighbours(model.embedding_, k=1)[0].tolist())
            part = model.to_frame(graco.Graph(edges)[[2, 0]])
            self.assertEqual(list(self.rows(part)), [model.node_ids_[2], model.node_ids_[0]])
            self.assertEqual(type(part), type(frame))

    def test_chosen(self):
        pd = module("pandas")
        model = self.model([(0, 1), (1, 2)])
        self.assertEqual(model.to_frame().index.tolist(), [0, 1, 2])
        self.assertEqual(model.to_frame().columns.tolist(), ["dgi0", "dgi1", "dgi2", "dgi3"])
        self.assertIsInstance(self.model(pd.DataFrame(self.COLUMNS)).to_frame(vectors=True), pd.DataFrame)
        with self.assertRaises(graco.GracoError) as caught:
            model.to_frame(kind="excel")
        self.assertIn("kind 'excel': expected one of pandas, polars, pyarrow, duckdb", str(caught.exception))
        with self.assertRaises(graco.GracoError):
            graco.DGI().to_frame()

    def test_missing(self):
        """What a library would be needed for says which."""
        from unittest import mock
        model = self.model([(0, 1), (1, 2)])
        gone = dict.fromkeys(("pandas", "polars", "pyarrow", "pyarrow.parquet", "duckdb"))
        with mock.patch.dict(sys.modules, gone):
            for words, call in (("to_frame needs pandas or polars or pyarrow", model.to_frame),
                                ("to_frame(kind='polars') needs polars, which this Python does not have: pip install polars",
                                 lambda: model.to_frame(kind="polars")),
                                ("x.parquet: writing parquet needs polars or pyarrow", lambda: model.to_parquet("x.parquet")),
                                ("x.parquet: reading parquet needs polars or pyarrow or duckdb", lambda: graco.load("x.parquet"))):
                with self.assertRaises(ImportError) as caught:
                    call()
                self.assertIn(words, str(caught.exception))

    def test_parquet(self):
        try:
            pq = module("polars")
        except unittest.SkipTest:
            pq = module("pyarrow.parquet")
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/{}.parquet"
            model = self.model([("ann", "bob"), ("bob", "cyd")])
            model.to_parquet(path.format("z"))
            model.to_parquet(path.format("v"), vectors=True)
            model.to_frame(kind=pq.__name__.split(".")[0])
            edges = {"day": [1, 2], "who": ["ann", "bob"], "what": ["bob", "cyd"]}
            if pq.__name__ == "polars":
                pq.DataFrame(edges).write_parquet(path.format("e"))
            else:
                pq.write_table(arrow_table(edges), path.format("e"))
            with warnings.catch_warnings(record=True):
                g = graco.load(path.format("e"), source_column="who", target_column="what", features=path.format("z"))
            self.assertEqual(dict(zip(g.node_ids.tolist(), g.features.tolist())),
                             dict(zip(model.node_ids_.tolist(), model.embedding_.tolist())))
            with self.assertRaises(graco.GracoError) as caught:
                graco.load(path.format("e"))
            self.assertIn("name the two", str(caught.exception))
            with self.assertRaises(OSError) as caught:
                graco.load(path.format("nothing"))
            self.assertIn("nothing.parquet: No such file", str(caught.exception))


main()
