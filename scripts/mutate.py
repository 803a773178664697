#!/usr/bin/env python3
"""Changes one line of the source at a time and looks whether a test notices: scripts/mutate.py

A place is a comparison, a sign, an index, a constant, a condition or a stream of random numbers. For each
module as many places as --places says are drawn by --seed; each is changed in a copy of the tree, which is
built, and the module's tests run until the first one fails. A line of JSON for each is appended to --record,
and what stands there is not tried again, so that a stopped call goes on. Printed at the end: the share
that was noticed, by module, and what nobody noticed. Exit code 1 if a module is below --wanted percent.

A change of text that no test can notice, because it alters the speed or the order of work alone, has a
line in scripts/mutate_equal.txt: path, function, the line as changed, reason, with tabs between them. Those
are not run and do not count; more than one in ten is too many.

The copy, its build and the record lie in build-mutate/, which a killed call leaves behind and the next one uses.
Tests that took longer than --longest seconds of the processor are left out.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EQUAL = os.path.join(TREE, "scripts", "mutate_equal.txt")
PROMISES = os.path.join(TREE, "scripts", "mutate_promises.txt")

# Folders of a module, and the tests that hold it.
MODULES = {
    "eval": (["src/eval"], r"eval\.|cli\.(limits|eval_command|tasks|neighbours|map)$"),
    "graph": (["src/graph"], r"graph\.|methods\.golden|train\.(golden|known_trainings|inductive|model_views)$|data\.(generate|splits)$|cli\.partition$"),
    "layers": (["src/layers"], r"layers\.|methods\.(golden|every)|train\.(golden|known_trainings|inductive|model_views|stock|train)$"),
    "methods": (["src/methods"], r"config\.|methods\.|train\.(golden|known_trainings|patience|stock|stopping|train|unseen)$|cli\.(supervised|walk_methods)$"),
    "train": (["src/train", "src/run"], r"train\.|run\.|methods\.(golden|every)|cli\.(cli|supervised|trained_on|plan|live|runs|eval_command|run_report)$"),
    "data": (["src/data"], r"data\.|graph\.|eval\.(links|known)|train\.(known|plan_ranks|unseen)|cli\.(tables|names|tasks|node_features|hostile)$"),
    "python": (["python/graco"], r"python\."),
}

# ---- Places -------------------------------------------------------------------------------------

SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "+=": "-=",
        "-=": "+=", "&&": "||", "||": "&&", "and": "or", "or": "and", "true": "false", "false": "true",
        "True": "False", "False": "True"}
STREAMS = ("RANDOM_WEIGHTS", "RANDOM_ORDER")
# How each kind of place looks, and what it becomes.
KINDS = {
    "comparison": (r"(?<= )(<=|>=|==|!=|<|>)(?= )", lambda found: SWAP[found.group()]),
    "sign": (r"(?<=[\w\])] )(\+=|-=|\+|-)(?= )|(?<=[(=,] )-(?=[\w(])|(?<=[(\[])-(?=[\w(])",
             lambda found: SWAP[found.group()] if found.group(1) else ""),
    "index": (r"(?<=\w)\[(\w+)\]", lambda found: f"[{found.group(1)} + 1]" if found.group(1) != "1" else "[0]"),
    "constant": (r"(?<![\w.\"'])(\d+\.\d+(e-?\d+)?|[2-9]|[1-9]\d+)(?![\w.])(?!\])", lambda found: changed_number(found.group())),
    "condition": (r"&&|\|\||(?<![\w])(?:true|false|True|False|and|or)(?!\w)|(?<=\()!(?=[\w(])|(?<= )!(?=\w)|\bnot (?!in\b)",
                  lambda found: SWAP.get(found.group(), "")),
    "stream": (r"\bRANDOM_[A-Z]+\b|(?<=\.(?:view|step) = )[^,}]+",
               lambda found: STREAMS[found.group() == STREAMS[0]] if found.group().startswith("RANDOM_")
               else f"{found.group()} + 1"),
}
LOOP_END = re.compile(r"(?<= )<(?= [^;]*;)")
# Neither messages, nor types, nor what is checked when it is compiled.
LEFT_OUT = re.compile(r"\bassert\(|static_assert|^\s*(raise|import|from|def|class)\b|^#|\bsizeof\b|: Optional\[")
MESSAGE = re.compile(r"\b(?:FAIL|status_fail)\((?:[^;]|\n)*?;")
DECLARES = re.compile(r"^\s*(?:static |const |unsigned )*(?:struct \w+|enum \w+|int|char|float|double|bool|size_t|u?int\d+_t)\s+\*?\w+\[")

Place = collections.namedtuple("Place", "path line column kind function old new")


def changed_number(text):
    return repr(float(text) * 1.5) if "." in text else str(int(text) + 1)


def blanked(text):
    """The source with comments and strings as spaces, so that every column stays where it is."""
    pattern = (r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?<=#include )[^\n]*"
               r"|^#define[^\n]*(?:\\\n[^\n]*)*")
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.DOTALL | re.MULTILINE)


def blanked_python(text):
    pattern = r"\"\"\".*?\"\"\"|#[^\n]*|[rbf]?\"(?:\\.|[^\"\\\n])*\"|[rbf]?'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.DOTALL)


def places_of(tree, path):
    with open(os.path.join(tree, path)) as file:
        text = file.read()
    python = path.endswith(".py")
    code = (blanked_python if python else blanked)(text)
    code = MESSAGE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), code)
    lines = code.split("\n")
    whole = text.split("\n")
    function = ""
    for number, line in enumerate(lines):
        head = re.match(r"\s*(?:def|class) (\w+)" if python else r"[a-z].*?\b(\w+)\(", line)
        if head and (python or not line.startswith(" ")):
            function = head.group(1)
        if not line.startswith("    ") or LEFT_OUT.search(line):
            continue
        for kind, (pattern, change) in KINDS.items():
            if kind == "index" and DECLARES.search(line):
                continue
            if kind == "stream" and python:
                continue
            for found in re.finditer(pattern, line):
                new = change(found)
                # One item too many is for the sanitizers; one too few is for the tests.
                if kind == "comparison" and not python and line.lstrip().startswith("for (") and found.group() == "<":
                    end = LOOP_END.match(line, found.start())
                    if not end:
                        continue
                    new = "< -1 +"
                changed = whole[number][:found.start()] + new + whole[number][found.end():]
                yield Place(path, number, found.start(), kind, function, whole[number].strip(), changed)


def rank(seed, place):
    """Where a place stands in the drawing: it does not move when other code changes."""
    words = f"{seed} {place.path} {place.function} {place.column} {place.new}"
    return hashlib.sha256(words.encode()).hexdigest()


def draw(tree, module, seed):
    """All places of a module in the order of the drawing: the kinds in turn, a line once."""
    by_kind = {kind: [] for kind in KINDS}
    for folder in MODULES[module][0]:
        for name in sorted(os.listdir(os.path.join(tree, folder))):
            if name.endswith((".c", ".py")) and name != "_structs.py":
                for place in places_of(tree, f"{folder}/{name}"):
                    by_kind[place.kind].append(place)
    for places in by_kind.values():
        places.sort(key=lambda place: rank(seed, place))
    drawn = set()
    while any(by_kind.values()):
        for places in by_kind.values():
            while places:
                place = places.pop(0)
                if (place.path, place.function, place.old) not in drawn:
                    drawn.add((place.path, place.function, place.old))
                    yield place
                    break


def module_of(path):
    return next(module for module, (folders, _) in MODULES.items() if os.path.dirname(path) in folders)


def read_rows(path):
    """Rows of four fields with tabs between them; lines that begin with # are left out."""
    with open(path) as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def promises(tree, module):
    """The changes of mutate_promises.txt in a module."""
    for path, old, new, _ in read_rows(PROMISES):
        if module_of(path) != module:
            continue
        with open(os.path.join(tree, path)) as file:
            lines = file.read().split("\n")
        found = [number for number, line in enumerate(lines) if old in line]
        if len(found) != 1:
            sys.exit(f"mutate: {path} has {old!r} in {len(found)} lines: expected one")
        line = lines[found[0]]
        yield Place(path, found[0], line.index(old), "promise", "", line.strip(), line.replace(old, new))


