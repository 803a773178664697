#!/usr/bin/env python3
"""Scores graco beside what people would pick instead: the same graphs, splits and classifier, with time and memory.

    run_peers.py [--graco build/graco] [--data $GRACO_DATA] [--sets cora,citeseer,pubmed] [--peers LIST] [--seeds 3]

Writes everything measured to docs/results/peers.json and the tables made from it to peers.md beside it; --report makes
the tables again and runs nothing. The peers come from the registry, into the Python that runs this program:

    pip install pycleora pecanpy torch torch_geometric

or, where there is no network, into a folder of its own for --packages: pip install --no-index --find-links WHEELS
--target FOLDER pycleora pecanpy. What is not installed is left out, and the tables say so.

Every embedding is made by a process of its own, which reads the graph that `graco convert` wrote, with the program's
own default settings (peer_embed.py). Its time and its memory are all of that process, as the kernel counts them, from
its start until the embeddings are written. `graco eval` then scores the embeddings; all see the same splits. Seed by
seed and set by set every program runs once, so that what else the machine does falls on all of them alike. This program
imports nothing large: a child's peak memory starts at its parent's.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import peer_embed
from run_bench import first_match, run, say

HERE = os.path.dirname(os.path.abspath(__file__))
BOTH, EDGES = "edges and features", "edges alone"
WATCH_SECONDS = 0.02  # how often a child is looked at; its own time is measured as precisely as that
ENOUGH_EPOCHS = 5  # of graco, before it is said how long a training would take


class Row:
    def __init__(self, label, uses, devices=("cpu",), options=None, seeded=True):
        self.label, self.uses, self.devices, self.options, self.seeded = label, uses, devices, options, seeded


ROWS = {
    "graco_grace": Row("graco, GRACE", BOTH, ("cpu", "cuda"), []),
    "graco_moment": Row("graco, GRACE, `moment`", BOTH, ("cpu", "cuda"), ["--objective", "moment"]),
    "torch_grace": Row("plain PyTorch, GRACE", BOTH, ("cpu", "cuda")),
    "graco_dgi": Row("graco, DGI", BOTH, ("cpu", "cuda"), ["--method", "dgi"]),
    "pyg_dgi": Row("PyTorch Geometric, DGI", BOTH, ("cpu", "cuda")),
    "pycleora_features": Row("pycleora, with features", BOTH, seeded=False),
    "graco_edges": Row("graco, GRACE, `moment`, features made from the edges", EDGES, ("cpu", "cuda"),
                       ["--objective", "moment", "--node-features", "spectral"]),
    "graco_node2vec": Row("graco, node2vec", EDGES, options=["--method", "node2vec"]),
    "pecanpy": Row("PecanPy, node2vec", EDGES),
    "pycleora": Row("pycleora", EDGES),
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--graco", default="build/graco", help="the program")
    parser.add_argument("--data", help="folder of the data sets, instead of $GRACO_DATA")
    parser.add_argument("--sets", default="cora,citeseer,pubmed", help="names or files of data sets")
    parser.add_argument("--peers", default=",".join(ROWS), help="of: " + ", ".join(ROWS))
    parser.add_argument("--device", default="cpu", help="cpu, cuda, or both: cpu,cuda")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--run-limit", type=float, default=600, help="seconds of one training")
    parser.add_argument("--time-limit", type=float, default=float("inf"),
                        help="seconds of all; what is done by then counts")
    parser.add_argument("--packages", help="folder of further Python packages")
    parser.add_argument("--output", default=os.path.join(HERE, "..", "docs", "results", "peers.json"))
    parser.add_argument("--append", action="store_true", help="keep what OUTPUT holds, of another device perhaps")
    parser.add_argument("--report", action="store_true", help="make the tables of OUTPUT again")
    arguments = parser.parse_args()
    for name, known in (("peers", ROWS), ("device", ("cpu", "cuda"))):
        setattr(arguments, name, getattr(arguments, name).split(","))
        unknown = set(getattr(arguments, name)) - set(known)
        if unknown:
            parser.error(f"--{name}: unknown {unknown.pop()}; expected some of: {', '.join(known)}")
    return arguments


# ---- One process ------------------------------------------------------------------------------------


def measure(command, limit, environment, work, hopeless):
    """Runs a command to its end, to the limit or until hopeless() gives a reason to stop it. Returns what it took, its
    status, the reason, and its outputs."""
    with open(os.path.join(work, "stdout"), "w+") as out, open(os.path.join(work, "stderr"), "w+") as err:
        begin, looked, reason = time.monotonic(), time.monotonic(), None
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        try:
            while True:
                done, status, usage = os.wait4(process.pid, os.WNOHANG)
                now = time.monotonic()
                if done:
                    break
                if now - looked > 1:
                    looked, reason = now, hopeless()
                if now - begin > limit:
                    reason = reason or f"stopped after {limit:.0f} s"
                if reason:
                    break
                time.sleep(WATCH_SECONDS)
        finally:
            if not done:
                process.kill()
                done, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait for it again
        out.seek(0), err.seek(0)
        taken = {"seconds": now - begin, "processor_seconds": usage.ru_utime + usage.ru_stime,
                 "peak_rss_bytes": usage.ru_maxrss * 1024}
        return taken, process.returncode, reason, out.read(), err.read()


def graco_hopeless(folder, limit):
    """A reason to stop graco, where its first epochs show that the training would take longer than the limit."""
    def look():
        try:
            with open(os.path.join(folder, "config.json")) as file:
                config = json.load(file)
            with open(os.path.join(folder, "metrics.jsonl")) as file:
                seconds = [json.loads(line)["seconds"] for line in file]
        except (OSError, ValueError):  # not written yet, or a line is half there
            return None
        whole = config["epochs"] * statistics.median(seconds or [0])
        if len(seconds) < ENOUGH_EPOCHS or config.get("patience") or whole < limit:
            return None
        return f"{config['epochs']} epochs would take {whole / 60:.0f} minutes"
    return look


# ---- A data set -------------------------------------------------------------------------------------


class Set:
    """One data set as a file that all programs read, and what plain PyTorch's GRACE takes from graco: first weights
    and the preset's number of epochs."""

    def __init__(self, bench, source):
        self.name = os.path.basename(source).removesuffix(".npz")
        self.graph = os.path.join(bench.work, f"{self.name}.npz")
        run([bench.graco, "convert", source, self.graph], bench.environment)
        start = json.loads(run([bench.graco, "train", self.graph, "-o", os.path.join(bench.work, f"{self.name}-0"),
                                "--epochs", "0", "-q", "--json"], bench.environment))
        text = run([bench.graco, "train", "--preset", start["preset"], "--help"])
        self.epochs = re.search(r"--epochs N .*\[(\d+|auto)\]", text).group(1)

    def start(self, bench, seed):
        folder = os.path.join(bench.work, f"{self.name}-start-{seed}")
        if not os.path.exists(folder):
            run([bench.graco, "train", self.graph, "-o", folder, "--epochs", "0", "--seed", str(seed), "-q"],
                bench.environment)
        return os.path.join(folder, "model.safetensors")


