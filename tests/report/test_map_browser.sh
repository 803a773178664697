#!/usr/bin/env bash
# A map's page in a real browser: pointer, fingers, keys, search, legend and lasso, by WebGL and by a plain
# canvas, at 360 and 1440 pixels, light and dark.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which drives the browser, is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$GRACO_SOURCE/tests/report

python3 "$tests/make_map.py" "$work"
"$1/graco" map "$work/Z.npy" "$work/edges.csv" --labels "$work/labels.csv" --undirected -o "$work/map.html" 2>/dev/null
code=0
timeout 1800 python3 "$tests/map_browser.py" "$work/map.html" "$work/expected.json" || code=$?
[ "$code" -eq 77 ] && exit 77
holds "the map's page: exit code $code" [ "$code" -eq 0 ]
checked