# What tests that are scripts call.
SCRIPTS_NEED = ["graco", "libgraco.so", "tests/inject.so", "tests/loopback_server", "tests/published_set", "tests/report_page"]

# ---- The copy and its tests ---------------------------------------------------------------------

class Copy:
    """A copy of the tree with a build of its own."""

    def __init__(self, folder, threads):
        self.tree, self.build = os.path.join(folder, "tree"), os.path.join(folder, "build")
        self.temporary = os.path.join(folder, "tmp")
        self.times_path = os.path.join(folder, "times.json")
        self.threads = threads
        self.bring_up_to_date()
        os.makedirs(self.temporary, exist_ok=True)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DGRACO_CUDA=OFF",
                            "-DGRACO_MPI=OFF", "-DCMAKE_C_FLAGS=-DCHECK_STOPS -w",
                            "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"],
                           check=True, stdout=subprocess.DEVNULL)
        if self.make(["libgraco.a"]):
            sys.exit("mutate: the tree does not build as it is")
        self.tests = self.read_tests()
        self.times = {}
        if os.path.exists(self.times_path):
            with open(self.times_path) as file:
                self.times = json.load(file)

    def read_tests(self):
        """The tests by name: (command, labels). ctest itself tells no command of a program that is not built yet."""
        with open(os.path.join(self.build, "tests", "CTestTestfile.cmake")) as file:
            text = file.read()
        tests = {}
        for name, command in re.findall(r"^add_test\((?:\[=\[)?([\w.]+)(?:\]=\])? (.*)\)$", text, re.MULTILINE):
            tests[name] = (re.findall(r'"([^"]*)"', command), "")
        for name, labels in re.findall(r'^set_tests_properties\((?:\[=\[)?([\w.]+).*? LABELS "([^"]*)"', text, re.MULTILINE):
            tests[name] = (tests[name][0], labels)
        return tests

    def bring_up_to_date(self):
        """Copies what differs, and so keeps the times of all other files."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TREE, capture_output=True,
                                text=True, check=True)
        wanted = {path for path in listed.stdout.splitlines() if os.path.exists(os.path.join(TREE, path))}
        for where, _, names in os.walk(self.tree):
            for name in names:
                path = os.path.join(where, name)
                if os.path.relpath(path, self.tree) not in wanted:
                    os.remove(path)
        for path in wanted:
            here, there = os.path.join(TREE, path), os.path.join(self.tree, path)
            with open(here, "rb") as file:
                content = file.read()
            if os.path.exists(there):
                with open(there, "rb") as file:
                    if file.read() == content:
                        continue
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy(here, there)
            os.utime(there)

    def make(self, targets):
        done = subprocess.run(["ninja", "-C", self.build, "-j", str(self.threads), *targets],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout[-2000:] if done.returncode else ""

    def targets(self, name):
        """What a test needs: its program, or the command and both libraries."""
        programs = [os.path.relpath(word, self.build) for word in self.tests[name][0]
                    if word.startswith(self.build + os.sep)]
        return programs or SCRIPTS_NEED

    def run(self, name, seconds):
        """(whether the test passes, its seconds of the processor)"""
        environment = dict(os.environ, TMPDIR=self.temporary, GRACO_SOURCE=self.tree)

        def limit():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell's background jobs ignore
            resource.setrlimit(resource.RLIMIT_CPU, (int(4 + 8 * seconds),) * 2)
            addresses = (96 if "plan" in name else 8) << 30  # a plan asks for 64 GiB without memory
            resource.setrlimit(resource.RLIMIT_AS, (addresses, resource.getrlimit(resource.RLIMIT_AS)[1]))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(self.tests[name][0], cwd=os.path.join(self.build, "tests"), env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit,
                                   start_new_session=True)
        try:
            code = process.wait(60 + 30 * seconds)
        except subprocess.TimeoutExpired:
            code = -1
        try:
            os.killpg(process.pid, signal.SIGKILL)  # and whatever it started
        except ProcessLookupError:
            pass
        process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        shutil.rmtree(self.temporary)
        os.makedirs(self.temporary)
        return code in (0, 77), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def choose(self, module, longest):
        """The module's tests, fastest first, measured once; those that fail or take too long are left out."""
        names = [name for name, (_, labels) in self.tests.items() if re.match(MODULES[module][1], name) and not labels]
        for name in names:
            if name in self.times:
                continue
            trouble = self.make(self.targets(name))
            passes, seconds = (False, 0) if trouble else self.run(name, 60)
            self.times[name] = seconds if passes else None
            print(f"  {name}: {f'{seconds:.2f} s' if passes else 'fails as it is: left out'}", flush=True)
            with open(self.times_path, "w") as file:
                json.dump(self.times, file, indent=1)
        chosen = [name for name in names if self.times[name] is not None and self.times[name] <= longest]
        return sorted(chosen, key=lambda name: self.times[name])


