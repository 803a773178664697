#!/usr/bin/env python3
"""Measures graco on this machine: against PyTorch, against sgemm, and as the graph grows.

Whatever is compared is measured in one go and interleaved: round by round every program runs once, a
ratio is taken within a round, and the median over the rounds is reported. Prints Markdown tables and
writes everything measured to a JSON file. `make bench` builds what this needs and runs it.

This program imports nothing large: a child's peak memory, as the kernel counts it, starts at its
parent's.
"""
import argparse
import json
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = {"torch": os.path.join(HERE, "peer_torch.py"), "expert": os.path.join(HERE, "expert_torch.py")}
PYTHON = "/usr/bin/python3"
SECTIONS = ("peers", "pubmed", "objective", "scaling")
LOSS_EPOCHS, LOSS_TOLERANCE = 5, 1e-4
# glibc returns blocks above this size to the system at once, instead of keeping them in its heap.
RETURN_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**20)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build", help="folder with graco and bench_objective")
    parser.add_argument("--quick", action="store_true", help="tiny settings, to see that all of it runs")
    parser.add_argument("--rounds", type=int, help="rounds of each comparison (5; quick: 2)")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, of: " + ", ".join(SECTIONS))
    parser.add_argument("--name", help="name of the result; by default the processor's and its cores")
    parser.add_argument("--output", help="file to write; by default bench/results/NAME.json, "
                        "with --quick BUILD/bench-quick.json")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",")
    unknown = set(arguments.only) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {unknown.pop()}; expected some of: {', '.join(SECTIONS)}")
    arguments.rounds = arguments.rounds or (2 if arguments.quick else 5)
    return arguments


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run(command, environment=None):
    """The standard output of a command; ends the program with its message where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode:
        program = os.path.basename(sys.argv[0]).removesuffix(".py")
        sys.exit(f"{program}: failed with {done.returncode}: {' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def fit_exponent(points):
    """The slope of a straight line through the logarithms, by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.fmean(column) for column in zip(*logs))
    return (sum((x - mean_x) * (y - mean_y) for x, y in logs) /
            sum((x - mean_x) ** 2 for x, _ in logs))


# ---- The machine ------------------------------------------------------------------------------------


def first_match(pattern, path):
    with open(path) as file:
        found = re.search(pattern, file.read())
    return found.group(1).strip() if found else "unknown"


