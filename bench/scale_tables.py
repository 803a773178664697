#!/usr/bin/env python3
"""Prints the tables of docs/scale.md: strong and weak scaling of graco-mpi, from `graco plan`.

    bench/scale_tables.py GRACO ARXIV GENERATED TEN FOLDER

ARXIV is ogbn-arxiv with its 128 features (graco convert ogbn-arxiv ARXIV), GENERATED a graph of a
million nodes (graco generate GENERATED --nodes 1000000 --features 64 --dense --degree 10 --classes 50), TEN the
same of ten million, FOLDER a place for partitioned data sets and for the graphs of the weak scaling.
What takes too long or too much memory to plan is computed by the formulas of docs/scale.md, which are first held
against every plan. Needs numpy; the largest plan takes 6 GB.
"""
import functools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy

SETTINGS = "--objective moment --set hidden=128 --threads 1 --device cpu --json".split()
HIDDEN, SAMPLE = 128, 256  # of these settings
RANKS = [1, 4, 16, 64, 256, 1024]
MILLION_RANKS = [1, 16, 64, 256, 1024]
TEN_RANKS = 64  # of the plan of ten million nodes
WEAK_PLANNED = 256  # ranks up to which the weak scaling is planned
PAPERS = 111059956, 1615685872  # nodes and edges of ogbn-papers100M
LINKS = [(10, 20), (100, 2)]  # Gbit/s, microseconds


@functools.cache
def ask(graco, data, *options):
    line = [graco, "plan", str(data), *options, *SETTINGS]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def plan(graco, data, ranks):
    """The mean rank, with its share of an epoch of one process where that fits this machine."""
    whole = ask(graco, data)["epoch_seconds"] or math.nan
    return {**ask(graco, data, "--ranks", str(ranks))["mean"], "compute_seconds": whole / ranks}


def weights(features):
    """Numbers that are learnt: two layers of width 256 and 128, the projector, a slope where there is one."""
    h = HIDDEN
    return features * 2 * h + 2 * h + 2 * h * h + h + 2 * (h * h + h)


def sent(ranks, rows, features):
    """Bytes that a rank sends in an epoch, whose rows others read `rows` times: the formulas, for moment and dense
    features, which the first layer propagates first."""
    boundary = 4 * rows * (4 * HIDDEN + 2)
    moment = 2 * HIDDEN * (HIDDEN + 1) + 3 * SAMPLE * HIDDEN
    return boundary + 4 * 2 * (ranks - 1) / ranks * (moment + weights(features))


def messages(ranks):
    """At most: two views there and back and two scales to every other rank, and eight sums."""
    return (6 + 2 * 8) * (ranks - 1) + 2 if ranks > 1 else 0


def epoch(row, link):
    return row["compute_seconds"] + 1e-6 * link[1] * row["sent_messages"] + 8e-9 / link[0] * row["sent_bytes"]


def size(count):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}" if count < 1000 else f"{count:,.0f} {unit}"
        count /= 1000
    return ""


def table(title, rows):
    print(f"\n*{title}*\n")
    heads = ["P", "nodes of a rank", "boundary rows", "memory of a rank", "sent", "messages"]
    heads += [f"epoch, {gbits} Gbit/s, {us} µs" for gbits, us in LINKS]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for ranks, row in rows:
        cells = [f"{ranks:,}", f"{row['nodes']:,.0f}", f"{row['boundary_rows']:,.0f}", size(row["own_bytes"]),
                 size(row["sent_bytes"]), f"{row['sent_messages']:,.0f}"]
        print("| " + " | ".join(cells + [f"{epoch(row, link):.3g} s" for link in LINKS]) + " |", flush=True)


def held(rows, features):
    """How far the formulas are from plans, the largest relative difference."""
    return max((abs(sent(p, r["sent_rows"], features) / r["sent_bytes"] - 1) for p, r in rows if p > 1), default=0)


def times(rows, factor, features):
    """A graph `factor` times as large with the same degrees: its rows are so many more, by the formulas."""
    for ranks, row in rows:
        more = {key: factor * value for key, value in row.items()}
        more["sent_bytes"] = sent(ranks, more["sent_rows"], features)
        more["sent_messages"] = messages(ranks)
        yield ranks, more


