#!/usr/bin/env python3
"""Writes docs/results.md, its figures and README's tables from docs/results/results.json. `make results` runs this.

The command makes the tables and figures (`graco reproduce --no-train`, which reads no data); this script
puts them where documents want them, so no number is typed by hand. With --check nothing is written, and
what differs is said: tests/style/test_results.sh runs that.

usage: results.py GRACO [--check]
"""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
HEAD = "<!-- written by scripts/results.py from docs/results/results.json: `make results` -->\n\n"
SETS = {"transductive": ("Cora", "Citeseer", "Pubmed", "DBLP"), "inductive": ("PPI", "Reddit")}


def cells(folder, item):
    """{row: {column: the CSV's line}}, rows in their order."""
    rows = {}
    with open(folder / f"{item}.csv", newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            rows.setdefault(line["row"], {})[line["column"]] = line
    return rows


def cell(line):
    """Ours, with the paper's value in brackets where both are of the same graph."""
    if line is None:
        return ""
    ours = f"{float(line['ours']):.1f}" if line["ours"] else "-"
    return f"{ours} ({float(line['paper']):.1f})" if line["paper"] and line["label"] != "look-alike" else ours


def table(head, rows):
    lines = ["| | " + " | ".join(head) + " |", "|---|" + "---:|" * len(head)]
    return "\n".join(lines + [f"| {name} | " + " | ".join(row) + " |" for name, row in rows]) + "\n"


def main_table(folder):
    """The paper's main table. A name with a comma is a second reading of a row, which docs/results.md has."""
    parts = {item: cells(folder, item) for item in SETS}
    names = list(dict.fromkeys(name for part in parts.values() for name in part if "," not in name))
    order = sorted(names, key=lambda name: "(supervised)" in name)
    heads = ["like Reddit*" if name == "Reddit" else name for columns in SETS.values() for name in columns]
    return table(heads, [(name, [cell(parts[item].get(name, {}).get(column))
                                 for item, columns in SETS.items() for column in columns]) for name in order])


def appendix(folder):
    rows = {**cells(folder, "ablation"), **cells(folder, "infonce")}
    return table(SETS["transductive"], [(name, [cell(row.get(column)) for column in SETS["transductive"]])
                                        for name, row in rows.items()])


def readme(text, folder):
    for name, body in (("main", main_table(folder)), ("appendix", appendix(folder))):
        text, found = re.subn(f"(<!-- begin results {name} -->\n\n).*?(\n<!-- end results {name} -->)",
                              lambda match, body=body: match[1] + body + match[2], text, flags=re.S)
        if found != 1:
            sys.exit(f"README.md: {found} blocks `begin results {name}`; expected one")
    return text


def documents(graco):
    """What each file should hold: {path: bytes}."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(RESULTS / "results.json", folder)
        subprocess.run([graco, "reproduce", "--no-train", "--quiet", "-o", folder], check=True,
                       env={"GRACO_DATA": name})  # the same on machines with data and without
        wanted = {RESULTS / path.name: path.read_bytes() for path in folder.iterdir()
                  if path.suffix in (".csv", ".svg")}
        tables = (folder / "tables.md").read_text(encoding="utf-8")
        tables = re.sub(r"\]\((?=[a-z_0-9]+\.(csv|svg)\))", "](results/", tables)
        wanted[ROOT / "docs" / "results.md"] = (HEAD + tables).encode()
        wanted[ROOT / "README.md"] = readme((ROOT / "README.md").read_text(encoding="utf-8"), folder).encode()
    return wanted


def main():
    check = "--check" in sys.argv[2:]
    wanted = documents(str(pathlib.Path(sys.argv[1]).resolve()))
    stale = [path for path in (*RESULTS.glob("*.csv"), *RESULTS.glob("*.svg")) if path not in wanted]
    differ = stale + [path for path, data in wanted.items() if not path.exists() or path.read_bytes() != data]
    for path in differ if check else ():
        print(f"{path.relative_to(ROOT)} is not what docs/results/results.json gives: run `make results`")
    if not check:
        for path in stale:
            path.unlink()
        for path, data in wanted.items():
            path.write_bytes(data)
    return bool(check and differ)


if __name__ == "__main__":
    sys.exit(main())
