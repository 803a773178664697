"""What both programs of GRACE in PyTorch share: the command line, graco's random masks, graco's files, the
comparison of losses and the report.

To show that a program trains the same model as graco, it starts from a checkpoint that graco wrote
(`graco train DATA -o RUN --epochs 0`), reads the data set that graco wrote (`graco convert DATA
OUT.npz`) and draws graco's own random masks: --compare RUN/metrics.jsonl then checks loss by loss.
For timings, --masks torch draws them by PyTorch's generator, within the time measured.
"""
import argparse
import json
import os
import resource
import statistics
import struct
import sys
import time

STREAM_EDGES, STREAM_FEATURES = 2, 3  # as in src/base/random.h
PROGRAM = os.path.basename(sys.argv[0]).removesuffix(".py")


def parse_arguments():
    parser = argparse.ArgumentParser(description="GRACE in PyTorch.")
    parser.add_argument("data", help="data set in graco's own format, .npz")
    parser.add_argument("model", help="model.safetensors of a run of 0 epochs")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--masks", choices=["graco", "torch"], default="graco",
                        help="whose random numbers; graco's are drawn outside the time measured")
    parser.add_argument("--propagation", choices=["sparse", "scatter"], default="sparse",
                        help="peer_torch: neighbours summed by torch.sparse.mm or by index_add")
    parser.add_argument("--block", type=int, default=0,
                        help="expert_torch: rows of a tile of similarities; 0: the best known")
    parser.add_argument("--compile", action="store_true",
                        help="PyTorch 2: the loss, or what is done to a tile between products, by torch.compile")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="peer_torch: where to compute")
    parser.add_argument("--compare", metavar="METRICS", help="metrics.jsonl that the losses must equal")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="relative, for --compare")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


# The number of threads must be known before the libraries load.
ARGUMENTS = parse_arguments()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)

import numpy as np  # noqa: E402
import torch  # noqa: E402


# ---- Random masks: Philox4x32-10, the numbers of src/base/random.c ---------------------------------


def philox(seed, stream, view, step, count):
    """The first `count` numbers of 32 bits of a key, as uint64."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    block = np.arange((count + 3) // 4, dtype=np.uint64)
    c0, c1 = block & mask, block >> shift
    c2 = np.full_like(block, step)
    c3 = np.full_like(block, stream << 16 | view)
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1 = (p1 >> shift) ^ c1 ^ np.uint64(k0), p1 & mask
        c2, c3 = (p0 >> shift) ^ c3 ^ np.uint64(k1), p0 & mask
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([c0, c1, c2, c3], axis=1).reshape(-1)[:count]


def graco_keep(seed, stream, view, step, count, p):
    """True where an element is kept, with probability 1 - p."""
    return torch.from_numpy(philox(seed, stream, view, step, count) >= np.uint64(int(p * 2**32)))


def torch_keep(count, p):
    return torch.rand(count) >= p


# ---- Files ------------------------------------------------------------------------------------------


def read_checkpoint(path):
    """Settings and parameters of a safetensors file: 8 bytes of length, JSON, raw little-endian data."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    config = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        if name.startswith("adam_") or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values.copy())
    return config, tensors


def check_config(config):
    expected = {"encoder": "gcn", "objective": "exact", "epoch": "0"}
    for key, value in expected.items():
        if config[key] != value:
            sys.exit(f"{PROGRAM}: the checkpoint has {key} = {config[key]}; expected {value}")
    if float(config["contaminate"]) != 0:
        sys.exit(f"{PROGRAM}: the checkpoint has contaminate > 0, which is not written here")
    if config["activation"] not in ("relu", "prelu", "elu"):
        sys.exit(f"{PROGRAM}: activation {config['activation']} is not written here")


def read_edges(arrays):
    """Sources and targets (E), numbered as graco numbers edges: by target, then by source."""
    source, target = arrays["edge_index"].astype(np.int64)
    order = np.lexsort((source, target))
    return torch.from_numpy(source[order]), torch.from_numpy(target[order])


