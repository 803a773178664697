"""Who sees which label, and what each argument changes: every promise where a leak or a lost argument changes a number."""

import json
import os
import subprocess
import tempfile
import unittest
import unittest.mock

import numpy as np

import graco
from support import main, quick, small

ROWS = np.array([31, 4, 18, 7, 22, 39, 0, 13, 26, 9, 35, 12])  # neither the first ones nor in order


class Parts(unittest.TestCase):
    def setUp(self):
        edges, X, self.y = small()
        self.graph = graco.Graph(edges, features=X, labels=self.y)
        self.hidden = np.full(40, -1)
        self.hidden[ROWS] = self.y[ROWS]
        self.wanted = graco.Graph(edges, features=X, labels=self.hidden)
        self.bare = graco.Graph(edges, features=X)

    def test_words(self):
        """A part says how many of how many nodes it asks about."""
        whole, part = repr(self.graph), repr(self.graph[ROWS])
        self.assertIn("40 nodes", whole)
        self.assertEqual(part, whole.replace("40 nodes", f"{len(ROWS)} of 40 nodes"))

    def test_supervised(self):
        """A part trains as the whole graph does whose other labels are unknown, and as labels for the part do."""
        for kind in (graco.GCN, graco.FastGCN, graco.GRACE):
            wanted = quick(kind, epochs=20).fit(self.wanted).predict_proba(self.graph)
            leaked = quick(kind, epochs=20).fit(self.graph).predict_proba(self.graph)
            self.assertFalse(np.array_equal(wanted, leaked))
            for graph, y in ((self.graph[ROWS], None), (self.graph[ROWS], self.y[ROWS]), (self.bare[ROWS], self.y[ROWS]),
                             (self.bare, self.hidden)):
                found = quick(kind, epochs=20).fit(graph, y).predict_proba(self.graph)
                self.assertTrue(np.array_equal(found, wanted), (kind, y))

    def test_other_graph(self):
        """A new graph of as many nodes has rows of its own."""
        edges, X, y = small(seed=5)
        for kind in (graco.GRACE, graco.GCN):
            model, new = quick(kind, epochs=30).fit(self.graph), graco.Graph(edges, features=X[::-1])
            own, turned = model.predict_proba(self.graph), model.predict_proba(new)
            self.assertEqual(own.shape, turned.shape)
            self.assertGreater(np.abs(own - turned).max(), 1e-3)
            if kind is graco.GRACE:  # the regression is fitted to the nodes that were trained on
                Z = np.concatenate([model.embedding_, model.transform(new)])
                wanted = graco.predict_proba(Z, np.concatenate([self.y, np.full(40, -1)]))[40:]
                self.assertTrue(np.allclose(turned, wanted, atol=1e-6))
            mixed = self.graph[np.arange(40)[::-1]]  # the same nodes: rows in the order that is asked for
            self.assertTrue(np.allclose(model.predict_proba(mixed), own[::-1], atol=1e-6))

    def test_contaminated(self):
        """embedding_ is of the features that were trained on; transform is of those that the graph has."""
        model = quick(graco.GRACE, contaminate=0.5).fit(self.graph)
        self.assertFalse(np.array_equal(model.embedding_, model.transform(self.graph)))
        with tempfile.TemporaryDirectory() as folder:
            quick(graco.GRACE, contaminate=0.5).fit(self.graph, run=os.path.join(folder, "run"))
            self.assertTrue(np.array_equal(np.load(os.path.join(folder, "run", "embeddings.npy")), model.embedding_))


