"""What long work shows of itself, tqdm's bar, else a line, else nothing, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any, Optional

from . import _library as c


class Silent:
    """Nothing, where stderr is not a terminal."""

    def show(self, progress: Any, loss: float) -> None:
        """Called at most ten times a second, with the loss of the last epoch."""

    def close(self, epoch: int, loss: float) -> None:
        """Called once, at the end, with the epochs done."""


class Line(Silent):
    def __init__(self, title: str) -> None:
        self.title = title
        self.epochs = self.width = 0

    def _write(self, epoch: int, loss: float, rest: str = "") -> None:
        text = f"{self.title}: epoch {epoch} of {self.epochs}"
        if loss == loss:
            text += f", loss {loss:.4f}"
        text += rest
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def show(self, progress: Any, loss: float) -> None:
        self.epochs, left = progress.epochs, progress.seconds_left
        self._write(progress.epoch, loss, f", {left:.0f} s left" if left == left else "")

    def close(self, epoch: int, loss: float) -> None:
        if self.width:
            self._write(epoch, loss)
            sys.stderr.write("\n")


class Bar(Silent):
    def __init__(self, title: str, make: Any) -> None:
        self.title, self.make, self.bar = title, make, None

    def _write(self, epoch: int, loss: float) -> None:
        self.bar.n = epoch
        if loss == loss:
            self.bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
        self.bar.refresh()

    def show(self, progress: Any, loss: float) -> None:
        if self.bar is None:
            self.bar = self.make(total=progress.epochs, desc=self.title, unit="epoch")
        self._write(progress.epoch - 1, loss)

    def close(self, epoch: int, loss: float) -> None:
        if self.bar is not None:
            self._write(epoch, loss)
            self.bar.close()


def start(title: str, verbose: Optional[bool]) -> Silent:
    """What fits: `verbose` None shows something on a terminal alone, True always, False never."""
    wanted = verbose
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    if not wanted:
        return Silent()
    try:
        from tqdm import tqdm
    except ImportError:
        return Line(title)
    return Bar(title, tqdm)


# ---- Ctrl-C -------------------------------------------------------------------------------------------


class Interrupts:
    """Lets Ctrl-C end long work in order: what its handler raises waits until C has returned.

    An exception that begins in a callback of C cannot pass through C. Signals arrive in the main thread
    alone, so nothing changes in others.
    """

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self.handler: Any = None

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self.handler = handler
                signal.signal(signal.SIGINT, self._note)
        return self

    def watch(self, options: Any) -> None:
        """Lets work with these options ask whether a signal came. They keep the callback as long as it is asked."""
        self.asked = c.SHARE_FN(lambda user, share: self.error is None)
        options.on_progress = self.asked

    def check(self, status: int) -> None:
        """Raises what the handler raised, else what the status says."""
        if self.error:
            raise self.error
        c.check(status)

    def _note(self, number: int, frame: Any) -> None:
        try:
            self.handler(number, frame)
        except BaseException as error:
            self.error = error

    def __exit__(self, *error: Any) -> None:
        if self.handler is not None:
            signal.signal(signal.SIGINT, self.handler)
