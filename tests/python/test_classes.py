"""Classes: one number of them, decided at fit; numbers that no node has cost nothing and stay out of everything."""

import unittest

import numpy as np

import graco
from support import main, quick, small


def estimators():
    return [quick(made) for made in graco.methods().values()]


class Classes(unittest.TestCase):
    def setUp(self):
        self.edges, self.X, _ = small(90)
        self.y = np.repeat([0, 1, 2], 30)

    def graph(self, y):
        return graco.Graph(self.edges, features=self.X, labels=y)

    def check(self, model, graph, classes):
        P = model.predict_proba(graph)
        self.assertEqual(list(model.classes_), classes)
        self.assertEqual(P.shape, (graph.n_nodes, len(classes)), type(model).__name__)
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
        self.assertTrue((P > 0).any(axis=0).all())
        self.assertLessEqual(set(model.predict(graph).tolist()), set(classes))

    def test_a_part_decides_at_fit(self):
        for made in (graco.GRACE, graco.GCN, graco.GaANMean):
            for names in ([0, 1, 2], [4, 7, 1000000], ["a", "b", "c"]):
                labels = np.array(names)[self.y]
                graph = self.graph(labels)
                for missing in range(3):
                    rows = np.flatnonzero(self.y != missing)
                    kept = [name for k, name in enumerate(names) if k != missing]
                    self.check(quick(made).fit(graph[rows]), graph, kept)
                    self.check(quick(made).fit(graph[rows], labels[rows]), graph, kept)
                self.check(quick(made).fit(graph), graph, names)

    def test_scores_of_a_part_are_of_its_classes(self):
        graph = self.graph(np.array([4, 7, 1000000])[self.y])
        rows = np.flatnonzero(self.y != 0)
        model = quick(graco.GRACE).fit(graph[rows])
        right = model.predict(graph[rows]) == graph.labels[rows]
        self.assertEqual(model.score(graph[rows]), right.mean())

    def test_unknown_labels_are_no_classes(self):
        labels = [None if k == 2 else k for k in self.y]
        graph = self.graph(labels)
        self.assertEqual((graph.n_classes, graph.classes.tolist()), (2, [0, 1]))

    def test_far_numbers_are_as_near_ones(self):
        near, far = self.graph(self.y), self.graph(np.array([0, 1, 60000])[self.y])
        self.assertEqual((far.n_classes, far.classes.tolist()), (3, [0, 1, 60000]))
        self.assertEqual(far.labels.max(), 60000)
        for model in estimators():
            name = type(model).__name__
            a, b = model.fit(near).predict_proba(near), model.fit(far).predict_proba(far)
            np.testing.assert_array_equal(a, b, name)
            self.assertEqual(model.classes_.tolist(), [0, 1, 60000])
        for labels, count in ((near, 3), (far, 3), (near.labels, 3), (far.labels, 3)):
            found = graco.cluster(self.X, labels)
            self.assertEqual((found.clusters, found.nmi), (count, graco.cluster(self.X, near).nmi))
            self.assertEqual(graco.evaluate(self.X, labels, splits=2).confusion.shape, (3, 3))
            self.assertEqual(graco.predict_proba(self.X, labels).shape, (90, 3))
        hidden = np.where(self.y == 1, -1, far.labels)
        self.assertEqual(set(graco.predict(self.X, hidden).tolist()), {0, 60000})
        self.assertEqual(set(graco.predict(self.X, self.graph(hidden)).tolist()), {0, 60000})

    def test_numbers_of_nodes_are_no_classes(self):
        ids = np.arange(1100)
        Z = np.random.default_rng(0).normal(size=(1100, 2))
        for call in (graco.evaluate, graco.predict_proba, graco.cluster):
            with self.assertRaisesRegex(graco.GracoArgumentError, "1100 classes"):
                call(Z, ids)


main()
