#!/usr/bin/env bash
# Everything that must hold before a change lands; `make test` and the continuous build run this.
# The folders build-clang, build-sanitize and build-fuzz are kept, so that a second run is quick.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
jobs=${JOBS:-$(nproc)}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { printf '\n== %s (%d s so far)\n' "$1" "$SECONDS"; }

# make_in FOLDER OPTION...: configures and builds.
make_in() {
    local folder=$1
    shift
    cmake -S . -B "$folder" -DGRACO_WERROR=ON "$@" >/dev/null
    cmake --build "$folder" -j "$jobs"
}

# test_in FOLDER LABELS: runs the tests without those labels and leaves their number in `count`.
test_in() {
    ctest --test-dir "$1" -LE "$2" -j "$jobs" --output-on-failure --no-label-summary | tee "$log"
    count=$(sed -n 's/.*tests failed out of \([0-9]*\).*/\1/p' "$log")
}

step "build with clang, warnings are errors"
make_in build-clang -DCMAKE_C_COMPILER=clang

step "build with gcc and the address and undefined-behaviour sanitizers, test"
make_in build-sanitize -DCMAKE_C_COMPILER=gcc -DGRACO_SANITIZE=address,undefined
test_in build-sanitize 'long|once'
sanitized=$count

step "build with gcc, warnings are errors, test"
make_in "$build"
test_in "$build" long

step "fuzz every decoder, a minute of one core in all"
JOBS=$jobs RUNS='' TARGETS='' scripts/fuzz.sh 60 | tee "$log"
fuzzed=$(sed -n 's/^[0-9]* targets, \([0-9]*\) executions.*/\1/p' "$log")

printf '\nmake test: all passed: %d tests with gcc, %d under sanitizers, clang without warnings, %d inputs fuzzed, %d s\n' \
    "$count" "$sanitized" "$fuzzed" "$SECONDS"
