#!/usr/bin/env python3
"""Plans against trainings: memory and the time of an epoch, planned over actual, on shapes of all kinds.

    bench/bench_plan.py [--graco build/graco] [--threads 1,2] [--rounds 3] [--shapes NAME,...] [--cpu]
                        [--device cuda]

Rates are measured anew in every round, right before the trainings of that round, because machines change
their speed by themselves. An epoch's time is the median of a training's epochs without the first; the
table shows the median of the rounds' ratios, and the lowest and highest of those of time. With --cpu, for a
busy machine, an epoch's time is the processor time of a longer training less that of a shorter one, divided by
the epochs between them and by the threads: what threads would take that never wait for each other.
With --device cuda, memory is that of the buffers on the GPU: device_bytes of the plan, buffer_bytes of the
training.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile

GRAPHS = {
    "cora": ["--nodes", "2700", "--features", "1400"],
    "wide": ["--nodes", "20000", "--features", "8000", "--degree", "4"],
    "large": ["--nodes", "100000", "--features", "100", "--degree", "10"],
    "dense": ["--nodes", "20000", "--features", "300", "--dense"],
    "graphs": ["--like", "ppi", "--scale", "0.2"],
}

# Name: graph, epochs of the shorter and of the longer training, options. Between the two are at least half a second.
SHAPES = {
    "exact": ("cora", 2, 8, ["--set", "hidden=128"]),
    "exact without kept tiles": ("cora", 2, 8, ["--set", "hidden=128", "--memory", "0"]),
    "infonce": ("cora", 2, 12, ["--set", "hidden=128", "--objective", "infonce"]),
    "moment": ("cora", 2, 12, ["--set", "hidden=256", "--objective", "moment"]),
    "moment on wide features": ("wide", 2, 8, ["--set", "hidden=64", "--objective", "moment"]),
    "moment on 100000 nodes": ("large", 2, 6, ["--set", "hidden=64", "--objective", "moment"]),
    "moment on dense features": ("dense", 2, 5, ["--set", "hidden=128", "--objective", "moment"]),
    "mini-batches": ("dense", 1, 3, ["--set", "batch=256", "--set", "fanout=10,10",
                                     "--set", "encoder=sage", "--set", "hidden=64"]),
    "many graphs": ("graphs", 2, 10, ["--set", "hidden=64"]),
    "dgi": ("large", 2, 14, ["--method", "dgi", "--set", "hidden=64"]),
    "gae": ("cora", 2, 62, ["--method", "gae"]),
    "gcn": ("cora", 5, 305, ["--method", "gcn", "--set", "patience=0"]),
    "sage_mean": ("cora", 1, 3, ["--method", "sage_mean", "--set", "steps=40"]),
    "deepwalk": ("cora", 1, 3, ["--method", "deepwalk", "--set", "walks=2"]),
}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(" ".join(command) + ": " + done.stderr)
    return done.stdout


def train(graco, options, epochs, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = json.loads(run([graco, "train", *options, "--epochs", str(epochs), "--json", "-q", "-o", folder]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as lines:
        seconds = [json.loads(line)["seconds"] for line in lines]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, statistics.median(seconds[1:] or seconds), cpu


def measure(arguments, shape, threads, work):
    graph, few, many, options = SHAPES[shape]
    options = [os.path.join(work, graph), *options, "--threads", str(threads),
               "--device", arguments.device]
    planned = json.loads(run([arguments.graco, "plan", *options, "--json"]))
    result, seconds, cpu = train(arguments.graco, options, many, tempfile.mkdtemp(dir=work))
    if arguments.cpu:
        less = train(arguments.graco, options, few, tempfile.mkdtemp(dir=work))[2]
        seconds = (cpu - less) / (many - few) / int(threads)
    here, there = ("host", "peak_rss") if arguments.device == "cpu" else ("device", "buffer")
    return planned[here + "_bytes"], result[there + "_bytes"], planned["epoch_seconds"], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graco", default="build/graco")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    shapes = [name for name in arguments.shapes.split(",")
              if arguments.device == "cpu" or name != "deepwalk"]  # it has no kernels for a GPU
    print(f"load of the machine: {os.getloadavg()[0]:.1f}\n")
    print("| training | threads | memory: planned, actual | ratio | an epoch: planned, actual | ratio | range |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        for graph in {SHAPES[name][0] for name in shapes}:
            run([arguments.graco, "generate", os.path.join(work, graph), *GRAPHS[graph]])
        for threads in arguments.threads.split(","):
            found = {name: [] for name in shapes}
            for _ in range(arguments.rounds):
                os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(dir=work)
                for name in shapes:
                    found[name].append(measure(arguments, name, threads, work))
            for name in shapes:
                rounds = found[name]
                host, peak, planned, actual = map(statistics.median, zip(*rounds))
                memory = statistics.median(a / b for a, b, _, _ in rounds)
                times = sorted(c / d for _, _, c, d in rounds)
                print(f"| {name} | {threads} | {host / 1e6:.0f}, {peak / 1e6:.0f} MB | {memory:.2f} "
                      f"| {1e3 * planned:.1f}, {1e3 * actual:.1f} ms | {statistics.median(times):.2f} "
                      f"| {times[0]:.2f} to {times[-1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
