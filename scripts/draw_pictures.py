#!/usr/bin/env python3
"""Draws the pictures of the documents: docs/pictures/*.svg. `make pictures` runs this.

The same source gives the same bytes. Sizes that a picture shows are read from the code, so a test that
draws again (tests/style/test_pictures.sh) fails when the code has changed and its picture has not.
Colours follow the reader's light or dark mode. With a folder as argument the files go there.
"""
import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 900  # of every picture; at 600 pixels its smallest text is still 9 high

# What a colour stands for. Tournament rounds use them as mere colours.
#   blue    data, and rows of the first view      teal    rows of the second view
#   amber   parameters, weights                   red     gradients
#   violet  similarities, the objective           grey    masks, barriers, what rests
COLOURS = {  # fill and stroke in light mode, in dark mode
    "blue": ("#dbeafe", "#2563eb", "#15294f", "#6ea8fe"),
    "teal": ("#ccf1e4", "#0d8a66", "#0c3a30", "#3fcf9f"),
    "amber": ("#fdecc0", "#b7700b", "#43300a", "#e7b041"),
    "red": ("#fddcdc", "#cf2f2f", "#4a1b1e", "#ff8080"),
    "violet": ("#e7e0fd", "#7441dd", "#2f2258", "#b197fc"),
    "cyan": ("#d3eff8", "#0b7f9f", "#0d3543", "#4cc6e6"),
    "grey": ("#edf0f3", "#7d8792", "#22282f", "#8b949e"),
    "plain": ("#ffffff", "#c9d1d9", "#0d1117", "#3b434c"),
}
TEXT = {"ink": ("#1f2328", "#e6edf3"), "soft": ("#57606a", "#a3adb8")}
ROUNDS = ("blue", "teal", "amber", "red", "violet", "cyan")


