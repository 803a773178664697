"""Graphs from arrays and from other libraries' objects; what does not fit is refused in graco's words."""

import os
import pickle
import tempfile
import time
import types
import unittest
import warnings

import numpy as np

import graco
from support import main, module, small


class Arrays(unittest.TestCase):
    def test_shapes(self):
        edges, X, y = small()
        wanted = graco.Graph(edges, features=X).edges
        for form in (edges.T, edges.T.tolist(), (edges[0], edges[1]), edges.astype(np.int32),
                     np.asfortranarray(edges), edges[:, ::-1]):
            found = graco.Graph(form, features=X)
            self.assertTrue((found.edges == wanted).all())
        self.assertEqual(graco.Graph(np.array([[0, 1], [0, 2]]), directed=True).edges.tolist(), [[1], [2]])  # (2, edges)
        self.assertEqual(graco.Graph([(0, 1), (1, 2)]).n_edges, 4)
        self.assertEqual(graco.Graph([(0, 1), (1, 2)], directed=True).n_edges, 2)
        self.assertEqual(graco.Graph(nodes=5).n_nodes, 5)
        self.assertEqual(graco.Graph([], nodes=5).n_edges, 0)

    def test_what_it_holds(self):
        edges, X, y = small()
        words = np.array(["red", "blue"], dtype=object)[y]
        words[3] = None
        g = graco.Graph(edges, features=X, labels=words, split=["train", "test"] * 20,
                        weights=np.full(edges.shape[1], 2.0), name="mine")
        self.assertEqual((g.name, g.n_nodes, g.n_features, g.n_classes), ("mine", 40, 6, 2))
        self.assertEqual(g.labels[:5].tolist(), [1, 0, 1, -1, 1])
        self.assertEqual(g.classes.tolist(), ["blue", "red"])
        self.assertEqual(g.split[:3].tolist(), [0, 2, 0])
        self.assertTrue((g.weights >= 2).all() and len(g.weights) == g.n_edges)
        self.assertTrue((g.features == X).all())
        self.assertIn("40 nodes", repr(g))
        many = graco.Graph([(0, 1), (2, 3)], graph_ids=[0, 0, 1, 1])
        self.assertEqual((many.n_graphs, many.graph_ids.tolist()), (2, [0, 0, 1, 1]))
        self.assertEqual(graco.Graph([(0, 1)], weights=False).weights, None)

    def test_features_of_any_layout_stay(self):
        """What the library uses in place lives as long as the graph, also where it is a copy made on the way."""
        X = np.random.default_rng(0).random((200, 30), dtype=np.float32)
        layouts = {
            "Fortran's order": np.asfortranarray(X), "big-endian": X.astype(">f4"),
            "rows backwards": np.ascontiguousarray(X[::-1])[::-1], "every other column": np.repeat(X, 2, axis=1)[:, ::2],
            "every other row": np.repeat(X, 2, axis=0)[::2], "read-only": X.copy(), "float64": X.astype("f8"),
        }
        layouts["read-only"].flags.writeable = False
        for name, given in layouts.items():
            g = graco.Graph((np.arange(199), np.arange(1, 200)), features=given)
            others = [np.full(X.shape, 7, np.float32) for _ in range(8)]  # in memory that was given back
            with self.subTest(name):
                self.assertTrue(np.array_equal(g.features, X))
                self.assertTrue(np.array_equal(g[:150].features, X))
                self.assertTrue(np.array_equal(pickle.loads(pickle.dumps(g)).features, X))
            del others

    def test_no_copies(self):
        edges, X, _ = small()
        g = graco.Graph(edges, features=X)
        self.assertTrue(np.shares_memory(g.features, X))
        self.assertFalse(np.shares_memory(graco.Graph(edges, features=X, copy=True).features, X))
        self.assertFalse(g.features.flags.writeable)
        seen = g.features
        del g, X
        self.assertTrue(np.isfinite(seen).all())  # the view keeps what it shows

    def test_splits(self):
        mask = np.zeros(4, bool)
        mask[0] = True
        for split in ([0, 2, 3, 3], ["train", "test", "none", ""], {"train": mask, "test": [1]},
                      (mask, np.roll(mask, 1))):
            g = graco.Graph(nodes=4, labels=[0, 1, 0, 1], split=split)
            self.assertEqual(g.split.tolist(), [0, 2, 3, 3])

    def test_names(self):
        g = graco.Graph([("x", "y"), ("y", "z")], features=np.eye(3), names=["x", "y", "z"])
        self.assertEqual(g.node_ids.tolist(), ["x", "y", "z"])
        g = graco.Graph([(0, 1)], names=["one", "two", "three"])
        self.assertEqual((g.n_nodes, g.node_ids.tolist()), (3, ["one", "two", "three"]))
        g = graco.Graph([("a", "b")], features={"b": [1.0, 2], "a": [3, 4]})
        self.assertEqual((g.node_ids.tolist(), g.edges.tolist()), (["b", "a"], [[1, 0], [0, 1]]))
        g = graco.Graph([("a", "b")], names=["b", "a"], labels={"a": 1, "b": 0})
        self.assertEqual(g.labels.tolist(), [0, 1])

    def test_pickle(self):
        edges, X, y = small()
        g = graco.Graph(edges, features=X, labels=np.array(["p", "q"])[y], names=[f"n{i}" for i in range(40)])
        back = pickle.loads(pickle.dumps(g[[3, 4]]))
        self.assertTrue((back.edges == g.edges).all() and (back.features == X).all())
        self.assertEqual((back.node_ids.tolist(), back.classes.tolist()), (["n3", "n4"], ["p", "q"]))

    def test_parts(self):
        edges, X, _ = small()
        g = graco.Graph(edges, features=X)
        mask = np.arange(40) < 5
        for rows in ([0, 1, 2, 3, 4], mask, slice(5), np.arange(5)):
            self.assertEqual(g[rows].rows.tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(g[5:10][[1]].rows.tolist(), [6])
        self.assertEqual(g[5:10].shape, (5, 6))
        with self.assertRaises(IndexError):
            g[[40]]

    def test_several_labels(self):
        several = np.eye(3)[[0, 1, 2, 0]]
        several[1] = np.nan
        g = graco.Graph(nodes=4, labels=several)
        self.assertEqual(g.labels.tolist(), [[1, 0, 0], [-1, -1, -1], [0, 0, 1], [1, 0, 0]])
        self.assertEqual(pickle.loads(pickle.dumps(g)).labels.tolist(), g.labels.tolist())


class Refusals(unittest.TestCase):
    def refused(self, part, *arguments, kind=ValueError, **named):
        with self.assertRaises(graco.GracoError) as caught:
            graco.Graph(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertIsInstance(caught.exception, kind)

    def test_bad_input(self):
        edges, X, y = small()
        bad = X.copy()
        bad[1, 1] = np.nan
        self.refused("is nan", edges, features=bad)
        self.refused("features for 39 nodes", edges, features=X[:39], nodes=40)
        self.refused("x has 1 dimensions", edges, features=X[0])
        self.refused("3 dimensions", edges, features=X[None])
        self.refused("expected numbers", edges, features=X.astype(complex))
        self.refused("expected numbers", edges, features=[["a"]] * 40)
        self.refused("shape (3, 4)", np.zeros((3, 4), int))
        self.refused("no pair", [(1, 2, 3)])
        self.refused("-1", np.array([[0, -1], [1, 0]]), nodes=3)
        self.refused("7", np.array([[0, 7], [1, 0]]), nodes=3)
        self.refused("0.5", np.array([[0, 0.5], [1, 0]]), nodes=3)
        self.refused("graco.load", "cora")
        self.refused("'q'", [("a", "q")], names=["a", "b"])
        self.refused("no row for node 'b'", [("a", "b")], names=["a", "b"], features={"a": [1.0]})
        self.refused("edge_weight", edges, weights=[1.0, 2.0])
        self.refused("weight", [(0, 1)], weights=[-1.0])
        self.refused("a split has the word 'tain'", nodes=2, split=["tain", "test"])
        self.refused("the part 'tain'", nodes=2, split={"tain": [0]})
        self.refused("the part 'train'", nodes=2, split={"train": [5]})
        self.refused("split", nodes=2, labels=[0, 1], split=[0, 9])
        for nodes in (-1, "a", 2.5, 2**70):
            self.refused(f"nodes is {nodes!r}: expected a whole number", edges, nodes=nodes)
        for nothing in (5, object(), {1: 2}):
            self.refused(f"edges are {type(nothing).__name__}: expected", nothing)
        self.refused("a node has no name", [("a", "b"), ("a", None)])
        self.refused("a node has no name", [("a", "b")], names=["a", float("nan")])
        for value in (0.5, np.inf):
            self.refused(f"labels hold {value}", nodes=2, labels=[1, value])
        self.refused("NUL", [(0, 1)], names=["a", "b\0"])
        self.refused("a", [(0, 1)], names=["a", "a"])
        self.refused("3 dimensions", nodes=2, labels=np.zeros((2, 2, 2)))
        self.refused("a graph of 0 nodes")

    def test_load(self):
        with self.assertRaises(OSError) as caught:
            graco.load("/nowhere/at/all")
        self.assertIn("/nowhere/at/all", str(caught.exception))

    def test_names_that_are_no_utf8(self):
        """Each stays another one, and is the same bytes again wherever it goes."""
        letters = ["\xe4", "\xf6", "\xfc", "\xdf"]
        with tempfile.TemporaryDirectory() as folder:
            at = lambda name: os.path.join(folder, name)
            for path, table in (("e.csv", ["source,target", *(f"{a},{b}" for a, b in zip(letters, letters[1:]))]),
                                ("l.csv", ["node,label", *(f"{a},{a}" for a in letters)])):
                with open(at(path), "w", encoding="latin-1") as file:
                    file.write("\n".join(table))
            g = graco.load(at("e.csv"), labels=at("l.csv"), undirected=True)
            with self.assertRaises(graco.GracoFormatError) as caught:
                g.save(at("g.npz"))  # an array of numpy has no such names
            self.assertIn("not UTF-8", str(caught.exception))
        wanted = [letter.encode("latin-1").decode("utf-8", "surrogateescape") for letter in letters]
        for graph in (g, pickle.loads(pickle.dumps(g))):
            self.assertEqual((graph.node_ids.tolist(), sorted(graph.classes)), (wanted, sorted(wanted)))
        self.assertEqual(graco.Node2Vec(epochs=1, hidden=4, threads=1).fit(g).node_ids_.tolist(), wanted)
        rows = {name: np.eye(4)[i] for i, name in reversed(list(enumerate(wanted)))}
        self.assertEqual(graco.cluster(rows, g, 4).cluster.tolist(), graco.cluster(np.eye(4), g, 4).cluster.tolist()[::-1])
        self.assertIn("4 nodes", graco.map(np.eye(4), g, epochs=5)._repr_html_())
        self.assertEqual(graco.Graph(nodes=2, name=wanted[0]).name, wanted[0])

    def test_evaluations(self):
        y = np.arange(60) % 3
        Z = np.eye(3)[y]
        for part, arguments, named in (
            ("rows", (Z[:50], y), {}), ("protocol 'p'", (Z, y, "p"), {}), ("1 dimensions", (Z[0], y), {}),
            ("no split of its own", (Z, y, "public"), {}), ("with_features", (Z, y), {"with_features": True}),
            ("seed is -1", (Z, y), {"seed": -1}), ("splits is 'a'", (Z, y), {"splits": "a"}),
            ("threads is -1", (Z, y), {"threads": -1}), ("splits", (Z, y), {"splits": 0}),
            ("device is 'x'", (Z, y), {"device": "x"}), ("expected numbers", ([["a"]] * 60, y), {}),
        ):
            with self.assertRaises(ValueError) as caught:
                graco.evaluate(*arguments, **named)
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(ArithmeticError):
            graco.evaluate(Z * np.nan, y)
        with self.assertRaises(graco.GracoArgumentError):
            graco.predict(Z, y, threads=-1)
        with self.assertRaises(ValueError):
            graco.predict(Z, np.full(60, -1))
        with self.assertRaises(ValueError):
            graco.predict(Z[:5], y)
        hidden = y.copy()
        hidden[::2] = -1
        self.assertTrue((graco.predict(Z, hidden) == y).all())
        self.assertEqual(graco.predict_proba(Z, hidden).shape, (60, 3))
        several = Z.copy()
        several[::4] = np.nan
        self.assertTrue((graco.predict(Z, several) == Z).mean() > 0.9)


class Peers(unittest.TestCase):
    def test_scipy(self):
        sparse = module("scipy.sparse")
        edges, X, _ = small()
        A = sparse.coo_matrix((np.ones(edges.shape[1]), edges), shape=(40, 40))
        wanted = graco.Graph(edges, features=X, directed=True)
        A.sum_duplicates()
        A.data[:] = 1
        for form in ("coo", "csr", "csc", "lil"):
            found = graco.Graph(A.asformat(form), directed=True)
            self.assertTrue((found.edges == wanted.edges).all(), form)
        S = sparse.random(40, 30, density=0.2, format="csr", random_state=0)
        S.indices = S.indices[::-1].copy()
        S.has_canonical_format = S.has_sorted_indices = False
        found = graco.Graph(edges, features=S).features
        self.assertTrue((found.toarray() == S.toarray().astype(np.float32)).all())
        with self.assertRaises(ValueError) as caught:
            graco.Graph(sparse.random(3, 4))
        self.assertIn("(3, 4)", str(caught.exception))

    def test_a_million_entries(self):
        sparse = module("scipy.sparse")
        rng = np.random.default_rng(0)
        ends = rng.integers(100_000, size=(2, 1_000_000), dtype=np.int32)
        A = sparse.csr_matrix((np.ones(1_000_000, np.float32), ends), shape=(100_000, 100_000))
        self.assertEqual(A.indices.dtype, np.int32)
        kept, addresses = graco._library.give_array, []

        def seen(array, keep):
            given = kept(array, keep)
            addresses.append(given.data)
            return given

        graco._library.give_array = seen
        try:
            for B, end in ((A, "csr"), (A.tocsc(), "csc")):
                addresses.clear()
                graco.Graph(B, directed=True)
                for part in (B.indices, B.indptr, B.data):  # C reads these very places: data.arrays_growth
                    self.assertIn(part.ctypes.data, addresses, end)
        finally:
            graco._library.give_array = kept
        # The least of several, in turn, against what Python needs to look at each entry on this machine.
        best = loop = float("inf")
        for _ in range(3):
            best = min(best, self.seconds(lambda: graco.Graph(A, directed=True)))
            loop = min(loop, self.seconds(lambda: [int(end) for end in A.indices]))
        print(f"a matrix of 1,000,000 entries: {best:.3f} s, a loop over them: {loop:.3f} s")
        self.assertLess(best, 5 * loop)

    @staticmethod
    def seconds(function):
        began = time.process_time()
        function()
        return time.process_time() - began

    def test_networkx(self):
        nx = module("networkx")
        G = nx.les_miserables_graph()
        g = graco.Graph(G)
        self.assertEqual((g.n_nodes, g.n_edges), (77, 2 * G.number_of_edges()))
        self.assertEqual(g.node_ids.tolist(), list(G))
        self.assertIsNotNone(g.weights)
        self.assertIsNone(graco.Graph(G, weights=False).weights)
        self.assertEqual(graco.Graph(nx.DiGraph([("a", "b")])).n_edges, 1)
        g = graco.Graph(G, features={name: [len(name), 1.0] for name in sorted(G)})
        self.assertEqual(g.features[0, 0], len(list(G)[0]))

    def test_pandas(self):
        pd = module("pandas")
        edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.0]})
        g = graco.Graph(edges)
        self.assertEqual((g.node_ids.tolist(), g.weights.tolist()), (["a", "b", "c"], [1.0, 1.0, 2.0, 2.0]))
        X = pd.DataFrame(np.eye(3), index=["c", "b", "a"])
        y = pd.Series(["one", "two", None], index=["a", "b", "c"])
        g = graco.Graph(edges, features=X, labels=y)
        self.assertEqual((g.node_ids.tolist(), g.labels.tolist()), (["c", "b", "a"], [-1, 1, 0]))
        numbers = pd.DataFrame({"from": [10, 20], "to": [20, 30]})
        g = graco.Graph(numbers, features=pd.DataFrame(np.eye(3), index=[30, 20, 10]))
        self.assertEqual(g.node_ids.tolist(), [30, 20, 10])
        self.assertEqual(g.edges.tolist(), [[1, 0, 2, 1], [0, 1, 1, 2]])
        with self.assertRaises(ValueError) as caught:
            graco.Graph(pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}))
        self.assertIn("name the two, such as Graph(..., source='a', target='b')", str(caught.exception))

    def test_torch(self):
        torch = module("torch")
        edges, X, y = small()
        wanted = graco.Graph(edges, features=X)
        tensor = torch.from_numpy(X)
        found = graco.Graph(torch.from_numpy(edges), features=tensor, labels=torch.from_numpy(y))
        self.assertTrue((found.edges == wanted.edges).all() and (found.labels == y).all())
        self.assertTrue(np.shares_memory(found.features, X))
        S = torch.sparse_coo_tensor(torch.from_numpy(edges), torch.ones(edges.shape[1]), (40, 40))
        self.assertEqual(graco.Graph(S).n_edges, wanted.n_edges)
        big = torch.rand(200, 200) @ torch.rand(200, 200)  # torch's OpenMP beside graco's library
        Z = np.eye(2)[y] + X[:, :2] * 0.01
        self.assertGreater(graco.evaluate(Z, y, splits=2).mean, 90)
        self.assertTrue(torch.isfinite(big @ big).all())

    def test_tensors(self):
        """Tensors of types and layouts that numpy has not: read as what they are, or refused in graco's words."""
        torch = module("torch")
        warnings.simplefilter("ignore")  # torch's, of sparse tensors
        edges, X, y = small()
        ends, whole = torch.from_numpy(edges), torch.from_numpy(np.round(X * 8) / 8)  # exact in bfloat16
        wanted = graco.Graph(edges, features=whole.numpy(), labels=y, weights=np.full(edges.shape[1], 2.0))
        for kind in (torch.bfloat16, torch.float16, torch.float64):
            g = graco.Graph(ends, features=whole.to(kind), labels=torch.from_numpy(y).to(kind),
                            weights=torch.full((edges.shape[1],), 2.0).to(kind))
            self.assertTrue((g.features == wanted.features).all() and (g.labels == y).all())
            self.assertTrue((g.weights == wanted.weights).all())
            self.assertTrue((graco.neighbours(whole.to(kind), k=2)[0] == graco.neighbours(whole.numpy(), k=2)[0]).all())
        rows = list(whole.bfloat16().requires_grad_())
        self.assertTrue((graco.Graph(ends, features=rows).features == wanted.features).all())
        self.assertTrue((graco.Graph(list(ends.T), labels=y).edges == wanted.edges).all())

        A = torch.sparse_coo_tensor(ends, torch.full((edges.shape[1],), 2.0), (40, 40)).coalesce()
        model = graco.GRACE(epochs=1, hidden=4, threads=1)
        Z = model.fit_transform(wanted)
        for form in (A, A.to_sparse_csr(), A.to_dense().to_sparse_csc(), A.bfloat16(), types.SimpleNamespace(edge_index=A)):
            g = graco.Graph(form, directed=False)
            self.assertTrue((g.edges == wanted.edges).all() and (g.weights == wanted.weights).all())
        for x in (whole.to_sparse(), whole.to_sparse_csr(), whole.to_sparse_csc(), whole.bfloat16().to_sparse()):
            g = graco.Graph(ends, features=x, weights=torch.full((edges.shape[1],), 2.0))
            self.assertEqual(g.n_features, 6)
            self.assertTrue(np.allclose(model.transform(g), Z, atol=1e-5))
        for words, function in ((": a sparse tensor: expected a dense one", lambda: graco.neighbours(whole.to_sparse(), k=1)),
                                ("labels: a sparse tensor", lambda: graco.Graph(ends, labels=A)),
                                ("(20, 40): expected a square", lambda: graco.Graph(A.to_dense()[:20].to_sparse())),
                                ("3 dimensions", lambda: graco.Graph(ends, features=torch.zeros(40, 2, 2).to_sparse())),
                                ("layout torch.sparse_bsr", lambda: graco.Graph(A.to_dense().to_sparse_bsr((2, 2)))),
                                ("features: a tensor of torch.float32", lambda: graco.Graph(ends, features=whole.to("meta"))),
                                ("torch.qint8", lambda: graco.Graph(ends, features=torch.quantize_per_tensor(
                                    whole, 0.1, 0, torch.qint8)))):
            with self.assertRaises(graco.GracoFormatError) as caught:
                function()
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_pyg_and_dgl(self):
        """By their attributes: neither is needed here."""
        edges, X, y = small()
        train = np.arange(40) < 10
        data = types.SimpleNamespace(edge_index=edges, x=X, y=y, num_nodes=40, train_mask=train,
                                     val_mask=~train, test_mask=None, edge_weight=None, batch=None)
        g = graco.Graph(data)
        self.assertEqual((g.n_features, g.n_classes, g.split[0], g.split[20]), (6, 2, 0, 1))
        self.assertTrue(g.directed)

        class Heterograph:
            ndata = {"feat": X, "label": y, "train_mask": train}
            edges = staticmethod(lambda: (edges[0], edges[1]))
            num_nodes = staticmethod(lambda: 40)

        Heterograph.__module__ = "dgl.heterograph"
        g2 = graco.Graph(Heterograph())
        self.assertTrue((g2.edges == g.edges).all() and g2.split[0] == 0)
        Heterograph.ntypes, Heterograph.canonical_etypes = ["user", "film"], [("user", "saw", "film")]
        with self.assertRaises(graco.GracoArgumentError) as caught:
            graco.Graph(Heterograph())
        self.assertIn("has 2 kinds of nodes and 1 of edges: expected one of each; dgl.to_homogeneous",
                      str(caught.exception))
        g3 = graco.Graph(types.SimpleNamespace(edge_index=None, x=X))
        self.assertEqual((g3.n_nodes, g3.n_edges), (40, 0))

    def test_pyg_itself(self):
        torch = module("torch")
        data = module("torch_geometric.data")
        edges, X, y = small()
        first = torch.arange(40) < 10
        d = data.Data(edge_index=torch.from_numpy(edges), x=torch.from_numpy(X), y=torch.from_numpy(y),
                      train_mask=first, test_mask=~first, edge_weight=torch.full((edges.shape[1],), 2.0))
        g = graco.Graph(d)
        self.assertTrue((g.edges == graco.Graph(edges, directed=True).edges).all() and (g.labels == y).all())
        self.assertTrue(np.shares_memory(g.features, X))
        self.assertEqual((g.split[0], g.split[39], g.weights.min()), (0, 2, 2))
        self.assertEqual(graco.Graph(data.Batch.from_data_list([d, d])).n_graphs, 2)
        self.assertEqual(graco.Graph(data.Data(x=d.x)).n_edges, 0)
        several = data.HeteroData()
        several["user"].x, several["film"].x = torch.rand(3, 2), torch.rand(2, 2)
        several["user", "saw", "film"].edge_index = torch.tensor([[0, 1], [0, 1]])
        with self.assertRaises(graco.GracoArgumentError) as caught:
            graco.Graph(several)
        self.assertIn("a PyG HeteroData has 2 kinds of nodes and 1 of edges", str(caught.exception))
        with self.assertRaises(graco.GracoArgumentError) as caught:
            graco.Graph(data.Data(x=d.x, adj_t=torch.eye(40).to_sparse()))
        self.assertIn("adj_t: expected edge_index", str(caught.exception))

    def test_dgl_itself(self):
        torch = module("torch")
        dgl = module("dgl")
        edges, X, y = small()
        d = dgl.graph((torch.from_numpy(edges[0]), torch.from_numpy(edges[1])), num_nodes=40)
        d.ndata["feat"], d.ndata["label"] = torch.from_numpy(X), torch.from_numpy(y)
        g = graco.Graph(d)
        self.assertTrue((g.edges == graco.Graph(edges, directed=True).edges).all() and (g.labels == y).all())
        self.assertEqual(graco.Graph(dgl.batch([d, d])).n_graphs, 2)
        ends = torch.tensor([0]), torch.tensor([1])
        with self.assertRaises(graco.GracoArgumentError) as caught:
            graco.Graph(dgl.heterograph({("user", "saw", "film"): ends, ("film", "of", "user"): ends}))
        self.assertIn("a DGL graph has 2 kinds of nodes and 2 of edges", str(caught.exception))


main()