class Arguments(unittest.TestCase):
    """Every argument gives the command's numbers."""

    def setUp(self):
        rng = np.random.default_rng(2)
        self.y = np.arange(90) % 3
        self.Z = (np.eye(3)[self.y] + rng.normal(size=(90, 3))).astype(np.float32)
        X = (np.eye(3)[self.y] + rng.normal(size=(90, 3))).astype(np.float32)
        split = {"train": np.arange(0, 90, 3), "val": np.arange(1, 90, 3), "test": np.arange(2, 90, 3)}
        self.graph = graco.Graph(np.stack([np.arange(90), (np.arange(90) + 3) % 90]), features=X,
                                 labels=rng.permutation(self.y), split=split)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.graph.save(os.path.join(self.folder.name, "g.npz"))
        np.save(os.path.join(self.folder.name, "Z.npy"), self.Z)

    def command(self, *options):
        done = subprocess.run([os.environ["GRACO_COMMAND"], "eval", "Z.npy", "g.npz", "--json", *options],
                              cwd=self.folder.name, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_evaluate(self):
        cases = [({}, []), ({"seed": 4}, ["--seed", "4"]), ({"splits": 3}, ["--splits", "3"]),
                 ({"with_features": True}, ["--with-features"]), ({"protocol": "authors"}, ["--protocol", "authors"]),
                 ({"protocol": "public"}, ["--protocol", "public"])]
        means = []
        for named, options in cases:
            found, wanted = graco.evaluate(self.Z, self.graph, **named), self.command(*options)["results"][0]
            self.assertTrue(np.allclose(found.scores, wanted["scores"], atol=1e-9), named)
            self.assertTrue(np.allclose(found.C, wanted["C"]), named)
            for key in ("mean", "accuracy", "micro_f1", "macro_f1"):
                self.assertAlmostEqual(getattr(found, key), wanted[key], places=8)
            self.assertAlmostEqual(found.deviation, wanted["std"], places=8)
            self.assertEqual(found.confusion.tolist(), wanted["confusion"])
            means.append(found.mean)
        self.assertEqual(len(set(means)), len(cases))

    def test_seeds(self):
        """A seed has 64 bits; a larger one is refused, not cut."""
        calls = (lambda seed: graco.evaluate(self.Z, self.y, splits=1, seed=seed), lambda seed: graco.split_links(self.graph, seed=seed),
                 lambda seed: graco.cluster(self.Z, self.y, seed=seed), lambda seed: graco.map(self.Z, seed=seed, epochs=1))
        for call in calls:
            call(2**64 - 1)
            for seed in (2**64, -1):
                with self.assertRaisesRegex(graco.GracoArgumentError, "seed"):
                    call(seed)
        with self.assertRaisesRegex(graco.GracoArgumentError, "seed is '1e"):
            quick(graco.GRACE, seed=1e16).fit(self.graph)  # a float that need not be the number that was meant

    def test_no_such_graph(self):
        """A number of a node beyond 32 bits is refused before anything is taken for as many nodes."""
        with self.assertRaisesRegex(graco.GracoFormatError, "3000000000, which is no 32-bit integer"):
            graco.Graph([(0, 3 * 10**9)], labels={0: 1})

    def test_baselines(self):
        """What needs no training stands beside a score, as the command has it; once for a graph."""
        found, rows = graco.evaluate(self.Z, self.graph, splits=3), self.command("--splits", "3")["compared_with"]
        self.assertEqual([row.name for row in found.baselines], [row["name"] for row in rows])
        self.assertEqual([row.name for row in found.baselines], ["raw", "propagate"])
        for row, wanted in zip(found.baselines, rows):
            self.assertTrue(np.allclose(row.scores.scores, wanted["results"][0]["scores"]))
            self.assertAlmostEqual(row.difference, wanted["difference"], places=8)
            self.assertAlmostEqual(row.error, wanted["difference_error"], places=8)
            self.assertIn(f"{row.name} {row.scores.mean:.2f}, difference {row.difference:+.2f}", str(found))
        again = graco.evaluate(self.Z, self.graph, splits=3)
        self.assertEqual(again.baselines[0].scores.seconds, found.baselines[0].scores.seconds)  # not scored again
        self.assertNotEqual(graco.evaluate(self.Z, self.graph, splits=2).baselines[0].scores.mean, rows[0]["mean"])
        worse = graco.evaluate(np.arange(self.Z.size).reshape(self.Z.shape) % 7 == 0, self.graph, splits=3)
        self.assertIn("the embedding is not better than", worse.advice)
        self.assertTrue(str(worse).endswith(worse.advice))
        for none in (graco.evaluate(self.Z, self.graph, splits=3, baselines=False), graco.evaluate(self.Z, self.y, splits=3)):
            self.assertEqual((none.baselines, none.advice, len(str(none).splitlines())), ((), "", 1))

    def test_several(self):
        """A row of which a single label is missing is unknown as a whole."""
        several = np.stack([self.y == 0, self.y != 2], axis=1).astype(float)
        several[5, 1] = several[8, 0] = np.nan
        g = graco.Graph(nodes=90, labels=several)
        self.assertEqual(g.labels[[5, 8]].tolist(), [[-1, -1], [-1, -1]])
        self.assertEqual(int((g.labels == -1).all(axis=1).sum()), 2)
        known = np.delete(np.arange(90), [5, 8])
        self.assertTrue((g.labels[known] == several[known]).all())
        model = quick(graco.GRACE).fit(self.graph, several)
        with unittest.mock.patch.object(model, "predict_proba", return_value=np.full((90, 2), 0.5)):
            self.assertFalse(model.predict(self.graph).any())  # a label must be more probable than not


main()
