#!/usr/bin/env python3
"""Holds every answer of a new build against an old one: scripts/same_answers.py OLD_GRACO NEW_GRACO

Runs one fixed list of commands with both programs, side by side, in two folders that begin alike, and
shows every difference in exit codes, in what they print and in each file that they write: run folders,
pages, pictures, tables, exported files. Seconds, memory in use and dates are masked. Nothing is kept as
a record, since another processor may give other bits. The data is made by the old program, and run
folders of the old program are read by the new one as well. Exit code 1 if anything differs.

A difference that is meant is left out by its command (--skip plan,help; --only train looks at one) or by what it
holds: --without _from_here leaves out keys of JSON and lines.
scripts/same_bits.sh holds longer trainings, and scripts/same_speed.py the speed.
"""
import argparse
import array
import csv
import difflib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMEOUT_SECONDS = 300

# ---- What is run --------------------------------------------------------------------------------

# The data of all cases: made once by the old program.
DATA = """
generate words.npz --nodes 300 --features 60
generate dense.npz --nodes 240 --features 30 --dense --seed 1
generate bare.npz --nodes 200 --features 0 --seed 2
generate ppi --like ppi --scale 0.01
generate reddit --like reddit --scale 0.001
"""
TEXT_DATA = {
    # A directed graph with names, weights, a table of features and one of labels.
    "arrows.csv": "source,target,weight\n" + "".join(
        f"n{i},n{(i * step + 3) % 80},{1 + i % 3}\n" for i in range(80) for step in (2, 5, 7)),
    "arrows_features.csv": "id,a,b,c\n" + "".join(
        f"n{i},{i % 7 / 7:.3f},{i % 5 - 2},{i % 3}\n" for i in reversed(range(80))),
    "arrows_labels.csv": "id,label\n" + "".join(
        f"n{i},{('red', 'green', '', 'blue')[i % 4]}\n" for i in range(80)),
    "bad.csv": "0,1\n1,two,3\n",
}
ARROWS = "arrows.csv --features arrows_features.csv --labels arrows_labels.csv"
METHODS = ("dgi gae vgae deepwalk node2vec sage_gcn sage_mean sage_pool sage_lstm gcn sgc propagate fastgcn gaan_mean "
           "gaan").split()
COMMANDS = ("train watch plan embed export neighbours map report eval predict methods tune reproduce info convert "
            "partition split-links generate fetch completion").split()

