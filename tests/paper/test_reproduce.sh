#!/usr/bin/env bash
# The paper again, on small generated graphs under the names of its data sets: every item with --quick;
# killed and called again; settings and data that changed; files of several calls, merged; files that are
# something else. `test_reproduce.sh BUILD`: a part of the items; test_reproduce_long.sh has all.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
export GRACO_DATA=$work/data
mkdir data
seed=0
for set in cora citeseer pubmed dblp; do
    seed=$((seed + 1))
    "$graco" generate data/$set.npz --nodes 60 --classes 3 --features 20 --degree 6 --seed $seed 2>/dev/null
done

# samples FILE: its samples, a line each, without times. cells LOG: which were trained.
samples() {
    sed -n '/^"samples"/,$p' "$1" | sed -E 's/,$//; s/"(train|eval)_seconds": [^,]*,//g'
}
alike() { cmp <(samples "$1") <(samples "$2"); }
cells() { grep -c '^cell ' "$1" || true; }

# ---- The list, and wrong use -----------------------------------------------------------------------
exits 0 "sensitivity          25       25        0" reproduce --list --quick
holds "the list says which data there are" grep -q '^cora  *there$' out
holds "and which there are not" grep -q '^ppi  *missing; to download it: graco fetch ppi$' out
exits 0 "ablation             12       60        0" reproduce ablation --list
holds "other items are not listed" bash -c '! grep -q infonce out'
holds "nothing was made" [ ! -e reproduction ]
exits 2 "unknown item 'ablatoin' (did you mean ablation?)" reproduce ablatoin
exits 2 "unknown data set 'coral' (did you mean cora?)" reproduce --sets citeseer,coral
exits 2 "unknown method 'grase'" reproduce --methods grase
exits 2 "expected a whole number" reproduce --runs many
exits 1 "nothing.json is not there" reproduce --merge nothing.json --no-train -o none
exits 1 "cannot make the folder" reproduce -o data/cora.npz/deep

# ---- Everything ------------------------------------------------------------------------------------
everything() {
    exits 0 "all/results.json: 106 samples" reproduce --quick --device cpu -o all
    holds "no run folder is left" [ ! -e all/runs ]
    holds "missing data are said" grep -q 'ppi is not there' err
    holds "every sample says that it is quick" [ "$(grep -c '"quick": true' all/results.json)" -ge 106 ]
    holds "none says that it is not" bash -c '! grep -q "\"quick\": false" all/results.json'
    for item in datasets hyperparameters transductive inductive ablation infonce sensitivity robustness theorems; do
        holds "item $item" grep -q "<!-- begin $item -->" all/tables.md
    done
    holds "features beside embeddings" grep -q '^{"key": "cora deepwalk epochs=1 +features"' all/results.json
    holds "a model for each split" grep -q '^{"key": "cora gcn".*"scores": \[[^]]*,[^]]*,[^]]*,[^]]*,[^]]*\]' all/results.json
    holds "theorem 1" grep -q '^{"key": "cora grace epochs=100".*"gap": [0-9.]' all/results.json
    holds "theorem 2" grep -q '^{"key": "cora grace epochs=100".*"minus_l": .*"remainder_bound": [0-9]' all/results.json
    holds "moment says nothing of them" grep -q '^gap of Theorem 1,Pubmed,gap,.*,missing,pubmed grace epochs=60 objective=moment,.*quick trains with moment' all/theorems.csv
    holds "a curve and points" grep -q '^{"key": "cora grace epochs=100".*"curve".*"points"' all/results.json
    for file in report.html tables.md transductive.csv sensitivity.svg robustness_4.svg claims.csv; do
        holds "the report has $file" [ -s all/$file ]
    done
    holds "the report shows what ran" grep -q '| GRACE | .*\*quick\*' all/tables.md
    holds "cells that were left out say so" grep -q 'leaves Reddit and PPI out\|graco fetch ppi' all/inductive.csv
    cp all/results.json before.json
    exits 0 "106 samples" reproduce --quick --device cpu -o all
    same all/results.json before.json
    holds "nothing was trained again" [ "$(cells err)" -eq 0 ]
}
[ -z "${2-}" ] || everything

# ---- Killed and stopped ----------------------------------------------------------------------------
part=(transductive theorems robustness --sets cora --quick --device cpu)
exits 0 "" reproduce "${part[@]}" -o whole
for file in report.html tables.md transductive.csv claims.csv; do
    holds "the report has $file" [ -s whole/$file ]
done
# A setting that came since keeps its samples: these words are of a build before it.
sample_has() { holds "$1 is made anew" grep -q "^{\"key\": \"$1\".*\"settings\": \"$2\"" whole/results.json; }
sample_has "cora dgi epochs=100" 22a2ff4c4796ce89
sample_has "cora gae" cd4d58b4460c9698
sample_has "cora grace epochs=100" 923cc5fe95024d6f
sample_has "cora sgc" c1c6eb861652583b
for _ in $(seq 3); do
    "$graco" reproduce "${part[@]}" -q -o killed 2>/dev/null &
    victim=$!
    sleep "0.$((RANDOM % 9 + 1))"
    kill -9 "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
done
"$graco" reproduce "${part[@]}" -o killed 2>stopped &
victim=$!
sleep 0.5
kill -INT "$victim" 2>/dev/null || true
wait "$victim" && code=0 || code=$?
holds "a signal: exit code $code: $(tail -1 stopped)" bash -c \
    "[ $code -eq 0 ] || { [ $code -eq 1 ] && grep -q 'the same command goes on' stopped; }"