def package_version(name):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def describe_machine(build):
    l3 = "/sys/devices/system/cpu/cpu0/cache/index3/size"
    return {
        "cpu": first_match(r"model name\s*:\s*(.*)", "/proc/cpuinfo"),
        "family_model": first_match(r"cpu family\s*:\s*(.*)", "/proc/cpuinfo") + "/" +
                        first_match(r"model\s*:\s*(\d+)", "/proc/cpuinfo"),
        "cores": len(os.sched_getaffinity(0)),
        "l3": open(l3).read().strip() if os.path.exists(l3) else "unknown",
        "memory_gib": round(int(first_match(r"MemTotal:\s*(\d+)", "/proc/meminfo")) / 2**20, 1),
        "kernel": platform.release(),
        "graco": run([os.path.join(build, "graco"), "--version"]).strip(),
        "openblas": package_version("libopenblas0-openmp"),
        "torch": package_version("python3-torch"),
        "numpy": package_version("python3-numpy"),
        "compiler": run(["cc", "--version"]).splitlines()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def choose_blas_kernels(build):
    """OpenBLAS goes by the processor's model: for one that it does not know it may take kernels of 256 bits where there are
    units of 512. Whatever runs afterwards has the faster ones. Returns their name and both rates."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return {"kernels": os.environ["OPENBLAS_CORETYPE"]}
    if "avx512dq" not in first_match(r"flags\s*:(.*)", "/proc/cpuinfo").split():
        return {"kernels": "its own choice"}
    rates = {"its own choice": 0.0, "SkylakeX": 0.0}
    for _ in range(3):
        for name in rates:
            environment = {"OPENBLAS_CORETYPE": name} if name == "SkylakeX" else None
            found = run([os.path.join(build, "bench_objective"), "--quick", "--rounds", "1"], environment)
            rates[name] = max(rates[name], json.loads(found)["sgemm_best_gflops"])
    best = "SkylakeX" if rates["SkylakeX"] > 1.05 * rates["its own choice"] else "its own choice"
    if best == "SkylakeX":
        os.environ["OPENBLAS_CORETYPE"] = best
    return {"kernels": best, "gflops": rates}


# ---- One run of a program ---------------------------------------------------------------------------


class Bench:
    def __init__(self, arguments, work):
        self.quick, self.rounds, self.work = arguments.quick, arguments.rounds, work
        self.graco = os.path.join(arguments.build, "graco")
        self.objective_program = os.path.join(arguments.build, "bench_objective")
        self.cores = len(os.sched_getaffinity(0))
        self.count = 0

    def path(self, name):
        return os.path.join(self.work, name)

    def train(self, data, objective, epochs, options=()):
        """Seconds of each epoch, peak memory, and the run folder."""
        self.count += 1
        folder = self.path(f"run-{self.count}")
        text = run([self.graco, "train", data, "-o", folder, "--objective", objective, "--epochs",
                    str(epochs), "--json", *options])
        with open(os.path.join(folder, "metrics.jsonl")) as file:
            seconds = [json.loads(line)["seconds"] for line in file]
        return {"seconds": seconds, "peak_rss_bytes": json.loads(text.splitlines()[-1])["peak_rss_bytes"],
                "folder": folder}

    def peer(self, data, model, epochs, setting, extra=(), environment=None):
        return json.loads(run([PYTHON, PEERS[setting["program"]], data, model, "--epochs", str(epochs),
                               "--threads", str(setting["threads"]), "--propagation", setting["propagation"],
                               "--json", *extra], environment))

    def remove(self, folder):
        shutil.rmtree(folder, ignore_errors=True)


def typical(seconds):
    """The first epoch pays for memory that later ones use again."""
    return statistics.median(seconds[1:] or seconds)


# ---- graco against PyTorch --------------------------------------------------------------------------


def peer_sets(bench):
    """Name, source, options of `graco train` and epochs of one measurement by program."""
    few = {"torch": 3, "exact": 3, "moment": 3}
    many = {"torch": 6, "exact": 11, "moment": 21}
    named = {"cora": few if bench.quick else many}
    if not bench.quick:
        named["citeseer"] = many
    for name, epochs in named.items():
        done = subprocess.run([bench.graco, "info", name], capture_output=True)
        if done.returncode:
            say(f"{name} is left out: not found under $GRACO_DATA")
            continue
        run([bench.graco, "convert", name, bench.path(f"{name}.npz")])
        yield name, ["--preset", name], epochs
    nodes = 1000 if bench.quick else 10000
    name = f"generated-{nodes}"
    run([bench.graco, "generate", bench.path(f"{name}.npz"), "--nodes", str(nodes), "--degree", "10"])
    # Its RReLU is drawn anew in each step, and the peers have none.
    yield name, ["--preset", "general", "--set", "activation=relu"], few if bench.quick else {"torch": 2, "exact": 3, "moment": 6}


def compare_losses(bench, data, model, options):
    """The largest relative difference of the losses, same weights and masks; ends the program where it is
    too large."""
    logged = bench.train(data, "exact", LOSS_EPOCHS, options)
    differences = []
    for program in PEERS:
        setting = {"program": program, "threads": bench.cores, "propagation": "sparse"}
        result = bench.peer(data, model, LOSS_EPOCHS, setting,
                            ["--compare", os.path.join(logged["folder"], "metrics.jsonl"), "--tolerance",
                             str(LOSS_TOLERANCE)])
        if not any("openblas" in name for name in result["blas"]):
            sys.exit(f"run_bench: PyTorch runs on {result['blas']}; expected OpenBLAS, for a fair comparison")
        differences.append(result["largest_difference"])
    return max(differences)


def choose_setting(bench, data, model, program, small):
    """A program's fastest setting: threads and, where it matters, the way of propagation."""
    ways = ("sparse", "scatter") if small and program == "torch" else ("sparse",)
    settings = [{"program": program, "threads": threads, "propagation": way}
                for threads in sorted({1, bench.cores}) for way in ways]
    for setting in settings:
        epochs = 4 if small else 2
        setting["epoch_seconds"] = bench.peer(data, model, epochs, setting,
                                              ["--masks", "torch"])["epoch_seconds"]
    return min(settings, key=lambda setting: setting["epoch_seconds"]), settings


def measure_rounds(bench, programs):
    """Runs every program once a round; programs give (seconds of an epoch, peak bytes)."""
    found = {name: {"epoch_seconds": [], "peak_rss_bytes": []} for name in programs}
    for _ in range(bench.rounds):
        for name, program in programs.items():
            seconds, peak = program()
            found[name]["epoch_seconds"].append(seconds)
            found[name]["peak_rss_bytes"].append(peak)
    return found


def ratio(found, above, below, key):
    return statistics.median(a / b for a, b in zip(found[above][key], found[below][key]))


def graco_program(bench, data, objective, epochs, options):
    def program():
        result = bench.train(data, objective, epochs, options)
        bench.remove(result["folder"])
        return typical(result["seconds"]), result["peak_rss_bytes"]
    return program


def measure_peer(bench, name, options, epochs):
    data = bench.path(f"{name}.npz")
    start = bench.train(data, "exact", 0, options)
    model = os.path.join(start["folder"], "model.safetensors")
    with open(os.path.join(start["folder"], "config.json")) as file:
        config = json.load(file)
    say(f"{name}: comparing losses")
    difference = compare_losses(bench, data, model, options)
    say(f"{name}: losses agree within {difference:.1e}; looking for PyTorch's best setting")
    small = config["nodes"] < 5000
    setting, settings = choose_setting(bench, data, model, "torch", small)
    expert, expert_settings = choose_setting(bench, data, model, "expert", small)
    say(f"{name}: PyTorch with {setting['threads']} threads, {setting['propagation']}, the expert's with "
        f"{expert['threads']}; {bench.rounds} rounds")

    def peer_program(chosen):
        def program():
            result = bench.peer(data, model, epochs["torch"], chosen, ["--masks", "torch"])
            return result["epoch_seconds"], result["peak_rss_bytes"]
        return program

    found = measure_rounds(bench, {
        "torch": peer_program(setting),
        "expert": peer_program(expert),
        "exact": graco_program(bench, data, "exact", epochs["exact"], options),
        "moment": graco_program(bench, data, "moment", epochs["moment"], options)})
    lean = bench.peer(data, model, 3 if small else 2, setting, ["--masks", "torch"],
                      RETURN_MEMORY)
    return {
        "name": name, "nodes": config["nodes"], "edges": config["edges"], "features": config["input"],
        "hidden": config["hidden"], "largest_loss_difference": difference, "torch_setting": setting,
        "torch_settings_tried": settings, "expert_setting": expert, "expert_settings_tried": expert_settings,
        "rounds": found,
        "torch_lean_peak_rss_bytes": lean["peak_rss_bytes"],
        "torch_imports_rss_bytes": lean["imports_rss_bytes"],
        "speedup": {k: ratio(found, "torch", k, "epoch_seconds") for k in ("expert", "exact", "moment")},
        "speedup_over_expert": {k: ratio(found, "expert", k, "epoch_seconds") for k in ("exact", "moment")},
        "memory_ratio": {k: ratio(found, k, "torch", "peak_rss_bytes") for k in ("exact", "moment")},
    }


def plural(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def print_peers(peers):
    print("Everything in float32. A ratio is the median over the rounds of PyTorch's time by the program's.\n")
    print("| data set | program | ms per epoch | plain PyTorch takes | the expert's takes | peak MiB |")
    print("|---|---|---:|---:|---:|---:|")
    for peer in peers:
        title = (f"{peer['name']}: {peer['nodes']:,} nodes, {peer['features']:,} features, "
                 f"h = {peer['hidden']}")
        labels = {"torch": f"plain PyTorch, float32, {plural(peer['torch_setting']['threads'])}",
                  "expert": f"an expert's PyTorch, float32, {plural(peer['expert_setting']['threads'])}",
                  "exact": "graco, exact, float32", "moment": "graco, moment, float32"}
        for name, label in labels.items():
            found = peer["rounds"][name]
            seconds = statistics.median(found["epoch_seconds"])
            peak = statistics.median(found["peak_rss_bytes"])
            ratios = [f"{peer[key][name]:.1f}x" if name in peer[key] else ""
                      for key in ("speedup", "speedup_over_expert")]
            print(f"| {title} | {label} | {1e3 * seconds:.1f} | {ratios[0]} | {ratios[1]} | {peak / 2**20:.0f} |")
            title = ""
    print()
    for peer in peers:
        print(f"{peer['name']}: the losses of {LOSS_EPOCHS} epochs differ by at most "
              f"{peer['largest_loss_difference']:.0e} (relative). PyTorch with all matrices returned to the "
              f"system at once, which is slower: {peer['torch_lean_peak_rss_bytes'] / 2**20:.0f} MiB, of which "
              f"{peer['torch_imports_rss_bytes'] / 2**20:.0f} MiB are its libraries.")
    print()


# ---- graco's two objectives on Pubmed ---------------------------------------------------------------


def measure_pubmed(bench):
    if subprocess.run([bench.graco, "info", "pubmed"], capture_output=True).returncode:
        say("pubmed is left out: not found under $GRACO_DATA")
        return None
    say("pubmed: exact and moment")
    epochs = 2 if bench.quick else 3
    bench_rounds, bench.rounds = bench.rounds, 1 if bench.quick else bench.rounds
    options = ["--preset", "pubmed"] + (["--set", "hidden=32"] if bench.quick else [])
    found = measure_rounds(bench, {
        "exact": graco_program(bench, "pubmed", "exact", epochs, options),
        "moment": graco_program(bench, "pubmed", "moment", 2 * epochs, options)})
    bench.rounds = bench_rounds
    return {"rounds": found, "speedup": ratio(found, "exact", "moment", "epoch_seconds")}


def print_pubmed(pubmed):
    print("| Pubmed, graco | ms per epoch | peak MiB |")
    print("|---|---:|---:|")
    for name in ("exact", "moment"):
        found = pubmed["rounds"][name]
        print(f"| {name} | {1e3 * statistics.median(found['epoch_seconds']):.0f} | "
              f"{statistics.median(found['peak_rss_bytes']) / 2**20:.0f} |")
    print(f"\nMoment is {pubmed['speedup']:.1f}x faster than exact.\n")


# ---- The objectives against sgemm -------------------------------------------------------------------


def measure_objective(bench):
    say("objectives and sgemm")
    command = [bench.objective_program, "--rounds", str(bench.rounds)]
    return json.loads(run(command + (["--quick"] if bench.quick else [])))


def print_objective(objective):
    print(f"sgemm's best rate: {objective['sgemm_best_gflops']:.0f} GFLOP/s with {objective['threads']} "
          f"threads; memory: {objective['bandwidth_gbytes']:.0f} GB/s (triad).\n")
    print("| objective and gradient | N | d | ms | GFLOP/s | of sgemm |")
    print("|---|---:|---:|---:|---:|---:|")
    for case in objective["objectives"]:
        rate = share = ""
        if "share" in case:
            rate, share = f"{case['gflops']:.0f}", f"{100 * case['share']:.0f} %"
        print(f"| {case['name']} | {case['n']:,} | {case['d']} | {1e3 * case['seconds']:.1f} | {rate} | "
              f"{share} |")
    print()


# ---- Growing graphs ---------------------------------------------------------------------------------

SCALING_OPTIONS = ["--preset", "general", "--set", "hidden=128", "--set", "projection=128"]


def scaling_sizes(quick):
    if quick:
        return {"moment": [1000, 4000, 16000], "exact": [1000, 2000, 4000]}
    return {"moment": [2500, 10000, 40000, 160000, 640000, 1000000],
            "exact": [2500, 5000, 10000, 20000, 40000]}


def scaling_plan(bench):
    """(round, size, objective, epochs): small graphs once a round, large ones once with more epochs."""
    sizes = scaling_sizes(bench.quick)
    plan = []
    for objective, below in (("moment", 100000), ("exact", 15000)):
        for nodes in sizes[objective]:
            if nodes < below:
                plan += [(index, nodes, objective, 4) for index in range(bench.rounds)]
            else:
                plan.append((bench.rounds, nodes, objective, 6))
    return sorted(plan)


def measure_scaling(bench):
    found, made = {}, set()
    plan = scaling_plan(bench)
    for index, (_, nodes, objective, epochs) in enumerate(plan):
        data = bench.path(f"scaling-{nodes}")
        if nodes not in made:
            say(f"scaling: making a graph of {nodes:,} nodes")
            run([bench.graco, "generate", data, "--nodes", str(nodes), "--features", "128", "--dense",
                 "--degree", "10"])
            made.add(nodes)
        if epochs > 4:
            say(f"scaling: {objective}, {nodes:,} nodes")
        result = bench.train(data, objective, epochs, SCALING_OPTIONS)
        bench.remove(result["folder"])
        entry = found.setdefault((objective, nodes), {"seconds": [], "peak_rss_bytes": []})
        entry["seconds"] += result["seconds"][1:]
        entry["peak_rss_bytes"].append(result["peak_rss_bytes"])
        if all(later[1] != nodes for later in plan[index + 1:]):
            bench.remove(data)
    rows = [{"objective": objective, "nodes": nodes, "epoch_seconds": statistics.median(entry["seconds"]),
             "samples": len(entry["seconds"]), "peak_rss_bytes": max(entry["peak_rss_bytes"])}
            for (objective, nodes), entry in sorted(found.items())]
    exponents = {objective: fit_exponent([(row["nodes"], row["epoch_seconds"]) for row in rows
                                          if row["objective"] == objective])
                 for objective in ("exact", "moment")}
    return {"rows": rows, "exponents": exponents}


def print_scaling(scaling):
    print("| nodes | exact: ms per epoch | peak MiB | moment: ms per epoch | us per node | peak MiB |")
    print("|---:|---:|---:|---:|---:|---:|")
    rows = {(row["objective"], row["nodes"]): row for row in scaling["rows"]}
    for nodes in sorted({nodes for _, nodes in rows}):
        cells = [f"{nodes:,}"]
        for objective in ("exact", "moment"):
            row = rows.get((objective, nodes))
            cells.append(f"{1e3 * row['epoch_seconds']:.1f}" if row else "")
            if objective == "moment":
                cells.append(f"{1e6 * row['epoch_seconds'] / nodes:.2f}" if row else "")
            cells.append(f"{row['peak_rss_bytes'] / 2**20:.0f}" if row else "")
        print("| " + " | ".join(cells) + " |")
    print(f"\nFitted exponents of the time: exact {scaling['exponents']['exact']:.2f}, "
          f"moment {scaling['exponents']['moment']:.2f}.\n")


# ---- The whole --------------------------------------------------------------------------------------


def measure(bench, report, sections):
    if "peers" in sections:
        report["peers"] = [measure_peer(bench, *one) for one in peer_sets(bench)]
    if "pubmed" in sections:
        report["pubmed"] = measure_pubmed(bench)
    if "objective" in sections:
        report["objective"] = measure_objective(bench)
    if "scaling" in sections:
        report["scaling"] = measure_scaling(bench)


def print_report(report):
    machine = report["machine"]
    print(f"{machine['cpu']} (family/model {machine['family_model']}), {machine['cores']} cores, "
          f"{machine['memory_gib']} GiB, {machine['graco']}, OpenBLAS {machine['openblas']} "
          f"(kernels: {machine['openblas_kernels']['kernels']}), PyTorch {machine['torch']}, {machine['date']}; "
          f"median of {report['rounds']} interleaved rounds.\n")
    for name, function in (("peers", print_peers), ("pubmed", print_pubmed),
                           ("objective", print_objective), ("scaling", print_scaling)):
        if report.get(name):
            function(report[name])


def main():
    arguments = parse_arguments()
    for program in ("graco", "bench_objective"):
        if not os.path.exists(os.path.join(arguments.build, program)):
            sys.exit(f"run_bench: {arguments.build}/{program} is not built; `make bench` builds it")
    begin = time.monotonic()
    machine = describe_machine(arguments.build)
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"warning: the machine is busy (load {load:.1f}): the timings will be noisy")
    machine["openblas_kernels"] = choose_blas_kernels(arguments.build)
    say(f"kernels of OpenBLAS: {machine['openblas_kernels']['kernels']}")
    report = {"machine": machine, "rounds": arguments.rounds, "quick": arguments.quick, "load_before": load}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.build) as work:
        measure(Bench(arguments, os.path.abspath(work)), report, arguments.only)
    report["minutes"] = round((time.monotonic() - begin) / 60, 1)
    slug = re.sub(r"[^a-z0-9]+", "-", f"{machine['cpu']} {machine['cores']} cores".lower()).strip("-")
    output = arguments.output or (os.path.join(arguments.build, "bench-quick.json") if arguments.quick else
                                  os.path.join(HERE, "results", f"{arguments.name or slug}.json"))
    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    with open(output, "w") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    print_report(report)
    say(f"{report['minutes']} minutes; everything measured is in {os.path.relpath(output)}")


if __name__ == "__main__":
    main()
