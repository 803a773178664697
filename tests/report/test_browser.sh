#!/usr/bin/env bash
# The pages of reproduce and tune in a real browser, without a window, at 360 and 1440 pixels, light and dark: the rules
# are browser.py's.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which drives the browser, is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$GRACO_SOURCE/tests/report

"$1/graco" generate "$work/g.npz" --nodes 120 --features 30 --classes 3 >/dev/null 2>&1
"$1/graco" tune "$work/g.npz" -o "$work/tune" --trials 6 --search epochs=2 --device cpu -q
for kind in full quick tune; do
    if [ $kind != tune ]; then
        python3 "$GRACO_SOURCE/tests/paper/make_results.py" "$work/$kind.json" "$kind"
        "$1/tests/report_page" "$work/$kind.json" "$work/$kind"
    fi
    code=0
    timeout 1800 python3 "$tests/browser.py" "$work/$kind/report.html" || code=$?
    [ "$code" -eq 77 ] && exit 77
    holds "the $kind page: exit code $code" [ "$code" -eq 0 ]
done
checked
