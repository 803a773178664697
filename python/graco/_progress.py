"""What a training shows of itself: tqdm's bar, else a line, else nothing."""

from __future__ import annotations

import sys
from typing import Any, Optional


class Silent:
    """Nothing, where stderr is not a terminal."""

    def show(self, progress: Any) -> None:
        """Called at most ten times a second."""

    def close(self) -> None:
        """Called once, at the end."""


class Line(Silent):
    def __init__(self, title: str) -> None:
        self.title = title
        self.width = 0

    def show(self, progress: Any) -> None:
        left = progress.seconds_left
        text = f"{self.title}: epoch {progress.epoch} of {progress.epochs}"
        if progress.loss == progress.loss:
            text += f", loss {progress.loss:.4f}"
        if left == left:
            text += f", {left:.0f} s left"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\n")


class Bar(Silent):
    def __init__(self, title: str, make: Any) -> None:
        self.title, self.make, self.bar = title, make, None

    def show(self, progress: Any) -> None:
        if self.bar is None:
            self.bar = self.make(total=progress.epochs, desc=self.title, unit="epoch")
        self.bar.n = progress.epoch - 1
        if progress.loss == progress.loss:
            self.bar.set_postfix(loss=f"{progress.loss:.4f}", refresh=False)
        self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
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
