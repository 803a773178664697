#!/usr/bin/env bash
# graco plan --ranks against graco-mpi: what rank 0 counts as sent in two epochs is twice what the plan says,
# to the byte, over 1 to 8 ranks; it takes about the memory that the plan says; and what ranks do not train is
# refused by both in the same words. Each number of ranks takes one of three trainings, with LONG all.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
begin_ranks "$1"

# field NAME FILE: the first number of this name, a whole one.
field() { grep -o "\"$1\": [-0-9.e+]*" "$2" | head -1 | sed 's/.*: //; s/\.0$//'; }

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
    [ -z "${LONG-}" ] && one=$((count % 3)) || one=all
    [[ $one != [0a]* ]] || sent words.npz $count --objective exact --set hidden=16 --set layers=$((count % 2 + 1))
    [[ $one != [1a]* ]] || sent dense.npz $count --objective infonce --set hidden=8 --set layers=$(((count + 1) % 2 + 1))
    [[ $one != [2a]* ]] || sent words.npz $count --objective moment --set hidden=16 --set correction=20 --set layers=$((count / 2 % 2 + 1))
done
sent apart.txt 3 --node-features degree --set hidden=8

# A partitioned data set: less is sent, as planned; embeddings are those of the data set's own rows.
if "$graco" partition words.npz -n 4 -o parts 2>/dev/null; then
    sent parts 4 --set hidden=16
    few=$(field sent_bytes out)
    exits 0 "" embed run words.npz -o Z.npy --threads 1 --device cpu
    same run/embeddings.npy Z.npy
    holds "one process continues it" "$graco" train words.npz -o run -q --threads 1 --epochs 3 --resume --set hidden=16
    sent words.npz 4 --set hidden=16
    holds "less is sent: $few bytes, not $(field sent_bytes out)" [ "$few" -lt "$(field sent_bytes out)" ]
    sent parts 3 --set inductive=1 --objective moment --set hidden=8
else
    echo "left out: partitioned data sets, for this build has no METIS"
fi

# A folder, of which ranks read their rows alone: rank 0 takes the memory that is planned, within a third, and
# that is less than with the whole data set.
if grep -q __asan_init "$graco"; then
    echo "left out: the memory of ranks, which sanitizers change"
else
    exits 0 "" generate folder --nodes 20000 --features 200 --dense
    exits 0 "" convert folder whole.npz
    for setting in objective=moment inductive=1; do
        exits 0 '"by_rows": true' plan folder --ranks 4 --json --threads 1 --epochs 1 --objective moment --set hidden=16 --set $setting
        sed 's/.*"each": //' out >each
        planned=$(field host_bytes each)
        rm -rf run
        ranks 4 "$build/graco-mpi" train folder -o run --json -q --threads 1 --epochs 1 --objective moment --set hidden=16 --set $setting >out
        taken=$(field peak_rss_bytes out)
        holds "rank 0 of 4, $setting: planned $planned, taken $taken" [ $((3 * planned)) -gt $((2 * taken)) -a $((2 * planned)) -lt $((3 * taken)) ]
    done
    exits 0 '"by_rows": false' plan whole.npz --ranks 4 --json --threads 1 --epochs 1 --objective moment --set hidden=16
    sed 's/.*"each": //' out >each
    holds "less than with the whole data set" [ "$planned" -lt "$(field host_bytes each)" ]
    exits 0 '"by_rows": false' plan folder --ranks 4 --json --threads 1 --node-features spectral --set hidden=16
fi

# Both say the same of what ranks do not train.
for wrong in "--method dgi" "--set graphs=2" "--objective moment --set correction=0"; do
    ranks 2 "$build/graco-mpi" train words.npz -o refused $wrong >out 2>&1 || true
    said=$(sed -n 's/^graco: //p' out)
    exits 2 "$said" plan words.npz --ranks 2 --threads 1 $wrong
    holds "there is a reason: $said" [ -n "$said" ]
done
# What they train and nobody counts.
exits 2 "plans over ranks do not count mini-batches" plan words.npz --ranks 2 --threads 1 --set batch=50
exits 2 "plans over ranks do not count early stopping" plan words.npz --ranks 2 --threads 1 --set patience=50
checked
