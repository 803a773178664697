#!/usr/bin/env bash
# The published results, checked: docs/results.md, its tables and figures, and README's tables are what the
# committed results.json gives, and a number that was changed by hand is found.
set -euo pipefail
graco=$1/graco
cd "$GRACO_SOURCE"
. tests/check.sh

command -v python3 >/dev/null || { echo "skipped: python3, which writes the documents, is not installed"; exit 77; }

holds "the documents follow from docs/results/results.json" python3 scripts/results.py "$graco" --check
holds "every cell of a table that is above or below the paper's is explained" python3 - <<'CELLS'
import csv, json, sys
explained = {entry["key"] for entry in json.load(open("docs/results/results.json"))["explanations"]}
silent = [line["key"] for item in ("transductive", "inductive", "ablation", "infonce")
          for line in csv.DictReader(open(f"docs/results/{item}.csv"))
          if line["agreement"] in ("above", "below") and line["label"] == "run" and line["key"] not in explained]
print(*silent, sep="\n")
sys.exit(bool(silent))
CELLS
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r scripts README.md docs "$copy"
sed -i -E '0,/(\| GRACE \| )8[0-9]\.[0-9]/s//\199.9/' "$copy/README.md"
holds "the table in README was changed" bash -c "! cmp -s README.md '$copy/README.md'"
holds "which is found" bash -c "! python3 '$copy/scripts/results.py' '$graco' --check | grep -qv '^README.md is not'"
holds "and said" bash -c "python3 '$copy/scripts/results.py' '$graco' --check | grep -q '^README.md is not'"
checked
