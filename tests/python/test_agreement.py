"""The same numbers as scikit-learn, networkx, scipy and pandas: metrics, splits, neighbours, joins.

Each is asked about random data with what goes wrong in practice: unknown labels, gaps in the classes, ties, rows of
zeros, weights, repeated edges.
"""

import unittest
import warnings

import numpy as np

import graco
from support import main, module

TINY = 1e-5


def random_graph(rng, nodes=120, edges=400, weights=False):
    ends = rng.integers(nodes, size=(2, edges))
    ends = np.concatenate([ends, ends[:, :20], ends[::-1, :20]], axis=1)  # repeated, and the other way
    values = rng.uniform(0.5, 2, size=ends.shape[1]).astype(np.float32) if weights else None
    return ends, values


class Metrics(unittest.TestCase):
    def setUp(self):
        self.metrics = module("sklearn.metrics")
        self.rng = np.random.default_rng(5)

    def test_clusters(self):
        assignment = module("scipy.optimize").linear_sum_assignment
        for classes in (np.array([0, 1, 2]), np.array([3, 7, 60000, 60002]), np.array(["b", "a"])):
            y = classes[self.rng.integers(len(classes), size=150)]
            known = self.rng.random(150) < 0.8
            Z = self.rng.normal(size=(150, 6)).astype(np.float32) + (y == classes[0])[:, None]
            Z[:4] = 0
            labels = [value if k else None for value, k in zip(y.tolist(), known)]
            found = graco.cluster(Z, labels, 4, starts=2)
            a, b = y[known], found.cluster[known]
            table = self.metrics.cluster.contingency_matrix(a, b)
            matched = table[assignment(-table)].sum() / len(a)
            self.assertEqual(found.labelled, known.sum())
            self.assertAlmostEqual(found.nmi, self.metrics.normalized_mutual_info_score(a, b), delta=TINY)
            self.assertAlmostEqual(found.ari, self.metrics.adjusted_rand_score(a, b), delta=TINY)
            self.assertAlmostEqual(found.accuracy, matched, delta=TINY)
            unit = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12)
            self.assertAlmostEqual(found.silhouette, self.metrics.silhouette_score(unit, found.cluster), delta=1e-4)

    def test_modularity(self):
        nx = module("networkx")
        for directed in (False, True):
            for weights in (False, True):
                ends, values = random_graph(self.rng, weights=weights)
                graph = graco.Graph(ends, nodes=120, directed=directed, weights=values)
                found = graco.cluster(self.rng.normal(size=(120, 4)), graph, 5)
                other = nx.DiGraph()  # both directions of an edge may have weights of their own
                other.add_nodes_from(range(120))
                weight = graph.weights if graph.weights is not None else np.ones(graph.n_edges)
                other.add_weighted_edges_from(zip(*graph.edges.tolist(), weight.tolist()))
                parts = [set(np.flatnonzero(found.cluster == k).tolist()) for k in range(5)]
                expected = nx.community.modularity(other, [part for part in parts if part])
                self.assertAlmostEqual(found.modularity, expected, delta=1e-4, msg=(directed, weights))

    def test_confusion(self):
        """Accuracy and F1 of the confusion, and of the regression that chose C on the validation part."""
        linear = module("sklearn.linear_model")
        split = self.rng.integers(3, size=200).astype(np.uint8)
        y = np.array([2, 5, 9])[self.rng.integers(3, size=200)]
        Z = self.rng.normal(size=(200, 5)).astype(np.float32) + 1.5 * (y[:, None] == np.array([2, 5, 9, 2, 5]))
        result = graco.evaluate(Z, y, "public", split=split)
        truth = np.repeat(np.repeat([2, 5, 9], 3), result.confusion.ravel())
        chosen = np.repeat(np.tile([2, 5, 9], 3), result.confusion.ravel())
        np.testing.assert_array_equal(np.bincount(truth), np.bincount(y[split == 2]))
        self.assertAlmostEqual(result.accuracy, 100 * self.metrics.accuracy_score(truth, chosen), delta=TINY)
        self.assertAlmostEqual(result.macro_f1, 100 * self.metrics.f1_score(truth, chosen, average="macro"), delta=TINY)
        unit = np.c_[Z / np.linalg.norm(Z, axis=1, keepdims=True), np.ones(200)]
        scores = []
        for power in range(-10, 11):
            margin = []
            for k in (2, 5, 9):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fitted = linear.LogisticRegression(C=2.0**power, fit_intercept=False, tol=1e-8, max_iter=1000)
                    fitted.fit(unit[split == 0], y[split == 0] == k)
                margin.append(unit @ fitted.coef_[0])
            right = np.array([2, 5, 9])[np.argmax(margin, axis=0)] == y
            scores.append((-right[split == 1].mean(), 2.0**power, right[split == 2].mean()))
        _, C, accuracy = min(scores)
        self.assertEqual(result.C[0], C)
        self.assertAlmostEqual(result.accuracy, 100 * accuracy, delta=TINY)

    def test_links(self):
        ends, _ = random_graph(self.rng, 60, 200)
        left, links = graco.split_links(graco.Graph(ends, nodes=60), 0.2, seed=3)
        a, b, part, truth = links.T
        test = part == 2
        whole = self.rng.integers(-2, 3, size=(60, 3)).astype(np.float32)  # ties, and rows of zeros
        other = self.rng.normal(size=(60, 3)).astype(np.float32)
        unit = other.astype(np.float64) / np.linalg.norm(other.astype(np.float64), axis=1, keepdims=True)
        for name, Z, rows in (("dot", whole, whole), ("dot", other, other), ("cosine", other, unit)):
            found = graco.link_scores(Z, left, links)
            score = (rows[a[test]].astype(np.float64) * rows[b[test]]).sum(axis=1)
            self.assertAlmostEqual(found.auc[name], self.metrics.roc_auc_score(truth[test], score), delta=TINY)
            expected = self.metrics.average_precision_score(truth[test], score)
            self.assertAlmostEqual(found.average_precision[name], expected, delta=TINY)