def model(arxiv, divided, nodes, degree):
    """A graph of which only the size is known. In an arbitrary order a rank reads each node of others that has one of
    its neighbours there; METIS is taken to divide it as it divides ogbn-arxiv. Memory and work follow the rows; what a
    boundary row takes is taken from P = 16."""
    whole, sixteen = arxiv[0][1], dict(arxiv)[16]
    per_row = (sixteen["own_bytes"] - whole["own_bytes"] / 16) / sixteen["boundary_rows"]
    for (ranks, row), (_, metis) in zip(arxiv, divided):
        share = metis["boundary_rows"] / row["boundary_rows"] if ranks > 1 else 0
        read = nodes * (1 - 1 / ranks) * (1 - math.exp(-degree / ranks)) * share
        own = nodes / ranks
        yield ranks, {"nodes": own, "boundary_rows": read, "sent_messages": messages(ranks),
                      "sent_bytes": sent(ranks, read, 128) if ranks > 1 else 0,
                      "own_bytes": own * whole["own_bytes"] / whole["nodes"] + read * per_row,
                      "compute_seconds": own * whole["compute_seconds"] / whole["nodes"]}


def partitioned(graco, data, ranks, folder):
    out = folder / f"{Path(data).name}-{ranks}"
    if not out.exists():
        subprocess.run([graco, "partition", str(data), "-n", str(ranks), "-o", str(out)], check=True, capture_output=True)
    return plan(graco, out, ranks)


def boundary(data, ranks):
    """Rows that a rank reads of a graph in an arbitrary order, by its degrees: a node is read where one of its
    neighbours is, of which each is there with probability 1 / P."""
    edges = numpy.load(data / "edge_index.npy", mmap_mode="r")
    degrees = numpy.zeros(int(numpy.load(data / "num_nodes.npy").item()), numpy.int64)
    for first in range(0, edges.shape[1], 10**7):
        degrees += numpy.bincount(edges[1, first:first + 10**7], minlength=len(degrees))
    counts = numpy.bincount(degrees)
    return (1 - 1 / ranks) * (counts * (1 - (1 - 1 / ranks) ** numpy.arange(len(counts)))).sum()


def weak(graco, folder):
    """Plans, and past WEAK_PLANNED ranks what follows from the degrees: memory grows with the boundary as it did
    between the last two plans."""
    rows = []
    for ranks in RANKS:
        out = folder / f"weak-{ranks}"
        if not out.exists():
            line = f"--nodes {10000 * ranks} --features 64 --dense --degree 10 --classes 50".split()
            subprocess.run([graco, "generate", str(out), *line], check=True, capture_output=True)
        if ranks <= WEAK_PLANNED:
            rows.append((ranks, plan(graco, out, ranks)))
            if ranks > 1:
                print(f"boundary by degrees, {ranks} ranks: {boundary(out, ranks) / rows[-1][1]['boundary_rows'] - 1:+.3%}")
            continue
        before, last = rows[-2][1], rows[-1][1]
        read = boundary(out, ranks)
        per_row = (last["own_bytes"] - before["own_bytes"]) / (last["boundary_rows"] - before["boundary_rows"])
        rows.append((ranks, {"nodes": 10000, "boundary_rows": read, "sent_rows": read, "sent_messages": messages(ranks),
                             "sent_bytes": sent(ranks, read, 64), "compute_seconds": last["compute_seconds"],
                             "own_bytes": last["own_bytes"] + per_row * (read - last["boundary_rows"])}))
    return rows


def main():
    graco, arxiv, generated, ten, folder = sys.argv[1:]
    folder = Path(folder)
    own = [(p, plan(graco, arxiv, p)) for p in RANKS]
    table("Strong, ogbn-arxiv in its own order", own)
    divided = [(p, partitioned(graco, arxiv, p, folder)) for p in RANKS]
    table("Strong, ogbn-arxiv divided by METIS", divided)
    table("Strong, a model of ogbn-papers100M, divided by METIS as ogbn-arxiv is", model(own, divided, PAPERS[0], 2 * PAPERS[1] / PAPERS[0]))
    grown = weak(graco, folder)
    table("Weak, generated graphs of 10,000 nodes for each rank", grown)
    million = [(p, plan(graco, generated, p)) for p in MILLION_RANKS]
    by_ten = dict(times(million, 10, 64))
    table("Strong, a generated graph of 10 million nodes, by ten times the rows of one of a million", by_ten.items())
    planned = plan(graco, ten, TEN_RANKS)
    table(f"The same, planned for {TEN_RANKS} ranks", [(TEN_RANKS, planned)])
    for key in ("boundary_rows", "own_bytes", "sent_bytes"):
        print(f"{key}: {by_ten[TEN_RANKS][key] / planned[key] - 1:+.2%}")
    print(f"\nformulas against plans: {held(own + divided, 128):.2%} and {held(million + grown[:-1] + [(TEN_RANKS, planned)], 64):.2%} at most")


if __name__ == "__main__":
    main()
