"""Labels by name for some of the nodes: the others are unknown. Features have a row for every node."""

import tempfile
import unittest

import numpy as np

import graco
from support import main, module, small


def refused(test, part, function, *arguments, **named):
    with test.assertRaises(graco.GracoError, msg=(arguments, named)) as caught:
        function(*arguments, **named)
    test.assertIn(part, str(caught.exception))
    test.assertNotIn("\n", str(caught.exception))


class Graphs(unittest.TestCase):
    """However the nodes are known, labels need not name all of them."""

    NAMES, EDGES = ["c", "a", "d", "b"], [("c", "a"), ("a", "d"), ("d", "b")]
    NUMBERS = [(0, 1), (1, 2), (2, 3)]

    def labels(self, g):
        return {name: label for name, label in zip(g.node_ids.tolist(), g.labels.tolist()) if label != -1}

    def test_names(self):
        """Names from edges, networkx, features, a split, `names`."""
        nx, pd = module("networkx"), module("pandas")
        features = pd.DataFrame(np.eye(4), index=list("abcd"))
        split = pd.Series([0, 1, 2, 3], index=list("badc"))
        frame = pd.DataFrame(self.EDGES, columns=["source", "target"])
        given = {"a": 1, "b": 0}
        tables = (given, pd.Series(given), pd.DataFrame({"label": given}), pd.DataFrame({"id": ["b", "a"], "label": [0, 1]}),
                  pd.Series({"a": 1.0, "b": 0.0}), pd.Series(given).astype("Int64"), pd.Series(given, dtype="uint8"))
        for labels in tables:
            for named in ({"edges": self.EDGES}, {"edges": frame}, {"edges": nx.Graph(self.EDGES)},
                          {"edges": self.EDGES, "features": features}, {"edges": self.EDGES, "split": split},
                          {"edges": self.EDGES, "features": features, "split": split}, {"features": features},
                          {"edges": self.NUMBERS, "names": self.NAMES}, {"edges": self.EDGES, "split": {"train": ["a"]}},
                          {"edges": self.EDGES, "graph_ids": split * 0}):
                g, bare = graco.Graph(**named, labels=labels), graco.Graph(**named)
                self.assertEqual((self.labels(g), g.n_nodes), ({"a": 1, "b": 0}, 4))
                self.assertEqual(g.node_ids.tolist(), bare.node_ids.tolist())
                self.assertEqual(g.edges.tolist(), bare.edges.tolist())

    def test_words(self):
        """The words that say it in a file say it in an array, a list and a series."""
        words = ["a", "b", np.nan, "NA", "null", "", "n/a", "<NA>", "NaN", "nano", "none"]
        pd = module("pandas")
        edges = [(i, (i + 1) % len(words)) for i in range(len(words))]
        wanted = [0, 1, -1, -1, -1, -1, -1, -1, -1, 2, 3]
        for labels in (np.array(words), words, pd.Series(words), np.array(words, object), np.array(words).astype("S"),
                       dict(enumerate(words))):
            g = graco.Graph(edges, labels=labels)
            self.assertEqual((g.labels.tolist(), g.classes.tolist()), (wanted, ["a", "b", "nano", "none"]))
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/y.csv", "w") as file:
                file.write("id,label\n" + "".join(f"{i},{word}\n" for i, word in enumerate(words)))
            with open(folder + "/e.txt", "w") as file:
                file.write("".join(f"{a} {b}\n" for a, b in edges))
            read = graco.load(folder + "/e.txt", labels=folder + "/y.csv")
        self.assertEqual((read.labels.tolist(), read.classes.tolist()), (wanted, ["a", "b", "nano", "none"]))
        half = np.array(["p", "q"] * 20 + ["nan"] * 10)
        Z = np.random.default_rng(0).normal(size=(50, 2)) * 0.1 + (half == "p")[:, None]
        self.assertEqual(set(graco.predict(Z, half)[40:]) - {"p", "q"}, set())

    def test_numbers(self):
        sparse, pd = module("scipy.sparse"), module("pandas")
        A = sparse.coo_matrix((np.ones(3), np.array(self.NUMBERS).T), shape=(4, 4))
        for given in ({0: 1}, {2: 0, 1: 1}, {3: 1, 0: 1}, {0: 1, 1: 0, 2: 1}, {"1": 1, "3": 0}):
            wanted = [given.get(i, given.get(str(i), -1)) for i in range(4)]
            for labels in (given, pd.Series(given), pd.DataFrame({"node": list(given), "class": list(given.values())})):
                for named in ({"edges": self.NUMBERS}, {"edges": np.array(self.NUMBERS)}, {"nodes": 4},
                              {"edges": self.NUMBERS, "nodes": 4}, {"edges": self.NUMBERS, "split": {"train": [0]}}):
                    g = graco.Graph(**named, labels=labels)
                    self.assertEqual((g.labels.tolist(), g.node_ids.tolist()), (wanted, [0, 1, 2, 3]), (named, given))
                if "1" in given:
                    continue  # a word beside rows without names may be anybody's name
                for named in ({"edges": A}, {"edges": A.tocsr()}, {"features": np.eye(4)}, {"features": np.eye(4).tolist()},
                              {"edges": self.NUMBERS, "features": np.eye(4)}, {"features": sparse.eye(4).tocsr()}):
                    g = graco.Graph(**named, labels=labels)
                    self.assertEqual((g.labels.tolist(), g.node_ids.tolist()), (wanted, [0, 1, 2, 3]), (named, given))
        self.assertEqual(graco.Graph([(0, 1)], nodes=5, labels={4: 1}).labels.tolist(), [-1, -1, -1, -1, 1])
        self.assertEqual(graco.Graph([(10, 20)], labels={10: 1}).n_nodes, 21)  # as without labels

    def test_values(self):
        """Words, truths, days, several labels per node, and what is missing in any way."""
        pd = module("pandas")
        for value, other in (("x", "y"), (True, False), (np.datetime64("2020-01-01"), np.datetime64("2021-01-01")), ((1, 0), (0, 1))):
            for labels in ({"a": value, "b": other}, {"a": value, "b": other, "c": None}):
                g = graco.Graph(self.EDGES, labels=labels)
                codes = dict(zip(g.node_ids.tolist(), g.labels.tolist()))
                several = isinstance(value, tuple)
                self.assertEqual(codes["d"], [-1, -1] if several else -1)
                self.assertEqual(codes["a"], list(value) if several else [other, value].index(value) if value > other else 0)
                if several:
                    continue
                series = pd.Series(labels)
                for form in [series] + [series.astype(kind) for kind in ("category", "string") if isinstance(value, str)]:
                    found = graco.Graph(self.EDGES, labels=form)
                    self.assertEqual(dict(zip(found.node_ids.tolist(), found.labels.tolist())), codes)
        wide = pd.DataFrame([[1, 0, 1], [0, 1, 1]], index=["b", "c"])
        for form in (wide, wide.astype(float), wide.astype(bool), wide.astype("uint8"), wide.astype("Int64")):
            self.assertEqual(graco.Graph(self.EDGES, labels=form).labels.tolist(), [[0, 1, 1], [-1] * 3, [-1] * 3, [1, 0, 1]])
        for missing in (None, float("nan"), pd.NA, pd.NaT):
            for labels in (["p", missing, "q"], [1, missing, 0], [True, missing, False], [[1, 0], [missing] * 2, [0, 1]]):
                for form in (labels, np.array(labels, dtype=object), pd.Series(labels, dtype=object),
                             dict(enumerate(labels)), pd.DataFrame(labels, dtype=object)):
                    g = graco.Graph(nodes=3, labels=form)
                    self.assertEqual(g.labels[1].tolist(), [-1, -1] if isinstance(labels[0], list) else -1)
                    self.assertTrue((g.labels[[0, 2]] >= 0).all())
        for kind in ("Int64", "Float64", "boolean"):
            self.assertEqual(graco.Graph(nodes=3, labels=pd.Series([1, pd.NA, 0], dtype=kind)).labels.tolist(), [1, -1, 0])
        for nobody in ({}, pd.Series([], dtype=float)):
            self.assertEqual(graco.Graph(self.EDGES, labels=nobody).n_nodes, 4)
            self.assertEqual(graco.Graph(self.NUMBERS, labels=nobody).n_classes, 0)

    def test_other_names(self):
        """A label for a name that no node has is refused; labels say which nodes there are where they name all others."""
        nx, pd = module("networkx"), module("pandas")
        features = pd.DataFrame(np.eye(4), index=list("abcd"))
        every = dict.fromkeys("abcd", 1)
        for named in ({"edges": nx.Graph(self.EDGES)}, {"edges": self.EDGES, "features": features},
                      {"edges": self.NUMBERS, "names": self.NAMES}):
            for labels in ({"a": 1, "z": 0}, {**every, "z": 0}):
                refused(self, "labels name the node 'z', which is not in the graph", graco.Graph, **named, labels=labels)
        refused(self, "labels name the node 'z', which is not in the graph", graco.Graph, self.EDGES, labels={"a": 1, "z": 0})
        for named in ({"nodes": 4}, {"edges": self.NUMBERS}, {"features": np.eye(4)}):
            refused(self, "labels name the node 7, which is not in the graph", graco.Graph, **named, labels={1: 1, 7: 0})
        refused(self, "labels name the node 'a'", graco.Graph, self.NUMBERS, labels={"a": 1})
        refused(self, "features have rows without names, but labels name theirs, as 'a'", graco.Graph, self.NUMBERS,
                features=np.eye(4), labels={"a": 1})
        self.assertEqual(graco.Graph(self.EDGES, labels={**every, "z": 0}).node_ids.tolist(), list("abcdz"))
        self.assertEqual(graco.Graph(self.NUMBERS, labels=dict.fromkeys(range(6), 1)).n_nodes, 6)
        self.assertEqual(graco.Graph([(10, 20)], labels={20: 1, 10: 0}).node_ids.tolist(), [20, 10])
        refused(self, "labels have two rows for the node 'a'", graco.Graph, self.EDGES, labels=pd.Series([1, 0], index=["a", "a"]))
        for edges in ([(0, 100_000)], [(0, 2**31 - 2)]):  # a label shows no nodes
            refused(self, "no array that has a row per node", graco.Graph, edges, labels={0: 1})
        for features in (object(), "abc", 7.0):
            refused(self, "", graco.Graph, self.NUMBERS, features=features, labels={0: 1})
        for edges in ([(0, -1), (1, 2)], np.array([[0.5, 1, 2], [1, 2, 3]]), np.array([[np.nan, 1, 2], [1, 2, 3]])):
            refused(self, "", graco.Graph, edges, labels={0: 1})

    def test_missing_features(self):
        """The node that has no row is named."""
        nx, pd, sparse = module("networkx"), module("pandas"), module("scipy.sparse")
        some = {"a": [1.0], "c": [2.0], "d": [3.0]}
        frame = pd.DataFrame.from_dict(some, orient="index")
        for features in (some, frame, frame.reset_index(names="id")):
            for named in ({"edges": self.EDGES}, {"edges": pd.DataFrame(self.EDGES)}, {"edges": nx.Graph(self.EDGES)},
                          {"edges": self.NUMBERS, "names": self.NAMES}):
                refused(self, "features have no row for node 'b'", graco.Graph, **named, features=features)
        for features in (np.eye(3), np.eye(3).tolist(), sparse.eye(3).tocsr(), dict(enumerate(np.eye(3))),
                         pd.DataFrame(np.eye(3))):
            refused(self, "features have no row for node 3", graco.Graph, self.NUMBERS, features=features)
            refused(self, "features", graco.Graph, self.NUMBERS, features=features, nodes=4)
        refused(self, "features have no row for node 1", graco.Graph, self.NUMBERS, features={0: [1], 2: [2], 3: [3]})
        refused(self, "labels have no row for node 2", graco.Graph, self.NUMBERS, labels=["x", "y"])