# ---- One mutation -------------------------------------------------------------------------------

def object_of(copy, path):
    """The objects made from a source file, as bytes."""
    found = []
    for where, _, names in os.walk(os.path.join(copy.build, "CMakeFiles")):
        for name in names:
            full = os.path.join(where, name)
            if full.endswith("/" + path + ".o"):
                with open(full, "rb") as file:
                    found.append(file.read())
    return found


def likely_first(tests, place, known):
    """The tests with those first that have the file's name, then those that noticed changes of the file or its folder."""
    stem = os.path.splitext(os.path.basename(place.path))[0].lstrip("_")
    noticed = collections.Counter()
    for entry in known:
        if entry["result"] == "noticed" and os.path.dirname(entry["path"]) == os.path.dirname(place.path):
            noticed[entry["test"]] += 1 + 10 * (entry["path"] == place.path)
    return sorted(tests, key=lambda name: (name.split(".")[1] not in (stem, stem + "s", stem + "_faults"), -noticed[name]))


def judge(copy, place, tests):
    """(what became of it, which test noticed)"""
    path = os.path.join(copy.tree, place.path)
    with open(path) as file:
        text = file.read()
    lines = text.split("\n")
    before = object_of(copy, place.path)
    lines[place.line] = place.new
    with open(path, "w") as file:
        file.write("\n".join(lines))
    try:
        if copy.make(["libgraco.a"]):
            return "does not build", None
        if before and object_of(copy, place.path) == before:
            return "same code", None
        size = 3
        while tests:
            batch, tests = tests[:size], tests[size:]
            size *= 2
            if copy.make(sorted({target for name in batch for target in copy.targets(name)})):
                return "does not build", None
            for name in batch:
                if not copy.run(name, copy.times[name])[0]:
                    return "noticed", name
        return "unnoticed", None
    finally:
        with open(path, "w") as file:
            file.write(text)


