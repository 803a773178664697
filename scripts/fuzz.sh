#!/usr/bin/env bash
# Fuzzes every decoder: scripts/fuzz.sh SECONDS of one core, shared by the targets, JOBS at once. With
# RUNS=n in the environment each target runs n times instead; TARGETS="npy pickle" chooses some.
# A table says what was run. Inputs that were found interesting stay in build-fuzz/corpus and serve
# the next run; what crashed, hung for 20 seconds or took more than 1 GB lies in build-fuzz/crashes,
# and makes the script fail.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$PWD/build-fuzz
corpus=$build/corpus
crashes=$build/crashes
logs=$build/logs

# run_one TARGET LIMIT: one target; its log is all that is left.
run_one() {
    local target=$1 limit=$2 length=1024 mask=1 started=$EPOCHREALTIME ended
    case $target in
    config | options | metrics) length=128 ;;
    npy | npz | matrix | edges | node_link | table | name_lines) length=512 ;;
    pickle | checkpoint) length=3072 ;;
    esac
    [ "$target" != options ] || mask=3 # it complains on stderr, as the command does
    mkdir -p "$corpus/$target" "$build/seeds/$target"
    ASAN_OPTIONS=quarantine_size_mb=1 "$build/fuzz/fuzz_$target" "$limit" -max_len=$length \
        -timeout=20 -rss_limit_mb=1024 -close_fd_mask=$mask -print_final_stats=1 -verbosity=1 \
        -dict=tests/fuzz/words.dict -artifact_prefix="$crashes/$target-" \
        "$corpus/$target" "$build/seeds/$target" >"$logs/$target" 2>&1 || true
    ended=$EPOCHREALTIME
    echo "wall: $(((${ended/./} - ${started/./}) / 1000)) ms" >>"$logs/$target"
}

# field TARGET PATTERN: the last number behind the pattern in its log, 0 if there is none.
field() { grep -ao "$2 *[0-9]*" "$logs/$1" | tail -1 | grep -o '[0-9]*$' || echo 0; }

# first TARGET PATTERN: the first one.
first() { grep -ao -m1 "$2 *[0-9]*" "$logs/$1" | grep -o '[0-9]*$' || echo 0; }

if [ "${1-}" = --one ]; then
    run_one "$2" "$3"
    exit
fi

if [ -n "${TARGETS-}" ]; then
    read -ra targets <<<"$TARGETS"
else
    mapfile -t targets < <(cd tests/fuzz && ls fuzz_*.c | sed 's/^fuzz_\(.*\)\.c$/\1/')
fi
jobs=${JOBS:-1}
limit=-runs=${RUNS-}
if [ -z "${RUNS-}" ]; then
    each=$((${1:-60} / ${#targets[@]}))
    limit=-max_total_time=$((each > 0 ? each : 1))
fi

cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DGRACO_FUZZ=ON -DGRACO_CUDA=OFF >/dev/null
cmake --build "$build" -j "$(nproc)" --target fuzz_all >/dev/null
rm -rf "$build/seeds" "$crashes" "$logs"
mkdir -p "$build/seeds" "$crashes" "$logs"
"$build/fuzz/make_seeds" "$build/seeds" >/dev/null
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash "$0" --one {} "$limit"

failed=0
all=0
printf '%-14s %11s %9s %9s %7s %8s %8s\n' target executions "per s" seeds edges "peak MB" crashes
for target in "${targets[@]}"; do
    runs=$(field "$target" 'number_of_executed_units:')
    wall=$(field "$target" 'wall:')
    found=$(find "$crashes" -name "$target-*" | wc -l)
    # A target that did not come to its statistics has failed, whatever it left.
    [ "$runs" -gt 0 ] && [ "$found" -eq 0 ] || failed=$((failed + 1))
    printf '%-14s %11d %9d %9d %7d %8d %8d\n' "$target" "$runs" $((runs * 1000 / (wall + 1))) \
        "$(first "$target" 'cov:')" "$(field "$target" 'cov:')" \
        "$(field "$target" 'peak_rss_mb:')" "$found"
    all=$((all + runs))
done
printf '%d targets, %d executions, %d failed\n' "${#targets[@]}" "$all" "$failed"
if [ "$failed" -gt 0 ]; then
    echo "what failed is in $crashes, the logs are in $logs" >&2
    exit 1
fi
