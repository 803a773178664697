"""What other libraries' objects say of a graph: names of rows, values that are missing or wrong."""

import datetime
import decimal
import fractions
import itertools
import os
import tempfile
import types
import unittest
import warnings

import numpy as np

import graco
from support import main, module


class Joins(unittest.TestCase):
    """Features, labels and edges go together by name where there are names, by row where nobody has any."""

    EDGES = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]
    X = np.array([[10.0], [11], [12], [13], [14]], np.float32)  # of node i: 10 + i
    Y = np.array([0, 1, 0, 2, 1])

    def check(self, wanted, *arguments, **named):
        """Every node has its feature, its label and its neighbours; the names are {name: number}."""
        g = graco.Graph(*arguments, **named)
        numbers = [wanted[name] for name in g.node_ids.tolist()]
        self.assertEqual(sorted(numbers), [0, 1, 2, 3, 4])
        if g.n_features:
            self.assertEqual((g.features[:, 0] - 10).tolist(), numbers)
        if g.labels is not None:
            self.assertEqual(g.labels.tolist(), self.Y[numbers].tolist())
        if g.split is not None:
            self.assertEqual(g.split.tolist(), [0 if number < 2 else 2 for number in numbers])
        if g.graph_ids is not None:
            self.assertEqual(len(g.graph_ids), 5)
        found = {tuple(sorted((numbers[a], numbers[b]))) for a, b in g.edges.T}
        self.assertEqual(found, set(self.EDGES))

    def refused(self, part, *arguments, **named):
        with self.assertRaises(graco.GracoError) as caught:
            graco.Graph(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def forms(self, names, order):
        """(features, labels, split) in this order of rows: without names, and as pandas has them."""
        pd = module("pandas")
        index = [names[i] for i in order]
        split = np.array(["train" if i < 2 else "test" for i in order])
        return ((self.X[order], self.Y[order], split),
                (pd.DataFrame(self.X[order], index=index), pd.Series(self.Y[order], index=index),
                 pd.Series(split, index=index)),
                (dict(zip(index, self.X[order])), dict(zip(index, self.Y[order])), None))

    def test_numbers(self):
        """Edges of numbers: an index has numbers too, and a row without a name is that of its number."""
        wanted = {i: i for i in range(5)}
        orders = ([0, 1, 2, 3, 4], [3, 0, 4, 1, 2])
        every = [form for order in orders for form in self.forms(list(range(5)), order)[order != orders[0]:]]
        pairs = np.array(self.EDGES)
        forms = itertools.cycle((self.EDGES, pairs, pairs.astype(object), pairs.astype(float), pairs.T.astype(object)))
        for x, y, split in itertools.product(*zip(*every)):
            self.check(wanted, next(forms), features=x, labels=y, split=split)
            self.check(wanted, next(forms), labels=y, split=split, nodes=5)
            self.check(wanted, next(forms), features=x)

    def test_objects(self):
        """Whole numbers in an array of objects are numbers, whatever appears first."""
        edges = np.array([(4, 3), (3, 0), (3, 2), (2, 1), (1, 0)], dtype=object)
        self.check({i: i for i in range(5)}, edges, features=self.X, labels=self.Y)
        pd = module("pandas")
        self.check({i: i for i in range(5)}, pd.DataFrame(edges, columns=["source", "target"]), features=self.X)
        nullable = pd.DataFrame(edges.astype(int), columns=["source", "target"]).astype("Int64")
        self.check({i: i for i in range(5)}, nullable, features=self.X)

    def test_names(self):
        names = ["e", "a", "d", "b", "c"]
        wanted = {name: i for i, name in enumerate(names)}
        edges = [(names[a], names[b]) for a, b in self.EDGES]
        rows, frames, dicts = self.forms(names, [3, 0, 4, 1, 2])
        _, others, _ = self.forms(names, [1, 2, 0, 4, 3])
        for x, y, split in itertools.product(*zip(frames, others, dicts)):
            self.check(wanted, edges, features=x, labels=y, split=split)
            self.check(wanted, edges, labels=y)
            self.check(wanted, self.EDGES, names=names, features=x, labels=y, split=split)
        self.check(wanted, edges, names=names, features=self.X, labels=self.Y)  # `names` says whose rows these are
        for named in ({"features": rows[0]}, {"labels": rows[1]}, {"split": rows[2]}, {"graph_ids": [0] * 5}):
            key = next(iter(named))
            self.refused(f"{key} have rows without names, but edges name their nodes, as 'e'", edges, **named)
        self.refused("labels have rows without names, but features name theirs, as 'b'", edges, features=frames[0],
                     labels=self.Y)
        self.refused("features have rows without names, but labels name theirs, as 'b'", self.EDGES, features=self.X,
                     labels=frames[1])
        self.refused("features have no row for node 'b'", edges, features=frames[0].drop("b"), labels=others[1])
        self.refused("labels have two rows for the node 'e'", edges, features=frames[0],
                     labels=others[1].rename({"a": "e"}))

    def test_matrices(self):
        """The rows of an adjacency matrix have no names."""
        sparse, pd = module("scipy.sparse"), module("pandas")
        ends = np.array(self.EDGES).T
        A = sparse.coo_matrix((np.ones(5), (ends[0], ends[1])), shape=(5, 5))
        shuffled = [3, 0, 4, 1, 2]
        for form in ("coo", "csr", "csc"):
            y = pd.Series(self.Y[shuffled], index=shuffled)
            self.check({i: i for i in range(5)}, A.asformat(form), features=self.X, labels=y)
            self.check({i: i for i in range(5)}, A.asformat(form), labels=y)
            named = pd.DataFrame(self.X, index=list("eadbc"))
            self.refused("edges have rows without names, but features name theirs", A.asformat(form), features=named)
            self.check(dict(zip("eadbc", range(5))), A.asformat(form), features=named, names=named.index)

    def test_networkx(self):
        nx, pd = module("networkx"), module("pandas")
        for names in (["e", "a", "d", "b", "c"], [40, 10, 30, 0, 20], [4, 2, 0, 3, 1]):
            G = nx.Graph()
            G.add_nodes_from(names)
            G.add_edges_from((names[a], names[b]) for a, b in self.EDGES)
            wanted = {name: i for i, name in enumerate(names)}
            rows, frames, dicts = self.forms(names, [3, 0, 4, 1, 2])
            for x, y, split in (frames, dicts, (frames[0], dicts[1], frames[2]), (self.X, self.Y, None)):
                self.check(wanted, G, features=x, labels=y, split=split)
            twice = pd.concat([frames[0], frames[0].iloc[:1]])
            self.refused(f"features have two rows for the node {twice.index.tolist()[0]!r}", G, features=twice)
            missing = frames[0].index.tolist()[0]
            self.refused(f"features have no row for node {missing!r}", G, features=frames[0].iloc[1:])

    def test_order_of_networkx(self):
        """`names` that are those of the graph say an order; other ones are new names."""
        nx = module("networkx")
        for names in (["e", "a", "d", "b", "c"], [4, 2, 0, 3, 1]):
            G = nx.Graph()
            G.add_nodes_from(names)
            G.add_edges_from((names[a], names[b]) for a, b in self.EDGES)
            wanted = {name: i for i, name in enumerate(names)}
            order = [3, 0, 4, 1, 2]
            self.check(wanted, G, names=[names[i] for i in order], features=self.X[order], labels=self.Y[order])
            self.assertEqual(graco.Graph(G, names=[names[i] for i in order]).node_ids.tolist(), [names[i] for i in order])
            self.check(dict(zip("vwxyz", range(5))), G, names=list("vwxyz"), features=self.X, labels=self.Y)

    def test_two_readings_of_numbers(self):
        """Numbers of edges beside `names` that are other numbers are places or names: refused where both may be."""
        table = {0: [0.0], 1: [10.0], 2: [20.0]}
        for edges in ([(0, 1), (1, 2)], np.array([(0, 1), (1, 2)]), np.array([(0, 1), (1, 2)], float)):
            for names in ([2, 0, 1], ["2", "0", "1"], [2.0, 0.0, 1.0], [0, 2, 1, 7]):
                for more in ({}, {"features": table} if len(names) == 3 else {}, {"labels": table.fromkeys(table, 1)}):
                    self.refused("which is the name of the node in the place", edges, names=names, **more)
        pairs, names = np.array([(0, 1), (1, 2)]), np.array([2, 0, 1])
        def joined(edges):
            g = graco.Graph(edges, names=names, features=table, directed=True)
            self.assertEqual((g.node_ids.tolist(), g.features[:, 0].tolist()), ([2, 0, 1], [20, 0, 10]))
            return {(int(g.node_ids[a]), int(g.node_ids[b])) for a, b in g.edges.T}
        self.assertEqual(joined(pairs.astype(str)), {(0, 1), (1, 2)})
        self.assertEqual(joined(names.astype(str)[pairs]), {(2, 0), (0, 1)})
        places = graco.Graph(pairs, names=[7, 8, 9], directed=True)  # which the numbers cannot be
        self.assertEqual((places.node_ids.tolist(), places.edges.tolist()), ([7, 8, 9], [[0, 1], [1, 2]]))
        self.assertEqual(graco.Graph(pairs, names=range(3)).n_nodes, 3)

    def test_bytes(self):
        """Bytes are the text that they are in a file."""
        g = graco.Graph([(b"x", b"y"), (b"y", "z\udcff")], labels={b"x": b"p", "y": b"q", b"z\xff": b"p"})
        self.assertEqual((g.node_ids.tolist(), g.classes.tolist()), (["x", "y", "z\udcff"], ["p", "q"]))
        with tempfile.TemporaryDirectory() as folder:
            graco.Graph([(b"x", b"y")], labels={b"y": b"q"}).save(folder + "/g.npz")
            again = graco.load(folder + "/g.npz")
        self.assertEqual((again.node_ids.tolist(), again.classes.tolist()), (["x", "y"], ["q"]))
        pairs = np.array([["x", "y"], ["y", "z"], ["z", "x"]])
        y = np.array([b"p", b"q", b"p"])
        found = graco.Graph(pairs.astype("S"), names=[b"z", b"y", "x"], labels=y, features={"x": [1], b"y": [2], "z": [3]})
        self.assertEqual((found.node_ids.tolist(), found.classes.tolist(), found.features[:, 0].tolist()),
                         (["z", "y", "x"], ["p", "q"], [3, 2, 1]))

    def test_dok(self):
        """A kind of scipy's sparse matrices is a dict too."""
        sparse = module("scipy.sparse")
        X = sparse.csr_matrix(np.where(self.X > 2, self.X, 0))
        for kind in ("dok", "lil", "bsr", "dia", "coo"):
            g = graco.Graph(self.EDGES, features=X.asformat(kind))
            self.assertTrue((g.features != X).nnz == 0, kind)

    def test_masks(self):
        """A mask that has an index is joined by it, as any other table."""
        pd = module("pandas")
        names = ["e", "a", "d", "b", "c"]
        edges = [(names[a], names[b]) for a, b in self.EDGES]
        for order in ([0, 1, 2, 3, 4], [3, 0, 4, 1, 2]):
            mask = pd.Series([i < 2 for i in order], index=[names[i] for i in order])
            self.check({name: i for i, name in enumerate(names)}, edges, split={"train": mask, "test": ~mask})
            numbers = mask.set_axis(order)
            self.check({i: i for i in range(5)}, self.EDGES, split={"train": numbers, "test": ~numbers})
        self.refused("have no row for node 'b'", edges, split={"train": mask.iloc[1:]})
        self.refused("split have rows without names", edges, split={"train": mask.reset_index(drop=True)})
        data = types.SimpleNamespace(edge_index=np.array(self.EDGES).T, num_nodes=5, train_mask=np.arange(5) < 3,
                                     val_mask=None, test_mask=np.arange(5) > 1)
        self.refused("node 2 is in two parts of a split", data)
        self.assertEqual(graco.Graph(data, split=[0, 0, 1, 2, 2]).split.tolist(), [0, 0, 1, 2, 2])

    def test_embeddings(self):
        """Z and labels that both have names go together by them."""
        pd = module("pandas")
        names = [f"n{i}" for i in range(60)]
        y = np.arange(60) % 3
        shuffled = np.random.default_rng(0).permutation(60)
        Z = pd.DataFrame(np.eye(3)[y], index=names)
        labels = pd.Series(np.where(y == 0, -1, y), index=names).iloc[shuffled]
        self.assertEqual(graco.evaluate(Z, labels, splits=2).mean, 100)
        self.assertTrue((graco.predict(Z, labels)[y > 0] == y[y > 0]).all())
        g = graco.Graph([(a, b) for a, b in zip(names, names[1:])], labels=labels)
        self.assertEqual(graco.evaluate(Z, g, splits=2).mean, 100)
        self.assertEqual(graco.evaluate(Z.to_numpy(), labels.sort_index(key=lambda i: i.map(names.index)), splits=2).mean,
                         100)
        with self.assertRaises(graco.GracoError) as caught:
            graco.evaluate(Z, labels.rename({"n7": "m"}))
        self.assertIn("embeddings name the node 'm'", str(caught.exception))

    def test_splits(self):
        """A split beside embeddings goes by name too: here every test label, and no other, is wrong."""
        pd = module("pandas")
        names = [f"n{i}" for i in range(60)]
        classes, part = np.arange(60) % 3, np.arange(60) // 20
        Z = pd.DataFrame(np.eye(3)[classes], index=names)
        y = pd.Series(np.where(part == 2, (classes + 1) % 3, classes), index=names)
        split = pd.Series(part, index=names)
        parts = {word: names[20 * i:20 * i + 20] for i, word in enumerate(("train", "val", "test"))}
        mixed = np.random.default_rng(0).permutation(60)
        words = split.map({0: "train", 1: "val", 2: "test"})
        for a, b, s in ((Z, y, split), (Z, y, split.iloc[mixed]), (Z.iloc[mixed], y, split), (Z.iloc[mixed], y, parts),
                        (Z, y.iloc[mixed], words.iloc[mixed]), (Z.iloc[mixed], y.iloc[mixed].to_numpy(), split),
                        (Z.iloc[mixed].to_numpy(), y.iloc[mixed], split), (Z.reset_index(drop=True), y, split.iloc[mixed]),
                        (Z.iloc[mixed], y, part[mixed]), (Z.to_numpy(), y.to_numpy(), split),
                        (Z.iloc[mixed], y, {word: split.iloc[mixed] == i for i, word in enumerate(parts)})):
            self.assertEqual(graco.evaluate(a, b, "public", split=s).mean, 0)
        for wrong, said in ((split.iloc[1:], "no row for node 'n0'"), (split.rename({"n7": "m"}), "'m'"),
                            ({"train": ["m"]}, "'m'")):
            with self.assertRaises(graco.GracoError) as caught:
                graco.evaluate(Z, y, "public", split=wrong)
            self.assertIn(said, str(caught.exception))
        with self.assertRaises(graco.GracoArgumentError) as caught:
            graco.evaluate(Z, graco.Graph(labels=y), "public", split=split)
        self.assertIn("beside a Graph", str(caught.exception))


class Numbers(unittest.TestCase):
    """Numbers of nodes, of neighbours, of threads and of classes mean what they say, or are refused."""

    Z = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)

    def refused(self, part, function, *arguments, **named):
        with self.assertRaises(graco.GracoError, msg=(arguments, named)) as caught:
            function(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        self.assertNotIn("\n", str(caught.exception))

    def test_counts(self):
        wrong = (-1, 1.7, 2.0, 2**64 + 2, "2", None, True, np.True_, np.float64(2), [2], 2**63)
        y = np.arange(20) % 2
        for value in wrong:
            for name in ("k", "threads"):
                self.refused(f"{name} is {value!r}", graco.neighbours, self.Z, **{"k": 2, name: value})
            for name in ("splits", "threads"):
                self.refused(f"{name} is {value!r}", graco.evaluate, self.Z, y, **{name: value})
            self.refused("threads is", graco.predict, self.Z, y, threads=value)
            if value is not None:
                self.refused("nodes is", graco.Graph, [(0, 1)], nodes=value)
        for seed in (*wrong[:2], 2**64, "2", None, True):
            self.refused(f"seed is {seed!r}", graco.evaluate, self.Z, y, seed=seed)
        self.assertEqual(graco.neighbours(self.Z, k=np.int8(3), threads=np.uint64(1))[0].shape, (20, 3))

    def test_nodes(self):
        wanted, _ = graco.neighbours(self.Z, k=3)
        mask = np.zeros(20, bool)
        mask[[5, 9]] = True
        for nodes, rows in (([5, 9], [5, 9]), (mask, [5, 9]), (np.array([9, 5], np.uint8), [9, 5]), (7, [7]),
                            (mask.tolist(), [5, 9]), ([], []), (range(3), [0, 1, 2]), (np.array([]), [])):
            self.assertEqual(graco.neighbours(self.Z, k=3, nodes=nodes)[0].tolist(), wanted[rows].tolist())
        for nodes, part in (([1.7], "1.7"), ([1.0], "1.0"), (mask[:10], "10"), ([-1], "-1"), ([20], "20"),
                            ([2**64 + 2], "18446744073709551618"), (["5"], "5"), ([None], "None"),
                            ([[1, 2], [3, 4]], "2 dimensions"), (np.array([2**63], np.uint64), "9223372036854775808"),
                            (np.ma.masked_array([1, 2], [True, False]), "masked")):
            self.refused(part, graco.neighbours, self.Z, k=3, nodes=nodes)

    def test_names_of_many_digits(self):
        """Names stay exact: as numbers of numpy 2^63 and 2^63 + 1 would be one."""
        for names in ([2**63, 2**63 + 1, -1], [2**63, 2**63 + 1, 5], [2**70, 2**70 + 1, 0], [2**63 - 1, 2**63 - 2, -(2**63)]):
            g = graco.Graph([(0, 1), (1, 2)], names=names)
            self.assertEqual(g.node_ids.tolist(), names)
            self.assertEqual([type(name) for name in g.node_ids.tolist()], [int] * 3)
            self.assertEqual(g[[2, 0]].node_ids.tolist(), [names[2], names[0]])
            model = graco.Node2Vec(epochs=1, hidden=4, threads=1).fit(g)
            self.assertEqual(model.node_ids_.tolist(), names)
            Z = dict(zip(names, np.eye(3)))
            self.assertEqual(graco.cluster(Z, g, 3).cluster.tolist(), graco.cluster(np.eye(3), g, 3).cluster.tolist())
        self.assertEqual(graco.Graph([(0, 1)], names=[7, 9]).node_ids.dtype, np.int64)
        for edges in ([(2**63, 2**63 + 1)], [(2**63, -1)], [(0, 2**70)], [(2**53 + 1, 2**63)]):
            self.refused("64 bits" if min(edges[0]) < 0 else "", graco.Graph, edges)
        self.refused("64 bits", graco.Graph, [(2**63 + 1, -1)], features={-1: [1.0], 2**63: [2.0], 2**63 + 1: [3.0]})

    def test_claims(self):
        """An edge may name a node of any number: what it costs is bounded by what was given, as in a file."""
        ends, many = np.array([[0], [100_000]]), 100_001
        data = types.SimpleNamespace(edge_index=ends, num_nodes=many)
        forms = [[(0, 100_000)], ends, ends.T, (ends[0], ends[1]), ends.astype(float), ends.astype(object), data]
        try:
            import scipy.sparse as sparse

            forms.append(sparse.coo_matrix(([1.0], (ends[0], ends[1])), shape=(many, many)))
        except ImportError:
            pass
        words = "100001 nodes, with 1 edges and no array that has a row per node: expected at most 65536, such an array"
        for edges in forms:
            self.refused(words, graco.Graph, edges)
            self.refused(words, graco.Graph, edges, split={"train": [0]})
            self.refused(words, graco.GRACE(epochs=1).fit, edges)
            for named in ({"nodes": many}, {"names": range(many)}, {"features": np.zeros((many, 1))},
                          {"labels": np.zeros(many, int)}, {"split": np.zeros(many, int)}, {"graph_ids": [0] * many},
                          {"split": {"train": np.ones(many, bool)}}):
                self.assertEqual(graco.Graph(edges, **named).n_nodes, many)
        with tempfile.TemporaryDirectory() as folder:  # what is saved can be loaded
            for name in ("saved", "saved.npz"):
                graco.Graph(ends, nodes=many).save(os.path.join(folder, name))
                g = graco.load(os.path.join(folder, name))
                self.assertEqual((g.n_nodes, g.n_edges, g.n_graphs), (many, 2, 1))
        self.refused("2147483647 nodes, with 2 edges", graco.Graph, [(0, 2**31 - 2), (1, 2)])
        self.assertEqual(graco.Graph([("0", "2147483646")]).n_nodes, 2)
        self.assertEqual(graco.Graph([(0, 65_535)]).n_nodes, 65_536)
        ring = np.arange(6_250)
        self.assertEqual(graco.Graph((ring * 16, (ring * 16 + 16) % 100_000)).n_nodes, 16 * 6_249 + 1)

    def test_pairs(self):
        """What can be read in two ways, or holds more than pairs, is refused."""
        for two in (((0, 1), (2, 3)), (("a", "b"), ("c", "d"))):
            self.refused("two edges, or two sources and two targets", graco.Graph, two)
            self.assertEqual(graco.Graph(list(two), directed=True).edges.tolist(), [[0, 2], [1, 3]])
            self.assertEqual(graco.Graph((*two, two[0]), directed=True).edges.tolist(), [[0, 2], [1, 3]])
        self.assertEqual(graco.Graph(([0, 1], [2, 3]), directed=True).edges.tolist(), [[0, 1], [2, 3]])
        for edges in ({(0, 1): 2.0, (1, 2): 3.0}, {0: [1, 2]}, {"ab": 1}):
            self.refused("edges are dict", graco.Graph, edges)

    def test_ends(self):
        """True and False are no nodes: such a matrix is one of adjacency."""
        for edges in (np.eye(2, dtype=bool), [(True, False)], np.eye(2, dtype=bool).astype(object)):
            self.refused("edges hold True and False", graco.Graph, edges)

    def test_unknown_labels(self):
        """-1, None and NaN are unknown; any other number below 0 is a mistake."""
        g = graco.Graph([(i, i + 1) for i in range(19)], features=self.Z)
        y = np.where(np.arange(20) % 4, np.arange(20) % 2, -5)
        model = graco.GRACE(epochs=1, hidden=4, threads=1)
        for labels in (y, y.astype(float), y.astype(object), y.tolist(), y.astype(np.int8), np.where(y < 0, None, -5)):
            self.refused("-5: expected", model.fit, g, labels)
            self.refused("-5: expected", graco.evaluate, self.Z, labels)
            self.refused("-5: expected", graco.predict, self.Z, labels)
            self.refused("-5: expected", graco.Graph, g.edges, labels=labels)
        hidden = np.where(np.arange(20) % 4, np.arange(20) % 2, -1)
        words = np.array(["a", "b", None], dtype=object)[hidden]
        wanted = graco.predict(self.Z, hidden)
        for unknown in (None, np.nan, -1):
            labels = [unknown if v < 0 else int(v) for v in hidden]
            for form in (labels, np.array(labels, dtype=object)):
                self.assertEqual(graco.predict(self.Z, form).tolist(), wanted.tolist())
                self.assertEqual(graco.Graph(nodes=20, labels=form).labels.tolist(), hidden.tolist())
        self.assertEqual(graco.Graph(nodes=20, labels=words).labels.tolist(), hidden.tolist())

    def test_rows_of_labels(self):
        """Rows of 0 and 1 are several labels per node, whatever holds the rows."""
        wanted = [[1, 0, 1], [0, 1, 1], [1, 1, 0]]
        objects = np.empty(3, dtype=object)
        objects[:] = [tuple(row) for row in wanted]
        for labels in (dict(enumerate(wanted)), {2: wanted[2], 0: np.array(wanted[0]), 1: tuple(wanted[1])}, wanted,
                       [np.array(row) for row in wanted], objects):
            g = graco.Graph(nodes=3, labels=labels)
            self.assertEqual(g.labels[np.argsort(g.node_ids)].tolist(), wanted, labels)
        for unknown in (None, float("nan"), [-1, -1, -1]):
            for labels in ([wanted[0], unknown, wanted[2]], {0: wanted[0], 1: unknown, 2: wanted[2]}):
                self.assertEqual(graco.Graph(nodes=3, labels=labels).labels.tolist(), [wanted[0], [-1] * 3, wanted[2]])
        names = [f"n{i}" for i in range(20)]
        y = np.stack([np.arange(20) % 2, np.arange(20) % 2 == 0], axis=1).astype(int)
        Z = dict(zip(names, self.Z))
        labels = {name: y[i].tolist() if i % 4 else None for i, name in reversed(list(enumerate(names)))}
        self.assertTrue((graco.predict(Z, labels) == graco.predict(self.Z, np.where(np.arange(20)[:, None] % 4, y, -1))).all())
        for wrong in ({0: [1, 0], 1: [1]}, {0: [1, 0], 1: "a"}, {0: [1, 0], 1: 1}, [(1, 0), [1], None], {0: ["a"], 1: [[1]]},
                      [["a", "b"], None]):
            self.refused("labels hold rows of different lengths or kinds", graco.Graph, nodes=len(wrong), labels=wrong)

    def test_no_rows(self):
        """A part of no nodes is one."""
        g = graco.Graph([(i, i + 1) for i in range(19)], features=self.Z, labels=np.arange(20) % 2)
        model = graco.GRACE(epochs=1, hidden=4, threads=1).fit(g)
        for rows in ([], np.array([]), np.zeros(20, bool), slice(0, 0)):
            part = g[rows]
            self.assertEqual((len(part), part.node_ids.tolist(), part.shape), (0, [], (0, 4)))
            self.assertEqual((model.transform(part).shape, model.predict(part).shape), ((0, 4), (0,)))
            self.refused("none of 0 labels", model.score, part)
            self.refused("none of 0 labels", model.score, part, [])

    def test_masked(self):
        """A masked label is unknown; elsewhere a masked value has no meaning."""
        hidden = np.arange(20) % 4 == 0
        y = np.ma.masked_array(np.arange(20) % 2, hidden)
        wanted = np.where(hidden, -1, y.data)
        for labels in (y, y.astype(float), y.astype(str), np.ma.masked_array(np.array(["p", "q"])[y.data], hidden)):
            self.assertEqual(graco.Graph(nodes=20, labels=labels).labels.tolist(), wanted.tolist())
            self.assertTrue((graco.predict(self.Z, labels) == labels.data)[~hidden].all())
        several = np.ma.masked_array(np.eye(2)[y.data], np.repeat(hidden[:, None], 2, axis=1))
        self.assertEqual(graco.Graph(nodes=20, labels=several).labels[:2].tolist(), [[-1, -1], [0, 1]])
        ends = np.ma.masked_array([[0, 1], [1, 2]], [[True, False], [False, False]])
        cut = np.ma.masked_array(self.Z, self.Z > 2)
        for named in ({"edges": ends}, {"edges": (ends[0], ends[1])}, {"features": cut},
                      {"edges": ends.data, "weights": np.ma.masked_array([1.0, 2.0], [True, False])},
                      {"nodes": 2, "split": ends[0]}, {"nodes": 2, "graph_ids": ends[0]}, {"nodes": 2, "names": ends[0]}):
            self.refused("masked", graco.Graph, **named)
        self.refused("masked", graco.evaluate, cut, wanted)
        self.refused("masked", graco.neighbours, cut)
        whole = np.ma.masked_array(self.Z, False)
        self.assertTrue((graco.Graph(nodes=20, features=whole).features == self.Z).all())


class Splits(unittest.TestCase):
    def test_dicts(self):
        """Parts of nodes: by number, by mask, by name where nodes have names, however the nodes are known."""
        sparse = module("scipy.sparse")
        edges = [(0, 1), (1, 2), (2, 3)]
        wanted = [0, 2, 3, 1]
        numbers = {"train": [0], "test": 1, "val": np.array([3])}
        for named in ({"edges": edges}, {"edges": np.array(edges)}, {"nodes": 4}, {"features": np.eye(4)},
                      {"features": sparse.eye(4).tocsr()}, {"labels": [0, 1, 0, 1]}, {"edges": edges, "labels": [0, 1, 0, 1]},
                      {"edges": sparse.eye(4, k=1).tocsr()}, {"edges": sparse.eye(4, k=1).tocoo()},
                      {"edges": (np.arange(3, dtype=float), np.arange(1, 4))}):
            self.assertEqual(graco.Graph(**named, split=numbers).split.tolist(), wanted, named)
            masks = {word: np.isin(np.arange(4), nodes) for word, nodes in numbers.items()}
            self.assertEqual(graco.Graph(**named, split=masks).split.tolist(), wanted, named)
        words = [("d", "c"), ("c", "a"), ("a", "b")]
        parts = {"train": ["d"], "test": "c", "val": ["b"]}
        self.assertEqual(graco.Graph(words, split=parts).split.tolist(), wanted)
        self.assertEqual(graco.Graph(edges, names=list("dcab"), split=parts).split.tolist(), wanted)
        nx = module("networkx")
        G = nx.Graph([(40, 30), (30, 10), (10, 20)])
        self.assertEqual(graco.Graph(G, split={"train": [40], "test": [30], "val": {20}}).split.tolist(), wanted)

    def test_refused(self):
        for part, named in (("'z', which is not among", {"edges": [("a", "b")], "split": {"train": ["z"]}}),
                            ("hold 5: expected numbers from 0 to 1", {"edges": [(0, 1)], "split": {"train": [5]}}),
                            ("hold -1: expected", {"edges": [(0, 1)], "split": {"train": [-1]}}),
                            ("mask of 3 items: expected 2", {"edges": [(0, 1)], "split": {"train": np.ones(3, bool)}}),
                            ("have rows without names", {"edges": [("a", "b")], "split": {"train": np.ones(2, bool)}}),
                            ("node 1 is in two parts of a split",
                             {"edges": [(0, 1)], "split": {"train": [0, 1], "test": [1]}}),
                            ("a graph of 0 nodes", {"split": {"train": [0]}})):
            with self.assertRaises(graco.GracoError, msg=named) as caught:
                graco.Graph(**named)
            self.assertIn(part, str(caught.exception))


class Strange(unittest.TestCase):
    """No exception of another library escapes: each is graco's, and says what was found, where, and what not."""

    def refused(self, part, function, *arguments, **named):
        with self.assertRaises(graco.GracoFormatError, msg=(arguments, named)) as caught:
            function(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_words(self):
        pd, nx = module("pandas"), module("networkx")
        g = graco.Graph([(0, 1), (1, 2)], features=np.eye(3))
        for missing in (pd.NA, pd.NaT, None, float("nan"), np.ma.masked):
            ends = pd.DataFrame({"source": ["a", missing], "target": ["b", "c"]}, dtype=object)
            for edges in (ends, [("a", "b"), ("c", missing)]):
                self.refused("a node has no name", graco.Graph, edges)
            self.assertEqual(graco.Graph(nodes=3, labels=["p", missing, "q"]).labels.tolist(), [0, -1, 1])
            self.assertEqual(graco.Graph(nodes=3, labels=[1, missing, 0]).labels.tolist(), [1, -1, 0])
            self.assertEqual(graco.predict(np.eye(30), ["p", "q", missing] * 10)[:2].tolist(), ["p", "q"])
            graco.GRACE(epochs=1, hidden=4, threads=1).fit(g, ["p", missing, "q"])
        self.assertEqual(graco.Graph(nodes=2, labels=pd.Series(["a", pd.NA], dtype="string")).labels.tolist(), [0, -1])
        G = nx.DiGraph([("a", "b")])
        for weight in ("abc", (1, 2), pd.NA, object(), [1]):
            G.add_edge("b", "c", weight=weight)
            self.refused(f"the edge from 'b' to 'c' has the weight {weight!r}: expected a number", graco.Graph, G)
        G.add_edge("b", "c", weight="2.5")
        self.assertEqual(sorted(graco.Graph(G).weights.tolist()), [1, 2.5])
        for name in ("\ud800", "a\ud800b"):
            for named in ({"edges": [(0, 1)], "names": ["a", name]}, {"edges": [("a", name)]},
                          {"nodes": 2, "labels": ["a", name]}, {"nodes": 2, "name": name}):
                self.refused(f"{name!r} holds half a character", graco.Graph, **named)
        byte = "caf\udce9"  # how Python writes a byte that is no UTF-8
        self.assertEqual(graco.Graph([(0, 1)], names=["a", byte]).node_ids.tolist(), ["a", byte])
        corners = [((0, 0), (0, 1)), ((0, 1), (1, 1))]
        self.assertEqual(graco.Graph(corners).node_ids.tolist(), [(0, 0), (0, 1), (1, 1)])
        self.assertEqual(graco.Graph(corners).edges.tolist(), [[1, 0, 2, 1], [0, 1, 1, 2]])
        self.refused("a node is called [1]: expected a name that can be looked up", graco.Graph, [("a", [1])])
        for words in (["ab", "cde"], ["ab", "cd"], [b"ab"]):
            self.refused("no pair", graco.Graph, words)
        sparse = module("scipy.sparse")
        self.refused("3,): expected a square one" if sparse.coo_array(np.array([1, 0, 2])).ndim == 1 else "(1, 3): expected",
                     graco.Graph, sparse.coo_array(np.array([1, 0, 2])))  # an older scipy makes a row of it
        for function in (graco.neighbours, lambda Z: graco.evaluate(Z, [0, 1, 2]), lambda y: graco.Graph(nodes=3, labels=y)):
            self.refused("a sparse matrix: expected a dense array, which its toarray() gives", function, sparse.eye(3).tocsr())
        self.refused("an array of complex128", graco.neighbours, np.eye(3) * 1j, k=1)

    def test_any_value_anywhere(self):
        values = [None, float("nan"), float("inf"), object(), (1, 2), (), "\ud800", b"x", 1j, datetime.date(2020, 1, 1), 2**70,
                  -(2**70), -1, True, "a\0", "", [1], {}, set(), np.ma.masked, decimal.Decimal("0.5"), frozenset({1}),
                  fractions.Fraction(1, 3), np.datetime64("2020"), np.datetime64("NaT"), np.zeros(2), np.float16(1), print]
        places = {
            "an end": lambda v: graco.Graph([("a", v), ("b", "c")]),
            "a number": lambda v: graco.Graph([(0, v), (1, 2)]),
            "ends": lambda v: graco.Graph(v),
            "two ends": lambda v: graco.Graph((v, v)),
            "a label": lambda v: graco.Graph(nodes=3, labels=[0, v, 1]),
            "a word": lambda v: graco.Graph(nodes=3, labels=["p", v, "q"]),
            "labels": lambda v: graco.Graph(nodes=3, labels=v),
            "a name": lambda v: graco.Graph([(0, 1)], names=["a", v]),
            "names": lambda v: graco.Graph([(0, 1)], names=v),
            "a weight": lambda v: graco.Graph([(0, 1), (1, 2)], weights=[1.0, v]),
            "weights": lambda v: graco.Graph([(0, 1), (1, 2)], weights=v),
            "a part": lambda v: graco.Graph(nodes=2, split=["train", v]),
            "a split": lambda v: graco.Graph(nodes=2, split=v),
            "a part's node": lambda v: graco.Graph(nodes=2, split={"train": [v]}),
            "a part's nodes": lambda v: graco.Graph(nodes=2, split={"train": v}),
            "a graph's number": lambda v: graco.Graph(nodes=2, graph_ids=[0, v]),
            "a feature": lambda v: graco.Graph(nodes=2, features=[[0.0], [v]]),
            "features": lambda v: graco.Graph(nodes=2, features=v),
            "a row": lambda v: graco.Graph(nodes=2, features={0: [1.0], 1: v}),
            "a key": lambda v: graco.Graph(nodes=2, labels={0: 1, v: 1}) if v.__hash__ else None,
            "nodes": lambda v: graco.Graph([(0, 1)], nodes=v),
            "the name": lambda v: graco.Graph([(0, 1)], name=v),
            "labels of rows": lambda v: graco.evaluate(np.eye(3), [0, v, 1], splits=1),
            "embeddings": lambda v: graco.evaluate(v, [0, 1, 1], splits=1),
            "an embedding": lambda v: graco.neighbours([[0.0], [1.0], [v]], k=1),
            "rows": lambda v: graco.neighbours(np.eye(3), k=1, nodes=[v]),
            "a metric": lambda v: graco.neighbours(np.eye(3), k=1, metric=v),
            "a device": lambda v: graco.neighbours(np.eye(3), k=1, device=v),
        }
        try:
            import networkx as nx
            import pandas as pd

            values += [pd.NA, pd.NaT, pd.Timestamp("2020"), pd.Series([1, 2]), pd.DataFrame({"a": [1]})]
            places["a weight of networkx"] = lambda v: graco.Graph(nx.DiGraph([("a", "b", {"weight": v}), ("b", "c")]))
            for column in ("source", "target", "weight"):
                made = {"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.0]}
                places[f"the column {column}"] = lambda v, made=made, column=column: graco.Graph(pd.DataFrame(
                    {**made, column: pd.Series([made[column][0], v], dtype=object)}))
        except ImportError:
            pass
        for place, function in places.items():
            for value in values:
                with self.subTest(place, value=repr(value)), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # numpy's, of a masked item
                    try:
                        function(value)
                    except graco.GracoError as error:
                        self.assertNotIn("\n", str(error))


main()
