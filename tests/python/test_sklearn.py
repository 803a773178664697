"""The estimators in scikit-learn's hands: Pipeline, GridSearchCV, clone, joblib, its own checks."""

import contextlib
import inspect
import io
import os
import unittest
import warnings

import numpy as np

import graco
from support import main, module, quick, small


def setUpModule():
    module("sklearn")
    warnings.simplefilter("ignore")


# docs/python.md says why.
CANNOT_APPLY = {
    "check_methods_sample_order_invariance", "check_methods_subset_invariance", "check_fit_idempotent",
    "check_transformer_general", "check_fit2d_1sample", "check_n_features_in_after_fitting",
    "check_classifiers_classes", "check_classifiers_train", "check_supervised_y_2d", "check_requires_y_none",
}


@contextlib.contextmanager
def on_rows():
    """Estimators take a matrix, which is what scikit-learn's checks have: features of nodes in a ring."""
    from sklearn.utils import check_array

    def ring(value):
        if isinstance(value, graco.Graph):
            return value
        X = check_array(value, accept_sparse="csr")
        here = np.arange(X.shape[0])
        return graco.Graph((here, np.roll(here, -1)), features=X)

    def tags(self):
        made = kept[1](self)
        made.input_tags.two_d_array = True
        return made

    kept = graco._estimators.as_graph, graco.Estimator.__sklearn_tags__
    graco._estimators.as_graph, graco.Estimator.__sklearn_tags__ = ring, tags
    try:
        yield
    finally:
        graco._estimators.as_graph, graco.Estimator.__sklearn_tags__ = kept


def parts():
    edges, X, y = small(60)
    return graco.Graph(edges, features=X), np.array(["a", "b"])[y]


class Sklearn(unittest.TestCase):
    def test_clone(self):
        from sklearn.base import clone, is_classifier

        g, y = parts()
        model = quick(graco.GRACE).fit(g)
        again = clone(model)
        self.assertEqual(again.get_params(), model.get_params())
        self.assertFalse(hasattr(again, "embedding_"))
        self.assertTrue((again.fit_transform(g) == model.embedding_).all())
        self.assertTrue(is_classifier(graco.GCN()))
        self.assertFalse(is_classifier(graco.GRACE()))

    def test_pipeline(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        g, y = parts()
        rows = np.random.default_rng(0).permutation(60)
        train, test = rows[:40], rows[40:]
        for made in (graco.GRACE, graco.DGI):
            pipe = make_pipeline(quick(made, epochs=20), StandardScaler(), LogisticRegression())
            pipe.fit(g[train], y[train])
            self.assertGreater(pipe.score(g[test], y[test]), 0.7)
            self.assertEqual(pipe.predict(g).shape, (60,))

    def test_grid_search(self):
        """Scored by the probe on the rows held out, and through a pipeline."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import Pipeline

        g, y = parts()
        search = GridSearchCV(quick(graco.GRACE), {"tau": [0.2, 0.8], "epochs": [1, 5]}, cv=2, error_score="raise")
        search.fit(g, y)
        self.assertEqual(len(search.cv_results_["mean_test_score"]), 4)
        self.assertGreater(search.best_score_, 0.5)
        self.assertEqual(search.best_estimator_.embedding_.shape, (60, 8))
        split = [(np.arange(0, 30), np.arange(30, 45))]  # one division: training and validation
        pipe = Pipeline([("embed", quick(graco.GRACE)), ("classify", LogisticRegression())])
        search = GridSearchCV(pipe, {"embed__hidden": [4, 8], "classify__C": [0.1, 1]}, cv=split, error_score="raise")
        search.fit(g, y)
        self.assertGreater(search.best_score_, 0.5)
        gcn = quick(graco.GCN, epochs=30, protocol="authors")
        self.assertGreater(cross_val_score(gcn, g, y, cv=2, error_score="raise").mean(), 0.5)

    def test_joblib(self):
        joblib = module("joblib")
        g, y = parts()
        model = quick(graco.GRACE).fit(g)
        file = io.BytesIO()
        joblib.dump(model, file)
        file.seek(0)
        self.assertTrue((joblib.load(file).transform(g) == model.embedding_).all())
        # Other processes get the graph and the estimator, and give back the same bytes.
        found = joblib.Parallel(n_jobs=2)(
            joblib.delayed(lambda m, graph: m.fit_transform(graph))(quick(graco.GRACE, seed=seed), g)
            for seed in (3, 4))
        self.assertTrue((found[0] == model.embedding_).all() and (found[1] != found[0]).any())

    def test_checks(self):
        """All that check_estimator has, but those of CANNOT_APPLY, each of which fails for some method."""
        from sklearn.utils.estimator_checks import check_estimator

        if "on_fail" not in inspect.signature(check_estimator).parameters:
            self.skipTest("scikit-learn is older than 1.6")
        with open(os.path.join(os.environ["GRACO_SOURCE"], "docs", "python.md")) as file:
            document = file.read()
        failed = set()
        for made in (graco.GRACE, graco.GCN, graco.DeepWalk):
            with on_rows():
                results = check_estimator(quick(made), on_fail=None, on_skip=None)
            self.assertGreater(sum(result["status"] == "passed" for result in results), 35)
            for result in results:
                if result["status"] == "failed":
                    failed.add(result["check_name"])
                    self.assertIn(result["check_name"], CANNOT_APPLY, (made, result["exception"]))
        self.assertEqual(failed, CANNOT_APPLY)
        self.assertEqual([name for name in CANNOT_APPLY if f"`{name}`" not in document], [])


main()