class Structure(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(6)

    def test_splits_of_links(self):
        nx = module("networkx")
        for directed in (False, True):
            ends, _ = random_graph(self.rng, 60, 200)
            graph = graco.Graph(ends, nodes=60, directed=directed)
            left, links = graco.split_links(graph, 0.2, 0.1, seed=4)
            whole, rest = nx.Graph(), nx.Graph()  # a link is a pair, in whichever direction
            whole.add_edges_from(graph.edges.T.tolist())
            rest.add_edges_from(left.edges.T.tolist())
            pairs = [tuple(sorted(pair)) for pair in links[:, :2].tolist()]
            self.assertEqual(len(pairs), len(set(pairs)))
            for (a, b), part, linked in zip(pairs, links[:, 2], links[:, 3]):
                self.assertEqual(whole.has_edge(a, b), bool(linked))
                self.assertEqual(rest.has_edge(a, b), bool(linked) and part == 0)
            held = {pair for pair, part, linked in zip(pairs, links[:, 2], links[:, 3]) if linked and part}
            self.assertEqual(whole.number_of_edges() - rest.number_of_edges(), len(held))
            for part in range(3):
                self.assertEqual((links[links[:, 2] == part, 3] == 1).sum(), (links[links[:, 2] == part, 3] == 0).sum())

    def test_neighbours(self):
        nearest = module("sklearn.neighbors").NearestNeighbors
        Z = self.rng.normal(size=(80, 7)).astype(np.float32)
        index, score = graco.neighbours(Z, 6)
        distance, expected = nearest(n_neighbors=7, metric="cosine", algorithm="brute").fit(Z).kneighbors(Z)
        np.testing.assert_array_equal(index, expected[:, 1:])
        np.testing.assert_allclose(score, 1 - distance[:, 1:], atol=1e-5)
        product = (Z.astype(np.float64) @ Z.T.astype(np.float64))
        np.fill_diagonal(product, -np.inf)
        index, score = graco.neighbours(Z, 6, metric="inner")
        np.testing.assert_array_equal(index, np.argsort(-product, axis=1, kind="stable")[:, :6])
        Z = np.repeat(Z[:20], 3, axis=0)  # ties go to the lower row
        index, _ = graco.neighbours(Z, 2)
        for row in range(60):
            self.assertEqual(index[row].tolist(), [other for other in range(row // 3 * 3, row // 3 * 3 + 3) if other != row])

    def test_matrices(self):
        sparse, nx = module("scipy.sparse"), module("networkx")
        ends, values = random_graph(self.rng, 50, 120, weights=True)
        once = sparse.coo_matrix((values, ends), shape=(50, 50)).tocsr()
        once.setdiag(0)
        once.eliminate_zeros()
        a = graco.Graph(once, directed=True)
        b = graco.Graph(nx.from_scipy_sparse_array(once, create_using=nx.DiGraph))
        back = sparse.coo_matrix((a.weights, a.edges), shape=(50, 50)).toarray()
        np.testing.assert_allclose(back, once.toarray(), rtol=1e-6)
        np.testing.assert_array_equal(a.edges, b.edges)
        np.testing.assert_array_equal(a.weights, b.weights)

    def test_joins(self):
        pandas = module("pandas")
        for names in ([f"n{i}" for i in range(30)], list(range(100, 400, 10)), [f"{i:02d}" for i in range(30)]):
            order, labelled = self.rng.permutation(30), self.rng.permutation(30)[:20]
            edges = pandas.DataFrame({"source": [names[i] for i in range(30)],
                                      "target": [names[(i + 7) % 30] for i in range(30)]})
            features = pandas.DataFrame({"f": order.astype(float), "g": 1.0}, index=[names[i] for i in order])
            labels = pandas.Series([int(i % 3) for i in labelled], index=[names[i] for i in labelled])
            graph = graco.Graph(edges, features=features, labels=labels)
            expected = features.reindex(graph.node_ids)
            np.testing.assert_array_equal(graph.features, expected.to_numpy(np.float32))
            known = labels.reindex(graph.node_ids)
            np.testing.assert_array_equal(graph.labels, known.fillna(-1).to_numpy(int))
            joined = {(str(graph.node_ids[a]), str(graph.node_ids[b])) for a, b in graph.edges.T}
            given = {(str(a), str(b)) for a, b in edges.itertuples(index=False)}
            self.assertEqual(joined, given | {(b, a) for a, b in given})


main()
