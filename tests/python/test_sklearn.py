"""The estimators in scikit-learn's hands: Pipeline, GridSearchCV, clone, joblib, its own checks."""

import io
import unittest
import warnings

import numpy as np

import graco
from support import main, module, quick, small


def setUpModule():
    module("sklearn")
    warnings.simplefilter("ignore")


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
        """Those of check_estimator that hand over no matrix; docs/python.md has the others."""
        from sklearn.utils import estimator_checks as checks

        names = ["check_no_attributes_set_in_init", "check_get_params_invariance", "check_set_params",
                 "check_estimator_cloneable", "check_estimator_repr", "check_valid_tag_types",
                 "check_do_not_raise_errors_in_init_or_set_param", "check_mixin_order",
                 "check_parameters_default_constructible", "check_estimator_tags_renamed"]
        found = [name for name in names if hasattr(checks, name)]
        self.assertGreater(len(found), 4)
        for made in (graco.GRACE, graco.GCN, graco.DeepWalk):
            for name in found:
                with self.subTest(check=name, estimator=made.__name__):
                    check = getattr(checks, name)
                    check(made.__name__, made())


main()
