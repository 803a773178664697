#!/usr/bin/env bash
# graco split-links and the tasks of graco eval: what is printed, and that no run is tested on links that it has
# seen.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# refuses CODE PART ARGUMENT...: graco must exit so, with one line that has PART.
refuses() {
    exits "$@"
    holds "graco ${*:3}: one line: $(cat err)" [ "$(wc -l <err)" -eq 1 ]
}

little=(--epochs 3 --set hidden=8 --set projection=8 --threads 1 --device cpu -q)
exits 0 "" generate full.npz --nodes 200 --features 30 --classes 3 --degree 8
exits 0 "0.1 of its links for the test" split-links full.npz -o left
exits 0 "" split-links full.npz -o left.npz --seed 0
exits 0 "" split-links full.npz -o again.npz
same left.npz again.npz
exits 0 "" split-links full.npz -o other.npz --seed 1
holds "another seed, other links" [ "$(cmp left.npz other.npz >cmp.txt 2>&1 || echo differ)" = differ ]
exits 0 "" train left -o run "${little[@]}"
exits 0 "" train left -o runs --runs 2 "${little[@]}"
exits 0 "" train full.npz -o seen "${little[@]}"

# ---- Links --------------------------------------------------------------------------------------
exits 0 "AUC" eval run left --task link
holds "three scores: $(cat out)" [ "$(grep -c 'AUC 0\.[0-9]* *AP 0\.[0-9]*' out)" -eq 3 ]
exits 0 "hadamard" eval runs left --task link
holds "a row for each run" [ "$(grep -c 'test links against' out)" -eq 2 ]
exits 0 '"average_precision"' eval run left --task link --json
exits 0 "" eval run/embeddings.npy left --task link
exits 0 "" eval run left.npz --task link # the same data in one file
refuses 2 "may have seen the links that are tested: train on left" eval seen left --task link
refuses 2 "other data than other" eval run other.npz --task link
refuses 2 "has no held-out links: expected a data set that graco split-links wrote" \
    eval seen full.npz --task link
refuses 2 "--baseline goes with --task classify only" eval run left --task link --baseline raw
refuses 2 "only a data set was given" eval left --task link

# ---- Clusters -----------------------------------------------------------------------------------
exits 0 "NMI" eval run left --task cluster
holds "as many clusters as classes: $(cat out)" grep -q '^run: 3 clusters of 200 nodes' out
exits 0 "5 clusters" eval run left --task cluster --clusters 5
exits 0 '"silhouette"' eval run left --task cluster --json
printf '0 1\n1 2\n2 3\n3 0\n' >plain.txt
printf '1 2\n0 1\n3 1\n1 1\n' >plain_x.txt
exits 0 "" train plain.txt --features plain_x.txt -o plain "${little[@]}"
exits 2 "expected a number of clusters" eval plain plain.txt --features plain_x.txt --task cluster
exits 0 "modularity" eval plain plain.txt --task cluster --clusters 2 --json
holds "no labels, no NMI: $(cat out)" grep -q '"nmi": null' out

# ---- What is kept -------------------------------------------------------------------------------
rm -f run/eval*.json
exits 0 "" eval run left --task cluster --seed 3 --json
holds "the scores are kept: $(cat run/eval-cluster.json)" grep -q '"seed": 3' run/eval-cluster.json
nmi=$(grep -o '"nmi": [0-9.]*' out | cut -c1-12)
holds "the NMI that was printed, $nmi" grep -q "$nmi" run/eval-cluster.json
exits 0 "" eval runs left --task link
holds "one for each run" [ -s runs/run-1/eval-link.json -a -s runs/run-2/eval-link.json ]
holds "of links alone" [ ! -e runs/run-1/eval-cluster.json -a ! -e runs/run-1/eval.json ]
exits 0 "" eval run left --splits 1 --threads 1
holds "a task leaves the others' scores" [ -s run/eval-cluster.json -a -s run/eval.json ]
exits 0 "" eval run/embeddings.npy left --task link
holds "a file keeps none" [ ! -e run/eval-link.json ]
# What is kept of the same embeddings, data and options is read, nothing else.
change() { # change FILE FIELD VALUE: as if that had been scored
    sed -i "s/\"$2\": [-0-9.e]*/\"$2\": $3/" "$1"
    holds "$1 is changed" grep -q "\"$2\": $3" "$1"
}
exits 0 "" eval run left --task link
change run/eval-link.json auc 0.125
exits 0 "AUC 0.1250" eval run left --task link
exits 0 "" split-links full.npz -o rest.npz --seed 1 --test 0.2
cp left.npz before.npz && cp rest.npz left.npz # other links, and so another graph
refuses 2 "other data" eval run left.npz --task link
cp before.npz left.npz
change run/eval-cluster.json nmi 0.125
exits 0 "NMI 0.1250" eval run left --task cluster --seed 3
exits 0 "0.125," eval run left --task cluster --seed 3 --json
exits 0 "" eval run left --task cluster --seed 2
holds "another seed is another clustering: $(cat out)" [ "$(grep -c 'NMI 0.1250' out)" -eq 0 ]
change run/eval-cluster.json nmi 0.125
exits 0 "" eval run left --task cluster --seed 2 --clusters 4
holds "so is another number" [ "$(grep -c 'NMI 0.1250' out)" -eq 0 ]
for damage in 's/"cluster": \[/"cluster": [7,/' 's/"nodes": 200/"nodes": 199/' 's/^ *1,$/99,/' '$d'; do
    exits 0 "" eval run left --task cluster
    change run/eval-cluster.json nmi 0.125
    sed -i "$damage" run/eval-cluster.json
    exits 0 "" eval run left --task cluster
    holds "damaged by $damage" [ "$(grep -c 'NMI 0.1250' out)" -eq 0 ]
done
cp -r run further && exits 0 "" eval further left --task cluster
change further/eval-cluster.json nmi 0.125
exits 0 "" train left -o further --resume --epochs 5 --threads 1 --device cpu -q
exits 0 "" eval further left --task cluster
holds "a training that went on has other clusters" [ "$(grep -c 'NMI 0.1250' out)" -eq 0 ]
mkdir -p runs/run-1/eval-cluster.json/x
exits 1 'cannot write "runs/run-1/eval-cluster.json"' eval runs left --task cluster
holds "the scores are printed all the same: $(cat out)" [ "$(grep -c NMI out)" -eq 2 ]

# ---- What is refused ----------------------------------------------------------------------------
refuses 2 "expected -o DIR" split-links full.npz
refuses 2 "less than 1 together" split-links full.npz -o none --test 0.7 --validation 0.3
exits 2 "too few" split-links plain.txt --features plain_x.txt -o none
holds "nothing is left behind" [ ! -e none ]
refuses 1 "left" split-links full.npz -o left
refuses 2 "task" eval run left --task guess
checked
