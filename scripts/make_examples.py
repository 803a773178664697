#!/usr/bin/env python3
"""Writes the tables of examples/ again: made-up articles that cite each other, the words that they use, and
their subjects. `newer_*.csv` are other articles with the same words, for a model to embed unseen.

    scripts/make_examples.py [FOLDER]

The numbers come from a generator of our own, so any Python gives the same bytes.
"""
import os
import sys

SUBJECTS = ("astronomy", "botany", "chemistry")
WORDS = ("star orbit comet planet lens leaf root seed flower soil acid metal salt vapour bond the".split())
OWN = 5  # words that a subject has to itself; the last one is everybody's


class Random:
    """A linear congruential generator of 64 bits (Knuth's constants); the high bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) * limit >> 31


def make(seed, prefix, count):
    random = Random(seed)
    subject = [random.below(len(SUBJECTS)) for _ in range(count)]
    name = [f"{prefix}{i + 1:03d}" for i in range(count)]
    cited = set()
    for i in range(count):
        for _ in range(3):  # four citations of five stay within the subject
            near = random.below(5) > 0
            others = [j for j in range(count) if j != i and (subject[j] == subject[i]) == near]
            cited.add((i, others[random.below(len(others))]))
    rows = []
    for i in range(count):
        words = [0] * len(WORDS)
        for _ in range(12):
            word = subject[i] * OWN + random.below(OWN) if random.below(2) else random.below(len(WORDS))
            words[word] += 1
        rows.append(words)
    return name, subject, sorted(cited), rows


def write(folder, name, header, rows):
    with open(os.path.join(folder, name), "w") as file:
        file.write("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "examples")
    for start, prefix, count, seed in (("", "a", 120, 1), ("newer_", "b", 40, 2)):
        name, subject, cited, words = make(seed, prefix, count)
        write(folder, start + "edges.csv", ("source", "target"), [(name[i], name[j]) for i, j in cited])
        # The rows of the tables are in another order than the edges name the nodes: ids decide.
        order = sorted(range(count), key=lambda i: (i * 7 % count, i))
        write(folder, start + "features.csv", ("node_id", *WORDS), [(name[i], *words[i]) for i in order])
        if not start:  # what is new has no labels yet
            write(folder, "labels.csv", ("node_id", "label"), [(name[i], SUBJECTS[subject[i]]) for i in range(count)])


if __name__ == "__main__":
    main()
