"""Frames of pandas are read as the files that they would make: columns of ends, of weights, of ids and of labels."""

import itertools
import os
import tempfile
import unittest
import warnings

import numpy as np

import graco
from support import main, module


def setUpModule():
    module("pandas")
    warnings.filterwarnings("ignore", "1 column of a frame left out", UserWarning)


SOURCES = ("source", "src", "from", "source_id", "src_id", "from_id", "sender")
TARGETS = ("target", "dst", "to", "target_id", "dst_id", "to_id", "receiver")
OTHERS = (("node1", "node2"), ("id1", "id2"), ("head", "tail"), ("x", "y"))
WEIGHTS = ("weight", "weights", "edge_weight", "w")


def edges_of(g):
    """{(source, target): weight} by names, as text: those of a file are text."""
    names = [str(name) for name in g.node_ids]
    weights = np.ones(g.n_edges) if g.weights is None else g.weights
    return {(names[a], names[b]): float(w) for (a, b), w in zip(g.edges.T, weights)}


class Frames(unittest.TestCase):
    """One rule for frames of edges and for files of them."""

    ROWS = {"names": [("a", "b", 2.0), ("b", "c", 3.5), ("a", "c", 1.0), ("c", "b", 4.0)],
            "numbers": [(0, 3, 2.0), (3, 1, 3.5), (1, 0, 2.0), (2, 4, 1.5)]}

    def check(self, columns, rows):
        """Graph(frame) is what a file of the frame gives."""
        pd = module("pandas")
        frame = pd.DataFrame([tuple(row)[:len(columns)] for row in rows], columns=columns)
        path = os.path.join(self.folder.name, "edges.csv")
        frame.to_csv(path, index=False)
        for undirected in (False, True):
            file = graco.load(path, header="yes", directed=not undirected)
            with self.subTest(columns=columns, undirected=undirected):
                found = graco.Graph(frame, directed=not undirected)
                self.assertEqual(found.n_nodes, file.n_nodes)
                self.assertEqual([str(name) for name in found.node_ids], [str(name) for name in file.node_ids])
                self.assertEqual(edges_of(found), edges_of(file))
                self.assertEqual(file.reading_.replace(f"{path}: ", "").replace("; header", ""), found.reading_)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_columns(self):
        pairs = (*zip(SOURCES, TARGETS), ("from", "destination"), ("src", "dest"), *OTHERS)
        for i, (pair, rows) in enumerate(itertools.product(pairs, self.ROWS.values())):
            self.check(list(pair), rows)
            for third in ("year",) * (pair != ("x", "y")) + (WEIGHTS[i % len(WEIGHTS)],):
                self.check([*pair, third], rows)
        for columns in (["Source", "TARGET", "Edge_Weight"], ["SRC", "Dst", "W"], ["From", "To", "Year"]):
            self.check(columns, self.ROWS["names"])
        self.check(["from", "to"], [(7, 5_000_000), (5_000_000, 8)])  # too large to be numbers of nodes: names

    def test_ids(self):
        """Ids of which some are numbers, some words; numbers that cannot be a node's: names, as in the file."""
        for rows in ([("1", "a"), ("a", "2")], [(1, "a"), ("a", 2)], [(1, "a"), (2, "1")], [("1", 2), (1, "a"), ("2", 3)],
                     [(1, "b"), ("1", "c"), (2, "b")], [(-1, 2), (2, 3)], [(5, -7), (-7, -1)], [(2**31 - 1, 0), (0, 2)],
                     [(2**40, 1), (1, 7)], [(2**64 + 1, 1), (2**64, 1)], [(-(2**70), 1), (2**64, 1)], [(0, 2**31 - 2), (1, 2)]):
            self.check(["source", "target"], rows)
        pd = module("pandas")
        for kind in ("Int64", "category", object, float, np.int16):
            frame = pd.DataFrame([(-1, 2), (2, 5)], columns=["source", "target"]).astype(kind)
            self.assertEqual(graco.Graph(frame).node_ids.tolist(), [-1, 2, 5], kind)
        with self.assertRaises(graco.GracoFormatError) as caught:  # in a list they are different things
            graco.Graph([(1, "1"), (2, "a")])
        self.assertIn("a node 1 and another one '1'", str(caught.exception))

    def test_tables_of_ids(self):
        """A number and the word that writes it are one name where tables are joined."""
        pd = module("pandas")
        mixed = pd.DataFrame({"source": [1, 2, 7], "target": ["a", "1", "2"]})
        for index in (["1", "a", "2", "7"], [1, "a", 2, 7], [1, "a", "2", 7.0]):
            x, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}, index=index), pd.Series([0, 1, 0, 1], index=index)
            g = graco.Graph(mixed, features=x, labels=y.iloc[::-1], split={"train": ["7"], "test": [1]})
            self.assertEqual([str(name) for name in g.node_ids], [str(name) for name in index])
            self.assertEqual((g.features[:, 0].tolist(), g.labels.tolist(), g.split.tolist()),
                             ([1, 2, 3, 4], [0, 1, 0, 1], [2, 3, 3, 0]))
            Z = pd.DataFrame(np.eye(4), index=index)
            self.assertEqual(graco.cluster(Z.iloc[::-1], g, 2).cluster.tolist(),
                             graco.cluster(np.eye(4), g, 2).cluster.tolist()[::-1])
        self.assertEqual(edges_of(graco.Graph(mixed, directed=True)), {("1", "a"): 1, ("2", "1"): 1, ("7", "2"): 1})
        path = os.path.join(self.folder.name, "large.csv")
        pd.DataFrame({"source": [-3, 5_000_000], "target": [5_000_000, 8]}).to_csv(path, index=False)
        file = graco.load(path, undirected=True)
        self.assertEqual(graco.cluster(pd.DataFrame(np.eye(3), index=[8, 5_000_000, -3]), file, 3).clusters, 3)
        with self.assertRaises(graco.GracoFormatError) as caught:
            graco.Graph(mixed, labels=pd.Series([0, 1, 0, 1, 1], index=[1, "a", 2, 7, "1"]))
        self.assertIn("a node 1 and another one '1'", str(caught.exception))

    def test_many_objects(self):
        """Objects that return are compared by their place in memory first, with the same result."""
        pd, rng = module("pandas"), np.random.default_rng(0)
        names = np.array([f"n{i}" for i in range(3000)] + [7, "7", ("a", 1), 2.5], dtype=object)
        for some in (names[:3000], names, [str(name) for name in rng.integers(3000, size=200_000)]):
            ends = rng.integers(len(some), size=(100_000, 2))
            ends = np.array(some, dtype=object)[ends] if len(some) < 5000 else np.array(some, dtype=object).reshape(-1, 2)
            g = graco.Graph(pd.DataFrame(ends, columns=["a", "b"]), directed=True)
            order = list(dict.fromkeys(str(end) if isinstance(end, int) else end for end in ends.ravel().tolist()))
            self.assertEqual(g.node_ids.tolist(), order)
            place = {name: i for i, name in enumerate(order)}
            wanted = {(place[str(a) if a == 7 else a], place[str(b) if b == 7 else b]) for a, b in ends.tolist()}
            self.assertEqual(set(map(tuple, g.edges.T.tolist())), {(a, b) for a, b in wanted if a != b})
        ends[77_777, 1] = None
        with self.assertRaises(graco.GracoFormatError) as caught:
            graco.Graph(pd.DataFrame(ends, columns=["a", "b"]))
        self.assertIn("row 77777 of the column 'b'", str(caught.exception))

    def test_order(self):
        """Names decide, not places, in a frame and in a file."""
        pd = module("pandas")
        rows = self.ROWS["names"]
        for i, pair in enumerate(zip(SOURCES, TARGETS)):
            for third in (WEIGHTS[i % len(WEIGHTS)], "year"):
                frame = pd.DataFrame(rows, columns=[*pair, third])
                wanted = edges_of(graco.Graph(frame, directed=True))
                for order in itertools.permutations(frame.columns):
                    self.assertEqual(edges_of(graco.Graph(frame[list(order)], directed=True)), wanted, order)
                    self.check(list(order), frame[list(order)].itertuples(index=False))
            self.check([pair[1], pair[0]], rows)
        for columns in (["target", "x"], ["x", "source"], ["weight", "a", "b"], ["a", "weight", "b"], ["tail", "head"],
                        ["x", "to", "w"], ["y", "weights", "from"], ["w", "x"]):
            self.check(columns, [tuple(1 + (i + j) % 3 for j in range(3)) for i in range(3)])  # names leave an end open

    def test_further_columns(self):
        pd = module("pandas")
        frame = pd.DataFrame({"kind": ["p", "q"], "w": [2.0, 3.0], "to": ["b", "c"], "from": ["a", "b"]})
        self.assertEqual(edges_of(graco.Graph(frame, directed=True)), {("a", "b"): 2.0, ("b", "c"): 3.0})
        self.assertIsNone(graco.Graph(frame, weights=False).weights)
        bare = pd.DataFrame([[0, 1, 2.0], [1, 2, 3.0]])  # as a file without a header: the third is the weight
        self.assertEqual(graco.Graph(bare, directed=True).weights.tolist(), [2.0, 3.0])

    def test_adjacency(self):
        """A frame whose rows and columns have the same names is a matrix, of whatever size, but where names count up to 3."""
        nx, pd = module("networkx"), module("pandas")
        for nodes in (2, 3, 6):
            names = list("fbdeac")[:nodes]
            G = nx.DiGraph([(a, b, {"weight": 2.0 + i}) for i, (a, b) in enumerate(zip(names, names[1:]))])
            matrix = nx.to_pandas_adjacency(G)
            found, wanted = graco.Graph(matrix, directed=True), graco.Graph(G)
            self.assertEqual((edges_of(found), found.node_ids.tolist()), (edges_of(wanted), names))
            shuffled = graco.Graph(matrix, directed=True, names=names[::-1], labels=dict(zip(names, range(nodes))))
            self.assertEqual((edges_of(shuffled), shuffled.labels.tolist()), (edges_of(wanted), list(range(nodes))[::-1]))
        for nodes in (4, 34):  # names that count
            G = nx.karate_club_graph().subgraph(range(nodes))
            found, wanted = graco.Graph(nx.to_pandas_adjacency(G)), graco.Graph(G)
            self.assertEqual((edges_of(found), found.node_ids.tolist()), (edges_of(wanted), list(range(nodes))))
            plain = pd.DataFrame(nx.to_numpy_array(G))
            self.assertEqual(edges_of(graco.Graph(plain)), edges_of(wanted))
            self.assertEqual(graco.Graph(plain, features=np.eye(nodes), labels={3: 1}).labels.tolist()[:5].index(1), 3)
        three = pd.DataFrame([[0, 1, 2.0], [1, 2, 3.0], [2, 0, 4.0]])  # of counting names: edges with weights
        self.assertEqual(graco.Graph(three, directed=True).weights.tolist(), [4.0, 2.0, 3.0])
        bare = pd.DataFrame([[0, 1], [1, 2]])  # without names: edges, as an array
        self.assertEqual(graco.Graph(bare, directed=True).edges.tolist(), [[0, 1], [1, 2]])

    def test_adjacency_in_any_order(self):
        """Rows and columns are joined by their names; names that only some rows have are refused."""
        pd = module("pandas")
        matrix = np.array([[0, 2, 0, 0], [0, 0, 3, 0], [1, 0, 0, 5], [0, 0, 0, 0]])
        for names in (list("abcd"), [4, 7, 9, 2], [0, 1, 2, 3], ["1", 2, "x", "y"]):
            frame = pd.DataFrame(matrix, index=names, columns=names)
            wanted = edges_of(graco.Graph(frame, directed=True))
            self.assertEqual(len(wanted), 4)
            for order in itertools.permutations(names):
                found = graco.Graph(frame[list(order)], directed=True)
                self.assertEqual((edges_of(found), found.node_ids.tolist()), (wanted, names), order)
        small = pd.DataFrame(matrix[:3, :3], index=list("abc"), columns=list("abc"))
        self.assertEqual(edges_of(graco.Graph(small[list("bca")], directed=True)), {("a", "b"): 2, ("b", "c"): 3, ("c", "a"): 1})
        counting = pd.DataFrame(matrix[:3, :3])
        for frame in (small[["a", "b"]], small[["b", "a"]], small[["c"]], counting[[2, 0, 1]], frame[["x", "y", 2]]):
            with self.assertRaises(graco.GracoFormatError) as caught:
                graco.Graph(frame)
            self.assertIn("which name rows too", str(caught.exception))
        twice = small.set_axis(["a", "b", "b"], axis=1)
        with self.assertRaises(graco.GracoFormatError) as caught:
            graco.Graph(twice)
        self.assertIn("two rows for the node 'b'", str(caught.exception))

    def test_weights_beside(self):
        """Weights that have an index go to the edges of that index."""
        pd = module("pandas")
        frame = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"]}, index=[7, 8, 9])
        wanted = {("a", "b"): 1.0, ("b", "c"): 2.0, ("c", "d"): 3.0}
        for weights in (pd.Series([1.0, 2, 3], index=[7, 8, 9]), pd.Series([3.0, 1, 2], index=[9, 7, 8]), [1.0, 2, 3],
                        pd.Series([1.0, 2, 3])):
            self.assertEqual(edges_of(graco.Graph(frame, weights=weights, directed=True)), wanted)
        with self.assertRaises(graco.GracoFormatError) as caught:
            graco.Graph(frame, weights=pd.Series([1.0, 2, 3], index=[7, 8, 1]))
        self.assertIn("weights have no row for edge 9", str(caught.exception))

    def test_two_columns_of_a_name(self):
        pd = module("pandas")
        for columns in (["source", "target", "target"], ["source", "target", "dst"], ["from", "source", "to"],
                        ["a", "b", "c", "d"], ["a", "b", "year"], ["source", "target", "w", "weight"],
                        ["source", "year", "w", "x"]):
            with self.subTest(columns), self.assertRaises(graco.GracoFormatError) as caught:
                graco.Graph(pd.DataFrame([["a"] * len(columns)], columns=columns))
            self.assertTrue(all(f"`{name}`" in str(caught.exception) for name in columns) or
                            "columns 3 and 4 are both called as weights are: weight= says" in str(caught.exception))
            self.assertTrue("name the two" in str(caught.exception) or "weight=" in str(caught.exception))


