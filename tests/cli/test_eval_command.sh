#!/usr/bin/env bash
# graco eval as a user meets it: files, runs, comparisons, splits files, JSON, wrong use.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# exits CODE PART ARGUMENT...: graco eval must exit so and say PART.
exits() {
    local code=$1 part=$2 found=0
    shift 2
    "$graco" eval "$@" >out 2>err || found=$?
    holds "graco eval $*: exit code $found, expected $code: $(cat err)" [ "$found" -eq "$code" ]
    holds "graco eval $*: '$part' in: $(cat out err)" grep -qF -- "$part" out err
}

"$graco" generate graph.npz --nodes 300 --classes 3 --seed 1 --features 130 >/dev/null
"$graco" generate other.npz --nodes 200 --classes 3 --seed 2 --features 130 >/dev/null
"$graco" train graph.npz -o one --set encoder=gcn --set parts=learned --set hidden=16 --epochs 3 -q >/dev/null
"$graco" train graph.npz -o many --set encoder=gcn --set parts=learned --set hidden=16 --epochs 3 --runs 2 -q >/dev/null

exits 0 "accuracy over 20 splits, protocol paper" one graph.npz
holds "eval.json" grep -q '"protocol": "paper"' one/eval.json
holds "no temporary file" [ -z "$(find one -name '.eval*')" ]
exits 0 "2 runs" many graph.npz --splits 3
if command -v python3 >/dev/null; then
    holds "one score per run and split" python3 -c '
import json
e = json.load(open("many/eval.json"))
assert len(e["runs"]) == 6 and len(e["results"]) == 2 and e["splits"] == 3
assert abs(sum(e["runs"]) / 6 - e["mean"]) < 1e-6
each = [r["macro_f1"] for r in e["results"]]
assert each[0] != each[1] and abs(sum(each) / 2 - e["macro_f1"]) < 1e-6, each
assert e["converged"] == all(r["converged"] for r in e["results"])
assert " macro-F1 %.2f " % (sum(each) / 2) in open("out").read()'
else
    echo "left out: what is in eval.json (python3 is not installed)"
fi
exits 0 " ± " many graph.npz --splits 1
exits 0 "accuracy over 1 split" one graph.npz --splits 1
holds "one score has no deviation" bash -c '! grep -q ± out'

# A folder that may not be written to costs its eval.json alone. Root may write anywhere.
mkdir locked && cp one/embeddings.npy locked/ && chmod 755 "$work" && chmod 555 locked
plain=()
[ "$(id -u)" -ne 0 ] || plain=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${plain[@]}" "$graco" --version >/dev/null 2>&1; then
    holds "a locked folder is scored" \
        bash -c '"$@" 2>err >out' - "${plain[@]}" "$graco" eval locked graph.npz --splits 2
    holds "the scores: $(cat out)" grep -q '^locked .* macro-F1' out
    holds "the note: $(cat err)" grep -q 'locked: the scores are not kept in eval.json' err
else
    echo "left out: a folder that may not be written to (no plain user can run $graco)"
fi
chmod 755 locked # so that it can be removed
mkdir -p taken/eval.json/x && cp one/embeddings.npy taken/
exits 1 'cannot write "taken/eval.json"' taken graph.npz --splits 2
holds "the scores are printed all the same" grep -q '^taken .* macro-F1' out
mkdir -p sets && cp graph.npz sets/many.npz
holds "a run folder does not hide a data set of its name" \
    env GRACO_DATA="$PWD/sets" "$graco" eval many many --splits 1
exits 0 "one/embeddings.npy - one: +0.00 points, standard error 0.00" one/embeddings.npy one graph.npz
exits 0 "one - untrained: " one graph.npz --baseline raw,untrained --splits 2
exits 0 "raw" graph.npz --baseline raw --protocol authors --splits 2
exits 0 "a true class a line" one graph.npz --confusion --splits 2
holds "classes without names have numbers: $(cat out)" [ "$(grep -c '^     [012] |' out)" -eq 3 ]
exits 0 "over 1 split, protocol public" one graph.npz --protocol public
exits 0 '"difference_error": ' one graph.npz --json --baseline raw --splits 3
holds "one line" [ "$(wc -l <out)" -eq 1 ]
if command -v python3 >/dev/null; then holds "valid JSON" python3 -m json.tool out; fi

