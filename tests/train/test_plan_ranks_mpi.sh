#!/usr/bin/env bash
# graco plan --ranks against graco-mpi: what rank 0 counts as sent in two epochs is twice what the plan says,
# to the byte, over 1 to 8 ranks; and what ranks do not train is refused by both in the same words.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
build=$1 graco=$1/graco
needs_ranks "$build/graco-mpi"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/cache

# field NAME FILE: the first number of this name.
field() { grep -o "\"$1\": [-0-9.e+]*" "$2" | head -1 | sed 's/.*: //'; }

# sent DATASET RANKS OPTION...: planned and counted.
sent() {
    local data=$1 count=$2 planned
    shift 2
    exits 0 '"sent_bytes"' plan "$data" --ranks "$count" --json --threads 1 --epochs 2 "$@"
    sed 's/.*"each": //' out >each
    planned="$((2 * $(field sent_bytes each))) $((2 * $(field sent_messages each)))"
    rm -rf run
    ranks "$count" "$build/graco-mpi" train "$data" -o run --json -q --threads 1 --epochs 2 "$@" >out
    [ "$count" -gt 1 ] || echo '"sent_bytes": 0, "sent_messages": 0' >out
    holds "$data over $count ranks, $*: planned $planned" \
        [ "$planned" = "$(field sent_bytes out) $(field sent_messages out)" ]
}

exits 0 "" generate words.npz --nodes 200 --features 40
exits 0 "" generate dense.npz --nodes 160 --features 12 --dense
awk 'BEGIN { for (i = 0; i < 60; i++) print i, (i + 1) % 60; for (i = 0; i < 40; i++) print 100 + i, 100 + i * 7 % 40 }' >apart.txt
for count in 1 2 3 4 5 6 7 8; do
    sent words.npz $count --objective exact --set hidden=16 --set layers=$((count % 2 + 1))
    sent dense.npz $count --objective infonce --set hidden=8 --set layers=$(((count + 1) % 2 + 1))
    sent words.npz $count --objective moment --set hidden=16 --set correction=20 --set layers=$((count / 2 % 2 + 1))
done
sent apart.txt 3 --node-features degree --set hidden=8

# Both say the same of what ranks do not train.
for wrong in "--method dgi" "--set batch=50" "--set patience=50" "--objective moment --set correction=0"; do
    ranks 2 "$build/graco-mpi" train words.npz -o refused $wrong >out 2>&1 || true
    said=$(sed -n 's/^graco: //p' out)
    exits 2 "$said" plan words.npz --ranks 2 --threads 1 $wrong
    holds "there is a reason: $said" [ -n "$said" ]
done
checked
