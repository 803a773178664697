#!/usr/bin/env bash
# The page of `graco report` in a real browser, for one run and for three: pointer, keys, a map within the page, light
# and dark, 360 and 1440 pixels; names that would be markup do no harm.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which drives the browser, is not installed"; exit 77; }
graco=$1/graco
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$GRACO_SOURCE/tests/report
cd "$work"
python3 "$tests/make_map.py" .
# Edges and labels by the nodes' names; classes have such names too.
python3 - <<'END'
import csv, json
names = json.load(open("expected.json", encoding="utf-8"))["names"]
classes = ["<script>window.hacked=1</script>", "say \"x\" & 'y'", "שלום עולם مرحبا", "x" * 10000]
with open("edges.csv", "w", encoding="utf-8", newline="") as edges, open("labels.csv", "w", encoding="utf-8", newline="") as labels:
    links, rows = csv.writer(edges), csv.writer(labels)
    for i, name in reversed(list(enumerate(names))):  # a file that began with < would be taken for GraphML
        links.writerow([name, names[(i + 4) % len(names)]])
        rows.writerow([name, classes[i % 4]])
END
runs=('<script>window.hacked=1<' "say \"x\" & 'y'" 'שלום עולם مرحبا')
for run in "${runs[@]}"; do
    "$graco" train edges.csv --labels labels.csv --undirected --header no -o "$run" --epochs 40 --set hidden=8 --device cpu -q 2>/dev/null
done
python3 "$tests/make_runs.py" "${runs[@]}"
"$graco" report "${runs[0]}" --splits 2 --title "$(printf 'y%.0s' {1..3000})" -o one.html 2>/dev/null
"$graco" report "${runs[@]}" --splits 2 -o three.html 2>/dev/null
# Names that need little room, in tables that could need less: they stay in one line.
for number in 1 2 3; do mv "${runs[number - 1]}" "run $number"; done
"$graco" report run\ {1,2,3} --splits 2 -o plain.html 2>/dev/null
python3 -c 'import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    page = tree.parse(path)
    assert not page.findall(".//{http://www.w3.org/1999/xhtml}script"), path' one.html three.html || fail "a page is no XML, or has scripts"
for page in one three plain; do
    code=0 with=run_browser.py
    [ $page = plain ] && with=browser.py
    timeout 1800 python3 "$tests/$with" $page.html || code=$?
    [ "$code" -eq 77 ] && exit 77
    holds "$page.html: exit code $code" [ "$code" -eq 0 ]
done
checked
