#!/usr/bin/env python3
"""Holds the speed of a new build against an old one: scripts/same_speed.py OLD_BUILD NEW_BUILD

Each round trains once with `graco` of each build, the old one first in one round and last in the next.
An epoch's time is the median over a training, its first epoch apart, which pays for memory. A ratio is
taken within a round, so that a machine that slows down slows both. Printed are the medians over the
rounds and the quartiles of the ratios, and the ratio of the fastest epochs of all rounds; exit code 1 if
the median of a ratio is above the limit. On a machine with other work to do the quartiles lie far apart:
such medians mean nothing, and the fastest epochs alone say something.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

MINI_BATCHES = ["batch=512", "fanout=10,10", "encoder=sage_skip"]
# Name of the data, objective, epochs of a training, other settings.
CASES = [("cora", "exact", 13, []), ("cora", "moment", 31, []), ("reddit", "exact", 4, MINI_BATCHES)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", help="build folder to compare with")
    parser.add_argument("new", help="build folder to judge")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=2, help="percent that a median may rise [2]")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda [cpu]")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error("quartiles need two rounds at least")
    return arguments


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"same_speed: failed with {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")


def make_data(graco, work):
    """Paths of the data sets by name: Cora itself where it is, else a graph of its shape."""
    paths = {name: os.path.join(work, name) for name in ("cora.npz", "reddit")}
    if subprocess.run([graco, "convert", "cora", paths["cora.npz"]], capture_output=True).returncode:
        print("Cora is not under $GRACO_DATA: a generated graph of its shape stands for it")
        run([graco, "generate", paths["cora.npz"], "--nodes", "2708", "--features", "1433", "--classes", "7",
             "--degree", "3.9"])
    run([graco, "generate", paths["reddit"], "--like", "reddit", "--scale", "0.02"])
    return {"cora": paths["cora.npz"], "reddit": paths["reddit"]}


def epochs_ms(graco, data, settings, device):
    """Milliseconds of every epoch but the first."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "run")
        options = [word for setting in settings for word in ("--set", setting)]
        run([graco, "train", data, "-o", output, "-q", "--preset", "cora", "--device", device, *options])
        with open(os.path.join(output, "metrics.jsonl")) as file:
            seconds = [json.loads(line)["seconds"] for line in file]
    return [1000 * second for second in seconds[1:]]


def compare(programs, data, settings, arguments):
    """The epochs of (old, new), round by round."""
    found = []
    for number in range(arguments.rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        pair = [[], []]
        for which in order:
            pair[which] = epochs_ms(programs[which], data, settings, arguments.device)
        found.append(pair)
    return found


def main():
    arguments = parse_arguments()
    programs = [os.path.join(build, "graco") for build in (arguments.old, arguments.new)]
    threads = [1, 2] if arguments.device == "cpu" else [0]
    slower = 0
    with tempfile.TemporaryDirectory() as work:
        data = make_data(programs[0], work)
        print("| training | threads | old, ms per epoch | new, ms per epoch | new / old | quartiles | fastest |")
        print("|---|---:|---:|---:|---:|---|---:|")
        for name, objective, epochs, other in CASES:
            for count in threads:
                settings = [f"objective={objective}", f"epochs={epochs}", f"threads={count}", *other]
                found = compare(programs, data[name], settings, arguments)
                medians = [[statistics.median(times) for times in pair] for pair in found]
                low, middle, high = statistics.quantiles([new / old for old, new in medians], n=4,
                                                        method="inclusive")
                slower += middle > 1 + arguments.limit / 100
                old, new = (statistics.median(column) for column in zip(*medians))
                fastest_old, fastest_new = (min(map(min, column)) for column in zip(*found))
                kind = "mini-batches" if other else objective
                print(f"| {name}, {kind} | {count} | {old:.3f} | {new:.3f} | {middle:.3f} | "
                      f"{low:.3f} to {high:.3f} | {fastest_new / fastest_old:.3f} |", flush=True)
    print(f"{slower} of {len(CASES) * len(threads)} are slower by more than {arguments.limit:g} %")
    return slower > 0


if __name__ == "__main__":
    sys.exit(main())
