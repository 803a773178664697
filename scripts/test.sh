#!/usr/bin/env bash
# Runs the tests and says what was skipped and why.
#   scripts/test.sh        `make test`: the tests in the build that is there
#   scripts/test.sh deep   `make test-deep`: clang with warnings as errors, the source's style, the
#                          tests under sanitizers, a minute of fuzzing
# The folders build-clang, build-sanitize and build-fuzz are kept, so that a second run is quick.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
jobs=${JOBS:-$(nproc)}
log=$(mktemp)
times=$(mktemp) # of tests/timed.sh
trap 'rm -f "$log" "$times"' EXIT

step() { printf '\n== %s (%d s so far)\n' "$1" "$SECONDS"; }

# make_in FOLDER OPTION...: configures and builds, without CUDA: nvcc hands neither clang nor sanitizers anything.
make_in() {
    local folder=$1
    shift
    cmake -S . -B "$folder" -DGRACO_WERROR=ON -DGRACO_CUDA=OFF "$@" >/dev/null
    cmake --build "$folder" -j "$jobs"
}

# reasons FOLDER: why tests were skipped, in whole or in part; fails where a test does not say it.
reasons() {
    awk '
        FNR == NR { if (/\(Skipped\)$/) mute[$3]; next }
        / Testing: / { name = $3 }
        /^(skipped|left out): / {
            print name ": " $0
            if (/^skipped: /) delete mute[name]
        }
        END {
            for (name in mute) {
                print name ": skipped, and does not say why"
                failed = 1
            }
            exit failed
        }' "$log" "$1/Testing/Temporary/LastTest.log"
}

# slowest: the processor seconds of all tests and of the ten slowest, and which of these are too slow to be here. A
# printed line, and no failure: no verdict may depend on how fast the machine is.
slowest() {
    awk '{ gsub(",", "."); printf "%.2f %s\n", $1 + $2, $3 }' "$times" | LC_ALL=C sort -rn | awk '
        NR <= 10 { line[NR] = sprintf("%7.1f  %s", $1, $2) }
        $1 > 5 { above = above " " $2 }
        { all += $1 }
        END {
            printf "\n%.0f processor seconds; the slowest:\n", all
            for (i = 1; i in line; i++) print line[i]
            if (above) print "above 5 s, to be made smaller or moved to make test-long (CONTRIBUTING.md):" above
        }'
}

# test_in FOLDER OPTION...: runs the tests that ctest's options choose, twice as many at once as there are cores, for many
# wait for something else. Leaves how many passed in `passed`, how many were skipped in `skipped`.
test_in() {
    local folder=$1 result=0 failed
    shift
    : >"$times"
    GRACO_TIMES=$times ctest --test-dir "$folder" "$@" -j $((2 * jobs)) --output-on-failure --no-label-summary |
        tee "$log" || result=1
    printf '\n'
    reasons "$folder" || result=1
    skipped=$(grep -c '(Skipped)$' "$log" || true)
    failed=$(sed -n 's/.* \([0-9]*\) tests failed out of .*/\1/p' "$log")
    passed=$(($(sed -n 's/.*tests failed out of \([0-9]*\).*/\1/p' "$log") - failed - skipped))
    slowest
    printf '%d passed, %d failed\n' "$passed" "$failed"
    return $result
}

if [ $# -eq 0 ]; then
    test_in "$build" -LE long
    printf '\nmake test: all passed: %d tests, %d skipped, %d s\n' "$passed" "$skipped" "$SECONDS"
    exit
fi

step "build with clang, warnings are errors; the style of the source"
make_in build-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug # clang warns of what it reads, before it optimises
test_in build-clang -R '^style\.'

step "build with gcc and the address and undefined-behaviour sanitizers, test"
make_in build-sanitize -DCMAKE_C_COMPILER=gcc -DGRACO_SANITIZE=address,undefined
test_in build-sanitize -LE 'long|once'

step "fuzz every decoder, a minute of one core in all"
JOBS=$jobs RUNS='' TARGETS='' scripts/fuzz.sh 60 | tee "$log"
fuzzed=$(sed -n 's/^[0-9]* targets, \([0-9]*\) executions.*/\1/p' "$log")

printf '\nmake test-deep: all passed: %d tests under sanitizers, %d skipped, clang without warnings, %d inputs fuzzed, %d s\n' \
    "$passed" "$skipped" "$fuzzed" "$SECONDS"