# Classes go by their names where there are any; of a long one beginning and end are shown, whole characters, and columns
# stay in line.
awk 'BEGIN { print "source,target"; for (i = 0; i < 300; i++) print i "," (i + 1) % 300 }' >ring.csv
awk 'BEGIN { split("Theory Reinforcement_Learning Übungsbücherverkäuferinnenüberprüfungsgeschäft", word, " ")
    print "id,label"; for (i = 0; i < 300; i++) print i "," (i == 77 ? "seldom" : word[1 + i % 3]) }' >words.csv
exits 0 "in the same order" one/embeddings.npy ring.csv --labels words.csv --undirected --confusion --splits 2
for name in 'Theory' 'seldom' 'Reinforcement_Learning' 'Übungsbücherv...nnenüberprüfungsgeschäft'; do
    blanks=$((40 - $(printf '%s' "$name" | LC_ALL=C tr -d '\200-\277' | wc -c)))
    holds "a line of '$name': $(cat out)" grep -qE "^$name {$blanks} \|( {1,8}[0-9]+){4}\$" out
done
holds "a note names its class: $(cat err)" grep -qF "class 'seldom' has no training rows in" err

# Baselines see the features that the run saw.
"$graco" train graph.npz -o dirty --set hidden=16 --epochs 0 --set contaminate=0.9 -q >/dev/null
exits 0 "dirty - untrained: +0.00 points" dirty graph.npz --baseline untrained --splits 3
"$graco" eval dirty graph.npz --baseline raw --splits 3 | grep '^raw ' >dirty-raw
"$graco" eval one graph.npz --baseline raw --splits 3 | grep '^raw ' >clean-raw
holds "contaminated features score otherwise" bash -c '! cmp -s dirty-raw clean-raw'

# Threads change nothing; a splits file gives back the same splits, whatever the seed.
"$graco" eval one graph.npz --threads 1 --splits 4 --splits-file s.npy >a
"$graco" eval one graph.npz --threads 3 --splits 4 >b
holds "threads do not change scores" cmp a b
"$graco" eval one graph.npz --splits 9 --seed 5 --splits-file s.npy >c
holds "splits come from the file" cmp a c

# What needs no training stands beside every score: on the same splits, as the method itself gives it, and kept.
exits 0 "one - propagate: " one graph.npz --splits 3
holds "raw and propagate: $(cat out)" [ "$(grep -cE '^(raw|propagate) ' out)" -eq 2 ]
holds "what to try: $(cat out)" grep -q '^one is not better than propagate, which needs no training: -' out
holds "by settings that it has: $(cat out)" grep -qF -- "--set encoder=sage_skip, graco tune, or --method propagate" out
cp out first
cp one/eval.json kept.json
exits 0 "" one graph.npz --splits 3
same out first
same one/eval.json kept.json # nothing is computed again: with their seconds
grep '^propagate ' first | sed 's/^propagate *//' >beside
exits 0 "" one graph.npz --splits 3 --baseline none
holds "none: $(cat out)" [ "$(grep -cE '^(raw|propagate) |not better' out)" -eq 0 ]
exits 0 "" one graph.npz --splits 3
same out first # and --baseline none has not lost them
exits 0 "" one graph.npz --splits 3 --baseline raw,propagate
holds "asked for by name: $(cat out)" [ "$(grep -cE '^(raw|propagate) ' out)" -eq 2 ]
exits 0 "" one graph.npz --with-features --splits 3
holds "none beside features: $(cat out)" [ "$(grep -cE '^(raw|propagate) ' out)" -eq 0 ]
"$graco" train graph.npz -o smooth --method propagate -q >/dev/null
exits 0 "smooth - propagate: +0.00 points, standard error 0.00" smooth graph.npz --splits 3
holds "it is not held against itself" bash -c '! grep -q "not better" out'
grep '^smooth  ' out | sed 's/^smooth *//' >trained
same beside trained
exits 0 '"advice": "one is not better than propagate' one graph.npz --splits 3 --json
holds "JSON has both" grep -q '"compared_with": \[{"name": "raw".*{"name": "propagate"' out
if command -v python3 >/dev/null; then
    holds "eval.json has both, paired" python3 -c '
import json
e = json.load(open("one/eval.json"))
for b in e["baselines"]:
    each = [x - y for x, y in zip(e["runs"], b["runs"])]
    assert len(each) == 3 and abs(sum(each) / 3 - b["difference"]) < 1e-9 and b["difference_error"] > 0, b
assert [b["name"] for b in e["baselines"]] == ["raw", "propagate"]'
    # A damaged baseline is computed again.
    python3 -c '
