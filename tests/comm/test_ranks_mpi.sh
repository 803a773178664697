#!/usr/bin/env bash
# Every operation between ranks against known answers, for 1 to 5 ranks; and ranks that fail, die, leave, come
# late or stand still: all end within 30 seconds, and a line names the one to blame. One that never begins cannot be named.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
program=$1/tests/comm_ranks
needs_ranks "$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for count in 1 2 3 4 5; do
    ranks "$count" "$program" >"$work/out" 2>&1 || cat "$work/out"
    lines=$(grep -c ' passed, 0 failed' "$work/out" || true)
    holds "$count ranks: $lines of them pass" [ "$lines" -eq "$count" ]
done

# ends WAY COUNT SECONDS TEXT: the ranks end with a failure, in time on a quiet machine, and say so. "WAY moving": in the
# middle of an exchange. $before is what the last of three ranks does before it begins.
ends() {
    local way=$1 count=$2 most=$3 text=$4 begun=$SECONDS code=0
    ranks "$count" bash -c "[ \$OMPI_COMM_WORLD_RANK != 2 ] || ${before:-true}; exec '$program' $way" >"$work/out" 2>&1 || code=$?
    holds "a rank that $way: exit code $code" [ "$code" -ne 0 ]
    holds "a rank that $way: $((SECONDS - begun)) s" [ $((SECONDS - begun)) -le $((most + RANKS_SPARE)) ]
    [ "$most" -ge 20 ] || holds "a rank that $way: nobody is given up in $(cat "$work/out")" [ "$(grep -cE '(for|after) 20 s' "$work/out")" = 0 ]
    holds "a rank that $way: '$text' in $(cat "$work/out")" grep -q "$text" "$work/out"
}
ends late 2 10 '^rank 1 has not answered for 1 s$'
ends fails 3 10 '^rank 2 has no memory$'
ends dies 3 10 'rank 2'
ends still 3 30 '^graco: rank 2 has stood still for 20 s'
ends leaves 3 20 '^graco: rank 2 has ended, and rank [01] still waits for it: '
ends "leaves moving" 3 20 '^graco: rank 2 has ended, and rank [01] still waits for it: '
ends "late moving" 2 10 '^rank 1 has not answered for 1 s$'
ends "dies moving" 3 10 'rank 2'
ends "still moving" 3 30 '^graco: rank 2 has stood still for 20 s'
before='kill -STOP $$'
# Rank 0 says it and ends all; another says it where it was held up for seconds.
ends waits 3 30 '^graco: after 2[02] s rank [01] still waits for a rank that has not begun: '
lines=$(grep -c '^graco: ' "$work/out")
holds "one line of a rank in $(cat "$work/out")" [ "$lines" = "$(grep -o '^graco: after 2[02] s rank [01]' "$work/out" | sort -u | wc -l)" ]
# A rank without the thread that beats must not be taken for one that stands still.
before="export LD_PRELOAD='$1/tests/inject.so' GRACO_FAULT=thread:1:11"
export ASAN_OPTIONS+=:verify_asan_link_order=0
ends "has no thread" 3 10 '^graco: rank 2: the thread that watches the others was refused: Resource temporarily unavailable$'
checked
