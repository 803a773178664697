#!/usr/bin/env python3
"""Runs a command in a terminal of its own and plays a script on it: terminal.py SCRIPT COMMAND ...

The terminal knows what graco writes: CR, LF, cursor up, erase to the end of the line or the screen. Lines that
are too long for a new width are broken anew, as most terminals do. SCRIPT is words: `size COLS ROWS`,
`until TEXT` (on the screen), `frames N` (until so many more were drawn), `key C` (a control key), `kill NAME`, `screen FILE`, `end`. An
escape that it does not know, or half of one at the end, is a failure. The exit code is the command's; 98: the size
changed while a frame was on its way that is too wide for the new one. Nobody can take that back, so nothing is proved.
"""
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import sys
import termios
import time

ESCAPE = re.compile(r"\033\[(\d*)([A-Za-z])")


class Screen:
    """Rows of characters; soft[i]: row i goes on in the next."""

    def __init__(self, cols, rows):
        self.cols, self.rows, self.text, self.soft = cols, rows, [[]], [False]
        self.row = self.col = 0
        self.rest = self.wrong = ""
        self.changed = self.broken = self.late = False  # the size, since a frame ended; a row since then; by an old frame

    def resize(self, cols, rows):
        lines, line, at = [], [], None
        for i, text in enumerate(self.text):
            if i == self.row:
                at = (len(lines), len(line) + self.col)
            line = line + text
            if not self.soft[i]:
                lines.append(line)
                line = []
        self.text, self.soft = [], []
        for number, line in enumerate(lines):
            first = len(self.text)
            pieces = [line[i:i + cols] for i in range(0, len(line), cols)] or [[]]
            self.text += pieces
            self.soft += [True] * (len(pieces) - 1) + [False]
            if number == at[0]:
                row = min(at[1] // cols, len(pieces) - 1)
                self.row, self.col = first + row, min(at[1] - row * cols, cols - 1)
        self.cols, self.rows, self.changed, self.broken = cols, rows, True, False

    def top(self):
        return max(0, len(self.text) - self.rows)

    def newline(self, soft):
        self.soft[self.row] = soft
        self.row += 1
        if self.row == len(self.text):
            self.text.append([])
            self.soft.append(False)

    def put(self, letter):
        if self.col == self.cols:
            self.newline(True)
            self.col, self.broken = 0, True
        line = self.text[self.row]
        line += [" "] * (self.col + 1 - len(line))
        line[self.col] = letter
        self.col += 1

    def escape(self, number, letter):
        if letter == "A":
            self.row = max(self.row - int(number or 1), self.top())
        elif letter in "KJ" and number in ("", "0"):
            del self.text[self.row][self.col:]
            self.soft[self.row] = False
            if letter == "J":
                self.late = self.late or (self.changed and self.broken)
                self.changed = False
                height = len(self.text) - self.row - 1
                self.text[self.row + 1:] = [[] for _ in range(height)]
                self.soft[self.row + 1:] = [False] * height
        else:
            self.wrong = f"an escape that the terminal does not know: {number}{letter}"

    def feed(self, words):
        words, self.rest = self.rest + words, ""
        at = 0
        while at < len(words):
            letter = words[at]
            if letter == "\033":
                found = ESCAPE.match(words, at)
                if not found:
                    self.rest = words[at:]
                    if len(self.rest) > 20:
                        self.wrong = f"no escape: {self.rest[:20]!r}"
                    return
                self.escape(*found.groups())
                at = found.end()
                continue
            if letter == "\r":
                self.col = 0
            elif letter == "\n":
                self.newline(False)
                self.col = 0
            else:
                self.put(letter)
            at += 1

    def show(self):
        lines = ["".join(line).rstrip() for line in self.text[self.top():]]
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines) + "\n"


class Terminal:
    def __init__(self, command, cols, rows):
        self.child, self.fd = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            settings = termios.tcgetattr(0)
            settings[3] |= termios.NOFLSH  # what was written and not yet read here is not lost when a key is a signal
            termios.tcsetattr(0, termios.TCSANOW, settings)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
            os.execvp(command[0], command)
        self.screen, self.bytes, self.later, self.frames = Screen(cols, rows), b"", b"", 0

    def next_piece(self, left):
        """What comes within so many seconds, b"" if nothing does; None: nothing will come any more."""
        if self.later:
            piece, self.later = self.later, b""
            return piece
        if not select.select([self.fd], [], [], left)[0]:
            return b""
        try:
            return os.read(self.fd, 65536) or None
        except OSError:
            return None

    def read(self, seconds, frames=None):
        """Shows what comes, to the end of that frame at most; False: nothing will come any more."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self.frames != frames:
            piece = self.next_piece(left)
            if not piece:
                return piece is not None
            ends = [end.end() for end in re.finditer(rb"\033\[J", piece)]
            if frames is not None and self.frames + len(ends) >= frames:
                cut = ends[frames - self.frames - 1]
                piece, self.later = piece[:cut], piece[cut:]
            self.show(piece)
        return True

    def show(self, piece):
        self.frames += piece.count(b"\033[J")
        self.bytes += piece
        words = self.bytes.decode("utf-8", "ignore" if b"\xff" in self.bytes else "replace")
        if not words.endswith("\ufffd"):
            self.bytes = b""
            self.screen.feed(words.replace("\r\n", "\n"))

    def until(self, text):
        while text not in self.screen.show():
            if not self.read(0.05):
                break
        if text not in self.screen.show():
            sys.exit(f"never on the screen: {text!r}\n{self.screen.show()}")

    def play(self, words):
        while words:
            word, words = words[0], words[1:]
            if word == "size":
                cols, rows = int(words[0]), int(words[1])
                while piece := self.next_piece(0):  # of the old size
                    self.show(piece)
                self.screen.resize(cols, rows)
                fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
            elif word == "until":
                self.until(words[0])
            elif word == "frames":
                wanted = self.frames + int(words[0])
                while self.frames < wanted and self.read(0.05, wanted):
                    pass
            elif word == "key":
                os.write(self.fd, bytes([ord(words[0]) - 64]))
            elif word == "kill":
                os.kill(self.child, getattr(signal, words[0]))
            elif word == "screen":
                with open(words[0], "w", encoding="utf-8") as file:
                    file.write(self.screen.show())
            elif word == "end":
                while self.read(60):
                    pass
            else:
                sys.exit(f"unknown word {word!r}")
            words = words[{"size": 2, "end": 0}.get(word, 1):]


def main():
    words = shlex.split(sys.argv[1])
    begun = time.monotonic()  # before the command: it draws nothing that is not counted
    terminal = Terminal(sys.argv[2:], int(words[1]), int(words[2]))
    terminal.play(words[3:])
    taken = time.monotonic() - begun
    _, status = os.waitpid(terminal.child, 0)
    if terminal.screen.rest or terminal.bytes:
        terminal.screen.wrong = f"half an escape at the end: {terminal.screen.rest!r} {terminal.bytes!r}"
    if terminal.screen.wrong:
        print(terminal.screen.wrong)
        return 99
    if terminal.screen.late:
        return 98
    print(f"frames {terminal.frames} seconds {taken:.2f}")
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


if __name__ == "__main__":
    sys.exit(main())
