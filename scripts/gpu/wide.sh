#!/usr/bin/env bash
# Tries, on a machine with a GPU of the H100 family, what GRACO_UNTRIED holds of the exact objective: wide rows, and
# the ladder of its tiles (docs/performance.md). Takes build folders, the one with TILES_STEP=0 first, that with 4 last:
#
#   for step in 0 1 2 3 4; do
#       cmake -S . -B build-$step -DGRACO_CUDA=ON -DGRACO_UNTRIED=ON -DTILES_STEP=$step
#       cmake --build build-$step -j --target compute_test_tiles bench_cuda
#   done
#   scripts/gpu/wide.sh build-{0,1,2,3,4}
#
# Each step has a limit of time, prints its results and one line with how it ended; after a failure the next one runs.
# The order is: is it right, how fast is it, is it free of races. TOTAL seconds in all, four minutes unless said.
set -uo pipefail
[ $# -gt 0 ] || { echo "usage: wide.sh BUILD..." >&2; exit 2; }
nodes=${NODES:-100000}
total=${TOTAL:-235}
failures=0

# step SECONDS NAME COMMAND...: the end of what it says, and how it ended.
step() {
    local seconds=$1 name=$2 code=0 begin=$SECONDS log
    shift 2
    [ "$seconds" -lt $((total - SECONDS)) ] || seconds=$((total - SECONDS))
    [ "$seconds" -gt 0 ] || { echo "== $name: left out, no time left"; return; }
    log=$(mktemp)
    timeout "$seconds" "$@" >"$log" 2>&1 || code=$?
    tail -n 14 "$log"
    rm -f "$log"
    [ "$code" -eq 0 ] || failures=$((failures + 1))
    echo "== $name: exit code $code, $((SECONDS - begin)) s"
}

for build in "$@"; do
    if [ "$build" = "$1" ] || [ "$build" = "${!#}" ]; then
        step 60 "right, $build" "$build/tests/compute_test_tiles"
    else
        step 20 "right, $build, small" "$build/tests/compute_test_tiles" small
    fi
done

for d in 512 1024; do
    step 25 "speed, d $d" "$1/bench_cuda" fp16 "$nodes" "$d" 3
done
step 20 "speed, d 512, bf16" "$1/bench_cuda" bf16 "$nodes" 512 3
for build in "$@"; do
    for d in 128 256; do
        step 15 "speed, $build, d $d" "$build/bench_cuda" fp16 "$nodes" "$d" 5
    done
done
if command -v compute-sanitizer >/dev/null; then
    step 45 "races" compute-sanitizer --tool racecheck --error-exitcode 9 "$1/tests/compute_test_tiles" tiny
else
    echo "== races: left out, there is no compute-sanitizer"
fi

echo "$failures steps failed"
[ "$failures" -eq 0 ]
