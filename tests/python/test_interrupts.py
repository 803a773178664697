"""Ctrl-C ends long work in order: KeyboardInterrupt, nothing half, and the same call works again."""

import os
import signal
import threading
import unittest

import numpy as np

import graco
from support import main

LONG = 10**9  # starts and epochs of which no machine comes to an end


class Interrupts(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.Z = rng.normal(size=(3000, 32)).astype(np.float32)
        self.y = np.arange(3000) % 60

    def interrupted(self, call):
        """The signal comes again and again until the work has ended: the first may come before C is asked to do it."""
        ended = threading.Event()

        def send():
            while not ended.wait(0.3):
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        handler = signal.getsignal(signal.SIGINT)
        sender.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                try:
                    call()
                finally:
                    ended.set()
        finally:
            ended.set()
            sender.join()
        self.assertIs(signal.getsignal(signal.SIGINT), handler)

    def test_cluster(self):
        self.interrupted(lambda: graco.cluster(self.Z, self.y, starts=LONG))
        self.assertEqual(graco.cluster(self.Z[:300], self.y[:300], 5).clusters, 5)

    def test_map(self):
        self.interrupted(lambda: graco.map(self.Z, epochs=LONG))
        self.assertEqual(graco.map(self.Z[:300], epochs=3).places.shape, (300, 2))

    def test_neighbours(self):
        Z = np.repeat(self.Z, 40, axis=0)
        self.interrupted(lambda: graco.neighbours(Z))
        self.assertEqual(graco.neighbours(self.Z[:300], 3)[0].shape, (300, 3))

    def test_predictions(self):
        Z, y = np.tile(self.Z, (4, 8)), np.tile(self.y, 4)
        Z += np.random.default_rng(1).normal(size=Z.shape)
        y = np.where(np.arange(len(y)) % 3 == 0, -1, y)
        for call in (graco.predict_proba, graco.predict):
            self.interrupted(lambda: call(Z, y))
        self.assertEqual(graco.predict_proba(self.Z[:300], self.y[:300]).shape, (300, 60))


main()