def draw_masks(config, epoch, edges, features):
    """For each view the kept edges and the kept features."""
    masks = []
    for view in (0, 1):
        kept = []
        for stream, what, count in ((STREAM_EDGES, "edge", edges), (STREAM_FEATURES, "feature", features)):
            p = float(config[f"drop_{what}_{view + 1}"])
            if ARGUMENTS.masks == "torch":
                kept.append(torch_keep(count, p))
            else:
                kept.append(graco_keep(int(config["seed"]), stream, view, epoch, count, p))
        masks.append(kept)
    return masks


# ---- Running ----------------------------------------------------------------------------------------


def compare(losses, path, tolerance):
    """The largest relative difference from the losses that graco logged; exits where it is too large."""
    with open(path) as file:
        logged = [json.loads(line)["loss"] for line in file]
    if len(logged) < len(losses):
        sys.exit(f"{PROGRAM}: {path} has {len(logged)} epochs; expected at least {len(losses)}")
    differences = [abs(a - b) / abs(b) for a, b in zip(losses, logged)]
    for epoch, (a, b, difference) in enumerate(zip(losses, logged, differences), 1):
        if not difference <= tolerance:
            sys.exit(f"{PROGRAM}: epoch {epoch}: the loss is {a} here and {b} in {path}: "
                     f"{difference:.1e} apart, expected at most {tolerance:.1e}")
    return max(differences)


def blas_library():
    """The file of the BLAS that is loaded: without OpenBLAS the comparison would be unfair."""
    with open("/proc/self/maps") as file:
        names = {os.path.basename(line.split()[-1]) for line in file if "blas" in line.lower()}
        return sorted(names)


def compiled(function):
    if not ARGUMENTS.compile:
        return function
    if not hasattr(torch, "compile"):
        sys.exit(f"{PROGRAM}: --compile needs PyTorch 2; this is {torch.__version__}")
    return torch.compile(function, dynamic=True)


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(Training):
    """Trains and reports. A Training has draw(epoch), which draws the masks of an epoch, and step(masks),
    which returns the loss of one step."""
    torch.set_num_threads(ARGUMENTS.threads)
    torch.manual_seed(0)
    at_start = peak_bytes()
    training = Training()
    losses, seconds, processor = [], [], []
    for epoch in range(ARGUMENTS.epochs):
        masks = training.draw(epoch) if ARGUMENTS.masks == "graco" else None
        begin, used = time.perf_counter(), time.process_time()
        losses.append(training.step(masks or training.draw(epoch)))
        seconds.append(time.perf_counter() - begin)
        processor.append(time.process_time() - used)
    report = {
        "losses": losses,
        "seconds": seconds,
        # The first epoch pays for the allocator's growth; it counts only where it is alone.
        "epoch_seconds": statistics.median(seconds[1:] or seconds),
        "epoch_processor_seconds": statistics.median(processor[1:] or processor),
        "peak_rss_bytes": peak_bytes(),
        "imports_rss_bytes": at_start,
        "threads": ARGUMENTS.threads,
        "torch": torch.__version__,
        "blas": blas_library(),
    }
    if ARGUMENTS.compare:
        report["largest_difference"] = compare(losses, ARGUMENTS.compare, ARGUMENTS.tolerance)
    if ARGUMENTS.json:
        print(json.dumps(report))
        return
    for epoch, (loss, time_taken) in enumerate(zip(losses, seconds), 1):
        print(f"epoch {epoch}  loss {loss:.5f}  {1e3 * time_taken:.1f} ms")
    if ARGUMENTS.compare:
        print(f"losses differ from {ARGUMENTS.compare} by at most {report['largest_difference']:.1e}")
    print(f"median {1e3 * report['epoch_seconds']:.1f} ms, peak {peak_bytes() / 2**20:.0f} MiB, "
          f"{ARGUMENTS.threads} threads, "
          f"processor time {1e3 * report['epoch_processor_seconds']:.1f} ms")
