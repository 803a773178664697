"""The examples in docstrings, and the help of a method."""

import doctest
import os
import pydoc
import subprocess
import sys
import unittest

import graco
from graco import _estimators, _evaluate, _graph, _labels, _library, _map, _neighbours, _progress, _reading, _tasks
from support import main


class Examples(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for part in (graco, _estimators, _evaluate, _graph, _labels, _library, _map, _neighbours, _progress, _reading,
                     _tasks):
            found = doctest.testmod(part, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
            self.assertEqual(found.failed, 0, part.__name__)
            tried += found.attempted
        self.assertGreater(tried, 12 + 4 * len(graco.methods()))

    def test_help(self):
        text = pydoc.plain(pydoc.render_doc(graco.GRACE))
        for part in ("GRACE(*, encoder='gcn'", "temperature", "one of gcn, sage", "fit_transform", "Zhu et al.",
                     "embedding_ : (nodes, columns) float32", "model = graco.GRACE(epochs=2).fit(ring)"):
            self.assertIn(part, text)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(graco.__file__), "py.typed")))

    def test_nothing_else_is_imported(self):
        """numpy is all that an import brings."""
        code = ("import sys, graco; "
                "print([m for m in ('scipy', 'pandas', 'networkx', 'torch', 'sklearn', 'tqdm') if m in sys.modules])")
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True).strip(), "[]")

    def test_no_library(self):
        environment = {**os.environ, "GRACO_LIBRARY": "/nowhere/libgraco.so"}
        done = subprocess.run([sys.executable, "-c", "import graco"], env=environment, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ImportError: graco's library cannot be loaded: /nowhere/libgraco.so", done.stderr)

    def test_system_library(self):
        """The source folder has no library of its own: the one that the system's loader finds is used."""
        environment = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.environ["GRACO_LIBRARY"])}
        del environment["GRACO_LIBRARY"]
        code = "import graco; print(graco._library.lib._name)"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "libgraco.so.0", done.stderr)

    def test_cora(self):
        """examples/cora.py, on a few epochs."""
        data = os.environ.get("GRACO_DATA", "")
        if not os.path.isdir(os.path.join(data, "cora")):
            self.skipTest("needs the published data sets under $GRACO_DATA")
        path = os.path.join(os.environ["GRACO_SOURCE"], "examples", "cora.py")
        done = subprocess.run([sys.executable, path, "--epochs", "2"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("accuracy", done.stdout)


main()
