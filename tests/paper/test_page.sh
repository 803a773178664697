#!/usr/bin/env bash
# The files of a report, as a reader meets them: made from a results.json with every kind of item and
# with names that a careless writer would trip over, then taken apart by check_page.py.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: python3, which takes the page apart, is not installed"; exit 77; }
report=$1/tests/report_page
tests=$GRACO_SOURCE/tests/paper
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 "$tests/make_results.py" results.json
holds "a report is made" "$report" results.json out
if python3 "$tests/check_page.py" out >checked; then pass; else fail "the page: $(cat checked)"; fi
tail -1 checked

# The same file gives the same bytes, also over an older report.
"$report" results.json again
"$report" results.json again
holds "two reports are the same bytes" diff -r out again

# One seed: no standard error anywhere, and it is said.
python3 "$tests/make_results.py" quick.json quick
holds "a quick report is made" "$report" quick.json quick
holds "it says that one seed has no error" grep -q "one seed, so there is no standard error" quick/tables.md
holds "it says that it was quick" grep -q "This was a quick run" quick/tables.md
holds "every cell that ran is labelled" grep -q '| GRACE | .*\*quick\*.*\*quick\*.*\*quick\*.*\*quick\*' quick/tables.md
holds "no mean has an error" awk '/^\| GRACE/ { sub(/\([0-9.]*\)/, ""); if ($4 == "±") bad = 1 } END { exit bad }' quick/tables.md

# Nothing was run: the tables show the paper's numbers, no plot is drawn, and it is said.
python3 - results.json empty.json <<'END'
import json, sys
results = json.load(open(sys.argv[1]))
results["samples"] = []
json.dump(results, open(sys.argv[2], "w"))
END
holds "a report of nothing is made" "$report" empty.json empty
holds "it says so" [ "$(grep -c '^Nothing was run here' empty/tables.md)" -ge 4 ]
holds "it draws nothing" [ -z "$(find empty -name '*.svg')" ]
holds "it has the paper's numbers" grep -q '| GRACE | – \*missing\* | 83.3 ± 0.4 |' empty/tables.md

# What is refused is refused with one line, and leaves nothing.
refuses() {
    local code=0
    "$report" "$1" none >said 2>&1 || code=$?
    holds "$1: exit code $code, $(cat said)" [ "$code" -eq 1 ]
    holds "$1: one line" [ "$(wc -l <said)" -eq 1 ]
    holds "$1: nothing is written" [ ! -e none ]
}
head -c 3000 results.json >cut.json
sed 's/"format": 1/"format": 9/' results.json >later.json
sed 's/"scores": \[[0-9.]*/"scores": [NaN/' results.json >nan.json
for file in cut.json later.json nan.json missing.json; do refuses "$file"; done

# A folder that cannot be written to.
: >file
holds "a file is no folder" bash -c "! $report results.json file"
checked
