"""Features from the columns of frames: the same as from the file, whatever library has the frame, and by name in other tables."""

import os
import pickle
import tempfile
import unittest
import warnings

import numpy as np

import graco
from support import main, module, quick


def setUpModule():
    module("pandas")


def table(n=60):
    """Columns as people have them, with gaps; and edges."""
    pd, rng = module("pandas"), np.random.default_rng(0)
    frame = pd.DataFrame({
        "amount": np.round(np.exp(rng.normal(8, 3, n)), 2), "age": rng.integers(18, 90, n).astype(float), "country": rng.choice(["CH", "DE", "FR"], n),
        "since": np.datetime64("2020-01-01", "ns") + rng.integers(0, 999, n).astype("timedelta64[D]"), "vip": rng.random(n) < 0.3,
        "day": [f"2024-03-{1 + i % 28:02}" for i in range(n)], "id": [f"u{i}" for i in rng.permutation(n)]})
    frame.loc[3, "age"] = np.nan
    frame.loc[4, "country"] = None
    frame.loc[5, "since"] = pd.NaT
    edges = pd.DataFrame({"source": [f"u{i}" for i in range(n)], "target": [f"u{(i * 7 + 1) % n}" for i in range(n)]})
    return frame, edges


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.frame, cls.edges = table()
        cls.wanted = graco.Graph(cls.edges, features=cls.frame)
        cls.rows = dict(zip(cls.wanted.node_ids.tolist(), cls.wanted.features.tolist()))

    def same(self, graph):
        self.assertEqual(dict(zip(graph.node_ids.tolist(), graph.features.tolist())), self.rows)

    def test_made(self):
        """Standardised numbers and dates, words as 0 and 1, an indicator beside each column with gaps."""
        X = self.wanted.features
        self.assertEqual(X.shape, (60, 11))  # amount, age and gaps, three words and gaps, since and gaps, vip, day
        self.assertTrue(np.isfinite(X).all())
        self.assertEqual(X[:, [2, 6, 8]].sum(axis=0).tolist(), [1, 1, 1])
        self.assertEqual(set(X[:, 3:7].sum(axis=1)), {1})
        self.assertEqual(X[:, 9].sum(), self.frame["vip"].sum())
        spread = X[:, [0, 1, 7, 10]].std(axis=0)
        self.assertTrue(((0.5 < spread) & (spread < 2)).all(), spread)
        self.assertIn("11 features: ", self.wanted.reading_)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            x, e = os.path.join(folder, "x.csv"), os.path.join(folder, "e.csv")
            self.frame.to_csv(x, index=False)
            self.edges.to_csv(e, index=False)
            self.same(graco.load(e, features=x))
            self.same(graco.Graph(self.edges, features=module("pandas").read_csv(x)))  # dates are texts there

    def test_forms(self):
        pd = module("pandas")
        index = self.frame.set_index("id")
        self.same(graco.Graph(self.edges, features=index))
        self.same(graco.Graph(self.edges, features=index.sample(frac=1, random_state=0)))
        self.same(graco.Graph(self.edges, features=index.assign(age=index["age"].astype("Int64"), country=index["country"].astype("category"),
                                                                since=index["since"].dt.tz_localize("UTC"), vip=index["vip"].astype("boolean"))))
        self.same(graco.Graph(self.edges, features=index.astype({"age": object, "vip": object})))
        for library in ("polars", "pyarrow", "duckdb"):
            try:
                other = module(library)
            except unittest.SkipTest:
                continue
            frame = self.frame  # a query names it
            if library == "duckdb":
                made = other.sql("select * from frame")
            else:
                made = other.from_pandas(frame) if library == "polars" else other.Table.from_pandas(frame)
            self.same(graco.Graph(self.edges, features=made))
        self.assertEqual(graco.Graph([(0, 1), (1, 2)], features=pd.DataFrame({"x": [1, 2, 3]})).features.tolist(), [[1], [2], [3]])

    def test_as_they_are(self):
        pd = module("pandas")
        bits = np.random.default_rng(1).integers(0, 2, size=(20, 7))
        g = graco.Graph([(0, 1)], features=pd.DataFrame(bits))
        self.assertEqual(g.features.tolist(), bits.tolist())
        self.assertEqual(graco.Graph([(0, 1)], features=pd.DataFrame(bits, columns=list("abcdefg"), dtype=bool)).features.tolist(), bits.tolist())
        wild = np.array([[1.0, 1e6], [2, 3e6], [3, -5e6]])
        with self.assertWarnsRegex(UserWarning, "spreads that differ"):
            self.assertEqual(graco.Graph([(0, 1), (1, 2)], features=wild).features.tolist(), wild.tolist())

    def test_left_out(self):
        frame = self.frame.assign(one=1.5, uid=[f"x{i}" for i in range(60)])
        with self.assertWarnsRegex(UserWarning, "`one` constant, left out.*`uid` ids, left out"):
            g = graco.Graph(self.edges, features=frame)
        self.same(g)
        self.assertIn("`uid` ids, left out", g.reading_)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.same(graco.Graph(self.edges, features=self.frame))

    def test_other_tables(self):
        """A model finds columns by name in other tables, in any order; what it learned of them goes with it."""
        model = quick(graco.GRACE).fit(self.wanted)
        turned = self.frame[self.frame.columns[::-1]]
        self.assertTrue((model.transform(graco.Graph(self.edges, features=turned)) == model.embedding_).all())
        shifted = self.frame.assign(amount=self.frame["amount"] * 10)
        self.assertFalse((model.transform(graco.Graph(self.edges, features=shifted)) == model.embedding_).all())
        for other in (pickle.loads(pickle.dumps(model)), model):
            strange = self.frame.assign(country=["XX"] + self.frame["country"].tolist()[1:])
            self.assertTrue(np.isfinite(other.transform(graco.Graph(self.edges, features=strange))).all())
            with self.assertRaises(graco.GracoError) as caught:
                other.transform(graco.Graph(self.edges, features=self.frame.drop(columns="age")))
            self.assertIn("no column `age`", str(caught.exception))
        again = pickle.loads(pickle.dumps(self.wanted))
        self.assertTrue((quick(graco.GRACE).fit(again).embedding_ == model.embedding_).all())

    def test_labels_beside(self):
        """A graph with other labels keeps its columns."""
        y = np.arange(60) % 2
        model = quick(graco.GCN).fit(self.wanted, y)
        turned = graco.Graph(self.edges, features=self.frame[self.frame.columns[::-1]])
        self.assertTrue((model.predict_proba(turned) == model.predict_proba(self.wanted)).all())
        with self.assertRaises(graco.GracoError) as caught:
            model.predict(graco.Graph(self.edges, features=self.frame.drop(columns="age")))
        self.assertIn("no column `age`", str(caught.exception))

    def test_refused(self):
        pd = module("pandas")
        for words, features in (("the column 'l' of features holds lists", pd.DataFrame({"l": [[1], [2], [3]]})),
                                ("`x`", pd.DataFrame({"x": [1.0, np.inf, 2.0]}))):
            with self.assertRaises(graco.GracoError) as caught:
                graco.Graph([(0, 1), (1, 2)], features=features)
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        pl = module("polars")
        with self.assertRaises(graco.GracoError) as caught:
            graco.Graph([(0, 1)], features=pl.DataFrame({"l": [[1], [2]]}))
        self.assertIn("the column 'l' of features has values of Arrow's format", str(caught.exception))


main()