class Estimators(unittest.TestCase):
    def test_fit(self):
        """A dict, a column of ids or an index in fit and score."""
        pd = module("pandas")
        edges, X, y = small()
        names = [f"n{i}" for i in range(40)]
        g, numbers = graco.Graph(edges, features=X, names=names), graco.Graph(edges, features=X)
        mixed = [i for i in np.random.default_rng(0).permutation(40).tolist() if i % 3]
        hidden = np.where(np.arange(40) % 3, y, -1)
        make = lambda kind: kind(epochs=3, hidden=4, threads=1)
        for kind in (graco.GRACE, graco.GCN):
            wanted = make(kind).fit(g, hidden)
            for graph, ids in ((g, names), (numbers, list(range(40)))):
                index = [ids[i] for i in mixed]
                table = pd.DataFrame({"node": index, "label": y[mixed]}, index=mixed)
                for labels in (dict(zip(index, y[mixed])), table, table.reset_index(drop=True),
                               pd.Series(y[mixed], index=index), table.set_index("node")):
                    model = make(kind).fit(graph, labels)
                    self.assertTrue((model.predict_proba(graph) == wanted.predict_proba(g)).all())
                    self.assertEqual(model.score(graph, labels), wanted.score(g, hidden))
                    part = graph[[0, 1, 2, 5, 9]]
                    if isinstance(labels, dict):
                        self.assertEqual(model.score(part, labels), wanted.score(g[[0, 1, 2, 5, 9]], hidden[[0, 1, 2, 5, 9]]))
            for labels in ({"n1": 1, "z": 0}, pd.DataFrame({"node": ["n1", "z"], "label": [1, 0]})):
                refused(self, "labels name the node 'z'", make(kind).fit, g, labels)
            for labels in (y[:30], pd.Series(y[:30]), pd.Series(y[:30], index=[f"m{i}" for i in range(30)])):
                refused(self, "30 labels for 40 nodes", make(kind).fit, g, labels)

    def test_embeddings(self):
        """Labels beside embeddings: by name, or by number where rows have no names."""
        pd = module("pandas")
        y, names = np.arange(60) % 3, [f"n{i}" for i in range(60)]
        Z, mixed = np.eye(3)[y], np.random.default_rng(0).permutation(60)
        some = [i for i in mixed.tolist() if i % 4]
        part = np.arange(60) // 20
        frames = [(names, dict(zip(names, Z)), y), (names, pd.DataFrame(Z, index=names), y), (range(60), Z, y),
                  (range(60), pd.DataFrame(Z), y), (range(60), pd.DataFrame(Z[mixed], index=mixed), y[mixed]),
                  (names, pd.DataFrame(Z[mixed], index=[names[i] for i in mixed]), y[mixed])]
        for ids, table, wanted in frames:
            index = [ids[i] for i in some]
            split = pd.Series(part, index=ids)
            hidden = np.where((mixed if wanted is not y else np.arange(60)) % 4, wanted, -1)
            mean = graco.evaluate(np.eye(3)[wanted], hidden, splits=2).mean
            for labels in (dict(zip(index, y[some])), pd.Series(y[some], index=index),
                           pd.DataFrame({"id": index, "label": y[some]})):
                self.assertTrue((graco.predict(table, labels) == wanted).all())
                self.assertEqual(graco.predict_proba(table, labels).shape, (60, 3))
                self.assertEqual(graco.evaluate(table, labels, splits=2).mean, mean)
                self.assertEqual(graco.evaluate(table, labels, "public", split=split).mean, 100)
                self.assertEqual(graco.cluster(table, labels).labelled, 45)
                self.assertEqual(graco.map(table, labels, epochs=2).clusters, 3)
            other = "z" if ids is names else 99
            for labels in ({**dict(zip(index[:9], y[some])), other: 1}, pd.Series([1, 0], index=[other, index[0]])):
                refused(self, f"labels beside embeddings name the node {other!r}", graco.predict, table, labels)
        self.assertTrue((graco.predict(Z, pd.Series(y).iloc[:50]) == y).all())
        refused(self, "60 rows", graco.predict, Z, y[:50])
        refused(self, "60 rows", graco.predict, Z, pd.Series(y[:50], index=names[:50]))
        refused(self, "60 rows", graco.predict, pd.DataFrame(Z, index=names), pd.Series(y[:50]))


main()
