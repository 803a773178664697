#!/usr/bin/env python3
"""What Python adds to a training: the command and the package train on the same data set, in turn.

    make bench-python [PEER=python3 with numpy]

Both are whole processes, with reading the data, checkpoints and embeddings; Python's also starts and imports
numpy. Their processor time is compared, which other programs on the machine change little, and their embeddings,
which must be the same bytes. A round runs both, the second first in every other one.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, graco
model = graco.GRACE.preset(sys.argv[1], epochs=int(sys.argv[2]), threads=int(sys.argv[3]), device="cpu")
model.fit(graco.load(sys.argv[1]), run=sys.argv[4])
"""


def processor_seconds(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench_python: {command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", default="cora")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    build = os.path.abspath(given.build)
    os.environ["GRACO_LIBRARY"] = os.path.join(build, "libgraco.so")
    os.environ["PYTHONPATH"] = os.path.join(os.path.dirname(__file__), "..", "python")
    epochs, threads = str(given.epochs), str(given.threads)
    seconds = {"command": [], "python": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.rounds):
            runs = {name: os.path.join(folder, f"{name}{number}") for name in seconds}
            commands = {
                "command": [os.path.join(build, "graco"), "train", given.data, "-o", runs["command"], "-q",
                            "--epochs", epochs, "--threads", threads, "--device", "cpu"],
                "python": [sys.executable, "-c", PROGRAM, given.data, epochs, threads, runs["python"]],
            }
            for name in sorted(seconds, reverse=number % 2 == 1):
                seconds[name].append(processor_seconds(commands[name]))
            made = [open(os.path.join(run, "embeddings.npy"), "rb").read() for run in runs.values()]
            if made[0] != made[1]:
                sys.exit("bench_python: the two embeddings differ")
            print(f"round {number + 1}: command {seconds['command'][-1]:.2f} s, python {seconds['python'][-1]:.2f} s",
                  flush=True)
    ratios = [p / c for c, p in zip(seconds["command"], seconds["python"])]
    print(f"{given.data}, {epochs} epochs, {threads} thread(s): Python takes {100 * (statistics.median(ratios) - 1):+.1f} % "
          f"(rounds {', '.join(f'{100 * (ratio - 1):+.1f}' for ratio in ratios)})")


main()
