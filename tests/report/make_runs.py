#!/usr/bin/env python3
"""Puts names that pages must survive into runs that were trained on make_map.py's graph: make_runs.py RUN ...

The nodes' names, the data set's name and a setting become hostile; what the training computed stays.
"""
import json
import pathlib
import sys

from make_map import HOSTILE


def main():
    for number, name in enumerate(sys.argv[1:]):
        run = pathlib.Path(name)
        config = json.loads((run / "config.json").read_text(encoding="utf-8"))
        config["dataset"] = HOSTILE[3 - number % 4]
        config["a <i>setting</i>"] = HOSTILE[number % 4]
        config[HOSTILE[(number + 1) % 4]] = "1"
        (run / "config.json").write_text(json.dumps(config), encoding="utf-8")


if __name__ == "__main__":
    main()