# One case a line, its command first. `keep` hands the old program's run folder to both.
CASES = f"""
generate made.npz --nodes 120 --classes 3 --features 20 --degree 5 --homophily 0.6 --seed 4
generate made --nodes 120 --dense
generate made_arxiv --like arxiv --scale 0.002
info words.npz --json
info words.npz
info {ARROWS} --json
info {ARROWS} --directed --of n3 --of n7
info ppi --json
info reddit
convert words.npz words_folder
convert {ARROWS} arrows.npz
convert arrows.csv unweighted --unweighted --undirected
split-links words.npz -o links --test 0.2 --seed 3
train words.npz -o runs/grace --epochs 4 --set hidden=16 --json
train words.npz -o runs/grace --epochs 6 --set hidden=16 --resume --json
train words.npz -o runs/sage --epochs 3 --set encoder=sage_skip --set hidden=16 --objective infonce --seed 7
train dense.npz -o runs/moment --epochs 3 --set encoder=sage --set hidden=16 --objective moment --set patience=2
train words.npz -o runs/batch --epochs 2 --set batch=64 --set fanout=4,3 --set hidden=16 -q
train ppi -o runs/ppi --epochs 2 --set inductive=1 --set hidden=16 --set graphs=2
train {ARROWS} -o runs/arrows --epochs 3 --set hidden=8
train {ARROWS} -o runs/directed --epochs 3 --set hidden=8 --directed --unweighted --node-features degree
train bare.npz -o runs/bare --epochs 2 --set hidden=8 --node-features spectral
train bare.npz -o runs/learned --epochs 2 --set hidden=8 --node-features learned
train words.npz -o runs/seeds --epochs 2 --set hidden=8 --runs 2 --json
train words.npz -o runs/splits --method gcn --epochs 3 --splits 3 --json
train words.npz -o runs/contaminated --epochs 2 --set hidden=8 --set contaminate=0.4 --preset cora
{"".join(f"train words.npz -o runs/{name} --method {name} --epochs 2 --json" + chr(10) for name in METHODS
         if name not in ("sgc", "propagate"))}
train words.npz -o runs/sgc --method sgc --json
train words.npz -o runs/propagate --method propagate --json
train words.npz --method gae -o runs/gae --epochs 4 --resume
watch runs/grace
keep grace sage ppi arrows gcn deepwalk seeds splits bare
report kept/grace kept/sage -o two.html --splits 3
report kept/seeds/run-1 kept/seeds/run-2 -o seeds.html --no-map --protocol authors --splits 2 --title Seeds
report kept/deepwalk -o walks.html --no-map --splits 2
report runs/grace -o own.html --splits 3
train words.npz -o kept/grace --epochs 8 --set hidden=16 --resume
train words.npz -o kept/gcn --method gcn --epochs 4 --resume --json
embed runs/grace words.npz -o grace.npy
embed runs/ppi ppi -o ppi.npy
embed runs/gcn words.npz -o gcn.npy
embed kept/sage words.npz -o kept_sage.npy
embed kept/arrows {ARROWS} -o kept_arrows.npy
embed runs/bare bare.npz -o bare.npy
eval runs/grace runs/sage words.npz --splits 4 --json --confusion
eval runs/grace runs/sage words.npz --splits 4 --confusion
eval grace.npy words.npz --protocol authors --splits 3 --baseline raw,untrained --json --splits-file parts.npy
eval runs/ppi ppi --protocol public --json --with-features
eval runs/grace words.npz --task cluster --clusters 5 --json --seed 3
eval runs/gcn words.npz --protocol public --json
eval kept/grace kept/deepwalk words.npz --splits 3 --json
eval kept/seeds words.npz --splits 2 --json
eval kept/splits words.npz --json
train links -o runs/links --epochs 3 --set hidden=16
eval runs/links links --task link --json
predict runs/arrows {ARROWS} -o arrows_predicted.csv
predict runs/gcn words.npz --all -o gcn_predicted.csv
predict kept/grace words.npz --of 3 --of 5 -o -
neighbours runs/arrows -k 3 --of n5
neighbours runs/grace -k 4 -o near.json
neighbours kept/grace -k 4 -o near.csv --metric inner
neighbours grace.npy -k 2 -o near.npz
map runs/arrows {ARROWS} -o arrows.html --svg arrows.svg --png arrows.png --npy arrows_map.npy --epochs 60
map kept/grace words.npz -o grace.html --svg grace.svg --clusters 4 --epochs 60 --title Grace
map grace.npy -o plain.html --values gcn_map.npy --epochs 30
export runs/arrows -o arrows_out.csv
export runs/arrows -o arrows_out.tsv --spreadsheet-safe
export runs/arrows -o arrows_out.txt
export runs/arrows -o arrows_out.vec
export kept/arrows -o arrows_out.bin
export grace.npy -o grace_out.npz --of 3
tune words.npz -o tuned --trials 2 --search hidden=8,16 --search epochs=3 --search layers=1,2 --at-once 1 --json -q
tune words.npz -o tuned_gae --trials 2 --method gae --search hidden=8,16 --search epochs=3 --criterion validation --at-once 1 -q
plan words.npz --json --set hidden=32
plan dense.npz --method gcn
plan words.npz --json --ranks 4
reproduce --list --quick
reproduce datasets --sets cora,citeseer -o paper -q
reproduce --no-train -o paper_again -q --merge {shlex.quote(os.path.join(TREE, "docs", "results", "results.json"))}
reproduce transductive --sets cora --methods deepwalk --quick -o paper_quick -q
methods
methods --json
fetch --list
partition words.npz -n 2 -o ordered
completion bash
completion zsh
completion fish
help
{"".join(f"help {name}" + chr(10) for name in COMMANDS)}
help train --method gaan
refuse train words.npz -o runs/grace
refuse train words.npz -o runs/x --set hiden=3
refuse train words.npz -o runs/x --method grce
refuse train bad.csv -o runs/x
refuse train nothing.npz -o runs/x
refuse train words.npz -o runs/x --epochs many
refuse train words.npz -o runs/x --preset coro
refuse eval runs/grace dense.npz
refuse embed runs/grace dense.npz -o x.npy
refuse predict runs/nothing words.npz -o x.csv
refuse export runs/grace -o x.doc
refuse neighbours runs/grace --of nobody
refuse info words.npz --jsn
refuse evl runs/grace words.npz
refuse tune words.npz --trials 0
refuse report runs/nothing -o x.html
"""

# ---- What is masked -----------------------------------------------------------------------------

MASKED_KEY = re.compile(r"seconds|peak_rss|_ms|available|date|(load|loading|data|host|free|own)_")
MEASURED = re.compile(r"(?<![\w.#-])\d[\d.,]*(e[+-]?\d+)? ?(s|ms|us|min|h|days?|seconds|minutes|[KMG]i?B|kB)\b")