def style():
    """Classes: a colour's fill and stroke, `-line` its stroke alone, `-solid` the stroke as fill."""
    def rules(mode):
        for name, palette in COLOURS.items():
            fill, stroke = palette[2 * mode:2 * mode + 2]
            yield f".{name}{{fill:{fill};stroke:{stroke}}}"
            yield f".{name}-line{{fill:none;stroke:{stroke}}}"
            yield f".{name}-solid{{fill:{stroke};stroke:none}}"
        for name, palette in TEXT.items():
            yield f".{name}{{fill:{palette[mode]}}}"
            yield f".{name}-line{{fill:none;stroke:{palette[mode]}}}"
        yield f".page{{fill:{COLOURS['plain'][2 * mode]}}}"
    light, dark = "".join(rules(0)), "".join(rules(1))
    return ("text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif}"
            ".mono{font-family:ui-monospace,Menlo,Consolas,'Liberation Mono',monospace}"
            f"{light}@media(prefers-color-scheme:dark){{{dark}}}")


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Picture:
    """A page of SVG, drawn from back to front. Text is centred on its line unless `anchor` says else."""

    def __init__(self, title, description, height):
        self.height = height
        self.parts = [f"<title>{html.escape(title)}</title>", f"<desc>{html.escape(description)}</desc>",
                      f"<style>{style()}</style>",
                      f'<rect class="page" width="{WIDTH}" height="{height}" rx="10"/>']
        self.text(30, 36, title, size=20, anchor="start", bold=True)

    def add(self, tag, classes, text=None, **attributes):
        listed = "".join(f' {key.replace("_", "-")}="{number(value) if isinstance(value, (int, float)) else value}"'
                         for key, value in attributes.items() if value is not None)
        end = "/>" if text is None else f">{html.escape(str(text), quote=False)}</{tag}>"
        self.parts.append(f'<{tag} class="{classes}"{listed}{end}')

    def text(self, x, y, text, size=15, anchor="middle", kind="ink", bold=False, mono=False):
        self.add("text", kind + (" mono" if mono else ""), text, x=x, y=y, font_size=size,
                 text_anchor=None if anchor == "start" else anchor, font_weight="bold" if bold else None)

    def lines(self, x, y, texts, step=20, **options):
        for i, text in enumerate(texts):
            self.text(x, y + i * step, text, **options)

    def note(self, x, y, *texts, step=20, **options):
        """Lines of smaller, softer text that begin at x."""
        self.lines(x, y, texts, step=step, **{"size": 14, "anchor": "start", "kind": "soft", **options})

    def box(self, x, y, w, h, colour, texts=(), size=15, radius=4, width=1.5, dashed=False, **options):
        """A box with lines of text in its middle."""
        self.add("rect", colour, x=x, y=y, width=w, height=h, rx=radius, stroke_width=width,
                 stroke_dasharray="4 3" if dashed else None)
        step = size * 1.3
        self.lines(x + w / 2, y + h / 2 + size * 0.35 - step * (len(texts) - 1) / 2, texts, step=step,
                   size=size, **options)

    def path(self, colour, data, width=1.5, dashed=False):
        self.add("path", colour + "-line", d=data, stroke_width=width, stroke_linejoin="round",
                 stroke_dasharray="4 3" if dashed else None)

    def line(self, points, colour="grey", width=1.5, dashed=False):
        self.path(colour, "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), width, dashed)

    def arrow(self, points, colour="grey", width=2, dashed=False):
        """A line through the points; its last one is the arrow's tip."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.hypot(x1 - x0, y1 - y0)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        self.line([*points[:-1], (x1 - 7 * dx, y1 - 7 * dy)], colour, width, dashed)
        corners = [(x1, y1), (x1 - 10 * dx - 5 * dy, y1 - 10 * dy + 5 * dx),
                   (x1 - 10 * dx + 5 * dy, y1 - 10 * dy - 5 * dx)]
        self.add("polygon", colour + "-solid", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))

    def circle(self, x, y, r, colour, text=None, size=15, width=1.5, **options):
        self.add("circle", colour, cx=x, cy=y, r=r, stroke_width=width)
        if text is not None:
            self.text(x, y + size * 0.35, text, size=size, **options)

    def dots(self, x, y, w, h, colour, columns, rows, share, salt=0):
        """Entries of a sparse matrix; which ones are there is a fixed scatter."""
        for i in range(rows):
            for j in range(columns):
                if (i * 7919 + j * 104729 + i * j * 31 + salt) % 97 < share * 97:
                    self.add("rect", colour + "-solid", x=x + (j + 0.25) * w / columns,
                             y=y + (i + 0.25) * h / rows, width=w / columns / 2, height=h / rows / 2)

    def matrix(self, x, y, w, h, name, shape, colours):
        """A matrix whose rows are cut into as many equal parts as there are colours."""
        for i, colour in enumerate(colours):
            self.box(x, y + i * h / len(colours), w, h / len(colours), colour, radius=0)
        self.text(x + w / 2, y - 9, name, bold=True, size=16)
        self.text(x + w / 2, y + h + 19, shape, size=14, kind="soft", mono=True)

    def svg(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img">\n'
                f"{body}\n</svg>\n")


# ---- What the code says ---------------------------------------------------------------------------


def constant(*patterns):
    """The number that the first of the patterns captures in the source."""
    for pattern in patterns:
        for path in sorted((ROOT / "src").rglob("*")):
            if path.suffix in (".h", ".c", ".cu", ".cuh"):
                found = re.search(pattern, path.read_text())
                if found:
                    return int(found[1])
    sys.exit(f"draw_pictures: nothing in src/ matches {' or '.join(patterns)}; "
             "expected a number there: mend the pattern in scripts/draw_pictures.py")


def named(name):
    return constant(rf"\b{name} = (\d+)")


# ---- One training step ----------------------------------------------------------------------------

STEP_TOP, STEP_BACK, STEP_TALL = 204, 588, 108  # of the matrices: forward, backward, their height
STEP_MATRICES = ((330, 76, "H1", "(2N, 2h)"), (505, 40, "H2", "(2N, h)"), (642, 40, "Q", "(2N, p)"),
                 (778, 40, "Z", "(2N, d)"))
STEP_GAPS = ((126, 330, "gcn 1"), (406, 505, "gcn 2"), (545, 642, "elu"), (682, 778, "unit rows"))
STEP_PARAMETERS = (("W1 (F, 2h)", "b1 (1, 2h)"), ("W2 (2h, h)", "b2 (1, h)"), ("P1 (h, p)", "c1 (1, p)"),
                   ("P2 (p, d)", "c2 (1, d)"))


def step_forward(page):
    middle = STEP_TOP + STEP_TALL / 2
    page.matrix(30, middle - STEP_TALL / 4, 96, STEP_TALL / 2, "X", "(N, F)", ("blue",))
    page.dots(30, middle - STEP_TALL / 4, 96, STEP_TALL / 2, "blue", 16, 9, 0.16)
    page.text(78, middle + STEP_TALL / 4 + 38, "sparse or dense", size=14, kind="soft")
    for x, w, name, shape in STEP_MATRICES:
        page.matrix(x, STEP_TOP, w, STEP_TALL, name, shape, ("blue", "teal"))
    page.text(368, middle - STEP_TALL / 4 + 5, "view 1", size=14, kind="soft")
    page.text(368, middle + STEP_TALL / 4 + 5, "view 2", size=14, kind="soft")
    for left, right, name in STEP_GAPS:
        page.arrow([(left + 5, middle), (right - 4, middle)])
        page.text((left + right) / 2, middle - 9, name)
    page.arrow([(823, middle), (839, middle)])
    page.circle(862, middle, 20, "violet", "L", bold=True, size=16)
    page.text(857, middle - 30, "objective", size=14)


def step_views(page):
    page.box(138, 56, 180, 108, "grey")
    page.text(228, 76, "two views, by Philox", size=14)
    for v, colour in ((0, "blue"), (1, "teal")):
        y = 88 + 38 * v
        page.text(150, y + 19, f"m{v + 1}", anchor="start", size=14, mono=True)
        for j in range(9):
            kept = (j * 5 + v * 4) % 9 >= 3
            page.box(174 + 7 * j, y + 8, 7, 14, colour if kept else "plain", radius=0, width=1)
        page.text(252, y + 19, f"M{v + 1}", anchor="start", size=14, mono=True)
        page.box(276, y, 30, 30, "plain", radius=0, width=1)
        page.dots(276, y, 30, 30, colour, 8, 8, 0.3 - 0.05 * v, 23 * v)
    page.arrow([(228, 164), (228, STEP_TOP + STEP_TALL / 2 - 26)])
    page.note(340, 72, "For each view m (F) says which columns of X are kept, and M (N, N)",
              "has the kept edges, normalised. h: hidden, p: projection, d = h.")
    page.note(340, 124, "H1 = act(M X diag(m) W1 + b1)", "H2 = act(M H1 W2 + b2)", step=22, kind="ink", mono=True)
    page.note(610, 124, "Q = elu(H2 P1 + c1)", "Z = unit(Q P2 + c2)", step=22, kind="ink", mono=True)


def step_back(page):
    """The parameters, under the arrows that read them; Adam; their gradients; the gradients of matrices."""
    middle, half = STEP_TOP + STEP_TALL / 2, STEP_BACK + STEP_TALL / 2
    for (left, right, _), shapes in zip(STEP_GAPS, STEP_PARAMETERS):
        x = (left + right) / 2
        page.arrow([(x, 366), (x, middle + 7)], "amber")
        page.box(x - 60, 366, 120, 50, "amber", shapes, size=14, mono=True)
        page.arrow([(x, 440), (x, 420)], "amber")
        page.arrow([(x, 494), (x, 476)], "red")
        page.box(x - 60, 494, 120, 50, "red", ["d" + shape for shape in shapes], size=14, mono=True)
        page.arrow([(x, half), (x, 548)], "red")
    page.box(168, 440, 622, 36, "amber",
             ("Adam: one step for all parameters; values, gradients and moments are flat blocks",))
    for x, w, name, shape in STEP_MATRICES:
        page.matrix(x, STEP_BACK, w, STEP_TALL, "d" + name, shape, ("red", "red"))
    page.arrow([(862, middle + 20), (862, half), (822, half)], "red")
    for left, right, _ in STEP_GAPS[1:]:
        page.arrow([(right - 4, half), (left + 4, half)], "red")
    page.line([(326, half), (228, half)], "red", 2)
    page.note(30, half - 6, "X is data:", "it has no gradient")


def draw_step():
    page = Picture("One training step", "Every matrix of a training step of GRACE with its shape, forward and "
                   "backward, and every parameter with its gradient.", 756)
    step_forward(page)
    step_views(page)
    step_back(page)
    nodes, features, h = 2708, 1433, 128
    total = features * 2 * h + 2 * h + 2 * h * h + h + 2 * (h * h + h)
    page.note(30, 742, f"Cora: N = {nodes:,}, F = {features:,}, h = p = {h}: {total:,} parameters. "
              "Where act is PReLU, its slope is one more: prelu (1, 1).")
    return page


# ---- The tournament of tiles ----------------------------------------------------------------------

BLOCKS, CHOSEN = 6, 2  # blocks of the drawn tournament; the block whose sums the picture follows


def tile_at(index):
    """As match_at of cpu_tournament.c: the round of a match, here one tile, and its two blocks."""
    even, rest = BLOCKS // 2 + 1, index % (BLOCKS + 1)
    turn, k = 2 * (index // (BLOCKS + 1)) + (rest >= even), rest - even if rest >= even else rest
    low = turn // 2 + 1
    i = k if k < low else turn + 1 + k - low
    return turn, i, (turn if k < low else turn + BLOCKS) - i


def tournament_matrix(page, tiles):
    x0, y0, cell = 96, 108, 50
    for view, name in enumerate(("view 1", "view 2")):
        at = 3 * cell * view
        page.text(x0 + at + 1.5 * cell, y0 - 36, name, size=14, kind="soft")
        page.line([(x0 + at + 4, y0 - 29), (x0 + at + 3 * cell - 4, y0 - 29)])
        page.text(x0 - 34, y0 + at + 1.5 * cell + 5, name, size=14, kind="soft", anchor="end")
        page.line([(x0 - 28, y0 + at + 4), (x0 - 28, y0 + at + 3 * cell - 4)])
    for i in range(BLOCKS):
        page.text(x0 + (i + 0.5) * cell, y0 - 10, i)
        page.text(x0 - 14, y0 + (i + 0.5) * cell + 5, i)
        for j in range(i):
            page.box(x0 + j * cell, y0 + i * cell, cell, cell, "plain", radius=0, width=1)
    for index, (turn, i, j) in enumerate(tiles):
        page.box(x0 + j * cell, y0 + i * cell, cell, cell, ROUNDS[turn], (index,), size=17, radius=0, bold=True)
    page.box(x0 + 3 * cell, y0, 3 * cell, 3 * cell, "ink-line", radius=0, width=3)
    page.note(x0, y0 + 6 * cell + 26, f"Blocks have {named('CONTRAST_TILE')} rows or fewer, all of one view.",
              "A number is the tile's place in the order.", "Heavy frame: between views; else within one.",
              "Below the diagonal: the same tiles, transposed.")


def tournament_round(page, turn, tiles):
    """Who meets whom: an arc between two blocks, a loop at a block that meets itself."""
    y, colour = 128 + 61 * turn, ROUNDS[turn]
    mine = [index for index, tile in enumerate(tiles) if tile[0] == turn]
    place = [558 + 47 * block for block in range(BLOCKS)]
    page.box(448, y - 14, 84, 28, colour, (f"round {turn}",))
    page.text(880, y + 5, f"{mine[0]} to {mine[-1]}", size=14, anchor="end", kind="soft")
    for _, i, j in (tiles[index] for index in mine):
        a, b, rise = place[i], place[j], 13 + 4.5 * (j - i)
        if i == j:
            page.path(colour, f"M{a - 6} {y + 8}C{a - 20} {y + 32} {a + 20} {y + 32} {a + 6} {y + 8}", 2.5)
        else:
            page.path(colour, f"M{a} {y}C{a + 8} {y - rise} {b - 8} {y - rise} {b} {y}", 2.5)
    for block, x in enumerate(place):
        page.circle(x, y, 12, colour, block, size=14, bold=block == CHOSEN)
    page.circle(place[CHOSEN], y, 12, "ink-line", width=2.5)


def tournament_threads(page, tiles):
    size, left, top = 27, 120, 552
    parts = [index for index, (_, *pair) in enumerate(tiles) if CHOSEN in pair]
    page.text(30, top - 22, "Threads take tiles in this order. A tile adds to a block once the block has finished "
              "the round before.", anchor="start")
    page.note(30, top + 18, "1 thread", kind="ink")
    page.note(30, top + 44 + 1.5 * size + 5, "3 threads", kind="ink")
    page.note(400, top + 64, f"Both add the parts of block {CHOSEN} in the order of rounds:", kind="ink")
    squares = [(left + index * size, top, index) for index in range(len(tiles))]
    squares += [(left + index // 3 * size, top + 44 + index % 3 * size, index) for index in range(len(tiles))]
    squares += [(400 + k * 54, top + 78, index) for k, index in enumerate(parts)]
    for x, y, index in squares:
        page.box(x, y, size, size, ROUNDS[tiles[index][0]], (index,), size=13, radius=2, bold=index in parts)
    for k in range(1, len(parts)):
        page.text(400 + k * 54 - 13, top + 97, "+")
    for x, y, index in squares:
        if index in parts:
            page.box(x, y, size, size, "ink-line", radius=2, width=2.5)


def draw_tournament():
    tiles = [tile_at(index) for index in range(BLOCKS * (BLOCKS + 1) // 2)]
    assert all((i + j) % BLOCKS == turn and i <= j for turn, i, j in tiles)
    assert len({(i, j) for _, i, j in tiles}) == len(tiles)
    page = Picture("The exact objective: tiles in the order of a tournament",
                   "Six blocks of rows, 21 tiles, six rounds. In every round each block meets exactly one block.", 704)
    tournament_matrix(page, tiles)
    page.text(448, 86, "In each round every block meets one block.", anchor="start")
    page.text(880, 86, "tiles", size=14, anchor="end", kind="soft")
    for turn in range(BLOCKS):
        tournament_round(page, turn, tiles)
    tournament_threads(page, tiles)
    return page


# ---- The fused kernel -----------------------------------------------------------------------------

SHARED_MOST, REGISTERS_MOST = 227 * 1024, 65536  # of a thread block, of a multiprocessor: the H100 family


class Kernel:
    """The sizes of the kernels in cuda_tiles.cuh and cuda_tiles_wgmma.cu, for the widest rows."""
    width, rows, group = named("TILE_WIDTH_MAX"), named("TILE_ROWS"), named("GROUP")
    cols = named("TILE_BACK_COLS")
    slots = constant(r"stages = width == 256 \? (\d+)")
    warps = 2 * group // 32  # that multiply
    few = constant(r"FETCH_REGISTERS = (\d+)")
    many = constant(r"MULTIPLY_REGISTERS = (\d+)")
    slot_bytes, block_bytes = cols * width * 2, rows * width * 2
    registers = (("sum", width // 2, "red"), ("s", cols // 2, "violet"), ("w", cols // 4, "amber"))


def shared_layout():
    """As struct layout of cuda_tiles_wgmma.cu: the parts of a thread block's shared memory, in bytes."""
    return [("rows", Kernel.block_bytes), *((f"slot {i}", Kernel.slot_bytes) for i in range(Kernel.slots)),
            ("1/D", Kernel.slots * Kernel.cols * 4), ("barriers", (2 * Kernel.slots + 2) * 8),
            ("room to align", 1024)]


RING_X, RING_Y, RING_INNER, RING_OUTER, RING_BARRIERS = 431, 268, 54, 108, 123


def ring_point(radius, angle):
    return RING_X + radius * math.cos(angle), RING_Y + radius * math.sin(angle)


def ring_slot(page, i, text, colour, done):
    """A sector of the ring with its two barriers; `done` is the letter of the one that has completed."""
    angle, half = 2 * math.pi * (i + 0.5) / Kernel.slots - math.pi / 2, math.pi / Kernel.slots
    a, b, c, d = (" ".join(map(number, ring_point(radius, angle + side * half))) for radius, side in
                  ((RING_OUTER, -1), (RING_OUTER, 1), (RING_INNER, 1), (RING_INNER, -1)))
    page.add("path", colour, d=f"M{a}A{RING_OUTER} {RING_OUTER} 0 0 1 {b}L{c}A{RING_INNER} {RING_INNER} 0 0 0 {d}Z",
             stroke_width=1.5, stroke_dasharray="4 3" if text == "arriving" else None)
    x, y = ring_point(82, angle)
    page.text(x, y - 3, f"slot {i}", size=14, bold=True)
    page.text(x, y + 14, text, size=13)
    for letter, turn, lit in (("F", -0.15, "blue"), ("E", 0.15, "grey")):
        page.circle(*ring_point(RING_BARRIERS, angle + turn), 10, lit if letter == done else "plain", letter, size=12,
                    bold=letter == done)


def ring_memory(page):
    page.box(250, 56, 362, 356, "plain", dashed=True)
    page.text(RING_X, 76, "shared memory", size=14, kind="soft")
    page.box(266, 86, 330, 34, "blue", (f"block I: {Kernel.rows} rows, {Kernel.block_bytes:,} bytes",), size=14)
    states = [("in use", "violet", "F"), ("next", "blue", "F"), *[("full", "blue", "F")] * (Kernel.slots - 4),
              ("arriving", "blue-line", ""), ("empty", "grey", "E")]
    for i, state in enumerate(states):
        ring_slot(page, i, *state)
    page.lines(RING_X, RING_Y - 12, (f"{Kernel.slots} slots of", f"{Kernel.cols} rows:",
                                     f"{Kernel.slots * Kernel.slot_bytes:,} B"), size=14, step=18)


def ring_fetching(page):
    page.box(30, 62, 178, 64, "blue", ("Z in halves,", "in global memory"))
    page.box(30, 216, 178, 146, "grey", ("warp group 0 fetches", f"{Kernel.group} threads",
                                         f"{Kernel.few} registers each", "thread 0 starts every",
                                         "copy and waits for E"), size=14)
    page.arrow([(119, 216), (119, 130)])
    page.note(130, 166, "bulk", "copies", step=18)
    page.arrow([(208, 103), (262, 103)], "blue")
    rise = ring_point(RING_BARRIERS, 2 * math.pi * (Kernel.slots - 1.5) / Kernel.slots - math.pi / 2)[1] - RING_Y
    page.arrow([(231, 103), (231, RING_Y + rise),
                (RING_X - math.sqrt(RING_OUTER**2 - rise**2) - 7, RING_Y + rise)], "blue")


def ring_multiplying(page):
    for g in (0, 1):
        top, at, scale = 62 + 170 * g, 672, 186 / Kernel.many
        first = g * Kernel.rows // 2
        page.box(660, top, 210, 130, "grey")
        page.text(765, top + 22, f"warp group {g + 1} multiplies", size=14)
        page.text(765, top + 41, f"rows {first} to {first + Kernel.rows // 2 - 1} of block I", size=14, kind="soft")
        for name, count, colour in Kernel.registers:
            page.box(at, top + 52, count * scale, 24, colour, (name,) if count > 20 else (), size=13, radius=0)
            at += count * scale
        page.box(at, top + 52, 858 - at, 24, "plain", radius=0)
        page.note(672, top + 96, ", ".join(f"{name} {count}" for name, count, _ in Kernel.registers),
                  f"of {Kernel.many} registers a thread", step=19, kind="ink")
        page.arrow([(616, top + 65), (656, top + 65)], "violet")
        page.text(636, top + 56, "F", size=14, bold=True)
    page.arrow([(765, 362), (765, 434), (119, 434), (119, 366)], dashed=True)
    page.text(440, 454, f"F, full: {Kernel.slot_bytes + 4 * Kernel.cols:,} bytes have arrived. E, empty: "
              f"{Kernel.warps} arrivals, one from each multiplying warp.", size=14, kind="soft")


def ring_turns(page):
    page.text(30, 500, "The two groups take turns on the tensor cores", bold=True, size=16, anchor="start")
    unit, left = 124, 120
    tiles = ("tile k", "tile k+1", "tile k+2", "tile k+3")
    for g in (0, 1):
        top = 518 + 54 * g
        page.note(30, top + 27, f"group {g + 1}", kind="ink")
        for turn in range(3):
            at = left + unit * (2 * turn + g)
            page.box(at, top, unit, 44, "violet", (f"{tiles[turn]}: w Z", f"{tiles[turn + 1]}: s"), size=13)
        for turn in range(3):
            at = left + unit * (2 * turn + 1 - g)
            page.box(at, top + 6, 0.8 * unit, 32, "amber", (f"{tiles[turn + 1 - g]}: w",), size=13)
    page.note(left, 640, "s = Z_I Z_k'; w = exp((s - 1)/tau) (1/D_i + 1/D_j), in halves; "
              "w Z is added to sum, rows of dZ")


def ring_bytes(page):
    page.text(30, 686, f"Shared memory, of {SHARED_MOST:,} bytes that a thread block may have", bold=True, size=16,
              anchor="start")
    top, at, narrow = 704, 30, []
    for part, count in shared_layout():
        w = 840 * count / SHARED_MOST
        colour = "blue" if part == "rows" else "cyan" if "slot" in part else "grey"
        if w > 60:
            page.box(at, top, w, 42, colour, (part, f"{count:,}"), size=13, radius=0, width=1)
        else:
            page.box(at, top, w, 42, colour, radius=0, width=0.5)
            narrow.append(f"{part} {count:,}")
        at += w
    page.box(30, top, 840, 42, "grey-line", radius=0, width=1)
    page.note(30, top + 60, f"{sum(count for _, count in shared_layout()):,} bytes; the narrow parts: "
              + ", ".join(narrow))
    registers = Kernel.group * Kernel.few + 2 * Kernel.group * Kernel.many
    page.note(30, 794, f"Registers: {Kernel.group} x {Kernel.few} + {2 * Kernel.group} x {Kernel.many} = "
              f"{registers:,} of {REGISTERS_MOST:,}.")


def draw_ring():
    page = Picture(f"The fused kernel: one thread block, backward, d = {Kernel.width}",
                   "One warp group fetches rows of Z into a ring in shared memory; two warp groups take turns on the "
                   "tensor cores.", 812)
    ring_memory(page)
    ring_fetching(page)
    ring_multiplying(page)
    ring_turns(page)
    ring_bytes(page)
    return page


# ---- A mini-batch ---------------------------------------------------------------------------------

PLACES = {0: (58, 104), 1: (52, 200), 2: (212, 200), 3: (384, 262), 4: (128, 262), 5: (292, 150), 6: (362, 200),
          7: (140, 150), 8: (376, 110), 9: (172, 84)}
EDGES = ((7, 4), (7, 2), (7, 9), (2, 5), (2, 4), (4, 1), (5, 8), (5, 6), (0, 1), (0, 9), (6, 3), (6, 8))
ROOTS = (7, 2)
# By hop, what each target draws: chosen for the example, where the sampler would ask Philox.
DRAWS = ({7: (4, 2), 2: (5, 5)}, {7: (9, 2), 2: (5, 4), 4: (1, 7), 5: (8, 2)})


class Sample:
    """As sampler.c: nodes in the order of first appearance, counts, edges of each hop (source, target)."""

    def __init__(self):
        self.nodes, self.counts, self.hops = list(ROOTS), [len(ROOTS)], []
        for draws in DRAWS:
            hop = []
            for target, node in enumerate(self.nodes[:self.counts[-1]]):
                for neighbour in draws[node]:
                    assert (node, neighbour) in EDGES or (neighbour, node) in EDGES
                    if neighbour not in self.nodes:
                        self.nodes.append(neighbour)
                    hop.append((self.nodes.index(neighbour), target))
            self.hops.append(hop)
            self.counts.append(len(self.nodes))

    def colour(self, node):
        place = self.nodes.index(node) if node in self.nodes else len(self.nodes)
        return ("violet", "blue", "teal", "grey")[sum(place >= count for count in self.counts)]


def batch_graph(page, sample):
    for a, b in EDGES:
        page.line([PLACES[a], PLACES[b]])
    for node, (x, y) in PLACES.items():
        page.circle(x, y, 18, sample.colour(node), node, bold=node in sample.nodes)
    for k, (name, text) in enumerate((("violet", "the roots"), ("blue", "found in hop 1"), ("teal", "found in hop 2"),
                                      ("grey", "not in the sample"))):
        x, y = 40 + 200 * (k % 2), 324 + 26 * (k // 2)
        page.circle(x, y - 5, 8, name)
        page.note(x + 16, y, text, kind="ink")


def batch_nodes(page, sample):
    cell = 48
    page.text(30, 404, "nodes, in the order of their first appearance", anchor="start")
    for i, node in enumerate(sample.nodes):
        page.box(30 + i * cell, 418, cell, 40, sample.colour(node), (node,), size=17, radius=0, bold=True)
    for h, count in enumerate(sample.counts):
        y, right = 474 + 30 * h, 30 + count * cell
        page.path("grey", f"M31 {y - 5}V{y}H{right - 1}V{y - 5}", 2)
        page.note(30, y + 18, f"count[{h}] = {count}", kind="ink", mono=True)
    page.note(30, 594, "Node 2 draws node 5 twice: two edges. Nodes that are",
              "met again (2, 4, 5, 7) are stored once.")


def batch_layers(page, sample):
    left, top, w, h, step = (476, 660, 812), 128, 54, 34, 46

    def centre(place):
        return top + place * step + h // 2

    for k, hop in enumerate(reversed(sample.hops)):
        x0, x1 = left[k] + w + 2, left[k + 1] - 5
        page.text((x0 + x1) / 2, top - 36, f"layer {k + 1}")
        page.text((x0 + x1) / 2, top - 14, f"over hop[{len(sample.hops) - 1 - k}]", size=14, kind="soft")
        for target in range(sample.counts[-2 - k]):
            page.line([(x0, centre(target)), (x1, centre(target))], dashed=True)
        for source, target in sorted(set(hop)):
            copies, y0, y1 = hop.count((source, target)), centre(source), centre(target)
            for copy in range(copies):
                bow = 12 * (2 * copy - copies + 1)
                page.path(sample.colour(sample.nodes[source]),
                          f"M{x0} {y0}C{x0 + 38} {y0 + bow} {x1 - 39} {y1 + bow} {x1} {y1}", 2)
    for k, (x, name) in enumerate(zip(left, ("X", "H1", "H2"))):
        count = sample.counts[-1 - k]
        page.text(x + w / 2, top - 36, name, bold=True, size=16)
        page.text(x + w / 2, top - 14, f"({count}, {'h' if k else 'F'})", size=14, kind="soft", mono=True)
        for i, node in enumerate(sample.nodes[:count]):
            page.box(x, top + i * step, w, h, sample.colour(node), (node,), bold=True)
    page.note(448, 480, "A hop's targets are the first rows of its sources.",
              "Coloured: drawn edges; dashed: the node itself (A + I).",
              "Layers run from the outermost hop inward; the", "objective sees the roots alone.",
              "Both views drop edges of this one sample, each its",
              "own, so that H1 has 2 x 4 rows and H2 has 2 x 2.", step=22)


def draw_batch():
    page = Picture("The blocks of a mini-batch: two roots, two hops, fanout 2",
                   "A sampled neighbourhood as one graph per hop. The targets of a hop are the first rows of its "
                   "sources; layers run from the outermost hop inward.", 640)
    sample = Sample()
    batch_graph(page, sample)
    batch_nodes(page, sample)
    batch_layers(page, sample)
    return page


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (draw_step, draw_tournament, draw_ring, draw_batch):
        name = draw.__name__.removeprefix("draw_")
        (folder / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