class Bench:
    def __init__(self, arguments, work):
        self.arguments, self.work = arguments, work
        self.graco = os.path.abspath(arguments.graco)
        self.deadline = time.monotonic() + arguments.time_limit
        self.environment = dict(os.environ)
        if arguments.data:
            self.environment["GRACO_DATA"] = os.path.abspath(arguments.data)
        if arguments.packages:
            self.environment["PYTHONPATH"] = os.path.abspath(arguments.packages)
        self.report = {"machine": describe_machine(self), "splits": arguments.splits, "threads": arguments.threads,
                       "run_limit": arguments.run_limit, "peers": arguments.peers, "devices": arguments.device,
                       "sets": [], "commands": {}, "versions": {}, "samples": [], "missing": []}

    def command(self, data, name, device, seed):
        """What embeds, and the file that it writes."""
        row, threads = ROWS[name], ["--threads", str(self.arguments.threads)]
        if row.options is not None:
            folder = os.path.join(self.work, "run")
            shutil.rmtree(folder, ignore_errors=True)
            return [self.graco, "train", data.graph, *row.options, "--device", device, "--seed", str(seed), *threads,
                    "-o", folder, "--json", "-q"], os.path.join(folder, "embeddings.npy")
        out = os.path.join(self.work, "embeddings.npy")
        words = [sys.executable, os.path.join(HERE, "peer_embed.py"), name, data.graph, out, "--device", device,
                 "--seed", str(seed), *threads, "--limit", str(self.limit())]
        if name == "torch_grace":
            words += ["--model", data.start(self, seed), "--epochs", data.epochs]
        return words, out

    def limit(self):
        return min(self.arguments.run_limit, self.deadline - time.monotonic())

    def embed(self, data, name, device, seed):
        """Adds a sample to the report, or why there is none; False where there is none."""
        key = {"set": data.name, "peer": name, "device": device}
        command, embeddings = self.command(data, name, device, seed)
        own, limit = ROWS[name].options is not None, self.limit()
        taken, status, reason, out, err = measure(
            command, limit, self.environment, self.work,
            graco_hopeless(os.path.dirname(embeddings), limit) if own else lambda: None)
        if status:
            why = reason or (err.strip().splitlines() or [f"ended with status {status}"])[-1]
            say(f"{data.name}, {name}, {device}, seed {seed}: {why}")
            self.report["missing"].append({**key, "why": why})
            return False
        found = json.loads(out.splitlines()[-1])
        self.report["versions"].setdefault(name, found.get("versions", {}))
        self.report["commands"].setdefault(name, show(command))
        score = json.loads(run([self.graco, "eval", embeddings, data.graph, "--splits", str(self.arguments.splits),
                                "--json"], self.environment))
        sample = {**key, "seed": seed, **taken, "loading_seconds": found.get("loading_seconds", 0),
                  "metric": score["metric"], "scores": score["results"][0]["scores"]}
        self.report["samples"].append(sample)
        say(f"{data.name}, {name}, {device}, seed {seed}: {score['mean']:.1f}, {taken['seconds']:.1f} s")
        return True