# A plot of milliseconds, and a page's line about them.
TIMES_OF_A_PAGE = re.compile(r"<svg\b(?:(?!</svg>).)*>ms</text>.*?</svg>|(?<=<dt>ms for an epoch</dt>\n<dd>)[^<]*",
                             re.DOTALL)


# Keys of JSON, and lines, that --without leaves out.
left_out = re.compile(r"(?!)")


def mask_value(value):
    if isinstance(value, dict):
        return {key: "~" if MASKED_KEY.search(key) and not isinstance(inner, (dict, list)) else mask_value(inner)
                for key, inner in value.items() if not left_out.search(key)}
    if isinstance(value, list):
        return [mask_value(item) for item in value]
    return value


def mask_text(text):
    return MEASURED.sub(lambda found: "~ " + found.group(2), text)


def mask_lines(text):
    """Lines of text; those that are JSON are masked by key and laid out, a line for each value."""
    lines = []
    for line in text.splitlines():
        try:
            value = json.loads(line) if line[:1] in "{[" else None
        except ValueError:
            value = None
        lines += [mask_text(line)] if value is None else json.dumps(mask_value(value), indent=1).splitlines()
    return lines


def mask_table(text, delimiter):
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    masked = [column for column, name in enumerate(rows[0] if rows else []) if MASKED_KEY.search(name)]
    return [delimiter.join("~" if column in masked else field for column, field in enumerate(row)) for row in rows]


# ---- What a file says ---------------------------------------------------------------------------

def numbers_differ(old, new):
    """What two .npy files differ in, in words."""
    heads = [content[10:content.find(b"\n") + 1] for content in (old, new)]
    if heads[0] != heads[1] or b"<f4" not in heads[0]:
        return [f"- {heads[0].decode(errors='replace').strip()}", f"+ {heads[1].decode(errors='replace').strip()}",
                "  other bytes"]
    items = [array.array("f", content[10 + len(head):]) for content, head in zip((old, new), heads)]
    gaps = [abs(a - b) for a, b in zip(*items)]
    return [f"  {sum(gap > 0 for gap in gaps)} of {len(gaps)} numbers differ, by at most {max(gaps):.3g}"]


def as_lines(name, content):
    """A file as lines to compare, or None where only its bytes count."""
    ending = os.path.splitext(name)[1]
    if ending in (".npz", ".zip") and zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [f"{member}: {archive.read(member).hex()}" for member in sorted(archive.namelist())]
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    if ending == ".json":
        try:
            return json.dumps(mask_value(json.loads(text)), indent=1).splitlines()
        except ValueError:
            return mask_lines(text)
    if ending in (".csv", ".tsv"):
        return mask_table(text, "," if ending == ".csv" else "\t")
    return mask_lines(TIMES_OF_A_PAGE.sub("~", text) if ending == ".html" else text)


def lines_differ(old, new):
    """Lines that differ, each cut to where it begins to."""
    old, new = ([line for line in lines if not left_out.search(line)] for lines in (old, new))
    if len(old) + len(new) > 10000:  # too many to be aligned: those that the other side has nowhere
        shown = [sign + line for sign, lines, others in (("-", old, set(new)), ("+", new, set(old)))
                 for line in lines if line not in others] or ["  other order"] * (old != new)
    else:
        shown = [line for line in difflib.unified_diff(old, new, n=0, lineterm="")
                 if not line.startswith(("---", "+++", "@@"))]
    for place in range(len(shown) - 1):
        if shown[place][0] == "-" and shown[place + 1][0] == "+" and len(shown[place]) > 150:
            begin = len(os.path.commonprefix([shown[place][1:], shown[place + 1][1:]]))
            for which in (place, place + 1):
                shown[which] = shown[which][0] + "..." + shown[which][1 + max(0, begin - 40):]
    return [line[:180] for line in shown]


def files_differ(name, old, new):
    if old is None or new is None:
        return [f"  written by the {'new' if old is None else 'old'} program alone"]
    if old == new:
        return []
    if name.endswith(".npy"):
        return numbers_differ(old, new)
    sides = [as_lines(name, content) for content in (old, new)]
    if None in sides:
        return [f"  other bytes: {len(old)} and {len(new)}"]
    return lines_differ(*sides)


# ---- Running ------------------------------------------------------------------------------------

