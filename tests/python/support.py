"""What the tests of the Python package share."""

import importlib
import sys
import unittest

import numpy as np

import graco


def module(name):
    """A module of another project, or the test is left out."""
    try:
        return importlib.import_module(name)
    except (ImportError, RuntimeError):  # dgl raises the latter where it does not like the torch that is there
        raise unittest.SkipTest(f"python3 has no {name}") from None


def small(nodes=40, features=6, seed=0):
    """(edges, X, y) of a graph whose features tell the classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(nodes) % 2
    ring = np.stack([np.arange(nodes), (np.arange(nodes) + 2) % nodes])
    source = rng.integers(nodes, size=2 * nodes)
    more = np.stack([source, (source + 2 * rng.integers(1, 5, size=2 * nodes)) % nodes])  # within a class
    X = rng.normal(size=(nodes, features)).astype(np.float32)
    X[:, 0] += 3 * y
    return np.concatenate([ring, more], axis=1), X, y


# Settings under which every method takes a moment on such a graph, where it reads them.
QUICK = {"epochs": 2, "hidden": 8, "projection": 8, "walks": 2, "length": 8, "seed": 3, "threads": 1,
         "first": 8, "units": 8, "heads": 2, "query": 4, "value": 4, "gate": 4, "device": "cpu",
         "samples": (10,), "rows": 8, "batch": None}


def quick(made, **settings):
    """An estimator with those settings, and these over them."""
    chosen = {**QUICK, **settings}
    if made._defaults["epochs"] == 0:  # nothing to train
        chosen["epochs"] = 0
    return made(**{key: chosen[key] for key in made._defaults if chosen.get(key) is not None})


def main():
    """Runs the tests of the calling file; says what was left out, and why."""
    program = unittest.main(module="__main__", exit=False, verbosity=0)
    result = program.result
    if result.wasSuccessful() and result.skipped and result.testsRun in (0, len(result.skipped)):
        print(f"skipped: {result.skipped[0][1]}")
        sys.exit(77)
    for test, reason in result.skipped:
        print(f"left out: {test.id().replace('__main__.', '')} ({reason})")
    sys.exit(0 if result.wasSuccessful() and result.testsRun > len(result.skipped) else 1)
