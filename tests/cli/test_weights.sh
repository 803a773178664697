#!/usr/bin/env bash
# Weights of edges as a user meets them: every method reads them or says that it does not, and weights of
# 1 give the bytes of none.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# 60 nodes in a ring with chords, some features and two classes.
awk 'BEGIN {
    for (i = 0; i < 60; i++) {
        printf "%d,%d\n", i, (i + 1) % 60 >"plain.csv"
        printf "%d,%d\n", i, (i * 7 + 3) % 60 >"plain.csv"
        printf "%g,%g,%g\n", i % 5, (i * 7) % 11, i / 60 >"x.csv"
        print i < 30 ? 0 : 1 >"y.csv"
    }
}'
sed 's/$/,1/' plain.csv >ones.csv
awk '{ print $0 "," 0.5 + NR % 7 }' plain.csv >weighted.csv
for name in plain ones weighted; do
    "$graco" convert $name.csv $name.npz --features x.csv --labels y.csv --undirected 2>/dev/null
done
same plain.npz ones.npz

# Repeated edges: weights that are given are added whatever they are; without weights there is one edge.
repeated() { # FILE WEIGHTED
    exits 0 "" info "$1" --directed --json
    holds "$1: weighted is $2: $(cat out)" grep -q "\"weighted\": $2" out
    holds "$1 has two edges: $(cat out)" grep -q '"edges": 2,' out
}
printf 'a,b,1\na,b,1\nb,c,1\n' >again1.csv
printf 'a,b,1\na,b,1\nb,c,2\n' >again2.csv
printf 'a,b\na,b\nb,c\n' >again0.csv
printf 'source target weight\n0 1 1\n0 1 1\n1 2 1\n' >again.txt
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n1 2 1\n2 3 1\n' >again.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n1 2\n2 3\n' >again0.mtx
link='{"source": "a", "target": "b", "weight": 1}'
printf '{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [%s, %s, %s]}' \
    "$link" "$link" "${link/\"a\"/\"c\"}" >again.json
for file in again1.csv again2.csv again.txt again.mtx again.json; do repeated $file true; done
for file in again0.csv again0.mtx; do repeated $file false; done
"$graco" convert again1.csv once.npz 2>/dev/null
printf 'a,b,2\nb,c,1\n' >sum.csv
"$graco" convert sum.csv twice.npz 2>/dev/null
same once.npz twice.npz

short=(--seed 1 -q --threads 1 --epochs 2)
walks=(--set walks=2 --set length=10 --set window=3 --set hidden=16)
batch=(--set batch=20 --set steps=3 --set hidden=8 --set fanout=3,3)
for method in grace dgi gae gcn sgc propagate fastgcn gaan_mean sage_gcn sage_mean deepwalk node2vec; do
    settings=("${short[@]}" --method $method)
    case $method in
    deepwalk | node2vec) settings+=("${walks[@]}") ;;
    sage_*) settings+=("${batch[@]}") ;;
    grace | dgi) settings+=(--set hidden=8) ;;
    sgc | propagate) settings+=(--epochs 0) ;;
    gcn | fastgcn | gaan_mean) settings+=(--set protocol=paper) ;;
    esac
    for name in plain weighted; do
        exits 0 "" train $name.npz "${settings[@]}" -o $method-$name
    done
    exits 0 "" train weighted.npz "${settings[@]}" --unweighted -o $method-without
    same $method-plain/embeddings.npy $method-without/embeddings.npy
    holds "$method reads weights" bash -c \
        "! cmp -s $method-plain/embeddings.npy $method-weighted/embeddings.npy"
done
for method in sage_pool sage_lstm; do
    exits 2 "method $method does not read weights of edges" train weighted.npz --method $method \
        "${short[@]}" "${batch[@]}" -o never
done
exits 2 "method gaan does not read weights of edges" train weighted.npz --method gaan \
    "${short[@]}" --set protocol=paper -o never

# What was left out in training is left out of other data too, and the run says so.
exits 0 "" embed grace-without weighted.npz -o again.npy
holds "the run's reading is taken over: $(cat err)" grep -q 'unweighted' err
same again.npy grace-plain/embeddings.npy
exits 0 "" embed grace-weighted weighted.npz -o again.npy
same again.npy grace-weighted/embeddings.npy

checked
