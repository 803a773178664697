#!/usr/bin/env bash
# A rank is killed, stopped or out of disk in the middle of a training: all ranks end in time, a line names
# the one to blame, and the run goes on from its checkpoint to the bytes of one that nobody disturbed.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
. "$GRACO_SOURCE/tests/ranks.sh"
build=$1 graco=$1/graco
needs_ranks "$build/graco-mpi"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$graco" generate graph.npz --nodes 500 --features 40 2>/dev/null
options=(-q --threads 1 --set checkpoint_every=1 --set hidden=16)
over() { ranks 3 "$build/graco-mpi" train graph.npz "${options[@]}" -o "$@"; }

# begun RUN EPOCH: waits until the run has logged that epoch.
begun() {
    local tries
    for tries in $(seq 600); do
        [ "$(wc -l 2>/dev/null <"$1/metrics.jsonl")" -ge "$2" ] 2>/dev/null && return
        sleep 0.05
    done
    fail "$1 has not reached epoch $2 after $tries looks"
}

# A rank's process: mpirun, a child of `timeout`, starts the ranks in order.
rank_pid() { pgrep -P "$(pgrep -P "$1" -x mpirun)" -x graco-mpi | sort -n | sed -n "$(($2 + 1))p"; }

# hit RUN SIGNAL RANK SECONDS TEXT: a long training whose rank gets the signal after a few epochs.
hit() {
    local code=0 pid begun_at
    timeout -k 5 120 mpirun -n 3 "$build/graco-mpi" train graph.npz "${options[@]}" --epochs 100000 -o "$1" >out 2>&1 &
    pid=$!
    begun "$1" 3
    begun_at=$SECONDS
    kill "-$2" "$(rank_pid $pid "$3")"
    wait $pid || code=$?
    holds "$2 for rank $3: exit code $code" [ "$code" -ne 0 ]
    holds "$2 for rank $3: $((SECONDS - begun_at)) s" [ $((SECONDS - begun_at)) -le "$4" ]
    holds "$2 for rank $3: '$5' in $(cat out)" grep -q "$5" out
    holds "$2 for rank $3: no process is left" [ -z "$(pgrep -f "graco-mpi train graph.npz.*-o $1\$")" ]
    # The run goes on, ten epochs further.
    local epochs=$(($(wc -l <"$1/metrics.jsonl") + 10))
    over "$1" --epochs $epochs --resume
    over whole-"$1" --epochs $epochs
    same "whole-$1/model.safetensors" "$1/model.safetensors"
    same "whole-$1/embeddings.npy" "$1/embeddings.npy"
}
hit killed-0 KILL 0 10 'rank 0'
hit killed-2 KILL 2 10 'rank 2'
hit stopped STOP 1 30 '^graco: rank 1 has stood still for 20 s'

# Rank 0 alone writes, and a file where the run folder should be is its failure alone.
touch taken
code=0
over taken/run --epochs 3 >out 2>&1 || code=$?
holds "no folder: exit code $code" [ "$code" -ne 0 ]
holds "no folder: one line in $(cat out)" [ "$(grep -c '^graco: ' out)" = 1 ]
checked
