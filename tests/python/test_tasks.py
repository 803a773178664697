"""Links, clusters and maps: NumPy in and out, with the command's own bytes and numbers."""

import base64
import html
import json
import os
import re
import subprocess
import tempfile
import types
import unittest

import numpy as np

import graco
from support import main, module, quick, small

COMMAND = os.environ["GRACO_COMMAND"]


def graph(nodes=120, **more):
    edges, X, y = small(nodes)
    return graco.Graph(edges, features=X, labels=np.array(["even", "odd"])[y], **more)


def printed(number):
    """A number with the 12 digits that the command prints."""
    return float(f"{number:.12g}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Tasks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = lambda name: os.path.join(folder.name, name)

    def command(self, *arguments):
        return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout

    def refused(self, part, function, *arguments, **named):
        with self.assertRaises(graco.GracoError, msg=(arguments, named)) as caught:
            function(*arguments, **named)
        self.assertIn(part, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_links(self):
        names = [f"n{i}" for i in range(120)]
        g = graph(names=names)
        g.save(self.at("g.npz"))
        self.command("split-links", self.at("g.npz"), "-o", self.at("theirs.npz"), "--seed", "3", "--test", "0.2")
        left, links = graco.split_links(g, test=0.2, seed=3, path=self.at("ours.npz"))
        self.assertEqual(read(self.at("ours.npz")), read(self.at("theirs.npz")))
        with np.load(self.at("theirs.npz")) as file:
            self.assertEqual((links.tolist(), links.dtype), (file["links"].tolist(), np.int32))
        self.assertEqual((left.node_ids.tolist(), left.classes.tolist()), (names, ["even", "odd"]))
        self.assertTrue((left.features == g.features).all())
        self.assertLess(left.n_edges, g.n_edges)
        again, same = graco.split_links(g, test=0.2, seed=3)  # without a file
        self.assertTrue((again.edges == left.edges).all() and (same == links).all())
        held = {(a, b) for a, b, part, linked in links.tolist() if linked and part}
        self.assertFalse(held & set(map(tuple, left.edges.T.tolist())))
        self.assertTrue(held <= set(map(tuple, g.edges.T.tolist())))

        Z = quick(graco.GRACE).fit_transform(left)
        np.save(self.at("Z.npy"), Z)
        found = graco.link_scores(Z, left, links, threads=1)
        theirs = json.loads(self.command("eval", self.at("Z.npy"), self.at("theirs.npz"), "--task", "link", "--json"))
        theirs = theirs["embeddings"][0]
        self.assertEqual((found.links, found.others, found.C, found.converged),
                         tuple(theirs[key] for key in ("links", "others", "C", "converged")))
        self.assertEqual(list(found.auc), ["dot", "cosine", "hadamard"])
        for name in found.auc:
            self.assertEqual({"auc": printed(found.auc[name]),
                              "average_precision": printed(found.average_precision[name])}, theirs[name])
        self.assertIn("AUC", str(found))

    def test_wrong_links(self):
        g = graph()
        left, links = graco.split_links(g)
        Z = np.random.default_rng(0).normal(size=(120, 4))
        self.refused("still has the link", graco.link_scores, Z, g, links)  # trained on what is tested
        for wrong, part in ((links[:, :3], "(node, node, part, link)"), (links.astype(float) + 0.5, "whole numbers"),
                            (np.where(links == links.max(), -1, links), "-1"), (links + [0, 0, 9, 0], "part"),
                            (links + [0, 0, 0, 5], "0 or 1"), (links + [120, 0, 0, 0], "nodes"), ([], "shape"),
                            (links[links[:, 2] == 0], "part 2")):
            self.refused(part, graco.link_scores, Z, left, wrong)
        self.refused("embeddings", graco.link_scores, Z[1:], left, links)
        self.refused("threads is 1.5", graco.link_scores, Z, left, links, threads=1.5)
        for named, part in (({"test": 2}, "together"), ({"test": -1}, "together"), ({"test": "a"}, "test is 'a'"),
                            ({"seed": -1}, "seed"), ({"validation": float("nan")}, "validation is nan")):
            self.refused(part, graco.split_links, g, **named)

    def test_parts_refused(self):
        """What is of the whole graph has no meaning for a part, whose other nodes would be taken too."""
        edges, X, y = small()
        g = graco.Graph(edges, features=X, labels=y)
        left, links = graco.split_links(g, seed=1)
        for function in (lambda part: graco.map(X, part, epochs=2), graco.split_links,
                         lambda part: graco.link_scores(X, left[part.rows], links)):
            with self.assertRaises(graco.GracoArgumentError) as caught:
                function(g[:20])
            self.assertIn("20 of 40 nodes: expected a whole graph", str(caught.exception))
            function(g[:])
        with self.assertRaises(IndexError):
            g[np.array([[1, 2], [3, 4]])]

    def test_clusters(self):
        g = graph()
        Z = np.eye(2)[np.arange(120) % 2] + np.random.default_rng(0).normal(size=(120, 2)) * 0.3
        Z = Z.astype(np.float32)
        g.save(self.at("g.npz"))
        np.save(self.at("Z.npy"), Z)
        for more, named in (((), {}), (("--clusters", "5", "--seed", "7"), {"clusters": 5, "seed": 7})):
            theirs = json.loads(self.command("eval", self.at("Z.npy"), self.at("g.npz"), "--task", "cluster", "--json",
                                             *more))["embeddings"][0]
            found = graco.cluster(Z, g, threads=1, **named)
            for key in ("clusters", "labelled", "nmi", "ari", "accuracy", "modularity", "silhouette"):
                self.assertEqual(printed(getattr(found, key)), theirs[key], key)
            self.assertEqual((found.cluster.shape, found.cluster.dtype), ((120,), np.int32))
        self.assertGreater(graco.cluster(Z, g).accuracy, 0.8)
        y = np.arange(120) % 2
        self.assertEqual(graco.cluster(Z, y).nmi, graco.cluster(Z, g).nmi)  # labels without a graph
        self.assertTrue(np.isnan(graco.cluster(Z, clusters=3).nmi))
        self.refused("number of clusters", graco.cluster, Z)
        self.refused("clusters is -1", graco.cluster, Z, clusters=-1)
        self.refused("rows", graco.cluster, Z[1:], g)
        named = graph(names=[f"n{i}" for i in range(120)])
        wanted = graco.cluster(Z, named)
        order = np.random.default_rng(1).permutation(120)
        rows = {f"n{i}": Z[i].tolist() for i in order}
        found = graco.cluster(rows, named)
        self.assertEqual((found.nmi, found.cluster.tolist()), (wanted.nmi, wanted.cluster[order].tolist()))
        more = {"m": [0.0, 1.0], **rows, "o": [1.0, 0.0]}  # whom the graph does not know
        found = graco.cluster(more, named)
        self.assertEqual((found.nmi, found.cluster.tolist()), (wanted.nmi, [-1, *wanted.cluster[order].tolist(), -1]))
        self.refused("'n0'", graco.cluster, {name: row for name, row in rows.items() if name != "n0"}, named)
        self.refused("dimensions", graco.cluster, dict.fromkeys(rows, 1.0), named)
        self.refused("lengths", graco.cluster, {**rows, "n0": [1.0]}, named)
        self.assertEqual(graco.cluster(dict(enumerate(Z)), clusters=2).cluster.tolist(),
                         graco.cluster(Z, clusters=2).cluster.tolist())
        labels = {f"n{i}": i % 2 for i in range(120)}
        self.assertEqual(graco.evaluate(rows, labels, splits=2).mean, graco.evaluate(Z[order], order % 2, splits=2).mean)
        for y in (labels, dict(enumerate(labels.values()))):
            self.assertEqual(graco.evaluate(Z, y, splits=2).mean, graco.evaluate(Z, np.arange(120) % 2, splits=2).mean)
        self.assertEqual(graco.neighbours(rows, k=2)[0].tolist(), graco.neighbours(Z[order], k=2)[0].tolist())
        pd = module("pandas")
        names = [f"n{i}" for i in range(120)]
        order = np.random.default_rng(1).permutation(120)
        frame = pd.DataFrame(Z, index=names).iloc[order]
        shuffled = graco.cluster(frame, graph(names=names))
        self.assertEqual(shuffled.cluster.tolist(), graco.cluster(Z, g).cluster[order].tolist())  # rows of the frame
        self.assertEqual(graco.cluster(pd.DataFrame(more).T, named).cluster.tolist(), found.cluster.tolist())

    def test_graphs_of_others(self):
        """A graph of another library is a graph, not a list of labels."""
        g = graph(60)
        Z = np.random.default_rng(0).normal(size=(60, 4))
        pyg = types.SimpleNamespace(edge_index=g.edges, y=np.arange(60) % 2)
        self.assertEqual(graco.evaluate(Z, pyg, splits=2).mean, graco.evaluate(Z, np.arange(60) % 2, splits=2).mean)
        half = types.SimpleNamespace(edge_index=g.edges, y=np.where(np.arange(60) % 3, np.arange(60) % 2, -1))
        self.assertEqual(graco.predict(Z, half).tolist(), graco.predict(Z, half.y).tolist())
        nx = module("networkx")
        K = nx.Graph()
        K.add_nodes_from(range(60))
        K.add_edges_from(g.edges.T.tolist())
        bare = graco.Graph(K)
        self.assertEqual(graco.cluster(Z, K, 3).modularity, graco.cluster(Z, bare, 3).modularity)
        self.assertTrue(np.isnan(graco.cluster(Z, K, 3).nmi))
        self.refused("labels", graco.evaluate, Z, K)
        self.refused("no labels", graco.predict, Z, K)
        ours, theirs = (graco.map(Z, data, epochs=5)._repr_html_() for data in (bare, K))
        self.assertEqual(ours, theirs)

    def test_neighbours_by_name(self):
        """Words are names of rows, numbers are rows."""
        Z, names = np.eye(3)[[0, 1, 2, 0, 1, 2]] + 0.1 * np.eye(6, 3), list("abcdef")
        pd = module("pandas")
        for table in (dict(zip(names, Z)), pd.DataFrame(Z, index=names), pd.DataFrame(Z).assign(name=names)):
            wanted = graco.neighbours(Z, k=1, nodes=[4, 0])[0].tolist()
            for nodes in (["e", "a"], np.array(["e", "a"]), [4, 0]):
                self.assertEqual(graco.neighbours(table, k=1, nodes=nodes)[0].tolist(), wanted)
            self.assertEqual(graco.neighbours(table, k=1, nodes="e")[0].tolist(), wanted[:1])
            with self.assertRaises(graco.GracoError) as caught:
                graco.neighbours(table, k=1, nodes=["x"])
            self.assertIn("nodes name the node 'x', which is not among the names", str(caught.exception))
        with self.assertRaises(graco.GracoError):
            graco.neighbours(Z, k=1, nodes=["e"])

    def test_numbers_in_another_order(self):
        """Nodes that are the numbers 0, 1, 2, ... in another order: what is sorted by them is joined by them."""
        order = np.random.default_rng(3).permutation(60)
        y = np.arange(60) % 3
        Z = np.eye(3)[y] + 0.01 * np.random.default_rng(0).normal(size=(60, 3))
        half = np.where(np.arange(60) % 2, y, -1)
        edges = np.stack([np.arange(60), (np.arange(60) + 3) % 60])
        g, known = (graco.Graph(edges.astype(str), names=order.tolist(), labels=labels[order]) for labels in (y, half))
        rows = {i: Z[i] for i in range(60)}
        wanted = graco.evaluate(Z[order], g, splits=2).mean
        self.assertEqual(wanted, 100)
        left, links = graco.split_links(g)
        tables = [rows]
        pd = module("pandas")
        tables.append(pd.DataFrame(Z[order], index=order).sort_index())
        tables.append(pd.DataFrame({"id": range(60), "a": Z[:, 0], "b": Z[:, 1], "c": Z[:, 2]}))
        for table in tables:
            self.assertEqual(graco.evaluate(table, g, splits=2).mean, wanted)
            self.assertEqual(graco.predict(table, known).tolist(), y.tolist())
            found = graco.cluster(table, g)
            self.assertEqual((found.nmi, len(set(zip(found.cluster.tolist(), y.tolist())))), (1, 3))
            self.assertEqual(graco.link_scores(table, left, links).auc, graco.link_scores(Z[order], left, links).auc)
            self.assertEqual(graco.map(table, g, epochs=5).places[order].tolist(),
                             graco.map(Z[order], g, epochs=5).places.tolist())
        plain = pd.DataFrame(Z[order])  # nobody named its rows
        self.assertEqual(graco.evaluate(plain, g, splits=2).mean, wanted)

    def test_parts(self):
        """Labels of nodes that a part does not ask about are not known to anybody."""
        y = np.arange(120) % 2
        Z = np.random.default_rng(0).normal(size=(120, 4))
        g = graph()
        part = np.arange(80)
        half = np.where(np.arange(120) < 80, y, -1)
        words = np.array(["even", "odd"], dtype=object)
        self.assertEqual(graco.predict(Z, g[part]).tolist(), words[graco.predict(Z, half)].tolist())
        self.assertEqual(graco.predict_proba(Z, g[part]).tolist(), graco.predict_proba(Z, half).tolist())
        self.assertEqual(graco.evaluate(Z, g[part], splits=2).mean, graco.evaluate(Z, half, splits=2).mean)
        self.assertEqual(graco.cluster(Z, g[part]).labelled, 80)
        several = np.stack([y, 1 - y, y], axis=1)
        g = graco.Graph(g.edges, labels=several)
        self.assertEqual(graco.predict(Z, g[part]).tolist(),
                         graco.predict(Z, np.where(np.arange(120)[:, None] < 80, several, -1)).tolist())

    def test_words_of_a_graph(self):
        """Labels that were words are words in what is predicted, whoever brings them."""
        y = np.array(["b", "a", None] * 20, dtype=object)
        Z = np.eye(3)[np.arange(60) % 3] + [0.5, 0, 0]
        self.assertEqual(graco.predict(Z, graco.Graph(nodes=60, labels=y)).tolist(), graco.predict(Z, y).tolist())

    def test_split_beside_random_ones(self):
        Z, y, split = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2, np.arange(60) % 3
        graco.evaluate(Z, y, "public", split=split)
        for protocol in ("paper", "authors"):
            self.refused("which draws its own", graco.evaluate, Z, y, protocol, split=split)

    def test_map(self):
        names = [f"n{i}" for i in range(120)]
        g = graph(names=names)
        Z = quick(graco.GRACE).fit_transform(g)
        g.save(self.at("g.npz"))
        np.save(self.at("Z.npy"), Z)
        depth = np.arange(120, dtype=np.float32)
        np.save(self.at("depth.npy"), depth[:, None])
        self.command("map", self.at("Z.npy"), self.at("g.npz"), "-o", self.at("theirs.html"), "--npy",
                     self.at("theirs.npy"), "--svg", self.at("theirs.svg"), "--png", self.at("theirs.png"), "--title",
                     "Two <classes>", "--epochs", "20", "--seed", "5", "--values", self.at("depth.npy"))
        found = graco.map(Z, g, values={"depth": depth}, title="Two <classes>", epochs=20, seed=5, threads=1)
        for ending in ("html", "svg", "png", "npy"):
            found.save(self.at(f"ours.{ending}"))
            theirs = re.sub(rb'<p id="scores">.*?</p>\n', b"", read(self.at(f"theirs.{ending}")))  # which the command asks for
            self.assertEqual(read(self.at(f"ours.{ending}")), theirs, ending)
        self.assertEqual(found.places.tolist(), np.load(self.at("theirs.npy")).tolist())
        self.assertEqual((found.places.shape, found.nodes, found.clusters), ((120, 2), 120, 2))
        self.assertTrue(0 < found.trustworthiness <= 1 and 0 < found.continuity <= 1)
        self.assertIn("120 nodes", repr(found))
        for named, part in (({"k": 0}, "k is 0"), ({"k": 1.5}, "k is 1.5"), ({"epochs": -1}, "epochs is -1"),
                            ({"names": ["a"]}, "names are 1"), ({"values": {"a": [1.0]}}, "'a'"), ({"device": "x"}, "x"),
                            ({"values": {"a": ["p"] * 120}}, "'a'"), ({"title": "\ud800"}, "half a character")):
            self.refused(part, graco.map, Z, **named)
        self.refused("120 rows", graco.map, Z, graph(60))
        self.refused(".gif", found.save, self.at("map.gif"))

    def shown(self, found, path="shown.html"):
        """{name: value of the column v} of the page of a map."""
        found.save(self.at(path))
        data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', read(self.at(path)).decode(), re.S).group(1))
        column = next(column for column in data["columns"] if column["name"] == "v")
        numbers = np.frombuffer(base64.b64decode(column["values"]), "<f4").tolist()
        return dict(zip(data["names"] or range(len(numbers)), numbers))

    def test_map_in_other_orders(self):
        """Places, names and values are in the order of Z's rows, whatever that of the graph is."""
        names = [f"n{i}" for i in range(30)]
        edges, X, _ = small(30)
        g = graco.Graph(edges, features=X, names=names)
        order = np.random.default_rng(1).permutation(30)
        v = dict(zip(names, range(30)))
        numbers = np.arange(30)
        rows = {names[i]: X[i] for i in order}
        wanted = graco.map(X, g, epochs=5, values={"v": numbers})
        self.assertEqual(self.shown(wanted), v)
        found = graco.map(rows, g, epochs=5, values={"v": numbers[order]})
        self.assertEqual(self.shown(found), v)
        self.assertEqual(found.places.tolist(), wanted.places[order].tolist())
        found.save(self.at("places.npy"))
        self.assertEqual(np.load(self.at("places.npy")).tolist(), found.places.tolist())
        called = [name.upper() for name in rows]
        capital = {name.upper(): value for name, value in v.items()}
        self.assertEqual(self.shown(graco.map(rows, g, epochs=5, names=called, values={"v": numbers[order]})), capital)
        more = graco.map({"m": X[0], **rows}, g, epochs=5, values={"v": [7, *numbers[order]]})
        self.assertEqual((self.shown(more), np.isnan(more.places).tolist()), (v, [[True] * 2] + [[False] * 2] * 30))
        self.assertEqual(more.places[1:].tolist(), found.places.tolist())
        turned = dict(reversed(v.items()))
        for Z, data in ((rows, None), (rows, g), (X, g), (rows, {name: i % 2 for name, i in v.items()})):
            self.assertEqual(self.shown(graco.map(Z, data, epochs=5, values={"v": turned})), v)
        self.refused("the values 'v'", graco.map, rows, g, values={"v": {**turned, "m": 1}})
        for wrong in (numbers, [1.0], "v", 3):
            self.refused("values are", graco.map, X, values=wrong)
        pd = module("pandas")
        frame = pd.DataFrame({"v": numbers, "w": -numbers}, index=names)
        for values in (frame, frame.iloc[order], {"v": frame["v"].iloc[order]}):
            for Z, data in ((frame.assign(u=X[:, 0]).iloc[::-1], g), (rows, None), (X, g)):
                self.assertEqual(self.shown(graco.map(Z, data, epochs=5, values=values)), v)
        plain = graco.map(X, epochs=5, values={"v": frame["v"]})  # rows without names
        self.assertEqual(self.shown(plain), dict(enumerate(range(30))))
        nx = module("networkx")
        G = nx.Graph(zip(range(30, 0, -1), range(29, -1, -1)))  # nodes 30, 29, ... 0
        Z = pd.DataFrame(np.random.default_rng(0).normal(size=(31, 3)))
        mine = pd.Series(np.arange(31))
        self.assertEqual(self.shown(graco.map(Z, G, epochs=5, values={"v": mine})), {str(30 - i): i for i in range(31)})
        self.assertEqual(self.shown(graco.map(Z.to_numpy(), G, epochs=5, values={"v": mine})),
                         {str(i): i for i in range(31)})

    def test_notebook(self):
        """What a notebook shows is one frame that can do nothing outside of itself, whatever names say."""
        hostile = "\"><script>alert('x')</script></iframe><img src=x onerror=alert(1)>"
        names = [hostile + str(i) for i in range(60)]
        labels = np.array([hostile + "a", "</script>b"])[np.arange(60) % 2]
        edges, X, _ = small(60)
        model = quick(graco.GRACE, epochs=3)
        before = model._repr_html_()
        self.assertIn("GRACE(", before)
        self.assertNotIn("<iframe", before)
        model.fit(graco.Graph(edges, features=X, labels=labels, names=names))
        shown = model._repr_html_()
        self.assertEqual(shown, model._repr_html_())
        for page in (graco.map(model.embedding_, labels, names=names, title=hostile, epochs=5)._repr_html_(), shown):
            self.assertEqual(page.count("<iframe"), 1)
            self.assertEqual(page.count("</iframe>"), 1)
            frame = re.search(r'<iframe ([^>]*)></iframe>', page).group(1)
            self.assertIn('sandbox="allow-scripts allow-downloads"', frame)
            inner = html.unescape(re.search(r'srcdoc="([^"]*)"', frame).group(1))
            self.assertIn("Content-Security-Policy", inner)
            for part in (page.replace(frame, ""), inner):
                self.assertNotIn("<img", part)
                self.assertNotIn("<script>alert", part)
        outside = shown[:shown.index("<iframe")]
        self.assertNotIn("<script", outside)
        for part in ("epochs=3", "loss", "60 nodes", "<svg", "<polyline"):
            self.assertIn(part, outside)
        import xml.etree.ElementTree as xml

        xml.fromstring("<div>" + re.sub(r"<iframe.*?</iframe>", "", shown, flags=re.S) + "</div>")
        import pickle

        self.assertEqual(pickle.loads(pickle.dumps(model))._repr_html_(), shown)

    def test_large_estimators_show_no_map(self):
        """A map takes time with the square of the nodes: past a size nobody waits for one unasked."""
        many = graco._estimators.MAP_MOST + 1
        model = graco.GRACE(epochs=0, hidden=2, threads=1).fit(graco.Graph((np.arange(many - 1), np.arange(1, many)),
                                                                           features=np.ones((many, 1))))
        self.assertNotIn("<iframe", model._repr_html_())
        self.assertIn("graco.map(", model._repr_html_())


main()