def snapshot(folder):
    """What every file below a folder looks like from outside, by its path."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            state = os.stat(path)
            found[os.path.relpath(path, folder)] = (state.st_mtime_ns, state.st_size, state.st_ino)
    return found


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Side:
    """One program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = dict(os.environ, HOME=os.path.join(folder, ".home"), NO_COLOR="1", COLUMNS="100")
        os.makedirs(self.environment["HOME"])

    def start(self, words):
        self.before = snapshot(self.folder)
        self.process = subprocess.Popen([self.program, *words], cwd=self.folder, env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self):
        try:
            output, errors = self.process.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
        output, errors = (text.replace(self.folder.encode(), b"~") for text in (output, errors))
        self.said = {"exit code": str(self.process.returncode).encode(), "stdout": output, "stderr": errors}
        after = snapshot(self.folder)
        self.changed = {path for path in after.keys() | self.before.keys()
                        if after.get(path) != self.before.get(path) and not path.startswith(".home") and os.path.basename(path) != "lock"}


def check(sides, words):
    """Everything in which one command's answers differ: (what, lines) for each."""
    for side in sides:
        side.start(words)
    for side in sides:
        side.finish()
    found = []
    for what in ("exit code", "stdout", "stderr"):
        said = [side.said[what] for side in sides]
        # Trainings that run at once report in any order.
        if what == "stderr" and words[0] == "train":
            said = [b"\n".join(sorted(text.split(b"\n"))) for text in said]
        found.append((what, files_differ(what, *said)))
    for path in sorted(set().union(*(side.changed for side in sides))):
        found.append((path, files_differ(path, *(read(os.path.join(side.folder, path)) for side in sides))))
    return [(what, lines) for what, lines in found if lines]


def keep(sides, names):
    for side in sides:
        for name in names:
            shutil.copytree(os.path.join(sides[0].folder, "runs", name), os.path.join(side.folder, "kept", name))


def make_data(sides):
    for line in DATA.split("\n"):
        if line:
            subprocess.run([sides[0].program, *shlex.split(line)], cwd=sides[0].folder, check=True,
                           stderr=subprocess.DEVNULL)
    for name, text in TEXT_DATA.items():
        with open(os.path.join(sides[0].folder, name), "w") as file:
            file.write(text)
    shutil.copytree(sides[0].folder, sides[1].folder, dirs_exist_ok=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", help="program to compare with")
    parser.add_argument("new", help="program to judge")
    parser.add_argument("--skip", default="", help="commands whose differences are not shown: plan,help")
    parser.add_argument("--only", default="", help="show the differences of these commands alone")
    parser.add_argument("--without", metavar="REGEX", help="leave out such keys of JSON, and such lines")
    parser.add_argument("--lines", type=int, default=12, help="lines shown of each difference [12]")
    parser.add_argument("--keep", metavar="FOLDER", help="leave what was written in FOLDER/old and FOLDER/new")
    return parser.parse_args()


def show(words, found, limit):
    print(f"\n== graco {shlex.join(words)}")
    for what, lines in found:
        print(f"  {what}:")
        for line in lines[:limit]:
            print(f"    {line}")
        if len(lines) > limit:
            print(f"    and {len(lines) - limit} lines more")
    sys.stdout.flush()


def main():
    arguments = parse_arguments()
    global left_out
    if arguments.without:
        left_out = re.compile(arguments.without)
    skip, only = (set(text.split(",")) - {""} for text in (arguments.skip, arguments.only))
    begin = time.monotonic()
    counts = {}  # by command: cases, differing, seconds
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.keep or temporary
        sides = [Side(os.path.realpath(program), os.path.join(os.path.abspath(work), name))
                 for program, name in ((arguments.old, "old"), (arguments.new, "new"))]
        make_data(sides)
        for words in filter(None, map(shlex.split, CASES.split("\n"))):
            command = words[0]
            if command == "keep":
                keep(sides, words[1:])
                continue
            if command == "refuse":
                words = words[1:]
            started = time.monotonic()
            found = check(sides, words)
            if command in skip or (only and command not in only):
                continue
            count = counts.setdefault(command, [0, 0, 0])
            count[0] += 1
            count[2] += time.monotonic() - started
            if found:
                count[1] += 1
                show(words, found, arguments.lines)
    print("\n| command | cases | differ | seconds |\n|---|---:|---:|---:|")
    for command, (cases, differing, seconds) in counts.items():
        print(f"| {command} | {cases} | {differing or ''} | {seconds:.1f} |")
    cases, differing, _ = map(sum, zip(*counts.values()))
    print(f"{cases} cases, {differing} differ, {time.monotonic() - begin:.0f} s")
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())
