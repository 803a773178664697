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
# Each part of the criterion is on the page and in the line of progress, which a search shows many times once a trial is measured.
chosen=$(sed -n 's/.*"edges": \([0-9.]*\),*/\1/p' first/best.json)
holds "the page has what the choice predicts" \
    grep -q "<dd[^>]*>$(LC_ALL=C awk "BEGIN { printf \"%.1f\", 100 * $chosen }") %</dd>" first/report.html
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    for seconds in 2 10 60 300; do # a busy machine may measure none in two
        rm -rf shown
        script -qec "stty cols 200; $graco tune small.npz -o shown --time ${seconds}s ${fast[*]}" typescript >/dev/null </dev/null || true
        ! grep -q "best .*edges 0\.[0-9]" typescript || break
    done
    for part in modularity columns edges; do
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
echo '{"method": "grace", "settings": {"hidden": 1.2e1, "epochs": 1000.0, "tau": 0.4}}' >floats.json
exits 0 "" train small.npz -o floats --preset floats.json --epochs 1 -q
holds "a whole number is one however JSON writes it" grep -q '"hidden": 12' floats/config.json
echo '{"method": "grace"}' >wrong.json
exits 1 "settings" train small.npz -o other --preset wrong.json
holds "a refused preset leaves no run" [ ! -e other ]

# Killed three times while it works, then left alone: the same rows and the same choice.
for try in 1 2 3; do
    "$graco" tune small.npz -o killed --trials 24 "${fast[@]}" >/dev/null 2>&1 &
    child=$!
    await $child "no trial $((try * 4))" has_lines killed/trials.csv $((try * 4 + 1))
    kill -9 $child 2>/dev/null || true
    wait $child 2>/dev/null || true
done
exits 0 "chosen" tune small.npz -o killed --trials 24 "${fast[@]}"
same first/best.json killed/best.json
holds "the same rows after kills" [ "$(rows first)" = "$(rows killed)" ]

# Where nearly all failed, those that did not are trained with other seeds, and these count.
cp -r first sick
well=$(awk -F, '$2 == 0 && $3 == 4 { print $1; exit }' first/trials.csv)
awk -F, -v OFS=, -v well="$well" 'NR > 1 && $2 > 0 { next } NR > 1 && $1 != well { $4 = $5 = $6 = ""; $9 = "failed" } 1' first/trials.csv >sick/trials.csv
exits 0 "chosen             trial $well, by structure, a mean over seeds" tune small.npz -o sick --trials 24 "${fast[@]}"

# Ctrl-C ends with the best so far, and the same command goes on from there.
"$graco" tune small.npz -o stopped --trials 100000 "${fast[@]}" >said 2>&1 &
child=$!
await $child "no three trials: $(cat said)" has_lines stopped/trials.csv 4
kill -INT $child
code=0
wait $child || code=$?
holds "stopped: exit code $code, expected 1" [ $code -eq 1 ]
holds "it says how to go on: $(cat said)" grep -q "best so far" said
holds "the best so far is kept" [ -s stopped/best.json ]

# A time in place of trials; the same choice one at a time; JSON.
exits 1 "no trial was measured" tune small.npz -o no_time --time 0.000001s "${fast[@]}"
for seconds in 1 5 30 300; do # a busy machine may measure none in one
    rm -rf timed
    code=0
    "$graco" tune small.npz -o timed --time ${seconds}s "${fast[@]}" >out 2>err || code=$?
    grep -q 'no trial was measured' err || break
done
holds "$seconds s: exit code $code: $(cat out err)" [ $code -eq 0 ]
holds "it says so: $(cat out err)" grep -q 'the time was over' out err
exits 0 '"trials": 24' tune small.npz -o alone --trials 24 --at-once 1 --threads 1 --json "${fast[@]}"
same first/best.json alone/best.json
holds "the same rows one at a time" [ "$(rows first)" = "$(rows alone)" ]
exits 0 "validation " tune small.npz -o labels --trials 4 --criterion validation "${fast[@]}"
holds "next to what needs no training: $(cat out)" grep -qE '^validation +[0-9.]+, raw [0-9.]+, propagate [0-9.]+(: not better)?$' out
if command -v python3 >/dev/null; then
    holds "and whether it is better: $(cat out)" python3 -c '
import re
line = re.search("^validation.*$", open("out").read(), re.M).group()
own, raw, smooth = map(float, re.findall("[0-9.]+", line)[:3])
assert raw > 30 and smooth > 30 and raw != smooth, line
assert line.endswith("not better") == (own <= max(raw, smooth)), line'
fi
exits 0 "" tune small.npz -o dgi --trials 3 --method dgi --search epochs=3 --search hidden=4,8 -q
exits 0 "" tune small.npz -o walks --trials 2 --method deepwalk --search hidden=4,8 -q

# Another search in the same folder: what differs is said, and nothing of the folder changes.
cp -r first kept
exits 2 'tau = "0.3..0.9", this one has "0.5"; expected another folder' tune small.npz -o first --trials 24 "${fast[@]}" \
    --search tau=0.5