def read_equal():
    """The changes that no test can notice, and why."""
    return {(path, function, text): reason for path, function, text, reason in read_rows(EQUAL)}


def key_of(entry):
    return entry["path"], entry["function"], entry["new"]


def read_record(path):
    """The last word about each mutation."""
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                entry = json.loads(line)
                known[key_of(entry)] = entry
    return known


def work(copy, module, arguments, known, equal):
    """Entries of the module's places, in the drawing's order; what is new is appended to the record."""
    drawn = list(promises(copy.tree, module)) if arguments.promises else draw(copy.tree, module, arguments.seed)
    most = len(drawn) if arguments.promises else arguments.places
    tests = copy.choose(module, arguments.longest) if most else []
    entries = []
    for place in drawn:
        if len(entries) == most:
            break
        key = place.path, place.function, place.new.strip()
        entry = known.get(key)
        if key in equal:
            entry = {"module": module, "path": key[0], "function": key[1], "new": key[2], "result": "equal"}
        elif not entry or (arguments.again and entry["result"] == "unnoticed"):
            began = time.monotonic()
            result, test = judge(copy, place, likely_first(tests, place, known.values()))
            entry = {"module": module, "path": place.path, "line": place.line + 1, "function": place.function,
                     "kind": place.kind, "old": place.old, "new": place.new.strip(), "result": result, "test": test,
                     "seconds": round(time.monotonic() - began, 1)}
            known[key] = entry
            with open(arguments.record, "a") as file:
                file.write(json.dumps(entry) + "\n")
            print(f"{module} {len(entries) + 1}/{most} {place.path}:{place.line + 1} {place.kind}: "
                  f"{result}{f' by {test}' if test else ''}, {entry['seconds']} s", flush=True)
        if entry["result"] in ("noticed", "unnoticed", "equal"):
            entries.append(entry)
    return entries


