#!/usr/bin/env bash
# What `make test` says of tests, tried on a project of four: reasons of what was skipped are repeated, and a test that
# is skipped without a reason fails the run; the processor seconds of each, its children's included, are told, and above
# five that it is too slow.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(skips NONE)
enable_testing()
add_test(NAME a.whole COMMAND bash $ENV{GRACO_SOURCE}/tests/timed.sh a.whole sh -c
  "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; echo '4 2 a.told' >> $GRACO_TIMES")
add_test(NAME a.part COMMAND echo "left out: a half (no tool)")
add_test(NAME a.skipped COMMAND sh -c "echo 'skipped: no data'; exit 77")
add_test(NAME a.last COMMAND sh -c "exit $ENV{LAST}")
set_tests_properties(a.skipped a.last PROPERTIES SKIP_RETURN_CODE 77)
END

# run CODE: the tests, the last of which exits with CODE.
run() {
    LAST=$1 cmake -S "$work" -B "$work/build" >/dev/null
    code=0
    BUILD=$work/build JOBS=1 "$GRACO_SOURCE/scripts/test.sh" >"$work/out" 2>&1 || code=$?
}
says() { holds "'$1' is in $(cat "$work/out")" grep -qxF "$1" "$work/out"; }

run 0
holds "all passed: exit code $code" [ $code -eq 0 ]
says "a.part: left out: a half (no tool)"
says "a.skipped: skipped: no data"
says "3 passed, 0 failed"
says "    6.0  a.told"
holds "a.whole is timed: $(cat "$work/out")" grep -qE '^ +[0-9]+\.[0-9]  a\.whole$' "$work/out"
holds "and the sum is told" grep -qE '^[6-9] processor seconds; the slowest:$' "$work/out"
says "above 5 s, to be made smaller or moved to make test-long (CONTRIBUTING.md): a.told"
run 77
holds "a skip without a reason: exit code $code" [ $code -ne 0 ]
says "a.last: skipped, and does not say why"
run 1
holds "a failed test: exit code $code" [ $code -ne 0 ]
says "2 passed, 1 failed"
checked
