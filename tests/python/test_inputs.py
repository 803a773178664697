"""What other libraries' objects say of a graph: columns of frames, names of rows, values that are missing or wrong."""

import itertools
import os
import tempfile
import unittest

import numpy as np

import graco
from support import main, module

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
        frame = pd.DataFrame([row[:len(columns)] for row in rows], columns=columns)
        path = os.path.join(self.folder.name, "edges.csv")
        frame.to_csv(path, index=False)
        for undirected in (False, True):
            file = graco.load(path, header="yes", undirected=undirected)
            with self.subTest(columns=columns, undirected=undirected):
                found = graco.Graph(frame, directed=not undirected)
                self.assertEqual(found.n_nodes, file.n_nodes)
                self.assertEqual([str(name) for name in found.node_ids], [str(name) for name in file.node_ids])
                self.assertEqual(edges_of(found), edges_of(file))

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_columns(self):
        pairs = (*zip(SOURCES, TARGETS), ("from", "destination"), ("src", "dest"), *OTHERS)
        for i, (pair, rows) in enumerate(itertools.product(pairs, self.ROWS.values())):
            self.check(list(pair), rows)
            for third in ("year", WEIGHTS[i % len(WEIGHTS)]):
                self.check([*pair, third], rows)
        for columns in (["Source", "TARGET", "Edge_Weight"], ["SRC", "Dst", "W"], ["From", "To", "Year"]):
            self.check(columns, self.ROWS["names"])
        self.check(["from", "to"], [(7, 5_000_000), (5_000_000, 8)])  # too large to be numbers of nodes: names

    def test_order(self):
        """Names decide, not places."""
        pd = module("pandas")
        rows = self.ROWS["names"]
        for pair in zip(SOURCES, TARGETS):
            for third in (*WEIGHTS, "year"):
                frame = pd.DataFrame(rows, columns=[*pair, third])
                wanted = edges_of(graco.Graph(frame, directed=True))
                for order in itertools.permutations(frame.columns):
                    self.assertEqual(edges_of(graco.Graph(frame[list(order)], directed=True)), wanted, order)

    def test_further_columns(self):
        pd = module("pandas")
        frame = pd.DataFrame({"kind": ["p", "q"], "w": [2.0, 3.0], "to": ["b", "c"], "from": ["a", "b"]})
        self.assertEqual(edges_of(graco.Graph(frame, directed=True)), {("a", "b"): 2.0, ("b", "c"): 3.0})
        self.assertIsNone(graco.Graph(frame, weights=False).weights)
        bare = pd.DataFrame([[0, 1, 2.0], [1, 2, 3.0]])  # as a file without a header: the third is the weight
        self.assertEqual(graco.Graph(bare, directed=True).weights.tolist(), [2.0, 3.0])

    def test_two_columns_of_a_name(self):
        pd = module("pandas")
        for columns in (["source", "target", "target"], ["source", "target", "dst"], ["from", "source", "to"],
                        ["a", "b", "c", "d"], ["a"], ["source", "target", "w", "weight"], ["source", "year", "w", "x"]):
            with self.subTest(columns), self.assertRaises(graco.GracoFormatError) as caught:
                graco.Graph(pd.DataFrame([["a"] * len(columns)], columns=columns))
            self.assertIn(str(columns), str(caught.exception))
            self.assertIn("expected", str(caught.exception))


main()
