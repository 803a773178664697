#!/usr/bin/env bash
# Searches settings on a GPU and scores what was chosen, with seeds that the search did not have, a line for each data set:
# scripts/gpu/tune.sh BUILD [DATASET ...]
# CRITERION=structure TRIALS=100 TIME= SEEDS=10 by default; folders stay in WORK, by default a new one under /dev/shm.
set -uo pipefail

[ $# -ge 1 ] || { echo "usage: $0 BUILD [DATASET ...]" >&2; exit 2; }
graco=$(realpath "$1")/graco
shift
[ $# -gt 0 ] || set -- cora citeseer pubmed dblp
criterion=${CRITERION:-structure}
seeds=${SEEDS:-10}
work=${WORK:-$(mktemp -d /dev/shm/tune.XXXXXX)}
mkdir -p "$work"
limit=()
[ -z "${TIME:-}" ] || limit=(--time "$TIME")
failed=0
for data; do
    folder=$work/$(basename "$data")
    name=$criterion/$(basename "$data")
    SECONDS=0
    if ! "$graco" tune "$data" -o "$folder" --criterion "$criterion" --trials "${TRIALS:-100}" "${limit[@]}" \
        --device cuda --json -q >"$work/tune.json" 2>"$work/tune.log"; then
        echo "$name: tune failed: $(tail -n 1 "$work/tune.log")"
        failed=1
        continue
    fi
    searched=$SECONDS
    if ! "$graco" train "$data" --preset "$folder/best.json" --seed 1000 --runs "$seeds" --device cuda \
        -o "$folder/runs" -q 2>"$work/train.log"; then
        echo "$name: training of the choice failed: $(tail -n 1 "$work/train.log")"
        failed=1
        continue
    fi
    score=$("$graco" eval "$folder/runs" "$data" --protocol paper --json | grep -o '"mean": *[0-9.]*' | head -n 1)
    echo "$name: searched in $searched s, ${score#*:} over $seeds other seeds, $(($(wc -l <"$folder/trials.csv") - 1))" \
        "measurements; $(tr -d '\n ' <"$folder/best.json")"
done
exit $failed