exits 2 "epochs = [2,4], this one has [250,500,1000]" tune small.npz -o first --trials 24 --search hidden=4,8
exits 2 'criterion = "structure", this one has "validation"' tune small.npz -o first "${fast[@]}" --criterion validation
exits 2 "seed = 0, this one has 1" tune small.npz -o first "${fast[@]}" --seed 1
exits 2 'batch = nothing, this one has "9,20"' tune small.npz -o first "${fast[@]}" --search batch=9,20
exits 2 'method = "grace", this one has "dgi"' tune small.npz -o first --method dgi --search epochs=2,4 --search hidden=4,8
"$graco" generate other.npz --nodes 150 --features 40 --classes 3 --seed 5 >/dev/null 2>&1
exits 2 'dataset = "small", this one has "other"' tune other.npz -o first --trials 24 "${fast[@]}"
mv other.npz elsewhere.npz && mkdir same && mv elsewhere.npz same/small.npz
exits 2 "of other data than 'small', which differs in: graph, features, split, labels" tune same/small.npz -o first --trials 24 "${fast[@]}"
exits 2 "24 trials already, and 23 are asked for" tune small.npz -o first --trials 23 "${fast[@]}"
for file in best.json trials.csv tune.json; do same "kept/$file" "first/$file"; done
# What a kill in the last save left goes away, also where nothing is measured any more.
for file in best.json trials.csv report.html; do echo half >"first/$file.tmp-1-2-3"; done
exits 0 "" tune small.npz -o first --trials 24 "${fast[@]}" -q
holds "leftovers: $(ls first)" [ "$(ls first | grep -c tmp-)" -eq 0 ]
for file in best.json trials.csv tune.json; do same "kept/$file" "first/$file"; done
exits 0 "" tune small.npz -o two --trials 2 "${fast[@]}" --search batch=9,20 --search correction=1,2 -q
exits 2 "in another order" tune small.npz -o two --trials 2 "${fast[@]}" --search correction=1,2 --search batch=9,20
exits 2 'batch = "9,20", this one has nothing' tune small.npz -o two --trials 2 "${fast[@]}" --search correction=1,2
# Trials of nobody knows which search, and rows that no search writes.
rm kept/tune.json
exits 2 "without kept/tune.json" tune small.npz -o kept --trials 24 "${fast[@]}"
for change in '3s/^[0-9]*,/0.5,/' '3s/^[0-9]*,/0x1,/' '3s/^[0-9]*,/9e9,/' '3s/,0\.[0-9]*,/,nan,/' '3s/,0\.[0-9]*,/,1e999,/' \
    '3s/measured/guessed/' '3s/,measured.*//'; do
    cp first/tune.json kept/
    sed "$change" first/trials.csv >kept/trials.csv
    exits 1 "kept/trials.csv: row 3 is not one that a search writes" tune small.npz -o kept --trials 24 "${fast[@]}"
done
{ head -n 2 first/trials.csv; printf '\0'; tail -n +3 first/trials.csv; } >kept/trials.csv
exits 1 "kept/trials.csv: row 3 is not one that a search writes" tune small.npz -o kept --trials 24 "${fast[@]}"
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
exits 2 "unknown setting" tune small.npz -o none --search wide=3
# What no training takes is refused before one begins, with what was given; two values that do not go together end
# the search at once, though others are being trained, which takes minutes.
exits 2 "search hidden=0..4: hidden is '0'; expected a whole number" tune small.npz -o none --search hidden=0..4
exits 2 "search objective=exact,sampled: method grace has" tune small.npz -o none --search objective=exact,sampled
exits 2 "search batch=20,1: batch = 1 leaves nothing" tune small.npz -o none --search batch=20,1
exits 2 "search patience=0,50: patience of the method grace looks at" tune small.npz -o none --search inductive=1 \
    --search patience=0,50
exits 2 "search device=cuda: a search has one device" tune small.npz -o none --search device=cuda
exits 2 "search precision=fp32,bf16: a preset has no precision" tune small.npz -o none --search precision=fp32,bf16
printf '0 0\n' >one.txt && printf '0 1.5 2\n' >one_features.txt
exits 2 "graco: data set 'one' has 1 node" tune one.txt --features one_features.txt -o none
printf '0 1\n1 2\n2 0\n' >few.txt && printf '0 a\n1 b\n2 a\n' >few_labels.txt
exits 2 "graco: the criterion validation: 3 nodes have a known label" tune few.txt --labels few_labels.txt --undirected -o none \
    --criterion validation
printf '0 0\n' >apart.txt && printf '0 1 1\n1 1 1\n2 1 1\n' >alike.txt
exits 2 "nothing to measure embeddings by" tune apart.txt --features alike.txt -o none
exits 2 "nothing to measure embeddings by" tune apart.txt --features alike.txt
holds "a refused search leaves no folder" [ ! -e none ]
holds "nor one by default" [ ! -e tune ]
exits 0 " 1 trial, 1 measurement, " tune small.npz -o single --trials 1 --search epochs=2 --search hidden=4 --device cpu
holds "epochs of the page: one number" grep -q '>epochs</th><td[^>]*>2</td><td[^>]*>2</td>' single/report.html
holds "no present value where none is given" bash -c '! grep -q "\[-1\]" <("$0" help tune)' "$graco"
exits 2 "graphs = 3: the objective moment takes one graph a step" tune small.npz -o apart --trials 20 --at-once 20 --device cpu \
    --search objective=exact,moment --search graphs=1,3 --search epochs=1000000 --search hidden=4
holds "others were not waited for: $(wc -l <apart/trials.csv) rows" [ "$(wc -l <apart/trials.csv)" -eq 1 ]
exits 0 "" tune small.npz -o half --trials 2 "${fast[@]}" --search precision=bf16 -q
exits 2 "from 1 to" tune small.npz --trials 0
# Noise that holds the features back scores less than these.
exits 0 "by structure the raw features score" tune small.npz -o noise --trials 1 --search epochs=0 --search hidden=1 --search encoder=gcn \
    --search parts=learned --device cpu
checked
