#!/usr/bin/env bash
# graco tune as a user meets it: a search that is killed, stopped, timed or given more trials; the preset
# that it leaves, and what is wrong use.
set -euo pipefail
graco=$1/graco
. "$GRACO_SOURCE/tests/check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$graco" generate small.npz --nodes 150 --features 40 --classes 3 >/dev/null 2>&1
fast=(--search epochs=2,4 --search hidden=4,8 --device cpu)
# rows FOLDER: trials.csv without the seconds.
rows() { cut -d, -f1-7,9- "$1/trials.csv"; }

exits 0 "chosen" tune small.npz -o first --trials 24 "${fast[@]}"
for file in best.json trials.csv report.html tune.json; do
    holds "first/$file is there" [ -s "first/$file" ]
done
holds "no training is left" [ -z "$(ls first/trainings)" ]
holds "24 trials" [ "$(tail -n +2 first/trials.csv | cut -d, -f1 | sort -un | wc -l)" -eq 24 ]
# Each part of the criterion is on the page and in the line of progress, which a search of two seconds shows many times.
chosen=$(sed -n 's/.*"separation": \([0-9.]*\),*/\1/p' first/best.json)
holds "the page has the choice's separation" grep -q "<dd[^>]*>$(LC_ALL=C printf %.3f "$chosen")</dd>" first/report.html
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "stty cols 200; $graco tune small.npz -o shown --time 2s ${fast[*]}" typescript >/dev/null </dev/null
    for part in modularity explained separation; do
        holds "progress shows $part" grep -q "best .*$part 0\.[0-9]" typescript
    done
else
    echo "left out: progress on a terminal (script makes none here)"
fi
if command -v python3 >/dev/null; then
    python3 - first/report.html <<'PY' || fail "report.html is XML with a plot of every setting"
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
assert len(page.getElementsByTagName("svg")) >= 8
PY
else
    echo "left out: what is in report.html (python3 is not installed)"
fi

# The preset trains, alone or under other settings, and is refused where it does not fit.
exits 0 "" train small.npz -o run --preset first/best.json --epochs 2
holds "the run has the preset's width" grep -q "\"hidden\": $(grep -o '"hidden": [0-9]*' first/best.json |
    grep -o '[0-9]*$')" run/config.json
exits 0 "best.json" help train --preset first/best.json
exits 2 "is for the method grace" train small.npz -o other --preset first/best.json --method dgi
exits 1 "nothing.json" train small.npz -o other --preset nothing.json
echo '{"method": "grace", "settings": {"hiden": 3}}' >wrong.json
exits 1 "wrong.json: unknown setting 'hiden'" train small.npz -o other --preset wrong.json
echo '{"method": "grace", "settings": {"hidden": [3]}}' >wrong.json
exits 1 "neither a number nor a string" train small.npz -o other --preset wrong.json
echo '{"method": "grace"}' >wrong.json
exits 1 "settings" train small.npz -o other --preset wrong.json
holds "a refused preset leaves no run" [ ! -e other ]

# Killed three times while it works, then left alone: the same rows and the same choice.
for try in 1 2 3; do
    "$graco" tune small.npz -o killed --trials 24 "${fast[@]}" >/dev/null 2>&1 &
    child=$!
    for _ in $(seq 200); do
        [ "$(cat killed/trials.csv 2>/dev/null | wc -l)" -gt $((try * 4)) ] && break
        kill -0 $child 2>/dev/null || break
        sleep 0.01
    done
    kill -9 $child 2>/dev/null || true
    wait $child 2>/dev/null || true
done
exits 0 "chosen" tune small.npz -o killed --trials 24 "${fast[@]}"
same first/best.json killed/best.json
holds "the same rows after kills" [ "$(rows first)" = "$(rows killed)" ]

# Ctrl-C ends with the best so far, and the same command goes on from there.
"$graco" tune small.npz -o stopped --trials 5000 "${fast[@]}" >said 2>&1 &
child=$!
for _ in $(seq 1000); do
    [ "$(cat stopped/trials.csv 2>/dev/null | wc -l)" -gt 3 ] && break
    sleep 0.01
done
kill -INT $child
code=0
wait $child || code=$?
holds "stopped: exit code $code, expected 1" [ $code -eq 1 ]
holds "it says how to go on: $(cat said)" grep -q "best so far" said
holds "the best so far is kept" [ -s stopped/best.json ]

# A time in place of trials; the same choice one at a time; JSON.
exits 1 "no trial was measured" tune small.npz -o no_time --time 0.000001s "${fast[@]}"
exits 0 "the time was over" tune small.npz -o timed --time 1s "${fast[@]}"
exits 0 '"trials": 24' tune small.npz -o alone --trials 24 --at-once 1 --threads 1 --json "${fast[@]}"
same first/best.json alone/best.json
holds "the same rows one at a time" [ "$(rows first)" = "$(rows alone)" ]
exits 0 "validation " tune small.npz -o labels --trials 4 --criterion validation "${fast[@]}"
exits 0 "" tune small.npz -o dgi --trials 3 --method dgi --search epochs=3 --search hidden=4,8 -q
exits 0 "" tune small.npz -o walks --trials 2 --method deepwalk --search hidden=4,8 -q

exits 2 "another folder" tune small.npz -o first --trials 24 --search tau=0.5
exits 2 "24 trials already" tune small.npz -o first --trials 23 "${fast[@]}"
exits 2 "a time such as" tune small.npz --time soon
exits 2 "a time such as" tune small.npz --time 10d
exits 2 "did you mean structure?" tune small.npz --criterion structur
exits 2 "gcn" tune small.npz -o none --method gcn
holds "only methods that learn without labels are offered: $(cat err)" \
    bash -c 'grep -q "expected one of grace, .*node2vec" err && ! grep -q "gaan\|fastgcn" err'
"$graco" help tune >help
"$graco" methods --json | grep -o '"name": *"[a-z_0-9]*"[^{]*"supervised": *[a-z]*' |
    sed -E 's/"name": *"([a-z_0-9]*)".*: *([a-z]*)$/\1 \2/' >taken
holds "methods were looked for" [ "$(wc -l <taken)" -gt 10 ]
while read -r name supervised; do
    listed=false
    sed -n '/--method/,/--search/p' help | grep -qw -- "$name" && listed=true
    holds "help tune lists $name: $listed" [ "$listed" != "$supervised" ]
done <taken
exits 2 "expected KEY=a,b,c" tune small.npz -o none --search tau
exits 2 "unknown setting" tune small.npz -o none --search width=3
holds "a refused search leaves no folder" [ ! -e none ]
exits 2 "from 1 to" tune small.npz --trials 0
checked