class Ends(unittest.TestCase):
    """Columns that the caller names, and those that their names tell."""

    def frame(self, **more):
        return module("pandas").DataFrame({"day": ["m", "t", "w"], "customer": ["ann", "bob", "ann"],
                                           "product": ["tea", "milk", "tea"], "amount": [1.5, 2, 3], **more})

    def test_by_name(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            g = graco.Graph(self.frame(), source="customer", target="product", weight="amount", directed=True)
        self.assertEqual(edges_of(g), {("ann", "tea"): 4.5, ("bob", "milk"): 2})
        self.assertEqual(g.reading_, "3 edges; nodes have names; edges from `customer` to `product`; weights `amount`; left out: "
                         "`day`; directed; 1 row repeats an edge and is merged, weights added")
        self.assertEqual(len(caught), 1)
        self.assertIn("1 column of a frame left out: edges from `customer` to `product`", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)
        turned = graco.Graph(self.frame()[["customer", "product"]], source="product", directed=True)
        self.assertEqual(edges_of(turned), {("tea", "ann"): 1, ("milk", "bob"): 1})
        pd = module("pandas")
        numbers = pd.DataFrame([[0, 1, 7, 2], [1, 2, 8, 2]])
        found = graco.Graph(numbers, source=0, target=1, weight=2, directed=True)
        self.assertEqual((found.edges.tolist(), found.weights.tolist()), ([[0, 1], [1, 2]], [7, 8]))

    def test_known(self):
        pd = module("pandas")
        kg = pd.DataFrame({"head": ["a", "b", "c"], "relation": ["likes", "likes", "owns"], "tail": ["b", "c", "a"]})
        with self.assertWarnsRegex(UserWarning, "edges from `head` to `tail`; left out: `relation`"):
            g = graco.Graph(kg, directed=True)
        self.assertEqual(edges_of(g), {("a", "b"): 1, ("b", "c"): 1, ("c", "a"): 1})
        with self.assertWarns(UserWarning):
            ids = graco.Graph(self.frame().rename(columns={"customer": "customer_id", "product": "product_id"}))
        self.assertEqual(sorted(ids.node_ids), ["ann", "bob", "milk", "tea"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graco.Graph(kg[["head", "tail"]])

    def test_refused(self):
        def refused(words, *arguments, **named):
            with self.assertRaises(graco.GracoError) as caught:
                graco.Graph(*arguments, **named)
            self.assertIn(words, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

        frame = self.frame()
        refused("name the two, such as Graph(..., source='customer', target='product')", frame)
        refused("name the two, such as Graph(..., source='customer', target='product')", frame[["day", "customer", "product"]])
        refused("no column is called 'buyer'", frame, source="buyer", target="product")
        refused("source is 7: expected the name of a column", frame, source=7, target="product")
        refused("source is ['customer']: expected", frame, source=["customer"], target="product")
        refused("`customer` is both source and target", frame, source="customer", target="customer")
        refused("is for the argument weight", frame, source="customer", target="product", weights="amount")
        refused("expected one of them", frame, source="customer", target="product", weight="amount", weights=[1, 2, 3])
        refused("a node has no name: row 1 of the column 'product'", frame.assign(product=["x", None, "y"]), source="customer",
                target="product")
        refused("source and target name columns of a frame, and edges are list", [(0, 1)], source="a", target="b")
        refused("item 1 of a list: expected pairs", [("a", "b"), ("a", "likes", "b")])
        refused("count_repeats, of edges that have weights", frame, source="customer", target="product", weight="amount",
                count_repeats=True)

    def test_repeats(self):
        """Rows that repeat an edge are counted and said."""
        rows = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "c"), ("a", "b")]
        for edges in (rows, module("pandas").DataFrame(rows, columns=["from", "to"]), np.array(rows)):
            plain, counted = graco.Graph(edges), graco.Graph(edges, count_repeats=True)
            self.assertTrue(plain.reading_.startswith("6 edges; nodes have names; "))
            self.assertTrue(plain.reading_.endswith("undirected; 2 rows repeat an edge and are merged; 1 from a node to itself, "
                                                    "left out"), plain.reading_)
            self.assertIn("2 rows repeat an edge and are merged, counted as weights", counted.reading_)
            self.assertIsNone(plain.weights)
            self.assertEqual(edges_of(counted), {("a", "b"): 3, ("b", "a"): 1, ("b", "c"): 1, ("c", "b"): 1})
            weighted = graco.Graph(edges, weights=[1, 2, 3, 4, 5, 6.5], directed=True)
            self.assertEqual(edges_of(weighted), {("a", "b"): 10.5, ("b", "a"): 2, ("b", "c"): 4})
            self.assertIn("are merged, weights added", weighted.reading_)
        self.assertEqual(graco.Graph([(0, 1)]).reading_, "1 edge; nodes have numbers; undirected")
        self.assertEqual(graco.Graph([(0, 1)])[[0]].reading_, "1 edge; nodes have numbers; undirected")

    def test_direction(self):
        """Lists, arrays and tables have none; what says its direction is obeyed."""
        nx, sparse = module("networkx"), module("scipy.sparse")
        pairs = [(0, 1), (1, 2)]
        matrix = sparse.coo_matrix((np.ones(2), np.array(pairs).T), shape=(3, 3))
        for edges in (pairs, np.array(pairs), module("pandas").DataFrame(pairs, columns=["a", "b"]), nx.Graph(pairs), matrix):
            self.assertEqual(graco.Graph(edges).n_edges, 4)
            self.assertEqual(graco.Graph(edges, directed=True).n_edges, 2)
        self.assertEqual(graco.Graph(nx.DiGraph(pairs)).n_edges, 2)
        self.assertEqual(graco.Graph(nx.DiGraph(pairs), directed=False).n_edges, 4)


class Ids(unittest.TestCase):
    """A column of ids names the rows of a frame, as it does in a file; it is never a feature or a label."""

    X = np.array([[1.5, 5], [2, 6], [3, 7], [4, 8], [5, 9.5]])
    Y = np.array([0, 1, 0, 1, 0])

    def tables(self, ids, name):
        """(features, labels) with the ids in the first column, the rows in another order."""
        pd = module("pandas")
        x, y = pd.DataFrame(self.X, columns=["f1", "f2"]), pd.DataFrame({"label": self.Y})
        for table in (x, y):
            table.insert(0, name, ids)
        order = [3, 0, 4, 1, 2]
        return x.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)

    def test_columns(self):
        for name in ("id", "node", "NodeId", "node_id", "Node ID", "name", "Unnamed: 0", "", "index"):
            for ids in (list("edcba"), [0, 1, 2, 3, 4], [14, 12, 13, 11, 10], ["1", "x", "2", "y", "3"]):
                x, y = self.tables(ids, name)
                with self.subTest(name=name, ids=ids):
                    g = graco.Graph([(ids[i], ids[i + 1]) for i in range(4)], features=x, labels=y)
                    place = [ids.index(node) for node in g.node_ids.tolist()]
                    self.assertEqual(g.features.tolist(), self.X[place].tolist())
                    self.assertEqual(g.labels.tolist(), self.Y[place].tolist())
                    joined = {tuple(sorted((place[a], place[b]))) for a, b in g.edges.T}
                    self.assertEqual(joined, {(0, 1), (1, 2), (2, 3), (3, 4)})

    def test_files(self):
        """What pandas reads from a file that it wrote itself, or graco, is what it was."""
        pd = module("pandas")
        with tempfile.TemporaryDirectory() as folder:
            def again(table):
                table.to_csv(os.path.join(folder, "t.csv"))
                return pd.read_csv(os.path.join(folder, "t.csv"))

            names = list("edcba")
            x, y = pd.DataFrame(self.X, index=names), pd.Series(self.Y, index=names, name="label")
            edges = pd.DataFrame({"a": names[:-1], "b": names[1:]})
            g = graco.Graph(again(edges), features=again(x), labels=again(y), split=again(y.rename("part")))
            self.assertEqual((g.n_nodes, g.n_edges, g.n_features, g.labels.tolist()), (5, 8, 2, self.Y.tolist()))
            self.assertEqual(g.split.tolist(), self.Y.tolist())
            for name, table in (("e", edges), ("x", x), ("y", y)):  # the file itself
                table.to_csv(os.path.join(folder, f"{name}.csv"), index=name != "e")
            file = graco.load(os.path.join(folder, "e.csv"), header="yes", features=os.path.join(folder, "x.csv"),
                              labels=os.path.join(folder, "y.csv"), undirected=True)
            self.assertEqual((edges_of(file), file.labels.tolist()), (edges_of(g), g.labels.tolist()))
            self.assertTrue((file.features == g.features).all())
            twice = again(x.reset_index(names="id"))  # an index that says nothing, and ids
            self.assertEqual(graco.Graph(edges, features=twice).features.tolist(), self.X.tolist())
            model = graco.GRACE(epochs=1, hidden=4, threads=1).fit(g)
            Z = pd.DataFrame(model.embedding_, index=pd.Index(model.node_ids_, name="node"))
            for form in (again(Z), again(Z).iloc[::-1].reset_index(drop=True)):
                bare = form.to_numpy()[:, 1:].astype(float)
                self.assertEqual(graco.neighbours(form, k=1)[1].tolist(), graco.neighbours(bare, k=1)[1].tolist())
                for ours, theirs in ((graco.cluster(form, g, 2), graco.cluster(Z, g, 2)),
                                     (graco.cluster(form, again(y), 2), graco.cluster(Z, y, 2))):
                    self.assertEqual((ours.nmi, ours.clusters), (theirs.nmi, theirs.clusters))
            values = again(pd.DataFrame({"v": range(5)}, index=names))
            self.assertEqual(graco.map(again(Z), g, values=values, epochs=2).nodes, 5)
            predicted = pd.DataFrame({"node": names, "class": list("pqpqp"), "probability": np.ones(5)})
            self.assertEqual(graco.Graph(edges, labels=predicted).classes.tolist(), ["p", "q"])

    def test_two_readings(self):
        pd = module("pandas")
        x = pd.DataFrame({"id": [3, 4, 5], "f": [1.0, 2, 3]}, index=[7, 8, 9])
        edges = [(0, 1), (1, 2)]
        for table, words in ((x, "by the column 'id' and by the index"), (x.assign(name=[1, 2, 3]), "the column 'name'"),
                             (x.reset_index(), "by the column 'index' and by the column 'id'")):
            for key in ("features", "labels", "split", "graph_ids"):
                with self.assertRaises(graco.GracoFormatError) as caught:
                    graco.Graph(edges, **{key: table})
                self.assertIn(words, str(caught.exception))
            with self.assertRaises(graco.GracoFormatError):
                graco.neighbours(table, k=1)
        same = x.set_axis([3, 4, 5])
        self.assertEqual(graco.Graph([(3, 4), (4, 5)], features=same).features.tolist(), [[1], [2], [3]])
        alone = pd.DataFrame({"name": ["p", "q", "p"]})  # nothing would be left
        self.assertEqual(graco.Graph(edges, labels=alone).labels.tolist(), [0, 1, 0])


main()