def show(command):
    """A command as a user would type it: without this machine's folders and what does not change the settings."""
    words, skip = [], {"-o": 1, "--json": 0, "-q": 0, "--limit": 1, "--threads": 1, "--seed": 1, "--device": 1}
    rest = iter(command)
    for word in rest:
        if word in skip:
            for _ in range(skip[word]):
                next(rest)
        elif os.path.basename(word).startswith("python"):
            words.append("python3")
        else:
            words.append(word if not os.path.isabs(word) else
                         "bench/peer_embed.py" if word.endswith("peer_embed.py") else os.path.basename(word))
    return " ".join(words)


def describe_machine(bench):
    machine = {
        "cpu": first_match(r"model name\s*:\s*(.*)", "/proc/cpuinfo"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(first_match(r"MemTotal:\s*(\d+)", "/proc/meminfo")) / 2**20, 1),
        "graco": run([bench.graco, "--version"]).strip(),
        "load_before": round(os.getloadavg()[0], 1),
        "date": time.strftime("%Y-%m-%d"),
    }
    if "cuda" in bench.arguments.device:
        machine["gpu"] = run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).splitlines()[0]
    return machine


def measure_all(bench, write):
    arguments = bench.arguments
    sets = [Set(bench, source) for source in arguments.sets.split(",")]
    bench.report["sets"] = [data.name for data in sets]
    left_out = set()
    for seed in range(arguments.seeds):
        for data in sets:
            for name in arguments.peers:
                for device in arguments.device:
                    key = (data.name, name, device)
                    if device not in ROWS[name].devices or key in left_out or seed and not ROWS[name].seeded:
                        continue
                    if bench.limit() <= 1:
                        say("the time of all is up")
                        return
                    if not bench.embed(data, name, device, seed):
                        left_out.add(key)
                    write()


# ---- The tables -------------------------------------------------------------------------------------


def average(values, digits):
    """The mean, and its standard error where there is more than one value."""
    mean = f"{statistics.fmean(values):.{digits}f}"
    if len(values) < 2:
        return mean
    return f"{mean} ± {statistics.stdev(values) / len(values) ** 0.5:.{digits}f}"


def cells(found, why):
    """The columns of a row, from all of its samples; where there is none, why."""
    if not found:
        return [why, "", "", "", "", "0"]
    middle = {key: statistics.median(sample[key] for sample in found)
              for key in ("seconds", "loading_seconds", "processor_seconds", "peak_rss_bytes")}
    return [average([statistics.fmean(sample["scores"]) for sample in found], 1), f"{middle['seconds']:.1f}",
            f"{middle['loading_seconds']:.1f}", f"{middle['processor_seconds']:.1f}",
            f"{middle['peak_rss_bytes'] / 2**20:.0f}", str(len(found))]


