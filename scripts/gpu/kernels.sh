#!/usr/bin/env bash
# The exact objective's kernels on a GPU, a line for each result: whether they are right, and how long they take, every build in
# turn, twice. Goes on after a failure, and ends with 1 if there was one. About three minutes for two builds.
# scripts/gpu/kernels.sh BUILD...      for instance one before a change and one of today
# Cora and Pubmed from $GRACO_DATA; what is not there is left out.
set -uo pipefail

[ $# -ge 1 ] || { echo "usage: $0 BUILD..." >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check BUILD PROGRAM ARGUMENT...: its last line, and whether it ended well.
check() {
    local build=$1 program=$2 code=0
    shift 2
    [ -x "$build/tests/$program" ] || { echo "$build: $program is left out: it is not there"; return; }
    timeout -k 5 150 "$build/tests/$program" "$@" >"$work/out" 2>&1 || code=$?
    echo "$build: $program${*:+ $*}: $([ $code -eq 0 ] && echo yes || echo "no, exit code $code"): $(tail -n 1 "$work/out")"
    [ $code -eq 0 ] || [ $code -eq 77 ] || { failed=1; grep -m 5 'does not hold' "$work/out"; }
}

# epoch BUILD DATASET EPOCHS OPTION...: milliseconds of the median epoch.
epoch() {
    local build=$1 data=$2 epochs=$3
    shift 3
    [ -e "${GRACO_DATA:-none}/$data" ] || return 0
    rm -rf "$work/run"
    if "$build/graco" train "$data" -o "$work/run" -q --json --device cuda --epochs "$epochs" "$@" >"$work/out" 2>&1; then
        echo "$build: $data${*:+ $*}: $(grep -o '"[a-z_]*median[a-z_]*": *[0-9.e-]*' "$work/out" | head -n 1)"
    else
        failed=1
        echo "$build: $data: no: $(tail -n 1 "$work/out")"
    fi
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1
for build; do
    check "$build" compute_test_tiles
    check "$build" compute_test_operations
    check "$build" train_test_golden
    check "$build" train_test_devices
done
for round in 1 2; do
    for size in "100000 128 5" "100000 256 5" "19717 256 20" "2708 128 50"; do
        for build; do
            # shellcheck disable=SC2086
            echo "$build: round $round: $("$build/bench_cuda" fp16 $size 2>&1 | tr -s ' \n' ' ')"
        done
    done
    for build; do
        epoch "$build" cora 400
        epoch "$build" pubmed 40
    done
done
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        for build; do
            echo "$build: $tool: $(timeout -k 5 100 compute-sanitizer --tool $tool "$build/tests/compute_test_tiles" tiny 2>&1 | tail -n 1)"
        done
    done
fi
exit $failed