import json
e = json.load(open("one/eval.json"))
e["baselines"][0]["results"] = 7
json.dump(e, open("one/eval.json", "w"))'
    exits 0 "" one graph.npz --splits 3
    same out first
else
    echo "left out: what eval.json has of baselines (python3 is not installed)"
fi
# The end of a training says the same, on three splits.
"$graco" train graph.npz -o loud --set encoder=gcn --set parts=learned --set hidden=16 --epochs 3 >out 2>err
score() { sed -n "s/^$1 *\([0-9]*\.[0-9]\).*/\1/p" first; }
"$graco" eval loud graph.npz --splits 3 >first
line="accuracy           $(score loud), raw $(score raw), propagate $(score propagate) (3 splits): not better"
rounded() { sed 's/\([0-9]\)\.[0-9]*/\1/g' <<<"$1"; }
holds "the last row of a training: $(cat out)" grep -qF "$(rounded "$line")" <<<"$(rounded "$(cat out)")"
holds "and what to try" grep -q '^try  *--set ' out
"$graco" generate many.npz --nodes 10000 --classes 30 --features 300 --degree 2 >/dev/null
"$graco" train many.npz -o slow --method propagate --set columns=4 >out 2>err
holds "where it takes longer, how: $(cat out)" grep -qx "accuracy           takes longer: graco eval slow many.npz" out
"$graco" train graph.npz -o taught --method gcn --epochs 2 --set protocol=paper >out 2>err
holds "not of classes that were learnt" bash -c '! grep -q ^accuracy out'
cp first again
exits 0 "" one graph.npz --splits 3
cp out first
"$graco" report one -o page.html --no-map --splits 3 >/dev/null
raw=$(sed -n 's/^raw *\([0-9.]*\) .*/\1/p' first) above=$(sed -n 's/^one - raw: \(+[0-9.]*\) .*/\1/p' first)
holds "the report has both: $raw $above" grep -qF ">$raw<span class=\"more\"> ($above)<" page.html
holds "and what to try" grep -qF "one is not better than propagate" page.html
tr '\n' ' ' <page.html | sed 's/<[^>]*>/ /g' >page.txt
numbers=$(sed -n 's/.*own features *neighbours *embedding *own features *neighbours *embedding *one *\([-0-9. −]*[0-9]\).*/\1/p' page.txt)
holds "what predicts hidden columns and edges: $numbers" [ "$(wc -w <<<"$numbers")" -eq 6 ]
holds "neighbours tell of edges here: $numbers" awk '{ exit !($5 > 60 && $5 <= 100 && $4 < $5 && $6 != $5) }' <<<"$numbers"

"$graco" generate bare.npz --nodes 100 --classes 2 --features 0 >/dev/null
"$graco" train bare.npz -o bare --set hidden=8 --epochs 2 -q >/dev/null
exits 0 "bare" bare bare.npz --splits 2
holds "no features, no baselines" bash -c '! grep -qE "^(raw|propagate) " out'
exits 2 "has no features" bare bare.npz --baseline propagate --splits 2

# Raw features of more than 2^24 numbers go along their components, which is said, unless they are asked for by name.
"$graco" generate large.npz --nodes 3400 --classes 3 --features 5000 >/dev/null
"$graco" train large.npz -o large --method propagate -q --set columns=4 >/dev/null
exits 0 "raw: scored along the 256 leading principal components of 5000 columns" large large.npz --splits 1
exits 0 "" large large.npz --splits 1 --baseline raw
holds "all of them: $(cat err)" bash -c '! grep -q components err'

exits 2 "only a data set was given" graph.npz
exits 2 "only a data set was given" graph.npz --baseline none
exits 2 "none goes alone" one graph.npz --baseline raw,none
exits 2 "unknown baseline 'rwa'" graph.npz --baseline rwa
exits 2 "expected" one graph.npz --protocol papr
exits 2 "from 1 to" one graph.npz --splits 0
exits 2 "have 300 rows" one/embeddings.npy other.npz
exits 2 "splits of 300 nodes" other.npz --baseline raw --splits-file s.npy
exits 1 "embeddings.npy" . graph.npz
exits 1 "missing.npy" missing.npy graph.npz
cp one/eval.json before.json
exits 2 "one was trained on other data than other, which differs in: number of nodes, graph, features" one other.npz
holds "a failure leaves the old scores" cmp before.json one/eval.json

checked
