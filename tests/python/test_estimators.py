"""Estimators: settings, every method as the command trains it, Ctrl-C, pickles, memory."""

import copy
import fcntl
import gc
import os
import pickle
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import threading
import time
import unittest

import numpy as np

import graco
from support import main, module, quick, small

COMMAND = os.environ["GRACO_COMMAND"]


def labelled_graph(**more):
    edges, X, y = small()
    split = np.array([0, 1, 2, 2])[np.arange(40) // 10]
    return graco.Graph(edges, features=X, labels=y, split=split, **more)


class Settings(unittest.TestCase):
    def test_list(self):
        """Every method has a class, and every setting of it a keyword, with the command's value."""
        listed = subprocess.check_output([COMMAND, "train", "--help"], text=True)
        self.assertGreater(len(graco.methods()), 10)
        for method, made in graco.methods().items():
            self.assertIs(getattr(graco, made.__name__), made)
            self.assertIn(made.__name__, graco.__all__)
            self.assertIn(method, listed)
            for key in made._defaults:
                self.assertIn(f"{key} : default", made.__doc__)

    def test_manners(self):
        model = graco.GRACE(hidden=8, fanout=[3, 2])
        self.assertEqual(model.get_params()["hidden"], 8)
        self.assertEqual(repr(model), "GRACE(hidden=8, fanout=[3, 2])")
        self.assertIs(model.set_params(epochs=7), model)
        self.assertEqual(model.epochs, 7)
        self.assertEqual(repr(graco.GRACE()), "GRACE()")
        with self.assertRaises(TypeError) as caught:
            graco.GRACE(hiden=8)
        self.assertIn("'hiden'", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            model.set_params(hiden=8)
        self.assertIn("'hiden'", str(caught.exception))

    def test_presets(self):
        self.assertIn("cora", graco.GRACE.presets())
        model = graco.GRACE.preset("cora", hidden=17)
        self.assertEqual((model.hidden, model.tau, model.scaling), (17, 0.4, "rowsum"))
        with self.assertRaises(ValueError) as caught:
            graco.GRACE.preset("nothing")
        self.assertIn("cora", str(caught.exception))

    def test_bad_values(self):
        """The words are graco's; an estimator that could not be trained is as it was."""
        g = labelled_graph()
        for settings, part in (
            ({"hidden": 0}, "hidden"), ({"tau": -1}, "tau"), ({"encoder": "x"}, "encoder"),
            ({"epochs": 1.5}, "epochs"), ({"lr": "fast"}, "lr"), ({"fanout": (1, "a")}, "fanout"),
            ({"device": "tpu"}, "device"), ({"hidden": None}, "hidden"),
            ({"hidden": True}, "hidden is True"), ({"tau": np.True_}, "tau is"), ({"fanout": [2, True]}, "fanout is"),
            ({"device": False}, "device is False"), ({"inductive": 2}, "inductive"),
        ):
            model = graco.GRACE(**settings)
            with self.assertRaises(graco.GracoArgumentError, msg=settings) as caught:
                model.fit(g)
            self.assertIn(part, str(caught.exception))
            self.assertFalse(hasattr(model, "embedding_"))
        model = quick(graco.GRACE)
        with self.assertRaises(ValueError) as caught:
            quick(graco.GRACE, node_features="given").fit(graco.Graph([(0, 1)]))
        self.assertIn("features", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            model.transform(g)
        self.assertIn("not fitted", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            quick(graco.GCN).fit(graco.Graph(g.edges, features=g.features))
        self.assertIn("needs labels", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            model.fit(g, y=[1, 2])
        self.assertIn("2 labels for 40 nodes", str(caught.exception))
        model.fit(g)
        with self.assertRaises(ValueError) as caught:
            model.transform(graco.Graph([(0, 1)], features=np.eye(2)))
        self.assertIn("features", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            quick(graco.GRACE).fit(graco.Graph(g.edges, features=g.features)).predict(g)
        self.assertIn("labels are needed", str(caught.exception))
        with self.assertRaises(OSError):
            model.fit(g, run="/proc/nowhere")
        with self.assertRaises(OSError):
            model.fit(g, run=tempfile.gettempdir() + "/graco-none", resume=True)


class SameBytes(unittest.TestCase):
    def test_every_method(self):
        """The command on a file, Python on the arrays."""
        g = labelled_graph()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "given.npz")
            g.save(path)
            for method, made in graco.methods().items():
                run = os.path.join(folder, method)
                model = quick(made)
                sets = []
                for key, value in model.get_params().items():
                    if key != "verbose":
                        sets += ["--set", f"{key}={graco._estimators._to_text(value)}"]
                subprocess.run([COMMAND, "train", path, "-o", run, "--method", method, *sets], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                Z = model.fit_transform(g)
                self.assertEqual(np.load(run + "/embeddings.npy").tobytes(), Z.tobytes(), method)
                self.assertEqual(Z.dtype, np.float32)
                self.assertEqual((model.n_epochs_, model.ended_, len(model.history_["loss"])),
                                 (model.epochs, "epochs", model.epochs))

    def test_run_folder(self):
        g = labelled_graph()
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            whole = quick(graco.GRACE, epochs=4).fit(g)
            quick(graco.GRACE, epochs=2).fit(g, run=run)
            with self.assertRaisesRegex(graco.GracoArgumentError, "already holds a run"):
                quick(graco.GRACE, epochs=4).fit(g, run=run)
            went_on = quick(graco.GRACE, epochs=4).fit(g, run=run, resume=True)
            self.assertTrue((whole.embedding_ == went_on.embedding_).all())
            self.assertTrue(os.path.exists(run + "/embeddings.npy"))


class Fitted(unittest.TestCase):
    def test_attributes(self):
        g = labelled_graph(names=[f"n{i}" for i in range(40)])
        model = quick(graco.GRACE)
        self.assertIs(model.fit(g), model)
        self.assertEqual((model.embedding_.shape, model.n_features_in_), ((40, 8), 6))
        self.assertEqual(model.node_ids_[3], "n3")
        self.assertEqual(model.loss_, model.history_["loss"][-1])
        self.assertTrue((model.transform(g) == model.embedding_).all())
        self.assertEqual(model.get_feature_names_out()[1], "grace1")
        part = g[[5, 3]]
        self.assertTrue((model.transform(part) == model.embedding_[[5, 3]]).all())
        self.assertTrue((quick(graco.GRACE).fit_transform(part) == model.embedding_[[5, 3]]).all())
        model.embedding_[0, 0] = 1  # memory that is the array's own
        self.assertFalse(model.embedding_.flags.owndata)

    def test_no_features(self):
        """Made from the graph, also after a pickle."""
        edges, _, _ = small()
        g = graco.Graph(edges)
        model = quick(graco.GRACE).fit(g)
        self.assertEqual((model.embedding_.shape, model.n_features_in_), ((40, 8), 0))
        self.assertTrue((pickle.loads(pickle.dumps(model)).transform(g) == model.embedding_).all())

    def test_labels(self):
        """Labels of rows held out are not seen; words come back as words."""
        edges, X, y = small()
        words = np.array(["a", "b"])[y]
        g = graco.Graph(edges, features=X)
        train, test = np.arange(0, 30), np.arange(30, 40)
        model = quick(graco.GRACE, epochs=20).fit(g[train], words[train])
        self.assertEqual(model.classes_.tolist(), ["a", "b"])
        self.assertEqual((model._labels[30:] == -1).sum(), 10)
        self.assertGreater(model.score(g[test], words[test]), 0.6)
        self.assertEqual(set(model.predict(g[test])) - {"a", "b"}, set())
        self.assertEqual(model.predict_proba(g[test]).shape, (10, 2))
        gcn = quick(graco.GCN, epochs=50, protocol="authors").fit(g[train], words[train])
        self.assertGreater(gcn.score(g[test], words[test]), 0.6)
        self.assertEqual(gcn.predict(g).shape, (40,))

    def test_vectors_by_name(self):
        """The vectors of DeepWalk and node2vec belong to names, or to numbers where nodes have none: never to rows."""
        nodes, order = 6, [3, 4, 5, 0, 1, 2]
        ring = [(i, (i + 1) % nodes) for i in range(nodes)]  # looks the same from every node
        for made in (graco.Node2Vec, graco.DeepWalk):
            model = quick(made).fit(ring)
            named = graco.Graph(ring, features={i: [1.0] for i in order})
            self.assertEqual(named.node_ids.tolist(), order)
            for known in (model, pickle.loads(pickle.dumps(model))):
                self.assertTrue((known.transform(named) == model.embedding_[order]).all())
                self.assertTrue((known.transform(named[[1]]) == model.embedding_[[4]]).all())
                words = graco.Graph([(str(a), str(b)) for a, b in ring], names=[str(i) for i in order])
                self.assertTrue((known.transform(words) == model.embedding_[order]).all())
                self.assertTrue((known.transform(ring[::-1]) == model.embedding_).all())
                self.refused("names", lambda: known.transform(graco.Graph(ring, names=list("abcdef"))))
            back = quick(made).fit(named)
            self.assertTrue((back.transform(ring)[order] == back.embedding_).all())
            letters = quick(made).fit(graco.Graph(ring, names=list("abcdef")))
            self.refused("no names of nodes", lambda: letters.transform(ring))
            self.assertTrue((letters.transform(graco.Graph(ring, names=list("abcdef"))) == letters.embedding_).all())
        nx = module("networkx")
        G = nx.Graph()
        G.add_nodes_from(order)
        G.add_edges_from(ring)
        self.assertTrue((model.transform(G) == model.embedding_[order]).all())

    def test_labels_by_name(self):
        """A dict and a column of ids say whose a label is; an index in another order than the nodes is refused."""
        edges, X, y = small()
        names = [f"n{i}" for i in range(40)]
        g, numbers = graco.Graph(edges, features=X, names=names), graco.Graph(edges, features=X)
        model = quick(graco.GRACE, epochs=20).fit(g, y)
        mixed = np.random.default_rng(0).permutation(40)
        wanted = model.score(g, y)
        self.assertGreater(wanted, 0.9)
        self.assertEqual(model.score(g, {names[i]: y[i] for i in mixed}), wanted)
        self.assertEqual(model.score(g[:5], {names[i]: y[i] for i in mixed}), model.score(g[:5], y[:5]))
        pd = module("pandas")
        table = pd.DataFrame({"node": names, "label": y}).iloc[mixed]
        for rows in (table, table.reset_index(drop=True)):
            self.assertEqual(model.score(g, rows), wanted)
            self.assertEqual(model.score(numbers, rows.assign(node=mixed)), wanted)
            self.assertTrue((quick(graco.GRACE, epochs=20).fit(g, rows).predict(g) == model.predict(g)).all())
        by_name = pd.Series(y, index=names)
        self.assertEqual(model.score(g, by_name), wanted)
        self.assertEqual(model.score(g[mixed], by_name.iloc[mixed]), wanted)
        for function in (model.score, model.fit):
            self.refused("expected the order of the nodes", lambda: function(g, by_name.iloc[mixed]))
            self.refused("labels name the node 'm', which is not in the graph", lambda: function(g, table.replace("n3", "m")))
        self.assertEqual(model.score(numbers, pd.Series(y, index=mixed)), wanted)  # by row, as in scikit-learn

    def test_again(self):
        """Nothing of an earlier training stays; a pickle of an older graco lacks settings."""
        edges, X, y = small()
        model = quick(graco.GRACE).fit(graco.Graph(edges, features=X, labels=y))
        older = {key: value for key, value in model.__getstate__().items() if key not in ("tau", "_labels", "classes_")}
        back = graco.GRACE.__new__(graco.GRACE)
        back.__setstate__(older)
        self.assertEqual((back.tau, repr(back)), (graco.GRACE().tau, repr(model)))
        self.assertTrue((back.transform(graco.Graph(edges, features=X)) == model.embedding_).all())
        self.assertIn("GRACE", back._repr_html_())
        self.refused("labels are needed", lambda: back.predict(graco.Graph(edges, features=X)))
        model.fit(graco.Graph(edges, features=X))
        self.assertFalse(hasattr(model, "classes_"))

    def test_score(self):
        """Labels are taken as `fit` takes them; what cannot be scored is refused."""
        edges, X, y = small()
        g = graco.Graph(edges, features=X)
        words = np.array(["a", "b"])[y]
        for labels in (y, words, y == 1):
            model = quick(graco.GRACE, epochs=20).fit(g, labels)
            wanted = (model.predict(g) == labels).mean()
            self.assertEqual(model.score(g, labels), wanted)
            self.assertEqual(model.score(g, labels[:, None]), wanted)
            self.assertEqual(model.score(g, labels.tolist()), wanted)
            some = [None if i < 20 else label for i, label in enumerate(labels.tolist())]
            self.assertEqual(model.score(g, some), (model.predict(g) == labels)[20:].mean())
            self.assertEqual(model.score(g, np.ma.masked_array(labels, np.arange(40) < 20)), model.score(g, some))
            for rows in (labels[:5], np.concatenate([labels, labels])):
                self.refused(f"{len(rows)} labels for 40 nodes", lambda rows=rows: model.score(g, rows))
            self.refused("4 labels for 2 nodes", lambda: model.score(g[:2], labels[:4]))
            for unknown in (np.full(40, -1), [None] * 40, np.full(40, np.nan)):
                self.refused("none of 40 labels is known", lambda unknown=unknown: model.score(g, unknown))
            self.refused("the shape (40, 3)", lambda: model.score(g, np.ones((40, 3), int)))
        self.assertEqual(quick(graco.GRACE).fit(g, y).score(g, words), 0)  # other classes
        first = graco.Graph(edges, features=X, labels=np.where(np.arange(40), -1, 1))
        self.refused("none of 39", lambda: model.score(first[1:]))
        pd = module("pandas")
        model = quick(graco.GRACE, epochs=20).fit(g, y)
        self.assertEqual(model.score(g, pd.DataFrame({"y": y})), model.score(g, y))

    def refused(self, part, function):
        with self.assertRaises(graco.GracoError) as caught:
            function()
        self.assertIn(part, str(caught.exception))

    def test_another_graph(self):
        """The probe is that of the graph trained on, and predicts for nodes never seen."""
        edges, X, y = small()
        more_edges, more_X, more_y = small(nodes=60, seed=1)
        more = graco.Graph(more_edges, features=more_X)
        model = quick(graco.GRACE, epochs=20).fit(graco.Graph(edges, features=X, labels=y))
        self.assertEqual(model.predict_proba(more).shape, (60, 2))
        self.assertGreater(model.score(more, more_y), 0.7)
        self.assertTrue((model.predict_proba(more[:5]) == model.predict_proba(more)[:5]).all())
        several = quick(graco.GRACE).fit(graco.Graph(edges, features=X, labels=np.eye(2)[y]))
        self.assertEqual(several.predict(more).shape, (60, 2))

    def test_several_labels(self):
        edges, X, y = small()
        several = np.stack([y, 1 - y, np.ones(40, int)], axis=1)
        g = graco.Graph(edges, features=X, labels=several)
        model = quick(graco.GRACE, epochs=5).fit(g)
        self.assertEqual(model.predict(g).shape, (40, 3))
        self.assertGreater(model.score(g), 0.5)
        model = quick(graco.GRACE, epochs=5).fit(g[:30])
        self.assertEqual(model.predict(g[30:]).shape, (10, 3))
        wanted = (model.predict(g[20:]) == several[20:]).mean()  # unknown rows do not count
        hidden = np.arange(40)[:, None] < 20
        for unknown in (np.where(hidden, -1, several), np.where(hidden, -1.0, several), np.where(hidden, np.nan, several),
                        np.where(hidden, -1, several).tolist(), np.ma.masked_array(several, hidden.repeat(3, axis=1))):
            self.assertEqual(model.score(g, unknown), wanted)
            self.assertEqual(model.score(graco.Graph(edges, features=X, labels=unknown)), wanted)
            self.assertTrue((graco.predict(model.embedding_, unknown)[20:] == several[20:]).all())
        self.refused("none of 40", lambda: model.score(g, np.full((40, 3), -1)))
        for wrong in (0.5, 2, -1):  # beside rows that are unknown
            rows = np.where(hidden, -1.0, several)
            rows[30, 0] = wrong
            self.refused(f"labels hold {rows[30, 0]}", lambda rows=rows: graco.Graph(edges, features=X, labels=rows))

    def test_copies(self):
        g = labelled_graph()
        for made in (graco.GRACE, graco.GCN, graco.DeepWalk):
            model = quick(made).fit(g)
            for back in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                self.assertEqual(back.get_params(), model.get_params())
                self.assertTrue((back.transform(g) == model.transform(g)).all())
                self.assertTrue((back.embedding_ == model.embedding_).all())
        self.assertFalse(hasattr(pickle.loads(pickle.dumps(quick(graco.GRACE))), "embedding_"))
        spoilt = quick(graco.GRACE).fit(g).__getstate__()
        spoilt["_model_bytes"] = spoilt["_model_bytes"][:100]
        with self.assertRaises(graco.GracoFormatError):
            graco.GRACE().__setstate__(spoilt)

    def test_threads(self):
        """Trainings in several threads, while Python runs on."""
        g = labelled_graph()
        wanted = quick(graco.GRACE).fit_transform(g)
        found = []
        threads = [threading.Thread(target=lambda: found.append(quick(graco.GRACE).fit_transform(g)))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 3)
        self.assertTrue(all((Z == wanted).all() for Z in found))


LONG = """
    import os, signal, threading, time
    import numpy as np, graco
    rng = np.random.default_rng(0)
    g = graco.Graph(rng.integers(600, size=(2, 4000)), features=rng.normal(size=(600, 16)))
    model = graco.GRACE(epochs=100000000, hidden=16, device="cpu")
    done, keep = [], graco._estimators._Watch._keep
    graco._estimators._Watch._keep = lambda self, epoch: (done.append(1), keep(self, epoch))

    def interrupt():
        # Ctrl-C within the work: its own handler is there, and an epoch is done.
        while signal.getsignal(signal.SIGINT).__name__ != "_note" or not done:
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
"""


class Stopping(unittest.TestCase):
    def run_python(self, text):
        return subprocess.run([sys.executable, "-c", textwrap.dedent(LONG) + textwrap.dedent(text)],
                              capture_output=True, text=True, timeout=1800)

    def test_ctrl_c(self):
        done = self.run_python("""
            try:
                model.fit(g)
                raise SystemExit("not interrupted")
            except KeyboardInterrupt:
                print("interrupted after", model.n_epochs_, model.ended_)
            assert model.ended_ == "stopped" and model.n_epochs_ > 0
            assert model.embedding_.shape == (600, 16) and (model.transform(g) == model.embedding_).all()
            assert len(model.history_["loss"]) == model.n_epochs_
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("interrupted after", done.stdout)

    def test_checkpoint(self):
        """With a run folder, what was done is on disk, and a training that goes on has the bytes of one
        that was never interrupted."""
        done = self.run_python("""
            import tempfile
            with tempfile.TemporaryDirectory() as run:
                try:
                    model.fit(g, run=run)
                    raise SystemExit("not interrupted")
                except KeyboardInterrupt:
                    pass
                seen = model.n_epochs_
                model.set_params(epochs=seen + 3)
                resumed = model.fit(g, run=run, resume=True)
                assert (resumed.n_epochs_, resumed.ended_) == (seen + 3, "epochs"), (seen, resumed.n_epochs_)
                whole = graco.GRACE(epochs=seen + 3, hidden=16, device="cpu").fit(g)
                assert (whole.embedding_ == resumed.embedding_).all()
                print("went on from", seen)
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("went on from", done.stdout)

    def test_evaluation(self):
        """Ctrl-C ends an evaluation that would take minutes of a processor."""
        done = self.run_python("""
            Z, y = rng.normal(size=(60000, 128)), rng.integers(40, size=60000)
            done.append(1)
            began = time.process_time()
            try:
                graco.evaluate(Z, y, splits=1000, device="cpu")
                raise SystemExit("not interrupted")
            except KeyboardInterrupt:
                print("interrupted")
            assert time.process_time() - began < 60
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_own_handler(self):
        """A handler of the program's own raises in the callback; nothing is printed, nothing is lost."""
        done = self.run_python("""
            def handle(number, frame):
                raise RuntimeError("mine")
            signal.signal(signal.SIGINT, handle)
            try:
                model.fit(g)
                raise SystemExit("not interrupted")
            except RuntimeError as error:
                print(error, model.n_epochs_)
        """)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("mine", done.stdout)

    def test_errors_in_progress(self):
        g = labelled_graph()
        model = quick(graco.GRACE, epochs=100000)

        class Broken:
            def show(self, progress, loss):
                raise LookupError("broken")

            def close(self, epoch, loss):
                pass

        kept = graco._progress.start
        graco._progress.start = lambda title, verbose: Broken()
        try:
            with self.assertRaises(LookupError):
                model.fit(g)
        finally:
            graco._progress.start = kept
        self.assertEqual(model.ended_, "stopped")
        self.assertEqual(model.embedding_.shape, (40, 8))


class Progress(unittest.TestCase):
    def test_cost(self):
        """What Python does for an epoch: microseconds, where one of Cora's takes many milliseconds."""
        shown = graco._progress.start("x", False)
        watch = graco._estimators._Watch(shown, graco._progress.Interrupts())
        epoch, progress = graco._library.Epoch(), graco._library.Progress()
        began = time.process_time()
        for _ in range(2000):
            self.assertTrue(watch.on_epoch(None, epoch))
            self.assertTrue(watch.on_progress(None, progress))
        each = (time.process_time() - began) / 2000
        print(f"an epoch costs Python {1e6 * each:.0f} microseconds")
        self.assertLess(each, 3e-4)

    def test_silent(self):
        done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import numpy as np, graco
            graco.GRACE(epochs=30, hidden=4).fit(graco.Graph([(0, 1), (1, 2)], features=np.eye(3)))
        """)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def on_terminal(self, before=""):
        """What a training writes to a terminal of 80 columns, as it is at the end."""
        code = before + textwrap.dedent("""
            import numpy as np, graco
            rng = np.random.default_rng(0)
            g = graco.Graph(rng.integers(300, size=(2, 2000)), features=rng.normal(size=(300, 8)))
            model = graco.GRACE(epochs=60, hidden=8, device="cpu").fit(g)
            print(f"loss={model.loss_:.4f}")
        """)
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=its, text=True)
        os.close(its)
        written = b""
        try:
            while part := os.read(ours, 4096):
                written += part
        except OSError:  # how Linux ends it
            pass
        os.close(ours)
        loss = process.communicate()[0].strip()
        self.assertEqual(process.returncode, 0, written)
        return written.decode(), loss

    def test_line(self):
        """Without tqdm a line, which ends with the last epoch."""
        written, loss = self.on_terminal('import sys; sys.modules["tqdm"] = None\n')
        self.assertTrue(written.startswith("\rGRACE: epoch 1 of 60"), written)
        self.assertEqual(written.split("\r")[-2].rstrip(), f"GRACE: epoch 60 of 60, {loss.replace('=', ' ')}")

    def test_bar(self):
        module("tqdm")
        written, loss = self.on_terminal()
        self.assertIn("GRACE:   0%|", written)
        last = [part for part in written.split("\r") if part.strip()][-1]
        self.assertIn("GRACE: 100%|", last)
        self.assertIn("60/60", last)
        self.assertIn(loss, last)

    def test_asked_for(self):
        """`verbose` shows progress where there is no terminal."""
        done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import sys
            sys.modules["tqdm"] = None
            import graco
            graco.GRACE(epochs=3, hidden=4, verbose=True).fit(graco.Graph([(0, 1), (1, 2)]))
        """)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GRACE: epoch 3 of 3", done.stderr)


class Memory(unittest.TestCase):
    @staticmethod
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_leaks(self):
        """Good calls and bad ones, again and again: the process does not grow."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(4000, 64)).astype(np.float64)  # 1 MB as float32, copied
        edges = rng.integers(4000, size=(2, 8000))
        y = rng.integers(3, size=4000)
        few = np.where(np.arange(4000) < 30, y, -1)

        def once():
            g = graco.Graph(edges, features=X, labels=y, names=range(4000))
            g.features, g.labels, g.node_ids, g.edges
            model = graco.DGI(epochs=0, hidden=64, device="cpu", threads=1)
            Z = model.fit_transform(g)
            pickle.loads(pickle.dumps(model)).transform(g)
            graco.predict_proba(Z[:200, :4], few[:200], threads=1)
            for bad in (lambda: graco.Graph(edges, features=X[:9]), lambda: graco.predict(Z, y[:5]),
                        lambda: graco.DGI(hidden=-1).fit(g), lambda: graco.evaluate(Z, y, "public")):
                try:
                    bad()
                    raise AssertionError("was not refused")
                except graco.GracoError:
                    pass

        for _ in range(4):
            once()
        gc.collect()
        before = self.resident()
        for _ in range(12):
            once()
        gc.collect()
        grown = (self.resident() - before) / 2**20
        print(f"grown by {grown:.1f} MB in 12 rounds")
        self.assertLess(grown, 8)  # one forgotten matrix a round would be 12


main()
