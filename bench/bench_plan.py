#!/usr/bin/env python3
"""Plans against trainings: memory and the time of an epoch, planned over actual, on shapes of all kinds.

    bench/bench_plan.py [--graco build/graco] [--threads 1,2] [--rounds 3] [--shapes NAME,...] [--busy N]
                        [--cpu] [--device cuda]

A round plans and then trains each shape. An epoch's time is that of a longer training less that of a shorter
one, divided by the epochs between them. The table shows the median of the rounds' ratios, and the lowest and
highest of those of time. --busy runs N endless loops beside. With --cpu, for one thread on a machine whose other
work comes and goes, graco's clock is the processor time of its process, of the plan as of the training.
With --device cuda, memory is that of the buffers on the GPU: device_bytes of the plan, buffer_bytes of the
training.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
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


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(" ".join(command) + ": " + done.stderr)
    return done.stdout


# graco reads monotonic clocks alone, and takes them for those of a machine that runs since a while.
CLOCK = """#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE;
    long failed = syscall(SYS_clock_gettime, monotonic ? CLOCK_PROCESS_CPUTIME_ID : clock, now);
    now->tv_sec += monotonic ? 1000 : 0;
    return (int)failed;
}
"""


def use_processor_time(work):
    library = os.path.join(work, "clock.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-xc", "-", "-o", library], input=CLOCK, text=True, check=True)
    os.environ["LD_PRELOAD"] = library


def train(graco, options, epochs, folder):
    return json.loads(run([graco, "train", *options, "--epochs", str(epochs), "--json", "-q", "-o", folder]))


def measure(arguments, shape, threads, work):
    graph, few, many, options = SHAPES[shape]
    options = [os.path.join(work, graph), *options, "--threads", str(threads), "--device", arguments.device]
    planned = json.loads(run([arguments.graco, "plan", *options, "--json"]))
    result, less = (train(arguments.graco, options, epochs, tempfile.mkdtemp(dir=work)) for epochs in (many, few))
    seconds = (result["seconds"] - less["seconds"]) / (many - few)
    here, there = ("host", "peak_rss") if arguments.device == "cpu" else ("device", "buffer")
    return planned[here + "_bytes"], result[there + "_bytes"], planned["epoch_seconds"], seconds


def compare(arguments, shapes, threads, work):
    found = {name: [] for name in shapes}
    for _ in range(arguments.rounds):
        for name in shapes:
            found[name].append(measure(arguments, name, threads, work))
    for name, rounds in found.items():
        host, peak, planned, actual = map(statistics.median, zip(*rounds))
        memory = statistics.median(a / b for a, b, _, _ in rounds)
        times = sorted(c / d for _, _, c, d in rounds)
        print(f"| {name} | {threads} | {host / 1e6:.0f}, {peak / 1e6:.0f} MB | {memory:.2f} "
              f"| {1e3 * planned:.1f}, {1e3 * actual:.1f} ms | {statistics.median(times):.2f} "
              f"| {times[0]:.2f} to {times[-1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graco", default="build/graco")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    shapes = [name for name in arguments.shapes.split(",")
              if arguments.device == "cpu" or name != "deepwalk"]  # it has no kernels for a GPU
    print(f"load of the machine: {os.getloadavg()[0]:.1f}\n")
    print("| training | threads | memory: planned, actual | ratio | an epoch: planned, actual | ratio | range |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
    try:
        with tempfile.TemporaryDirectory() as work:
            for graph in {SHAPES[name][0] for name in shapes}:
                run([arguments.graco, "generate", os.path.join(work, graph), *GRAPHS[graph]])
            if arguments.cpu:
                use_processor_time(work)
            for threads in arguments.threads.split(","):
                compare(arguments, shapes, threads, work)
    finally:
        for loop in loops:
            loop.kill()


if __name__ == "__main__":
    main()
