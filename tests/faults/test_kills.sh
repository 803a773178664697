#!/usr/bin/env bash
# Trainings killed with -9 at random moments, every fifth in a random call of the system that writes a checkpoint, and
# some of them again while they resume: afterwards --resume must lead to the same bytes as a training that nobody
# disturbed, and leave nothing else in the run folder. `test_kills.sh BUILD [COUNT [SEED]]`
set -euo pipefail

graco=$1/graco library=$1/tests/inject.so
count=${2:-10}
RANDOM=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1
before=0 during=0 after=0 twice=0 failed=0 leftovers=0

fail() {
    echo "kill $i: $1"
    failed=$((failed + 1))
}

settings=(--epochs 60 --set hidden=8 --set checkpoint_every=1 --device cpu --threads 1)
"$graco" generate graph.npz --nodes 400 --classes 3 --features 50
start=$(date +%s%N)
"$graco" train graph.npz -o whole "${settings[@]}" -q
whole=$((($(date +%s%N) - start) / 1000)) # microseconds

# kill_within MICROSECONDS OPTION...: starts the training and kills it at a moment up to then.
kill_within() {
    local moment=$((RANDOM * 32768 + RANDOM))
    moment=$((moment % $1))
    shift
    "$graco" train graph.npz -o run "${settings[@]}" -q "$@" 2>err &
    local victim=$!
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    kill -9 $victim 2>/dev/null || true
    wait $victim 2>/dev/null || true
}

# kill_in KIND: the training ends itself in a call of that kind, after the first checkpoint and before the last.
kill_in() {
    ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=$library GRACO_FAULT="$1:$((RANDOM % 40 + 10)):kill" \
        "$graco" train graph.npz -o run "${settings[@]}" -q 2>err || true
    [ ! -e run/embeddings.npy ] && [ -e run/model.safetensors ] || fail "no kill in a call of $1: $(cat err)"
}

for i in $(seq "$count"); do
    rm -rf run
    case $((i % 10)) in
    0) kill_in sync ;;
    5) kill_in rename ;;
    *) kill_within $((whole * 115 / 100)) ;;
    esac
    if [ -e run/embeddings.npy ]; then
        after=$((after + 1))
    elif [ -e run/model.safetensors ]; then
        during=$((during + 1))
        if [ $((i % 3)) -eq 0 ]; then
            kill_within "$whole" --resume
            twice=$((twice + 1))
        fi
    else
        before=$((before + 1))
    fi
    if compgen -G 'run/*.tmp-*' >/dev/null; then leftovers=$((leftovers + 1)); fi
    "$graco" train graph.npz -o run "${settings[@]}" -q --resume 2>err || fail "no resume: $(cat err)"
    for file in embeddings.npy model.safetensors config.json; do
        cmp -s whole/$file run/$file || fail "$file is not the undisturbed training's"
    done
    cut -d, -f1,2 whole/metrics.jsonl >wanted
    cut -d, -f1,2 run/metrics.jsonl >found || true
    cmp -s wanted found || fail "metrics.jsonl: $(wc -l <run/metrics.jsonl) lines"
    [ "$(ls -A run | tr '\n' ' ')" = "config.json embeddings.npy metrics.jsonl model.safetensors " ] ||
        fail "left in the run folder: $(ls -A run | tr '\n' ' ')"
done
echo "$count kills over $((whole * 115 / 100000)) ms: $before before the first checkpoint," \
    "$during between the first and the last ($twice of them killed again), $after after the" \
    "embeddings; $leftovers left temporary files, all swept; $failed failed"
[ "$failed" -eq 0 ] && [ "$during" -gt 0 ]