def table(report, name):
    samples = [sample for sample in report["samples"] if sample["set"] == name]
    missing = {(entry["peer"], entry["device"]): entry["why"] for entry in report["missing"] if entry["set"] == name}
    metric = samples[0]["metric"] if samples else "score"
    yield f"| {name} | on | {metric} | seconds | of these loading | processor seconds | peak MiB | seeds |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for uses in (BOTH, EDGES):
        rows = [(peer, device) for peer, row in ROWS.items() for device in report["devices"]
                if row.uses == uses and peer in report["peers"] and device in row.devices]
        if rows:
            yield f"| *{uses}* | | | | | | | |"
        for row in rows:
            found = [sample for sample in samples if (sample["peer"], sample["device"]) == row]
            on = {"cpu": "CPU", "cuda": "GPU"}[row[1]]
            why = missing.get(row, "not measured: the time was up")
            yield "| " + " | ".join([ROWS[row[0]].label, on, *cells(found, why)]) + " |"
    yield ""


def section(report):
    machine = report["machine"]
    cores = f"{machine['cores']} core{'s' if machine['cores'] > 1 else ''}"
    yield f"## {machine.get('gpu', machine['cpu'])}, {cores}\n"
    yield (f"{machine['cpu']}, {cores}, {machine['memory_gib']} GiB, {machine['graco']}, {machine['date']}; "
           f"{report['threads']} thread{'s' if report['threads'] > 1 else ''}, {report['splits']} splits, "
           f"at most {report['run_limit']:.0f} s for one training.")
    if machine["load_before"] > 0.5:
        yield (f"**The machine was busy** (load {machine['load_before']} at the start): the seconds of all programs, "
               "and minutes that one would take, are too long; compare processor time.")
    yield ""
    for name in report["sets"]:
        yield from table(report, name)
    yield "| | command, without seed, threads and device | versions |"
    yield "|---|---|---|"
    for peer, row in ROWS.items():
        if peer in report["commands"]:
            versions = ", ".join(f"{name} {number}" for name, number in report["versions"][peer].items())
            yield f"| {row.label} | `{report['commands'][peer]}` | {versions or machine['graco']} |"
    yield ""


INTRODUCTION = """# graco beside other programs

Written by `bench/run_peers.py` from {source}. All programs embed the same graphs with their own default settings, and
`graco eval` scores all of them with the same splits and the same logistic regression (protocol `paper`), in percent:
the mean over seeds of the mean over splits, ± its standard error over seeds. Time and memory are medians over seeds,
of the whole process: it starts, loads its libraries, reads the graph, trains and writes the embeddings. Memory is the
main memory, not the GPU's. A node without edges is unknown to PecanPy and pycleora; its embedding is zero.

Settings:

- graco: the preset of the data set."""


def write_tables(reports, path):
    """The page, which follows from the JSON file alone."""
    source = os.path.basename(path).removesuffix(".md") + ".json"
    lines = [INTRODUCTION.format(source=f"[{source}]({source})")]
    lines += [f"- {ROWS[peer].label}: {' '.join(function.__doc__.split())}"
              for peer, (function, _, _) in peer_embed.PEERS.items()]
    lines.append("")
    for report in reports:
        lines += section(report)
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def main():
    arguments = parse_arguments()
    output = os.path.abspath(arguments.output)
    earlier = []
    if arguments.append or arguments.report:
        with open(output) as file:
            earlier = json.load(file)
    pages = output.removesuffix(".json") + ".md"
    if arguments.report:
        write_tables(earlier, pages)
        return
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="peers-") as work:
        bench = Bench(arguments, work)

        def write():
            with open(output + ".new", "w") as file:
                json.dump(earlier + [bench.report], file, indent=1)
                file.write("\n")
            os.replace(output + ".new", output)
            write_tables(earlier + [bench.report], pages)

        measure_all(bench, write)
        write()
    say(f"{len(bench.report['samples'])} samples; the tables are in {os.path.relpath(pages)}")


if __name__ == "__main__":
    main()