def report(entries, wanted):
    """Prints what was found; returns whether a module has too little noticed, or too much is listed."""
    unnoticed = [entry for entry in entries if entry["result"] == "unnoticed"]
    if unnoticed:
        print("\nNobody noticed:")
    for entry in unnoticed:
        print(f"{entry['path']}:{entry['line']} in {entry['function']}\n  - {entry['old']}\n  + {entry['new']}")
    print("\n| module | changes | noticed | listed as equal | noticed, % |\n|---|---:|---:|---:|---:|")
    low = False
    for module in dict.fromkeys(entry["module"] for entry in entries):
        results = collections.Counter(entry["result"] for entry in entries if entry["module"] == module)
        counted = results["noticed"] + results["unnoticed"]
        share = 100 * results["noticed"] / max(counted, 1)
        low |= share < wanted
        print(f"| {module} | {counted} | {results['noticed']} | {results['equal']} | {share:.1f} |")
    return low or 10 * sum(entry["result"] == "equal" for entry in entries) > len(entries)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--module", action="append", choices=MODULES, help="this module alone; may be given again")
    parser.add_argument("--places", type=int, default=30, help="changes of each module [30]")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing [1]")
    parser.add_argument("--again", action="store_true", help="try again what nobody noticed")
    parser.add_argument("--longest", type=float, default=4, help="seconds of the processor a test may take [4]")
    parser.add_argument("--wanted", type=float, default=95, help="percent that must be noticed [95]")
    parser.add_argument("--folder", default=os.path.join(TREE, "build-mutate"), help="where the copy lies")
    parser.add_argument("--record", help="file of results [FOLDER/record.jsonl]")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at once [1]")
    parser.add_argument("--promises", action="store_true", help="the changes of mutate_promises.txt")
    parser.add_argument("--list", action="store_true", help="print the places, and do nothing")
    arguments = parser.parse_args()
    arguments.record = arguments.record or os.path.join(arguments.folder, "record.jsonl")
    return arguments


def main():
    arguments = parse_arguments()
    modules = arguments.module or list(MODULES)
    if arguments.list:
        for module in modules:
            for number, place in zip(range(arguments.places), draw(TREE, module, arguments.seed)):
                print(f"{place.path}:{place.line + 1} {place.kind}\n  - {place.old}\n  + {place.new.strip()}")
        return 0
    copy = Copy(os.path.abspath(arguments.folder), arguments.jobs)
    known, equal = read_record(arguments.record), read_equal()
    entries = []
    for module in modules:
        entries += work(copy, module, arguments, known, equal)
    return report(entries, arguments.wanted)


if __name__ == "__main__":
    sys.exit(main())