exits 0 "" reproduce "${part[@]}" -o killed
holds "killed and resumed: the same samples" alike whole/results.json killed/results.json
holds "no run folder is left" [ ! -e killed/runs ]

# ---- What changed is trained again, and nothing else ------------------------------------------------
sed -i -E 's/^(\{"key": "cora gae",.*"settings": ")[0-9a-f]+/\10123456789abcdef/' killed/results.json
exits 0 "" reproduce "${part[@]}" -o killed
holds "one setting changed: $(cells err) trained" [ "$(cells err)" -eq 1 ]
holds "it is gae" grep -q '^cell .*cora gae, seed 0' err
holds "to the same samples" alike whole/results.json killed/results.json
exits 0 "" reproduce transductive --methods sgc,features --quick --device cpu -o changed
"$graco" generate data/dblp.npz --force --nodes 60 --classes 3 --features 20 --degree 6 --seed 99 2>/dev/null
exits 0 "" reproduce transductive --methods sgc,features --quick --device cpu -o changed
holds "the data of one set changed: $(cells err) trained" [ "$(grep -c '^cell .* dblp ' err)" -eq "$(cells err)" ]
holds "both of its cells" [ "$(cells err)" -eq 2 ]
exits 0 "" reproduce transductive --methods sgc --sets cora --quick --splits 3 -o changed
holds "other splits: $(cells err) trained" [ "$(cells err)" -eq 1 ]
exits 0 "" reproduce transductive --methods gae --sets cora --quick --runs 2 --keep-runs -o kept
holds "run folders are kept" [ "$(find kept/runs -name model.safetensors | wc -l)" -eq 2 ]
sed -i '$s/^./X/' kept/runs/cora_gae*-0/metrics.jsonl
rm kept/results.json
exits 1 "metrics.jsonl lacks epoch 200" reproduce transductive --methods gae --sets cora --quick --runs 2 --keep-runs -o kept
holds "the other seed is scored" [ "$(grep -c '^{"key": "cora gae' kept/results.json)" -eq 1 ]
for splits in 3 2; do
    exits 0 "" reproduce transductive --methods gcn --sets cora --quick --splits $splits --keep-runs -o divided
done
exits 0 "" reproduce transductive --methods gcn --sets cora --quick --splits 2 -o divided_2
holds "kept models of more splits are not scored" alike divided_2/results.json divided/results.json

# ---- Merging ---------------------------------------------------------------------------------------
few=(transductive --methods sgc,gae --quick --device cpu)
exits 0 "" reproduce "${few[@]}" --sets cora,citeseer -o both
exits 0 "" reproduce "${few[@]}" --sets cora -o one
exits 0 "" reproduce "${few[@]}" --sets citeseer -o other
exits 0 "took 2 of 2 samples" reproduce --merge one/results.json --merge other/results.json --no-train -o sum
holds "two files make the whole" alike both/results.json sum/results.json
holds "who made it stays" [ "$(grep '^"made"' one/results.json)" = "$(grep '^"made"' sum/results.json)" ]
exits 0 "" reproduce "${few[@]}" --sets cora,citeseer -o sum
holds "what was merged is not trained again" [ "$(cells err)" -eq 0 ]
exits 0 "took 0 of 2 samples" reproduce --merge one/results.json --no-train -o sum

seeds=(transductive --methods gae --sets cora --quick --device cpu --runs 3)
exits 0 "" reproduce "${seeds[@]}" -o seeds
exits 0 "1 trainings in all" reproduce "${seeds[@]}" --first-seed 2 --list -o late
exits 0 "" reproduce "${seeds[@]}" --first-seed 2 -o late
holds "only the last seed: $(cells err) trained" [ "$(cells err)" -eq 1 ]
exits 0 "" reproduce "${seeds[@]}" --runs 2 --merge late/results.json -o late
holds "seeds of two calls make the whole" alike seeds/results.json late/results.json

# ---- A graph that stands in ------------------------------------------------------------------------
exits 0 "a generated look-alike stands in" reproduce inductive --sets reddit --methods features \
    --scale 0.0005 -o alike
holds "its sample says so" grep -q '^{"key": "reddit features".*"source": "look-alike", "scale": 0.0005' alike/results.json
holds "its cell too" grep -q ',look-alike,reddit features,' alike/inductive.csv

# ---- Files that are something else ------------------------------------------------------------------
for text in '' '{}' '[1]' '{"format": 2, "samples": []}'; do
    mkdir -p foreign
    printf '%s' "$text" >foreign/results.json
    cp foreign/results.json copy
    exits 1 "results.json" reproduce datasets --quick -o foreign
    holds "one line: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
    same foreign/results.json copy
    exits 1 "results.json" reproduce --merge foreign/results.json --no-train -o sum
done
head -c 3000 whole/results.json >foreign/results.json
cp foreign/results.json copy
exits 1 "foreign/results.json" reproduce datasets --quick -o foreign
same foreign/results.json copy
holds "no lock is left" [ ! -e foreign/lock ]
mkdir -p folder/results.json
exits 1 "results.json" reproduce datasets --quick -o folder
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w both
    exits 1 "both/lock" reproduce "${few[@]}" -o both
else
    echo "left out: a folder that may not be written to, for root may"
fi
checked
