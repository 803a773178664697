"""graco beside a second OpenMP in one process: that of PyTorch, or one that is loaded as PyTorch loads its own.

Its results keep their bits, and no library starts threads for graco's work. Every trial is a process of its own.
"""

import glob
import os
import subprocess
import sys
import unittest

import numpy as np

from support import main, module

TRIAL = """
import hashlib, os, sys
def threads():
    return len(os.listdir("/proc/self/task"))
{before}
import numpy as np, graco
rng = np.random.default_rng(0)
y = rng.integers(5, size=1500)
Z = (np.eye(5)[y] @ rng.normal(size=(5, 128)) + 6 * rng.normal(size=(1500, 128))).astype(np.float32)
g = graco.Graph(rng.integers(1500, size=(2, 6000)), features=Z, labels=y)
began = threads()
P = graco.predict_proba(Z, np.where(np.arange(1500) % 3, y, -1), threads=1)
assert threads() == began, (began, threads())
made = [P, graco.GRACE(epochs=2, hidden=16, device="cpu", threads=2).fit_transform(g),
        graco.evaluate(Z, y, splits=2, threads=2).scores]
{after}
print(*(hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() for array in made))
"""


class Beside(unittest.TestCase):
    def trial(self, before="", after=""):
        environment = {**os.environ, "OMP_NUM_THREADS": "4"}
        done = subprocess.run([sys.executable, "-c", TRIAL.format(before=before, after=after)], env=environment,
                              capture_output=True, text=True, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_torch(self):
        """PyTorch before and after graco, which has one thread of four set back to what it was."""
        module("torch")
        before = "import torch\na = torch.rand(800, 800)\nb = a @ a"
        after = """
assert torch.get_num_threads() == 4 and torch.allclose(a @ a, b)
layer = torch.nn.Linear(128, 5)
torch.nn.functional.cross_entropy(layer(torch.from_numpy(Z)), torch.from_numpy(y)).backward()
assert torch.isfinite(layer.weight.grad).all()
made[0] = graco.predict_proba(torch.from_numpy(Z), np.where(np.arange(1500) % 3, y, -1), threads=1)
"""
        alone = self.trial()
        self.assertEqual(self.trial(before, after), alone)
        self.assertEqual(self.trial("import graco\n" + before, after), alone)

    def test_second_openmp(self):
        module("sklearn")
        site = os.path.dirname(os.path.dirname(np.__file__))
        found = glob.glob(os.path.join(site, "*.libs", "libgomp*"))
        if not found:
            self.skipTest("no wheel here brings a libgomp of its own")
        self.assertEqual(self.trial(f"import ctypes; ctypes.CDLL({found[0]!r}, ctypes.RTLD_GLOBAL)"), self.trial())


main()
