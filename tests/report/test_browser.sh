#!/usr/bin/env bash
# The page in a real browser, without a window: no overflow at 360 and 1440 pixels, light and dark, no
# message of the console, nothing fetched, tables within the keyboard's reach; and it prints.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which drives the browser, is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$GRACO_SOURCE/tests/report

for kind in full quick; do
    python3 "$tests/make_results.py" "$work/$kind.json" "$kind"
    "$1/tests/report_page" "$work/$kind.json" "$work/$kind"
    code=0
    timeout 300 python3 "$tests/browser.py" "$work/$kind/report.html" || code=$?
    [ "$code" -eq 77 ] && exit 77
    holds "the $kind page: exit code $code" [ "$code" -eq 0 ]
done
checked
