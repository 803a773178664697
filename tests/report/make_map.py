#!/usr/bin/env python3
"""Makes embeddings of four groups, with names that pages must survive: make_map.py FOLDER.

Leaves Z.npy with its names beside it, edges.csv with labels.csv, and expected.json: names, classes, and what those
are called.
"""
import json
import pathlib
import random
import struct
import sys

NODES, COLS = 400, 8
CALLED = ["Case_Based", "Genetic_Algorithms", "Neural_Networks", "Reinforcement_Learning"]
GROUPS = len(CALLED)
HOSTILE = ["<script>window.hacked=1</script>", "say \"x\" & 'y' </script> ]]>", "שלום עולם مرحبا", "x" * 10000]


def main():
    folder = pathlib.Path(sys.argv[1])
    draw = random.Random(5)
    names = HOSTILE + [f"node {i}" for i in range(len(HOSTILE), NODES)]
    classes = [i % GROUPS for i in range(NODES)]
    rows = [[draw.gauss(4 * (c == classes[i]), 1) for c in range(COLS)] for i in range(NODES)]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({NODES}, {COLS}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(folder / "Z.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack(f"<{COLS}f", *row))
    (folder / "Z.node_ids.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    with open(folder / "edges.csv", "w") as edges, open(folder / "labels.csv", "w") as labels:
        edges.write("source,target\n")
        labels.write("id,label\n")
        for i in range(NODES):
            edges.write(f"{i},{(i + GROUPS) % NODES}\n")
            labels.write(f"{i},{CALLED[classes[i]]}\n")
    expected = {"names": names, "classes": classes, "called": CALLED}
    (folder / "expected.json").write_text(json.dumps(expected), encoding="utf-8")


if __name__ == "__main__":
    main()
